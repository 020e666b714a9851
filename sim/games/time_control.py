# SPDX-License-Identifier: GPL-3.0-or-later
"""Time controls of one-board games: how they are written, and what a clock does under them.

PGN's TimeControl tag knows periods (`40/300:300`) and an increment (`180+2`). It knows no delay, so
the games carry a tag Delay beside it: seconds and kind, `5 us` or `3 bronstein`.

All times are whole tenths of a second (`_ds`), as the clock comments are.
"""

import dataclasses
import re

PERIOD = re.compile(r"(?:([1-9]\d*)/)?([1-9]\d*)")
SUDDEN_DEATH = re.compile(r"([1-9]\d*)(?:\+(\d+))?")
DELAY = re.compile(r"([1-9]\d*) (us|bronstein)")


class BadTimeControl(ValueError):
    """A tag that cannot be read as a time control."""


class BadClock(ValueError):
    """A clock that shows what its time control does not allow."""


@dataclasses.dataclass(frozen=True)
class Period:
    """A stretch of the game with its own time."""

    base_ds: int
    """What the clock gains when the period begins."""
    moves: int | None
    """How many moves each player has to make in it; none in the last."""


@dataclasses.dataclass(frozen=True)
class TimeControl:
    """The time both players have."""

    periods: tuple[Period, ...]
    increment_ds: int = 0
    """What the clock gains after each move."""
    delay_ds: int = 0
    """How much of each move is free."""
    delay: str | None = None
    """`us`: the clock waits before it runs. `bronstein`: the clock runs, and gives back at the press."""

    @classmethod
    def parse(cls, tag: str, delay_tag: str | None = None) -> "TimeControl":
        """Reads the two tags; BadTimeControl tells what is wrong with them."""
        *earlier, last = tag.split(":")
        periods = []
        for field in earlier:
            match = PERIOD.fullmatch(field)
            if match is None or match[1] is None:
                raise BadTimeControl(f"TimeControl {tag!r}: {field!r} is not MOVES/SECONDS")
            periods.append(Period(10 * int(match[2]), int(match[1])))
        match = SUDDEN_DEATH.fullmatch(last)
        if match is None:
            raise BadTimeControl(f"TimeControl {tag!r}: {last!r} is not SECONDS or SECONDS+INCREMENT")
        periods.append(Period(10 * int(match[1]), None))
        increment_ds = 10 * int(match[2] or 0)
        if delay_tag is None:
            return cls(tuple(periods), increment_ds)
        match = DELAY.fullmatch(delay_tag)
        if match is None:
            raise BadTimeControl(f"Delay {delay_tag!r} is not SECONDS us or SECONDS bronstein")
        return cls(tuple(periods), increment_ds, 10 * int(match[1]), match[2])

    @property
    def first_ds(self) -> int:
        """What the clocks show before the first move."""
        return self.periods[0].base_ds

    def moves_left(self, made: int) -> int | None:
        """How many moves a player who made `made` has left in the period; none in the last."""
        for period in self.periods:
            if period.moves is None or made < period.moves:
                return period.moves and period.moves - made
            made -= period.moves
        return None

    def gain_ds(self, made: int) -> int:
        """What the clock gains after a player's move number `made`: increment, and a new period's time."""
        ends = 0
        for period, following in zip(self.periods, self.periods[1:], strict=False):
            ends += period.moves
            if made == ends:
                return self.increment_ds + following.base_ds
        return self.increment_ds

    def after(self, before_ds: int, used_ds: int, made: int) -> int | None:
        """What the clock shows after move number `made`, for which `used_ds` went by; none if the flag fell.

        left = before − max(0, used − delay)        US delay
        left = before − used + min(used, delay)     Bronstein, if used < before
        shown = left + gain
        """
        free_ds = min(used_ds, self.delay_ds)
        running_ds = used_ds if self.delay == "bronstein" else used_ds - free_ds
        if running_ds >= before_ds:
            return None
        after_ds = before_ds - used_ds + free_ds + self.gain_ds(made)
        self.require(before_ds, after_ds, made)
        return after_ds

    def require(self, before_ds: int, after_ds: int, made: int) -> None:
        """BadClock if no clock can go from `before_ds` to `after_ds` with a player's move number `made`."""
        gain_ds = self.gain_ds(made)
        if after_ds - gain_ds > before_ds:
            raise BadClock(
                f"move {made}: the clock rose from {before_ds / 10} s to {after_ds / 10} s, "
                f"but may gain {gain_ds / 10} s"
            )
        # A Bronstein clock that did not run out gives back the whole delay, or all that the move took.
        least_ds = min(before_ds, self.delay_ds + 1) if self.delay == "bronstein" else 1
        if after_ds - gain_ds < least_ds:
            raise BadClock(
                f"move {made}: the clock shows {after_ds / 10} s after {before_ds / 10} s, "
                f"but at least {(least_ds + gain_ds) / 10} s must be left"
            )
