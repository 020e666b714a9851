//! Decisions about a match, in the form of pages and log.

use referee::{
    ResultReason,
    act::{
        ActId, Choice, ClaimCall, Decision, MatchResult, PenaltyCall, Remedy, Role, Ruling, What,
    },
};
use rules::{
    BoardId, Color, Seat, Team,
    rulebook::{ClaimKind, Offence, Penalty},
};
use serde::{Deserialize, Serialize};

/// A value that names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} {given:?} is not known")]
pub struct FormError {
    what: &'static str,
    given: String,
}

impl FormError {
    fn new(what: &'static str, given: &str) -> FormError {
        FormError { what, given: given.chars().take(64).collect() }
    }
}

/// A seat by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeatName {
    /// White at A; in a game of chess White.
    WhiteA,
    /// Black at A; in a game of chess Black.
    BlackA,
    /// White at B.
    WhiteB,
    /// Black at B.
    BlackB,
}

impl From<SeatName> for Seat {
    fn from(name: SeatName) -> Seat {
        let (board, color) = match name {
            SeatName::WhiteA => (BoardId::A, Color::White),
            SeatName::BlackA => (BoardId::A, Color::Black),
            SeatName::WhiteB => (BoardId::B, Color::White),
            SeatName::BlackB => (BoardId::B, Color::Black),
        };
        Seat { board, color }
    }
}

impl From<Seat> for SeatName {
    fn from(seat: Seat) -> SeatName {
        match (seat.board, seat.color) {
            (BoardId::A, Color::White) => SeatName::WhiteA,
            (BoardId::A, Color::Black) => SeatName::BlackA,
            (BoardId::B, Color::White) => SeatName::WhiteB,
            (BoardId::B, Color::Black) => SeatName::BlackB,
        }
    }
}

/// A team by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TeamName {
    /// White at A and Black at B; in a game of chess White.
    #[serde(rename = "team-1")]
    One,
    /// Black at A and White at B; in a game of chess Black.
    #[serde(rename = "team-2")]
    Two,
}

impl From<TeamName> for Team {
    fn from(name: TeamName) -> Team {
        match name {
            TeamName::One => Team::One,
            TeamName::Two => Team::Two,
        }
    }
}

/// Authority that hears an appeal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instance {
    /// The section chief.
    SectionChief,
    /// The floor chief, whose decision is final.
    FloorChief,
}

/// Decision on a claim or an appeal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The claim is right.
    Upheld,
    /// The claim is wrong.
    Denied,
    /// Play goes on as if there had been none.
    PlayOn,
}

impl From<Verdict> for Decision {
    fn from(verdict: Verdict) -> Decision {
        match verdict {
            Verdict::Upheld => Decision::Upheld,
            Verdict::Denied => Decision::Denied,
            Verdict::PlayOn => Decision::PlayOn,
        }
    }
}

/// A penalty that a director names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "penalty", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PenaltyForm {
    /// A warning.
    Warning,
    /// Time for the opponent.
    TimeToOpponent {
        /// Seconds.
        seconds: u32,
    },
    /// Time taken from the offender.
    TimeFromOffender {
        /// Seconds.
        seconds: u32,
    },
    /// The game is lost.
    LosesGame,
    /// The match is lost.
    LosesMatch,
    /// A remedy of the director's choice, named in the note.
    ByChoice,
}

impl From<PenaltyForm> for Penalty {
    fn from(form: PenaltyForm) -> Penalty {
        match form {
            PenaltyForm::Warning => Penalty::Warning,
            PenaltyForm::TimeToOpponent { seconds } => {
                Penalty::TimeToOpponent { opponent_s: seconds }
            }
            PenaltyForm::TimeFromOffender { seconds } => {
                Penalty::TimeFromOffender { offender_s: seconds }
            }
            PenaltyForm::LosesGame => Penalty::LosesGame,
            PenaltyForm::LosesMatch => Penalty::LosesMatch,
            PenaltyForm::ByChoice => Penalty::ByChoice,
        }
    }
}

/// A consequence that a director chooses in place of the one that the rule gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "remedy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RemedyForm {
    /// No remedy.
    Nothing,
    /// A player loses the game.
    LosesGame {
        /// Seat of the player.
        seat: SeatName,
    },
    /// The game is drawn.
    Draw,
    /// Pieces or clock are put as they should have been.
    SetRight,
    /// A clock that was set for too long is shortened.
    ReduceClock,
    /// The game is started again.
    Restart,
    /// The clocks stand until the piece has been found.
    ClocksStand,
    /// A player's clock is started again.
    RestartClock {
        /// Seat of the player.
        seat: SeatName,
    },
    /// A player must move, or take, the piece that was touched.
    MoveTouched {
        /// Seat of the player.
        seat: SeatName,
    },
    /// A penalty.
    Penalty {
        /// Seat of the offender.
        seat: SeatName,
        /// The penalty.
        given: PenaltyForm,
    },
}

impl From<RemedyForm> for Remedy {
    fn from(form: RemedyForm) -> Remedy {
        match form {
            RemedyForm::Nothing => Remedy::Nothing,
            RemedyForm::LosesGame { seat } => Remedy::LosesGame(seat.into()),
            RemedyForm::Draw => Remedy::Draw,
            RemedyForm::SetRight => Remedy::SetRight,
            RemedyForm::ReduceClock => Remedy::ReduceClock,
            RemedyForm::Restart => Remedy::Restart,
            RemedyForm::ClocksStand => Remedy::ClocksStand,
            RemedyForm::RestartClock { seat } => Remedy::RestartClock(seat.into()),
            RemedyForm::MoveTouched { seat } => Remedy::MoveTouched(seat.into()),
            RemedyForm::Penalty { seat, given } => {
                Remedy::Penalty { whom: seat.into(), penalty: given.into() }
            }
        }
    }
}

/// A decision about a match. Acts are named by their number in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Decided {
    /// A claim is opened for a player.
    Claim {
        /// Code of the claim.
        claim: String,
        /// The claimant.
        by: SeatName,
        /// The ply it is against; none: the last one it can concern.
        #[serde(default)]
        against: Option<u32>,
        /// Time at which the clocks were stopped, microseconds of match time.
        #[serde(default)]
        stopped_us: Option<u64>,
        /// Whether a director or an independent witness saw it.
        #[serde(default)]
        witnessed: bool,
    },
    /// A ruling on an open claim.
    Rule {
        /// The claim.
        on: u64,
        /// The decision.
        decision: Verdict,
        /// Remedy in place of the rule's.
        #[serde(default)]
        remedy: Option<RemedyForm>,
        /// Testimony, reasons.
        #[serde(default)]
        note: String,
    },
    /// A team appeals.
    Appeal {
        /// The ruling.
        of: u64,
        /// Authority of the appeal.
        to: Instance,
    },
    /// The instance decides.
    Decide {
        /// The appeal.
        appeal: u64,
        /// The decision.
        decision: Verdict,
        /// Remedy in place of the rule's.
        #[serde(default)]
        remedy: Option<RemedyForm>,
        /// Reasons.
        #[serde(default)]
        note: String,
    },
    /// A penalty.
    Penalise {
        /// The code of the offence.
        offence: String,
        /// Seat of the offender.
        whom: SeatName,
        /// In place of the next step of the book's ladder.
        #[serde(default)]
        given: Option<PenaltyForm>,
        /// Reasons.
        #[serde(default)]
        note: String,
    },
    /// A result.
    EnterResult {
        /// The team that won; none for a draw and for a loss of both.
        winner: Option<TeamName>,
        /// The code of the reason.
        reason: String,
        /// Reason, where it replaces a confirmed result.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
        /// The act whose result it replaces, in place of a note.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<u64>,
    },
    /// The present result is confirmed.
    Confirm,
    /// The fact about a ply.
    Correct {
        /// The ply.
        ply: u32,
        /// In UCI, drops as `N@f7`.
        said: String,
    },
    /// There was no such ply.
    NotPlayed {
        /// The ply.
        ply: u32,
    },
    /// The position before a ply is to be reinstated.
    Reinstate {
        /// The ply.
        before: u32,
    },
    /// Whether directors call from now on.
    TdCalls {
        /// Whether.
        calls: bool,
    },
    /// An act is taken back.
    Withdraw {
        /// Id of the act.
        act: u64,
    },
}

impl Decided {
    /// The reasons that are given with it.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match self {
            Decided::Rule { note, .. }
            | Decided::Decide { note, .. }
            | Decided::Penalise { note, .. }
            | Decided::EnterResult { note, .. } => Some(note),
            _ => None,
        }
    }

    /// The act whose result it says that it replaces.
    #[must_use]
    pub fn replaces(&self) -> Option<u64> {
        match self {
            Decided::EnterResult { replaces, .. } => *replaces,
            _ => None,
        }
    }

    /// The referee's form of the decision. `earlier` counts offences of a kind by a player in other matches of the event.
    ///
    /// # Errors
    ///
    /// A code that names nothing.
    pub fn to_referee(&self, earlier: impl Fn(Offence, Seat) -> u32) -> Result<What, FormError> {
        Ok(match self {
            Decided::Claim { claim, by, against, stopped_us, witnessed } => {
                let kind = ClaimKind::from_code(claim);
                What::Claim(ClaimCall {
                    kind: kind.ok_or_else(|| FormError::new("claim", claim))?,
                    by: (*by).into(),
                    against: *against,
                    stopped_us: *stopped_us,
                    witnessed: *witnessed,
                })
            }
            Decided::Rule { on, decision, remedy, note } => What::Rule(Ruling {
                on: ActId(*on),
                decision: (*decision).into(),
                remedy: remedy.map(Remedy::from),
                note: note.clone(),
            }),
            Decided::Appeal { of, to } => What::Appeal {
                of: ActId(*of),
                to: match to {
                    Instance::SectionChief => Role::SectionChief,
                    Instance::FloorChief => Role::FloorChief,
                },
            },
            Decided::Decide { appeal, decision, remedy, note } => What::Decide {
                appeal: ActId(*appeal),
                decision: (*decision).into(),
                remedy: remedy.map(Remedy::from),
                note: note.clone(),
            },
            Decided::Penalise { offence, whom, given, note } => {
                let kind = Offence::from_code(offence);
                let offence = kind.ok_or_else(|| FormError::new("offence", offence))?;
                let whom = Seat::from(*whom);
                What::Penalise(PenaltyCall {
                    offence,
                    whom,
                    earlier: earlier(offence, whom),
                    penalty: given.map(Penalty::from),
                    note: note.clone(),
                })
            }
            Decided::EnterResult { winner, reason, note, .. } => {
                if note.len() > referee::act::MAX_TEXT {
                    return Err(FormError::new("a note as long as", note));
                }
                let known = ResultReason::ALL.into_iter().find(|known| known.name() == reason);
                let reason = known.ok_or_else(|| FormError::new("reason", reason))?;
                What::EnterResult(MatchResult { winner: winner.map(Team::from), reason })
            }
            Decided::Confirm => What::Confirm,
            Decided::Correct { ply, said } => {
                let played = said.parse().map_err(|_| FormError::new("ply", said))?;
                What::Correct { ply: *ply, said: played }
            }
            Decided::NotPlayed { ply } => What::NotPlayed { ply: *ply },
            Decided::Reinstate { before } => What::Reinstate { before: *before },
            Decided::TdCalls { calls } => What::Set(Choice::TdCalls(*calls)),
            Decided::Withdraw { act } => What::Withdraw(ActId(*act)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<What, String> {
        let decided: Decided = serde_json::from_str(text).map_err(|error| error.to_string())?;
        decided.to_referee(|_, _| 2).map_err(|error| error.to_string())
    }

    #[test]
    fn every_kind_of_decision_is_read_as_pages_send_it() {
        for text in [
            r#"{"what":"claim","claim":"illegal-ply","by":"white-a","against":17}"#,
            r#"{"what":"rule","on":90,"decision":"upheld"}"#,
            r#"{"what":"rule","on":90,"decision":"play-on","remedy":{"remedy":"loses-game","seat":"black-b"}}"#,
            r#"{"what":"appeal","of":91,"to":"floor-chief"}"#,
            r#"{"what":"decide","appeal":92,"decision":"denied","note":"seen by two"}"#,
            r#"{"what":"enter-result","winner":"team-2","reason":"resignation"}"#,
            r#"{"what":"enter-result","winner":null,"reason":"agreement"}"#,
            r#"{"what":"confirm"}"#,
            r#"{"what":"correct","ply":3,"said":"N@f7"}"#,
            r#"{"what":"reinstate","before":3}"#,
            r#"{"what":"td-calls","calls":true}"#,
            r#"{"what":"withdraw","act":91}"#,
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn a_penalty_counts_the_offences_of_the_whole_event() {
        let offence = Offence::ALL[0].code();
        let text = format!(r#"{{"what":"penalise","offence":"{offence}","whom":"black-a"}}"#);
        let Ok(What::Penalise(call)) = read(&text) else { panic!("{text}") };
        assert_eq!(call.earlier, 2);
    }

    #[test]
    fn what_names_nothing_is_refused_by_name() {
        let unknown = r#"{"what":"claim","claim":"rudeness","by":"white-a"}"#;
        assert_eq!(read(unknown), Err("claim \"rudeness\" is not known".to_owned()));
        assert!(read(r#"{"what":"withdraw","act":1,"loudly":true}"#).is_err());
        assert!(read(r#"{"what":"correct","ply":3,"said":"castles"}"#).is_err());
    }
}
