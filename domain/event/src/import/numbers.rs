//! Numbers in lists: with a spreadsheet's additions, or with a word for their kind.

/// Words for a round, in lower case.
pub(super) const ROUND_WORDS: &[&str] =
    &["round", "rd", "rnd", "r", "runde", "ronda", "ronde", "turno"];
/// Words for a table or a board, in lower case.
pub(super) const TABLE_WORDS: &[&str] = &[
    "table",
    "tbl",
    "t",
    "board",
    "bd",
    "tisch",
    "brett",
    "mesa",
    "tablero",
    "echiquier",
    "échiquier",
];
/// Letters that make an ordinal number, and abbreviations of the word "number", in several languages.
const ORDINALS: &[&str] =
    &["st", "nd", "rd", "th", "a", "o", "e", "er", "ère", "re", "no", "nr", "n", "ª", "º"];

/// A number with the `.0` or `.00` that spreadsheets add, or the point of an ordinal number.
pub(crate) fn number_of(text: &str) -> Option<u32> {
    let is_zeros = |rest: &str| matches!(rest, "" | "0" | "00");
    let parts = text.split_once(['.', ',']).filter(|(_, rest)| is_zeros(rest));
    let whole = parts.map_or(text, |(whole, _)| whole).trim();
    whole.parse().ok().filter(|_| !whole.starts_with('+'))
}

/// The only number of a text whose other words are among these or make it an ordinal: `Table 2`, `1st round`, `T-2`. A number
/// alone counts too, unless more parts are asked for.
pub(super) fn labelled_number(text: &str, words: &[&str], parts_min: usize) -> Option<u32> {
    let lower = text.to_lowercase();
    let mut parts: Vec<String> = Vec::new();
    let mut before = ' ';
    for letter in lower.chars() {
        if letter.is_alphanumeric() || matches!(letter, 'ª' | 'º') {
            let goes_on =
                before.is_alphanumeric() && before.is_ascii_digit() == letter.is_ascii_digit();
            match parts.last_mut().filter(|_| goes_on) {
                Some(part) => part.push(letter),
                None => parts.push(letter.to_string()),
            }
        }
        before = letter;
    }
    let mut number = None;
    let mut is_labelled = false;
    for part in &parts {
        match part.parse::<u32>() {
            Ok(_) if number.is_some() => return None,
            Ok(found) => number = Some(found),
            Err(_) if words.contains(&part.as_str()) => is_labelled = true,
            Err(_) if ORDINALS.contains(&part.as_str()) => {}
            Err(_) => return None,
        }
    }
    number.filter(|_| is_labelled || parts_min < 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_with_the_words_that_name_it() {
        for text in ["3", "Round 3", "3rd round", "R3", "3. Runde", "3ª ronda", "#3", "Ronde n° 3"]
        {
            assert_eq!(labelled_number(text, ROUND_WORDS, 1), Some(3), "{text}");
        }
        for text in ["", "Round", "3.1", "Board 3", "Round 3 of 4", "-"] {
            assert_eq!(labelled_number(text, ROUND_WORDS, 1), None, "{text}");
        }
        assert_eq!(labelled_number("T-2", TABLE_WORDS, 1), Some(2));
    }
}
