//! The hub's log in this process.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::io::Write;
use std::sync::{Mutex, Once, PoisonError};

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static SUBSCRIBE: Once = Once::new();

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Collects the log; call it before the hub starts.
pub fn collect_log() {
    SUBSCRIBE.call_once(|| {
        tracing_subscriber::fmt().with_ansi(false).with_writer(|| Log).init();
    });
}

/// The lines of the log that hold all of `parts`.
pub fn logged(parts: &[&str]) -> Vec<String> {
    let log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(&log);
    let holds = |line: &&str| parts.iter().all(|part| line.contains(part));
    text.lines().filter(holds).map(str::to_owned).collect()
}
