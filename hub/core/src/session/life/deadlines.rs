//! Deadlines in the life of a match: boards that have been left unchanged for long enough. Pure.

use std::time::Duration;

use rules::BoardId;

use super::Step::{Close, End, Follow, Open, Play, PutBack};
use super::{BoardLife, Life, State, Step};
use crate::HubTime;
use crate::time::after;

/// Time for which all boards must show the initial position before a match is opened.
const SET_UP_STABLE: Duration = Duration::from_secs(1);
/// The same where a square differs: a piece may still be missing.
pub(super) const NEARLY_SET_UP_STABLE: Duration = Duration::from_secs(5);
/// Time for which a piece must be away from a match that is set up to count as lost, and not as in a player's hand.
const LOST_STABLE: Duration = Duration::from_secs(20);
/// Time for which boards must have been put back before a match ends whose clocks may run.
const PUT_BACK_STABLE: Duration = Duration::from_secs(3);
/// The same where a square differs.
const NEARLY_PUT_BACK_STABLE: Duration = Duration::from_secs(8);
/// Time for which all boards must be empty before they count as cleared: pieces that fell off are put back sooner.
const CLEARED_STABLE: Duration = Duration::from_secs(5);
/// Time for which an end can be taken back.
const OVER_KEPT: Duration = Duration::from_secs(30 * 60);

impl Life {
    /// Time of the next deadline.
    pub(in super::super) fn deadline(&self, is_reinstated: bool) -> Option<HubTime> {
        let next = self.set_up_after(is_reinstated).map(|stable| after(self.since(), stable));
        let over = (self.state == State::Over).then(|| after(self.entered, OVER_KEPT));
        let put_back = self.put_back_at(is_reinstated).map(|(at, _)| at);
        next.into_iter().chain(self.cleared_at(is_reinstated)).chain(over).chain(put_back).min()
    }

    fn since(&self) -> HubTime {
        self.changed.max(self.entered)
    }

    /// Time for which the boards must stay unchanged for a match to be ready.
    fn set_up_after(&self, is_reinstated: bool) -> Option<Duration> {
        let is_exact = self.is_exact();
        let exact_or = |nearly: Duration, exact: Duration| if is_exact { exact } else { nearly };
        match self.state {
            State::Waiting | State::SetUp if self.is_set_up_but_for_faults() => {
                Some(exact_or(NEARLY_SET_UP_STABLE, SET_UP_STABLE))
            }
            State::Waiting | State::SetUp => None,
            State::Ready if !self.is_touched => None,
            State::Ready if self.is_as_begun() || self.is_better() => Some(SET_UP_STABLE),
            State::Ready => self.is_set_up_but_for_faults().then_some(LOST_STABLE),
            State::Playing if !self.has_plies => {
                let is_back = self.is_as_begun() && self.has_strayed;
                (is_back || (self.is_touched && self.is_better())).then_some(SET_UP_STABLE)
            }
            State::Playing => (!is_reinstated && self.next_put_back())
                .then_some(exact_or(NEARLY_PUT_BACK_STABLE, PUT_BACK_STABLE)),
            State::Paused if !self.may_be_over() => {
                (self.is_as_begun() && self.has_strayed).then_some(SET_UP_STABLE)
            }
            State::Paused => (!is_reinstated && self.next_set_up())
                .then_some(exact_or(NEARLY_SET_UP_STABLE, SET_UP_STABLE)),
            State::Over => (is_exact
                || (self.next_set_up() && !self.is_as_stopped())
                || (self.is_as_begun()
                    && !self.boards.values().all(BoardLife::is_exactly_as_stopped)))
            .then_some(exact_or(NEARLY_SET_UP_STABLE, SET_UP_STABLE)),
        }
    }

    /// A board without a clock that was put back while the other was not, and the time from which the match goes on without it.
    fn put_back_at(&self, is_reinstated: bool) -> Option<(HubTime, BoardId)> {
        if self.state != State::Playing || !self.has_plies || is_reinstated || self.next_put_back()
        {
            return None;
        }
        let put_back = self.boards.iter().filter_map(|(&id, board)| {
            let is_new = board.clockless && !board.is_done;
            let changed = board.changed.filter(|_| is_new && board.is_set_up());
            let changed = changed.filter(|_| board.was_put_back())?;
            let is_exact = board.misplaced() == 0;
            let stable = if is_exact { PUT_BACK_STABLE } else { NEARLY_PUT_BACK_STABLE };
            Some((after(changed.max(self.entered), stable), id))
        });
        put_back.min()
    }

    fn is_as_stopped(&self) -> bool {
        self.boards.values().all(BoardLife::is_as_stopped)
    }

    /// Whether fewer squares differ from the initial position than when the match began to be followed.
    fn is_better(&self) -> bool {
        let misplaced: usize = self.boards.values().map(BoardLife::misplaced).sum();
        self.boards.values().all(BoardLife::is_near_start) && misplaced < self.misplaced_at_start
    }

    fn cleared_at(&self, is_reinstated: bool) -> Option<HubTime> {
        let may_end = matches!(self.state, State::Playing | State::Paused)
            && self.may_be_over()
            && !is_reinstated
            && self.boards.values().all(BoardLife::is_cleared)
            && !self
                .boards
                .values()
                .any(|board| board.clock.is_some_and(|it| it.white_runs.is_some()));
        // Boards that were cleared before their clocks were stopped need not wait again.
        may_end.then(|| after(self.changed, CLEARED_STABLE).max(self.entered))
    }

    /// Does what is due.
    pub(in super::super) fn expire(&mut self, at: HubTime, is_reinstated: bool) -> Vec<Step> {
        let put_back = self.put_back_at(is_reinstated).filter(|(due, _)| *due <= at);
        if let Some((_, board)) = put_back {
            return self.go(at, vec![PutBack(board)]);
        }
        let is_cleared = self.cleared_at(is_reinstated).is_some_and(|due| due <= at);
        let is_set_up = self
            .set_up_after(is_reinstated)
            .is_some_and(|stable| after(self.since(), stable) <= at);
        let steps = match self.state {
            _ if is_cleared => vec![End],
            State::Waiting | State::Over if is_set_up => vec![Open, Follow],
            State::SetUp | State::Ready if is_set_up => vec![Follow],
            State::Playing if is_set_up && !self.has_plies => vec![Follow, Play],
            State::Paused if is_set_up && !self.may_be_over() => vec![Follow],
            State::Playing | State::Paused if is_set_up => vec![End, Open, Follow],
            State::Over => vec![Close],
            _ => vec![],
        };
        self.go(at, steps)
    }
}
