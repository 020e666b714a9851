//! The rulebook of each match, and the agreements with its players.
//!
//! The event's configuration and the hub's both name a book. The configuration decides, because it is what was
//! announced: first the table's own line, then its section's, then the event's. Where it names no book for the game that
//! is played, the hub's book is taken. Where the two name different books, directors get a notice.

use std::collections::BTreeMap;

use event::SectionTerms;
use rules::{
    Game, TimeControl,
    rulebook::{
        BookId,
        terms::{LosingChances, TdCalls},
    },
};

use super::Config;

/// Settings of one place of the configuration.
#[derive(Clone, Debug)]
struct JudgingSettings {
    /// Its name in the file, such as `section[2]`.
    place: String,
    rulebook: Option<BookId>,
    td_calls: Option<bool>,
    losing_chances: Option<bool>,
}

/// Answers by which book a match is judged. Built from a configuration that was checked.
#[derive(Clone, Debug)]
pub struct Judging {
    event: JudgingSettings,
    sections: BTreeMap<String, JudgingSettings>,
    tables: BTreeMap<String, (JudgingSettings, Option<String>)>,
    /// The book by which everything is judged, whatever was announced.
    book: Option<BookId>,
}

/// Terms of a match's judgment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The rulebook; it is one for the match's game.
    pub book: BookId,
    /// Whether directors call illegal plies and flags, by an agreement that the book knows.
    pub td_calls: bool,
    /// Whether claims of insufficient losing chances were announced, under a book that hears them then.
    pub losing_chances: bool,
    /// Notice to directors that two books were named.
    pub notice: Option<String>,
}

impl Judging {
    pub(super) fn of(config: &Config) -> Judging {
        let said =
            |place: String, rulebook: &Option<String>, td_calls, losing_chances| JudgingSettings {
                place,
                rulebook: rulebook.as_ref().and_then(|id| id.parse().ok()),
                td_calls,
                losing_chances,
            };
        let sections = config.sections.iter().zip(1..).map(|(section, number)| {
            let place = format!("section[{number}]");
            (
                section.name.clone(),
                said(place, &section.rulebook, section.td_calls, section.losing_chances),
            )
        });
        let tables = config.tables.iter().zip(1..).map(|(table, number)| {
            let place = format!("table[{number}]");
            let own = said(place, &table.rulebook, table.td_calls, table.losing_chances);
            (table.name.clone(), (own, table.section.clone()))
        });
        let event = &config.event;
        Judging {
            event: said("event".to_owned(), &event.rulebook, event.td_calls, event.losing_chances),
            sections: sections.collect(),
            tables: tables.collect(),
            book: config.one_book,
        }
    }

    /// Settings for a table, the narrowest place first.
    fn places(&self, table: &str) -> impl Iterator<Item = &JudgingSettings> {
        let listed = self.tables.get(table);
        let section = listed.and_then(|(_, section)| self.sections.get(section.as_ref()?));
        listed.map(|(own, _)| own).into_iter().chain(section).chain([&self.event])
    }

    /// The game that a table's own line or section has a book for: what it is likely to play before its first match.
    pub fn expected_game(&self, table: &str) -> Option<Game> {
        let narrow = self.places(table).filter(|said| said.place != self.event.place);
        narrow.filter_map(|said| said.rulebook).map(|book| book.book().terms.game).next()
    }

    /// The book that the configuration announces for a table.
    pub fn announced_book(&self, table: &str) -> Option<BookId> {
        self.book.or_else(|| self.places(table).find_map(|said| said.rulebook))
    }

    /// Terms of a match at `table`, when its hub names `hub_book` and has `hub_time`: by the section of the event it
    /// is paired in, or else by the configuration.
    ///
    /// # Errors
    ///
    /// Error that no book for `game` is named: the named ones, and the remedy.
    pub fn judge(
        &self,
        table: &str,
        game: Game,
        hub_book: &str,
        section: Option<(&str, &SectionTerms)>,
        hub_time: &TimeControl,
    ) -> Result<Judged, String> {
        if let Some(book) = self.book.filter(|book| book.book().terms.game == game) {
            return Ok(Judged { book, td_calls: false, losing_chances: false, notice: None });
        }
        match section {
            Some((name, terms)) if terms.rulebook.book().terms.game == game => {
                Ok(self.judge_by_section(table, name, terms, hub_book, hub_time))
            }
            _ => self.judge_by_configuration(table, game, hub_book),
        }
    }

    /// Terms by the announcements of the match's section.
    fn judge_by_section(
        &self,
        table: &str,
        section: &str,
        terms: &SectionTerms,
        hub_book: &str,
        hub_time: &TimeControl,
    ) -> Judged {
        let book = terms.rulebook;
        let other_book = (hub_book != book.name()).then(|| {
            format!(
                "the hub names {}, and section {section} is played by {:?}: judged by that; write the same book in the hub's file",
                described(hub_book, book.book().terms.game),
                book.name(),
            )
        });
        let other_time = terms.time.as_ref().filter(|time| *time != hub_time).map(|time| {
            format!(
                "the hub has the time control {}, and section {section} announced {}: set the clocks, and write the same in the hub's file",
                hub_time.to_pgn_tag(),
                time.to_pgn_tag(),
            )
        });
        let notices: Vec<String> = other_book.into_iter().chain(other_time).collect();
        let announced = self.places(table).find_map(|said| said.losing_chances).unwrap_or(false);
        Judged {
            book,
            td_calls: terms.td_calls,
            losing_chances: announced && book.book().terms.losing_chances != LosingChances::Never,
            notice: (!notices.is_empty()).then(|| notices.join("; ")),
        }
    }

    fn judge_by_configuration(
        &self,
        table: &str,
        game: Game,
        hub_book: &str,
    ) -> Result<Judged, String> {
        let fits = |book: BookId| book.book().terms.game == game;
        let hub_said = hub_book.parse::<BookId>().ok().filter(|&book| fits(book));
        let configured = self.places(table).find_map(|said| Some((said, said.rulebook?)));
        let (book, notice) = match (configured, hub_said) {
            (Some((said, book)), _) if fits(book) => {
                let differs = hub_said != Some(book);
                let notice = differs.then(|| {
                    format!(
                        "the hub names {}, and {}.rulebook is {book:?}: judged by {book:?}; write the same book in both files",
                        described(hub_book, game),
                        said.place,
                        book = book.name(),
                    )
                });
                (book, notice)
            }
            (Some((said, unfit)), Some(book)) => {
                // An event may well name a book for most of its tables only.
                let notice = (said.place != self.event.place).then(|| {
                    format!(
                        "{}.rulebook is {}: judged by {:?}, which the hub names; name a book for {game} there",
                        said.place,
                        described(unfit.name(), game),
                        book.name(),
                    )
                });
                (book, notice)
            }
            (None, Some(book)) => (book, None),
            (_, None) => {
                return Err(format!(
                    "table {table} cannot be judged: the hub names {}, and the configuration no book for {game}; correct \
                     the table's rulebook in hub.toml, or name a book for {game} in the adjudicator's configuration and \
                     start it again: what was played is in the log",
                    described(hub_book, game),
                ));
            }
        };
        let agreed = self.places(table).find_map(|said| said.td_calls).unwrap_or(false);
        let td_calls = agreed && book.book().terms.td_calls != TdCalls::Never;
        let announced = self.places(table).find_map(|said| said.losing_chances).unwrap_or(false);
        let heard = book.book().terms.losing_chances;
        let losing_chances = announced && heard != LosingChances::Never;
        Ok(Judged { book, td_calls, losing_chances, notice })
    }
}

/// A book's name, with the reason that excludes it for `game`.
fn described(id: &str, game: Game) -> String {
    let shown: String = id.chars().take(64).collect();
    match id.parse::<BookId>() {
        Err(_) => format!("{shown:?}, which is no rulebook of this release"),
        Ok(book) if book.book().terms.game != game => {
            format!(
                "{shown:?}, a book for {}, while the table plays {game}",
                book.book().terms.game
            )
        }
        Ok(_) => format!("{shown:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = "[event]\nrulebook = \"uscf-bughouse\"\ntd_calls = true\n\
        [[section]]\nname = \"Blitz\"\nrulebook = \"nc-blitz\"\n\
        [[table]]\nname = \"7\"\nsection = \"Blitz\"\n\
        [[table]]\nname = \"8\"\nrulebook = \"nc-bughouse\"\ntd_calls = false\n";

    fn judge(text: &str, table: &str, game: Game, hub_book: &str) -> Result<Judged, String> {
        let config: Config = toml::from_str(text).unwrap();
        config.check().unwrap();
        config.judging().judge(
            table,
            game,
            hub_book,
            None,
            &TimeControl::sudden_death(300, 0).unwrap(),
        )
    }

    #[test]
    fn the_narrowest_place_that_names_a_book_decides() {
        for (table, game, book) in [
            ("1", Game::Bughouse, BookId::UscfBughouse),
            ("8", Game::Bughouse, BookId::NcBughouse),
            ("7", Game::Chess, BookId::NcBlitz),
        ] {
            let judged = judge(EVENT, table, game, book.name()).unwrap();
            assert_eq!((judged.book, judged.notice), (book, None), "table {table}");
        }
        assert!(judge(EVENT, "1", Game::Bughouse, "uscf-bughouse").unwrap().td_calls);
        assert!(!judge(EVENT, "8", Game::Bughouse, "nc-bughouse").unwrap().td_calls);
    }

    #[test]
    fn losing_chances_are_heard_where_they_were_announced_and_the_book_hears_them() {
        let text =
            "[event]\nlosing_chances = true\n[[table]]\nname = \"2\"\nlosing_chances = false\n";
        let heard = |table, game, book| judge(text, table, game, book).unwrap().losing_chances;
        assert!(heard("1", Game::Chess, "us-chess-blitz-2020"));
        assert!(!heard("1", Game::Chess, "nc-blitz"));
        assert!(!heard("1", Game::Bughouse, "uscf-bughouse"));
        assert!(!heard("2", Game::Chess, "us-chess-blitz-2020"));
    }

    #[test]
    fn without_a_configured_book_the_hubs_is_taken() {
        let judged = judge("", "1", Game::Chess, "nc-scholastic").unwrap();
        assert_eq!((judged.book, judged.notice), (BookId::NcScholastic, None));
    }

    #[test]
    fn an_event_of_bughouse_says_nothing_about_a_chess_table() {
        let judged = judge(EVENT, "3", Game::Chess, "us-chess-blitz-2020").unwrap();
        assert_eq!((judged.book, judged.notice), (BookId::UsChessBlitz2020, None));
    }

    #[test]
    fn two_books_are_named_with_the_one_that_counts_and_what_to_do() {
        let notice =
            |table, game, hub_book| judge(EVENT, table, game, hub_book).unwrap().notice.unwrap();
        let notices = [
            notice("1", Game::Bughouse, "mcsc-bughouse"),
            notice("1", Game::Bughouse, "house-rules"),
            notice("1", Game::Bughouse, "nc-blitz"),
            notice("8", Game::Chess, "nc-scholastic"),
        ];
        insta::assert_snapshot!(notices.join("\n"));
    }

    #[test]
    fn a_match_for_which_nobody_names_a_book_is_refused_with_what_was_named() {
        let refusal = judge(EVENT, "1", Game::Chess, "nc-bughouse").unwrap_err();
        for said in ["table 1", "nc-bughouse", "a book for bughouse", "hub.toml", "the log"] {
            assert!(refusal.contains(said), "{refusal}");
        }
    }

    #[test]
    fn an_agreement_that_a_book_does_not_know_holds_at_no_table_of_that_book() {
        let text = "[event]\ntd_calls = true\n";
        assert!(!judge(text, "1", Game::Bughouse, "us-chess-bughouse-2018").unwrap().td_calls);
        assert!(judge(text, "1", Game::Bughouse, "uscf-bughouse").unwrap().td_calls);
    }

    #[test]
    fn a_table_with_a_chess_book_is_expected_to_play_chess() {
        let config: Config = toml::from_str(EVENT).unwrap();
        let games = ["1", "7", "8"].map(|table| config.judging().expected_game(table));
        assert_eq!(games, [None, Some(Game::Chess), Some(Game::Bughouse)]);
    }
}
