//! Meanings of a list's columns: guessed from the header once, then remembered by the organiser.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Problem,
    headers::{is_word, longer, plain},
};

/// Content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// The section.
    Section,
    /// A pairing number.
    Number,
    /// A team's name.
    Team,
    /// A player, or a team's first player.
    Player,
    /// A team's second player.
    Partner,
    /// A school or club.
    Club,
    /// A number that a federation gave the player; it tells namesakes apart.
    Id,
    /// A rating.
    Rating,
    /// The round.
    Round,
    /// The table.
    Table,
    /// The board number of the pairing programme.
    Board,
    /// The first side: a pairing number or a name.
    First,
    /// The second side.
    Second,
    /// The result, seen from the first side.
    Result,
    /// The result of the second side, where the two sides have a column each.
    SecondResult,
    /// White at board A.
    WhiteA,
    /// Black at board A.
    BlackA,
    /// White at board B.
    WhiteB,
    /// Black at board B.
    BlackB,
}

/// The lists that are read, by the columns they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Teams,
    Players,
    Pairings,
    Results,
}

use Field::{
    BlackA, BlackB, Board, Club, First, Id, Number, Partner, Player, Rating, Result as ResultField,
    Round, Second, SecondResult, Section, Table, Team, WhiteA, WhiteB,
};

impl List {
    /// The columns it must have.
    pub(super) const fn needed(self) -> &'static [Field] {
        match self {
            List::Teams => &[Team, Player, Partner],
            List::Players => &[Player],
            List::Pairings => &[Round, First, Second],
            List::Results => &[Round, ResultField],
        }
    }

    /// All columns it may have.
    pub(super) fn fields(self) -> impl Iterator<Item = Field> {
        self.needed().iter().chain(self.further()).copied()
    }

    /// The columns it may have beside these.
    const fn further(self) -> &'static [Field] {
        match self {
            List::Teams => &[Section, Number, Club],
            List::Players => &[Section, Number, Club, Id, Rating],
            List::Pairings => {
                &[Section, Table, Board, ResultField, SecondResult, WhiteA, BlackA, WhiteB, BlackB]
            }
            List::Results => &[Section, Table, Board, SecondResult, First, Second],
        }
    }
}

/// A column, by its header or by its place from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// The header.
    Header(String),
    /// The place.
    ColumnPlace(usize),
}

/// Source of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// One column. An empty header is a field that has yet to be mapped.
    Column(Column),
    /// Several columns, joined with a blank.
    Joined(Vec<Column>),
    /// The same text in every row.
    Constant {
        /// The text.
        value: String,
    },
}

impl Source {
    fn header(name: &str) -> Source {
        Source::Column(Column::Header(name.to_owned()))
    }

    fn is_open(&self) -> bool {
        matches!(self, Source::Column(Column::Header(name)) if name.is_empty())
    }
}

/// Headers of the fields. As JSON: `{"columns":{"team":"Team name","player":["First","Last"],"partner":4}}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The source of each field that is known.
    pub columns: BTreeMap<Field, Source>,
}

impl Mapping {
    /// Mapping that the header's words suggest. Fields that are needed and not found are there with an empty header.
    pub(super) fn guess(header: &[String], list: List) -> Mapping {
        let keys: Vec<String> = header.iter().map(|name| plain(name)).collect();
        let mut taken = vec![false; header.len()];
        let mut columns = BTreeMap::new();
        for &field in list.needed().iter().chain(list.further()) {
            let free = |word: &str, taken: &[bool]| {
                (0..keys.len()).find(|&at| !taken[at] && is_word(&keys[at], word))
            };
            let is_needed = list.needed().contains(&field);
            let named = field.words().iter().find_map(|word| free(word, &taken));
            let halves = |whose: &str| {
                field.parts().iter().find_map(|words| {
                    let [one, other] = words.map(|word| free(&format!("{whose}{word}"), &taken));
                    Some([one?, other?])
                })
            };
            let parts = field.owners().iter().find_map(|whose| halves(whose));
            let parts = parts.filter(|_| {
                named.is_none_or(|at| {
                    matches!(keys[at].as_str(), "name" | "nombre" | "nom" | "nome")
                })
            });
            let source = if let Some(parts) = parts {
                parts.iter().for_each(|&at| taken[at] = true);
                let header = |at: usize| Column::Header(header[at].clone());
                Some(Source::Joined(parts.map(header).to_vec()))
            } else if let Some(at) = named {
                taken[at] = true;
                Some(Self::at(header, &keys, at))
            } else if let Some(at) = Self::twin(&keys, &taken, field, &columns) {
                taken[at] = true;
                Some(Source::Column(Column::ColumnPlace(at + 1)))
            } else if let Some(at) = longer(&keys, &taken, field).filter(|_| is_needed) {
                taken[at] = true;
                Some(Self::at(header, &keys, at))
            } else {
                None
            };
            if let Some(source) = source {
                columns.insert(field, source);
            } else if is_needed {
                columns.insert(field, Source::header(""));
            }
        }
        let mut mapping = Mapping { columns };
        mapping.turn_twins(header);
        mapping
    }

    /// Exchanges two result columns of one name where the second side has its column first: the results are in that order, too.
    fn turn_twins(&mut self, header: &[String]) {
        let place = |field| places(self.columns.get(&field)?, header).ok()?.first().copied();
        let are_turned = place(First) > place(Second);
        let twins = [ResultField, SecondResult].map(|field| self.columns.get(&field).cloned());
        if let ([Some(one), Some(Source::Column(Column::ColumnPlace(at)))], true) =
            (twins, are_turned)
        {
            self.columns.insert(ResultField, Source::Column(Column::ColumnPlace(at)));
            self.columns.insert(SecondResult, one);
        }
    }

    /// Whether every field has a source.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.columns.values().any(Source::is_open)
    }

    /// The headers of columns that no field is read from.
    #[must_use]
    pub fn unread<'header>(&self, header: &'header [String]) -> Vec<&'header str> {
        let read: Vec<usize> = self
            .columns
            .values()
            .filter_map(|source| places(source, header).ok())
            .flatten()
            .collect();
        let unread =
            header.iter().enumerate().filter(|(at, name)| !name.is_empty() && !read.contains(at));
        unread.map(|(_, name)| name.as_str()).collect()
    }

    /// A column by its header where that names it, else by its place.
    fn at(header: &[String], keys: &[String], at: usize) -> Source {
        let first = keys.iter().position(|key| *key == keys[at]);
        if first == Some(at) {
            Source::header(&header[at])
        } else {
            Source::Column(Column::ColumnPlace(at + 1))
        }
    }

    /// The second column of the name that a field's twin has.
    fn twin(
        keys: &[String],
        taken: &[bool],
        field: Field,
        columns: &BTreeMap<Field, Source>,
    ) -> Option<usize> {
        let Source::Column(Column::Header(name)) = columns.get(&field.twin()?)? else {
            return None;
        };
        let key = plain(name);
        let mut same =
            (0..keys.len()).filter(|&at| !taken[at] && keys[at] == key && !key.is_empty());
        same.next().filter(|_| same.next().is_none())
    }

    /// Number of needed fields in a row of headers.
    pub(super) fn found(&self, header: &[String], list: List, constants: &[Field]) -> usize {
        let known = |field: &&Field| {
            constants.contains(field)
                || self.columns.get(field).is_some_and(|it| places(it, header).is_ok())
        };
        list.needed().iter().filter(known).count()
    }

    /// Whether a row has two cells or more, and all of them are headers that the guess knows.
    pub(super) fn is_header(row: &[String], list: List) -> bool {
        let is_known = |key: &str| {
            list.fields().any(|field| {
                let parts = field.parts().iter().flatten();
                field.words().iter().chain(parts).any(|word| is_word(key, word))
            })
        };
        let keys: Vec<String> = row.iter().map(|cell| plain(cell)).collect();
        let mut keys = keys.iter().filter(|key| !key.is_empty());
        keys.clone().count() > 1 && keys.all(|key| is_known(key))
    }

    /// Warns of a column that is read where another one has the same name and, in some row, another text.
    pub(super) fn doubled(
        &self,
        header: &[String],
        columns: &Columns,
        rows: impl Iterator<Item = Vec<String>> + Clone,
    ) -> Vec<Problem> {
        let keys: Vec<String> = header.iter().map(|name| plain(name)).collect();
        let unread = (0..header.len()).filter(|&at| !keys[at].is_empty() && !columns.reads(at));
        let twin = |at: usize| {
            (0..at).find(|&it| keys[it] == keys[at] && columns.reads(it)).filter(|&it| {
                let text = |row: &[String], at: usize| row.get(at).map(|it| it.trim().to_owned());
                rows.clone().any(|row| {
                    text(&row, at)
                        .is_some_and(|other| !other.is_empty() && text(&row, it) != Some(other))
                })
            })
        };
        let doubled = unread.filter_map(|at| Some((twin(at)?, at)));
        doubled
            .map(|(one, other)| {
                let [one, other] = [one + 1, other + 1];
                let what =
                    format!("the columns {one} and {other} have one name, and {one} is read");
                let todo = "name the other one otherwise, or take it out";
                Problem::error(None, header.get(other - 1).map(String::as_str), what, todo)
                    .warning()
            })
            .collect()
    }

    /// Places of the columns under this header. `constants` are the fields that the options give.
    pub(super) fn resolve(
        &self,
        header: &[String],
        line: u64,
        list: List,
        constants: &[(Field, String)],
    ) -> Result<Columns, Vec<Problem>> {
        let mut columns = Columns { at: BTreeMap::new() };
        let mut problems = Vec::new();
        for &field in list.needed().iter().chain(list.further()) {
            let needed = list.needed().contains(&field);
            let constant = constants.iter().find(|(it, _)| *it == field);
            let known = self.columns.get(&field).filter(|source| !source.is_open());
            let word = field.words()[0];
            match known.map(|source| (places(source, header), source)) {
                Some((Ok(places), source)) => {
                    let name = label(source, header);
                    let value = match source {
                        Source::Constant { value } => Some(value.clone()),
                        _ => None,
                    };
                    columns.at.insert(field, ColumnPlace { columns: places, value, name });
                }
                _ if constant.is_some() => {
                    let value = constant.map(|(_, value)| value.clone());
                    let name = word.to_owned();
                    columns.at.insert(field, ColumnPlace { columns: Vec::new(), value, name });
                }
                Some((Err(name), _)) => {
                    let what = format!("the column {name:?} is missing");
                    let todo = format!("add it, or map another; there are: {}", header.join(", "));
                    let problem = Problem::error(Some(line), Some(&name), what, todo);
                    problems.push(if needed { problem } else { problem.warning() });
                }
                None if needed => {
                    let what = format!("no column is called {word:?} or alike");
                    let todo = format!(
                        "name it so, or map one of these (on the page, or with --mapping FILE.json): {}",
                        header.join(", ")
                    );
                    problems.push(Problem::error(Some(line), Some(word), what, todo));
                }
                None => {}
            }
        }
        if problems.iter().any(|problem| problem.severity == super::Severity::Error) {
            Err(problems)
        } else {
            Ok(columns)
        }
    }
}

/// The places of a source's columns from 0, or the name of the one that is missing.
fn places(source: &Source, header: &[String]) -> Result<Vec<usize>, String> {
    let place = |column: &Column| match column {
        Column::Header(name) => {
            let key = plain(name);
            let exact = header.iter().position(|it| it == name);
            let at = exact.or_else(|| header.iter().position(|it| plain(it) == key));
            at.filter(|_| !key.is_empty()).ok_or_else(|| name.clone())
        }
        Column::ColumnPlace(place) => {
            let at = place.checked_sub(1).filter(|&at| at < header.len());
            at.ok_or_else(|| format!("column {place}"))
        }
    };
    match source {
        Source::Column(column) => Ok(vec![place(column)?]),
        Source::Joined(columns) => columns.iter().map(place).collect(),
        Source::Constant { .. } => Ok(Vec::new()),
    }
}

/// Name of a source in problems.
fn label(source: &Source, header: &[String]) -> String {
    let column = |column: &Column| match column {
        Column::Header(name) => name.clone(),
        Column::ColumnPlace(place) => header.get(place - 1).cloned().unwrap_or_default(),
    };
    match source {
        Source::Column(one) => column(one),
        Source::Joined(several) => several.iter().map(column).collect::<Vec<_>>().join(" + "),
        Source::Constant { value } => value.clone(),
    }
}

/// Places of one file's columns.
pub(super) struct Columns {
    at: BTreeMap<Field, ColumnPlace>,
}

struct ColumnPlace {
    columns: Vec<usize>,
    value: Option<String>,
    name: String,
}

impl Columns {
    /// A field of a row.
    pub(super) fn text(&self, field: Field, fields: &[String]) -> Option<String> {
        let place = self.at.get(&field)?;
        if let Some(value) = &place.value {
            return Some(value.clone());
        }
        let parts = place.columns.iter().filter_map(|&at| fields.get(at).map(|it| it.trim()));
        Some(parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn has(&self, field: Field) -> bool {
        self.at.contains_key(&field)
    }

    /// Whether a column is read as something.
    pub(super) fn reads(&self, column: usize) -> bool {
        self.at.values().any(|place| place.columns.contains(&column))
    }

    /// Whether a column is read as a club, or not at all: its texts name no player.
    pub(super) fn is_remark(&self, column: usize) -> bool {
        let mut readers = self.at.iter().filter(|(_, place)| place.columns.contains(&column));
        readers.all(|(field, _)| *field == Field::Club)
    }

    pub(super) fn header(&self, field: Field) -> &str {
        self.at.get(&field).map_or(field.words()[0], |place| &place.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn text(columns: &Columns, field: Field, row: &[&str]) -> String {
        columns.text(field, &header(row)).unwrap_or_default()
    }

    #[test]
    fn columns_are_known_by_the_words_that_organisers_use() {
        let header = header(&["Rd", "Bd", " Team  A", "TEAM B", "Score"]);
        let mapping = Mapping::guess(&header, List::Pairings);
        let columns = mapping.resolve(&header, 1, List::Pairings, &[]).expect("all are there");
        let row = ["3", "7", "Oak", "Elm", "1-0"];
        let read = [Round, Board, First, Second, ResultField].map(|it| text(&columns, it, &row));
        assert_eq!(read, row);
    }

    #[test]
    fn a_remembered_mapping_names_the_column_that_is_gone() {
        let json = r#"{"columns":{"team":"Equipe","player":"Kid 1","partner":"Kid 2"}}"#;
        let mapping: Mapping = serde_json::from_str(json).expect("a mapping");
        let Err(problems) = mapping.resolve(&header(&["Equipe", "Kid 1"]), 1, List::Teams, &[])
        else {
            panic!("Kid 2 is missing")
        };
        assert_eq!(problems.len(), 1);
        assert!(problems[0].to_string().contains("\"Kid 2\""), "{}", problems[0]);
        let again = serde_json::to_string(&mapping).expect("JSON");
        assert_eq!(again, json, "the format of a header alone is what it was");
    }

    #[test]
    fn two_columns_make_a_name_and_a_second_one_of_a_name_the_partner() {
        let apart = header(&["First Name", "Last Name", "School"]);
        let mapping = Mapping::guess(&apart, List::Players);
        let columns = mapping.resolve(&apart, 1, List::Players, &[]).expect("a name");
        assert_eq!(text(&columns, Player, &["Ida", "Aster", "Oak"]), "Ida Aster");
        let twice = header(&["Team", "Name", "Grade", "Name", "Grade"]);
        let mapping = Mapping::guess(&twice, List::Teams);
        let columns = mapping.resolve(&twice, 1, List::Teams, &[]).expect("two names");
        assert_eq!(text(&columns, Partner, &["Oak", "Ida", "4", "Leo", "5"]), "Leo");
    }

    #[test]
    fn a_longer_header_is_read_where_it_ends_with_one_that_is_known() {
        let of = |names: &[&str], list| Mapping::guess(&header(names), list);
        let teams = of(&["Bughouse Team Name", "Player 1", "Player 2"], List::Teams);
        assert!(teams.is_complete(), "{teams:?}");
        for names in [&["Parent Full Name", "Kid"][..], &["My Team Name", "Old Team Name"]] {
            assert!(!of(names, List::Players).is_complete(), "{names:?}");
            assert!(!of(names, List::Teams).is_complete(), "{names:?}");
        }
    }

    #[test]
    fn a_mapping_has_places_joined_columns_and_constants() {
        let json = r#"{"columns":{"round":{"value":"3"},"first":[1,"Last"],"second":3}}"#;
        let mapping: Mapping = serde_json::from_str(json).expect("a mapping");
        let header = header(&["First", "Last", "Against"]);
        let columns = mapping.resolve(&header, 1, List::Pairings, &[]).expect("all are there");
        let row = ["Ida", "Aster", "Leo Birch"];
        let read = [Round, First, Second].map(|field| text(&columns, field, &row));
        assert_eq!(read, ["3", "Ida Aster", "Leo Birch"]);
    }
}
