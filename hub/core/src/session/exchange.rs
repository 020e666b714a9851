//! Two boards, or two clocks, of a table in each other's place: detection by their readings. Pure.
//!
//! Our nodes are known by their ids, wherever they are plugged in. Boards of other makers without an id are known by their
//! ports, and no cable shows which clock belongs to which board. An exchange is reported and not corrected: to move readings
//! to the other board would be a guess that rewrites a record.

use std::fmt;

use readings::{Occupancy, ReadingKind};
use rules::{Bitboard, BoardId};

use super::node_book::ComplaintSource;
use super::open_match::Phase;
use super::{BoardNodes, Session, SessionOutput};
use crate::HubTime;
use crate::journal_line::{NodeLine, NodeState};

/// Number of squares by which each board, after a cut, must fit the other board better than itself. A move changes
/// two or three, so that hands which went on meanwhile do not make up for it.
const SQUARES_MIN: usize = 6;
/// Odds that a press belongs to the board on which a piece was put down last: of five presses in simulated matches
/// at least four follow what was put down on their own board, with the clumsiest players too.
const ODDS_PER_PRESS: f64 = 4.0;
/// The odds at which clocks count as exchanged, and as put right again: eight presses more for it than against it.
const ODDS_TO_NOTICE: f64 = 50_000.0;
/// Age beyond which a put-down piece is no evidence about a press, microseconds.
const RECENT_US: u64 = 20_000_000;

/// Evidence of exchanges in one match.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    boards: ExchangedBoards,
    clocks: ExchangedClocks,
}

/// A detected exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noticed {
    /// The boards show each other's pieces: from now on (true), or no more.
    Boards(bool),
    /// The clocks are pressed after each other's plies: for some while (true), or no more.
    Clocks(bool),
}

impl Noticed {
    /// The exchange to be put right, or that has been.
    const fn is_trouble(self) -> bool {
        matches!(self, Noticed::Boards(true) | Noticed::Clocks(true))
    }

    /// The kind of node that was exchanged.
    fn concerns(self, nodes: &BoardNodes) -> Option<&String> {
        match self {
            Noticed::Boards(_) => nodes.squares.as_ref(),
            Noticed::Clocks(_) => nodes.clock.as_ref(),
        }
    }
}

impl fmt::Display for Noticed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Noticed::Boards(true) => {
                "what is read on board A looks like board B, and the other way round: exchange the two boards' cables"
            }
            Noticed::Boards(false) => "boards A and B show their own pieces again",
            Noticed::Clocks(true) => {
                "the clock of board A is pressed after plies on board B, and the other way round: exchange the two clocks, or \
                 their cables"
            }
            Noticed::Clocks(false) => "each clock is pressed after plies on its own board again",
        })
    }
}

impl Exchange {
    /// The node of a board's squares is away; the board showed this.
    fn board_left(&mut self, board: BoardId, shown: Option<Bitboard>) {
        self.boards.left(board, shown);
    }

    /// All squares of a board were read.
    fn board_shows(&mut self, board: BoardId, shown: Bitboard) -> Option<Noticed> {
        self.boards.shows(board, shown).map(Noticed::Boards)
    }

    /// A square of a board changed; perhaps a piece was put down.
    fn square_changed(&mut self, board: BoardId, put_down: bool, at: HubTime) {
        self.boards.goes_on(board);
        if put_down {
            // Boards that are read as each other are one trouble, and no second one of the clocks.
            let stands_at = if self.boards.exchanged { board.other() } else { board };
            self.clocks.put_down[stands_at.index()] = Some(at);
        }
    }

    /// A board's clock was pressed.
    fn pressed(&mut self, board: BoardId, at: HubTime) -> Option<Noticed> {
        self.clocks.pressed(board, at).map(Noticed::Clocks)
    }

    /// Whether either board's readings may be the other's.
    pub(super) fn is_doubtful(&self) -> bool {
        self.boards.exchanged || self.clocks.exchanged
    }
}

/// Boards without an id whose cables were exchanged.
#[derive(Clone, Debug, Default)]
struct ExchangedBoards {
    absences: [Absence; 2],
    exchanged: bool,
}

/// A board's cable was out.
#[derive(Clone, Copy, Debug, Default)]
struct Absence {
    /// Occupied squares before the cut.
    before: Option<Bitboard>,
    /// Occupied squares since the board is back.
    since: Option<Bitboard>,
    /// Both cables were out at the same time, without which they cannot be exchanged.
    with_the_other: bool,
}

impl Absence {
    fn is_away(self) -> bool {
        self.before.is_some() && self.since.is_none()
    }
}

impl ExchangedBoards {
    fn left(&mut self, board: BoardId, shown: Option<Bitboard>) {
        let with_the_other = self.absences[board.other().index()].is_away();
        if with_the_other {
            self.absences[board.other().index()].with_the_other = true;
        }
        self.absences[board.index()] = Absence { before: shown, since: None, with_the_other };
    }

    fn goes_on(&mut self, board: BoardId) {
        if self.absences[board.index()].is_away() {
            self.absences[board.index()] = Absence::default();
        }
    }

    fn shows(&mut self, board: BoardId, shown: Bitboard) -> Option<bool> {
        let absence = &mut self.absences[board.index()];
        if !absence.is_away() {
            return None;
        }
        absence.since = Some(shown);
        if !absence.with_the_other {
            *absence = Absence::default();
            return None;
        }
        let [a, b] = self.absences;
        let fits_crosswise = |own: Absence, other: Absence| {
            let (own_before, other_before, now) = (own.before?, other.before?, own.since?);
            let (to_own, to_other) = ((now ^ own_before).count(), (now ^ other_before).count());
            Some(to_own >= to_other + SQUARES_MIN)
        };
        let crosswise = (fits_crosswise(a, b)?, fits_crosswise(b, a)?);
        self.absences = Default::default();
        if crosswise != (true, true) {
            return None;
        }
        self.exchanged = !self.exchanged;
        Some(self.exchanged)
    }
}

/// Clocks that were exchanged on the tables: a press on the one completes a ply on the other's board.
#[derive(Clone, Debug, Default)]
struct ExchangedClocks {
    /// Time of the last put-down piece on each board.
    put_down: [Option<HubTime>; 2],
    /// Logarithm of the odds that the clocks are exchanged, since they last were certainly right (or wrong,
    /// once they are known to stand wrong).
    evidence: f64,
    exchanged: bool,
}

impl ExchangedClocks {
    /// Page's cumulative sum test, as the exchange may happen at any time: evidence for how it is does not pile up
    /// against what comes later.
    fn pressed(&mut self, board: BoardId, at: HubTime) -> Option<bool> {
        let since = |board: BoardId| {
            let put_down = self.put_down[board.index()]?;
            Some(at.micros_since(put_down)).filter(|&since_us| since_us <= RECENT_US)
        };
        let crosswise = match (since(board), since(board.other())) {
            (None, None) => return None,
            (Some(_), None) => false,
            (None, Some(_)) => true,
            (Some(own_us), Some(other_us)) => other_us < own_us,
        };
        let step = if crosswise == self.exchanged { -1.0 } else { 1.0 } * libm::log(ODDS_PER_PRESS);
        self.evidence = (self.evidence + step).max(0.0);
        if self.evidence < libm::log(ODDS_TO_NOTICE) {
            return None;
        }
        self.evidence = 0.0;
        self.exchanged = !self.exchanged;
        Some(self.exchanged)
    }
}

impl Session {
    /// Adds a reading's evidence of exchanged boards and clocks. `before`: the squares that were occupied until then.
    pub(super) fn look_for_exchange(
        &mut self,
        board: BoardId,
        kind: &ReadingKind,
        before: Option<Occupancy>,
    ) {
        let at = self.now;
        let shown = self.boards.get(&board).and_then(|view| view.occupied);
        let Some(open) = self.phase.open_mut() else { return };
        let noticed = match (kind, shown, before) {
            (ReadingKind::Snapshot { .. }, Some(shown), _) => {
                open.exchange.board_shows(board, shown.0)
            }
            (ReadingKind::Square { .. }, Some(shown), Some(before)) => {
                open.exchange.square_changed(board, !(shown.0 & !before.0).is_empty(), at);
                None
            }
            (ReadingKind::Press { .. }, ..) => open.exchange.pressed(board, at),
            _ => None,
        };
        if let Some(noticed) = noticed {
            self.tell_of_exchange(noticed);
        }
    }

    /// The node of a board's squares may have gone.
    pub(super) fn note_absence(&mut self, node: &NodeLine) {
        let reads_squares = self.config.nodes.get(&node.board).is_some_and(|nodes| {
            nodes.squares.as_deref() == Some(&node.node) && node.state == NodeState::Lost
        });
        let shown = self.boards.get(&node.board).and_then(|view| view.occupied);
        if let Some(open) = self.phase.open_mut().filter(|_| reads_squares) {
            open.exchange.board_left(node.board, shown.map(|shown| shown.0));
        }
    }

    fn tell_of_exchange(&mut self, noticed: Noticed) {
        let words = noticed.to_string();
        self.outputs.push_back(SessionOutput::Notice(words.clone()));
        let complaint = noticed.is_trouble().then_some(words.as_str());
        self.judge_nodes(|nodes| noticed.concerns(nodes), complaint);
    }

    /// Withdraws what was noticed in a match: it is closed, or the next one is opened. Its mere end may be taken back, and whatever was exchanged
    /// stays so meanwhile.
    pub(super) fn forget_exchange(&mut self) {
        let (Phase::Open(open) | Phase::Over(open)) = &self.phase else { return };
        let (boards, clocks) = (open.exchange.boards.exchanged, open.exchange.clocks.exchanged);
        if boards {
            self.judge_nodes(|nodes| nodes.squares.as_ref(), None);
        }
        if clocks {
            self.judge_nodes(|nodes| nodes.clock.as_ref(), None);
        }
    }

    /// Says of one node of each board that it is not to be trusted, or is again.
    fn judge_nodes(
        &mut self,
        which: impl Fn(&BoardNodes) -> Option<&String>,
        complaint: Option<&str>,
    ) {
        let of_boards = self.config.nodes.iter();
        let nodes: Vec<(BoardId, String)> =
            of_boards.filter_map(|(&board, nodes)| Some((board, which(nodes)?.clone()))).collect();
        for (board, node) in nodes {
            let news = self.nodes.complain(&node, ComplaintSource::Exchange, complaint);
            self.publish_node(&node, board, news);
        }
    }
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;
