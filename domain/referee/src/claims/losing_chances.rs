//! Insufficient losing chances: a draw for a player who is short of time in a game that is not to be lost.
//!
//! Topics: `LosingChances`, `SubstituteClock`.

use rules::{
    Seat,
    rulebook::{
        Offence, Topic,
        terms::{DrawRule, LosingChances},
    },
};

use super::remedy::next_step;
use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Timing, Verdict},
    draws, names,
};

pub(super) fn judge(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::LosingChances)];
    match case.terms().losing_chances {
        LosingChances::Never => {
            Verdict::denied(rule, "The book hears no such claims.").timed(Timing::NotOffered)
        }
        LosingChances::IfAnnounced { .. } if !case.conditions.losing_chances => {
            Verdict::denied(rule, "The event did not announce that such claims are heard.")
                .timed(Timing::NotOffered)
        }
        LosingChances::IfAnnounced { endings } => as_announced(case, call, endings),
        LosingChances::WithoutDelay { at_most_s, substitute_at_most_s } => {
            without_delay(case, call, at_most_s, substitute_at_most_s)
        }
    }
}

/// Such a claim is heard in the endings that the book lists, and where the claimant stands clearly better.
fn as_announced(case: &Case<'_>, call: &Call, endings: &'static [DrawRule]) -> Verdict {
    let rule = case.cite(Topic::LosingChances);
    match draws::ending_among(case, call.seat().board, endings) {
        Some(found) => Verdict::unclear(
            [found.rule, rule],
            format!("{} Unless a win can be shown.", found.says),
        ),
        None => {
            let ahead = case.cite(Topic::ClaimantAhead);
            Verdict::unclear(
                [rule, ahead],
                "The director judges whether the claimant stands clearly better.",
            )
        }
    }
    .if_upheld(Remedy::Draw)
}

fn without_delay(
    case: &Case<'_>,
    call: &Call,
    at_most_s: u32,
    substitute_at_most_s: u32,
) -> Verdict {
    let rule = case.cite(Topic::LosingChances);
    let (claimant, _) = call.sides();
    let seat: Seat = call.seat();
    let changed = case.clocks.changed(seat.board).map(|per_move| per_move.delay_s() > 0);
    if changed.unwrap_or(case.conditions.delay_ms > 0) {
        return Verdict::denied([rule], "The clock has a delay.").timed(Timing::NotOffered);
    }
    let Some(left_ms) =
        case.clocks.reading(seat.board).map(|reading| reading.remaining_ms(seat.color))
    else {
        return Verdict::unclear([rule], "No reading of the clock is known.")
            .if_upheld(Remedy::Draw);
    };
    if left_ms > i64::from(at_most_s) * 1000 {
        let says =
            format!("{claimant} has {} left, more than {at_most_s} s.", names::clock(left_ms));
        return Verdict::denied([rule], says).timed(Timing::TooEarly);
    }
    let keeps_ms = (left_ms / 2).clamp(0, i64::from(substitute_at_most_s) * 1000);
    let says = format!(
        "{claimant} has {} left. The director judges the position, or puts a clock with delay in the place of this \
         one.",
        names::clock(left_ms)
    );
    Verdict::unclear([rule, case.cite(Topic::SubstituteClock)], says)
        .if_upheld(Remedy::Draw)
        .if_denied(next_step(case, Offence::WrongLosingChances, seat))
        .if_play_on(Remedy::SubstituteClock { claimant: seat, keeps_ms })
}
