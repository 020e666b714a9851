//! Looking at one serial port: open it, find the driver that understands what is there, tell what it says. Opens and listens again
//! until told to stop; journals nothing.
//!
//! Our own nodes keep what they read until it is acknowledged. What a node with a place has seen of play before the doctor came
//! belongs to its hub, and is left to it: then nothing of this node is acknowledged. Otherwise what the doctor saw is
//! acknowledged, so that a check's lifted pieces and presses do not reach the hub afterwards as if they were play.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hub::drivers::certabo::rfid::TagBook;
use hub::drivers::{ConnectionState, Driver, DriverSettings, Output, Unit};
use hub::ports::{OpenError, open};
use hub::{HubClock, HubTime};
use readings::ReadingKind;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_serial::SerialStream;

/// How long a driver may try before the next one does. Our nodes answer within milliseconds, the slowest of the others within a second.
pub(super) const TRY: Duration = Duration::from_millis(1_500);
/// Pause before a port that failed is opened again.
const REOPEN: Duration = Duration::from_millis(700);
/// Longest that a write may take.
const WRITE_MAX: Duration = Duration::from_secs(1);
/// Longest sleep, whatever a driver has to do.
const SLEEP_MAX: Duration = Duration::from_millis(250);
const READ_BYTES: usize = 1_024;
/// What a node read this long before the port was opened, or longer, was not the doctor's doing, in µs.
const BEFORE_US: u64 = 2_000_000;
/// News that may wait; then the line waits.
pub(super) const NEWS_MAX: usize = 1_024;

/// What happened at a port.
#[derive(Debug)]
pub(super) enum What {
    /// It cannot be opened, or is lost: why, and what to do.
    Trouble(String),
    /// No driver understands what is there, if anything is.
    Silent(&'static str),
    /// A driver said this.
    Said(Output),
    /// The node holds readings that its hub has not taken; they are left to it.
    HoldsReadings,
}

/// News of a port.
#[derive(Debug)]
pub(super) struct News {
    /// Which port, in the order they were given.
    pub(super) port: usize,
    /// When.
    pub(super) at: HubTime,
    /// What.
    pub(super) what: What,
}

/// Wishes of a person about a port.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish {
    /// The device shall show itself for so many seconds.
    Blink(u8),
}

/// A port and what is done with it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) port: usize,
    pub(super) path: PathBuf,
    /// The drivers to try, each by the devices of its line; the likeliest first.
    pub(super) drivers: Vec<Vec<DriverSettings>>,
    /// The nodes that have a place, and so a hub.
    pub(super) placed: Arc<HashSet<String>>,
    /// Whether readings are wanted, or only who is there.
    pub(super) readings: bool,
    pub(super) clock: HubClock,
    pub(super) news: mpsc::Sender<News>,
}

/// Why an open line is given up.
enum End {
    /// Nothing understood it.
    NotUnderstood,
    /// It failed, in words.
    Lost(String),
    /// Nobody listens any more.
    Unheard,
}

impl Line {
    /// Looks at the port until nobody wants news any more.
    pub(super) async fn run(mut self, mut wishes: mpsc::Receiver<Wish>) {
        let mut driver = 0;
        let tags = TagBook::default();
        loop {
            let devices = self.drivers[driver].iter();
            let mut hub_end = DriverSettings::driver_of_line(devices, &tags);
            let end = match open(&self.path, hub_end.line()) {
                Ok(stream) => self.converse(stream, hub_end.as_mut(), &mut wishes).await,
                Err(error) => End::Lost(explained(&error)),
            };
            let told = match end {
                End::Unheard => return,
                End::NotUnderstood => {
                    driver = (driver + 1) % self.drivers.len();
                    if driver == 0 {
                        self.tell(What::Silent(hub_end.silence())).await
                    } else {
                        Ok(())
                    }
                }
                End::Lost(reason) => {
                    let told = self.tell(What::Trouble(reason)).await;
                    sleep(REOPEN).await;
                    told
                }
            };
            if told.is_err() {
                return;
            }
        }
    }

    async fn tell(&mut self, what: What) -> Result<(), End> {
        let news = News { port: self.port, at: self.clock.now(), what };
        self.news.send(news).await.map_err(|_| End::Unheard)
    }

    async fn converse(
        &mut self,
        mut stream: SerialStream,
        driver: &mut dyn Driver,
        wishes: &mut mpsc::Receiver<Wish>,
    ) -> End {
        let opened = self.clock.now();
        let mut talk = Talk {
            opened,
            understood: false,
            placed: false,
            left_to_hub: false,
            admitted: HashSet::new(),
        };
        driver.opened(opened);
        let give_up = Instant::now() + TRY;
        let mut buffer = [0; READ_BYTES];
        loop {
            if let Err(end) = self.pass_on(driver, &mut talk).await {
                return end;
            }
            if let Err(error) = transmit(&mut stream, driver).await {
                return End::Lost(error);
            }
            if !talk.understood && Instant::now() >= give_up {
                return End::NotUnderstood;
            }
            let due = driver.next_due().micros_since(self.clock.now());
            let wake = Instant::now() + Duration::from_micros(due).min(SLEEP_MAX);
            tokio::select! {
                read = stream.read(&mut buffer) => match read {
                    Ok(0) => return End::Lost("unplugged".to_owned()),
                    Ok(length) => driver.receive(self.clock.now(), &buffer[..length]),
                    Err(error) => return End::Lost(format!("the line failed ({error})")),
                },
                Some(Wish::Blink(seconds)) = wishes.recv() => driver.identify(Unit::ONLY, seconds),
                () = sleep_until(wake) => driver.poll(self.clock.now()),
                () = self.news.closed() => return End::Unheard,
            }
        }
    }

    /// Passes on all that the driver has to say.
    async fn pass_on(&mut self, driver: &mut dyn Driver, talk: &mut Talk) -> Result<(), End> {
        while let Some(output) = driver.poll_output() {
            match &output {
                Output::Present(device) => {
                    talk.understood = true;
                    talk.placed = device.id.as_ref().is_some_and(|id| self.placed.contains(id));
                    if self.readings && talk.admitted.insert(device.unit) {
                        driver
                            .admit(device.unit, ConnectionState::New { resume: None, kept: None });
                    }
                }
                Output::Gone { unit, .. } => drop(talk.admitted.remove(unit)),
                Output::Unusable(_) => talk.understood = true,
                Output::Readings { unit, readings, reached } => {
                    let limit = talk.opened.minus_micros(BEFORE_US);
                    let old_play =
                        |(at, kind): &(HubTime, ReadingKind)| *at < limit && is_play(kind);
                    if talk.placed && !talk.left_to_hub && readings.iter().any(old_play) {
                        talk.left_to_hub = true;
                        self.tell(What::HoldsReadings).await?;
                    }
                    if let Some(reached) = reached.filter(|_| !talk.left_to_hub) {
                        driver.committed(*unit, reached);
                    }
                }
                _ => {}
            }
            self.tell(What::Said(output)).await?;
        }
        Ok(())
    }
}

/// What is known of a conversation.
struct Talk {
    opened: HubTime,
    understood: bool,
    /// Whether the node has a place, and so a hub.
    placed: bool,
    left_to_hub: bool,
    admitted: HashSet<Unit>,
}

/// Whether hands make such readings: a clock's display and a board's regular snapshot come by themselves.
fn is_play(kind: &ReadingKind) -> bool {
    matches!(
        kind,
        ReadingKind::Square { .. } | ReadingKind::Tray { .. } | ReadingKind::Press { .. }
    )
}

async fn transmit(stream: &mut SerialStream, driver: &mut dyn Driver) -> Result<(), String> {
    let mut buffer = [0; READ_BYTES];
    loop {
        let length = driver.transmit(&mut buffer);
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

/// Why a port cannot be opened, for a person who stands before it.
fn explained(error: &OpenError) -> String {
    match error {
        OpenError::Absent => "nothing is plugged in here: plug the device in",
        OpenError::Taken => "taken by another program: close that program",
        OpenError::Forbidden => {
            "this user may not open it: sudo usermod -aG dialout $USER, then log in again"
        }
        OpenError::NoPort(_) => "this is no serial port: name another with --ports",
        OpenError::Other(cause) => return format!("cannot be opened ({cause}): check the cable"),
    }
    .to_owned()
}

/// Who has a port open: programs of this user, or all when run as root. Empty when nobody can be seen.
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
