//! Whole files of the formats, from and to memory: the callers do the reading and writing.

use serde::Serialize;

use super::{Reading, TraceFileError, TraceHeader, header::TRACE_VERSION};

/// A trace: its header and its readings in file order.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The first line.
    pub header: TraceHeader,
    /// All other lines.
    pub readings: Vec<Reading>,
}

/// Reads a trace. Blank lines are passed over; every line that is no reading is an error of its own,
/// and the readings around it are kept, so that a file cut in the middle still tells what it can.
///
/// # Errors
///
/// The file is empty, or its first line is no trace header of version 1.
pub fn read_trace(bytes: &[u8]) -> Result<(Trace, Vec<TraceFileError>), TraceFileError> {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    let (_, first) = lines.next().ok_or(TraceFileError::Empty)?;
    let header: TraceHeader =
        serde_json::from_slice(first).map_err(|error| TraceFileError::Header(error.to_string()))?;
    if header.twinboard != "trace" || header.version != TRACE_VERSION {
        return Err(TraceFileError::Header(format!(
            "it says {:?} version {}",
            header.twinboard, header.version
        )));
    }
    let (mut readings, mut errors) = (Vec::new(), Vec::new());
    for (line, text) in lines {
        match serde_json::from_slice(text) {
            Ok(reading) => readings.push(reading),
            Err(error) => errors.push(TraceFileError::Line { line, reason: error.to_string() }),
        }
    }
    Ok((Trace { header, readings }, errors))
}

/// Writes readings, truth or inferred lines, one JSON object a line.
///
/// # Errors
///
/// A value that JSON cannot hold, such as a probability that is no number.
pub fn write_lines<T: Serialize>(lines: &[T]) -> serde_json::Result<String> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&serde_json::to_string(line)?);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"twinboard":"trace","version":1,"match":"g012","rulebook":"us-chess-bughouse-2018","base_s":300,"delay_s":0,"boards":{"A":{"sensor":"reed","trays":false}}}"#;

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let text = format!(
            "{HEADER}\n{}\n{}\n",
            r#"{"t_us":0,"board":"A","kind":"snapshot","occupied":"ffff00000000ffff"}"#,
            r#"{"t_us":9,"kind":"end"}"#
        );
        let (trace, errors) = read_trace(text.as_bytes()).expect("a header");
        assert!(errors.is_empty());
        assert_eq!(trace.readings.len(), 2);
        let header = write_lines(&[trace.header]).expect("numbers");
        assert_eq!(header + &write_lines(&trace.readings).expect("numbers"), text);
    }

    #[test]
    fn a_line_cut_in_the_middle_is_named_and_the_others_are_kept() {
        let text = format!("{HEADER}\n{{\"t_us\":0,\"boa\n{{\"t_us\":9,\"kind\":\"end\"}}\n");
        let (trace, errors) = read_trace(text.as_bytes()).expect("a header");
        assert_eq!(trace.readings.len(), 1);
        assert!(matches!(errors.as_slice(), [TraceFileError::Line { line: 2, .. }]));
    }

    #[test]
    fn a_file_without_a_header_of_version_1_is_refused() {
        assert!(matches!(read_trace(b""), Err(TraceFileError::Empty)));
        assert!(matches!(read_trace(b"\n{}\n"), Err(TraceFileError::Header(_))));
        let newer = HEADER.replace("\"version\":1", "\"version\":2");
        let error = read_trace(newer.as_bytes()).expect_err("another version");
        assert!(error.to_string().contains("version 2"), "{error}");
    }
}
