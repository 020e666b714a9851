//! `twinboard rulebook`: what is done about every rule, for people who want to check.

use anyhow::{Result, bail};
use rules::rulebook::{self, RULEBOOKS, Rule, Rulebook};

/// Columns of running text.
const TEXT_WIDTH: usize = 84;
/// Columns before the running text.
const INDENT: usize = 6;

use crate::stdout;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Rulebook identifier; without it, the known rulebooks are listed.
    id: Option<String>,
    /// Number of a rule, for example 8a; the parts of a rule are printed with it.
    rule: Option<String>,
}

/// Prints the rulebooks, a rulebook, or a rule with its parts.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some(id) = &arguments.id else {
        for book in RULEBOOKS {
            stdout::print_line(format_args!(
                "{}  {} ({} rules)",
                book.id,
                book.title,
                book.rules.len()
            ))?;
        }
        return Ok(());
    };
    let Some(book) = rulebook::rulebook(id) else {
        let known: Vec<&str> = RULEBOOKS.iter().map(|book| book.id).collect();
        bail!("there is no rulebook {id:?}; known are: {}", known.join(", "));
    };
    stdout::print(render(book, arguments.rule.as_deref())?)
}

fn render(book: &Rulebook, number: Option<&str>) -> Result<String> {
    let chosen: Vec<&Rule> = match number {
        None => book.rules.iter().collect(),
        Some(number) => {
            let Some(rule) = book.rule(number) else {
                bail!(
                    "{} has no rule {number}; `twinboard rulebook {}` lists them",
                    book.id,
                    book.id
                );
            };
            std::iter::once(rule).chain(book.parts(number)).collect()
        }
    };
    let mut text = format!("{} ({})\n\n", book.title, book.id);
    for rule in chosen {
        text.push_str(&render_rule(rule));
    }
    Ok(text)
}

fn render_rule(rule: &Rule) -> String {
    let classes: Vec<String> = rule.classes.iter().map(ToString::to_string).collect();
    let not_yet = if rule.implemented { "" } else { ", not built yet" };
    let mut text =
        format!("{:<INDENT$}{}  [{}{not_yet}]\n", rule.number, rule.heading, classes.join(", "));
    for paragraph in [rule.text.to_owned(), format!("Twinboard: {}", rule.system)] {
        for line in wrap(&paragraph) {
            text.push_str(&format!("{:INDENT$}{line}\n", ""));
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
        let book = rulebook::rulebook("us-chess-bughouse-2018").expect("the default rulebook");
        let text = render(book, Some("8")).expect("rule 8");
        for number in ["8 ", "8a ", "8b ", "8c "] {
            assert!(text.lines().any(|line| line.starts_with(number)), "{number} in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= TEXT_WIDTH + 40), "{text}");
    }

    #[test]
    fn an_unknown_rule_is_refused_by_name() {
        let book = rulebook::rulebook("us-chess-bughouse-2018").expect("the default rulebook");
        let error = render(book, Some("99z")).expect_err("no such rule").to_string();
        assert!(error.contains("99z") && error.contains(book.id), "{error}");
    }
}
