//! Pictures of the guides, taken from a demonstration with a seed.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use crate::{
    pages,
    prerequisite::Prerequisite,
    workspace::{build_program, execute, root, target},
};

const FOLDER: &str = "docs/pictures";

/// Options of the demonstration: children at three tables, three times as fast as real time.
const DEMO: [&str; 9] = [
    "demo",
    "--tables",
    "3",
    "--players=scholastic",
    "--seed=4",
    "--speed=3",
    "--matches=1",
    "--http",
    "127.0.0.1:0",
];

/// A demonstration that ends with this.
struct Demo(Child);

impl Drop for Demo {
    fn drop(&mut self) {
        // Fails only when it has ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Takes all pictures again.
pub(crate) fn run() -> Result<(), String> {
    if let Some(sentence) = Prerequisite::Chromium.missing() {
        return Err(format!("pictures need Chromium: {sentence}"));
    }
    pages::build()?;
    build_program()?;
    let (_demo, said) = start()?;
    let [address, director, pin] = &said;
    let folder = root().join(FOLDER);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{FOLDER}: {error}"))?;
    let folder = folder.to_string_lossy();
    execute("adjudicator/web", "node", &["pictures/take.mjs", address, director, pin, &folder])
}

/// Starts the demonstration; its address, the directors' address and the PIN.
fn start() -> Result<(Demo, [String; 3]), String> {
    let mut command = Command::new(target().join("debug/twinboard"));
    command.args(DEMO).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child =
        command.spawn().map_err(|error| format!("the demonstration does not start: {error}"))?;
    let lines = child.stdout.take().map(BufReader::new);
    let demo = Demo(child);
    let (mut address, mut director) = (None, None);
    for line in lines.into_iter().flat_map(|lines| lines.lines().map_while(Result::ok)) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("open") => address = words.next().map(str::to_owned),
            Some(word) if word.starts_with("http") => director = Some(word.to_owned()),
            Some("PIN") => {
                if let (Some(address), Some(director), Some(pin)) =
                    (address, director, words.next())
                {
                    return Ok((demo, [address, director, pin.to_owned()]));
                }
                break;
            }
            _ => {}
        }
    }
    Err("the demonstration has named no address and no PIN".to_owned())
}
