//! An audience's view at a moment, each section as of its own delay ago.

use std::{sync::Arc, time::Duration};

use super::{cursor::Cursor, delays::Delays};
use crate::hall::{EventId, Game, Hall, Partition, Partitions, Table};

/// A match, and the hall in which the audience sees it.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The hall.
    pub hall: &'a Hall,
    /// The match.
    pub game: &'a Game,
}

impl<'a> Shown<'a> {
    /// A match as those see it who see everything at once.
    pub fn on_floor(hall: &'a Hall, game: &'a Game) -> Shown<'a> {
        Shown { hall, game }
    }
}

/// An audience's view: a snapshot, for as long as it is needed.
pub struct Sight {
    delays: Arc<Delays>,
    /// One for each delay, the shortest first.
    halls: Vec<Arc<Hall>>,
    epoch: u32,
}

impl Sight {
    pub(crate) fn new(delays: Arc<Delays>, halls: Vec<Arc<Hall>>, epoch: u32) -> Sight {
        Sight { delays, halls, epoch }
    }

    fn halls(&self) -> impl Iterator<Item = &Hall> {
        self.halls.iter().map(|hall| &**hall)
    }

    /// Counters of public changes, each with the hall that shows them in time.
    pub fn partitions(&self) -> impl Iterator<Item = (Partition, &Hall)> {
        let all = self.earliest().map(Hall::partitions).into_iter().flat_map(Partitions::all);
        all.filter_map(|(partition, section)| {
            let hall = match partition {
                Partition::GENERAL => self.latest(),
                _ => self.of_delay(self.delays.of_section(section)),
            };
            Some((partition, hall?))
        })
    }

    /// The longest of its delays.
    pub fn delay(&self) -> Duration {
        self.halls.last().map(|hall| hall.delay()).unwrap_or_default()
    }

    /// Whether this hall is late enough to show what belongs to a section.
    fn may_show(&self, hall: &Hall, section: Option<&str>) -> bool {
        self.delays.of_section(section) <= hall.delay()
    }

    /// The hall with the shortest delay: it knows every table and match that another knows.
    fn earliest(&self) -> Option<&Hall> {
        self.halls.first().map(|hall| &**hall)
    }

    /// A match.
    pub fn game(&self, id: &str) -> Option<Shown<'_>> {
        self.halls().find_map(|hall| {
            let game = hall.game(id)?;
            self.may_show_game(hall, game).then_some(Shown { hall, game })
        })
    }

    fn may_show_game(&self, hall: &Hall, game: &Game) -> bool {
        // Looked up only where sections differ.
        if self.delays.are_alike() {
            return self.may_show(hall, None);
        }
        self.may_show(hall, hall.section_of(&game.table, Some(game)).as_deref())
    }

    /// All matches in the order in which they were opened.
    pub fn games(&self) -> Vec<Shown<'_>> {
        let known = self.earliest().map(Hall::games).unwrap_or_default();
        known.into_iter().filter_map(|game| self.game(&game.id)).collect()
    }

    /// All tables, each with its hall.
    pub fn tables(&self) -> Vec<(&Hall, &Table)> {
        let known = self.earliest().into_iter().flat_map(|hall| hall.tables().iter());
        known.filter_map(|table| self.table(&table.name)).collect()
    }

    /// The tables that changed after a cursor, in the order of the halls' changes.
    pub fn tables_changed(&self, seen: &Cursor) -> Vec<&Table> {
        let mut changed = Vec::new();
        for (partition, hall) in
            self.partitions().flat_map(|(it, _)| self.halls().map(move |hall| (it, hall)))
        {
            let candidates = hall.tables().changed_after(partition, seen.seen(partition));
            for table in candidates.filter_map(|candidate| self.table(&candidate.name)) {
                let (at, event) = table.1.changed();
                if at == partition && event > seen.seen(partition) {
                    changed.push(table.1);
                }
            }
        }
        // Every hall that shows a table may have named it.
        let slot = |table: &&Table| table.changed();
        changed.sort_by_key(slot);
        changed.dedup_by_key(|table| table.changed());
        changed
    }

    /// A table with its hall.
    pub fn table(&self, name: &str) -> Option<(&Hall, &Table)> {
        self.halls().find_map(|hall| {
            let table = hall.tables().named(name)?;
            self.may_show_table(hall, table).then_some((hall, table))
        })
    }

    fn may_show_table(&self, hall: &Hall, table: &Table) -> bool {
        if self.delays.are_alike() {
            return self.may_show(hall, None);
        }
        let game = table.match_id.as_deref().and_then(|id| hall.game(id));
        self.may_show(hall, hall.section_of(&table.name, game).as_deref())
    }

    /// The hall as it is shown to those who look at a section.
    pub fn of_section(&self, section: &str) -> Option<&Hall> {
        self.of_delay(self.delays.of_section(Some(section)))
    }

    fn of_delay(&self, delay: Duration) -> Option<&Hall> {
        self.halls().find(|hall| hall.delay() == delay)
    }

    /// The hall with the longest delay: what belongs to no section, and may be known of all of them.
    pub fn latest(&self) -> Option<&Hall> {
        self.halls.last().map(|hall| &**hall)
    }

    /// Position in the stream after all this.
    pub fn cursor(&self) -> Cursor {
        let last = |(partition, hall): (Partition, &Hall)| hall.partitions().last(partition);
        Cursor { epoch: self.epoch, seen: self.partitions().map(last).collect() }
    }

    /// The position before everything.
    pub fn start(&self) -> Cursor {
        Cursor { epoch: self.epoch, seen: self.partitions().map(|_| EventId::default()).collect() }
    }

    /// Whether a cursor is of this audience, and not of the future.
    pub fn knows(&self, cursor: &Cursor) -> bool {
        cursor.epoch == self.epoch
            && cursor.seen.len() == self.partitions().count()
            && self.partitions().all(|(partition, hall)| {
                cursor.seen(partition) <= hall.partitions().last(partition)
            })
    }
}
