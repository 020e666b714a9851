//! Copies and putting them back, with what a crash, a full disk or another user has left beside them.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use database_file::CopyError;
use sqlx::Connection as _;

use super::{StoreLock, back_up, restore};
use crate::log::{
    Store,
    input::{InputKind, NewInput},
};

/// A database with so many inputs, still open.
async fn with_inputs(path: &Path, count: usize) -> Store {
    let store = Store::open(path).await.unwrap();
    for _ in 0..count {
        let input =
            NewInput { kind: InputKind::LinkUp, hub: None, match_id: None, payload: vec![] };
        store.append(1, input).await.unwrap();
    }
    store
}

/// Number of inputs in a database.
async fn inputs(path: &Path) -> u64 {
    let store = Store::open(path).await.unwrap();
    let last = store.last_id().await.unwrap();
    store.close().await;
    last
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A folder, a database in it and the name of a copy.
fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("event.sqlite"), folder.path().join("copy.sqlite"));
    (folder, path, copy)
}

/// A database whose copy has so many inputs, and which then got so many more. It is open still.
async fn written_on(path: &Path, copy: &Path, copied: usize, more: usize) -> Store {
    let store = with_inputs(path, copied).await;
    back_up(path, copy).await.unwrap();
    // Dropped connections close in the background, and the last one takes the log with it.
    with_inputs(path, more).await.close().await;
    store
}

/// Leaves a database as a killed process does: what was committed last stands in the log beside it.
async fn leave_killed(store: Store, path: &Path) {
    let log = fs::read(beside(path, "-wal")).unwrap();
    let main = fs::read(path).unwrap();
    store.close().await;
    fs::write(path, main).unwrap();
    fs::write(beside(path, "-wal"), log).unwrap();
}

#[tokio::test]
async fn a_log_that_a_lost_database_left_does_not_get_into_the_copy() {
    let (_folder, path, copy) = places();
    let store = written_on(&path, &copy, 1, 12).await;
    leave_killed(store, &path).await;
    fs::remove_file(&path).unwrap();
    let (_, kept) = restore(&path, &copy, 77).await.unwrap();
    assert_eq!((inputs(&path).await, kept), (1, None));
}

#[tokio::test]
async fn what_a_killed_restore_left_does_not_get_into_the_copy() {
    let (_folder, path, copy) = places();
    let store = written_on(&path, &copy, 1, 12).await;
    let part = beside(&path, ".part");
    fs::copy(beside(&path, "-wal"), beside(&part, "-wal")).unwrap();
    fs::copy(&path, &part).unwrap();
    store.close().await;
    let (copied, _) = restore(&path, &copy, 77).await.unwrap();
    assert_eq!((copied.content, inputs(&path).await), (1, 1));
    assert!(!part.exists() && !beside(&part, "-wal").exists());
}

#[tokio::test]
async fn what_is_kept_is_one_file_with_all_that_was_committed() {
    let (_folder, path, copy) = places();
    let store = written_on(&path, &copy, 2, 5).await;
    leave_killed(store, &path).await;
    let kept = restore(&path, &copy, 77).await.unwrap().1.expect("what was there is kept");
    assert!(!beside(&kept, "-wal").exists() && !beside(&path, "-wal").exists());
    assert_eq!((inputs(&path).await, inputs(&kept).await), (2, 7));
}

#[tokio::test]
async fn a_database_is_kept_however_damaged_it_is_and_gets_what_its_log_has() {
    let (_folder, path, copy) = places();
    let store = written_on(&path, &copy, 2, 5).await;
    leave_killed(store, &path).await;
    fs::write(&path, b"not what it was").unwrap();
    let kept = restore(&path, &copy, 77).await.unwrap().1.expect("what was there is kept");
    assert_eq!(inputs(&kept).await, 7, "its log had all of it");
    fs::write(&path, b"not what it was").unwrap();
    let kept = restore(&path, &copy, 78).await.unwrap().1.expect("what was there is kept");
    assert!(fs::read(&kept).unwrap() == b"not what it was");
    assert_eq!(inputs(&path).await, 2);
}

#[tokio::test]
async fn a_start_between_the_two_halves_of_a_restore_says_what_to_do() {
    let (_folder, path, copy) = places();
    with_inputs(&path, 3).await.close().await;
    back_up(&path, &copy).await.unwrap();
    fs::rename(&path, beside(&path, ".before-76")).unwrap();
    fs::copy(&copy, beside(&path, ".part")).unwrap();
    let refused = Store::open(&path).await.expect_err("refused").to_string();
    assert!(refused.contains("restore") && refused.contains(".part"), "{refused}");
    assert!(!path.exists(), "no empty database was made");
    restore(&path, &copy, 77).await.unwrap();
    assert_eq!(inputs(&path).await, 3);
}

#[tokio::test]
async fn a_copy_that_failed_leaves_nothing_behind_and_speaks_of_copies() {
    let (folder, path, copy) = places();
    let store = with_inputs(&path, 300).await;
    store.close().await;
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len();
    bytes[end / 2..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let refused = back_up(&path, &copy).await.unwrap_err().to_string();
    assert!(!refused.contains("acknowledged"), "{refused}");
    let left: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("copy")), "{left:?}");
}

#[tokio::test]
async fn nobody_else_can_read_a_database_its_log_or_a_copy() {
    let (folder, path, copy) = places();
    let store = with_inputs(&path, 1).await;
    back_up(&path, &copy).await.unwrap();
    let hold = || {
        for entry in fs::read_dir(&folder).unwrap() {
            let (name, about) = {
                let entry = entry.unwrap();
                (entry.file_name(), entry.metadata().unwrap())
            };
            assert_eq!(about.permissions().mode() & 0o077, 0, "{name:?}");
        }
    };
    hold();
    store.close().await;
    // As an earlier release made them.
    for file in [&path, &copy] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    }
    let store = Store::open(&path).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    store.close().await;
    restore(&path, &copy, 77).await.unwrap();
    fs::remove_file(&copy).unwrap();
    hold();
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let (folder, path, copy) = places();
    with_inputs(&path, 1).await.close().await;
    back_up(&path, &copy).await.unwrap();
    let away = folder.path().join("away");
    let refused = restore(&away.join("event.sqlite"), &copy, 1).await.unwrap_err().to_string();
    let told = format!("no folder {}", away.display());
    assert!(refused.contains(&told), "{refused}");
    let refused = back_up(&path, &away.join("copy.sqlite")).await.unwrap_err().to_string();
    assert!(refused.contains(&told), "{refused}");
}

#[tokio::test]
async fn what_root_puts_back_belongs_to_the_owner_of_the_folder() {
    /// Somebody who is not the one that runs this.
    const OWNER: u32 = 4321;
    let (folder, path, copy) = places();
    if std::os::unix::fs::chown(folder.path(), Some(OWNER), Some(OWNER)).is_err() {
        eprintln!("left out: only root can give a folder to somebody");
        return;
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("event.sqlite");
    with_inputs(&other, 1).await.close().await;
    back_up(&other, &copy).await.unwrap();
    restore(&path, &copy, 1).await.unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let (name, about) = {
            let entry = entry.unwrap();
            (entry.file_name(), entry.metadata().unwrap())
        };
        assert_eq!((about.uid(), about.gid()), (OWNER, OWNER), "{name:?}");
    }
}

#[tokio::test]
async fn copy_of_an_open_database_can_be_put_back_and_the_other_is_kept() {
    let (_folder, path, copy) = places();
    let store = with_inputs(&path, 3).await;
    assert_eq!(back_up(&path, &copy).await.unwrap().content, 3);
    assert!(matches!(back_up(&path, &copy).await, Err(CopyError::Exists(_))));
    with_inputs(&path, 2).await.close().await;
    let generation = store.generation();
    store.close().await;
    let (copied, kept) = restore(&path, &copy, 77).await.unwrap();
    assert_eq!(copied.content, 3);
    let kept = kept.expect("what was there is kept");
    let (put_back, before) = (Store::open(&path).await.unwrap(), Store::open(&kept).await.unwrap());
    assert_eq!(put_back.last_id().await.unwrap(), 3);
    assert_eq!(before.last_id().await.unwrap(), 5);
    assert_eq!(before.generation(), generation, "a log stays the same when it is opened again");
    assert_ne!(put_back.generation(), generation, "its numbers are those of another log");
}

#[tokio::test]
async fn damaged_copy_is_refused_and_the_database_stays() {
    let (_folder, path, copy) = places();
    with_inputs(&path, 3).await.close().await;
    for content in [&b"no database"[..], b""] {
        fs::write(&copy, content).unwrap();
        let refused = restore(&path, &copy, 1).await;
        assert!(matches!(refused, Err(CopyError::Damaged { .. })), "{refused:?}");
    }
    back_up(&path, &beside(&copy, ".2")).await.unwrap();
    let whole = fs::read(beside(&copy, ".2")).unwrap();
    fs::write(&copy, &whole[..whole.len() / 2]).unwrap();
    let refused = restore(&path, &copy, 1).await;
    assert!(matches!(refused, Err(CopyError::Damaged { .. })), "{refused:?}");
    assert_eq!(Store::open(&path).await.unwrap().last_id().await.unwrap(), 3);
    assert!(!beside(&path, ".part").exists());
}

#[tokio::test]
async fn nothing_is_put_back_below_a_running_adjudicator() {
    let (_folder, path, copy) = places();
    with_inputs(&path, 1).await.close().await;
    back_up(&path, &copy).await.unwrap();
    let lock = StoreLock::take(&path).unwrap();
    let refused = restore(&path, &copy, 1).await;
    assert!(matches!(refused, Err(CopyError::InUse(_))), "{refused:?}");
    drop(lock);
    restore(&path, &copy, 1).await.unwrap();
}

/// Executes a statement on a database that nobody has open.
async fn by_hand(path: &Path, statement: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut database = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query(statement).execute(&mut database).await.unwrap();
}

#[tokio::test]
async fn a_copy_that_would_act_by_itself_is_refused_and_the_database_stays() {
    for statement in [
        "CREATE TRIGGER empties AFTER INSERT ON input BEGIN UPDATE input SET payload = x'' WHERE id = new.id; END",
        "CREATE VIEW other AS SELECT * FROM input",
        "CREATE TABLE other (a TEXT)",
        "ALTER TABLE input ADD COLUMN other TEXT",
        "ALTER TABLE input ADD COLUMN other TEXT AS (hub || 'x') VIRTUAL",
        "DROP TABLE hub_position",
    ] {
        let (_folder, path, copy) = places();
        with_inputs(&path, 3).await.close().await;
        back_up(&path, &copy).await.unwrap();
        by_hand(&copy, statement).await;
        let refused = restore(&path, &copy, 1).await;
        assert!(matches!(refused, Err(CopyError::Damaged { .. })), "{statement}: {refused:?}");
        assert_eq!(inputs(&path).await, 3);
        assert!(!beside(&path, ".part").exists() && !beside(&path, ".source").exists());
    }
}

#[tokio::test]
async fn a_foreign_database_with_a_table_of_that_name_is_refused() {
    let (_folder, path, copy) = places();
    by_hand(&copy, "CREATE TABLE input (id INTEGER, payload BLOB)").await;
    let refused = restore(&path, &copy, 1).await;
    assert!(matches!(refused, Err(CopyError::Damaged { .. })), "{refused:?}");
    assert!(!path.exists());
}
