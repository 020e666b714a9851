//! An owner's process: it takes the halls that have no owner, and runs the adjudicator of each.
//!
//! A hall is taken when its lease has ended, a standby one only after a while, so that its own owner comes first. A hall whose lease was lost stops here, and
//! is taken again when it is free.

use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{
    config::{Config, ConfigError},
    error::StartError,
    log::StoreError,
    machine::systemd,
    run,
};

/// Interval between two checks of a hall's owner.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Time for which a standby hall has had no owner before it is taken.
const STANDBY_WAIT: Duration = Duration::from_secs(1);
/// Wait after a hall could not be started.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Owns halls until shutdown.
///
/// # Errors
///
/// The configuration of a hall cannot be used.
pub async fn serve(config: Config, shutdown: CancellationToken) -> Result<(), ConfigError> {
    config.check()?;
    let halls = config.halls()?.into_iter();
    let owned = halls.map(|(hall, is_standby)| own(hall, is_standby, shutdown.clone()));
    systemd::ready();
    join_all(owned).await;
    Ok(())
}

/// Owns a hall whenever nobody else does, until shutdown.
async fn own(config: Config, is_standby: bool, shutdown: CancellationToken) {
    let shard = config.broker.shard.clone();
    loop {
        let owned = shutdown.run_until_cancelled(take_turn(&config, is_standby)).await;
        if owned.is_none() {
            return;
        }
        let began = Instant::now();
        let stop = shutdown.child_token();
        match run::start(config.clone(), stop.clone()).await {
            Ok(running) => {
                let took_ms = began.elapsed().as_millis();
                tracing::info!(shard, took_ms, pages = %running.http_address, "this owner has the hall");
                match running.wait().await {
                    Ok(()) => {}
                    Err(error) => tracing::error!(shard, %error, "the hall stops here"),
                }
            }
            Err(StartError::Store(StoreError::InUse { .. })) => {}
            Err(error) => {
                tracing::error!(shard, %error, "the hall cannot be started here; trying again")
            }
        }
        if shutdown.run_until_cancelled(sleep(RETRY_AFTER)).await.is_none() {
            return;
        }
    }
}

/// Waits until a hall has no owner.
async fn take_turn(config: &Config, is_standby: bool) {
    let mut free_since: Option<Instant> = None;
    loop {
        let is_free = async { config.log_place()?.has_no_owner().await };
        match is_free.await {
            Ok(true) => {
                let since = *free_since.get_or_insert_with(Instant::now);
                if !is_standby || since.elapsed() >= STANDBY_WAIT {
                    return;
                }
            }
            Ok(false) => free_since = None,
            Err(error) => {
                tracing::warn!(shard = config.broker.shard, %error, "whether the hall has an owner is not known; it is tried again");
                free_since = None;
                sleep(RETRY_AFTER).await;
            }
        }
        sleep(LOOK_EVERY).await;
    }
}
