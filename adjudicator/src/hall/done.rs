//! What people did about the event and about whose match is whose, with who and when: the part of the record that no match has.

use event::{Deed, EventAct, Names, PairingId, import::outcomes_to_text};
use rules::standings::EntrantNumber;

use super::Hall;
use crate::acts::Actor;

/// Most times that matches were bound by hand and are listed; the log has the others, too.
const BOUND_MAX: usize = 10_000;

/// An act, with who and when.
#[derive(Clone, Debug)]
pub(super) struct Done {
    input: u64,
    at_ms: u64,
    by: Actor,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Acts about the event, by the number of the first and the number after the last.
    Deeds(u64, u64),
    /// A match was said to be of a pairing or of none, and of which it had been.
    Bound { match_id: String, before: Option<PairingId>, pairing: Option<PairingId> },
}

/// A line about the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoneLine {
    /// The act.
    pub act: u64,
    /// When, Unix milliseconds.
    pub at_ms: u64,
    /// Who.
    pub by: Actor,
    /// The section, where it is about one.
    pub section: Option<String>,
    /// The round.
    pub round: Option<u8>,
    /// The table.
    pub table: Option<String>,
    /// The match.
    pub match_id: Option<String>,
    /// What was done, in words that name no player.
    pub text: String,
    /// What was noted with it.
    pub note: Option<String>,
    /// What sort of act it is.
    pub kind: &'static str,
    /// Sides and entrants whom it concerns, as directors call them.
    pub who: Vec<String>,
}

impl Hall {
    /// Notes who made the event's acts from a number on.
    pub(super) fn note_deeds(&mut self, (input, at_ms): (u64, u64), by: &Actor, first: u64) {
        let what = What::Deeds(first, self.event.next_number());
        self.done.push(Done { input, at_ms, by: by.clone(), what });
    }

    /// Notes who said whose match it is.
    pub(super) fn note_bound(
        &mut self,
        (input, at_ms): (u64, u64),
        by: &Actor,
        match_id: &str,
        (before, pairing): (Option<PairingId>, Option<PairingId>),
    ) {
        let bound = self.done.iter().filter(|done| matches!(done.what, What::Bound { .. }));
        if bound.count() < BOUND_MAX {
            let what = What::Bound { match_id: match_id.to_owned(), before, pairing };
            self.done.push(Done { input, at_ms, by: by.clone(), what });
        }
    }

    /// What was done about the event and about whose match is whose, oldest first.
    #[must_use]
    pub fn done_lines(&self) -> Vec<DoneLine> {
        self.done.iter().flat_map(|done| self.lines_of(done)).collect()
    }

    fn lines_of(&self, done: &Done) -> Vec<DoneLine> {
        let line = |kind, text: String| DoneLine {
            act: done.input,
            at_ms: done.at_ms,
            by: done.by.clone(),
            section: None,
            round: None,
            table: None,
            match_id: None,
            text,
            note: None,
            kind,
            who: Vec::new(),
        };
        match &done.what {
            What::Bound { match_id, before, pairing } => {
                let words = |id: &Option<PairingId>| match id {
                    Some(id) => self.pairing_words(*id),
                    None => "no pairing".to_owned(),
                };
                let text =
                    format!("this match belongs to {}, not to {}", words(pairing), words(before));
                let about = pairing.or(*before);
                let line = DoneLine { match_id: Some(match_id.clone()), ..line("belongs", text) };
                vec![about.map_or(line.clone(), |id| self.about_pairing(id, line))]
            }
            What::Deeds(first, after) => {
                let index =
                    |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
                let acts = self.event.acts();
                let acts =
                    acts.get(index(*first)..index(*after).min(acts.len())).unwrap_or_default();
                let count =
                    |is_it: fn(&Deed) -> bool| acts.iter().filter(|act| is_it(&act.deed)).count();
                let entered = [
                    (count(|it| matches!(it, Deed::PlayerEntered { .. })), "player", "players"),
                    (count(|it| matches!(it, Deed::TeamMade { .. })), "team", "teams"),
                    (
                        count(|it| matches!(it, Deed::EntrantAdded { .. })),
                        "pairing number",
                        "pairing numbers",
                    ),
                ];
                let entered =
                    entered.into_iter().filter(|(many, ..)| *many > 0).map(|(many, one, more)| {
                        line(
                            "entered",
                            format!("{many} {} entered", if many == 1 { one } else { more }),
                        )
                    });
                let others = acts.iter().filter_map(|act| self.line_of(act, &line));
                entered.chain(others).collect()
            }
        }
    }

    /// One act about the event in a line. People who are entered are counted, not listed.
    fn line_of(
        &self,
        act: &EventAct,
        line: &impl Fn(&'static str, String) -> DoneLine,
    ) -> Option<DoneLine> {
        let in_section =
            |section: &str, line: DoneLine| DoneLine { section: Some(section.to_owned()), ..line };
        let in_round = |section: &str, round: u8, line| DoneLine {
            round: Some(round),
            ..in_section(section, line)
        };
        let name = |section: &str, number: EntrantNumber| {
            let name = self.event.entrant_name(section, number, Names::Hidden);
            let who = self.event.entrant_name(section, number, Names::Shown);
            (name, vec![who])
        };
        Some(match &act.deed {
            Deed::PlayerEntered { .. } | Deed::TeamMade { .. } | Deed::EntrantAdded { .. } => {
                return None;
            }
            Deed::Named { name } => line("event", format!("the event is called {name}")),
            Deed::TablesListed { tables } => {
                line("event", format!("{} tables listed", tables.len()))
            }
            Deed::PlayerRenamed { note, .. } => DoneLine {
                note: note.clone(),
                ..line("people", "a player's name put right".to_owned())
            },
            Deed::TeamRenamed { name, note, .. } => DoneLine {
                note: note.clone(),
                ..line("people", format!("a team is called {name}"))
            },
            Deed::MemberReplaced { team, note, .. } => {
                let team = self.event.teams().get(team).map_or("", |team| team.name.as_str());
                DoneLine {
                    note: note.clone(),
                    ..line("people", format!("{team}: a member replaced"))
                }
            }
            Deed::SectionOpened { section, terms } => {
                let text =
                    format!("section opened, {} rounds by {}", terms.rounds, terms.rulebook.name());
                in_section(section, line("section", text))
            }
            Deed::SectionChanged { section, .. } => {
                in_section(section, line("section", "the section's terms changed".to_owned()))
            }
            Deed::EntrantWithdrawn { section, number, from_round } => {
                let (name, who) = name(section, *number);
                let text = format!("{name} withdraws from round {from_round} on");
                DoneLine { who, ..in_section(section, line("withdrawal", text)) }
            }
            Deed::EntrantReturned { section, number } => {
                let (name, who) = name(section, *number);
                DoneLine {
                    who,
                    ..in_section(section, line("withdrawal", format!("{name} returns")))
                }
            }
            Deed::ByeGiven { section, number, round, bye } => {
                let (name, who) = name(section, *number);
                let kind = match bye {
                    rules::standings::ByeKind::FullPoint => "a full-point bye",
                    rules::standings::ByeKind::HalfPoint => "a half-point bye",
                    rules::standings::ByeKind::ZeroPoint => "a zero-point bye",
                };
                DoneLine {
                    who,
                    ..in_round(section, *round, line("bye", format!("{name} has {kind}")))
                }
            }
            Deed::ByeTakenBack { section, number, round } => {
                let (name, who) = name(section, *number);
                let text = format!("{name} has no bye after all");
                DoneLine { who, ..in_round(section, *round, line("bye", text)) }
            }
            Deed::CoinTossHeld { section, .. } => {
                in_section(section, line("section", "a coin toss held".to_owned()))
            }
            Deed::CoinTossTakenBack { section, .. } => {
                in_section(section, line("section", "a coin toss taken back".to_owned()))
            }
            Deed::RoundOpened { section, round } => {
                in_round(section, *round, line("round", format!("round {round} opened")))
            }
            Deed::PairingMade { pairing, .. } => self.about_pairing(
                *pairing,
                line("pairing", format!("paired: {}", self.versus(*pairing))),
            ),
            Deed::PairingChanged { pairing, table, .. } => {
                let text = format!("pairing changed: {}, table {table}", self.versus(*pairing));
                self.about_pairing(*pairing, line("pairing", text))
            }
            Deed::PairingWithdrawn { pairing, note } => {
                let text = format!("not played: {}", self.versus(*pairing));
                let line = DoneLine { note: Some(note.clone()), ..line("pairing", text) };
                self.about_pairing(*pairing, line)
            }
            Deed::SeatsChosen { pairing, note, .. } => {
                let text = format!("{}: seats chosen", self.versus(*pairing));
                self.about_pairing(*pairing, DoneLine { note: note.clone(), ..line("seats", text) })
            }
            Deed::MatchStarted { pairing } => self.about_pairing(
                *pairing,
                line("pairing", format!("{} begins", self.versus(*pairing))),
            ),
            Deed::MatchEnded { pairing } => self.about_pairing(
                *pairing,
                line("pairing", format!("{} is over", self.versus(*pairing))),
            ),
            Deed::ResultEntered { pairing, outcomes } => {
                let text = format!(
                    "{}: {} entered from paper",
                    self.versus(*pairing),
                    outcomes_to_text(outcomes)
                );
                self.about_pairing(*pairing, line("result", text))
            }
            Deed::ResultConfirmed { pairing } => {
                let text = format!("{}: the result confirmed", self.versus(*pairing));
                self.about_pairing(*pairing, line("confirmed", text))
            }
            Deed::ResultSuperseded { pairing, outcomes, note } => {
                let text = format!(
                    "{}: {} in place of the confirmed result",
                    self.versus(*pairing),
                    outcomes_to_text(outcomes)
                );
                let line = DoneLine { note: Some(note.clone()), ..line("result", text) };
                self.about_pairing(*pairing, line)
            }
        })
    }

    fn versus(&self, id: PairingId) -> String {
        let [first, second] = self.sides_of(id, Names::Hidden);
        format!("{first} – {second}")
    }

    /// A pairing in words such as `round 2, Rooks – Pawns, table 4`.
    #[must_use]
    pub fn pairing_words(&self, id: PairingId) -> String {
        match self.event.pairings().get(&id) {
            Some(it) => format!("round {}, {}, table {}", it.round, self.versus(id), it.table),
            None => id.to_string(),
        }
    }

    fn about_pairing(&self, id: PairingId, line: DoneLine) -> DoneLine {
        let Some(pairing) = self.event.pairings().get(&id) else { return line };
        DoneLine {
            section: Some(pairing.section.clone()),
            round: Some(pairing.round),
            table: Some(pairing.table.clone()),
            who: self.sides_of(id, Names::Shown).to_vec(),
            ..line
        }
    }
}
