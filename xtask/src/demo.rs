//! The main job in one command: pages, program, three simulated tables of bughouse or chess, an address to open.

use crate::{
    cluster, pages,
    workspace::{cargo, execute},
};

/// Builds everything in release and runs `twinboard demo` with the arguments given.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(("--cluster", rest)) = arguments.split_first().map(|(it, rest)| (it.as_str(), rest))
    {
        return cluster::demo(rest);
    }
    pages::build()?;
    let cargo = cargo();
    execute("", &cargo, &["build", "--release", "--locked", "--package", "twinboard"])?;
    let mut command =
        vec!["run", "--quiet", "--release", "--locked", "--package", "twinboard", "--", "demo"];
    command.extend(arguments.iter().map(String::as_str));
    execute("", &cargo, &command)
}
