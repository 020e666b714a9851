//! The live view of one device in a terminal: 80 by 24 is enough, more is used. Colour never says anything alone: each mark has
//! its character too, so that the view reads over any line and on any terminal.

use hub::HubTime;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Color as Ink, Modifier, Style, Stylize as _},
    text::{Line, Span},
    widgets::{Block, Paragraph, Wrap},
};
use readings::SquareReading;
use rules::{Color, Square};

use super::examination::{Examination, Step};
use super::picture::{Picture, SLOTS, SensorPlace, index, time};
use super::sensor::{Fault, is_occupied};

/// A change younger than this is shown as fresh, in µs.
const FRESH_US: u64 = 1_500_000;
/// A device that was not heard for this long is said to be silent, in µs.
const SILENT_US: u64 = 3_000_000;
/// Width of a square, and of a slot.
const CELL: usize = 4;
/// The board with its ranks' numbers and frame.
const BOARD_WIDTH: u16 = 8 * CELL as u16 + 5;
const BOARD_HEIGHT: u16 = 11;
const TRAYS_HEIGHT: u16 = 6;

/// All that is on the screen.
pub(super) struct DoctorScreen<'a> {
    /// Command: `watch` or `check`.
    pub(super) doing: &'static str,
    /// Now.
    pub(super) now: HubTime,
    /// The device, as people call it.
    pub(super) name: String,
    /// The place the configuration gives it.
    pub(super) place: Option<String>,
    /// The port it is at.
    pub(super) port: String,
    /// Number of this device, from 1, and of all devices.
    pub(super) number: (usize, usize),
    /// Its state; `None` before it has introduced itself.
    pub(super) picture: Option<&'a Picture>,
    /// Progress of its check.
    pub(super) examination: Option<&'a Examination>,
    /// Request to press both clocks of a table, while they are to be pressed.
    pub(super) together: Option<String>,
    /// Fault of its port.
    pub(super) trouble: Option<String>,
}

/// Draws it.
pub(super) fn draw(frame: &mut Frame, screen: &DoctorScreen) {
    let prompt_height = if screen.examination.is_some() { 3 } else { 0 };
    let [head, middle, prompt, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(prompt_height),
        Constraint::Length(2),
    ])
    .areas(frame.area());
    frame.render_widget(header(screen), head);
    match screen.picture {
        None => frame.render_widget(waiting(screen), middle),
        Some(picture) => draw_device(frame, screen, picture, middle),
    }
    if let (Some(examination), Some(picture)) = (screen.examination, screen.picture) {
        frame.render_widget(question(screen, examination, picture), prompt);
    }
    frame.render_widget(footer(screen), foot);
}

fn header<'a>(screen: &'a DoctorScreen) -> Line<'a> {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut spans = vec![
        Span::styled(
            format!(" twinboard doctor {} ", screen.doing),
            Style::new().add_modifier(Modifier::REVERSED),
        ),
        Span::raw("  "),
        Span::styled(screen.name.as_str(), bold),
    ];
    if let Some(place) = &screen.place {
        spans.push(Span::raw(format!("  {place}")));
    }
    let (number, all) = screen.number;
    if all > 1 {
        spans.push(Span::raw(format!("  ({number} of {all})")));
    }
    Line::from(spans)
}

fn footer<'a>(screen: &DoctorScreen) -> Paragraph<'a> {
    let legend = "● occupied  · empty  * just changed   x dead  # stuck  ~ chatters  ! weak";
    let tab = if screen.number.1 > 1 { "Tab next device   " } else { "" };
    let keys = match screen.examination {
        None => format!("q quit   {tab}b blink   r count from 0"),
        Some(_) => {
            format!("q report   {tab}y yes   n no   s skip   S skip step   b blink")
        }
    };
    let dim = Style::new().add_modifier(Modifier::DIM);
    Paragraph::new(vec![Line::styled(legend, dim), Line::raw(keys)])
}

fn waiting<'a>(screen: &'a DoctorScreen) -> Paragraph<'a> {
    let text = screen.trouble.as_deref().unwrap_or("waiting for an answer");
    let block = Block::bordered().title(format!(" {} ", screen.port));
    Paragraph::new(text).block(block).wrap(Wrap { trim: true })
}

fn question<'a>(
    screen: &'a DoctorScreen,
    examination: &Examination,
    picture: &Picture,
) -> Paragraph<'a> {
    if let Some(together) = screen
        .together
        .as_deref()
        .filter(|_| matches!(examination.step(), Step::Presses | Step::Tilt | Step::Done))
    {
        return Paragraph::new(format!("▶ {together}")).bold().wrap(Wrap { trim: true });
    }
    let (seen, all) = examination.progress(picture);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut title = format!("▶ {}", examination.title());
    if examination.step() != Step::Done {
        // On a tall screen the header with the name is far away.
        let name = if screen.number.1 > 1 { format!("{} · ", screen.name) } else { String::new() };
        title = format!("▶ {name}{} {seen} of {all}", examination.title());
    }
    let line = Line::from(vec![
        Span::styled(format!("{title}: "), bold),
        Span::raw(examination.prompt(picture)),
    ]);
    Paragraph::new(line).wrap(Wrap { trim: true })
}

fn draw_device(frame: &mut Frame, screen: &DoctorScreen, picture: &Picture, area: Rect) {
    let left_width = if picture.is_board() { BOARD_WIDTH } else { 38 };
    let [left, right] =
        Layout::horizontal([Constraint::Length(left_width), Constraint::Min(20)]).areas(area);
    let clock_height = if picture.device.clock { 7 } else { 0 };
    let (board_height, trays_height) = match (picture.is_board(), picture.has_trays()) {
        (true, true) => (BOARD_HEIGHT, TRAYS_HEIGHT),
        (true, false) => (BOARD_HEIGHT, 0),
        (false, _) => (0, 0),
    };
    let [board, trays, clock, _] = Layout::vertical([
        Constraint::Length(board_height),
        Constraint::Length(trays_height),
        Constraint::Length(clock_height),
        Constraint::Min(0),
    ])
    .areas(left);
    if picture.is_board() {
        frame.render_widget(board_panel(screen, picture), board);
    }
    if picture.has_trays() {
        frame.render_widget(trays_panel(screen, picture), trays);
    }
    if picture.device.clock {
        frame.render_widget(clock_panel(picture), clock);
    }
    let [facts, unrest] =
        Layout::vertical([Constraint::Length(11), Constraint::Min(0)]).areas(right);
    frame.render_widget(facts_panel(screen, picture), facts);
    if picture.is_board() {
        frame.render_widget(unrest_panel(picture), unrest);
    }
}

fn board_panel<'a>(screen: &DoctorScreen, picture: &Picture) -> Paragraph<'a> {
    let mut rows = Vec::with_capacity(9);
    for rank in (0..8_u32).rev() {
        let mut spans = vec![Span::raw(format!("{} ", rank + 1))];
        spans.extend(
            (0..8_u32).map(|file| {
                cell(screen, picture, SensorPlace::Square(Square::new(rank * 8 + file)))
            }),
        );
        rows.push(Line::from(spans));
    }
    let files: String = ('a'..='h').map(|file| format!(" {file}  ")).collect();
    rows.push(Line::raw(format!("  {files}")));
    Paragraph::new(rows).block(Block::bordered().title(" board "))
}

/// Two rows a tray: slots 0 to 7 nearest to their player, as the player sees them.
fn trays_panel<'a>(screen: &DoctorScreen, picture: &Picture) -> Paragraph<'a> {
    let mut rows = Vec::new();
    for (side, letter) in [(Color::White, 'W'), (Color::Black, 'B')] {
        for row in 0..SLOTS / 8 {
            let mark = if row == 0 { letter } else { ' ' };
            let mut spans = vec![Span::raw(format!("{mark} "))];
            spans.extend((0..8).map(|column| {
                cell(screen, picture, SensorPlace::Slot(side, (row * 8 + column) as u8))
            }));
            rows.push(Line::from(spans));
        }
    }
    Paragraph::new(rows).block(Block::bordered().title(" trays, slots 0–7 and 8–15 "))
}

fn cell<'a>(screen: &DoctorScreen, picture: &Picture, place: SensorPlace) -> Span<'a> {
    let Some(sensor) = picture.sensor(place) else { return Span::raw(" ".repeat(CELL)) };
    let fault = shown_fault(screen, picture, place);
    let fresh = sensor.changed_at().is_some_and(|at| screen.now.micros_since(at) < FRESH_US);
    let mark = fault.map_or(if fresh { '*' } else { ' ' }, Fault::mark);
    let symbol = symbol(sensor.reading());
    let text = match symbol.chars().count() {
        1 => format!(" {symbol}{mark} "),
        2 => format!("{symbol}{mark} "),
        _ => format!("{symbol}{mark}"),
    };
    let seen = screen.examination.is_some() && sensor.seen_both();
    let mut style = match sensor.reading().map(is_occupied) {
        Some(true) => Style::new().add_modifier(Modifier::BOLD),
        _ => Style::new(),
    };
    if seen {
        style = style.fg(Ink::Green);
    }
    if fresh {
        style = style.add_modifier(Modifier::REVERSED);
    }
    if fault.is_some() {
        style = style.fg(Ink::Red).add_modifier(Modifier::BOLD);
    }
    Span::styled(text, style)
}

/// Known fault of a sensor; in a check also by the person's remark.
fn shown_fault(screen: &DoctorScreen, picture: &Picture, place: SensorPlace) -> Option<Fault> {
    let tried = screen.examination.and_then(|examination| examination.verdict(picture, place));
    tried.or_else(|| picture.unrest(place))
}

fn symbol(reading: Option<SquareReading>) -> String {
    match reading {
        None => " ".to_owned(),
        Some(SquareReading::Empty | SquareReading::Level(0)) => "·".to_owned(),
        Some(SquareReading::Occupied) => "●".to_owned(),
        Some(SquareReading::Side(Color::White)) => "W".to_owned(),
        Some(SquareReading::Side(Color::Black)) => "B".to_owned(),
        Some(SquareReading::Piece(piece)) => piece.char().to_string(),
        Some(SquareReading::Level(level)) => format!("{:+}", level.clamp(-99, 99)),
    }
}

fn clock_panel<'a>(picture: &Picture) -> Paragraph<'a> {
    let face = &picture.face;
    let side = |color: Color, name: &str| {
        let i = index(color);
        let time = face.left_ms.map_or("–:––".to_owned(), |left| time(left[i]));
        let running = if face.running == Some(color) { "▶" } else { " " };
        let down = if face.pressed == Some(color) { "pressed last" } else { "" };
        let hand = if face.hands[i] != 0 { "hand" } else { "" };
        Line::raw(format!("{running} {name} {time:>8}  {:>3}×  {down} {hand}", face.presses[i]))
    };
    let tilt = if face.tilted { "TILTED" } else { "upright" };
    let lines = vec![
        side(Color::White, "White"),
        side(Color::Black, "Black"),
        Line::raw(""),
        Line::raw(format!("  {tilt}, tilted {}×", face.tilts)),
        Line::raw(format!(
            "  hands near: White {}×, Black {}×",
            face.hands_seen[0], face.hands_seen[1]
        )),
    ];
    Paragraph::new(lines).block(Block::bordered().title(" clock, presses "))
}

fn facts_panel<'a>(screen: &DoctorScreen, picture: &Picture) -> Paragraph<'a> {
    let silent_us = screen.now.micros_since(picture.heard);
    let heard = if !picture.present {
        "GONE: plug it in again".to_owned()
    } else if silent_us > SILENT_US {
        format!("SILENT for {} s", silent_us / 1_000_000)
    } else {
        "heard".to_owned()
    };
    let mut lines = vec![
        Line::raw(format!("{}, {heard}", picture.kind())),
        Line::raw(format!("firmware {}", or_unsaid(&picture.device.firmware))),
    ];
    lines.push(Line::raw(match &picture.latest {
        Some((at, what)) => {
            format!("{:>5.1} s ago: {what}", screen.now.micros_since(*at) as f64 / 1e6)
        }
        None => "no change yet".to_owned(),
    }));
    lines.push(Line::raw(format!(
        "readings {}  lost {}  restarts {}",
        picture.readings, picture.lost, picture.restarts
    )));
    match &picture.health {
        Some(health) => {
            lines.push(Line::raw(format!(
                "waiting {}  resent {}  garbled {}",
                health.buffered_events, health.resent_events, health.rejected_messages
            )));
            let gap = match health.longest_scan_gap_us {
                0 => "not said".to_owned(),
                gap_us => format!("{:.1} ms", f64::from(gap_us) / 1e3),
            };
            lines.push(Line::raw(format!("longest pause between scans {gap}")));
        }
        None => lines.push(Line::raw("no report of its health yet")),
    }
    if let Some(trouble) = screen.trouble.as_ref().or(picture.complaint.as_ref()) {
        let style = Style::new().fg(Ink::Red).add_modifier(Modifier::BOLD);
        lines.push(Line::styled(format!("! {trouble}"), style));
    }
    let block = Block::bordered().title(format!(" {} ", screen.port));
    Paragraph::new(lines).block(block).wrap(Wrap { trim: true })
}

fn or_unsaid(text: &str) -> &str {
    if text.is_empty() { "not said" } else { text }
}

/// A place in few letters.
fn brief(place: SensorPlace) -> String {
    match place {
        SensorPlace::Square(square) => square.to_string(),
        SensorPlace::Slot(Color::White, slot) => format!("W slot {slot}"),
        SensorPlace::Slot(Color::Black, slot) => format!("B slot {slot}"),
    }
}

/// The sensors that changed most, the restless first.
fn unrest_panel<'a>(picture: &Picture) -> Paragraph<'a> {
    let mut sensors: Vec<_> = picture
        .sensors()
        .map(|(place, sensor)| {
            (picture.unrest(place), picture.noise(place), sensor.changes(), place)
        })
        .filter(|&(fault, noise, changes, _)| fault.is_some() || noise > 0 || changes > 0)
        .collect();
    sensors.sort_by_key(|&(fault, noise, changes, place)| {
        (
            fault.map_or(Fault::ALL.len(), |fault| fault as usize),
            std::cmp::Reverse((noise, changes)),
            place,
        )
    });
    let mut lines = vec![Line::raw("place      changes  noise")];
    lines.extend(sensors.into_iter().map(|(fault, noise, changes, place)| {
        let noise = if noise > 0 { noise.to_string() } else { "–".to_owned() };
        let word =
            fault.map_or(String::new(), |fault| format!("{} {}", fault.mark(), fault.word()));
        let style = if fault.is_some() { Style::new().fg(Ink::Red) } else { Style::new() };
        Line::styled(format!("{:<10} {changes:>7} {noise:>6}  {word}", brief(place)), style)
    }));
    Paragraph::new(lines).block(Block::bordered().title(" most changed "))
}
