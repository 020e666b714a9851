//! A match as directors see it: what everybody sees, and what players may still have to claim.

use event::Names;
use referee::{Alert, CaseState, ClaimCase, NOT_CONFIRMED, Proposal, StandingResult};
use rules::{
    PerMove, Seat, Team,
    rulebook::{ClaimKind, Offence},
};
use serde::Serialize;

use super::{
    BelongsView, ClaimView, ClipView, LedgerView, MatchView, OrderView, PerBoard, PhotoFinishView,
    PlayersView, ProposedOrder, PutUpView, QuestionView, ledger, orders,
    table::named,
    zero_test::{ZeroTestView, zero_tests},
};
use crate::{
    config::{Config, alerts::Treatment},
    hall::{
        Clip, Game, Hall, People,
        acts::{SeatName, TeamName},
    },
    views::{cursor::Cursor, read_view::Shown},
};

/// A match for directors.
#[derive(Clone, Debug, Serialize)]
pub struct DirectorView {
    /// Whether the finding is held back until a director has decided.
    pub evidence_hidden: bool,
    /// The public view of it.
    pub shown: MatchView,
    /// The referee's version: an act says which one it looked at.
    pub version: u64,
    /// Match time of the last reading, microseconds.
    pub now_us: u64,
    /// Whether nothing can be claimed any more.
    pub is_over: bool,
    /// Whether it is the match at its table: clocks there are no clocks of an earlier one.
    pub is_at_table: bool,
    /// Whether directors call illegal plies and flags here.
    pub td_calls: bool,
    /// The pairing that it is of.
    pub pairing: Option<u32>,
    /// The pairing of the match, and the pairings that may be chosen.
    pub belongs: BelongsView,
    /// Its confirmed result in words, which another one would replace.
    pub confirmed: Option<String>,
    /// Seats of the players, by name: directors know them.
    pub players: PerBoard<PlayersView>,
    /// Findings that stand.
    pub alerts: Vec<Alert>,
    /// Plies that the rules do not allow, as far as the sensors show.
    pub illegal: Vec<IllegalPly>,
    /// Claims that were opened.
    pub claims: Vec<ClaimView>,
    /// Possible claims.
    pub kinds: Vec<KindView>,
    /// Possible penalties.
    pub offences: Vec<OffenceView>,
    /// The result that the boards point to.
    pub proposal: Option<ProposedView>,
    /// Both teams' decisive moments, where they are close.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo_finish: Option<PhotoFinishView>,
    /// Zero tests of the two clocks before the match, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub zero_tests: Vec<ZeroTestView>,
    /// The result that people entered.
    pub result: Option<EnteredView>,
    /// Decisions, oldest first.
    pub ledger: Vec<LedgerView>,
    /// Present delay or increment of each clock.
    pub per_move: PerBoard<PerMove>,
    /// Orders, oldest first.
    pub orders: Vec<OrderView>,
    /// Changes of clocks that decisions still require.
    pub proposed_orders: Vec<ProposedOrder>,
    /// Questions to an eyewitness, the best first.
    pub questions: Vec<QuestionView>,
    /// Parts of the match whose readings are there.
    pub clips: Vec<ClipView>,
    /// Reinstated positions, oldest first.
    pub put_ups: Vec<PutUpView>,
}

/// A ply that the rules do not allow.
#[derive(Clone, Debug, Serialize)]
pub struct IllegalPly {
    /// Number of the ply.
    pub ply: u32,
    /// A code.
    pub reason: &'static str,
}

/// A possible claim.
#[derive(Clone, Debug, Serialize)]
pub struct KindView {
    /// Its code.
    pub kind: &'static str,
    /// In words.
    pub about: &'static str,
    /// The clause.
    pub rule: Option<String>,
}

/// A possible penalty.
#[derive(Clone, Debug, Serialize)]
pub struct OffenceView {
    /// Its code.
    pub offence: &'static str,
    /// In words.
    pub about: &'static str,
    /// The clause.
    pub rule: Option<String>,
    /// Penalty for the next offence by the book's ladder, by player; empty where the book has no ladder and the director names it.
    pub next: Vec<NextPenalty>,
}

/// Penalty for the next offence of a kind by a player.
#[derive(Clone, Debug, Serialize)]
pub struct NextPenalty {
    /// The player.
    pub whom: SeatName,
    /// Number of the offence among those of its kind in the event, from 1.
    pub count: u32,
    /// The penalty in words.
    pub gives: String,
}

/// Result to which the boards point.
#[derive(Clone, Debug, Serialize)]
pub struct ProposedView {
    /// The winning team; none for a draw.
    pub winner: Option<TeamName>,
    /// A code.
    pub reason: &'static str,
    /// In words.
    pub text: String,
    /// The clause.
    pub rule: Option<String>,
    /// Probability, 0 to 1.
    pub confidence: f64,
    /// Whether it has stood long enough to be shown to everybody.
    pub settled: bool,
}

/// Result that people entered.
#[derive(Clone, Debug, Serialize)]
pub struct EnteredView {
    /// The act that gave it.
    pub act: u64,
    /// The winning team; none for a draw and for a loss of both.
    pub winner: Option<TeamName>,
    /// A code.
    pub reason: &'static str,
    /// In words.
    pub text: String,
    /// Whether team 1 and team 2 have signed.
    pub signed: [bool; 2],
    /// Whether a director has confirmed it.
    pub is_confirmed: bool,
    /// Whether the match is over by it.
    pub is_final: bool,
}

impl DirectorView {
    /// A match at a moment.
    #[must_use]
    pub fn of(config: &Config, hall: &Hall, game: &Game, now_ms: u64) -> DirectorView {
        let referee = game.referee();
        let people = hall.people(&game.table, Some(game), Names::Shown);
        let player = |board, color| people.players[Seat { board, color }.index()].clone();
        let plies = referee.timeline().plies();
        let illegal = plies
            .iter()
            .filter_map(|ply| Some(IllegalPly { ply: ply.report.id, reason: ply.illegal?.code() }));
        let is_hidden = config.td.decide_first && !game.is_decided();
        let is_unheard = hall.is_unheard(game);
        let claim = |claim: &ClaimCase| {
            let mut view = ClaimView::of(game, claim, is_hidden);
            if is_unheard && claim.state == CaseState::Open {
                view.verdict = view.verdict.while_unheard();
            }
            view
        };
        let td = &config.td;
        let section = hall.section_of(&game.table, Some(game));
        let is_off =
            |alert: &Alert| hall.treatment(td, section.as_deref(), &alert.code) == Treatment::Off;
        let standing =
            referee.alerts().filter(|alert| !alert.retracted && !is_hidden && !is_off(alert));
        let (silent, alerts): (Vec<&Alert>, Vec<&Alert>) =
            standing.partition(|alert| td.keeps_silent(alert));
        let is_silent = |it: &IllegalPly| silent.iter().any(|alert| alert.ply == Some(it.ply));
        DirectorView {
            evidence_hidden: is_hidden,
            shown: MatchView::of(
                config,
                Cursor::of_floor(hall),
                Shown::on_floor(hall, game),
                now_ms,
            ),
            version: referee.version(),
            now_us: referee.now_us(),
            is_over: referee.is_over(),
            is_at_table: hall.is_at_table(game),
            td_calls: referee.td_calls(),
            pairing: game.pairing.map(|pairing| pairing.0),
            belongs: BelongsView::of(hall, game),
            confirmed: hall.confirmed_words(game),
            players: PerBoard::of(|board| PlayersView {
                white: player(board, rules::Color::White),
                black: player(board, rules::Color::Black),
            }),
            alerts: alerts.into_iter().cloned().collect(),
            illegal: illegal.filter(|it| !is_hidden && !is_silent(it)).collect(),
            claims: referee.claims().map(claim).collect(),
            kinds: referee.claim_kinds().map(|kind| kind_view(game, kind)).collect(),
            offences: offences(hall, game),
            proposal: proposed(game, &people).filter(|_| !is_hidden),
            photo_finish: PhotoFinishView::of(game).filter(|_| !is_hidden),
            zero_tests: zero_tests(game),
            result: entered(game, &people),
            ledger: ledger(game, config.http.clock_rate),
            per_move: PerBoard::of(|board| game.per_move(board)),
            orders: game.orders().iter().map(|order| OrderView::of(order, now_ms)).collect(),
            proposed_orders: orders::proposed(game),
            questions: game.questions().map(QuestionView::of).collect(),
            clips: game.clips().iter().map(clip).collect(),
            put_ups: game.put_ups().iter().filter_map(|it| PutUpView::of(game, it)).collect(),
        }
    }
}

/// The offences that the book knows or that have a penalty.
fn offences(hall: &Hall, game: &Game) -> Vec<OffenceView> {
    let book = game.referee().conditions().rulebook();
    let offences = Offence::ALL.iter().filter_map(|&offence| {
        let clause = book.offence(offence);
        let next = next_penalties(hall, game, offence);
        (clause.is_some() || !next.is_empty()).then(|| OffenceView {
            offence: offence.code(),
            about: offence.about(),
            rule: clause.map(|clause| book.cited(clause).to_string()),
            next,
        })
    });
    offences.collect()
}

/// Penalties for the next offence of a kind by the book's ladder, by player.
fn next_penalties(hall: &Hall, game: &Game, offence: Offence) -> Vec<NextPenalty> {
    let next = |&whom: &Seat| {
        let earlier = hall.earlier_offences(&game.id, offence, whom);
        let (count, penalty) = game.referee().next_penalty(offence, whom, earlier);
        Some(NextPenalty { whom: whom.into(), count, gives: penalty?.to_string() })
    };
    let seats: &[Seat] = match game.game {
        rules::Game::Bughouse => &Seat::ALL,
        rules::Game::Chess => &Seat::ALL[..2],
    };
    seats.iter().filter_map(next).collect()
}

fn clip((act, clip): &(u64, Clip)) -> ClipView {
    ClipView { act: *act, from_us: clip.from_us, to_us: clip.to_us }
}

fn kind_view(game: &Game, kind: ClaimKind) -> KindView {
    let book = game.referee().conditions().rulebook();
    let rule = book.claim(kind).map(|clause| book.cited(clause).to_string());
    KindView { kind: kind.code(), about: kind.about(), rule }
}

pub(super) fn team_name(team: Team) -> TeamName {
    match team {
        Team::One => TeamName::One,
        Team::Two => TeamName::Two,
    }
}

fn proposed(game: &Game, people: &People) -> Option<ProposedView> {
    let proposal = game.referee().proposal()?;
    Some(ProposedView {
        winner: proposal.winner.map(team_name),
        reason: proposal.reason.name(),
        text: proposed_words(game, proposal, people),
        rule: proposal.rule.map(|rule| rule.to_string()),
        confidence: proposal.confidence,
        settled: proposal.settled,
    })
}

/// The boards' result in words, with the teams by name; a final result is not called unconfirmed.
pub(super) fn proposed_words(game: &Game, proposal: &Proposal, people: &People) -> String {
    let is_final = game.referee().result().is_some_and(StandingResult::is_final);
    let text = proposal.text.as_str();
    let text = if is_final { text.strip_suffix(NOT_CONFIRMED).unwrap_or(text) } else { text };
    named(text.to_owned(), people)
}

fn entered(game: &Game, people: &People) -> Option<EnteredView> {
    let standing = game.referee().result()?;
    Some(EnteredView {
        act: standing.act.0,
        winner: standing.result.winner.map(team_name),
        reason: standing.result.reason.name(),
        text: people.result_words(game.game, standing.result.winner, standing.result.reason),
        signed: standing.signed,
        is_confirmed: standing.is_confirmed,
        is_final: standing.is_final(),
    })
}
