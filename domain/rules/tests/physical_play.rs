//! Plies applied as they happened, legal or not.

use rules::{
    BoardId, BoardState, Color, IllegalReason, Match, Ply, Position, Reserve, Role, Seat, Square,
    Supply,
};

fn ply(text: &str) -> Ply {
    text.parse().expect("the test's own ply")
}

fn played(mut position: Position, plies: &str) -> Position {
    for text in plies.split_whitespace() {
        position.play(ply(text));
    }
    position
}

#[test]
fn king_left_in_check_stands_and_the_king_can_be_captured() {
    let mut position = played(Position::initial(), "e2e4 e7e5 d1h5 a7a6 h5f7");
    assert_eq!(
        position.illegality(ply("a6a5"), &Reserve::EMPTY, Supply::Partner),
        Some(IllegalReason::KingLeftInCheck)
    );
    position.play(ply("a6a5"));
    assert_eq!(
        position.illegality(ply("f7e8"), &Reserve::EMPTY, Supply::Partner),
        Some(IllegalReason::KingCaptured)
    );
    let captured = position.play(ply("f7e8")).captured.expect("a king was taken");
    assert_eq!(captured.piece, Color::Black.king());
    assert_eq!(captured.role_to_reserve, None);
    assert!(!position.is_check());
}

#[test]
fn captured_piece_goes_to_the_partner_and_is_dropped_from_there() {
    let mut game = Match::initial();
    for text in ["e2e4", "d7d5", "e4d5"] {
        game.play(BoardId::A, ply(text));
    }
    let partner = Seat { board: BoardId::B, color: Color::Black };
    assert_eq!(game.reserve(partner).count(Role::Pawn), 1);
    game.play(BoardId::B, ply("e2e4"));
    assert_eq!(game.illegality(BoardId::B, ply("P@e5")), None);
    game.play(BoardId::B, ply("P@e5"));
    assert_eq!(game.reserve(partner).count(Role::Pawn), 0);
}

#[test]
fn promoted_piece_reverts_to_a_pawn_when_captured() {
    let mut position = played(Position::initial(), "h2h4 g7g5 h4g5 h7h6 g5h6 a7a6 h6h7 a6a5 h7g8q");
    assert!(position.promoted().contains(Square::G8));
    let captured = position.play(ply("h8g8")).captured.expect("the queen was taken");
    assert_eq!(captured.piece.role, Role::Queen);
    assert_eq!(captured.role_to_reserve, Some(Role::Pawn));
    assert!(position.promoted().is_empty());
}

#[test]
fn swapped_king_castles_short_to_the_queens_side_and_long_to_the_kings_side() {
    let start = Position::initial_swapped(true, true);
    let short = played(start.clone(), "b1c3 b8c6 b2b3 b7b6 c1b2 c8b7");
    assert_eq!(short.illegality(ply("d1b1"), &Reserve::EMPTY, Supply::Partner), None);
    let mut castled = short.clone();
    assert_eq!(castled.play(ply("d1b1")).castling_rook, Some((Square::A1, Square::C1)));
    assert_eq!(castled.piece_at(Square::B1), Some(Color::White.king()));
    assert_eq!(castled.piece_at(Square::C1), Some(Color::White.rook()));
    assert_eq!(castled.play(ply("d8b8")).castling_rook, Some((Square::A8, Square::C8)));

    let long = played(start, "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e2e3 e7e6 e1e2 e8e7");
    assert_eq!(long.illegality(ply("d1f1"), &Reserve::EMPTY, Supply::Partner), None);
    let mut castled = long.clone();
    assert_eq!(castled.play(ply("d1f1")).castling_rook, Some((Square::H1, Square::E1)));
    assert_eq!(castled.play(ply("d8f8")).castling_rook, Some((Square::H8, Square::E8)));
}

#[test]
fn castling_after_the_king_has_moved_still_moves_the_rook() {
    let mut position =
        played(Position::initial(), "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1e2 a7a6 e2e1 a6a5");
    assert_eq!(
        position.illegality(ply("e1g1"), &Reserve::EMPTY, Supply::Partner),
        Some(IllegalReason::CastlingRightLost)
    );
    assert_eq!(position.play(ply("e1g1")).castling_rook, Some((Square::H1, Square::F1)));
}

#[test]
fn check_that_a_supplied_piece_could_block_is_no_mate() {
    // The queen on the e-file checks from afar; every flight square is taken or attacked.
    let mut position = played(Position::initial(), "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(position.state(&Reserve::EMPTY, Supply::Partner), BoardState::BlockableCheck);
    let mut knight = Reserve::EMPTY;
    knight.add(Role::Knight);
    assert_eq!(position.state(&knight, Supply::Partner), BoardState::Check);
    let mut plies = Vec::new();
    position.legal_plies(&knight, &mut plies);
    assert_eq!(plies, vec![ply("N@g3"), ply("N@f2")].into_iter().rev().collect::<Vec<_>>());
    position = played(Position::initial(), "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7");
    assert_eq!(position.state(&knight, Supply::Partner), BoardState::Mate);
}

#[test]
fn pawn_cannot_be_dropped_on_the_first_or_last_rank() {
    let mut reserve = Reserve::EMPTY;
    reserve.add(Role::Pawn);
    let position = played(Position::initial(), "g1f3 g8f6");
    for text in ["P@g1", "P@g8"] {
        assert_eq!(
            position.illegality(ply(text), &reserve, Supply::Partner),
            Some(IllegalReason::PawnDropRank)
        );
    }
}

#[test]
fn drop_on_an_occupied_square_replaces_the_piece_and_keeps_the_material() {
    let mut game = Match::initial();
    let before = Color::ALL.map(|color| game.material(color));
    assert_eq!(game.illegality(BoardId::A, ply("N@e7")), Some(IllegalReason::DropOnOccupied));
    game.play(BoardId::A, ply("N@e7"));
    game.play(BoardId::A, ply("e8e7"));
    game.play(BoardId::A, ply("d1d2"));
    assert_eq!(Color::ALL.map(|color| game.material(color)), before);
}
