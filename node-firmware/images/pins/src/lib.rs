//! Wires at the GPIOs of the Raspberry Pi Pico and of the ESP32-C3, in one table for each. The board files use their pins, and a test compares the
//! build guide (`docs/hardware/pins.md` and `microcontrollers.md`) with them, so that the soldered wires are the ones that are read.
//!
//! A pin that one wiring reads is driven by no image: whatever image is flashed by mistake, no output works against an output.
//!
//! Each image has a module of named pins and, in [`IMAGES`], the same pins with the words of the build guide.
#![no_std]

/// An image, and the signal at each GPIO it uses, in the words of the build guide.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Its name.
    pub name: &'static str,
    /// GPIO numbers and signals, those that all images share left out.
    pub wires: &'static [(u8, &'static str)],
}

/// Signals that every image has.
pub const COMMON: &[(u8, &str)] = &[
    (UART_TX, "UART TX"),
    (UART_RX, "UART RX"),
    (DIRECTION, "RS-485 direction"),
    (LED, "LED"),
    (SERIAL_STRAP, "serial strap"),
];

/// To the transceiver or the hub's receiver.
pub const UART_TX: u8 = 0;
/// From the transceiver or the hub's transmitter.
pub const UART_RX: u8 = 1;
/// High while this node sends.
pub const DIRECTION: u8 = 22;
/// The light on the Pico.
pub const LED: u8 = 25;
/// To ground: the line is the UART; open: USB.
pub const SERIAL_STRAP: u8 = 26;

/// `pico-reed-matrix`.
pub mod reed_matrix {
    /// Driven rows: ranks 1 to 8, White's tray, Black's tray.
    pub const ROWS: [u8; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 18, 19, 20, 21];
    /// Read columns: files a to h, and a tray's slots modulo 8.
    pub const COLUMNS: [u8; 8] = [10, 11, 12, 13, 14, 15, 16, 17];
    /// To ground: there are no trays.
    pub const TRAY_STRAP: u8 = 27;
}

/// `pico-reed-shift`.
pub mod reed_shift {
    /// Low: the registers take their inputs.
    pub const LOAD: u8 = 2;
    /// Rising: the next bit.
    pub const CLOCK: u8 = 3;
    /// The bit.
    pub const DATA: u8 = 10;
    /// To ground: there are no trays.
    pub const TRAY_STRAP: u8 = 27;
}

/// The ESP32-C3's images. GPIO 11 to 17 belong to its flash chip, 18 and 19 to USB; 2, 8 and 9 must be high when it starts.
pub mod esp32c3 {
    /// The light of the usual modules, lit by a low level.
    pub const LED: u8 = 8;

    /// `esp32c3-reed-shift`.
    pub mod reed_shift {
        /// Low: the registers take their inputs.
        pub const LOAD: u8 = 20;
        /// Rising: the next bit.
        pub const CLOCK: u8 = 21;
        /// The bit.
        pub const DATA: u8 = 6;
        /// To ground: there are no trays.
        pub const TRAY_STRAP: u8 = 7;
    }

    /// `esp32c3-clock`.
    pub mod clock {
        /// White's button.
        pub const WHITE: u8 = 0;
        /// Black's button.
        pub const BLACK: u8 = 1;
        /// Closed while the clock lies.
        pub const TILT: u8 = 3;
        /// Keys: mode, minus, plus, pause.
        pub const MODE: u8 = 4;
        /// Less.
        pub const MINUS: u8 = 5;
        /// More.
        pub const PLUS: u8 = 7;
        /// Stop and go on; the module's own button is at this pin too.
        pub const PAUSE: u8 = 9;
        /// White's display.
        pub const WHITE_DISPLAY_CLOCK: u8 = 20;
        /// White's display.
        pub const WHITE_DISPLAY_DATA: u8 = 10;
        /// Black's display.
        pub const BLACK_DISPLAY_CLOCK: u8 = 21;
        /// Black's display: behind the module's own pull-up, as the chip needs it when it starts.
        pub const BLACK_DISPLAY_DATA: u8 = 2;
    }
}

/// `pico-hall` and `pico-hall-polarity`.
pub mod hall {
    /// Address lines of the multiplexers, lowest bit first: they select one of sixteen inputs.
    pub const SELECT: [u8; 4] = [2, 3, 4, 5];
    /// Low: this multiplexer is at the analog input; each carries two ranks, from 1.
    pub const ENABLE: [u8; 4] = [6, 7, 8, 9];
    /// Low: the trays' registers take their inputs.
    pub const TRAY_LOAD: u8 = 18;
    /// Rising: the next bit of the trays.
    pub const TRAY_CLOCK: u8 = 19;
    /// The bit.
    pub const TRAY_DATA: u8 = 12;
    /// To ground: there are no trays.
    pub const TRAY_STRAP: u8 = 27;
    /// Input 2 of the converter: the multiplexers' common output.
    pub const ANALOG: u8 = 28;
}

/// `pico-clock` and `pico-clock-characters`.
pub mod clock {
    /// The lever, closed while White's side is down, or White's button.
    pub const WHITE: u8 = 10;
    /// Black's button.
    pub const BLACK: u8 = 11;
    /// Closed while the clock lies.
    pub const TILT: u8 = 12;
    /// The hand sensor at White's side; of two, the one on the board's side of the clock.
    pub const WHITE_HAND: u8 = 13;
    /// The same for Black.
    pub const BLACK_HAND: u8 = 28;
    /// White's hand sensor away from the board, if there are two for each player. Each of these three pins is driven by a board's image,
    /// so a resistor is in series.
    pub const WHITE_HAND_AWAY: u8 = 20;
    /// The same for Black.
    pub const BLACK_HAND_AWAY: u8 = 21;
    /// To ground: there are two hand sensors for each player.
    pub const HAND_STRAP: u8 = 19;
    /// Clock of White's seven-segment display.
    pub const WHITE_DISPLAY_CLOCK: u8 = 8;
    /// Data of White's seven-segment display.
    pub const WHITE_DISPLAY_DATA: u8 = 9;
    /// Clock of Black's seven-segment display.
    pub const BLACK_DISPLAY_CLOCK: u8 = 6;
    /// Data of Black's seven-segment display.
    pub const BLACK_DISPLAY_DATA: u8 = 7;
    /// Data of the character display.
    pub const SDA: u8 = 4;
    /// Clock of the character display.
    pub const SCL: u8 = 5;
    /// The key that changes what is set.
    pub const MODE: u8 = 14;
    /// The key that sets less.
    pub const MINUS: u8 = 15;
    /// The key that sets more.
    pub const PLUS: u8 = 16;
    /// The key that stops both times.
    pub const PAUSE: u8 = 17;
    /// The buzzer.
    pub const BUZZER: u8 = 18;
    /// To ground: two buttons instead of a lever.
    pub const BUTTON_STRAP: u8 = 27;
}

/// Both images for hall sensors.
const HALL: &[(u8, &str)] = &[
    (hall::SELECT[0], "select S0"),
    (hall::SELECT[1], "select S1"),
    (hall::SELECT[2], "select S2"),
    (hall::SELECT[3], "select S3"),
    (hall::ENABLE[0], "enable ranks 1, 2"),
    (hall::ENABLE[1], "enable ranks 3, 4"),
    (hall::ENABLE[2], "enable ranks 5, 6"),
    (hall::ENABLE[3], "enable ranks 7, 8"),
    (hall::TRAY_LOAD, "tray load"),
    (hall::TRAY_CLOCK, "tray clock"),
    (hall::TRAY_DATA, "tray data"),
    (hall::TRAY_STRAP, "tray strap"),
    (hall::ANALOG, "analog in (ADC2)"),
];

/// Every image for the Pico.
pub const IMAGES: [Image; 6] = [
    Image {
        name: "pico-reed-matrix",
        wires: &[
            (reed_matrix::ROWS[0], "row rank 1"),
            (reed_matrix::ROWS[1], "row rank 2"),
            (reed_matrix::ROWS[2], "row rank 3"),
            (reed_matrix::ROWS[3], "row rank 4"),
            (reed_matrix::ROWS[4], "row rank 5"),
            (reed_matrix::ROWS[5], "row rank 6"),
            (reed_matrix::ROWS[6], "row rank 7"),
            (reed_matrix::ROWS[7], "row rank 8"),
            (reed_matrix::ROWS[8], "row White 0–7"),
            (reed_matrix::ROWS[9], "row White 8–15"),
            (reed_matrix::ROWS[10], "row Black 0–7"),
            (reed_matrix::ROWS[11], "row Black 8–15"),
            (reed_matrix::COLUMNS[0], "column file a"),
            (reed_matrix::COLUMNS[1], "column file b"),
            (reed_matrix::COLUMNS[2], "column file c"),
            (reed_matrix::COLUMNS[3], "column file d"),
            (reed_matrix::COLUMNS[4], "column file e"),
            (reed_matrix::COLUMNS[5], "column file f"),
            (reed_matrix::COLUMNS[6], "column file g"),
            (reed_matrix::COLUMNS[7], "column file h"),
            (reed_matrix::TRAY_STRAP, "tray strap"),
        ],
    },
    Image {
        name: "pico-reed-shift",
        wires: &[
            (reed_shift::LOAD, "load"),
            (reed_shift::CLOCK, "clock"),
            (reed_shift::DATA, "data"),
            (reed_shift::TRAY_STRAP, "tray strap"),
        ],
    },
    Image { name: "pico-hall", wires: HALL },
    Image { name: "pico-hall-polarity", wires: HALL },
    Image {
        name: "pico-clock",
        wires: &[
            (clock::WHITE, "lever / White"),
            (clock::BLACK, "Black's button"),
            (clock::TILT, "tilt"),
            (clock::WHITE_HAND, "hand White"),
            (clock::BLACK_HAND, "hand Black"),
            (clock::WHITE_HAND_AWAY, "hand White away"),
            (clock::BLACK_HAND_AWAY, "hand Black away"),
            (clock::HAND_STRAP, "hand strap"),
            (clock::WHITE_DISPLAY_CLOCK, "display White CLK"),
            (clock::WHITE_DISPLAY_DATA, "display White DIO"),
            (clock::BLACK_DISPLAY_CLOCK, "display Black CLK"),
            (clock::BLACK_DISPLAY_DATA, "display Black DIO"),
            (clock::MODE, "key mode"),
            (clock::MINUS, "key minus"),
            (clock::PLUS, "key plus"),
            (clock::PAUSE, "key pause"),
            (clock::BUZZER, "buzzer"),
            (clock::BUTTON_STRAP, "button strap"),
        ],
    },
    Image {
        name: "pico-clock-characters",
        wires: &[
            (clock::WHITE, "lever / White"),
            (clock::BLACK, "Black's button"),
            (clock::TILT, "tilt"),
            (clock::WHITE_HAND, "hand White"),
            (clock::BLACK_HAND, "hand Black"),
            (clock::WHITE_HAND_AWAY, "hand White away"),
            (clock::BLACK_HAND_AWAY, "hand Black away"),
            (clock::HAND_STRAP, "hand strap"),
            (clock::SDA, "display SDA"),
            (clock::SCL, "display SCL"),
            (clock::MODE, "key mode"),
            (clock::MINUS, "key minus"),
            (clock::PLUS, "key plus"),
            (clock::PAUSE, "key pause"),
            (clock::BUZZER, "buzzer"),
            (clock::BUTTON_STRAP, "button strap"),
        ],
    },
];

/// Every image for the ESP32-C3.
pub const ESP32C3_IMAGES: [Image; 2] = [
    Image {
        name: "esp32c3-reed-shift",
        wires: &[
            (esp32c3::LED, "LED"),
            (esp32c3::reed_shift::LOAD, "load"),
            (esp32c3::reed_shift::CLOCK, "clock"),
            (esp32c3::reed_shift::DATA, "data"),
            (esp32c3::reed_shift::TRAY_STRAP, "tray strap"),
        ],
    },
    Image {
        name: "esp32c3-clock",
        wires: &[
            (esp32c3::LED, "LED"),
            (esp32c3::clock::WHITE, "White's button"),
            (esp32c3::clock::BLACK, "Black's button"),
            (esp32c3::clock::TILT, "tilt"),
            (esp32c3::clock::MODE, "key mode"),
            (esp32c3::clock::MINUS, "key minus"),
            (esp32c3::clock::PLUS, "key plus"),
            (esp32c3::clock::PAUSE, "key pause"),
            (esp32c3::clock::WHITE_DISPLAY_CLOCK, "display White CLK"),
            (esp32c3::clock::WHITE_DISPLAY_DATA, "display White DIO"),
            (esp32c3::clock::BLACK_DISPLAY_CLOCK, "display Black CLK"),
            (esp32c3::clock::BLACK_DISPLAY_DATA, "display Black DIO"),
        ],
    },
];
