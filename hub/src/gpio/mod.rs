//! Parts on the hub's own pins: lights, a buzzer, levers, and the direction of an RS-485 line.
//!
//! The hub needs none of them: where there are no pins, or one cannot be used, it logs that once and goes on. The tables
//! of what lights mean are [`Lights`].

mod bank;
mod lever;
mod lights;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proto::mqtt::CALL_BUTTON;
use readings::ReadingKind;
use rules::{BoardId, Color};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

pub use bank::{Bank, GpioError, Input, OnChange, Output, PiPins};
pub use lights::{Buzzer, Light, Lights};

use crate::HubClock;
use crate::config::Gpio;
use crate::journal_line::NodeState;
use crate::liveness::Liveness;
use crate::ports::NodeInput;
use lever::Lever;

/// The direction of a half-duplex line: high while the hub sends.
pub struct Direction(Output);

impl std::fmt::Debug for Direction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Direction")
    }
}

impl Direction {
    /// The direction that `pin` switches; the hub listens.
    #[must_use]
    pub fn new(pin: Output) -> Direction {
        let mut direction = Direction(pin);
        direction.listen();
        direction
    }

    /// The hub sends from now on.
    pub fn send(&mut self) {
        let Ok(()) = self.0.set_high();
    }

    /// The hub listens from now on.
    pub fn listen(&mut self) {
        let Ok(()) = self.0.set_low();
    }
}

/// The direction pins of a configuration, by the ports of their lines. A pin that cannot be used is logged once and left out.
pub fn directions(
    config: &Gpio,
    bank: &mut Result<Box<dyn Bank>, GpioError>,
) -> HashMap<PathBuf, Direction> {
    let mut directions = HashMap::new();
    for line in &config.rs485 {
        let Some(direction) = line.direction else { continue };
        let pin = bank.as_mut().map_err(|problem| problem.clone());
        match pin.and_then(|bank| bank.output(direction)) {
            Ok(pin) => drop(directions.insert(line.port.clone(), Direction::new(pin))),
            Err(problem) => {
                error!("[gpio] rs485 line {} cannot be switched: {problem}", line.port.display())
            }
        }
    }
    directions
}

/// Interval between two updates of the lights; shorter than their fastest blinking.
const TICK: Duration = Duration::from_millis(50);
/// Changes of one lever's contact that may wait.
const CHANGES_MAX: usize = 64;

/// A switch with its place.
#[derive(Debug)]
pub struct SwitchPlace {
    /// Its BCM number.
    pub pin: u8,
    /// What it is.
    pub switch: Switch,
    /// Receiver of its presses.
    pub inputs: mpsc::Sender<NodeInput>,
}

/// A switch on a pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// The lever of a clock. Low: White's side is down.
    Lever {
        /// The board it belongs to.
        board: BoardId,
        /// Names it in the record, as a node's id does.
        name: String,
    },
    /// The button with which players call a director. Low: it is pressed.
    CallButton,
}

impl Switch {
    /// Name in the record.
    fn name(&self) -> &str {
        match self {
            Switch::Lever { name, .. } => name,
            Switch::CallButton => CALL_BUTTON,
        }
    }

    /// Board in the record; a button is the table's.
    fn board(&self) -> BoardId {
        match self {
            Switch::Lever { board, .. } => *board,
            Switch::CallButton => BoardId::A,
        }
    }
}

/// Serves lights, buzzer, levers and buttons until `shutdown`. A part that cannot be used is logged once and left out.
pub async fn run(
    config: Gpio,
    bank: Result<Box<dyn Bank>, GpioError>,
    switches: Vec<SwitchPlace>,
    liveness: Liveness,
    clock: HubClock,
    shutdown: CancellationToken,
) {
    let mut bank = match bank {
        Ok(bank) => bank,
        Err(problem) => {
            error!("[gpio] cannot be used: {problem}");
            for place in switches {
                tell(&place, NodeState::Lost, &problem.to_string(), clock).await;
            }
            return;
        }
    };
    let mut tasks = tokio::task::JoinSet::new();
    for place in switches {
        let (changes, changed) = mpsc::channel(CHANGES_MAX);
        // A contact that changes faster than the hub looks has not settled: what does not fit says nothing.
        let on_change = move |is_high| {
            let _ = changes.try_send((clock.now(), side_down(is_high)));
        };
        match bank.input(place.pin, Box::new(on_change)) {
            Ok(input) => drop(tasks.spawn(follow(place, input, changed, clock))),
            Err(problem) => {
                error!("[gpio] {} cannot be read: {problem}", place.switch.name());
                tell(&place, NodeState::Lost, &problem.to_string(), clock).await;
            }
        }
    }
    let mut panel = Panel::new(&config, bank.as_mut());
    info!(pins = panel.count(), switches = tasks.len(), "the hub's own pins are in use");
    let begun = Instant::now();
    while !shutdown.is_cancelled() {
        panel.show(&liveness, begun.elapsed());
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(TICK) => {}
        }
    }
    panel.dark();
    tasks.shutdown().await;
}

/// Low is White's: a closed contact pulls its pin down.
const fn side_down(is_high: bool) -> Color {
    if is_high { Color::Black } else { Color::White }
}

async fn tell(place: &SwitchPlace, state: NodeState, detail: &str, clock: HubClock) {
    let input = NodeInput::State {
        node_id: place.switch.name().to_owned(),
        board: place.switch.board(),
        at: clock.now(),
        state,
        detail: detail.to_owned(),
    };
    // The table's task ends only when the hub stops.
    drop(place.inputs.send(input).await);
}

/// Follows one lever or button.
async fn follow(
    place: SwitchPlace,
    input: Box<dyn Input>,
    mut changed: mpsc::Receiver<(proto::link::HubTime, Color)>,
    clock: HubClock,
) {
    tell(&place, NodeState::Connected, "", clock).await;
    let mut lever = Lever::new(side_down(input.is_high()));
    loop {
        let pause = lever.due().map_or(Duration::from_secs(1), |due| clock.until(due));
        tokio::select! {
            change = changed.recv() => match change {
                Some((at, down)) => lever.change(at, down),
                None => return,
            },
            // The level is read again, so that a change which a full queue dropped is seen all the same.
            () = tokio::time::sleep(pause) => lever.change(clock.now(), side_down(input.is_high())),
        }
        if let Some((at, by)) = lever.press(clock.now()) {
            match place.switch {
                Switch::Lever { board, .. } => {
                    let readings = vec![(at, ReadingKind::Press { by })];
                    let press = NodeInput::Readings { board, readings, offset: None };
                    drop(place.inputs.send(press).await);
                }
                Switch::CallButton if by == Color::White => {
                    tell(&place, NodeState::Faulty, "pressed", clock).await;
                    tell(&place, NodeState::Connected, "", clock).await;
                }
                Switch::CallButton => {}
            }
        }
    }
}

/// Lights and buzzer.
struct Panel {
    ok: Option<Output>,
    trouble: Option<Output>,
    recording: Option<Output>,
    buzzer: Option<Output>,
    sound: Buzzer,
}

impl Panel {
    fn new(config: &Gpio, bank: &mut dyn Bank) -> Panel {
        let mut take = |pin: Option<u8>, name: &str| {
            let taken = bank.output(pin?);
            taken.inspect_err(|problem| error!("[gpio] {name} cannot be used: {problem}")).ok()
        };
        Panel {
            ok: take(config.ok_led, "ok_led"),
            trouble: take(config.trouble_led, "trouble_led"),
            recording: take(config.recording_led, "recording_led"),
            buzzer: take(config.buzzer, "buzzer"),
            sound: Buzzer::default(),
        }
    }

    fn count(&self) -> usize {
        let pins = [&self.ok, &self.trouble, &self.recording, &self.buzzer];
        pins.into_iter().flatten().count()
    }

    fn show(&mut self, liveness: &Liveness, since: Duration) {
        let summary = liveness.summary();
        let lights = Lights::of(summary);
        set(&mut self.ok, lights.ok.is_lit(since));
        set(&mut self.trouble, lights.trouble.is_lit(since));
        set(&mut self.recording, lights.recording.is_lit(since));
        let sounds = self.sound.sounds(summary, since);
        set(&mut self.buzzer, sounds);
    }

    fn dark(&mut self) {
        for pin in [&mut self.ok, &mut self.trouble, &mut self.recording, &mut self.buzzer] {
            set(pin, false);
        }
    }
}

fn set(pin: &mut Option<Output>, high: bool) {
    if let Some(pin) = pin {
        let Ok(()) = pin.set_state(high.into());
    }
}

#[cfg(test)]
mod tests;
