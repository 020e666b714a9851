//! `twinboard doctor` without more: every port, what answers there, how it is, and which place it has.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::devices::{DRIVERS_MAX, Devices, Key, Port};
use super::line::{PortEvent, holders};
use super::picture::{self, Picture};
use super::probe::TRY_US;
use super::release;

/// After a device introduced itself: time for its first report.
const AFTERWARDS: Duration = Duration::from_millis(300);

/// A listing.
#[derive(Debug, Serialize)]
pub(super) struct Listing {
    /// This program's version.
    twinboard: &'static str,
    /// Every port.
    ports: Vec<ListedPort>,
    /// Nodes of the configuration that are at no port.
    missing: Vec<Missing>,
    /// Whether every port and node is in order.
    well: bool,
}

#[derive(Debug, Serialize)]
struct ListedPort {
    port: String,
    /// Problem and cure.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    devices: Vec<ListedDevice>,
}

#[derive(Debug, Serialize)]
struct ListedDevice {
    /// Its id: its own, or the one that the configuration gives to whatever is at its port.
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    kind: String,
    firmware: String,
    /// The image that it runs, named after its processor and wiring.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    /// The place the configuration gives it.
    place: Option<String>,
    /// Remarks, each with a cure.
    remarks: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Missing {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    place: String,
}

/// Listens until every port has a result, and a moment longer.
pub(super) async fn listen(devices: &mut Devices, news: &mut mpsc::Receiver<PortEvent>) {
    let all = async {
        while !devices.all_settled() {
            match news.recv().await {
                Some(news) => drop(devices.take(news)),
                None => return,
            }
        }
    };
    // One round of all drivers, and room for opening.
    drop(timeout(Duration::from_micros(TRY_US) * DRIVERS_MAX + Duration::from_secs(2), all).await);
    let rest = async {
        while let Some(news) = news.recv().await {
            devices.take(news);
        }
    };
    drop(timeout(AFTERWARDS, rest).await);
}

impl Listing {
    /// Current listing.
    pub(super) fn of(devices: &Devices) -> Listing {
        let ports: Vec<ListedPort> = devices
            .ports
            .iter()
            .map(|port| ListedPort {
                port: port.path.display().to_string(),
                problem: problem(port),
                devices: port.devices.values().map(|picture| listed(devices, picture)).collect(),
            })
            .collect();
        let missing: Vec<Missing> = devices
            .missing()
            .into_iter()
            .map(|given| Missing {
                place: given.words(),
                id: given.node.id,
                label: given.node.label,
            })
            .collect();
        let well = missing.is_empty()
            && !ports.is_empty()
            && ports.iter().all(|port| {
                port.problem.is_none()
                    && port.devices.iter().all(|device| device.remarks.is_empty())
            });
        Listing { twinboard: env!("CARGO_PKG_VERSION"), ports, missing, well }
    }

    /// Whether every port and node is in order.
    pub(super) fn is_well(&self) -> bool {
        self.well
    }

    /// Text for people.
    pub(super) fn text(&self, patterns: &[String]) -> String {
        let mut text = String::new();
        if self.ports.is_empty() {
            let _ = writeln!(
                text,
                "no serial port is here (looked at {}).\n\
                 Plug a node in; try another cable (many only charge); flash it if it is new \
                 (docs/hardware/flashing.md).",
                patterns.join(", ")
            );
        }
        for port in &self.ports {
            let _ = writeln!(text, "{}", port.port);
            if let Some(problem) = &port.problem {
                let _ = writeln!(text, "  {problem}");
            }
            for device in &port.devices {
                device.write(&mut text);
            }
        }
        for Missing { id, label, place } in &self.missing {
            let label = quoted(label.as_ref());
            let _ = writeln!(
                text,
                "missing: {id}{label} ({place})\n  plug it in, or correct the configuration"
            );
        }
        text
    }
}

impl ListedDevice {
    fn write(&self, text: &mut String) {
        let name = self.id.as_deref().unwrap_or("device without a name");
        let label = quoted(self.label.as_ref());
        let firmware = match (self.firmware.as_str(), &self.image) {
            ("", _) => String::new(),
            (firmware, None) => format!(", firmware {firmware}"),
            (firmware, Some(image)) => format!(", firmware {firmware}, wired as {image}"),
        };
        let _ = writeln!(text, "  {name}{label}: {}{firmware}", self.kind);
        let _ = writeln!(
            text,
            "  {}",
            self.place.as_deref().unwrap_or("no place yet: twinboard doctor bind")
        );
        for remark in &self.remarks {
            let _ = writeln!(text, "  ! {remark}");
        }
    }
}

fn quoted(label: Option<&String>) -> String {
    label.map(|label| format!(" \"{label}\"")).unwrap_or_default()
}

fn listed(devices: &Devices, picture: &Picture) -> ListedDevice {
    let given = devices.given(picture);
    ListedDevice {
        id: picture.device.id.clone(),
        label: devices.label(picture),
        kind: picture.kind(),
        firmware: picture.device.firmware.clone(),
        image: picture.image.clone(),
        place: given.as_ref().map(super::devices::ExpectedNode::words),
        remarks: remarks(devices, picture),
    }
}

/// Problems of a device, each with a cure.
pub(super) fn remarks(devices: &Devices, picture: &Picture) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(given) = devices.given(picture) {
        remarks.extend(contradiction(&given, picture));
    }
    remarks.extend(picture.complaint.clone());
    // Nodes of ours name the run that they are in; boards of other makers have versions of their own.
    if picture.device.boot_id.is_some() {
        remarks.extend(release::advice(&picture.device.firmware, env!("CARGO_PKG_VERSION")));
    }
    remarks
}

/// Notes about a device that are no faults.
pub(super) fn notes(devices: &Devices, key: Key, picture: &Picture) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(health) = &picture.health
        && health.lost_events > 0
    {
        notes.push(format!(
            "it has lost {} readings since it started: its buffer was full before a hub took them",
            health.lost_events
        ));
    }
    if devices.ports[key.0].holds_readings {
        notes.push(
            "it holds readings that its hub has not stored; they are left to the hub, with the readings of this check"
                .to_owned(),
        );
    }
    notes
}

/// Contradiction between configuration and device.
fn contradiction(given: &super::devices::ExpectedNode, picture: &Picture) -> Option<String> {
    let node = &given.node;
    let device = &picture.device;
    let says = |what: &str| {
        Some(format!(
            "the configuration says {what}, the device is {}: correct the configuration",
            picture.kind()
        ))
    };
    match (node.kind, device.board) {
        (hub::config::NodeKind::Clock, _) if !device.clock => says("clock"),
        (hub::config::NodeKind::Board, None) => says("board"),
        (hub::config::NodeKind::Board, Some(board)) if board.sensor != node.sensor => {
            says(&format!("sensor = \"{}\"", picture::sensor_name(node.sensor)))
        }
        (hub::config::NodeKind::Board, Some(board)) if board.trays != node.trays => {
            says(&format!("trays = {}", node.trays))
        }
        _ => None,
    }
}

/// Trouble of a port, or a message of its device that no driver knows.
fn problem(port: &Port) -> Option<String> {
    let trouble = port.trouble.as_ref().map(|trouble| explained(&port.path, trouble));
    trouble.or_else(|| port.unknown.clone())
}

/// A port's trouble, with who has it where that can be seen.
fn explained(port: &std::path::Path, trouble: &str) -> String {
    let holders = holders(port);
    if holders.is_empty() {
        return trouble.to_owned();
    }
    let hub = holders.iter().any(|holder| holder.starts_with("twinboard"));
    let advice = if hub {
        "a hub is serving it, and that is as it should be during an event; to look yourself, stop it: \
         sudo systemctl stop twinboard-hub"
    } else {
        "close that program"
    };
    format!("taken by {}: {advice}", holders.join(" and "))
}
