//! Deeds typed as JSON, one a line; whole acts are read for their deeds.

use rules::text_file;

use super::{Problem, ROWS_MAX, draft::Draft};
use crate::{Deed, EventAct};

/// Reads deeds.
pub(super) fn read(draft: &mut Draft<'_>, bytes: &[u8]) {
    let decoded = text_file::decode(bytes);
    draft.decoded(decoded.encoding);
    for (line, row) in (1..).zip(decoded.text.lines()) {
        if row.trim().is_empty() {
            continue;
        }
        if line > ROWS_MAX as u64 {
            let what = format!("the file has more than {ROWS_MAX} lines");
            draft.note(Problem::error(Some(line), None, what, "split it"));
            return;
        }
        let deed = if row.contains("\"deed\"") {
            serde_json::from_str(row).map(|act: EventAct| act.deed)
        } else {
            serde_json::from_str::<Deed>(row)
        };
        match deed {
            Ok(deed) => {
                draft.act(Some(line), None, deed);
            }
            Err(error) => {
                let todo = "write a deed such as {\"kind\":\"round-opened\",\"section\":\"K-6\",\"round\":1}";
                draft.note(Problem::error(Some(line), None, error.to_string(), todo));
            }
        }
    }
}
