//! Positions that directors have ordered to be put up again: the state from which a page guides the hands that do it.
//!
//! The position and its time are a fact of the match; the follower detects when it is complete. Until then every change of the
//! board's squares is told.

use std::collections::{BTreeMap, BTreeSet};

use inference::facts::{Fact, Facts};
use proto::mqtt::message::{self, PositionStands, row::Event};
use readings::Occupancy;
use rules::BoardId;

use super::{Session, events};

/// Maximum number of published changes of squares in one match, many times those of a set-up. Beyond them a page guides no more.
const SQUARES_TOLD_MAX: u32 = 1_000;

/// The positions that are put up again in the open match.
#[derive(Debug, Default)]
pub(super) struct PutUps {
    /// For each board, the time at which its squares were published, and whether they look like the pieces of a match that is about to begin.
    told: BTreeMap<BoardId, BTreeMap<u64, bool>>,
    /// Those that have stood.
    stood: BTreeSet<(BoardId, u64)>,
    /// Those from which play has gone on.
    gone_on: BTreeSet<(BoardId, u64)>,
    squares_told: u32,
}

impl PutUps {
    /// These facts are known from now on.
    pub(super) fn know(&mut self, facts: &Facts) {
        self.told.clear();
        for fact in facts.iter() {
            if let Fact::Stands(fact) = fact {
                let is_set_up = fact.position.occupied() == Occupancy::INITIAL.0;
                self.told.entry(fact.board).or_default().insert(fact.t_us, is_set_up);
            }
        }
        let told = &self.told;
        let is_told = |(board, of_us): &(BoardId, u64)| {
            told.get(board).is_some_and(|told| told.contains_key(of_us))
        };
        self.stood.retain(is_told);
        self.gone_on.retain(is_told);
    }

    /// Sets the positions that were published as complete.
    pub(super) fn begin_with<'a>(&mut self, told: impl Iterator<Item = &'a PositionStands>) {
        self.stood.clear();
        for event in told {
            self.stands(event);
        }
    }

    /// A position stands. Whether that is news.
    pub(super) fn stands(&mut self, event: &PositionStands) -> bool {
        let board = if event.board == message::Board::B as i32 { BoardId::B } else { BoardId::A };
        self.stood.insert((board, event.fact_us))
    }

    /// Whether hands are putting one up on `board`.
    fn is_waiting(&self, board: BoardId) -> bool {
        let last = self.told.get(&board).and_then(BTreeMap::last_key_value);
        last.is_some_and(|(&of_us, _)| !self.stood.contains(&(board, of_us)))
    }

    /// Play goes on from the completed position.
    pub(super) fn go_on(&mut self) {
        self.gone_on.extend(&self.stood);
    }

    /// Whether pieces on their first squares are a position that was put up again, and not the next match.
    pub(super) fn is_set_up_again(&self) -> bool {
        self.told.iter().any(|(&board, told)| {
            let last = told.last_key_value();
            last.is_some_and(|(&of_us, is_set_up)| {
                *is_set_up && !self.gone_on.contains(&(board, of_us))
            })
        })
    }
}

impl Session {
    /// Publishes the occupied squares of `board`, if a position is being put up there and they differ from `before`.
    pub(super) fn tell_squares(&mut self, board: BoardId, before: Option<Occupancy>) {
        let occupied = self.boards.get(&board).and_then(|view| view.occupied);
        let (Some(occupied), now) = (occupied.filter(|_| occupied != before), self.now) else {
            return;
        };
        let Some(open) = self.phase.open_mut() else { return };
        let put_ups = &mut open.retold.put_ups;
        if !put_ups.is_waiting(board) || put_ups.squares_told >= SQUARES_TOLD_MAX {
            return;
        }
        put_ups.squares_told += 1;
        let event = events::squares(&open.id, board, occupied, now.micros_since(open.opened));
        self.row(event);
    }

    /// The same for every board, also unchanged: a position has just been ordered.
    pub(super) fn tell_all_squares(&mut self) {
        let boards: Vec<BoardId> = self.boards.keys().copied().collect();
        boards.into_iter().for_each(|board| self.tell_squares(board, None));
    }
}

/// A position stands, as the follower says it; none of anything else.
pub(super) fn position_stands(event: &Event) -> Option<&PositionStands> {
    match event {
        Event::PositionStands(stands) => Some(stands),
        _ => None,
    }
}
