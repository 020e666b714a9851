#!/usr/bin/env python3
"""Makes the vectors that the tests of `rules` are held against, from two independent programs.

    python3 -m pip install pyffish==0.0.90 chess==1.11.2
    apt install fairy-stockfish        # for perft
    python3 make_vectors.py            # rewrites games.tsv, placements.tsv, swapped.tsv and bughouse.perft
    python3 make_vectors.py --show FEN # the legal plies of one position, to look into a difference

`pyffish` is Fairy-Stockfish's `bughouse`; `chess` is python-chess's `CrazyhouseBoard` with captured pieces
handed to the partner. Every position is asked of both, and the script stops where they differ. Only
positions with king and queen swapped at set-up rest on pyffish alone (with castling squares configured), since
python-chess does not know that rule.

A line of a `.tsv` file is FEN (four fields), number of legal plies, FNV-1a (64 bits) of the sorted UCI
plies joined by spaces, and state. The state is `normal`, `check`, `blockable-check` (no legal ply, but some with
one piece of every kind in reserve), `mate` or `stalemate`.
"""

import argparse
import itertools
import random
import shutil
import subprocess
import sys
import tempfile

import chess
import chess.variant
import pyffish

from placing import add_special_rights, check, fnv1a, place_en_passant_pair, place_kings, weight, write

SEED = 2018
GAME_POSITIONS = 20_500
PLACEMENT_POSITIONS = 5_000
SWAPPED_POSITIONS = 1_500
PLIES_PER_MATCH_MAX = 170
# The deepest count of a position is the first one above this.
PERFT_LEAVES_MAX = 60_000
ROLES = {chess.PAWN: "p", chess.KNIGHT: "n", chess.BISHOP: "b", chess.ROOK: "r", chess.QUEEN: "q"}

SWAPPED_VARIANT = """[bughouse-swapped:bughouse]
castlingKingFile = d
castlingKingsideFile = f
castlingQueensideFile = b
"""
pyffish.load_variant_config(SWAPPED_VARIANT)


def four_fields(board):
    return " ".join(board.fen(en_passant="xfen").split(" ")[:4])


def legal(fen, variant="bughouse", board=None):
    """Legal plies in UCI by pyffish, which python-chess must confirm."""
    plies = sorted(pyffish.legal_moves(variant, fen + " 0 1", []))
    if variant == "bughouse":
        board = board or chess.variant.CrazyhouseBoard(fen + " 0 1")
        other = sorted(move.uci() for move in board.legal_moves)
        if plies != other:
            sys.exit(f"the oracles differ at {fen}:\n{set(plies) ^ set(other)}")
    return plies


def with_full_reserve(fen):
    """The same position with one more piece of every kind in the reserve of the side to move."""
    kinds = "QRBNP" if " w " in fen else "qrbnp"
    return fen.replace("]", kinds + "]", 1)


def state(fen, plies, variant="bughouse"):
    in_check = chess.variant.CrazyhouseBoard(fen + " 0 1").is_check()
    if plies:
        return "check" if in_check else "normal"
    if not in_check:
        return "stalemate"
    return "blockable-check" if legal(with_full_reserve(fen), variant) else "mate"


def line(fen, variant="bughouse", board=None):
    plies = legal(fen, variant, board)
    hashed = fnv1a(" ".join(plies))
    return plies, f"{fen}\t{len(plies)}\t{hashed:016x}\t{state(fen, plies, variant)}\n"


class TwoBoards:
    """A match: what one board captures goes to the partner at the other."""

    def __init__(self):
        self.boards = [chess.variant.CrazyhouseBoard() for _ in range(2)]

    def play(self, index, move):
        board, other = self.boards[index], self.boards[1 - index]
        mover = board.turn
        before = {role: board.pockets[mover].count(role) for role in ROLES}
        board.push(move)
        for role, count in before.items():
            dropped = 1 if move.drop == role else 0
            gained = board.pockets[mover].count(role) - (count - dropped)
            for _ in range(gained):
                board.pockets[mover].remove(role)
                other.pockets[not mover].add(role)


def bughouse_weight(board, move):
    """Play that meets everything: captures that fill reserves, and few drops."""
    return 0.35 if move.drop else weight(board, move, 5)


def generated_games(rng):
    seen = set()
    while len(seen) < GAME_POSITIONS:
        match = TwoBoards()
        for _ in range(PLIES_PER_MATCH_MAX):
            index = rng.randrange(2)
            lists = [list(board.legal_moves) for board in match.boards]
            for board in match.boards:
                fen = four_fields(board)
                if fen not in seen and len(seen) < GAME_POSITIONS:
                    seen.add(fen)
                    yield line(fen, board=board)[1]
            if not lists[index]:
                index = 1 - index
            if not lists[index]:
                break
            board = match.boards[index]
            weights = [bughouse_weight(board, move) for move in lists[index]]
            match.play(index, rng.choices(lists[index], weights)[0])
        progress(f"{len(seen)} of {GAME_POSITIONS} positions of games")
    progress_end()


def random_placement(rng, kings, sparse):
    """A board with few pieces, so that checks, pins, mates and stalemates are frequent."""
    board = chess.variant.CrazyhouseBoard(None)
    place_kings(rng, board, kings)
    if not sparse and rng.random() < 0.3:
        place_en_passant_pair(rng, board)
    for _ in range(rng.randrange(1, 6 if sparse else 14)):
        role = rng.choice(list(ROLES))
        square = rng.randrange(64)
        if board.piece_at(square) or (role == chess.PAWN and square // 8 in (0, 7)):
            continue
        promoted = role != chess.PAWN and rng.random() < 0.15
        board.set_piece_at(square, chess.Piece(role, rng.random() < 0.5), promoted)
    for color in chess.COLORS if not sparse else ():
        for _ in range(rng.choice((0, 0, 0, 1, 3))):
            board.pockets[color].add(rng.choice(list(ROLES)))
    return board


def placements(rng):
    seen = set()
    wanted_states = {"mate": 250, "blockable-check": 100, "stalemate": 150}
    while len(seen) < PLACEMENT_POSITIONS or any(count > 0 for count in wanted_states.values()):
        sparse = len(seen) >= PLACEMENT_POSITIONS
        kings = rng.sample(range(64), 2)
        if not sparse and rng.random() < 0.3:
            kings = [chess.E1, chess.E8]
        elif sparse or rng.random() < 0.3:
            kings[rng.randrange(2)] = rng.choice((chess.A1, chess.H1, chess.A8, chess.H8))
        if kings[0] == kings[1]:
            continue
        board = random_placement(rng, kings, sparse)
        add_special_rights(rng, board)
        # python-chess counts checkers against the last move; one check too many is all it may refuse.
        if board.status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK):
            continue
        fen = four_fields(board)
        if fen in seen:
            continue
        if sparse:
            # The last ones are sought among positions without a legal ply.
            if any(board.legal_moves):
                continue
        text = line(fen)[1]
        found = text.rstrip("\n").split("\t")[3]
        if sparse and wanted_states.get(found, 0) <= 0:
            continue
        wanted_states[found] = wanted_states.get(found, 0) - 1
        seen.add(fen)
        yield text
        progress(f"{len(seen)} placements")
    progress_end()


def swapped_games(rng):
    """Games from the set-up with both kings and queens swapped, without drops into the back ranks."""
    start = "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR[] w KQkq -"
    seen = set()
    castlings = 0
    while len(seen) < SWAPPED_POSITIONS:
        fen = start
        for _ in range(40):
            if fen not in seen and len(seen) < SWAPPED_POSITIONS:
                seen.add(fen)
                yield line(fen, "bughouse-swapped")[1]
            plies = legal(fen, "bughouse-swapped")
            if not plies:
                break
            castling = [ply for ply in plies if ply in ("d1b1", "d1f1", "d8b8", "d8f8")]
            if castling and rng.random() < 0.5:
                castlings += 1
                ply = rng.choice(castling)
            else:
                ply = rng.choice(plies)
            after = pyffish.get_fen("bughouse-swapped", fen + " 0 1", [ply])
            fen = " ".join(after.split(" ")[:4])
        progress(f"{len(seen)} positions with swapped set-up, {castlings} castlings")
    progress_end()


class Engine:
    """Debian's fairy-stockfish, asked for perft counts over UCI."""

    def __init__(self):
        path = shutil.which("fairy-stockfish") or "/usr/games/fairy-stockfish"
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        with tempfile.NamedTemporaryFile("w", suffix=".ini", delete=False) as file:
            file.write(SWAPPED_VARIANT)
        self.say("uci", f"setoption name VariantPath value {file.name}")

    def say(self, *lines):
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()

    def perft(self, variant, fen, depth):
        """Leaves of the tree of legal plies of one board; captured pieces leave the game."""
        self.say(
            f"setoption name UCI_Variant value {variant}", f"position fen {fen}", f"go perft {depth}"
        )
        for answer in self.process.stdout:
            if answer.startswith("Nodes searched:"):
                return int(answer.split(":")[1])
        sys.exit("fairy-stockfish has gone")


PERFT = [
    ("initial", "bughouse", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"),
    ("initial-with-knights", "bughouse", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Nn] w KQkq - 0 1"),
    ("all-roles", "bughouse", "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R[QRBNPqrbnp] w KQkq - 0 1"),
    ("castling-both-ways", "bughouse", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R[Pp] w KQkq - 0 1"),
    ("rooks-and-kings", "bughouse", "r3k2r/8/8/8/8/8/8/R3K2R[Bb] b KQkq - 0 1"),
    ("en-passant-and-pins", "bughouse", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8[Pp] w - - 0 1"),
    ("en-passant-at-once", "bughouse", "4k3/8/8/2pPp3/8/8/8/4K3[Nn] w - c6 0 1"),
    ("promotions", "bughouse", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N[Qq] b - - 0 1"),
    ("promoted-pieces", "bughouse", "r1Q~nk2r/pp3ppp/8/8/8/8/PPP2PPP/R3KR~1q~[Pn] w Qkq - 0 1"),
    ("in-check-from-afar", "bughouse", "4k3/8/8/4q3/8/8/3P1P2/3QKB2[NPR] w - - 0 1"),
    ("in-double-check", "bughouse", "4k3/8/8/8/1b2q3/8/3P1P2/3QKB1R[NPRq] w K - 0 1"),
    ("pawns-in-reserve", "bughouse", "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R[PPpp] w KQkq - 0 1"),
    ("late-with-everything", "bughouse", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1[QRBNPqrbnp] w - - 0 1"),
    ("endgame-with-rooks", "bughouse", "8/8/8/3k4/8/8/3PK3/8[RRrr] w - - 0 1"),
    ("swapped-set-up", "bughouse-swapped", "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR[Pp] w KQkq - 0 1"),
    ("swapped-castling", "bughouse-swapped", "r2k3r/pppp1ppp/8/8/8/8/PPPP1PPP/R2K3R[Nn] w KQkq - 0 1"),
]


def perft_file():
    engine = Engine()
    for name, variant, fen in PERFT:
        yield f"id {name}\nfen {fen}\n"
        for depth in itertools.count(1):
            progress(f"perft {name} {depth}   ")
            leaves = engine.perft(variant, fen, depth)
            if depth == 1 and leaves != len(pyffish.legal_moves(variant, fen, [])):
                sys.exit(f"fairy-stockfish and pyffish differ at {fen}")
            yield f"perft {depth} {leaves}\n"
            if leaves > PERFT_LEAVES_MAX:
                break
        yield "\n"
    progress_end()


def progress(text):
    if sys.stderr.isatty():
        print(f"\r{text}", end="", file=sys.stderr)


def progress_end():
    if sys.stderr.isatty():
        print(file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", metavar="FEN", help="print the legal plies of one position")
    parser.add_argument("--only", choices=["games", "placements", "swapped", "perft"])
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    arguments = parser.parse_args()
    if arguments.show:
        print(" ".join(legal(" ".join(arguments.show.split(" ")[:4]))))
        return
    makers = {
        "games": ("games.tsv", lambda: generated_games(random.Random(SEED))),
        "placements": ("placements.tsv", lambda: placements(random.Random(SEED + 1))),
        "swapped": ("swapped.tsv", lambda: swapped_games(random.Random(SEED + 2))),
        "perft": ("bughouse.perft", perft_file),
    }
    for name, (file, maker) in makers.items():
        if arguments.only in (None, name):
            (check if arguments.check else write)(file, "".join(maker()))


if __name__ == "__main__":
    main()
