//! A plain web host that has the feed's files and the public pages: what it has to get, and what is removed there.
//!
//! Every path that was ever sent is in a list beside the log, before it is sent: a file that is not public any more is removed, also when an
//! earlier run of the program put it there.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest as _, Sha256};
use tokio::{fs, time::Instant};

use super::{
    Outcome,
    host::{Failure, Host, HostError, Order, OrderedChange},
};
use crate::{
    config::{self, Config},
    machine::broadcast_notices::BroadcastNotices,
};

/// Refusals one after the other after which nothing more is sent in this pass: the host refuses everything.
const REFUSED_IN_A_ROW_MAX: usize = 5;
/// Time after which a refused file is sent again although it is the same.
const REFUSED_FOR: Duration = Duration::from_secs(60);
/// Maximum number of refused files that a notice names.
const FILES_NAMED_MAX: usize = 3;

/// A file that the host has to have.
#[derive(Debug)]
pub(super) struct MirrorFile {
    /// Its place below the host's address; names are as people write them.
    pub(super) path: String,
    pub(super) media: String,
    pub(super) body: Vec<u8>,
    /// Differs when the file has to be sent again.
    pub(super) version: [u8; 32],
}

impl MirrorFile {
    /// A file that is sent again when its content differs.
    pub(super) fn new(path: String, media: &str, body: Vec<u8>) -> MirrorFile {
        let version = Sha256::digest(&body).into();
        MirrorFile { path, media: media.to_owned(), body, version }
    }
}

/// The web host.
#[derive(Debug)]
pub(crate) struct Mirror {
    host: Host,
    /// Whether it gets the pages.
    pub(super) with_pages: bool,
    /// Key of its notices.
    place: String,
    /// Versions that the host has taken in this run, by path.
    sent: HashMap<String, [u8; 32]>,
    /// Versions that it has refused, and when.
    refused: HashMap<String, ([u8; 32], Instant)>,
    /// Every path that may be at the host.
    listed: BTreeSet<String>,
    list: PathBuf,
}

impl Mirror {
    /// Prepares sending, with the list of what earlier runs have sent.
    ///
    /// # Errors
    ///
    /// The address or a secret cannot be used.
    pub(super) fn new(config: &Config, of: &config::MirrorSettings) -> Result<Mirror, HostError> {
        let name: String =
            Sha256::digest(&of.url).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let list = beside(&config.store.path, &format!("mirror-{name}"));
        let known = std::fs::read_to_string(&list).unwrap_or_default();
        Ok(Mirror {
            host: Host::new(of, beside(&list, "out"))?,
            with_pages: of.pages,
            place: format!("mirror:{}", of.url),
            sent: HashMap::new(),
            refused: HashMap::new(),
            listed: known.lines().map(str::to_owned).collect(),
            list,
        })
    }

    /// Whether a refused file is to be sent again by now.
    pub(super) fn is_due(&self) -> bool {
        self.refused.values().any(|(_, at)| at.elapsed() >= REFUSED_FOR)
    }

    /// Sends the changed files, in their order. `shown`: every path that is public now; what else the host has is removed. None: only these
    /// files were looked at.
    pub(super) async fn send(
        &mut self,
        files: Vec<MirrorFile>,
        shown: Option<&HashSet<String>>,
        notices: &BroadcastNotices,
    ) -> Outcome {
        let files: Vec<MirrorFile> =
            files.into_iter().filter(|file| self.is_wanted(file)).collect();
        let versions: HashMap<String, [u8; 32]> =
            files.iter().map(|file| (file.path.clone(), file.version)).collect();
        let gone = self.listed.iter().filter(|path| shown.is_some_and(|it| !it.contains(*path)));
        let removed: Vec<Order> =
            gone.map(|path| Order { path: path.clone(), what: OrderedChange::Remove }).collect();
        if let Err(error) = self.list_all(versions.keys().cloned()).await {
            let list = self.list.display();
            let words =
                format!("nothing is mirrored: the list of files {list} cannot be written: {error}");
            notices.put(&self.place, words);
            return Outcome::Refused;
        }
        let puts = files.into_iter().map(|MirrorFile { path, media, body, .. }| Order {
            path,
            what: OrderedChange::Put { media, body },
        });
        let orders: Vec<Order> = puts.chain(removed).collect();
        if orders.is_empty() {
            return Outcome::AllSent;
        }
        let mut in_a_row = 0;
        let mut ended = None;
        let mut is_removed = false;
        let (sent, refused, listed) = (&mut self.sent, &mut self.refused, &mut self.listed);
        self.host
            .carry_out(orders, &mut |path: &str, result: Result<(), Failure>| {
                match (result, versions.get(path)) {
                    (Ok(()), Some(version)) => {
                        in_a_row = 0;
                        refused.remove(path);
                        sent.insert(path.to_owned(), *version);
                    }
                    (Ok(()), None) => {
                        in_a_row = 0;
                        sent.remove(path);
                        refused.remove(path);
                        is_removed |= listed.remove(path);
                    }
                    (Err(Failure::Refused(words)), version) => {
                        in_a_row += 1;
                        tracing::warn!(path, words, "a mirror refuses a file");
                        refused.insert(
                            path.to_owned(),
                            (version.copied().unwrap_or_default(), Instant::now()),
                        );
                        if in_a_row >= REFUSED_IN_A_ROW_MAX {
                            ended = Some((Outcome::Refused, words));
                        }
                    }
                    (Err(Failure::TooOften(words)), _) => ended = Some((Outcome::TooOften, words)),
                    (Err(Failure::Away(words)), _) => ended = Some((Outcome::Away, words)),
                }
                ended.is_none()
            })
            .await;
        if is_removed {
            // Without it these are removed once more by the next run: they are gone then already.
            let _ = self.write_list().await;
        }
        self.report(ended.as_ref().map(|(_, words)| words), notices);
        ended.map_or(Outcome::AllSent, |(outcome, _)| outcome)
    }

    fn is_wanted(&self, file: &MirrorFile) -> bool {
        let is_refused = self
            .refused
            .get(&file.path)
            .is_some_and(|(version, at)| *version == file.version && at.elapsed() < REFUSED_FOR);
        !is_refused && self.sent.get(&file.path) != Some(&file.version)
    }

    fn report(&self, failure: Option<&String>, notices: &BroadcastNotices) {
        let host = self.host.name();
        match failure {
            Some(words) => {
                notices.put(&self.place, format!("the mirror does not reach {host}: {words}"));
            }
            None => notices.settle(&self.place),
        }
        let place = format!("{} files", self.place);
        let mut named: Vec<&str> = self.refused.keys().map(String::as_str).collect();
        if named.is_empty() || failure.is_some() {
            notices.settle(&place);
            return;
        }
        named.sort_unstable();
        let more = named.len().saturating_sub(FILES_NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = named.iter().take(FILES_NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
        let words = format!(
            "{host} refuses {named}{more}: look at its rights and at the program's log; the other files are there"
        );
        notices.put(&place, words);
    }

    /// Notes paths before they are sent.
    async fn list_all(&mut self, paths: impl Iterator<Item = String>) -> std::io::Result<()> {
        let before = self.listed.len();
        self.listed.extend(paths);
        if self.listed.len() == before { Ok(()) } else { self.write_list().await }
    }

    async fn write_list(&self) -> std::io::Result<()> {
        let text: String = self.listed.iter().map(|path| format!("{path}\n")).collect();
        let part = beside(&self.list, "part");
        fs::write(&part, text).await?;
        fs::rename(&part, &self.list).await
    }
}

/// A file beside another one.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}
