//! Notices about the hall, apart from single matches: hubs, devices, pairings, faults.

use super::{Hall, tables::presence::Hub};

/// A notice about the hall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Kind and subject. It stays the same while the words change, as those with a number do.
    pub id: String,
    /// In a sentence, with what to do.
    pub words: String,
}

impl Notice {
    pub(super) fn new(id: impl Into<String>, words: impl Into<String>) -> Notice {
        Notice { id: id.into(), words: words.into() }
    }
}

impl Hall {
    /// The hall's notices.
    ///
    /// `clock_rate`: seconds of hubs' time in a second here. Where it is not 1, as in a demonstration, hubs' clocks are not judged.
    #[must_use]
    pub fn notices(&self, clock_rate: f64) -> Vec<Notice> {
        let of_hubs = self.tables.hubs.iter().flat_map(|(name, hub)| of_hub(name, hub, clock_rate));
        let lost = self.failures.notices().chain(self.tables.lost.notices());
        lost.chain(self.tables.strangers.notices())
            .chain(of_hubs)
            .chain(self.update_notices())
            .chain(self.placing_notices())
            .chain(self.full_devices())
            .collect()
    }
}

fn of_hub(name: &str, hub: &Hub, clock_rate: f64) -> Vec<Notice> {
    let notice = |kind: &str, words: String| {
        Notice::new(format!("{kind}:{name}"), format!("hub {name}: {words}"))
    };
    let troubles = hub.troubles().iter().map(|words| {
        Notice::new(
            format!("trouble:{name}:{}", without_numbers(words)),
            format!("hub {name}: {words}"),
        )
    });
    let doubled = hub.is_doubled().then(|| {
        Notice::new(
            format!("doubled:{name}"),
            format!(
                "two hubs use the id {name} and disconnect each other: was a card copied? Give one of them its own id (hub.id) and restart both"
            ),
        )
    });
    let others = [
        ("full", hub.fullness()),
        ("restless", hub.restlessness()),
        ("release", hub.other_release().map(str::to_owned)),
        ("clock", hub.wrong_clock().filter(|_| clock_rate == 1.0)),
    ];
    let others = others.into_iter().filter_map(|(kind, words)| Some(notice(kind, words?)));
    let efforts = hub.effort.notices().map(|(kind, words)| notice(&kind, words));
    troubles.chain(doubled).chain(others).chain(efforts).collect()
}

/// Words with their numbers replaced: a hub's notices about its disk are one trouble, at every fill level.
fn without_numbers(words: &str) -> String {
    let mut plain = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '0'..='9' if plain.ends_with('#') => {}
            '0'..='9' => plain.push('#'),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// The id of the only notice.
    fn id(hall: &Hall) -> String {
        let notices = hall.notices(1.0);
        assert_eq!(notices.len(), 1, "{notices:?}");
        notices[0].id.clone()
    }

    #[test]
    fn a_notice_whose_numbers_change_keeps_its_id() {
        let mut hall = Hall::new(&Config::default());
        let trouble = |mb: u32| vec![format!("its disk has {mb} MB left")];
        hall.tables.hubs.of("north").complain(&trouble(214));
        let (before, words) = (id(&hall), hall.notices(1.0)[0].words.clone());
        hall.tables.hubs.of("north").complain(&trouble(9));
        assert_eq!(id(&hall), before);
        assert_ne!(hall.notices(1.0)[0].words, words);
    }

    #[test]
    fn notices_of_two_hubs_have_two_ids() {
        let mut hall = Hall::new(&Config::default());
        for hub in ["hub-1", "hub-2"] {
            hall.tables.hubs.of(hub).complain(&["it is hot".to_owned()]);
        }
        let notices = hall.notices(1.0);
        assert_ne!(notices[0].id, notices[1].id);
    }
}
