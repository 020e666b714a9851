//! The opponent's flag is down.
//!
//! Topics: `FlagClaim`, `BothFlags`, `ClaimOrder`, `Mate`, `Stalemate`, `MatingMaterial`, `MaterialDraw`.

use std::cmp::Ordering;

use rules::{
    BoardState,
    rulebook::{
        Topic,
        terms::{DrawRule, OwnFlag},
    },
};

use super::remedy::loses_or_draws;
use crate::{
    act::Remedy,
    case::Case,
    claim::{Call, Timing, Verdict},
    clocks::FlagFall,
    draws,
    timeline::TimedPly,
};

/// Judges the claim. `illegal_ply_was_claimed`: whether the opponent claimed an illegal ply first.
pub(super) fn judge(
    case: &Case<'_>,
    call: &Call,
    illegal_ply_was_claimed: impl FnOnce() -> bool,
) -> Verdict {
    let rule = case.cite(Topic::FlagClaim);
    let (claimant, offender) = call.sides();
    if let Some(verdict) = not_alone(case, call) {
        return verdict;
    }
    if illegal_ply_was_claimed() {
        let says = format!(
            "{offender}'s flag is down, but {offender} claimed {claimant}'s illegal ply first or at once."
        );
        return Verdict::denied([case.cite(Topic::ClaimOrder)], says);
    }
    let seat = call.seat();
    let position = case.timeline.now().boards.position(seat.board);
    let can_mate = draws::can_mate(case, position, seat.color);
    let (remedy, by_material) = loses_or_draws(case, seat.opponent(), can_mate);
    let own_fell_too = case.flag(seat).is_some_and(|flag| flag.t_us <= call.stopped_us);
    let says = match can_mate {
        true if own_fell_too => {
            format!("{offender}'s flag was seen to fall before {claimant}'s fell too.")
        }
        true => format!("{offender}'s flag is down and {claimant}'s is up."),
        false => {
            format!("{offender}'s flag is down, and {claimant} cannot mate with the pieces left.")
        }
    };
    Verdict::upheld([by_material[0], by_material[1], rule], says).if_upheld(remedy)
}

/// Whether the claim would be upheld if there were no other claim.
pub(super) fn stands_alone(case: &Case<'_>, call: &Call) -> bool {
    not_alone(case, call).is_none()
}

/// Verdict by boards and clocks against the claim; `None` if they support it.
fn not_alone(case: &Case<'_>, call: &Call) -> Option<Verdict> {
    let seat = call.seat();
    let (claimant, offender) = call.sides();
    let rule = case.cite(Topic::FlagClaim);
    if case.is_over {
        return Some(Verdict::denied([rule], "The match is over.").timed(Timing::Late));
    }
    if let Some(verdict) = ended_on_board(case, call) {
        return Some(verdict);
    }
    let is_down = |flag: Option<FlagFall>| flag.is_some_and(|flag| flag.t_us <= call.stopped_us);
    if !is_down(case.flag(seat.opponent())) {
        return Some(match case.clocks.reading(seat.board) {
            Some(_) => Verdict::denied([rule], format!("The clock shows time for {offender}."))
                .timed(Timing::TooEarly),
            None => Verdict::unclear([rule], "No reading of the clock is known.")
                .if_upheld(Remedy::LosesGame(seat.opponent())),
        });
    }
    let must_stop = match case.terms().flag.own_flag {
        OwnFlag::UpWhenStopped | OwnFlag::UpWhenStoppedOrWitnessed => true,
        OwnFlag::UpWhenClaimed | OwnFlag::NotRuled => false,
    };
    if !call.is_stopped && must_stop {
        let says = format!("{offender}'s flag is down, but the clocks have not been stopped.");
        return Some(Verdict::unclear([rule], says).if_upheld(Remedy::LosesGame(seat.opponent())));
    }
    if is_down(case.flag(seat)) {
        let may_be_witnessed = match case.terms().flag.own_flag {
            OwnFlag::UpWhenStopped | OwnFlag::UpWhenClaimed => false,
            OwnFlag::UpWhenStoppedOrWitnessed => true,
            OwnFlag::NotRuled => return Some(both_down(case, call)),
        };
        let both = case.cite(Topic::BothFlags);
        if !(may_be_witnessed && call.call.witnessed) {
            let says = format!("{claimant}'s own flag was down when the clocks were stopped.");
            return Some(Verdict::denied([rule, both], says).if_denied(Remedy::Draw));
        }
    }
    None
}

/// Both flags are down, and the book does not say what follows: the order in which they fell, for the director.
fn both_down(case: &Case<'_>, call: &Call) -> Verdict {
    let (claimant, offender) = call.sides();
    let because = [case.cite(Topic::FlagClaim), case.cite(Topic::BothFlags)];
    let fell_us = |seat| case.flag(seat).map_or(u64::MAX, |flag| flag.t_us);
    let first = match fell_us(call.seat().opponent()).cmp(&fell_us(call.seat())) {
        Ordering::Less => format!("{offender}'s fell first by the clock."),
        Ordering::Equal => "Which fell first the clock does not show.".to_owned(),
        Ordering::Greater => format!("{claimant}'s fell first by the clock."),
    };
    let position = case.timeline.now().boards.position(call.seat().board);
    let can_mate = draws::can_mate(case, position, call.seat().color);
    let (remedy, _) = loses_or_draws(case, call.seat().opponent(), can_mate);
    let says = format!("Both flags are down. {first} The book does not say what follows.");
    Verdict::unclear(because, says).if_upheld(remedy)
}

/// Mate, and where the book says so stalemate, end the game before a flag is claimed.
fn ended_on_board(case: &Case<'_>, call: &Call) -> Option<Verdict> {
    let (_, last) = case.timeline.on_board(call.seat().board).next_back()?;
    if last.report.let_go_us() > call.stopped_us {
        return None;
    }
    match last.state {
        BoardState::Mate => {
            let says = format!("{} was mate before the flag was claimed.", last.san);
            let because = [case.cite(Topic::Mate), case.cite(Topic::FlagClaim)];
            let loser = last.report.seat().opponent();
            Some(Verdict::denied(because, says).if_denied(Remedy::LosesGame(loser)))
        }
        BoardState::Stalemate if draws::has_any(case, &[DrawRule::Stalemate]) => {
            Some(after_stalemate(case, call, last))
        }
        _ => None,
    }
}

/// A stalemate that stood before the flag fell ended the game. For a later stalemate only some books have a rule.
fn after_stalemate(case: &Case<'_>, call: &Call, last: &TimedPly) -> Verdict {
    let stalemate_us = last.report.let_go_us();
    let flag = case.flag(call.seat().opponent());
    let was_over = flag.is_none_or(|flag| flag.t_us > stalemate_us);
    let because = [case.cite(Topic::Stalemate), case.cite(Topic::FlagClaim)];
    if was_over {
        let says = format!("{} was stalemate before the flag fell.", last.san);
        return Verdict::denied(because, says).if_denied(Remedy::Draw);
    }
    if case.terms().flag.stalemate_first {
        let says = format!("{} was stalemate, which comes before a fallen flag.", last.san);
        return Verdict::denied(because, says).if_denied(Remedy::Draw);
    }
    let says = format!(
        "{} was stalemate after the flag fell. The book does not say which comes first.",
        last.san
    );
    Verdict::unclear(because, says)
        .if_upheld(Remedy::LosesGame(call.seat().opponent()))
        .if_denied(Remedy::Draw)
}
