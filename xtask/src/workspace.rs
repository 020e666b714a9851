//! Where things are, and how commands are run there.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Every crate but the program itself. Whoever tests one of them names them all, and then the test: cargo chooses the features of what
/// is shared by the packages that are named, and would build hundreds of crates anew for each choice.
pub(crate) const CRATES: [&str; 4] = ["--locked", "--workspace", "--exclude", "twinboard"];

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Runs a command in a folder of the workspace (`""` for its root) with its output shown.
///
/// # Errors
///
/// A sentence naming the command when it cannot be started or fails.
pub(crate) fn execute(folder: &str, program: &str, arguments: &[&str]) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    let status = Command::new(program)
        .args(arguments)
        .current_dir(root().join(folder))
        .status()
        .map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        let place = if folder.is_empty() { "the workspace's root" } else { folder };
        Err(format!("`{shown}` in {place} failed ({status})"))
    }
}
