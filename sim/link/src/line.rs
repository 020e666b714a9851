//! One direction of a serial line in virtual time: bytes take their time, and everything happens to them that happens on real
//! lines. The one decorator for faults: whatever talks over bytes can be put on it.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::noise::{ByteFault, Noise};

/// Random part of the time of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Up to this, in µs, everything alike.
    Uniform(u64),
    /// Exponentially distributed, with this mean in µs: queues.
    Exponential(u64),
    /// The receiver's adapter delivers its bytes at this interval in µs, as USB adapters with a latency timer do.
    Timer(u64),
}

/// Speed and queues of a line without faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpeed {
    /// Time that a byte takes, in ns: 86,806 at 115,200 baud.
    pub byte_ns: u64,
    /// From a write's last byte leaving to its arrival, in µs.
    pub latency_us: u64,
    /// Random part of the latency.
    pub jitter: Jitter,
    /// Bytes that the sender's driver takes while others are on their way.
    pub queue_bytes: usize,
    /// Bytes that wait for a receiver that does not read; more are lost.
    pub receive_bytes: usize,
}

/// Faults of whole writes: the probability of each, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WriteFaults {
    /// The write does not arrive.
    pub lost: f64,
    /// The write arrives twice, the second time up to the window later.
    pub doubled: f64,
    /// The write arrives up to the window later, behind writes that were made after it.
    pub late: f64,
    /// The window, in µs.
    pub window_us: u64,
}

/// Effect of a pulled cable on the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenUnplugged {
    /// A UART: bytes go out at their speed and reach nobody.
    Lost,
    /// USB: nobody fetches them, the driver takes no more.
    Refused,
}

/// One direction of a line.
#[derive(Clone, Debug)]
pub struct Line {
    speed: LineSpeed,
    when_unplugged: WhenUnplugged,
    rng: ChaCha8Rng,
    noise: Noise,
    faults: WriteFaults,
    plugged: bool,
    /// Time at which all accepted bytes have left.
    free_ns: u64,
    /// The latest arrival so far of a write that is not late.
    latest_us: u64,
    /// The receiver does not read until then.
    stalled_until_us: u64,
    /// By arrival and order of arrival.
    on_the_way: BTreeMap<(u64, u64), Vec<u8>>,
    writes: u64,
    faulty_writes: u64,
}

impl Line {
    /// A line without faults, plugged in.
    #[must_use]
    pub fn new(
        seed: u64,
        speed: LineSpeed,
        when_unplugged: WhenUnplugged,
        kinds: &[ByteFault],
    ) -> Line {
        Line {
            speed,
            when_unplugged,
            rng: ChaCha8Rng::seed_from_u64(seed),
            noise: Noise::new(seed ^ 1, kinds),
            faults: WriteFaults::default(),
            plugged: true,
            free_ns: 0,
            latest_us: 0,
            stalled_until_us: 0,
            on_the_way: BTreeMap::new(),
            writes: 0,
            faulty_writes: 0,
        }
    }

    /// From now on faults hit this share of all bytes.
    pub fn set_noise(&mut self, rate: f64) {
        self.noise.set_rate(rate);
    }

    /// Whether bytes are hurt.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.noise.is_on()
    }

    /// From now on these faults hit whole writes.
    pub fn set_faults(&mut self, faults: WriteFaults) {
        self.faults = faults;
    }

    /// The receiver does not read until `until_us`; what does not fit into its buffer meanwhile is lost.
    pub fn stall(&mut self, until_us: u64) {
        self.stalled_until_us = self.stalled_until_us.max(until_us);
    }

    /// Pulls the cable: only bytes that have passed by now arrive, which may be half a frame.
    pub fn unplug(&mut self, now_us: u64) {
        self.plugged = false;
        let byte_ns = self.speed.byte_ns;
        for ((arrives_us, order), mut bytes) in std::mem::take(&mut self.on_the_way) {
            let missing_ns = arrives_us.saturating_sub(now_us) * 1_000;
            let missing =
                usize::try_from(missing_ns.div_ceil(byte_ns.max(1))).unwrap_or(usize::MAX);
            bytes.truncate(bytes.len().saturating_sub(missing));
            if !bytes.is_empty() {
                self.on_the_way.insert((now_us.min(arrives_us), order), bytes);
            }
        }
    }

    /// Plugs the cable in again.
    pub fn plug_in(&mut self) {
        self.plugged = true;
    }

    /// All faults end; what is on the way still arrives.
    pub fn calm(&mut self, now_us: u64) {
        self.set_noise(0.0);
        self.faults = WriteFaults::default();
        self.stalled_until_us = self.stalled_until_us.min(now_us);
        self.plugged = true;
    }

    /// Bytes that the sender's driver takes now.
    #[must_use]
    pub fn room(&self, now_us: u64) -> usize {
        if !self.plugged && self.when_unplugged == WhenUnplugged::Refused {
            return 0;
        }
        let waiting_ns = self.free_ns.saturating_sub(now_us * 1_000);
        let waiting = waiting_ns.div_ceil(self.speed.byte_ns.max(1));
        self.speed.queue_bytes.saturating_sub(usize::try_from(waiting).unwrap_or(usize::MAX))
    }

    /// Time at which there is room again for a blocked sender; `None` while the cable is pulled.
    #[must_use]
    pub fn room_again_us(&self, now_us: u64) -> Option<u64> {
        let refused = !self.plugged && self.when_unplugged == WhenUnplugged::Refused;
        (!refused).then(|| self.free_ns.div_ceil(1_000).max(now_us + 1))
    }

    /// Takes one write.
    pub fn send(&mut self, now_us: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.free_ns = self.free_ns.max(now_us * 1_000) + self.speed.byte_ns * bytes.len() as u64;
        if !self.plugged {
            return;
        }
        let arrived = self.noise.pass(bytes);
        let arrives_us = self.arrival();
        let faults = self.faults;
        if self.happens(faults.lost) {
            return;
        }
        if self.happens(faults.doubled) {
            let again_us = arrives_us + self.rng.random_range(0..=faults.window_us);
            self.put(again_us, arrived.clone());
        }
        let late_us = match self.happens(faults.late) {
            true => self.rng.random_range(0..=faults.window_us),
            false => 0,
        };
        self.put(arrives_us + late_us, arrived);
    }

    /// Arrival of a write whose last byte leaves at `free_ns`. Jitter alone never turns two writes round.
    fn arrival(&mut self) -> u64 {
        let least_us = self.free_ns.div_ceil(1_000) + self.speed.latency_us;
        let arrives_us = match self.speed.jitter {
            Jitter::Uniform(most_us) => least_us + self.rng.random_range(0..=most_us),
            Jitter::Exponential(mean_us) => {
                let uniform: f64 = self.rng.random();
                least_us + (-(1.0 - uniform).ln() * mean_us as f64) as u64
            }
            Jitter::Timer(period_us) => least_us.next_multiple_of(period_us.max(1)),
        };
        self.latest_us = self.latest_us.max(arrives_us);
        self.latest_us
    }

    fn happens(&mut self, chance: f64) -> bool {
        let happened = chance > 0.0 && self.rng.random_bool(chance.min(1.0));
        self.faulty_writes += u64::from(happened);
        happened
    }

    fn put(&mut self, arrives_us: u64, bytes: Vec<u8>) {
        self.writes += 1;
        self.on_the_way.insert((arrives_us, self.writes), bytes);
    }

    /// Time at which [`Self::receive`] next has bytes.
    #[must_use]
    pub fn next_arrival_us(&self) -> Option<u64> {
        let &(arrives_us, _) = self.on_the_way.keys().next()?;
        Some(arrives_us.max(self.stalled_until_us))
    }

    /// Bytes that have arrived by `now_us`, in order of arrival.
    pub fn receive(&mut self, now_us: u64) -> Vec<u8> {
        let mut received = Vec::new();
        if now_us < self.stalled_until_us {
            return received;
        }
        while let Some(entry) = self.on_the_way.first_entry()
            && entry.key().0 <= now_us
        {
            let ((arrived_us, _), mut bytes) = entry.remove_entry();
            if arrived_us < self.stalled_until_us {
                bytes.truncate(self.speed.receive_bytes.saturating_sub(received.len()));
            }
            received.append(&mut bytes);
        }
        received
    }

    /// Number of bytes and writes that a fault has hit so far.
    #[must_use]
    pub fn faults_so_far(&self) -> u64 {
        self.noise.faults() + self.faulty_writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: LineSpeed = LineSpeed {
        byte_ns: 100_000,
        latency_us: 0,
        jitter: Jitter::Uniform(0),
        queue_bytes: 32,
        receive_bytes: 8,
    };

    fn line(when_unplugged: WhenUnplugged) -> Line {
        Line::new(1, SLOW, when_unplugged, &ByteFault::ALL)
    }

    #[test]
    fn bytes_take_their_time_and_the_driver_takes_only_so_many() {
        let mut line = line(WhenUnplugged::Lost);
        assert_eq!(line.room(0), 32);
        line.send(0, &[1; 32]);
        assert_eq!((line.room(0), line.room_again_us(0)), (0, Some(3_200)));
        assert_eq!(line.next_arrival_us(), Some(3_200));
        assert_eq!(line.receive(3_199), []);
        assert_eq!((line.room(3_000), line.receive(3_200).len()), (30, 32));
    }

    #[test]
    fn a_pulled_cable_cuts_a_write_where_it_was() {
        let mut line = line(WhenUnplugged::Lost);
        line.send(0, &[1, 2, 3, 4, 5]);
        line.unplug(250);
        assert_eq!(line.receive(250), [1, 2]);
        line.send(300, &[6]);
        assert_eq!(line.next_arrival_us(), None);
    }

    #[test]
    fn usb_takes_nothing_while_it_is_unplugged() {
        let mut line = line(WhenUnplugged::Refused);
        line.unplug(0);
        assert_eq!((line.room(0), line.room_again_us(0)), (0, None));
        line.plug_in();
        assert_eq!(line.room(0), 32);
    }

    #[test]
    fn a_receiver_that_does_not_read_loses_what_does_not_fit() {
        let mut line = line(WhenUnplugged::Lost);
        line.stall(10_000);
        for byte in 0..10 {
            line.send(0, &[byte]);
        }
        assert_eq!(line.receive(9_999), []);
        assert_eq!(line.receive(10_000), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_latency_timer_hands_on_at_its_beats_and_queues_have_their_mean() {
        let arrivals = |jitter| {
            let mut line =
                Line::new(5, LineSpeed { jitter, ..SLOW }, WhenUnplugged::Lost, &ByteFault::ALL);
            let sent_us = (0..2_000).map(|index| index * 100_017);
            let waits = sent_us.map(|now_us| {
                line.send(now_us, &[1]);
                let arrives_us = line.next_arrival_us().unwrap();
                line.receive(arrives_us);
                (arrives_us, arrives_us - now_us - 100)
            });
            waits.collect::<Vec<(u64, u64)>>()
        };
        let timed = arrivals(Jitter::Timer(16_000));
        assert!(timed.iter().all(|(at_us, wait_us)| at_us % 16_000 == 0 && *wait_us < 16_000));
        let queued = arrivals(Jitter::Exponential(3_000));
        let mean_us = queued.iter().map(|(_, wait_us)| wait_us).sum::<u64>() / 2_000;
        assert!((2_700..3_300).contains(&mean_us), "{mean_us}");
    }

    #[test]
    fn late_writes_come_behind_later_ones_within_the_window_and_jitter_keeps_the_order() {
        let arrivals = |late, jitter_us| {
            let speed = LineSpeed { jitter: Jitter::Uniform(jitter_us), ..SLOW };
            let mut line = Line::new(3, speed, WhenUnplugged::Lost, &[]);
            line.set_faults(WriteFaults { late, window_us: 5_000, ..WriteFaults::default() });
            let mut order = Vec::new();
            for byte in 0..=255 {
                let now_us = u64::from(byte) * 1_000;
                line.send(now_us, &[byte]);
                order.extend(line.receive(now_us));
            }
            order.extend(line.receive(300_000));
            assert_eq!(order.len(), 256);
            order
        };
        assert!(arrivals(0.0, 20_000).is_sorted());
        let late = arrivals(0.2, 0);
        assert!(!late.is_sorted());
        let farthest =
            late.iter().zip(0..=u8::MAX).map(|(sent, arrived)| sent.abs_diff(arrived)).max();
        assert!(farthest <= Some(6), "{farthest:?}");
    }
}
