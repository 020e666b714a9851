//! The driver of a node, with its settings.

use readings::SensorKind;

use super::certabo::rfid::{CertaboSettings, Rfid, TagBook};
use super::certabo::sentio::Sentio;
use super::chesslink::{ChessLink, ChessLinkSettings};
use super::chessnut::{Chessnut, ChessnutSettings};
use super::dgt::frame::Address;
use super::dgt::{Bus, DgtSettings, Single};
use super::{Driver, twinboard::Twinboard};

/// A driver's kind, and its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DriverSettings {
    /// Our own nodes.
    #[default]
    Twinboard,
    /// A DGT board with a line for itself.
    Dgt(DgtSettings),
    /// The DGT board of this address on a line with others.
    DgtBus(Address, DgtSettings),
    /// A Millennium ChessLink.
    ChessLink(ChessLinkSettings),
    /// A Chessnut board.
    Chessnut(ChessnutSettings),
    /// A Certabo board with RFID.
    Certabo(CertaboSettings),
    /// A Sentio board.
    Sentio {
        /// Whether it lies with its eighth rank at White.
        reversed: bool,
    },
}

impl DriverSettings {
    /// A driver for a line with this one device, which shares nothing with others.
    #[must_use]
    pub fn driver(&self) -> Box<dyn Driver> {
        self.driver_with(&TagBook::default())
    }

    fn driver_with(&self, book: &TagBook) -> Box<dyn Driver> {
        match self {
            DriverSettings::Twinboard => Box::new(Twinboard::default()),
            DriverSettings::Dgt(settings) => Box::new(Single::new(*settings)),
            DriverSettings::DgtBus(..) => DriverSettings::driver_of_line([self].into_iter(), book),
            DriverSettings::ChessLink(settings) => Box::new(ChessLink::new(*settings)),
            DriverSettings::Chessnut(settings) => Box::new(Chessnut::new(*settings)),
            DriverSettings::Certabo(settings) => Box::new(Rfid::new(*settings, book.clone())),
            DriverSettings::Sentio { reversed } => Box::new(Sentio::new(*reversed)),
        }
    }

    /// A driver for a line with all these devices: one, or several of a bus. What any board has learnt of pieces' tags
    /// stands in `book`.
    #[must_use]
    pub fn driver_of_line<'a>(
        devices: impl Iterator<Item = &'a DriverSettings> + Clone,
        book: &TagBook,
    ) -> Box<dyn Driver> {
        match devices.clone().next() {
            Some(DriverSettings::DgtBus(..)) => {
                Box::new(Bus::new(devices.filter_map(|device| match device {
                    DriverSettings::DgtBus(address, settings) => Some((*address, *settings)),
                    _ => None,
                })))
            }
            Some(device) => device.driver_with(book),
            None => DriverSettings::default().driver(),
        }
    }

    /// Kind of sensors of its boards' squares; none if that depends on the board.
    #[must_use]
    pub fn sensor(&self) -> Option<SensorKind> {
        match self {
            DriverSettings::Twinboard => None,
            DriverSettings::Sentio { .. } => Some(SensorKind::Reed),
            DriverSettings::Dgt(_)
            | DriverSettings::DgtBus(..)
            | DriverSettings::ChessLink(_)
            | DriverSettings::Chessnut(_)
            | DriverSettings::Certabo(_) => Some(SensorKind::PieceId),
        }
    }

    /// Whether the board brings its clock.
    #[must_use]
    pub fn brings_clock(&self) -> bool {
        match self {
            DriverSettings::Dgt(settings) | DriverSettings::DgtBus(_, settings) => settings.clock,
            _ => false,
        }
    }

    /// Largest delay of a board's report of a square, milliseconds; none for our own, which report at once. Rounded up from what
    /// the simulated devices were measured to do on lines of their speed (`docs/decisions/0013-drivers.md`).
    #[must_use]
    pub fn scan_ms(&self) -> Option<u32> {
        match self {
            DriverSettings::Twinboard => None,
            // A scan, behind all squares on the line.
            DriverSettings::Dgt(_) => Some(350),
            // A scan, and waiting to be asked.
            DriverSettings::DgtBus(..) => Some(600),
            // Waiting to be asked, and a scan.
            DriverSettings::ChessLink(_) => Some(250),
            // A report.
            DriverSettings::Chessnut(_) => Some(300),
            // A scan, and some 700 characters.
            DriverSettings::Certabo(_) => Some(700),
            DriverSettings::Sentio { .. } => Some(150),
        }
    }

    /// Resolution of that clock's times, milliseconds; none for our own, which are exact.
    #[must_use]
    pub fn clock_resolution_ms(&self) -> Option<u32> {
        self.brings_clock().then_some(1_000)
    }
}
