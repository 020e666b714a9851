//! A story of a file: heading, events, expectations.

use std::{ops::Range, path::Path};

use rules::{Game, rulebook::BookId};

use crate::event::Event;

/// One story.
pub(crate) struct Story {
    /// File and line of its heading.
    file: String,
    line: usize,
    /// Its heading.
    pub(crate) title: String,
    /// Its events.
    pub(crate) events: Vec<Event>,
    /// The books that it names, in its order.
    pub(crate) books: Vec<BookId>,
    /// The lines of its `says` block.
    pub(crate) expected: Vec<String>,
    /// Range of these lines in the file, from 0.
    pub(crate) says_lines: Range<usize>,
}

impl Story {
    /// File, line and title of the story, for messages.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}: {}", self.file, self.line, self.title)
    }
}

/// Reads every story of a file.
///
/// # Errors
///
/// Where it cannot be read, what is wrong and what to write.
pub(crate) fn read(path: &Path, text: &str) -> Result<Vec<Story>, String> {
    let file = path.strip_prefix(crate::FOLDER).unwrap_or(path).display().to_string();
    let lines: Vec<&str> = text.lines().collect();
    let mut stories = Vec::new();
    let mut heading: Option<(usize, String)> = None;
    let mut events: Option<Vec<Event>> = None;
    let mut index = 0;
    while let Some(&line) = lines.get(index) {
        let problem = |what: &str| format!("{file}:{}: {what}", index + 1);
        if line.starts_with('#') {
            if events.is_some() {
                return Err(problem("the story before this heading has no `says` block"));
            }
            heading = Some((index + 1, line.trim_start_matches('#').trim().to_owned()));
        }
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else {
            index += 1;
            continue;
        };
        let length = lines[index + 1..].iter().position(|line| *line == "```");
        let block =
            index + 1..index + 1 + length.ok_or_else(|| problem("this block has no end"))?;
        match kind {
            "match" => {
                let parsed = block.clone().map(|at| {
                    Event::read(lines[at]).map_err(|what| format!("{file}:{}: {what}", at + 1))
                });
                events = Some(parsed.filter_map(Result::transpose).collect::<Result<_, _>>()?);
            }
            "says" => {
                let (line, title) =
                    heading.clone().ok_or_else(|| problem("a story needs a heading"))?;
                let events = events
                    .take()
                    .ok_or_else(|| problem("a `says` block follows a `match` block"))?;
                let expected: Vec<String> =
                    lines[block.clone()].iter().map(|line| (*line).to_owned()).collect();
                let books = books(&expected, &events).map_err(|what| problem(&what))?;
                let file = file.clone();
                stories.push(Story {
                    file,
                    line,
                    title,
                    events,
                    books,
                    expected,
                    says_lines: block.clone(),
                });
            }
            _ => {}
        }
        index = block.end + 1;
    }
    match events {
        Some(_) => Err(format!("{file}: the last story has no `says` block")),
        None => Ok(stories),
    }
}

/// The books that lines name, each once; `all` for every book of the game.
fn books(lines: &[String], events: &[Event]) -> Result<Vec<BookId>, String> {
    let is_chess = events.iter().any(|event| matches!(event, Event::Chess));
    let game = if is_chess { Game::Chess } else { Game::Bughouse };
    let mut books: Vec<BookId> = Vec::new();
    for line in lines {
        let word = line.split_whitespace().next().unwrap_or_default();
        let named: Vec<BookId> = match word {
            "all" => BookId::ALL.into_iter().filter(|id| id.book().terms.game == game).collect(),
            _ => vec![word.parse::<BookId>().map_err(|error| error.to_string())?],
        };
        if let Some(other) = named.iter().find(|id| id.book().terms.game != game) {
            return Err(format!("{other} is no book for {game}"));
        }
        for id in named {
            if !books.contains(&id) {
                books.push(id);
            }
        }
    }
    if books.is_empty() {
        Err("a `says` block names a book, or `all`".to_owned())
    } else {
        Ok(books)
    }
}
