//! A real Chromium, driven through its driver.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use thirtyfour::{ChromiumLikeCapabilities as _, DesiredCapabilities, WebDriver};

/// Flags of the browser. It sends nothing to its maker: a test must not depend on a network.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1366,768",
];

/// Text that the driver prints when it is ready, before the number of its port.
const READY: &str = "started successfully on port ";

/// A running chromedriver; killed when dropped.
pub(crate) struct Driver {
    child: Child,
    port: u16,
}

impl Driver {
    /// Starts the driver on a free port.
    ///
    /// # Errors
    ///
    /// The packages to install, if Chromium or its driver is missing.
    pub(crate) fn start() -> Result<Driver, &'static str> {
        let missing = "install Chromium and its driver (Debian: chromium chromium-driver)";
        for program in ["chromium", "chromedriver"] {
            let mut command = Command::new(program);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().map_err(|_| missing)?;
        }
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|_| missing)?;
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| {
                let (_, port) = line.split_once(READY)?;
                port.trim_end_matches('.').parse().ok()
            })
            .expect("chromedriver names its port");
        // All later output is discarded, so that the driver never waits for us.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Driver { child, port })
    }

    /// Opens a browser with an empty profile, kept in `folder`.
    pub(crate) async fn open(&self, folder: &Path) -> WebDriver {
        let mut wanted = DesiredCapabilities::chrome();
        for flag in FLAGS {
            wanted.add_arg(flag).expect("a flag");
        }
        wanted.add_arg(&format!("--user-data-dir={}", folder.display())).expect("a flag");
        let address = format!("http://127.0.0.1:{}", self.port);
        WebDriver::new(address, wanted).await.expect("Chromium starts")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Fails when it has ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
