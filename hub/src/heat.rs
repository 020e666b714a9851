//! Temperature of the hub's machine: a small computer in a closed box slows down, and then stops, in the middle of a round.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::time::interval;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::metrics::Machine;
use crate::troubles::Troubles;

/// Folder in which Linux publishes the machine's temperatures.
const ZONES: &str = "/sys/class/thermal";
/// A Raspberry Pi slows down from 80 °C on and stops at 85 °C; a PC is hot then, too.
const HOT_C: i32 = 80;
/// Below this it is well again: not before, or people are told again and again.
const WELL_C: i32 = 72;
/// Interval between two readings.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Temperature of the machine's hottest zone, °C, if it publishes any.
fn hottest_c(zones: &Path) -> Option<i32> {
    let folders = fs::read_dir(zones).ok()?;
    let zones =
        folders.flatten().filter(|it| it.file_name().to_string_lossy().starts_with("thermal_zone"));
    let read = |zone: fs::DirEntry| fs::read_to_string(zone.path().join("temp")).ok();
    let in_thousandths = zones.filter_map(read).filter_map(|text| text.trim().parse::<i32>().ok());
    // A value beyond these bounds comes from no real sensor.
    in_thousandths.map(|thousandths| thousandths / 1_000).filter(|c| (0..=130).contains(c)).max()
}

/// Whether the machine is hot, when it was or was not before.
const fn is_hot(now_c: i32, was_hot: bool) -> bool {
    now_c >= HOT_C || (was_hot && now_c >= WELL_C)
}

/// Looks at the temperature until `shutdown`, and tells when it is too high.
pub(crate) async fn watch(troubles: Troubles, machine: Machine, shutdown: CancellationToken) {
    let mut tick = interval(LOOK_EVERY);
    let mut was_hot = false;
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = shutdown.cancelled() => return,
        }
        let Ok(Some(now_c)) = tokio::task::spawn_blocking(|| hottest_c(Path::new(ZONES))).await
        else {
            continue;
        };
        machine.set_temperature_c(now_c);
        let hot = is_hot(now_c, was_hot);
        if hot != was_hot {
            was_hot = hot;
            let words =
                "it is too hot and may slow down or stop: open its box, put it out of the sun";
            match hot {
                true => warn!(now_c, "the hub's machine is hot: {words}"),
                false => info!(now_c, "the hub's machine is cool again"),
            }
            troubles.tell("heat", hot.then(|| format!("{words} ({now_c} °C when it was noticed)")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hottest_zone_counts_and_what_is_no_temperature_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let zone = |name: &str, text: &str| {
            let zone = folder.path().join(name);
            fs::create_dir(&zone).expect("a folder");
            fs::write(zone.join("temp"), text).expect("a file");
        };
        assert_eq!(hottest_c(folder.path()), None);
        zone("thermal_zone0", "61700\n");
        zone("thermal_zone1", "83211\n");
        zone("thermal_zone2", "-274000\n");
        zone("thermal_zone3", "none\n");
        zone("cooling_device0", "99000\n");
        assert_eq!(hottest_c(folder.path()), Some(83));
        assert_eq!(hottest_c(&folder.path().join("nowhere")), None);
    }

    #[test]
    fn people_are_told_once_while_it_stays_hot() {
        let told = [60, 79, 80, 78, 73, 71, 75].iter().scan(false, |was_hot, now_c| {
            *was_hot = is_hot(*now_c, *was_hot);
            Some(*was_hot)
        });
        assert_eq!(told.collect::<Vec<_>>(), [false, false, true, true, true, false, false]);
    }
}
