//! The stories that show what a rule does at a table. They are in `domain/referee/stories`, and the referee's tests check them.

use rules::rulebook::{BookId, Clause};
use rust_embed::RustEmbed;

use super::text::paragraph;

/// Stories that are printed whole; of more only the headings are.
const WHOLE_MAX: usize = 4;

/// Columns before a story's text.
const INDENT: usize = 6;

#[derive(RustEmbed)]
#[folder = "../domain/referee/stories"]
struct Files;

/// A situation, and what one book says about it.
struct Story {
    title: String,
    prose: String,
    events: Vec<String>,
    /// Judgment by the book, each line with the numbers of the rules that it cites.
    said: Vec<String>,
}

/// The stories that cite one of the clauses, as text; empty when there is none.
pub(super) fn of(book: BookId, clauses: &[&Clause], width: usize) -> String {
    let cites = |line: &&String| {
        let numbers = line.split_once(": ").map_or("", |(numbers, _)| numbers);
        numbers.split(", ").any(|number| clauses.iter().any(|clause| clause.number == number))
    };
    // Beside the folders of stories lies the page that says how they are written.
    let stories: Vec<Story> = Files::iter()
        .filter(|path| path.contains('/'))
        .filter_map(|path| Files::get(&path))
        .flat_map(|file| read(&String::from_utf8_lossy(&file.data), book))
        .filter(|story| story.said.iter().any(|line| cites(&line)))
        .collect();
    let mut text = String::new();
    for (index, story) in stories.iter().enumerate() {
        text.push_str(if index == 0 { "\nStories\n" } else { "" });
        text.push_str(&if index < WHOLE_MAX { whole(story, width) } else { heading(story, width) });
    }
    text
}

fn heading(story: &Story, width: usize) -> String {
    paragraph("  ", &story.title, INDENT, width)
}

fn whole(story: &Story, width: usize) -> String {
    let indent = " ".repeat(INDENT);
    let mut text = format!("\n{}", heading(story, width));
    text.push_str(&paragraph(&indent, &story.prose, INDENT, width));
    for event in &story.events {
        text.push_str(&format!("{indent}  {event}\n"));
    }
    for line in &story.said {
        text.push_str(&paragraph(&indent, &format!("→ {line}"), INDENT + 2, width));
    }
    text
}

/// The stories of a file, with what `book` says; stories in which the book does not stand are left out.
fn read(text: &str, book: BookId) -> Vec<Story> {
    let own = format!("{book} ");
    let mut stories = Vec::new();
    for part in text.split("\n# ") {
        let (title, rest) = part.trim_start_matches("# ").split_once('\n').unwrap_or((part, ""));
        let (prose, rest) = rest.split_once("```match\n").unwrap_or((rest, ""));
        let (events, rest) = rest.split_once("```").unwrap_or((rest, ""));
        let (_, said) = rest.split_once("```says\n").unwrap_or((rest, ""));
        let said: Vec<String> =
            said.lines().filter_map(|line| line.strip_prefix(&own)).map(str::to_owned).collect();
        if !said.is_empty() {
            stories.push(Story {
                title: title.to_owned(),
                prose: prose.trim().to_owned(),
                events: events.lines().map(str::to_owned).collect(),
                said,
            });
        }
    }
    stories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_shown_with_the_stories_that_cite_it() {
        let book = BookId::UsChessBughouse2018.book();
        let rule = book.clause("10a").expect("a rule");
        let text = of(book.id, &[rule], 80);
        assert!(text.contains("A pawn dropped on the last rank"), "{text}");
        assert!(text.contains("A:P@c8") && text.contains("→ 10a"), "{text}");
        assert!(!text.contains("mcsc-bughouse"), "{text}");
    }

    #[test]
    fn of_many_stories_only_the_first_are_printed_whole() {
        let book = BookId::UsChessBughouse2018.book();
        let rule = book.clause("8").expect("a rule");
        let text = of(book.id, &[rule], 80);
        let whole = text.lines().filter(|line| line.trim_start() == "A:e2e5").count();
        assert!(whole <= WHOLE_MAX && text.lines().count() > 2 * WHOLE_MAX, "{text}");
    }

    #[test]
    fn a_rule_for_people_has_no_story() {
        let book = BookId::UsChessBughouse2018.book();
        let rule = book.clause("19").expect("a rule");
        assert_eq!(of(book.id, &[rule], 80), "");
    }
}
