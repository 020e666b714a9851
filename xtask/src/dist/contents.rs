//! What a package must hold, known from the project's folder `deploy/` and not from the packer's list: whoever adds a file there
//! and forgets to pack it, or packs another, is told.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::package::{FIRMWARE, FIRMWARE_PLACE, INSTALL_SCRIPT};
use crate::workspace::root;

/// Folder of what is installed besides the program.
const DEPLOY: &str = "deploy";
const LICENSE: &str = "LICENSE";
/// Page of the build guide that names the image of each wiring.
const IMAGES_GUIDE: &str = "docs/hardware/flashing.md";

/// Holds an unpacked tarball to what is to be installed, each file under its own name.
///
/// # Errors
///
/// Which file is missing or another.
pub(super) fn hold_tarball(unpacked: &Path) -> Result<(), String> {
    for file in wanted()? {
        let name = file.file_name().unwrap_or_default();
        let packed = fs::read(unpacked.join(name));
        if packed.ok() != Some(read(&file)?) {
            return Err(format!("the tarball has no {}", file.display()));
        }
    }
    hold_images(&unpacked.join(FIRMWARE))
}

/// Holds a folder to the nodes' images: each wiring of the build guide has one.
fn hold_images(folder: &Path) -> Result<(), String> {
    for name in images_of_guide()? {
        let image = folder.join(format!("{name}.uf2"));
        if !fs::metadata(&image).is_ok_and(|image| image.len() > 0) {
            return Err(format!("{} is missing, which {IMAGES_GUIDE} names", image.display()));
        }
    }
    Ok(())
}

/// The names of the images in the build guide.
fn images_of_guide() -> Result<Vec<String>, String> {
    let guide = read(&root().join(IMAGES_GUIDE))?;
    let guide = String::from_utf8_lossy(&guide);
    let is_image = |name: &&str| name.starts_with("pico-") && !name.contains(['.', ' ']);
    let named: Vec<String> = guide.split('`').filter(is_image).map(str::to_owned).collect();
    if named.is_empty() { Err(format!("{IMAGES_GUIDE} names no image")) } else { Ok(named) }
}

/// Holds the files of an installed package to what is to be installed, each in the folder where the system looks for its kind.
///
/// # Errors
///
/// Which file is missing, another, or elsewhere.
pub(super) fn hold_installed(tree: &Path) -> Result<(), String> {
    for file in wanted()?.into_iter().filter(|file| !file.ends_with(INSTALL_SCRIPT)) {
        let wanted = read(&file)?;
        let place = place(&file);
        let installed = files(&tree.join(place))
            .map_err(|error| format!("the package has no /{place}: {error}"))?;
        if !installed.iter().any(|one| fs::read(one).is_ok_and(|bytes| bytes == wanted)) {
            return Err(format!("the package has no {} in /{place}", file.display()));
        }
    }
    hold_images(&tree.join(FIRMWARE_PLACE))
}

/// Where systemd, udev, and Debian's users look for a file of this kind.
pub(super) fn place(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("service") => "usr/lib/systemd/system",
        Some("rules") => "usr/lib/udev/rules.d",
        Some("toml" | "conf") => "usr/share/doc/twinboard/examples",
        _ => "usr/share/doc/twinboard",
    }
}

/// What is to be installed.
fn wanted() -> Result<Vec<PathBuf>, String> {
    let folder = root().join(DEPLOY);
    let mut wanted =
        files(&folder).map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    if wanted.is_empty() {
        return Err(format!("{} is empty", folder.display()));
    }
    wanted.push(root().join(LICENSE));
    Ok(wanted)
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths = entries.collect::<std::io::Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| path.is_file()).collect())
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with everything that is wanted, each file where `place` puts it, and the nodes' images in `images`.
    fn packed(name: &str, images: &str, place: impl Fn(&Path) -> PathBuf) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("twinboard-{name}-{}", std::process::id()));
        for file in wanted().unwrap() {
            let place = folder.join(place(&file));
            fs::create_dir_all(&place).unwrap();
            fs::copy(&file, place.join(file.file_name().unwrap())).unwrap();
        }
        fs::create_dir_all(folder.join(images)).unwrap();
        for image in images_of_guide().unwrap() {
            fs::write(folder.join(images).join(format!("{image}.uf2")), "image").unwrap();
        }
        folder
    }

    #[test]
    fn a_tarball_that_lacks_a_file_or_has_an_old_one_is_refused() {
        let folder = packed("tarball", FIRMWARE, |_| PathBuf::new());
        assert_eq!(hold_tarball(&folder), Ok(()));
        fs::write(folder.join("hub.service"), "[Service]\n").unwrap();
        assert!(hold_tarball(&folder).unwrap_err().contains("hub.service"));
        fs::remove_file(folder.join("hub.service")).unwrap();
        assert!(hold_tarball(&folder).unwrap_err().contains("hub.service"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_tarball_without_the_image_of_a_wiring_is_refused() {
        let folder = packed("images", FIRMWARE, |_| PathBuf::new());
        fs::write(folder.join(FIRMWARE).join("pico-clock.uf2"), "").unwrap();
        assert!(hold_tarball(&folder).unwrap_err().contains("pico-clock.uf2"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_package_that_lacks_a_file_or_has_it_elsewhere_is_refused() {
        let tree = packed("package", FIRMWARE_PLACE, |file| PathBuf::from(place(file)));
        assert_eq!(hold_installed(&tree), Ok(()));
        let rules = tree.join("usr/lib/udev/rules.d/60-twinboard.rules");
        fs::rename(rules, tree.join("usr/share/doc/twinboard/60-twinboard.rules")).unwrap();
        assert!(hold_installed(&tree).unwrap_err().contains("60-twinboard.rules"));
        fs::remove_dir_all(tree).unwrap();
    }
}
