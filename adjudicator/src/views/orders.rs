//! Directors' orders as their pages show them, what a decision still wants done on a clock, and what should be asked.

use std::collections::BTreeSet;

use proto::mqtt::message::OrderOutcome;
use referee::{Entry, TimedPly, act::Remedy, clock_words};
use rules::{BoardId, Color, Ply, Role, Seat, rulebook::Penalty};
use serde::Serialize;

use crate::hall::{ClockChange, ClockForm, Game, OrderCase, OrderState, Ordered, QuestionAsked};

/// An order.
#[derive(Clone, Debug, Serialize)]
pub struct OrderView {
    /// The act that gave it.
    pub act: u64,
    /// The person.
    pub person: String,
    /// Time, Unix milliseconds.
    pub at_ms: u64,
    /// The order, in words.
    pub what: String,
    /// The board whose clock it is about; none of one about the record.
    pub board: Option<BoardId>,
    /// `sent`, `taken`, `done`, `by-hand` (somebody must), `shown` (somebody has), `refused`, `unknown`, `late`, `contradicted`,
    /// `withdrawn`.
    pub state: &'static str,
    /// The problem and the remedy.
    pub detail: String,
    /// Whether no reading can show that it was done by hand: then a director confirms it.
    pub unseen: bool,
}

/// A change of a clock that a decision requires.
#[derive(Clone, Debug, Serialize)]
pub struct ProposedOrder {
    /// The ruling or penalty.
    pub because: u64,
    /// The board.
    pub board: BoardId,
    /// The order to send.
    pub form: ClockForm,
    /// In words.
    pub what: String,
}

/// A question to an eyewitness about a ply.
#[derive(Clone, Debug, Serialize)]
pub struct QuestionView {
    /// The ply.
    pub ply: u32,
    /// Possible plies, most probable first.
    pub candidates: Vec<CandidateView>,
}

/// A part of a match whose readings are there.
#[derive(Clone, Debug, Serialize)]
pub struct ClipView {
    /// The act that asked for it.
    pub act: u64,
    /// Beginning, microseconds of match time.
    pub from_us: u64,
    /// End, likewise.
    pub to_us: u64,
}

/// A possible ply.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateView {
    /// In UCI.
    pub uci: String,
    /// Its probability, 0 to 1.
    pub p: f64,
}

impl OrderView {
    /// Present state of an order.
    #[must_use]
    pub fn of(order: &OrderCase, now_ms: u64) -> OrderView {
        let board = match order.what {
            Ordered::Clock(board, _) => Some(board),
            _ => None,
        };
        let (state, detail) = state(order, now_ms);
        let detail = match order.to_show() {
            Some(times) if order.is_in_trouble(now_ms) => by_hand(&detail, times),
            _ => detail,
        };
        let (act, at_ms, person) = (order.act, order.at_ms, order.by.clone());
        let (what, unseen) = (words(&order.what), order.is_unseen());
        OrderView { act, person, at_ms, what, board, state, detail, unseen }
    }
}

impl QuestionView {
    /// A question as pages ask it.
    #[must_use]
    pub fn of(question: &QuestionAsked) -> QuestionView {
        let candidate =
            |it: &referee::Alternative| CandidateView { uci: it.ply.to_string(), p: it.p };
        QuestionView {
            ply: question.ply,
            candidates: question.candidates.iter().map(candidate).collect(),
        }
    }

    /// The question to a person who looks at the board: which ply it was. Of a drop every piece is a candidate, for the piece on the
    /// square can be seen.
    #[must_use]
    pub fn at_the_board(ply: &TimedPly) -> QuestionView {
        let report = &ply.report;
        let mut candidates = vec![(report.ply, report.p)];
        candidates.extend(report.alternatives.iter().map(|other| (other.ply, other.p)));
        if let Ply::Drop { to, .. } = report.ply {
            let drops = Role::ALL.iter().filter(|&&role| role != Role::King);
            candidates.extend(drops.map(|&role| (Ply::Drop { role, to }, 0.0)));
        }
        let mut known = BTreeSet::new();
        candidates.retain(|(ply, _)| known.insert(ply.to_string()));
        let candidate = |(ply, p): (Ply, f64)| CandidateView { uci: ply.to_string(), p };
        QuestionView { ply: report.id, candidates: candidates.into_iter().map(candidate).collect() }
    }
}

/// Times that a person has to set at the clock, without arithmetic.
fn by_hand(detail: &str, (white_ms, black_ms): (i64, i64)) -> String {
    let [white, black] = [white_ms, black_ms].map(clock_words);
    let between = if detail.is_empty() { "" } else { "; " };
    format!("{detail}{between}it is to show White {white}, Black {black}")
}

/// The order in words.
#[must_use]
pub(crate) fn words(what: &Ordered) -> String {
    match what {
        Ordered::Clock(board, change) => format!("clock {board}: {}", change_words(*change)),
        Ordered::Fact(line) if line.contains("\"stands\"") => {
            "the match followed from the position".to_owned()
        }
        Ordered::Fact(line) if line.contains("\"per_move\"") => {
            "the match followed with the clock's delay".to_owned()
        }
        Ordered::Fact(_) => "the record followed with the correction".to_owned(),
        Ordered::FactWithdrawn(_) => "the match followed without what was taken back".to_owned(),
        Ordered::ZeroTest => "zero test of both clocks".to_owned(),
        Ordered::Baseline(board, _) => format!("calibration of board {board}"),
        Ordered::Evidence(from_us, to_us) => {
            format!("sensor readings, {} s", to_us.saturating_sub(*from_us) / 1_000_000)
        }
    }
}

fn change_words(change: ClockChange) -> String {
    match change {
        ClockChange::SetAnew => "set anew".to_owned(),
        ClockChange::Pause => "stop".to_owned(),
        ClockChange::Resume => "go on".to_owned(),
        ClockChange::Delay(per_move) => per_move.to_string(),
        ClockChange::Adjust(white_ms, black_ms) => {
            let of = |name: &str, ms: i32| (ms != 0).then(|| format!("{name} {}", signed(ms)));
            let both = [of("White", white_ms), of("Black", black_ms)];
            both.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
    }
}

/// `+2:00`, `−0:05.5`.
fn signed(ms: i32) -> String {
    let (sign, ms) = (if ms < 0 { "−" } else { "+" }, ms.unsigned_abs());
    let (minutes, seconds, tenths) = (ms / 60_000, ms / 1_000 % 60, ms / 100 % 10);
    match tenths {
        0 => format!("{sign}{minutes}:{seconds:02}"),
        _ => format!("{sign}{minutes}:{seconds:02}.{tenths}"),
    }
}

fn state(order: &OrderCase, now_ms: u64) -> (&'static str, String) {
    match &order.state {
        OrderState::Sent if order.is_too_late(now_ms) => {
            let words = match order.what {
                Ordered::Clock(..) => "the hub has not answered: do it by hand",
                _ => "the hub has not answered: ask again when it is online",
            };
            ("late", words.to_owned())
        }
        OrderState::Sent => ("sent", String::new()),
        OrderState::Taken if order.is_unended(now_ms) => {
            let words = "the hub took it and has not said how it ended: look at the clock, and set it by hand if it is wrong";
            ("unknown", words.to_owned())
        }
        OrderState::Taken => ("taken", String::new()),
        OrderState::Withdrawn => ("withdrawn", String::new()),
        OrderState::Shown => ("shown", String::new()),
        OrderState::Ended(outcome, words) => {
            let state = match outcome {
                OrderOutcome::Done => "done",
                OrderOutcome::Unsupported => "by-hand",
                OrderOutcome::OutOfRange | OrderOutcome::Refused | OrderOutcome::Unspecified => {
                    "refused"
                }
                OrderOutcome::Unknown => "unknown",
                OrderOutcome::Contradicted => "contradicted",
            };
            (state, words.clone())
        }
    }
}

/// Changes of clocks that valid decisions require and no order carries out.
#[must_use]
pub(super) fn proposed(game: &Game) -> Vec<ProposedOrder> {
    let ledger = game.referee().ledger();
    let is_past = |act| {
        ledger.iter().any(|line| {
            line.supersedes == Some(act)
                || matches!(line.entry, Entry::Withdrawn { of } if of == act)
        })
    };
    let standing = ledger.iter().filter(|line| !is_past(line.act));
    let wanted = standing.filter_map(|line| {
        let (seat, seconds) = time_of(&line.entry)?;
        let because = line.act.0;
        let mut orders = game.orders().iter().filter(|it| it.state != OrderState::Withdrawn);
        let is_ordered = orders.any(|order| order.because == Some(because));
        (!is_ordered).then(|| give(because, seat, seconds))
    });
    wanted.collect()
}

/// Player whose time a decision changes, and the amount.
fn time_of(entry: &Entry) -> Option<(Seat, i32)> {
    let of_penalty = |whom: Seat, penalty: &Penalty| match penalty {
        Penalty::TimeToOpponent { opponent_s } => {
            let opponent = Seat { board: whom.board, color: !whom.color };
            Some((opponent, i32::try_from(*opponent_s).ok()?))
        }
        Penalty::TimeFromOffender { offender_s } => Some((whom, -i32::try_from(*offender_s).ok()?)),
        _ => None,
    };
    match entry {
        Entry::Ruling { remedy, .. } | Entry::Decided { remedy, .. } => match remedy {
            Remedy::Reinstate(reinstatement) if reinstatement.opponent_s > 0 => {
                Some((reinstatement.opponent, i32::try_from(reinstatement.opponent_s).ok()?))
            }
            Remedy::Penalty { whom, penalty } => of_penalty(*whom, penalty),
            _ => None,
        },
        Entry::Penalty { whom, given: Some(penalty), .. } => of_penalty(*whom, penalty),
        _ => None,
    }
}

fn give(because: u64, seat: Seat, seconds: i32) -> ProposedOrder {
    let ms = seconds.saturating_mul(1_000);
    let (white_ms, black_ms) = match seat.color {
        Color::White => (ms, 0),
        Color::Black => (0, ms),
    };
    let change = change_words(ClockChange::Adjust(white_ms, black_ms));
    ProposedOrder {
        because,
        board: seat.board,
        form: ClockForm::Adjust { white_ms, black_ms },
        what: format!("clock {}: {change}", seat.board),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_said_in_a_few_words() {
        let said = |change| words(&Ordered::Clock(BoardId::B, change));
        assert_eq!(said(ClockChange::Adjust(0, 120_000)), "clock B: Black +2:00");
        assert_eq!(
            said(ClockChange::Adjust(-5_500, 60_000)),
            "clock B: White −0:05.5, Black +1:00"
        );
        assert_eq!(said(ClockChange::Pause), "clock B: stop");
        assert_eq!(
            by_hand("the clock takes no commands", (185_000, 60_500)),
            "the clock takes no commands; it is to show White 3:05, Black 1:00"
        );
        assert_eq!(by_hand("", (0, 0)), "it is to show White 0:00, Black 0:00");
        let delay = rules::PerMove::new(0, 5, rules::DelayKind::Bronstein).unwrap();
        assert_eq!(said(ClockChange::Delay(delay)), "clock B: 5 s Bronstein delay");
        assert_eq!(said(ClockChange::Delay(rules::PerMove::default())), "clock B: no delay");
    }

    #[test]
    fn a_penalty_of_time_goes_to_the_opponent_on_the_same_board() {
        let whom = Seat { board: BoardId::B, color: Color::White };
        let given = Some(Penalty::TimeToOpponent { opponent_s: 60 });
        let offence = rules::rulebook::Offence::ALL[0];
        let (count, proposed, note) = (1, None, String::new());
        let entry = Entry::Penalty { offence, whom, count, proposed, given, note };
        let opponent = Seat { board: BoardId::B, color: Color::Black };
        assert_eq!(time_of(&entry), Some((opponent, 60)));
        let order = give(7, opponent, 60);
        assert_eq!(order.form, ClockForm::Adjust { white_ms: 0, black_ms: 60_000 });
    }
}
