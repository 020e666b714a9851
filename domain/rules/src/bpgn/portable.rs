//! A record that programs open which stop at an illegal ply: games in which every ply is legal, one after the other.
//!
//! Where an illegal ply stood, a further game begins at the position after it. It says in a tag which ply that was, so that
//! nothing is lost; the complete record has it in its place.

use super::{BpgnGame, BpgnPly, FEN_TAG, ILLEGAL_MARK, MatchResult, OUT_OF_TURN, seat_letter};
use crate::{Match, fen, san};

/// The tag that says which part of a match a game is, as `2/3`.
pub const PART_TAG: &str = "Part";
/// The tag with the illegal plies that were played before a part's first ply.
pub const BEFORE_TAG: &str = "PlayedBefore";

/// The parts of a match between its illegal plies; one if there is none.
///
/// A part begins after an illegal ply for which `may_tell` is true of its position in [`BpgnGame::plies`]. Others stay where they
/// are: a record that is read while a claim is open must not show them. The last part has the result.
#[must_use]
pub fn parts(game: &BpgnGame, may_tell: impl Fn(usize) -> bool) -> Vec<BpgnGame> {
    let mut state = game.start().unwrap_or_default();
    let mut parts = vec![BpgnGame { tags: game.tags.clone(), ..BpgnGame::default() }];
    let mut before: Vec<String> = Vec::new();
    for (index, ply) in game.plies.iter().enumerate() {
        let reason = illegality(&mut state, ply).filter(|_| may_tell(index));
        let san = san::to_san(state.position(ply.board), state.supply(), ply.ply);
        state.play(ply.board, ply.ply);
        let Some(reason) = reason else {
            if !before.is_empty() {
                parts.push(BpgnGame { tags: tags(game, &before), ..BpgnGame::default() });
                before.clear();
            }
            if let Some(part) = parts.last_mut() {
                part.plies.push(ply.clone());
            }
            continue;
        };
        let seat = seat_letter(ply.seat());
        if before.is_empty() {
            before.push(String::new());
        }
        before.push(format!("{}{seat}. {san} {ILLEGAL_MARK} {reason}", ply.number));
        // As a reader of the tag has it: what is owed to a reserve is forgotten.
        let fen = fen::format_match(&state);
        state = fen::parse_match(&fen).map_or(state, |read| read);
        before[0] = fen;
    }
    finish(game, parts)
}

/// Reason why a ply could not be played; the turn is the player's afterwards.
fn illegality(state: &mut Match, ply: &BpgnPly) -> Option<String> {
    let is_out_of_turn = state.position(ply.board).turn() != ply.color;
    state.set_turn(ply.board, ply.color);
    match is_out_of_turn {
        true => Some(OUT_OF_TURN.to_owned()),
        false => state.illegality(ply.board, ply.ply).map(|reason| reason.to_string()),
    }
}

/// The tags of a part; `before` has its position, then the plies before it.
fn tags(game: &BpgnGame, before: &[String]) -> Vec<(String, String)> {
    let mut part = BpgnGame { tags: game.tags.clone(), ..BpgnGame::default() };
    let Some((fen, plies)) = before.split_first() else { return part.tags };
    part.set_tag(FEN_TAG, fen);
    part.set_tag(BEFORE_TAG, &plies.join("; "));
    part.tags
}

/// Leaves out parts without plies, numbers the others and gives the last one the result.
fn finish(game: &BpgnGame, mut parts: Vec<BpgnGame>) -> Vec<BpgnGame> {
    if parts.len() > 1 && parts[0].plies.is_empty() {
        parts.remove(0);
    }
    let count = parts.len();
    for (index, part) in parts.iter_mut().enumerate() {
        if count > 1 {
            part.set_tag(PART_TAG, &format!("{}/{count}", index + 1));
        }
        part.result = MatchResult::Unknown;
    }
    if let Some(last) = parts.last_mut() {
        last.result = game.result;
        last.ending.clone_from(&game.ending);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpgn;

    /// White leaves the king in check at board A; the game went on.
    const SLIP: &str = "[Event \"?\"]\n\n1A. e4{300} 1a. e5{299} 1B. d4{300} 2A. Bc4{298} 2a. Qg5{297} \
        3A. d3{290} 3a. Qxg2{289} 4A. Bxf7+{280} 4a. d6{270} {C:illegal king-left-in-check} 5A. Bb3{260} 1b. d5{298} *\n\n";

    fn slip() -> BpgnGame {
        bpgn::read(SLIP.as_bytes()).remove(0).expect("a game")
    }

    #[test]
    fn game_without_illegal_plies_is_one_part_and_unchanged() {
        let mut game = slip();
        game.plies.truncate(8);
        assert_eq!(parts(&game, |_| true), [game]);
    }

    #[test]
    fn game_goes_on_after_an_illegal_ply_from_the_position_after_it() {
        let game = slip();
        let found = parts(&game, |_| true);
        let lengths: Vec<usize> = found.iter().map(|part| part.plies.len()).collect();
        assert_eq!(lengths, [8, 2]);
        assert_eq!(found[0].tag(PART_TAG), Some("1/2"));
        assert_eq!(found[1].tag(BEFORE_TAG), Some("4a. d6 illegal king-left-in-check"));
        let end = found[1].final_match().expect("a position");
        assert_eq!(fen::format_match(&end), fen::format_match(&game.final_match().expect("one")));
        for part in &found {
            let text = bpgn::write(part);
            assert!(!text.contains("C:illegal"), "{text}");
            assert_eq!(&bpgn::read(text.as_bytes()).remove(0).expect("reads").plies, &part.plies);
        }
    }

    #[test]
    fn what_may_not_be_told_stays_in_its_place() {
        let game = slip();
        assert_eq!(parts(&game, |_| false), [game]);
    }

    #[test]
    fn illegal_ply_at_the_end_leaves_the_result_with_the_last_part() {
        let mut game = slip();
        game.plies.truncate(9);
        game.result = MatchResult::TeamOne;
        let found = parts(&game, |_| true);
        assert_eq!((found.len(), found[0].result), (1, MatchResult::TeamOne));
    }
}
