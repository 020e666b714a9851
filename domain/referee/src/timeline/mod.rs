//! The plies of both boards in the order in which they happened, and the state after each.
//!
//! Reports come late, are revised, retracted and inserted. The order is that of (time, id). After any change the timeline replays all
//! plies from that ply on, from the state before it, which is kept for every ply. So a late change costs at most the plies after it.
//! Any sequence of reports that ends in the same plies ends in the same state.
//!
//! Two acts of people are part of it. A ply whose kind a director has stated is *pinned*: the hub's revisions are kept beside it and
//! count again when the statement is withdrawn. And a position may be reinstated: the plies that it undoes stay in the record, and play
//! continues from the position.

mod board_snapshot;
mod known;
mod ply;
mod set_up;

use std::{collections::BTreeMap, sync::Arc};

use rules::{BoardId, BoardState, Match, Piece, Ply, rulebook::terms::KingCapture};

pub use board_snapshot::BoardSnapshot;
pub use ply::{KingTaken, TimedPly};

use known::KnownPlies;

use crate::{
    ids::{ActId, PlyId},
    input::PlyReport,
};

/// Maximum number of plies of one match. A five-minute match has some 130; reports beyond are refused.
pub const MAX_PLIES: usize = 4096;

/// A director's correction of a ply, and the hub's own report meanwhile.
#[derive(Clone, Debug)]
struct Pin {
    said: Ply,
    /// The hub's last word; none once the hub has taken the ply back.
    told: Option<PlyReport>,
}

/// A reinstated position.
#[derive(Clone, Debug)]
struct Reset {
    t_us: u64,
    before: PlyId,
    board: BoardId,
    /// Number of plies before it, and both boards after it.
    at: usize,
    standing: BoardSnapshot,
}

/// A reinstated position, as far as known.
#[derive(Clone, Copy, Debug)]
pub struct Reinstated<'a> {
    /// On this board.
    pub board: BoardId,
    /// Time of the order, microseconds of match time.
    pub t_us: u64,
    /// Both boards when it was ordered.
    pub from: &'a Match,
    /// Both boards once it is set up.
    pub to: &'a Match,
}

/// All plies of a match in order. A clone shares every ply that has not changed since.
#[derive(Clone, Debug)]
pub struct Timeline {
    start: BoardSnapshot,
    /// Whether another set-up may be inferred from the plies.
    follows_set_up: bool,
    king_capture: KingCapture,
    plies: Vec<Arc<TimedPly>>,
    known: KnownPlies,
    /// Number of plies played on the boards, repetitions included.
    played: u64,
    pins: BTreeMap<PlyId, Pin>,
    resets: BTreeMap<ActId, Reset>,
}

impl Timeline {
    /// An empty timeline.
    #[must_use]
    pub fn new(start: Match, king_capture: KingCapture) -> Timeline {
        Timeline {
            follows_set_up: set_up::may_be_swapped(&start),
            start: BoardSnapshot::new(start),
            king_capture,
            plies: Vec::new(),
            known: KnownPlies::default(),
            played: 0,
            pins: BTreeMap::new(),
            resets: BTreeMap::new(),
        }
    }

    /// The plies in order.
    #[must_use]
    pub fn plies(&self) -> &[Arc<TimedPly>] {
        &self.plies
    }

    /// Both boards before the first ply.
    #[must_use]
    pub fn start(&self) -> &Match {
        &self.start.boards
    }

    /// Both boards before the ply at `index`, or their current state if `index` is the number of plies.
    #[must_use]
    pub fn before(&self, index: usize) -> &BoardSnapshot {
        if let Some(reset) = self.resets.values().rev().find(|reset| reset.at == index) {
            return &reset.standing;
        }
        self.after(index)
    }

    /// Both boards after `count` plies, without later reinstatements.
    fn after(&self, count: usize) -> &BoardSnapshot {
        match count.checked_sub(1).and_then(|previous| self.plies.get(previous)) {
            Some(previous) => &previous.after,
            None => &self.start,
        }
    }

    /// Current state of both boards.
    #[must_use]
    pub fn now(&self) -> &BoardSnapshot {
        self.before(self.plies.len())
    }

    /// Position of a ply in the order.
    #[must_use]
    pub fn index_of(&self, id: PlyId) -> Option<usize> {
        self.known.place(id)
    }

    /// A ply.
    #[must_use]
    pub fn ply(&self, id: PlyId) -> Option<&TimedPly> {
        self.plies.get(self.index_of(id)?).map(|ply| &**ply)
    }

    /// The plies of a board that stand, with their positions, in order.
    pub fn on_board(
        &self,
        board: BoardId,
    ) -> impl DoubleEndedIterator<Item = (usize, &TimedPly)> + Clone {
        let plies = self.plies.iter().map(|ply| &**ply).enumerate();
        plies.filter(move |(_, ply)| ply.report.board == board && !ply.is_undone)
    }

    /// The plies of a board that stand and come after the one at `index`, in order.
    pub fn later_on_board(
        &self,
        board: BoardId,
        index: usize,
    ) -> impl DoubleEndedIterator<Item = (usize, &TimedPly)> + Clone {
        let later = self.plies.iter().map(|ply| &**ply).enumerate().skip(index.saturating_add(1));
        later.filter(move |(_, ply)| ply.report.board == board && !ply.is_undone)
    }

    /// Number of plies played on the boards so far: the cost of all changes together.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.played
    }

    /// Adds a report. Returns the position of the first ply that is no longer the same. Returns `None` if the report is older than the
    /// known one, contains nothing new, or there are too many plies already.
    pub fn report(&mut self, report: PlyReport) -> Option<usize> {
        let known = self.known.revision(report.id);
        if known.is_some_and(|revision| report.revision <= revision) {
            return None;
        }
        if self.known.len() >= MAX_PLIES && known.is_none() {
            return None;
        }
        self.known.note_revision(report.id, report.revision);
        let mut report = report;
        let mut is_pinned = false;
        if let Some(pin) = self.pins.get_mut(&report.id) {
            pin.told = Some(report.clone());
            report = pinned(report, pin.said);
            is_pinned = true;
        }
        self.put(report, is_pinned)
    }

    /// Takes a ply out. Returns the position from which plies changed.
    pub fn retract(&mut self, id: PlyId) -> Option<usize> {
        if let Some(pin) = self.pins.get_mut(&id) {
            pin.told = None;
            return None;
        }
        self.take_out(id)
    }

    /// Fixes a ply to a director's statement. Returns the position from which plies changed; `None` when there is no such ply.
    pub fn pin(&mut self, id: PlyId, said: Ply) -> Option<usize> {
        let shown = self.ply(id)?.report.clone();
        let told = self.pins.get(&id).map_or_else(|| Some(shown.clone()), |pin| pin.told.clone());
        self.pins.insert(id, Pin { said, told });
        self.put(pinned(shown, said), true)
    }

    /// Restores the hub's own report. Returns the position from which plies changed.
    pub fn unpin(&mut self, id: PlyId) -> Option<usize> {
        match self.pins.remove(&id)?.told {
            Some(told) => self.put(told, false),
            None => self.take_out(id),
        }
    }

    /// Puts the position before a ply up again on its board. Returns the position from which plies changed; none when
    /// there is no such ply.
    pub fn reinstate(&mut self, act: ActId, t_us: u64, before: PlyId) -> Option<usize> {
        let board = self.ply(before)?.report.board;
        let standing = self.now().clone();
        self.resets.insert(act, Reset { t_us, before, board, at: usize::MAX, standing });
        Some(self.replay(0))
    }

    /// Takes a reinstatement back. Returns the position from which plies changed.
    pub fn take_back_reinstatement(&mut self, act: ActId) -> Option<usize> {
        self.resets.remove(&act)?;
        Some(self.replay(0))
    }

    /// Position that an act reinstated, if it is in effect.
    #[must_use]
    pub fn reinstated(&self, act: ActId) -> Option<Reinstated<'_>> {
        let reset = self.resets.get(&act).filter(|reset| reset.at != usize::MAX)?;
        let before = self.after(reset.at);
        Some(Reinstated {
            board: reset.board,
            t_us: reset.t_us,
            from: &before.boards,
            to: &reset.standing.boards,
        })
    }

    fn put(&mut self, report: PlyReport, is_pinned: bool) -> Option<usize> {
        let Some(index) = self.index_of(report.id) else {
            return Some(self.insert(report, None, is_pinned));
        };
        let old = &self.plies[index];
        let was = if old.report.ply == report.ply { old.was } else { Some(old.report.ply) };
        let same_place = (old.report.t_us, old.report.board, old.report.side)
            == (report.t_us, report.board, report.side);
        if same_place {
            let changed = old.is_pinned != is_pinned || says_another(&old.report, &report);
            let same_ply = old.report.ply == report.ply;
            let ply = Arc::make_mut(&mut self.plies[index]);
            (ply.report, ply.was, ply.is_pinned) = (report, was, is_pinned);
            if !same_ply {
                return Some(self.replay(index));
            }
            return changed.then_some(index);
        }
        self.remove(index);
        let inserted = self.insert(report, was, is_pinned);
        Some(self.replay(inserted.min(index)))
    }

    fn take_out(&mut self, id: PlyId) -> Option<usize> {
        let index = self.index_of(id)?;
        self.remove(index);
        Some(self.replay(index))
    }

    /// Plays everything again under another rule about kings that are taken.
    pub(crate) fn play_under(&mut self, king_capture: KingCapture) -> usize {
        self.king_capture = king_capture;
        self.replay(0)
    }

    /// Takes the set-up that the plies speak for. Returns whether it is another one than before.
    pub(crate) fn follow_set_up(&mut self) -> bool {
        let agrees = |ply: &Arc<TimedPly>| !ply.report.legal || ply.illegal.is_none();
        let is_usual = set_up::may_be_swapped(&self.start.boards);
        if !self.follows_set_up || is_usual && self.plies.iter().all(agrees) {
            return false;
        }
        // They are played with every set-up, without SAN: measured, that takes about as long as once with it.
        self.played += self.plies.len() as u64;
        let reports: Vec<&PlyReport> = self.plies.iter().map(|ply| &ply.report).collect();
        let start = set_up::inferred(&reports, self.start.boards.supply());
        if start == self.start.boards {
            return false;
        }
        self.start = BoardSnapshot::new(start);
        self.replay(0);
        true
    }

    fn insert(&mut self, report: PlyReport, was: Option<Ply>, is_pinned: bool) -> usize {
        let key = (report.t_us, report.id);
        let index = self.plies.partition_point(|ply| ply.key() < key);
        let mut ply = self.play(index, report);
        (ply.was, ply.is_pinned) = (was, is_pinned);
        self.plies.insert(index, Arc::new(ply));
        self.note_places(index);
        self.replay(index + 1).min(index)
    }

    fn remove(&mut self, index: usize) {
        let removed = self.plies.remove(index);
        self.known.note_place(removed.report.id, None);
        self.note_places(index);
    }

    /// Plies from `first` on are in other places than before.
    fn note_places(&mut self, first: usize) {
        for (index, ply) in self.plies.iter().enumerate().skip(first) {
            self.known.note_place(ply.report.id, Some(index));
        }
    }

    /// Plays everything from `first` on again. Returns the first ply that may be another one: an earlier one if positions were
    /// reinstated.
    fn replay(&mut self, first: usize) -> usize {
        let first = if self.resets.is_empty() { first } else { 0 };
        for ply in self.plies[first..].iter_mut().filter(|ply| ply.is_undone) {
            Arc::make_mut(ply).is_undone = false;
        }
        for reset in self.resets.values_mut() {
            reset.at = usize::MAX;
        }
        for index in first..=self.plies.len() {
            self.put_up_before(index);
            let Some(old) = self.plies.get(index) else { break };
            let (report, was, is_pinned) = (old.report.clone(), old.was, old.is_pinned);
            let ply = self.play(index, report);
            self.plies[index] = Arc::new(TimedPly { was, is_pinned, ..ply });
        }
        first
    }

    /// Applies the reinstatements between the ply before `index` and that one.
    fn put_up_before(&mut self, index: usize) {
        let previous_us = index.checked_sub(1).map(|previous| self.plies[previous].report.t_us);
        let next_us = self.plies.get(index).map_or(u64::MAX, |ply| ply.report.t_us);
        let due: Vec<ActId> = self
            .resets
            .iter()
            .filter(|(_, reset)| {
                previous_us.is_none_or(|t_us| reset.t_us >= t_us) && reset.t_us < next_us
            })
            .map(|(&act, _)| act)
            .collect();
        for act in due {
            let (board, before) = (self.resets[&act].board, self.resets[&act].before);
            let mut standing = self.before(index).clone();
            if let Some(place) = self.index_of(before).filter(|&place| place < index) {
                let undone = self.plies[place..index].iter();
                let undone = undone.filter(|ply| ply.report.board == board && !ply.is_undone);
                let dropped = undone.filter_map(|ply| match ply.report.ply {
                    Ply::Drop { role, .. } => Some(Piece { color: ply.report.side, role }),
                    Ply::Move { .. } => None,
                });
                let dropped: Vec<Piece> = dropped.collect();
                standing.put_up(board, &self.before(place).clone(), &dropped);
                for ply in &mut self.plies[place..index] {
                    if ply.report.board == board {
                        Arc::make_mut(ply).is_undone = true;
                    }
                }
            }
            if let Some(reset) = self.resets.get_mut(&act) {
                (reset.at, reset.standing) = (index, standing);
            }
        }
    }

    fn play(&mut self, index: usize, report: PlyReport) -> TimedPly {
        self.played += 1;
        let on_board = self.plies[..index].iter().rev();
        let previous = on_board.map(|ply| &**ply).find(|ply| ply.report.board == report.board);
        let after = self.before(index).clone();
        ply::play(after, index, report, previous, self.king_capture)
    }

    /// Both boards before the ply at `index`, with its side to move.
    fn stage(&self, index: usize) -> Match {
        let mut boards = self.before(index).boards.clone();
        ply::give_turn(&mut boards, &self.plies[index].report);
        boards
    }

    /// Another ply in the place of the one at `index`, in SAN.
    #[must_use]
    pub fn san_instead(&self, index: usize, ply: Ply) -> String {
        ply::san(&self.stage(index), &self.plies[index].report, ply)
    }

    /// Whether another ply in the place of the one at `index` would have been illegal.
    #[must_use]
    pub fn is_illegal_instead(&self, index: usize, ply: Ply) -> bool {
        self.stage(index).illegality(self.plies[index].report.board, ply).is_some()
    }

    /// State of the opponent after another ply in the place of the one at `index`.
    #[must_use]
    pub fn state_instead(&self, index: usize, ply: Ply) -> BoardState {
        let board = self.plies[index].report.board;
        let mut boards = self.stage(index);
        boards.play(board, ply);
        boards.state(board)
    }
}

/// A report with a director's word in the place of the hub's.
fn pinned(report: PlyReport, said: Ply) -> PlyReport {
    PlyReport { ply: said, p: 1.0, alternatives: Vec::new(), ..report }
}

/// Whether two reports of one ply differ in anything that is shown.
fn says_another(old: &PlyReport, new: &PlyReport) -> bool {
    (old.ply, old.p, old.clock_ms) != (new.ply, new.p, new.clock_ms)
        || old.alternatives != new.alternatives
}
