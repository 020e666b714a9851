//! Invisible characters that change the direction of the text around them: a name with one can look like another.

/// Whether a character has no form of its own (Unicode's category Cf). The two joiners are needed to write Persian, Hindi and some pictures, and turn
/// nothing round.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    matches!(
        u32::from(character),
        0x00AD | 0x0600..=0x0605 | 0x061C | 0x06DD | 0x070F | 0x0890..=0x0891 | 0x08E2 | 0x180E | 0x200B
            | 0x200E..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB | 0x110BD | 0x110CD
            | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE007F
    )
}

/// Whether a character has no width and turns nothing round: copying leaves such characters in texts. The two joiners are among them.
pub(crate) const fn is_zero_width(character: char) -> bool {
    matches!(
        character,
        '\u{00ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_turn_a_line_round_are_invisible_and_letters_and_joiners_are_not() {
        for hidden in ['\u{202e}', '\u{feff}', '\u{2066}', '\u{200b}', '\u{ad}', '\u{200f}'] {
            assert!(is_invisible(hidden), "{hidden:?}");
        }
        for seen in ['a', 'é', '\u{200c}', '\u{200d}', '\u{a0}', 'ن', '\u{301}', '👍'] {
            assert!(!is_invisible(seen), "{seen:?}");
        }
    }
}
