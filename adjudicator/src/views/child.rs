//! A family's view of its child: seat, game, results, next pairing. No other person is named: partner and opponents are
//! their teams or numbers.

use event::{Announcement, Consent, Entry, Event, Names, Pairing, PairingId, PlayerId};
use rules::{
    BoardId, Color, Seat,
    standings::{EntrantNumber, Side},
};
use serde::Serialize;

use super::{EndsView, NoticesView, read_view::Sight, side_name};
use crate::hall::Hall;

/// A child's day.
#[derive(Clone, Debug, Serialize)]
pub struct ChildView {
    /// The server's time, Unix milliseconds.
    pub now_ms: u64,
    /// Name of the event.
    pub event: String,
    /// The child's name here: its first name, or its number if the family prefers that.
    pub name: String,
    /// The section; none while the child is in none.
    pub section: Option<String>,
    /// The pairing number.
    pub number: Option<EntrantNumber>,
    /// The team, where teams play.
    pub team: Option<String>,
    /// Points so far, and whether some of them have yet to be confirmed.
    pub points: Option<f64>,
    /// Whether results are to be confirmed.
    pub is_provisional: bool,
    /// The rounds, the latest last.
    pub rounds: Vec<ChildRound>,
    /// Announcements to everybody and to the section.
    pub announcements: Vec<Announcement>,
    /// Beginning of the next round, Unix milliseconds.
    pub starts_ms: Option<u64>,
    /// Messages about the pairings, where the organiser has a server for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<ChildMessages>,
}

/// Messages about a child's pairings.
#[derive(Clone, Debug, Serialize)]
pub struct ChildMessages {
    /// The address of the child's topic.
    pub address: String,
    /// Whether the family has asked for them.
    pub is_on: bool,
}

/// A round of a child.
#[derive(Clone, Debug, Serialize)]
pub struct ChildRound {
    /// The round.
    pub round: u8,
    /// `paired`, `playing`, `over` or `bye`.
    pub state: &'static str,
    /// The table.
    pub table: Option<String>,
    /// The board, where it is known.
    pub board: Option<BoardId>,
    /// The colour, where it is known.
    pub color: Option<&'static str>,
    /// Whether board and colour are as the list of pairings has them, and the children may sit otherwise.
    pub as_paired: bool,
    /// The opponent: a team, or a number.
    pub against: Option<String>,
    /// Score from the child's view: `1-0`.
    pub result: Option<String>,
    /// Whether a director has confirmed it.
    pub confirmed: bool,
    /// The child's clock at its last reading, milliseconds, and whether it runs.
    pub clock: Option<ChildClock>,
    /// End of the match.
    pub ends: Option<EndsView>,
}

/// A child's clock.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ChildClock {
    /// Remaining time, milliseconds.
    pub left_ms: i64,
    /// Whether it runs.
    pub runs: bool,
    /// Time of the reading, Unix milliseconds of the server.
    pub read_at_ms: u64,
}

impl ChildView {
    /// The view of a child; none where it is no longer a player.
    pub(crate) fn of(
        floor: &Hall,
        sight: &Sight,
        player: PlayerId,
        notices: NoticesView,
    ) -> Option<ChildView> {
        let by_number = floor.event().consent(player) == Some(Consent::Number);
        let first = floor.event().first_name(player)?;
        let event = floor.event();
        let place = event.place_of_player(player);
        let (section, number) = match place {
            Some((section, number)) => (Some(section.to_owned()), Some(number)),
            None => (None, None),
        };
        let hall = section.as_deref().and_then(|section| sight.of_section(section));
        let of = |hall: &Hall| {
            let (section, number) = (section.as_deref()?, number?);
            let standings = hall.event().standings(section, None, Names::Hidden).ok()?;
            let row = standings.rows.iter().find(|row| row.number == number)?;
            Some((f64::from(row.score.half_points()) / 2.0, row.provisional))
        };
        let points = hall.and_then(of);
        let of_section = notices.rounds.iter().find(|it| Some(&it.section) == section.as_ref());
        let rounds = hall.map(|hall| rounds(hall, player, section.as_deref(), number, of_section));
        let announcements = notices.announcements.into_iter();
        Some(ChildView {
            now_ms: notices.now_ms,
            event: event.name().to_owned(),
            name: match (by_number, number) {
                (true, Some(number)) => format!("No. {number}"),
                (true, None) => "Your child".to_owned(),
                (false, _) => first,
            },
            team: team_name(event, section.as_deref(), number),
            points: points.map(|(points, _)| points),
            is_provisional: points.is_some_and(|(_, provisional)| provisional),
            rounds: rounds.unwrap_or_default(),
            announcements: announcements
                .filter(|it| it.section.is_none() || it.section == section)
                .collect(),
            starts_ms: of_section.and_then(|it| it.starts_ms),
            section,
            number,
            messages: None,
        })
    }
}

fn team_name(
    event: &Event,
    section: Option<&str>,
    number: Option<EntrantNumber>,
) -> Option<String> {
    let known = event.section(section?).ok()?;
    match known.entrants.get(&number?)?.entry {
        Entry::Team(team) => event.teams().get(&team).map(|team| team.name.clone()),
        Entry::Player(_) => None,
    }
}

fn rounds(
    hall: &Hall,
    player: PlayerId,
    section: Option<&str>,
    number: Option<EntrantNumber>,
    times: Option<&super::RoundTimes>,
) -> Vec<ChildRound> {
    let (Some(section), Some(number)) = (section, number) else { return Vec::new() };
    let Ok(known) = hall.event().section(section) else { return Vec::new() };
    let one = |round: u8| {
        let mut pairings = hall.event().round(section, round);
        match pairings.find(|(_, pairing)| pairing.numbers().any(|it| it == number)) {
            Some((id, pairing)) => Some(ChildRound::of(hall, player, number, (id, pairing), times)),
            None => known.byes.get(&(number, round)).map(|_| ChildRound {
                round,
                state: "bye",
                table: None,
                board: None,
                color: None,
                as_paired: false,
                against: None,
                result: None,
                confirmed: false,
                clock: None,
                ends: None,
            }),
        }
    };
    (1..=known.opened).filter_map(one).collect()
}

impl ChildRound {
    fn of(
        hall: &Hall,
        player: PlayerId,
        number: EntrantNumber,
        (id, pairing): (PairingId, &Pairing),
        times: Option<&super::RoundTimes>,
    ) -> ChildRound {
        let own = if pairing.sides[0].contains(&number) { Side::First } else { Side::Second };
        let sides = hall.sides_of(id, Names::Hidden);
        let seats = hall.event().seats(id);
        let seat = Seat::ALL.into_iter().find(|seat| seats.get(seat.index()) == Some(&player));
        let outcomes: Vec<_> = match own {
            Side::First => pairing.outcomes.clone(),
            Side::Second => pairing.outcomes.iter().map(|it| it.swapped()).collect(),
        };
        let games = hall.games_of_pairing(id);
        let game = games.max_by_key(|game| game.opened_input).filter(|_| pairing.running);
        let clock = game.zip(seat).and_then(|(game, seat)| {
            let (reading, read_at_ms) = game.clock(seat.board)?;
            let left_ms = match seat.color {
                Color::White => reading.white_ms,
                Color::Black => reading.black_ms,
            };
            let runs = reading.running == Some(seat.color);
            let read_at_ms = hall.shown_ms(read_at_ms);
            Some(ChildClock { left_ms: left_ms.max(0), runs, read_at_ms })
        });
        let ends = times.filter(|it| it.round == pairing.round).and_then(|it| {
            it.tables.iter().find(|table| table.table == pairing.table).map(|table| table.ends)
        });
        ChildRound {
            round: pairing.round,
            state: match (pairing.running, outcomes.is_empty()) {
                (true, _) => "playing",
                (false, true) => "paired",
                (false, false) => "over",
            },
            table: Some(pairing.table.clone()),
            board: seat.map(|seat| seat.board),
            color: seat.map(|seat| side_name(seat.color)),
            as_paired: pairing.seats.is_empty(),
            against: Some(sides[usize::from(own == Side::First)].clone()),
            result: (!outcomes.is_empty()).then(|| event::import::outcomes_to_text(&outcomes)),
            confirmed: pairing.confirmed,
            clock,
            ends,
        }
    }
}
