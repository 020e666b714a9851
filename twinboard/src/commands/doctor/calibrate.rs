//! A hall board learns again what its squares read without pieces: after it was moved, or when its report says that squares are near a threshold.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use hub::drivers::Output;
use proto::link::{CommandOutcome, CommandResult, Standing};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::line::PortEvent;
use super::probe::ProbeReport;
use super::{PortScan, found};
use crate::stdout;

/// Maximum time until the board has answered.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// A board whose last command is not known yet is asked again after this time.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// Calibrates the board `node`, on which nothing stands, or with `set_up` the start position.
pub(super) async fn calibrate(
    node: &str,
    set_up: bool,
    sight: &PortScan,
    stop: CancellationToken,
) -> Result<ExitCode> {
    let Some((devices, mut news)) = found(sight, true, &stop).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let key = devices.named(node)?;
    let standing = if set_up { Standing::SetUp } else { Standing::Nothing };
    let deadline = Instant::now() + ANSWER_MAX;
    let outcome = loop {
        devices.calibrate(key, standing);
        tokio::select! {
            answered = timeout_at(deadline, answer(&mut news, key.0)) => {
                break answered.ok().flatten().unwrap_or(CommandOutcome::Unanswered);
            }
            () = sleep(AGAIN_AFTER) => {}
            () = stop.cancelled() => return Ok(ExitCode::FAILURE),
        }
    };
    let name = devices.name(key);
    match refusal(outcome) {
        None => {
            let squares = if set_up { "ranks 3 to 6" } else { "all its squares" };
            stdout::print_line(format_args!("{name} has learnt {squares} without pieces"))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(why) => bail!("{name} has learnt nothing: {why}"),
    }
}

/// The answer to a command at a port.
async fn answer(news: &mut mpsc::Receiver<PortEvent>, port: usize) -> Option<CommandOutcome> {
    loop {
        let PortEvent { port: of, what, .. } = news.recv().await?;
        if let ProbeReport::Said(Output::Commanded { outcome, .. }) = what
            && of == port
        {
            return Some(outcome);
        }
    }
}

/// Why nothing was learnt, and what to do.
const fn refusal(outcome: CommandOutcome) -> Option<&'static str> {
    Some(match outcome {
        CommandOutcome::Answered(CommandResult::Done) => return None,
        CommandOutcome::Answered(CommandResult::Unsupported) => {
            "it is no board with hall sensors, and needs no calibration"
        }
        CommandOutcome::Answered(CommandResult::NotNow) => {
            "pieces seem to stand where none should: take all off, or set up the start position and add --set-up"
        }
        CommandOutcome::Answered(CommandResult::OutOfRange | CommandResult::NumberTaken)
        | CommandOutcome::Interrupted => "it was interrupted: try again",
        CommandOutcome::Unanswered => "it does not answer: check its cable, and stop the hub",
    })
}
