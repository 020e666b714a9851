#!/usr/bin/env python3
"""The list of parts as a table to fill in: parts.csv. Quantities of a table and of a hall are computed here, once.

    python3 docs/hardware/parts.py              writes parts.csv; prices that were filled in stay
    python3 docs/hardware/parts.py --check      says whether it is what is computed here; writes nothing
    python3 docs/hardware/parts.py --sum        adds up the prices that were filled in

A spreadsheet that opens the file adds up by itself: its sums are formulas.
"""

import csv
import io
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parent / "parts.csv"

HEADINGS = ["part", "value that matters", "maker's number, and where it was read", "instead", "a board", "a tray", "a clock", "a hub",
            "a set of pieces", "a table", "a hall of 50", "price each", "table, sum", "hall, sum"]
#: Boards, trays, clocks, hubs and sets of pieces that a table has.
TABLE = (2, 4, 2, 1, 2)
TABLES = 50
#: More of everything that breaks or gets lost, in a hall: one in ten.
SPARE = 10

#: Part, value, number, instead, and how many a board (reed matrix), a tray, a clock, a hub, a set of pieces have.
PARTS = [
    ("microcontroller board", "RP2040, 2 MB flash, W25Q-type flash chip", "Raspberry Pi Pico or Pico H (Raspberry Pi Pico data sheet)",
     "Pico 2: image built, never run", (1, 0, 1, 0, 0)),
    ("reed switch", "normally open, glass 10 mm, 15-20 AT, one batch", "Littelfuse MDSR-10 (its data sheet)", "any of these values; order a sample",
     (64, 16, 0, 0, 0)),
    ("diode", "silicon, 100 V, 4 ns", "1N4148 (Vishay data sheet)", "1N914, BAT85", (64, 16, 0, 0, 0)),
    ("plywood", "6 mm, 510 x 510 mm", "", "MDF 6 mm", (1, 0, 0, 0, 0)),
    ("hardboard", "3 mm, 456 x 456 mm: carries the switches", "", "plywood 3 mm", (1, 0, 0, 0, 0)),
    ("wood for frames", "25 x 25 mm, metres", "", "printed parts: cases/", (2, 0, 0, 0, 0)),
    ("tray box", "412 x 112 x 38 mm: cases/tray.scad", "", "wood, 6 mm", (0, 1, 0, 0, 0)),
    ("hook-up wire", "0.14 to 0.25 mm2, metres", "", "", (12, 1, 2, 0, 0)),
    ("ribbon cable with connectors", "10 wires, 0.5 m, cannot be turned round", "", "", (0, 1, 0, 0, 0)),
    ("USB cable", "data and power, 1.5 to 3 m, micro USB", "", "", (1, 0, 1, 0, 0)),
    ("rubber foot", "", "", "felt", (4, 4, 4, 0, 0)),
    ("brass screw", "4 x 20 mm", "", "nylon; no steel", (4, 0, 0, 0, 0)),
    ("push button", "24 mm, sturdy, closes to ground", "", "lever with a micro switch: one", (0, 0, 2, 0, 0)),
    ("display module", "TM1637, four digits with colon, 3.3 V", "Titan Micro TM1637 (its data sheet)", "one 2 x 16 HD44780 with PCF8574",
     (0, 0, 2, 0, 0)),
    ("resistor", "470 ohm, in each display's DIO", "", "330 to 560 ohm", (0, 0, 2, 0, 0)),
    ("small key", "for mode, minus, plus, pause", "", "", (0, 0, 4, 0, 0)),
    ("tilt switch", "ball", "SW-520D (as sold)", "none: leave open", (0, 0, 1, 0, 0)),
    ("buzzer", "piezo without electronics, and 1 kohm", "", "none", (0, 0, 1, 0, 0)),
    ("clock supply", "5 V, 1 A, enclosed, approved in your country", "", "powered USB hub", (0, 0, 1, 0, 0)),
    ("Schottky diode", "1 A, 20 V or more: from the supply into VSYS", "1N5817 (onsemi data sheet)", "1N5819, BAT60A", (0, 0, 1, 0, 0)),
    ("clock case", "190 x 86 x 56 mm: cases/clock.scad", "", "wood", (0, 0, 1, 0, 0)),
    ("weight", "300 g", "", "", (0, 0, 1, 0, 0)),
    ("hub computer", "2 GB or more", "Raspberry Pi 4 B (its product brief)", "3 B+", (0, 0, 0, 1, 0)),
    ("hub supply", "5.1 V, 3 A", "", "", (0, 0, 0, 1, 0)),
    ("SD card", "32 GB, A1 or better", "", "USB SSD", (0, 0, 0, 1, 0)),
    ("hub case", "lets air through", "", "", (0, 0, 0, 1, 0)),
    ("network cable", "", "", "", (0, 0, 0, 1, 0)),
    ("chess set", "weighted, king's base 36 to 42 mm, 34 pieces", "", "", (0, 0, 0, 0, 1)),
    ("magnet", "neodymium disc 12 x 3 mm, N35", "", "", (0, 0, 0, 0, 34)),
    ("epoxy and felt", "two-part; 1 mm", "", "", (0, 0, 0, 0, 1)),
]


def filled_in():
    """Prices of the file that is there, by part."""
    if not FILE.exists():
        return {}
    with FILE.open(newline="", encoding="utf-8") as file:
        return {row["part"]: row.get("price each", "") for row in csv.DictReader(file) if row.get("price each")}


def counts(each):
    """How many a table and a hall have."""
    table = sum(one * many for one, many in zip(each, TABLE))
    hall = table * TABLES
    return table, hall + -(-hall // SPARE)


def rows(prices):
    """All lines of the file."""
    lines = [HEADINGS]
    for number, (part, value, maker, instead, each) in enumerate(PARTS, 2):
        table, hall = counts(each)
        lines.append([part, value, maker, instead, *each, table, hall, prices.get(part, ""),
                      "=J%d*L%d" % (number, number), "=K%d*L%d" % (number, number)])
    last = len(PARTS) + 1
    lines.append(["sum", *[""] * 11, "=SUM(M2:M%d)" % last, "=SUM(N2:N%d)" % last])
    return lines


def text(prices):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows(prices))
    return out.getvalue()


def total(prices):
    """Sums of a table and of a hall, and the parts that have no price yet."""
    table = hall = 0.0
    missing = []
    for part, *_, each in PARTS:
        try:
            price = float(prices[part].replace(",", "."))
        except (KeyError, ValueError):
            missing.append(part)
            continue
        of_table, of_hall = counts(each)
        table, hall = table + of_table * price, hall + of_hall * price
    return table, hall, missing


def main():
    prices = filled_in()
    if sys.argv[1:] == ["--check"]:
        if not FILE.exists() or FILE.read_text(encoding="utf-8") != text({}):
            sys.exit("parts.csv differs. Write it with: python3 docs/hardware/parts.py")
    elif sys.argv[1:] == ["--sum"]:
        table, hall, missing = total(prices)
        print("a table: %.2f, a hall of %d with spares: %.2f" % (table, TABLES, hall))
        if missing:
            print("without a price: %s" % ", ".join(missing))
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        FILE.write_text(text(prices), encoding="utf-8")


if __name__ == "__main__":
    main()
