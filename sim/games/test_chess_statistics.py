# SPDX-License-Identifier: GPL-3.0-or-later
"""What the check of the chess games must find, and what clocks do under each time control."""

import pathlib
import tempfile
import unittest

import chess_statistics
from chess_pgn import Ply, as_pgn
from time_control import BadClock, BadTimeControl, TimeControl

FOOLS_MATE = [Ply("f3", 2_950), Ply("e5", 2_960), Ply("g4", 2_900), Ply("Qh4#", 2_900)]
TAGS = {
    "Event": "Test",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "001",
    "White": "Engine A",
    "Black": "Engine B",
    "Result": "0-1",
    "TimeControl": "300",
    "Termination": "normal",
    "Ending": "checkmate",
    "Annotator": "nobody",
}


class TheCheck(unittest.TestCase):
    """Each test spoils one thing in a game that is right."""

    def count(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "chess-001.pgn"
            path.write_text(text, "ascii")
            return chess_statistics.count([path])

    def refuses(self, sentence, plies=FOOLS_MATE, **tags):
        with self.assertRaisesRegex(chess_statistics.BadGame, sentence):
            self.count(as_pgn(TAGS | tags, plies))

    def test_a_right_game_is_counted(self):
        counts = self.count(as_pgn(TAGS, FOOLS_MATE))
        self.assertEqual(counts.of["ending: checkmate"], 1)
        self.assertEqual(counts.of["clock: plain"], 1)
        self.assertEqual(counts.lengths, [4])

    def test_few_games_are_not_complete(self):
        missing = self.count(as_pgn(TAGS, FOOLS_MATE)).missing()
        self.assertIn("1 games, 120 needed", missing)
        self.assertIn("0 ending: stalemate, 2 needed", missing)

    def test_an_illegal_ply_is_found(self):
        self.refuses("illegal san", [Ply("f3", 2_950), Ply("e6", 2_960), Ply("f3", 2_900)])

    def test_a_wrong_result_is_found(self):
        self.refuses("is not what checkmate makes it", Result="1-0")

    def test_an_ending_that_did_not_happen_is_found(self):
        self.refuses("the last position is no stalemate", Ending="stalemate", Result="1/2-1/2")
        self.refuses("the last position is no checkmate", FOOLS_MATE[:3])

    def test_a_mate_that_is_called_something_else_is_found(self):
        self.refuses("ends the game otherwise", Ending="resignation")

    def test_a_flag_needs_its_termination(self):
        self.refuses("does not fit Ending 'flag'", FOOLS_MATE[:2], Ending="flag")

    def test_a_rising_clock_is_found(self):
        self.refuses("the clock rose", [*FOOLS_MATE[:2], Ply("g4", 2_951), FOOLS_MATE[3]])

    def test_a_us_delay_raises_no_clock(self):
        self.refuses("the clock rose", [Ply("f3", 3_001), *FOOLS_MATE[1:]], Delay="5 us")

    def test_a_missing_clock_is_found(self):
        text = as_pgn(TAGS, FOOLS_MATE).replace("2. g4 {[%clk 0:04:50.0]}", "2. g4")
        with self.assertRaisesRegex(chess_statistics.BadGame, "2. g4: no clock"):
            self.count(text)

    def test_a_missing_mate_sign_is_found(self):
        with self.assertRaisesRegex(chess_statistics.BadGame, ":14: .* should be"):
            self.count(as_pgn(TAGS, FOOLS_MATE).replace("#", ""))

    def test_an_unreadable_time_control_is_found(self):
        self.refuses("'40/300' is not SECONDS or SECONDS.INCREMENT", TimeControl="40/300")


class AClock(unittest.TestCase):
    """Times in tenths of a second."""

    def test_runs_down_and_falls_at_zero(self):
        control = TimeControl.parse("300")
        self.assertEqual(control.after(100, 99, 1), 1)
        self.assertIsNone(control.after(100, 100, 1))

    def test_gains_the_increment_after_the_move(self):
        control = TimeControl.parse("180+2")
        self.assertEqual(control.after(100, 10, 1), 110)
        self.assertIsNone(control.after(100, 110, 1))

    def test_with_us_delay_waits_and_never_rises(self):
        control = TimeControl.parse("300", "5 us")
        self.assertEqual(control.after(100, 50, 1), 100)
        self.assertEqual(control.after(100, 51, 1), 99)
        self.assertEqual(control.after(10, 59, 1), 1)
        self.assertIsNone(control.after(10, 60, 1))

    def test_with_bronstein_gives_back_at_most_the_delay_and_at_most_what_was_used(self):
        control = TimeControl.parse("300", "3 bronstein")
        self.assertEqual(control.after(100, 20, 1), 100)
        self.assertEqual(control.after(100, 50, 1), 80)
        self.assertIsNone(control.after(20, 25, 1), "it runs out although the delay is longer")

    def test_gains_the_second_period_with_the_last_move_of_the_first(self):
        control = TimeControl.parse("40/300:240")
        self.assertEqual(control.after(100, 10, 39), 90)
        self.assertEqual(control.after(90, 10, 40), 2_480)
        self.assertEqual(control.after(2_480, 10, 80), 2_470)
        self.assertEqual([control.moves_left(made) for made in (0, 39, 40)], [40, 1, None])

    def test_shows_only_what_its_control_allows(self):
        increment = TimeControl.parse("180+2")
        increment.require(100, 120, 1)
        increment.require(100, 21, 1)
        for after_ds in (121, 20):
            with self.assertRaises(BadClock):
                increment.require(100, after_ds, 1)
        bronstein = TimeControl.parse("300", "3 bronstein")
        bronstein.require(100, 31, 1)
        bronstein.require(20, 20, 1)
        for before_ds, after_ds in ((100, 30), (100, 101), (20, 19)):
            with self.assertRaises(BadClock):
                bronstein.require(before_ds, after_ds, 1)

    def test_has_a_time_control_that_can_be_read(self):
        for tags in (("",), ("300+",), ("0",), ("40/300",), ("300:300",), ("300", "5"), ("300", "0 us")):
            with self.assertRaises(BadTimeControl, msg=tags):
                TimeControl.parse(*tags)


if __name__ == "__main__":
    unittest.main()
