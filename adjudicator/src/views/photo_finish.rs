//! A photo finish as directors see it: the moments on one axis, with their errors, who was first, and what the book then does.

use referee::{Decisive, Moment, PhotoFinish};
use serde::Serialize;

use super::claim::ClauseView;
use crate::{
    hall::{
        Game,
        acts::{SeatName, TeamName},
    },
    views::needs::seat_words,
};

/// A photo finish.
#[derive(Clone, Debug, Serialize)]
pub struct PhotoFinishView {
    /// The moments, the earliest first.
    pub moments: Vec<MomentView>,
    /// The team that was first; none where it is too close to call.
    pub first: Option<TeamName>,
    /// The finding in a sentence, with the remedy.
    pub says: String,
    /// The clauses that then decide.
    pub because: Vec<ClauseView>,
}

/// A moment with its error.
#[derive(Clone, Debug, Serialize)]
pub struct MomentView {
    /// The event, in words.
    pub what: String,
    /// Winner by it.
    pub seat: SeatName,
    /// The team.
    pub team: TeamName,
    /// Earliest time with the error of its clock, microseconds of match time.
    pub from_us: u64,
    /// Latest time with that error.
    pub until_us: u64,
}

impl PhotoFinishView {
    pub(super) fn of(game: &Game) -> Option<PhotoFinishView> {
        let errors = game.clock_errors();
        let PhotoFinish { moments, first, rules } = game.referee().photo_finish(&errors)?;
        let is_over_both = moments.iter().any(|it| it.seat.board != moments[0].seat.board);
        // Half of the largest error of a difference, so that bars touch where the order is unknown.
        let error_us =
            moments.iter().map(|it| errors.between_us(it, &moments[0])).max().unwrap_or(0) / 2;
        let view = |it: &Moment| MomentView {
            what: words(game, it),
            seat: it.seat.into(),
            team: super::director::team_name(it.team()),
            from_us: it.from_us.saturating_sub(error_us),
            until_us: it.until_us.saturating_add(error_us),
        };
        let says = match (first, is_over_both) {
            (Some(_), _) => "The times show who was first, beyond their errors.",
            (None, true) => {
                "Too close to call: the times of the two boards overlap within their errors. They decide nothing; ask both boards and \
                 witnesses, and rule."
            }
            (None, false) => {
                "Too close to call: the times overlap within their errors. They decide nothing; ask both players, and rule."
            }
        };
        Some(PhotoFinishView {
            moments: moments.iter().map(view).collect(),
            first: first.map(super::director::team_name),
            says: says.to_owned(),
            because: rules.iter().map(ClauseView::of).collect(),
        })
    }
}

fn words(game: &Game, moment: &Moment) -> String {
    let seat = |seat| seat_words(game.game, seat);
    match moment.what {
        Decisive::Mate => format!("{} mates", seat(moment.seat)),
        Decisive::KingTaken => format!("{} takes the king", seat(moment.seat)),
        Decisive::Flag => format!("The flag of {} falls", seat(moment.seat.opponent())),
        Decisive::Claim(kind) => format!("{} claims: {}", seat(moment.seat), kind.about()),
    }
}
