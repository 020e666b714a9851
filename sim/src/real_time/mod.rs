//! The simulated hall in real time: tables whose nodes talk to real hubs over real serial devices.
//!
//! ```no_run
//! # async fn example(games: Vec<rules::bpgn::BpgnGame>) -> Result<(), sim::SimError> {
//! use sim::{Profile, real_time::{Hall, HallConfig}};
//!
//! let hall = Hall::start(HallConfig {
//!     games,
//!     profile: Profile::Club,
//!     trays: false,
//!     seed: 1,
//!     speed: 1.0,
//!     tables: 3,
//!     device_folder: "/run/twinboard/hall".into(),
//!     lead_in: std::time::Duration::from_secs(2),
//! })?;
//! for node in hall.nodes() {
//!     println!("table {}: {} at {}", node.table, node.node_id, node.port.display());
//! }
//! hall.finished().await;
//! # Ok(()) }
//! ```
//!
//! Every table of bughouse has two boards and two lever clocks, one of chess a board and a clock, each a node of its own behind a pseudoterminal
//! whose link (`<device_folder>/<node id>`) stays the same. A table plays its matches one after the
//! other: set-up, play, both clocks stopped, the pieces stay for a while, then the clocks are set and
//! the pieces set up again. Plies and mishaps are decided before the first piece moves
//! and is the same at any speed; only the exchange with the hub is in real time.

mod attached;
mod cable;
mod config;
mod line;
mod on_request;
mod table;
mod workbench;

use std::{path::PathBuf, time::Duration};

use node_firmware::Identity;
use proto::link::NodeId;
use readings::SensorKind;
use rules::{Bitboard, BoardId, Position, TimeControl};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until},
};

pub use self::attached::Attached;
pub use self::cable::{Fault, Touch};
pub use self::config::{HallConfig, HallMatch, MAX_SPEED};
pub use self::workbench::{Workbench, WorkbenchNode};
use self::{
    cable::{Attachment, CableTask, Deed, HallTime, Order, boot_id, order},
    line::Line,
    on_request::WaitingTable,
    table::{PlayingTable, TableTimeline, match_name},
};
use crate::{
    Equipment, Profile, RecordedGame, Sensors, SimError,
    chance::Chance,
    device::{Device, clock_control},
    devices::SerialDevice,
    lever_clock,
    magnet::{DRIFT_US, Sensor},
    perform::script_with_time,
    recorded::usual_time,
};

/// Orders that may wait for one node.
const ORDERS: usize = 16;
/// Real time from a request to play to the first touch: all devices of the table know by then what comes.
const NOTICE: Duration = Duration::from_millis(250);

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HallNodeKind {
    /// A board.
    Board,
    /// A clock.
    Clock,
}

/// A node of the hall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HallNode {
    /// Its table, from 1.
    pub table: usize,
    /// The board it is, or whose clock it is.
    pub board: BoardId,
    /// Its kind.
    pub kind: HallNodeKind,
    /// Kind of a board's sensors; `None` for a clock.
    pub sensor: Option<SensorKind>,
    /// Its name as its HELLO tells it.
    pub node_id: String,
    /// The serial device.
    pub port: PathBuf,
}

/// An open hall. Dropping it closes it: all devices disappear.
pub struct Hall {
    nodes: Vec<HallNode>,
    orders: Vec<mpsc::Sender<Order>>,
    matches: Vec<HallMatch>,
    time: HallTime,
    end_us: u64,
    base_s: u32,
    device_folder: PathBuf,
    /// The attached devices, which live as long as the hall.
    attached: Vec<mpsc::Sender<Order>>,
    /// The tables of a hall that plays on request.
    waiting: Vec<WaitingTable>,
    tasks: JoinSet<()>,
}

/// When matches are played.
#[derive(Clone, Copy)]
enum MatchPace {
    /// Each table plays one after the other.
    EachTable,
    /// All tables play their next match together, with a break of this length between two rounds.
    Rounds(Duration),
    /// A table plays when somebody asks for it.
    OnRequest,
}

impl Hall {
    /// Opens a hall of reed boards: makes the devices and lets time run. Needs a Tokio runtime.
    ///
    /// # Errors
    ///
    /// If a game cannot be played, the speed is out of range, or a device cannot be made.
    pub fn start(config: HallConfig) -> Result<Hall, SimError> {
        Hall::start_with(config, Sensors::default())
    }

    /// [`Hall::start`] with boards A and B of these kinds at every table; which boards have trays is in `config`.
    ///
    /// # Errors
    ///
    /// As there, and if no node reads boards of such a kind.
    pub fn start_with(config: HallConfig, sensors: Sensors) -> Result<Hall, SimError> {
        Hall::start_with_tables(config, sensors, &[])
    }

    /// [`Hall::start_with`] and, after those tables, a further one for each list of games of bughouse or of chess. The clocks of
    /// such a table have the time control of its first game, and in the first period no less than any of its games needs.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn start_with_tables(
        config: HallConfig,
        sensors: Sensors,
        further: &[Vec<RecordedGame>],
    ) -> Result<Hall, SimError> {
        Hall::open(config, sensors, further, MatchPace::EachTable)
    }

    /// [`Hall::start_with_tables`] with rounds: all tables play their next match together, so long after the last match of the round
    /// before. The pieces are set up for it as soon as a table's own match is over.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn start_rounds(
        config: HallConfig,
        sensors: Sensors,
        further: &[Vec<RecordedGame>],
        round_break: Duration,
    ) -> Result<Hall, SimError> {
        Hall::open(config, sensors, further, MatchPace::Rounds(round_break))
    }

    /// Opens a hall whose tables stand set up, and play the games of `config` when [`Hall::put_back`] and [`Hall::play`] ask them to.
    ///
    /// # Errors
    ///
    /// As [`Hall::start`].
    pub fn start_on_request(config: HallConfig) -> Result<Hall, SimError> {
        Hall::open(config, Sensors::default(), &[], MatchPace::OnRequest)
    }

    fn open(
        config: HallConfig,
        sensors: Sensors,
        further: &[Vec<RecordedGame>],
        pace: MatchPace,
    ) -> Result<Hall, SimError> {
        let identity_boards =
            sensors.boards().any(|board| sensors.kind(board) == Some(SensorKind::PieceId));
        if identity_boards {
            return Err(SimError::NoNode("piece-id"));
        }
        let equipment = config.equipment(sensors);
        let speed = config.speed;
        if !(speed > 0.0 && speed <= MAX_SPEED) {
            return Err(SimError::Speed(speed));
        }
        let begin_us = (config.lead_in.as_secs_f64() * speed * 1e6) as u64;
        let dealt = dealt(&config)?;
        let groups = [&dealt[..]].into_iter().chain(further.iter().map(std::slice::from_ref));
        let mut playing = Vec::new();
        for group in groups.filter(|group| !group.is_empty()) {
            let time = common_time(&config, &equipment, playing.len() + 1, group)?;
            let numbers = playing.len() + 1..;
            for (number, games) in numbers.zip(group) {
                let table = PlayingTable::new(&config, equipment, number, games, begin_us, &time)?;
                playing.push((table, &games[..]));
            }
        }
        let (tables, waiting) = match pace {
            MatchPace::EachTable => (played(playing, None)?, Vec::new()),
            MatchPace::Rounds(round_break) => (played(playing, Some(round_break))?, Vec::new()),
            MatchPace::OnRequest => playing
                .into_iter()
                .map(|(table, games)| (table.timeline().clone(), WaitingTable::new(table, games)))
                .unzip(),
        };
        let mut hall = Hall {
            nodes: Vec::new(),
            orders: Vec::new(),
            matches: Vec::new(),
            // Staging many games takes a moment: time runs only from here.
            time: HallTime { start: Instant::now(), speed },
            end_us: 0,
            base_s: tables.first().map_or(0, |table| lever_clock::base_s(&table.time)),
            device_folder: config.device_folder.clone(),
            attached: Vec::new(),
            waiting,
            tasks: JoinSet::new(),
        };
        for (number, timeline) in (1..).zip(tables) {
            hall.open_table(&config, number, timeline)?;
        }
        Ok(hall)
    }

    fn open_table(
        &mut self,
        config: &HallConfig,
        table: usize,
        timeline: TableTimeline,
    ) -> Result<(), SimError> {
        let TableTimeline { sensors, time, boards, clocks, matches, end_us } = timeline;
        self.end_us = self.end_us.max(end_us);
        self.matches.extend(matches);
        let initial = Bitboard(0xffff_0000_0000_ffff);
        for ((board, contacts), touches) in BoardId::ALL.into_iter().zip(boards).zip(clocks) {
            let Some(sensed) = sensors.kind(board) else { continue };
            let trays = sensors.trays(board);
            for kind in [HallNodeKind::Board, HallNodeKind::Clock] {
                let word = match kind {
                    HallNodeKind::Board => "board",
                    HallNodeKind::Clock => "clock",
                };
                let name = format!("table{table}-{word}-{board}").to_lowercase();
                let node_id: NodeId = name.parse().map_err(|_| SimError::NodeName(name.clone()))?;
                let identity = Identity::new(node_id, boot_id());
                let device = match (kind, sensed) {
                    (HallNodeKind::Clock, _) => {
                        let set = clock_control(&time, [0; 2]);
                        Device::clock(identity, set, false, touches.clone())
                    }
                    (HallNodeKind::Board, SensorKind::Reed) => {
                        Device::board(identity, initial, trays, contacts.clone())
                    }
                    (HallNodeKind::Board, _) => {
                        let chance = Chance::new(config.seed, &name, Profile::Ideal);
                        let sensor = Sensor::new(sensed, board, &chance, DRIFT_US);
                        let (start, timeline) = (Position::initial(), contacts.clone());
                        Device::hall_board(identity, sensed, sensor, &start, trays, timeline)
                    }
                };
                let port = config.device_folder.join(&name);
                let line = Line::new(port.clone())?;
                let (orders, receiver) = mpsc::channel(ORDERS);
                let attachment = Attachment::Node(device);
                let task = CableTask::new(attachment, line, self.time, receiver);
                self.tasks.spawn(task.run());
                self.orders.push(orders);
                let sensor = (kind == HallNodeKind::Board).then_some(sensed);
                self.nodes.push(HallNode { table, board, kind, sensor, node_id: name, port });
            }
        }
        Ok(())
    }

    /// Puts a device of another maker into the hall, behind a serial device of this name in the hall's folder. Its world
    /// runs on the hall's time.
    ///
    /// # Errors
    ///
    /// If the serial device cannot be made.
    pub fn attach(
        &mut self,
        name: &str,
        device: Box<dyn SerialDevice>,
    ) -> Result<Attached, SimError> {
        let port = self.device_folder.join(name);
        let line = Line::new(port.clone())?;
        let (orders, receiver) = mpsc::channel(ORDERS);
        let attachment = Attachment::Other(device);
        let task = CableTask::new(attachment, line, self.time, receiver);
        self.tasks.spawn(task.run());
        self.attached.push(orders.clone());
        Ok(Attached { port, orders })
    }

    /// All nodes, table by table.
    #[must_use]
    pub fn nodes(&self) -> &[HallNode] {
        &self.nodes
    }

    /// All matches, table by table and in order of play, with what happens in them; those on request in the order of the requests.
    #[must_use]
    pub fn matches(&self) -> &[HallMatch] {
        &self.matches
    }

    /// Time to which all clocks of the tables of `config` are set before every match, seconds: the most that any of the matches
    /// needs, so that a hub can be told one time control. For a further table the headers of its matches say it.
    #[must_use]
    pub fn base_s(&self) -> u32 {
        self.base_s
    }

    /// Hall time since the hall was opened, microseconds.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.time.now_us()
    }

    /// Waits until the last match is over and the clocks have been set again after it. The devices stay, so that nodes can
    /// deliver what is left.
    pub async fn finished(&self) {
        sleep_until(self.time.instant(self.end_us)).await;
    }

    /// Has the pieces of a table put back for its next match, some seconds after its last one.
    ///
    /// # Errors
    ///
    /// No such table plays on request, it has no game left, or the hall is closed.
    pub async fn put_back(&mut self, table: usize) -> Result<(), SimError> {
        let soon_us = self.soon_us();
        self.waiting_table(table)?.put_back(soon_us)?.ok_or(SimError::NoGame(table))?;
        self.send(table).await
    }

    /// Has a table play its next match, as soon as its pieces stand; what will happen in it.
    ///
    /// # Errors
    ///
    /// No such table plays on request, it has no game left, or the hall is closed.
    pub async fn play(&mut self, table: usize) -> Result<HallMatch, SimError> {
        let soon_us = self.soon_us();
        let played = self.waiting_table(table)?.play(soon_us)?.ok_or(SimError::NoGame(table))?;
        self.send(table).await?;
        self.matches.push(played.clone());
        Ok(played)
    }

    fn soon_us(&self) -> u64 {
        self.now_us() + (NOTICE.as_secs_f64() * self.time.speed * 1e6) as u64
    }

    fn waiting_table(&mut self, table: usize) -> Result<&mut WaitingTable, SimError> {
        let waiting = table.checked_sub(1).and_then(|index| self.waiting.get_mut(index));
        waiting.ok_or(SimError::NoGame(table))
    }

    /// Sends what was decided to the devices of a table.
    async fn send(&mut self, table: usize) -> Result<(), SimError> {
        let stimuli = self.waiting_table(table)?.new_stimuli();
        for (kind, of_kind) in [HallNodeKind::Board, HallNodeKind::Clock].into_iter().zip(stimuli) {
            for (board, stimuli) in BoardId::ALL.into_iter().zip(of_kind) {
                let wanted = (table, board, kind);
                let is_it = |node: &HallNode| (node.table, node.board, node.kind) == wanted;
                let index = self.nodes.iter().position(is_it);
                let device = index.and_then(|index| self.orders.get(index));
                if let Some(device) = device.filter(|_| !stimuli.is_empty()) {
                    order(device, Deed::Stimuli(stimuli)).await?;
                }
            }
        }
        Ok(())
    }

    /// Does something to a node; when this returns, it has happened.
    ///
    /// # Errors
    ///
    /// There is no such node, a device cannot be made again, or the hall is closed.
    pub async fn inflict(&self, node_id: &str, fault: Fault) -> Result<(), SimError> {
        let unknown = || SimError::UnknownNode(node_id.to_owned());
        let index = self.nodes.iter().position(|node| node.node_id == node_id);
        let orders = index.and_then(|index| self.orders.get(index)).ok_or_else(unknown)?;
        order(orders, Deed::Fault(fault)).await
    }
}

/// Plays all games: each table by itself, or in rounds with a break of the given length between them.
fn played(
    mut tables: Vec<(PlayingTable, &[RecordedGame])>,
    round_break: Option<Duration>,
) -> Result<Vec<TableTimeline>, SimError> {
    let pause_us = round_break.map(|pause| pause.as_micros() as u64);
    let mut from_us = 0;
    for round in 0.. {
        let mut over_us = None;
        for (table, games) in &mut tables {
            let Some(game) = games.get(round) else { continue };
            over_us = over_us.max(Some(table.play(game, from_us)?));
        }
        let Some(over_us) = over_us else { break };
        from_us = pause_us.map_or(0, |pause_us| over_us + pause_us);
    }
    Ok(tables.into_iter().map(|(table, _)| table.finish()).collect())
}

/// The games of each table.
fn dealt(config: &HallConfig) -> Result<Vec<Vec<RecordedGame>>, SimError> {
    let mut tables = vec![Vec::new(); config.tables];
    for (index, game) in config.games.iter().enumerate() {
        if let Some(table) = tables.get_mut(index % config.tables.max(1)) {
            table.push(RecordedGame::try_from(game)?);
        }
    }
    Ok(tables)
}

/// The time control of the clocks at some tables, from table `first` on: that of the first game, with the longest base time that any match
/// needs; without a game, what is usual.
fn common_time(
    config: &HallConfig,
    equipment: &Equipment,
    first: usize,
    tables: &[Vec<RecordedGame>],
) -> Result<TimeControl, SimError> {
    let first_game = tables.iter().flatten().next();
    let mut time = first_game.map_or_else(usual_time, |game| Ok(game.time.clone()))?;
    for (table, games) in (first..).zip(tables) {
        for (number, game) in (1..).zip(games) {
            let match_id = match_name(table, number);
            let players = config.profile.into();
            let (seed, set) = (config.seed, time.clone());
            let script = script_with_time(game, &players, equipment, seed, &match_id, &set)?;
            time = script.time;
        }
    }
    Ok(time)
}
