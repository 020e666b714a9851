//! Wall chart and crosstable in the usual notation.

use rules::standings::{
    Chart, Confirmation, EntrantNumber, INDIVIDUAL_SWISS_ORDER, Outcome, Pairing, PairingGame,
    Scoring, Side, Withdrawal,
};

use crate::support::{empty_section, pairing, player, players, results, section, standings};

fn text(chart: &Chart) -> Vec<String> {
    let row = |row: &rules::standings::ChartRow| {
        let cells: Vec<String> = row.cells.iter().map(ToString::to_string).collect();
        format!("{} {} {}", row.shown_number, cells.join(" "), row.score)
    };
    chart.rows.iter().map(row).collect()
}

#[test]
fn a_wall_chart_shows_every_kind_of_round_in_the_usual_notation() {
    let mut event =
        players(&["W2 H X3 D4 L5", "L1 B F4 F3 U", "U D4 F1 F2 *4", "B D3 X2 D1 *3", "H U B U W1"]);
    event.withdrawals.push(Withdrawal { entrant: EntrantNumber(2), after_round: 4 });
    let chart = results(&event).wall_chart(5);
    assert_eq!(
        text(&chart),
        [
            "1 W2 H--- X3 D4 L5 3",
            "2 L1 B--- F4 F3 U--- 1",
            "3 U--- D4 F1 F2 *4 ½",
            "4 B--- D3 X2 D1 *3 3",
            "5 H--- U--- B--- U--- W1 2½",
        ]
    );
    let running: Vec<String> =
        chart.rows[0].cells.iter().map(|cell| cell.running_score.to_string()).collect();
    assert_eq!(running, ["1", "1½", "2½", "3", "3"]);
}

#[test]
fn a_match_of_several_games_shows_its_game_points() {
    let event = section(&["W2,3.5 B", "L1,0.5 U"], 4, Scoring::MatchPoints);
    assert_eq!(text(&results(&event).wall_chart(2)), ["1 W2,3½ B--- 2", "2 L1,½ U--- 0"]);
}

#[test]
fn forfeits_of_a_match_that_balance_are_a_draw_without_play() {
    let mut event = empty_section(1);
    event.games_per_round = 2;
    event.scoring = Scoring::MatchPoints;
    event.entrants = vec![player(1), player(2)];
    let forfeits = [Side::First, Side::Second].map(Outcome::ForfeitWin);
    event.pairings = vec![pairing(1, 1, 2, forfeits.to_vec())];
    assert_eq!(text(&results(&event).wall_chart(1)), ["1 Z2,1 ½", "2 Z1,1 ½"]);
}

#[test]
fn a_crosstable_numbers_the_rows_from_the_top_of_the_standings() {
    let event = players(&["L2 L3 L4", "W1 L4 L3", "D4 W1 W2", "D3 W2 W1"]);
    let standings = standings(&event);
    let order: Vec<u32> = standings.rows.iter().map(|row| row.number.0).collect();
    assert_eq!(order, [3, 4, 2, 1]);
    assert_eq!(
        text(&results(&event).crosstable(&standings)),
        ["1 D2 W4 W3 2½", "2 D1 W3 W4 2½", "3 W4 L2 L1 1", "4 L3 L1 L2 0"]
    );
}

#[test]
fn a_chart_ends_with_its_round() {
    let event = players(&["W2 L2 D2", "L1 W1 D1"]);
    let results = results(&event);
    assert_eq!(text(&results.wall_chart(1)), ["1 W2 1", "2 L1 0"]);
    assert_eq!(results.wall_chart(200), results.wall_chart(3));
    let after_one = results.standings(1, INDIVIDUAL_SWISS_ORDER).expect("a round");
    assert_eq!(results.crosstable(&after_one).rows[0].cells.len(), 1);
}

#[test]
fn a_cell_says_who_had_white_where_that_is_known() {
    let mut event = empty_section(1);
    event.entrants = vec![player(1), player(2)];
    let game = PairingGame { outcome: Outcome::Draw, white: Some(Side::Second) };
    let pairing = Pairing {
        round: 1,
        first: EntrantNumber(1),
        second: EntrantNumber(2),
        games: vec![game],
        confirmation: Confirmation::Confirmed,
    };
    event.pairings = vec![pairing];
    let white = |event: &rules::standings::Section| {
        let rows = results(event).wall_chart(1).rows;
        rows.iter().map(|row| row.cells[0].had_white).collect::<Vec<_>>()
    };
    assert_eq!(white(&event), [Some(false), Some(true)]);
    event.pairings[0].games[0].white = None;
    assert_eq!(white(&event), [None, None]);
}

#[test]
fn partners_of_one_round_score_alone_and_meet_who_sat_at_the_same_board() {
    let mut event = empty_section(2);
    event.entrants = (1..=4).map(player).collect();
    let seats = [1, 2, 3, 4].map(EntrantNumber);
    let first = Pairing::of_rotating_partners(
        1,
        seats,
        Some(Outcome::Win(Side::First)),
        Confirmation::Confirmed,
    );
    let again = [1, 3, 4, 2].map(EntrantNumber);
    let second =
        Pairing::of_rotating_partners(2, again, Some(Outcome::Draw), Confirmation::Confirmed);
    event.pairings = first.into_iter().chain(second).collect();
    let results = results(&event);
    // White at A is 1, Black at B is 4: they are team 1 of the first round.
    assert_eq!(
        text(&results.wall_chart(2)),
        ["1 W2 D3 1½", "2 L1 D4 ½", "3 L4 D1 ½", "4 W3 D2 1½"]
    );
    let cells = |round: usize| {
        let rows = results.wall_chart(2).rows;
        rows.iter().map(|row| row.cells[round].had_white.expect("known")).collect::<Vec<_>>()
    };
    assert_eq!(cells(0), [true, false, true, false]);
}
