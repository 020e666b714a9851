//! `twinboard rulebook`: what is done about every rule, for people who want to check.

use anyhow::{Result, bail};
use rules::rulebook::{BookId, Clause, Rulebook};

/// Columns of running text.
const TEXT_WIDTH: usize = 84;
/// Columns before the running text.
const INDENT: usize = 6;

use crate::stdout;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Rulebook identifier; without it, the known rulebooks are listed.
    id: Option<BookId>,
    /// Number of a rule, for example 8a or "8 III"; the parts of a rule are printed with it.
    rule: Option<String>,
}

/// Prints the rulebooks, a rulebook, or a rule with its parts.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some(id) = arguments.id else {
        for book in BookId::ALL.map(BookId::book) {
            let (game, count) = (book.terms.game, book.clauses.len());
            let line = format!("{:<24}{} ({game}, {count} rules)", book.id, book.title);
            stdout::print_line(format_args!("{line}"))?;
        }
        return Ok(());
    };
    stdout::print(render(id.book(), arguments.rule.as_deref())?)
}

fn render(book: &Rulebook, number: Option<&str>) -> Result<String> {
    let chosen: Vec<&Clause> = match number {
        None => book.clauses.iter().collect(),
        Some(number) => {
            let Some(clause) = book.clause(number) else {
                bail!(
                    "{} has no rule {number}; `twinboard rulebook {}` lists them",
                    book.id,
                    book.id
                );
            };
            std::iter::once(clause).chain(book.parts(clause.number)).collect()
        }
    };
    let mut text = format!("{} ({})\n\n", book.title, book.id);
    for clause in chosen {
        text.push_str(&render_clause(book, clause));
    }
    Ok(text)
}

fn render_clause(book: &Rulebook, clause: &Clause) -> String {
    let classes: Vec<String> = book.classes(clause).iter().map(ToString::to_string).collect();
    let mut text = format!("{:<INDENT$}", clause.number);
    for words in [clause.heading(), format!("[{}]", classes.join(", "))] {
        if !words.is_empty() {
            text.push_str(&format!(" {words}"));
        }
    }
    text.push('\n');
    let deeds = clause.does.deeds().map(|(class, code, about)| format!("{class}: {code}. {about}"));
    for paragraph in std::iter::once(clause.text.to_owned()).chain(deeds) {
        for line in wrap(&paragraph) {
            text.push_str(&format!("{:INDENT$} {line}\n", ""));
        }
    }
    text.push('\n');
    text
}

/// Breaks a paragraph between words.
fn wrap(paragraph: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let line = lines.last_mut().filter(|line| {
            line.is_empty() || line.chars().count() + 1 + word.chars().count() <= TEXT_WIDTH
        });
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_printed_with_its_parts() {
        let text = render(BookId::UsChessBughouse2018.book(), Some("8")).expect("rule 8");
        for number in ["8 ", "8a ", "8b ", "8c "] {
            assert!(text.lines().any(|line| line.starts_with(number)), "{number} in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= TEXT_WIDTH + 40), "{text}");
    }

    #[test]
    fn an_unknown_rule_is_refused_by_name() {
        let book = BookId::McscBughouse.book();
        let error = render(book, Some("7")).expect_err("no such rule").to_string();
        assert!(error.contains('7') && error.contains(book.id.name()), "{error}");
    }
}
