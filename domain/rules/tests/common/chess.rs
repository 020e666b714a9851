//! Properties of a position that the vectors of chess contain: see `vectors/make_chess_vectors.py`.

use rules::{BoardState, Color, Ply, Position, Reserve, Supply, draw, san};

/// FNV-1a, 64 bits.
pub(crate) fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |value, byte| {
        (value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Every legal move as "UCI SAN", sorted.
pub(crate) fn moves(position: &Position) -> Vec<String> {
    let mut plies: Vec<Ply> = Vec::new();
    position.legal_plies(&Reserve::EMPTY, &mut plies);
    let mut moves: Vec<String> = plies
        .into_iter()
        .map(|ply| format!("{ply} {}", san::to_san(position, Supply::Nobody, ply)))
        .collect();
    moves.sort_unstable();
    moves
}

/// The state's letter and the marks of a position that has been on the board so many times.
pub(crate) fn state(position: &Position, occurrences: usize) -> String {
    let letter = match position.state(&Reserve::EMPTY, Supply::Nobody) {
        BoardState::Normal => 'n',
        BoardState::Check => 'c',
        BoardState::Mate => 'm',
        BoardState::Stalemate => 's',
        BoardState::BlockableCheck => panic!("chess has no blockable check: {position:?}"),
    };
    let marks = [
        ('w', position.has_insufficient_material(Color::White)),
        ('b', position.has_insufficient_material(Color::Black)),
        ('3', occurrences >= draw::THREEFOLD),
        ('5', occurrences >= draw::FIVEFOLD),
        ('f', position.is_fifty_moves()),
        ('F', position.is_seventy_five_moves()),
    ];
    let held = marks.into_iter().filter(|(_, holds)| *holds).map(|(mark, _)| mark);
    std::iter::once(letter).chain(held).collect()
}

/// Number of legal moves, hash and state, as a line of the vectors has them.
pub(crate) fn description(position: &Position, occurrences: usize) -> String {
    let moves = moves(position);
    let hash = fnv1a(&moves.join(","));
    format!("{}\t{hash:016x}\t{}", moves.len(), state(position, occurrences))
}
