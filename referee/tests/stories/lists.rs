//! Lists that are kept empty: clauses without a story, and deeds without a clause.

use std::collections::BTreeSet;

use rules::rulebook::{BookId, ClaimKind, Clause, Finding, Offence};

/// What is about our own sensors, which no rulebook knows.
const ABOUT_EQUIPMENT: [Finding; 1] = [Finding::SensorFault];

/// Book and number of every clause that a story cites.
fn cited() -> BTreeSet<(String, String)> {
    let mut cited = BTreeSet::new();
    for line in crate::stories().iter().flat_map(|story| &story.expected) {
        let Some((head, _)) = line.split_once(':') else { continue };
        let Some((book, numbers)) = head.split_once(' ') else { continue };
        cited.extend(numbers.split(", ").map(|number| (book.to_owned(), number.to_owned())));
    }
    cited
}

/// Whether the referee can do something about a clause. What directors enter (results, rulings, appeals) has its
/// stories too.
fn does_something(clause: &Clause) -> bool {
    clause.does != rules::rulebook::Does::NOTHING
}

#[test]
#[ignore = "kept empty once the stories are written"]
fn every_clause_that_does_something_has_a_story() {
    let cited = cited();
    let mut without = Vec::new();
    for id in BookId::ALL {
        for clause in id.book().clauses.iter().filter(|clause| does_something(clause)) {
            if !cited.contains(&(id.to_string(), clause.number.to_owned())) {
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
