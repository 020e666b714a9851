//! Tables of a copy: what may be in it, and how its rows get into a new file.
//!
//! A copy may have been on a stick, and may have got parts that act by themselves: triggers, views, virtual tables, computed
//! columns. SQLite would go on carrying them out in the running program. So a copy may have tables and indices only, and only
//! its rows are copied.

use std::path::Path;

use sqlx::SqliteConnection;

/// Maximum number of tables and indices of a copy.
const OBJECTS_MAX: i64 = 64;

/// Refuses whatever a database has that acts by itself.
pub(crate) async fn refuse_foreign(database: &mut SqliteConnection) -> Result<(), String> {
    let objects: i64 = scalar(database, "SELECT COUNT(*) FROM sqlite_schema").await?;
    if objects > OBJECTS_MAX {
        return Err(format!("it has {objects} tables and indices, and a copy of ours has few"));
    }
    let foreign: Option<(String, String)> = sqlx::query_as(
        "SELECT type, name FROM sqlite_schema WHERE type NOT IN ('table', 'index') \
         OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1",
    )
    .fetch_optional(&mut *database)
    .await
    .map_err(|error| error.to_string())?;
    if let Some((kind, name)) = foreign {
        return Err(format!(
            "it has a {kind} {name:?}, which this program never makes: the file was changed by another program"
        ));
    }
    let computed: Option<(String, String)> = sqlx::query_as(
        "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c \
         WHERE t.type = 'table' AND c.hidden <> 0 LIMIT 1",
    )
    .fetch_optional(database)
    .await
    .map_err(|error| error.to_string())?;
    match computed {
        Some((table, column)) => Err(format!(
            "its table {table:?} has a computed column {column:?}, which this program never makes: the file was changed by another program"
        )),
        None => Ok(()),
    }
}

/// Copies the rows of another database's tables into the tables of this one, which must be the same.
pub(crate) async fn copy_rows(
    database: &mut SqliteConnection,
    source: &Path,
) -> Result<(), String> {
    let name = source.to_str().ok_or("the name of its folder is not written in Unicode")?;
    let text = |error: sqlx::Error| error.to_string();
    sqlx::query("ATTACH $1 AS source").bind(name).execute(&mut *database).await.map_err(text)?;
    let (own, its) = (tables(database, "main").await?, tables(database, "source").await?);
    if let Some(table) = its.iter().find(|table| !own.contains(table)) {
        return Err(format!("it has a table {table:?}, which a copy of ours has not"));
    }
    if let Some(table) = own.iter().find(|table| !its.contains(table)) {
        return Err(format!("it has no table {table:?}"));
    }
    statement(database, "BEGIN".to_owned()).await?;
    for table in &own {
        let columns = columns(database, "main", table).await?;
        if columns_sorted(&columns)
            != columns_sorted(&self::columns(database, "source", table).await?)
        {
            return Err(format!("its table {table:?} has other columns than ours"));
        }
        let names: Vec<String> = columns.iter().map(|(name, ..)| quoted(name)).collect();
        let (table, names) = (quoted(table), names.join(", "));
        // The copy too has the rows of a new file.
        statement(database, format!("DELETE FROM main.{table}")).await?;
        // An index may contradict its table.
        statement(
            database,
            format!(
                "INSERT INTO main.{table} ({names}) SELECT {names} FROM source.{table} NOT INDEXED"
            ),
        )
        .await?;
    }
    copy_sequences(database).await?;
    statement(database, "COMMIT".to_owned()).await?;
    statement(database, "DETACH source".to_owned()).await
}

/// Copies the numbers that were given last: none is given twice.
async fn copy_sequences(database: &mut SqliteConnection) -> Result<(), String> {
    let has_them = "SELECT COUNT(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'";
    let has_them: i64 = scalar(database, has_them).await?;
    if has_them == 0 {
        return Ok(());
    }
    statement(database, "DELETE FROM main.sqlite_sequence".to_owned()).await?;
    let copied = "INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM source.sqlite_sequence \
                  WHERE name IN (SELECT name FROM main.sqlite_schema)";
    statement(database, copied.to_owned()).await
}

/// Tables of a database, without SQLite's own and the list of migrations.
async fn tables(database: &mut SqliteConnection, of: &str) -> Result<Vec<String>, String> {
    let tables = format!(
        "SELECT name FROM {of}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         AND name <> '_sqlx_migrations' ORDER BY name"
    );
    let tables = sqlx::query_scalar(sqlx::AssertSqlSafe(tables)).fetch_all(database).await;
    tables.map_err(|error| error.to_string())
}

/// Name, type, whether it must have a value, and place in the primary key.
type Column = (String, String, bool, i64);

/// Columns of a table, in its own order.
async fn columns(
    database: &mut SqliteConnection,
    of: &str,
    table: &str,
) -> Result<Vec<Column>, String> {
    let columns = sqlx::query_as(
        "SELECT name, upper(type), \"notnull\", pk FROM pragma_table_info($1, $2) ORDER BY cid",
    );
    let columns = columns.bind(table).bind(of).fetch_all(database).await;
    columns.map_err(|error| error.to_string())
}

/// The same in an order that does not depend on when a column was added.
fn columns_sorted(columns: &[Column]) -> Vec<Column> {
    let mut columns = columns.to_vec();
    columns.sort();
    columns
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Carries out a statement whose names are of our own tables.
async fn statement(database: &mut SqliteConnection, statement: String) -> Result<(), String> {
    let done = sqlx::query(sqlx::AssertSqlSafe(statement)).execute(database).await;
    done.map(drop).map_err(|error| error.to_string())
}

async fn scalar(database: &mut SqliteConnection, query: &'static str) -> Result<i64, String> {
    sqlx::query_scalar(query).fetch_one(database).await.map_err(|error| error.to_string())
}
