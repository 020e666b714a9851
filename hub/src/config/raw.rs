//! The file as written. Numbers are wide here, so that one out of range gets our message and not
//! the parser's.

use std::path::PathBuf;

use readings::SensorKind;
use rules::DelayKind;
use serde::{Deserialize, Serialize};

use super::NodeKind;
use crate::drivers::dgt::clock::ClockSide;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConfig {
    #[serde(default)]
    pub(super) hub: Hub,
    pub(super) broker: Option<RawBroker>,
    pub(super) gpio: Option<RawGpio>,
    #[serde(default)]
    pub(super) table: Vec<RawTable>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hub {
    pub(super) id: Option<String>,
    pub(super) journal: Option<PathBuf>,
    pub(super) keep_matches: Option<i64>,
    pub(super) ports: Option<Vec<String>>,
    pub(super) metrics_address: Option<String>,
    pub(super) livechess_address: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBroker {
    pub(super) host: String,
    pub(super) port: Option<i64>,
    pub(super) shard: Option<String>,
    pub(super) username: Option<String>,
    pub(super) password_file: Option<PathBuf>,
    pub(super) tls_folder: Option<PathBuf>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTable {
    pub(super) name: String,
    pub(super) game: Option<String>,
    pub(super) rulebook: String,
    pub(super) base_s: Option<i64>,
    pub(super) periods: Option<Vec<Period>>,
    pub(super) increment_s: Option<i64>,
    pub(super) delay_s: Option<i64>,
    pub(super) delay: Option<DelayKind>,
    #[serde(default)]
    pub(super) node: Vec<RawNode>,
    #[serde(default)]
    pub(super) lever: Vec<RawLever>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Period {
    pub(super) base_s: i64,
    pub(super) moves: Option<i64>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLever {
    pub(super) board: String,
    pub(super) pin: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawGpio {
    pub(super) ok_led: Option<i64>,
    pub(super) trouble_led: Option<i64>,
    pub(super) recording_led: Option<i64>,
    pub(super) buzzer: Option<i64>,
    #[serde(default)]
    pub(super) rs485: Vec<RawRs485>,
    #[serde(default)]
    pub(super) call_button: Vec<RawCallButton>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCallButton {
    pub(super) table: String,
    pub(super) pin: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRs485 {
    pub(super) port: PathBuf,
    pub(super) direction: LineDirection,
}

/// Switch of a line's direction.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum LineDirection {
    /// The hub, by this pin.
    Pin(i64),
    /// "rts": the kernel.
    Word(String),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawNode {
    pub(super) board: String,
    pub(super) kind: NodeKind,
    pub(super) sensor: Option<SensorKind>,
    #[serde(default)]
    pub(super) trays: bool,
    pub(super) node: String,
    pub(super) label: Option<String>,
    pub(super) port: Option<PathBuf>,
    #[serde(default)]
    pub(super) driver: Driver,
    pub(super) clock: Option<bool>,
    pub(super) clock_white: Option<ClockSide>,
    pub(super) clock_first_time: Option<ClockSide>,
    pub(super) clock_low_turn_bit: Option<ClockSide>,
    pub(super) reversed: Option<bool>,
    pub(super) files: Option<Files>,
    pub(super) calibrate: Option<bool>,
}

impl RawNode {
    /// A node of our firmware that is found by its id.
    pub(super) fn placed(
        node: String,
        board: &str,
        kind: NodeKind,
        sensor: Option<SensorKind>,
        trays: bool,
    ) -> RawNode {
        RawNode {
            board: board.to_owned(),
            kind,
            sensor,
            trays,
            node,
            label: None,
            port: None,
            driver: Driver::default(),
            clock: None,
            clock_white: None,
            clock_first_time: None,
            clock_low_turn_bit: None,
            reversed: None,
            files: None,
            calibrate: None,
        }
    }
}

/// Drivers by name.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Driver {
    #[default]
    Twinboard,
    Dgt,
    DgtBus,
    Chesslink,
    Chessnut,
    Certabo,
    Sentio,
}

impl Driver {
    /// The value as it is written.
    pub(super) fn name(self) -> &'static str {
        match self {
            Driver::Twinboard => "twinboard",
            Driver::Dgt => "dgt",
            Driver::DgtBus => "dgt-bus",
            Driver::Chesslink => "chesslink",
            Driver::Chessnut => "chessnut",
            Driver::Certabo => "certabo",
            Driver::Sentio => "sentio",
        }
    }
}

/// The file that a board names first.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Files {
    AFirst,
    HFirst,
}
