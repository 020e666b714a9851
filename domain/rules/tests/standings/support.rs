//! Sections from wall charts, so that a test can show its event as an organiser would.

use rules::standings::{
    Bye, ByeKind, Confirmation, Entrant, EntrantKind, EntrantNumber, INDIVIDUAL_SWISS_ORDER,
    Outcome, Pairing, PairingGame, Results, Scoring, Section, Side, Standings, TieBreak,
};

/// A section without entrants, with one game a round.
pub(crate) fn empty_section(rounds: u8) -> Section {
    Section {
        rounds,
        games_per_round: 1,
        scoring: Scoring::GamePoints,
        entrants: Vec::new(),
        pairings: Vec::new(),
        byes: Vec::new(),
        withdrawals: Vec::new(),
        coin_tosses: Vec::new(),
    }
}

/// A section of players from the rows of a wall chart, the first row being number 1. Every game is reported twice,
/// from both rows.
pub(crate) fn players(rows: &[&str]) -> Section {
    section(rows, 1, Scoring::GamePoints)
}

/// A section from the rows of a wall chart. A round is `W6`, `L2`, `D5`, `X4`, `F4`, `*3`, `B`, `H` or `U`; the game
/// points follow where there are several games: `W6,2.5`.
pub(crate) fn section(rows: &[&str], games_per_round: u8, scoring: Scoring) -> Section {
    let signs: Vec<Vec<&str>> = rows.iter().map(|row| row.split_whitespace().collect()).collect();
    let mut section = empty_section(u8::try_from(signs[0].len()).expect("few rounds"));
    section.games_per_round = games_per_round;
    section.scoring = scoring;
    for (number, row) in (1..).zip(&signs) {
        assert_eq!(row.len(), usize::from(section.rounds), "row {number} has every round");
        section.entrants.push(player(number));
        for (round, sign) in (1..).zip(row) {
            let bye = |kind| Bye { round, entrant: EntrantNumber(number), kind };
            match *sign {
                "B" => section.byes.push(bye(ByeKind::FullPoint)),
                "H" => section.byes.push(bye(ByeKind::HalfPoint)),
                "U" => {}
                _ => {
                    let opponent = opponent(sign);
                    let other = signs[opponent as usize - 1][usize::from(round) - 1];
                    let games = games(sign, other, games_per_round);
                    section.pairings.push(pairing(round, number, opponent, games));
                }
            }
        }
    }
    section
}

/// A player with a name from the number.
pub(crate) fn player(number: u32) -> Entrant {
    Entrant {
        number: EntrantNumber(number),
        name: format!("Player {number}"),
        kind: EntrantKind::Player,
        rating: None,
    }
}

/// A confirmed pairing.
pub(crate) fn pairing(round: u8, first: u32, second: u32, outcomes: Vec<Outcome>) -> Pairing {
    Pairing {
        round,
        first: EntrantNumber(first),
        second: EntrantNumber(second),
        games: outcomes.into_iter().map(|outcome| PairingGame { outcome, white: None }).collect(),
        confirmation: Confirmation::Confirmed,
    }
}

fn opponent(sign: &str) -> u32 {
    let number = sign[1..].split(',').next().expect("a number after the letter");
    number.parse().unwrap_or_else(|_| panic!("{sign} names no opponent"))
}

/// The outcomes of a meeting from the two signs for it. The order of games does not matter to standings. So wins come first for the
/// entrant whose row it is, unless the other row has the lower number.
fn games(sign: &str, other: &str, games_per_round: u8) -> Vec<Outcome> {
    let half_points = |sign: &str| match (sign.split_once(','), sign.as_bytes()[0]) {
        (Some((_, points)), _) => (points.parse::<f64>().expect("points") * 2.0) as usize,
        (None, b'W' | b'X') => 2,
        (None, b'D') => 1,
        (None, _) => 0,
    };
    let count = usize::from(games_per_round);
    let own = half_points(sign);
    match (sign.as_bytes()[0], other.as_bytes()[0]) {
        (b'*', b'*') => Vec::new(),
        (b'F', b'F') => vec![Outcome::DoubleForfeit; count],
        (b'X', b'F') => vec![Outcome::ForfeitWin(Side::First); count],
        (b'F', b'X') => vec![Outcome::ForfeitWin(Side::Second); count],
        (b'W', b'L') | (b'D', b'D') | (b'L', b'W') => {
            assert_eq!(own + half_points(other), 2 * count, "{sign} against {other}");
            let (wins, draws) = (own / 2, own % 2);
            let mut games = vec![Outcome::Win(Side::First); wins];
            games.extend(vec![Outcome::Win(Side::Second); count - wins - draws]);
            games.extend(vec![Outcome::Draw; draws]);
            if opponent(sign) < opponent(other) {
                games[..count - draws].reverse();
            }
            games
        }
        _ => panic!("{sign} does not fit {other}"),
    }
}

/// The results of a section that is meant to be right.
pub(crate) fn results(section: &Section) -> Results {
    Results::new(section).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The standings after the last round, in the order that US Chess recommends.
pub(crate) fn standings(section: &Section) -> Standings {
    results(section)
        .standings(section.rounds, INDIVIDUAL_SWISS_ORDER)
        .expect("the section has its last round")
}

/// A tie-break's value after the last round, as it is shown.
pub(crate) fn value(section: &Section, number: u32, tie_break: TieBreak) -> String {
    let explanation = results(section).explain(EntrantNumber(number), tie_break, section.rounds);
    let value = explanation.expect("the number is an entrant's").value;
    value.expect("the tie-break has a value").to_string()
}
