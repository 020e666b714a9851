//! A part of the hall that snapshots share until it changes.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

/// A value that costs nothing to clone. The first change after a clone copies it, if that clone is still in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Whether this is the value at that place, and no copy of it.
    pub(crate) fn is(&self, value: &T) -> bool {
        std::ptr::eq(&raw const *self.0, value)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Shared<T> {
        Shared(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_does_not_reach_an_earlier_clone() {
        let mut value = Shared::from(vec![1]);
        let earlier = value.clone();
        value.push(2);
        assert_eq!((earlier.as_slice(), value.as_slice()), (&[1][..], &[1, 2][..]));
    }

    #[test]
    fn a_value_without_clones_is_changed_in_place() {
        let mut value = Shared::from(vec![1]);
        drop(value.clone());
        let before = Arc::as_ptr(&value.0);
        value.push(2);
        assert_eq!(Arc::as_ptr(&value.0), before);
    }
}
