//! Programs that are broken on purpose: a campaign that does not find them could not find anything.

macro_rules! sabotages {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A planted defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Sabotage {
            /// No defect.
            None,
            $($(#[$doc])* $name,)*
        }

        impl Sabotage {
            /// Every way to break something.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

sabotages! {
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
    /// The port hands no watermark on: each table waits for its nodes until it gives them up.
    KeepsWatermarks,
    /// A port gets the processor two seconds late.
    PortsWait,
    /// A doubt of a node about its sensors is reported once, and never again when the node is back.
    TellsDoubtsOnce,
    /// The search for new devices forgets what is served.
    OpensTwice,
    /// A table counts on the journal: what is given to it counts as committed.
    CountsOnTheJournal,
    /// A hub that starts again does not look up how far its nodes' readings are journalled.
    ResumesFromNothing,
    /// The journal keeps rows and offsets, but not the inputs that they are of.
    InputsAreNotKept,
    /// The journal does not count the rows of a session, so that a replay says them again.
    OutputsAreNotCounted,
    /// A port delivers a gap with the time of its arrival, behind later readings.
    GapsComeLate,
    /// A port does not report the restart of a node.
    HidesRestarts,
    /// A port reports too late a watermark for its nodes.
    Overpromises,
    /// A port gives squares a later time at a table beside which another one has trouble.
    TroubleSpreads,
    /// A hub reports a gap of one table at its other tables, too.
    GapsSpread,
    /// A port drops what a table has no room for.
    DropsInputs,
    /// The journal commits the entries of a batch in the wrong order.
    TurnsEntriesRound,
    /// A clock reports an order as done, and has not done it.
    ClockDoesNothing,
    /// A hub that starts again does not know the orders that it had taken.
    OrdersAreNotRecovered,
    /// The adjudicator sends an order once, and takes it for answered then.
    OrdersAreSentOnce,
    /// The adjudicator sends all orders to the first hub.
    OrdersGoToTheFirstHub,
    /// A message with one row that is not known is refused as a whole.
    RefusesLaterRows,
    /// A hub that starts again passes over what its table wanted to say first.
    ForgetsWhatWaited,
    /// The journal records the time of delivery to the session as the time of the reading.
    MadeWhenTold,
    /// A match is reviewed by the times at which its readings counted.
    ReviewsByCountedTime,
    /// A port gives squares the time of their arrival.
    StampsByArrival,
    /// A port skips a reading of a board that waits for no acknowledgement.
    PassesOverSquares,
    /// A port skips such a board's snapshot of all squares.
    PassesOverSnapshots,
    /// A port passes over presses of a clock that waits for no acknowledgement.
    PassesOverPresses,
    /// A port passes over what such a clock shows.
    PassesOverDisplays,
    /// A port gives a reported piece to the other side.
    MixesUpPieces,
    /// A hub that starts again does not notice that its rows differ from the published ones.
    OtherProgramsAreNotNoticed,
    /// A hub that starts again as another release does not look which matches stand in its journal.
    ForgetsWhatStands,
    /// A port does not hand on that readings are missing.
    HidesGaps,
    /// A node loses every fortieth reading before it numbers it.
    NodesForgetReadings,
    /// A node calls each of its boots the same.
    NodesKeepOneBoot,
    /// A node puts a time into its readings that it took long before.
    StampsAreOld,
}
