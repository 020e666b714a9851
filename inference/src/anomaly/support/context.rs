//! The readings and the position around one closed segment, as the detectors ask for them.
//!
//! No formula: this file keeps the questions about squares, trays and hands in one place, so that all detectors
//! answer them alike.

use rules::{Bitboard, Color, Ply, Position, Role, Square, Supply};

use super::{
    press_context::PressContext,
    reach_time::{Carried, ReachTimes},
    square_history::SquareHistory,
    tray_matching::Passing,
};
use crate::{
    answers::marginals::{PlyEstimate, SegmentEstimate},
    observation::footprint::Footprint,
};

/// Time before the press that ends the opponent's ply from which a hand may begin with the next ply, microseconds.
/// Assumed.
const EARLY_US: u64 = 1_000_000;

/// Facts about a segment, kept for as long as its findings may change.
#[derive(Clone, Debug)]
pub(crate) struct SegmentContext {
    /// The board's press before the segment, or the beginning of play, microseconds.
    pub(crate) begun_us: u64,
    /// The position before the segment, as believed now.
    pub(crate) position: Position,
    /// Since when the presser's hand had been near the clock at the press, microseconds; none if the clock did not
    /// see it.
    pub(crate) near_since_us: Option<u64>,
    /// Whether the clock has reported hands at all.
    pub(crate) hands_seen: bool,
}

/// The readings that the findings of a segment rest on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DetectorContext<'a> {
    pub(crate) segment: &'a SegmentContext,
    pub(crate) history: &'a SquareHistory,
    pub(crate) hands: &'a ReachTimes,
    pub(crate) presses: PressContext,
    /// The slots of White's and Black's reserve, where there are trays.
    pub(crate) trays: [Option<&'a Passing>; 2],
    /// Whether the rulebook allows both hands when castling.
    pub(crate) both_hands_when_castling: bool,
    /// Estimated part of this match's presses that the other hand made, 0 to 1.
    pub(crate) other_hand_rate: f64,
}

impl SegmentContext {
    /// The pieces of one side before the segment.
    pub(crate) fn pieces(&self, color: Color) -> Bitboard {
        self.position.board().by_color(color)
    }

    /// All pieces before the segment.
    pub(crate) fn occupied(&self) -> Bitboard {
        self.position.occupied()
    }

    /// The squares that each of the segment's plies concerns.
    pub(crate) fn footprints(&self, answer: &SegmentEstimate) -> Vec<Footprint> {
        let mut position = self.position.clone();
        let footprint = |ply: &PlyEstimate| {
            position = position.clone().with_turn(ply.side);
            let footprint = Footprint::of(&position, ply.ply, Supply::Nobody);
            position.play(ply.ply);
            footprint
        };
        answer.plies.iter().map(footprint).collect()
    }

    /// The squares that a castling rook leaves and reaches, if the ply castles.
    pub(crate) fn castling_rook(&self, ply: Ply) -> Option<(Square, Square)> {
        self.position.clone().play(ply).castling_rook
    }
}

impl DetectorContext<'_> {
    /// The squares that the segment's plies concern.
    pub(crate) fn meant(&self, answer: &SegmentEstimate) -> Bitboard {
        let footprints = self.segment.footprints(answer);
        footprints.iter().fold(Bitboard::EMPTY, |all, footprint| all | footprint.squares())
    }

    /// When a piece was last lifted from a square up to `until_us`, not before this segment's hand may have begun,
    /// microseconds.
    pub(crate) fn lifted(&self, from: Square, until_us: u64) -> Option<u64> {
        self.history
            .lifted(from, self.segment.begun_us.saturating_sub(EARLY_US), until_us)
            .next_back()
    }

    /// When a piece was first lifted from a square up to `until_us`, not before this segment's hand may have begun,
    /// microseconds.
    pub(crate) fn first_lifted(&self, from: Square, until_us: u64) -> Option<u64> {
        self.history.lifted(from, self.segment.begun_us.saturating_sub(EARLY_US), until_us).next()
    }

    /// When a player last took a piece out of the own tray up to `until_us`, not before this segment's hand may have
    /// begun, microseconds; none if that was not seen.
    pub(crate) fn taken(&self, player: Color, until_us: u64) -> Option<u64> {
        let since_us = self.segment.begun_us.saturating_sub(EARLY_US);
        self.trays[usize::from(player.is_black())]?.taken_out(since_us, until_us)
    }

    /// Whether a pawn stood on a square.
    pub(crate) fn is_pawn(&self, from: Option<Square>) -> bool {
        from.and_then(|from| self.segment.position.piece_at(from))
            .is_some_and(|piece| piece.role == Role::Pawn)
    }

    /// When a ply's piece was lifted, if that was seen, and when it landed, up to `until_us`, microseconds.
    pub(crate) fn way(&self, ply: Ply, until_us: u64) -> Option<(Option<u64>, u64)> {
        let lifted_us = ply.from().and_then(|from| self.lifted(from, until_us));
        let after_us = lifted_us.unwrap_or(self.segment.begun_us);
        let landed_us = self.history.filled(ply.to(), after_us, until_us).next()?;
        Some((lifted_us, landed_us))
    }

    /// Whether the last piece set down before `t_us` belongs to none of this segment's plies. Then the other player's
    /// hand was at work.
    pub(crate) fn other_hand_at_work(&self, answer: &SegmentEstimate, t_us: u64) -> bool {
        let meant = self.meant(answer);
        let from_us = t_us.saturating_sub(EARLY_US).max(self.segment.begun_us);
        self.history
            .between(from_us, t_us.saturating_sub(1))
            .rfind(|event| event.occupied)
            .is_some_and(|event| {
                !meant.contains(event.square) && !self.segment.occupied().contains(event.square)
            })
    }

    /// How a ply's piece was carried, and how long after its landing the press at `press_us` came. None if the
    /// landing was not seen before the press.
    pub(crate) fn carried(&self, ply: &PlyEstimate, press_us: u64) -> Option<Carried> {
        let (lifted_us, landed_us) = self.way(ply.ply, press_us)?;
        if landed_us < self.segment.begun_us {
            return None;
        }
        let lifted_us = match ply.ply.from() {
            Some(_) => lifted_us,
            None => self.taken(ply.side, landed_us),
        };
        let ms = |us: u64| us as f64 / 1_000.0;
        Some(Carried {
            from: ply.ply.from(),
            to: ply.ply.to(),
            flight_ms: lifted_us.map(|lifted_us| ms(landed_us - lifted_us)),
            press_ms: ms(press_us - landed_us),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use rules::BoardId;

    use super::*;
    use crate::{anomaly::support::square_history::tests::history, trellis::Layer};

    /// What is seen of a segment that began at 1 s in the initial position, with these changes, milliseconds.
    pub(crate) struct Table {
        pub(crate) segment: SegmentContext,
        history: SquareHistory,
        pub(crate) hands: ReachTimes,
        /// White's.
        pub(crate) tray: Passing,
        pub(crate) presses: PressContext,
    }

    impl Table {
        pub(crate) fn new(events: &[(u64, Square, bool)]) -> Table {
            let segment = SegmentContext {
                begun_us: 1_000_000,
                position: Position::initial(),
                near_since_us: None,
                hands_seen: false,
            };
            let (hands, tray) = (ReachTimes::default(), Passing::default());
            Table {
                segment,
                history: history(events),
                hands,
                tray,
                presses: PressContext::default(),
            }
        }

        /// The same where White may castle short.
        pub(crate) fn before_castling(events: &[(u64, Square, bool)]) -> Table {
            let mut table = Table::new(events);
            for ply in ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"] {
                table.segment.position.play(ply.parse().expect("a ply"));
            }
            table
        }

        pub(crate) fn context(&self) -> DetectorContext<'_> {
            let Table { segment, history, hands, presses, .. } = self;
            let (both_hands_when_castling, other_hand_rate) = (true, 0.015);
            let trays = [Some(&self.tray), None];
            DetectorContext {
                segment,
                history,
                hands,
                presses: *presses,
                trays,
                both_hands_when_castling,
                other_hand_rate,
            }
        }
    }

    /// White's press after these milliseconds.
    pub(crate) fn pressed(t_ms: u64) -> Layer {
        Layer {
            board: BoardId::A,
            presser: Some(Color::White),
            t_us: t_ms * 1_000,
            explanations: Vec::new(),
            edges: Vec::new(),
            forward: vec![1.0],
        }
    }

    /// One ply by White, pressed after these milliseconds.
    pub(crate) fn played(ply: &str, t_ms: u64) -> SegmentEstimate {
        let ply = PlyEstimate {
            ply: ply.parse().expect("a ply"),
            side: Color::White,
            p: 1.0,
            t_us: t_ms * 1_000,
            landed_us: t_ms * 1_000,
            legal: true,
            illegal: None,
            captures: false,
            alternatives: Vec::new(),
        };
        SegmentEstimate { plies: vec![ply], ..SegmentEstimate::default() }
    }

    #[test]
    fn castling_concerns_the_rook_too_and_a_knights_move_nothing_but_its_squares() {
        let castling = Table::before_castling(&[]).context().meant(&played("e1g1", 2_000));
        assert_eq!(castling, Bitboard::from_rank(rules::Rank::First) & Bitboard(0xf0));
        let knight = Table::new(&[]).context().meant(&played("g1f3", 2_000));
        assert_eq!(knight, Bitboard::from_iter([Square::G1, Square::F3]));
    }

    #[test]
    fn a_piece_is_carried_from_its_last_lift_to_its_first_landing() {
        let table = Table::new(&[
            (2_000, Square::E2, false),
            (2_400, Square::E4, true),
            (2_450, Square::E4, false),
            (2_480, Square::E4, true),
        ]);
        let answer = played("e2e4", 2_900);
        let carried = table.context().carried(&answer.plies[0], 2_900_000).expect("carried");
        assert_eq!((carried.flight_ms, carried.press_ms), (Some(400.0), 500.0));
    }
}
