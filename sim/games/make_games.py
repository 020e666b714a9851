#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the bughouse matches this project ships: fairy-stockfish against itself on both boards.

Every match depends on the seed and its number alone, so an interrupted run goes on where it
stopped, and the same command makes the same files. `--check` replays finished files with
python-chess, which had no part in making them.

    python3 sim/games/make_games.py --count 240 --seed 1 --out sim/games
    python3 sim/games/make_games.py --check sim/games

Needs fairy-stockfish (Debian package of that name) and pyffish 0.0.90; `--check` needs chess 1.11.2.
"""

import argparse
import pathlib
import random
import re
import sys
import textwrap
import time

MATCHES_PER_FILE = 60
MIN_PLIES, MAX_PLIES = 40, 220
SEATS = {("A", "w"): "WA", ("A", "b"): "BA", ("B", "w"): "WB", ("B", "b"): "BB"}
TEAM_ONE = {"WA", "BB"}
GLUE = "\0"
"""Stands for the blank between a number and its move, where no line may break."""
ROUND_TAG = re.compile(r'^\[Round "(\d+)"\]$', re.MULTILINE)


def play_match(engine, seed, number, nodes):
    """Match `number` of `seed`; attempts that never end, or end at once, are thrown away."""
    import match_play

    for attempt in range(100):
        rng = random.Random(f"twinboard {seed} {number} {attempt}")
        play = match_play.MatchPlay(engine, rng, nodes)
        ending = play.run(MAX_PLIES)
        if ending is not None and len(play.events) >= MIN_PLIES:
            return play.events, ending
    raise RuntimeError(f"match {number} of seed {seed}: no attempt came to a plausible end")


def as_bpgn(events, ending, number, provenance):
    """One match in BPGN, ending with an empty line."""
    loser = SEATS[ending.board, ending.side]
    result = "0-1" if loser in TEAM_ONE else "1-0"
    tags = [
        ("Event", "Twinboard engine games"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", f"{number:03}"),
        *((f"{'White' if side == 'w' else 'Black'}{board}", SEATS[board, side])
          for board, side in SEATS),
        ("TimeControl", "300+0"),
        ("Annotator", provenance),
        ("Result", result),
    ]
    words = []
    for event in events:
        letter = event.board if event.side == "w" else event.board.lower()
        clock = f"{event.clock_ds // 10}.{event.clock_ds % 10}"
        words.append(f"{event.number}{letter}.{GLUE}{event.san}{{{clock}}}")
    text = textwrap.fill(" ".join(words), 99, break_long_words=False, break_on_hyphens=False)
    text = text.replace(GLUE, " ")
    head = "\n".join(f'[{tag} "{value}"]' for tag, value in tags)
    return f"{head}\n\n{text}\n{{{loser} {ending.how}}} {result}\n\n"


def files_of(out, count):
    """The files and the match numbers in each."""
    for first in range(1, count + 1, MATCHES_PER_FILE):
        path = out / f"engine-{first // MATCHES_PER_FILE + 1:03}.bpgn"
        yield path, range(first, min(first + MATCHES_PER_FILE, count + 1))


def make(arguments):
    """Plays what is missing; a file always holds whole matches."""
    from uci_engine import Engine, find_engine

    engine = Engine(arguments.engine or find_engine(), candidates=6)
    provenance = f"{engine.name.split(' by ')[0]}, seed {arguments.seed}"
    arguments.out.mkdir(parents=True, exist_ok=True)
    began, played = time.monotonic(), 0
    try:
        for path, numbers in files_of(arguments.out, arguments.count):
            text = path.read_text("ascii") if path.exists() else ""
            have = {int(number) for number in ROUND_TAG.findall(text)}
            for number in numbers:
                if number in have:
                    continue
                events, ending = play_match(engine, arguments.seed, number, arguments.nodes)
                text += as_bpgn(events, ending, number, provenance)
                whole = path.with_suffix(".part")
                whole.write_text(text, "ascii")
                whole.replace(path)
                played += 1
                rate = played / (time.monotonic() - began)
                print(f"match {number} of {arguments.count}: {len(events)} plies, {ending.how}; "
                      f"{60 * rate:.1f} matches a minute", file=sys.stderr, flush=True)
    finally:
        engine.close()
    return [path for path, _ in files_of(arguments.out, arguments.count)]


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=240, help="matches to make (240)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all matches (1)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder")
    parser.add_argument("--nodes", type=int, nargs=2, default=(200, 3000), metavar=("MIN", "MAX"),
                        help="range of the players' search limits (200 3000)")
    parser.add_argument("--engine", help="path of fairy-stockfish, if it is not found by itself")
    parser.add_argument("--check", type=pathlib.Path, nargs="+", metavar="PATH",
                        help="replay these files, or the .bpgn files of these folders, with "
                        "python-chess instead of making any")
    return parser.parse_args()


def main():
    """Makes or checks, then prints what the files hold."""
    arguments = parse_arguments()
    import game_statistics

    try:
        if arguments.check:
            files = [file for path in arguments.check
                     for file in (sorted(path.glob("*.bpgn")) if path.is_dir() else [path])]
        else:
            files = make(arguments)
        print(game_statistics.summary(files))
    except (game_statistics.BadGame, RuntimeError, OSError) as error:
        sys.exit(f"make_games: {error}")
    except KeyboardInterrupt:
        sys.exit("make_games: interrupted; the same command goes on from here")


if __name__ == "__main__":
    main()
