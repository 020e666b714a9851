//! Progress of long work: a bar on stderr, only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over `matches` matches that also shows a rate of plies a second.
pub(crate) fn over_matches(matches: usize, doing: &'static str) -> ProgressBar {
    // indicatif draws nothing when stderr is no terminal.
    let bar = ProgressBar::with_draw_target(
        Some(u64::try_from(matches).unwrap_or(u64::MAX)),
        ProgressDrawTarget::stderr(),
    );
    let style = ProgressStyle::with_template(
        "{prefix} {wide_bar} {pos}/{len} matches  {msg}  {elapsed} (left {eta})",
    )
    .unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    bar.set_prefix(doing);
    bar
}
