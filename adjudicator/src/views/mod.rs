//! Views of the hall, as the JSON that pages and other programs read.
//!
//! Views are made from the hall on request, so they cannot disagree with it. Nothing silent is in
//! them: an illegal ply is shown as such only after the claim against it has closed, a fallen flag only
//! when it has been claimed or the match is over. Names come through the hall's
//! [`Disclosure`](crate::config::Disclosure) alone.

mod at_table;
mod belongs;
mod child;
mod claim;
pub(crate) mod cursor;
mod decided;
pub(crate) mod delays;
mod director;
mod doubt;
pub(crate) mod halls;
mod ledger;
pub(crate) mod merge_patch;
pub mod needs;
mod notices;
mod orders;
mod photo_finish;
mod ply;
mod put_up;
pub mod read_view;
pub mod records;
mod remedy;
mod sheet;
mod table;
mod zero_test;

pub use at_table::AtTableView;
pub use belongs::{BelongsView, PairingChoice};
pub use child::{ChildMessages, ChildView};
pub use claim::{ClaimView, ClauseView, VerdictView, appeal_of, claims};
pub use decided::DecidedView;
pub use director::DirectorView;
pub use doubt::{Candidate, Uncertain};
pub use ledger::{LedgerView, ledger};
pub use notices::{EndsView, NoticesView, RoundTimes};
pub(crate) use orders::words as order_words;
pub use orders::{ClipView, OrderView, ProposedOrder, QuestionView};
pub use photo_finish::PhotoFinishView;
pub use ply::PlyView;
pub use put_up::PutUpView;
use rules::{BoardId, Color, Match, Seat, Supply};
use serde::Serialize;
use serde_json::value::RawValue;
pub use sheet::{EventSheet, StandingsSheet};
pub use table::{BoardView, ClockView, PlayersView, ResultView, TableView};

use crate::{
    config::Config,
    hall::{Game, Hall},
    views::{
        cursor::Cursor,
        read_view::{Shown, Sight},
    },
};

/// A player's reserve on each side of a board: upper-case letters, most valuable first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReservesView {
    /// White's.
    pub white: String,
    /// Black's.
    pub black: String,
}

impl ReservesView {
    /// None in chess, and where the other board has no sensors: the reserve is unknown.
    fn of(boards: &Match, board: BoardId) -> Option<ReservesView> {
        let of = |color| boards.reserve(Seat { board, color }).to_string();
        let is_known = boards.supply() == Supply::Partner;
        is_known.then(|| ReservesView { white: of(Color::White), black: of(Color::Black) })
    }
}

/// One value for each board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(non_snake_case)]
pub struct PerBoard<T> {
    /// Board A's.
    pub A: T,
    /// Board B's.
    pub B: T,
}

impl<T> PerBoard<T> {
    fn of(make: impl Fn(BoardId) -> T) -> PerBoard<T> {
        PerBoard { A: make(BoardId::A), B: make(BoardId::B) }
    }
}

/// The event's own lines.
#[derive(Clone, Debug, Serialize)]
pub struct EventView {
    /// Its name.
    pub name: String,
    /// Id of its rulebook, where the organiser named one.
    pub rulebook: Option<String>,
}

/// Every table of the hall.
#[derive(Clone, Debug, Serialize)]
pub struct RoundView {
    /// The event.
    pub event: EventView,
    /// Live events up to this one are in this picture. A word without a meaning, to be sent back as it is.
    pub last_event_id: Cursor,
    /// The server's time, Unix milliseconds.
    pub now_ms: u64,
    /// Seconds of match time in a second.
    pub clock_rate: f64,
    /// Largest delay behind the boards, seconds; each table has its own.
    pub delay_s: u64,
    /// The tables.
    pub tables: Vec<TableView>,
}

impl RoundView {
    /// An audience's view at a moment.
    pub fn of(config: &Config, sight: &Sight, now_ms: u64) -> RoundView {
        let tables = sight.tables();
        let delay_s = tables.iter().map(|(hall, _)| hall.delay().as_secs()).max();
        RoundView {
            event: EventView {
                name: config.event.name.clone(),
                rulebook: config.event.rulebook.clone(),
            },
            last_event_id: sight.cursor(),
            now_ms,
            clock_rate: config.http.clock_rate,
            delay_s: delay_s.unwrap_or(sight.delay().as_secs()),
            tables: tables.into_iter().map(|(hall, table)| TableView::of(hall, table)).collect(),
        }
    }
}

/// One match with all its plies.
#[derive(Clone, Debug, Serialize)]
pub struct MatchView {
    /// Present state of the match's table.
    pub table: TableView,
    /// Name of the event.
    pub event: String,
    /// Time of the match's opening, Unix milliseconds.
    pub opened_ms: u64,
    /// Live events up to this one are in this picture. A word without a meaning, to be sent back as it is.
    pub last_event_id: Cursor,
    /// The server's time, Unix milliseconds.
    pub now_ms: u64,
    /// Seconds of match time in a second.
    pub clock_rate: f64,
    /// Each player's time at the start, milliseconds; the table has the whole time control.
    pub base_ms: u64,
    /// Piece placements at the start, of the boards that have sensors.
    pub start: PerBoard<Option<String>>,
    /// All plies in the order in which they were completed, over both boards: [`PlyView`]s.
    pub plies: Box<RawValue>,
    /// Claims that directors have ruled on, oldest first.
    pub decided: Vec<DecidedView>,
}

impl MatchView {
    /// A match at a moment, for a client at `cursor`.
    pub fn of(config: &Config, cursor: Cursor, shown: Shown<'_>, now_ms: u64) -> MatchView {
        let plies = PlyView::all_as_json(shown.game);
        MatchView::with_plies(config, cursor, shown, now_ms, plies)
    }

    /// The same, whose plies were written before.
    pub(crate) fn with_plies(
        config: &Config,
        cursor: Cursor,
        shown: Shown<'_>,
        now_ms: u64,
        plies: String,
    ) -> MatchView {
        let Shown { hall, game, .. } = shown;
        let start = game.referee().timeline().start();
        MatchView {
            table: TableView::of_game(hall, game),
            event: config.event.name.clone(),
            opened_ms: hall.shown_ms(game.opened_ms),
            last_event_id: cursor,
            now_ms,
            clock_rate: config.http.clock_rate,
            base_ms: game.time.start_ms(),
            start: PerBoard::of(|board| game.has(board).then(|| placement(start, board))),
            plies: RawValue::from_string(plies).unwrap_or_default(),
            decided: DecidedView::all(game),
        }
    }
}

/// One line of the list of matches.
#[derive(Clone, Debug, Serialize)]
pub struct MatchLine {
    /// The match's id.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Its table.
    pub table: String,
    /// The table's name for people.
    pub label: String,
    /// `set-up`, `ready`, `playing`, `paused`, `ended`.
    pub state: &'static str,
    /// Time of its opening, Unix milliseconds.
    pub opened_ms: u64,
    /// Plies of both boards.
    pub ply_count: usize,
    /// Result by the evidence.
    pub result: Option<ResultView>,
}

impl MatchLine {
    /// A match in the list.
    pub fn of(hall: &Hall, game: &Game) -> MatchLine {
        MatchLine {
            match_id: game.id.clone(),
            table: game.table.clone(),
            label: hall.disclosure().label(&game.table),
            state: game.referee().phase().name(),
            opened_ms: hall.shown_ms(game.opened_ms),
            ply_count: game.referee().timeline().plies().len(),
            result: {
                let names = hall.disclosure().names();
                ResultView::of(game, &hall.people(&game.table, Some(game), names))
            },
        }
    }
}

/// Plies that replace everything from a position on.
#[derive(Clone, Debug, Serialize)]
pub struct PliesView {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Position of the first ply that is replaced.
    pub from: usize,
    /// Position there and after it now.
    pub plies: Vec<PlyView>,
    /// Number of plies of the match.
    pub total: usize,
}

impl PliesView {
    /// A match's plies from a position on.
    pub fn of(game: &Game, from: usize) -> PliesView {
        PliesView {
            match_id: game.id.clone(),
            from,
            plies: PlyView::all_from(game, from),
            total: game.referee().timeline().plies().len(),
        }
    }
}

fn placement(boards: &Match, board: BoardId) -> String {
    rules::fen::format_placement(boards.position(board))
}

fn side_name(side: Color) -> &'static str {
    match side {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// Probabilities to four places: more is noise, and fewer bytes reach more phones.
fn rounded(p: f64) -> f64 {
    (p * 10_000.0).round() / 10_000.0
}
