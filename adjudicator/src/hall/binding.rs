//! The binding of matches to pairings.
//!
//! A match that is only set up, or whose clock runs before the first ply, is expected to belong to the pairing that is to be played at
//! its table: whenever rounds are paired, that is found again. Its first ply, or a result that people enter for it, binds it to the one
//! that is to be played then. What was begun and left after a few plies gives its pairing back once another match begins, unless a later
//! round was paired meanwhile. A match that is begun after its round's game is nobody's. A director can say otherwise, and that stays.
//!
//! A director may move pairings while their matches run. Where another pairing of the round takes the table over, its match goes with the
//! table: children sit at each other's tables, and stay there. Where none does, the match keeps its pairing until that is begun at its new table.

use event::PairingId;
use referee::StandingResult;

use super::{Game, Hall};

/// Maximum number of plies of a match without a result that counts as a false start when another match follows: two of each player.
const FALSE_START_PLIES_MAX: usize = 8;

/// Source of a match's binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// The pairing is to be played at its table; nothing has been played yet.
    #[default]
    Expected,
    /// The pairing was to be played at its table when the match began.
    Played,
    /// A director has said it.
    Said,
}

/// Beginning and binding of a match.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    pub(super) binding: Binding,
    /// The input with its first ply or its first result, while there is one.
    begun: Option<u64>,
    /// Whether what decided it was taken back, so that it is as if it had never begun.
    is_open_again: bool,
    /// The input with which its clock first ran.
    pub(super) ran: Option<u64>,
    /// Result that its pairing last got from it.
    told: Option<BoundResult>,
    /// The number that the event's next act had when that last changed.
    pub(super) since: u64,
}

/// Result of a match for its pairing.
#[derive(Clone, Debug, PartialEq)]
struct BoundResult {
    runs: bool,
    result: Option<StandingResult>,
}

impl Game {
    /// Source of its binding.
    #[must_use]
    pub fn binding(&self) -> Binding {
        self.bound.binding
    }

    /// Whether anything was played or decided.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        let referee = self.referee();
        !referee.timeline().plies().is_empty() || referee.result().is_some()
    }

    /// Whether people have decided it.
    pub(super) fn is_final(&self) -> bool {
        self.referee().result().is_some_and(StandingResult::is_final)
    }

    /// Whether it may have been begun and left again.
    fn may_be_false_start(&self) -> bool {
        let referee = self.referee();
        self.bound.binding != Binding::Said
            && referee.result().is_none()
            && (referee.proposal().is_none() || self.bound.is_open_again)
            && referee.timeline().plies().len() <= FALSE_START_PLIES_MAX
    }
}

/// Whether a pairing was moved to another table since a match of it began.
fn was_moved(pairing: &event::Pairing, game: &Game) -> bool {
    game.bound.binding == Binding::Played && pairing.table != game.table
}

impl Hall {
    /// The pairing that is to be played at a table next: of the earliest round that has one without its result and without its matches.
    #[must_use]
    pub fn pairing_at(&self, table: &str) -> Option<PairingId> {
        self.to_play(table, None)
    }

    /// The pairing that a match is of if it begins now.
    fn to_play(&self, table: &str, of_match: Option<&Game>) -> Option<PairingId> {
        let pairings = self.event.state.pairings();
        let here = self.event.seating.at_table(table).filter_map(|id| pairings.get_key_value(&id));
        let open = here.filter(|(_, pairing)| {
            let games = self.event.games_of(pairing);
            let is_open = !pairing.confirmed && pairing.outcomes.len() < games;
            pairing.table == table && pairing.withdrawn.is_none() && is_open
        });
        let mut open: Vec<_> = open.collect();
        open.sort_by_key(|(id, pairing)| (pairing.round, **id));
        let fits = |pairing: &event::Pairing| {
            of_match.is_none_or(|game| {
                let terms =
                    self.event.state.section(&pairing.section).map(|section| &section.terms);
                terms.is_ok_and(|terms| terms.rulebook.book().terms.game == game.game)
            })
        };
        // A match of another game is not the paired one.
        let mut fitting = open.into_iter().filter(|(_, pairing)| fits(pairing));
        fitting.find(|(id, pairing)| !self.is_taken(**id, pairing, of_match)).map(|(id, _)| *id)
    }

    /// Whether a pairing had been made when a match began.
    pub(crate) fn was_paired_before(&self, id: PairingId, game: &Game) -> bool {
        let paired = self.event.paired.get(&id);
        paired.zip(game.bound.begun).is_some_and(|(paired, begun)| *paired < begun)
    }

    /// Whether as many other matches of a pairing have begun as it has games; one that would give it back does not count.
    fn is_taken(&self, id: PairingId, pairing: &event::Pairing, but: Option<&Game>) -> bool {
        let others = self.tables.matches.of_pairing(id).filter(|game| {
            let is_other = but.is_none_or(|but| but.id != game.id);
            is_other && self.was_on(game) && !self.gives_back(game) && !was_moved(pairing, game)
        });
        others.count() >= self.event.games_of(pairing)
    }

    /// Whether a match was begun, or its clock ran and it is over: then it may have been played and not been seen.
    fn was_on(&self, game: &Game) -> bool {
        game.is_begun() || (game.bound.ran.is_some() && self.is_left(game))
    }

    fn is_left(&self, game: &Game) -> bool {
        !self.is_at_table(game) || game.is_done()
    }

    /// Whether a match that was on leaves its pairing to the next one: it has hardly been played, and no later round was paired since.
    fn gives_back(&self, game: &Game) -> bool {
        let is_paired_since = || {
            let begun = game.bound.begun.or(game.bound.ran).unwrap_or(u64::MAX);
            let pairings = self.event.state.pairings();
            let mut here = self.event.seating.at_table(&game.table);
            here.any(|id| {
                let since = self.event.paired.get(&id).copied().unwrap_or_default();
                let is_played = pairings.get(&id).is_some_and(|it| it.withdrawn.is_none());
                is_played && game.pairing != Some(id) && since > begun
            })
        };
        self.is_left(game) && game.may_be_false_start() && !is_paired_since()
    }

    /// A match has taken an input: it may have begun with it, or be as if it never had.
    pub(super) fn note_begun(&mut self, input: u64, match_id: &str) {
        let Some(game) = self.tables.matches.get_mut(match_id) else { return };
        if game.bound.ran.is_none() && game.referee().phase() == referee::Phase::Playing {
            game.bound.ran = Some(input);
        }
        let is_begun = game.is_begun();
        if is_begun == game.bound.begun.is_some() {
            return;
        }
        game.bound.begun = is_begun.then_some(input);
        game.bound.is_open_again = !is_begun;
        match (is_begun, game.bound.binding) {
            (_, Binding::Said) => {}
            (true, _) => {
                game.bound.binding = Binding::Played;
                self.bind_begun(match_id);
            }
            (false, _) => {
                game.bound.binding = Binding::Expected;
                let table = game.table.clone();
                self.bind_again(&table);
            }
        }
    }

    fn bind_begun(&mut self, match_id: &str) {
        let Some(game) = self.tables.matches.get(match_id) else { return };
        let Some(pairing) = self.to_play(&game.table, Some(game)) else {
            return self.set_pairing(match_id, None);
        };
        let known = self.event.state.pairings().get(&pairing);
        let others = self.tables.matches.of_pairing(pairing);
        let left = others.filter(|other| {
            let is_left = self.gives_back(other) || known.is_some_and(|it| was_moved(it, other));
            other.id != match_id && is_left
        });
        let left: Vec<String> = left.map(|other| other.id.clone()).collect();
        for id in left {
            self.set_pairing(&id, None);
        }
        self.set_pairing(match_id, Some(pairing));
    }

    /// Finds again which pairings the matches of a table are of, after something about its pairings or matches changed.
    pub(super) fn bind_again(&mut self, table: &str) {
        let mut here: Vec<&Game> =
            self.tables.matches.values().filter(|it| it.table == table).collect();
        here.sort_by_key(|game| game.opened_input);
        let ids: Vec<String> = here.into_iter().map(|game| game.id.clone()).collect();
        for id in ids {
            let Some(game) = self.tables.matches.get(&id) else { continue };
            let wanted = self.pairing_wanted(game);
            self.set_pairing(&id, wanted);
        }
    }

    fn pairing_wanted(&self, game: &Game) -> Option<PairingId> {
        let is_here = self.is_at_table(game);
        match game.bound.binding {
            Binding::Expected if is_here => self.to_play(&game.table, Some(game)),
            // The match was set up and had no plies; where its clock ran, plies may have been missed.
            Binding::Expected => game
                .pairing
                .filter(|id| game.bound.ran.is_some() && self.event.is_to_be_played(*id)),
            Binding::Said => game.pairing.filter(|id| self.event.is_to_be_played(*id)),
            Binding::Played => {
                let kept = game.pairing.filter(|id| self.event.is_to_be_played(*id));
                let kept = kept.map(|id| self.in_its_place(id, game).unwrap_or(id));
                let goes_on = is_here && !game.is_done();
                let next = self.to_play(&game.table, Some(game)).filter(|_| goes_on);
                // While it is played, a pairing that is open again in an earlier round comes before one of a later round.
                let round = |id: PairingId| Some(self.event.state.pairings().get(&id)?.round);
                let is_earlier = kept.zip(next).is_some_and(|(kept, next)| {
                    let mut others = self.tables.matches.of_pairing(next);
                    round(next) < round(kept) && !others.any(Game::is_begun)
                });
                kept.filter(|_| !is_earlier).or(next)
            }
        }
    }

    /// The pairing of the same round that came to a match's table when the match's own was moved away.
    fn in_its_place(&self, id: PairingId, game: &Game) -> Option<PairingId> {
        let pairings = self.event.state.pairings();
        let moved = pairings.get(&id).filter(|pairing| was_moved(pairing, game))?;
        let mut here = self.event.seating.at_table(&game.table);
        here.find(|other| {
            pairings.get(other).is_some_and(|it| {
                let is_of_round = (&it.section, it.round) == (&moved.section, moved.round);
                is_of_round && it.table == game.table && it.withdrawn.is_none()
            })
        })
    }

    /// A match is of this pairing, as a director says.
    pub(super) fn bind(
        &mut self,
        match_id: &str,
        pairing: Option<PairingId>,
    ) -> Result<(), String> {
        if let Some(id) = pairing {
            match self.event.state.pairings().get(&id) {
                None => return Err(format!("there is no {id}")),
                Some(known) if known.withdrawn.is_some() => {
                    return Err(format!("{id} was withdrawn: choose another"));
                }
                Some(_) => {}
            }
        }
        let Some(game) = self.tables.matches.get_mut(match_id) else {
            return Err(format!("there is no match {match_id}"));
        };
        game.bound.binding = Binding::Said;
        let table = game.table.clone();
        self.set_pairing(match_id, pairing);
        // The match that is set up at the table may belong to the released pairing.
        self.bind_again(&table);
        Ok(())
    }

    fn set_pairing(&mut self, match_id: &str, pairing: Option<PairingId>) {
        let since = self.event.state.next_number();
        let Some(before) = self.tables.matches.get(match_id).map(|game| game.pairing) else {
            return;
        };
        if before == pairing {
            return;
        }
        self.tables.matches.bind(match_id, pairing);
        if let Some(game) = self.tables.matches.get_mut(match_id) {
            game.bound.since = since;
        }
        self.judge_by_pairing(match_id);
        self.move_changes(match_id);
        before.into_iter().chain(pairing).for_each(|id| self.follow_matches(id));
    }

    /// A match is judged as its section announced, or else as the configuration has it.
    fn judge_by_pairing(&mut self, match_id: &str) {
        let Some(game) = self.tables.matches.get(match_id) else { return };
        let terms = game.pairing.and_then(|id| {
            let section = &self.event.state.pairings().get(&id)?.section;
            Some((section.as_str(), &self.event.state.section(section).ok()?.terms))
        });
        let judged = self.judging.judge(&game.table, game.game, &game.hub_book, terms, &game.time);
        // Where no configuration names a book any more, the one that it was opened with stays.
        let (Ok(judged), Some(game)) = (judged, self.tables.matches.get_mut(match_id)) else {
            return;
        };
        game.judge_by(judged);
    }

    /// A match has taken an input: what its pairing is given of it may be something else now.
    pub(super) fn note_told(&mut self, match_id: &str) {
        let since = self.event.state.next_number();
        let Some(game) = self.tables.matches.get_mut(match_id) else { return };
        let referee = game.referee();
        let result = referee.result();
        let runs =
            referee.phase() == referee::Phase::Playing && result.is_none() && !game.is_done();
        let is_same = game
            .bound
            .told
            .as_ref()
            .is_some_and(|told| told.runs == runs && told.result.as_ref() == result);
        if is_same {
            return;
        }
        let told = BoundResult { runs, result: result.cloned() };
        let had = game.bound.told.replace(told);
        let is_decided_again = had.and_then(|had| had.result).as_ref() != game.referee().result();
        if is_decided_again {
            game.bound.since = since;
        }
        let pairing = game.pairing;
        if let Some(pairing) = pairing {
            self.follow_matches(pairing);
        }
    }

    /// Tables at which a match is played that is bound, by their slot.
    pub(super) fn tables_of(&self, id: PairingId) -> Vec<String> {
        let at = self.event.state.pairings().get(&id).map(|pairing| pairing.table.clone());
        let others = self.tables.matches.of_pairing(id);
        let mut tables: Vec<String> =
            at.into_iter().chain(others.map(|game| game.table.clone())).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }
}
