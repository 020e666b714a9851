//! The report as people read it: a block per group, the tracker and the hobby board side by side.

use std::fmt::{self, Display, Formatter};

use super::{ByStage, Calibration, GroupReport, MatchReport, Report, Score, Share};

/// Width of the row names.
const NAME_WIDTH: usize = 27;
/// Width of a column of figures.
const COLUMN_WIDTH: usize = 40;
/// Numbers of questions after which matches that are exact are shown.
const SHOWN_QUESTIONS: [usize; 3] = [1, 3, 5];
/// Number of matches that are listed by name.
const LISTED_MATCHES: usize = 12;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, group) in self.groups.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write_group(f, group)?;
        }
        if !self.groups.is_empty() {
            writeln!(f, "\nIn brackets: 95 % intervals (Wilson), plies taken for independent.")?;
        }
        Ok(())
    }
}

fn write_group(f: &mut Formatter<'_>, group: &GroupReport) -> fmt::Result {
    let of = &group.tracker;
    writeln!(
        f,
        "{}: {}, {}, {}, {}",
        group.name,
        counted(of.lost.of, "match", "matches"),
        counted(of.plies.end.of, "ply", "plies"),
        counted(of.drop_types.end.of, "drop", "drops"),
        counted(of.promotion_types.end.of, "promotion", "promotions")
    )?;
    match &group.baseline {
        Some(baseline) if baseline.lost.of != of.lost.of => {
            row(f, "", "tracker", Some(&format!("hobby board ({} matches)", baseline.lost.of)))?;
        }
        Some(_) => row(f, "", "tracker", Some("hobby board"))?,
        None => row(f, "", "tracker", None)?,
    }
    write_rows(f, group)?;
    write_answered(f, group)?;
    write_reliability(f, "all answers", &of.calibration)?;
    write_reliability(f, "answers that are drops", &of.drop_calibration)?;
    write_anomalies(f, of)?;
    write_matches(f, "lost", group, |entry| entry.tracker.lost.right > 0)?;
    write_matches(f, "lost live", group, |entry| entry.tracker.lost_live.right > 0)?;
    write_matches(f, "not exact in squares", group, |entry| {
        entry.tracker.exact_in_squares.right == 0
    })
}

fn write_rows(f: &mut Formatter<'_>, group: &GroupReport) -> fmt::Result {
    let mut figures = |name: &str, figure: &dyn Fn(&Score) -> String| {
        let baseline = group.baseline.as_ref().map(figure);
        row(f, name, &figure(&group.tracker), baseline.as_deref())
    };
    figures("matches lost", &|score| share(score.lost))?;
    figures("  lost live", &|score| share(score.lost_live))?;
    figures("  exact", &|score| share(score.exact))?;
    figures("  exact in squares", &|score| share(score.exact_in_squares))?;
    type Shares = fn(&Score) -> ByStage<Share>;
    let kinds: [(&str, Shares); 4] = [
        ("plies right", |score| score.plies),
        ("right in squares", |score| score.squares),
        ("drop types", |score| score.drop_types),
        ("promotion types", |score| score.promotion_types),
    ];
    for (name, shares) in kinds {
        if shares(&group.tracker).end.of == 0 {
            continue;
        }
        figures(&format!("{name}: live"), &|score| share(shares(score).live))?;
        figures("  8 plies later", &|score| share(shares(score).lag8))?;
        figures("  at the end", &|score| share(shares(score).end))?;
    }
    figures("plies missed", &|score| score.missed.to_string())?;
    figures("  misread", &|score| score.misread.to_string())?;
    figures("  invented", &|score| score.invented.to_string())?;
    figures("live answer after", &delay)?;
    figures("Brier score: all plies", &|score| brier(&score.calibration))?;
    figures("  drops", &|score| brier(&score.drop_calibration))
}

fn write_answered(f: &mut Formatter<'_>, group: &GroupReport) -> fmt::Result {
    let Some(answered) = &group.answered else { return Ok(()) };
    for questions in SHOWN_QUESTIONS {
        let Some(exact) = answered.exact_after(questions) else { continue };
        let name = format!("exact after {}", counted(questions as u64, "question", "questions"));
        row(f, &name, &share(exact), None)?;
    }
    Ok(())
}

fn row(f: &mut Formatter<'_>, name: &str, tracker: &str, baseline: Option<&str>) -> fmt::Result {
    let line =
        format!("  {name:<NAME_WIDTH$}{tracker:<COLUMN_WIDTH$}{}", baseline.unwrap_or_default());
    writeln!(f, "{}", line.trim_end())
}

fn share(share: Share) -> String {
    let (Some(value), Some((low, high))) = (share.value(), share.wilson_95()) else {
        return "none".to_owned();
    };
    format!(
        "{:>5} of {:<5} {:>5.1} % ({:.1}–{:.1})",
        share.right,
        share.of,
        100.0 * value,
        100.0 * low,
        100.0 * high
    )
}

fn delay(score: &Score) -> String {
    let seconds = |share| score.live_delay.quantile_us(share).map(|us| us as f64 / 1e6);
    match (seconds(0.5), seconds(0.95)) {
        (Some(median), Some(most)) => format!("{median:.2} s (median), {most:.2} s (95 %)"),
        _ => "none".to_owned(),
    }
}

fn brier(calibration: &ByStage<Calibration>) -> String {
    let figures = [&calibration.live, &calibration.lag8, &calibration.end].map(Calibration::brier);
    match figures {
        [Some(live), Some(lag8), Some(end)] => {
            format!("{live:.4} live, {lag8:.4} later, {end:.4} end")
        }
        [.., Some(end)] => format!("{end:.4} end"),
        _ => "none".to_owned(),
    }
}

/// A count with its noun, in the singular where it must be.
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn write_reliability(
    f: &mut Formatter<'_>,
    which: &str,
    calibration: &ByStage<Calibration>,
) -> fmt::Result {
    if calibration.end.answers() + calibration.live.answers() == 0 {
        return Ok(());
    }
    writeln!(f, "  {which}, by stated probability: how many, mean stated, found right")?;
    let cell = |stage: &Calibration, index: usize| match stage.bins.get(index) {
        Some(bin) if bin.answers > 0 => {
            let answers = bin.answers as f64;
            format!(
                "{:>6} {:>6.1} % {:>6.1} %",
                bin.answers,
                100.0 * bin.sum_p / answers,
                100.0 * bin.right as f64 / answers
            )
        }
        _ => String::new(),
    };
    row(f, "", "live", Some("at the end"))?;
    for (index, bin) in calibration.end.bins.iter().enumerate() {
        let (live, end) = (cell(&calibration.live, index), cell(&calibration.end, index));
        if live.is_empty() && end.is_empty() {
            continue;
        }
        row(f, &format!("  from {:.1} %", 100.0 * bin.from), &live, Some(&end))?;
    }
    Ok(())
}

fn write_anomalies(f: &mut Formatter<'_>, score: &Score) -> fmt::Result {
    if score.anomalies.is_empty() {
        return Ok(());
    }
    row(
        f,
        "anomalies",
        "reports that were true",
        Some(&format!("{:<COLUMN_WIDTH$}false reports a match", "events that were reported")),
    )?;
    for (code, anomaly) in &score.anomalies {
        let Share { right, of } = anomaly.precision;
        let false_reports = (of - right) as f64 / score.lost.of.max(1) as f64;
        let rest = format!("{:<COLUMN_WIDTH$}{false_reports:.3}", share(anomaly.recall));
        row(f, &format!("  {code}"), &share(anomaly.precision), Some(&rest))?;
    }
    Ok(())
}

fn write_matches(
    f: &mut Formatter<'_>,
    what: &str,
    group: &GroupReport,
    listed: impl Fn(&MatchReport) -> bool,
) -> fmt::Result {
    let names: Vec<&str> = group
        .matches
        .iter()
        .filter(|&entry| listed(entry))
        .map(|entry| entry.id.as_str())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let shown = names[..names.len().min(LISTED_MATCHES)].join(", ");
    let more = names.len().saturating_sub(LISTED_MATCHES);
    match more {
        0 => writeln!(f, "  {what}: {shown}"),
        _ => writeln!(f, "  {what}: {shown} and {more} more"),
    }
}
