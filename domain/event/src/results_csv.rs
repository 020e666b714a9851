//! Results as directors type or read them back into their pairing programme: by round and board.

use crate::{Event, Refusal, csv_text, import::outcomes_to_text};

/// The columns. They are those that a list of results is read by.
const HEADER: [&str; 8] =
    ["Section", "Round", "Board", "Table", "First", "Second", "Result", "Confirmed"];

impl Event {
    /// The results of a section, or of all, as CSV; of one round or of all. Sides are pairing numbers; what is not
    /// played has no result, and no person is named.
    ///
    /// # Errors
    ///
    /// When there is no such section.
    pub fn results_csv(&self, section: Option<&str>, round: Option<u8>) -> Result<String, Refusal> {
        if let Some(section) = section {
            self.section(section)?;
        }
        let mut pairings: Vec<_> = self
            .pairings
            .values()
            .filter(|it| section.is_none_or(|section| it.section == section))
            .filter(|it| round.is_none_or(|round| it.round == round))
            .filter(|it| it.withdrawn.is_none())
            .collect();
        pairings.sort_by_cached_key(|it| {
            let board = it.board_label();
            let as_number: u32 = board.parse().unwrap_or(u32::MAX);
            (it.section.clone(), it.round, as_number, board)
        });
        let mut csv = csv_text::line(HEADER);
        for it in pairings {
            let side = |index: usize| {
                let numbers: Vec<String> =
                    it.sides[index].iter().map(ToString::to_string).collect();
                numbers.join("/")
            };
            let confirmed = match (it.outcomes.is_empty(), it.confirmed) {
                (true, _) => "",
                (false, true) => "yes",
                (false, false) => "no",
            };
            csv.push_str(&csv_text::line([
                it.section.as_str(),
                &it.round.to_string(),
                &it.board_label(),
                &it.table,
                &side(0),
                &side(1),
                &outcomes_to_text(&it.outcomes).replace('½', "1/2"),
                confirmed,
            ]));
        }
        Ok(marked(csv))
    }
}

/// The text with a byte order mark if it has more than ASCII: spreadsheets take a file without one for their own code
/// page.
fn marked(csv: String) -> String {
    if csv.is_ascii() { csv } else { format!("\u{feff}{csv}") }
}
