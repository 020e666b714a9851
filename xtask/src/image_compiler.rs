//! Compilers for processors without operating system: that of the system's packages, or rustup's.
//!
//! Both build the core library from its sources: one that is compiled for speed, as rustup's targets have it, takes 2 KB too much.

use std::{path::PathBuf, process::Command};

use crate::workspace::{answers, cargo};

/// Cure for a missing compiler of the firmware's images.
pub(crate) const IMAGE_COMPILER: &str = "install a compiler for microcontrollers (rustup component add rust-src, or Debian: apt-get install rustc-web cargo-web rust-web-src lld)";
const PACKAGED_COMPILER: &str = "/usr/bin/rustc";
const PACKAGED_CARGO: &str = "/usr/bin/cargo";
const PACKAGED_LINKER: &str = "ld.lld";

/// Source of the compiler of the images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The system's packages.
    Packages,
    /// The toolchain's own, which rustup has given the sources of the core library.
    Rustup,
}

impl Way {
    /// The one of this name.
    pub(crate) fn named(name: &str) -> Option<Way> {
        match name {
            "packages" => Some(Way::Packages),
            "rustup" => Some(Way::Rustup),
            _ => None,
        }
    }

    /// One that is complete here.
    pub(crate) fn here() -> Option<Way> {
        [Way::Packages, Way::Rustup].into_iter().find(|way| way.is_complete())
    }

    pub(crate) fn is_complete(self) -> bool {
        let sources = sysroot(self.compiler())
            .map(|sysroot| sysroot.join("lib/rustlib/src/rust/library/core/src/lib.rs"));
        sources.is_some_and(|sources| sources.exists())
            && (self == Way::Rustup || answers(PACKAGED_LINKER, &["--version"]))
    }

    pub(crate) fn compiler(self) -> &'static str {
        match self {
            Way::Packages => PACKAGED_COMPILER,
            Way::Rustup => "rustc",
        }
    }

    pub(crate) fn command(self, target: &str) -> Command {
        let mut command = match self {
            // Both from the packages, so that they have one version; the toolchain file does not concern them.
            Way::Packages => {
                let mut command = Command::new(PACKAGED_CARGO);
                command.env("RUSTC", PACKAGED_COMPILER).env_remove("RUSTUP_TOOLCHAIN");
                command
            }
            Way::Rustup => Command::new(cargo()),
        };
        // Building the core library is not stable yet: both compilers need the permission.
        command.env("RUSTC_BOOTSTRAP", "1");
        command.args(["build", "--quiet", "--locked", "--release", "--target", target]);
        command.arg("-Zbuild-std=core");
        if self == Way::Packages {
            command.args(["--config", &format!("target.{target}.linker={PACKAGED_LINKER:?}")]);
        }
        command
    }
}

/// Whether images can be built here.
pub(crate) fn compiler_is_here() -> bool {
    Way::here().is_some()
}

/// Folder of a compiler's libraries and sources.
pub(crate) fn sysroot(compiler: &str) -> Option<PathBuf> {
    let output = Command::new(compiler).args(["--print", "sysroot"]).output().ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
