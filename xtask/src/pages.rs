//! Builds the web pages that the adjudicator carries.

use std::{path::Path, time::SystemTime};

use crate::{
    prerequisite::Prerequisite,
    workspace::{execute, root},
};

const WEB: &str = "adjudicator/web";

/// Sources of the pages, below [`WEB`].
const SOURCES: [&str; 7] = [
    "src",
    "public",
    "index.html",
    "replay.html",
    "package-lock.json",
    "vite.config.ts",
    "vite.replay.config.ts",
];
/// The files that the two builds write last, below [`WEB`].
const BUILT: [&str; 2] = ["dist/index.html", "dist/replay.html"];

/// Installs the packages the lock file names and builds the pages, unless they are built from these sources already.
pub(crate) fn build() -> Result<(), String> {
    if let Some(sentence) = Prerequisite::Node.missing() {
        return Err(format!("the pages need Node.js: {sentence}"));
    }
    install()?;
    if is_built(&root().join(WEB)) {
        return Ok(());
    }
    execute(WEB, "npm", &["run", "--silent", "build"])
}

/// Whether every built file is newer than every source.
fn is_built(web: &Path) -> bool {
    let built = BUILT.iter().map(|file| modified(&web.join(file)));
    let Some(Some(built)) = built.min() else { return false };
    SOURCES.iter().all(|source| newest(&web.join(source)).is_some_and(|newest| newest < built))
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Time of the last change of a file, or of anything in a folder; none where it cannot be read.
fn newest(path: &Path) -> Option<SystemTime> {
    let own = modified(path)?;
    if !path.is_dir() {
        return Some(own);
    }
    std::fs::read_dir(path)
        .ok()?
        .try_fold(own, |latest, entry| Some(latest.max(newest(&entry.ok()?.path())?)))
}

/// The pages' own checks and tests.
pub(crate) fn test() -> Result<(), String> {
    build()?;
    execute(WEB, "npm", &["run", "--silent", "check"])?;
    execute(WEB, "npm", &["test", "--silent"])
}

/// Tests of the pages in Chromium before a hall of recorded matches; the pages are built.
pub(crate) fn test_in_browser() -> Result<(), String> {
    execute(WEB, "npm", &["run", "--silent", "browser"])
}

/// Installs the packages the lock file names.
pub(crate) fn install() -> Result<(), String> {
    let web = root().join(WEB);
    if is_current(&web) {
        return Ok(());
    }
    execute(WEB, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"])
}

/// npm writes a copy of the lock file into `node_modules` when it is done.
fn is_current(web: &Path) -> bool {
    let modified = |path: &str| modified(&web.join(path));
    match (modified("package-lock.json"), modified("node_modules/.package-lock.json")) {
        (Some(wanted), Some(installed)) => installed >= wanted,
        _ => false,
    }
}
