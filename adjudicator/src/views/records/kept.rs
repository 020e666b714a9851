//! Records of matches that are over, as text that was written before. A crowd that asks for the archive of an event costs no more than the
//! first who asks.
//!
//! A text is that of one state of its match and of the names in it. After a ruling, another pairing or a family's wish either is another,
//! and the text is written again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use zip::result::ZipError;

use super::{Format, Reader, Which, archive, file, part};
use crate::{
    config::Config,
    hall::{Game, People, shared::Shared},
    views::{PlyView, read_view::Shown},
};

/// Maximum number of bytes of texts that are kept. Beyond it others are written at each request.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum number of bytes of an archive that is kept.
const ARCHIVE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A text of a match that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum KeptText {
    Record(Format),
    /// Its plies as pages read them.
    Plies,
}

/// Texts about matches for everybody, by match.
#[derive(Debug, Default)]
pub struct KeptRecords {
    texts: Mutex<KeptTexts>,
    archive: Mutex<Option<KeptArchive>>,
}

#[derive(Debug, Default)]
struct KeptTexts {
    by_match: HashMap<String, KeptMatch>,
    bytes: usize,
}

#[derive(Debug)]
struct KeptMatch {
    game: Shared<Game>,
    people: People,
    texts: HashMap<KeptText, Arc<str>>,
}

/// The last archive that was asked for.
#[derive(Debug)]
struct KeptArchive {
    which: Which,
    /// A text of each match in it, in order.
    of: Vec<Arc<str>>,
    bytes: Bytes,
}

impl KeptMatch {
    fn is_of(&self, shown: Shown<'_>, people: &People) -> bool {
        self.game.is(shown.game) && self.people == *people
    }

    fn len(&self) -> usize {
        self.texts.values().map(|text| text.len()).sum()
    }
}

impl KeptRecords {
    /// The record of a match.
    pub(crate) fn one(&self, config: &Config, shown: Shown<'_>, format: Format) -> String {
        file(format, [self.part(config, shown, format)].into_iter())
    }

    /// The records of the matches among these that are asked for and have begun.
    pub(crate) fn all(
        &self,
        config: &Config,
        games: &[Shown<'_>],
        which: &Which,
        format: Format,
    ) -> String {
        let mut games = which.begun(games);
        games.retain(|shown| format.tells(shown.game.game));
        file(format, games.into_iter().map(|shown| self.part(config, shown, format)))
    }

    /// A zip of them in every format.
    ///
    /// # Errors
    ///
    /// The archive grows beyond the limits of a zip file.
    pub(crate) fn archive(
        &self,
        config: &Config,
        games: &[Shown<'_>],
        which: &Which,
    ) -> Result<Bytes, ZipError> {
        let begun = which.begun(games);
        let of: Vec<Arc<str>> =
            begun.iter().map(|shown| self.part(config, *shown, Format::Csv)).collect();
        let is_same = |kept: &&KeptArchive| {
            let texts = kept.of.iter().zip(&of);
            kept.which == *which && kept.of.len() == of.len() && { texts }
                .all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let mut kept = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(is_same) {
            return Ok(kept.bytes.clone());
        }
        let text = |shown: Shown<'_>, format: Format| self.part(config, shown, format);
        let bytes = Bytes::from(archive::zipped(config, &begun, Reader::Public, text)?);
        let is_small = bytes.len() <= ARCHIVE_BYTES_MAX;
        *kept = is_small.then(|| KeptArchive { which: which.clone(), of, bytes: bytes.clone() });
        Ok(bytes)
    }

    /// The plies of a match as JSON.
    pub(crate) fn plies(&self, shown: Shown<'_>) -> Arc<str> {
        self.text(shown, KeptText::Plies, || PlyView::all_as_json(shown.game).into())
    }

    fn part(&self, config: &Config, shown: Shown<'_>, format: Format) -> Arc<str> {
        self.text(shown, KeptText::Record(format), || {
            part(config, shown, format, Reader::Public).into()
        })
    }

    fn texts(&self) -> MutexGuard<'_, KeptTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A text about a match. It is kept if the match is over.
    fn text(&self, shown: Shown<'_>, of: KeptText, write: impl FnOnce() -> Arc<str>) -> Arc<str> {
        let Shown { hall, game } = shown;
        if !game.referee().is_over() {
            return write();
        }
        let people = hall.people(&game.table, Some(game), hall.disclosure().names());
        let known = |kept: &KeptTexts| {
            let kept = kept.by_match.get(&game.id).filter(|kept| kept.is_of(shown, &people))?;
            kept.texts.get(&of).cloned()
        };
        if let Some(text) = known(&self.texts()) {
            return text;
        }
        let text = write();
        let Some(of_match) = hall.shared_game(&game.id) else { return text };
        self.texts().keep(shown, (of, text.clone()), of_match, people);
        text
    }
}

impl KeptTexts {
    fn keep(
        &mut self,
        shown: Shown<'_>,
        (of, text): (KeptText, Arc<str>),
        game: Shared<Game>,
        people: People,
    ) {
        let id = &shown.game.id;
        if let Some(before) = self.by_match.remove(id) {
            self.bytes -= before.len();
            if before.is_of(shown, &people) {
                self.bytes += before.len();
                self.by_match.insert(id.clone(), before);
            }
        }
        if self.bytes + text.len() > KEPT_BYTES_MAX {
            return;
        }
        let new = || KeptMatch { game, people, texts: HashMap::new() };
        let kept = self.by_match.entry(id.clone()).or_insert_with(new);
        self.bytes += text.len();
        if let Some(before) = kept.texts.insert(of, text) {
            self.bytes -= before.len();
        }
    }
}
