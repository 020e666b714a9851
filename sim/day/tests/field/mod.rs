//! Traces of the field, read in place where the folder is there; each also with its two boards exchanged.

use std::path::Path;

use inference::{Tracker, TrackerConfig, since_last_start};
use readings::{InferredLine, Reading, ReadingKind, TraceHeader, read_trace};
use rules::BoardId;

/// Plies and anomalies of the shipped inference for a trace.
struct Inferred {
    /// Plies of A and of B.
    plies: [Vec<String>; 2],
    /// Codes of the findings that stay.
    codes: Vec<String>,
    /// Codes of those that are not retracted.
    standing: Vec<String>,
    /// The highest probability of a ply after the last press.
    certain_after_press: f64,
}

impl Inferred {
    fn of(header: &TraceHeader, readings: &[Reading]) -> Inferred {
        let mut tracker = Tracker::new(header, TrackerConfig::default());
        since_last_start(header, readings).iter().for_each(|reading| tracker.handle(reading));
        tracker.finish();
        let presses = readings.iter().filter(|it| matches!(it.kind, ReadingKind::Press { .. }));
        let last_press_us = presses.map(|it| it.t_us).max().unwrap_or_default();
        let mut inferred = Inferred {
            plies: Default::default(),
            codes: Vec::new(),
            standing: Vec::new(),
            certain_after_press: 0.0,
        };
        for line in tracker.record() {
            match line {
                InferredLine::Ply(ply) => {
                    inferred.plies[ply.board.index()].push(ply.uci.to_string());
                    if ply.t_us > last_press_us {
                        inferred.certain_after_press = inferred.certain_after_press.max(ply.p);
                    }
                }
                // A refuted anomaly stays in the record, without probability.
                InferredLine::Anomaly(anomaly) if anomaly.confidence >= 0.05 => {
                    if !anomaly.retracted {
                        inferred.standing.push(anomaly.code.clone());
                    }
                    inferred.codes.push(anomaly.code);
                }
                _ => {}
            }
        }
        inferred
    }

    fn has(&self, code: &str) -> bool {
        self.codes.iter().any(|it| it == code)
    }
}

/// A trace as it is, and with its boards exchanged; none without the folder.
fn inferred(name: &str) -> Option<Vec<Inferred>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/field/boards");
    let Ok(bytes) = std::fs::read(folder.join(format!("{name}.trace.jsonl"))) else {
        assert!(std::env::var_os("CI").is_none(), "../shared/field/boards/{name} is needed");
        println!("without the situations of the field: ../shared/field/boards is not here");
        return None;
    };
    let (mut trace, errors) = read_trace(&bytes).expect("a trace");
    assert!(errors.is_empty(), "{errors:?}");
    let mut all = vec![Inferred::of(&trace.header, &trace.readings)];
    if trace.header.boards.len() == 2 {
        let other = |board: BoardId| if board == BoardId::A { BoardId::B } else { BoardId::A };
        let boards = std::mem::take(&mut trace.header.boards);
        trace.header.boards = boards.into_iter().map(|(id, it)| (other(id), it)).collect();
        trace.readings.iter_mut().for_each(|it| it.board = it.board.map(other));
        let mut exchanged = Inferred::of(&trace.header, &trace.readings);
        exchanged.plies.swap(0, 1);
        all.push(exchanged);
    }
    Some(all)
}

/// Checks what is inferred of traces.
fn check(names: &[&str], is_right: impl Fn(&Inferred) -> bool) {
    for name in names {
        for (nth, found) in inferred(name).into_iter().flatten().enumerate() {
            let Inferred { plies, codes, certain_after_press, .. } = &found;
            println!("{name} {nth}: {plies:?} {codes:?} {certain_after_press}");
            assert!(is_right(&found), "{name} {nth}: {plies:?} {codes:?} {certain_after_press}");
        }
    }
}

const STRAIGHT: [&str; 2] = [
    "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5 c2c3 d7d6 e1g1 e8g8",
    "d2d4 d7d5 c1f4 g8f6 e2e3 e7e6 g1f3 f8d6 f1d3 c7c5 c2c3 b8c6",
];

fn is_straight(found: &Inferred) -> bool {
    found.plies.iter().zip(STRAIGHT).all(|(plies, played)| plies.join(" ") == played)
}

#[test]
fn a_table_that_lies_straight_gives_its_plies_and_no_finding() {
    check(&["straight-reed"], |it| is_straight(it) && it.codes.is_empty());
}

#[test]
fn a_board_turned_by_half_is_reported_and_gives_no_illegal_moves() {
    let is_right = |it: &Inferred| it.has("board-turned") && !it.has("illegal-move");
    check(&["half-turn-reed", "half-turn-chess-reed"], is_right);
}

#[test]
fn a_turned_clock_is_reported_and_costs_no_ply() {
    check(&["clock-turned-reed"], |it| is_straight(it) && it.has("clock-turned"));
}

#[test]
fn knights_and_bishops_set_up_wrongly_make_no_illegal_moves() {
    let names = ["knight-bishop-swapped-reed"];
    check(&names, |it| it.has("setup-wrong") && !it.has("illegal-move"));
    // Its g1e3 leads over the pawn on f2, so that it is illegal for a bishop, too, and one illegal move is right.
    check(&["knight-bishop-swapped-chess-reed"], |it| it.has("setup-wrong"));
}

#[test]
fn clocks_that_show_what_cannot_be_are_reported() {
    let is_refuted = |it: &Inferred| !it.standing.iter().any(|code| code == "flag-fallen");
    check(&["one-reading-at-nothing-reed"], |it| it.has("clock-jump") && is_refuted(it));
    check(&["hour-added-reed"], |it| it.has("clock-jump"));
}

#[test]
fn what_is_shown_after_the_end_is_not_certain() {
    check(&["shown-after-resigning-clock-runs-reed"], |it| it.certain_after_press < 0.999);
    let plies = |it: &Inferred| it.plies.iter().map(Vec::len).sum::<usize>();
    check(&["flicker-while-stopping-reed"], |it| plies(it) == 6);
}
