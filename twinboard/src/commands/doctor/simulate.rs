//! `twinboard doctor simulate`: a simulated board at a serial device, which plays the moves of [`super::conform`], or a whole table, whose hands do what
//! [`super::table`] asks for. For makers of boards and hubs: what a board that conforms says, byte for byte, and something to try a hub and the doctor
//! on before there is a board.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use proto::link::Side;
use rules::Square;
use sim::real_time::{Touch, Workbench, WorkbenchNode};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::conform::script::STEPS;
use crate::{files, stdout};

/// Time between two changes of one step.
const CHANGE_EVERY: Duration = Duration::from_millis(120);
/// Minimum pause between the moves of [`super::conform`].
const CONFORM_PAUSE_MIN: Duration = Duration::from_millis(500);
/// Nodes of a simulated table.
const BOARDS: [&str; 2] = ["board-a", "board-b"];
const CLOCKS: [&str; 2] = ["clock-a", "clock-b"];
/// Pause between two presses of both clocks.
const PRESS_EVERY: Duration = Duration::from_millis(700);

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
    let node = WorkbenchNode::Board { name: name.clone(), trays: false, faults: Vec::new() };
    let bench = Workbench::start(folder, vec![node], 1)?;
    stdout::print_line(format_args!(
        "a simulated board is at {}; it plays in {} s; Ctrl-C takes it away",
        path.display(),
        begin.as_secs()
    ))?;
    tokio::select! {
        played = play(&bench, &name, begin, pause.max(CONFORM_PAUSE_MIN)) => played?,
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

/// Puts a table into `folder`, and handles it again and again until it is stopped, after `begin` each time, with `pause` between the pieces.
pub(super) async fn simulate_table(
    folder: &Path,
    begin: Duration,
    pause: Duration,
    stop: CancellationToken,
) -> Result<ExitCode> {
    files::create_folder(folder)?;
    let boards = BOARDS.map(|name| WorkbenchNode::Board {
        name: name.to_owned(),
        trays: false,
        faults: Vec::new(),
    });
    let clocks = CLOCKS.map(|name| WorkbenchNode::Clock { name: name.to_owned() });
    let bench = Workbench::start(folder, boards.into_iter().chain(clocks).collect(), 1)?;
    stdout::print_line(format_args!(
        "a simulated table is in {}; its hands begin in {} s, and again each time they have ended; Ctrl-C takes it away",
        folder.display(),
        begin.as_secs()
    ))?;
    let hands = async {
        loop {
            sleep(begin).await;
            handle_table(&bench, pause).await?;
            stdout::print_line(format_args!("the hands have ended"))?;
        }
    };
    tokio::select! {
        ended = hands => ended,
        () = stop.cancelled() => Ok(ExitCode::SUCCESS),
    }
}

/// Moves every piece two ranks forward on both boards, presses both clocks together, and moves the pieces back.
async fn handle_table(bench: &Workbench, pause: Duration) -> Result<()> {
    let moves = || {
        let ranks = [(1, 3), (0, 2), (6, 4), (7, 5)];
        ranks
            .into_iter()
            .flat_map(|(from, to)| (0..8).map(move |file| (from * 8 + file, to * 8 + file)))
    };
    for (from, to) in moves() {
        carry(bench, Square::new(from), Square::new(to)).await?;
        sleep(pause).await;
    }
    for side in [Side::Black, Side::White, Side::Black, Side::White] {
        for clock in CLOCKS {
            bench.touch(clock, Touch::Lever(side)).await?;
        }
        sleep(PRESS_EVERY).await;
    }
    for clock in CLOCKS {
        bench.touch(clock, Touch::Stop).await?;
    }
    for (from, to) in moves().collect::<Vec<_>>().into_iter().rev() {
        carry(bench, Square::new(to), Square::new(from)).await?;
        sleep(pause).await;
    }
    Ok(())
}

/// Carries a piece on each board.
async fn carry(bench: &Workbench, from: Square, to: Square) -> Result<()> {
    for (square, on) in [(from, false), (to, true)] {
        for board in BOARDS {
            bench.touch(board, Touch::Square(square, on)).await?;
        }
        sleep(CHANGE_EVERY).await;
    }
    Ok(())
}
