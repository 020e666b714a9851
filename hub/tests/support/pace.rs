//! Whether this machine keeps time while people are played in real time: hands that are late play what nobody plays, and prove nothing.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Runs of a match, where the machine is too busy to play it in time.
pub const ATTEMPTS: u32 = 3;
/// A machine that sleeps so much too long plays hands that nobody has: a piece is lifted when it should stand already.
const OVERSLEPT_MAX: Duration = Duration::from_millis(60);

/// Watches whether this machine keeps time while a match is played.
pub struct Pace {
    stop: CancellationToken,
    watch: std::thread::JoinHandle<Duration>,
}

impl Pace {
    /// Begins to watch.
    pub fn start() -> Pace {
        const NAP: Duration = Duration::from_millis(5);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let watch = std::thread::spawn(move || {
            let mut worst = Duration::ZERO;
            while !stopped.is_cancelled() {
                let begin = Instant::now();
                std::thread::sleep(NAP);
                worst = worst.max(begin.elapsed().saturating_sub(NAP));
            }
            worst
        });
        Pace { stop, watch }
    }

    /// A run came out wrong. It is to be made once more if the machine was late and this was not the last attempt; otherwise this panics with
    /// what is wrong.
    pub fn excuses(self, wrong: &str, attempt: u32) {
        self.stop.cancel();
        let worst = self.watch.join().unwrap();
        assert!(
            worst > OVERSLEPT_MAX && attempt < ATTEMPTS,
            "{wrong} (this machine slept {worst:?} too long at most)"
        );
        println!(
            "this machine slept {worst:?} too long, so hands were late and the run proves nothing ({wrong}): once more"
        );
    }
}
