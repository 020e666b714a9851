//! `twinboard doctor bind` and `label`: a node's place and name written into the hub's configuration, whose comments and order stay
//! as people wrote them. The new text is checked as the hub would check it before it replaces the file.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use hub::config::{Config, NodeKind};
use hub::drivers::Device;
use rules::BoardId;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::picture::sensor_name;

/// The place a node is to have.
#[derive(Clone, Debug)]
pub(super) struct NodePlace {
    pub(super) table: String,
    pub(super) board: BoardId,
    pub(super) kind: NodeKind,
}

/// A binding to be written.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) node: String,
    pub(super) place: NodePlace,
    pub(super) label: Option<String>,
    /// The node's own description, if it is connected: the configuration of its squares then follows it.
    pub(super) device: Option<Device>,
    /// The port it is at, for files that name ports.
    pub(super) port: Option<String>,
    /// Take it from the place it has.
    pub(super) moving: bool,
}

/// The configuration's text with the binding in it, and what was done in words.
///
/// # Errors
///
/// When the file has no such table, or the node has another place, or what comes out is no configuration.
pub(super) fn bound(file: &Path, text: &str, binding: &Binding) -> Result<(String, String)> {
    let mut document = parsed(file, text)?;
    let NodePlace { table, board, kind } = &binding.place;
    let mut done = format!("{} is table {table}, {kind} {board}", binding.node);
    if let Some(elsewhere) = place_of(&document, &binding.node)
        && elsewhere != place_words(table, *board, *kind)
    {
        if !binding.moving {
            bail!(
                "{} is {elsewhere} in {}: say --move to give it the new place, or name another node",
                binding.node,
                file.display()
            );
        }
        remove(&mut document, &binding.node);
        done.push_str(&format!(" (it was {elsewhere})"));
    }
    let entry = entry(&mut document, file, &binding.place)?;
    if let Some(former) = text_of(entry, "node").filter(|former| *former != binding.node) {
        done.push_str(&format!(", in place of {former}"));
        // The name on the former node's label is not this one's.
        entry.remove("label");
    }
    set(entry, "node", &binding.node);
    if let Some(label) = &binding.label {
        set(entry, "label", label);
    }
    if let Some(port) = &binding.port {
        set(entry, "port", port);
    }
    if let Some(senses) = binding.device.as_ref().and_then(|device| device.board) {
        follow(entry, "sensor", sensor_name(senses.sensor).into(), "reed".into());
        follow(entry, "trays", senses.trays.into(), false.into());
    }
    let text = document.to_string();
    Config::parse(file, &text).context("with this binding the configuration would not be valid")?;
    Ok((text, done))
}

/// The configuration's text with a node's label changed.
///
/// # Errors
///
/// When the node has no place in the file.
pub(super) fn labelled(file: &Path, text: &str, node: &str, label: &str) -> Result<String> {
    let mut document = parsed(file, text)?;
    let entry = entries(&mut document)
        .find(|entry| text_of(entry, "node").as_deref() == Some(node))
        .with_context(|| format!("{node} has no place in {}: bind it first", file.display()))?;
    if label.is_empty() {
        entry.remove("label");
    } else {
        set(entry, "label", label);
    }
    let text = document.to_string();
    Config::parse(file, &text).context("with this label the configuration would not be valid")?;
    Ok(text)
}

/// Replaces a file's contents at once: a reader sees the old or the new, never a half.
///
/// # Errors
///
/// When the folder cannot be written.
pub(super) fn replace(file: &Path, text: &str) -> Result<()> {
    let cannot = || format!("cannot write {}: check the folder's permissions", file.display());
    // A link leads to the file that is meant.
    let target = file.canonicalize().with_context(cannot)?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside = target.with_file_name(format!(".{name}.new"));
    let written = (|| {
        let mut new = std::fs::File::create(&beside)?;
        new.set_permissions(std::fs::metadata(&target)?.permissions())?;
        new.write_all(text.as_bytes())?;
        new.sync_all()?;
        std::fs::rename(&beside, &target)
    })();
    if written.is_err() {
        // It may not have been made.
        drop(std::fs::remove_file(&beside));
    }
    written.with_context(cannot)
}

fn parsed(file: &Path, text: &str) -> Result<DocumentMut> {
    // Errors of the present file are reported first, in the hub's words.
    Config::parse(file, text)?;
    text.parse().with_context(|| format!("{} cannot be read", file.display()))
}

fn tables(document: &mut DocumentMut) -> impl Iterator<Item = &mut Table> {
    let tables = document.get_mut("table").and_then(Item::as_array_of_tables_mut);
    tables.into_iter().flat_map(ArrayOfTables::iter_mut)
}

fn entries(document: &mut DocumentMut) -> impl Iterator<Item = &mut Table> {
    tables(document)
        .filter_map(|table| table.get_mut("node").and_then(Item::as_array_of_tables_mut))
        .flat_map(ArrayOfTables::iter_mut)
}

fn text_of(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Item::as_str).map(str::to_owned)
}

/// Changes a value and keeps the text around it.
fn set(entry: &mut Table, key: &str, text: &str) {
    change(entry, key, text.into());
}

fn change(entry: &mut Table, key: &str, new: toml_edit::Value) {
    match entry.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => drop(entry.insert(key, value(new))),
    }
}

/// Writes the device's value, unless it is the default.
fn follow(entry: &mut Table, key: &str, said: toml_edit::Value, default: toml_edit::Value) {
    if entry.contains_key(key) || said.to_string() != default.to_string() {
        change(entry, key, said);
    }
}

fn place_words(table: &str, board: BoardId, kind: NodeKind) -> String {
    format!("table {table}, {kind} {board}")
}

fn place_of(document: &DocumentMut, node: &str) -> Option<String> {
    let tables = document.get("table")?.as_array_of_tables()?;
    tables.iter().find_map(|table| {
        let entries = table.get("node")?.as_array_of_tables()?;
        let entry = entries.iter().find(|entry| text_of(entry, "node").as_deref() == Some(node))?;
        let word = |key| text_of(entry, key).unwrap_or_default();
        let name = text_of(table, "name").unwrap_or_default();
        Some(format!("table {name}, {} {}", word("kind"), word("board")))
    })
}

fn remove(document: &mut DocumentMut, node: &str) {
    for table in tables(document) {
        if let Some(entries) = table.get_mut("node").and_then(Item::as_array_of_tables_mut) {
            entries.retain(|entry| text_of(entry, "node").as_deref() != Some(node));
        }
    }
}

/// The entry of a place; a new one at the end of its table if there is none.
fn entry<'a>(
    document: &'a mut DocumentMut,
    file: &Path,
    place: &NodePlace,
) -> Result<&'a mut Table> {
    let names: Vec<String> = tables(document).filter_map(|table| text_of(table, "name")).collect();
    let Some(table) = tables(document)
        .find(|table| text_of(table, "name").as_deref() == Some(place.table.as_str()))
    else {
        bail!("{} has no table {:?}; it has {}", file.display(), place.table, names.join(", "));
    };
    let (board, kind) = (place.board.to_string(), place.kind.to_string());
    let entries = table
        .entry("node")
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .with_context(|| {
            format!(
                "the nodes of table {} in {} are no [[table.node]]",
                place.table,
                file.display()
            )
        })?;
    let found = entries.iter().position(|entry| {
        text_of(entry, "board").as_deref() == Some(board.as_str())
            && text_of(entry, "kind").as_deref() == Some(kind.as_str())
    });
    let at = found.unwrap_or_else(|| {
        let mut entry = Table::new();
        entry.insert("board", value(board));
        entry.insert("kind", value(kind));
        entries.push(entry);
        entries.len() - 1
    });
    entries.get_mut(at).context("the entry that was just found is missing")
}
