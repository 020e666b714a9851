//! The same plies under each supply: bughouse, half-seen bughouse and chess.

use proptest::prelude::*;
use rules::{
    BoardId, BoardState, Game, IllegalReason, Match, Ply, RESERVE_ROLES, Reserve, Role, Seat,
    Square, Supply, fen, san,
};

fn ply(text: &str) -> Ply {
    text.parse().expect("a ply")
}

fn after(mut game: Match, plies: &[&str]) -> Match {
    for text in plies {
        game.play(BoardId::A, ply(text));
    }
    game
}

const FOOLS_MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];

#[test]
fn mate_at_a_distance_is_mate_in_chess_and_blockable_in_bughouse() {
    let state = |start| after(start, &FOOLS_MATE).state(BoardId::A);
    assert_eq!(state(Match::chess()), BoardState::Mate);
    assert_eq!(state(Match::initial()), BoardState::BlockableCheck);
    assert_eq!(state(Match::half_sensed()), BoardState::BlockableCheck);
}

#[test]
fn fools_mate_is_written_with_the_mark_of_a_mate_in_chess_only() {
    let written = |start: Match| {
        let game = after(start, &FOOLS_MATE[..3]);
        san::to_san(game.position(BoardId::A), game.supply(), ply("d8h4"))
    };
    assert_eq!(written(Match::chess()), "Qh4#");
    assert_eq!(written(Match::initial()), "Qh4+");
}

#[test]
fn smothered_mate_is_mate_whatever_the_supply() {
    let text = "6rk/5Npp/8/8/8/8/8/4K3[] b - - 0 1";
    let setup = fen::parse_board(text).expect("a board");
    for supply in Supply::ALL {
        assert_eq!(setup.position.state(&Reserve::EMPTY, supply), BoardState::Mate, "{supply:?}");
    }
}

#[test]
fn drop_in_chess_is_illegal_for_being_a_drop() {
    let game = Match::chess();
    for text in ["N@e5", "N@e2", "P@e8", "K@e5"] {
        // A king's drop has no notation, so it is made by hand.
        let drop = text.parse().unwrap_or(Ply::Drop { role: Role::King, to: Square::E5 });
        assert_eq!(game.illegality(BoardId::A, drop), Some(IllegalReason::DropInChess), "{text}");
    }
}

#[test]
fn drop_from_an_unseen_supply_is_illegal_only_for_where_it_lands() {
    let game = Match::half_sensed();
    let reason = |text| game.illegality(BoardId::A, ply(text));
    assert_eq!(reason("Q@e5"), None);
    assert_eq!(reason("P@e5"), None);
    assert_eq!(reason("P@e8"), Some(IllegalReason::DropOnOccupied));
    let text = "4k3/8/8/8/8/8/8/4K2r[] w - - 0 1";
    let position = fen::parse_board(text).expect("a board").position;
    let reason = |text| position.illegality(ply(text), &Reserve::EMPTY, Supply::Unseen);
    assert_eq!(reason("P@c8"), Some(IllegalReason::PawnDropRank));
    assert_eq!(reason("N@a5"), Some(IllegalReason::KingLeftInCheck));
    assert_eq!(reason("N@g1"), None);
}

#[test]
fn drop_from_an_unseen_supply_runs_no_debt() {
    let game = after(Match::half_sensed(), &["N@e5"]);
    assert!(Seat::ALL.into_iter().all(|seat| *game.reserve(seat) == Reserve::EMPTY));
    let seen = after(Match::initial(), &["N@e5"]);
    assert_eq!(seen.reserve(Seat { board: BoardId::A, color: rules::Color::White }).debt(), 1);
}

#[test]
fn player_of_an_unseen_supply_is_never_stalemated_while_a_square_is_free() {
    let position = fen::parse_board("7k/5Q2/6K1/8/8/8/8/8[] b - - 0 1").expect("a board").position;
    let state = |supply| position.state(&Reserve::EMPTY, supply);
    assert_eq!(state(Supply::Nobody), BoardState::Stalemate);
    assert_eq!(state(Supply::Partner), BoardState::Stalemate);
    assert_eq!(state(Supply::Unseen), BoardState::Normal);
}

#[test]
fn capture_in_chess_fills_no_reserve() {
    let plies = ["e2e4", "d7d5", "e4d5"];
    let chess = after(Match::chess(), &plies);
    assert!(Seat::ALL.into_iter().all(|seat| *chess.reserve(seat) == Reserve::EMPTY));
    let bughouse = after(Match::initial(), &plies);
    assert_ne!(chess, bughouse);
    assert_eq!(Seat::ALL.into_iter().map(|seat| bughouse.reserve(seat).total()).sum::<u32>(), 1);
}

#[test]
fn promoted_queen_is_a_queen_for_good_in_chess() {
    let position =
        fen::parse_board("1n2k3/P7/8/8/8/8/8/4K3[] w - - 0 1").expect("a board").position;
    let mut chess = position.clone();
    let captured = chess.play_with(ply("a7b8q"), Supply::Nobody).captured.expect("a knight");
    assert_eq!((captured.piece.role, captured.role_to_reserve), (Role::Knight, None));
    assert!(chess.promoted().is_empty());
    let mut bughouse = position;
    let captured = bughouse.play_with(ply("a7b8q"), Supply::Partner).captured.expect("a knight");
    assert_eq!(captured.role_to_reserve, Some(Role::Knight));
    assert!(bughouse.promoted().contains(Square::B8));
}

#[test]
fn match_knows_its_game() {
    assert_eq!(Match::chess().game(), Game::Chess);
    assert_eq!(Match::initial().game(), Game::Bughouse);
    assert_eq!(Match::half_sensed().game(), Game::Bughouse);
    assert!(
        Game::ALL
            .into_iter()
            .all(|game| { Match::initial().with_supply(game.supply()).game() == game })
    );
}

/// A game under `supply` with plies chosen from the legal ones by these numbers.
fn walked(supply: Supply, choices: &[u16]) -> Match {
    let mut game = Match::initial().with_supply(supply);
    let mut plies = Vec::new();
    for &choice in choices {
        game.legal_plies(BoardId::A, &mut plies);
        if plies.is_empty() {
            break;
        }
        game.play(BoardId::A, plies[usize::from(choice) % plies.len()]);
    }
    game
}

fn every_ply() -> impl Iterator<Item = Ply> {
    let moves = Square::ALL.into_iter().flat_map(|from| {
        Square::ALL.into_iter().flat_map(move |to| {
            [None, Some(Role::Queen), Some(Role::Knight), Some(Role::Pawn)]
                .map(|promotion| Ply::Move { from, to, promotion })
        })
    });
    let roles = RESERVE_ROLES.into_iter().chain([Role::King]);
    let drops = roles.flat_map(|role| Square::ALL.map(|to| Ply::Drop { role, to }));
    moves.chain(drops)
}

proptest! {
    #[test]
    fn what_is_judged_legal_is_what_is_listed_under_every_supply(
        choices in prop::collection::vec(any::<u16>(), 0..80),
        supply in prop::sample::select(Supply::ALL.to_vec()),
    ) {
        let game = walked(supply, &choices);
        let mut listed = Vec::new();
        game.legal_plies(BoardId::A, &mut listed);
        listed.retain(|ply| {
            !matches!(ply, Ply::Move { promotion: Some(Role::Rook | Role::Bishop), .. })
        });
        listed.sort_by_key(Ply::to_string);
        let mut judged: Vec<Ply> =
            every_ply().filter(|&ply| game.illegality(BoardId::A, ply).is_none()).collect();
        judged.sort_by_key(Ply::to_string);
        prop_assert_eq!(listed, judged);
    }

    #[test]
    fn chess_has_no_blockable_check_no_promoted_mark_and_no_reserve(
        choices in prop::collection::vec(any::<u16>(), 0..300),
    ) {
        let game = walked(Supply::Nobody, &choices);
        prop_assert_ne!(game.state(BoardId::A), BoardState::BlockableCheck);
        prop_assert!(game.position(BoardId::A).promoted().is_empty());
        prop_assert!(Seat::ALL.into_iter().all(|seat| game.reserve(seat).total() == 0));
    }
}
