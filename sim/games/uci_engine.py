# SPDX-License-Identifier: GPL-3.0-or-later
"""One fairy-stockfish process spoken to over UCI.

Only what a game needs: a position in, the engine's few best moves with their scores out. A node
limit and a single thread make its answers repeatable.
"""

import dataclasses
import os
import re
import select
import shutil
import subprocess

MATE_SCORE_CP = 10_000
ANSWER_TIMEOUT_S = 60
READ_BYTES = 1 << 16
MAX_ANSWER_BYTES = 1 << 24
DEBIAN_PATH = "/usr/games/fairy-stockfish"
CANDIDATE = re.compile(rb" multipv (\d+) score (cp|mate) (-?\d+) .*? pv (\S+)")


class EngineError(RuntimeError):
    """The engine is missing, died, or did not answer."""


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A move the engine considered, and its score for the side to move in centipawns."""

    uci: str
    score_cp: int


def find_engine() -> str:
    """Path of the engine; Debian keeps games outside many users' PATH."""
    path = shutil.which("fairy-stockfish") or shutil.which(DEBIAN_PATH)
    if path is None:
        raise EngineError("fairy-stockfish was not found: apt-get install fairy-stockfish")
    return path


class Engine:
    """A running engine set to bughouse, or to another variant that it knows."""

    def __init__(self, path: str, candidates: int, variant: str = "bughouse"):
        self._process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.name = "fairy-stockfish"
        self._send("uci")
        for line in self._answer(b"uciok").splitlines():
            if line.startswith(b"id name "):
                self.name = line.removeprefix(b"id name ").decode("ascii", "replace").strip()
        for option, value in (
            ("UCI_Variant", variant),
            ("Threads", 1),
            ("Hash", 16),
            ("MultiPV", candidates),
        ):
            self._send(f"setoption name {option} value {value}")

    def new_match(self) -> None:
        """Forget everything, so that a match depends on its seed alone."""
        self._send("ucinewgame\nisready")
        self._answer(b"readyok")

    def search(self, fen: str, nodes: int) -> list[Candidate]:
        """The best moves within `nodes`, best first; empty when the side to move has none."""
        self._send(f"position fen {fen}\ngo nodes {nodes}")
        answer = self._answer(b"bestmove")
        found: dict[bytes, Candidate] = {}
        for rank, kind, value, uci in CANDIDATE.findall(answer):
            found[rank] = Candidate(uci.decode("ascii"), _score_cp(kind, int(value)))
        if not found:
            best = answer[answer.rfind(b"bestmove"):].split()[1]
            found = {} if best == b"(none)" else {b"1": Candidate(best.decode("ascii"), 0)}
        latest: dict[str, Candidate] = {}
        for candidate in found.values():
            latest.setdefault(candidate.uci, candidate)
        return sorted(latest.values(), key=lambda candidate: -candidate.score_cp)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()

    def _send(self, commands: str) -> None:
        try:
            self._process.stdin.write(commands.encode("ascii") + b"\n")
        except BrokenPipeError as error:
            raise EngineError(f"the engine died before {commands!r}") from error

    def _answer(self, last: bytes) -> bytes:
        """All lines up to and including the one that begins with `last`."""
        answer, begins = b"", b"\n" + last
        source = self._process.stdout.fileno()
        while not (answer.endswith(b"\n") and begins in b"\n" + answer[answer.rfind(b"\n", 0, -1) + 1:]):
            if not select.select([source], [], [], ANSWER_TIMEOUT_S)[0]:
                self.close()
                raise EngineError(f"the engine took over {ANSWER_TIMEOUT_S} s before {last!r}")
            piece = os.read(source, READ_BYTES)
            answer += piece
            if not piece or len(answer) > MAX_ANSWER_BYTES:
                raise EngineError(f"the engine ended, or said too much, before {last!r}")
        return answer


def _score_cp(kind: bytes, value: int) -> int:
    if kind == b"cp":
        return max(-MATE_SCORE_CP // 2, min(MATE_SCORE_CP // 2, value))
    return MATE_SCORE_CP - 10 * value if value > 0 else -MATE_SCORE_CP - 10 * value
