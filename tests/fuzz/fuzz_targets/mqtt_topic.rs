//! Any text as a topic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proto::mqtt::{Segment, Topic};

fuzz_target!(|text: &str| {
    for text in [text.to_owned(), format!("twinboard/1/{text}")] {
        if let Ok(topic) = text.parse::<Topic>() {
            assert_eq!(topic.to_string(), text);
        }
    }
    if let Ok(segment) = text.parse::<Segment>() {
        assert!(!text.contains(['/', '+', '#']));
        assert_eq!(segment.as_str(), text);
    }
});
