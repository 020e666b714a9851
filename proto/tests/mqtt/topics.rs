//! Topics are built and read by one rule.

use proptest::prelude::*;
use proto::mqtt::{Segment, Topic, TopicError, adjudicator_filter, hub_filter};

fn any_segment() -> impl Strategy<Value = Segment> {
    "[A-Za-z0-9._-]{1,64}".prop_map(|text| text.parse().unwrap())
}

fn any_topic() -> impl Strategy<Value = Topic> {
    (any_segment(), any_segment(), 0..5).prop_map(|(shard, hub, kind)| match kind {
        0 => Topic::Rows { shard, hub },
        1 => Topic::Ack { shard, hub },
        2 => Topic::HubState { shard, hub },
        3 => Topic::Command { shard, hub },
        _ => Topic::AdjudicatorState { id: hub },
    })
}

/// Whether an MQTT filter with single-level wildcards matches.
fn matches(filter: &str, topic: &str) -> bool {
    let (filter, topic): (Vec<_>, Vec<_>) =
        (filter.split('/').collect(), topic.split('/').collect());
    filter.len() == topic.len() && filter.iter().zip(&topic).all(|(f, t)| *f == "+" || f == t)
}

proptest! {
    #[test]
    fn every_topic_is_read_as_it_was_built(topic in any_topic()) {
        prop_assert_eq!(topic.to_string().parse(), Ok(topic));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(twinboard/1/)?[a-z/#+]{0,40}") {
        if let Ok(topic) = text.parse::<Topic>() {
            prop_assert_eq!(topic.to_string(), text);
        }
    }
}

#[test]
fn topics_are_spelt_as_specified() {
    let (shard, hub): (Segment, Segment) = ("main".parse().unwrap(), "hub-1".parse().unwrap());
    let spelt = [
        (Topic::Rows { shard: shard.clone(), hub: hub.clone() }, "twinboard/1/main/hub/hub-1/rows"),
        (Topic::Ack { shard: shard.clone(), hub: hub.clone() }, "twinboard/1/main/hub/hub-1/ack"),
        (
            Topic::HubState { shard: shard.clone(), hub: hub.clone() },
            "twinboard/1/main/hub/hub-1/state",
        ),
        (Topic::Command { shard, hub }, "twinboard/1/main/hub/hub-1/command"),
        (Topic::AdjudicatorState { id: "x".parse().unwrap() }, "twinboard/1/adjudicator/x/state"),
    ];
    for (topic, text) in spelt {
        assert_eq!(topic.to_string(), text);
    }
}

#[test]
fn wildcards_and_separators_cannot_be_smuggled_in() {
    for bad in ["", "+", "#", "a/b", "a b", "ä", "\0", &"x".repeat(65)] {
        assert!(bad.parse::<Segment>().is_err(), "{bad:?}");
    }
}

#[test]
fn other_topics_are_refused_by_name() {
    for bad in [
        "",
        "twinboard",
        "twinboard/1",
        "twinboard/2/s/hub/h/rows",
        "twinboard/1/s/hub/h",
        "twinboard/1/s/hub/h/rows/x",
        "twinboard/1/s/hub/h/other",
        "twinboard/1//hub/h/rows",
        "twinboard/1/s/hub/+/rows",
        "twinboard/1/adjudicator/x/other",
        "/twinboard/1/s/hub/h/rows",
    ] {
        assert!(bad.parse::<Topic>().is_err(), "{bad:?}");
    }
    let error = "a/b".parse::<Topic>().unwrap_err();
    assert_eq!(error, TopicError::Unknown("a/b".into()));
    assert!(error.to_string().contains("\"a/b\""));
}

#[test]
fn each_side_hears_what_is_meant_for_it_and_no_more() {
    let (shard, hub): (Segment, Segment) = ("main".parse().unwrap(), "h1".parse().unwrap());
    let other: Segment = "h2".parse().unwrap();
    let topics = |hub: &Segment| {
        [
            Topic::Rows { shard: shard.clone(), hub: hub.clone() },
            Topic::HubState { shard: shard.clone(), hub: hub.clone() },
            Topic::Ack { shard: shard.clone(), hub: hub.clone() },
            Topic::Command { shard: shard.clone(), hub: hub.clone() },
            Topic::AdjudicatorState { id: hub.clone() },
        ]
        .map(|topic| topic.to_string())
    };
    let heard = |filters: &[String], topics: &[String]| -> Vec<bool> {
        topics.iter().map(|topic| filters.iter().any(|filter| matches(filter, topic))).collect()
    };
    let adjudicator = adjudicator_filter(&shard);
    assert_eq!(heard(&adjudicator, &topics(&hub)), [true, true, false, false, false]);
    let hub_filters = hub_filter(&shard, &hub);
    assert_eq!(heard(&hub_filters, &topics(&hub)), [false, false, true, true, true]);
    assert_eq!(heard(&hub_filters, &topics(&other)), [false, false, false, false, true]);
}
