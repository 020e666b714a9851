//! Hall sensors: baselines, drift, levels, and the times of their events.

use node_firmware::{
    BoardNode, BoardReading, COUNTS_PER_LEVEL, EventMemory, HEALTH_INTERVAL_US, HallSquares,
    MAGNITUDE_DEBOUNCE_US, MID_RAIL_COUNTS, POLARITY_DEBOUNCE_US, START_SCANS, Samples,
};
use proptest::prelude::*;
use proto::link::{
    BoardHealth, CommandResult, HostEvent, Message, NodeState, Order, SensorReading, Standing,
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::host::{Hub, at, identity};

const SCAN_US: u64 = 1_000;
/// Counts of the build guide's magnets, pawn to king.
const PIECES: [i32; 6] = [392, 572, 811, 1_038, 1_285, 1_497];
const BACK_RANK: [usize; 8] = [3, 1, 2, 4, 5, 2, 1, 3];

type Node = BoardNode<HallSquares>;

/// Sensors with offsets and noise of their own, scanned as on a board.
struct Board {
    node: Node,
    hub: Hub,
    now_us: u64,
    offsets: [i32; 64],
    pieces: [i32; 64],
    noise: i32,
    rng: ChaCha8Rng,
    changes: Vec<(u64, u8, SensorReading)>,
    health: Option<BoardHealth>,
    answers: Vec<CommandResult>,
    state: Option<NodeState>,
}

impl Board {
    fn new(squares: HallSquares, pieces: [i32; 64], offset: i32, noise: i32) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let offsets = std::array::from_fn(|_| rng.random_range(-offset..=offset));
        let node = Node::with_squares(identity(), squares, false, EventMemory::default());
        let mut board = Self {
            node,
            hub: Hub::new(),
            now_us: 0,
            offsets,
            pieces,
            noise,
            rng,
            changes: Vec::new(),
            health: None,
            answers: Vec::new(),
            state: None,
        };
        board.pass(u64::from(START_SCANS) * SCAN_US);
        board
    }

    fn samples(&mut self) -> Samples {
        std::array::from_fn(|square| {
            let noise = self.rng.random_range(-self.noise..=self.noise);
            let counts =
                i32::from(MID_RAIL_COUNTS) + self.offsets[square] + self.pieces[square] + noise;
            counts.clamp(0, 4095) as u16
        })
    }

    fn pass(&mut self, us: u64) {
        for _ in 0..us / SCAN_US {
            let squares = self.samples();
            self.node
                .observe(at(self.now_us), BoardReading { squares, white_tray: 0, black_tray: 0 });
            self.now_us += SCAN_US;
            self.listen();
        }
    }

    fn listen(&mut self) {
        for event in self.hub.talk(&mut self.node) {
            match event {
                HostEvent::Event { message: Message::SquaresChanged(changed), .. } => {
                    self.changes.extend(changed.changes.iter().map(|change| {
                        let time = changed.time.plus_micros(change.offset_us.into()).as_micros();
                        (time, change.square.get(), change.reading)
                    }));
                }
                HostEvent::Event { message: Message::Answer(answer), .. } => {
                    self.answers.push(answer.result);
                }
                HostEvent::BoardHealth { health, .. } => self.health = Some(health),
                HostEvent::Snapshot { snapshot, .. } => self.state = Some(snapshot.state),
                _ => {}
            }
        }
    }

    fn state(&mut self) -> NodeState {
        self.hub.ask_for_snapshot();
        self.listen();
        self.state.expect("a snapshot")
    }

    /// White's and Black's squares.
    fn colours(&mut self) -> (u64, u64) {
        match self.state() {
            NodeState::PolarityBoard(state) => (state.white, state.black),
            other => panic!("{other:?}"),
        }
    }

    fn levels(&mut self) -> [i8; 64] {
        match self.state() {
            NodeState::MagnitudeBoard(state) => state.levels.0,
            other => panic!("{other:?}"),
        }
    }

    fn health(&mut self) -> BoardHealth {
        self.health = None;
        self.pass(HEALTH_INTERVAL_US + 1_000_000);
        self.health.take().expect("a report every ten seconds")
    }

    fn command(&mut self, order: Order) -> CommandResult {
        self.hub.command(order);
        self.pass(5_000);
        self.answers.pop().expect("an answer")
    }
}

fn set_up() -> [i32; 64] {
    std::array::from_fn(|square| match square / 8 {
        0 => PIECES[BACK_RANK[square % 8]],
        1 => PIECES[0],
        6 => -PIECES[0],
        7 => -PIECES[BACK_RANK[square % 8]],
        _ => 0,
    })
}

fn any_standing() -> impl Strategy<Value = [i32; 64]> {
    let piece = prop_oneof![
        3 => Just(0),
        2 => (0..6_usize, any::<bool>()).prop_map(|(piece, white)| {
            if white { PIECES[piece] } else { -PIECES[piece] }
        }),
    ];
    prop::collection::vec(piece, 64).prop_map(|all| all.try_into().unwrap())
}

fn level(counts: i32) -> i32 {
    (counts as f64 / f64::from(COUNTS_PER_LEVEL)).round() as i32
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_stands_there_at_the_start_is_told_right(standing in any_standing(), offset in 0..60) {
        let mut board = Board::new(HallSquares::polarity(), standing, offset, 10);
        let bits = |sign: i32| (0..64).filter(|&s| standing[s].signum() == sign).fold(0, |b, s| b | 1_u64 << s);
        prop_assert_eq!(board.colours(), (bits(1), bits(-1)));
        board.pass(200_000);
        prop_assert_eq!(&board.changes, &[]);
    }

    #[test]
    fn levels_at_the_start_are_those_of_the_pieces(standing in any_standing()) {
        let mut board = Board::new(HallSquares::magnitude(), standing, 50, 10);
        let levels = board.levels();
        for square in 0..64 {
            let off = i32::from(levels[square]) - level(standing[square]);
            // The baseline of a square is only an estimate while a piece is on it.
            prop_assert!(off.abs() <= 50 / COUNTS_PER_LEVEL + 2, "{square}: {} {}", levels[square], standing[square]);
        }
    }
}

#[test]
fn a_piece_that_moves_is_told_by_its_colour_with_the_time_at_which_it_moved() {
    let mut board = Board::new(HallSquares::polarity(), set_up(), 60, 10);
    board.pass(100_000);
    let lifted_us = board.now_us;
    let pawn = std::mem::take(&mut board.pieces[12]);
    board.pass(300_000);
    let put_us = board.now_us;
    board.pieces[28] = pawn;
    board.pass(50_000);
    let [(first_us, 12, SensorReading::Empty), (second_us, 28, SensorReading::White)] =
        board.changes[..]
    else {
        panic!("{:?}", board.changes)
    };
    assert!((lifted_us..=lifted_us + 2 * SCAN_US).contains(&first_us), "{first_us} {lifted_us}");
    assert!((put_us..=put_us + 2 * SCAN_US).contains(&second_us), "{second_us} {put_us}");
}

#[test]
fn a_capture_is_told_as_empty_and_the_other_colour() {
    let mut board = Board::new(HallSquares::polarity(), set_up(), 60, 10);
    board.pieces[52] = 0;
    board.pass(100_000);
    board.pieces[52] = PIECES[4];
    board.pass(100_000);
    let told: Vec<_> =
        board.changes.iter().map(|&(_, square, reading)| (square, reading)).collect();
    assert_eq!(told, [(52, SensorReading::Empty), (52, SensorReading::White)]);
}

#[test]
fn a_visit_shorter_than_the_debounce_time_is_not_told() {
    let mut board = Board::new(HallSquares::polarity(), set_up(), 0, 0);
    board.pieces[30] = PIECES[5];
    board.pass(u64::from(POLARITY_DEBOUNCE_US) - 2_000);
    board.pieces[30] = 0;
    board.pass(100_000);
    assert_eq!(board.changes, []);
}

#[test]
fn a_piece_has_a_level_only_when_it_has_come_to_stand() {
    let mut board = Board::new(HallSquares::magnitude(), [0; 64], 0, 5);
    // It comes down in a fifth of a second.
    for step in 1..=40 {
        board.pieces[20] = -PIECES[4] * step * step / 1_600;
        board.pass(5_000);
    }
    board.pass(100_000);
    let [(time, 20, SensorReading::Level(told))] = board.changes[..] else {
        panic!("{:?}", board.changes)
    };
    assert!((i32::from(told) - level(-PIECES[4])).abs() <= 3, "{told}");
    assert!(time > 16_000 + 200_000 - 2 * u64::from(MAGNITUDE_DEBOUNCE_US), "{time}");
}

#[test]
fn every_type_has_its_own_level() {
    let mut board = Board::new(HallSquares::magnitude(), [0; 64], 60, 10);
    for (nth, counts) in PIECES.into_iter().enumerate() {
        board.pieces[nth] = counts;
        board.pieces[63 - nth] = -counts;
    }
    board.pass(200_000);
    let levels = board.levels();
    for (nth, counts) in PIECES.into_iter().enumerate() {
        assert!((i32::from(levels[nth]) - level(counts)).abs() <= 1, "{levels:?}");
        assert!((i32::from(levels[63 - nth]) + level(counts)).abs() <= 1, "{levels:?}");
    }
    assert_eq!(board.changes.len(), 12);
}

#[test]
fn a_piece_that_is_turned_or_pushed_is_told_again_only_if_its_level_changes_much() {
    let mut board = Board::new(HallSquares::magnitude(), set_up(), 0, 5);
    board.pieces[0] -= 2 * COUNTS_PER_LEVEL;
    board.pass(100_000);
    assert_eq!(board.changes, []);
    board.pieces[0] -= 4 * COUNTS_PER_LEVEL;
    board.pass(100_000);
    assert!(matches!(board.changes[..], [(_, 0, SensorReading::Level(_))]), "{:?}", board.changes);
}

#[test]
fn near_the_threshold_hysteresis_keeps_a_square_quiet() {
    let mut board = Board::new(HallSquares::polarity(), [0; 64], 0, 20);
    for _ in 0..200 {
        board.pieces[9] = board.rng.random_range(70..100);
        board.pass(3_000);
    }
    assert_eq!(board.changes, [], "never up to the upper threshold");
    board.pieces[9] = 200;
    board.pass(20_000);
    for _ in 0..200 {
        board.pieces[9] = board.rng.random_range(90..120);
        board.pass(3_000);
    }
    assert!(matches!(board.changes[..], [(_, 9, SensorReading::White)]), "{:?}", board.changes);
}

#[test]
fn slow_drift_is_followed_under_pieces_too() {
    let mut board = Board::new(HallSquares::magnitude(), set_up(), 20, 5);
    let before = board.levels();
    // 40 counts within two minutes: two and a half levels.
    for _ in 0..120 {
        board.pass(1_000_000);
        if board.now_us / 3_000_000 < 40 {
            board.offsets = board
                .offsets
                .map(|offset| offset + 1 - (board.now_us / 1_000_000 % 3).min(1) as i32);
        }
    }
    board.pass(20_000_000);
    assert_eq!(board.changes, [], "nothing has moved");
    board.pieces[0] = 0;
    board.pass(100_000);
    board.pieces[0] = set_up()[0];
    board.pass(100_000);
    assert!((board.levels()[0] - before[0]).abs() <= 2, "{} {}", board.levels()[0], before[0]);
}

#[test]
fn a_badly_placed_piece_is_never_taken_for_rest() {
    let mut board = Board::new(HallSquares::polarity(), [0; 64], 0, 5);
    // Too far aside to be seen, for three minutes.
    board.pieces[40] = 90;
    board.pass(180_000_000);
    board.pieces[40] = 0;
    board.pass(100_000);
    assert_eq!(board.changes, [], "what is taken away is no piece of the other colour");
}

#[test]
fn a_guessed_rest_is_learnt_when_the_square_is_first_empty() {
    let mut board = Board::new(HallSquares::magnitude(), set_up(), 60, 5);
    board.pass(100_000);
    for square in [0, 3, 60] {
        board.pieces[square] = 0;
        board.pass(300_000);
        board.pieces[square] = PIECES[2];
        board.pass(300_000);
        let levels = board.levels();
        assert!((i32::from(levels[square]) - level(PIECES[2])).abs() <= 1, "{}", levels[square]);
    }
}

#[test]
fn the_command_to_learn_is_done_only_when_the_squares_are_empty() {
    let mut board = Board::new(HallSquares::polarity(), set_up(), 60, 5);
    let nothing = Order::LearnBaseline(Standing::Nothing);
    let set_up_stands = Order::LearnBaseline(Standing::SetUp);
    assert_eq!(board.command(nothing), CommandResult::NotNow);
    assert_eq!(board.command(set_up_stands), CommandResult::Done);
    board.pieces[28] = PIECES[0];
    board.pass(50_000);
    assert_eq!(board.command(set_up_stands), CommandResult::NotNow);
    board.pieces = [0; 64];
    board.pass(50_000);
    assert_eq!(board.command(nothing), CommandResult::Done);
    assert_eq!(board.command(Order::PauseClock), CommandResult::Unsupported);
    assert_eq!(board.colours(), (0, 0));
}

#[test]
fn weak_noisy_and_broken_sensors_are_told() {
    let mut board = Board::new(HallSquares::polarity(), [0; 64], 0, 4);
    board.pass(100_000);
    board.pieces[8] = 150;
    board.pieces[9] = PIECES[0];
    let health = board.health();
    assert_eq!(health.weak.occupied, 1 << 8, "hardly above the threshold");
    assert_eq!(health.stuck.occupied, 0);
    assert!(health.noise.0.iter().all(|&noise| noise <= 4), "{:?}", health.noise);
    board.noise = 30;
    let health = board.health();
    assert!(health.noise.0.iter().all(|&noise| (8..=30).contains(&noise)), "{:?}", health.noise);
    // A wire that has come off.
    board.pieces[50] = -4096;
    assert_eq!(board.health().stuck.occupied, 1 << 50);
}

#[test]
fn nothing_is_said_before_every_square_was_averaged() {
    let mut node =
        Node::with_squares(identity(), HallSquares::polarity(), false, EventMemory::default());
    let reading = BoardReading { squares: [MID_RAIL_COUNTS; 64], white_tray: 0, black_tray: 0 };
    for scan in 1..START_SCANS {
        node.observe(at(u64::from(scan) * SCAN_US), reading);
        assert!(!node.wants_transmit());
    }
    node.observe(at(u64::from(START_SCANS) * SCAN_US), reading);
    assert!(node.wants_transmit());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_counts_do_no_harm(scans in prop::collection::vec(any::<[u16; 8]>(), 33..200), magnitude: bool) {
        let squares = if magnitude { HallSquares::magnitude() } else { HallSquares::polarity() };
        let mut node = Node::with_squares(identity(), squares, true, EventMemory::default());
        let mut hub = Hub::new();
        for (scan, counts) in scans.iter().enumerate() {
            let squares = std::array::from_fn(|square| counts[square % 8]);
            node.observe(at(scan as u64 * 4_000), BoardReading { squares, white_tray: counts[0], black_tray: counts[1] });
            for event in hub.talk(&mut node) {
                prop_assert!(!matches!(event, HostEvent::Rejected(_) | HostEvent::Gap { .. }), "{event:?}");
            }
        }
    }
}
