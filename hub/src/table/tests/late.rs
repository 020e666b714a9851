//! A board's cable is out for longer than its table waits: what the board has kept counts live when the cable is back, and stands in the
//! record where it was made.

use std::collections::BTreeMap;

#[path = "../../../tests/support/games.rs"]
mod games;

use inference::facts::FactsFile;
use proto::mqtt::message::PlyReported;

use super::*;
use hub_core::review::{follow, follow_as_known};

/// Duration of the cut.
const CUT_US: u64 = 30_000_000;
/// A cut of this length leaves few plies ambiguous: the live plies, once the cable is back, are the true ones.
const SHORT_CUT_US: u64 = 12_000_000;

/// A cut that outlasts a match.
const LONG_CUT_US: u64 = 600_000_000;
/// Variable with the number of real matches that are tried, and that number without it: `cargo test` has no time for all 75.
const MATCHES: &str = "MATCHES";
const MATCHES_TRIED: usize = 4;

/// Time of the cut of board A's cable: the one in which most plies are played at A. And the number of those plies.
fn busiest(deliveries: &[Delivery], cut_us: u64) -> (HubTime, usize) {
    let presses: Vec<HubTime> = deliveries
        .iter()
        .filter(|one| one.board == BoardId::A && matches!(one.kind, ReadingKind::Press { .. }))
        .map(|one| one.made)
        .collect();
    let within = |from: HubTime| {
        let until = from.plus_micros(cut_us);
        presses.iter().filter(|&&press| (from..until).contains(&press)).count()
    };
    // Just after a press, and not in its match's last moments: the cable is back while play goes on.
    let last = presses.last().copied().unwrap();
    let starts = presses.iter().map(|press| press.plus_micros(1));
    let starts = starts.filter(|from| from.plus_micros(cut_us) < last);
    let from = starts.max_by_key(|&from| within(from)).unwrap();
    (from, within(from))
}

/// The same match; what board A's squares say while its cable is out for so long comes when it is back.
fn with_a_cut(cut_us: u64) -> (Vec<Delivery>, usize) {
    let mut deliveries = deliveries();
    let (from, plies) = busiest(&deliveries, cut_us);
    cut(&mut deliveries, &[BoardId::A], from, cut_us);
    (deliveries, plies)
}

/// Holds the readings of some boards' squares back from then on, as if their cables were out for `cut_us`.
fn cut(deliveries: &mut [Delivery], boards: &[BoardId], from: HubTime, cut_us: u64) {
    let until = from.plus_micros(cut_us);
    for one in deliveries.iter_mut().filter(|one| boards.contains(&one.board)) {
        let is_of_board = matches!(
            one.kind,
            ReadingKind::Square { .. } | ReadingKind::Snapshot { .. } | ReadingKind::Tray { .. }
        );
        if is_of_board && (from..until).contains(&one.made) {
            one.comes = until;
        }
    }
    deliveries.sort_by_key(|one| one.comes);
}

/// Makes the table follow the match once more, as it does when a match is over.
async fn look_again(task: &mut TableTask, opened: &Opened) {
    let now = BEGIN.plus_micros(3_601_000_000);
    task.turn(|turn, _| turn.run(now)).await.unwrap();
    let reviewed = reviewed(&mut task.review).await;
    task.options.hub.handle(HubInput::Reviewed(task.id, reviewed));
    work(task, now).await;
    opened.journal.flush().await.unwrap();
}

#[tokio::test]
async fn plies_of_a_board_whose_cable_was_out_for_long_are_in_the_final_record_where_they_were_made()
 {
    let (deliveries, cut_plies) = with_a_cut(CUT_US);
    assert!(cut_plies >= 4, "several plies are played meanwhile: {cut_plies}");
    let folder = tempfile::tempdir().unwrap();
    let (opened, mut task) = play_through(folder.path(), &deliveries, &[]).await;
    let of = |rows: &[(u64, Event)]| -> Vec<String> {
        plies(rows).into_iter().map(|(_, ply)| ply).collect()
    };
    let live = of(&rows(&opened.reader).await);
    assert_ne!(live, truth(), "live, the plies of board A cannot be told apart");
    look_again(&mut task, &opened).await;
    assert_eq!(of(&rows(&opened.reader).await), truth());
}

/// The plies in the record, with their times: live, and when the match is over.
async fn records(deliveries: &[Delivery], base_s: u32) -> [Vec<(u64, String)>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let config = config_with(folder.path(), base_s, "board-b");
    let (opened, mut task) = play_as(config, deliveries, &[]).await;
    let live = plies(&rows(&opened.reader).await);
    look_again(&mut task, &opened).await;
    [live, plies(&rows(&opened.reader).await)]
}

#[tokio::test]
async fn real_matches_whose_boards_were_both_away_for_ten_minutes_have_the_faultless_record() {
    let Some(games) = games::corpus() else { return };
    let tried = std::env::var(MATCHES).map_or(MATCHES_TRIED, |it| it.parse().expect("a number"));
    let mut differ = Vec::new();
    for (number, game) in games.iter().enumerate().take(tried) {
        let played = sim::perform(game, "ideal".parse().unwrap(), 1, "m").unwrap();
        let base_s = played.header.base_s;
        let faultless = deliveries_of(&played.readings, base_s);
        let is_press = |one: &&Delivery| matches!(one.kind, ReadingKind::Press { .. });
        let presses: Vec<HubTime> = faultless.iter().filter(is_press).map(|it| it.made).collect();
        let mut late = faultless.clone();
        let from = presses[presses.len() / 3].plus_micros(1);
        cut(&mut late, &BoardId::ALL, from, LONG_CUT_US);
        let [_, expected] = records(&faultless, base_s).await;
        let [live, last] = records(&late, base_s).await;
        assert_ne!(live, expected, "match {number}: live, nobody can know");
        if last != expected {
            differ.push(number);
        }
    }
    assert!(differ.is_empty(), "{differ:?} of {} matches", games.len().min(tried));
}

#[tokio::test]
async fn the_trace_of_a_match_says_when_readings_were_made_that_came_late() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let trace = async |folder: &Path, deliveries: &[Delivery]| {
        let (opened, _task) = play_through(folder, deliveries, &[]).await;
        let id = opened.reader.matches().await.unwrap()[0].0.clone();
        opened.reader.trace(&id).await.unwrap().unwrap()
    };
    let in_time = trace(folder.path(), &deliveries()).await;
    let late = trace(other.path(), &with_a_cut(CUT_US).0).await;
    assert!(!in_time.came_late && late.came_late);
    assert_eq!(late.readings, in_time.readings);
}

#[tokio::test]
async fn a_hub_that_is_killed_while_late_readings_come_says_the_same_once() {
    let (deliveries, _) = with_a_cut(CUT_US);
    let first_late = deliveries.iter().position(|one| one.comes != one.made).unwrap();
    let mut said = Vec::new();
    for kills in [vec![], vec![first_late, first_late + 3, first_late + 40]] {
        let folder = tempfile::tempdir().unwrap();
        let (opened, mut task) = play_through(folder.path(), &deliveries, &kills).await;
        look_again(&mut task, &opened).await;
        // The time of the last rows depends on the clock.
        let rows = rows(&opened.reader).await;
        said.push(rows.into_iter().map(|(_, event)| event).collect::<Vec<_>>());
    }
    assert_eq!(said[0], said[1]);
}

/// A ply of board A that was published live long after it was made, as a director would confirm it.
fn confirmed_as_it_counted(live: &[(u64, Event)], at_last: &[(u64, Event)]) -> Vec<String> {
    let of = |rows: &[(u64, Event)]| -> Vec<PlyReported> {
        let mut plies = BTreeMap::new();
        for (_, event) in rows {
            match event {
                Event::PlyReported(ply) => drop(plies.insert(ply.ply_id, ply.clone())),
                Event::PlyRetracted(ply) => drop(plies.remove(&ply.ply_id)),
                _ => {}
            }
        }
        plies.into_values().collect()
    };
    let at_last = of(at_last);
    let same =
        |a: &PlyReported, b: &PlyReported| (a.board, a.side, &a.uci) == (b.board, b.side, &b.uci);
    let is_late = |ply: &&PlyReported| {
        let true_ones: Vec<u64> =
            at_last.iter().filter(|other| same(ply, other)).map(|other| other.t_us).collect();
        !true_ones.is_empty() && true_ones.iter().all(|t_us| t_us + 2_000_000 < ply.t_us)
    };
    let fact = |ply: &PlyReported| {
        let board = if ply.board == 1 { "A" } else { "B" };
        let side = if ply.side == 1 { "white" } else { "black" };
        let (t_us, uci) = (ply.t_us, &ply.uci);
        format!(
            r#"{{"kind":"fact","board":"{board}","side":"{side}","t_us":{t_us},"uci":"{uci}"}}"#
        )
    };
    of(live).iter().filter(is_late).map(fact).collect()
}

#[tokio::test]
async fn what_somebody_knew_of_a_ply_when_it_counted_is_not_contradicted_by_when_it_was_made() {
    let (deliveries, _) = with_a_cut(SHORT_CUT_US);
    let folder = tempfile::tempdir().unwrap();
    let (opened, mut task) = play_through(folder.path(), &deliveries, &[]).await;
    let live = rows(&opened.reader).await;
    look_again(&mut task, &opened).await;
    let at_last = rows(&opened.reader).await;
    let known = confirmed_as_it_counted(&live, &at_last);
    assert!(!known.is_empty(), "a ply was told long after it was made");
    let id = opened.reader.matches().await.unwrap()[0].0.clone();
    let trace = opened.reader.trace(&id).await.unwrap().unwrap();
    let mut contradicted_by_truth = 0;
    for line in known {
        let facts = FactsFile::read(line.as_bytes()).unwrap().of(&id);
        let (_, _, unreconciled) = follow(&trace.header, &trace.readings, facts.clone());
        contradicted_by_truth += unreconciled.len();
        assert_eq!(follow_as_known(&trace, &facts).2, [], "{line}");
    }
    assert!(contradicted_by_truth > 0, "the true order alone would not do");
}
