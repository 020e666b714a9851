//! What is done at a start about what the survey has found: nothing damaged is believed, nothing that can be had again is given up.
//!
//! A damaged input keeps its number and becomes one of which nothing comes. A position that its rows do not bear is set to what they do, so that
//! the hub gives the rest again; a row that comes again takes its damaged one's place. Acts that the log lacks are put back from their copy.

use std::{collections::HashMap, path::Path};

use sqlx::{Connection as _, SqliteConnection};

use super::{
    StoreError,
    acts_copy::{ActsCopy, FoundActs},
    damage::Damage,
    stored_row::StoredRow,
    survey::{Behind, Boot, LoggedAct, Survey, positions},
    to_stored,
};
use crate::log::input::InputKind;

/// What is to be known while the log is written.
pub(super) struct Mended {
    pub(super) damage: Damage,
    pub(super) behind: HashMap<Boot, Behind>,
    pub(super) copy: Option<ActsCopy>,
}

/// Mends what the survey has found.
pub(super) async fn mend(
    database: &mut SqliteConnection,
    path: &Path,
    generation: u32,
    mut survey: Survey,
    found: FoundActs,
) -> Result<Mended, StoreError> {
    let mut damage = Damage {
        missing: survey.holes.iter().map(|(first, last)| last - first + 1).sum(),
        damaged: survey.damaged.len() as u64 + survey.damaged_before,
        is_copy_damaged: found.is_damaged,
        ..Damage::default()
    };
    let lacking: Vec<LoggedAct> =
        found.acts.into_iter().filter(|act| !survey.acts.contains(&act.digest())).collect();
    if !survey.damaged.is_empty() || !lacking.is_empty() {
        if !survey.damaged.is_empty() {
            // What is damaged may be in an index, too, or in the table and not in the index.
            sqlx::query("REINDEX input").execute(&mut *database).await?;
        }
        let mut transaction = database.begin().await?;
        set_aside(&mut transaction, &mut survey).await?;
        put_back(&mut transaction, &mut survey, lacking, &mut damage).await?;
        transaction.commit().await?;
    }
    set_positions(database, &survey, &mut damage).await?;
    let copy = ActsCopy::begin(path, generation, survey.newest_acts.iter());
    if let Err(error) = &copy {
        damage.copy_fails = Some(error.to_string());
    }
    let behind = survey.boots.into_iter().filter(|(_, boot)| boot.is_behind()).collect();
    Ok(Mended { damage, behind, copy: copy.ok() })
}

impl Behind {
    /// Whether there is more of the boot in the log than its position says.
    fn is_behind(&self) -> bool {
        !self.damaged.is_empty() || self.present.last() > self.present.without_gap()
    }
}

/// Marks damaged inputs as such, under their numbers.
async fn set_aside(
    database: &mut SqliteConnection,
    survey: &mut Survey,
) -> Result<(), sqlx::Error> {
    for damaged in &survey.damaged {
        let mut row = damaged.found.clone();
        row.kind = InputKind::Damaged.name().to_owned();
        let at = (row.sequence, row.hub.clone().zip(row.boot_id));
        write(database, "rowid", damaged.place, &row).await?;
        if let (Some(sequence), Some(boot)) = at {
            survey.boots.entry(boot).or_default().damaged.insert(sequence, row.id);
        }
    }
    Ok(())
}

/// Puts acts back that the log lacks: into its place where that is damaged, else behind everything.
async fn put_back(
    database: &mut SqliteConnection,
    survey: &mut Survey,
    lacking: Vec<LoggedAct>,
    damage: &mut Damage,
) -> Result<(), sqlx::Error> {
    for mut act in lacking {
        let of_damaged = survey.damaged.iter().find(|damaged| damaged.found.id == act.id);
        let row = |id: u64| StoredRow {
            id,
            received_ms: act.received_ms,
            kind: InputKind::Act.name().to_owned(),
            match_id: act.match_id.clone(),
            payload: act.payload.clone(),
            ..StoredRow::default()
        };
        if let Some(damaged) = of_damaged {
            let place = damaged.place;
            write(database, "rowid", place, &row(act.id)).await?;
            damage.acts_mended += 1;
            damage.damaged -= 1;
        } else {
            survey.last_id += 1;
            let row = row(survey.last_id);
            super::insert_row(database, &row).await?;
            damage.acts_put_back.push(row.id);
            act.id = row.id;
        }
        tracing::error!(
            act = act.id,
            "an act that had been answered was missing from the log, and was put back from the copy beside it"
        );
        survey.newest_acts.push_back(act);
    }
    // In their order once more.
    survey.newest_acts.make_contiguous().sort_by_key(|act| act.id);
    Ok(())
}

/// Writes all columns of an input that is there; `key` is the column by which it is found.
pub(super) async fn write(
    database: &mut SqliteConnection,
    key: &'static str,
    value: i64,
    row: &StoredRow,
) -> Result<(), sqlx::Error> {
    let statement = format!(
        "UPDATE input SET id = $1, received_ms = $2, kind = $3, hub = $4, boot_id = $5, sequence = $6, table_name = $7, match_id = $8, \
         payload = $9, checksum = $10 WHERE {key} = $11"
    );
    sqlx::query(sqlx::AssertSqlSafe(statement))
        .bind(to_stored(row.id))
        .bind(to_stored(row.received_ms))
        .bind(&row.kind)
        .bind(&row.hub)
        .bind(row.boot_id.map(to_stored))
        .bind(row.sequence.map(to_stored))
        .bind(&row.table)
        .bind(&row.match_id)
        .bind(&row.payload)
        .bind(row.checksum())
        .bind(value)
        .execute(database)
        .await?;
    Ok(())
}

/// Sets each position to what the rows bear.
async fn set_positions(
    database: &mut SqliteConnection,
    survey: &Survey,
    damage: &mut Damage,
) -> Result<(), sqlx::Error> {
    let known = positions(database).await?;
    let mut wrong: Vec<(&Boot, u64, u64)> = Vec::new();
    for (boot, position) in &known {
        let borne = survey.boots.get(boot).map_or(0, |boot| boot.present.without_gap());
        if borne != *position {
            wrong.push((boot, *position, borne));
        }
    }
    for (boot, rows) in survey.boots.iter().filter(|(boot, _)| !known.contains_key(*boot)) {
        if rows.present.without_gap() > 0 {
            wrong.push((boot, 0, rows.present.without_gap()));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.sort_unstable();
    let mut transaction = database.begin().await?;
    for (boot, from, to) in wrong {
        tracing::error!(
            hub = boot.0,
            boot = boot.1,
            from,
            to,
            "the position of a boot was not what its rows bear, and was set: is this machine's disk damaged?"
        );
        set_position(&mut transaction, boot, to).await?;
        if to < from {
            damage.set_back.push((boot.0.clone(), from, to));
        }
    }
    transaction.commit().await
}

async fn set_position(
    database: &mut SqliteConnection,
    (hub, boot_id): &Boot,
    sequence: u64,
) -> Result<(), sqlx::Error> {
    let statement = match sequence {
        0 => "DELETE FROM hub_position WHERE hub = $1 AND boot_id = $2 AND $3 = 0",
        _ => {
            "INSERT INTO hub_position (hub, boot_id, sequence, seen_ms) VALUES ($1, $2, $3, 0) \
             ON CONFLICT (hub, boot_id) DO UPDATE SET sequence = excluded.sequence"
        }
    };
    let query =
        sqlx::query(statement).bind(hub).bind(to_stored(*boot_id)).bind(to_stored(sequence));
    query.execute(database).await.map(drop)
}
