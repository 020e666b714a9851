//! Messages about a hall: computed at every check, each sent once by its key.

use referee::Phase;
use serde::Serialize;

use crate::{
    config::Told,
    views::{
        TableView,
        needs::{Need, Urgency},
        read_view::Sight,
    },
};

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct News {
    /// Key under which the message is sent once.
    #[serde(skip)]
    pub(super) key: String,
    #[serde(skip)]
    pub(super) about: Told,
    /// `started`, `result`, `needs`.
    event: &'static str,
    /// The table; empty for the whole hall.
    table: String,
    /// The table's name for people.
    label: String,
    pub(super) section: Option<String>,
    #[serde(rename = "match")]
    match_id: Option<String>,
    /// Subject, in a few words.
    pub(super) title: String,
    /// Text, in a sentence.
    pub(super) text: String,
    /// Urgency of a call for a director.
    #[serde(skip_serializing_if = "Option::is_none")]
    urgency: Option<Urgency>,
}

/// Public messages: matches in play and results.
pub(super) fn news(sight: &Sight) -> Vec<News> {
    let mut all = Vec::new();
    for (hall, table) in sight.tables() {
        let Some(game) = table.match_id.as_deref().and_then(|id| hall.game(id)) else { continue };
        let view = TableView::of(hall, table);
        let one = |about: Told, key: String, title: String, text: String| News {
            key,
            about,
            event: if about == Told::Started { "started" } else { "result" },
            table: table.name.clone(),
            label: view.label.clone(),
            section: view.section.clone(),
            match_id: Some(game.id.clone()),
            title,
            text,
            urgency: None,
        };
        if game.referee().phase() != Phase::SetUp && game.referee().phase() != Phase::Ready {
            let [one_team, other] = view.teams.clone().unwrap_or_default();
            let sides =
                if one_team.is_empty() { String::new() } else { format!("{one_team} – {other}") };
            let title = format!("{} has begun", view.label);
            all.push(one(Told::Started, format!("started:{}", game.id), title, sides));
        }
        if let Some(result) = &view.result {
            let title = format!("{}: result", view.label);
            let key = format!("result:{}:{}", game.id, result.text);
            all.push(one(Told::Result, key, title, result.text.clone()));
        }
    }
    all
}

impl News {
    /// Calls for a director that no director has taken. Silent alerts are sent to no address.
    pub(super) fn of_need(need: &Need) -> Option<News> {
        if need.silent || need.urgency >= Urgency::Silent || need.taken.is_some() {
            return None;
        }
        let board = need.board.filter(|_| !need.table.is_empty());
        let board = board.map(|board| format!(", board {board}")).unwrap_or_default();
        Some(News {
            key: format!("needs:{}:{:?}", need.id, need.level),
            about: Told::Needs,
            event: "needs",
            table: need.table.clone(),
            label: need.label.clone(),
            section: need.section.clone(),
            match_id: need.match_id.clone(),
            title: format!("{}{board}", need.label),
            text: need.what.clone(),
            urgency: Some(need.urgency),
        })
    }
}
