//! The page docs/cli.md: what each command prints for `--help`, so that the page cannot differ from the program.

use clap::{Command, CommandFactory as _};

use crate::Arguments;

const PAGE: &str = include_str!("../../docs/cli.md");
/// Environment variable with which the test writes the page instead of comparing it.
const WRITE: &str = "TWINBOARD_WRITE";
/// Width of the page's help texts, columns.
const WIDTH: usize = 100;
const OPENING: &str = "# The commands\n\nThe output of `twinboard --help`, and of each command with `--help`. This page is written by a test of the program.\n";

/// The page for a program.
fn page(program: Command) -> String {
    let mut program = program.term_width(WIDTH);
    program.build();
    let mut page = OPENING.to_owned();
    add(&mut page, &mut program, "twinboard");
    page
}

/// Adds a command, and below it its own commands, except the one that repeats their help.
fn add(page: &mut String, command: &mut Command, path: &str) {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## `{path}`\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
    for below in command.get_subcommands_mut().filter(|below| below.get_name() != "help") {
        let path = format!("{path} {}", below.get_name());
        add(page, below, &path);
    }
}

#[test]
fn the_page_of_commands_is_what_they_print() {
    let written = page(Arguments::command());
    if std::env::var_os(WRITE).is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cli.md");
        std::fs::write(path, written).unwrap();
        return;
    }
    assert!(written == PAGE, "docs/cli.md is another: write it again with {WRITE}=1");
}
