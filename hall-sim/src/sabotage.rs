//! Programs that are broken on purpose: a campaign that does not find them could not find anything.

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Nothing.
    None,
    /// The adjudicator acknowledges rows that its store has refused.
    AcknowledgesWhatIsRefused,
    /// The adjudicator acknowledges rows before they are committed.
    AcknowledgesBeforeCommit,
    /// The store takes rows that it has.
    TakesTwice,
    /// The store takes rows behind a gap.
    TakesBehindGap,
    /// The store has the same name at every opening.
    OneStoreId,
    /// The adjudicator does not answer for rows that it had no room for, nor repeat itself.
    NeverRepeats,
    /// The hub takes the broker's word of delivery for the adjudicator's.
    FreesOnPuback,
    /// The journal forgets what it commits when the hub is killed.
    CommitsAreNotDurable,
    /// The journal does not note that rows are given back.
    NeverGivesBack,
    /// The journal passes over every fortieth row when it is read.
    RowPassedOver,
    /// The journal prunes rows that nobody has acknowledged.
    PrunesUnsent,
    /// The journal prunes the last rows of a boot when they are acknowledged: there is nothing left to ask with.
    PrunesLastRows,
    /// A hub that starts again goes on under the same boot and counts from 1.
    OneBootId,
    /// The hub's client asks for nothing after its first connection.
    SubscribesOnce,
}

impl Sabotage {
    /// Every way to break something.
    pub const ALL: [Self; 14] = [
        Self::AcknowledgesWhatIsRefused,
        Self::AcknowledgesBeforeCommit,
        Self::TakesTwice,
        Self::TakesBehindGap,
        Self::OneStoreId,
        Self::NeverRepeats,
        Self::FreesOnPuback,
        Self::CommitsAreNotDurable,
        Self::NeverGivesBack,
        Self::RowPassedOver,
        Self::PrunesUnsent,
        Self::PrunesLastRows,
        Self::OneBootId,
        Self::SubscribesOnce,
    ];
}
