#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes bughouse matches: fairy-stockfish against itself on both boards.

Every match depends on the seed and its number alone, so an interrupted run goes on with the first
file that is missing, and the same command makes the same files. Every ply is proposed by
fairy-stockfish and accepted by python-chess: two sets of rules. `--check` replays finished files.

    python3 sim/games/make_games.py --style online --count 10000 --per-file 250 --seed 7 --out FOLDER
    python3 sim/games/make_games.py --check sim/games

Needs fairy-stockfish (Debian package of that name) and chess 1.11.2.
"""

import argparse
import pathlib
import random
import sys
import textwrap

import game_files
import game_statistics
import match_play
import players
from uci_engine import Engine, find_engine

MIN_PLIES, MAX_PLIES = 40, 220
SEATS = {("A", "w"): "WA", ("A", "b"): "BA", ("B", "w"): "WB", ("B", "b"): "BB"}
TEAM_ONE = {"WA", "BB"}
GLUE = "\0"
"""Stands for the blank between a number and its move, where no line may break."""


def play_match(engine, seed, number, style):
    """Match `number` of `seed`; attempts that never end, or end at once, are thrown away."""
    for attempt in range(100):
        rng = random.Random(f"twinboard {seed} {number} {attempt}")
        play = match_play.MatchPlay(engine, rng, style)
        ending = play.run(MAX_PLIES)
        if ending is not None and len(play.events) >= MIN_PLIES:
            return play, ending
    raise RuntimeError(f"match {number} of seed {seed}: no attempt came to a plausible end")


def as_bpgn(play, ending, number, style, provenance):
    """One match in BPGN, ending with an empty line."""
    loser = SEATS[ending.board, ending.side]
    result = "0-1" if loser in TEAM_ONE else "1-0"
    tags = [
        ("Event", style.event),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", f"{number:03}"),
        *((f"{'White' if side == 'w' else 'Black'}{board}", SEATS[board, side])
          for board, side in SEATS),
        ("TimeControl", f"{play.base_ds // 10}+0"),
        ("Annotator", provenance),
        ("Result", result),
    ]
    words = []
    for event in play.events:
        letter = event.board if event.side == "w" else event.board.lower()
        clock = f"{event.clock_ds // 10}.{event.clock_ds % 10}"
        words.append(f"{event.number}{letter}.{GLUE}{event.san}{{{clock}}}")
    text = textwrap.fill(" ".join(words), 99, break_long_words=False, break_on_hyphens=False)
    text = text.replace(GLUE, " ")
    head = "\n".join(f'[{tag} "{value}"]' for tag, value in tags)
    return f"{head}\n\n{text}\n{{{loser} {ending.how}}} {result}\n\n"


def make(arguments):
    """Plays the files that are missing."""
    style = players.STYLES[arguments.style]
    engine = Engine(arguments.engine or find_engine(), style.candidates)
    provenance = f"{engine.name.split(' by ')[0]}, seed {arguments.seed}"

    def text_of(number):
        play, ending = play_match(engine, arguments.seed, number, style)
        return as_bpgn(play, ending, number, style, provenance)

    files = list(game_files.files_of(
        arguments.out, "engine-{:03}.bpgn", arguments.count, arguments.per_file))
    try:
        game_files.write_missing(files, text_of, "match")
    finally:
        engine.close()
    return [path for path, _ in files]


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=240, help="matches to make (240)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all matches (1)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder")
    parser.add_argument("--per-file", type=int, default=60, help="matches in a file (60)")
    parser.add_argument("--style", choices=players.STYLES, default="table",
                        help="who plays: children and club players at a table (default), or quick "
                        "players online")
    parser.add_argument("--engine", help="path of fairy-stockfish, if it is not found by itself")
    parser.add_argument("--check", type=pathlib.Path, nargs="+", metavar="PATH",
                        help="replay these files, or the .bpgn files of these folders, with "
                        "python-chess instead of making any")
    return parser.parse_args()


def main():
    """Makes or checks, then prints what the files hold."""
    arguments = parse_arguments()
    try:
        if arguments.check:
            files = game_files.named(arguments.check, "*.bpgn")
        else:
            files = make(arguments)
        print(game_statistics.summary(files))
    except (game_statistics.BadGame, RuntimeError, OSError) as error:
        sys.exit(f"make_games: {error}")
    except KeyboardInterrupt:
        sys.exit("make_games: interrupted; the same command goes on from here")


if __name__ == "__main__":
    main()
