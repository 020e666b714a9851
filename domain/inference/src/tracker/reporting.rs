//! The outputs of the tracker: answers that have changed, and anomalies.

use rules::BoardId;

use super::Tracker;
use crate::{
    anomaly::{
        detectors::{illegal_move, setup_wrong},
        findings::{finding::Finding, register::Occasion},
        segments::surroundings::Surroundings,
    },
    answers::{
        marginals::{self, SegmentEstimate},
        published_plies::{Moment, Moments},
        same_ply::{AroundPress, WeightedLayer},
    },
    beam::filter::Filter,
    report::{PlyId, Stage},
    trellis::{
        Trellis,
        conditioned::{ConditionedTrellis, SoftEvidence},
        map_record::{self, Record},
    },
};

/// Maximum number of outputs for a caller that does not poll. Beyond it the oldest are lost. Bound: on memory.
const MAX_OUTPUTS: usize = 65_536;
/// Number of layers after the finally closed ones that are read for their last answers: those of
/// an answer's own press and of forgotten presses. Bound: on work.
const READ_AFTER: usize = 16;

impl Tracker {
    /// Reports the present probabilities that pieces were set up swapped.
    pub(super) fn report_set_up(&mut self, stage: Stage) {
        for board in BoardId::ALL {
            let started_us = self.clock_monitors[board.index()].started_us;
            if let (Some(t_us), Some(swapped)) = (started_us, self.beam.odd_ranks(board)) {
                let findings = setup_wrong::pieces_swapped(board, t_us, &swapped);
                let occasion = Occasion { stage, ..Occasion::of_reading(board, self.now_us) };
                self.register.update(findings, occasion, &mut self.out);
            }
        }
    }

    /// Reports captured pieces that have been out of sight for too long.
    pub(super) fn report_hidden(&mut self) {
        for (board, finding) in self.hand_monitor.hidden(self.now_us) {
            self.report(board, vec![finding]);
        }
    }

    /// Reports findings that need no ply: clock, contacts, tilt switch.
    pub(super) fn report_readings(&mut self, board: BoardId) {
        let findings = std::mem::take(&mut self.clock_monitors[board.index()].found);
        if !findings.is_empty() {
            self.report(board, findings);
        }
    }

    /// Reports findings that belong to no layer.
    pub(super) fn report(&mut self, board: BoardId, findings: Vec<Finding>) {
        let occasion = Occasion::of_reading(board, self.now_us);
        self.register.update(findings, occasion, &mut self.out);
    }

    /// The answers for all open layers, conditioned on evidence beyond the readings. They all come
    /// from one record if it is [likely enough](map_record).
    pub(super) fn final_answers(&self, evidence: &SoftEvidence) -> Vec<(BoardId, SegmentEstimate)> {
        let trellis = &self.beam.filter.trellis;
        let first = trellis.first_open();
        let conditioned = ConditionedTrellis::new(trellis, evidence);
        let posterior = conditioned.explanations();
        let likeliest = answers(trellis, first, &posterior, None);
        let mut record = Record::default();
        for (board, answer) in &likeliest {
            let plies = answer.plies.iter().map(|made| (made.side, made.ply));
            record[board.index()].extend(plies);
        }
        match map_record::likelier_than(&record, &conditioned) {
            Some(path) => answers(trellis, first, &posterior, Some(&path)),
            None => likeliest,
        }
    }

    /// Answers again for the layers from `from` on, and emits the changes.
    pub(super) fn publish(&mut self, from: usize) {
        let trellis = &self.beam.filter.trellis;
        let from = from.clamp(trellis.first_open(), trellis.end());
        let posterior = trellis.backward(from);
        let answers = answers(trellis, from, &posterior, None);
        self.publish_answers(from, &answers, None);
    }

    /// Gives the last answers for the open layers before the index `until`.
    pub(super) fn publish_last(&mut self, until: usize) {
        let trellis = &self.beam.filter.trellis;
        let first = trellis.first_open();
        let mut posterior = trellis.backward(first);
        posterior.truncate(until.saturating_add(READ_AFTER).saturating_sub(first));
        let mut answers = answers(trellis, first, &posterior, None);
        answers.truncate(until.saturating_sub(first));
        self.publish_answers(first, &answers, Some(Stage::Lagged));
    }

    /// Puts out the changes of these answers for the layers from `from` on, at this stage or at the
    /// stage reached.
    pub(super) fn publish_answers(
        &mut self,
        from: usize,
        answers: &[(BoardId, SegmentEstimate)],
        stage: Option<Stage>,
    ) {
        self.answered += answers.len();
        let mut later: Vec<usize> = vec![0; answers.len()];
        for at in (1..answers.len()).rev() {
            later[at - 1] = later[at] + answers[at].1.plies.len();
        }
        for (at, (board, answer)) in answers.iter().enumerate() {
            let index = from + at;
            let reached = if later[at] >= self.lag { Stage::Lagged } else { Stage::Live };
            let stage = stage.unwrap_or(reached);
            if stage == Stage::Lagged && index == self.unlagged {
                self.unlagged += 1;
            }
            self.report_layer(index, *board, answer, stage);
        }
        while self.out.len() > MAX_OUTPUTS {
            self.out.pop_front();
        }
    }

    fn report_layer(
        &mut self,
        index: usize,
        board: BoardId,
        answer: &SegmentEstimate,
        stage: Stage,
    ) {
        let moment = Moment { board, stage, now_us: self.now_us };
        let (findings, moments) = self.judge_layer(index, answer);
        self.published.update(index, (answer, &moments), moment, &mut self.out);
        let plies: Vec<PlyId> =
            self.published.entries(index).iter().map(|entry| entry.report.id).collect();
        let remembered = self.hand_monitor.remembers(index, board);
        let (layer, now_us) = (Some(index), self.now_us);
        let occasion = Occasion { board, layer, plies: &plies, stage, now_us, remembered };
        self.register.update(findings, occasion, &mut self.out);
    }

    /// The findings in an open layer, however doubtful, and the moments of its plies.
    pub(super) fn judge_layer(
        &mut self,
        index: usize,
        answer: &SegmentEstimate,
    ) -> (Vec<Finding>, Vec<Moments>) {
        let Filter { trellis, logs, .. } = &self.beam.filter;
        let Some(layer) = trellis.layer(index) else { return Default::default() };
        let segments = logs.iter().enumerate();
        let segments = segments.map(|(at, &log)| (trellis.layer(at).map(|layer| layer.board), log));
        let surroundings = Surroundings::of(&segments.collect::<Vec<_>>(), index, layer.board);
        self.illegal_history.note(index, layer.board, answer);
        self.supply_history.note(index, layer.board, answer);
        let at = (layer.board, index);
        let histories = (&self.illegal_history, &self.supply_history);
        let mut findings = illegal_move::illegal_moves(at, answer, surroundings, histories);
        let (of_hands, moments) = self.hand_monitor.judge(index, layer, answer);
        findings.extend(of_hands);
        (findings, moments)
    }
}

/// The answers for the layers from `from` on, which is the first open layer or a later one: the
/// likeliest answers, or the answers of the `path` with these explanations. `posterior` has the
/// probabilities of all explanations.
fn answers(
    trellis: &Trellis,
    from: usize,
    posterior: &[Vec<f64>],
    path: Option<&[u32]>,
) -> Vec<(BoardId, SegmentEstimate)> {
    let weighed = (from..).zip(posterior).filter_map(|(index, masses)| {
        Some(WeightedLayer { index, layer: trellis.layer(index)?, masses })
    });
    let mut answers: Vec<(BoardId, SegmentEstimate)> = AroundPress::each(weighed)
        .iter()
        .map(|around| {
            let WeightedLayer { index, layer, .. } = around.at;
            let chosen = path.map(|path| &layer.explanations[path[index - from] as usize]);
            (layer.board, marginals::answer(around, chosen))
        })
        .collect();
    let presses =
        |at: usize| trellis.layer(from + at).and_then(|layer| Some((layer.presser?, layer.t_us)));
    marginals::date_by_own_press(&mut answers, presses);
    marginals::look_ahead(&mut answers);
    answers
}
