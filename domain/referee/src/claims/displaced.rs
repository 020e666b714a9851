//! The opponent displaced pieces and pressed.
//!
//! Topics: `Displaced`.

use rules::rulebook::{Finding, Offence, Topic};

use super::remedy::next_step;
use crate::{
    case::Case,
    claim::{Call, Verdict},
};

pub(super) fn judge(case: &Case<'_>, call: &Call) -> Verdict {
    let rule = [case.cite(Topic::Displaced)];
    let offender = call.seat().opponent();
    let (_, name) = call.sides();
    let by_offender = |finding: Finding| {
        let mut seen = case.anomalies.of(finding);
        seen.find(|seen| seen.board == offender.board && seen.side == Some(offender.color))
    };
    let remedy = next_step(case, Offence::PressAfterDisplacing, offender);
    if let Some(seen) = by_offender(Finding::PressAfterDisplacing) {
        let says = format!("{} {name} pressed before the pieces stood again.", seen.evidence);
        return Verdict::upheld(rule, says).if_upheld(remedy);
    }
    match by_offender(Finding::DisplacedPieces) {
        Some(seen) => {
            let says = format!(
                "{} Whether {name} pressed before they stood again does not show.",
                seen.evidence
            );
            Verdict::unclear(rule, says)
        }
        None => {
            Verdict::unclear(rule, format!("The board did not show that {name} displaced pieces."))
        }
    }
    .if_upheld(remedy)
}
