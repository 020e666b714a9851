//! The main job in one command: pages, program, three simulated tables of bughouse or chess, an address to open.

use crate::{
    cluster,
    machines::{RELEASE, TRYOUT},
    pages,
    workspace::{cargo, execute, target},
};

/// Builds everything, only inference optimised, and runs `twinboard demo` with the arguments given. `--release` builds it as it is
/// released, which takes twice the time: for many tables at a high speed.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(("--cluster", rest)) = arguments.split_first().map(|(it, rest)| (it.as_str(), rest))
    {
        return cluster::demo(rest);
    }
    pages::build()?;
    let is_release = |argument: &&str| *argument == "--release";
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let profile = if arguments.iter().any(is_release) { RELEASE } else { TRYOUT };
    let build = ["build", "--profile", profile, "--locked", "--package", "twinboard"];
    execute("", &cargo(), &build)?;
    let program = target().join(profile).join("twinboard");
    let arguments = arguments.into_iter().filter(|argument| !is_release(argument));
    let arguments: Vec<&str> = std::iter::once("demo").chain(arguments).collect();
    execute("", &program.to_string_lossy(), &arguments)
}
