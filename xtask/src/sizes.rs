//! Limits of files and functions, in the crates that have them.

/// Source folders in which files and functions are limited.
pub(crate) const LIMITED: &[&str] = &[
    "domain/rules/src/",
    "domain/readings/src/",
    "domain/action-model/src/",
    "domain/inference/src/",
    "domain/referee/src/",
    "delivery/src/",
    "delivery/database-file/src/",
    "proto/src/",
];
/// Lines of a file, its tests included, at most.
const FILE_MAX: usize = 600;
/// Lines of a function, from `fn` to its closing brace, at most.
const FUNCTION_MAX: usize = 60;

/// Too long parts of a file: one sentence each.
pub(crate) fn find(shown: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > FILE_MAX {
        findings.push(format!("{shown}: {lines} lines, more than {FILE_MAX}: split it by meaning"));
    }
    for (line, name, length) in functions(text) {
        if length > FUNCTION_MAX {
            findings.push(format!(
                "{shown}:{line}: `{name}` has {length} lines, more than {FUNCTION_MAX}: split it by meaning"
            ));
        }
    }
    findings
}

/// The functions of a formatted file: the line each begins on, its name and its length. The formatter gives a function's closing
/// brace the indentation of its first line.
fn functions(text: &str) -> Vec<(usize, String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let Some(name) = name_of(trimmed) else { continue };
        let close = format!("{}}}", &line[..line.len() - trimmed.len()]);
        if line.trim_end().ends_with(['}', ';']) {
            continue;
        }
        let end = lines[begin..].iter().position(|line| *line == close);
        found.extend(end.map(|end| (begin + 1, name.to_owned(), end + 1)));
    }
    found
}

/// The name of the function that a line begins, if it begins one.
fn name_of(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "fn" => return words.next()?.split(['(', '<']).next(),
            "const" | "unsafe" | "async" | "extern" => {}
            word if word.starts_with("pub") => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(lines: usize) -> String {
        format!(
            "    pub(crate) const fn long<T>(\n        a: T,\n    ) {{\n{}    }}\n",
            "        a();\n".repeat(lines - 4)
        )
    }

    #[test]
    fn function_is_counted_from_its_first_line_to_its_closing_brace() {
        let text = format!("impl A {{\n{}}}\n", function(FUNCTION_MAX));
        assert_eq!(functions(&text), [(2, "long".to_owned(), FUNCTION_MAX)]);
        assert_eq!(find("a.rs", &text), [""; 0]);
        let text = format!("impl A {{\n{}}}\n", function(FUNCTION_MAX + 1));
        assert_eq!(
            find("a.rs", &text),
            ["a.rs:2: `long` has 61 lines, more than 60: split it by meaning"]
        );
    }

    #[test]
    fn file_that_is_too_long_is_named() {
        let text = "\n".repeat(FILE_MAX + 1);
        assert_eq!(find("a.rs", &text), ["a.rs: 601 lines, more than 600: split it by meaning"]);
    }
}
