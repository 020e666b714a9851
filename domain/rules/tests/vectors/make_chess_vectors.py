#!/usr/bin/env python3
"""Makes the vectors of chess that the tests of `rules` are held against, from python-chess.

    python3 -m pip install chess==1.11.2
    python3 make_chess_vectors.py                    # rewrites chess.tsv and, if the games are here, chess_games.tsv
    python3 make_chess_vectors.py --check            # compares with the files instead
    python3 make_chess_vectors.py --show FEN         # the moves of one position, to look into a difference
    python3 make_chess_vectors.py --show-game ID     # every position of one real game, the same
    python3 make_chess_vectors.py --rewritten        # the real games, read and written by `rules`, are the same games

`chess.tsv` holds positions made for it. A line's first field is a position to begin from (FEN) or the move
that was played in the position of the line before (SAN). The other fields describe the position then:
number of legal moves, hash, state. The hash is FNV-1a (64 bits) over "UCI SAN" of every legal move, sorted by UCI
and joined by commas. The state is a letter (`n`ormal, `c`heck, `m`ate, `s`talemate) and marks: `w`, `b` (White, Black
cannot mate with this material), `3`, `5` (on the board for at least the third, fifth time), `f`, `F` (fifty,
seventy-five moves without progress).

`chess_games.tsv` holds no moves, but one line for each game of ../shared/games/chess.pgn: its identifier, its
number of plies, how many of its positions have the marks 3, f and both w and b, and the hash of the descriptions of all its
positions with the moves in UCI and the clock times in milliseconds.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import chess
import chess.pgn

from placing import HERE, add_special_rights, check, fnv1a, place_en_passant_pair, place_kings, weight, write

SEED = 2020
POSITIONS = 5_000
GAMES, GAME_PLIES = 12, 150
SHUFFLES, SHUFFLE_PLIES = 8, 75
ENDINGS, ENDING_PLIES = 10, 40
# Of the placements, at least so many of these.
WANTED_STATES = {"m": 300, "s": 120}
# How many folders above this one are looked into for the real games.
ANCESTORS_MAX = 6
PIECES = [chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]


def moves_text(board):
    return ",".join(sorted(f"{move.uci()} {board.san(move)}" for move in board.legal_moves))


def state(board):
    if board.is_checkmate():
        letter = "m"
    elif board.is_stalemate():
        letter = "s"
    else:
        letter = "c" if board.is_check() else "n"
    marks = [
        ("w", board.has_insufficient_material(chess.WHITE)),
        ("b", board.has_insufficient_material(chess.BLACK)),
        ("3", board.is_repetition(3)),
        ("5", board.is_repetition(5)),
        ("f", board.is_fifty_moves()),
        ("F", board.is_seventyfive_moves()),
    ]
    return letter + "".join(mark for mark, holds in marks if holds)


def description(board):
    return f"{board.legal_moves.count()}\t{fnv1a(moves_text(board)):016x}\t{state(board)}"


def line(first, board):
    return f"{first}\t{description(board)}\n"


def back(board):
    """The move that takes back what the side to move did last, if it is legal."""
    if len(board.move_stack) < 2:
        return None
    last = board.move_stack[-2]
    move = chess.Move(last.to_square, last.from_square)
    return move if not last.promotion and board.is_legal(move) else None


def play(rng, board, plies, back_probability, choose):
    yield line(board.fen(), board)
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            return
        move = back(board)
        if move is None or rng.random() >= back_probability:
            move = rng.choices(moves, [choose(board, move) for move in moves])[0]
        san = board.san(move)
        board.push(move)
        yield line(san, board)


def quiet(board, move):
    return 0.01 if board.is_zeroing(move) else 1


def games(rng):
    for _ in range(GAMES):
        yield from play(rng, chess.Board(), GAME_PLIES, 0.05, lambda board, move: weight(board, move, 3))
    for number in range(SHUFFLES):
        board = chess.Board()
        if number % 2:
            # With pawns that can be captured in passing, and rooks that lose the right to castle.
            board = chess.Board("r3k2r/2p2ppp/8/1P1P4/1p1p4/8/2P2PPP/R3K2R w KQkq - 0 1")
        yield from play(rng, board, SHUFFLE_PLIES, 0.75, quiet)
    for _ in range(ENDINGS):
        while True:
            board = placement(rng, pieces_max=3)
            board.halfmove_clock = rng.choice((85, 90, 140))
            board.fullmove_number = 100
            if board.is_valid() and any(board.legal_moves):
                break
        yield from play(rng, board, ENDING_PLIES, 0.3, quiet)


def placement(rng, pieces_max):
    """A board with few pieces, so that checks, pins, mates, stalemates and dead positions are frequent."""
    board = chess.Board(None)
    kings = rng.sample(range(64), 2)
    if pieces_max > 4 and rng.random() < 0.3:
        kings = [chess.E1, chess.E8]
    elif rng.random() < 0.5:
        kings[rng.randrange(2)] = rng.choice((chess.A1, chess.H1, chess.A8, chess.H8))
    place_kings(rng, board, kings)
    if pieces_max > 4 and rng.random() < 0.4:
        place_en_passant_pair(rng, board)
    for _ in range(rng.randrange(0, pieces_max + 1)):
        role = rng.choice(PIECES)
        square = rng.randrange(64)
        if board.piece_at(square) or (role == chess.PAWN and square // 8 in (0, 7)):
            continue
        board.set_piece_at(square, chess.Piece(role, rng.random() < 0.5))
    add_special_rights(rng, board)
    return board


def placements(rng, count):
    """`count` placements; the last ones are sought among positions without a legal move."""
    wanted = dict(WANTED_STATES)
    seen = set()
    while len(seen) < count:
        board = placement(rng, pieces_max=rng.choice((2, 4, 14)))
        if not board.is_valid() or board.fen() in seen:
            continue
        ended = state(board)[0]
        if count - len(seen) <= sum(wanted.values()) and not wanted.get(ended):
            continue
        if wanted.get(ended):
            wanted[ended] -= 1
        seen.add(board.fen())
        yield line(board.fen(), board)


def made():
    rng = random.Random(SEED)
    lines = list(games(rng))
    lines.extend(placements(rng, POSITIONS - len(lines)))
    return "".join(lines)


def games_file():
    for above in list(HERE.resolve().parents)[:ANCESTORS_MAX]:
        path = above / "shared" / "games" / "chess.pgn"
        if path.exists():
            return path
    return None


def real_games(path=None):
    with open(path or games_file(), encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            if game.errors:
                sys.exit(f"{game.headers['GameId']}: {game.errors}")
            yield game


def positions(game):
    """What is known of each position of a game: the move that led to it, its clock time, the position."""
    board = game.board()
    yield f"start\t-\t{description(board)}", state(board)
    for node in game.mainline():
        clock = node.clock()
        clock_ms = "-" if clock is None else round(clock * 1000)
        board.push(node.move)
        yield f"{node.move.uci()}\t{clock_ms}\t{description(board)}", state(board)


def summary(game):
    found = list(positions(game))
    states = [state for _, state in found]
    counts = [
        sum("3" in state for state in states),
        sum("f" in state for state in states),
        sum("w" in state and "b" in state for state in states),
    ]
    hashed = fnv1a("\n".join(text for text, _ in found))
    fields = [game.headers["GameId"], len(found) - 1, *counts, f"{hashed:016x}"]
    return "\t".join(map(str, fields)) + "\n"


def check_rewritten():
    """Lets `rules` read and write the real games, and compares everything but the layout."""
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder) / "written.pgn"
        command = ["cargo", "run", "--quiet", "--locked", "--package", "rules", "--example", "rewrite_pgn", "--"]
        subprocess.run([*command, games_file(), written], check=True, cwd=HERE)
        count = 0
        for ours, theirs in zip(real_games(written), real_games(), strict=True):
            name = theirs.headers["GameId"]
            if ours.headers != theirs.headers:
                sys.exit(f"{name}: the tags differ: {ours.headers} and {theirs.headers}")
            if summary(ours) != summary(theirs):
                sys.exit(f"{name}: moves or clock times differ")
            count += 1
        print(f"{count} games written by `rules` open in python-chess and are the same")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", metavar="FEN", help="print the moves of one position")
    parser.add_argument("--show-game", metavar="ID", help="print every position of one real game")
    parser.add_argument("--rewritten", action="store_true", help="judge what `rules` writes")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    arguments = parser.parse_args()
    if arguments.show:
        print(moves_text(chess.Board(arguments.show)))
        return
    if arguments.show_game and games_file():
        for game in real_games():
            if game.headers["GameId"] == arguments.show_game:
                print("\n".join(text for text, _ in positions(game)))
        return
    if not arguments.rewritten:
        finish = check if arguments.check else write
        finish("chess.tsv", made())
    if games_file() is None:
        print("SKIPPED: ../shared/games/chess.pgn is not here")
        return
    if arguments.rewritten:
        check_rewritten()
        return
    finish("chess_games.tsv", "".join(summary(game) for game in real_games()))


if __name__ == "__main__":
    main()
