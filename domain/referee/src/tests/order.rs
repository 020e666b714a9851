//! Independence of order: the final judgment is the same for any order, repetition and revision of reports.

use proptest::prelude::*;

use super::*;

const CLEAN: &[&str] = &[
    "A:e2e4", "B:d2d4", "a:d7d5", "b:d7d5", "A:e4d5", "B:c1g5", "a:d8d5", "b:P@h3", "A:b1c3",
    "B:g5e7", "a:d5e5", "A:f1e2", "b:f8e7", "a:B@h3", "B:P@h6", "A:g2h3", "b:g8h6", "a:e5e2",
    "A:g1e2", "B:e2e3",
];

type Outcome = (Vec<(PlyReport, String, BoardSnapshot)>, Vec<Alert>, Option<Proposal>);

/// Final state, without the counters of its history.
fn outcome(referee: &Referee) -> Outcome {
    let plies = referee.timeline().plies().iter();
    let plies = plies.map(|ply| (ply.report.clone(), ply.san.clone(), ply.after.clone())).collect();
    let alerts = referee.alerts().filter(|alert| !alert.retracted);
    let alerts = alerts.map(|alert| Alert { revision: 0, ..alert.clone() }).collect();
    (plies, alerts, referee.proposal().cloned())
}

fn told(reports: impl IntoIterator<Item = Input>) -> Referee {
    let mut referee = Referee::new(Conditions::new(BookId::UsChessBughouse2018));
    for report in reports {
        referee.handle(60_000_000, report);
    }
    referee
}

fn clean() -> Vec<PlyReport> {
    CLEAN.iter().enumerate().map(|(index, text)| report(index as PlyId + 1, 1, text)).collect()
}

/// A first guess that is later revised: another drop, another square, another time.
fn first_guess(report: &PlyReport, kind: u8) -> Option<PlyReport> {
    let mut guess = PlyReport { revision: 0, ..report.clone() };
    match kind {
        0 => return None,
        1 => guess.t_us += 2_500_000,
        2 => guess.side = guess.side.other(),
        _ => {
            guess.ply = match guess.ply {
                Ply::Drop { to, .. } => Ply::Drop { role: rules::Role::Rook, to },
                Ply::Move { from, .. } => {
                    let to = if from == rules::Square::C5 {
                        rules::Square::C6
                    } else {
                        rules::Square::C5
                    };
                    Ply::Move { from, to, promotion: None }
                }
            }
        }
    }
    Some(guess)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_order_duplication_and_revision_of_reports_ends_as_the_clean_sequence(
        guesses in proptest::collection::vec(0u8..4, CLEAN.len()),
        keys in proptest::collection::vec(any::<u32>(), CLEAN.len() * 3),
        ghosts in proptest::collection::vec((0usize..CLEAN.len(), any::<u32>()), 0..4),
    ) {
        let expected = outcome(&told(clean().into_iter().map(Input::Ply)));
        let mut inputs: Vec<(u32, Input)> = Vec::new();
        for (index, sure) in clean().into_iter().enumerate() {
            if let Some(guess) = first_guess(&sure, guesses[index]) {
                inputs.push((keys[index * 3], Input::Ply(guess)));
            }
            inputs.push((keys[index * 3 + 1], Input::Ply(sure.clone())));
            inputs.push((keys[index * 3 + 2], Input::Ply(sure)));
        }
        // Plies that never happened are reported anywhere and retracted after.
        let mut retractions = Vec::new();
        for (number, (place, key)) in ghosts.into_iter().enumerate() {
            let id = 1000 + number as PlyId;
            let like = &clean()[place];
            inputs.push((key, Input::Ply(PlyReport { id, ..like.clone() })));
            retractions.push(Input::PlyRetracted(id));
        }
        inputs.sort_by_key(|&(key, _)| key);
        let inputs = inputs.into_iter().map(|(_, input)| input).chain(retractions);
        let outcome = outcome(&told(inputs));
        prop_assert_eq!(outcome.0, expected.0);
        prop_assert_eq!(outcome.1, expected.1);
        prop_assert_eq!(outcome.2, expected.2);
    }
}
