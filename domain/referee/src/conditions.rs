//! The conditions of play: what was announced and agreed for a match before it began.

use rules::{
    Game, Match,
    rulebook::{
        BookId, Cite, Rulebook, Setting, Topic,
        terms::{IllegalWindow, LosingChances, StandardDelay, TdCalls, TimeLimits},
    },
};

/// Time of each player where neither the book nor the event names one, in seconds.
const USUAL_BASE_S: u32 = 300;

/// The same for rapid chess.
const USUAL_RAPID_BASE_S: u32 = 900;

/// Conditions of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// The rulebook.
    pub book: BookId,
    /// Whether the players agreed that directors call illegal plies and flags.
    pub td_calls: bool,
    /// Whether claims of insufficient losing chances were announced.
    pub losing_chances: bool,
    /// Time of each player at the start, milliseconds.
    pub base_ms: u32,
    /// Delay of each ply, milliseconds.
    pub delay_ms: u32,
    /// Both boards at the start; their supply determines the game.
    pub start: Match,
}

/// Conditions that a book does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConditionsError {
    /// Directors may not call under this book.
    #[error(
        "td_calls: {} knows no agreement that directors call illegal moves and flags: leave it out or choose another book",
        rule.map_or_else(|| book.to_string(), |rule| rule.to_string())
    )]
    TdCalls {
        /// The book.
        book: BookId,
        /// Its clause about directors' calls.
        rule: Option<Cite>,
    },
    /// Claims of insufficient losing chances are not heard under this book.
    #[error(
        "losing_chances: {} does not hear such claims: leave it out or choose another book",
        rule.map_or_else(|| book.to_string(), |rule| rule.to_string())
    )]
    LosingChances {
        /// The book.
        book: BookId,
        /// Its clause about them.
        rule: Option<Cite>,
    },
    /// The book is for another game.
    #[error("{book} is a book for {}, and the table plays {played}: choose a book for {played}", book.book().terms.game)]
    Game {
        /// The book.
        book: BookId,
        /// The game that is played.
        played: Game,
    },
}

impl Conditions {
    /// A match from the initial position, on the book's own time, in which players call everything themselves.
    #[must_use]
    pub fn new(book: BookId) -> Conditions {
        let terms = &book.book().terms;
        let start = match terms.game {
            Game::Bughouse => Match::initial(),
            Game::Chess => Match::chess(),
        };
        let base_s = terms.time.base_s.unwrap_or(match terms.time.limits {
            TimeLimits::Between { .. } => USUAL_RAPID_BASE_S,
            TimeLimits::None | TimeLimits::AtMost { .. } => USUAL_BASE_S,
        });
        Conditions {
            book,
            td_calls: false,
            losing_chances: false,
            base_ms: base_s.saturating_mul(1000),
            delay_ms: 0,
            start,
        }
    }

    /// The rulebook.
    #[must_use]
    pub fn rulebook(&self) -> &'static Rulebook {
        self.book.book()
    }

    /// Checks that the book allows what was agreed and announced.
    ///
    /// # Errors
    ///
    /// The first condition that it does not allow, with its clause.
    pub fn check(&self) -> Result<(), ConditionsError> {
        let book = self.book;
        let (rulebook, played) = (book.book(), self.start.game());
        if rulebook.terms.game != played {
            return Err(ConditionsError::Game { book, played });
        }
        if self.td_calls && rulebook.terms.td_calls == TdCalls::Never {
            let rule = rulebook.cite(Topic::TdCalls);
            return Err(ConditionsError::TdCalls { book, rule });
        }
        if self.losing_chances && rulebook.terms.losing_chances == LosingChances::Never {
            let rule = rulebook.cite(Topic::LosingChances);
            return Err(ConditionsError::LosingChances { book, rule });
        }
        Ok(())
    }

    /// A setting of this match, in words for directors.
    #[must_use]
    pub fn chosen(&self, setting: Setting) -> String {
        let terms = &self.rulebook().terms;
        match setting {
            Setting::Seats => match terms.game {
                Game::Bughouse => {
                    "four seats: White and Black at A, White and Black at B".to_owned()
                }
                Game::Chess => "two seats: White and Black at A".to_owned(),
            },
            Setting::Boards => match terms.game {
                Game::Bughouse => "two boards".to_owned(),
                Game::Chess => "one board".to_owned(),
            },
            Setting::TimeControl => self.time(),
            Setting::TdCalls => match (terms.td_calls, self.td_calls) {
                (TdCalls::Never, _) => "directors do not call".to_owned(),
                (TdCalls::ByAgreement, false) => {
                    "directors do not call; they may by agreement".to_owned()
                }
                (TdCalls::ByAgreement, true) => "directors call, by agreement".to_owned(),
                (TdCalls::Always, _) => "arbiters call what they see".to_owned(),
            },
            Setting::SilentAlerts => match (terms.td_calls, self.td_calls) {
                (TdCalls::Never, _) | (TdCalls::ByAgreement, false) => {
                    "alerts about claims are silent".to_owned()
                }
                (TdCalls::ByAgreement, true) => "alerts about claims may be said".to_owned(),
                (TdCalls::Always, _) => {
                    "alerts are for arbiters to act on; the public does not see them".to_owned()
                }
            },
            Setting::LosingChances => match terms.losing_chances {
                LosingChances::Never => "claims of losing chances are not heard".to_owned(),
                LosingChances::IfAnnounced { .. } if self.losing_chances => {
                    "claims of losing chances are heard, as announced".to_owned()
                }
                LosingChances::IfAnnounced { .. } => {
                    "claims of losing chances are not heard: not announced".to_owned()
                }
                LosingChances::WithoutDelay { .. } => {
                    "claims of losing chances are heard without delay".to_owned()
                }
            },
            Setting::Supervision => match terms.illegal.window {
                IllegalWindow::WholeGame => "an arbiter watches each game and keeps its score",
                _ => "no arbiter for each game",
            }
            .to_owned(),
            Setting::TieBreaks => "tie-breaks in the book's order".to_owned(),
        }
    }

    fn time(&self) -> String {
        let base_s = self.base_ms / 1000;
        let delay = match self.delay_ms {
            0 => "no delay".to_owned(),
            ms => format!("delay {} s", f64::from(ms) / 1000.0),
        };
        let standard = self.rulebook().terms.time;
        let names_delay = |delay_s: u32| self.delay_ms == delay_s.saturating_mul(1000);
        let has_named_delay = match standard.delay {
            StandardDelay::None => names_delay(0),
            StandardDelay::Announced => true,
            // A clock that cannot delay is set without it.
            StandardDelay::WherePossible { delay_s } => names_delay(delay_s) || names_delay(0),
            StandardDelay::WithShorterBase { delay_s, .. } => names_delay(delay_s),
        };
        let as_named = match standard.base_s {
            Some(named) if named == base_s && has_named_delay => ", as the book says",
            Some(_) => ", announced in place of the book's",
            None => ", as announced",
        };
        format!("{} each, {delay}{as_named}", crate::names::clock(i64::from(self.base_ms)))
    }
}
