//! `board-turned` and `clock-turned`: a board or a clock lies the other way round than its sensors are labelled.
//!
//! ```text
//! confidence = p(this is how board and clock lie)
//! ```
//!
//! The probability is that of `sensing/placing.rs`. The match is followed as it is played, so the
//! finding says only that labels of sensors are wrong. It is about equipment: no rulebook has it.

use crate::anomaly::findings::finding::prelude::*;
use crate::sensing::placing::{Lie, Turn};

/// Findings for a board and a clock that lie like this.
pub(crate) fn turned(board: BoardId, t_us: u64, lie: Lie, p: f64) -> Vec<Finding> {
    let how = match lie.turn {
        Turn::None => None,
        Turn::Half => Some("half a turn"),
        Turn::Quarter | Turn::ThreeQuarters => Some("a quarter turn"),
    };
    let certainty = words::percent(p);
    let board_found = how.map(|how| {
        let evidence = format!(
            "Board {board} lies {how} from how its sensors are labelled (probability {certainty}). The moves are \
             shown as they were played."
        );
        Finding::new(AnomalyCode::BoardTurned, t_us, p, evidence)
    });
    let clock_found = lie.clock_turned.then(|| {
        let evidence = format!(
            "The clock of board {board} stands the other way round: White presses the button that is labelled Black \
             (probability {certainty}). Times and flags are shown at the right players."
        );
        Finding::new(AnomalyCode::ClockTurned, t_us, p, evidence)
    });
    board_found.into_iter().chain(clock_found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_and_clock_are_reported_apart() {
        let codes = |turn, clock_turned| {
            let found = turned(BoardId::A, 5, Lie { turn, clock_turned }, 0.999);
            found.iter().map(|finding| finding.code).collect::<Vec<_>>()
        };
        assert_eq!(codes(Turn::None, false), []);
        assert_eq!(codes(Turn::Half, false), [AnomalyCode::BoardTurned]);
        assert_eq!(
            codes(Turn::Quarter, true),
            [AnomalyCode::BoardTurned, AnomalyCode::ClockTurned]
        );
    }
}
