//! A player's line of a tournament report: fixed columns, which are verified and not trusted.
//!
//! Columns from 1: `001` in 1–3, starting rank 5–8, name 15–47, rating 49–52, id 58–68, points 81–84, rank 86–89; each round from 92 on has ten:
//! opponent 92–95, colour 97, result 99. The columns between the fields are blank. Programs that count bytes shift a
//! line for each accent in the name: a line that fits by bytes and not by characters is read by bytes.

use crate::names::clean;

/// First column of the rounds, and number of columns of each.
const ROUNDS_AT: usize = 91;
const ROUND_COLUMNS: usize = 10;

/// Colours and results that a round may have.
const COLORS: &str = "wb- ";
const RESULTS: &str = "10=WLDwld+-FHUZfhuz* ";

/// A player's line.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub(super) line: u64,
    pub(super) rank: u32,
    pub(super) name: String,
    /// The FIDE id and rating, where the line has them.
    pub(super) id: Option<String>,
    pub(super) rating: Option<u16>,
    /// The points in halves; none where the columns are blank.
    pub(super) half_points: Option<u32>,
    pub(super) rounds: Vec<Option<Cell>>,
    /// Whether the columns were counted in bytes.
    pub(super) by_bytes: bool,
}

/// A round in a player's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// The starting rank of the opponent; 0 for none.
    pub(super) opponent: u32,
    pub(super) color: char,
    pub(super) result: char,
}

/// Problem of a line: its columns, the error, the remedy.
#[derive(Debug, PartialEq)]
pub(super) struct Wrong {
    pub(super) column: String,
    pub(super) what: String,
    pub(super) todo: &'static str,
}

/// Reads a line.
pub(super) fn read(line: u64, row: &str) -> Result<Line, Wrong> {
    if row.contains('\t') {
        let what = "the line has a tab, and its columns cannot be counted".to_owned();
        return Err(Wrong { column: "1".to_owned(), what, todo: "put blanks in its place" });
    }
    let characters: Vec<String> = row.chars().map(String::from).collect();
    let by_characters = LineColumns(&characters);
    let read_by_characters = by_characters.read(line, false);
    if row.is_ascii() || (read_by_characters.is_ok() && by_characters.is_aligned()) {
        return read_by_characters;
    }
    // A character's bytes after its first count as columns of their own.
    let bytes: Vec<String> = row
        .chars()
        .flat_map(|it| {
            std::iter::once(it.to_string()).chain((1..it.len_utf8()).map(|_| String::new()))
        })
        .collect();
    let by_bytes = LineColumns(&bytes);
    match by_bytes.read(line, true) {
        Ok(read) if by_bytes.is_aligned() => Ok(read),
        _ => read_by_characters,
    }
}

/// The columns of a line, from 0.
struct LineColumns<'row>(&'row [String]);

impl LineColumns<'_> {
    fn text(&self, from: usize, to: usize) -> String {
        self.0.iter().take(to).skip(from).map(String::as_str).collect::<String>().trim().to_owned()
    }

    fn single(&self, column: usize) -> char {
        self.0.get(column).and_then(|it| it.chars().next()).unwrap_or(' ')
    }

    fn is_blank(&self, column: usize) -> bool {
        self.single(column) == ' '
    }

    /// Whether the fields end where the format has them end: the decimal point of the points, the numbers.
    fn is_aligned(&self) -> bool {
        let ends =
            |from: usize, to: usize| self.text(from, to).is_empty() || !self.is_blank(to - 1);
        let point = self.text(80, 84).is_empty()
            || self.single(82) == '.'
            || !self.text(80, 84).contains('.');
        point && ends(4, 8) && ends(80, 84) && ends(85, 89) && self.text(47, 48).is_empty()
    }

    fn read(&self, line: u64, by_bytes: bool) -> Result<Line, Wrong> {
        let wrong = |from: usize, to: usize, what: String, todo| {
            let column = if from + 1 == to { to.to_string() } else { format!("{}-{to}", from + 1) };
            Err(Wrong { column, what, todo })
        };
        let shifted =
            "count the columns again: a blank too few or too many before this one shifts the line";
        let rank = self.text(4, 8).parse::<u32>().ok().filter(|&rank| rank > 0);
        let Some(rank) = rank else {
            let what = format!("{:?} is no starting rank", self.text(4, 8));
            return wrong(4, 8, what, "write a number from 1");
        };
        let name = clean(&self.text(14, 47));
        if name.is_empty() {
            return wrong(14, 47, "there is no name".to_owned(), "fill it in");
        }
        for blank in [3, 8, 84, 89, 90] {
            if !self.is_blank(blank) {
                let what = format!("{:?} is where the format has a blank", self.single(blank));
                return wrong(blank, blank + 1, what, shifted);
            }
        }
        let points = self.text(80, 84);
        let half_points = match points.as_str() {
            "" => None,
            text => match half_points(text) {
                Some(half_points) => Some(half_points),
                None => return wrong(80, 84, format!("{text:?} is no number of points"), shifted),
            },
        };
        let place = self.text(85, 89);
        if !place.is_empty() && place.parse::<u32>().is_err() {
            return wrong(85, 89, format!("{place:?} is no rank"), shifted);
        }
        let mut rounds = Vec::new();
        for at in (ROUNDS_AT..self.0.len()).step_by(ROUND_COLUMNS) {
            rounds.push(self.cell(at)?);
        }
        while rounds.last() == Some(&None) {
            rounds.pop();
        }
        let id = Some(self.text(57, 68)).filter(|id| !id.is_empty() && id != "0");
        let rating = match self.text(48, 52).as_str() {
            "" => None,
            text => match text.parse::<u16>() {
                Ok(rating) => Some(rating).filter(|&rating| rating > 0),
                Err(_) => return wrong(48, 52, format!("{text:?} is no rating"), shifted),
            },
        };
        Ok(Line { line, rank, name, id, rating, half_points, rounds, by_bytes })
    }

    /// The line's round at a column; none where it is empty: a cell without opponent and result.
    fn cell(&self, at: usize) -> Result<Option<Cell>, Wrong> {
        let opponent = self.text(at, at + 4);
        let (color, result) = (self.single(at + 5), self.single(at + 7));
        let column = format!("{}-{}", at + 1, at + ROUND_COLUMNS);
        let wrong = |what: String, todo| Err(Wrong { column, what, todo });
        let blanks = [at + 4, at + 6, at + 8, at + 9].iter().all(|&it| self.is_blank(it));
        if !blanks || !COLORS.contains(color.to_ascii_lowercase()) {
            let what = format!(
                "{:?} is not opponent, colour and result in their columns",
                self.text(at, at + 10)
            );
            return wrong(
                what,
                "count the columns again: opponent in 4, blank, colour, blank, result, 2 blanks",
            );
        }
        if !RESULTS.contains(result) {
            let what = format!("{result:?} is no result");
            return wrong(what, "write 1 0 = W L D + - or, for a bye, F H U Z");
        }
        let opponent = match opponent.as_str() {
            "" => 0,
            text => match text.parse::<u32>() {
                Ok(opponent) => opponent,
                Err(_) => {
                    let what = format!("{text:?} is no opponent");
                    return wrong(what, "write a starting rank, or 0000 for none");
                }
            },
        };
        let (color, result) = (color.to_ascii_lowercase(), result.to_ascii_uppercase());
        if opponent == 0 && matches!(result, ' ' | '*') {
            return Ok(None);
        }
        Ok(Some(Cell { opponent, color, result }))
    }
}

fn half_points(text: &str) -> Option<u32> {
    let text = text.replace(',', ".");
    let (whole, half) = text.split_once('.').unwrap_or((&text, "0"));
    let half = match half {
        "0" | "" | "00" => 0,
        "5" | "50" => 1,
        _ => return None,
    };
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u16>().ok()? };
    Some(u32::from(whole) * 2 + half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, points: &str, rounds: &str) -> String {
        format!(
            "001    1      {name}{}{points:>4}    1  {rounds}",
            " ".repeat(66 - name.chars().count())
        )
    }

    #[test]
    fn columns_counted_in_bytes_are_read_by_bytes() {
        let whole = row("Angström, Zoé", "1.0", "   2 w 1");
        let by_characters = read(1, &whole).expect("sound");
        assert!(!by_characters.by_bytes);
        assert_eq!(by_characters.half_points, Some(2));
        // A program that pads to a number of bytes writes a blank less for each accent.
        let name = "Angström, Zoé";
        let padding = " ".repeat(66 - name.len());
        let by_bytes = read(1, &format!("001    1      {name}{padding} 1.0    1     2 w 1"));
        let by_bytes = by_bytes.expect("fits by bytes");
        assert!(by_bytes.by_bytes);
        assert_eq!((by_bytes.name.as_str(), by_bytes.half_points), ("Angström, Zoé", Some(2)));
        assert_eq!(by_bytes.rounds, [Some(Cell { opponent: 2, color: 'w', result: '1' })]);
    }

    #[test]
    fn a_shifted_line_is_wrong_and_its_column_is_named() {
        let shifted = row("Aster, Ida", "1.0", "   2 w 1").replacen("Ida ", "Ida", 1);
        let wrong = read(1, &shifted).expect_err("shifted by one");
        assert!(wrong.todo.contains("count the columns"), "{wrong:?}");
        let tabs = "001    2 \tBirch, Leo\t\t0.0\t2\t1 b 0";
        assert!(read(1, tabs).expect_err("tabs").what.contains("tab"));
    }

    #[test]
    fn a_cell_without_opponent_and_result_says_nothing() {
        let read =
            read(1, &row("Cedar, Mia", "0.5", "   1 b 0     4 w =  0000 -  ")).expect("sound");
        assert_eq!(read.rounds.len(), 2);
    }
}
