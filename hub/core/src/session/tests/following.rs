//! A session and its follower: outputs at deadlines, and a reading on which inference fails.

use super::*;

/// Follows nothing, and panics at the press of Black.
#[derive(Debug)]
struct Poisoned;

impl follower::Follow for Poisoned {
    fn handle(&mut self, reading: &Reading) {
        assert!(!matches!(reading.kind, ReadingKind::Press { by: Color::Black }), "a poison");
    }

    fn poll_output(&mut self) -> Option<inference::TrackerOutput> {
        None
    }

    fn poll_timeout(&self) -> Option<u64> {
        None
    }

    fn handle_timeout(&mut self, _t_us: u64) {}

    fn finish(&mut self) {}
}

#[test]
fn a_ply_whose_piece_is_not_read_is_told_by_time_alone() {
    let mut desk = Desk::new(&BoardId::ALL);
    for board in BoardId::ALL {
        desk.clock(board, BASE_MS, BASE_MS, None);
        desk.set_up(board);
    }
    desk.wait(2);
    desk.clock(BoardId::A, BASE_MS, BASE_MS, Some(Color::White));
    desk.wait(1);
    desk.square(BoardId::A, Square::E2, SquareReading::Empty);
    let said = desk.read(BoardId::A, ReadingKind::Press { by: Color::White });
    assert!(said.is_empty(), "the piece may still settle: {said:?}");
    assert_eq!(desk.wait(2), ["e2e4 live"], "nobody has to move first");
}

#[test]
fn a_reading_on_which_inference_panics_is_told_and_the_next_match_is_followed_anew() {
    // The printed panic is expected.
    let mut desk = Desk::new(&BoardId::ALL);
    desk.session.follow_with(|_, _| Box::new(Poisoned));
    for board in BoardId::ALL {
        desk.clock(board, BASE_MS, BASE_MS, None);
        desk.set_up(board);
    }
    desk.wait(2);
    assert_eq!(desk.clock(BoardId::A, BASE_MS, BASE_MS, Some(Color::White)), ["playing", "clock"]);
    let said = desk.read(BoardId::A, ReadingKind::Press { by: Color::Black });
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].contains("no longer followed") && said[1].contains("a poison"), "{said:?}");
    // The session goes on: the same reading again does nothing, clocks are published, the match ends.
    assert!(desk.read(BoardId::A, ReadingKind::Press { by: Color::Black }).is_empty());
    assert!(desk.session.match_id().is_some());
    desk.square(BoardId::A, Square::E2, SquareReading::Empty);
    desk.clock(BoardId::A, BASE_MS - 5_000, BASE_MS, None);
    desk.clock(BoardId::A, BASE_MS, BASE_MS, None);
    assert_eq!(desk.session.match_id(), None);
    desk.session.follow_with(follower::tracker);
    for board in BoardId::ALL {
        desk.clock(board, BASE_MS, BASE_MS, None);
        desk.set_up(board);
    }
    desk.wait(2);
    let open = desk.session.phase.open().unwrap();
    assert!(format!("{:?}", open.follower).contains("Tracker"), "a new follower");
}

/// Reports a ply at the first change of a square.
#[derive(Debug, Default)]
struct Eager {
    reported: bool,
    output: Option<inference::PlyReport>,
}

impl follower::Follow for Eager {
    fn handle(&mut self, reading: &Reading) {
        if matches!(reading.kind, ReadingKind::Square { .. }) && !self.reported {
            self.reported = true;
            self.output = Some(inference::PlyReport {
                id: inference::PlyId(0),
                revision: 0,
                stage: inference::Stage::Live,
                board: BoardId::A,
                side: Color::White,
                t_us: reading.t_us,
                ply: "e2e4".parse().unwrap(),
                p: 0.5,
                legal: true,
                alternatives: Vec::new(),
                clock_ms: None,
                touched_us: None,
                released_us: None,
            });
        }
    }

    fn poll_output(&mut self) -> Option<inference::TrackerOutput> {
        self.output.take().map(inference::TrackerOutput::Ply)
    }

    fn poll_timeout(&self) -> Option<u64> {
        None
    }

    fn handle_timeout(&mut self, _t_us: u64) {}

    fn finish(&mut self) {}
}

#[test]
fn plies_from_before_a_match_is_set_up_again_are_retracted() {
    let mut desk = Desk::new(&BoardId::ALL);
    desk.session.follow_with(|_, _| Box::new(Eager::default()));
    let set_up = |desk: &mut Desk| {
        for board in BoardId::ALL {
            desk.set_up(board);
        }
        desk.wait(2)
    };
    set_up(&mut desk);
    let lift = |desk: &mut Desk| desk.square(BoardId::A, Square::E2, SquareReading::Empty);
    assert_eq!(lift(&mut desk), ["e2e4 live"]);
    assert_eq!(states(&desk.snapshot(BoardId::B, 0xffff)), ["setup"]);
    assert_eq!(set_up(&mut desk), ["ready", "PlyRetracted"]);
    assert_eq!(lift(&mut desk), ["e2e4 live"]);
    let ids: Vec<u32> = desk.plies.iter().map(|ply| ply.ply_id).collect();
    assert_eq!(ids, [0, 1], "an id is not used again");
}
