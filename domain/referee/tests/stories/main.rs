//! Stories: situations that a director can read, judged under every book they name (`stories/README.md`).
//!
//! One harness reads the Markdown files, plays each story to a referee under each book, and compares the outcome with the story's
//! `says` block. With `TWINBOARD_STORIES=update` it writes the outcome into the block instead.

#![allow(
    clippy::disallowed_methods,
    reason = "stories are files, and the environment says whether to update them"
)]

mod differences;
mod event;
mod lists;
mod said;
mod story;
mod table;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use story::Story;

/// The folder of the stories.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/stories");

/// The variable that makes the harness write the outcome.
const UPDATE: &str = "TWINBOARD_STORIES";

/// Every story file, in order of path.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(Path::new(FOLDER), &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder of the stories");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "md")
            && path.file_name().is_some_and(|name| name != "README.md")
        {
            files.push(path);
        }
    }
}

/// Every story, read.
fn stories() -> Vec<Story> {
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a readable story");
        story::read(path, &text).unwrap_or_else(|problem| panic!("{problem}"))
    };
    files().iter().flat_map(read).collect()
}

#[test]
fn every_story_is_judged_as_it_says() {
    let update = std::env::var(UPDATE).is_ok_and(|word| word == "update");
    let mut differences = String::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable story");
        let stories = story::read(&path, &text).unwrap_or_else(|problem| panic!("{problem}"));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // From the last to the first, so that line numbers before a rewritten block stay true.
        for story in stories.iter().rev() {
            let said =
                said::all(story).unwrap_or_else(|problem| panic!("{}: {problem}", story.place()));
            if said != story.expected {
                let _ = write!(differences, "{}", difference(story, &said));
                lines.splice(story.says_lines.clone(), said);
            }
        }
        if update {
            std::fs::write(&path, lines.join("\n") + "\n").expect("a writable story");
        }
    }
    assert!(
        update || differences.is_empty(),
        "{differences}\n{UPDATE}=update cargo test -p referee --test stories writes what is said now"
    );
}

/// Lines that are only in the story, and lines that are only in the outcome.
fn difference(story: &Story, said: &[String]) -> String {
    let mut text = format!("{}\n", story.place());
    for line in story.expected.iter().filter(|line| !said.contains(line)) {
        let _ = writeln!(text, "  - {line}");
    }
    for line in said.iter().filter(|line| !story.expected.contains(line)) {
        let _ = writeln!(text, "  + {line}");
    }
    text
}
