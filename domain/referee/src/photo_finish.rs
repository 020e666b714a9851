//! Photo finish: who was first where both boards end almost at once, on one time axis with the errors of the times.
//!
//! The first game won ends the match. A mate on one board and a flag on the other are moments on two clocks, each read over a line of its
//! own. So each moment is an interval, and the times decide nothing while two intervals overlap.

use rules::{
    BoardId, BoardState, Seat, Team,
    rulebook::{Cite, ClaimKind, Topic},
};

use crate::{CaseState, Offset, ZeroFinding, case::Case, decisions::Claim};

/// Error of the times of a node that states none, microseconds: 2 ms on a line whose two directions take equally long, and half of what a
/// line hides that is 10 ms slower in one direction (decision 16).
const UNSTATED_ERROR_US: u64 = 4_750;

/// Error of two times of one node against each other, microseconds: one tick of its clock, and the drift within the window.
const SAME_NODE_ERROR_US: u64 = 1_000;

/// Longest delay of a person's touch, microseconds (assumed).
const TOUCH_DELAY_US: u64 = 2_000_000;

/// Moments that lie further apart are no photo finish, microseconds.
const WINDOW_US: u64 = 10_000_000;

/// Kind of a decisive moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decisive {
    /// Mate.
    Mate,
    /// The king was taken.
    KingTaken,
    /// The opponent's flag fell.
    Flag,
    /// A claim that the rule supports or leaves open.
    Claim(ClaimKind),
}

/// A moment that may have decided the match: after `from_us` and until `until_us` of match time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Kind.
    pub what: Decisive,
    /// The winner.
    pub seat: Seat,
    /// Earliest time by its own clock, microseconds.
    pub from_us: u64,
    /// Latest time by its own clock, microseconds.
    pub until_us: u64,
}

/// Errors of the times of a table's two boards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockErrors {
    /// Largest error of each board's times that its nodes state, microseconds.
    pub stated_us: [Option<u64>; 2],
    /// Result of the zero test, if there was one.
    pub offset: Option<Offset>,
}

impl ClockErrors {
    /// Largest error of the difference of two times, one of each board, that the nodes state.
    #[must_use]
    pub fn stated_between_us(&self) -> u64 {
        let stated = self.stated_us.map(|stated| stated.unwrap_or(UNSTATED_ERROR_US));
        stated.iter().fold(0, |sum, error_us| sum.saturating_add(*error_us))
    }

    /// Finding of the zero test.
    #[must_use]
    pub fn finding(&self) -> Option<ZeroFinding> {
        Some(self.offset?.finding(self.stated_between_us()))
    }

    /// Largest error of the difference of two moments' clocks, microseconds. An offset that the zero test found counts in full.
    #[must_use]
    pub fn between_us(&self, one: &Moment, other: &Moment) -> u64 {
        if one.seat.board == other.seat.board {
            return SAME_NODE_ERROR_US;
        }
        let found = self.offset.filter(|_| self.finding() == Some(ZeroFinding::Differ));
        self.stated_between_us().max(found.map_or(0, |offset| offset.largest_us()))
    }
}

/// Order of two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first one came before.
    Before,
    /// The first one came after.
    After,
    /// Their intervals overlap.
    TooClose,
}

impl Moment {
    /// The team that wins by it.
    #[must_use]
    pub fn team(&self) -> Team {
        self.seat.team()
    }

    /// Order of two moments, as far as the times can show it.
    #[must_use]
    pub fn order(&self, other: &Moment, errors: &ClockErrors) -> Order {
        let error_us = errors.between_us(self, other);
        if self.until_us.saturating_add(error_us) < other.from_us {
            Order::Before
        } else if other.until_us.saturating_add(error_us) < self.from_us {
            Order::After
        } else {
            Order::TooClose
        }
    }
}

/// Decisive moments of both teams within [`WINDOW_US`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhotoFinish {
    /// The moments, the earliest first.
    pub moments: Vec<Moment>,
    /// The team that was first; none where it is too close to call.
    pub first: Option<Team>,
    /// The clauses that then decide.
    pub rules: Vec<Cite>,
}

/// Compares moments: none where only one team has any, or where the other's come much later.
fn compare(mut moments: Vec<Moment>, errors: &ClockErrors) -> Option<(Vec<Moment>, Option<Team>)> {
    moments.sort_by_key(|moment| (moment.until_us, moment.from_us, moment.seat.index()));
    let latest_us = moments.first()?.until_us.saturating_add(WINDOW_US);
    moments.retain(|moment| moment.from_us <= latest_us);
    let of = |team: Team| moments.iter().filter(move |moment| moment.team() == team);
    if of(Team::One).next().is_none() || of(Team::Two).next().is_none() {
        return None;
    }
    // A team is first if one moment of its own came before each of the other's.
    let is_first = |team: Team, other: Team| {
        of(team).any(|own| of(other).all(|theirs| own.order(theirs, errors) == Order::Before))
    };
    let first = match (is_first(Team::One, Team::Two), is_first(Team::Two, Team::One)) {
        (true, false) => Some(Team::One),
        (false, true) => Some(Team::Two),
        _ => None,
    };
    Some((moments, first))
}

/// The photo finish of a match, if it has one.
pub(crate) fn photo_finish(case: &Case<'_>, errors: &ClockErrors) -> Option<PhotoFinish> {
    let ends = case.boards().iter().filter_map(|&board| end_on_board(case, board));
    let flags = Seat::ALL.into_iter().filter(|seat| case.boards().contains(&seat.board));
    let flags = flags.filter_map(|seat| {
        let flag = case.flag(seat)?;
        let (what, seat) = (Decisive::Flag, seat.opponent());
        Some(Moment { what, seat, from_us: flag.not_before_us, until_us: flag.t_us })
    });
    let claims = case.decisions.claims.values().filter_map(claim);
    let (moments, first) = compare(ends.chain(flags).chain(claims).collect(), errors)?;
    let both_claim = |kind| moments.iter().any(|it| it.what == Decisive::Claim(kind));
    let claim_order = both_claim(ClaimKind::FlagFall) && both_claim(ClaimKind::IllegalPly);
    let topics = [
        Some(Topic::MatchEnd),
        claim_order.then_some(Topic::ClaimOrder),
        first.is_none().then_some(Topic::Dispute),
    ];
    let rules = topics.into_iter().flatten().filter_map(|topic| case.cite(topic)).collect();
    Some(PhotoFinish { moments, first, rules })
}

/// Mate or a taken king on a board after which play did not go on there: after the piece was let go, and before the press.
fn end_on_board(case: &Case<'_>, board: BoardId) -> Option<Moment> {
    let (_, ply) = case.timeline.on_board(board).next_back()?;
    let what = match ply.is_king_capture_claim() {
        true => Decisive::KingTaken,
        false if ply.state == BoardState::Mate => Decisive::Mate,
        false => return None,
    };
    let report = &ply.report;
    let from_us = report.released_us.unwrap_or(report.t_us).min(report.t_us);
    Some(Moment { what, seat: report.seat(), from_us, until_us: report.t_us })
}

/// A claim that would win and was not denied: when the clock was stopped, or before the touch that entered it.
fn claim(claim: &Claim) -> Option<Moment> {
    let is_open = claim.state == CaseState::Open;
    let wins = matches!(
        claim.call.call.kind,
        ClaimKind::FlagFall | ClaimKind::IllegalPly | ClaimKind::Mate
    );
    let until_us = claim.call.stopped_us;
    let early_us = if claim.call.is_stopped { 0 } else { TOUCH_DELAY_US };
    (is_open && wins && claim.in_time).then(|| Moment {
        what: Decisive::Claim(claim.call.call.kind),
        seat: claim.call.seat(),
        from_us: until_us.saturating_sub(early_us),
        until_us,
    })
}

#[cfg(test)]
mod tests {
    use rules::{Color, rulebook::BookId};

    use super::*;
    use crate::{
        Input, Phase, PlyReport,
        tests::{MatchUnderTest, report},
    };

    const A: Seat = Seat { board: BoardId::A, color: Color::White };
    const B: Seat = Seat { board: BoardId::B, color: Color::White };

    fn moment(seat: Seat, from_us: u64, until_us: u64) -> Moment {
        Moment { what: Decisive::Mate, seat, from_us, until_us }
    }

    #[test]
    fn a_board_that_ends_well_before_the_other_is_first_and_one_within_the_error_is_not() {
        let unstated = ClockErrors::default();
        let error_us = 2 * UNSTATED_ERROR_US;
        let at = |us: u64| compare(vec![moment(A, 500_000, 500_000), moment(B, us, us)], &unstated);
        assert_eq!(at(500_001 + error_us).unwrap().1, Some(Team::One));
        assert_eq!(at(500_000 + error_us).unwrap().1, None);
        assert_eq!(at(499_999 - error_us).unwrap().1, Some(Team::Two));
        assert_eq!(at(500_000 + WINDOW_US + 1), None, "no photo finish");
        assert_eq!(
            compare(vec![moment(A, 1, 1), moment(A, 2, 2)], &unstated),
            None,
            "one team alone"
        );
    }

    #[test]
    fn stated_errors_narrow_the_band_and_an_offset_that_was_found_widens_it() {
        let moments = || vec![moment(A, 500_000, 500_000), moment(B, 505_000, 505_000)];
        let stated = ClockErrors { stated_us: [Some(2_000); 2], offset: None };
        assert_eq!(compare(moments(), &stated).unwrap().1, Some(Team::One));
        assert_eq!(compare(moments(), &ClockErrors::default()).unwrap().1, None);
        let offset = Offset::of(&[20_000, 19_000, 21_000, 18_000, 22_000, 20_000]);
        let found = ClockErrors { offset, ..stated };
        assert_eq!(found.finding(), Some(ZeroFinding::Differ));
        assert_eq!(compare(moments(), &found).unwrap().1, None);
        let none = ClockErrors { offset: Offset::of(&[0; 8]), ..stated };
        assert_eq!(compare(moments(), &none).unwrap().1, Some(Team::One));
    }

    #[test]
    fn mates_on_both_boards_are_compared_with_the_clause_that_the_first_one_ends_the_match() {
        // White mates at A for team 1, and White at B for team 2.
        let opening = "A:e2e4 a:e7e5 A:f1c4 a:b8c6 A:d1h5 a:g8f6";
        let at_b = opening.replace("A:", "B:").replace("a:", "b:");
        let mut table = MatchUnderTest::under(BookId::UsChessBughouse2018)
            .tell(Input::Phase(Phase::Playing))
            .play(&format!("{opening} {at_b}"));
        assert_eq!(table.referee.photo_finish(&ClockErrors::default()), None);
        let mate =
            |id, revision, text: &str, t_us| PlyReport { t_us, ..report(id, revision, text) };
        for (id, text, t_us) in [(13, "A:h5f7", 20_000_000), (14, "B:h5f7", 20_020_000)] {
            table = table.at(t_us, Input::Ply(mate(id, 0, text, t_us)));
        }
        let finish = table.referee.photo_finish(&ClockErrors::default()).expect("two mates");
        assert_eq!(finish.first, Some(Team::One));
        assert_eq!(finish.rules.len(), 1);
        let table = table.at(20_030_000, Input::Ply(mate(14, 1, "B:h5f7", 20_004_000)));
        assert_eq!(
            table.referee.photo_finish(&ClockErrors::default()).expect("two mates").first,
            None
        );
    }
}
