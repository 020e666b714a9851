//! Items of one table: claims, clocks, results, findings, sensors and play that no match follows.

use event::Names;
use referee::{Alert, CaseState, ClaimState, Phase};

use super::{Maker, Need, Urgency, incident, seat_words, since::UNKNOWN_MS};
use crate::{
    config::alerts::Treatment,
    hall::{Game, Ordered, PutUpState, Table},
    views::{OrderView, VerdictView, director::proposed_words, order_words},
};

/// Time after which a stopped clock in play is an item, milliseconds.
const STOPPED_FOR_MS: u64 = 5_000;

impl Maker<'_> {
    pub(super) fn of_table(&self, table: &Table) -> Vec<Need> {
        let game = table.match_id.as_deref().and_then(|id| self.hall.game(id));
        let mut needs: Vec<Need> = self.doubtful(table, game).collect();
        needs.extend(self.not_followed(table, game));
        let Some(game) = game else { return needs };
        if !table.is_live() && !game.referee().is_over() && game.referee().phase() != Phase::Ended {
            needs.push(self.sensors(table, game));
        }
        // A claimant waits for an answer, also where another decision has ended the match.
        let claims: Vec<Need> = self.claims(game).chain(self.appeals(game)).collect();
        if game.referee().is_over() || self.is_settled_on_paper(game) {
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

    pub(super) fn claims<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
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
    pub(super) fn turned<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
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
                rules::Game::Chess => "Position to set up again".to_owned(),
                rules::Game::Bughouse => format!("Position to set up again at {}", put_up.board),
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
            "Both clocks are stopped in play: a player claims, asks, or has agreed on a result."
                .to_owned();
        need.since_ms = since_ms;
        Some(need)
    }

    pub(super) fn result(&self, game: &Game) -> Option<Need> {
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
        let people = self.hall.people(&game.table, Some(game), Names::Shown);
        match (standing, proposal) {
            (Some(standing), _) => {
                need.what = match differs {
                    true => "Result differs from the boards".to_owned(),
                    false => "Result to confirm".to_owned(),
                };
                let boards = proposal
                    .map(|it| format!(" The boards show: {}.", proposed_words(game, it, &people)));
                let entered =
                    people.result_words(game.game, standing.result.winner, standing.result.reason);
                need.detail = format!("Entered: {entered}.{}", boards.unwrap_or_default());
                need.since_ms = game.at_ms(referee.now_us(), self.clock_rate);
            }
            (None, Some(proposal)) => {
                need.what = "Result to confirm".to_owned();
                let words = proposed_words(game, proposal, &people);
                need.detail = format!("The boards show: {words}.");
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
        // A dismissed item does not hide a later finding about the same ply.
        let is_open = |need: &Need| need.taken.as_ref().is_none_or(|taken| !taken.is_dismissed);
        shown.map(|alert| self.alert(game, alert)).filter(is_open)
    }

    /// Whether the evidence about a match is hidden until a director has decided.
    fn is_hidden(&self, game: &Game) -> bool {
        self.settings.decide_first && !game.is_decided()
    }

    fn treatment(&self, game: &Game, alert: &Alert) -> Treatment {
        let section = self.hall.section_of(&game.table, Some(game));
        self.hall.treatment(self.settings, section.as_deref(), &alert.code)
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

    /// Items of doubtful boards and clocks.
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

    /// The item for play that is not recorded.
    pub(super) fn not_followed(&self, table: &Table, game: Option<&Game>) -> Option<Need> {
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
            "No data arrives from this table: events there are not recorded now."
                .to_owned();
        for words in table.lost_nodes() {
            need.detail.push(' ');
            need.detail.push_str(words);
        }
        need.since_ms = since_ms.unwrap_or(UNKNOWN_MS);
        need
    }
}
