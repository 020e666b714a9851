//! Rows of any content, in any order, as a hub with an account may send them: none makes judging fail, nor a page about the result of
//! them.

use proptest::prelude::*;
use prost::Message as _;
use proto::mqtt::match_of;
use proto::mqtt::message::{
    Alternative, AnomalyReported, AnomalyRetracted, BoardSetup, ClockRead, HubState, MatchOpened,
    MatchStateChanged, NodeStateChanged, NodeTimed, OrderEnded, OrderTaken, Period, PlyReported,
    PlyRetracted, PositionStands, Question, QuestionsAsked, Row, SquaresRead, ZeroTested,
    row::Event,
};

use super::{EventId, Hall};
use crate::{
    Config,
    log::input::{Input, InputKind},
    views::{DirectorView, TableView},
};

/// Arrival of the first row, Unix milliseconds: some day in 2026.
const RECEIVED_MS: u64 = 1_780_000_000_000;

/// Numbers that are near each other, and such at which arithmetic ends.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..9u64, 3 => 0..90_000_000u64, 1 => Just(u64::MAX), 1 => Just(1 << 62)]
}

fn small() -> impl Strategy<Value = u32> {
    prop_oneof![9 => 0..9u32, 1 => Just(u32::MAX)]
}

fn signed() -> impl Strategy<Value = i64> {
    prop_oneof![6 => -9..400_000i64, 1 => Just(i64::MIN), 1 => Just(i64::MAX)]
}

fn share() -> impl Strategy<Value = f64> {
    prop_oneof![6 => 0.0..=1.0, 1 => Just(f64::NAN), 1 => Just(-1.0), 1 => Just(f64::INFINITY)]
}

/// An enumeration's number, one that is unknown among them.
fn kind() -> impl Strategy<Value = i32> {
    prop_oneof![12 => 0..6i32, 1 => Just(-1), 1 => Just(i32::MAX)]
}

fn text(known: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(known).prop_map(str::to_owned),
        1 => ".{0,12}".prop_map(|text| text),
    ]
}

fn match_id() -> impl Strategy<Value = String> {
    text(&["m-1", "m-2"])
}

fn uci() -> impl Strategy<Value = String> {
    text(&[
        "e2e4", "e7e5", "g1f3", "N@e6", "P@a8", "Q@e4", "e1g1", "e7e8q", "e1e8", "d7d5", "e4d5",
        "f1c4", "d8h4", "g2g4", "a1a1",
    ])
}

fn code() -> impl Strategy<Value = String> {
    text(&[
        "illegal-move",
        "touch-move",
        "flag-fallen",
        "both-flags",
        "setup-wrong",
        "clock-set-wrong",
        "early-press",
        "out-of-turn",
        "hidden-piece",
        "sensor-fault",
    ])
}

fn alternatives() -> impl Strategy<Value = Vec<Alternative>> {
    prop::collection::vec((uci(), share()).prop_map(|(uci, p)| Alternative { uci, p }), 0..3)
}

fn ply() -> impl Strategy<Value = Event> {
    let which = (match_id(), small(), small(), kind(), kind(), kind(), number());
    let what = (uci(), share(), any::<bool>(), alternatives());
    let times = prop::option::of((signed(), number(), number()));
    (which, what, times).prop_map(|(which, (uci, p, legal, alternatives), times)| {
        let (match_id, ply_id, revision, stage, board, side, t_us) = which;
        let clock_ms = times.map(|times| times.0);
        let (released_us, touched_us) = (times.map(|times| times.1), times.map(|times| times.2));
        Event::PlyReported(PlyReported {
            match_id,
            ply_id,
            revision,
            stage,
            board,
            side,
            t_us,
            uci,
            p,
            legal,
            alternatives,
            clock_ms,
            released_us,
            touched_us,
        })
    })
}

fn anomaly() -> impl Strategy<Value = Event> {
    let which = (match_id(), small(), small(), code(), kind(), prop::option::of(kind()), number());
    let what = (share(), text(&[""]), prop::option::of(small()), text(&["", "castling"]));
    (which, what).prop_map(|(which, (confidence, rule, ply_id, reason))| {
        let (match_id, anomaly_id, revision, code, board, side, t_us) = which;
        let evidence = "it was seen".to_owned();
        Event::AnomalyReported(AnomalyReported {
            match_id,
            anomaly_id,
            revision,
            code,
            board,
            side,
            t_us,
            confidence,
            rule,
            ply_id,
            reason,
            evidence,
        })
    })
}

fn opened() -> impl Strategy<Value = Event> {
    let book = text(&["us-chess-bughouse-2018", "us-chess-blitz-2020", ""]);
    let boards = prop::collection::vec(
        (kind(), text(&["reed", "piece-id"]))
            .prop_map(|(board, sensor)| BoardSetup { board, sensor }),
        0..3,
    );
    let period = (small(), small()).prop_map(|(base_ms, moves)| Period { base_ms, moves });
    let time = (small(), small(), prop::collection::vec(period, 0..3), small(), kind());
    (match_id(), book, boards, kind(), time).prop_map(|(match_id, rulebook, boards, game, time)| {
        let (base_ms, delay_ms, periods, increment_ms, delay) = time;
        Event::MatchOpened(MatchOpened {
            match_id,
            rulebook,
            base_ms,
            delay_ms,
            boards,
            game,
            periods,
            increment_ms,
            delay,
        })
    })
}

fn clock() -> impl Strategy<Value = Event> {
    (match_id(), kind(), signed(), signed(), prop::option::of(kind()), number()).prop_map(
        |(match_id, board, white_ms, black_ms, running, t_us)| {
            Event::ClockRead(ClockRead { match_id, board, white_ms, black_ms, running, t_us })
        },
    )
}

fn others() -> impl Strategy<Value = Event> {
    let questions = (match_id(), prop::collection::vec((small(), alternatives()), 0..3)).prop_map(
        |(match_id, asked)| {
            let questions = asked
                .into_iter()
                .map(|(ply_id, candidates)| Question { ply_id, candidates })
                .collect();
            Event::QuestionsAsked(QuestionsAsked { match_id, questions })
        },
    );
    prop_oneof![
        3 => (match_id(), kind(), number()).prop_map(|(match_id, state, t_us)| {
            Event::MatchStateChanged(MatchStateChanged { match_id, state, t_us })
        }),
        3 => (match_id(), small(), number()).prop_map(|(match_id, ply_id, t_us)| {
            Event::PlyRetracted(PlyRetracted { match_id, ply_id, t_us })
        }),
        2 => (match_id(), small(), number()).prop_map(|(match_id, anomaly_id, t_us)| {
            Event::AnomalyRetracted(AnomalyRetracted { match_id, anomaly_id, t_us })
        }),
        1 => (text(&["n-1"]), prop::option::of(kind()), kind()).prop_map(|(node_id, board, state)| {
            let detail = "its cable is out".to_owned();
            Event::NodeStateChanged(NodeStateChanged { node_id, board, state, detail })
        }),
        1 => number().prop_map(|order_id| Event::OrderTaken(OrderTaken { order_id })),
        1 => (number(), kind()).prop_map(|(order_id, outcome)| {
            Event::OrderEnded(OrderEnded { order_id, outcome, detail: String::new() })
        }),
        1 => questions,
        1 => Just(Event::SquaresRead(SquaresRead::default())),
        1 => Just(Event::PositionStands(PositionStands::default())),
        1 => (match_id(), number(), prop::collection::vec(any::<i32>(), 0..70)).prop_map(
            |(match_id, order_id, differences_us)| {
                Event::ZeroTested(ZeroTested { match_id, order_id, differences_us })
            }
        ),
        1 => (kind(), any::<u32>()).prop_map(|(board, error_us)| {
            Event::NodeTimed(NodeTimed { node_id: "n-1".to_owned(), board, error_us })
        }),
    ]
}

fn row() -> impl Strategy<Value = (String, u64, Event)> {
    let event =
        prop_oneof![1 => opened(), 12 => ply(), 5 => anomaly(), 4 => clock(), 6 => others()];
    (text(&["west", "east"]), number(), event)
}

/// The hall after a match was opened and these rows came.
fn hall_after(rows: Vec<(String, u64, Event)>) -> Hall {
    hall_with_looks(rows, |_| {})
}

/// The same; `look` sees the hall before each row.
fn hall_with_looks(rows: Vec<(String, u64, Event)>, mut look: impl FnMut(&Hall)) -> Hall {
    let mut hall = Hall::new(&Config::default());
    let north = Some("north".to_owned());
    let state =
        HubState { hub_id: "north".into(), boot_id: 1, online: true, ..HubState::default() };
    let opened = Event::MatchOpened(MatchOpened {
        match_id: "m-1".to_owned(),
        rulebook: "us-chess-bughouse-2018".to_owned(),
        base_ms: 300_000,
        boards: [1, 2].map(|board| BoardSetup { board, sensor: "reed".to_owned() }).to_vec(),
        game: 1,
        ..MatchOpened::default()
    });
    let mut apply = |id, kind, match_id, payload| {
        look(&hall);
        crate::owner::decode::apply(
            &mut hall,
            &Input {
                id,
                received_ms: RECEIVED_MS + id,
                kind,
                hub: north.clone(),
                match_id,
                payload,
            },
        );
    };
    apply(1, InputKind::LinkUp, None, Vec::new());
    apply(2, InputKind::HubState, None, state.encode_to_vec());
    let rows = std::iter::once(("west".to_owned(), 1, opened)).chain(rows);
    for (at, (table, hub_time_us, event)) in rows.enumerate() {
        let match_id = match_of(&event).map(str::to_owned);
        let row = Row { sequence: at as u64 + 1, hub_time_us, table, event: Some(event) };
        apply(at as u64 + 3, InputKind::Row, match_id, row.encode_to_vec());
    }
    hall
}

/// The pages' views of the matches and tables.
fn shown(hall: &Hall) -> String {
    let config = Config::default();
    let games = hall.games();
    let views = games.iter().map(|game| {
        serde_json::to_string(&DirectorView::of(&config, hall, game, RECEIVED_MS)).unwrap()
    });
    let tables = hall.tables.list.slots().collect::<Vec<_>>();
    format!("{:?} {} {tables:?}", views.collect::<Vec<_>>(), hall.last_input())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn rows_of_any_content_are_judged_or_refused_and_can_be_shown(rows in prop::collection::vec(row(), 0..60)) {
        let (hall, config) = (hall_after(rows), Config::default());
        let failed: Vec<String> = hall.failures.notices().map(|it| it.words).collect();
        prop_assert!(failed.is_empty(), "{failed:?}");
        prop_assert!(hall.game("m-1").is_some());
        for game in hall.games() {
            let _ = serde_json::to_string(&TableView::of_game(&hall, game));
            let _ = serde_json::to_string(&DirectorView::of(&config, &hall, game, RECEIVED_MS + 2_000));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_shows_for_ever_what_it_showed(rows in prop::collection::vec(row(), 0..16)) {
        let mut snapshots = Vec::new();
        let last = hall_with_looks(rows.clone(), |hall| snapshots.push((hall.clone(), shown(hall))));
        for (snapshot, before) in &snapshots {
            prop_assert_eq!(&shown(snapshot), before);
        }
        prop_assert_eq!(shown(&last), shown(&hall_after(rows)), "and changes nothing of what follows");
    }

    #[test]
    fn indices_find_what_a_search_finds(rows in prop::collection::vec(row(), 0..60)) {
        let hall = hall_after(rows);
        for (slot, table) in hall.tables.list.slots().enumerate() {
            prop_assert_eq!(hall.tables.slot_of(&table.name), Some(slot));
            let (partition, event) = table.changed();
            let before = EventId::from(event.number() - 1);
            let mut changed = hall.tables().changed_after(partition, before);
            prop_assert!(changed.any(|it| it.name == table.name));
            prop_assert!(hall.tables().changed_after(partition, event).all(|it| it.changed.1 > event));
        }
        for game in hall.games() {
            let at = hall.tables.list.slots().position(|table| table.match_id.as_ref() == Some(&game.id));
            prop_assert_eq!(hall.tables.slot_of_match(&game.id), at);
            prop_assert_eq!(hall.tables.timed.contains(game.id.as_str()), game.referee().poll_timeout().is_some());
        }
        let of_north = hall.games().iter().filter(|game| game.hub == "north").count();
        prop_assert_eq!(hall.tables.matches.count_of_hub("north"), of_north);
    }
}
