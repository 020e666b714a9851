//! Fallen flags, from clock readings and from what the hub reports.
//!
//! A flag is down when a clock shows no time left. It stays down until the same clock shows time
//! again while the match goes on: then somebody has set it.

use rules::Seat;

use super::{AnomalyReport, ClockReading};

/// Confidence of a flag that a clock's own reading shows: the display is the clock's state, not an
/// inference.
const READ_CONFIDENCE: f64 = 1.0;

/// A flag that is down.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagFall {
    /// First known moment, microseconds of match time.
    pub t_us: u64,
    /// Probability, 0 to 1.
    pub confidence: f64,
    /// What was seen.
    pub evidence: String,
}

/// Takes a clock reading into a seat's flag.
pub(super) fn read(flag: &mut Option<FlagFall>, seat: Seat, reading: ClockReading) {
    let remaining_ms = reading.remaining_ms(seat.color);
    if remaining_ms > 0 {
        *flag = None;
    } else if flag.is_none() {
        *flag = Some(FlagFall {
            t_us: reading.t_us,
            confidence: READ_CONFIDENCE,
            evidence: format!("The clock of board {} shows 0:00.", seat.board),
        });
    }
}

/// The flag of a seat: what the clock shows, else what the hub reports.
pub(super) fn of_seat<'a>(
    read: Option<&FlagFall>,
    anomalies: impl Iterator<Item = &'a AnomalyReport>,
    seat: Seat,
) -> Option<FlagFall> {
    let reported = anomalies
        .filter(|anomaly| anomaly.code == "flag-fallen")
        .find(|anomaly| anomaly.board == seat.board && anomaly.side == Some(seat.color))
        .map(|anomaly| FlagFall {
            t_us: anomaly.t_us,
            confidence: anomaly.confidence,
            evidence: anomaly.evidence.clone(),
        });
    match (read, reported) {
        (Some(read), Some(reported)) => Some(FlagFall {
            t_us: reported.t_us.min(read.t_us),
            confidence: read.confidence.max(reported.confidence),
            evidence: reported.evidence,
        }),
        (read, reported) => read.cloned().or(reported),
    }
}
