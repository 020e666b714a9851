//! `twinboard journal`: what a hub's journal holds. A journal is the evidence of its matches, and what is left of them
//! when an adjudicator's database is lost.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Subcommand;
use hub::journal::{MatchTrace, Reader, SentRow, Survey};
use prost::Message as _;
use proto::mqtt::message::{Row, row::Event};
use serde_json::json;

use crate::{files, shell, stdout};

/// Rows read at a time.
const PAGE: usize = 500;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The journal, as hub.journal names it. A hub may be writing it.
    file: PathBuf,
    #[command(subcommand)]
    what: JournalTask,
}

#[derive(Subcommand)]
enum JournalTask {
    /// Boots with their rows, and matches.
    List,
    /// The trace of a match, as `twinboard infer` reads it.
    Trace {
        /// The match, as `list` names it.
        #[arg(value_name = "MATCH")]
        match_id: String,
        /// The file to write; without it, standard output.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Facts about a match from people, as `twinboard infer --facts` reads them.
    Facts {
        /// The match, as `list` names it.
        #[arg(value_name = "MATCH")]
        match_id: String,
    },
    /// The rows for the adjudicator, one line of JSON each.
    Rows {
        /// Only those that no adjudicator has acknowledged.
        #[arg(long)]
        waiting: bool,
    },
}

/// Reads the journal; nothing in it changes.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let file = arguments.file.clone();
    if !file.is_file() {
        bail!("there is no journal {}", file.display());
    }
    match &arguments.what {
        JournalTask::List => shell::run(|_| async move {
            let survey = Reader::open(&file).await?.survey().await?;
            stdout::print(listed(&survey))
        }),
        JournalTask::Trace { match_id, out } => {
            let (match_id, out) = (match_id.clone(), out.clone());
            shell::run(|_| async move { trace(&file, &match_id, out.as_deref()).await })
        }
        JournalTask::Facts { match_id } => {
            let match_id = match_id.clone();
            shell::run(|_| async move { facts(&file, &match_id).await })
        }
        JournalTask::Rows { waiting } => {
            let waiting = *waiting;
            shell::run(|_| async move { rows(&file, waiting).await })
        }
    }
}

fn listed(survey: &Survey) -> String {
    let mut text = format!("journal of {}\n\n", survey.hub_id);
    text += "boot              rows    waiting  sequences\n";
    for boot in &survey.boots {
        let (first, last) = boot.sequences;
        text += &format!(
            "{:<16}  {:<6}  {:<7}  {first} to {last}\n",
            boot.boot_id, boot.rows, boot.waiting
        );
    }
    text += "\nmatch                                     table     readings  state\n";
    for game in &survey.matches {
        let state = if game.ended { "over" } else { "open" };
        text +=
            &format!("{:<40}  {:<8}  {:<8}  {state}\n", game.match_id, game.table, game.readings);
    }
    text
}

async fn trace(file: &Path, match_id: &str, out: Option<&Path>) -> Result<()> {
    let reader = Reader::open(file).await?;
    let survey = reader.survey().await?;
    let Some(MatchTrace { header, readings, .. }) = reader.trace(match_id).await? else {
        return Err(no_match(file, match_id, &survey));
    };
    let mut text = serde_json::to_string(&header)?;
    for reading in &readings {
        text.push('\n');
        text += &serde_json::to_string(reading)?;
    }
    text.push('\n');
    match out {
        Some(out) => files::write(out, text.as_bytes()),
        None => stdout::print(text),
    }
}

async fn facts(file: &Path, match_id: &str) -> Result<()> {
    let reader = Reader::open(file).await?;
    let survey = reader.survey().await?;
    if !survey.matches.iter().any(|one| one.match_id == match_id) {
        return Err(no_match(file, match_id, &survey));
    }
    for (_, line) in reader.facts(match_id).await?.lines {
        stdout::print_line(line)?;
    }
    Ok(())
}

fn no_match(file: &Path, match_id: &str, survey: &Survey) -> anyhow::Error {
    let known: Vec<&str> = survey.matches.iter().map(|one| one.match_id.as_str()).collect();
    anyhow!("{} has no match {match_id:?}; it has: {}", file.display(), known.join(", "))
}

async fn rows(file: &Path, waiting: bool) -> Result<()> {
    let reader = Reader::open(file).await?;
    reader.survey().await?;
    let mut after = 0;
    loop {
        let page = reader.sent_rows_after(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.row.row_id;
        for sent in page.iter().filter(|sent| !(waiting && sent.acknowledged)) {
            stdout::print_line(row_line(sent))?;
        }
    }
}

/// One row as JSON. A row that cannot be decoded is written as far as it can be told.
fn row_line(sent: &SentRow) -> serde_json::Value {
    let SentRow { row, acknowledged } = sent;
    let (boot, sequence) = (row.boot_id, row.sequence);
    let mut line = json!({ "boot": boot, "sequence": sequence, "acknowledged": acknowledged });
    match Row::decode(row.body.as_slice()) {
        Ok(decoded) => {
            let (event, match_id) = decoded.event.as_ref().map_or(("unknown", None), named);
            line["hub_time_us"] = json!(decoded.hub_time_us);
            line["table"] = json!(decoded.table);
            line["event"] = json!(event);
            line["match"] = json!(match_id);
            if let Some(Event::PlyReported(ply)) = &decoded.event {
                line["ply"] = json!(ply.uci);
                line["revision"] = json!(ply.revision);
            }
        }
        Err(error) => line["damaged"] = json!(error.to_string()),
    }
    line
}

/// The event's name, and the match that it concerns.
fn named(event: &Event) -> (&'static str, Option<&str>) {
    match event {
        Event::MatchOpened(event) => ("match-opened", Some(&event.match_id)),
        Event::MatchStateChanged(event) => ("match-state-changed", Some(&event.match_id)),
        Event::PlyReported(event) => ("ply-reported", Some(&event.match_id)),
        Event::PlyRetracted(event) => ("ply-retracted", Some(&event.match_id)),
        Event::AnomalyReported(event) => ("anomaly-reported", Some(&event.match_id)),
        Event::AnomalyRetracted(event) => ("anomaly-retracted", Some(&event.match_id)),
        Event::ClockRead(event) => ("clock-read", Some(&event.match_id)),
        Event::NodeStateChanged(_) => ("node-state-changed", None),
        Event::OrderTaken(_) => ("order-taken", None),
        Event::OrderEnded(_) => ("order-ended", None),
        Event::EvidenceClip(event) => ("evidence-clip", Some(&event.match_id)),
        Event::QuestionsAsked(event) => ("questions-asked", Some(&event.match_id)),
        Event::SquaresRead(event) => ("squares-read", Some(&event.match_id)),
        Event::PositionStands(event) => ("position-stands", Some(&event.match_id)),
        Event::ZeroTested(event) => ("zero-tested", Some(&event.match_id)),
        Event::NodeTimed(_) => ("node-timed", None),
    }
}
