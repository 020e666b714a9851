//! The tracker of one match: readings go in, reports come out.

mod restart;

use std::{collections::VecDeque, sync::Arc};

use rules::{Bitboard, BoardId, Color, Seat};

use crate::{
    anomaly::{self, FromReadings, Notes, Observer, Place, Register, Shown},
    answer::{self, SegmentAnswer},
    beam::Beam,
    expand::{Breadth, Closing, Expansion},
    facts::{Fact, Facts, Unreconciled},
    given::{Evidence, Given},
    legality,
    output::{PlyId, Stage, TrackerOutput},
    prior::{ActionPrior, LearntPrior},
    publish::{Ledger, Moment},
    questions::{Asked, Asking},
    reanchor::Disagreement,
    record::{InferredLine, Reading, ReadingKind, TraceHeader},
    summary, told,
    tray::TrayLog,
    trellis::{Backward, Trellis},
    watch::{MAX_TRIES, Pending, Phase, Watch},
};

/// How a match is tracked.
#[derive(Clone, Debug)]
pub struct TrackerConfig {
    /// Most joint hypotheses kept, 1 to 4096.
    pub beam: usize,
    /// Plies, over both boards, after which a lagged answer is given.
    pub lag: usize,
    /// What players choose.
    pub prior: Arc<dyn ActionPrior>,
    /// What people know of the match, every ply [anchored](Facts::anchored).
    pub facts: Facts,
}

impl Default for TrackerConfig {
    fn default() -> TrackerConfig {
        TrackerConfig {
            beam: 512,
            lag: 8,
            prior: Arc::new(LearntPrior::default()),
            facts: Facts::none(),
        }
    }
}

/// Questions in a record, at most.
const MAX_QUESTIONS: usize = 5;
/// Widest beam: hypotheses are numbered with 16 bits, and memory is bounded by it.
const MAX_BEAM: usize = 4_096;
/// Segments taken into account; presses after that are no match any more and are passed over.
const MAX_SEGMENTS: usize = 8_192;
/// Outputs kept for a caller that does not poll; the oldest are lost beyond that.
const MAX_OUTPUTS: usize = 65_536;
/// A settled explanation of at least this probability is accepted at once.
const CLEAN: f64 = 0.1 * legality::PLY;
/// Otherwise, the part of the probability in which everything has settled must be at least this.
const SETTLED_SHARE: f64 = 0.5;
/// A square that has been occupied for less than this, microseconds, may be one a piece is dragged over.
const CALM_US: u64 = 80_000;
/// Layers after which it is asked anew whether king and queen were set up swapped.
const SET_UP_EVERY: usize = 8;
/// A clock's display this long after a press shows the time of the press, microseconds.
const DISPLAY_US: u64 = 500_000;

/// What is believed of a match when facts are known besides the readings.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The lines of an inferred file, with the questions that are best asked next.
    pub lines: Vec<InferredLine>,
    /// The facts that are not borne out.
    pub unreconciled: Vec<Unreconciled>,
}

/// Follows one match. Give it every reading in order with [`handle`](Self::handle), and after each,
/// take what it says with [`poll_output`](Self::poll_output) until there is nothing left.
#[derive(Clone, Debug)]
pub struct Tracker {
    lag: usize,
    facts: Facts,
    boards: usize,
    base_s: u32,
    now_us: u64,
    watches: [Watch; 2],
    beam: Beam,
    disagreement: [Disagreement; 2],
    ledger: Ledger,
    register: Register,
    notes: Notes,
    trays: TrayLog,
    /// What each board's readings say by themselves.
    by_readings: [FromReadings; 2],
    observer: Observer,
    out: VecDeque<TrackerOutput>,
    /// First layer whose lagged answer is not given yet.
    unlagged: usize,
    finished: bool,
}

impl Tracker {
    /// A tracker for a match described by a trace header.
    #[must_use]
    pub fn new(header: &TraceHeader, config: TrackerConfig) -> Tracker {
        let width = config.beam.clamp(1, MAX_BEAM);
        let trays = TrayLog::new(header);
        Tracker {
            lag: config.lag,
            facts: config.facts,
            boards: header.boards.len(),
            base_s: header.base_s,
            now_us: 0,
            watches: BoardId::ALL.map(|board| Watch::new(header, board)),
            beam: Beam::new(header.boards.len(), &trays, width, config.prior),
            disagreement: Default::default(),
            ledger: Ledger::default(),
            register: Register::new(&header.rulebook),
            notes: Notes::default(),
            trays,
            by_readings: BoardId::ALL
                .map(|board| FromReadings::new(board, header.base_s, header.delay_s)),
            observer: Observer::new(header),
            out: VecDeque::new(),
            unlagged: 0,
            finished: false,
        }
    }

    /// Takes one reading. Readings come in the order of their times; one that claims to be earlier than
    /// the last is taken to be as late. Readings after [`finish`](Self::finish) are passed over.
    pub fn handle(&mut self, reading: &Reading) {
        if self.finished {
            return;
        }
        self.now_us = self.now_us.max(reading.t_us);
        self.explain_overdue();
        for board in BoardId::ALL {
            self.by_readings[board.index()].wait(self.now_us);
            self.report_readings(board);
        }
        let Some(board) = reading.board else { return };
        match &reading.kind {
            ReadingKind::Snapshot { occupied, squares } => {
                let watch = &mut self.watches[board.index()];
                if watch.read_snapshot(self.now_us, *occupied, squares.as_deref()) {
                    self.squares_changed(board, true);
                }
            }
            ReadingKind::Square { .. } => {
                for event in self.watches[board.index()].read_square(self.now_us, &reading.kind) {
                    self.notes.see(board, event);
                    self.by_readings[board.index()].square(event);
                    self.observer.square(board, event);
                    self.squares_changed(board, event.occupied);
                }
            }
            ReadingKind::Press { by } => self.pressed(board, *by),
            ReadingKind::Clock { white_ms, black_ms, running } => {
                self.clock_read(board, *white_ms, *black_ms, *running);
            }
            ReadingKind::Tray { side, slot, reading: said } => {
                if let Some(event) = self.trays.read(self.now_us, (board, *side), *slot, *said) {
                    let seat = Seat { board, color: *side };
                    self.observer.tray(seat, event.t_us, event.filled);
                }
                if self.watches.iter().all(|watch| watch.phase == Phase::BeforeStart) {
                    // Trays are cleared for the next match.
                    self.trays.forget_until(self.now_us);
                }
            }
            ReadingKind::Tilt { on } => self.by_readings[board.index()].tilt(self.now_us, *on),
            ReadingKind::Hand { side, near } => {
                self.by_readings[board.index()].hand(self.now_us, *side, *near);
                self.observer.hand(board, self.now_us, *side, *near);
            }
            // What was lost shows in the next snapshot.
            ReadingKind::Gap { lost } => self.by_readings[board.index()].gap(self.now_us, *lost),
            ReadingKind::End => {}
        }
        self.report_readings(board);
    }

    /// The next thing the tracker has to say, oldest first.
    pub fn poll_output(&mut self) -> Option<TrackerOutput> {
        self.out.pop_front()
    }

    /// Ends the match: what is still open is explained, and every answer is given anew with all of the
    /// match known.
    pub fn finish(&mut self) {
        if self.finished {
            return;
        }
        for board in BoardId::ALL {
            self.explain_pending(board);
            if self.watches[board.index()].phase == Phase::Playing {
                self.close_stopped(board);
            }
        }
        self.finished = true;
        let ends = self.evidence(&Facts::none());
        let later = Given::new(self.beam.trellis(), &ends).posterior();
        self.beam.follow_again(&later);
        self.report_set_up();
        let evidence = self.evidence(&Facts::none());
        if evidence.is_empty() {
            let first = self.beam.trellis().first_open();
            self.publish(first, Some(Stage::Final));
        } else {
            self.publish_given(&evidence);
        }
        self.report_hidden();
    }

    /// The match as lines of an inferred file: plies in order with their answers at each stage,
    /// anomalies, and questions about the least certain plies. Complete after
    /// [`finish`](Self::finish).
    #[must_use]
    pub fn record(&self) -> Vec<InferredLine> {
        let asked = self.asked(&self.evidence(&Facts::none()), MAX_QUESTIONS);
        summary::lines(&self.ledger, &self.register, &asked)
    }

    /// What is believed of the finished match if besides the readings and the configured facts these
    /// are known, at once and without reading anything again. Every ply they name is to be
    /// [anchored](Facts::anchored) in the record that the person looked at.
    ///
    /// Stories that were given up while the match was tracked do not come back: where a fact is among the
    /// unreconciled, track the readings anew with it in [`TrackerConfig::facts`].
    #[must_use]
    pub fn told(&self, facts: &Facts) -> Told {
        let mut told = self.clone();
        told.out.clear();
        let evidence = self.evidence(facts);
        told.publish_given(&evidence);
        let asked = self.asked(&evidence, MAX_QUESTIONS);
        let known: Facts = self.facts.iter().chain(&facts.beyond(&self.facts)).cloned().collect();
        Told {
            lines: summary::lines(&told.ledger, &told.register, &asked),
            unreconciled: told::unreconciled(
                &self.beam,
                &Given::new(self.beam.trellis(), &evidence),
                &known,
            ),
        }
    }

    fn evidence(&self, facts: &Facts) -> Evidence {
        // What was known while the match was tracked has weighed the plies already, but not the end.
        let ends = self.facts.iter().chain(facts).filter(|fact| !matches!(fact, Fact::Ply(_)));
        told::evidence(&self.beam, &facts.beyond(&self.facts), &ends.cloned().collect())
    }

    /// The `most` plies about which an answer would settle most, the best first.
    fn asked(&self, evidence: &Evidence, most: usize) -> Vec<Asked> {
        let trellis = self.beam.trellis();
        let posterior = Given::new(trellis, evidence).posterior();
        let answers = answers(trellis, trellis.first_open(), &posterior);
        Asking { trellis, answers: &answers }.choose(evidence, most)
    }

    /// Memory that the hypotheses, their history and what was said about it take, bytes. Bounded
    /// whatever the readings are: see the limits beside each of them.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.beam.memory_bytes()
            + self.ledger.memory_bytes()
            + self.notes.memory_bytes()
            + self.by_readings.iter().map(FromReadings::memory_bytes).sum::<usize>()
            + self.observer.memory_bytes()
            + self.out.capacity() * size_of::<TrackerOutput>()
    }

    fn squares_changed(&mut self, board: BoardId, filled: bool) {
        let watch = &mut self.watches[board.index()];
        watch.note_set_up();
        // A square that flickers tells no more than when it was first filled.
        if let Some(pending) = watch.pending
            && filled
            && pending.tries < MAX_TRIES
            && !watch.segment.repeats_last_fill(pending.count)
        {
            let tried = Pending { tries: pending.tries + 1, ..pending };
            watch.pending = Some(tried);
            self.try_close(board, tried);
        }
    }

    fn pressed(&mut self, board: BoardId, by: Color) {
        let now_us = self.now_us;
        let watch = &mut self.watches[board.index()];
        if watch.is_known_press(by, now_us) {
            return;
        }
        if by == Color::Black {
            self.restart_if_put_back(board);
        }
        let watch = &mut self.watches[board.index()];
        watch.last_press = Some((by, now_us));
        self.by_readings[board.index()].press(now_us, by);
        match (watch.phase, by) {
            (Phase::BeforeStart, Color::Black) => {
                watch.start();
                watch.clock.press(now_us, by);
                watch.begin_turn(now_us);
                self.by_readings[board.index()].start(now_us, watch.segment.start());
                self.observer.start(board, now_us);
                return;
            }
            (Phase::BeforeStart, Color::White) => {
                watch.start_unnoticed();
                self.by_readings[board.index()].start(now_us, watch.segment.start());
                self.observer.start(board, now_us);
            }
            (Phase::Stopped, _) => watch.phase = Phase::Playing,
            (Phase::Playing, _) => {}
        }
        self.explain_pending(board);
        self.watches[board.index()].begin_turn(now_us);
        let count = self.watches[board.index()].segment.events().len();
        let pending = Pending { presser: by, t_us: now_us, count, tries: 0 };
        self.watches[board.index()].pending = Some(pending);
        if self.is_calm(board) {
            self.try_close(board, pending);
        }
        self.watches[board.index()].clock.press(now_us, by);
    }

    fn clock_read(&mut self, board: BoardId, white_ms: i64, black_ms: i64, running: Option<Color>) {
        let now_us = self.now_us;
        let watch = &mut self.watches[board.index()];
        let before = watch.clock.running();
        if running == Some(Color::White) && before.is_none() {
            self.restart_if_put_back(board);
        }
        let watch = &mut self.watches[board.index()];
        let unseen_press = match (watch.phase, before, running) {
            (Phase::BeforeStart, _, Some(Color::White)) => {
                watch.start();
                None
            }
            (Phase::BeforeStart, _, Some(Color::Black)) => Some(Color::White),
            (Phase::Playing, Some(before), Some(running)) if before != running => Some(before),
            _ => None,
        };
        if let Some(by) = unseen_press {
            self.pressed(board, by);
        }
        let watch = &mut self.watches[board.index()];
        // What a clock shows first may be that it was stopped.
        let ran = before.is_some() || watch.clock.remaining_ms(now_us, Color::White).is_none();
        watch.clock.read(now_us, white_ms, black_ms, running);
        if watch.phase != Phase::BeforeStart {
            self.by_readings[board.index()].start(now_us, watch.segment.start());
            self.observer.start(board, now_us);
        }
        let shown = Shown { t_us: now_us, left_ms: [white_ms, black_ms], running };
        self.by_readings[board.index()].read_clock(shown);
        if before.is_none() && running.is_some() {
            watch.begin_turn(now_us);
        }
        match (watch.phase, running) {
            (Phase::Playing, None) if ran => {
                self.explain_pending(board);
                self.close_stopped(board);
                self.watches[board.index()].phase = Phase::Stopped;
            }
            (Phase::Stopped, Some(_)) => watch.phase = Phase::Playing,
            _ => {}
        }
        self.note_display(board);
    }

    /// The display right after a press tells the times at the press.
    fn note_display(&mut self, board: BoardId) {
        let watch = &self.watches[board.index()];
        let clocks_ms = watch.clocks_ms(self.now_us);
        let trellis = self.beam.trellis();
        let last = (trellis.first_open()..trellis.end())
            .rev()
            .take(4)
            .find(|&index| trellis.layer(index).is_some_and(|layer| layer.board == board));
        if let Some((index, layer)) = last.and_then(|index| Some((index, trellis.layer(index)?)))
            && self.now_us.saturating_sub(layer.t_us) <= DISPLAY_US
        {
            let [white, black] = clocks_ms;
            let shown = match layer.presser {
                Some(Color::White) => [white, self.ledger.clock_ms(index, Color::Black)],
                Some(Color::Black) => [self.ledger.clock_ms(index, Color::White), black],
                None => return,
            };
            self.ledger.set_clocks(index, shown);
        }
    }

    /// Reports how probable it is by now that king and queen were set up swapped.
    fn report_set_up(&mut self) {
        for board in BoardId::ALL {
            let started_us = self.by_readings[board.index()].started_us();
            if let (Some(t_us), Some(swapped)) = (started_us, self.beam.swapped(board)) {
                let findings = anomaly::king_and_queen_swapped(board, t_us, swapped);
                let (stage, now_us) = (Stage::Live, self.now_us);
                let place = Place { board, layer: None, plies: &[], stage, now_us };
                self.register.update(findings, place, &mut self.out);
            }
        }
    }

    /// Reports captured pieces that have not been seen for too long.
    fn report_hidden(&mut self) {
        for (board, finding) in self.observer.hidden(self.now_us) {
            let (stage, now_us) = (Stage::Live, self.now_us);
            let place = Place { board, layer: None, plies: &[], stage, now_us };
            self.register.update(vec![finding], place, &mut self.out);
        }
    }

    /// Reports what a board's readings say by themselves.
    fn report_readings(&mut self, board: BoardId) {
        let findings = self.by_readings[board.index()].take();
        if !findings.is_empty() {
            let (stage, now_us) = (Stage::Live, self.now_us);
            let place = Place { board, layer: None, plies: &[], stage, now_us };
            self.register.update(findings, place, &mut self.out);
        }
    }

    /// Explains presses whose pieces have had time to settle.
    fn explain_overdue(&mut self) {
        let mut overdue: Vec<(u64, BoardId)> = BoardId::ALL
            .into_iter()
            .filter_map(|board| Some((self.watches[board.index()].deadline_us()?, board)))
            .filter(|&(deadline_us, _)| deadline_us < self.now_us)
            .collect();
        overdue.sort_unstable();
        for (_, board) in overdue {
            self.explain_pending(board);
        }
    }

    /// Explains a board's pending press, if there is one, with what had been read when it came.
    fn explain_pending(&mut self, board: BoardId) {
        if let Some(Pending { presser, t_us, count, .. }) = self.watches[board.index()].pending {
            let expansion = self.propose(board, Some(presser), t_us, count, Breadth::Full);
            self.commit(board, Some(presser), t_us, count, expansion);
        }
    }

    /// Explains what happened since the last press of a board whose clock was stopped.
    fn close_stopped(&mut self, board: BoardId) {
        let segment = &self.watches[board.index()].segment;
        let count = segment.events().len();
        if segment.touched().any() {
            let expansion = self.propose(board, None, self.now_us, count, Breadth::Full);
            self.commit(board, None, self.now_us, count, expansion);
        }
    }

    /// Whether the last piece has been standing for a moment, and was not only passing a square.
    fn is_calm(&self, board: BoardId) -> bool {
        let last = self.watches[board.index()].segment.events().last();
        last.is_none_or(|event| !event.occupied || event.t_us + CALM_US <= self.now_us)
    }

    /// Explains a press if what has been read so far explains it well; otherwise it stays pending.
    fn try_close(&mut self, board: BoardId, pending: Pending) {
        let Pending { presser, t_us, count, tries } = pending;
        if tries == 0 {
            let quick = self.propose(board, Some(presser), t_us, count, Breadth::Settled);
            if quick.clean >= CLEAN {
                self.commit(board, Some(presser), t_us, count, quick);
                return;
            }
        }
        let full = self.propose(board, Some(presser), t_us, count, Breadth::Full);
        if full.settled >= SETTLED_SHARE * full.evidence {
            self.commit(board, Some(presser), t_us, count, full);
        }
    }

    fn propose(
        &mut self,
        board: BoardId,
        presser: Option<Color>,
        t_us: u64,
        count: usize,
        breadth: Breadth,
    ) -> Expansion {
        let facts = told::about(&self.facts, self.beam.trellis(), board, t_us);
        let closing = closing(&self.watches, &self.trays, board, presser, t_us, count);
        let closing = Closing { facts, ..closing };
        self.beam.propose(&closing, breadth)
    }

    fn commit(
        &mut self,
        board: BoardId,
        presser: Option<Color>,
        t_us: u64,
        count: usize,
        expansion: Expansion,
    ) {
        let layer = self.beam.trellis().end();
        if layer >= MAX_SEGMENTS {
            self.watches[board.index()].close_segment(presser, count);
            return;
        }
        let facts = told::about(&self.facts, self.beam.trellis(), board, t_us);
        let closing = closing(&self.watches, &self.trays, board, presser, t_us, count);
        let closing = Closing { facts, ..closing };
        if let Some(known) = self.beam.likeliest(board) {
            self.observer.close(layer, board, presser, t_us, known.position.clone());
        }
        let newcomers = closing.testimony.newcomers();
        self.beam.commit(&closing, expansion);
        let segment = closing.segment;
        let squares = (segment.start(), segment.events(), count);
        self.notes.close(layer, board, presser, t_us, squares);
        self.trays.forget_until(t_us);
        self.close_identity(board, t_us, newcomers);
        let watch = &mut self.watches[board.index()];
        watch.close_segment(presser, count);
        let read = watch.segment.start();
        let clocks_ms = watch.clocks_ms(t_us);
        self.ledger.set_clocks(layer, clocks_ms);
        self.publish(self.unlagged, None);
        let different = self.beam.different(board, read);
        self.by_readings[board.index()].differ(self.now_us, different, read);
        if (layer + 1).is_multiple_of(SET_UP_EVERY) {
            self.report_set_up();
        }
        self.report_hidden();
        if self.disagreement[board.index()].note(different) {
            self.reanchor(board, read, different.count());
        }
        self.make_room();
    }

    fn reanchor(&mut self, board: BoardId, read: rules::Bitboard, squares: usize) {
        self.beam.reanchor(board, read, self.now_us);
        self.disagreement[board.index()].clear();
        self.say(TrackerOutput::Reanchored {
            board,
            t_us: self.now_us,
            squares: u32::try_from(squares).unwrap_or(64),
        });
    }

    /// Takes what the squares said about pieces as known, and learns the levels of pieces that have come to
    /// stand somewhere and are nearly certain.
    fn close_identity(&mut self, board: BoardId, t_us: u64, newcomers: Bitboard) {
        let identity = &mut self.watches[board.index()].identity;
        identity.close(t_us);
        for square in newcomers {
            if let Some(piece) = self.beam.certain_piece(board, square) {
                identity.learn(square, piece);
            }
        }
    }

    /// Closes the oldest layers for good when there are too many.
    fn make_room(&mut self) {
        if self.beam.trellis().is_full() {
            let first = self.beam.trellis().first_open();
            self.publish(first, None);
            while self.beam.trellis().is_full() {
                self.beam.trellis_mut().close_first();
            }
            self.unlagged = self.unlagged.max(self.beam.trellis().first_open());
        }
    }

    /// The final answers under evidence beyond the readings.
    fn publish_given(&mut self, evidence: &Evidence) {
        let trellis = self.beam.trellis();
        let first = trellis.first_open();
        let posterior = Given::new(trellis, evidence).posterior();
        self.publish_answers(first, &posterior, Some(Stage::Final));
    }

    /// Answers anew for the layers from `from` on, and says what has changed.
    fn publish(&mut self, from: usize, stage: Option<Stage>) {
        let trellis = self.beam.trellis();
        let from = from.max(trellis.first_open());
        let posterior = trellis.backward(from);
        self.publish_answers(from, &posterior, stage);
    }

    fn publish_answers(&mut self, from: usize, posterior: &Backward, stage: Option<Stage>) {
        let trellis = self.beam.trellis();
        let answers = answers(trellis, from, posterior);
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

    fn say_layer(&mut self, index: usize, board: BoardId, answer: &SegmentAnswer, stage: Stage) {
        let moment = Moment { board, stage, now_us: self.now_us };
        self.ledger.update(index, answer, moment, &mut self.out);
        let plies: Vec<PlyId> =
            self.ledger.entries(index).iter().map(|entry| entry.report.id).collect();
        if let Some(layer) = self.beam.trellis().layer(index)
            && let Some(evidence) = self.notes.judge(index, answer.press_without_move)
        {
            let mut findings = anomaly::of_segment(layer, answer, evidence);
            findings.extend(self.observer.judge(index, layer, answer));
            let place =
                Place { board, layer: Some(index), plies: &plies, stage, now_us: self.now_us };
            self.register.update(findings, place, &mut self.out);
        }
    }

    fn say(&mut self, output: TrackerOutput) {
        self.out.push_back(output);
    }
}

/// The answers for the layers from `from` on, which is the first open one or a later one.
fn answers(trellis: &Trellis, from: usize, posterior: &Backward) -> Vec<(BoardId, SegmentAnswer)> {
    let mut answers: Vec<(BoardId, SegmentAnswer)> = (from..trellis.end())
        .filter_map(|index| {
            let layer = trellis.layer(index)?;
            Some((layer.board, answer::answer(layer, posterior.choices(index)?)))
        })
        .collect();
    let presses =
        |at: usize| trellis.layer(from + at).and_then(|layer| Some((layer.presser?, layer.t_us)));
    answer::date_by_own_press(&mut answers, presses);
    answer::forgive_debts(&mut answers);
    answers
}

fn closing<'a>(
    watches: &'a [Watch; 2],
    trays: &TrayLog,
    board: BoardId,
    presser: Option<Color>,
    t_us: u64,
    count: usize,
) -> Closing<'a> {
    Closing {
        board,
        presser,
        t_us,
        segment: &watches[board.index()].segment,
        count,
        recent: watches[board.index()].recent,
        timing: watches[board.index()].timing(t_us),
        partner_touched: watches[board.other().index()].touched(),
        tray_events: trays.until(t_us),
        testimony: watches[board.index()].identity.testimony(t_us),
        partner_pressed: watches[board.other().index()].pending.is_some(),
        facts: Vec::new(),
    }
}
