//! Scores folders of truth and inferred files.
//!
//! `<match>.truth.jsonl` is paired with `<match>.inferred.jsonl` of the same relative folder. Each
//! folder is a group of its own, named by its path, so that `truth/club` and `truth/scholastic` are
//! reported apart. Where `<match>.trace.jsonl` lies beside the truth, the hobby board is scored too.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use inference::TrackerConfig;
use readings::{Reading, TraceHeader};
use serde::de::DeserializeOwned;

use super::{Answered, MatchRecord, Report, ScoreError, interview};
use crate::baseline;

/// End of a truth file's name.
const TRUTH: &str = ".truth.jsonl";
/// Folders deeper than this are not looked into.
const MAX_DEPTH: usize = 4;
/// Size above which a file is refused, bytes: a long match's trace has about one million.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Files that cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoreFilesError {
    /// A file or folder cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A file is larger than any match makes it.
    #[error("{}: {bytes} bytes are over the limit of {MAX_FILE_BYTES}: is this one match?", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// A line is not what the format says.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Reason.
        reason: String,
    },
    /// There is nothing to score.
    #[error("{}: no file ends with {TRUTH}: this should be the folder `twinboard sim` wrote", path.display())]
    NoTruth {
        /// The folder.
        path: PathBuf,
    },
    /// A match was not inferred.
    #[error("{}: there is no such file for {}: run `twinboard infer` on the match's trace first", inferred.display(), truth.display())]
    NotInferred {
        /// The truth.
        truth: PathBuf,
        /// The file that should be there.
        inferred: PathBuf,
    },
    /// The lines cannot be scored.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// Scores every match of `truth_dir`. `progress` gets the number of finished matches, and of all.
///
/// With `questions`, the matches whose trace lies beside the truth are inferred in this process as well, and a
/// person who knows the truth answers so many questions about each (see [`interview`]).
///
/// # Errors
///
/// The first file that is missing, unreadable or malformed, by name and line.
pub fn score_directories(
    truth_dir: &Path,
    inferred_dir: &Path,
    questions: usize,
    mut progress: impl FnMut(usize, usize),
) -> Result<Report, ScoreFilesError> {
    let mut groups: Vec<(PathBuf, Vec<String>)> = Vec::new();
    find_groups(truth_dir, Path::new(""), 0, &mut groups)?;
    let total = groups.iter().map(|(_, ids)| ids.len()).sum();
    if total == 0 {
        return Err(ScoreFilesError::NoTruth { path: truth_dir.to_owned() });
    }
    let mut report = Report::default();
    let mut done = 0;
    for (folder, ids) in groups {
        let mut records = Vec::with_capacity(ids.len());
        let mut answered: Option<Answered> = None;
        for id in ids {
            let (record, trace) =
                read_match(&truth_dir.join(&folder), &inferred_dir.join(&folder), id)?;
            if let Some((header, readings)) = trace.filter(|_| questions > 0) {
                let config = TrackerConfig::default();
                let rounds = interview(&header, &readings, &config, &record.truth, questions);
                let one = Answered::score(&record.id, &record.truth, &rounds)?;
                *answered.get_or_insert_default() += &one;
            }
            records.push(record);
            done += 1;
            progress(done, total);
        }
        report.add(&group_name(truth_dir, &folder), &records)?;
        if let Some(group) = report.groups.last_mut() {
            group.answered = answered;
        }
    }
    Ok(report)
}

/// The folder's relative path; for the top folder its own name.
fn group_name(truth_dir: &Path, folder: &Path) -> String {
    let top = || truth_dir.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy());
    if folder.as_os_str().is_empty() { top().into_owned() } else { folder.display().to_string() }
}

/// Match identifiers by folder, both in alphabetical order.
fn find_groups(
    top: &Path,
    folder: &Path,
    depth: usize,
    groups: &mut Vec<(PathBuf, Vec<String>)>,
) -> Result<(), ScoreFilesError> {
    let path = top.join(folder);
    let failed = |error| ScoreFilesError::Io { path: path.clone(), error };
    let (mut ids, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if entry.file_type().map_err(failed)?.is_dir() {
            folders.push(folder.join(name));
        } else if let Some(id) = name.to_str().and_then(|name| name.strip_suffix(TRUTH)) {
            ids.push(id.to_owned());
        }
    }
    ids.sort();
    folders.sort();
    if !ids.is_empty() {
        groups.push((folder.to_owned(), ids));
    }
    for folder in folders.iter().filter(|_| depth < MAX_DEPTH) {
        find_groups(top, folder, depth + 1, groups)?;
    }
    Ok(())
}

/// A trace: header and readings.
type Trace = (TraceHeader, Vec<Reading>);

fn read_match(
    truth_dir: &Path,
    inferred_dir: &Path,
    id: String,
) -> Result<(MatchRecord, Option<Trace>), ScoreFilesError> {
    let truth_path = truth_dir.join(format!("{id}{TRUTH}"));
    let inferred_path = inferred_dir.join(format!("{id}.inferred.jsonl"));
    if !inferred_path.exists() {
        return Err(ScoreFilesError::NotInferred { truth: truth_path, inferred: inferred_path });
    }
    let trace_path = truth_dir.join(format!("{id}.trace.jsonl"));
    let trace = match trace_path.exists() {
        true => {
            let text = read_text(&trace_path)?;
            let (header, readings) = text.split_once('\n').unwrap_or((&text, ""));
            let headers = parse_lines::<TraceHeader>(&trace_path, header, 1)?;
            let readings = parse_lines::<Reading>(&trace_path, readings, 2)?;
            headers.into_iter().next().map(|header| (header, readings))
        }
        false => None,
    };
    let baseline = trace.as_ref().map(|(_, readings)| baseline::track(readings));
    let record = MatchRecord {
        truth: parse_lines(&truth_path, &read_text(&truth_path)?, 1)?,
        inferred: parse_lines(&inferred_path, &read_text(&inferred_path)?, 1)?,
        baseline,
        id,
    };
    Ok((record, trace))
}

fn read_text(path: &Path) -> Result<String, ScoreFilesError> {
    let failed = |error| ScoreFilesError::Io { path: path.to_owned(), error };
    let bytes = fs::metadata(path).map_err(failed)?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(ScoreFilesError::TooLarge { path: path.to_owned(), bytes });
    }
    fs::read_to_string(path).map_err(failed)
}

/// Parses JSON Lines; `first` is the number of the first line. Empty lines are passed over.
fn parse_lines<T: DeserializeOwned>(
    path: &Path,
    text: &str,
    first: usize,
) -> Result<Vec<T>, ScoreFilesError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| ScoreFilesError::Line {
                path: path.to_owned(),
                line: first + index,
                reason: error.to_string(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLY: &str =
        r#"{"kind":"ply","n":1,"board":"A","side":"white","uci":"e2e4","t_us":100,"legal":true}"#;
    const INFERRED: &str = r#"{"kind":"ply","n":1,"board":"A","side":"white","t_us":100,"uci":"e2e4","p":0.9,"legal":true}"#;
    const TRACE: &str = r#"{"twinboard":"trace","version":1,"match":"g1","rulebook":"us-chess-bughouse-2018","base_s":300,"boards":{"A":{"sensor":"reed"},"B":{"sensor":"reed"}}}
{"t_us":50,"board":"A","kind":"square","square":"e2","reading":"empty"}
{"t_us":60,"board":"A","kind":"square","square":"e4","reading":"occupied"}
{"t_us":100,"board":"A","kind":"press","by":"white"}
{"t_us":200,"kind":"end"}
"#;

    fn hall() -> tempfile::TempDir {
        let hall = tempfile::tempdir().unwrap();
        for folder in ["truth/club", "truth/ideal", "inferred/club", "inferred/ideal"] {
            fs::create_dir_all(hall.path().join(folder)).unwrap();
        }
        for (file, text) in [
            ("truth/club/g1.truth.jsonl", PLY),
            ("truth/club/g1.trace.jsonl", TRACE),
            ("truth/ideal/g2.truth.jsonl", PLY),
            ("inferred/club/g1.inferred.jsonl", INFERRED),
            ("inferred/ideal/g2.inferred.jsonl", INFERRED),
        ] {
            fs::write(hall.path().join(file), text).unwrap();
        }
        hall
    }

    fn scored(hall: &tempfile::TempDir) -> Result<Report, ScoreFilesError> {
        score_directories(&hall.path().join("truth"), &hall.path().join("inferred"), 5, |_, _| {})
    }

    #[test]
    fn each_folder_is_a_group_and_a_trace_gives_the_hobby_board() {
        let report = scored(&hall()).unwrap();
        let names: Vec<&str> = report.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["club", "ideal"]);
        assert_eq!(report.groups[0].baseline.as_ref().unwrap().exact.right, 1);
        assert!(report.groups[1].baseline.is_none());
        let answered = report.groups[0].answered.as_ref().unwrap();
        assert_eq!(answered.exact_after(5).unwrap().right, 1);
        assert!(report.groups[1].answered.is_none(), "there is no trace to ask about");
        assert_eq!(report.groups[1].tracker.plies.end.right, 1);
    }

    #[test]
    fn match_that_was_not_inferred_is_named() {
        let hall = hall();
        fs::remove_file(hall.path().join("inferred/ideal/g2.inferred.jsonl")).unwrap();
        let error = scored(&hall).unwrap_err().to_string();
        assert!(error.contains("ideal/g2.inferred.jsonl"), "{error}");
        assert!(error.contains("run `twinboard infer`"), "{error}");
    }

    #[test]
    fn malformed_line_is_named_with_its_file_and_number() {
        let hall = hall();
        fs::write(hall.path().join("truth/club/g1.trace.jsonl"), format!("{TRACE}\n{{\"t_us\":"))
            .unwrap();
        let error = scored(&hall).unwrap_err().to_string();
        assert!(error.contains("g1.trace.jsonl, line 7: "), "{error}");
    }

    #[test]
    fn folder_without_truth_says_what_it_should_be() {
        let empty = tempfile::tempdir().unwrap();
        let error = score_directories(empty.path(), empty.path(), 0, |_, _| {}).unwrap_err();
        assert!(error.to_string().contains("no file ends with .truth.jsonl"), "{error}");
    }
}
