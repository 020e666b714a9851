//! Input by input, what the log makes of the hall; and what it refuses.

use proto::mqtt::CALL_BUTTON;
use rules::BoardId;

use super::{
    Call, EventId, Game, Hall, Moment,
    refusal::Refusal,
    report::{Content, Opened, Report, RowContent, RowProblem},
    tables::{per_move::GaveBefore, presence::Hub},
};
use crate::{
    limits::{HUB_MATCHES_MAX, HUB_TABLES_MAX},
    log::input::Input,
};

/// Number of a hub's refused inputs that are logged one by one; then each one is logged whose number doubles the last.
const REFUSALS_SAID: u64 = 8;

impl Hall {
    /// Applies the next input of the log. An invalid one is counted, logged and left out.
    pub fn apply(&mut self, input: &Input, content: Result<Content, String>) {
        if input.id <= self.last_input {
            return;
        }
        self.last_input = input.id;
        if let Err(refusal) = self.guarded(input, |hall| hall.apply_known(input, content?)) {
            self.refused += 1;
            self.say_refusal(input, refusal);
        }
        self.count_touched();
        self.partitions.end_change();
    }

    fn say_refusal(&mut self, input: &Input, refusal: Refusal) {
        match refusal {
            Refusal::Stranger(words) | Refusal::OtherRelease(words) => {
                if let Some(words) = words {
                    tracing::warn!(input = input.id, "{words}");
                }
            }
            Refusal::Senseless(reason) => {
                let hub = self.tables.hubs.of(input.hub.as_deref().unwrap_or_default());
                let refused = hub.refuse();
                if refused <= REFUSALS_SAID || refused.is_power_of_two() {
                    tracing::warn!(
                        input = input.id, hub = input.hub, refused, %reason,
                        "an input is invalid and was skipped"
                    );
                }
            }
        }
    }

    fn apply_known(&mut self, input: &Input, content: Content) -> Result<(), Refusal> {
        let hub = input.hub.clone().unwrap_or_default();
        let at_ms = input.received_ms;
        match content {
            Content::Row(row) => self.apply_row(input, &hub, *row),
            Content::HubState(state) => {
                self.tables.count(&hub, input);
                self.tables.apply_hub_state(&hub, &state);
                self.tables.refresh_lines(at_ms);
                Ok(())
            }
            Content::RowsLost(which) => {
                self.tables.count(&hub, input);
                self.tables.note_lost(&hub, &which);
                Ok(())
            }
            Content::Act(act) => Ok(self.apply_act(input, &act)?),
            // Named by the store, whose disk has damaged it.
            Content::Damaged => Ok(()),
            Content::LinkUp => {
                // Presence is received again: births and wills are retained by the broker.
                self.tables.is_linked = true;
                self.tables.hubs.each(Hub::forget_presence);
                self.tables.refresh_lines(at_ms);
                Ok(())
            }
            Content::LinkDown => {
                self.tables.is_linked = false;
                self.tables.refresh_lines(at_ms);
                Ok(())
            }
            Content::Deadline(t_us) => {
                let match_id = input.match_id.clone().unwrap_or_default();
                self.apply_to_match(input.id, at_ms, &match_id, t_us, referee::Input::Timeout)?;
                Ok(())
            }
        }
    }

    fn apply_row(&mut self, input: &Input, hub: &str, row: RowContent) -> Result<(), Refusal> {
        let at_ms = input.received_ms;
        self.tables.count(hub, input);
        if row.sequence == 1 {
            self.tables.hubs.of(hub).begin_boot();
        }
        let RowContent { hub_time_us, table, report, .. } = row;
        let report = report.map_err(|problem| match problem {
            RowProblem::Senseless(reason) => Refusal::Senseless(reason),
            RowProblem::OtherRelease(error) => {
                let hubs = self.tables.hubs.of(hub);
                let is_news = hubs.meet_other_release();
                let words = hubs.other_release().filter(|_| is_news);
                Refusal::OtherRelease(words.map(|words| format!("hub {hub}: {words} ({error})")))
            }
        })?;
        let most = self.limits.tables;
        let slot = self.tables.hub_table_slot(&table, hub).ok_or_else(|| {
            format!(
                "table {table:?} is one too many: at most {most} are served, {HUB_TABLES_MAX} of one hub"
            )
        })?;
        if !self.tables.claim(slot, hub) {
            return Err(self.tables.stranger(format!("table {table}"), hub, slot));
        }
        self.tables.refresh_line(slot, at_ms);
        let presence = self.tables.hubs.of(hub);
        let read_ms = presence.local_ms(hub_time_us / 1000, input.received_ms);
        let moment = Moment { input: input.id, at_ms: read_ms, hub_us: hub_time_us };
        match report {
            Report::Opened(opened) => self.open_match(moment, slot, hub, opened)?,
            Report::Match { match_id, t_us, input: report } => {
                self.tables.check_report(&match_id, (hub, &table), (hub_time_us, t_us), &report)?;
                if self
                    .tables
                    .matches
                    .get(&match_id)
                    .is_some_and(|game| game.explains(&report, read_ms))
                {
                    return Ok(());
                }
                if self.tables.withhold(&match_id, (read_ms, t_us), &report) {
                    self.tables.desk_changed = input.id;
                    return Ok(());
                }
                self.follow(moment, hub, &match_id, t_us, report)?;
            }
            Report::Order { id, news } => {
                let before = self.tables.note_order(input.id, hub, id, news)?;
                self.judge_per_moves(input.id, &before);
            }
            Report::Clip(clip) => self.tables.note_clip(input.id, hub, clip)?,
            Report::ZeroTest { match_id, order, differences_us } => {
                self.tables.note_zero_test(input.id, hub, (&match_id, order), &differences_us)?;
            }
            Report::NodeTimed { id, error } => self.tables.note_node_error(slot, id, error),
            Report::Board { match_id, board, news } => {
                self.tables.note_board(input.id, hub, &match_id, (board, news))?;
            }
            Report::Questions { match_id, questions } => {
                let game = self.tables.matches.get_mut(&match_id).filter(|game| game.hub == hub);
                let game = game.ok_or_else(|| format!("match {match_id} is not this hub's"))?;
                game.ask(input.id, questions);
            }
            Report::Node { id, trouble } if id == CALL_BUTTON => {
                // Each press is one faulty state. A button whose hub is lost makes no call.
                if trouble.is_some_and(|it| !it.is_lost) {
                    let call = Call { act: input.id, at_ms: input.received_ms };
                    self.event.calls.open(&table, call);
                    self.tables.desk_changed = input.id;
                }
            }
            Report::Node { id, trouble } => {
                self.tables.note_node((input.id, at_ms), slot, id, trouble)
            }
        }
        Ok(())
    }

    fn open_match(
        &mut self,
        moment: Moment,
        slot: usize,
        hub: &str,
        opened: Opened,
    ) -> Result<(), Refusal> {
        self.tables.check_name(&opened.match_id, slot, hub)?;
        let most = self.limits.matches;
        if self.tables.matches.len() >= most {
            return Err(format!(
                "more than {most} matches: raise limits.matches, or start a new database"
            )
            .into());
        }
        if self.tables.matches.count_of_hub(hub) >= HUB_MATCHES_MAX {
            return Err(format!(
                "more than {HUB_MATCHES_MAX} matches of one hub: give it another hub.id if it is no attack, or start a new database"
            )
            .into());
        }
        let id = opened.match_id.clone();
        let table = self.tables.list[slot].name.clone();
        let pairing = self.pairing_at(&table);
        let terms = pairing.and_then(|id| {
            let section = &self.event.state.pairings().get(&id)?.section;
            Some((section.as_str(), &self.event.state.section(section).ok()?.terms))
        });
        let judged =
            self.judging.judge(&table, opened.game, &opened.rulebook, terms, &opened.time)?;
        if let Some(notice) = &judged.notice {
            tracing::warn!(table, hub, "match {id} is judged with a notice: {notice}");
        }
        // The set-up of the next match closes the table's open claims.
        if let Some(before) = self.tables.list[slot].match_id.clone()
            && let Some(game) = self.tables.matches.get(&before)
        {
            let now_us = game.referee().now_us();
            self.handle(moment.input, moment.at_ms, &before, now_us, referee::Input::NextMatch);
            self.note_told(&before);
        }
        let mut game = Game::new(table.clone(), hub, opened, judged, moment);
        game.node_errors = self.tables.list[slot].node_errors.clone();
        self.tables.matches.insert(game);
        self.tables.list[slot].match_id = Some(id);
        self.bind_again(&table);
        self.tables.touch(slot);
        Ok(())
    }

    pub(super) fn apply_to_match(
        &mut self,
        input: u64,
        at_ms: u64,
        match_id: &str,
        t_us: u64,
        report: referee::Input,
    ) -> Result<(), String> {
        let is_shown = self
            .handle(input, at_ms, match_id, t_us, report)
            .ok_or_else(|| format!("match {match_id} has never been opened"))?;
        if let Some(slot) = self.tables.slot_of_match(match_id).filter(|_| is_shown) {
            self.tables.touch(slot);
        }
        self.note_begun(input, match_id);
        self.tables.note_decided(at_ms, match_id);
        self.note_told(match_id);
        Ok(())
    }

    /// A match takes an input. Whether everybody may see what became of it; none: there is no such match.
    fn handle(
        &mut self,
        input: u64,
        at_ms: u64,
        match_id: &str,
        t_us: u64,
        report: referee::Input,
    ) -> Option<bool> {
        let partition = self.partition_of(self.tables.matches.get(match_id)?);
        let event = EventId::of_plies(self.partitions.change(partition));
        let game = self.tables.matches.get_mut(match_id)?;
        let is_shown = game.handle(input, (partition, event), at_ms, t_us, report);
        if let Some((partition, last)) = game.changes().last() {
            self.partitions.note(partition, last);
        }
        self.tables.note_deadline(match_id);
        Some(is_shown)
    }

    /// Applies a report about a match, as long as match and hub have their share of work.
    fn follow(
        &mut self,
        moment: Moment,
        hub: &str,
        match_id: &str,
        t_us: u64,
        report: referee::Input,
    ) -> Result<(), Refusal> {
        self.tables.check_effort(hub, match_id)?;
        let before = self.tables.cost_of(match_id);
        self.apply_to_match(moment.input, moment.at_ms, match_id, t_us, report)?;
        self.tables.note_effort(hub, match_id, before);
        Ok(())
    }

    /// After its result was taken back, a match goes on with the waiting rows.
    pub(super) fn release_withheld(
        &mut self,
        input: u64,
        at_ms: u64,
        match_id: &str,
    ) -> Result<(), String> {
        let mut waited = self.tables.take_withheld(match_id).into_iter();
        waited.try_for_each(|(t_us, report)| {
            self.apply_to_match(input, at_ms, match_id, t_us, report)
        })
    }

    /// Gives the referee the clocks' present delays, where an order that was carried out has changed them.
    pub(super) fn judge_per_moves(&mut self, input: u64, before: &GaveBefore) {
        let match_id = &before.match_id;
        let Some(game) = self.tables.matches.get(match_id) else { return };
        let partition = self.partition_of(game);
        let event = EventId::of_plies(self.partitions.change(partition));
        let Some(game) = self.tables.matches.get_mut(match_id) else { return };
        for (board, before) in BoardId::ALL.into_iter().zip(before.per_move) {
            let (per_move, now_us) = (game.per_move(board), game.referee().now_us());
            if per_move != before {
                game.judge(
                    input,
                    (partition, event),
                    now_us,
                    referee::Input::PerMove(board, per_move),
                );
            }
        }
        self.tables.note_deadline(match_id);
    }
}
