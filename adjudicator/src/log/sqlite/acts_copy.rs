//! Copy of the last acts beside the log, so that an act which was answered is never silently gone.
//!
//! SQLite takes a bad checksum in the middle of its write-ahead log for the end of it: what was committed behind it is lost without a word. Hubs
//! give their rows again; a director's phone has forgotten what was answered. So each act is written a second time, into a file of its own,
//! before it is answered, and a start puts back what the log lacks. The file has the number of its log: acts of before a restore stay
//! where they are, under another name.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use database_file::Checksum;

use crate::{limits::ACT_BYTES_MAX, log::survey::LoggedAct};

/// Begins the file; the number of the log follows.
const MAGIC: &[u8; 16] = b"twinboard acts 1";
/// Bytes before the first act.
const HEADER: usize = 20;
/// Bytes before what an act says: checksum, number, time, lengths.
const ACT_HEADER: usize = 32;
/// A larger file is begun again with the newest acts, bytes.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Longest match id.
const MATCH_ID_MAX: usize = 4096;
/// The owner alone reads and writes it.
const OWNER_ONLY: u32 = 0o600;

/// The copy, open to be written.
#[derive(Debug)]
pub(super) struct ActsCopy {
    file: File,
    bytes: u64,
}

/// Content of a copy.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FoundActs {
    pub(super) acts: Vec<LoggedAct>,
    /// The copy is damaged.
    pub(super) is_damaged: bool,
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Reads the copy beside a log of this number. One of another log is given another name.
pub(super) fn read(database: &Path, generation: u32) -> io::Result<FoundActs> {
    let path = beside(database, ".acts");
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FoundActs::default()),
        Err(error) => return Err(error),
    };
    let of =
        bytes.get(MAGIC.len()..HEADER).and_then(|of| of.try_into().ok()).map(u32::from_le_bytes);
    match of {
        Some(of) if bytes.starts_with(MAGIC) && of == generation => Ok(acts(&bytes[HEADER..])),
        // It was made, and nothing was written yet.
        None => Ok(FoundActs::default()),
        Some(of) => {
            let aside = beside(database, &format!(".acts.of-{of}"));
            fs::rename(&path, &aside)?;
            tracing::warn!(
                file = %aside.display(),
                "acts beside the database belong to another log, from before a copy was restored: they were set aside"
            );
            Ok(FoundActs::default())
        }
    }
}

fn acts(mut bytes: &[u8]) -> FoundActs {
    let mut found = FoundActs::default();
    while !bytes.is_empty() {
        match act(bytes) {
            Some((act, rest)) => {
                found.acts.push(act);
                bytes = rest;
            }
            // The next one that is whole: a length may be what is damaged.
            None => {
                found.is_damaged = true;
                bytes = &bytes[1..];
            }
        }
    }
    found
}

/// The act at the beginning of bytes, if it is whole, and what follows it.
fn act(bytes: &[u8]) -> Option<(LoggedAct, &[u8])> {
    let number = |at: usize| {
        let bytes = bytes.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let length = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let (checksum, id, received_ms) = (number(0)?, number(8)?, number(16)?);
    let (match_length, length) =
        (usize::try_from(length(24)?).ok()?, usize::try_from(length(28)?).ok()?);
    if match_length > MATCH_ID_MAX || length > ACT_BYTES_MAX {
        return None;
    }
    let match_id = bytes.get(ACT_HEADER..ACT_HEADER + match_length)?;
    let payload = bytes.get(ACT_HEADER + match_length..ACT_HEADER + match_length + length)?;
    let match_id = std::str::from_utf8(match_id).ok()?;
    let match_id = (!match_id.is_empty()).then(|| match_id.to_owned());
    let act = LoggedAct { id, received_ms, match_id, payload: payload.to_vec() };
    let rest = &bytes[ACT_HEADER + match_length + length..];
    (checksum == checksum_of(&act)).then_some((act, rest))
}

fn checksum_of(act: &LoggedAct) -> u64 {
    let checksum = Checksum::default()
        .number(act.id.cast_signed())
        .number(act.received_ms.cast_signed())
        .text(act.match_id.as_deref())
        .bytes(act.payload.as_slice());
    checksum.value().cast_unsigned()
}

fn written(act: &LoggedAct, into: &mut Vec<u8>) {
    let match_id = act.match_id.as_deref().unwrap_or_default();
    let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes();
    into.extend(checksum_of(act).to_le_bytes());
    into.extend(act.id.to_le_bytes());
    into.extend(act.received_ms.to_le_bytes());
    into.extend(length(match_id.len()));
    into.extend(length(act.payload.len()));
    into.extend(match_id.as_bytes());
    into.extend(&act.payload);
}

impl ActsCopy {
    /// Begins the copy with acts that the log has: it is replaced, whole or not at all.
    pub(super) fn begin<'a>(
        database: &Path,
        generation: u32,
        acts: impl Iterator<Item = &'a LoggedAct>,
    ) -> io::Result<ActsCopy> {
        let (path, part) = (beside(database, ".acts"), beside(database, ".acts.part"));
        let mut bytes = MAGIC.to_vec();
        bytes.extend(generation.to_le_bytes());
        acts.for_each(|act| written(act, &mut bytes));
        match fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file =
            OpenOptions::new().append(true).create_new(true).mode(OWNER_ONLY).open(&part)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&part, &path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(ActsCopy { file, bytes: bytes.len() as u64 })
    }

    /// Whether it is to be begun again before more is written.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FILE_BYTES_MAX
    }

    /// Adds an act, and makes sure of it.
    pub(super) fn add(&mut self, act: &LoggedAct) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(ACT_HEADER + act.payload.len());
        written(act, &mut bytes);
        self.file.write_all(&bytes)?;
        self.bytes += bytes.len() as u64;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(id: u64) -> LoggedAct {
        let match_id = id.is_multiple_of(2).then(|| format!("m{id}"));
        LoggedAct { id, received_ms: 1_000 + id, match_id, payload: vec![id as u8; 40] }
    }

    #[test]
    fn a_copy_gives_every_act_that_is_whole_whatever_bit_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("event.sqlite");
        let written: Vec<LoggedAct> = (1..=5).map(logged).collect();
        let mut copy = ActsCopy::begin(&database, 7, written[..2].iter()).unwrap();
        written[2..].iter().for_each(|act| copy.add(act).unwrap());
        let found = read(&database, 7).unwrap();
        assert_eq!((found.acts.as_slice(), found.is_damaged), (written.as_slice(), false));
        let path = beside(&database, ".acts");
        let whole = fs::read(&path).unwrap();
        for bit in HEADER * 8..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let found = acts(&bytes[HEADER..]);
            assert!(found.is_damaged && found.acts.len() == 4, "{bit}");
            assert!(found.acts.iter().all(|act| written.contains(act)), "{bit}");
        }
        assert_eq!(acts(&whole[HEADER..whole.len() - 3]).acts, written[..4], "a torn end");
    }

    #[test]
    fn a_copy_of_another_log_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("event.sqlite");
        drop(ActsCopy::begin(&database, 7, [logged(1)].iter()).unwrap());
        assert_eq!(read(&database, 8).unwrap(), FoundActs::default());
        assert!(beside(&database, ".acts.of-7").exists() && !beside(&database, ".acts").exists());
    }
}
