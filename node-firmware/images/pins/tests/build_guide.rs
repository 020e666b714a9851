//! The build guide tells people which wire goes to which pin; the images must read those pins.

use std::collections::BTreeMap;
use std::path::Path;

use node_pins::{COMMON, IMAGES};

/// Signals by GPIO of each image, as the build guide's tables have them.
fn guide() -> BTreeMap<String, BTreeMap<u8, String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/hardware/pins.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut images = BTreeMap::<String, BTreeMap<u8, String>>::new();
    let mut image = None;
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let name = heading.trim_matches('`');
            image = name.starts_with("pico-").then(|| name.to_owned());
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if let (Some(image), [gpio, signal]) = (&image, &cells[..])
            && let Some(number) = gpio.strip_prefix("GP").and_then(|digits| digits.parse().ok())
        {
            let wires = images.entry(image.clone()).or_default();
            let twice = wires.insert(number, (*signal).to_owned());
            assert_eq!(twice, None, "{image}: GP{number} stands there twice");
        }
    }
    images
}

#[test]
fn every_image_reads_the_pins_that_the_build_guide_names() {
    let mut wired = BTreeMap::new();
    for image in IMAGES {
        let wires = COMMON.iter().chain(image.wires);
        let wires = wires.map(|&(gpio, signal)| (gpio, signal.to_owned()));
        wired.insert(image.name.to_owned(), wires.collect::<BTreeMap<_, _>>());
    }
    assert_eq!(guide(), wired);
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
}
