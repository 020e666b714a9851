//! A match of simulated hands with facts from people while it is played.

use std::collections::BTreeMap;

use proto::mqtt::message::row::Event;
use proto::mqtt::message::{MatchState, PlyReported};
use readings::{Reading, TruthLine};

use super::*;
use crate::journal_line::{FactLine, FactTag};

const SECOND: u64 = 1_000_000;
/// Time for which the pieces stand before the match begins.
const SET_UP_US: u64 = 5 * SECOND;
/// End of the part of the match after which the facts are given.
const TOLD_AFTER: (usize, usize) = (3, 4);

/// Maximum number of matches that are searched for one with a wrong ply.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=20;

/// One of the shipped matches, played by adults on reed boards.
fn played(seed: u64) -> sim::Performance {
    let games = sim::games::shipped();
    let game = &games[usize::try_from(seed).unwrap() % games.len()];
    sim::perform(game, "club".parse().unwrap(), seed, "m").unwrap()
}

fn session(header: &readings::TraceHeader) -> Session {
    Session::new(SessionConfig {
        hub_id: "h".to_owned(),
        table: "1".to_owned(),
        game: Game::Bughouse,
        rulebook: BookId::UsChessBughouse2018,
        time: TimeControl::sudden_death(header.base_s, header.delay_s).unwrap(),
        boards: header.boards.clone(),
        clocks: true,
        nodes: BTreeMap::new(),
    })
}

fn lines(readings: &[Reading]) -> Vec<Line> {
    let timed = readings.iter().filter(|reading| reading.board.is_some()).map(|reading| {
        let set_up_us = if reading.t_us == 0 { 0 } else { SET_UP_US };
        Line::Reading(Reading { t_us: reading.t_us + set_up_us, ..reading.clone() })
    });
    timed.collect()
}

/// The outputs of a session for these lines.
fn said(session: &mut Session, lines: &[Line]) -> Vec<Event> {
    let mut said = Vec::new();
    for line in lines {
        session.handle(line);
        while let Some(output) = session.poll_output() {
            if let SessionOutput::Row(OutgoingEvent { event, .. }) = output {
                said.push(event);
            }
        }
    }
    said
}

/// The plies that stand, by id; panics where a revision is not the next one.
fn standing(events: &[Event]) -> BTreeMap<u32, PlyReported> {
    let mut revisions: BTreeMap<u32, u32> = BTreeMap::new();
    let mut standing = BTreeMap::new();
    for event in events {
        match event {
            Event::PlyReported(ply) => {
                let before = revisions.insert(ply.ply_id, ply.revision);
                assert_eq!(ply.revision, before.map_or(0, |before| before + 1), "{ply:?}");
                standing.insert(ply.ply_id, ply.clone());
            }
            Event::PlyRetracted(retracted) => {
                assert!(standing.remove(&retracted.ply_id).is_some(), "{retracted:?}");
            }
            _ => {}
        }
    }
    standing
}

/// The drops that were published with a wrong piece, each with the true piece.
fn wrong(shown: &BTreeMap<u32, PlyReported>, truth: &[TruthLine]) -> Vec<(PlyReported, String)> {
    let plies = truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    });
    let plies: Vec<_> = plies.collect();
    let dropped = shown.values().filter(|ply| ply.uci.contains('@'));
    let wrong = dropped.filter_map(|ply| {
        let square = ply.uci.split('@').nth(1)?;
        let t_us =
            |truth: &readings::TruthPly| (truth.t_us + SET_UP_US).abs_diff(ply.t_us + opened_us());
        let same = plies.iter().filter(|truth| {
            let uci = truth.uci.to_string();
            uci.contains('@') && uci.ends_with(square) && t_us(truth) < 3 * SECOND
        });
        let true_uci = same.map(|truth| truth.uci.to_string()).next()?;
        (true_uci != ply.uci).then(|| (ply.clone(), true_uci))
    });
    wrong.collect()
}

/// Time from the set-up to the opening of a match: its times count from then.
fn opened_us() -> u64 {
    SECOND
}

fn fact(ply: &PlyReported, uci: &str, match_id: &str, order: u64, t_us: u64) -> Line {
    let board = if ply.board == proto::mqtt::message::Board::A as i32 { "A" } else { "B" };
    let side = if ply.side == proto::mqtt::message::Side::White as i32 { "white" } else { "black" };
    let known = serde_json::json!({ "kind": "fact", "board": board, "side": side, "t_us": ply.t_us, "uci": uci });
    Line::Fact(FactLine {
        t_us,
        kind: FactTag::FactTold,
        match_id: match_id.to_owned(),
        order,
        fact: Some(known.to_string()),
    })
}

/// A match up to a moment at which a drop stands there that was none.
struct Mistaken {
    performance: sim::Performance,
    session: Session,
    events: Vec<Event>,
    before: Vec<Line>,
    after: Vec<Line>,
    ply: PlyReported,
    uci: String,
}

fn mistaken(seed: u64) -> Option<Mistaken> {
    let performance = played(seed);
    let (part, whole) = TOLD_AFTER;
    let mut before = lines(&performance.readings);
    let after = before.split_off(before.len() * part / whole);
    let mut session = session(&performance.header);
    let events = said(&mut session, &before);
    let (ply, uci) = wrong(&standing(&events), &performance.truth).into_iter().next()?;
    Some(Mistaken { performance, session, events, before, after, ply, uci })
}

#[test]
fn what_somebody_knows_settles_the_match_while_it_is_played_under_the_ids_that_were_told() {
    let found = SEEDS.into_iter().find_map(mistaken).expect("a drop that no reed board can know");
    let Mistaken { performance, mut session, mut events, before, after, ply, uci } = found;
    let (before, after, ply, uci) = (&before, &after, &ply, &uci);
    let shown = standing(&events);
    let match_id = session.match_id().expect("a match").to_owned();
    let line = fact(ply, uci, &match_id, 7, session.now().as_micros());
    let told = said(&mut session, std::slice::from_ref(&line));
    events.extend(told.clone());
    assert!(session.knows_fact(7));
    let now = standing(&events);
    assert_eq!(now[&ply.ply_id].uci, *uci, "it is told at once, under its id");
    assert!(told.len() < shown.len(), "what did not change is not told again");
    events.extend(said(&mut session, after));
    let end = standing(&events);
    assert_eq!(end[&ply.ply_id].uci, *uci, "and what follows does not take it back");
    let mut places: Vec<_> = end.values().map(|ply| (ply.board, ply.side, ply.t_us)).collect();
    let count = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), count, "no ply stands twice");
    // A hub that was killed says the same again.
    let given: Vec<Line> = before.iter().chain([&line]).chain(after).cloned().collect();
    assert_eq!(said(&mut self::session(&performance.header), &given), events);
}

#[test]
fn a_fact_of_another_match_or_one_that_is_taken_back_changes_nothing() {
    let performance = played(1);
    let all = lines(&performance.readings);
    let mut session = session(&performance.header);
    let events = said(&mut session, &all[..all.len() / 2]);
    let match_id = session.match_id().expect("a match").to_owned();
    let shown = standing(&events);
    let ply = shown.values().next().unwrap();
    let now_us = session.now().as_micros();
    assert_eq!(said(&mut session, &[fact(ply, &ply.uci, "another", 7, now_us)]), []);
    let Line::Fact(known) = fact(ply, &ply.uci, &match_id, 8, now_us) else { unreachable!() };
    let withdrawn = Line::Fact(FactLine { fact: None, ..known.clone() });
    assert_eq!(said(&mut session, std::slice::from_ref(&withdrawn)), [], "nobody had said it");
    assert_eq!(
        said(&mut session, &[Line::Fact(known.clone())]),
        [],
        "it was taken back before it came"
    );
    assert!(!session.knows_fact(8));
    let [known, withdrawn] = [known.fact.clone(), None]
        .map(|fact| Line::Fact(FactLine { order: 9, fact, ..known.clone() }));
    let mut events = events;
    events.extend(said(&mut session, &[known, withdrawn]));
    let ucis = |shown: &BTreeMap<u32, PlyReported>| -> Vec<(u32, String)> {
        shown.iter().map(|(id, ply)| (*id, ply.uci.clone())).collect()
    };
    assert_eq!(ucis(&standing(&events)), ucis(&shown));
    assert!(!session.knows_fact(9));
    assert!(!events.iter().any(|event| matches!(event,
        Event::MatchStateChanged(changed) if changed.state == MatchState::Ended as i32)));
}

#[test]
fn another_delay_of_a_clock_changes_no_ply_and_is_said_again_by_a_hub_that_was_killed() {
    let performance = played(1);
    let all = lines(&performance.readings);
    let (before, after) = all.split_at(all.len() / 2);
    let mut session = session(&performance.header);
    let mut events = said(&mut session, before);
    let match_id = session.match_id().expect("a match").to_owned();
    let known = serde_json::json!({
        "kind": "fact", "board": "A", "t_us": session.now().as_micros() - opened_us(), "per_move": { "delay_s": 5 },
    });
    let line = Line::Fact(FactLine {
        t_us: session.now().as_micros(),
        kind: FactTag::FactTold,
        match_id,
        order: 7,
        fact: Some(known.to_string()),
    });
    assert_eq!(said(&mut session, std::slice::from_ref(&line)), [], "no ply is another");
    assert!(session.knows_fact(7));
    events.extend(said(&mut session, after));
    let given: Vec<Line> = before.iter().chain([&line]).chain(after).cloned().collect();
    assert_eq!(said(&mut self::session(&performance.header), &given), events);
}
