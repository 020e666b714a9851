#!/usr/bin/env python3
"""Writes the templates of the build guide, 1 : 1, as PDF files whose pages of A4 are joined: templates/*.pdf.

    python3 docs/hardware/templates.py             writes them
    python3 docs/hardware/templates.py --check     says which differ from what is drawn here; writes nothing

Print at 100 %, not "fit to page", and measure the 100 mm line on each page before you cut. Pages overlap by 10 mm: cut one edge at
its dashed line, lay it on its neighbour's and tape. Board and tray are drawn as seen from below, where you work.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "templates"

#: Millimetres: A4, the margin that printers need, what neighbouring pages share.
PAGE, MARGIN, OVERLAP = (210.0, 297.0), 10.0, 10.0
#: Points in a millimetre.
POINT = 72 / 25.4

SQUARE, FRAME = 57.0, 25.0
#: A switch with its holder stands in a hole of this diameter.
SWITCH_HOLE = 3.0
SLOT = 50.0


class Sheet:
    """Lines, circles and words in millimetres, y upwards, of any size; cut into pages."""

    def __init__(self, name, width, height):
        self.name, self.width, self.height, self.parts = name, width, height, []

    def line(self, x1, y1, x2, y2, width=0.2, dashes=""):
        self.parts.append("%s d %.3f w %.3f %.3f m %.3f %.3f l S" % (
            "[%s] 0" % dashes, width * POINT, x1 * POINT, y1 * POINT, x2 * POINT, y2 * POINT))

    def box(self, x, y, width, height, line=0.3):
        self.parts.append("[] 0 d %.3f w %.3f %.3f %.3f %.3f re S" % (
            line * POINT, x * POINT, y * POINT, width * POINT, height * POINT))

    def circle(self, x, y, diameter, line=0.3):
        r, k = diameter / 2, diameter / 2 * 0.5523
        curve = "%.3f %.3f %.3f %.3f %.3f %.3f c"
        p = [v * POINT for v in (x + r, y + k, x + k, y + r, x, y + r, x - k, y + r, x - r, y + k, x - r, y,
                                 x - r, y - k, x - k, y - r, x, y - r, x + k, y - r, x + r, y - k, x + r, y)]
        self.parts.append("[] 0 d %.3f w %.3f %.3f m " % (line * POINT, (x + r) * POINT, y * POINT)
                          + " ".join(curve % tuple(p[at:at + 6]) for at in range(0, 24, 6)) + " S")

    def cross(self, x, y, arm=4.0):
        self.line(x - arm, y, x + arm, y)
        self.line(x, y - arm, x, y + arm)

    def text(self, x, y, words, size=3.5):
        words = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self.parts.append("BT /F1 %.3f Tf %.3f %.3f Td (%s) Tj ET" % (size * POINT, x * POINT, y * POINT, words))

    def tiles(self):
        """Number of columns and rows of pages, and the step between them."""
        step = tuple(side - 2 * MARGIN - OVERLAP for side in PAGE)
        count = tuple(max(1, -int(-(full - OVERLAP) // one)) for full, one in zip((self.width, self.height), step))
        return count, step

    def page(self, column, row, count, step):
        """The content of one page: what lies there of the sheet, its frame, its name and the line to measure."""
        x, y = column * step[0], row * step[1]
        inner = tuple(side - 2 * MARGIN for side in PAGE)
        window = Sheet(self.name, *PAGE)
        window.box(MARGIN, MARGIN, *inner, line=0.1)
        if column + 1 < count[0]:
            window.line(PAGE[0] - MARGIN - OVERLAP, MARGIN, PAGE[0] - MARGIN - OVERLAP, PAGE[1] - MARGIN, 0.1, "4 3")
        if row + 1 < count[1]:
            window.line(MARGIN, PAGE[1] - MARGIN - OVERLAP, PAGE[0] - MARGIN, PAGE[1] - MARGIN - OVERLAP, 0.1, "4 3")
        window.text(MARGIN, 5, "%s: column %d of %d from the left, row %d of %d from below" % (
            self.name, column + 1, count[0], row + 1, count[1]), 3)
        window.line(MARGIN, 3, MARGIN + 100, 3, 0.3)
        for end in (MARGIN, MARGIN + 100):
            window.line(end, 1.5, end, 4.5, 0.3)
        window.text(MARGIN + 102, 2, "100 mm: measure before you cut", 3)
        clip = "q %.3f %.3f %.3f %.3f re W n 1 0 0 1 %.3f %.3f cm" % tuple(v * POINT for v in (
            MARGIN, MARGIN, *inner, MARGIN - x, MARGIN - y))
        return "\n".join([clip, "/Sheet Do", "Q", *window.parts])

    def pdf(self):
        """The file: a catalogue, a font, the whole sheet, and two objects for each page."""
        count, step = self.tiles()
        contents = [self.page(column, row, count, step) for row in reversed(range(count[1])) for column in range(count[0])]
        pages = ["%d 0 R" % (5 + 2 * index) for index in range(len(contents))]
        objects = ["<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
                   "<< /Type /Pages /Kids [%s] /Count %d >>" % (" ".join(pages), len(pages)),
                   "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
        whole = "\n".join(self.parts)
        objects.append("<< /Type /XObject /Subtype /Form /BBox [-10 -10 %.3f %.3f] /Resources << /Font << /F1 3 0 R >> >>"
                       " /Length %d >>\nstream\n%s\nendstream"
                       % (self.width * POINT + 10, self.height * POINT + 10, len(whole.encode("latin-1")), whole))
        for index, content in enumerate(contents):
            objects.append("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.3f %.3f] /Contents %d 0 R"
                           " /Resources << /Font << /F1 3 0 R >> /XObject << /Sheet 4 0 R >> >> >>"
                           % (PAGE[0] * POINT, PAGE[1] * POINT, 6 + 2 * index))
            objects.append("<< /Length %d >>\nstream\n%s\nendstream" % (len(content.encode("latin-1")), content))
        out, places = b"%PDF-1.4\n", []
        for number, body in enumerate(objects, 1):
            places.append(len(out))
            out += ("%d 0 obj\n%s\nendobj\n" % (number, body)).encode("latin-1")
        start = len(out)
        out += ("xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)).encode()
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        return out + ("trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)).encode()


def board():
    """The board from below: squares with their names mirrored, switches, the frame, where no steel may be."""
    side = 8 * SQUARE + 2 * FRAME
    sheet = Sheet("Board, from below", side, side)
    sheet.box(0, 0, side, side)
    sheet.box(FRAME, FRAME, 8 * SQUARE, 8 * SQUARE)
    for number in range(1, 8):
        at = FRAME + number * SQUARE
        sheet.line(at, FRAME, at, side - FRAME)
        sheet.line(FRAME, at, side - FRAME, at)
    for rank in range(8):
        for file in range(8):
            # Seen from below, file a is on the right.
            x, y = FRAME + (7 - file + 0.5) * SQUARE, FRAME + (rank + 0.5) * SQUARE
            sheet.cross(x, y)
            sheet.circle(x, y, SWITCH_HOLE)
            sheet.text(x + 6, y + 6, "abcdefgh"[file] + str(rank + 1), 6)
    for x, y in ((12.5, 12.5), (side - 12.5, 12.5), (12.5, side - 12.5), (side - 12.5, side - 12.5)):
        sheet.circle(x, y, 4)
    sheet.text(FRAME + 4, side - 16, "Black's side. This is the board FROM BELOW: file a is on the right.", 5)
    sheet.text(FRAME + 4, 10, "White's side. Brass screws of 4 mm in the corners; no steel within 40 mm of a switch.", 5)
    return sheet


def tray():
    """A reserve tray from below: slots in the owner's order, mirrored."""
    wall = 6.0
    width, height = 8 * SLOT + 2 * wall, 2 * SLOT + 2 * wall
    sheet = Sheet("Reserve tray, from below", width, height)
    sheet.box(0, 0, width, height)
    sheet.box(wall, wall, 8 * SLOT, 2 * SLOT)
    for slot in range(16):
        # Seen from above slot 0 is at the owner's left in front and slot 8 behind it; from below left and right are exchanged.
        x, y = wall + (7 - slot % 8 + 0.5) * SLOT, wall + (slot // 8 + 0.5) * SLOT
        sheet.cross(x, y)
        sheet.circle(x, y, SWITCH_HOLE)
        sheet.text(x + 5, y + 5, str(slot), 6)
    sheet.text(wall + 2, wall + 2, "owner's side", 4)
    return sheet


#: The clock's case, as cases/clock.scad has it: width, depth of the top, buttons, their distance from the middle.
CLOCK_WIDTH, CLOCK_TOP, CLOCK_FRONT = 190.0, 60.0, 62.0
BUTTON, BUTTON_AT = 24.0, 65.0
DISPLAY, DISPLAY_AT = (31.0, 15.0), 45.0
KEY, KEYS_AT = 7.0, (-24.0, -8.0, 8.0, 24.0)


def clock():
    """The clock's top with its buttons, and its front with displays and keys."""
    sheet = Sheet("Clock, top and front", CLOCK_WIDTH, CLOCK_TOP + CLOCK_FRONT + 20)
    middle = CLOCK_WIDTH / 2
    top = CLOCK_FRONT + 20
    sheet.box(0, top, CLOCK_WIDTH, CLOCK_TOP)
    sheet.text(4, top + 4, "top", 4)
    for side, name in ((-1, "White"), (1, "Black")):
        x = middle + side * BUTTON_AT
        sheet.cross(x, top + CLOCK_TOP / 2)
        sheet.circle(x, top + CLOCK_TOP / 2, BUTTON)
        sheet.text(x - 7, top + 6, name, 4)
    sheet.box(0, 0, CLOCK_WIDTH, CLOCK_FRONT)
    sheet.text(4, 4, "front, leaning back by 25 degrees", 4)
    for side in (-1, 1):
        x, y = middle + side * DISPLAY_AT, CLOCK_FRONT * 0.62
        sheet.box(x - DISPLAY[0] / 2, y - DISPLAY[1] / 2, *DISPLAY)
        sheet.cross(x, y)
    for x, word in zip(KEYS_AT, ("mode", "-", "+", "pause")):
        sheet.circle(middle + x, 16, KEY)
        sheet.cross(middle + x, 16)
        sheet.text(middle + x - 5, 7, word, 3.5)
    return sheet


TEMPLATES = {"board.pdf": board, "tray.pdf": tray, "clock.pdf": clock}


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    differing = []
    for name, draw in TEMPLATES.items():
        pdf, path = draw().pdf(), FOLDER / name
        if not check:
            FOLDER.mkdir(exist_ok=True)
            path.write_bytes(pdf)
        elif not path.exists() or path.read_bytes() != pdf:
            differing.append(name)
    if differing:
        sys.exit("templates that differ: %s. Write them with: python3 docs/hardware/templates.py" % ", ".join(differing))


if __name__ == "__main__":
    main()
