//! Public outcome of a match: the decision of people, or else the evidence of the boards.

use referee::{NOT_CONFIRMED, Phase, ResultReason};
use rules::{BoardId, Team};
use serde::Serialize;

use crate::hall::Game;

/// Outcome of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The team that won; none for a draw and for a loss of both.
    pub winner: Option<Team>,
    /// The board that decided, if one did.
    pub board: Option<BoardId>,
    /// Cause of the outcome.
    pub reason: ResultReason,
    /// In words.
    pub text: String,
    /// Source of its confirmation; none while it rests on the boards alone.
    pub confirmed_by: Option<ConfirmedBy>,
}

/// Source of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfirmedBy {
    /// Both teams have signed it.
    Teams,
    /// A director has ruled or confirmed it.
    Director,
}

impl Ending {
    /// Whether both teams lost.
    #[must_use]
    pub fn is_loss_of_both(&self) -> bool {
        self.winner.is_none() && self.reason == ResultReason::Forfeit
    }
}

impl Game {
    /// The outcome: the final result, or else the settled one to which the boards point.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        let referee = self.referee();
        let proposal = referee.proposal();
        if let Some(standing) = referee.result().filter(|standing| standing.is_final()) {
            let (winner, reason) = (standing.result.winner, standing.result.reason);
            let as_shown =
                proposal.filter(|proposal| (proposal.winner, proposal.reason) == (winner, reason));
            let words = self.words(winner, reason);
            let confirmed = |text: &str| {
                text.strip_suffix(NOT_CONFIRMED).map(|shown| format!("{shown}; confirmed"))
            };
            return Some(Ending {
                winner,
                reason,
                board: as_shown.map(|proposal| proposal.board),
                text: as_shown.and_then(|proposal| confirmed(&proposal.text)).unwrap_or(words),
                confirmed_by: Some(match standing.is_confirmed {
                    true => ConfirmedBy::Director,
                    false => ConfirmedBy::Teams,
                }),
            });
        }
        let proposal = proposal.filter(|proposal| proposal.settled)?;
        Some(Ending {
            winner: proposal.winner,
            board: Some(proposal.board),
            reason: proposal.reason,
            text: proposal.text.clone(),
            confirmed_by: None,
        })
    }

    fn words(&self, winner: Option<Team>, reason: ResultReason) -> String {
        let who = match (self.game, winner) {
            (rules::Game::Bughouse, Some(Team::One)) => "Team 1 wins",
            (rules::Game::Bughouse, Some(Team::Two)) => "Team 2 wins",
            (rules::Game::Chess, Some(Team::One)) => "White wins",
            (rules::Game::Chess, Some(Team::Two)) => "Black wins",
            (_, None) if reason == ResultReason::Forfeit => "Both lose",
            (_, None) => "Drawn",
        };
        format!("{who}: {}", reason.name().replace('-', " "))
    }

    /// Whether play is over, also where nothing shows how.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.referee().is_over() || self.referee().phase() == Phase::Ended
    }
}
