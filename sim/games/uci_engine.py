# SPDX-License-Identifier: GPL-3.0-or-later
"""One fairy-stockfish process spoken to over UCI.

Only what a match needs: a position in, the engine's few best moves with their scores out. A node
limit and a single thread make its answers repeatable.
"""

import dataclasses
import shutil
import subprocess
import threading

MATE_SCORE_CP = 10_000
ANSWER_TIMEOUT_S = 60
DEBIAN_PATH = "/usr/games/fairy-stockfish"


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
    """A running engine set to bughouse."""

    def __init__(self, path: str, candidates: int):
        self._process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.name = "fairy-stockfish"
        self._send("uci")
        for line in self._lines_until("uciok"):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ")
        for option, value in (
            ("UCI_Variant", "bughouse"),
            ("Threads", 1),
            ("Hash", 16),
            ("MultiPV", candidates),
        ):
            self._send(f"setoption name {option} value {value}")

    def new_match(self) -> None:
        """Forget everything, so that a match depends on its seed alone."""
        self._send("ucinewgame")
        self._send("isready")
        self._lines_until("readyok")

    def search(self, fen: str, nodes: int) -> list[Candidate]:
        """The best moves within `nodes`, best first; empty when the side to move has none."""
        self._send(f"position fen {fen}")
        self._send(f"go nodes {nodes}")
        found: dict[int, Candidate] = {}
        for line in self._lines_until("bestmove"):
            fields = line.split()
            if line.startswith("info") and "multipv" in fields and "pv" in fields:
                found[int(_after(fields, "multipv"))] = Candidate(
                    _after(fields, "pv"), _score_cp(fields)
                )
            elif line.startswith("bestmove") and not found and fields[1] != "(none)":
                found[1] = Candidate(fields[1], 0)
        latest: dict[str, Candidate] = {}
        for candidate in found.values():
            latest.setdefault(candidate.uci, candidate)
        return sorted(latest.values(), key=lambda candidate: -candidate.score_cp)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()

    def _send(self, command: str) -> None:
        try:
            self._process.stdin.write(command + "\n")
        except BrokenPipeError as error:
            raise EngineError(f"the engine died before {command!r}") from error

    def _lines_until(self, last: str) -> list[str]:
        """Lines up to and including the one that begins with `last`."""
        watchdog = threading.Timer(ANSWER_TIMEOUT_S, self._process.kill)
        watchdog.start()
        lines = []
        try:
            for line in self._process.stdout:
                lines.append(line.strip())
                if line.startswith(last):
                    return lines
        finally:
            watchdog.cancel()
        raise EngineError(f"the engine ended, or took over {ANSWER_TIMEOUT_S} s, before {last!r}")


def _after(fields: list[str], key: str) -> str:
    return fields[fields.index(key) + 1]


def _score_cp(fields: list[str]) -> int:
    value = int(fields[fields.index("score") + 2])
    if _after(fields, "score") == "cp":
        return max(-MATE_SCORE_CP // 2, min(MATE_SCORE_CP // 2, value))
    return MATE_SCORE_CP - 10 * value if value > 0 else -MATE_SCORE_CP - 10 * value
