//! A mirror: what it costs on the line, how late its files are, and how soon it has everything after the line was cut.

use std::{
    collections::{HashMap, HashSet},
    io::Read as _,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use crate::{
    Outcome,
    feed::Written,
    figures::Figures,
    hall::{Hall, WARM_UP},
    program::Setting,
    times::Times,
    viewers,
};

/// Longest wait for all files after a cut.
const PATIENCE: Duration = Duration::from_secs(90);
/// Answer to every request.
const CREATED: &[u8] = b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n";

/// A web host on the other side of a line.
#[derive(Debug, Default)]
struct WebHost {
    is_cut: AtomicBool,
    bytes: AtomicU64,
    files: AtomicU64,
    known: Mutex<Known>,
}

/// What is known of matches by their files.
#[derive(Debug, Default)]
struct Known {
    /// The most plies of each match.
    plies: HashMap<String, u64>,
    /// Times from a hub's journal to the file, each of a ply.
    ages: Times,
    counted: HashSet<(String, u64)>,
}

impl WebHost {
    async fn start(written: Written) -> Outcome<(String, Arc<WebHost>)> {
        let (host, listener) =
            (Arc::new(WebHost::default()), TcpListener::bind("127.0.0.1:0").await?);
        let url = format!("http://{}", listener.local_addr()?);
        let own = host.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (host, written) = (own.clone(), written.clone());
                // A connection that breaks is made again.
                tokio::spawn(async move { host.serve(stream, &written).await.ok() });
            }
        });
        Ok((url, host))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a connection until the line is cut.
    async fn serve(&self, stream: TcpStream, written: &Written) -> Outcome<()> {
        let mut stream = BufReader::new(stream);
        while !self.is_cut.load(Ordering::Relaxed) {
            let (mut first, mut length, mut head) = (String::new(), 0, 0);
            loop {
                let mut line = String::new();
                head += stream.read_line(&mut line).await?;
                if first.is_empty() {
                    first.clone_from(&line);
                }
                if line.trim().is_empty() {
                    break;
                }
                let lower = line.to_ascii_lowercase();
                if let Some(value) = lower.strip_prefix("content-length:") {
                    length = value.trim().parse()?;
                }
            }
            if first.is_empty() {
                return Ok(());
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await?;
            if self.is_cut.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.bytes.fetch_add((head + length) as u64, Ordering::Relaxed);
            self.files.fetch_add(1, Ordering::Relaxed);
            if first.starts_with("PUT /api/v1/matches/") {
                self.note(&body, written)?;
            }
            stream.get_mut().write_all(CREATED).await?;
        }
        Ok(())
    }

    fn note(&self, packed: &[u8], written: &Written) -> Outcome<()> {
        let mut text = String::new();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut text)?;
        let shown: serde_json::Value = serde_json::from_str(&text)?;
        let (id, plies) = (shown["table"]["match"].as_str(), shown["plies"].as_array());
        let (Some(id), Some(plies)) = (id, plies.map(|it| it.len() as u64)) else { return Ok(()) };
        let mut known = self.known();
        let most = known.plies.entry(id.to_owned()).or_default();
        *most = plies.max(*most);
        if let Some(age) = written.age(id, plies)
            && known.counted.insert((id.to_owned(), plies))
        {
            known.ages.add(age);
        }
        Ok(())
    }

    fn used(&self) -> (u64, u64) {
        (self.bytes.load(Ordering::Relaxed), self.files.load(Ordering::Relaxed))
    }
}

/// Measures a hall in play with a mirror, beside a viewer at its own pages, and a cut as long as the measurement.
pub(crate) async fn mirrored(binary: &Path, span: Duration, figures: &Figures) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let written = Written::default();
    let (url, host) = WebHost::start(written.clone()).await?;
    let setting = Setting { tables: figures.tables, mirror: Some(url), ..Setting::default() };
    let hall = Hall::start_with(binary, folder.path(), setting, written.clone()).await?;
    let beside = (hall.matches.len(), "patches");
    let (seen, crowd) =
        viewers::come(hall.program.http_port, beside, &hall.matches, &written).await?;
    // The first pass sends scripts and documents.
    tokio::time::sleep(2 * WARM_UP).await;
    let take = || std::mem::take(&mut *seen.ages.lock().unwrap_or_else(PoisonError::into_inner));
    drop((take(), std::mem::take(&mut host.known().ages)));
    let (before, from) = (host.used(), Instant::now());
    tokio::time::sleep(span).await;
    let (after, long) = (host.used(), from.elapsed().as_secs_f64());
    let rate = (after.0 - before.0) as f64 / 1e3 / long;
    figures.keep("mirror on the line", "kB/s", format_args!("{rate:.1}"))?;
    figures.keep(
        "files of the mirror",
        "files/s",
        format_args!("{:.1}", (after.1 - before.1) as f64 / long),
    )?;
    figures.times("row to viewer", &take())?;
    figures.times("row to mirrored file", &std::mem::take(&mut host.known().ages))?;
    host.is_cut.store(true, Ordering::Relaxed);
    tokio::time::sleep(span).await;
    let wanted = hall.plies().await?;
    let back = Instant::now();
    host.is_cut.store(false, Ordering::Relaxed);
    let is_there = || {
        let known = host.known();
        wanted.iter().all(|(id, plies)| known.plies.get(id).is_some_and(|it| it >= plies))
    };
    while !is_there() {
        if back.elapsed() > PATIENCE {
            return Err("the mirror does not have everything after a cut".into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    figures.ms(&format!("everything after a cut of {} s", span.as_secs()), back.elapsed())?;
    drop(crowd);
    hall.end(figures).await
}
