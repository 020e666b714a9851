//! Bughouse tables of which one board has sensors, with readings written by hand.

mod common;

use std::collections::BTreeMap;

use common::{Table, header};
use readings::TraceHeader;
use rules::BoardId;

use BoardId::A;

/// The header of a table of which this board has sensors.
fn only(board: BoardId) -> TraceHeader {
    let both = header();
    let boards = both.boards.clone().into_iter().filter(|(of, _)| *of == board);
    TraceHeader { boards: BTreeMap::from_iter(boards), ..both }
}

#[test]
fn drop_is_legal_whatever_the_partner_took() {
    for board in BoardId::ALL {
        let mut table = Table::half_sensed(only(board));
        table.play_all(board, &["e2e4", "e7e5", "N@f6", "g7f6", "d2d4", "P@e3"]);
        let tracked = table.track();
        let found = tracked.plies(board);
        let squares: Vec<String> =
            found.iter().map(|ply| ply.uci.to_string()[2..4].into()).collect();
        assert_eq!(squares, ["e4", "e5", "f6", "f6", "d4", "e3"]);
        assert!(found[2].uci.is_drop() && found[5].uci.is_drop());
        assert!(found.iter().all(|ply| ply.legal), "{found:?}");
        assert_eq!(tracked.anomalies(), [""; 0]);
    }
}

#[test]
fn type_of_a_drop_is_found_by_how_the_piece_moves() {
    let mut table = Table::half_sensed(only(A));
    table.play_all(A, &["e2e4", "e7e5", "B@d5", "b8c6", "d5c6", "d7c6"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 B@d5 b8c6 d5c6 d7c6");
}
