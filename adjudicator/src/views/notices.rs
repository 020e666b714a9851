//! Public notices of a round: its beginning, its end, and announcements.

use event::{EndForecast, MatchTime, PairingId, TimeUse, forecast};
use referee::Phase;
use rules::BoardId;
use serde::Serialize;

use super::read_view::Sight;
use crate::hall::{Game, Hall, natural_order};

/// Announcements, and the round of each section.
#[derive(Clone, Debug, Serialize)]
pub struct NoticesView {
    /// The server's time, Unix milliseconds.
    pub now_ms: u64,
    /// Announcements, oldest first.
    pub announcements: Vec<event::Announcement>,
    /// The round that each section has opened last; before the first, the one of which a beginning is known.
    pub rounds: Vec<RoundTimes>,
}

/// The times of a round.
#[derive(Clone, Debug, Serialize)]
pub struct RoundTimes {
    /// The section.
    pub section: String,
    /// The round.
    pub round: u8,
    /// Beginning of the round, or of the next one once it has begun, Unix milliseconds, if an organiser set it.
    pub starts_ms: Option<u64>,
    /// The round that begins then.
    pub starts_round: Option<u8>,
    /// End of the round.
    pub ends: EndsView,
    /// Its tables that have neither a result nor a connected clock.
    pub without_clock: Vec<String>,
    /// Its tables that have not begun.
    pub to_begin: Vec<String>,
    /// Number of its pairings that have a result or are over.
    pub over: usize,
    /// Number of its pairings.
    pub pairings: usize,
    /// The same of each of its tables that has not ended.
    pub tables: Vec<TableTimes>,
}

/// End of a table's match.
#[derive(Clone, Debug, Serialize)]
pub struct TableTimes {
    /// The table.
    pub table: String,
    /// The end.
    pub ends: EndsView,
}

/// Forecast of an end, Unix milliseconds of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EndsView {
    /// The latest moment that the clocks allow; none where they give none.
    pub latest_ms: Option<u64>,
    /// The likely moment.
    pub likely_ms: Option<u64>,
    /// Interval that holds the end nine times in ten.
    pub range_ms: Option<[u64; 2]>,
}

/// Rate of match time.
#[derive(Clone, Copy)]
struct Pace {
    /// Time of the shown state, Unix milliseconds.
    shown_ms: u64,
    rate: f64,
}

impl Pace {
    /// A moment so long after now, in match time, which `rate` may hurry.
    fn at(self, in_ms: u64) -> u64 {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "some hours"
        )]
        let real_ms = (in_ms as f64 / self.rate).max(0.0) as u64;
        self.shown_ms.saturating_add(real_ms)
    }

    /// Match time that has passed since a moment.
    fn since(self, at_ms: u64) -> u64 {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "some hours"
        )]
        let passed_ms = (self.shown_ms.saturating_sub(at_ms) as f64 * self.rate).max(0.0) as u64;
        passed_ms
    }

    fn ends(self, of: EndForecast) -> EndsView {
        EndsView {
            latest_ms: of.latest_ms.map(|it| self.at(it)),
            likely_ms: of.likely_ms.map(|it| self.at(it)),
            range_ms: of.range_ms.map(|range| range.map(|it| self.at(it))),
        }
    }
}

impl NoticesView {
    /// An audience's view of the rounds; announcements and beginnings come from an organiser and have no delay.
    #[must_use]
    pub fn of(floor: &Hall, sight: &Sight, now_ms: u64, rate: f64) -> NoticesView {
        let names = floor.event().sections().iter();
        let rounds = names.filter_map(|(section, known)| {
            let hall = sight.of_section(section)?;
            let opened = hall.event().section(section).map_or(0, |shown| shown.opened);
            let has_begun = hall
                .event()
                .round(section, opened)
                .any(|(_, it)| it.running || !it.outcomes.is_empty());
            // Until the open round has begun, its own beginning is what counts; then the next one's.
            let first = if has_begun { opened + 1 } else { opened };
            let starts = known.starts.range(first..).next().map(|(round, at_ms)| (*round, *at_ms));
            (opened > 0 || starts.is_some())
                .then(|| RoundTimes::of(hall, (section, opened.max(1)), starts, now_ms, rate))
        });
        let rounds = rounds.collect();
        NoticesView { now_ms, announcements: floor.event().announcements().to_vec(), rounds }
    }
}

impl RoundTimes {
    fn of(
        hall: &Hall,
        (section, round): (&str, u8),
        starts: Option<(u8, u64)>,
        now_ms: u64,
        rate: f64,
    ) -> RoundTimes {
        let delay_ms = u64::try_from(hall.delay().as_millis()).unwrap_or(u64::MAX);
        let pace = Pace { shown_ms: now_ms.saturating_sub(delay_ms), rate };
        let time_use = time_use(hall, section);
        let mut known: Vec<(String, MatchTime)> = hall
            .event()
            .round(section, round)
            .map(|(id, pairing)| (pairing.table.clone(), match_time(hall, id, pace)))
            .collect();
        known.sort_by(|one, other| natural_order::compare(&one.0, &other.0));
        let pairings = known.len();
        let of = |is: fn(&MatchTime) -> bool| -> Vec<String> {
            known.iter().filter(|(_, it)| is(it)).map(|(table, _)| table.clone()).collect()
        };
        let without_clock = of(|it| *it == MatchTime::Unknown);
        let to_begin = of(|it| matches!(it, MatchTime::ToBegin { .. }));
        let over = of(|it| *it == MatchTime::Over).len();
        known.retain(|(_, it)| !matches!(it, MatchTime::Over | MatchTime::Unknown));
        let all: Vec<MatchTime> = known.iter().map(|(_, it)| it.clone()).collect();
        let mut ends = match all.is_empty() {
            true => EndsView::default(),
            false => pace.ends(forecast(&time_use, &all)),
        };
        if !without_clock.is_empty() {
            ends.latest_ms = None;
        }
        let each = |(table, it): (String, MatchTime)| TableTimes {
            table,
            ends: pace.ends(forecast(&time_use, &[it])),
        };
        let tables = known.into_iter().map(each).collect();
        let section = section.to_owned();
        RoundTimes {
            section,
            round,
            starts_ms: starts.map(|(_, at_ms)| at_ms),
            starts_round: starts.map(|(round, _)| round),
            ends,
            without_clock,
            to_begin,
            over,
            pairings,
            tables,
        }
    }
}

/// Part of their time that the ended matches of a section used.
fn time_use(hall: &Hall, section: &str) -> TimeUse {
    let mut time_use = TimeUse::default();
    let pairings = hall.event().pairings();
    let of_section = |game: &&Game| {
        let pairing = game.pairing.and_then(|id| pairings.get(&id));
        pairing.is_some_and(|pairing| pairing.section == section) && game.referee().is_over()
    };
    for game in hall.games().into_iter().filter(of_section) {
        if let Some(left_ms) = least_left_ms(game, |_| 0) {
            time_use.learn(board_ms(game), left_ms);
        }
    }
    time_use
}

fn board_ms(game: &Game) -> u64 {
    game.time.start_ms().saturating_mul(2)
}

/// Remaining time of both players of a board, the least of the boards; `passed_ms`: time that ran since a board was read.
fn least_left_ms(game: &Game, passed_ms: impl Fn(u64) -> u64) -> Option<u64> {
    let boards = [BoardId::A, BoardId::B].into_iter().filter_map(|board| game.clock(board));
    let left = boards.map(|(reading, read_at_ms)| {
        let both = reading.white_ms.max(0).saturating_add(reading.black_ms.max(0));
        let ran_ms = if reading.running.is_some() { passed_ms(read_at_ms) } else { 0 };
        u64::try_from(both).unwrap_or(0).saturating_sub(ran_ms)
    });
    left.min()
}

/// Time of a pairing's match.
fn match_time(hall: &Hall, id: PairingId, pace: Pace) -> MatchTime {
    let Some(pairing) = hall.event().pairings().get(&id) else { return MatchTime::Over };
    if !pairing.outcomes.is_empty() && !pairing.running {
        return MatchTime::Over;
    }
    let games = hall.games_of_pairing(id);
    let Some(game) = games.max_by_key(|game| game.opened_input) else { return MatchTime::Unknown };
    let has_additions = game.time.increment_s() > 0 || game.time.delay_s() > 0;
    let board_ms = board_ms(game);
    match game.referee().phase() {
        _ if game.referee().is_over() => MatchTime::Over,
        Phase::Ended => MatchTime::Over,
        Phase::SetUp | Phase::Ready => MatchTime::ToBegin { board_ms, has_additions },
        phase @ (Phase::Playing | Phase::Paused) => {
            match least_left_ms(game, |read_at_ms| pace.since(read_at_ms)) {
                None => MatchTime::Unknown,
                Some(left_ms) => MatchTime::Running {
                    board_ms,
                    left_ms,
                    has_additions,
                    is_stopped: phase == Phase::Paused,
                },
            }
        }
    }
}
