//! People's acts, as the log has them, applied to the hall.

use event::{Author, EventAct, PlayerId};
use referee::act::{Act, ActId, Person};
use rules::{Seat, rulebook::Offence};

use super::{
    Call, Hall, Notice,
    event::{screens::Screen, seen::Seen},
    tables::orders::Giving,
};
use crate::{
    hall::{
        acts::{ActDeed, Actor, Answer, Decided, PersonAct, event_role, fullness, referee_role},
        event::staff::Rank,
    },
    log::input::Input,
};

fn giving<'a>(input: &Input, act: &'a PersonAct) -> Giving<'a> {
    let (source, by) = (&act.source, act.by.person.as_str());
    Giving { source, act: input.id, by, at_ms: input.received_ms, nth: 0 }
}

impl Hall {
    /// Applies an act. One whose key was there before is no act: it was answered already.
    pub(super) fn apply_act(&mut self, input: &Input, act: &PersonAct) -> Result<(), String> {
        if self.answers.of(&act.source).is_some() {
            return Err(format!("the act {:?} was done before", act.source));
        }
        let done = self.carry_out(input, act);
        let answer = match done {
            Ok(()) => Answer::Taken { act: input.id },
            Err(reason) => Answer::Refused { act: input.id, reason },
        };
        self.answers.note(act.source.clone(), input.weight(), answer);
        self.tables.desk_changed = input.id;
        Ok(())
    }

    /// Devices that have filled most of their share of the log, in words.
    pub(super) fn full_devices(&self) -> impl Iterator<Item = Notice> {
        self.event.staff.devices().filter_map(|(id, device)| {
            let words = fullness(device.rank, self.answers.bytes_of(id))?;
            let words = format!("device {:?} of {}: it {words}", device.label, device.person);
            Some(Notice::new(format!("device:{}", id.0), words))
        })
    }

    fn carry_out(&mut self, input: &Input, act: &PersonAct) -> Result<(), String> {
        match &act.deed {
            ActDeed::Staff { deed } => self.event.staff.handle(input.received_ms, deed),
            ActDeed::Event { deeds } => {
                self.change_event((input.id, input.received_ms), &act.by, deeds)
            }
            ActDeed::Match { match_id, t_us, seen, team, decided, guarded } => {
                let role = referee_role(act.by.rank, team.map(rules::Team::from));
                let by = Person { id: act.by.person.clone(), role };
                let what = decided
                    .to_referee(|offence, seat| self.earlier_offences(match_id, offence, seat))
                    .map_err(|error| error.to_string())?;
                let made = Act { id: ActId(input.id), by, t_us: *t_us, seen: *seen, what };
                if *guarded && team.is_none() && act.by.rank >= Rank::Floor {
                    self.check_claimed(match_id, &made)?;
                    self.check_replacing(match_id, &made, decided)?;
                }
                self.decide(input, match_id, made)?;
                self.keep_note(input.id, match_id, decided);
                self.tables.follow_put_ups(&giving(input, act), match_id);
                self.tables.order_end(&giving(input, act), match_id);
                self.hand_down(&giving(input, act), match_id, decided)
            }
            ActDeed::Clock { match_id, board, change, because, made_ms } => {
                let mut giving = giving(input, act);
                // Its minute begins when it was made: a phone without network sends it later.
                giving.at_ms = made_ms.unwrap_or(giving.at_ms).min(giving.at_ms);
                self.tables.order_clock(&giving, match_id, (*board, *change), *because)
            }
            ActDeed::ClockWithdrawn { match_id, order } => {
                self.tables.withdraw_clock(&giving(input, act), match_id, *order)
            }
            ActDeed::ClockDone { match_id, order } => {
                let before =
                    self.tables.clock_done_by_hand(&giving(input, act), match_id, *order)?;
                self.judge_per_moves(input.id, &before);
                Ok(())
            }
            ActDeed::Evidence { match_id, from_us, to_us } => {
                self.tables.order_evidence(&giving(input, act), match_id, (*from_us, *to_us))
            }
            ActDeed::ZeroTest { match_id } => {
                self.tables.order_zero_test(&giving(input, act), match_id)
            }
            ActDeed::Baseline { match_id, board, content } => {
                self.tables.order_calibration(&giving(input, act), match_id, (*board, *content))
            }
            ActDeed::Bind { match_id, pairing } => {
                let before = self.tables.matches.get(match_id).and_then(|game| game.pairing);
                self.bind(match_id, *pairing)?;
                let at = (input.id, input.received_ms);
                self.event.note_bound(at, &act.by, match_id, (before, *pairing));
                Ok(())
            }
            ActDeed::Treat { section, finding, treatment } => {
                self.treat(section.as_deref(), finding, *treatment)?;
                let at = (input.id, input.received_ms);
                self.event.note_treated(at, &act.by, (section, finding), *treatment);
                Ok(())
            }
            ActDeed::Take { item } => self.see(input, act, item, false),
            ActDeed::Dismiss { item } => {
                self.see(input, act, item, true)?;
                self.event.calls.end_item(item);
                Ok(())
            }
            ActDeed::Call { table } => {
                let call = Call { act: input.id, at_ms: input.received_ms };
                self.event.calls.open(table, call);
                Ok(())
            }
            ActDeed::CallEnded { table } => {
                self.event.calls.end(table);
                Ok(())
            }
            ActDeed::Screen { screen, screen_key, name, shows } => {
                let (key, name, shows) = (*screen_key, name.clone(), shows.clone());
                self.event.screens.set(*screen, Screen { key, name, shows })
            }
            ActDeed::ScreenForgotten { screen } => self.event.screens.forget(*screen),
            ActDeed::Release { item } => {
                self.event.seen.remove(item);
                Ok(())
            }
            ActDeed::UpdateNodes {} => self.update_nodes((input.id, input.received_ms), &act.by),
            ActDeed::AcceptHub { hub } => {
                let words = format!("hub {hub} is accepted");
                self.event.note_equipment((input.id, input.received_ms), &act.by, words);
                Ok(())
            }
            ActDeed::PlaceNodes { hub, tables } => {
                self.place_nodes((input.id, input.received_ms), &act.by, hub, tables)
            }
            ActDeed::Show { table } => self.show(table.as_deref()),
        }
    }

    /// Keeps why a result was entered, for the ledger.
    fn keep_note(&mut self, act: u64, match_id: &str, decided: &Decided) {
        if let Decided::EnterResult { note, .. } = decided
            && !note.is_empty()
            && let Some(game) = self.tables.matches.get_mut(match_id)
        {
            // Maximum number of acts of a match.
            game.notes.insert(act, note.clone());
        }
    }

    /// Sends the hub the orders of a decision.
    fn hand_down(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        decided: &Decided,
    ) -> Result<(), String> {
        match decided {
            Decided::Correct { ply, said } => match said.parse() {
                Ok(said) => self.tables.order_fact(giving, match_id, *ply, Some(said)),
                Err(_) => Ok(()),
            },
            Decided::Claim { .. } => {
                self.tables.attach_evidence(giving, match_id);
                Ok(())
            }
            Decided::NotPlayed { ply } => self.tables.order_fact(giving, match_id, *ply, None),
            Decided::Withdraw { act } => {
                self.tables.withdraw_fact(giving, match_id, *act);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn see(
        &mut self,
        input: &Input,
        act: &PersonAct,
        item: &str,
        is_dismissed: bool,
    ) -> Result<(), String> {
        if let Some(seen) = self.event.seen.get(item)
            && seen.person != act.by.person
            && act.by.rank <= seen.rank
            && !is_dismissed
        {
            return Err(format!("{} sees about this already", seen.person));
        }
        let Actor { person, rank } = act.by.clone();
        let (device, at_ms) = (act.source.device, input.received_ms);
        self.event.seen.set(item, Seen { person, rank, device, at_ms, is_dismissed });
        Ok(())
    }

    /// The stream shows a table, or what its director chooses.
    fn show(&mut self, table: Option<&str>) -> Result<(), String> {
        let slot = match table {
            Some(name) => {
                Some(self.tables.slot_of(name).ok_or_else(|| format!("there is no table {name}"))?)
            }
            None => None,
        };
        let before = self.tables.on_stream.as_deref().and_then(|name| self.tables.slot_of(name));
        self.tables.on_stream = table.map(str::to_owned);
        for slot in before.into_iter().chain(slot) {
            self.tables.touch(slot);
        }
        Ok(())
    }

    /// Takes deeds about the event, all or none.
    fn change_event(
        &mut self,
        at: (u64, u64),
        by: &Actor,
        deeds: &[event::Deed],
    ) -> Result<(), String> {
        let before = self.event_at_tables();
        let author = Author { name: by.person.clone(), role: event_role(by.rank) };
        let first = self.event.state.next_number();
        let acts = (first..).zip(deeds).map(|(number, deed)| EventAct {
            number,
            by: author.clone(),
            deed: deed.clone(),
        });
        let mut acts: Vec<EventAct> = acts.collect();
        let changes = match acts.len() {
            // The usual act is one: no copy of the event is made for it.
            1 => self.event.state.handle(acts.remove(0)).map_err(|refusal| refusal.to_string())?,
            _ => {
                self.event.state.apply_all(acts).map_err(|(index, refusal)| match deeds.len() {
                    1 => refusal.to_string(),
                    all => format!("nothing was changed: deed {} of {all}: {refusal}", index + 1),
                })?
            }
        };
        self.event.note_deeds(at, by, first);
        self.note_event_changes(at.0, &changes, &before);
        Ok(())
    }

    fn decide(&mut self, input: &Input, match_id: &str, act: Act) -> Result<(), String> {
        let (input, at_ms) = (input.id, input.received_ms);
        let Some(game) = self.tables.matches.get(match_id) else {
            return Err(format!("there is no match {match_id}: it may be of an earlier event"));
        };
        // The referee's time does not go back.
        let t_us = act.t_us.max(game.referee().now_us());
        let id = act.id;
        self.apply_to_match(input, at_ms, match_id, t_us, referee::Input::Act(act))?;
        let Some(game) = self.tables.matches.get_mut(match_id) else { return Ok(()) };
        match game.take_refusal(id) {
            Some(why) => Err(why),
            None => self.release_withheld(input, at_ms, match_id),
        }
    }

    /// Offences of a kind by the player of a seat in other matches of the event; of one that the team answers for, by either of its
    /// players.
    pub(crate) fn earlier_offences(&self, match_id: &str, offence: Offence, seat: Seat) -> u32 {
        let players = |id| self.event.state.pairings().get(&id).map_or(&[][..], |it| &it.seats[..]);
        let here = self
            .tables
            .matches
            .get(match_id)
            .and_then(|game| game.pairing)
            .map_or(&[][..], players);
        let partner = offence.is_of_team().then(|| seat.partner());
        let whom: Vec<PlayerId> = [Some(seat), partner]
            .into_iter()
            .flatten()
            .filter_map(|seat| here.get(seat.index()).copied())
            .collect();
        let mut pairings: Vec<_> =
            whom.iter().flat_map(|player| self.event.seating.of_player(*player)).collect();
        pairings.sort_unstable();
        pairings.dedup();
        let of_pairing = |pairing| {
            let seats = Seat::ALL.into_iter().zip(players(pairing));
            let theirs: Vec<Seat> =
                seats.filter(|(_, player)| whom.contains(player)).map(|(seat, _)| seat).collect();
            let others = self.tables.matches.of_pairing(pairing).filter(|game| game.id != match_id);
            let of_match = |game: &super::Game| -> u32 {
                theirs.iter().map(|seat| game.referee().offences(offence, *seat)).sum()
            };
            others.map(of_match).sum::<u32>()
        };
        pairings.into_iter().map(of_pairing).sum()
    }
}
