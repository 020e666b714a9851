//! A port whose driver fails.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{mpsc, watch};

use super::*;
use crate::HubTime;
use crate::config::Config;
use crate::drivers::{BoardSenses, LineSettings};
use crate::ports::{Devices, TableEnd};

const CONFIG: &str = "[hub]\nid = \"hub-1\"\njournal = \"hub.sqlite\"\n\
    [broker]\nhost = \"127.0.0.1\"\n\
    [[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
    [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-1\"\nport = \"/dev/board\"\n\
    [[table.node]]\nboard = \"B\"\nkind = \"board\"\nnode = \"board-2\"\nport = \"/dev/other\"\n";

/// A board that is there at once; its driver fails at the first byte if it is to.
#[derive(Debug)]
struct Fragile {
    fails: bool,
    says: Vec<Output>,
}

impl Driver for Fragile {
    fn line(&self) -> LineSettings {
        LineSettings { baud: 9600, dtr: None, rts: None }
    }
    fn opened(&mut self, _now: HubTime) {
        self.says = vec![
            Output::Heard(Unit::ONLY),
            Output::Present(Device {
                unit: Unit::ONLY,
                id: Some("board-1".to_owned()),
                firmware: String::new(),
                boot_id: Some(7),
                board: Some(BoardSenses { sensor: readings::SensorKind::Reed, trays: false }),
                clock: false,
            }),
        ];
    }
    fn receive(&mut self, _now: HubTime, bytes: &[u8]) {
        assert!(!self.fails, "a byte that it cannot take: {bytes:?}");
    }
    fn transmit(&mut self, _out: &mut [u8]) -> usize {
        0
    }
    fn poll(&mut self, _now: HubTime) {}
    fn poll_output(&mut self) -> Option<Output> {
        self.says.pop()
    }
    fn admit(&mut self, _unit: Unit, _memory: Memory) {}
    fn release(&mut self, _unit: Unit) -> Memory {
        panic!("a driver that has failed is asked nothing any more")
    }
    fn silence(&self) -> &'static str {
        "nothing is there"
    }
}

#[tokio::test]
async fn a_driver_that_fails_gives_its_place_back_and_the_next_one_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::parse("hub.toml".as_ref(), CONFIG).unwrap();
    let node = config.tables[0].nodes[0].clone();
    let (inputs, mut heard) = mpsc::channel(16);
    let wanted = watch::Sender::new(HubTime::ZERO);
    let end = TableEnd { inputs, wanted: wanted.subscribe() };
    let registry = Arc::new(Registry::default());
    let place = Place { table: "1".to_owned(), node, end };
    registry.add(place, Memory::New { resume: None, kept: None });
    let shelf = Shelf::beside(&folder.path().join("hub.sqlite"));
    let clock = HubClock::real();
    let shared = Shared { registry, shelf, devices: Devices::default(), clock };
    let made = AtomicUsize::new(0);
    let new_driver: NewDriver = Box::new(move || {
        let fails = made.fetch_add(1, Ordering::Relaxed) == 0;
        Box::new(Fragile { fails, says: Vec::new() })
    });
    let meant_for = Some("table 1, board A".to_owned());
    let about = About { path: "/dev/board".into(), meant_for, direction: None };
    let mut port = Port::new(about, shared, new_driver, Beat::default());
    let (_keep, mut requests) = broadcast::channel(1);
    let stop = CancellationToken::new();

    let mut next_state = async || match heard.recv().await {
        Some(NodeInput::State { state, detail, .. }) => (state, detail),
        other => panic!("{other:?}"),
    };
    let (mut device, stream) = SerialStream::pair().unwrap();
    let speaks = async {
        assert_eq!(next_state().await.0, NodeState::Connected);
        device.write_all(b"x").await.unwrap();
        next_state().await
    };
    let (served, lost) = tokio::join!(port.serve(stream, &mut requests, &stop), speaks);
    assert!(!served, "it failed");
    assert_eq!(lost, (NodeState::Lost, "its driver failed".to_owned()));

    let (_device, stream) = SerialStream::pair().unwrap();
    let back = tokio::select! {
        state = next_state() => Some(state.0),
        _ = port.serve(stream, &mut requests, &stop) => None,
    };
    assert_eq!(back, Some(NodeState::Connected), "the next driver has the place");
}
