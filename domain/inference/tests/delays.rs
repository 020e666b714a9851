//! A clock that a director gives another delay in the middle of a game: nobody did wrong.

mod common;

use common::{Table, Tracked, chess, track};
use inference::{TrackerConfig, facts::FactsFile};
use rules::{BoardId, Color};

use BoardId::A;

/// Five minutes, and nothing for each move.
const BLITZ: &str = r#"{"periods":[{"base_s":300}]}"#;
/// So long each player thinks, milliseconds.
const USED_MS: u64 = 8_000;
/// Moves before the order, and after it.
const MOVES: u32 = 6;

/// What a clock does with each ply.
#[derive(Clone, Copy)]
struct Gives {
    held_ms: u64,
    adds_ms: i64,
}

const NOTHING: Gives = Gives { held_ms: 0, adds_ms: 0 };

/// A player's knights go out and back on a clock that is shown every second.
fn play(table: &mut Table, left_ms: &mut [i64; 2], gives: Gives) {
    let plies = [["g1f3", "f3g1"], ["g8f6", "f6g8"]];
    for number in 0..MOVES {
        for (side, color) in Color::ALL.into_iter().enumerate() {
            let before_ms = left_ms[side];
            for passed_ms in (1_000..USED_MS - 600).step_by(1_000) {
                table.wait_ms(1_000);
                left_ms[side] = before_ms - passed_ms.saturating_sub(gives.held_ms).cast_signed();
                table.show(*left_ms, Some(color));
            }
            table.hands(A, plies[side][number as usize % 2]);
            table.wait_ms(400);
            table.press_now(A, color);
            let counted_ms = USED_MS.saturating_sub(gives.held_ms).cast_signed();
            left_ms[side] = before_ms - counted_ms + gives.adds_ms;
            table.show(*left_ms, Some(color.other()));
        }
    }
}

/// A game at nothing for each move until a director orders what `after` gives: followed with what
/// is known of it.
fn changed(after: Gives, fact: impl Fn(u64) -> String) -> Tracked {
    let mut table = Table::chess(BLITZ);
    let mut left_ms = table.base_ms();
    play(&mut table, &mut left_ms, NOTHING);
    let line = fact(table.t_us());
    play(&mut table, &mut left_ms, after);
    let facts = FactsFile::read(line.as_bytes()).expect("facts").of("m");
    track(&chess(BLITZ), &table.readings, TrackerConfig { facts, ..TrackerConfig::default() })
}

fn line(board: &str, t_us: u64, per_move: &str) -> String {
    format!(r#"{{"kind":"fact","board":"{board}","t_us":{t_us},"per_move":{per_move}}}"#)
}

fn accused(tracked: &Tracked) -> Vec<String> {
    let of_clocks = |code: &String| code.starts_with("clock-");
    let mut codes: Vec<String> = tracked.anomalies().into_iter().filter(of_clocks).collect();
    codes.dedup();
    codes
}

/// Each kind of delay, and what a clock is accused of whose change nobody asserts.
const KINDS: [(Gives, &str, &str); 3] = [
    (Gives { held_ms: 5_000, adds_ms: 0 }, r#"{"delay_s":5,"delay":"us"}"#, "clock-drift"),
    (Gives { held_ms: 0, adds_ms: 5_000 }, r#"{"delay_s":5,"delay":"bronstein"}"#, "clock-jump"),
    (Gives { held_ms: 0, adds_ms: 6_000 }, r#"{"increment_s":6}"#, "clock-jump"),
];

#[test]
fn a_clock_whose_delay_was_changed_is_accused_of_nothing() {
    for (gives, per_move, code) in KINDS {
        let unasserted = changed(gives, |_| String::new());
        assert_eq!(accused(&unasserted), [code], "{per_move}: without the fact");
        let tracked = changed(gives, |t_us| line("A", t_us, per_move));
        assert_eq!(accused(&tracked), [""; 0], "{per_move}");
        assert_eq!(tracked.moves(A), unasserted.moves(A), "{per_move}: the plies are the same");
    }
}

#[test]
fn a_clock_that_was_not_given_the_delay_yet_is_accused_of_nothing_either() {
    for (_, per_move, _) in KINDS {
        let tracked = changed(NOTHING, |t_us| line("A", t_us, per_move));
        assert_eq!(accused(&tracked), [""; 0], "{per_move}");
    }
}

#[test]
fn a_delay_explains_no_more_than_itself() {
    let (gives, per_move, _) = KINDS[2];
    let more = Gives { adds_ms: gives.adds_ms + 4_000, ..gives };
    let tracked = changed(more, |t_us| line("A", t_us, per_move));
    assert_eq!(accused(&tracked), ["clock-jump"], "more than was ordered");
    let other = changed(gives, |t_us| line("B", t_us, per_move));
    assert_eq!(accused(&other), ["clock-jump"], "another clock's");
    let later = changed(gives, |t_us| line("A", t_us + 3_600_000_000, per_move));
    assert_eq!(accused(&later), ["clock-jump"], "before it was ordered");
}
