#!/usr/bin/env python3
"""Makes the vectors of FIDE's tie-breaks that `rules::standings` is held against.

    python3 -m pip install gacrux==1.11.65
    python3 make_fide_standings.py           # rewrites fide_standings.jsonl
    python3 make_fide_standings.py --check   # compares it with what gacrux says now

Random Swiss events with byes, forfeits, withdrawals and late entrants come from a seed; `gacrux`, FIDE's tie-break checker
by other authors, calculates every value under the rules of August 2024. Kashdan, which FIDE does not have, is counted
here. The lines are those of `make_standings.py`, and each event has the ratings and the colours, too. `DE` is the rank
by score and direct encounter alone.
"""

import argparse
import json
import pathlib
import random
import sys
from decimal import Decimal

from gacrux.tiebreak import tiebreak as Gacrux

import make_standings

FILE = pathlib.Path(__file__).parent / "fide_standings.jsonl"
SEED = 2024
EVENTS = 500
NAMES = (
    "BH BH/C1 BH/C2 BH/M1 BH/M2 SB KS PS PS/C1 WIN WON BPG BWG REP ARO ARO/C1".split()
)
KASHDAN = {"W": 4, "D": 2, "L": 1}
# What the checker calls a round without an opponent.
BYES = {"B": "W", "H": "D", "U": "Z"}


def tournament(made, ratings, colours):
    points = {"W": Decimal("1.0"), "D": Decimal("0.5"), "L": Decimal("0.0"), "Z": Decimal("0.0")}
    meetings = []
    for number in made.numbers:
        for after, result in enumerate(made.results(number), 1):
            base = {"id": 0, "round": after, "rated": result.is_played()}
            if result.opponent is None:
                bye = {"cid": number, "result": BYES[result.letter]}
                meetings.append({**base, "played": False, "white": bye, "black": {"cid": 0}})
            elif number < result.opponent:
                other = made.rows[result.opponent][after - 1]
                sides = [(number, result), (result.opponent, other)]
                if colours[number - 1][after - 1] == "b":
                    sides.reverse()
                letters = [{"X": "W", "F": "Z"}.get(one.letter, one.letter) for _, one in sides]
                white, black = (
                    {"cid": cid, "result": letter} for (cid, _), letter in zip(sides, letters)
                )
                meetings.append({**base, "played": result.is_played(), "white": white, "black": black})
    competitors = [
        {"cid": number, "rank": number, "present": True, "rating": {"rating": rating}}
        for number, rating in zip(made.numbers, ratings)
    ]
    return {
        "tournamentNo": 1,
        "tournamentType": "Swiss",
        "tournamentInfo": {"startDate": "2024-09-01"},
        "numRounds": made.after_round,
        "currentRound": made.after_round,
        "teamTournament": False,
        "rankOrder": [],
        "scoreSystem": {"game": points, "match": points},
        "competitors": competitors,
        "gameList": meetings,
    }


def calculate(made, ratings, colours, names):
    params = {"tiebreak": list(names), "swiss": True, "check": False}
    one = tournament(made, ratings, colours)
    answer = Gacrux(one, made.after_round, params).compute_tiebreaks(one, params)
    by_number = {competitor["cid"]: competitor for competitor in answer["competitors"]}
    return [by_number[number] for number in made.numbers]


def expected(made, ratings, colours):
    values = {}
    for name in NAMES:
        rows = calculate(made, ratings, colours, [name])
        values[name] = [number_text(row["tiebreakScore"][0]) for row in rows]
    values["DE"] = [row["rank"] for row in calculate(made, ratings, colours, ["PTS", "DE"])]
    values["Kashdan"] = [sum(KASHDAN.get(one.letter, 0) for one in made.results(n)) for n in made.numbers]
    return values


def number_text(value):
    return None if value is None else int(value) if value == int(value) else float(value)


def colours_of(rng, made):
    rows = [["-"] * made.rounds for _ in made.numbers]
    for number in made.numbers:
        for at, result in enumerate(made.rows[number]):
            if result.opponent is not None and number < result.opponent:
                pair = rng.choice(("wb", "bw"))
                rows[number - 1][at], rows[result.opponent - 1][at] = pair
    return ["".join(row) for row in rows]


def lines():
    rng = random.Random(SEED)
    for _ in range(EVENTS):
        unplayed = rng.choice((0, 0.1, 0.3, 0.6))
        made = make_standings.section(rng, rng.randint(3, 8), rng.randint(3, 6), 1, "game-points", unplayed)
        made.after_round = made.rounds
        for row in made.rows.values():
            if any(result.letter == "*" for result in row):
                make_draws(made)
                break
        ratings = [rng.randint(100, 2400) for _ in made.numbers]
        colours = colours_of(rng, made)
        line = {
            "rounds": made.rounds,
            "chart": [" ".join(one.sign(1) for one in made.rows[n]) for n in made.numbers],
            "colours": colours,
            "ratings": ratings,
            "expected": expected(made, ratings, colours),
        }
        yield json.dumps(line, separators=(",", ":")) + "\n"


def make_draws(made):
    """Games that are not over are draws: standings of FIDE's are made after a round."""
    for row in made.rows.values():
        for at, result in enumerate(row):
            if result.letter == "*":
                row[at] = make_standings.Result("D", result.opponent, make_standings.HALF)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    made = "".join(lines())
    if not parser.parse_args().check:
        FILE.write_text(made, encoding="utf-8", newline="\n")
    elif made != FILE.read_text(encoding="utf-8"):
        sys.exit(f"{FILE.name} differs from what gacrux says now: run make_fide_standings.py and look at the difference")
    else:
        print(f"{FILE.name}: as gacrux says, {EVENTS} events")


if __name__ == "__main__":
    main()
