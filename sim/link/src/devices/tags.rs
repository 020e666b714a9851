//! The tags of a table's pieces. A captured piece goes to the other board with its tag, so two boards share one pool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rules::Piece;

/// A tag's five bytes.
pub(super) type Tag = [u8; 5];

/// Tags of pieces that stand on no board, and a supply of new ones.
#[derive(Clone, Debug, Default)]
pub struct TagPool(Arc<Mutex<Pool>>);

#[derive(Debug, Default)]
struct Pool {
    free: HashMap<Piece, Vec<Tag>>,
    made: u16,
}

impl TagPool {
    /// The tag of a piece that is put down: of the piece of that kind that was taken up last, or a new one.
    pub(super) fn put_down(&self, piece: Piece) -> Tag {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tag) = pool.free.get_mut(&piece).and_then(Vec::pop) {
            return tag;
        }
        pool.made += 1;
        let [high, low] = pool.made.to_be_bytes();
        [0x2A, 0x00, 0x7F, high, low]
    }

    /// A piece is taken up.
    pub(super) fn take_up(&self, piece: Piece, tag: Tag) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pool.free.entry(piece).or_default().push(tag);
    }
}
