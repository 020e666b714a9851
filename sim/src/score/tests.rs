//! Hand-made alignments, properties and the printed table.

use proptest::prelude::*;
use readings::{
    Alternative, InferredAnomaly, InferredLine, InferredPly, LiveAnswer, TruthAnomaly, TruthLine,
    TruthPly,
};
use rules::{BoardId, Color};

use super::{MatchRecord, Report, Score, Step, align, score_match};

/// Plies as text: `"A e2e4"`, White and Black in turn on each board, a second apart.
fn truth_of(plies: &[&str]) -> Vec<TruthPly> {
    let mut made = [0_usize; 2];
    plies
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let (board, uci) = text.split_once(' ').unwrap();
            let board: BoardId = board.parse().unwrap();
            let side = if made[board.index()] % 2 == 0 { Color::White } else { Color::Black };
            made[board.index()] += 1;
            TruthPly {
                n: index as u32 + 1,
                board,
                side,
                uci: uci.parse().unwrap(),
                t_us: (index as u64 + 1) * 1_000_000,
                legal: true,
            }
        })
        .collect()
}

fn inferred_as(ply: &TruthPly) -> InferredPly {
    InferredPly {
        n: ply.n,
        board: ply.board,
        side: ply.side,
        t_us: ply.t_us,
        uci: ply.uci,
        p: 1.0,
        legal: ply.legal,
        alternatives: Vec::new(),
        live: Some(LiveAnswer { uci: ply.uci, p: 1.0, t_us: ply.t_us + 50_000 }),
        lag8: Some(Alternative { uci: ply.uci, p: 1.0 }),
    }
}

fn inferred_of(plies: &[TruthPly]) -> Vec<InferredPly> {
    plies.iter().map(inferred_as).collect()
}

fn scored(truth: &[TruthPly], inferred: &[InferredPly]) -> Score {
    let truth: Vec<TruthLine> = truth.iter().cloned().map(TruthLine::Ply).collect();
    let inferred: Vec<InferredLine> = inferred.iter().cloned().map(InferredLine::Ply).collect();
    score_match("test", &truth, &inferred).unwrap()
}

fn right(score: &Score) -> [u64; 3] {
    [score.plies.live.right, score.plies.lag8.right, score.plies.end.right]
}

const OPENING: [&str; 12] = [
    "A e2e4", "B d2d4", "A e7e5", "B d7d5", "A g1f3", "B c2c4", "A b8c6", "B d5c4", "A f1b5",
    "B P@e4", "A a7a6", "B N@f6",
];

#[test]
fn missed_ply_in_the_middle_costs_one_ply() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    inferred.remove(4);
    let score = scored(&truth, &inferred);
    assert_eq!((score.missed, score.misread, score.invented), (1, 0, 0));
    assert_eq!(right(&score), [11, 11, 11]);
    assert_eq!((score.exact.right, score.lost.right), (0, 0));
}

#[test]
fn invented_ply_costs_no_true_ply_but_exactness() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    let mut extra = inferred[2].clone();
    extra.uci = "h7h6".parse().unwrap();
    inferred.insert(3, extra);
    let score = scored(&truth, &inferred);
    assert_eq!((score.missed, score.misread, score.invented), (0, 0, 1));
    assert_eq!(right(&score), [12, 12, 12]);
    assert_eq!((score.exact.right, score.exact_in_squares.right), (0, 0));
    assert_eq!(score.calibration.end.brier(), Some(1.0 / 13.0), "an invented answer is wrong");
}

#[test]
fn misread_ply_is_one_wrong_ply_and_not_a_missed_and_an_invented_one() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    inferred[4].uci = "g1e2".parse().unwrap();
    let score = scored(&truth, &inferred);
    assert_eq!((score.missed, score.misread, score.invented), (0, 1, 0));
    assert_eq!(score.plies.live.right, 12, "the live answer was right");
    assert_eq!(score.plies.end.right, 11);
}

#[test]
fn wrong_drop_type_is_right_in_squares() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    inferred[11].uci = "B@f6".parse().unwrap();
    inferred[11].live = Some(LiveAnswer { uci: "Q@f6".parse().unwrap(), p: 0.4, t_us: 13_000_000 });
    let score = scored(&truth, &inferred);
    assert_eq!(score.exact_in_squares.right, 1);
    assert_eq!(score.exact.right, 0);
    let drops = score.drop_types;
    assert_eq!((drops.live.right, drops.lag8.right, drops.end.right), (1, 2, 1));
    assert_eq!(drops.end.of, 2);
}

#[test]
fn drop_on_a_wrong_square_is_a_wrong_drop_type() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    inferred[11].uci = "N@f5".parse().unwrap();
    let score = scored(&truth, &inferred);
    assert_eq!((score.drop_types.end.right, score.squares.end.right), (1, 11));
}

#[test]
fn wrong_promotion_is_right_in_squares() {
    let truth = truth_of(&["A b7a8n"]);
    let mut inferred = inferred_of(&truth);
    inferred[0].uci = "b7a8q".parse().unwrap();
    let score = scored(&truth, &inferred);
    assert_eq!((score.promotion_types.end.right, score.promotion_types.end.of), (0, 1));
    assert_eq!((score.promotion_types.live.right, score.exact_in_squares.right), (1, 1));
}

#[test]
fn ply_of_the_wrong_side_is_wrong() {
    let truth = truth_of(&["A e2e4"]);
    let mut inferred = inferred_of(&truth);
    inferred[0].side = Color::Black;
    let score = scored(&truth, &inferred);
    assert_eq!((score.squares.end.right, score.misread), (0, 1));
}

#[test]
fn ply_on_the_other_board_is_missed_there_and_invented_here() {
    let truth = truth_of(&["A e2e4"]);
    let mut inferred = inferred_of(&truth);
    inferred[0].board = BoardId::B;
    let score = scored(&truth, &inferred);
    assert_eq!((score.missed, score.invented), (1, 1));
}

#[test]
fn of_two_equal_plies_the_nearer_one_is_taken() {
    let truth = truth_of(&["A g1f3", "A g8f6", "A f3g1", "A f6g8", "A g1f3"]);
    let mut inferred = inferred_of(&truth);
    inferred.drain(0..4);
    let truth: Vec<&TruthPly> = truth.iter().collect();
    let inferred: Vec<&InferredPly> = inferred.iter().collect();
    let steps = align(&truth, &inferred);
    assert_eq!(steps[0], Step::Missed { truth: 0 });
    assert_eq!(steps[4], Step::Paired { truth: 4, inferred: 0 });
}

#[test]
fn unlike_plies_far_apart_are_missed_and_invented() {
    let truth = truth_of(&["A e2e4"]);
    let mut inferred = inferred_of(&truth);
    inferred[0].uci = "a7a5".parse().unwrap();
    inferred[0].t_us += 60_000_000;
    let score = scored(&truth, &inferred);
    assert_eq!((score.missed, score.misread, score.invented), (1, 0, 1));
}

#[test]
fn missing_live_answer_is_wrong() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    inferred[0].live = None;
    assert_eq!(right(&scored(&truth, &inferred)), [11, 12, 12]);
}

#[test]
fn answer_at_the_end_stands_in_for_the_lagged_one_of_the_last_eight_plies_only() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    for ply in &mut inferred {
        ply.lag8 = None;
    }
    assert_eq!(right(&scored(&truth, &inferred)), [12, 8, 12]);
}

#[test]
fn tracker_that_stops_halfway_loses_the_match() {
    let truth = truth_of(&OPENING.repeat(3));
    let inferred = inferred_of(&truth[..30]);
    let score = scored(&truth, &inferred);
    assert_eq!(score.lost.right, 0, "half of the last eight plies of each board are right");
    let inferred = inferred_of(&truth[..24]);
    let score = scored(&truth, &inferred);
    assert_eq!(score.lost.right, 1, "two of the last eight plies of each board are right");
    assert_eq!(score.squares.end.right, 24, "though two plies of three are");
}

#[test]
fn one_lost_board_is_a_lost_match() {
    let truth = truth_of(&OPENING);
    let inferred: Vec<InferredPly> =
        inferred_of(&truth).into_iter().filter(|ply| ply.board == BoardId::A).collect();
    assert_eq!(scored(&truth, &inferred).lost.right, 1);
}

#[test]
fn more_invented_than_true_plies_lose_the_match() {
    let truth = truth_of(&OPENING);
    let mut inferred = inferred_of(&truth);
    for extra in 0..14 {
        let mut ply = inferred[10].clone();
        ply.uci = "h7h6".parse().unwrap();
        ply.t_us += extra;
        inferred.push(ply);
    }
    assert_eq!(scored(&truth, &inferred).lost.right, 1);
}

#[test]
fn empty_match_is_neither_lost_nor_wrong() {
    let score = scored(&[], &[]);
    assert_eq!((score.lost.right, score.exact.right), (0, 1));
}

#[test]
fn endless_file_is_refused_by_name() {
    let truth = truth_of(&["A e2e4"]);
    let line = TruthLine::Ply(truth[0].clone());
    let error = score_match("g7", &vec![line; 4_001], &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "g7: board A has 4001 truth plies, over the limit of 4000: is this one match?"
    );
}

fn event(code: &str, board: BoardId, t_us: u64) -> TruthLine {
    TruthLine::Anomaly(TruthAnomaly {
        code: code.to_owned(),
        t_us,
        board,
        side: Some(Color::White),
    })
}

fn anomaly(code: &str, board: BoardId, t_us: u64) -> InferredAnomaly {
    InferredAnomaly {
        code: code.to_owned(),
        t_us,
        board,
        side: None,
        confidence: 0.8,
        rule: None,
        ply: None,
        reason: None,
        evidence: String::new(),
        first_t_us: t_us,
        retracted: false,
    }
}

#[test]
fn each_event_answers_for_one_report_within_the_window_on_its_board() {
    let truth = [
        event("missed-press", BoardId::A, 10_000_000),
        event("missed-press", BoardId::A, 50_000_000),
        event("missed-press", BoardId::B, 90_000_000),
    ];
    let mut retracted = anomaly("missed-press", BoardId::B, 90_000_000);
    retracted.retracted = true;
    let inferred: Vec<InferredLine> = [
        anomaly("missed-press", BoardId::A, 12_000_000),
        anomaly("missed-press", BoardId::A, 13_000_000),
        anomaly("missed-press", BoardId::A, 61_000_000),
        anomaly("missed-press", BoardId::A, 90_000_000),
        retracted,
    ]
    .into_iter()
    .map(InferredLine::Anomaly)
    .collect();
    let score = score_match("test", &truth, &inferred).unwrap();
    let score = &score.anomalies["missed-press"];
    assert_eq!((score.precision.right, score.precision.of), (1, 4));
    assert_eq!((score.recall.right, score.recall.of), (1, 3));
    let stated: Vec<_> = score.reliability.bins.iter().filter(|bin| bin.answers > 0).collect();
    assert_eq!((stated.len(), stated[0].from), (1, 0.8));
    assert_eq!((stated[0].right, stated[0].answers), (1, 4));
}

#[test]
fn illegal_ply_is_an_event_once_whether_listed_or_not() {
    let mut truth = truth_of(&["A e2e4", "A e7e4", "A d2d5"]);
    truth[1].legal = false;
    truth[2].legal = false;
    let mut lines: Vec<TruthLine> = truth.iter().cloned().map(TruthLine::Ply).collect();
    lines.push(event("illegal-move", BoardId::A, truth[2].t_us));
    let report = InferredLine::Anomaly(anomaly("illegal-move", BoardId::A, truth[1].t_us));
    let score = &score_match("test", &lines, &[report]).unwrap().anomalies["illegal-move"];
    assert_eq!((score.recall.right, score.recall.of), (1, 2));
    assert_eq!((score.precision.right, score.precision.of), (1, 1));
}

#[test]
fn printed_table_shows_every_figure_beside_the_hobby_board() {
    let truth = truth_of(&OPENING.repeat(2));
    let mut inferred = inferred_of(&truth);
    for ply in inferred.iter_mut().filter(|ply| ply.uci.is_drop()) {
        ply.p = 0.75;
        ply.live =
            Some(LiveAnswer { uci: "B@e4".parse().unwrap(), p: 0.55, t_us: ply.t_us + 90_000 });
    }
    inferred.remove(2);
    let mut truth: Vec<TruthLine> = truth.into_iter().map(TruthLine::Ply).collect();
    truth.push(event("missed-press", BoardId::A, 3_000_000));
    let baseline: Vec<InferredLine> =
        inferred[..8].iter().cloned().map(InferredLine::Ply).collect();
    let mut inferred: Vec<InferredLine> = inferred.into_iter().map(InferredLine::Ply).collect();
    inferred.push(InferredLine::Anomaly(anomaly("missed-press", BoardId::A, 3_400_000)));
    let record = MatchRecord { id: "g001".to_owned(), truth, inferred, baseline: Some(baseline) };
    let mut report = Report::default();
    report.add("club", std::slice::from_ref(&record)).unwrap();
    report.add("ideal", &[MatchRecord { baseline: None, ..record }]).unwrap();
    insta::assert_snapshot!(report.to_string());
    insta::assert_snapshot!("report_json", serde_json::to_string_pretty(&report).unwrap());
}

/// Plies of a few squares, so that repetitions are common.
fn any_plies() -> impl Strategy<Value = Vec<TruthPly>> {
    let texts = ["A e2e4", "A g1f3", "A f3g1", "A N@e5", "A B@e5", "B e2e4", "B a7a8q", "B P@e5"];
    prop::collection::vec(prop::sample::select(texts.to_vec()), 0..40)
        .prop_map(|plies| truth_of(&plies))
}

proptest! {
    #[test]
    fn truth_against_itself_is_perfect(truth in any_plies()) {
        let score = scored(&truth, &inferred_of(&truth));
        let plies = truth.len() as u64;
        prop_assert_eq!(right(&score), [plies; 3]);
        prop_assert_eq!((score.missed, score.misread, score.invented), (0, 0, 0));
        prop_assert_eq!((score.exact.right, score.lost.right, score.lost_live.right), (1, 0, 0));
        prop_assert!(plies == 0 || score.calibration.end.brier() == Some(0.0));
    }

    #[test]
    fn deleting_one_ply_costs_exactly_one(truth in any_plies(), at in any::<prop::sample::Index>()) {
        prop_assume!(!truth.is_empty());
        let mut inferred = inferred_of(&truth);
        inferred.remove(at.index(truth.len()));
        let score = scored(&truth, &inferred);
        let plies = truth.len() as u64;
        prop_assert_eq!((score.missed, score.misread, score.invented), (1, 0, 0));
        prop_assert_eq!(right(&score), [plies - 1; 3]);
    }

    #[test]
    fn inventing_one_ply_costs_no_true_one(truth in any_plies(), at in any::<prop::sample::Index>()) {
        prop_assume!(!truth.is_empty());
        let inferred = inferred_of(&truth);
        let mut fewer = truth.clone();
        fewer.remove(at.index(truth.len()));
        let score = scored(&fewer, &inferred);
        prop_assert_eq!((score.missed, score.misread, score.invented), (0, 0, 1));
        prop_assert_eq!(score.plies.end.right, fewer.len() as u64);
    }

    #[test]
    fn every_true_ply_is_right_misread_or_missed(truth in any_plies(), other in any_plies()) {
        let score = scored(&truth, &inferred_of(&other));
        prop_assert_eq!(
            score.squares.end.right + score.misread + score.missed,
            truth.len() as u64
        );
        prop_assert_eq!(
            score.squares.end.right + score.misread + score.invented,
            other.len() as u64
        );
    }
}
