//! Rows that are lost for good, for each hub separately: one hub's losses must not hide another's.

use std::collections::BTreeMap;

use crate::hall::Notice;

/// Maximum number of losses of one hub that are listed singly.
const LOSSES_OF_HUB_MAX: usize = 8;

/// Losses of one hub.
#[derive(Clone, Debug, Default)]
struct OfHub {
    words: Vec<String>,
    /// Number of further losses.
    further: u64,
}

/// Losses of all hubs.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Losses {
    hubs: BTreeMap<String, OfHub>,
}

impl Losses {
    /// Rows of a hub will never come. `which`: boot, first and last of them.
    pub(in crate::hall) fn note(&mut self, hub: &str, which: &str) {
        let of_hub = self.hubs.entry(hub.to_owned()).or_default();
        if of_hub.words.len() >= LOSSES_OF_HUB_MAX {
            of_hub.further += 1;
            return;
        }
        of_hub.words.push(format!(
            "rows of hub {hub} are lost (boot, first, last: {which}): the database was restored or replaced, and the hub no longer has them. The \
             records of its tables have gaps there"
        ));
    }

    /// The notices to directors.
    pub(in crate::hall) fn notices(&self) -> impl Iterator<Item = Notice> {
        self.hubs.iter().flat_map(|(hub, of_hub)| {
            let further = (of_hub.further > 0).then(|| {
                let words = format!(
                    "hub {hub} has lost rows {} more times; the log names them",
                    of_hub.further
                );
                Notice::new(format!("lost:{hub}:further"), words)
            });
            let each = of_hub.words.iter().enumerate();
            each.map(move |(at, words)| Notice::new(format!("lost:{hub}:{at}"), words))
                .chain(further)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hub_that_loses_without_end_is_told_in_few_words_and_hides_nobodys_loss() {
        let mut losses = Losses::default();
        for boot in 0..10_000 {
            losses.note("mad", &format!("{boot} 1 8"));
        }
        losses.note("north", "7 4 5");
        let notices: Vec<String> = losses.notices().map(|notice| notice.words).collect();
        assert_eq!(notices.len(), LOSSES_OF_HUB_MAX + 2);
        assert!(
            notices.iter().any(|words| words.contains("hub mad has lost rows 9992 more times"))
        );
        assert!(notices.iter().any(|words| words.contains("hub north are lost")));
    }
}
