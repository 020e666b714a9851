//! A front: it has rendered bytes and connections, and nothing else.
//!
//! It serves the pages of one hall. Batches come from the owner as they are rendered; what is the same for everybody is asked for once
//! and kept; everything else, and every act, is handed to the owner and answered with its answer.

mod asking;
mod halls;
mod kept;
mod live;
mod pages;
mod stream;

use std::sync::Arc;

use axum::{Router, routing::get};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::{asking::OwnerLink, halls::Halls, kept::AnswerCache, stream::Stream};
use super::message::Of;
use crate::{
    bus::{Bus, BusError},
    config,
    machine::{connection_limit::Guests, tasks::Tasks},
};

/// State of every handler of an audience.
#[derive(Clone)]
pub(super) struct Front {
    of: Of,
    stream: Arc<Stream>,
    asking: Arc<OwnerLink>,
    kept: Arc<AnswerCache>,
    halls: Arc<Halls>,
    streams: Guests,
    shutdown: CancellationToken,
}

/// The pages of a front, and its tasks.
pub(crate) struct Pages {
    /// Pages for everybody.
    pub(crate) broadcast: Router,
    /// Pages for the hall's screens.
    pub(crate) hall: Router,
    /// Tasks that follow the owner.
    pub(crate) running: Vec<JoinHandle<()>>,
}

/// Begins to follow the owner of the hall `broker.shard`; `has_hall`: the hall's screens have an address here.
///
/// # Errors
///
/// A value of the configuration cannot be used.
pub(crate) async fn open(
    cluster: &config::Cluster,
    shard: &str,
    has_hall: bool,
    streams: Guests,
    tasks: &Tasks,
    shutdown: &CancellationToken,
) -> Result<Pages, BusError> {
    let bus = Bus::open(cluster, shard, "front").await?;
    let asking = Arc::new(OwnerLink::new(bus.clone()));
    let halls = Arc::<Halls>::default();
    let front = |of| Front {
        of,
        stream: Arc::new(Stream::default()),
        asking: asking.clone(),
        kept: Arc::default(),
        halls: halls.clone(),
        streams: streams.clone(),
        shutdown: shutdown.clone(),
    };
    let broadcast = front(Of::Broadcast);
    let hall = has_hall.then(|| front(Of::Hall));
    let audiences = [Some(&broadcast), hall.as_ref()].into_iter().flatten();
    let followed = audiences.map(|front| (front.of, front.stream.clone())).collect();
    let others = halls::follow(bus.clone(), halls.clone(), shutdown.clone());
    let follow = stream::follow(bus, asking.clone(), followed, shutdown.clone());
    let answers = asking.clone().receive(shutdown.clone());
    let running = vec![
        tasks.spawn("batches of the owner", follow),
        tasks.spawn("answers of the owner", answers),
        tasks.spawn("owners of other halls", others),
    ];
    let hall = hall.map(router).unwrap_or_default();
    Ok(Pages { broadcast: router(broadcast), hall, running })
}

fn router(front: Front) -> Router {
    Router::new()
        .route("/api/v1/live", get(live::live))
        .route("/api/v1/halls", get(halls::overview))
        .route("/healthz", get(pages::health))
        .fallback(pages::page)
        .with_state(front)
}
