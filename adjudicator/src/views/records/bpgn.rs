//! A match as BPGN.

use std::time::{Duration, UNIX_EPOCH};

use rules::{
    BoardId, Color, DelayKind, Match, Seat, Supply, Team, TimeControl,
    bpgn::{BpgnGame, BpgnPly, EndReason, Ending, FEN_TAG, MatchResult},
};

use super::{Reader, standing::Standing};
use crate::{
    config::Config,
    hall::{self, Game, Hall},
};
use referee::ResultReason;

/// Tags in the order in which records have them, with the four names.
const NAME_TAGS: [&str; 4] = ["WhiteA", "BlackA", "WhiteB", "BlackB"];

/// Text for an unknown or withheld value.
const UNKNOWN: &str = "?";

pub(super) fn write(config: &Config, hall: &Hall, game: &Game, reader: Reader) -> String {
    let (record, standing) = (record(config, hall, game, reader), Standing::of(game));
    rules::bpgn::write_marking(&record, |index| reader.may_mark(game, standing.place(index)))
}

pub(super) fn record(config: &Config, hall: &Hall, game: &Game, reader: Reader) -> BpgnGame {
    let mut record = BpgnGame { tags: tags(config, hall, game), ..BpgnGame::default() };
    record.plies = plies(game, reader);
    if let Some(found) = game.ending() {
        record.result = result(&found);
        record.ending = Some(ending(&found, &record));
    }
    record
}

/// The date a match was opened, as records write it.
pub(super) fn date(game: &Game) -> String {
    let opened = UNIX_EPOCH + Duration::from_millis(game.opened_ms);
    let text = humantime::format_rfc3339_seconds(opened).to_string();
    text.get(..10).map_or_else(|| "????.??.??".to_owned(), |date| date.replace('-', "."))
}

/// The name at a seat as records write it: `?` unless the organiser opted in.
pub(super) fn name(hall: &Hall, game: &Game, seat: Seat) -> String {
    let mut people = hall.people(&game.table, Some(game), hall.disclosure().names());
    people.players[seat.index()].take().unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The round, where the organiser said who plays whom.
pub(super) fn round(hall: &Hall, game: &Game) -> Option<String> {
    let people = hall.people(&game.table, Some(game), hall.disclosure().names());
    people.round.map(|round| round.to_string())
}

/// Cause of the result.
pub(super) fn termination(game: &Game) -> String {
    match game.ending() {
        Some(ending) => ending.text,
        None if game.is_done() => "result not known to the system".to_owned(),
        None => "unterminated".to_owned(),
    }
}

fn tags(config: &Config, hall: &Hall, game: &Game) -> Vec<(String, String)> {
    let mut tags = vec![
        ("Event".to_owned(), config.event.name.clone()),
        ("Site".to_owned(), config.event.site.clone().unwrap_or_else(|| UNKNOWN.to_owned())),
        ("Date".to_owned(), date(game)),
        ("Table".to_owned(), game.table.clone()),
        ("Match".to_owned(), game.id.clone()),
    ];
    for (seat, tag) in Seat::ALL.into_iter().zip(NAME_TAGS) {
        tags.push((tag.to_owned(), name(hall, game, seat)));
    }
    let people = hall.people(&game.table, Some(game), hall.disclosure().names());
    if let (Some(section), Some(round)) = (&people.section, people.round) {
        tags.push(("Section".to_owned(), section.clone()));
        tags.push(("Round".to_owned(), round.to_string()));
    }
    for (team, tag) in people.team_labels().into_iter().zip(["Team1", "Team2"]) {
        tags.push((tag.to_owned(), team));
    }
    tags.push(("TimeControl".to_owned(), time_control(&game.time)));
    let delay = delay_tags(&game.time).into_iter();
    tags.extend(delay.map(|(name, value)| (name.to_owned(), value)));
    if !BoardId::ALL.iter().all(|&board| game.has(board)) {
        let sensed: String = game.boards.iter().map(ToString::to_string).collect();
        tags.push(("SensedBoards".to_owned(), sensed));
    }
    let start = game.referee().timeline().start();
    if start.clone().with_supply(Supply::Partner) != Match::initial() {
        tags.push((FEN_TAG.to_owned(), rules::fen::format_match(start)));
    }
    tags.push(("Rulebook".to_owned(), game.rulebook.name().to_owned()));
    tags.push(("Termination".to_owned(), termination(game)));
    tags
}

/// BPGN writes an increment always, also one of nothing.
fn time_control(time: &TimeControl) -> String {
    let tag = time.to_pgn_tag();
    let is_plain = tag.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { format!("{tag}+0") } else { tag }
}

/// Time control in words, beyond the `TimeControl` tag of PGN and BPGN.
pub(super) fn delay_tags(time: &TimeControl) -> Vec<(&'static str, String)> {
    if time.delay_s() == 0 {
        return Vec::new();
    }
    let kind = match time.delay() {
        DelayKind::Us => "us",
        DelayKind::Bronstein => "bronstein",
    };
    vec![("Delay", time.delay_s().to_string()), ("DelayKind", kind.to_owned())]
}

fn plies(game: &Game, reader: Reader) -> Vec<BpgnPly> {
    let standing = Standing::of(game);
    let comment = |index| {
        let after_end = game.referee().is_after_end(index).then(|| "after the end".to_owned());
        let words: Vec<String> =
            after_end.into_iter().chain(standing.taken_back(index).cloned()).collect();
        (!words.is_empty()).then(|| words.join("; "))
    };
    let all = game.referee().timeline().plies();
    let plies = standing.places().iter().map(|&index| (index, &all[index]));
    plies
        .map(|(index, ply)| BpgnPly {
            board: ply.report.board,
            color: ply.report.side,
            ply: ply.report.ply,
            clock_ms: reader.clock_ms(game, index),
            number: ply.number,
            comment: comment(index),
        })
        .collect()
}

/// The result by the team-1 convention.
pub(super) fn result(ending: &hall::Ending) -> MatchResult {
    match ending.winner {
        Some(Team::One) => MatchResult::TeamOne,
        Some(Team::Two) => MatchResult::TeamTwo,
        None if ending.is_loss_of_both() => MatchResult::Unknown,
        None => MatchResult::Draw,
    }
}

fn ending(found: &hall::Ending, record: &BpgnGame) -> Ending {
    // Where no board decided, the team's first player stands for it.
    let board = found.board.unwrap_or(BoardId::A);
    let loser = |winner: Team| {
        let at = |color| Seat { board, color };
        let white = at(Color::White);
        if white.team() == winner { at(Color::Black) } else { white }
    };
    let reason = match found.reason {
        ResultReason::Mate => EndReason::Checkmated,
        ResultReason::Flag => EndReason::ForfeitsOnTime,
        ResultReason::Resignation => EndReason::Resigns,
        ResultReason::KingCaptured | ResultReason::IllegalPly | ResultReason::Forfeit => {
            EndReason::Forfeits
        }
        ResultReason::BothFlags
        | ResultReason::Stalemate
        | ResultReason::Material
        | ResultReason::DeadPosition
        | ResultReason::Repetition
        | ResultReason::FiftyMoves
        | ResultReason::DrawnEnding
        | ResultReason::Agreement
        | ResultReason::DirectorsDraw
        | ResultReason::LosingChances => EndReason::Drawn,
    };
    match found.winner {
        Some(winner) => Ending::lost(loser(winner), reason, record),
        None => Ending {
            loser: None,
            reason,
            text: match found.reason {
                ResultReason::Forfeit => "Both teams forfeit".to_owned(),
                ResultReason::BothFlags => {
                    format!("Game drawn: both flags of board {board} down")
                }
                reason => format!("Game drawn: {}", reason.name().replace('-', " ")),
            },
        },
    }
}

/// The result of one board by itself, from White's side: PGN knows nothing of teams.
pub(super) fn board_result(game: &Game, board: BoardId) -> &'static str {
    let on_board = |ending: &hall::Ending| match game.game {
        rules::Game::Bughouse => ending.board == Some(board),
        rules::Game::Chess => true,
    };
    let Some(ending) = game.ending().filter(on_board) else {
        return "*";
    };
    let white = Seat { board, color: Color::White }.team();
    match ending.winner {
        Some(winner) if winner == white => "1-0",
        Some(_) => "0-1",
        None if ending.is_loss_of_both() => "*",
        None => "1/2-1/2",
    }
}
