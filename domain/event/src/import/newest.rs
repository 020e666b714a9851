//! A file is the newest word: its round is compared with the event's.
//!
//! TRF, WinTD, CSV and typed lists come through here. Equal known entries are not proposed again; known
//! and different ones become changes that the preview names. Entries that the event must keep (a result that was played, a
//! confirmed result without a reason) are named as well, and never keep the rest of the file out.

use std::collections::{BTreeMap, BTreeSet};

use rules::standings::{ByeKind, EntrantNumber, Outcome};

use super::{Problem, draft::Draft, outcome_text::outcomes_to_text};
use crate::{Deed, Pairing, PairingId, PlayerId};

/// Result of a pairing in a file.
pub(super) enum StatedResult {
    /// No statement: the file has no column for results.
    Unsaid,
    /// No result yet.
    NoneYet,
    /// The outcomes, seen from the first side as the file names it.
    Outcomes(Vec<Outcome>),
}

/// A pairing as a file states it.
pub(super) struct StatedPairing {
    pub(super) line: Option<u64>,
    /// Name of its place in problems.
    pub(super) column: String,
    pub(super) sides: [Vec<EntrantNumber>; 2],
    /// None where the file has no tables.
    pub(super) table: Option<String>,
    pub(super) board: Option<u32>,
    /// Seats of the players; empty where the file has none.
    pub(super) seats: Vec<PlayerId>,
    pub(super) result: StatedResult,
}

/// A bye as a file states it.
pub(super) struct StatedBye {
    pub(super) line: Option<u64>,
    pub(super) column: String,
    pub(super) number: EntrantNumber,
    pub(super) bye: ByeKind,
}

/// A round of a section as a file states it.
#[derive(Default)]
pub(super) struct StatedRound {
    pub(super) pairings: Vec<StatedPairing>,
    pub(super) byes: Vec<StatedBye>,
}

impl StatedRound {
    /// Index of each meeting among the pairings.
    fn by_sides(&self) -> BTreeMap<Meeting, usize> {
        let mut by_sides = BTreeMap::new();
        for (at, pairing) in self.pairings.iter().enumerate() {
            by_sides.entry(meeting_of(&pairing.sides)).or_insert(at);
        }
        by_sides
    }

    fn numbers(&self) -> BTreeSet<EntrantNumber> {
        let paired = self.pairings.iter().flat_map(|it| it.sides.iter().flatten().copied());
        paired.chain(self.byes.iter().map(|it| it.number)).collect()
    }
}

impl Draft<'_> {
    /// Opens the rounds of a section up to one. False when the event refuses, with that noted.
    pub(super) fn open_rounds(
        &mut self,
        line: Option<u64>,
        column: &str,
        section: &str,
        round: u8,
    ) -> bool {
        let opened = self.event().sections().get(section).map_or(0, |it| it.opened);
        (opened.saturating_add(1)..=round).all(|next| {
            let deed = Deed::RoundOpened { section: section.to_owned(), round: next };
            self.act(line, Some(column), deed)
        })
    }

    /// Compares a file's round with the event's.
    pub(super) fn put_round(&mut self, section: &str, round: u8, mut stated: StatedRound) {
        self.make_room(section, round, &mut stated);
        let known = self.event().round(section, round);
        let mut known: BTreeMap<Meeting, PairingId> =
            known.map(|(id, it)| (meeting_of(&it.sides), id)).collect();
        self.choose_tables(section, round, &mut stated, &known);
        let mut seen = BTreeSet::new();
        for pairing in stated.pairings {
            self.put_pairing(section, round, pairing, &mut known, &mut seen);
        }
        for bye in stated.byes {
            self.put_bye(section, round, &bye);
        }
    }

    /// Withdraws the pairings and byes of the event that the file's replace, and leaves out those of the file that
    /// meet a pairing which was played.
    fn make_room(&mut self, section: &str, round: u8, stated: &mut StatedRound) {
        let known: Vec<(PairingId, Pairing)> =
            self.event().round(section, round).map(|(id, it)| (id, it.clone())).collect();
        self.leave_out_played(section, &known, stated);
        let numbers = stated.numbers();
        let tables: BTreeSet<&str> = known.iter().map(|(_, it)| it.table.as_str()).collect();
        let by_sides = stated.by_sides();
        for (id, pairing) in &known {
            if let Some(&at) = by_sides.get(&meeting_of(&pairing.sides)) {
                self.make_way(*id, pairing, &mut stated.pairings[at], &tables);
            } else if !is_played(pairing) && pairing.numbers().any(|it| numbers.contains(&it)) {
                let named = self.meeting(section, &pairing.sides);
                let line = stated.line_of(pairing.numbers());
                let what =
                    format!("{}: {named} is replaced by the file's pairing", pairing.place());
                let note = self.note_or("replaced by a newer file");
                self.mend(line, what, Deed::PairingWithdrawn { pairing: *id, note });
            }
        }
        self.take_back_byes(section, round, stated, &numbers);
    }

    /// Leaves out what the file says of those whose pairing was played and is not in the file.
    fn leave_out_played(
        &mut self,
        section: &str,
        known: &[(PairingId, Pairing)],
        stated: &mut StatedRound,
    ) {
        let (by_sides, numbers) = (stated.by_sides(), stated.numbers());
        let mut left_out: BTreeSet<EntrantNumber> = BTreeSet::new();
        for (_, pairing) in known.iter().filter(|(_, it)| is_played(it)) {
            let is_stated = by_sides.contains_key(&meeting_of(&pairing.sides));
            if is_stated || !pairing.numbers().any(|number| numbers.contains(&number)) {
                continue;
            }
            left_out.extend(pairing.numbers());
            let named = self.meeting(section, &pairing.sides);
            let result = outcomes_to_text(&pairing.outcomes);
            let what = format!("{}: the file does not have {named} ({result})", pairing.place());
            let todo = "it was played, and stays; what the file says of these is left out";
            self.keeps(stated.line_of(pairing.numbers()), what, todo);
        }
        if left_out.is_empty() {
            return;
        }
        let known: BTreeSet<Meeting> = known.iter().map(|(_, it)| meeting_of(&it.sides)).collect();
        stated.pairings.retain(|it| {
            known.contains(&meeting_of(&it.sides))
                || !it.sides.iter().flatten().any(|number| left_out.contains(number))
        });
        stated.byes.retain(|it| !left_out.contains(&it.number));
    }

    /// Moves a pairing that the file has at another table away from its own.
    fn make_way(
        &mut self,
        id: PairingId,
        known: &Pairing,
        stated: &mut StatedPairing,
        tables: &BTreeSet<&str>,
    ) {
        let Some(there) = stated.table.clone().filter(|table| *table != known.table) else {
            return;
        };
        if known.running {
            // It is moved where the table there is free; its match stays at its table.
            return;
        }
        if !known.outcomes.is_empty() {
            stated.table = None;
            let what = format!("{}: the file has it at table {there}", known.place());
            self.keeps(stated.line, what, "it was played, and stays where it was");
        } else if tables.contains(there.as_str()) {
            // Tables change hands: the pairing is made again when the other one has left.
            if stated.seats.is_empty() {
                stated.seats.clone_from(&known.seats);
                swap_back(stated, &known.sides);
            }
            let what = format!("{} moves to table {there}", known.place());
            let note = self.note_or("the file has it at another table");
            self.mend(stated.line, what, Deed::PairingWithdrawn { pairing: id, note });
        }
    }

    /// Takes back the byes of those whom the file pairs.
    fn take_back_byes(
        &mut self,
        section: &str,
        round: u8,
        stated: &StatedRound,
        numbers: &BTreeSet<EntrantNumber>,
    ) {
        let with_bye: BTreeSet<EntrantNumber> = stated.byes.iter().map(|it| it.number).collect();
        let Some(known) = self.before().sections().get(section) else { return };
        let paired: Vec<EntrantNumber> = numbers.difference(&with_bye).copied().collect();
        for number in paired {
            if known.byes.contains_key(&(number, round)) {
                let line = stated.line_of([number].into_iter());
                let name = self.side_name(section, &[number]);
                let what =
                    format!("{section}, round {round}: {name} plays and has no bye any more");
                let section = section.to_owned();
                self.mend(line, what, Deed::ByeTakenBack { section, number, round });
            }
        }
    }

    fn put_pairing(
        &mut self,
        section: &str,
        round: u8,
        mut stated: StatedPairing,
        meetings: &mut BTreeMap<Meeting, PairingId>,
        seen: &mut BTreeSet<PairingId>,
    ) {
        let line = stated.line;
        let column = stated.column.clone();
        let meeting = meeting_of(&stated.sides);
        let known = meetings.get(&meeting).copied();
        let known = known.and_then(|id| Some((id, self.event().pairings().get(&id)?.clone())));
        let id = match known {
            Some((id, known)) => {
                let is_again = !seen.insert(id);
                swap_back(&mut stated, &known.sides);
                if is_again && self.contradicts(&stated, &known) {
                    let what =
                        format!("{} is in the file twice, with different words", known.place());
                    self.note(Problem::error(
                        line,
                        Some(&column),
                        what,
                        "keep the line that is right",
                    ));
                    return;
                }
                self.move_pairing(id, &known, &stated);
                id
            }
            None => {
                let Some(table) = stated.table.clone() else { return };
                let (id, sides) = (self.next_pairing(), stated.sides.clone());
                let (section, board) = (section.to_owned(), stated.board);
                let deed = Deed::PairingMade { pairing: id, section, round, table, board, sides };
                if !self.act(line, Some(&column), deed) {
                    return;
                }
                seen.insert(id);
                meetings.insert(meeting, id);
                id
            }
        };
        self.put_seats(line, &column, id, stated.seats);
        self.put_result(line, &column, id, stated.result);
    }

    fn contradicts(&self, stated: &StatedPairing, known: &Pairing) -> bool {
        let other_table = stated.table.as_ref().is_some_and(|table| *table != known.table);
        let other_result = match &stated.result {
            StatedResult::Outcomes(outcomes) => *outcomes != known.outcomes,
            _ => !known.outcomes.is_empty(),
        };
        other_table || other_result
    }

    fn move_pairing(&mut self, id: PairingId, known: &Pairing, stated: &StatedPairing) {
        let Some(table) = stated.table.clone() else { return };
        let board = stated.board.or(known.board);
        if table == known.table && board == known.board {
            return;
        }
        let what = if table == known.table {
            format!("{} gets the board number {}", known.place(), board.unwrap_or_default())
        } else {
            format!("{} moves to table {table}", known.place())
        };
        let sides = known.sides.clone();
        let deed = Deed::PairingChanged { pairing: id, table, board, sides };
        if known.outcomes.is_empty() {
            // An occupied table is a mistake of the file, since it does not move the players at it.
            if self.act(stated.line, Some(&stated.column), deed) {
                self.changes(stated.line, what);
            }
        } else {
            self.mend(stated.line, what, deed);
        }
    }

    fn put_seats(
        &mut self,
        line: Option<u64>,
        column: &str,
        pairing: PairingId,
        seats: Vec<PlayerId>,
    ) {
        let Some(known) = self.event().pairings().get(&pairing) else { return };
        if seats.is_empty() || known.seats == seats {
            return;
        }
        let has_begun = known.running || !known.outcomes.is_empty();
        if known.seats.is_empty() && !has_begun {
            self.act(line, Some(column), Deed::SeatsChosen { pairing, seats, note: None });
            return;
        }
        let names: Vec<&str> = seats.iter().map(|&player| self.player_name(player)).collect();
        let what = format!("{}: seats become {}", known.place(), names.join(", "));
        match self.options().note.clone() {
            None if has_begun => {
                self.keeps(line, what, "play has begun: to change it, give a reason (--note WHY, or the field on the page)");
            }
            note => {
                let note = note.filter(|_| has_begun);
                self.mend(line, what, Deed::SeatsChosen { pairing, seats, note });
            }
        }
    }

    /// Enters and confirms a result, or puts another one in its place where a reason is given.
    pub(super) fn put_result(
        &mut self,
        line: Option<u64>,
        column: &str,
        pairing: PairingId,
        stated: StatedResult,
    ) {
        let Some(known) = self.event().pairings().get(&pairing) else { return };
        let (before, place) = (outcomes_to_text(&known.outcomes), known.place());
        let outcomes = match stated {
            StatedResult::Unsaid => return,
            StatedResult::NoneYet => {
                if !known.outcomes.is_empty() {
                    let what = format!("{place}: the file has no result");
                    self.keeps(line, what, format!("the result {before} stays"));
                }
                return;
            }
            StatedResult::Outcomes(outcomes) => outcomes,
        };
        if known.confirmed && known.outcomes == outcomes {
            return;
        }
        let after = outcomes_to_text(&outcomes);
        let what = format!("{place}: the result {before} becomes {after}");
        if known.confirmed && !known.running {
            let Some(note) = self.options().note.clone() else {
                let todo = format!(
                    "{before} stays; to change it, give a reason (--note WHY, or the field on the page)"
                );
                self.keeps(line, what, todo);
                return;
            };
            self.mend(line, what, Deed::ResultSuperseded { pairing, outcomes, note });
        } else {
            let is_other = !known.outcomes.is_empty() && known.outcomes != outcomes;
            if self.act(line, Some(column), Deed::ResultEntered { pairing, outcomes }) {
                self.act(line, Some(column), Deed::ResultConfirmed { pairing });
                if is_other {
                    self.changes(line, what);
                }
            }
        }
    }

    fn put_bye(&mut self, section: &str, round: u8, stated: &StatedBye) {
        let StatedBye { line, column, number, bye } = stated;
        let (line, number, bye) = (*line, *number, *bye);
        let now = self.event().sections().get(section);
        let known = now.and_then(|it| it.byes.get(&(number, round)).copied());
        if known == Some(bye) {
            return;
        }
        let before = self.before().sections().get(section);
        let is_new = before.is_none_or(|it| !it.byes.contains_key(&(number, round)));
        if let Some(known) = known.filter(|_| !is_new) {
            let name = self.side_name(section, &[number]);
            let [from, to] = [known, bye].map(bye_words);
            let what = format!("{section}, round {round}: the {from} of {name} becomes a {to}");
            let section = section.to_owned();
            if !self.mend(line, what, Deed::ByeTakenBack { section, number, round }) {
                return;
            }
        }
        let section = section.to_owned();
        self.act(line, Some(column), Deed::ByeGiven { section, number, round, bye });
    }

    fn note_or(&self, usual: &str) -> String {
        self.options().note.clone().unwrap_or_else(|| usual.to_owned())
    }

    /// Both sides of a meeting by number and name.
    pub(super) fn meeting(&self, section: &str, sides: &[Vec<EntrantNumber>; 2]) -> String {
        let [one, other] = [0, 1].map(|side| self.side_name(section, &sides[side]));
        format!("{one} – {other}")
    }
}

impl StatedRound {
    /// The line of the first pairing or bye that has one of the numbers.
    fn line_of(&self, numbers: impl Iterator<Item = EntrantNumber>) -> Option<u64> {
        let numbers: BTreeSet<EntrantNumber> = numbers.collect();
        let has = |it: &&StatedPairing| it.sides.iter().flatten().any(|it| numbers.contains(it));
        let paired = self.pairings.iter().find(has).and_then(|it| it.line);
        let bye = || self.byes.iter().find(|it| numbers.contains(&it.number));
        paired.or_else(|| bye().and_then(|it| it.line))
    }
}

/// Whether a pairing was played, or is being played.
const fn is_played(pairing: &Pairing) -> bool {
    pairing.running || !pairing.outcomes.is_empty()
}

/// Name of a bye.
pub(super) const fn bye_words(bye: ByeKind) -> &'static str {
    match bye {
        ByeKind::FullPoint => "full-point bye",
        ByeKind::HalfPoint => "half-point bye",
        ByeKind::ZeroPoint => "zero-point bye",
    }
}

/// The two sides of a pairing, whichever is named first and in whichever order its partners are.
pub(super) type Meeting = [Vec<EntrantNumber>; 2];

/// The meeting of two sides.
pub(super) fn meeting_of(sides: &[Vec<EntrantNumber>; 2]) -> Meeting {
    let mut meeting = sides.clone();
    meeting.iter_mut().for_each(|side| side.sort_unstable());
    meeting.sort_unstable();
    meeting
}

/// Turns a pairing and its result round where the file names the sides the other way.
fn swap_back(stated: &mut StatedPairing, sides: &[Vec<EntrantNumber>; 2]) {
    let sorted = |side: &[EntrantNumber]| side.iter().copied().collect::<BTreeSet<_>>();
    if sorted(&stated.sides[0]) == sorted(&sides[0]) {
        return;
    }
    stated.sides.swap(0, 1);
    if let StatedResult::Outcomes(outcomes) = &mut stated.result {
        outcomes.iter_mut().for_each(|outcome| *outcome = outcome.swapped());
    }
}
