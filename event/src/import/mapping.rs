//! Which column of a list is what: guessed from the header once, then remembered by the organiser.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Problem;

/// What a column may hold.
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
    BlackA, BlackB, Board, Club, First, Number, Partner, Player, Result as ResultField, Round,
    Second, Section, Table, Team, WhiteA, WhiteB,
};

impl List {
    /// The columns it must have.
    const fn needed(self) -> &'static [Field] {
        match self {
            List::Teams => &[Team, Player, Partner],
            List::Players => &[Player],
            List::Pairings => &[Round, First, Second],
            List::Results => &[Round, ResultField],
        }
    }

    /// The columns it may have beside these.
    const fn further(self) -> &'static [Field] {
        match self {
            List::Teams => &[Section, Number, Club],
            List::Players => &[Section, Number, Club],
            List::Pairings => &[Section, Table, Board, ResultField, WhiteA, BlackA, WhiteB, BlackB],
            List::Results => &[Section, Table, Board],
        }
    }
}

impl Field {
    /// Headers that organisers and their programmes use, in lower case, the plainest first.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Section => &["section", "sect", "division", "group"],
            Number => &["number", "no", "no.", "#", "pair", "pairing number", "pairno", "pair no"],
            Team => &["team", "team name", "pair name"],
            Player => {
                &["player 1", "player1", "player", "name", "player a", "first player", "member 1"]
            }
            Partner => &["player 2", "player2", "partner", "player b", "second player", "member 2"],
            Club => &["club", "school", "team code"],
            Round => &["round", "rd", "rnd"],
            Table => &["table", "tbl"],
            Board => &["board", "bd", "brd", "board number"],
            First => &["team 1", "team a", "first", "white", "team1", "home", "side 1"],
            Second => {
                &["team 2", "team b", "second", "black", "team2", "away", "side 2", "opponent"]
            }
            ResultField => &["result", "score", "res"],
            WhiteA => &["white a", "a white", "white on a", "white_a"],
            BlackA => &["black a", "a black", "black on a", "black_a"],
            WhiteB => &["white b", "b white", "white on b", "white_b"],
            BlackB => &["black b", "b black", "black on b", "black_b"],
        }
    }
}

/// Which header stands over what. As JSON: `{"columns":{"team":"Team name","player":"Kid 1"}}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The header of each column that is known.
    pub columns: BTreeMap<Field, String>,
}

impl Mapping {
    /// What the header's words suggest.
    pub(super) fn guess(header: &[String], list: List) -> Mapping {
        let mut columns = BTreeMap::new();
        for &field in list.needed().iter().chain(list.further()) {
            let named = field.words().iter().find_map(|word| {
                let free = |name: &&String| !columns.values().any(|taken| taken == *name);
                header.iter().filter(free).find(|name| plain(name) == *word)
            });
            if let Some(name) = named {
                columns.insert(field, name.clone());
            }
        }
        Mapping { columns }
    }

    /// Where the columns stand under this header.
    pub(super) fn resolve(&self, header: &[String], list: List) -> Result<Columns, Vec<Problem>> {
        let mut columns = Columns { at: BTreeMap::new() };
        let mut problems = Vec::new();
        for &field in list.needed().iter().chain(list.further()) {
            let needed = list.needed().contains(&field);
            let known = self.columns.get(&field);
            let at = known.and_then(|name| header.iter().position(|it| plain(it) == plain(name)));
            match (at, known) {
                (Some(at), Some(name)) => {
                    columns.at.insert(field, (at, name.clone()));
                }
                (None, Some(name)) if needed => {
                    let what = format!("the column {name:?} is missing");
                    let todo = format!("add it, or map another; there are: {}", header.join(", "));
                    problems.push(Problem::error(Some(1), Some(name), what, todo));
                }
                (None, None) if needed => {
                    let word = field.words()[0];
                    let what = format!("no column is called {word:?} or alike");
                    let todo = format!("name it so, or map one of: {}", header.join(", "));
                    problems.push(Problem::error(Some(1), Some(word), what, todo));
                }
                _ => {}
            }
        }
        if problems.is_empty() { Ok(columns) } else { Err(problems) }
    }
}

/// Where the columns of one file stand.
pub(super) struct Columns {
    at: BTreeMap<Field, (usize, String)>,
}

impl Columns {
    pub(super) fn index(&self, field: Field) -> Option<usize> {
        self.at.get(&field).map(|(at, _)| *at)
    }

    pub(super) fn header(&self, field: Field) -> &str {
        self.at.get(&field).map_or(field.words()[0], |(_, name)| name)
    }
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn columns_are_known_by_the_words_that_organisers_use() {
        let header = header(&["Rd", "Bd", " Team  A", "TEAM B", "Score"]);
        let mapping = Mapping::guess(&header, List::Pairings);
        let columns = mapping.resolve(&header, List::Pairings).expect("all are there");
        let at = [Round, Board, First, Second, ResultField].map(|field| columns.index(field));
        assert_eq!(at, [0, 1, 2, 3, 4].map(Some));
    }

    #[test]
    fn a_remembered_mapping_names_the_column_that_is_gone() {
        let json = r#"{"columns":{"team":"Equipe","player":"Kid 1","partner":"Kid 2"}}"#;
        let mapping: Mapping = serde_json::from_str(json).expect("a mapping");
        let Err(problems) = mapping.resolve(&header(&["Equipe", "Kid 1"]), List::Teams) else {
            panic!("Kid 2 is missing")
        };
        assert_eq!(problems.len(), 1);
        assert!(problems[0].to_string().contains("\"Kid 2\""), "{}", problems[0]);
        let again = serde_json::to_string(&mapping).expect("JSON");
        assert_eq!(serde_json::from_str::<Mapping>(&again).expect("its own text"), mapping);
    }
}
