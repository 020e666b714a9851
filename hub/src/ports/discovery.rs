//! The list of plugged-in serial devices by the patterns of the configuration, each device once under all its names. The choice of those that are
//! served from when on is decided in the core ([`hub_core::port::Discovery`]).

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

/// The serial devices that match, by their own names.
pub(super) fn listed(patterns: &[String]) -> BTreeMap<PathBuf, PathBuf> {
    find(patterns).into_iter().map(|path| (device(&path), path)).collect()
}

/// The own names of devices.
pub(super) fn devices(paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    paths.iter().map(|path| device(path)).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn touch(path: &Path) {
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn a_device_is_listed_once_under_its_first_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let pattern = |name: &str| at(name).to_str().unwrap().to_owned();
        touch(&at("ttyACM0"));
        symlink(at("ttyACM0"), at("by-id-board")).unwrap();
        let patterns = [pattern("by-id-*"), pattern("ttyACM*")];
        assert_eq!(find(&patterns), [at("by-id-board")]);
        let own = at("ttyACM0").canonicalize().unwrap();
        assert_eq!(listed(&patterns), BTreeMap::from([(own.clone(), at("by-id-board"))]));
        assert_eq!(devices(&[at("by-id-board")]), BTreeSet::from([own]));
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
