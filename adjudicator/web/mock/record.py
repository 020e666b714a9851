#!/usr/bin/env python3
"""Turns matches of a BPGN file and a game of chess into the recordings that the mock server plays.

    pip install chess
    python3 mock/record.py CHESS.pgn GAMES.bpgn NUMBER [NUMBER…] > mock/matches.json

The recordings that are here were made with `mock/record.py mock/opera-1858.pgn ../../sim/games/engine-001.bpgn 2 3 4 5`.

Numbers count from 1. A recording is a list of plies in true order, with board, UCI, SAN and the
mover's remaining time, so that the mock server needs no rules.
"""

import json
import re
import sys

import chess
import chess.pgn
import chess.variant

PLY = re.compile(r"(\d+)([ABab])\.\s+(\S+?)\s*\{\s*(-?[\d.]+)[^}]*\}")


def games(text):
    """Tags and movetext of each game."""
    for block in re.split(r"\n(?=\[Event )", text):
        tags = dict(re.findall(r'\[(\w+) "([^"]*)"\]', block))
        yield tags, block[block.rfind("]\n") + 1 :]


def pocket_to(boards, name, color, role):
    other = boards["B" if name == "A" else "A"]
    other.pockets[not color].add(role)


def record(tags, movetext):
    base_s = float(tags.get("TimeControl", "300+0").split("+")[0])
    boards = {name: chess.variant.CrazyhouseBoard() for name in "AB"}
    plies = []
    for _, letter, san, clock_s in PLY.findall(movetext):
        name, board = letter.upper(), boards[letter.upper()]
        move = board.parse_san(san)
        color = board.turn
        captured = None
        if board.is_capture(move):
            square = move.to_square
            if board.is_en_passant(move):
                square += -8 if color == chess.WHITE else 8
            captured = chess.PAWN if board.promoted & chess.BB_SQUARES[square] else board.piece_type_at(square)
        written = board.san(move)
        board.push(move)
        if captured is not None:
            board.pockets[color].remove(captured)  # Crazyhouse would let the captor keep it
            pocket_to(boards, name, color, captured)
        plies.append(
            {"board": name, "uci": move.uci(), "san": written, "clock_ms": round(float(clock_s) * 1000)}
        )
    return {"base_ms": round(base_s * 1000), "result": tags.get("Result", "*"), "plies": plies}


def period(text):
    moves, _, seconds = text.rpartition("/")
    return {"base_s": int(seconds), "moves": int(moves) if moves else None}


def record_chess(game):
    """The first game of a PGN file with clock times and without increments."""
    periods = [period(text) for text in game.headers["TimeControl"].split(":")]
    plies = []
    for node in game.mainline():
        clock_ms = round(node.clock() * 1000)
        plies.append({"board": "A", "uci": node.move.uci(), "san": node.san(), "clock_ms": clock_ms})
    base_ms = periods[0]["base_s"] * 1000
    return {"base_ms": base_ms, "periods": periods, "result": game.headers["Result"], "plies": plies}


def main():
    chess_path, path, *numbers = sys.argv[1:]
    with open(chess_path) as file:
        chess_game = record_chess(chess.pgn.read_game(file))
    found = list(games(open(path, encoding="latin-1").read()))
    chosen = [record(*found[int(number) - 1]) for number in numbers]
    json.dump({"matches": chosen, "chess": chess_game}, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
