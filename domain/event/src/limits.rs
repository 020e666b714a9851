//! Bounds of an event. A state or national championship stays far below each of them.

/// Most characters of a name, a note, a table or a section.
pub const TEXT_CHARACTERS_MAX: usize = 100;
/// Most acts of an event.
pub const ACTS_MAX: usize = 200_000;
/// Most players of an event.
pub const PLAYERS_MAX: usize = 5_000;
/// Most teams of an event.
pub const TEAMS_MAX: usize = 2_500;
/// Most sections of an event.
pub const SECTIONS_MAX: usize = 64;
/// Most tables of an event.
pub const TABLES_MAX: usize = 1_000;
/// Most pairings of an event.
pub const PAIRINGS_MAX: usize = 50_000;
/// Most announcements at a time.
pub const ANNOUNCEMENTS_MAX: usize = 8;

/// Where ratings end: they have four digits.
pub const RATING_END: u16 = 10_000;
