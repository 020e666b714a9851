//! `twinboard doctor conform`: thirteen moves, guided, at one board. For makers of boards: what the board reported, whether that is what was done, and
//! how late it came.

mod judge;
pub(super) mod script;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use hub::drivers::Output;
use readings::ReadingKind;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use self::judge::{Judge, StepResult};
use self::script::{Change, STEPS};
use super::devices::{Devices, Key};
use super::line::PortEvent;
use super::probe::ProbeReport;
use super::sensor::is_occupied;
use super::verdict::not_as_at_the_start;
use super::{PortScan, found};
use crate::stdout;

/// Longest time for the set-up, and for each step.
const STEP_MAX: Duration = Duration::from_secs(120);
/// Interval at which the run checks whether a step has ended.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Width of the step's number before its result.
const INDENT: &str = "       ";

/// The protocol of a run.
#[derive(Debug, Serialize)]
struct ConformProtocol {
    /// This program's version.
    twinboard: &'static str,
    node: String,
    /// Kind of board and sensors.
    kind: String,
    firmware: String,
    /// Whether every step was done and right.
    well: bool,
    /// Longest time until a report had arrived, ms.
    late_ms: Option<u64>,
    steps: Vec<StepResult>,
}

/// Runs the thirteen moves at the board `node`, or at the only one that is found.
pub(super) async fn conform(
    node: Option<&str>,
    json: bool,
    sight: &PortScan,
    stop: CancellationToken,
) -> Result<ExitCode> {
    let Some((devices, news)) = found(sight, true, &stop).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let key = board(&devices, node)?;
    let mut run = Run { devices, news, key, judge: Judge::new(), json };
    tokio::select! {
        done = run.play() => done?,
        () = stop.cancelled() => run.judge.give_up(),
    }
    run.print()
}

/// The board that is meant.
fn board(devices: &Devices, node: Option<&str>) -> Result<Key> {
    let is_board = |key: &Key| devices.picture(*key).is_some_and(|it| it.is_board());
    if let Some(node) = node {
        return match devices.named(node)? {
            key if is_board(&key) => Ok(key),
            _ => bail!("{node} is no board: name one, as `twinboard doctor` lists them"),
        };
    }
    let boards: Vec<Key> = devices.keys().into_iter().filter(is_board).collect();
    match boards[..] {
        [key] => Ok(key),
        [] => bail!("no board answered: `twinboard doctor` says what is at each port"),
        _ => {
            let names: Vec<String> = boards.iter().map(|key| devices.name(*key)).collect();
            bail!("there are several boards: name one of {}", names.join(", "))
        }
    }
}

/// A run at one board.
struct Run {
    devices: Devices,
    news: mpsc::Receiver<PortEvent>,
    key: Key,
    judge: Judge,
    json: bool,
}

impl Run {
    async fn play(&mut self) -> Result<()> {
        self.prompt(format_args!("Set up the start position."))?;
        self.set_up().await?;
        while let Some(step) = self.judge.step() {
            let number = self.judge.results().len() + 1;
            let count = STEPS.len();
            self.prompt(format_args!("{number:>2}/{count}  {}: {}", step.name, step.how))?;
            let deadline = Instant::now() + STEP_MAX;
            let result = loop {
                self.listen().await?;
                let now = self.devices.now();
                if let Some(result) = self.judge.advance(now) {
                    break Some(words(result));
                }
                if Instant::now() >= deadline {
                    break None;
                }
            };
            let Some(result) = result else {
                self.judge.give_up();
                return Ok(());
            };
            self.prompt(format_args!("{INDENT}{result}"))?;
        }
        Ok(())
    }

    /// Waits until the board reports the start position.
    async fn set_up(&mut self) -> Result<()> {
        let deadline = Instant::now() + STEP_MAX;
        loop {
            if let Some(picture) = self.devices.picture(self.key)
                && picture.is_complete()
            {
                let (missing, surplus) = not_as_at_the_start(picture);
                if missing.is_empty() && surplus.is_empty() {
                    // Changes before the set-up do not count.
                    self.judge = Judge::new();
                    return Ok(());
                }
                if Instant::now() >= deadline {
                    bail!(
                        "the start position is not seen: {} squares read empty and {} occupied that should not; `twinboard doctor check` names them",
                        missing.len(),
                        surplus.len()
                    );
                }
            } else if Instant::now() >= deadline {
                bail!("the board did not report what its squares read: unplug it and try again");
            }
            self.listen().await?;
        }
    }

    /// Takes what the ports report, for a moment.
    async fn listen(&mut self) -> Result<()> {
        let until = Instant::now() + LOOK_EVERY;
        while let Ok(event) = timeout(until - Instant::now(), self.news.recv()).await {
            let Some(event) = event else { bail!("the ports are closed") };
            self.take(event);
        }
        Ok(())
    }

    fn take(&mut self, event: PortEvent) {
        let arrived = event.at;
        if let ProbeReport::Said(Output::Readings { unit, readings, .. }) = &event.what
            && (event.port, *unit) == self.key
        {
            for (made, kind) in readings {
                if let ReadingKind::Square { square, reading: Some(reading), .. } = kind {
                    let on = is_occupied(*reading);
                    self.judge.take(Change { square: *square, on }, *made, arrived);
                }
                if let ReadingKind::Square { square, level: Some(level), .. } = kind {
                    self.judge.take(Change { square: *square, on: *level != 0 }, *made, arrived);
                }
            }
        }
        self.devices.take(event);
    }

    /// Prints a line for the person; nothing where a program reads.
    fn prompt(&self, line: std::fmt::Arguments<'_>) -> Result<()> {
        if self.json { Ok(()) } else { stdout::print_line(line) }
    }

    fn print(self) -> Result<ExitCode> {
        let steps = self.judge.results().to_vec();
        let right = steps.iter().filter(|it| it.right).count();
        let well = right == STEPS.len();
        let late_ms = steps.iter().filter_map(|it| it.late_ms).max();
        let node = self.devices.name(self.key);
        if self.json {
            let picture = self.devices.picture(self.key);
            let protocol = ConformProtocol {
                twinboard: env!("CARGO_PKG_VERSION"),
                kind: picture.map(|it| it.kind()).unwrap_or_default(),
                firmware: picture.map(|it| it.device.firmware.clone()).unwrap_or_default(),
                node,
                well,
                late_ms,
                steps,
            };
            stdout::print_line(serde_json::to_string_pretty(&protocol)?)?;
        } else {
            let late =
                late_ms.map(|ms| format!(", reports at most {ms} ms late")).unwrap_or_default();
            stdout::print_line(format_args!(
                "{node}: {right} of {} steps right{late}",
                STEPS.len()
            ))?;
            for it in steps.iter().filter(|it| !it.right) {
                stdout::print_line(format_args!("  {}: {}", it.step, words(it)))?;
            }
        }
        Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// A result for a person.
fn words(result: &StepResult) -> String {
    let mut words = match (result.right, result.reported.is_empty()) {
        (true, _) => "right".to_owned(),
        (false, true) => "nothing was reported".to_owned(),
        (false, false) => {
            format!("wrong: done was {}; reported was {}", result.expected, result.reported)
        }
    };
    if let Some(late_ms) = result.late_ms {
        words += &format!(", {late_ms} ms late at most");
    }
    if result.bounces > 0 {
        words += &format!(
            ", {} bounces of contacts: the node is to wait until they end",
            result.bounces
        );
    }
    words
}
