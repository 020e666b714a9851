//! A copy is restored in the place of the store of a killed adjudicator. Wherever that ends, the disk has the old contents, or the
//! whole copy.

use std::path::Path;

use adjudicator::log::{
    Store,
    input::{InputKind, NewInput},
    sqlite::{back_up, restore},
};

use crate::programs::{folder, promise};

const FILE: &str = "event.sqlite";
const COPY: &str = "copy.sqlite";
/// Number of inputs in the copy.
const COPIED: u64 = 3;
/// Number of inputs in the store before the restore; the last of them are only in its log.
const WRITTEN: u64 = 7;
/// Promises of the program: the old store is complete, and the copy is in its place.
const OLD: &str = "old";
const NEW: &str = "new";

#[tokio::test]
#[ignore = "is recorded by the tests of this folder"]
async fn writes() {
    let folder = folder();
    let (file, copy) = (folder.join(FILE), folder.join(COPY));
    let log = folder.join(format!("{FILE}-wal"));
    let store = Store::open(&file).await.expect("a store");
    for number in 1..=WRITTEN {
        let (kind, payload) = (InputKind::LinkUp, Vec::new());
        let input = NewInput { kind, hub: None, match_id: None, payload };
        assert_eq!(store.append(1, input).await.expect("committed"), number);
        if number == COPIED {
            back_up(&file, &copy).await.expect("a copy");
        }
    }
    // As a kill leaves it: closing would carry the log over.
    let left = [&file, &log].map(|file| (file, std::fs::read(file).expect("there")));
    store.close().await;
    std::fs::remove_file(&file).expect("removed");
    for (file, bytes) in left {
        std::fs::write(file, bytes).expect("written");
        std::fs::File::open(file).and_then(|file| file.sync_all()).expect("synced");
    }
    promise(&folder, &[OLD.to_owned()]);
    restore(&file, &copy, 1).await.expect("put back");
    promise(&folder, &[NEW.to_owned()]);
}

async fn inputs(file: &Path) -> u64 {
    let store = Store::open(file).await.expect("it opens");
    let inputs = store.last_id().await.expect("a number");
    store.close().await;
    inputs
}

/// Starts on the disk that a cut left. Returns whether the store was there. If not, the start must have reported it, and the same
/// restore makes the store whole.
pub(crate) async fn look(folder: &Path, promised: &[String]) -> bool {
    let is_promised = |what: &str| promised.iter().any(|line| line == what);
    if !is_promised(OLD) {
        return true;
    }
    let (file, copy) = (folder.join(FILE), folder.join(COPY));
    let started = Store::open(&file).await;
    let is_there = started.is_ok();
    match started {
        Ok(store) => {
            let found = store.last_id().await.expect("a number");
            store.close().await;
            assert!(found == COPIED || found == WRITTEN && !is_promised(NEW), "{found} inputs");
        }
        Err(error) => {
            assert!(error.to_string().contains("`twinboard restore` again"), "{error}");
            restore(&file, &copy, 2).await.expect("put back");
            assert_eq!(inputs(&file).await, COPIED);
        }
    }
    let mut most = inputs(&file).await;
    for kept in [1, 2].map(|number| folder.join(format!("{FILE}.before-{number}"))) {
        if kept.exists() {
            most = most.max(inputs(&kept).await);
        }
    }
    assert_eq!(most, WRITTEN, "nothing that was committed is lost");
    is_there
}
