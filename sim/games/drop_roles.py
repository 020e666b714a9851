#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What players drop, given what they hold: what a prior on drop types can be worth, and its weights.

Reads BPGN files, takes every drop with the reserve it was made from, and fits a conditional logit

    P(role | held, square, position) = exp(w[role]) / sum of exp(w[held]) over held roles

where w[role] is a sum of weights: of the role; of the role on that rank or square (as the dropping
player sees the board); of a check given by it; of the value of what it would attack. Weights are
drawn towards zero, more where there is less to learn from. Each line printed adds one of them and says
how often the likeliest role was the right one in matches that were not learnt from. The reserve is
taken as known, which it is not for a tracker: its figures will be lower.

    python3 sim/games/drop_roles.py --learn sim/games/engine-*.bpgn --test FILE.bpgn

Without `--test`, every third match is held back.
"""

import argparse
import collections
import math
import pathlib
import sys

import chess

import game_statistics

ROLES = {"P": chess.PAWN, "N": chess.KNIGHT, "B": chess.BISHOP, "R": chess.ROOK, "Q": chess.QUEEN}
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
STEPS = 200
STEP_SIZE = 0.5
PULL = {"role": 0.5, "rank": 2.0, "square": 4.0, "check": 1.0, "attack": 2.0}
"""How strongly weights of each kind are drawn towards zero."""
MODELS = {
    "uniform": (),
    "roles": ("role",),
    "ranks": ("role", "rank"),
    "squares": ("role", "rank", "square"),
    "checks": ("role", "rank", "check"),
    "attacks": ("role", "rank", "check", "attack"),
}

Drop = collections.namedtuple("Drop", "role features")
"""The dropped role, and for each role held the keys of its weights by kind."""


def drops_of(paths):
    """A list of drops for each match."""
    for path in paths:
        for tags, moves in game_statistics.matches_of(path):
            drops = []
            try:
                for boards, name, move in game_statistics.replay(moves):
                    if move.drop is not None:
                        drops.append(_drop(boards[name], move))
            except ValueError as error:
                print(f"{path}, {tags.get('Event')}: {error}: the rest is left out", file=sys.stderr)
            yield drops


def _drop(board, move):
    square = move.to_square
    seen = square if board.turn == chess.WHITE else chess.square_mirror(square)
    features = {}
    for letter, role in ROLES.items():
        on_last_rank = chess.square_rank(square) in (0, 7)
        if not board.pockets[board.turn].count(role) or (role == chess.PAWN and on_last_rank):
            continue
        after = chess.BaseBoard(board.board_fen(promoted=False))
        after.set_piece_at(square, chess.Piece(role, board.turn))
        victims = [after.piece_type_at(each) for each in after.attacks(square)
                   if after.color_at(each) == (not board.turn)]
        attacked = sum(VALUES.get(victim, 0) for victim in victims)
        features[letter] = {
            "role": letter,
            "rank": (letter, chess.square_rank(seen)),
            "square": (letter, seen),
            "check": (letter, chess.KING in victims),
            "attack": (letter, min(attacked // 3, 3)),
        }
    return Drop(chess.piece_symbol(move.drop).upper(), features)


def probabilities(weights, drop, kinds):
    """P(role) of the roles held."""
    scores = {
        role: math.exp(sum(weights.get((kind, keys[kind]), 0.0) for kind in kinds))
        for role, keys in drop.features.items()
    }
    total = sum(scores.values())
    return {role: score / total for role, score in scores.items()}


def learn(drops, kinds):
    """Weights by gradient ascent on the penalised likelihood, with a step per weight (AdaGrad)."""
    weights, squared = {}, collections.Counter()
    for _ in range(STEPS if kinds else 0):
        slope = collections.Counter({key: -PULL[key[0]] * weights[key] for key in weights})
        for drop in drops:
            for role, p in probabilities(weights, drop, kinds).items():
                for kind in kinds:
                    slope[kind, drop.features[role][kind]] += (role == drop.role) - p
        for key, value in slope.items():
            squared[key] += value * value
            step = STEP_SIZE * value / math.sqrt(squared[key] + 1e-9)
            weights[key] = weights.get(key, 0.0) + step
    return weights


def judged(drops, weights, kinds):
    """Share of drops whose likeliest role was right, and mean log-likelihood."""
    right, log_likelihood = 0.0, 0.0
    for drop in drops:
        p = probabilities(weights, drop, kinds)
        best = max(p.values())
        likeliest = [role for role in p if p[role] > best - 1e-12]
        right += (drop.role in likeliest) / len(likeliest)
        log_likelihood += math.log(p[drop.role])
    return right / len(drops), log_likelihood / len(drops)


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--learn", type=pathlib.Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--test", type=pathlib.Path, nargs="+", metavar="FILE")
    parser.add_argument("--weights", choices=MODELS, help="print the weights of this model")
    return parser.parse_args()


def main():
    """Learns, judges, prints."""
    arguments = parse_arguments()
    learnt = list(drops_of(arguments.learn))
    if arguments.test:
        tested = list(drops_of(arguments.test))
    else:
        learnt, tested = [each for index, each in enumerate(learnt) if index % 3], learnt[::3]
    known, new = ([drop for match in part for drop in match] for part in (learnt, tested))
    if not known or not new:
        sys.exit("drop_roles: no drops to learn from, or none to test on")
    open_ones = [drop for drop in new if len(drop.features) > 1]
    print(f"learnt from {len(learnt)} matches, {len(known)} drops; tested on {len(tested)} others, "
          f"{len(new)} drops, {len(open_ones)} of them with a choice of role")
    for name, kinds in MODELS.items():
        weights = learn(known, kinds)
        right, log_likelihood = judged(new, weights, kinds)
        chosen, _ = judged(open_ones, weights, kinds)
        print(f"{name:8} right {right:5.1%}, where there was a choice {chosen:5.1%}, "
              f"log-likelihood {log_likelihood:.3f}", flush=True)
        if name == arguments.weights:
            print_tables(weights, kinds)


def print_tables(weights, kinds):
    """Weights as arrays: a row for each role (pawn, knight, bishop, rook, queen), in it ranks or
    squares from the dropping player's first, check no and yes, value attacked 0, 3, 6, 9 and more."""
    ways = {"rank": range(8), "square": range(64), "check": (False, True), "attack": range(4)}
    for kind in kinds:
        print(f"  {kind}: [")
        for role in ROLES:
            keys = [role] if kind == "role" else [(role, way) for way in ways[kind]]
            row = ", ".join(f"{weights.get((kind, key), 0.0):.3f}" for key in keys)
            print(f"    [{row}],")
        print("  ]")


if __name__ == "__main__":
    main()
