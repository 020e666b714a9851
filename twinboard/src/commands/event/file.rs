//! An event's file: its acts, one a line.

use std::path::Path;

use anyhow::{Context, Result};
use event::{Author, Deed, Event, EventAct, Role};

use crate::files;

/// The author at the command line: the owner of the file may do everything.
pub(super) fn author() -> Author {
    Author { name: "command line".to_owned(), role: Role::Chief }
}

/// The event in a file.
pub(super) fn read(path: &Path) -> Result<Event> {
    let bytes = files::read(path)?;
    let text = std::str::from_utf8(&bytes)
        .with_context(|| format!("{} is no event: it is not UTF-8", path.display()))?;
    let mut event = Event::default();
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        let at = || format!("{}, line {line}: this act cannot be read", path.display());
        let act: EventAct = serde_json::from_str(row).with_context(at)?;
        event.handle(act).with_context(at)?;
    }
    Ok(event)
}

/// The event in a file, or a new one where there is no file yet.
pub(super) fn read_or_begin(path: &Path) -> Result<Event> {
    if path.exists() { read(path) } else { Ok(Event::default()) }
}

/// Writes an event's acts.
pub(super) fn write(path: &Path, event: &Event) -> Result<()> {
    let mut text = String::new();
    for act in event.acts() {
        text.push_str(&serde_json::to_string(act).context("an act cannot be written")?);
        text.push('\n');
    }
    files::write(path, text.as_bytes())
}

/// One more act of the command line.
pub(super) fn act(event: &mut Event, deed: Deed) -> Result<()> {
    event.handle(EventAct { number: event.next_number(), by: author(), deed })?;
    Ok(())
}
