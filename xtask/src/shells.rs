//! The shells around the hub's core decide nothing: who gets what of ports and tables is said in `hub_core::hub` alone, so that the routing that
//! ships is the routing of the simulated hall. A shell that names the inside of that routing has begun a second one; and one of the hub that looks into
//! the inputs of tables, or does with an output this or that, has begun to decide.

/// The shells.
const SHELLS: [&str; 2] = ["hub/src/", "sim/hall/src/"];
/// Types that only the routing handles.
const INSIDE: [&str; 5] = ["PortOutput", "TableOutput", "TableInput", "Registry", "Reorder"];
/// Types that the hub's shell hands on as they are. The simulated hall looks into them to break what is planted.
const HANDED_ON: [&str; 2] = ["NodeInput", "HubOutput"];

/// Lines of a shell that name the inside of the routing, or decide by what they hand on, each with what it names.
pub(crate) fn find<'a>(file: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    if !SHELLS.iter().any(|shell| file.starts_with(shell)) {
        return Vec::new();
    }
    // Tests look at what they get.
    let is_of_hub = file.starts_with(SHELLS[0]) && !file.ends_with("tests.rs");
    let lines = text.lines().enumerate().flat_map(|(number, line)| {
        let code = line.split("//").next().unwrap_or_default();
        let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let named = move |word: &&str| {
            INSIDE.contains(word)
                || (is_of_hub && HANDED_ON.contains(word) && decides_by(code, word))
        };
        words.filter(named).map(move |word| (number + 1, word))
    });
    lines.collect()
}

/// Whether a line takes an input apart, or has a condition on an output.
fn decides_by(code: &str, name: &str) -> bool {
    let pattern = format!("{name}::");
    let Some(at) = code.find(&pattern) else { return false };
    let (before, rest) = code.split_at(at);
    let is_taken_apart = before.trim_end().ends_with("let") || before.contains("matches!(");
    match name {
        "HubOutput" => {
            is_taken_apart || rest.split("=>").next().is_some_and(|it| it.contains(" if "))
        }
        _ => is_taken_apart || rest.contains("=>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_routes_by_itself_is_found() {
        let text = "match port.poll_output() {\n    Some(PortOutput::Left(left)) => {}\n";
        assert_eq!(find("hub/src/ports/port.rs", text), [(2, "PortOutput")]);
        assert_eq!(find("hub/core/src/hub.rs", text), []);
        assert_eq!(find("hub/src/run.rs", "let inputs: TableInputs; // a Registry"), []);
    }

    #[test]
    fn a_shell_that_decides_by_what_it_hands_on_is_found() {
        let file = "hub/src/table/mod.rs";
        for (line, found) in [
            ("NodeInput::Watermark { .. } => return,", vec![(1, "NodeInput")]),
            ("if let NodeInput::State { state, .. } = &input {", vec![(1, "NodeInput")]),
            ("if matches!(output, HubOutput::Notice(_)) {", vec![(1, "HubOutput")]),
            ("HubOutput::Commit(entry) if entry.rows.is_empty() => {}", vec![(1, "HubOutput")]),
            ("HubOutput::Commit(entry) => self.commit(*entry).await?,", vec![]),
            ("Some(order) => give(NodeInput::Order(order)),", vec![]),
        ] {
            assert_eq!(find(file, line), found, "{line}");
        }
        assert_eq!(find("sim/hall/src/world/floor.rs", "NodeInput::Watermark { .. } => None,"), []);
    }
}
