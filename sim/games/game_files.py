# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of generated games: which there are, and how they are written.

A file appears when it is whole. So an interrupted run goes on with the first file that is missing,
and nobody reads half a file.
"""

import pathlib
import sys
import time
from collections.abc import Callable, Iterator


def files_of(
    out: pathlib.Path, name: str, count: int, per_file: int
) -> Iterator[tuple[pathlib.Path, range]]:
    """The files and the game numbers in each; `name` is such as `engine-{:03}.bpgn`."""
    for first in range(1, count + 1, per_file):
        yield out / name.format(first // per_file + 1), range(first, min(first + per_file, count + 1))


def write_missing(
    files: list[tuple[pathlib.Path, range]], text_of: Callable[[int], str], noun: str
) -> None:
    """Writes the files that are missing; `text_of` makes the text of one game from its number."""
    began, played = time.monotonic(), 0
    count = files[-1][1][-1] if files else 0
    for path, numbers in files:
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = []
        for number in numbers:
            texts.append(text_of(number))
            played += 1
            if sys.stderr.isatty():
                print(f"\r{noun} {number} of {count}", end="", file=sys.stderr)
        part = path.with_suffix(".part")
        part.write_text("".join(texts), "ascii")
        part.replace(path)
        rate = 60 * played / (time.monotonic() - began)
        print(f"\r{path}: {numbers[-1]} of {count}, {rate:.0f} a minute", file=sys.stderr, flush=True)


def named(paths: list[pathlib.Path], pattern: str) -> list[pathlib.Path]:
    """The files themselves, and of each folder those that `pattern` fits."""
    return [
        file for path in paths for file in (sorted(path.glob(pattern)) if path.is_dir() else [path])
    ]
