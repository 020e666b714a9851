//! Checks that the compiler does not make: every module says why it exists, no machine's paths, no
//! marks left behind, no rule numbers outside the rulebooks; in the adjudicator, no circles of rooms; in the crates that are listed for
//! it, no circles of modules, and no files and functions that are too long; in the shells of the hub no routing of their own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{module_graph, rule_numbers, shells, sizes, workspace::root};

/// Folders that hold nothing we wrote, by how their paths end.
const SKIPPED: &[&str] = &["target", "node_modules", "web/dist", ".git", "corpus", "artifacts"];

/// Checks every source file of the project.
///
/// # Errors
///
/// All findings, one a line.
pub(crate) fn run() -> Result<(), String> {
    let mut files = Vec::new();
    collect(&root(), &mut files)
        .map_err(|error| format!("cannot read the source tree: {error}"))?;
    let ids = fs::read_to_string(root().join(rule_numbers::IDS_FILE))
        .map(|source| rule_numbers::book_ids(&source))
        .map_err(|error| format!("{}: cannot be read: {error}", rule_numbers::IDS_FILE))?;
    let mut findings = Vec::new();
    let mut crates = vec![Vec::new(); module_graph::CRATES.len()];
    let mut roomed = Vec::new();
    if ids.is_empty() {
        findings.push(format!("{}: no rulebook's id found", rule_numbers::IDS_FILE));
    }
    for file in &files {
        let shown = file.strip_prefix(root()).unwrap_or(file).display().to_string();
        match fs::read_to_string(file) {
            Ok(text) => {
                findings.extend(check(&shown, &text));
                let room = shown.strip_prefix(module_graph::ROOMED).filter(|_| is_rust(&shown));
                if let Some(file) = room.filter(|file| !is_of_tests(file)) {
                    roomed.push((file.to_owned(), text.clone()));
                }
                let within = module_graph::CRATES.iter().zip(&mut crates);
                for (folder, files) in within {
                    let file = shown.strip_prefix(folder).filter(|_| is_rust(&shown));
                    let is_code = |file: &&str| *file != "tests.rs" && !file.ends_with("/tests.rs");
                    files.extend(file.filter(is_code).map(|file| (file.to_owned(), text.clone())));
                }
                if is_rust(&shown) && sizes::LIMITED.iter().any(|folder| shown.starts_with(folder))
                {
                    findings.extend(sizes::find(&shown, &text));
                }
                for (line, inside) in shells::find(&shown, &text) {
                    findings.push(format!(
                        "{shown}:{line}: a shell names {inside}: hand it to hub_core::hub::Hub, which routes"
                    ));
                }
                for (line, literal) in rule_numbers::find(&shown, &text, &ids) {
                    findings.push(format!(
                        "{shown}:{line}: {literal:?} is a rule's number: ask the book for a topic"
                    ));
                }
            }
            Err(error) => findings.push(format!("{shown}: cannot be read: {error}")),
        }
    }
    for (folder, files) in module_graph::CRATES.iter().zip(&crates) {
        if files.is_empty() {
            findings.push(format!("{folder}: no source file found"));
        }
        let circles = module_graph::circles(files);
        findings.extend(circles.iter().map(|circle| format!("{folder}: {circle}")));
    }
    if roomed.is_empty() {
        findings.push(format!("{}: no source file found", module_graph::ROOMED));
    }
    let rooms = module_graph::rooms(&roomed);
    findings.extend(rooms.iter().map(|finding| format!("{}: {finding}", module_graph::ROOMED)));
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !SKIPPED.iter().any(|skipped| path.ends_with(skipped)) {
                collect(&path, files)?;
            }
        } else if [".rs", ".ts", ".tsx", ".css", ".py", ".toml", ".md", ".proto"]
            .iter()
            .any(|end| path.to_string_lossy().ends_with(end))
        {
            files.push(path);
        }
    }
    Ok(())
}

fn is_of_tests(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("tests/")
}

fn is_rust(shown: &str) -> bool {
    shown.ends_with(".rs")
}

fn check(shown: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    if is_rust(shown) && !text.starts_with("//!") {
        findings.push(format!("{shown}: does not open with `//!` and why it exists"));
    }
    // Written in two halves, so that this file does not find itself.
    let marks = [
        concat!("FIX", "ME"),
        concat!("XX", "X "),
        concat!("HA", "CK"),
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
    ];
    for (number, line) in text.lines().enumerate() {
        for mark in marks.iter().filter(|mark| line.contains(**mark)) {
            findings.push(format!("{shown}:{}: {mark:?} does not belong here", number + 1));
        }
    }
    findings
}
