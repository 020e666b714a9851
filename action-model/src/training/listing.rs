//! The clues of one choice as lists. The gradient goes through them forward and backward.

use std::ops::Range;

use rules::Ply;

use crate::{
    ActionClass, RoleSet,
    learnt::{CircumstanceClues, Sink, visit},
    training::Example,
};

/// All actions of one choice with their clues.
#[derive(Debug, Default)]
pub(super) struct Listing {
    clues: Vec<u16>,
    position: Range<usize>,
    pub(super) groups: Vec<Group>,
    pub(super) actions: Vec<Action>,
    /// Index of the action that was played. None if it is not among the actions.
    pub(super) played: Option<usize>,
    target: Option<Ply>,
}

/// Actions that share clues.
#[derive(Clone, Debug)]
pub(super) struct Group {
    deep: Range<usize>,
    wide: Range<usize>,
    by_role: Range<usize>,
    pub(super) actions: Range<usize>,
}

/// One action.
#[derive(Clone, Debug)]
pub(super) struct Action {
    deep: Range<usize>,
    wide: Range<usize>,
    pub(super) class: ActionClass,
}

impl Listing {
    /// Lists the actions of an example, in place of the last one's.
    pub(super) fn fill(&mut self, example: &Example) -> CircumstanceClues {
        self.clues.clear();
        self.groups.clear();
        self.actions.clear();
        self.played = None;
        self.target = Some(example.played);
        let held = RoleSet::held(&example.circumstances.held);
        visit(&example.position, &example.recent, held, self);
        CircumstanceClues::of(&example.circumstances)
    }

    pub(super) fn position(&self) -> &[u16] {
        &self.clues[self.position.clone()]
    }

    pub(super) fn of_group(&self, group: &Group) -> &[u16] {
        &self.clues[group.deep.clone()]
    }

    pub(super) fn shared(&self, group: &Group) -> &[u16] {
        &self.clues[group.wide.clone()]
    }

    pub(super) fn by_role(&self, group: &Group) -> &[u16] {
        &self.clues[group.by_role.clone()]
    }

    pub(super) fn deep(&self, action: &Action) -> &[u16] {
        &self.clues[action.deep.clone()]
    }

    pub(super) fn wide(&self, action: &Action) -> &[u16] {
        &self.clues[action.wide.clone()]
    }

    fn keep(&mut self, clues: &[u16]) -> Range<usize> {
        let start = self.clues.len();
        self.clues.extend_from_slice(clues);
        start..self.clues.len()
    }
}

impl Sink for Listing {
    fn position(&mut self, deep: &[u16]) {
        self.position = self.keep(deep);
    }

    fn group(&mut self, deep: &[u16], wide: &[u16], by_role: &[u16]) {
        let (deep, wide, by_role) = (self.keep(deep), self.keep(wide), self.keep(by_role));
        let none = self.actions.len();
        self.groups.push(Group { deep, wide, by_role, actions: none..none });
    }

    fn action(&mut self, ply: Ply, class: ActionClass, deep: &[u16], wide: &[u16]) {
        let (deep, wide) = (self.keep(deep), self.keep(wide));
        if self.target == Some(ply) {
            self.played = Some(self.actions.len());
        }
        self.actions.push(Action { deep, wide, class });
        if let Some(group) = self.groups.last_mut() {
            group.actions.end = self.actions.len();
        }
    }
}
