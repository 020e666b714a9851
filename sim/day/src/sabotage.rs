//! Defects that the programs once had, put back at the borders between the programs: a campaign that does not find each would find no other
//! of its kind.

use std::collections::BTreeMap;

use proto::mqtt::NOT_FOLLOWED;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{MatchState, NodeState, NodeStateChanged};

use crate::plan::{Equipment, TablePlan};

/// A defect that is put back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sabotage {
    /// None.
    #[default]
    None,
    /// A table with levers never ends a match.
    LeversEndNothing,
    /// A match belongs to the pairing that its table has when it is set up.
    BoundAtSetUp,
    /// A match that was decided without plies is not over: the next game goes into it.
    NoShowStays,
    /// An end is final: later plies are in no match.
    EndIsFinal,
    /// Play that is not followed is not published.
    UnfollowedIsSilent,
    /// Doubt about a board or a clock is not published.
    DoubtIsSilent,
    /// The notice is published, but late.
    NoticeIsLate,
    /// The notice is never withdrawn.
    NoticeStays,
    /// A match with a square that is stuck does not end.
    StuckSquareEndsNothing,
    /// A pairing that a match was taken from keeps its result.
    ResultStaysBehind,
    /// A result that was taken back stays in the event.
    TakenBackStays,
    /// Boards without clocks are read as if they had some.
    ClocklessIsIgnored,
    /// Plies before a forgotten clock are not read.
    ForgottenPliesAreLost,
    /// A pause of the clocks ends a match.
    PauseEnds,
    /// No director is asked whose match it is.
    NobodyIsAsked,
}

impl Sabotage {
    /// All of them: each is found within a few days.
    pub const ALL: [Sabotage; 15] = [
        Sabotage::LeversEndNothing,
        Sabotage::BoundAtSetUp,
        Sabotage::NoShowStays,
        Sabotage::EndIsFinal,
        Sabotage::UnfollowedIsSilent,
        Sabotage::DoubtIsSilent,
        Sabotage::NoticeIsLate,
        Sabotage::NoticeStays,
        Sabotage::StuckSquareEndsNothing,
        Sabotage::ResultStaysBehind,
        Sabotage::TakenBackStays,
        Sabotage::ClocklessIsIgnored,
        Sabotage::ForgottenPliesAreLost,
        Sabotage::PauseEnds,
        Sabotage::NobodyIsAsked,
    ];
}

/// Delay of a notice, µs.
const LATE_US: u64 = 12_000_000;

/// Changes to the rows of one table on their way.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// Matches published under the name of another: its name, and how much later it began.
    renamed: BTreeMap<String, String>,
    last: Option<String>,
    ended: Vec<String>,
    /// A notice that waits, and until when.
    held: Option<(u64, Event)>,
}

impl Patch {
    /// The row as it comes, if it does.
    pub(crate) fn row(
        &mut self,
        sabotage: Sabotage,
        table: &TablePlan,
        at_us: u64,
        event: Event,
    ) -> Option<Event> {
        let merges = match sabotage {
            Sabotage::LeversEndNothing => table.equipment == Equipment::Levers,
            Sabotage::StuckSquareEndsNothing => table.has_stuck_square,
            _ => false,
        };
        match (sabotage, &event) {
            (_, Event::MatchOpened(opened)) => {
                let id = opened.match_id.clone();
                if let Some(last) = self.last.clone().filter(|_| merges) {
                    self.renamed.insert(id, last);
                    return None;
                }
                self.last = Some(id);
            }
            (Sabotage::UnfollowedIsSilent, Event::NodeStateChanged(it)) if is_notice(it) => {
                return None;
            }
            (Sabotage::DoubtIsSilent, Event::NodeStateChanged(it)) if !is_notice(it) => {
                return None;
            }
            (Sabotage::NoticeIsLate, Event::NodeStateChanged(it)) if is_notice(it) => {
                let is_published = it.state() == NodeState::Faulty;
                self.held = is_published.then_some((at_us + LATE_US, event));
                return None;
            }
            (Sabotage::NoticeStays, Event::NodeStateChanged(it)) if is_notice(it) => {
                return (it.state() == NodeState::Faulty).then_some(event);
            }
            _ => {}
        }
        if sabotage == Sabotage::EndIsFinal
            && let Some(id) = proto::mqtt::match_of(&event)
        {
            if self.ended.iter().any(|ended| ended == id) {
                return None;
            }
            if let Event::MatchStateChanged(it) = &event
                && it.state() == MatchState::Ended
            {
                self.ended.push(it.match_id.clone());
            }
        }
        if sabotage == Sabotage::PauseEnds
            && let Event::MatchStateChanged(it) = &event
            && it.state() == MatchState::Paused
        {
            self.ended.push(it.match_id.clone());
        }
        if sabotage == Sabotage::PauseEnds
            && let Event::PlyReported(it) = &event
            && self.ended.contains(&it.match_id)
        {
            return None;
        }
        Some(self.named(event))
    }

    /// A notice whose time has come.
    pub(crate) fn due(&mut self, now_us: u64) -> Option<Event> {
        let is_due = self.held.as_ref().is_some_and(|(at_us, _)| *at_us <= now_us);
        self.held.take_if(|_| is_due).map(|(_, event)| event)
    }

    /// The row under the name of the match that is published.
    fn named(&self, mut event: Event) -> Event {
        let last = |id: &String| self.renamed.get(id).cloned();
        match &mut event {
            Event::PlyReported(it) => {
                if let Some(name) = last(&it.match_id) {
                    // Plies of another match are no revisions of this one's.
                    it.ply_id += 1_000;
                    it.match_id = name;
                }
            }
            Event::MatchStateChanged(it) => {
                last(&it.match_id).into_iter().for_each(|name| it.match_id = name);
            }
            Event::ClockRead(it) => {
                last(&it.match_id).into_iter().for_each(|name| it.match_id = name);
            }
            _ => {}
        }
        event
    }
}

fn is_notice(event: &NodeStateChanged) -> bool {
    event.node_id == NOT_FOLLOWED
}
