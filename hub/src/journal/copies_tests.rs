//! Copies of a journal and putting them back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use database_file::CopyError;

use super::tests::{close, entry, input, options};
use super::*;

/// A journal with some rows, open.
async fn written(folder: &Path, rows: std::ops::Range<u32>) -> Opened {
    let opened = Journal::open(options(folder)).await.unwrap();
    opened.journal.write(entry(vec![input(1, None)], rows)).await.unwrap();
    opened.journal.flush().await.unwrap();
    opened
}

async fn rows(file: &Path) -> usize {
    Reader::open(file).await.unwrap().rows_after(0, 100).await.unwrap().len()
}

#[tokio::test]
async fn a_journal_that_was_closed_is_one_file_also_while_somebody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let opened = written(folder.path(), 1..4).await;
    let file = options(folder.path()).file;
    let reader = Reader::open(&file).await.unwrap();
    assert_eq!(reader.rows_after(0, 9).await.unwrap().len(), 3);
    close(opened).await;
    let log = fs::metadata(file.with_extension("sqlite-wal"));
    assert_eq!(log.map_or(0, |log| log.len()), 0);
    assert_eq!(reader.rows_after(0, 9).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_copy_of_a_journal_is_put_back_when_its_hub_has_stopped_and_the_other_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (options(folder.path()).file, folder.path().join("copy.sqlite"));
    let opened = written(folder.path(), 1..4).await;
    let copied = back_up(&file, &copy).await.unwrap().content;
    assert_eq!((copied.hub_id.as_str(), copied.rows), ("hub-1", 3));
    assert!(matches!(back_up(&file, &copy).await, Err(CopyError::Exists(_))));
    let refused = restore(&file, &copy, 5).await;
    assert!(matches!(refused, Err(CopyError::InUse(_))), "{refused:?}");
    opened.journal.write(entry(Vec::new(), 4..6)).await.unwrap();
    opened.journal.flush().await.unwrap();
    let first = opened.journal.boot_id();
    close(opened).await;
    let kept = restore(&file, &copy, 5).await.unwrap().1.expect("what was there is kept");
    assert_eq!((rows(&file).await, rows(&kept).await), (3, 5));
    let opened = Journal::open(options(folder.path())).await.unwrap();
    assert_ne!(opened.journal.boot_id(), first);
    close(opened).await;
}

#[tokio::test]
async fn what_is_no_journal_is_not_put_in_the_place_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (options(folder.path()).file, folder.path().join("copy.sqlite"));
    close(written(folder.path(), 1..4).await).await;
    for content in [&b"no journal"[..], b""] {
        fs::write(&copy, content).unwrap();
        let refused = restore(&file, &copy, 5).await;
        assert!(matches!(refused, Err(CopyError::Damaged { .. })), "{refused:?}");
    }
    assert_eq!(rows(&file).await, 3);
}

#[tokio::test]
async fn nobody_else_can_read_a_journal_or_its_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (options(folder.path()).file, folder.path().join("copy.sqlite"));
    let opened = written(folder.path(), 1..4).await;
    back_up(&file, &copy).await.unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?}", entry.file_name());
    }
    close(opened).await;
}

#[tokio::test]
async fn a_hub_that_starts_between_the_two_halves_of_a_restore_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = options(folder.path()).file;
    fs::write(file.with_extension("sqlite.part"), b"a copy").unwrap();
    let refused = Journal::open(options(folder.path())).await.unwrap_err().to_string();
    assert!(refused.contains("`twinboard restore` again"), "{refused}");
}
