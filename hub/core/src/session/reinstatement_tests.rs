//! A game of chess whose position is put up again by hands, square by square.

use std::collections::BTreeMap;

use proto::mqtt::message::row::Event;
use proto::mqtt::message::{MatchState, PlyReported, SquaresRead};
use readings::{BoardHeader, Occupancy, Reading, ReadingKind, SensorKind, SquareReading};
use rules::{BoardId, Color, Match, Ply, Square};

use super::*;
use crate::journal_line::{FactLine, FactTag};

const START_MS: i64 = 300_000;

/// A table of chess and the hands at it; its session's rows.
struct Played {
    session: Session,
    lines: Vec<Line>,
    said: Vec<Event>,
    now: Match,
    now_us: u64,
}

fn session() -> Session {
    Session::new(SessionConfig {
        hub_id: "h".to_owned(),
        table: "1".to_owned(),
        game: Game::Chess,
        rulebook: BookId::NcScholastic,
        time: TimeControl::sudden_death(300, 0).unwrap(),
        boards: BTreeMap::from([(BoardId::A, BoardHeader::new(SensorKind::Reed))]),
        clocks: true,
        nodes: BTreeMap::new(),
    })
}

impl Played {
    fn started() -> Played {
        let (session, now) = (session(), Match::chess());
        let mut played =
            Played { session, lines: Vec::new(), said: Vec::new(), now, now_us: 1_000_000 };
        played.say(ReadingKind::Snapshot { occupied: Some(Occupancy::INITIAL), squares: None });
        played.clock(None);
        played.wait(5_000_000);
        played.clock(Some(Color::White));
        played
    }

    fn hear(&mut self, line: Line) {
        self.session.handle(&line);
        self.lines.push(line);
        while let Some(output) = self.session.poll_output() {
            if let SessionOutput::Row(OutgoingEvent { event, .. }) = output {
                self.said.push(event);
            }
        }
    }

    fn say(&mut self, kind: ReadingKind) {
        self.hear(Line::Reading(Reading { t_us: self.now_us, board: Some(BoardId::A), kind }));
    }

    fn wait(&mut self, us: u64) {
        self.now_us += us;
    }

    fn clock(&mut self, running: Option<Color>) {
        self.wait(200_000);
        self.say(ReadingKind::Clock {
            white_ms: START_MS - 5_000,
            black_ms: START_MS - 5_000,
            running,
        });
    }

    fn square(&mut self, square: Square, occupied: bool) {
        self.wait(400_000);
        let reading = if occupied { SquareReading::Occupied } else { SquareReading::Empty };
        self.say(ReadingKind::Square { square, reading: Some(reading), level: None });
    }

    fn play(&mut self, uci: &str) {
        let ply: Ply = uci.parse().unwrap();
        let by = self.now.position(BoardId::A).turn();
        self.now.play(BoardId::A, ply);
        self.square(ply.from().unwrap(), false);
        self.square(ply.to(), true);
        self.wait(500_000);
        self.say(ReadingKind::Press { by });
        self.wait(2_000_000);
    }

    /// A director has ordered this position.
    fn order(&mut self, position: &Match, order: u64) {
        let match_id = self.session.match_id().unwrap().to_owned();
        let t_us = self.now_us - 6_000_000;
        let text = rules::fen::format_match_board(position, BoardId::A);
        let fact = serde_json::json!({ "kind": "fact", "match": match_id, "board": "A", "t_us": t_us - opened_us(),
            "stands": { "A": text } });
        let (kind, fact) = (FactTag::FactTold, Some(fact.to_string()));
        self.hear(Line::Fact(FactLine { t_us: self.now_us, kind, match_id, order, fact }));
    }

    fn stands(&self) -> Vec<u64> {
        let stands = self.said.iter().filter_map(reinstatement::position_stands);
        stands.map(|stands| stands.differing).collect()
    }

    fn told(&self) -> Vec<&SquaresRead> {
        let told = self.said.iter().filter_map(|event| match event {
            Event::SquaresRead(read) => Some(read),
            _ => None,
        });
        told.collect()
    }

    /// The plies that stand, in their order.
    fn plies(&self) -> Vec<String> {
        let mut plies: BTreeMap<u32, &PlyReported> = BTreeMap::new();
        for event in &self.said {
            match event {
                Event::PlyReported(ply) => drop(plies.insert(ply.ply_id, ply)),
                Event::PlyRetracted(retracted) => drop(plies.remove(&retracted.ply_id)),
                _ => {}
            }
        }
        let mut plies: Vec<_> = plies.into_values().collect();
        plies.sort_by_key(|ply| (ply.t_us, ply.ply_id));
        plies.iter().map(|ply| ply.uci.clone()).collect()
    }

    fn has_ended(&self) -> bool {
        self.said.iter().any(|event| {
            matches!(event,
            Event::MatchStateChanged(changed) if changed.state == MatchState::Ended as i32)
        })
    }
}

/// Time of the match's opening: a second after the pieces stood.
fn opened_us() -> u64 {
    2_000_000
}

/// White's knight goes where no knight goes, Black answers, the clock is stopped; what stood before.
fn illegal_ply() -> (Played, Match) {
    let mut played = Played::started();
    ["e2e4", "e7e5", "g1f3", "b8c6"].into_iter().for_each(|ply| played.play(ply));
    let before = played.now.clone();
    ["f3f5", "d7d6"].into_iter().for_each(|ply| played.play(ply));
    played.clock(None);
    played.wait(8_000_000);
    (played, before)
}

fn go_on(played: &mut Played, before: &Match) {
    played.wait(3_000_000);
    played.clock(Some(Color::White));
    played.now = before.clone();
    ["f3d4", "g8f6"].into_iter().for_each(|ply| played.play(ply));
}

const ALL: [&str; 8] = ["e2e4", "e7e5", "g1f3", "b8c6", "f3f5", "d7d6", "f3d4", "g8f6"];

#[test]
fn hands_that_put_a_position_up_again_are_told_square_by_square_until_it_stands() {
    let (mut played, before) = illegal_ply();
    assert_eq!(played.told().len(), 0, "nobody wants to know");
    played.order(&before, 7);
    assert_eq!(played.told().len(), 1, "how the board stands now");
    for (square, occupied) in
        [(Square::F5, false), (Square::F3, true), (Square::D6, false), (Square::D7, true)]
    {
        assert_eq!(played.stands(), [0; 0]);
        played.square(square, occupied);
    }
    assert_eq!(played.told().len(), 5);
    let wanted = before.position(BoardId::A).occupied();
    assert_eq!(played.told().last().unwrap().occupied, wanted.0);
    let now = HubTime::from_micros(played.now_us + 2_000_000);
    played.session.advance(now);
    played.wait(2_000_000);
    played.clock(None);
    assert_eq!(played.stands(), [0], "it stands as it should, and that is said once");
    go_on(&mut played, &before);
    assert_eq!(played.plies(), ALL);
    assert_eq!(
        (played.stands().len(), played.told().len()),
        (1, 5),
        "nobody wants to know any more"
    );
    // A hub that was killed says the same again.
    let mut again = Played { session: session(), lines: Vec::new(), said: Vec::new(), ..played };
    let lines = std::mem::take(&mut played.lines);
    lines.into_iter().for_each(|line| again.hear(line));
    assert_eq!(again.said, played.said);
}

#[test]
fn position_that_stood_before_anybody_ordered_it_is_told_at_once() {
    let (mut played, before) = illegal_ply();
    for (square, occupied) in
        [(Square::F5, false), (Square::F3, true), (Square::D6, false), (Square::D7, true)]
    {
        played.square(square, occupied);
    }
    played.wait(9_000_000);
    played.order(&before, 7);
    assert_eq!(played.stands(), [0]);
    go_on(&mut played, &before);
    assert_eq!(played.plies(), ALL);
    assert_eq!(played.stands(), [0]);
}

#[test]
fn what_is_taken_back_before_it_stands_is_not_put_up() {
    let (mut played, before) = illegal_ply();
    played.order(&before, 7);
    let match_id = played.session.match_id().unwrap().to_owned();
    let (t_us, kind) = (played.now_us, FactTag::FactTold);
    played.hear(Line::Fact(FactLine { t_us, kind, match_id, order: 7, fact: None }));
    let told = played.told().len();
    played.square(Square::A2, false);
    played.square(Square::A2, true);
    assert_eq!((played.told().len(), played.stands().len()), (told, 0));
}

#[test]
fn first_squares_that_were_put_up_again_are_no_new_match() {
    let mut played = Played::started();
    let before = played.now.clone();
    played.play("g1g3");
    played.clock(None);
    played.wait(8_000_000);
    played.order(&before, 7);
    played.square(Square::G3, false);
    played.square(Square::G1, true);
    played.wait(6_000_000);
    played.clock(None);
    assert_eq!(played.stands(), [0]);
    assert!(!played.has_ended());
    played.clock(Some(Color::White));
    played.now = before;
    ["g1f3", "d7d5"].into_iter().for_each(|ply| played.play(ply));
    assert_eq!(played.plies(), ["g1g3", "g1f3", "d7d5"]);
    assert!(!played.has_ended());
}
