//! Schools that score with their best players.

use rules::standings::{
    Club, ClubStandings, Clubs, CoinToss, CoinTossState, EntrantNumber, INDIVIDUAL_SWISS_ORDER,
    NC_SCHOLASTIC_CLUBS, Problem, Results, Section, Separation, TEAM_SWISS_ORDER, TieBreak,
};

use crate::support::{players, results};

/// Two rounds of twelve players: the first of each row of four wins.
fn event() -> Section {
    players(&[
        "W2 W3", "L1 W4", "W4 L1", "L3 L2", "W6 W7", "L5 W8", "W8 L5", "L7 L6", "W10 D11",
        "L9 W12", "D12 D9", "D11 L10",
    ])
}

fn club(number: u32, name: &str, members: &[u32]) -> Club {
    Club {
        number: EntrantNumber(number),
        name: name.to_owned(),
        members: members.iter().copied().map(EntrantNumber).collect(),
    }
}

fn clubs<'results>(results: &'results Results, clubs: Vec<Club>, toss: &[u32]) -> Clubs<'results> {
    let order = toss.iter().copied().map(EntrantNumber).collect();
    Clubs::new(results, NC_SCHOLASTIC_CLUBS, clubs, vec![CoinToss { order }])
        .unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn lines(standings: &ClubStandings) -> Vec<String> {
    let line = |row: &rules::standings::ClubRow| {
        let rank = row.rank.map_or("-".to_owned(), |rank| rank.to_string());
        format!("{rank} {} {}", row.name, row.score)
    };
    standings.rows.iter().map(line).collect()
}

#[test]
fn the_best_four_scores_of_a_school_count() {
    let results = results(&event());
    let schools = vec![club(1, "North", &[4, 1, 8, 2, 3, 5]), club(2, "South", &[9, 10])];
    let standings = clubs(&results, schools, &[])
        .standings(2, INDIVIDUAL_SWISS_ORDER)
        .expect("there are two rounds");
    assert_eq!(lines(&standings), ["1 North 6", "2 South 2½"]);
    let counting: Vec<u32> = standings.rows[0].counting.iter().map(|number| number.0).collect();
    assert_eq!(counting, [1, 5, 3, 2]);
    assert_eq!(standings.rows[1].separated_by, Some(Separation::Score));
}

#[test]
fn of_equal_scores_the_one_with_the_better_tie_break_counts() {
    // Players 2 and 3 have one point each: the opponents of 3 scored 0 and 2, those of 2 scored 2 and 0, so their
    // Cumulative decides, 1 + 1 against 0 + 1.
    let results = results(&event());
    let rule = rules::standings::ClubRule { counting: 1, needed: 1 };
    let schools = vec![club(1, "North", &[2, 3, 4])];
    let standings = Clubs::new(&results, rule, schools, Vec::new())
        .expect("no problems")
        .standings(2, INDIVIDUAL_SWISS_ORDER)
        .expect("there are two rounds");
    assert_eq!(standings.rows[0].counting, [EntrantNumber(3)]);
}

#[test]
fn a_school_with_one_player_gets_no_rank() {
    let results = results(&event());
    let schools = vec![club(1, "Alone", &[1]), club(2, "Pair", &[4, 8]), club(3, "None", &[])];
    let standings = clubs(&results, schools, &[])
        .standings(2, INDIVIDUAL_SWISS_ORDER)
        .expect("there are two rounds");
    assert_eq!(lines(&standings), ["1 Pair 0", "- Alone 2", "- None 0"]);
    assert_eq!(standings.rows[1].score_rank, None);
    assert_eq!(standings.rows[1].coin_toss, CoinTossState::NotNeeded);
}

#[test]
fn a_tie_break_of_a_school_is_the_sum_of_its_players_values() {
    let results = results(&event());
    let schools = vec![club(7, "North", &[1, 2, 3, 4, 12])];
    let schools = clubs(&results, schools, &[]);
    let order = INDIVIDUAL_SWISS_ORDER;
    let explained = schools.explain(EntrantNumber(7), TieBreak::Cumulative, 2, order);
    let explained = explained.expect("the school is there");
    // 1 + 2, 0 + 1, 1 + 1 and ½ + ½ of players 1, 2, 3 and 12; player 4 does not count.
    assert_eq!(explained.terms.len(), 4);
    assert_eq!(explained.value.expect("a sum").to_string(), "7");
    let standings = schools.standings(2, order).expect("there are two rounds");
    assert_eq!(standings.rows[0].tie_breaks[2], explained.value);
    assert_eq!(schools.explain(EntrantNumber(8), TieBreak::Cumulative, 2, order), None);
}

#[test]
fn tie_breaks_for_matches_decide_nothing_between_schools_and_a_coin_toss_does() {
    let results = results(&event());
    let schools = || vec![club(1, "North", &[1, 2, 3, 4]), club(2, "South", &[5, 6, 7, 8])];
    let without_toss =
        clubs(&results, schools(), &[]).standings(2, TEAM_SWISS_ORDER).expect("a round");
    assert_eq!(lines(&without_toss), ["1 North 4", "1 South 4"]);
    assert_eq!(without_toss.rows[0].tie_breaks, [None, None, None]);
    assert_eq!(without_toss.rows[1].coin_toss, CoinTossState::Needed);
    let with_toss =
        clubs(&results, schools(), &[2, 1]).standings(2, TEAM_SWISS_ORDER).expect("a round");
    assert_eq!(lines(&with_toss), ["1 South 4", "2 North 4"]);
    assert_eq!(with_toss.rows[0].coin_toss, CoinTossState::Held);
    let by_toss = Separation::TieBreak(TieBreak::CoinToss);
    assert_eq!(with_toss.rows[1].separated_by, Some(by_toss));
    assert!(clubs(&results, schools(), &[]).standings(3, TEAM_SWISS_ORDER).is_err());
}

#[test]
fn a_player_of_two_schools_is_named_with_both() {
    let results = results(&event());
    let schools =
        vec![club(1, "North", &[1, 2]), club(2, "South", &[2, 99]), club(2, "West", &[3])];
    let toss = CoinToss { order: vec![EntrantNumber(5)] };
    let problems = Clubs::new(&results, NC_SCHOLASTIC_CLUBS, schools, vec![toss])
        .expect_err("the schools contradict each other");
    let told: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert_eq!(
        told,
        [
            "the clubs \"South\" and \"West\" have the same number 2: give one of them another",
            "Player 2 (2) is a member of \"North\" and again of \"South\": keep one membership",
            "the club \"South\" has a member with the number 99, whom no entrant has: enter them or correct the number",
            "coin toss: 5 is no club's number: correct the coin toss",
        ]
    );
}
