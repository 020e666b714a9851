//! Legal plies, states and perft counts against Fairy-Stockfish and python-chess.
//!
//! The vectors are made by `vectors/make_vectors.py`, which explains their format. When a hash differs, `make_vectors.py --show FEN`
//! prints what the oracles find.

use rules::{
    Bitboard, BoardState, Color, IllegalReason, Ply, Position, Rank, Reserve, Role, Supply, fen,
};

const GAMES: &str = include_str!("vectors/games.tsv");
const PLACEMENTS: &str = include_str!("vectors/placements.tsv");
const SWAPPED: &str = include_str!("vectors/swapped.tsv");
const PERFT: &str = include_str!("vectors/bughouse.perft");

/// Features that a file of vectors has covered, so that a test can insist on them.
#[derive(Debug, Default)]
struct Coverage {
    positions: usize,
    castlings: usize,
    en_passants: usize,
    promotions: usize,
    promoted_pieces: usize,
    drops: [usize; 5],
    states: std::collections::BTreeMap<String, usize>,
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |value, byte| {
        (value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn setup(text: &str) -> (Position, Reserve) {
    let setup = fen::parse_board(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let reserve = *setup.reserves.get(setup.position.turn());
    (setup.position, reserve)
}

fn check_file(vectors: &str) -> Coverage {
    let mut coverage = Coverage::default();
    let mut plies = Vec::new();
    for line in vectors.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[text, count, hash, state] = fields.as_slice() else { panic!("{line}") };
        let (position, reserve) = setup(text);
        position.legal_plies(&reserve, &mut plies);
        let mut names: Vec<String> = plies.iter().map(Ply::to_string).collect();
        names.sort_unstable();
        let joined = names.join(" ");
        assert_eq!(
            (plies.len(), fnv1a(&joined)),
            (count.parse().expect("a count"), u64::from_str_radix(hash, 16).expect("a hash")),
            "{text}: we find {joined}"
        );
        assert_eq!(position.state(&reserve, Supply::Partner).to_string(), state, "{text}");
        check_agreement(&position, &reserve, &plies);
        coverage.count(&position, &plies, state);
    }
    coverage
}

/// Every way of asking gives the same answer as the list.
fn check_agreement(position: &Position, reserve: &Reserve, legal: &[Ply]) {
    assert_eq!(position.legal_ply_count(reserve), legal.len());
    assert_eq!(position.has_legal_ply(reserve), !legal.is_empty());
    let mut pseudo_legal = Vec::new();
    position.pseudo_legal_plies(reserve, &mut pseudo_legal);
    let mut of_rank = Vec::new();
    for rank in Rank::ALL {
        let from = Bitboard::from_rank(rank);
        position.pseudo_legal_moves(from, &mut of_rank);
        let expected =
            pseudo_legal.iter().filter(|ply| ply.from().is_some_and(|at| from.contains(at)));
        assert!(of_rank.iter().eq(expected), "moves from the {rank} rank: {of_rank:?}");
    }
    for ply in legal {
        assert!(pseudo_legal.contains(ply), "{ply} is legal but not pseudo-legal");
        assert_eq!(position.illegality(*ply, reserve, Supply::Partner), None, "{ply}");
    }
    for ply in &pseudo_legal {
        let reason = position.illegality(*ply, reserve, Supply::Partner);
        assert_eq!(reason.is_none(), legal.contains(ply), "{ply}: {reason:?}");
        assert!(
            matches!(
                reason,
                None | Some(
                    IllegalReason::KingLeftInCheck
                        | IllegalReason::CastlingOutOfCheck
                        | IllegalReason::CastlingThroughCheck
                )
            ),
            "{ply} is pseudo-legal, so only its king's safety can be wrong: {reason:?}"
        );
    }
}

impl Coverage {
    fn count(&mut self, position: &Position, plies: &[Ply], state: &str) {
        self.positions += 1;
        *self.states.entry(state.to_owned()).or_default() += 1;
        self.promoted_pieces += usize::from(position.promoted().any());
        let any = |test: &dyn Fn(&Ply) -> bool| usize::from(plies.iter().any(test));
        self.promotions += any(&|ply| matches!(ply, Ply::Move { promotion: Some(_), .. }));
        self.castlings += any(&|ply| position.clone().play(*ply).castling_rook.is_some());
        self.en_passants += any(&|ply| position.clone().play(*ply).en_passant);
        for (count, role) in self.drops.iter_mut().zip(rules::RESERVE_ROLES) {
            *count +=
                any(&|ply| matches!(ply, Ply::Drop { role: dropped, .. } if *dropped == role));
        }
    }
}

#[test]
fn legal_plies_and_states_of_generated_games_are_those_of_the_oracles() {
    let coverage = check_file(GAMES);
    println!("{coverage:?}");
    assert!(coverage.positions >= 20_000, "{coverage:?}");
    assert!(coverage.drops.iter().all(|&count| count >= 1_000), "{coverage:?}");
    assert!(coverage.castlings >= 300 && coverage.en_passants >= 80, "{coverage:?}");
    assert!(coverage.promotions >= 500 && coverage.promoted_pieces >= 3_000, "{coverage:?}");
}

#[test]
fn legal_plies_and_states_of_sparse_placements_are_those_of_the_oracles() {
    let coverage = check_file(PLACEMENTS);
    println!("{coverage:?}");
    for state in [BoardState::Mate, BoardState::BlockableCheck, BoardState::Stalemate] {
        let count = coverage.states.get(&state.to_string()).copied().unwrap_or_default();
        assert!(count >= 100, "{state}: {coverage:?}");
    }
    assert!(coverage.castlings >= 200 && coverage.en_passants >= 200, "{coverage:?}");
}

#[test]
fn swapped_kings_and_queens_castle_as_the_oracle_does() {
    let coverage = check_file(SWAPPED);
    println!("{coverage:?}");
    assert!(coverage.castlings >= 30, "{coverage:?}");
}

/// Leaves of the tree of legal plies of one board. Captured pieces leave the game.
fn perft(position: &Position, reserves: [Reserve; 2], depth: u32) -> u64 {
    let turn = position.turn();
    let own = usize::from(turn == Color::Black);
    let reserve = reserves[own];
    if depth == 1 {
        return position.legal_ply_count(&reserve) as u64;
    }
    let mut plies = Vec::new();
    position.legal_plies(&reserve, &mut plies);
    plies
        .into_iter()
        .map(|ply| {
            let (mut after, mut reserves) = (position.clone(), reserves);
            if let Ply::Drop { role, .. } = ply {
                reserves[own].take(role);
            }
            after.play(ply);
            perft(&after, reserves, depth - 1)
        })
        .sum()
}

#[test]
fn perft_counts_with_reserves_are_those_of_the_oracle() {
    let mut positions = 0;
    let (mut id, mut start) = ("", None);
    for line in PERFT.lines().filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(' ').expect("a key and a value");
        match key {
            "id" => id = value,
            "fen" => {
                let setup = fen::parse_board(value).expect("a FEN");
                start = Some((setup.position, [setup.reserves.white, setup.reserves.black]));
                positions += 1;
            }
            "perft" => {
                let (depth, leaves) = value.split_once(' ').expect("depth and leaves");
                let depth = depth.parse().expect("a depth");
                let (position, reserves) = start.as_ref().expect("a FEN comes first");
                let found = perft(position, *reserves, depth);
                assert_eq!(found.to_string(), leaves, "{id} at depth {depth}");
            }
            _ => panic!("unknown line {line:?}"),
        }
    }
    assert!(positions >= 12, "only {positions} positions");
}

#[test]
fn mates_with_a_contact_check_are_mates_whatever_is_in_reserve() {
    let (position, _) = setup("7k/6Q1/6K1/8/8/8/8/8[q] b - - 0 1");
    let mut reserve = Reserve::EMPTY;
    reserve.add(Role::Queen);
    assert_eq!(position.state(&reserve, Supply::Partner), BoardState::Mate);
}
