//! Photo finishes: two events at two nodes, a few milliseconds apart. Is the true order inside the stated band, and is an order that the
//! adjudicator states the true one? An event happens when the contact closes; the node sees it up to a scan later.

use referee::{ClockErrors, Decisive, Moment, Order};
use rules::{BoardId, Color, Seat};

use crate::equipment::{
    ADAPTER, BUSY_USB, CRYSTALS_PPM, LOADED, LOPSIDED, STARVED, UNKNOWN_WIRE, USB, WIRE,
};
use crate::node::Crystal;
use crate::table::{Equipment, Placed, Troubles, play};

/// Longest time between the two events of a pair, µs.
const WITHIN_US: u64 = 20_000;
/// Length of a run, µs.
const LASTS_US: u64 = 120_000_000;
/// Time after a node's first frame from which its readings count, µs: no match ends earlier.
const KNOWN_US: u64 = 3_000_000;

/// Pairs of events, and what the times say about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) pairs: usize,
    /// Pairs whose true difference lies within the stated error of the measured one.
    pub(crate) within: usize,
    /// Pairs whose order is stated.
    pub(crate) stated: usize,
    /// Pairs whose stated order is wrong.
    pub(crate) wrong: usize,
    /// Largest error of a difference, and sum of the stated errors, µs.
    pub(crate) error_max_us: u64,
    pub(crate) stated_sum_us: u64,
}

impl Tally {
    /// The figures of a line of the table.
    pub(crate) fn line(&self, name: &str) -> String {
        let Tally { pairs, within, stated, wrong, error_max_us, stated_sum_us } = *self;
        let band_us = stated_sum_us / pairs.max(1) as u64;
        let share = 100.0 * within as f64 / pairs.max(1) as f64;
        format!(
            "{name:<40}{pairs:>6} pairs, {share:>6.2} % within the band (mean ±{band_us} µs, largest error {error_max_us} µs), \
             {stated:>6} orders stated, {wrong} wrong"
        )
    }

    fn add(&mut self, [board, clock]: [Placed; 2]) {
        let moment = |placed: Placed, board| {
            let at_us = placed.at_us.strict_add_signed(placed.error_us);
            let seat = Seat { board, color: Color::White };
            Moment { what: Decisive::Mate, seat, from_us: at_us, until_us: at_us }
        };
        let [first, second] = [moment(board, BoardId::A), moment(clock, BoardId::B)];
        let stated_us = [board, clock].map(|placed| placed.stated_us.map(u64::from));
        let errors = ClockErrors { stated_us, offset: None };
        let error_us = errors.between_us(&first, &second);
        let measured_us = second.until_us.cast_signed() - first.until_us.cast_signed();
        let true_us = clock.happened_us.cast_signed() - board.happened_us.cast_signed();
        self.pairs += 1;
        self.within += usize::from(measured_us.abs_diff(true_us) <= error_us);
        self.error_max_us = self.error_max_us.max(measured_us.abs_diff(true_us));
        self.stated_sum_us += error_us;
        let (is_stated, is_right) = match first.order(&second, &errors) {
            Order::Before => (true, true_us > 0),
            Order::After => (true, true_us < 0),
            Order::TooClose => (false, true),
        };
        self.stated += usize::from(is_stated);
        self.wrong += usize::from(!is_right);
    }
}

/// Every kind of line at both boards, and each at one board beside a plain one at the other: their errors do not cancel there.
pub(crate) fn equipments() -> Vec<Equipment> {
    let mixed = [
        (BUSY_USB, "busy USB beside USB"),
        (WIRE, "UART beside USB"),
        (ADAPTER, "UART with timer beside USB"),
        (UNKNOWN_WIRE, "UART taken for USB beside USB"),
        (LOPSIDED, "10 ms to the hub only beside USB"),
    ];
    let mixed =
        mixed.map(|(one, name)| Equipment { name, cables: [one.cables[0], USB.cables[1]], ..one });
    [USB, BUSY_USB, WIRE, ADAPTER, LOADED, STARVED, UNKNOWN_WIRE, LOPSIDED]
        .into_iter()
        .chain(mixed)
        .collect()
}

/// Measures so many pairs, in runs from this seed on: every pair of crystals in turn, half of the runs with lost frames, half with a restart.
pub(crate) fn measure(equipment: Equipment, seed: u64, pairs: usize) -> Tally {
    let mut tally = Tally::default();
    for (run, crystals_ppm) in (seed..).zip(CRYSTALS_PPM.into_iter().cycle()) {
        let crystal = |drift_ppm: f64| Crystal { drift_ppm, wander_ppm: drift_ppm.abs() / 100.0 };
        let [board, clock] = crystals_ppm.map(crystal);
        let troubles = Troubles {
            board,
            clock,
            lost: if run % 8 >= 4 { 0.03 } else { 0.0 },
            restart_us: (run % 16 >= 8).then_some(LASTS_US / 2),
            lasts_us: LASTS_US,
            pairs_within_us: Some(WITHIN_US),
        };
        let mut placed = play(run, equipment, troubles);
        placed.retain(|one| one.known_for_us >= KNOWN_US);
        placed.sort_by_key(|one| one.happened_us);
        for pair in placed.windows(2) {
            let &[one, other] = pair else { continue };
            let is_pair = one.is_board != other.is_board
                && one.happened_us.abs_diff(other.happened_us) <= WITHIN_US;
            if is_pair && tally.pairs < pairs {
                tally.add(if one.is_board { [one, other] } else { [other, one] });
            }
        }
        if tally.pairs == pairs {
            return tally;
        }
    }
    tally
}
