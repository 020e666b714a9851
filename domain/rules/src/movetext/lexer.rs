//! A file's text to games, and each game to tags and the words and comments of its movetext.
//!
//! Nothing here knows chess. The lexer always knows whether it is inside a comment, a variation or neither: a line that looks like a
//! tag, an escape or nothing is that only outside of comments. A game is cut off where the next one's tags begin, so that a damaged
//! game cannot swallow the ones after it.

use super::{
    result,
    tag::{self, Beginning, TagToken},
};

/// A piece of movetext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A comment in braces, without them, or the rest of a line after `;`.
    Comment(String),
    /// A comment that does not close before the game's end.
    OpenComment(String),
    /// Anything else up to white space, a brace, a parenthesis or a bracket.
    Word(String),
}

/// A game's tags and movetext. Variations in parentheses and numeric annotations (`$1`) are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct LexedGame {
    pub(crate) tags: Vec<TagToken>,
    /// Tokens with the numbers of the lines they begin in.
    pub(crate) tokens: Vec<(usize, Token)>,
    /// The lines of its first and its last piece of text.
    pub(crate) first_line: usize,
    pub(crate) last_line: usize,
    /// Whether a line without text has followed the last tag.
    blank_since_tag: bool,
    /// Whether there is movetext beside comments, variations included.
    has_words: bool,
}

/// Splits a text into games. Lines that begin with `%` outside of comments are left out, as in PGN.
pub(crate) fn sections(text: &str) -> Vec<LexedGame> {
    let mut lexer = Lexer { text, line: 1, ..Lexer::default() };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.sections.iter_mut().for_each(|section| section.join_results());
    lexer.sections
}

#[derive(Default)]
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
    /// Whether the line has had any text up to here.
    has_text: bool,
    /// Whether the line before had none.
    after_blank: bool,
    variation_depth: u32,
    sections: Vec<LexedGame>,
    /// The next closing brace, while it is ahead: a comment is found in linear time.
    next_close: Option<usize>,
    /// Up to here no tag ends: it is not searched again.
    no_tag_until: usize,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let Some(first) = self.text[self.at..].chars().next() else { return };
        match first {
            '\n' => self.end_line(),
            '%' if self.at == self.line_start => self.at = self.line_end(),
            _ if first.is_whitespace() => self.at += first.len_utf8(),
            '[' if self.read_tag() => {}
            '{' => self.read_comment(),
            ';' => {
                let end = self.line_end();
                let text = self.text[self.at + 1..end].to_owned();
                self.push(Token::Comment(text));
                self.at = end;
            }
            '(' => {
                self.variation_depth += 1;
                self.mark_text();
                self.at += 1;
            }
            ')' => {
                self.variation_depth = self.variation_depth.saturating_sub(1);
                self.mark_text();
                self.at += 1;
            }
            _ => self.read_word(first),
        }
    }

    fn line_end(&self) -> usize {
        self.text[self.at..].find('\n').map_or(self.text.len(), |length| self.at + length)
    }

    fn end_line(&mut self) {
        if !self.has_text
            && let Some(section) = self.sections.last_mut()
        {
            section.blank_since_tag = true;
        }
        self.after_blank = !self.has_text;
        self.has_text = false;
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
    }

    /// The game that is being read, with this line as its last.
    fn section(&mut self) -> &mut LexedGame {
        self.has_text = true;
        if self.sections.is_empty() {
            self.sections.push(LexedGame { first_line: self.line, ..LexedGame::default() });
        }
        let last = self.sections.len() - 1;
        let section = &mut self.sections[last];
        section.last_line = self.line;
        section
    }

    fn mark_text(&mut self) {
        self.section().has_words = true;
    }

    fn push(&mut self, token: Token) {
        let (line, is_told) = (self.line, self.variation_depth == 0);
        let section = self.section();
        section.has_words |= !matches!(token, Token::Comment(_));
        if is_told {
            section.tokens.push((line, token));
        }
    }

    /// Goes on at a place behind the end of a comment.
    fn go_to(&mut self, at: usize) {
        let passed = &self.text[self.at..at];
        self.line += passed.matches('\n').count();
        if let Some(last) = passed.rfind('\n') {
            self.line_start = self.at + last + 1;
            self.after_blank = false;
        }
        self.at = at;
    }

    fn read_word(&mut self, first: char) {
        let rest = &self.text[self.at..];
        // The standard keeps what is between angle brackets for later.
        let line = &rest[..self.line_end() - self.at];
        let is_begun = !self.sections.is_empty();
        if let Some(length) = line.find('>').filter(|_| first == '<' && is_begun) {
            self.at += length + 1;
            return;
        }
        let end = rest.char_indices().skip(1).find(|&(_, letter)| is_delimiter(letter));
        let end = match (first, end) {
            ('}', _) => 1,
            (_, end) => end.map_or(rest.len(), |(at, _)| at),
        };
        let word = &rest[..end];
        match word.starts_with('$') {
            true => self.mark_text(),
            false => self.push(Token::Word(word.to_owned())),
        }
        self.at += end;
    }

    fn read_comment(&mut self) {
        let from = self.at + 1;
        if self.next_close.is_none_or(|at| at < from) {
            let found = self.text[from..].find('}').map(|at| from + at);
            self.next_close = Some(found.unwrap_or(self.text.len()));
        }
        let end = self.next_close.unwrap_or(self.text.len());
        let is_closed = end < self.text.len();
        let end = if is_closed { self.outer_close(from, end) } else { end };
        // Of a brace that never closes the next one that does belongs to another comment.
        let next_game = first_tag_line(self.text, from, end)
            .filter(|&at| !is_closed || self.text[at..end].contains('{'));
        let text = self.text[from..next_game.unwrap_or(end)].to_owned();
        match (next_game, is_closed) {
            (None, true) => self.push(Token::Comment(text)),
            _ => self.push(Token::OpenComment(text)),
        }
        self.go_to(next_game.unwrap_or(if is_closed { end + 1 } else { end }));
        if next_game.is_some() {
            self.has_text = false;
        }
    }

    /// The closing brace of a comment that has others in it, `{a {b} c}`. Text with a move's number, or with the beginning of another
    /// comment, is none of the comment.
    fn outer_close(&self, from: usize, first: usize) -> usize {
        let mut end = first;
        for _ in self.text[from..first].matches('{') {
            let rest = &self.text[end + 1..];
            let Some(length) = rest.find(['{', '}', '[']).filter(|&at| rest[at..].starts_with('}'))
            else {
                break;
            };
            let is_number = |pair: &[u8]| pair[0].is_ascii_digit() && pair[1] == b'.';
            if rest.as_bytes()[..length].windows(2).any(is_number) {
                break;
            }
            end += 1 + length;
        }
        end
    }

    /// Reads a tag; false if what begins here is none.
    fn read_tag(&mut self) -> bool {
        let line = &self.text[self.at..self.line_end()];
        let is_first = !self.has_text;
        if self.variation_depth > 0 && !is_first {
            return false;
        }
        let beginning = match self.at < self.no_tag_until {
            true => Beginning::OtherToTheEnd,
            false => tag::parse(line),
        };
        if beginning == Beginning::OtherToTheEnd {
            self.no_tag_until = self.at + line.len();
        }
        let has_words = self.sections.last().is_some_and(|section| section.has_words);
        // Among moves only what stands by itself opens a game although it cannot be read.
        let may_be_damaged = !has_words || is_first && self.after_blank;
        let (tag, length) = match beginning {
            Beginning::Tag(name, value, length) => (Some((name, value)), length),
            _ if may_be_damaged && tag::is_like_one(line) => (None, tag::damaged_length(line)),
            _ => return false,
        };
        let token = TagToken { line: self.line, text: tag::quote(&line[..length]), tag };
        if self
            .sections
            .last()
            .is_some_and(|section| section.has_words || section.begins_with(&token))
        {
            self.sections.push(LexedGame { first_line: self.line, ..LexedGame::default() });
        }
        self.variation_depth = 0;
        self.at += length;
        let section = self.section();
        section.blank_since_tag = false;
        section.tags.push(token);
        true
    }
}

impl LexedGame {
    /// Makes one word of each result with blanks around its dash: `1/2 - 1/2`.
    fn join_results(&mut self) {
        let is_dash = |(_, token): &(usize, Token)| matches!(token, Token::Word(word) if result::with_plain_dashes(word) == "-");
        for at in (1..self.tokens.len().saturating_sub(1)).rev() {
            if at + 1 >= self.tokens.len() {
                continue;
            }
            let around = (&self.tokens[at - 1].1, &self.tokens[at + 1].1);
            if let (Token::Word(one), Token::Word(other)) = around
                && is_dash(&self.tokens[at])
                && result::among_moves(&format!("{one}-{other}")).is_some()
            {
                self.tokens[at - 1].1 = Token::Word(format!("{one}-{other}"));
                self.tokens.drain(at..at + 2);
            }
        }
    }

    /// Whether a further game begins with this tag although this one has no moves: its tags begin again after an empty line.
    fn begins_with(&self, token: &TagToken) -> bool {
        let name = |token: &TagToken| token.tag.as_ref().map(|(name, _)| name.clone());
        let (Some(first), Some(next)) = (self.tags.first().and_then(name), name(token)) else {
            return false;
        };
        let is_known = self.tags.iter().any(|known| name(known).as_ref() == Some(&next));
        self.blank_since_tag && is_known && (next == first || next == "Event")
    }
}

fn is_delimiter(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '{' | '}' | '(' | ')' | ';' | '[')
}

/// Begin of the first line with a tag, between two places.
fn first_tag_line(text: &str, from: usize, end: usize) -> Option<usize> {
    let mut starts = text[from..end].match_indices('\n').map(|(at, _)| from + at + 1);
    starts.find(|&start| {
        let line = &text[start..];
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        matches!(tag::parse(line.trim_start()), Beginning::Tag(..))
    })
}
