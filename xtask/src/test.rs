//! Every suite of the project, those that mostly wait side by side, and a summary that hides nothing.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::{
    ahead::Ahead,
    campaigns, crate_tests, dist, images, machines, pages,
    prerequisite::Prerequisite,
    setup,
    side_by_side::{self, Task},
    suite::{Outcome, Suite},
    three_directors, tidy, venue,
    workspace::{self, TEST, cargo, execute, target},
};

const SUITES: &[Suite] = &[
    Suite {
        name: "tidy",
        about: "format and what the compiler does not check",
        needs: &[],
        uses: &[],
        run: check_tidy,
    },
    Suite {
        name: "licences",
        about: "licences, sources and banned crates of what is linked",
        needs: &[Prerequisite::Deny],
        uses: &[],
        run: check_licences,
    },
    Suite {
        name: "pages",
        about: "the web pages: build, types, unit tests",
        needs: &[Prerequisite::Node],
        uses: &[],
        run: pages::test,
    },
    Suite {
        name: "clippy",
        about: "lints over the whole workspace; that the fuzz targets compile",
        needs: &[Prerequisite::CppCompiler],
        uses: &[],
        run: check_clippy,
    },
    Suite {
        name: "crates",
        about: "every crate's own tests, where nothing but the toolchain can be found",
        needs: &[],
        uses: &[Prerequisite::Games],
        run: crate_tests::alone,
    },
    Suite {
        name: "programs",
        about: "the crates' tests that use other programs: Mosquitto, PostgreSQL, NATS, strace, python-chess, small disks",
        needs: &[],
        uses: &[
            Prerequisite::Mosquitto,
            Prerequisite::MountRights,
            Prerequisite::Nats,
            Prerequisite::Oracles,
            Prerequisite::Postgresql,
            Prerequisite::Strace,
        ],
        run: crate_tests::with_programs,
    },
    Suite {
        name: "firmware",
        about: "the node firmware, in its own workspace",
        needs: &[],
        uses: &[],
        run: test_firmware,
    },
    Suite {
        name: "hall",
        about: "thousands of runs of sensors, links, hubs, broker, adjudicator and store with all that befalls a hall",
        needs: &[],
        uses: &[],
        run: campaigns::test_hall,
    },
    Suite {
        name: "images",
        about: "the firmware's images for microcontrollers: built, within their limits, on the pins of the build guide",
        needs: &[Prerequisite::ImageCompiler],
        uses: &[],
        run: images::test,
    },
    Suite {
        name: "pico",
        about: "the Pico's images in an emulator of it: what they read, what they say over USB and UART, what time they need",
        needs: &[Prerequisite::ImageCompiler, Prerequisite::Node],
        uses: &[],
        run: images::test_on_emulated_pico,
    },
    Suite {
        name: "loop",
        about: "matches played into emulated Cortex-M3 and Cortex-M0 boards at a real hub, one of which loses its power",
        needs: &[Prerequisite::ImageCompiler, Prerequisite::BoardEmulator],
        uses: &[Prerequisite::Games],
        run: images::test_in_loop,
    },
    Suite {
        name: "oracles",
        about: "the rules' vectors are what three other programs say, python-chess opens the PGN that is written, and gacrux reads the reports",
        needs: &[Prerequisite::Oracles],
        uses: &[Prerequisite::Games],
        run: check_vectors,
    },
    Suite {
        name: "accuracy",
        about: "real matches with simulated hands, inferred and scored",
        needs: &[Prerequisite::Games],
        uses: &[],
        run: || end_to_end("real_matches"),
    },
    Suite {
        name: "chess-records",
        about: "real games of chess from readings to PGN files that python-chess finds as they were played; matches with illegal plies as records that it reads to the end",
        needs: &[Prerequisite::Games, Prerequisite::Oracles],
        uses: &[],
        run: || end_to_end("chess_records").and_then(|()| end_to_end("portable_records")),
    },
    Suite {
        name: "machines",
        about: "what is inferred is the same bit for bit, unoptimised and on the hub's processor",
        needs: &[Prerequisite::HubProcessor],
        uses: &[],
        run: machines::test,
    },
    Suite {
        name: "dist",
        about: "tarball and .deb for the hub's processor: packed, unpacked, run under emulation",
        needs: &[Prerequisite::HubProcessor, Prerequisite::ImageCompiler, Prerequisite::Node],
        uses: &[Prerequisite::Packager],
        run: dist::test,
    },
    Suite {
        name: "units",
        about: "what the package installs, started by systemd: as its users, under the units' restrictions, with every line of the examples in use",
        needs: &[Prerequisite::OwnMachine, Prerequisite::Packager],
        uses: &[],
        run: venue::test_units,
    },
    Suite {
        name: "browser",
        about: "the pages in Chromium, before a recorded hall and before a server that is killed; the directors' pages for everybody; hands put a position up; three directors' phones work a short round",
        needs: &[Prerequisite::Node, Prerequisite::Chromium],
        uses: &[],
        run: test_in_browser,
    },
    Suite {
        name: "demo",
        about: "the demonstration from its first line to Ctrl-C, its records beside the truth; five rounds at eight tables with a director",
        needs: &[],
        uses: &[],
        run: test_demo,
    },
    Suite {
        name: "games",
        about: "the shipped games of bughouse and chess, replayed by python-chess",
        needs: &[Prerequisite::Oracles],
        uses: &[],
        run: test_games,
    },
    Suite {
        name: "commands",
        about: "the commands on files, one after the other as people type them; each command line of the guide to files",
        needs: &[],
        uses: &[],
        run: || end_to_end("commands").and_then(|()| end_to_end("files")),
    },
    Suite {
        name: "doctor",
        about: "broken switches, planted in simulated boards, are found and named; the terminal is given back",
        needs: &[],
        uses: &[],
        run: || end_to_end("doctor"),
    },
    Suite {
        name: "hardware",
        about: "the build guide's drawings, templates, parts and computed figures are what their scripts make",
        needs: &[Prerequisite::Python],
        uses: &[],
        run: check_build_guide,
    },
    Suite {
        name: "boards",
        about: "matches at simulated boards of other makers give the same records as at our own, byte by byte",
        needs: &[],
        uses: &[],
        run: || end_to_end("boards"),
    },
    Suite {
        name: "bad-input",
        about: "the program refuses what is wrong, says what to do, and goes on with the rest",
        needs: &[],
        uses: &[],
        run: test_bad_input,
    },
    Suite {
        name: "restarts",
        about: "hub, adjudicator and broker are killed in the middle of three matches",
        needs: &[Prerequisite::Mosquitto],
        uses: &[],
        run: test_restarts,
    },
    Suite {
        name: "questions",
        about: "answers about a record make of it what they make at the desk",
        needs: &[],
        uses: &[],
        run: || end_to_end("questions"),
    },
    Suite {
        name: "operations",
        about: "a hall is copied while it runs, its journal is read, a copy is put back, its nodes are updated, a hub is set up from the box, and an event is rehearsed through its hubs",
        needs: &[],
        uses: &[],
        run: || end_to_end("operations").and_then(|()| end_to_end("rehearsal")),
    },
];

/// Suites that wait more than they compute: they run side by side, after the others, the longest first.
const WAITING: [&str; 4] = ["restarts", "doctor", "questions", "operations"];

/// Runs the suites named, or all; lists them for `--list`.
///
/// # Errors
///
/// A sentence when a name is unknown or a suite failed.
pub(crate) fn run(names: &[String]) -> Result<(), String> {
    if names == ["--list"] {
        for suite in SUITES {
            println!("{:<14} {}", suite.name, suite.about);
        }
        return Ok(());
    }
    if let Some(unknown) =
        names.iter().find(|name| !SUITES.iter().any(|suite| suite.name == **name))
    {
        let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
        return Err(format!("there is no suite {unknown:?}; the suites are {}", known.join(", ")));
    }
    let under_ci = std::env::var_os("CI").is_some();
    let chosen: Vec<&Suite> = SUITES
        .iter()
        .filter(|suite| names.is_empty() || names.iter().any(|name| name == suite.name))
        .collect();
    let wanted: Vec<Prerequisite> =
        chosen.iter().flat_map(|suite| suite.needs.iter().chain(suite.uses)).copied().collect();
    setup::prepare(&wanted);
    let _ahead = names.is_empty().then(Ahead::start);
    let begun = Instant::now();
    let mut results = Vec::new();
    let (waiting, computing): (Vec<&Suite>, Vec<&Suite>) =
        chosen.into_iter().partition(|suite| WAITING.contains(&suite.name));
    for suite in computing {
        println!("{}", heading(suite));
        let begun = Instant::now();
        let outcome = suite.outcome(under_ci);
        results.push(kept(suite.name, begun.elapsed(), outcome));
    }
    let mut tasks = Vec::new();
    for name in WAITING {
        let suite = waiting.iter().copied().find(|suite| suite.name == name);
        tasks.extend(suite.map(|suite| Task {
            name,
            heading: heading(suite),
            run: Box::new(move || suite.outcome(under_ci)),
        }));
    }
    side_by_side::run(tasks, |one| results.push(kept(one.name, one.took, one.outcome)))?;
    summarise(&results, begun.elapsed())
}

fn heading(suite: &Suite) -> String {
    format!("── {}: {}", suite.name, suite.about)
}

/// Keeps how a suite ended and how long it took.
fn kept(name: &'static str, took: Duration, outcome: Outcome) -> EndedSuite {
    let ended = EndedSuite { name, seconds: took.as_secs(), outcome };
    keep(&ended).unwrap_or_else(|error| println!("   {TIMES} cannot be written: {error}"));
    ended
}

/// A suite that has been run.
struct EndedSuite {
    name: &'static str,
    seconds: u64,
    outcome: Outcome,
}

/// File of the suites' times, below the target folder: a line for each suite of each run, so that a suite that grows is seen before the
/// whole takes too long.
const TIMES: &str = "suites.tsv";

/// Adds a line to the file of the times.
fn keep(ended: &EndedSuite) -> std::io::Result<()> {
    let path = target().join(TIMES);
    let is_new = !path.exists();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if is_new {
        writeln!(file, "unix_s\tsuite\toutcome\tseconds")?;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let outcome = match ended.outcome {
        Outcome::Passed { without: None } => "passed",
        Outcome::Passed { without: Some(_) } => "passed in part",
        Outcome::Failed(_) => "failed",
        Outcome::NotRun(_) => "not run",
    };
    writeln!(file, "{now}\t{}\t{outcome}\t{}", ended.name, ended.seconds)
}

fn summarise(results: &[EndedSuite], took: Duration) -> Result<(), String> {
    let (mut passed, mut failed, mut not_run) = (0, 0, 0);
    println!("\nsuites");
    for EndedSuite { name, seconds, outcome } in results {
        match outcome {
            Outcome::Passed { without: None } => {
                passed += 1;
                println!("  passed   {seconds:>4} s  {name}");
            }
            Outcome::Passed { without: Some(reason) } => {
                passed += 1;
                println!(
                    "  passed   {seconds:>4} s  {name}, but parts of it did not run: {reason}"
                );
            }
            Outcome::Failed(reason) => {
                failed += 1;
                println!("  FAILED   {seconds:>4} s  {name}: {reason}");
            }
            Outcome::NotRun(reason) => {
                not_run += 1;
                println!("  not run          {name}: {reason}");
            }
        }
    }
    println!(
        "{} s in all; the times of this run and of those before are in {}",
        took.as_secs(),
        target().join(TIMES).display()
    );
    println!("{passed} passed, {failed} failed, {not_run} skipped");
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} suites failed", results.len())) }
}

fn check_tidy() -> Result<(), String> {
    execute("", &cargo(), &["fmt", "--all", "--check"])?;
    tidy::run()
}

/// The workspaces, by their manifests.
const WORKSPACES: [&str; 4] = [
    "Cargo.toml",
    "node-firmware/Cargo.toml",
    "node-firmware/images/Cargo.toml",
    "node-firmware/images/esp32c3/Cargo.toml",
];

fn check_licences() -> Result<(), String> {
    for manifest in WORKSPACES {
        let given = ["--log-level", "error", "--locked", "--config", "deny.toml"];
        let wanted = ["check", "licenses", "bans", "sources"];
        let arguments = [&["--manifest-path", manifest], &given[..], &wanted[..]].concat();
        execute("", "cargo-deny", &arguments)?;
    }
    Ok(())
}

fn check_clippy() -> Result<(), String> {
    execute(
        "",
        &cargo(),
        &["clippy", "--locked", "--workspace", "--all-targets", "--", "--deny", "warnings"],
    )
}

fn test_bad_input() -> Result<(), String> {
    end_to_end("bad_input")
}

fn test_restarts() -> Result<(), String> {
    end_to_end("restarts")
}

fn test_firmware() -> Result<(), String> {
    let firmware = |arguments: &[&str]| execute("node-firmware", &cargo(), arguments);
    firmware(&["fmt", "--check"])?;
    firmware(&["clippy", "--locked", "--all-targets", "--", "--deny", "warnings"])?;
    firmware(&["test", "--locked"])?;
    // Fails when anything below the firmware needs an operating system.
    firmware(&[
        "build",
        "--locked",
        "--no-default-features",
        "--example",
        "freestanding",
        "--features",
        "freestanding",
    ])
}

/// The longest first: the short ones fill what is left of the time. Everything is built before, because two builds cannot run at once.
fn test_in_browser() -> Result<(), String> {
    pages::build()?;
    workspace::build_program()?;
    let tests = ["browser", "director_in_browser", "chess_in_browser"];
    let named: Vec<&str> = tests.iter().flat_map(|name| ["--test", name]).collect();
    execute("", &cargo(), &[&TEST[..], &["--no-run"], &named].concat())?;
    // Its players do not wait for directors whose browsers get no processor.
    let directors = three_directors::short();
    let others = side_by_side::check(&[
        ("pages in Chromium", pages::test_in_browser),
        ("pages for everybody", three_directors::pages_for_everybody),
        ("every page once", three_directors::every_page_once),
        ("director in browser", || end_to_end("director_in_browser")),
        ("browser", || end_to_end("browser")),
        ("chess in browser", || end_to_end("chess_in_browser")),
    ]);
    directors.and(others)
}

fn test_demo() -> Result<(), String> {
    end_to_end("demo")
}

/// A test of the workspace's own folder; what it could not run is told by what it prints.
fn end_to_end(name: &str) -> Result<(), String> {
    execute("", &cargo(), &[&TEST[..], &["--test", name, "--", "--nocapture"]].concat())
}

fn check_vectors() -> Result<(), String> {
    side_by_side::check(&[
        ("placements", || check_script("domain/rules/tests/vectors", PLACEMENTS)),
        ("chess vectors", || check_script("domain/rules/tests/vectors", CHESS)),
        ("swapped set-ups", || check_script("domain/rules/tests/vectors", SWAPPED)),
        ("rewritten chess", || check_script("domain/rules/tests/vectors", REWRITTEN)),
        ("standings", || {
            for script in ["make_standings.py", "make_fide_standings.py"] {
                check_script("domain/rules/tests/vectors", &[script, "--check"])?;
            }
            check_script("domain/event/tests", &["check_reports.py"])
        }),
    ])
}

/// The other parts take minutes; these two hold mates, blockable checks and castling with a swapped set-up.
const PLACEMENTS: &[&str] = &["make_vectors.py", "--check", "--only", "placements"];
const SWAPPED: &[&str] = &["make_vectors.py", "--check", "--only", "swapped"];
const CHESS: &[&str] = &["make_chess_vectors.py", "--check"];
const REWRITTEN: &[&str] = &["make_chess_vectors.py", "--rewritten"];

fn check_script(folder: &str, script: &[&str]) -> Result<(), String> {
    execute(folder, "python3", script)
}

fn check_build_guide() -> Result<(), String> {
    for script in ["drawings.py", "templates.py", "parts.py", "electrics.py"] {
        execute("docs/hardware", "python3", &[script, "--check"])?;
    }
    Ok(())
}

fn test_games() -> Result<(), String> {
    execute("sim/games", "python3", &["make_games.py", "--check", "."])?;
    execute("sim/games", "python3", &["-m", "unittest", "--quiet", "test_chess_statistics"])?;
    execute("sim/games", "python3", &["make_chess_games.py", "--check", ".", "--complete"])
}
