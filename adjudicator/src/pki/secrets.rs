//! Secrets in files: made, read, and refused when others can read them.
//!
//! A file that holds a secret belongs to one user. As ssh does with private keys, a file that its group or others can read is
//! refused. Files that a service may not read itself come from systemd (`LoadCredential=`) in a folder of its own, which is searched
//! first.

use std::{
    fs::OpenOptions,
    io::Write as _,
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use mqtt5::broker::auth::PasswordAuthProvider;
use rand::{RngExt as _, distr::Alphanumeric};

/// Characters of a secret that is made here: 238 bits.
const SECRET_LENGTH: usize = 40;

/// Longest file of secrets, bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Access for group and others.
const OTHERS: u32 = 0o077;

/// A secret that cannot be used, or made.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct SecretError {
    /// The file.
    pub path: PathBuf,
    /// The problem, and the remedy.
    pub reason: String,
}

/// The folder of credentials that systemd hands over. It is made when the service starts, and nothing in it changes while that runs.
fn credentials() -> Option<PathBuf> {
    std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from)
}

/// Path at which a configured file is read: that of systemd's credential of the same name, if there is one.
pub(crate) fn place(path: &Path) -> PathBuf {
    place_in(credentials().as_deref(), path)
}

/// Whether a file is one that systemd hands over.
pub(crate) fn is_handed_over(path: &Path) -> bool {
    credentials().is_some_and(|folder| path.starts_with(folder))
}

fn place_in(credentials: Option<&Path>, path: &Path) -> PathBuf {
    let handed = credentials.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    // A line end alone means that there is no such file: systemd accepts no empty credential.
    let is_there = |file: &PathBuf| file.metadata().is_ok_and(|about| about.len() > 1);
    handed.filter(is_there).unwrap_or_else(|| path.to_owned())
}

/// The reason why a file cannot be read, with the remedy where the unit is at fault.
fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => format!(
            "{error}; with systemd, hand it over: `systemctl edit` the unit, and in [Service] write LoadCredential={name}:{}",
            path.display()
        ),
        std::io::ErrorKind::NotFound => format!(
            "there is no such file, and the configuration names it. Correct the path there, or make the file (`twinboard token {name}` makes one \
             for http.td_token_file, `twinboard account` makes one for broker.credentials_file)"
        ),
        _ => error.to_string(),
    }
}

/// Checks that only its owner can read a file.
///
/// # Errors
///
/// Its metadata cannot be read, it is not a file, or others can read it.
pub(crate) fn check(path: &Path) -> Result<(), SecretError> {
    let refuse = |reason: String| SecretError { path: path.to_owned(), reason };
    let about = std::fs::metadata(path).map_err(|error| refuse(unreadable(path, &error)))?;
    if !about.is_file() || about.len() > FILE_BYTES_MAX {
        return Err(refuse("is no file with a secret".to_owned()));
    }
    let mode = about.permissions().mode() & 0o777;
    // A credential from systemd belongs to the service alone whatever its mode is: access to the folder is restricted.
    if mode & OTHERS != 0 && !is_handed_over(path) {
        return Err(refuse(format!(
            "others can read it (mode {mode:03o}): chmod 600 it, and let it belong to the user who runs the adjudicator"
        )));
    }
    Ok(())
}

/// Reads a file that holds one secret, without its line end.
///
/// # Errors
///
/// It cannot be read, others can read it, or it is empty.
pub fn read(path: &Path) -> Result<String, SecretError> {
    let path = place(path);
    check(&path)?;
    let refuse = |reason: String| SecretError { path: path.clone(), reason };
    let text = std::fs::read_to_string(&path).map_err(|error| refuse(unreadable(&path, &error)))?;
    let secret = text.trim();
    if secret.is_empty() {
        return Err(refuse("is empty; it must hold the secret in one line".to_owned()));
    }
    Ok(secret.to_owned())
}

/// A new secret of letters and digits.
pub fn generate() -> String {
    rand::rng().sample_iter(Alphanumeric).take(SECRET_LENGTH).map(char::from).collect()
}

/// Writes a file that only its owner can read. A former file is replaced, whole or not at all.
///
/// # Errors
///
/// It cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), SecretError> {
    let refuse =
        |error: std::io::Error| SecretError { path: path.to_owned(), reason: error.to_string() };
    let mut neighbour = path.as_os_str().to_owned();
    neighbour.push(".part");
    let neighbour = PathBuf::from(neighbour);
    // A file that an interrupted run left may have any mode.
    match std::fs::remove_file(&neighbour) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(refuse(error)),
        _ => {}
    }
    let written = || {
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&neighbour)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&neighbour, path)
    };
    written().map_err(refuse)
}

/// Gives a hub an account in a file of `hub:hash` lines (argon2id), which is made if it is missing. An account that exists
/// gets the new password.
///
/// # Errors
///
/// The name is no hub id, or the file cannot be read or written.
pub fn write_account(accounts: &Path, hub: &str, password: &str) -> Result<(), SecretError> {
    let refuse = |reason: String| SecretError { path: accounts.to_owned(), reason };
    crate::config::check_hub_id(hub).map_err(refuse)?;
    let before = match std::fs::read_to_string(accounts) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(refuse(error.to_string())),
    };
    let hash = PasswordAuthProvider::hash_password(password)
        .map_err(|error| refuse(format!("the password cannot be hashed: {error}")))?;
    let mut text = without(&before, hub);
    text.push_str(&format!("{hub}:{hash}\n"));
    write(accounts, &text)
}

/// Removes a hub's account from a file of accounts.
///
/// # Errors
///
/// It has none, or the file cannot be read or written.
pub fn remove_account(accounts: &Path, hub: &str) -> Result<(), SecretError> {
    let refuse = |reason: String| SecretError { path: accounts.to_owned(), reason };
    let before = std::fs::read_to_string(accounts).map_err(|error| refuse(error.to_string()))?;
    let text = without(&before, hub);
    if text.lines().count() == before.lines().count() {
        return Err(refuse(format!("hub {hub} has no account there")));
    }
    write(accounts, &text)
}

/// The lines of all other accounts.
fn without(accounts: &str, hub: &str) -> String {
    let is_other = |line: &&str| line.split_once(':').is_none_or(|(name, _)| name.trim() != hub);
    accounts.lines().filter(is_other).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_with_its_key_and_the_cure() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(&folder.path().join("nope")).unwrap_err().to_string();
        for words in ["nope", "http.td_token_file", "twinboard token"] {
            assert!(error.contains(words), "{error}");
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_secret_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        write(&file, "a secret of one line\n").unwrap();
        assert_eq!(read(&file).unwrap(), "a secret of one line");
        for mode in [0o640, 0o604, 0o620, 0o644] {
            set_mode(&file, mode);
            let refused = read(&file).unwrap_err().to_string();
            assert!(refused.contains("chmod 600") && refused.contains("token"), "{refused}");
        }
        set_mode(&file, 0o400);
        assert_eq!(read(&file).unwrap(), "a secret of one line");
    }

    #[test]
    fn a_secret_is_written_for_its_owner_alone_whatever_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "old").unwrap();
        std::fs::write(folder.path().join("token.part"), "left over").unwrap();
        set_mode(&file, 0o666);
        write(&file, &generate()).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read(&file).unwrap().len(), SECRET_LENGTH);
        assert_ne!(generate(), generate());
    }

    #[test]
    fn what_systemd_hands_over_is_read_first_unless_it_is_empty() {
        let (folder, named) = (tempfile::tempdir().unwrap(), Path::new("/etc/twinboard/td-token"));
        assert_eq!(place_in(None, named), named);
        assert_eq!(place_in(Some(folder.path()), named), named);
        let handed = folder.path().join("td-token");
        std::fs::write(&handed, "\n").unwrap();
        assert_eq!(place_in(Some(folder.path()), named), named);
        std::fs::write(&handed, "secret").unwrap();
        assert_eq!(place_in(Some(folder.path()), named), handed);
    }

    #[test]
    fn a_hub_has_one_account_with_its_last_password() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hubs.passwd");
        for (hub, password) in [("north", "one"), ("south", "two"), ("north", "three")] {
            write_account(&file, hub, password).unwrap();
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let accounts: Vec<(&str, &str)> =
            text.lines().map(|line| line.split_once(':').unwrap()).collect();
        let names: Vec<&str> = accounts.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["south", "north"]);
        assert!(accounts.iter().all(|(_, hash)| hash.starts_with("$argon2id$")));
        assert!(PasswordAuthProvider::verify_password("three", accounts[1].1));
        assert!(!PasswordAuthProvider::verify_password("one", accounts[1].1));
        for no_hub in ["a hub:with colon", "..", "adjudicator"] {
            assert!(write_account(&file, no_hub, "x").is_err(), "{no_hub}");
        }
        remove_account(&file, "south").unwrap();
        assert!(remove_account(&file, "south").unwrap_err().to_string().contains("no account"));
        let left = std::fs::read_to_string(&file).unwrap();
        assert!(left.starts_with("north:") && left.lines().count() == 1, "{left}");
    }
}
