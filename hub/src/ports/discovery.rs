//! Which serial devices are plugged in: looked for again and again by the patterns of the configuration, each device once,
//! however many names it has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Interval between two searches. A device is opened when two searches have found it: its names do not appear at once.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Maximum number of devices that are considered; more than a hub has sockets for.
const DEVICES_MAX: usize = 64;

/// The devices that this hub has open, by their own names: none is opened twice, whatever link leads to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Devices(Arc<Mutex<BTreeSet<PathBuf>>>);

/// The right to open a device; ends when dropped.
#[derive(Debug)]
pub(super) struct Lease {
    devices: Devices,
    device: PathBuf,
}

impl Devices {
    /// The right to open what `path` leads to; none while another port of this hub has it.
    pub(super) fn lease(&self, path: &Path) -> Option<Lease> {
        let device = device(path);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(device.clone()).then(|| Lease { devices: self.clone(), device })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut open = self.devices.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(&self.device);
    }
}

/// A device's own name; the path itself if it leads nowhere.
fn device(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether two paths lead to one device.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    one == other || device(one) == device(other)
}

/// The serial devices that match these patterns, each once, under the first name by which it is found: in the order of the
/// patterns, then of the names.
#[must_use]
pub fn find(patterns: &[String]) -> Vec<PathBuf> {
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for pattern in patterns {
        // A folder that is missing, or may not be read, holds no device; a text that is no pattern matches none.
        let paths = glob::glob(pattern).into_iter().flatten().flatten();
        // A link without a target is left over from a device that was unplugged.
        for path in paths.filter(|path| path.exists()).take(DEVICES_MAX) {
            if known.insert(device(&path)) {
                found.push(path);
            }
        }
    }
    found
}

/// Looks for devices.
#[derive(Debug)]
pub(super) struct Discovery {
    patterns: Vec<String>,
    /// Ports of the configuration, which have tasks of their own.
    configured: Vec<PathBuf>,
    /// Devices of the last look.
    seen: BTreeSet<PathBuf>,
    /// Devices with a task.
    served: BTreeMap<PathBuf, PathBuf>,
}

impl Discovery {
    pub(super) fn new(patterns: &[String], configured: Vec<PathBuf>) -> Discovery {
        let (seen, served) = (BTreeSet::new(), BTreeMap::new());
        Discovery { patterns: patterns.to_vec(), configured, seen, served }
    }

    /// The ports to serve from now on: devices that were found for the second time and have no task.
    pub(super) fn look(&mut self) -> Vec<PathBuf> {
        let configured: BTreeSet<PathBuf> =
            self.configured.iter().map(|path| device(path)).collect();
        let mut found: BTreeMap<PathBuf, PathBuf> =
            find(&self.patterns).into_iter().map(|path| (device(&path), path)).collect();
        found.retain(|device, _| !configured.contains(device));
        let fresh: Vec<(PathBuf, PathBuf)> = found
            .iter()
            .filter(|(device, _)| self.seen.contains(*device) && !self.served.contains_key(*device))
            .map(|(device, path)| (device.clone(), path.clone()))
            .collect();
        self.seen = found.into_keys().collect();
        self.served.extend(fresh.iter().cloned());
        fresh.into_iter().map(|(_, path)| path).collect()
    }

    /// The task of a port has ended.
    pub(super) fn ended(&mut self, port: &Path) {
        self.served.retain(|_, path| path != port);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn touch(path: &Path) {
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn a_device_is_served_once_under_its_first_name_after_it_was_seen_twice() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let pattern = |name: &str| at(name).to_str().unwrap().to_owned();
        touch(&at("ttyACM0"));
        symlink(at("ttyACM0"), at("by-id-board")).unwrap();
        let mut discovery = Discovery::new(&[pattern("by-id-*"), pattern("ttyACM*")], Vec::new());
        assert_eq!(discovery.look(), Vec::<PathBuf>::new());
        assert_eq!(discovery.look(), [at("by-id-board")]);
        assert_eq!(discovery.look(), Vec::<PathBuf>::new(), "it has a task");
        discovery.ended(&at("by-id-board"));
        assert_eq!(discovery.look(), [at("by-id-board")], "it is still there");
        touch(&at("ttyACM1"));
        assert_eq!(discovery.look(), Vec::<PathBuf>::new());
        assert_eq!(discovery.look(), [at("ttyACM1")]);
    }

    #[test]
    fn devices_of_the_configuration_are_not_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        touch(&at("ttyACM0"));
        symlink(at("ttyACM0"), at("board-a")).unwrap();
        let pattern = at("tty*").to_str().unwrap().to_owned();
        let mut discovery = Discovery::new(&[pattern], vec![at("board-a")]);
        for _ in 0..3 {
            assert_eq!(discovery.look(), Vec::<PathBuf>::new());
        }
    }

    #[test]
    fn a_device_is_opened_once_whatever_link_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let (device, link) = (folder.path().join("ttyACM0"), folder.path().join("board-a"));
        touch(&device);
        symlink(&device, &link).unwrap();
        let devices = Devices::default();
        let lease = devices.lease(&link).unwrap();
        assert!(devices.lease(&device).is_none());
        drop(lease);
        assert!(devices.lease(&device).is_some());
    }
}
