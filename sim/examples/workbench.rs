//! Nodes without hardware, to try `twinboard doctor` on: a board with broken switches and a clock, until Ctrl-C.
//!
//!     cargo run --package sim --example workbench -- FOLDER [--dead e4] [--stuck a5] [--chattering h1] [--trays] [--handled]
//!     twinboard doctor watch --ports 'FOLDER/*'

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, Result};
use clap::Parser;
use rules::Square;
use sim::{
    PlantedFault, Switch, SwitchFault,
    real_time::{Workbench, WorkbenchNode},
};

#[derive(Parser)]
struct Arguments {
    /// Where the devices appear.
    folder: PathBuf,
    /// Squares whose switch never closes.
    #[arg(long, num_args = 1..)]
    dead: Vec<Square>,
    /// Squares whose switch never opens.
    #[arg(long, num_args = 1..)]
    stuck: Vec<Square>,
    /// Squares whose switch opens again and again under a piece.
    #[arg(long, num_args = 1..)]
    chattering: Vec<Square>,
    /// The board has trays.
    #[arg(long)]
    trays: bool,
    /// After five seconds a hand lifts each piece and touches each place, and presses the clock.
    #[arg(long)]
    handled: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let Arguments { folder, dead, stuck, chattering, trays, handled } = Arguments::parse();
    std::fs::create_dir_all(&folder).context("the folder cannot be made")?;
    let kinds = [
        (dead, SwitchFault::Dead),
        (stuck, SwitchFault::Stuck),
        (chattering, SwitchFault::Chattering),
    ];
    let faults = kinds
        .into_iter()
        .flat_map(|(squares, fault)| {
            squares
                .into_iter()
                .map(move |square| PlantedFault { switch: Switch::Square(square), fault })
        })
        .collect();
    let hands = |step| handled.then_some((Duration::from_secs(5), Duration::from_millis(step)));
    let nodes = vec![
        WorkbenchNode::Board {
            name: "board-0000a001".to_owned(),
            trays,
            faults,
            handled: hands(220),
        },
        WorkbenchNode::Clock { name: "clock-0000c001".to_owned(), pressed: hands(2_000) },
    ];
    let bench = Workbench::start(&folder, nodes, 1)?;
    for port in bench.ports() {
        println!("{}", port.display());
    }
    tokio::signal::ctrl_c().await.context("cannot wait for Ctrl-C")
}
