//! What a page says before its scripts have come: on a bad network that is the first second or two.
//!
//! Tables with who plays there and how it stands, as plain links. It is what an audience sees, so delays, silence and names are decided where
//! they always are. The scripts show it until they have something better.

use std::fmt::Write as _;

use crate::views::{
    TableView,
    read_view::{Shown, Sight},
};

/// Most tables of the list: what a phone can show and a slow line carry.
const TABLES_MAX: usize = 64;

/// The first content of a page as HTML; none for pages that have none.
pub(super) fn content(event: &str, sight: &Sight, path: &str) -> Option<String> {
    let mut parts = path.trim_matches('/').split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(""), None, None) => {
            let tables = sight.tables().into_iter().take(TABLES_MAX);
            Some(list(event, tables.map(|(hall, table)| TableView::of(hall, table))))
        }
        (Some("table"), Some(name), None) => {
            let found = sight.table(name);
            found.map(|(hall, table)| one(&TableView::of(hall, table)))
        }
        (Some("match"), Some(id), None) => {
            let Shown { hall, game, .. } = sight.game(id)?;
            Some(one(&TableView::of_game(hall, game)))
        }
        _ => None,
    }
}

fn list(event: &str, tables: impl Iterator<Item = TableView>) -> String {
    let mut text = format!("<main class=\"first\"><h1>{}</h1><ul>", escaped(event));
    for table in tables {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "<li><a href=\"/table/{}\">{}</a></li>",
            escaped(&table.table),
            escaped(&line(&table))
        );
    }
    text + "</ul></main>"
}

fn one(table: &TableView) -> String {
    format!("<main class=\"first\"><h1>{}</h1></main>", escaped(&line(table)))
}

/// `Table 3: Lions – Otters, playing, 41 plies`.
fn line(table: &TableView) -> String {
    let mut line = table.label.clone();
    if let Some([first, second]) = table.sides.as_ref().or(table.teams.as_ref()) {
        let _ = write!(line, ": {first} – {second}");
    }
    match &table.result {
        Some(result) => drop(write!(line, ". {}", result.text)),
        None => {
            let state = if table.state == "set-up" { "setting up" } else { table.state };
            let _ = write!(line, ", {state}");
            if table.ply_count > 0 {
                let _ = write!(line, ", {} plies", table.ply_count);
            }
        }
    }
    line
}

/// Text in HTML, also within an attribute's quotes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, front::audience::Audience, owner::follower::Stage};

    fn config() -> Config {
        toml::from_str(
            "[event]\nname = \"A & <B>\"\n[[table]]\nname = \"1\"\nlabel = \"Table <i>\"\nteams = [\"Lions\", \"Otters\"]",
        )
        .unwrap()
    }

    #[test]
    fn tables_are_links_and_whatever_people_wrote_is_text() {
        let audience = Audience::of_stage(&Stage::new(&config()));
        let found = content("A & <B>", &audience.look(), "/").unwrap();
        assert_eq!(
            found,
            "<main class=\"first\"><h1>A &amp; &lt;B&gt;</h1><ul><li><a href=\"/table/1\">Table &lt;i&gt;: Lions – Otters, waiting</a></li></ul></main>"
        );
        let table = content("", &audience.look(), "/table/1").unwrap();
        assert!(table.contains("Lions – Otters") && !table.contains("<i>"), "{table}");
    }

    #[test]
    fn pages_about_nothing_that_is_there_have_no_first_content() {
        let audience = Audience::of_stage(&Stage::new(&config()));
        for path in ["/table/9", "/match/m1", "/td", "/overlay/multi", "/standings"] {
            assert_eq!(content("", &audience.look(), path), None, "{path}");
        }
    }
}
