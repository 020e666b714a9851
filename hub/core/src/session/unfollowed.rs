//! Play that no match follows: detected from readings, and reported to directors with the likely reason and the remedy.
//!
//! | sign | notice |
//! |---|---|
//! | a clock runs, or presses come, and no match is played | [`NOTICE_AFTER`] after the first; where no display runs, at the answer to it if that is later |
//! | plies are made and the clock has not been started | the same time after the third ply |
//! | pieces move from square to square at a table without clocks, and come no nearer to the start | the same after the third |
//!
//! Hands that set pieces up are no play: they bring a board nearer to the start, or exchange what stands on a square.
//!
//! The notice is a row of a node's state, under a name that no node has, so that it reaches the directors' list as a doubtful board does.
//! It is repeated while play goes on, and withdrawn when a match is followed, or when nothing more is seen of play.

use std::time::Duration;

use proto::mqtt::NOT_FOLLOWED;
use proto::mqtt::message::MatchState;
use readings::{Occupancy, ReadingKind};
use rules::{Bitboard, BoardId, File, Rank};
use serde::{Deserialize, Serialize};

use super::life::MISPLACED_MAX;
use super::unpressed::FORGOTTEN_MIN;
use super::view::BoardView;
use super::{Phase, Session, SessionOutput, events};
use crate::HubTime;
use crate::journal_line::NodeState;
use crate::time::after;

/// Time from the first sign of play to the notice.
const NOTICE_AFTER: Duration = Duration::from_secs(4);
/// Time after which a notice is repeated if play goes on: an adjudicator that was restarted, or another reason, may need it.
const REPEAT_AFTER: Duration = Duration::from_secs(60);
/// Time without a sign of play after which a notice is withdrawn: longer than children think.
const QUIET_AFTER: Duration = Duration::from_secs(180);
/// Maximum number of squares that differ from the start where only one ply is left of those that were put back.
const LEFT_OF_PUT_BACK_MAX: usize = 2;
/// Squares of a rank or file that must be missing for it to count as dead.
const DEAD_MIN: usize = 5;
/// The same of a file, on which four pieces stand at the start.
const DEAD_FILE_MIN: usize = 3;
/// Maximum number of squares that a notice names.
const NAMED_MAX: usize = 6;

/// Evidence of play that no match follows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Unfollowed {
    /// Time at which the notice is due, and the board of the first sign.
    due_us: Option<(u64, BoardId)>,
    /// Signs since the first.
    signs: u32,
    /// Moves at each board without a clock.
    #[serde(default)]
    unclocked: [UnclockedMoves; 2],
    /// The board of the notice that was sent last and not withdrawn.
    sent: Option<BoardId>,
    /// Time of the last sign.
    #[serde(default)]
    seen_us: u64,
    /// The last press, and whether it was White's.
    #[serde(default)]
    pressed: Option<(u64, BoardId, bool)>,
}

impl Unfollowed {
    /// Time at which the notice is due, or to be withdrawn.
    pub(super) fn deadline(&self) -> Option<HubTime> {
        let due = self.due_us.map(|(due_us, _)| HubTime::from_micros(due_us));
        due.into_iter().chain(self.quiet_at()).min()
    }

    /// Time at which the published notice is withdrawn if play does not go on.
    fn quiet_at(&self) -> Option<HubTime> {
        self.sent.map(|_| after(HubTime::from_micros(self.seen_us), QUIET_AFTER))
    }

    fn sign(&mut self, at: HubTime, board: BoardId) {
        let wait = if self.sent.is_some() { REPEAT_AFTER } else { NOTICE_AFTER };
        self.due_us.get_or_insert((after(at, wait).as_micros(), board));
        self.signs = self.signs.saturating_add(1);
        self.seen_us = at.as_micros();
    }

    /// A press: the answer to one of the opponent is play, however long they have thought. Where that has been noticed, it is a sign as others.
    fn press(&mut self, at: HubTime, board: BoardId, is_white: bool) {
        let before = self.pressed.replace((at.as_micros(), board, is_white));
        let answers = |&(_, of, white): &(u64, BoardId, bool)| of == board && white != is_white;
        let answered =
            before.map(|it| (HubTime::from_micros(it.0), it)).filter(|(_, it)| answers(it));
        let asked =
            answered.map(|(asked, _)| asked).filter(|asked| at <= after(*asked, QUIET_AFTER));
        if let Some(asked) = asked.filter(|_| self.sent.is_none() && self.due_us.is_none()) {
            self.due_us = Some((after(asked, NOTICE_AFTER).max(at).as_micros(), board));
            self.signs = 1;
        }
        self.sign(at, board);
    }

    /// The signs so far mean nothing.
    fn forget_signs(&mut self) {
        (self.due_us, self.signs, self.pressed) = (None, 0, None);
    }
}

/// Moves at a board without a clock, as far as they bring it no nearer to the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct UnclockedMoves {
    /// Number of them; each that brought it nearer takes one off, as a piece may go home in play, too.
    away: u32,
    /// Occupied squares after the last.
    #[serde(default)]
    occupied: Option<Occupancy>,
}

/// Reason why play is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// Play from the start without the clock.
    ClockForgotten,
    /// The squares of a board are not read.
    Unread,
    /// A board lies turned by a quarter.
    QuarterTurn,
    /// A board lies turned by half.
    HalfTurn,
    /// A rank or file is not read.
    Dead(String),
    /// Squares are read as occupied.
    Stuck(String),
    /// The other board is not set up.
    OnlyOne(BoardId),
    /// The boards were not set up when play began.
    NotSetUp(String),
    /// The match is open, and inference has failed.
    Failed,
}

impl Reason {
    fn words(&self) -> String {
        match self {
            Reason::ClockForgotten => {
                "play has begun and the clock was not started, or is not read: start it, or check its cable. The moves so far are recorded as \
                 soon as it runs"
                    .to_owned()
            }
            Reason::Unread => "play is not followed: its squares are not read; check the board's cable".to_owned(),
            Reason::QuarterTurn => {
                "play is not followed: the board lies turned by a quarter; stop the clocks, turn the board, set up, and start again"
                    .to_owned()
            }
            Reason::HalfTurn => {
                "play may be followed wrongly: the board lies turned by half, with White's pieces on Black's side; stop the clocks, turn \
                 the board, set up, and start again"
                    .to_owned()
            }
            Reason::Dead(line) => format!(
                "play is not followed: the {line} is not read; check its plug, stop the clocks, set up, and start again"
            ),
            Reason::Stuck(squares) => format!(
                "play is not followed: {squares} read as occupied at the start; take away what lies there or have the sensors checked, \
                 stop the clocks, set up, and start again"
            ),
            Reason::OnlyOne(other) => format!(
                "play is not followed: board {other} is not set up; have both teams there, set up both boards, and start the clocks again"
            ),
            Reason::NotSetUp(squares) => format!(
                "play is not followed: it began when the pieces were not set up ({squares} differ from the start); stop the clocks, set \
                 up, and start again, or have the moves written down"
            ),
            Reason::Failed => {
                "play is not followed any more: have the moves written down; the next match is followed".to_owned()
            }
        }
    }
}

impl Session {
    /// Looks at a reading for signs of play that no match follows; before it these squares were occupied, and its board's clock counted as
    /// forgotten or not.
    pub(super) fn note_activity(
        &mut self,
        board: BoardId,
        kind: &ReadingKind,
        (before, was_forgotten): (Option<Occupancy>, bool),
    ) {
        if self.is_followed() {
            self.withdraw_unfollowed();
            return;
        }
        let is_ready = self.is_ready();
        let view = self.boards.get(&board);
        let is_sign = match kind {
            ReadingKind::Press { .. } => true,
            // Beside pieces that are set up, a clock that runs was left on after the last game; so was one that has run out.
            ReadingKind::Clock { .. } => !is_ready && view.is_some_and(BoardView::has_time_running),
            ReadingKind::Square { .. } => {
                // What brings a board nearer to the start may be a piece that is put back.
                let occupied = view.and_then(|view| view.occupied);
                let is_away = occupied.map(misplaced) > before.map(misplaced);
                let is_third_ply = !was_forgotten
                    && occupied.is_some_and(|it| misplaced(it) > LEFT_OF_PUT_BACK_MAX);
                ((is_away || is_third_ply) && self.is_forgotten(board))
                    || self.is_unclocked_move(board, before)
            }
            _ => false,
        };
        // Readings of the other board are no evidence about a board whose clock was forgotten.
        let is_forgotten = BoardId::ALL.into_iter().any(|board| self.is_forgotten(board));
        if let ReadingKind::Press { by } = kind {
            self.unfollowed.press(self.now, board, by.is_white());
        } else if is_sign {
            self.unfollowed.sign(self.now, board);
        } else if self.unfollowed.sent.is_none() && self.is_silent() && !is_forgotten {
            self.unfollowed.forget_signs();
        }
        // A clock that is stopped again, or pieces that are put back, need no notice.
        if is_ready && !is_forgotten && !is_sign {
            self.withdraw_unfollowed();
        }
    }

    /// Whether a match is set up, and not played yet.
    fn is_ready(&self) -> bool {
        self.phase.open().is_some_and(|open| open.state == MatchState::Ready)
    }

    /// Whether a match is played and followed.
    fn is_followed(&self) -> bool {
        let is_forgotten = self.config.boards.keys().any(|&board| self.is_forgotten(board));
        self.phase.open().is_some_and(|open| {
            let is_played = matches!(open.state, MatchState::Playing | MatchState::Paused);
            is_played
                && !is_forgotten
                && !self.life.is_played_alone()
                && open.turned_by_half.is_none()
                && open.follower.as_ref().is_some_and(super::follower::Follower::is_sound)
        })
    }

    /// Whether plies were made from the start, and the clock has not been started.
    pub(super) fn is_forgotten(&self, board: BoardId) -> bool {
        self.phase.open().is_some_and(|open| {
            // A match is paused where a clock ran for players who stayed away; the next ones play from there.
            let states = [MatchState::Ready, MatchState::Playing, MatchState::Paused];
            states.contains(&open.state) && open.unpressed.is_forgotten(board)
        })
    }

    /// Whether a piece was moved at a board without a clock, for the third time, without bringing it nearer to the start.
    fn is_unclocked_move(&mut self, board: BoardId, before: Option<Occupancy>) -> bool {
        let clockless = self.config.boards.get(&board).is_some_and(|header| header.clockless);
        let now = self.boards.get(&board).and_then(|view| view.occupied);
        let (Some(now), Some(before), true) = (now, before, clockless) else { return false };
        if (now.0 & !before.0).is_empty() {
            return false;
        }
        let moves = &mut self.unfollowed.unclocked[board.index()];
        let last = moves.occupied.replace(now);
        if last == Some(now) {
            // The square got another piece.
            return false;
        }
        moves.away = if last.is_some_and(|last| misplaced(now) < misplaced(last)) {
            moves.away.saturating_sub(1)
        } else {
            moves.away.saturating_add(1)
        };
        moves.away >= FORGOTTEN_MIN
    }

    /// Whether pieces were moved at a board without a clock, and at most one of them came home since: players may think longer than
    /// a notice waits, and no second sign is needed.
    fn is_moved_without_clock(&self) -> bool {
        self.unfollowed.unclocked.iter().any(|moves| moves.away + 1 >= FORGOTTEN_MIN)
    }

    /// Whether no clock runs.
    fn is_silent(&self) -> bool {
        let mut clocks = self.boards.values().filter_map(|view| view.clock).peekable();
        clocks.peek().is_some() && clocks.all(|clock| clock.white_runs.is_none())
    }

    /// The time of a notice has come.
    pub(super) fn look_at_unfollowed(&mut self) {
        if self.unfollowed.quiet_at().is_some_and(|at| at <= self.now) {
            self.withdraw_unfollowed();
            return;
        }
        let Some((_, seen)) = self.unfollowed.due_us else { return };
        let signs = self.unfollowed.signs;
        (self.unfollowed.due_us, self.unfollowed.signs) = (None, 0);
        let runs = self.boards.values().any(BoardView::has_time_running);
        let is_sure = signs >= 2 || runs || self.is_moved_without_clock();
        let is_play = (is_sure && !self.is_ready()) || self.is_forgotten(seen);
        if self.is_followed() || !is_play {
            return;
        }
        let (board, reason) = self.reason(seen);
        let words = reason.words();
        if self.unfollowed.sent.is_none() {
            self.outputs.push_back(SessionOutput::Notice(format!("board {board}: {words}")));
        }
        self.tell_unfollowed(board, NodeState::Faulty, &words);
        self.unfollowed.sent = Some(board);
    }

    pub(super) fn withdraw_unfollowed(&mut self) {
        if let Some(board) = std::mem::take(&mut self.unfollowed).sent {
            self.tell_unfollowed(board, NodeState::Connected, "");
        }
    }

    fn tell_unfollowed(&mut self, board: BoardId, state: NodeState, words: &str) {
        let event = events::node_state(NOT_FOLLOWED, board, state, words.to_owned());
        self.row(event);
    }

    /// The likely reason, and the board that it is about.
    fn reason(&self, seen: BoardId) -> (BoardId, Reason) {
        let forgotten = self.config.boards.keys().find(|&&board| self.is_forgotten(board));
        if let Some(&board) = forgotten {
            return (board, Reason::ClockForgotten);
        }
        if let Phase::Open(open) = &self.phase
            && matches!(open.state, MatchState::Playing | MatchState::Paused)
        {
            let turned = open.turned_by_half.map(|board| (board, Reason::HalfTurn));
            let alone = self.life.is_done(seen).then(|| (seen, Reason::OnlyOne(seen.other())));
            return turned.or(alone).unwrap_or((seen, Reason::Failed));
        }
        let misplaced = |view: &BoardView| view.misplaced() as usize > MISPLACED_MAX;
        let mut away = self.boards.iter().filter(|(_, view)| misplaced(view));
        let Some((&board, view)) = away.next() else { return (seen, Reason::ClockForgotten) };
        let both = away.next().is_some();
        let reason = look(view);
        let is_unclear = matches!(reason, Reason::NotSetUp(_));
        if is_unclear && !both && self.boards.len() > 1 && board != seen {
            return (seen, Reason::OnlyOne(board));
        }
        (board, reason)
    }
}

/// Squares that differ from the start.
fn misplaced(Occupancy(occupied): Occupancy) -> usize {
    (occupied ^ Occupancy::INITIAL.0).count()
}

/// The likely fault of a board that is not near the start.
fn look(view: &BoardView) -> Reason {
    let Some(Occupancy(occupied)) = view.occupied else { return Reason::Unread };
    let start = Occupancy::INITIAL.0;
    if (occupied ^ start.rotate_90()).count() <= MISPLACED_MAX {
        return Reason::QuarterTurn;
    }
    let (missing, extra) = (start & !occupied, occupied & !start);
    let dead_rank = Rank::ALL.into_iter().find(|&rank| {
        missing.count() <= 8 && (missing & Bitboard::from_rank(rank)).count() >= DEAD_MIN
    });
    let dead_file = File::ALL.into_iter().find(|&file| {
        let of_file = (missing & Bitboard::from_file(file)).count();
        of_file >= DEAD_FILE_MIN && missing.count() <= of_file + 2
    });
    match (dead_rank, dead_file) {
        (Some(rank), _) if extra.count() <= MISPLACED_MAX => {
            Reason::Dead(format!("rank {}", rank.char()))
        }
        (_, Some(file)) if extra.count() <= MISPLACED_MAX => {
            Reason::Dead(format!("file {}", file.char()))
        }
        _ if missing.is_empty() => Reason::Stuck(names(extra)),
        _ => Reason::NotSetUp(names(missing | extra)),
    }
}

fn names(squares: Bitboard) -> String {
    let named: Vec<String> =
        squares.into_iter().take(NAMED_MAX).map(|square| square.to_string()).collect();
    let more = squares.count().saturating_sub(NAMED_MAX);
    match more {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
