//! `twinboard doctor`: what is at the serial ports and how it is; a live view, a guided check, and places and names for nodes. For people who set up a hall, over ssh as well. A device is read through the hub's own drivers, without a journal.

mod bind;
mod calibrate;
mod check;
mod conform;
mod devices;
mod examination;
mod line;
mod list;
mod live;
mod picture;
mod ports;
mod probe;
mod release;
mod screen;
mod sensor;
mod simulate;
mod table;
#[cfg(test)]
mod tests;
mod verdict;
mod zero;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use hub::config::{Config, NodeKind};
use indicatif::ProgressBar;
use rules::BoardId;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::bind::{Binding, NodePlace};
use self::devices::Devices;
use self::line::PortEvent;
use self::list::Listing;
use self::live::{BLINK_S, Live};
use self::verdict::{Report, Verdict};
use crate::{shell, stdout};

/// Places of a hub's configuration if none is named.
const USUAL_CONFIGS: [&str; 2] = ["hub.toml", "/etc/twinboard/hub.toml"];
/// Before the port is closed again the wish to blink must have left it.
const BLINK_SENT: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<DoctorTask>,
    #[command(flatten)]
    sight: PortScan,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// Ports to examine.
#[derive(clap::Args, Clone)]
pub(crate) struct PortScan {
    /// Ports to look at; `*` stands for any characters. Without it those where the hub of the configuration looks, and without
    /// a configuration /dev/serial/by-id/*, /dev/ttyACM* and /dev/ttyUSB*.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    ports: Vec<String>,
    /// The hub's configuration, for places and labels; without it hub.toml or /etc/twinboard/hub.toml, if there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum DoctorTask {
    /// Show a device live: squares, trays, clock, counters, unrest. Without a name all, one after the other with Tab.
    Watch {
        /// Node id, label or port.
        #[arg(value_name = "PORT|NODE")]
        device: Option<String>,
        #[command(flatten)]
        sight: PortScan,
    },
    /// Check boards and clocks, guided, and report what is dead, stuck, chattering or weak. Ends with 0 if all is well, else with 1.
    #[command(long_about = check::HELP)]
    Check {
        /// Node ids, labels or ports; without any, all that are found.
        #[arg(value_name = "NODE")]
        nodes: Vec<String>,
        /// Ask for nothing; watch the pieces in the start position for these seconds.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=600))]
        seconds: Option<u32>,
        /// Print the report as JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        sight: PortScan,
    },
    /// Test a whole table by hand, in about two minutes: each square, slot, button and display, and the zero test of its clocks. Ends with a
    /// protocol, and with 0 if the table is in order.
    #[command(long_about = table::HELP)]
    Table(table::TableOptions),
    /// Give a node its place in the hub's configuration; its light blinks, so that it is seen which one it is.
    Bind {
        /// The node's id.
        node: String,
        /// The table's name.
        table: String,
        /// A or B.
        board: BoardId,
        /// The node of the place: board or clock.
        kind: NodeKindName,
        /// A short name for people, shown in lists and messages.
        #[arg(long)]
        label: Option<String>,
        /// Take it from the place it has.
        #[arg(long = "move")]
        moving: bool,
        #[command(flatten)]
        sight: PortScan,
    },
    /// Give a node that has a place a short name for people; an empty one takes it away.
    Label {
        /// The node's id.
        node: String,
        /// The name, such as "12 A".
        label: String,
        #[command(flatten)]
        sight: PortScan,
    },
    /// Let a board with hall sensors learn again what its squares read without pieces: take all pieces off first.
    Calibrate {
        /// Node id, label or port.
        node: String,
        /// The start position stands on it: ranks 3 to 6 are learnt.
        #[arg(long)]
        set_up: bool,
        #[command(flatten)]
        sight: PortScan,
    },
    /// Play thirteen moves at a board, guided, for its maker: what it reported of each, whether that is what was done, and how late. Ends with 0
    /// if every step was right.
    Conform {
        /// Node id, label or port; not needed if there is one board.
        #[arg(value_name = "PORT|NODE")]
        board: Option<String>,
        /// Print the protocol as JSON, and ask for nothing.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        sight: PortScan,
    },
    /// Put a simulated board at a serial device, which plays the moves of `conform`, or a whole table, whose hands do what `table` asks for: for
    /// makers of boards and hubs, and to learn these commands.
    Simulate {
        /// The device to make; its file name is the board's node id. With --table the folder of the devices.
        #[arg(value_name = "PATH")]
        path: PathBuf,
        /// Two boards and two clocks, again and again until it is stopped.
        #[arg(long)]
        table: bool,
        /// Seconds until it plays.
        #[arg(long, value_name = "N", default_value_t = 5)]
        begin_s: u64,
        /// Pause between two steps, ms; at least 500 between the moves of `conform`.
        #[arg(long, value_name = "N", default_value_t = 1_500, value_parser = clap::value_parser!(u64).range(50..=600_000))]
        pause_ms: u64,
    },
    /// Let a node's light blink for ten seconds, so that a person finds it.
    Blink {
        /// Node id, label or port.
        node: String,
        #[command(flatten)]
        sight: PortScan,
    },
}

/// A kind of node, as a person types it.
#[derive(Clone, Copy, clap::ValueEnum)]
enum NodeKindName {
    Board,
    Clock,
}

/// Runs the command; the code says whether all is well.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.what {
        None => shell_with(|stop| list(&arguments.sight, arguments.json, stop)),
        Some(DoctorTask::Watch { device, sight }) => {
            shell_with(|stop| watch(device.as_deref(), sight, stop))
        }
        Some(DoctorTask::Check { nodes, seconds, json, sight }) => {
            shell_with(|stop| check(nodes, *seconds, *json, sight, stop))
        }
        Some(DoctorTask::Table(table::TableOptions { table, json, protocol, sight })) => {
            shell_with(|stop| {
                table::table(table.as_deref(), *json, protocol.as_deref(), sight, stop)
            })
        }
        Some(DoctorTask::Bind { node, table, board, kind, label, moving, sight }) => {
            let kind = match kind {
                NodeKindName::Board => NodeKind::Board,
                NodeKindName::Clock => NodeKind::Clock,
            };
            let place = NodePlace { table: table.clone(), board: *board, kind };
            let binding = Binding {
                node: node.clone(),
                place,
                label: label.clone(),
                device: None,
                port: None,
                moving: *moving,
            };
            shell_with(|stop| bind(binding, sight, stop))
        }
        Some(DoctorTask::Label { node, label, sight }) => {
            let file = configuration(sight)?;
            let text = read(&file)?;
            bind::replace(&file, &bind::labelled(&file, &text, node, label)?)?;
            stdout::print_line(format_args!(
                "{node} is \"{label}\" in {}; restart the hub",
                file.display()
            ))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(DoctorTask::Calibrate { node, set_up, sight }) => {
            shell_with(|stop| calibrate::calibrate(node, *set_up, sight, stop))
        }
        Some(DoctorTask::Conform { board, json, sight }) => {
            shell_with(|stop| conform::conform(board.as_deref(), *json, sight, stop))
        }
        Some(DoctorTask::Simulate { path, table, begin_s, pause_ms }) => {
            let [begin, pause] = [begin_s * 1_000, *pause_ms].map(Duration::from_millis);
            match table {
                true => shell_with(|stop| simulate::simulate_table(path, begin, pause, stop)),
                false => shell_with(|stop| simulate::simulate(path, begin, pause, stop)),
            }
        }
        Some(DoctorTask::Blink { node, sight }) => shell_with(|stop| blink(node, sight, stop)),
    }
}

/// Runs a command until it ends or a signal asks it to.
fn shell_with<Main, F>(main: Main) -> Result<ExitCode>
where
    Main: FnOnce(CancellationToken) -> F,
    F: Future<Output = Result<ExitCode>>,
{
    let mut code = ExitCode::SUCCESS;
    shell::run(|stop| {
        let work = main(stop);
        async {
            code = work.await?;
            Ok(())
        }
    })?;
    Ok(code)
}

async fn list(sight: &PortScan, json: bool, stop: CancellationToken) -> Result<ExitCode> {
    let Some((devices, _)) = found(sight, false, &stop).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let listing = Listing::of(&devices);
    if json {
        stdout::print_line(serde_json::to_string_pretty(&listing)?)?;
    } else {
        stdout::print(listing.text(&ports::patterns(&sight.ports, devices.config())))?;
    }
    Ok(if listing.is_well() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A node that answers at a port.
pub(crate) struct Answering {
    /// The port's path.
    pub(crate) port: PathBuf,
    /// Its id, with its label if it has one.
    pub(crate) name: String,
    /// Its kind, for people.
    pub(crate) kind: String,
    /// Whether it is a clock.
    pub(crate) is_clock: bool,
    /// The version of its firmware.
    pub(crate) firmware: String,
    /// The image that it runs, if it reports one.
    pub(crate) image: Option<String>,
    /// The place that the configuration gives it.
    pub(crate) place: Option<String>,
}

/// The ports that there are, where a person wants them looked for.
pub(crate) fn ports(sight: &PortScan) -> Vec<PathBuf> {
    ports::find(&sight.ports, usual_config(sight).ok().flatten().as_ref())
}

/// The first node that answers at one of these ports; none if nothing does.
///
/// # Errors
///
/// The configuration cannot be read.
pub(crate) fn answering(sight: &PortScan, at: Vec<PathBuf>) -> Result<Option<Answering>> {
    let config = usual_config(sight)?;
    let mut found = None;
    shell::run(|stop| {
        let found = &mut found;
        async move {
            let (mut devices, mut news) = Devices::look(at, config, false);
            tokio::select! {
                () = list::listen(&mut devices, &mut news) => {}
                () = stop.cancelled() => {}
            }
            *found = devices.keys().first().and_then(|key| devices.answering(*key));
            Ok(())
        }
    })?;
    Ok(found)
}

async fn watch(
    device: Option<&str>,
    sight: &PortScan,
    stop: CancellationToken,
) -> Result<ExitCode> {
    if !std::io::stdout().is_terminal() {
        bail!(
            "the live view needs a terminal: use `twinboard doctor check --seconds 10 --json` in programs"
        );
    }
    let (devices, mut news) = look(sight, true)?;
    some_ports(&devices, sight)?;
    let mut live = Live::watching(devices, device.map(str::to_owned).into_iter().collect());
    // The view blocks its thread; the lines run on the others.
    tokio::task::block_in_place(|| live.run(&mut news, &stop))?;
    Ok(ExitCode::SUCCESS)
}

async fn check(
    nodes: &[String],
    seconds: Option<u32>,
    json: bool,
    sight: &PortScan,
    stop: CancellationToken,
) -> Result<ExitCode> {
    let guided = seconds.is_none();
    if guided {
        needs_terminal(
            "the guided check needs a terminal: say --seconds N to judge what is seen without asking",
        )?;
    }
    let (mut devices, mut news) = look(sight, true)?;
    some_ports(&devices, sight)?;
    let reports = if let Some(seconds) = seconds {
        let bar = ProgressBar::new(u64::from(seconds) * 10).with_message("looking");
        let looked = check::look(&mut devices, &mut news, seconds, || bar.inc(1));
        tokio::select! {
            looked = looked => looked?,
            () = stop.cancelled() => {}
        }
        bar.finish_and_clear();
        check::watched(&devices, nodes)?
    } else {
        let mut live = Live::checking(devices, nodes.to_vec());
        tokio::task::block_in_place(|| live.run(&mut news, &stop))?;
        check::handled(&live, nodes)?
    };
    print_reports(&reports, json)
}

fn print_reports(reports: &[Report], json: bool) -> Result<ExitCode> {
    let well = reports.iter().all(|report| report.verdict == Verdict::Well);
    if json {
        let answer = serde_json::json!({
            "twinboard": env!("CARGO_PKG_VERSION"), "well": well, "reports": reports,
        });
        stdout::print_line(serde_json::to_string_pretty(&answer)?)?;
    } else {
        for report in reports {
            stdout::print(report.text())?;
        }
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn bind(mut binding: Binding, sight: &PortScan, stop: CancellationToken) -> Result<ExitCode> {
    let file = configuration(sight)?;
    let text = read(&file)?;
    let Some((devices, _news)) = found(sight, false, &stop).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let found = devices.find(&binding.node);
    if let Some(key) = found
        && let Some(picture) = devices.picture(key)
    {
        let fits = match binding.place.kind {
            NodeKind::Board => picture.is_board(),
            NodeKind::Clock => picture.device.clock,
        };
        if !fits {
            bail!("{} is no {}: it is {}", binding.node, binding.place.kind, picture.kind());
        }
        binding.device = Some(picture.device.clone());
        binding.port = Some(devices.ports[key.0].path.display().to_string());
        devices.blink(key, BLINK_S);
    }
    let (text, done) = bind::bound(&file, &text, &binding)?;
    bind::replace(&file, &text)?;
    stdout::print_line(format_args!("{done}, in {}", file.display()))?;
    match found {
        Some(_) => {
            stdout::print_line(format_args!(
                "its light blinks for {BLINK_S} s; restart the hub to use the new place"
            ))?;
            tokio::time::sleep(BLINK_SENT).await;
        }
        None => stdout::print_line(
            "it is at no port now, so what it is was not compared; restart the hub to use the new place",
        )?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn blink(node: &str, sight: &PortScan, stop: CancellationToken) -> Result<ExitCode> {
    let Some((devices, _news)) = found(sight, false, &stop).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let key = devices.named(node)?;
    devices.blink(key, BLINK_S);
    tokio::time::sleep(BLINK_SENT).await;
    stdout::print_line(format_args!("{} blinks for {BLINK_S} s", devices.name(key)))?;
    Ok(ExitCode::SUCCESS)
}

/// The named configuration, or the usual one; none if there is none or the usual one is wrong, which is printed.
fn usual_config(sight: &PortScan) -> Result<Option<Config>> {
    if let Some(file) = &sight.config {
        return Ok(Some(Config::load(file)?));
    }
    let usual = USUAL_CONFIGS.iter().map(Path::new).find(|file| file.is_file());
    Ok(usual.and_then(|file| {
        let refused = |error| eprintln!("twinboard: places are not shown: {error}");
        Config::load(file).map_err(refused).ok()
    }))
}

/// Begins to look at the ports that were asked for.
fn look(sight: &PortScan, readings: bool) -> Result<(Devices, mpsc::Receiver<PortEvent>)> {
    let config = usual_config(sight)?;
    Ok(Devices::look(ports::find(&sight.ports, config.as_ref()), config, readings))
}

/// The devices at the ports that were asked for, once each port has a result; none after a signal.
async fn found(
    sight: &PortScan,
    readings: bool,
    stop: &CancellationToken,
) -> Result<Option<(Devices, mpsc::Receiver<PortEvent>)>> {
    let (mut devices, mut news) = look(sight, readings)?;
    tokio::select! {
        () = list::listen(&mut devices, &mut news) => Ok(Some((devices, news))),
        () = stop.cancelled() => Ok(None),
    }
}

/// Refuses a guided command outside of a terminal.
fn needs_terminal(otherwise: &str) -> Result<()> {
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        bail!("{otherwise}");
    }
    Ok(())
}

fn some_ports(devices: &Devices, sight: &PortScan) -> Result<()> {
    if devices.ports.is_empty() {
        bail!(
            "no serial port is here (looked at {}): plug a node in, and try another cable (many only charge)",
            ports::patterns(&sight.ports, devices.config()).join(", ")
        );
    }
    Ok(())
}

/// The configuration that is to be changed.
fn configuration(sight: &PortScan) -> Result<PathBuf> {
    if let Some(file) = &sight.config {
        return Ok(file.clone());
    }
    let usual = USUAL_CONFIGS.iter().map(PathBuf::from).find(|file| file.is_file());
    usual.context("say which configuration is to be changed: --config hub.toml")
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}
