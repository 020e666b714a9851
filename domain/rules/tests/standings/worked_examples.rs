//! The worked examples of `uscf-tiebreaks`, of US Chess's rulebook, and of a team event that was really played.

use rules::standings::{
    Discard, EntrantNumber, Explanation, INDIVIDUAL_SWISS_ORDER, ScoreClass, Scoring, Section,
    TEAM_SWISS_ORDER, TermSource, TieBreak,
};

use crate::support::{players, results, section, standings, value};

/// The event of `uscf-tiebreaks`. The source shows the rows of players A to D (1, 2, 4, 5) and, of their opponents, scores and running
/// totals. These make the rows of 3, 7, 9 and 10 certain, round by round. The rest is filled in so that everything shown comes out.
/// That concerns the other pairings, and a half-point bye of 6 and of 15, who according to the source had not played a game.
const EVENT: [&str; 16] = [
    "W6  W3  W9  W5  W4  W7",
    "W15 W5  W4  W3  W10 W9",
    "W12 L1  W16 L2  W14 W11",
    "W14 W7  L2  W12 L1  D5",
    "W11 L2  W10 L1  W12 D4",
    "L1  H   D8  L11 W13 W16",
    "W16 L4  L11 W13 W8  L1",
    "D10 W14 D6  L9  L7  D15",
    "W13 L12 L1  W8  D11 L2",
    "D8  W11 L5  W16 L2  L12",
    "L5  L10 W7  W6  D9  L3",
    "L3  W9  D14 L4  L5  W10",
    "L9  W16 W15 L7  L6  D14",
    "L4  L8  D12 D15 L3  D13",
    "L2  H   L13 D14 L16 D8",
    "L7  L13 L3  L10 W15 L6",
];

const PLAYER_A: u32 = 1;
const PLAYER_B: u32 = 2;
const PLAYER_C: u32 = 4;
const PLAYER_D: u32 = 5;

fn explain(section: &Section, number: u32, tie_break: TieBreak) -> Explanation {
    let explanation = results(section).explain(EntrantNumber(number), tie_break, section.rounds);
    explanation.expect("the number is an entrant's")
}

/// The terms as the source prints them: an asterisk for an opponent with a game that was not played, two for a score
/// that is discarded.
fn printed(explanation: &Explanation) -> Vec<String> {
    let term = |term: &rules::standings::Term| {
        let adjusted = matches!(
            term.source,
            TermSource::Opponent { unplayed_rounds: 1.., .. } | TermSource::OwnUnplayedRound { .. }
        );
        let marks = [("*", adjusted), ("**", term.discarded.is_some())];
        let marks = marks.iter().filter(|(_, there)| *there).map(|(mark, _)| *mark);
        std::iter::once(term.amount.to_string()).chain(marks.map(str::to_owned)).collect::<String>()
    };
    explanation.terms.iter().map(term).collect()
}

#[test]
fn modified_median_discards_the_lowest_opponent_of_players_with_a_plus_score() {
    let event = players(&EVENT);
    let of_a = explain(&event, PLAYER_A, TieBreak::ModifiedMedian);
    assert_eq!(of_a.score_class, Some(ScoreClass::Plus));
    assert_eq!(printed(&of_a), ["3*", "4", "2½**", "3½", "3½", "3"]);
    assert_eq!(of_a.terms[2].discarded, Some(Discard::Lowest));
    assert_eq!(of_a.value.expect("a sum").to_string(), "17");
    let of_b = explain(&event, PLAYER_B, TieBreak::ModifiedMedian);
    assert_eq!(printed(&of_b), ["1½***", "3½", "3½", "4", "2½", "2½"]);
    assert_eq!(of_b.value.expect("a sum").to_string(), "16");
}

#[test]
fn player_a_wins_the_tie_break_of_the_example() {
    let event = players(&EVENT);
    let standings = standings(&event);
    let first: Vec<_> =
        standings.rows.iter().take(2).map(|row| (row.rank, row.score_rank, row.number.0)).collect();
    assert_eq!(first, [(1, 1, PLAYER_A), (2, 1, PLAYER_B)]);
    let by = rules::standings::Separation::TieBreak(TieBreak::ModifiedMedian);
    assert_eq!(standings.rows[1].separated_by, Some(by));
    assert!(!standings.provisional);
}

#[test]
fn solkoff_counts_every_opponent() {
    let event = players(&EVENT);
    let of_a = explain(&event, PLAYER_A, TieBreak::Solkoff);
    assert_eq!(printed(&of_a), ["3*", "4", "2½", "3½", "3½", "3"]);
    assert_eq!(of_a.value.expect("a sum").to_string(), "19½");
    let of_b = explain(&event, PLAYER_B, TieBreak::Solkoff);
    assert_eq!(printed(&of_b), ["1½*", "3½", "3½", "4", "2½", "2½"]);
    assert_eq!(of_b.value.expect("a sum").to_string(), "17½");
}

#[test]
fn cumulative_sums_the_running_score() {
    let event = players(&EVENT);
    let of_c = explain(&event, PLAYER_C, TieBreak::Cumulative);
    assert_eq!(printed(&of_c), ["1", "2", "2", "3", "3", "3½"]);
    assert_eq!(of_c.value.expect("a sum").to_string(), "14½");
    let of_d = explain(&event, PLAYER_D, TieBreak::Cumulative);
    assert_eq!(printed(&of_d), ["1", "1", "2", "2", "3", "3½"]);
    assert_eq!(of_d.value.expect("a sum").to_string(), "12½");
}

#[test]
fn cumulative_of_a_win_a_loss_a_win_a_draw_and_a_loss_is_nine() {
    let event = players(&[
        "W2 L3 W4 D5 L6",
        "L1 U U U U",
        "U W1 U U U",
        "U U L1 U U",
        "U U U D1 U",
        "U U U U W1",
    ]);
    let explanation = explain(&event, 1, TieBreak::Cumulative);
    assert_eq!(printed(&explanation), ["1", "1", "2", "2½", "2½"]);
    assert_eq!(value(&event, 1, TieBreak::Cumulative), "9");
}

#[test]
fn cumulative_of_opposition_sums_the_opponents_cumulative() {
    let event = players(&EVENT);
    let of_a = explain(&event, PLAYER_A, TieBreak::CumulativeOfOpposition);
    assert_eq!(printed(&of_a), ["7", "13", "10", "12½", "14½", "11"]);
    assert_eq!(of_a.value.expect("a sum").to_string(), "68");
    let of_b = explain(&event, PLAYER_B, TieBreak::CumulativeOfOpposition);
    assert_eq!(printed(&of_b), ["4", "12½", "14½", "13", "11", "10"]);
    assert_eq!(of_b.value.expect("a sum").to_string(), "65");
}

#[test]
fn an_opponent_who_withdrew_after_three_rounds_with_two_points_has_an_adjusted_score_of_three() {
    let event = players(&["L2 U U U U", "W1 W3 L4 U U", "U L2 U U U", "U U W2 U U"]);
    assert_eq!(value(&event, 1, TieBreak::Solkoff), "3");
}

#[test]
fn a_round_not_played_is_an_opponent_with_no_score_and_the_first_to_be_discarded() {
    let event = players(&["B W2 W3", "W3 L1 B", "L2 B L1"]);
    let explanation = explain(&event, 1, TieBreak::ModifiedMedian);
    assert_eq!(printed(&explanation), ["0***", "1½*", "½*"]);
    assert_eq!(value(&event, 1, TieBreak::Solkoff), "2");
}

#[test]
fn cumulative_takes_back_the_point_of_a_bye() {
    // A bye, a win, a loss, a draw and a win: 1 + 2 + 2 + 2½ + 3½ - 1.
    let event = players(&["B W2 L3 D4 W5", "U L1 U U U", "U U W1 U U", "U U U D1 U", "U U U U L1"]);
    assert_eq!(value(&event, 1, TieBreak::Cumulative), "10");
}

#[test]
fn cumulative_takes_back_what_forfeits_and_half_point_byes_gave() {
    let event = players(&["X2 H W2", "F1 B L1"]);
    // 1 + 1½ + 2½ - 1 - ½, and 0 + 1 + 1 - 1.
    assert_eq!(value(&event, 1, TieBreak::Cumulative), "3½");
    assert_eq!(value(&event, 2, TieBreak::Cumulative), "1");
    assert_eq!(value(&event, 1, TieBreak::CumulativeOfOpposition), "1");
}

#[test]
fn sonneborn_berger_counts_opponents_beaten_in_full_and_opponents_drawn_with_by_half() {
    let event = players(&["W2 D3 L4", "L1 W4 D3", "D4 D1 D2", "D3 L2 W1"]);
    // 1½ + ½ · 1½ of player 1; ½ · 1½ + 1½ of player 4, and so on.
    assert_eq!(value(&event, 1, TieBreak::SonnebornBerger), "2¼");
    assert_eq!(value(&event, 3, TieBreak::SonnebornBerger), "2¼");
}

#[test]
fn from_the_ninth_round_on_two_scores_are_discarded_at_an_end() {
    // A round robin of ten: number 1 wins all, number 2 all but one, and so on.
    let rows: Vec<String> = (1..=10).map(round_robin_row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let event = players(&rows);
    assert_eq!(value(&event, 1, TieBreak::Solkoff), "36");
    assert_eq!(value(&event, 1, TieBreak::ModifiedMedian), "35", "without 0 and 1");
    assert_eq!(value(&event, 10, TieBreak::ModifiedMedian), "28", "45 without 9 and 8");
    assert_eq!(value(&event, 1, TieBreak::Median), "20", "36 without 0, 1, 8 and 7");
    let after_eight = results(&event).explain(EntrantNumber(1), TieBreak::Median, 8);
    let discarded = after_eight.expect("an entrant").terms;
    assert_eq!(discarded.iter().filter(|term| term.discarded.is_some()).count(), 2);
}

/// By the circle method: number 10 stays, the others go round.
fn round_robin_row(number: u32) -> String {
    let opponent = |round: u32| match number {
        10 => (round * 5) % 9 + 1,
        _ => {
            let other = (2 * 9 + 1 + round - number) % 9 + 1;
            if other == number { 10 } else { other }
        }
    };
    let sign = |opponent: u32| format!("{}{opponent}", if number < opponent { 'W' } else { 'L' });
    (0..9).map(|round| sign(opponent(round))).collect::<Vec<_>>().join(" ")
}

/// The wall chart of a scholastic event of 26 school teams on four boards, as a pairing program printed it. Each row has match points,
/// then the program's US Amateur Team tie-break, then the rounds with the game points of each.
const TEAM_EVENT: &str = "
    5.0 55.25 W22,4.0 W8,3.0  W4,3.5  W2,3.5  W3,4.0
    4.0 37.25 W19,4.0 W5,2.5  W12,3.0 L1,0.5  W11,3.5
    3.5 35.50 W9,3.0  W6,3.0  D7,2.0  W13,4.0 L1,0.0
    3.5 35.25 W24,3.5 W10,3.5 L1,0.5  W16,4.0 D6,2.0
    3.5 30.00 W17,3.0 L2,1.5  D8,2.0  W20,3.0 W13,3.0
    3.5 27.00 W26,4.0 L3,1.0  W18,3.0 W7,3.5  D4,2.0
    3.0 34.75 W11,4.0 W18,4.0 D3,2.0  L6,0.5  D8,2.0
    3.0 34.25 W16,4.0 L1,1.0  D5,2.0  W12,2.5 D7,2.0
    3.0 27.50 L3,1.0  W23,4.0 L10,1.5 W17,3.0 W14,3.0
    3.0 20.75 W25,4.0 L4,0.5  W9,2.5  L11,1.0 W21,3.0
    3.0 17.00 L7,0.0  W26,3.0 W17,3.0 W10,3.0 L2,0.5
    2.5 25.50 D13,2.0 W21,4.0 L2,1.0  L8,1.5  W20,4.0
    2.5 23.00 D12,2.0 W15,4.0 W20,3.0 L3,0.0  L5,1.0
    2.5 18.50 D15,2.0 L20,1.5 W22,3.5 W25,3.0 L9,1.0
    2.5 17.50 D14,2.0 L13,0.0 D21,2.0 W24,3.0 D16,2.0
    2.5 12.50 L8,0.0  W22,3.0 W25,3.0 L4,0.0  D15,2.0
    2.0 19.00 L5,1.0  W19,3.0 L11,1.0 L9,1.0  W25,3.5
    2.0 15.00 W23,3.0 L7,0.0  L6,1.0  D21,2.0 D19,2.0
    2.0 9.00  L2,0.0  L17,1.0 D23,2.0 W26,3.0 D18,2.0
    1.5 15.25 D21,2.0 W14,2.5 L13,1.0 L5,1.0  L12,0.0
    1.5 15.00 D20,2.0 L12,0.0 D15,2.0 D18,2.0 L10,1.0
    1.5 10.50 L1,0.0  L16,1.0 L14,0.5 W23,2.5 D24,2.0
    1.5 8.25  L18,1.0 L9,0.0  D19,2.0 L22,1.5 W26,3.0
    1.5 7.75  L4,0.5  L25,0.5 W26,3.0 L15,1.0 D22,2.0
    1.0 11.25 L10,0.0 W24,3.5 L16,1.0 L14,1.0 L17,0.5
    0.0 8.00  L6,0.0  L11,1.0 L24,1.0 L19,1.0 L23,1.0
";

#[test]
fn us_amateur_team_is_what_a_pairing_program_printed_for_a_real_event() {
    let rows: Vec<&str> = TEAM_EVENT.trim().lines().map(str::trim).collect();
    let column = |row: &'static str, at: usize| row.split_whitespace().nth(at).expect("a column");
    let charts: Vec<String> = rows
        .iter()
        .map(|row| row.split_whitespace().skip(2).collect::<Vec<_>>().join(" "))
        .collect();
    let charts: Vec<&str> = charts.iter().map(String::as_str).collect();
    let event = section(&charts, 4, Scoring::MatchPoints);
    let results = results(&event);
    for (number, row) in (1..).zip(rows) {
        let number = EntrantNumber(number);
        let score = results.score(number, 5).expect("an entrant");
        let tie_break = results.explain(number, TieBreak::UsAmateurTeam, 5).expect("an entrant");
        let points = |at| column(row, at).parse::<f64>().expect("points");
        let quarters = tie_break.value.expect("a sum").quarter_points();
        assert_eq!(f64::from(score.half_points()) / 2.0, points(0), "score of {number}");
        assert_eq!(quarters as f64 / 4.0, points(1), "tie-break of {number}");
    }
}

#[test]
fn three_games_to_one_against_two_and_a_half_points_is_seven_and_a_half() {
    let event = section(&["W2,3 U U", "L1,1 W3,4 D3,2", "U L2,0 D2,2"], 4, Scoring::MatchPoints);
    assert_eq!(results(&event).score(EntrantNumber(2), 3).expect("an entrant").to_string(), "1½");
    assert_eq!(value(&event, 1, TieBreak::UsAmateurTeam), "4½", "3 · 1½");
    let event = section(
        &["W2,3 U U U", "L1,1 W3,4 D3,2 W3,4", "U L2,0 D2,2 L2,0"],
        4,
        Scoring::MatchPoints,
    );
    assert_eq!(value(&event, 1, TieBreak::UsAmateurTeam), "7½", "3 · 2½");
}

#[test]
fn game_match_points_are_the_account_that_is_not_the_score() {
    let rows = ["W2,1.5 B", "L1,0.5 W3,2", "H L2,0"];
    let by_matches = section(&rows, 2, Scoring::MatchPoints);
    assert_eq!(value(&by_matches, 1, TieBreak::GameMatchPoints), "3½");
    assert_eq!(value(&by_matches, 3, TieBreak::GameMatchPoints), "1");
    let by_games = section(&rows, 2, Scoring::GamePoints);
    let results = results(&by_games);
    assert_eq!(results.score(EntrantNumber(1), 2).expect("an entrant").to_string(), "3½");
    assert_eq!(value(&by_games, 1, TieBreak::GameMatchPoints), "2");
    let standings = results.standings(2, TEAM_SWISS_ORDER).expect("there are two rounds");
    assert_eq!(standings.rows[0].number, EntrantNumber(1));
}

#[test]
fn the_recommended_order_is_the_one_of_the_source() {
    let names: Vec<&str> =
        INDIVIDUAL_SWISS_ORDER.iter().map(|tie_break| tie_break.name()).collect();
    assert_eq!(
        names,
        ["Modified Median", "Solkoff", "Cumulative", "Cumulative of Opposition", "Coin Toss"]
    );
    let names: Vec<&str> = TEAM_SWISS_ORDER.iter().map(|tie_break| tie_break.name()).collect();
    assert_eq!(names, ["Game/Match Points", "US Amateur Team", "Coin Toss"]);
}
