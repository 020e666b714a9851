//! The chart of the page: one bar for each row, as SVG that takes its colours from light or dark surroundings.

use std::fmt::Write as _;

const ROW_PX: usize = 24;
const NAME_PX: usize = 260;
const BAR_PX: f64 = 400.0;
const STYLE: &str = "text{font:13px sans-serif;fill:#222}rect{fill:#3b6ea8}\
    @media(prefers-color-scheme:dark){text{fill:#ddd}rect{fill:#7aa7d9}}";

/// Bars from 0 to 100 %, each with its name on the left and its value behind it. Shares from 0 to 1.
pub(super) fn bars(shares: &[(String, f64)]) -> String {
    let height = ROW_PX * shares.len();
    let width = NAME_PX + BAR_PX as usize + 70;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n<style>{STYLE}</style>\n"
    );
    for (row, (name, share)) in shares.iter().enumerate() {
        let (top, base) = (row * ROW_PX + 4, row * ROW_PX + 17);
        let bar = BAR_PX * share;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{name}</text>\
             <rect x=\"{NAME_PX}\" y=\"{top}\" width=\"{bar:.1}\" height=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{base}\">{:.0} %</text>",
            NAME_PX - 8,
            ROW_PX - 8,
            NAME_PX as f64 + bar + 6.0,
            100.0 * share
        );
    }
    svg + "</svg>\n"
}
