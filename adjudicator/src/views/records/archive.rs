//! All records of a section, or of the event, in one file: what an organiser keeps, and what a club sends to its players.

use std::io::{Cursor, Write as _};

use zip::{CompressionMethod, ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::{Format, Reader, Which, file, incidents, part};
use crate::{config::Config, views::read_view::Shown};

/// Formats that are also written as a file for each match: what is opened one by one.
const BY_MATCH: [Format; 3] = [Format::Bpgn, Format::Pgn, Format::PortablePgn];

/// Description of the archive's contents, for a reader in ten years.
const CONTENTS: &str = "\
all.*      every match, oldest first, in one file of each format
matches/   one file for each match

bpgn           both boards of a bughouse match in order of play; an illegal ply stands in its place
pgn            a game of chess; of bughouse one game for each board
portable.bpgn  every ply is legal: where an illegal one stood, a further game begins after it
portable.pgn   so, and each board of bughouse is a game of crazyhouse: most chess programs open it
json           every ply with its probability and its time
csv            one line for each ply

Results are what the evidence proposes unless a record says that they were confirmed.
";

/// Further contents of the organiser's archive.
const INCIDENTS: &str = "
incidents/  findings, claims, decisions (the ledger) and orders of each match
evidence/   sensor readings, one file for each request (named after its act in the ledger)
";

/// A zip of the matches that are asked for, in every format. The same matches give the same bytes.
///
/// # Errors
///
/// The archive grows beyond the limits of a zip file.
pub fn archive(
    config: &Config,
    games: &[Shown<'_>],
    which: &Which,
    reader: Reader,
) -> Result<Vec<u8>, ZipError> {
    let text = |shown: Shown<'_>, format: Format| part(config, shown, format, reader);
    zipped(config, &which.begun(games), reader, text)
}

/// The same of matches that were chosen before. `text`: the part of a match in a file.
pub(super) fn zipped<T: AsRef<str>>(
    config: &Config,
    games: &[Shown<'_>],
    reader: Reader,
    text: impl Fn(Shown<'_>, Format) -> T,
) -> Result<Vec<u8>, ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // Without a time of its own, so that nothing but the matches tells one archive from another.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut add = |name: &str, text: &str| -> Result<(), ZipError> {
        zip.start_file(name, options)?;
        Ok(zip.write_all(text.as_bytes())?)
    };
    let is_organisers = reader == Reader::Organiser;
    let more = if is_organisers { INCIDENTS } else { "" };
    add("contents.txt", &format!("{CONTENTS}{more}"))?;
    for format in Format::ALL {
        let told = games.iter().filter(|shown| format.tells(shown.game.game));
        let text = file(format, told.map(|shown| text(*shown, format)));
        // A file without a match says nothing.
        if !text.is_empty() {
            add(&format!("all.{format}"), &text)?;
        }
    }
    for &shown in games {
        for format in BY_MATCH.into_iter().filter(|format| format.tells(shown.game.game)) {
            let text = file(format, [text(shown, format)].into_iter());
            add(&format!("matches/{}.{format}", file_name(&shown.game.id)), &text)?;
        }
        let name = file_name(&shown.game.id);
        if let Some(text) =
            incidents::json(shown.game, config.http.clock_rate).filter(|_| is_organisers)
        {
            add(&format!("incidents/{name}.json"), &text)?;
        }
        for (act, lines) in incidents::evidence(shown.game).filter(|_| is_organisers) {
            add(&format!("evidence/{name}-{act}.jsonl"), lines)?;
        }
    }
    Ok(zip.finish()?.into_inner())
}

/// A match's id as a file may be called on every system.
fn file_name(id: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    id.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_nothing_in_it_that_a_system_forbids_or_that_leads_elsewhere() {
        assert_eq!(file_name("hub-1-20261124T223420"), "hub-1-20261124T223420");
        assert_eq!(file_name("../a:b\\c"), "---a-b-c");
    }
}
