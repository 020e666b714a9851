//! Penalties and times that several books share.

use super::{FlagOf, Ladder, Offence, Penalty, terms::*};

pub(super) const fn by_choice(offence: Offence) -> Ladder {
    Ladder { offence, steps: &[Penalty::ByChoice] }
}

/// One minute, the usual penalty, in seconds.
pub(super) const MINUTE_S: u32 = 60;

pub(super) const DELAY_WHERE_POSSIBLE: StandardTime = StandardTime {
    base_s: Some(5 * MINUTE_S),
    limits: TimeLimits::None,
    delay: StandardDelay::WherePossible { delay_s: 2 },
    kinds: DelayKinds::Unsaid,
};

pub(super) const NO_CLOCK: Ladder =
    Ladder { offence: Offence::NoClock, steps: &[Penalty::LosesGame] };

pub(super) const HIDDEN_PIECE: Ladder =
    Ladder { offence: Offence::HiddenPiece, steps: &[Penalty::Warning, Penalty::LosesGame] };

pub(super) const PARTNERS_PIECE: Ladder =
    Ladder { offence: Offence::PartnersPieceMoved, steps: &[Penalty::LosesMatch] };

pub(super) const CLOCK_HAND: Ladder = Ladder {
    offence: Offence::ClockHand,
    steps: &[Penalty::Warning, Penalty::Time { penalty_s: MINUTE_S }, Penalty::LosesGame],
};

pub(super) const CLOCK_KNOCKED_OVER: Ladder = Ladder {
    offence: Offence::ClockKnockedOver,
    steps: &[Penalty::TimeToOpponent { opponent_s: MINUTE_S }],
};

pub(super) const BANGING: Ladder =
    Ladder { offence: Offence::Banging, steps: &[Penalty::TimeByChoice] };

/// Displacing pieces and pressing; the first offence costs time when `flag` fell by it.
pub(super) const fn displacing(flag: FlagOf) -> Ladder {
    Ladder {
        offence: Offence::PressAfterDisplacing,
        steps: match flag {
            FlagOf::Offender => &const { displacing_steps(FlagOf::Offender) },
            FlagOf::Opponent => &const { displacing_steps(FlagOf::Opponent) },
        },
    }
}

pub(super) const fn displacing_steps(flag: FlagOf) -> [Penalty; 4] {
    [
        Penalty::WarningOrTime { opponent_s: MINUTE_S, flag },
        Penalty::TimeToOpponent { opponent_s: MINUTE_S },
        Penalty::LosesGame,
        Penalty::ByChoice,
    ]
}

/// The standard penalty of the federation's blitz rules.
pub(super) const fn standard(offence: Offence) -> Ladder {
    Ladder {
        offence,
        steps: &[Penalty::TimeToOpponent { opponent_s: MINUTE_S }, Penalty::ByChoice],
    }
}
