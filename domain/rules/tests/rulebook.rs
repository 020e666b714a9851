//! The rulebooks are complete, in order, and cite nothing that does not exist.

use std::collections::BTreeSet;

use rules::{
    Game,
    rulebook::{
        BookId, ClaimKind, Clause, Entry, Finding, Ladder, Offence, Penalty, RuleClass, Rulebook,
        Setting, Topic, compare, comparison_page, terms::Touch,
    },
};

/// The numbers of each book, read off its source. Of the FIDE Laws they are the Articles that a table with sensors or its director meets.
const NUMBERS: [(BookId, &str); 11] = [
    (
        BookId::UsChessBughouse2018,
        "1, 2, 3, 4, 5, 6, 7, 8, 8a, 8b, 8c, 9, 10, 10a, 10b, 10c, 11, 12, 13, 14, 14a, 14b, 14c, 15, 15a, 15b, 15c, \
         15d, 16, 16a, 16b, 17, 18, 19, 20, 21, 22, 23, 24",
    ),
    (
        BookId::McscBughouse,
        "1, 2, 3, 4, 5, 6, 8, 8 I, 8 II, 8 III, 9, 10, 10 I, 10 II, 10 III, 11, 12, 13, 14, 14 I, 14 II, 14 III, \
         14 IV, 15, 15 I, 15 II, 15 III, 15 IV, 15 V, 15 VI, 16, 16 I, 16 II, 17, 18, 19, 20, 21, 22, 23, 24, 25",
    ),
    (
        BookId::UscfBughouse,
        "1, 2, 3, 4, 5, 6, 7, 8, 8a, 8b, 8c, 9, 10, 10a, 10b, 10c, 11, 12, 13, 14, 14a, 14b, 14c, 14d, 15, 15a, \
         15a1, 15a1a, 15a2, 15a3, 15a4, 15a5, 16, 16a, 16b, 17, 18, 19, 20, 21, 22, 23, 24",
    ),
    (
        BookId::NcBughouse,
        "1, 2, 3, 4, 5, 6, 7, 8, 8 I, 8 II, 8 III, 9, 10, 10 I, 10 II, 10 III, 11, 12, 13, 14, 14 I, 14 II, 14 III, \
         14 IV, 15, 15 I, 15 II, 15 III, 15 IV, 15 V, 15 VI, 16, 16 I, 16 II, 17, 18, 19, 20, 21, 22, 23, 24, 25",
    ),
    (
        BookId::UsChessBlitz2020,
        "1, 1a, 1b, 2, 2a, 2b, 2c, 3, 3a, 3b, 4, 5, 6, 6a, 6b, 6c, 6d, 6e, 7, 7a, 7b, 7c, 7d, 7e, 8, 8a, 8b, 8c, 8d, \
         8d tip 1, 8d tip 2, 8d tip 3, 8d tip 4, 8d tip 5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18",
    ),
    (
        BookId::NcBlitz,
        "1, 2, 3, 4, 5, 5 I, 5 II, 5 III, 5 IV, 6, 6 I, 6 II, 6 III, 6 IV, 6 V, 7, 8, 8 I, 8 II, 8 III, 8 IV, 8 V, \
         8 VI, 8 VII, 8 VIII, 8 IX, 9, 10, 11, 12, 13, 13 I, 13 II, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23",
    ),
    (
        BookId::NcScholastic,
        "1, 2, 3, 4, 5, 6, 7, 8, 8 I, 8 II, 8 III, 8 IV, 8 V, 8 VI, 8 VII, 8 VIII, 9, 10, 11, 12, 13, 14, 15, 16, 17, \
         18, 18 1, 18 1a, 18 1b, 18 2, 19, 20, clocks, clocks types, clocks controls, clocks 14H1, clocks 14H1 1, \
         clocks 14H1 2, clocks 14H1 3, clocks 14H1 4, clocks delay, clocks levels, clocks levels 1, clocks levels 2, \
         clocks levels 3, clocks default, clocks announcements, clocks 5Fa, clocks substitute, clocks periods, \
         clocks switching, clocks material, clocks counters, clocks withdrawal",
    ),
    (
        BookId::FideRapid2023,
        "4.3, 5.1.1, 5.1.2, 5.2.1, 5.2.2, 5.2.3, 6.2.1, 6.2.3, 6.2.4, 6.3, 6.5, 6.7.1, 6.8, 6.10.1, 6.10.2, \
         6.11.2, 6.12, 7.2.1, 7.3, 7.4, 7.5.1, 7.5.2, 7.5.3, 7.5.4, 7.5.5, 8.7, 9.2, 9.3, 9.5.3, 9.6, 11.5, \
         11.10, 12.6, 12.7, 12.8, 12.9, A.1, A.2, A.3, A.5, A.5.1, A.5.1.1, A.5.1.2, A.5.2, A.5.3, A.5.4, \
         A.5.5, A.6",
    ),
    (
        BookId::FideRapidSupervised2023,
        "4.3, 5.1.1, 5.1.2, 5.2.1, 5.2.2, 5.2.3, 6.2.1, 6.2.3, 6.2.4, 6.3, 6.5, 6.7.1, 6.8, 6.9, 6.10.1, \
         6.10.2, 6.11.2, 6.12, 7.2.1, 7.3, 7.4, 7.5.1, 7.5.2, 7.5.3, 7.5.4, 7.5.5, 8.7, 9.2, 9.3, 9.5.3, 9.6, \
         11.5, 11.10, 12.6, 12.7, 12.8, 12.9, A.1, A.2, A.3, A.4, A.4.3, A.6",
    ),
    (
        BookId::FideBlitz2023,
        "4.3, 5.1.1, 5.1.2, 5.2.1, 5.2.2, 5.2.3, 6.2.1, 6.2.3, 6.2.4, 6.3, 6.5, 6.7.1, 6.8, 6.10.1, 6.10.2, \
         6.11.2, 6.12, 7.2.1, 7.3, 7.4, 7.5.1, 7.5.2, 7.5.3, 7.5.4, 7.5.5, 8.7, 9.2, 9.3, 9.5.3, 9.6, 11.5, \
         11.10, 12.6, 12.7, 12.8, 12.9, A.2, A.3, A.5.1, A.5.1.1, A.5.1.2, A.5.2, A.5.3, A.5.4, A.5.5, B.1, \
         B.3, B.4",
    ),
    (
        BookId::FideBlitzSupervised2023,
        "4.3, 5.1.1, 5.1.2, 5.2.1, 5.2.2, 5.2.3, 6.2.1, 6.2.3, 6.2.4, 6.3, 6.5, 6.7.1, 6.8, 6.9, 6.10.1, \
         6.10.2, 6.11.2, 6.12, 7.2.1, 7.3, 7.4, 7.5.1, 7.5.2, 7.5.3, 7.5.4, 7.5.5, 8.7, 9.2, 9.3, 9.5.3, 9.6, \
         11.5, 11.10, 12.6, 12.7, 12.8, 12.9, B.1, B.2, B.2.2, B.2.3, B.4",
    ),
];

fn books() -> impl Iterator<Item = &'static Rulebook> {
    BookId::ALL.into_iter().map(BookId::book)
}

fn clauses() -> impl Iterator<Item = (&'static Rulebook, &'static Clause)> {
    books().flat_map(|book| book.clauses.iter().map(move |clause| (book, clause)))
}

#[test]
fn every_rule_of_every_source_is_there_in_its_order() {
    for (id, numbers) in NUMBERS {
        let found: Vec<&str> = id.book().clauses.iter().map(|clause| clause.number).collect();
        assert_eq!(found, numbers.split(", ").collect::<Vec<_>>(), "{id}");
    }
}

#[test]
fn every_clause_is_about_something_or_part_of_one_that_is() {
    for (book, clause) in clauses() {
        let cite = book.cited(clause);
        let is_part = book
            .clauses
            .iter()
            .any(|other| clause.is_part_of(other.number) && !other.topics.is_empty());
        assert!(!clause.topics.is_empty() || is_part, "{cite}");
        assert!(clause.text.ends_with('.') && !clause.text.contains("  "), "{cite}");
    }
}

#[test]
fn no_topic_stands_twice_in_a_book() {
    for book in books() {
        let mut seen = BTreeSet::new();
        for topic in book.clauses.iter().flat_map(|clause| clause.topics) {
            assert!(seen.insert(topic), "{}: {topic} stands twice", book.id);
        }
    }
}

#[test]
fn every_topic_stands_in_some_book() {
    for topic in Topic::ALL {
        assert!(books().any(|book| book.on(*topic).is_some()), "{topic}");
    }
}

#[test]
fn everything_that_can_be_done_is_named_by_some_clause() {
    let named = |code: &str, class: RuleClass| {
        clauses()
            .any(|(_, clause)| clause.does.deeds().any(|deed| (deed.0, deed.1) == (class, code)))
    };
    // No book has a rule about a sensor and its labels.
    let without_rule = [Finding::SensorFault, Finding::BoardTurned, Finding::ClockTurned];
    for finding in Finding::ALL {
        let expected = !without_rule.contains(finding);
        assert_eq!(named(finding.code(), RuleClass::Detected), expected, "{finding}");
    }
    for kind in ClaimKind::ALL {
        assert!(named(kind.code(), RuleClass::Assisted), "{kind}");
    }
    for offence in Offence::ALL {
        assert!(named(offence.code(), RuleClass::Ledger), "{offence}");
    }
    for entry in Entry::ALL {
        assert!(named(entry.code(), RuleClass::Ledger), "{entry}");
    }
    for setting in Setting::ALL {
        assert!(named(setting.code(), RuleClass::Configured), "{setting}");
    }
}

/// With the topic's own clause missing, only one clause may be meant.
#[test]
fn what_a_clause_names_is_cited_without_ambiguity() {
    for book in books() {
        let meant = |topic: Topic, names: &dyn Fn(&Clause) -> bool| {
            let naming: Vec<&str> =
                book.clauses.iter().filter(|it| names(it)).map(|it| it.number).collect();
            let is_home = book.on(topic).is_some_and(names);
            assert!(is_home || naming.len() < 2, "{}: {topic} is cited by {naming:?}", book.id);
        };
        for finding in Finding::ALL {
            meant(finding.topic(), &|clause| clause.does.detects.contains(finding));
        }
        for kind in ClaimKind::ALL {
            meant(kind.topic(), &|clause| clause.does.assists.contains(kind));
        }
        for offence in Offence::ALL {
            meant(offence.topic(), &|clause| clause.does.keeps.contains(offence));
        }
    }
}

#[test]
fn every_offence_on_a_ladder_is_kept_by_a_clause() {
    for book in books() {
        for Ladder { offence, steps } in book.terms.ladders {
            assert!(
                book.offence(*offence).is_some() && !steps.is_empty(),
                "{}: {offence}",
                book.id
            );
            let same = book.terms.ladders.iter().filter(|it| it.offence == *offence);
            assert_eq!(same.count(), 1, "{}: {offence} stands twice", book.id);
        }
    }
}

#[test]
fn clauses_are_found_by_number_and_know_their_parts() {
    let numbers = |book: BookId, number: &str| -> Vec<&str> {
        book.book().parts(number).map(|part| part.number).collect()
    };
    let uscf = BookId::UscfBughouse;
    assert_eq!(uscf.book().clause("15A1A").map(|it| it.number), Some("15a1a"));
    assert_eq!(numbers(uscf, "15a"), ["15a1", "15a1a", "15a2", "15a3", "15a4", "15a5"]);
    assert_eq!(numbers(uscf, "15a1"), ["15a1a"]);
    assert_eq!(numbers(uscf, "1"), [""; 0]);
    assert_eq!(numbers(BookId::McscBughouse, "8"), ["8 I", "8 II", "8 III"]);
    assert_eq!(numbers(BookId::McscBughouse, "8 I"), [""; 0]);
    assert_eq!(numbers(BookId::NcScholastic, "18 1"), ["18 1a", "18 1b"]);
    assert_eq!(numbers(BookId::UsChessBlitz2020, "8d").len(), 5);
    assert!(uscf.book().clause("25").is_none());
}

#[test]
fn a_rule_without_deeds_of_its_own_has_the_classes_of_its_parts() {
    let book = BookId::NcBughouse.book();
    let classes = |number| book.classes(book.clause(number).expect("a rule"));
    assert_eq!(classes("19"), [RuleClass::Human]);
    assert_eq!(classes("15"), [RuleClass::Detected, RuleClass::Assisted, RuleClass::Ledger]);
    assert_eq!(classes("20"), [RuleClass::Ledger, RuleClass::Configured]);
}

#[test]
fn a_book_is_read_by_its_id_and_an_unknown_word_names_those_that_exist() {
    for id in BookId::ALL {
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.book().id, id);
    }
    let message = "house-rules".parse::<BookId>().expect_err("no book").to_string();
    assert!(BookId::ALL.iter().all(|id| message.contains(id.name())), "{message}");
    assert!(message.contains("house-rules"), "{message}");
}

#[test]
fn a_rule_is_cited_by_book_and_number() {
    let cited = |book: BookId, topic| book.book().cite(topic).map(|cite| cite.to_string());
    let lapsed = cited(BookId::UsChessBughouse2018, Topic::IllegalClaimLapses);
    assert_eq!(lapsed.as_deref(), Some("us-chess-bughouse-2018 8a"));
    assert_eq!(cited(BookId::NcBlitz, Topic::Waiting), None);
}

#[test]
fn codes_are_those_of_the_file_formats() {
    let codes: Vec<&str> = Finding::ALL[..23].iter().map(|finding| finding.code()).collect();
    assert_eq!(
        codes.join(" "),
        "illegal-move touch-move clock-hand early-press missed-press press-without-move double-press out-of-turn \
         early-pass hidden-piece displaced-pieces press-after-displacing clock-knocked-over clock-hover clock-set-wrong \
         clock-jump clock-drift flag-fallen both-flags setup-wrong board-turned clock-turned sensor-fault" // The order is the one of the declaration.
    );
    for finding in Finding::ALL {
        assert_eq!(Finding::from_code(finding.code()), Some(*finding));
    }
    assert_eq!(Finding::from_code("flag"), None);
}

#[test]
fn findings_are_cited_under_the_clause_that_is_about_them() {
    let cited = |book: BookId, finding| book.book().finding(finding).map(|clause| clause.number);
    use BookId::*;
    assert_eq!(cited(UsChessBughouse2018, Finding::IllegalMove), Some("8"));
    assert_eq!(cited(UsChessBlitz2020, Finding::IllegalMove), Some("7d"));
    assert_eq!(cited(NcBlitz, Finding::IllegalMove), Some("6 IV"));
    assert_eq!(cited(NcScholastic, Finding::IllegalMove), Some("5"));
    assert_eq!(cited(FideBlitz2023, Finding::IllegalMove), Some("7.5.1"));
    assert_eq!(cited(FideBlitz2023, Finding::FlagFallen), Some("A.5.3"));
    assert_eq!(cited(FideBlitzSupervised2023, Finding::PressWithoutMove), Some("7.5.3"));
    assert_eq!(cited(UscfBughouse, Finding::BlockableCheck), Some("15a1a"));
    assert_eq!(cited(McscBughouse, Finding::KingCaptured), Some("15 V"));
    assert_eq!(cited(NcBlitz, Finding::BlockableCheck), None);
    assert_eq!(cited(NcScholastic, Finding::SensorFault), None);
}

#[test]
fn penalties_climb_and_stay_on_the_last_step() {
    let ladder = |book: BookId, offence| book.book().ladder(offence).expect("a ladder");
    let hand = ladder(BookId::NcBlitz, Offence::ClockHand);
    let steps: Vec<Penalty> = (1..=4).filter_map(|count| hand.step(count)).collect();
    let minute = Penalty::Time { penalty_s: 60 };
    assert_eq!(steps, [Penalty::Warning, minute, Penalty::LosesGame, Penalty::LosesGame]);
    let touched = ladder(BookId::UsChessBlitz2020, Offence::TouchMove);
    assert_eq!(touched.step(1), Some(Penalty::TimeToOpponent { opponent_s: 60 }));
    assert!(BookId::NcScholastic.book().ladder(Offence::ClockHand).is_none());
}

#[test]
fn bughouse_books_have_partners_and_single_boards_have_none() {
    for book in books() {
        let has_partner = book.on(Topic::Passing).is_some();
        assert_eq!(book.terms.game == Game::Bughouse, has_partner, "{}", book.id);
    }
}

/// Values that a book does not rule: it refers to the rules of chess for them, or nothing may be done that it does not name.
const NOT_IN_THE_BOOK: [(BookId, Topic); 9] = [
    (BookId::UsChessBlitz2020, Topic::TdCalls),
    (BookId::NcScholastic, Topic::Completion),
    (BookId::NcScholastic, Topic::Stalemate),
    (BookId::NcScholastic, Topic::Drawing),
    (BookId::NcBlitz, Topic::FiftyMoves),
    (BookId::FideRapid2023, Topic::LosingChances),
    (BookId::FideRapidSupervised2023, Topic::LosingChances),
    (BookId::FideBlitz2023, Topic::LosingChances),
    (BookId::FideBlitzSupervised2023, Topic::LosingChances),
];

#[test]
fn every_value_of_a_book_has_a_clause_on_its_topic() {
    for book in books() {
        for topic in Topic::ALL {
            let is_ruled = book.on(*topic).is_some();
            let value = book.terms.value(*topic);
            let expected = !NOT_IN_THE_BOOK.contains(&(book.id, *topic));
            assert!(value.is_none() || is_ruled == expected, "{}: {topic}: {value:?}", book.id);
        }
    }
}

#[test]
fn books_differ_where_their_sources_do() {
    let differing = |one: BookId, other: BookId| -> Vec<Topic> {
        let says = |cell: &rules::rulebook::TopicCell| (cell.value.clone(), cell.ladders.clone());
        compare(&[one, other])
            .into_iter()
            .filter(|row| says(&row.cells[0]) != says(&row.cells[1]))
            .map(|row| row.topic)
            .collect()
    };
    let (us_chess, uscf) = (BookId::UsChessBughouse2018, BookId::UscfBughouse);
    assert_eq!(
        differing(us_chess, uscf),
        [
            Topic::Hiding,
            Topic::Partners,
            Topic::Waiting,
            Topic::IllegalClaim,
            Topic::Displaced,
            Topic::TdCalls
        ]
    );
    assert_eq!(
        differing(uscf, BookId::McscBughouse),
        [Topic::Delay, Topic::BringClock, Topic::Completion, Topic::TouchMove, Topic::Promotion]
    );
    assert_eq!(
        differing(uscf, BookId::NcBughouse),
        [Topic::Delay, Topic::Completion, Topic::TouchMove, Topic::IllegalClaim]
    );
}

#[test]
fn the_page_of_differences_in_docs_is_what_the_books_say() {
    assert!(
        comparison_page(&BookId::ALL) == include_str!("../../../docs/rulebooks.md"),
        "write it again: cargo run -- rulebook --compare --markdown > docs/rulebooks.md"
    );
}

#[test]
fn claims_are_cited_under_the_clause_they_are_made_by() {
    let cited = |kind: ClaimKind| -> Vec<&str> {
        let number = |id: BookId| id.book().claim(kind).map_or("", |clause| clause.number);
        BookId::ALL.map(number).to_vec()
    };
    assert_eq!(
        cited(ClaimKind::IllegalPly),
        ["15d", "15 V", "15a4", "15 V", "7d", "6 IV", "5", "A.5.2", "7.5.1", "A.5.2", "7.5.1"]
    );
    assert_eq!(
        cited(ClaimKind::FlagFall),
        ["15c", "15 IV", "15a3", "15 IV", "7c", "6 III", "2", "A.5.3", "6.9", "A.5.3", "6.9"]
    );
    assert_eq!(
        cited(ClaimKind::SetUp),
        ["8b", "8 II", "8b", "8 II", "3", "2", "", "7.2.1", "7.2.1", "7.2.1", "7.2.1"]
    );
    assert_eq!(
        cited(ClaimKind::TouchMove),
        ["", "", "", "6", "10", "15", "4", "4.3", "4.3", "4.3", "4.3"]
    );
    assert_eq!(cited(ClaimKind::DrawnEnding), ["", "", "", "", "", "8", "", "", "", "", ""]);
    assert_eq!(
        cited(ClaimKind::Material),
        ["", "", "", "", "8d", "8 VI", "clocks material", "A.5.3", "6.9", "A.5.3", "6.9"]
    );
    assert_eq!(
        cited(ClaimKind::LosingChances),
        ["", "", "", "", "8d", "", "clocks 14H1", "", "", "", ""]
    );
}

#[test]
fn offences_are_cited_under_the_clause_they_are_against() {
    let cited = |offence: Offence| -> Vec<&str> {
        let number = |id: BookId| id.book().offence(offence).map_or("", |clause| clause.number);
        BookId::ALL.map(number).to_vec()
    };
    assert_eq!(
        cited(Offence::ClockKnockedOver),
        ["14a", "14 II", "14b", "14 II", "6b", "5 II", "", "6.2.4", "6.2.4", "6.2.4", "6.2.4"]
    );
    assert_eq!(cited(Offence::BoardsSwitched), ["", "3", "", "", "", "", "", "", "", "", ""]);
    assert_eq!(cited(Offence::AskedForDraw), ["", "", "", "", "", "13 II", "", "", "", "", ""]);
    assert_eq!(
        cited(Offence::WrongDrawClaim),
        ["", "", "", "", "", "", "12", "9.5.3", "9.5.3", "9.5.3", "9.5.3"]
    );
}

#[test]
fn touching_a_piece_binds_where_a_book_says_so() {
    let binds = |touch| !matches!(touch, Touch::NotRuled | Touch::ReleasedStays);
    let binding: Vec<BookId> =
        BookId::ALL.into_iter().filter(|id| binds(id.book().terms.touch)).collect();
    let expected: Vec<BookId> = [BookId::NcBughouse]
        .into_iter()
        .chain(BookId::ALL.into_iter().filter(|id| id.book().terms.game == Game::Chess))
        .collect();
    assert_eq!(binding, expected);
    for id in BookId::ALL {
        let is_found = id.book().finding(Finding::TouchMove).is_some();
        assert_eq!(is_found, binding.contains(&id), "{id}");
    }
}

#[test]
fn a_clause_is_headed_by_its_topics() {
    let heading = |id: BookId, number| id.book().clause(number).expect("a rule").heading();
    assert_eq!(heading(BookId::UsChessBughouse2018, "15a"), "Mate, waiting");
    assert_eq!(heading(BookId::UscfBughouse, "15a"), "");
    assert_eq!(heading(BookId::NcBughouse, "19"), "Directors and clocks");
}

#[test]
fn what_is_found_claimed_or_done_wrong_is_at_home_in_some_clause() {
    let is_home = |topic: Topic, names: &dyn Fn(&Clause) -> bool| {
        books().any(|book| {
            let home = book.on(topic);
            let parts = home.into_iter().flat_map(|clause| book.parts(clause.number));
            home.into_iter().chain(parts).any(names)
        })
    };
    let about_sensors = [Finding::SensorFault, Finding::BoardTurned, Finding::ClockTurned];
    for finding in Finding::ALL.iter().filter(|finding| !about_sensors.contains(finding)) {
        let names = |clause: &Clause| clause.does.detects.contains(finding);
        assert!(is_home(finding.topic(), &names), "{finding}");
    }
    for kind in ClaimKind::ALL {
        let names = |clause: &Clause| clause.does.assists.contains(kind);
        assert!(is_home(kind.topic(), &names), "{kind}");
    }
    for offence in Offence::ALL {
        let names = |clause: &Clause| clause.does.keeps.contains(offence);
        assert!(is_home(offence.topic(), &names), "{offence}");
    }
}
