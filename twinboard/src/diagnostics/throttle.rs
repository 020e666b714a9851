//! Keeps the log from filling the disk: a client that can cause a log line may cause it without end.
//!
//! Each place in the program may log a burst, and then at a low rate. Further lines are dropped, with one note.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use tracing::{Event, Level, Subscriber, callsite::Identifier};
use tracing_subscriber::{Layer, layer::Context};

/// Maximum burst of one place: all nodes of a hall, and more.
const AT_ONCE_MAX: u32 = 500;
/// Interval at which it may log one line more.
const ONE_MORE_AFTER: Duration = Duration::from_millis(200);

/// A layer that drops too frequent lines.
#[derive(Default)]
pub(super) struct Throttle(Mutex<HashMap<Identifier, LogSite>>);

/// A place in the program that says something.
struct LogSite {
    /// Lines left.
    left: u32,
    /// Time of the count.
    since: Instant,
    /// Whether the note about dropped lines was logged since the last full burst.
    is_told: bool,
}

/// What becomes of something that is to be said.
#[derive(Debug, PartialEq, Eq)]
enum Admission {
    Yes,
    /// Dropped, as the first one of many.
    NoMore,
    No,
}

impl Throttle {
    fn ask(&self, place: Identifier, now: Instant) -> Admission {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || LogSite { left: AT_ONCE_MAX, since: now, is_told: false };
        let place = places.entry(place).or_insert_with(fresh);
        let more =
            now.saturating_duration_since(place.since).as_millis() / ONE_MORE_AFTER.as_millis();
        if more > 0 {
            place.left = place.left.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
            place.left = place.left.min(AT_ONCE_MAX);
            place.since = now;
            place.is_told &= place.left < AT_ONCE_MAX;
        }
        match place.left.checked_sub(1) {
            Some(left) => {
                place.left = left;
                Admission::Yes
            }
            None if std::mem::replace(&mut place.is_told, true) => Admission::No,
            None => Admission::NoMore,
        }
    }
}

impl<S: Subscriber> Layer<S> for Throttle {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let about = event.metadata();
        // Details are requested on purpose.
        if *about.level() > Level::INFO {
            return true;
        }
        match self.ask(about.callsite(), Instant::now()) {
            Admission::Yes => true,
            Admission::No => false,
            Admission::NoMore => {
                let target = about.target();
                eprintln!(
                    "twinboard: {target} says the same too often: of more like it only five a second are written here"
                );
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing::{Metadata, field::FieldSet, metadata::Kind, subscriber::Interest};

    use super::*;

    struct Site(Metadata<'static>);

    impl tracing::Callsite for Site {
        fn set_interest(&self, _: Interest) {}

        fn metadata(&self) -> &Metadata<'_> {
            &self.0
        }
    }

    macro_rules! site {
        ($site:ident) => {
            static $site: Site = Site(Metadata::new(
                "said",
                "a test",
                Level::WARN,
                None,
                None,
                None,
                FieldSet::new(&[], Identifier(&$site)),
                Kind::EVENT,
            ));
        };
    }

    site!(LOUD);
    site!(QUIET);

    #[test]
    fn what_is_said_again_and_again_is_left_out_and_everything_else_is_said() {
        let (throttle, begin) = (Throttle::default(), Instant::now());
        let loud = |after: Duration| throttle.ask(Identifier(&LOUD), begin + after);
        for _ in 0..AT_ONCE_MAX {
            assert_eq!(loud(Duration::ZERO), Admission::Yes);
        }
        assert_eq!(loud(Duration::ZERO), Admission::NoMore);
        assert_eq!(loud(Duration::ZERO), Admission::No);
        assert_eq!(throttle.ask(Identifier(&QUIET), begin), Admission::Yes);
        assert_eq!(loud(ONE_MORE_AFTER), Admission::Yes, "one more");
        assert_eq!(loud(ONE_MORE_AFTER), Admission::No, "it was said that some are left out");
        let rested = ONE_MORE_AFTER * (AT_ONCE_MAX + 1);
        for _ in 0..AT_ONCE_MAX {
            assert_eq!(loud(rested), Admission::Yes);
        }
        assert_eq!(loud(rested), Admission::NoMore);
    }
}
