//! Steps of the programs, as their shells do them, with the real senders and the real receiver.

use delivery::{Note, Position, SenderEvent, Work};
use proto::link::ResumePoint;
use proto::mqtt::{ReceivedRows, decode_rows};

use super::{EPOCH_US, Event, Who, World};
use crate::client::Client;
use crate::floor::{Floor, goes_back};
use crate::hub::{COMMANDS_MAX, Hub};
use crate::journal::{Command, Journal, Numbered};
use crate::outcome::{Observer, Violation};
use crate::sabotage::Sabotage;
use crate::store::Stored;
use crate::truth::numbered_entry;

/// Interval at which a hub checks its client, µs.
const TICK_US: u64 = 250_000;
/// Time after which a writer retries when the disk has refused, µs.
const RETRY_US: u64 = 250_000;
/// Rows that a table gives to the writer before it waits.
const ROWS_WAITING_MAX: usize = 200;

impl<O: Observer> World<'_, O> {
    pub(super) fn step(&mut self, event: Event) -> Result<(), Violation> {
        match event {
            Event::Incident(index) => self.befall(self.plan.incidents[index].1),
            Event::Row(slot) => {
                let number = self.next_row_number(slot);
                self.hubs[slot].offered.push_back(number);
                self.offer(slot);
            }
            Event::OfFloor(hub, event) => self.step_floor(hub, event)?,
            Event::Commit(slot, incarnation) => self.commit(slot, incarnation)?,
            Event::Tick(slot, incarnation) => self.tick(slot, incarnation),
            Event::Order(index) => self.give_order(index),
            Event::Look(incarnation) => self.send_orders(incarnation),
            Event::WorkDone(incarnation) => self.work_done(incarnation)?,
            Event::Connect(who, generation) => self.connect(who, generation),
            Event::Accepted(who, generation, connection) => {
                self.accepted(who, generation, connection);
            }
            Event::Send(who, generation) => self.send(who, generation),
            Event::ToBroker(who, connection, request) => {
                self.reach_broker(who, connection, request)
            }
            Event::ToClient(who, connection, message) => {
                self.reach_client(who, connection, message)
            }
            Event::Closed(who, connection) => self.closed(who, connection),
            Event::Expired(connection) => self.expire(connection),
        }
        Ok(())
    }

    /// Messages of a clone change no count of the hubs of the event.
    fn next_row_number(&mut self, slot: usize) -> u32 {
        let is_clone = slot >= self.plan.rows_us.len();
        let rows = if is_clone { &mut self.clone_rows } else { &mut self.rows };
        *rows += 1;
        *rows
    }

    pub(super) fn drive(&mut self, who: Who) {
        match who {
            Who::Hub(slot) => self.drive_hub(slot),
            Who::Adjudicator => self.drive_adjudicator(),
        }
    }

    /// The table gives the writer what it has, as far as there is room.
    pub(super) fn offer(&mut self, slot: usize) {
        let Hub { offered, process: Some(process), .. } = &mut self.hubs[slot] else { return };
        while process.rows_waiting < offered.len().min(ROWS_WAITING_MAX) {
            let entry = numbered_entry(offered[process.rows_waiting]);
            process.commands.push_back(Command::Entry(Box::new(entry)));
            process.rows_waiting += 1;
        }
        self.commit_later(slot);
    }

    pub(super) fn commit_later(&mut self, slot: usize) {
        let wait_us = self.some(self.plan.journal_commit_us);
        let Some(process) = &mut self.hubs[slot].process else { return };
        if !process.commands.is_empty() && !process.is_committing {
            process.is_committing = true;
            let incarnation = process.incarnation;
            self.after(wait_us, Event::Commit(slot, incarnation));
        }
    }

    fn commit(&mut self, slot: usize, incarnation: u64) -> Result<(), Violation> {
        let now = self.instant();
        let sabotage = self.sabotage;
        let hub = &mut self.hubs[slot];
        let Some(process) = hub.process.as_mut().filter(|p| p.incarnation == incarnation) else {
            return Ok(());
        };
        if hub.journal.is_full {
            self.after(RETRY_US, Event::Commit(slot, incarnation));
            return Ok(());
        }
        process.is_committing = false;
        let mut commands: Vec<Command> = process.commands.drain(..).collect();
        if sabotage == Sabotage::TurnsEntriesRound {
            commands.reverse();
        }
        process.rows_waiting = 0;
        let (boot_id, next) = (process.boot_id, &mut process.next_sequence);
        let before = resume_points(self.floors.get(&slot), &hub.journal);
        let numbered = hub.journal.commit_sabotaged(&commands, boot_id, next, sabotage);
        let has_floor = self.floors.contains_key(&slot);
        if !has_floor {
            hub.offered.drain(..numbered.len());
        }
        let boot = self.truth.boot(&hub.id, boot_id);
        for Numbered { sequence, digest } in &numbered {
            boot.digests.truncate(*sequence as usize - 1);
            boot.digests.push(*digest);
            boot.journalled_us.truncate(*sequence as usize - 1);
            boot.journalled_us.push(self.now_us);
            boot.available = *sequence;
        }
        self.counts.journalled += numbered.len() as u64;
        let notes = commands.iter().filter(|command| matches!(command, Command::Note(_)));
        process.notes += notes.count() as u64;
        if !numbered.is_empty() {
            process.sender.handle(now, SenderEvent::RowsWritten);
        }
        process.sender.handle(now, SenderEvent::NotesCommitted(process.notes));
        for command in &commands {
            if let Command::Note(Note::Acknowledged { boot_id, sequence }) = *command {
                self.check_freed(slot, boot_id, sequence)?;
            }
        }
        let after = resume_points(self.floors.get(&slot), &self.hubs[slot].journal);
        if before.iter().zip(&after).any(|(before, after)| goes_back(*before, *after)) {
            let what =
                format!("a node's offset in the journal goes back: {before:?}, then {after:?}");
            return Err(Violation::Floor(what));
        }
        self.log_commit(slot, &commands, numbered.len());
        if has_floor {
            self.floor_committed(slot, &commands);
        }
        self.offer(slot);
        self.drive_hub(slot);
        Ok(())
    }

    fn log_commit(&mut self, slot: usize, commands: &[Command], rows: usize) {
        let told = commands.iter().map(|command| match command {
            Command::Entry(entry) => {
                let lines = entry.inputs.iter().map(|input| input.line.as_str());
                let offsets = entry.offsets.iter().map(|offset| {
                    let ResumePoint { boot_id, sequence } = offset.reached;
                    format!("{} {boot_id:08x}:{sequence}", offset.node_id)
                });
                let told: Vec<String> = lines.map(str::to_owned).chain(offsets).collect();
                format!("table {}: {}", entry.table, told.join(" "))
            }
            Command::Note(note) => format!("{note:?}"),
        });
        let told = told.collect::<Vec<_>>().join("; ");
        self.log(&format!("hub {slot}"), &format!("commits {rows} rows; {told}"));
    }

    /// Does what a hub's sender wants done, as far as journal and client have room.
    pub(super) fn drive_hub(&mut self, slot: usize) {
        let now = self.instant();
        let sabotage = self.sabotage;
        let Hub { journal, process: Some(process), .. } = &mut self.hubs[slot] else { return };
        while let Some(note) = process.sender.poll_note() {
            if process.commands.len() >= COMMANDS_MAX {
                break;
            }
            process.commands.push_back(Command::Note(note));
            process.sender.noted(note);
        }
        while let Some(query) = process.sender.poll_query() {
            process.sender.answer(journal.answer_sabotaged(&query, sabotage));
        }
        while let Some(transmit) = process.sender.poll_transmit() {
            if !process.client.take(transmit) {
                break;
            }
            process.sender.transmitted(now);
        }
        let commands: Vec<_> = std::iter::from_fn(|| process.sender.poll_command()).collect();
        if !commands.is_empty() {
            self.take_commands(slot, commands);
        }
        self.commit_later(slot);
        self.send_next(Who::Hub(slot));
    }

    fn tick(&mut self, slot: usize, incarnation: u64) {
        let now = self.instant();
        let generation = self.name();
        let Some(process) = &mut self.hubs[slot].process else { return };
        if process.incarnation != incarnation {
            return;
        }
        if process.sender.is_stalled(now) {
            process.sender.rebuilt(now);
            let before = std::mem::replace(&mut process.client, Client::new(generation, 200_000));
            self.counts.rebuilt += 1;
            self.log(&format!("hub {slot}"), "builds its client anew");
            if let Some(connection) = before.connection {
                self.after(0, Event::Expired(connection));
            }
            self.after(0, Event::Connect(Who::Hub(slot), generation));
        }
        self.drive_hub(slot);
        self.after(TICK_US, Event::Tick(slot, incarnation));
    }

    /// Begins the next piece of work, and sends what there is to send.
    pub(super) fn drive_adjudicator(&mut self) {
        let wait_us = self.some(self.pace.store_us);
        let Some(process) = &mut self.adjudicator else { return };
        if process.work.is_none() {
            process.work = process.receiver.poll_work();
            if let Some(work) = &process.work {
                if let (Sabotage::AcknowledgesBeforeCommit, Work::Commit(group)) =
                    (self.sabotage, work)
                {
                    process.receiver.committed(hoped_for(group));
                }
                let incarnation = process.incarnation;
                self.after(wait_us, Event::WorkDone(incarnation));
            }
        }
        let Some(process) = &mut self.adjudicator else { return };
        while let Some(transmit) = process.receiver.poll_transmit() {
            if !process.client.take(transmit) {
                break;
            }
            process.receiver.transmitted();
        }
        self.send_next(Who::Adjudicator);
    }

    fn work_done(&mut self, incarnation: u64) -> Result<(), Violation> {
        let Some(process) = &mut self.adjudicator else { return Ok(()) };
        if process.incarnation != incarnation {
            return Ok(());
        }
        match process.work.take() {
            Some(Work::LinkUp) => {
                process.hubs_there.clear();
                process.receiver.greet(self.store.latest_positions());
            }
            Some(Work::HubState(state)) => match state.online {
                true => drop(process.hubs_there.insert(state.hub_id)),
                false => drop(process.hubs_there.remove(&state.hub_id)),
            },
            Some(Work::Position(hub, boot_id)) if self.sabotage != Sabotage::NeverRepeats => {
                let sequence = self.store.position(&hub, boot_id);
                process.receiver.committed(vec![Position { hub, boot_id, sequence }]);
            }
            Some(Work::Commit(group)) => self.store_group(&group)?,
            _ => {}
        }
        self.drive_adjudicator();
        Ok(())
    }

    fn store_group(&mut self, group: &[ReceivedRows]) -> Result<(), Violation> {
        let Some(process) = &mut self.adjudicator else { return Ok(()) };
        if self.store.is_full {
            if self.sabotage == Sabotage::AcknowledgesWhatIsRefused {
                process.receiver.committed(hoped_for(group));
            }
            process.receiver.refused(group);
            return Ok(());
        }
        let (taken, stored) =
            self.store.append_sabotaged(group, EPOCH_US + self.now_us, self.sabotage);
        let answered = group
            .iter()
            .zip(&taken)
            .filter(|(_, accepted)| accepted.is_news() || self.sabotage != Sabotage::NeverRepeats);
        let position = |(received, accepted): (&ReceivedRows, &delivery::Accepted)| Position {
            hub: received.rows.hub_id.clone(),
            boot_id: received.rows.boot_id,
            sequence: accepted.position,
        };
        process.receiver.committed(answered.map(position).collect());
        for accepted in &taken {
            self.counts.duplicates += accepted.duplicates as u64;
            self.counts.gaps += u64::from(accepted.gap);
        }
        for stored in &stored {
            match stored {
                Stored::Row(hub, boot_id, sequence, _) => {
                    self.counts.stored += 1;
                    self.check_stored_in_time(hub, *boot_id, *sequence)?;
                    let boot = self.truth.boot(hub, *boot_id);
                    boot.stored = boot.stored.max(*sequence);
                }
                Stored::Lost(hub, boot_id, first, last) => {
                    self.counts.lost += last - first + 1;
                    self.check_lost(hub, *boot_id, *first, *last)?;
                    let boot = self.truth.boot(hub, *boot_id);
                    boot.stored = boot.stored.max(*last);
                }
                Stored::Order(_) => {}
            }
        }
        self.log("store", &format!("{taken:?}"));
        Ok(())
    }

    /// The note of a hub that believes the broker.
    pub(super) fn free_on_puback(&mut self, who: Who, _topic: &str, payload: &[u8]) {
        let (Who::Hub(slot), Ok(ReceivedRows { rows, .. })) = (who, decode_rows(payload)) else {
            return;
        };
        let Some(process) = &mut self.hubs[slot].process else { return };
        let Some(last) = rows.rows.last() else { return };
        let (boot_id, sequence) = (rows.boot_id, last.sequence);
        process.commands.push_back(Command::Note(Note::Acknowledged { boot_id, sequence }));
        self.commit_later(slot);
    }
}

/// Last event of each node that the journal has.
fn resume_points(floor: Option<&Floor>, journal: &Journal) -> Vec<Option<ResumePoint>> {
    let nodes = floor.into_iter().flat_map(|floor| &floor.nodes);
    nodes.map(|node| journal.resume_point(&node.id)).collect()
}

/// Positions of a group, if all its rows were stored.
fn hoped_for(group: &[ReceivedRows]) -> Vec<Position> {
    let position = |ReceivedRows { rows, .. }: &ReceivedRows| Position {
        hub: rows.hub_id.clone(),
        boot_id: rows.boot_id,
        sequence: rows.rows.last().map_or(0, |row| row.sequence),
    };
    group.iter().map(position).collect()
}
