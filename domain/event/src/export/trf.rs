//! FIDE's tournament report of a section, as TRF16 or TRF26.
//!
//! The lines of players are the same in both: fixed columns (see [`import::trf_line`](crate::import)). TRF26 states the
//! number of rounds by `142`, the kind of tournament by `192`, the tie-breaks by `202` and `212`, the time control by `222`,
//! and byes of rounds to come by `240`; TRF16 has `XXR` for the rounds, as pairing programs agreed, and byes to come in the
//! cells of their rounds. Lines end with CR LF.

use std::fmt::Write as _;

use rules::{
    Period, TimeControl,
    standings::{ByeKind, EntrantNumber, ResultKind, Results, RoundResult, Score, TieBreak},
};

use super::Export;
use crate::{Entry, Event, Names, Refusal, Section};

/// Maximum number of characters of a name.
const NAME_COLUMNS: usize = 33;

/// Version of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrfVersion {
    /// The version of 2016.
    Trf16,
    /// The version of 2026.
    Trf26,
}

/// A report's data about the tournament that the event does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrfHeader {
    /// The city.
    pub city: Option<String>,
    /// The federation, by FIDE's three letters.
    pub federation: Option<String>,
    /// The first and the last day, as `2026/11/21`.
    pub days: Option<[String; 2]>,
    /// The chief arbiter.
    pub chief_arbiter: Option<String>,
}

impl Event {
    /// A section as FIDE's tournament report. Players are named.
    ///
    /// # Errors
    ///
    /// When there is no such section of chess with one game a round, or a number has more than four digits.
    pub fn trf(
        &self,
        section: &str,
        version: TrfVersion,
        header: &TrfHeader,
    ) -> Result<Export<String>, Refusal> {
        let known = self.chess_section(section)?;
        let results = self.results(section, Names::Shown)?;
        if let Some(last) = known.entrants.keys().last().filter(|number| number.0 > 9_999) {
            let what = format!("number {last} has more than the four digits of the report");
            let place = format!("section {section}");
            return Err(Refusal::new(crate::RefusalKind::OutOfBounds, place, what, "renumber"));
        }
        let mut report = TrfReport {
            event: self,
            section: known,
            results: &results,
            version,
            text: String::new(),
            remarks: Vec::new(),
        };
        report.write_header(section, header);
        report.write_players(section)?;
        report.write_byes();
        Ok(Export { file: report.text, remarks: report.remarks })
    }
}

struct TrfReport<'event> {
    event: &'event Event,
    section: &'event Section,
    results: &'event Results,
    version: TrfVersion,
    text: String,
    remarks: Vec<String>,
}

impl TrfReport<'_> {
    fn line(&mut self, record: &str, content: &str) {
        let content: String =
            content.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
        let line = format!("{record} {content}");
        let _ = write!(self.text, "{}\r\n", line.trim_end());
    }

    fn write_header(&mut self, section: &str, header: &TrfHeader) {
        let terms = &self.section.terms;
        let rated =
            self.section.entrants.values().filter(|it| listing(self.event, it.entry).1.is_some());
        let rated = rated.count();
        self.line("012", section);
        let (from, to) = match &header.days {
            Some([from, to]) => (from.as_str(), to.as_str()),
            None => ("", ""),
        };
        for (record, content) in [
            ("022", header.city.as_deref().unwrap_or_default()),
            ("032", header.federation.as_deref().unwrap_or_default()),
            ("042", from),
            ("052", to),
        ] {
            if content.is_empty() {
                self.remarks
                    .push(format!("record {record} is missing, which a rating report needs"));
            } else {
                self.line(record, content);
            }
        }
        self.line("062", &self.section.entrants.len().to_string());
        self.line("072", &rated.to_string());
        self.line("092", "Individual: Swiss-System");
        if let Some(arbiter) = &header.chief_arbiter {
            self.line("102", arbiter);
        }
        let time = terms.time.as_ref();
        if let Some(time) = time {
            self.line("122", &time.to_pgn_tag());
        }
        let rounds = terms.rounds.to_string();
        match self.version {
            TrfVersion::Trf16 => self.line("XXR", &rounds),
            TrfVersion::Trf26 => {
                self.line("142", &rounds);
                self.line("192", "CUSTOM_SWISS");
                self.write_tie_breaks();
                match time.map(encoded) {
                    Some(Some(encoded)) => self.line("222", &encoded),
                    Some(None) => self.remarks.push(
                        "record 222 is missing: it cannot state the delay of the time control"
                            .to_owned(),
                    ),
                    None => self.remarks.push(
                        "record 222 is missing: the section has no time control of its own"
                            .to_owned(),
                    ),
                }
            }
        }
    }

    /// The tie-breaks, if all of them are FIDE's. A coin toss has no code.
    fn write_tie_breaks(&mut self) {
        let order = self.section.terms.tie_breaks.iter().filter(|it| **it != TieBreak::CoinToss);
        let codes: Option<Vec<&str>> = order.map(|it| it.fide_code()).collect();
        match codes {
            Some(codes) if codes.is_empty() => {}
            Some(codes) => {
                let codes = codes.join(",");
                self.line("202", &codes);
                self.line("212", &format!("PTS,{codes}"));
            }
            None => self.remarks.push(
                "records 202 and 212 are missing: the section's tie-breaks are not all FIDE's"
                    .to_owned(),
            ),
        }
    }

    fn write_players(&mut self, section: &str) -> Result<(), Refusal> {
        let written = self.rounds_written();
        let standings = self.event.standings(section, Some(written), Names::Shown)?;
        let odd = self.odd_byes(written);
        let mut numbers: Vec<EntrantNumber> = self.section.entrants.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let row = standings.rows.iter().find(|row| row.number == number);
            let (Some(row), Some(entrant)) = (row, self.section.entrants.get(&number)) else {
                continue;
            };
            let (id, rating) = listing(self.event, entrant.entry);
            if row.name.chars().count() > NAME_COLUMNS {
                self.remarks.push(format!(
                    "the name of number {number} is cut to {NAME_COLUMNS} characters"
                ));
            }
            let name: String = row.name.chars().take(NAME_COLUMNS).collect();
            let rating = rating.map_or_else(String::new, |it| it.to_string());
            let mut line = format!(
                "{number:>4}      {name:<33} {rating:>4}     {id:>11}            {points:>4} {rank:>4}",
                id = id.unwrap_or_default(),
                points = points(row.score),
                rank = row.rank,
            );
            let of_player = self.results.of(number).unwrap_or_default();
            for (round, result) in (1..=written).zip(of_player) {
                line.push_str(&cell(result, odd.contains(&(number, round))));
            }
            if self.version == TrfVersion::Trf16 {
                for round in written + 1..=self.section.terms.rounds {
                    line.push_str(&match self.section.byes.get(&(number, round)) {
                        Some(&bye) => format!("  0000 - {}", bye_letter(bye)),
                        None => " ".repeat(10),
                    });
                }
            }
            self.line("001", &line);
        }
        Ok(())
    }

    /// The last round that is open: in a later round no entrant is absent yet.
    fn rounds_written(&self) -> u8 {
        self.section.opened
    }

    /// The odd entrants' byes: a full-point bye that is the only one of its round.
    fn odd_byes(&self, written: u8) -> Vec<(EntrantNumber, u8)> {
        let mut odd = Vec::new();
        for round in 1..=written {
            let full = |(key, bye): (&(EntrantNumber, u8), &ByeKind)| {
                (key.1 == round && *bye == ByeKind::FullPoint).then_some(*key)
            };
            let byes: Vec<_> = self.section.byes.iter().filter_map(full).collect();
            if let [bye] = byes[..] {
                odd.push(bye);
            }
        }
        odd
    }

    /// Byes of rounds to come, a line for each kind and round.
    fn write_byes(&mut self) {
        if self.version == TrfVersion::Trf16 {
            return;
        }
        let opened = self.section.opened;
        for round in opened + 1..=self.section.terms.rounds {
            for kind in [ByeKind::FullPoint, ByeKind::HalfPoint, ByeKind::ZeroPoint] {
                let of_kind = |(key, bye): (&(EntrantNumber, u8), &ByeKind)| {
                    (key.1 == round && *bye == kind).then(|| format!(" {:>4}", key.0.0))
                };
                let numbers: Vec<String> = self.section.byes.iter().filter_map(of_kind).collect();
                if !numbers.is_empty() {
                    let letter = bye_letter(kind);
                    self.line("240", &format!("{letter} {round:>3}{}", numbers.concat()));
                }
            }
        }
    }
}

/// The id and rating of an entrant.
fn listing(event: &Event, entry: Entry) -> (Option<&str>, Option<u16>) {
    let Entry::Player(player) = entry else { return (None, None) };
    let known = event.players().get(&player);
    (known.and_then(|it| it.id.as_deref()), known.and_then(|it| it.rating))
}

/// The ten columns of a round.
fn cell(result: &RoundResult, is_odd: bool) -> String {
    let letter = match result.kind {
        ResultKind::Win => '1',
        ResultKind::Draw => '=',
        ResultKind::Loss => '0',
        ResultKind::ForfeitWin => '+',
        ResultKind::ForfeitLoss | ResultKind::ForfeitDraw => '-',
        ResultKind::FullPointBye if is_odd => 'U',
        ResultKind::FullPointBye => 'F',
        ResultKind::HalfPointBye => 'H',
        ResultKind::ZeroPointBye | ResultKind::Unplayed | ResultKind::Withdrawn => 'Z',
        ResultKind::Pending => ' ',
    };
    let opponent = result.opponent.map_or(0, |opponent| opponent.0);
    let color = match (result.opponent, result.had_white) {
        (Some(_), Some(true)) => 'w',
        (Some(_), Some(false)) => 'b',
        _ => '-',
    };
    format!("  {opponent:04} {color} {letter}")
}

const fn bye_letter(kind: ByeKind) -> char {
    match kind {
        ByeKind::FullPoint => 'F',
        ByeKind::HalfPoint => 'H',
        ByeKind::ZeroPoint => 'Z',
    }
}

fn points(score: Score) -> String {
    let halves = score.half_points();
    format!("{}.{}", halves / 2, halves % 2 * 5)
}

/// A time control as record 222 has it; none for one with a delay, which it cannot express.
fn encoded(time: &TimeControl) -> Option<String> {
    if time.delay_s() > 0 {
        return None;
    }
    let increment = match time.increment_s() {
        0 => String::new(),
        increment => format!("+{increment}"),
    };
    let period = |period: &Period| match period.moves {
        Some(moves) => format!("{moves}/{}{increment}", period.base_s),
        None => format!("{}{increment}", period.base_s),
    };
    Some(time.periods().iter().map(period).collect::<Vec<_>>().join(":"))
}
