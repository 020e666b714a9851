//! One order over all nodes of a table, whatever befalls the hub: the firmware's end of the link, and the ports and the table that are
//! shipped, in virtual time. Two boards and two clocks read things that are at least 6 ms apart; lines are late by chance, buses stall,
//! the hub gets no processor for up to half a second when it starts and in the middle, is killed and starts again. What
//! the table commits must be everything, once, in the order in which it happened, and at a healthy hub not later than before.
//! `cargo test -p hub --test order -- --nocapture` prints how late it was.

#[path = "../node_time/node.rs"]
mod node;
mod table;

use link_sim::line::{Jitter, LineSpeed};
use table::{Load, Run, play};

/// Runs with each load.
const RUNS: u64 = 6;
/// The first run's seed.
const SEED: u64 = 5_000;
/// What a reading takes from the scan that saw it to the session at a healthy hub, at most, µs: the debounce time, the time after which the
/// others are asked, until they can answer for that moment, and the turns of the processor.
const HEALTHY_MAX_US: u64 = 5_000 + 10_000 + 5_000 + 5_000;
/// The same behind adapters: two of their timers, the bytes of a reading, a question and an answer.
const BEHIND_ADAPTERS_MAX_US: u64 = HEALTHY_MAX_US + 2 * 16_000 + 10_000;

const CALM: Load = Load {
    name: "calm USB",
    up: usb(Jitter::Exponential(300)),
    down: usb(Jitter::Exponential(300)),
    is_wire: false,
    processor_us: (0, 200),
    bus_stalls: false,
    hub_stalls: false,
    is_killed: false,
    crystals_ppm: [30.0, -30.0, 100.0, -100.0],
};
const WIRE: Load = Load {
    name: "calm UART behind a 16 ms timer",
    up: uart(Jitter::Timer(16_000)),
    down: uart(Jitter::Exponential(100)),
    is_wire: true,
    ..CALM
};
const STALLS: Load = Load { name: "hub and bus stall", bus_stalls: true, hub_stalls: true, ..CALM };
const KILLED: Load = Load { name: "hub stalls and is killed", is_killed: true, ..STALLS };
const STARVED: Load = Load { name: "starved hub", processor_us: (50_000, 300_000), ..KILLED };
const STARVED_WIRE: Load = Load {
    name: "starved hub, UART behind a 16 ms timer",
    processor_us: (50_000, 300_000),
    hub_stalls: true,
    ..WIRE
};

/// A line that carries packets: USB.
const fn usb(jitter: Jitter) -> LineSpeed {
    LineSpeed { byte_ns: 1_000, latency_us: 125, jitter, queue_bytes: 4_096, receive_bytes: 4_096 }
}

/// A UART at 115,200 baud.
const fn uart(jitter: Jitter) -> LineSpeed {
    LineSpeed { byte_ns: 86_806, latency_us: 0, jitter, queue_bytes: 4_096, receive_bytes: 4_096 }
}

/// All runs with a load: each says what really happened, in its order.
fn runs(load: Load) -> Vec<Run> {
    let run = |seed| {
        let run = play(seed, load);
        let told: Vec<_> = run.told.iter().map(|told| told.what).collect();
        for (index, (told, truth)) in told.iter().zip(&run.truth).enumerate() {
            assert_eq!(
                told,
                truth,
                "{}, seed {seed}: number {index} of {}",
                load.name,
                run.truth.len()
            );
        }
        assert_eq!(told.len(), run.truth.len(), "{}, seed {seed}", load.name);
        run
    };
    let runs: Vec<Run> = (SEED..SEED + RUNS).map(run).collect();
    let mut late_us: Vec<u64> =
        runs.iter().flat_map(|run| &run.told).map(|told| told.late_us).collect();
    late_us.sort_unstable();
    let (middle, most) = (late_us[late_us.len() / 2], late_us[late_us.len() - 1]);
    println!(
        "{:<40} {:>5} readings in order; late by 50 % {middle:>7}, most {most:>8} µs; nodes asked {} times",
        load.name,
        late_us.len(),
        runs.iter().map(|run| run.asked).sum::<usize>()
    );
    runs
}

fn latest(runs: &[Run]) -> u64 {
    // What was read before the hub ran, and in its first second, waits for that.
    let settled =
        |run: &Run| run.told.iter().filter(|told| told.is_settled).map(|told| told.late_us).max();
    runs.iter().filter_map(settled).max().unwrap()
}

#[test]
fn at_a_calm_hub_readings_come_in_order_and_as_soon_as_all_have_told() {
    let runs = runs(CALM);
    assert!(latest(&runs) <= HEALTHY_MAX_US, "{}", latest(&runs));
}

#[test]
fn behind_slow_adapters_readings_come_in_order_and_as_soon_as_all_have_told() {
    let runs = runs(WIRE);
    assert!(latest(&runs) <= BEHIND_ADAPTERS_MAX_US, "{}", latest(&runs));
}

#[test]
fn a_hub_that_stands_still_for_half_a_second_tells_the_same_order() {
    runs(STALLS);
}

#[test]
fn a_hub_that_is_killed_between_its_stalls_tells_the_same_order_and_everything_once() {
    runs(KILLED);
}

#[test]
fn a_starved_hub_tells_the_same_order() {
    runs(STARVED);
    runs(STARVED_WIRE);
}
