//! Every ply a side may make: pseudo-legal (the pieces can go there) and legal (and the own king is safe).
//!
//! One generator serves both, and serves counting, listing and asking whether there is any at all:
//! it hands sets of target squares to a [`Sink`].

use shakmaty::{Bitboard, Rank, Role, Square, attacks};

use crate::{Ply, Position, RESERVE_ROLES, Reserve};

/// Roles that a pawn may become, the likeliest first.
pub const PROMOTION_ROLES: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// Takes plies in groups of equal origin.
trait Sink {
    /// A piece on `from` may go to each of `targets`.
    fn moves(&mut self, from: Square, targets: Bitboard);
    /// A pawn on `from` may go to each of `targets` on its last rank and be promoted there.
    fn promotions(&mut self, from: Square, targets: Bitboard);
    /// A pawn may go to each of `targets` from the square that lies `step` behind.
    fn pawn_steps(&mut self, step: i32, targets: Bitboard);
    /// A piece of `role` may be dropped on each of `targets`.
    fn drops(&mut self, role: Role, targets: Bitboard);
    /// Whether nothing more needs to be known.
    fn done(&self) -> bool {
        false
    }
}

impl Sink for Vec<Ply> {
    fn moves(&mut self, from: Square, targets: Bitboard) {
        self.extend(targets.into_iter().map(|to| Ply::Move { from, to, promotion: None }));
    }

    fn promotions(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.extend(PROMOTION_ROLES.map(|role| Ply::Move { from, to, promotion: Some(role) }));
        }
    }

    fn pawn_steps(&mut self, step: i32, targets: Bitboard) {
        for to in targets {
            if let Some(from) = to.offset(-step) {
                self.push(Ply::Move { from, to, promotion: None });
            }
        }
    }

    fn drops(&mut self, role: Role, targets: Bitboard) {
        self.extend(targets.into_iter().map(|to| Ply::Drop { role, to }));
    }
}

/// Counts plies without listing them.
struct Count(usize);

impl Sink for Count {
    fn moves(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    fn promotions(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count() * PROMOTION_ROLES.len();
    }

    fn pawn_steps(&mut self, _: i32, targets: Bitboard) {
        self.0 += targets.count();
    }

    fn drops(&mut self, _: Role, targets: Bitboard) {
        self.0 += targets.count();
    }
}

/// Stops at the first ply.
struct Any(bool);

impl Sink for Any {
    fn moves(&mut self, _: Square, targets: Bitboard) {
        self.0 |= targets.any();
    }

    fn promotions(&mut self, _: Square, targets: Bitboard) {
        self.0 |= targets.any();
    }

    fn pawn_steps(&mut self, _: i32, targets: Bitboard) {
        self.0 |= targets.any();
    }

    fn drops(&mut self, _: Role, targets: Bitboard) {
        self.0 |= targets.any();
    }

    fn done(&self) -> bool {
        self.0
    }
}

/// Squares for the pieces other than the king.
struct Bounds {
    /// The pieces that are asked for.
    movers: Bitboard,
    /// Targets of moves: without own pieces, and within what answers a check.
    moves: Bitboard,
    /// Targets of drops.
    drops: Bitboard,
    /// Own pieces that may only move on the line through their king, and that king.
    pinned: Bitboard,
    king: Option<Square>,
}

impl Bounds {
    fn along_pin(&self, from: Square, targets: Bitboard) -> Bitboard {
        match self.king {
            Some(king) if self.pinned.contains(from) => targets & attacks::ray(king, from),
            _ => targets,
        }
    }
}

impl Position {
    /// Every legal ply of the side to move, into `out`, whose former contents are dropped.
    ///
    /// `reserve` is what the side to move may drop (see [`Supply::droppable`](crate::Supply::droppable));
    /// only roles with a positive count are dropped. Capturing a king is no legal ply (it is how an
    /// illegal one is punished, `us-chess-bughouse-2018 15d`).
    pub fn legal_plies(&self, reserve: &Reserve, out: &mut Vec<Ply>) {
        out.clear();
        self.visit_legal(reserve, out);
    }

    /// Every ply that the pieces allow, whether or not it leaves the own king in check or captures a
    /// king, into `out`, whose former contents are dropped. Castling needs its right and free
    /// squares only.
    pub fn pseudo_legal_plies(&self, reserve: &Reserve, out: &mut Vec<Ply>) {
        self.pseudo_legal_moves(Bitboard::FULL, out);
        self.visit_drops(reserve, !self.board.occupied(), out);
    }

    /// Lists the [pseudo-legal plies](Self::pseudo_legal_plies) that move a piece from one of these squares, into `out`, after clearing
    /// it.
    pub fn pseudo_legal_moves(&self, from: Bitboard, out: &mut Vec<Ply>) {
        out.clear();
        let own = self.board.by_color(self.turn);
        let bounds = Bounds {
            movers: from & own,
            moves: !own,
            drops: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            king: None,
        };
        if let Some(king) = self.board.king_of(self.turn).filter(|&king| from.contains(king)) {
            out.moves(king, attacks::king_attacks(king) & !own);
            self.visit_castling(king, out, |_, _| true);
        }
        self.visit_pieces(&bounds, out);
        self.visit_pawns(&bounds, out, |_, _| true);
    }

    /// Number of legal plies: as many as [`legal_plies`](Self::legal_plies) lists.
    #[must_use]
    pub fn legal_ply_count(&self, reserve: &Reserve) -> usize {
        let mut count = Count(0);
        self.visit_legal(reserve, &mut count);
        count.0
    }

    /// Whether there is any legal ply. Cheaper than listing them.
    #[must_use]
    pub fn has_legal_ply(&self, reserve: &Reserve) -> bool {
        let mut any = Any(false);
        self.visit_legal(reserve, &mut any);
        any.0
    }

    fn visit_legal(&self, reserve: &Reserve, sink: &mut impl Sink) {
        let occupied = self.board.occupied();
        let own = self.board.by_color(self.turn);
        let enemy_kings = self.board.kings() & !own;
        let mut bounds = Bounds {
            movers: own,
            moves: !own & !enemy_kings,
            drops: !occupied,
            pinned: Bitboard::EMPTY,
            king: self.board.king_of(self.turn),
        };
        let Some(king) = bounds.king else {
            self.visit_pieces(&bounds, sink);
            self.visit_pawns(&bounds, sink, |_, _| true);
            self.visit_drops(reserve, bounds.drops, sink);
            return;
        };
        let checkers = self.board.attacks_to(king, self.turn.other(), occupied);
        self.visit_king(king, bounds.moves, sink);
        if checkers.more_than_one() || sink.done() {
            return;
        }
        if let Some(checker) = checkers.first() {
            let between = attacks::between(king, checker);
            bounds.drops &= between;
            bounds.moves &= between.with(checker);
        } else {
            self.visit_castling(king, sink, |crossed, to| {
                !self.is_attacked(crossed, occupied) && !self.is_attacked(to, occupied)
            });
        }
        bounds.pinned = self.pinned(king);
        self.visit_drops(reserve, bounds.drops, sink);
        if sink.done() {
            return;
        }
        self.visit_pieces(&bounds, sink);
        self.visit_pawns(&bounds, sink, |from, to| self.en_passant_is_safe(king, from, to));
    }

    /// Whether an enemy piece attacks `square`.
    pub(crate) fn is_attacked(&self, square: Square, occupied: Bitboard) -> bool {
        self.board.attacks_to(square, self.turn.other(), occupied).any()
    }

    /// Own pieces standing alone between their king and an enemy slider.
    fn pinned(&self, king: Square) -> Bitboard {
        let snipers = self.board.by_color(self.turn.other())
            & ((attacks::rook_attacks(king, Bitboard::EMPTY) & self.board.rooks_and_queens())
                | (attacks::bishop_attacks(king, Bitboard::EMPTY)
                    & self.board.bishops_and_queens()));
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & self.board.occupied();
            if !between.more_than_one() {
                pinned |= between;
            }
        }
        pinned & self.board.by_color(self.turn)
    }

    pub(crate) fn en_passant_is_safe(&self, king: Square, from: Square, to: Square) -> bool {
        let taken = Square::from_coords(to.file(), from.rank());
        let occupied = self.board.occupied().toggled(from).toggled(taken).with(to);
        !self.board.attacks_to(king, self.turn.other(), occupied).without(taken).any()
    }

    fn visit_king(&self, king: Square, bounds: Bitboard, sink: &mut impl Sink) {
        let without_king = self.board.occupied().without(king);
        let mut safe = Bitboard::EMPTY;
        for to in attacks::king_attacks(king) & bounds {
            if !self.is_attacked(to, without_king) {
                safe.add(to);
            }
        }
        sink.moves(king, safe);
    }

    fn visit_castling(
        &self,
        king: Square,
        sink: &mut impl Sink,
        is_safe: impl Fn(Square, Square) -> bool,
    ) {
        if !self.castling_rights.any(self.turn) {
            return;
        }
        for castling in self.castling_moves(king) {
            let free =
                (attacks::between(king, castling.rook_from) & self.board.occupied()).is_empty();
            if free && is_safe(castling.rook_to, castling.king_to) {
                sink.moves(king, Bitboard::from_square(castling.king_to));
            }
        }
    }

    fn visit_pieces(&self, bounds: &Bounds, sink: &mut impl Sink) {
        let own = bounds.movers;
        let occupied = self.board.occupied();
        // A pinned knight can never stay on the line to its king.
        for from in self.board.knights() & own & !bounds.pinned {
            sink.moves(from, attacks::knight_attacks(from) & bounds.moves);
        }
        for from in self.board.bishops() & own {
            let targets = attacks::bishop_attacks(from, occupied) & bounds.moves;
            sink.moves(from, bounds.along_pin(from, targets));
        }
        for from in self.board.rooks() & own {
            let targets = attacks::rook_attacks(from, occupied) & bounds.moves;
            sink.moves(from, bounds.along_pin(from, targets));
        }
        for from in self.board.queens() & own {
            let targets = attacks::queen_attacks(from, occupied) & bounds.moves;
            sink.moves(from, bounds.along_pin(from, targets));
        }
    }

    fn visit_pawns(
        &self,
        bounds: &Bounds,
        sink: &mut impl Sink,
        en_passant_is_safe: impl Fn(Square, Square) -> bool,
    ) {
        let color = self.turn;
        let pawns = self.board.pawns() & bounds.movers;
        let enemy = self.board.by_color(color.other());
        let last = Bitboard::from_rank(color.relative_rank(Rank::Eighth));
        for from in pawns {
            let targets =
                bounds.along_pin(from, attacks::pawn_attacks(color, from) & enemy & bounds.moves);
            if (targets & last).any() {
                sink.promotions(from, targets);
            } else if targets.any() {
                sink.moves(from, targets);
            }
        }
        self.visit_pawn_steps(bounds, pawns & !bounds.pinned, sink);
        for from in pawns & bounds.pinned {
            // A pinned pawn may step along its own file only.
            if bounds.king.is_some_and(|king| king.file() == from.file()) {
                self.visit_pawn_steps(bounds, Bitboard::from_square(from), sink);
            }
        }
        if let Some(to) = self.en_passant {
            for from in attacks::pawn_attacks(color.other(), to) & pawns {
                if en_passant_is_safe(from, to) {
                    sink.moves(from, Bitboard::from_square(to));
                }
            }
        }
    }

    fn visit_pawn_steps(&self, bounds: &Bounds, pawns: Bitboard, sink: &mut impl Sink) {
        let color = self.turn;
        let step = if color.is_white() { 8 } else { -8 };
        let free = !self.board.occupied();
        let last = Bitboard::from_rank(color.relative_rank(Rank::Eighth));
        let single = pawns.shift(step) & free;
        let third = Bitboard::from_rank(color.relative_rank(Rank::Third));
        // Only pawns from the second rank go two steps. A pawn dropped or pushed to the third has `single` there too. But that `single`
        // comes from the second rank either way, since single targets lie one rank on.
        let double = (single & third).shift(step) & free & bounds.moves;
        let single = single & bounds.moves;
        sink.pawn_steps(step, single & !last);
        sink.pawn_steps(2 * step, double);
        for to in single & last {
            if let Some(from) = to.offset(-step) {
                sink.promotions(from, Bitboard::from_square(to));
            }
        }
    }

    fn visit_drops(&self, reserve: &Reserve, targets: Bitboard, sink: &mut impl Sink) {
        if targets.is_empty() {
            return;
        }
        for role in RESERVE_ROLES {
            if reserve.count(role) > 0 {
                let targets =
                    if role == Role::Pawn { targets & !Bitboard::BACKRANKS } else { targets };
                sink.drops(role, targets);
            }
        }
    }
}
