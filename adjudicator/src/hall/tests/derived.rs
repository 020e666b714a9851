//! The event's results after acts of any kind in any order: always equal to a recomputation from the matches.

use event::Played;
use proptest::prelude::*;
use rules::standings::{Outcome, Side};

use super::*;

const TABLES: u32 = 3;

#[derive(Clone, Debug)]
enum Step {
    SetUp { table: u32 },
    Play { table: u32, mate: bool },
    End { table: u32 },
    Pair,
    Win { at: usize, team: TeamName, forfeit: bool },
    Confirm { at: usize },
    Withdraw { at: usize },
    Bind { at: usize, pairing: Option<u32> },
    Turn { pairing: u32 },
    Paper { pairing: u32, first: bool },
    ConfirmPaper { pairing: u32 },
    TakePaperBack { pairing: u32 },
    Cancel { pairing: u32 },
    Exchange { one: u32, other: u32 },
}

fn step() -> impl Strategy<Value = Step> {
    let table = || 1..=TABLES;
    let at = || 0..9usize;
    let pairing = || 1..9u32;
    let team = || prop_oneof![Just(TeamName::One), Just(TeamName::Two)];
    prop_oneof![
        4 => table().prop_map(|table| Step::SetUp { table }),
        4 => (table(), any::<bool>()).prop_map(|(table, mate)| Step::Play { table, mate }),
        2 => table().prop_map(|table| Step::End { table }),
        2 => Just(Step::Pair),
        4 => (at(), team(), any::<bool>()).prop_map(|(at, team, forfeit)| Step::Win { at, team, forfeit }),
        1 => at().prop_map(|at| Step::Confirm { at }),
        3 => at().prop_map(|at| Step::Withdraw { at }),
        3 => (at(), prop::option::of(pairing())).prop_map(|(at, pairing)| Step::Bind { at, pairing }),
        2 => pairing().prop_map(|pairing| Step::Turn { pairing }),
        2 => (pairing(), any::<bool>()).prop_map(|(pairing, first)| Step::Paper { pairing, first }),
        1 => pairing().prop_map(|pairing| Step::ConfirmPaper { pairing }),
        1 => pairing().prop_map(|pairing| Step::TakePaperBack { pairing }),
        1 => pairing().prop_map(|pairing| Step::Cancel { pairing }),
        2 => (pairing(), pairing()).prop_map(|(one, other)| Step::Exchange { one, other }),
    ]
}

/// A day in which anything is done; what cannot be done is refused.
struct Anything {
    day: Day,
    matches: Vec<String>,
    at_table: HashMap<u32, String>,
    /// Pairings with an entered or confirmed result.
    said: Vec<u32>,
    round: u8,
}

impl Anything {
    fn new(kind: Kind) -> Anything {
        Anything {
            day: Day::new(kind, TABLES * 2),
            matches: Vec::new(),
            at_table: HashMap::new(),
            said: Vec::new(),
            round: 0,
        }
    }

    fn nth(&self, at: usize) -> Option<String> {
        self.matches.get(at % self.matches.len().max(1)).cloned()
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::SetUp { table } => {
                let id = format!("m{}", self.matches.len() + 1);
                self.day.sets_up(&table.to_string(), &id);
                self.at_table.insert(table, id.clone());
                self.matches.push(id);
            }
            Step::Play { table, mate } => {
                let Some(id) = self.at_table.get(&table).cloned() else { return };
                let plies: &[&str] = if mate { &MATE } else { &QUIET[..4] };
                self.day.plays(&table.to_string(), &id, plies);
            }
            Step::End { table } => {
                let Some(id) = self.at_table.get(&table).cloned() else { return };
                self.day.ends(&table.to_string(), &id);
            }
            Step::Pair if self.round < 3 => {
                self.round += 1;
                self.day.pairs(self.round, &[(1, 2), (3, 4), (5, 6)]);
            }
            Step::Pair => {}
            Step::Win { at, team, forfeit } => {
                let reason = if forfeit { "forfeit" } else { "resignation" };
                let won = json!({ "what": "enter-result", "winner": team, "reason": reason, "note": "so it was" });
                self.decide(at, won);
            }
            Step::Confirm { at } => self.decide(at, json!({ "what": "confirm" })),
            Step::Withdraw { at } => {
                let Some(id) = self.nth(at) else { return };
                let game = self.day.hall.game(&id).expect("the match");
                let Some(standing) = game.referee().result() else { return };
                let act = standing.act.0;
                self.decide(at, json!({ "what": "withdraw", "act": act }));
            }
            Step::Bind { at, pairing } => {
                let Some(id) = self.nth(at) else { return };
                self.day.binds(&id, pairing.map(PairingId));
            }
            Step::Turn { pairing } => {
                let id = PairingId(pairing);
                let mut seats = self.day.hall.event().seats(id);
                match seats[..] {
                    [_, _] => seats.swap(0, 1),
                    [a, b, c, d] => seats = vec![b, a, d, c],
                    _ => return,
                }
                let note = Some("they say so".to_owned());
                self.day.event(Deed::SeatsChosen { pairing: id, seats, note });
            }
            Step::Paper { pairing, first } => {
                let side = if first { Side::First } else { Side::Second };
                let (id, outcomes) = (PairingId(pairing), vec![Outcome::Win(side)]);
                self.said.push(pairing);
                self.day.event(Deed::ResultEntered { pairing: id, outcomes });
            }
            Step::ConfirmPaper { pairing } => {
                self.said.push(pairing);
                self.day.event(Deed::ResultConfirmed { pairing: PairingId(pairing) });
            }
            Step::TakePaperBack { pairing } => {
                let note = "of another table".to_owned();
                self.day.event(Deed::ResultWithdrawn { pairing: PairingId(pairing), note });
            }
            Step::Exchange { one, other } => {
                let pairings = [one, other].map(PairingId);
                self.day.event(Deed::TablesExchanged { pairings });
            }
            Step::Cancel { pairing } => {
                let note = "they went home".to_owned();
                self.day.event(Deed::PairingWithdrawn { pairing: PairingId(pairing), note });
            }
        }
    }

    fn decide(&mut self, at: usize, decided: serde_json::Value) {
        if let Some(id) = self.nth(at) {
            self.day.decides(&id, decided);
        }
    }

    /// Score of a pairing's matches, computed here from the referees alone.
    fn recomputed(&self, id: PairingId) -> (Vec<Outcome>, bool) {
        let hall = &self.day.hall;
        let seats = hall.event().seats(id);
        let sides: Vec<Vec<PlayerId>> = hall.event().pairings()[&id]
            .sides
            .iter()
            .map(|numbers| match self.day.kind {
                Kind::Chess => vec![PlayerId(numbers[0].0)],
                Kind::Bughouse => [numbers[0].0 * 2, numbers[0].0 * 2 + 1].map(PlayerId).to_vec(),
            })
            .collect();
        let is_first_one = seats.first().is_none_or(|white_at_a| sides[0].contains(white_at_a));
        let bound = hall.games().into_iter().filter(|game| game.pairing == Some(id));
        let all: Vec<_> = bound.filter_map(|game| game.referee().result().cloned()).collect();
        // A pairing has one game here: the first that is final, or else the first.
        let first = all.iter().find(|standing| standing.is_final()).or(all.first());
        let results: Vec<_> = first.into_iter().cloned().collect();
        let outcomes = results.iter().map(|standing| {
            let is_first = standing.result.winner == Some(rules::Team::One);
            let side = if is_first == is_first_one { Side::First } else { Side::Second };
            match standing.result.reason {
                referee::ResultReason::Forfeit => Outcome::ForfeitWin(side),
                _ => Outcome::Win(side),
            }
        });
        let outcomes: Vec<Outcome> = outcomes.collect();
        let is_final = outcomes.len() == 1 && results.iter().all(|standing| standing.is_final());
        (outcomes, is_final)
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let event = self.day.hall.event();
        for (&id, pairing) in event.pairings() {
            let (outcomes, is_final) = self.recomputed(id);
            let Played { outcomes: given, is_final: is_given_final, .. } = pairing.played();
            prop_assert_eq!((given, *is_given_final), (&outcomes, is_final), "{:?}", id);
            if !self.said.contains(&id.0) {
                prop_assert_eq!((&pairing.outcomes, pairing.confirmed), (&outcomes, is_final));
            }
        }
        for game in self.day.hall.games() {
            let pairing = game.pairing.and_then(|id| event.pairings().get(&id));
            prop_assert!(pairing.is_none_or(|pairing| pairing.withdrawn.is_none()));
            let is_said = game.binding() == crate::hall::Binding::Said;
            let is_open = game.is_begun() || game.bound.ran.is_some() || is_said;
            prop_assert!(is_open || pairing.is_none() || self.day.hall.is_at_table(game));
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_events_results_are_always_what_the_matches_give(
        is_chess: bool,
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut anything = Anything::new(if is_chess { Kind::Chess } else { Kind::Bughouse });
        for step in steps {
            anything.take(step);
            anything.check()?;
        }
        let standings = anything.day.hall.event().standings("Open", None, event::Names::Hidden);
        prop_assert!(standings.is_ok());
    }
}
