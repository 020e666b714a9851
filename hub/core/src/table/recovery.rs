//! A table rebuilt from the journal: its session's last checkpoint, then the inputs since. What it says again is journalled already and
//! left out, as long as the same program with the same settings says it and it is as much as is journalled; else see [`super::version_change`].

use std::collections::{BTreeMap, VecDeque};

use proto::link::HubTime;

use super::reviews::Reviews;
use super::version_change::Mismatch;
use super::zero_test::ZeroTest;
use super::{Table, TableOutput, TableSettings, session_config};
use crate::drivers::DriverSettings;
use crate::journal::{Entry, Recovered, Standing};
use crate::journal_line::Line;
use crate::notice::{Level, Notice};
use crate::orders::{OrderBook, OrderRecord};
use crate::reorder::{ReadingSource, Reorder};
use crate::session::{Session, SessionOutput};
use crate::settings::Node;

/// A table that is being rebuilt.
#[derive(Debug)]
pub struct Recovery {
    settings: TableSettings,
    session: Session,
    reached: HubTime,
    /// Rows that the journal has of the replay, and who said them.
    told: u64,
    told_by: String,
    /// Rows that the replay says.
    said: u64,
    said_by: String,
    inputs: u64,
    notices: Vec<Notice>,
}

impl Recovery {
    /// Begins with the journal's checkpoint of the table's session.
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
            said_by: settings.said_by(),
            settings,
            session,
            reached: recovered.reached,
            told: recovered.outputs,
            told_by: recovered.said_by.clone(),
            said: 0,
            inputs: 0,
            notices,
        }
    }

    /// Takes the next of the table's inputs that the checkpoint does not include.
    pub fn replay(&mut self, line: &Line) {
        self.inputs += 1;
        self.session.handle(line);
        self.count();
    }

    fn count(&mut self) {
        while let Some(output) = self.session.poll_output() {
            self.said += u64::from(matches!(output, SessionOutput::Row(_)));
        }
    }

    /// All inputs were taken. Whether they do not come to what is journalled: then [`Self::finish`] has to know which matches stand there.
    pub fn is_at_odds(&mut self) -> bool {
        // Effects of time are journalled too: an older reading that comes now must not come before them.
        self.session.advance(self.reached);
        self.count();
        self.mismatch().is_some()
    }

    fn mismatch(&self) -> Option<Mismatch> {
        let Recovery { told, said, .. } = *self;
        if told == 0 && said == 0 {
            return None;
        }
        match self.told_by == self.said_by {
            true => (told != said).then_some(Mismatch::Count { told, said }),
            false => Some(Mismatch::Program { is_news: !self.told_by.is_empty() }),
        }
    }

    /// The table. `orders`: its latest, oldest first, at most [`crate::orders::KNOWN_MAX`]; `standing`: the matches that the journal has
    /// as open, oldest first, if it [`Self::is_at_odds`].
    #[must_use]
    pub fn finish(
        mut self,
        now: HubTime,
        orders: Vec<OrderRecord>,
        standing: Vec<Standing>,
    ) -> Table {
        self.is_at_odds();
        let mismatch = self.mismatch();
        let Recovery { settings, session, inputs, said_by, mut notices, .. } = self;
        let (rate, name) = (settings.rate, settings.table.name.clone());
        if inputs > 0 {
            let open = session.match_id().unwrap_or("none");
            let words = format!(
                "table {name}: rebuilt the session from {inputs} inputs of the journal; the open match: {open}"
            );
            notices.push(Notice::new(Level::Info, words));
        }
        let source = |node: &Node| ReadingSource {
            node: node.id.clone(),
            tells: node.driver == DriverSettings::Twinboard,
        };
        let sources: Vec<ReadingSource> = settings.table.nodes.iter().map(source).collect();
        let reorder = Reorder::new(&sources, session.now(), now, rate);
        // A lever at the hub's own pins has no watermark.
        let all_tell = settings.table.levers.is_empty() && sources.iter().all(|one| one.tells);
        let mut table = Table {
            reorder: if all_tell { reorder.promptly() } else { reorder },
            settings,
            session,
            entry: Entry { table: name, said_by, ..Entry::default() },
            requests: Vec::new(),
            in_flight: VecDeque::new(),
            nodes: BTreeMap::new(),
            latest: BTreeMap::new(),
            orders: OrderBook::new(rate),
            reviews: Reviews::new(rate),
            zero_test: ZeroTest::new(rate),
            errors_us: BTreeMap::new(),
            is_kept_by_nodes: all_tell,
            outputs: notices.into_iter().map(TableOutput::Notice).collect(),
        };
        if let Some(mismatch) = mismatch {
            table.settle(mismatch, standing);
        }
        table.recover_orders(now, orders);
        table
    }
}
