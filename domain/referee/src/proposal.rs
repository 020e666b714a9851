//! The result that the evidence points to. The first game won ends the match.
//!
//! Mate, and a king taken after an illegal ply, show on the boards. So do stalemates and dead positions, if the book draws by them. A
//! flag wins only when it is claimed with the clock stopped while the claimant's own is up. So it counts as evidence of a result only
//! once play has stopped. The table's behaviour outweighs the boards: where play continued after a "mate", the players saw none, and no
//! result is proposed. Resignations, agreed draws and rulings leave no trace on boards or clocks: there the proposal is none, and
//! people enter the result.

use rules::{
    BoardId, BoardState, Color, Game, Position, Seat, Team,
    rulebook::{
        Cite, Finding,
        terms::{BothFlags, DrawRule},
    },
};

use crate::{
    act::Remedy,
    case::Case,
    claim::Points,
    claims,
    clocks::FlagFall,
    draws,
    input::Phase,
    outcome::{Proposal, ResultReason},
    timeline::TimedPly,
};

/// Time, in microseconds of match time, that a decisive position lasts before the public sees a result. Live inference may retract the
/// ply, and a hall that has cheered cannot uncheer.
pub const RESULT_SETTLES_AFTER_US: u64 = 3_000_000;

/// Ending of a proposed result's words.
pub const NOT_CONFIRMED: &str = "; not confirmed";

/// Derives the proposal from the whole match.
pub(crate) fn propose(case: &Case<'_>) -> Option<Proposal> {
    let mut proposal = decided_by_claim(case)
        .or_else(|| decided_on_board(case))
        .or_else(|| drawn_on_board(case))
        .or_else(|| decided_by_flag(case))
        .or_else(|| drawn_by_flags(case))?;
    let has_stood = case.phase == Phase::Ended
        || case.now_us >= proposal.t_us.saturating_add(RESULT_SETTLES_AFTER_US);
    proposal.settled = has_stood && !proposal.is_claimed;
    Some(proposal)
}

/// The earliest claim without a ruling that the rule supports and that ends the game. It precedes the evidence of boards and
/// clocks, because the order of two claims decides between them.
fn decided_by_claim(case: &Case<'_>) -> Option<Proposal> {
    let open = case.decisions.open_claims().map(|call| (call, claims::judge(case, call)));
    let decisive = open.filter(|(_, verdict)| verdict.points == Points::Upheld);
    let ends = decisive.filter_map(|(call, verdict)| match verdict.if_upheld {
        Remedy::LosesGame(loser) => Some((call, Some(loser.opponent().team()), verdict)),
        Remedy::Draw => Some((call, None, verdict)),
        _ => None,
    });
    let (call, winner, verdict) = ends.min_by_key(|(call, ..)| call.stopped_us)?;
    let board = call.seat().board;
    let ply = verdict.against.and_then(|id| case.timeline.ply(id));
    Some(Proposal {
        winner,
        board,
        reason: ResultReason::of_claim(call.call.kind, winner.is_none()),
        // Plies are not marked as after an end without a ruling.
        ply: None,
        t_us: call.stopped_us,
        confidence: ply.map_or(1.0, |ply| ply.report.p),
        rule: verdict.because.first().copied(),
        text: text(case, board, winner, "claimed, and the rule supports it"),
        is_claimed: true,
        settled: false,
    })
}

/// The first mate or king capture after which play on its board did not go on.
fn decided_on_board(case: &Case<'_>) -> Option<Proposal> {
    let last = case.boards().iter().filter_map(|&board| case.timeline.on_board(board).next_back());
    let (index, ply) = last
        .filter(|(_, ply)| ply.state == BoardState::Mate || ply.is_king_capture_claim())
        .min_by_key(|&(index, _)| index)?;
    let seat = ply.report.seat();
    let (reason, what) = match ply.is_king_capture_claim() {
        true => (ResultReason::KingCaptured, "king captured"),
        false => (ResultReason::Mate, "mate"),
    };
    let position = ply.after.boards.position(seat.board);
    let wins = reason == ResultReason::Mate || draws::can_mate(case, position, seat.color);
    let reason = if wins { reason } else { ResultReason::Material };
    let what = if wins { what.to_owned() } else { format!("{what}, without mating material") };
    let mut proposal = on_board(case, seat.board, reason, wins.then(|| seat.team()), &what);
    proposal.ply = Some(ply.report.id);
    proposal.t_us = ply.report.t_us;
    proposal.confidence = confidence(case, index, ply);
    Some(proposal)
}

/// Stalemates and dead positions, where the book draws by them.
fn drawn_on_board(case: &Case<'_>) -> Option<Proposal> {
    let last = case.boards().iter().filter_map(|&board| case.timeline.on_board(board).next_back());
    last.filter(|(_, ply)| ply.king_taken.is_none()).find_map(|(index, ply)| {
        let board = ply.report.board;
        let position = ply.after.boards.position(board);
        let is_stalemate =
            ply.state == BoardState::Stalemate && draws::has_any(case, &[DrawRule::Stalemate]);
        let is_dead =
            draws::has_any(case, &[DrawRule::DeadPosition]) && position.has_dead_material();
        let (reason, what) = match (is_stalemate, is_dead) {
            (true, _) => (ResultReason::Stalemate, "stalemate"),
            (false, true) => (ResultReason::DeadPosition, "nobody can mate"),
            (false, false) => {
                let (finding, reason, what) = drawn_without_claim(case, index, position)?;
                let mut proposal = on_board(case, board, reason, None, what);
                proposal.rule = case.finding(finding);
                proposal.ply = Some(ply.report.id);
                proposal.t_us = ply.report.t_us;
                proposal.confidence = ply.report.p;
                return Some(proposal);
            }
        };
        let mut proposal = on_board(case, board, reason, None, what);
        proposal.ply = Some(ply.report.id);
        proposal.t_us = ply.report.t_us;
        proposal.confidence = ply.report.p;
        Some(proposal)
    })
}

/// Five times the same position, 75 moves without progress, an illegal position that stood on, where the book draws by them.
fn drawn_without_claim(
    case: &Case<'_>,
    index: usize,
    position: &Position,
) -> Option<(Finding, ResultReason, &'static str)> {
    let board = case.timeline.plies()[index].report.board;
    let draws_by = |rule| draws::has_any(case, &[rule]);
    if draws_by(DrawRule::FivefoldRepetition) && draws::is_fivefold(case, board, index) {
        let what = "the same position five times";
        return Some((Finding::FivefoldRepetition, ResultReason::Repetition, what));
    }
    if draws_by(DrawRule::SeventyFiveMoves) && position.is_seventy_five_moves() {
        let what = "75 moves without a capture or a pawn move";
        return Some((Finding::SeventyFiveMoves, ResultReason::FiftyMoves, what));
    }
    let is_illegal = draws_by(DrawRule::IllegalPosition)
        && draws::illegal_position(case, board, index).is_some();
    is_illegal.then_some((
        Finding::IllegalPosition,
        ResultReason::DirectorsDraw,
        "an illegal position that nobody put right",
    ))
}

/// Clause of a proposal: the one on such an end, or else the finding's.
fn rule_of(case: &Case<'_>, reason: ResultReason) -> Option<Cite> {
    let finding = match reason {
        ResultReason::Mate => Some(Finding::Mate),
        ResultReason::Stalemate => Some(Finding::Stalemate),
        ResultReason::DeadPosition => Some(Finding::DeadPosition),
        _ => None,
    };
    reason
        .topic()
        .and_then(|topic| case.cite(topic))
        .or_else(|| finding.and_then(|finding| case.finding(finding)))
}

fn on_board(
    case: &Case<'_>,
    board: BoardId,
    reason: ResultReason,
    winner: Option<Team>,
    what: &str,
) -> Proposal {
    Proposal {
        winner,
        board,
        reason,
        ply: None,
        t_us: 0,
        confidence: 0.0,
        rule: rule_of(case, reason),
        text: text(case, board, winner, &format!("{what}, seen by the table")),
        is_claimed: false,
        settled: false,
    }
}

/// Public text of a proposal: the winner, the reason, and that it is not confirmed.
fn text(case: &Case<'_>, board: BoardId, winner: Option<Team>, why: &str) -> String {
    let place = match case.terms().game {
        Game::Bughouse => format!(" on board {board}"),
        Game::Chess => String::new(),
    };
    let outcome = match (winner, case.terms().game) {
        (None, _) => "Draw".to_owned(),
        (Some(Team::One), Game::Chess) => "White wins".to_owned(),
        (Some(Team::Two), Game::Chess) => "Black wins".to_owned(),
        (Some(Team::One), Game::Bughouse) => "Team 1 wins".to_owned(),
        (Some(Team::Two), Game::Bughouse) => "Team 2 wins".to_owned(),
    };
    format!("{outcome}{place}: {why}{NOT_CONFIRMED}")
}

/// Probability that whatever was played there decided the game: the sum over the plies it may have
/// been.
fn confidence(case: &Case<'_>, index: usize, ply: &TimedPly) -> f64 {
    let others = ply.report.alternatives.iter().filter(|alternative| {
        ply.king_taken.is_none()
            && alternative.ply != ply.report.ply
            && case.timeline.state_instead(index, alternative.ply) == BoardState::Mate
    });
    (ply.report.p + others.map(|alternative| alternative.p).sum::<f64>()).min(1.0)
}

/// One flag down, and the clocks stopped since, as a claimant does.
fn decided_by_flag(case: &Case<'_>) -> Option<Proposal> {
    let one_down = case.boards().iter().filter_map(|&board| {
        let (loser, flag) = match case.flags(board) {
            [Some(flag), None] => (Color::White, flag),
            [None, Some(flag)] => (Color::Black, flag),
            _ => return None,
        };
        let stopped_us = case.clocks.stopped_us(board)?;
        (stopped_us >= flag.t_us || case.phase.is_stopped()).then_some((board, loser, flag))
    });
    let (board, loser, flag) = one_down.min_by_key(|(_, _, flag)| flag.t_us)?;
    let winner = Seat { board, color: loser.other() };
    let position = case.timeline.now().boards.position(board);
    Some(match draws::can_mate(case, position, winner.color) {
        true => {
            let what = "flag down and clocks stopped";
            by_flag(case, board, ResultReason::Flag, Some(winner.team()), &flag, what)
        }
        false => {
            let what = "flag down, and the other side cannot mate";
            by_flag(case, board, ResultReason::Material, None, &flag, what)
        }
    })
}

/// Both flags down once play has stopped.
fn drawn_by_flags(case: &Case<'_>) -> Option<Proposal> {
    let is_drawn = case.terms().both_flags != BothFlags::NotRuled && case.phase.is_stopped();
    let both = case.boards().iter().filter(|_| is_drawn);
    let (board, flag) = both.copied().find_map(|board| match case.flags(board) {
        [Some(white), Some(black)] if white.t_us >= black.t_us => Some((board, white)),
        [Some(_), Some(black)] => Some((board, black)),
        _ => None,
    })?;
    Some(by_flag(case, board, ResultReason::BothFlags, None, &flag, "both flags down"))
}

fn by_flag(
    case: &Case<'_>,
    board: BoardId,
    reason: ResultReason,
    winner: Option<Team>,
    flag: &FlagFall,
    what: &str,
) -> Proposal {
    Proposal {
        winner,
        board,
        reason,
        ply: None,
        t_us: flag.t_us,
        confidence: flag.confidence,
        rule: rule_of(case, reason),
        text: text(case, board, winner, what),
        is_claimed: false,
        settled: false,
    }
}
