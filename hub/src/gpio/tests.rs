//! Lights, buzzer and levers on simulated pins.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use embedded_hal::digital::{ErrorType, OutputPin};

use super::*;
use crate::liveness::{Health, Heartbeat};

/// Longest wait for an expected event.
const PATIENCE: Duration = Duration::from_secs(20);

/// Pins that are wires of a test.
#[derive(Clone, Default)]
struct Wires {
    outputs: Arc<Mutex<BTreeMap<u8, bool>>>,
    inputs: Arc<Mutex<BTreeMap<u8, OnChange>>>,
    high: Arc<Mutex<BTreeMap<u8, bool>>>,
}

struct Wire(u8, Wires);

impl ErrorType for Wire {
    type Error = Infallible;
}

impl OutputPin for Wire {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.1.outputs.lock().unwrap().insert(self.0, false);
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        self.1.outputs.lock().unwrap().insert(self.0, true);
        Ok(())
    }
}

impl Input for Wire {
    fn is_high(&self) -> bool {
        self.1.high.lock().unwrap().get(&self.0).copied().unwrap_or(true)
    }
}

impl Bank for Wires {
    fn output(&mut self, pin: u8) -> Result<Output, GpioError> {
        if pin == 27 {
            return Err(GpioError::Pin { pin, why: "in use".to_owned() });
        }
        self.outputs.lock().unwrap().insert(pin, false);
        Ok(Box::new(Wire(pin, self.clone())))
    }
    fn input(&mut self, pin: u8, on_change: OnChange) -> Result<Box<dyn Input>, GpioError> {
        self.inputs.lock().unwrap().insert(pin, on_change);
        Ok(Box::new(Wire(pin, self.clone())))
    }
}

impl Wires {
    fn put(&self, pin: u8, is_high: bool) {
        self.high.lock().unwrap().insert(pin, is_high);
        if let Some(on_change) = self.inputs.lock().unwrap().get_mut(&pin) {
            on_change(is_high);
        }
    }

    fn lit(&self) -> Vec<u8> {
        let outputs = self.outputs.lock().unwrap();
        outputs.iter().filter(|(_, high)| **high).map(|(pin, _)| *pin).collect()
    }
}

const CONFIG: Gpio = Gpio {
    ok_led: Some(17),
    trouble_led: Some(22),
    recording_led: Some(23),
    buzzer: None,
    rs485: Vec::new(),
    call_buttons: Vec::new(),
};

/// Pins, the sign of life of a hub's task, and the inputs that a table receives.
struct Bench {
    wires: Wires,
    heartbeat: Heartbeat,
    table: mpsc::Receiver<NodeInput>,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
    clock: HubClock,
}

fn start(config: Gpio, bank: Option<Wires>) -> Bench {
    let liveness = Liveness::default();
    let heartbeat = liveness.task("table");
    let (inputs, table) = mpsc::channel(8);
    let switch = Switch::Lever { board: BoardId::A, name: "lever-1-A".to_owned() };
    let lever = SwitchPlace { pin: 5, switch, inputs: inputs.clone() };
    let button = SwitchPlace { pin: 6, switch: Switch::CallButton, inputs };
    let stop = CancellationToken::new();
    let wires = bank.clone().unwrap_or_default();
    let bank = bank.map(|wires| Box::new(wires) as Box<dyn Bank>).ok_or(GpioError::NoPi);
    // Two clocks differ by the time that passes between their constructions.
    let clock = HubClock::real();
    let task = tokio::spawn(run(config, bank, vec![lever, button], liveness, clock, stop.clone()));
    Bench { wires, heartbeat, table, stop, task, clock }
}

impl Bench {
    async fn hears(&mut self) -> NodeInput {
        tokio::time::timeout(PATIENCE, self.table.recv()).await.expect("in time").expect("a table")
    }

    async fn hears_both_connect(&mut self) {
        for _ in 0..2 {
            let connected = self.hears().await;
            assert!(matches!(connected, NodeInput::State { state: NodeState::Connected, .. }));
        }
    }

    async fn shows(&self, lit: &[u8]) {
        let wait = async {
            while self.wires.lit() != lit {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let shown = tokio::time::timeout(PATIENCE, wait).await;
        assert!(shown.is_ok(), "{lit:?} should be lit, not {:?}", self.wires.lit());
    }
}

#[tokio::test]
async fn lights_follow_the_hub_and_go_dark_when_it_stops() {
    let bench = start(CONFIG, Some(Wires::default()));
    bench.shows(&[17]).await;
    bench.heartbeat.set_recording(true);
    bench.shows(&[17, 23]).await;
    bench.heartbeat.set_health(Health::Impaired);
    bench.shows(&[22, 23]).await;
    bench.heartbeat.set_health(Health::Halted);
    bench.shows(&[23]).await;
    bench.shows(&[22, 23]).await;
    bench.stop.cancel();
    bench.task.await.unwrap();
    assert_eq!(bench.wires.lit(), [0; 0]);
}

#[tokio::test]
async fn a_pin_that_cannot_be_used_is_left_out_and_the_others_work() {
    let config = Gpio { ok_led: Some(27), ..CONFIG };
    let bench = start(config, Some(Wires::default()));
    bench.heartbeat.set_health(Health::Impaired);
    bench.shows(&[22]).await;
    bench.stop.cancel();
    bench.task.await.unwrap();
}

#[tokio::test]
async fn a_lever_presses_for_the_side_that_goes_down_at_its_first_contact() {
    let mut bench = start(CONFIG, Some(Wires::default()));
    bench.hears_both_connect().await;
    let before = bench.clock.now();
    for is_high in [false, true, false] {
        bench.wires.put(5, is_high);
    }
    let NodeInput::Readings { board, readings, offset: None } = bench.hears().await else {
        panic!("a press was meant to come");
    };
    assert_eq!(board, BoardId::A);
    let [(at, ReadingKind::Press { by: Color::White })] = readings[..] else {
        panic!("{readings:?}");
    };
    assert!(at >= before && at <= bench.clock.now());
    bench.wires.put(5, true);
    let NodeInput::Readings { readings, .. } = bench.hears().await else {
        panic!("a press was meant to come");
    };
    assert!(matches!(readings[..], [(_, ReadingKind::Press { by: Color::Black })]));
    bench.stop.cancel();
    bench.task.await.unwrap();
}

#[tokio::test]
async fn a_button_that_is_pressed_calls_once_and_not_when_it_is_released() {
    let mut bench = start(CONFIG, Some(Wires::default()));
    bench.hears_both_connect().await;
    for is_low in [true, false, true] {
        bench.wires.put(6, !is_low);
        if is_low {
            for expected in [NodeState::Faulty, NodeState::Connected] {
                let NodeInput::State { node_id, state, .. } = bench.hears().await else {
                    panic!("a call was meant to come");
                };
                assert_eq!((node_id.as_str(), state), ("call-button", expected));
            }
        } else {
            // A lever's press after it shows that the release called nobody.
            tokio::time::sleep(2 * lever::SETTLE).await;
            bench.wires.put(5, false);
            assert!(matches!(bench.hears().await, NodeInput::Readings { .. }));
        }
    }
    bench.stop.cancel();
    bench.task.await.unwrap();
}

#[tokio::test]
async fn off_a_pi_the_table_hears_that_its_lever_is_missing_and_the_task_ends() {
    let mut bench = start(CONFIG, None);
    let NodeInput::State { node_id, state, detail, .. } = bench.hears().await else {
        panic!("a state was meant to come");
    };
    assert_eq!((node_id.as_str(), state), ("lever-1-A", NodeState::Lost));
    assert!(detail.contains("no Raspberry Pi") && detail.contains("[gpio]"), "{detail}");
    bench.task.await.unwrap();
}

#[test]
fn this_machine_says_clearly_whether_it_has_pins() {
    match PiPins::open() {
        Ok(_) => {}
        Err(problem) => assert!(problem.to_string().contains("the hub runs without them")),
    }
}
