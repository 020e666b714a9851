//! Batches of an audience, published as they are rendered, and the owner's signs of life.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use super::{
    super::message::{BatchHead, Beat, Newest, encode},
    Served,
};
use crate::bus::Bus;
use crate::front::{
    fan_out::{Batches, EventBatch, TableForm},
    written::Form,
};
use crate::http::Desk;

/// Interval of signs of life.
const BEAT_EVERY: Duration = Duration::from_secs(1);

/// Publishes the batches of an audience until shutdown.
pub(super) async fn batches(bus: Bus, epoch: u64, served: Served, shutdown: CancellationToken) {
    let mut news = served.audience.fan_out().watch(TableForm::Whole);
    let mut last = news.borrow_and_update().newest.clone();
    let subject = bus.subject(&format!("batch.{}", served.of.segment()));
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            changed = news.changed() => if changed.is_err() { return },
        }
        let batches = news.borrow_and_update().clone();
        while let Some(batch) = batches.after(last.number).cloned() {
            let message = message(epoch, &batches, &last, &batch);
            last = batch;
            // Fronts see at the next one, or at a sign of life, that they lack this, and ask.
            if bus.fits(message.len()) {
                bus.send(subject.clone(), message).await;
            }
        }
        last = batches.newest.clone();
    }
}

fn message(
    epoch: u64,
    batches: &Batches,
    before: &EventBatch,
    batch: &Arc<EventBatch>,
) -> bytes::Bytes {
    let tables = batches.sight.tables_changed(&before.to);
    let matches = tables.iter().filter_map(|table| table.match_id.clone()).collect();
    let (plain, packed) = (batch.events.of(Form::Plain), batch.events.of(Form::Packed));
    let (number, to) = (batch.number, batch.to.to_string());
    let head = BatchHead { epoch, number, to, plain: plain.len(), matches };
    encode(&head, &[&plain, &packed])
}

/// Publishes signs of life until shutdown.
pub(super) async fn beats(
    bus: Bus,
    epoch: u64,
    (served, desk): (Vec<Served>, Desk),
    shutdown: CancellationToken,
) {
    let subject = bus.subject("owner");
    let watched: Vec<_> =
        served.iter().map(|one| (one.of, one.audience.fan_out().watch(TableForm::Whole))).collect();
    let mut interval = tokio::time::interval(BEAT_EVERY);
    while shutdown.run_until_cancelled(interval.tick()).await.is_some() {
        let newest = watched.iter().map(|(of, batches)| {
            let batches = batches.borrow();
            Newest { of: *of, number: batches.newest.number, to: batches.newest.to.to_string() }
        });
        let beat = Beat { epoch, newest: newest.collect(), hall: Some(desk.summary()) };
        bus.send(subject.clone(), encode(&beat, &[])).await;
    }
}
