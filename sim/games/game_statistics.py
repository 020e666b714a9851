# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays BPGN files with python-chess and counts what is in them.

What is read is the file, not the memory of whoever made it: notation, order, numbers, reserves and the
ending are judged anew. python-chess's Crazyhouse board gives a captured piece to the capturer, so the
reserves are moved by hand.
"""

import collections
import re

import chess
from chess.variant import CrazyhouseBoard

TAG = re.compile(r'^\[(\w+) "(.*)"\]$', re.MULTILINE)
PLY = re.compile(r"(\d+)([ABab])\.\s+([^\s{}]+)\s*(?:\{(\d+(?:\.\d+)?)\})?")
ENDING = re.compile(r"\{(W[AB]|B[AB]) (checkmated|resigns|forfeits on time)\} (1-0|0-1)")
ROLES = "PNBRQ"


class BadGame(Exception):
    """A match that does not replay."""


def matches_of(path):
    """Tags and movetext of each match."""
    for block in path.read_text("latin-1").split("[Event ")[1:]:
        tags, _, moves = ("[Event " + block).partition("\n\n")
        yield dict(TAG.findall(tags)), moves


def summary(files):
    """A few lines on all matches of `files`, each of which was replayed."""
    counts, lengths, endings = collections.Counter(), [], collections.Counter()
    left_s = []
    for path in files:
        for tags, moves in matches_of(path):
            where = f"{path}, round {tags.get('Round')}"
            try:
                plies = _count_plies(moves, counts)
            except ValueError as error:
                raise BadGame(f"{where}: {error}") from error
            ending = ENDING.search(moves)
            if ending is None or tags["Result"] != ending[3]:
                raise BadGame(f"{where}: ending missing, or not the Result of the tags")
            lengths.append(plies)
            endings[ending[2]] += 1
            left_s.append(min(float(clock or "inf") for *_, clock in PLY.findall(moves)))
    return _table(counts, sorted(lengths), endings, sorted(left_s))


def _table(counts, lengths, endings, left_s):
    if not lengths:
        return "no matches"
    plies, drops = sum(lengths), sum(counts[role] for role in ROLES)
    middle = len(lengths) // 2
    roles = ", ".join(f"{role} {counts[role]} ({counts[role] / drops:.1%})" for role in ROLES)
    return "\n".join((
        f"{len(lengths)} matches, {plies} plies; plies per match "
        f"{lengths[0]} to {lengths[-1]}, median {lengths[middle]}",
        f"drops {drops} ({drops / plies:.1%}): {roles}",
        f"captures {counts['capture']}, promotions {counts['promotion']}, "
        f"castlings {counts['castling']}, en passant {counts['en passant']}",
        "endings: " + ", ".join(f"{how} {count}" for how, count in endings.most_common()),
        f"lowest clock of a match: median {left_s[middle]:.1f} s",
    ))


def replay(moves):
    """Plays all plies; yields both boards by name, the board to move on and the move before each."""
    boards = {"A": CrazyhouseBoard(), "B": CrazyhouseBoard()}
    for number, letter, san, _ in PLY.findall(moves):
        name = letter.upper()
        board, partner = boards[name], boards["B" if name == "A" else "A"]
        if (board.turn == chess.WHITE) != letter.isupper():
            raise ValueError(f"{number}{letter}. {san}: out of turn")
        if board.fullmove_number != int(number):
            raise ValueError(f"{number}{letter}. {san}: wrong number")
        move = board.parse_san(san)
        yield boards, name, move
        mover = board.turn
        before = {role: board.pockets[mover].count(role) for role in chess.PIECE_TYPES}
        board.push(move)
        for role in chess.PIECE_TYPES:
            while board.pockets[mover].count(role) > before[role]:
                board.pockets[mover].remove(role)
                partner.pockets[not mover].add(role)


def _count_plies(moves, counts):
    """Counts what is played; the ending must be what is on the board."""
    plies, last = 0, None
    for boards, name, move in replay(moves):
        last = boards[name]
        _count(last, move, counts)
        plies += 1
    if not plies:
        raise ValueError("no plies")
    mated = "checkmated" in moves
    if mated != PLY.findall(moves)[-1][2].endswith("#"):
        raise ValueError("mate mark and ending disagree")
    if mated and not _is_mate(last):
        raise ValueError("the last position is no mate")
    return plies


def _count(board, move, counts):
    if move.drop is not None:
        counts[chess.piece_symbol(move.drop).upper()] += 1
    counts["capture"] += board.is_capture(move)
    counts["promotion"] += move.promotion is not None
    counts["castling"] += board.is_castling(move)
    counts["en passant"] += board.is_en_passant(move)


def _is_mate(board):
    """Mate that no supplied piece could block."""
    supplied = board.copy()
    for role in (chess.QUEEN, chess.PAWN):
        supplied.pockets[board.turn].add(role)
    return supplied.is_check() and not any(supplied.legal_moves)
