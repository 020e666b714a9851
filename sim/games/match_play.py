# SPDX-License-Identifier: GPL-3.0-or-later
"""One match: four simulated players, two boards, two clocks.

Moves come from the engine; when a player moves, how often they blunder, wait for a piece or give up,
and what they like better than the engine does, are the assumptions of `players`. The board whose
clock event is due next goes on, so file order is clock order. Times are whole tenths of a second, as
the clock tags are.
"""

import dataclasses
import math
import random
from collections.abc import Iterable

from players import Player, Style
from two_boards import TwoBoards, other
from uci_engine import MATE_SCORE_CP, Candidate, Engine

MIN_THINKING_DS = 5
NEVER_DS = 1 << 40
FEW_LEGAL = 3
OPENING_PLIES = 10
"""Plies of a board that are played faster and sampled more freely."""
OPENING_TEMPERATURE_CP = 60.0
HOPELESS_CP = -1_500
SHORT_OF_TIME_DS = 450
KNIGHT_WORTH_CP = 150
"""By how much a knight must be the better promotion for a player to think of it."""


@dataclasses.dataclass
class Event:
    """A ply in order of play."""

    board: str
    side: str
    uci: str
    san: str
    clock_ds: int
    number: int


@dataclasses.dataclass
class Ending:
    """Who lost, and how: `checkmated`, `resigns` or `forfeits on time`."""

    board: str
    side: str
    how: str


@dataclasses.dataclass
class Turn:
    """A player's turn in progress on one board."""

    began_ds: int
    due_ds: int
    has_sat: bool = False


def promoting_to_queens(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates with other promotions turned into queens.

    A promoted piece counts as a pawn once captured, so the engine sees little between them; people
    make queens, and now and then a knight that does more. Rook and bishop never do more.
    """
    kept: dict[str, Candidate] = {}
    knights = []
    for candidate in candidates:
        if candidate.uci[4:] == "n":
            knights.append(candidate)
        uci = candidate.uci[:4] + "q" if candidate.uci[4:] else candidate.uci
        if candidate.uci[4:] != "n" and uci not in kept:
            kept[uci] = Candidate(uci, candidate.score_cp)
    for knight in knights:
        uci = knight.uci[:4] + "q"
        queen = kept.setdefault(uci, Candidate(uci, knight.score_cp))
        if knight.score_cp > queen.score_cp + KNIGHT_WORTH_CP:
            kept[knight.uci] = knight
    return sorted(kept.values(), key=lambda candidate: -candidate.score_cp)


class MatchPlay:
    """Plays a match to its end."""

    def __init__(self, engine: Engine, rng: random.Random, style: Style):
        self._engine = engine
        self._rng = rng
        self._players = style.draw_players(rng)
        self.base_ds = style.draw_base_ds(rng)
        self._table = TwoBoards()
        self._clocks_ds = {(board, side): self.base_ds for board in "AB" for side in "wb"}
        self._turns = {board: self._begin_turn(board, 0) for board in "AB"}
        self.events: list[Event] = []

    def run(self, max_plies: int) -> Ending | None:
        """Plays on until somebody has lost; nothing after `max_plies`."""
        self._engine.new_match()
        while len(self.events) < max_plies:
            board = min("AB", key=self._next_ds)
            ending = self._step(board)
            if ending is not None:
                return ending
        return None

    def _seat(self, board: str) -> tuple[str, str]:
        return board, self._table.turn(board)

    def _flag_ds(self, board: str) -> int:
        return self._turns[board].began_ds + self._clocks_ds[self._seat(board)]

    def _next_ds(self, board: str) -> int:
        return min(self._turns[board].due_ds, self._flag_ds(board))

    def _begin_turn(self, board: str, now_ds: int) -> Turn:
        legal = self._table.count_legal(board, FEW_LEGAL + 1)
        due_ds = now_ds + self._thinking_ds(board, legal) if legal else NEVER_DS
        return Turn(now_ds, due_ds)

    def _thinking_ds(self, board: str, legal: int) -> int:
        median = self._players[self._seat(board)].thinking_ds
        if self._table.boards[board].ply() < OPENING_PLIES:
            median *= 0.5
        if legal <= FEW_LEGAL:
            median *= 0.6
        left = self._clocks_ds[self._seat(board)]
        if left < SHORT_OF_TIME_DS:
            median *= max(0.25, left / SHORT_OF_TIME_DS)
        return max(MIN_THINKING_DS, round(self._rng.lognormvariate(math.log(median), 0.7)))

    def _step(self, board: str) -> Ending | None:
        """The next clock event of `board`: its flag, a wait, a resignation or a ply."""
        turn, seat = self._turns[board], self._seat(board)
        if self._flag_ds(board) <= turn.due_ds:
            return Ending(*seat, "forfeits on time")
        player = self._players[seat]
        candidates = self._engine.search(self._table.fen(board), player.nodes)
        candidates = promoting_to_queens(candidates)
        if not candidates:  # the engine calls a check that the partner may still block mate
            candidates = [Candidate(uci, 0) for uci in self._table.legal(board)]
        best_cp = candidates[0].score_cp
        if best_cp <= HOPELESS_CP and not turn.has_sat and self._rng.random() < player.sits:
            turn.has_sat = True
            turn.due_ds += self._rng.randint(40, 350)
            return None
        if best_cp <= HOPELESS_CP and self._rng.random() < player.resigns:
            return Ending(*seat, "resigns")
        return self._make(board, self._choose(player, candidates, board))

    def _choose(self, player: Player, candidates: list[Candidate], board: str) -> str:
        opening = self._table.boards[board].ply() < OPENING_PLIES
        temperature = max(player.temperature_cp, OPENING_TEMPERATURE_CP if opening else 0.0)
        if self._rng.random() < player.blunder:
            temperature = MATE_SCORE_CP
        likings = [each.score_cp + self._liking_cp(player, board, each.uci) for each in candidates]
        best = max(likings)
        weights = [math.exp((liking - best) / temperature) for liking in likings]
        return self._rng.choices(candidates, weights)[0].uci

    def _liking_cp(self, player: Player, board: str, uci: str) -> float:
        """What a player sees in a ply beyond the engine's score."""
        if "@" in uci:
            return player.drop_liking_cp
        if not player.capture_liking_cp:
            return 0.0
        return player.capture_liking_cp.get(self._table.victim(board, uci), 0.0)

    def _make(self, board: str, uci: str) -> Ending | None:
        seat, turn = self._seat(board), self._turns[board]
        number = self._table.boards[board].ply() // 2 + 1
        made = self._table.play(board, uci)
        self._clocks_ds[seat] -= turn.due_ds - turn.began_ds
        self.events.append(
            Event(*seat, uci, made.san, self._clocks_ds[seat], number)
        )
        if self._table.is_mate(board):
            return Ending(*self._seat(board), "checkmated")
        self._turns[board] = self._begin_turn(board, turn.due_ds)
        if made.captured is not None:
            self._supply(other(board), turn.due_ds)
        return None

    def _supply(self, board: str, now_ds: int) -> None:
        """A piece arrived for somebody on `board`: whoever waited for one may go on."""
        turn = self._turns[board]
        waits = turn.due_ds == NEVER_DS or turn.has_sat
        if waits and self._table.count_legal(board, 1):
            turn.due_ds = min(turn.due_ds, now_ds + self._rng.randint(8, 35))
