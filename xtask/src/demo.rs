//! The main job in one command: pages, program, three simulated tables of bughouse or chess, an address to open.

use crate::{
    pages,
    workspace::{cargo, execute},
};

/// Builds everything in release and runs `twinboard demo` with the arguments given.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    pages::build()?;
    let cargo = cargo();
    execute("", &cargo, &["build", "--release", "--locked", "--package", "twinboard"])?;
    let mut command =
        vec!["run", "--quiet", "--release", "--locked", "--package", "twinboard", "--", "demo"];
    command.extend(arguments.iter().map(String::as_str));
    execute("", &cargo, &command)
}
