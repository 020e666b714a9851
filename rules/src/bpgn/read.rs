//! Reading records as they are found: see the parent module for the notation.

use shakmaty::Color;

use super::{
    BpgnError, BpgnGame, BpgnPly, BpgnReason, Ending, GameResult, ILLEGAL_MARK, OUT_OF_TURN,
};
use crate::{
    BoardId, IllegalReason, Match, Seat, Supply,
    movetext::{
        clock,
        token::{self, Chunk, Token},
    },
    san,
};

/// Longest text quoted in an error, in characters.
const QUOTE_MAX: usize = 24;

/// Reads every game of a file. A game with an error does not stop the ones after it, and the error
/// carries what could be read of it.
///
/// Lines are UTF-8 or Latin-1, breaks of any kind. Text that holds no game at all gives one error.
#[must_use]
pub fn read(bytes: &[u8]) -> Vec<Result<BpgnGame, BpgnError>> {
    let mut chunks = token::chunks(bytes);
    // Remarks before the first game are none.
    if chunks.len() > 1 && chunks[0].tags.is_empty() && is_remark(&chunks[0]) {
        chunks.remove(0);
    }
    if chunks.is_empty() {
        return vec![Err(BpgnError {
            game: 1,
            plies: 0,
            line: 1,
            reason: BpgnReason::NoGame,
            readable: Box::default(),
        })];
    }
    chunks.iter().enumerate().map(|(index, chunk)| read_game(index + 1, chunk)).collect()
}

fn quote(text: &str) -> String {
    text.chars().take(QUOTE_MAX).collect()
}

fn is_remark(chunk: &Chunk) -> bool {
    token::tokens(&chunk.movetext).iter().all(|(_, token)| matches!(token, Token::Comment(_)))
}

fn read_game(number: usize, chunk: &Chunk) -> Result<BpgnGame, BpgnError> {
    let mut reader = GameReader::default();
    match reader.read(chunk) {
        Ok(()) => Ok(reader.game),
        Err((line, reason)) => {
            reader.settle_result();
            let plies = reader.game.plies.len();
            Err(BpgnError { game: number, plies, line, reason, readable: Box::new(reader.game) })
        }
    }
}

/// What was wrong, and in which line.
type Fault = (usize, BpgnReason);

/// A ply that is illegal, until the comment that says it stood.
struct Unmarked {
    line: usize,
    ply: BpgnPly,
    reason: BpgnReason,
}

#[derive(Default)]
struct GameReader {
    game: BpgnGame,
    state: Match,
    unmarked: Option<Unmarked>,
    /// The result at the end of the movetext.
    result: Option<GameResult>,
}

impl GameReader {
    fn read(&mut self, chunk: &Chunk) -> Result<(), Fault> {
        for line in &chunk.tags {
            let tag = token::parse_tag(&line.text)
                .ok_or_else(|| (line.number, BpgnReason::Tag(quote(&line.text))))?;
            self.game.tags.push(tag);
        }
        let first_line =
            chunk.tags.first().or(chunk.movetext.first()).map_or(1, |line| line.number);
        self.state = self.game.start().map_err(|error| (first_line, error.into()))?;
        let tokens = token::tokens(&chunk.movetext);
        let has_plies = tokens
            .iter()
            .any(|(_, token)| matches!(token, Token::Word(word) if parse_number(word).is_some()));
        if chunk.tags.is_empty() && !has_plies {
            return Err((first_line, BpgnReason::NoGame));
        }
        let last_line = chunk.movetext.last().or(chunk.tags.last()).map_or(1, |line| line.number);
        self.read_movetext(&tokens)?;
        self.settle_unmarked()?;
        if self.result.is_none() && self.game.ending.is_none() {
            return Err((last_line, BpgnReason::NoResult));
        }
        self.settle_result();
        Ok(())
    }

    fn read_movetext(&mut self, tokens: &[(usize, Token)]) -> Result<(), Fault> {
        let mut tokens = tokens.iter().peekable();
        while let Some((line, token)) = tokens.next() {
            match token {
                Token::Comment(text) => self.read_comment(text),
                Token::OpenComment(_) => return Err((*line, BpgnReason::OpenComment)),
                Token::Word(word) => {
                    self.settle_unmarked()?;
                    if let Some(result) = GameResult::parse(word) {
                        self.result = Some(result);
                        continue;
                    }
                    let (number, seat, text) = parse_number(word)
                        .filter(|_| self.result.is_none())
                        .ok_or_else(|| (*line, BpgnReason::Token(quote(word))))?;
                    let label = || format!("{number}{}.", super::seat_letter(seat));
                    let next = tokens.peek().and_then(|(_, token)| match token {
                        Token::Word(word) if text.is_empty() => Some(word.as_str()),
                        _ => None,
                    });
                    let text = match next {
                        Some(word)
                            if parse_number(word).is_none()
                                && GameResult::parse(word).is_none() =>
                        {
                            tokens.next();
                            word
                        }
                        _ if text.is_empty() => {
                            return Err((*line, BpgnReason::NumberWithoutPly(label())));
                        }
                        _ => text,
                    };
                    self.read_ply(*line, number, seat, text)?;
                }
            }
        }
        Ok(())
    }

    fn read_ply(&mut self, line: usize, number: u32, seat: Seat, text: &str) -> Result<(), Fault> {
        let label = format!("{number}{}.", super::seat_letter(seat));
        let Seat { board, color } = seat;
        let out_of_turn = self.state.position(board).turn() != color;
        let mut position = self.state.position(board).clone();
        if out_of_turn {
            position = position.with_turn(color);
        }
        let reserve = *self.state.reserve(seat);
        let ply = san::parse_san(&position, text).map_err(|source| {
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
    fn settle_unmarked(&mut self) -> Result<(), Fault> {
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

    /// The ending's loser decides; the result written is only believed when none is named.
    fn settle_result(&mut self) {
        let from_tag = self.game.tag("Result").and_then(GameResult::parse);
        let from_ending = self.game.ending.as_ref().and_then(Ending::result);
        self.game.result = from_ending.or(self.result).or(from_tag).unwrap_or_default();
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
        text: quote(text),
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
