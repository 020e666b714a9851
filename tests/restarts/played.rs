//! Plies as they happened, and as they were recorded.

use rules::BoardId;
use serde_json::Value;

/// Two plies on different boards that are this close may come in either order: nodes have clocks of
/// their own, and serial lines their delays.
const SIMULTANEOUS_US: u64 = 250_000;

/// Ply as the squares that a record must have right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Squares {
    board: String,
    side: String,
    /// `e2e4`, or `@e4` for a drop.
    squares: String,
}

impl Squares {
    pub(crate) fn new(board: &str, side: &str, uci: &str) -> Squares {
        let squares = match uci.split_once('@') {
            Some((_, to)) => format!("@{to}"),
            None => uci.chars().take(4).collect(),
        };
        Squares { board: board.to_owned(), side: side.to_owned(), squares }
    }

    pub(crate) fn of(ply: &Value) -> Squares {
        let text = |key: &str| ply[key].as_str().unwrap_or_default().to_owned();
        Squares::new(&text("board"), &text("side"), &text("uci"))
    }
}

/// The plies of each board exactly, and their order over both boards except where two were as good as
/// simultaneous.
pub(crate) fn assert_as_it_happened(what: &str, truth: &[(u64, Squares)], recorded: &[Squares]) {
    for board in BoardId::ALL.map(|board| board.to_string()) {
        let of_board = |ply: &&Squares| ply.board == board;
        let happened: Vec<_> = truth.iter().map(|(_, ply)| ply).filter(of_board).collect();
        let recorded: Vec<_> = recorded.iter().filter(of_board).collect();
        assert_eq!(recorded, happened, "{what}, board {board}");
    }
    // Per board both have the same plies, so that each recorded ply has its time.
    let mut times = BoardId::ALL.map(|board| {
        let board = board.to_string();
        truth.iter().filter(move |(_, ply)| ply.board == board).map(|(t_us, _)| *t_us)
    });
    let mut latest_us = 0;
    for ply in recorded {
        let t_us = times[usize::from(ply.board == "B")].next().expect("as many as happened");
        assert!(t_us + SIMULTANEOUS_US > latest_us, "{what}: {ply:?} of {t_us} µs is out of order");
        latest_us = latest_us.max(t_us);
    }
}
