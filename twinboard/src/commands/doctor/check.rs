//! `twinboard doctor check`: guided by a person's hands, or only looking for some seconds; a report about each device either way.

use std::time::Duration;

use anyhow::{Result, bail};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::devices::{Devices, ExpectedNode, Key};
use super::line::PortEvent;
use super::list::{notes, remarks};
use super::live::Live;
use super::sensor::Fault;
use super::verdict::{Manner, Report, Verdict, findings};

/// Help of the command.
pub(super) const HELP: &str = "\
Check boards and clocks, guided, and report what is dead, stuck, chattering or weak.

Guided (on a terminal): the start position, each square, each tray slot, the displays and each side of the clock. The order \
is a proposal: whatever you do counts as soon as it is seen. Keys: y = yes, n = no, or I did it and nothing happened, \
s = skip, S = skip the step, Tab = next device, b = blink, q = report.

With --seconds no hands are needed: the pieces are in the start position and are not touched.

  dead        reads empty with a piece on it
  stuck       reads occupied with nothing on it
  chattering  six times within ten seconds occupied and empty again in less than a fifth of a second, or reported by its node
  weak        three times, or reported by its node
  unchecked   not seen both occupied and empty (guided only)

Readings that no hub has stored are not acknowledged; the report names nodes that hold such readings. Otherwise what is \
seen here is done with, and does not reach the hub afterwards.

Ends with 0 if all is well, else with 1.";

/// Watches for `seconds`, and judges the readings as an untouched start position.
pub(super) async fn look(
    devices: &mut Devices,
    news: &mut mpsc::Receiver<PortEvent>,
    seconds: u32,
    mut tick: impl FnMut(),
) -> Result<()> {
    for _ in 0..seconds * 10 {
        tick();
        let moment = async {
            while let Some(news) = news.recv().await {
                devices.take(news);
            }
        };
        drop(timeout(Duration::from_millis(100), moment).await);
    }
    Ok(())
}

/// Reports about the devices a person named, or about all.
///
/// # Errors
///
/// When a named device was not found, or there is none.
pub(super) fn watched(devices: &Devices, wanted: &[String]) -> Result<Vec<Report>> {
    let mut reports = Vec::new();
    for key in chosen(devices, wanted)? {
        reports.extend(report(devices, key, &Manner::Watched));
    }
    Ok(reports)
}

/// Reports about a guided check as far as it got.
///
/// # Errors
///
/// As [`watched`].
pub(super) fn handled(live: &Live, wanted: &[String]) -> Result<Vec<Report>> {
    chosen(&live.devices, wanted)?;
    let reports = live.examined().into_iter().filter_map(|(key, examination)| {
        let manner =
            examination.map_or(Manner::Handled(Default::default()), |check| check.manner());
        report(&live.devices, key, &manner)
    });
    Ok(reports.collect())
}

fn chosen(devices: &Devices, wanted: &[String]) -> Result<Vec<Key>> {
    if wanted.is_empty() {
        let keys = devices.keys();
        if keys.is_empty() {
            bail!("no device answered: `twinboard doctor` says what is at each port");
        }
        return Ok(keys);
    }
    wanted.iter().map(|name| devices.named(name)).collect()
}

fn report(devices: &Devices, key: Key, manner: &Manner) -> Option<Report> {
    let picture = devices.picture(key)?;
    let findings = findings(picture, manner);
    let mut remarks = remarks(devices, picture);
    if findings.iter().any(|finding| finding.fault == Fault::Chattering) {
        // The findings name what the device's own complaint means.
        remarks.retain(|remark| Some(remark) != picture.complaint.as_ref());
    }
    if !picture.present {
        remarks.push(
            "it was disconnected at the end: plug it in again, and check its cable".to_owned(),
        );
    }
    if picture.is_board() && !picture.is_complete() {
        remarks.push("it did not tell what its squares read: look again for longer".to_owned());
    }
    let sound = Verdict::of(&findings);
    let verdict =
        if sound == Verdict::Well && !remarks.is_empty() { Verdict::Faulty } else { sound };
    remarks.extend(notes(devices, key, picture));
    let exercised = picture.is_board().then(|| {
        let seen = picture.sensors().filter(|(_, sensor)| sensor.seen_both()).count();
        [seen, picture.sensors().count()]
    });
    Some(Report {
        node: picture.device.id.clone(),
        label: devices.label(picture),
        port: devices.ports[key.0].path.display().to_string(),
        place: devices.given(picture).as_ref().map(ExpectedNode::words),
        kind: picture.kind(),
        firmware: picture.device.firmware.clone(),
        verdict,
        exercised: exercised.filter(|_| matches!(manner, Manner::Handled(_))),
        presses: (picture.device.clock && matches!(manner, Manner::Handled(_)))
            .then_some(picture.face.presses),
        displays: match manner {
            Manner::Handled(handled) => handled.displays.words(),
            Manner::Watched => None,
        },
        tilt_seen: (picture.device.clock
            && !picture.is_board()
            && matches!(manner, Manner::Handled(_)))
        .then_some(picture.face.tilts > 0),
        findings,
        remarks,
    })
}
