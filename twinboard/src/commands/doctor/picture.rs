//! State of one device: all outputs of its driver since the start of watching, summed up. Pure.

use hub::HubTime;
use hub::drivers::{Device, DeviceHealth, Output, SensorHealth, SensorSet};
use readings::{HandFrom, ReadingKind, SquareReading};
use rules::{Color, Square};

use super::sensor::{Fault, Sensor};

/// Slots of a reserve tray.
pub(super) const SLOTS: usize = 16;

/// One sensor of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SensorPlace {
    /// A square.
    Square(Square),
    /// A slot of the tray from which this side drops.
    Slot(Color, u8),
}

impl SensorPlace {
    /// Every square, then White's tray, then Black's.
    pub(super) fn all(trays: bool) -> impl Iterator<Item = SensorPlace> {
        let slots = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|side| (0..SLOTS as u8).map(move |slot| SensorPlace::Slot(side, slot)));
        Square::ALL.into_iter().map(SensorPlace::Square).chain(slots.filter(move |_| trays))
    }
}

impl SensorPlace {
    /// Its number in the order of [`SensorPlace::all`].
    fn number(self) -> usize {
        match self {
            SensorPlace::Square(square) => usize::from(square),
            SensorPlace::Slot(side, slot) => 64 + index(side) * SLOTS + usize::from(slot),
        }
    }
}

impl Ord for SensorPlace {
    fn cmp(&self, other: &SensorPlace) -> std::cmp::Ordering {
        self.number().cmp(&other.number())
    }
}

impl PartialOrd for SensorPlace {
    fn partial_cmp(&self, other: &SensorPlace) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for SensorPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SensorPlace::Square(square) => write!(f, "{square}"),
            SensorPlace::Slot(Color::White, slot) => write!(f, "White's tray {slot}"),
            SensorPlace::Slot(Color::Black, slot) => write!(f, "Black's tray {slot}"),
        }
    }
}

/// A clock's face and what was done to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Face {
    /// White's time and Black's, ms.
    pub(super) left_ms: Option<[i64; 2]>,
    /// Side whose time runs.
    pub(super) running: Option<Color>,
    /// Presses of White and Black.
    pub(super) presses: [u32; 2],
    /// Side that pressed last.
    pub(super) pressed: Option<Color>,
    /// Whether it is tilted now.
    pub(super) tilted: bool,
    /// Number of tilts.
    pub(super) tilts: u32,
    /// Sensors that see a hand at White's side, and at Black's: bit 0 the only one or the board's, bit 1 the one away from the board.
    pub(super) hands: [u8; 2],
    /// How often a hand came near.
    pub(super) hands_seen: [u32; 2],
}

/// Everything known of one device.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    /// Who it is.
    pub(super) device: Device,
    /// Whether it is there.
    pub(super) present: bool,
    squares: [Sensor; 64],
    trays: [[Sensor; SLOTS]; 2],
    /// The clock, if it is one or brings one.
    pub(super) face: Face,
    /// Its own figures.
    pub(super) health: Option<DeviceHealth>,
    /// What it says of its sensors, one by one.
    told: Option<Box<SensorHealth>>,
    /// The image that it runs, named after its processor and wiring.
    pub(super) image: Option<String>,
    /// What it says is doubtful.
    pub(super) complaint: Option<String>,
    /// When it was understood last.
    pub(super) heard: HubTime,
    /// Readings taken.
    pub(super) readings: u64,
    /// Readings known to be lost; gaps of unknown size count as one.
    pub(super) lost: u64,
    /// Starts of the device since somebody looks.
    pub(super) restarts: u32,
    /// What changed last.
    pub(super) latest: Option<(HubTime, String)>,
}

/// Index of a side.
pub(super) const fn index(side: Color) -> usize {
    match side {
        Color::White => 0,
        Color::Black => 1,
    }
}

/// A side's name.
pub(super) const fn side_name(side: Color) -> &'static str {
    match side {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl Picture {
    /// Of a device that introduced itself.
    pub(super) fn new(now: HubTime, device: Device) -> Picture {
        Picture {
            device,
            present: true,
            squares: std::array::from_fn(|_| Sensor::default()),
            trays: std::array::from_fn(|_| std::array::from_fn(|_| Sensor::default())),
            face: Face::default(),
            health: None,
            told: None,
            image: None,
            complaint: None,
            heard: now,
            readings: 0,
            lost: 0,
            restarts: 0,
            latest: None,
        }
    }

    /// Takes what its driver said of it.
    pub(super) fn take(&mut self, now: HubTime, output: &Output) {
        match output {
            Output::Present(device) => {
                let restarted = device.boot_id != self.device.boot_id && self.present;
                self.restarts += u32::from(restarted);
                self.device = device.clone();
                self.present = true;
                self.heard = now;
            }
            Output::Heard(_) => self.heard = now,
            Output::Gone { .. } => self.present = false,
            Output::Readings { readings, .. } => {
                for (at, kind) in readings {
                    self.take_reading(*at, kind);
                }
            }
            Output::Doubtful { detail, .. } => self.complaint.clone_from(detail),
            Output::Image { name, .. } => self.image = Some(name.clone()),
            Output::Health { health, .. } => self.health = Some(*health),
            Output::Sensors { sensors, .. } => self.told = Some(sensors.clone()),
            _ => {}
        }
    }

    fn take_reading(&mut self, at: HubTime, kind: &ReadingKind) {
        match kind {
            ReadingKind::Snapshot { occupied, squares } => {
                self.take_snapshot(at, *occupied, squares)
            }
            ReadingKind::Square { square, reading, level } => {
                let reading = reading.or(level.map(SquareReading::Level));
                if let Some(reading) = reading {
                    self.set(at, SensorPlace::Square(*square), reading);
                }
            }
            ReadingKind::Tray { side, slot, reading } => {
                self.set(at, SensorPlace::Slot(*side, *slot), *reading);
            }
            ReadingKind::Press { by } => {
                self.face.presses[index(*by)] += 1;
                self.face.pressed = Some(*by);
                self.note(at, format!("{} pressed", side_name(*by)));
            }
            ReadingKind::Clock { white_ms, black_ms, running } => {
                self.face.left_ms = Some([*white_ms, *black_ms]);
                self.face.running = *running;
                self.readings += 1;
            }
            ReadingKind::Tilt { on } => {
                self.face.tilted = *on;
                self.face.tilts += u32::from(*on);
                self.note(at, if *on { "tilted" } else { "upright again" }.to_owned());
            }
            ReadingKind::Hand { side, near, from } => {
                let (bit, place) = match from {
                    None => (1, ""),
                    Some(HandFrom::Board) => (1, ", towards the board"),
                    Some(HandFrom::Away) => (2, ", away from the board"),
                };
                let hands = &mut self.face.hands[index(*side)];
                *hands = if *near { *hands | bit } else { *hands & !bit };
                self.face.hands_seen[index(*side)] += u32::from(*near);
                let came = if *near { "hand near" } else { "hand gone from" };
                self.note(at, format!("{came} {}'s side{place}", side_name(*side)));
            }
            ReadingKind::Gap { lost } => {
                self.lost = self.lost.saturating_add((*lost).max(1));
                self.note(at, format!("{lost} readings lost"));
            }
            _ => {}
        }
    }

    fn take_snapshot(
        &mut self,
        at: HubTime,
        occupied: Option<readings::Occupancy>,
        squares: &Option<Vec<SquareReading>>,
    ) {
        for square in Square::ALL {
            let reading = match (squares, occupied) {
                (Some(squares), _) => squares.get(usize::from(square)).copied(),
                (None, Some(occupied)) => Some(if occupied.0.contains(square) {
                    SquareReading::Occupied
                } else {
                    SquareReading::Empty
                }),
                (None, None) => None,
            };
            if let Some(reading) = reading
                && let Some(sensor) = self.sensor_mut(SensorPlace::Square(square))
            {
                sensor.take(at, reading);
            }
        }
        self.readings += 1;
        // Of the trays a snapshot tells what is not as it was; at the beginning they are empty.
        if self.has_trays() {
            for tray in &mut self.trays {
                for sensor in tray.iter_mut().filter(|sensor| sensor.reading().is_none()) {
                    sensor.take(at, SquareReading::Empty);
                }
            }
        }
    }

    fn set(&mut self, at: HubTime, place: SensorPlace, reading: SquareReading) {
        if let Some(sensor) = self.sensor_mut(place) {
            sensor.take(at, reading);
            self.note(at, format!("{place} {}", words(reading)));
        }
    }

    fn note(&mut self, at: HubTime, what: String) {
        self.readings += 1;
        self.latest = Some((at, what));
    }

    fn sensor_mut(&mut self, place: SensorPlace) -> Option<&mut Sensor> {
        match place {
            SensorPlace::Square(square) => self.squares.get_mut(usize::from(square)),
            SensorPlace::Slot(side, slot) => self.trays[index(side)].get_mut(usize::from(slot)),
        }
    }

    /// The sensor at a place; a slot beyond the tray has none.
    pub(super) fn sensor(&self, place: SensorPlace) -> Option<&Sensor> {
        match place {
            SensorPlace::Square(square) => self.squares.get(usize::from(square)),
            SensorPlace::Slot(side, slot) => self.trays[index(side)].get(usize::from(slot)),
        }
    }

    /// Whether it has a board.
    pub(super) fn is_board(&self) -> bool {
        self.device.board.is_some()
    }

    /// Whether it has sensed trays.
    pub(super) fn has_trays(&self) -> bool {
        self.device.board.is_some_and(|board| board.trays)
    }

    /// Whether a board has told what all its squares read.
    pub(super) fn is_complete(&self) -> bool {
        self.squares.iter().all(|sensor| sensor.reading().is_some())
    }

    /// Every sensor of the board with its place.
    pub(super) fn sensors(&self) -> impl Iterator<Item = (SensorPlace, &Sensor)> {
        SensorPlace::all(self.has_trays()).filter_map(|place| Some((place, self.sensor(place)?)))
    }

    /// A check begins: what was seen before does not count.
    pub(super) fn begin(&mut self) {
        self.squares.iter_mut().chain(self.trays.iter_mut().flatten()).for_each(Sensor::begin);
        let Face { left_ms, running, tilted, hands, .. } = self.face;
        self.face = Face { left_ms, running, tilted, hands, ..Face::default() };
    }

    /// Chatter or weakness of a sensor: what was seen here, and what its node says.
    pub(super) fn unrest(&self, place: SensorPlace) -> Option<Fault> {
        let seen = self.sensor(place).and_then(Sensor::unrest);
        let flickers = self.health.as_ref().and_then(|health| flickers(health, place));
        // The gravest.
        [seen, flickers, self.reported(place)].into_iter().flatten().min()
    }

    /// Raw changes or spread of a sensor, as its node tells it; 0 if it does not.
    pub(super) fn noise(&self, place: SensorPlace) -> u8 {
        match (&self.told, place) {
            (Some(told), SensorPlace::Square(square)) => told.noise[usize::from(square)],
            _ => 0,
        }
    }

    /// What its node says of a sensor. A sensor that does not change is dead or stuck, by what it reads.
    fn reported(&self, place: SensorPlace) -> Option<Fault> {
        let told = self.told.as_ref()?;
        if has(&told.stuck, place) {
            let occupied = self.sensor(place)?.occupied()?;
            return Some(if occupied { Fault::Stuck } else { Fault::Dead });
        }
        let sets = [(&told.chattering, Fault::Chattering), (&told.weak, Fault::Weak)];
        sets.into_iter().find(|(set, _)| has(set, place)).map(|(_, fault)| fault)
    }

    /// What the device is called: its id, or its port where its maker gave it none.
    pub(super) fn id(&self) -> Option<&str> {
        self.device.id.as_deref()
    }

    /// What it is, in words: `board, reed, trays`.
    pub(super) fn kind(&self) -> String {
        kind_of(&self.device)
    }
}

/// What a device is, in words.
pub(super) fn kind_of(device: &Device) -> String {
    let mut words = Vec::new();
    if let Some(board) = device.board {
        words.push("board".to_owned());
        words.push(sensor_name(board.sensor).to_owned());
        words.push(if board.trays { "trays" } else { "no trays" }.to_owned());
    }
    if device.clock {
        words.push("clock".to_owned());
    }
    words.join(", ")
}

/// A sensor kind as configurations write it.
pub(super) const fn sensor_name(kind: readings::SensorKind) -> &'static str {
    use readings::SensorKind;
    match kind {
        SensorKind::Reed => "reed",
        SensorKind::HallPolarity => "hall-polarity",
        SensorKind::HallMagnitude => "hall-magnitude",
        SensorKind::PieceId => "piece-id",
    }
}

/// Whether a set holds a sensor.
fn has(set: &SensorSet, place: SensorPlace) -> bool {
    match place {
        SensorPlace::Square(square) => set.squares >> usize::from(square) & 1 == 1,
        SensorPlace::Slot(side, slot) => set.trays[index(side)] >> slot & 1 == 1,
    }
}

/// Whether a node counts a square among those that flicker.
fn flickers(health: &DeviceHealth, place: SensorPlace) -> Option<Fault> {
    let SensorPlace::Square(square) = place else { return None };
    (health.flickering >> usize::from(square) & 1 == 1).then_some(Fault::Chattering)
}

/// Minutes and seconds; below ten seconds tenths too.
pub(super) fn time(ms: i64) -> String {
    let seconds = ms / 1_000;
    match ms {
        ..0 => "0:00".to_owned(),
        0..10_000 => format!("0:{seconds:02}.{}", ms % 1_000 / 100),
        _ => format!("{}:{:02}", seconds / 60, seconds % 60),
    }
}

/// A reading in words.
pub(super) fn words(reading: SquareReading) -> String {
    match reading {
        SquareReading::Empty => "empty".to_owned(),
        SquareReading::Occupied => "occupied".to_owned(),
        SquareReading::Side(side) => side_name(side).to_lowercase(),
        SquareReading::Piece(piece) => piece.char().to_string(),
        SquareReading::Level(level) => format!("level {level:+}"),
    }
}
