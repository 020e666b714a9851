//! One event from the list of teams to the last standings, against a calculation that shares nothing with ours:
//! 24 teams in two sections, a list with two mistakes, five rounds on eight tables, colours chosen at the table, one
//! withdrawal, one result superseded.

mod support;

use std::collections::BTreeMap;

use event::{Deed, Event, Names, PairingId, RefusalKind, Role, SectionKind, import::FileKind};
use rules::standings::{ByeKind, EntrantNumber, Outcome, Side};
use support::{ORDER, act, done, look, number, opened, refused, taken};

const TEAMS: u32 = 12;
const ROUNDS: u8 = 5;
/// The sections with the table of their first pairing: they play one after the other on the same eight tables.
const SECTIONS: [(&str, u32); 2] = [("K-6", 1), ("K-12", 3)];
/// Team that leaves, with its first round of absence.
const LEAVES: (&str, u32, u8) = ("K-6", 7, 4);

/// One team's round, as a child would note it.
#[derive(Clone, Copy)]
struct Noted {
    opponent: Option<u32>,
    half_points: i64,
    played: bool,
    confirmed: bool,
}

/// The test's own books of one section: by team and round.
#[derive(Clone, Default)]
struct Books(BTreeMap<(u32, u8), Noted>);

impl Books {
    fn round(&self, team: u32, round: u8) -> Option<&Noted> {
        self.0.get(&(team, round))
    }

    fn score(&self, team: u32, after: u8) -> i64 {
        (1..=after).filter_map(|round| self.round(team, round)).map(|it| it.half_points).sum()
    }

    /// Rounds played as they went, every other round as a half.
    fn adjusted(&self, team: u32, after: u8) -> i64 {
        (1..=after)
            .map(|round| match self.round(team, round) {
                Some(it) if it.played => it.half_points,
                _ => 1,
            })
            .sum()
    }

    fn opponents(&self, team: u32, after: u8) -> Vec<i64> {
        let one = |round| match self.round(team, round) {
            Some(Noted { opponent: Some(opponent), played: true, .. }) => {
                self.adjusted(*opponent, after)
            }
            _ => 0,
        };
        let mut all: Vec<i64> = (1..=after).map(one).collect();
        all.sort_unstable();
        all
    }

    fn modified_median(&self, team: u32, after: u8) -> i64 {
        let all = self.opponents(team, after);
        let (score, half) = (self.score(team, after), i64::from(after));
        let from = usize::from(score >= half).min(all.len());
        let to = all.len() - usize::from(score <= half).min(all.len() - from);
        all[from..to].iter().sum()
    }

    fn cumulative(&self, team: u32, after: u8) -> i64 {
        let running: i64 = (1..=after).map(|round| self.score(team, round)).sum();
        let free = (1..=after).filter_map(|round| self.round(team, round)).filter(|it| !it.played);
        running - free.map(|it| it.half_points).sum::<i64>()
    }

    fn key(&self, team: u32, after: u8) -> [i64; 4] {
        [
            self.score(team, after),
            self.modified_median(team, after),
            self.opponents(team, after).iter().sum(),
            self.cumulative(team, after),
        ]
    }
}

/// The standings of a section must be what the books say, to the last number.
fn check(event: &Event, section: &str, books: &Books, after: u8) {
    let standings = event.standings(section, Some(after), Names::Hidden).expect("standings");
    assert_eq!(standings.order, ORDER);
    assert_eq!(standings.rows.len(), TEAMS as usize);
    for row in &standings.rows {
        let key = books.key(row.number.0, after);
        let better = (1..=TEAMS).filter(|&other| books.key(other, after) > key).count();
        let shown: Vec<i64> = std::iter::once(i64::from(row.score.half_points()) * 2)
            .chain(row.tie_breaks.iter().map(|it| it.expect("a number").quarter_points()))
            .collect();
        assert_eq!(shown, key.map(|half_points| half_points * 2), "{section}, {}", row.name);
        assert_eq!(row.rank as usize, better + 1, "{section}, {}", row.name);
        assert!(row.players.is_empty(), "no person is named: {:?}", row.players);
    }
    let waiting = books.0.iter().any(|(&(_, round), it)| round <= after && !it.confirmed);
    assert_eq!(standings.provisional, waiting, "{section} after round {after}");
}

/// Pairings of a round: the circle method, with team 12 in the middle.
fn circle(round: u8) -> Vec<(u32, u32)> {
    let at = |place: u32| (place + u32::from(round)) % (TEAMS - 1) + 1;
    let mut pairs = vec![(at(0), TEAMS)];
    pairs.extend((1..TEAMS / 2).map(|it| (at(it), at(TEAMS - 1 - it))));
    pairs
}

/// Result of a match: mostly the lower number, often not, now and then a draw.
fn outcome(round: u8, one: u32, other: u32) -> Outcome {
    match (one * 7 + other * 3 + u32::from(round) * 5) % 9 {
        0 => Outcome::Draw,
        1..=5 => Outcome::Win(if one < other { Side::First } else { Side::Second }),
        _ => Outcome::Win(if one < other { Side::Second } else { Side::First }),
    }
}

fn note(books: &mut Books, round: u8, pair: (u32, u32), outcome: Option<Outcome>, confirmed: bool) {
    let first = match outcome {
        Some(Outcome::Win(Side::First)) => 2,
        Some(Outcome::Draw) => 1,
        _ => 0,
    };
    let points = if outcome.is_some() { [first, 2 - first] } else { [0, 0] };
    for ((team, opponent), half_points) in [pair, (pair.1, pair.0)].into_iter().zip(points) {
        let noted =
            Noted { opponent: Some(opponent), half_points, played: outcome.is_some(), confirmed };
        books.0.insert((team, round), noted);
    }
}

/// The list of teams as a school would send it. Lines 6 and 20 are wrong if `mistakes`.
fn list(mistakes: bool) -> String {
    let mut rows = vec!["Section,No.,Team,Player 1,Player 2".to_owned()];
    for (section, _) in SECTIONS {
        for team in 1..=TEAMS {
            rows.push(format!(
                "{section},{team},{section} Team {team},{section} P{team},{section} Q{team}"
            ));
        }
    }
    if mistakes {
        rows[5] = "K-6,5,k-6  team 2,K-6 P5,K-6 Q5".to_owned();
        rows[19] = "K-12,7,K-12 Team 7,K-12 P3,K-12 Q7".to_owned();
    }
    rows.join("\n")
}

fn seats(event: &Event, pairing: PairingId) -> [Vec<event::PlayerId>; 2] {
    let section = &event.sections()[&event.pairings()[&pairing].section];
    event.pairings()[&pairing].sides.clone().map(|side| {
        let event::Entry::Team(team) = section.entrants[&side[0]].entry else { panic!("a team") };
        event.teams()[&team].members.to_vec()
    })
}

#[test]
fn an_event_of_24_teams_has_the_right_standings_at_every_step() {
    let kinds = SECTIONS.map(|(name, _)| (name, SectionKind::Teams, ROUNDS));
    let mut event = opened(8, &kinds);

    let before = event.clone();
    let wrong = look(&event, FileKind::Teams, &list(true));
    let lines: Vec<Option<u64>> = wrong.problems.iter().map(|it| it.line).collect();
    assert_eq!(lines, [Some(6), Some(20)], "{:#?}", wrong.problems);
    assert!(wrong.apply(&mut event).is_err());
    assert_eq!(event, before, "a list with mistakes changes nothing");
    taken(&mut event, FileKind::Teams, &list(false));
    assert_eq!((event.teams().len(), event.players().len()), (24, 48));

    let mut books: BTreeMap<&str, Books> = BTreeMap::new();
    for round in 1..=ROUNDS {
        for (section, first_table) in SECTIONS {
            let books = books.entry(section).or_default();
            play_round(&mut event, books, section, first_table, round);
        }
    }
    // On appeal a result of round 2 is turned round.
    let (section, (one, other)) = ("K-12", circle(2)[1]);
    let turned = outcome(2, one, other).swapped();
    assert_ne!(turned, outcome(2, one, other), "a result that can be turned round");
    let pairing = id(section, 2, 1);
    let again = Deed::ResultEntered { pairing, outcomes: vec![turned] };
    assert_eq!(refused(&mut event, again).kind, RefusalKind::TooLate);
    let note_text = "appeal upheld".to_owned();
    done(&mut event, Deed::ResultSuperseded { pairing, outcomes: vec![turned], note: note_text });
    let of_section = books.get_mut(section).expect("its books");
    note(of_section, 2, (one, other), Some(turned), true);
    for (section, books) in &books {
        (0..=ROUNDS).for_each(|after| check(&event, section, books, after));
    }

    let mut again = Event::default();
    again.apply_all(event.acts().to_vec()).expect("its own acts");
    assert_eq!(again, event, "the acts replayed make the same event");
}

fn id(section: &str, round: u8, index: u32) -> PairingId {
    PairingId(u32::from(section == "K-12") * 1000 + u32::from(round) * 100 + index)
}

fn play_round(event: &mut Event, books: &mut Books, section: &str, first_table: u32, round: u8) {
    if (section, round) == (LEAVES.0, LEAVES.2) {
        let left = Deed::EntrantWithdrawn {
            section: section.to_owned(),
            number: number(LEAVES.1),
            from_round: round,
        };
        done(event, left);
    }
    done(event, Deed::RoundOpened { section: section.to_owned(), round });
    let gone = |team: u32| section == LEAVES.0 && team == LEAVES.1 && round >= LEAVES.2;
    let mut paired = Vec::new();
    for (index, (one, other)) in (0..).zip(circle(round)) {
        if let Some(alone) = [(one, other), (other, one)].into_iter().find(|&(it, _)| gone(it)) {
            let bye = Deed::ByeGiven {
                section: section.to_owned(),
                number: number(alone.1),
                round,
                bye: ByeKind::FullPoint,
            };
            done(event, bye);
            let noted = Noted { opponent: None, half_points: 2, played: false, confirmed: true };
            books.0.insert((alone.1, round), noted);
            continue;
        }
        let deed = Deed::PairingMade {
            pairing: id(section, round, index),
            section: section.to_owned(),
            round,
            table: (first_table + index).to_string(),
            board: None,
            sides: [one, other].map(|it| vec![EntrantNumber(it)]),
        };
        done(event, deed);
        note(books, round, (one, other), None, false);
        paired.push((id(section, round, index), (one, other)));
        check(event, section, books, round);
    }
    for (pairing, (one, other)) in paired {
        play_match(event, pairing, outcome(round, one, other));
        note(books, round, (one, other), Some(outcome(round, one, other)), false);
        check(event, section, books, round);
        done(event, Deed::ResultConfirmed { pairing });
        note(books, round, (one, other), Some(outcome(round, one, other)), true);
        check(event, section, books, round);
    }
}

/// Players sit down, first wrongly; the match runs; its result is entered by the players.
fn play_match(event: &mut Event, pairing: PairingId, outcome: Outcome) {
    let [first, second] = seats(event, pairing);
    let same_colours = vec![first[0], second[0], first[1], second[1]];
    let refusal = refused(event, Deed::SeatsChosen { pairing, seats: same_colours, note: None });
    assert!(refusal.to_string().contains("mcsc-bughouse"), "cites the rule: {refusal}");
    let seats = vec![first[0], second[1], second[0], first[1]];
    act(event, Role::Player, Deed::SeatsChosen { pairing, seats: seats.clone(), note: None })
        .expect("partners have opposite colours");
    assert_eq!(event.first_side_is_team_one(pairing), Some(true));
    done(event, Deed::MatchStarted { pairing });
    let late = refused(event, Deed::SeatsChosen { pairing, seats, note: None });
    assert_eq!(late.kind, RefusalKind::TooLate);
    let early = refused(event, Deed::ResultEntered { pairing, outcomes: vec![outcome] });
    assert_eq!(early.kind, RefusalKind::Running);
    done(event, Deed::MatchEnded { pairing });
    act(event, Role::Player, Deed::ResultEntered { pairing, outcomes: vec![outcome] })
        .expect("players report results");
}
