//! The published results of a day, compared with the games played.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use adjudicator::hall::{Game, Hall};
use event::PairingId;

use crate::plan::{Notice, Plan, Played, Sitting, TablePlan, UnfollowedPlay};
use crate::world::NOTICE_MAX_US;

/// A ply may be reported so long after it was made: a board without clocks waits for the answer.
const PLY_LATE_US: u64 = 12_000_000;
/// A notice may come so long after play that is not followed.
const NOTICE_LATE_US: u64 = 15_000_000;
/// Time that a notice may stay after its cause ends.
const NOTICE_STAYS_US: u64 = 600_000_000;
/// Time for which an unreported result may be at a pairing: its match may be another's, and directors are asked.
const UNREPORTED_MAX_US: u64 = 45_000_000;
/// Shorter causes need no notice.
const BRIEF_US: u64 = 6_000_000;

/// Begin and end of a notice; no end while it is listed.
type Span = (u64, Option<u64>);

/// Observations during the day.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Time at which each match was opened, µs of hub time.
    pub(crate) opened_us: BTreeMap<String, u64>,
    /// Matches whose pairing a director has said.
    pub(crate) said: BTreeSet<String>,
    /// Acts that were refused.
    pub(crate) refusals: Vec<String>,
    /// Pairings of which a result was reported and not taken back.
    pub(crate) reported: BTreeSet<PairingId>,
    /// Time since which others have a confirmed result.
    unreported_us: BTreeMap<PairingId, u64>,
    /// Those that had it for too long, and since when.
    early: Vec<(PairingId, u64)>,
    /// Spans in which a table was published as not followed, and in which a clock or board of it was published as doubtful.
    notices: Vec<[Vec<Span>; 2]>,
    most_items: Vec<String>,
}

impl Watched {
    pub(crate) fn new(tables: usize) -> Watched {
        Watched {
            opened_us: BTreeMap::new(),
            said: BTreeSet::new(),
            refusals: Vec::new(),
            reported: BTreeSet::new(),
            unreported_us: BTreeMap::new(),
            early: Vec::new(),
            notices: vec![Default::default(); tables],
            most_items: Vec::new(),
        }
    }

    /// Whether a table has a notice.
    pub(crate) fn notice(
        &mut self,
        (table, notice): (usize, Notice),
        at_us: u64,
        is_noticed: bool,
    ) {
        let notices = &mut self.notices[table][notice as usize];
        let open = notices.last_mut().filter(|(_, until)| until.is_none());
        match (open, is_noticed) {
            (Some((_, until)), false) => *until = Some(at_us),
            (None, true) => notices.push((at_us, None)),
            _ => {}
        }
    }

    /// These pairings have a confirmed result.
    pub(crate) fn confirmed(&mut self, at_us: u64, pairings: impl Iterator<Item = PairingId>) {
        let now: BTreeSet<PairingId> =
            pairings.filter(|pairing| !self.reported.contains(pairing)).collect();
        self.unreported_us.retain(|pairing, _| now.contains(pairing));
        for pairing in now {
            let since_us = *self.unreported_us.entry(pairing).or_insert(at_us);
            if at_us - since_us > UNREPORTED_MAX_US {
                self.early.push((pairing, since_us));
                self.reported.insert(pairing);
            }
        }
    }

    /// Records the waiting items of kinds that directors need not see, where there are more than ever.
    pub(crate) fn look(&mut self, items: Vec<String>) {
        if items.len() > self.most_items.len() {
            self.most_items = items;
        }
    }
}

/// A difference from the games played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A pairing has another result, none, or one that nobody has confirmed.
    Result(String),
    /// A match has plies of two games.
    Mixed(String),
    /// A game is not in one match of its own, whole.
    Split(String),
    /// A match has another pairing than its game, and no director is asked.
    Binding(String),
    /// Play that is not followed was published too late or never.
    Silent(String),
    /// A notice was published where no game was played, or play was followed.
    FalseNotice(String),
    /// An act of a director was refused.
    Refused(String),
}

impl Fault {
    /// Its kind, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Result(_) => "result",
            Fault::Mixed(_) => "plies of two games in one match",
            Fault::Split(_) => "not split as played",
            Fault::Binding(_) => "at another pairing",
            Fault::Silent(_) => "not followed, and not published in time",
            Fault::FalseNotice(_) => "published as not followed",
            Fault::Refused(_) => "refused",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Fault::Result(words)
        | Fault::Mixed(words)
        | Fault::Split(words)
        | Fault::Binding(words)
        | Fault::Silent(words)
        | Fault::FalseNotice(words)
        | Fault::Refused(words)) = self;
        write!(f, "{}: {words}", self.kind())
    }
}

/// The results of a day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Pairings that were played or forfeited, and those whose confirmed result is right.
    pub results: (u64, u64),
    /// Games that can be followed, and those that are in one match of their own, whole.
    pub games: (u64, u64),
    /// Minutes of play that cannot be followed, and those of which it was published in time.
    pub unfollowed: (u64, u64),
    /// Plies that are in a record and that nobody made, of games and of their analysis.
    pub invented: u64,
    /// Notices where there was nothing to notice.
    pub false_notices: u64,
    /// Maximum number of items on the directors' list that are neither claims, stopped clocks, results nor sensors.
    pub most_items: Vec<String>,
    /// All that is not as it was played.
    pub faults: Vec<Fault>,
}

impl Report {
    /// Both.
    #[must_use]
    pub fn plus(mut self, other: Report) -> Report {
        let both = |one: (u64, u64), other: (u64, u64)| (one.0 + other.0, one.1 + other.1);
        self.results = both(self.results, other.results);
        self.games = both(self.games, other.games);
        self.unfollowed = both(self.unfollowed, other.unfollowed);
        self.false_notices += other.false_notices;
        self.invented += other.invented;
        if other.most_items.len() > self.most_items.len() {
            self.most_items = other.most_items;
        }
        self.faults.extend(other.faults);
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "results right {} of {}, games in matches of their own {} of {}, minutes not followed published in time {} of {}, false notices {}, \
             invented plies {}; at most {} other items on the list",
            self.results.1,
            self.results.0,
            self.games.1,
            self.games.0,
            self.unfollowed.1,
            self.unfollowed.0,
            self.false_notices,
            self.invented,
            self.most_items.len()
        )
    }
}

/// The game whose plies a match has, most of them; an analysis may have more, and is of the game before it.
pub(crate) fn played_in<'p>(plan: &'p Plan, game: &Game, watched: &Watched) -> Option<&'p Played> {
    let table = plan.tables.iter().find(|table| table.name == game.table)?;
    let of = plies_of(table, game, watched);
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let games = of.iter().flatten().filter(|at| table.games[**at].kind != Sitting::Analysis);
    games.for_each(|at| *counts.entry(*at).or_default() += 1);
    let (at, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    table.games.get(at)
}

/// Index of the table's game for each ply of a match, by its time.
fn plies_of(table: &TablePlan, game: &Game, watched: &Watched) -> Vec<Option<usize>> {
    let opened_us = watched.opened_us.get(&game.id).copied().unwrap_or_default();
    let plies = game.referee().timeline().plies().iter();
    let of_ply = plies.map(|ply| {
        let at_us = opened_us + ply.report.t_us;
        let is_of =
            |played: &Played| (played.from_us..=played.to_us + PLY_LATE_US).contains(&at_us);
        // The last that had begun: after a game comes its analysis.
        table.games.iter().rposition(is_of)
    });
    of_ply.collect()
}

pub(crate) fn check(plan: &Plan, hall: &Hall, watched: Watched) -> Report {
    let mut report = Report { most_items: watched.most_items.clone(), ..Report::default() };
    report.faults.extend(watched.refusals.iter().cloned().map(Fault::Refused));
    for (id, since_us) in &watched.early {
        let since_s = since_us.saturating_sub(crate::plan::MORNING_US) / 1_000_000;
        let table = hall.event().pairings().get(id).map(|pairing| &pairing.table);
        let words = format!("{id:?} of {table:?}: nobody reported what it has since {since_s} s");
        report.faults.push(Fault::Result(words));
    }
    results(plan, hall, &mut report);
    for (at, table) in plan.tables.iter().enumerate() {
        games(table, hall, &watched, &mut report);
        for notice in [Notice::NotFollowed, Notice::Doubtful] {
            notices(table, notice, &watched.notices[at][notice as usize], &mut report);
        }
    }
    report
}

fn results(plan: &Plan, hall: &Hall, report: &mut Report) {
    for &(id, outcome) in &plan.outcomes {
        report.results.0 += 1;
        let pairing = hall.event().pairings().get(&id);
        let is_right = pairing.is_some_and(|it| it.confirmed && it.outcomes == [outcome]);
        report.results.1 += u64::from(is_right);
        if !is_right {
            let has = pairing.map(|it| (&it.table, it.round, &it.outcomes, it.confirmed));
            report.faults.push(Fault::Result(format!("{id:?}: {has:?}, played {outcome:?}")));
        }
    }
}

fn games(table: &TablePlan, hall: &Hall, watched: &Watched, report: &mut Report) {
    let matches: Vec<&Game> =
        hall.games().into_iter().filter(|game| game.table == table.name).collect();
    let of: Vec<Vec<Option<usize>>> =
        matches.iter().map(|game| plies_of(table, game, watched)).collect();
    for (game, of) in matches.iter().zip(&of) {
        report.invented += of.iter().filter(|of| of.is_none()).count() as u64;
        let own: BTreeSet<usize> = of
            .iter()
            .flatten()
            .copied()
            .filter(|&at| table.games[at].kind != Sitting::Analysis)
            .collect();
        if own.len() > 1 {
            let from_us = own.last().map_or(0, |&at| table.games[at].from_us);
            let around = table.around(from_us);
            let words = format!("match {} has plies of games {own:?}; {around}", game.id);
            report.faults.push(Fault::Mixed(words));
        }
    }
    for (at, played) in table.games.iter().enumerate().filter(|(_, it)| it.is_followed) {
        report.games.0 += 1;
        let with: Vec<usize> =
            (0..matches.len()).filter(|&it| of[it].contains(&Some(at))).collect();
        let fault = match with[..] {
            [one] => differs(played, matches[one], &of[one], at),
            _ => Some(format!("its plies are in {} matches", with.len())),
        };
        if let Some(words) = fault {
            let words = format!("{:?} at {}: {words}", played.kind, table.around(played.from_us));
            report.faults.push(Fault::Split(words));
            continue;
        }
        report.games.1 += 1;
        if let (Sitting::Round(pairing), [one]) = (played.kind, &with[..])
            && matches[*one].pairing != Some(pairing)
            && !watched.said.contains(&matches[*one].id)
        {
            let is_elsewhere =
                hall.event().pairings().get(&pairing).is_some_and(|it| it.table != table.name);
            if !is_elsewhere {
                let has = matches[*one].pairing;
                let words = format!(
                    "match {} is of {has:?}, not {pairing:?}; {}",
                    matches[*one].id,
                    table.around(played.from_us)
                );
                report.faults.push(Fault::Binding(words));
            }
        }
    }
}

/// Difference between the plies of a match and those of a game, board by board.
fn differs(played: &Played, game: &Game, of: &[Option<usize>], at: usize) -> Option<String> {
    let plies = game.referee().timeline().plies();
    rules::BoardId::ALL.into_iter().find_map(|board| {
        let recorded = plies.iter().zip(of).filter(|(_, of)| **of == Some(at));
        let recorded = recorded.filter(|(ply, _)| ply.report.board == board);
        let recorded: Vec<String> = recorded.map(|(ply, _)| ply.report.ply.to_string()).collect();
        let truth: Vec<String> = played
            .plies
            .iter()
            .filter(|(_, on, _)| *on == board)
            .map(|(.., ply)| ply.to_string())
            .collect();
        (recorded != truth).then(|| {
            let (recorded, truth) = (recorded.join(" "), truth.join(" "));
            format!("match {}, board {board}: recorded {recorded}; played {truth}", game.id)
        })
    })
}

fn notices(table: &TablePlan, notice: Notice, notices: &[(u64, Option<u64>)], report: &mut Report) {
    let since_s = |at_us: u64| at_us.saturating_sub(crate::plan::MORNING_US) / 1_000_000;
    let plays = || table.unfollowed.iter().filter(|play| play.notice == notice);
    for minute_us in plays().flat_map(minutes) {
        report.unfollowed.0 += 1;
        let last_us = minute_us + NOTICE_MAX_US;
        let is_there = notices
            .iter()
            .any(|&(since, to)| since <= last_us && to.is_none_or(|to| to >= last_us));
        report.unfollowed.1 += u64::from(is_there);
        if !is_there {
            report.faults.push(Fault::Silent(table.around(minute_us)));
        }
    }
    for &(since, to) in notices {
        let is_right = |it: &UnfollowedPlay| {
            (it.cause_us..=it.until_us + NOTICE_LATE_US).contains(&since)
                && (notice == Notice::Doubtful
                    || to.is_some_and(|to| to <= it.until_us + NOTICE_STAYS_US))
        };
        if !plays().any(is_right) {
            report.false_notices += 1;
            let until = to.map(since_s);
            let words = format!("{notice:?} until {until:?} s; {}", table.around(since));
            report.faults.push(Fault::FalseNotice(words));
        }
    }
}

/// Start of each minute of play that is not followed; the last one may be shorter.
fn minutes(play: &UnfollowedPlay) -> impl Iterator<Item = u64> {
    let until_us = play.until_us;
    (play.known_us..until_us).step_by(60_000_000).filter(move |at| at + BRIEF_US <= until_us)
}
