//! Reports of a board node about its contacts: each fault is planted in switches that are otherwise in order.

use node_firmware::{
    BoardConfig, BoardNode, BoardReading, Debouncer, EventMemory, HEALTH_INTERVAL_US,
    ODD_SQUARE_US, STUCK_NEIGHBOUR_CHANGES, WEAK_INCIDENTS,
};
use proptest::prelude::*;
use proto::link::{BoardHealth, HostEvent};

use crate::host::{Hub, at, identity};

const SET_UP: u64 = 0xffff_0000_0000_ffff;
const DEBOUNCE_US: u32 = 5_000;

struct Board {
    node: BoardNode,
    now_us: u64,
    reading: BoardReading,
}

impl Board {
    fn new() -> Self {
        let config = BoardConfig { trays: true, ..BoardConfig::default() };
        let reading = BoardReading { squares: SET_UP, ..BoardReading::default() };
        let mut board = Self {
            node: BoardNode::new(identity(), config, EventMemory::default()),
            now_us: 0,
            reading,
        };
        board.wait(0);
        board
    }

    /// The contacts of `squares` change; then `us` pass.
    fn toggle(&mut self, squares: u64, us: u64) {
        self.reading.squares ^= squares;
        self.wait(us);
    }

    fn wait(&mut self, us: u64) {
        self.node.observe(at(self.now_us), self.reading);
        self.now_us += us;
        self.node.advance(at(self.now_us));
    }

    /// The next report.
    fn report(&mut self) -> BoardHealth {
        let mut hub = Hub::new();
        hub.talk(&mut self.node);
        self.wait(HEALTH_INTERVAL_US);
        let heard = hub.talk(&mut self.node);
        let health = heard.into_iter().find_map(|event| match event {
            HostEvent::BoardHealth { health, .. } => Some(health),
            _ => None,
        });
        health.expect("a report every ten seconds")
    }
}

/// Moves that leave no square around `without` untouched, and `without` itself alone.
fn play_around(board: &mut Board, without: u64) {
    for _ in 0..STUCK_NEIGHBOUR_CHANGES {
        for square in 0..64 {
            if 1 << square != without {
                board.toggle(1 << square, 50_000);
            }
        }
    }
}

#[test]
fn a_board_in_order_has_nothing_to_complain_of() {
    let mut board = Board::new();
    play_around(&mut board, 0);
    let health = board.report();
    assert_eq!(health.chattering, Default::default());
    assert_eq!(health.stuck, Default::default());
    assert_eq!(health.weak, Default::default());
}

#[test]
fn raw_changes_are_counted_from_one_report_to_the_next() {
    let mut board = Board::new();
    board.report();
    board.toggle(1 << 3, 20_000);
    board.toggle(1 << 3, 20_000);
    board.toggle(1 << 60, 20_000);
    let noise = board.report().noise.0;
    assert_eq!((noise[3], noise[60], noise[4]), (2, 1, 0));
    assert_eq!(board.report().noise.0, [0; 64]);
}

#[test]
fn a_square_that_never_changes_though_all_around_it_do_is_stuck() {
    for square in [0, 7, 27, 40, 63] {
        let mut board = Board::new();
        play_around(&mut board, 1 << square);
        assert_eq!(board.report().stuck.occupied, 1 << square);
    }
}

#[test]
fn a_square_that_alone_keeps_the_board_from_being_set_up_is_stuck() {
    let mut board = Board::new();
    board.toggle(1 << 12, 1_000_000);
    assert_eq!(board.report().stuck.occupied, 0, "somebody may hold the piece");
    board.wait(ODD_SQUARE_US);
    assert_eq!(board.report().stuck.occupied, 1 << 12);
    board.toggle(1 << 28, 1_000_000);
    assert_eq!(board.report().stuck.occupied, 0, "it was e2-e4");
}

#[test]
fn a_contact_that_opens_under_a_piece_again_and_again_is_weak_and_recovers() {
    let mut board = Board::new();
    for _ in 0..WEAK_INCIDENTS {
        board.toggle(1 << 8, 1_000);
        board.toggle(1 << 8, 100_000);
    }
    assert_eq!(board.report().weak.occupied, 1 << 8);
    for _ in 0..3 {
        board.report();
    }
    assert_eq!(board.report().weak.occupied, 0);
}

#[test]
fn a_contact_that_is_long_in_coming_to_rest_is_weak() {
    let mut board = Board::new();
    for _ in 0..WEAK_INCIDENTS {
        for _ in 0..8 {
            board.toggle(1 << 9, 2_000);
            board.toggle(1 << 9, 2_000);
        }
        board.toggle(1 << 9, 100_000);
    }
    let health = board.report();
    assert_eq!(health.weak.occupied, 1 << 9);
    assert_eq!(health.chattering.occupied, 0);
}

#[test]
fn a_contact_that_bounces_as_contacts_do_is_not_weak() {
    let mut board = Board::new();
    for _ in 0..20 {
        for _ in 0..5 {
            board.toggle(1 << 9, 100);
            board.toggle(1 << 9, 100);
        }
        board.toggle(1 << 9, 100_000);
    }
    assert_eq!(board.report().weak.occupied, 0);
}

#[test]
fn a_contact_that_never_rests_chatters() {
    let mut board = Board::new();
    for _ in 0..300 {
        board.toggle(1 << 20, 1_000);
    }
    let health = board.report();
    assert_eq!(health.chattering.occupied, 1 << 20);
    assert_eq!(health.noise.0[20], 255);
}

#[test]
fn slots_of_trays_are_looked_after_too() {
    let mut board = Board::new();
    for _ in 0..300 {
        board.reading.black_tray ^= 1 << 15;
        board.wait(1_000);
    }
    for _ in 0..STUCK_NEIGHBOUR_CHANGES {
        board.reading.white_tray ^= 0b101;
        board.wait(20_000);
    }
    let health = board.report();
    assert_eq!(health.chattering.black_tray, 1 << 15);
    assert_eq!((health.stuck.white_tray, health.stuck.black_tray), (0b10, 0));
}

proptest! {
    /// The changes of one channel never affect the events of another.
    #[test]
    fn channels_do_not_touch_each_other(edges in prop::collection::vec((0_u32..64, 1_u64..30_000), 1..300)) {
        let mut together = Debouncer::<64>::new(DEBOUNCE_US);
        let mut alone = Debouncer::<64>::new(DEBOUNCE_US);
        let (mut now, mut raw) = (0, 0);
        let (mut told_together, mut told_alone) = (Vec::new(), Vec::new());
        for (channel, wait) in edges.into_iter().chain([(5, 10_000)]) {
            together.observe(at(now), raw, |change| told_together.push(change));
            alone.observe(at(now), raw & 1 << 5, |change| told_alone.push(change));
            raw ^= 1 << channel;
            now += wait;
        }
        told_together.retain(|change| change.channel == 5);
        prop_assert_eq!(told_together, told_alone);
        prop_assert_eq!(together.quality().edges()[5], alone.quality().edges()[5]);
        prop_assert_eq!(together.quality().weak() & 1 << 5, alone.quality().weak() & 1 << 5);
    }
}
