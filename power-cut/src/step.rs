//! One thing that a program did to its files, as `strace -f -y -xx` says it.

use std::collections::HashMap;

/// Something that happened to a file, by its name within the folder that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Bytes were written at an offset; none for the end of the file.
    Write { file: String, offset: Option<u64>, bytes: Vec<u8> },
    /// The file was cut, or stretched, to a length.
    Truncate { file: String, length: u64 },
    /// All that was written to the file is on the disk.
    Sync { file: String },
    /// The file was removed.
    Remove { file: String },
}

/// A call whose end comes on a later line, by the thread that made it.
type Unfinished = HashMap<String, String>;

/// The steps that lines of `strace` tell, in the order in which writes began and syncs ended. `folder` is the path of the folder
/// that is watched, with a slash at the end.
pub(crate) fn steps<'a>(lines: impl Iterator<Item = &'a str>, folder: &str) -> Vec<Step> {
    let mut unfinished = Unfinished::new();
    lines.filter_map(|line| step(line, folder, &mut unfinished)).collect()
}

fn step(line: &str, folder: &str, unfinished: &mut Unfinished) -> Option<Step> {
    let (thread, rest) = line.split_once(' ')?;
    let rest = rest.trim_start();
    if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
        // What is written may be on the disk from now on; what is synced is there when the call ends.
        if begun.starts_with("fsync") || begun.starts_with("fdatasync") {
            unfinished.insert(thread.to_owned(), begun.to_owned());
            return None;
        }
        return call(begun, folder);
    }
    if rest.starts_with("<...") {
        let begun = unfinished.remove(thread)?;
        return if is_success(rest) { call(&begun, folder) } else { None };
    }
    if is_success(rest) { call(rest, folder) } else { None }
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
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let escaped = rest.strip_prefix("\\x").and_then(|hex| hex.get(..2));
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            None => {
                let mut buffer = [0; 4];
                bytes.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r"5<\x2f\x74\x2f\x61>";

    fn of(lines: &[String]) -> Vec<Step> {
        steps(lines.iter().map(String::as_str), "/t/")
    }

    #[test]
    fn writes_and_syncs_of_the_watched_folder_are_told_in_order() {
        let lines = [
            format!(r#"7   pwrite64({FILE}, "\x41\x42", 2, 4096) = 2"#),
            r#"7   write(1</dev/null>, "\x41", 1) = 1"#.to_owned(),
            format!("7   fdatasync({FILE}) = 0"),
            format!("7   ftruncate({FILE}, 12) = 0"),
            r#"8   unlink("\x2f\x74\x2f\x61") = 0"#.to_owned(),
        ];
        let file = || "a".to_owned();
        let expected = [
            Step::Write { file: file(), offset: Some(4096), bytes: b"AB".to_vec() },
            Step::Sync { file: file() },
            Step::Truncate { file: file(), length: 12 },
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
    fn a_call_that_failed_did_nothing() {
        let lines = [format!("7   fdatasync({FILE}) = -1 EIO (Input/output error) (INJECTED)")];
        assert!(of(&lines).is_empty());
    }
}
