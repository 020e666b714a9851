//! The thirteen moves of a conformance run: one game of chess from the start position in which each way of handling pieces occurs that boards
//! get wrong. A step is one ply, or one handling that is none. Pure.

use rules::Square;

/// Change of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands::doctor) struct Change {
    /// The square.
    pub(in crate::commands::doctor) square: Square,
    /// Whether a piece is put on it; else it is lifted.
    pub(in crate::commands::doctor) on: bool,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.square, if self.on { "on" } else { "off" })
    }
}

/// One thing that a person does at the board.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands::doctor) struct ScriptStep {
    /// Name for the person.
    pub(in crate::commands::doctor) name: &'static str,
    /// The changes, such as `e2 off, e4 on`, in the order in which they are made.
    pub(in crate::commands::doctor) how: &'static str,
    /// Whether the board may report them in another order: several hands, or a push, make them at once.
    pub(in crate::commands::doctor) is_any_order: bool,
}

const fn step(name: &'static str, how: &'static str) -> ScriptStep {
    ScriptStep { name, how, is_any_order: false }
}

/// All steps, in order.
pub(in crate::commands::doctor) const STEPS: [ScriptStep; 30] = [
    step("1. e4", "e2 off, e4 on"),
    step("1... a6", "a7 off, a6 on"),
    step("2. e5", "e4 off, e5 on"),
    step("2... d5", "d7 off, d5 on"),
    step("3. exd6 en passant, the captured pawn last", "e5 off, d6 on, d5 off"),
    step("3... exd6, the captured pawn first", "d6 off, e7 off, d6 on"),
    step("4. Nf3", "g1 off, f3 on"),
    step("a piece adjusted: the knight on b8", "b8 off, b8 on"),
    step("4... Nf6", "g8 off, f6 on"),
    step("5. Be2", "f1 off, e2 on"),
    step("5... Be7", "f8 off, e7 on"),
    step("6. O-O, the king first", "e1 off, g1 on, h1 off, f1 on"),
    step("6... O-O, the rook first", "h8 off, f8 on, e8 off, g8 on"),
    step("7. c4", "c2 off, c4 on"),
    step("7... h6", "h7 off, h6 on"),
    step("8. c5", "c4 off, c5 on"),
    step("8... b5", "b7 off, b5 on"),
    step("9. cxb6 en passant, the captured pawn first", "b5 off, c5 off, b6 on"),
    step("9... h5", "h6 off, h5 on"),
    step("10. b7", "b6 off, b7 on"),
    step("an illegal move taken back: bishop to e5", "e7 off, e5 on, e5 off, e7 on"),
    step("10... Ng4", "f6 off, g4 on"),
    step("11. bxa8, a queen on a8", "a8 off, b7 off, a8 on"),
    step("the promotion changed: a knight for the queen", "a8 off, a8 on"),
    step("11... g6", "g7 off, g6 on"),
    ScriptStep {
        name: "the board knocked: these pieces off in any order, then back in any order",
        how: "f1 off, g1 off, e2 off, f3 off, f1 on, g1 on, e2 on, f3 on",
        is_any_order: true,
    },
    step("12. d4", "d2 off, d4 on"),
    step("12... d5", "d6 off, d5 on"),
    step("13. Nb6", "a8 off, b6 on"),
    step("13... cxb6, the capturing pawn first", "c7 off, b6 off, b6 on"),
];

impl ScriptStep {
    /// The changes of this step.
    pub(in crate::commands::doctor) fn changes(&self) -> impl Iterator<Item = Change> {
        // A change that does not parse would be missing here; a test parses every step.
        self.how.split(", ").filter_map(|words| {
            let (square, way) = words.split_once(' ')?;
            Some(Change { square: square.parse().ok()?, on: way == "on" })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::commands::infer::infer;
    use inference::TrackerConfig;
    use inference::facts::Facts;
    use readings::{
        BoardHeader, InferredLine, Occupancy, Reading, ReadingKind, SensorKind, SquareReading,
        TraceHeader,
    };
    use rules::san::parse_san;
    use rules::{Bitboard, BoardId, Game, Position, Reserve, Supply};

    use super::*;

    #[test]
    fn every_step_names_only_changes() {
        for step in STEPS {
            assert_eq!(step.changes().count(), step.how.split(", ").count(), "{}", step.name);
            let words: Vec<String> = step.changes().map(|change| change.to_string()).collect();
            assert_eq!(words.join(", "), step.how);
        }
    }

    #[test]
    fn the_steps_are_a_legal_game_and_end_on_its_squares() {
        let mut position = Position::initial();
        let mut occupied: Bitboard = position.occupied();
        for step in STEPS {
            for change in step.changes() {
                assert_ne!(occupied.contains(change.square), change.on, "{}", step.name);
                occupied.toggle(change.square);
            }
            if let Some(move_text) = move_text(step.name) {
                let ply = parse_san(&position, move_text).expect(step.name);
                assert!(position.is_legal(ply, &Reserve::EMPTY, Supply::Nobody), "{}", step.name);
                position.play(ply);
            }
            assert_eq!(position.occupied(), occupied, "{}", step.name);
        }
    }

    #[test]
    fn a_board_without_a_clock_is_followed_and_shows_no_presses() {
        let header = BoardHeader { clockless: true, ..BoardHeader::new(SensorKind::Reed) };
        let boards = [(BoardId::A, header)].into();
        let mut header = TraceHeader::new("us-chess-blitz-2020", 300, boards);
        header.game = Game::Chess;
        let board = Some(BoardId::A);
        let mut t_us = 0;
        let occupied = Some(Occupancy::INITIAL);
        let kind = ReadingKind::Snapshot { occupied, squares: None };
        let mut readings = vec![Reading { t_us, board, kind }];
        for step in STEPS {
            t_us += 1_900_000;
            for change in step.changes() {
                t_us += 120_000;
                let reading =
                    if change.on { SquareReading::Occupied } else { SquareReading::Empty };
                let (square, reading) = (change.square, Some(reading));
                let kind = ReadingKind::Square { square, reading, level: None };
                readings.push(Reading { t_us, board, kind });
            }
        }
        let (lines, _) =
            infer(&header, &readings, TrackerConfig::default().beam, None, &Facts::default());
        let played = lines.iter().filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply.uci.to_string()),
            _ => None,
        });
        let mut position = Position::initial();
        for (step, uci) in STEPS.iter().filter_map(|step| move_text(step.name)).zip(played) {
            let ply = parse_san(&position, step).expect("a move");
            // Reeds do not tell to what a pawn is promoted.
            assert_eq!(uci[..4], ply.to_string()[..4], "{step}");
            position.play(ply);
        }
        let plies = lines.iter().filter(|line| matches!(line, InferredLine::Ply(_))).count();
        assert_eq!(plies, 26);
        // A bishop is put back and a board is knocked; there is no clock to press.
        for line in &lines {
            if let InferredLine::Anomaly(anomaly) = line {
                assert!(
                    ["touch-move", "displaced-pieces"].contains(&&*anomaly.code),
                    "{anomaly:?}"
                );
            }
        }
    }

    /// The move that a step's name begins with; the pawn on a8 ends as a knight.
    fn move_text(name: &str) -> Option<&str> {
        let (number, rest) = name.split_once(' ')?;
        number.starts_with(|first: char| first.is_ascii_digit()).then_some(())?;
        match rest.split([' ', ',']).next() {
            Some("bxa8") => Some("bxa8=N"),
            other => other,
        }
    }
}
