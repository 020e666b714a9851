//! Tables without hardware: boards and clocks at serial devices, at which short matches are played once.
//!
//!     cargo run --package twinboard --example venue -- FOLDER [--tables N] [--plies N]
//!
//! prints a line for each node (table, board, kind, id, device) and `the hall is open`. After some seconds it plays, and prints what
//! happened: a line for each ply (table, board, UCI), then `the matches are over`. The nodes stay until its input ends.

use std::{io::BufRead as _, path::PathBuf, time::Duration};

use anyhow::Result;
use clap::Parser;
use readings::TruthLine;
use rules::{BoardId, Color, bpgn::BpgnGame};
use sim::real_time::{Hall, HallConfig, HallNodeKind};

/// Thinking time of players, and start time of their clocks.
const THINK_MS: i64 = 700;
const BASE_MS: i64 = 60_000;
/// From opening the hall to the first hand: a hub is set up and started meanwhile.
const LEAD_IN: Duration = Duration::from_secs(20);

#[derive(Parser)]
struct Arguments {
    /// Folder of the devices.
    folder: PathBuf,
    /// Number of tables.
    #[arg(long, default_value_t = 1)]
    tables: usize,
    /// Plies of each match.
    #[arg(long, default_value_t = 12)]
    plies: usize,
    /// The first table's game, of those that are shipped.
    #[arg(long, default_value_t = 0)]
    game: usize,
}

#[tokio::main]
async fn main() -> Result<()> {
    let Arguments { folder, tables, plies, game } = Arguments::parse();
    std::fs::create_dir_all(&folder)?;
    let long_enough = sim::games::shipped().into_iter().filter(|game| game.plies.len() > plies);
    let games: Vec<BpgnGame> =
        long_enough.skip(game).take(tables).map(|game| quick(game, plies)).collect();
    let hall = Hall::start(HallConfig {
        games,
        profile: sim::Profile::Ideal,
        trays: false,
        seed: 1,
        speed: 1.0,
        tables,
        device_folder: folder,
        lead_in: LEAD_IN,
    })?;
    for node in hall.nodes() {
        let kind = if node.kind == HallNodeKind::Board { "board" } else { "clock" };
        println!(
            "node {} {} {kind} {} {}",
            node.table,
            node.board,
            node.node_id,
            node.port.display()
        );
    }
    println!("base {}", hall.base_s());
    println!("the hall is open");
    hall.finished().await;
    for one in hall.matches() {
        for line in &one.truth {
            if let TruthLine::Ply(ply) = line {
                println!("ply {} {} {}", one.table, ply.board, ply.uci);
            }
        }
    }
    println!("the matches are over");
    // The nodes stay as long as somebody listens.
    tokio::task::spawn_blocking(|| std::io::stdin().lock().lines().for_each(drop)).await?;
    Ok(())
}

/// A game's beginning with a steady thinking time.
fn quick(mut game: BpgnGame, plies: usize) -> BpgnGame {
    game.plies.truncate(plies);
    game.ending = None;
    game.set_tag("TimeControl", &format!("{}+0", BASE_MS / 1000));
    for board in BoardId::ALL {
        for color in [Color::White, Color::Black] {
            let mut left_ms = BASE_MS;
            for ply in game.plies.iter_mut().filter(|ply| ply.board == board && ply.color == color)
            {
                left_ms -= THINK_MS + i64::try_from(board.index()).unwrap_or(0) * 53;
                ply.clock_ms = Some(left_ms);
            }
        }
    }
    game
}
