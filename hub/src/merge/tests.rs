//! What waits for whom, and what leaves when.

use proptest::prelude::*;

use super::*;

const START: HubTime = HubTime::from_micros(100_000_000);
const MOMENT: Duration = Duration::from_millis(1);

/// So long after the start.
const fn at(since: Duration) -> HubTime {
    after(START, since)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A table with a board and a clock of ours and a board of another maker, all of which have come and caught up; both of ours were heard
/// until `heard`.
fn table(heard: HubTime) -> Merge<&'static str> {
    let names = [("board", true), ("clock", true), ("other", false)];
    let sources = names.map(|(node, tells)| Source { node: node.to_owned(), tells });
    let come = before(START, Duration::from_secs(10));
    let mut merge = Merge::new(&sources, HubTime::ZERO, come, 1.0);
    for source in &sources {
        merge.note_state(&source.node, NodeState::Connected, come);
    }
    merge.settle(START, None);
    merge.hear("board", heard);
    merge.hear("clock", heard);
    merge
}

fn leaves(merge: &mut Merge<&'static str>, now: HubTime) -> Vec<(HubTime, &'static str)> {
    let until = merge.settle(now, None);
    std::iter::from_fn(|| merge.pop(until)).collect()
}

#[test]
fn a_reading_leaves_when_the_window_has_passed_if_all_were_heard_until_then() {
    let mut merge = table(START);
    merge.push(START, "press");
    let due = at(REORDER_WINDOW);
    assert_eq!(merge.next_due(None), Some(due));
    assert_eq!(leaves(&mut merge, before(due, MOMENT)), []);
    assert_eq!(leaves(&mut merge, due), [(START, "press")]);
    assert_eq!(merge.wanted(due, None), None, "nobody was asked");
}

#[test]
fn where_all_say_until_when_they_have_told_a_reading_leaves_as_soon_as_all_have() {
    let mut merge = table(START).promptly();
    let press = at(ms(5));
    merge.push(press, "press");
    merge.hear("clock", press);
    assert_eq!(leaves(&mut merge, at(ms(20))), [], "the board was heard until before");
    merge.hear("board", at(ms(21)));
    assert_eq!(leaves(&mut merge, at(ms(22))), [(press, "press")]);
}

#[test]
fn a_press_waits_for_the_squares_of_a_board_that_is_late_by_half_a_second() {
    let mut merge = table(START);
    let (square, press) = (at(ms(10)), at(ms(20)));
    merge.push(press, "press");
    merge.hear("clock", press);
    assert_eq!(merge.wanted(press, None), None);
    let ask_at = merge.next_due(None).unwrap();
    assert_eq!(ask_at, after(press, ASK_AFTER));
    assert_eq!(merge.wanted(ask_at, None), Some(press));
    assert_eq!(merge.wanted(ask_at, None), None, "once");
    assert_eq!(leaves(&mut merge, at(ms(500))), []);
    merge.push(square, "square");
    merge.hear("board", at(ms(400)));
    let expected = [(square, "square"), (press, "press")];
    assert_eq!(leaves(&mut merge, at(ms(500))), expected);
}

#[test]
fn what_is_read_while_nobody_has_been_asked_yet_needs_one_question() {
    let mut merge = table(START);
    for step in 0..3 {
        let now = at(ms(4 * step + 1));
        merge.push(now, "square");
        assert_eq!(merge.wanted(now, None), None);
    }
    assert_eq!(merge.wanted(at(ms(1) + ASK_AFTER), None), Some(at(ms(9))));
}

#[test]
fn a_node_that_does_not_answer_is_waited_for_no_longer_than_that_and_again_when_it_speaks() {
    let mut merge = table(START);
    merge.push(at(ms(10)), "press");
    merge.hear("clock", at(ms(10)));
    let blocked = at(ms(100));
    assert_eq!(leaves(&mut merge, blocked), []);
    let given_up = after(blocked, ANSWER_MAX);
    assert_eq!(merge.next_due(None), Some(given_up));
    assert_eq!(leaves(&mut merge, before(given_up, MOMENT)), []);
    assert_eq!(merge.poll_overdue(), None);
    assert_eq!(leaves(&mut merge, given_up), [(at(ms(10)), "press")]);
    let overdue = Overdue { node: "board".to_owned(), since: at(ms(10)) };
    assert_eq!(merge.poll_overdue(), Some(overdue));
    assert_eq!(merge.poll_overdue(), None);
    // What others read goes on without it, and what it has kept counts as now.
    let next = after(given_up, ms(10));
    merge.push(next, "press");
    merge.hear("clock", next);
    assert_eq!(leaves(&mut merge, after(next, REORDER_WINDOW)), [(next, "press")]);
    merge.push(at(ms(5)), "square");
    merge.hear("board", at(ms(6)));
    merge.push(after(next, ms(500)), "press");
    merge.hear("clock", after(next, ms(500)));
    let later = after(next, ms(600));
    assert_eq!(leaves(&mut merge, later), [], "waited for again");
    merge.hear("board", later);
    let expected = [(next, "square"), (after(next, ms(500)), "press")];
    assert_eq!(leaves(&mut merge, later), expected);
}

#[test]
fn a_table_stands_where_a_lost_node_was_heard_last_and_says_at_once_that_it_is_lost() {
    let mut merge = table(START);
    merge.hear("clock", at(ms(3_000)));
    merge.push(at(ms(200)), "press");
    let lost = merge.note_state("board", NodeState::Lost, at(ms(3_000)));
    assert_eq!(lost, START);
    merge.push(lost, "lost");
    assert_eq!(leaves(&mut merge, at(ms(3_000))), [(START, "lost")]);
    // The other one is lost too, by the same hub of cables.
    let lost = merge.note_state("clock", NodeState::Lost, at(ms(3_100)));
    merge.push(lost, "lost");
    assert_eq!(leaves(&mut merge, at(ms(3_100))), [(START, "lost")]);
    merge.note_state("board", NodeState::Connected, at(ms(8_000)));
    merge.note_state("clock", NodeState::Connected, at(ms(8_000)));
    merge.push(at(ms(100)), "square");
    merge.hear("board", at(ms(8_000)));
    merge.hear("clock", at(ms(8_000)));
    let expected = [(at(ms(100)), "square"), (at(ms(200)), "press")];
    assert_eq!(leaves(&mut merge, at(ms(8_500))), expected);
}

#[test]
fn a_node_that_was_never_there_is_lost_now() {
    let sources = [Source { node: "board".to_owned(), tells: true }];
    let mut merge = Merge::<()>::new(&sources, HubTime::ZERO, START, 1.0);
    assert_eq!(merge.note_state("board", NodeState::Lost, at(MOMENT)), at(MOMENT));
}

#[test]
fn a_deadline_waits_for_what_may_have_happened_before_it() {
    let mut merge = table(START);
    let deadline = Some(at(ms(500)));
    assert_eq!(merge.next_due(deadline), deadline);
    assert_eq!(merge.wanted(at(ms(400)), deadline), None);
    assert_eq!(merge.wanted(at(ms(501)), deadline), None);
    assert_eq!(merge.wanted(after(at(ms(501)), ASK_AFTER), deadline), deadline);
    assert_eq!(merge.settle(at(ms(600)), deadline), START);
    merge.hear("board", at(ms(520)));
    merge.hear("clock", at(ms(530)));
    assert_eq!(merge.settle(at(ms(600)), deadline), at(ms(520)));
}

#[test]
fn windows_are_of_wall_time() {
    let sources = [Source { node: "board".to_owned(), tells: true }];
    let mut merge = Merge::new(&sources, HubTime::ZERO, START, 25.0);
    merge.note_state("board", NodeState::Connected, START);
    let now = at(Duration::from_secs(60));
    merge.settle(now, None);
    merge.push(now, ());
    merge.hear("board", now);
    assert_eq!(merge.next_due(None), Some(after(now, 25 * REORDER_WINDOW)));
}

/// What may come, and how much later.
#[derive(Clone, Debug)]
enum Step {
    Push(u64),
    Hear(usize, u64),
    State(usize, bool),
    Nothing,
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let step = prop_oneof![
        (0u64..2_000).prop_map(Step::Push),
        (0usize..3, 0u64..2_000).prop_map(|(node, ago)| Step::Hear(node, ago)),
        (0usize..3, any::<bool>()).prop_map(|(node, here)| Step::State(node, here)),
        Just(Step::Nothing),
    ];
    prop::collection::vec((0u64..800, step), 1..120)
}

proptest! {
    #[test]
    fn whatever_comes_times_never_go_back_nothing_is_lost_and_nothing_waits_for_ever(steps in steps()) {
        const NODES: [&str; 3] = ["board", "clock", "other"];
        let mut merge = table(START);
        let (mut now, mut pushed, mut left) = (START, 0, 0);
        let mut last = HubTime::ZERO;
        let mut check = |merge: &mut Merge<&'static str>, now: HubTime| {
            let leaving = leaves(merge, now);
            for (at, _) in &leaving {
                assert!(*at >= last && *at <= now);
                last = *at;
            }
            leaving.len()
        };
        for (wait_ms, step) in steps {
            now = after(now, ms(wait_ms));
            match step {
                Step::Push(ago) => {
                    pushed += 1;
                    merge.push(before(now, ms(ago)), "value");
                }
                Step::Hear(node, ago) => merge.hear(NODES[node], before(now, ms(ago))),
                Step::State(node, true) => drop(merge.note_state(NODES[node], NodeState::Connected, now)),
                Step::State(node, false) => drop(merge.note_state(NODES[node], NodeState::Lost, now)),
                Step::Nothing => {}
            }
            merge.wanted(now, None);
            left += check(&mut merge, now);
        }
        // Everybody falls silent: by and by all leaves, at what is said to be due.
        for _ in 0..1_000 {
            let Some(due) = merge.next_due(None) else { break };
            now = due.max(now);
            merge.wanted(now, None);
            left += check(&mut merge, now);
        }
        prop_assert_eq!(left, pushed);
    }
}
