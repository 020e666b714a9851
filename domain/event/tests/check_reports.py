#!/usr/bin/env python3
"""Checks tournament reports against another program's reader: gacrux, FIDE's checker of pairings and tie-breaks.

    python3 -m pip install gacrux==1.11.65
    python3 check_reports.py

Random events of `fide_standings.jsonl` are written as TRF16 and TRF26 by the example `reports`. gacrux reads each and
calculates score, tie-breaks and ranks, which must be those of the event; then it writes a TRF26 of its own, whose
standings must be the same again when they are read here.
"""

import itertools
import json
import pathlib
import subprocess
import sys
from decimal import Decimal

from gacrux.tiebreak import tiebreak as Gacrux
from gacrux.trf2json import trf2json

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parents[1] / "rules/tests/vectors/fide_standings.jsonl"
# Every such event of the file.
STEP = 10


def example(arguments, lines):
    command = ["cargo", "run", "--quiet", "--package", "event", "--example", "reports", "--", *arguments]
    run = subprocess.run(command, input="".join(lines), stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def by_gacrux(text, codes):
    """Score, rank and values of each entrant, and the report as gacrux writes it."""
    reader = trf2json()
    reader.parse_file(text, 0)
    if reader.get_status() not in (0, 200):
        sys.exit(f"gacrux refuses a report: {reader.chessjson}\n{text}")
    # Written first: calculating changes what was read.
    again = trf2json().output_file(reader.chessjson["event"], 1, 0)
    tournament = reader.get_tournament(1)
    params = {"tiebreak": ["PTS", *codes], "swiss": True, "check": False}
    answer = Gacrux(tournament, tournament["numRounds"], params).compute_tiebreaks(tournament, params)
    rows = sorted(answer["competitors"], key=lambda row: row["cid"])
    rows = [
        {
            "rank": row["rank"],
            "score": float(row["tiebreakScore"][0]),
            "values": [None if value is None else float(value) for value in row["tiebreakScore"][1:]],
        }
        for row in rows
    ]
    return rows, again


def require_equal(name, ours, theirs, codes, text):
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
        # The value of a direct encounter is a place there and points here; its effect is in the rank.
        keep = [code != "DE" for code in codes]
        one = {**one, "values": list(itertools.compress(one["values"], keep))}
        other = {**other, "values": list(itertools.compress(other["values"], keep))}
        if one != other:
            sys.exit(f"{name}: number {number} differs:\n{one}\n{other}\n{text}")


def main():
    lines = VECTORS.read_text(encoding="utf-8").splitlines(keepends=True)[::STEP]
    written = example([], lines)
    rewritten = []
    for event in written:
        codes = event["standings"]["codes"]
        for version in ("trf16", "trf26"):
            rows, again = by_gacrux(event[version], codes)
            require_equal(version, event["standings"]["rows"], rows, codes, event[version])
        rewritten.append(again)
    # gacrux leaves out rounds at the end that nobody played.
    rounds = [json.loads(line)["rounds"] for line in lines]
    whole = [(event, again) for event, again, count in zip(written, rewritten, rounds) if has_rounds(again, count)]
    if len(whole) * 2 < len(written):
        sys.exit(f"gacrux wrote the rounds of {len(whole)} events only")
    for (event, again), read in zip(whole, example(["read"], [json.dumps(again) + "\n" for _, again in whole])):
        require_equal("read again", event["standings"]["rows"], read["standings"]["rows"], event["standings"]["codes"], again)
    print(
        f"{len(written)} events: TRF16 and TRF26 are read by gacrux with the same standings, "
        f"and so are the {len(whole)} that it writes whole, here"
    )


def has_rounds(report, count):
    """Whether every player's line goes to the result of the last round."""
    return all(len(line) >= 89 + 10 * count for line in report.splitlines() if line.startswith("001"))


if __name__ == "__main__":
    main()
