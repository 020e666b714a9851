//! Short, quick matches: the beginnings of shipped games, with a steady thinking time.

use rules::{BoardId, Color, bpgn::BpgnGame};

/// Start time of all clocks.
pub(crate) const BASE_MS: i64 = 60_000;

/// The first `plies` plies of `count` shipped games, none of which ends in them. The players of a board
/// take about `think_ms` for each ply.
pub(crate) fn quick_games(count: usize, plies: usize, think_ms: i64) -> Vec<BpgnGame> {
    let long_enough = sim::games::shipped().into_iter().filter(|game| game.plies.len() > plies);
    let games: Vec<BpgnGame> =
        long_enough.take(count).map(|game| quick(game, plies, think_ms)).collect();
    assert_eq!(games.len(), count, "shipped games with more than {plies} plies");
    games
}

fn quick(mut game: BpgnGame, plies: usize, think_ms: i64) -> BpgnGame {
    game.plies.truncate(plies);
    game.ending = None;
    game.set_tag("TimeControl", &format!("{}+0", BASE_MS / 1000));
    for board in BoardId::ALL {
        for color in [Color::White, Color::Black] {
            let mut left_ms = BASE_MS;
            let of_seat = |ply: &&mut _| -> bool {
                let ply: &rules::bpgn::BpgnPly = ply;
                ply.board == board && ply.color == color
            };
            for (index, ply) in game.plies.iter_mut().filter(of_seat).enumerate() {
                // Not quite steady, so that the two boards do not keep step.
                left_ms -= think_ms + (index as i64 * 37 + board.index() as i64 * 53) % 150;
                ply.clock_ms = Some(left_ms);
            }
        }
    }
    game
}
