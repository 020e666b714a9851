//! A table's session in virtual time: set-up, play, pause, end, next match.

use std::collections::BTreeSet;

use proto::mqtt::message;
use proto::mqtt::message::row::Event;
use readings::{Occupancy, Reading, SensorKind, SquareReading, TraceHeader};
use rules::{Bitboard, Color, DelayKind, Period, Square};

mod following;

use super::*;
use crate::journal::Standing;
use crate::journal_line::{NodeState, NodeTag};

const BASE_MS: i64 = 300_000;
const SECOND: u64 = 1_000_000;

/// A session with two boards, and its recorded outputs.
struct Desk {
    session: Session,
    now_us: u64,
    records: Vec<MatchRecord>,
    /// The row that opened the last match.
    opened: Option<message::MatchOpened>,
    plies: Vec<message::PlyReported>,
}

impl Desk {
    fn new(boards: &[BoardId]) -> Desk {
        let header = BoardHeader::new(SensorKind::Reed);
        let session = Session::new(SessionConfig {
            hub_id: "hub-1".to_owned(),
            table: "1".to_owned(),
            game: Game::Bughouse,
            rulebook: BookId::UsChessBughouse2018,
            time: TimeControl::sudden_death(300, 0).unwrap(),
            boards: boards.iter().map(|&board| (board, header.clone())).collect(),
            clocks: true,
            nodes: boards.iter().map(|&board| (board, nodes_of(board))).collect(),
        });
        Desk {
            session,
            now_us: 1_000_000 * SECOND,
            records: Vec::new(),
            opened: None,
            plies: Vec::new(),
        }
    }

    /// Two boards that were set up and have opened a match.
    fn ready() -> Desk {
        let mut desk = Desk::new(&BoardId::ALL);
        for board in BoardId::ALL {
            desk.clock(board, BASE_MS, BASE_MS, None);
            desk.set_up(board);
        }
        assert_eq!(desk.wait(2), ["opened", "ready", "clock", "clock"]);
        desk
    }

    /// A chess table that was set up and has opened a game.
    fn chess(time: TimeControl) -> Desk {
        let mut desk = Desk::new(&[BoardId::A]);
        let (game, rulebook) = (Game::Chess, BookId::UsChessBlitz2020);
        let start_ms = i64::try_from(time.start_ms()).unwrap();
        let config = SessionConfig { game, rulebook, time, ..desk.session.config.clone() };
        desk.session = Session::new(config);
        desk.clock(BoardId::A, start_ms, start_ms, None);
        desk.set_up(BoardId::A);
        assert_eq!(states(&desk.wait(2)), ["opened", "ready"]);
        desk
    }

    fn read(&mut self, board: BoardId, kind: ReadingKind) -> Vec<String> {
        self.now_us += SECOND / 10;
        let reading = Reading { t_us: self.now_us, board: Some(board), kind };
        self.session.handle(&Line::Reading(reading));
        self.said()
    }

    fn clock(
        &mut self,
        board: BoardId,
        white_ms: i64,
        black_ms: i64,
        running: Option<Color>,
    ) -> Vec<String> {
        self.read(board, ReadingKind::Clock { white_ms, black_ms, running })
    }

    fn snapshot(&mut self, board: BoardId, occupied: u64) -> Vec<String> {
        let occupied = Some(Occupancy(Bitboard(occupied)));
        self.read(board, ReadingKind::Snapshot { occupied, squares: None })
    }

    fn set_up(&mut self, board: BoardId) -> Vec<String> {
        self.snapshot(board, Occupancy::INITIAL.0.0)
    }

    fn square(&mut self, board: BoardId, square: Square, reading: SquareReading) -> Vec<String> {
        self.read(board, ReadingKind::Square { square, reading: Some(reading), level: None })
    }

    /// White plays e4 on A, five seconds after Black started the clock.
    fn play_e4(&mut self) -> Vec<String> {
        let mut said = self.read(BoardId::A, ReadingKind::Press { by: Color::Black });
        said.extend(self.clock(BoardId::A, BASE_MS, BASE_MS, Some(Color::White)));
        said.extend(self.square(BoardId::A, Square::E2, SquareReading::Empty));
        said.extend(self.square(BoardId::A, Square::E4, SquareReading::Occupied));
        self.now_us += 5 * SECOND;
        said.extend(self.read(BoardId::A, ReadingKind::Press { by: Color::White }));
        said.extend(self.clock(BoardId::A, BASE_MS - 5_000, BASE_MS, Some(Color::Black)));
        said
    }

    fn wait(&mut self, seconds: u64) -> Vec<String> {
        self.now_us += seconds * SECOND;
        self.session.advance(HubTime::from_micros(self.now_us));
        self.said()
    }

    fn said(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while let Some(output) = self.session.poll_output() {
            match output {
                SessionOutput::Row(row) => {
                    said.push(name(&row.event));
                    match row.event {
                        Event::MatchOpened(opened) => self.opened = Some(opened),
                        Event::PlyReported(ply) => self.plies.push(ply),
                        _ => {}
                    }
                }
                SessionOutput::Match(record) => self.records.push(record),
                SessionOutput::Notice(words) => said.push(words),
            }
        }
        said
    }
}

fn nodes_of(board: BoardId) -> BoardNodes {
    let id = |word: &str| Some(format!("{word}-{board}").to_lowercase());
    BoardNodes { squares: id("board"), clock: id("clock") }
}

fn name(event: &Event) -> String {
    match event {
        Event::MatchOpened(_) => "opened".to_owned(),
        Event::MatchStateChanged(event) => {
            event.state().as_str_name().trim_start_matches("MATCH_STATE_").to_lowercase()
        }
        Event::PlyReported(event) => format!(
            "{} {}",
            event.uci,
            event.stage().as_str_name().trim_start_matches("STAGE_").to_lowercase()
        ),
        Event::ClockRead(_) => "clock".to_owned(),
        Event::NodeStateChanged(event) if !event.detail.is_empty() => {
            let state = event.state().as_str_name().trim_start_matches("NODE_STATE_");
            format!("node {} {}: {}", event.node_id, state.to_lowercase(), event.detail)
        }
        Event::NodeStateChanged(event) => format!("node {}", event.node_id),
        other => format!("{other:?}").split('(').next().unwrap_or_default().to_owned(),
    }
}

fn states(said: &[String]) -> Vec<&str> {
    let names = ["opened", "setup", "ready", "playing", "paused", "ended"];
    said.iter().map(String::as_str).filter(|said| names.contains(said)).collect()
}

#[test]
fn a_match_opens_when_both_boards_have_been_set_up_for_a_moment() {
    let mut desk = Desk::new(&BoardId::ALL);
    desk.set_up(BoardId::A);
    assert!(desk.wait(10).is_empty(), "board B is not set up");
    desk.set_up(BoardId::B);
    desk.square(BoardId::B, Square::A1, SquareReading::Empty);
    assert!(desk.wait(4).is_empty(), "a rook was taken away again");
    desk.square(BoardId::B, Square::A1, SquareReading::Occupied);
    assert_eq!(desk.wait(2), ["opened", "ready"]);
    let record = &desk.records[0];
    assert!(record.match_id.starts_with("hub-1-1-1970"), "{record:?}");
    assert_eq!(record.prologue.lines().count(), 2);
}

#[test]
fn a_match_gets_no_name_of_a_match_that_was_closed() {
    let mut desk = Desk::ready();
    let mut record = desk.records[0].clone();
    // The third match that another release opened within a second.
    let named_s = record.opened.as_micros() / SECOND + 2;
    record.match_id = match_id::at("hub-1", "1", named_s);
    desk.session.leave_match();
    desk.session.close(&Standing { record, told: Vec::new() });
    desk.said();
    desk.now_us = desk.now_us.max((named_s - 1) * SECOND);
    desk.wait(1);
    let [.., closed, next] = &desk.records[..] else { panic!("{:?}", desk.records) };
    assert_ne!(closed.match_id, next.match_id);
}

#[test]
fn a_table_with_one_board_needs_no_other() {
    for board in BoardId::ALL {
        let mut desk = Desk::new(&[board]);
        desk.clock(board, BASE_MS, BASE_MS, None);
        desk.set_up(board);
        assert_eq!(states(&desk.wait(2)), ["opened", "ready"]);
        let press = ReadingKind::Press { by: Color::Black };
        assert!(desk.read(board.other(), press.clone()).is_empty());
        assert_eq!(states(&desk.read(board, press)), ["playing"]);
    }
}

#[test]
fn a_ply_is_reported_with_the_times_of_touch_and_release() {
    let mut desk = Desk::ready();
    desk.play_e4();
    let ply = desk.plies.first().unwrap();
    let (touched_us, released_us) = (ply.touched_us.unwrap(), ply.released_us.unwrap());
    assert!(touched_us < released_us && released_us + 5 * SECOND <= ply.t_us, "{ply:?}");
}

#[test]
fn clocks_that_stand_end_nothing_however_long_and_play_goes_on() {
    let mut desk = Desk::ready();
    let said = desk.play_e4();
    assert_eq!(states(&said), ["playing"]);
    assert!(said.contains(&"e2e4 live".to_owned()), "{said:?}");
    let pause = desk.clock(BoardId::A, BASE_MS - 5_000, BASE_MS - 3_000, None);
    assert_eq!(states(&pause), ["paused"]);
    assert_eq!(states(&desk.wait(3_600)), [""; 0], "the director has not come yet");
    let again = desk.clock(BoardId::A, BASE_MS - 5_000, BASE_MS - 3_000, Some(Color::Black));
    assert_eq!(states(&again), ["playing"]);
    // Nor does a flag that has fallen.
    assert_eq!(states(&desk.clock(BoardId::A, 295_000, 0, None)), ["paused"]);
    assert_eq!(states(&desk.wait(3_600)), [""; 0]);
}

#[test]
fn a_match_whose_boards_are_cleared_is_smoothed_and_over() {
    let mut desk = Desk::ready();
    desk.play_e4();
    desk.snapshot(BoardId::A, 0);
    assert_eq!(states(&desk.wait(10)), [""; 0], "a clock runs");
    desk.clock(BoardId::A, 290_000, 290_000, None);
    assert_eq!(states(&desk.wait(10)), [""; 0], "board B stands");
    desk.snapshot(BoardId::B, 1);
    assert_eq!(states(&desk.wait(4)), [""; 0], "they may have been swept off by a sleeve");
    let end = desk.wait(2);
    assert_eq!(states(&end), ["ended"]);
    assert!(end.contains(&"e2e4 final".to_owned()), "smoothed before it ended: {end:?}");
    assert_eq!(end.last().map(String::as_str), Some("ended"));
    assert!(desk.records.last().unwrap().ended);
}

#[test]
fn setting_up_again_ends_a_match_and_opens_the_next() {
    let mut desk = Desk::ready();
    desk.play_e4();
    desk.clock(BoardId::A, 295_000, 290_000, None);
    desk.square(BoardId::A, Square::E4, SquareReading::Empty);
    desk.square(BoardId::A, Square::E2, SquareReading::Occupied);
    assert_eq!(states(&desk.wait(2)), ["ended", "opened", "ready"]);
    let ids: std::collections::BTreeSet<_> = desk.records.iter().map(|r| &r.match_id).collect();
    assert_eq!(ids.len(), 2);
}

#[test]
fn a_clock_that_an_increment_has_brought_back_to_the_start_ends_nothing() {
    let mut desk = Desk::chess(TimeControl::fischer(300, 5).unwrap());
    desk.play_e4();
    let said = desk.clock(BoardId::A, BASE_MS, BASE_MS, None);
    assert_eq!(states(&said), ["paused"], "White took the five seconds that were added");
    assert_eq!(states(&desk.clock(BoardId::A, BASE_MS, BASE_MS, Some(Color::Black))), ["playing"]);
    assert_eq!(states(&desk.clock(BoardId::A, BASE_MS, BASE_MS - 1_000, None)), ["paused"]);
    let set = desk.clock(BoardId::A, BASE_MS + 5_000, BASE_MS + 5_000, None);
    assert_eq!(states(&set), ["ended"], "set, with the first increment already added");
}

#[test]
fn a_chess_game_is_opened_with_its_game_and_time_in_row_and_trace() {
    let rest = Period { base_s: 1_800, moves: None };
    let periods = vec![Period { base_s: 5_400, moves: Some(40) }, rest];
    let time = TimeControl::new(periods, 0, 5, DelayKind::Bronstein).unwrap();
    let mut desk = Desk::chess(time.clone());
    let opened = desk.opened.take().unwrap();
    assert_eq!(opened.game(), message::Game::Chess);
    assert_eq!((opened.base_ms, opened.delay_ms), (5_400_000, 5_000));
    assert_eq!(opened.delay(), message::DelayKind::Bronstein);
    let periods: Vec<_> = opened.periods.iter().map(|p| (p.base_ms, p.moves)).collect();
    assert_eq!(periods, [(5_400_000, 40), (1_800_000, 0)]);
    let header: TraceHeader = serde_json::from_str(&desk.records[0].header).unwrap();
    assert_eq!((header.game, header.time_control()), (Game::Chess, Some(time)));
    assert_eq!(header.rulebook, "us-chess-blitz-2020");
}

#[test]
fn trying_the_clocks_is_no_match() {
    let mut desk = Desk::ready();
    assert_eq!(states(&desk.clock(BoardId::A, BASE_MS, BASE_MS, Some(Color::White))), ["playing"]);
    assert_eq!(states(&desk.clock(BoardId::A, BASE_MS - 900, BASE_MS, None)), ["ready"]);
    assert_eq!(states(&desk.wait(3_600)), [""; 0]);
}

#[test]
fn pieces_cleared_away_before_the_start_mean_that_setting_up_begins_again() {
    let mut desk = Desk::ready();
    assert_eq!(states(&desk.snapshot(BoardId::B, 0xffff)), ["setup"]);
    desk.set_up(BoardId::B);
    assert_eq!(states(&desk.wait(2)), ["ready"]);
    assert_eq!(states(&desk.play_e4()), ["playing"]);
}

#[test]
fn a_node_is_reported_when_its_state_changes() {
    let mut desk = Desk::ready();
    let mut tell = |state| {
        let node = NodeLine {
            t_us: desk.now_us,
            kind: NodeTag::Node,
            node: "clock-a".to_owned(),
            board: BoardId::A,
            state,
            detail: String::new(),
        };
        desk.session.handle(&Line::Node(node));
        desk.said()
    };
    assert_eq!(tell(NodeState::Connected), ["node clock-a"]);
    assert!(tell(NodeState::Connected).is_empty());
    assert_eq!(tell(NodeState::Lost), ["node clock-a"]);
}

#[test]
fn exchanged_clocks_are_told_once_until_the_next_match_opens() {
    let mut desk = Desk::ready();
    desk.play_e4();
    let mut said = Vec::new();
    for number in 0..12 {
        let square = Square::new(24 + number);
        desk.square(BoardId::B, square, SquareReading::Occupied);
        said.extend(desk.read(BoardId::A, ReadingKind::Press { by: Color::White }));
    }
    let told: Vec<_> = said.iter().filter(|said| said.contains("is pressed after")).collect();
    let words = "the clock of board A is pressed after plies on board B, and the other way round: exchange the two clocks, or \
                 their cables";
    let faulty = |node: &str| format!("node {node} faulty: {words}");
    assert_eq!(told, [words, &faulty("clock-a"), &faulty("clock-b")]);
    assert!(desk.session.is_doubtful());
    // Its end is taken back: the clocks were reset by mistake.
    let mut said = Vec::new();
    for gone_ms in [5_000, 0, 5_000, 0] {
        for board in BoardId::ALL {
            said.extend(desk.clock(board, BASE_MS - gone_ms, BASE_MS, None));
        }
    }
    assert_eq!(states(&said), ["paused", "ended", "paused", "ended"]);
    let of_nodes = |said: &[String]| {
        said.iter().filter(|said| said.starts_with("node")).cloned().collect::<Vec<_>>()
    };
    assert!(of_nodes(&said).is_empty(), "they stand as before: {said:?}");
    assert!(desk.session.is_doubtful());
    BoardId::ALL.into_iter().for_each(|board| drop(desk.set_up(board)));
    let next = of_nodes(&desk.wait(2));
    assert_eq!(next, ["node clock-a", "node clock-b"], "the next match is judged anew");
    assert!(!desk.session.is_doubtful());
}

#[test]
fn boards_back_at_each_others_ports_are_told_as_a_doubt_of_both() {
    let mut desk = Desk::ready();
    desk.play_e4();
    let (here, there) = (0x00ff_0f00_00f0_ff00, 0xff00_00f0_0f00_00ff);
    desk.snapshot(BoardId::A, here);
    desk.snapshot(BoardId::B, there);
    let tell = |desk: &mut Desk, board: BoardId, state| {
        let node = nodes_of(board).squares.unwrap();
        let (t_us, kind, detail) = (desk.now_us, NodeTag::Node, String::new());
        desk.session.handle(&Line::Node(NodeLine { t_us, kind, node, board, state, detail }));
        desk.said()
    };
    for state in [NodeState::Connected, NodeState::Lost, NodeState::Connected] {
        for board in BoardId::ALL {
            tell(&mut desk, board, state);
        }
    }
    assert_eq!(desk.snapshot(BoardId::A, there), [""; 0], "the other is still to come");
    let said = desk.snapshot(BoardId::B, here);
    let words = "what is read on board A looks like board B, and the other way round: exchange the two boards' cables";
    let faulty = |node: &str| format!("node {node} faulty: {words}");
    assert_eq!(said, [words, &faulty("board-a"), &faulty("board-b")]);
}

#[test]
fn a_checkpoint_is_the_whole_state_between_matches() {
    let mut desk = Desk::new(&BoardId::ALL);
    desk.clock(BoardId::A, BASE_MS, BASE_MS, None);
    desk.set_up(BoardId::A);
    desk.set_up(BoardId::B);
    let text = desk.session.checkpoint().unwrap();
    let mut restored = Session::restore(desk.session.config.clone(), &text).unwrap();
    restored.advance(HubTime::from_micros(desk.now_us + 2 * SECOND));
    let outputs: Vec<_> = std::iter::from_fn(|| restored.poll_output()).collect();
    desk.session.advance(HubTime::from_micros(desk.now_us + 2 * SECOND));
    let expected: Vec<_> = std::iter::from_fn(|| desk.session.poll_output()).collect();
    assert_eq!(outputs, expected);
    desk.play_e4();
    assert!(desk.session.checkpoint().is_none(), "a match is played");
    assert!(Session::restore(desk.session.config.clone(), "{}").is_err());
}

#[test]
fn a_checkpoint_keeps_a_match_that_was_just_opened() {
    let mut desk = Desk::ready();
    let text = desk.session.checkpoint().expect("nothing was read since");
    let config = desk.session.config.clone();
    let mut restored = Session::restore(config.clone(), &text).unwrap();
    assert_eq!(restored.poll_output(), None, "all of it was sent before");
    assert_eq!(restored.match_id(), desk.session.match_id());
    let mut other = Desk { session: restored, now_us: desk.now_us, ..Desk::new(&BoardId::ALL) };
    for desk in [&mut desk, &mut other] {
        desk.wait(30);
        desk.play_e4();
        desk.clock(BoardId::A, BASE_MS, BASE_MS, None);
        desk.set_up(BoardId::A);
        desk.wait(10);
    }
    assert_eq!(desk.plies, other.plies);
    assert!(!desk.plies.is_empty());
    assert_eq!(desk.session.match_id(), other.session.match_id());
    let with_delay = SessionConfig { time: TimeControl::sudden_death(300, 5).unwrap(), ..config };
    let mut other = Session::restore(with_delay, &text).unwrap();
    assert!(other.poll_output().is_some(), "another match by its time");
}

#[test]
fn matches_that_are_opened_in_one_second_have_names_of_their_own() {
    let mut desk = Desk::ready();
    // From here on all is read late, and counts as read at one moment.
    desk.session.advance(HubTime::from_micros(desk.now_us + 100 * SECOND));
    let mut names = BTreeSet::new();
    for number in 1..=3 {
        desk.play_e4();
        names.extend(desk.session.match_id().map(str::to_owned));
        assert_eq!(names.len(), number, "{names:?}");
        desk.clock(BoardId::A, BASE_MS - 5_000, BASE_MS, None);
        desk.clock(BoardId::A, BASE_MS, BASE_MS, None);
        assert_eq!(desk.session.match_id(), None);
        desk.set_up(BoardId::A);
    }
}
