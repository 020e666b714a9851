//! One table as everybody may see it.

use referee::{Phase, Proposal, Referee, ResultReason};
use rules::{
    BoardId, Color, Game, Match, Seat, Team, TimeControl,
    standings::{Outcome, Side},
};
use serde::Serialize;

use super::{PerBoard, ReservesView, Uncertain, doubt, placement, side_name};
use crate::hall::{self, Hall, People, Table};

/// A board's clock at its last reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClockView {
    /// White's remaining time.
    pub white_ms: i64,
    /// Black's remaining time.
    pub black_ms: i64,
    /// Side whose time runs.
    pub running: Option<&'static str>,
    /// Time of the reading, Unix milliseconds of the server.
    pub read_at_ms: u64,
    /// Remaining delay at that time, milliseconds of match time.
    pub delay_left_ms: u64,
}

/// Present state of one board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardView {
    /// Piece placement; promoted pieces carry `~`.
    pub fen: String,
    /// Side to move.
    pub turn: &'static str,
    /// The last ply in UCI.
    pub last: Option<String>,
    /// `normal`, `check`, `blockable-check`, `mate`, `stalemate`, `flag`.
    pub state: String,
    /// Pieces whose type is not sure.
    pub uncertain: Vec<Uncertain>,
    /// Reserve of this board; none in chess, and where the other board has no sensors.
    pub reserves: Option<ReservesView>,
    /// The clock, once it has been read.
    pub clock: Option<ClockView>,
}

/// Result by the evidence. Never a ruling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultView {
    /// 1 or 2; 0 for a draw.
    pub winner: u8,
    /// The side of the pairing list that won: 0 for the first, 1 for the second. None for a draw and without a pairing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<u8>,
    /// The board that decided, if one did.
    pub board: Option<BoardId>,
    /// `mate`, `king-captured`, `flag`, `both-flags`.
    pub reason: &'static str,
    /// The evidence or the decision, in words.
    pub text: String,
    /// Whether both teams have signed it, or a director has ruled or confirmed it.
    pub confirmed: bool,
    /// Source of the result: `teams` or `director`.
    pub confirmed_by: Option<hall::ConfirmedBy>,
}

/// The four players' names, for events that opted in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayersView {
    /// White's name.
    pub white: Option<String>,
    /// Black's name.
    pub black: Option<String>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableView {
    /// Its name.
    pub table: String,
    /// Its name for people.
    pub label: String,
    /// Its section.
    pub section: Option<String>,
    /// The round that is played there, where the organiser said who plays whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u8>,
    /// The two sides in the order of the pairing list; `teams` has them once it is known which is which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<[String; 2]>,
    /// Game of the table; before the first match, the configured one.
    pub game: Game,
    /// Id of the rulebook its match is judged by.
    pub rulebook: Option<&'static str>,
    /// The time of each player, in the form of a trace's header.
    pub time: Option<TimeControl>,
    /// Labels of team 1 and team 2; none in chess.
    pub teams: Option<[String; 2]>,
    /// Names, only where the organiser opted in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<PerBoard<PlayersView>>,
    /// All players of the table, without their seats, only where the organiser opted in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Its match.
    #[serde(rename = "match")]
    pub match_id: Option<String>,
    /// `waiting`, `set-up`, `ready`, `playing`, `paused`, `ended`, or `not-followed`: play that no match follows.
    pub state: &'static str,
    /// `live` or `lost`.
    pub sensors: &'static str,
    /// Time of the loss, Unix milliseconds.
    pub stale_since_ms: Option<u64>,
    /// The boards that have sensors.
    pub boards: PerBoard<Option<BoardView>>,
    /// Plies of both boards.
    pub ply_count: usize,
    /// Result by the evidence.
    pub result: Option<ResultView>,
    /// Seconds by which all this lags behind the boards.
    pub delay_s: u64,
    /// Whether a person chose it for the stream.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub on_stream: bool,
}

impl TableView {
    /// A table with its current match.
    pub fn of(hall: &Hall, table: &Table) -> TableView {
        let game = table.match_id.as_deref().and_then(|id| hall.game(id));
        TableView::new(hall, &table.name, Some(table), game)
    }

    /// State of a table.
    pub(crate) fn state_of(hall: &Hall, table: &Table) -> &'static str {
        state_name(Some(table), table.match_id.as_deref().and_then(|id| hall.game(id)))
    }

    /// A match's table, showing that match, also when another is played there by now.
    pub fn of_game(hall: &Hall, game: &hall::Game) -> TableView {
        let table = hall.tables().named(&game.table);
        TableView::new(hall, &game.table, table, Some(game))
    }

    fn new(
        hall: &Hall,
        name: &str,
        table: Option<&Table>,
        of_match: Option<&hall::Game>,
    ) -> TableView {
        let game = of_match
            .map(|of_match| of_match.game)
            .or_else(|| hall.judging().expected_game(name))
            .unwrap_or_default();
        let is_live = table.is_some_and(Table::is_live);
        let disclosure = hall.disclosure();
        let people = hall.people(name, of_match, disclosure.names());
        let player = |seat: Seat| people.players[seat.index()].clone();
        let players = PerBoard::of(|board| PlayersView {
            white: player(Seat { board, color: Color::White }),
            black: player(Seat { board, color: Color::Black }),
        });
        let is_named = [&players.A, &players.B]
            .iter()
            .any(|board| board.white.is_some() || board.black.is_some());
        TableView {
            table: name.to_owned(),
            label: disclosure.label(name),
            section: people.section.clone(),
            round: people.round,
            sides: people.sides.clone(),
            game,
            rulebook: of_match.map(|of_match| of_match.rulebook.name()),
            time: of_match.map(|of_match| of_match.time.clone()),
            teams: (game == Game::Bughouse).then(|| people.team_labels()),
            players: is_named.then_some(players),
            members: people.members.clone(),
            match_id: of_match.map(|of_match| of_match.id.clone()),
            state: state_name(table, of_match),
            sensors: if is_live { "live" } else { "lost" },
            stale_since_ms: table.and_then(Table::stale_since_ms).map(|at_ms| hall.shown_ms(at_ms)),
            boards: PerBoard::of(|board| match of_match {
                Some(of_match) => of_match.has(board).then(|| BoardView::of(hall, of_match, board)),
                None => (board.index() < game.boards()).then(|| BoardView::empty(game, board)),
            }),
            ply_count: of_match.map_or(0, |of_match| of_match.referee().timeline().plies().len()),
            result: of_match
                .and_then(|of_match| ResultView::of(of_match, &people))
                .or_else(|| ResultView::from_paper(hall, name, of_match)),
            delay_s: hall.delay().as_secs(),
            on_stream: hall.on_stream() == Some(name),
        }
    }
}

/// State of a table, of which this match is shown.
fn state_name(table: Option<&Table>, of_match: Option<&hall::Game>) -> &'static str {
    let is_followed = of_match.is_some_and(|of_match| {
        let phase = of_match.referee().phase();
        matches!(phase, Phase::Playing | Phase::Paused)
            || table.is_some_and(|table| table.match_id.as_ref() != Some(&of_match.id))
    });
    if !is_followed && table.is_some_and(|table| table.not_followed().is_some()) {
        return "not-followed";
    }
    of_match.map_or("waiting", |of_match| of_match.referee().phase().name())
}

/// `Team 1 wins …` with the team's name.
pub(super) fn named(text: String, people: &People) -> String {
    let Some(teams) = &people.teams else { return text };
    let numbered = ["Team 1 ", "Team 2 "].into_iter().zip(teams);
    let mut named = numbered
        .filter_map(|(number, name)| Some(format!("{name} {}", text.strip_prefix(number)?)));
    named.next().unwrap_or(text)
}

impl BoardView {
    /// A board before any match.
    fn empty(game: Game, board: BoardId) -> BoardView {
        let start = Match::initial().with_supply(game.supply());
        BoardView {
            fen: placement(&start, board),
            turn: side_name(Color::White),
            last: None,
            state: "normal".to_owned(),
            uncertain: Vec::new(),
            reserves: ReservesView::of(&start, board),
            clock: None,
        }
    }

    fn of(hall: &Hall, game: &hall::Game, board: BoardId) -> BoardView {
        let referee = game.referee();
        let now = referee.timeline().now();
        let plies = referee.timeline().plies();
        let last = plies.iter().rev().find(|ply| ply.report.board == board);
        let clock = game.clock(board).map(|(reading, read_at_ms)| ClockView {
            white_ms: reading.white_ms.max(0),
            black_ms: reading.black_ms.max(0),
            running: reading.running.map(side_name),
            read_at_ms: hall.shown_ms(read_at_ms),
            delay_left_ms: game.delay_left_ms(&reading),
        });
        BoardView {
            fen: placement(&now.boards, board),
            turn: side_name(now.boards.position(board).turn()),
            last: last.map(|ply| ply.report.ply.to_string()),
            state: state(referee, board),
            uncertain: doubt::on_board(referee.timeline(), now, board),
            reserves: ReservesView::of(&now.boards, board),
            clock,
        }
    }
}

/// A fallen flag is shown only when a result rests on it: before that players must see it themselves.
fn state(referee: &Referee, board: BoardId) -> String {
    let by_flag = |proposal: &&Proposal| {
        proposal.board == board
            && matches!(proposal.reason, ResultReason::Flag | ResultReason::BothFlags)
    };
    match referee.proposal().filter(|proposal| proposal.settled).filter(by_flag) {
        Some(_) => "flag".to_owned(),
        None => referee.state(board).to_string(),
    }
}

impl ResultView {
    /// Result from paper of the pairing that a table shows.
    fn from_paper(hall: &Hall, table: &str, of_match: Option<&hall::Game>) -> Option<ResultView> {
        let id = hall.pairing_shown(table, of_match)?;
        let pairing = hall.event().pairings().get(&id)?;
        let by = match pairing.result_source()? {
            event::ResultSource::Paper => "by the paper",
            event::ResultSource::Sides => "as reported from the table",
            event::ResultSource::Matches => return None,
        };
        let outcome = pairing.outcomes.last()?;
        let first_is_one = hall.event().first_side_is_team_one(id).unwrap_or(true);
        let sides = hall.sides_of(id, hall.disclosure().names());
        let won = |side: Side| &sides[usize::from(side == Side::Second)];
        let winner = outcome.winner();
        let says = match *outcome {
            Outcome::Win(side) => format!("{}: won, {by}", won(side)),
            Outcome::ForfeitWin(side) => format!("{}: won by forfeit", won(side)),
            Outcome::Draw => format!("Drawn, {by}"),
            Outcome::DoubleForfeit => "Both lose by forfeit".to_owned(),
            Outcome::BothLose => format!("Both lose, {by}"),
            Outcome::HalfAndNone(side) => {
                format!("Half a point for {} and none for the other, {by}", won(side))
            }
        };
        let half = match *outcome {
            Outcome::HalfAndNone(side) => Some(side),
            _ => None,
        };
        let confirmed = pairing.confirmed;
        Some(ResultView {
            winner: winner.map_or(0, |side| match (side == Side::First) == first_is_one {
                true => 1,
                false => 2,
            }),
            side: half.or(winner).map(|side| u8::from(side == Side::Second)),
            board: None,
            reason: match outcome {
                Outcome::ForfeitWin(_) | Outcome::DoubleForfeit => "forfeit",
                Outcome::BothLose => "both-lose",
                Outcome::HalfAndNone(_) => "half-and-none",
                _ => "paper",
            },
            text: format!("{says}{}", if confirmed { "" } else { "; not confirmed" }),
            confirmed,
            confirmed_by: confirmed.then_some(hall::ConfirmedBy::Director),
        })
    }

    /// Public words about a match's result, with the teams by name where they have one.
    pub fn of(game: &hall::Game, people: &People) -> Option<ResultView> {
        let ending = game.ending()?;
        Some(ResultView {
            winner: match ending.winner {
                Some(Team::One) => 1,
                Some(Team::Two) => 2,
                None => 0,
            },
            side: ending
                .winner
                .zip(people.first_is_one)
                .map(|(winner, first_is_one)| u8::from((winner == Team::One) != first_is_one)),
            board: ending.board,
            reason: ending.reason.name(),
            text: named(ending.text, people),
            confirmed: ending.confirmed_by.is_some(),
            confirmed_by: ending.confirmed_by,
        })
    }
}
