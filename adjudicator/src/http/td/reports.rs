//! After the round: what was decided, by match, table, section and player.
//!
//! A file leaves the venue more easily than a page: it names nobody who plays.

use axum::{
    Json,
    extract::{Query, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use event::{Names, csv_text};
use serde::{Deserialize, Serialize};

use super::{
    super::{Desk, Problem},
    session::{self, Session},
};
use crate::{
    hall::{DoneLine, Game, Hall, OrderCase, Ordered, People, event::staff::Rank},
    views::{LedgerView, OrderView, ledger as ledger_of},
};

/// What is wanted; everything without it.
#[derive(Deserialize)]
pub(in crate::http) struct ReportParts {
    #[serde(rename = "match")]
    match_id: Option<String>,
    table: Option<String>,
    section: Option<String>,
    /// A player or a side, by the name that directors read.
    who: Option<String>,
}

impl ReportParts {
    fn is_done(&self, line: &DoneLine) -> bool {
        let is_it = |wanted: &Option<String>, value: Option<&String>| {
            wanted.is_none() || wanted.as_ref() == value
        };
        is_it(&self.match_id, line.match_id.as_ref())
            && is_it(&self.table, line.table.as_ref())
            && is_it(&self.section, line.section.as_ref())
            && self.who.as_ref().is_none_or(|who| line.who.contains(who))
    }

    fn is(&self, game: &Game, people: &People) -> bool {
        let is_it = |wanted: &Option<String>, value: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == value)
        };
        is_it(&self.match_id, Some(&game.id))
            && is_it(&self.table, Some(&game.table))
            && is_it(&self.section, people.section.as_deref())
            && self.who.as_ref().is_none_or(|who| people.everybody().any(|one| one == who))
    }
}

#[derive(Serialize)]
struct ReportLine {
    /// Empty where it is about no match.
    #[serde(rename = "match")]
    match_id: String,
    /// Empty where it is about no table.
    table: String,
    section: Option<String>,
    round: Option<u8>,
    /// Sides and players of the match, as far as they are known.
    who: Vec<String>,
    #[serde(flatten)]
    line: LedgerView,
}

impl ReportLine {
    /// A line about the event.
    fn of(done: DoneLine) -> ReportLine {
        let DoneLine { act, at_ms, by, section, round, table, match_id, text, note, kind, who } =
            done;
        ReportLine {
            match_id: match_id.unwrap_or_default(),
            table: table.unwrap_or_default(),
            section,
            round,
            who,
            line: LedgerView {
                number: 0,
                act,
                person: by.person,
                role: rank_name(by.rank).to_owned(),
                at_ms,
                text,
                note,
                rules: Vec::new(),
                supersedes: None,
                kind,
            },
        }
    }
}

fn lines(hall: &Hall, session: &Session, wanted: &ReportParts, clock_rate: f64) -> Vec<ReportLine> {
    let mut lines: Vec<ReportLine> = Vec::new();
    for game in hall.games() {
        if session.may_look_at(hall, game).is_err() {
            continue;
        }
        let mut people = hall.people(&game.table, Some(game), Names::Shown);
        people.section = hall.section_of(&game.table, Some(game));
        if !wanted.is(game, &people) {
            continue;
        }
        let clocks = game.orders().iter().filter(|order| matches!(order.what, Ordered::Clock(..)));
        let decided = ledger_of(game, clock_rate).into_iter();
        lines.extend(decided.chain(clocks.map(ordered)).map(|line| ReportLine {
            match_id: game.id.clone(),
            table: game.table.clone(),
            section: people.section.clone(),
            round: people.round,
            who: people.everybody().cloned().collect(),
            line,
        }));
    }
    // What was done about the event names people, too.
    let is_theirs = |line: &DoneLine| {
        session.scope.has(line.table.as_deref().unwrap_or_default(), line.section.as_deref())
    };
    let done = hall.done_lines().into_iter().filter(|line| wanted.is_done(line) && is_theirs(line));
    lines.extend(done.map(ReportLine::of));
    lines.sort_by_key(|line| line.line.act);
    lines
}

fn rank_name(rank: Rank) -> &'static str {
    match rank {
        Rank::Scorekeeper => "scorekeeper",
        Rank::Floor => "floor",
        Rank::SectionChief => "section-chief",
        Rank::Chief => "chief",
    }
}

/// A clock order beside what was decided.
fn ordered(order: &OrderCase) -> LedgerView {
    let view = OrderView::of(order, crate::time::now_ms());
    LedgerView {
        number: 0,
        act: view.act,
        person: view.person,
        role: String::new(),
        at_ms: order.at_ms,
        text: format!("{}: {}", view.what, view.state),
        note: (!view.detail.is_empty()).then_some(view.detail),
        rules: Vec::new(),
        supersedes: None,
        kind: "clock",
    }
}

pub(in crate::http) async fn ledger(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Query(wanted): Query<ReportParts>,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let lines = lines(&desk.floor.hall(), &session, &wanted, desk.config.http.clock_rate);
    Ok(Json(serde_json::json!({ "lines": lines })).into_response())
}

pub(in crate::http) async fn ledger_csv(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Query(wanted): Query<ReportParts>,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let lines = lines(&desk.floor.hall(), &session, &wanted, desk.config.http.clock_rate);
    let mut csv =
        String::from("act,at,match,table,section,person,role,kind,decided,note,rules,supersedes\n");
    for line in lines {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_millis(line.line.at_ms);
        let fields = [
            line.line.act.to_string(),
            humantime::format_rfc3339_seconds(at).to_string(),
            line.match_id,
            line.table,
            line.section.unwrap_or_default(),
            line.line.person,
            line.line.role,
            line.line.kind.to_owned(),
            line.line.text,
            line.line.note.unwrap_or_default(),
            line.line.rules.join("; "),
            line.line.supersedes.map(|act| act.to_string()).unwrap_or_default(),
        ];
        csv.push_str(&csv_text::quoted_line(fields.iter().map(String::as_str)));
    }
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], csv).into_response())
}
