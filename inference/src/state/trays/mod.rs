//! Reserve trays with sensed slots: which slot holds which captured piece.
//!
//! A tray's slot says only that something lies in it. But what was captured is known to each hypothesis,
//! an arrival follows its capture within moments, and a drop takes its piece out of a slot just before:
//! so a drop's type is the type of the capture that filled the slot. A hypothesis therefore carries the
//! [contents](contents) of all slots and of the hands, each [step](step) lets the slots' changes
//! and the plies of a segment act on them, and how well both agree weighs the hypothesis. Tables
//! without trays carry one number that never changes.

mod contents;
mod params;
mod step;

pub(crate) use contents::{TrayBook, TraysId};
pub(crate) use step::{TrayAction, TrayStep};
