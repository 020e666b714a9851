//! Tells other programs what happens: matches that begin, results, and that somebody is needed.
//!
//! Off unless the configuration names somebody. What is told of matches is what everybody may see, behind the public's delay; of
//! what directors are to see about it says where and what, never who, and nothing that is silent.

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

/// How often is looked for news.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// News that are remembered as told.
const KNOWN_MAX: usize = 65_536;

/// Where news come from.
pub(crate) struct Sources {
    pub(crate) public: Arc<Audience>,
    pub(crate) floor: Arc<Stage>,
    pub(crate) machine: Machine,
    pub(crate) td: Td,
    pub(crate) clock_rate: f64,
}

/// Looks for news and has them told until shutdown. What was there before the start is no news.
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

fn tell(hooks: &[(Webhook, sender::Queue)], one: &News) {
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
