//! How hands make one ply: which piece is touched when, and how it comes to stand.
//!
//! A technique knows the position and the ply, and yields the mover's motion from the moment the
//! hand sets out to the moment it reaches the clock. When that happens in the match, and what the
//! lever says, is the match's affair.

use rand::{RngExt, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rules::{Bitboard, BoardId, Color, Piece, Ply, Position, Role, Square};

use crate::{
    chance::{Chance, Topic, between_ms, normal},
    contact::{Act, Change, Stand},
    hand::{GRASP_US, Motion, Pace, Place},
    profile::{Behaviour, Players},
};

/// The players, their randomness, and the ply concerned.
#[derive(Clone, Copy)]
pub(crate) struct Technique<'a> {
    /// Whose habits.
    pub(crate) players: &'a Players,
    /// The match's randomness.
    pub(crate) chance: &'a Chance,
    /// The board.
    pub(crate) board: BoardId,
    /// The player.
    pub(crate) color: Color,
    /// Names the ply's streams.
    pub(crate) key: usize,
}

/// A ply in the position it is made in.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    /// Before the ply.
    pub(crate) before: &'a Position,
    /// What it does.
    pub(crate) ply: Ply,
    /// Where it takes a piece, if it does.
    pub(crate) victim: Option<Square>,
    /// The rook's way, if it is castling.
    pub(crate) rook: Option<(Square, Square)>,
    /// Whether a pawn becomes another piece.
    pub(crate) promotes: bool,
    /// Pieces that lie on their sides, unseen by the sensor.
    pub(crate) lying: Bitboard,
    /// Promoted pieces for which the pawn still stands or lies.
    pub(crate) pawns: Bitboard,
    /// Whether a pawn that promotes now stays the pawn it is.
    pub(crate) stays_pawn: bool,
}

impl Situation<'_> {
    /// What physically stands on a square before the ply.
    pub(crate) fn standing(&self, square: Square) -> Option<Piece> {
        let piece = self.before.piece_at(square)?;
        let role = if self.pawns.contains(square) { Role::Pawn } else { piece.role };
        Some(Piece { role, ..piece })
    }

    /// What physically moves or is dropped, and what it is when it has arrived.
    fn arriving(&self) -> Option<Piece> {
        match self.ply {
            Ply::Drop { role, .. } => Some(Piece { color: self.before.turn(), role }),
            Ply::Move { from, promotion, .. } => {
                let piece = self.standing(from)?;
                let promoted = promotion.filter(|_| self.promotes && !self.stays_pawn);
                Some(Piece { role: promoted.unwrap_or(piece.role), ..piece })
            }
        }
    }

    /// Notes for everything that is put down which piece it is, where that is not noted yet.
    pub(crate) fn name_pieces(&self, acts: &mut [Act]) {
        let from = self.ply.from();
        for act in acts.iter_mut().filter(|act| act.piece.is_none() && act.change != Change::Lift) {
            act.piece = if act.square == self.ply.to() {
                self.arriving()
            } else if let Some((rook_from, _)) = self.rook.filter(|way| way.1 == act.square) {
                self.standing(rook_from)
            } else {
                self.standing(act.square).or_else(|| self.standing(from?))
            };
        }
    }
}

/// The motion of one ply.
#[derive(Clone, Debug)]
pub(crate) struct PlyMotion {
    /// The hand, up to the last piece it put down.
    pub(crate) hand: Motion,
    /// When the pieces stand where they belong.
    pub(crate) placed_us: u64,
    /// When a drop's piece was taken from the reserve.
    pub(crate) reserve_us: Option<u64>,
    /// When the captured piece was handed to the partner, if before the press.
    pub(crate) passed_us: Option<u64>,
    /// Whether the piece that moved now lies on its side.
    pub(crate) lies: bool,
    /// Whether it is castling, for which both hands are allowed.
    pub(crate) castles: bool,
}

/// Pieces that an arm knocked over.
#[derive(Clone, Debug)]
pub(crate) struct Knock {
    /// What fell where; the times count from the moment of the accident.
    pub(crate) acts: Vec<Act>,
    /// Each piece's square, and the square it rolled onto.
    fallen: Vec<(Square, Option<Square>)>,
    /// Draws how they are put back.
    rng: ChaCha8Rng,
}

/// A duration that is scattered about its median in proportion (log-normal).
struct Scatter {
    median_us: f64,
    log_spread: f64,
    least_us: f64,
    most_us: f64,
}

/// How long a piece that is nudged is off its contact.
const NUDGE: Scatter =
    Scatter { median_us: 90_000.0, log_spread: 0.5, least_us: 20_000.0, most_us: 600_000.0 };
/// How long a piece is in the hand of a player who thinks better of it.
const SECOND_THOUGHTS: Scatter =
    Scatter { median_us: 600_000.0, log_spread: 0.42, least_us: 200_000.0, most_us: 3_000_000.0 };

fn scattered(rng: &mut ChaCha8Rng, of: Scatter) -> u64 {
    let us = of.median_us * libm::exp(of.log_spread * normal(rng));
    us.clamp(of.least_us, of.most_us) as u64
}

/// How often a promoted pawn that stands is not exchanged for a real piece.
const STANDS_AS_PAWN: f64 = 0.5;
/// Nearest a hand comes to a piece it does not want, when it knocks others over.
const KNOCK_REACH: u32 = 2;
/// Most pieces knocked over at once.
const KNOCKED_MAX: usize = 4;

impl Technique<'_> {
    /// Whether a behaviour happens in this ply.
    pub(crate) fn happens(&self, behaviour: Behaviour) -> bool {
        let rate = self.players.rate(behaviour);
        rate > 0.0 && self.chance.draw(self.board, self.key, behaviour) < rate
    }

    /// The stream of a behaviour's forms in this ply.
    pub(crate) fn form(&self, behaviour: Behaviour) -> ChaCha8Rng {
        self.chance.form(self.board, self.key, behaviour)
    }

    /// The stream of a topic in this ply.
    pub(crate) fn topic(&self, topic: Topic) -> ChaCha8Rng {
        self.chance.topic(self.board, self.key, topic)
    }

    /// A hand that starts somewhere, with this player's spread.
    pub(crate) fn hand(&self, at: Place, errand: Topic) -> Motion {
        let rng = self.topic(errand);
        Motion::new(at, self.pace(), rng)
    }

    /// How quick this player is, all match long.
    fn pace(&self) -> Pace {
        let mut person =
            self.chance.topic(self.board, usize::from(self.color.is_white()), Topic::Person);
        Pace::of_person(self.players.rate(Behaviour::TravelSpread), &mut person)
    }

    /// The motion of a ply, without the way to the clock.
    pub(crate) fn make(&self, situation: &Situation<'_>) -> PlyMotion {
        let mut hand = self.hand(Place::lap(self.color), Topic::Travel);
        if self.adjusts() == Some(self.color) {
            self.adjust(situation, self.color, &mut hand);
        }
        if self.happens(Behaviour::TouchMove) {
            self.touch_another(situation, &mut hand);
        }
        let mut reserve_us = None;
        let mut passed_us = None;
        let mut lies = situation.ply.from().is_some_and(|from| situation.lying.contains(from));
        match (situation.ply, situation.rook, situation.victim) {
            (Ply::Drop { to, .. }, ..) => {
                hand.take_from_reserve(self.color);
                reserve_us = Some(hand.now_us);
                let stand = self.stand(false, &mut hand);
                hand.put(to, stand);
            }
            (Ply::Move { from, to, .. }, Some(rook), _) => self.castle(&mut hand, (from, to), rook),
            (Ply::Move { from, to, .. }, None, Some(victim)) => {
                passed_us = self.capture(&mut hand, situation, (from, to), victim, lies);
            }
            (Ply::Move { from, to, .. }, None, None) => {
                let stand = self.stand(lies, &mut hand);
                self.carry(&mut hand, situation, from, to, stand);
            }
        }
        if situation.promotes {
            lies = self.happens(Behaviour::PromotedLying);
            if lies {
                hand.shows.push(Behaviour::PromotedLying);
                self.lay_on_side(&mut hand, situation.ply.to());
            }
        }
        situation.name_pieces(&mut hand.acts);
        let placed_us = hand.last_act_us();
        let castles = situation.rook.is_some();
        PlyMotion { hand, placed_us, reserve_us, passed_us, lies, castles }
    }

    /// Whether a pawn that is promoted in this ply, and does not lie on its side, stays on the board as a
    /// pawn.
    pub(crate) fn stays_pawn(&self) -> bool {
        self.topic(Topic::Promoted).random_bool(STANDS_AS_PAWN)
    }

    /// How the piece of this ply comes to stand.
    fn stand(&self, lies: bool, hand: &mut Motion) -> Stand {
        if lies {
            return Stand::Unseen;
        }
        if !self.happens(Behaviour::OffCentre) {
            return Stand::Centred;
        }
        hand.shows.push(Behaviour::OffCentre);
        let mut rng = self.form(Behaviour::OffCentre);
        if rng.random_bool(0.5) {
            return Stand::Late { us: between_ms(&mut rng, 50, 800) };
        }
        let changes = rng.random_range(1..=4) * 2;
        let mut toggles_us: Vec<u64> =
            (0..changes).map(|_| between_ms(&mut rng, 50, 800)).collect();
        toggles_us.sort_unstable();
        Stand::Flickering { toggles_us }
    }

    /// Lifts a piece, carries or drags it, and puts it down.
    fn carry(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        from: Square,
        to: Square,
        stand: Stand,
    ) {
        self.bring(hand, situation, from, to);
        hand.act(to, Change::Put(stand));
        hand.wait(GRASP_US);
    }

    /// Lifts a piece and carries or drags it to a square, without putting it down.
    fn bring(&self, hand: &mut Motion, situation: &Situation<'_>, from: Square, to: Square) {
        hand.lift(from);
        let lifted_us = hand.now_us;
        hand.travel(Place::of(to));
        self.drag(hand, situation, (from, to), (lifted_us, hand.now_us));
    }

    /// Lets a dragged piece close the empty squares on its way, unless it lies unseen.
    fn drag(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        (from, to): (Square, Square),
        (lifted_us, landed_us): (u64, u64),
    ) {
        if situation.lying.contains(from) || !self.happens(Behaviour::Drag) {
            return;
        }
        hand.shows.push(Behaviour::Drag);
        let mut rng = self.form(Behaviour::Drag);
        let way = way(from, to);
        let each_us = (landed_us - lifted_us) / (way.len() as u64 + 1);
        for (nth, square) in way.into_iter().enumerate() {
            let dwell_us = between_ms(&mut rng, 10, 60).min(each_us);
            if situation.before.piece_at(square).is_none() {
                let t_us = lifted_us + each_us * (nth as u64 + 1) - dwell_us / 2;
                hand.acts.push(Act {
                    t_us,
                    square,
                    change: Change::Pass { dwell_us },
                    piece: None,
                });
            }
        }
    }

    fn castle(&self, hand: &mut Motion, king: (Square, Square), rook: (Square, Square)) {
        let (rook_first, both) = (
            self.players.rate(Behaviour::CastlingRookFirst),
            self.players.rate(Behaviour::CastlingBothHands),
        );
        // One draw decides: the styles exclude each other.
        let draw = self.chance.draw(self.board, self.key, Behaviour::CastlingRookFirst);
        let mut rng = self.form(Behaviour::CastlingBothHands);
        let step = |hand: &mut Motion, (from, to): (Square, Square), stand: Stand| {
            hand.lift(from);
            hand.put(to, stand);
        };
        let stand = self.stand(false, hand);
        if draw < rook_first {
            hand.shows.push(Behaviour::CastlingRookFirst);
            step(hand, rook, stand);
            step(hand, king, Stand::Centred);
        } else if draw < rook_first + both {
            hand.shows.push(Behaviour::CastlingBothHands);
            let lag_us = between_ms(&mut rng, 0, 120);
            let mut second = hand.other_hand(rng);
            second.wait(lag_us);
            step(hand, king, stand);
            step(&mut second, rook, Stand::Centred);
            hand.join(second);
        } else {
            step(hand, king, stand);
            step(hand, rook, Stand::Centred);
        }
    }

    /// Captures; when the piece was handed over, if before the press.
    fn capture(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        (from, to): (Square, Square),
        victim: Square,
        lies: bool,
    ) -> Option<u64> {
        let stand = self.stand(lies, hand);
        let mut rng = self.form(Behaviour::CaptureSwapped);
        let draw = self.chance.draw(self.board, self.key, Behaviour::CaptureSwapped);
        let swapped = self.players.rate(Behaviour::CaptureSwapped);
        let knocked = swapped + self.players.rate(Behaviour::CaptureKnockedAside);
        let both_seen = !lies && !situation.lying.contains(victim);
        if draw < swapped && victim == to {
            hand.shows.push(Behaviour::CaptureSwapped);
            self.bring(hand, situation, from, to);
            if both_seen && self.happens(Behaviour::InstantSwap) {
                hand.shows.push(Behaviour::InstantSwap);
                let gap_us = if rng.random_bool(0.5) { 0 } else { between_ms(&mut rng, 1, 3) };
                hand.act(to, Change::Swap { gap_us });
            } else {
                hand.act(to, Change::Lift);
                hand.wait(between_ms(&mut rng, 40, 200));
                hand.act(to, Change::Put(stand));
            }
            hand.wait(GRASP_US);
        } else if draw < knocked && victim == to {
            hand.shows.push(Behaviour::CaptureKnockedAside);
            self.knock_aside(hand, situation, (from, to), stand, &mut rng);
        } else if draw < knocked {
            // En passant: the victim stands elsewhere and is lifted after the pawn has landed.
            self.carry(hand, situation, from, to, stand);
            hand.lift(victim);
        } else {
            hand.lift(victim);
            if self.happens(Behaviour::EarlyPass) {
                hand.shows.push(Behaviour::EarlyPass);
                let passed_us = hand.hand_over(self.color);
                self.carry(hand, situation, from, to, stand);
                return Some(passed_us);
            }
            hand.lay_aside(self.color);
            self.carry(hand, situation, from, to, stand);
            return None;
        }
        self.happens(Behaviour::EarlyPass).then(|| {
            hand.shows.push(Behaviour::EarlyPass);
            hand.hand_over(self.color)
        })
    }

    /// The attacker pushes its victim aside, and the hand lifts that afterwards.
    fn knock_aside(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        (from, to): (Square, Square),
        stand: Stand,
        rng: &mut ChaCha8Rng,
    ) {
        let seen = !situation.lying.contains(to);
        let beside: Vec<Square> = free_beside(situation.before, to, from);
        let rest = beside.choose(rng).copied().filter(|_| rng.random_bool(0.5));
        self.bring(hand, situation, from, to);
        hand.act(to, Change::Lift);
        if let Some(rest) = rest.filter(|_| seen) {
            hand.wait(between_ms(rng, 5, 30));
            hand.act(rest, Change::Put(Stand::Centred));
            hand.name_last(situation.standing(to));
        }
        hand.wait(between_ms(rng, 5, 60));
        hand.act(to, Change::Put(stand));
        hand.wait(between_ms(rng, 60, 250));
        match rest {
            Some(rest) if seen => hand.lift(rest),
            _ => hand.travel(Place::of(to)),
        }
    }

    /// A promoted pawn is laid on its side: at once, or after standing for a moment.
    fn lay_on_side(&self, hand: &mut Motion, at: Square) {
        let mut rng = self.form(Behaviour::PromotedLying);
        if rng.random_bool(0.5) {
            let landed = hand.acts.iter_mut().rfind(|act| {
                act.square == at && !matches!(act.change, Change::Lift | Change::Pass { .. })
            });
            if let Some(act) = landed {
                // The victim of a swap leaves the square, and nothing seen replaces it.
                act.change = Change::Put(Stand::Unseen);
            }
        } else {
            hand.wait(between_ms(&mut rng, 100, 400));
            hand.act(at, Change::Put(Stand::Unseen));
        }
    }

    /// Another own piece is lifted, thought about, and put back, if there is one.
    fn touch_another(&self, situation: &Situation<'_>, hand: &mut Motion) {
        let mut rng = self.form(Behaviour::TouchMove);
        let Some(square) = self.standing(situation, self.color).choose(&mut rng).copied() else {
            return;
        };
        hand.lift(square);
        hand.wait(scattered(&mut rng, SECOND_THOUGHTS));
        hand.act(square, Change::Put(Stand::Centred));
        hand.wait(GRASP_US);
        hand.shows.push(Behaviour::TouchMove);
    }

    /// The seen pieces of a side that this ply does not concern.
    fn standing(&self, situation: &Situation<'_>, color: Color) -> Vec<Square> {
        let Situation { before, ply, victim, rook, lying, .. } = *situation;
        let concerned = [ply.from(), Some(ply.to()), victim, rook.map(|way| way.0)];
        Square::ALL
            .into_iter()
            .filter(|&square| before.piece_at(square).is_some_and(|piece| piece.color == color))
            .filter(|&square| !lying.contains(square) && !concerned.contains(&Some(square)))
            .collect()
    }

    /// Which player adjusts a piece in this turn, if one does: the mover or the one who waits.
    pub(crate) fn adjusts(&self) -> Option<Color> {
        let mover = self.form(Behaviour::Adjust).random_bool(0.5);
        let color = if mover { self.color } else { self.color.other() };
        self.happens(Behaviour::Adjust).then_some(color)
    }

    /// A piece of a side is adjusted: nudged with a fingertip within its square.
    pub(crate) fn adjust(&self, situation: &Situation<'_>, color: Color, hand: &mut Motion) {
        let mut rng = self.form(Behaviour::Adjust);
        let Some(square) = self.standing(situation, color).choose(&mut rng).copied() else {
            return;
        };
        hand.lift(square);
        hand.wait(scattered(&mut rng, NUDGE));
        hand.act(square, Change::Put(Stand::Centred));
        hand.wait(GRASP_US);
        situation.name_pieces(&mut hand.acts);
        hand.shows.push(Behaviour::Adjust);
    }

    /// Pieces near the target fall over; none if there are none.
    pub(crate) fn knock_over(&self, situation: &Situation<'_>) -> Option<Knock> {
        let mut rng = self.form(Behaviour::KnockOver);
        let near: Vec<Square> = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|color| self.standing(situation, color))
            .filter(|square| square.distance(situation.ply.to()) <= KNOCK_REACH)
            .collect();
        let count = rng.random_range(2..=KNOCKED_MAX);
        let mut taken: Vec<Square> = Vec::new();
        let (mut acts, mut fallen) = (Vec::new(), Vec::new());
        for square in near.sample(&mut rng, count).copied().collect::<Vec<_>>() {
            let t_us = between_ms(&mut rng, 0, 80);
            acts.push(Act { t_us, square, change: Change::Lift, piece: None });
            let free = self.free_for_fallen(situation, square, &taken);
            let rolled = free.choose(&mut rng).copied().filter(|_| rng.random_bool(0.3));
            if let Some(rolled) = rolled {
                taken.push(rolled);
                let t_us = t_us + between_ms(&mut rng, 30, 150);
                let change = Change::Put(Stand::Centred);
                let piece = situation.standing(square);
                acts.push(Act { t_us, square: rolled, change, piece });
            }
            fallen.push((square, rolled));
        }
        (!fallen.is_empty()).then_some(Knock { acts, fallen, rng })
    }

    fn free_for_fallen(
        &self,
        situation: &Situation<'_>,
        square: Square,
        taken: &[Square],
    ) -> Vec<Square> {
        let Situation { ply, rook, .. } = *situation;
        let used = [ply.from(), Some(ply.to()), rook.map(|way| way.1), situation.victim];
        let mut free = free_beside(situation.before, square, ply.to());
        free.retain(|beside| !used.contains(&Some(*beside)) && !taken.contains(beside));
        free
    }

    /// Puts back what fell, some on wrong squares first.
    pub(crate) fn put_back(&self, situation: &Situation<'_>, knock: &Knock, hand: &mut Motion) {
        let mut rng = knock.rng.clone();
        let all_rolled: Vec<Square> =
            knock.fallen.iter().filter_map(|&(_, rolled)| rolled).collect();
        for &(square, rolled) in &knock.fallen {
            match rolled {
                Some(rolled) => hand.lift(rolled),
                None => hand.travel(Place::of(square)),
            }
            hand.wait(between_ms(&mut rng, 80, 300));
            let free = self.free_for_fallen(situation, square, &all_rolled);
            let wrong = free.choose(&mut rng).copied().filter(|_| rng.random_bool(0.25));
            if let Some(wrong) = wrong {
                hand.put(wrong, Stand::Centred);
                hand.name_last(situation.standing(square));
                hand.wait(between_ms(&mut rng, 300, 1_200));
                hand.lift(wrong);
            }
            hand.put(square, Stand::Centred);
        }
        situation.name_pieces(&mut hand.acts);
    }
}

/// Empty squares beside one square, other than one.
fn free_beside(position: &Position, square: Square, except: Square) -> Vec<Square> {
    Square::ALL
        .into_iter()
        .filter(|&beside| beside.distance(square) == 1 && beside != except)
        .filter(|&beside| position.piece_at(beside).is_none())
        .collect()
}

/// The squares a straight line between the middles of two squares crosses, without those two.
fn way(from: Square, to: Square) -> Vec<Square> {
    /// Points looked at along the line; enough that none of at most 14 squares is jumped over.
    const POINTS: u32 = 64;
    let coordinate = |square: Square| {
        let (file, rank) = square.coords();
        (f64::from(u32::from(file)), f64::from(u32::from(rank)))
    };
    let ((x0, y0), (x1, y1)) = (coordinate(from), coordinate(to));
    let mut squares = Vec::new();
    for point in 1..POINTS {
        let part = f64::from(point) / f64::from(POINTS);
        let x = libm::round(x0 + (x1 - x0) * part) as u32;
        let y = libm::round(y0 + (y1 - y0) * part) as u32;
        let square = Square::new(y * 8 + x);
        if square != from && square != to && squares.last() != Some(&square) {
            squares.push(square);
        }
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dragged_rook_crosses_the_squares_between() {
        assert_eq!(way(Square::A1, Square::A4), [Square::A2, Square::A3]);
        assert_eq!(way(Square::C1, Square::F4), [Square::D2, Square::E3]);
    }

    #[test]
    fn a_dragged_knight_crosses_neighbours() {
        let way = way(Square::G1, Square::F3);
        assert!(!way.is_empty() && way.iter().all(|square| square.distance(Square::G2) <= 1));
    }
}
