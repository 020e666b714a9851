//! The processor that an image is for and that a drive in boot mode belongs to: the Pico's or the Pico 2's.
//!
//! A boot mode ignores an image of another processor's family without a word, so both are compared before anything is written.

use std::fmt;

/// A processor that has images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chip {
    /// RP2040, of the Pico.
    Rp2040,
    /// RP2350, of the Pico 2.
    Rp2350,
}

impl Chip {
    pub(super) const ALL: [Chip; 2] = [Chip::Rp2040, Chip::Rp2350];

    /// The processor of a UF2 family (microsoft/uf2, uf2families.json); `None` for one that has no images. The Pico 2's other families,
    /// of its RISC-V cores and of data outside partitions, are none of an image that this project builds.
    pub(super) fn of_family(family: u32) -> Option<Chip> {
        match family {
            0xe48b_ff56 => Some(Chip::Rp2040),
            0xe48b_ff59 => Some(Chip::Rp2350),
            _ => None,
        }
    }

    /// The processor of a boot mode's INFO_UF2.TXT, by its line `Board-ID` (RP2040 datasheet, 2.8.4.2; RP2350 datasheet, 5.5.2).
    pub(super) fn of_board(info: &str) -> Option<Chip> {
        let board = info.lines().find_map(|line| line.trim().strip_prefix("Board-ID:"))?.trim();
        Chip::ALL.into_iter().find(|chip| chip.board() == board)
    }

    /// Name in its boot mode: the board's, and the label of its drive.
    pub(super) fn board(self) -> &'static str {
        match self {
            Chip::Rp2040 => "RPI-RP2",
            Chip::Rp2350 => "RP2350",
        }
    }

    /// Beginning of the names of the build guide's images.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Chip::Rp2040 => "pico-",
            Chip::Rp2350 => "pico2-",
        }
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Chip::Rp2040 => "Pico",
            Chip::Rp2350 => "Pico 2",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_known_by_its_id_alone() {
        let info = "UF2 Bootloader v1.0\r\nModel: Raspberry Pi RP2350\r\nBoard-ID: RP2350\r\n";
        assert_eq!(Chip::of_board(info), Some(Chip::Rp2350));
        assert_eq!(
            Chip::of_board("Model: Raspberry Pi RP2\nBoard-ID: RPI-RP2"),
            Some(Chip::Rp2040)
        );
        for other in
            ["", "Model: RP2350 carrier\nBoard-ID: SAMD21G18A-Feather", "Board-ID: RP2350-X"]
        {
            assert_eq!(Chip::of_board(other), None, "{other}");
        }
    }
}
