//! Exchanges in simulated matches: noticed when they happen, and never when they do not.

use readings::Reading;
use sim::Profile;

use super::super::view::BoardView;
use super::*;

/// Matches of each kind of players that are looked through.
const MATCHES: usize = 12;
/// Shortest match, in plies.
const PLIES_MIN: usize = 80;
/// Maximum number of presses on both clocks together until exchanged clocks are reported.
const PRESSES_TO_NOTICE_MAX: usize = 32;
/// The constants of this module were chosen with seeds below this.
const FIRST_SEED: u64 = 1_000;

/// A match of the shipped games: what its nodes read.
fn readings(number: usize, profile: Profile) -> Vec<Reading> {
    let mut games = sim::games::shipped();
    games.retain(|game| game.plies.len() >= PLIES_MIN);
    let game = &games[number * 7 % games.len()];
    let seed = FIRST_SEED + number as u64;
    sim::perform(game, profile, seed, "exchange").unwrap().readings
}

/// Change of the table's cables before the reading of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cables {
    /// The clocks are exchanged, or exchanged again.
    Clocks,
    /// The boards are unplugged and come back at each other's ports.
    Boards,
    /// The boards are unplugged and come back where they were.
    BoardsAgain,
}

/// Exchanges that are reported in a match, each with the number of presses before it.
#[derive(Default)]
struct Watch {
    exchange: Exchange,
    views: [BoardView; 2],
    clocks_exchanged: bool,
    boards_exchanged: bool,
    presses: usize,
    noticed: Vec<(usize, Noticed)>,
}

impl Watch {
    fn over(readings: &[Reading], events: &[(usize, Cables)]) -> Watch {
        let mut watch = Watch::default();
        for (number, reading) in readings.iter().enumerate() {
            for (_, cables) in events.iter().filter(|(at, _)| *at == number) {
                watch.handle_cables(*cables);
            }
            watch.take(reading);
        }
        watch
    }

    /// The board as which a board is read.
    fn read_as(&self, board: BoardId) -> BoardId {
        if self.boards_exchanged { board.other() } else { board }
    }

    fn take(&mut self, reading: &Reading) {
        let Some(board) = reading.board else { return };
        let at = HubTime::from_micros(1_000_000 + reading.t_us);
        if let ReadingKind::Press { .. } = reading.kind {
            self.presses += 1;
            let board = if self.clocks_exchanged { board.other() } else { board };
            let noticed = self.exchange.pressed(board, at);
            self.noticed.extend(noticed.map(|noticed| (self.presses, noticed)));
            return;
        }
        let view = &mut self.views[board.index()];
        let before = view.occupied;
        view.take(&reading.kind);
        let (Some(now), Some(before)) = (view.occupied, before) else { return };
        if let ReadingKind::Square { .. } = reading.kind {
            let put_down = !(now.0 & !before.0).is_empty();
            self.exchange.square_changed(self.read_as(board), put_down, at);
        }
    }

    fn handle_cables(&mut self, cables: Cables) {
        if cables == Cables::Clocks {
            self.clocks_exchanged = !self.clocks_exchanged;
            return;
        }
        let shows = |watch: &Watch, place: BoardId| {
            // The relation is symmetric: the node at that port is found the same way.
            watch.views[watch.read_as(place).index()].occupied.map(|occupied| occupied.0)
        };
        for place in BoardId::ALL {
            let shown = shows(self, place);
            self.exchange.board_left(place, shown);
        }
        self.boards_exchanged ^= cables == Cables::Boards;
        for place in BoardId::ALL {
            let shown = shows(self, place).unwrap();
            let noticed = self.exchange.board_shows(place, shown);
            self.noticed.extend(noticed.map(|noticed| (self.presses, noticed)));
        }
    }
}

/// The number of the reading after which a third, half and so on of the match is over.
fn part(readings: &[Reading], share: f64) -> usize {
    (readings.len() as f64 * share) as usize
}

#[test]
fn nothing_is_noticed_in_matches_without_exchanges_whoever_plays() {
    for profile in [Profile::Ideal, Profile::Club, Profile::Scholastic] {
        for number in 0..MATCHES {
            let readings = readings(number, profile);
            let again = [0.2, 0.4, 0.6, 0.8];
            let again = again.map(|share| (part(&readings, share), Cables::BoardsAgain));
            let watch = Watch::over(&readings, &again);
            assert_eq!(watch.noticed, [], "{profile:?}, match {number}");
        }
    }
}

#[test]
fn clocks_that_are_exchanged_are_noticed_after_some_plies_and_once_and_so_is_that_they_are_put_right()
 {
    for profile in [Profile::Ideal, Profile::Club, Profile::Scholastic] {
        let mut waits = Vec::new();
        for number in 0..MATCHES {
            let readings = readings(number, profile);
            let (wrong, right) = (part(&readings, 0.3), part(&readings, 0.6));
            let presses_before = |end: usize| {
                let press = |of: &&Reading| matches!(of.kind, ReadingKind::Press { .. });
                readings[..end].iter().filter(press).count()
            };
            let watch = Watch::over(&readings, &[(wrong, Cables::Clocks), (right, Cables::Clocks)]);
            let what: Vec<Noticed> = watch.noticed.iter().map(|(_, noticed)| *noticed).collect();
            let expected = [Noticed::Clocks(true), Noticed::Clocks(false)];
            assert_eq!(what, expected, "{profile:?}, match {number}");
            for ((presses, _), changed) in watch.noticed.iter().zip([wrong, right]) {
                waits.push(presses - presses_before(changed));
            }
        }
        waits.sort_unstable();
        let (median, most) = (waits[waits.len() / 2], waits[waits.len() - 1]);
        println!("{profile:?}: noticed after {median} presses, {most} at the most");
        assert!(most <= PRESSES_TO_NOTICE_MAX, "{profile:?}: {waits:?}");
    }
}

#[test]
fn boards_that_come_back_at_each_others_ports_are_noticed_at_once_and_so_is_that_they_are_put_right()
 {
    for number in 0..MATCHES {
        let readings = readings(number, Profile::Club);
        let (wrong, right) = (part(&readings, 0.5), part(&readings, 0.8));
        let watch = Watch::over(&readings, &[(wrong, Cables::Boards), (right, Cables::Boards)]);
        let what: Vec<Noticed> = watch.noticed.iter().map(|(_, noticed)| *noticed).collect();
        assert_eq!(what, [Noticed::Boards(true), Noticed::Boards(false)], "match {number}");
    }
}

#[test]
fn boards_that_look_alike_are_not_called_exchanged() {
    let mut exchange = Exchange::default();
    let set_up = Occupancy::INITIAL.0;
    let after_e4 = Bitboard(set_up.0 ^ 1 << 12 ^ 1 << 28);
    exchange.board_left(BoardId::A, Some(after_e4));
    exchange.board_left(BoardId::B, Some(set_up));
    assert_eq!(exchange.board_shows(BoardId::A, set_up), None);
    assert_eq!(exchange.board_shows(BoardId::B, after_e4), None);
}

#[test]
fn one_cable_after_the_other_is_no_exchange_whatever_the_boards_show() {
    let mut exchange = Exchange::default();
    let (full, cleared) = (Occupancy::INITIAL.0, Bitboard::EMPTY);
    exchange.board_left(BoardId::A, Some(full));
    assert_eq!(exchange.board_shows(BoardId::A, cleared), None);
    exchange.board_left(BoardId::B, Some(cleared));
    assert_eq!(exchange.board_shows(BoardId::B, full), None);
}

#[test]
fn boards_that_are_packed_up_are_not_called_exchanged() {
    let mut exchange = Exchange::default();
    let (some, others) = (Bitboard(0x00ff_0f00_00f0_ff00), Bitboard(0xff00_00f0_0f00_00ff));
    exchange.board_left(BoardId::A, Some(some));
    exchange.board_left(BoardId::B, Some(others));
    for board in BoardId::ALL {
        assert_eq!(exchange.board_shows(board, Bitboard::EMPTY), None);
    }
}
