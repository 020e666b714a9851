//! Lists that are kept empty: clauses without a story, and deeds without a clause.

use std::collections::{BTreeMap, BTreeSet};

use rules::rulebook::{BookId, ClaimKind, Clause, Finding, Offence, RuleClass};

/// Findings about our own sensors, which no rulebook knows.
const ABOUT_EQUIPMENT: [Finding; 3] =
    [Finding::SensorFault, Finding::BoardTurned, Finding::ClockTurned];

/// Clauses that the stories of one book cite, and deeds that they show.
#[derive(Default)]
struct StoryIndex {
    numbers: BTreeSet<String>,
    deeds: BTreeSet<(RuleClass, String)>,
}

impl StoryIndex {
    fn take(&mut self, numbers: &str, said: &str) {
        self.numbers.extend(numbers.split(", ").map(str::to_owned));
        let word =
            |text: &str| text.split([' ', ':']).next().map(str::to_owned).unwrap_or_default();
        let mut add = |class, text: &str| self.deeds.insert((class, word(text)));
        if let Some(finding) = said.strip_prefix("found ") {
            add(RuleClass::Detected, finding);
        } else if let Some(claim) = said.strip_prefix("claim ") {
            add(RuleClass::Assisted, claim);
        } else if let Some(entry) = said.strip_prefix("ledger: ") {
            let entry = match word(entry).as_str() {
                "ruled" => "ruling",
                "appealed" | "appeal" => "appeal",
                _ => entry,
            };
            add(RuleClass::Ledger, entry);
        } else {
            add(RuleClass::Configured, said);
        }
    }

    /// Whether the clause is cited, or everything that it does is shown.
    fn covers(&self, clause: &Clause) -> bool {
        let is_shown = |(class, code, _): (RuleClass, &str, &str)| {
            self.deeds.contains(&(class, code.to_owned()))
        };
        self.numbers.contains(clause.number) || clause.does.deeds().all(is_shown)
    }
}

/// Clauses and deeds that the stories show, by book.
fn shown() -> BTreeMap<String, StoryIndex> {
    let mut shown: BTreeMap<String, StoryIndex> = BTreeMap::new();
    for line in crate::stories().iter().flat_map(|story| &story.expected) {
        let Some((head, said)) = line.split_once(": ") else { continue };
        let Some((book, numbers)) = head.split_once(' ') else { continue };
        shown.entry(book.to_owned()).or_default().take(numbers, said);
    }
    shown
}

/// Whether the referee can act on a clause. Acts that directors enter (results, rulings, appeals) have their stories too.
fn does_something(clause: &Clause) -> bool {
    clause.does != rules::rulebook::Does::NOTHING
}

#[test]
fn every_clause_that_does_something_has_a_story() {
    let shown = shown();
    let mut without = Vec::new();
    for id in BookId::ALL {
        for clause in id.book().clauses.iter().filter(|clause| does_something(clause)) {
            if !shown.get(&id.to_string()).is_some_and(|shown| shown.covers(clause)) {
                without.push(format!("{id} {}", clause.number));
            }
        }
    }
    assert!(without.is_empty(), "{} clauses have no story:\n{}", without.len(), without.join("\n"));
}

#[test]
fn nothing_is_done_that_no_clause_names() {
    let clauses = || BookId::ALL.into_iter().flat_map(|id| id.book().clauses);
    let mut without: Vec<String> = Vec::new();
    for finding in Finding::ALL.iter().filter(|finding| !ABOUT_EQUIPMENT.contains(finding)) {
        if !clauses().any(|clause| clause.does.detects.contains(finding)) {
            without.push(format!("finding {finding}"));
        }
    }
    for kind in ClaimKind::ALL {
        if !clauses().any(|clause| clause.does.assists.contains(kind)) {
            without.push(format!("claim {kind}"));
        }
    }
    for offence in Offence::ALL {
        if !clauses().any(|clause| clause.does.keeps.contains(offence)) {
            without.push(format!("offence {offence}"));
        }
    }
    assert!(without.is_empty(), "no clause of any book names {}", without.join(", "));
}

#[test]
fn no_two_stories_have_the_same_heading_in_one_file() {
    let mut seen = BTreeSet::new();
    for story in crate::stories() {
        let place = story.place();
        let file = place.split(':').next().unwrap_or_default().to_owned();
        assert!(seen.insert((file, story.title.clone())), "{place}: told twice");
    }
}
