//! Webhooks: messages to other programs about matches that begin, results, and calls for a director.
//!
//! None is sent unless the configuration names an address. Messages about matches hold what the public sees, behind its delay. Messages to
//! directors hold place and subject, never a person, and nothing from silent alerts.

mod news;
mod sender;

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use sender::Sender;

use crate::{
    config::{Td, Webhook},
    front::audience::Audience,
    owner::follower::Stage,
    time::now_ms,
    views::needs::machine::Machine,
};
use news::{News, news};

/// Interval between two checks for changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Maximum number of messages that are remembered as sent.
const KNOWN_MAX: usize = 65_536;

/// Source of the messages.
pub(crate) struct Sources {
    pub(crate) public: Arc<Audience>,
    pub(crate) floor: Arc<Stage>,
    pub(crate) machine: Machine,
    pub(crate) td: Td,
    pub(crate) clock_rate: f64,
}

/// Finds changes and has them sent until shutdown. The state before the start is not sent.
pub(crate) async fn run(
    hooks: Vec<(Webhook, Sender)>,
    sources: Sources,
    shutdown: CancellationToken,
) {
    let senders = TaskTracker::new();
    let mut told = Vec::new();
    for (hook, sender) in hooks {
        let (queue, sending) = sender.start(shutdown.clone());
        senders.spawn(sending);
        told.push((hook, queue));
    }
    let mut known: Option<HashSet<String>> = None;
    let mut look = tokio::time::interval(LOOK_EVERY);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            _ = look.tick() => {}
        }
        let all = sources.look();
        let Some(before) = &mut known else {
            known = Some(all.into_iter().map(|one| one.key).collect());
            continue;
        };
        if before.len() > KNOWN_MAX {
            before.retain(|key| all.iter().any(|one| one.key == *key));
        }
        for one in all {
            if before.insert(one.key.clone()) {
                tell(&told, &one);
            }
        }
    }
    senders.close();
    senders.wait().await;
}

fn tell(hooks: &[(Webhook, sender::MessageQueue)], one: &News) {
    for (hook, queue) in hooks {
        let is_theirs = hook.section.is_none() || hook.section == one.section;
        if is_theirs && hook.tells.contains(&one.about) {
            queue.push(one.clone());
        }
    }
}

impl Sources {
    fn look(&self) -> Vec<News> {
        let mut all = news(&self.public.look());
        let hall = self.floor.hall();
        let needs = crate::views::needs::needs(
            &hall,
            self.machine.state(),
            &self.td,
            self.clock_rate,
            now_ms(),
        );
        all.extend(needs.iter().filter_map(News::of_need));
        all
    }
}
