//! Reserve trays with sensed slots: which slot holds which captured piece.
//!
//! A slot of a tray tells only that something lies in it. But each hypothesis knows the captured pieces. A
//! captured piece arrives in a slot within moments, and a drop takes it out of the slot just before. So the
//! type of a drop is the type of the capture that filled the slot.
//!
//! A hypothesis therefore carries the [contents](contents) of all slots and hands. Each [step](step) applies
//! the changes of the slots and the plies of a segment to them. The agreement of both is a factor of the
//! hypothesis' weight. At tables without trays this is one number that never changes.

mod contents;
pub(crate) mod params;
mod step;

#[cfg(test)]
pub(crate) use contents::Content;
pub(crate) use contents::{MANY_TRAYS, TrayBook, TraysId};
pub(crate) use step::{TrayAction, TrayStep};
