//! The task of one serial port that the doctor looks at: what a [`Probe`] wants done, done with a serial line and the clock, until nobody
//! wants news any more.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hub::ports::{OpenError, Stream, open};
use hub::{HubClock, HubTime};
use proto::link::Standing;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::probe::{Probe, ProbeInput, ProbeOutput, ProbeReport};

/// Longest that a write may take.
const WRITE_MAX: Duration = Duration::from_secs(1);
/// Longest sleep, whatever a driver has to do.
const SLEEP_MAX: Duration = Duration::from_millis(250);
const READ_BYTES: usize = 1_024;
/// News that may wait; then the line waits.
pub(super) const NEWS_MAX: usize = 1_024;

/// News of a port.
#[derive(Debug)]
pub(super) struct PortEvent {
    /// Number of the port, in the given order.
    pub(super) port: usize,
    /// Time.
    pub(super) at: HubTime,
    /// Content.
    pub(super) what: ProbeReport,
}

/// Wishes of a person about a port.
#[derive(Clone, Copy, Debug)]
pub(super) enum PortRequest {
    /// The device blinks for these seconds.
    Blink(u8),
    /// The board shall learn what its squares read without pieces.
    Calibrate(Standing),
}

/// A port and what is done with it.
pub(super) struct Line {
    pub(super) port: usize,
    pub(super) path: PathBuf,
    pub(super) probe: Probe,
    pub(super) clock: HubClock,
    pub(super) news: mpsc::Sender<PortEvent>,
}

/// The receiver was closed.
struct Unheard;

impl Line {
    /// Examines the port until the receiver is closed.
    pub(super) async fn run(mut self, mut wishes: mpsc::Receiver<PortRequest>) {
        let mut stream = None;
        self.handle(ProbeInput::Time);
        while self.turn(&mut stream, &mut wishes).await.is_ok() {}
    }

    /// Does the probe's outputs, then waits for the next input.
    async fn turn(
        &mut self,
        stream: &mut Option<Stream>,
        wishes: &mut mpsc::Receiver<PortRequest>,
    ) -> Result<(), Unheard> {
        self.act(stream).await?;
        if let Some(open) = stream
            && let Err(reason) = transmit(open, &mut self.probe).await
        {
            self.handle(ProbeInput::Lost(reason));
            return Ok(());
        }
        let due = self.probe.poll_timeout();
        let pause = due.map_or(SLEEP_MAX, |due| self.clock.until(due).min(SLEEP_MAX));
        let mut buffer = [0; READ_BYTES];
        tokio::select! {
            read = read(stream, &mut buffer) => match read {
                Ok(length) => self.handle(ProbeInput::Received(buffer.get(..length).unwrap_or(&buffer))),
                Err(reason) => self.handle(ProbeInput::Lost(reason)),
            },
            Some(wish) = wishes.recv() => self.handle(match wish {
                PortRequest::Blink(seconds) => ProbeInput::Blink(seconds),
                PortRequest::Calibrate(standing) => ProbeInput::Calibrate(standing),
            }),
            () = sleep(pause) => self.handle(ProbeInput::Time),
            () = self.news.closed() => return Err(Unheard),
        }
        Ok(())
    }

    fn handle(&mut self, input: ProbeInput<'_>) {
        self.probe.handle(self.clock.now(), input);
    }

    async fn act(&mut self, stream: &mut Option<Stream>) -> Result<(), Unheard> {
        while let Some(output) = self.probe.poll_output() {
            match output {
                ProbeOutput::Open => match open(&self.path, self.probe.line()) {
                    Ok(opened) => {
                        *stream = Some(opened);
                        self.handle(ProbeInput::Opened);
                    }
                    Err(error) => self.handle(ProbeInput::Lost(explained(&error))),
                },
                ProbeOutput::Close => *stream = None,
                ProbeOutput::Tell(what) => {
                    let news = PortEvent { port: self.port, at: self.clock.now(), what };
                    self.news.send(news).await.map_err(|_| Unheard)?;
                }
            }
        }
        Ok(())
    }
}

/// Number of bytes read, or in words why the line is lost. Waits for ever without a line.
async fn read(stream: &mut Option<Stream>, buffer: &mut [u8]) -> Result<usize, String> {
    let Some(stream) = stream else { return std::future::pending().await };
    match stream.read(buffer).await {
        Ok(0) => Err("unplugged".to_owned()),
        Ok(length) => Ok(length),
        Err(error) => Err(format!("the line failed ({error})")),
    }
}

async fn transmit(stream: &mut Stream, probe: &mut Probe) -> Result<(), String> {
    let mut buffer = [0; READ_BYTES];
    loop {
        let length = probe.transmit(&mut buffer);
        if length == 0 {
            return Ok(());
        }
        match timeout(WRITE_MAX, stream.write_all(&buffer[..length])).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(format!("the line failed ({error})")),
            Err(_) => return Err("the device takes no bytes: plug it in again".to_owned()),
        }
    }
}

/// Reason why a port cannot be opened, for the person before it.
fn explained(error: &OpenError) -> String {
    match error {
        OpenError::Absent => "nothing is plugged in here: plug the device in",
        OpenError::Taken => "taken by another program: close that program",
        OpenError::Forbidden => {
            "this user may not open it: sudo usermod -aG dialout $USER, then log in again"
        }
        OpenError::OtherInterface => {
            "a keyboard or the like: name the other hidraw device of the same board"
        }
        OpenError::NoPort(_) => "this is no serial port: name another with --ports",
        OpenError::Other(cause) => return format!("cannot be opened ({cause}): check the cable"),
    }
    .to_owned()
}

/// Programs that have a port open: those of this user, or all when run as root. Empty if none can be seen.
pub(super) fn holders(port: &Path) -> Vec<String> {
    let Ok(device) = port.canonicalize() else { return Vec::new() };
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id().to_string();
    processes
        .flatten()
        .filter(|process| {
            process
                .file_name()
                .to_str()
                .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && name != own)
        })
        .filter(|process| {
            let Ok(files) = std::fs::read_dir(process.path().join("fd")) else { return false };
            files.flatten().any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == device))
        })
        .map(|process| {
            let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            format!("{}, process {}", name.trim(), process.file_name().to_string_lossy())
        })
        .collect()
}
