//! Results as people and programs write them, seen from the first side.
//!
//! The list of forms is closed. A text is first freed of what carries no meaning: blanks around the dash, dashes of word
//! processors, colons, decimal commas, case. What is then not in the list is an error that names the list.

use rules::standings::{Outcome, Side};

use Outcome::{BothLose, DoubleForfeit, Draw, ForfeitWin, HalfAndNone, Win};
use Side::{First, Second};

/// Forms of one game's outcome; the first of each outcome is the one that is written.
const FORMS: &[(&str, Outcome)] = &[
    ("1-0", Win(First)),
    ("1", Win(First)),
    ("0-1", Win(Second)),
    ("0", Win(Second)),
    ("½-½", Draw),
    ("1/2-1/2", Draw),
    ("0.5-0.5", Draw),
    (".5-.5", Draw),
    ("=-=", Draw),
    ("=", Draw),
    ("½", Draw),
    ("1/2", Draw),
    ("0.5", Draw),
    ("DRAW", Draw),
    ("REMIS", Draw),
    ("1F-0F", ForfeitWin(First)),
    ("1-0F", ForfeitWin(First)),
    ("1F-0", ForfeitWin(First)),
    ("1-0FF", ForfeitWin(First)),
    ("1X-0F", ForfeitWin(First)),
    ("1-0(FF)", ForfeitWin(First)),
    ("+/-", ForfeitWin(First)),
    ("+-", ForfeitWin(First)),
    ("+--", ForfeitWin(First)),
    ("0F-1F", ForfeitWin(Second)),
    ("0F-1", ForfeitWin(Second)),
    ("0-1F", ForfeitWin(Second)),
    ("0-1FF", ForfeitWin(Second)),
    ("0F-1X", ForfeitWin(Second)),
    ("0-1(FF)", ForfeitWin(Second)),
    ("-/+", ForfeitWin(Second)),
    ("-+", ForfeitWin(Second)),
    ("--+", ForfeitWin(Second)),
    ("0F-0F", DoubleForfeit),
    ("-/-", DoubleForfeit),
    ("--", DoubleForfeit),
    ("---", DoubleForfeit),
    ("0-0", BothLose),
    ("½-0", HalfAndNone(First)),
    ("1/2-0", HalfAndNone(First)),
    ("0.5-0", HalfAndNone(First)),
    ("0-½", HalfAndNone(Second)),
    ("0-1/2", HalfAndNone(Second)),
    ("0-0.5", HalfAndNone(Second)),
];

/// Texts that state that there is no result yet.
const NONE_YET: &[&str] = &["", "*", "?", "-"];

/// What an error says to write.
const LIST: &str = "write 1-0, 0-1, ½-½ (or 1/2-1/2), 1F-0F, 0F-1F, 0F-0F, 0-0 or ½-0, and one for each game with a blank between";

/// Months as spreadsheets write them when they take a result for a date, in English and in German.
const MONTHS: [&str; 16] = [
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC", "MRZ",
    "MAI", "OKT", "DEZ",
];

/// The reading of a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// There is no result yet.
    NoneYet,
    /// The outcomes of the games.
    Outcomes(Vec<Outcome>),
    /// The outcome, which a spreadsheet had turned into a date.
    MadeADate(Vec<Outcome>),
    /// No result, and what to do.
    Wrong(String, &'static str),
}

/// Reads the result of a pairing of so many games.
pub(super) fn read(text: &str, games: u8) -> Reading {
    if NONE_YET.contains(&text.trim()) {
        return Reading::NoneYet;
    }
    if let Some(outcomes) = outcomes_from_text(text) {
        return Reading::Outcomes(outcomes);
    }
    let plain = compact(text);
    if plain == "JAN-00" {
        // The only result that becomes this month.
        return Reading::MadeADate(vec![Win(First)]);
    }
    if MONTHS.iter().any(|month| plain.contains(month)) {
        let what = format!("{text:?} is no result: a spreadsheet made a date of it");
        return Reading::Wrong(what, "set the column's format to text and write the result again");
    }
    match match_score(&plain, games) {
        Some(Ok(outcomes)) => Reading::Outcomes(outcomes),
        Some(Err(())) if games > 1 => {
            let what = format!("{text:?} is the score of {games} games and does not say which");
            Reading::Wrong(what, "write each game with a blank between, such as 1-0 ½-½")
        }
        Some(Err(())) => {
            let what = format!("{text:?} is no result of one game");
            Reading::Wrong(what, LIST)
        }
        None => Reading::Wrong(format!("{text:?} is no result"), LIST),
    }
}

/// The outcomes of a pairing's games, between spaces or semicolons: `1-0 0-1`. None when a word is no result.
#[must_use]
pub fn outcomes_from_text(text: &str) -> Option<Vec<Outcome>> {
    if let Some(outcome) = outcome(&compact(text)) {
        return Some(vec![outcome]);
    }
    let joined = dashed(text).replace(" - ", "-");
    let words = joined.split(|it: char| it.is_whitespace() || it == ';');
    let words = words.filter(|word| !word.is_empty());
    let outcomes: Option<Vec<Outcome>> = words.map(|word| outcome(&compact(word))).collect();
    outcomes.filter(|outcomes| !outcomes.is_empty())
}

fn outcome(compact: &str) -> Option<Outcome> {
    FORMS.iter().find(|(form, _)| *form == compact).map(|&(_, outcome)| outcome)
}

/// The outcomes of a match from its score, where only one list of outcomes makes it. None when it is no score.
fn match_score(compact: &str, games: u8) -> Option<Result<Vec<Outcome>, ()>> {
    let (one, other) = compact.split_once('-')?;
    let [one, other] = [half_points(one)?, half_points(other)?];
    let full = u32::from(games) * 2;
    Some(match (one, other) {
        (points, 0) if points == full => Ok(vec![Win(First); usize::from(games)]),
        (0, points) if points == full => Ok(vec![Win(Second); usize::from(games)]),
        _ => Err(()),
    })
}

/// A number of points such as `2`, `1½`, `1.5` or `½`, in halves.
fn half_points(text: &str) -> Option<u32> {
    let (whole, half) = [("½", 1), (".5", 1), (".0", 0)]
        .into_iter()
        .find_map(|(end, half)| Some((text.strip_suffix(end)?, half)))
        .unwrap_or((text, 0));
    match whole {
        "" if half == 1 => Some(1),
        _ => Some(whole.parse::<u8>().ok().map(u32::from)? * 2 + half),
    }
}

/// The text with one kind of dash, a decimal point, and capital letters.
fn dashed(text: &str) -> String {
    let dash = |it| if matches!(it, '–' | '—' | '‑' | '−' | ':') { '-' } else { it };
    text.chars().map(dash).collect::<String>().replace(',', ".").to_uppercase()
}

/// The same without blanks.
fn compact(text: &str) -> String {
    dashed(text).split_whitespace().collect()
}

/// The outcomes of a pairing's games, as [`outcomes_from_text`] reads them.
#[must_use]
pub fn outcomes_to_text(outcomes: &[Outcome]) -> String {
    let text = |outcome: &Outcome| {
        let written = FORMS.iter().find(|(_, it)| it == outcome);
        written.map_or("", |&(written, _)| written)
    };
    outcomes.iter().map(text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_reads_back_from_its_text() {
        let all = [First, Second]
            .into_iter()
            .flat_map(|side| [Win(side), ForfeitWin(side), HalfAndNone(side)])
            .chain([Draw, DoubleForfeit, BothLose]);
        for outcome in all {
            let text = outcomes_to_text(&[outcome, Draw]);
            assert_eq!(outcomes_from_text(&text), Some(vec![outcome, Draw]), "{text}");
        }
    }

    #[test]
    fn what_is_no_result_is_none() {
        for text in ["", "  ", "won", "2-0", "1-0 x", "1-1", "White", "½-1"] {
            assert_eq!(outcomes_from_text(text), None, "{text:?}");
        }
    }

    #[test]
    fn results_of_other_programs_are_read() {
        let results: &[(&str, Outcome)] = &[
            ("0–1", Win(Second)),
            ("1 - 0", Win(First)),
            ("½ - ½", Draw),
            ("½:½", Draw),
            ("0,5-0,5", Draw),
            ("0,5 : 0,5", Draw),
            ("1/2", Draw),
            ("draw", Draw),
            ("+ -", ForfeitWin(First)),
            ("- +", ForfeitWin(Second)),
            ("+ : -", ForfeitWin(First)),
            ("1-0 FF", ForfeitWin(First)),
            ("0 - 0", BothLose),
        ];
        for (text, outcome) in results {
            assert_eq!(outcomes_from_text(text), Some(vec![*outcome]), "{text:?}");
        }
        let two = Some(vec![Win(First), Draw]);
        assert_eq!(outcomes_from_text("1 - 0  ½ - ½"), two);
        assert_eq!(outcomes_from_text("1-0;1/2-1/2"), two);
    }

    #[test]
    fn a_match_score_is_read_where_it_is_certain() {
        assert_eq!(read("2-0", 2), Reading::Outcomes(vec![Win(First); 2]));
        assert_eq!(read("0 : 2", 2), Reading::Outcomes(vec![Win(Second); 2]));
        for (text, games) in [("1½-½", 2), ("1-1", 2), ("2-0", 1), ("1,5-0,5", 2)] {
            assert!(matches!(read(text, games), Reading::Wrong(..)), "{text} of {games}");
        }
        assert_eq!(read("*", 1), Reading::NoneYet);
    }

    #[test]
    fn a_date_of_a_spreadsheet_is_named() {
        let Reading::Wrong(what, _) = read("01.Jan", 1) else { panic!("a date") };
        assert!(what.contains("spreadsheet"), "{what}");
        assert_eq!(read("Jan-00", 1), Reading::MadeADate(vec![Win(First)]));
    }
}
