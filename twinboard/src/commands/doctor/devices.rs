//! All ports under examination, and the state of the devices at them. Pure, but for the starting of the lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use hub::config::{Config, Node, NodeKind};
use hub::drivers::{DriverSettings, Output, Unit};
use hub::ports::is_same;
use hub::{HubClock, HubTime};
use proto::link::Standing;
use tokio::sync::mpsc;

use super::Answering;
use super::line::{Line, NEWS_MAX, PortEvent, PortRequest};
use super::picture::Picture;
use super::probe::{Probe, ProbeReport};

/// Wishes that may wait at a port.
const WISHES_MAX: usize = 8;

/// Drivers that are tried at one port, at most.
pub(super) const DRIVERS_MAX: u32 = 2;

/// One port.
#[derive(Debug)]
pub(super) struct Port {
    /// Its path.
    pub(super) path: PathBuf,
    /// Its problem; `None` while a device answers.
    pub(super) trouble: Option<String>,
    /// Report of the first message that its driver does not know.
    pub(super) unknown: Option<String>,
    /// Whether it has said anything at all, good or bad.
    pub(super) settled: bool,
    /// Whether a node at it holds readings that its hub has not stored.
    pub(super) holds_readings: bool,
    /// The devices at it.
    pub(super) devices: BTreeMap<Unit, Picture>,
    /// Expected nodes by the configuration.
    expected: Vec<ExpectedNode>,
    wishes: mpsc::Sender<PortRequest>,
}

/// A device: the port's number and the device's at it.
pub(super) type Key = (usize, Unit);

/// All of them.
#[derive(Debug)]
pub(super) struct Devices {
    pub(super) ports: Vec<Port>,
    config: Option<Config>,
    pub(super) clock: HubClock,
}

/// The place that a configuration gives a node.
#[derive(Clone, Debug)]
pub(super) struct ExpectedNode {
    pub(super) table: String,
    pub(super) node: Node,
}

impl ExpectedNode {
    /// In words: `table 12, board A`.
    pub(super) fn words(&self) -> String {
        let Node { board, kind, .. } = &self.node;
        match kind {
            NodeKind::Board => format!("table {}, board {board}", self.table),
            NodeKind::Clock => format!("table {}, clock {board}", self.table),
        }
    }
}

impl Devices {
    /// Begins to look at the ports. With `readings` what the devices read is wanted too, not only who they are.
    pub(super) fn look(
        paths: Vec<PathBuf>,
        config: Option<Config>,
        readings: bool,
    ) -> (Devices, mpsc::Receiver<PortEvent>) {
        let clock = HubClock::real();
        let (news, receiver) = mpsc::channel(NEWS_MAX);
        let placed = config.iter().flat_map(all_given).map(|given| given.node.id).collect();
        let placed = Arc::new(placed);
        let ports = paths
            .into_iter()
            .enumerate()
            .map(|(number, path)| {
                let (sender, wishes) = mpsc::channel(WISHES_MAX);
                let expected = expected_at(config.as_ref(), &path);
                let line = Line {
                    port: number,
                    path: path.clone(),
                    probe: Probe::new(
                        drivers(&expected),
                        Arc::clone(&placed),
                        readings,
                        clock.now(),
                    ),
                    clock,
                    news: news.clone(),
                };
                tokio::spawn(line.run(wishes));
                Port {
                    path,
                    trouble: None,
                    unknown: None,
                    settled: false,
                    holds_readings: false,
                    devices: BTreeMap::new(),
                    expected,
                    wishes: sender,
                }
            })
            .collect();
        (Devices { ports, config, clock }, receiver)
    }

    /// Takes news; the device they are about, if they are about one.
    pub(super) fn take(&mut self, PortEvent { port, at, what }: PortEvent) -> Option<Key> {
        let number = port;
        let port = self.ports.get_mut(number)?;
        match what {
            ProbeReport::Trouble(trouble) => port.fail(trouble),
            ProbeReport::Silent(advice) => port.fail(advice.to_owned()),
            ProbeReport::HoldsReadings => port.holds_readings = true,
            ProbeReport::Said(Output::Unusable(problem)) => port.fail(problem),
            ProbeReport::Said(Output::Garbled(problem)) => {
                port.trouble = Some(format!("garbled: {problem}"))
            }
            ProbeReport::Said(Output::Unknown(words)) => {
                port.unknown.get_or_insert(words);
            }
            ProbeReport::Said(output) => {
                let unit = unit_of(&output)?;
                let output = port.identified(output);
                if let Output::Present(device) = &output {
                    port.settled = true;
                    let known = port
                        .devices
                        .get(&unit)
                        .is_some_and(|picture| picture.device.id == device.id);
                    if !known {
                        port.devices.insert(unit, Picture::new(at, device.clone()));
                    }
                }
                if matches!(output, Output::Heard(_) | Output::Present(_)) {
                    port.trouble = None;
                }
                port.devices.get_mut(&unit)?.take(at, &output);
                return Some((number, unit));
            }
        }
        None
    }

    /// A device that answers, as an answer.
    pub(super) fn answering(&self, key: Key) -> Option<Answering> {
        let picture = self.picture(key)?;
        Some(Answering {
            port: self.ports.get(key.0)?.path.clone(),
            name: self.name(key),
            kind: picture.kind(),
            is_clock: picture.device.clock && !picture.is_board(),
            firmware: picture.device.firmware.clone(),
            image: picture.image.clone(),
            place: self.given(picture).map(|given| given.words()),
        })
    }

    /// The configuration, if there is one.
    pub(super) fn config(&self) -> Option<&Config> {
        self.config.as_ref()
    }

    /// Whether every port has a result, good or bad.
    pub(super) fn all_settled(&self) -> bool {
        self.ports.iter().all(|port| port.settled)
    }

    /// Every device.
    pub(super) fn keys(&self) -> Vec<Key> {
        self.ports
            .iter()
            .enumerate()
            .flat_map(|(number, port)| port.devices.keys().map(move |&unit| (number, unit)))
            .collect()
    }

    pub(super) fn picture(&self, (port, unit): Key) -> Option<&Picture> {
        self.ports.get(port)?.devices.get(&unit)
    }

    pub(super) fn picture_mut(&mut self, (port, unit): Key) -> Option<&mut Picture> {
        self.ports.get_mut(port)?.devices.get_mut(&unit)
    }

    /// The place a node has.
    pub(super) fn given(&self, picture: &Picture) -> Option<ExpectedNode> {
        given(self.config.as_ref()?, picture.id()?)
    }

    /// The configured nodes that are at none of the ports.
    pub(super) fn missing(&self) -> Vec<ExpectedNode> {
        let Some(config) = &self.config else { return Vec::new() };
        let here = |id: &str| {
            self.ports
                .iter()
                .flat_map(|port| port.devices.values())
                .any(|found| found.id() == Some(id))
        };
        all_given(config).filter(|given| !here(&given.node.id)).collect()
    }

    /// Name of a device: its id and its label; or its port.
    pub(super) fn name(&self, key: Key) -> String {
        let Some(picture) = self.picture(key) else { return String::new() };
        let port = self.ports[key.0].path.display();
        let id = picture.id().map_or_else(|| format!("device at {port}"), str::to_owned);
        match self.label(picture) {
            Some(label) => format!("{id} \"{label}\""),
            None => id,
        }
    }

    /// The label the configuration gives it.
    pub(super) fn label(&self, picture: &Picture) -> Option<String> {
        self.given(picture)?.node.label
    }

    /// The device a person means: its id, its label, or its port.
    pub(super) fn find(&self, wanted: &str) -> Option<Key> {
        let same_port = |path: &Path| is_same(path, Path::new(wanted));
        self.keys().into_iter().find(|&key| {
            self.picture(key).is_some_and(|picture| {
                picture.id() == Some(wanted)
                    || self.label(picture).as_deref() == Some(wanted)
                    || same_port(&self.ports[key.0].path)
            })
        })
    }

    /// The device a person named.
    ///
    /// # Errors
    ///
    /// It answers at no port.
    pub(super) fn named(&self, wanted: &str) -> Result<Key> {
        self.find(wanted).with_context(|| {
            format!("{wanted:?} was not found at any port: `twinboard doctor` lists the connected devices")
        })
    }

    /// Makes a device blink.
    pub(super) fn blink(&self, (port, _): Key, seconds: u8) {
        // A full queue of requests is ignored.
        let _ = self.ports[port].wishes.try_send(PortRequest::Blink(seconds));
    }

    /// Lets a hall board learn what its squares read without pieces.
    pub(super) fn calibrate(&self, (port, _): Key, standing: Standing) {
        // The caller asks again until it is answered.
        let _ = self.ports[port].wishes.try_send(PortRequest::Calibrate(standing));
    }

    /// Now.
    pub(super) fn now(&self) -> HubTime {
        self.clock.now()
    }
}

impl Port {
    /// A device that has no id of its own is the board that the configuration has at its port, as for a hub.
    fn identified(&self, output: Output) -> Output {
        let Output::Present(mut device) = output else { return output };
        let mut boards = self.expected.iter().filter(|given| given.node.kind == NodeKind::Board);
        device.id = device.id.or_else(|| boards.next().map(|given| given.node.id.clone()));
        Output::Present(device)
    }

    fn fail(&mut self, trouble: String) {
        self.trouble = Some(trouble);
        self.settled = true;
        for picture in self.devices.values_mut() {
            picture.present = false;
        }
    }
}

fn unit_of(output: &Output) -> Option<Unit> {
    match output {
        Output::Present(device) => Some(device.unit),
        Output::Heard(unit)
        | Output::Gone { unit, .. }
        | Output::Readings { unit, .. }
        | Output::Doubtful { unit, .. }
        | Output::Image { unit, .. }
        | Output::Health { unit, .. }
        | Output::Sensors { unit, .. } => Some(*unit),
        _ => None,
    }
}

/// Every place of a configuration.
pub(super) fn all_given(config: &Config) -> impl Iterator<Item = ExpectedNode> + '_ {
    config.tables.iter().flat_map(|table| {
        table
            .nodes
            .iter()
            .map(|node| ExpectedNode { table: table.name.clone(), node: node.clone() })
    })
}

/// The place of a node.
pub(super) fn given(config: &Config, id: &str) -> Option<ExpectedNode> {
    all_given(config).find(|given| given.node.id == id)
}

/// Nodes that a configuration expects at a port, by any of its names.
fn expected_at(config: Option<&Config>, port: &Path) -> Vec<ExpectedNode> {
    let here =
        |given: &ExpectedNode| given.node.port.as_deref().is_some_and(|path| is_same(path, port));
    config.into_iter().flat_map(all_given).filter(here).collect()
}

/// The drivers to try at a port, each by the devices of its line: first those that are expected there, then our own nodes. What
/// these are asked does no harm to others; what others are asked might, so that they are looked for where they are configured.
fn drivers(expected: &[ExpectedNode]) -> Vec<Vec<DriverSettings>> {
    let own = vec![DriverSettings::Twinboard];
    let expected: Vec<DriverSettings> =
        expected.iter().map(|given| given.node.driver.clone()).collect();
    let is_own = expected.iter().all(|driver| *driver == DriverSettings::Twinboard);
    if is_own { vec![own] } else { vec![expected, own] }
}
