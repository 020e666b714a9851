//! The hub's journal: the program writes a whole match into it, and restarts the hub in the middle.

use std::collections::BTreeMap;
use std::path::Path;

use delivery::Note;
use hub::HubTime;
use hub::journal::{Entry, Journal, JournalOptions, Opened};
use hub::liveness::Heartbeat;
use hub_core::journal::number_rows;
use hub_core::orders::{KNOWN_MAX, OrderKind};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tokio::time::timeout;

use crate::cuts::Found;
use crate::played::{BEGIN, HUB, Played, Promised, TABLE};
use crate::programs::{commits, digest, expect, folder, notes_states, patience, promise};

/// The file.
pub(crate) const FILE: &str = "hub.sqlite";
/// After this commit the hub stops and starts again.
const RESTART_AFTER: u32 = 500;

/// All contents except the boots, since every opening adds one: each table as lines.
const EVERYTHING: &str = "SELECT
    (SELECT group_concat(line, char(10)) FROM (SELECT input_id || quote(table_name) || quote(match_id) || t_us || ' ' || made_us
        || line AS line FROM inputs ORDER BY input_id)),
    (SELECT group_concat(line, char(10)) FROM (SELECT row_id || ' ' || (SELECT COUNT(*) FROM boots WHERE boots.boot_id <= outgoing.boot_id)
        || ' ' || sequence || ' ' || acknowledged || hex(body) AS line FROM outgoing ORDER BY row_id)),
    (SELECT group_concat(line, char(10)) FROM (SELECT quote(match_id) || quote(table_name) || opened_us || quote(header)
        || quote(prologue) || first_input || ' ' || ended AS line FROM matches ORDER BY match_id)),
    (SELECT group_concat(line, char(10)) FROM (SELECT order_id || ' ' || position || quote(table_name) || quote(match_id) || quote(kind)
        || quote(body) || quote(node_id) || quote(boot_id) || quote(request) || quote(ended) AS line FROM orders ORDER BY order_id)),
    (SELECT group_concat(line, char(10)) FROM (SELECT quote(table_name) || quote(checkpoint) || input_id || ' ' || outputs || ' '
        || reached_us AS line FROM sessions ORDER BY table_name)),
    (SELECT group_concat(line, char(10)) FROM (SELECT quote(node_id) || boot_id || ' ' || sequence AS line FROM nodes ORDER BY node_id))";

/// The newest input that was ever written, and the newest row of each boot.
const REACHED: &str = "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'inputs'), 0),
    (SELECT group_concat(sequence, ' ') FROM (SELECT MAX(sequence) AS sequence FROM outgoing GROUP BY boot_id ORDER BY boot_id))";

fn options(folder: &Path) -> JournalOptions {
    JournalOptions {
        file: folder.join(FILE),
        hub_id: HUB.to_owned(),
        // The first match is forgotten when the second one ends.
        keep_matches: 1,
        now: BEGIN,
        heartbeat: Heartbeat::default(),
    }
}

async fn look_into(folder: &Path) -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::new().filename(folder.join(FILE)).read_only(true).connect().await
}

type Columns = (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

async fn state(connection: &mut SqliteConnection) -> u64 {
    let (inputs, rows, matches, orders, sessions, nodes): Columns =
        sqlx::query_as(EVERYTHING).fetch_one(connection).await.expect("it can be read");
    digest(&[inputs, rows, matches, orders, sessions, nodes])
}

/// Notes the contents of the journal after this number of commits.
async fn note_state(folder: &Path, commits: u32) {
    let mut connection = look_into(folder).await.expect("a journal");
    expect(folder, commits, state(&mut connection).await);
    connection.close().await.expect("closed");
}

/// Progress of the program.
struct Writing {
    opened: Opened,
    /// Rows of this boot, and the number of them that the adjudicator has acknowledged.
    next_sequence: u64,
    acknowledged: u64,
    boots: usize,
    inputs: usize,
}

impl Writing {
    async fn open(folder: &Path, boots: usize, inputs: usize) -> Option<Writing> {
        let opened = Journal::open(options(folder)).await.ok()?;
        Some(Writing { opened, next_sequence: 1, acknowledged: 0, boots, inputs })
    }

    /// Commits entries, and the acknowledged position of those before. Returns whether the journal confirmed it.
    async fn write(&mut self, entries: &[Entry]) -> bool {
        let journal = &self.opened.journal;
        let (boot_id, sequence) = (journal.boot_id(), self.next_sequence - 1);
        if sequence > self.acknowledged {
            self.acknowledged = sequence;
            assert!(journal.try_note(Note::Acknowledged { boot_id, sequence }));
        }
        for entry in entries {
            number_rows(entry, &mut self.next_sequence, |_| ());
            self.inputs += entry.inputs.len();
            if journal.write(entry.clone()).await.is_err() {
                return false;
            }
        }
        matches!(timeout(patience(), journal.flush()).await, Ok(Ok(())))
    }

    /// Returns the promises that follow from the hub's outputs now: rows are sent, nodes may forget events, clocks get orders.
    fn promises(&self, number: u32, promised: &Promised) -> Vec<String> {
        let rows = format!("rows {} {}", self.boots, self.next_sequence - 1);
        let nodes = promised.nodes.iter().map(|it| {
            format!("node {} {} {}", it.node_id, it.reached.boot_id, it.reached.sequence)
        });
        let orders = promised
            .orders
            .iter()
            .map(|(id, name)| format!("order {id} {} {}", name.boot_id, name.request));
        let commits = [format!("commits {number}"), format!("inputs {}", self.inputs), rows];
        commits.into_iter().chain(nodes).chain(orders).collect()
    }

    /// The hub stops and starts again.
    async fn restart(self, folder: &Path, played: &mut Played) -> Option<Writing> {
        let Writing { opened: Opened { journal, reader, writer, .. }, boots, inputs, .. } = self;
        drop((journal, reader));
        writer.await.ok()?;
        let writing = Writing::open(folder, boots + 1, inputs).await?;
        let reader = &writing.opened.reader;
        let recovered = reader.recovered(TABLE).await.ok()?;
        let mut lines = Vec::new();
        reader.replay(TABLE, recovered.input_id, |line| lines.push(line)).await.ok()?;
        let orders = reader.orders(TABLE, KNOWN_MAX).await.ok()?;
        played.restart(&recovered, &lines, orders);
        Some(writing)
    }
}

#[tokio::test]
#[ignore = "is recorded by the tests of this folder"]
async fn writes() {
    let folder = folder();
    let Some(mut writing) = Writing::open(&folder, 1, 0).await else { return };
    let mut played = Played::new();
    if notes_states() {
        note_state(&folder, 0).await;
    }
    for number in 1..=commits() {
        let Some(entries) = played.next_entries() else { break };
        if !writing.write(&entries).await {
            return;
        }
        let promised = played.committed(entries.len());
        promise(&folder, &writing.promises(number, &promised));
        if notes_states() {
            note_state(&folder, number).await;
        }
        if number == RESTART_AFTER {
            let Some(restarted) = writing.restart(&folder, &mut played).await else { return };
            writing = restarted;
        }
    }
}

/// Promises that must have been kept, by kind.
#[derive(Debug, Default)]
struct Kept {
    commits: u32,
    inputs: i64,
    rows: BTreeMap<usize, u64>,
    nodes: BTreeMap<String, (u32, u32)>,
    orders: BTreeMap<u64, (u32, u32)>,
}

impl Kept {
    fn of(promised: &[String]) -> Kept {
        let mut kept = Kept::default();
        for line in promised {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<u32>().expect("a number");
            match words[0] {
                "commits" => kept.commits = number(1),
                "inputs" => kept.inputs = number(1).into(),
                "rows" => drop(kept.rows.insert(number(1) as usize, number(2).into())),
                "node" => drop(kept.nodes.insert(words[1].to_owned(), (number(2), number(3)))),
                "order" => drop(kept.orders.insert(number(1).into(), (number(2), number(3)))),
                other => panic!("{other}"),
            }
        }
        kept
    }
}

/// Opens a journal after a cut, compares it with the promises, and writes on.
pub(crate) async fn look(folder: &Path, promised: &[String]) -> Found {
    let kept = Kept::of(promised);
    let opened = Journal::open(options(folder)).await.expect("the journal opens after the cut");
    let mut connection = look_into(folder).await.expect("the journal can be read");
    let (inputs, rows): (i64, Option<String>) =
        sqlx::query_as(REACHED).fetch_one(&mut connection).await.expect("it can be read");
    assert!(inputs >= kept.inputs, "{inputs} inputs of {}", kept.inputs);
    let rows: Vec<u64> =
        rows.iter().flat_map(|it| it.split(' ')).map(|it| it.parse().expect("a number")).collect();
    for (boot, &told) in kept.rows.iter().filter(|(_, told)| **told > 0) {
        assert!(
            rows.get(boot - 1).is_some_and(|&last| last >= told),
            "boot {boot}: {told}: {rows:?}"
        );
    }
    for (node, &(boot_id, sequence)) in &kept.nodes {
        let found = opened.reader.resume_point(node).await.expect("it can be read");
        let is_kept = found.is_some_and(|it| it.boot_id == boot_id && it.sequence >= sequence);
        assert!(
            is_kept,
            "{node} forgets what came before {sequence}, and the journal has {found:?}"
        );
    }
    let orders = match kept.orders.is_empty() {
        true => Vec::new(),
        false => opened.reader.orders(TABLE, KNOWN_MAX).await.expect("orders"),
    };
    for (id, &(boot_id, request)) in &kept.orders {
        let is_named = |kind: &OrderKind| matches!(kind, OrderKind::Clock { name, .. } if (name.boot_id, name.request) == (boot_id, request));
        let is_kept = orders.iter().any(|order| order.id == *id && is_named(&order.kind));
        assert!(is_kept, "order {id} was given to a clock, and the journal has {orders:?}");
    }
    let state = state(&mut connection).await;
    write_on(opened).await;
    Found { state, promised: kept.commits }
}

async fn write_on(opened: Opened) {
    let reached = opened.latest.plus_micros(1);
    let checkpoint = Some(String::new());
    let more = Entry { table: "2".to_owned(), checkpoint, reached, ..Entry::default() };
    opened.journal.write(more).await.expect("taken");
    opened.journal.flush().await.expect("the journal can be written on");
    let found = opened.reader.recovered("2").await.expect("it can be read");
    assert_eq!(found.reached, HubTime::from_micros(reached.as_micros()));
}
