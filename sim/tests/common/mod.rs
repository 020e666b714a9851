//! Games to perform: random legal ones, rich in captures and drops, and a short one written down.
#![allow(dead_code, reason = "each test binary uses its part")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{
    BoardId, Match, Ply, Role, Seat,
    bpgn::{BpgnGame, BpgnPly},
};

/// A legal game of random plies on both boards, with thinking times from nothing to eight seconds.
pub(crate) fn random_game(seed: u64, length: usize) -> BpgnGame {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut now = Match::initial();
    let mut clocks_ms = [300_000_i64; 4];
    let mut plies = Vec::new();
    let mut legal = Vec::new();
    for _ in 0..length {
        let board = BoardId::ALL[rng.random_range(0..2)];
        now.legal_plies(board, &mut legal);
        if legal.is_empty() {
            continue;
        }
        let ply = choose(&now, board, &legal, &mut rng);
        let Seat { color, .. } = now.seat_to_move(board);
        let clock = &mut clocks_ms[Seat { board, color }.index()];
        *clock -= if rng.random_bool(0.3) { 0 } else { rng.random_range(100..3_000) };
        let (clock_ms, number) = (Some(*clock), now.position(board).fullmove_number().into());
        plies.push(BpgnPly { board, color, ply, clock_ms, number, comment: None });
        now.play(board, ply);
    }
    let mut game = BpgnGame { plies, ..BpgnGame::default() };
    game.set_tag("TimeControl", "300+0");
    game
}

/// Prefers what is interesting: castling, promotions, captures and drops.
fn choose(now: &Match, board: BoardId, legal: &[Ply], rng: &mut ChaCha8Rng) -> Ply {
    let position = now.position(board);
    let interesting: Vec<Ply> = legal
        .iter()
        .copied()
        .filter(|&ply| match ply {
            Ply::Drop { .. } => true,
            Ply::Move { from, to, promotion } => {
                let king = position.piece_at(from).is_some_and(|piece| piece.role == Role::King);
                promotion.is_some()
                    || position.piece_at(to).is_some()
                    || king && from.distance(to) == 2
            }
        })
        .collect();
    let pool = if !interesting.is_empty() && rng.random_bool(0.6) { &interesting } else { legal };
    pool[rng.random_range(0..pool.len())]
}

/// A short game with captures, castling on both sides and drops.
const SHORT: &str = r#"[Event "A short game"]
[WhiteA "WA"]
[BlackA "BA"]
[WhiteB "WB"]
[BlackB "BB"]
[TimeControl "300+0"]
[Result "0-1"]

1A. e4{299.0} 1B. e4{298.5} 1a. d5{298.2} 1b. e5{298.8} 2A. exd5{297.1} 2B. Nf3{297.0}
2b. Nc6{296.4} 2a. Qxd5{297.0} 3A. Nc3{295.9} 3B. Bc4{295.5} 3a. Qd8{295.0} 3b. Bc5{295.1}
4B. O-O{294.0} 4b. P@h3{293.9} 4A. Nf3{294.2} 5B. gxh3{292.5} 4a. Bg4{293.0} 5A. Be2{293.3}
5b. Nf6{291.0} 5a. Nc6{291.9} 6A. O-O{292.0} 6B. d3{291.7} 6a. Qd7{290.7} 6b. d6{289.9}
7A. Re1{290.1} 7a. P@h3{289.5} 8A. Rb1{288.8} 8a. O-O-O{288.0}
{WA forfeits on time} 0-1
"#;

/// The short game, read.
pub(crate) fn short_game() -> BpgnGame {
    rules::bpgn::read(SHORT.as_bytes()).remove(0).expect("the short game is right")
}
