//! The cost of a question about one table does not grow with the event. Measured by the processor time of the thread, so that other work of the
//! machine does not count.

use std::{hint::black_box, time::Duration};

use event::{Deed, PairingId, PlayerId};
use nix::time::{ClockId, clock_gettime};
use rules::{
    Seat,
    rulebook::Offence,
    standings::{Outcome, Side},
};

use super::{Day, Kind};
use crate::hall::acts::ActDeed;

/// Entrants of a small event and of a large one.
const SMALL: u32 = 8;
const LARGE: u32 = 160;
/// Largest ratio of the costs of one question, at twenty times as many pairings and matches. Looking at each of them gives 4.3 and 24.
const RATIO_MAX: u32 = 3;

/// Round 1 is over at all tables, with results from paper. Everybody's seats are known.
fn day(entrants: u32) -> Day {
    let mut day = Day::new(Kind::Bughouse, entrants);
    pairs(&mut day, 1, entrants);
    let pairings = || (1..=entrants / 2).map(PairingId);
    let won = |pairing| {
        let outcomes = vec![Outcome::Win(Side::First)];
        [Deed::ResultEntered { pairing, outcomes }, Deed::ResultConfirmed { pairing }]
    };
    day.done(ActDeed::Event { deeds: pairings().flat_map(won).collect() });
    day
}

/// Entrants 1 and 2 meet at table 1, and so on.
fn pairs(day: &mut Day, round: u8, entrants: u32) {
    let sides: Vec<(u32, u32)> = (1..=entrants / 2).map(|it| (2 * it - 1, 2 * it)).collect();
    let made = day.pairs(round, &sides);
    let seated = made.into_iter().zip(sides).map(|(pairing, (one, other))| {
        let seats = [2 * one, 2 * other, 2 * other + 1, 2 * one + 1].map(PlayerId).to_vec();
        Deed::SeatsChosen { pairing, seats, note: None }
    });
    day.done(ActDeed::Event { deeds: seated.collect() });
}

/// The least processor time of some hundred questions, of several tries.
fn cost(ask: impl Fn()) -> Duration {
    let used = || {
        let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
        Duration::from(now)
    };
    let one_try = |_| {
        let before = used();
        (0..200).for_each(|_| ask());
        used() - before
    };
    (0..8).map(one_try).min().expect("a try")
}

#[test]
fn a_table_that_shows_its_last_result_costs_the_same_however_many_pairings_there_are() {
    let [small, large] = [SMALL, LARGE].map(|entrants| {
        let day = day(entrants);
        assert_eq!(day.hall.pairing_shown("1", None), Some(PairingId(1)));
        cost(|| {
            black_box(day.hall.pairing_shown("1", None));
        })
    });
    assert!(large < small * RATIO_MAX, "{large:?} for one table of many, {small:?} of few");
}

#[test]
fn earlier_offences_cost_the_same_however_many_matches_there_are() {
    let [small, large] = [SMALL, LARGE].map(|entrants| {
        let mut day = day(entrants);
        pairs(&mut day, 2, entrants);
        for table in 1..=entrants / 2 {
            day.sets_up(&table.to_string(), &format!("m{table}"));
        }
        let ask = || day.hall.earlier_offences("m1", Offence::IllegalMove, Seat::ALL[0]);
        assert_eq!((day.of("m1"), ask()), (Some(entrants / 2 + 1), 0));
        cost(|| {
            black_box(ask());
        })
    });
    assert!(large < small * RATIO_MAX, "{large:?} beside many matches, {small:?} beside few");
}
