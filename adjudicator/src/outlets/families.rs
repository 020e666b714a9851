//! Messages to families: the table of their child's next match, through an ntfy server.
//!
//! A message has round, table and seat, and no name: a reader of a topic learns no child from it. The topic follows from the link's secret,
//! so that nobody can guess it, and a new link has another. Pairings are sent when the public sees them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use axum::http::Method;
use event::{Entry, Follower, MessageLanguage, PlayerId};
use rules::{Color, Seat, standings::EntrantNumber};
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::outbound::{Outbound, OutboundError};
use crate::{
    config::Config, front::audience::Audience, hall::Hall, owner::follower::Stage,
    views::read_view::Sight,
};

/// Interval between two checks for changes.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Maximum number of messages that are sent at the same time.
const SENDING_MAX: usize = 32;
/// Maximum number of messages that wait; further ones are dropped and logged.
const WAITING_MAX: usize = 4_096;
/// Attempts of one message before it is dropped.
const ATTEMPTS: u32 = 5;
/// First pause after a failure, doubled each time.
const PAUSE: Duration = Duration::from_secs(1);
/// Number of hexadecimal digits of a topic: 128 bits.
const TOPIC_DIGITS: usize = 32;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Message {
    topic: String,
    text: String,
}

/// The topic of the link with this digest.
pub(crate) fn topic(digest: &str) -> String {
    let hash = Sha256::digest(format!("messages to a family\n{digest}").as_bytes());
    let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("tb{}", &digits[..TOPIC_DIGITS])
}

/// Sender of the messages.
#[derive(Debug)]
pub(crate) struct Families {
    outbound: Arc<Outbound>,
    /// Latest message of each child.
    told: BTreeMap<PlayerId, Message>,
    has_begun: bool,
    sending: Arc<Semaphore>,
    waiting: JoinSet<()>,
}

impl Families {
    /// Prepares sending where the organiser has named a server; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// The text is no address, or its token cannot be read.
    pub(crate) fn new(config: &Config) -> Result<Option<Families>, OutboundError> {
        let Some(url) = &config.families.ntfy else { return Ok(None) };
        let outbound = Outbound::new("families", url, config.families.token_file.as_deref())?;
        Ok(Some(Families {
            outbound: Arc::new(outbound),
            told: BTreeMap::new(),
            has_begun: false,
            sending: Arc::new(Semaphore::new(SENDING_MAX)),
            waiting: JoinSet::new(),
        }))
    }

    /// Sends what changes until shutdown. The state before the start is not sent.
    pub(crate) async fn run(
        mut self,
        floor: Arc<Stage>,
        public: Arc<Audience>,
        shutdown: CancellationToken,
    ) {
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = look.tick() => {}
            }
            while self.waiting.try_join_next().is_some() {}
            let all = messages(&floor.hall(), &public.look());
            let is_first = !std::mem::replace(&mut self.has_begun, true);
            for (player, message) in &all {
                if !is_first && self.told.get(player) != Some(message) {
                    self.send(message.clone());
                }
            }
            self.told = all;
        }
    }

    fn send(&mut self, message: Message) {
        if self.waiting.len() >= WAITING_MAX {
            tracing::warn!(
                host = self.outbound.host(),
                "too many messages to families wait: one is left out"
            );
            return;
        }
        let (outbound, sending) = (self.outbound.clone(), self.sending.clone());
        self.waiting.spawn(async move { attempt(&outbound, &sending, &message).await });
    }
}

/// Sends a message, with a bounded number of attempts. A pause holds up no other message.
async fn attempt(outbound: &Outbound, sending: &Arc<Semaphore>, message: &Message) {
    let mut pause = PAUSE;
    for attempt in 1..=ATTEMPTS {
        let permit: Option<OwnedSemaphorePermit> = sending.clone().acquire_owned().await.ok();
        let headers = [("content-type", "text/plain; charset=utf-8".to_owned())];
        let body = message.text.clone().into_bytes();
        let reason = match outbound.send(Method::POST, &message.topic, &headers, body).await {
            Ok(answer) if answer.status.is_success() => return,
            Ok(answer) => answer.status.to_string(),
            Err(reason) => reason,
        };
        drop(permit);
        if attempt == ATTEMPTS {
            tracing::warn!(host = outbound.host(), reason, "a message to a family was not sent");
            return;
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}

/// Present message of each child whose family has asked for messages.
fn messages(floor: &Hall, sight: &Sight) -> BTreeMap<PlayerId, Message> {
    let message = |follower: Follower<'_>| {
        let (section, number) = floor.event().place_of_player(follower.player)?;
        let hall = sight.of_section(section)?;
        let text = text(hall, section, number, &follower)?;
        Some((follower.player, Message { topic: topic(follower.digest), text }))
    };
    floor.event().followers().filter_map(message).collect()
}

/// Round, table and seat of a child's next match; none before it is paired.
fn text(
    hall: &Hall,
    section: &str,
    number: EntrantNumber,
    follower: &Follower<'_>,
) -> Option<String> {
    let event = hall.event();
    let known = event.section(section).ok()?;
    let round = known.opened;
    let mut pairings = event.round(section, round);
    let found = pairings.find(|(_, pairing)| pairing.numbers().any(|it| it == number));
    let Some((id, pairing)) = found else {
        known.byes.get(&(number, round))?;
        return Some(match follower.language {
            MessageLanguage::En => format!("Round {round}: no game"),
            MessageLanguage::Es => format!("Ronda {round}: sin partida"),
        });
    };
    let seats = event.seats(id);
    let seat = Seat::ALL.into_iter().find(|it| seats.get(it.index()) == Some(&follower.player));
    let is_team = matches!(known.entrants.get(&number)?.entry, Entry::Team(_));
    let table = &pairing.table;
    Some(match follower.language {
        MessageLanguage::En => {
            let board = |seat: Seat| {
                if is_team { format!(", board {}", seat.board) } else { String::new() }
            };
            let color = |seat: Seat| if seat.color == Color::White { ", White" } else { ", Black" };
            let seat = seat.map(|seat| board(seat) + color(seat)).unwrap_or_default();
            format!("Round {round}: table {table}{seat}")
        }
        MessageLanguage::Es => {
            let board = |seat: Seat| {
                if is_team { format!(", tablero {}", seat.board) } else { String::new() }
            };
            let color =
                |seat: Seat| if seat.color == Color::White { ", blancas" } else { ", negras" };
            let seat = seat.map(|seat| board(seat) + color(seat)).unwrap_or_default();
            format!("Ronda {round}: mesa {table}{seat}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_as_good_as_its_secret_and_another_for_each_link() {
        let (one, other) = (topic("a"), topic("b"));
        assert_eq!(one.len(), 2 + TOPIC_DIGITS);
        assert!(one != other && one.chars().all(|c| c.is_ascii_alphanumeric()));
    }
}
