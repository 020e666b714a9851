//! `twinboard event standings` and `results`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use event::{Event, Names, chart_text, club_standings_text, standings_text};
use serde_json::{Value, json};

use super::file;
use crate::stdout;

#[derive(clap::Args)]
pub(super) struct StandingsArguments {
    /// The event's file, or the configuration (.toml) of the adjudicator that serves it.
    event: PathBuf,
    /// One section; without it all.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// Round after which to report; without it the last with a pairing or result.
    #[arg(long, value_name = "ROUND")]
    after: Option<u8>,
    /// Also print the wall chart and the crosstable.
    #[arg(long)]
    charts: bool,
    /// Name players; without it they appear by their pairing numbers.
    #[arg(long)]
    names: bool,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct ResultsArguments {
    /// The event's file, or the configuration (.toml) of the adjudicator that serves it.
    event: PathBuf,
    /// One section; without it all.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// One round; without it all.
    #[arg(long, value_name = "ROUND")]
    round: Option<u8>,
}

/// Prints the standings of one section or of all.
pub(super) fn standings(arguments: &StandingsArguments) -> Result<()> {
    let event = file::read(&arguments.event)?;
    let sections: Vec<&str> = match &arguments.section {
        Some(section) => vec![section],
        None => event.sections().keys().map(String::as_str).collect(),
    };
    if sections.is_empty() {
        bail!("{} has no section: open one first", arguments.event.display());
    }
    if arguments.json {
        let sections: Result<Vec<Value>> =
            sections.iter().map(|section| as_json(arguments, &event, section)).collect();
        return stdout::print_line(json!({ "event": event.name(), "sections": sections? }));
    }
    for section in sections {
        stdout::print_line(as_text(arguments, &event, section)?)?;
    }
    Ok(())
}

/// Prints results as CSV.
pub(super) fn results(arguments: &ResultsArguments) -> Result<()> {
    let event = file::read(&arguments.event)?;
    stdout::print(event.results_csv(arguments.section.as_deref(), arguments.round)?)
}

const fn names(arguments: &StandingsArguments) -> Names {
    if arguments.names { Names::Shown } else { Names::Hidden }
}

fn as_json(arguments: &StandingsArguments, event: &Event, section: &str) -> Result<Value> {
    let standings = event.standings(section, arguments.after, names(arguments))?;
    let clubs = event.club_standings(section, arguments.after)?;
    let mut report = json!({ "section": section, "standings": standings, "clubs": clubs });
    if arguments.charts {
        let results = event.results(section, names(arguments))?;
        report["wall_chart"] = json!(results.wall_chart(standings.after_round));
        report["crosstable"] = json!(results.crosstable(&standings));
    }
    Ok(report)
}

fn as_text(arguments: &StandingsArguments, event: &Event, section: &str) -> Result<String> {
    let standings = event.standings(section, arguments.after, names(arguments))?;
    let mut text = format!("{section}\n\n{}", standings_text(&standings));
    if let Some(clubs) = event.club_standings(section, arguments.after)? {
        text.push_str(&format!("\n{}", club_standings_text(&clubs)));
    }
    if arguments.charts {
        let results = event.results(section, names(arguments))?;
        let wall_chart = results.wall_chart(standings.after_round);
        text.push_str(&format!("\n{}", chart_text("Wall chart", &wall_chart)));
        text.push_str(&format!("\n{}", chart_text("Crosstable", &results.crosstable(&standings))));
    }
    Ok(text)
}

#[derive(clap::Args)]
pub(super) struct CopyArguments {
    /// The event's file, or the configuration (.toml) of the adjudicator that serves it.
    from: PathBuf,
    /// The event that gets all of it, which must be new: a file, or the configuration of an adjudicator.
    to: PathBuf,
}

/// Copies an event from one place to another: what was prepared in a file into the one that is served, or that into a file.
pub(super) fn copy(arguments: &CopyArguments) -> Result<()> {
    let event = file::read(&arguments.from)?;
    let begun = file::read_or_begin(&arguments.to)?;
    if !begun.acts().is_empty() {
        let to = arguments.to.display();
        bail!("{to} has an event already: take lists into it with `twinboard event import`");
    }
    file::keep(&arguments.to, &event, 0)?;
    let (to, acts) = (arguments.to.display(), event.acts().len());
    stdout::print_line(format_args!("{acts} acts copied to {to}"))
}
