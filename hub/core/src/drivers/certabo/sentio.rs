//! Sentio: where something stands, and no more.

use std::collections::VecDeque;

use proto::link::HubTime;
use readings::{SensorKind, SquareReading};
use rules::Square;

use super::{LINE, Reader, SENTIO_NUMBERS};
use crate::drivers::board::{Board, Squares};
use crate::drivers::silence::LastHeard;
use crate::drivers::{BoardSenses, ConnectionState, Device, Driver, LineSettings, Output, Unit};

/// The driver of one board.
#[derive(Debug)]
pub(in crate::drivers) struct Sentio {
    reader: Reader,
    board: Board,
    last_heard: LastHeard,
    admitted: bool,
    outputs: VecDeque<Output>,
}

impl Sentio {
    /// A board that lies with its first rank at White, or the other way round: its squares do not tell.
    pub(in crate::drivers) fn new(reversed: bool) -> Sentio {
        Sentio {
            reader: Reader::default(),
            board: Board::of_occupancy(reversed),
            last_heard: LastHeard::NEVER,
            admitted: false,
            outputs: VecDeque::new(),
        }
    }

    fn take(&mut self, now: HubTime, numbers: &[u8]) {
        let unit = Unit::ONLY;
        let Ok(ranks) = <&[u8; SENTIO_NUMBERS]>::try_from(numbers) else {
            let other = "this board reports which piece is where: it is a Certabo board, set driver = \"certabo\"";
            self.outputs.push_back(Output::Unusable(other.to_owned()));
            return;
        };
        self.outputs.push_back(Output::Heard(unit));
        if !self.admitted {
            self.outputs.push_back(Output::Present(Device {
                unit,
                id: None,
                firmware: String::new(),
                boot_id: None,
                board: Some(BoardSenses { sensor: SensorKind::Reed, trays: false }),
                clock: false,
            }));
            return;
        }
        if self.last_heard.note(now) {
            self.board.forget(true);
        }
        let news = self.board.compare(squares(ranks));
        self.board.tell(unit, now, news, &mut self.outputs);
    }
}

/// Rank 8 first, the a-file in the highest bit.
fn squares(ranks: &[u8; SENTIO_NUMBERS]) -> Squares {
    let mut squares = [SquareReading::Empty; 64];
    for square in Square::ALL {
        let index = usize::from(square);
        if ranks[7 - index / 8] >> (7 - index % 8) & 1 == 1 {
            squares[index] = SquareReading::Occupied;
        }
    }
    squares
}

impl Driver for Sentio {
    fn line(&self) -> LineSettings {
        LINE
    }

    fn set_rate(&mut self, rate: f64) {
        self.last_heard.rate = rate;
    }

    fn opened(&mut self, _now: HubTime) {
        self.reader.reset();
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        for numbers in self.reader.receive(bytes, &mut self.outputs) {
            self.take(now, &numbers);
        }
    }

    fn transmit(&mut self, _out: &mut [u8]) -> usize {
        0
    }

    fn poll(&mut self, _now: HubTime) {}

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn admit(&mut self, _unit: Unit, memory: ConnectionState) {
        self.board.admit(memory);
        self.last_heard.forget();
        self.admitted = true;
    }

    fn release(&mut self, _unit: Unit) -> ConnectionState {
        self.admitted = false;
        self.board.memory()
    }

    fn silence(&self) -> &'static str {
        "nothing on this port speaks as a Sentio board does: check that the board has power"
    }
}

#[cfg(test)]
mod tests {
    use readings::ReadingKind;

    use super::*;
    use crate::drivers::readings_said;

    #[test]
    fn a_board_that_was_silent_tells_a_gap_and_all_its_squares_and_no_changes() {
        let mut sentio = Sentio::new(false);
        sentio.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
        let mut told = |at_ms: u64, line: &[u8]| {
            sentio.receive(HubTime::from_micros(at_ms * 1_000), line);
            readings_said(&mut sentio).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>()
        };
        let (set_up, moved) = (b":255 255 0 0 0 0 255 255\r\n", b":255 255 0 0 8 0 247 255\r\n");
        assert!(matches!(told(0, set_up)[..], [ReadingKind::Snapshot { .. }]));
        assert!(matches!(told(1_900, moved)[..], [ReadingKind::Square { .. }, _]));
        let after_silence = told(3_901, set_up);
        assert!(
            matches!(after_silence[..], [ReadingKind::Gap { .. }, ReadingKind::Snapshot { .. }]),
            "{after_silence:?}"
        );
    }

    #[test]
    fn the_first_number_is_rank_8_and_its_highest_bit_the_a_file() {
        let squares = squares(&[0b1000_0000, 0, 0, 0, 0, 0, 0, 0b0000_0001]);
        let occupied: Vec<String> = Square::ALL
            .into_iter()
            .filter(|&square| squares[usize::from(square)] == SquareReading::Occupied)
            .map(|square| square.to_string())
            .collect();
        assert_eq!(occupied, ["h1", "a8"]);
    }
}
