//! One table as everybody may see it.

use referee::{Proposal, Referee, ResultReason};
use rules::{BoardId, Color, Match, Seat, Team};
use serde::Serialize;

use super::{PerBoard, ReservesView, Uncertain, doubt, placement, side_name};
use crate::hall::{Game, Hall, Table};

/// A board's clock at its last reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClockView {
    /// White's remaining time.
    pub white_ms: i64,
    /// Black's remaining time.
    pub black_ms: i64,
    /// Whose time runs.
    pub running: Option<&'static str>,
    /// When it was read, Unix milliseconds of the server.
    pub read_at_ms: u64,
}

/// One board as it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardView {
    /// Piece placement; promoted pieces carry `~`.
    pub fen: String,
    /// Whose turn it is.
    pub turn: &'static str,
    /// The last ply in UCI.
    pub last: Option<String>,
    /// `normal`, `check`, `blockable-check`, `mate`, `stalemate`, `flag`.
    pub state: String,
    /// Pieces whose type is not sure.
    pub uncertain: Vec<Uncertain>,
    /// What can be dropped here.
    pub reserves: ReservesView,
    /// The clock, once it has been read.
    pub clock: Option<ClockView>,
}

/// What the evidence says about a result. Never a ruling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultView {
    /// 1 or 2; 0 for a draw.
    pub winner: u8,
    /// The board that decided.
    pub board: BoardId,
    /// `mate`, `king-captured`, `flag`, `both-flags`.
    pub reason: &'static str,
    /// What the boards show, in words.
    pub text: String,
}

/// The four players' names, for events that opted in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayersView {
    /// White's name.
    pub white: Option<String>,
    /// Black's name.
    pub black: Option<String>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableView {
    /// Its name.
    pub table: String,
    /// What people call it.
    pub label: String,
    /// Its section.
    pub section: Option<String>,
    /// Labels of team 1 and team 2.
    pub teams: [String; 2],
    /// Names, only where the organiser opted in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<PerBoard<PlayersView>>,
    /// Its match.
    #[serde(rename = "match")]
    pub match_id: Option<String>,
    /// `waiting`, `set-up`, `ready`, `playing`, `paused`, `ended`.
    pub state: &'static str,
    /// `live` or `lost`.
    pub sensors: &'static str,
    /// Since when they are lost, Unix milliseconds.
    pub stale_since_ms: Option<u64>,
    /// The boards.
    pub boards: PerBoard<BoardView>,
    /// Plies of both boards.
    pub ply_count: usize,
    /// What the evidence says about the result.
    pub result: Option<ResultView>,
}

impl TableView {
    /// A table with its current match.
    pub fn of(hall: &Hall, table: &Table) -> TableView {
        let game = table.match_id.as_deref().and_then(|id| hall.game(id));
        TableView::new(hall, &table.name, Some(table), game)
    }

    /// A match's table, showing that match, also when another is played there by now.
    pub fn of_game(hall: &Hall, game: &Game) -> TableView {
        let table = hall.tables().iter().find(|table| table.name == game.table);
        TableView::new(hall, &game.table, table, Some(game))
    }

    fn new(hall: &Hall, name: &str, table: Option<&Table>, game: Option<&Game>) -> TableView {
        let is_live = table.is_some_and(Table::is_live);
        let disclosure = hall.disclosure();
        let players = PerBoard::of(|board| PlayersView {
            white: disclosure.player(name, Seat { board, color: Color::White }).map(str::to_owned),
            black: disclosure.player(name, Seat { board, color: Color::Black }).map(str::to_owned),
        });
        let is_named = [&players.A, &players.B]
            .iter()
            .any(|board| board.white.is_some() || board.black.is_some());
        TableView {
            table: name.to_owned(),
            label: disclosure.label(name),
            section: disclosure.section(name),
            teams: disclosure.teams(name),
            players: is_named.then_some(players),
            match_id: game.map(|game| game.id.clone()),
            state: game.map_or("waiting", |game| game.referee().phase().name()),
            sensors: if is_live { "live" } else { "lost" },
            stale_since_ms: table.and_then(Table::stale_since_ms),
            boards: PerBoard::of(|board| match game {
                Some(game) => BoardView::of(game, board),
                None => BoardView::empty(board),
            }),
            ply_count: game.map_or(0, |game| game.referee().timeline().plies().len()),
            result: game.and_then(ResultView::of),
        }
    }
}

impl BoardView {
    /// A board before any match.
    fn empty(board: BoardId) -> BoardView {
        let start = Match::initial();
        BoardView {
            fen: placement(&start, board),
            turn: side_name(Color::White),
            last: None,
            state: "normal".to_owned(),
            uncertain: Vec::new(),
            reserves: ReservesView::of(&start, board),
            clock: None,
        }
    }

    fn of(game: &Game, board: BoardId) -> BoardView {
        let referee = game.referee();
        let now = referee.timeline().now();
        let plies = referee.timeline().plies();
        let last = plies.iter().rev().find(|ply| ply.report.board == board);
        let clock = game.clock(board).map(|(reading, read_at_ms)| ClockView {
            white_ms: reading.white_ms.max(0),
            black_ms: reading.black_ms.max(0),
            running: reading.running.map(side_name),
            read_at_ms,
        });
        BoardView {
            fen: placement(&now.boards, board),
            turn: side_name(now.boards.position(board).turn()),
            last: last.map(|ply| ply.report.ply.to_string()),
            state: state(referee, board),
            uncertain: doubt::on_board(referee.timeline(), now, board),
            reserves: ReservesView::of(&now.boards, board),
            clock,
        }
    }
}

/// A fallen flag is said only when a result rests on it: before that players must see it themselves.
fn state(referee: &Referee, board: BoardId) -> String {
    let by_flag = |proposal: &&Proposal| {
        proposal.board == board
            && matches!(proposal.reason, ResultReason::Flag | ResultReason::BothFlags)
    };
    match shown(referee).filter(by_flag) {
        Some(_) => "flag".to_owned(),
        None => referee.state(board).to_string(),
    }
}

/// The proposed result, once it has stood long enough to be shown.
fn shown(referee: &Referee) -> Option<&Proposal> {
    referee.proposal().filter(|proposal| proposal.settled)
}

impl ResultView {
    /// What may be said about a match's result.
    pub fn of(game: &Game) -> Option<ResultView> {
        let proposal = shown(game.referee())?;
        Some(ResultView {
            winner: match proposal.winner {
                Some(Team::One) => 1,
                Some(Team::Two) => 2,
                None => 0,
            },
            board: proposal.board,
            reason: proposal.reason.name(),
            text: proposal.text.clone(),
        })
    }
}
