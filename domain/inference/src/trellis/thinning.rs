//! Nodes and edges without a future are dropped, so that layers of long ago take little room.
//!
//! A hypothesis that was cut leaves its path behind. No later node is reached from it, so its
//! backward mass is 0 and no posterior probability changes without it. The order of what stays is
//! kept, and with it the order of all sums.

use crate::trellis::{Layer, THIN_EVERY, Trellis};

impl Layer {
    /// Drops the nodes that are not `alive`, to which no edge leads. The edges of `next` begin at the nodes.
    fn drop_nodes(&mut self, alive: &[bool], next: &mut Layer) {
        let mut kept = 0;
        let count = |&is_alive: &bool| {
            kept += u16::from(is_alive);
            kept - u16::from(is_alive)
        };
        let numbers: Vec<u16> = alive.iter().map(count).collect();
        self.edges.iter_mut().for_each(|edge| edge.to = numbers[usize::from(edge.to)]);
        next.edges.iter_mut().for_each(|edge| edge.from = numbers[usize::from(edge.from)]);
        let mut alive = alive.iter();
        self.forward.retain(|_| alive.next().copied().unwrap_or(true));
        self.forward.shrink_to_fit();
    }
}

impl Trellis {
    /// Drops the nodes and edges that lead to no surviving hypothesis. No posterior probability changes.
    pub(super) fn thin(&mut self) {
        let mut alive = vec![true; self.forward().len()];
        for at in (0..self.layers.len()).rev() {
            let mut earlier = vec![false; self.before(at).len()];
            let (layers, later) = self.layers.split_at_mut(at + 1);
            let layer = &mut layers[at];
            layer.edges.retain(|edge| alive[usize::from(edge.to)]);
            layer.edges.shrink_to_fit();
            for edge in &layer.edges {
                earlier[usize::from(edge.from)] = true;
            }
            if let Some(next) = later.first_mut() {
                layer.drop_nodes(&alive, next);
            }
            alive = earlier;
        }
        self.bytes = self.layers.iter().map(Layer::memory_bytes).sum();
        self.thinned = self.layers.len().saturating_sub(THIN_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trellis::{Edge, MAX_BYTES, MAX_LAYERS, conditioned::small};

    const WIDTH: u16 = 512;

    /// Every node has its own future, or all futures begin at one node.
    fn long(layers: usize, from: impl Fn(u16) -> u16) -> Trellis {
        let mut trellis = Trellis::new(vec![1.0 / f64::from(WIDTH); usize::from(WIDTH)]);
        let edge = |to| Edge { from: from(to), to, explanation: 0, weight: 1.0 };
        for _ in 0..layers {
            let layer = small::layer(0, 1, (0..WIDTH).map(edge).collect(), trellis.forward());
            trellis.push(layer);
            while let Some(until) = trellis.full_until() {
                trellis.close_until(until);
            }
        }
        trellis
    }

    #[test]
    fn what_has_no_future_takes_no_room() {
        let trellis = long(40, |_| 7);
        let (newest, before) = trellis.layers().split_last().expect("layers");
        assert_eq!(newest.forward.len(), usize::from(WIDTH));
        assert!(before[..8].iter().all(|layer| layer.forward.len() == 1 && layer.edges.len() == 1));
        assert_eq!(trellis.first_open(), 0);
    }

    #[test]
    fn a_trellis_takes_bounded_room_and_counts_it_right() {
        for trellis in [long(5_000, |to| to), long(5_000, |_| 7)] {
            let bytes: usize = trellis.layers().iter().map(Layer::memory_bytes).sum();
            assert_eq!(trellis.memory_bytes(), bytes);
            assert!(bytes <= MAX_BYTES && trellis.layers().len() <= MAX_LAYERS);
            assert_eq!(trellis.end(), 5_000);
        }
    }
}
