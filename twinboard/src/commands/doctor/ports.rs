//! Which serial ports are looked at: those that a person names, or those where a hub would look.

use std::path::PathBuf;

use hub::config::{Config, USUAL_PORTS};
use hub::ports::is_same;

use super::devices::all_given;

/// The patterns that are looked through.
pub(super) fn patterns(named: &[String], config: Option<&Config>) -> Vec<String> {
    match config {
        _ if !named.is_empty() => named.to_vec(),
        Some(config) => config.ports.clone(),
        None => USUAL_PORTS.map(str::to_owned).to_vec(),
    }
}

/// The ports that match, and those that were meant by their very names whether or not something is there: that there is
/// nothing is worth saying.
pub(super) fn find(named: &[String], config: Option<&Config>) -> Vec<PathBuf> {
    let patterns = patterns(named, config);
    let mut ports = hub::ports::find(&patterns);
    let by_name = patterns.iter().filter(|pattern| !pattern.contains('*')).map(PathBuf::from);
    let configured = config.into_iter().filter(|_| named.is_empty()).flat_map(all_given);
    for port in by_name.chain(configured.filter_map(|given| given.node.port)) {
        if !ports.iter().any(|known| is_same(known, &port)) {
            ports.push(port);
        }
    }
    ports
}
