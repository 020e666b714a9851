//! The keys of a node that say which driver serves it, and what only some drivers want to know.

use readings::SensorKind;

use super::NodeKind;
use super::check::{Problems, quoted};
use super::raw::{Driver, Files, RawNode};
use crate::drivers::DriverSettings;
use crate::drivers::certabo::rfid::CertaboSettings;
use crate::drivers::chesslink::ChessLinkSettings;
use crate::drivers::chessnut::ChessnutSettings;
use crate::drivers::dgt::DgtSettings;
use crate::drivers::dgt::clock::ClockSettings;

/// Beginning of the ids of boards on a bus; the address follows.
const BUS_ID: &str = "dgt-bus-";
/// The highest address on a bus.
const ADDRESS_MAX: u16 = 0x3FFF;

/// The driver of a node, with all that is wrong about its keys.
pub(super) fn check(key: &str, raw: &RawNode, problems: &mut Problems) -> DriverSettings {
    check_keys(key, raw, problems);
    let default = ClockSettings::default();
    let dgt = DgtSettings {
        clock: raw.clock.unwrap_or(false),
        clock_settings: ClockSettings {
            white: raw.clock_white.unwrap_or(default.white),
            first_time: raw.clock_first_time.unwrap_or(default.first_time),
            low_turn_bit: raw.clock_low_turn_bit.unwrap_or(default.low_turn_bit),
        },
        reversed: raw.reversed,
    };
    let settings = match raw.driver {
        Driver::Twinboard => DriverSettings::Twinboard,
        Driver::Dgt => {
            check_dgt_id(key, &raw.node, problems);
            DriverSettings::Dgt(dgt)
        }
        Driver::DgtBus => DriverSettings::DgtBus(address(key, &raw.node, problems), dgt),
        Driver::Chesslink => DriverSettings::ChessLink(ChessLinkSettings {
            reversed: raw.reversed,
            h_file_first: raw.files.map(|files| files == Files::HFirst),
        }),
        Driver::Chessnut => DriverSettings::Chessnut(ChessnutSettings { reversed: raw.reversed }),
        Driver::Certabo => DriverSettings::Certabo(CertaboSettings {
            reversed: raw.reversed,
            calibrate: raw.calibrate.unwrap_or(false),
        }),
        Driver::Sentio => DriverSettings::Sentio { reversed: raw.reversed.unwrap_or(false) },
    };
    if let Some(sensor) = settings.sensor() {
        check_board(key, raw, sensor, problems);
        if raw.port.is_none() {
            problems.add(
                &format!("{key}.port"),
                "nothing",
                "the hub searches all ports for its own nodes alone",
                "name the device, best by its name under /dev/serial/by-id; of a Chessnut its hidraw device",
            );
        }
    }
    settings
}

/// Keys that the driver does not know are a mistake and are reported.
fn check_keys(key: &str, raw: &RawNode, problems: &mut Problems) {
    use Driver::{Certabo, Chesslink, Chessnut, Dgt, DgtBus, Sentio};
    let wants: [(&str, bool, &[Driver]); 7] = [
        ("clock", raw.clock.is_some(), &[Dgt, DgtBus]),
        ("clock_white", raw.clock_white.is_some(), &[Dgt, DgtBus]),
        ("clock_first_time", raw.clock_first_time.is_some(), &[Dgt, DgtBus]),
        ("clock_low_turn_bit", raw.clock_low_turn_bit.is_some(), &[Dgt, DgtBus]),
        ("reversed", raw.reversed.is_some(), &[Dgt, DgtBus, Chesslink, Chessnut, Certabo, Sentio]),
        ("files", raw.files.is_some(), &[Chesslink]),
        ("calibrate", raw.calibrate.is_some(), &[Certabo]),
    ];
    for (name, given, drivers) in wants {
        if given && !drivers.contains(&raw.driver) {
            problems.add(
                &format!("{key}.{name}"),
                "given",
                format!("means nothing to driver {:?}", raw.driver.name()),
                "remove it, or name the driver that it is for",
            );
        }
    }
}

/// Boards of other makers are boards without trays, which may bring a clock.
fn check_board(key: &str, raw: &RawNode, sensor: SensorKind, problems: &mut Problems) {
    let driver = raw.driver.name();
    if raw.kind == NodeKind::Clock {
        problems.add(
            &format!("{key}.kind"),
            "\"clock\"",
            format!("driver {driver:?} serves boards"),
            "write kind = \"board\", and clock = true if the board brings its clock",
        );
    }
    if raw.sensor.is_some_and(|said| said != sensor) {
        problems.add(
            &format!("{key}.sensor"),
            quoted(crate::session::sensor_name(raw.sensor.unwrap_or(sensor))),
            format!("is not what driver {driver:?} reads"),
            format!("remove it: it is {:?}", crate::session::sensor_name(sensor)),
        );
    }
    if raw.trays {
        problems.add(
            &format!("{key}.trays"),
            "true",
            format!("driver {driver:?} knows no trays"),
            "remove it",
        );
    }
}

fn check_dgt_id(key: &str, id: &str, problems: &mut Problems) {
    if !id.starts_with("dgt-") || id.starts_with(BUS_ID) {
        problems.add(
            &format!("{key}.node"),
            quoted(id),
            "not the id of a DGT board",
            "write \"dgt-\" and its serial number, as the hub's log names it",
        );
    }
}

fn address(key: &str, id: &str, problems: &mut Problems) -> u16 {
    let address = id.strip_prefix(BUS_ID).and_then(|number| number.parse().ok());
    match address.filter(|address| (1..=ADDRESS_MAX).contains(address)) {
        Some(address) => address,
        None => {
            problems.add(
                &format!("{key}.node"),
                quoted(id),
                "not the id of a DGT board on a bus",
                format!("write \"{BUS_ID}\" and its address, 1 to {ADDRESS_MAX}"),
            );
            1
        }
    }
}
