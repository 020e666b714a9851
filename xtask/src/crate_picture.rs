//! The picture of crates and rooms in ARCHITECTURE.md, written from the manifests and the source folders.
//!
//! An arrow leads from a crate to a crate that it uses; one that follows from two others is left out. A room is a folder of modules.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::workspace::root;

/// The page with the picture.
const PAGE: &str = "ARCHITECTURE.md";
/// Lines around the picture.
const BEGIN: &str = "<!-- written by `cargo xtask picture` -->";
const END: &str = "<!-- end of the picture -->";

/// A crate: its folder, the crates that it uses, and its rooms.
struct Member {
    folder: String,
    uses: BTreeSet<String>,
    rooms: Vec<String>,
}

/// Writes the picture into the page.
///
/// # Errors
///
/// Which file cannot be read or written, or that the page has no place for the picture.
pub(crate) fn run() -> Result<(), String> {
    let page = read(PAGE)?;
    let picture = draw(&members()?);
    let place = page.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some(format!("{before}{BEGIN}\n\n{picture}\n{END}{after}"))
    });
    let page = place.ok_or_else(|| format!("{PAGE} has no lines `{BEGIN}` and `{END}`"))?;
    fs::write(root().join(PAGE), page).map_err(|error| format!("{PAGE}: {error}"))
}

fn read(file: &str) -> Result<String, String> {
    fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))
}

/// The workspace's own crates by name, without those that only tasks need.
fn members() -> Result<BTreeMap<String, Member>, String> {
    let manifest = read("Cargo.toml")?;
    let mut found = BTreeMap::new();
    for (name, folder) in manifest.lines().filter_map(own_crate) {
        found.insert(name, folder);
    }
    found.insert("twinboard".to_owned(), "twinboard".to_owned());
    let names: BTreeSet<String> = found.keys().cloned().collect();
    let mut members = BTreeMap::new();
    for (name, folder) in found {
        let manifest = read(&format!("{folder}/Cargo.toml"))?;
        let uses = dependencies(&manifest).filter(|used| names.contains(used)).collect();
        let rooms = rooms(&root().join(&folder).join("src"));
        members.insert(name, Member { folder, uses, rooms });
    }
    Ok(members)
}

/// Name and folder in a line such as `rules = { path = "domain/rules" }`.
fn own_crate(line: &str) -> Option<(String, String)> {
    let (name, rest) = line.split_once(" = { path = \"")?;
    Some((name.to_owned(), rest.split_once('"')?.0.to_owned()))
}

/// The names in a manifest's table of dependencies; those of tests do not count.
fn dependencies(manifest: &str) -> impl Iterator<Item = String> {
    let table = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let lines = table.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| Some(line.split_once([' ', '.', '='])?.0.to_owned()))
}

fn rooms(source: &Path) -> Vec<String> {
    let entries = fs::read_dir(source).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "tests");
    names.sort();
    names
}

/// The picture: a graph of crates, and a table of rooms.
fn draw(members: &BTreeMap<String, Member>) -> String {
    let mut picture = String::from("```mermaid\ngraph BT\n");
    for (name, member) in members {
        for used in direct(name, members) {
            picture.push_str(&format!("    {name} --> {used}\n"));
        }
        if member.uses.is_empty() {
            picture.push_str(&format!("    {name}\n"));
        }
    }
    picture.push_str("```\n\n| crate | folder | rooms |\n|---|---|---|\n");
    for (name, Member { folder, rooms, .. }) in members {
        let rooms: Vec<String> = rooms.iter().map(|room| format!("`{room}`")).collect();
        picture.push_str(&format!("| {name} | `{folder}/` | {} |\n", rooms.join(" ")));
    }
    picture
}

/// The crates that a crate uses and that none of its other crates uses.
fn direct<'a>(name: &str, members: &'a BTreeMap<String, Member>) -> Vec<&'a str> {
    let Some(member) = members.get(name) else { return Vec::new() };
    let reached: Vec<BTreeSet<&str>> =
        member.uses.iter().map(|used| below(used, members)).collect();
    let is_direct = |used: &&String| !reached.iter().any(|set| set.contains(used.as_str()));
    member.uses.iter().filter(is_direct).map(String::as_str).collect()
}

/// All crates below one.
fn below<'a>(name: &str, members: &'a BTreeMap<String, Member>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = members[name].uses.iter().map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(members[next].uses.iter().map(String::as_str));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_that_follows_from_others_is_left_out() {
        let member = |uses: &[&str]| Member {
            folder: String::new(),
            uses: uses.iter().map(|name| (*name).to_owned()).collect(),
            rooms: Vec::new(),
        };
        let members = [("a", member(&["b", "c"])), ("b", member(&["c"])), ("c", member(&[]))];
        let members: BTreeMap<_, _> =
            members.into_iter().map(|(name, member)| (name.to_owned(), member)).collect();
        assert_eq!(direct("a", &members), ["b"]);
        assert_eq!(direct("b", &members), ["c"]);
    }

    #[test]
    fn dependencies_of_tests_do_not_count() {
        let manifest = "[package]\n\n[dependencies]\nrules = { workspace = true }\n\n[dev-dependencies]\nsim = 1\n";
        assert_eq!(dependencies(manifest).collect::<Vec<_>>(), ["rules"]);
    }
}
