//! Which driver serves a node, and what it has to know.

use super::{Driver, twinboard};

/// Which driver, and its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DriverSettings {
    /// Our own nodes.
    #[default]
    Twinboard,
}

impl DriverSettings {
    /// A driver for a line.
    #[must_use]
    pub fn driver(&self) -> Box<dyn Driver> {
        match self {
            DriverSettings::Twinboard => Box::new(twinboard::Twinboard::default()),
        }
    }
}
