//! Rulebooks as data: every rule by number in our own words, and the facts the referee acts on.
//!
//! A rulebook is one file of this folder and one entry of [`RULEBOOKS`]. Only books that are whole
//! are here: each rule has an entry that says what the system does about it, or is going to do. Rules are cited as
//! `<rulebook id> <number>`, such as `us-chess-bughouse-2018 8a`.

pub mod clause;
pub mod deed;
pub mod terms;
pub mod topic;
mod us_chess_bughouse_2018;

use std::fmt;

pub use us_chess_bughouse_2018::US_CHESS_BUGHOUSE_2018;

/// Every rulebook there is. The first is the default.
pub const RULEBOOKS: [&Rulebook; 1] = [&US_CHESS_BUGHOUSE_2018];

/// The rulebook with an id such as `us-chess-bughouse-2018`.
#[must_use]
pub fn rulebook(id: &str) -> Option<&'static Rulebook> {
    RULEBOOKS.into_iter().find(|book| book.id == id)
}

/// One event's rules.
#[derive(Debug, PartialEq, Eq)]
pub struct Rulebook {
    /// The id used in files and configuration.
    pub id: &'static str,
    /// The book's name.
    pub title: &'static str,
    /// Every rule, in the book's order; parts (`8a`) follow their rule (`8`).
    pub rules: &'static [Rule],
    /// Time for each side.
    pub time_control: Sourced<TimeControl>,
    /// When a move is complete.
    pub completion: Sourced<MoveCompletion>,
    /// What an illegal move costs and until when it can be claimed.
    pub illegal_move: IllegalMoveRule,
    /// Until when a wrong set-up or clock setting can be claimed.
    pub setup_claim: Sourced<ClaimWindow>,
    /// Whether a clock set for too long may be reduced by a TD even after that.
    pub long_clock_reducible: Sourced<bool>,
    /// Whether a side whose king and queen were swapped castles short to the queen's side.
    pub swapped_castling: Sourced<bool>,
    /// When a captured piece may be handed to the partner.
    pub passing: Sourced<PassingRule>,
    /// When a player in check without a legal ply may wait for the partner's piece.
    pub waiting: Sourced<WaitingRule>,
    /// What a flag claim needs.
    pub flag_claim: FlagClaimRule,
    /// Whether taking the king after an illegal move wins like a claim.
    pub king_capture_wins: Sourced<bool>,
    /// Whether two fallen flags without a claim draw the game.
    pub both_flags_draw: Sourced<bool>,
    /// Whether TDs call illegal moves and flags of their own accord unless a match says otherwise.
    pub td_calls: Sourced<bool>,
    /// Whether claims of insufficient losing chances are heard.
    pub insufficient_losing_chances: Sourced<bool>,
    /// What repeated offences cost.
    pub ladders: &'static [Ladder],
    /// Which rule an anomaly's code comes under.
    pub anomaly_rules: &'static [(&'static str, &'static str)],
}

impl Rulebook {
    /// The rule with a number such as `8a`, whatever the case.
    #[must_use]
    pub fn rule(&self, number: &str) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.number.eq_ignore_ascii_case(number))
    }

    /// The parts of a rule: `8a`, `8b` and `8c` for `8`.
    pub fn parts(&self, number: &str) -> impl Iterator<Item = &'static Rule> {
        self.rules.iter().filter(move |rule| rule.parent() == Some(number))
    }

    /// A rule as it is cited: `us-chess-bughouse-2018 8a`.
    #[must_use]
    pub fn cite(&self, number: &str) -> String {
        format!("{} {number}", self.id)
    }

    /// The number of the rule that an anomaly of `code` comes under; none when the book has none.
    #[must_use]
    pub fn anomaly_rule(&self, code: &str) -> Option<&'static str> {
        self.anomaly_rules.iter().find(|(found, _)| *found == code).map(|&(_, rule)| rule)
    }
}

/// One rule of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its number in the book: `8`, or `8a` for a part.
    pub number: &'static str,
    /// What it is about, in a few words.
    pub heading: &'static str,
    /// What it says, in our words.
    pub text: &'static str,
    /// How the system deals with it.
    pub classes: &'static [RuleClass],
    /// What the system does about it; if it is not [`implemented`](Self::implemented), what it is
    /// going to do.
    pub system: &'static str,
    /// Whether the system does it already.
    pub implemented: bool,
}

impl Rule {
    /// The number of the rule it is a part of.
    #[must_use]
    pub fn parent(&self) -> Option<&'static str> {
        let digits = self.number.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        (digits.len() < self.number.len()).then_some(digits)
    }
}

/// How the system deals with a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleClass {
    /// Detected from sensors and clocks, with evidence.
    Detected,
    /// A player claims; the system shows the evidence and which way the rule points; the TD decides.
    Assisted,
    /// The TD enters it; the system keeps count and proposes the penalty.
    Ledger,
    /// Checked or set by configuration.
    Configured,
    /// For people only: shown for reference.
    Human,
}

impl RuleClass {
    /// The letter used in tables: `D`, `A`, `L`, `C` or `H`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            RuleClass::Detected => 'D',
            RuleClass::Assisted => 'A',
            RuleClass::Ledger => 'L',
            RuleClass::Configured => 'C',
            RuleClass::Human => 'H',
        }
    }
}

impl fmt::Display for RuleClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RuleClass::Detected => "detected",
            RuleClass::Assisted => "assists a claim",
            RuleClass::Ledger => "entered by the TD",
            RuleClass::Configured => "configured",
            RuleClass::Human => "people only",
        })
    }
}

/// A fact with the number of the rule it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The fact.
    pub value: T,
    /// The rule's number.
    pub rule: &'static str,
}

/// Time for each side of each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// For the whole game, in seconds.
    pub base_s: u32,
    /// Delay before each move's time counts, in seconds.
    pub delay_s: u32,
}

/// When a move is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveCompletion {
    /// Once the opponent's clock has been started.
    OpponentClockStarted,
    /// Once the piece has been released and the clock pressed.
    ReleasedAndPressed,
    /// Once the piece has been released.
    Released,
}

/// Until when something can be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaimWindow {
    /// Until the opponent of the offender has completed the next move.
    UntilOpponentCompletesMove,
    /// Until each side has completed a move.
    UntilEachSideHasMoved,
}

/// What an illegal move costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMoveRule {
    /// Whether a claimed one loses the game.
    pub loses: Sourced<bool>,
    /// Until when it can be claimed.
    pub window: Sourced<ClaimWindow>,
    /// Whether one that nobody claimed stands, with play going on from it.
    pub stands_unclaimed: Sourced<bool>,
}

/// When a captured piece may be handed to the partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassingRule {
    /// Only once the capturing move is complete.
    AfterCompletion,
}

/// When a player in check without a legal ply may wait for a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitingRule {
    /// As long as time remains, whenever a supplied piece could block the check.
    WhileTimeRemains,
    /// Only while the reserve holds nothing that could block, too.
    WhileTimeRemainsWithoutBlocker,
}

/// What a claim of a win on time needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagClaimRule {
    /// The rule's number.
    pub rule: &'static str,
    /// The claimant's own flag must not have fallen.
    pub own_flag_up: bool,
    /// The claimant must stop the clock.
    pub clock_stopped: bool,
    /// An illegal move does not take away the right to claim on time, if that claim comes first.
    pub survives_own_illegal_move: bool,
    /// When both claims come at once, who made the illegal move loses.
    pub simultaneous_illegal_move_loses: bool,
}

/// What repeated offences of one kind cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// The offence, as anomaly code or in a few words.
    pub offence: &'static str,
    /// The rule's number.
    pub rule: &'static str,
    /// The penalty for the first offence, the second and so on; the last one repeats.
    pub steps: &'static [Penalty],
}

impl Ladder {
    /// The penalty the book gives for the `count`th offence, from 1.
    #[must_use]
    pub fn step(&self, count: usize) -> Option<Penalty> {
        self.steps.get(count.saturating_sub(1)).or(self.steps.last()).copied()
    }
}

/// A penalty that a TD may confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Penalty {
    /// A warning.
    Warning,
    /// A warning, or time for the opponent when the offence made the opponent's flag fall.
    WarningOrTime {
        /// Added to the opponent's clock in that case, in seconds.
        opponent_s: u32,
    },
    /// Time added to the opponent's clock, in seconds.
    TimeToOpponent {
        /// How much.
        opponent_s: u32,
    },
    /// A time penalty the book does not say how to apply, in seconds.
    Time {
        /// How much.
        penalty_s: u32,
    },
    /// Loss of time, as much as the TD chooses.
    TimeByChoice,
    /// The game is lost.
    LosesGame,
    /// The game or the match is lost, as the TD chooses.
    LosesGameOrMatch,
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Penalty::Warning => f.write_str("warning"),
            Penalty::WarningOrTime { opponent_s } => {
                write!(f, "warning, or {opponent_s} s to the opponent if a flag fell by it")
            }
            Penalty::TimeToOpponent { opponent_s } => write!(f, "{opponent_s} s to the opponent"),
            Penalty::Time { penalty_s } => write!(f, "{penalty_s} s"),
            Penalty::TimeByChoice => f.write_str("loss of time, the TD's choice"),
            Penalty::LosesGame => f.write_str("loss of the game"),
            Penalty::LosesGameOrMatch => f.write_str("loss of the game or the match"),
        }
    }
}
