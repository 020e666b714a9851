# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays: two kinds of tables, and what is drawn for each of their four players.

All numbers here are assumptions. Those of `online` were set so that shares of drops and of their roles
come near to what is known of recorded two-minute online matches: 26 % of plies are drops, of these 34 %
pawns, 26 % knights, 26 % bishops, 7.5 % rooks and 6 % queens. Left to itself the engine drops 17 %,
42 % of them pawns, 17 % bishops and 10 % queens: it trades less, and other pieces.
"""

import dataclasses
import math
import random
from collections.abc import Callable, Mapping

import chess

SEATS = (("A", "w"), ("A", "b"), ("B", "w"), ("B", "b"))


@dataclasses.dataclass(frozen=True)
class Player:
    """How one seat plays."""

    nodes: int
    temperature_cp: float
    blunder: float
    """Probability of taking any of the engine's candidates."""
    thinking_ds: float
    """Median thinking time."""
    sits: float
    """Probability of waiting for a piece when the position is lost without one."""
    resigns: float
    """Probability of resigning at a ply with a hopeless score."""
    drop_liking_cp: float = 0.0
    """What a drop is worth to them beyond the engine's score."""
    capture_liking_cp: Mapping[chess.PieceType, float] = dataclasses.field(default_factory=dict)
    """What supplying their partner with a piece is worth to them."""


@dataclasses.dataclass(frozen=True)
class Style:
    """A kind of table."""

    name: str
    event: str
    """Event tag of its matches."""
    bases_ds: tuple[int, ...]
    """Time limits, of which one is drawn."""
    candidates: int
    """How many plies of the engine a player chooses among."""
    nodes: tuple[int, int]
    """Range of the players' search limits."""
    draw: Callable[[random.Random, tuple[int, int]], dict[tuple[str, str], Player]]

    def draw_players(self, rng: random.Random) -> dict[tuple[str, str], Player]:
        """The four players of a match."""
        return self.draw(rng, self.nodes)

    def draw_base_ds(self, rng: random.Random) -> int:
        """The time limit of a match in tenths of a second."""
        return self.bases_ds[0] if len(self.bases_ds) == 1 else rng.choice(self.bases_ds)


def _at_a_table(rng, nodes):
    """Four children, or four club players, of similar strength."""
    club = rng.random() < 0.5
    low, high = (math.log(limit) for limit in nodes)
    middle = (low + high) / 2
    players = {}
    for seat in SEATS:
        slow = 2.6 if rng.random() < 0.08 else 1.0
        players[seat] = Player(
            nodes=round(math.exp(rng.uniform(middle, high) if club else rng.uniform(low, middle))),
            temperature_cp=rng.uniform(15, 50) if club else rng.uniform(40, 130),
            blunder=0.02 if club else 0.08,
            thinking_ds=slow * (rng.uniform(28, 60) if club else rng.uniform(25, 55)),
            sits=0.30 if club else 0.15,
            resigns=0.025 if club else 0.006,
        )
    return players


def _online(rng, nodes):
    """Four quick players who trade to supply their partner and drop what they get."""
    low, high = (math.log(limit) for limit in nodes)
    players = {}
    for seat in SEATS:
        trades = rng.uniform(60, 260)
        players[seat] = Player(
            nodes=round(math.exp(rng.uniform(low, high))),
            temperature_cp=rng.uniform(25, 110),
            blunder=0.03,
            thinking_ds=rng.uniform(14, 32),
            sits=0.10,
            resigns=0.02,
            drop_liking_cp=rng.uniform(60, 260),
            capture_liking_cp={
                chess.PAWN: 0.4 * trades,
                chess.KNIGHT: 0.6 * trades,
                chess.BISHOP: 1.8 * trades,
                chess.ROOK: 0.8 * trades,
                chess.QUEEN: -0.7 * trades,
            },
        )
    return players


STYLES = {
    style.name: style
    for style in (
        Style("table", "Twinboard engine games", (3_000,), 6, (200, 3_000), _at_a_table),
        Style("online", "Twinboard engine games, online players", (1_200, 1_200, 1_200, 1_800), 12,
              (60, 600), _online),
    )
}
