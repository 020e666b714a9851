//! Properties of every position that hands can reach, by legal plies, illegal ones and nonsense.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
};

use proptest::prelude::*;
use rules::{
    BoardId, Color, Match, PROMOTION_ROLES, Ply, Position, RESERVE_ROLES, Reserve, Seat, Square,
    Supply,
    bpgn::{self, BpgnGame, BpgnPly, EndReason, Ending, MatchResult},
    fen, san,
};

/// One choice of a walk: which board, what sort of ply, and which of them.
#[derive(Clone, Copy, Debug)]
struct Choice {
    board: BoardId,
    sort: Sort,
    index: usize,
}

#[derive(Clone, Copy, Debug)]
enum Sort {
    Legal,
    PseudoLegal,
    Any(Ply),
    OutOfTurn,
}

fn square() -> impl Strategy<Value = Square> {
    (0u32..64).prop_map(Square::new)
}

fn any_ply() -> impl Strategy<Value = Ply> {
    let promotion = prop::option::weighted(0.2, prop::sample::select(PROMOTION_ROLES.to_vec()));
    let piece_move = (square(), square(), promotion)
        .prop_filter("a piece goes somewhere", |(from, to, _)| from != to)
        .prop_map(|(from, to, promotion)| Ply::Move { from, to, promotion });
    let drop = (prop::sample::select(RESERVE_ROLES.to_vec()), square())
        .prop_map(|(role, to)| Ply::Drop { role, to });
    prop_oneof![3 => piece_move, 1 => drop]
}

fn choice(legal: u32, other: u32) -> impl Strategy<Value = Choice> {
    let sort = prop_oneof![
        legal => Just(Sort::Legal),
        other => Just(Sort::PseudoLegal),
        other => any_ply().prop_map(Sort::Any),
        other => Just(Sort::OutOfTurn),
    ];
    (prop::sample::select(BoardId::ALL.to_vec()), sort, any::<usize>())
        .prop_map(|(board, sort, index)| Choice { board, sort, index })
}

/// A walk of mostly legal plies, with some that are not.
fn walk() -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec(choice(12, 1), 0..90)
}

/// A walk of anything.
fn wild_walk() -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec(choice(2, 2), 0..60)
}

/// Plays the choices and calls `see` with the match before each ply, the board and the ply.
fn play(choices: &[Choice], mut see: impl FnMut(&Match, BoardId, Ply)) -> Match {
    let mut state = Match::initial();
    let mut plies = Vec::new();
    for choice in choices {
        let board = choice.board;
        if matches!(choice.sort, Sort::OutOfTurn) {
            state.set_turn(board, state.position(board).turn().other());
        }
        match choice.sort {
            Sort::Legal | Sort::OutOfTurn => state.legal_plies(board, &mut plies),
            Sort::PseudoLegal => {
                let reserve = *state.reserve(state.seat_to_move(board));
                state.position(board).pseudo_legal_plies(&reserve, &mut plies);
            }
            Sort::Any(ply) => plies = vec![ply],
        }
        if plies.is_empty() {
            continue;
        }
        let ply = plies[choice.index % plies.len()];
        see(&state, board, ply);
        state.play(board, ply);
    }
    state
}

fn every_ply() -> impl Iterator<Item = Ply> {
    let promotions = [None].into_iter().chain(PROMOTION_ROLES.map(Some));
    let moves = Square::ALL.into_iter().flat_map(move |from| {
        let promotions = promotions.clone();
        Square::ALL.into_iter().filter(move |&to| to != from).flat_map(move |to| {
            promotions.clone().map(move |promotion| Ply::Move { from, to, promotion })
        })
    });
    let drops = RESERVE_ROLES
        .into_iter()
        .flat_map(|role| Square::ALL.into_iter().map(move |to| Ply::Drop { role, to }));
    moves.chain(drops)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn without_debt(reserve: &Reserve) -> Reserve {
    Reserve::from_counts(reserve.counts().map(|count| count.max(0)))
}

/// Legal plies are exactly those for which no reason of illegality is found.
fn assert_illegality_agrees(position: &Position, reserve: &Reserve) {
    let mut legal = Vec::new();
    position.legal_plies(reserve, &mut legal);
    legal.sort_unstable();
    let mut without_reason: Vec<Ply> =
        every_ply().filter(|&ply| position.is_legal(ply, reserve, Supply::Partner)).collect();
    without_reason.sort_unstable();
    assert_eq!(legal, without_reason, "{position:?}");
}

proptest! {
    #[test]
    fn material_is_conserved_whatever_is_played(choices in wild_walk()) {
        let start = Color::ALL.map(|color| Match::initial().material(color));
        play(&choices, |state, board, ply| {
            let mut after = state.clone();
            after.play(board, ply);
            assert_eq!(Color::ALL.map(|color| after.material(color)), start, "{ply} on {board}");
        });
    }

    #[test]
    fn legal_plies_are_those_without_a_reason_against_them(choices in walk()) {
        let end = play(&choices, |_, _, _| {});
        for board in BoardId::ALL {
            let position = end.position(board);
            assert_illegality_agrees(position, end.reserve(end.seat_to_move(board)));
            let other = position.clone().with_turn(position.turn().other());
            let seat = Seat { board, color: other.turn() };
            assert_illegality_agrees(&other, end.reserve(seat));
        }
    }

    #[test]
    fn any_ply_can_be_played_in_any_position(choices in wild_walk(), plies in prop::collection::vec(any_ply(), 50)) {
        let end = play(&choices, |_, _, _| {});
        for ply in plies {
            for board in BoardId::ALL {
                let mut after = end.clone();
                after.play(board, ply);
                let position = after.position(board);
                prop_assert_eq!(position.turn(), end.position(board).turn().other());
                for color in Color::ALL {
                    prop_assert!(position.board().by_piece(color.king()).count() <= 1);
                }
                let _ = (after.state(board), position.is_check());
            }
        }
    }

    #[test]
    fn positions_are_the_same_after_writing_and_reading_fen(choices in wild_walk()) {
        let end = play(&choices, |_, _, _| {});
        let again = fen::parse_match(&fen::format_match(&end)).expect("our own FEN");
        for board in BoardId::ALL {
            let (ours, read) = (end.position(board), again.position(board));
            prop_assert_eq!(ours, read);
            prop_assert_eq!(hash(ours), hash(read));
            prop_assert_eq!(ours.halfmove_clock(), read.halfmove_clock());
            prop_assert_eq!(ours.fullmove_number(), read.fullmove_number());
        }
        for seat in Seat::ALL {
            prop_assert_eq!(without_debt(end.reserve(seat)), *again.reserve(seat));
        }
    }

    #[test]
    fn every_played_ply_reads_back_from_san_and_uci(choices in wild_walk()) {
        play(&choices, |state, board, ply| {
            let position = state.position(board);
            let text = san::to_san(position, Supply::Partner, ply);
            assert_eq!(san::parse_san(position, &text), Ok(ply), "{text} in {position:?}");
            assert_eq!(ply.to_string().parse(), Ok(ply));
        });
    }

    #[test]
    fn every_legal_ply_reads_back_from_san(choices in walk()) {
        let end = play(&choices, |_, _, _| {});
        let mut plies = Vec::new();
        for board in BoardId::ALL {
            end.legal_plies(board, &mut plies);
            let position = end.position(board);
            for &ply in &plies {
                let text = san::to_san(position, Supply::Partner, ply);
                prop_assert_eq!(san::parse_san(position, &text), Ok(ply), "{}", text);
            }
        }
    }

    #[test]
    fn records_read_back_as_written(
        choices in wild_walk(),
        clocks in prop::collection::vec(prop::option::of(-5_000i64..600_000), 60),
        comments in prop::collection::vec(prop::option::weighted(0.3, "[a-zA-Z0-9.:;()éß#\\[][a-zA-Z0-9 .:;()é\"\\]]{0,90}[a-z.]"), 60),
        names in prop::collection::vec("[A-Za-z\"\\\\éÿ ]{0,12}", 4),
        loser in prop::option::of(0usize..4),
        result in prop::sample::select(vec![MatchResult::TeamOne, MatchResult::TeamTwo, MatchResult::Draw, MatchResult::Unknown]),
    ) {
        let mut game = BpgnGame { result, ..BpgnGame::default() };
        for (tag, name) in ["WhiteA", "BlackA", "WhiteB", "BlackB"].into_iter().zip(&names) {
            game.set_tag(tag, name);
        }
        let mut clocks = clocks.into_iter().zip(comments);
        play(&choices, |state, board, ply| {
            let (clock_ms, comment) = clocks.next().unwrap_or_default();
            let position = state.position(board);
            let (color, number) = (position.turn(), u32::from(position.fullmove_number()));
            game.plies.push(BpgnPly { board, color, ply, clock_ms, number, comment });
        });
        if let Some(seat) = loser {
            let ending = Ending::lost(Seat::ALL[seat], EndReason::Resigns, &game);
            let read_again = names.iter().filter(|name| !name.trim().is_empty()).count() == 0;
            game.ending = read_again.then_some(ending);
            if read_again {
                game.result = MatchResult::lost_by(Seat::ALL[seat].team());
            }
        }
        let written = bpgn::write(&game);
        game.set_tag("Result", &game.result.to_string());
        let read = bpgn::read(written.as_bytes());
        prop_assert_eq!(read, vec![Ok(game)], "{}", written);
    }

    #[test]
    fn reader_of_records_survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(!bpgn::read(&bytes).is_empty());
    }

    #[test]
    fn reader_of_records_survives_any_text_of_their_alphabet(
        text in "(\\[[A-Z][a-z]{0,4} \"[^\"\n]{0,8}\"?\\]?\n|[1-9][AaBb]?\\.? ?[a-hPNBRQKO@x=+#0-9-]{0,6}|\\{[C:a-z0-9. ]{0,9}\\}?|[ \n;()$]|1-0|\\*){0,40}"
    ) {
        prop_assert!(!bpgn::read(text.as_bytes()).is_empty());
    }

    #[test]
    fn readers_of_fen_and_san_survive_any_text(text in "\\PC{0,40}|[rnbqkpRNBQKP1-8/\\[\\]~ |wbKQkq-]{0,90}") {
        let _ = fen::parse_match(&text);
        let _ = fen::parse_board(&text);
        let _ = san::parse_san(&Position::initial(), &text);
        let _ = text.parse::<Ply>();
    }

    #[test]
    fn counters_do_not_tell_positions_apart(choices in walk(), halfmoves in 0u16..100, number in 1u16..500) {
        let end = play(&choices, |_, _, _| {});
        let position = end.position(BoardId::A).clone();
        let later = position.clone().with_counters(halfmoves, number);
        prop_assert_eq!(&position, &later);
        prop_assert_eq!(hash(&position), hash(&later));
        prop_assert_ne!(&position.clone().with_turn(position.turn().other()), &position);
    }
}
