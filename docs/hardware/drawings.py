#!/usr/bin/env python3
"""Draws the build guide's pictures: drawings/*.svg.

    python3 docs/hardware/drawings.py             writes them
    python3 docs/hardware/drawings.py --check     says which differ from what is drawn here; writes nothing

One function a drawing. All are 640 wide with letters of 17 and more, so that a telephone shows them readably, and have
a light ground of their own, so that they can be read on a dark page. What is computed comes from electrics.py, pins from pins.md.
"""

import pathlib
import re
import sys
import textwrap
from xml.sax.saxutils import escape

import electrics

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = 640
INK, SOFT, PAPER = "#1b1f24", "#6a737d", "#ffffff"
RED, BLUE, GREEN, ORANGE, PURPLE = "#c62828", "#1456a0", "#1b7f3b", "#b35900", "#6f42c1"
WOOD, FELT, LIGHT, DARK = "#e7d3b1", "#4f7f5c", "#f3ead7", "#c9a97a"


class Drawing:
    """Shapes collected for one file."""

    def __init__(self, title, height):
        self.title, self.height, self.parts = title, height, []

    def add(self, text):
        self.parts.append(text)

    def line(self, *points, colour=INK, width=2, dash=None):
        path = " ".join("%g,%g" % p for p in zip(points[::2], points[1::2]))
        dashes = ' stroke-dasharray="%s"' % dash if dash else ""
        self.add('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g" stroke-linejoin="round"%s/>'
                 % (path, colour, width, dashes))

    def rect(self, x, y, w, h, fill=PAPER, colour=INK, width=2, round=4):
        self.add('<rect x="%g" y="%g" width="%g" height="%g" rx="%g" fill="%s" stroke="%s" stroke-width="%g"/>'
                 % (x, y, w, h, round, fill, colour, width))

    def circle(self, x, y, r, fill=INK, colour=INK, width=2):
        self.add('<circle cx="%g" cy="%g" r="%g" fill="%s" stroke="%s" stroke-width="%g"/>' % (x, y, r, fill, colour, width))

    def shape(self, *points, fill=INK, colour=INK, width=2):
        path = " ".join("%g,%g" % p for p in zip(points[::2], points[1::2]))
        self.add('<polygon points="%s" fill="%s" stroke="%s" stroke-width="%g" stroke-linejoin="round"/>' % (path, fill, colour, width))

    def text(self, x, y, words, size=17, colour=INK, anchor="start", bold=False, turn=None):
        extra = ' font-weight="bold"' if bold else ""
        if turn is not None:
            extra += ' transform="rotate(%g %g %g)"' % (turn, x, y)
        self.add('<text x="%g" y="%g" font-size="%g" fill="%s" text-anchor="%s"%s>%s</text>'
                 % (x, y, size, colour, anchor, extra, escape(words)))

    def lines(self, x, y, rows, step=24, **how):
        for number, row in enumerate(rows):
            self.text(x, y + number * step, row, **how)

    def caption(self, y, sentences):
        """Running text below the picture; the drawing ends after it."""
        rows = textwrap.wrap(" ".join(sentences), 70)
        self.lines(24, y, rows, size=16)
        self.height = y + 24 * len(rows) + 4

    def dot(self, x, y, colour=INK):
        self.circle(x, y, 4, fill=colour, colour=colour)

    def switch(self, x, y, closed=False, colour=INK):
        """A switch in a level wire from x to x + 40."""
        self.circle(x + 6, y, 3, fill=PAPER, colour=colour)
        self.circle(x + 34, y, 3, fill=PAPER, colour=colour)
        self.line(x, y, x + 3, y, colour=colour)
        self.line(x + 37, y, x + 40, y, colour=colour)
        self.line(x + 8, y - 2, x + (33 if closed else 31), y - (3 if closed else 15), colour=colour, width=3)

    def diode_down(self, x, y, colour=INK):
        """A diode in an upright wire from y to y + 26; current flows down, the band is below."""
        self.shape(x - 9, y + 4, x + 9, y + 4, x, y + 20, fill=colour, colour=colour)
        self.line(x - 10, y + 21, x + 10, y + 21, colour=colour, width=4)
        self.line(x, y, x, y + 4, colour=colour)
        self.line(x, y + 21, x, y + 26, colour=colour)

    def resistor_down(self, x, y, colour=INK):
        """A resistor in an upright wire from y to y + 34."""
        self.rect(x - 7, y, 14, 34, fill=PAPER, colour=colour, round=1)

    def ground(self, x, y):
        self.line(x, y, x, y + 8)
        for step, half in ((8, 13), (14, 8), (20, 3)):
            self.line(x - half, y + step, x + half, y + step)

    def arrow(self, x0, y0, x1, y1, colour=INK, width=2):
        self.line(x0, y0, x1, y1, colour=colour, width=width)
        length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        self.shape(x1, y1, x1 - 12 * ux - 6 * uy, y1 - 12 * uy + 6 * ux, x1 - 12 * ux + 6 * uy, y1 - 12 * uy - 6 * ux,
                   fill=colour, colour=colour, width=1)

    def svg(self):
        return "\n".join([
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="DejaVu Sans, Verdana, Arial, sans-serif">'
            % (WIDTH, self.height),
            "<title>%s</title>" % escape(self.title),
            '<rect x="0.5" y="0.5" width="%g" height="%g" rx="10" fill="%s" stroke="%s"/>' % (WIDTH - 1, self.height - 1, PAPER, SOFT),
            *self.parts, "</svg>", ""])


# --- pins.md ---------------------------------------------------------------------------------------------------------

def pin_tables():
    """The tables of pins.md: heading in back quotes → [(signal, number of the GPIO)]."""
    tables, name = {}, None
    for row in (HERE / "pins.md").read_text(encoding="utf-8").splitlines():
        heading = re.match(r"## `([\w-]+)`", row)
        if row.startswith("## "):
            name = heading.group(1) if heading else None
            continue
        cells = re.match(r"\| GP(\d+) \| (.+?) \| (?:.+?) \|$", row)
        if name and cells:
            tables.setdefault(name, []).append((cells.group(2), int(cells.group(1))))
    return tables


#: The Pico's forty pins, seen from above with the USB socket up: left side 1 to 20 downwards, right side 40 to 21 downwards.
LEFT = ["GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND", "GP6", "GP7", "GP8", "GP9", "GND", "GP10", "GP11", "GP12",
        "GP13", "GND", "GP14", "GP15"]
RIGHT = ["VBUS", "VSYS", "GND", "3V3_EN", "3V3", "ADC_VREF", "GP28", "GND", "GP27", "GP26", "RUN", "GP22", "GND", "GP21",
         "GP20", "GP19", "GP18", "GND", "GP17", "GP16"]


def pico(image, note):
    table = {"GP%d" % number: signal for signal, number in pin_tables()[image]}
    drawing = Drawing("Pins of the Pico for the image %s" % image, 24 * 20 + 150)
    drawing.text(320, 34, image, size=22, anchor="middle", bold=True)
    top, step = 84, 24
    drawing.rect(255, top - 26, 130, 20 * step + 26, fill="#e4f3e8", colour=GREEN, round=8)
    drawing.rect(292, top - 38, 56, 26, fill="#c9ced4")
    drawing.text(320, top - 19, "USB", anchor="middle")
    for side, names in (("left", LEFT), ("right", RIGHT)):
        for row, name in enumerate(names):
            y = top + 8 + row * step
            used = table.get(name)
            power = {"3V3": "3.3 V", "GND": "ground", "VBUS": "5 V from USB", "VSYS": "5 V in"}.get(name, "")
            colour = RED if name in ("3V3", "VBUS", "VSYS") else INK if name == "GND" else BLUE if used else SOFT
            number = row + 1 if side == "left" else 40 - row
            x = 255 if side == "left" else 385
            drawing.circle(x, y, 6, fill=PAPER if not (used or power) else colour, colour=colour)
            inner = x + 12 if side == "left" else x - 12
            drawing.text(inner, y + 5, str(number), size=13, colour=SOFT, anchor="start" if side == "left" else "end")
            outer = x - 14 if side == "left" else x + 14
            anchor = "end" if side == "left" else "start"
            words = "%s · %s" % (used, name) if side == "left" and used else "%s · %s" % (name, used or power) if used or power else name
            if side == "left" and not used and power:
                words = "%s  %s" % (power, name) if name != "GND" else "GND"
            if side == "right" and name == "GND":
                words = "GND"
            drawing.text(outer, y + 6, words, colour=colour, anchor=anchor, bold=bool(used))
    drawing.text(320, top + 20 * step + 26, note, anchor="middle", colour=SOFT)
    return drawing


# --- plans -----------------------------------------------------------------------------------------------------------

def checkers(drawing, x, y, size):
    cell = size / 8
    drawing.rect(x - 6, y - 6, size + 12, size + 12, fill="#8d6e4a", round=4)
    for rank in range(8):
        for file in range(8):
            fill = LIGHT if (rank + file) % 2 == 0 else DARK
            drawing.add('<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>' % (x + file * cell, y + rank * cell, cell, cell, fill))


def tray(drawing, x, y):
    drawing.rect(x - 4, y - 4, 168, 42, fill=WOOD)
    for slot in range(16):
        drawing.rect(x + slot % 8 * 20 + 2, y + slot // 8 * 18, 16, 15, fill=PAPER, width=1, round=2)


def plan_table():
    d = Drawing("Plan of a table: two boards, two clocks, four reserve trays and the hub", 696)
    d.text(320, 32, "One table, seen from above", size=21, anchor="middle", bold=True)
    d.rect(16, 122, 608, 420, fill="#f6f1e7")
    for x, board, clock_x in ((66, "A", 268), (414, "B", 346)):
        checkers(d, x, 236, 160)
        tray(d, x, 150)
        tray(d, x, 440)
        d.text(x + 80, 520, "board %s" % board, anchor="middle", bold=True)
        d.rect(clock_x - 24, 286, 48, 64, fill="#d9e2ec")
        d.text(clock_x, 314, "clock", anchor="middle", size=15)
        d.text(clock_x, 336, board, anchor="middle", bold=True)
        for tray_y, board_y in ((188, 230), (436, 402)):
            d.line(x + 140, tray_y, x + 140, board_y, colour=PURPLE, width=4)
    # Seats: team 1 is white at A and black at B.
    for x, y, words, colour in ((146, 92, "Black at A · team 2", RED), (494, 92, "White at B · team 2", RED),
                                (146, 580, "White at A · team 1", BLUE), (494, 580, "Black at B · team 1", BLUE)):
        d.text(x, y, words, anchor="middle", colour=colour, bold=True)
    d.text(320, 64, "partners sit side by side", anchor="middle", colour=SOFT)
    d.rect(250, 400, 140, 66, fill="#e4f3e8", colour=GREEN)
    d.lines(320, 428, ["hub", "under the table"], step=22, anchor="middle", size=16)
    for x0, y0, x1, y1 in ((226, 380, 284, 400), (268, 350, 300, 400), (346, 350, 340, 400), (414, 380, 356, 400)):
        d.line(x0, y0, x1, y1, colour=GREEN, width=3)
    d.text(320, 492, "4 USB cables", anchor="middle", colour=GREEN)
    d.caption(622, ["A tray belongs to the player who drops from it and hangs on that board by a", "ribbon cable (violet): slots 0–7 in front, 8–15 behind, 0 and 8 on the left.",
                      "a1, a dark square, is at White's left hand: at B that is the far right corner."])
    return d


def plan_hall():
    d = Drawing("Plan of a hall: tables with hubs, a switch, the adjudicator, handhelds and a screen", 600)
    d.text(320, 32, "A hall", size=21, anchor="middle", bold=True)
    for row in range(3):
        for column in range(4):
            x, y = 40 + column * 98, 66 + row * 106
            d.rect(x, y, 78, 62, fill="#f6f1e7")
            checkers(d, x + 10, y + 10, 24)
            checkers(d, x + 44, y + 10, 24)
            d.rect(x + 27, y + 44, 24, 13, fill="#e4f3e8", colour=GREEN, width=1.5)
            d.text(x + 39, y + 78, str(row * 4 + column + 1), size=15, anchor="middle")
            d.line(x + 39, y + 57, x + 39, y + 88, colour=GREEN, width=0)
            d.line(x + 51, y + 51, x + 88, y + 51, colour=BLUE, width=2)
            d.line(x + 88, y + 51, x + 88, y + 96, colour=BLUE, width=2)
        d.line(128, 66 + row * 106 + 96, 470, 66 + row * 106 + 96, colour=BLUE, width=2)
        d.line(470, 66 + row * 106 + 96, 470, 340, colour=BLUE, width=2)
    d.rect(436, 340, 96, 44, fill="#d9e2ec")
    d.text(484, 368, "switch", anchor="middle")
    d.line(484, 384, 484, 420, colour=BLUE, width=3)
    d.rect(404, 420, 172, 76, fill="#e4f3e8", colour=GREEN)
    d.lines(490, 448, ["adjudicator", "(one computer)"], anchor="middle", size=16)
    d.rect(470, 80, 150, 62, fill="#fff5e0", colour=ORANGE)
    d.lines(545, 106, ["TDs' handhelds", "over Wi-Fi"], anchor="middle", size=15)
    d.rect(490, 200, 130, 62, fill="#fff5e0", colour=ORANGE)
    d.lines(555, 226, ["screen for", "spectators"], anchor="middle", size=15)
    d.line(545, 142, 545, 160, 632, 160, 632, 458, 576, 458, colour=ORANGE, dash="7 5")
    d.line(555, 262, 555, 280, 620, 280, 620, 440, 576, 440, colour=ORANGE, dash="7 5")
    d.line(30, 520, 70, 520, colour=BLUE, width=3)
    d.text(80, 526, "network cable: one a table, to the switch of its row", size=16)
    d.line(30, 548, 70, 548, colour=ORANGE, width=3, dash="7 5")
    d.text(80, 554, "Wi-Fi: people's devices; hubs get a cable wherever one fits", size=16)
    d.rect(38, 566, 24, 14, fill="#e4f3e8", colour=GREEN, width=1.5)
    d.text(80, 580, "hub: a Raspberry Pi under each table", size=16)
    d.lines(40, 410, ["Mains: every row has its own", "extension lead along the floor,", "taped, not crossing a walkway."], size=16, colour=SOFT)
    return d


# --- the board -------------------------------------------------------------------------------------------------------

def matrix():
    d = Drawing("Matrix of reed switches and diodes: three files and three rows of it", 650)
    d.text(320, 32, "The matrix: one switch and one diode a square", size=20, anchor="middle", bold=True)
    columns, rows = (170, 330, 490), (190, 320, 450)
    for x, name, pin in zip(columns, ("file a", "file b", "file h"), ("GP10", "GP11", "GP17")):
        d.line(x, 110, x, 520, colour=BLUE, width=3)
        d.text(x, 70, name, anchor="middle", colour=BLUE, bold=True)
        d.text(x, 94, pin, anchor="middle", colour=BLUE)
    for y, name, pin in zip(rows, ("rank 1", "rank 2", "tray"), ("GP2", "GP3", "GP21")):
        d.line(90, y, 600, y, colour=RED, width=3)
        d.text(20, y - 4, name, colour=RED, bold=True)
        d.text(20, y + 18, pin, colour=RED)
        for x in columns:
            d.dot(x, y - 62, BLUE)
            d.line(x, y - 62, x + 16, y - 62)
            d.switch(x + 16, y - 62)
            d.line(x + 56, y - 62, x + 70, y - 62, x + 70, y - 40)
            d.diode_down(x + 70, y - 40)
            d.line(x + 70, y - 14, x + 70, y)
            d.dot(x + 70, y, RED)
    for x in (410,):
        for y in rows:
            d.text(x + 44, y - 34, "…", size=26, anchor="middle")
    d.text(60, 392, "⋮", size=30, anchor="middle")
    d.caption(560, ["Columns (blue) are read; the Pico's own pull-ups hold them at 3.3 V.",
                      "Rows (red) are driven: one at a time is low, the others high.",
                      "The diode's band is on the row's side: current may flow from the",
                      "column through switch and diode into the row that is low, never back."])
    return d


def ghosting():
    d = Drawing("Why every switch has a diode: three pieces fake a fourth", 640)
    d.text(320, 32, "Three pieces fake a fourth when there are no diodes", size=19, anchor="middle", bold=True)
    for top, diodes, caption in ((60, False, "without diodes: f2 reads occupied, and nothing stands there"),
                                 (340, True, "with diodes: the way back is blocked, f2 reads empty")):
        columns, rows = (220, 420), (top + 80, top + 190)
        for x, name in zip(columns, ("file e", "file f")):
            d.line(x, top + 10, x, top + 210, colour=BLUE, width=3)
            d.text(x, top, name, anchor="middle", colour=BLUE)
        for y, name in zip(rows, ("rank 2, low", "rank 4, open")):
            d.line(120, y, 560, y, colour=RED, width=3)
            d.text(16, y + 6, name, colour=RED, size=15)
        for row, y in enumerate(rows):
            for column, x in enumerate(columns):
                closed = (row, column) != (0, 1)
                d.dot(x, y - 52, BLUE)
                d.line(x, y - 52, x + 14, y - 52)
                d.switch(x + 14, y - 52, closed=closed)
                d.line(x + 54, y - 52, x + 66, y - 52, x + 66, y - 36)
                if diodes:
                    d.diode_down(x + 66, y - 30)
                    d.line(x + 66, y - 36, x + 66, y - 30)
                    d.line(x + 66, y - 4, x + 66, y)
                else:
                    d.line(x + 66, y - 36, x + 66, y)
                d.dot(x + 66, y, RED)
                square = ("e2", "f2", "e4", "f4")[2 * row + column]
                d.text(x + 82, y - 24, square + (" piece" if closed else " empty"), size=15,
                       colour=INK if closed else ORANGE, bold=not closed)
        upper, lower = rows
        way = [420, top + 12, 420, lower - 52, 486, lower - 52, 486, lower, 286, lower]
        if diodes:
            d.line(*way, colour=ORANGE, width=5, dash="10 6")
            d.line(272, lower - 30, 300, lower - 2, colour=RED, width=6)
            d.line(300, lower - 30, 272, lower - 2, colour=RED, width=6)
        else:
            d.line(*way, 286, lower - 52, 220, lower - 52, 220, upper - 52, 286, upper - 52, 286, upper, 140, upper, colour=ORANGE, width=5, dash="10 6")
            d.arrow(160, upper, 124, upper, colour=ORANGE, width=5)
        d.text(320, top + 240, caption, anchor="middle", size=17, bold=True)
    return d


def diode():
    d = Drawing("A square from below: upright reed switch, diode with its band towards the row wire", 570)
    d.text(320, 32, "One square, from below", size=20, anchor="middle", bold=True)
    d.rect(24, 56, 592, 370, fill=WOOD)
    d.line(24, 110, 616, 110, colour=BLUE, width=5)
    d.text(604, 98, "column wire (file)", colour=BLUE, bold=True, anchor="end")
    d.line(24, 370, 616, 370, colour=RED, width=5)
    d.text(604, 398, "row wire (rank)", colour=RED, bold=True, anchor="end")
    d.circle(240, 230, 20, fill="#eef6ff", colour=BLUE, width=3)
    d.circle(240, 230, 5)
    d.lines(276, 226, ["reed switch, standing upright", "in the middle of the square"], step=22)
    d.line(240, 230, 150, 190, 150, 110, colour=INK, width=3)
    d.dot(150, 110, BLUE)
    d.text(166, 168, "upper lead, sleeved, to the column")
    d.line(240, 250, 240, 284, width=3)
    d.rect(226, 284, 28, 52, fill="#e8833a", colour=INK, round=6)
    d.add('<rect x="226" y="322" width="28" height="8" fill="%s"/>' % INK)
    d.line(240, 336, 240, 370, width=3)
    d.dot(240, 370, RED)
    d.text(276, 306, "diode 1N4148")
    d.text(276, 332, "← band towards the row wire", bold=True)
    d.caption(460, ["All diodes the same way round. One the wrong way round: its square never reads",
                      "occupied. One left out or bridged: squares read occupied that are empty, when",
                      "three corners of a rectangle are. Check before the lid is closed:",
                      "twinboard doctor check"])
    return d


def section():
    d = Drawing("Section through a square: magnet in the piece, board, upright reed switch", 620)
    d.text(320, 32, "Section through two squares (reed board)", size=20, anchor="middle", bold=True)
    top = 250  # upper side of the board
    d.rect(20, top, 420, 30, fill=WOOD, round=0)
    d.line(230, top, 230, top + 30, colour=SOFT, dash="4 4")
    for middle in (125, 335):
        d.rect(middle - 9, top + 40, 18, 50, fill="#eef6ff", colour=BLUE, round=8)
        d.line(middle, top + 34, middle, top + 62, width=3)
        d.line(middle + (3 if middle < 230 else 6), top + 58, middle + 3, top + 106, width=3)
        d.line(middle, top + 34, middle + 26, top + 34, middle + 26, top + 106, width=2)
        d.circle(middle + 26, top + 108, 4)
        d.circle(middle + 3, top + 108, 4)
    d.rect(20, top + 106, 420, 12, fill="#cfd8cf", round=0)
    # A pawn: base 28 mm.
    middle = 125
    d.shape(middle - 70, top - 5, middle + 70, top - 5, middle + 62, top - 50, middle + 26, top - 80, middle + 22, top - 140, middle - 22, top - 140,
            middle - 26, top - 80, middle - 62, top - 50, fill="#f7f3ea")
    d.circle(middle, top - 158, 30, fill="#f7f3ea")
    d.add('<rect x="%g" y="%g" width="140" height="5" fill="%s"/>' % (middle - 70, top - 5, FELT))
    d.rect(middle - 30, top - 20, 60, 15, fill="#c9ced4", round=1)
    d.arrow(middle, top - 8, middle, top + 60, colour=PURPLE, width=2)
    d.text(260, top - 120, "magnet 12 × 3 mm, flush with the base,", size=15)
    d.text(260, top - 100, "glued; White: south pole down,", size=15)
    d.text(260, top - 80, "Black: north pole down", size=15)
    d.line(256, top - 104, middle + 30, top - 12, colour=SOFT, width=1.5)
    d.text(260, top - 40, "felt, 1 mm", size=15)
    d.line(256, top - 44, middle + 70, top - 3, colour=SOFT, width=1.5)
    d.text(452, top + 20, "plywood 6 mm", size=15)
    d.text(452, top + 52, "gap 2 mm", size=15)
    d.lines(452, top + 78, ["reed switch", "10 mm, upright"], step=20, size=15, colour=BLUE)
    d.text(452, top + 122, "wiring board", size=15)
    d.line(20, top + 151, 440, top + 151, colour=INK, width=1.5)
    for x in (20, 230, 440):
        d.line(x, top + 143, x, top + 159, width=1.5)
    d.text(230, top + 182, "two squares of 57 mm (not to scale across)", size=15, anchor="middle")
    reach = electrics.reach_mm(12, 3, electrics.GAP_MM, electrics.operate_mt(15))
    d.caption(top + 226, ["Magnet to glass: 1 + 6 + 2 = 9 mm. Computed (electrics.py magnets):",
                            "a 15 AT switch closes while the piece stands within %.0f mm of the middle;" % reach,
                            "a pawn (base 28 mm) that touches the square's edge is 14.5 mm aside.",
                            "The switch stands upright: lying flat it would be open exactly when the",
                            "piece stands in the middle."])
    return d


def field():
    d = Drawing("Field along an upright and a flat reed switch while a piece is moved aside", 560)
    d.text(320, 32, "Field along the switch, 12 × 3 mm magnet, 9 mm above it", size=18, anchor="middle", bold=True)
    left, right, zero, scale = 80, 610, 330, 14.0
    across = lambda mm: left + mm * (right - left) / 30
    down = lambda mt: zero - mt * scale
    for mt in (-4, 0, 4, 8, 12, 16):
        d.line(left, down(mt), right, down(mt), colour="#d7dbe0", width=1)
        d.text(left - 10, down(mt) + 6, "%d" % mt, anchor="end", size=16)
    d.text(24, 62, "mT", size=16)
    for mm in range(0, 31, 5):
        d.line(across(mm), down(-5), across(mm), down(17), colour="#d7dbe0", width=1)
        d.text(across(mm), down(-5) + 24, "%d" % mm, anchor="middle", size=16)
    d.text((left + right) / 2, down(-5) + 50, "piece this far from the middle of its square, mm", anchor="middle", size=16)
    operate = electrics.operate_mt(15)
    for sign in (1, -1):
        d.line(left, down(sign * operate), right, down(sign * operate), colour=ORANGE, dash="8 5")
    d.text(left + 8, down(-operate) + 22, "closes beyond these lines: %.1f mT (15 AT)" % operate, size=15.5, colour=ORANGE)
    upright, flat = [], []
    for half in range(0, 61):
        mm = half / 2
        upright += [across(mm), down(electrics.along_upright_mt(12, 3, mm, 9))]
        flat += [across(mm), down(min(electrics.along_lying_mt(12, 3, mm, 9), 17))]
    d.line(*upright, colour=BLUE, width=4)
    d.line(*flat, colour=RED, width=4, dash="3 5")
    d.text(across(3.6), down(16), "upright switch", colour=BLUE, bold=True)
    d.text(across(11.6), down(11.2), "flat switch, moved along it", colour=RED, bold=True)
    d.line(across(28.5), down(-4.6), across(28.5), down(6), colour=SOFT, dash="4 4")
    d.text(across(28.3), down(6.4), "edge of the square", anchor="end", size=15, colour=SOFT)
    d.caption(486, ["Upright: one round spot, closed in the middle. On the edge of two squares",
                      "neither switch closes. Flat: open exactly in the middle, closed beside it,",
                      "and as far as the next square."])
    return d


def lying():
    d = Drawing("A pawn on its side: what the sensor sees of it", 470)
    d.text(320, 32, "A promoted pawn laid on its side", size=20, anchor="middle", bold=True)
    top = 230
    for left, shift, words in ((20, -12, ("magnet over the switch:", "field lies across: not seen")),
                               (330, 62, ("pawn in the middle: magnet", "aside: weak field, not seen"))):
        d.rect(left, top, 290, 30, fill=WOOD, round=0)
        middle = left + 145
        d.rect(middle - 9, top + 40, 18, 50, fill="#eef6ff", colour=BLUE, round=8)
        base = middle - shift
        d.rect(base - 20, top - 140, 20, 140, fill="#f7f3ea")
        d.shape(base, top - 132, base, top - 8, base + 40, top - 40, base + 100, top - 48, base + 100, top - 92, base + 40, top - 100, fill="#f7f3ea")
        d.circle(base + 118, top - 70, 29, fill="#f7f3ea")
        d.rect(base - 18, top - 100, 12, 60, fill="#c9ced4", round=1)
        d.arrow(base - 22, top - 70, base - 60, top - 70, colour=PURPLE, width=3)
        d.lines(left + 145, top + 124, words, anchor="middle", size=16)
    most = max(abs(electrics.on_its_side_mt(12, 3, 14, electrics.GAP_MM, mm)) for mm in range(40))
    d.caption(412, ["Computed, 12 × 3 mm magnet: at most %.1f mT along the switch wherever the" % most,
                      "pawn lies; a 15 AT switch closes at %.1f mT, so the square reads empty." % electrics.operate_mt(15)])
    return d


def shift():
    d = Drawing("Twelve shift registers 74HC165 in one chain", 730)
    d.text(320, 32, "Shift registers: twelve 74HC165 in a chain", size=20, anchor="middle", bold=True)
    names = ("chip 1: rank 1, files a–h", "chip 2: rank 2", "chip 12: Black's tray, slots 8–15")
    d.rect(24, 150, 96, 300, fill="#e4f3e8", colour=GREEN)
    d.text(72, 178, "Pico", anchor="middle", bold=True)
    for y, name in ((216, "GP2"), (256, "GP3"), (336, "GP10")):
        d.text(112, y + 6, name, anchor="end")
    for index, (y, name) in enumerate(zip((80, 262, 490), names)):
        d.rect(310, y, 158, 130, fill="#f4f6f8")
        d.text(310, y - 8, name, size=15.5, bold=True)
        for row, pin in enumerate(("PL  1", "CP  2", "CE  15 to GND", "Q7  9", "DS  10" + (" to 3.3 V" if index == 2 else ""))):
            d.text(318, y + 22 + row * 24, pin, size=15)
        d.text(460, y + 22, "D0…D7", anchor="end", size=15)
        d.line(468, y + 50, 500, y + 50, width=4)
        d.lines(506, y + 34, ["8 switches", "to ground,", "8 × 10 kΩ", "to 3.3 V"], step=22, size=15.5)
        d.line(310, y + 17, 216, y + 17, colour=BLUE)
        d.dot(216, y + 17, BLUE)
        d.line(310, y + 41, 242, y + 41, colour=PURPLE)
        d.dot(242, y + 41, PURPLE)
    d.line(120, 216, 216, 216, colour=BLUE, width=3)
    d.line(216, 97, 216, 507, colour=BLUE, width=3)
    d.text(128, 208, "load", colour=BLUE)
    d.line(120, 256, 242, 256, colour=PURPLE, width=3)
    d.line(242, 121, 242, 531, colour=PURPLE, width=3)
    d.text(128, 248, "clock", colour=PURPLE)
    d.line(120, 336, 190, 336, 190, 169, 310, 169, colour=ORANGE, width=3)
    d.text(128, 328, "data", colour=ORANGE)
    d.arrow(230, 169, 194, 169, colour=ORANGE, width=3)
    d.line(310, 193, 276, 193, 276, 351, 310, 351, colour=ORANGE, width=3)
    d.line(310, 375, 276, 375, 276, 418, colour=ORANGE, width=3)
    d.text(290, 440, "… chips 3 to 11", size=15.5, colour=ORANGE)
    d.line(276, 440, 276, 579, 310, 579, colour=ORANGE, width=3)
    d.caption(656, ["Q7 of each chip goes to DS of the one before it. Pin 16: 3.3 V, pin 8: ground,",
                      "100 nF between them at every chip. D0…D7 are the pins 11, 12, 13, 14, 3, 4, 5,",
                      "6 and carry files a…h. No diodes: every switch has its own input."])
    return d


def hall_square():
    d = Drawing("Hall board: sensors, multiplexers, regulator", 760)
    d.text(320, 32, "Hall board: 64 sensors, four multiplexers", size=20, anchor="middle", bold=True)
    d.rect(24, 90, 110, 330, fill="#e4f3e8", colour=GREEN)
    d.text(79, 118, "Pico", anchor="middle", bold=True)
    for y, name in ((160, "GP2–GP5"), (220, "GP6"), (250, "GP7"), (280, "GP8"), (310, "GP9"), (370, "GP28")):
        d.text(126, y + 6, name, anchor="end", size=15)
    for index in range(4):
        y = 80 + index * 112
        d.rect(300, y, 150, 92, fill="#f4f6f8")
        d.text(310, y + 22, "74HC4067  no. %d" % index, size=15, bold=True)
        d.text(310, y + 46, "ranks %d and %d" % (2 * index + 1, 2 * index + 2), size=15)
        d.text(442, y + 72, "C0…C15", size=15, anchor="end")
        d.line(450, y + 66, 480, y + 66, width=4)
        d.line(300, y + 20, 220, y + 20, colour=PURPLE)
        d.dot(220, y + 20, PURPLE)
        d.line(300, y + 76, 190, y + 76, colour=ORANGE)
        d.dot(190, y + 76, ORANGE)
        d.line(300, y + 48, 270 - index * 12, y + 48, 270 - index * 12, 220 + index * 30, 134, 220 + index * 30, colour=BLUE)
    d.line(134, 160, 220, 160, colour=PURPLE, width=3)
    d.line(220, 100, 220, 436, colour=PURPLE, width=3)
    d.text(140, 152, "S0–S3", colour=PURPLE, size=15)
    d.text(140, 214, "EN", colour=BLUE, size=15)
    d.line(134, 370, 190, 370, colour=ORANGE, width=3)
    d.line(190, 156, 190, 492, colour=ORANGE, width=3)
    d.text(140, 394, "SIG", colour=ORANGE, size=15)
    for y in (96, 176):
        d.rect(496, y, 118, 52, fill="#eef6ff", colour=BLUE)
        d.text(555, y + 22, "DRV5055A2", anchor="middle", size=15)
        d.text(555, y + 43, "or SS49E", anchor="middle", size=15)
    d.line(480, 146, 488, 146, 488, 122, 496, 122)
    d.line(488, 146, 488, 202, 496, 202)
    d.text(555, 258, "… 16 a chip", anchor="middle", size=15)
    d.lines(500, 290, ["out → channel", "supply → 3.3 V B", "ground; 100 nF at", "every fourth one"], step=22, size=14.5)
    d.rect(300, 560, 150, 60, fill="#fdeaea", colour=RED)
    d.lines(375, 585, ["regulator 3.3 V", "800 mA or more"], anchor="middle", step=22, size=15)
    d.line(120, 590, 300, 590, colour=RED, width=3)
    d.text(24, 584, "5 V", colour=RED, bold=True)
    d.text(24, 606, "(VBUS, pin 40)", colour=RED, size=14)
    d.line(450, 590, 600, 590, colour=RED, width=3)
    d.text(462, 582, "3.3 V B: sensors only", colour=RED, size=14.5)
    d.caption(656, ["The chips themselves hang on the Pico's own 3.3 V (pin 36); the 64 sensors draw",
                      "384 mA typically, more than the Pico may give, hence the regulator. Channel",
                      "= 0–7: files a–h of the lower rank, 8–15: of the upper. Trays: four 74HC165 as",
                      "in the shift-register drawing, load GP18, clock GP19, data GP12."])
    return d


def trays():
    d = Drawing("A reserve tray: sixteen slots, reed switches under them", 526)
    d.text(320, 32, "A reserve tray, seen by its player", size=20, anchor="middle", bold=True)
    d.rect(20, 60, 600, 164, fill=WOOD)
    for slot in range(16):
        x, y = 34 + slot % 8 * 73, 148 - slot // 8 * 76
        d.rect(x, y, 62, 62, fill=PAPER)
        d.circle(x + 31, y + 40, 6, fill="#eef6ff", colour=BLUE)
        d.text(x + 31, y + 24, str(slot), anchor="middle", bold=True)
    d.line(65, 236, 138, 236)
    for x in (65, 138):
        d.line(x, 229, x, 243)
    d.text(150, 242, "50 mm or more", size=15.5)
    d.text(606, 244, "the player sits here", anchor="end", colour=SOFT)
    for y, pin, slots in ((310, "GP18", "0–7"), (380, "GP19", "8–15")):
        d.line(120, y, 610, y, colour=RED, width=3)
        d.text(20, y - 6, "row %s" % pin, colour=RED, size=16, bold=True)
        d.text(20, y + 16, "slots %s" % slots, colour=RED, size=15.5)
    for column in range(8):
        x = 142 + column * 60
        d.line(x, 268, x, 402, colour=BLUE, width=2)
        d.text(x, 424, "GP%d" % (10 + column), anchor="middle", size=15, colour=BLUE)
        for y in (310, 380):
            d.dot(x, y - 30, BLUE)
            d.line(x, y - 30, x + 26, y - 30, x + 26, y - 24)
            d.diode_down(x + 26, y - 25)
            d.dot(x + 26, y, RED)
    d.caption(456, ["Two more rows of the same matrix: slots n and n + 8 hang on the column of file n",
                      "(0: file a … 7: file h), each with switch (left out here) and diode. This is White's",
                      "tray; Black's has the rows GP20 (slots 0–7) and GP21 (8–15)."])
    return d


def clock():
    d = Drawing("Clock: lever or buttons, displays, tilt, hand sensors, keys", 720)
    d.text(320, 32, "The clock", size=20, anchor="middle", bold=True)
    d.rect(40, 70, 560, 150, fill="#d9e2ec", round=12)
    for x, words in ((90, "5:00"), (410, "4:58")):
        d.rect(x, 110, 140, 66, fill="#24292e")
        d.text(x + 70, 160, words, size=44, anchor="middle", colour="#ff7b72", bold=True)
    d.text(160, 204, "White's display", anchor="middle", size=15)
    d.text(480, 204, "Black's display", anchor="middle", size=15)
    d.line(110, 62, 530, 84, width=10, colour="#57606a")
    d.circle(320, 73, 8, fill="#c9ced4")
    d.text(320, 56, "lever: closed (to ground) while White's side is down", anchor="middle", size=14)
    for index, name in enumerate(("mode", "−", "+", "pause")):
        d.circle(262 + index * 39, 140, 13, fill=PAPER)
        d.text(262 + index * 39, 174, name, anchor="middle", size=12.5)
    rows = (("lever, or White's button", "GP10", "closed: White pressed"), ("Black's button", "GP11", "only with strap GP27"),
            ("tilt switch", "GP12", "closed while askew"), ("hand sensor, White", "GP13", "low while a hand is near"),
            ("hand sensor, Black", "GP28", "low while a hand is near"), ("keys mode − + pause", "GP14–17", "closed while pressed"),
            ("White's TM1637", "GP8, GP9", "CLK, DIO (470 Ω); 3.3 V"), ("Black's TM1637", "GP6, GP7", "CLK, DIO (470 Ω); 3.3 V"),
            ("or 2 × 16 characters", "GP4, GP5", "SDA (470 Ω), SCL; text"), ("buzzer", "GP18", "piezo, 1 kΩ in series"))
    for row, (name, pin, how) in enumerate(rows):
        y = 270 + row * 34
        if row % 2 == 0:
            d.rect(24, y - 23, 592, 34, fill="#f4f6f8", colour="#f4f6f8", round=2)
        d.text(32, y, name)
        d.text(268, y, pin, colour=BLUE, bold=True)
        d.text(400, y, how, size=15.5)
    d.caption(636, ["Every contact goes from its pin to ground; the pull-ups are inside the Pico.",
                      "Strap GP27 (pin 32) to ground: two buttons; open: a lever.",
                      "GP26 (pin 31) to ground: the serial line is UART or RS-485 instead of USB."])
    return d


def rs485():
    d = Drawing("RS-485 instead of USB: one pair of wires a node", 500)
    d.text(320, 32, "RS-485 for long cables: one pair a node", size=20, anchor="middle", bold=True)
    d.rect(20, 80, 110, 200, fill="#e4f3e8", colour=GREEN)
    d.text(75, 108, "Pico", anchor="middle", bold=True)
    d.rect(210, 80, 110, 200, fill="#f4f6f8")
    d.text(265, 108, "SP3485", anchor="middle", bold=True)
    for y, left, right, colour in ((140, "GP0", "DI  4", BLUE), (180, "GP22", "DE  3", PURPLE), (220, "GP1", "RO  1", ORANGE)):
        d.text(122, y + 6, left, anchor="end", size=16)
        d.text(218, y + 6, right, size=16)
        d.line(130, y, 210, y, colour=colour, width=3)
    d.text(218, 206, "RE  2", size=16)
    d.line(210, 200, 186, 200, 186, 180, colour=PURPLE, width=3)
    d.dot(186, 180, PURPLE)
    d.text(75, 262, "GP26 to GND", anchor="middle", size=14, colour=RED)
    for y, name in ((150, "A  6"), (210, "B  7")):
        d.text(312, y + 6, name, anchor="end", size=16)
        d.line(320, y, 500, y, width=3)
    d.rect(350, 162, 14, 36, round=1)
    d.line(357, 150, 357, 162)
    d.line(357, 198, 357, 210)
    d.text(372, 186, "120 Ω", size=15)
    d.rect(446, 162, 14, 36, round=1)
    d.line(453, 150, 453, 162)
    d.line(453, 198, 453, 210)
    d.rect(500, 100, 120, 160, fill="#fff5e0", colour=ORANGE)
    d.lines(560, 150, ["USB to", "RS-485", "adapter", "at the hub"], anchor="middle", step=24, size=16)
    d.line(320, 250, 500, 250, width=3)
    d.text(410, 244, "ground", anchor="middle", size=15)
    d.line(20, 320, 620, 320, colour=SOFT, width=1)
    d.caption(350, ["Network cable fits: orange pair for A and B, brown pair for ground, and a third",
                      "pair for 5 V into VSYS (pin 39) when the node is not fed otherwise.",
                      "One pair a node: the link has no addresses, so nodes do not share a pair.",
                      "When both ends begin to speak at once, both frames are garbled; checksums",
                      "notice it and the node sends again. USB has no such collisions: prefer it."])
    return d


#: Suggested uses of the Raspberry Pi's header: pin of the header → (BCM number, use). The configuration names BCM numbers.
HUB_PINS = {8: (14, "RS-485 DI"), 10: (15, "RS-485 RO"), 11: (17, "LED: all is well"), 12: (18, "RS-485 direction"), 13: (27, "LED: trouble"),
            15: (22, "LED: recording"), 16: (23, "buzzer"), 29: (5, "lever, clock A"), 31: (6, "lever, clock B")}
HUB_POWER = {1: "3.3 V", 2: "5 V", 4: "5 V", 6: "GND", 9: "GND", 14: "GND", 17: "3.3 V", 20: "GND", 25: "GND", 30: "GND", 34: "GND", 39: "GND"}


def hub():
    d = Drawing("Hub: USB to the four nodes, and what may hang on the Raspberry Pi's header", 900)
    d.text(320, 32, "The hub", size=20, anchor="middle", bold=True)
    d.rect(200, 56, 240, 96, fill="#e4f3e8", colour=GREEN, round=8)
    d.text(320, 84, "Raspberry Pi 4", anchor="middle", bold=True)
    d.lines(320, 110, ["5.1 V, 3 A supply", "network cable"], anchor="middle", step=22, size=15.5)
    for x, y, name in ((20, 64, "board A"), (20, 112, "clock A"), (500, 64, "board B"), (500, 112, "clock B")):
        d.rect(x, y, 120, 36, fill="#f4f6f8")
        d.text(x + 60, y + 24, name, anchor="middle", size=16)
        left = x < 320
        d.line(x + 120 if left else x, y + 18, 200 if left else 440, y + 18, colour=GREEN, width=3)
        d.text(170 if left else 470, y + 12, "USB", anchor="middle", size=14, colour=GREEN)
    d.text(320, 188, "The header, all of it optional", anchor="middle", bold=True)
    top, step = 214, 26
    d.rect(286, top - 16, 68, 20 * step + 6, fill="#24292e")
    for pin in range(1, 41):
        left = pin % 2 == 1
        x, y = (304 if left else 336), top + (pin - 1) // 2 * step
        used, power = HUB_PINS.get(pin), HUB_POWER.get(pin)
        colour = BLUE if used else RED if power and power.endswith("V") else INK if power else SOFT
        d.circle(x, y, 7, fill="#f5c542" if used or power else "#8b949e", colour=PAPER, width=1)
        words = "%s · GPIO%d" % (used[1], used[0]) if used and left else "GPIO%d · %s" % used if used else power
        if words:
            words = "%s · %d" % (words, pin) if left else "%d · %s" % (pin, words)
            d.text(274 if left else 366, y + 6, words, anchor="end" if left else "start", size=15.5, colour=colour, bold=bool(used))
    d.caption(top + 20 * step + 30, [
        "Each LED: 330 Ω in series, long leg to the pin, short leg to GND. Buzzer: piezo with 1 kΩ, or a transistor for one that hums by itself.",
        "A lever on the hub: from its pin to GND, closed while White's side is down; take it only when the clock has no node.",
        "Pins are named in the configuration by their GPIO number; these are proposals. Never 5 V on a GPIO."])
    return d


DRAWINGS = {
    "hub": hub,
    "table": plan_table, "hall": plan_hall, "matrix": matrix, "ghosting": ghosting, "square": diode, "section": section, "field": field,
    "lying-pawn": lying, "shift": shift, "hall-board": hall_square, "tray": trays, "clock": clock, "rs485": rs485,
    "pico-reed-matrix": lambda: pico("pico-reed-matrix", "Seen from above, parts up. Ground: any GND."),
    "pico-reed-shift": lambda: pico("pico-reed-shift", "Seen from above, parts up. Ground: any GND."),
    "pico-hall": lambda: pico("pico-hall", "Seen from above, parts up. Ground: any GND."),
    "pico-clock": lambda: pico("pico-clock", "Seen from above, parts up. Ground: any GND."),
    "pico-clock-characters": lambda: pico("pico-clock-characters", "Seen from above, parts up. Ground: any GND."),
}


def main():
    folder = HERE / "drawings"
    folder.mkdir(exist_ok=True)
    drawn = {"%s.svg" % name: draw().svg() for name, draw in DRAWINGS.items()}
    if sys.argv[1:] == ["--check"]:
        wrong = [name for name, text in drawn.items()
                 if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text]
        wrong += [path.name for path in folder.glob("*.svg") if path.name not in drawn]
        sys.exit("differ from drawings.py: %s; run it without --check" % ", ".join(sorted(wrong)) if wrong else 0)
    for name, text in drawn.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
