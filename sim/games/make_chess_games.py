#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes games of chess on one board: fairy-stockfish against itself, with clocks of all kinds.

Every game depends on the seed and its number alone, so an interrupted run goes on with the first file
that is missing, and the same command makes the same files. Every ply is proposed by fairy-stockfish
and accepted by python-chess: two sets of rules. `--check` replays finished files.

    python3 sim/games/make_chess_games.py --count 120 --seed 1 --out sim/games
    python3 sim/games/make_chess_games.py --check sim/games --complete

Needs fairy-stockfish (Debian package of that name) and chess 1.11.2.
"""

import argparse
import pathlib
import random
import sys

import chess_statistics
import game_files
from chess_pgn import as_pgn
from chess_play import CANDIDATES, ChessPlay, Ending
from chess_players import Inclination
from uci_engine import Engine, find_engine

MIN_PLIES, MAX_PLIES = 10, 420
MAX_ATTEMPTS = 5_000
CLUB = ("Engine C", "Engine D", "Engine E")
WEAK = ("Engine A", "Engine B", "Engine C")
EN_PASSANT = "en passant"
WANTED = (
    *2 * [(Ending.STALEMATE, Inclination(resigns=False, names=WEAK))],
    *3 * [(Ending.THREEFOLD_REPETITION, Inclination(repetition_cp=250, names=CLUB))],
    *1 * [(Ending.FIFTY_MOVE_RULE,
           Inclination(resigns=False, repetition_cp=-500, progress_cp=-400, names=CLUB))],
    *2 * [(Ending.INSUFFICIENT_MATERIAL, Inclination(resigns=False, capture_cp=100, names=WEAK))],
    *1 * [(Ending.AGREEMENT, Inclination(names=CLUB))],
    *3 * [(Ending.FLAG, Inclination())],
    *1 * [(Ending.FLAG_AGAINST_BARE_KING, Inclination(resigns=False, names=WEAK))],
    *4 * [(Ending.CHECKMATE, Inclination(resigns=False))],
    *21 * [(None, Inclination())],
    *2 * [(EN_PASSANT, Inclination())],
)
"""Of every 40 games so many are such, because what is rare is what tests need; None: as it comes."""


def play_game(engine, seed, number):
    """Game `number` of `seed`; attempts that never end, or are not what is wanted, are thrown away."""
    wanted, inclination = WANTED[number * 7 % len(WANTED)]  # 7 and 40: mixed, and each once.
    for attempt in range(MAX_ATTEMPTS):
        rng = random.Random(f"twinboard chess {seed} {number} {attempt}")
        play = ChessPlay(engine, rng, inclination)
        ending = play.run(MAX_PLIES)
        if ending is None or len(play.plies) < MIN_PLIES:
            continue
        if wanted in (None, ending) or wanted == EN_PASSANT and play.has_en_passant:
            return play, ending
    raise RuntimeError(f"game {number} of seed {seed}: no attempt has {wanted}")


def tags_of(play, ending, number, provenance):
    """The tags of a game in the order in which they stand in the file."""
    control, delay = play.control_tags
    return {
        "Event": "Twinboard engine games",
        "Site": "?",
        "Date": "????.??.??",
        "Round": f"{number:03}",
        "White": play.white.name,
        "Black": play.black.name,
        "Result": ending.result(play.board.turn),
        "TimeControl": control,
        **({} if delay is None else {"Delay": delay}),
        "Termination": "time forfeit" if ending.is_on_time else "normal",
        "Ending": ending.value,
        "Annotator": provenance,
    }


def make(arguments):
    """Plays the files that are missing."""
    engine = Engine(arguments.engine or find_engine(), CANDIDATES, "chess")
    provenance = f"{engine.name.split(' by ')[0]}, seed {arguments.seed}"

    def text_of(number):
        play, ending = play_game(engine, arguments.seed, number)
        return as_pgn(tags_of(play, ending, number, provenance), play.plies)

    files = list(game_files.files_of(
        arguments.out, "chess-{:03}.pgn", arguments.count, arguments.per_file))
    try:
        game_files.write_missing(files, text_of, "game")
    finally:
        engine.close()
    return [path for path, _ in files]


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=120, help="games to make (120)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all games (1)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder")
    parser.add_argument("--per-file", type=int, default=40, help="games in a file (40)")
    parser.add_argument("--engine", help="path of fairy-stockfish, if it is not found by itself")
    parser.add_argument("--check", type=pathlib.Path, nargs="+", metavar="PATH",
                        help="replay these files, or the chess-*.pgn files of these folders, with "
                        "python-chess instead of making any")
    parser.add_argument("--complete", action="store_true",
                        help="fail too if an ending, a kind of clock or a kind of ply is too rare")
    return parser.parse_args()


def main():
    """Makes or checks, then prints what the files hold."""
    arguments = parse_arguments()
    try:
        if arguments.check:
            files = game_files.named(arguments.check, "chess-*.pgn")
        else:
            files = make(arguments)
        counts = chess_statistics.count(files)
    except (chess_statistics.BadGame, RuntimeError, OSError) as error:
        sys.exit(f"make_chess_games: {error}")
    except KeyboardInterrupt:
        sys.exit("make_chess_games: interrupted; the same command goes on from here")
    print(counts)
    if arguments.complete and counts.missing():
        sys.exit("make_chess_games: too few: " + "; ".join(counts.missing()))


if __name__ == "__main__":
    main()
