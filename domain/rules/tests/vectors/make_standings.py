#!/usr/bin/env python3
"""Makes the vectors that `rules::standings` is held against.

    python3 -m pip install gacrux==1.11.65
    python3 make_standings.py           # rewrites standings.jsonl
    python3 make_standings.py --check   # compares it with what the oracles say now

Sections of random Swiss events come from a seed. Their tie-breaks are computed twice. `gacrux` is FIDE's tie-break
checker. It answers where every game was played, because there FIDE's and US Chess's definitions agree: Buchholz is
Solkoff, Buchholz Median is Median, progressive score is Cumulative, and Sonneborn-Berger extended to game points times
match points is US Amateur Team. The script stops where it differs from the calculation below, which is written from
the definitions, with fractions and without regard for speed. Rounds without play, which FIDE treats differently, rest
on that calculation alone.

A line of the file is one section: `chart` has a row for each entrant and in it a sign for each round, as on a wall
chart: `W6`, `L2`, `D5` played; `X4`, `F4` forfeited; `B`, `H`, `U` without an opponent; `*3` not over. Where a round
has several games the entrant's game points follow: `W6,2.5`. `expected` has the score, the rank and each tie-break,
in points, for each entrant after `after_round`.
"""

import argparse
import json
import pathlib
import random
import sys
from decimal import Decimal
from fractions import Fraction

from gacrux.tiebreak import tiebreak as Gacrux

HERE = pathlib.Path(__file__).parent
FILE = "standings.jsonl"
SEED = 34
# How many sections of each sort: with every game played, with all that can happen, of teams, of two games a round.
PLAYED_SECTIONS = 130
MIXED_SECTIONS = 260
TEAM_SECTIONS = 75
DOUBLE_SECTIONS = 35
HALF = Fraction(1, 2)


class Result:
    """What one entrant did in one round."""

    def __init__(self, letter, opponent=None, points=Fraction(0)):
        self.letter = letter
        self.opponent = opponent
        self.points = points

    def is_played(self):
        return self.letter in "WDL"

    def match_points(self):
        return {"W": 1, "X": 1, "B": 1, "D": HALF, "H": HALF}.get(self.letter, 0)

    def sign(self, games):
        if self.opponent is None:
            return self.letter
        points = f",{float(self.points):g}" if games > 1 and self.letter != "*" else ""
        return f"{self.letter}{self.opponent}{points}"


class Section:
    """A section: `rows[number]` are the results of the entrant with that number, from 1."""

    def __init__(self, entrants, rounds, games, scoring):
        self.numbers = range(1, entrants + 1)
        self.rounds = rounds
        self.games = games
        self.scoring = scoring
        self.after_round = rounds
        self.rows = {number: [] for number in self.numbers}

    def points(self, result):
        return result.match_points() if self.scoring == "match-points" else result.points

    def maximum(self):
        return 1 if self.scoring == "match-points" else self.games

    def results(self, number):
        return self.rows[number][: self.after_round]

    def score(self, number):
        return sum((self.points(result) for result in self.results(number)), Fraction(0))

    # The definitions. In each, `number` is the entrant whose value is asked for.

    def adjusted(self, number):
        """Games played as they went, all other rounds as half of what a round gives."""
        half = Fraction(self.maximum(), 2)
        return sum(
            (self.points(result) if result.is_played() else half for result in self.results(number)),
            Fraction(0),
        )

    def opposition(self, number):
        """The opponents' adjusted scores; a round without play counts as an opponent with none."""
        return sorted(
            self.adjusted(result.opponent) if result.is_played() else Fraction(0)
            for result in self.results(number)
        )

    def without(self, number, lowest, highest):
        scores = self.opposition(number)
        scores = scores[min(lowest, len(scores)):]
        return sum(scores[: max(0, len(scores) - highest)], Fraction(0))

    def solkoff(self, number):
        return self.without(number, 0, 0)

    def discards(self):
        return 2 if self.after_round >= 9 else 1

    def median(self, number):
        return self.without(number, self.discards(), self.discards())

    def modified_median(self, number):
        even = Fraction(self.after_round * self.maximum(), 2)
        score = self.score(number)
        lowest = self.discards() if score >= even else 0
        highest = self.discards() if score <= even else 0
        return self.without(number, lowest, highest)

    def cumulative(self, number):
        total = Fraction(0)
        for after in range(1, self.after_round + 1):
            total += sum(self.points(result) for result in self.rows[number][:after])
        return total - sum(self.points(result) for result in self.results(number) if not result.is_played())

    def played(self, number):
        return [result for result in self.results(number) if result.is_played()]

    def cumulative_of_opposition(self, number):
        return sum((self.cumulative(result.opponent) for result in self.played(number)), Fraction(0))

    def sonneborn_berger(self, number):
        return sum(
            (self.points(result) * self.score(result.opponent) for result in self.played(number)), Fraction(0)
        )

    def us_amateur_team(self, number):
        return sum((result.points * self.score(result.opponent) for result in self.played(number)), Fraction(0))

    def game_match_points(self, number):
        other = (lambda result: result.points) if self.scoring == "match-points" else Result.match_points
        return sum((other(result) for result in self.results(number)), Fraction(0))

    def ranks(self):
        """By score, then in the order that US Chess recommends; equal entrants share the best rank."""
        order = [self.score, self.modified_median, self.solkoff, self.cumulative, self.cumulative_of_opposition]
        keys = {number: [value(number) for value in order] for number in self.numbers}
        return [1 + sum(keys[other] > keys[number] for other in self.numbers) for number in self.numbers]

    def expected(self):
        columns = {
            "score": self.score,
            "modified-median": self.modified_median,
            "solkoff": self.solkoff,
            "cumulative": self.cumulative,
            "cumulative-of-opposition": self.cumulative_of_opposition,
            "median": self.median,
            "sonneborn-berger": self.sonneborn_berger,
            "us-amateur-team": self.us_amateur_team,
            "game-match-points": self.game_match_points,
        }
        values = {name: [number_text(of(number)) for number in self.numbers] for name, of in columns.items()}
        return {"rank": self.ranks(), **values}

    def line(self):
        fields = {
            "rounds": self.rounds,
            "games_per_round": self.games,
            "scoring": self.scoring,
            "after_round": self.after_round,
            "chart": [" ".join(result.sign(self.games) for result in self.rows[n]) for n in self.numbers],
            "expected": self.expected(),
        }
        return json.dumps(fields, separators=(",", ":")) + "\n"


def number_text(value):
    """Quarters are exact as floating-point numbers."""
    assert value.denominator in (1, 2, 4), value
    return int(value) if value.denominator == 1 else float(value)


def points_of_games(rng, games, strength):
    """The first side's points of a number of games."""
    return sum(
        (rng.choices((Fraction(1), HALF, Fraction(0)), (2 + strength, 1.5, 2 - strength))[0] for _ in range(games)),
        Fraction(0),
    )


def pair(rng, section, free):
    """Pairs within the score, away from earlier opponents where that is easy. Leaves one over when they are odd."""
    met = {n: {result.opponent for result in section.rows[n]} for n in free}
    score = {n: sum(section.points(result) for result in section.rows[n]) for n in free}
    waiting = sorted(free, key=lambda n: (-score[n], rng.random()))
    pairs = []
    while len(waiting) > 1:
        first = waiting.pop(0)
        second = next((n for n in waiting if n not in met[first]), waiting[0])
        waiting.remove(second)
        pairs.append((first, second))
    return pairs, waiting


def play(rng, section, first, second, unplayed):
    """Reports of one meeting: played, or one of the things that happen instead."""
    games = section.games
    chance = rng.random()
    if chance < unplayed * 0.5:
        reports = Result("X", second, Fraction(games)), Result("F", first)
    elif chance < unplayed * 0.75:
        reports = Result("F", second), Result("F", first)
    elif chance < unplayed and len(section.rows[first]) == section.rounds - 1:
        reports = Result("*", second), Result("*", first)
    else:
        won = points_of_games(rng, games, (second - first) / len(section.numbers))
        lost = games - won
        letters = "DD" if won == lost else "WL" if won > lost else "LW"
        reports = Result(letters[0], second, won), Result(letters[1], first, lost)
    for number, report in zip((first, second), reports):
        section.rows[number].append(report)


def section(rng, entrants, rounds, games, scoring, unplayed):
    """A section in which so great a share of the rounds goes without play."""
    made = Section(entrants, rounds, games, scoring)
    gone = set()
    for _ in range(rounds):
        free = []
        for number in made.numbers:
            if number in gone:
                made.rows[number].append(Result("U"))
            elif rng.random() < unplayed * 0.6:
                letter = rng.choice("HHHUU")
                made.rows[number].append(Result(letter, None, Fraction(games, 2) if letter == "H" else Fraction(0)))
                if rng.random() < 0.25:
                    gone.add(number)
            else:
                free.append(number)
        pairs, left_over = pair(rng, made, free)
        for number in left_over:
            made.rows[number].append(Result("B", None, Fraction(games)))
        for first, second in pairs:
            play(rng, made, first, second, unplayed)
    if rng.random() < 0.3:
        made.after_round = rng.randint(1, rounds)
    return made


def gacrux_values(tournament, rounds, tie_breaks):
    """What FIDE's checker says of a tournament: for each tie-break the values of the entrants by number."""
    params = {"tiebreak": list(tie_breaks), "swiss": True, "check": False}
    answer = Gacrux(tournament, rounds, params).compute_tiebreaks(tournament, params)
    scores = {competitor["cid"]: competitor["tiebreakScore"] for competitor in answer["competitors"]}
    return [[Fraction(scores[number][at]) for number in sorted(scores)] for at in range(len(tie_breaks))]


def gacrux_tournament(made):
    """A section of players whose games were all played, as the checker reads it."""
    points = {"W": Decimal("1.0"), "D": Decimal("0.5"), "L": Decimal("0.0"), "Z": Decimal("0.0")}
    return {
        "tournamentNo": 1,
        "tournamentType": "Swiss",
        "numRounds": made.after_round,
        "currentRound": made.after_round,
        "teamTournament": False,
        "rankOrder": [],
        "scoreSystem": {"game": points, "match": points},
        "competitors": [{"cid": number, "rank": number, "present": True} for number in made.numbers],
        "gameList": [
            gacrux_meeting(after, number, result.letter, result.opponent)
            for number in made.numbers
            for after, result in enumerate(made.results(number), 1)
            if number < result.opponent
        ],
    }


def gacrux_meeting(after, first, letter, second):
    return {
        "id": 0,
        "round": after,
        "played": True,
        "rated": True,
        "white": {"cid": first, "result": letter},
        "black": {"cid": second, "result": {"W": "L", "D": "D", "L": "W"}[letter]},
    }


def gacrux_team_tournament(made):
    """A section of teams whose games were all played, as the checker reads it: players and single games too."""
    tournament = gacrux_tournament(made)
    matches, games = tournament["gameList"], []
    for match in matches:
        first, second = match["white"]["cid"], match["black"]["cid"]
        won = made.rows[first][match["round"] - 1].points
        match["games"] = []
        for board in range(1, made.games + 1):
            letter = "W" if won >= 1 else "D" if won == HALF else "L"
            won -= {"W": 1, "D": HALF, "L": 0}[letter]
            game = gacrux_meeting(match["round"], first * 100 + board, letter, second * 100 + board)
            games.append({**game, "id": len(games) + 1, "board": board})
            match["games"].append(len(games))
    teams = [
        {
            **team,
            "teamId": team["cid"],
            "cplayers": [
                {"cid": team["cid"] * 100 + board, "teamId": team["cid"]} for board in range(1, made.games + 1)
            ],
        }
        for team in tournament["competitors"]
    ]
    parts = {"teamTournament": True, "teamSize": made.games, "competitors": teams}
    return {**tournament, **parts, "matchList": matches, "gameList": games}


def compare_teams_with_gacrux(made):
    names = ("MPTS", "GPTS", "BH", "EMGSB", "EMMSB")
    match_points, game_points, all_scores, us_amateur_team, sonneborn_berger = gacrux_values(
        gacrux_team_tournament(made), made.after_round, names
    )
    require_equal(
        made,
        {
            "score": (made.score, match_points),
            "Game/Match Points": (made.game_match_points, game_points),
            "Solkoff": (made.solkoff, all_scores),
            "US Amateur Team": (made.us_amateur_team, us_amateur_team),
            "Sonneborn-Berger": (made.sonneborn_berger, sonneborn_berger),
        },
    )


def require_equal(made, ours_and_theirs):
    for name, (ours, theirs) in ours_and_theirs.items():
        ours = [ours(number) for number in made.numbers]
        if ours != theirs:
            sys.exit(f"the oracles differ in {name}:\n{ours}\n{theirs}\n{made.line()}")


def compare_with_gacrux(made):
    cut = made.discards()
    names = ("PTS", "BH", f"BH/C{cut}", f"BH/M{cut}", "PS", "SB")
    score, all_scores, cut_low, cut_both, progressive, sonneborn_berger = gacrux_values(
        gacrux_tournament(made), made.after_round, names
    )
    even = Fraction(made.after_round, 2)
    of_opposition = [
        sum(progressive[result.opponent - 1] for result in made.results(number)) for number in made.numbers
    ]
    modified = []
    for at in range(len(score)):
        # FIDE never cuts the highest alone: it is what the other two cuts differ by.
        without_highest = all_scores[at] - (cut_low[at] - cut_both[at])
        modified.append(
            cut_low[at] if score[at] > even else without_highest if score[at] < even else cut_both[at]
        )
    require_equal(
        made,
        {
            "score": (made.score, score),
            "Solkoff": (made.solkoff, all_scores),
            "Median": (made.median, cut_both),
            "Modified Median": (made.modified_median, modified),
            "Cumulative": (made.cumulative, progressive),
            "Cumulative of Opposition": (made.cumulative_of_opposition, of_opposition),
            "Sonneborn-Berger": (made.sonneborn_berger, sonneborn_berger),
        },
    )


def lines():
    rng = random.Random(SEED)
    for _ in range(PLAYED_SECTIONS):
        # Cuts of both ends need more rounds than they cut.
        rounds = rng.randint(3, 11)
        made = section(rng, 2 * rng.randint(4, 9), rounds, 1, "game-points", 0)
        made.after_round = max(made.after_round, 3)
        compare_with_gacrux(made)
        yield made.line()
    for _ in range(MIXED_SECTIONS):
        unplayed = rng.choice((0.05, 0.15, 0.4))
        yield section(rng, rng.randint(2, 16), rng.randint(1, 11), 1, "game-points", unplayed).line()
    for _ in range(TEAM_SECTIONS):
        games = rng.choice((2, 3, 4))
        unplayed = rng.choice((0, 0.1, 0.3))
        made = section(rng, 2 * rng.randint(2, 7), rng.randint(3, 9), games, "match-points", unplayed)
        if unplayed == 0:
            compare_teams_with_gacrux(made)
        yield made.line()
    for _ in range(DOUBLE_SECTIONS):
        yield section(rng, rng.randint(4, 12), rng.randint(3, 9), 2, "game-points", 0.15).line()


def check(made):
    if made != (HERE / FILE).read_text(encoding="utf-8"):
        sys.exit(f"{FILE} differs from what the oracles say now: run make_standings.py and look at the difference")
    print(f"{FILE}: as the oracles say, {made.count(chr(10))} sections")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    arguments = parser.parse_args()
    made = "".join(lines())
    if arguments.check:
        check(made)
    else:
        (HERE / FILE).write_text(made, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
