//! Compares the images with the build guide, which assigns wires to pins. The images must read those pins. An image flashed by mistake
//! must not drive a pin that something else drives.

use std::collections::BTreeMap;
use std::path::Path;

use node_pins::{COMMON, ESP32C3_IMAGES, IMAGES};

/// Electrical role of a pin, in the words of the build guide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// The Pico drives it.
    Drives,
    /// The Pico drives it where the serial strap is joined to ground, which is so whatever the image.
    DrivesIfStrapped,
    /// The Pico pulls it low.
    DrivesLow,
    /// Both ends pull it low, with a resistor in series.
    Shared,
    /// A switch joins it to ground or to a row.
    Contact,
    /// A chip or module drives it.
    PartDrives,
    /// A switch or a part, behind a resistor that limits the current to what an output stands.
    BehindResistor,
}

impl At {
    fn named(words: &str) -> Self {
        match words {
            "drives" => Self::Drives,
            "drives, if strapped" => Self::DrivesIfStrapped,
            "drives low" => Self::DrivesLow,
            "shared, 470 Ω" => Self::Shared,
            "contact" => Self::Contact,
            "a part drives" => Self::PartDrives,
            "contact, 470 Ω" | "a part drives, 470 Ω" => Self::BehindResistor,
            _ => panic!("the guide does not say what {words:?} means"),
        }
    }
}

type Guide = BTreeMap<String, BTreeMap<u8, (String, At)>>;

/// A chip's page of the build guide, and how its images' names begin.
const CHIPS: [(&str, &str); 2] = [("pins.md", "pico-"), ("microcontrollers.md", "esp32c3-")];

/// Signals by GPIO of each image, as the tables of a page of the build guide have them.
fn guide((page, names): (&str, &str)) -> Guide {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/hardware").join(page);
    let page = std::fs::read_to_string(page).unwrap();
    let mut images = Guide::new();
    let mut image = None;
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let name = heading.trim_matches('`');
            image = name.starts_with(names).then(|| name.to_owned());
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if let (Some(image), [gpio, signal, at]) = (&image, &cells[..])
            && let Some(number) = gpio.strip_prefix("GP").and_then(|digits| digits.parse().ok())
        {
            let wires = images.entry(image.clone()).or_default();
            let twice = wires.insert(number, ((*signal).to_owned(), At::named(at)));
            assert_eq!(twice, None, "{image}: GP{number} stands there twice");
        }
    }
    images
}

#[test]
fn every_image_reads_the_pins_that_the_build_guide_names() {
    let of_pico = IMAGES.iter().map(|image| (image, COMMON));
    let of_esp32c3 = ESP32C3_IMAGES.iter().map(|image| (image, &[][..]));
    let mut wired = BTreeMap::new();
    for (image, common) in of_pico.chain(of_esp32c3) {
        let wires = common.iter().chain(image.wires);
        let wires = wires.map(|&(gpio, signal)| (gpio, signal.to_owned()));
        wired.insert(image.name.to_owned(), wires.collect::<BTreeMap<_, _>>());
    }
    let signals = |wires: BTreeMap<u8, (String, At)>| {
        wires.into_iter().map(|(gpio, (signal, _))| (gpio, signal)).collect()
    };
    let guide: BTreeMap<String, BTreeMap<u8, String>> =
        CHIPS.into_iter().flat_map(guide).map(|(image, wires)| (image, signals(wires))).collect();
    assert_eq!(guide, wired);
}

#[test]
fn no_image_drives_what_another_wiring_drives_or_joins_to_ground() {
    for (image, pins, guide) in CHIPS
        .map(guide)
        .iter()
        .flat_map(|guide| guide.iter().map(move |(image, pins)| (image, pins, guide)))
    {
        for (wiring, wires) in guide {
            for (gpio, (signal, drives)) in pins {
                let Some((wire, at)) = wires.get(gpio) else { continue };
                let against = match (drives, at) {
                    (At::Drives, At::Contact | At::PartDrives) => true,
                    (At::DrivesLow | At::Shared, At::PartDrives) => true,
                    // A matrix's column that is pulled low reads as closed; the rows are high or low through a diode.
                    (At::DrivesLow | At::Shared, At::Contact) => wire.starts_with("column"),
                    _ => false,
                };
                assert!(!against, "{image} drives {signal} at GP{gpio}, where {wiring} has {wire}");
            }
        }
    }
}

#[test]
fn no_pin_of_an_image_carries_two_signals() {
    for image in IMAGES {
        let mut pins: Vec<u8> = COMMON.iter().chain(image.wires).map(|&(gpio, _)| gpio).collect();
        pins.sort_unstable();
        assert!(pins.windows(2).all(|pair| pair[0] != pair[1]), "{}: {pins:?}", image.name);
        // The rest of the Pico's pins are its own: 23 and 24 belong to its supply, 29 to its voltmeter.
        assert!(pins.iter().all(|pin| matches!(pin, 0..=22 | 25..=28)), "{}", image.name);
    }
    for image in ESP32C3_IMAGES {
        let mut pins: Vec<u8> = image.wires.iter().map(|&(gpio, _)| gpio).collect();
        pins.sort_unstable();
        assert!(pins.windows(2).all(|pair| pair[0] != pair[1]), "{}: {pins:?}", image.name);
        // 11 to 17 belong to its flash, 18 and 19 to USB.
        assert!(pins.iter().all(|pin| matches!(pin, 0..=10 | 20 | 21)), "{}", image.name);
    }
}
