//! The squares that each side attacks. They are computed once for a position and serve every action in it.

use rules::{Bitboard, Color, Position, Role, Square};
use shakmaty::attacks;

use crate::Recent;

/// The squares that one side attacks. A protected piece of its own counts as attacked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attacked {
    /// At least once.
    pub(super) once: Bitboard,
    /// At least twice.
    pub(super) twice: Bitboard,
    /// By pawns; by knights and bishops; by rooks; by queens; by the king.
    by: [Bitboard; 5],
}

impl Attacked {
    /// The least valuable kind of piece that attacks `square`: 0 none, 1 pawn, 2 knight or bishop,
    /// 3 rook, 4 queen, 5 king.
    pub(super) fn least(&self, square: Square) -> usize {
        (0..5).find(|&kind| self.by[kind].contains(square)).map_or(0, |kind| kind + 1)
    }

    /// The squares that pieces other than the king attack.
    fn by_others(&self) -> Bitboard {
        self.by[..4].iter().fold(Bitboard::EMPTY, |all, &squares| all | squares)
    }

    /// Number of attacks on `square`: 0, 1, or 2 for more.
    pub(super) fn times(&self, square: Square) -> usize {
        usize::from(self.once.contains(square)) + usize::from(self.twice.contains(square))
    }
}

/// A position with the attacks of both sides, and the last arrivals in it.
#[derive(Clone, Debug)]
pub(super) struct Maps<'a> {
    pub(super) position: &'a Position,
    pub(super) turn: Color,
    pub(super) occupied: Bitboard,
    pub(super) own: Bitboard,
    pub(super) enemy: Bitboard,
    pub(super) own_king: Option<Square>,
    pub(super) enemy_king: Option<Square>,
    pub(super) by_own: Attacked,
    pub(super) by_enemy: Attacked,
    /// Own hanging pieces: a cheaper piece attacks them, or they are attacked and not protected.
    pub(super) own_hanging: Bitboard,
    /// The enemy's hanging pieces.
    pub(super) enemy_hanging: Bitboard,
    /// Flight squares of the enemy king: no piece of its own stands there, and no attack reaches them.
    pub(super) escapes: Bitboard,
    /// The squares beside the enemy king and its own.
    pub(super) enemy_ring: Bitboard,
    pub(super) own_ring: Bitboard,
    pub(super) checkers: Bitboard,
    /// Own pieces that stand alone between an own slider and the enemy king.
    pub(super) screens: Bitboard,
    /// Squares beside the enemy king that only the king protects.
    pub(super) enemy_weak: Bitboard,
    /// Squares beside the own king that are attacked and that only the king protects.
    pub(super) own_weak: Bitboard,
    /// Enemy pieces, kings excepted.
    pub(super) victims: Bitboard,
    /// The victims that a piece of each role, pawn to king, takes with profit: dearer ones, and unprotected pieces.
    pub(super) worth_taking: [Bitboard; 6],
    /// Own pieces, kings excepted.
    pub(super) wards: Bitboard,
    /// The kind of piece on each square: 0 to 5 own pawn to king, 6 to 11 the enemy's.
    pub(super) kinds: [u8; 64],
    /// The pieces of the opponent's last ply, and the squares that they attack.
    pub(super) theirs: Bitboard,
    pub(super) threatened: Bitboard,
    /// Target of the opponent's last ply, and of the own one before it.
    pub(super) their_last: Option<Square>,
    pub(super) own_last: Option<Square>,
}

impl<'a> Maps<'a> {
    /// The maps of a position with these last arrivals, seen by the side to move.
    pub(super) fn new(position: &'a Position, recent: &Recent) -> Maps<'a> {
        let (board, turn, occupied) = (position.board(), position.turn(), position.occupied());
        let (own, enemy) = (board.by_color(turn), board.by_color(turn.other()));
        let by_own = attacked_by(position, turn);
        let by_enemy = attacked_by(position, turn.other());
        let own_king = board.king_of(turn);
        let enemy_king = board.king_of(turn.other());
        let enemy_ring = enemy_king.map_or(Bitboard::EMPTY, attacks::king_attacks);
        let own_ring = own_king.map_or(Bitboard::EMPTY, attacks::king_attacks);
        let (theirs, victims) = (recent.by_opponent & enemy, enemy & !board.kings());
        let checkers = own_king.filter(|&king| by_enemy.once.contains(king));
        Maps {
            position,
            turn,
            occupied,
            own,
            enemy,
            own_king,
            enemy_king,
            own_hanging: hanging(position, own, &by_own, &by_enemy),
            enemy_hanging: hanging(position, enemy, &by_enemy, &by_own),
            escapes: enemy_ring & !enemy & !by_own.once,
            enemy_ring,
            own_ring,
            checkers: checkers.map_or(Bitboard::EMPTY, |_| position.checkers()),
            screens: screens(position),
            enemy_weak: enemy_ring & !by_enemy.by_others(),
            own_weak: own_ring & by_enemy.once & !by_own.by_others(),
            victims,
            worth_taking: worth_taking(position, enemy & !by_enemy.once)
                .map(|worth| worth & victims),
            wards: own & !board.kings(),
            kinds: kinds(position),
            theirs,
            threatened: theirs
                .into_iter()
                .fold(Bitboard::EMPTY, |all, square| all | board.attacks_from(square)),
            their_last: recent.by_opponent.first(),
            own_last: recent.by_mover.first(),
            by_own,
            by_enemy,
        }
    }

    /// A square as the side to move sees the board: rank 1 is its own.
    pub(super) fn seen(&self, square: Square) -> usize {
        usize::from(if self.turn.is_white() { square } else { square.flip_vertical() })
    }

    /// The direction from `origin` to `square` as a number below 120: files apart (0 to 7) and ranks ahead (-7 to 7)
    /// for the side to move.
    pub(super) fn relative(&self, square: Square, origin: Square) -> usize {
        let (files, ahead) = self.apart(square, origin);
        files + 8 * (7 + ahead) as usize
    }

    /// Files apart (0 to 7) and ranks ahead (-7 to 7) of a square from `origin`, as the side to move sees it.
    pub(super) fn apart(&self, square: Square, origin: Square) -> (usize, i32) {
        let ahead = i32::from(square.rank()) - i32::from(origin.rank());
        let files = square.file().distance(origin.file()) as usize;
        (files, if self.turn.is_white() { ahead } else { -ahead })
    }
}

/// The pieces that a piece of each role, pawn to king, takes with profit, if `loose` ones are not protected: loose
/// pieces other than pawns, and dearer pieces.
fn worth_taking(position: &Position, loose: Bitboard) -> [Bitboard; 6] {
    let board = position.board();
    let loose = loose & !board.pawns();
    let majors = loose | board.rooks_and_queens();
    let pieces = majors | board.knights() | board.bishops();
    [pieces, majors, majors, loose | board.queens(), loose, loose]
}

fn kinds(position: &Position) -> [u8; 64] {
    let (board, turn) = (position.board(), position.turn());
    let mut kinds = [0; 64];
    for role in Role::ALL {
        for (color, first) in [(turn, 0), (turn.other(), 6)] {
            for square in board.by_piece(role.of(color)) {
                kinds[usize::from(square)] = first + role as u8 - 1;
            }
        }
    }
    kinds
}

fn attacked_by(position: &Position, color: Color) -> Attacked {
    let mut attacked = Attacked::default();
    for (role, kind) in Role::ALL.into_iter().zip([0, 1, 1, 2, 3, 4]) {
        let piece = role.of(color);
        for square in position.board().by_piece(piece) {
            let squares = attacks::attacks(square, piece, position.occupied());
            attacked.twice |= attacked.once & squares;
            attacked.once |= squares;
            attacked.by[kind] |= squares;
        }
    }
    attacked
}

/// The hanging pieces among `pieces`, without kings: a cheaper piece attacks them, or they are attacked and not
/// protected.
fn hanging(
    position: &Position,
    pieces: Bitboard,
    by_own: &Attacked,
    by_other: &Attacked,
) -> Bitboard {
    let board = position.board();
    let [pawn, minor, rook, ..] = by_other.by;
    let unprotected = pieces & by_other.once & !by_own.once;
    let minors = (board.knights() | board.bishops()) & pawn;
    let rooks = board.rooks() & (pawn | minor);
    let queens = board.queens() & (pawn | minor | rook);
    (unprotected | (minors | rooks | queens) & pieces) & !board.kings()
}

fn screens(position: &Position) -> Bitboard {
    let board = position.board();
    let own = board.by_color(position.turn());
    let Some(king) = board.king_of(position.turn().other()) else { return Bitboard::EMPTY };
    let snipers = own
        & ((attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
            | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
    let mut screens = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & position.occupied();
        if between.any() && !between.more_than_one() {
            screens |= between & own;
        }
    }
    screens
}
