//! Which serial ports there are: paths that match the patterns, each device once, under its most telling name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Where serial devices appear on Linux; the names that stay the same come first.
pub(super) const PATTERNS: [&str; 3] = ["/dev/serial/by-id/*", "/dev/ttyACM*", "/dev/ttyUSB*"];

/// The ports that match, in order of the patterns, then of their names. A path without `*` is taken as it is.
pub(super) fn find(patterns: &[String]) -> Vec<PathBuf> {
    let mut known = HashSet::new();
    let mut ports = Vec::new();
    for pattern in patterns {
        let mut matching = matching(pattern);
        matching.sort();
        for port in matching {
            // Two names of one device lead to one place.
            let device = port.canonicalize().unwrap_or_else(|_| port.clone());
            if known.insert(device) {
                ports.push(port);
            }
        }
    }
    ports
}

/// Paths whose last part matches a pattern with at most one `*`.
fn matching(pattern: &str) -> Vec<PathBuf> {
    let path = Path::new(pattern);
    let (Some(folder), Some(name)) =
        (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    let Some((start, end)) = name.split_once('*') else { return vec![path.to_owned()] };
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(here) else { return Vec::new() };
    let fits = |name: &str| {
        name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| fits(name)).map(|name| folder.join(name)).collect()
}
