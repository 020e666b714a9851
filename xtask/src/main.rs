//! The project's own tasks, so that cargo and `cargo xtask` are the only entry points.
//!
//! Depends on the standard library alone: it must be built before anything can be said about what
//! a machine lacks, so it is built in seconds.

mod accuracy;
mod ahead;
mod campaigns;
mod cluster;
mod crate_picture;
mod crate_tests;
mod demo;
mod director;
mod dist;
mod image_compiler;
mod images;
mod load;
mod machines;
mod module_graph;
mod pages;
mod pictures;
mod prerequisite;
mod rule_numbers;
mod setup;
mod shells;
mod side_by_side;
mod sizes;
mod suite;
mod test;
mod three_directors;
mod tidy;
mod venue;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  demo [ARGUMENTS]       build the pages and the program, run `twinboard demo ARGUMENTS`; --release: all of it optimised; --cluster: before two owners and a front
  cluster SEEDS [JOBS]   kill, freeze and cut off owners, fronts, NATS and PostgreSQL under a match, by seeds such as 1..201;
                         `cluster histories N`: acts of three phones meanwhile, checked for linearizability
  test [SUITE …]         run every suite, or the named ones; lists what could not run and why; --list names them
  accuracy [ARGUMENTS]   measure how right the tracker is, write docs/accuracy.md; --help says more
  director [SEED ROUNDS] measure how many decisive moments the stream's automatic director shows; --detail lists it
  three-directors        have three phones in Chromium direct a round of eight tables, the adjudicator killed twice; --watch shows it
  championship           have an organiser run three rounds through the pages alone in Chromium, with mistakes and their corrections
  every-page             judge every page with axe-core at five widths, by day and by night, in an empty and in a played event
  link [ARGUMENTS]       put the serial link under fire: --runs N, --seeds A..B, or one --seed N with its log
  day [ARGUMENTS]        simulate days of a hall, and compare the records with the games played: --days N, --seed S, --read; --help has more
  hall [ARGUMENTS]       put the way from the hubs to the adjudicator under fire, with the same arguments
  load [PART …]          measure what a hall costs and how fast it is, at the release program; --help says more
  dist [MACHINE …]       what people install: tarball and .deb for aarch64 (the hub's Pi) and x86_64, tried out
  venue                  set a hall up from deploy/README.md, on three machines within this one (root, systemd, iproute2, curl)
  images [--figures]     build the firmware's images for microcontrollers, measure them; --help says more
  pages                  build the web pages into adjudicator/web/dist
  picture                draw crates and rooms into ARCHITECTURE.md
  pictures               take the pictures of the guides from a demonstration, into docs/pictures
  ahead                  build what later suites need, as `test` does beside the earlier ones
  tidy                   check what the compiler does not: module docs, stray paths, marks left behind, rule numbers";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let outcome = match task {
        "accuracy" => accuracy::run(rest),
        "championship" => three_directors::championship(),
        "every-page" => three_directors::every_page(),
        ahead::TASK => ahead::run(),
        "cluster" => cluster::chaos(rest),
        "demo" => demo::run(rest),
        "director" => director::run(rest),
        "dist" => dist::run(rest),
        "day" => campaigns::run(campaigns::DAY, rest),
        "hall" => campaigns::run(campaigns::HALL, rest),
        "link" => campaigns::run_link(rest),
        "images" => images::run(rest),
        "load" => load::run(rest),
        "test" => test::run(rest),
        "pages" => pages::build(),
        "picture" => crate_picture::run(),
        "pictures" => pictures::run(),
        "three-directors" => three_directors::run(rest),
        "tidy" => tidy::run(),
        "venue" => venue::run(),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("xtask: there is no task {other:?}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
