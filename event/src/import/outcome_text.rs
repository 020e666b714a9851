//! Results as people and programmes write them, seen from the first side.

use rules::standings::{Outcome, Side};

/// Every way to write one game's outcome that is read; the first of each outcome is the one that is written.
const WRITTEN: &[(&str, Outcome)] = &[
    ("1-0", Outcome::Win(Side::First)),
    ("0-1", Outcome::Win(Side::Second)),
    ("½-½", Outcome::Draw),
    ("1/2-1/2", Outcome::Draw),
    ("0.5-0.5", Outcome::Draw),
    (".5-.5", Outcome::Draw),
    ("=", Outcome::Draw),
    ("1F-0F", Outcome::ForfeitWin(Side::First)),
    ("1-0F", Outcome::ForfeitWin(Side::First)),
    ("1X-0F", Outcome::ForfeitWin(Side::First)),
    ("+/-", Outcome::ForfeitWin(Side::First)),
    ("+--", Outcome::ForfeitWin(Side::First)),
    ("0F-1F", Outcome::ForfeitWin(Side::Second)),
    ("0F-1", Outcome::ForfeitWin(Side::Second)),
    ("0F-1X", Outcome::ForfeitWin(Side::Second)),
    ("-/+", Outcome::ForfeitWin(Side::Second)),
    ("--+", Outcome::ForfeitWin(Side::Second)),
    ("0F-0F", Outcome::DoubleForfeit),
    ("-/-", Outcome::DoubleForfeit),
    ("---", Outcome::DoubleForfeit),
];

/// The outcomes of a pairing's games, between spaces or semicolons: `1-0 0-1`. None when a word is no result.
#[must_use]
pub fn outcomes_from_text(text: &str) -> Option<Vec<Outcome>> {
    let words = text.split(|it: char| it.is_whitespace() || it == ';').filter(|it| !it.is_empty());
    let outcomes: Option<Vec<Outcome>> = words.map(outcome).collect();
    outcomes.filter(|outcomes| !outcomes.is_empty())
}

fn outcome(word: &str) -> Option<Outcome> {
    // Word processors make a dash of a hyphen.
    let word = word.replace(['–', '—', '‑', ':'], "-").to_uppercase();
    WRITTEN.iter().find(|(written, _)| *written == word).map(|&(_, outcome)| outcome)
}

/// The outcomes of a pairing's games, as [`outcomes_from_text`] reads them.
#[must_use]
pub fn outcomes_to_text(outcomes: &[Outcome]) -> String {
    let text = |outcome: &Outcome| {
        let written = WRITTEN.iter().find(|(_, it)| it == outcome);
        written.map_or("", |&(written, _)| written)
    };
    outcomes.iter().map(text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_reads_back_from_its_text() {
        let all = [Side::First, Side::Second]
            .into_iter()
            .flat_map(|side| [Outcome::Win(side), Outcome::ForfeitWin(side)])
            .chain([Outcome::Draw, Outcome::DoubleForfeit]);
        for outcome in all {
            let text = outcomes_to_text(&[outcome, Outcome::Draw]);
            assert_eq!(outcomes_from_text(&text), Some(vec![outcome, Outcome::Draw]), "{text}");
        }
    }

    #[test]
    fn what_is_no_result_is_none() {
        for text in ["", "  ", "won", "2-0", "1-0 x", "1-1"] {
            assert_eq!(outcomes_from_text(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_dash_of_a_word_processor_is_a_hyphen() {
        assert_eq!(outcomes_from_text("0–1"), Some(vec![Outcome::Win(Side::Second)]));
    }
}
