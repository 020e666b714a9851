//! The tarball and the Debian package: which files, where, and what the package says of itself.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{built::Built, glibc::Glibc};
use crate::workspace::root;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the package puts the program.
pub(super) const PROGRAM: &str = "usr/bin/twinboard";
/// Where it puts the units, each of which starts the program.
pub(super) const UNITS: [&str; 2] = [
    "usr/lib/systemd/system/twinboard-hub.service",
    "usr/lib/systemd/system/twinboard-adjudicator.service",
];

/// Files besides the program: where they are in the project, and where the package puts them.
const FILES: [(&str, &str); 10] = [
    ("deploy/hub.service", UNITS[0]),
    ("deploy/adjudicator.service", UNITS[1]),
    ("deploy/hub-gpio.conf", "usr/share/doc/twinboard/examples/hub-gpio.conf"),
    ("deploy/60-twinboard.rules", "usr/lib/udev/rules.d/60-twinboard.rules"),
    ("deploy/hub.example.toml", "usr/share/doc/twinboard/examples/hub.example.toml"),
    (
        "deploy/adjudicator.example.toml",
        "usr/share/doc/twinboard/examples/adjudicator.example.toml",
    ),
    ("deploy/mosquitto.conf", "usr/share/doc/twinboard/examples/mosquitto.conf"),
    ("deploy/mosquitto-acl.conf", "usr/share/doc/twinboard/examples/mosquitto-acl.conf"),
    ("deploy/README.md", "usr/share/doc/twinboard/README.md"),
    ("LICENSE", "usr/share/doc/twinboard/copyright"),
];

/// Makes the adjudicator's user and folder, into which a copy may be put before the first start, and lets systemd and udev read the new files.
const POSTINST: &str = "#!/bin/sh
set -e
if [ \"$1\" = configure ]; then
    if ! getent passwd twinboard >/dev/null; then
        useradd --system --user-group --home-dir /var/lib/twinboard --shell /usr/sbin/nologin twinboard
    fi
    install -d -o twinboard -g twinboard -m 750 /var/lib/twinboard
    mkdir -p /etc/twinboard
    if [ -d /run/systemd/system ]; then
        systemctl daemon-reload
        udevadm control --reload || true
    fi
fi
";

/// Installs the tarball's files; the Debian package needs none.
pub(super) const INSTALL_SCRIPT: &str = "deploy/install.sh";

/// Folder of the nodes' images in the tarball.
pub(super) const FIRMWARE: &str = "firmware";
/// Folder of the nodes' images in the package, where the program looks for them.
pub(super) const FIRMWARE_PLACE: &str = "usr/share/twinboard/firmware";

/// Puts program, files and the nodes' images into a folder of their own; returns it.
pub(super) fn stage(built: &Built, images: &[PathBuf], results: &Path) -> Result<PathBuf, String> {
    let folder = results.join(format!("twinboard-{VERSION}-{}", built.machine.name()));
    remove(&folder)?;
    make(&folder)?;
    copy(&built.program, &folder.join("twinboard"))?;
    for (from, _) in FILES {
        let name = Path::new(from).file_name().unwrap_or_default();
        copy(&root().join(from), &folder.join(name))?;
    }
    copy(&root().join(INSTALL_SCRIPT), &folder.join("install.sh"))?;
    make(&folder.join(FIRMWARE))?;
    for image in images {
        copy(image, &folder.join(FIRMWARE).join(image.file_name().unwrap_or_default()))?;
    }
    call(built.machine.strip(), &[&path(&folder.join("twinboard"))])?;
    Ok(folder)
}

/// Packs the folder, the same bytes for the same files.
pub(super) fn tarball(staged: &Path, results: &Path) -> Result<PathBuf, String> {
    let name = staged.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let tarball = results.join(format!("{name}.tar.gz"));
    let arguments = [
        "--create",
        "--gzip",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mtime=@0",
        "--file",
        &path(&tarball),
        "--directory",
        &path(results),
        &name,
    ];
    call("tar", &arguments)?;
    Ok(tarball)
}

/// Unpacks a tarball into a folder.
pub(super) fn unpack(tarball: &Path, folder: &Path) -> Result<(), String> {
    call("tar", &["--extract", "--file", &path(tarball), "--directory", &path(folder)]).map(drop)
}

/// Puts the files of a package below a folder, as dpkg would below the root, and reads what it would run then.
pub(super) fn install(deb: &Path, folder: &Path) -> Result<(), String> {
    call("dpkg-deb", &["--extract", &path(deb), &path(folder)])?;
    let control = folder.join("DEBIAN");
    call("dpkg-deb", &["--control", &path(deb), &path(&control)])?;
    call("sh", &["-n", &path(&control.join("postinst"))])?;
    remove(&control)
}

/// Puts the files of an unpacked tarball below a folder, by the tarball's own script.
pub(super) fn install_unpacked(unpacked: &Path, folder: &Path) -> Result<(), String> {
    let destination = format!("DESTDIR={}", path(folder));
    call("env", &[&destination, "sh", &path(&unpacked.join("install.sh"))]).map(drop)
}

/// Holds a package to the machine that it says it is for.
pub(super) fn hold_to_machine(deb: &Path, architecture: &str) -> Result<(), String> {
    let said = call("dpkg-deb", &["--field", &path(deb), "Architecture"])?;
    if said.trim() == architecture {
        Ok(())
    } else {
        Err(format!("{} is for {:?}, not for {architecture}", deb.display(), said.trim()))
    }
}

/// How a package is compressed.
#[derive(Clone, Copy)]
pub(super) enum Compression {
    /// For whoever downloads it.
    Small,
    /// For whoever installs it once, here.
    Quick,
}

/// Makes the Debian package, where there is the program for it.
pub(super) fn deb(
    built: &Built,
    staged: &Path,
    needs: Glibc,
    compression: Compression,
    results: &Path,
) -> Result<Option<PathBuf>, String> {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return Ok(None);
    }
    let architecture = built.machine.debian();
    let tree = results.join(format!("deb-{architecture}"));
    remove(&tree)?;
    let places =
        FILES.iter().map(|(from, to)| (Path::new(from).file_name().unwrap_or_default(), *to));
    let program = [(std::ffi::OsStr::new("twinboard"), PROGRAM)];
    for (name, to) in places.chain(program) {
        let place = tree.join(to);
        make(place.parent().unwrap_or(&tree))?;
        copy(&staged.join(name), &place)?;
    }
    make(&tree.join(FIRMWARE_PLACE))?;
    let images = fs::read_dir(staged.join(FIRMWARE))
        .map_err(|error| format!("{}: {error}", staged.display()))?;
    for image in images.flatten().map(|image| image.path()) {
        let name = image.file_name().unwrap_or_default();
        copy(&image, &tree.join(FIRMWARE_PLACE).join(name))?;
    }
    make(&tree.join("DEBIAN"))?;
    write(&tree.join("DEBIAN/control"), &control(architecture, needs))?;
    write(&tree.join("DEBIAN/postinst"), POSTINST)?;
    call("chmod", &["0755", &path(&tree.join("DEBIAN/postinst"))])?;
    let deb = results.join(format!("twinboard_{VERSION}_{architecture}.deb"));
    let (from, to) = (path(&tree), path(&deb));
    let compression = match compression {
        Compression::Small => "-Zxz",
        Compression::Quick => "-Znone",
    };
    call("dpkg-deb", &["--root-owner-group", compression, "--build", &from, &to])?;
    remove(&tree)?;
    Ok(Some(deb))
}

fn control(architecture: &str, needs: Glibc) -> String {
    format!(
        "Package: twinboard\n\
         Version: {VERSION}\n\
         Architecture: {architecture}\n\
         Maintainer: Twinboard <twinboard@localhost>\n\
         Section: games\n\
         Priority: optional\n\
         Depends: libc6 (>= {needs}), libgcc-s1, passwd\n\
         Description: watches bughouse matches and writes them down\n \
         The hub of one or more tables (serial boards and clocks), and the adjudicator of\n \
         an event with its pages. Start with /usr/share/doc/twinboard/README.md.\n"
    )
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder)
        .map_err(|error| format!("{} cannot be made: {error}", folder.display()))
}

fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{} cannot be removed: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let copied = fs::copy(from, to);
    copied.map(drop).map_err(|error| {
        format!("{} cannot be copied to {}: {error}", from.display(), to.display())
    })
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// What a command says.
fn call(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("`{program}` could not be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program} {}` failed: {said}", arguments.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_is_packed_is_in_the_project_and_goes_to_a_place_of_its_own() {
        let mut places: Vec<&str> = FILES.iter().map(|(_, to)| *to).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), FILES.len());
        for (from, _) in FILES {
            assert!(root().join(from).is_file(), "{from}");
        }
    }
}
