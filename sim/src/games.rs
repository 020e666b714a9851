//! The matches that the project ships: something to play where nobody brings games of their own.

use std::collections::BTreeSet;

use rules::{
    bpgn::{self, BpgnGame},
    pgn::{self, PgnGame},
};

use crate::RecordedGame;

/// The files of `sim/games`, which says how they were made.
const FILES: [&[u8]; 4] = [
    include_bytes!("../games/engine-001.bpgn"),
    include_bytes!("../games/engine-002.bpgn"),
    include_bytes!("../games/engine-003.bpgn"),
    include_bytes!("../games/engine-004.bpgn"),
];

/// The files of chess beside them.
const CHESS_FILES: [&[u8]; 3] = [
    include_bytes!("../games/chess-001.pgn"),
    include_bytes!("../games/chess-002.pgn"),
    include_bytes!("../games/chess-003.pgn"),
];

/// All shipped matches of bughouse, in the order of their files.
#[must_use]
pub fn shipped() -> Vec<BpgnGame> {
    FILES.into_iter().flat_map(bpgn::read).filter_map(Result::ok).collect()
}

/// All shipped games of chess, in the order of their files.
#[must_use]
pub fn shipped_chess() -> Vec<PgnGame> {
    let games = CHESS_FILES.into_iter().flat_map(pgn::read);
    games.filter(|(_, error)| error.is_none()).map(|(game, _)| game).collect()
}

/// Notation of a file of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// One game of chess after the other.
    Pgn,
    /// One match of bughouse after the other.
    Bpgn,
}

impl Notation {
    /// The notation of a file, by its first ply: `12A.` stands in BPGN alone. A file without a ply is what `extension`, the end of
    /// its name without the dot, says, and else PGN.
    #[must_use]
    pub fn of(bytes: &[u8], extension: &str) -> Notation {
        let is_bpgn = extension.eq_ignore_ascii_case("bpgn");
        match rules::has_two_boards(bytes).unwrap_or(is_bpgn) {
            true => Notation::Bpgn,
            false => Notation::Pgn,
        }
    }
}

/// Every game of a file, or its error. An error names the game's place in the file and, for an error of the text, the line.
#[must_use]
pub fn read(bytes: &[u8], extension: &str) -> Vec<Result<RecordedGame, String>> {
    let recorded = |number: usize, game: Result<RecordedGame, crate::SimError>| {
        game.map_err(|error| format!("game {number}: {error}"))
    };
    match Notation::of(bytes, extension) {
        Notation::Bpgn => (1..)
            .zip(bpgn::read(bytes))
            .map(|(number, game)| match game {
                Ok(game) => recorded(number, RecordedGame::try_from(&game)),
                Err(error) => Err(error.to_string()),
            })
            .collect(),
        Notation::Pgn => (1..)
            .zip(pgn::read(bytes))
            .map(|(number, (game, error))| match error {
                None => recorded(number, RecordedGame::try_from(&game)),
                Some(error) => Err(error.to_string()),
            })
            .collect(),
    }
}

/// A name for each game of a file: its own where these differ (in BPGN the last word of the Event tag, `… g017`; in PGN
/// the GameId tag), else `stem`, the name of the file, and the game's number. Games come with their numbers,
/// which are their places in the file, from 1. The hands of a performance depend on the name.
#[must_use]
pub fn match_names(stem: &str, games: &[(usize, RecordedGame)]) -> Vec<String> {
    let own: Vec<&String> = games.iter().filter_map(|(_, game)| game.name.as_ref()).collect();
    let different: BTreeSet<&String> = own.iter().copied().collect();
    if different.len() == games.len() {
        return own.into_iter().cloned().collect();
    }
    games.iter().map(|(number, _)| format!("{stem}-{number:03}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_match_can_be_read() {
        let unreadable: Vec<_> =
            FILES.into_iter().flat_map(bpgn::read).filter_map(Result::err).collect();
        assert!(unreadable.is_empty(), "{unreadable:?}");
        assert!(shipped().len() >= 200);
        let unreadable: Vec<_> =
            CHESS_FILES.into_iter().flat_map(pgn::read).filter_map(|(_, error)| error).collect();
        assert!(unreadable.is_empty(), "{unreadable:?}");
        assert!(shipped_chess().len() >= 100);
    }

    #[test]
    fn notation_is_told_by_the_first_ply_and_without_one_by_the_name() {
        assert_eq!(Notation::of(FILES[0], "pgn"), Notation::Bpgn);
        assert_eq!(Notation::of(CHESS_FILES[0], "bpgn"), Notation::Pgn);
        assert_eq!(Notation::of(b"[Event \"1A. e4\"]\n\n*", "bpgn"), Notation::Bpgn);
        assert_eq!(Notation::of(b"", "txt"), Notation::Pgn);
    }

    #[test]
    fn game_that_is_wrong_or_cut_is_named_and_the_others_are_read() {
        let text = "[Event \"a\"]\n\n1. e4 e5 1-0\n\n[Event \"b\"]\n\n1. e4 Ke4 0-1\n\n\
                    [Event \"c\"]\n\n1. d4 *\n\n[Event \"d\"]\n\n1. d4 {[%clk 0:";
        let read = read(text.as_bytes(), "pgn");
        assert!(read[0].is_ok() && read[2].is_ok(), "{read:?}");
        let wrong = |at: usize| read[at].as_ref().expect_err("a broken game").clone();
        assert!(wrong(1).contains("game 2") && wrong(1).contains("line 7"), "{}", wrong(1));
        assert!(wrong(3).contains("game 4") && wrong(3).contains("cut off"), "{}", wrong(3));
    }

    #[test]
    fn games_are_named_by_their_events_where_these_differ_and_else_by_their_places() {
        let game =
            |event: &str| bpgn::read(format!("[Event \"{event}\"]\n\n1A. e4 1-0\n").as_bytes());
        let games = |events: [&str; 2]| -> Vec<(usize, RecordedGame)> {
            let games = events.into_iter().flat_map(game).filter_map(Result::ok);
            (1..).zip(games.map(|game| RecordedGame::try_from(&game).expect("a game"))).collect()
        };
        assert_eq!(match_names("file", &games(["club g7", "club g9"])), ["g7", "g9"]);
        assert_eq!(match_names("file", &games(["club", "club"])), ["file-001", "file-002"]);
        assert_eq!(match_names("file", &games(["../g7", "g9"])), ["file-001", "file-002"]);
    }
}
