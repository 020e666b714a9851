//! Which version of the C library a program needs, read off the names of versions that it asks the loader for.

use std::{fmt, fs, path::Path};

/// A version of glibc: 2.`minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Glibc {
    minor: u32,
}

/// Releases and the glibc that each has (packages.debian.org; Raspberry Pi OS has that of its Debian).
const RELEASES: [(u32, &str); 3] = [
    (31, "Debian 11, Raspberry Pi OS \"bullseye\""),
    (36, "Debian 12, Raspberry Pi OS \"bookworm\""),
    (41, "Debian 13, Raspberry Pi OS \"trixie\""),
];

impl fmt::Display for Glibc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2.{}", self.minor)
    }
}

impl Glibc {
    /// The oldest releases that have it.
    pub(super) fn releases(self) -> String {
        let found = RELEASES.iter().find(|(minor, _)| *minor >= self.minor);
        found.map_or("newer than any release known here".to_owned(), |(_, release)| {
            format!("{release} and later")
        })
    }
}

/// The version that `program` needs.
///
/// # Errors
///
/// When the program cannot be read, or names no version at all.
pub(super) fn needed(program: &Path) -> Result<Glibc, String> {
    let bytes = fs::read(program)
        .map_err(|error| format!("{} cannot be read: {error}", program.display()))?;
    highest(&bytes).ok_or_else(|| format!("{} names no version of glibc", program.display()))
}

fn highest(program: &[u8]) -> Option<Glibc> {
    const NAME: &[u8] = b"\0GLIBC_2.";
    let mut highest = None;
    for at in 0..program.len().saturating_sub(NAME.len()) {
        if program[at..].starts_with(NAME) {
            let digits = program[at + NAME.len()..].iter().take(4);
            let digits = digits.take_while(|byte| byte.is_ascii_digit());
            let minor = digits.fold(0, |minor, digit| 10 * minor + u32::from(digit - b'0'));
            highest = highest.max(Some(Glibc { minor }));
        }
    }
    highest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_that_is_named_counts() {
        let program = b"\x7fELF\0GLIBC_2.17\0read\0GLIBC_2.34\0GLIBC_2.2.5\0XGLIBC_2.99\0 ";
        assert_eq!(highest(program), Some(Glibc { minor: 34 }));
        assert_eq!(highest(b"static"), None);
    }

    #[test]
    fn each_version_has_its_oldest_release() {
        assert!(Glibc { minor: 34 }.releases().contains("bookworm"));
        assert!(Glibc { minor: 31 }.releases().contains("bullseye"));
        assert!(Glibc { minor: 99 }.releases().contains("newer"));
    }
}
