//! The release program as a process of its own, and what it costs.

use std::{
    fmt::Write as _,
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::Outcome;

/// Longest wait until it serves, and until it has stopped.
const PATIENCE: Duration = Duration::from_secs(60);
/// Interval between two checks.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Unit of the processor times of a process, as Linux gives them to programs.
const TICK: Duration = Duration::from_millis(10);
/// Token of the directors who watch.
pub(crate) const TOKEN: &str = "a-token-for-the-measurement";

/// A hall that is measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setting {
    /// Port of an existing broker, in place of the program's own.
    pub(crate) broker: Option<u16>,
    /// Tables that the event names.
    pub(crate) tables: usize,
    /// Live streams for which there is room.
    pub(crate) streams: usize,
    /// Delays of the public in seconds, each of a section with one table.
    pub(crate) delays_s: Vec<u32>,
    /// Address of a web host that gets the pages.
    pub(crate) mirror: Option<String>,
}

/// A running `twinboard serve`; ends when dropped.
pub(crate) struct Program {
    pub(crate) http: String,
    pub(crate) http_port: u16,
    /// Port of the broker.
    pub(crate) port: u16,
    binary: PathBuf,
    folder: PathBuf,
    child: Child,
}

/// Processor time and memory that a process has used until now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    at: Instant,
    processor: Duration,
    pub(crate) memory_bytes: u64,
}

impl Usage {
    /// Processors that were in use since an earlier moment.
    pub(crate) fn cores_since(self, before: Usage) -> f64 {
        let span = (self.at - before.at).as_secs_f64();
        (self.processor - before.processor).as_secs_f64() / span
    }
}

impl Program {
    /// Starts the program with an empty database in `folder`, and waits until it serves.
    pub(crate) async fn start(binary: &Path, folder: &Path, setting: &Setting) -> Outcome<Program> {
        let (http_port, own) = (free_port()?, free_port()?);
        let port = setting.broker.unwrap_or(own);
        let mode = if setting.broker.is_some() { "external" } else { "embedded" };
        let token = folder.join("token");
        if !token.exists() {
            adjudicator::pki::secrets::write(&token, TOKEN)?;
        }
        let mut text = format!(
            "[http]\naddress = \"127.0.0.1:{http_port}\"\ntd_token_file = {token:?}\n[store]\npath = {:?}\n\
             [broker]\nmode = {mode:?}\naddress = \"127.0.0.1:{port}\"\n[limits]\nhubs = 256\ntables = {}\nstreams = {}\nmatches = 65536\n",
            store(folder),
            setting.tables.max(512),
            setting.streams.max(64),
        );
        for (at, delay_s) in setting.delays_s.iter().enumerate() {
            writeln!(text, "[[section]]\nname = \"late-{at}\"\npublic_delay_s = {delay_s}")?;
            writeln!(text, "[[table]]\nname = \"late-{at}\"\nsection = \"late-{at}\"")?;
        }
        for table in 1..=setting.tables {
            writeln!(text, "[[table]]\nname = \"{table}\"")?;
        }
        if let Some(url) = &setting.mirror {
            writeln!(text, "[[mirror]]\nurl = {url:?}\npages = true")?;
        }
        fs::write(folder.join("serve.toml"), text)?;
        let child = spawn(binary, folder)?;
        let http = format!("http://127.0.0.1:{http_port}");
        let (binary, folder) = (binary.to_owned(), folder.to_owned());
        let mut program = Program { http, http_port, port, binary, folder, child };
        program.until_it_serves().await?;
        Ok(program)
    }

    /// The database.
    pub(crate) fn store(&self) -> PathBuf {
        store(&self.folder)
    }

    /// Its use until now.
    pub(crate) fn usage(&self) -> Outcome<Usage> {
        let of = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", self.child.id()));
        let stat = of("stat")?;
        // The name of the program, in parentheses, may hold spaces.
        let fields = stat.rsplit_once(')').ok_or("no times of the process")?.1;
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u32>);
        let ticks = ticks.sum::<Result<u32, _>>()?;
        let status = of("status")?;
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes: u64 =
            memory.ok_or("no memory of the process")?.trim().trim_end_matches(" kB").parse()?;
        let memory_bytes = kilobytes * 1024;
        Ok(Usage { at: Instant::now(), processor: TICK * ticks, memory_bytes })
    }

    /// Stops the program as a planned restart does, and starts it again. Returns the moment at which it serves again.
    pub(crate) async fn restart(&mut self) -> Outcome<Instant> {
        self.end().await?;
        self.child = spawn(&self.binary, &self.folder)?;
        self.until_it_serves().await?;
        Ok(Instant::now())
    }

    pub(crate) async fn stop(mut self) -> Outcome<()> {
        self.end().await
    }

    async fn end(&mut self) -> Outcome<()> {
        let process = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
        nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM)?;
        let deadline = Instant::now() + PATIENCE;
        while self.child.try_wait()?.is_none() {
            if Instant::now() > deadline {
                return Err("the program does not stop".into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    async fn until_it_serves(&mut self) -> Outcome<()> {
        let deadline = Instant::now() + PATIENCE;
        let health = format!("{}/healthz", self.http);
        while reqwest::get(&health).await.is_err() {
            if self.child.try_wait()?.is_some() || Instant::now() > deadline {
                let log = fs::read_to_string(self.folder.join("serve.log")).unwrap_or_default();
                return Err(format!("the program does not serve:\n{log}").into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(binary: &Path, folder: &Path) -> Outcome<Child> {
    let log = File::options().create(true).append(true).open(folder.join("serve.log"))?;
    let mut command = Command::new(binary);
    command.arg("serve").arg("--config").arg(folder.join("serve.toml"));
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    command.spawn().map_err(|error| format!("{}: {error}", binary.display()).into())
}

fn store(folder: &Path) -> PathBuf {
    folder.join("event.sqlite")
}

fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
