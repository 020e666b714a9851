//! Names of people and times in sentences for directors.

use rules::{BoardId, Color, Seat};

/// `White` or `Black`.
pub(crate) fn side(side: Color) -> &'static str {
    match side {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A time of a clock: `0:03.5` below a minute, `4:12` above. Below zero it is shown as zero.
pub fn clock(ms: i64) -> String {
    let tenths = ms.max(0) / 100;
    let (minutes, seconds) = (tenths / 600, tenths / 10 % 60);
    match tenths % 10 {
        tenth if minutes == 0 && tenth > 0 => format!("{minutes}:{seconds:02}.{tenth}"),
        _ => format!("{minutes}:{seconds:02}"),
    }
}

/// The letter of a seat, as records have it: `A` and `a` for White and Black of board A.
#[must_use]
pub fn seat_letter(seat: Seat) -> char {
    match (seat.board, seat.color) {
        (BoardId::A, Color::White) => 'A',
        (BoardId::A, Color::Black) => 'a',
        (BoardId::B, Color::White) => 'B',
        (BoardId::B, Color::Black) => 'b',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_show_tenths_and_long_ones_do_not() {
        assert_eq!(clock(3_500), "0:03.5");
        assert_eq!(clock(3_000), "0:03");
        assert_eq!(clock(252_900), "4:12");
        assert_eq!(clock(-800), "0:00");
    }
}
