//! The reports on each ply so far, and the changes that are worth a new report.
//!
//! A ply keeps its identifier through all revisions. A revision is published when the answer
//! changes, when its probability crosses the mark of certainty, and when a later stage is reached.
//! Smaller shifts wait until then.

use std::collections::VecDeque;

use readings::{Alternative, LiveAnswer};
use rules::{BoardId, Color};

use crate::{
    answers::marginals::{PlyEstimate, SegmentEstimate},
    report::{PlyId, PlyReport, Stage, TrackerOutput},
};

/// A probability that crosses this mark, either way, is worth a revision. Assumed: set by hand.
const CERTAIN: f64 = 0.9;

/// One ply as last reported, and its answers at earlier stages.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) report: PlyReport,
    pub(crate) live: Option<LiveAnswer>,
    pub(crate) lag8: Option<Alternative>,
}

/// All plies reported, by the layer of the trellis they belong to.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublishedPlies {
    layers: Vec<Vec<Entry>>,
    ends: Vec<SegmentEnd>,
    next: u32,
}

/// The end of a layer's segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SegmentEnd {
    /// The board and the presser. None before the segment has ended.
    pub(crate) press: Option<(BoardId, Option<Color>)>,
    /// Both players' remaining times, milliseconds, White's first.
    pub(crate) clocks_ms: [Option<i64>; 2],
}

/// Time at which the first piece of a ply was touched and its last one let go of, microseconds since the trace began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    pub(crate) touched_us: Option<u64>,
    pub(crate) released_us: Option<u64>,
}

/// The circumstances of an update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) board: BoardId,
    pub(crate) stage: Stage,
    /// Now, microseconds since the trace began.
    pub(crate) now_us: u64,
}

impl PublishedPlies {
    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let of_entry = |entry: &Entry| {
            size_of::<Entry>() + entry.report.alternatives.capacity() * size_of::<Alternative>()
        };
        self.layers.iter().flatten().map(of_entry).sum::<usize>()
            + self.layers.capacity() * size_of::<Vec<Entry>>()
            + self.ends.capacity() * size_of::<SegmentEnd>()
    }

    /// Takes back every ply.
    pub(crate) fn retract_all(&self, t_us: u64, out: &mut VecDeque<TrackerOutput>) {
        let ids = self.layers.iter().flatten().map(|entry| entry.report.id);
        out.extend(ids.map(|id| TrackerOutput::PlyRetracted { id, t_us }));
    }

    /// The number of the next identifier.
    pub(crate) const fn next(&self) -> u32 {
        self.next
    }

    /// Forgets every ply. Identifiers begin with this number.
    pub(crate) fn begin_again(&mut self, next: u32) {
        self.layers.clear();
        self.next = next;
    }

    /// The plies of a layer as last reported.
    pub(crate) fn entries(&self, layer: usize) -> &[Entry] {
        self.layers.get(layer).map_or(&[], Vec::as_slice)
    }

    /// All plies in the order of time. Plies of one moment keep the order in which they were made.
    pub(crate) fn in_order(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.layers.iter().flatten().collect();
        // A ply may be found after a later one was reported, so the order of identifiers is not that of time.
        entries.sort_by_key(|entry| entry.report.t_us);
        entries
    }

    /// Notes the end of a layer's segment.
    pub(crate) fn close(&mut self, layer: usize, end: SegmentEnd) {
        self.set_clocks(layer, end.clocks_ms);
        self.ends[layer] = end;
    }

    /// Corrects both players' remaining times at the end of a layer's segment, White's first. Reported plies
    /// carry them from their next revision on.
    pub(crate) fn set_clocks(&mut self, layer: usize, clocks_ms: [Option<i64>; 2]) {
        if self.ends.len() <= layer {
            self.ends.resize(layer + 1, SegmentEnd::default());
        }
        self.ends[layer].clocks_ms = clocks_ms;
    }

    /// A player's remaining time as noted for a layer, milliseconds.
    pub(crate) fn clock_ms(&self, layer: usize, color: Color) -> Option<i64> {
        self.ends.get(layer)?.clocks_ms[usize::from(color.is_black())]
    }

    /// A player's remaining time after a ply of a layer, milliseconds. A player who moves before
    /// the opponent's press presses in the next segment. Then that press gives the time, unless the
    /// player made another ply there.
    fn clock_after_ms(&self, layer: usize, color: Color) -> Option<i64> {
        let own_press = self.ends.get(layer).and_then(|end| match end.press? {
            (board, Some(presser)) if presser != color => {
                self.press_without_ply(layer, board, color)
            }
            _ => None,
        });
        self.clock_ms(own_press.unwrap_or(layer), color)
    }

    /// The next layer of this board, if that player pressed at its end and made no ply in it.
    fn press_without_ply(&self, layer: usize, board: BoardId, color: Color) -> Option<usize> {
        let later = self.ends.iter().enumerate().skip(layer + 1);
        let on_board = |end: &SegmentEnd| end.press.is_some_and(|(of, _)| of == board);
        let (next, end) = later.clone().find(|(_, end)| on_board(end))?;
        let has_ply = self.entries(next).iter().any(|entry| entry.report.side == color);
        (end.press == Some((board, Some(color))) && !has_ply).then_some(next)
    }

    /// Takes the present answer for a layer, with the known moments of its plies, and puts out the changes.
    pub(crate) fn update(
        &mut self,
        layer: usize,
        (answer, moments): (&SegmentEstimate, &[Moments]),
        Moment { board, stage, now_us }: Moment,
        out: &mut VecDeque<TrackerOutput>,
    ) {
        if self.layers.len() <= layer {
            self.layers.resize_with(layer + 1, Vec::new);
        }
        let mut known = std::mem::take(&mut self.layers[layer]);
        let matches = match_up(&mut known, &answer.plies);
        let mut entries = Vec::with_capacity(answer.plies.len());
        for (slot, (ply, matched)) in answer.plies.iter().zip(matches).enumerate() {
            let Moments { touched_us, released_us } =
                moments.get(slot).copied().unwrap_or_default();
            let report = PlyReport {
                id: PlyId(self.next),
                revision: 0,
                stage,
                board,
                side: ply.side,
                t_us: ply.t_us,
                ply: ply.ply,
                p: ply.p,
                legal: ply.legal,
                alternatives: ply.alternatives.clone(),
                clock_ms: self.clock_after_ms(layer, ply.side),
                touched_us,
                released_us,
            };
            self.next += u32::from(matched.is_none());
            entries.push(entry(matched, report, now_us, out));
        }
        for entry in known {
            out.push_back(TrackerOutput::PlyRetracted { id: entry.report.id, t_us: now_us });
        }
        self.layers[layer] = entries;
    }
}

/// Takes the known entry that each ply of the answer continues: first the entry with the same ply,
/// then the entry at the same place counted from the end, where the press is.
fn match_up(known: &mut Vec<Entry>, plies: &[PlyEstimate]) -> Vec<Option<Entry>> {
    let same = |ply: &PlyEstimate| {
        let is_same = |entry: &Entry| (entry.report.ply, entry.report.side) == (ply.ply, ply.side);
        known.iter().position(is_same).map(|at| known.remove(at))
    };
    let mut matches: Vec<Option<Entry>> = plies.iter().map(same).collect();
    for unmatched in matches.iter_mut().rev().filter(|matched| matched.is_none()) {
        *unmatched = known.pop();
    }
    matches
}

/// The entry of a ply by its present report. Publishes the report if it is the first or if it has
/// enough news.
fn entry(
    known: Option<Entry>,
    mut report: PlyReport,
    now_us: u64,
    out: &mut VecDeque<TrackerOutput>,
) -> Entry {
    let PlyReport { ply: uci, p, stage, .. } = report;
    let lagged = (stage == Stage::Lagged).then_some(Alternative { uci, p });
    let Some(Entry { report: before, live, lag8 }) = known else {
        out.push_back(TrackerOutput::Ply(report.clone()));
        let live = (stage == Stage::Live).then_some(LiveAnswer { uci, p, t_us: now_us });
        return Entry { report, live, lag8: lagged };
    };
    let lag8 = lag8.or(lagged);
    let same_ply = (before.ply, before.side) == (report.ply, report.side);
    let same = same_ply && (before.legal, before.t_us) == (report.legal, report.t_us);
    // After the match every shift counts, because facts may have come in.
    let shifted = stage == Stage::Final && before.p != p;
    let crossed = (before.p >= CERTAIN) != (p >= CERTAIN);
    if same && !crossed && !shifted && stage <= before.stage {
        return Entry { report: before, live, lag8 };
    }
    (report.id, report.revision) = (before.id, before.revision + 1);
    report.stage = before.stage.max(stage);
    // The changes of the squares may be forgotten for a ply long ago.
    if same_ply && report.touched_us.is_none() && report.released_us.is_none() {
        (report.touched_us, report.released_us) = (before.touched_us, before.released_us);
    }
    out.push_back(TrackerOutput::Ply(report.clone()));
    Entry { report, live, lag8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(uci: &str, p: f64) -> PlyEstimate {
        PlyEstimate {
            ply: uci.parse().expect("a ply"),
            side: Color::White,
            p,
            t_us: 7,
            landed_us: 7,
            legal: true,
            illegal: None,
            captured: None,
            is_unsupplied: false,
            claimed: 0.0,
            alternatives: Vec::new(),
        }
    }

    fn segment(plies: Vec<PlyEstimate>) -> SegmentEstimate {
        SegmentEstimate { plies, ..SegmentEstimate::default() }
    }

    fn update(
        published: &mut PublishedPlies,
        plies: Vec<PlyEstimate>,
        stage: Stage,
    ) -> Vec<TrackerOutput> {
        let mut out = VecDeque::new();
        let moment = Moment { board: BoardId::A, stage, now_us: 9 };
        published.update(0, (&segment(plies), &[]), moment, &mut out);
        out.into()
    }

    #[test]
    fn small_shifts_stay_unsaid_and_changes_are_revisions_of_the_same_ply() {
        let mut published = PublishedPlies::default();
        assert_eq!(update(&mut published, vec![ply("N@e4", 0.6)], Stage::Live).len(), 1);
        assert!(update(&mut published, vec![ply("N@e4", 0.7)], Stage::Live).is_empty());
        let changed = update(&mut published, vec![ply("B@e4", 0.6)], Stage::Live);
        let [TrackerOutput::Ply(report)] = changed.as_slice() else { panic!("{changed:?}") };
        assert_eq!((report.id, report.revision), (PlyId(0), 1));
        assert_eq!(update(&mut published, vec![ply("B@e4", 0.95)], Stage::Live).len(), 1);
        assert_eq!(update(&mut published, vec![ply("B@e4", 0.95)], Stage::Lagged).len(), 1);
    }

    #[test]
    fn a_ply_that_was_none_is_retracted_and_the_other_keeps_its_identifier() {
        let mut published = PublishedPlies::default();
        update(&mut published, vec![ply("e2e4", 0.6), ply("d2d4", 0.6)], Stage::Live);
        let out = update(&mut published, vec![ply("d2d4", 0.6)], Stage::Live);
        assert_eq!(out, [TrackerOutput::PlyRetracted { id: PlyId(0), t_us: 9 }]);
        assert_eq!(published.entries(0)[0].report.id, PlyId(1));
    }

    #[test]
    fn a_ply_found_later_gets_an_identifier_of_its_own() {
        let mut published = PublishedPlies::default();
        update(&mut published, vec![ply("d2d4", 0.6)], Stage::Live);
        let out = update(&mut published, vec![ply("e2e4", 0.6), ply("d2d4", 0.6)], Stage::Live);
        let [TrackerOutput::Ply(report)] = out.as_slice() else { panic!("{out:?}") };
        assert_eq!((report.id, report.revision), (PlyId(1), 0));
        let in_order: Vec<_> =
            published.in_order().iter().map(|entry| entry.report.ply.to_string()).collect();
        assert_eq!(in_order, ["e2e4", "d2d4"], "both are of one moment");
    }

    /// White made a ply before Black pressed, and pressed after that; then the ply was confirmed.
    fn confirmed_after_own_press(plies_of_own_press: Vec<PlyEstimate>) -> Option<i64> {
        let mut published = PublishedPlies::default();
        update(&mut published, vec![ply("e2e4", 0.99)], Stage::Live);
        let close = |board, presser, clocks_ms: [i64; 2]| SegmentEnd {
            press: Some((board, Some(presser))),
            clocks_ms: clocks_ms.map(Some),
        };
        published.close(0, close(BoardId::A, Color::Black, [60_000, 50_000]));
        // Nothing of the other board counts.
        published.close(1, close(BoardId::B, Color::White, [1, 2]));
        published.close(2, close(BoardId::A, Color::White, [58_000, 50_000]));
        let moment = Moment { board: BoardId::A, stage: Stage::Live, now_us: 9 };
        let mut out = VecDeque::new();
        published.update(2, (&segment(plies_of_own_press), &[]), moment, &mut out);
        update(&mut published, vec![ply("e2e4", 0.99)], Stage::Lagged);
        published.entries(0)[0].report.clock_ms
    }

    #[test]
    fn ply_made_before_the_opponent_presses_has_the_clock_of_its_own_press() {
        assert_eq!(confirmed_after_own_press(Vec::new()), Some(58_000));
    }

    #[test]
    fn clock_of_the_next_press_is_that_of_the_ply_made_for_it() {
        assert_eq!(confirmed_after_own_press(vec![ply("d2d4", 0.99)]), Some(60_000));
    }
}
