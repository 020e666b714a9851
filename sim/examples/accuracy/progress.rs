//! A bar on a terminal; a line every so often where there is none, as in a log.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Lines that a run leaves in a log.
const LOG_LINES: usize = 20;

/// Progress over performances.
pub(crate) struct Progress {
    bar: ProgressBar,
    done: AtomicUsize,
    what: &'static str,
    all: usize,
    began: Instant,
}

/// Progress over so many performances, of which this is done.
pub(crate) fn over(what: &'static str, all: usize) -> Progress {
    // indicatif draws nothing when stderr is no terminal.
    let bar = ProgressBar::with_draw_target(u64::try_from(all).ok(), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(
        "{prefix} {wide_bar} {pos}/{len} performances  {elapsed} (left {eta})",
    );
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(what);
    Progress { bar, done: AtomicUsize::new(0), what, all, began: Instant::now() }
}

impl Progress {
    /// One more.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.bar.is_hidden()
            && (done * LOG_LINES) / self.all > ((done - 1) * LOG_LINES) / self.all
        {
            let elapsed_s = self.began.elapsed().as_secs();
            let left_s = elapsed_s * (self.all - done) as u64 / done as u64;
            eprintln!(
                "{}: {done} of {} performances, {elapsed_s} s, {left_s} s left",
                self.what, self.all
            );
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
