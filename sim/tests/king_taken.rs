//! Kings that were left in check and are taken, which claims the illegal ply and ends the match.

mod common;

use common::random_game;
use readings::{TruthLine, TruthPly};
use rules::{Match, Role};
use sim::{Equipment, Players, Profile, perform_with, profile::Behaviour};

#[test]
fn king_taken_ends_the_match_and_accuses_only_who_left_the_check() {
    let players = Players::from(Profile::Club)
        .with_rate(Behaviour::IllegalPly, 0.3)
        .with_rate(Behaviour::KingTaken, 1.0);
    let mut taken = 0;
    for seed in 0..20 {
        let game = random_game(seed, 80);
        let performance = perform_with(&game, &players, &Equipment::default(), seed, "m");
        let truth = performance.expect("a performance").truth;
        let plies: Vec<&TruthPly> = truth
            .iter()
            .filter_map(|line| match line {
                TruthLine::Ply(ply) => Some(ply),
                TruthLine::Anomaly(_) => None,
            })
            .collect();
        let mut now = Match::initial();
        let captures = |ply: &&TruthPly| {
            let captured = now.play(ply.board, ply.uci).captured;
            captured.is_some_and(|captured| captured.piece.role == Role::King)
        };
        let Some(at) = plies.iter().position(captures) else { continue };
        taken += 1;
        let claim = plies[at];
        assert!(claim.legal, "seed {seed}: the claim is none itself");
        assert!(!plies[at..].iter().skip(1).any(|ply| ply.board == claim.board), "seed {seed}");
        let before = plies[..at].iter().rfind(|ply| ply.board == claim.board).expect("a ply");
        assert!(!before.legal && before.side != claim.side, "seed {seed}");
        let accused = truth.iter().filter(|line| match line {
            TruthLine::Anomaly(found) => found.code == "illegal-move" && found.t_us == claim.t_us,
            TruthLine::Ply(_) => false,
        });
        assert_eq!(accused.count(), 0, "seed {seed}");
    }
    assert!(taken >= 5, "{taken} kings were taken");
}
