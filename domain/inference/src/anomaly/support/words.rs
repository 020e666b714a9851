//! Plies and players in words, for people who read evidence.

use rules::{Color, Ply, Role, Square};

/// `White` or `Black`.
pub(crate) fn side(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// `b8, g8`.
pub(crate) fn list(squares: impl IntoIterator<Item = Square>) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    names.join(", ")
}

/// `g1 to f3`, or `a knight dropped on f3`.
pub(crate) fn ply(ply: Ply) -> String {
    match ply {
        Ply::Move { from, to, .. } => format!("{from} to {to}"),
        Ply::Drop { role, to } => format!("a {} dropped on {to}", name(role)),
    }
}

/// The role in lower case.
pub(crate) const fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// A probability as whole percent, never quite certain unless it is.
pub(crate) fn percent(p: f64) -> String {
    if p >= 1.0 { "100 %".to_owned() } else { format!("{:.0} %", (p * 100.0).clamp(1.0, 99.0)) }
}

/// Microseconds as seconds with one decimal.
pub(crate) fn seconds(us: u64) -> String {
    format!("{}.{}", us / 1_000_000, us % 1_000_000 / 100_000)
}

/// Milliseconds as a clock shows them: `5:00`.
pub(crate) fn minutes(ms: i64) -> String {
    let s = ms.max(0) / 1_000;
    format!("{}:{:02}", s / 60, s % 60)
}
