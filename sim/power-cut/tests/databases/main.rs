//! The hub's journal and the adjudicator's store over power cuts, and over disks that are full or broken.
//!
//! The recorded programs are tests of this folder that are ignored otherwise. They write a whole match with the real code, and note
//! their promises once the code has committed them. After any cut, the disk must contain everything that was promised. Its contents
//! must be a beginning of the writes, and the code must go on from them.
//!
//! With `TWINBOARD_POWER_CUTS=every` the power is cut at every write and every sync; that takes some minutes. Otherwise at some of them.

mod cuts;
mod journal;
mod played;
mod programs;
mod restore;
mod store;

use cuts::{survives_cuts, survives_cuts_after_failed_syncs, survives_every_cut, survives_faults};

/// Commits on a disk that fails. The store has several connections, each with a thread and calls of its own, and some of them must
/// come to the call that fails.
const JOURNAL_COMMITS: u32 = 25;
const STORE_COMMITS: u32 = 60;

#[test]
#[ignore = "needs strace: cargo xtask test programs"]
fn a_journal_holds_what_it_promised_wherever_the_power_is_cut() {
    survives_cuts("journal::writes", journal::FILE, journal::look);
}

#[test]
#[ignore = "needs strace: cargo xtask test programs"]
fn a_store_holds_what_it_promised_wherever_the_power_is_cut() {
    survives_cuts("store::writes", store::FILE, store::look);
}

#[test]
#[ignore = "needs strace: cargo xtask test programs"]
fn a_journal_holds_what_it_promised_if_the_power_is_cut_after_a_sync_has_failed() {
    let syncs = [(12, false), (20, false), (15, true)];
    survives_cuts_after_failed_syncs(
        "journal::writes",
        JOURNAL_COMMITS,
        &syncs,
        true,
        journal::look,
    );
}

#[test]
#[ignore = "needs strace: cargo xtask test programs"]
fn a_store_holds_what_it_promised_if_the_power_is_cut_after_a_sync_has_failed() {
    // Later than those of opening, which has one connection that writes.
    let syncs = [(24, false), (30, false), (28, true)];
    survives_cuts_after_failed_syncs("store::writes", STORE_COMMITS, &syncs, false, store::look);
}

#[test]
#[ignore = "needs strace: cargo xtask test programs"]
fn a_journal_on_a_failing_disk_promises_nothing_that_it_does_not_keep() {
    survives_faults("journal::writes", JOURNAL_COMMITS, 5, journal::look);
}

#[test]
#[ignore = "needs strace: cargo xtask test programs"]
fn a_store_on_a_failing_disk_promises_nothing_that_it_does_not_keep() {
    survives_faults("store::writes", STORE_COMMITS, 12, store::look);
}

#[test]
#[ignore = "needs strace: cargo xtask test programs"]
fn a_restore_that_ends_anywhere_leaves_what_was_there_or_the_copy() {
    survives_every_cut("restore::writes", restore::look);
}
