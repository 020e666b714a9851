//! Days at the tables: rounds are paired, matches set up, played and decided, in whatever order halls know.

mod costs;
mod derived;
mod incidents;
mod papers;
mod placing;
mod replaced;
mod rounds;

use std::collections::HashMap;

use event::{Deed, Entry, PairingId, PersonName, PlayerId, SectionKind, SectionTerms, TeamId};
use prost::Message as _;
use proto::mqtt::match_of;
use proto::mqtt::message::{
    Board, BoardSetup, HubState, MatchOpened, MatchState, MatchStateChanged, NodeState,
    NodeStateChanged, PlyReported, Row, Side, Stage, row::Event,
};
use rules::{rulebook::BookId, standings::EntrantNumber};
use serde_json::json;

use super::Hall;
use crate::{
    Config,
    config::Td,
    hall::{
        acts::{ActDeed, Actor, Answer, Decided, PersonAct, Source, TeamName},
        event::staff::{DeviceId, Rank},
    },
    log::input::{Input, InputKind},
    views::needs::{Need, machine::State, needs},
};

/// Beginning of the day, Unix milliseconds.
const MORNING_MS: u64 = 1_780_000_000_000;

/// From one input to the next, milliseconds: longer than any match time here.
const STEP_MS: u64 = 100_000;

/// A match time at which nothing is open any more, microseconds.
const LATE_US: u64 = 60_000_000;

/// Scholar's mate at A by White; White at A is team 1.
pub(super) const MATE: [&str; 7] = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"];

/// A game that does not end by itself, longer than a false start.
pub(super) const QUIET: [&str; 10] =
    ["d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "g1f3", "f8e7", "e2e3", "b8d7"];

/// Game of the day's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bughouse,
    Chess,
}

/// A day: one hub with all tables, one section, and a chief who acts.
pub(super) struct Day {
    pub(super) hall: Hall,
    kind: Kind,
    inputs: u64,
    rows: u64,
    plies: HashMap<String, u32>,
    pub(super) pairings: u32,
    now_ms: u64,
    /// From one input to the next, milliseconds.
    pub(super) step_ms: u64,
    /// Delay of rows, milliseconds.
    pub(super) late_ms: u64,
}

impl Day {
    /// A section "Open" of so many entrants, and as many tables as half of them.
    pub(super) fn new(kind: Kind, entrants: u32) -> Day {
        let hall = Hall::new(&Config::default());
        let mut day = Day {
            hall,
            kind,
            inputs: 0,
            rows: 0,
            plies: HashMap::new(),
            pairings: 0,
            now_ms: MORNING_MS,
            step_ms: STEP_MS,
            late_ms: 0,
        };
        day.input(InputKind::LinkUp, None, Vec::new());
        let tables: Vec<String> = (1..=entrants / 2).map(|table| table.to_string()).collect();
        let state = HubState {
            hub_id: "north".into(),
            boot_id: 1,
            online: true,
            tables: tables.clone(),
            ..HubState::default()
        };
        day.input(InputKind::HubState, None, state.encode_to_vec());
        let (game, book) = match kind {
            Kind::Bughouse => (SectionKind::Teams, BookId::UsChessBughouse2018),
            Kind::Chess => (SectionKind::Players, BookId::UsChessBlitz2020),
        };
        let terms = SectionTerms::usual(game, book, 9);
        let mut deeds = vec![
            Deed::TablesListed { tables },
            Deed::SectionOpened { section: "Open".to_owned(), terms },
        ];
        for number in 1..=entrants {
            deeds.extend(entrant(kind, number));
        }
        day.done(ActDeed::Event { deeds });
        day
    }

    fn input(&mut self, kind: InputKind, match_id: Option<String>, payload: Vec<u8>) {
        self.inputs += 1;
        self.now_ms += self.step_ms;
        crate::owner::decode::apply(
            &mut self.hall,
            &Input {
                id: self.inputs,
                received_ms: self.now_ms,
                kind,
                hub: Some("north".to_owned()),
                match_id,
                payload,
            },
        );
    }

    /// Receives the hub's birth again, with the update whose end it knows, and its troubles.
    pub(super) fn hub_reports(&mut self, update_ended: u64, troubles: &[&str]) {
        let state = HubState {
            hub_id: "north".into(),
            boot_id: 1,
            online: true,
            troubles: troubles.iter().map(|&words| words.to_owned()).collect(),
            update_ended,
            ..HubState::default()
        };
        self.input(InputKind::HubState, None, state.encode_to_vec());
    }

    /// The hubs that are asked to update their nodes now.
    pub(super) fn asked(&self) -> Vec<(String, u64)> {
        let asked = self.hall.hubs_to_update(self.now_ms).into_iter();
        asked.map(|(hub, request)| (hub.to_owned(), request)).collect()
    }

    fn row(&mut self, table: &str, event: Event) {
        self.rows += 1;
        let match_id = match_of(&event).map(str::to_owned);
        let row = Row {
            sequence: self.rows,
            hub_time_us: (self.now_ms + self.step_ms - self.late_ms) * 1_000,
            table: table.to_owned(),
            event: Some(event),
        };
        self.input(InputKind::Row, match_id, row.encode_to_vec());
    }

    /// The pieces of a match stand at a table, and the clocks are set.
    pub(super) fn node(&mut self, table: &str, node_id: &str, state: NodeState) {
        let node_id = node_id.to_owned();
        let state = state.into();
        let changed = NodeStateChanged { node_id, state, ..NodeStateChanged::default() };
        self.row(table, Event::NodeStateChanged(changed));
    }

    pub(super) fn sets_up(&mut self, table: &str, match_id: &str) {
        let (rulebook, boards): (&str, &[i32]) = match self.kind {
            Kind::Bughouse => ("us-chess-bughouse-2018", &[1, 2]),
            Kind::Chess => ("us-chess-blitz-2020", &[1]),
        };
        let setup = |&board: &i32| BoardSetup { board, sensor: "reed".to_owned() };
        let opened = Event::MatchOpened(MatchOpened {
            match_id: match_id.to_owned(),
            rulebook: rulebook.to_owned(),
            base_ms: 300_000,
            boards: boards.iter().map(setup).collect(),
            game: if self.kind == Kind::Bughouse { 1 } else { 2 },
            ..MatchOpened::default()
        });
        self.row(table, opened);
        self.enters(table, match_id, MatchState::Ready, 0);
    }

    pub(super) fn enters(&mut self, table: &str, match_id: &str, state: MatchState, t_us: u64) {
        let (match_id, state) = (match_id.to_owned(), state as i32);
        let event = Event::MatchStateChanged(MatchStateChanged { match_id, state, t_us });
        self.row(table, event);
    }

    /// Plies are played at board A, from White's first one on.
    pub(super) fn plays(&mut self, table: &str, match_id: &str, plies: &[&str]) {
        self.enters(table, match_id, MatchState::Playing, 0);
        for uci in plies {
            let id = self.plies.entry(match_id.to_owned()).or_default();
            *id += 1;
            let (ply_id, side) = (*id, if *id % 2 == 1 { Side::White } else { Side::Black });
            let t_us = u64::from(ply_id) * 1_000_000;
            let event = Event::PlyReported(PlyReported {
                match_id: match_id.to_owned(),
                ply_id,
                stage: Stage::Live as i32,
                board: Board::A as i32,
                side: side as i32,
                t_us,
                uci: (*uci).to_owned(),
                p: 0.99,
                legal: true,
                ..PlyReported::default()
            });
            self.row(table, event);
        }
    }

    /// The clocks stand for good.
    pub(super) fn ends(&mut self, table: &str, match_id: &str) {
        self.enters(table, match_id, MatchState::Ended, LATE_US);
    }

    pub(super) fn act_as(&mut self, rank: Rank, deed: ActDeed) -> Answer {
        let source = Source { device: DeviceId(1), key: format!("act {}", self.inputs) };
        let by = Actor { person: "Ann".to_owned(), rank };
        let act = PersonAct { source: source.clone(), by, deed };
        let payload = serde_json::to_vec(&act).expect("JSON");
        self.input(InputKind::Act, None, payload);
        self.hall.answers().of(&source).expect("an answer")
    }

    pub(super) fn act(&mut self, deed: ActDeed) -> Answer {
        self.act_as(Rank::Chief, deed)
    }

    /// Applies an act that must be accepted; returns its number.
    pub(super) fn done(&mut self, deed: ActDeed) -> u64 {
        match self.act(deed.clone()) {
            Answer::Taken { act } => act,
            Answer::Refused { reason, .. } => panic!("{deed:?}: {reason}"),
        }
    }

    pub(super) fn decides(&mut self, match_id: &str, decided: serde_json::Value) -> Answer {
        let deed = self.decision(match_id, decided);
        self.act(deed)
    }

    pub(super) fn decision(&self, match_id: &str, decided: serde_json::Value) -> ActDeed {
        let game = self.hall.game(match_id);
        ActDeed::Match {
            match_id: match_id.to_owned(),
            t_us: game.map_or(0, |game| game.referee().now_us()),
            seen: game.map_or(0, |game| game.referee().version()),
            team: None,
            decided: serde_json::from_value::<Decided>(decided).expect("a decision"),
            guarded: true,
        }
    }

    /// A director enters who won, which confirms it.
    pub(super) fn won_by(&mut self, match_id: &str, winner: TeamName, reason: &str) -> u64 {
        let decided = json!({ "what": "enter-result", "winner": winner, "reason": reason });
        let deed = self.decision(match_id, decided);
        self.done(deed)
    }

    pub(super) fn event(&mut self, deed: Deed) -> Answer {
        self.act(ActDeed::Event { deeds: vec![deed] })
    }

    /// Opens a round and pairs it: numbers of entrants, by table from 1 on.
    pub(super) fn pairs(&mut self, round: u8, sides: &[(u32, u32)]) -> Vec<PairingId> {
        let opened = self.hall.event().section("Open").expect("the section").opened;
        let mut deeds = Vec::new();
        if opened < round {
            deeds.push(Deed::RoundOpened { section: "Open".to_owned(), round });
        }
        let mut made = Vec::new();
        for ((first, second), table) in sides.iter().zip(1..) {
            self.pairings += 1;
            let pairing = PairingId(self.pairings);
            made.push(pairing);
            deeds.push(Deed::PairingMade {
                pairing,
                section: "Open".to_owned(),
                round,
                table: u32::to_string(&table),
                board: None,
                sides: [vec![EntrantNumber(*first)], vec![EntrantNumber(*second)]],
            });
        }
        self.done(ActDeed::Event { deeds });
        made
    }

    pub(super) fn binds(&mut self, match_id: &str, pairing: Option<PairingId>) -> Answer {
        self.act(ActDeed::Bind { match_id: match_id.to_owned(), pairing })
    }

    /// The pairing of a match.
    pub(super) fn of(&self, match_id: &str) -> Option<u32> {
        self.hall.game(match_id).and_then(|game| game.pairing).map(|id| id.0)
    }

    /// A pairing's result and whether it is confirmed.
    pub(super) fn result(&self, pairing: PairingId) -> (String, bool) {
        let pairing = &self.hall.event().pairings()[&pairing];
        (event::import::outcomes_to_text(&pairing.outcomes), pairing.confirmed)
    }

    /// Points of the entrants, by number.
    pub(super) fn points(&self) -> Vec<f64> {
        let standings = self.hall.event().standings("Open", None, event::Names::Hidden);
        let mut rows = standings.expect("standings").rows;
        rows.sort_by_key(|row| row.number);
        rows.iter().map(|row| f64::from(row.score.half_points()) / 2.0).collect()
    }

    /// Items that wait for directors.
    pub(super) fn needs(&self) -> Vec<Need> {
        needs(&self.hall, State::default(), &Td::default(), 1.0, self.now_ms)
    }
}

/// Deeds that enter an entrant with a number: a team of two, or a player.
fn entrant(kind: Kind, number: u32) -> Vec<Deed> {
    let player = |id: u32| Deed::PlayerEntered {
        player: PlayerId(id),
        name: PersonName::from(format!("Child {id}").as_str()),
        club: None,
    };
    let (section, from_round) = ("Open".to_owned(), 1);
    let added =
        |entry| Deed::EntrantAdded { section, number: EntrantNumber(number), entry, from_round };
    match kind {
        Kind::Chess => vec![player(number), added(Entry::Player(PlayerId(number)))],
        Kind::Bughouse => {
            let members = [number * 2, number * 2 + 1].map(PlayerId);
            let name = format!("Team {number} of the day");
            vec![
                player(members[0].0),
                player(members[1].0),
                Deed::TeamMade { team: TeamId(number), name, members },
                added(Entry::Team(TeamId(number))),
            ]
        }
    }
}
