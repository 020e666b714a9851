//! The drive as which a Pico shows itself in its boot mode, and the copying of an image onto it.
//!
//! It holds a file INFO_UF2.TXT that names the board, takes one UF2 file, writes it into its flash and vanishes (RP2040 datasheet, 2.8.4.1;
//! RP2350 datasheet, 5.5).

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::chip::Chip;
use super::image::Image;

const INFO: &str = "INFO_UF2.TXT";
const MOUNTS: &str = "/proc/self/mounts";
/// Folder of devices by the labels of their file systems: a drive that nothing has mounted is found there.
const BY_LABEL: &str = "/dev/disk/by-label";
/// Longest wait for the drive to vanish after the copy.
pub(super) const VANISHES_WITHIN: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A Pico's drive.
#[derive(Debug)]
pub(super) struct Drive {
    folder: PathBuf,
    chip: Chip,
    /// Folder that this program made to mount the drive on; unmounted and removed with it.
    mounted: bool,
}

impl Drive {
    /// The connected drive, mounted if this program may do that; `None` if no Pico is in its boot mode.
    ///
    /// # Errors
    ///
    /// Several boards are in their boot mode, or the drive cannot be mounted.
    pub(super) fn find() -> Result<Option<Drive>> {
        let mounts = fs::read_to_string(MOUNTS).with_context(|| format!("cannot read {MOUNTS}"))?;
        let drives: Vec<PathBuf> =
            folders(&mounts).into_iter().filter(|folder| folder.join(INFO).is_file()).collect();
        match drives.as_slice() {
            [] => {
                let label = |chip: &Chip| Path::new(BY_LABEL).join(chip.board());
                let unmounted = Chip::ALL.iter().map(label).find(|device| device.exists());
                unmounted.as_deref().map(mount).transpose()
            }
            [folder] => Drive::at(folder).map(Some),
            _ => bail!("{} boards are in their boot mode: unplug all but one", drives.len()),
        }
    }

    /// The drive in a folder.
    ///
    /// # Errors
    ///
    /// It is no drive of a Pico or a Pico 2.
    pub(super) fn at(folder: &Path) -> Result<Drive> {
        let info = fs::read_to_string(folder.join(INFO)).with_context(|| {
            format!("{} is no drive of a board in its boot mode", folder.display())
        })?;
        let Some(chip) = Chip::of_board(&info) else {
            bail!("{} is the drive of another board, not of a Pico", folder.display());
        };
        Ok(Drive { folder: folder.to_owned(), chip, mounted: false })
    }

    /// Copies an image onto the drive and waits until the Pico has it, at most for `patience`.
    ///
    /// # Errors
    ///
    /// The image is for another processor, it cannot be written, or the Pico stays in its boot mode.
    pub(super) fn write(&self, image: &Image, patience: Duration) -> Result<()> {
        if image.chip != self.chip {
            bail!(
                "{} is for a {}, and the board in its boot mode is a {}: take the image of the same wiring whose name \
                 begins with {}",
                image.name,
                image.chip,
                self.chip,
                self.chip.prefix()
            );
        }
        let path = self.folder.join(format!("{}.uf2", image.name));
        let mut file = File::create(&path).with_context(|| {
            format!("cannot write {}: may this user write there?", path.display())
        })?;
        file.write_all(&image.bytes).with_context(|| format!("cannot write {}", path.display()))?;
        // The Pico may be gone before this is answered: that it has vanished is the proof, not the answer.
        let _ = file.sync_all();
        drop(file);
        let deadline = Instant::now() + patience;
        while fs::read(self.folder.join(INFO)).is_ok() {
            if Instant::now() > deadline {
                bail!(
                    "the Pico has not accepted {}: unplug it, hold BOOTSEL, plug it in, and try again",
                    image.name
                );
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        if self.mounted {
            unmount(&self.folder);
        }
    }
}

/// Unmounts what [`mount`] mounted, and removes its folder.
fn unmount(folder: &Path) {
    let _ = Command::new("umount").arg("--lazy").arg(folder).output();
    let _ = fs::remove_dir(folder);
}

/// Mounts the drive on a folder of its own, which root may.
fn mount(device: &Path) -> Result<Drive> {
    let folder = std::env::temp_dir().join(format!("twinboard-pico-{}", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let output = Command::new("mount").arg(device).arg(&folder).output();
    if output.is_ok_and(|output| output.status.success()) {
        return match Drive::at(&folder) {
            Ok(mut drive) => {
                drive.mounted = true;
                Ok(drive)
            }
            Err(error) => {
                unmount(&folder);
                Err(error)
            }
        };
    }
    let _ = fs::remove_dir(&folder);
    bail!(
        "a Pico is in its boot mode, and its drive is not mounted: run this command with sudo, or \
         `udisksctl mount --block-device {}` first",
        device.display()
    )
}

/// The folders of a list of mounts that hold a file system of the kind that a boot mode shows.
fn folders(mounts: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for line in mounts.lines() {
        if let [_, folder, "vfat" | "msdos", ..] = line.split(' ').collect::<Vec<_>>()[..] {
            folders.push(PathBuf::from(folder.replace("\\040", " ")));
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::flash::image::tests::container;

    fn clock(chip: Chip) -> Image {
        Image { name: format!("{}clock", chip.prefix()), chip, bytes: container(2, 0xe48b_ff56) }
    }

    #[test]
    fn an_image_for_the_other_pico_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        for (drive, image) in [(Chip::Rp2040, Chip::Rp2350), (Chip::Rp2350, Chip::Rp2040)] {
            fs::write(folder.path().join(INFO), format!("Board-ID: {}", drive.board())).unwrap();
            let refused = Drive::at(folder.path())
                .unwrap()
                .write(&clock(image), VANISHES_WITHIN)
                .unwrap_err()
                .to_string();
            assert!(
                refused.contains(&format!("the board in its boot mode is a {drive}")),
                "{refused}"
            );
            assert!(refused.ends_with(drive.prefix()), "{refused}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_drives_of_the_kind_of_a_boot_mode_are_looked_at() {
        let mounts = "/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /media/my\\040pi/RPI-RP2 vfat rw 0 0\n";
        assert_eq!(folders(mounts), [PathBuf::from("/media/my pi/RPI-RP2")]);
    }

    #[test]
    fn the_drive_of_another_board_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = |info: &str| {
            fs::write(folder.path().join(INFO), info).unwrap();
            Drive::at(folder.path()).unwrap_err().to_string()
        };
        assert!(refusal("Board-ID: SAMD21G18A-Feather").contains("another board"));
    }

    #[test]
    fn a_pico_that_keeps_its_drive_has_not_accepted_the_image() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(INFO), "Board-ID: RPI-RP2").unwrap();
        let drive = Drive::at(folder.path()).unwrap();
        let image = clock(Chip::Rp2040);
        let info = folder.path().join(INFO);
        let vanishing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            fs::remove_file(info).unwrap();
        });
        drive.write(&image, VANISHES_WITHIN).unwrap();
        vanishing.join().unwrap();
        assert_eq!(fs::read(folder.path().join("pico-clock.uf2")).unwrap(), image.bytes);
        fs::write(folder.path().join(INFO), "Board-ID: RPI-RP2").unwrap();
        let refused = drive.write(&image, LOOK_EVERY).unwrap_err().to_string();
        assert!(refused.contains("has not accepted"), "{refused}");
    }
}
