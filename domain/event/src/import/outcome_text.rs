//! Results as people and programs write them, seen from the first side.
//!
//! The list of forms is closed. A text is first freed of parts without meaning: blanks around the dash, dashes of word
//! processors, colons, decimal commas, case. A text that is then not in the list is an error that names the list.

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
    ("X-X", Draw),
    ("=", Draw),
    ("½", Draw),
    ("1/2", Draw),
    ("0.5", Draw),
    (".5", Draw),
    ("1F-0F", ForfeitWin(First)),
    ("1F-0", ForfeitWin(First)),
    ("1X-0F", ForfeitWin(First)),
    ("+/-", ForfeitWin(First)),
    ("+-", ForfeitWin(First)),
    ("+--", ForfeitWin(First)),
    ("0F-1F", ForfeitWin(Second)),
    ("0F-1", ForfeitWin(Second)),
    ("0F-1X", ForfeitWin(Second)),
    ("-/+", ForfeitWin(Second)),
    ("-+", ForfeitWin(Second)),
    ("--+", ForfeitWin(Second)),
    ("0F-0F", DoubleForfeit),
    ("-/-", DoubleForfeit),
    ("--", DoubleForfeit),
    ("---", DoubleForfeit),
    ("1-F", ForfeitWin(First)),
    ("X-F", ForfeitWin(First)),
    ("F-1", ForfeitWin(Second)),
    ("F-X", ForfeitWin(Second)),
    ("F-F", DoubleForfeit),
    ("0-0", BothLose),
    ("½-0", HalfAndNone(First)),
    ("1/2-0", HalfAndNone(First)),
    ("0.5-0", HalfAndNone(First)),
    ("0-½", HalfAndNone(Second)),
    ("0-1/2", HalfAndNone(Second)),
    ("0-0.5", HalfAndNone(Second)),
];

/// Words for a draw, in English, German, Spanish, French and Italian.
const DRAWS: &[&str] = &["DRAW", "REMIS", "TABLAS", "NULLE", "PATTA"];

/// Words behind a result that make it one without play.
const FORFEITS: &[&str] =
    &["FORFEIT", "FORFAIT", "KAMPFLOS", "NOSHOW", "DEFAULT", "W/O", "WO", "FF", "F", "K"];

/// Texts that a spreadsheet makes of `1:0` and `0:1`, which it takes for hours and minutes; colons are dashes here.
const ONE_O_CLOCK: &[&str] = &["01-00", "1-00", "01-00-00", "1-00-00", "1-00-00AM", "01-00-00AM"];
const ONE_MINUTE: &[&str] = &["00-01", "0-01", "00-01-00", "0-01-00", "12-01-00AM"];

/// Texts that state that there is no result yet.
const NONE_YET: &[&str] = &["", "*", "?", "-", "…", "..."];

/// Forms that an error proposes.
const LIST: &str = "write 1-0, 0-1, ½-½ (or 1/2-1/2), 1F-0F, 0F-1F, 0F-0F, 0-0 or ½-0, and one for each game with a blank between";

/// January as spreadsheets write it, in English, Spanish, French, Italian and German.
const JANUARY: [&str; 6] = ["JAN", "ENE", "JANV", "GEN", "JÄN", "GENN"];

/// The other months as spreadsheets write them, in these languages.
const MONTHS: [&str; 32] = [
    "FEB", "FÉV", "MAR", "MRZ", "MÄR", "APR", "AVR", "ABR", "MAY", "MAI", "MAG", "JUN", "JUIN",
    "GIU", "JUL", "JUIL", "LUG", "AUG", "AGO", "AOÛ", "SEP", "SET", "OCT", "OKT", "OTT", "NOV",
    "DEC", "DEZ", "DÉC", "DIC", "MARS", "MARZ",
];

/// The reading of a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OutcomeReading {
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
pub(super) fn read(text: &str, games: u8) -> OutcomeReading {
    // Lists to be filled in by hand have a line there.
    let is_line = |text: &str| text.contains('_') && text.chars().all(|it| matches!(it, '_' | '-'));
    if NONE_YET.contains(&dashed(text).trim()) || is_line(&compact(text)) {
        return OutcomeReading::NoneYet;
    }
    if let Some(outcomes) = outcomes_from_text(text) {
        return OutcomeReading::Outcomes(outcomes);
    }
    let plain = compact(text);
    // The only result that becomes this month.
    let is_january = |month: &str| JANUARY.contains(&month.trim_end_matches(['-', '.']));
    if plain.strip_suffix("00").is_some_and(is_january) || ONE_O_CLOCK.contains(&plain.as_str()) {
        return OutcomeReading::MadeADate(vec![Win(First)]);
    }
    if ONE_MINUTE.contains(&plain.as_str()) {
        return OutcomeReading::MadeADate(vec![Win(Second)]);
    }
    if is_date(&plain) {
        let what = format!("{text:?} is no result: a spreadsheet made a date of it");
        return OutcomeReading::Wrong(
            what,
            "set the column's format to text and write the result again",
        );
    }
    match match_score(&plain, games) {
        Some(Ok(outcomes)) => OutcomeReading::Outcomes(outcomes),
        Some(Err(())) if games > 1 => {
            let what = format!("{text:?} is the score of {games} games and does not say which");
            OutcomeReading::Wrong(what, "write each game with a blank between, such as 1-0 ½-½")
        }
        Some(Err(())) => {
            let what = format!("{text:?} is no result of one game");
            OutcomeReading::Wrong(what, LIST)
        }
        None => OutcomeReading::Wrong(format!("{text:?} is no result"), LIST),
    }
}

/// Whether a text has a month, or day, month and year as numbers.
fn is_date(compact: &str) -> bool {
    let letters: String = compact.chars().filter(|it| it.is_alphabetic()).collect();
    let is_month = JANUARY.iter().chain(&MONTHS).any(|month| letters == *month);
    // The time of day follows a date of ten characters; a date's number counts days from 1900 on.
    let date = compact.get(..10).filter(|_| compact.contains("00-00")).unwrap_or(compact);
    let is_day = compact.parse::<u32>().is_ok_and(|day| (30_000..80_000).contains(&day));
    let parts: Vec<&str> = date.split(['-', '/', '.']).collect();
    let is_number = |part: &&str| !part.is_empty() && part.chars().all(|it| it.is_ascii_digit());
    (is_month && letters.len() < compact.len())
        || is_day
        || (parts.len() == 3 && parts.iter().all(is_number))
}

/// The outcomes of a pairing's games, between spaces or semicolons: `1-0 0-1`. None when a word is no result.
#[must_use]
pub fn outcomes_from_text(text: &str) -> Option<Vec<Outcome>> {
    // With a comma this is as likely 0-0.
    if text.trim() == "0,0" {
        return None;
    }
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
    if DRAWS.contains(&compact) {
        return Some(Draw);
    }
    let listed = |text: &str| FORMS.iter().find(|(form, _)| *form == text).map(|&(_, it)| it);
    if let Some(outcome) = listed(compact).or_else(|| listed(&without_zeros(compact))) {
        return Some(outcome);
    }
    let bare = compact.trim_end_matches([')', '.']);
    let played = FORFEITS.iter().find_map(|word| bare.strip_suffix(word))?;
    match played.trim_end_matches('(') {
        "1-0" => Some(ForfeitWin(First)),
        "0-1" => Some(ForfeitWin(Second)),
        "0-0" => Some(DoubleForfeit),
        _ => None,
    }
}

/// Points without the zeros that a spreadsheet adds behind the decimal point.
fn without_zeros(compact: &str) -> String {
    let plain = |side: &str| match side.split_once('.') {
        Some((whole, "0" | "00")) => whole.to_owned(),
        Some((whole, "50")) => format!("{whole}.5"),
        _ => side.to_owned(),
    };
    compact.split('-').map(plain).collect::<Vec<_>>().join("-")
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
        _ => {
            let points = whole.parse::<u8>().ok().filter(|it| it.to_string() == whole)?;
            Some(u32::from(points) * 2 + half)
        }
    }
}

/// The text with one kind of dash, a decimal point, capital letters, and digits of the usual width.
fn dashed(text: &str) -> String {
    let plain = |it: char| match it {
        '\u{2010}'..='\u{2015}'
        | '\u{2212}'
        | '\u{2043}'
        | '\u{fe58}'
        | '\u{fe63}'
        | '\u{ff0d}' => '-',
        ':' => '-',
        ',' => '.',
        '\u{2044}' => '/',
        '\u{b9}' => '1',
        '\u{2082}' => '2',
        '\u{ff10}'..='\u{ff19}' => {
            u8::try_from(u32::from(it) - 0xff10).map_or(it, |digit| char::from(b'0' + digit))
        }
        _ => it,
    };
    text.chars().map(plain).collect::<String>().to_uppercase()
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
        for text in [
            "", "  ", "won", "1F.-0F", "1.-0", "2-0", "1-0 x", "1-1", "White", "½-1", "0,0",
            "½-½ F", "F",
        ] {
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
            ("0-1 forfeit", ForfeitWin(Second)),
            ("1–0 (ff)", ForfeitWin(First)),
            ("0-0 F", DoubleForfeit),
            ("0 - 0", BothLose),
            ("tablas", Draw),
            ("nulle", Draw),
            ("1.0", Win(First)),
            ("0.0", Win(Second)),
            ("1.0-0.0", Win(First)),
            ("1‐0", Win(First)),
            ("½‒½", Draw),
            ("0－1", Win(Second)),
            ("１-０", Win(First)),
            ("1:0 k", ForfeitWin(First)),
            ("0-1 kampflos", ForfeitWin(Second)),
            ("X-F", ForfeitWin(First)),
            ("F-X", ForfeitWin(Second)),
            ("1-F", ForfeitWin(First)),
            ("F-F", DoubleForfeit),
            ("X - X", Draw),
            ("0-1 ff.", ForfeitWin(Second)),
            ("1-0 (no show)", ForfeitWin(First)),
            ("0-1 w/o", ForfeitWin(Second)),
            (".5", Draw),
            ("¹⁄₂ – ¹⁄₂", Draw),
            ("½ : ½", Draw),
            ("1.00-0.00", Win(First)),
            ("0.50", Draw),
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
        assert_eq!(read("2-0", 2), OutcomeReading::Outcomes(vec![Win(First); 2]));
        assert_eq!(read("0 : 2", 2), OutcomeReading::Outcomes(vec![Win(Second); 2]));
        for (text, games) in
            [("1½-½", 2), ("1-1", 2), ("2-0", 1), ("1,5-0,5", 2), ("+1-0", 1), ("01-0", 1)]
        {
            assert!(matches!(read(text, games), OutcomeReading::Wrong(..)), "{text} of {games}");
        }
        assert_eq!(read("*", 1), OutcomeReading::NoneYet);
    }

    #[test]
    fn a_date_of_a_spreadsheet_is_named() {
        let midnight = "2026-01-01 00:00:00";
        for text in
            ["01.Jan", "1-janv", "01-ene", "2-Feb", "2000-01-01", "01/01/2000", "36526", midnight]
        {
            let OutcomeReading::Wrong(what, _) = read(text, 1) else { panic!("{text} is a date") };
            assert!(what.contains("spreadsheet"), "{what}");
        }
        for text in ["Jan-00", "ene-00", "janv.-00", "Jan 00", "gen-00"] {
            assert_eq!(read(text, 1), OutcomeReading::MadeADate(vec![Win(First)]), "{text}");
        }
        for text in ["01:00", "1:00", "01:00:00", "1:00:00 AM"] {
            assert_eq!(read(text, 1), OutcomeReading::MadeADate(vec![Win(First)]), "{text}");
        }
        for text in ["00:01", "0:01", "00:01:00", "12:01:00 AM"] {
            assert_eq!(read(text, 1), OutcomeReading::MadeADate(vec![Win(Second)]), "{text}");
        }
        for text in ["–", "____", "___ - ___"] {
            assert_eq!(read(text, 1), OutcomeReading::NoneYet, "{text}");
        }
    }
}
