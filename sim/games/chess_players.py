# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays the one-board games, and with how much time.

Six players, Engine A to Engine F, from one who hardly looks to one who seldom errs. All numbers here
are assumptions: nobody was measured for them.
"""

import dataclasses
import math
import random
from collections.abc import Sequence

MOVES_TO_SPREAD = 40
"""Moves over which a player thinks of an increment or a delay as part of the time limit."""
SLOW_SHARE = 0.12
"""Share of games in which a player is slower than their time allows."""
SETTLED_PLIES = 50
"""When the opening is over and players think of the end."""
MISMATCH_SHARE = 0.25
"""Share of games between any two players; otherwise they are neighbours or equals."""

TIME_CONTROLS = (
    # TimeControl, Delay, weight
    ("300", None, 20),
    ("180+0", None, 14),
    ("180+2", None, 16),
    ("600+2", None, 8),
    ("300", "2 us", 12),
    ("300", "5 us", 10),
    ("300", "3 bronstein", 7),
    ("180", "2 bronstein", 5),
    ("40/300:300", None, 4),
    ("20/150:90", None, 5),
    ("30/240:120", "2 us", 4),
)


@dataclasses.dataclass(frozen=True)
class Strength:
    """What one of the six names means."""

    nodes: tuple[int, int]
    """Range of the search limit of a ply."""
    temperature_cp: float
    """How freely they choose among the engine's best plies: weight exp(score / temperature)."""
    blunder: float
    """Probability of any legal ply."""
    resigns: float
    """Probability of resigning at a ply with a hopeless score."""


STRENGTHS = {
    "Engine A": Strength((10, 30), 150.0, 0.14, 0.0),
    "Engine B": Strength((30, 100), 90.0, 0.07, 0.01),
    "Engine C": Strength((100, 400), 60.0, 0.035, 0.04),
    "Engine D": Strength((400, 1_500), 40.0, 0.012, 0.10),
    "Engine E": Strength((1_500, 6_000), 20.0, 0.003, 0.20),
    "Engine F": Strength((6_000, 20_000), 8.0, 0.0, 0.30),
}


@dataclasses.dataclass(frozen=True)
class Player:
    """How one side plays one game."""

    name: str
    strength: Strength
    nodes: int
    moves_planned: float
    """Moves over which they spread their time: thinking time = time / moves, as a median."""
    claims: float
    """Probability of claiming a draw by repetition, or of agreeing to one, when there is a reason."""


@dataclasses.dataclass(frozen=True)
class Inclination:
    """What both players of a game lean to beyond their strength; by itself, nothing.

    Some ends of a game are rare between players who resign and who look for the best ply. What is worth
    something to them is so when the opening is over, after `SETTLED_PLIES`.
    """

    resigns: bool = True
    """Somebody may resign or agree to a draw before the board ends the game."""
    repetition_cp: float = 0.0
    """What a ply is worth to them that brings a position back."""
    capture_cp: float = 0.0
    """What a capture is worth to them."""
    progress_cp: float = 0.0
    """What a capture or a pawn's ply is worth to them, after which the count to fifty begins anew."""
    names: tuple[str, ...] = tuple(STRENGTHS)
    """Who may play."""


def draw_players(rng: random.Random, names: Sequence[str]) -> tuple[Player, Player]:
    """White and Black of a game, of `names` in rising strength."""
    white = rng.randrange(len(names))
    if rng.random() < MISMATCH_SHARE:
        black = rng.randrange(len(names))
    else:
        black = min(max(white + rng.choice((-1, 0, 1)), 0), len(names) - 1)
    return _draw_player(rng, names[white]), _draw_player(rng, names[black])


def _draw_player(rng: random.Random, name: str) -> Player:
    strength = STRENGTHS[name]
    low, high = (math.log(limit) for limit in strength.nodes)
    slow = rng.random() < SLOW_SHARE
    return Player(
        name=name,
        strength=strength,
        nodes=round(math.exp(rng.uniform(low, high))),
        moves_planned=rng.uniform(16, 26) if slow else rng.uniform(45, 90),
        claims=rng.choice((0.0, 0.4, 1.0)),
    )


def draw_time_control(rng: random.Random) -> tuple[str, str | None]:
    """The tags TimeControl and Delay of a game."""
    weights = [weight for *_, weight in TIME_CONTROLS]
    control, delay, _ = rng.choices(TIME_CONTROLS, weights)[0]
    return control, delay
