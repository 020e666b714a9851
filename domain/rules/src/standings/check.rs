//! Check of reports: every report is compared with the others before sums are made.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::{
    Bye, ByeKind, CoinToss, Confirmation, EntrantNumber, GAMES_PER_ROUND_MAX, Outcome, Pairing,
    PairingGame, Problem, ROUNDS_MAX, ResultKind, Results, RoundResult, Score, Section, Side,
    problem::Named,
};

/// A round and the two entrants who meet in it, the lower number first.
type Meeting = (u8, EntrantNumber, EntrantNumber);

/// Report of a meeting, seen from the lower number.
#[derive(Clone)]
struct Report {
    games: Vec<PairingGame>,
    confirmation: Confirmation,
}

/// Assignment of one entrant in one round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assignment {
    Against(EntrantNumber),
    Bye(ByeKind),
}

struct Checker<'section> {
    section: &'section Section,
    results: Results,
    reports: BTreeMap<Meeting, Report>,
    assignments: BTreeMap<(EntrantNumber, u8), Assignment>,
    withdrawn_after: BTreeMap<EntrantNumber, u8>,
    problems: Vec<Problem>,
}

impl Results {
    /// Checks a section and lays it out by entrant and round.
    ///
    /// # Errors
    ///
    /// Every contradiction found, each naming the entrant and the round; never an empty list.
    pub fn new(section: &Section) -> Result<Results, Vec<Problem>> {
        check(section)
    }
}

/// Checks a section and lays it out by entrant and round.
fn check(section: &Section) -> Result<Results, Vec<Problem>> {
    let mut problems = Vec::new();
    if !(1..=ROUNDS_MAX).contains(&section.rounds) {
        problems.push(Problem::Rounds { rounds: section.rounds });
    }
    if !(1..=GAMES_PER_ROUND_MAX).contains(&section.games_per_round) {
        problems.push(Problem::GamesPerRound { games: section.games_per_round });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut checker = Checker::new(section);
    checker.read_withdrawals();
    section.pairings.iter().for_each(|pairing| checker.read_pairing(pairing));
    section.byes.iter().for_each(|bye| checker.read_bye(*bye));
    checker.read_coin_tosses();
    if checker.problems.is_empty() { Ok(checker.lay_out()) } else { Err(checker.problems) }
}

impl<'section> Checker<'section> {
    fn new(section: &'section Section) -> Self {
        let mut problems = Vec::new();
        let mut entrants = section.entrants.clone();
        entrants.sort_by(|one, other| (one.number, &one.name).cmp(&(other.number, &other.name)));
        for pair in entrants.windows(2) {
            if pair[0].number == pair[1].number {
                let one = Named { number: pair[0].number, name: pair[0].name.clone() };
                problems.push(Problem::SameNumber { one, other: pair[1].name.clone() });
            }
        }
        let index = entrants.iter().enumerate().map(|(at, entrant)| (entrant.number, at)).collect();
        let unplayed = RoundResult::alone(ResultKind::Unplayed, Score::ZERO, Score::ZERO);
        let results = Results {
            scoring: section.scoring,
            games_per_round: section.games_per_round,
            rows: vec![vec![unplayed; usize::from(section.rounds)]; entrants.len()],
            entrants,
            coin_tosses: section.coin_tosses.clone(),
            rounds: section.rounds,
            index,
        };
        Checker {
            section,
            results,
            reports: BTreeMap::new(),
            assignments: BTreeMap::new(),
            withdrawn_after: BTreeMap::new(),
            problems,
        }
    }

    fn read_withdrawals(&mut self) {
        for withdrawal in &self.section.withdrawals {
            let after_round = withdrawal.after_round;
            let Some(entrant) = self.find(after_round, withdrawal.entrant, "withdrawal") else {
                continue;
            };
            if after_round > self.section.rounds {
                let rounds = self.section.rounds;
                self.problems.push(Problem::NoSuchRound { round: after_round, entrant, rounds });
                continue;
            }
            match self.withdrawn_after.entry(entrant.number) {
                Entry::Vacant(vacant) => {
                    vacant.insert(after_round);
                }
                Entry::Occupied(earlier) if *earlier.get() == after_round => {}
                Entry::Occupied(earlier) => {
                    let one = *earlier.get();
                    let other = after_round;
                    self.problems.push(Problem::WithdrawnTwice { entrant, one, other });
                }
            }
        }
    }

    fn read_pairing(&mut self, pairing: &Pairing) {
        let Pairing { round, first, second, .. } = *pairing;
        let context = |number: EntrantNumber| match self.results.index.get(&number) {
            Some(&index) => format!("opponent of {}", self.results.named(index)),
            None => format!("opponent of {number}"),
        };
        let (of_first, of_second) = (context(first), context(second));
        let entrant = self.find(round, first, &of_second);
        let opponent = self.find(round, second, &of_first);
        let (Some(entrant), Some(opponent)) = (entrant, opponent) else { return };
        if first == second {
            self.problems.push(Problem::PairedWithThemselves { round, entrant });
            return;
        }
        if pairing.games.len() > usize::from(self.section.games_per_round) {
            self.problems.push(Problem::TooManyGames {
                round,
                entrant,
                opponent,
                reported: pairing.games.len(),
                games: self.section.games_per_round,
            });
            return;
        }
        if self.assign(round, &entrant, Assignment::Against(second))
            && self.assign(round, &opponent, Assignment::Against(first))
            && !self.merge(pairing)
        {
            self.problems.push(Problem::ReportsDiffer { round, entrant, opponent });
        }
    }

    fn read_bye(&mut self, bye: Bye) {
        if let Some(entrant) = self.find(bye.round, bye.entrant, "bye") {
            self.assign(bye.round, &entrant, Assignment::Bye(bye.kind));
        }
    }

    /// The entrant with a number, or a problem noted.
    fn find(&mut self, round: u8, number: EntrantNumber, context: &str) -> Option<Named> {
        if let Some(&index) = self.results.index.get(&number) {
            return Some(self.results.named(index));
        }
        let context = context.to_owned();
        self.problems.push(Problem::UnknownEntrant { round, number, context });
        None
    }

    /// Notes what an entrant has in a round. False when that cannot be, with a problem noted.
    fn assign(&mut self, round: u8, entrant: &Named, assignment: Assignment) -> bool {
        let rounds = self.section.rounds;
        let entrant = entrant.clone();
        if !(1..=rounds).contains(&round) {
            self.problems.push(Problem::NoSuchRound { round, entrant, rounds });
            return false;
        }
        if let Some(&after_round) = self.withdrawn_after.get(&entrant.number)
            && round > after_round
        {
            let what = self.describe(assignment);
            self.problems.push(Problem::WithdrawnBefore { round, entrant, what, after_round });
            return false;
        }
        let earlier = *self.assignments.entry((entrant.number, round)).or_insert(assignment);
        if earlier != assignment {
            let (one, other) = (self.describe(earlier), self.describe(assignment));
            self.problems.push(Problem::TwiceInOneRound { round, entrant, one, other });
            return false;
        }
        true
    }

    fn describe(&self, assignment: Assignment) -> String {
        match assignment {
            Assignment::Against(opponent) => match self.results.index.get(&opponent) {
                Some(&index) => format!("a game against {}", self.results.named(index)),
                None => format!("a game against {opponent}"),
            },
            Assignment::Bye(ByeKind::FullPoint) => "a full-point bye".to_owned(),
            Assignment::Bye(ByeKind::HalfPoint) => "a half-point bye".to_owned(),
            Assignment::Bye(ByeKind::ZeroPoint) => "a zero-point bye".to_owned(),
        }
    }

    /// Adds a report to what is known of the meeting. False when the two contradict each other.
    fn merge(&mut self, pairing: &Pairing) -> bool {
        let in_order = pairing.first < pairing.second;
        let meeting = if in_order {
            (pairing.round, pairing.first, pairing.second)
        } else {
            (pairing.round, pairing.second, pairing.first)
        };
        let seen = |game: &PairingGame| if in_order { *game } else { game.swapped() };
        let report = Report {
            games: pairing.games.iter().map(seen).collect(),
            confirmation: pairing.confirmation,
        };
        match self.reports.entry(meeting) {
            Entry::Vacant(vacant) => {
                vacant.insert(report);
                true
            }
            Entry::Occupied(mut known) => match known.get().merged(&report) {
                Some(merged) => {
                    known.insert(merged);
                    true
                }
                None => false,
            },
        }
    }

    fn read_coin_tosses(&mut self) {
        let tosses = &self.section.coin_tosses;
        for toss in tosses {
            let mut seen = BTreeSet::new();
            for &number in &toss.order {
                if !self.results.index.contains_key(&number) {
                    let reason = "is nobody's number";
                    self.problems.push(Problem::CoinToss { number, reason });
                } else if !seen.insert(number) {
                    let reason = "stands in it twice";
                    self.problems.push(Problem::CoinToss { number, reason });
                }
            }
        }
        for (at, toss) in tosses.iter().enumerate() {
            for (one, other) in
                tosses[at + 1..].iter().filter_map(|later| contradiction(toss, later))
            {
                let named =
                    |number| self.results.index.get(&number).map(|&at| self.results.named(at));
                if let (Some(one), Some(other)) = (named(one), named(other)) {
                    self.problems.push(Problem::CoinTossesDiffer { one, other });
                }
            }
        }
    }

    /// Fills the rows. Everything has been checked.
    fn lay_out(mut self) -> Results {
        let games_per_round = self.section.games_per_round;
        for (&(round, first, second), report) in &self.reports {
            let results = report.results(games_per_round, first, second);
            for (number, result) in [first, second].into_iter().zip(results) {
                self.results.set(number, round, result);
            }
        }
        for (&(number, round), assignment) in &self.assignments {
            if let Assignment::Bye(kind) = assignment {
                self.results.set(number, round, of_bye(*kind, games_per_round));
            }
        }
        for (&number, &after_round) in &self.withdrawn_after {
            let withdrawn = RoundResult::alone(ResultKind::Withdrawn, Score::ZERO, Score::ZERO);
            for round in after_round + 1..=self.section.rounds {
                self.results.set(number, round, withdrawn);
            }
        }
        self.results
    }
}

impl Results {
    fn set(&mut self, number: EntrantNumber, round: u8, result: RoundResult) {
        if let Some(&index) = self.index.get(&number) {
            self.rows[index][usize::from(round) - 1] = result;
        }
    }
}

impl Report {
    /// Both reports in one; none when they contradict each other. A report with fewer games is an earlier one: a
    /// pairing that was posted, or a match of which a game was over. A colour that is missing is no contradiction.
    fn merged(&self, other: &Report) -> Option<Report> {
        let (earlier, later) =
            if self.games.len() <= other.games.len() { (self, other) } else { (other, self) };
        let mut merged = later.clone();
        for (game, known) in merged.games.iter_mut().zip(&earlier.games) {
            let colours_agree =
                game.white.is_none() || known.white.is_none() || game.white == known.white;
            if game.outcome != known.outcome || !colours_agree {
                return None;
            }
            game.white = game.white.or(known.white);
        }
        if earlier.games.len() == later.games.len() {
            merged.confirmation = earlier.confirmation.max(later.confirmation);
        }
        Some(merged)
    }

    /// Results of the meeting for the first and for the second entrant.
    fn results(
        &self,
        games_per_round: u8,
        first: EntrantNumber,
        second: EntrantNumber,
    ) -> [RoundResult; 2] {
        let complete = self.games.len() == usize::from(games_per_round);
        let played = self.games.iter().any(|game| game.outcome.is_played());
        [(Side::First, second), (Side::Second, first)].map(|(side, opponent)| {
            let own: Score = self.games.iter().map(|game| game.outcome.points(side)).sum();
            let others = self.games.iter().map(|game| game.outcome.points(side.other())).sum();
            let is_half =
                matches!(&self.games[..], [game] if game.outcome == Outcome::HalfAndNone(side));
            let (kind, match_points) = if complete && is_half {
                (ResultKind::Draw, Score::HALF)
            } else if complete {
                judge(own, others, played)
            } else {
                (ResultKind::Pending, Score::ZERO)
            };
            let white = self.games.first().filter(|_| games_per_round == 1);
            RoundResult {
                opponent: Some(opponent),
                had_white: white.and_then(|game| game.white).map(|white| white == side),
                provisional: !complete || self.confirmation == Confirmation::Provisional,
                ..RoundResult::alone(kind, if complete { own } else { Score::ZERO }, match_points)
            }
        })
    }
}

/// Two entrants whom two coin tosses order differently, if there are any: one of those who follow each other among the
/// entrants that both tosses have.
fn contradiction(one: &CoinToss, other: &CoinToss) -> Option<(EntrantNumber, EntrantNumber)> {
    let places: BTreeMap<EntrantNumber, usize> =
        one.order.iter().enumerate().map(|(place, &number)| (number, place)).collect();
    let shared: Vec<EntrantNumber> =
        other.order.iter().copied().filter(|number| places.contains_key(number)).collect();
    let turned = shared.windows(2).find(|pair| places[&pair[0]] > places[&pair[1]])?;
    Some((turned[1], turned[0]))
}

/// Result of a complete pairing by its points, and the match points for it.
fn judge(own: Score, others: Score, played: bool) -> (ResultKind, Score) {
    match (own.cmp(&others), played) {
        (std::cmp::Ordering::Greater, true) => (ResultKind::Win, Score::ONE),
        (std::cmp::Ordering::Greater, false) => (ResultKind::ForfeitWin, Score::ONE),
        (std::cmp::Ordering::Less, true) => (ResultKind::Loss, Score::ZERO),
        (std::cmp::Ordering::Less, false) => (ResultKind::ForfeitLoss, Score::ZERO),
        // Rulings took the points of both.
        (std::cmp::Ordering::Equal, true) if own == Score::ZERO => (ResultKind::Loss, Score::ZERO),
        (std::cmp::Ordering::Equal, true) => (ResultKind::Draw, Score::HALF),
        (std::cmp::Ordering::Equal, false) if own == Score::ZERO => {
            (ResultKind::ForfeitLoss, Score::ZERO)
        }
        (std::cmp::Ordering::Equal, false) => (ResultKind::ForfeitDraw, Score::HALF),
    }
}

/// Result of a bye: in both accounts as much as winning, halving or losing every game of the round.
fn of_bye(kind: ByeKind, games_per_round: u8) -> RoundResult {
    let (kind, of_a_game) = match kind {
        ByeKind::FullPoint => (ResultKind::FullPointBye, Score::ONE),
        ByeKind::HalfPoint => (ResultKind::HalfPointBye, Score::HALF),
        ByeKind::ZeroPoint => (ResultKind::ZeroPointBye, Score::ZERO),
    };
    RoundResult::alone(kind, of_a_game.times(games_per_round), of_a_game)
}
