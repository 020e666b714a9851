//! FIDE's tie-breaks, and Kashdan, of random events against another program's.
//!
//! The vectors are made by `vectors/make_fide_standings.py`, which explains their format.

use std::collections::BTreeMap;

use rules::standings::{EntrantNumber, FIDE_TIE_BREAKS, Scoring, Side, TieBreak};
use serde::Deserialize;

use crate::support::{results, section};

const VECTORS: &str = include_str!("../vectors/fide_standings.jsonl");

#[derive(Deserialize)]
struct Vector {
    rounds: u8,
    chart: Vec<String>,
    colours: Vec<String>,
    ratings: Vec<u16>,
    expected: BTreeMap<String, Vec<Option<f64>>>,
}

#[test]
fn fide_tie_breaks_of_random_events_are_those_of_another_program() {
    let (mut events, mut values) = (0, 0);
    for line in VECTORS.lines() {
        let vector: Vector =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let chart: Vec<&str> = vector.chart.iter().map(String::as_str).collect();
        let mut section = section(&chart, 1, Scoring::GamePoints);
        for (entrant, &rating) in section.entrants.iter_mut().zip(&vector.ratings) {
            entrant.rating = Some(rating);
        }
        for pairing in &mut section.pairings {
            let row = &vector.colours[pairing.first.0 as usize - 1];
            let is_white = row.as_bytes()[usize::from(pairing.round) - 1] == b'w';
            let white = if is_white { Side::First } else { Side::Second };
            pairing.games.iter_mut().for_each(|game| game.white = Some(white));
        }
        let results = results(&section);
        for &tie_break in FIDE_TIE_BREAKS.iter().chain(&[TieBreak::Kashdan]) {
            let name = tie_break.fide_code().unwrap_or_else(|| tie_break.name());
            let standings = results.standings(vector.rounds, &[tie_break]).expect("a round");
            for (number, expected) in (1..).map(EntrantNumber).zip(&vector.expected[name]) {
                let row = standings.rows.iter().find(|row| row.number == number);
                let row = row.expect("every entrant has a row");
                let found = match tie_break {
                    TieBreak::DirectEncounter => Some(f64::from(row.rank)),
                    _ => row.tie_breaks[0].map(|value| value.quarter_points() as f64 / 4.0),
                };
                assert_eq!(found, *expected, "{name} of {number} in {line}");
                values += 1;
            }
        }
        events += 1;
    }
    assert!(events == 500 && values > 40_000, "{events} events, {values} values");
}
