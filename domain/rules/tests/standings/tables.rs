//! Ranks, coin tosses and what is provisional.

use rules::standings::{
    CoinToss, CoinTossState, Confirmation, Entrant, EntrantKind, EntrantNumber,
    INDIVIDUAL_SWISS_ORDER, NoSuchRound, ROUND_ROBIN_ORDER, Section, Separation, Standings,
    TieBreak, Withdrawal,
};

use crate::support::{empty_section, player, players, results, standings, value};

fn ranks(standings: &Standings) -> Vec<(u32, u32)> {
    standings.rows.iter().map(|row| (row.rank, row.number.0)).collect()
}

/// Two pairs who drew: all four are equal in everything.
fn four_equal() -> Section {
    players(&["D2", "D1", "D4", "D3"])
}

fn toss(section: &mut Section, order: &[u32]) {
    let order = order.iter().copied().map(EntrantNumber).collect();
    section.coin_tosses.push(CoinToss { order });
}

#[test]
fn entrants_that_every_tie_break_leaves_equal_share_a_rank_until_a_coin_is_tossed() {
    let standings = standings(&four_equal());
    assert_eq!(ranks(&standings), [(1, 1), (1, 2), (1, 3), (1, 4)]);
    assert!(standings.rows.iter().all(|row| row.coin_toss == CoinTossState::Needed));
    assert!(standings.rows.iter().all(|row| row.separated_by.is_none()));
}

#[test]
fn a_recorded_coin_toss_decides_when_all_of_the_tied_took_part() {
    let mut section = four_equal();
    toss(&mut section, &[3, 1]);
    assert_eq!(standings(&section).rows[0].coin_toss, CoinTossState::Needed);
    toss(&mut section, &[2, 3, 1, 4]);
    let standings = standings(&section);
    assert_eq!(ranks(&standings), [(1, 2), (2, 3), (3, 1), (4, 4)]);
    assert!(standings.rows.iter().all(|row| row.coin_toss == CoinTossState::Held));
    assert_eq!(standings.rows[3].separated_by, Some(Separation::TieBreak(TieBreak::CoinToss)));
    assert!(standings.rows.iter().all(|row| row.score_rank == 1));
}

#[test]
fn no_coin_is_tossed_when_the_order_does_not_say_so() {
    let results = results(&four_equal());
    let standings = results.standings(1, &[TieBreak::Solkoff]).expect("a round");
    assert!(standings.rows.iter().all(|row| row.rank == 1));
    assert!(standings.rows.iter().all(|row| row.coin_toss == CoinTossState::NotNeeded));
}

#[test]
fn the_order_of_the_tie_breaks_is_the_organisers_choice() {
    let section = players(&["W3 L2 U", "L4 W1 U", "L1 W4 U", "W2 L3 U"]);
    let results = results(&section);
    let first = |order: &[TieBreak]| {
        let standings = results.standings(3, order).expect("a round");
        standings.rows.iter().take(2).map(|row| row.number.0).collect::<Vec<_>>()
    };
    assert_eq!(first(&[TieBreak::Cumulative]), [1, 4], "they won first");
    assert_eq!(first(&[TieBreak::Solkoff]), [1, 2], "equal in it, by their numbers");
    let by_berger = results.standings(3, ROUND_ROBIN_ORDER).expect("a round");
    assert_eq!(by_berger.order, ROUND_ROBIN_ORDER);
}

#[test]
fn a_result_that_is_not_confirmed_marks_everyone_whom_it_touches() {
    let mut section = players(&["W2 W3", "L1 U", "U L1", "W5 W6", "L4 U", "U L4"]);
    let unconfirmed = section.pairings.iter_mut().filter(|pairing| {
        pairing.round == 1 && [pairing.first, pairing.second].contains(&EntrantNumber(2))
    });
    unconfirmed.for_each(|pairing| pairing.confirmation = Confirmation::Provisional);
    let after_two = standings(&section);
    assert!(after_two.provisional);
    let touched: Vec<u32> =
        after_two.rows.iter().filter(|row| row.provisional).map(|row| row.number.0).collect();
    assert_eq!(touched, [1, 2, 3], "both players, and 3, who met one of them");
    let explained = results(&section).explain(EntrantNumber(3), TieBreak::Solkoff, 2);
    assert!(explained.expect("an entrant").provisional);
    let own = results(&section).explain(EntrantNumber(3), TieBreak::Cumulative, 2);
    assert!(!own.expect("an entrant").provisional, "its own results are confirmed");
}

#[test]
fn one_confirmed_report_of_two_confirms_a_result() {
    let mut section = players(&["W2", "L1"]);
    section.pairings[0].confirmation = Confirmation::Provisional;
    assert!(!standings(&section).provisional);
    section.pairings[1].confirmation = Confirmation::Provisional;
    assert!(standings(&section).provisional);
}

#[test]
fn a_game_that_is_not_over_gives_nothing_and_makes_standings_provisional() {
    let section = players(&["*2", "*1"]);
    let standings = standings(&section);
    assert!(standings.provisional && standings.rows.iter().all(|row| row.provisional));
    assert_eq!(standings.rows[0].score.to_string(), "0");
}

#[test]
fn later_rounds_do_not_change_standings_after_a_round() {
    let whole = players(&["W2 L3 D4", "L1 W4 W3", "W4 W1 L2", "L3 L2 D1"]);
    let begun = players(&["W2 L3 U", "L1 W4 U", "W4 W1 U", "L3 L2 U"]);
    let after_two =
        |section: &Section| results(section).standings(2, INDIVIDUAL_SWISS_ORDER).expect("a round");
    assert_eq!(after_two(&whole), after_two(&begun));
}

#[test]
fn before_the_first_round_all_are_first() {
    let results = results(&players(&["W2", "L1"]));
    let standings = results.standings(0, INDIVIDUAL_SWISS_ORDER).expect("before the first");
    assert_eq!(ranks(&standings), [(1, 1), (1, 2)]);
    assert!(!standings.provisional);
}

#[test]
fn standings_after_a_round_that_does_not_exist_are_refused() {
    let results = results(&players(&["W2", "L1"]));
    let refused = results.standings(2, INDIVIDUAL_SWISS_ORDER);
    assert_eq!(refused, Err(NoSuchRound { round: 2, rounds: 1 }));
    assert_eq!(
        NoSuchRound { round: 2, rounds: 1 }.to_string(),
        "standings after round 2 were asked for, but the section has 1 rounds: ask for 0 to 1"
    );
    assert_eq!(results.explain(EntrantNumber(3), TieBreak::Solkoff, 1), None);
    assert_eq!(results.score(EntrantNumber(3), 1), None);
}

#[test]
fn a_section_without_entrants_has_empty_standings() {
    let standings = standings(&empty_section(5));
    assert!(standings.rows.is_empty() && !standings.provisional);
}

#[test]
fn rounds_after_a_withdrawal_count_half_for_the_opponents() {
    let mut section = players(&["W2 U U", "L1 U U"]);
    assert_eq!(value(&section, 1, TieBreak::Solkoff), "1");
    section.withdrawals.push(Withdrawal { entrant: EntrantNumber(2), after_round: 1 });
    assert_eq!(value(&section, 1, TieBreak::Solkoff), "1");
    assert_eq!(standings(&section).rows.len(), 2, "who has withdrawn stays in the standings");
}

#[test]
fn a_team_is_shown_with_its_players() {
    let mut section = empty_section(1);
    let members = vec!["Ada".to_owned(), "Grace".to_owned()];
    let team = Entrant {
        number: EntrantNumber(1),
        name: "Forks".to_owned(),
        kind: EntrantKind::Team { members: members.clone() },
        rating: None,
    };
    section.entrants = vec![team, player(2)];
    let standings = standings(&section);
    assert_eq!(standings.rows[0].players, members);
    assert_eq!(standings.rows[1].players, ["Player 2"]);
}

#[test]
fn standings_are_written_as_json_that_a_page_can_show() {
    let section = players(&["W2 D2", "L1 D1"]);
    let json = serde_json::to_value(standings(&section)).expect("standings can be written");
    let first = &json["rows"][0];
    assert_eq!(first["score"], 1.5);
    assert_eq!(first["coin_toss"], "not-needed");
    assert_eq!(json["order"][0], "modified-median");
    assert_eq!(json["rows"][1]["separated_by"], "score");
    let explained = results(&section).explain(EntrantNumber(1), TieBreak::ModifiedMedian, 2);
    let json = serde_json::to_value(explained.expect("an entrant")).expect("it can be written");
    assert_eq!(json["score_class"], "plus");
    assert_eq!(json["terms"][0]["discarded"], "lowest");
    assert_eq!(json["terms"][0]["source"]["kind"], "opponent");
    assert_eq!(json["terms"][0]["source"]["opponent"], 2);
}
