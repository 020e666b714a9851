//! Builds the web pages that the adjudicator carries.

use std::path::Path;

use crate::{
    prerequisite::Prerequisite,
    workspace::{execute, root},
};

const WEB: &str = "adjudicator/web";

/// Installs the packages the lock file names and builds the pages.
pub(crate) fn build() -> Result<(), String> {
    if let Some(sentence) = Prerequisite::Node.missing() {
        return Err(format!("the pages need Node.js: {sentence}"));
    }
    install()?;
    execute(WEB, "npm", &["run", "--silent", "build"])
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
    let modified =
        |path: &str| web.join(path).metadata().and_then(|metadata| metadata.modified()).ok();
    match (modified("package-lock.json"), modified("node_modules/.package-lock.json")) {
        (Some(wanted), Some(installed)) => installed >= wanted,
        _ => false,
    }
}
