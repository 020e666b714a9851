//! Who needs a director: everything that is open in the hall, the most urgent first.
//!
//! A list is made anew from the hall whenever somebody asks; it keeps nothing. What somebody has taken stays on it with
//! their name, what was dismissed does not, and what nobody takes in time is shown to the next level.

mod from_table;
mod hall;
mod incident;
pub(crate) mod machine;
mod pairing;
mod paper;
mod since;
mod table;
mod waiting;

use std::time::Instant;

use rules::{BoardId, Color, Seat};
use serde::Serialize;

pub(crate) use since::Since;
use since::UNKNOWN_MS;

use crate::{
    config::Td,
    hall::{
        Game, Hall, Seen,
        event::staff::{Rank, Scope},
    },
    limits::NEEDS_MAX,
    views::needs::machine::State,
};

/// Urgency of an item, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Urgency {
    /// A claim without a ruling.
    Claim,
    /// A table calls a director.
    Call,
    /// A clock was to be changed and was not: somebody must do it by hand.
    Clock,
    /// A position is to be reinstated.
    PutUp,
    /// Both clocks were stopped in play.
    Stopped,
    /// A result is disputed, or nobody has confirmed it.
    Result,
    /// A match in play has no sensor data.
    Sensors,
    /// A player could claim and has not: nobody may call it.
    Silent,
    /// A finding that no player can claim.
    Evidence,
    /// A notice about the hall.
    Notice,
}

impl Urgency {
    /// Its name, as JSON has it.
    pub(crate) fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|it| it.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// One item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Need {
    /// Stable as long as it is about the same.
    pub id: String,
    /// Urgency.
    pub urgency: Urgency,
    /// The table; empty for the whole hall.
    pub table: String,
    /// Name of the table.
    pub label: String,
    /// Its section.
    pub section: Option<String>,
    /// The round of the pairing that it concerns.
    pub round: Option<u8>,
    /// The pairing, where the item is about no match.
    pub pairing: Option<u32>,
    /// The match.
    #[serde(rename = "match")]
    pub match_id: Option<String>,
    /// The board.
    pub board: Option<BoardId>,
    /// In a few words.
    pub what: String,
    /// In a sentence.
    pub detail: String,
    /// The rule.
    pub rule: Option<String>,
    /// The claim's act, or the alert.
    pub about: Option<String>,
    /// The ply it concerns.
    pub ply: Option<u32>,
    /// Probability that it is so, 0 to 1, where that is inferred.
    pub confidence: Option<f64>,
    /// Whether nobody may call it: players must claim.
    pub silent: bool,
    /// Start of the item, Unix milliseconds.
    pub since_ms: u64,
    /// Director who has taken it.
    pub taken: Option<Seen>,
    /// Level that is to see about it by now.
    pub level: Rank,
    /// Whether it is about a match that is not at its table any more.
    pub is_earlier: bool,
}

impl Need {
    /// Whether a director may say that there is nothing to be done about it. What somebody waits for is decided.
    #[must_use]
    pub(crate) fn can_be_put_away(&self) -> bool {
        matches!(
            self.urgency,
            Urgency::Clock | Urgency::PutUp | Urgency::Silent | Urgency::Evidence | Urgency::Notice
        ) || from_table::can_be_dismissed(self)
    }
}

/// Open items at a moment.
#[must_use]
pub(crate) fn needs(
    hall: &Hall,
    machine: State,
    settings: &Td,
    clock_rate: f64,
    now_ms: u64,
) -> Vec<Need> {
    let maker = Maker { hall, settings, clock_rate, now_ms };
    let mut needs: Vec<Need> =
        hall.tables().iter().flat_map(|table| maker.of_table(table)).collect();
    needs.extend(maker.of_earlier_matches());
    needs.extend(maker.of_pairings());
    needs.extend(maker.of_calls());
    needs.extend(machine.room.trouble.map(|trouble| maker.disk(trouble)));
    machine.since.settle(&mut needs, Instant::now(), now_ms);
    let mut needs: Vec<Need> = needs.into_iter().map(|need| maker.waited(need)).collect();
    let rest = needs.len();
    needs.extend(machine.clock.map(|step| maker.clock_step(step)));
    needs.extend(machine.certificates.iter().cloned().map(|notice| maker.certificate(notice)));
    needs.extend(machine.broadcasts.iter().cloned().map(|notice| maker.broadcast(notice)));
    needs.extend(maker.damage(&machine.damage));
    needs.extend(maker.notices());
    machine.since.settle(&mut needs[rest..], Instant::now(), now_ms);
    needs.retain(|need| need.taken.as_ref().is_none_or(|taken| !taken.is_dismissed));
    needs.sort_by(|one, other| {
        let key = |need: &Need| (need.urgency, need.since_ms);
        key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id))
    });
    needs.truncate(NEEDS_MAX);
    needs
}

/// A seat in words.
#[must_use]
pub fn seat_words(game: rules::Game, seat: Seat) -> String {
    let color = match seat.color {
        Color::White => "White",
        Color::Black => "Black",
    };
    match game {
        rules::Game::Chess => color.to_owned(),
        rules::Game::Bughouse => format!("{color} at {}", seat.board),
    }
}

struct Maker<'a> {
    hall: &'a Hall,
    settings: &'a Td,
    clock_rate: f64,
    now_ms: u64,
}

impl Maker<'_> {
    fn need(&self, id: String, urgency: Urgency, game: Option<&Game>, table: &str) -> Need {
        let taken = self.hall.seen(&id).cloned();
        Need {
            id,
            urgency,
            table: table.to_owned(),
            label: self.hall.disclosure().label(table),
            section: self.hall.section_of(table, game),
            round: game.and_then(|game| {
                let pairings = self.hall.event().pairings();
                Some(pairings.get(&game.pairing?)?.round)
            }),
            pairing: None,
            match_id: game.map(|game| game.id.clone()),
            board: None,
            what: String::new(),
            detail: String::new(),
            rule: None,
            about: None,
            ply: None,
            confidence: None,
            silent: false,
            since_ms: UNKNOWN_MS,
            taken,
            level: Rank::Floor,
            is_earlier: false,
        }
    }

    /// The need with the level that it has reached by waiting.
    fn waited(&self, mut need: Need) -> Need {
        let step_ms = u64::from(self.settings.escalate_after_s).max(1) * 1000;
        let waited_ms = self.now_ms.saturating_sub(need.since_ms);
        let rises = need.urgency <= Urgency::Sensors && need.taken.is_none();
        let reached = match waited_ms / step_ms {
            _ if !rises => Rank::Floor,
            0 => Rank::Floor,
            1 => Rank::SectionChief,
            _ => Rank::Chief,
        };
        need.level = reached.max(need.level).max(self.lowest(&need));
        need
    }

    /// The lowest rank of those who look after a table and may see about an item: where there is no floor director, nothing waits for one.
    fn lowest(&self, need: &Need) -> Rank {
        let has_it = |scope: &Scope| scope.has(&need.table, need.section.as_deref());
        let devices = self.hall.staff().devices().map(|(_, device)| device);
        let theirs = devices.filter(|it| it.works(self.now_ms) && has_it(&it.scope));
        let ranks = theirs.map(|device| device.rank).filter(|rank| *rank >= need.level);
        ranks.min().unwrap_or(need.level)
    }
}

/// Open items of a hall at a moment, without those of a machine.
#[must_use]
pub fn open_items(hall: &Hall, settings: &Td, now_ms: u64) -> Vec<Need> {
    needs(hall, State::default(), settings, 1.0, now_ms)
}
