//! Tests of the order: the values that wait for a node, and the times at which they leave.

use proptest::prelude::*;

use super::*;

const START: HubTime = HubTime::from_micros(100_000_000);
const MOMENT: Duration = Duration::from_millis(1);

/// Time after the start.
const fn at(since: Duration) -> HubTime {
    after(START, since)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A table with a board and a clock of ours and a board of another maker, all of which have come and caught up; both of ours were heard
/// until `heard`.
fn table(heard: HubTime) -> Reorder<&'static str> {
    let names = [("board", true), ("clock", true), ("other", false)];
    let sources = names.map(|(node, tells)| ReadingSource { node: node.to_owned(), tells });
    let come = before(START, Duration::from_secs(10));
    let mut reorder = Reorder::new(&sources, HubTime::ZERO, come, 1.0);
    for source in &sources {
        reorder.note_state(&source.node, NodeState::Connected, come);
    }
    reorder.safe_until(START, None);
    reorder.watermark("board", heard);
    reorder.watermark("clock", heard);
    reorder
}

fn leaves(reorder: &mut Reorder<&'static str>, now: HubTime) -> Vec<(HubTime, &'static str)> {
    let until = reorder.safe_until(now, None);
    std::iter::from_fn(|| reorder.pop(until)).collect()
}

#[test]
fn a_reading_leaves_when_the_window_has_passed_if_all_were_heard_until_then() {
    let mut reorder = table(START);
    reorder.push(START, "press");
    let due = at(REORDER_WINDOW);
    assert_eq!(reorder.next_due(None), Some(due));
    assert_eq!(leaves(&mut reorder, before(due, MOMENT)), []);
    assert_eq!(leaves(&mut reorder, due), [(START, "press")]);
    assert_eq!(reorder.watermark_request(due, None), None, "nobody was asked");
}

#[test]
fn where_all_say_until_when_they_have_told_a_reading_leaves_as_soon_as_all_have() {
    let mut reorder = table(START).promptly();
    let press = at(ms(5));
    reorder.push(press, "press");
    reorder.watermark("clock", press);
    assert_eq!(leaves(&mut reorder, at(ms(20))), [], "the board was heard until before");
    reorder.watermark("board", at(ms(21)));
    assert_eq!(leaves(&mut reorder, at(ms(22))), [(press, "press")]);
}

#[test]
fn a_press_waits_for_the_squares_of_a_board_that_is_late_by_half_a_second() {
    let mut reorder = table(START);
    let (square, press) = (at(ms(10)), at(ms(20)));
    reorder.push(press, "press");
    reorder.watermark("clock", press);
    assert_eq!(reorder.watermark_request(press, None), None);
    let ask_at = reorder.next_due(None).unwrap();
    assert_eq!(ask_at, after(press, ASK_AFTER));
    assert_eq!(reorder.watermark_request(ask_at, None), Some(press));
    assert_eq!(reorder.watermark_request(ask_at, None), None, "once");
    assert_eq!(leaves(&mut reorder, at(ms(500))), []);
    reorder.push(square, "square");
    reorder.watermark("board", at(ms(400)));
    let expected = [(square, "square"), (press, "press")];
    assert_eq!(leaves(&mut reorder, at(ms(500))), expected);
}

#[test]
fn what_is_read_while_nobody_has_been_asked_yet_needs_one_question() {
    let mut reorder = table(START);
    for step in 0..3 {
        let now = at(ms(step + 1));
        reorder.push(now, "square");
        assert_eq!(reorder.watermark_request(now, None), None);
    }
    assert_eq!(reorder.watermark_request(at(ms(1) + ASK_AFTER), None), Some(at(ms(3))));
}

#[test]
fn a_node_that_does_not_answer_is_waited_for_no_longer_than_that_and_again_when_it_speaks() {
    let mut reorder = table(START);
    reorder.push(at(ms(10)), "press");
    reorder.watermark("clock", at(ms(10)));
    let blocked = at(ms(100));
    assert_eq!(leaves(&mut reorder, blocked), []);
    let given_up = after(blocked, ANSWER_MAX);
    assert_eq!(reorder.next_due(None), Some(given_up));
    assert_eq!(leaves(&mut reorder, before(given_up, MOMENT)), []);
    assert_eq!(reorder.poll_late(), None);
    assert_eq!(leaves(&mut reorder, given_up), [(at(ms(10)), "press")]);
    let late = LateSource { node: "board".to_owned(), since: at(ms(10)) };
    assert_eq!(reorder.poll_late(), Some(late));
    assert_eq!(reorder.poll_late(), None);
    // Readings of others go on without it, and its kept readings count as of now.
    let next = after(given_up, ms(10));
    reorder.push(next, "press");
    reorder.watermark("clock", next);
    assert_eq!(leaves(&mut reorder, after(next, REORDER_WINDOW)), [(next, "press")]);
    reorder.push(at(ms(5)), "square");
    reorder.watermark("board", at(ms(6)));
    reorder.push(after(next, ms(500)), "press");
    reorder.watermark("clock", after(next, ms(500)));
    let later = after(next, ms(600));
    assert_eq!(leaves(&mut reorder, later), [], "waited for again");
    reorder.watermark("board", later);
    let expected = [(next, "square"), (after(next, ms(500)), "press")];
    assert_eq!(leaves(&mut reorder, later), expected);
}

#[test]
fn a_table_stands_where_a_lost_node_was_heard_last_and_says_at_once_that_it_is_lost() {
    let mut reorder = table(START);
    reorder.watermark("clock", at(ms(3_000)));
    reorder.push(at(ms(200)), "press");
    let lost = reorder.note_state("board", NodeState::Lost, at(ms(3_000)));
    assert_eq!(lost, START);
    reorder.push(lost, "lost");
    assert_eq!(leaves(&mut reorder, at(ms(3_000))), [(START, "lost")]);
    // The other one is lost too, by the same hub of cables.
    let lost = reorder.note_state("clock", NodeState::Lost, at(ms(3_100)));
    reorder.push(lost, "lost");
    assert_eq!(leaves(&mut reorder, at(ms(3_100))), [(START, "lost")]);
    reorder.note_state("board", NodeState::Connected, at(ms(8_000)));
    reorder.note_state("clock", NodeState::Connected, at(ms(8_000)));
    reorder.push(at(ms(100)), "square");
    reorder.watermark("board", at(ms(8_000)));
    reorder.watermark("clock", at(ms(8_000)));
    let expected = [(at(ms(100)), "square"), (at(ms(200)), "press")];
    assert_eq!(leaves(&mut reorder, at(ms(8_500))), expected);
}

#[test]
fn a_node_that_sends_a_long_backlog_is_waited_for() {
    let mut reorder = table(START);
    let press = at(ms(20_000));
    reorder.push(press, "press");
    reorder.watermark("clock", press);
    let back = after(press, ms(100));
    for tenth in 0..60 {
        let now = after(back, tenth * ms(100));
        let read = at(ms(10_000 + u64::from(tenth)));
        reorder.push(read, "square");
        reorder.note_backlog("board", read, now);
        assert_eq!(leaves(&mut reorder, now), [], "{tenth}");
    }
    reorder.watermark("board", press);
    assert_eq!(leaves(&mut reorder, after(back, ms(6_200))).len(), 61);
    assert_eq!(reorder.poll_late(), None);
}

#[test]
fn a_node_that_was_never_there_is_lost_now() {
    let sources = [ReadingSource { node: "board".to_owned(), tells: true }];
    let mut reorder = Reorder::<()>::new(&sources, HubTime::ZERO, START, 1.0);
    assert_eq!(reorder.note_state("board", NodeState::Lost, at(MOMENT)), at(MOMENT));
}

#[test]
fn a_deadline_waits_for_what_may_have_happened_before_it() {
    let mut reorder = table(START);
    let deadline = Some(at(ms(500)));
    assert_eq!(reorder.next_due(deadline), deadline);
    assert_eq!(reorder.watermark_request(at(ms(400)), deadline), None);
    assert_eq!(reorder.watermark_request(at(ms(501)), deadline), None);
    assert_eq!(reorder.watermark_request(after(at(ms(501)), ASK_AFTER), deadline), deadline);
    assert_eq!(reorder.safe_until(at(ms(600)), deadline), START);
    reorder.watermark("board", at(ms(520)));
    reorder.watermark("clock", at(ms(530)));
    assert_eq!(reorder.safe_until(at(ms(600)), deadline), at(ms(520)));
}

#[test]
fn windows_are_of_wall_time() {
    let sources = [ReadingSource { node: "board".to_owned(), tells: true }];
    let mut reorder = Reorder::new(&sources, HubTime::ZERO, START, 25.0);
    reorder.note_state("board", NodeState::Connected, START);
    let now = at(Duration::from_secs(60));
    reorder.safe_until(now, None);
    reorder.push(now, ());
    reorder.watermark("board", now);
    assert_eq!(reorder.next_due(None), Some(after(now, 25 * REORDER_WINDOW)));
}

/// An arriving event, and its delay.
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
        let mut reorder = table(START);
        let (mut now, mut pushed, mut left) = (START, 0, 0);
        let mut last = HubTime::ZERO;
        let mut check = |reorder: &mut Reorder<&'static str>, now: HubTime| {
            let leaving = leaves(reorder, now);
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
                    reorder.push(before(now, ms(ago)), "value");
                }
                Step::Hear(node, ago) => reorder.watermark(NODES[node], before(now, ms(ago))),
                Step::State(node, true) => drop(reorder.note_state(NODES[node], NodeState::Connected, now)),
                Step::State(node, false) => drop(reorder.note_state(NODES[node], NodeState::Lost, now)),
                Step::Nothing => {}
            }
            reorder.watermark_request(now, None);
            left += check(&mut reorder, now);
        }
        // All nodes fall silent: every value leaves, at the reported deadlines.
        for _ in 0..1_000 {
            let Some(due) = reorder.next_due(None) else { break };
            now = due.max(now);
            reorder.watermark_request(now, None);
            left += check(&mut reorder, now);
        }
        prop_assert_eq!(left, pushed);
    }
}
