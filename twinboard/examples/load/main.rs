//! Costs and times of a hall, measured at the release program over its sockets: `cargo xtask load`.
//!
//! Hubs, viewers, directors and what measures them share the processors of this machine with the program. Figures are printed and added to a
//! CSV file. To compare two states of the program, name both: they are measured in turn, part by part.

mod baseline;
mod feed;
mod figures;
mod hall;
mod hub;
mod lever;
mod machine;
mod mirror;
mod mosquitto;
mod pause;
mod peak;
mod program;
mod rows;
mod times;
mod viewers;

use std::{error::Error, path::PathBuf, time::Duration};

use clap::{Parser, ValueEnum};
use figures::Figures;

/// Result with any error.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Rows one by one, each way.
const ROWS: usize = 500;

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Part {
    /// Rows one by one, beside Mosquitto and the disk.
    Rows,
    /// From the levers of clocks to public pages, with simulated boards at four tables.
    Lever,
    /// The largest rate of stored rows, and twice that rate.
    Peak,
    /// Tables in play, without and with viewers and directors.
    Hall,
    /// The longest pause while everything is asked for.
    Pause,
    /// A planned restart in front of viewers.
    Restart,
    /// A web host that gets the pages, and a cut of its line.
    Mirror,
}

#[derive(Parser)]
struct Arguments {
    /// Parts to measure; all of them without any.
    parts: Vec<Part>,
    /// Tables in play.
    #[arg(long, default_value_t = 50)]
    tables: usize,
    /// Live streams.
    #[arg(long, default_value_t = 1_000)]
    streams: usize,
    /// Directors' phones.
    #[arg(long, default_value_t = 4)]
    directors: usize,
    /// Viewers are sent whole tables, in place of what has changed of them.
    #[arg(long)]
    whole_tables: bool,
    /// Duration of each measurement, seconds.
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// A name, `=` and the path of a program; the one that was built without any.
    #[arg(long = "program")]
    programs: Vec<String>,
    /// File to which figures are added.
    #[arg(long)]
    csv: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments = Arguments::parse();
    let parts = match arguments.parts.as_slice() {
        [] => Part::value_variants(),
        parts => parts,
    };
    let span = Duration::from_secs(arguments.seconds);
    let programs = programs(&arguments.programs)?;
    let sent = if arguments.whole_tables { "whole" } else { "patches" };
    for part in parts {
        for (name, binary) in &programs {
            let mut figures = Figures {
                file: arguments.csv.clone(),
                program: name.clone(),
                part: if arguments.whole_tables { "hall, whole tables" } else { "hall" },
                tables: arguments.tables,
                streams: arguments.streams,
                directors: arguments.directors,
            };
            let alone = |part, tables| Figures {
                part,
                tables,
                streams: 0,
                directors: 0,
                ..figures.clone()
            };
            match part {
                Part::Rows => rows::rows_one_by_one(binary, ROWS, &alone("rows", 1)).await?,
                Part::Lever => lever::to_public_event(binary, &alone("lever", 4)).await?,
                Part::Peak => peak::peak(binary, span, &alone("peak", 200)).await?,
                Part::Pause => pause::longest(binary, span, &alone("pause", 20)).await?,
                Part::Mirror => {
                    let tables = figures.tables;
                    mirror::mirrored(binary, span, &alone("mirror", tables)).await?;
                }
                Part::Hall => hall::in_play(binary, span, sent, &figures).await?,
                Part::Restart => {
                    figures.part = "restart";
                    hall::restarted(binary, sent, &figures).await?;
                }
            }
        }
    }
    Ok(())
}

/// The programs with their names. The built one is beside the folder of this.
fn programs(named: &[String]) -> Outcome<Vec<(String, PathBuf)>> {
    if named.is_empty() {
        let own = std::env::current_exe()?;
        let folder = own.parent().and_then(|examples| examples.parent());
        let built = folder.ok_or("this program is in no folder")?.join("twinboard");
        return Ok(vec![("built".to_owned(), built)]);
    }
    let of = |text: &String| {
        let (name, path) = text.split_once('=').ok_or("a program is NAME=PATH")?;
        Ok((name.to_owned(), PathBuf::from(path)))
    };
    named.iter().map(of).collect()
}
