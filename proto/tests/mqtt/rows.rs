//! Rows from the network: good ones pass, and each kind of bad one is named.

use proptest::prelude::*;
use prost::Message as _;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::*;
use proto::mqtt::{
    MAX_CLIP_BYTES, MAX_ROWS, MAX_ROWS_BYTES, MAX_ZERO_PAIRS, ReceivedRows, RowsError, check_row,
    decode, decode_rows, encode_rows,
};

/// One row of each kind, as hubs of the first release write them.
pub(crate) fn one_of_each() -> Vec<Event> {
    let match_id = || "m1".to_owned();
    let setup = |board: Board| BoardSetup { board: board.into(), sensor: "reed".into() };
    vec![
        Event::MatchOpened(MatchOpened {
            match_id: match_id(),
            rulebook: "us-chess-bughouse-2018".into(),
            base_ms: 300_000,
            delay_ms: 0,
            boards: vec![setup(Board::A), setup(Board::B)],
            ..MatchOpened::default()
        }),
        Event::MatchStateChanged(MatchStateChanged {
            match_id: match_id(),
            state: MatchState::Playing.into(),
            t_us: 5,
        }),
        Event::PlyReported(PlyReported {
            match_id: match_id(),
            ply_id: 3,
            revision: 1,
            stage: Stage::Lagged.into(),
            board: Board::B.into(),
            side: Side::Black.into(),
            t_us: 2_100_000,
            uci: "N@f3".into(),
            p: 0.75,
            legal: true,
            alternatives: vec![Alternative { uci: "B@f3".into(), p: 0.25 }],
            clock_ms: Some(298_000),
            ..PlyReported::default()
        }),
        Event::PlyRetracted(PlyRetracted { match_id: match_id(), ply_id: 3, t_us: 6 }),
        Event::AnomalyReported(AnomalyReported {
            match_id: match_id(),
            anomaly_id: 1,
            revision: 0,
            code: "illegal-move".into(),
            board: Board::A.into(),
            side: Some(Side::White.into()),
            t_us: 7,
            confidence: 0.5,
            rule: "1E".into(),
            ply_id: Some(0),
            reason: "king-left-in-check".into(),
            evidence: "e8 stayed occupied".into(),
        }),
        Event::AnomalyRetracted(AnomalyRetracted { match_id: match_id(), anomaly_id: 1, t_us: 8 }),
        Event::ClockRead(ClockRead {
            match_id: match_id(),
            board: Board::A.into(),
            white_ms: 1_000,
            black_ms: -5,
            running: Some(Side::White.into()),
            t_us: 9,
        }),
        Event::NodeStateChanged(NodeStateChanged {
            node_id: "board-1".into(),
            board: None,
            state: NodeState::Lost.into(),
            detail: "silent for 3 s".into(),
        }),
    ]
}

/// Rows about what directors order.
pub(crate) fn of_orders() -> Vec<Event> {
    let candidates = vec![Alternative { uci: "N@e6".into(), p: 0.5 }];
    vec![
        Event::OrderTaken(OrderTaken { order_id: 9 }),
        Event::OrderEnded(OrderEnded {
            order_id: 9,
            outcome: OrderOutcome::Unsupported.into(),
            detail: "set it by hand".into(),
        }),
        Event::QuestionsAsked(QuestionsAsked {
            match_id: "m1".into(),
            questions: vec![Question { ply_id: 4, candidates }],
        }),
        Event::EvidenceClip(EvidenceClip {
            match_id: "m1".into(),
            order_id: 9,
            from_us: 1,
            to_us: 2,
            lines: "{}".into(),
        }),
        Event::SquaresRead(SquaresRead {
            match_id: "m1".into(),
            board: Board::B.into(),
            occupied: 0xFFFF_0000_0000_FFFF,
            t_us: 9,
        }),
        Event::PositionStands(PositionStands {
            match_id: "m1".into(),
            board: Board::B.into(),
            fact_us: 7,
            t_us: 9,
            differing: 1,
        }),
        Event::ZeroTested(ZeroTested {
            match_id: "m1".into(),
            order_id: 9,
            differences_us: vec![-20_000, 0, i32::MAX],
        }),
        Event::NodeTimed(NodeTimed {
            node_id: "clock-a".into(),
            board: Board::A.into(),
            error_us: 2_000,
        }),
    ]
}

pub(crate) fn rows() -> Rows {
    let row = |(index, event)| Row {
        sequence: index as u64 + 1,
        hub_time_us: 1_700_000_000_000_000,
        table: "1".into(),
        event: Some(event),
    };
    let rows = one_of_each().into_iter().enumerate().map(row).collect();
    Rows { hub_id: "hub-1".into(), boot_id: 77, rows, first_available: 1 }
}

/// The rows after the way over the wire.
fn passed(rows: &Rows) -> Result<Rows, RowsError> {
    decode_rows(&rows.encode_to_vec()).map(|received| received.rows)
}

/// Error of the rows after `change`: of the message, or of a row's content.
fn refused(change: impl FnOnce(&mut Rows)) -> RowsError {
    let mut rows = rows();
    change(&mut rows);
    match passed(&rows) {
        Err(error) => error,
        Ok(rows) => rows.rows.iter().find_map(|row| check_row(row).err()).unwrap(),
    }
}

/// The field that has no meaning after `change` of the event of row `index`.
fn field(index: usize, change: impl FnOnce(&mut Event)) -> &'static str {
    let error = refused(|rows| change(rows.rows[index].event.as_mut().unwrap()));
    let RowsError::Field { sequence, field } = error else { panic!("{error}") };
    assert_eq!(sequence, index as u64 + 1);
    field
}

#[test]
fn good_rows_come_through_unchanged() {
    assert_eq!(passed(&rows()), Ok(rows()));
}

#[test]
fn rows_that_are_encoded_one_by_one_are_the_same_message() {
    let bodies: Vec<Vec<u8>> = rows().rows.iter().map(Row::encode_to_vec).collect();
    let bytes = encode_rows("hub-1", 77, 1, bodies.iter().map(Vec::as_slice));
    assert_eq!(bytes, rows().encode_to_vec());
}

#[test]
fn rows_without_a_sender_are_refused() {
    assert_eq!(refused(|rows| rows.hub_id.clear()), RowsError::NoSender);
    assert_eq!(refused(|rows| rows.boot_id = 0), RowsError::NoSender);
}

#[test]
fn too_few_or_too_many_rows_are_refused() {
    assert_eq!(refused(|rows| rows.rows.clear()), RowsError::Count(0));
    let many = refused(|rows| {
        let row = rows.rows[1].clone();
        let number = |sequence| Row { sequence, ..row.clone() };
        rows.rows = (1..=MAX_ROWS as u64 + 1).map(number).collect();
    });
    assert_eq!(many, RowsError::Count(MAX_ROWS + 1));
    assert_eq!(
        decode_rows(&vec![0; MAX_ROWS_BYTES + 1]),
        Err(RowsError::TooLarge(MAX_ROWS_BYTES + 1))
    );
}

#[test]
fn rows_out_of_order_are_refused() {
    let swapped = refused(|rows| rows.rows.swap(2, 3));
    assert_eq!(swapped, RowsError::Order { expected: 3, found: 4 });
    let zero = refused(|rows| rows.rows[0].sequence = 0);
    assert_eq!(zero, RowsError::Order { expected: 1, found: 0 });
}

#[test]
fn a_row_without_an_event_or_a_table_is_refused() {
    let error = refused(|rows| rows.rows[0].event = None);
    assert_eq!(error, RowsError::Field { sequence: 1, field: "event" });
    let error = refused(|rows| rows.rows[4].table.clear());
    assert_eq!(error, RowsError::Field { sequence: 5, field: "table" });
}

#[test]
fn a_row_of_a_later_release_comes_through_with_its_bytes_and_holds_up_nothing() {
    let mut bodies: Vec<Vec<u8>> = rows().rows.iter().map(Row::encode_to_vec).collect();
    // An event that this release does not know: field 99, three bytes.
    let later = Row { event: None, ..rows().rows[3].clone() };
    bodies[3] = [later.encode_to_vec(), vec![0x9A, 0x06, 3, 1, 2, 3]].concat();
    let bytes = encode_rows("hub-1", 77, 1, bodies.iter().map(Vec::as_slice));
    let received = decode_rows(&bytes).unwrap();
    assert_eq!(received.bodies, bodies);
    let unknown: Vec<u64> = received
        .rows
        .rows
        .iter()
        .filter(|row| check_row(row).is_err())
        .map(|row| row.sequence)
        .collect();
    assert_eq!(unknown, [4]);
}

macro_rules! wrong {
    ($index:literal $kind:ident $($field:ident = $value:expr),*) => {$({
        let found = field($index, |event| match event {
            Event::$kind(event) => event.$field = $value,
            other => panic!("{other:?}"),
        });
        assert_eq!(found, stringify!($field));
    })*};
}

#[test]
fn every_field_without_a_meaning_is_named() {
    let setup = |board: i32| BoardSetup { board, sensor: "reed".into() };
    let endless = |base_ms: u32| Period { base_ms, moves: 0 };
    wrong!(0 MatchOpened match_id = String::new(), rulebook = String::new(), boards = vec![],
        boards = vec![setup(1), setup(1)], boards = vec![setup(0)], boards = vec![setup(1), setup(3)],
        game = 3, game = -1, delay = 3,
        periods = vec![endless(300_000), endless(60_000)], periods = vec![endless(299_999)],
        periods = vec![Period { base_ms: 300_000, moves: 1 }; 9]);
    wrong!(1 MatchStateChanged match_id = String::new(), state = 0, state = 99);
    wrong!(2 PlyReported match_id = String::new(), stage = 0, board = 9, side = 0, uci = String::new(),
        p = f64::NAN, p = -0.1, p = 1.1,
        alternatives = vec![Alternative { uci: "e2e4".into(), p: f64::INFINITY }],
        alternatives = vec![Alternative { uci: String::new(), p: 0.1 }]);
    wrong!(3 PlyRetracted match_id = String::new());
    wrong!(4 AnomalyReported match_id = String::new(), code = String::new(), board = 0, side = Some(0),
        confidence = 2.0, evidence = "x".repeat(5_000), reason = "x".repeat(5_000), rule = "x".repeat(5_000));
    wrong!(5 AnomalyRetracted match_id = String::new());
    wrong!(6 ClockRead match_id = String::new(), board = 0, running = Some(3));
    wrong!(7 NodeStateChanged node_id = String::new(), board = Some(0), state = 0, detail = "x".repeat(5_000));
}

/// A chess game of two periods on one board, and one of its plies with all its times.
pub(crate) fn of_chess() -> Vec<Event> {
    let rest = Period { base_ms: 1_800_000, moves: 0 };
    let opened = MatchOpened {
        match_id: "m2".into(),
        rulebook: "nc-scholastic".into(),
        base_ms: 5_400_000,
        delay_ms: 5_000,
        boards: vec![BoardSetup { board: Board::A.into(), sensor: "reed".into() }],
        game: Game::Chess.into(),
        periods: vec![Period { base_ms: 5_400_000, moves: 40 }, rest],
        increment_ms: 0,
        delay: DelayKind::Bronstein.into(),
    };
    let Some(Event::PlyReported(ply)) = one_of_each().into_iter().nth(2) else { panic!() };
    let (touched_us, released_us) = (Some(1_500_000), Some(2_000_000));
    let ply = PlyReported { match_id: "m2".into(), released_us, touched_us, ..ply };
    vec![Event::MatchOpened(opened), Event::PlyReported(ply)]
}

fn row_of(event: Event) -> Row {
    Row { sequence: 1, hub_time_us: 1, table: "1".into(), event: Some(event) }
}

/// The field of a chess game's rows that has no meaning after `change`.
fn chess_field(change: impl FnOnce(&mut MatchOpened, &mut PlyReported)) -> &'static str {
    let mut events = of_chess();
    let [Event::MatchOpened(opened), Event::PlyReported(ply)] = &mut events[..] else { panic!() };
    change(opened, ply);
    let refused = events.into_iter().find_map(|event| check_row(&row_of(event)).err());
    let Some(RowsError::Field { field, .. }) = refused else { panic!("{refused:?}") };
    field
}

#[test]
fn a_chess_game_of_several_periods_comes_through_unchanged() {
    let rows: Vec<Row> = of_chess()
        .into_iter()
        .zip(1..)
        .map(|(event, sequence)| Row { sequence, ..row_of(event) })
        .collect();
    let rows = Rows { hub_id: "hub-1".into(), boot_id: 77, rows, first_available: 0 };
    assert_eq!(passed(&rows), Ok(rows));
}

#[test]
fn what_contradicts_itself_in_a_chess_game_is_named() {
    let second = BoardSetup { board: Board::B.into(), sensor: "reed".into() };
    assert_eq!(chess_field(|opened, _| opened.boards.push(second)), "boards");
    assert_eq!(chess_field(|opened, _| opened.increment_ms = 1), "increment_ms");
    assert_eq!(chess_field(|opened, _| opened.base_ms = 1), "periods");
    assert_eq!(chess_field(|opened, _| opened.periods[0].moves = 0), "periods");
    assert_eq!(chess_field(|_, ply| ply.touched_us = Some(2_000_001)), "touched_us");
}

/// Message of a hub of the first release, up to its field 5.
#[derive(Clone, PartialEq, prost::Message)]
struct FirstMatchOpened {
    #[prost(string, tag = "1")]
    match_id: String,
    #[prost(string, tag = "2")]
    rulebook: String,
    #[prost(uint32, tag = "3")]
    base_ms: u32,
    #[prost(message, repeated, tag = "5")]
    boards: Vec<BoardSetup>,
}

#[test]
fn a_match_of_a_hub_that_knows_no_games_is_read_and_ours_is_read_by_its_adjudicator() {
    let board = BoardSetup { board: Board::A.into(), sensor: "reed".into() };
    let old = FirstMatchOpened {
        match_id: "m1".into(),
        rulebook: "us-chess-bughouse-2018".into(),
        base_ms: 300_000,
        boards: vec![board],
    };
    let read = MatchOpened::decode(old.encode_to_vec().as_slice()).unwrap();
    assert_eq!(read.game(), Game::Unspecified);
    assert_eq!(
        (read.periods.len(), read.increment_ms, read.delay()),
        (0, 0, DelayKind::Unspecified)
    );
    assert_eq!(check_row(&row_of(Event::MatchOpened(read.clone()))), Ok(()));
    let ours = MatchOpened { game: Game::Chess.into(), increment_ms: 2_000, ..read };
    assert_eq!(FirstMatchOpened::decode(ours.encode_to_vec().as_slice()).unwrap(), old);
}

#[test]
fn a_hub_can_check_a_row_before_it_commits_it() {
    for row in rows().rows {
        assert_eq!(check_row(&row), Ok(()));
    }
    assert!(check_row(&Row::default()).is_err());
}

#[test]
fn a_probability_may_be_rounded_up_a_little() {
    let mut rows = rows();
    let Some(Event::PlyReported(ply)) = &mut rows.rows[2].event else { panic!() };
    ply.p = 1.0 + 1e-9;
    assert!(rows.rows.iter().all(|row| check_row(row).is_ok()));
}

proptest! {
    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode_rows(&bytes);
        let _ = decode::<Command>(&bytes);
        let _ = decode::<HubState>(&bytes);
    }

    #[test]
    fn damaged_rows_are_refused_or_keep_their_order(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut bytes = rows().encode_to_vec();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        if let Ok(ReceivedRows { rows, bodies }) = decode_rows(&bytes) {
            prop_assert_eq!(bodies.len(), rows.rows.len());
            prop_assert!(rows.rows.windows(2).all(|pair| pair[0].sequence + 1 == pair[1].sequence));
        }
    }

    #[test]
    fn plies_survive_the_wire(ply_id: u32, revision: u32, t_us: u64, p in 0.0..=1.0, clock_ms: Option<i64>, uci in "[a-h][1-8][a-h][1-8]", touched_us: u32, held_us: Option<u32>) {
        let mut sent = rows();
        let Some(Event::PlyReported(ply)) = &mut sent.rows[2].event else { panic!() };
        let released_us = held_us.map(|held_us| u64::from(touched_us) + u64::from(held_us));
        let touched_us = Some(u64::from(touched_us));
        *ply = PlyReported { ply_id, revision, t_us, p, clock_ms, uci, released_us, touched_us, ..ply.clone() };
        prop_assert_eq!(passed(&sent), Ok(sent));
    }
}

#[test]
fn answers_to_orders_name_the_order_and_say_what_became_of_it() {
    let refused = |change: fn(&mut Event), index: usize| {
        let mut event = of_orders().swap_remove(index);
        change(&mut event);
        let row = Row { sequence: 1, hub_time_us: 2, table: "t".into(), event: Some(event) };
        let Err(RowsError::Field { field, .. }) = check_row(&row) else { panic!("taken: {row:?}") };
        field
    };
    let nameless = |event: &mut Event| {
        if let Event::OrderTaken(taken) = event {
            taken.order_id = 0;
        }
    };
    assert_eq!(refused(nameless, 0), "order_id");
    let silent = |event: &mut Event| {
        if let Event::OrderEnded(ended) = event {
            ended.outcome = 0;
        }
    };
    assert_eq!(refused(silent, 1), "outcome");
    let flood = |event: &mut Event| {
        if let Event::QuestionsAsked(asked) = event {
            asked.questions = vec![asked.questions[0].clone(); 9];
        }
    };
    assert_eq!(refused(flood, 2), "questions");
    let endless = |event: &mut Event| {
        if let Event::EvidenceClip(clip) = event {
            clip.lines = "x".repeat(MAX_CLIP_BYTES + 1);
        }
    };
    assert_eq!(refused(endless, 3), "lines");
    let boardless = |event: &mut Event| {
        if let Event::SquaresRead(read) = event {
            read.board = 0;
        }
    };
    assert_eq!(refused(boardless, 4), "board");
    let early = |event: &mut Event| {
        if let Event::PositionStands(stands) = event {
            stands.t_us = 6;
        }
    };
    assert_eq!(refused(early, 5), "t_us");
    let endless = |event: &mut Event| {
        if let Event::ZeroTested(tested) = event {
            tested.differences_us = vec![0; MAX_ZERO_PAIRS + 1];
        }
    };
    assert_eq!(refused(endless, 6), "differences_us");
    let boardless = |event: &mut Event| {
        if let Event::NodeTimed(timed) = event {
            timed.board = 0;
        }
    };
    assert_eq!(refused(boardless, 7), "board");
}
