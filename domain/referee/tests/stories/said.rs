//! Outcome of a story at its end, as the lines of its `says` block.

use referee::{
    Alert, CaseState, ClaimCase, ClaimState, Entry, LedgerEntry, Proposal, Referee, StandingResult,
    act::Role, seat_letter,
};
use rules::{
    BoardId, Seat, Team,
    rulebook::{BookId, Cite, Setting},
};

use crate::{
    event::Event,
    story::Story,
    table::{self, Table},
};

/// Contents that a `says` block compares when the story does not choose them.
const USUAL: [&str; 5] = ["alerts", "claims", "result", "ledger", "refusals"];

/// All contents that can be compared.
const ALL: [&str; 7] = ["alerts", "claims", "result", "ledger", "refusals", "settings", "public"];

/// Lines of the outcome under each book of a story, in the order of the books.
pub(crate) fn all(story: &Story) -> Result<Vec<String>, String> {
    let mut said = Vec::new();
    for &book in &story.books {
        let lines = under(story, book)?;
        match lines.is_empty() {
            true => said.push(format!("{book} -: nothing")),
            false => said.extend(lines),
        }
    }
    Ok(said)
}

fn under(story: &Story, book: BookId) -> Result<Vec<String>, String> {
    let table = table::play(&story.events, book)?;
    let shown: Vec<&str> = story
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Show(what) => Some(what.iter().map(String::as_str)),
            _ => None,
        })
        .flatten()
        .collect();
    if let Some(unknown) = shown.iter().find(|word| !ALL.contains(word)) {
        return Err(format!("`show {unknown}`: show one of {}", ALL.join(", ")));
    }
    let shows = |what: &str| match shown.is_empty() {
        true => USUAL.contains(&what),
        false => shown.contains(&what),
    };
    let referee = &table.referee;
    let mut lines = Vec::new();
    let mut add = |rules: Vec<Cite>, text: String| lines.push(line(book, &rules, &text));
    if shows("settings") {
        settings(referee, &mut add);
    }
    if shows("alerts") {
        for alert in referee.alerts().filter(|alert| !alert.retracted) {
            add(
                alert.rule.into_iter().chain(alert.further.iter().copied()).collect(),
                found(alert),
            );
        }
    }
    if shows("claims") {
        for claim in referee.claims() {
            add(claim.verdict.because.clone(), claimed(claim));
        }
    }
    if shows("result") {
        results(referee, &mut add);
    }
    if shows("ledger") {
        for entry in referee.ledger().iter().filter(|entry| is_told(entry)) {
            let who = match entry.by.role {
                Role::Director => String::new(),
                role => format!(", by {role}"),
            };
            add(entry.rules.clone(), format!("ledger: {}{who}", entry.entry));
        }
    }
    if shows("refusals") {
        refusals(&table, &mut add);
    }
    if shows("public") {
        public(referee, &mut add);
    }
    Ok(lines)
}

fn line(book: BookId, rules: &[Cite], text: &str) -> String {
    let numbers: Vec<&str> = rules.iter().map(|cite| cite.number).collect();
    let numbers = if numbers.is_empty() { "-".to_owned() } else { numbers.join(", ") };
    format!("{book} {numbers}: {text}")
}

fn settings(referee: &Referee, add: &mut impl FnMut(Vec<Cite>, String)) {
    let book = referee.conditions().rulebook();
    if let Err(error) = referee.conditions().check() {
        add(Vec::new(), format!("not allowed: {error}"));
    }
    for &setting in Setting::ALL {
        let clauses = book.clauses.iter().filter(|clause| clause.does.sets.contains(&setting));
        let cites: Vec<Cite> = clauses.map(|clause| book.cited(clause)).collect();
        if !cites.is_empty() {
            add(cites, format!("{setting}: {}", referee.conditions().chosen(setting)));
        }
    }
}

fn found(alert: &Alert) -> String {
    let who = match alert.side {
        Some(color) => format!(" by {}", seat_letter(Seat { board: alert.board, color })),
        None => format!(" on board {}", alert.board),
    };
    let ply = alert.ply.map(|ply| format!(", ply {ply}")).unwrap_or_default();
    let claim = match alert.claim {
        ClaimState::Open => ", claim open",
        ClaimState::Claimed => ", claimed",
        ClaimState::Closed => ", claim closed",
        ClaimState::NotClaimable => "",
    };
    let silent = if alert.silent { ", silent" } else { "" };
    let doubt = match alert.confidence {
        p if p < 0.95 => format!(", {:.0} % sure", p * 100.0),
        _ => String::new(),
    };
    format!("found {}{who}{ply}{claim}{silent}{doubt}", alert.code)
}

fn claimed(claim: &ClaimCase) -> String {
    let withdrawn = if claim.state == CaseState::Withdrawn { " (withdrawn)" } else { "" };
    format!("claim {} by {}{withdrawn}: {}", claim.kind, seat_letter(claim.by), claim.verdict)
}

fn results(referee: &Referee, add: &mut impl FnMut(Vec<Cite>, String)) {
    if let Some(proposal) = referee.proposal() {
        let Proposal { winner, reason, rule, .. } = proposal;
        let text = format!("proposed: {} by {}", team(*winner), reason.name());
        add(rule.iter().copied().collect(), text);
    }
    if let Some(standing) = referee.result() {
        let StandingResult { result, signed, is_confirmed, .. } = standing;
        let by = match (is_confirmed, signed) {
            (true, _) => "confirmed",
            (false, [true, true]) => "signed by both",
            (false, [true, false]) => "signed by team 1 only",
            (false, [false, true]) => "signed by team 2 only",
            (false, [false, false]) => "signed by nobody",
        };
        add(Vec::new(), format!("result: {result}, {by}"));
    }
}

fn team(winner: Option<Team>) -> &'static str {
    match winner {
        Some(Team::One) => "team-1",
        Some(Team::Two) => "team-2",
        None => "draw",
    }
}

/// Whether the story compares a ledger entry: a claim's own entry only repeats the claim.
fn is_told(entry: &LedgerEntry) -> bool {
    !matches!(entry.entry, Entry::Claim { .. })
}

fn refusals(table: &Table, add: &mut impl FnMut(Vec<Cite>, String)) {
    for why in &table.refused {
        let rule = match why {
            referee::Refusal::NoAgreement(rule)
            | referee::Refusal::AlwaysCalled(rule)
            | referee::Refusal::NoAppeal(rule) => *rule,
            _ => None,
        };
        add(rule.into_iter().collect(), format!("refused: {why}"));
    }
}

fn public(referee: &Referee, add: &mut impl FnMut(Vec<Cite>, String)) {
    for (index, ply) in referee.timeline().plies().iter().enumerate() {
        if let Some(reason) = ply.illegal.filter(|_| referee.may_be_said(index)) {
            add(Vec::new(), format!("everybody sees: ply {} illegal, {reason}", ply.report.id));
        }
    }
    for board in BoardId::ALL {
        if let Some(clock) = referee.shown_clock(board) {
            let (white_ms, black_ms) = (clock.white_ms, clock.black_ms);
            add(Vec::new(), format!("everybody sees: clock {board} {white_ms} ms, {black_ms} ms"));
        }
    }
    if let Some(proposal) = referee.proposal().filter(|proposal| proposal.settled) {
        add(proposal.rule.into_iter().collect(), format!("everybody sees: {}", proposal.text));
    }
}
