//! Every match of the shared collection of real games, when it is present: replayed to its recorded
//! end, from the readable record and from the list of plies.
#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeMap;

use common::shared_file;
use rules::{BoardId, Color, Match, Ply, Position, Seat, Supply, bpgn, fen, san};
use serde_json::Value;

fn lines() -> Option<Vec<Value>> {
    let bytes = shared_file("corpus.jsonl")?;
    let text = String::from_utf8(bytes).expect("the collection is UTF-8");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect())
}

fn seat(event: &Value) -> Seat {
    let board = event["board"].as_str().expect("a board").parse().expect("A or B");
    let color = if event["side"] == "w" { Color::White } else { Color::Black };
    Seat { board, color }
}

/// The collection writes an en passant square only when the capture is legal; the reserves and
/// everything else must be the same to the letter.
fn without_idle_en_passant(state: &Match, board: BoardId) -> String {
    let text = fen::format_match_board(state, board);
    let position = state.position(board);
    let usable = position.en_passant().is_some_and(|to| {
        let mut plies = Vec::new();
        position.legal_plies(state.reserve(state.seat_to_move(board)), &mut plies);
        plies.iter().any(|ply| {
            ply.to() == to
                && ply.from().is_some_and(|from| {
                    position.board().pawns().contains(from) && from.file() != to.file()
                })
        })
    });
    if usable {
        return text;
    }
    let mut fields: Vec<&str> = text.split(' ').collect();
    fields[3] = "-";
    fields.join(" ")
}

#[test]
fn every_match_replays_to_its_recorded_final_positions() {
    let Some(lines) = lines() else { return };
    let mut plies = 0;
    for line in &lines {
        let id = line["id"].as_str().expect("an id");
        let mut state = Match::initial();
        for event in line["events"].as_array().expect("events") {
            let seat = seat(event);
            let ply: Ply = event["uci"].as_str().expect("a ply").parse().expect("UCI");
            let position: &Position = state.position(seat.board);
            assert_eq!(position.turn(), seat.color, "{id}: turn before {ply}");
            let reserve = *state.reserve(seat);
            let held = event["pocket_before"].as_str().expect("a reserve");
            let mut expected: Vec<char> = held.to_uppercase().chars().collect();
            let mut ours: Vec<char> = reserve.to_string().chars().collect();
            expected.sort_unstable();
            ours.sort_unstable();
            assert_eq!(ours, expected, "{id}: reserve before {ply}");
            assert_eq!(position.illegality(ply, &reserve, Supply::Partner), None, "{id}: {ply}");
            let text = event["san"].as_str().expect("SAN");
            assert_eq!(san::parse_san(position, text), Ok(ply), "{id}: {text}");
            let written = san::to_san(position, Supply::Partner, ply);
            assert_eq!(
                written.trim_end_matches(['+', '#']),
                text.trim_end_matches(['+', '#']),
                "{id}: {ply}"
            );
            let captured = state.play(seat.board, ply).captured.and_then(|it| it.role_to_reserve);
            assert_eq!(
                captured.map(|role| role.upper_char().to_string()).as_deref(),
                event["captured"].as_str(),
                "{id}: captured by {ply}"
            );
            plies += 1;
        }
        for board in BoardId::ALL {
            let expected = line[format!("final_fen_{board}")].as_str().expect("a FEN");
            assert_eq!(without_idle_en_passant(&state, board), expected, "{id}: board {board}");
        }
    }
    println!("{} matches, {plies} plies", lines.len());
    assert!(lines.len() >= 75, "the collection has lost matches");
}

#[test]
fn readable_records_and_ply_lists_of_the_collection_agree() {
    let (Some(lines), Some(bytes)) = (lines(), shared_file("corpus.bpgn")) else { return };
    let mut expected: BTreeMap<&str, &Value> =
        lines.iter().map(|line| (line["id"].as_str().expect("an id"), line)).collect();
    for game in bpgn::read(&bytes) {
        let game = game.unwrap_or_else(|error| panic!("{error}"));
        let event = game.tag("Event").expect("an Event tag");
        let id = event.rsplit(' ').next().expect("an id").to_owned();
        let line =
            expected.remove(id.as_str()).unwrap_or_else(|| panic!("{id} is not in corpus.jsonl"));
        let events = line["events"].as_array().expect("events");
        assert_eq!(game.plies.len(), events.len(), "{id}");
        for (ply, event) in game.plies.iter().zip(events) {
            assert_eq!(ply.seat(), seat(event), "{id}");
            assert_eq!(ply.ply.to_string(), event["uci"].as_str().expect("a ply"), "{id}");
        }
        assert_eq!(game.result.to_string(), line["result"].as_str().expect("a result"), "{id}");
        let written = bpgn::write(&game);
        let again = bpgn::read(written.as_bytes());
        assert_eq!(again, vec![Ok(game)], "{id} does not read back");
    }
    assert!(expected.is_empty(), "records are missing: {:?}", expected.keys());
}
