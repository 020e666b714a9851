//! Pieces whose type is not sure: dropped or promoted ones that still stand on the board.

use rules::{BoardId, Ply, Role, Square};
use serde::Serialize;

use super::rounded;
use referee::{BoardSnapshot, PlyReport, Timeline};

/// From this probability on a piece is shown like any other.
pub(super) const SURE_FROM: f64 = 0.9;

/// Candidates less likely than this are not listed.
const LEAST_LISTED: f64 = 0.005;

/// Possible identities of a piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Upper-case piece letter.
    pub piece: String,
    /// Its probability, 0 to 1.
    pub p: f64,
}

/// A piece whose type is not sure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uncertain {
    /// Square of the piece.
    pub square: String,
    /// Probability of the type that is shown.
    pub p: f64,
    /// Its possible identities, likeliest first.
    pub candidates: Vec<Candidate>,
}

/// The uncertain pieces of a board.
pub(super) fn on_board(
    timeline: &Timeline,
    standing: &BoardSnapshot,
    board: BoardId,
) -> Vec<Uncertain> {
    let placed = standing.placed(board);
    placed
        .filter_map(|(square, index)| of_piece(square, &timeline.plies().get(index)?.report))
        .collect()
}

/// The role that a ply gives to a piece it puts on a square.
fn role_given(ply: Ply, like: Ply) -> Option<Role> {
    match (ply, like) {
        (Ply::Drop { role, to }, Ply::Drop { to: same, .. }) if to == same => Some(role),
        (Ply::Move { to, promotion, .. }, Ply::Move { to: same, .. }) if to == same => promotion,
        _ => None,
    }
}

fn of_piece(square: Square, report: &PlyReport) -> Option<Uncertain> {
    let shown = role_given(report.ply, report.ply)?;
    let mut roles = vec![(shown, report.p)];
    let others = report.alternatives.iter().filter(|other| other.ply != report.ply);
    for other in others {
        let Some(role) = role_given(other.ply, report.ply) else { continue };
        match roles.iter_mut().find(|(known, _)| *known == role) {
            Some((_, p)) => *p += other.p,
            None => roles.push((role, other.p)),
        }
    }
    let p = roles[0].1.min(1.0);
    if p >= SURE_FROM {
        return None;
    }
    roles.retain(|&(role, p)| role == shown || p >= LEAST_LISTED);
    roles.sort_by(|a, b| b.1.total_cmp(&a.1));
    let candidate = |(role, p): (Role, f64)| Candidate {
        piece: role.upper_char().to_string(),
        p: rounded(p.min(1.0)),
    };
    Some(Uncertain {
        square: square.to_string(),
        p: rounded(p),
        candidates: roles.into_iter().map(candidate).collect(),
    })
}
