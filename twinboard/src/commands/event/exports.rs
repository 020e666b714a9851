//! `twinboard event export`: an event as other programs and federations take it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use event::{
    Event,
    export::{ReportHeader, TrfHeader, TrfVersion},
};

use super::file;
use crate::{files, stdout};

#[derive(clap::Args)]
pub(super) struct ExportArguments {
    /// The event's file, or the configuration (.toml) of the adjudicator that serves it.
    event: PathBuf,
    /// For whom.
    #[arg(long = "as", value_name = "WHAT")]
    kind: Kind,
    /// Where to: a file, or for US Chess's three tables a folder. Players are named in it.
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
    /// The section, for a tournament report.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// The city.
    #[arg(long)]
    city: Option<String>,
    /// The first day.
    #[arg(long, value_name = "YYYY-MM-DD")]
    from: Option<Day>,
    /// The last day.
    #[arg(long, value_name = "YYYY-MM-DD")]
    until: Option<Day>,
    /// FIDE's three letters of the federation, for a tournament report.
    #[arg(long, value_name = "FED")]
    federation: Option<String>,
    /// The chief arbiter's name, for a tournament report; the chief director's id, for US Chess.
    #[arg(long, value_name = "NAME or ID")]
    chief: Option<String>,
    /// The assistant director's id, for US Chess.
    #[arg(long, value_name = "ID")]
    assistant: Option<String>,
    /// The affiliate's id, for US Chess.
    #[arg(long, value_name = "ID")]
    affiliate: Option<String>,
    /// The state's two letters, for US Chess.
    #[arg(long)]
    state: Option<String>,
    /// The ZIP code, for US Chess.
    #[arg(long, value_name = "CODE")]
    zip: Option<String>,
    /// The sections are scholastic, for US Chess.
    #[arg(long)]
    scholastic: bool,
}

/// What an event is written as.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// FIDE's tournament report of 2016, of one section of chess.
    Trf16,
    /// FIDE's tournament report of 2026, of one section of chess.
    Trf26,
    /// US Chess's rating report: THEXPORT.DBF, TSEXPORT.DBF and TDEXPORT.DBF.
    UsChess,
    /// A tournament that WinTD opens.
    Wintd,
}

/// A day.
#[derive(Clone, Copy)]
struct Day {
    year: u16,
    month: u8,
    day: u8,
}

impl std::str::FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Day, String> {
        let wrong = || format!("{text:?} is no day: write it as 2026-11-21");
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts[..] else { return Err(wrong()) };
        let read = (year.parse().ok(), month.parse().ok(), day.parse().ok());
        match read {
            (Some(year @ 1900..=2155), Some(month @ 1..=12), Some(day @ 1..=31)) => {
                Ok(Day { year, month, day })
            }
            _ => Err(wrong()),
        }
    }
}

impl Day {
    fn with(self, between: &str) -> String {
        format!("{:04}{between}{:02}{between}{:02}", self.year, self.month, self.day)
    }
}

/// Writes an event for another program, and prints what that program should know.
pub(super) fn export(arguments: &ExportArguments) -> Result<()> {
    let event = file::read(&arguments.event)?;
    let remarks = match arguments.kind {
        Kind::Trf16 => trf(arguments, &event, TrfVersion::Trf16)?,
        Kind::Trf26 => trf(arguments, &event, TrfVersion::Trf26)?,
        Kind::Wintd => {
            let export = event.wintd()?;
            write(&arguments.to, export.file.as_bytes())?;
            export.remarks
        }
        Kind::UsChess => us_chess(arguments, &event)?,
    };
    for remark in remarks {
        stdout::print_line(format_args!("remark: {remark}"))?;
    }
    Ok(())
}

fn trf(arguments: &ExportArguments, event: &Event, version: TrfVersion) -> Result<Vec<String>> {
    let only = match &event.sections().keys().collect::<Vec<_>>()[..] {
        [only] => Some((*only).clone()),
        _ => None,
    };
    let Some(section) = arguments.section.clone().or(only) else {
        bail!("a tournament report covers one section: name it with --section");
    };
    let days = match (arguments.from, arguments.until.or(arguments.from)) {
        (Some(from), Some(until)) => Some([from.with("/"), until.with("/")]),
        _ => None,
    };
    let header = TrfHeader {
        city: arguments.city.clone(),
        federation: arguments.federation.clone(),
        days,
        chief_arbiter: arguments.chief.clone(),
    };
    let export = event.trf(&section, version, &header)?;
    write(&arguments.to, export.file.as_bytes())?;
    Ok(export.remarks)
}

fn us_chess(arguments: &ExportArguments, event: &Event) -> Result<Vec<String>> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let Some(from) = arguments.from else {
        bail!("US Chess rates by the day: name the first day with --from");
    };
    let until = arguments.until.unwrap_or(from);
    let header = ReportHeader {
        days: [from, until].map(|day| day.with("")),
        affiliate: text(&arguments.affiliate),
        chief_director: text(&arguments.chief),
        assistant_director: arguments.assistant.clone(),
        city: text(&arguments.city),
        state: text(&arguments.state),
        zip_code: text(&arguments.zip),
        scholastic: arguments.scholastic,
        made: (until.year, until.month, until.day),
    };
    let export = event.rating_report(&header)?;
    files::create_folder(&arguments.to)?;
    for (name, table) in [
        ("THEXPORT.DBF", &export.file.event),
        ("TSEXPORT.DBF", &export.file.sections),
        ("TDEXPORT.DBF", &export.file.players),
    ] {
        write(&arguments.to.join(name), table)?;
    }
    Ok(export.remarks)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    files::write(path, content).with_context(|| format!("{}", path.display()))?;
    stdout::print_line(format_args!("{} was written", path.display()))
}
