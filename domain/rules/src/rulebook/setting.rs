//! Settings of an event.

use super::deed::deeds;

deeds! {
    /// A choice for an event, a section or a match that the system checks.
    Setting {
        Seats = "seats", "The seats of a match: partners have opposite colours.";
        Boards = "boards", "Whether a match is played on one board or on two.";
        TimeControl = "time-control", "The time control.";
        TdCalls = "td-calls", "Whether directors call illegal plies and flags, by agreement with the players.";
        SilentAlerts = "silent-alerts", "Alerts that players must claim reach directors only until the claim is closed.";
        LosingChances = "losing-chances", "Whether claims of insufficient losing chances are heard.";
        Supervision = "supervision", "Whether arbiters watch each game and keep its score: the book that is chosen says it.";
        TieBreaks = "tie-breaks", "The order of the tie-breaks.";
    }
}
