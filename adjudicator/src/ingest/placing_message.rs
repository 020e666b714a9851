//! Tables of a hub and places of its nodes as a message.

use proto::mqtt::message::{
    Board, DelayKind, Game, Period, PlaceNodes, PlacedNode as Node, PlacedTable as Table,
};
use rules::BoardId;

use crate::hall::acts::{PlacedNode, PlacedTable};

/// The message of a request.
pub(super) fn of(request: u64, tables: &[PlacedTable]) -> PlaceNodes {
    PlaceNodes { request, tables: tables.iter().map(table).collect() }
}

fn table(placed: &PlacedTable) -> Table {
    let ms = |seconds: u32| seconds.saturating_mul(1_000);
    let time = &placed.time;
    let periods = time
        .periods()
        .iter()
        .map(|period| Period { base_ms: ms(period.base_s), moves: period.moves.unwrap_or(0) });
    let game = match placed.game {
        rules::Game::Bughouse => Game::Bughouse,
        rules::Game::Chess => Game::Chess,
    };
    let delay = match time.delay() {
        rules::DelayKind::Us => DelayKind::Us,
        rules::DelayKind::Bronstein => DelayKind::Bronstein,
    };
    Table {
        name: placed.table.clone(),
        game: game.into(),
        rulebook: placed.rulebook.clone(),
        periods: periods.collect(),
        increment_ms: ms(time.increment_s()),
        delay_ms: ms(time.delay_s()),
        delay: delay.into(),
        nodes: placed.nodes.iter().map(node).collect(),
    }
}

fn node(placed: &PlacedNode) -> Node {
    let board = match placed.board {
        BoardId::A => Board::A,
        BoardId::B => Board::B,
    };
    Node {
        node_id: placed.node.clone(),
        board: board.into(),
        sensor: placed.sensor.clone().unwrap_or_default(),
        trays: placed.trays,
    }
}
