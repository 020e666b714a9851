//! A match of the log judged again, by its own book and by others.

use adjudicator::{JudgeError, Judgment};
use proto::mqtt::message::{AnomalyReported, Board, MatchState, Side, row::Event};
use referee::ClaimState;
use rules::rulebook::BookId;

use serde_json::json;

use crate::{
    event::prepared,
    phone::Phone,
    support::{self, Hub, Script, Server},
};

/// The alerts of one code: what they cite, and whether they can be claimed.
fn alerts(judgment: &Judgment, code: &str) -> Vec<(String, ClaimState)> {
    let of_code = judgment.alerts.iter().filter(|alert| alert.code == code);
    let rule = |alert: &referee::Alert| alert.rule.map(|rule| rule.to_string()).unwrap_or_default();
    of_code.map(|alert| (rule(alert), alert.claim)).collect()
}

#[tokio::test]
async fn a_match_is_judged_again_by_its_own_book_and_as_another_book_would_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let config = support::config(folder.path());
    let server = Server::start(config.clone()).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    // White's first ply is illegal; Black answers it.
    script.ply(Board::A, Side::White, "e2e5");
    script.ply(Board::A, Side::Black, "d7d5");
    script.push(Event::AnomalyReported(AnomalyReported {
        match_id: "m1".to_owned(),
        anomaly_id: 1,
        code: "touch-move".to_owned(),
        board: Board::A as i32,
        side: Some(Side::Black as i32),
        t_us: 2_000_000,
        confidence: 0.9,
        ply_id: Some(2),
        evidence: "The board showed it.".to_owned(),
        ..AnomalyReported::default()
    }));
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    // Beside the running adjudicator.
    let own = adjudicator::judge(&config, "m1", None).await.unwrap();
    assert_eq!(own.book, BookId::UsChessBughouse2018);
    let closed = |rule: &str| vec![(rule.to_owned(), ClaimState::Closed)];
    assert_eq!(alerts(&own, "illegal-move"), closed("us-chess-bughouse-2018 8"));
    let without_rule = (String::new(), ClaimState::NotClaimable);
    assert_eq!(alerts(&own, "touch-move"), [without_rule]);
    assert_eq!(own.plies.iter().map(|(_, san)| san.as_str()).collect::<Vec<_>>(), ["e2e5", "d5"]);
    // The book of North Carolina rules on touched pieces.
    let other = adjudicator::judge(&config, "m1", Some(BookId::NcBughouse)).await.unwrap();
    assert_eq!(other.book, BookId::NcBughouse);
    assert_eq!(alerts(&other, "illegal-move"), closed("nc-bughouse 8"));
    let open = ("nc-bughouse 6".to_owned(), ClaimState::Open);
    assert_eq!(alerts(&other, "touch-move"), [open]);

    let chess = adjudicator::judge(&config, "m1", Some(BookId::NcBlitz)).await;
    assert!(matches!(chess, Err(JudgeError::Game { .. })), "{chess:?}");
    let unknown = adjudicator::judge(&config, "m2", None).await.unwrap_err().to_string();
    assert_eq!(unknown, "the database has no match \"m2\"; it has: m1");
    let again = adjudicator::judge(&config, "m1", None).await.unwrap();
    assert_eq!(again.alerts, own.alerts, "looking changes nothing");
    server.stop().await;
}

#[tokio::test]
async fn a_match_of_an_imported_section_is_judged_by_another_book() {
    let folder = tempfile::tempdir().unwrap();
    let config = crate::phone::config(folder.path());
    let server = Server::start(config.clone()).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    script.ply(Board::A, Side::White, "e2e5");
    script.ply(Board::A, Side::Black, "d7d5");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let own = adjudicator::judge(&config, "m1", None).await.unwrap();
    assert_eq!(own.book, BookId::UsChessBughouse2018, "its section's");
    for book in [BookId::NcBughouse, BookId::McscBughouse, BookId::UscfBughouse] {
        let other = adjudicator::judge(&config, "m1", Some(book)).await.unwrap();
        assert_eq!(other.book, book);
        assert_eq!(alerts(&other, "illegal-move")[0].0, format!("{} 8", book.name()));
    }
    let chess = adjudicator::judge(&config, "m1", Some(BookId::NcBlitz)).await;
    assert!(matches!(chess, Err(JudgeError::Game { .. })), "{chess:?}");
    server.stop().await;
}
