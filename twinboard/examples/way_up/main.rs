//! How fast the way up is: from a lever to everybody's page, from a row to its acknowledgement, and how many rows a second reach the
//! database, in one run beside what the machine itself can do.
//!
//! `cargo run --release --package twinboard --example way_up` takes some two minutes and wants the machine for itself. It needs Mosquitto.
//! Everything is on this machine: hubs, brokers, adjudicator, viewers and what measures them share its processors. What is measured
//! ends on a disk, so that figures of two machines compare their disks first.

mod baseline;
mod lever;
mod load;
mod machine;
mod mosquitto;
mod quiet;
mod server;
mod times;

use std::{error::Error, time::Duration};

/// Result with any error.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Rows one by one, each way.
const ROWS: usize = 500;
/// Tables of the hall in which levers are pressed.
const TABLES: usize = 4;
/// Hubs that send as fast as they can.
const HUBS: usize = 200;
/// Duration of the load.
const LOAD: Duration = Duration::from_secs(15);

#[tokio::main]
async fn main() -> Outcome<()> {
    let part = std::env::args().nth(1);
    let is_wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    if is_wanted("rows") {
        quiet::rows_one_by_one(ROWS).await?;
    }
    if is_wanted("lever") {
        lever::to_public_event(TABLES).await?;
    }
    if is_wanted("load") {
        let peak = load::all_at_once(HUBS, LOAD).await?;
        load::at_twice(HUBS, peak, LOAD).await?;
    }
    Ok(())
}
