//! ```text
//! n = argmax over n of Σ over e with n plies of P(e)             the number of plies, if no record is chosen
//! p(ply, k) = min(1, Σ over e with n plies and e_k = ply of P(e) + the same ply elsewhere)
//! p(illegal, k) = min(1, Σ over e with n plies and e_k illegal of P(e) + illegal plies elsewhere)
//! answer(k) = the likeliest ply, or the ply of the chosen record
//! ```
//!
//! From the posterior of explanations of whole segments to answers about single plies. `e` runs
//! over the explanations of a segment, `P(e)` is their posterior, and `e_k` the ply at place `k`.
//! Elsewhere are explanations with one ply more or fewer, and the segments before and after
//! (`same_ply.rs`). The record is the MAP record, if it is likely enough (`trellis/map_record.rs`).

use readings::Alternative;
use rules::{BoardId, Color, IllegalReason, Ply, Role};
use smallvec::SmallVec;

use crate::{
    answers::same_ply::{AroundPress, WeightedLayer},
    explanation::{ExplainedPly, Explanation, MAX_PLIES, PressPattern},
};

/// Maximum number of other candidates kept with an answer. Bound: on memory and on the length of reports.
pub(crate) const MAX_ALTERNATIVES: usize = 8;
/// Minimum probability of a candidate that is mentioned, 0 to 1. Assumed: set by hand.
pub(crate) const MENTIONABLE: f64 = 1e-3;

/// The answer about one ply of a segment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlyEstimate {
    pub(crate) ply: Ply,
    pub(crate) side: Color,
    /// Its posterior probability, 0 to 1.
    pub(crate) p: f64,
    /// Time at which it was completed, microseconds since the trace began: at its press, if it had one.
    pub(crate) t_us: u64,
    /// Time at which its last piece had been moved, microseconds since the trace began: at the segment's
    /// press at the latest.
    pub(crate) landed_us: u64,
    /// Whether the ply is legal in at least half of the mass that has it.
    pub(crate) legal: bool,
    /// The likeliest reason, and the probability, 0 to 1, that the ply at this place was illegal,
    /// whichever it was.
    pub(crate) illegal: Option<(IllegalReason, f64)>,
    /// Role of the piece that it took, as it comes to a reserve. None if it took nothing.
    pub(crate) captured: Option<Role>,
    /// Whether the partner's next ply fails to supply it, for a drop.
    pub(crate) is_unsupplied: bool,
    /// Probability that the opponent's next ply takes the king as a claim.
    pub(crate) claimed: f64,
    pub(crate) alternatives: Vec<Alternative>,
}

/// The answer about one segment. Its probabilities are 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SegmentEstimate {
    /// The plies. Their number is the likeliest one.
    pub(crate) plies: Vec<PlyEstimate>,
    /// Probability that the presser had not made a ply.
    pub(crate) press_without_move: f64,
    /// Probability that the segment's first ply was not followed by a press.
    pub(crate) missed_press: f64,
    /// Probability that the opponent's ply stood before the press of the first one.
    pub(crate) answered: f64,
    /// Probability that the presser moved although it was not that player's turn.
    pub(crate) out_of_turn: f64,
    /// Probability that there was no ply and none was due.
    pub(crate) nothing: f64,
    /// The first ply of the board's next segment, if that has one.
    pub(crate) reply: Option<Reply>,
    /// Expected numbers of captures of each side, White first, over all that may have been played.
    pub(crate) captures: [f64; 2],
}

impl SegmentEstimate {
    /// Whether the ply at this place puts back the last one of its player, who then makes another.
    pub(crate) fn is_put_back(&self, slot: usize) -> bool {
        matches!(self.plies.as_slice(), [back, made] if slot == 0 && back.side == made.side)
    }
}

/// The first ply of a segment, as seen from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) side: Color,
    pub(crate) ply: Ply,
    /// Whether another ply follows in the same segment.
    pub(crate) answered: bool,
}

/// The answer for a layer, given the posterior of its explanations and of the layers around it. If
/// an explanation is `chosen`, the answer has its plies, each with its own probability.
pub(crate) fn answer(around: &AroundPress<'_>, chosen: Option<&Explanation>) -> SegmentEstimate {
    let WeightedLayer { layer, masses, .. } = around.at;
    let mut counts = [0.0; MAX_PLIES + 1];
    let mut segment = SegmentEstimate::default();
    for (explanation, mass) in layer.explanations.iter().zip(masses) {
        counts[explanation.plies.len().min(MAX_PLIES)] += mass;
        for ply in explanation.plies.iter().filter(|ply| ply.captured.is_some()) {
            segment.captures[usize::from(ply.side.is_black())] += mass;
        }
        match explanation.pattern {
            PressPattern::PressWithoutMove => segment.press_without_move += mass,
            PressPattern::MissedPress => segment.missed_press += mass,
            PressPattern::Answered => segment.answered += mass,
            PressPattern::OutOfTurn => segment.out_of_turn += mass,
            PressPattern::Nothing => segment.nothing += mass,
            PressPattern::Regular | PressPattern::PressedForOther => {}
        }
    }
    // Of equally likely numbers the smallest.
    let likeliest = (0..counts.len()).rev().max_by(|&a, &b| counts[a].total_cmp(&counts[b]));
    let count = chosen.map_or(likeliest.unwrap_or(0), |chosen| chosen.plies.len());
    let explanations = around.at.explanations().filter(|(with, _)| with.plies.len() == count);
    let explanations: Vec<(&Explanation, f64)> = explanations.collect();
    // The mass of paths that have a ply in another segment. It is left out if it is too small to be
    // mentioned.
    let early_or_late = match count {
        1 => segment.answered.max(segment.nothing),
        2 => segment.answered,
        _ => 0.0,
    };
    let around = Some(around).filter(|_| early_or_late >= MENTIONABLE);
    let chosen = |slot| chosen.and_then(|chosen: &Explanation| chosen.plies.get(slot));
    let answer = |slot| ply_answer(&explanations, slot, around, chosen(slot));
    segment.plies = (0..count).filter_map(answer).collect();
    // The press that ends the segment completed the answered ply. The answer comes after it, at its
    // own press if there will be one.
    if let [first, second] = segment.plies.as_mut_slice()
        && segment.answered > segment.missed_press
    {
        first.t_us = layer.t_us;
        second.t_us = layer.t_us + 1;
    }
    date_in_order(&mut segment.plies);
    segment
}

/// Makes the times of the plies increase strictly, so that sorting by time keeps the order of play.
fn date_in_order(plies: &mut [PlyEstimate]) {
    let mut next_us = u64::MAX;
    for ply in plies.iter_mut().rev() {
        ply.t_us = ply.t_us.min(next_us.saturating_sub(1));
        next_us = ply.t_us;
    }
}

/// An answer stood before the press, or a press was its own, if the posterior is above this, 0
/// to 1. Assumed: likelier than not.
const LIKELY: f64 = 0.5;

/// Some answers stood before the press that they answer. Such an answer gets the time of its own
/// press, if it is known by now. `press` gives the presser and the time at the end of the segment
/// with this index.
pub(crate) fn date_by_own_press(
    answers: &mut [(BoardId, SegmentEstimate)],
    press: impl Fn(usize) -> Option<(Color, u64)>,
) {
    let mut open: [Option<usize>; 2] = [None; 2];
    for at in 0..answers.len() {
        let (board, answer) = &answers[at];
        let board = board.index();
        let waiting = open[board].take();
        if answer.answered > LIKELY && answer.plies.len() == 2 {
            open[board] = Some(at);
        }
        if answer.nothing > LIKELY
            && let Some(waiting) = waiting
            && let Some((presser, t_us)) = press(at)
            && let Some(second) = answers[waiting].1.plies.last_mut()
            && second.side == presser
        {
            second.t_us = t_us;
        }
    }
}

/// The plies of a board in the segments after some segment.
#[derive(Clone, Default)]
struct LaterPlies {
    /// All captures, the last first: the player, the time of the first ply of their segment, microseconds, and the role.
    captures: Vec<(Color, u64, Role)>,
    /// The next one of each player, White's first: its time, microseconds, and what it captures.
    next: [Option<(u64, Option<Role>)>; 2],
    /// The first one of the next segment.
    reply: Option<Reply>,
    /// The player of the next one and its probability, if it takes the king.
    takes_king: Option<(Color, f64)>,
}

/// Takes into account what later segments tell of each segment: the reply to it, and whether its
/// drops on credit were.
pub(crate) fn look_ahead(answers: &mut [(BoardId, SegmentEstimate)]) {
    let [mut on_a, mut on_b] = <[LaterPlies; 2]>::default();
    for (board, answer) in answers.iter_mut().rev() {
        let (here, at_partner) = match board {
            BoardId::A => (&mut on_a, &on_b),
            BoardId::B => (&mut on_b, &on_a),
        };
        answer.reply = here.reply.take();
        let answered = answer.plies.len() > 1;
        // A capture whose press was forgotten is dated by the press after it.
        let begun_us = answer.plies.iter().map(|ply| ply.t_us).min().unwrap_or(u64::MAX);
        for ply in answer.plies.iter_mut().rev() {
            judge_credit(ply, at_partner);
            let claimed = here.takes_king.filter(|(side, _)| *side != ply.side);
            ply.claimed = claimed.map_or(0.0, |(_, p)| p);
            here.captures.extend(ply.captured.map(|role| (ply.side, begun_us, role)));
            here.next[usize::from(ply.side.is_black())] = Some((ply.t_us, ply.captured));
            here.takes_king = (ply.captured == Some(Role::King)).then_some((ply.side, ply.p));
            here.reply = Some(Reply { side: ply.side, ply: ply.ply, answered });
        }
    }
}

/// A drop on credit was legal after all if the partner captured such a piece in a segment that began
/// before it: that capture was not known when its press was forgotten, and only the next press has
/// shown it.
/// Otherwise a piece that is dropped before its capture is complete must be supplied by the
/// partner's next ply.
fn judge_credit(ply: &mut PlyEstimate, at_partner: &LaterPlies) {
    let (Some((IllegalReason::DropNotInReserve, _)), Ply::Drop { role, .. }) =
        (ply.illegal, ply.ply)
    else {
        return;
    };
    // The partner has the other colour.
    let partner = ply.side.other();
    let next = at_partner.next[usize::from(partner.is_black())];
    let supplies = |&(side, begun_us, captured): &(Color, u64, Role)| {
        side == partner && begun_us < ply.t_us && captured == role
    };
    if at_partner.captures.iter().any(supplies) {
        (ply.illegal, ply.legal) = (None, true);
    } else {
        ply.is_unsupplied =
            next.is_some_and(|(t_us, captured)| captured != Some(role) && t_us >= ply.t_us);
    }
}

struct WeighedPly {
    /// The ply as the first explanation with it has it.
    made: ExplainedPly,
    p: f64,
    illegal_p: f64,
}

/// Candidates of one ply, and the reasons why it may be illegal, with masses.
#[derive(Default)]
struct WeighedPlies {
    plies: SmallVec<[WeighedPly; 8]>,
    reasons: SmallVec<[(IllegalReason, f64); 4]>,
}

impl WeighedPlies {
    fn add(&mut self, made: &ExplainedPly, mass: f64) {
        if let Some(reason) = made.illegal {
            match self.reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, sum)) => *sum += mass,
                None => self.reasons.push((reason, mass)),
            }
        }
        let illegal_p = if made.illegal.is_some() { mass } else { 0.0 };
        match self.plies.iter_mut().find(|known| is_same(&known.made, made)) {
            Some(known) => {
                known.p += mass;
                known.illegal_p += illegal_p;
            }
            None => self.plies.push(WeighedPly { made: *made, p: mass, illegal_p }),
        }
    }
}

fn is_same(a: &ExplainedPly, b: &ExplainedPly) -> bool {
    (a.ply, a.side) == (b.ply, b.side)
}

fn ply_answer(
    explanations: &[(&Explanation, f64)],
    slot: usize,
    around: Option<&AroundPress<'_>>,
    chosen: Option<&ExplainedPly>,
) -> Option<PlyEstimate> {
    let mut found = WeighedPlies::default();
    for (explanation, mass) in explanations {
        found.add(explanation.plies.get(slot)?, *mass);
    }
    if let Some(around) = around {
        let likeliest = found.plies.iter().max_by(|a, b| a.p.total_cmp(&b.p))?;
        let ExplainedPly { side, t_us, .. } = likeliest.made;
        let count = explanations.first()?.0.plies.len();
        let beside = around.plies_beside(count, side).into_iter();
        for (made, mass) in beside.chain(around.plies_there(count, side)) {
            // The same press completed it, in whichever segment a path has it.
            found.add(&ExplainedPly { t_us, ..made }, mass);
        }
    }
    let WeighedPlies { mut plies, reasons } = found;
    plies.sort_by(|a, b| b.p.total_cmp(&a.p).then(a.made.ply.cmp(&b.made.ply)));
    if plies.is_empty() {
        return None;
    }
    let is_chosen = |known: &WeighedPly| chosen.is_some_and(|made| is_same(made, &known.made));
    let best = plies.remove(plies.iter().position(is_chosen).unwrap_or(0));
    let others = plies.iter().filter(|other| other.made.ply != best.made.ply);
    let illegal_p: f64 = reasons.iter().map(|(_, mass)| mass).sum();
    let reason = reasons
        .iter()
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        .map(|&(reason, _)| (reason, illegal_p.min(1.0)));
    Some(PlyEstimate {
        ply: best.made.ply,
        side: best.made.side,
        p: best.p.min(1.0),
        t_us: best.made.t_us,
        landed_us: best.made.landed_us,
        legal: best.illegal_p * 2.0 <= best.p,
        illegal: reason,
        captured: best.made.captured,
        is_unsupplied: false,
        claimed: 0.0,
        alternatives: others
            .filter(|other| other.p >= MENTIONABLE)
            .take(MAX_ALTERNATIVES)
            .map(|other| Alternative { uci: other.made.ply, p: other.p })
            .collect(),
    })
}

#[cfg(test)]
mod tests;
