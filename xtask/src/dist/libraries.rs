//! Which shared libraries a program asks the loader for: none but those that every glibc system has.

use std::{path::Path, process::Command};

/// The C library in its parts, its loader, and the compiler's own; by how their names begin.
const SYSTEM: [&str; 4] = ["libc.so.", "libm.so.", "ld-linux-", "libgcc_s.so."];

/// Holds a program to the system's libraries.
///
/// # Errors
///
/// Which other it needs, or that it cannot be read.
pub(super) fn hold_to_system(program: &Path) -> Result<(), String> {
    let shown = program.display();
    let output = Command::new("readelf")
        .args(["--dynamic", "--wide"])
        .arg(program)
        .output()
        .map_err(|error| format!("`readelf` (of binutils) could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("{shown} is no program that `readelf` can read"));
    }
    match foreign(&String::from_utf8_lossy(&output.stdout))? {
        None => Ok(()),
        Some(library) => Err(format!("{shown} needs {library}, which a new system does not have")),
    }
}

/// The first library that is not the system's.
fn foreign(dynamic_section: &str) -> Result<Option<&str>, String> {
    let names = dynamic_section.lines().filter(|line| line.contains("(NEEDED)"));
    let names = names.map(|line| {
        let name = line.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        name.map(|(name, _)| name).ok_or_else(|| format!("`readelf` said {line:?}"))
    });
    let names = names.collect::<Result<Vec<_>, _>>()?;
    let is_system = |name: &&str| SYSTEM.iter().any(|beginning| name.starts_with(beginning));
    Ok(names.into_iter().find(|name| !is_system(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUBS: &str = "Dynamic section at offset 0x5d0 contains 3 entries:
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [ld-linux-aarch64.so.1]
 0x000000000000000c (INIT)               0x1000
";

    #[test]
    fn a_library_that_a_new_system_lacks_is_named() {
        assert_eq!(foreign(HUBS), Ok(None));
        let with_another = HUBS.replace("libc.so.6", "libsqlite3.so.0");
        assert_eq!(foreign(&with_another), Ok(Some("libsqlite3.so.0")));
        assert!(foreign(" 0x1 (NEEDED) said otherwise\n").is_err());
    }
}
