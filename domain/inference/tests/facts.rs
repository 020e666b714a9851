//! What people know, brought to a match: after it, and while it is inferred anew.

mod common;

use common::{Table, header};
use inference::{
    Tracker, TrackerConfig,
    facts::{Fact, Facts, FactsFile},
};
use readings::{InferredLine, InferredPly, Question};
use rules::BoardId;

use BoardId::{A, B};

fn tracker(table: &Table, beam: usize, facts: Facts) -> Tracker {
    let mut tracker =
        Tracker::new(&header(), TrackerConfig { beam, facts, ..TrackerConfig::default() });
    for reading in &table.readings {
        tracker.handle(reading);
    }
    tracker.finish();
    tracker
}

fn facts(text: &str) -> Facts {
    FactsFile::read(text.as_bytes()).unwrap_or_else(|errors| panic!("{errors:?}")).of("by-hand")
}

fn plies(lines: &[InferredLine]) -> Vec<&InferredPly> {
    lines
        .iter()
        .filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply),
            _ => None,
        })
        .collect()
}

fn drops(lines: &[InferredLine]) -> Vec<String> {
    plies(lines).iter().filter(|ply| ply.uci.is_drop()).map(|ply| ply.uci.to_string()).collect()
}

fn questions(lines: &[InferredLine]) -> Vec<&Question> {
    lines
        .iter()
        .filter_map(|line| match line {
            InferredLine::Question(question) => Some(question),
            _ => None,
        })
        .collect()
}

/// White has taken a pawn and a knight at A, which are Black's at B.
fn holding_pawn_and_knight() -> Table {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5", "e4d5", "g8f6", "g1f3", "f6d5", "c2c4", "d5f6"]);
    table.play_all(A, &["d2d4", "f6e4", "f1d3", "e7e5", "d3e4"]);
    table
}

/// Black at B holds a pawn and a knight; both are dropped and stay where they are, so that only players'
/// habits speak for one or the other. `first` goes to e6, `second` to d6.
fn undecided(first: char, second: char) -> Table {
    let mut table = holding_pawn_and_knight();
    let (first, second) = (format!("{first}@e6"), format!("{second}@d6"));
    table.play_all(B, &["h2h3", &first, "a2a3", &second, "b2b3"]);
    table
}

#[test]
fn one_answer_settles_the_drop_that_depends_on_it() {
    let table = undecided('N', 'P');
    let tracker = tracker(&table, 512, Facts::default());
    let record = tracker.record();
    let asked = questions(&record);
    assert!(!asked.is_empty(), "{record:?}");
    let number = asked[0].ply;
    let ply = plies(&record)[number as usize - 1];
    let said = if ply.uci.to().to_string() == "e6" { "N@e6" } else { "P@d6" };
    let text = format!("{{\"kind\":\"fact\",\"ply\":{number},\"uci\":\"{said}\"}}");
    let (known, lost) = facts(&text).anchored(&record);
    assert!(lost.is_empty());
    let again = self::tracker(&table, 512, known);
    let lines = again.record();
    assert_eq!(drops(&lines), ["N@e6", "P@d6"]);
    assert!(plies(&lines).iter().all(|ply| ply.p > 0.95), "the other drop is settled too");
    assert!(questions(&lines).is_empty());
    assert!(again.unreconciled().is_empty());
}

#[test]
fn a_final_board_tells_what_was_dropped_on_it() {
    for (first, second, placement) in [('N', 'P', "3pn3"), ('P', 'N', "3np3")] {
        let table = undecided(first, second);
        let text = format!(
            r#"{{"kind":"fact","final":{{"B":"rnbqkbnr/pppppppp/{placement}/8/8/PP5P/2PPPPP1/RNBQKBNR"}}}}"#
        );
        let tracker = tracker(&table, 512, facts(&text));
        assert_eq!(drops(&tracker.record()), [format!("{first}@e6"), format!("{second}@d6")]);
        assert_eq!(tracker.unreconciled(), []);
    }
}

#[test]
fn a_hypothesis_that_was_given_up_comes_back_when_the_match_is_inferred_with_the_fact() {
    for (first, second) in [('N', 'P'), ('P', 'N')] {
        let table = undecided(first, second);
        // One hypothesis only, so whatever is less likely is given up at once.
        let narrow = tracker(&table, 1, Facts::default());
        let record = narrow.record();
        let drop = plies(&record).into_iter().find(|ply| ply.uci.is_drop()).expect("a drop");
        let text = format!("{{\"kind\":\"fact\",\"ply\":{},\"uci\":\"{first}@e6\"}}", drop.n);
        let (known, _) = facts(&text).anchored(&record);
        let again = tracker(&table, 1, known);
        assert_eq!(drops(&again.record()), [format!("{first}@e6"), format!("{second}@d6")]);
        assert!(again.unreconciled().is_empty());
    }
}

#[test]
fn facts_that_contradict_each_other_or_the_squares_are_said_and_break_nothing() {
    let table = undecided('N', 'P');
    let plain = tracker(&table, 512, Facts::default());
    let record = plain.record();
    let drop = plies(&record).into_iter().find(|ply| ply.uci.is_drop()).expect("a drop").n;
    let text = format!(
        "{{\"kind\":\"fact\",\"ply\":{drop},\"uci\":\"N@e6\"}}\n\
         {{\"kind\":\"fact\",\"ply\":{drop},\"uci\":\"P@e6\"}}\n\
         {{\"kind\":\"fact\",\"ply\":1,\"uci\":\"h2h4\"}}\n\
         {{\"kind\":\"fact\",\"result\":\"mate\"}}\n\
         {{\"kind\":\"fact\",\"ply\":900,\"uci\":\"e2e4\"}}"
    );
    let (known, lost) = facts(&text).anchored(&record);
    assert_eq!(lost.len(), 1);
    assert!(lost[0].reason.contains("the record has plies 1 to"), "{}", lost[0]);
    let again = tracker(&table, 512, known);
    let against: Vec<String> =
        again.unreconciled().iter().map(|each| each.fact.to_string()).collect();
    assert_eq!(against.len(), 3, "{against:?}");
    assert!(against[1].contains("was h2h4") && against[2] == "the result was mate");
    let lines = again.record();
    assert_eq!(plies(&lines).len(), plies(&record).len());
    assert_eq!(plies(&lines)[0].uci, plies(&record)[0].uci);
}

#[test]
fn a_ply_that_was_not_what_is_likeliest_is_the_next_likely_one() {
    let table = undecided('N', 'P');
    let tracker = tracker(&table, 512, Facts::default());
    let record = tracker.record();
    let drop = plies(&record).into_iter().find(|ply| ply.uci.is_drop()).expect("a drop");
    let text = format!("{{\"kind\":\"fact\",\"ply\":{},\"not\":\"{}\"}}", drop.n, drop.uci);
    let again = self::tracker(&table, 512, facts(&text).anchored(&record).0).record();
    let now = plies(&again)[drop.n as usize - 1];
    assert_ne!(now.uci, drop.uci);
    assert_eq!(now.uci.to(), drop.uci.to());
}

#[test]
fn a_fact_stays_with_its_ply_when_inferring_anew_renumbers_the_plies() {
    let table = undecided('N', 'P');
    let record = tracker(&table, 512, Facts::default()).record();
    let drop = plies(&record).into_iter().find(|ply| ply.uci.is_drop()).expect("a drop");
    let text = format!(
        "{{\"kind\":\"fact\",\"ply\":999,\"board\":\"B\",\"side\":\"black\",\"t_us\":{},\"uci\":\"N@e6\"}}",
        drop.t_us - 200_000
    );
    // The number is nobody's, the board and the time are the drop's.
    let (known, lost) = facts(&text).anchored(&record);
    assert!(lost.is_empty());
    assert!(matches!(known.iter().next(), Some(Fact::Ply(fact)) if fact.place().is_some()));
    assert_eq!(drops(&tracker(&table, 512, known).record())[0], "N@e6");
}

#[test]
fn a_mate_that_is_said_tells_the_piece_that_mates() {
    // A pawn on f2, guarded from c5, mates; a knight there does not even give check.
    let mut table = holding_pawn_and_knight();
    table.play_all(B, &["f2f4", "e7e6", "a2a3", "f8c5", "h2h3", "P@f2"]);
    let tracker = tracker(&table, 512, Facts::default());
    let p_of_pawn = |lines: &[InferredLine]| {
        let drop = *plies(lines).last().expect("a drop");
        let pawn = drop.alternatives.iter().find(|other| other.uci.to_string() == "P@f2");
        if drop.uci.to_string() == "P@f2" { drop.p } else { pawn.map_or(0.0, |pawn| pawn.p) }
    };
    let before = p_of_pawn(&tracker.record());
    let mate = facts(r#"{"kind":"fact","result":"mate","board":"B","side":"white"}"#);
    let mated = self::tracker(&table, 512, mate);
    let after = p_of_pawn(&mated.record());
    assert!(after > 0.99 && after > before, "{before} {after}");
    assert_eq!(mated.unreconciled(), []);
    let resigned = facts(r#"{"kind":"fact","result":"resigns","side":"white"}"#);
    assert_eq!(p_of_pawn(&self::tracker(&table, 512, resigned).record()), before);
}
