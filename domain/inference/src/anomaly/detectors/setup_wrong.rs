//! `setup-wrong`: the pieces did not stand as they should when play began.
//!
//! ```text
//! confidence = p(king and queen, or other pieces, were swapped)   for each side: the posterior of such set-ups
//!            = WEAK_SQUARE, ONE_SQUARE or MORE_SQUARES        for squares that differ from the initial position
//! ```
//!
//! A missing piece is seen at once. A swap of king and queen shows only in how the pieces move.
//!
//! Serves the topics set-up and swapped set-up: the set-up may be corrected until each side has made a move;
//! afterwards a swapped king and queen castle short on the queen's side.

use readings::{Occupancy, SensorKind};
use rules::{Bitboard, File, Square};

use crate::anomaly::findings::finding::prelude::*;
use crate::back_rank::BackRank;

/// Confidence for one wrong square of a side. The doubt: the piece may stand off the middle of its
/// square. Assumed.
const ONE_SQUARE: f64 = 0.55;
/// Confidence for one wrong square of a side at a board that measures field strength: a weak magnet is likelier than a missing piece.
/// Of 105 such findings at drawn and tabled hands none was true. Assumed.
const WEAK_SQUARE: f64 = 0.3;
/// Confidence for two wrong squares of a side, or more. Assumed.
const MORE_SQUARES: f64 = 0.95;

/// Reason of a finding about king and queen. Findings with different reasons are different anomalies.
const KING_AND_QUEEN: &str = "king-queen-swapped";
/// Reason of a finding about other pieces.
const OTHER_PIECES: &str = "pieces-swapped";
/// Reason of a finding about squares that are empty or occupied.
const SQUARES: &str = "squares-differ";

/// Findings for the unusual back ranks of each side, White first, with the probabilities that the
/// side was set up so, 0 to 1.
pub(crate) fn pieces_swapped(
    board: BoardId,
    t_us: u64,
    odd: &[Vec<(BackRank, f64)>; 2],
) -> Vec<Finding> {
    let mut found = Vec::new();
    for (side, ranks) in Color::ALL.into_iter().zip(odd) {
        let swapped = BackRank::king_and_queen_swapped();
        let odd = ranks.iter().filter(|(rank, _)| rank.odd_files().next().is_some());
        let (royal, others): (Vec<_>, Vec<_>) =
            odd.partition(|(rank, _)| rank.roles == swapped.roles);
        let finding = |confidence: f64, reason, how: &str| {
            let (side_name, p) = (words::side(side), words::percent(confidence));
            let evidence = format!(
                "{side_name}'s pieces on board {board} have moved as if {how} had been set up swapped \
                     (probability {p})."
            );
            let found = Finding::new(AnomalyCode::SetupWrong, t_us, confidence, evidence).by(side);
            Finding { reason: Some(reason), ..found }
        };
        let sum = |ranks: &[&(BackRank, f64)]| ranks.iter().map(|(_, p)| p).sum::<f64>();
        found.push(finding(sum(&royal), KING_AND_QUEEN, "king and queen"));
        if let Some((likeliest, _)) = others.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
            let squares = likeliest
                .odd_files()
                .map(|file| Square::from_coords(File::ALL[file], side.backrank()));
            let pieces = format!("the pieces on {}", words::list(squares.collect::<Bitboard>()));
            found.push(finding(sum(&others), OTHER_PIECES, &pieces));
        }
    }
    found
}

/// Findings for squares that did not read as in the initial position when play began.
pub(crate) fn squares_wrong(
    board: BoardId,
    sensor: SensorKind,
    t_us: u64,
    occupied: Bitboard,
) -> Vec<Finding> {
    let one = if sensor == SensorKind::HallMagnitude { WEAK_SQUARE } else { ONE_SQUARE };
    let wrong = occupied ^ Occupancy::INITIAL.0;
    let halves = [(Color::White, wrong & Bitboard::SOUTH), (Color::Black, wrong & Bitboard::NORTH)];
    let found = halves.into_iter().filter(|(_, wrong)| wrong.any()).map(|(side, wrong)| {
        let (side_name, squares) = (words::side(side), words::list(wrong));
        let evidence = format!(
            "When play began on board {board}, these squares of {side_name} did not read as in the \
                 initial position: {squares}."
        );
        let confidence = if wrong.count() > 1 { MORE_SQUARES } else { one };
        let found = Finding::new(AnomalyCode::SetupWrong, t_us, confidence, evidence).by(side);
        Finding { reason: Some(SQUARES), ..found }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_piece_is_its_owners() {
        let occupied = Occupancy::INITIAL.0.without(Square::G8).without(Square::B8);
        let found = squares_wrong(BoardId::A, SensorKind::Reed, 7, occupied);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((finding.side, finding.confidence), (Some(Color::Black), MORE_SQUARES));
        assert!(finding.evidence.ends_with("b8, g8."));
    }

    #[test]
    fn a_right_set_up_is_no_finding() {
        assert_eq!(squares_wrong(BoardId::A, SensorKind::Reed, 7, Occupancy::INITIAL.0), []);
    }

    #[test]
    fn one_square_of_a_board_of_magnets_may_be_a_weak_magnet() {
        let confidence = |sensor, occupied| {
            let found = squares_wrong(BoardId::A, sensor, 7, occupied);
            found.first().map(|finding| finding.confidence)
        };
        let one = Occupancy::INITIAL.0.without(Square::G8);
        assert_eq!(confidence(SensorKind::HallMagnitude, one), Some(WEAK_SQUARE));
        assert_eq!(confidence(SensorKind::Reed, one), Some(ONE_SQUARE));
        let two = one.without(Square::B8);
        assert_eq!(confidence(SensorKind::HallMagnitude, two), Some(MORE_SQUARES));
    }
}
