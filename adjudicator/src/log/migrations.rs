//! Steps from the first form of the database to the present one; an older database is brought forward when it is opened.
//!
//! The list is written out, because the macro that reads the folder would have every build compile the database twice: for the
//! program and for the compiler.

use sqlx::{
    SqlStr,
    migrate::{Migrate, MigrateError, Migration, MigrationType, Migrator},
};

/// The files of `migrations/`, each with its number, name and statements. A released file never changes: databases keep a
/// checksum of the files that made them.
const SQLITE: [(i64, &str, &str); 3] = [
    (1, "log", include_str!("../../migrations/0001_log.sql")),
    (2, "no judgments", include_str!("../../migrations/0002_no_judgments.sql")),
    (3, "checksum", include_str!("../../migrations/0003_checksum.sql")),
];

/// The same for PostgreSQL, of `migrations/postgres/`.
const POSTGRES: [(i64, &str, &str); 1] =
    [(1, "log", include_str!("../../migrations/postgres/0001_log.sql"))];

/// Brings a SQLite file to the present form.
pub(super) fn of_sqlite() -> Migrator {
    migrator(&SQLITE)
}

/// Brings a PostgreSQL database to the present form.
pub(super) fn of_postgres() -> Migrator {
    migrator(&POSTGRES)
}

fn migrator(steps: &[(i64, &'static str, &'static str)]) -> Migrator {
    let step = |(version, name, statements): &(i64, &'static str, &'static str)| {
        let statements = SqlStr::from_static(statements);
        Migration::new(*version, (*name).into(), MigrationType::Simple, statements, false)
    };
    Migrator::with_migrations(steps.iter().map(step).collect())
}

/// Checks that a database can be read in the form in which it is: that of any release up to this one.
pub(super) async fn check(
    connection: &mut impl Migrate,
    migrator: &Migrator,
) -> Result<(), MigrateError> {
    let applied = connection.list_applied_migrations(&migrator.table_name).await?;
    for step in applied {
        let known = migrator.iter().find(|known| known.version == step.version);
        match known.map(|known| known.checksum == step.checksum) {
            Some(true) => {}
            Some(false) => return Err(MigrateError::VersionMismatch(step.version)),
            None => return Err(MigrateError::VersionMissing(step.version)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sqlx::migrate::MigrationSource as _;

    use super::*;

    #[tokio::test]
    async fn the_lists_are_the_folders() {
        let said = |migration: &Migration| {
            let Migration { version, description, migration_type, sql, checksum, no_tx } =
                migration.clone();
            (version, description, migration_type, sql.as_str().to_owned(), checksum, no_tx)
        };
        for (migrator, folder) in
            [(of_sqlite(), "migrations"), (of_postgres(), "migrations/postgres")]
        {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let files = folder.as_path().resolve().await.unwrap();
            let listed: Vec<_> = migrator.iter().map(said).collect();
            assert_eq!(listed, files.iter().map(said).collect::<Vec<_>>());
        }
    }
}
