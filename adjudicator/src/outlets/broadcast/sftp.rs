//! Files over SFTP, by the system's own program: it has the keys, the list of known hosts and the updates of the system.
//!
//! Each pass is a batch. The program ends at the first command that fails, and names it: the file is refused, and the others are sent
//! in the next batch. A connection is kept for a while, so that a pass does not begin with a handshake.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{fs, io::AsyncWriteExt as _, process::Command, time::timeout};

use super::host::{Failure, Order, OrderedChange, Results};

/// Longest time of a batch.
const BATCH_MAX: Duration = Duration::from_secs(60);
/// Files of one batch.
const FILES_MAX: usize = 200;
/// Longest reason of the program that is shown, in characters.
const REASON_MAX: usize = 200;
/// Longest path of the connection that is kept, bytes: the system has 108, of which the program uses some.
const LINE_PATH_MAX: usize = 84;
/// Exit code without a connection.
const NO_CONNECTION: i32 = 255;

/// An SFTP server.
#[derive(Debug)]
pub(super) struct Sftp {
    host: String,
    arguments: Vec<String>,
    /// The folder at the server, with `/` at its end; empty for the one after login.
    folder: String,
    /// The folder of files on their way.
    out: PathBuf,
}

/// A batch of commands, and what each line is about.
#[derive(Default)]
struct SftpBatch {
    commands: String,
    /// The order of each line; none for a line that may fail.
    of: Vec<Option<usize>>,
}

impl Sftp {
    /// From `sftp://user@host:port/folder`. None: it is no such address.
    pub(super) fn new(url: &str, key_file: Option<&Path>, out: PathBuf) -> Option<Sftp> {
        let parsed: url::Url = url.parse().ok()?;
        let host = parsed.host_str()?.to_owned();
        let user = parsed.username();
        let is_plain = |text: &str| {
            let is_first = text.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '[');
            is_first && text.chars().all(|it| it.is_ascii_alphanumeric() || "-_.[]:".contains(it))
        };
        if !is_plain(&host) || !is_plain(user) || parsed.password().is_some() {
            return None;
        }
        let folder = parsed.path().trim_matches('/');
        let folder = if folder.is_empty() { String::new() } else { format!("/{folder}/") };
        let mut arguments: Vec<String> = ["-q", "-b", "-", "-P"].map(str::to_owned).into();
        arguments.push(parsed.port().unwrap_or(22).to_string());
        let mut options = vec![
            "BatchMode=yes".to_owned(),
            "ConnectTimeout=10".to_owned(),
            "ServerAliveInterval=5".to_owned(),
            "ServerAliveCountMax=2".to_owned(),
            "ControlMaster=auto".to_owned(),
            "ControlPersist=30".to_owned(),
        ];
        let line = out.join("line");
        if line.as_os_str().len() <= LINE_PATH_MAX {
            options.push(format!("ControlPath={}", line.display()));
        }
        if let Some(key) = key_file {
            let known = key.with_file_name("known_hosts");
            options.push(format!("UserKnownHostsFile={}", known.display()));
            options.push("IdentitiesOnly=yes".to_owned());
            arguments.extend(["-i".to_owned(), key.display().to_string()]);
        }
        arguments.extend(options.into_iter().flat_map(|option| ["-o".to_owned(), option]));
        arguments.push(format!("{user}@{host}"));
        Some(Sftp { host, arguments, folder, out })
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Carries orders out. False: the rest is left out.
    pub(super) async fn carry_out(&self, mut orders: Vec<Order>, results: Results<'_>) -> bool {
        while !orders.is_empty() {
            let rest = orders.split_off(orders.len().min(FILES_MAX));
            let ended = match self.batch(&orders).await {
                Ok(ended) => ended,
                Err(words) => return results(&orders[0].path, Err(Failure::Away(words))),
            };
            let mut left = orders.split_off(ended.done);
            for order in &orders {
                if !results(&order.path, Ok(())) {
                    return false;
                }
            }
            if !ended.is_all {
                let last = left.remove(0);
                if !results(
                    &last.path,
                    ended.refused.map_or(Ok(()), |words| Err(Failure::Refused(words))),
                ) {
                    return false;
                }
            }
            left.extend(rest);
            orders = left;
        }
        true
    }

    async fn batch(&self, orders: &[Order]) -> Result<BatchEnd, String> {
        let batch = self
            .written(orders)
            .await
            .map_err(|error| format!("{}: {error}; make it writable", self.out.display()))?;
        // In a file: a pipe would be open as long as the connection is kept.
        let words = self.out.join("words");
        let said = fs::File::create(&words).await.map_err(|error| error.to_string())?;
        let mut program = Command::new("sftp")
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(said.into_std().await)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the program sftp: {error}; install OpenSSH's client"))?;
        let mut stdin = program.stdin.take();
        let exchange = async {
            if let Some(stdin) = &mut stdin {
                // It may end before it has read everything: its own words say why.
                let _ = stdin.write_all(batch.commands.as_bytes()).await;
            }
            drop(stdin.take());
            program.wait_with_output().await
        };
        let output = timeout(BATCH_MAX, exchange).await;
        let output = output.map_err(|_| "no answer; it is tried again".to_owned())?;
        let output = output.map_err(|error| error.to_string())?;
        let said = fs::read(&words).await.unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let reason: String = said
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or("it ended without a word")
            .chars()
            .filter(|it| !it.is_control())
            .take(REASON_MAX)
            .collect();
        match output.status.code() {
            Some(0) => Ok(BatchEnd { done: orders.len(), refused: None, is_all: true }),
            Some(code) if code != NO_CONNECTION => {
                // The program repeats each command before it carries it out: the last one is the one that failed.
                let told = String::from_utf8_lossy(&output.stdout);
                let line = told.lines().filter(|line| line.starts_with("sftp> ")).count();
                let of = line.checked_sub(1).and_then(|at| *batch.of.get(at)?);
                let at = of.ok_or_else(|| reason.clone())?;
                let is_gone = reason.contains("No such file") || reason.contains("not found");
                let is_removed = is_gone && matches!(orders[at].what, OrderedChange::Remove);
                Ok(BatchEnd { done: at, refused: (!is_removed).then_some(reason), is_all: false })
            }
            _ => Err(format!("{reason}; it is tried again")),
        }
    }

    /// Writes the files of orders into the folder, and the commands that send them.
    async fn written(&self, orders: &[Order]) -> std::io::Result<SftpBatch> {
        let _ = fs::remove_dir_all(self.out.join("files")).await;
        fs::create_dir_all(self.out.join("files")).await?;
        let mut batch = SftpBatch::default();
        let folders: BTreeSet<&str> = orders
            .iter()
            .filter(|order| matches!(order.what, OrderedChange::Put { .. }))
            .flat_map(|order| order.path.match_indices('/').map(|(at, _)| &order.path[..at]))
            .collect();
        for folder in folders {
            batch.push(None, &format!("-mkdir {}", self.remote(folder)));
        }
        for (at, order) in orders.iter().enumerate() {
            let remote = self.remote(&order.path);
            match &order.what {
                OrderedChange::Put { body, .. } => {
                    let local = self.out.join("files").join(at.to_string());
                    fs::write(&local, body).await?;
                    // A reader never gets a part of a file.
                    let part = self.remote(&format!("{}.part", order.path));
                    batch.push(
                        Some(at),
                        &format!("put {} {part}", quoted(&local.display().to_string())),
                    );
                    batch.push(Some(at), &format!("rename {part} {remote}"));
                }
                OrderedChange::Remove => batch.push(Some(at), &format!("rm {remote}")),
            }
        }
        Ok(batch)
    }

    fn remote(&self, path: &str) -> String {
        quoted(&format!("{}{path}", self.folder))
    }
}

/// How far a batch came.
struct BatchEnd {
    /// Number of orders before the last one that was tried.
    done: usize,
    is_all: bool,
    /// Why that last one was refused; none: it was done.
    refused: Option<String>,
}

impl SftpBatch {
    fn push(&mut self, of: Option<usize>, command: &str) {
        // Writing into a text does not fail.
        let _ = writeln!(self.commands, "{command}");
        self.of.push(of);
    }
}

/// A name as the program reads it: nothing in it is a pattern, an end of the name or an end of the line.
fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for letter in name.chars().filter(|it| !it.is_control()) {
        if "\"\\*?[]".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes_and_are_no_patterns() {
        assert_eq!(quoted("table/Table 3"), r#""table/Table 3""#);
        assert_eq!(quoted("a\"b*c\nrm x"), r#""a\"b\*crm x""#);
    }

    #[test]
    fn an_address_that_would_be_an_option_or_has_a_password_is_none() {
        let of = |url: &str| Sftp::new(url, None, PathBuf::from("out"));
        let known = of("sftp://live@host.example:2222/var/www").unwrap();
        assert_eq!((known.host(), known.folder.as_str()), ("host.example", "/var/www/"));
        for wrong in
            ["sftp://host.example/", "sftp://-oProxyCommand=x@h/", "sftp://a:b@h/", "sftp:x"]
        {
            assert!(of(wrong).is_none(), "{wrong}");
        }
    }
}
