//! The public pages as files for a plain web host, with all that they read.
//!
//! Only what everybody may see is written: every content is made of the public's sight, behind its delay and with its names. A page
//! carries a mark by which its script reads files where it would follow a stream (`web/src/live/mirror.ts`, which names them alike).

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    io::Write as _,
};

use flate2::{Compression, write::GzEncoder};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::mirror::MirrorFile;
use crate::{
    config::Config,
    hall::{EventId, Hall, Partition, Table},
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

/// What the public pages are made of, and what of it was sent.
#[derive(Debug, Default)]
pub(super) struct PublicPages {
    /// States of which something was written, by its address: it is written again when the state is another one.
    written: HashMap<String, PageState>,
    /// Paths of files that never change while the program runs.
    constant: HashSet<String>,
    /// Those of them that scripts and styles have.
    assets: Vec<String>,
}

/// What a content depends on, as far as it is compared.
type PageState = (u64, u64, Option<(Partition, EventId)>, Option<u64>, u32);

/// The files of a look at the hall.
#[derive(Debug, Default)]
pub(super) struct PageFiles {
    /// Every path that is public now.
    pub(super) shown: HashSet<String>,
    /// Files that may have changed.
    pub(super) files: Vec<MirrorFile>,
}

impl PublicPages {
    /// Has everything written at the next look.
    pub(super) fn forget(&mut self) {
        *self = PublicPages::default();
    }

    /// The round alone, which says that the hall is there.
    pub(super) fn beat(config: &Config, sight: &Sight, now_ms: u64) -> Vec<MirrorFile> {
        round(&RoundView::of(config, sight, now_ms), now_ms).into_iter().collect()
    }

    /// The files of the pages. Contents precede the pages that read them, and scripts the documents that name them.
    pub(super) fn look(
        &mut self,
        config: &Config,
        floor: &Hall,
        sight: &Sight,
        now_ms: u64,
    ) -> PageFiles {
        let mut looked = PageFiles::default();
        let view = RoundView::of(config, sight, now_ms);
        looked.add(round(&view, now_ms));
        for shown in sight.games() {
            let address = format!("matches/{}", file_name(&shown.game.id));
            let table = shown.hall.tables().named(&shown.game.table);
            let state = (
                shown.game.changed_input,
                shown.hall.partitions().event_changes(),
                table.map(Table::changed),
                table.and_then(Table::stale_since_ms),
                sight.cursor().epoch,
            );
            if self.is_new(&mut looked, &address, state) {
                let view = MatchView::of(config, sight.cursor(), shown, now_ms);
                looked.add(content(&address, value(&view), 0));
            }
        }
        let event = EventSheet::seen(sight);
        looked.add(content("event", event.as_ref().and_then(value), 0));
        for section in event.iter().flat_map(|event| &event.sections) {
            let Some(hall) = sight.of_section(&section.section) else { continue };
            let names = hall.disclosure().names();
            let state = (hall.partitions().event_changes(), 0, None, None, sight.cursor().epoch);
            for after in [None].into_iter().chain((1..=section.opened).map(Some)) {
                let round = after.map(|after| format!("/{after}")).unwrap_or_default();
                let address = format!("standings/{}{round}", file_name(&section.section));
                if self.is_new(&mut looked, &address, state) {
                    let sheet = StandingsSheet::of(hall.event(), &section.section, after, names);
                    looked.add(content(&address, sheet.ok().as_ref().and_then(value), 0));
                }
            }
        }
        let notices = NoticesView::of(floor, sight, now_ms, config.http.clock_rate);
        looked.add(content("notices", value(&notices), 0));
        self.documents(&mut looked, &view, sight);
        looked
    }

    /// Notes a content of this state. Returns whether it has to be written.
    fn is_new(&mut self, looked: &mut PageFiles, address: &str, state: PageState) -> bool {
        looked.shown.insert(path_of(address));
        self.written.insert(address.to_owned(), state) != Some(state)
    }

    /// The scripts and styles, and the document at each page's address.
    fn documents(&mut self, looked: &mut PageFiles, round: &RoundView, sight: &Sight) {
        let Some(document) = page_files::empty_document() else { return };
        if self.assets.is_empty() {
            for (path, media, bytes) in page_files::public_assets() {
                self.assets.push(path.clone());
                looked.files.push(MirrorFile::new(path, &media, bytes));
            }
        }
        looked.shown.extend(self.assets.iter().cloned());
        let document = document.replacen(ROOT, MARKED_ROOT, 1);
        let mut folders = vec![String::new(), "standings/".to_owned(), "pairings/".to_owned()];
        let tables = round.tables.iter().map(|table| &table.table);
        folders.extend(tables.filter(|it| is_folder(it)).map(|table| format!("table/{table}/")));
        for shown in sight.games().iter().filter(|shown| is_folder(&shown.game.id)) {
            let name = &shown.game.id;
            folders.extend(["", "replay/", "sheet/"].map(|page| format!("match/{name}/{page}")));
        }
        for path in folders.into_iter().map(|folder| format!("{folder}index.html")) {
            looked.shown.insert(path.clone());
            if self.constant.insert(path.clone()) {
                let body = document.clone().into_bytes();
                looked.files.push(MirrorFile::new(path, "text/html; charset=utf-8", body));
            }
        }
    }
}

impl PageFiles {
    /// Adds a file.
    pub(super) fn add(&mut self, file: Option<MirrorFile>) {
        let Some(file) = file else { return };
        self.shown.insert(file.path.clone());
        self.files.push(file);
    }
}

fn value(view: &impl Serialize) -> Option<Value> {
    serde_json::to_value(view).ok()
}

fn round(view: &RoundView, now_ms: u64) -> Option<MirrorFile> {
    content("round", value(view), now_ms / BEAT_MS)
}

fn path_of(address: &str) -> String {
    format!("api/v1/{address}.json.gz")
}

/// The server's answer to an address, compressed. `beat`: changes when it is to be sent again although it is the same.
fn content(address: &str, view: Option<Value>, beat: u64) -> Option<MirrorFile> {
    let mut lasting = view?;
    let text = serde_json::to_vec(&lasting).ok()?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&text).ok()?;
    let body = packed.finish().ok()?;
    if let Value::Object(parts) = &mut lasting {
        APART.iter().for_each(|part| drop(parts.remove(*part)));
    }
    let version = Sha256::digest(format!("{beat} {lasting}")).into();
    Some(MirrorFile { path: path_of(address), media: "application/gzip".to_owned(), body, version })
}

/// Whether a name can be a folder's: it does not lead out of the one above, and holds nothing that ends a line.
fn is_folder(name: &str) -> bool {
    !name.is_empty()
        && !name.chars().all(|it| it == '.')
        && !name.contains(['/', '\\'])
        && !name.chars().any(char::is_control)
}

/// Letters, digits and `_` as they are, every other byte as `-` and two hexadecimal digits: a name that every host takes.
fn file_name(name: &str) -> String {
    escaped(name, b"_", '-')
}

/// Letters, digits and these bytes as they are, every other byte as a mark and two hexadecimal digits.
pub(super) fn escaped(name: &str, kept: &[u8], mark: char) -> String {
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
        assert_eq!(escaped("table/Table 3", b"-_.!~*'()/", '%'), "table/Table%203");
        assert!(is_folder("Table 3"));
        assert!(!["", ".", "..", "a/../b", "a\nb"].into_iter().any(is_folder));
    }

    #[test]
    fn time_alone_is_no_new_version_but_a_beat_is() {
        let version = |now: u64, plies: u64, beat| {
            let view = serde_json::json!({ "now_ms": now, "last_event_id": now, "plies": plies });
            content("round", Some(view), beat).unwrap().version
        };
        assert_eq!(version(1, 1, 0), version(2, 1, 0));
        assert_ne!(version(1, 1, 0), version(1, 2, 0));
        assert_ne!(version(1, 1, 0), version(1, 1, 1));
    }

    #[test]
    fn directors_scripts_are_in_the_program_and_not_public() {
        if page_files::empty_document().is_none() {
            eprintln!("skipped: the program was built without its pages");
            return;
        }
        let of_directors = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("/api/v1/td");
        let all: Vec<_> = page_files::assets().collect();
        assert!(all.iter().any(|(_, _, bytes)| of_directors(bytes)));
        for (path, _, bytes) in page_files::public_assets() {
            assert!(!of_directors(&bytes), "{path}");
        }
        let public = page_files::public_assets().count();
        assert!(public > 10 && public < all.len(), "{public}");
    }
}
