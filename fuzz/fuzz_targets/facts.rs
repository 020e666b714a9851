//! What people know of matches: any bytes. What is read is written again, and read as the same.

#![no_main]

use inference::facts::{FactsFile, MAX_FACTS, write_facts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = FactsFile::read(bytes) else { return };
    let facts = file.of("m");
    assert!(facts.len() <= MAX_FACTS);
    let text = write_facts(&facts).expect("facts can be written");
    let again = FactsFile::read(text.as_bytes()).expect("what was written can be read");
    assert_eq!(again.of("m"), facts);
});
