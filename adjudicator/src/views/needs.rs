//! Who needs a director: everything that is open in the hall, the most urgent first.
//!
//! A list is made anew from the hall whenever somebody asks; it keeps nothing. What somebody has taken stays on it with
//! their name, what was dismissed does not, and what nobody takes in time is shown to the next level.

mod incident;
pub(crate) mod machine;
mod pairing;
mod since;
mod waiting;

use std::time::Instant;

use event::Names;
use referee::{Alert, CaseState, ClaimState, Phase};
use rules::{BoardId, Color, Seat};
use serde::Serialize;

pub(crate) use since::Since;
use since::UNKNOWN_MS;

use crate::{
    config::{Td, alerts::Treatment},
    hall::{
        Game, Hall, Ordered, PutUpState, Seen, Table,
        event::staff::{Rank, Scope},
    },
    limits::NEEDS_MAX,
    log::Damage,
    machine::{broadcast_notices::BroadcastNotice, clock_steps::Step, disk::Trouble},
    pki::notices::CertificateNotice,
    views::{OrderView, VerdictView, needs::machine::State, order_words},
};

/// A clock that stands for so long after play began is looked at by somebody, milliseconds.
const STOPPED_FOR_MS: u64 = 5_000;

/// How urgent an item is, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Urgency {
    /// Somebody claims, and nobody has ruled.
    Claim,
    /// A clock was to be changed and was not: somebody must do it by hand.
    Clock,
    /// A position is to be put up again.
    PutUp,
    /// Both clocks were stopped in play.
    Stopped,
    /// A result is disputed, or nobody has confirmed it.
    Result,
    /// A match is played and its sensors are not heard.
    Sensors,
    /// A player could claim and has not: nobody may call it.
    Silent,
    /// Something was noticed that nobody can claim.
    Evidence,
    /// Something about the hall.
    Notice,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Need {
    /// Stable as long as it is about the same.
    pub id: String,
    /// How urgent it is.
    pub urgency: Urgency,
    /// The table; empty for the whole hall.
    pub table: String,
    /// What people call the table.
    pub label: String,
    /// Its section.
    pub section: Option<String>,
    /// The round of the pairing that it concerns.
    pub round: Option<u8>,
    /// That pairing, where it is about no match.
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
    /// Since when, Unix milliseconds.
    pub since_ms: u64,
    /// Who sees about it.
    pub taken: Option<Seen>,
    /// Who is to see about it by now.
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
        )
    }
}

/// What is open at a moment.
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

    fn of_table(&self, table: &Table) -> Vec<Need> {
        let game = table.match_id.as_deref().and_then(|id| self.hall.game(id));
        let mut needs: Vec<Need> = self.doubtful(table, game).collect();
        needs.extend(self.not_followed(table, game));
        let Some(game) = game else { return needs };
        if !table.is_live() && !game.referee().is_over() && game.referee().phase() != Phase::Ended {
            needs.push(self.sensors(table, game));
        }
        // Somebody waits for an answer to a claim, also where another has decided the match.
        let claims: Vec<Need> = self.claims(game).chain(self.appeals(game)).collect();
        if game.referee().is_over() {
            needs.extend(claims);
            needs.extend(self.turned(game));
            needs.extend(self.withheld(game));
            return needs;
        }
        let is_put_up = game.put_ups().iter().any(|it| it.state == PutUpState::Waiting);
        if claims.is_empty() && !is_put_up && game.referee().phase() == Phase::Paused {
            needs.extend(self.stopped(game));
        }
        needs.extend(claims);
        needs.extend(self.turned(game));
        needs.extend(self.orders(game));
        needs.extend(self.put_ups(game));
        let result = self.result(game).filter(|_| self.is_result_missing(game));
        let alerts = incident::joined(self.alerts(game));
        needs.extend(incident::without_those_of(game.referee().proposal(), alerts));
        needs.extend(result);
        if let Some(notice) = &game.notice {
            let mut need =
                self.need(format!("book:{}", game.id), Urgency::Notice, Some(game), &game.table);
            need.what = "Two files disagree".to_owned();
            need.detail.clone_from(notice);
            need.since_ms = game.opened_ms;
            needs.push(need);
        }
        needs
    }

    fn claims<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
        let open = game.referee().claims().filter(|claim| claim.state == CaseState::Open);
        open.map(|claim| {
            let id = format!("claim:{}:{}", game.id, claim.id);
            let mut need = self.need(id, Urgency::Claim, Some(game), &game.table);
            need.board = Some(claim.by.board);
            need.what =
                format!("{} claims: {}", seat_words(game.game, claim.by), claim.kind.about());
            if !self.is_hidden(game) {
                let verdict = VerdictView::of(game, &claim.verdict);
                need.detail = match self.hall.is_unheard(game) {
                    true => verdict.while_unheard().says,
                    false => verdict.says,
                };
                need.rule = claim.verdict.because.first().map(ToString::to_string);
            }
            need.about = Some(claim.id.to_string());
            need.ply = claim.against;
            need.since_ms = game.at_ms(claim.stopped_us, self.clock_rate);
            need
        })
    }

    /// Rulings against which the evidence has turned.
    fn turned<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
        let claims = game.referee().claims().filter(|_| !self.is_hidden(game));
        claims.filter_map(|claim| {
            let since = claim.since.as_ref()?;
            let id = format!("turned:{}:{}", game.id, claim.id);
            let mut need = self.need(id, Urgency::Evidence, Some(game), &game.table);
            need.board = Some(claim.by.board);
            need.what = "Seen otherwise since a ruling".to_owned();
            need.detail = since.says.clone();
            need.rule = since.because.first().map(ToString::to_string);
            need.about = Some(claim.id.to_string());
            need.ply = since.against;
            need.since_ms = game.at_ms(game.referee().now_us(), self.clock_rate);
            Some(need)
        })
    }

    /// Clocks that were not changed as ordered.
    fn orders<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
        let in_trouble = game.orders().iter().filter(|order| {
            matches!(order.what, Ordered::Clock(..)) && order.is_in_trouble(self.now_ms)
        });
        in_trouble.map(|order| {
            let id = format!("order:{}:{}", game.id, order.act);
            let mut need = self.need(id, Urgency::Clock, Some(game), &game.table);
            let view = OrderView::of(order, self.now_ms);
            need.board = view.board;
            need.what = format!("Not done: {}", order_words(&order.what));
            need.detail = view.detail;
            need.about = Some(order.act.to_string());
            need.since_ms = order.at_ms;
            need
        })
    }

    /// Positions that do not stand yet.
    fn put_ups<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
        let waiting = game.put_ups().iter().filter(|it| it.state == PutUpState::Waiting);
        waiting.map(|put_up| {
            let id = format!("put-up:{}:{}", game.id, put_up.act);
            let mut need = self.need(id, Urgency::PutUp, Some(game), &game.table);
            need.board = Some(put_up.board);
            need.what = match game.game {
                rules::Game::Chess => "Position to be put up again".to_owned(),
                rules::Game::Bughouse => format!("Position to be put up again at {}", put_up.board),
            };
            need.detail = "The table's page says which piece goes where.".to_owned();
            need.about = Some(put_up.act.to_string());
            need.since_ms = put_up.at_ms;
            need
        })
    }

    fn stopped(&self, game: &Game) -> Option<Need> {
        let since_ms = game.at_ms(game.stopped_us()?, self.clock_rate);
        if self.now_ms.saturating_sub(since_ms) < STOPPED_FOR_MS {
            return None;
        }
        let id = format!("stopped:{}:{}", game.id, game.stopped_us()?);
        let mut need = self.need(id, Urgency::Stopped, Some(game), &game.table);
        need.what = "Clocks stopped".to_owned();
        need.detail =
            "Both clocks stand in play: somebody claims, asks, or has agreed on a result."
                .to_owned();
        need.since_ms = since_ms;
        Some(need)
    }

    fn result(&self, game: &Game) -> Option<Need> {
        let referee = game.referee();
        let (standing, proposal) = (referee.result(), referee.proposal());
        let proposal = proposal.filter(|proposal| proposal.settled && !self.is_hidden(game));
        let id = match (standing, proposal) {
            (Some(standing), _) => format!("result:{}:{}", game.id, standing.act),
            (None, Some(proposal)) => format!("result:{}:{}", game.id, proposal.t_us),
            (None, None) => return None,
        };
        let mut need = self.need(id, Urgency::Result, Some(game), &game.table);
        let differs = standing
            .zip(proposal)
            .is_some_and(|(standing, proposal)| standing.result.winner != proposal.winner);
        match (standing, proposal) {
            (Some(standing), _) => {
                need.what = match differs {
                    true => "Result differs from the boards".to_owned(),
                    false => "Result to confirm".to_owned(),
                };
                let boards =
                    proposal.map(|proposal| format!(" The boards show: {}.", proposal.text));
                let people = self.hall.people(&game.table, Some(game), Names::Shown);
                let entered =
                    people.result_words(game.game, standing.result.winner, standing.result.reason);
                need.detail = format!("Entered: {entered}.{}", boards.unwrap_or_default());
                need.since_ms = game.at_ms(referee.now_us(), self.clock_rate);
            }
            (None, Some(proposal)) => {
                need.what = "Result to confirm".to_owned();
                need.detail = format!("The boards show: {}.", proposal.text);
                need.rule = proposal.rule.map(|rule| rule.to_string());
                need.confidence = Some(proposal.confidence);
                need.board = Some(proposal.board);
                need.ply = proposal.ply;
                need.since_ms = game.at_ms(proposal.t_us, self.clock_rate);
            }
            (None, None) => {}
        }
        Some(need)
    }

    fn alerts<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
        let claimed: Vec<u32> = game.referee().claims().filter_map(|claim| claim.against).collect();
        let shown = game.referee().alerts().filter(move |alert| {
            let is_in_claim = alert.ply.is_some_and(|ply| claimed.contains(&ply));
            let is_listed = match self.treatment(game, alert) {
                Treatment::Alert | Treatment::List => true,
                Treatment::Log | Treatment::Off => alert.claim == ClaimState::Claimed,
            };
            !alert.retracted
                && !is_in_claim
                && is_listed
                && !self.is_hidden(game)
                && self.settings.shows(alert)
        });
        // What was put away does not hide what is found about the same ply later.
        let is_open = |need: &Need| need.taken.as_ref().is_none_or(|taken| !taken.is_dismissed);
        shown.map(|alert| self.alert(game, alert)).filter(is_open)
    }

    /// Whether the evidence about a match waits until somebody has decided.
    fn is_hidden(&self, game: &Game) -> bool {
        self.settings.decide_first && !game.is_decided()
    }

    fn treatment(&self, game: &Game, alert: &Alert) -> Treatment {
        self.settings.treatment(self.hall.section_of(&game.table, Some(game)).as_deref(), alert)
    }

    fn alert(&self, game: &Game, alert: &Alert) -> Need {
        let urgency = match alert.claim {
            ClaimState::Claimed => Urgency::Claim,
            ClaimState::Open if alert.silent => Urgency::Silent,
            ClaimState::Open if self.treatment(game, alert) == Treatment::List => Urgency::Evidence,
            ClaimState::Open => Urgency::Claim,
            ClaimState::Closed | ClaimState::NotClaimable => Urgency::Evidence,
        };
        let id = format!("alert:{}:{}", game.id, alert.id);
        let mut need = self.need(id, urgency, Some(game), &game.table);
        let finding = rules::rulebook::Finding::from_code(&alert.code);
        need.what =
            finding.map_or_else(|| alert.code.clone(), |finding| finding.about().to_owned());
        need.detail.clone_from(&alert.evidence);
        need.rule = alert.rule.map(|rule| rule.to_string());
        need.about = Some(alert.id.clone());
        need.board = Some(alert.board);
        need.ply = alert.ply;
        need.confidence = Some(alert.confidence);
        need.silent = alert.silent && alert.claim == ClaimState::Open;
        need.since_ms = game.at_ms(alert.t_us, self.clock_rate);
        need
    }

    /// Boards and clocks that are heard and doubtful.
    fn doubtful<'a>(
        &'a self,
        table: &'a Table,
        game: Option<&'a Game>,
    ) -> impl Iterator<Item = Need> + 'a {
        table.doubtful_nodes().map(move |(node, words)| {
            let id = format!("node:{}:{node}", table.name);
            let mut need = self.need(id, Urgency::Notice, game, &table.name);
            need.what = "A board or clock needs looking at".to_owned();
            need.detail = words.to_owned();
            need
        })
    }

    /// Somebody plays, and nothing of it is recorded.
    fn not_followed(&self, table: &Table, game: Option<&Game>) -> Option<Need> {
        let words = table.not_followed()?;
        let id = format!("not-followed:{}:{words}", table.name);
        let mut need = self.need(id, Urgency::Sensors, game, &table.name);
        need.what = "Play is not followed".to_owned();
        need.detail = words.to_owned();
        Some(need)
    }

    fn sensors(&self, table: &Table, game: &Game) -> Need {
        let since_ms = table.stale_since_ms();
        let id = match since_ms {
            Some(since_ms) => format!("sensors:{}:{since_ms}", table.name),
            None => format!("sensors:{}:never", table.name),
        };
        let mut need = self.need(id, Urgency::Sensors, Some(game), &table.name);
        need.what = "Sensors not heard".to_owned();
        need.detail =
            "Nothing of this table reaches us: what happens there now is not in the record."
                .to_owned();
        for words in table.lost_nodes() {
            need.detail.push(' ');
            need.detail.push_str(words);
        }
        need.since_ms = since_ms.unwrap_or(UNKNOWN_MS);
        need
    }

    /// The disk of the log has little room, or none: then nothing is recorded anywhere.
    fn disk(&self, trouble: Trouble) -> Need {
        let (id, urgency, what) = match trouble.is_full() {
            true => ("disk:full", Urgency::Sensors, "Nothing is recorded"),
            false => ("disk:low", Urgency::Notice, "The disk is nearly full"),
        };
        // What was put away comes back when it is so once more.
        let mut need = self.of_hall(format!("{id}:{}", trouble.since_ms), urgency, what);
        need.detail = trouble.words();
        need.since_ms = trouble.since_ms;
        need
    }

    /// The machine's clock was set.
    fn clock_step(&self, step: Step) -> Need {
        let (id, what) = (format!("clock-step:{}", step.at_ms), "The machine's clock was set");
        let need = self.of_hall(id, Urgency::Notice, what);
        Need { detail: step.words(), since_ms: step.at_ms, ..need }
    }

    /// Browsers and hubs are shown an old certificate.
    fn certificate(&self, notice: CertificateNotice) -> Need {
        let CertificateNotice { what, words, since_ms } = notice;
        let id = format!("certificate:{since_ms}:{words}");
        let need = self.of_hall(id, Urgency::Notice, what);
        Need { detail: words, since_ms, ..need }
    }

    /// A place outside does not take what is sent to it.
    fn broadcast(&self, notice: BroadcastNotice) -> Need {
        let BroadcastNotice { words, since_ms } = notice;
        let id = format!("broadcast:{since_ms}:{words}");
        let need = self.of_hall(id, Urgency::Notice, "A broadcast stands still");
        Need { detail: words, since_ms, ..need }
    }

    /// This machine's disk has damaged the log.
    fn damage<'a>(&'a self, damage: &'a Damage) -> impl Iterator<Item = Need> + 'a {
        let since_ms = damage.since_ms();
        damage.notices().into_iter().map(move |(name, words)| {
            let id = format!("damage:{since_ms}:{name}");
            let need = self.of_hall(id, Urgency::Notice, "This machine's disk is damaged");
            Need { detail: words, since_ms, ..need }
        })
    }

    fn notices(&self) -> impl Iterator<Item = Need> {
        self.hall.notices(self.clock_rate).into_iter().map(|notice| {
            let id = format!("notice:{}", notice.id);
            Need { detail: notice.words, ..self.of_hall(id, Urgency::Notice, "About the hall") }
        })
    }

    /// Something about no table of its own.
    fn of_hall(&self, id: String, urgency: Urgency, what: &str) -> Need {
        let need = self.need(id, urgency, None, "");
        Need { label: "Hall".to_owned(), what: what.to_owned(), ..need }
    }
}

/// What is open in a hall at a moment, where no machine is around it.
#[must_use]
pub fn open_items(hall: &Hall, settings: &Td, now_ms: u64) -> Vec<Need> {
    needs(hall, State::default(), settings, 1.0, now_ms)
}
