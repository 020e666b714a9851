//! The owner's part: it publishes what is rendered, and answers what fronts ask.

mod answering;
mod changes;
mod publishing;

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::message::Of;
use crate::{
    bus::{Bus, BusError},
    front::audience::Audience,
    http::{self, Desk},
    machine::tasks::Tasks,
};
use axum::Router;

/// An audience that fronts serve.
#[derive(Clone)]
pub(super) struct Served {
    of: Of,
    audience: Arc<Audience>,
    router: Router,
}

/// The line of an owner to its fronts.
pub(crate) struct OwnerLine {
    bus: Bus,
    epoch: u64,
}

impl OwnerLine {
    /// Begins to connect. Without a cluster there is none.
    ///
    /// # Errors
    ///
    /// A value of the configuration cannot be used.
    pub(crate) async fn open(
        config: &crate::config::Config,
        epoch: u64,
    ) -> Result<Option<OwnerLine>, BusError> {
        let Some(cluster) = &config.cluster else { return Ok(None) };
        let bus = Bus::open(cluster, &config.broker.shard, "owner").await?;
        Ok(Some(OwnerLine { bus, epoch }))
    }

    /// Serves fronts until shutdown. `hall`: the hall's screens, where they have an address.
    pub(crate) fn serve(
        self,
        desk: &Desk,
        hall: Option<Arc<Audience>>,
        tasks: &Tasks,
        shutdown: &CancellationToken,
    ) -> Vec<JoinHandle<()>> {
        let broadcast = desk.public.clone();
        let all = [(Of::Broadcast, Some(broadcast)), (Of::Hall, hall)];
        let served: Vec<Served> = all
            .into_iter()
            .filter_map(|(of, audience)| {
                let audience = audience?;
                let router = http::router(desk.with(audience.clone()));
                Some(Served { of, audience, router })
            })
            .collect();
        let OwnerLine { bus, epoch } = self;
        let batches = served.iter().map(|one| {
            let publish = publishing::batches(bus.clone(), epoch, one.clone(), shutdown.clone());
            tasks.spawn("batches for fronts", publish)
        });
        let mut running: Vec<JoinHandle<()>> = batches.collect();
        let beats =
            publishing::beats(bus.clone(), epoch, (served.clone(), desk.clone()), shutdown.clone());
        running.push(tasks.spawn("beats for fronts", beats));
        let answers = answering::answer(bus, epoch, served, shutdown.clone());
        running.push(tasks.spawn("answers for fronts", answers));
        running
    }
}
