//! Byes as people and programs write them where an opponent would be.
//!
//! The list of words is closed, and a text is a bye only if every word of it is in the list. Letters that mean a full
//! point in one federation's files and none in another's (`U`, `F`) need an amount beside them.

use rules::standings::ByeKind;

use ByeKind::{FullPoint, HalfPoint, ZeroPoint};

/// Whole texts.
const CODES: &[(&str, ByeKind)] = &[
    ("bye", FullPoint),
    ("byes", FullPoint),
    ("fpb", FullPoint),
    ("pab", FullPoint),
    ("b", FullPoint),
    ("free", FullPoint),
    ("spielfrei", FullPoint),
    ("freilos", FullPoint),
    ("descansa", FullPoint),
    ("libre", FullPoint),
    ("exempt", FullPoint),
    ("exempté", FullPoint),
    ("exe", FullPoint),
    ("riposa", FullPoint),
    ("hpb", HalfPoint),
    ("h", HalfPoint),
    ("zpb", ZeroPoint),
    ("z", ZeroPoint),
    ("not paired", ZeroPoint),
    ("unpaired", ZeroPoint),
    ("nicht ausgelost", ZeroPoint),
    ("no emparejado", ZeroPoint),
    ("non apparié", ZeroPoint),
    ("absent", ZeroPoint),
    ("--", ZeroPoint),
    ("---", ZeroPoint),
];

/// Letters that some programs use for byes of every amount.
const WITHOUT_AMOUNT: &[&str] =
    &["bye", "not paired", "unpaired", "nicht ausgelost", "no emparejado", "non apparié"];

/// Words that give an amount.
const AMOUNTS: &[(&str, ByeKind)] = &[
    ("full", FullPoint),
    ("whole", FullPoint),
    ("one", FullPoint),
    ("1", FullPoint),
    ("1.0", FullPoint),
    ("b", FullPoint),
    ("half", HalfPoint),
    ("½", HalfPoint),
    ("1/2", HalfPoint),
    ("0.5", HalfPoint),
    (".5", HalfPoint),
    ("h", HalfPoint),
    ("zero", ZeroPoint),
    ("no", ZeroPoint),
    ("0", ZeroPoint),
    ("0.0", ZeroPoint),
    ("z", ZeroPoint),
];

/// Words beside an amount that carry none themselves.
const OTHERS: &[&str] =
    &["bye", "point", "points", "pt", "pts", "p", "requested", "pairing", "allocated", "u", "f"];

/// Forms that an error proposes.
pub(super) const LIST: &str = "write full-point bye, half-point bye or zero-point bye (or FPB, HPB, ZPB; bye alone is a full point)";

/// The reading of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ByeReading {
    /// A bye, and whether its words leave the amount to the result beside it.
    Bye(ByeKind, bool),
    /// A text that has a word for a bye and is none of the list.
    Unclear,
    /// No word about byes.
    No,
}

/// Reads a text. A name that is an entrant's must have been looked for before.
pub(super) fn read(text: &str) -> ByeReading {
    let plain = text.trim().replace(',', ".").to_lowercase();
    let plain: String =
        plain.chars().map(|it| if matches!(it, '–' | '—' | '‑') { '-' } else { it }).collect();
    let framed = plain.trim_matches(['-', '*', '(', ')', '[', ']', '<', '>', '.', ' ']);
    for text in [plain.as_str(), framed] {
        if let Some(&(code, bye)) = CODES.iter().find(|(code, _)| *code == text) {
            return ByeReading::Bye(bye, WITHOUT_AMOUNT.contains(&code));
        }
    }
    let words: Vec<&str> = plain
        .split(|it: char| {
            it.is_whitespace() || matches!(it, '-' | '_' | '*' | '(' | ')' | '[' | ']' | '<' | '>')
        })
        .map(|word| word.trim_end_matches('.'))
        .flat_map(|word| {
            // `1pt` is two words.
            let unit = ["pts", "pt", "p"].into_iter().find(|unit| word.ends_with(unit));
            let number = unit.map(|unit| &word[..word.len() - unit.len()]);
            match (number.filter(|it| AMOUNTS.iter().any(|(word, _)| word == it)), unit) {
                (Some(number), Some(unit)) => [number, unit],
                _ => [word, ""],
            }
        })
        .filter(|word| !word.is_empty())
        .collect();
    let amount = |word: &str| AMOUNTS.iter().find(|(it, _)| *it == word).map(|&(_, bye)| bye);
    let mut amounts: Vec<ByeKind> = words.iter().filter_map(|word| amount(word)).collect();
    amounts.dedup();
    let is_listed = |word: &&str| amount(word).is_some() || OTHERS.contains(word);
    match amounts[..] {
        [bye] if words.contains(&"bye") && words.iter().all(is_listed) => {
            ByeReading::Bye(bye, false)
        }
        _ if words.iter().any(|word| word.contains("bye")) || matches!(words[..], ["u" | "f"]) => {
            ByeReading::Unclear
        }
        _ => ByeReading::No,
    }
}

/// The bye that a result column gives beside the word, if it is an amount.
pub(super) fn amount(text: &str) -> Option<ByeKind> {
    let plain = text.replace(',', ".").replace([':', '–'], "-").to_lowercase();
    let plain: String = plain.split_whitespace().collect();
    let forms: [(&[&str], ByeKind); 3] = [
        (&["1", "1.0", "1-0", "+", "+-", "+--", "1f-0f", "1-0f", "b", "full"], FullPoint),
        (&["½", "1/2", "0.5", ".5", "½-½", "1/2-1/2", "½-0", "=", "h", "half"], HalfPoint),
        (&["0", "0.0", "0-0", "0f-0f", "-", "z", "zero"], ZeroPoint),
    ];
    forms.into_iter().find(|(forms, _)| forms.contains(&plain.as_str())).map(|(_, bye)| bye)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byes_give_what_their_words_say() {
        let byes = [
            ("bye", FullPoint),
            ("BYE", FullPoint),
            ("Full-point bye (1.0)", FullPoint),
            ("bye (0,5)", HalfPoint),
            ("H-bye", HalfPoint),
            ("1-point bye", FullPoint),
            ("½-point bye", HalfPoint),
            ("1/2 point bye", HalfPoint),
            ("U (zero-point bye)", ZeroPoint),
            ("HPB", HalfPoint),
            ("B", FullPoint),
            ("Half bye", HalfPoint),
            ("0 point bye", ZeroPoint),
            ("not paired", ZeroPoint),
            ("-BYE-", FullPoint),
            ("(bye)", FullPoint),
            ("Freilos", FullPoint),
            ("exempt", FullPoint),
            ("---", ZeroPoint),
            ("*** HALF POINT BYE ***", HalfPoint),
            ("Bye (1pt)", FullPoint),
            ("0-pt. bye", ZeroPoint),
            ("bye [0.5 pts]", HalfPoint),
            ("EXE", FullPoint),
        ];
        for (text, bye) in byes {
            assert!(matches!(read(text), ByeReading::Bye(it, _) if it == bye), "{text:?}");
        }
    }

    #[test]
    fn a_text_that_is_not_in_the_list_is_no_bye() {
        for text in ["bye 10:30", "Bye Bye Birdies", "H-bye (1.0)", "U", "F", "Pat Bye"] {
            assert_eq!(read(text), ByeReading::Unclear, "{text:?}");
        }
        assert_eq!(read("Leo Birch"), ByeReading::No);
    }
}
