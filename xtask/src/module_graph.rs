//! Graph of modules, and its circles.
//!
//! It reads the `use` trees, paths that begin with `crate::`, and paths through a module's own child. A path through a
//! re-export leads to the module that defines the item. Two rules hold for the crates in [`CRATES`]: no modules use one another
//! in a circle, and neither do the rooms of any folder, a room being a file or a folder with everything below it. Test modules
//! may use what they like.
//!
//! Not seen: a method called on a value whose type the caller does not name. A file may hold an `impl` block of a type that
//! another room defines, and any room that has such a value uses that file without a path to it. So a circle by method calls is
//! not found. An `impl` block therefore stands in the room of its type, and what belongs elsewhere is a function that takes the
//! value: it is called by its path.

use std::collections::{BTreeMap, BTreeSet};

/// The source folders that these rules hold for.
pub(crate) const CRATES: &[&str] = &[
    "domain/rules/src/",
    "domain/readings/src/",
    "domain/action-model/src/",
    "domain/inference/src/",
    "domain/referee/src/",
    "delivery/src/",
    "delivery/database-file/src/",
    "proto/src/",
    "sim/src/",
    "sim/power-cut/src/",
    "twinboard/src/",
    "xtask/src/",
];

/// The source folder whose rooms are checked by [`rooms`].
pub(crate) const ROOMED: &str = "adjudicator/src/";

/// Arrows between rooms that must not be: the first must not use the second.
const FORBIDDEN: &[(&str, &str)] = &[
    ("hall::tables", "hall::event"),
    ("hall::event", "hall::tables"),
    ("views", "owner"),
    ("views", "front"),
];

/// Words that a room must not have: the fold knows no protobuf, no database and no clock, and each half of it not the whole.
const WITHOUT: &[(&str, &[&str])] = &[
    ("hall", &["prost", "sqlx", "Instant", "SystemTime"]),
    ("hall::tables", &["Hall"]),
    ("hall::event", &["Hall"]),
];

/// A module by its names from the crate's root, which has none.
type Path = Vec<String>;
/// Re-exports that a path is followed through at most.
const MAX_REEXPORTS: usize = 8;

/// The modules of these files of one crate: each its path from the source folder, and its text.
fn modules(files: &[(String, String)]) -> BTreeMap<Path, String> {
    files.iter().map(|(file, text)| (module_of(file), without_tests(text))).collect()
}

fn is_within(module: &str, room: &str) -> bool {
    module.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// What the rooms of a crate's root must not do: use one another in a circle, or go against [`FORBIDDEN`] and [`WITHOUT`].
pub(crate) fn rooms(files: &[(String, String)]) -> Vec<String> {
    let modules = modules(files);
    let mut found = Vec::new();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in uses(&modules) {
        if let (Some(a), Some(b)) = (from.first(), to.first())
            && a != b
        {
            edges.entry(a.clone()).or_default().insert(b.clone());
        }
        let (from, to) = (shown(&from), shown(&to));
        let mut arrows = FORBIDDEN.iter();
        if arrows.any(|(one, other)| is_within(&from, one) && is_within(&to, other)) {
            found.push(format!("{from} must not use {to}: see ARCHITECTURE.md"));
        }
    }
    found
        .extend(circle(&edges).map(|names| {
            format!("rooms of the crate's root use one another in a circle: {names}")
        }));
    for (module, text) in &modules {
        for (room, words) in WITHOUT {
            let words = words.iter().filter(|word| {
                let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
                text.split(|letter: char| !is_part(letter)).any(|part| part == **word)
            });
            let module = shown(module);
            if is_within(&module, room) {
                found.extend(words.map(|word| format!("{module} must not name {word}")));
            }
        }
    }
    found
}

/// The circles among these files of one crate: each its path from the source folder, and its text.
pub(crate) fn circles(files: &[(String, String)]) -> Vec<String> {
    let modules = modules(files);
    let uses = uses(&modules);
    let mut found = Vec::new();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in &uses {
        edges.entry(shown(from)).or_default().insert(shown(to));
    }
    found.extend(
        circle(&edges).map(|names| format!("modules use one another in a circle: {names}")),
    );
    let mut rooms: BTreeMap<Path, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (from, to) in &uses {
        let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
            let folder = rooms.entry(from[..common].to_vec()).or_default();
            folder.entry(a.clone()).or_default().insert(b.clone());
        }
    }
    for (folder, edges) in &rooms {
        let place = shown(folder);
        found.extend(
            circle(edges)
                .map(|names| format!("rooms of {place} use one another in a circle: {names}")),
        );
    }
    found
}

fn shown(path: &Path) -> String {
    if path.is_empty() { "the crate's root".to_owned() } else { path.join("::") }
}

fn module_of(file: &str) -> Path {
    let mut names: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        names.pop();
    }
    names
}

/// The text up to its test module, without comments.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().map_or("", |next| next.trim());
        let is_test = line.starts_with("#[cfg(test") || line.starts_with("#[cfg(all(test");
        if is_test && (next.starts_with("mod ") || next.contains(") mod ")) {
            break;
        }
        kept.push_str(line.split("//").next().unwrap_or_default());
        kept.push('\n');
    }
    kept
}

/// One `use`: whether it is a re-export, how far it is indented, and the paths it names.
struct Use {
    is_reexport: bool,
    is_indented: bool,
    paths: Vec<(Path, String)>,
}

/// The `use`s of a text, and the text without them.
fn split_uses(text: &str) -> (Vec<Use>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        let (is_reexport, tree) = match trimmed.strip_prefix("use ") {
            Some(tree) => (false, Some(tree)),
            None if trimmed.starts_with("pub") => {
                (true, trimmed.split_once(" use ").map(|(_, tree)| tree))
            }
            None => (false, None),
        };
        let Some(tree) = tree else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let mut tree = tree.to_owned();
        while !tree.contains(';') {
            let Some(more) = lines.next() else { break };
            tree.push(' ');
            tree.push_str(more.trim());
        }
        let tree = tree.split(';').next().unwrap_or_default();
        let mut paths = Vec::new();
        flatten(&mut Tokens::of(tree), &[], &mut paths);
        found.push(Use { is_reexport, is_indented: trimmed.len() < line.len(), paths });
    }
    (found, rest)
}

/// The words of a `use` tree.
struct Tokens(Vec<String>, usize);

impl Tokens {
    fn of(tree: &str) -> Tokens {
        let mut words = Vec::new();
        let mut word = String::new();
        for character in tree.chars() {
            if character.is_alphanumeric() || character == '_' || character == '*' {
                word.push(character);
                continue;
            }
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if "{},".contains(character) {
                words.push(character.to_string());
            }
        }
        words.extend((!word.is_empty()).then_some(word));
        Tokens(words, 0)
    }

    fn peek(&self) -> Option<&str> {
        self.0.get(self.1).map(String::as_str)
    }

    fn next(&mut self) -> Option<String> {
        let word = self.0.get(self.1).cloned();
        self.1 += 1;
        word
    }
}

/// Adds the paths of a tree below `prefix`, each with the name that it gets.
fn flatten(tokens: &mut Tokens, prefix: &[String], paths: &mut Vec<(Path, String)>) {
    let mut path = prefix.to_vec();
    loop {
        match tokens.peek() {
            Some("{") => {
                tokens.next();
                while tokens.peek().is_some_and(|word| word != "}") {
                    flatten(tokens, &path, paths);
                    if tokens.peek() == Some(",") {
                        tokens.next();
                    }
                }
                tokens.next();
                return;
            }
            Some("as") => {
                tokens.next();
                let name = tokens.next().unwrap_or_default();
                paths.push((path, name));
                return;
            }
            Some("," | "}") | None => {
                let name = path.last().cloned().unwrap_or_default();
                paths.push((path, name));
                return;
            }
            Some("self") if path.len() > prefix.len() || !prefix.is_empty() => {
                tokens.next();
            }
            Some(_) => path.extend(tokens.next()),
        }
    }
}

/// The path from the crate's root; none for a path into another crate.
fn absolute(path: &[String], module: &[String], modules: &BTreeMap<Path, String>) -> Option<Path> {
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let up = path.iter().take_while(|name| *name == "super").count();
            Some([&module[..module.len().checked_sub(up)?], &path[up..]].concat())
        }
        first => {
            let child = [module, &[first.to_owned()]].concat();
            modules.contains_key(&child).then(|| [module, path].concat())
        }
    }
}

/// The module that defines what a path leads to.
fn defining(
    path: Path,
    modules: &BTreeMap<Path, String>,
    reexports: &BTreeMap<Path, Path>,
) -> Option<Path> {
    let mut path = path;
    for _ in 0..MAX_REEXPORTS {
        // A function may be re-exported under a module's name: only the last word of a path can be that function.
        let is_module = |at: usize| at < path.len() && modules.contains_key(&path[..at]);
        let mut places = (1..=path.len()).rev().filter(|&at| !is_module(at));
        let through = places.find_map(|at| Some((at, reexports.get(&path[..at])?)));
        let Some((at, target)) = through else { break };
        path = [target, &path[at..]].concat();
    }
    (0..=path.len()).rev().map(|at| path[..at].to_vec()).find(|module| modules.contains_key(module))
}

/// Every use of one module by another.
fn uses(modules: &BTreeMap<Path, String>) -> BTreeSet<(Path, Path)> {
    let mut reexports: BTreeMap<Path, Path> = BTreeMap::new();
    let mut parts: BTreeMap<&Path, (Vec<Use>, String)> = BTreeMap::new();
    for (module, text) in modules {
        let (uses, rest) = split_uses(text);
        for one in uses.iter().filter(|one| one.is_reexport) {
            for (path, name) in &one.paths {
                if let Some(target) = absolute(path, module, modules) {
                    reexports.insert([&module[..], std::slice::from_ref(name)].concat(), target);
                }
            }
        }
        parts.insert(module, (uses, rest));
    }
    let mut found = BTreeSet::new();
    for (module, (uses, rest)) in parts {
        let mut add = |path: Option<Path>| {
            let target = path.and_then(|path| defining(path, modules, &reexports));
            if let Some(target) = target.filter(|target| target != module) {
                found.insert((module.clone(), target));
            }
        };
        for one in uses.iter().filter(|one| !one.is_reexport) {
            let mut inside = module.clone();
            inside.extend(one.is_indented.then(|| "a module within".to_owned()));
            one.paths.iter().for_each(|(path, _)| add(absolute(path, &inside, modules)));
        }
        for path in paths_in(&rest) {
            if path.len() > 1 && path[0] != "super" {
                add(absolute(&path, module, modules));
            }
        }
    }
    found
}

/// The paths in code: words with `::` between them.
fn paths_in(code: &str) -> Vec<Path> {
    let is_part = |character: char| character.is_alphanumeric() || "_:".contains(character);
    let words = code.split(|character| !is_part(character)).filter(|word| word.contains("::"));
    words.map(|word| word.split("::").map(str::to_owned).collect()).collect()
}

/// The names of one circle, each using the next, if there is any.
fn circle(edges: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        left.entry(from).or_default().extend(to.iter().map(String::as_str));
    }
    // A module that uses none of the remaining ones is in no circle.
    loop {
        let names: BTreeSet<&str> = left.keys().copied().collect();
        for to in left.values_mut() {
            to.retain(|name| names.contains(name));
        }
        let before = left.len();
        left.retain(|_, to| !to.is_empty());
        if left.len() == before {
            break;
        }
    }
    let mut way: Vec<&str> = vec![*left.keys().next()?];
    loop {
        let next = *left.get(way.last()?)?.iter().next()?;
        if let Some(at) = way.iter().position(|name| *name == next) {
            way.push(next);
            return Some(way[at..].join(" -> "));
        }
        way.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> =
            files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
        circles(&files)
    }

    #[test]
    fn two_files_that_use_one_another_are_a_circle() {
        let files = [("a.rs", "use crate::b::B;\n"), ("b.rs", "use super::a::{A, self};\n")];
        assert_eq!(
            found(&files),
            [
                "modules use one another in a circle: a -> b -> a",
                "rooms of the crate's root use one another in a circle: a -> b -> a"
            ]
        );
        assert_eq!(found(&files[..1]), [""; 0]);
    }

    #[test]
    fn rooms_that_use_one_another_by_different_files_are_a_circle_too() {
        let files = [
            ("a/one.rs", "use crate::{\n    b::{two::Two},\n};\n"),
            ("a/three.rs", "\n"),
            ("b/two.rs", "fn f() { crate::a::three::g(); }\n"),
        ];
        assert_eq!(
            found(&files),
            ["rooms of the crate's root use one another in a circle: a -> b -> a"]
        );
    }

    #[test]
    fn a_path_through_a_re_export_leads_to_whoever_defines_the_item() {
        let files = [
            ("room/mod.rs", "mod one;\nmod two;\npub(crate) use one::One;\n"),
            ("room/one.rs", "pub(crate) struct One;\n"),
            ("room/two.rs", "use super::One;\n"),
        ];
        assert_eq!(found(&files), [""; 0]);
        let child = [
            ("room/mod.rs", "mod one;\nfn f() { one::f() }\npub(crate) struct Here;\n"),
            ("room/one.rs", "use super::Here;\n"),
        ];
        assert_eq!(
            found(&child),
            ["modules use one another in a circle: room -> room::one -> room"]
        );
    }

    #[test]
    fn rooms_of_the_root_are_in_no_circle_and_files_of_one_room_may_be() {
        let found = |files: &[(&str, &str)]| {
            let owned = |(file, text): &(&str, &str)| ((*file).to_owned(), (*text).to_owned());
            rooms(&files.iter().map(owned).collect::<Vec<_>>())
        };
        let inside = [("a/one.rs", "use super::two::T;\n"), ("a/two.rs", "use super::one::O;\n")];
        assert_eq!(found(&inside), [""; 0]);
        let across = [("a/one.rs", "use crate::b::B;\n"), ("b.rs", "use crate::a::one::O;\n")];
        assert_eq!(
            found(&across),
            ["rooms of the crate's root use one another in a circle: a -> b -> a"]
        );
        let arrow =
            [("views/a.rs", "use crate::owner::follower::F;\n"), ("owner/follower.rs", "\n")];
        assert_eq!(found(&arrow), ["views::a must not use owner::follower: see ARCHITECTURE.md"]);
        let word = [("hall/a.rs", "use std::time::Instant;\n")];
        assert_eq!(found(&word), ["hall::a must not name Instant"]);
    }

    #[test]
    fn tests_and_comments_may_name_what_they_like() {
        let files = [
            ("a.rs", "use crate::b::B;\n"),
            ("b.rs", "// crate::a::A\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }
}
