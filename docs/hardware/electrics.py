#!/usr/bin/env python3
"""Computes every number of the build guide that is not read from a data sheet.

    python3 docs/hardware/electrics.py            prints all sections
    python3 docs/hardware/electrics.py magnets    prints one: levels, settling, magnets, currents
    python3 docs/hardware/electrics.py --check    says which computed figure a page of the guide does not have; writes nothing

Only the standard library. Typical values of parts stand at the top with the data sheet they are from; change them to
what you bought and run it again.
"""

import contextlib
import io
import math
import pathlib
import re
import sys

# --- Raspberry Pi RP2040 data sheet, table "Digital IO characteristics" at 3.3 V, and "ADC characteristics"
SUPPLY_V = 3.3
INPUT_LOW_MAX_V = 0.8
INPUT_HIGH_MIN_V = 2.0
PULL_UP_OHM = (50e3, 80e3)
PIN_LEAKAGE_A = 1e-6
OUTPUT_LOW_OHM = 50.0  # slope of a pin driven low; the sheet promises 0.5 V at the rated 4 mA, which is 125 ohms
OUTPUT_LOW_WORST_OHM = 125.0
ADC_COUNTS = 4096
ADC_SAMPLE_US = 2.0  # 96 cycles at 48 MHz
# --- 1N4148 (Vishay, onsemi): diode equation fitted to the sheets' forward curve; junction 4 pF at most
DIODE_SATURATION_A, DIODE_SLOPE_V = 2.52e-9, 1.752 * 0.02585
DIODE_COLD_V = 0.05  # at 0 instead of 25 degrees: 2 mV a degree
DIODE_F = 4e-12
# --- 74HC4067 (Nexperia): 80 ohms at 4.5 V; about twice that at 3.3 V. Common pin and four chips in parallel: estimate.
MUX_OHM, MUX_COMMON_F = 160.0, 4 * 45e-12 + 60e-12
# --- DRV5055A2 (Texas Instruments) at 3.3 V: 30 mV/mT, 6 mA typical, 10 mA at most
HALL_MV_PER_MT, HALL_MA, HALL_MAX_MA = 30.0, 6.0, 10.0
#: Of the firmware (node-firmware/src/hall.rs): from so many counts on a square is occupied; so many counts are a level.
OCCUPIED_COUNTS, COUNTS_PER_LEVEL = 112, 16
# --- Reed switch of 10 mm glass, 15 AT (Littelfuse MDSR-10 10-15): ampere-turns turned into a field by a test coil
# as long as the glass with a mean radius of 3 mm. An estimate: measure your switches with your magnets.
COIL_LENGTH_M, COIL_RADIUS_M = 10.2e-3, 3e-3
OPERATE_AT, RELEASE_AT = 15.0, 5.0
REED_MM = 10.0
# --- Sintered neodymium N35: remanence 1.17 to 1.22 T
REMANENCE_T = 1.2
VACUUM = 4e-7 * math.pi


def parallel(a, b):
    return a * b / (a + b)


def diode_v(current_a):
    return DIODE_SLOPE_V * math.log(current_a / DIODE_SATURATION_A + 1)


def column_low(pull_up_ohm, closed_in_row, pin_ohm):
    """Voltage of a column whose switch is closed while its row is low, and the current through it."""
    current = 50e-6
    for _ in range(60):
        volts = diode_v(current) + current * closed_in_row * pin_ohm
        current = 0.5 * current + 0.5 * (SUPPLY_V - volts) / pull_up_ohm
    return volts, current


def levels():
    print("levels of a column that is read low (limit %.1f V)" % INPUT_LOW_MAX_V)
    print("pull-up    pieces in row   current of column   level   in the cold, worst pin   to spare")
    for name, ohm in (("inside", PULL_UP_OHM[0]), ("inside", PULL_UP_OHM[1]),
                      ("+ 47k", parallel(PULL_UP_OHM[0], 47e3)), ("+ 10k", parallel(PULL_UP_OHM[0], 10e3))):
        for closed in (1, 8):
            volts, current = column_low(ohm, closed, OUTPUT_LOW_OHM)
            worst = column_low(ohm, closed, OUTPUT_LOW_WORST_OHM)[0] + DIODE_COLD_V
            print("%-6s %2.0f k   %d      %17.0f uA   %.2f V   %19.2f V   %+.2f V"
                  % (name, ohm / 1e3, closed, current * 1e6, volts, worst, INPUT_LOW_MAX_V - worst))
    high = SUPPLY_V - PIN_LEAKAGE_A * PULL_UP_OHM[1]
    print("level of an open column, with the pin's leakage: %.2f V (limit %.1f V)" % (high, INPUT_HIGH_MIN_V))


def settling():
    print("how long a column takes to be high again after its row is let go")
    for cable_m in (0.3, 1.0):
        farad = 12 * DIODE_F + 5e-12 + cable_m * 100e-12
        for name, ohm in (("80 k inside", PULL_UP_OHM[1]), ("+ 47k", parallel(PULL_UP_OHM[1], 47e3)),
                          ("+ 10k", parallel(PULL_UP_OHM[1], 10e3))):
            low, _ = column_low(ohm, 1, OUTPUT_LOW_OHM)
            time = ohm * farad * math.log((SUPPLY_V - low) / (SUPPLY_V - INPUT_HIGH_MIN_V))
            print("  %.1f m of wire, %3.0f pF, %-11s  time constant %4.1f us   high after %4.1f us   12 rows %4.0f us"
                  % (cable_m, farad * 1e12, name, ohm * farad * 1e6, time * 1e6, 12 * time * 1e6))
    tau = MUX_OHM * MUX_COMMON_F
    print("multiplexer: %.0f ohms into %.0f pF: %.0f ns; to half a count of %d: %.0f ns; 64 squares at %.0f us a sample: %.0f us"
          % (MUX_OHM, MUX_COMMON_F * 1e12, tau * 1e9, ADC_COUNTS, tau * math.log(2 * ADC_COUNTS) * 1e9,
             ADC_SAMPLE_US, 64 * (ADC_SAMPLE_US + 1)))


def field_mt(diameter_mm, height_mm, aside_mm, below_mm):
    """Field of a disc magnet with upright axis, in mT: (towards the side, downwards), at a point so far aside of its
    axis and below its lower face. Two charged discs, summed over rings."""
    rings, parts = 12, 36
    radius, sideways, down = diameter_mm / 2, 0.0, 0.0
    for ring in range(rings):
        r = radius * (ring + 0.5) / rings
        area = 2 * math.pi * r * radius / rings / parts
        for part in range(parts):
            angle = 2 * math.pi * (part + 0.5) / parts
            x, y = aside_mm - r * math.cos(angle), r * math.sin(angle)
            for z, sign in ((below_mm, 1), (below_mm + height_mm, -1)):
                cube = (x * x + y * y + z * z) ** 1.5
                sideways += sign * x / cube * area
                down += sign * z / cube * area
    scale = REMANENCE_T * 1e3 / (4 * math.pi)
    return sideways * scale, down * scale


def along_upright_mt(diameter_mm, height_mm, aside_mm, gap_mm, steps=6):
    """Mean field along an upright switch whose glass begins `gap_mm` below the magnet."""
    points = [gap_mm + REED_MM * (i + 0.5) / steps for i in range(steps)]
    return sum(field_mt(diameter_mm, height_mm, aside_mm, z)[1] for z in points) / steps


def along_lying_mt(diameter_mm, height_mm, aside_mm, gap_mm, steps=6):
    """Mean field along a switch that lies flat, its middle `aside_mm` from the magnet's axis."""
    points = [aside_mm - REED_MM / 2 + REED_MM * (i + 0.5) / steps for i in range(steps)]
    return sum(field_mt(diameter_mm, height_mm, x, gap_mm + 1)[0] for x in points) / steps


def operate_mt(ampere_turns):
    return VACUUM * ampere_turns / math.hypot(COIL_LENGTH_M, 2 * COIL_RADIUS_M) * 1e3


def reach_mm(diameter_mm, height_mm, gap_mm, wanted_mt):
    """How far aside the piece may stand and still close an upright switch."""
    aside = 0.0
    while aside < 40 and along_upright_mt(diameter_mm, height_mm, aside, gap_mm) >= wanted_mt:
        aside += 0.25
    return max(aside - 0.25, 0)


def push_grams(diameter_mm, height_mm, apart_mm):
    """Force between two equal magnets side by side, poles alike, in grams of weight (dipoles)."""
    volume = math.pi * (diameter_mm / 2e3) ** 2 * height_mm / 1e3
    moment = REMANENCE_T * volume / VACUUM
    return 3 * VACUUM * moment ** 2 / (4 * math.pi * (apart_mm / 1e3) ** 4) / 9.81 * 1e3


REED_MAGNETS = ((8, 3), (10, 3), (12, 3), (12, 4), (15, 3), (15, 5))
#: Magnets by type for boards that read magnitude, smallest first.
TYPE_MAGNETS = (("pawn", 8, 3), ("knight", 10, 3), ("bishop", 10, 5), ("rook", 15, 3), ("queen", 15, 4), ("king", 15, 5))
GAP_MM = 9.0
HALL_GAP_MM = 12.0


def magnets():
    operate, release = operate_mt(OPERATE_AT), operate_mt(RELEASE_AT)
    print("reed switch: closes at %.1f mT (%.0f AT), opens below %.1f mT (%.0f AT)"
          % (operate, OPERATE_AT, release, RELEASE_AT))
    print("upright switch, glass %.0f mm below the magnet:" % GAP_MM)
    print("magnet    centred   closes within   one neighbour at 57 mm   8 neighbours   tray: 5 at 50 mm   push at 57 / 30 mm")
    for d, h in REED_MAGNETS:
        beside = along_upright_mt(d, h, 57, GAP_MM)
        across = along_upright_mt(d, h, 57 * math.sqrt(2), GAP_MM)
        tray = 3 * along_upright_mt(d, h, 50, GAP_MM) + 2 * along_upright_mt(d, h, 50 * math.sqrt(2), GAP_MM)
        print("%2d x %d mm %6.1f mT %9.1f mm %18.2f mT %15.2f mT %15.2f mT %10.1f / %.1f g"
              % (d, h, along_upright_mt(d, h, 0, GAP_MM), reach_mm(d, h, GAP_MM, operate), beside,
                 4 * beside + 4 * across, tray, push_grams(d, h, 57), push_grams(d, h, 30)))
    print("12 x 4 mm at other gaps:")
    for gap in (4, 6, 9, 12, 15):
        print("  %2d mm: %5.1f mT centred, closes within %.1f mm; 8 neighbours %.2f mT"
              % (gap, along_upright_mt(12, 4, 0, gap), reach_mm(12, 4, gap, operate),
                 4 * along_upright_mt(12, 4, 57, gap) + 4 * along_upright_mt(12, 4, 57 * math.sqrt(2), gap)))
    print("12 x 4 mm over a switch that lies flat: centred %.1f mT; 6 mm aside %.1f mT; 12 mm aside %.1f mT"
          % (abs(along_lying_mt(12, 4, 0, GAP_MM)), along_lying_mt(12, 4, 6, GAP_MM), along_lying_mt(12, 4, 12, GAP_MM)))
    print("how far aside a 12 x 3 mm magnet closes switches of 10, 15 and 20 AT: %s mm"
          % ", ".join("%.1f" % reach_mm(12, 3, GAP_MM, operate_mt(turns)) for turns in (10, 15, 20)))
    for d, h in ((10, 3), (12, 3), (12, 4)):
        most, aside = max((abs(on_its_side_mt(d, h, 14, GAP_MM, mm)), mm) for mm in range(40))
        print("pawn on its side (base of 28 mm), magnet %d x %d mm: none straight over an upright switch, at most %.1f mT, %d mm aside"
              % (d, h, most, aside))
    print("hall sensor %.0f mm below the magnet, DRV5055A2 at 3.3 V:" % HALL_GAP_MM)
    counts_per_mt = HALL_MV_PER_MT / SUPPLY_V / 1e3 * ADC_COUNTS
    for name, d, h in TYPE_MAGNETS + (("all, for colours", 12, 3),):
        centred, reach = field_mt(d, h, 0, HALL_GAP_MM)[1], 0.0
        off = [field_mt(d, h, aside, HALL_GAP_MM)[1] for aside in (2, 4, 6)]
        while field_mt(d, h, reach + 0.25, HALL_GAP_MM)[1] * counts_per_mt >= OCCUPIED_COUNTS:
            reach += 0.25
        print("  %-7s %2d x %d mm %5.1f mT %5.0f mV %4.0f counts, level %2.0f; 2, 4, 6 mm off centre: %s; seen within %.1f mm"
              % (name, d, h, centred, centred * HALL_MV_PER_MT, centred * counts_per_mt,
                 centred * counts_per_mt / COUNTS_PER_LEVEL,
                 ", ".join("-%.0f %%" % (100 * (1 - value / centred)) for value in off), reach))
    for name, d, h in TYPE_MAGNETS[::5]:
        print("  a %s on the square beside: %.2f mT" % (name, field_mt(d, h, 57, HALL_GAP_MM)[1]))


def on_its_side_mt(diameter_mm, height_mm, axis_above_mm, gap_mm, aside_mm, steps=6):
    """Mean downward field along an upright switch of a magnet whose axis is level (towards the switch), by reciprocity of
    a dipole: the middle of the magnet `axis_above_mm` above the piece's felt, `aside_mm` from the switch's axis."""
    moment = REMANENCE_T * math.pi * (diameter_mm / 2e3) ** 2 * height_mm / 1e3 / VACUUM
    total = 0.0
    for i in range(steps):
        z = (axis_above_mm + gap_mm - 1 + REED_MM * (i + 0.5) / steps) / 1e3
        x = aside_mm / 1e3
        total += 1e-7 * moment * 3 * x * z / (x * x + z * z) ** 2.5 * 1e3
    return total / steps


#: What is assumed to be drawn from 5 V, in mA: typical, and what to plan for.
CURRENTS = (
    ("Pico (Raspberry Pi Pico data sheet: tens of mA by what it does)", 25, 50),
    ("reed matrix beside it (computed above: below 1 mA)", 1, 1),
    ("12 x 74HC165 with 10 k pull-ups, 32 pieces on / every switch closed", 11, 32),
    ("64 x DRV5055 or SS49E (6 mA typical; DRV5055 10 mA at most)", 64 * HALL_MA, 64 * HALL_MAX_MA),
    ("two TM1637 displays of four digits (assumed 40 mA; measure yours at full brightness)", 80, 160),
    ("2 x 16 character display with back light (assumed; measure yours)", 40, 120),
    ("piezo buzzer, while it sounds", 5, 30),
    ("SP3485 into two 120 ohm ends, while it sends (1.5 V into 54 ohms)", 1, 35),
    ("Raspberry Pi 4 B (Raspberry Pi documentation: 600 mA bare board, supply of 3 A)", 600, 1200),
)


def currents():
    typical = {name: values for name, *values in CURRENTS}
    for name, usual, plan in CURRENTS:
        print("%5.0f mA typical, %5.0f mA to plan for   %s" % (usual, plan, name))
    pick = lambda *starts: [sum(values[i] for name, values in typical.items() if name.startswith(starts)) for i in (0, 1)]
    nodes = (("matrix board", pick("Pico", "reed matrix")), ("shift-register board", pick("Pico", "12 x")),
             ("hall board with trays", [a + b / 3 for a, b in zip(pick("Pico", "64 x"), pick("12 x"))]),
             ("clock with seven segments", pick("Pico", "two TM", "piezo")),
             ("clock with characters", pick("Pico", "2 x 16", "piezo")))
    print()
    for name, (usual, plan) in nodes:
        print("%5.0f mA typical, %5.0f mA to plan for   %s" % (usual, plan, name))
    known, pi = dict(nodes), pick("Raspberry Pi 4")
    print()
    for name, board in (("reed", "matrix board"), ("hall", "hall board with trays")):
        amps = [(pi[i] + 2 * known[board][i] + 2 * known["clock with seven segments"][i]) / 1e3 for i in (0, 1)]
        print("table, %s: %.1f A typical (%.0f W), %.1f A to plan for (%.0f W) at 5 V; 50 tables: %.0f W typical, %.0f W to plan for"
              % (name, amps[0], amps[0] * 5, amps[1], amps[1] * 5, amps[0] * 250, amps[1] * 250))
        # Supplies turn about 80 % of what they take into 5 V.
        wall = amps[1] * 250 / 0.8
        print("   at the wall, planned, supplies of 80 %%: %.0f W: %.1f A at 230 V, %.1f A at 120 V" % (wall, wall / 230, wall / 120))


#: What the guide's pages repeat: page, pattern of a printed line, and the page's words with what the pattern found.
QUOTED = (
    ("board.md", r"inside 80 k   1 +(\d+) uA   (\S+) V", r"| \2 to "),
    ("board.md", r"inside 50 k   1 +(\d+) uA   (\S+) V", r" to \2 V | below 0.8 V"),
    ("board.md", r"inside 80 k   8 .* V +(\S+) V   \+", r"| \1 to "),
    ("board.md", r"inside 50 k   8 .* V +(\S+) V   \+", r" to \1 V | below 0.8 V"),
    ("board.md", r"\+ 47k .* 8 .* V +(\S+) V   \+", r"still \1 V"),
    ("board.md", r"\+ 10k .* 8 .* V +(\S+) V   -", r"may reach \1 V"),
    ("board.md", r"pin's leakage: (\S+) V", r"| \1 V | above 2.0 V |"),
    ("board.md", r"1\.0 m of wire.*80 k inside.*high after +(\S+) us", r"| \1 µs |"),
    ("magnets.md", r"^ ?(\d+) x (\d) mm +(\S+) mT +(\S+) mm +\S+ mT +-(\S+) mT", r"\1 × \2 mm | \3 mT | \4 mm | −\5 mT"),
    ("magnets.md", r"^ +(\w+) +(\d+) x (\d) mm +(\S+) mT +(\d+) mV +(\S+) counts, level (\d+).*: \S+ %, -(\d+) %,.*within (\S+) mm",
     r"| \1 | \2 × \3 mm | \4 mT | \5 mV, \6 counts | \7 | −\8 % | \9 mm |"),
    ("magnets.md", r"12 x 3 mm: none straight .* at most (\S+) mT", r"at most \1 mT (12 × 3 mm)"),
    ("hall.md", r"^table, \w+: (\S+) A typical \((\d+) W\), (\S+) A to plan for \((\d+) W\)", r"| \1 A"),
    ("hall.md", r"50 tables: (\d+) W typical, (\d+) W", r"| \1 W | \2 W; at the wall"),
    ("hall.md", r"at the wall, planned.*: (\d+) W: (\S+) A at 230 V, (\S+) A at", r"\1 W, \2 A at 230 V or \3 A at"),
)
#: Magnets that are printed for comparison and stand on no page.
NOT_QUOTED = "15 × 3 mm | 22.8"


def plain(words):
    """Words as pages and output write them alike: without emphasis, thousands' commas and runs of spaces."""
    return re.sub(r"\s+", " ", re.sub(r"\*\*|(?<=\d),(?=\d{3}\b)", "", words))


def check():
    """Holds the pages to what is computed here."""
    printed, missing = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        for section in SECTIONS.values():
            section()
    for page, pattern, words in QUOTED:
        text = plain((pathlib.Path(__file__).resolve().parent / page).read_text(encoding="utf-8"))
        found = list(re.finditer(pattern, printed.getvalue(), re.MULTILINE))
        quotes = [one.expand(words) for one in found] or [pattern]
        missing += ["%s: %s" % (page, quote) for quote in quotes if quote not in text and not quote.startswith(NOT_QUOTED)]
    if missing:
        sys.exit("the guide lacks what is computed here:\n%s" % "\n".join(missing))


SECTIONS = {"levels": levels, "settling": settling, "magnets": magnets, "currents": currents}

if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check()
        sys.exit()
    chosen = sys.argv[1:] or list(SECTIONS)
    for name in chosen:
        if name not in SECTIONS:
            sys.exit("there is no section %r; there are %s" % (name, ", ".join(SECTIONS)))
    for name in chosen:
        print("== %s" % name)
        SECTIONS[name]()
        print()
