//! The choice of plugged-in devices to serve: those that no port of the configuration has, once they were listed twice in a row, as their
//! names do not appear at once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Devices by their own names, and the paths by which they are served.
#[derive(Debug, Default)]
pub struct Discovery {
    /// Devices of the last list.
    seen: BTreeSet<PathBuf>,
    /// Devices that are served, and by which path.
    served: BTreeMap<PathBuf, PathBuf>,
}

impl Discovery {
    /// Compares a list of plugged-in devices, each with its path, with the devices of the configuration's ports. Returns the paths to serve from
    /// now on.
    pub fn take(
        &mut self,
        mut listed: BTreeMap<PathBuf, PathBuf>,
        configured: &BTreeSet<PathBuf>,
    ) -> Vec<PathBuf> {
        listed.retain(|device, _| !configured.contains(device));
        let mut fresh = listed.clone();
        fresh.retain(|device, _| self.seen.contains(device) && !self.served.contains_key(device));
        self.seen = listed.into_keys().collect();
        self.served.extend(fresh.clone());
        fresh.into_values().collect()
    }

    /// A port is not served any more.
    pub fn ended(&mut self, port: &Path) {
        self.served.retain(|_, path| path != port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed<const N: usize>(names: [&str; N]) -> BTreeMap<PathBuf, PathBuf> {
        names.map(|name| (name.into(), format!("by-id-{name}").into())).into()
    }

    #[test]
    fn a_device_is_served_once_after_it_was_listed_twice_and_again_when_its_port_has_ended() {
        let (mut discovery, none) = (Discovery::default(), BTreeSet::new());
        let first = PathBuf::from("by-id-a");
        assert!(discovery.take(listed(["a"]), &none).is_empty());
        assert_eq!(discovery.take(listed(["a"]), &none), [PathBuf::from("by-id-a")]);
        assert!(discovery.take(listed(["a", "b"]), &none).is_empty(), "it is served");
        discovery.ended(&first);
        let both = discovery.take(listed(["a", "b"]), &none);
        assert_eq!(both, [first, PathBuf::from("by-id-b")]);
    }

    #[test]
    fn devices_of_the_configuration_are_not_served_twice() {
        let (mut discovery, configured) = (Discovery::default(), BTreeSet::from(["a".into()]));
        for _ in 0..3 {
            assert!(discovery.take(listed(["a"]), &configured).is_empty());
        }
    }
}
