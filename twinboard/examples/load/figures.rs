//! Figures of a run: printed, and kept as CSV.

use std::{fmt::Display, fs::File, io::Write as _, path::PathBuf, time::Duration};

use crate::{Outcome, times::Times};

/// The columns of the file.
const HEADER: &str = "program,part,tables,streams,directors,figure,unit,value";

/// Takes the figures of a part.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    /// File to which they are added.
    pub(crate) file: Option<PathBuf>,
    /// Name of the program that is measured.
    pub(crate) program: String,
    pub(crate) part: &'static str,
    pub(crate) tables: usize,
    pub(crate) streams: usize,
    pub(crate) directors: usize,
}

impl Figures {
    /// Keeps a figure.
    pub(crate) fn keep(&self, figure: &str, unit: &str, value: impl Display) -> Outcome<()> {
        let Figures { program, part, tables, streams, directors, .. } = self;
        println!("{program} {part}, {tables} tables, {streams} streams: {figure} {value} {unit}");
        let Some(path) = &self.file else { return Ok(()) };
        let is_new = !path.exists();
        let mut file = File::options().create(true).append(true).open(path)?;
        if is_new {
            writeln!(file, "{HEADER}")?;
        }
        // Figures have names with commas.
        let row = format_args!("{tables},{streams},{directors},\"{figure}\",{unit},{value}");
        writeln!(file, "{program},\"{part}\",{row}")?;
        Ok(())
    }

    /// Keeps the median, the 99th percentile, the longest and the number of some times.
    pub(crate) fn times(&self, figure: &str, times: &Times) -> Outcome<()> {
        for (name, part) in [("p50", 0.5), ("p99", 0.99), ("longest", 1.0)] {
            self.ms(&format!("{figure} {name}"), times.quantile(part))?;
        }
        self.keep(&format!("{figure} count"), "times", times.len())
    }

    /// Keeps a time.
    pub(crate) fn ms(&self, figure: &str, time: Duration) -> Outcome<()> {
        self.keep(figure, "ms", format_args!("{:.1}", time.as_secs_f64() * 1e3))
    }
}
