//! Anomalies: events beside the plies, with evidence and honest confidence, never a ruling.
//!
//! | room | contents |
//! |---|---|
//! | [`monitors`] | who calls the detectors, and when |
//! | [`detectors`] | one file a code, from belief or reading to findings |
//! | [`findings`] | a finding in words, and the register of reported anomalies |
//! | [`segments`] | what is known around a segment when it is judged |
//! | [`trays`] | which arrival and which drop belong to which capture |
//! | [`hands`] | the models of hands |

pub(crate) mod detectors;
pub(crate) mod findings;
pub(crate) mod hands;
pub(crate) mod monitors;
pub(crate) mod segments;
pub(crate) mod trays;
