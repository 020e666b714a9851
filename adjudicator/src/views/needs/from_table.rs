//! Items from the tables themselves: calls for a director, and reports of sides that differ from the sensors or the record.

use event::{Names, Pairing, PairingId, import::outcomes_to_text};
use rules::standings::Side;

use super::{Maker, Need, Urgency};

impl Maker<'_> {
    /// Tables that have called a director.
    pub(super) fn of_calls(&self) -> impl Iterator<Item = Need> {
        self.hall.calls().map(|(table, call)| {
            let known = self.hall.tables().named(table);
            let game = known.and_then(|known| self.hall.game(known.match_id.as_deref()?));
            Need {
                what: "Director called".to_owned(),
                detail: "The players at this table call a director.".to_owned(),
                since_ms: call.at_ms,
                ..self.need(call.item(table), Urgency::Call, game, table)
            }
        })
    }

    /// The item for a disputed report of a pairing's sides.
    pub(super) fn of_reports(&self, id: PairingId, pairing: &Pairing) -> Option<Need> {
        let numbers: Vec<String> =
            pairing.reports().iter().map(|(number, _)| number.to_string()).collect();
        if numbers.is_empty() {
            return None;
        }
        let sensors = self.hall.outcomes_of(id);
        let is_running = pairing.running && sensors.is_empty();
        if !is_running && !pairing.is_disputed(&sensors) {
            return None;
        }
        let contradict = !pairing.confirmed && pairing.reports().contradict();
        let what = match (is_running, contradict) {
            (_, true) => "The sides report different results",
            (true, _) => "Reported as over, and play is followed",
            (false, false) => "A report and the result differ",
        };
        let names = self.hall.sides_of(id, Names::Shown);
        let report = |side: Side| {
            let (_, outcomes) = pairing.reports().of(side)?;
            let name = &names[usize::from(side == Side::Second)];
            Some(format!("{name} reports {}", outcomes_to_text(outcomes)))
        };
        let boards = (!sensors.is_empty())
            .then(|| format!("the sensors show {}", outcomes_to_text(&sensors)));
        let record = (!pairing.outcomes.is_empty()).then(|| {
            let confirmed = if pairing.confirmed { ", confirmed" } else { "" };
            format!("the record has {}{confirmed}", outcomes_to_text(&pairing.outcomes))
        });
        let all = [report(Side::First), report(Side::Second), boards, record];
        let all: Vec<String> = all.into_iter().flatten().collect();
        let game = self.hall.games_of_pairing(id).next_back();
        let need = self.need(
            format!("reports:{}:{}", id.0, numbers.join(":")),
            Urgency::Result,
            game,
            &pairing.table,
        );
        Some(Need {
            section: Some(pairing.section.clone()),
            round: Some(pairing.round),
            pairing: Some(id.0),
            what: what.to_owned(),
            detail: format!("Round {}, {}: {}.", pairing.round, names.join(" – "), all.join("; ")),
            is_earlier: game.is_some_and(|game| !self.hall.is_at_table(game)),
            ..need
        })
    }
}

/// Whether a director may dismiss an item by hand although it is as urgent as what has to be decided.
pub(super) fn can_be_dismissed(need: &Need) -> bool {
    need.urgency == Urgency::Call || need.id.starts_with("reports:")
}
