//! Unit tests of trace headers.

use super::*;

const REED: &str = r#"{"sensor":"reed","trays":false}"#;

/// A header with these fields after the rulebook's.
fn read(fields: &str) -> Result<TraceHeader, String> {
    let text = format!(
        r#"{{"twinboard":"trace","version":1,"match":"g012","rulebook":"nc-blitz",{fields}}}"#
    );
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// The same with the boards of these names.
fn read_with(fields: &str, boards: &[&str]) -> Result<TraceHeader, String> {
    let boards: Vec<String> = boards.iter().map(|board| format!("\"{board}\":{REED}")).collect();
    read(&format!("{fields},\"boards\":{{{}}}", boards.join(",")))
}

#[test]
fn header_of_chess_is_read_and_written_as_it_stood() {
    let time = r#"{"periods":[{"base_s":5400,"moves":40},{"base_s":1800}],"increment_s":1}"#;
    let fields = format!(r#""game":"chess","base_s":5400,"delay_s":0,"time":{time}"#);
    let header = read_with(&fields, &["A"]).expect("a header");
    assert_eq!((header.game, header.supply()), (Game::Chess, Supply::Nobody));
    let control = header.time_control().expect("a time control");
    assert_eq!((control.start_ms(), control.increment_s()), (5_400_000, 1));
    let written = serde_json::to_string(&header).expect("plain fields");
    assert!(written.contains(&fields), "{written}");
}

#[test]
fn header_that_names_no_game_is_bughouse_and_is_written_without_one() {
    let header = read_with(r#""base_s":300,"delay_s":0"#, &["A", "B"]).expect("a header");
    assert_eq!((header.game, header.supply()), (Game::Bughouse, Supply::Partner));
    let written = serde_json::to_string(&header).expect("plain fields");
    assert!(!written.contains("game") && !written.contains("time"), "{written}");
}

#[test]
fn partner_is_unseen_where_one_board_of_bughouse_has_sensors() {
    for board in ["A", "B"] {
        let header = read_with(r#""base_s":300"#, &[board]).expect("a header");
        assert_eq!(header.supply(), Supply::Unseen, "{board}");
    }
}

#[test]
fn base_time_and_delay_may_be_left_to_the_time_control() {
    let time = r#""time":{"periods":[{"base_s":900}],"delay_s":5,"delay":"bronstein"}"#;
    let header = read_with(&format!("\"game\":\"chess\",{time}"), &["A"]).expect("a header");
    assert_eq!((header.base_s, header.delay_s), (900, 5));
}

#[test]
fn time_control_without_one_in_the_header_is_the_base_time_with_its_delay() {
    let header = read_with(r#""game":"chess","base_s":1500,"delay_s":5"#, &["A"]).expect("it is");
    assert_eq!(header.time_control(), TimeControl::sudden_death(1_500, 5).ok());
}

#[test]
fn header_that_contradicts_itself_is_refused_with_what_to_do() {
    let time = |time: &str| format!(r#""game":"chess","base_s":300,"time":{time}"#);
    let cases = [
        (read_with(r#""game":"chess","base_s":300"#, &["A", "B"]), "names \"A\" and \"B\""),
        (read_with(r#""game":"chess","base_s":300"#, &["B"]), "leave board \"A\" only"),
        (read_with(r#""base_s":300"#, &[]), "describe board \"A\""),
        (read_with(r#""game":"go","base_s":300"#, &["A"]), "\"go\" is no game"),
        (read_with(r#""game":"chess""#, &["A"]), "give \"base_s\""),
        (read_with(&time(r#"{"periods":[{"base_s":5400}]}"#), &["A"]), "first period of \"time\""),
        (
            read_with(&time(r#"{"periods":[{"base_s":300}],"delay_s":3},"delay_s":5"#), &["A"]),
            "\"delay_s\" is 5",
        ),
        (read_with(&time(r#"{"periods":[]}"#), &["A"]), "at least one period"),
        (
            read_with(&time(r#"{"periods":[{"base_s":300},{"base_s":60}]}"#), &["A"]),
            "period 1 has no number of moves",
        ),
    ];
    for (header, words) in cases {
        let message = header.expect_err(words);
        assert!(message.contains(words), "{message}");
    }
}
