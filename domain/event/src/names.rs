//! Names compared as people compare them, and texts without invisible characters.
//!
//! Two programs write one name in different code points: composed or decomposed accents, typographic quotation marks
//! and hyphens, zero-width characters, spaces of other widths, other case. [`name_key`] maps all of them to one text.

use unicode_normalization::UnicodeNormalization as _;

use crate::invisible::{is_invisible, is_zero_width};

/// The text by which a name is compared: equal for names that people take for the same.
pub(crate) fn name_key(name: &str) -> String {
    let seen = name.nfkc().filter(|it| !is_invisible(*it) && !is_zero_width(*it));
    let plain: String = seen.map(plain).collect();
    let lower: String = plain.to_lowercase().nfc().collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether people would take two names for the same.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    one == other || name_key(one) == name_key(other)
}

/// A text as it is stored: composed accents, plain spaces, and no characters without width. Characters that turn a line round stay, and the event refuses
/// it.
pub(crate) fn clean(text: &str) -> String {
    let visible = text.nfc().filter(|it| !is_zero_width(*it));
    let spaced: String = visible.map(|it| if is_space(it) { ' ' } else { it }).collect();
    spaced.trim().to_owned()
}

/// Whether two names may belong to one person whose name was mended: the words of one are
/// all in the other, or they differ by few letters. Brothers and sisters share a word.
pub(crate) fn are_alike(one: &str, other: &str) -> bool {
    /// Maximum number of letters by which a corrected name differs, and the letters of which one may differ.
    const LETTERS_MAX: usize = 2;
    const LETTERS_EACH: usize = 4;
    let (one, other) = (name_key(one), name_key(other));
    let words = |name: &str| -> Vec<String> {
        let parts = name.split(|it: char| !it.is_alphanumeric());
        parts.filter(|word| word.chars().nth(1).is_some()).map(ToOwned::to_owned).collect()
    };
    let (mine, others) = (words(&one), words(&other));
    let within = |some: &[String], all: &[String]| {
        !some.is_empty() && some.iter().all(|it| all.contains(it))
    };
    within(&mine, &others)
        || within(&others, &mine)
        || strsim::damerau_levenshtein(&one, &other)
            <= (one.chars().count().min(other.chars().count()) / LETTERS_EACH).min(LETTERS_MAX)
}

const fn plain(character: char) -> char {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{00b4}' | '`' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    }
}

const fn is_space(character: char) -> bool {
    matches!(character, '\u{00a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_the_same_are_the_same() {
        let pairs = [
            ("Zoë Pâquet", "Zoe\u{308} Pa\u{302}quet"),
            ("Finn O'Neil", "Finn O\u{2019}Neil"),
            ("Ann-Marie Fig", "ann\u{2011}marie  FIG"),
            ("Fir", "\u{feff}Fir\u{200b}"),
            ("Fir", "\u{2066}F\u{200d}ir\u{2069}"),
            ("Oak Elm", "Oak\u{a0}Elm"),
            ("ﬁeld", "field"),
        ];
        for (one, other) in pairs {
            assert!(same_name(one, other), "{one:?} and {other:?}");
        }
        assert!(!same_name("Zoe", "Zoë"), "an accent is a difference");
    }

    #[test]
    fn what_is_stored_is_composed_and_has_nothing_invisible() {
        assert_eq!(clean("\u{feff}Zoe\u{308}\u{a0}P\u{200b} "), "Zoë P");
        assert_eq!(clean("Zo\u{202e}e"), "Zo\u{202e}e", "the event refuses it");
    }

    #[test]
    fn a_mended_name_is_alike_and_another_persons_is_not() {
        assert!(are_alike("Aster, Ida", "Aster, Ida Maria"));
        assert!(are_alike("Ida Aster", "Ida Astor"));
        assert!(!are_alike("Ida Aster", "Leo Birch"));
        assert!(!are_alike("Ida Aster", "Leo Aster"), "a brother");
        assert!(are_alike("Aster, Ida", "Ida Aster"));
        assert!(are_alike("Karim", "Karin"));
        assert!(!are_alike("Bob", "Lou"), "two letters of three are another name");
    }
}
