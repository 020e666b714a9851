//! The counts of one match, which add up to those of many.

use std::{collections::BTreeMap, ops::AddAssign};

use readings::{InferredLine, InferredPly, TruthLine, TruthPly};
use rules::{BoardId, Ply};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{
    AnomalyScore, Calibration, MAX_PLIES_PER_BOARD, ScoreError, Share, Step, align,
    alignment::squares, anomalies,
};

/// Number of plies at the end of a board that decide whether the match was lost.
pub const LOST_TAIL_PLIES: usize = 8;

/// Plies after which an answer counts as lagged.
const LAG_PLIES: u32 = 8;

/// The same count at the three stages of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByStage<T> {
    /// At first publishing.
    pub live: T,
    /// Eight plies later.
    pub lag8: T,
    /// After the match.
    pub end: T,
}

impl ByStage<Share> {
    fn count(&mut self, right: ByStage<bool>) {
        self.live.count(right.live);
        self.lag8.count(right.lag8);
        self.end.count(right.end);
    }
}

/// Time from a ply's completion to its first publication, over the plies that had a live answer
/// right in squares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    delays_us: Vec<u64>,
}

impl Delays {
    /// The delay below which a share of the plies was published, microseconds; `share` 0 to 1.
    #[must_use]
    pub fn quantile_us(&self, share: f64) -> Option<u64> {
        let mut sorted = self.delays_us.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        sorted.get((share.clamp(0.0, 1.0) * last as f64).round() as usize).copied()
    }
}

/// In JSON: `plies`, `median_us` and `p95_us`.
impl Serialize for Delays {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Delays", 3)?;
        fields.serialize_field("plies", &self.delays_us.len())?;
        fields.serialize_field("median_us", &self.quantile_us(0.5))?;
        fields.serialize_field("p95_us", &self.quantile_us(0.95))?;
        fields.end()
    }
}

/// Score of a tracker; of one match, or summed over several.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Matches whose every ply is right at the end, none invented.
    pub exact: Share,
    /// Matches whose every ply is right in squares at the end, none invented.
    pub exact_in_squares: Share,
    /// Matches whose record is of no use; the module's documentation says when.
    pub lost: Share,
    /// Matches whose live answers were of no use.
    pub lost_live: Share,
    /// Plies right in full.
    pub plies: ByStage<Share>,
    /// Plies right in side and squares.
    pub squares: ByStage<Share>,
    /// Drops right in role and square.
    pub drop_types: ByStage<Share>,
    /// Promotions right in role and squares.
    pub promotion_types: ByStage<Share>,
    /// True plies that nothing stands for.
    pub missed: u64,
    /// True plies that something else stands for.
    pub misread: u64,
    /// Inferred plies that nobody made.
    pub invented: u64,
    /// From a ply to its live answer.
    pub live_delay: Delays,
    /// Reliability of all answers.
    pub calibration: ByStage<Calibration>,
    /// Reliability of the answers that are drops.
    pub drop_calibration: ByStage<Calibration>,
    /// Precision and recall by anomaly code.
    pub anomalies: BTreeMap<String, AnomalyScore>,
}

impl AddAssign<&Score> for Score {
    fn add_assign(&mut self, other: &Score) {
        self.exact += other.exact;
        self.exact_in_squares += other.exact_in_squares;
        self.lost += other.lost;
        self.lost_live += other.lost_live;
        for (sum, more) in [
            (&mut self.plies, &other.plies),
            (&mut self.squares, &other.squares),
            (&mut self.drop_types, &other.drop_types),
            (&mut self.promotion_types, &other.promotion_types),
        ] {
            sum.live += more.live;
            sum.lag8 += more.lag8;
            sum.end += more.end;
        }
        self.missed += other.missed;
        self.misread += other.misread;
        self.invented += other.invented;
        self.live_delay.delays_us.extend_from_slice(&other.live_delay.delays_us);
        for (sum, more) in [
            (&mut self.calibration, &other.calibration),
            (&mut self.drop_calibration, &other.drop_calibration),
        ] {
            sum.live += &more.live;
            sum.lag8 += &more.lag8;
            sum.end += &more.end;
        }
        for (code, score) in &other.anomalies {
            *self.anomalies.entry(code.clone()).or_default() += score;
        }
    }
}

/// Scores one match. `match_id` appears in errors.
///
/// # Errors
///
/// [`ScoreError::TooLong`] when a board has more than [`MAX_PLIES_PER_BOARD`] plies.
pub fn score_match(
    match_id: &str,
    truth: &[TruthLine],
    inferred: &[InferredLine],
) -> Result<Score, ScoreError> {
    let mut score = Score { anomalies: anomalies::score(truth, inferred), ..Score::default() };
    let match_plies = truth.iter().filter(|line| matches!(line, TruthLine::Ply(_))).count();
    let (mut lost, mut lost_live) = (false, false);
    for board in BoardId::ALL {
        let truth: Vec<&TruthPly> = truth
            .iter()
            .filter_map(|line| match line {
                TruthLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        let inferred: Vec<&InferredPly> = inferred
            .iter()
            .filter_map(|line| match line {
                InferredLine::Ply(ply) if ply.board == board => Some(ply),
                _ => None,
            })
            .collect();
        for (file, plies) in [("truth", truth.len()), ("inferred", inferred.len())] {
            if plies > MAX_PLIES_PER_BOARD {
                let match_id = match_id.to_owned();
                return Err(ScoreError::TooLong { match_id, board, file, plies });
            }
        }
        let right = score_board(&mut score, &truth, &inferred, match_plies as u32);
        lost |= is_lost(right.iter().map(|right| right.end), inferred.len());
        lost_live |= is_lost(right.iter().map(|right| right.live), inferred.len());
    }
    score.lost.count(lost);
    score.lost_live.count(lost_live);
    let nothing_invented = score.invented == 0;
    score.exact.count(nothing_invented && score.plies.end.right == score.plies.end.of);
    score
        .exact_in_squares
        .count(nothing_invented && score.squares.end.right == score.squares.end.of);
    Ok(score)
}

/// Counts one board; returns for each true ply whether it was right in squares.
fn score_board(
    score: &mut Score,
    truth: &[&TruthPly],
    inferred: &[&InferredPly],
    match_plies: u32,
) -> Vec<ByStage<bool>> {
    let mut right_in_squares = Vec::with_capacity(truth.len());
    for step in align(truth, inferred) {
        match step {
            Step::Invented { inferred: index } => {
                score.invented += 1;
                count_answers(score, &Answers::of(inferred[index], false), None);
            }
            Step::Missed { truth: index } => {
                score.missed += 1;
                count_truth(score, truth[index].uci, None);
                right_in_squares.push(ByStage::default());
            }
            Step::Paired { truth: true_index, inferred: index } => {
                let (truth, inferred) = (truth[true_index], inferred[index]);
                let late = match_plies.saturating_sub(truth.n) < LAG_PLIES;
                let answers = Answers::of(inferred, late);
                let same_side = truth.side == inferred.side;
                let made = same_side.then_some(truth.uci);
                count_answers(score, &answers, made);
                let right = count_truth(score, truth.uci, same_side.then_some(&answers));
                score.misread += u64::from(!right.end);
                if let Some(live) = inferred.live.filter(|_| right.live) {
                    score.live_delay.delays_us.push(live.t_us.saturating_sub(truth.t_us));
                }
                right_in_squares.push(right);
            }
        }
    }
    right_in_squares
}

/// The answers of one inferred ply, each with its probability.
struct Answers(ByStage<Option<(Ply, f64)>>);

impl Answers {
    /// `late`: too few plies followed for a lag-8 answer, so the one at the end stands in.
    fn of(ply: &InferredPly, late: bool) -> Answers {
        let end = (ply.uci, ply.p);
        Answers(ByStage {
            live: ply.live.map(|answer| (answer.uci, answer.p)),
            lag8: ply.lag8.map(|answer| (answer.uci, answer.p)).or(late.then_some(end)),
            end: Some(end),
        })
    }

    fn map(&self, right: impl Fn(Ply) -> bool) -> ByStage<bool> {
        let right = |answer: Option<(Ply, f64)>| answer.is_some_and(|(ply, _)| right(ply));
        ByStage { live: right(self.0.live), lag8: right(self.0.lag8), end: right(self.0.end) }
    }
}

/// Counts a true ply; returns whether it was right in squares.
fn count_truth(score: &mut Score, made: Ply, answers: Option<&Answers>) -> ByStage<bool> {
    let in_full = answers.map(|answers| answers.map(|ply| ply == made)).unwrap_or_default();
    let in_squares =
        answers.map(|answers| answers.map(|ply| squares(ply) == squares(made))).unwrap_or_default();
    score.plies.count(in_full);
    score.squares.count(in_squares);
    match made {
        Ply::Drop { .. } => score.drop_types.count(in_full),
        Ply::Move { promotion: Some(_), .. } => score.promotion_types.count(in_full),
        Ply::Move { promotion: None, .. } => {}
    }
    in_squares
}

/// Counts the reliability of an inferred ply; `made` is what was made by that side, if anything.
fn count_answers(score: &mut Score, answers: &Answers, made: Option<Ply>) {
    let calibrations = [
        (&mut score.calibration.live, &mut score.drop_calibration.live, answers.0.live),
        (&mut score.calibration.lag8, &mut score.drop_calibration.lag8, answers.0.lag8),
        (&mut score.calibration.end, &mut score.drop_calibration.end, answers.0.end),
    ];
    for (all, drops, answer) in calibrations {
        let Some((ply, p)) = answer else { continue };
        let right = made == Some(ply);
        all.count(p, right);
        if ply.is_drop() {
            drops.count(p, right);
        }
    }
}

/// Whether a board's record is of no use, given for each true ply whether it was right in squares.
fn is_lost(right: impl ExactSizeIterator<Item = bool> + Clone, inferred: usize) -> bool {
    let plies = right.len();
    let tail = plies.saturating_sub(LOST_TAIL_PLIES);
    let right_in_tail = right.clone().skip(tail).filter(|&right| right).count();
    let right_in_all = right.filter(|&right| right).count();
    2 * right_in_all < plies.max(inferred) || 2 * right_in_tail < plies - tail
}
