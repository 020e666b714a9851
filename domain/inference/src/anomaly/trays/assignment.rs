//! Assignment of sights of pieces to captures, with its probability.
//!
//! ```text
//! density(d)  = early · EARLY(d) + (1 − early − unseen) · ((1 − late) · ORDINARY(d) + late · LATE(d))
//! EARLY(d)    = (1 − LONG) · E · exp(d / BEFORE) + LONG / EARLY_FROM for d < 0
//!             = (1 − LONG) · E · exp(−d / AFTER) otherwise,  E = 1 / (BEFORE + AFTER)
//! ORDINARY(d) = x / WAY² · exp(−x / WAY),  x = d − HANDS ≥ 0
//! LATE(d)     = 1 / LATE_UNTIL for HANDS ≤ d ≤ LATE_UNTIL
//! cost        = −ln(density(d) / STRAY)        for an arrival d seconds after the press of the capture
//!             = −ln(unseen · KEPT · p / STRAY) for a drop out of the hand, which is of the captured role with probability p
//!             = −ln(unseen)                    for a piece that is not seen in time
//! ```
//!
//! The least sum of costs is the likeliest assignment. `early`, `late` and `unseen` are habits: of
//! some players nearly every piece is handed over before the press, of others none. They are learnt
//! from the assignment itself, from [`Habits::PRIOR`] on. How sure one capture's fate is follows
//! from the least sum without that fate.

use std::collections::BTreeMap;

/// Mean time by which a piece that is handed over before the press lies down before it, seconds.
/// Measured: drawn scholastic hands with trays, seeds 1 to 8.
const BEFORE_S: f64 = 1.1;
/// Mean time after the press if it overtakes the hand, seconds. Measured: as [`BEFORE_S`].
const AFTER_S: f64 = 0.25;
/// Time from an early arrival to the press up to which plies are searched, seconds. Within the
/// segment of the ply no time is too long. Assumed: who has no piece to put down thinks on, and a
/// forgotten press is due later.
pub(super) const EARLY_FROM_S: f64 = 15.0;
/// Share of the pieces handed over before the press, 0 to 1, after which the ply takes so long that
/// any time is as likely. Assumed.
const LONG: f64 = 0.1;
/// Shortest time for two hands from the press to the tray, seconds. Measured: as [`BEFORE_S`].
const HANDS_S: f64 = 0.25;
/// Time constant of what they need beyond, seconds. Measured: as [`BEFORE_S`].
const WAY_S: f64 = 0.45;
/// Longest time from the press to a late arrival, seconds. Assumed: a piece that is out of sight
/// for longer is hidden ([`HIDDEN_US`](super::tray_matching::HIDDEN_US)).
pub(super) const LATE_UNTIL_S: f64 = 10.0;
/// Rate of arrivals that belong to no capture, 1/s: pieces shown again after they were hidden. Assumed.
const STRAY: f64 = 1e-3;
/// Rate at which a piece that is kept in the hand is dropped, 1/s. Assumed.
const KEPT: f64 = 0.05;
/// An arrival sooner after the press than this was handed over before it, seconds. Later ones may
/// be late. Assumed.
const EARLY_BELOW_S: f64 = 0.2;
/// An arrival later than this was late, seconds. Assumed.
const LATE_FROM_S: f64 = 2.5;
/// Number of captures that the prior counts as. Assumed.
const PRIOR_CAPTURES: f64 = 6.0;

/// A sight of a piece that may have been captured before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sighting {
    /// Laid into the tray this number of seconds after the capture's press; below 0 before it.
    Laid(f64),
    /// Dropped out of the hand; with this probability its role is the captured one, 0 to 1.
    Dropped(f64),
}

/// The fate of a captured piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fate {
    /// The number of its sight; none if it was not seen in time.
    pub(super) sight: Option<usize>,
    /// Probability that it was not seen, or that it was handed over before the press, if it is
    /// thought so; otherwise 1.
    pub(super) p: f64,
}

/// Shares of a tray's pieces handed over before the press, late, and not at all, 0 to 1.
#[derive(Clone, Copy, Debug)]
struct Habits {
    early: f64,
    late: f64,
    unseen: f64,
}

impl Habits {
    /// Before anything is read. Assumed.
    const PRIOR: Habits = Habits { early: 0.15, late: 0.15, unseen: 0.1 };

    fn cost(&self, sight: Sighting) -> f64 {
        let rate = match sight {
            Sighting::Dropped(p) => self.unseen * KEPT * p,
            Sighting::Laid(s) => self.density(s),
        };
        -libm::log((rate / STRAY).max(f64::MIN_POSITIVE))
    }

    fn density(&self, s: f64) -> f64 {
        let spread = if s < 0.0 { -s / BEFORE_S } else { s / AFTER_S };
        let long = if s < 0.0 { LONG / EARLY_FROM_S } else { 0.0 };
        let early = (1.0 - LONG) * libm::exp(-spread) / (BEFORE_S + AFTER_S) + long;
        let beyond = (s - HANDS_S).max(0.0);
        let ordinary = beyond / (WAY_S * WAY_S) * libm::exp(-beyond / WAY_S);
        let late = if beyond > 0.0 { 1.0 / LATE_UNTIL_S } else { 0.0 };
        let after = (1.0 - self.late) * ordinary + self.late * late;
        self.early * early + (1.0 - self.early - self.unseen) * after
    }
}

/// The captures whose sights may be the same, each with its possible sights by their numbers.
pub(super) type Group = Vec<BTreeMap<usize, Sighting>>;

/// The fates of the captures of all groups.
pub(super) fn fates(groups: &[Group]) -> Vec<Fate> {
    let habits = learnt(groups);
    groups.iter().flat_map(|group| group_fates(group, habits)).collect()
}

/// The habits by the likeliest assignment under [`Habits::PRIOR`].
fn learnt(groups: &[Group]) -> Habits {
    let Habits { early, late, unseen } = Habits::PRIOR;
    let [mut early, mut late, mut unseen] = [early, late, unseen].map(|p| p * PRIOR_CAPTURES);
    let mut captures = PRIOR_CAPTURES;
    for group in groups {
        for (possible, found) in
            group.iter().zip(Costs::of(group, Habits::PRIOR).least().of_capture)
        {
            captures += 1.0;
            match found.map(|at| possible[&at]) {
                Some(Sighting::Laid(s)) if s < EARLY_BELOW_S => early += 1.0,
                Some(Sighting::Laid(s)) if s > LATE_FROM_S => late += 1.0,
                Some(Sighting::Laid(_)) => {}
                Some(Sighting::Dropped(_)) | None => unseen += 1.0,
            }
        }
    }
    Habits { early: early / captures, late: late / captures, unseen: unseen / captures }
}

fn group_fates(group: &Group, habits: Habits) -> Vec<Fate> {
    let costs = Costs::of(group, habits);
    let best = costs.least();
    let is_early = |sight: &Sighting| matches!(sight, Sighting::Laid(s) if *s < EARLY_BELOW_S);
    let fate = |(capture, possible): (usize, &BTreeMap<usize, Sighting>)| {
        let sight = best.of_capture[capture];
        let mut others = costs.clone();
        match sight {
            Some(at) if !is_early(&possible[&at]) => return Fate { sight, p: 1.0 },
            Some(_) => {
                let early = possible.iter().filter(|(_, sight)| is_early(sight));
                others.of_sights[capture].extend(early.map(|(&at, _)| (at, NEVER)));
            }
            None => others.unseen[capture] = NEVER,
        }
        let odds = libm::exp(best.total - others.least().total);
        Fate { sight, p: 1.0 / (1.0 + odds) }
    };
    group.iter().enumerate().map(fate).collect()
}

/// The cost of what is excluded, in the unit of the logarithm of the natural base. Bound: beyond
/// all sums of other costs; one cost is at most −ln of the smallest normal `f64`, 708, and a tray
/// has at most 64 captures.
const NEVER: f64 = 1e6;

/// The costs of a group's fates.
#[derive(Clone, Debug)]
struct Costs {
    /// For each capture, the costs of its possible sights.
    of_sights: Vec<BTreeMap<usize, f64>>,
    /// For each capture, the cost of not being seen.
    unseen: Vec<f64>,
}

/// An assignment of least cost.
#[derive(Clone, Debug)]
struct Solution {
    of_capture: Vec<Option<usize>>,
    of_sight: BTreeMap<usize, usize>,
    total: f64,
}

impl Costs {
    fn of(group: &Group, habits: Habits) -> Costs {
        let of_capture = |sights: &BTreeMap<usize, Sighting>| {
            sights.iter().map(|(&at, &sight)| (at, habits.cost(sight))).collect()
        };
        let unseen = vec![-libm::log(habits.unseen); group.len()];
        Costs { of_sights: group.iter().map(of_capture).collect(), unseen }
    }

    /// The assignment of least cost: captures are added one by one, each along its shortest
    /// augmenting path (Kuhn 1955, Bellman 1958).
    fn least(&self) -> Solution {
        let of_capture = vec![None; self.unseen.len()];
        let mut solution = Solution { of_capture, of_sight: BTreeMap::new(), total: 0.0 };
        for capture in 0..self.unseen.len() {
            self.add(capture, &mut solution);
        }
        solution
    }

    fn add(&self, new: usize, solution: &mut Solution) {
        // Of each sight, the least cost of a path to it, and the capture before it on that path.
        let first = self.of_sights[new].iter().map(|(&at, &cost)| (at, (cost, new)));
        let mut paths: BTreeMap<usize, (f64, usize)> = first.collect();
        for _ in 0..self.unseen.len() {
            let mut changed = false;
            for (capture, left) in solution.of_capture.iter().enumerate() {
                let Some((left, path)) = left.and_then(|at| Some((at, paths.get(&at)?))) else {
                    continue;
                };
                let so_far = path.0 - self.of_sights[capture][&left];
                for (&at, &cost) in &self.of_sights[capture] {
                    if paths.get(&at).is_none_or(|path| so_far + cost < path.0 - ROUNDING) {
                        paths.insert(at, (so_far + cost, capture));
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        // The path ends at a free sight, or at a capture that is not seen any more.
        let mut best = (self.unseen[new], None);
        for (&at, &(cost, _)) in &paths {
            let end = solution.of_sight.get(&at);
            let end = end.map_or(0.0, |&of| self.unseen[of] - self.of_sights[of][&at]);
            if cost + end < best.0 {
                best = (cost + end, Some(at));
            }
        }
        solution.total += best.0;
        if let Some(unseen) = best.1.and_then(|at| solution.of_sight.get(&at)) {
            solution.of_capture[*unseen] = None;
        }
        let mut next = best.1;
        while let Some(at) = next {
            let capture = paths[&at].1;
            solution.of_sight.insert(at, capture);
            next = solution.of_capture[capture].replace(at);
        }
    }
}

/// Differences of costs below this are none, in the same unit. Bound: above the rounding of sums of
/// up to a million, about 1e-10, so that no path is found again and again.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    /// The least cost by trying everything.
    fn by_trying(costs: &Costs, capture: usize, taken: &mut Vec<usize>) -> f64 {
        if capture == costs.unseen.len() {
            return 0.0;
        }
        let mut least = costs.unseen[capture] + by_trying(costs, capture + 1, taken);
        for (&at, &cost) in &costs.of_sights[capture] {
            if !taken.contains(&at) {
                taken.push(at);
                least = least.min(cost + by_trying(costs, capture + 1, taken));
                taken.pop();
            }
        }
        least
    }

    #[test]
    fn no_other_assignment_costs_less() {
        // A linear congruential generator (Knuth): the same numbers each time.
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..2_000 {
            let (captures, sights) = (1 + next(5) as usize, 1 + next(5) as usize);
            let mut costs = Costs { of_sights: Vec::new(), unseen: Vec::new() };
            for _ in 0..captures {
                let of_capture = (0..sights).filter(|_| next(3) > 0).collect::<Vec<_>>();
                let of_capture = of_capture.into_iter().map(|at| (at, next(100) as f64 - 50.0));
                costs.of_sights.push(of_capture.collect());
                costs.unseen.push(next(60) as f64);
            }
            let solution = costs.least();
            let least = by_trying(&costs, 0, &mut Vec::new());
            assert!((solution.total - least).abs() < 1e-6, "round {round}: {costs:?}");
            let of_capture = |(capture, at): (usize, &Option<usize>)| {
                at.map_or(costs.unseen[capture], |at| costs.of_sights[capture][&at])
            };
            let sum: f64 = solution.of_capture.iter().enumerate().map(of_capture).sum();
            assert!((sum - least).abs() < 1e-6, "round {round}: {solution:?}");
        }
    }

    #[test]
    fn players_who_always_pass_early_have_no_late_pieces() {
        // Two captures eight seconds apart, and a piece a second before the second one.
        let doubtful: Group =
            [7.0, -1.0].map(|s| BTreeMap::from([(0, Sighting::Laid(s))])).to_vec();
        let early = |capture| BTreeMap::from([(capture, Sighting::Laid(-0.5))]);
        let late = |capture| BTreeMap::from([(capture, Sighting::Laid(6.0))]);
        let fates_after = |of: &dyn Fn(usize) -> BTreeMap<usize, Sighting>| {
            let mut groups: Vec<Group> = vec![doubtful.clone()];
            groups.extend((1..20).map(|capture| vec![of(capture)]));
            fates(&groups)[..2].iter().map(|fate| fate.sight).collect::<Vec<_>>()
        };
        assert_eq!(fates_after(&early), [None, Some(0)]);
        assert_eq!(fates_after(&late), [Some(0), None]);
    }

    #[test]
    fn a_piece_whose_place_two_may_take_is_hidden_with_half_the_certainty() {
        let either: Group = vec![BTreeMap::from([(0, Sighting::Laid(2.0))]); 2];
        let found = fates(&[either]);
        let unseen = found.iter().find(|fate| fate.sight.is_none()).expect("one is not seen");
        assert!((unseen.p - 0.5).abs() < 1e-6, "{found:?}");
        let alone: Group = vec![BTreeMap::new()];
        assert!(fates(&[alone])[0].p > 0.999);
    }
}
