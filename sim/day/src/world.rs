//! The day itself: sessions get what sensors read, the hall gets their rows and the directors' acts, in the order of time.

use std::collections::{BTreeMap, BTreeSet};

use adjudicator::Config;
use adjudicator::hall::acts::{ActDeed, Actor, Answer, Decided, PersonAct, Source};
use adjudicator::hall::event::staff::{DeviceId, Rank};
use adjudicator::hall::{Hall, Ordered};
use adjudicator::log::input::{Input, InputKind};
use adjudicator::owner::decode::apply;
use adjudicator::views::needs::{Need, Urgency, open_items};
use event::{Deed, PairingId};
use hub_core::HubTime;
use hub_core::journal_line::{FactLine, FactTag, Line};
use hub_core::session::{BoardNodes, Session, SessionConfig, SessionOutput};
use prost::Message as _;
use proto::mqtt::match_of;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{HubState, Row};
use readings::{BoardHeader, SensorKind};
use rules::rulebook::BookId;
use rules::standings::{Outcome, Side};
use rules::{BoardId, Game, Ply, Team, TimeControl};
use serde_json::json;

use crate::check::{self, Report, Watched};
use crate::desk::DeskAct;
use crate::plan::{Equipment, MORNING_US, Notice, Plan, Sitting, TablePlan};
use crate::reader::light_without_presses;
use crate::sabotage::{Patch, Sabotage};

/// Within so long of the moment at which it can be known, play that is not followed is published.
pub const NOTICE_MAX_US: u64 = 5_000_000;
/// Interval of the checks for changes that time alone brings.
const TICK_US: u64 = 500_000;
/// Time that each player has.
const BASE_S: u32 = 300;
/// A claim, a stop and the like are not counted by the bar of the list.
const COUNTED: [Urgency; 5] =
    [Urgency::Claim, Urgency::Stopped, Urgency::Result, Urgency::Sensors, Urgency::Silent];

/// Simulates a day and returns its report.
#[must_use]
pub fn run(plan: &Plan) -> Report {
    run_sabotaged(plan, Sabotage::None)
}

/// The same, with each row of one table and each act printed as it comes.
#[must_use]
pub fn run_logged(plan: &Plan, table: &str) -> Report {
    let mut world = World::new(plan, Sabotage::None);
    world.logged = plan.tables.iter().position(|it| it.name == table);
    let since_s = |at_us: u64| at_us.saturating_sub(MORNING_US) as f64 / 1e6;
    for played in world.logged.iter().flat_map(|&at| &plan.tables[at].games) {
        let words = |(at_us, board, ply): &(u64, BoardId, Ply)| {
            format!("{:.1} {board} {ply}", since_s(*at_us))
        };
        let plies = played.plies.iter().map(words).collect::<Vec<_>>().join(", ");
        println!("played {:?} from {:.1} s: {plies}", played.kind, since_s(played.from_us));
    }
    world.play();
    check::check(plan, &world.hall, world.watched)
}

/// The same with a defect put back.
#[must_use]
pub fn run_sabotaged(plan: &Plan, sabotage: Sabotage) -> Report {
    let mut world = World::new(plan, sabotage);
    world.play();
    check::check(plan, &world.hall, world.watched)
}

struct World<'p> {
    plan: &'p Plan,
    sabotage: Sabotage,
    sessions: Vec<Session>,
    patches: Vec<Patch>,
    hall: Hall,
    inputs: u64,
    rows: BTreeMap<String, u64>,
    deadlines: BTreeSet<(String, u64, u64)>,
    /// Pairings that have another table's slip.
    slips: BTreeSet<PairingId>,
    /// Orders that were given to a session.
    told: BTreeSet<u64>,
    now_us: u64,
    watched: Watched,
    /// The table whose rows are printed.
    logged: Option<usize>,
}

impl<'p> World<'p> {
    fn new(plan: &'p Plan, sabotage: Sabotage) -> World<'p> {
        let sessions = plan.tables.iter().map(|table| session(plan, table, sabotage)).collect();
        let mut world = World {
            plan,
            sabotage,
            sessions,
            patches: plan.tables.iter().map(|_| Patch::default()).collect(),
            hall: Hall::new(&Config::default()),
            inputs: 0,
            rows: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            slips: BTreeSet::new(),
            told: BTreeSet::new(),
            now_us: MORNING_US,
            watched: Watched::new(plan.tables.len()),
            logged: None,
        };
        world.input(InputKind::LinkUp, None, None, Vec::new());
        let mut hubs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for table in &plan.tables {
            hubs.entry(&table.hub).or_default().push(table.name.clone());
        }
        for (hub, tables) in hubs {
            let state = HubState {
                hub_id: hub.to_owned(),
                boot_id: 1,
                online: true,
                tables,
                ..HubState::default()
            };
            world.input(InputKind::HubState, Some(hub), None, state.encode_to_vec());
        }
        world
    }

    fn input(
        &mut self,
        kind: InputKind,
        hub: Option<&str>,
        match_id: Option<String>,
        payload: Vec<u8>,
    ) -> u64 {
        self.inputs += 1;
        let input = Input {
            id: self.inputs,
            received_ms: self.now_us / 1_000,
            kind,
            hub: hub.map(str::to_owned),
            match_id,
            payload,
        };
        apply(&mut self.hall, &input);
        self.inputs
    }

    fn play(&mut self) {
        let plan = self.plan;
        let mut next: Vec<usize> = vec![0; plan.tables.len()];
        let mut desk = plan.desk.iter().peekable();
        let mut tick_us = MORNING_US;
        while tick_us < plan.until_us {
            tick_us += TICK_US;
            for (at, table) in plan.tables.iter().enumerate() {
                while let Some(reading) = table.readings.get(next[at]) {
                    if reading.t_us > tick_us {
                        break;
                    }
                    next[at] += 1;
                    self.now_us = reading.t_us;
                    self.sessions[at].handle(&Line::Reading(reading.clone()));
                    self.collect(at);
                }
                let is_due = self.sessions[at].poll_timeout();
                if is_due.is_some_and(|due| due.as_micros() <= tick_us) {
                    self.now_us = tick_us;
                    self.sessions[at].advance(HubTime::from_micros(tick_us));
                    self.collect(at);
                }
                if let Some(event) = self.patches[at].due(tick_us) {
                    self.now_us = tick_us;
                    self.row(at, tick_us, event);
                }
            }
            self.now_us = tick_us;
            self.hand_down();
            while let Some((_, act)) = desk.next_if(|(at_us, _)| *at_us <= tick_us) {
                self.act(act);
            }
            self.pass_deadlines();
        }
    }

    /// Gives the hall what a session has to say.
    fn collect(&mut self, at: usize) {
        while let Some(output) = self.sessions[at].poll_output() {
            let SessionOutput::Row(row) = output else { continue };
            let at_us = row.at.as_micros();
            let table = &self.plan.tables[at];
            if let Some(event) = self.patches[at].row(self.sabotage, table, at_us, row.event) {
                self.row(at, at_us, event);
            }
        }
    }

    fn row(&mut self, at: usize, at_us: u64, event: Event) {
        let TablePlan { name, hub, .. } = &self.plan.tables[at];
        let match_id = match_of(&event).map(str::to_owned);
        let opened = match &event {
            Event::MatchOpened(opened) => Some(opened.match_id.clone()),
            _ => None,
        };
        if self.logged == Some(at) {
            println!("{:.1} s: {event:?}", (at_us - MORNING_US) as f64 / 1e6);
        }
        let sequence = self.rows.entry(hub.clone()).or_default();
        *sequence += 1;
        let row = Row {
            sequence: *sequence,
            hub_time_us: at_us,
            table: name.clone(),
            event: Some(event),
        };
        self.input(InputKind::Row, Some(hub), match_id, row.encode_to_vec());
        if let Some(id) = opened {
            self.watched.opened_us.insert(id.clone(), at_us);
            if self.sabotage == Sabotage::BoundAtSetUp {
                let pairing = self.hall.pairing_at(name);
                self.done(ActDeed::Bind { match_id: id, pairing });
            }
        }
        let table = self.hall.tables().named(name);
        let is_noticed = table.is_some_and(|table| table.not_followed().is_some());
        let is_doubtful = table.is_some_and(|table| table.doubtful_nodes().next().is_some());
        self.watched.notice((at, Notice::NotFollowed), self.now_us, is_noticed);
        self.watched.notice((at, Notice::Doubtful), self.now_us, is_doubtful);
    }

    /// Gives the sessions the facts that the hall has for them.
    fn hand_down(&mut self) {
        let cases: Vec<(u64, String, String, Ordered)> = self
            .hall
            .unanswered()
            .into_iter()
            .map(|(game, order)| {
                (order.id, game.id.clone(), game.table.clone(), order.what.clone())
            })
            .collect();
        for (id, match_id, table, what) in cases {
            let (order, fact) = match what {
                Ordered::Fact(line) => (id, Some(line)),
                Ordered::FactWithdrawn(of) => (of, None),
                Ordered::Clock(..)
                | Ordered::Evidence(..)
                | Ordered::ZeroTest
                | Ordered::Baseline(..) => continue,
            };
            if self.sabotage == Sabotage::NoShowStays || !self.told.insert(id) {
                continue;
            }
            let Some(at) = self.plan.tables.iter().position(|it| it.name == table) else {
                continue;
            };
            let (t_us, kind) = (self.now_us, FactTag::FactTold);
            let line = FactLine { t_us, kind, match_id, order, fact };
            self.sessions[at].handle(&Line::Fact(line));
            self.collect(at);
        }
    }

    /// The referees' deadlines that have fallen.
    fn pass_deadlines(&mut self) {
        let now_ms = self.now_us / 1_000;
        for deadline in self.hall.deadlines(1.0) {
            let key = (deadline.match_id.clone(), deadline.t_us, deadline.changed_input);
            if deadline.at_ms <= now_ms && self.deadlines.insert(key) {
                let payload = deadline.t_us.to_string().into_bytes();
                self.input(InputKind::Deadline, None, Some(deadline.match_id), payload);
            }
        }
    }

    /// An act.
    fn done(&mut self, deed: ActDeed) {
        if self.logged.is_some() && matches!(deed, ActDeed::Bind { .. }) {
            println!("{} s: {deed:?}", (self.now_us - MORNING_US) / 1_000_000);
        }
        let source = Source { device: DeviceId(1), key: format!("act {}", self.inputs) };
        let by = Actor { person: "Ann".to_owned(), rank: Rank::Chief };
        let act = PersonAct { source: source.clone(), by, deed: deed.clone() };
        let payload = serde_json::to_vec(&act).unwrap_or_default();
        self.input(InputKind::Act, None, None, payload);
        match self.hall.answers().of(&source) {
            Some(Answer::Taken { .. }) => {}
            Some(Answer::Refused { reason, .. }) => {
                self.watched.refusals.push(format!("{deed:?}: {reason}"));
            }
            None => self.watched.refusals.push(format!("{deed:?}: no answer")),
        }
    }

    fn deeds(&mut self, deeds: Vec<Deed>) {
        self.done(ActDeed::Event { deeds });
    }

    fn act(&mut self, act: &DeskAct) {
        if self.logged.is_some() && *act != DeskAct::Look {
            println!("{} s: {act:?}", (self.now_us - MORNING_US) / 1_000_000);
        }
        match act {
            DeskAct::Deeds(deeds) => {
                // Tables of a pairing with a result are not exchanged: the slip is taken back first.
                if let [Deed::TablesExchanged { pairings }] = deeds[..] {
                    pairings.into_iter().for_each(|pairing| self.take_slip_back(pairing));
                }
                self.deeds(deeds.clone());
            }
            DeskAct::Look => self.look(),
            DeskAct::Paper { pairing, outcome } => {
                self.watched.reported.insert(*pairing);
                self.on_paper(*pairing, *outcome);
            }
            DeskAct::WrongSlip { pairing, outcome } => {
                let known = self.hall.event().pairings().get(pairing);
                let is_open =
                    known.is_some_and(|it| it.withdrawn.is_none() && it.outcomes.is_empty());
                if is_open && !self.watched.reported.contains(pairing) {
                    self.on_paper(*pairing, *outcome);
                    self.slips.insert(*pairing);
                }
            }
            DeskAct::SlipBack { pairing } => self.take_slip_back(*pairing),
            DeskAct::TurnSeats { pairing } => self.turn_seats(*pairing),
            DeskAct::Result { table, played_until_us, winner, reason, paper } => {
                self.watched.reported.insert(paper.0);
                let played = self.match_played(*table, *played_until_us);
                let game = played.as_deref().and_then(|id| self.hall.game(id));
                if game.is_some_and(|game| game.pairing != Some(paper.0)) {
                    // Another table's slip stands where this match belongs.
                    self.take_slip_back(paper.0);
                }
                self.slips.remove(&paper.0);
                match played {
                    Some(id) => self.result(&id, *winner, reason),
                    None => self.on_paper(paper.0, paper.1),
                }
            }
            DeskAct::Forfeit { table, pairing, winner } => {
                self.watched.reported.insert(*pairing);
                self.slips.remove(pairing);
                self.forfeit(*table, *pairing, *winner);
            }
            DeskAct::TakeBack { table, pairing } => {
                self.watched.reported.remove(pairing);
                self.take_back(*table, *pairing);
            }
        }
    }

    fn on_paper(&mut self, pairing: PairingId, outcome: Outcome) {
        self.slips.remove(&pairing);
        let known = self.hall.event().pairings().get(&pairing);
        let is_entered = known.is_some_and(|it| it.outcomes == [outcome]);
        let is_confirmed = known.is_some_and(|it| it.confirmed);
        match (is_entered, is_confirmed) {
            (true, true) => {}
            (true, false) => self.deeds(vec![Deed::ResultConfirmed { pairing }]),
            (false, false) => {
                let entered = Deed::ResultEntered { pairing, outcomes: vec![outcome] };
                self.deeds(vec![entered, Deed::ResultConfirmed { pairing }]);
            }
            (false, true) => {
                let note = "the paper has it".to_owned();
                let outcomes = vec![outcome];
                self.deeds(vec![Deed::ResultSuperseded { pairing, outcomes, note }]);
            }
        }
    }

    fn take_slip_back(&mut self, pairing: PairingId) {
        if self.slips.remove(&pairing) {
            let note = "it was another table's".to_owned();
            self.deeds(vec![Deed::ResultWithdrawn { pairing, note }]);
        }
    }

    fn turn_seats(&mut self, pairing: PairingId) {
        let mut seats = self.hall.event().seats(pairing);
        match seats[..] {
            [_, _] => seats.swap(0, 1),
            [a, b, c, d] => seats = vec![b, a, d, c],
            _ => {
                // A team's seats are not known before somebody says them.
                let Some(sides) = self.members(pairing) else { return };
                let [[a, b], [c, d]] = sides;
                seats = vec![c, a, b, d];
            }
        }
        let note = Some("they say so".to_owned());
        self.deeds(vec![Deed::SeatsChosen { pairing, seats, note }]);
    }

    fn members(&self, pairing: PairingId) -> Option<[[event::PlayerId; 2]; 2]> {
        let pairing = self.hall.event().pairings().get(&pairing)?;
        let team = |side: usize| {
            let number = pairing.sides[side].first()?.0;
            Some([number * 2, number * 2 + 1].map(event::PlayerId))
        };
        Some([team(0)?, team(1)?])
    }

    /// The match that was played at a table when a game ended there, as a director finds it.
    fn match_played(&self, table: usize, until_us: u64) -> Option<String> {
        let name = &self.plan.tables[table].name;
        let games = self.hall.games();
        let here = games.iter().rev().filter(|game| {
            game.table == *name && game.is_begun() && game.referee().result().is_none()
        });
        let opened = |id: &str| self.watched.opened_us.get(id).copied().unwrap_or_default();
        let mut here = here.filter(|game| opened(&game.id) <= until_us);
        here.next().map(|game| game.id.clone())
    }

    fn decide(&mut self, match_id: &str, decided: serde_json::Value) {
        let Some(game) = self.hall.game(match_id) else { return };
        let Ok(decided) = serde_json::from_value::<Decided>(decided) else { return };
        let deed = ActDeed::Match {
            match_id: match_id.to_owned(),
            t_us: game.referee().now_us(),
            seen: game.referee().version(),
            team: None,
            decided,
            guarded: true,
        };
        self.done(deed);
    }

    fn result(&mut self, id: &str, winner: Option<Team>, reason: &str) {
        let winner = winner.map(team_name);
        let entered = json!({ "what": "enter-result", "winner": winner, "reason": reason,
            "note": "as the children say" });
        self.decide(id, entered);
    }

    fn forfeit(&mut self, table: usize, pairing: PairingId, winner: Team) {
        let name = &self.plan.tables[table].name;
        let waiting = self.hall.tables().named(name).and_then(|table| table.match_id.clone());
        let waiting = waiting.filter(|id| {
            self.hall.game(id).is_some_and(|it| !it.is_begun() && it.pairing == Some(pairing))
        });
        match waiting {
            Some(id) => {
                let forfeit = json!({ "what": "enter-result", "winner": team_name(winner),
                    "reason": "forfeit" });
                self.decide(&id, forfeit);
            }
            None => {
                let side = if winner == Team::One { Side::First } else { Side::Second };
                self.on_paper(pairing, Outcome::ForfeitWin(side));
            }
        }
    }

    /// Takes a forfeit back where it was entered: at the match that it decided, or at the pairing.
    fn take_back(&mut self, table: usize, pairing: PairingId) {
        let name = &self.plan.tables[table].name;
        let games = self.hall.games();
        let forfeited = games.iter().rev().find(|game| {
            game.table == *name
                && game.pairing == Some(pairing)
                && game.referee().result().is_some()
        });
        let at_match =
            forfeited.and_then(|game| Some((game.id.clone(), game.referee().result()?.act.0)));
        match at_match {
            Some((id, act)) => self.decide(&id, json!({ "what": "withdraw", "act": act })),
            None => {
                let note = "they came after all".to_owned();
                self.deeds(vec![Deed::ResultWithdrawn { pairing, note }]);
            }
        }
        if self.sabotage == Sabotage::TakenBackStays {
            self.on_paper(pairing, Outcome::ForfeitWin(Side::First));
        }
    }

    /// A director looks at the list: counts what waits, and says whose match it is where that is asked.
    fn look(&mut self) {
        let needs = open_items(&self.hall, &Config::default().td, self.now_us / 1_000);
        let others = needs.iter().filter(|need| !COUNTED.contains(&need.urgency));
        self.watched.look(others.map(|need| format!("{}: {}", need.id, need.what)).collect());
        let pairings = self.hall.event().pairings().iter();
        let confirmed = pairings.filter(|(id, it)| it.confirmed && !self.slips.contains(id));
        self.watched.confirmed(self.now_us, confirmed.map(|(id, _)| *id));
        if self.sabotage == Sabotage::NobodyIsAsked {
            return;
        }
        for need in needs {
            self.answer(&need);
        }
    }

    fn answer(&mut self, need: &Need) {
        let kind = need.id.split(':').next().unwrap_or_default();
        let matches: Vec<String> = match kind {
            "no-pairing" | "round-ahead" => need.match_id.clone().into_iter().collect(),
            "two-matches" | "paper-differs" => {
                let pairing = need.pairing.map(PairingId);
                let games = self.hall.games();
                let of = games.iter().filter(|game| game.pairing == pairing && game.is_begun());
                of.map(|game| game.id.clone()).collect()
            }
            _ => return,
        };
        for id in matches {
            let Some(game) = self.hall.game(&id) else { continue };
            let of = check::played_in(self.plan, game, &self.watched);
            let pairing = of.and_then(|played| match played.kind {
                Sitting::Round(pairing) => Some(pairing),
                Sitting::Fun | Sitting::Analysis => None,
            });
            let before = game.pairing;
            let is_new = before != pairing || kind != "two-matches";
            if is_new && self.watched.said.insert(id.clone()) {
                let left = before.filter(|_| self.sabotage == Sabotage::ResultStaysBehind);
                let left = left.map(|id| (id, self.hall.outcomes_of(id)));
                self.done(ActDeed::Bind { match_id: id, pairing });
                if let Some((id, outcomes)) = left
                    && let Some(&outcome) = outcomes.first()
                {
                    self.on_paper(id, outcome);
                }
            }
        }
    }
}

fn team_name(team: Team) -> &'static str {
    match team {
        Team::One => "team-1",
        Team::Two => "team-2",
    }
}

fn session(plan: &Plan, table: &TablePlan, sabotage: Sabotage) -> Session {
    let sensor = match table.equipment {
        Equipment::Makers => SensorKind::PieceId,
        _ => SensorKind::Reed,
    };
    let is_known = sabotage != Sabotage::ClocklessIsIgnored;
    let clockless = table.equipment == Equipment::Clockless && is_known;
    let header = BoardHeader { clockless, ..BoardHeader::new(sensor) };
    let rulebook = match table.game {
        Game::Chess => BookId::UsChessBlitz2020,
        Game::Bughouse => BookId::UsChessBughouse2018,
    };
    let nodes = |&id: &BoardId| {
        let node = |what: &str| Some(format!("{what}-{}-{id}", table.name));
        (id, BoardNodes { squares: node("board"), clock: node("clock") })
    };
    let mut session = Session::new(SessionConfig {
        hub_id: table.hub.clone(),
        table: table.name.clone(),
        game: table.game,
        rulebook,
        time: TimeControl::sudden_death(BASE_S, 0).expect("five minutes are a time"),
        boards: BoardId::ALL[..table.game.boards()]
            .iter()
            .map(|&id| (id, header.clone()))
            .collect(),
        clocks: !clockless,
        nodes: BoardId::ALL[..table.game.boards()].iter().map(nodes).collect(),
    });
    session.follow_with(match sabotage {
        Sabotage::ForgottenPliesAreLost => light_without_presses,
        _ => plan.reading.follower(),
    });
    session
}
