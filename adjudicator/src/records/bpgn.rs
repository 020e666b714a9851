//! A match as BPGN.

use std::time::{Duration, UNIX_EPOCH};

use rules::{
    BoardId, Color, DelayKind, Match, Seat, Supply, Team, TimeControl,
    bpgn::{BpgnGame, BpgnPly, EndReason, Ending, FEN_TAG, GameResult},
};

use super::Reader;
use crate::{
    config::Config,
    hall::{Game, Hall},
};
use referee::{Phase, Proposal, ResultReason};

/// Tags in the order in which records have them, with the four names.
const NAME_TAGS: [&str; 4] = ["WhiteA", "BlackA", "WhiteB", "BlackB"];

/// What stands where something is not known or not told.
const UNKNOWN: &str = "?";

pub(super) fn write(config: &Config, hall: &Hall, game: &Game, reader: Reader) -> String {
    let record = record(config, hall, game, reader);
    rules::bpgn::write_marking(&record, |index| reader.may_mark(game, index))
}

fn record(config: &Config, hall: &Hall, game: &Game, reader: Reader) -> BpgnGame {
    let mut record = BpgnGame { tags: tags(config, hall, game), ..BpgnGame::default() };
    record.plies = plies(game, reader);
    if let Some(proposal) = settled(game) {
        record.result = result(proposal);
        record.ending = Some(ending(proposal, &record));
    }
    record
}

/// The settled proposal, if there is one.
pub(super) fn settled(game: &Game) -> Option<&Proposal> {
    game.referee().proposal().filter(|proposal| proposal.settled)
}

/// The date a match was opened, as records write it.
pub(super) fn date(game: &Game) -> String {
    let opened = UNIX_EPOCH + Duration::from_millis(game.opened_ms);
    let text = humantime::format_rfc3339_seconds(opened).to_string();
    text.get(..10).map_or_else(|| "????.??.??".to_owned(), |date| date.replace('-', "."))
}

/// The name at a seat as records write it: `?` unless the organiser opted in.
pub(super) fn name(hall: &Hall, game: &Game, seat: Seat) -> String {
    hall.disclosure().player(&game.table, seat).unwrap_or(UNKNOWN).to_owned()
}

/// How the result came about, with the words that nobody has confirmed it.
pub(super) fn termination(game: &Game) -> String {
    match settled(game) {
        Some(proposal) => proposal.text.clone(),
        None if game.referee().is_over() || game.referee().phase() == Phase::Ended => {
            "result not known to the system".to_owned()
        }
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
    for (team, tag) in hall.disclosure().teams(&game.table).into_iter().zip(["Team1", "Team2"]) {
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

/// What the `TimeControl` tag of PGN and BPGN cannot say.
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
    let after_end = |index| game.referee().is_after_end(index).then(|| "after the end".to_owned());
    let plies = game.referee().timeline().plies().iter().enumerate();
    plies
        .map(|(index, ply)| BpgnPly {
            board: ply.report.board,
            color: ply.report.side,
            ply: ply.report.ply,
            clock_ms: reader.clock_ms(game, index),
            number: ply.number,
            comment: after_end(index),
        })
        .collect()
}

/// The result by the team-1 convention.
pub(super) fn result(proposal: &Proposal) -> GameResult {
    match proposal.winner {
        Some(Team::One) => GameResult::TeamOne,
        Some(Team::Two) => GameResult::TeamTwo,
        None => GameResult::Draw,
    }
}

fn ending(proposal: &Proposal, record: &BpgnGame) -> Ending {
    let loser = |winner: Team| {
        let at = |color| Seat { board: proposal.board, color };
        let white = at(Color::White);
        if white.team() == winner { at(Color::Black) } else { white }
    };
    let reason = match proposal.reason {
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
    match proposal.winner {
        Some(winner) => Ending::lost(loser(winner), reason, record),
        None => Ending {
            loser: None,
            reason,
            text: match proposal.reason {
                ResultReason::BothFlags => {
                    format!("Game drawn: both flags of board {} down", proposal.board)
                }
                reason => format!("Game drawn: {}", reason.name().replace('-', " ")),
            },
        },
    }
}

/// The result of one board by itself, from White's side: PGN knows nothing of teams.
pub(super) fn board_result(game: &Game, board: BoardId) -> &'static str {
    let Some(proposal) = settled(game).filter(|proposal| proposal.board == board) else {
        return "*";
    };
    let white = Seat { board, color: Color::White }.team();
    match proposal.winner {
        Some(winner) if winner == white => "1-0",
        Some(_) => "0-1",
        None => "1/2-1/2",
    }
}
