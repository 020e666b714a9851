//! Tournament reports for `tests/check_reports.py`: written of random events, or read, each with its standings.
//!
//! Without an argument it reads lines of `fide_standings.jsonl` and prints for each the event's reports and standings; with
//! `read` it reads reports as JSON strings, one a line, and prints the standings that they give.

use std::{
    error::Error,
    io::{self, BufRead as _, Write as _},
};

use event::{
    Author, Deed, Entry, Event, EventAct, Names, PairingId, PersonName, PlayerId, Role,
    SectionKind, SectionTerms,
    export::{TrfHeader, TrfVersion},
    import::{FileKind, Options, preview},
};
use rules::{
    rulebook::BookId,
    standings::{ByeKind, EntrantNumber, FIDE_TIE_BREAKS, Outcome, Side},
};
use serde::Deserialize;
use serde_json::{Value, json};

const SECTION: &str = "Open";

#[derive(Deserialize)]
struct Line {
    rounds: u8,
    chart: Vec<String>,
    colours: Vec<String>,
    ratings: Vec<u16>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let reads = std::env::args().nth(1).is_some_and(|argument| argument == "read");
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer =
            if reads { read(&serde_json::from_str::<String>(&line)?)? } else { write(&line)? };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn author() -> Author {
    Author { name: "floor".to_owned(), role: Role::Director }
}

fn write(line: &str) -> Result<Value, Box<dyn Error>> {
    let event = event_of(&serde_json::from_str(line)?)?;
    let header = TrfHeader {
        city: Some("Springfield".to_owned()),
        federation: Some("USA".to_owned()),
        days: Some(["2024/09/01", "2024/09/02"].map(str::to_owned)),
        chief_arbiter: None,
    };
    let report = |version| event.trf(SECTION, version, &header).map(|export| export.file);
    Ok(json!({ "trf16": report(TrfVersion::Trf16)?, "trf26": report(TrfVersion::Trf26)?,
        "standings": standings(&event, SECTION)? }))
}

fn read(text: &str) -> Result<Value, Box<dyn Error>> {
    let mut event = Event::default();
    let options = Options { rulebook: Some(BookId::NcScholastic), ..Options::new(author()) };
    let preview = preview(&event, FileKind::Trf, text.as_bytes(), &options);
    let problems: Vec<String> = preview.problems.iter().map(ToString::to_string).collect();
    preview.apply(&mut event).map_err(|error| format!("{error}: {problems:?}"))?;
    let section = event.sections().keys().next().ok_or("no section")?.clone();
    Ok(json!({ "problems": problems, "standings": standings(&event, &section)? }))
}

/// The entrants by number: rank and values of all tie-breaks of FIDE, after the last round.
fn standings(event: &Event, section: &str) -> Result<Value, Box<dyn Error>> {
    let results = event.results(section, Names::Hidden)?;
    let mut rows = results.standings(results.rounds(), FIDE_TIE_BREAKS)?.rows;
    rows.sort_by_key(|row| row.number);
    let codes: Vec<_> = FIDE_TIE_BREAKS.iter().map(|it| it.fide_code()).collect();
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| json!({ "rank": row.rank, "score": row.score, "values": row.tie_breaks }))
        .collect();
    Ok(json!({ "codes": codes, "rows": rows }))
}

fn event_of(line: &Line) -> Result<Event, Box<dyn Error>> {
    let mut event = Event::default();
    let mut act = |deed| event.handle(EventAct { number: event.next_number(), by: author(), deed });
    let section = || SECTION.to_owned();
    act(Deed::TablesListed { tables: (1..=99).map(|table: u32| table.to_string()).collect() })?;
    let terms = SectionTerms {
        tie_breaks: FIDE_TIE_BREAKS.to_vec(),
        ..SectionTerms::usual(SectionKind::Players, BookId::NcScholastic, line.rounds)
    };
    act(Deed::SectionOpened { section: section(), terms })?;
    for (id, &rating) in (1..).zip(&line.ratings) {
        let (player, number) = (PlayerId(id), EntrantNumber(id));
        let name = PersonName::from(format!("Player {id}").as_str());
        act(Deed::PlayerEntered { player, name, club: None })?;
        act(Deed::PlayerListed { player, id: None, rating: Some(rating) })?;
        let entry = Entry::Player(player);
        act(Deed::EntrantAdded { section: section(), number, entry, from_round: 1 })?;
    }
    let signs: Vec<Vec<&str>> = line.chart.iter().map(|row| row.split(' ').collect()).collect();
    let mut pairings = 0;
    for round in 1..=line.rounds {
        act(Deed::RoundOpened { section: section(), round })?;
        let at = usize::from(round) - 1;
        for (number, row) in (1..).zip(&signs) {
            let sign = row[at];
            let bye = match sign {
                "B" => Some(ByeKind::FullPoint),
                "H" => Some(ByeKind::HalfPoint),
                _ => None,
            };
            if let Some(bye) = bye {
                let number = EntrantNumber(number);
                act(Deed::ByeGiven { section: section(), number, round, bye })?;
            }
            let Ok(opponent) = sign[1..].parse::<u32>() else { continue };
            let is_white = line.colours[number as usize - 1].as_bytes()[at] == b'w';
            if !is_white {
                continue;
            }
            let other = signs[opponent as usize - 1][at];
            let outcome = match (&sign[..1], &other[..1]) {
                ("W", _) => Outcome::Win(Side::First),
                ("L", _) => Outcome::Win(Side::Second),
                ("X", _) => Outcome::ForfeitWin(Side::First),
                ("F", "X") => Outcome::ForfeitWin(Side::Second),
                ("F", _) => Outcome::DoubleForfeit,
                _ => Outcome::Draw,
            };
            pairings += 1;
            let (pairing, table) = (PairingId(pairings), number.to_string());
            let sides = [vec![EntrantNumber(number)], vec![EntrantNumber(opponent)]];
            act(Deed::PairingMade {
                pairing,
                section: section(),
                round,
                table,
                board: None,
                sides,
            })?;
            act(Deed::ResultEntered { pairing, outcomes: vec![outcome] })?;
            act(Deed::ResultConfirmed { pairing })?;
        }
    }
    Ok(event)
}
