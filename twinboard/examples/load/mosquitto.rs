//! Mosquitto, for comparison.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::Outcome;

/// Longest wait until it listens.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running Mosquitto; ends when dropped.
pub(crate) struct Mosquitto {
    pub(crate) port: u16,
    child: Child,
}

impl Mosquitto {
    pub(crate) fn start(folder: &Path) -> Outcome<Mosquitto> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let file = folder.join("mosquitto.conf");
        // Without TCP_NODELAY it would wait for more to send, as ours does not.
        let text = format!(
            "listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\nlog_type error\n"
        );
        fs::write(&file, text)?;
        let start =
            |program| Command::new(program).arg("-c").arg(&file).stderr(Stdio::null()).spawn();
        let child = start("mosquitto").or_else(|_| start("/usr/sbin/mosquitto"));
        let child = child.map_err(|error| format!("mosquitto cannot be started: {error}"))?;
        let broker = Mosquitto { port, child };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > deadline {
                return Err("mosquitto does not listen".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(broker)
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
