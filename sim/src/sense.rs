//! What the sensors make of a script: each square debounced by itself, a lever clock beside it.

use inference::record::{Occupancy, Reading, ReadingKind, SquareReading};
use rules::{BoardId, Color, Square};

use crate::script::{BoardScript, ClockTouch};

const DEBOUNCE_US: u64 = 5_000;

pub(crate) fn board_readings(board: BoardId, script: &BoardScript) -> Vec<Reading> {
    let mut out = vec![Reading {
        t_us: 0,
        board: Some(board),
        kind: ReadingKind::Snapshot { occupied: Some(Occupancy(script.initial)), squares: None },
    }];
    for square in Square::ALL {
        let edges: Vec<_> = script.edges.iter().filter(|e| e.square == square).collect();
        let mut state = script.initial.contains(square);
        for (i, e) in edges.iter().enumerate() {
            let next = edges.get(i + 1).map_or(u64::MAX, |n| n.t_us);
            if e.closed != state && next - e.t_us >= DEBOUNCE_US {
                state = e.closed;
                let reading = if state { SquareReading::Occupied } else { SquareReading::Empty };
                out.push(Reading {
                    t_us: e.t_us,
                    board: Some(board),
                    kind: ReadingKind::Square { square, reading: Some(reading), level: None },
                });
            }
        }
    }
    out.sort_by_key(|r| r.t_us);
    out
}

pub(crate) fn clock_readings(board: BoardId, script: &BoardScript, base_s: u32) -> Vec<Reading> {
    let base_us = u64::from(base_s) * 1_000_000;
    let mut left = [base_us; 2];
    let mut running: Option<Color> = None;
    let mut since = 0;
    let idx = |c: Color| usize::from(c.is_black());
    let mut out = Vec::new();
    let show = |out: &mut Vec<Reading>, t: u64, left: [u64; 2], running| {
        out.push(Reading {
            t_us: t,
            board: Some(board),
            kind: ReadingKind::Clock {
                white_ms: left[0].div_ceil(1000) as i64,
                black_ms: left[1].div_ceil(1000) as i64,
                running,
            },
        });
    };
    show(&mut out, 0, left, None);
    for act in &script.clock {
        if let Some(c) = running {
            let mut t = since + 1_000_000;
            while t < act.t_us {
                let mut now = left;
                now[idx(c)] = now[idx(c)].saturating_sub(t - since);
                show(&mut out, t, now, running);
                t += 1_000_000;
            }
            left[idx(c)] = left[idx(c)].saturating_sub(act.t_us - since);
        }
        since = act.t_us;
        running = match act.touch {
            ClockTouch::Press(by) => {
                out.push(Reading {
                    t_us: act.t_us,
                    board: Some(board),
                    kind: ReadingKind::Press { by },
                });
                Some(by.other())
            }
            ClockTouch::Stop => None,
        };
        show(&mut out, act.t_us, left, running);
    }
    out
}
