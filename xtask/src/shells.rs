//! The shells around the hub's core decide nothing: who gets what of ports and tables is said in `hub_core::hub` alone, so that the routing that
//! ships is the routing of the simulated hall. A shell that names the inside of that routing has begun a second one.

/// The shells.
const SHELLS: [&str; 2] = ["hub/src/", "sim/hall/src/"];
/// Types that only the routing handles.
const INSIDE: [&str; 5] = ["PortOutput", "TableOutput", "TableInput", "Registry", "Reorder"];

/// Lines of a shell that name the inside of the routing, each with what it names.
pub(crate) fn find<'a>(file: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    if !SHELLS.iter().any(|shell| file.starts_with(shell)) {
        return Vec::new();
    }
    let lines = text.lines().enumerate().flat_map(|(number, line)| {
        let code = line.split("//").next().unwrap_or_default();
        let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.filter(|word| INSIDE.contains(word)).map(move |word| (number + 1, word))
    });
    lines.collect()
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
}
