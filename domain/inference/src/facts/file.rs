//! Facts files: JSON Lines, one fact a line.

use super::{Fact, Facts, line::Line};

/// Maximum number of facts of one match. A file with more is refused. Bound: on memory and work.
pub const MAX_FACTS: usize = 1_000;

/// A line of a facts file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct FactError {
    /// Line number, from 1.
    pub line: usize,
    /// The mistake and its cure.
    pub reason: String,
}

/// The lines of a facts file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactsFile {
    /// Each with its number and the match it names.
    lines: Vec<(usize, Option<String>, Fact)>,
}

impl FactsFile {
    /// Reads a file. Blank lines are ignored.
    ///
    /// # Errors
    ///
    /// Every line that is no fact, and the first line beyond [`MAX_FACTS`].
    pub fn read(bytes: &[u8]) -> Result<FactsFile, Vec<FactError>> {
        let (mut file, mut errors) = (FactsFile::default(), Vec::new());
        for (index, text) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let text = text.trim_ascii();
            if text.is_empty() {
                continue;
            }
            let line = index + 1;
            if file.lines.len() == MAX_FACTS {
                let reason = format!(
                    "there are more than {MAX_FACTS} facts: give the matches files of their own"
                );
                errors.push(FactError { line, reason });
                break;
            }
            let parsed = serde_json::from_slice::<Line>(text).map_err(|error| {
                format!("this is no fact such as {{\"kind\":\"fact\",\"ply\":17,\"uci\":\"N@e6\"}}: {error}")
            });
            match parsed.and_then(|line| Ok((line.match_id.clone(), line.fact()?))) {
                Ok((match_id, fact)) => file.lines.push((line, match_id, fact)),
                Err(reason) => errors.push(FactError { line, reason }),
            }
        }
        if errors.is_empty() { Ok(file) } else { Err(errors) }
    }

    /// The facts that name this match, and the facts that name no match.
    #[must_use]
    pub fn of(&self, match_id: &str) -> Facts {
        let about = |named: &Option<String>| named.as_ref().is_none_or(|named| named == match_id);
        let facts = self.lines.iter().filter(|(_, named, _)| about(named));
        facts.map(|(_, _, fact)| fact.clone()).collect()
    }

    /// The number of the first line that names no match.
    #[must_use]
    pub fn first_unnamed(&self) -> Option<usize> {
        self.lines.iter().find(|(_, named, _)| named.is_none()).map(|(line, _, _)| *line)
    }

    /// The matches that are named, each with the number of a line.
    pub fn named(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().filter_map(|(line, named, _)| Some((*line, named.as_deref()?)))
    }
}

#[cfg(test)]
mod tests {
    use rules::{BoardId, Color, Role};

    use super::*;
    use crate::facts::{MatchResult, Said};

    fn read(text: &str) -> Facts {
        FactsFile::read(text.as_bytes()).unwrap_or_else(|errors| panic!("{errors:?}")).of("g1")
    }

    fn read_one(text: &str) -> Fact {
        let facts = read(text);
        assert_eq!(facts.len(), 1);
        facts.iter().next().expect("one").clone()
    }

    fn refused(text: &str) -> String {
        let errors = FactsFile::read(text.as_bytes()).expect_err("no fact");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_kind_of_fact_is_read_and_told_in_words() {
        let text = r#"{"kind":"fact","ply":17,"uci":"N@e6"}
{"kind":"fact","board":"A","side":"white","t_us":81200000,"not":["N@e6","B@e6"]}
{"kind":"fact","ply":17,"piece":"N"}
{"kind":"fact","ply":17,"drop":true,"to":"e6"}
{"kind":"fact","ply":18,"made":false}
{"kind":"fact","ply":19,"made":true}
{"kind":"fact","final":{"A":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qn]","B":"[PPp]"}}
{"kind":"fact","result":"mate","board":"A","side":"black"}
{"kind":"fact","result":"resigns"}
{"kind":"fact","result":"decided"}
{"kind":"fact","board":"A","t_us":81200000,"per_move":{"delay_s":5,"delay":"bronstein"}}
{"kind":"fact","board":"B","t_us":81200000,"per_move":{"increment_s":2,"delay_s":0}}
"#;
        let told = [
            "ply 17 was N@e6",
            "the ply of board A at 81200000 us was not N@e6 was not B@e6",
            "ply 17 gave a N",
            "ply 17 was a drop went to e6",
            "ply 18 was not made",
            "ply 19 was made",
            "board A ended as rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qn], board B ended as [PPp]",
            "the result was mate on board A against Black",
            "the result was a resignation",
            "the match was decided without a ply",
            "the clock of board A was given another delay: 5 s Bronstein delay",
            "the clock of board B was given another delay: 2 s increment",
        ];
        let read: Vec<String> = read(text).iter().map(ToString::to_string).collect();
        assert_eq!(read, told);
    }

    #[test]
    fn a_fact_says_what_its_line_says() {
        let Fact::Ply(fact) = read_one(r#"{"kind":"fact","ply":3,"not":"N@e6","piece":"b"}"#)
        else {
            panic!("about a ply")
        };
        assert_eq!(fact.ply, Some(3));
        let not = vec!["N@e6".parse().expect("a ply")];
        assert_eq!(fact.said, Said { not, piece: Some(Role::Bishop), ..Said::default() });
        let Fact::Ending(ending) = read_one(r#"{"kind":"fact","result":"mate","side":"black"}"#)
        else {
            panic!("about the end")
        };
        let black = Some(Color::Black);
        assert_eq!((ending.result, ending.board, ending.side), (MatchResult::Mate, None, black));
        let Fact::Final(end) = read_one(r#"{"kind":"fact","final":{"B":"[Qn]"}}"#) else {
            panic!("about the end")
        };
        assert!(end.boards[&BoardId::B].reserves.is_some());
    }

    #[test]
    fn facts_about_other_matches_are_passed_over() {
        let text = concat!(
            r#"{"kind":"fact","match":"g2","ply":1,"uci":"e2e4"}"#,
            "\n\n",
            r#"{"kind":"fact","match":"g1","ply":2,"uci":"e7e5"}"#
        );
        assert_eq!(read(text).len(), 1);
        let file = FactsFile::read(text.as_bytes()).expect("facts");
        assert_eq!((file.named().next(), file.first_unnamed()), (Some((1, "g2")), None));
    }

    #[test]
    fn every_line_that_is_no_fact_is_named_with_what_to_do() {
        let errors = refused("{\"kind\":\"fact\"}\n{\"kind\":\"fact\",\"ply\":1}\nnonsense");
        let lines: Vec<&str> = errors.lines().collect();
        assert!(lines[0].starts_with("line 1: it names no ply: give \"ply\""), "{}", lines[0]);
        assert!(lines[1].starts_with("line 2: it says nothing about the ply"), "{}", lines[1]);
        assert!(lines[2].starts_with("line 3: this is no fact such as"), "{}", lines[2]);
        let error = refused(r#"{"kind":"fact","ply":1,"uci":"N@e9"}"#);
        assert!(error.contains("N@e9"), "{error}");
        let error = refused(r#"{"kind":"fact","ply":1,"colour":"white"}"#);
        assert!(error.contains("colour"), "{error}");
        let error = refused(r#"{"kind":"fact","final":{"A":"8/8"}}"#);
        assert!(error.contains("final board A: the placement has 2 ranks"), "{error}");
        let error = refused(r#"{"kind":"fact","ply":1,"uci":"e2e4","result":"mate"}"#);
        assert!(error.contains("give each a line"), "{error}");
    }

    #[test]
    fn a_delay_without_its_board_or_beside_something_else_is_refused() {
        let error = refused(r#"{"kind":"fact","t_us":5,"per_move":{"delay_s":5}}"#);
        assert!(error.contains("give \"board\" and \"t_us\""), "{error}");
        let error = refused(
            r#"{"kind":"fact","board":"A","t_us":5,"uci":"e2e4","per_move":{"delay_s":5}}"#,
        );
        assert!(error.contains("give each a line"), "{error}");
        let error = refused(
            r#"{"kind":"fact","board":"A","t_us":5,"per_move":{"delay_s":5,"increment_s":2}}"#,
        );
        assert!(error.contains("exclude each other"), "{error}");
    }

    #[test]
    fn a_file_with_more_facts_than_any_match_needs_is_refused() {
        let text = "{\"kind\":\"fact\",\"ply\":1,\"uci\":\"e2e4\"}\n".repeat(MAX_FACTS + 5);
        assert!(refused(&text).starts_with("line 1001: there are more than 1000 facts"));
    }
}
