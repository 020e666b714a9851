//! The bughouse books differ in the judgment of one and the same match exactly on the topics of the comparison.
//!
//! All four books judge the matches of `stories/matches/`. Each difference between two books' judgments is traced to its topic. The
//! topics are those of the rows of `docs/rulebooks.md` in which the two books differ.

use std::collections::{BTreeMap, BTreeSet};

use rules::{
    Game,
    rulebook::{BookId, ClaimKind, Finding, Offence, Setting, Topic, TopicCell, compare},
};

/// Topics on which books differ and nothing in a match shows it, each with the reason.
const NOT_IN_A_MATCH: [(Topic, &str); 5] = [
    (Topic::ClockPreference, "which clock is taken is settled before the match"),
    (Topic::Promotion, "what stands for a promoted pawn is up to the players"),
    (Topic::Hiding, "the tray that misses a piece is the same, whoever captured it"),
    (Topic::Waiting, "a player who lets time run does nothing that could be judged"),
    (Topic::Everything, "what a book leaves open is not judged"),
];

/// Suffix of a line for a silent alert.
const SILENT: &str = ", silent";

/// Lines of a match under one book, without the numbers of clauses: topic and words.
type Said = BTreeSet<(Topic, String)>;

fn bughouse() -> Vec<BookId> {
    BookId::ALL.into_iter().filter(|id| id.book().terms.game == Game::Bughouse).collect()
}

/// The topic of a line; `None` if the line only follows from another line.
fn topic(book: BookId, numbers: &str, said: &str) -> Option<Topic> {
    let word = |text: &str| text.split([' ', ':']).next().unwrap_or_default().to_owned();
    if let Some(finding) = said.strip_prefix("found ") {
        return Finding::from_code(&word(finding)).map(Finding::topic);
    }
    if let Some(claim) = said.strip_prefix("claim ") {
        return ClaimKind::from_code(&word(claim)).map(ClaimKind::topic);
    }
    if let Some(entry) = said.strip_prefix("ledger: ")
        && let Some(offence) = Offence::from_code(&word(entry))
    {
        return Some(offence.topic());
    }
    // A ruling follows from the claim that it is on.
    if said.starts_with("ledger: ruled") {
        return None;
    }
    match Setting::from_code(&word(said)) {
        Some(Setting::TimeControl) => return Some(Topic::Delay),
        Some(Setting::TdCalls | Setting::SilentAlerts) => return Some(Topic::TdCalls),
        _ if said.starts_with("not allowed: td_calls") => return Some(Topic::TdCalls),
        _ => {}
    }
    let number = numbers.split(", ").next()?;
    book.book().clause(number)?.topics.first().copied()
}

/// The plies that took a king, as lines name them: `, ply 13`.
fn kings_taken(lines: &[String]) -> Vec<String> {
    let taken = lines.iter().filter(|line| line.contains(": found king-captured"));
    taken.filter_map(|line| line.find(", ply ").map(|at| line[at..].to_owned())).collect()
}

/// Lines of the matches, by match and book.
fn said() -> BTreeMap<String, BTreeMap<BookId, Said>> {
    let mut matches: BTreeMap<String, BTreeMap<BookId, Said>> = BTreeMap::new();
    for story in crate::stories().iter().filter(|story| story.place().starts_with("matches/")) {
        let books = matches.entry(story.title.clone()).or_default();
        let taken = kings_taken(&story.expected);
        for line in &story.expected {
            let (head, words) = line.split_once(": ").expect("a line of a says block");
            let (book, numbers) = head.split_once(' ').expect("a book and its numbers");
            let book: BookId = book.parse().expect("a book");
            let said = books.entry(book).or_default();
            if let Some(topic) = topic(book, numbers, words) {
                // A book's rule about directors' calls is separate from its rule about the finding.
                let is_called =
                    [Topic::IllegalPly, Topic::FlagClaim, Topic::BothFlags].contains(&topic);
                if is_called && words.contains(SILENT) {
                    said.insert((Topic::TdCalls, SILENT.to_owned()));
                }
                let words = if is_called { words.replace(SILENT, "") } else { words.to_owned() };
                let (what, claim) = match words.split_once(", claim") {
                    Some((what, claim)) if topic == Topic::IllegalPly => (what, claim),
                    _ => (words.as_str(), ""),
                };
                // Whether a king may be taken in claim decides what the taking is, and whether the ply before was claimed.
                let is_king_taken = taken.iter().any(|ply| what.ends_with(ply.as_str()));
                let topic = if is_king_taken { Topic::IllegalClaim } else { topic };
                let clause = if numbers == "-" { " (no clause)" } else { "" };
                said.insert((topic, format!("{what}{clause}")));
                if !claim.is_empty() {
                    said.insert((Topic::IllegalClaim, words.clone()));
                }
            }
        }
    }
    matches
}

/// Whether two books' cells on a topic differ, as the comparison shows it. The classes belong to the whole clause, which may cover
/// other topics too.
fn differ(one: &TopicCell, other: &TopicCell) -> bool {
    one.words() != other.words() || one.is_empty() != other.is_empty()
}

#[test]
fn a_match_is_judged_differently_exactly_where_the_comparison_says() {
    let matches = said();
    assert!(matches.len() >= 10, "{} matches", matches.len());
    let books = bughouse();
    let mut stated_anywhere: BTreeSet<Topic> = BTreeSet::new();
    let mut seen: BTreeSet<Topic> = BTreeSet::new();
    for (index, &one) in books.iter().enumerate() {
        for &other in &books[index + 1..] {
            let rows = compare(&[one, other]);
            let stated: BTreeSet<Topic> = rows
                .iter()
                .filter(|row| differ(&row.cells[0], &row.cells[1]))
                .map(|row| row.topic)
                .collect();
            for (title, said) in &matches {
                let differing = said[&one].symmetric_difference(&said[&other]);
                for (topic, words) in differing {
                    assert!(
                        stated.contains(topic),
                        "{title}: {one} and {other} differ on {topic:?}, and the comparison does not say so: {words}"
                    );
                    seen.insert(*topic);
                }
            }
            stated_anywhere.extend(stated);
        }
    }
    let excepted: BTreeSet<Topic> = NOT_IN_A_MATCH.iter().map(|(topic, _)| *topic).collect();
    let needless: Vec<&Topic> = excepted
        .iter()
        .filter(|topic| seen.contains(topic) || !stated_anywhere.contains(topic))
        .collect();
    assert!(needless.is_empty(), "these need no exception: {needless:?}");
    let left: Vec<&Topic> = stated_anywhere
        .iter()
        .filter(|topic| !seen.contains(topic) && !excepted.contains(topic))
        .collect();
    assert!(left.is_empty(), "the comparison says more than any match shows: {left:?}");
}
