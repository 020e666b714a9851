//! Remedies of decisions, for people: plies by their numbers on the page, seats by their names.
//!
//! The referee's own words name a ply by its id, as stories do. A director reads numbers beside the plies, and shows them to players.

use referee::{
    PlyId,
    act::{Reinstatement, Remedy},
    clock_words,
};
use rules::Seat;

use crate::{hall::Game, views::needs::seat_words};

/// The remedy, in a few words.
pub(super) fn remedy_words(game: &Game, remedy: &Remedy) -> String {
    let seat = |seat| seat_words(game.game, seat);
    match remedy {
        Remedy::LosesGame(loser) => format!("{} loses the game", seat(*loser)),
        Remedy::Reinstate(reinstatement) => reinstatement_words(game, reinstatement),
        Remedy::Penalty { whom, penalty } => format!("{}: {penalty}", seat(*whom)),
        Remedy::RestartClock(whose) => format!("the clock of {} is started again", seat(*whose)),
        Remedy::MoveTouched(who) => {
            format!("{} moves or takes the piece that was touched", seat(*who))
        }
        Remedy::SubstituteClock { claimant, keeps_ms } => {
            format!(
                "a clock with delay, on which {} keeps {}",
                seat(*claimant),
                clock_words(*keeps_ms)
            )
        }
        Remedy::Nothing
        | Remedy::Draw
        | Remedy::SetRight
        | Remedy::ReduceClock
        | Remedy::Restart
        | Remedy::ClocksStand => remedy.to_string(),
    }
}

/// The position is on the page that guides the hands; here it is only named.
fn reinstatement_words(game: &Game, reinstatement: &Reinstatement) -> String {
    let gains =
        |seat: Seat| format!("{} gets {} s", seat_words(game.game, seat), reinstatement.opponent_s);
    let touched = reinstatement.touched.map(|square| format!("the piece on {square} was touched"));
    let gains = (reinstatement.opponent_s > 0).then(|| gains(reinstatement.opponent));
    let before = format!("the position before {}", ply_words(game, reinstatement.before));
    [Some(before), touched, gains].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `ply 35 (Rh5)`; one that was taken back as never played has no place on the page.
pub(super) fn ply_words(game: &Game, id: PlyId) -> String {
    let mut plies = game.referee().timeline().plies().iter().zip(1..);
    match plies.find(|(ply, _)| ply.report.id == id) {
        Some((ply, number)) => format!("ply {number} ({})", ply.san),
        None => "a ply that is no more in the match".to_owned(),
    }
}
