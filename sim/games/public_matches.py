#!/usr/bin/env python3
"""Writes bughouse matches of people, as two public repositories hold them, as one BPGN file without names.

    python3 sim/games/public_matches.py [--bughouse-chess CHECKOUT] [--bughouse-alpha-zero CHECKOUT] [--not-in CORPUS.bpgn] > MORE.bpgn

`Ellipsoul/bughouse-chess` has answers of Chess.com's interface among its test fixtures, one file a board; `MbProg/BughouseAlphaZero` (MIT)
has FICS's games in `bughouse_dataset*.csv` of its history. Matches that resemble one of `--not-in`, or an earlier one, are left out: the
same match in training and in a test would make every figure too good. It needs `pip install chess==1.11.2`. The files of others and what
is written from them stay out of the project.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import chess
import chess.variant

# Chess.com's move list: two letters a move, the squares in this order, then promotions, then drops.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!?{~}(^)[_]@#$,./&-*++="
ROLES = "qnrbkp"
FIRST_PROMOTION, FIRST_DROP = 64, 79
# Shorter matches were abandoned.
PLIES_MIN = 40
# Share of one player's plies in which two records of the same match agree; different matches agree in a few openings.
SAME = 0.5
PLY = re.compile(r"\d+([ABab])\. ?([^\s{]+)\{")


def moves_of(text: str) -> list[str]:
    """The moves of a Chess.com move list in UCI notation."""
    moves = []
    for first, second in zip(text[::2], text[1::2]):
        start, end, promotion = LETTERS.index(first), LETTERS.index(second), ""
        if end >= FIRST_PROMOTION:
            promotion = ROLES[(end - FIRST_PROMOTION) // 3]
            end = start + (-8 if start < 16 else 8) + (end - 1) % 3 - 1
        to = chess.square_name(end)
        if start >= FIRST_DROP:
            moves.append(f"{ROLES[start - FIRST_DROP].upper()}@{to}")
        else:
            moves.append(chess.square_name(start) + to + promotion)
    return moves


def timed(game: dict) -> list[tuple[int, str, int]]:
    """Elapsed time of the board, move, and the mover's clock after it, in tenths of a second."""
    base = int(re.match(r"\d+", game["pgnHeaders"]["TimeControl"]).group()) * 10
    left, elapsed, timed_moves = [base, base], 0, []
    clocks = [int(clock) for clock in game["moveTimestamps"].split(",")]
    for ply, (move, clock) in enumerate(zip(moves_of(game["moveList"]), clocks)):
        elapsed += max(left[ply % 2] - clock, 0)
        left[ply % 2] = clock
        timed_moves.append((elapsed, move, clock))
    return timed_moves


def push(boards: list[chess.variant.CrazyhouseBoard], board: int, move: chess.Move) -> str:
    """Plays a legal move, hands what it captured to the partner, and returns it in algebraic notation."""
    position, partner = boards[board], boards[1 - board]
    mover, number, san = position.turn, position.fullmove_number, position.san(move).rstrip("+#")
    before = {role: position.pockets[mover].count(role) for role in range(1, 6)}
    position.push(move)
    for role, count in before.items():
        while position.pockets[mover].count(role) > count - (move.drop == role):
            position.pockets[mover].remove(role)
            partner.pockets[not mover].add(role)
    return f"{number}{'AaBb'[2 * board + (not mover)]}. {san}"


def two_boards(games: list[dict]) -> str | None:
    """The plies of both boards in the order in which they can have been played; None if there is no such order."""
    plies = [timed(game) for game in games]
    boards, words, at = [chess.variant.CrazyhouseBoard() for _ in games], [], [0, 0]
    while sum(at) < len(plies[0]) + len(plies[1]):
        waiting = [board for board in (0, 1) if at[board] < len(plies[board])]
        waiting.sort(key=lambda board: plies[board][at[board]][0])
        # Lag may put a drop before the capture that brought the piece: the other board goes first then.
        possible = (b for b in waiting if chess.Move.from_uci(plies[b][at[b]][1]) in boards[b].legal_moves)
        board = next(possible, None)
        if board is None:
            return None
        _, move, clock = plies[board][at[board]]
        words.append(f"{push(boards, board, chess.Move.from_uci(move))}{{{clock / 10:.1f}}}")
        at[board] += 1
    return " ".join(words)


def from_chess_com(checkout: Path):
    """Time limits and plies of the matches among the fixtures."""
    games = {}
    for path in sorted((checkout / "tests/fixtures/chesscom").glob("*.json")):
        game = json.loads(path.read_text()).get("game", {})
        if game.get("type") == "bughouse":
            games[game["id"]] = game
    for game in games.values():
        partner = games.get(game["partnerGameId"])
        if partner and game["id"] < partner["id"] and (plies := two_boards([game, partner])):
            yield re.match(r"\d+", game["pgnHeaders"]["TimeControl"]).group(), plies


def from_csv(checkout: Path):
    """Time limits and plies of the matches in the data sets of the repository's history."""
    git = ["git", "-C", str(checkout)]
    objects = [*git, "rev-list", "--all", "--objects", "--missing=allow-any"]
    listed = subprocess.run(objects, capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        blob, _, name = line.partition(" ")
        if re.fullmatch(r"bughouse_\w+\.csv", name):
            text = subprocess.run([*git, "cat-file", "-p", blob], capture_output=True).stdout.decode("latin-1")
            for base, plies in re.findall(r'(\d+),\s*"([^"]*)"', text):
                yield base, " ".join(re.sub(r"\{C:[^}]*\}", "", plies).split())


def by_player(plies: str) -> list[list[str]]:
    """The plies of each of the four players."""
    found = PLY.findall(plies)
    return [[san.rstrip("+#") for player, san in found if player == each] for each in "AaBb"]


def same(one: list[list[str]], other: list[list[str]]) -> bool:
    """Whether two records are of one match, whichever board comes first in them."""
    for ours in one:
        for theirs in other:
            shorter = min(len(ours), len(theirs))
            if shorter >= 10 and sum(a == b for a, b in zip(ours, theirs)) > SAME * shorter:
                return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bughouse-chess", type=Path)
    parser.add_argument("--bughouse-alpha-zero", type=Path)
    parser.add_argument("--not-in", type=Path)
    arguments = parser.parse_args()
    known = []
    if arguments.not_in:
        known = [by_player(text) for text in arguments.not_in.read_text(encoding="latin-1").split("[Event ")]
    sources = []
    if arguments.bughouse_chess:
        sources.append(from_chess_com(arguments.bughouse_chess))
    if arguments.bughouse_alpha_zero:
        sources.append(from_csv(arguments.bughouse_alpha_zero))
    written = 0
    for base, plies in (match for source in sources for match in source):
        players = by_player(plies)
        if sum(map(len, players)) < PLIES_MIN or any(same(players, other) for other in known):
            continue
        known.append(players)
        written += 1
        print(f'[Event "match {written}"]\n[TimeControl "{base}+0"]\n[Result "*"]\n\n{plies} *\n')
    print(f"{written} matches", file=sys.stderr)


if __name__ == "__main__":
    main()
