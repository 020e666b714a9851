//! The matches that the project ships: something to play where nobody brings games of their own.

use rules::bpgn::{self, BpgnGame};

/// The files of `sim/games`, which says how they were made.
const FILES: [&[u8]; 4] = [
    include_bytes!("../games/engine-001.bpgn"),
    include_bytes!("../games/engine-002.bpgn"),
    include_bytes!("../games/engine-003.bpgn"),
    include_bytes!("../games/engine-004.bpgn"),
];

/// All shipped matches, in the order of their files.
#[must_use]
pub fn shipped() -> Vec<BpgnGame> {
    FILES.into_iter().flat_map(bpgn::read).filter_map(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_match_can_be_read() {
        let unreadable: Vec<_> =
            FILES.into_iter().flat_map(bpgn::read).filter_map(Result::err).collect();
        assert!(unreadable.is_empty(), "{unreadable:?}");
        assert!(shipped().len() >= 200);
    }
}
