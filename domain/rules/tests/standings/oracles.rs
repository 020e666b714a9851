//! Tie-breaks of random sections against FIDE's checker and a calculation from the definitions.
//!
//! The vectors are made by `vectors/make_standings.py`, which explains their format.

use std::collections::BTreeMap;

use rules::standings::{EntrantNumber, INDIVIDUAL_SWISS_ORDER, ResultKind, Scoring, TieBreak};
use serde::Deserialize;

use crate::support::{results, section};

const VECTORS: &str = include_str!("../vectors/standings.jsonl");

#[derive(Deserialize)]
struct Vector {
    games_per_round: u8,
    scoring: String,
    after_round: u8,
    chart: Vec<String>,
    expected: BTreeMap<String, Vec<f64>>,
}

/// Features that the vectors have covered, so that the test can insist on them.
#[derive(Debug, Default)]
struct Coverage {
    sections: usize,
    values: usize,
    team_sections: usize,
    nine_or_more_rounds: usize,
    kinds: BTreeMap<char, usize>,
}

fn check(line: &str, coverage: &mut Coverage) {
    let vector: Vector =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let scoring = match vector.scoring.as_str() {
        "match-points" => Scoring::MatchPoints,
        "game-points" => Scoring::GamePoints,
        other => panic!("there is no scoring {other}"),
    };
    let chart: Vec<&str> = vector.chart.iter().map(String::as_str).collect();
    let results = results(&section(&chart, vector.games_per_round, scoring));
    let standings = results.standings(vector.after_round, INDIVIDUAL_SWISS_ORDER).expect("a round");
    for (name, expected) in &vector.expected {
        for (number, expected) in (1..).map(EntrantNumber).zip(expected) {
            let found = match name.as_str() {
                "rank" => {
                    let row = standings.rows.iter().find(|row| row.number == number);
                    f64::from(row.expect("every entrant has a row").rank)
                }
                "score" => {
                    let score = results.score(number, vector.after_round).expect("an entrant");
                    f64::from(score.half_points()) / 2.0
                }
                _ => {
                    let quoted = format!("\"{name}\"");
                    let tie_break: TieBreak = serde_json::from_str(&quoted).expect("a tie-break");
                    let explanation = results.explain(number, tie_break, vector.after_round);
                    let value = explanation.expect("an entrant").value.expect("a sum");
                    value.quarter_points() as f64 / 4.0
                }
            };
            assert_eq!(found, *expected, "{name} of {number} in {line}");
            coverage.values += 1;
        }
    }
    coverage.sections += 1;
    coverage.team_sections += usize::from(scoring == Scoring::MatchPoints);
    coverage.nine_or_more_rounds += usize::from(vector.after_round >= 9);
    for row in results.wall_chart(vector.after_round).rows {
        for cell in row.cells {
            *coverage.kinds.entry(ResultKind::letter(cell.kind)).or_default() += 1;
        }
    }
}

#[test]
fn every_tie_break_of_random_sections_is_what_the_oracles_say() {
    let mut coverage = Coverage::default();
    VECTORS.lines().for_each(|line| check(line, &mut coverage));
    println!("{coverage:?}");
    assert!(coverage.sections >= 500 && coverage.values >= 40_000, "{coverage:?}");
    assert!(coverage.team_sections >= 75 && coverage.nine_or_more_rounds >= 20, "{coverage:?}");
    for letter in ['W', 'D', 'L', 'X', 'F', 'B', 'H', 'U'] {
        assert!(coverage.kinds[&letter] >= 40, "{letter} in {coverage:?}");
    }
    assert!(coverage.kinds[&'*'] >= 2, "{coverage:?}");
}
