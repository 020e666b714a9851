//! The rulebooks that ship are whole and cite themselves correctly.

use std::collections::HashSet;

use rules::rulebook::{self, Penalty, RULEBOOKS, RuleClass, Rulebook};

/// The numbers of the book, from its table of rules.
const US_CHESS_BUGHOUSE_2018: &str = "1 2 3 4 5 6 7 8 8a 8b 8c 9 10 10a 10b 10c 11 12 13 14 14a 14b 14c \
     15 15a 15b 15c 15d 16 16a 16b 17 18 19 20 21 22 23 24";

fn book(id: &str) -> &'static Rulebook {
    rulebook::rulebook(id).expect("the book exists")
}

#[test]
fn every_rule_of_us_chess_bughouse_2018_is_there_in_order() {
    let numbers: Vec<&str> =
        book("us-chess-bughouse-2018").rules.iter().map(|rule| rule.number).collect();
    assert_eq!(numbers, US_CHESS_BUGHOUSE_2018.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn every_rule_says_what_it_is_and_what_the_system_does() {
    for book in RULEBOOKS {
        for rule in book.rules {
            assert!(!rule.heading.is_empty() && !rule.heading.ends_with('.'), "{}", rule.number);
            assert!(rule.text.ends_with('.') && rule.system.ends_with('.'), "{}", rule.number);
            assert!(!rule.classes.is_empty(), "{}", rule.number);
            assert!(!rule.text.contains("  ") && !rule.system.contains("  "), "{}", rule.number);
        }
    }
}

#[test]
fn every_fact_cites_a_rule_of_its_book() {
    for book in RULEBOOKS {
        let cited = [
            book.time_control.rule,
            book.completion.rule,
            book.illegal_move.loses.rule,
            book.illegal_move.window.rule,
            book.illegal_move.stands_unclaimed.rule,
            book.setup_claim.rule,
            book.long_clock_reducible.rule,
            book.swapped_castling.rule,
            book.passing.rule,
            book.waiting.rule,
            book.flag_claim.rule,
            book.king_capture_wins.rule,
            book.both_flags_draw.rule,
            book.td_calls.rule,
            book.insufficient_losing_chances.rule,
        ];
        let ladders = book.ladders.iter().map(|ladder| ladder.rule);
        let anomalies = book.anomaly_rules.iter().map(|&(_, rule)| rule);
        for number in cited.into_iter().chain(ladders).chain(anomalies) {
            assert!(book.rule(number).is_some(), "{} {number}", book.id);
        }
        let codes: HashSet<&str> = book.anomaly_rules.iter().map(|&(code, _)| code).collect();
        assert_eq!(codes.len(), book.anomaly_rules.len(), "a code stands twice");
    }
}

#[test]
fn rules_are_found_by_number_and_know_their_parts() {
    let book = book("us-chess-bughouse-2018");
    let rule = book.rule("8A").expect("rule 8a");
    assert_eq!((rule.number, rule.parent()), ("8a", Some("8")));
    assert_eq!(rule.classes, [RuleClass::Detected, RuleClass::Assisted]);
    let parts: Vec<&str> = book.parts("15").map(|part| part.number).collect();
    assert_eq!(parts, ["15a", "15b", "15c", "15d"]);
    assert_eq!(book.cite("8a"), "us-chess-bughouse-2018 8a");
    assert!(book.rule("25").is_none());
    assert!(rulebook::rulebook("no-such-book").is_none());
}

#[test]
fn penalties_climb_and_stay_on_the_last_step() {
    let book = book("us-chess-bughouse-2018");
    let ladder = book.ladders.iter().find(|it| it.offence == "clock-hand").expect("a ladder");
    let steps: Vec<Penalty> = (1..=4).filter_map(|count| ladder.step(count)).collect();
    let minute = Penalty::Time { penalty_s: 60 };
    assert_eq!(steps, [Penalty::Warning, minute, Penalty::LosesGame, Penalty::LosesGame]);
}
