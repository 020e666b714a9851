//! The value of each tie-break, from an entrant's results.

use super::{
    EntrantNumber, Explanation, Results, TieBreak, cumulative, explanation::Outline, opposition,
    products,
};

impl Results {
    /// How an entrant's value of a tie-break comes about after a round; none when nobody has the number. Rounds
    /// beyond the section's last add nothing.
    #[must_use]
    pub fn explain(
        &self,
        entrant: EntrantNumber,
        tie_break: TieBreak,
        after_round: u8,
    ) -> Option<Explanation> {
        let index = *self.index.get(&entrant)?;
        Some(self.explain_at(index, tie_break, after_round.min(self.rounds)))
    }

    pub(super) fn explain_at(
        &self,
        index: usize,
        tie_break: TieBreak,
        after_round: u8,
    ) -> Explanation {
        let outline = match tie_break {
            TieBreak::ModifiedMedian => opposition::modified_median(self, index, after_round),
            TieBreak::Solkoff => opposition::solkoff(self, index, after_round),
            TieBreak::Median => opposition::median(self, index, after_round),
            TieBreak::Cumulative => cumulative::cumulative(self, index, after_round),
            TieBreak::CumulativeOfOpposition => cumulative::of_opposition(self, index, after_round),
            TieBreak::SonnebornBerger => products::sonneborn_berger(self, index, after_round),
            TieBreak::GameMatchPoints => products::game_match_points(self, index, after_round),
            TieBreak::UsAmateurTeam => products::us_amateur_team(self, index, after_round),
            TieBreak::CoinToss => Outline::without_value(),
        };
        outline.explain(tie_break)
    }
}
