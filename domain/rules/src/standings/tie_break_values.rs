//! The value of each tie-break, from an entrant's results.

use super::{
    EntrantNumber, Explanation, ResultKind, Results, RoundResult, TieBreak, cumulative,
    direct_encounter,
    explanation::Outline,
    fide::{self, Cut},
    opposition, products,
};

impl Results {
    /// Explains an entrant's value of a tie-break after a round; `None` when no entrant has the number. Rounds beyond the section's
    /// last add nothing.
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
            TieBreak::Kashdan => fide::kashdan(self, index, after_round),
            TieBreak::DirectEncounter => direct_encounter::points(self, index, after_round),
            _ => return self.explain_fide(index, tie_break, after_round),
        };
        outline.explain(tie_break)
    }

    fn explain_fide(&self, index: usize, tie_break: TieBreak, after_round: u8) -> Explanation {
        let buchholz = |cut| fide::buchholz(self, index, after_round, cut);
        let count =
            |counts: fn(&RoundResult) -> bool| fide::count(self, index, after_round, counts);
        let outline = match tie_break {
            TieBreak::Buchholz => buchholz(Cut::NONE),
            TieBreak::BuchholzCut1 => buchholz(Cut { lowest: 1, highest: 0 }),
            TieBreak::BuchholzCut2 => buchholz(Cut { lowest: 2, highest: 0 }),
            TieBreak::BuchholzMedian1 => buchholz(Cut { lowest: 1, highest: 1 }),
            TieBreak::BuchholzMedian2 => buchholz(Cut { lowest: 2, highest: 2 }),
            TieBreak::FideSonnebornBerger => fide::sonneborn_berger(self, index, after_round),
            TieBreak::Koya => fide::koya(self, index, after_round),
            TieBreak::Progressive => fide::progressive(self, index, after_round, 0),
            TieBreak::ProgressiveCut1 => fide::progressive(self, index, after_round, 1),
            TieBreak::Wins => count(fide::is_win),
            TieBreak::GamesWon => count(|it| it.kind == ResultKind::Win),
            TieBreak::GamesWithBlack => {
                count(|it| it.kind.is_played() && it.had_white == Some(false))
            }
            TieBreak::WinsWithBlack => {
                count(|it| it.kind == ResultKind::Win && it.had_white == Some(false))
            }
            TieBreak::RoundsElectedToPlay => count(fide::is_elected),
            TieBreak::AverageRating => fide::average_rating(self, index, after_round, 0),
            TieBreak::AverageRatingCut1 => fide::average_rating(self, index, after_round, 1),
            _ => Outline::without_value(),
        };
        outline.explain(tie_break)
    }
}
