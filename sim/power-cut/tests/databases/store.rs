//! The adjudicator's store. It receives the rows of a whole match in the messages of a hub's sender, over a line that is down for a
//! while. The adjudicator is restarted in the middle.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adjudicator::ingest::new_rows;
use adjudicator::log::{
    Batch, Store, StoreError,
    input::{InputKind, NewInput, NewRow},
};
use delivery::{
    ACKNOWLEDGEMENT_TIMEOUT, Accepted, Position, ReceivedEvent, Receiver, ReceiverSettings, Sender,
    SenderEvent, SenderSettings, Transmit, Work,
};
use hall_sim::{Command, Journal};
use prost::Message as _;
use proto::mqtt::ReceivedRows;
use proto::mqtt::message::HubState;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::cuts::Found;
use crate::played::{BEGIN, HUB, Played, TABLE};
use crate::programs::{commits, digest, expect, folder, notes_states, patience, promise};

/// The file.
pub(crate) const FILE: &str = "event.sqlite";
/// The boot of the hub.
const BOOT: u64 = 7;
const SHARD: &str = "hall";
/// Number of entries of the hub after which the adjudicator stops and starts again.
const RESTART_AFTER: u32 = 500;
/// Number of further entries after which a person acts, again and again.
const ACT_EVERY: u32 = 40;
/// From here on, and until here, the line is down, seconds.
const LINE_IS_DOWN_S: std::ops::Range<u64> = 150..200;
/// Maximum number of turns in which both ends exchange their messages: a bound on errors.
const TURNS_MAX: usize = 200;

/// All tables as lines.
const EVERYTHING: &str = "SELECT
    (SELECT group_concat(line, char(10)) FROM (SELECT id || ' ' || received_ms || quote(kind) || quote(hub) || quote(boot_id)
        || quote(sequence) || quote(table_name) || quote(match_id) || hex(payload) AS line FROM input ORDER BY id)),
    (SELECT group_concat(line, char(10)) FROM (SELECT quote(hub) || boot_id || ' ' || sequence || ' ' || seen_ms AS line
        FROM hub_position ORDER BY hub, boot_id))";

type Columns = (Option<String>, Option<String>);

async fn state(folder: &Path) -> u64 {
    let options = SqliteConnectOptions::new().filename(folder.join(FILE)).read_only(true);
    let mut connection = options.connect().await.expect("the store can be read");
    let (inputs, positions): Columns =
        sqlx::query_as(EVERYTHING).fetch_one(&mut connection).await.expect("it can be read");
    connection.close().await.expect("closed");
    digest(&[inputs, positions])
}

/// Both ends of the line. The hub's journal is a model, the store is the one that ships.
struct Line {
    folder: PathBuf,
    journal: Journal,
    next_sequence: u64,
    notes: u64,
    sender: Sender,
    receiver: Receiver,
    store: Store,
    begun: Instant,
    now_us: u64,
    commits: u32,
    /// The hub as the log has it.
    known: Option<HubState>,
}

impl Line {
    async fn new(folder: PathBuf) -> Line {
        let begun = Instant::now();
        let settings = SenderSettings {
            hub_id: HUB.to_owned(),
            boot_id: BOOT,
            shard: SHARD.to_owned(),
            tables: vec![TABLE.to_owned()],
            version: String::new(),
            acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
        };
        let store = Store::open(&folder.join(FILE)).await.expect("a store");
        Line {
            folder,
            journal: Journal::new(20_000, 1),
            next_sequence: 1,
            notes: 0,
            sender: Sender::new(settings, begun).expect("names that can stand in topics"),
            receiver: receiver(&store),
            store,
            begun,
            now_us: 0,
            commits: 0,
            known: None,
        }
    }

    fn now(&self) -> Instant {
        self.begun + Duration::from_micros(self.now_us)
    }

    fn now_ms(&self) -> u64 {
        BEGIN.plus_micros(self.now_us).as_micros() / 1_000
    }

    fn set_up(&mut self, is_up: bool) {
        let now = self.now();
        match is_up {
            true => {
                let now_us = self.now_ms() * 1_000;
                self.receiver.handle(ReceivedEvent::Connected(now_us));
                self.sender.handle(now, SenderEvent::Connected);
            }
            false => {
                self.receiver.handle(ReceivedEvent::Disconnected);
                self.sender.handle(now, SenderEvent::Disconnected);
            }
        }
    }

    /// The hub's journal has something new.
    fn keep(&mut self, command: Command) {
        self.journal.commit(&[command], BOOT, &mut self.next_sequence);
    }

    /// Both ends say what they have to say, as long as one has anything.
    async fn pass(&mut self) {
        for _ in 0..TURNS_MAX {
            let is_idle =
                !self.ask_journal() & !self.send_up() & !self.work().await & !self.send_down();
            if is_idle {
                return;
            }
        }
        panic!("both ends speak without end");
    }

    fn ask_journal(&mut self) -> bool {
        let (mut is_news, now) = (false, self.now());
        while let Some(note) = self.sender.poll_note() {
            self.sender.noted(note);
            self.keep(Command::Note(note));
            self.notes += 1;
            self.sender.handle(now, SenderEvent::NotesCommitted(self.notes));
            is_news = true;
        }
        while let Some(query) = self.sender.poll_query() {
            self.sender.answer(self.journal.answer(&query));
            is_news = true;
        }
        is_news
    }

    fn send_up(&mut self) -> bool {
        let mut is_news = false;
        while let Some(transmit) = self.sender.poll_transmit() {
            self.sender.transmitted(self.now());
            if let Transmit::Publish { topic, payload, .. } = transmit {
                self.receiver.handle(ReceivedEvent::Message { topic, payload });
            }
            is_news = true;
        }
        is_news
    }

    fn send_down(&mut self) -> bool {
        let mut is_news = false;
        while let Some(transmit) = self.receiver.poll_transmit() {
            self.receiver.transmitted();
            if let Transmit::Publish { topic, payload, .. } = transmit {
                let now = self.now();
                self.sender.handle(now, SenderEvent::Message { topic, payload, retained: false });
            }
            is_news = true;
        }
        is_news
    }

    /// Does what the receiver wants done, as the adjudicator's ingest does.
    async fn work(&mut self) -> bool {
        let mut is_news = false;
        while let Some(work) = self.receiver.poll_work() {
            is_news = true;
            match work {
                Work::LinkUp => {
                    self.log(InputKind::LinkUp, None, Vec::new()).await;
                    let positions = self.store.latest_positions().await.unwrap_or_default();
                    self.promise_positions(&positions);
                    self.receiver.greet(positions);
                }
                Work::LinkDown => self.log(InputKind::LinkDown, None, Vec::new()).await,
                Work::HubState(state) => {
                    if self.known.as_ref() != Some(&state) {
                        let payload = state.encode_to_vec();
                        self.known = Some(state);
                        self.log(InputKind::HubState, Some(HUB.to_owned()), payload).await;
                    }
                }
                Work::Commit(group) => self.commit(group).await,
                Work::Position(hub, boot_id) => {
                    if let Ok(sequence) = self.store.position(&hub, boot_id).await {
                        let positions = vec![Position { hub, boot_id, sequence }];
                        self.promise_positions(&positions);
                        self.receiver.committed(positions);
                    }
                }
            }
        }
        is_news
    }

    async fn log(&mut self, kind: InputKind, hub: Option<String>, payload: Vec<u8>) {
        let input = NewInput { kind, hub, match_id: None, payload };
        if let Ok(id) = self.store.append(self.now_ms(), input).await {
            self.committed(format!("input {id}")).await;
        }
    }

    async fn commit(&mut self, group: Vec<ReceivedRows>) {
        let rows: Vec<Vec<NewRow>> = group.iter().map(new_rows).collect();
        let batch = |(message, rows): (&ReceivedRows, &Vec<NewRow>)| {
            let (hub, rows) = (HUB, rows.clone());
            (hub, message.rows.boot_id, message.rows.first_available, rows)
        };
        let owned: Vec<_> = group.iter().zip(&rows).map(batch).collect();
        let batches: Vec<Batch<'_>> = owned
            .iter()
            .map(|(hub, boot_id, first_available, rows)| {
                let (boot_id, first_available) = (*boot_id, *first_available);
                Batch { hub, boot_id, first_available, rows }
            })
            .collect();
        let taken = match self.store.append_group(self.now_ms(), &batches).await {
            Ok(taken) => taken,
            Err(_) => return self.receiver.refused(&group),
        };
        let positions = batches.iter().zip(&taken).map(|(batch, accepted)| Position {
            hub: batch.hub.to_owned(),
            boot_id: batch.boot_id,
            sequence: accepted.position,
        });
        self.receiver.committed(positions.collect());
        if taken.iter().any(Accepted::is_news) {
            let position = taken.iter().map(|it| it.position).max().unwrap_or(0);
            self.committed(format!("position {position}")).await;
        }
    }

    /// Promises the hub its acknowledged position, before which it may delete rows.
    fn promise_positions(&self, positions: &[Position]) {
        for Position { sequence, .. } in positions {
            promise(&self.folder, &[format!("position {sequence}")]);
        }
    }

    /// A person does something.
    async fn act(&mut self) {
        let payload = format!(r#"{{"act":"note","at":{}}}"#, self.now_us).into_bytes();
        self.log(InputKind::Act, None, payload).await;
    }

    /// Notes a commit in the store: others may learn of it from now on.
    async fn committed(&mut self, promised: String) {
        self.commits += 1;
        let generation = format!("generation {}", self.store.generation());
        promise(&self.folder, &[format!("commits {}", self.commits), generation, promised]);
        if notes_states() {
            expect(&self.folder, self.commits, state(&self.folder).await);
        }
    }

    /// The adjudicator stops and starts again.
    async fn restart(mut self) -> Result<Line, StoreError> {
        self.store.close().await;
        self.store = Store::open(&self.folder.join(FILE)).await?;
        self.receiver = receiver(&self.store);
        self.known = None;
        self.log(InputKind::LinkDown, None, Vec::new()).await;
        let now = self.now();
        self.sender.handle(now, SenderEvent::Disconnected);
        Ok(self)
    }
}

fn receiver(store: &Store) -> Receiver {
    let (shard, id, store_id) = (SHARD.to_owned(), "main".to_owned(), store.id().to_owned());
    Receiver::new(ReceiverSettings { shard, id, store_id }).expect("names that can stand in topics")
}

#[tokio::test]
#[ignore = "is recorded by the tests of this folder"]
async fn writes() {
    let folder = folder();
    let mut line = Line::new(folder.clone()).await;
    if notes_states() {
        expect(&folder, 0, state(&folder).await);
    }
    let (mut played, mut is_up, mut number) = (Played::new(), false, 0);
    while let Some(entries) = played.next_entries() {
        number += 1;
        line.now_us = played.now().micros_since(BEGIN);
        let wants_up = !LINE_IS_DOWN_S.contains(&(line.now_us / 1_000_000));
        if wants_up != is_up {
            is_up = wants_up;
            line.set_up(is_up);
        }
        let count = entries.len();
        for entry in entries {
            line.keep(Command::Entry(Box::new(entry)));
        }
        let now = line.now();
        line.sender.handle(now, SenderEvent::RowsWritten);
        line.pass().await;
        played.committed(count);
        if number % ACT_EVERY == 0 {
            line.act().await;
        }
        if number == RESTART_AFTER {
            line = line.restart().await.expect("a store");
            is_up = false;
        }
        if line.commits >= commits() {
            // The close reads what a checkpoint moves: a fault of these reads is among those that are tried.
            drop(tokio::time::timeout(patience(), line.store.close()).await);
            return;
        }
    }
    if commits() == u32::MAX {
        let reached = line.store.position(HUB, BOOT).await.expect("a position");
        assert_eq!(reached, line.next_sequence - 1, "all rows came");
    }
}

/// Opens a store after a cut, compares it with the promises, and writes on.
pub(crate) async fn look(folder: &Path, promised: &[String]) -> Found {
    let newest = |of: &str| {
        let lines = promised.iter().rev().filter_map(|line| line.split_once(' '));
        lines.filter(|(word, _)| *word == of).find_map(|(_, number)| number.parse::<u64>().ok())
    };
    let store = Store::open(&folder.join(FILE)).await.expect("the store opens after the cut");
    let position = store.position(HUB, BOOT).await.expect("a position");
    assert!(position >= newest("position").unwrap_or(0), "rows up to {position} are there");
    let last_id = store.last_id().await.expect("a number");
    assert!(last_id >= newest("input").unwrap_or(0), "inputs up to {last_id} are there");
    assert!(newest("generation").is_none_or(|told| told == u64::from(store.generation())));
    let state = state(folder).await;
    let sequence = position + 1;
    let row = NewRow { sequence, table: TABLE.to_owned(), match_id: None, payload: Vec::new() };
    let batch = Batch { hub: HUB, boot_id: BOOT, first_available: 1, rows: &[row] };
    let taken = store.append_group(2, &[batch]).await.expect("the store can be written on");
    assert_eq!(taken[0].accepted, 1);
    assert_eq!(store.last_id().await.expect("a number"), last_id + 1, "numbers have no holes");
    store.close().await;
    let commits = u32::try_from(newest("commits").unwrap_or(0)).expect("few");
    Found { state, promised: commits }
}
