//! The readings and the position around one closed segment, as the detectors ask for them.
//!
//! No formula: this file keeps the questions about squares, trays and hands in one place, so that
//! all detectors answer them alike.

use rules::{Bitboard, Color, Ply, Seat, Square, Supply};

use crate::anomaly::{
    hands::reach_time::{Carried, ReachTimes},
    segments::{
        judged_segments::{JudgedSegment, PressContext},
        square_history::SquareHistory,
    },
    trays::matching::Passing,
};
use crate::hand_times::BEGINS_EARLY_US;
use crate::{
    answers::marginals::{PlyEstimate, SegmentEstimate},
    observation::footprint::Footprint,
    trellis::Layer,
};

/// A closed segment as it is believed now, and the readings that its findings rest on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DetectorContext<'a> {
    /// The number of its layer.
    pub(crate) index: usize,
    pub(crate) layer: &'a Layer,
    pub(crate) answer: &'a SegmentEstimate,
    pub(crate) segment: &'a JudgedSegment,
    pub(crate) presses: PressContext,
    pub(crate) history: &'a SquareHistory,
    pub(crate) hands: &'a ReachTimes,
    /// The tray of each seat that has one, in the order of [`Seat::ALL`].
    pub(crate) trays: &'a [Option<Passing>; 4],
    /// Whether the rulebook allows both hands when castling.
    pub(crate) both_hands_when_castling: bool,
    /// Estimated part of this match's presses that the other hand made, 0 to 1.
    pub(crate) other_hand_rate: f64,
}

impl<'a> DetectorContext<'a> {
    /// The presser's last ply, and its place in the segment.
    pub(crate) fn own_ply(&self) -> Option<(usize, &'a PlyEstimate)> {
        let mut plies = self.answer.plies.iter().enumerate();
        plies.rfind(|(_, ply)| Some(ply.side) == self.layer.presser)
    }

    /// The squares that each of the segment's plies concerns.
    pub(crate) fn footprints(&self) -> impl Iterator<Item = (&'a PlyEstimate, Footprint)> {
        let plies = self.segment.replayed(self.answer);
        plies.map(|(ply, position)| (ply, Footprint::of(&position, ply.ply, Supply::Nobody)))
    }

    /// The squares that the segment's plies concern.
    pub(crate) fn meant(&self) -> Bitboard {
        self.footprints().fold(Bitboard::EMPTY, |all, (_, footprint)| all | footprint.squares())
    }

    /// The times up to `until_us` at which a piece was lifted from a square, not before this
    /// segment's hand may have begun, microseconds.
    pub(crate) fn lifts(
        &self,
        from: Square,
        until_us: u64,
    ) -> impl DoubleEndedIterator<Item = u64> {
        self.history.lifted(from, (self.segment.begun_us.saturating_sub(BEGINS_EARLY_US), until_us))
    }

    /// Time at which a player last took a piece out of the own tray between these times, or up to
    /// [`BEGINS_EARLY_US`] before the first, microseconds; none if that was not seen.
    pub(crate) fn taken(&self, player: Color, (since_us, until_us): (u64, u64)) -> Option<u64> {
        let seat = Seat { board: self.layer.board, color: player };
        let tray = self.trays[seat.index()].as_ref()?;
        tray.taken_out(since_us.saturating_sub(BEGINS_EARLY_US), until_us)
    }

    /// Time at which a ply's piece was lifted, if that was seen, and when it landed, up to `until_us`, microseconds.
    pub(crate) fn way(&self, ply: Ply, until_us: u64) -> Option<(Option<u64>, u64)> {
        let lifted_us = ply.from().and_then(|from| self.lifts(from, until_us).next_back());
        let after_us = lifted_us.unwrap_or(self.segment.begun_us);
        let landed_us = self.history.filled(ply.to(), (after_us, until_us)).next()?;
        Some((lifted_us, landed_us))
    }

    /// The carrying of the piece of the presser's ply, and the time from its landing to the press;
    /// `None` if the ply is not the segment's last, or if the landing was not seen before the
    /// press.
    pub(crate) fn carried(&self) -> Option<(&'a PlyEstimate, Carried)> {
        let (slot, ply) = self.own_ply()?;
        let (lifted_us, landed_us) = self.way(ply.ply, self.layer.t_us)?;
        if slot + 1 < self.answer.plies.len() || landed_us < self.segment.begun_us {
            return None;
        }
        let lifted_us = match ply.ply.from() {
            Some(_) => lifted_us,
            None => self.taken(ply.side, (self.segment.begun_us, landed_us)),
        };
        let ms = |us: u64| us as f64 / 1_000.0;
        let carried = Carried {
            from: ply.ply.from(),
            to: ply.ply.to(),
            flight_ms: lifted_us.map(|lifted_us| ms(landed_us - lifted_us)),
            press_ms: ms(self.layer.t_us - landed_us),
        };
        Some((ply, carried))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use rules::{BoardId, Position};

    use super::*;
    use crate::anomaly::segments::square_history::tests::history;

    /// Observation of a segment that began at 1 s in the initial position, with these changes, milliseconds.
    pub(crate) struct Table {
        pub(crate) segment: JudgedSegment,
        history: SquareHistory,
        pub(crate) hands: ReachTimes,
        /// White's has slots.
        pub(crate) trays: [Option<Passing>; 4],
        pub(crate) presses: PressContext,
    }

    impl Table {
        pub(crate) fn new(events: &[(u64, Square, bool)]) -> Table {
            let segment = JudgedSegment {
                board: BoardId::A,
                begun_us: 1_000_000,
                press: None,
                position: Position::initial(),
                near_since_us: None,
                seen_from: None,
                hands_seen: false,
                goes_on: true,
                plies: Vec::new(),
                bare: 0.0,
            };
            Table {
                segment,
                history: history(events),
                hands: ReachTimes::default(),
                trays: [Some(Passing::default()), None, None, None],
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

        pub(crate) fn context<'a>(
            &'a self,
            layer: &'a Layer,
            answer: &'a SegmentEstimate,
        ) -> DetectorContext<'a> {
            let Table { segment, history, hands, trays, presses } = self;
            DetectorContext {
                index: 0,
                layer,
                answer,
                segment,
                presses: *presses,
                history,
                hands,
                trays,
                both_hands_when_castling: true,
                other_hand_rate: 0.015,
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
            captured: None,
            is_unsupplied: false,
            claimed: 0.0,
            alternatives: Vec::new(),
        };
        SegmentEstimate { plies: vec![ply], ..SegmentEstimate::default() }
    }

    #[test]
    fn castling_concerns_the_rook_too_and_a_knights_move_nothing_but_its_squares() {
        let castling =
            Table::before_castling(&[]).context(&pressed(2_000), &played("e1g1", 2_000)).meant();
        assert_eq!(castling, Bitboard::from_rank(rules::Rank::First) & Bitboard(0xf0));
        let knight = Table::new(&[]).context(&pressed(2_000), &played("g1f3", 2_000)).meant();
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
        let (layer, answer) = (pressed(2_900), played("e2e4", 2_900));
        let (_, carried) = table.context(&layer, &answer).carried().expect("carried");
        assert_eq!((carried.flight_ms, carried.press_ms), (Some(400.0), 500.0));
    }
}
