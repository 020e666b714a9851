//! Hubs that send as fast as they can: rows a second that reach the database, and what is left of them when twice as many are offered.

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use crate::{
    Outcome,
    figures::Figures,
    hub::{Counts, LoadHub, Offer},
    program::{Program, Setting},
};

/// Hubs that send.
const HUBS: usize = 200;
/// Time before that which counts.
const WARM_UP: Duration = Duration::from_secs(3);
/// Longest wait for all rows after the load.
const DRAINED_MAX: Duration = Duration::from_secs(120);

/// Measures the acknowledged rows a second while every hub offers more than can be stored, then at twice as many as those.
pub(crate) async fn peak(binary: &Path, span: Duration, figures: &Figures) -> Outcome<()> {
    let most = load(binary, Offer::Always, span, figures, "at the peak").await?;
    let each = 2.0 * most / HUBS as f64;
    load(binary, Offer::Rate(each), span, figures, "at twice the peak").await?;
    Ok(())
}

async fn load(
    binary: &Path,
    offer: Offer,
    span: Duration,
    figures: &Figures,
    when: &str,
) -> Outcome<f64> {
    let folder = tempfile::tempdir()?;
    let setting = Setting { tables: HUBS, ..Setting::default() };
    let program = Program::start(binary, folder.path(), &setting).await?;
    let counts = Arc::new(Counts::default());
    let ends = Instant::now() + WARM_UP + span;
    let mut running = JoinSet::new();
    for number in 0..HUBS {
        let tables = number..number + 1;
        running
            .spawn(LoadHub::new(number, tables, program.port, offer, ends, counts.clone())?.run());
    }
    tokio::time::sleep(WARM_UP).await;
    let (from, before) = (Instant::now(), counts.acknowledged.load(Ordering::Relaxed));
    tokio::time::sleep_until(ends.into()).await;
    let (until, after) = (Instant::now(), counts.acknowledged.load(Ordering::Relaxed));
    let rate = (after - before) as f64 / (until - from).as_secs_f64();
    drained(&mut running).await?;
    let rows = counts.acknowledged.load(Ordering::Relaxed);
    figures.keep(&format!("rows in the database {when}"), "rows/s", format_args!("{rate:.0}"))?;
    figures.ms(&format!("wait for the last row {when}"), until.elapsed())?;
    let again = counts.sent.load(Ordering::Relaxed).saturating_sub(rows) as f64;
    let share = 100.0 * again / rows.max(1) as f64;
    figures.keep(&format!("sent again {when}"), "%", format_args!("{share:.2}"))?;
    let shown = Instant::now();
    until_shown(&program).await?;
    figures.ms(&format!("wait for the pages {when}"), shown.elapsed())?;
    assert_all_are_there(&program.store(), rows).await?;
    program.stop().await?;
    Ok(rate)
}

/// Waits until all rows of the hubs are acknowledged.
pub(crate) async fn drained(running: &mut JoinSet<Outcome<()>>) -> Outcome<()> {
    let drain = async {
        while let Some(hub) = running.join_next().await {
            hub??;
        }
        Outcome::Ok(())
    };
    tokio::time::timeout(DRAINED_MAX, drain).await.map_err(|_| "rows were never acknowledged")?
}

/// Waits until the pages show the end of every match.
async fn until_shown(program: &Program) -> Outcome<()> {
    let deadline = Instant::now() + DRAINED_MAX;
    loop {
        let url = format!("{}/api/v1/round", program.http);
        let round: serde_json::Value = reqwest::get(url).await?.json().await?;
        let tables = round["tables"].as_array().map_or(&[][..], Vec::as_slice);
        let ended = tables.iter().filter(|table| table["state"] == "ended").count();
        if ended == HUBS {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!("only {ended} of {HUBS} matches end on the pages").into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Every row that was acknowledged is in the database, and no other.
pub(crate) async fn assert_all_are_there(path: &Path, rows: u64) -> Outcome<()> {
    use sqlx::Connection as _;
    let url = format!("sqlite://{}?mode=ro", path.display());
    let mut database = sqlx::SqliteConnection::connect(&url).await?;
    let stored: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM input WHERE kind = 'row'")
        .fetch_one(&mut database)
        .await?;
    if stored.cast_unsigned() == rows {
        Ok(())
    } else {
        Err(format!("{rows} rows were acknowledged and {stored} are stored").into())
    }
}
