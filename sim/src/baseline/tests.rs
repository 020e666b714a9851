//! Readings as a patient player makes them, and what the hobby board believes.

use readings::{InferredLine, Reading, ReadingKind, SquareReading};
use rules::{BoardId, Color, Match, Ply, Square};

use super::track;

/// A table whose players lift the victim first, then move, then press.
struct Players {
    position: Match,
    readings: Vec<Reading>,
    t_us: u64,
}

impl Players {
    fn new() -> Players {
        Players { position: Match::initial(), readings: Vec::new(), t_us: 0 }
    }

    fn read(&mut self, board: BoardId, kind: ReadingKind) {
        self.t_us += 100_000;
        self.readings.push(Reading { t_us: self.t_us, board: Some(board), kind });
    }

    fn square(&mut self, board: BoardId, square: Square, reading: SquareReading) {
        self.read(board, ReadingKind::Square { square, reading: Some(reading), level: None });
    }

    fn press(&mut self, board: BoardId, by: Color) {
        self.read(board, ReadingKind::Press { by });
    }

    /// Plays a ply, legal or not; the victim's square reads empty in between when `lifted`.
    fn play_with(&mut self, board: BoardId, uci: &str, lifted: bool) {
        let ply: Ply = uci.parse().unwrap();
        let before = self.position.position(board).occupied();
        let by = self.position.position(board).turn();
        self.position.play(board, ply);
        let after = self.position.position(board).occupied();
        if before.contains(ply.to()) && lifted {
            self.square(board, ply.to(), SquareReading::Empty);
            self.square(board, ply.to(), SquareReading::Occupied);
        }
        for square in before & !after {
            self.square(board, square, SquareReading::Empty);
        }
        for square in after & !before {
            self.square(board, square, SquareReading::Occupied);
        }
        self.press(board, by);
    }

    fn play(&mut self, board: BoardId, plies: &str) -> &mut Players {
        for uci in plies.split_whitespace() {
            self.play_with(board, uci, true);
        }
        self
    }

    /// Plies of one board by the hobby board.
    fn seen(&self, board: BoardId) -> String {
        let plies = track(&self.readings).into_iter().filter_map(|line| match line {
            InferredLine::Ply(ply) if ply.board == board => Some(ply.uci.to_string()),
            _ => None,
        });
        plies.collect::<Vec<_>>().join(" ")
    }
}

use BoardId::{A, B};

#[test]
fn quiet_moves_captures_and_castling_are_followed() {
    let plies = "e2e4 d7d5 e4d5 d8d5 g1f3 c8g4 f1e2 b8c6 e1g1 e8c8";
    assert_eq!(Players::new().play(A, plies).seen(A), plies);
}

#[test]
fn captured_piece_can_be_dropped_on_the_other_board() {
    let mut players = Players::new();
    players.play(A, "e2e4 d7d5 e4d5").play(B, "g1f3 P@e3");
    assert_eq!(players.seen(B), "g1f3 P@e3");
}

#[test]
fn en_passant_and_promotion_to_a_queen_are_followed() {
    let plies = "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7 a5a4 c7b8q";
    assert_eq!(Players::new().play(A, plies).seen(A), plies);
}

#[test]
fn promotion_to_a_knight_is_taken_for_a_queen() {
    let mut players = Players::new();
    players.play(A, "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7 a5a4 c7b8n");
    assert!(players.seen(A).ends_with("c7b8q"));
}

#[test]
fn of_two_captures_the_one_whose_victim_was_lifted_is_taken() {
    let plies = "e2e4 d7d5 a2a3 f7f5 e4f5";
    assert_eq!(Players::new().play(A, plies).seen(A), plies);
}

#[test]
fn board_stops_when_two_captures_fit() {
    let mut players = Players::new();
    players.play(A, "e2e4 d7d5 a2a3 f7f5");
    players.play_with(A, "e4f5", false);
    players.play(A, "a7a6");
    assert_eq!(players.seen(A), "e2e4 d7d5 a2a3 f7f5");
}

#[test]
fn board_stops_at_an_illegal_ply_and_the_other_goes_on() {
    let mut players = Players::new();
    players.play(A, "e2e4 e7e4 d2d4").play(B, "g1f3 g8f6");
    assert_eq!(players.seen(A), "e2e4");
    assert_eq!(players.seen(B), "g1f3 g8f6");
}

#[test]
fn drop_of_an_open_role_is_taken_for_what_the_reserve_holds_most_of() {
    let mut players = Players::new();
    // Black of B is given a knight and a queen.
    players.play(A, "g1f3 b8c6 f3e5 g8f6 e5c6 a7a6 c6d8 e8d8 a2a3").play(B, "g1f3 N@e4");
    assert_eq!(players.seen(B), "g1f3 N@e4", "of knight and queen the cheaper");
    players.play(B, "a2a3 Q@d5");
    assert_eq!(players.seen(B), "g1f3 N@e4 a2a3 Q@d5", "only the queen is left");
}

#[test]
fn wrong_drop_type_is_found_out_by_the_first_move_that_does_not_fit() {
    let mut players = Players::new();
    players.play(A, "g1f3 b8c6 f3e5 g8f6 e5c6 a7a6 c6d8 e8d8 a2a3").play(B, "g1f3 Q@e4");
    players.play(B, "a2a3 e4e3 a3a4");
    assert_eq!(players.seen(B), "g1f3 N@e4 a2a3", "no knight goes from e4 to e3");
}

#[test]
fn presses_that_change_nothing_or_out_of_turn_are_passed_over() {
    let mut players = Players::new();
    players.press(A, Color::Black);
    players.press(A, Color::White);
    players.play(A, "e2e4");
    players.press(A, Color::White);
    players.play(A, "e7e5");
    assert_eq!(players.seen(A), "e2e4 e7e5");
}

#[test]
fn snapshot_that_differs_counts_as_a_change_of_its_squares() {
    let mut players = Players::new();
    players.play(A, "e2e4 d7d5 a2a3 f7f5");
    let mut occupied = players.position.position(A).occupied();
    occupied.discard(Square::F5);
    let snapshot = |occupied| ReadingKind::Snapshot {
        occupied: Some(readings::Occupancy(occupied)),
        squares: None,
    };
    players.read(A, snapshot(occupied));
    occupied.discard(Square::E4);
    occupied.add(Square::F5);
    players.read(A, snapshot(occupied));
    players.press(A, Color::White);
    assert!(players.seen(A).ends_with("e4f5"));
}
