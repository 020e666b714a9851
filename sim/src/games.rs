//! The matches that the project ships: something to play where nobody brings games of their own.

use std::collections::BTreeSet;

use rules::bpgn::{self, BpgnGame};

/// The files of `sim/games`, which says how they were made.
const FILES: [&[u8]; 4] = [
    include_bytes!("../games/engine-001.bpgn"),
    include_bytes!("../games/engine-002.bpgn"),
    include_bytes!("../games/engine-003.bpgn"),
    include_bytes!("../games/engine-004.bpgn"),
];

/// All shipped matches, in the order of their files.
#[must_use]
pub fn shipped() -> Vec<BpgnGame> {
    FILES.into_iter().flat_map(bpgn::read).filter_map(Result::ok).collect()
}

/// A name for each game of a file: the last word of its Event tag where that names every game differently
/// (`… g017`), else `stem`, the name of the file, and the game's number. Games come with their numbers,
/// which are their places in the file, from 1. The hands of a performance depend on the name.
#[must_use]
pub fn match_names(stem: &str, games: &[(usize, BpgnGame)]) -> Vec<String> {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let last_words: Vec<&str> = games
        .iter()
        .filter_map(|(_, game)| game.tag("Event")?.split_whitespace().next_back())
        .filter(|word| word.chars().all(is_fit))
        .collect();
    let different: BTreeSet<&str> = last_words.iter().copied().collect();
    if different.len() == games.len() {
        return last_words.into_iter().map(str::to_owned).collect();
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
    }

    #[test]
    fn games_are_named_by_their_events_where_these_differ_and_else_by_their_places() {
        let game =
            |event: &str| bpgn::read(format!("[Event \"{event}\"]\n\n1A. e4 1-0\n").as_bytes());
        let games = |events: [&str; 2]| -> Vec<(usize, BpgnGame)> {
            (1..).zip(events.into_iter().flat_map(game).filter_map(Result::ok)).collect()
        };
        assert_eq!(match_names("file", &games(["club g7", "club g9"])), ["g7", "g9"]);
        assert_eq!(match_names("file", &games(["club", "club"])), ["file-001", "file-002"]);
        assert_eq!(match_names("file", &games(["../g7", "g9"])), ["file-001", "file-002"]);
    }
}
