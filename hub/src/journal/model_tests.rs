//! Comparison of this journal with its model in the hall simulation: both give the same answers after the same commands.

use delivery::{Answer, JournalRow, Query};
use hall_sim::Command as ModelCommand;
use proptest::prelude::*;
use proto::link::ResumePoint;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{OrderOutcome, PlyRetracted};

use super::*;
use crate::journal_line::Line;
use crate::orders::{OrderKind, OrderRecord};

const TABLES: [&str; 2] = ["1", "2"];
const NODES: [&str; 2] = ["a", "b"];
const KEEP_MATCHES: u32 = 1;

/// Commands to both.
#[derive(Clone, Debug)]
enum Step {
    Write(Box<Entry>),
    /// All rows of a boot, counted from the first, up to a sequence are acknowledged, or given back.
    Note(usize, u64, bool),
    Restart,
}

fn row(n: u32) -> OutgoingEvent {
    // No adjudicator accepts a row without a match.
    let match_id = if n.is_multiple_of(7) { String::new() } else { "m".to_owned() };
    let event = PlyRetracted { match_id, ply_id: n, t_us: 0 };
    OutgoingEvent { at: HubTime::from_micros(n.into()), event: Event::PlyRetracted(event) }
}

fn input(at_us: u64, of: Option<u8>) -> InputLine {
    let line = format!(r#"{{"t_us":{at_us},"board":"A","kind":"press","by":"white"}}"#);
    let at = HubTime::from_micros(at_us);
    InputLine { at, made: at, match_id: of.map(|n| format!("m{n}")), line }
}

fn record(number: u8, ended: bool) -> MatchRecord {
    MatchRecord {
        match_id: format!("m{number}"),
        opened: HubTime::from_micros(u64::from(number) * 1_000),
        header: String::new(),
        prologue: String::new(),
        ended,
    }
}

fn order(id: u64, ended: bool) -> OrderRecord {
    let ended = ended.then_some(OrderOutcome::Done);
    let kind = OrderKind::Fact("{}".to_owned());
    OrderRecord { id, match_id: "m".to_owned(), kind, ended }
}

prop_compose! {
    fn entry()(
        table in 0..TABLES.len(),
        inputs in prop::collection::vec((0u64..5_000, prop::option::of(0u8..4)), 0..4),
        rows in prop::collection::vec(0u32..1_000, 0..4),
        answers in prop::collection::vec(0u32..1_000, 0..2),
        matches in prop::collection::vec((0u8..4, any::<bool>()), 0..2),
        checkpoint in prop::option::weighted(0.3, "[a-z]{1,4}"),
        offsets in prop::collection::vec((0..NODES.len(), 1u32..4, 0u32..9), 0..3),
        orders in prop::collection::vec((1u64..5, any::<bool>()), 0..2),
        reached_us in 0u64..9_000,
        said_by in "[ab]",
    ) -> Entry {
        let offset = |(node, boot_id, sequence): (usize, u32, u32)| NodeOffset {
            node_id: NODES[node].to_owned(),
            reached: ResumePoint { boot_id, sequence },
        };
        Entry {
            table: TABLES[table].to_owned(),
            inputs: inputs.into_iter().map(|(at_us, of)| input(at_us, of)).collect(),
            rows: rows.into_iter().map(row).collect(),
            answers: answers.into_iter().map(row).collect(),
            matches: matches.into_iter().map(|(n, ended)| (0, record(n, ended))).collect(),
            checkpoint,
            offsets: offsets.into_iter().map(offset).collect(),
            orders: orders.into_iter().map(|(id, ended)| order(id, ended)).collect(),
            reached: HubTime::from_micros(reached_us),
            said_by,
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => entry().prop_map(|entry| Step::Write(Box::new(entry))),
        3 => (0usize..3, 0u64..12, any::<bool>()).prop_map(|(boot, to, given)| Step::Note(boot, to, given)),
        1 => Just(Step::Restart),
    ]
}

/// Both journals.
struct Pair {
    folder: tempfile::TempDir,
    opened: Opened,
    model: hall_sim::Journal,
    boots: Vec<u64>,
    next_sequence: u64,
}

impl Pair {
    async fn new() -> Pair {
        let folder = tempfile::tempdir().unwrap();
        let opened = open(folder.path()).await;
        let boots = vec![opened.journal.boot_id()];
        let model = hall_sim::Journal::new(20_000, KEEP_MATCHES as usize);
        Pair { folder, opened, model, boots, next_sequence: 1 }
    }

    async fn take(mut self, step: Step) -> Pair {
        let command = match step {
            Step::Write(entry) => {
                self.opened.journal.write((*entry).clone()).await.unwrap();
                ModelCommand::Entry(entry)
            }
            Step::Note(boot, sequence, is_given_back) => {
                let boot_id = self.boots[boot % self.boots.len()];
                let note = match is_given_back {
                    true => Note::GivenBack { boot_id, sequence },
                    false => Note::Acknowledged { boot_id, sequence },
                };
                assert!(self.opened.journal.try_note(note));
                ModelCommand::Note(note)
            }
            Step::Restart => {
                let Opened { journal, reader, writer, .. } = self.opened;
                drop((journal, reader));
                writer.await.unwrap();
                self.opened = open(self.folder.path()).await;
                assert_eq!(self.opened.latest, self.model.latest());
                self.boots.push(self.opened.journal.boot_id());
                self.next_sequence = 1;
                return self;
            }
        };
        self.opened.journal.flush().await.unwrap();
        let boot_id = self.opened.journal.boot_id();
        self.model.commit(&[command], boot_id, &mut self.next_sequence);
        self
    }

    /// Asks both everything.
    async fn compare(&self) {
        let Pair { opened: Opened { reader, .. }, model, .. } = self;
        for query in [
            Query::RowsAfter { row_id: 0, limit: 1_000 },
            Query::RowsAfter { row_id: 5, limit: 3 },
            Query::LastAcknowledged(2),
            Query::FirstSequences,
        ] {
            let real = told(reader.answer(&query).await.unwrap());
            assert_eq!(told(model.answer(&query)), real, "{query:?}");
        }
        for table in TABLES {
            let recovered = reader.recovered(table).await.unwrap();
            assert_eq!(model.recovered(table), recovered);
            let mut lines = Vec::new();
            reader.replay(table, recovered.input_id, |line| lines.push(line)).await.unwrap();
            let parsed = |line: &str| serde_json::from_str::<Line>(line).unwrap();
            let of_model: Vec<Line> = model.replay(table, recovered.input_id).map(parsed).collect();
            assert_eq!(of_model, lines);
            assert_eq!(model.standing(table), reader.standing(table).await.unwrap());
            assert_eq!(model.orders(table, 3), reader.orders(table, 3).await.unwrap());
        }
        for node in NODES {
            assert_eq!(model.resume_point(node), reader.resume_point(node).await.unwrap());
        }
        assert_eq!(model.matches(), reader.matches().await.unwrap());
    }
}

async fn open(folder: &Path) -> Opened {
    Journal::open(JournalOptions {
        file: folder.join("hub.sqlite"),
        hub_id: "hub-1".to_owned(),
        keep_matches: KEEP_MATCHES,
        now: HubTime::from_micros(1_000),
        heartbeat: Heartbeat::default(),
    })
    .await
    .unwrap()
}

/// An answer that can be compared.
fn told(answer: Answer) -> (Vec<JournalRow>, Vec<(u64, u64)>) {
    match answer {
        Answer::LastAcknowledged(rows) | Answer::RowsAfter(rows) => (rows, Vec::new()),
        Answer::FirstSequences(first) => (Vec::new(), first.into_iter().collect()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 64, ..ProptestConfig::default() })]
    #[test]
    fn the_simulations_model_answers_what_the_journal_answers(
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut pair = Pair::new().await;
            for step in steps {
                pair = pair.take(step).await;
                pair.compare().await;
            }
        });
    }
}
