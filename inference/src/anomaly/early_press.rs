//! `early-press`: the lever was pressed before the ply's pieces stood where they belong.
//!
//! Serves the rules by which a ply is released before it is completed by the press
//! (`mcsc-bughouse 6`, `nc-bughouse 6`), and the director's eye for hands that are at the clock too soon
//! everywhere else. A piece that is read after the press may also have stood before it, off the middle of its
//! square, where its contact closes late; the time since the piece was lifted tells the two apart.

use rules::{Ply, Square};

use super::{Evidence, Finding, words};
use crate::{
    answer::{PlyAnswer, SegmentAnswer},
    output::AnomalyCode,
    reach,
    rhythm::log_normal,
    trellis::Layer,
};

/// How much likelier a piece that is read right after the press was still in the hand than stood off
/// centre, where nothing is known of when it was lifted: one ply in 20 (scholastic) or 100 (club)
/// is pressed early; one in 50 or 200 is set down so that it reads late, a third of them so late.
const IN_HAND_ODDS: f64 = 7.0;

/// A finding for the presser's ply, if something of it moved right after the press.
pub(super) fn early_press(
    layer: &Layer,
    answer: &SegmentAnswer,
    evidence: &Evidence,
) -> Option<Finding> {
    let presser = layer.presser?;
    let slot = answer.plies.iter().rposition(|ply| ply.side == presser)?;
    let ply = &answer.plies[slot];
    let (square, moved_us, certain) = moved_after(ply.ply, evidence)?;
    let odds = if certain { f64::INFINITY } else { odds(ply, layer.t_us, moved_us, evidence) };
    let confidence = if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
    Some(Finding {
        code: AnomalyCode::EarlyPress,
        side: Some(presser),
        t_us: layer.t_us,
        confidence: confidence * certainty(answer),
        slot: Some(slot),
        reason: None,
        evidence: format!(
            "{} pressed the clock after {}; square {square} changed {} ms after the press \
             (probability {}).",
            words::side(presser),
            words::ply(ply.ply),
            moved_us.saturating_sub(layer.t_us) / 1_000,
            words::percent(confidence),
        ),
    })
}

/// Probability that the presser made a ply at all.
fn certainty(answer: &SegmentAnswer) -> f64 {
    (1.0 - answer.press_without_move - answer.nothing).max(0.0)
}

/// The square on which the ply was finished after the press, when, and whether nothing else can have
/// been meant by it.
fn moved_after(ply: Ply, evidence: &Evidence) -> Option<(Square, u64, bool)> {
    let filled_before =
        |square| evidence.events.iter().any(|event| event.square == square && event.occupied);
    let filled_after =
        |square| evidence.aftermath.iter().find(|event| event.square == square && event.occupied);
    let rook = castling_rook_target(ply);
    for target in rook.into_iter().chain([ply.to()]) {
        if !filled_before(target)
            && let Some(event) = filled_after(target)
        {
            return Some((target, event.t_us, false));
        }
    }
    // A victim that was pushed aside is taken off after the press.
    let aside = evidence.aftermath.iter().find(|event| {
        !event.occupied
            && event.square.distance(ply.to()) == 1
            && !evidence.before.contains(event.square)
            && filled_before(event.square)
            && evidence.occupied_at_press(event.square)
    });
    aside.map(|event| (event.square, event.t_us, true))
}

/// Where a rook goes if the ply is castling: the square that the king crosses.
fn castling_rook_target(ply: Ply) -> Option<Square> {
    let Ply::Move { from, to, promotion: None } = ply else { return None };
    let home = matches!(from.rank(), rules::Rank::First | rules::Rank::Eighth);
    let two = from.rank() == to.rank() && from.file().distance(to.file()) == 2;
    (home && two).then(|| {
        let file = (u32::from(from.file()) + u32::from(to.file())) / 2;
        Square::from_coords(rules::File::new(file), from.rank())
    })
}

/// Odds that the piece was still in the hand when the press came, against a piece off centre.
fn odds(ply: &PlyAnswer, press_us: u64, moved_us: u64, evidence: &Evidence) -> f64 {
    let Some(from) = ply.ply.from() else { return IN_HAND_ODDS };
    let Some(lifted_us) = evidence.lifted_us(from) else { return IN_HAND_ODDS };
    let to = ply.ply.to();
    let carry_ms = reach::carry_ms(from, to);
    let whole_ms = carry_ms + reach::to_clock_ms(to);
    let ln = |ms: f64| libm::log(ms);
    let in_hand = log_normal(moved_us.saturating_sub(lifted_us), ln(carry_ms), reach::SPREAD_LN);
    let stood = log_normal(press_us.saturating_sub(lifted_us), ln(whole_ms), reach::SPREAD_LN);
    IN_HAND_ODDS * (in_hand + UNUSUAL) / (stood + UNUSUAL)
}

/// Density of an interval that no habit explains: a piece lifted long before it was moved.
const UNUSUAL: f64 = 0.05;
