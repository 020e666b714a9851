//! `twinboard doctor simulate`: a simulated board at a serial device, which plays the moves of [`super::conform`]. For makers of boards and hubs: what a
//! board that conforms says, byte for byte, and something to try a hub on before there is a board.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use sim::real_time::{Touch, Workbench, WorkbenchNode};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::conform::script::STEPS;
use crate::stdout;

/// Time between two changes of one step.
const CHANGE_EVERY: Duration = Duration::from_millis(120);

/// Puts a board at `path`, whose file name is its node id, and plays after `begin`, with `pause` between steps; then holds the board until it is stopped.
pub(super) async fn simulate(
    path: &Path,
    begin: Duration,
    pause: Duration,
    stop: CancellationToken,
) -> Result<ExitCode> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.context("name the device with a file name, such as ./board-1")?.to_owned();
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let node = WorkbenchNode::Board {
        name: name.clone(),
        trays: false,
        faults: Vec::new(),
        handled: None,
    };
    let bench = Workbench::start(folder, vec![node], 1)?;
    stdout::print_line(format_args!(
        "a simulated board is at {}; it plays in {} s; Ctrl-C takes it away",
        path.display(),
        begin.as_secs()
    ))?;
    tokio::select! {
        played = play(&bench, &name, begin, pause) => played?,
        () = stop.cancelled() => return Ok(ExitCode::SUCCESS),
    }
    stdout::print_line(format_args!("all moves are played"))?;
    stop.cancelled().await;
    Ok(ExitCode::SUCCESS)
}

async fn play(bench: &Workbench, name: &str, begin: Duration, pause: Duration) -> Result<()> {
    sleep(begin).await;
    for step in STEPS {
        stdout::print_line(format_args!("{}: {}", step.name, step.how))?;
        for change in step.changes() {
            bench.touch(name, Touch::Square(change.square, change.on)).await?;
            sleep(CHANGE_EVERY).await;
        }
        sleep(pause).await;
    }
    Ok(())
}
