//! A hall in play: tables in real time, viewers, directors, and a planned restart in front of them.

use std::{
    path::Path,
    sync::{Arc, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use crate::{
    Outcome,
    feed::{PLY_EVERY, Written},
    figures::Figures,
    hub::{Counts, LoadHub, Offer},
    machine::Machine,
    peak,
    program::{Program, Setting, Usage},
    times::Times,
    viewers::{self, Seen},
};

/// Tables of a hub.
const TABLES_OF_HUB: usize = 16;
/// Interval between two breaks of a hub's connection.
const BREAKS_EVERY: Duration = Duration::from_secs(20);
/// Time before that which counts.
pub(crate) const WARM_UP: Duration = Duration::from_secs(4);
/// Longest wait for matches and for viewers.
const PATIENCE: Duration = Duration::from_secs(90);
/// Time for which viewers are watched after a restart.
const AFTER_RESTART: Duration = Duration::from_secs(15);

/// A hall, its hubs and their program.
pub(crate) struct Hall {
    pub(crate) program: Program,
    counts: Arc<Counts>,
    hubs: JoinSet<Outcome<()>>,
    pub(crate) matches: Vec<String>,
}

impl Hall {
    async fn start(binary: &Path, folder: &Path, tables: usize, streams: usize) -> Outcome<Hall> {
        let setting = Setting { tables, streams: streams + 64, ..Setting::default() };
        Hall::start_with(binary, folder, setting, Written::default()).await
    }

    /// A hall with this setting, whose plies are noted.
    pub(crate) async fn start_with(
        binary: &Path,
        folder: &Path,
        setting: Setting,
        written: Written,
    ) -> Outcome<Hall> {
        let tables = setting.tables;
        let program = Program::start(binary, folder, &setting).await?;
        let counts = Arc::new(Counts { written, ..Counts::default() });
        let (mut hubs, ends) = (JoinSet::new(), Instant::now() + Duration::from_secs(86_400));
        let offer = Offer::Play(BREAKS_EVERY);
        for (number, first) in (0..tables).step_by(TABLES_OF_HUB).enumerate() {
            let of_hub = first..(first + TABLES_OF_HUB).min(tables);
            hubs.spawn(
                LoadHub::new(number, of_hub, program.port, offer, ends, counts.clone())?.run(),
            );
        }
        let mut hall = Hall { program, counts, hubs, matches: Vec::new() };
        hall.matches = hall.until_played(tables).await?;
        Ok(hall)
    }

    /// Waits until there is a match at every table.
    async fn until_played(&self, tables: usize) -> Outcome<Vec<String>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let url = format!("{}/api/v1/round", self.program.http);
            let round: serde_json::Value = reqwest::get(url).await?.json().await?;
            let known = round["tables"].as_array().into_iter().flatten();
            let matches: Vec<String> =
                known.filter_map(|it| it["match"].as_str().map(str::to_owned)).collect();
            if matches.len() == tables {
                return Ok(matches);
            }
            if Instant::now() > deadline {
                return Err(
                    format!("only {} of {tables} tables have a match", matches.len()).into()
                );
            }
            tokio::time::sleep(PLY_EVERY / 8).await;
        }
    }

    /// Number of plies of each match that is at a table, as the hall's own pages have it.
    pub(crate) async fn plies(&self) -> Outcome<Vec<(String, u64)>> {
        let url = format!("{}/api/v1/round", self.program.http);
        let round: serde_json::Value = reqwest::get(url).await?.json().await?;
        let known = round["tables"].as_array().into_iter().flatten();
        let plies = known
            .filter_map(|it| Some((it["match"].as_str()?.to_owned(), it["ply_count"].as_u64()?)));
        Ok(plies.collect())
    }

    /// Waits, and takes what was counted meanwhile.
    async fn acknowledged_in(&self, span: Duration) -> Outcome<(Times, Usage, Usage)> {
        let times = || {
            let mut times = self.counts.times.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *times)
        };
        let before = self.program.usage()?;
        drop(times());
        tokio::time::sleep(span).await;
        Ok((times(), before, self.program.usage()?))
    }

    pub(crate) async fn end(self, figures: &Figures) -> Outcome<()> {
        let Hall { program, counts, mut hubs, .. } = self;
        counts.ends.store(true, Ordering::Relaxed);
        peak::drained(&mut hubs).await?;
        let rows = counts.acknowledged.load(Ordering::Relaxed);
        peak::assert_all_are_there(&program.store(), rows).await?;
        figures.keep("rows in the database, none lost", "rows", rows)?;
        let again = counts.sent.load(Ordering::Relaxed).saturating_sub(rows);
        figures.keep("rows sent again", "rows", again)?;
        program.stop().await
    }
}

/// Waits until all viewers are there.
async fn until_watched(seen: &Seen, streams: usize) -> usize {
    let deadline = Instant::now() + PATIENCE;
    while seen.watching.load(Ordering::Relaxed) < streams && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    seen.watching.load(Ordering::Relaxed)
}

/// Measures a hall without viewers, then with them and with directors. `sent`: what viewers are sent of tables.
pub(crate) async fn in_play(
    binary: &Path,
    span: Duration,
    sent: &'static str,
    figures: &Figures,
) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let Figures { tables, streams, directors, .. } = *figures;
    let hall = Hall::start(binary, folder.path(), tables, streams).await?;
    tokio::time::sleep(WARM_UP).await;
    let (times, before, after) = hall.acknowledged_in(span).await?;
    figures.times("row to acknowledgement without viewers", &times)?;
    let cores = after.cores_since(before);
    figures.keep("processors without viewers", "cores", format_args!("{cores:.3}"))?;
    figures.keep("memory without viewers", "MB", after.memory_bytes / 1_000_000)?;
    let per_table = 1e3 * cores / tables as f64;
    figures.keep("processors of a table", "mcores", format_args!("{per_table:.3}"))?;
    if streams + directors > 0 {
        let (port, written) = (hall.program.http_port, &hall.counts.written);
        let (lists, mut phones) = viewers::directors(&hall.program.http, directors, &hall.matches);
        let (seen, crowd) = viewers::come(port, (streams, sent), &hall.matches, written).await?;
        let watching = until_watched(&seen, streams).await;
        tokio::time::sleep(WARM_UP).await;
        let machine = Machine::watch(folder.path())?;
        drop(std::mem::take(&mut *seen.ages.lock().unwrap_or_else(PoisonError::into_inner)));
        let bytes = seen.bytes.load(Ordering::Relaxed);
        let (times, from, until) = hall.acknowledged_in(span).await?;
        let bytes = seen.bytes.load(Ordering::Relaxed) - bytes;
        figures.keep("viewers", "streams", watching)?;
        figures.keep("refused", "streams", seen.refused.load(Ordering::Relaxed))?;
        figures.times("row to acknowledgement with viewers", &times)?;
        let ages = std::mem::take(&mut *seen.ages.lock().unwrap_or_else(PoisonError::into_inner));
        figures.times("row to viewer", &ages)?;
        let cores = until.cores_since(from);
        figures.keep("processors with viewers", "cores", format_args!("{cores:.3}"))?;
        let memory = until.memory_bytes.saturating_sub(after.memory_bytes) as f64;
        let each = |value: f64| format!("{:.2}", value / 1e3 / streams.max(1) as f64);
        figures.keep("memory of a stream", "kB", each(memory))?;
        let rate = bytes as f64 / span.as_secs_f64();
        figures.keep("wire of a stream", "kB/s", each(rate))?;
        let lists = std::mem::take(&mut *lists.lock().unwrap_or_else(PoisonError::into_inner));
        figures.times("a director's list", &lists)?;
        machine.report(figures).await?;
        drop(crowd);
        phones.shutdown().await;
    }
    hall.end(figures).await
}

/// Measures how long viewers are without news after a planned restart. `sent`: what they are sent of tables.
pub(crate) async fn restarted(binary: &Path, sent: &'static str, figures: &Figures) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let Figures { tables, streams, .. } = *figures;
    let mut hall = Hall::start(binary, folder.path(), tables, streams).await?;
    let (port, written) = (hall.program.http_port, &hall.counts.written);
    let (seen, crowd) = viewers::come(port, (streams, sent), &hall.matches, written).await?;
    figures.keep("viewers", "streams", until_watched(&seen, streams).await)?;
    tokio::time::sleep(WARM_UP).await;
    let refused = seen.refused.load(Ordering::Relaxed);
    let begun = Instant::now();
    let back = hall.program.restart().await?;
    figures.ms("restart of the program", back - begun)?;
    tokio::time::sleep(AFTER_RESTART).await;
    let mut times = Times::default();
    let again =
        std::mem::take(&mut *seen.news_again.lock().unwrap_or_else(PoisonError::into_inner));
    again.into_iter().for_each(|at| times.add(at.into_std().saturating_duration_since(back)));
    figures.times("news after the program is back", &times)?;
    let refused = seen.refused.load(Ordering::Relaxed) - refused;
    figures.keep("refused after the restart", "streams", refused)?;
    drop(crowd);
    hall.end(figures).await
}
