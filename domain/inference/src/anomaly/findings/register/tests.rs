//! Reported, revised and withdrawn findings, and the rules that they cite.

use rules::Color;

use crate::anomaly::findings::register::*;

fn finding(confidence: f64) -> Finding {
    Finding {
        code: AnomalyCode::MissedPress,
        side: Some(Color::White),
        t_us: 3,
        confidence,
        slot: Some(0),
        reason: None,
        evidence: "seen".into(),
    }
}

fn register(rulebook: &str) -> Register {
    Register::of(&TraceHeader::new(rulebook, 300, Default::default()))
}

fn update(register: &mut Register, findings: Vec<Finding>) -> Vec<TrackerOutput> {
    update_at(register, findings, Stage::Live)
}

fn update_at(register: &mut Register, findings: Vec<Finding>, stage: Stage) -> Vec<TrackerOutput> {
    let mut out = VecDeque::new();
    let occasion = Occasion {
        board: BoardId::A,
        layer: Some(4),
        plies: &[PlyId(9)],
        stage,
        now_us: 10,
        remembered: true,
    };
    register.update(findings, occasion, &mut out);
    out.into()
}

#[test]
fn nobody_is_said_to_have_pressed_at_a_board_without_a_clock() {
    let board =
        |clockless| BoardHeader { clockless, ..BoardHeader::new(readings::SensorKind::Reed) };
    for clockless in [false, true] {
        let boards = [(BoardId::A, board(clockless))].into();
        let header = TraceHeader::new("us-chess-bughouse-2018", 300, boards);
        let reported = update(&mut Register::of(&header), vec![finding(0.9)]).len();
        assert_eq!(reported, usize::from(!clockless));
    }
}

#[test]
fn a_sensor_that_is_out_of_order_leaves_room_for_what_players_do() {
    let mut register = register("us-chess-bughouse-2018");
    let mut out = VecDeque::new();
    for t_us in 0..5_000 {
        let code = AnomalyCode::SensorFault;
        let fault = Finding { code, side: None, slot: None, t_us, ..finding(0.95) };
        let occasion = Occasion::of_reading(BoardId::A, t_us);
        register.update(vec![fault], occasion, &mut out);
    }
    assert_eq!((out.len(), register.entries.len()), (READINGS_ENTRIES_MAX, READINGS_ENTRIES_MAX));
    assert!(register.memory_bytes() < 1 << 20);
    assert_eq!(update(&mut register, vec![finding(0.9)]).len(), 1);
    for layer in 0..5_000 {
        let occasion = Occasion {
            board: BoardId::A,
            layer: Some(layer),
            plies: &[],
            stage: Stage::Live,
            now_us: 9,
            remembered: true,
        };
        register.update(vec![finding(0.9)], occasion, &mut out);
    }
    assert_eq!(register.entries.len(), ENTRIES_MAX);
}

#[test]
fn an_anomaly_is_reported_when_likelier_than_not_with_its_rule_and_ply() {
    let mut register = register("us-chess-bughouse-2018");
    assert!(update(&mut register, vec![finding(0.4)]).is_empty());
    let out = update(&mut register, vec![finding(0.7)]);
    let [TrackerOutput::Anomaly(report)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(report.rule.as_deref(), Some("us-chess-bughouse-2018 6"));
    assert_eq!(report.ply, Some(PlyId(9)));
}

#[test]
fn an_unknown_rulebook_has_no_rules_to_cite() {
    let mut register = register("house-rules");
    let out = update(&mut register, vec![finding(0.7)]);
    let [TrackerOutput::Anomaly(report)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(report.rule, None);
}

#[test]
fn doubt_alone_does_not_retract_but_its_absence_does() {
    let mut register = register("us-chess-bughouse-2018");
    update(&mut register, vec![finding(0.7)]);
    assert!(update(&mut register, vec![finding(0.4)]).is_empty());
    let out = update(&mut register, vec![finding(0.1)]);
    assert_eq!(out, [TrackerOutput::AnomalyRetracted { id: AnomalyId(0), t_us: 10 }]);
    assert!(register.entries[0].retracted);
    let out = update(&mut register, vec![finding(0.8)]);
    let [TrackerOutput::Anomaly(report)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((report.id, report.revision), (AnomalyId(0), 1));
}

#[test]
fn the_last_word_on_a_match_keeps_no_report_that_it_would_not_make() {
    let mut register = register("us-chess-bughouse-2018");
    update(&mut register, vec![finding(0.7)]);
    assert!(update_at(&mut register, vec![finding(0.4)], Stage::Lagged).is_empty());
    let out = update_at(&mut register, vec![finding(0.4)], Stage::Final);
    assert_eq!(out, [TrackerOutput::AnomalyRetracted { id: AnomalyId(0), t_us: 10 }]);
}

#[test]
fn what_lasts_is_one_anomaly_and_what_happens_again_is_another() {
    let mut register = register("us-chess-bughouse-2018");
    let mut reported = |code: AnomalyCode, t_us: u64| {
        let mut out = VecDeque::new();
        let stage = Stage::Live;
        let occasion = Occasion {
            board: BoardId::A,
            layer: None,
            plies: &[],
            stage,
            now_us: t_us,
            remembered: true,
        };
        let finding = Finding { code, t_us, slot: None, ..finding(1.0) };
        register.update(vec![finding], occasion, &mut out);
        out.len()
    };
    assert_eq!(reported(AnomalyCode::FlagFallen, 5) + reported(AnomalyCode::FlagFallen, 6), 1);
    assert_eq!(reported(AnomalyCode::ClockJump, 5) + reported(AnomalyCode::ClockJump, 6), 2);
}

fn cited(book: BookId, code: AnomalyCode) -> Option<String> {
    let occasion = Occasion {
        board: BoardId::A,
        layer: None,
        plies: &[],
        stage: Stage::Live,
        now_us: 0,
        remembered: true,
    };
    report(Some(book), Finding { code, ..finding(0.9) }, occasion).rule
}

#[test]
fn a_rule_is_cited_with_its_book() {
    let bughouse = cited(BookId::UsChessBughouse2018, AnomalyCode::ClockHand);
    assert_eq!(bughouse.as_deref(), Some("us-chess-bughouse-2018 13"));
    let blitz = cited(BookId::NcBlitz, AnomalyCode::ClockHand);
    assert_eq!(blitz.as_deref(), Some("nc-blitz 3"));
}

#[test]
fn touching_a_piece_is_an_offence_only_where_a_book_says_so() {
    assert_eq!(cited(BookId::UsChessBughouse2018, AnomalyCode::TouchMove), None);
    let blitz = cited(BookId::UsChessBlitz2020, AnomalyCode::TouchMove);
    assert_eq!(blitz.as_deref(), Some("us-chess-blitz-2020 10"));
}
