//! The hobby board at tables with simulated players: right as long as one position is enough.

use readings::{InferredLine, TruthLine, TruthPly};
use rules::{
    Match, Ply, RESERVE_ROLES,
    bpgn::{self, BpgnGame},
};
use sim::{Profile, baseline, perform, score::score_match};

/// Matches looked at; enough for all kinds of plies, few enough to be quick.
const MATCHES: usize = 20;

fn shipped() -> Vec<BpgnGame> {
    let file = include_bytes!("../games/engine-001.bpgn");
    bpgn::read(file).into_iter().map(Result::unwrap).take(MATCHES).collect()
}

fn plies_of(truth: &[TruthLine]) -> Vec<&TruthPly> {
    let plies = truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    });
    plies.collect()
}

/// Number of plies before the first whose role a reed board cannot see: a drop with a choice of
/// roles, or a promotion.
fn plies_before_an_open_role(plies: &[&TruthPly]) -> usize {
    let mut position = Match::initial();
    let open = plies.iter().position(|ply| {
        let reserve = *position.reserve(position.seat_to_move(ply.board));
        position.play(ply.board, ply.uci);
        match ply.uci {
            Ply::Drop { .. } => {
                RESERVE_ROLES.into_iter().filter(|&role| reserve.count(role) > 0).count() > 1
            }
            Ply::Move { promotion, .. } => promotion.is_some(),
        }
    });
    open.unwrap_or(plies.len())
}

#[test]
fn with_ideal_players_every_ply_is_right_until_a_role_is_open() {
    let mut before = 0;
    for (index, game) in shipped().iter().enumerate() {
        let performance = perform(game, Profile::Ideal, 1, "test").unwrap();
        let truth = plies_of(&performance.truth);
        let sure = plies_before_an_open_role(&truth);
        let seen = baseline::track(&performance.readings);
        for (truth, seen) in truth.iter().zip(&seen).take(sure) {
            let InferredLine::Ply(seen) = seen else { panic!("a hobby board tells plies alone") };
            assert_eq!((seen.board, seen.uci), (truth.board, truth.uci), "game {}", index + 1);
        }
        assert!(seen.len() >= sure, "game {}: {} of {sure} plies", index + 1, seen.len());
        before += sure;
    }
    assert!(before > 10 * MATCHES, "{before} plies are hardly a test");
}

#[test]
fn with_scholastic_players_hobby_boards_lose_most_matches() {
    let mut lost = 0;
    for game in shipped() {
        let performance = perform(&game, Profile::Scholastic, 1, "test").unwrap();
        let seen = baseline::track(&performance.readings);
        lost += score_match("test", &performance.truth, &seen).unwrap().lost.right;
    }
    assert!(lost as usize > MATCHES * 3 / 4, "{lost} of {MATCHES}");
}
