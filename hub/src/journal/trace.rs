//! The inputs of a match, read for its trace.

use hub_core::review::{MatchTrace, TraceInput};
use readings::Reading;

use super::{JournalError, Reader};
use crate::HubTime;
use crate::journal_line::Line;

/// The first layout of the journal that has the times at which inputs were made.
const LAYOUT_WITH_MADE: i64 = 4;

impl Reader {
    /// The trace of a match; none if the journal does not have it.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read, or holds a line that is no input.
    pub async fn trace(&self, match_id: &str) -> Result<Option<MatchTrace>, JournalError> {
        let found: Option<(i64, String, String, i64, bool)> = sqlx::query_as(
            "SELECT opened_us, header, prologue, first_input, ended FROM matches WHERE match_id = ?",
        )
        .bind(match_id)
        .fetch_optional(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        let Some((opened_us, header, prologue, first_input, ended)) = found else {
            return Ok(None);
        };
        let opened = HubTime::from_micros(opened_us.max(0).cast_unsigned());
        let prologue: Vec<Reading> =
            prologue.lines().map(|line| self.parse(line)).collect::<Result<_, _>>()?;
        let mut inputs = Vec::new();
        for (line, made_us) in self.match_inputs(match_id, first_input).await? {
            let Line::Reading(reading) = self.parse(&line)? else { continue };
            let made_us = made_us.map_or(reading.t_us, |us| us.max(0).cast_unsigned());
            inputs.push(TraceInput { reading, made_us });
        }
        Ok(Some(MatchTrace::new(self.parse(&header)?, opened, prologue, inputs, ended)))
    }

    /// The lines of a match after its first readings, in the order in which they counted, each with when it was made, if that is known.
    async fn match_inputs(
        &self,
        match_id: &str,
        first_input: i64,
    ) -> Result<Vec<(String, Option<i64>)>, JournalError> {
        // A journal of an earlier layout can be looked into as it is.
        let layout: i64 = sqlx::query_scalar("PRAGMA user_version")
            .fetch_one(&self.pool)
            .await
            .map_err(|source| self.error(source))?;
        let statement = if layout < LAYOUT_WITH_MADE {
            "SELECT line, NULL FROM inputs WHERE match_id = ? AND input_id > ? ORDER BY input_id"
        } else {
            "SELECT line, made_us FROM inputs WHERE match_id = ? AND input_id > ? ORDER BY input_id"
        };
        sqlx::query_as(statement)
            .bind(match_id)
            .bind(first_input)
            .fetch_all(&self.pool)
            .await
            .map_err(|source| self.error(source))
    }
}
