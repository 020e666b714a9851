//! Share of the decisive moments that the stream's automatic director shows, measured on rounds that hands played.

use crate::{
    pages,
    workspace::{cargo, execute, target},
};

/// Rounds without a word about others.
const ROUNDS: &str = "20";
/// The first round that is measured; the director's numbers were chosen on earlier ones.
const FIRST: &str = "401";
/// Folder of the rounds, below the target folder.
const FOLDER: &str = "rounds";

/// Plays rounds and has the director watch them: `[FIRST_SEED ROUNDS [FILE …]] [--detail]`, of the shipped matches or of those of BPGN files.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (options, given): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|one| one.starts_with("--"));
    let (first, rounds, files) = match given.as_slice() {
        [first, rounds, files @ ..] => (*first, *rounds, files),
        _ => (FIRST, ROUNDS, &[][..]),
    };
    pages::install()?;
    let folder = target().join(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{FOLDER}: {error}"))?;
    }
    let folder = folder.to_string_lossy();
    let of_example = ["run", "--quiet", "--release", "--locked", "--package", "twinboard"];
    let mut command = of_example.to_vec();
    command.extend(["--example", "rounds", "--", &folder, first, rounds]);
    command.extend(files);
    execute("", &cargo(), &command)?;
    let mut command = vec!["checks/director.mjs", &folder];
    command.extend(options);
    execute("adjudicator/web", "node", &command)
}
