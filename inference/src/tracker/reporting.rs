//! The outputs of the tracker: answers that have changed, and anomalies.

use std::ops::Range;

use rules::BoardId;

use super::Tracker;
use crate::{
    anomaly::{
        self,
        support::{finding::Finding, register::Place, surroundings::Surroundings},
    },
    answers::{
        ledger::{Moment, Moments},
        marginals::{self, SegmentEstimate},
        same_ply::{AroundPress, WeightedLayer},
    },
    report::{PlyId, Stage, TrackerOutput},
    trellis::{
        Backward, Trellis,
        conditioned::{ConditionedTrellis, SoftEvidence},
        map_record::{MapRecord, Record},
    },
};

/// Most outputs kept for a caller that does not poll. Beyond it the oldest are lost. Bound: on memory.
const MAX_OUTPUTS: usize = 65_536;
/// So many layers after the ones that are closed for good are read for their last answers: those of an answer's own press
/// and of forgotten presses. Bound: on work.
const READ_AFTER: usize = 16;

impl Tracker {
    /// Reports the present probability that king and queen were set up swapped.
    pub(super) fn report_set_up(&mut self) {
        for board in BoardId::ALL {
            let started_us = self.clock_monitors[board.index()].started_us;
            if let (Some(t_us), Some(swapped)) = (started_us, self.beam.swapped(board)) {
                let findings = anomaly::king_and_queen_swapped(board, t_us, swapped);
                let place = self.place_of_readings(board);
                self.register.update(findings, place, &mut self.out);
            }
        }
    }

    /// The place of a finding that belongs to no layer.
    fn place_of_readings(&self, board: BoardId) -> Place<'static> {
        let (stage, now_us) = (Stage::Live, self.now_us);
        Place { board, layer: None, plies: &[], stage, now_us, remembered: true }
    }

    /// Reports captured pieces that have been out of sight for too long.
    pub(super) fn report_hidden(&mut self) {
        for (board, finding) in self.hand_monitor.hidden(self.now_us) {
            let place = self.place_of_readings(board);
            self.register.update(vec![finding], place, &mut self.out);
        }
    }

    /// Reports findings that need no ply: clock, contacts, tilt switch.
    pub(super) fn report_readings(&mut self, board: BoardId) {
        let findings = std::mem::take(&mut self.clock_monitors[board.index()].found);
        if !findings.is_empty() {
            let place = self.place_of_readings(board);
            self.register.update(findings, place, &mut self.out);
        }
    }

    /// Publishes the final answers, conditioned on evidence beyond the readings.
    pub(super) fn publish_given(&mut self, evidence: &SoftEvidence) {
        let first = self.beam.trellis().first_open();
        let answers = self.final_answers(evidence);
        self.publish_answers(first, &answers, Some(Stage::Final));
    }

    /// The answers for all open layers, conditioned on evidence beyond the readings. They all come from one record if
    /// it is [likely enough](MapRecord).
    pub(super) fn final_answers(&self, evidence: &SoftEvidence) -> Vec<(BoardId, SegmentEstimate)> {
        let trellis = self.beam.trellis();
        let (first, conditioned) =
            (trellis.first_open(), ConditionedTrellis::new(trellis, evidence));
        let posterior = conditioned.posterior();
        let likeliest = answers(trellis, first..trellis.end(), &posterior, None);
        let mut record = Record::default();
        for (board, answer) in &likeliest {
            let plies = answer.plies.iter().map(|made| (made.side, made.ply));
            record[board.index()].extend(plies);
        }
        match MapRecord::likelier_than(&record, &conditioned, first) {
            Some(map_record) => {
                answers(trellis, first..trellis.end(), &posterior, Some(&map_record))
            }
            None => likeliest,
        }
    }

    /// Answers anew for the layers from `from` on, and puts the changes out.
    pub(super) fn publish(&mut self, from: usize, stage: Option<Stage>) {
        let trellis = self.beam.trellis();
        let from = from.max(trellis.first_open());
        let posterior = trellis.backward(from);
        let answers = answers(trellis, from..trellis.end(), &posterior, None);
        self.publish_answers(from, &answers, stage);
    }

    /// Gives the last answers for the open layers before the index `until`.
    pub(super) fn publish_last(&mut self, until: usize) {
        let trellis = self.beam.trellis();
        let first = trellis.first_open();
        let posterior = trellis.backward(first);
        let read = first..until.saturating_add(READ_AFTER).min(trellis.end());
        let mut answers = answers(trellis, read, &posterior, None);
        answers.truncate(until.saturating_sub(first));
        self.publish_answers(first, &answers, Some(Stage::Lagged));
    }

    fn publish_answers(
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
            self.say_layer(index, *board, answer, stage);
        }
        while self.out.len() > MAX_OUTPUTS {
            self.out.pop_front();
        }
    }

    pub(super) fn say_layer(
        &mut self,
        index: usize,
        board: BoardId,
        answer: &SegmentEstimate,
        stage: Stage,
    ) {
        let moment = Moment { board, stage, now_us: self.now_us };
        let (findings, moments) = self.judge_layer(index, answer);
        self.ledger.update(index, (answer, &moments), moment, &mut self.out);
        let plies: Vec<PlyId> =
            self.ledger.entries(index).iter().map(|entry| entry.report.id).collect();
        let remembered = self.hand_monitor.remembers(index, board);
        let (layer, now_us) = (Some(index), self.now_us);
        let place = Place { board, layer, plies: &plies, stage, now_us, remembered };
        self.register.update(findings, place, &mut self.out);
    }

    /// The findings in an open layer, however doubtful, and the moments of its plies.
    pub(super) fn judge_layer(
        &mut self,
        index: usize,
        answer: &SegmentEstimate,
    ) -> (Vec<Finding>, Vec<Moments>) {
        let trellis = self.beam.trellis();
        let Some(layer) = trellis.layer(index) else { return Default::default() };
        let segments = self.beam.logs().iter().enumerate();
        let segments = segments.map(|(at, &log)| (trellis.layer(at).map(|layer| layer.board), log));
        let surroundings = Surroundings::of(&segments.collect::<Vec<_>>(), index, layer.board);
        self.illegal_history.note(index, layer.board, answer);
        let at = (layer.board, index);
        let mut findings = anomaly::illegal_moves(at, answer, surroundings, &self.illegal_history);
        let (of_hands, moments) = self.hand_monitor.judge(index, layer, answer);
        findings.extend(of_hands);
        (findings, moments)
    }

    pub(super) fn say(&mut self, output: TrackerOutput) {
        self.out.push_back(output);
    }
}

/// The answers for these layers, which are open: the likeliest answers, or the answers of a MAP record.
fn answers(
    trellis: &Trellis,
    layers: Range<usize>,
    posterior: &Backward,
    map_record: Option<&MapRecord>,
) -> Vec<(BoardId, SegmentEstimate)> {
    let from = layers.start;
    let weighed = layers.filter_map(|index| {
        let (layer, masses) = (trellis.layer(index)?, posterior.explanations(index)?);
        Some(WeightedLayer { index, layer, masses })
    });
    let mut answers: Vec<(BoardId, SegmentEstimate)> = AroundPress::each(weighed)
        .iter()
        .map(|around| {
            let WeightedLayer { index, layer, .. } = around.at;
            let chosen = map_record.and_then(|map_record| map_record.explanation(index, layer));
            (layer.board, marginals::answer(around, chosen))
        })
        .collect();
    let presses =
        |at: usize| trellis.layer(from + at).and_then(|layer| Some((layer.presser?, layer.t_us)));
    marginals::date_by_own_press(&mut answers, presses);
    marginals::forgive_debts(&mut answers);
    marginals::doubt_debts(&mut answers);
    marginals::name_replies(&mut answers);
    answers
}
