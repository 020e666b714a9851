//! Equipment of a table: sensors of its boards, and clocks that see hands.

use std::str::FromStr;

use rules::BoardId;

use crate::sensors::{ParseSensorsError, Sensors};

/// Equipment of a table besides lever clocks with a tilt switch: by default reed boards without trays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Equipment {
    /// Whether the clocks see a hand near their sides.
    pub hand_sensors: bool,
    /// Whether they see it with two sensors a player, one on the board's side and one away from it.
    pub hand_sides: bool,
    /// Sensors of the boards. Trays change what hands do (a drop waits until its piece lies in the tray); the kind of sensor
    /// does not.
    pub sensors: Sensors,
}

impl FromStr for Equipment {
    type Err = ParseSensorsError;

    /// As [`Sensors`], with `+trays` at the end for reserve trays at both boards, `+hands` for clocks that see hands, and `+hand-sides` for
    /// clocks that see the side from which they come.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('+');
        let sensors: Sensors = parts.next().unwrap_or_default().parse()?;
        let mut equipment = Equipment { sensors, hand_sensors: false, hand_sides: false };
        for part in parts {
            match part {
                "trays" => equipment.sensors = equipment.sensors.with_trays(&BoardId::ALL),
                "hands" => equipment.hand_sensors = true,
                "hand-sides" => equipment.hand_sides = true,
                _ => return Err(ParseSensorsError::new(text)),
            }
        }
        Ok(equipment)
    }
}
