//! The power supply of the hub's machine. A small computer whose supply is too weak loses disks and USB ports in the middle of a round. A
//! Raspberry Pi measures its voltage, and the kernel publishes that.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, interval};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::metrics::Machine;
use crate::troubles::Troubles;

/// Folder of Linux's sensors. That of a Raspberry Pi's supply has this name, and a file that is 1 while the voltage is too low.
const SENSORS: &str = "/sys/class/hwmon";
const SENSOR_NAME: &str = "rpi_volt";
const SENSOR_ALARM: &str = "in0_lcrit_alarm";
/// File with the flags of a Raspberry Pi's firmware, in hexadecimal digits.
const FIRMWARE: &str = "/sys/devices/platform/soc/soc:firmware/get_throttled";
/// Flags for a voltage that is too low now, and that was at any time since the machine was started.
const LOW_NOW: u32 = 1;
const LOW_ONCE: u32 = 1 << 16;
/// Time between two readings.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Time after the last dip until the supply counts as well again: dips are short, and recur when disks and boards draw most.
const WELL_AFTER: Duration = Duration::from_secs(300);
const WORDS: &str = "its power supply is too weak or its cable too thin (the voltage dips): use the maker's supply, and give boards and \
                     clocks a powered USB hub";

/// State of the supply as the kernel publishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Supply {
    is_low: bool,
    /// Whether the voltage was low since the machine was started.
    was_low: bool,
}

/// Reads the kernel's files; `None` where it has none.
fn supply(sensors: &Path, firmware: &Path) -> Option<Supply> {
    let alarm = alarm_file(sensors).and_then(|file| fs::read_to_string(file).ok());
    let alarm = alarm.and_then(|text| text.trim().parse::<u32>().ok());
    let noticed = fs::read_to_string(firmware).ok();
    let noticed =
        noticed.and_then(|text| u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok());
    if alarm.is_none() && noticed.is_none() {
        return None;
    }
    let is_low =
        alarm.is_some_and(|alarm| alarm != 0) || noticed.is_some_and(|it| it & LOW_NOW != 0);
    Some(Supply { is_low, was_low: is_low || noticed.is_some_and(|it| it & LOW_ONCE != 0) })
}

fn alarm_file(sensors: &Path) -> Option<PathBuf> {
    let folders = fs::read_dir(sensors).ok()?.flatten().map(|entry| entry.path());
    let is_it = |folder: &PathBuf| {
        fs::read_to_string(folder.join("name")).is_ok_and(|name| name.trim() == SENSOR_NAME)
    };
    folders.into_iter().find(is_it).map(|folder| folder.join(SENSOR_ALARM))
}

/// Dips that were seen so far.
#[derive(Debug, Default)]
struct Dips {
    before: Option<Supply>,
    last: Option<Instant>,
}

impl Dips {
    /// Takes what is read now. Whether people are to know of a dip.
    fn take(&mut self, now: Instant, supply: Supply) -> bool {
        // A dip between two looks leaves its mark, once.
        let between = supply.was_low && self.before.is_some_and(|before| !before.was_low);
        self.before = Some(supply);
        if supply.is_low || between {
            self.last = Some(now);
        }
        self.last.is_some_and(|last| now.duration_since(last) < WELL_AFTER)
    }
}

/// Looks at the supply until `shutdown`, and tells when it is too weak.
pub(crate) async fn watch(troubles: Troubles, machine: Machine, shutdown: CancellationToken) {
    let mut tick = interval(LOOK_EVERY);
    let (mut dips, mut said) = (Dips::default(), false);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = shutdown.cancelled() => return,
        }
        let read = || supply(Path::new(SENSORS), Path::new(FIRMWARE));
        let Ok(Some(supply)) = tokio::task::spawn_blocking(read).await else { continue };
        machine.set_low_voltage(supply.is_low);
        let is_weak = dips.take(Instant::now(), supply);
        if std::mem::replace(&mut said, is_weak) != is_weak {
            match is_weak {
                true => warn!("the hub's power is weak: {WORDS}"),
                false => info!("the hub's power supply has been well for {WELL_AFTER:?}"),
            }
            troubles.tell("power", is_weak.then(|| WORDS.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sensor_of_the_supply_is_found_among_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let nothing = folder.path().join("nothing");
        assert_eq!(supply(folder.path(), &nothing), None);
        for (number, name) in ["cpu_thermal", "rpi_volt"].into_iter().enumerate() {
            let sensor = folder.path().join(format!("hwmon{number}"));
            fs::create_dir(&sensor).expect("a folder");
            fs::write(sensor.join("name"), format!("{name}\n")).expect("a file");
            fs::write(sensor.join(SENSOR_ALARM), format!("{number}\n")).expect("a file");
        }
        let low = Supply { is_low: true, was_low: true };
        assert_eq!(supply(folder.path(), &nothing), Some(low));
    }

    #[test]
    fn the_firmwares_word_says_now_and_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("get_throttled");
        for (text, is_low, was_low) in [
            ("0\n", false, false),
            ("50005", true, true),
            ("0x50000\n", false, true),
            ("8", false, false),
        ] {
            fs::write(&file, text).expect("a file");
            assert_eq!(supply(folder.path(), &file), Some(Supply { is_low, was_low }), "{text}");
        }
        fs::write(&file, "no number").expect("a file");
        assert_eq!(supply(folder.path(), &file), None);
    }

    #[test]
    fn a_dip_is_told_for_some_minutes_also_one_between_two_looks() {
        let mut dips = Dips::default();
        let begin = Instant::now();
        let mut take = |after_s: u64, is_low: bool, was_low: bool| {
            dips.take(begin + Duration::from_secs(after_s), Supply { is_low, was_low })
        };
        assert!(!take(0, false, false));
        assert!(take(5, false, true), "between two looks");
        assert!(take(200, false, true));
        assert!(!take(306, false, true), "and not for ever");
        assert!(take(400, true, true));
        // A mark of before this hub was started says nothing of now.
        assert!(!Dips::default().take(begin, Supply { is_low: false, was_low: true }));
    }
}
