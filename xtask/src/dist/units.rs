//! Whether the examples and the units fit together: what a line of an example names must be there for the program as its unit lets it run.
//!
//! A secret must be handed over under its file's name, what is written must be in the unit's folder for state, a device must be allowed.
//! Lines that are commented out count as well: they are what people uncomment.

use std::{fs, path::Path};

use super::contents::place;
use crate::workspace::root;

/// An example, the unit that runs a program with it, and the folder in which it lies then.
const PAIRS: [(&str, &str); 2] =
    [("adjudicator.example.toml", "adjudicator.service"), ("hub.example.toml", "hub.service")];
/// Where configurations and what they name lie.
const HOME: &str = "/etc/twinboard";

/// What a key of a configuration names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// A file that only root can read.
    Secret,
    /// A file that everybody can read.
    Public,
    /// A folder with a bundle, in which the key is a secret.
    Bundle,
    /// A file or a folder that the program writes.
    Written,
    /// Devices of the machine.
    Device,
}

/// Every key of either configuration that names something on the machine.
const KEYS: [(&str, Named); 15] = [
    ("td_token_file", Named::Secret),
    ("key_file", Named::Secret),
    ("credentials_file", Named::Secret),
    ("password_file", Named::Secret),
    ("token_file", Named::Secret),
    ("secret_file", Named::Secret),
    ("certificate_file", Named::Public),
    ("authority_file", Named::Public),
    ("folder", Named::Bundle),
    ("tls_folder", Named::Bundle),
    ("path", Named::Written),
    ("journal", Named::Written),
    ("pgn_folder", Named::Written),
    ("feed_folder", Named::Written),
    ("port", Named::Device),
];
/// Keys of bundles, by the units that read them.
const BUNDLE_KEYS: [(&str, &str); 2] =
    [("adjudicator.service", "server.key"), ("hub.service", "hub.key")];

/// What both units say: they start their program again, unless its configuration is wrong (twinboard/src/exit.rs); and whoever breaks into one of the programs gets no further than from the other.
const RESTRICTIONS: [&str; 20] = [
    "StartLimitIntervalSec=0",
    "Restart=always",
    "RestartPreventExitStatus=78",
    "CapabilityBoundingSet=",
    "DevicePolicy=closed",
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "ProtectKernelTunables=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelLogs=yes",
    "ProtectControlGroups=yes",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "RestrictNamespaces=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "LockPersonality=yes",
    "MemoryDenyWriteExecute=yes",
];

/// Holds the files of an installed package, or of `deploy/` when there is none, to each other.
///
/// # Errors
///
/// Which line cannot work, and why.
pub(super) fn hold(tree: Option<&Path>) -> Result<(), String> {
    for (example, unit) in PAIRS {
        hold_pair(example, &read(tree, example)?, unit, &read(tree, unit)?)?;
    }
    Ok(())
}

fn read(tree: Option<&Path>, name: &str) -> Result<String, String> {
    let packed = name.strip_suffix(".service").map(|unit| format!("twinboard-{unit}.service"));
    let file = match tree {
        Some(tree) => tree.join(place(Path::new(name))).join(packed.as_deref().unwrap_or(name)),
        None => root().join("deploy").join(name),
    };
    fs::read_to_string(&file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

fn hold_pair(example: &str, text: &str, unit: &str, says: &str) -> Result<(), String> {
    let lines: Vec<&str> = says.lines().map(str::trim).collect();
    for restriction in RESTRICTIONS {
        if !lines.contains(&restriction) {
            return Err(format!("{unit} does not say {restriction}"));
        }
    }
    for (key, value) in text.lines().filter_map(setting) {
        let names: Vec<&str> = quoted(value).collect();
        let Some((_, named)) = KEYS.iter().find(|(known, _)| *known == key) else {
            match names.iter().find(|name| name.starts_with('/')) {
                Some(name) if !name.starts_with("/dev/") => {
                    return Err(format!(
                        "{example}: what is {key} = {name:?}? Say it in xtask/src/dist/units.rs"
                    ));
                }
                _ => continue,
            }
        };
        for name in names {
            hold_one(*named, name, unit, &lines)
                .map_err(|reason| format!("{example}: {key} = {name:?} cannot work: {reason}"))?;
        }
    }
    Ok(())
}

/// The key and the value of a line, commented out or not.
fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (key, value) = line.strip_prefix("# ").unwrap_or(line).split_once(" = ")?;
    let is_key = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_key.then_some((key, value))
}

/// What stands between quotes.
fn quoted(value: &str) -> impl Iterator<Item = &str> {
    value.split('"').skip(1).step_by(2)
}

fn hold_one(named: Named, name: &str, unit: &str, lines: &[&str]) -> Result<(), String> {
    let path = Path::new(HOME).join(name);
    match named {
        Named::Secret => hold_handed_over(&path, unit, lines),
        Named::Public => Ok(()),
        Named::Bundle => {
            let mut keys = BUNDLE_KEYS.iter().filter(|(reader, _)| *reader == unit);
            keys.try_for_each(|(_, key)| hold_handed_over(&path.join(key), unit, lines))
        }
        Named::Written => {
            let state = lines.iter().find_map(|line| line.strip_prefix("StateDirectory="));
            let state = Path::new("/var/lib").join(state.unwrap_or("."));
            match path.starts_with(&state) {
                true => Ok(()),
                false => Err(format!("under {unit} it can write below {} alone", state.display())),
            }
        }
        Named::Device => {
            let kinds = kinds(&path);
            let is_allowed = |kind: &&str| lines.contains(&&*format!("DeviceAllow=char-{kind} rw"));
            match kinds.iter().find(|kind| !is_allowed(kind)) {
                None => Ok(()),
                Some(kind) => Err(format!("{unit} does not allow {kind}")),
            }
        }
    }
}

/// What kinds of devices have such a name.
fn kinds(device: &Path) -> Vec<&str> {
    // By such names udev finds serial devices again.
    if device.starts_with("/dev/serial") {
        return vec!["ttyUSB", "ttyACM"];
    }
    let name = device.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    vec![name.trim_end_matches(|character: char| character.is_ascii_digit())]
}

/// A secret is handed over under its file's name; where it is not there, something stands for it.
fn hold_handed_over(path: &Path, unit: &str, lines: &[&str]) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let load = format!("LoadCredential={name}:{}", path.display());
    let stand_in = format!("SetCredential={name}:\\n");
    for line in [load, stand_in] {
        if !lines.contains(&line.as_str()) {
            return Err(format!("{unit} does not say {line}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployed(name: &str) -> String {
        read(None, name).unwrap()
    }

    fn hold_adjudicator(example: &str, unit: &str) -> Result<(), String> {
        hold_pair("the example", example, "adjudicator.service", unit)
    }

    #[test]
    fn what_is_deployed_fits_together() {
        assert_eq!(hold(None), Ok(()));
    }

    #[test]
    fn a_secret_that_is_not_handed_over_is_named() {
        let unit = deployed("adjudicator.service").replace("ntfy-token", "another-token");
        let told = hold_adjudicator(&deployed("adjudicator.example.toml"), &unit).unwrap_err();
        assert!(
            told.contains("token_file") && told.contains("LoadCredential=ntfy-token:"),
            "{told}"
        );
    }

    #[test]
    fn a_folder_that_is_read_only_under_the_unit_and_a_key_that_nobody_knows_are_named() {
        let (example, unit) =
            (deployed("adjudicator.example.toml"), deployed("adjudicator.service"));
        let beside = example.replace("\"/var/lib/twinboard/pgn\"", "\"pgn\"");
        assert!(hold_adjudicator(&beside, &unit).unwrap_err().contains("pgn_folder"));
        let new = format!("{example}\n# archive = \"/srv/archive\"\n");
        assert!(hold_adjudicator(&new, &unit).unwrap_err().contains("archive"));
    }

    #[test]
    fn a_unit_that_lets_its_program_do_more_than_the_other_is_named() {
        let unit = deployed("adjudicator.service").replace("LockPersonality=yes\n", "");
        let told = hold_adjudicator(&deployed("adjudicator.example.toml"), &unit).unwrap_err();
        assert!(told.contains("LockPersonality"), "{told}");
    }

    #[test]
    fn a_unit_that_starts_a_wrong_configuration_again_and_again_is_named() {
        let unit = deployed("hub.service").replace("RestartPreventExitStatus=78\n", "");
        let told = hold_pair("the example", &deployed("hub.example.toml"), "hub.service", &unit);
        assert!(told.unwrap_err().contains("RestartPreventExitStatus=78"));
    }

    #[test]
    fn a_port_that_the_unit_does_not_allow_is_named() {
        let unit = deployed("hub.service").replace("DeviceAllow=char-ttyAMA rw\n", "");
        let told = hold_pair("the example", &deployed("hub.example.toml"), "hub.service", &unit);
        assert!(told.unwrap_err().contains("ttyAMA"));
    }
}
