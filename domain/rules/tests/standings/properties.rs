//! Properties of every section, with any events in it.

use proptest::prelude::*;
use rules::standings::{
    Bye, ByeKind, Confirmation, EntrantNumber, INDIVIDUAL_SWISS_ORDER, Outcome, ResultKind,
    Results, Score, Section, Side, TieBreak, Withdrawal,
};

use crate::support::{empty_section, pairing, player, results};

/// Result of the `n`th pair of a round.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Game(Option<Outcome>, Confirmation),
    Byes(ByeKind, ByeKind),
    Nothing,
}

fn happening() -> impl Strategy<Value = Happening> {
    let side = || prop::sample::select(vec![Side::First, Side::Second]);
    let kind =
        || prop::sample::select(vec![ByeKind::FullPoint, ByeKind::HalfPoint, ByeKind::ZeroPoint]);
    let outcome = prop_oneof![
        8 => side().prop_map(|side| Some(Outcome::Win(side))),
        4 => Just(Some(Outcome::Draw)),
        1 => side().prop_map(|side| Some(Outcome::ForfeitWin(side))),
        1 => Just(Some(Outcome::DoubleForfeit)),
        1 => Just(None),
    ];
    let confirmation =
        prop::sample::select(vec![Confirmation::Confirmed, Confirmation::Provisional]);
    prop_oneof![
        12 => (outcome, confirmation).prop_map(|(outcome, confirmation)| {
            Happening::Game(outcome, confirmation)
        }),
        2 => (kind(), kind()).prop_map(|(one, other)| Happening::Byes(one, other)),
        1 => Just(Happening::Nothing),
    ]
}

type Round = (Vec<u32>, Vec<Happening>);

/// A section of 2 to 11 players and 1 to 11 rounds, without contradictions.
fn any_section() -> impl Strategy<Value = Section> {
    (2u32..12, 1usize..12).prop_flat_map(|(entrants, rounds)| {
        let numbers: Vec<u32> = (1..=entrants).collect();
        let pairs = entrants as usize / 2;
        let round = (Just(numbers).prop_shuffle(), prop::collection::vec(happening(), pairs));
        let gone = prop::option::weighted(0.3, 1..=entrants);
        (prop::collection::vec(round, rounds), gone)
            .prop_map(move |(rounds, gone)| build(entrants, &rounds, gone))
    })
}

fn build(entrants: u32, rounds: &[Round], gone: Option<u32>) -> Section {
    let mut section = empty_section(u8::try_from(rounds.len()).expect("few rounds"));
    section.entrants = (1..=entrants).map(player).collect();
    // A player who leaves does so after half of the rounds.
    let after_round = section.rounds / 2;
    let has_left = |round, number| gone == Some(number) && round > after_round;
    section
        .withdrawals
        .extend(gone.map(|entrant| Withdrawal { entrant: EntrantNumber(entrant), after_round }));
    for (round, (order, happenings)) in (1..).zip(rounds) {
        for (pair, happening) in order.chunks_exact(2).zip(happenings) {
            if pair.iter().any(|&number| has_left(round, number)) {
                continue;
            }
            match *happening {
                Happening::Game(outcome, confirmation) => {
                    let mut pairing = pairing(round, pair[0], pair[1], Vec::from_iter(outcome));
                    pairing.confirmation = confirmation;
                    section.pairings.push(pairing);
                }
                Happening::Byes(one, other) => {
                    let bye = |entrant, kind| Bye { round, entrant: EntrantNumber(entrant), kind };
                    section.byes.extend([bye(pair[0], one), bye(pair[1], other)]);
                }
                Happening::Nothing => {}
            }
        }
    }
    section
}

fn quarters(results: &Results, number: u32, tie_break: TieBreak, after: u8) -> i64 {
    let explanation = results.explain(EntrantNumber(number), tie_break, after);
    let value = explanation.expect("an entrant").value;
    value.expect("the tie-break has a value").quarter_points()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_the_reports_changes_nothing(
        (section, shuffled) in any_section().prop_flat_map(|section| {
            let pairings = Just(section.pairings.clone()).prop_shuffle();
            let entrants = Just(section.entrants.clone()).prop_shuffle();
            let byes = Just(section.byes.clone()).prop_shuffle();
            let rest = Just(section.clone());
            (Just(section), (pairings, entrants, byes, rest).prop_map(
                |(pairings, entrants, byes, rest)| Section { pairings, entrants, byes, ..rest },
            ))
        }),
    ) {
        let (one, other) = (results(&section), results(&shuffled));
        for after in 0..=section.rounds {
            prop_assert_eq!(
                one.standings(after, INDIVIDUAL_SWISS_ORDER),
                other.standings(after, INDIVIDUAL_SWISS_ORDER)
            );
        }
        prop_assert_eq!(one.wall_chart(section.rounds), other.wall_chart(section.rounds));
    }

    #[test]
    fn it_does_not_matter_from_which_side_a_game_is_reported(section in any_section()) {
        let mut turned = section.clone();
        for pairing in &mut turned.pairings {
            std::mem::swap(&mut pairing.first, &mut pairing.second);
            for game in &mut pairing.games {
                *game = game.swapped();
            }
        }
        let both = Section {
            pairings: section.pairings.iter().chain(&turned.pairings).cloned().collect(),
            ..section.clone()
        };
        let chart = results(&section).wall_chart(section.rounds);
        prop_assert_eq!(&chart, &results(&turned).wall_chart(section.rounds));
        prop_assert_eq!(&chart, &results(&both).wall_chart(section.rounds), "reported twice");
    }

    #[test]
    fn the_sum_of_the_scores_is_what_games_and_byes_gave(section in any_section()) {
        let results = results(&section);
        let of_games = section.pairings.iter().flat_map(|pairing| &pairing.games).map(|game| {
            if game.outcome == Outcome::DoubleForfeit { 0 } else { 2 }
        });
        let of_byes = section.byes.iter().map(|bye| match bye.kind {
            ByeKind::FullPoint => 2,
            ByeKind::HalfPoint => 1,
            ByeKind::ZeroPoint => 0,
        });
        let given: u32 = of_games.chain(of_byes).sum();
        let scores = section.entrants.iter().map(|entrant| results.score(entrant.number, 99));
        let scored: Score = scores.map(|score| score.expect("an entrant")).sum();
        prop_assert_eq!(scored.half_points(), given);
    }

    #[test]
    fn what_discards_more_is_never_greater(section in any_section()) {
        let results = results(&section);
        for after in 0..=section.rounds {
            for entrant in &section.entrants {
                let value = |tie_break| quarters(&results, entrant.number.0, tie_break, after);
                prop_assert!(value(TieBreak::Solkoff) >= value(TieBreak::ModifiedMedian));
                prop_assert!(value(TieBreak::ModifiedMedian) >= value(TieBreak::Median));
                prop_assert!(value(TieBreak::Median) >= 0);
                prop_assert!(value(TieBreak::Cumulative) >= 0);
            }
        }
    }

    #[test]
    fn an_explanation_sums_to_its_value_and_has_a_term_for_every_round(section in any_section()) {
        let results = results(&section);
        let order = [
            TieBreak::Solkoff, TieBreak::Median, TieBreak::ModifiedMedian, TieBreak::Cumulative,
            TieBreak::CumulativeOfOpposition, TieBreak::SonnebornBerger, TieBreak::UsAmateurTeam,
            TieBreak::GameMatchPoints,
        ];
        for entrant in &section.entrants {
            for tie_break in order {
                let explanation = results.explain(entrant.number, tie_break, section.rounds);
                let explanation = explanation.expect("an entrant");
                let counted = explanation.terms.iter().filter(|term| term.discarded.is_none());
                let sum: i64 = counted.map(|term| term.amount.quarter_points()).sum();
                prop_assert_eq!(explanation.value.map(|value| value.quarter_points()), Some(sum));
                let rounds: Vec<u8> = explanation.terms.iter().filter_map(|term| term.round).collect();
                prop_assert!(rounds.is_sorted());
                if matches!(tie_break, TieBreak::Solkoff | TieBreak::Cumulative) {
                    prop_assert!((1..=section.rounds).all(|round| rounds.contains(&round)));
                }
            }
        }
    }

    #[test]
    fn ranks_follow_scores_and_skip_what_is_shared(section in any_section()) {
        let standings = results(&section).standings(section.rounds, INDIVIDUAL_SWISS_ORDER);
        let rows = standings.expect("the last round").rows;
        prop_assert_eq!(rows.len(), section.entrants.len());
        for (place, row) in (1..).zip(&rows) {
            prop_assert!(row.rank <= place && row.score_rank <= row.rank);
            prop_assert_eq!(row.separated_by.is_some(), row.rank == place && place > 1);
        }
        for pair in rows.windows(2) {
            let key = |row: &rules::standings::StandingsRow| (row.score, row.tie_breaks.clone());
            prop_assert!(key(&pair[0]) >= key(&pair[1]));
            prop_assert_eq!(key(&pair[0]) == key(&pair[1]), pair[0].rank == pair[1].rank);
        }
    }

    #[test]
    fn confirmed_sections_are_not_provisional_and_others_are(section in any_section()) {
        let open = section.pairings.iter().any(|pairing| {
            pairing.games.is_empty() || pairing.confirmation == Confirmation::Provisional
        });
        let results = results(&section);
        let standings = results.standings(section.rounds, INDIVIDUAL_SWISS_ORDER).expect("a round");
        prop_assert_eq!(standings.provisional, open);
        prop_assert_eq!(standings.rows.iter().any(|row| row.provisional), open);
    }

    #[test]
    fn an_entrant_more_who_never_plays_changes_nothing_for_the_others(section in any_section()) {
        let mut larger = section.clone();
        larger.entrants.push(player(500));
        let (before, after) = (results(&section), results(&larger));
        for entrant in &section.entrants {
            prop_assert_eq!(before.of(entrant.number), after.of(entrant.number));
            for &tie_break in INDIVIDUAL_SWISS_ORDER {
                prop_assert_eq!(
                    before.explain(entrant.number, tie_break, section.rounds),
                    after.explain(entrant.number, tie_break, section.rounds)
                );
            }
        }
        let added = after.of(EntrantNumber(500)).expect("an entrant");
        prop_assert!(added.iter().all(|result| result.kind == ResultKind::Unplayed));
    }
}
