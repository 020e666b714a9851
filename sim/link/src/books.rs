//! What the node read, what the hub's journal says, and whether that is the truth: each reading once and in order, or a gap
//! that covers exactly what is missing; never silence, never twice, never out of order.

use proto::link::{HostEvent, Message, NodeKind, NodeState, ResumePoint};

use crate::readings::state;

/// Something that must never happen, in words.
pub type Violation = String;

/// A line of the hub's journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The node started anew: what it had not delivered is missing.
    Restarted {
        /// The boot that began.
        boot_id: u32,
    },
    /// The node introduced itself: what it reads in this boot is waited for from here on.
    Introduced {
        /// The node's boot.
        boot_id: u32,
        /// The last reading that is in the journal, or told as missing.
        through: u32,
    },
    /// A reading.
    Event {
        /// The node's boot.
        boot_id: u32,
        /// The reading's sequence.
        sequence: u32,
    },
    /// Readings that are missing.
    Gap {
        /// The node's boot.
        boot_id: u32,
        /// The first.
        first: u32,
        /// The last.
        last: u32,
    },
}

impl Entry {
    /// What it acknowledges, if anything.
    #[must_use]
    pub fn reached(self) -> Option<ResumePoint> {
        match self {
            Self::Restarted { .. } => None,
            Self::Introduced { boot_id, through: sequence }
            | Self::Event { boot_id, sequence }
            | Self::Gap { boot_id, last: sequence, .. } => Some(ResumePoint { boot_id, sequence }),
        }
    }
}

/// One life of the node.
#[derive(Clone, Debug)]
struct Boot {
    id: u32,
    /// Whether its firmware is of the hub's release; of another nothing may be taken.
    is_ours: bool,
    /// What it read, by sequence − 1; none where it answered a command.
    readings: Vec<Option<Message>>,
    /// How many events its buffer had to discard.
    discarded: u32,
    /// None after this one was discarded.
    discarded_through: u32,
    /// Newest event that is not in its buffer any more.
    gone_through: u32,
}

/// What a hub's session has delivered since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Delivered {
    boot: usize,
    through: u32,
}

/// The truth and the journal.
#[derive(Clone, Debug)]
pub struct Books {
    kind: NodeKind,
    boots: Vec<Boot>,
    journal: Vec<Entry>,
    /// Where the session stands; none before its first HELLO.
    delivered: Option<Delivered>,
    /// The session has told a restart into this boot, and its HELLO is to follow.
    announced: Option<usize>,
    was_set_back: bool,
    /// What the journal's entries are worth.
    counts: Counts,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Readings the node made, over all its boots.
    pub readings: u64,
    /// Of them in the journal.
    pub journalled: u64,
    /// Of them told as missing, one by one.
    pub missing: u64,
    /// Gaps in the journal.
    pub gaps: u64,
    /// Restarts in the journal.
    pub restarts: u64,
    /// Snapshots compared with the truth.
    pub snapshots: u64,
    /// Nodes of another release that were named.
    pub incompatible: u64,
    /// Commands given.
    pub commands: u64,
    /// Of them done and answered.
    pub commands_done: u64,
}

impl Books {
    /// Nothing has happened to a node of this kind.
    #[must_use]
    pub fn new(kind: NodeKind) -> Books {
        Books {
            kind,
            boots: Vec::new(),
            journal: Vec::new(),
            delivered: None,
            announced: None,
            was_set_back: false,
            counts: Counts::default(),
        }
    }

    /// A node starts.
    pub fn start_node(&mut self, id: u32, is_ours: bool) {
        self.boots.push(Boot {
            id,
            is_ours,
            readings: Vec::new(),
            discarded: 0,
            discarded_through: 0,
            gone_through: 0,
        });
    }

    /// The node, as it runs now, read something. Its sequence.
    pub fn read(&mut self, reading: Message) -> u32 {
        self.note(Some(reading))
    }

    /// The node has answered commands: its newest event is now this one.
    pub fn answered(&mut self, latest: u32) {
        while self.latest().sequence < latest {
            self.note(None);
        }
    }

    fn note(&mut self, reading: Option<Message>) -> u32 {
        let Some(boot) = self.boots.last_mut() else { return 0 };
        boot.readings.push(reading);
        self.counts.readings += 1;
        boot.readings.len() as u32
    }

    /// What the node's buffer holds now, and how many events it has discarded in this boot.
    pub fn buffer_holds(&mut self, buffered: usize, discarded: u32) {
        let Some(boot) = self.boots.last_mut() else { return };
        let gone_through = (boot.readings.len() - buffered.min(boot.readings.len())) as u32;
        if discarded > boot.discarded {
            boot.discarded = discarded;
            boot.discarded_through = gone_through;
        }
        boot.gone_through = gone_through;
    }

    /// The last reading of the node's present boot.
    #[must_use]
    pub fn latest(&self) -> ResumePoint {
        self.boots.last().map_or(ResumePoint { boot_id: 0, sequence: 0 }, |boot| ResumePoint {
            boot_id: boot.id,
            sequence: boot.readings.len() as u32,
        })
    }

    /// A hub starts from the journal: where it goes on.
    pub fn start_hub(&mut self) -> Option<ResumePoint> {
        let resume = self.journal.iter().rev().find_map(|entry| entry.reached());
        self.announced = None;
        self.delivered = resume.and_then(|resume| {
            let boot = self.boot(resume.boot_id)?;
            Some(Delivered { boot, through: resume.sequence })
        });
        resume
    }

    /// The hub's disk loses the newest entries: up to `entries`, all of one boot, of which one is left.
    pub fn set_back(&mut self, entries: usize) {
        let Some(boot_id) = self.journal.last().and_then(|entry| entry.reached()) else { return };
        let of_this = |entry: &Entry| {
            entry.reached().is_some_and(|reached| reached.boot_id == boot_id.boot_id)
        };
        for _ in 0..entries {
            match self.journal[..] {
                [.., before, _] if of_this(&before) => drop(self.journal.pop()),
                _ => break,
            }
            self.was_set_back = true;
        }
    }

    fn boot(&self, boot_id: u32) -> Option<usize> {
        self.boots.iter().rposition(|boot| boot.id == boot_id)
    }

    fn known(&self, boot_id: u32, what: &str) -> Result<usize, Violation> {
        let boot = self.boot(boot_id);
        let boot = boot.ok_or_else(|| format!("{what} of boot {boot_id:08x}, which never was"))?;
        if self.boots[boot].is_ours {
            return Ok(boot);
        }
        Err(format!("{what} of boot {boot_id:08x}, whose firmware is of another release"))
    }

    /// The session says this now: what of it goes into the journal.
    ///
    /// # Errors
    ///
    /// When it is not the truth, or not what comes next.
    pub fn deliver(&mut self, event: &HostEvent) -> Result<Option<Entry>, Violation> {
        match event {
            HostEvent::Hello { boot_id, next_sequence, .. } => {
                self.deliver_hello(*boot_id, *next_sequence).map(Some)
            }
            HostEvent::Restarted { boot_id, .. } => self.deliver_restart(*boot_id).map(Some),
            HostEvent::Event { boot_id, sequence, message } => {
                self.deliver_reading(*boot_id, *sequence, message).map(Some)
            }
            HostEvent::Gap { boot_id, first, last } => {
                self.deliver_gap(*boot_id, *first, *last).map(Some)
            }
            HostEvent::Snapshot { boot_id, sequence, snapshot } => {
                self.deliver_snapshot(*boot_id, *sequence, &snapshot.state)?;
                Ok(None)
            }
            HostEvent::Health { boot_id, .. } => {
                self.at(*boot_id, "health")?;
                Ok(None)
            }
            HostEvent::Incompatible(_) => {
                if self.boots.iter().all(|boot| boot.is_ours) {
                    return Err("a node of our release is called incompatible".to_owned());
                }
                self.counts.incompatible += 1;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Where the session stands, which must be in this boot.
    fn at(&self, boot_id: u32, what: &str) -> Result<Delivered, Violation> {
        let boot = self.known(boot_id, what)?;
        let delivered = self.delivered.ok_or_else(|| format!("{what} before any HELLO"))?;
        if delivered.boot == boot {
            return Ok(delivered);
        }
        let present = self.boots[delivered.boot].id;
        Err(format!("{what} of boot {boot_id:08x} while the session is in {present:08x}"))
    }

    fn deliver_hello(&mut self, boot_id: u32, next_sequence: u32) -> Result<Entry, Violation> {
        let boot = self.known(boot_id, "HELLO")?;
        let expected = match self.delivered {
            Some(delivered) if delivered.boot == boot => delivered.through + 1,
            Some(_) if self.announced != Some(boot) => {
                return Err(format!("boot {boot_id:08x} follows another without a restart told"));
            }
            _ => 1,
        };
        if next_sequence != expected {
            return Err(format!(
                "boot {boot_id:08x} goes on at {next_sequence} instead of {expected}"
            ));
        }
        self.announced = None;
        let through = next_sequence - 1;
        self.delivered = Some(Delivered { boot, through });
        Ok(Entry::Introduced { boot_id, through })
    }

    fn deliver_restart(&mut self, boot_id: u32) -> Result<Entry, Violation> {
        let boot = self.known(boot_id, "a restart")?;
        if self.delivered.is_some_and(|delivered| delivered.boot >= boot) {
            return Err(format!("a restart back into boot {boot_id:08x} is told"));
        }
        self.announced = Some(boot);
        Ok(Entry::Restarted { boot_id })
    }

    fn deliver_reading(
        &mut self,
        boot_id: u32,
        sequence: u32,
        message: &Message,
    ) -> Result<Entry, Violation> {
        let delivered = self.at(boot_id, "a reading")?;
        if sequence != delivered.through + 1 {
            let expected = delivered.through + 1;
            return Err(format!("reading {sequence} is delivered where {expected} comes next"));
        }
        let truth = self.boots[delivered.boot].readings.get(delivered.through as usize);
        let is_true = match truth {
            Some(Some(reading)) => reading == message,
            Some(None) => matches!(message, Message::Answer(_)),
            None => false,
        };
        if !is_true {
            return Err(format!("reading {sequence} is {message:?}, but the node read {truth:?}"));
        }
        self.delivered = Some(Delivered { through: sequence, ..delivered });
        Ok(Entry::Event { boot_id, sequence })
    }

    fn deliver_gap(&mut self, boot_id: u32, first: u32, last: u32) -> Result<Entry, Violation> {
        let delivered = self.at(boot_id, "a gap")?;
        if first != delivered.through + 1 || last < first {
            let expected = delivered.through + 1;
            return Err(format!("gap {first}–{last} is told where {expected} comes next"));
        }
        let boot = &self.boots[delivered.boot];
        let excused = match self.was_set_back {
            true => boot.gone_through,
            false => boot.discarded_through,
        };
        if last > excused {
            return Err(format!(
                "gap {first}–{last} is told, but the node had discarded through {excused} only"
            ));
        }
        self.delivered = Some(Delivered { through: last, ..delivered });
        Ok(Entry::Gap { boot_id, first, last })
    }

    fn deliver_snapshot(
        &mut self,
        boot_id: u32,
        sequence: u32,
        told: &NodeState,
    ) -> Result<(), Violation> {
        let delivered = self.at(boot_id, "a snapshot")?;
        if sequence != delivered.through {
            let through = delivered.through;
            return Err(format!("a snapshot after {sequence} is delivered after {through}"));
        }
        self.counts.snapshots += 1;
        let truth = state(self.kind, boot_id, sequence);
        if *told == truth { Ok(()) } else { Err(format!("snapshot {told:?} is not {truth:?}")) }
    }

    /// The journal has this entry now.
    pub fn commit(&mut self, entry: Entry) {
        self.journal.push(entry);
    }

    /// Whether everything that the node has read in its present boot was delivered or told as missing.
    #[must_use]
    pub fn is_all_delivered(&self) -> bool {
        self.delivered.is_some_and(|delivered| {
            delivered.boot + 1 == self.boots.len() && delivered.through == self.latest().sequence
        })
    }

    /// Reads the journal from its beginning as somebody would who knows nothing else.
    ///
    /// # Errors
    ///
    /// When it is not in order, repeats something, or has a hole that is not told.
    pub fn check_journal(&self) -> Result<Counts, Violation> {
        let mut counts = self.counts;
        let mut present: Option<u32> = None;
        let mut next = 1;
        for (line, entry) in self.journal.iter().enumerate() {
            let fail = |what: &str| Err(format!("line {line} of the journal, {entry:?}: {what}"));
            let (boot_id, first, last) = match *entry {
                Entry::Restarted { boot_id } => {
                    counts.restarts += 1;
                    if present != Some(boot_id) {
                        (present, next) = (Some(boot_id), 1);
                    }
                    continue;
                }
                Entry::Introduced { boot_id, through } => {
                    if present.is_some_and(|present| present != boot_id) || through + 1 != next {
                        return fail("not what comes next");
                    }
                    present = Some(boot_id);
                    continue;
                }
                Entry::Event { boot_id, sequence } => {
                    counts.journalled += 1;
                    (boot_id, sequence, sequence)
                }
                Entry::Gap { boot_id, first, last } => {
                    counts.gaps += 1;
                    counts.missing += u64::from(last - first + 1);
                    (boot_id, first, last)
                }
            };
            if present != Some(boot_id) {
                return fail("another boot, and no restart");
            }
            if first != next {
                return fail(&format!("{next} comes next"));
            }
            next = last + 1;
        }
        let latest = self.latest();
        if present.is_some_and(|present| present != latest.boot_id) {
            return Err("the journal does not say that the node started anew".to_owned());
        }
        if next != latest.sequence + 1 {
            return Err(format!(
                "the journal ends before {next}, but the node read {} things",
                latest.sequence
            ));
        }
        Ok(counts)
    }
}
