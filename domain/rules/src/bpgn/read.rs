//! Reading records as they are found: see the parent module for the notation.

use shakmaty::Color;

use super::{
    BpgnError, BpgnGame, BpgnPly, BpgnReason, Ending, ILLEGAL_MARK, MatchResult, OUT_OF_TURN,
    RESULT_TAG, WarningReason,
};
use crate::{
    BoardId, IllegalReason, Match, Seat, Supply,
    movetext::{
        clock,
        lexer::{self, LexedGame, Token},
        result::{self, WrittenResult},
        tag, warning, word,
    },
    san, text_file,
};

/// Reads every game of a file. A game with an error does not stop the ones after it, and the error
/// carries what could be read of it.
///
/// The file may have any encoding that [`text_file::decode`] knows, and line breaks of any kind. Text that holds no game at all gives
/// one error.
#[must_use]
pub fn read(bytes: &[u8]) -> Vec<Result<BpgnGame, BpgnError>> {
    let mut sections = lexer::sections(&text_file::decode(bytes).text);
    // Remarks before the first game are none.
    let has_prose = sections.len() > 1 && sections[0].tags.is_empty() && !has_plies(&sections[0]);
    let prose = has_prose.then(|| sections.remove(0));
    if sections.is_empty() {
        return vec![Err(BpgnError {
            game: 1,
            plies: 0,
            line: 1,
            reason: BpgnReason::NoGame,
            readable: Box::default(),
        })];
    }
    let read = |(number, section)| read_game(number, section);
    let mut games: Vec<_> = (1..).zip(&sections).map(read).collect();
    let is_told = |section: &LexedGame| {
        !section.tokens.iter().all(|(_, token)| matches!(token, Token::Comment(_)))
    };
    if let (Some(prose), Some(Ok(game))) = (prose.filter(is_told), games.first_mut()) {
        warning::push(&mut game.warnings, prose.first_line, WarningReason::Prose);
    }
    games
}

fn has_plies(section: &LexedGame) -> bool {
    let mut tokens = section.tokens.iter();
    tokens.any(|(_, token)| matches!(token, Token::Word(word) if parse_number(word).is_some()))
}

fn read_game(number: usize, section: &LexedGame) -> Result<BpgnGame, BpgnError> {
    let mut reader = BpgnReader::default();
    match reader.read(section) {
        Ok(()) => Ok(reader.game),
        Err((line, reason)) => {
            reader.settle_result(line);
            let plies = reader.game.plies.len();
            Err(BpgnError { game: number, plies, line, reason, readable: Box::new(reader.game) })
        }
    }
}

/// Line and reason of an error.
type BpgnFault = (usize, BpgnReason);

/// A ply that is illegal, until the comment that says it stood.
struct Unmarked {
    line: usize,
    ply: BpgnPly,
    reason: BpgnReason,
}

#[derive(Default)]
struct BpgnReader {
    game: BpgnGame,
    state: Match,
    unmarked: Option<Unmarked>,
    /// The result at the end of the movetext.
    result: Option<WrittenResult>,
}

impl BpgnReader {
    fn read(&mut self, section: &LexedGame) -> Result<(), BpgnFault> {
        let tags = tag::collect(&section.tags, &mut self.game.warnings);
        self.game.tags = tags.map_err(|(line, text)| (line, BpgnReason::Tag(text)))?;
        let first_line = section.first_line;
        self.state = self.game.start().map_err(|error| (first_line, error.into()))?;
        if section.tags.is_empty() && !has_plies(section) {
            return Err((first_line, BpgnReason::NoGame));
        }
        let last_line = section.last_line;
        self.read_movetext(&section.tokens)?;
        self.settle_unmarked()?;
        if self.result.is_none() && self.game.ending.is_none() {
            let of_tag = self.game.tag(RESULT_TAG).and_then(result::at_end);
            self.result = Some(of_tag.ok_or((last_line, BpgnReason::NoResult))?);
            warning::push(&mut self.game.warnings, last_line, WarningReason::ResultFromTag);
        }
        self.settle_result(last_line);
        Ok(())
    }

    fn read_movetext(&mut self, tokens: &[(usize, Token)]) -> Result<(), BpgnFault> {
        let is_word = |(_, token): &(usize, Token)| matches!(token, Token::Word(_));
        let last_word = tokens.iter().rposition(is_word);
        let mut tokens = tokens.iter().enumerate().peekable();
        while let Some((at, (line, token))) = tokens.next() {
            match token {
                Token::Comment(text) => self.read_comment(text),
                Token::OpenComment(_) => return Err((*line, BpgnReason::OpenComment)),
                Token::Word(word) => {
                    let score = match last_word == Some(at) {
                        true => result::at_end(word),
                        false => result::among_moves(word),
                    };
                    if let Some(score) = score {
                        self.settle_unmarked()?;
                        self.result = Some(score);
                        continue;
                    }
                    if word::is_sign(word) {
                        continue;
                    }
                    self.settle_unmarked()?;
                    let (number, seat, text) = parse_number(word)
                        .filter(|_| self.result.is_none())
                        .ok_or_else(|| (*line, BpgnReason::Token(tag::quote(word))))?;
                    let next = tokens.peek().and_then(|(_, (_, token))| match token {
                        Token::Word(word) if text.is_empty() => Some(word.as_str()),
                        _ => None,
                    });
                    let is_ply = |word: &&str| {
                        parse_number(word).is_none() && result::among_moves(word).is_none()
                    };
                    let text = match next.filter(is_ply) {
                        Some(word) => {
                            tokens.next();
                            word
                        }
                        None if text.is_empty() => {
                            let label = format!("{number}{}.", super::seat_letter(seat));
                            return Err((*line, BpgnReason::NumberWithoutPly(label)));
                        }
                        None => text,
                    };
                    self.read_ply(*line, number, seat, text)?;
                }
            }
        }
        Ok(())
    }

    fn read_ply(
        &mut self,
        line: usize,
        number: u32,
        seat: Seat,
        text: &str,
    ) -> Result<(), BpgnFault> {
        let label = format!("{number}{}.", super::seat_letter(seat));
        let Seat { board, color } = seat;
        let out_of_turn = self.state.position(board).turn() != color;
        let mut position = self.state.position(board).clone();
        if out_of_turn {
            position = position.with_turn(color);
        }
        let reserve = *self.state.reserve(seat);
        let plain = word::plain_move(text);
        let ply = san::parse_san(&position, &plain).map_err(|source| {
            let reason = if out_of_turn {
                illegal(&label, text, OUT_OF_TURN_EXPLANATION)
            } else {
                BpgnReason::San { number: label.clone(), source }
            };
            (line, reason)
        })?;
        let explanation = if out_of_turn {
            Some(OUT_OF_TURN_EXPLANATION)
        } else {
            position.illegality(ply, &reserve, Supply::Partner).map(IllegalReason::explanation)
        };
        let ply = BpgnPly { board, color, ply, clock_ms: None, number, comment: None };
        match explanation {
            None => self.play(ply),
            Some(explanation) => {
                let reason = illegal(&label, text, explanation);
                self.unmarked = Some(Unmarked { line, ply, reason });
            }
        }
        Ok(())
    }

    fn play(&mut self, ply: BpgnPly) {
        // Play went on after what looked like an ending.
        if let Some(ending) = self.game.ending.take()
            && let Some(last) = self.game.plies.last_mut()
        {
            add_comment(last, &ending.text);
        }
        self.state.set_turn(ply.board, ply.color);
        self.state.play(ply.board, ply.ply);
        self.game.plies.push(ply);
    }

    /// The next ply has come, or the end: an illegal ply can no longer be marked.
    fn settle_unmarked(&mut self) -> Result<(), BpgnFault> {
        self.unmarked.take().map_or(Ok(()), |unmarked| Err((unmarked.line, unmarked.reason)))
    }

    fn read_comment(&mut self, text: &str) {
        let text = text.trim();
        let said = text.strip_prefix("C:").or_else(|| text.strip_prefix("c:"));
        if said.is_some_and(is_illegal_mark)
            && let Some(unmarked) = self.unmarked.take()
        {
            self.play(unmarked.ply);
            return;
        }
        let clock_ms = if said.is_some() { None } else { clock::parse(text) };
        let ending = match (said, clock_ms) {
            (None, None) => Ending::parse(text, &self.game),
            _ => None,
        };
        if ending.is_some() && self.unmarked.is_none() {
            self.game.ending = ending;
            return;
        }
        let ply = match &mut self.unmarked {
            Some(unmarked) => Some(&mut unmarked.ply),
            None => self.game.plies.last_mut(),
        };
        let Some(ply) = ply else { return };
        if clock_ms.is_some() {
            ply.clock_ms = clock_ms;
            return;
        }
        add_comment(ply, said.unwrap_or(text).trim());
    }

    /// The ending's loser decides, unless the written result contradicts it: then no loser is named. Without a named loser the
    /// written result counts.
    fn settle_result(&mut self, line: usize) {
        let of_tag = self.game.tag(RESULT_TAG).and_then(result::at_end);
        let (written, differs) = match self.result {
            Some(moves) => moves.with_tag(of_tag),
            None => (of_tag.unwrap_or(WrittenResult::Unknown), false),
        };
        if let Some(moves) = self.result.filter(|_| differs) {
            let tag = tag::quote(self.game.tag(RESULT_TAG).unwrap_or_default());
            let reason = WarningReason::ResultsDiffer { tag, moves: moves.word() };
            warning::push(&mut self.game.warnings, line, reason);
        }
        let written = MatchResult::from(written);
        if let Some(ending) = &mut self.game.ending
            && !ending.agrees_with(written)
        {
            ending.loser = None;
            let words = tag::quote(&ending.text);
            warning::push(&mut self.game.warnings, line, WarningReason::Contradiction(words));
        }
        let from_ending = self.game.ending.as_ref().and_then(Ending::result);
        self.game.result = from_ending.unwrap_or(written);
    }
}

fn add_comment(ply: &mut BpgnPly, comment: &str) {
    if comment.is_empty() {
        return;
    }
    ply.comment = Some(match ply.comment.take() {
        Some(before) => format!("{before} {comment}"),
        None => comment.to_owned(),
    });
}

const OUT_OF_TURN_EXPLANATION: &str = "it is the other side's turn";

fn illegal(number: &str, text: &str, explanation: &str) -> BpgnReason {
    BpgnReason::Illegal {
        number: number.to_owned(),
        text: tag::quote(text),
        explanation: explanation.to_owned(),
    }
}

/// `illegal`, alone or with a reason's code.
fn is_illegal_mark(said: &str) -> bool {
    let mut words = said.split_whitespace();
    words.next() == Some(ILLEGAL_MARK)
        && words
            .next()
            .is_none_or(|code| code == OUT_OF_TURN || code.parse::<IllegalReason>().is_ok())
        && words.next().is_none()
}

/// A move number with board and side, and what is glued to it: `12A.e4` is 12, White at A, `e4`.
fn parse_number(word: &str) -> Option<(u32, Seat, &str)> {
    let digits = word.find(|letter: char| !letter.is_ascii_digit())?;
    let number = word[..digits].parse().ok()?;
    let mut letters = word[digits..].chars();
    let (board, color) = match letters.next()? {
        'A' => (BoardId::A, Color::White),
        'a' => (BoardId::A, Color::Black),
        'B' => (BoardId::B, Color::White),
        'b' => (BoardId::B, Color::Black),
        _ => return None,
    };
    let rest = letters.as_str();
    let text = rest.trim_start_matches('.');
    (text.len() < rest.len()).then_some((number, Seat { board, color }, text))
}
