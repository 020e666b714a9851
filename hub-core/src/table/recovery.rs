//! A table rebuilt from the journal: its session's last checkpoint, then the inputs since. What it says again is journalled already and
//! left out.

use std::collections::{BTreeMap, VecDeque};

use proto::link::HubTime;

use super::reviews::Reviews;
use super::{Table, TableOutput, TableSettings, session_config};
use crate::drivers::DriverSettings;
use crate::journal::{Entry, Recovered};
use crate::notice::{Level, Notice};
use crate::orders::{OrderBook, OrderRecord};
use crate::record::Line;
use crate::reorder::{Reorder, Source};
use crate::session::{Session, SessionOutput};
use crate::settings::Node;

/// A table on its way up.
#[derive(Debug)]
pub struct Recovery {
    settings: TableSettings,
    session: Session,
    reached: HubTime,
    to_skip: u64,
    inputs: u64,
    notices: Vec<Notice>,
}

impl Recovery {
    /// Begins with what the journal says of the table's session.
    #[must_use]
    pub fn new(settings: TableSettings, recovered: &Recovered) -> Recovery {
        let config = session_config(&settings.hub_id, &settings.table);
        let mut notices = Vec::new();
        let mut session = match &recovered.checkpoint {
            Some(text) => Session::restore(config.clone(), text).unwrap_or_else(|error| {
                let words = format!("{error}; the table's last match is not followed up");
                notices.push(Notice::new(Level::Warning, words));
                Session::new(config)
            }),
            None => Session::new(config),
        };
        session.follow_with(settings.follower);
        Recovery {
            settings,
            session,
            reached: recovered.reached,
            to_skip: recovered.outputs,
            inputs: 0,
            notices,
        }
    }

    /// Takes the next of the table's inputs that the checkpoint does not include.
    pub fn replay(&mut self, line: &Line) {
        self.inputs += 1;
        self.session.handle(line);
        self.skip();
    }

    fn skip(&mut self) {
        while let Some(output) = self.session.poll_output() {
            if matches!(output, SessionOutput::Row(_)) {
                self.to_skip = self.to_skip.saturating_sub(1);
            }
        }
    }

    /// All inputs were taken. `orders`: the latest of the table, oldest first, at most [`crate::orders::KNOWN_MAX`].
    #[must_use]
    pub fn finish(mut self, now: HubTime, orders: Vec<OrderRecord>) -> Table {
        // What time alone brought is journalled too: a reading that was made before it and comes now must not come before it.
        self.session.advance(self.reached);
        self.skip();
        let Recovery { settings, session, to_skip, inputs, mut notices, .. } = self;
        let (rate, name) = (settings.rate, settings.table.name.clone());
        if inputs > 0 {
            let open = session.match_id().unwrap_or("none");
            let words = format!(
                "table {name}: rebuilt the session from {inputs} inputs of the journal; the open match: {open}"
            );
            notices.push(Notice::new(Level::Info, words));
        }
        let source = |node: &Node| Source {
            node: node.id.clone(),
            tells: node.driver == DriverSettings::Twinboard,
        };
        let sources: Vec<Source> = settings.table.nodes.iter().map(source).collect();
        let reorder = Reorder::new(&sources, session.now(), now, rate);
        let mut table = Table {
            reorder,
            settings,
            session,
            to_skip,
            entry: Entry { table: name, ..Entry::default() },
            requests: Vec::new(),
            in_flight: VecDeque::new(),
            nodes: BTreeMap::new(),
            latest: BTreeMap::new(),
            orders: OrderBook::new(rate),
            reviews: Reviews::new(rate),
            outputs: notices.into_iter().map(TableOutput::Notice).collect(),
        };
        table.recover_orders(now, orders);
        table
    }
}
