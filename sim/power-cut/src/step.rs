//! A change that a program made to its files, parsed from `strace -f -y -xx`.

use std::collections::HashMap;

/// Change of a file, which is named by its path within the watched folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Bytes were written at an offset; none for the end of the file.
    Write { file: String, offset: Option<u64>, bytes: Vec<u8> },
    /// The file was cut, or stretched, to a length.
    Truncate { file: String, length: u64 },
    /// All that was written to the file is on the disk.
    Sync { file: String },
    /// The system could not sync the writes to the file, and may not try again.
    FailedSync { file: String },
    /// The file was removed.
    Remove { file: String },
    /// The file got another name.
    Rename { file: String, to: String },
}

impl Step {
    /// The file that it is about.
    pub(crate) fn file(&self) -> &str {
        match self {
            Step::Write { file, .. }
            | Step::Truncate { file, .. }
            | Step::Sync { file }
            | Step::FailedSync { file }
            | Step::Remove { file }
            | Step::Rename { file, .. } => file,
        }
    }
}

/// A call whose end comes on a later line, by the thread that made it.
type Unfinished = HashMap<String, String>;

/// The steps that lines of `strace` tell, in the order in which writes began and syncs ended.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// The path of the folder that is watched, with a slash at the end.
    folder: String,
    unfinished: Unfinished,
    pub(crate) steps: Vec<Step>,
}

impl Steps {
    /// None yet, of a folder whose path is given with a slash at the end.
    pub(crate) fn of_folder(folder: String) -> Steps {
        Steps { folder, ..Steps::default() }
    }

    /// Takes the next line.
    pub(crate) fn take(&mut self, line: &str) {
        let step = step(line, &self.folder, &mut self.unfinished);
        self.steps.extend(step);
    }
}

fn step(line: &str, folder: &str, unfinished: &mut Unfinished) -> Option<Step> {
    let (thread, rest) = line.split_once(' ')?;
    let rest = rest.trim_start();
    if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
        // A write may be on the disk from now on; a sync is complete when the call ends.
        if begun.starts_with("fsync") || begun.starts_with("fdatasync") {
            unfinished.insert(thread.to_owned(), begun.to_owned());
            return None;
        }
        return call(begun, folder);
    }
    if rest.starts_with("<...") {
        let begun = unfinished.remove(thread)?;
        return ended(&begun, is_success(rest), folder);
    }
    ended(rest, is_success(rest), folder)
}

/// Returns the step of a call that has ended.
fn ended(text: &str, is_success: bool, folder: &str) -> Option<Step> {
    let step = call(text, folder)?;
    match step {
        Step::Sync { file } if !is_success => Some(Step::FailedSync { file }),
        step => is_success.then_some(step),
    }
}

/// Whether a line ends with a result that is no error.
fn is_success(line: &str) -> bool {
    line.rsplit_once(" = ").is_some_and(|(_, result)| !result.trim_start().starts_with('-'))
}

fn call(text: &str, folder: &str) -> Option<Step> {
    let (name, arguments) = text.split_once('(')?;
    if name == "unlink" || name == "unlinkat" {
        let (_, quoted) = arguments.split_once('"')?;
        let (path, _) = quoted.split_once('"')?;
        return Some(Step::Remove { file: within(path, folder)? });
    }
    if name.starts_with("rename") {
        let mut paths = arguments.split('"').skip(1).step_by(2).map(|path| within(path, folder));
        return Some(Step::Rename { file: paths.next()??, to: paths.next()?? });
    }
    let (_, described) = arguments.split_once('<')?;
    let (path, rest) = described.split_once('>')?;
    let file = within(path, folder)?;
    match name {
        "fsync" | "fdatasync" => Some(Step::Sync { file }),
        "ftruncate" => {
            let length = rest.trim_start_matches([',', ' ']);
            let digits = length.split(|letter: char| !letter.is_ascii_digit()).next()?;
            Some(Step::Truncate { file, length: digits.parse().ok()? })
        }
        "write" | "pwrite64" => {
            let (_, quoted) = rest.split_once('"')?;
            let (hex, rest) = quoted.split_once('"')?;
            let bytes = unescaped(hex);
            let offset = match name {
                "write" => None,
                _ => {
                    let numbers = rest.split(|letter: char| !letter.is_ascii_digit());
                    let numbers: Vec<u64> =
                        numbers.filter_map(|digits| digits.parse().ok()).collect();
                    Some(*numbers.get(1)?)
                }
            };
            Some(Step::Write { file, offset, bytes })
        }
        _ => None,
    }
}

/// The name of a file in the folder; none for other files.
fn within(escaped: &str, folder: &str) -> Option<String> {
    let path = String::from_utf8(unescaped(escaped)).ok()?;
    path.strip_prefix(folder).map(str::to_owned)
}

/// Bytes written as `\x2f\x74`; letters that are not escaped stand for themselves.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = match *rest {
            [b'\\', b'x', high, low, ..] => digit(high).zip(digit(low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = &rest[4..];
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    bytes
}

/// The value of a hexadecimal digit.
const fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r"5<\x2f\x74\x2f\x61>";

    fn of(lines: &[String]) -> Vec<Step> {
        let mut steps = Steps::of_folder("/t/".to_owned());
        lines.iter().for_each(|line| steps.take(line));
        steps.steps
    }

    #[test]
    fn writes_and_syncs_of_the_watched_folder_are_told_in_order() {
        let lines = [
            format!(r#"7   pwrite64({FILE}, "\x41\x42", 2, 4096) = 2"#),
            r#"7   write(1</dev/null>, "\x41", 1) = 1"#.to_owned(),
            format!("7   fdatasync({FILE}) = 0"),
            format!("7   ftruncate({FILE}, 12) = 0"),
            r#"8   rename("\x2f\x74\x2f\x61", "\x2f\x74\x2f\x62") = 0"#.to_owned(),
            r#"8   unlink("\x2f\x74\x2f\x61") = 0"#.to_owned(),
        ];
        let file = || "a".to_owned();
        let expected = [
            Step::Write { file: file(), offset: Some(4096), bytes: b"AB".to_vec() },
            Step::Sync { file: file() },
            Step::Truncate { file: file(), length: 12 },
            Step::Rename { file: file(), to: "b".to_owned() },
            Step::Remove { file: file() },
        ];
        assert_eq!(of(&lines), expected);
    }

    #[test]
    fn a_call_that_another_thread_interrupts_writes_when_it_begins_and_syncs_when_it_ends() {
        let lines = [
            format!("7   fdatasync({FILE} <unfinished ...>"),
            format!(r#"8   pwrite64({FILE}, "\x41", 1, 0 <unfinished ...>"#),
            "7   <... fdatasync resumed>) = 0".to_owned(),
            "8   <... pwrite64 resumed>) = 1".to_owned(),
        ];
        let found = of(&lines);
        assert!(matches!(found[..], [Step::Write { .. }, Step::Sync { .. }]), "{found:?}");
    }

    #[test]
    fn a_call_that_failed_did_nothing_and_a_sync_that_failed_is_told() {
        let lines = [
            format!(r#"7   pwrite64({FILE}, "\x41", 1, 0) = -1 ENOSPC (No space left on device)"#),
            format!("7   fsync({FILE}) = -1 EIO (Input/output error) (INJECTED)"),
        ];
        assert_eq!(of(&lines), [Step::FailedSync { file: "a".to_owned() }]);
    }
}
