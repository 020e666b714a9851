//! The tables of the journal's SQLite file.

use sqlx::SqliteConnection;

/// Number of this layout; a file of another layout is refused.
pub(super) const LAYOUT: i64 = 6;

/// Marks a file as having this layout.
const SET_LAYOUT: &str = "PRAGMA user_version = 6";

/// Statements that make a new file's tables.
///
/// - `about`: whose journal it is.
/// - `boots`: runs of this hub; sequences of rows count within a boot.
/// - `nodes`: how far each node's events are committed, so that a restarted hub takes the next one.
/// - `sessions`: per table, the last state without a match, the inputs it includes, how many outputs came after it, how far time
///   has passed for the session, and which program with which settings said the outputs; empty if several did.
/// - `inputs`: what the sessions were told, one line each, in the trace's format with hub time. `t_us`: when the session was told; `made_us`:
///   when it was read, which is earlier for what came after its turn, and unknown in a file that was brought here from an earlier layout.
/// - `matches`: what was opened, with the header and first readings of its trace.
/// - `outgoing`: encoded rows for the adjudicator.
/// - `orders`: what directors have ordered, and how it ended.
///
/// `checksum`: of the row, see [`super::damage`]; none in a row that was written before there were any, up to a place that `unchecked` has.
const STATEMENTS: [&str; 11] = [
    "CREATE TABLE about (hub_id TEXT NOT NULL)",
    "CREATE TABLE boots (boot_id INTEGER PRIMARY KEY)",
    "CREATE TABLE nodes (node_id TEXT PRIMARY KEY, boot_id INTEGER NOT NULL, sequence INTEGER NOT NULL,
        checksum INTEGER)",
    "CREATE TABLE sessions (table_name TEXT PRIMARY KEY, checkpoint TEXT, input_id INTEGER NOT NULL,
        outputs INTEGER NOT NULL, reached_us INTEGER NOT NULL DEFAULT 0,
        said_by TEXT NOT NULL, checksum INTEGER)",
    "CREATE TABLE inputs (input_id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL,
        match_id TEXT, t_us INTEGER NOT NULL, line TEXT NOT NULL, made_us INTEGER,
        checksum INTEGER)",
    "CREATE INDEX inputs_by_table ON inputs (table_name, input_id)",
    "CREATE TABLE matches (match_id TEXT PRIMARY KEY, table_name TEXT NOT NULL, opened_us INTEGER NOT NULL,
        header TEXT NOT NULL, prologue TEXT NOT NULL, first_input INTEGER NOT NULL, ended INTEGER NOT NULL,
        checksum INTEGER)",
    "CREATE TABLE outgoing (row_id INTEGER PRIMARY KEY AUTOINCREMENT, boot_id INTEGER NOT NULL,
        sequence INTEGER NOT NULL, acknowledged INTEGER NOT NULL DEFAULT 0, body BLOB NOT NULL,
        checksum INTEGER, UNIQUE (boot_id, sequence))",
    "CREATE INDEX outgoing_unacknowledged ON outgoing (row_id) WHERE acknowledged = 0",
    ORDERS_CHECKED,
    UNCHECKED,
];

/// `kind`: clock, fact, fact-withdrawn or refused; `body`: the command as JSON, the fact's line, or the order whose fact is none;
/// `ended`: the outcome, as on the wire.
const ORDERS: &str = "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, position INTEGER NOT NULL, table_name TEXT NOT NULL,
        match_id TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, node_id TEXT, boot_id INTEGER, request INTEGER,
        ended INTEGER)";

/// Last place of a table whose row may lack a checksum.
const UNCHECKED: &str = "CREATE TABLE unchecked (name TEXT PRIMARY KEY, until INTEGER NOT NULL)";

const ORDERS_CHECKED: &str = "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, position INTEGER NOT NULL, table_name TEXT NOT NULL,
        match_id TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, node_id TEXT, boot_id INTEGER, request INTEGER,
        ended INTEGER, checksum INTEGER)";

/// Makes the tables of a new file.
pub(super) async fn make(file: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    for statement in STATEMENTS {
        sqlx::query(statement).execute(&mut *file).await?;
    }
    sqlx::query(SET_LAYOUT).execute(file).await.map(drop)
}

/// Statements that bring a file of an earlier layout to the next one.
pub(super) const fn migration(from: i64) -> Option<(&'static [&'static str], &'static str)> {
    match from {
        1 => Some((&[ORDERS], "PRAGMA user_version = 2")),
        2 => Some((
            &["ALTER TABLE sessions ADD COLUMN reached_us INTEGER NOT NULL DEFAULT 0"],
            "PRAGMA user_version = 3",
        )),
        3 => Some((&["ALTER TABLE inputs ADD COLUMN made_us INTEGER"], "PRAGMA user_version = 4")),
        4 => Some((
            &["ALTER TABLE sessions ADD COLUMN said_by TEXT NOT NULL DEFAULT 'an earlier release'"],
            "PRAGMA user_version = 5",
        )),
        5 => Some((
            &[
                "ALTER TABLE outgoing ADD COLUMN checksum INTEGER",
                "ALTER TABLE inputs ADD COLUMN checksum INTEGER",
                "ALTER TABLE sessions ADD COLUMN checksum INTEGER",
                "ALTER TABLE matches ADD COLUMN checksum INTEGER",
                "ALTER TABLE orders ADD COLUMN checksum INTEGER",
                "ALTER TABLE nodes ADD COLUMN checksum INTEGER",
                UNCHECKED,
                "INSERT INTO unchecked (name, until)
                    SELECT 'outgoing', COALESCE(MAX(rowid), 0) FROM outgoing
                    UNION ALL SELECT 'inputs', COALESCE(MAX(rowid), 0) FROM inputs
                    UNION ALL SELECT 'sessions', COALESCE(MAX(rowid), 0) FROM sessions
                    UNION ALL SELECT 'matches', COALESCE(MAX(rowid), 0) FROM matches
                    UNION ALL SELECT 'orders', COALESCE(MAX(rowid), 0) FROM orders
                    UNION ALL SELECT 'nodes', COALESCE(MAX(rowid), 0) FROM nodes",
            ],
            "PRAGMA user_version = 6",
        )),
        _ => None,
    }
}

/// The layout of a file; none if it is no journal.
pub(super) async fn found(file: &mut SqliteConnection) -> Result<Option<i64>, sqlx::Error> {
    let tables: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN ('about', 'inputs', 'outgoing')",
    )
    .fetch_one(&mut *file)
    .await?;
    match tables {
        3 => sqlx::query_scalar("PRAGMA user_version").fetch_one(file).await.map(Some),
        _ => Ok(None),
    }
}

/// Whether a file of that layout can be read as it is.
pub(super) const fn is_readable(layout: i64) -> bool {
    layout >= 1 && layout <= LAYOUT
}
