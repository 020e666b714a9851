//! Positions: any text as FEN. A position that is read can be written and read back, and its plies can be listed and played. All
//! functions for legality give the same answer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::{Supply, fen, san};

fuzz_target!(|text: &str| {
    if let Ok(game) = fen::parse_match(text) {
        assert_eq!(fen::parse_match(&fen::format_match(&game)), Ok(game));
    }
    let Ok(setup) = fen::parse_board(text) else { return };
    let position = setup.position;
    let reserve = *setup.reserves.get(position.turn());
    let written = fen::format_board(&position, &setup.reserves);
    assert_eq!(fen::parse_board(&written).map(|it| it.position), Ok(position.clone()));
    let mut plies = Vec::new();
    position.legal_plies(&reserve, &mut plies);
    assert_eq!(position.legal_ply_count(&reserve), plies.len());
    for &ply in &plies {
        assert_eq!(position.illegality(ply, &reserve, Supply::Partner), None);
        let text = san::to_san(&position, Supply::Partner, ply);
        assert_eq!(san::parse_san(&position, &text), Ok(ply));
    }
    position.pseudo_legal_plies(&reserve, &mut plies);
    for &ply in &plies {
        position.clone().play(ply);
    }
    let _ = position.state(&reserve, Supply::Partner);
});
