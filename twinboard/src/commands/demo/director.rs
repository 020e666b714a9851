//! The director of a small event that the demonstration plays: pairs the rounds, confirms the results, and opens the next round.
//!
//! Everything goes over HTTP, as from a director's phone. Claims are left to the visitor at the demonstrated phone; what the visitor
//! decides is kept, and a result that the visitor has confirmed is not touched.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use event::{Deed, Entry, PairingId, PersonName, PlayerId, SectionKind, SectionTerms, TeamId};
use rules::{Game, bpgn::MatchResult, rulebook::BookId, standings::EntrantNumber};
use serde_json::{Value, json};
use sim::real_time::HallMatch;

/// Rounds of an event at each table: at the usual speed they last longer than anybody watches.
pub(super) const ROUNDS: u8 = 50;
/// Time from the last match of a round to the first of the next, hall time.
pub(super) const BREAK: Duration = Duration::from_secs(75);
/// Time from the end of a match to the confirmation of its result, microseconds of hall time: somebody walks to the table.
const CONFIRMED_AFTER_US: u64 = 15_000_000;
/// Pause between two looks at the event, real time.
const LOOK: Duration = Duration::from_secs(1);
/// Longest wait for an answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Teams of an event; of the tables that play bughouse, each has two.
const TEAMS: [&str; 32] = [
    "Alders",
    "Ashes",
    "Aspens",
    "Beeches",
    "Birches",
    "Cedars",
    "Cherries",
    "Chestnuts",
    "Cypresses",
    "Dogwoods",
    "Elms",
    "Firs",
    "Ginkgos",
    "Hawthorns",
    "Hazels",
    "Hemlocks",
    "Hollies",
    "Junipers",
    "Larches",
    "Laurels",
    "Lindens",
    "Magnolias",
    "Maples",
    "Oaks",
    "Olives",
    "Pines",
    "Poplars",
    "Rowans",
    "Spruces",
    "Sycamores",
    "Walnuts",
    "Willows",
];

/// One section of the event and the tables it plays at.
struct Section {
    name: &'static str,
    kind: SectionKind,
    book: BookId,
    tables: Vec<usize>,
}

/// A match of the hall, by what the event knows of it.
struct Played {
    table: usize,
    end_us: u64,
    result: MatchResult,
}

/// The simulated director.
pub(super) struct Director {
    server: SocketAddr,
    token: String,
    sections: Vec<Section>,
    /// The matches of each round, the first round first.
    rounds: Vec<Vec<Played>>,
    /// Rounds that are paired.
    paired: usize,
    pairings: u32,
    looked: Option<Instant>,
}

impl Director {
    /// The director of an event at these tables. `results` are those of the games, table by table, in order of play.
    ///
    /// # Errors
    ///
    /// A match names a rulebook that nobody knows.
    pub(super) fn of(
        matches: &[HallMatch],
        results: &[Vec<MatchResult>],
        server: SocketAddr,
        token: String,
    ) -> Result<Director> {
        let mut sections: Vec<Section> = Vec::new();
        let mut rounds: Vec<Vec<Played>> = Vec::new();
        let mut played = vec![0; results.len()];
        for one in matches {
            let (name, kind) = match one.header.game {
                Game::Bughouse => ("Bughouse", SectionKind::Teams),
                Game::Chess => ("Chess", SectionKind::Players),
            };
            if !sections.iter().any(|section| section.kind == kind) {
                let book = one.header.rulebook.parse()?;
                sections.push(Section { name, kind, book, tables: Vec::new() });
            }
            for section in sections.iter_mut().filter(|section| section.kind == kind) {
                if !section.tables.contains(&one.table) {
                    section.tables.push(one.table);
                }
            }
            let Some(round) = played.get_mut(one.table - 1) else { continue };
            let result = results[one.table - 1].get(*round).copied().unwrap_or_default();
            if rounds.len() <= *round {
                rounds.push(Vec::new());
            }
            rounds[*round].push(Played { table: one.table, end_us: one.end_us, result });
            *round += 1;
        }
        Ok(Director { server, token, sections, rounds, paired: 0, pairings: 0, looked: None })
    }

    /// Enters sections, teams and players, and pairs the first round.
    ///
    /// # Errors
    ///
    /// The adjudicator does not answer or refuses an act.
    pub(super) async fn open(&mut self) -> Result<()> {
        // A pairing names its table before the hub has said which there are.
        let tables = self.sections.iter().flat_map(|section| &section.tables);
        let tables = tables.map(ToString::to_string).collect();
        let mut deeds = vec![Deed::TablesListed { tables }];
        for section in &self.sections {
            deeds.extend(entered(section, self.rounds.len()));
        }
        self.act("open", &json!({ "of": "event", "deeds": deeds })).await?;
        self.pair_next().await
    }

    /// Confirms the results that are due and opens the next round after the last of them; a line for each.
    pub(super) async fn look(&mut self, now_us: u64) -> Vec<String> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return Vec::new();
        }
        self.looked = Some(Instant::now());
        match self.go_on(now_us).await {
            Ok(lines) => lines,
            // It is tried again with the next look.
            Err(error) => {
                tracing::debug!(error = format!("{error:#}"), "the simulated director waits");
                Vec::new()
            }
        }
    }

    async fn go_on(&mut self, now_us: u64) -> Result<Vec<String>> {
        let round = self.paired;
        let Some(played) = round.checked_sub(1).and_then(|at| self.rounds.get(at)) else {
            return Ok(Vec::new());
        };
        if !played.iter().any(|one| now_us >= one.end_us + CONFIRMED_AFTER_US) {
            return Ok(Vec::new());
        }
        let event = self.get("/api/v1/td/event").await?;
        let (mut lines, mut open) = (Vec::new(), 0);
        for one in played {
            let pairing = pairing_of(&event, round, one.table).context("a pairing is missing")?;
            if pairing["confirmed"] == true {
                continue;
            }
            open += 1;
            if now_us >= one.end_us + CONFIRMED_AFTER_US {
                lines.extend(self.confirm(pairing, one, round).await?);
            }
        }
        if open == 0 && round < self.rounds.len() {
            self.pair_next().await?;
            lines.push(format!("round {round} is confirmed, and round {} is paired", round + 1));
        }
        Ok(lines)
    }

    /// Confirms what the table shows, or enters what the players say where it shows nothing. A line when that is done.
    async fn confirm(&self, pairing: &Value, one: &Played, round: usize) -> Result<Option<String>> {
        let Some(id) = pairing["matches"].as_array().and_then(|ids| ids.last()?.as_str()) else {
            return Ok(None);
        };
        let shown = self.get(&format!("/api/v1/td/matches/{id}")).await?;
        let (entered, proposal) = (&shown["result"], &shown["proposal"]);
        let decided = if entered.is_object() || proposal["settled"] == true {
            json!({ "what": "confirm" })
        } else {
            let (winner, reason) = match one.result {
                MatchResult::TeamOne => (Some("team-1"), "resignation"),
                MatchResult::TeamTwo => (Some("team-2"), "resignation"),
                MatchResult::Draw | MatchResult::Unknown => (None, "agreement"),
            };
            json!({ "what": "enter-result", "winner": winner, "reason": reason })
        };
        let deed = json!({
            "of": "match", "match": id, "seen": shown["version"], "decided": decided
        });
        self.act(&format!("{round} {} {}", one.table, shown["version"]), &deed).await?;
        let names = &pairing["names"];
        let [first, second] = [0, 1].map(|at| names[at].as_str().unwrap_or_default());
        Ok(Some(format!("round {round}, table {}: {first} – {second} is confirmed", one.table)))
    }

    /// Opens the next round and pairs it by the circle method; each time round, the sides change colours.
    async fn pair_next(&mut self) -> Result<()> {
        let round = self.paired + 1;
        let number = u8::try_from(round).context("too many rounds")?;
        let mut deeds = Vec::new();
        let mut next = self.pairings;
        for section in &self.sections {
            let name = section.name.to_owned();
            deeds.push(Deed::RoundOpened { section: name.clone(), round: number });
            for (table, sides) in section.tables.iter().zip(circle(section.tables.len(), round)) {
                next += 1;
                deeds.push(Deed::PairingMade {
                    pairing: PairingId(next),
                    section: name.clone(),
                    round: number,
                    table: table.to_string(),
                    board: None,
                    sides: sides.map(|number| vec![number]),
                });
            }
        }
        self.act(&format!("pair {round}"), &json!({ "of": "event", "deeds": deeds })).await?;
        (self.paired, self.pairings) = (round, next);
        Ok(())
    }

    async fn get(&self, path: &str) -> Result<Value> {
        let client = reqwest::Client::builder().timeout(ANSWER_MAX).build()?;
        let asked = client.get(format!("http://{}{path}", self.server)).bearer_auth(&self.token);
        Ok(asked.send().await?.error_for_status()?.json().await?)
    }

    /// Acts once, also where an answer is lost and the same is tried again.
    async fn act(&self, key: &str, deed: &Value) -> Result<()> {
        let client = reqwest::Client::builder().timeout(ANSWER_MAX).build()?;
        let act = client.post(format!("http://{}/api/v1/td/acts", self.server));
        let sent = json!({ "key": format!("director {key}"), "deed": deed });
        let answer = act.bearer_auth(&self.token).json(&sent).send().await?;
        if answer.status().is_success() {
            return Ok(());
        }
        let refused: Value = answer.json().await.unwrap_or_default();
        bail!("{}", refused["reason"].as_str().or(refused["error"].as_str()).unwrap_or("no reason"))
    }
}

/// Everything that enters a section's players: two numbers for each table.
fn entered(section: &Section, rounds: usize) -> Vec<Deed> {
    let name = section.name.to_owned();
    let planned = u8::try_from(rounds).unwrap_or(ROUNDS);
    let terms = SectionTerms::usual(section.kind, section.book, planned);
    let mut deeds = vec![Deed::SectionOpened { section: name.clone(), terms }];
    for (number, team) in (1..=2 * section.tables.len() as u32).zip(TEAMS) {
        let mut player = |id: u32, name: String| {
            let (player, name) = (PlayerId(id), PersonName::from(name.as_str()));
            deeds.push(Deed::PlayerEntered { player, name, club: None });
            player
        };
        let entry = match section.kind {
            SectionKind::Players => {
                Entry::Player(player(1_000 + number, format!("Player {number}")))
            }
            SectionKind::Teams | SectionKind::RotatingPartners => {
                let members = [(2 * number - 1, "A"), (2 * number, "B")]
                    .map(|(id, board)| player(id, format!("{team} {board}")));
                let id = TeamId(number);
                deeds.push(Deed::TeamMade { team: id, name: team.to_owned(), members });
                Entry::Team(id)
            }
        };
        let (section, number) = (name.clone(), EntrantNumber(number));
        deeds.push(Deed::EntrantAdded { section, number, entry, from_round: 1 });
    }
    deeds
}

/// Who meets whom at so many tables in a round: number 1 stays, the others go round it.
fn circle(tables: usize, round: usize) -> Vec<[EntrantNumber; 2]> {
    let entrants = 2 * tables;
    let cycle = entrants - 1;
    let mut order: Vec<usize> = (2..=entrants).collect();
    order.rotate_right((round - 1) % cycle);
    order.insert(0, 1);
    let is_turned = (round - 1) / cycle % 2 == 1;
    (0..tables)
        .map(|at| {
            let mut met = [order[at], order[entrants - 1 - at]];
            if is_turned {
                met.reverse();
            }
            met.map(|number| EntrantNumber(number as u32))
        })
        .collect()
}

fn pairing_of(event: &Value, round: usize, table: usize) -> Option<&Value> {
    let sections = event["sections"].as_array()?;
    let mut pairings = sections.iter().filter_map(|one| one["pairings"].as_array()).flatten();
    let table = table.to_string();
    pairings.find(|one| one["round"] == round && one["table"] == table.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everybody_meets_everybody_before_anybody_meets_twice() {
        for tables in [1, 3, 16] {
            let cycle = 2 * tables - 1;
            let mut met = BTreeSet::new();
            for round in 1..=cycle {
                let pairings = circle(tables, round);
                let at_a_table: BTreeSet<_> = pairings.iter().flatten().collect();
                assert_eq!(at_a_table.len(), 2 * tables, "each plays once in round {round}");
                met.extend(pairings.iter().map(|sides| {
                    let [one, other] = *sides;
                    (one.min(other), one.max(other))
                }));
            }
            assert_eq!(met.len(), tables * cycle);
            let [first, again] = [1, 1 + cycle].map(|round| circle(tables, round));
            assert!(first.iter().zip(&again).all(|(one, other)| one[0] == other[1]));
        }
    }
}
