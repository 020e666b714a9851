//! The records of `../shared/field/files`: what a club that has them would want of each.
//!
//! The folder is read in place; without it the test prints so, and fails under CI.

#![allow(clippy::disallowed_methods, reason = "a test reads its data")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use rules::{
    Seat,
    bpgn::{self, EndReason},
    pgn,
};

fn folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/field/files");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "../shared/field/files is needed");
    println!("without the records of the field: ../shared/field/files is not here");
    None
}

/// The files whose names begin so, by the part of the name before the dash.
fn files(path: &Path, first: char) -> BTreeMap<String, Vec<u8>> {
    let names = fs::read_dir(path).expect("the folder").filter_map(|it| it.ok());
    let names = names.filter_map(|it| it.file_name().into_string().ok());
    names
        .filter(|name| name.starts_with(first))
        .map(|name| {
            let bytes = fs::read(path.join(&name)).expect("a file");
            (name, bytes)
        })
        .collect()
}

/// Plies of each game and its result, and the errors of the others.
fn read_pgn(bytes: &[u8]) -> (Vec<(usize, String)>, Vec<String>) {
    let (mut sound, mut wrong) = (Vec::new(), Vec::new());
    for (game, error) in pgn::read(bytes) {
        match error {
            None => sound.push((game.plies.len(), game.result.to_string())),
            Some(error) => wrong.push(error.to_string()),
        }
    }
    (sound, wrong)
}

/// Expectation for a PGN file: the plies of each sound game and its result, and a word of each error.
type WantedPgn = (&'static str, &'static [(usize, &'static str)], &'static [&'static str]);

const PGN: &[WantedPgn] = &[
    ("p01", &[(0, "0-0"), (4, "0-0"), (8, "0-0"), (2, "1-0")], &[]),
    ("p02", &[(4, "0-1")], &[]),
    ("p04", &[(6, "0-1"), (4, "1-0")], &[]),
    ("p05", &[], &["null move", "null move"]),
    ("p06", &[(4, "1-0")], &[]),
    ("p09", &[(4, "1-0")], &[]),
    ("p10", &[(10, "1-0")], &[]),
    ("p12", &[(2, "1-0")], &[]),
    ("p13", &[(0, "1-0"), (0, "*")], &[]),
    ("p14", &[(2, "1-0"); 3], &[]),
    ("p15", &[(2, "1-0"), (2, "1-0"), (6, "1-0")], &["was not promoted", "e8=Q"]),
    ("p16", &[(4, "1-0")], &[]),
    ("p17", &[(2, "1-0")], &["variant"]),
    ("p18", &[(8, "1-0")], &[]),
    ("p20", &[(2, "1-0")], &[]),
    ("p21", &[(2, "1-0"); 9], &[]),
    ("p22", &[(2, "1-0")], &[]),
    ("p24", &[(4, "1-0")], &[]),
    ("p25", &[(2, "1-0")], &[]),
    ("p26", &[(4, "1-0")], &[]),
    ("p27", &[(4, "1-0")], &[]),
    ("p28", &[(2, "1-0")], &[]),
    ("p29", &[(5, "*")], &[]),
    ("p30", &[(3, "*")], &[]),
];

const BLACK_A: Seat = Seat::ALL[1];
const WHITE_B: Seat = Seat::ALL[2];
const ON_TIME: (Option<Seat>, EndReason) = (Some(BLACK_A), EndReason::ForfeitsOnTime);
const RESIGNED: (Option<Seat>, EndReason) = (Some(BLACK_A), EndReason::Resigns);
const MATED: (Option<Seat>, EndReason) = (Some(WHITE_B), EndReason::Checkmated);

/// Expectation for a BPGN file: the plies of each game, its loser, and the reason.
type WantedBpgn = (&'static str, &'static [(usize, (Option<Seat>, EndReason))]);

const BPGN: &[WantedBpgn] = &[
    ("b01-control", &[(5, RESIGNED), (5, MATED)]),
    ("b01-two", &[(5, RESIGNED), (5, MATED)]),
    ("b03", &[(9, RESIGNED)]),
    ("b04", &[(5, RESIGNED)]),
    (
        "b05",
        &[
            (5, (Some(BLACK_A), EndReason::Forfeits)),
            (5, ON_TIME),
            (5, (None, EndReason::Drawn)),
            (5, ON_TIME),
        ],
    ),
    ("b09", &[(4, RESIGNED)]),
    ("b10", &[(5, ON_TIME), (5, ON_TIME)]),
    ("b12", &[(5, ON_TIME)]),
];

/// The wish whose name a file begins with.
fn wish<'wanted, T>(wanted: &'wanted [T], name: &str, of: impl Fn(&T) -> &str) -> &'wanted T {
    let found = wanted.iter().find(|it| name.starts_with(of(it)));
    found.unwrap_or_else(|| panic!("no test wants anything of {name}"))
}

#[test]
fn every_pgn_of_the_field_is_read_or_says_why_not() {
    let Some(path) = folder() else { return };
    for (name, bytes) in files(&path, 'p') {
        let (_, games, words) = *wish(PGN, &name, |it| it.0);
        let (sound, wrong) = read_pgn(&bytes);
        let sound: Vec<(usize, &str)> =
            sound.iter().map(|(plies, result)| (*plies, result.as_str())).collect();
        assert_eq!(sound, games, "{name}: {wrong:?}");
        assert_eq!(wrong.len(), words.len(), "{name}: {wrong:?}");
        for (wrong, word) in wrong.iter().zip(words) {
            assert!(wrong.contains(word), "{name}: {wrong}");
        }
    }
}

#[test]
fn every_bpgn_of_the_field_has_its_plies_and_its_loser() {
    let Some(path) = folder() else { return };
    for (name, bytes) in files(&path, 'b') {
        if name.ends_with(".pgn") {
            let (sound, wrong) = read_pgn(&bytes);
            assert!(sound.is_empty() && wrong[0].contains("variant \"Bughouse\""), "{wrong:?}");
            continue;
        }
        let games = bpgn::read(&bytes).into_iter().map(|game| {
            let game = game.unwrap_or_else(|error| panic!("{name}: {error}"));
            let ending = game.ending.unwrap_or_else(|| panic!("{name}: no ending"));
            (game.plies.len(), (ending.loser, ending.reason))
        });
        assert_eq!(games.collect::<Vec<_>>(), wish(BPGN, &name, |it| it.0).1, "{name}");
    }
}
