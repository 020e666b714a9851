//! A program that was started and runs until it is told to stop; nothing of it stays behind.

use std::{
    io::{BufRead as _, BufReader, Read},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// Longest wait for anything; emulation is slow, and so is a machine that does other things besides.
pub(super) const PATIENCE: Duration = Duration::from_secs(180);
/// How often is looked whether something happened.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A child, and what it says. It is killed when this is dropped.
pub(super) struct Running {
    name: &'static str,
    child: Child,
    lines: Receiver<String>,
    log: String,
}

impl Running {
    /// Starts a command; `name` is what messages call it.
    pub(super) fn start(name: &'static str, command: &mut Command) -> Result<Running, String> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name} could not be started: {error}"))?;
        let (sender, lines) = mpsc::channel();
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let streams: [Option<Box<dyn Read + Send>>; 2] =
            [stdout.map(|out| Box::new(out) as _), stderr.map(|out| Box::new(out) as _)];
        for stream in streams.into_iter().flatten() {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    // Nobody listens any more when all was heard.
                    let _ = sender.send(line);
                }
            });
        }
        Ok(Running { name, child, lines, log: String::new() })
    }

    /// Waits until each of the phrases was said, from now on; the lines that said them, in their order.
    ///
    /// # Errors
    ///
    /// Which was not, and everything that was said.
    pub(super) fn hear<const N: usize>(
        &mut self,
        phrases: [&str; N],
    ) -> Result<[String; N], String> {
        let mut heard = [const { String::new() }; N];
        let deadline = Instant::now() + PATIENCE;
        while heard.iter().any(String::is_empty) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                let missing = phrases.iter().zip(&heard).find(|(_, heard)| heard.is_empty());
                let missing = missing.map(|(phrase, _)| *phrase).unwrap_or_default();
                return Err(self.complaint(&format!("did not say {missing:?}")));
            };
            self.log += &format!("{line}\n");
            for (phrase, heard) in phrases.iter().zip(&mut heard) {
                if heard.is_empty() && line.contains(phrase) {
                    heard.clone_from(&line);
                }
            }
        }
        Ok(heard)
    }

    /// Asks it to stop, as systemd does, and waits until it has, of its own accord and content.
    ///
    /// # Errors
    ///
    /// That it did not stop or was not content, and everything it said.
    pub(super) fn stop(mut self) -> Result<(), String> {
        let asked = Command::new("sh")
            .args(["-c", "kill -TERM \"$0\"", &self.child.id().to_string()])
            .status()
            .map_err(|error| format!("`kill` could not be started: {error}"))?;
        if !asked.success() {
            return Err(self.complaint("could not be asked to stop"));
        }
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => {
                    return Err(
                        self.complaint(&format!("was asked to stop and ended with {status}"))
                    );
                }
                Ok(None) => thread::sleep(LOOK_EVERY),
                Err(error) => return Err(format!("{} cannot be waited for: {error}", self.name)),
            }
        }
        Err(self.complaint("was asked to stop and did not"))
    }

    /// What it did wrong, and all it has said.
    pub(super) fn complaint(&mut self, wrong: &str) -> String {
        for line in self.lines.try_iter() {
            self.log += &format!("{line}\n");
        }
        format!("{} {wrong}; it said\n{}", self.name, self.log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Running {
        Running::start("the script", Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn what_is_said_is_heard_and_a_program_that_stops_when_asked_is_content() {
        let script = "trap 'exit 0' TERM; echo one; echo two >&2; while :; do sleep 0.05; done";
        let mut running = shell(script);
        assert_eq!(running.hear(["tw", "one"]), Ok(["two".to_owned(), "one".to_owned()]));
        assert_eq!(running.stop(), Ok(()));
    }

    #[test]
    fn a_program_that_ends_early_or_badly_is_told_with_what_it_said() {
        let error = shell("echo other; exit 0").hear(["one"]).unwrap_err();
        assert!(error.contains("\"one\"") && error.contains("other"), "{error}");
        let mut running = shell("trap 'exit 3' TERM; echo up; while :; do sleep 0.05; done");
        running.hear(["up"]).unwrap();
        assert!(running.stop().unwrap_err().contains("exit status: 3"));
    }
}
