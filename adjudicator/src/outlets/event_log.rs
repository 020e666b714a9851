//! The event of a database, for the command line: read beside a running adjudicator, and changed while none runs.
//!
//! A change goes the way of every act: it is logged, applied by the hall, and answered. So an event that was prepared at the
//! command line is the one that is served.

use std::sync::Arc;

use event::{Deed, Event};
use tokio::sync::watch;

use crate::{
    config::{Config, ConfigError},
    hall::{
        acts::{ActDeed, Actor, Answer, PersonAct, Source},
        event::staff::{DeviceId, Rank},
    },
    log::{Place, Store, StoreError},
    owner::{commit::Commits, follower::Stage},
};

/// Name of the command line in ledgers.
const COMMAND_LINE: &str = "command line";

/// Reason why the event of a database was not read or not changed.
#[derive(Debug, thiserror::Error)]
pub enum EventLogError {
    /// A value in the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The act was not logged, in words.
    #[error("{0}")]
    NotCommitted(String),
    /// The hall refuses it.
    #[error("nothing was changed: {0}")]
    Refused(String),
}

/// The event of the database as it is now, with the results of its matches; an empty one where there is no database yet.
///
/// # Errors
///
/// The database cannot be read.
pub async fn read(config: &Config) -> Result<Event, EventLogError> {
    config.check()?;
    let place = config.log_place()?;
    if matches!(&place, Place::File(path) if !path.exists()) {
        return Ok(Event::default());
    }
    let store = match Store::open_existing(place).await {
        Err(StoreError::NoLog { .. }) => return Ok(Event::default()),
        opened => opened?,
    };
    let stage = Stage::new(config);
    let read = stage.catch_up(&store).await;
    store.close().await;
    read?;
    let event = stage.hall().event().clone();
    Ok(event)
}

/// Adds deeds to the event of the database, all of them or none. The database is made if there is none.
///
/// # Errors
///
/// An adjudicator runs ([`StoreError::InUse`]), the database cannot be written, or the hall refuses a deed.
pub async fn append(config: &Config, deeds: Vec<Deed>) -> Result<(), EventLogError> {
    config.check()?;
    let place = config.log_place()?;
    let _lock = place.lock()?;
    let store = Arc::new(Store::open(place).await?);
    let done = commit(config, &store, deeds).await;
    store.close().await;
    done
}

async fn commit(
    config: &Config,
    store: &Arc<Store>,
    deeds: Vec<Deed>,
) -> Result<(), EventLogError> {
    let stage = Stage::new(config);
    stage.catch_up(store).await?;
    stage.hall().keeps_delays_apart(&deeds).map_err(EventLogError::Refused)?;
    let commits = Commits::new(store.clone(), stage, Arc::new(watch::Sender::new(0)));
    let by = Actor { person: COMMAND_LINE.to_owned(), rank: Rank::Chief };
    let source = Source::fresh(DeviceId::default());
    let act = PersonAct { source, by, deed: ActDeed::Event { deeds } };
    let answer = commits.commit(&act).await;
    match answer.map_err(|error| EventLogError::NotCommitted(error.to_string()))? {
        Answer::Taken { .. } => Ok(()),
        Answer::Refused { reason, .. } => Err(EventLogError::Refused(reason)),
    }
}
