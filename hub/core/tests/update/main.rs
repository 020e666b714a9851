//! Updates of nodes over their lines: the hub's updater, the firmware's link, and the loader over a simulated flash chip.

mod flash;
mod hub_end;
mod node;

use std::sync::Arc;

use hub_core::HubTime;
use hub_core::hub::UpdateReport;
use hub_core::update::{NodeImages, NodeUpdater, UpdateFailure, UpdateOutcome};
use hub_end::HubEnd;
use node::{End as _, NAME, SimNode, as_node_image, holds, image};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const OLD: &str = "0.9.0";
const NEW: &str = "1.0.0";
/// Time by which a hub knows its node.
const SETTLED_US: u64 = 10_000_000;
/// Power cuts of the test; `TWINBOARD_POWER_CUTS` sets another number.
const POWER_CUTS: u64 = 60;
/// Nodes of the hall; `TWINBOARD_NODES` sets another number.
const NODES: u64 = 8;

#[allow(clippy::disallowed_methods, reason = "who calls the test may ask for more")]
fn count(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

fn images(bytes: &[u8]) -> Arc<NodeImages> {
    Arc::new(NodeImages::from([(NAME.to_owned(), as_node_image(bytes))]))
}

fn updater(images: &Arc<NodeImages>, node: &SimNode) -> NodeUpdater {
    NodeUpdater::new(Arc::clone(images), HubTime::from_micros(node.now_us))
}

/// Starts the node and lets the updater come to its end.
fn update(node: &mut SimNode, images: &Arc<NodeImages>) -> UpdateOutcome {
    let mut updater = updater(images, node);
    let until = node.now_us + 600_000_000;
    node.run(&mut updater, until);
    updater.outcome().cloned().unwrap_or_else(|| panic!("no end by {until}: {updater:?}"))
}

#[test]
fn a_node_is_updated_and_keeps_the_new_image() {
    let (old, new) = (image(NAME, OLD, 3), image(NAME, NEW, 4));
    let mut node = SimNode::new(&old, 1);
    node.start();
    assert_eq!(update(&mut node, &images(&new)), UpdateOutcome::Updated);
    node.start();
    assert!(holds(&node.slot(), &new), "the next start does not go back");
    assert_eq!(update(&mut node, &images(&new)), UpdateOutcome::Current);
}

#[test]
fn an_image_that_nobody_keeps_gives_way_to_the_one_before() {
    let (old, new) = (image(NAME, OLD, 3), image(NAME, NEW, 3));
    let images = images(&new);
    let mut node = SimNode::new(&old, 2);
    node.start();
    let mut first = updater(&images, &node);
    let restarted = |node: &SimNode| holds(&node.slot(), &new);
    while !restarted(&node) {
        assert!(
            node.exchange(&mut first) || {
                node.now_us += 1_000;
                true
            }
        );
    }
    // Nobody is there any more: the trial ends by itself.
    let end = node.now_us + 61_000_000;
    let mut nobody = updater(&images, &node);
    while node.now_us < end && restarted(&node) {
        nobody.transmit(&mut [0; 512]);
        node.exchange(&mut updater(&images, &node));
        node.now_us += 500_000;
    }
    assert!(holds(&node.slot(), &old));
    assert_eq!(update(&mut node, &images), UpdateOutcome::Updated, "and it can be updated again");
}

#[test]
fn a_node_in_play_refuses_and_goes_on_where_it_was() {
    let (old, new) = (image(NAME, OLD, 3), image(NAME, NEW, 8));
    let images = images(&new);
    let mut node = SimNode::new(&old, 3);
    node.start();
    let mut first = updater(&images, &node);
    while first.percent() < 50 {
        node.exchange(&mut first);
    }
    node.plays = true;
    let until = node.now_us + 10_000_000;
    node.run(&mut first, until);
    assert_eq!(first.outcome(), Some(&UpdateOutcome::Failed(UpdateFailure::InUse)));
    assert_eq!(update(&mut node, &images), UpdateOutcome::Failed(UpdateFailure::InUse));
    assert!(holds(&node.slot(), &old));
    node.plays = false;
    // Power is lost as well: the second slot shows what is there.
    node.start();
    let mut second = updater(&images, &node);
    let mut lowest = None;
    while second.outcome().is_none() {
        node.exchange(&mut second);
        lowest = lowest.or(Some(second.percent()).filter(|&percent| percent > 0));
    }
    assert_eq!(second.outcome(), Some(&UpdateOutcome::Updated));
    assert!(lowest.is_some_and(|percent| percent >= 37), "{lowest:?}: began from the start");
}

#[test]
fn an_image_for_another_wiring_is_refused_before_it_is_started() {
    let old = image(NAME, OLD, 3);
    let wrong = as_node_image(&image("pico-hall", NEW, 3));
    let images = Arc::new(NodeImages::from([(NAME.to_owned(), wrong)]));
    let mut node = SimNode::new(&old, 4);
    node.start();
    let refused = UpdateOutcome::Failed(UpdateFailure::Refused("for another wiring"));
    assert_eq!(update(&mut node, &images), refused);
    node.start();
    assert!(holds(&node.slot(), &old));
}

#[test]
fn a_bit_that_the_flash_lost_is_sent_again() {
    let (old, new) = (image(NAME, OLD, 3), image(NAME, NEW, 3));
    let mut node = SimNode::new(&old, 5);
    node.start();
    node.chip(|chip| chip.flips_left = 1);
    assert_eq!(update(&mut node, &images(&new)), UpdateOutcome::Updated);
    assert!(holds(&node.slot(), &new));
}

#[test]
fn a_cut_of_power_at_any_moment_leaves_the_old_or_the_new_image() {
    let cuts = count("TWINBOARD_POWER_CUTS", POWER_CUTS);
    let both = [image(NAME, OLD, 2), image(NAME, NEW, 3)];
    let mut random = ChaCha8Rng::seed_from_u64(43);
    let mut node = SimNode::new(&both[0], 6);
    let (mut done, mut target, mut ended) = (0, 1, 0);
    // An uncut update takes some 2,500 steps: pages, and sectors for sixteen of them.
    while done < cuts {
        let steps = random.random_range(0..3_200);
        node.chip(|chip| chip.power(Some(steps)));
        node.start();
        if node.is_running() {
            let mut updater = updater(&images(&both[target]), &node);
            let until = node.now_us + 600_000_000;
            node.run(&mut updater, until);
            if let Some(outcome) = updater.outcome() {
                // An image on trial may have given way to the one before, which is wanted now.
                let is_done = [UpdateOutcome::Updated, UpdateOutcome::Current].contains(outcome);
                assert!(is_done && holds(&node.slot(), &both[target]), "{outcome:?}, {done} cuts");
                (target, ended) = (1 - target, ended + 1);
            }
        }
        done += 1;
        // The power comes back.
        node.chip(|chip| chip.power(None));
        node.start();
        let slot = node.slot();
        assert!(both.iter().any(|image| holds(&slot, image)), "dead after {done} cuts");
        if holds(&slot, &both[target]) {
            target = 1 - target;
        }
    }
    assert!(ended > 0, "some updates came to their end");
}

#[test]
fn the_nodes_of_a_hall_are_updated_within_ten_minutes() {
    let (old, new) = (image(NAME, OLD, 10), image(NAME, NEW, 11));
    let images = images(&new);
    // Each at its own line, beside its hub's own messages: the slowest one decides.
    let mut slowest_us = 0;
    for seed in 0..count("TWINBOARD_NODES", NODES) {
        let mut node = SimNode::new(&old, 100 + seed);
        let mut hub = HubEnd::new(&[format!("clock-{}", 100 + seed)], &images);
        node.start();
        node.run(&mut hub, SETTLED_US);
        let began_us = node.now_us;
        hub.request = Some(7);
        node.run(&mut hub, began_us + 600_000_000);
        let report = hub.report.expect("it ends");
        assert_eq!((report.request, report.is_ended, report.words), (7, true, Vec::new()));
        assert!(holds(&node.slot(), &new));
        slowest_us = slowest_us.max(node.now_us - began_us);
    }
    println!("the slowest node took {} ms", slowest_us / 1_000);
    assert!(slowest_us < 600_000_000, "{} s", slowest_us / 1_000_000);
}

#[test]
fn a_hub_names_nodes_that_are_not_connected_and_updates_the_others() {
    let (old, new) = (image(NAME, OLD, 2), image(NAME, NEW, 2));
    let mut node = SimNode::new(&old, 20);
    let mut hub = HubEnd::new(&["clock-20".to_owned(), "clock-21".to_owned()], &images(&new));
    node.start();
    node.run(&mut hub, SETTLED_US);
    hub.request = Some(1);
    node.run(&mut hub, 600_000_000);
    let report = hub.report.take().unwrap();
    assert_eq!(
        report.words,
        ["node clock-21 was not updated: no node answers here: check its cable and power"]
    );
    assert!(holds(&node.slot(), &new));
    // The same request comes again when the answer was lost.
    hub.request = Some(1);
    node.run(&mut hub, node.now_us + 5_000_000);
    assert_eq!(hub.report, None, "nothing is done twice");
}

#[test]
fn a_hub_at_whose_table_a_match_is_played_updates_no_node() {
    let new = image(NAME, NEW, 2);
    let mut hub = HubEnd::new(&["clock-22".to_owned()], &images(&new));
    hub.play(HubTime::from_micros(SETTLED_US));
    for second in 60..90 {
        hub.poll(HubTime::from_micros(second * 1_000_000));
    }
    hub.request = Some(2);
    hub.poll(HubTime::from_micros(90_000_000));
    let words = "no node was updated, because a match is played at table 1: end it, reset its clocks, and update again";
    let expected = UpdateReport { request: 2, is_ended: true, words: vec![words.to_owned()] };
    assert_eq!(hub.report, Some(expected));
}
