//! A clip: the sensors' readings in a part of a match, which directors see beside the published ply.

use proto::mqtt::MAX_CLIP_BYTES;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{EvidenceClip, OrderEnded, OrderOutcome};
use readings::Reading;

use super::MatchTrace;
use crate::session::BoardViews;
use crate::table::Wanted;

/// The clip that a director wants, and the end of the order; without a trace only that.
#[must_use]
pub fn evidence(wanted: &Wanted, trace: Option<&MatchTrace>) -> Vec<Event> {
    let order_id = wanted.order_id;
    let ended = |outcome: OrderOutcome, detail: &str| {
        let (outcome, detail) = (outcome.into(), detail.to_owned());
        Event::OrderEnded(OrderEnded { order_id, outcome, detail })
    };
    let Some(trace) = trace else {
        let words = "the hub does not have the readings of this match any more";
        return vec![ended(OrderOutcome::Refused, words)];
    };
    let clip = clip(wanted, &trace.readings);
    vec![Event::EvidenceClip(clip), ended(OrderOutcome::Done, "")]
}

/// The boards as they stood at the beginning, and what was read after that, as much as there is room for.
fn clip(wanted: &Wanted, readings: &[Reading]) -> EvidenceClip {
    let Wanted { order_id, match_id, from_us, to_us } = wanted.clone();
    let mut views = BoardViews::default();
    let before = readings.iter().take_while(|reading| reading.t_us < from_us);
    before.for_each(|reading| views.take(reading));
    let beginning = views.readings(from_us);
    let then = readings.iter().filter(|reading| (from_us..=to_us).contains(&reading.t_us));
    let (mut lines, mut reached_us, mut is_cut) = (String::new(), from_us, false);
    for reading in beginning.iter().chain(then) {
        let Ok(line) = serde_json::to_string(reading) else { continue };
        if lines.len() + line.len() + 1 > MAX_CLIP_BYTES {
            is_cut = true;
            break;
        }
        lines.push_str(&line);
        lines.push('\n');
        reached_us = reading.t_us.max(from_us);
    }
    let to_us = if is_cut { reached_us } else { to_us };
    EvidenceClip { match_id, order_id, from_us, to_us, lines }
}

#[cfg(test)]
mod tests {
    use readings::{Occupancy, ReadingKind, SquareReading};
    use rules::{BoardId, Color, Square};

    use super::*;

    fn reading(t_us: u64, kind: ReadingKind) -> Reading {
        Reading { t_us, board: Some(BoardId::A), kind }
    }

    fn change(t_us: u64, square: Square, reading_now: SquareReading) -> Reading {
        reading(t_us, ReadingKind::Square { square, reading: Some(reading_now), level: None })
    }

    fn wanted(from_us: u64, to_us: u64) -> Wanted {
        Wanted { order_id: 9, match_id: "m".to_owned(), from_us, to_us }
    }

    #[test]
    fn a_clip_begins_with_the_boards_as_they_stood_and_ends_where_it_should() {
        let snapshot = ReadingKind::Snapshot { occupied: Some(Occupancy::INITIAL), squares: None };
        let readings = [
            reading(0, snapshot),
            change(5, Square::E2, SquareReading::Empty),
            change(20, Square::E4, SquareReading::Occupied),
            reading(30, ReadingKind::Press { by: Color::White }),
            change(90, Square::E7, SquareReading::Empty),
        ];
        let clip = clip(&wanted(10, 50), &readings);
        let lines: Vec<&str> = clip.lines.lines().collect();
        assert_eq!(
            lines,
            [
                r#"{"t_us":10,"board":"A","kind":"snapshot","occupied":"ffff00000000efff"}"#,
                r#"{"t_us":20,"board":"A","kind":"square","square":"e4","reading":"occupied"}"#,
                r#"{"t_us":30,"board":"A","kind":"press","by":"white"}"#,
            ]
        );
        assert_eq!((clip.from_us, clip.to_us), (10, 50));
    }

    #[test]
    fn what_is_too_much_is_cut_and_says_so() {
        let busy: Vec<Reading> =
            (0..5_000).map(|n| change(n, Square::E4, SquareReading::Occupied)).collect();
        let clip = clip(&wanted(0, 10_000), &busy);
        assert!(clip.lines.len() <= MAX_CLIP_BYTES && clip.to_us < 2_000, "{}", clip.to_us);
        assert!(clip.lines.ends_with('\n'));
    }
}
