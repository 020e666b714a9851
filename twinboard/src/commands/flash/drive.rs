//! The drive as which a Pico shows itself in its boot mode, and the copying of an image onto it.
//!
//! It holds a file INFO_UF2.TXT that names the board, takes one UF2 file, writes it into its flash and vanishes (RP2040 datasheet, 2.8.4.1).

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::image::Image;

const INFO: &str = "INFO_UF2.TXT";
/// Name of the boot mode of the Pico's processor in [`INFO`].
const PICO: &str = "RPI-RP2";
/// Name of that of the Pico 2.
const PICO_2: &str = "RP2350";
const MOUNTS: &str = "/proc/self/mounts";
/// The drive's device, where nothing has mounted it.
const BY_LABEL: &str = "/dev/disk/by-label/RPI-RP2";
/// Longest wait for the drive to vanish after the copy.
const VANISHES_WITHIN: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A Pico's drive.
#[derive(Debug)]
pub(super) struct Drive {
    folder: PathBuf,
    /// Folder that this program made to mount the drive on; unmounted and removed with it.
    mounted: bool,
}

impl Drive {
    /// The connected drive, mounted if this program may do that; `None` if no Pico is in its boot mode.
    ///
    /// # Errors
    ///
    /// Several Picos are in their boot mode, it is a Pico 2, or the drive cannot be mounted.
    pub(super) fn find() -> Result<Option<Drive>> {
        let mounts = fs::read_to_string(MOUNTS).with_context(|| format!("cannot read {MOUNTS}"))?;
        let drives: Vec<PathBuf> =
            folders(&mounts).into_iter().filter(|folder| folder.join(INFO).is_file()).collect();
        match drives.as_slice() {
            [] if Path::new(BY_LABEL).exists() => mount().map(Some),
            [] => Ok(None),
            [folder] => Drive::at(folder).map(Some),
            _ => bail!("{} boards are in their boot mode: unplug all but one", drives.len()),
        }
    }

    /// The drive in a folder.
    ///
    /// # Errors
    ///
    /// It is no drive of a Pico.
    pub(super) fn at(folder: &Path) -> Result<Drive> {
        let info = fs::read_to_string(folder.join(INFO)).with_context(|| {
            format!("{} is no drive of a board in its boot mode", folder.display())
        })?;
        if info.contains(PICO_2) {
            bail!("this is a Pico 2, for which there is no image yet: take a Pico or a Pico H");
        }
        if !info.contains(PICO) {
            bail!("{} is the drive of another board, not of a Pico", folder.display());
        }
        Ok(Drive { folder: folder.to_owned(), mounted: false })
    }

    /// Copies an image onto the drive and waits until the Pico has it.
    ///
    /// # Errors
    ///
    /// It cannot be written, or the Pico stays in its boot mode.
    pub(super) fn write(&self, image: &Image) -> Result<()> {
        let path = self.folder.join(format!("{}.uf2", image.name));
        let mut file = File::create(&path).with_context(|| {
            format!("cannot write {}: may this user write there?", path.display())
        })?;
        file.write_all(&image.bytes).with_context(|| format!("cannot write {}", path.display()))?;
        // The Pico may be gone before this is answered: that it has vanished is the proof, not the answer.
        let _ = file.sync_all();
        drop(file);
        let deadline = Instant::now() + VANISHES_WITHIN;
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
            let _ = Command::new("umount").arg("--lazy").arg(&self.folder).output();
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// Mounts the drive on a folder of its own, which root may.
fn mount() -> Result<Drive> {
    let folder = std::env::temp_dir().join(format!("twinboard-pico-{}", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let output = Command::new("mount").arg(BY_LABEL).arg(&folder).output();
    if output.is_ok_and(|output| output.status.success()) {
        // Unmounted again if it turns out to be another board's.
        let drive = Drive { folder, mounted: true };
        Drive::at(&drive.folder)?;
        return Ok(drive);
    }
    let _ = fs::remove_dir(&folder);
    bail!(
        "a Pico is in its boot mode, and its drive is not mounted: run this command with sudo, or \
         `udisksctl mount --block-device {BY_LABEL}` first"
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
        assert!(refusal("Model: Raspberry Pi RP2350\nBoard-ID: RP2350").contains("Pico 2"));
        assert!(refusal("Board-ID: SAMD21G18A-Feather").contains("another board"));
    }

    #[test]
    fn a_pico_that_keeps_its_drive_has_not_accepted_the_image() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(INFO), "Board-ID: RPI-RP2").unwrap();
        let drive = Drive::at(folder.path()).unwrap();
        let image = Image { name: "pico-clock".to_owned(), bytes: container(2, 0xe48b_ff56) };
        let info = folder.path().join(INFO);
        let vanishing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            fs::remove_file(info).unwrap();
        });
        drive.write(&image).unwrap();
        vanishing.join().unwrap();
        assert_eq!(fs::read(folder.path().join("pico-clock.uf2")).unwrap(), image.bytes);
        fs::write(folder.path().join(INFO), "Board-ID: RPI-RP2").unwrap();
        let refused = drive.write(&image).unwrap_err().to_string();
        assert!(refused.contains("has not accepted"), "{refused}");
    }
}
