# SPDX-License-Identifier: GPL-3.0-or-later
"""One-board games as PGN, with the clock after every ply.

The files hold exactly what `as_pgn` writes, so that a reader can compare them letter by letter.
"""

import dataclasses
import textwrap
from collections.abc import Mapping

LINE_WIDTH = 79
GLUE = "\0"
"""Stands for a blank where no line may break."""


@dataclasses.dataclass(frozen=True)
class Ply:
    """A ply and what the mover's clock showed after it."""

    san: str
    clock_ds: int


def clock_text(clock_ds: int) -> str:
    """Tenths of a second as `h:mm:ss.s`."""
    minutes, tenths = divmod(clock_ds, 600)
    return f"{minutes // 60}:{minutes % 60:02}:{tenths // 10:02}.{tenths % 10}"


def as_pgn(tags: Mapping[str, str], plies: list[Ply]) -> str:
    """One game, ending with an empty line."""
    words = []
    for index, ply in enumerate(plies):
        dots = "..." if index % 2 else "."
        words.append(f"{index // 2 + 1}{dots}{GLUE}{ply.san}")
        words.append(f"{{[%clk{GLUE}{clock_text(ply.clock_ds)}]}}")
    words.append(tags["Result"])
    text = textwrap.fill(" ".join(words), LINE_WIDTH, break_long_words=False, break_on_hyphens=False)
    head = "\n".join(f'[{tag} "{value}"]' for tag, value in tags.items())
    return f"{head}\n\n{text.replace(GLUE, ' ')}\n\n"
