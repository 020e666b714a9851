//! The guide that a hall is set up from, its commands carried out word by word, and waiting for what they do.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::machine::VenueMachine;

/// The guide.
pub(super) const GUIDE: &str = "deploy/README.md";
/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(90);
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Folder of the examples that the package installs.
pub(super) const EXAMPLES: &str = "/usr/share/doc/twinboard/examples";

/// Text of the guide, without line breaks.
pub(super) struct Guide(String);

impl Guide {
    pub(super) fn new(text: &str) -> Guide {
        Guide(words(text))
    }

    /// Does at a machine what the guide says, which must say it.
    pub(super) fn follow(&self, machine: &VenueMachine, command: &str) -> Result<String, String> {
        println!("   {}: {command}", machine.name);
        self.hold(command)?;
        machine.run(command)
    }

    /// Does what the guide says with other names than it has for an example: `(the guide's, ours)`.
    pub(super) fn follow_with(
        &self,
        machine: &VenueMachine,
        command: &str,
        names: &[(&str, &str)],
    ) -> Result<String, String> {
        self.hold(command)?;
        let ours = names
            .iter()
            .fold(command.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours));
        println!("   {}: {ours}", machine.name);
        machine.run(&ours)
    }

    pub(super) fn hold(&self, command: &str) -> Result<(), String> {
        match self.0.contains(&words(command)) {
            true => Ok(()),
            false => Err(format!("{GUIDE} does not say `{command}`")),
        }
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Installs the package as the guide says.
pub(super) fn install(guide: &Guide, machine: &VenueMachine, deb: &Path) -> Result<(), String> {
    machine.take(deb, "/srv/")?;
    let name = deb.file_name().unwrap_or_default().to_string_lossy().into_owned();
    guide.follow_with(
        machine,
        "sudo apt install ./twinboard_0.1.0_arm64.deb",
        &[
            ("apt install", "apt-get install -y --no-install-recommends"),
            ("twinboard_0.1.0_arm64.deb", &name),
        ],
    )?;
    machine.run("test -x /usr/bin/twinboard && getent passwd twinboard && ! systemctl is-active twinboard-hub")?;
    // A copy may be put there before anything has started.
    machine.run("test \"$(stat --format=%U:%a /var/lib/twinboard)\" = twinboard:750").map(drop)
}

/// Last lines of a unit's log.
pub(super) fn log(machine: &VenueMachine, unit: &str) -> String {
    machine.run(&format!("journalctl -u {unit} --no-pager | tail -50")).unwrap_or_default()
}

/// Waits for something, at most [`PATIENCE`].
pub(super) fn until<T>(
    what: &str,
    mut look: impl FnMut() -> Result<Option<T>, String>,
) -> Result<T, String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if Instant::now() > deadline {
            return Err(format!("waited in vain for {what}"));
        }
        thread::sleep(LOOK_EVERY);
    }
}
