# SPDX-License-Identifier: GPL-3.0-or-later
"""Two coupled boards as FENs and reserves, with pyffish as the judge of every ply.

pyffish knows one board and leaves captured pieces nowhere; the way from a capture to the partner's
reserve is here.
"""

import collections
import dataclasses

import pyffish

VARIANT = "bughouse"
RESERVE_LETTERS = "QRBNP"
START = ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w KQkq - 0 1")


def other(either: str) -> str:
    """The other side (`w`, `b`) or the other board (`A`, `B`)."""
    return {"w": "b", "b": "w", "A": "B", "B": "A"}[either]


@dataclasses.dataclass
class Made:
    """A ply as it was made."""

    san: str
    captured: str | None
    """Letter that went to the partner's reserve: `P` for a promoted piece."""


class Board:
    """One board's position; reserves belong to the match."""

    def __init__(self) -> None:
        self.placement, self.rest = START

    @property
    def turn(self) -> str:
        return self.rest[0]

    @property
    def ply_number(self) -> int:
        """Plies made on this board so far."""
        return 2 * (int(self.rest.split()[-1]) - 1) + (self.turn == "b")

    def squares(self) -> dict[str, str]:
        """Pieces by square; a promoted one carries `~`."""
        found = {}
        for rank, row in zip("87654321", self.placement.split("/")):
            file = 0
            for letter in row:
                if letter == "~":
                    found["abcdefgh"[file - 1] + rank] += "~"
                elif letter.isdigit():
                    file += int(letter)
                else:
                    found["abcdefgh"[file] + rank] = letter
                    file += 1
        return found


class TwoBoards:
    """A match in progress: two boards and four reserves."""

    def __init__(self) -> None:
        self.boards = {"A": Board(), "B": Board()}
        self.reserves = {
            (board, side): collections.Counter() for board in "AB" for side in "wb"
        }

    def fen(self, board: str, also: str = "") -> str:
        """FEN with pockets; `also`: further pieces for the side to move."""
        state = self.boards[board]
        white, black = (
            "".join(
                letter * self.reserves[board, side][letter]
                + (letter if side == state.turn and letter in also else "")
                for letter in RESERVE_LETTERS
            )
            for side in "wb"
        )
        return f"{state.placement}[{white}{black.lower()}] {state.rest}"

    def legal(self, board: str) -> list[str]:
        """Legal plies in UCI."""
        return pyffish.legal_moves(VARIANT, self.fen(board), [])

    def is_check(self, board: str) -> bool:
        """Whether the side to move is in check."""
        return bool(pyffish.gives_check(VARIANT, self.fen(board), []))

    def is_mate(self, board: str) -> bool:
        """Check, no legal ply, and no piece the partner could supply would help."""
        return (
            self.is_check(board)
            and not self.legal(board)
            and not pyffish.legal_moves(VARIANT, self.fen(board, RESERVE_LETTERS), [])
        )

    def play(self, board: str, uci: str) -> Made:
        """Makes a ply, which must be legal, and hands a captured piece to the partner."""
        if uci not in self.legal(board):
            raise ValueError(f"{uci} is not legal in {self.fen(board)}")
        state = self.boards[board]
        side = state.turn
        san = pyffish.get_san(VARIANT, self.fen(board), uci)
        after = pyffish.get_fen(VARIANT, self.fen(board), [uci])
        captured = None
        if "@" in uci:
            self.reserves[board, side][uci[0]] -= 1
        else:
            captured = _captured(state.squares(), uci)
        pocketed, state.rest = after.split(" ", 1)
        state.placement = pocketed.split("[")[0]
        if captured is not None:
            self.reserves[other(board), other(side)][captured] += 1
        # pyffish reports a check that a supplied piece could block as mate.
        mark = "#" if self.is_mate(board) else "+" if self.is_check(board) else ""
        return Made(san.rstrip("+#") + mark, captured)


def _captured(squares: dict[str, str], uci: str) -> str | None:
    start, target = uci[:2], uci[2:4]
    victim = squares.get(target)
    if victim is None and squares[start].upper() == "P" and start[0] != target[0]:
        return "P"  # en passant
    if victim is None or victim.isupper() == squares[start].isupper():
        return None
    return "P" if victim.endswith("~") else victim.upper()
