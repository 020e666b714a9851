//! Illegal plies. Mostly nobody claims them; some kings that were left in check are taken.
//!
//! A king left in check, a piece that lands beside its square, or a pawn dropped on a last rank: which
//! is tried first is drawn. The rest of the recorded game must remain playable, so an illegal ply comes
//! in one of three ways, tried in this order:
//!
//! 1. it *replaces* the recorded ply, where everything recorded after it is as legal as before;
//! 2. it is *inserted*, with a quiet reply, where everything recorded after it is as legal as
//!    before although both stand;
//! 3. it is inserted with a quiet reply elsewhere, and *taken back* by a further ply of each side (moving a
//!    piece back may be illegal again, and is then marked as well).
//!
//! A king that was left in check may be taken next. That claims the illegal ply, and the match ends there.
//!
//! Each is checked by replaying the rest of the match; where none fits, the ply is made as recorded.

use rand::{Rng, RngExt, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use rules::{BoardId, IllegalReason, Match, Ply, Position, Rank, Reserve, Role, Square};

use super::planned::{PlannedPly, physical};
use crate::{Think, chance::Chance, players::Players, profile::Behaviour};

/// Chances that an illegal ply is of each class, where the position offers it.
const CLASS_WEIGHTS: [u32; 3] = [60, 30, 10];
/// Candidates of one class that are tried before the next class is.
const CANDIDATES: usize = 12;
/// Quiet replies that are tried for each candidate.
const REPLIES: usize = 6;
/// Keys of inserted plies start here: further than any game is long.
const INSERTED_KEY: usize = 1 << 32;

/// Whether the rest of the record can follow, everything in it as legal as it was.
fn continues(mut now: Match, rest: &[PlannedPly], baseline: &[bool]) -> bool {
    rest.iter().zip(baseline).all(|(&PlannedPly { board, color, ply, .. }, &legal)| {
        let position = now.position(board);
        let fits = position.turn() == color
            && physical(position, ply)
            && now.illegality(board, ply).is_none() == legal;
        now.play(board, ply);
        fits
    })
}

/// The recorded plies, with illegal ones among them as often as the players make them. `baseline` says which recorded plies are
/// legal.
pub(super) fn with_slips(
    start: &Match,
    recorded: &[PlannedPly],
    baseline: &[bool],
    players: &Players,
    chance: &Chance,
) -> Vec<PlannedPly> {
    let rate = players.rate(Behaviour::IllegalPly);
    let mut now = start.clone();
    let mut plies: Vec<PlannedPly> = Vec::with_capacity(recorded.len());
    let mut inserted = 0;
    for (index, ply) in recorded.iter().enumerate() {
        let drawn = rate > 0.0 && chance.draw(ply.board, ply.key, Behaviour::IllegalPly) < rate;
        let slip = drawn
            .then(|| {
                let mut rng = chance.form(ply.board, ply.key, Behaviour::IllegalPly);
                find_slip(&now, &recorded[index..], &baseline[index..], &mut rng)
            })
            .flatten();
        let made = match slip {
            None => vec![ply.clone()],
            Some(Slip::Replaced(other)) => {
                vec![PlannedPly { ply: other, slip: true, ..ply.clone() }]
            }
            Some(Slip::Inserted(extra)) => {
                let mut made = Vec::new();
                for (nth, other) in extra.into_iter().enumerate() {
                    let color = if nth % 2 == 0 { ply.color } else { ply.color.other() };
                    let key = INSERTED_KEY + inserted;
                    inserted += 1;
                    made.push(PlannedPly {
                        board: ply.board,
                        color,
                        ply: other,
                        think: Think::Unknown,
                        key,
                        slip: nth == 0,
                    });
                }
                made.push(ply.clone());
                made
            }
        };
        for made in made {
            let claim = claim(&now, &made, players, chance);
            now.play(made.board, made.ply);
            plies.push(made);
            if let Some(claim) = claim {
                plies.push(PlannedPly { key: INSERTED_KEY + inserted, ..claim });
                return plies;
            }
        }
    }
    plies
}

/// The capture of the king that claims this ply, if it left the king in check and is claimed so.
fn claim(now: &Match, made: &PlannedPly, players: &Players, chance: &Chance) -> Option<PlannedPly> {
    let PlannedPly { board, key, .. } = *made;
    let is_claimed = made.slip
        && now.illegality(board, made.ply) == Some(IllegalReason::KingLeftInCheck)
        && chance.draw(board, key, Behaviour::KingTaken) < players.rate(Behaviour::KingTaken);
    let mut after = now.clone();
    after.play(board, made.ply);
    let ply = king_capture(&after, board).filter(|_| is_claimed)?;
    let color = after.position(board).turn();
    Some(PlannedPly { board, color, ply, think: Think::Unknown, key, slip: false })
}

/// The move by which the side to move takes the king that was left in check.
fn king_capture(now: &Match, board: BoardId) -> Option<Ply> {
    let position = now.position(board);
    let mut plies = Vec::new();
    position.pseudo_legal_plies(&Reserve::EMPTY, &mut plies);
    plies.into_iter().find(|&ply| !takes_no_king(position, ply))
}

enum Slip {
    Replaced(Ply),
    Inserted(Vec<Ply>),
}

fn find_slip(
    now: &Match,
    rest: &[PlannedPly],
    baseline: &[bool],
    rng: &mut ChaCha8Rng,
) -> Option<Slip> {
    let board = rest.first()?.board;
    let mut classes = [unsafe_plies(now, board), slipped_plies(now, board), pawn_drops(now, board)];
    for class in &mut classes {
        class.shuffle(rng);
        class.truncate(CANDIDATES);
    }
    class_order(rng)
        .into_iter()
        .find_map(|class| slip_of_class(now, rest, baseline, &classes[class], rng))
}

/// The first of the candidates after which the record can follow, in one of the three ways.
fn slip_of_class(
    now: &Match,
    rest: &[PlannedPly],
    baseline: &[bool],
    candidates: &[Ply],
    rng: &mut ChaCha8Rng,
) -> Option<Slip> {
    let board = rest.first()?.board;
    let after = |plies: &[Ply]| {
        let mut then = now.clone();
        for &ply in plies {
            then.play(board, ply);
        }
        then
    };
    for &candidate in candidates {
        if continues(after(&[candidate]), &rest[1..], &baseline[1..]) {
            return Some(Slip::Replaced(candidate));
        }
    }
    let mut pairs = Vec::new();
    for &candidate in candidates {
        // A capture would change what the partner may drop.
        if now.position(board).piece_at(candidate.to()).is_none() {
            let replies = quiet_replies(&after(&[candidate]), board, rng);
            pairs.extend(replies.into_iter().map(|reply| [candidate, reply]));
        }
    }
    for pair in &pairs {
        if continues(after(pair), rest, baseline) {
            return Some(Slip::Inserted(pair.to_vec()));
        }
    }
    for [candidate, reply] in pairs {
        if let (Some(back), Some(reply_back)) = (reversed(candidate), reversed(reply)) {
            // A reply on the square that was left would be captured by the returning piece.
            let is_free = |square: Square| square != reply.to();
            let all = [candidate, reply, back, reply_back];
            if candidate.from().is_some_and(is_free) && continues(after(&all), rest, baseline) {
                return Some(Slip::Inserted(all.to_vec()));
            }
        }
    }
    None
}

/// The classes in the order in which they are tried: the first drawn by weight, the others after.
fn class_order(rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut left: Vec<usize> = (0..CLASS_WEIGHTS.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let total: u32 = left.iter().map(|&class| CLASS_WEIGHTS[class]).sum();
        let mut point = rng.random_range(0..total);
        let chosen = left.iter().position(|&class| {
            let weight = CLASS_WEIGHTS[class];
            let hit = point < weight;
            point = point.saturating_sub(weight);
            hit
        });
        order.push(left.remove(chosen.unwrap_or(0)));
    }
    order
}

const fn reversed(ply: Ply) -> Option<Ply> {
    match ply {
        Ply::Move { from, to, promotion: None } => {
            Some(Ply::Move { from: to, to: from, promotion: None })
        }
        _ => None,
    }
}

/// Moves that are right in every way but leave the own king in check: the commonest slip.
fn unsafe_plies(now: &Match, board: BoardId) -> Vec<Ply> {
    let position = now.position(board);
    let mut plies = Vec::new();
    position.pseudo_legal_plies(now.reserve(now.seat_to_move(board)), &mut plies);
    plies.retain(|&ply| now.illegality(board, ply).is_some() && takes_no_king(position, ply));
    plies
}

fn takes_no_king(position: &Position, ply: Ply) -> bool {
    position.piece_at(ply.to()).is_none_or(|piece| piece.role != Role::King)
}

/// Moves that land beside a square the piece could have gone to.
fn slipped_plies(now: &Match, board: BoardId) -> Vec<Ply> {
    let position = now.position(board);
    let mut aimed = Vec::new();
    position.pseudo_legal_plies(&Reserve::EMPTY, &mut aimed);
    let mut slipped = Vec::new();
    for ply in aimed {
        let Ply::Move { from, to, promotion: None } = ply else { continue };
        for beside in Square::ALL {
            let slip = Ply::Move { from, to: beside, promotion: None };
            let pawn_on_last_rank = position.piece_at(from).is_some_and(|p| p.role == Role::Pawn)
                && matches!(beside.rank(), Rank::First | Rank::Eighth);
            if beside.distance(to) == 1
                && beside != from
                && !pawn_on_last_rank
                && position.piece_at(beside).is_none()
                && now.illegality(board, slip).is_some()
                && !slipped.contains(&slip)
            {
                slipped.push(slip);
            }
        }
    }
    slipped
}

/// Pawns from the reserve put on the first or last rank.
fn pawn_drops(now: &Match, board: BoardId) -> Vec<Ply> {
    let position = now.position(board);
    if now.reserve(now.seat_to_move(board)).count(Role::Pawn) <= 0 {
        return Vec::new();
    }
    Square::ALL
        .into_iter()
        .filter(|square| matches!(square.rank(), Rank::First | Rank::Eighth))
        .filter(|&square| position.piece_at(square).is_none())
        .map(|to| Ply::Drop { role: Role::Pawn, to })
        .collect()
}

fn quiet_replies(now: &Match, board: BoardId, rng: &mut impl Rng) -> Vec<Ply> {
    let position = now.position(board);
    let mut replies = Vec::new();
    now.legal_plies(board, &mut replies);
    replies.retain(|&ply| match ply {
        Ply::Move { from, to, promotion: None } => {
            position.piece_at(to).is_none()
                && position
                    .piece_at(from)
                    .is_some_and(|piece| !matches!(piece.role, Role::King | Role::Pawn))
        }
        _ => false,
    });
    replies.shuffle(rng);
    replies.truncate(REPLIES);
    replies
}
