//! The end of a run, and its observers.

use std::fmt;

macro_rules! counts {
    ($(#[doc = $what:literal] $name:ident,)*) => {
        /// Counts of a run.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $(#[doc = $what] pub $name: u64,)*
        }

        impl Counts {
            pub(crate) fn plus(self, other: Counts) -> Counts {
                Counts { $($name: self.$name + other.$name,)* }
            }

            /// Each count with its name.
            pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$(($what, self.$name),)*].into_iter()
            }
        }
    };
}

counts! {
    /// rows that journals committed
    journalled,
    /// readings of nodes that journals have in the end
    readings,
    /// restarts of nodes
    node_restarts,
    /// readings that nodes had no room for
    discarded,
    /// bytes and writes that a fault hit on a line
    line_faults,
    /// messages that asked people to look at something
    warnings,
    /// rows that a store committed, those again that it had lost
    stored,
    /// rows reported to a store as lost for good
    lost,
    /// rows that came again and were dropped
    duplicates,
    /// messages that were answered with a gap
    gaps,
    /// kills of hubs, adjudicator and broker
    kills,
    /// stores and journals that were set back
    set_back,
    /// connections that broke
    cuts,
    /// clients that a hub rebuilt for want of acknowledgements
    rebuilt,
    /// orders of directors
    orders,
    /// orders that a clock has done
    done,
    /// plies of tables without trouble that are in the end as in a hall without faults
    same_plies,
    /// tables with nodes
    tables,
    /// nodes of these tables
    nodes,
    /// excused from the order: tables that continue without a node that has, or whose line has, a fault
    excused_by_node,
    /// excused from the order: tables that continue without a node, at a hub that is killed or whose disk is full
    excused_by_hub,
    /// excused from the order: tables that continue without a node and have no fault, at a hub that is starved of its processor
    excused_undisturbed,
    /// excused from the times of readings: nodes on a line so bad that little is known of their clocks
    excused_times,
    /// excused from their squares: boards of other makers whose bytes were garbled
    excused_squares,
    /// excused from losses: runs in which the journal of a hub with nodes was set back
    excused_losses,
    /// excused from the comparison with a hall without faults: compared runs in which the store lost rows of the hub for good
    excused_comparisons,
}

impl Counts {
    /// Tables whose order is not checked.
    #[must_use]
    pub fn excused_orders(&self) -> u64 {
        self.excused_by_node + self.excused_by_hub + self.excused_undisturbed
    }
}

/// A run that ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Counts.
    pub counts: Counts,
    /// From the end of all faults and rows until everything was where it belongs, µs.
    pub settled_after_us: u64,
    /// Hash of all events, in order.
    pub log_hash: u64,
}

/// A broken condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A journal took a row for delivered that no store has ever had.
    FreedTooEarly {
        /// The hub.
        hub: usize,
        /// The boot.
        boot_id: u64,
        /// The note in the journal.
        noted: u64,
        /// The last row that a store has had.
        had: u64,
    },
    /// A store has rows of a boot twice, out of order, or not as they were journalled.
    NotTheJournal {
        /// The hub.
        hub: usize,
        /// In words.
        what: String,
    },
    /// Rows that the journal had were reported to a store as lost.
    ToldLostInVain {
        /// The hub.
        hub: usize,
        /// The boot.
        boot_id: u64,
        /// The row.
        sequence: u64,
    },
    /// Between the nodes and the hub's journal something was lost in silence, came twice, or out of order; in words.
    Floor(String),
    /// An order was done twice, or is not what directors are told of it; in words.
    Order(String),
    /// The end differs from that of the same run without faults, and no loss was reported; in words.
    NotTheFaultless(String),
    /// A queue grew beyond its bound.
    Unbounded(&'static str, usize),
    /// Long after the last fault rows are missing, or a journal does not know that they arrived.
    NotSettled(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::FreedTooEarly { hub, boot_id, noted, had } => write!(
                f,
                "hub {hub} noted row {noted} of boot {boot_id} as delivered, and no store had more than {had}"
            ),
            Violation::NotTheJournal { hub, what } => {
                write!(f, "the store's rows of hub {hub}: {what}")
            }
            Violation::ToldLostInVain { hub, boot_id, sequence } => write!(
                f,
                "row {sequence} of boot {boot_id} of hub {hub} was reported as lost, and its journal has it"
            ),
            Violation::Floor(what) | Violation::Order(what) | Violation::NotTheFaultless(what) => {
                f.write_str(what)
            }
            Violation::Unbounded(what, size) => write!(f, "{what} grew to {size}"),
            Violation::NotSettled(what) => write!(f, "not settled: {what}"),
        }
    }
}

/// A run that did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// Time at which it was found, µs of virtual time.
    pub at_us: u64,
    /// The broken condition.
    pub what: Violation,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {} at {:.6} s: {}", self.seed, self.at_us as f64 / 1e6, self.what)
    }
}

/// Looks on.
pub trait Observer {
    /// A line of the log.
    fn log(&mut self, _at_us: u64, _who: &str, _what: &str) {}
}

/// An observer that does not care.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {}

/// An observer that prints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Log;

impl Observer for Log {
    fn log(&mut self, at_us: u64, who: &str, what: &str) {
        println!("{:>12.6} s  {who:<12}  {what}", at_us as f64 / 1e6);
    }
}
