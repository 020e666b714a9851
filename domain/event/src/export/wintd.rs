//! The tournament as WinTD reads it: players with ids and ratings, sections, games, after the JSON Schemas that its help
//! publishes (see [`import::wintd`](crate::import)). The links between the lists are not published; here the lists are at the top.
//!
//! A pair of bughouse is a record of type `P` whose members are records behind it. Where partners rotate there is no record
//! for a side, and the section is refused.

use std::collections::BTreeMap;

use rules::standings::{ByeKind, EntrantNumber, Outcome, Side};
use serde_json::{Value, json};

use super::Export;
use crate::{
    Entry, Event, Pairing, PlayerId, Refusal, RefusalKind::Contradicts, Section, SectionKind,
};

/// The club code has so many characters at most.
const CLUB_LETTERS: usize = 6;

/// Place of an entrant's record.
type Records = BTreeMap<(usize, EntrantNumber), usize>;

impl Event {
    /// The whole event as a tournament of WinTD, as JSON. Players are named.
    ///
    /// # Errors
    ///
    /// When partners rotate in a section, or a pairing has several games.
    pub fn wintd(&self) -> Result<Export<String>, Refusal> {
        for (name, section) in &self.sections {
            let refuse = |what| {
                let todo = "enter its results in WinTD by hand";
                Err(Refusal::new(Contradicts, format!("section {name}"), what, todo))
            };
            if section.terms.game == SectionKind::RotatingPartners {
                return refuse("partners rotate, and WinTD has pairs that stay together");
            }
            if section.terms.games_per_round != 1 {
                return refuse("a pairing has several games, whose records are not published");
            }
        }
        let mut remarks = Vec::new();
        let (players, records) = self.wintd_players();
        let mut games = Vec::new();
        for (at, (name, section)) in self.sections.iter().enumerate() {
            let ours = self.pairings.values().filter(|it| it.section == *name);
            for pairing in ours.filter(|it| it.withdrawn.is_none()) {
                games.extend(self.wintd_game(at, pairing, &records, &mut remarks));
            }
            games.extend(byes(at, section, &records));
        }
        let sections: Vec<Value> = self
            .sections
            .iter()
            .enumerate()
            .map(|(id, (title, section))| {
                let games = section.terms.games_per_round;
                json!({ "title": title, "id": id, "maxRounds": section.terms.rounds,
                    "roundsPaired": section.opened, "gamesPerMatch": games })
            })
            .collect();
        let file = json!({ "players": players, "sections": sections, "games": games });
        let file = serde_json::to_string_pretty(&file).unwrap_or_default();
        Ok(Export { file: format!("{file}\n"), remarks })
    }

    /// The records of all entrants, then those of the members of pairs.
    fn wintd_players(&self) -> (Vec<Value>, Records) {
        let entrants: Vec<(usize, EntrantNumber, &crate::Entrant)> = self
            .sections
            .values()
            .enumerate()
            .flat_map(|(at, it)| {
                it.entrants.iter().map(move |(number, entrant)| (at, *number, entrant))
            })
            .collect();
        let mut members: Vec<PlayerId> = Vec::new();
        let (mut players, mut records) = (Vec::new(), Records::new());
        for &(section, number, entrant) in &entrants {
            let mut tnmt = json!({ "playerNo": players.len(), "sectionID": section,
                "status": u8::from(entrant.withdrawn_from.is_some()), "pairno": number.0 });
            let base = match entrant.entry {
                Entry::Player(player) => self.wintd_person(player),
                Entry::Team(team) => {
                    let known = self.teams.get(&team);
                    let first = entrants.len() + members.len();
                    members.extend(known.map(|it| it.members).into_iter().flatten());
                    tnmt["members"] = json!([first, first + 1]);
                    json!({ "name": known.map_or("", |it| it.name.as_str()), "type": "P" })
                }
            };
            records.insert((section, number), players.len());
            players.push(json!({ "base": base, "tnmt": tnmt }));
        }
        for player in members {
            let tnmt =
                json!({ "playerNo": players.len(), "sectionID": -2, "status": 0, "pairno": -1 });
            players.push(json!({ "base": self.wintd_person(player), "tnmt": tnmt }));
        }
        (players, records)
    }

    fn wintd_person(&self, player: PlayerId) -> Value {
        let Some(known) = self.players.get(&player) else { return json!({ "name": "" }) };
        let mut base = json!({ "name": known.name.reveal() });
        if let Some(id) = &known.id {
            base["id"] = json!(id);
        }
        if let Some(rating) = known.rating {
            base["rating"] = json!(rating);
        }
        if let Some(club) = known.club.as_ref().filter(|it| it.chars().count() <= CLUB_LETTERS) {
            base["club"] = json!(club);
        }
        base
    }

    fn wintd_game(
        &self,
        section: usize,
        pairing: &Pairing,
        records: &Records,
        remarks: &mut Vec<String>,
    ) -> Option<Value> {
        let record = |side: usize| records.get(&(section, *pairing.sides[side].first()?)).copied();
        let (first, second) = (record(0)?, record(1)?);
        let result = match pairing.outcomes.first() {
            None => 99,
            Some(Outcome::Win(Side::First)) => 1,
            Some(Outcome::Win(Side::Second)) => -1,
            Some(Outcome::Draw) => 0,
            Some(Outcome::ForfeitWin(Side::First)) => 2,
            Some(Outcome::ForfeitWin(Side::Second)) => -2,
            Some(Outcome::DoubleForfeit) => -98,
            Some(Outcome::BothLose | Outcome::HalfAndNone(_)) => {
                remarks.push(format!(
                    "{}: a result by a ruling is written as none; enter it in WinTD",
                    pairing.place()
                ));
                99
            }
        };
        let is_chess = self
            .sections
            .get(&pairing.section)
            .is_some_and(|it| it.terms.game == SectionKind::Players);
        let color = match self.white_side(pairing) {
            Some(Side::First) if is_chess => 1,
            Some(Side::Second) if is_chess => -1,
            _ => 0,
        };
        let mut game = json!({ "p1": first, "p2": second, "r1": pairing.round, "r2": pairing.round,
            "color1": color, "color2": -color, "result": result, "type": 0 });
        if let Some(board) = pairing.board.or_else(|| pairing.table.parse().ok()) {
            game["board"] = json!(board);
        }
        Some(game)
    }
}

/// The byes of a section. The odd entrant's cannot be distinguished from another full point.
fn byes(section_at: usize, section: &Section, records: &Records) -> Vec<Value> {
    let bye = |(&(number, round), bye): (&(EntrantNumber, u8), &ByeKind)| {
        let record = records.get(&(section_at, number))?;
        let result = match bye {
            ByeKind::FullPoint => 1,
            ByeKind::HalfPoint => 0,
            ByeKind::ZeroPoint => -1,
        };
        Some(
            json!({ "p1": record, "p2": -1, "r1": round, "r2": round, "result": result, "type": 0 }),
        )
    };
    section.byes.iter().filter_map(bye).collect()
}
