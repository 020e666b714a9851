//! Tags that stay on their squares, while the board sends noise for others.
//!
//! Real boards name a tag on some empty squares in every line, each time another one. So a square holds a tag when most of several
//! lines agree on it, and is empty otherwise.

use std::collections::VecDeque;

use rules::Square;

/// Bytes of a tag.
pub(super) const TAG_BYTES: usize = 5;
/// A code with more bytes of 0 than this is no tag but noise, as the makers' own program has it.
const ZERO_BYTES_MAX: usize = 2;
/// Numbers of lines, and in how many of them a square must name the same tag. A short window is enough for a board that is quite still; some
/// misread lines do not spoil the long one.
const WINDOWS: [(usize, usize); 2] = [(3, 3), (15, 10)];
/// Lines that are kept.
const LINES_MAX: usize = 15;
/// Squares that a message names, at most.
const NAMED_MAX: usize = 8;

pub(super) type Tag = [u8; TAG_BYTES];
/// The tags of a line by the device's squares, a1 first.
pub(super) type Tags = [Option<Tag>; 64];

/// The tags of a line, which begins with a8.
pub(super) fn tags(numbers: &[u8]) -> Tags {
    let mut tags = [None; 64];
    for (number, bytes) in (0_u32..).zip(numbers.chunks_exact(TAG_BYTES)) {
        let is_tag = |tag: &Tag| tag.iter().filter(|byte| **byte == 0).count() <= ZERO_BYTES_MAX;
        if number < 64 {
            tags[usize::from(Square::new(number ^ 56))] = Tag::try_from(bytes).ok().filter(is_tag);
        }
    }
    tags
}

/// The last lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Learning {
    lines: VecDeque<Box<Tags>>,
}

impl Learning {
    /// A line of the board.
    pub(super) fn note(&mut self, tags: &Tags) {
        if self.lines.len() == LINES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(Box::new(*tags));
    }

    /// The lines before are not to be counted any more.
    pub(super) fn forget(&mut self) {
        self.lines.clear();
    }

    /// Tags that stay, by the short window and by the long one, if the last line names a tag that is not `known`.
    pub(super) fn still(&self, last: &Tags, known: impl Fn(Tag) -> bool) -> Vec<Tags> {
        if last.iter().flatten().all(|tag| known(*tag)) {
            return Vec::new();
        }
        WINDOWS.into_iter().filter_map(|(lines, same)| self.agreed(lines, same)).collect()
    }

    /// The tag of each square that `same` of the last `lines` lines agree on; `None` before there are so many, or when two squares have one tag.
    fn agreed(&self, lines: usize, same: usize) -> Option<Tags> {
        let skipped = self.lines.len().checked_sub(lines)?;
        let mut agreed: Tags = [None; 64];
        for (index, place) in agreed.iter_mut().enumerate() {
            let said: Vec<Tag> =
                self.lines.iter().skip(skipped).filter_map(|tags| tags[index]).collect();
            let count = |tag: &Tag| said.iter().filter(|other| *other == tag).count();
            *place = said.iter().find(|tag| count(tag) >= same).copied();
        }
        let mut all: Vec<Tag> = agreed.iter().flatten().copied().collect();
        all.sort_unstable();
        all.windows(2).all(|pair| pair[0] != pair[1]).then_some(agreed)
    }

    /// Squares that keep a set-up from being calibrated, in words for a person: home squares without a tag, and others with one. Empty unless few
    /// squares are wrong.
    pub(super) fn missing(&self, is_home: impl Fn(usize) -> bool) -> String {
        let (lines, same) = WINDOWS[WINDOWS.len() - 1];
        let Some(agreed) = self.agreed(lines, same) else { return String::new() };
        let wrong: Vec<String> = Square::ALL
            .into_iter()
            .filter(|square| {
                agreed[usize::from(*square)].is_some() != is_home(usize::from(*square))
            })
            .map(|square| square.to_string())
            .collect();
        if wrong.is_empty() || wrong.len() > NAMED_MAX {
            return String::new();
        }
        format!("; these squares are not as in the set-up: {}", wrong.join(", "))
    }
}
