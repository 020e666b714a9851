//! The hub's journal and the adjudicator's store over power cuts, and over disks that are full or broken.
//!
//! The programs that are recorded are tests of this folder that are ignored otherwise: they write a whole match with the real code, and
//! note what they have promised once the code says that it is committed. Whatever a cut leaves, all that was promised is there, what is
//! there is a beginning of what was written, and the code goes on from it.
//!
//! With `TWINBOARD_POWER_CUTS=every` the power is cut at every write and every sync; that takes some minutes. Otherwise at some of them.

mod cuts;
mod journal;
mod played;
mod programs;
mod store;

use cuts::{survives_cuts, survives_cuts_after_failed_syncs, survives_faults};

#[test]
fn a_journal_holds_what_it_promised_wherever_the_power_is_cut() {
    survives_cuts("journal::writes", journal::FILE, journal::look);
}

#[test]
fn a_store_holds_what_it_promised_wherever_the_power_is_cut() {
    survives_cuts("store::writes", store::FILE, store::look);
}

#[test]
fn a_journal_holds_what_it_promised_if_the_power_is_cut_after_a_sync_has_failed() {
    let syncs = [(12, false), (20, false), (15, true)];
    survives_cuts_after_failed_syncs("journal::writes", &syncs, true, journal::look);
}

#[test]
fn a_store_holds_what_it_promised_if_the_power_is_cut_after_a_sync_has_failed() {
    let syncs = [(14, false), (17, false), (16, true)];
    survives_cuts_after_failed_syncs("store::writes", &syncs, false, store::look);
}

#[test]
fn a_journal_on_a_failing_disk_promises_nothing_that_it_does_not_keep() {
    survives_faults("journal::writes", journal::look);
}

#[test]
fn a_store_on_a_failing_disk_promises_nothing_that_it_does_not_keep() {
    survives_faults("store::writes", store::look);
}
