//! The round as JSON, written once for each change however many ask for it: all pages of a hall do so when they are opened.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use crate::{
    config::Config,
    views::{RoundView, cursor::Cursor, read_view::Sight},
};

/// The time of the request in it.
const TIME: &str = "\"now_ms\":";

/// The round that was written last.
#[derive(Debug, Default)]
pub(crate) struct RenderedRound(Mutex<Option<KeptRound>>);

#[derive(Clone, Debug)]
struct KeptRound {
    /// Position in the stream at which it was written.
    at: Cursor,
    /// The JSON before the time of the request, and after it.
    parts: [Bytes; 2],
}

impl RenderedRound {
    /// An audience's view at a moment.
    pub(crate) fn json(&self, config: &Config, sight: &Sight, now_ms: u64) -> Vec<u8> {
        let at = sight.cursor();
        // Held while it is written: another request waits less than it would take to write it again.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let round = match kept.take().filter(|kept| kept.at == at) {
            Some(round) => round,
            None => KeptRound { at, parts: parts(&RoundView::of(config, sight, 0)) },
        };
        let [before, after] = kept.insert(round).parts.clone();
        drop(kept);
        [&before, format!("{TIME}{now_ms}").as_bytes(), &after].concat()
    }
}

fn parts(view: &RoundView) -> [Bytes; 2] {
    let json = serde_json::to_string(view).unwrap_or_default();
    // Within a text quotes are escaped, so that none looks like this.
    let (before, after) = json.split_once(&format!("{TIME}0")).unwrap_or((&json, ""));
    [before, after].map(|part| Bytes::copy_from_slice(part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{front::audience::Audience, owner::follower::Stage};

    #[test]
    fn a_round_is_written_once_and_has_the_time_of_each_request() {
        let text = "event.name = 'a \"now_ms\":0 b'\n[[table]]\nname = \"1\"";
        let config: Config = toml::from_str(text).unwrap();
        let (sight, round) =
            (Audience::of_stage(&Stage::new(&config)).look(), RenderedRound::default());
        let at = |now_ms| round.json(&config, &sight, now_ms);
        let view = |now_ms| serde_json::to_value(RoundView::of(&config, &sight, now_ms)).unwrap();
        for now_ms in [7, 1_780_000_000_000] {
            assert_eq!(serde_json::from_slice::<Value>(&at(now_ms)).unwrap(), view(now_ms));
        }
        let kept = || round.0.lock().unwrap().as_ref().unwrap().parts[0].as_ptr();
        let before = kept();
        at(8);
        assert_eq!(kept(), before, "it is not written again");
    }
}
