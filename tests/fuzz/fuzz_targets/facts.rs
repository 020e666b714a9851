//! Facts that people state about matches: any bytes. Each fact that is read has a text.

#![no_main]

use inference::facts::{FactsFile, MAX_FACTS};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = FactsFile::read(bytes) else { return };
    let facts = file.of("m");
    assert!(facts.len() <= MAX_FACTS);
    assert!(facts.iter().all(|fact| !fact.to_string().is_empty()));
});
