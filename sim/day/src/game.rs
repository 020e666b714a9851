//! Games of chess for the plan: legal, each another one, and without a ply that occupied squares alone do not show.

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_chacha::ChaCha8Rng;
use rules::{Bitboard, Color, Ply, Position, Reserve, Role};

/// Games that end with mate within a few plies, by White or by Black.
const MATES: [&str; 4] = [
    "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7",
    "e2e4 b8c6 f1c4 e7e5 d1f3 f8c5 f3f7",
    "f2f3 e7e5 g2g4 d8h4",
    "e2e4 e7e5 f1c4 f8c5 d1h5 a7a6 h5f7",
];

/// A mate that touches none of these squares, and who wins with its last ply.
pub(crate) fn mating(avoid: Bitboard, rng: &mut ChaCha8Rng) -> Option<(Vec<Ply>, Color)> {
    let text = MATES.choose(rng).copied().unwrap_or(MATES[0]);
    let plies: Vec<Ply> = text.split(' ').filter_map(|uci| uci.parse().ok()).collect();
    let winner = if plies.len() % 2 == 1 { Color::White } else { Color::Black };
    plies.iter().all(|ply| touches_none_of(*ply, avoid)).then_some((plies, winner))
}

fn touches_none_of(ply: Ply, squares: Bitboard) -> bool {
    !squares.contains(ply.to()) && ply.from().is_none_or(|from| !squares.contains(from))
}

/// A game of so many plies that touch none of these squares, or of less where nothing is left to be played.
pub(crate) fn plain(plies: usize, avoid: Bitboard, rng: &mut ChaCha8Rng) -> Vec<Ply> {
    let (mut position, mut game) = (Position::initial(), Vec::new());
    let reserve = Reserve::default();
    let mut legal = Vec::new();
    while game.len() < plies {
        legal.clear();
        position.legal_plies(&reserve, &mut legal);
        legal.retain(|&ply| {
            is_plain(&position, ply) && !ends(&position, ply) && touches_none_of(ply, avoid)
        });
        if game.is_empty() {
            // Nothing but time tells knights that went out and home from pieces that were put back.
            let is_pawn = |ply: &Ply| {
                ply.from()
                    .and_then(|it| position.piece_at(it))
                    .is_some_and(|it| it.role == Role::Pawn)
            };
            legal.retain(is_pawn);
        }
        let Some(&ply) = legal.choose(rng) else { break };
        position.play(ply);
        game.push(ply);
    }
    game
}

/// Whether one piece moves, or takes what stands on its target.
fn is_plain(position: &Position, ply: Ply) -> bool {
    let Ply::Move { from, to, promotion: None } = ply else { return false };
    let Some(piece) = position.piece_at(from) else { return false };
    let files = from.file() != to.file();
    let is_en_passant = piece.role == Role::Pawn && files && position.piece_at(to).is_none();
    let is_castling = piece.role == Role::King && from.distance(to) > 1;
    !is_en_passant && !is_castling
}

/// Whether a ply ends the game, or makes it look set up again.
fn ends(position: &Position, ply: Ply) -> bool {
    let mut after = position.clone();
    after.play(ply);
    let takes_king = position.piece_at(ply.to()).is_some_and(|it| it.role == Role::King);
    takes_king || !after.has_legal_ply(&Reserve::default())
}

/// Time that a player thinks about a ply, µs.
pub(crate) fn think_us(rng: &mut ChaCha8Rng) -> u64 {
    rng.random_range(1_000_000..5_000_000)
}
