//! `twinboard rulebook`: what every rule says, what is done about it, and where the books differ.

mod comparison;
mod json;
mod show;
mod stories;
mod text;

use anyhow::Result;
use rules::rulebook::BookId;

use crate::stdout;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Rulebook identifier; without it, the known rulebooks are listed.
    id: Option<BookId>,
    /// Number of a rule, for example 8a or "8 III"; its parts, and stories that show it, are printed with it.
    rule: Option<String>,
    /// Show where rulebooks differ, topic by topic: those named here, or all.
    #[arg(long, value_name = "ID", num_args = 0.., conflicts_with_all = ["id", "rule"])]
    compare: Option<Vec<BookId>>,
    /// Print JSON for other programs.
    #[arg(long)]
    json: bool,
    /// Print the comparison as Markdown, as docs/rulebooks.md has it.
    #[arg(long, requires = "compare", conflicts_with = "json")]
    markdown: bool,
}

/// Prints the rulebooks, a rulebook, a rule with its parts and its stories, or a comparison.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let text = match (&arguments.compare, arguments.id) {
        (Some(named), _) => {
            let books = distinct(named);
            let rows = rules::rulebook::compare(&books);
            match (arguments.json, arguments.markdown) {
                (true, _) => json::comparison(&rows)?,
                (_, true) => rules::rulebook::comparison_page(&books),
                _ => comparison::comparison(&rows, text::terminal_width()),
            }
        }
        (None, Some(id)) => {
            let book = id.book();
            let clauses = show::chosen(book, arguments.rule.as_deref())?;
            match arguments.json {
                true => json::book(book, &clauses)?,
                false => {
                    let width = text::terminal_width();
                    let mut text = show::book(book, &clauses, width);
                    if arguments.rule.is_some() {
                        text.push_str(&stories::of(id, &clauses, width));
                    }
                    text
                }
            }
        }
        (None, None) if arguments.json => json::books()?,
        (None, None) => show::books(text::terminal_width()),
    };
    stdout::print(text)
}

/// The named books, each once; all of them when none is named.
fn distinct(named: &[BookId]) -> Vec<BookId> {
    let mut books = Vec::new();
    let chosen = if named.is_empty() { &BookId::ALL[..] } else { named };
    for book in chosen {
        if !books.contains(book) {
            books.push(*book);
        }
    }
    books
}
