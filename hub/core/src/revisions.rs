//! The published state of a match, and the revisions that turn it into another one.
//!
//! A match that is followed again, because of a fact from people, gives plies and anomalies that are numbered from the
//! beginning. Receivers of the earlier rows know them by other ids. A ply keeps its id as long as it stays at its place, which is
//! board, side and time; what is new gets an id that none had.

use std::collections::{BTreeMap, BTreeSet};

use proto::mqtt::message::row::Event;
use proto::mqtt::message::{AnomalyReported, AnomalyRetracted, PlyReported, PlyRetracted};

/// Largest difference in time at which two plies or anomalies count as the same one, microseconds.
const SAME_US: u64 = 1_500_000;
/// A probability that moves less is no news.
const P_NEWS: f64 = 0.005;

/// The published state of a match: the latest revision of every row that was not retracted.
#[derive(Clone, Debug, Default)]
pub struct PublishedMatch {
    /// The plies, by their ids.
    pub plies: BTreeMap<u32, PlyReported>,
    anomalies: BTreeMap<u32, AnomalyReported>,
    /// The latest revision of everything that ever had an id: an id is not used again.
    ply_revisions: BTreeMap<u32, u32>,
    anomaly_revisions: BTreeMap<u32, u32>,
}

impl PublishedMatch {
    /// The published state after these rows.
    #[must_use]
    pub fn of(told: &[Event]) -> PublishedMatch {
        let mut shown = PublishedMatch::default();
        told.iter().for_each(|event| shown.take(event));
        shown
    }

    /// Adds the next row.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::PlyReported(ply) => {
                self.ply_revisions.insert(ply.ply_id, ply.revision);
                self.plies.insert(ply.ply_id, ply.clone());
            }
            Event::PlyRetracted(retracted) => {
                self.plies.remove(&retracted.ply_id);
            }
            Event::AnomalyReported(anomaly) => {
                self.anomaly_revisions.insert(anomaly.anomaly_id, anomaly.revision);
                self.anomalies.insert(anomaly.anomaly_id, anomaly.clone());
            }
            Event::AnomalyRetracted(retracted) => {
                self.anomalies.remove(&retracted.anomaly_id);
            }
            _ => {}
        }
    }

    /// The rows that turn this state into `after`, and the ids that the events of `after` have then.
    pub fn differences(&self, after: PublishedMatch) -> (Vec<Event>, Ids) {
        let mut events = Vec::new();
        let plies = self.tell_plies(after.plies.into_values().collect(), &mut events);
        let anomalies = after.anomalies.into_values().map(|mut anomaly| {
            anomaly.ply_id = anomaly.ply_id.and_then(|id| plies.get(&id).copied());
            anomaly
        });
        let anomalies = self.tell_anomalies(anomalies.collect(), &mut events);
        (events, Ids { plies, anomalies })
    }

    fn next_ply(&self) -> u32 {
        self.ply_revisions.keys().last().map_or(0, |last| last.saturating_add(1))
    }

    fn next_anomaly(&self) -> u32 {
        // The last id is the session's own.
        let known = self.anomaly_revisions.keys().rev().find(|id| **id != u32::MAX);
        known.map_or(0, |last| last.saturating_add(1))
    }

    /// Returns which ply of `after` has which id.
    fn tell_plies(&self, after: Vec<PlyReported>, events: &mut Vec<Event>) -> BTreeMap<u32, u32> {
        let place = |ply: &PlyReported| (ply.board, ply.side);
        let pairs = pair(
            self.plies.values().map(|ply| (ply.ply_id, place(ply), ply.t_us)).collect(),
            after.iter().map(|ply| (ply.ply_id, place(ply), ply.t_us)).collect(),
        );
        let kept: BTreeSet<u32> = pairs.values().copied().collect();
        for ply in self.plies.values().filter(|ply| !kept.contains(&ply.ply_id)) {
            let (match_id, ply_id, t_us) = (ply.match_id.clone(), ply.ply_id, ply.t_us);
            events.push(Event::PlyRetracted(PlyRetracted { match_id, ply_id, t_us }));
        }
        let mut next = self.next_ply();
        let mut ids = BTreeMap::new();
        for mut ply in after {
            let of = ply.ply_id;
            match pairs.get(&of) {
                Some(id) => {
                    ply.ply_id = *id;
                    ids.insert(of, *id);
                    let before = self.plies.get(id);
                    if before.is_some_and(|before| is_same(before, &ply)) {
                        continue;
                    }
                    ply.revision = next_revision(self.ply_revisions.get(id));
                }
                None => {
                    ids.insert(of, next);
                    (ply.ply_id, ply.revision) = (next, 0);
                    next += 1;
                }
            }
            events.push(Event::PlyReported(ply));
        }
        ids
    }

    /// Returns which anomaly of `after` has which id.
    fn tell_anomalies(
        &self,
        after: Vec<AnomalyReported>,
        events: &mut Vec<Event>,
    ) -> BTreeMap<u32, u32> {
        type Place = (String, i32, Option<i32>);
        let place = |anomaly: &AnomalyReported| -> Place {
            (anomaly.code.clone(), anomaly.board, anomaly.side)
        };
        let pairs = pair(
            self.anomalies.values().map(|it| (it.anomaly_id, place(it), it.t_us)).collect(),
            after.iter().map(|it| (it.anomaly_id, place(it), it.t_us)).collect(),
        );
        let kept: BTreeSet<u32> = pairs.values().copied().collect();
        for anomaly in self.anomalies.values().filter(|it| !kept.contains(&it.anomaly_id)) {
            let (match_id, anomaly_id) = (anomaly.match_id.clone(), anomaly.anomaly_id);
            let t_us = anomaly.t_us;
            events.push(Event::AnomalyRetracted(AnomalyRetracted { match_id, anomaly_id, t_us }));
        }
        let mut next = self.next_anomaly();
        let mut ids = BTreeMap::new();
        for mut anomaly in after {
            let of = anomaly.anomaly_id;
            match pairs.get(&of) {
                Some(id) => {
                    anomaly.anomaly_id = *id;
                    ids.insert(of, *id);
                    let before = self.anomalies.get(id);
                    let revision = before.map_or(0, |before| before.revision);
                    let as_before = AnomalyReported { revision, ..anomaly.clone() };
                    if before == Some(&as_before) {
                        continue;
                    }
                    anomaly.revision = next_revision(self.anomaly_revisions.get(id));
                }
                None => {
                    ids.insert(of, next);
                    (anomaly.anomaly_id, anomaly.revision) = (next, 0);
                    next += 1;
                }
            }
            events.push(Event::AnomalyReported(anomaly));
        }
        ids
    }
}

/// The published ids of plies and anomalies that were numbered again.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    plies: BTreeMap<u32, u32>,
    anomalies: BTreeMap<u32, u32>,
}

impl Ids {
    /// The row for an event that was numbered again, given the published state; none about an event that was never published.
    pub fn renumber(&mut self, event: Event, shown: &PublishedMatch) -> Option<Event> {
        Some(match event {
            Event::PlyReported(mut ply) => {
                let next = shown.next_ply();
                ply.ply_id = *self.plies.entry(ply.ply_id).or_insert(next);
                ply.revision = next_revision(shown.ply_revisions.get(&ply.ply_id));
                Event::PlyReported(ply)
            }
            Event::PlyRetracted(mut retracted) => {
                retracted.ply_id = *self.plies.get(&retracted.ply_id)?;
                Event::PlyRetracted(retracted)
            }
            Event::AnomalyReported(mut anomaly) => {
                let next = shown.next_anomaly();
                anomaly.anomaly_id = *self.anomalies.entry(anomaly.anomaly_id).or_insert(next);
                anomaly.revision = next_revision(shown.anomaly_revisions.get(&anomaly.anomaly_id));
                anomaly.ply_id = anomaly.ply_id.and_then(|id| self.plies.get(&id).copied());
                Event::AnomalyReported(anomaly)
            }
            Event::AnomalyRetracted(mut retracted) => {
                retracted.anomaly_id = *self.anomalies.get(&retracted.anomaly_id)?;
                Event::AnomalyRetracted(retracted)
            }
            other => other,
        })
    }
}

fn next_revision(before: Option<&u32>) -> u32 {
    before.map_or(0, |before| before.saturating_add(1))
}

/// Whether nothing that anybody looks at is different.
fn is_same(before: &PlyReported, after: &PlyReported) -> bool {
    let others = |ply: &PlyReported| -> Vec<String> {
        ply.alternatives.iter().map(|other| other.uci.clone()).collect()
    };
    (&before.uci, before.legal, before.t_us) == (&after.uci, after.legal, after.t_us)
        && (before.p - after.p).abs() < P_NEWS
        && others(before) == others(after)
}

/// Pairs of `after` and `before`, by the id of `after`: first events of the same place and time, then the nearest ones. Several of one
/// place and time keep their order.
fn pair<P: PartialEq>(
    mut before: Vec<(u32, P, u64)>,
    after: Vec<(u32, P, u64)>,
) -> BTreeMap<u32, u32> {
    let mut pairs = BTreeMap::new();
    let mut rest = Vec::new();
    for (id, place, t_us) in after {
        match before.iter().position(|known| known.1 == place && known.2 == t_us) {
            Some(index) => {
                pairs.insert(id, before.remove(index).0);
            }
            None => rest.push((id, place, t_us)),
        }
    }
    for (id, place, t_us) in rest {
        let near = before.iter().enumerate().filter(|(_, known)| known.1 == place);
        let near = near.map(|(index, known)| (known.2.abs_diff(t_us), index));
        if let Some((apart_us, index)) = near.min()
            && apart_us <= SAME_US
        {
            pairs.insert(id, before.remove(index).0);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(ply_id: u32, t_us: u64, uci: &str) -> PlyReported {
        let (match_id, uci) = ("m".to_owned(), uci.to_owned());
        PlyReported {
            match_id,
            ply_id,
            t_us,
            uci,
            board: 1,
            side: 1,
            p: 0.9,
            ..PlyReported::default()
        }
    }

    fn shown(plies: &[PlyReported]) -> PublishedMatch {
        PublishedMatch::of(&plies.iter().cloned().map(Event::PlyReported).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_the_same_is_not_told_again() {
        let before = shown(&[ply(0, 5, "e2e4"), ply(1, 9, "N@e6")]);
        assert_eq!(before.differences(shown(&[ply(3, 5, "e2e4"), ply(4, 9, "N@e6")])).0, []);
    }

    #[test]
    fn plies_of_one_moment_keep_their_ids() {
        let plies = [ply(0, 5, "e2e4"), ply(1, 9, "a2a3"), ply(2, 9, "b2b3"), ply(3, 9, "c2c3")];
        assert_eq!(shown(&plies).differences(shown(&plies)).0, []);
    }

    #[test]
    fn a_ply_keeps_its_id_and_gets_the_next_revision() {
        let before = shown(&[ply(0, 5, "e2e4"), ply(1, 9, "N@e6")]);
        let (events, _) = before.differences(shown(&[ply(0, 5, "e2e4"), ply(1, 9, "B@e6")]));
        let revised = PlyReported { revision: 1, ..ply(1, 9, "B@e6") };
        assert_eq!(events, [Event::PlyReported(revised.clone())]);
        let again = shown(&[ply(0, 5, "e2e4"), revised]);
        let (events, _) = again.differences(shown(&[ply(7, 5, "e2e4"), ply(8, 9, "N@e6")]));
        let back = PlyReported { revision: 2, ..ply(1, 9, "N@e6") };
        assert_eq!(events, [Event::PlyReported(back)]);
    }

    #[test]
    fn a_ply_that_is_new_has_an_id_that_none_had_and_one_that_is_gone_is_retracted() {
        let before = shown(&[ply(0, 5, "e2e4"), ply(1, 9_000_000, "N@e6")]);
        let (events, _) =
            before.differences(shown(&[ply(0, 5, "e2e4"), ply(1, 20_000_000, "d7d5")]));
        let (match_id, t_us) = ("m".to_owned(), 9_000_000);
        let gone = Event::PlyRetracted(PlyRetracted { match_id, ply_id: 1, t_us });
        assert_eq!(events, [gone, Event::PlyReported(ply(2, 20_000_000, "d7d5"))]);
    }

    #[test]
    fn a_ply_that_is_found_a_moment_earlier_is_the_same_ply() {
        let before = shown(&[ply(4, 9_000_000, "N@e6")]);
        let (events, _) = before.differences(shown(&[ply(0, 8_600_000, "N@e6")]));
        let moved = PlyReported { revision: 1, ..ply(4, 8_600_000, "N@e6") };
        assert_eq!(events, [Event::PlyReported(moved)]);
    }

    #[test]
    fn what_is_numbered_anew_goes_on_under_the_ids_that_were_told() {
        let mut before =
            shown(&[ply(0, 5, "e2e4"), ply(1, 9_000_000, "N@e6"), ply(2, 20_000_000, "d7d5")]);
        let after = shown(&[ply(0, 5, "e2e4"), ply(1, 20_000_000, "d7d5")]);
        let (events, mut ids) = before.differences(after);
        events.iter().for_each(|event| before.take(event));
        let mut told = |event: Event| {
            let event = ids.renumber(event, &before)?;
            before.take(&event);
            Some(event)
        };
        let revised = PlyReported { revision: 1, ..ply(2, 20_000_000, "d7d6") };
        assert_eq!(
            told(Event::PlyReported(ply(1, 20_000_000, "d7d6"))),
            Some(Event::PlyReported(revised))
        );
        let new = told(Event::PlyReported(ply(2, 30_000_000, "c2c4")));
        assert_eq!(new, Some(Event::PlyReported(ply(3, 30_000_000, "c2c4"))));
        let match_id = || "m".to_owned();
        let gone =
            |ply_id| Event::PlyRetracted(PlyRetracted { match_id: match_id(), ply_id, t_us: 1 });
        assert_eq!((told(gone(2)), told(gone(9))), (Some(gone(3)), None));
    }
}
