# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays PGN files with python-chess, judges what they say, and counts what is in them.

What is read is the file, not the memory of whoever made it: plies, ending, result and clocks are
judged anew, and the text must be, letter by letter, how the games read from it are written.
"""

import collections
import dataclasses
import logging
import pathlib
from collections.abc import Iterator

import chess
import chess.pgn

from chess_pgn import Ply, as_pgn
from chess_play import Ending, flag_ending
from time_control import TimeControl

NEEDED = {
    **{f"ending: {ending}": 2 for ending in Ending},
    **{f"clock: {kind}": 5 for kind in ("plain", "increment", "us", "bronstein", "periods")},
    "second period": 3,
    "under 10 s": 10,
    **{f"castling {side}, {color}": 10 for side in ("kingside", "queenside")
       for color in ("white", "black")},
    "en passant": 5,
    **{f"promotion to {role}": 2 for role in ("queen", "rook", "bishop", "knight")},
    "over 150 plies": 5,
}
"""How many there must be of what the games are there for: games of each kind, or plies."""
MIN_GAMES = 120


# What python-chess would log is in the error that is raised.
logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)


class BadGame(Exception):
    """A game that is not what its file says."""


@dataclasses.dataclass
class Counts:
    """What is in the games."""

    of: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    lengths: list[int] = dataclasses.field(default_factory=list)

    def missing(self) -> list[str]:
        """What there is too little of."""
        lines = [f"{self.of[what]} {what}, {least} needed"
                 for what, least in NEEDED.items() if self.of[what] < least]
        if len(self.lengths) < MIN_GAMES:
            lines.insert(0, f"{len(self.lengths)} games, {MIN_GAMES} needed")
        return lines

    def __str__(self) -> str:
        if not self.lengths:
            return "no games"
        lengths = sorted(self.lengths)
        return "\n".join((
            f"{len(lengths)} games, {sum(lengths)} plies; plies per game {lengths[0]} to "
            f"{lengths[-1]}, median {lengths[len(lengths) // 2]}, over 150 in {self.of['over 150 plies']}",
            f"endings: {self._listed('ending: ')}",
            f"clocks: {self._listed('clock: ')}; a second period begun in {self.of['second period']}, "
            f"under 10 s in {self.of['under 10 s']}",
            f"captures {self.of['capture']}, en passant {self.of['en passant']}, "
            f"{self._listed('castling ', 'castling ')}",
            f"promotions: {self._listed('promotion to ')}",
        ))

    def _listed(self, prefix: str, shown: str = "") -> str:
        found = [(what.removeprefix(prefix), count) for what, count in self.of.most_common()
                 if what.startswith(prefix)]
        return ", ".join(f"{shown}{what} {count}" for what, count in found)


def count(files: list[pathlib.Path]) -> Counts:
    """What is in `files`; BadGame at the first game that is not what it says."""
    counts = Counts()
    for path in files:
        written = []
        for number, game in enumerate(_games_of(path), 1):
            try:
                written.append(_judged(game, counts))
            except (ValueError, KeyError) as error:
                raise BadGame(f"{path}, game {number}: {error}") from error
        _require_same(path, "".join(written))
    return counts


def _games_of(path: pathlib.Path) -> Iterator[chess.pgn.Game]:
    with path.open(encoding="ascii") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            yield game


def _require_same(path: pathlib.Path, written: str) -> None:
    lines, expected = path.read_text("ascii").split("\n"), written.split("\n")
    for number, (line, other) in enumerate(zip(lines, expected, strict=False), 1):
        if line != other:
            raise BadGame(f"{path}:{number}: {line!r} should be {other!r}")
    if len(lines) != len(expected):
        raise BadGame(f"{path}: {len(lines)} lines, but its games have {len(expected)}")


def _judged(game: chess.pgn.Game, counts: Counts) -> str:
    """Counts a game and tells how it is written; ValueError or KeyError if it is not what it says."""
    if game.errors:
        raise ValueError(game.errors[0])
    board, tags = game.board(), game.headers
    control = TimeControl.parse(tags["TimeControl"], tags.get("Delay"))
    clocks_ds = {color: control.first_ds for color in chess.COLORS}
    plies = []
    for node in game.mainline():
        made = f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(node.move)}"
        if board.is_insufficient_material() or board.is_fivefold_repetition() or board.is_seventyfive_moves():
            raise ValueError(f"{made}: the game was over before it")
        if node.clock() is None:
            raise ValueError(f"{made}: no clock")
        clock_ds = round(10 * node.clock())
        try:
            control.require(clocks_ds[board.turn], clock_ds, board.fullmove_number)
        except ValueError as error:
            raise ValueError(f"{made}: {error}") from error
        clocks_ds[board.turn] = clock_ds
        _count_ply(board, node.move, counts.of)
        plies.append(Ply(board.san(node.move), clock_ds))
        board.push(node.move)
    _require_ending(board, tags)
    _count_game(tags, control, plies, counts)
    return as_pgn(tags, plies)


def _require_ending(board: chess.Board, tags: chess.pgn.Headers) -> None:
    """The position at the end, the tags Ending and Termination, and the result belong together."""
    ending = Ending(tags["Ending"])
    happened = {
        Ending.CHECKMATE: board.is_checkmate(),
        Ending.STALEMATE: board.is_stalemate(),
        Ending.INSUFFICIENT_MATERIAL: board.is_insufficient_material(),
        Ending.THREEFOLD_REPETITION: board.is_repetition(3),
        Ending.FIFTY_MOVE_RULE: board.is_fifty_moves(),
    }
    if ending in happened and not happened[ending]:
        raise ValueError(f"the last position is no {ending}")
    over = board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
    if over and not happened.get(ending):
        raise ValueError(f"the board ends the game otherwise than by {ending}")
    if ending.is_on_time and flag_ending(board) != ending:
        raise ValueError(f"the material on the board does not make it {ending}")
    if (tags["Termination"] == "time forfeit") != ending.is_on_time:
        raise ValueError(f"Termination {tags['Termination']!r} does not fit Ending {ending.value!r}")
    if tags["Result"] != ending.result(board.turn):
        raise ValueError(f"Result {tags['Result']} is not what {ending} makes it")


def _count_ply(board: chess.Board, move: chess.Move, of: collections.Counter[str]) -> None:
    of["capture"] += board.is_capture(move)
    of["en passant"] += board.is_en_passant(move)
    if board.is_castling(move):
        side = "kingside" if board.is_kingside_castling(move) else "queenside"
        of[f"castling {side}, {chess.COLOR_NAMES[board.turn]}"] += 1
    if move.promotion is not None:
        of[f"promotion to {chess.piece_name(move.promotion)}"] += 1


def _count_game(
    tags: chess.pgn.Headers, control: TimeControl, plies: list[Ply], counts: Counts
) -> None:
    counts.lengths.append(len(plies))
    counts.of[f"ending: {tags['Ending']}"] += 1
    kinds = [kind for kind, there in (
        ("periods", len(control.periods) > 1),
        ("increment", control.increment_ds > 0),
        (control.delay, control.delay is not None),
    ) if there]
    for kind in kinds or ["plain"]:
        counts.of[f"clock: {kind}"] += 1
    first_moves = control.periods[0].moves
    counts.of["second period"] += first_moves is not None and len(plies) > 2 * first_moves
    counts.of["under 10 s"] += min(ply.clock_ds for ply in plies) < 100
    counts.of["over 150 plies"] += len(plies) > 150
