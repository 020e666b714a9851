//! Result of a check: each sensor judged, and the whole in a form for people and for programs. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rules::{Color, Square};
use serde::Serialize;

use super::picture::{Picture, SensorPlace, side_name};
use super::sensor::Fault;

/// Manner of a check, which decides the expectations of a sensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Everything was to be handled: what was not seen both ways is unchecked, or broken where a person says that it was
    /// handled all the same.
    Handled(Handled),
    /// The pieces were in the start position, untouched.
    Watched,
}

/// Remarks of the person during a guided check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Handled {
    /// Sensors that were handled, and nothing was seen.
    pub(super) tried: BTreeSet<SensorPlace>,
    /// The clock's displays.
    pub(super) displays: Displays,
}

/// A person's answer about a clock's displays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Displays {
    /// No answer yet.
    #[default]
    Unasked,
    /// They show the clock's times.
    Right,
    /// They do not.
    Wrong,
    /// There are none.
    None,
}

impl Displays {
    /// The answer in words; none without one.
    pub(super) const fn words(self) -> Option<&'static str> {
        match self {
            Displays::Unasked => None,
            Displays::Right => Some("right"),
            Displays::Wrong => Some("wrong"),
            Displays::None => Some("none"),
        }
    }
}

/// Fault of one sensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// The square (`e4`), or the tray's slot (`White's tray 3`), or the part of the clock.
    pub(super) place: String,
    /// The fault.
    pub(super) fault: Fault,
    /// Observation.
    pub(super) seen: &'static str,
    /// Cure.
    pub(super) remedy: &'static str,
}

/// Overall verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// Everything that was asked for was seen, and nothing is wrong.
    Well,
    /// There are faults.
    Faulty,
    /// No fault was seen, but not everything was checked.
    Incomplete,
}

/// The report about one device.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    /// Its id; none if its maker gave it none.
    pub(super) node: Option<String>,
    /// Its name among people, from the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    /// The port it is at.
    pub(super) port: String,
    /// The place the configuration gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    /// Kind, in words.
    pub(super) kind: String,
    /// Its firmware, in its maker's words.
    pub(super) firmware: String,
    /// Overall verdict.
    pub(super) verdict: Verdict,
    /// Sensors that were seen both ways, of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exercised: Option<[usize; 2]>,
    /// Presses that were seen of a clock, White's and Black's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) presses: Option<[u32; 2]>,
    /// The person's answer about a clock's displays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) displays: Option<&'static str>,
    /// Whether a clock was seen tilted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tilt_seen: Option<bool>,
    /// Faults of sensors.
    pub(super) findings: Vec<Finding>,
    /// Other remarks.
    pub(super) remarks: Vec<String>,
}

/// Judges a board's sensors, a clock's parts or both.
pub(super) fn findings(picture: &Picture, how: &Manner) -> Vec<Finding> {
    let mut found = Vec::new();
    if picture.is_board() {
        for (place, _) in picture.sensors() {
            if let Some(fault) = judge(picture, place, how) {
                found.push(finding(place.to_string(), fault));
            }
        }
    }
    if picture.device.clock
        && let Manner::Handled(handled) = how
    {
        found.extend(displays(picture, handled.displays));
        for side in [Color::White, Color::Black] {
            if picture.face.presses[super::picture::index(side)] == 0 {
                found.push(Finding {
                    place: format!("{}'s press", side_name(side)),
                    fault: Fault::Unchecked,
                    seen: "no press was seen",
                    remedy: "press it again; then its contact, its pin, the straps",
                });
            }
        }
    }
    found.sort_by_key(|finding| finding.fault);
    found
}

/// Fault of a clock's displays; a board with a clock of its own is not asked.
fn displays(picture: &Picture, displays: Displays) -> Option<Finding> {
    let (fault, seen, remedy) = match displays {
        Displays::Right | Displays::None => return None,
        Displays::Unasked if picture.is_board() => return None,
        Displays::Unasked => (
            Fault::Unchecked,
            "they were not compared with the clock's times",
            "check again: y, n or s",
        ),
        Displays::Wrong => (
            Fault::Dead,
            "do not show the clock's times",
            "its 3.3 V, then CLK and DIO of the dark one; the image: digits or characters",
        ),
    };
    Some(Finding { place: "displays".to_owned(), fault, seen, remedy })
}

fn finding(place: String, fault: Fault) -> Finding {
    Finding { place, fault, seen: fault.meaning(), remedy: fault.remedy() }
}

/// The gravest fault of a sensor.
fn judge(picture: &Picture, place: SensorPlace, how: &Manner) -> Option<Fault> {
    let sensor = picture.sensor(place)?;
    let unrest = picture.unrest(place);
    let silent = match how {
        Manner::Handled(handled) => sensor.one_sided(handled.tried.contains(&place)),
        Manner::Watched => match (expected(place), sensor.occupied()) {
            (true, Some(false)) if unrest != Some(Fault::Chattering) => Some(Fault::Dead),
            (false, Some(true)) if unrest != Some(Fault::Chattering) => Some(Fault::Stuck),
            _ => None,
        },
    };
    [silent, unrest].into_iter().flatten().min()
}

/// Whether a piece stands there at the start of a game.
pub(super) fn expected(place: SensorPlace) -> bool {
    match place {
        SensorPlace::Square(square) => is_start_square(square),
        SensorPlace::Slot(..) => false,
    }
}

/// Whether a piece stands on this square at the start of a game.
pub(super) fn is_start_square(square: Square) -> bool {
    matches!(usize::from(square) / 8, 0 | 1 | 6 | 7)
}

/// The squares that do not read as they must in the start position: without a piece that is there, with one that is not.
pub(super) fn not_as_at_the_start(picture: &Picture) -> (Vec<SensorPlace>, Vec<SensorPlace>) {
    let wrong = |occupied: bool| {
        picture
            .sensors()
            .filter(|(place, sensor)| {
                sensor.occupied() == Some(occupied) && expected(*place) != occupied
            })
            .map(|(place, _)| place)
            .collect()
    };
    (wrong(false), wrong(true))
}

impl Verdict {
    pub(super) fn of(findings: &[Finding]) -> Verdict {
        if findings.iter().any(|finding| finding.fault != Fault::Unchecked) {
            Verdict::Faulty
        } else if findings.is_empty() {
            Verdict::Well
        } else {
            Verdict::Incomplete
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Verdict::Well => "all is well",
            Verdict::Faulty => "something is wrong",
            Verdict::Incomplete => "not everything was checked",
        }
    }
}

impl Report {
    /// The report as people read it: one line a fault, all places with it in one.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let name = self.node.as_deref().unwrap_or("device without a name");
        let label = self.label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
        let place = self.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{name}{label} ({}{place}) at {}: {}",
            self.kind,
            self.port,
            self.verdict.word()
        );
        if let Some([seen, all]) = self.exercised {
            let _ = writeln!(text, "  {seen} of {all} sensors were seen both occupied and empty");
        }
        if let Some([white, black]) = self.presses {
            let _ = writeln!(text, "  presses seen: White {white}, Black {black}");
        }
        if let Some(displays) = self.displays {
            let _ = writeln!(text, "  displays: {displays}");
        }
        match self.tilt_seen {
            Some(true) => text += "  tilt switch: seen\n",
            Some(false) => text += "  tilt switch: not seen (there is none, or it was left out)\n",
            None => {}
        }
        let mut by_kind: BTreeMap<(Fault, &str, &str), Vec<&str>> = BTreeMap::new();
        for found in &self.findings {
            by_kind.entry((found.fault, found.seen, found.remedy)).or_default().push(&found.place);
        }
        for ((fault, seen, remedy), places) in by_kind {
            let _ = writeln!(text, "  {:<11} {}", fault.word(), shortened(&places));
            let _ = writeln!(text, "              {seen}\n              → {remedy}");
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "  {remark}");
        }
        text
    }
}

/// Places in one line; of very many the first, and how many more.
fn shortened(places: &[&str]) -> String {
    const SHOWN: usize = 16;
    let first = places.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match places.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
