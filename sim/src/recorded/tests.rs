//! Unit tests of recorded games.

use rules::{bpgn, pgn};

use super::*;

fn chess(text: &str) -> Result<RecordedGame, SimError> {
    let (record, error) = pgn::read(text.as_bytes()).remove(0);
    assert_eq!(error, None);
    RecordedGame::try_from(&record)
}

fn thinks(text: &str) -> Vec<Think> {
    chess(text).expect("a game").plies.iter().map(|ply| ply.think).collect()
}

const S: u64 = 1_000_000;

#[test]
fn increment_is_time_that_the_player_had_beyond_what_the_clock_shows() {
    let text = "[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:02:59]} e5 {[%clk 0:03:02]} \
                2. d4 {[%clk 0:02:51]} *";
    assert_eq!(thinks(text), [Think::Took(3 * S), Think::Took(0), Think::Took(10 * S)]);
}

#[test]
fn delay_hides_how_long_a_quick_ply_took() {
    for kind in ["us", "bronstein"] {
        let text = format!(
            "[TimeControl \"60\"]\n[Delay \"5 {kind}\"]\n\n1. e4 {{[%clk 0:01:00]}} e5 \
             {{[%clk 0:00:58]}} *"
        );
        assert_eq!(thinks(&text), [Think::AtMost(5 * S), Think::Took(7 * S)], "{kind}");
    }
}

#[test]
fn time_of_the_next_period_comes_with_the_last_move_of_the_one_before() {
    let text = "[TimeControl \"2/60:30\"]\n\n1. e4 {[%clk 0:00:50]} e5 {[%clk 0:00:55]} \
                2. d4 {[%clk 0:01:10]} d5 {[%clk 0:01:24]} *";
    assert_eq!(thinks(text)[2..], [Think::Took(10 * S), Think::Took(S)]);
}

#[test]
fn game_without_clock_times_says_nothing_of_thinking() {
    assert_eq!(thinks("1. e4 e5 *"), [Think::Unknown; 2]);
}

#[test]
fn flag_is_the_losers_or_in_a_draw_that_of_the_side_to_move() {
    let flagged = |tags: &str, end: &str| {
        let game = chess(&format!("[Termination \"{tags}\"]\n\n1. e4 {end}")).expect("a game");
        game.flagged.map(|seat| seat.color)
    };
    assert_eq!(flagged("time forfeit", "1-0"), Some(Color::Black));
    assert_eq!(flagged("won on time", "0-1"), Some(Color::White));
    assert_eq!(flagged("time forfeit", "1/2-1/2"), Some(Color::Black));
    assert_eq!(flagged("won by resignation", "1-0"), None);
}

#[test]
fn increments_of_a_bughouse_record_are_no_part_of_the_tables_clock() {
    let text = "[TimeControl \"120+1\"]\n\n1A. e4{119.0} 1a. e5{120.5} *";
    let record = bpgn::read(text.as_bytes()).remove(0).expect("a match");
    let game = RecordedGame::try_from(&record).expect("a match");
    assert_eq!(game.plies[0].think, Think::Took(2 * S));
    assert_eq!(game.plies[1].think, Think::Took(S / 2));
    assert_eq!(game.time.to_pgn_tag(), "120");
}

#[test]
fn time_that_cannot_be_read_costs_no_game_and_is_quoted() {
    for (tags, quoted) in [
        ("[TimeControl \"five minutes\"]", "five minutes"),
        ("[TimeControl \"G/5 d3\"]", "G/5 d3"),
        ("[TimeControl \"90min+30sec\"]", "90min+30sec"),
        ("[TimeControl \"0\"]", "\"0\""),
        ("[TimeControl \"60\"]\n[Delay \"long\"]", "\"long\""),
    ] {
        let game = chess(&format!("{tags}\n\n1. e4 *")).expect(tags);
        assert_eq!(game.time.to_pgn_tag(), "300", "{tags}");
        let [warning] = game.warnings.as_slice() else { panic!("{:?}", game.warnings) };
        assert!(warning.contains(quoted) && warning.contains("300 seconds"), "{warning}");
    }
    let text = "[TimeControl \"90min\"]\n\n1. e4 {[%clk 1:29:50]} *";
    assert_eq!(chess(text).expect("a game").time.to_pgn_tag(), "5391");
    let record = bpgn::read(b"[TimeControl \"40/60:60\"]\n\n1A. e4 *").remove(0).expect("a match");
    let game = RecordedGame::try_from(&record).expect("a match");
    assert!(game.warnings[0].contains("40/60:60"), "{:?}", game.warnings);
}

#[test]
fn seconds_that_are_probably_minutes_are_pointed_at() {
    let game = chess("[TimeControl \"5+3\"]\n\n1. e4 *").expect("a game");
    assert_eq!(game.time.to_pgn_tag(), "5+3");
    assert!(game.warnings[0].contains("300+3"), "{:?}", game.warnings);
}

#[test]
fn position_tag_without_a_value_is_the_usual_position() {
    assert!(chess("[SetUp \"0\"]\n[FEN \"\"]\n\n1. e4 *").is_ok());
}
