//! Answers from trellises written by hand.

use smallvec::smallvec;

use super::*;
use crate::trellis::Layer;

fn made(ply: &str, illegal: Option<IllegalReason>) -> ExplainedPly {
    ExplainedPly {
        ply: ply.parse().expect("a ply"),
        side: Color::White,
        illegal,
        captured: None,
        landed_us: 5,
        t_us: 5,
    }
}

fn layer(explanations: Vec<Explanation>) -> Layer {
    Layer {
        board: BoardId::A,
        presser: Some(Color::White),
        t_us: 5,
        explanations,
        edges: Vec::new(),
        forward: vec![1.0],
    }
}

/// A layer without neighbours.
fn alone<'a>(layer: &'a Layer, masses: &'a [f64]) -> AroundPress<'a> {
    AroundPress { before: None, at: WeightedLayer { index: 0, layer, masses }, after: None }
}

#[test]
fn a_drop_is_no_longer_illegal_once_the_capture_is_known_to_have_been_complete() {
    let drop = |t_us| {
        let owed = Some(IllegalReason::DropNotInReserve);
        let explanation =
            Explanation { plies: smallvec![made("N@e4", owed)], pattern: PressPattern::Regular };
        let mut answer = answer(&alone(&layer(vec![explanation]), &[1.0]), None);
        answer.plies[0].t_us = t_us;
        answer
    };
    let capture = |side, captured, t_us| {
        let taken = ExplainedPly { side, captured, ..made("e4d5", None) };
        let explanation = Explanation { plies: smallvec![taken], pattern: PressPattern::Regular };
        let mut answer = answer(&alone(&layer(vec![explanation]), &[1.0]), None);
        answer.plies[0].t_us = t_us;
        answer
    };
    // White's partner is Black at the other board, who must have captured a knight.
    let (black, knight) = (Color::Black, Some(Role::Knight));
    for (side, captured, capture_us, legal) in [
        (black, knight, 50, true),
        (black, knight, 150, false),
        (black, Some(Role::Pawn), 50, false),
        (black, None, 50, false),
        (Color::White, knight, 50, false),
    ] {
        let mut answers =
            [(BoardId::B, drop(100)), (BoardId::A, capture(side, captured, capture_us))];
        look_ahead(&mut answers);
        let case = format!("{side:?} captures {captured:?} at {capture_us}");
        assert_eq!(answers[0].1.plies[0].legal, legal, "{case}");
    }
}

#[test]
fn plies_of_one_segment_are_dated_in_the_order_in_which_they_were_made() {
    let plies = smallvec![made("P@g7", None), made("N@h5", None), made("g7g8", None)];
    let explanation = Explanation { plies, pattern: PressPattern::MissedPress };
    let answer = answer(&alone(&layer(vec![explanation]), &[1.0]), None);
    let dated: Vec<_> = answer.plies.iter().map(|ply| ply.t_us).collect();
    assert_eq!(dated, [3, 4, 5]);
}

#[test]
fn the_reply_to_a_segment_is_what_the_next_one_of_its_board_begins_with() {
    let one = |ply: &str| {
        let explanation =
            Explanation { plies: smallvec![made(ply, None)], pattern: PressPattern::Regular };
        answer(&alone(&layer(vec![explanation]), &[1.0]), None)
    };
    let none = SegmentEstimate::default();
    let mut answers = [
        (BoardId::A, one("e2e4")),
        (BoardId::B, one("d2d4")),
        (BoardId::A, one("e7e5")),
        (BoardId::A, none),
        (BoardId::A, one("g1f3")),
    ];
    look_ahead(&mut answers);
    let replies: Vec<_> =
        answers.iter().map(|(_, answer)| answer.reply.map(|reply| reply.ply.to_string())).collect();
    let ply_named = |ply: &str| Some(ply.to_owned());
    assert_eq!(replies, [ply_named("e7e5"), None, None, ply_named("g1f3"), None]);
}

#[test]
fn a_drop_that_the_partners_next_ply_does_not_supply_is_doubtful() {
    for (captured, is_unsupplied) in
        [(Some(Role::Knight), false), (Some(Role::Pawn), true), (None, true)]
    {
        let owed = Some(IllegalReason::DropNotInReserve);
        let one = |made: ExplainedPly| {
            let explanation =
                Explanation { plies: smallvec![made], pattern: PressPattern::Regular };
            answer(&alone(&layer(vec![explanation]), &[1.0]), None)
        };
        let drop = one(made("N@e4", owed));
        // White's partner is Black at the other board.
        let next = one(ExplainedPly { side: Color::Black, captured, ..made("e4d5", None) });
        let mut answers = [(BoardId::B, drop), (BoardId::A, next)];
        look_ahead(&mut answers);
        assert_eq!(answers[0].1.plies[0].is_unsupplied, is_unsupplied, "it captures {captured:?}");
    }
}

#[test]
fn the_likeliest_count_of_plies_is_answered_with_the_likeliest_plies() {
    let check = Some(IllegalReason::KingLeftInCheck);
    let one = |ply, illegal| Explanation {
        plies: smallvec![made(ply, illegal)],
        pattern: PressPattern::Regular,
    };
    let none = Explanation { plies: smallvec![], pattern: PressPattern::PressWithoutMove };
    let layer = layer(vec![one("N@e4", None), one("B@e4", check), one("N@e4", check), none]);
    let answer = answer(&alone(&layer, &[0.4, 0.25, 0.1, 0.25]), None);
    let [ply] = answer.plies.as_slice() else { panic!("one ply, not {:?}", answer.plies) };
    assert_eq!(ply.ply.to_string(), "N@e4");
    assert!((ply.p - 0.5).abs() < 1e-12 && ply.legal);
    assert_eq!(ply.alternatives.len(), 1);
    let (reason, p) = ply.illegal.expect("a doubt");
    assert_eq!(reason, IllegalReason::KingLeftInCheck);
    assert!((p - 0.35).abs() < 1e-12);
    assert!((answer.press_without_move - 0.25).abs() < 1e-12);
}

#[test]
fn what_is_told_is_answered_with_its_own_probability_though_other_plies_are_likelier() {
    let one =
        |ply| Explanation { plies: smallvec![made(ply, None)], pattern: PressPattern::Regular };
    let two = Explanation {
        plies: smallvec![made("N@d4", None), made("P@e4", None)],
        pattern: PressPattern::MissedPress,
    };
    let layer = layer(vec![one("N@e4"), one("B@e4"), two]);
    let plies = |chosen| -> Vec<(String, f64)> {
        let answer = answer(&alone(&layer, &[0.5, 0.3, 0.2]), chosen);
        answer.plies.iter().map(|ply| (ply.ply.to_string(), ply.p)).collect()
    };
    assert_eq!(plies(None), [("N@e4".to_owned(), 0.5)]);
    assert_eq!(plies(Some(&layer.explanations[1])), [("B@e4".to_owned(), 0.3)]);
    let both = [("N@d4".to_owned(), 0.2), ("P@e4".to_owned(), 0.2)];
    assert_eq!(plies(Some(&layer.explanations[2])), both);
}
