//! Faults of a board's own sensors and line: which kinds there are, how often each is drawn, and what a faulty square reads.
//! Stated assumptions, for want of recordings of boards that failed.
//!
//! * *Stuck*: the square reads open or closed for good, half the time each. A square that tells pieces goes on telling the last
//!   piece that it saw.
//! * *Chatters*: for a few seconds the square reads the opposite for moments that outlast the debounce.
//! * *Weak*: of the pieces that are put on the square half are not seen until they leave it, and half of the others are seen late.
//! * *Drifts*: the square's level moves away from the truth at an even rate, to the end of the match.
//! * *Lost*: the node's readings do not arrive for a while.
//!
//! The truth dates a fault by the first reading that it makes wrong: a dead contact without a piece is no noticeable fault.

use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use readings::SensorKind;
use rules::{Color, Piece, Role, Square};

use crate::{
    chance::between_ms,
    contact::{Act, Change, Edge, Stand},
    standing::Standing,
};

/// Duration of each wrong reading of a chattering square, microseconds: longer than any debounce.
const CHATTER_US: u64 = 25_000;
/// Duration of chattering, milliseconds: least and most.
const CHATTERS_MS: (u64, u64) = (2_000, 10_000);
/// Duration of a loss of a board's readings, milliseconds: least and most.
const LOST_MS: (u64, u64) = (300, 2_000);
/// Share of pieces that a weak square does not see at all.
const WEAK_UNSEEN: f64 = 0.5;
/// Share of the others that it sees late.
const WEAK_LATE: f64 = 0.5;
/// Delay, milliseconds: least and most.
const WEAK_LATE_MS: (u64, u64) = (100, 2_000);
/// Drift of a square's level in a minute, counts: least and most. A type differs by 20 from the next.
const DRIFT_PER_MINUTE: (f64, f64) = (5.0, 30.0);
/// Counts from which a drifted level is taken for another type's: half the distance of two types.
pub(crate) const DRIFTED: f64 = 10.0;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Stuck,
    Chatters,
    Lost,
    Weak,
    Drifts,
}

use FaultKind::{Chatters, Drifts, Lost, Stuck, Weak};

/// Weights of the kinds of faults, on boards whose squares sense a contact, a piece or a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaultMix {
    contacts: &'static [(FaultKind, u32)],
    pieces: &'static [(FaultKind, u32)],
    levels: &'static [(FaultKind, u32)],
}

impl FaultMix {
    /// The table's: contacts alone fail, in three ways.
    pub(crate) const TABLE: FaultMix =
        FaultMix { contacts: &[(Stuck, 1), (Chatters, 1), (Lost, 1)], pieces: &[], levels: &[] };
    /// Mix of drawn matches: all boards fail. Cracked glass, a cold joint and a magnet too weak for its sensor are the common
    /// failures of a square, so dead and weak ones are most of the faults; a shaken plug loses readings; only a level drifts.
    pub(crate) const DRAWN: FaultMix = FaultMix {
        contacts: &[(Stuck, 7), (Weak, 5), (Chatters, 4), (Lost, 4)],
        pieces: &[(Stuck, 7), (Weak, 5), (Chatters, 4), (Lost, 4)],
        levels: &[(Stuck, 5), (Weak, 3), (Drifts, 5), (Chatters, 3), (Lost, 4)],
    };

    /// Weights of the faults of such a board; empty if there are none.
    pub(crate) const fn of(self, kind: SensorKind) -> &'static [(FaultKind, u32)] {
        match kind {
            SensorKind::Reed => self.contacts,
            SensorKind::HallPolarity | SensorKind::PieceId => self.pieces,
            SensorKind::HallMagnitude => self.levels,
        }
    }
}

/// A level that moves away from the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelDrift {
    /// The square.
    pub square: Square,
    /// Begin, microseconds.
    pub since_us: u64,
    /// Rate, counts a microsecond.
    pub per_us: f64,
}

impl LevelDrift {
    /// Offset of a square's level, counts.
    pub(crate) fn offset(self, t_us: u64, square: Square) -> f64 {
        if square == self.square {
            self.per_us * t_us.saturating_sub(self.since_us) as f64
        } else {
            0.0
        }
    }

    /// Time at which the level reads as another type's, microseconds.
    fn shows_us(self) -> u64 {
        self.since_us.saturating_add((DRIFTED / self.per_us.abs()) as u64)
    }
}

/// Readings of a faulty square, each with its time, and the time of the first wrong one, microseconds.
type FaultyReadings<V> = (Vec<(u64, V)>, Option<u64>);

/// Fault of a board's sensors or its line.
#[derive(Clone, Debug)]
pub(crate) enum BoardFault {
    /// A square reads closed or open from a moment on. `piece`: its reading if it never saw any.
    Stuck { square: Square, t_us: u64, closed: bool, piece: Piece },
    /// A square reads the opposite for a moment from each of these on.
    Chatters { square: Square, toggles_us: Vec<u64>, piece: Piece },
    /// A square sees some of the pieces late or not at all from a moment on.
    Weak { square: Square, t_us: u64, seed: u64 },
    /// A square's level drifts.
    Drifts(LevelDrift),
    /// Readings are lost from a moment until another.
    Lost { from_us: u64, until_us: u64 },
}

impl BoardFault {
    /// A fault that begins in the first half of a match; none where nothing can fail.
    pub(crate) fn drawn(
        weights: &[(FaultKind, u32)],
        end_us: u64,
        mut rng: ChaCha8Rng,
    ) -> Option<BoardFault> {
        let t_us = rng.random_range(2_000_000..=(end_us / 2).max(2_000_001));
        let square = Square::new(rng.random_range(0..64));
        let piece = Piece { color: Color::White, role: Role::Pawn };
        let total: u32 = weights.iter().map(|(_, weight)| weight).sum();
        let mut point = rng.random_range(0..total.max(1));
        let kind = weights.iter().find(|(_, weight)| {
            let hit = point < *weight;
            point = point.saturating_sub(*weight);
            hit
        });
        Some(match kind?.0 {
            Stuck => BoardFault::Stuck { square, t_us, closed: rng.random_bool(0.5), piece },
            Chatters => {
                let until_us = t_us + between_ms(&mut rng, CHATTERS_MS.0, CHATTERS_MS.1);
                let mut toggles_us = Vec::new();
                let mut at_us = t_us;
                while at_us < until_us {
                    toggles_us.push(at_us);
                    at_us += CHATTER_US + between_ms(&mut rng, 30, 200);
                }
                BoardFault::Chatters { square, toggles_us, piece }
            }
            Lost => {
                let until_us = t_us + between_ms(&mut rng, LOST_MS.0, LOST_MS.1);
                BoardFault::Lost { from_us: t_us, until_us }
            }
            Weak => BoardFault::Weak { square, t_us, seed: rng.random() },
            Drifts => {
                let per_minute = rng.random_range(DRIFT_PER_MINUTE.0..=DRIFT_PER_MINUTE.1);
                let sign = *[1.0, -1.0].choose(&mut rng).unwrap_or(&1.0);
                let per_us = sign * per_minute / 60_000_000.0;
                BoardFault::Drifts(LevelDrift { square, since_us: t_us, per_us })
            }
        })
    }

    /// The acts as a weak square sees them, and when it first sees one wrong, microseconds.
    pub(crate) fn seen_acts(&self, acts: &mut [Act]) -> Option<u64> {
        let BoardFault::Weak { square, t_us, seed } = self else { return None };
        let mut rng = ChaCha8Rng::seed_from_u64(*seed);
        let mut of_square: Vec<&mut Act> = acts
            .iter_mut()
            .filter(|act| act.square == *square && act.t_us >= *t_us)
            .filter(|act| matches!(act.change, Change::Put(_) | Change::Swap { .. }))
            .filter(|act| act.change != Change::Put(Stand::Unseen))
            .collect();
        of_square.sort_by_key(|act| act.t_us);
        let mut first_us = None;
        for act in of_square {
            let (unseen, late) = (rng.random_bool(WEAK_UNSEEN), rng.random_bool(WEAK_LATE));
            let us = between_ms(&mut rng, WEAK_LATE_MS.0, WEAK_LATE_MS.1);
            if unseen {
                act.change = Change::Put(Stand::Unseen);
            } else if late {
                act.change = Change::Put(Stand::Late { us });
            } else {
                continue;
            }
            first_us = first_us.or(Some(act.t_us));
        }
        first_us
    }

    /// Changes of a stuck or chattering contact, and the time of the first wrong one, microseconds.
    pub(crate) fn seen_edges(&self, is_closed: bool, edges: &mut Vec<Edge>) -> Option<u64> {
        let square = self.square()?;
        let own = edges.iter().filter(|edge| edge.square == square);
        let own: Vec<(u64, bool)> = own.map(|edge| (edge.t_us, edge.closed)).collect();
        let (told, first_us) = self.told(is_closed, own, false, |_| true)?;
        edges.retain(|edge| edge.square != square);
        edges.extend(told.into_iter().map(|(t_us, closed)| Edge { t_us, square, closed }));
        edges.sort_by_key(|edge| (edge.t_us, edge.square));
        first_us
    }

    /// The same of sensors that tell pieces.
    pub(crate) fn seen_standings(
        &self,
        initial: Option<Piece>,
        standings: &mut Vec<Standing>,
    ) -> Option<u64> {
        let (square, BoardFault::Stuck { piece, .. } | BoardFault::Chatters { piece, .. }) =
            (self.square()?, self)
        else {
            return None;
        };
        let own = standings.iter().filter(|standing| standing.square == square);
        let own: Vec<(u64, Option<Piece>)> = own.map(|own| (own.t_us, own.piece)).collect();
        let (told, first_us) =
            self.told(initial, own, None, |last| last.or(initial).or(Some(*piece)))?;
        standings.retain(|standing| standing.square != square);
        standings.extend(told.into_iter().map(|(t_us, piece)| Standing { t_us, square, piece }));
        standings.sort_by_key(|standing| (standing.t_us, standing.square));
        first_us
    }

    /// Time of the loss of readings, from and until, microseconds.
    pub(crate) const fn lost(&self) -> Option<(u64, u64)> {
        match self {
            BoardFault::Lost { from_us, until_us } => Some((*from_us, *until_us)),
            _ => None,
        }
    }

    /// The level that drifts, and when that shows, microseconds.
    pub(crate) fn drift(&self) -> Option<(LevelDrift, u64)> {
        match self {
            BoardFault::Drifts(drift) => Some((*drift, drift.shows_us())),
            _ => None,
        }
    }

    /// The square that sticks or chatters.
    pub(crate) const fn square(&self) -> Option<Square> {
        match self {
            BoardFault::Stuck { square, .. } | BoardFault::Chatters { square, .. } => Some(*square),
            _ => None,
        }
    }

    /// Readings of a faulty square that truly changes at these moments, and the time of the first difference. `something`: what
    /// it tells when it sees a piece falsely, by the last that it saw.
    fn told<V: Copy + PartialEq>(
        &self,
        initial: V,
        changes: Vec<(u64, V)>,
        nothing: V,
        something: impl Fn(V) -> V,
    ) -> Option<FaultyReadings<V>> {
        let at = |t_us: u64| {
            changes
                .iter()
                .take_while(|change| change.0 <= t_us)
                .last()
                .map_or(initial, |last| last.1)
        };
        let last_seen = |t_us: u64| {
            let seen = changes.iter().take_while(|change| change.0 <= t_us);
            something(
                seen.filter(|change| change.1 != nothing).last().map_or(nothing, |last| last.1),
            )
        };
        match self {
            BoardFault::Stuck { t_us, closed, .. } => {
                let stuck = if *closed { last_seen(*t_us) } else { nothing };
                let first_us = if at(*t_us) == stuck {
                    changes.iter().find(|change| change.0 > *t_us && change.1 != stuck)
                } else {
                    Some(&(*t_us, stuck))
                };
                let first_us = first_us.map(|first| first.0);
                let mut told: Vec<(u64, V)> =
                    changes.iter().copied().filter(|change| change.0 < *t_us).collect();
                told.push((*t_us, stuck));
                Some((told, first_us))
            }
            BoardFault::Chatters { toggles_us, .. } => {
                let mut told = changes.clone();
                for &t_us in toggles_us {
                    let now = at(t_us);
                    let wrong = if now == nothing { last_seen(t_us) } else { nothing };
                    let again_us = t_us + CHATTER_US;
                    told.retain(|change| !(t_us..=again_us).contains(&change.0));
                    told.extend([(t_us, wrong), (again_us, at(again_us))]);
                }
                told.sort_by_key(|change| change.0);
                Some((told, toggles_us.first().copied()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: Piece = Piece { color: Color::White, role: Role::Pawn };

    fn edge(t_us: u64, closed: bool) -> Edge {
        Edge { t_us, square: Square::E4, closed }
    }

    fn stuck(t_us: u64, closed: bool) -> BoardFault {
        BoardFault::Stuck { square: Square::E4, t_us, closed, piece: PIECE }
    }

    #[test]
    fn a_stuck_contact_is_wrong_from_the_first_change_that_it_misses() {
        let true_edges = [edge(100, true), edge(500, false)];
        let told = |fault: &BoardFault| {
            let mut edges = true_edges.to_vec();
            let first_us = fault.seen_edges(false, &mut edges);
            (edges, first_us)
        };
        assert_eq!(told(&stuck(200, true)), (vec![edge(100, true), edge(200, true)], Some(500)));
        assert_eq!(told(&stuck(200, false)), (vec![edge(100, true), edge(200, false)], Some(200)));
        assert_eq!(told(&stuck(700, false)).1, None, "nobody comes to the square any more");
    }

    #[test]
    fn a_stuck_square_that_tells_pieces_goes_on_telling_the_last() {
        let knight = Some(Color::Black.knight());
        let standing = |t_us, piece| Standing { t_us, square: Square::E4, piece };
        let mut seen = vec![standing(100, knight), standing(500, None)];
        assert_eq!(stuck(600, true).seen_standings(None, &mut seen), Some(600));
        assert_eq!(seen.last(), Some(&standing(600, knight)));
    }

    #[test]
    fn a_chattering_square_reads_the_opposite_and_ends_as_it_truly_is() {
        let toggles_us = vec![1_000_000, 1_100_000];
        let fault = BoardFault::Chatters { square: Square::E4, toggles_us, piece: PIECE };
        let mut edges = vec![edge(100, true)];
        assert_eq!(fault.seen_edges(false, &mut edges), Some(1_000_000));
        let states: Vec<bool> = edges.iter().map(|edge| edge.closed).collect();
        assert_eq!(states, [true, false, true, false, true]);
    }

    #[test]
    fn a_weak_square_misses_about_half_of_the_pieces_and_no_lift() {
        let fault = BoardFault::Weak { square: Square::E4, t_us: 5, seed: 3 };
        let act = |t_us, change| Act { t_us, square: Square::E4, change, piece: None };
        let mut acts: Vec<Act> = (0..400)
            .flat_map(|n| [act(2 * n, Change::Put(Stand::Centred)), act(2 * n + 1, Change::Lift)])
            .collect();
        assert!(fault.seen_acts(&mut acts).is_some_and(|t_us| t_us >= 5));
        let count = |change: Change| acts.iter().filter(|act| act.change == change).count();
        assert!((160..240).contains(&count(Change::Put(Stand::Unseen))));
        assert_eq!(count(Change::Lift), 400);
        assert_eq!(acts[0].change, Change::Put(Stand::Centred), "before it failed");
    }

    #[test]
    fn a_drifting_level_shows_when_it_is_half_a_type_away() {
        let drift = LevelDrift { square: Square::E4, since_us: 1_000, per_us: -0.001 };
        assert_eq!(BoardFault::Drifts(drift).drift(), Some((drift, 11_000)));
        assert_eq!(drift.offset(11_000, Square::E4), -DRIFTED);
        assert_eq!(drift.offset(11_000, Square::E5), 0.0);
    }

    #[test]
    fn boards_of_the_table_fail_only_where_their_squares_are_contacts() {
        assert_eq!(FaultMix::TABLE.of(SensorKind::PieceId), []);
        let rng = ChaCha8Rng::seed_from_u64(1);
        assert!(
            BoardFault::drawn(FaultMix::TABLE.of(SensorKind::PieceId), 1, rng.clone()).is_none()
        );
        let kinds = |mix: FaultMix, kind| mix.of(kind).iter().map(|of| of.0).collect::<Vec<_>>();
        assert!(kinds(FaultMix::DRAWN, SensorKind::HallMagnitude).contains(&Drifts));
        assert!(!kinds(FaultMix::DRAWN, SensorKind::Reed).contains(&Drifts));
    }
}
