//! The guided check of one device, step by step: what to ask of the person next, and when it is done. Pure.
//!
//! The order is a proposal: whatever a person does counts as soon as it is seen.

use std::collections::BTreeSet;

use rules::Color;

use super::picture::{Picture, SensorPlace, index, side_name, time};
use super::sensor::Fault;
use super::verdict::{Displays, Handled, Manner, not_as_at_the_start};

/// Number of presses of each side of a clock.
const PRESSES: u32 = 2;
/// Places named in one prompt, at most.
const NAMED: usize = 8;

/// A step of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The pieces are to stand in the start position.
    SetUp,
    /// Every square is to be seen occupied and empty.
    Squares,
    /// Every slot is to be seen occupied and empty.
    Slots,
    /// The clock's displays are to be compared with its times.
    Displays,
    /// Both sides of the clock are to be pressed.
    Presses,
    /// The clock is to be tilted, if it can tell.
    Tilt,
    /// The check is complete.
    Done,
}

/// Progress of one device's check.
#[derive(Clone, Debug)]
pub(super) struct Examination {
    step: Step,
    handled: Handled,
    /// Left out, says the person.
    left_out: BTreeSet<SensorPlace>,
}

/// A person's remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// "I did what you asked, and nothing happened."
    Nothing,
    /// "It is as you say."
    Yes,
    /// "Leave this out."
    Skip,
    /// "Leave the rest of this step out."
    SkipStep,
}

impl Examination {
    /// The check of a device begins.
    pub(super) fn new(picture: &mut Picture) -> Examination {
        picture.begin();
        let step = if picture.is_board() { Step::SetUp } else { Step::Displays };
        Examination { step, handled: Handled::default(), left_out: BTreeSet::new() }
    }

    /// The step it is at.
    pub(super) fn step(&self) -> Step {
        self.step
    }

    /// Manner of judging the sensors now.
    pub(super) fn manner(&self) -> Manner {
        Manner::Handled(self.handled.clone())
    }

    /// Fault of a sensor by the person's remark.
    pub(super) fn verdict(&self, picture: &Picture, place: SensorPlace) -> Option<Fault> {
        self.handled
            .tried
            .contains(&place)
            .then(|| picture.sensor(place)?.one_sided(true))
            .flatten()
    }

    /// Goes on as far as what was seen allows.
    pub(super) fn look(&mut self, picture: &Picture) {
        while self.step != Step::Done && self.is_finished(picture) {
            self.step = self.after(picture);
        }
    }

    /// Takes what the person says.
    pub(super) fn take_word(&mut self, picture: &Picture, word: Word) {
        match (self.step, word) {
            (Step::Done, _) => {}
            (Step::SetUp, Word::Nothing) => {
                // The pieces stand as they should: what reads otherwise is broken.
                let (missing, surplus) = not_as_at_the_start(picture);
                self.handled.tried.extend(missing.into_iter().chain(surplus));
                self.step = self.after(picture);
            }
            (Step::Squares | Step::Slots, Word::Nothing | Word::Skip) => {
                let next = self.open(picture).next();
                if let Some(place) = next {
                    let set = if word == Word::Nothing {
                        &mut self.handled.tried
                    } else {
                        &mut self.left_out
                    };
                    set.insert(place);
                }
            }
            (Step::Displays, word) => {
                self.handled.displays = match word {
                    Word::Yes => Displays::Right,
                    Word::Nothing => Displays::Wrong,
                    Word::Skip | Word::SkipStep => Displays::None,
                };
            }
            (_, Word::Yes) => {}
            (_, Word::Nothing | Word::Skip | Word::SkipStep) => self.step = self.after(picture),
        }
        self.look(picture);
    }

    /// Open places of this step, in the proposed order.
    fn open<'a>(&'a self, picture: &'a Picture) -> impl Iterator<Item = SensorPlace> + 'a {
        let squares = self.step == Step::Squares;
        picture
            .sensors()
            .filter(move |(place, _)| matches!(place, SensorPlace::Square(_)) == squares)
            .filter(|(_, sensor)| !sensor.seen_both())
            .map(|(place, _)| place)
            .filter(|place| !self.handled.tried.contains(place) && !self.left_out.contains(place))
    }

    fn is_finished(&self, picture: &Picture) -> bool {
        match self.step {
            Step::SetUp => {
                let (missing, surplus) = not_as_at_the_start(picture);
                picture.is_complete() && missing.is_empty() && surplus.is_empty()
            }
            Step::Squares | Step::Slots => self.open(picture).next().is_none(),
            Step::Displays => self.handled.displays != Displays::Unasked,
            Step::Presses => picture.face.presses.iter().all(|&presses| presses >= PRESSES),
            Step::Tilt => picture.face.tilts > 0 && !picture.face.tilted,
            Step::Done => true,
        }
    }

    fn after(&self, picture: &Picture) -> Step {
        match self.step {
            Step::SetUp => Step::Squares,
            Step::Squares if picture.has_trays() => Step::Slots,
            Step::Squares | Step::Slots if picture.device.clock => Step::Presses,
            Step::Displays => Step::Presses,
            Step::Presses if !picture.is_board() => Step::Tilt,
            _ => Step::Done,
        }
    }

    /// Request to the person: one or two sentences.
    pub(super) fn prompt(&self, picture: &Picture) -> String {
        match self.step {
            Step::SetUp => set_up_prompt(picture),
            Step::Squares | Step::Slots => match self.open(picture).next() {
                Some(place) if self.step == Step::Squares => format!(
                    "Move every piece two ranks forward, also those behind. Next: {place}, with a piece and without, in any order."
                ),
                Some(place) => {
                    format!("Put a piece on {place} and take it away. Any other counts too.")
                }
                None => String::new(),
            },
            Step::Displays => match picture.face.left_ms {
                Some([white_ms, black_ms]) => format!(
                    "Do its displays show {} for White and {} for Black? y, or n. It has none: s",
                    time(white_ms),
                    time(black_ms)
                ),
                None => "Waiting for the clock's times.".to_owned(),
            },
            Step::Presses => {
                let lacking = [Color::White, Color::Black]
                    .into_iter()
                    .find(|&side| picture.face.presses[index(side)] < PRESSES);
                let side = lacking.map_or("either", side_name);
                format!("Press the clock on {side}'s side. Each side is to be pressed twice.")
            }
            Step::Tilt if picture.face.tilted => "Set the clock upright again.".to_owned(),
            Step::Tilt => "Lay the clock on its side. It has no tilt switch: s".to_owned(),
            Step::Done => "Done. Press q for the report.".to_owned(),
        }
    }

    /// Progress of this step: done, and total.
    pub(super) fn progress(&self, picture: &Picture) -> (usize, usize) {
        let count = |squares: bool| {
            let of_step = picture
                .sensors()
                .filter(|(place, _)| matches!(place, SensorPlace::Square(_)) == squares);
            of_step.fold((0, 0), |(seen, all), (_, sensor)| {
                (seen + usize::from(sensor.seen_both()), all + 1)
            })
        };
        match self.step {
            Step::SetUp => {
                let (missing, surplus) = not_as_at_the_start(picture);
                (64_usize.saturating_sub(missing.len() + surplus.len()), 64)
            }
            Step::Squares => count(true),
            Step::Slots => count(false),
            Step::Displays => (0, 1),
            Step::Presses => {
                let seen: u32 =
                    picture.face.presses.iter().map(|&presses| presses.min(PRESSES)).sum();
                (seen as usize, 2 * PRESSES as usize)
            }
            Step::Tilt => (usize::from(picture.face.tilts > 0), 1),
            Step::Done => (1, 1),
        }
    }

    /// The step in words.
    pub(super) fn title(&self) -> &'static str {
        match self.step {
            Step::SetUp => "start position",
            Step::Squares => "every square",
            Step::Slots => "every tray slot",
            Step::Displays => "displays",
            Step::Presses => "both sides of the clock",
            Step::Tilt => "tilt",
            Step::Done => "done",
        }
    }
}

fn set_up_prompt(picture: &Picture) -> String {
    let (missing, surplus) = not_as_at_the_start(picture);
    if !picture.is_complete() {
        return "Waiting for the board.".to_owned();
    }
    let mut sentences = vec!["Set up the start position.".to_owned()];
    for (places, words) in [(&missing, "No piece seen on"), (&surplus, "A piece seen on")] {
        if !places.is_empty() {
            sentences.push(format!("{words} {}.", listed(places)));
        }
    }
    if missing.len() + surplus.len() < 64 {
        sentences.push("If it stands: n".to_owned());
    }
    sentences.join(" ")
}

fn listed(places: &[SensorPlace]) -> String {
    let named: Vec<String> = places.iter().take(NAMED).map(ToString::to_string).collect();
    match places.len().saturating_sub(NAMED) {
        0 => named.join(" "),
        more => format!("{} and {more} more", named.join(" ")),
    }
}
