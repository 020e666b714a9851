//! Model of the lease: owners that pause, statements that are on their way, answers that are lost. Every order of these steps is tried.
//!
//! A step is an atomic act of the real owner or the server. A paused owner does nothing, which needs no step; its lease ends
//! whenever the model likes, so that a pause of 30 s is one of those that are tried.

use stateright::{Checker as _, HasDiscoveries, Model, Property};

/// Owners.
const OWNERS: usize = 2;
/// Rows that a source has.
const ROWS: u8 = 2;
/// Takeovers, and epochs that an owner raises by itself.
const EPOCHS: u8 = 4;

/// The server's state of a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Shard {
    epoch: u8,
    owner: Option<usize>,
    has_ended: bool,
    /// Rows in their order, each with the owner that sent it and the owner that the shard had.
    log: Vec<(u8, usize, Option<usize>)>,
}

/// A commit on its way: who sent it, in which epoch, and where the log must end. Its row is the next one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ModelCommit {
    owner: usize,
    epoch: u8,
    after: u8,
}

/// State of an owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct ModelOwner {
    /// None before it has the log, and when it has learnt that another one has.
    epoch: Option<u8>,
    last_id: u8,
    waits: bool,
    is_unsettled: bool,
    /// Rows that it has acknowledged.
    acknowledged: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ModelState {
    shard: Shard,
    owners: Vec<ModelOwner>,
    sent: Vec<ModelCommit>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ModelStep {
    LeaseEnds,
    Take(usize),
    Send(usize),
    /// The server carries a statement out, and its answer arrives or is lost.
    Arrive(ModelCommit, bool),
    /// No answer came in time, or the line was cut; the statement may still arrive.
    GiveUp(usize),
    Settle(usize),
}

/// The condition of a commit.
struct Fence {
    /// Whether the epoch is checked, and not only where the log ends.
    has_epoch: bool,
}

impl Fence {
    fn is_open(&self, shard: &Shard, sent: &ModelCommit) -> bool {
        (!self.has_epoch || shard.epoch == sent.epoch) && shard.log.len() == usize::from(sent.after)
    }
}

impl Model for Fence {
    type State = ModelState;
    type Action = ModelStep;

    fn init_states(&self) -> Vec<ModelState> {
        let owners = vec![ModelOwner::default(); OWNERS];
        vec![ModelState {
            shard: Shard { has_ended: true, ..Shard::default() },
            owners,
            sent: Vec::new(),
        }]
    }

    fn actions(&self, state: &ModelState, steps: &mut Vec<ModelStep>) {
        if !state.shard.has_ended {
            steps.push(ModelStep::LeaseEnds);
        }
        for (at, owner) in state.owners.iter().enumerate() {
            let may_raise = state.shard.epoch < EPOCHS;
            if owner.epoch.is_none() && state.shard.has_ended && may_raise {
                steps.push(ModelStep::Take(at));
            }
            let is_at_rest = owner.epoch.is_some() && !owner.waits;
            if is_at_rest && !owner.is_unsettled && owner.last_id < ROWS {
                steps.push(ModelStep::Send(at));
            }
            if is_at_rest && owner.is_unsettled && may_raise {
                steps.push(ModelStep::Settle(at));
            }
            if owner.waits {
                steps.push(ModelStep::GiveUp(at));
            }
        }
        for sent in &state.sent {
            steps.extend(
                [true, false].map(|is_answered| ModelStep::Arrive(sent.clone(), is_answered)),
            );
        }
    }

    fn next_state(&self, state: &ModelState, step: ModelStep) -> Option<ModelState> {
        let mut state = state.clone();
        match step {
            ModelStep::LeaseEnds => state.shard.has_ended = true,
            ModelStep::Take(at) => {
                let shard = &mut state.shard;
                (shard.epoch, shard.owner, shard.has_ended) = (shard.epoch + 1, Some(at), false);
                let last_id = shard.log.len() as u8;
                let epoch = Some(shard.epoch);
                state.owners[at] = ModelOwner { epoch, last_id, ..ModelOwner::default() };
            }
            ModelStep::Send(at) => {
                let owner = &mut state.owners[at];
                let sent = ModelCommit { owner: at, epoch: owner.epoch?, after: owner.last_id };
                owner.waits = true;
                state.sent.push(sent);
                state.sent.sort();
            }
            ModelStep::Arrive(sent, is_answered) => state.arrive(self, &sent, is_answered),
            ModelStep::GiveUp(at) => {
                let owner = &mut state.owners[at];
                (owner.waits, owner.is_unsettled) = (false, true);
            }
            ModelStep::Settle(at) => {
                let (shard, owner) = (&mut state.shard, &mut state.owners[at]);
                match shard.owner == Some(at) {
                    true => {
                        (shard.epoch, shard.has_ended) = (shard.epoch + 1, false);
                        (owner.epoch, owner.is_unsettled) = (Some(shard.epoch), false);
                        owner.last_id = shard.log.len() as u8;
                    }
                    false => owner.epoch = None,
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("each row once and in order", |_, state: &ModelState| {
                let rows = state.shard.log.iter().map(|(row, ..)| *row);
                rows.eq(1..=state.shard.log.len() as u8)
            }),
            Property::always("only the owner writes", |_, state: &ModelState| {
                state.shard.log.iter().all(|(_, sender, owner)| Some(*sender) == *owner)
            }),
            Property::always("what was acknowledged is there", |_, state: &ModelState| {
                let log = state.shard.log.len();
                state.owners.iter().all(|owner| usize::from(owner.acknowledged) <= log)
            }),
            Property::sometimes("two owners have written all rows", |_, state: &ModelState| {
                let senders: Vec<usize> =
                    state.shard.log.iter().map(|(_, sender, _)| *sender).collect();
                senders.len() == usize::from(ROWS) && senders.iter().any(|it| *it != senders[0])
            }),
        ]
    }
}

impl ModelState {
    fn arrive(&mut self, fence: &Fence, sent: &ModelCommit, is_answered: bool) {
        let at = self.sent.iter().position(|on_its_way| on_its_way == sent);
        at.map(|at| self.sent.remove(at));
        let is_open = fence.is_open(&self.shard, sent);
        if is_open {
            self.shard.log.push((sent.after + 1, sent.owner, self.shard.owner));
        }
        let has_another = self.shard.epoch != sent.epoch;
        let owner = &mut self.owners[sent.owner];
        // No owner waits for the answer to an abandoned statement.
        if !is_answered || !owner.waits || owner.epoch != Some(sent.epoch) {
            return;
        }
        owner.waits = false;
        match is_open {
            true => {
                owner.last_id = sent.after + 1;
                owner.acknowledged = owner.last_id;
            }
            false if has_another => owner.epoch = None,
            false => owner.is_unsettled = true,
        }
    }
}

#[test]
fn no_two_owners_write_whatever_is_paused_lost_or_late() {
    let checked = Fence { has_epoch: true }.checker().spawn_bfs().join();
    println!("{} states", checked.unique_state_count());
    checked.assert_properties();
}

#[test]
fn a_fence_without_an_epoch_is_found_out() {
    let failing = HasDiscoveries::AnyFailures;
    let checked = Fence { has_epoch: false }.checker().finish_when(failing).spawn_bfs().join();
    assert!(checked.discovery("only the owner writes").is_some());
}
