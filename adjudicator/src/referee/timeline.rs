//! The plies of both boards in the order in which they happened, and what each led to.
//!
//! Reports come late, are revised, retracted and inserted. The order is that of (time, id); after any
//! change everything from that ply on is played again from the state before it, which is kept for
//! every ply. So a late change costs at most the plies after it, and any sequence of reports that
//! ends in the same plies ends in the same state.

use std::collections::HashMap;

use rules::{BoardId, BoardState, Captured, Color, IllegalReason, Match, Piece, Ply, Role, Square};

use super::{
    input::{PlyId, PlyReport},
    set_up,
};

/// Most plies kept of one match. A five-minute match has some 130; reports beyond are refused.
pub const MAX_PLIES: usize = 4096;

/// No ply put this piece there.
const NOBODY: u16 = u16::MAX;

/// Both boards after a ply, and which ply dropped or promoted each piece that stands on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Positions and reserves.
    pub boards: Match,
    /// For each board and square: position in the timeline of the drop or promotion that made this
    /// piece what it is.
    origins: [[u16; 64]; 2],
}

impl Standing {
    fn new(boards: Match) -> Standing {
        Standing { boards, origins: [[NOBODY; 64]; 2] }
    }

    /// The drops and promotions whose piece still stands on a board: square and position in the
    /// timeline.
    pub fn placed(&self, board: BoardId) -> impl Iterator<Item = (Square, usize)> + '_ {
        let origins = &self.origins[board.index()];
        let placed = Square::ALL.into_iter().zip(origins);
        placed
            .filter(|&(_, &origin)| origin != NOBODY)
            .map(|(square, &origin)| (square, usize::from(origin)))
    }

    fn play(&mut self, index: usize, report: &PlyReport) -> Option<Captured> {
        let origins = &mut self.origins[report.board.index()];
        let played = self.boards.play(report.board, report.ply);
        if let Some(captured) = played.captured {
            origins[usize::from(captured.square)] = NOBODY;
        }
        let here = u16::try_from(index).unwrap_or(NOBODY);
        match report.ply {
            Ply::Drop { to, .. } => origins[usize::from(to)] = here,
            Ply::Move { from, to, .. } => {
                let moved = std::mem::replace(&mut origins[usize::from(from)], NOBODY);
                origins[usize::from(to)] = if played.promoted { here } else { moved };
            }
        }
        if let Some((from, to)) = played.castling_rook {
            origins[usize::from(to)] = std::mem::replace(&mut origins[usize::from(from)], NOBODY);
        }
        played.captured
    }
}

/// A ply and what it led to.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedPly {
    /// What the hub says.
    pub report: PlyReport,
    /// What the hub said before, where that was another ply.
    pub was: Option<Ply>,
    /// Move number on its board, from 1.
    pub number: u32,
    /// Why it was illegal, if it was.
    pub illegal: Option<IllegalReason>,
    /// Whose king it took, if it took one.
    pub king_taken: Option<Color>,
    /// How the opponent stands on this board afterwards.
    pub state: BoardState,
    /// The ply in SAN.
    pub san: String,
    /// Both boards afterwards.
    pub after: Standing,
}

impl TimedPly {
    fn key(&self) -> (u64, PlyId) {
        (self.report.t_us, self.report.id)
    }
}

/// All plies of a match in order.
#[derive(Clone, Debug)]
pub struct Timeline {
    start: Standing,
    plies: Vec<TimedPly>,
    /// Highest revision seen of every id, also of retracted ones: what is older is ignored.
    revisions: HashMap<PlyId, u32>,
}

impl Timeline {
    /// An empty timeline.
    pub fn new(start: Match) -> Timeline {
        Timeline { start: Standing::new(start), plies: Vec::new(), revisions: HashMap::new() }
    }

    /// The plies in order.
    pub fn plies(&self) -> &[TimedPly] {
        &self.plies
    }

    /// Both boards before the first ply.
    pub fn start(&self) -> &Match {
        &self.start.boards
    }

    /// Both boards before the ply at `index`, or as they stand when `index` is the number of plies.
    pub fn before(&self, index: usize) -> &Standing {
        match index.checked_sub(1).and_then(|previous| self.plies.get(previous)) {
            Some(previous) => &previous.after,
            None => &self.start,
        }
    }

    /// Both boards as they stand.
    pub fn now(&self) -> &Standing {
        self.before(self.plies.len())
    }

    /// Position of a ply in the order.
    pub fn index_of(&self, id: PlyId) -> Option<usize> {
        self.plies.iter().position(|ply| ply.report.id == id)
    }

    /// Takes a report in. Returns the position of the first ply that is no longer what it was; none
    /// when the report is older than what is known, or too many plies are known already.
    pub fn report(&mut self, report: PlyReport) -> Option<usize> {
        let known = self.revisions.get(&report.id);
        if known.is_some_and(|&revision| report.revision <= revision) {
            return None;
        }
        if self.revisions.len() >= MAX_PLIES && known.is_none() {
            return None;
        }
        self.revisions.insert(report.id, report.revision);
        let Some(index) = self.index_of(report.id) else {
            return Some(self.insert(report, None));
        };
        let old = &self.plies[index];
        let was = if old.report.ply == report.ply { old.was } else { Some(old.report.ply) };
        let same_place = (old.report.t_us, old.report.board, old.report.side)
            == (report.t_us, report.board, report.side);
        if same_place {
            let same_ply = old.report.ply == report.ply;
            self.plies[index].report = report;
            self.plies[index].was = was;
            if !same_ply {
                self.replay(index);
            }
            return Some(index);
        }
        self.plies.remove(index);
        let inserted = self.insert(report, was);
        let first = inserted.min(index);
        self.replay(first);
        Some(first)
    }

    /// Takes a ply out. Returns the position from which plies changed.
    pub fn retract(&mut self, id: PlyId) -> Option<usize> {
        let index = self.index_of(id)?;
        self.plies.remove(index);
        self.replay(index);
        Some(index)
    }

    /// Takes the set-up that the plies speak for. Returns whether it is another one than before.
    pub(super) fn follow_set_up(&mut self) -> bool {
        let is_usual = self.start.boards == Match::initial();
        let agrees = |ply: &TimedPly| !ply.report.legal || ply.illegal.is_none();
        if is_usual && self.plies.iter().all(agrees) {
            return false;
        }
        let reports: Vec<&PlyReport> = self.plies.iter().map(|ply| &ply.report).collect();
        let start = set_up::inferred(&reports);
        if start == self.start.boards {
            return false;
        }
        self.start = Standing::new(start);
        self.replay(0);
        true
    }

    fn insert(&mut self, report: PlyReport, was: Option<Ply>) -> usize {
        let key = (report.t_us, report.id);
        let index = self.plies.partition_point(|ply| ply.key() < key);
        let ply = self.play(index, report, was);
        self.plies.insert(index, ply);
        self.replay(index + 1);
        index
    }

    /// Plays everything from `first` on again.
    fn replay(&mut self, first: usize) {
        for index in first..self.plies.len() {
            let TimedPly { report, was, .. } = self.plies[index].clone();
            self.plies[index] = self.play(index, report, was);
        }
    }

    fn play(&self, index: usize, report: PlyReport, was: Option<Ply>) -> TimedPly {
        let mut after = self.before(index).clone();
        let out_of_turn = after.boards.position(report.board).turn() != report.side;
        give_turn(&mut after.boards, report.board, report.side);
        let number = u32::from(after.boards.position(report.board).fullmove_number());
        let illegal = after
            .boards
            .illegality(report.board, report.ply)
            .or(out_of_turn.then_some(IllegalReason::NotYourPiece));
        let san = san(&after.boards, report.board, report.ply);
        let captured = after.play(index, &report);
        let king_taken = captured.and_then(|captured| match captured.piece {
            Piece { role: Role::King, color } => Some(color),
            _ => None,
        });
        let state = match king_taken {
            Some(_) => BoardState::Normal,
            None => after.boards.state(report.board),
        };
        TimedPly { report, was, number, illegal, king_taken, state, san, after }
    }

    /// Both boards before the ply at `index`, with its side to move.
    fn stage(&self, index: usize) -> Match {
        let report = &self.plies[index].report;
        let mut boards = self.before(index).boards.clone();
        give_turn(&mut boards, report.board, report.side);
        boards
    }

    /// Another ply in the place of the one at `index`, in SAN.
    pub fn san_instead(&self, index: usize, ply: Ply) -> String {
        san(&self.stage(index), self.plies[index].report.board, ply)
    }

    /// Whether another ply in the place of the one at `index` would have been illegal.
    pub fn is_illegal_instead(&self, index: usize, ply: Ply) -> bool {
        self.stage(index).illegality(self.plies[index].report.board, ply).is_some()
    }

    /// How the opponent would stand after another ply in the place of the one at `index`.
    pub fn state_instead(&self, index: usize, ply: Ply) -> BoardState {
        let board = self.plies[index].report.board;
        let mut boards = self.stage(index);
        boards.play(board, ply);
        boards.state(board)
    }
}

fn give_turn(boards: &mut Match, board: BoardId, side: Color) {
    let position = boards.position_mut(board);
    if position.turn() != side {
        *position = position.clone().with_turn(side);
    }
}

fn san(boards: &Match, board: BoardId, ply: Ply) -> String {
    rules::san::to_san(boards.position(board), boards.supply(), ply)
}
