//! Acts about the event and about bindings of matches, with person and time: the part of the record that no match has.

use event::{Deed, EventAct, Names, PairingId, import::outcomes_to_text};
use rules::standings::{ByeKind, Side};

use super::EventFold;
use crate::{config::alerts::Treatment, hall::acts::Actor};

/// Maximum number of bindings by hand and of chosen treatments that are listed; the log has the others, too.
const LISTED_MAX: usize = 10_000;

/// An act, with who and when.
#[derive(Clone, Debug)]
pub(super) struct Done {
    input: u64,
    at_ms: u64,
    by: Actor,
    what: DoneDeed,
}

#[derive(Clone, Debug)]
enum DoneDeed {
    /// Acts about the event, by the number of the first and the number after the last.
    Deeds(u64, u64),
    /// A binding of a match by hand, with its former pairing.
    Bound { match_id: String, before: Option<PairingId>, pairing: Option<PairingId> },
    /// The treatment of a kind of finding was chosen, in a section or in the whole event; none: the configuration's.
    Treated { section: Option<String>, finding: String, treatment: Option<Treatment> },
    /// An act on the hubs or nodes of the hall, in words.
    Equipment(String),
}

/// The sort of an act, as pages name it.
type Kind = &'static str;

/// A line about the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoneLine {
    /// The act.
    pub act: u64,
    /// Time, Unix milliseconds.
    pub at_ms: u64,
    /// The person.
    pub by: Actor,
    /// The section, where it is about one.
    pub section: Option<String>,
    /// The round.
    pub round: Option<u8>,
    /// The table.
    pub table: Option<String>,
    /// The match.
    pub match_id: Option<String>,
    /// The act, in words that name no player.
    pub text: String,
    /// The note to it.
    pub note: Option<String>,
    /// Kind of act.
    pub kind: &'static str,
    /// Sides and entrants whom it concerns, as directors call them.
    pub who: Vec<String>,
}

impl EventFold {
    /// Notes who made the event's acts from a number on.
    pub(in crate::hall) fn note_deeds(
        &mut self,
        (input, at_ms): (u64, u64),
        by: &Actor,
        first: u64,
    ) {
        let before = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
        for act in self.state.acts().get(before..).unwrap_or_default() {
            match &act.deed {
                Deed::ResultEntered { pairing, .. } | Deed::ResultSuperseded { pairing, .. } => {
                    self.paper_ms.insert(*pairing, at_ms);
                }
                Deed::SectionRenamed { section, name } => {
                    let renamed = std::mem::take(&mut *self.treatments).into_iter();
                    let renamed =
                        renamed.map(|((of, code), it)| match of.as_ref() == Some(section) {
                            true => ((Some(name.clone()), code), it),
                            false => ((of, code), it),
                        });
                    *self.treatments = renamed.collect();
                }
                _ => {}
            }
        }
        let what = DoneDeed::Deeds(first, self.state.next_number());
        self.done.push(Done { input, at_ms, by: by.clone(), what });
    }

    /// Notes who said whose match it is.
    pub(in crate::hall) fn note_bound(
        &mut self,
        (input, at_ms): (u64, u64),
        by: &Actor,
        match_id: &str,
        (before, pairing): (Option<PairingId>, Option<PairingId>),
    ) {
        let what = DoneDeed::Bound { match_id: match_id.to_owned(), before, pairing };
        self.note((input, at_ms), by, what);
    }

    /// Notes who chose the treatment of a kind of finding.
    pub(in crate::hall) fn note_treated(
        &mut self,
        at: (u64, u64),
        by: &Actor,
        (section, finding): (&Option<String>, &str),
        treatment: Option<Treatment>,
    ) {
        let (section, finding) = (section.clone(), finding.to_owned());
        self.note(at, by, DoneDeed::Treated { section, finding, treatment });
    }

    /// Notes who did something to the hubs or nodes of the hall.
    pub(in crate::hall) fn note_equipment(&mut self, at: (u64, u64), by: &Actor, words: String) {
        self.note(at, by, DoneDeed::Equipment(words));
    }

    fn note(&mut self, (input, at_ms): (u64, u64), by: &Actor, what: DoneDeed) {
        let listed = self.done.iter().filter(|done| !matches!(done.what, DoneDeed::Deeds(..)));
        if listed.count() < LISTED_MAX {
            self.done.push(Done { input, at_ms, by: by.clone(), what });
        }
    }

    /// Acts about the event and about bindings of matches, oldest first.
    #[must_use]
    pub(in crate::hall) fn done_lines(&self) -> Vec<DoneLine> {
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
            DoneDeed::Bound { match_id, before, pairing } => {
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
            DoneDeed::Equipment(words) => vec![line("hall", words.clone())],
            DoneDeed::Treated { section, finding, treatment } => {
                let treatment = treatment.map_or("as configured", Treatment::name);
                let line = line("findings", format!("findings of {finding}: {treatment}"));
                vec![DoneLine { section: section.clone(), ..line }]
            }
            DoneDeed::Deeds(first, after) => {
                let index =
                    |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
                let acts = self.state.acts();
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
        line: &impl Fn(Kind, String) -> DoneLine,
    ) -> Option<DoneLine> {
        match &act.deed {
            Deed::PlayerEntered { .. }
            | Deed::PlayerListed { .. }
            | Deed::TeamMade { .. }
            | Deed::EntrantAdded { .. } => None,
            Deed::Named { .. }
            | Deed::TablesListed { .. }
            | Deed::Announced { .. }
            | Deed::AnnouncementEnded { .. }
            | Deed::ConsentGiven { .. }
            | Deed::LinkGiven { .. }
            | Deed::LinkRevoked { .. }
            | Deed::PairingsFollowed { .. }
            | Deed::TableLinkGiven { .. }
            | Deed::TableLinkRevoked { .. }
            | Deed::PlayerRenamed { .. }
            | Deed::TeamRenamed { .. }
            | Deed::MemberReplaced { .. } => self.line_of_people(&act.deed, line),
            Deed::SectionOpened { .. }
            | Deed::SectionChanged { .. }
            | Deed::CoinTossHeld { .. }
            | Deed::CoinTossTakenBack { .. }
            | Deed::SectionRenamed { .. }
            | Deed::SectionRemoved { .. }
            | Deed::SectionsMerged { .. }
            | Deed::EntrantRemoved { .. }
            | Deed::EntrantMoved { .. }
            | Deed::RoundTimed { .. }
            | Deed::RoundOpened { .. } => line_of_section(&act.deed, line),
            Deed::EntrantWithdrawn { .. }
            | Deed::EntrantReturned { .. }
            | Deed::ByeGiven { .. }
            | Deed::ByeTakenBack { .. } => self.line_of_entrant(&act.deed, line),
            Deed::PairingMade { .. }
            | Deed::PairingChanged { .. }
            | Deed::EntrantsExchanged { .. }
            | Deed::TablesExchanged { .. }
            | Deed::PairingWithdrawn { .. }
            | Deed::SeatsChosen { .. }
            | Deed::MatchStarted { .. }
            | Deed::MatchEnded { .. }
            | Deed::ResultEntered { .. }
            | Deed::ResultConfirmed { .. }
            | Deed::SideReported { .. }
            | Deed::ResultSuperseded { .. }
            | Deed::ResultWithdrawn { .. } => self.line_of_pairing(&act.deed, line),
        }
    }

    /// Words for a deed about the event and its people.
    fn line_of_people(
        &self,
        deed: &Deed,
        line: &impl Fn(Kind, String) -> DoneLine,
    ) -> Option<DoneLine> {
        let people =
            |note: &Option<String>, text| DoneLine { note: note.clone(), ..line("people", text) };
        Some(match deed {
            Deed::Named { name } => line("event", format!("the event is called {name}")),
            Deed::TablesListed { tables } => {
                line("event", format!("{} tables listed", tables.len()))
            }
            Deed::Announced { text, .. } => line("event", format!("announced: {text}")),
            Deed::AnnouncementEnded { text } => line("event", format!("taken down: {text}")),
            Deed::ConsentGiven { .. } => {
                line("people", "how a player is named in public".to_owned())
            }
            Deed::LinkGiven { .. } => line("people", "a link to follow a player made".to_owned()),
            Deed::LinkRevoked { .. } => {
                line("people", "a link to follow a player revoked".to_owned())
            }
            Deed::PairingsFollowed { language: Some(_), .. } => {
                line("people", "a family gets its child's pairings".to_owned())
            }
            Deed::PairingsFollowed { language: None, .. } => {
                line("people", "a family no longer gets its child's pairings".to_owned())
            }
            Deed::TableLinkGiven { table, .. } => {
                line("event", format!("a link of table {table} made"))
            }
            Deed::TableLinkRevoked { table } => {
                line("event", format!("the link of table {table} revoked"))
            }
            Deed::PlayerRenamed { note, .. } => {
                people(note, "a player's name put right".to_owned())
            }
            Deed::TeamRenamed { name, note, .. } => {
                people(note, format!("a team is called {name}"))
            }
            Deed::MemberReplaced { team, note, .. } => {
                let team = self.state.teams().get(team).map_or("", |team| team.name.as_str());
                people(note, format!("{team}: a member replaced"))
            }
            _ => return None,
        })
    }

    /// Words for a deed about an entrant.
    fn line_of_entrant(
        &self,
        deed: &Deed,
        line: &impl Fn(Kind, String) -> DoneLine,
    ) -> Option<DoneLine> {
        let (section, number, round) = match deed {
            Deed::EntrantWithdrawn { section, number, .. }
            | Deed::EntrantReturned { section, number } => (section, *number, None),
            Deed::ByeGiven { section, number, round, .. }
            | Deed::ByeTakenBack { section, number, round } => (section, *number, Some(*round)),
            _ => return None,
        };
        let name = self.state.entrant_name(section, number, Names::Hidden);
        let line = match deed {
            Deed::EntrantWithdrawn { from_round, .. } => {
                line("withdrawal", format!("{name} withdraws from round {from_round} on"))
            }
            Deed::EntrantReturned { .. } => line("withdrawal", format!("{name} returns")),
            Deed::ByeGiven { bye, .. } => {
                let kind = match bye {
                    ByeKind::FullPoint => "a full-point bye",
                    ByeKind::HalfPoint => "a half-point bye",
                    ByeKind::ZeroPoint => "a zero-point bye",
                };
                line("bye", format!("{name} has {kind}"))
            }
            _ => line("bye", format!("{name} has no bye after all")),
        };
        let who = vec![self.state.entrant_name(section, number, Names::Shown)];
        Some(DoneLine { section: Some(section.clone()), round, who, ..line })
    }

    /// Words for a deed about a pairing.
    fn line_of_pairing(
        &self,
        deed: &Deed,
        line: &impl Fn(Kind, String) -> DoneLine,
    ) -> Option<DoneLine> {
        let (pairing, kind, note) = match deed {
            Deed::PairingMade { pairing, .. } | Deed::PairingChanged { pairing, .. } => {
                (pairing, "pairing", None)
            }
            Deed::MatchStarted { pairing } | Deed::MatchEnded { pairing } => {
                (pairing, "pairing", None)
            }
            Deed::EntrantsExchanged { pairings: [one, _], .. }
            | Deed::TablesExchanged { pairings: [one, _] } => (one, "pairing", None),
            Deed::PairingWithdrawn { pairing, note } => (pairing, "pairing", Some(note)),
            Deed::SeatsChosen { pairing, note, .. } => (pairing, "seats", note.as_ref()),
            Deed::ResultEntered { pairing, .. } => (pairing, "result", None),
            Deed::SideReported { pairing, .. } => (pairing, "report", None),
            Deed::ResultConfirmed { pairing } => (pairing, "confirmed", None),
            Deed::ResultSuperseded { pairing, note, .. }
            | Deed::ResultWithdrawn { pairing, note } => (pairing, "result", Some(note)),
            _ => return None,
        };
        let versus = self.versus(*pairing);
        let text = match deed {
            Deed::PairingMade { .. } => format!("paired: {versus}"),
            Deed::PairingChanged { table, .. } => {
                format!("pairing changed: {versus}, table {table}")
            }
            Deed::EntrantsExchanged { pairings: [_, other], .. } => {
                format!("two change places: {versus}, and {}", self.versus(*other))
            }
            Deed::TablesExchanged { pairings: [_, other] } => {
                format!("two tables exchanged: {versus}, and {}", self.versus(*other))
            }
            Deed::PairingWithdrawn { .. } => format!("not played: {versus}"),
            Deed::SeatsChosen { .. } => format!("{versus}: seats chosen"),
            Deed::MatchStarted { .. } => format!("{versus} begins"),
            Deed::MatchEnded { .. } => format!("{versus} is over"),
            Deed::ResultEntered { outcomes, .. } => {
                format!("{versus}: {} entered from paper", outcomes_to_text(outcomes))
            }
            Deed::SideReported { side, outcomes, .. } => {
                let sides = self.sides_of(*pairing, Names::Hidden);
                let who = &sides[usize::from(*side == Side::Second)];
                format!("{versus}: {who} reports {}", outcomes_to_text(outcomes))
            }
            Deed::ResultConfirmed { .. } => format!("{versus}: the result confirmed"),
            Deed::ResultSuperseded { outcomes, .. } => {
                let outcomes = outcomes_to_text(outcomes);
                format!("{versus}: {outcomes} in place of the confirmed result")
            }
            Deed::ResultWithdrawn { .. } => format!("{versus}: the result from paper taken back"),
            _ => return None,
        };
        let line = DoneLine { note: note.cloned(), ..line(kind, text) };
        Some(self.about_pairing(*pairing, line))
    }

    fn versus(&self, id: PairingId) -> String {
        let [first, second] = self.sides_of(id, Names::Hidden);
        format!("{first} – {second}")
    }

    /// A pairing in words such as `round 2, Rooks – Pawns, table 4`.
    #[must_use]
    pub(in crate::hall) fn pairing_words(&self, id: PairingId) -> String {
        match self.state.pairings().get(&id) {
            Some(it) => format!("round {}, {}, table {}", it.round, self.versus(id), it.table),
            None => id.to_string(),
        }
    }

    fn about_pairing(&self, id: PairingId, line: DoneLine) -> DoneLine {
        let Some(pairing) = self.state.pairings().get(&id) else { return line };
        DoneLine {
            section: Some(pairing.section.clone()),
            round: Some(pairing.round),
            table: Some(pairing.table.clone()),
            who: self.sides_of(id, Names::Shown).to_vec(),
            ..line
        }
    }
}

/// Words for a deed about a section and its rounds.
fn line_of_section(deed: &Deed, line: &impl Fn(Kind, String) -> DoneLine) -> Option<DoneLine> {
    let (section, line) = match deed {
        Deed::SectionOpened { section, terms } => {
            let text =
                format!("section opened, {} rounds by {}", terms.rounds, terms.rulebook.name());
            (section, line("section", text))
        }
        Deed::SectionChanged { section, .. } => {
            (section, line("section", "the section's terms changed".to_owned()))
        }
        Deed::SectionRenamed { section, name } => {
            (name, line("section", format!("section {section} is called {name}")))
        }
        Deed::SectionRemoved { section } => {
            (section, line("section", "the section removed with its entrants".to_owned()))
        }
        Deed::SectionsMerged { section, into } => {
            (into, line("section", format!("those of section {section} play here")))
        }
        Deed::EntrantRemoved { section, number } => {
            (section, line("entered", format!("No. {number} removed")))
        }
        Deed::EntrantMoved { section, number, to, as_number, .. } => {
            let text = format!("No. {number} of section {section} plays here as No. {as_number}");
            (to, line("entered", text))
        }
        Deed::CoinTossHeld { section, .. } => {
            (section, line("section", "a coin toss held".to_owned()))
        }
        Deed::CoinTossTakenBack { section, .. } => {
            (section, line("section", "a coin toss taken back".to_owned()))
        }
        Deed::RoundTimed { section, round, starts_ms } => {
            let text = match starts_ms {
                Some(_) => format!("the beginning of round {round} set"),
                None => format!("the beginning of round {round} taken down"),
            };
            (section, DoneLine { round: Some(*round), ..line("round", text) })
        }
        Deed::RoundOpened { section, round } => {
            let line = line("round", format!("round {round} opened"));
            (section, DoneLine { round: Some(*round), ..line })
        }
        _ => return None,
    };
    Some(DoneLine { section: Some(section.clone()), ..line })
}
