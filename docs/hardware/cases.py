#!/usr/bin/env python3
"""Renders the parts in cases/*.scad with OpenSCAD: as STL for a printer, and checks their size.

    python3 docs/hardware/cases.py FOLDER      renders every part into FOLDER
    python3 docs/hardware/cases.py --check     renders them, holds them to their sizes, keeps nothing

Needs OpenSCAD (on Debian: apt-get install openscad).
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import templates

HERE = pathlib.Path(__file__).resolve().parent

SIDE = 8 * templates.SQUARE + 2 * templates.FRAME
#: Part → file, value of `part` (none: the file has one), millimetres in x, y and z.
PARTS = {
    "board-holder": ("board", "holder", (18, 18, 20)),
    "board-frame": ("board", "frame", (SIDE, SIDE, 25)),
    "tray": ("tray", None, (8 * templates.SLOT + 12, 2 * templates.SLOT + 12, 38)),
    "clock-case": ("clock", "case", (templates.CLOCK_WIDTH, 86.2, 56.2)),
    "clock-bottom": ("clock", "bottom", (183.4, 77.6, 17)),
}


def size(stl):
    """The extent of an STL file in text, in millimetres."""
    points = [tuple(map(float, words)) for words in re.findall(r"vertex (\S+) (\S+) (\S+)", stl)]
    if not points:
        raise SystemExit("OpenSCAD made an empty part")
    return tuple(max(axis) - min(axis) for axis in zip(*points))


def render(folder, name):
    """Writes the part's STL file."""
    file, part, wanted = PARTS[name]
    chosen = ["-D", 'part="%s"' % part] if part else []
    path = folder / (name + ".stl")
    run = subprocess.run(["openscad", "-q", "-o", str(path), *chosen, str(HERE / "cases" / (file + ".scad"))],
                         capture_output=True, text=True)
    if run.returncode != 0 or "WARNING" in run.stderr:
        raise SystemExit("%s: %s" % (name, run.stderr.strip()))
    found = size(path.read_text())
    if any(abs(one - other) > 0.2 for one, other in zip(found, wanted)):
        raise SystemExit("%s measures %s mm instead of %s" % (name, found, wanted))
    print("%s: %s mm" % (name, " x ".join("%.1f" % one for one in found)))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-") and sys.argv[1] != "--check":
        raise SystemExit(__doc__)
    if not shutil.which("openscad"):
        raise SystemExit("there is no openscad: on Debian apt-get install openscad")
    if sys.argv[1] != "--check":
        folder = pathlib.Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for name in PARTS:
            render(folder, name)
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in PARTS:
            render(pathlib.Path(folder), name)


if __name__ == "__main__":
    main()
