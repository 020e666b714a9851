//! `twinboard doctor table`: all nodes of a table checked by hand, at once, with a protocol: each square, slot, button and display, and the zero test
//! of the clocks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime};

use anyhow::{Result, bail};
use hub::config::Config;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::check::handled;
use super::devices::{Devices, ExpectedNode, all_given};
use super::live::Live;
use super::verdict::{Report, Verdict};
use super::zero::ZeroResult;
use super::{PortScan, found};
use crate::{files, stdout};

/// Help of the command.
pub(super) const HELP: &str = "\
Test a whole table by hand, in about two minutes, and print a protocol.

1. Set up the start position on both boards.
2. Move every piece two ranks forward, also the eight behind: then each square was seen with a piece and without. Trays: a piece into each \
slot and out.
3. Compare the displays of each clock with the times on the screen: y = they show them, n = they do not, s = there are none.
4. Press both clocks at the same moment, a hand at each: Black's sides, White's, and both again. The difference of the two times is the zero \
test: it finds a clock whose line is late by a constant.
5. Lay each clock on its side; s where there is no tilt switch. Then q for the protocol.

The order is a proposal. Keys as in `check`. Stop the hub first, and start it afterwards.";

/// The protocol of a table.
#[derive(Debug, Serialize)]
struct TableProtocol {
    /// This program's version.
    twinboard: &'static str,
    /// The table's name; none without a configuration.
    table: Option<String>,
    /// Time of the test, UTC.
    tested_at: String,
    /// Its duration.
    seconds: u64,
    /// Whether everything was tested and is in order.
    well: bool,
    reports: Vec<Report>,
    /// Nodes of the table that are at no port.
    missing: Vec<String>,
    /// The zero test, and the two clocks' names; none at a table without two clocks.
    zero_test: Option<(ZeroResult, [String; 2])>,
    /// Parts of the table that this test does not reach.
    untested: Vec<String>,
}

/// Tests the table `name`, or the only one of the configuration, or all nodes that are found where there is none.
pub(super) async fn table(
    name: Option<&str>,
    json: bool,
    into: Option<&Path>,
    sight: &PortScan,
    stop: CancellationToken,
) -> Result<ExitCode> {
    super::needs_terminal("a table is tested by hand, and that needs a terminal")?;
    let Some((devices, mut news)) = found(sight, true, &stop).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let name = chosen(devices.config(), name)?;
    let expected = name.as_deref().map_or(Vec::new(), |name| expected(&devices, name));
    let (present, missing): (Vec<_>, Vec<_>) =
        expected.into_iter().partition(|it| devices.find(&it.node.id).is_some());
    let wanted: Vec<String> = present.into_iter().map(|it| it.node.id).collect();
    if wanted.is_empty() && (name.is_some() || devices.keys().is_empty()) {
        bail!("no node of this table answers: `twinboard doctor` says what is at each port");
    }
    let untested = untested(devices.config(), name.as_deref());
    let mut live = Live::testing_table(devices, wanted.clone());
    let begun = Instant::now();
    tokio::task::block_in_place(|| live.run(&mut news, &stop))?;
    let reports = handled(&live, &wanted)?;
    let zero_test = live.zero_test();
    let well = missing.is_empty()
        && reports.iter().all(|report| report.verdict == Verdict::Well)
        && zero_test.as_ref().is_none_or(|(result, _)| result.well);
    let protocol = TableProtocol {
        twinboard: env!("CARGO_PKG_VERSION"),
        table: name,
        tested_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seconds: begun.elapsed().as_secs(),
        well,
        reports,
        missing: missing.iter().map(|it| format!("{} ({})", it.node.id, it.words())).collect(),
        zero_test,
        untested,
    };
    let text = if json { serde_json::to_string_pretty(&protocol)? + "\n" } else { protocol.text() };
    stdout::print(&text)?;
    if let Some(path) = into {
        files::write(path, text.as_bytes())?;
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The table that is meant.
fn chosen(config: Option<&Config>, name: Option<&str>) -> Result<Option<String>> {
    let names: Vec<&str> =
        config.iter().flat_map(|it| &it.tables).map(|table| table.name.as_str()).collect();
    match (name, &names[..]) {
        (Some(name), names) if names.contains(&name) => Ok(Some(name.to_owned())),
        (Some(name), []) => {
            bail!("no configuration was found that has a table {name:?}: name it with --config")
        }
        (Some(name), names) => {
            bail!("the configuration has no table {name:?}: it has {}", names.join(", "))
        }
        (None, []) => Ok(None),
        (None, [name]) => Ok(Some((*name).to_owned())),
        (None, names) => bail!("name one of the tables {}", names.join(", ")),
    }
}

fn expected(devices: &Devices, table: &str) -> Vec<ExpectedNode> {
    devices.config().into_iter().flat_map(all_given).filter(|it| it.table == table).collect()
}

/// Parts of a table that are no nodes.
fn untested(config: Option<&Config>, name: Option<&str>) -> Vec<String> {
    let table = config.into_iter().flat_map(|it| &it.tables).find(|it| Some(&*it.name) == name);
    let levers = table.is_some_and(|it| !it.levers.is_empty());
    levers
        .then(|| "levers at the hub's own pins: press each while the hub runs, and look at the table's page".to_owned())
        .into_iter()
        .collect()
}

impl TableProtocol {
    /// The protocol as people read it.
    fn text(&self) -> String {
        let TableProtocol { twinboard, tested_at, seconds, .. } = self;
        let name =
            self.table.as_ref().map_or_else(|| "Table".to_owned(), |it| format!("Table {it}"));
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        let mut text = format!(
            "{name}: tested at {tested_at} in {minutes}:{seconds:02} with twinboard {twinboard}\n\n"
        );
        for report in &self.reports {
            text += &report.text();
        }
        for missing in &self.missing {
            // Writing to a string cannot fail.
            let _ =
                writeln!(text, "missing: {missing}\n  → plug it in, or correct the configuration");
        }
        if let Some((result, clocks)) = &self.zero_test {
            text += &result.text(clocks);
        }
        for part in &self.untested {
            let _ = writeln!(text, "not tested: {part}");
        }
        let verdict = if self.well { "in order" } else { "NOT in order" };
        let _ =
            writeln!(text, "\n{name} is {verdict}.\n\nTested by: ______________________________");
        text
    }
}

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct TableOptions {
    /// The table's name in the configuration; not needed if there is one.
    #[arg(value_name = "TABLE")]
    pub(super) table: Option<String>,
    /// Print the protocol as JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Write the protocol into this file too, to print it on paper.
    #[arg(long, value_name = "FILE")]
    pub(super) protocol: Option<PathBuf>,
    #[command(flatten)]
    pub(super) sight: PortScan,
}
