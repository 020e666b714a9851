//! Sections that contradict themselves: each problem names the entrant, the round and the cure.

use rules::standings::{
    Bye, ByeKind, CoinToss, Confirmation, EntrantNumber, Outcome, PairingGame, Problem, ResultKind,
    Results, Section, Side, Withdrawal,
};

use crate::support::{empty_section, pairing, player, players, results};

fn told(section: &Section) -> Vec<String> {
    let problems = Results::new(section).expect_err("the section contradicts itself");
    problems.iter().map(Problem::to_string).collect()
}

fn four_players(rounds: u8) -> Section {
    let mut section = empty_section(rounds);
    section.entrants = (1..=4).map(player).collect();
    section
}

const FIRST_WINS: Outcome = Outcome::Win(Side::First);

#[test]
fn an_opponent_who_does_not_exist_is_named_with_the_round_and_the_player() {
    let mut section = four_players(3);
    section.pairings.push(pairing(2, 3, 9, vec![FIRST_WINS]));
    section.byes.push(Bye { round: 1, entrant: EntrantNumber(8), kind: ByeKind::HalfPoint });
    assert_eq!(
        told(&section),
        [
            "round 2: no entrant has the number 9 (opponent of Player 3 (3)): enter them or correct the number",
            "round 1: no entrant has the number 8 (bye): enter them or correct the number",
        ]
    );
}

#[test]
fn a_game_reported_twice_with_different_results_is_refused() {
    let mut section = four_players(1);
    section.pairings.push(pairing(1, 1, 2, vec![FIRST_WINS]));
    section.pairings.push(pairing(1, 2, 1, vec![FIRST_WINS]));
    assert_eq!(
        told(&section),
        [
            "round 1: Player 2 (2) against Player 1 (1) is reported twice with different results: keep the right one"
        ]
    );
}

#[test]
fn reports_that_agree_are_one() {
    let mut section = four_players(1);
    section.pairings.push(pairing(1, 1, 2, Vec::new()));
    section.pairings.push(pairing(1, 1, 2, vec![FIRST_WINS]));
    section.pairings.push(pairing(1, 2, 1, vec![FIRST_WINS.swapped()]));
    section.pairings[1].games[0].white = Some(Side::First);
    let results = results(&section);
    let first = results.of(EntrantNumber(1)).expect("an entrant")[0];
    assert_eq!((first.game_points.to_string().as_str(), first.had_white), ("1", Some(true)));
    section.pairings[2].games[0].white = Some(Side::First);
    assert_eq!(told(&section).len(), 1, "two players cannot both have White");
}

#[test]
fn a_player_paired_with_themselves_is_refused() {
    let mut section = four_players(1);
    section.pairings.push(pairing(1, 4, 4, vec![FIRST_WINS]));
    assert_eq!(
        told(&section),
        ["round 1: Player 4 (4) is paired with themselves: correct the pairing"]
    );
}

#[test]
fn a_round_that_the_section_does_not_have_is_refused() {
    let mut section = four_players(2);
    section.pairings.push(pairing(3, 1, 2, vec![FIRST_WINS]));
    section.pairings.push(pairing(0, 3, 4, vec![FIRST_WINS]));
    section.withdrawals.push(Withdrawal { entrant: EntrantNumber(4), after_round: 3 });
    let told = told(&section);
    assert_eq!(told.len(), 3, "{told:#?}");
    assert_eq!(
        told[0],
        "round 3 is reported for Player 4 (4), but the section has 2 rounds: correct the round or the number of rounds"
    );
    assert!(told[1].starts_with("round 3 is reported for Player 1 (1)"), "{told:#?}");
    assert!(told[2].starts_with("round 0 is reported for Player 3 (3)"), "{told:#?}");
}

#[test]
fn two_games_at_once_are_refused_and_so_is_a_game_beside_a_bye() {
    let mut section = four_players(1);
    section.pairings.push(pairing(1, 1, 2, vec![FIRST_WINS]));
    section.pairings.push(pairing(1, 1, 3, vec![FIRST_WINS]));
    section.byes.push(Bye { round: 1, entrant: EntrantNumber(2), kind: ByeKind::FullPoint });
    section.byes.push(Bye { round: 1, entrant: EntrantNumber(4), kind: ByeKind::HalfPoint });
    section.byes.push(Bye { round: 1, entrant: EntrantNumber(4), kind: ByeKind::ZeroPoint });
    assert_eq!(
        told(&section),
        [
            "round 1: Player 1 (1) has a game against Player 2 (2) and a game against Player 3 (3): keep the one that is right",
            "round 1: Player 2 (2) has a game against Player 1 (1) and a full-point bye: keep the one that is right",
            "round 1: Player 4 (4) has a half-point bye and a zero-point bye: keep the one that is right",
        ]
    );
}

#[test]
fn more_games_than_a_round_has_are_refused() {
    let mut section = four_players(1);
    section.pairings.push(pairing(1, 1, 2, vec![FIRST_WINS, FIRST_WINS]));
    assert_eq!(
        told(&section),
        [
            "round 1: 2 games are reported between Player 1 (1) and Player 2 (2), but a round has 1: remove what is too much"
        ]
    );
}

#[test]
fn who_has_withdrawn_cannot_be_paired() {
    let mut section = four_players(3);
    section.withdrawals.push(Withdrawal { entrant: EntrantNumber(2), after_round: 1 });
    section.pairings.push(pairing(2, 1, 2, vec![FIRST_WINS]));
    assert_eq!(
        told(&section),
        [
            "round 2: Player 2 (2) has a game against Player 1 (1), but is withdrawn after round 1: correct one of them"
        ]
    );
    section.pairings.clear();
    section.withdrawals.push(Withdrawal { entrant: EntrantNumber(2), after_round: 2 });
    assert_eq!(
        told(&section),
        ["Player 2 (2) is withdrawn after round 1 and after round 2: keep the one that is right"]
    );
    section.withdrawals.pop();
    section.withdrawals.push(section.withdrawals[0]);
    assert!(Results::new(&section).is_ok(), "twice the same is no contradiction");
}

#[test]
fn entrants_with_one_number_are_refused() {
    let mut section = four_players(1);
    section.entrants.push(player(3));
    section.entrants[4].name = "Zoe".to_owned();
    assert_eq!(
        told(&section),
        ["Player 3 (3) and \"Zoe\" have the same number: give one of them another"]
    );
}

#[test]
fn sizes_outside_the_limits_are_refused() {
    let mut section = four_players(0);
    section.games_per_round = 100;
    assert_eq!(
        told(&section),
        [
            "a section has 1 to 99 rounds, not 0: correct the number of rounds",
            "a round has 1 to 99 games a pairing, not 100: correct the number of games a round",
        ]
    );
    section.rounds = 100;
    section.games_per_round = 1;
    assert_eq!(told(&section).len(), 1);
}

#[test]
fn coin_tosses_that_contradict_each_other_are_refused() {
    let mut section = four_players(1);
    let toss =
        |order: &[u32]| CoinToss { order: order.iter().copied().map(EntrantNumber).collect() };
    section.coin_tosses = vec![toss(&[1, 2, 3]), toss(&[3, 1])];
    assert_eq!(
        told(&section),
        [
            "two coin tosses order Player 1 (1) and Player 3 (3) differently: keep the one that counts"
        ]
    );
    section.coin_tosses = vec![toss(&[4, 4]), toss(&[9])];
    assert_eq!(
        told(&section),
        [
            "coin toss: 4 stands in it twice: correct the coin toss",
            "coin toss: 9 is nobody's number: correct the coin toss",
        ]
    );
}

#[test]
fn an_unfinished_match_of_several_games_gives_nothing_yet() {
    let mut section = four_players(1);
    section.games_per_round = 2;
    section.pairings.push(pairing(1, 1, 2, vec![FIRST_WINS]));
    let first = results(&section).of(EntrantNumber(1)).expect("an entrant")[0];
    assert!(first.provisional && first.game_points.half_points() == 0);
    assert_eq!(first.kind, ResultKind::Pending);
    assert_eq!(first.kind.letter(), '*');
}

#[test]
fn a_report_of_the_first_game_agrees_with_one_of_both() {
    let mut section = four_players(1);
    section.games_per_round = 2;
    let second = Outcome::Win(Side::Second);
    section.pairings.push(pairing(1, 1, 2, vec![FIRST_WINS, second]));
    section.pairings[0].confirmation = Confirmation::Provisional;
    section.pairings.push(pairing(1, 1, 2, vec![FIRST_WINS]));
    let first = results(&section).of(EntrantNumber(1)).expect("an entrant")[0];
    assert_eq!(first.kind, ResultKind::Draw);
    assert!(first.provisional, "only its first game is confirmed");
    section.pairings[1].games = vec![PairingGame { outcome: second, white: None }];
    assert_eq!(told(&section).len(), 1, "the first game cannot have two winners");
}

#[test]
fn a_problem_keeps_nothing_of_the_right_reports() {
    let mut section = players(&["W2", "L1"]);
    section.pairings[0].games = vec![PairingGame { outcome: Outcome::Draw, white: None }];
    assert!(Results::new(&section).is_err());
}
