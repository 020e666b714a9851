# SPDX-License-Identifier: GPL-3.0-or-later
"""Two coupled boards and their four reserves.

python-chess keeps each board; its Crazyhouse gives a captured piece to the capturer, so the way
from a capture to the partner's reserve is here.
"""

import dataclasses
import itertools

import chess
from chess.variant import CrazyhouseBoard

RESERVE_ROLES = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)


def other(either: str) -> str:
    """The other side (`w`, `b`) or the other board (`A`, `B`)."""
    return {"w": "b", "b": "w", "A": "B", "B": "A"}[either]


@dataclasses.dataclass(frozen=True)
class Made:
    """A ply as it was made."""

    san: str
    captured: chess.PieceType | None
    """What went to the partner's reserve: a pawn for a promoted piece."""


class TwoBoards:
    """A match in progress."""

    def __init__(self) -> None:
        self.boards = {"A": CrazyhouseBoard(), "B": CrazyhouseBoard()}

    def turn(self, board: str) -> str:
        """The side to move: `w` or `b`."""
        return "w" if self.boards[board].turn else "b"

    def fen(self, board: str) -> str:
        """FEN with both reserves of this board."""
        return self.boards[board].fen()

    def count_legal(self, board: str, limit: int) -> int:
        """How many plies are legal, counted up to `limit`."""
        return sum(1 for _ in itertools.islice(self.boards[board].generate_legal_moves(), limit))

    def legal(self, board: str) -> list[str]:
        """Legal plies in UCI."""
        return sorted(move.uci() for move in self.boards[board].generate_legal_moves())

    def victim(self, board: str, uci: str) -> chess.PieceType | None:
        """What a ply would hand to the partner."""
        return _victim(self.boards[board], chess.Move.from_uci(uci))

    def is_mate(self, board: str) -> bool:
        """Check, no legal ply, and no piece the partner could supply would help."""
        state = self.boards[board]
        if not state.is_check() or self.count_legal(board, 1):
            return False
        supplied = state.copy(stack=False)
        for role in RESERVE_ROLES:
            supplied.pockets[state.turn].add(role)
        return not any(supplied.generate_legal_moves())

    def play(self, board: str, uci: str) -> Made:
        """Makes a ply and hands a captured piece to the partner; ValueError if it is not legal."""
        state, partner = self.boards[board], self.boards[other(board)]
        move, mover = state.parse_uci(uci), state.turn
        victim, san = _victim(state, move), state.san(move).rstrip("+#")
        san = "P" + san if san.startswith("@") else san
        state.push(move)
        state.clear_stack()
        if move.drop is not None:
            state.halfmove_clock = 0  # A drop cannot be repeated; python-chess goes on counting.
        if victim is not None:
            state.pockets[mover].remove(victim)
            partner.pockets[not mover].add(victim)
        # A check that a supplied piece could block is no mate.
        mark = "#" if self.is_mate(board) else "+" if state.is_check() else ""
        return Made(san + mark, victim)


def _victim(state: CrazyhouseBoard, move: chess.Move) -> chess.PieceType | None:
    if move.drop is not None or not state.is_capture(move):
        return None
    promoted = chess.BB_SQUARES[move.to_square] & state.promoted
    if promoted or state.is_en_passant(move):
        return chess.PAWN
    return state.piece_type_at(move.to_square)
