//! Directors' orders for the hub's tables: settings of clocks, calibrations of boards, and facts about a match.
//!
//! An order is carried out once. It is in the journal, with its command's name at the clock's node, before the node hears of
//! it; so a hub that was killed in between gives the same command again, and the node answers it without doing it again.
//! Its end goes up as a row, so it is not lost either.

mod book;
mod record;

use proto::link::{ClockAdjustment, MAX_CLOCK_MS, MAX_DELAY_MS, Standing};
use proto::mqtt::message::{self, clock_order, order};
use rules::{BoardId, DelayKind, PerMove};

pub use book::KNOWN_MAX;
pub(crate) use book::{BookOutput, Commanded, NOTHING_TO_CALIBRATE, OrderAnswer, OrderBook};
pub use record::{OrderKind, OrderRecord};

/// Longest line of a fact, bytes.
pub const FACT_BYTES_MAX: usize = 2_000;
/// Longest part of a match whose readings are sent at once, microseconds.
pub const EVIDENCE_MAX_US: u64 = 60_000_000;
/// Maximum number of orders in one message.
pub const ORDERS_MAX: usize = 64;

/// One thing that is to happen at a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Names it for ever.
    pub id: u64,
    /// The table.
    pub table: String,
    /// The match it is for.
    pub match_id: String,
    /// Hub time after which it comes too late, microseconds; 0 = never.
    pub expires_us: u64,
    /// What.
    pub what: What,
}

/// Content of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The clock of a board.
    Clock(BoardId, ClockChange),
    /// A line of the format of facts.
    Fact(String),
    /// The fact of another order is none.
    FactWithdrawn(u64),
    /// The readings between two times of the match, microseconds.
    Evidence(u64, u64),
    /// A zero test of the two clocks.
    ZeroTest,
    /// A calibration of a hall board with these pieces on it.
    Baseline(BoardId, Standing),
}

/// A command to a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// Stop, and stand at the beginning of the table's time control.
    SetAnew,
    /// Time given or taken.
    Adjust(ClockAdjustment),
    /// Both times stop.
    Pause,
    /// Go on.
    Resume,
    /// Another delay from the next ply on.
    Delay(PerMove),
}

/// An order that cannot be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The order has no id, table or match.
    #[error("it names no order, table or match")]
    Nameless,
    /// The order has no content that this release knows.
    #[error("it asks for something that this release of the hub does not know")]
    Unknown,
    /// A value is out of its range.
    #[error("a value is out of its range")]
    OutOfRange,
}

impl Order {
    /// Reads an order from the wire.
    ///
    /// # Errors
    ///
    /// The problem.
    pub fn read(wire: message::Order) -> Result<Order, OrderError> {
        let message::Order { order_id: id, table, match_id, expires_us, what } = wire;
        if id == 0 || table.is_empty() || match_id.is_empty() {
            return Err(OrderError::Nameless);
        }
        let what = match what.ok_or(OrderError::Unknown)? {
            order::What::Clock(clock) => {
                let board = board(clock.board)?;
                What::Clock(board, change(clock.what.ok_or(OrderError::Unknown)?)?)
            }
            order::What::Fact(fact) if fact.line.len() > FACT_BYTES_MAX => {
                return Err(OrderError::OutOfRange);
            }
            order::What::Fact(fact) => What::Fact(fact.line),
            order::What::FactWithdrawn(of) => What::FactWithdrawn(of),
            order::What::Evidence(message::EvidenceWanted { from_us, to_us }) => {
                if to_us.checked_sub(from_us).is_none_or(|long_us| long_us > EVIDENCE_MAX_US) {
                    return Err(OrderError::OutOfRange);
                }
                What::Evidence(from_us, to_us)
            }
            order::What::ZeroTest(_) => What::ZeroTest,
            order::What::Baseline(wanted) => {
                let standing = match wanted.content() {
                    message::BoardContent::Empty => Standing::Nothing,
                    message::BoardContent::SetUp => Standing::SetUp,
                    message::BoardContent::Unspecified => return Err(OrderError::Unknown),
                };
                What::Baseline(board(wanted.board)?, standing)
            }
        };
        Ok(Order { id, table, match_id, expires_us, what })
    }
}

fn board(wire: i32) -> Result<BoardId, OrderError> {
    match message::Board::try_from(wire) {
        Ok(message::Board::A) => Ok(BoardId::A),
        Ok(message::Board::B) => Ok(BoardId::B),
        _ => Err(OrderError::Nameless),
    }
}

fn change(what: clock_order::What) -> Result<ClockChange, OrderError> {
    Ok(match what {
        clock_order::What::SetAnew(_) => ClockChange::SetAnew,
        clock_order::What::Pause(_) => ClockChange::Pause,
        clock_order::What::Resume(_) => ClockChange::Resume,
        clock_order::What::Delay(delayed) => ClockChange::Delay(per_move(delayed)?),
        clock_order::What::Adjust(message::ClockAdjusted { white_ms, black_ms }) => {
            if white_ms.unsigned_abs().max(black_ms.unsigned_abs()) > MAX_CLOCK_MS {
                return Err(OrderError::OutOfRange);
            }
            ClockChange::Adjust(ClockAdjustment { white_ms, black_ms })
        }
    })
}

fn per_move(wire: message::ClockDelayed) -> Result<PerMove, OrderError> {
    let kind = match wire.delay() {
        message::DelayKind::Unspecified | message::DelayKind::Us => DelayKind::Us,
        message::DelayKind::Bronstein => DelayKind::Bronstein,
    };
    let message::ClockDelayed { delay_ms, increment_ms, .. } = wire;
    // Followers of the match count delays in seconds.
    let is_known = |ms: u32| ms <= MAX_DELAY_MS && ms.is_multiple_of(1_000);
    if !is_known(delay_ms) || !is_known(increment_ms) {
        return Err(OrderError::OutOfRange);
    }
    PerMove::new(increment_ms / 1_000, delay_ms / 1_000, kind).map_err(|_| OrderError::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(what: Option<order::What>) -> message::Order {
        let (table, match_id) = ("1".to_owned(), "m".to_owned());
        message::Order { order_id: 7, table, match_id, expires_us: 5, what }
    }

    fn clock(white_ms: i32) -> order::What {
        let adjusted = message::ClockAdjusted { white_ms, black_ms: 0 };
        let what = Some(clock_order::What::Adjust(adjusted));
        order::What::Clock(message::ClockOrder { board: message::Board::B.into(), what })
    }

    #[test]
    fn an_order_is_read_with_its_board_and_its_values() {
        let adjustment = ClockAdjustment { white_ms: -60_000, black_ms: 0 };
        let order = Order::read(wire(Some(clock(-60_000)))).unwrap();
        assert_eq!(order.what, What::Clock(BoardId::B, ClockChange::Adjust(adjustment)));
        assert_eq!((order.id, order.expires_us), (7, 5));
    }

    fn delayed(delay_ms: u32, increment_ms: u32) -> Result<What, OrderError> {
        let delay = message::DelayKind::Bronstein.into();
        let delayed = message::ClockDelayed { delay_ms, delay, increment_ms };
        let what = Some(clock_order::What::Delay(delayed));
        let clock = message::ClockOrder { board: message::Board::A.into(), what };
        Order::read(wire(Some(order::What::Clock(clock)))).map(|order| order.what)
    }

    #[test]
    fn a_delay_is_read_with_its_kind_and_refused_out_of_its_range() {
        let per_move = |increment_s, delay_s| {
            let per_move = PerMove::new(increment_s, delay_s, DelayKind::Bronstein).unwrap();
            Ok(What::Clock(BoardId::A, ClockChange::Delay(per_move)))
        };
        assert_eq!(delayed(5_000, 0), per_move(0, 5));
        assert_eq!(delayed(0, 99_000), per_move(99, 0));
        assert_eq!(delayed(0, 0), per_move(0, 0));
        for (delay_ms, increment_ms) in [(100_000, 0), (0, u32::MAX), (1_500, 0), (1_000, 1_000)] {
            assert_eq!(delayed(delay_ms, increment_ms), Err(OrderError::OutOfRange));
        }
    }

    #[test]
    fn an_order_that_makes_no_sense_is_refused() {
        assert_eq!(Order::read(wire(None)), Err(OrderError::Unknown));
        let nameless = message::Order { order_id: 0, ..wire(Some(clock(1))) };
        assert_eq!(Order::read(nameless), Err(OrderError::Nameless));
        assert_eq!(Order::read(wire(Some(clock(i32::MIN)))), Err(OrderError::OutOfRange));
        let long = message::Fact { line: "x".repeat(FACT_BYTES_MAX + 1) };
        let long = order::What::Fact(long);
        assert_eq!(Order::read(wire(Some(long))), Err(OrderError::OutOfRange));
        let boardless = message::ClockOrder { board: 0, what: None };
        let boardless = order::What::Clock(boardless);
        assert_eq!(Order::read(wire(Some(boardless))), Err(OrderError::Nameless));
        let contentless = message::BaselineWanted { board: 1, content: 9 };
        let contentless = order::What::Baseline(contentless);
        assert_eq!(Order::read(wire(Some(contentless))), Err(OrderError::Unknown));
    }
}
