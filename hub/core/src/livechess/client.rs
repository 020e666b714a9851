//! One connection of a program: its calls, and the boards whose changes it has subscribed to.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use rules::fen;

use super::{Boards, EboardClock, TableBoard};

/// Maximum number of boards that one program subscribes to.
const FEEDS_MAX: usize = 64;
/// The feed of a board's changes.
const EBOARD_FEED: &str = "eboardevent";

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: Value,
    call: String,
    #[serde(default)]
    param: Value,
}

/// A board's state, as a feed reports it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Event {
    serialnr: String,
    flipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<EboardClock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<Vec<String>>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    is_match: Option<bool>,
}

impl Event {
    fn plies(&self) -> usize {
        self.san.as_ref().map_or(0, Vec::len)
    }

    /// Number of plies of this event, if `next` has them too and more.
    fn plies_before(&self, next: &Event) -> Option<usize> {
        let (san, next_san) = (self.san.as_ref()?, next.san.as_ref()?);
        (self.start == next.start && next_san.starts_with(san)).then_some(san.len())
    }
}

/// One subscription.
#[derive(Clone, Debug)]
struct Feed {
    id: Value,
    serial: String,
    /// Number of plies before the position that the program has set up.
    base: usize,
    sent: Option<Event>,
}

/// One connection.
#[derive(Clone, Debug, Default)]
pub struct Client {
    feeds: Vec<Feed>,
}

impl Client {
    /// Takes a message of the program; the answers, in order. `now_ms`: milliseconds since 1970.
    pub fn handle(&mut self, text: &str, boards: &Boards, now_ms: u64) -> Vec<String> {
        let call = match serde_json::from_str::<Call>(text) {
            Ok(call) => call,
            Err(error) => return vec![refusal(&Value::Null, &format!("no call: {error}"), now_ms)],
        };
        let answered = match call.call.as_str() {
            "eboards" => Ok(json!(boards.list())),
            "subscribe" => self.subscribe(&call.param, boards),
            "unsubscribe" => {
                let id = feed_id(&call.param);
                self.feeds.retain(|feed| feed.id != id);
                Ok(Value::Null)
            }
            "call" => self.call_feed(&call.param, boards),
            other => Err(format!("{other:?} is not among the calls of this hub")),
        };
        let mut answers = vec![match answered {
            Ok(param) => message("call", &call.id, &param, now_ms),
            Err(words) => refusal(&call.id, &words, now_ms),
        }];
        answers.extend(self.update(boards, now_ms));
        answers
    }

    /// Changes of the boards to which the program has subscribed.
    pub fn update(&mut self, boards: &Boards, now_ms: u64) -> Vec<String> {
        let mut messages = Vec::new();
        for feed in &mut self.feeds {
            let Some(board) = boards.of_serial(&feed.serial) else { continue };
            let event = event(board, &mut feed.base);
            if feed.sent.as_ref() == Some(&event) {
                continue;
            }
            let before = feed.sent.as_ref().and_then(|sent| sent.plies_before(&event));
            for plies in before.map_or(event.plies(), |before| before + 1)..event.plies() {
                let through = through(board, feed.base, plies, &event);
                messages.extend(through.map(|it| message("feed", &feed.id, &json!(it), now_ms)));
            }
            messages.push(message("feed", &feed.id, &json!(event), now_ms));
            feed.sent = Some(event);
        }
        messages
    }

    fn subscribe(&mut self, param: &Value, boards: &Boards) -> Result<Value, String> {
        if param["feed"].as_str() != Some(EBOARD_FEED) {
            return Err(format!("there is no such feed: this hub has {EBOARD_FEED:?}"));
        }
        let serial = match &param["param"]["serialnr"] {
            Value::Number(number) => number.to_string(),
            serial => serial.as_str().unwrap_or_default().to_owned(),
        };
        if boards.of_serial(&serial).is_none() {
            return Err(format!("no board has the serial number {serial:?}"));
        }
        let id = param["id"].clone();
        self.feeds.retain(|feed| feed.id != id);
        if self.feeds.len() >= FEEDS_MAX {
            return Err(format!("more than {FEEDS_MAX} subscriptions"));
        }
        self.feeds.push(Feed { id, serial, base: 0, sent: None });
        Ok(Value::Null)
    }

    /// A method of a feed. The program sets up the position from which on it wants plies.
    fn call_feed(&mut self, param: &Value, boards: &Boards) -> Result<Value, String> {
        let id = feed_id(param);
        let feed = self.feeds.iter_mut().find(|feed| feed.id == id);
        let feed = feed.ok_or("there is no such subscription")?;
        match param["method"].as_str() {
            Some("unsubscribe") => self.feeds.retain(|feed| feed.id != id),
            Some("setup") => {
                let text = param["param"]["fen"].as_str().unwrap_or_default();
                let wanted = fen::parse_chess(text).map_err(|error| error.to_string())?;
                let (wanted, turn) = (fen::format_placement(&wanted), wanted.turn());
                let positions = boards.of_serial(&feed.serial).and_then(TableBoard::positions);
                let positions = positions.unwrap_or_default();
                let is_wanted = |(at, (position, _)): &(usize, &(rules::Position, _))| {
                    (*at == 0 || position.turn() == turn)
                        && fen::format_placement(position) == wanted
                };
                let place = positions.iter().enumerate().rev().find(is_wanted).map(|(at, _)| at);
                feed.base = place.unwrap_or(positions.len().saturating_sub(1));
                feed.sent = None;
            }
            Some("flip") => {
                return Err("the hub finds out by itself how a board lies".to_owned());
            }
            other => return Err(format!("{other:?} is no method of this feed")),
        }
        Ok(Value::Null)
    }
}

/// The state of a board for a program that has set up the position behind `base` plies; another match begins at its beginning.
fn event(board: &TableBoard, base: &mut usize) -> Event {
    let placement = board.placement();
    let positions = board.positions();
    let mut event = Event {
        serialnr: board.serial.clone(),
        flipped: false,
        board: placement.clone(),
        clock: board.clock,
        start: None,
        san: None,
        is_match: None,
    };
    if let Some(positions) = positions {
        if *base >= positions.len() {
            *base = 0;
        }
        let plies = positions[*base + 1..].iter().filter_map(|(_, san)| san.clone());
        event.san = Some(plies.collect());
        event.start = Some(fen::format_chess(&positions[*base].0));
        let last = positions.last().map(|(position, _)| fen::format_placement(position));
        event.is_match = Some(last == placement);
    }
    event
}

/// The state after the first `plies` plies of an event. Programs read the last ply of a message alone, so that each needs a message of its own.
fn through(board: &TableBoard, base: usize, plies: usize, event: &Event) -> Option<Event> {
    let (position, _) = board.positions()?.into_iter().nth(base + plies)?;
    let mut event = event.clone();
    event.board = Some(fen::format_placement(&position));
    event.san.as_mut()?.truncate(plies);
    event.is_match = Some(true);
    Some(event)
}

fn feed_id(param: &Value) -> Value {
    param.get("id").cloned().unwrap_or_default()
}

fn message(kind: &str, id: &Value, param: &Value, now_ms: u64) -> String {
    json!({ "response": kind, "id": id, "param": param, "time": now_ms }).to_string()
}

fn refusal(id: &Value, words: &str, now_ms: u64) -> String {
    message("error", id, &json!({ "message": words }), now_ms)
}

#[cfg(test)]
mod tests {
    use proto::mqtt::message::row;
    use proto::mqtt::message::{MatchOpened, PlyReported, PlyRetracted, Side};
    use readings::{Reading, ReadingKind, SquareReading};
    use rules::rulebook::BookId;
    use rules::{BoardId, Color, Game, TimeControl};

    use super::*;
    use crate::HubTime;
    use crate::drivers::dgt::DgtSettings;
    use crate::drivers::{DriverSettings, board::squares};
    use crate::journal::{Entry, InputLine, OutgoingEvent};
    use crate::settings::{Node, NodeKind, TableConfig};

    fn table(game: Game) -> TableConfig {
        let node = Node {
            board: BoardId::A,
            kind: NodeKind::Board,
            sensor: readings::SensorKind::PieceId,
            trays: false,
            id: "dgt-24958".to_owned(),
            label: None,
            port: Some("/dev/ttyUSB0".into()),
            driver: DriverSettings::Dgt(DgtSettings::default()),
        };
        TableConfig {
            name: "7".to_owned(),
            game,
            rulebook: BookId::NcScholastic,
            time: TimeControl::sudden_death(300, 0).expect("a time control"),
            nodes: vec![node],
            levers: Vec::new(),
        }
    }

    fn entry(kinds: Vec<ReadingKind>, rows: Vec<row::Event>) -> Entry {
        let at = HubTime::from_micros(1_588_000_000_000_000);
        let line = |kind| {
            let reading = Reading { t_us: at.as_micros(), board: Some(BoardId::A), kind };
            let line = serde_json::to_string(&reading).expect("a line");
            InputLine { at, made: at, match_id: None, line }
        };
        Entry {
            table: "7".to_owned(),
            inputs: kinds.into_iter().map(line).collect(),
            rows: rows.into_iter().map(|event| OutgoingEvent { at, event }).collect(),
            ..Entry::default()
        }
    }

    fn snapshot(placement: &str) -> ReadingKind {
        ReadingKind::Snapshot { occupied: None, squares: Some(squares(placement).to_vec()) }
    }

    fn ply(id: u32, uci: &str) -> row::Event {
        let side = if id.is_multiple_of(2) { Side::White } else { Side::Black };
        row::Event::PlyReported(PlyReported {
            match_id: "m".to_owned(),
            ply_id: id,
            side: side.into(),
            t_us: u64::from(id) * 1_000_000,
            uci: uci.to_owned(),
            ..PlyReported::default()
        })
    }

    fn parsed(messages: &[String]) -> Vec<Value> {
        messages.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect()
    }

    const SET_UP: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

    /// The boards when a match has begun and White has played e4.
    fn boards() -> Boards {
        let mut boards = Boards::of_tables([&table(Game::Chess)]);
        let opened = row::Event::MatchOpened(MatchOpened {
            match_id: "m".to_owned(),
            ..MatchOpened::default()
        });
        let clock = ReadingKind::Clock {
            white_ms: 299_500,
            black_ms: 300_000,
            running: Some(Color::Black),
        };
        boards.take(&entry(vec![snapshot(SET_UP)], vec![opened]));
        boards.take(&entry(vec![snapshot(E4), clock], vec![ply(0, "e2e4")]));
        boards
    }

    #[test]
    fn a_program_lists_boards_subscribes_to_one_and_reads_its_plies() {
        let mut boards = boards();
        let mut client = Client::default();
        // The calls of lila's page for DGT boards, as it sends them.
        let list = parsed(&client.handle(r#"{"id":1,"call":"eboards"}"#, &boards, 5));
        assert_eq!(list[0]["response"], "call");
        assert_eq!(list[0]["param"][0]["serialnr"], "24958");
        assert_eq!(list[0]["param"][0]["board"], E4);
        assert_eq!(list[0]["param"][0]["clock"]["white"], 299);
        assert_eq!(list[0]["param"][0]["clock"]["run"], false);
        let subscribe = r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"24958"}}}"#;
        let answers = parsed(&client.handle(subscribe, &boards, 6));
        assert_eq!((&answers[0]["id"], &answers[0]["param"]), (&json!(2), &Value::Null));
        assert_eq!((&answers[1]["response"], &answers[1]["id"]), (&json!("feed"), &json!(1)));
        assert_eq!(answers[1]["param"]["san"], json!(["e4"]));
        assert_eq!(answers[1]["param"]["match"], true);
        assert_eq!(client.update(&boards, 7), Vec::<String>::new(), "nothing has changed");
        boards.take(&entry(Vec::new(), vec![ply(1, "g8f6")]));
        let feed = parsed(&client.update(&boards, 8));
        assert_eq!(feed[0]["param"]["san"], json!(["e4", "Nf6"]));
        assert_eq!(feed[0]["param"]["match"], false, "the pieces are not there yet");
        let retracted = PlyRetracted { match_id: "m".to_owned(), ply_id: 1, t_us: 0 };
        boards.take(&entry(Vec::new(), vec![row::Event::PlyRetracted(retracted)]));
        assert_eq!(parsed(&client.update(&boards, 9))[0]["param"]["san"], json!(["e4"]));
    }

    #[test]
    fn plies_that_are_reported_together_come_in_a_message_each() {
        let mut boards = boards();
        let mut client = Client::default();
        let subscribe = r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"24958"}}}"#;
        client.handle(subscribe, &boards, 0);
        let plies = vec![ply(1, "g8f6"), ply(2, "d2d4"), ply(3, "e7e6")];
        boards.take(&entry(Vec::new(), plies));
        let feed = parsed(&client.update(&boards, 0));
        let sans: Vec<&Value> = feed.iter().map(|it| &it["param"]["san"]).collect();
        let expected =
            [json!(["e4", "Nf6"]), json!(["e4", "Nf6", "d4"]), json!(["e4", "Nf6", "d4", "e6"])];
        assert_eq!(sans, expected.iter().collect::<Vec<_>>());
        assert_eq!(feed[0]["param"]["board"], "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPP1PPP/RNBQKBNR");
        assert_eq!(feed[0]["param"]["match"], true);
    }

    #[test]
    fn a_program_that_sets_a_position_up_reads_the_plies_behind_it() {
        let mut boards = boards();
        let mut client = Client::default();
        let subscribe = r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"24958"}}}"#;
        client.handle(subscribe, &boards, 0);
        let setup = format!(
            r#"{{"id":3,"call":"call","param":{{"id":1,"method":"setup","param":{{"fen":"{E4} b KQkq - 0 1"}}}}}}"#
        );
        let answers = parsed(&client.handle(&setup, &boards, 0));
        assert_eq!(answers[0]["response"], "call", "{answers:?}");
        assert_eq!(answers[1]["param"]["san"], json!([]));
        boards.take(&entry(Vec::new(), vec![ply(1, "g8f6")]));
        assert_eq!(parsed(&client.update(&boards, 0))[0]["param"]["san"], json!(["Nf6"]));
    }

    #[test]
    fn calls_that_cannot_be_answered_are_refused_in_words() {
        let boards = boards();
        let mut client = Client::default();
        for call in [
            "not JSON",
            r#"{"id":1,"call":"tournaments"}"#,
            r#"{"id":1,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"1"}}}"#,
            r#"{"id":1,"call":"subscribe","param":{"feed":"gameevent","id":1}}"#,
            r#"{"id":1,"call":"call","param":{"id":9,"method":"setup"}}"#,
        ] {
            let answers = parsed(&client.handle(call, &boards, 0));
            assert_eq!((answers.len(), &answers[0]["response"]), (1, &json!("error")), "{call}");
            assert!(answers[0]["param"]["message"].is_string(), "{call}");
        }
    }

    #[test]
    fn boards_of_bughouse_and_plies_of_unknown_matches_are_not_shown() {
        assert!(Boards::of_tables([&table(Game::Bughouse)]).list().is_empty());
        let mut boards = Boards::of_tables([&table(Game::Chess)]);
        boards.take(&entry(vec![snapshot(E4)], vec![ply(0, "e2e4")]));
        assert!(boards.boards[0].positions().is_none(), "its beginning was not seen");
        let square = rules::Square::E4;
        let reading = Some(SquareReading::Occupied);
        boards.take(&entry(vec![ReadingKind::Square { square, reading, level: None }], Vec::new()));
        assert_eq!(boards.list()[0].board, None, "a square tells less than a piece");
    }
}
