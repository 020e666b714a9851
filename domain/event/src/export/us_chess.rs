//! US Chess's rating report: three tables, `THEXPORT` (the event), `TSEXPORT` (its sections) and `TDEXPORT` (the players
//! with their rounds), in the format that it calls 2C.
//!
//! A round has seven characters: the result's letter, the opponent's number in four, the colour. `W L D` were played, `X F`
//! forfeited, `Z` by both; `B H U` are byes of a point, half a point and none. Numbers stand at the right of their
//! columns.

use rules::standings::{EntrantNumber, ResultKind, RoundResult};

use super::{
    Export,
    dbf::{self, DbfColumn, Kind},
};
use crate::{
    Entry, Event, Names, Refusal,
    RefusalKind::{Contradicts, OutOfBounds},
    SectionKind,
};

/// The most rounds that the table has columns for: two digits.
const ROUNDS_MAX: u8 = 99;
/// The widest number of a player, section and id.
const NUMBER_MAX: u32 = 9_999;
const ID_DIGITS: usize = 8;

/// A report's data about the event that the event does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportHeader {
    /// The first and the last day, as `20261121`.
    pub days: [String; 2],
    /// The id of the affiliate.
    pub affiliate: String,
    /// The id of the chief director, and of the assistant.
    pub chief_director: String,
    /// The assistant's id.
    pub assistant_director: Option<String>,
    /// City, state and ZIP code.
    pub city: String,
    /// The state's two letters.
    pub state: String,
    /// The ZIP code.
    pub zip_code: String,
    /// Whether the sections are scholastic.
    pub scholastic: bool,
    /// The day on which the report is made: year, month, day.
    pub made: (u16, u8, u8),
}

/// The three tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatingReport {
    /// `THEXPORT.DBF`
    pub event: Vec<u8>,
    /// `TSEXPORT.DBF`
    pub sections: Vec<u8>,
    /// `TDEXPORT.DBF`
    pub players: Vec<u8>,
}

const EVENT_COLUMNS: &[DbfColumn<'_>] = &[
    ("H_FORMAT", Kind::Text, 5),
    ("H_PROGRAM", Kind::Text, 10),
    ("H_EVENT_ID", Kind::Text, 12),
    ("H_NAME", Kind::Text, 35),
    ("H_TOT_SECT", Kind::Text, 2),
    ("H_BEG_DATE", Kind::Day, 8),
    ("H_END_DATE", Kind::Day, 8),
    ("H_AFF_ID", Kind::Text, 8),
    ("H_CITY", Kind::Text, 21),
    ("H_STATE", Kind::Text, 2),
    ("H_ZIPCODE", Kind::Text, 10),
    ("H_COUNTRY", Kind::Text, 21),
    ("H_SENDCROS", Kind::Text, 1),
    ("H_CTD_ID", Kind::Text, 8),
    ("H_ATD_ID", Kind::Text, 8),
    ("H_OTHER_TD", Kind::Text, 255),
];

const SECTION_COLUMNS: &[DbfColumn<'_>] = &[
    ("S_EVENT_ID", Kind::Text, 12),
    ("S_SEC_NUM", Kind::Text, 2),
    ("S_SEC_NAME", Kind::Text, 30),
    ("S_R_SYSTEM", Kind::Text, 1),
    ("S_TIMECTL", Kind::Text, 40),
    ("S_CTD_ID", Kind::Text, 8),
    ("S_ATD_ID", Kind::Text, 8),
    ("S_TRN_TYPE", Kind::Text, 1),
    ("S_TOT_RNDS", Kind::Text, 2),
    ("S_LST_PAIR", Kind::Text, 4),
    ("S_BEG_DATE", Kind::Day, 8),
    ("S_END_DATE", Kind::Day, 8),
    ("S_SCH_LVL", Kind::Text, 1),
    ("S_GR_PRIX", Kind::Text, 1),
    ("S_GP_PTS", Kind::Text, 3),
    ("S_FIDE", Kind::Text, 1),
];

const PLAYER_COLUMNS: &[DbfColumn<'_>] = &[
    ("D_EVENT_ID", Kind::Text, 12),
    ("D_SEC_NUM", Kind::Text, 2),
    ("D_PAIR_NUM", Kind::Text, 4),
    ("D_MEM_ID", Kind::Text, 8),
    ("D_NAME", Kind::Text, 30),
    ("D_STATE", Kind::Text, 2),
    ("D_RATING", Kind::Text, 4),
];
const ROUND_WIDTH: u8 = 7;

impl Event {
    /// The sections of chess as US Chess's rating report. Players are named.
    ///
    /// # Errors
    ///
    /// There is no section of chess, a number is too wide for its column, or a section's time control is not
    /// known, which decides by which system it is rated.
    pub fn rating_report(&self, header: &ReportHeader) -> Result<Export<RatingReport>, Refusal> {
        let chess =
            |(_, section): &(&String, &crate::Section)| section.terms.game == SectionKind::Players;
        let names: Vec<&String> =
            self.sections.iter().filter(chess).map(|(name, _)| name).collect();
        if names.is_empty() {
            let what = "no section plays chess on one board, which alone is rated";
            return Err(Refusal::new(Contradicts, "the event", what, "open one"));
        }
        if names.len() > 99 {
            return Err(too_wide("the event", format!("{} sections", names.len())));
        }
        let mut remarks = missing(header);
        let (mut sections, mut players) = (Vec::new(), Vec::new());
        let rounds = names.iter().filter_map(|name| self.sections.get(*name)).map(|it| it.opened);
        let rounds = rounds.max().unwrap_or(0).clamp(1, ROUNDS_MAX);
        for (number, name) in (1..).zip(&names) {
            sections.push(self.section_line(number, name, header)?);
            self.player_lines(number, name, rounds, header, &mut players, &mut remarks)?;
        }
        let event = vec![
            "2C".to_owned(),
            "Twinboard".to_owned(),
            String::new(),
            self.name.clone(),
            format!("{:>2}", names.len()),
            header.days[0].clone(),
            header.days[1].clone(),
            header.affiliate.clone(),
            header.city.clone(),
            header.state.clone(),
            header.zip_code.clone(),
            "USA".to_owned(),
            "N".to_owned(),
            header.chief_director.clone(),
            header.assistant_director.clone().unwrap_or_default(),
            String::new(),
        ];
        let columns: Vec<String> = (1..=rounds).map(|round| format!("D_RND{round:02}")).collect();
        let of_round = |name| (name, Kind::Text, ROUND_WIDTH);
        let columns: Vec<DbfColumn<'_>> = PLAYER_COLUMNS
            .iter()
            .copied()
            .chain(columns.iter().map(String::as_str).map(of_round))
            .collect();
        let file = RatingReport {
            event: dbf::table(EVENT_COLUMNS, &[event], header.made),
            sections: dbf::table(SECTION_COLUMNS, &sections, header.made),
            players: dbf::table(&columns, &players, header.made),
        };
        Ok(Export { file, remarks })
    }

    fn section_line(
        &self,
        number: u32,
        name: &str,
        header: &ReportHeader,
    ) -> Result<Vec<String>, Refusal> {
        let section = self.chess_section(name)?;
        let Some(time) = &section.terms.time else {
            let what = "its time control is not known, and decides by which system it is rated";
            let todo = "state the section's time control";
            return Err(Refusal::new(Contradicts, format!("section {name}"), what, todo));
        };
        let last = section.entrants.keys().map(|number| number.0).max().unwrap_or(0);
        if last > NUMBER_MAX {
            return Err(too_wide(&format!("section {name}"), format!("number {last}")));
        }
        let base_s: u32 = time.periods().iter().map(|period| period.base_s).sum();
        let per_move_s = time.increment_s().max(time.delay_s());
        let mode = match (time.increment_s(), time.delay_s()) {
            (0, delay_s) => format!("d{delay_s}"),
            (increment_s, _) => format!("+{increment_s}"),
        };
        let periods: Vec<String> = time
            .periods()
            .iter()
            .map(|period| match period.moves {
                Some(moves) => format!("{moves}/{}", period.base_s / 60),
                None => format!("G/{}", period.base_s / 60),
            })
            .collect();
        Ok(vec![
            String::new(),
            format!("{number:>2}"),
            name.to_owned(),
            rating_system(base_s / 60 + per_move_s).to_string(),
            format!("{};{mode}", periods.join(",")),
            header.chief_director.clone(),
            header.assistant_director.clone().unwrap_or_default(),
            "S".to_owned(),
            format!("{:>2}", section.opened.max(1)),
            format!("{last:>4}"),
            header.days[0].clone(),
            header.days[1].clone(),
            if header.scholastic { "S" } else { "N" }.to_owned(),
            "N".to_owned(),
            String::new(),
            "N".to_owned(),
        ])
    }

    fn player_lines(
        &self,
        section_number: u32,
        name: &str,
        rounds: u8,
        header: &ReportHeader,
        lines: &mut Vec<Vec<String>>,
        remarks: &mut Vec<String>,
    ) -> Result<(), Refusal> {
        let section = self.chess_section(name)?;
        let results = self.results(name, Names::Shown)?;
        for (&number, entrant) in &section.entrants {
            let Entry::Player(player) = entrant.entry else { continue };
            let known = self.players.get(&player);
            let id = known.and_then(|it| it.id.clone()).unwrap_or_default();
            let is_id = id.len() == ID_DIGITS && id.bytes().all(|it| it.is_ascii_digit());
            if !is_id {
                remarks.push(format!(
                    "section {name}, number {number}: {} is no member id of {ID_DIGITS} digits",
                    if id.is_empty() { "nothing" } else { &id }
                ));
            }
            let player_name = known.map_or("", |it| it.name.reveal());
            let rating = known.and_then(|it| it.rating);
            let mut line = vec![
                String::new(),
                format!("{section_number:>2}"),
                format!("{:>4}", number.0),
                id,
                last_first(player_name),
                header.state.clone(),
                rating.map_or_else(String::new, |it| format!("{it:>4}")),
            ];
            let row = results.of(number).unwrap_or_default();
            for round in 0..usize::from(rounds) {
                let result = row.get(round).filter(|_| round < usize::from(section.opened));
                line.push(cell(result, || {
                    remarks.push(unfinished(name, number, round + 1));
                }));
            }
            lines.push(line);
        }
        Ok(())
    }
}

/// The seven characters of a round.
fn cell(result: Option<&RoundResult>, unfinished: impl FnOnce()) -> String {
    let Some(result) = result else { return "U   0".to_owned() };
    let letter = match result.kind {
        ResultKind::Win => 'W',
        ResultKind::Draw | ResultKind::ForfeitDraw => 'D',
        ResultKind::Loss => 'L',
        ResultKind::ForfeitWin => 'X',
        ResultKind::ForfeitLoss => 'F',
        ResultKind::FullPointBye => 'B',
        ResultKind::HalfPointBye => 'H',
        ResultKind::ZeroPointBye | ResultKind::Unplayed | ResultKind::Withdrawn => 'U',
        ResultKind::Pending => {
            unfinished();
            'U'
        }
    };
    let opponent = result.opponent.filter(|_| result.kind != ResultKind::Pending);
    let color = match (opponent, result.had_white) {
        (Some(_), Some(true)) => "W",
        (Some(_), Some(false)) => "B",
        _ => "",
    };
    format!("{letter}{:>4}{color}", opponent.map_or(0, |opponent| opponent.0))
}

fn unfinished(section: &str, number: EntrantNumber, round: usize) -> String {
    format!(
        "section {section}, round {round}: the game of number {number} has no result, and is written as unplayed"
    )
}

/// A name with the family name first, as the report has them.
fn last_first(name: &str) -> String {
    if name.contains(',') {
        return name.to_owned();
    }
    match name.rsplit_once(' ') {
        Some((first, last)) => format!("{last}, {first}"),
        None => name.to_owned(),
    }
}

/// The rating system by the minutes of a game and the seconds of a move, added: blitz, quick, dual, regular.
const fn rating_system(total: u32) -> char {
    match total {
        0..=10 => 'B',
        11..=29 => 'Q',
        30..=65 => 'D',
        _ => 'R',
    }
}

fn missing(header: &ReportHeader) -> Vec<String> {
    [
        ("the affiliate's id", &header.affiliate),
        ("the chief director's id", &header.chief_director),
        ("the city", &header.city),
        ("the state", &header.state),
        ("the ZIP code", &header.zip_code),
        ("the first day", &header.days[0]),
        ("the last day", &header.days[1]),
    ]
    .into_iter()
    .filter(|(_, value)| value.is_empty())
    .map(|(what, _)| format!("{what} is missing, which US Chess needs"))
    .collect()
}

fn too_wide(place: &str, what: String) -> Refusal {
    let what = format!("{what} is more than the report has columns for");
    Refusal::new(OutOfBounds, place.to_owned(), what, "report it in parts")
}
