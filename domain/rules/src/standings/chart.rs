//! Wall chart and crosstable as data: a row for each entrant, a cell for each round, in the usual US notation.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

use super::{EntrantNumber, ResultKind, Results, RoundResult, Score, Standings};

/// A chart of every entrant's rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chart {
    /// Last round of the chart.
    pub after_round: u8,
    /// The rows: of a wall chart by pairing number, of a crosstable as in the standings.
    pub rows: Vec<ChartRow>,
}

/// One entrant's row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChartRow {
    /// The number by which the cells of other rows name this one: the pairing number in a wall chart, the place from
    /// the top in a crosstable.
    pub shown_number: u32,
    /// The entrant.
    pub number: EntrantNumber,
    /// The name.
    pub name: String,
    /// A cell for each round.
    pub cells: Vec<Cell>,
    /// The score after the last of them.
    pub score: Score,
}

/// A round's entry in a row. Its text is the usual notation: `W6`, `L2`, `D5`, `X4` and `F4` for a forfeit won and lost, `B---`, `H---`
/// and `U---` for a full-point bye, a half-point bye and a round without play and points. A match of several games has its game points
/// behind it: `W22,3½`. The usual notation lacks two signs. A game that is not over is `*6`, as in PGN. Forfeits of a match that
/// balance are `Z6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The round.
    pub round: u8,
    /// Result.
    pub kind: ResultKind,
    /// The shown number of the opponent's row.
    pub opponent: Option<u32>,
    /// The entrant's game points, where a round has several games and these are over.
    pub game_points: Option<Score>,
    /// Whether the entrant had White, where that is known.
    pub had_white: Option<bool>,
    /// The score after the round.
    pub running_score: Score,
    /// Whether a TD has yet to confirm it, or it is not yet known.
    pub provisional: bool,
}

impl ResultKind {
    /// The letter of the usual notation.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            ResultKind::Win => 'W',
            ResultKind::Draw => 'D',
            ResultKind::Loss => 'L',
            ResultKind::ForfeitWin => 'X',
            ResultKind::ForfeitDraw => 'Z',
            ResultKind::ForfeitLoss => 'F',
            ResultKind::FullPointBye => 'B',
            ResultKind::HalfPointBye => 'H',
            ResultKind::ZeroPointBye | ResultKind::Unplayed | ResultKind::Withdrawn => 'U',
            ResultKind::Pending => '*',
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.kind.letter();
        match (self.opponent, self.game_points) {
            (None, _) => formatter.pad(&format!("{letter}---")),
            (Some(opponent), None) => formatter.pad(&format!("{letter}{opponent}")),
            (Some(opponent), Some(points)) => {
                formatter.pad(&format!("{letter}{opponent},{points}"))
            }
        }
    }
}

impl Results {
    /// The wall chart up to a round: rows by pairing number, opponents by pairing number. Rounds beyond the section's
    /// last add nothing.
    #[must_use]
    pub fn wall_chart(&self, after_round: u8) -> Chart {
        let rows = (0..self.entrants.len()).map(|index| (self.entrants[index].number.0, index));
        self.chart(after_round, &rows.collect::<Vec<_>>())
    }

    /// The crosstable to standings of this section: rows as in the standings and numbered from the top, opponents by
    /// these numbers.
    #[must_use]
    pub fn crosstable(&self, standings: &Standings) -> Chart {
        let indices = standings.rows.iter().filter_map(|row| self.index.get(&row.number));
        self.chart(standings.after_round, &(1..).zip(indices.copied()).collect::<Vec<_>>())
    }

    /// A chart of the entrants at the given places, each with the number it is shown by.
    fn chart(&self, after_round: u8, shown: &[(u32, usize)]) -> Chart {
        let after_round = after_round.min(self.rounds);
        let numbers: BTreeMap<EntrantNumber, u32> =
            shown.iter().map(|&(number, index)| (self.entrants[index].number, number)).collect();
        let row = |&(shown_number, index): &(u32, usize)| {
            let mut running_score = Score::ZERO;
            let cells = self.row(index, after_round).map(|(round, result)| {
                running_score = running_score + self.points(result);
                self.cell(round, result, &numbers, running_score)
            });
            ChartRow {
                shown_number,
                number: self.entrants[index].number,
                name: self.entrants[index].name.clone(),
                cells: cells.collect(),
                score: running_score,
            }
        };
        Chart { after_round, rows: shown.iter().map(row).collect() }
    }

    fn cell(
        &self,
        round: u8,
        result: &RoundResult,
        numbers: &BTreeMap<EntrantNumber, u32>,
        running_score: Score,
    ) -> Cell {
        let several = self.games_per_round > 1 && result.kind != ResultKind::Pending;
        Cell {
            round,
            kind: result.kind,
            opponent: result.opponent.and_then(|number| numbers.get(&number).copied()),
            game_points: several.then_some(result.game_points),
            had_white: result.had_white,
            running_score,
            provisional: result.provisional,
        }
    }
}
