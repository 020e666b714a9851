//! Bounds of an event. A state or national championship stays far below each of them.

/// Maximum number of characters of a name, a note, a table or a section.
pub const TEXT_CHARACTERS_MAX: usize = 100;
/// Maximum number of acts of an event.
pub const ACTS_MAX: usize = 200_000;
/// Maximum number of players of an event.
pub const PLAYERS_MAX: usize = 5_000;
/// Maximum number of teams of an event.
pub const TEAMS_MAX: usize = 2_500;
/// Maximum number of sections of an event.
pub const SECTIONS_MAX: usize = 64;
/// Maximum number of tables of an event.
pub const TABLES_MAX: usize = 1_000;
/// Maximum number of pairings of an event.
pub const PAIRINGS_MAX: usize = 50_000;
/// Maximum number of announcements at a time.
pub const ANNOUNCEMENTS_MAX: usize = 8;

/// Bound of ratings: they have four digits.
pub const RATING_END: u16 = 10_000;
