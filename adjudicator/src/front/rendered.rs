//! Events of an audience's streams as bytes: each change is written once, however many watch.
//!
//! A viewer gets the same bytes as every other. What differs between viewers, how far each has followed the stream, is a line of its own
//! behind them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::written::Written;
use crate::hall::{EventId, Partition};

/// Most bytes that are kept. Beyond it everything is forgotten, and written again when somebody is to be sent it.
const KEPT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// The table of this name.
    Table(String),
    /// The plies of a match from this one on.
    Plies(String, usize),
}

/// The events that were written last.
#[derive(Debug, Default)]
pub(crate) struct Rendered(Mutex<KeptAnswers>);

#[derive(Debug, Default)]
struct KeptAnswers {
    /// With the change of which each tells.
    events: HashMap<Subject, ((Partition, EventId), Written)>,
    bytes: usize,
}

impl Rendered {
    /// Forgets everything: the same changes are to be written otherwise.
    pub(crate) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = KeptAnswers::default();
    }

    /// The event that tells of a change. It is written if nobody was sent it before.
    pub(crate) fn event(
        &self,
        subject: Subject,
        changed: (Partition, EventId),
        write: impl FnOnce() -> Vec<u8>,
    ) -> Written {
        // Held while it is written: whoever else is to be sent it waits less than it would take to write it again.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, event)) = kept.events.get(&subject)
            && *of == changed
        {
            return event.clone();
        }
        let event = Written::new(write());
        if kept.bytes + event.len() > KEPT_BYTES_MAX {
            *kept = KeptAnswers::default();
        }
        kept.bytes += event.len();
        if let Some((_, before)) = kept.events.insert(subject, (changed, event.clone())) {
            kept.bytes -= before.len();
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{super::written::Form, *};

    fn change(number: u64) -> (Partition, EventId) {
        (Partition::GENERAL, EventId::of_plies(number))
    }

    #[test]
    fn event_is_written_once_for_each_change_however_many_watch() {
        let (rendered, count) = (Rendered::default(), Cell::new(0));
        let event = |number: u64| {
            let written = rendered.event(Subject::Table("1".to_owned()), change(number), || {
                count.set(count.get() + 1);
                format!("change {number}").into_bytes()
            });
            written.of(Form::Plain)
        };
        let first: Vec<_> = (0..100).map(|_| event(1)).collect();
        assert!(first.iter().all(|bytes| bytes == "change 1"));
        assert_eq!(count.get(), 1);
        assert_eq!((event(2), count.get()), ("change 2".into(), 2));
    }

    #[test]
    fn plies_from_another_one_on_are_another_event() {
        let rendered = Rendered::default();
        let event = |from: usize| {
            let subject = Subject::Plies("m".to_owned(), from);
            rendered.event(subject, change(1), || from.to_string().into_bytes()).of(Form::Plain)
        };
        assert_eq!((event(3), event(4), event(3)), ("3".into(), "4".into(), "3".into()));
    }

    #[test]
    fn what_is_kept_has_a_bound_however_many_subjects_there_are() {
        let rendered = Rendered::default();
        let megabyte = vec![0; 1024 * 1024];
        for from in 0..100 {
            let subject = Subject::Plies("m".to_owned(), from);
            rendered.event(subject, change(1), || megabyte.clone());
            let kept = rendered.0.lock().unwrap();
            let held: usize = kept.events.values().map(|(_, event)| event.len()).sum();
            assert!(held == kept.bytes && held <= KEPT_BYTES_MAX, "{held}");
        }
    }
}
