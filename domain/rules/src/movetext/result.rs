//! The closed list of results, as programs and people write them.

/// A result from the point of view of the side named first: White, or team 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenResult {
    First,
    Second,
    Draw,
    /// Both lost, as by a double forfeit.
    BothLost,
    Unknown,
}

impl WrittenResult {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            WrittenResult::First => "1-0",
            WrittenResult::Second => "0-1",
            WrittenResult::Draw => "1/2-1/2",
            WrittenResult::BothLost => "0-0",
            WrittenResult::Unknown => "*",
        }
    }

    /// The result of a record whose moves end with this one and whose tag has another, and whether the two contradict each
    /// other. `*` in one of them leaves it to the other; no word among moves says that both lost.
    pub(crate) fn with_tag(self, tag: Option<WrittenResult>) -> (WrittenResult, bool) {
        match (self, tag) {
            (WrittenResult::Unknown, Some(WrittenResult::BothLost)) => {
                (WrittenResult::BothLost, false)
            }
            (WrittenResult::Unknown, Some(tag)) => (tag, tag != WrittenResult::Unknown),
            (moves, Some(tag)) => (moves, tag != moves && tag != WrittenResult::Unknown),
            (moves, None) => (moves, false),
        }
    }
}

/// The text with every kind of dash as `-` and halves as `1/2`.
fn plain(text: &str) -> String {
    with_plain_dashes(text.trim()).replace('½', "1/2")
}

/// The text with every kind of dash as `-`.
pub(crate) fn with_plain_dashes(text: &str) -> String {
    let is_dash = |letter: char| matches!(letter, '\u{2010}'..='\u{2015}' | '\u{2212}');
    text.chars().map(|letter| if is_dash(letter) { '-' } else { letter }).collect()
}

/// Result that a word means anywhere among moves. Zeros may be letters, as some people type them.
pub(crate) fn among_moves(word: &str) -> Option<WrittenResult> {
    Some(match plain(word).as_str() {
        "1-0" | "1-O" => WrittenResult::First,
        "0-1" | "O-1" => WrittenResult::Second,
        "1/2-1/2" | "1/2" => WrittenResult::Draw,
        "*" => WrittenResult::Unknown,
        _ => return None,
    })
}

/// The result that a text is where nothing but a result is expected: as a tag's value, or as the last word of a game. Among moves
/// `0-0` is castling and `+/-` an opinion.
pub(crate) fn at_end(text: &str) -> Option<WrittenResult> {
    among_moves(text).or_else(|| {
        Some(match plain(text).as_str() {
            "1:0" | "+/-" | "+:-" | "+--" => WrittenResult::First,
            "0:1" | "-/+" | "-:+" | "--+" => WrittenResult::Second,
            "1/2:1/2" | "=/=" | "=:=" | "0.5-0.5" => WrittenResult::Draw,
            "0-0" | "0:0" | "-/-" | "-:-" => WrittenResult::BothLost,
            _ => return None,
        })
    })
}
