//! Builds for the later suites while the earlier ones run: many tests wait for clocks and lines, and the processors would be
//! idle.
//!
//! At the lowest priority, so that hardly any test is slower for it. A build that fails here fails again in its suite, which tells
//! of it; what is not ready by then is built there.

use std::process::{Child, Command, Stdio};

use crate::{images, machines};

/// The task by which this program starts itself.
pub(crate) const TASK: &str = "ahead";
/// Priority of its builds: the lowest.
const NICENESS: &str = "19";

/// The builds under way, which end with this.
pub(crate) struct Ahead(Option<Child>);

impl Ahead {
    /// Begins to build. Where that cannot be started, nothing is built ahead.
    pub(crate) fn start() -> Ahead {
        let started = std::env::current_exe().and_then(|program| {
            Command::new("nice")
                .args(["-n", NICENESS])
                .arg(program)
                .arg(TASK)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
        });
        Ahead(started.ok())
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // It has mostly ended by itself long ago.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Builds what the comparison of machines and the packages need, and the firmware's images.
pub(crate) fn run() -> Result<(), String> {
    let machines = machines::build();
    images::build().and(machines)
}
