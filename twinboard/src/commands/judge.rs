//! `twinboard judge`: what the rules say of one match of the log, by its own book or by another.

use std::path::PathBuf;

use adjudicator::{Config, Judgment};
use anyhow::Result;
use referee::{Alert, ClaimState};
use rules::rulebook::{BookId, Cite};

use crate::{shell, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The match, as pages and records name it.
    #[arg(value_name = "MATCH")]
    match_id: String,
    /// Judge it by this book instead of its own.
    #[arg(long, value_name = "ID")]
    book: Option<BookId>,
    /// The adjudicator's configuration; without it, its defaults.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// Prints the judgments.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let config = match &arguments.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    let (match_id, book) = (arguments.match_id.clone(), arguments.book);
    shell::run(|_| async move {
        let judgment = adjudicator::judge(&config, &match_id, book).await?;
        stdout::print(words(&judgment))
    })
}

fn words(judgment: &Judgment) -> String {
    let Judgment { match_id, table, book, .. } = judgment;
    let mut text = format!("{match_id} at table {table}, judged by {book}\n");
    for alert in &judgment.alerts {
        let ply = alert.ply.and_then(|id| judgment.plies.iter().find(|(known, _)| *known == id));
        let ply = ply.map(|(_, san)| format!(" ({san})")).unwrap_or_default();
        text += &format!("\n{}  {}{ply}\n", time(alert.t_us), heading(alert));
        text += &format!("          {}\n", alert.evidence);
    }
    if judgment.alerts.is_empty() {
        text += "\nnothing was found\n";
    }
    for claim in &judgment.claims {
        let because = numbers(&claim.verdict.because);
        text += &format!(
            "\nclaim {}  {} {because}: {}\n",
            claim.id,
            claim.kind.code(),
            claim.verdict.says
        );
    }
    for line in &judgment.ledger {
        text += &format!("\n{}  {} by {}\n", time(line.t_us), line.entry, line.by.role);
    }
    text += &match (&judgment.result, &judgment.proposal) {
        (Some(result), _) => format!("\nresult: {}\n", result.result),
        (None, Some(proposal)) => {
            let rule = proposal.rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
            format!("\nproposed: {}{rule}\n", proposal.text)
        }
        (None, None) => "\nno result: none was entered, and the boards show none\n".to_owned(),
    };
    text
}

/// Heading of an alert: finding, board, probability, rule, and state of the claim.
fn heading(alert: &Alert) -> String {
    let rules: Vec<Cite> = alert.rule.into_iter().chain(alert.further.iter().copied()).collect();
    let claim = match alert.claim {
        ClaimState::Open => ", open to a claim",
        ClaimState::Claimed => ", claimed",
        ClaimState::Closed => ", closed",
        ClaimState::NotClaimable => "",
    };
    let silent = if alert.silent { ", silent" } else { "" };
    let (board, sure) = (alert.board, alert.confidence * 100.0);
    format!("board {board}: {} {}, {sure:.0} %{claim}{silent}", alert.code, numbers(&rules))
}

/// The numbers of clauses, in brackets.
fn numbers(rules: &[Cite]) -> String {
    match rules.is_empty() {
        true => "(no rule of the book)".to_owned(),
        false => {
            let numbers: Vec<&str> = rules.iter().map(|rule| rule.number).collect();
            format!("({})", numbers.join(", "))
        }
    }
}

/// Match time as minutes, seconds and tenths.
fn time(t_us: u64) -> String {
    let tenths = t_us / 100_000;
    format!("{:>3}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}
