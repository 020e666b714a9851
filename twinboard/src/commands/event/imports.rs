//! `twinboard event check` and `import`: a file of an organiser, with everything that is wrong with it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use event::{
    Event,
    import::{FileKind, Mapping, Options, Preview, Severity, preview},
};
use rules::{rulebook::BookId, standings::ROUNDS_MAX};
use serde_json::json;

use super::{ImportArguments, Kind, file};
use crate::{files, stdout};

/// Says everything that is wrong with a file.
pub(super) fn check(arguments: &ImportArguments) -> Result<()> {
    let event = match &arguments.event {
        Some(path) => file::read(path)?,
        None if matches!(arguments.kind, Kind::Pairings | Kind::Results) => {
            bail!("pairings and results are checked against an event: name it with --event")
        }
        None => Event::default(),
    };
    let preview = look(arguments, &event)?;
    report(arguments, &preview)?;
    if preview.is_sound() { Ok(()) } else { bail!("{} has errors", arguments.file.display()) }
}

/// Takes a file into an event.
pub(super) fn import(arguments: &ImportArguments) -> Result<()> {
    let Some(path) = &arguments.event else {
        bail!("say which event the file is taken into: --event EVENT.json");
    };
    let mut event = file::read_or_begin(path)?;
    let preview = look(arguments, &event)?;
    report(arguments, &preview)?;
    let guessed = preview.mapping.clone();
    preview.apply(&mut event)?;
    file::write(path, &event)?;
    match (&arguments.mapping, guessed) {
        (Some(mapping), Some(guessed)) if !mapping.exists() => {
            let text = serde_json::to_string_pretty(&guessed).context("the mapping")?;
            files::write(mapping, format!("{text}\n").as_bytes())
        }
        _ => Ok(()),
    }
}

fn look(arguments: &ImportArguments, event: &Event) -> Result<Preview> {
    let bytes = files::read(&arguments.file)?;
    let mapping = arguments.mapping.as_deref().filter(|path| path.exists());
    // Without an event every section that a list names is as good as another.
    let alone = arguments.event.is_none();
    let any_book = || match arguments.kind {
        Kind::Players | Kind::Trf => BookId::NcScholastic,
        _ => BookId::default(),
    };
    let options = Options {
        author: file::author(),
        mapping: mapping.map(read_mapping).transpose()?,
        rulebook: arguments.rulebook.or_else(|| alone.then(any_book)),
        rounds: arguments.rounds.or_else(|| alone.then_some(ROUNDS_MAX)),
        section: arguments.section.clone().or_else(|| alone.then(|| "Section".to_owned())),
    };
    Ok(preview(event, FileKind::from(arguments.kind), &bytes, &options))
}

fn read_mapping(path: &Path) -> Result<Mapping> {
    serde_json::from_slice(&files::read(path)?)
        .with_context(|| format!("{} is no mapping of columns", path.display()))
}

fn report(arguments: &ImportArguments, preview: &Preview) -> Result<()> {
    if arguments.json {
        let report = json!({
            "file": arguments.file.display().to_string(),
            "sound": preview.is_sound(),
            "acts": preview.acts.len(),
            "encoding": preview.encoding,
            "delimiter": preview.delimiter,
            "header": preview.header,
            "mapping": preview.mapping,
            "problems": preview.problems,
        });
        return stdout::print_line(report);
    }
    for problem in &preview.problems {
        stdout::print_line(format_args!("{problem}"))?;
    }
    let errors = preview.problems.iter().filter(|it| it.severity == Severity::Error).count();
    let encoding = preview.encoding.map(|it| format!(", {it}")).unwrap_or_default();
    let delimiter =
        preview.delimiter.map(|it| format!(", columns between {it:?}")).unwrap_or_default();
    let file = arguments.file.display();
    let acts = preview.acts.len();
    stdout::print_line(format_args!("{file}{encoding}{delimiter}: {acts} acts, {errors} errors"))
}
