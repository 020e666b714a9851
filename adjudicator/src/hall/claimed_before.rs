//! Claims that are open already: the same claim from a second phone, or from a second touch, is not decided twice.

use referee::{
    CaseState,
    act::{Act, What},
};

use super::Hall;

impl Hall {
    /// Refuses a claim that is open: of one player, of one kind, against one ply.
    pub(super) fn check_claimed(&self, match_id: &str, act: &Act) -> Result<(), String> {
        let What::Claim(call) = &act.what else { return Ok(()) };
        let Some(game) = self.tables.matches.get(match_id) else { return Ok(()) };
        let referee = game.referee();
        let against = referee.consider(*call).against;
        let open = referee.claims().find(|claim| {
            let (kind, by, target) = (claim.kind, claim.by, claim.against);
            claim.state == CaseState::Open && (kind, by, target) == (call.kind, call.by, against)
        });
        let Some(open) = open else { return Ok(()) };
        let line = referee.ledger().iter().find(|line| line.act == open.id);
        let who = line.map_or("somebody", |line| line.by.id.as_str());
        Err(format!("{who} has entered this claim already: decide that one"))
    }
}
