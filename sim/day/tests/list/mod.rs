//! The directors' list beside a round of eight scholastic tables: hands as they are drawn for such children, the shipped inference, and no
//! director who dismisses anything.

use std::collections::BTreeMap;

use adjudicator::Config;
use adjudicator::hall::Hall;
use adjudicator::log::input::{Input, InputKind};
use adjudicator::owner::decode::apply;
use adjudicator::views::needs::{Need, Urgency, open_items};
use hub_core::journal_line::Line;
use hub_core::session::{Session, SessionConfig, SessionOutput};
use prost::Message as _;
use proto::mqtt::match_of;
use proto::mqtt::message::{HubState, Row};
use rayon::prelude::*;
use readings::ReadingKind;
use sim::{Equipment, Population, perform_with};

const HUB: &str = "hub";
const TABLES: usize = 8;
const BEGINS_MS: u64 = 1_700_000_000_000;
/// Interval at which the list is looked at.
const LOOK_EVERY_MS: u64 = 1_000;
/// Time that is watched: within it the list is as long as it becomes.
const WATCHED_US: u64 = 150_000_000;
/// Items that the bar leaves out: claims, stopped clocks, results and sensors.
const LEFT_OUT: [Urgency; 4] =
    [Urgency::Claim, Urgency::Stopped, Urgency::Result, Urgency::Sensors];
/// Items that the page folds into one line with their number, but for the latest silent ones.
const FOLDED: [Urgency; 3] = [Urgency::Silent, Urgency::Evidence, Urgency::Notice];
/// Number of silent items that the page does not fold (adjudicator/web/src/model/td/needs.ts).
const SILENT_SHOWN: usize = 3;
/// Maximum number of other lines on the list at any time.
const LINES_MAX: usize = 4;

/// Rows of one table, each with its time since the round began, microseconds.
fn rows(seed: u64, number: usize, until_us: u64) -> Vec<(u64, Row)> {
    let games = sim::games::shipped();
    let game = &games[(seed as usize * TABLES + number) % games.len()];
    let name = format!("round-{seed}-table-{}", number + 1);
    let players: Population = "drawn-scholastic".parse().expect("hands of ours");
    let hands = players.players(seed, &name);
    let played = perform_with(game, &hands, &Equipment::default(), seed, &name).expect("a match");
    let table = (number + 1).to_string();
    let header = &played.header;
    let mut session = Session::new(SessionConfig {
        hub_id: HUB.to_owned(),
        table: table.clone(),
        game: header.game,
        rulebook: header.rulebook.parse().expect("a book of ours"),
        time: header.time_control().expect("a time control of ours"),
        boards: header.boards.clone(),
        clocks: true,
        nodes: BTreeMap::new(),
    });
    let mut rows = Vec::new();
    let of_play = |it: &&readings::Reading| it.kind != ReadingKind::End && it.t_us < until_us;
    for reading in played.readings.iter().filter(of_play) {
        session.handle(&Line::Reading(reading.clone()));
        while let Some(output) = session.poll_output() {
            let SessionOutput::Row(row) = output else { continue };
            let (at_us, event) = (row.at.as_micros(), Some(row.event));
            rows.push((at_us, Row { table: table.clone(), event, ..Row::default() }));
        }
    }
    rows
}

/// The most lines on the list of a round at any time, and the items then.
fn most_lines(seed: u64, until_us: u64) -> Vec<String> {
    let of_tables = (0..TABLES).into_par_iter().map(|number| rows(seed, number, until_us));
    let mut rows: Vec<(u64, Row)> = of_tables.collect::<Vec<_>>().into_iter().flatten().collect();
    rows.sort_by_key(|&(at_us, _)| at_us);
    let mut hall = Hall::new(&Config::default());
    let mut id = 0;
    let mut input = |hall: &mut Hall, received_ms, kind, hub: Option<&str>, match_id, payload| {
        id += 1;
        let hub = hub.map(str::to_owned);
        apply(hall, &Input { id, received_ms, kind, hub, match_id, payload });
    };
    input(&mut hall, BEGINS_MS, InputKind::LinkUp, None, None, Vec::new());
    let tables = (1..=TABLES).map(|table| table.to_string()).collect();
    let hub_id = HUB.to_owned();
    let state = HubState { hub_id, online: true, boot_id: 1, tables, ..HubState::default() };
    input(&mut hall, BEGINS_MS, InputKind::HubState, Some(HUB), None, state.encode_to_vec());
    let mut rows = rows.into_iter().zip(1..).peekable();
    let (mut now_ms, mut most) = (BEGINS_MS, Vec::new());
    while rows.peek().is_some() {
        now_ms += LOOK_EVERY_MS;
        while let Some(((at_us, row), sequence)) =
            rows.next_if(|((at_us, _), _)| BEGINS_MS + at_us / 1_000 <= now_ms)
        {
            let at_ms = BEGINS_MS + at_us / 1_000;
            let match_id = row.event.as_ref().and_then(match_of).map(str::to_owned);
            let row = Row { sequence, hub_time_us: at_ms * 1_000, ..row };
            input(&mut hall, at_ms, InputKind::Row, Some(HUB), match_id, row.encode_to_vec());
        }
        let lines = lines(&open_items(&hall, &Config::default().td, now_ms));
        if lines.len() > most.len() {
            most = lines;
        }
    }
    most
}

/// Lines of the page, those left out excepted.
fn lines(needs: &[Need]) -> Vec<String> {
    let words = |need: &&Need| format!("{} {:?}: {}", need.table, need.board, need.what);
    let of = |which: &[Urgency]| -> Vec<String> {
        needs.iter().filter(|need| which.contains(&need.urgency)).map(|it| words(&it)).collect()
    };
    let (silent, folded) = (of(&[Urgency::Silent]), of(&FOLDED));
    let shown = needs
        .iter()
        .filter(|need| !LEFT_OUT.contains(&need.urgency) && !FOLDED.contains(&need.urgency));
    let mut lines: Vec<String> = shown.map(|it| words(&it)).collect();
    let silent_shown = silent.len().min(SILENT_SHOWN);
    lines.extend(silent.into_iter().take(silent_shown));
    let more = folded.len() - silent_shown;
    lines.extend((more > 0).then(|| format!("{more} more")));
    lines
}

#[test]
fn at_eight_scholastic_tables_at_most_four_other_lines_wait() {
    let most = most_lines(1, WATCHED_US);
    println!("{most:#?}");
    assert!(!most.is_empty() && most.len() <= LINES_MAX, "{most:#?}");
}
