//! Patterns of a hub's lights and its buzzer. Pure: from the health of its tasks to light or dark at an instant.

use std::time::Duration;

use crate::liveness::{Health, Summary};

/// Half a period of slow and of fast blinking.
const SLOW: Duration = Duration::from_millis(800);
const FAST: Duration = Duration::from_millis(150);
/// Duration of the buzzer's sound for a new trouble.
pub(super) const BEEP: Duration = Duration::from_millis(300);

/// Pattern of one light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Light {
    /// Dark.
    #[default]
    Off,
    /// Steady.
    On,
    /// Blinks slowly.
    Slow,
    /// Blinks fast.
    Fast,
}

impl Light {
    /// Whether it is lit `since` its lights were switched on.
    #[must_use]
    pub fn is_lit(self, since: Duration) -> bool {
        let is_first_half =
            |half: Duration| (since.as_micros() / half.as_micros()).is_multiple_of(2);
        match self {
            Light::Off => false,
            Light::On => true,
            Light::Slow => is_first_half(SLOW),
            Light::Fast => is_first_half(FAST),
        }
    }
}

/// The three lights of a hub.
///
/// | light | steady | slow | fast | dark |
/// |---|---|---|---|---|
/// | ok | all nodes and the broker are there | something is still awaited | | trouble, or the hub does not run |
/// | trouble | a node is lost or doubtful | the broker is away; the journal keeps everything | nothing is recorded: the journal cannot be written | |
/// | recording | a match is recorded | | | no match |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lights {
    /// Green.
    pub ok: Light,
    /// Red.
    pub trouble: Light,
    /// Yellow.
    pub recording: Light,
}

impl Lights {
    /// The lights' patterns for a hub in this condition.
    #[must_use]
    pub fn of(summary: Summary) -> Lights {
        let (ok, trouble) = match summary.worst {
            Health::Well => (Light::On, Light::Off),
            Health::Waiting => (Light::Slow, Light::Off),
            Health::Offline => (Light::Slow, Light::Slow),
            Health::Impaired => (Light::Off, Light::On),
            Health::Halted => (Light::Off, Light::Fast),
        };
        let recording = if summary.is_recording { Light::On } else { Light::Off };
        Lights { ok, trouble, recording }
    }
}

/// Sounds once for each trouble that comes up while a match is recorded; during set-up cables are pulled all the time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Buzzer {
    was: Health,
    until: Option<Duration>,
}

impl Buzzer {
    /// Whether it sounds now, `since` the lights were switched on.
    pub fn sounds(&mut self, summary: Summary, since: Duration) -> bool {
        let is_worse = summary.worst > self.was && summary.worst >= Health::Impaired;
        self.was = summary.worst;
        if is_worse && summary.is_recording {
            self.until = Some(since + BEEP);
        }
        self.until.is_some_and(|until| since < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hub(worst: Health, is_recording: bool) -> Summary {
        Summary { worst, is_recording }
    }

    #[test]
    fn each_condition_has_lights_of_its_own() {
        let all =
            [Health::Well, Health::Waiting, Health::Offline, Health::Impaired, Health::Halted];
        let shown: Vec<Lights> = all.map(|worst| Lights::of(hub(worst, false))).to_vec();
        for (index, lights) in shown.iter().enumerate() {
            assert_eq!(shown.iter().position(|other| other == lights), Some(index), "{lights:?}");
            assert_ne!(
                (lights.ok, lights.trouble),
                (Light::Off, Light::Off),
                "dark means: not running"
            );
        }
        assert_eq!(Lights::of(hub(Health::Well, true)).recording, Light::On);
    }

    #[test]
    fn blinking_lights_are_lit_half_of_the_time() {
        let lit = |light: Light| {
            let instants = (0..4_800).map(Duration::from_millis);
            instants.filter(|&since| light.is_lit(since)).count()
        };
        assert_eq!(
            [Light::Off, Light::On, Light::Slow, Light::Fast].map(lit),
            [0, 4_800, 2_400, 2_400]
        );
        assert!(!Light::Slow.is_lit(SLOW) && !Light::Fast.is_lit(FAST));
    }

    #[test]
    fn the_buzzer_sounds_once_for_a_new_trouble_and_only_while_a_match_is_recorded() {
        let mut buzzer = Buzzer::default();
        let at = Duration::from_millis;
        assert!(!buzzer.sounds(hub(Health::Impaired, false), at(0)), "set-up");
        assert!(!buzzer.sounds(hub(Health::Impaired, true), at(50)), "not new");
        assert!(!buzzer.sounds(hub(Health::Well, true), at(100)));
        assert!(buzzer.sounds(hub(Health::Impaired, true), at(150)));
        assert!(buzzer.sounds(hub(Health::Impaired, true), at(400)));
        assert!(!buzzer.sounds(hub(Health::Impaired, true), at(150) + BEEP));
        assert!(buzzer.sounds(hub(Health::Halted, true), at(9_000)), "worse");
        assert!(!buzzer.sounds(hub(Health::Offline, true), at(20_000)), "that can wait");
    }
}
