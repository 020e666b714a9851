//! A second judgment of one match of the log: by its own book, or by another.
//!
//! A referee's findings are a function of the log alone, so that anybody can ask afterwards for their reason, and what another
//! book would have said. Nothing is written.

use referee::{Alert, ClaimCase, LedgerEntry, Proposal, StandingResult};
use rules::rulebook::BookId;

use crate::{
    config::{Config, ConfigError},
    hall::Game,
    log::{Store, StoreError},
    owner::follower::Stage,
};

/// The judgment of a match.
#[derive(Clone, Debug)]
pub struct Judgment {
    /// The match.
    pub match_id: String,
    /// Its table.
    pub table: String,
    /// The book of this judgment.
    pub book: BookId,
    /// The findings that were not taken back, in the order of time.
    pub alerts: Vec<Alert>,
    /// The plies that alerts name, with their SAN.
    pub plies: Vec<(referee::PlyId, String)>,
    /// The players' claims, as directors entered them.
    pub claims: Vec<ClaimCase>,
    /// The decisions of people.
    pub ledger: Vec<LedgerEntry>,
    /// The result that the evidence points to.
    pub proposal: Option<Proposal>,
    /// The result that people entered.
    pub result: Option<StandingResult>,
}

/// Reason why a match is not judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A value in the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such match.
    #[error("the database has no match {wanted:?}; it has: {known}")]
    NoMatch {
        /// The id that was asked for.
        wanted: String,
        /// The matches there are, the latest last.
        known: String,
    },
    /// The book is for another game.
    #[error("{book} is a book for {}, and the match is one of {played}: name a book for {played}", book.book().terms.game)]
    Game {
        /// The book.
        book: BookId,
        /// The game that was played.
        played: rules::Game,
    },
}

/// Judges one match of the event's database, by `book` or else by the book that the configuration gives it.
///
/// # Errors
///
/// The database cannot be read or has no such match, or the book is for another game.
pub async fn judge(
    config: &Config,
    match_id: &str,
    book: Option<BookId>,
) -> Result<Judgment, JudgeError> {
    config.check()?;
    let config = Config { one_book: book, ..config.clone() };
    let store = Store::open_existing(config.log_place()?).await?;
    let stage = Stage::new(&config);
    stage.catch_up(&store).await?;
    store.close().await;
    let hall = stage.hall();
    let Some(game) = hall.game(match_id) else {
        let known: Vec<&str> = hall.games().into_iter().map(|game| game.id.as_str()).collect();
        let known = match known.is_empty() {
            true => "none".to_owned(),
            false => known.join(", "),
        };
        return Err(JudgeError::NoMatch { wanted: match_id.to_owned(), known });
    };
    match book {
        Some(book) if book != game.rulebook => Err(JudgeError::Game { book, played: game.game }),
        _ => Ok(judgment(game)),
    }
}

fn judgment(game: &Game) -> Judgment {
    let referee = game.referee();
    let mut alerts: Vec<Alert> =
        referee.alerts().filter(|alert| !alert.retracted).cloned().collect();
    alerts.sort_by(|one, other| (one.t_us, &one.id).cmp(&(other.t_us, &other.id)));
    let san = |id| referee.timeline().ply(id).map(|ply| (id, ply.san.clone()));
    Judgment {
        match_id: game.id.clone(),
        table: game.table.clone(),
        book: game.rulebook,
        plies: alerts.iter().filter_map(|alert| san(alert.ply?)).collect(),
        alerts,
        claims: referee.claims().cloned().collect(),
        ledger: referee.ledger().to_vec(),
        proposal: referee.proposal().cloned(),
        result: referee.result().cloned(),
    }
}
