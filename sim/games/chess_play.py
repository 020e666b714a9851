# SPDX-License-Identifier: GPL-3.0-or-later
"""One game of chess: two simulated players, one board, one clock.

Plies come from the engine; how freely a player chooses among them, how long they think and when they
stop are the assumptions of `chess_players`. python-chess says what is legal and when the game is over.
"""

import enum
import math
import random

import chess

from chess_pgn import Ply
from chess_players import (
    MOVES_TO_SPREAD,
    SETTLED_PLIES,
    Inclination,
    Player,
    draw_players,
    draw_time_control,
)
from time_control import TimeControl
from uci_engine import MATE_SCORE_CP, Candidate, Engine

CANDIDATES = 6
"""How many plies of the engine a player chooses among."""
OPENING_PLIES = 16
VARIED_PLIES = (2, 8)
"""Range of how many plies at the beginning of a game are chosen freely."""
VARIED_TEMPERATURE_CP = 120.0
FEW_LEGAL = 3
MIN_THINKING_DS = 8
"""A hand needs that long to move a piece and press the clock."""
THINKING_SIGMA = 0.7
"""Of the logarithm of a thinking time."""
MOVES_AHEAD = (4, 24)
"""Range of the moves over which a player short of time spreads what is left: fewer before new time."""
HOPELESS_CP = -900
EVEN_CP = 40
AGREE = 0.02
"""Probability of agreeing to a draw at a ply of an even game, times both players' inclination."""
UNDERPROMOTION_WHIM = 0.3
"""Probability of taking another piece than the queen when it is about as good."""
PROMOTION_CP = 100
"""By how much another piece must be better than the queen for everybody to take it."""
KINGSIDE_LIKING_CP, QUEENSIDE_LIKING_CP = 40, 150
"""What castling is worth to a player beyond the engine's score: tests need both."""
EN_PASSANT_LIKING_CP = 250


class Ending(enum.StrEnum):
    """How a game ended; the value is what the tag Ending says."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient material"
    THREEFOLD_REPETITION = "threefold repetition"
    FIFTY_MOVE_RULE = "fifty-move rule"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    FLAG = "flag"
    """The flag fell, and the opponent has a pawn, a rook or a queen to win with."""
    FLAG_AGAINST_BARE_KING = "flag against bare king"
    """The flag fell, but the opponent has a king alone: a draw."""

    @property
    def is_on_time(self) -> bool:
        """A flag ended the game."""
        return self in (Ending.FLAG, Ending.FLAG_AGAINST_BARE_KING)

    def result(self, turn: chess.Color) -> str:
        """The result, with `turn` to move at the end: where anybody lost, it is the side to move."""
        if self in (Ending.CHECKMATE, Ending.RESIGNATION, Ending.FLAG):
            return "0-1" if turn == chess.WHITE else "1-0"
        return "1/2-1/2"


def flag_ending(board: chess.Board) -> Ending | None:
    """What the fallen flag of the side to move means; none where the rulebooks do not agree on it."""
    pieces = board.occupied_co[not board.turn]
    if pieces & (board.pawns | board.rooks | board.queens):
        return Ending.FLAG
    if not pieces & ~board.kings:
        return Ending.FLAG_AGAINST_BARE_KING
    return None


class ChessPlay:
    """Plays a game to its end."""

    def __init__(self, engine: Engine, rng: random.Random, inclination: Inclination):
        self._engine = engine
        self._rng = rng
        self._inclination = inclination
        self.white, self.black = draw_players(rng, inclination.names)
        self.control_tags = draw_time_control(rng)
        self._control = TimeControl.parse(*self.control_tags)
        self._varied_plies = rng.randint(*VARIED_PLIES)
        self._clocks_ds = {color: self._control.first_ds for color in chess.COLORS}
        self.board = chess.Board()
        self.plies: list[Ply] = []
        self.has_en_passant = False

    def run(self, max_plies: int) -> Ending | None:
        """Plays on until the game is over; nothing after `max_plies`, or where people would have stopped."""
        self._engine.new_match()
        while len(self.plies) < max_plies:
            ending = self._over()
            if ending is not None:
                return ending
            if self.board.is_fivefold_repetition() or self.board.is_seventyfive_moves():
                return None
            candidates = self._engine.search(self.board.fen(), self._player.nodes)
            ending = self._stops(candidates[0].score_cp)
            if ending is not None:
                return ending
            move = self._choose(candidates)
            clock_ds = self._control.after(
                self._clocks_ds[self.board.turn], self._thinking_ds(move), self.board.fullmove_number
            )
            if clock_ds is None:
                return flag_ending(self.board)
            self._clocks_ds[self.board.turn] = clock_ds
            self.plies.append(Ply(self.board.san(move), clock_ds))
            self.has_en_passant |= self.board.is_en_passant(move)
            self.board.push(move)
        return None

    @property
    def _player(self) -> Player:
        return self.white if self.board.turn == chess.WHITE else self.black

    def _over(self) -> Ending | None:
        """The game is over without anybody's doing."""
        if self.board.is_checkmate():
            return Ending.CHECKMATE
        if self.board.is_stalemate():
            return Ending.STALEMATE
        if self.board.is_insufficient_material():
            return Ending.INSUFFICIENT_MATERIAL
        return None

    def _stops(self, score_cp: float) -> Ending | None:
        """The player to move ends the game, who sees `score_cp`."""
        resigns = self._player.strength.resigns if self._inclination.resigns else 0.0
        if score_cp <= HOPELESS_CP and self._rng.random() < resigns:
            return Ending.RESIGNATION
        if self.board.is_fifty_moves():
            return Ending.FIFTY_MOVE_RULE
        if self.board.is_repetition(3) and self._rng.random() < self._player.claims:
            return Ending.THREEFOLD_REPETITION
        even = abs(score_cp) <= EVEN_CP and len(self.plies) >= SETTLED_PLIES
        if even and self._inclination.resigns and self._rng.random() < AGREE * self.white.claims * self.black.claims:
            return Ending.AGREEMENT
        return None

    def _choose(self, candidates: list[Candidate]) -> chess.Move:
        if self._rng.random() < self._player.strength.blunder:
            legal = sorted(move.uci() for move in self.board.legal_moves)
            return chess.Move.from_uci(self._rng.choice(legal))
        candidates = self._promoting_as_people_do(candidates)
        temperature = self._player.strength.temperature_cp
        if len(self.plies) < self._varied_plies:
            temperature = max(temperature, VARIED_TEMPERATURE_CP)
        likings = [each.score_cp + self._liking_cp(each.uci) for each in candidates]
        best = max(likings)
        weights = [math.exp((liking - best) / temperature) for liking in likings]
        return self.board.parse_uci(self._rng.choices(candidates, weights)[0].uci)

    def _liking_cp(self, uci: str) -> float:
        """What a player sees in a ply beyond the engine's score."""
        move, board, inclination = chess.Move.from_uci(uci), self.board, self._inclination
        liking = 0.0
        if board.is_kingside_castling(move):
            liking += KINGSIDE_LIKING_CP
        if board.is_queenside_castling(move):
            liking += QUEENSIDE_LIKING_CP
        if board.is_en_passant(move):
            liking += EN_PASSANT_LIKING_CP
        if len(self.plies) < SETTLED_PLIES:
            return liking
        if board.is_capture(move):
            liking += inclination.capture_cp
        if board.is_zeroing(move):
            liking += inclination.progress_cp
        elif inclination.repetition_cp:
            board.push(move)
            liking += inclination.repetition_cp if board.is_repetition(2) else 0.0
            board.pop()
        return liking

    def _promoting_as_people_do(self, candidates: list[Candidate]) -> list[Candidate]:
        """The candidates with a queen instead of another piece, unless it is better or a whim."""
        scores = {each.uci: each.score_cp for each in candidates}
        whim = self._rng.random() < UNDERPROMOTION_WHIM
        kept: dict[str, Candidate] = {}
        for each in candidates:
            if each.uci[4:] in ("r", "b", "n"):
                queen = each.uci[:4] + "q"
                better = each.score_cp > scores.get(queen, -MATE_SCORE_CP) + PROMOTION_CP
                if not (whim or better and queen in scores):
                    each = Candidate(queen, scores.get(queen, each.score_cp))
            kept.setdefault(each.uci, each)
        return list(kept.values())

    def _thinking_ds(self, move: chess.Move) -> int:
        control, board = self._control, self.board
        left_ds, free_ds = self._clocks_ds[board.turn], control.increment_ds + control.delay_ds
        median = (control.first_ds + MOVES_TO_SPREAD * free_ds) / self._player.moves_planned
        if len(self.plies) < OPENING_PLIES:
            median *= 0.35
        taken_at = board.peek().to_square if board.move_stack else None
        if move.to_square == taken_at or board.legal_moves.count() <= FEW_LEGAL:
            median *= 0.5
        fewest, most = MOVES_AHEAD
        ahead = min(max(control.moves_left(board.fullmove_number - 1) or most, fewest), most)
        median = min(median, left_ds / ahead + 0.7 * free_ds)
        thinking_ds = self._rng.lognormvariate(math.log(median), THINKING_SIGMA)
        return max(MIN_THINKING_DS, round(thinking_ds))
