//! Fan-out: what changed for an audience, written once as one batch for all its streams.
//!
//! One task looks at the hall, writes a batch, and wakes everybody; a stream hands the bytes on. The last batches are kept, so that a stream that was
//! slow for a moment goes on with the next one. A client that lags behind further gets the present states, one by one. The more streams
//! there are, the longer the pause between batches: a hall of ten thousand viewers gets more in a batch, not more batches.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    audience::Audience,
    rendered::{Rendered, Subject},
    written::Written,
};
use crate::{
    hall::{EventId, Partition},
    time::now_ms,
    views::{TableView, cursor::Cursor, merge_patch, read_view::Sight},
};

/// Interval of the beats, which confirm that a stream's line is up and carry the time.
const BEAT_EVERY: Duration = Duration::from_secs(2);
/// Shortest time between two batches: fast enough for the eye, and a hall's worth of changes goes out together.
const BATCH_EVERY: Duration = Duration::from_millis(50);
/// The same between two checks for plies of a watched match.
const PLIES_EVERY: Duration = Duration::from_millis(10);
/// Time by which each stream makes the time between two batches longer.
const OF_A_STREAM: Duration = Duration::from_micros(20);
/// Longest time between two batches.
const BATCH_EVERY_MAX: Duration = Duration::from_millis(500);
/// Batches that are kept.
const KEPT_MAX: usize = 16;

/// Form in which a client receives a changed table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TableForm {
    /// All of it.
    #[default]
    Whole,
    /// Changes since the batch before.
    Patches,
}

/// A batch of events.
#[derive(Debug)]
pub(crate) struct EventBatch {
    /// Its number: each is one more than that of the one before.
    pub(crate) number: u64,
    /// Position of a client that has seen it.
    pub(crate) to: Cursor,
    /// The events. Without any, a client has nothing to be sent.
    pub(crate) events: Written,
}

/// The last batches, and what was to be seen with the last of them.
pub(crate) struct Batches {
    kept: VecDeque<Arc<EventBatch>>,
    pub(crate) sight: Arc<Sight>,
    pub(crate) newest: Arc<EventBatch>,
}

impl Batches {
    /// The batch behind the one of this number, if it is kept.
    pub(crate) fn after(&self, number: u64) -> Option<&Arc<EventBatch>> {
        self.kept.iter().find(|batch| batch.number == number + 1)
    }

    /// Number of the batch behind which a client is that was sent everything up to a position.
    pub(crate) fn number_at(&self, position: &Cursor) -> Option<u64> {
        self.kept.iter().rev().find(|batch| batch.to == *position).map(|batch| batch.number)
    }
}

/// The last change of each watched match.
type Watched = HashMap<String, watch::Sender<Option<(Partition, EventId)>>>;

/// Batches of events for the streams of an audience.
pub(crate) struct FanOut {
    /// For those who are sent whole tables, and for those who are sent patches.
    batches: [watch::Sender<Arc<Batches>>; 2],
    /// The tables as JSON, as those were sent them who are sent patches.
    sent: Mutex<HashMap<String, String>>,
    /// Events one by one, for streams that resume.
    pub(crate) rendered: Rendered,
    plies: Mutex<Watched>,
}

impl FanOut {
    /// A fan-out that begins at the present view, without a batch.
    pub(super) fn new(sight: Arc<Sight>) -> FanOut {
        let newest =
            Arc::new(EventBatch { number: 0, to: sight.cursor(), events: Written::default() });
        let kept = VecDeque::from([newest.clone()]);
        let batches = Arc::new(Batches { kept, sight, newest });
        let batches = [batches.clone(), batches].map(watch::Sender::new);
        let (rendered, plies) = (Rendered::default(), Mutex::default());
        FanOut { batches, sent: Mutex::default(), rendered, plies }
    }

    /// The batches, as they come.
    pub(crate) fn watch(&self, tables: TableForm) -> watch::Receiver<Arc<Batches>> {
        self.of(tables).subscribe()
    }

    fn of(&self, tables: TableForm) -> &watch::Sender<Arc<Batches>> {
        let [whole, patches] = &self.batches;
        match tables {
            TableForm::Whole => whole,
            TableForm::Patches => patches,
        }
    }

    /// Changes of a match's plies, as they come.
    pub(crate) fn watch_plies(&self, id: &str) -> watch::Receiver<Option<(Partition, EventId)>> {
        self.plies().entry(id.to_owned()).or_default().subscribe()
    }

    fn plies(&self) -> MutexGuard<'_, Watched> {
        self.plies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes those who look at one of these matches, if its plies have changed.
    fn wake<'a>(&self, sight: &Sight, ids: impl Iterator<Item = &'a str>) {
        let plies = self.plies();
        for (id, sender) in ids.filter_map(|id| Some((id, plies.get(id)?))) {
            let last = sight.game(id).and_then(|shown| shown.game.changes().last());
            sender.send_if_modified(|known| std::mem::replace(known, last) != last);
        }
    }

    /// Wakes those who look at any match whose plies have changed.
    fn wake_all(&self, sight: &Sight) {
        let mut plies = self.plies();
        plies.retain(|_, sender| sender.receiver_count() > 0);
        let ids: Vec<String> = plies.keys().cloned().collect();
        drop(plies);
        self.wake(sight, ids.iter().map(String::as_str));
    }

    /// Pause between two batches.
    fn pause(&self) -> Duration {
        let streams = self.batches.iter().map(watch::Sender::receiver_count).sum::<usize>();
        let streams = u32::try_from(streams).unwrap_or(u32::MAX);
        (BATCH_EVERY + OF_A_STREAM.saturating_mul(streams)).min(BATCH_EVERY_MAX)
    }

    fn sent(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The events of a batch, the last with its id.
    fn events(&self, tables: TableForm, sight: &Sight, since: &Cursor, to: &Cursor) -> Vec<u8> {
        let of = |news: ClientChange| match tables {
            TableForm::Whole => news.event(sight),
            TableForm::Patches => news.patch(sight, &mut self.sent()),
        };
        let events = news(sight, since).into_iter().filter_map(of);
        let mut text = events.collect::<Vec<Vec<u8>>>().join(&b'\n');
        if !text.is_empty() {
            text.extend_from_slice(format!("id: {to}\n\n").as_bytes());
        }
        text
    }

    /// Hands everybody the changes since the last batch.
    fn publish(&self, sight: &Arc<Sight>, with_beat: bool) {
        self.wake_all(sight);
        for tables in [TableForm::Whole, TableForm::Patches] {
            self.publish_to(tables, sight, with_beat);
        }
    }

    fn publish_to(&self, tables: TableForm, sight: &Arc<Sight>, with_beat: bool) {
        let batches = self.of(tables);
        let before = batches.borrow().clone();
        let (number, to) = (before.newest.number + 1, sight.cursor());
        let is_watched = batches.receiver_count() > 0;
        let mut text = Vec::new();
        if is_watched && with_beat {
            text.extend_from_slice(beat().as_bytes());
        }
        if to.epoch != before.newest.to.epoch {
            self.rendered.forget();
            self.sent().clear();
            text.extend_from_slice(format!("event: reset\ndata: {{}}\nid: {to}\n\n").as_bytes());
        } else if is_watched {
            text.extend(self.events(tables, sight, &before.newest.to, &to));
        } else if tables == TableForm::Patches {
            self.sent().clear();
        }
        if text.is_empty() && to == before.newest.to {
            return;
        }
        let newest = Arc::new(EventBatch { number, to, events: Written::new(text) });
        // Without clients nothing is written: a client that comes meanwhile finds no batch to go on from, and starts from a snapshot.
        let mut kept = if is_watched { before.kept.clone() } else { VecDeque::new() };
        kept.push_back(newest.clone());
        while kept.len() > KEPT_MAX {
            kept.pop_front();
        }
        batches.send_replace(Arc::new(Batches { kept, sight: sight.clone(), newest }));
    }
}

/// A change that a client must get.
#[derive(Clone, Debug)]
pub(crate) enum ClientChange {
    /// Sections, pairings or results: pages that show them ask for them again.
    Event,
    /// The table of this name.
    Table(String),
}

impl ClientChange {
    /// The event without its end, as things are now.
    fn event(&self, sight: &Sight) -> Option<Vec<u8>> {
        match self {
            ClientChange::Event => Some(event("event", &json!({}))),
            ClientChange::Table(name) => {
                let (hall, table) = sight.table(name)?;
                Some(event("table", &TableView::of(hall, table)))
            }
        }
    }

    /// The table, or what has changed of it since it was sent.
    fn patch(&self, sight: &Sight, sent: &mut HashMap<String, String>) -> Option<Vec<u8>> {
        let ClientChange::Table(name) = self else { return self.event(sight) };
        let (hall, table) = sight.table(name)?;
        let json = serde_json::to_string(&TableView::of(hall, table)).ok()?;
        let now: Value = serde_json::from_str(&json).ok()?;
        let before = sent.insert(name.clone(), json);
        let Some(before) = before.and_then(|json| serde_json::from_str(&json).ok()) else {
            return Some(event("table", &now));
        };
        let mut patch = merge_patch::between(&before, &now).unwrap_or(json!({}));
        patch["table"] = Value::from(name.as_str());
        Some(event("patch", &patch))
    }

    /// The same in both forms. It is written once however many clients resume.
    pub(crate) fn written(&self, sight: &Sight, rendered: &Rendered) -> Option<Written> {
        let ClientChange::Table(name) = self else { return Some(Written::new(self.event(sight)?)) };
        let (hall, table) = sight.table(name)?;
        let write = || event("table", &TableView::of(hall, table));
        Some(rendered.event(Subject::Table(name.clone()), table.changed(), write))
    }
}

/// Changes after a position, partition by partition in the order of the last changes.
pub(crate) fn news(sight: &Sight, seen: &Cursor) -> Vec<ClientChange> {
    let mut news: Vec<(Partition, EventId, ClientChange)> = Vec::new();
    for table in sight.tables_changed(seen) {
        let (partition, event) = table.changed();
        news.push((partition, event, ClientChange::Table(table.name.clone())));
    }
    for (partition, hall) in sight.partitions() {
        news.push((partition, hall.partitions().event_changed(partition), ClientChange::Event));
    }
    news.retain(|&(partition, event, _)| event > seen.seen(partition));
    news.sort_by_key(|&(partition, event, _)| (partition, event));
    news.into_iter().map(|(_, _, news)| news).collect()
}

/// An event without its end.
pub(crate) fn event(name: &str, data: &impl serde::Serialize) -> Vec<u8> {
    let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
    format!("event: {name}\ndata: {data}\n").into_bytes()
}

/// The beat: it confirms that the line is up, and has the time. It has no id.
pub(crate) fn beat() -> String {
    format!("event: beat\ndata: {{\"now_ms\":{}}}\n\n", now_ms())
}

/// Publishes what changes for an audience, until shutdown: the first change after a while at once.
pub(crate) async fn publish(audience: Arc<Audience>, shutdown: CancellationToken) {
    let fan_out = audience.fan_out();
    let mut changed = audience.watch();
    let mut looked_for_plies = audience.look().cursor();
    let (mut batch_at, mut plies_at) = (None, None);
    let (mut last_batch, mut last_plies) = (Instant::now(), Instant::now());
    let mut beat_at = Instant::now() + BEAT_EVERY;
    loop {
        let next = [batch_at, plies_at, Some(beat_at)].into_iter().flatten().min();
        tokio::select! {
            () = shutdown.cancelled() => return,
            change = any_change(&mut changed) => {
                if change.is_none() {
                    return;
                }
                let now = Instant::now();
                batch_at.get_or_insert(now.max(last_batch + fan_out.pause()));
                plies_at.get_or_insert(now.max(last_plies + PLIES_EVERY));
            }
            () = tokio::time::sleep_until(next.unwrap_or(beat_at)) => {}
        }
        let now = Instant::now();
        if plies_at.is_some_and(|at| at <= now) {
            (plies_at, last_plies) = (None, now);
            let sight = audience.look();
            let tables = sight.tables_changed(&looked_for_plies);
            fan_out.wake(&sight, tables.iter().filter_map(|table| table.match_id.as_deref()));
            looked_for_plies = sight.cursor();
        }
        let with_beat = beat_at <= now;
        if with_beat || batch_at.is_some_and(|at| at <= now) {
            (batch_at, last_batch) = (None, now);
            fan_out.publish(&Arc::new(audience.look()), with_beat);
            if with_beat {
                beat_at = now + BEAT_EVERY;
            }
        }
    }
}

/// Waits until one of them has something new. None: nothing will change any more.
async fn any_change(changed: &mut [watch::Receiver<u64>]) -> Option<()> {
    let each = changed.iter_mut().map(|one| Box::pin(one.changed()));
    let (first, ..) = futures::future::select_all(each).await;
    first.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Config, owner::follower::Stage};

    #[test]
    fn more_viewers_get_larger_batches_and_never_wait_for_longer_than_half_a_second() {
        let stage = Stage::new(&Config::default());
        let fan_out = FanOut::new(Audience::of_stage(&stage).look().into());
        assert_eq!(fan_out.pause(), BATCH_EVERY);
        let mut streams: Vec<_> = (0..10_000).map(|_| fan_out.watch(TableForm::Patches)).collect();
        assert_eq!(fan_out.pause(), Duration::from_millis(250));
        streams.extend((0..40_000).map(|_| fan_out.watch(TableForm::Whole)));
        assert_eq!(fan_out.pause(), BATCH_EVERY_MAX);
    }
}
