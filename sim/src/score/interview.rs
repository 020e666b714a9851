//! An eyewitness who answers the tracker's questions, one after the other.
//!
//! The person is an oracle: it answers from the truth, about the plies that the tracker asks about and
//! about nothing else. After each answer the match is tracked anew with all that is known, as `twinboard infer --facts`
//! does it, so that stories which had been given up come back, and the next question is chosen anew. What the records
//! are then worth is what a few questions after a match can give.

use inference::{
    Tracker, TrackerConfig,
    facts::{Fact, Facts, PlyFact, Said},
};
use readings::{InferredLine, InferredPly, Question, Reading, TraceHeader, TruthLine, TruthPly};

use super::{Step, align};

/// State of a match after some answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// The record.
    pub record: Vec<InferredLine>,
    /// The tracker's own probability that every ply of it is right and none is missing, 0 to 1.
    pub p: f64,
}

/// Asks a person who knows the truth at most `most` questions about a match.
///
/// Returns `most + 1` rounds: before any answer, and after each. When nothing is left to ask, the last
/// one stands for the rest.
#[must_use]
pub fn interview(
    header: &TraceHeader,
    readings: &[Reading],
    config: &TrackerConfig,
    truth: &[TruthLine],
    most: usize,
) -> Vec<Round> {
    let mut facts = config.facts.clone();
    let mut rounds = vec![track(header, readings, config, &facts)];
    while rounds.len() <= most {
        let Some(answer) = rounds.last().and_then(|round| first_answer(&round.record, truth))
        else {
            break;
        };
        facts.push(answer);
        rounds.push(track(header, readings, config, &facts));
    }
    let last = rounds.last().cloned().unwrap_or_default();
    rounds.resize(most + 1, last);
    rounds
}

fn track(
    header: &TraceHeader,
    readings: &[Reading],
    config: &TrackerConfig,
    facts: &Facts,
) -> Round {
    let config = TrackerConfig { facts: facts.clone(), ..config.clone() };
    let tracker = Tracker::over(header, readings, config);
    Round { record: tracker.record(), p: tracker.probability_of_record() }
}

/// The answer to the record's first question.
fn first_answer(record: &[InferredLine], truth: &[TruthLine]) -> Option<Fact> {
    let question = record.iter().find_map(|line| match line {
        InferredLine::Question(question) => Some(question),
        _ => None,
    })?;
    answer(record, question, truth)
}

/// Answer of a person who knows the truth to the question about a ply; none if the record does not
/// have that ply.
#[must_use]
pub fn answer(record: &[InferredLine], question: &Question, truth: &[TruthLine]) -> Option<Fact> {
    let all = || {
        record.iter().filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply),
            _ => None,
        })
    };
    let asked = all().find(|ply| ply.n == question.ply)?;
    let inferred: Vec<&InferredPly> = all().filter(|ply| ply.board == asked.board).collect();
    let made: Vec<&TruthPly> = truth
        .iter()
        .filter_map(|line| match line {
            TruthLine::Ply(ply) if ply.board == asked.board => Some(ply),
            _ => None,
        })
        .collect();
    let meant = align(&made, &inferred).into_iter().find_map(|step| match step {
        Step::Paired { truth, inferred: at } if inferred[at].n == asked.n => Some(made[truth]),
        _ => None,
    });
    let said = match meant.filter(|ply| ply.side == asked.side) {
        Some(ply) => Said { uci: Some(ply.uci), ..Said::default() },
        None => Said { unmade: true, ..Said::default() },
    };
    let &InferredPly { n, board, side, t_us, .. } = asked;
    let (board, side, t_us) = (Some(board), Some(side), Some(t_us));
    Some(Fact::Ply(PlyFact { ply: Some(n), board, side, t_us, said }))
}

#[cfg(test)]
mod tests {
    use readings::Alternative;
    use rules::{BoardId, Color};

    use super::*;
    use crate::{Profile, games, perform, score::Answered};

    fn inferred(n: u32, side: Color, uci: &str) -> InferredLine {
        InferredLine::Ply(InferredPly {
            n,
            board: BoardId::A,
            side,
            t_us: u64::from(n) * 1_000_000,
            uci: uci.parse().unwrap(),
            p: 0.5,
            legal: true,
            alternatives: Vec::new(),
            live: None,
            lag8: None,
        })
    }

    fn made(n: u32, side: Color, uci: &str) -> TruthLine {
        TruthLine::Ply(TruthPly {
            n,
            board: BoardId::A,
            side,
            uci: uci.parse().unwrap(),
            t_us: u64::from(n) * 1_000_000,
            legal: true,
        })
    }

    fn answered(record: &[InferredLine], ply: u32, truth: &[TruthLine]) -> Option<String> {
        let candidates = vec![Alternative { uci: "e2e4".parse().unwrap(), p: 0.5 }];
        answer(record, &Question { ply, candidates }, truth).map(|fact| fact.to_string())
    }

    #[test]
    fn the_person_says_what_was_played_or_that_nothing_was() {
        let record = [
            inferred(1, Color::White, "N@e4"),
            inferred(2, Color::Black, "e7e5"),
            inferred(3, Color::White, "h2h3"),
        ];
        let truth = [made(1, Color::White, "B@e4"), made(2, Color::Black, "e7e5")];
        let said = |ply| answered(&record, ply, &truth).unwrap_or_default();
        assert_eq!(said(1), "ply 1 was B@e4");
        assert_eq!(said(2), "ply 2 was e7e5");
        assert_eq!(said(3), "ply 3 was not made");
        assert_eq!(answered(&record, 4, &truth), None);
    }

    #[test]
    fn answers_do_not_make_a_record_worse_and_are_the_same_every_time() {
        let game = games::shipped().into_iter().nth(3).expect("a match");
        let performance = perform(&game, Profile::Ideal, 1, "interview").unwrap();
        let (header, readings) = (&performance.header, &performance.readings);
        let config = TrackerConfig { beam: 64, ..TrackerConfig::default() };
        let rounds = interview(header, readings, &config, &performance.truth, 3);
        assert_eq!(rounds.len(), 4);
        let score = Answered::score("interview", &performance.truth, &rounds).unwrap();
        let right: Vec<u64> = score.plies.iter().map(|share| share.right).collect();
        assert!(right[3] >= right[0], "{right:?} of {}", score.plies[0].of);
        assert!(score.expected[3] > score.expected[0], "{:?}", score.expected);
        let again = interview(header, readings, &config, &performance.truth, 3);
        assert_eq!(again, rounds, "the same match, the same questions");
    }
}
