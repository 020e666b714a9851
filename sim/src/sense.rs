//! Readings of a script: its boards and clocks, read by their nodes' firmware in
//! virtual time and received over a perfect line.

use node_firmware::Identity;
use proto::link::{
    ClockDisplay, HostEvent, HostSession, HubTime, Message, NodeId, NodeState, NodeTime,
    SensorReading, Side,
};
use readings::{Occupancy, Reading, ReadingKind, SensorKind, SquareReading};
use rules::{Bitboard, BoardId, Color, Square};

use crate::{
    Equipment, SimError,
    device::{Device, board_timeline, clock_control, clock_timeline},
    lever_clock::LeverClock,
    magnet,
    script::{BoardScript, ClockTouch, Script},
};

/// Virtual time between two exchanges with a node: short enough that its buffer never fills.
const EXCHANGE_US: u64 = 250_000;
/// Bytes moved over the line at once.
const LINE_BYTES: usize = 256;

/// All readings of a match, in time order.
pub(crate) fn readings(script: &Script, equipment: &Equipment) -> Result<Vec<Reading>, SimError> {
    let mut readings = Vec::new();
    for board in script.sensors.boards() {
        let of_board = &script.boards[board.index()];
        let timeline = board_timeline(of_board, 0);
        let trays = of_board.trays.is_some();
        let device = Device::board(identity("board", board)?, of_board.initial, trays, timeline);
        let mut squares = Vec::new();
        receive_all(device, board, script.end_us, &mut squares);
        if let Some(kind) = script.sensors.kind(board)
            && kind != SensorKind::Reed
        {
            // The firmware knows reed boards only; trays are reed on every board.
            squares.retain(|reading| matches!(reading.kind, ReadingKind::Tray { .. }));
            let start = script.start.position(board);
            let (end_us, chance) = (script.end_us, &script.chance);
            squares.extend(magnet::readings(kind, board, start, of_board, end_us, chance));
            squares.sort_by_key(|reading| reading.t_us);
        }
        if let Some(lost) = of_board.lost {
            let is_reed = script.sensors.kind(board) == Some(SensorKind::Reed);
            squares = without(lost, board, of_board.initial, squares, is_reed);
        }
        readings.append(&mut squares);
        let timeline = clock_timeline(script, board, 0);
        let set = clock_control(&script.time, of_board.display.extra_ms);
        let identity = identity("clock", board)?;
        let device = Device::clock(identity, set, equipment.hand_sensors, timeline);
        let mut clock = Vec::new();
        receive_all(device, board, script.end_us, &mut clock);
        show(&mut clock, script, of_board);
        readings.append(&mut clock);
        if equipment.hand_sides {
            readings.extend(hand_sides(board, of_board));
        }
    }
    // Stable: of one instant, a board's squares come before its clock, and board A before B.
    readings.sort_by_key(|reading| reading.t_us);
    readings.push(Reading { t_us: script.end_us, board: None, kind: ReadingKind::End });
    Ok(readings)
}

/// Readings of two hand sensors a player at a board's clock. The firmware has one: these are read as its one is, without its
/// debounce.
fn hand_sides(board: BoardId, of_board: &BoardScript) -> impl Iterator<Item = Reading> {
    of_board.clock.iter().filter_map(move |act| match act.touch {
        ClockTouch::HandFrom(side, from, near) => {
            let kind = ReadingKind::Hand { side, near, from: Some(from) };
            Some(Reading { t_us: act.t_us, board: Some(board), kind })
        }
        _ => None,
    })
}

/// A board's readings without those of a span: the node reports the number of lost ones, and then a snapshot. Readings of boards that are
/// no reed boards tell everything after the loss already.
fn without(
    (from_us, until_us): (u64, u64),
    board: BoardId,
    initial: Bitboard,
    readings: Vec<Reading>,
    is_reed: bool,
) -> Vec<Reading> {
    let (mut seen, mut lost) = (initial, 0);
    let mut out = Vec::with_capacity(readings.len() + 2);
    let mut later = Vec::new();
    for reading in readings {
        let is_lost = (from_us..until_us).contains(&reading.t_us);
        if reading.t_us < until_us
            && let ReadingKind::Square { square, reading: Some(state), .. } = reading.kind
        {
            if state == SquareReading::Occupied {
                seen.add(square);
            } else {
                seen.discard(square);
            }
        }
        if is_lost {
            lost += 1;
        } else if reading.t_us < until_us {
            out.push(reading);
        } else {
            later.push(reading);
        }
    }
    let snapshot = ReadingKind::Snapshot { occupied: Some(Occupancy(seen)), squares: None };
    for kind in [ReadingKind::Gap { lost }, snapshot].into_iter().take(1 + usize::from(is_reed)) {
        out.push(Reading { t_us: until_us, board: Some(board), kind });
    }
    out.append(&mut later);
    out
}

/// Makes the readings of a clock what one that is out of order shows.
fn show(readings: &mut [Reading], script: &Script, of_board: &BoardScript) {
    let display = of_board.display;
    let mut acts = of_board.clock.iter().peekable();
    let mut clock = LeverClock::new(&script.time, display.extra_ms);
    let set_us = [Color::White, Color::Black].map(|color| clock.left_us(color));
    for reading in readings {
        let t_us = reading.t_us;
        while let Some(act) = acts.next_if(|act| act.t_us <= t_us) {
            clock.take(*act);
        }
        let ReadingKind::Clock { white_ms, black_ms, .. } = &mut reading.kind else { continue };
        for (shown_ms, (set_us, side)) in [white_ms, black_ms]
            .into_iter()
            .zip(set_us.into_iter().zip([Color::White, Color::Black]))
        {
            let used_ms = (set_us + clock.given_us(side)) / 1_000 - *shown_ms;
            *shown_ms += used_ms * i64::from(display.slow_ppm) / 1_000_000;
            if let Some((_, _, more_ms)) =
                display.jump.filter(|&(from_us, by, _)| from_us <= t_us && by == side)
            {
                *shown_ms += i64::from(more_ms);
            }
        }
    }
}

fn identity(kind: &str, board: BoardId) -> Result<Identity, SimError> {
    let name = format!("{kind}-{board}").to_lowercase();
    let node_id: NodeId = name.parse().map_err(|_| SimError::NodeName(name))?;
    Ok(Identity::new(node_id, 1))
}

/// Runs a device to the end and records its node's readings.
fn receive_all(mut device: Device, board: BoardId, end_us: u64, readings: &mut Vec<Reading>) {
    let mut host = HostSession::new(None);
    let mut line = [0; LINE_BYTES];
    let mut begun = false;
    let mut now_us = 0;
    loop {
        device.run_until(now_us);
        let mut heard = Vec::new();
        loop {
            let sent = device.transmit(&mut line);
            host.receive(HubTime::from_micros(now_us), &line[..sent], |event| heard.push(event));
            for event in heard.drain(..) {
                take(event, board, &mut begun, &mut host, readings);
            }
            let answered = host.transmit(&mut line);
            device.receive(&line[..answered]);
            if sent == 0 && answered == 0 {
                break;
            }
        }
        if now_us >= end_us {
            return;
        }
        now_us = (now_us + EXCHANGE_US).min(end_us);
    }
}

fn take(
    event: HostEvent,
    board: BoardId,
    begun: &mut bool,
    host: &mut HostSession,
    readings: &mut Vec<Reading>,
) {
    let mut note = |time: NodeTime, kind| {
        readings.push(Reading { t_us: time.as_micros(), board: Some(board), kind });
    };
    match event {
        HostEvent::Event { boot_id, sequence, message } => {
            host.committed(boot_id, sequence);
            match message {
                Message::SquaresChanged(changed) => {
                    for change in &changed.changes {
                        let square = Square::new(change.square.get().into());
                        let reading = Some(contact(change.reading));
                        let time = changed.time.plus_micros(change.offset_us.into());
                        note(time, ReadingKind::Square { square, reading, level: None });
                    }
                }
                Message::TrayChanged(changed) => {
                    for change in &changed.changes {
                        let (side, slot) = (color(change.tray), change.slot.get());
                        let time = changed.time.plus_micros(change.offset_us.into());
                        let reading = contact(change.reading);
                        note(time, ReadingKind::Tray { side, slot, reading });
                    }
                }
                Message::Press(press) => {
                    note(press.time, ReadingKind::Press { by: color(press.by) });
                }
                Message::ClockReading(reading) => note(reading.time, clock(&reading.display)),
                Message::Tilt(tilt) => note(tilt.time, ReadingKind::Tilt { on: tilt.on }),
                Message::Hand(hand) => {
                    let kind =
                        ReadingKind::Hand { side: color(hand.side), near: hand.near, from: None };
                    note(hand.time, kind);
                }
                _ => {}
            }
        }
        // The node sends its whole state once a second; a trace needs it only at the beginning.
        HostEvent::Snapshot { snapshot, .. } => {
            if let NodeState::Board(state) = snapshot.state
                && !std::mem::replace(begun, true)
            {
                let occupied = Some(Occupancy(Bitboard(state.occupied)));
                note(snapshot.time, ReadingKind::Snapshot { occupied, squares: None });
            }
        }
        _ => {}
    }
}

fn clock(display: &ClockDisplay) -> ReadingKind {
    ReadingKind::Clock {
        white_ms: display.white_ms.into(),
        black_ms: display.black_ms.into(),
        running: display.running.map(color),
    }
}

const fn contact(reading: SensorReading) -> SquareReading {
    match reading {
        SensorReading::Empty => SquareReading::Empty,
        SensorReading::Occupied => SquareReading::Occupied,
        SensorReading::White => SquareReading::Side(Color::White),
        SensorReading::Black => SquareReading::Side(Color::Black),
        SensorReading::Level(level) => SquareReading::Level(level as i32),
    }
}

const fn color(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}
