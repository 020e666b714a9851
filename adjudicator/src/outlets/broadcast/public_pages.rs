//! The public pages as files for a plain web host, with all that they read.
//!
//! Only what everybody may see is written: every content is made of the public's sight, behind its delay and with its names. A page
//! carries a mark by which its script reads files where it would follow a stream (`web/src/live/mirror.ts`, which names them alike).

use std::{fmt::Write as _, io::Write as _};

use flate2::{Compression, write::GzEncoder};
use serde::Serialize;
use serde_json::Value;

use crate::{
    config::Config,
    hall::Hall,
    page_files,
    views::{EventSheet, MatchView, NoticesView, RoundView, StandingsSheet, read_view::Sight},
};

/// The mark of a page on a plain web host, and where it is put.
const ROOT: &str = "<html";
const MARKED_ROOT: &str = "<html data-mirror";
/// Parts of a content that change although nothing has happened that it shows.
const APART: [&str; 2] = ["now_ms", "last_event_id"];
/// Longest time without a new round's file, so that its reader sees that the hall is there.
pub(super) const BEAT_MS: u64 = 3_000;

/// A file of the pages.
#[derive(Debug)]
pub(super) struct PageFile {
    pub(super) path: String,
    pub(super) media: String,
    pub(super) bytes: Vec<u8>,
    /// Differs when the file has to be sent again.
    pub(super) version: Vec<u8>,
}

/// The files of the pages. Contents precede the pages that read them, and scripts the documents that name them.
pub(super) fn files(config: &Config, floor: &Hall, sight: &Sight, now_ms: u64) -> Vec<PageFile> {
    let mut files = Vec::new();
    let mut add = |address: &str, view: Option<Value>, beat: u64| {
        files.extend(view.and_then(|view| read_by_pages(address, view, beat)));
    };
    let round = RoundView::of(config, sight, now_ms);
    add("round", value(&round), now_ms / BEAT_MS);
    for shown in sight.games() {
        let view = MatchView::of(config, sight.cursor(), shown, now_ms);
        add(&format!("matches/{}", file_name(&shown.game.id)), value(&view), 0);
    }
    let event = EventSheet::seen(sight);
    add("event", event.as_ref().and_then(value), 0);
    for section in event.iter().flat_map(|event| &event.sections) {
        let Some(hall) = sight.of_section(&section.section) else { continue };
        let names = hall.disclosure().names();
        for after in [None].into_iter().chain((1..=section.opened).map(Some)) {
            let sheet = StandingsSheet::of(hall.event(), &section.section, after, names).ok();
            let after = after.map(|after| format!("/{after}")).unwrap_or_default();
            let address = format!("standings/{}{after}", file_name(&section.section));
            add(&address, sheet.as_ref().and_then(value), 0);
        }
    }
    let notices = NoticesView::of(floor, sight, now_ms, config.http.clock_rate);
    add("notices", value(&notices), 0);
    files.extend(documents(&round, sight));
    files
}

fn value(view: &impl Serialize) -> Option<Value> {
    serde_json::to_value(view).ok()
}

/// The server's answer to an address, compressed. `beat`: changes when it is to be sent again although it is the same.
fn read_by_pages(address: &str, view: Value, beat: u64) -> Option<PageFile> {
    let text = serde_json::to_vec(&view).ok()?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&text).ok()?;
    let bytes = packed.finish().ok()?;
    let mut lasting = view;
    if let Value::Object(parts) = &mut lasting {
        APART.iter().for_each(|part| drop(parts.remove(*part)));
    }
    let version = format!("{beat} {lasting}").into_bytes();
    Some(PageFile {
        path: format!("api/v1/{address}.json.gz"),
        media: "application/gzip".to_owned(),
        bytes,
        version,
    })
}

/// The scripts and styles, and the document at each page's address.
fn documents(round: &RoundView, sight: &Sight) -> Vec<PageFile> {
    let mut files: Vec<PageFile> = page_files::assets()
        .map(|(path, media, bytes)| PageFile { version: path.clone().into(), path, media, bytes })
        .collect();
    let Some(document) = page_files::empty_document() else { return files };
    let document = document.replacen(ROOT, MARKED_ROOT, 1);
    let mut folders = vec![String::new(), "standings/".to_owned(), "pairings/".to_owned()];
    let tables = round.tables.iter().map(|table| &table.table);
    folders.extend(tables.filter_map(|table| Some(format!("table/{}/", folder_name(table)?))));
    for shown in sight.games() {
        let Some(name) = folder_name(&shown.game.id) else { continue };
        folders.extend(["", "replay/", "sheet/"].map(|page| format!("match/{name}/{page}")));
    }
    files.extend(folders.into_iter().map(|folder| PageFile {
        path: format!("{folder}index.html"),
        media: "text/html; charset=utf-8".to_owned(),
        bytes: document.clone().into_bytes(),
        version: document.clone().into_bytes(),
    }));
    files
}

/// Letters, digits and `_` as they are, every other byte as `-` and two hexadecimal digits: a name that every host takes.
fn file_name(name: &str) -> String {
    escaped(name, b"_", '-')
}

/// A folder's name in an address, as a browser writes it. None for a name that would lead out of its folder.
fn folder_name(name: &str) -> Option<String> {
    let is_folder = !name.is_empty() && !name.chars().all(|it| it == '.') && !name.contains('/');
    is_folder.then(|| escaped(name, b"-_.!~*'()", '%'))
}

fn escaped(name: &str, kept: &[u8], mark: char) -> String {
    name.bytes().fold(String::with_capacity(name.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing into a text does not fail.
            let _ = write!(text, "{mark}{byte:02x}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_those_that_pages_ask_for() {
        assert_eq!(file_name("K/3 é"), "K-2f3-20-c3-a9");
        assert_eq!(file_name("m-1_x.y"), "m-2d1_x-2ey");
        assert_eq!(folder_name("Table 3").as_deref(), Some("Table%203"));
        assert!(["", ".", "..", "a/../b"].iter().all(|name| folder_name(name).is_none()));
    }

    #[test]
    fn time_alone_is_no_new_version_but_a_beat_is() {
        let version = |now: u64, plies: u64, beat| {
            let view = serde_json::json!({ "now_ms": now, "last_event_id": now, "plies": plies });
            read_by_pages("round", view, beat).unwrap().version
        };
        assert_eq!(version(1, 1, 0), version(2, 1, 0));
        assert_ne!(version(1, 1, 0), version(1, 2, 0));
        assert_ne!(version(1, 1, 0), version(1, 1, 1));
    }
}
