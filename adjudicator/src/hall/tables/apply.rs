//! Input by input, what the log makes of the hall; and what it refuses.

use super::{
    ownership::{hub_and_table, is_hub_and_table},
    presence::Hub,
};
use crate::{
    config::MAX_TABLES,
    hall::{
        EventId, Game, Hall, Moment, Table,
        refusal::Refusal,
        report::{Content, HubPresence, NodeTrouble, Opened, Report, RowContent, RowProblem},
    },
    limits::MAX_MATCHES,
    log::input::Input,
};

/// Most matches that one hub may open: sixteen tables with forty rounds each are far less. Beyond it one account could use up
/// [`MAX_MATCHES`] for the whole hall.
const HUB_MATCHES_MAX: usize = 2048;

/// Most tables that the event does not name and one hub may serve, twice what a hub's configuration takes.
const HUB_TABLES_MAX: usize = 32;

/// Most nodes of a table of which it is remembered that something is the matter.
const NODES_MAX: usize = 64;

/// As many refused inputs of a hub are said one by one; then every one whose number doubles the last that was said.
const REFUSALS_SAID: u64 = 8;

impl Hall {
    /// Applies the next input of the log. One that makes no sense is counted, said and left out.
    pub fn apply(&mut self, input: &Input, content: Result<Content, String>) {
        if input.id <= self.last_input {
            return;
        }
        self.last_input = input.id;
        let shown_ms = input.received_ms + self.delay_ms;
        if let Err(refusal) =
            self.guarded(input, |hall| hall.apply_known(input, shown_ms, content?))
        {
            self.refused += 1;
            self.say_refusal(input, refusal);
        }
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
                let hub = self.hubs.of(input.hub.as_deref().unwrap_or_default());
                let refused = hub.refuse();
                if refused <= REFUSALS_SAID || refused.is_power_of_two() {
                    tracing::warn!(
                        input = input.id, hub = input.hub, refused, %reason,
                        "an input makes no sense and is left out"
                    );
                }
            }
        }
    }

    fn apply_known(
        &mut self,
        input: &Input,
        shown_ms: u64,
        content: Content,
    ) -> Result<(), Refusal> {
        let hub = input.hub.clone().unwrap_or_default();
        match content {
            Content::Row(row) => self.apply_row(input, shown_ms, &hub, *row),
            Content::HubState(state) => {
                self.count(&hub, input);
                self.apply_hub_state(&hub, &state);
                self.refresh_lines(shown_ms);
                Ok(())
            }
            Content::RowsLost(which) => {
                self.count(&hub, input);
                self.note_lost(&hub, &which);
                Ok(())
            }
            Content::Act(act) => Ok(self.apply_act(input, shown_ms, &act)?),
            // Named by the store, whose disk has damaged it.
            Content::Damaged => Ok(()),
            Content::LinkUp => {
                // Who is there is heard anew: births and wills are retained by the broker.
                self.is_linked = true;
                self.hubs.each(Hub::forget_presence);
                self.refresh_lines(shown_ms);
                Ok(())
            }
            Content::LinkDown => {
                self.is_linked = false;
                self.refresh_lines(shown_ms);
                Ok(())
            }
            Content::Deadline(t_us) => {
                let match_id = input.match_id.clone().unwrap_or_default();
                self.apply_to_match(input.id, shown_ms, &match_id, t_us, referee::Input::Timeout)?;
                Ok(())
            }
        }
    }

    /// Rows of a hub will never come.
    fn note_lost(&mut self, hub: &str, which: &str) {
        self.lost.note(hub, which);
        let first = which.split(' ').nth(1).and_then(|first| first.parse::<u64>().ok());
        if first == Some(1) {
            self.hubs.of(hub).begin_boot();
        }
    }

    /// An input fills a hub's share of the log.
    fn count(&mut self, hub: &str, input: &Input) {
        self.hubs.of(hub).count(input.weight());
    }

    fn apply_row(
        &mut self,
        input: &Input,
        shown_ms: u64,
        hub: &str,
        row: RowContent,
    ) -> Result<(), Refusal> {
        self.count(hub, input);
        if row.sequence == 1 {
            self.hubs.of(hub).begin_boot();
        }
        let RowContent { hub_time_us, table, report, .. } = row;
        let report = report.map_err(|problem| match problem {
            RowProblem::Senseless(reason) => Refusal::Senseless(reason),
            RowProblem::OtherRelease(error) => {
                let hubs = self.hubs.of(hub);
                let is_news = hubs.meet_other_release();
                let words = hubs.other_release().filter(|_| is_news);
                Refusal::OtherRelease(words.map(|words| format!("hub {hub}: {words} ({error})")))
            }
        })?;
        let slot = self.hub_table_slot(&table, hub).ok_or_else(|| {
            format!(
                "table {table:?} is one too many: at most {MAX_TABLES} are served, {HUB_TABLES_MAX} of one hub"
            )
        })?;
        if !self.claim(slot, hub) {
            return Err(self.stranger(format!("table {table}"), hub, slot));
        }
        self.refresh_line(slot, shown_ms);
        let presence = self.hubs.of(hub);
        let read_ms = presence.local_ms(hub_time_us / 1000, input.received_ms) + self.delay_ms;
        let moment = Moment { input: input.id, shown_ms: read_ms, hub_us: hub_time_us };
        match report {
            Report::Opened(opened) => self.open_match(moment, slot, hub, opened)?,
            Report::Match { match_id, t_us, input: report } => {
                self.check_report(&match_id, (hub, &table), (hub_time_us, t_us), &report)?;
                if self.matches.get(&match_id).is_some_and(|game| game.explains(&report, read_ms)) {
                    return Ok(());
                }
                if self.withhold(&match_id, (read_ms, t_us), &report) {
                    self.desk_changed = input.id;
                    return Ok(());
                }
                self.follow(moment, hub, &match_id, t_us, report)?;
            }
            Report::Order { id, news } => self.note_order(input.id, hub, id, news)?,
            Report::Clip(clip) => self.note_clip(input.id, hub, clip)?,
            Report::Board { match_id, board, news } => {
                self.note_board(input.id, hub, &match_id, (board, news))?;
            }
            Report::Questions { match_id, questions } => {
                let game = self.matches.get_mut(&match_id).filter(|game| game.hub == hub);
                let game = game.ok_or_else(|| format!("match {match_id} is not this hub's"))?;
                game.ask(input.id, questions);
            }
            Report::Node { id, trouble } => self.note_node((input.id, shown_ms), slot, id, trouble),
        }
        Ok(())
    }

    /// A node is in trouble, or no longer, at a moment: the number of the input and when it is shown.
    fn note_node(
        &mut self,
        (input, shown_ms): (u64, u64),
        slot: usize,
        id: String,
        trouble: Option<NodeTrouble>,
    ) {
        let was_followed = self.tables[slot].not_followed().is_none();
        let troubled = &mut self.tables[slot].troubled_nodes;
        match trouble {
            None => drop(troubled.remove(&id)),
            Some(trouble) if troubled.len() < NODES_MAX || troubled.contains_key(&id) => {
                troubled.insert(id, trouble);
            }
            Some(_) => {}
        }
        self.refresh_line(slot, shown_ms);
        if self.tables[slot].not_followed().is_none() != was_followed {
            self.touch_table(slot);
        }
        self.desk_changed = input;
    }

    /// Whether a hub may say this of a match.
    fn check_report(
        &mut self,
        match_id: &str,
        (hub, table): (&str, &str),
        (hub_time_us, t_us): (u64, u64),
        report: &referee::Input,
    ) -> Result<(), Refusal> {
        let Some(game) = self.matches.get_mut(match_id) else { return Ok(()) };
        if game.hub != hub {
            let words = self.strangers.meet(&format!("match {match_id}"), hub, &game.hub);
            return Err(Refusal::Stranger(words));
        }
        if game.table != table {
            return Err(format!("match {match_id} is played at another table").into());
        }
        Ok(game.check(hub_time_us, t_us, report)?)
    }

    /// The place of a table that a hub speaks of; a new one, if it may have another.
    fn hub_table_slot(&mut self, table: &str, hub: &str) -> Option<usize> {
        if let Some(slot) = self.slot_of(table) {
            return Some(slot);
        }
        let of_hub = self.tables.iter().filter(|known| known.owner.hub() == Some(hub)).count();
        if of_hub < HUB_TABLES_MAX { self.table_slot(table) } else { None }
    }

    /// A hub says that it serves a table. Whether it may.
    fn claim(&mut self, slot: usize, hub: &str) -> bool {
        let Hall { tables, hubs, strangers, .. } = self;
        let table = &mut tables[slot];
        let before = table.owner.hub().map(str::to_owned);
        let has_left = |owner: &str| hubs.get(owner).is_some_and(Hub::has_left);
        let may = table.owner.claim(hub, has_left);
        if may && before.as_deref() != Some(hub) {
            table.troubled_nodes.clear();
            strangers.settle(&format!("table {}", table.name), hub);
        }
        may
    }

    fn stranger(&mut self, what: String, hub: &str, slot: usize) -> Refusal {
        let owner = self.tables[slot].owner.hub().unwrap_or_default();
        Refusal::Stranger(self.strangers.meet(&what, hub, owner))
    }

    /// Whether a hub may open a match of this name at its table. A name that fits several hubs and their tables ("a" and "b-1", "a-b" and
    /// "1") is that one's whose table is first: that the organiser has listed, or that was there before.
    fn check_name(&mut self, match_id: &str, slot: usize, hub: &str) -> Result<(), Refusal> {
        if let Some(game) = self.matches.get(match_id) {
            if game.hub == hub {
                return Err(format!("match {match_id} has been opened before").into());
            }
            let words = self.strangers.meet(&format!("match {match_id}"), hub, &game.hub);
            return Err(Refusal::Stranger(words));
        }
        let Some(named) = hub_and_table(match_id) else { return Ok(()) };
        let is_named = |table: &Table| {
            table.owner.hub().is_some_and(|owner| is_hub_and_table(named, owner, &table.name))
        };
        let first = self.tables.slots().position(is_named);
        match first {
            Some(first) if first == slot => Ok(()),
            Some(first) if self.tables[first].owner.hub() != Some(hub) => {
                let what = format!("matches of table {}", self.tables[first].name);
                Err(self.stranger(what, hub, first))
            }
            _ => {
                let table = &self.tables[slot].name;
                Err(format!("match {match_id} is not named after hub {hub} and table {table}")
                    .into())
            }
        }
    }

    fn open_match(
        &mut self,
        moment: Moment,
        slot: usize,
        hub: &str,
        opened: Opened,
    ) -> Result<(), Refusal> {
        self.check_name(&opened.match_id, slot, hub)?;
        if self.matches.len() >= MAX_MATCHES {
            return Err(format!("more than {MAX_MATCHES} matches: start a new database").into());
        }
        if self.matches.count_of_hub(hub) >= HUB_MATCHES_MAX {
            return Err(format!(
                "more than {HUB_MATCHES_MAX} matches of one hub: give it another hub.id if it is no attack, or start a new database"
            )
            .into());
        }
        let id = opened.match_id.clone();
        let table = self.tables[slot].name.clone();
        let pairing = self.pairing_at(&table);
        let terms = pairing.and_then(|id| {
            let section = &self.event.pairings().get(&id)?.section;
            Some((section.as_str(), &self.event.section(section).ok()?.terms))
        });
        let judged =
            self.judging.judge(&table, opened.game, &opened.rulebook, terms, &opened.time)?;
        if let Some(notice) = &judged.notice {
            tracing::warn!(table, hub, "match {id}: {notice}");
        }
        // Whatever was open at this table is closed by the set-up of the next match.
        if let Some(before) = self.tables[slot].match_id.clone()
            && let Some(game) = self.matches.get(&before)
        {
            let now_us = game.referee().now_us();
            self.handle(moment.input, moment.shown_ms, &before, now_us, referee::Input::NextMatch);
            self.note_told(&before);
        }
        let game = Game::new(table.clone(), hub, opened, judged, moment);
        self.matches.insert(game);
        self.tables[slot].match_id = Some(id);
        self.bind_again(&table);
        self.touch_table(slot);
        Ok(())
    }

    pub(in crate::hall) fn apply_to_match(
        &mut self,
        input: u64,
        shown_ms: u64,
        match_id: &str,
        t_us: u64,
        report: referee::Input,
    ) -> Result<(), String> {
        let is_shown = self
            .handle(input, shown_ms, match_id, t_us, report)
            .ok_or_else(|| format!("match {match_id} has never been opened"))?;
        if let Some(slot) = self.slot_of_match(match_id).filter(|_| is_shown) {
            self.touch_table(slot);
        }
        self.note_begun(input, match_id);
        self.note_decided(shown_ms, match_id);
        self.note_told(match_id);
        Ok(())
    }

    /// A match takes an input. Whether everybody may see what became of it; none: there is no such match.
    fn handle(
        &mut self,
        input: u64,
        shown_ms: u64,
        match_id: &str,
        t_us: u64,
        report: referee::Input,
    ) -> Option<bool> {
        let partition = self.partition_of(self.matches.get(match_id)?);
        let event = EventId::of_plies(self.partitions.change(partition));
        let game = self.matches.get_mut(match_id)?;
        let is_shown = game.handle(input, (partition, event), shown_ms, t_us, report);
        if let Some((partition, last)) = game.changes().last() {
            self.partitions.note(partition, last);
        }
        self.note_deadline(match_id);
        Some(is_shown)
    }

    fn apply_hub_state(&mut self, name: &str, state: &HubPresence) {
        let hub = self.hubs.of(name);
        let is_new_boot = hub.hear(state.boot_id, state.is_online);
        hub.complain(&state.troubles);
        let names: Vec<String> =
            state.tables.iter().filter(|table| crate::config::is_segment(table)).cloned().collect();
        for table in names {
            let Some(slot) = self.hub_table_slot(&table, name) else { continue };
            // Whoever says goodbye claims nothing.
            if !state.is_online && self.tables[slot].owner.hub() != Some(name) {
                continue;
            }
            if !self.claim(slot, name) {
                let refusal = self.stranger(format!("table {table}"), name, slot);
                if let Refusal::Stranger(Some(words)) = refusal {
                    tracing::warn!("{words}");
                }
                continue;
            }
            if is_new_boot {
                self.tables[slot].troubled_nodes.clear();
            }
        }
    }

    /// Works out which tables' readings reach us.
    fn refresh_lines(&mut self, shown_ms: u64) {
        for slot in 0..self.tables.len() {
            self.refresh_line(slot, shown_ms);
        }
    }

    fn refresh_line(&mut self, slot: usize, shown_ms: u64) {
        let table = &self.tables[slot];
        let hub = table.owner.hub().and_then(|hub| self.hubs.get(hub));
        // A doubtful node is heard: one switch that flickers does not take the table away.
        let is_lost = table.lost_nodes().next().is_some();
        let is_live = self.is_linked && hub.is_some_and(Hub::is_online) && !is_lost;
        let mut line = table.line;
        if line.set(is_live, shown_ms) {
            self.tables[slot].line = line;
            self.touch_table(slot);
        }
    }
}
