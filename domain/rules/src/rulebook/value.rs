//! A book's terms on a topic in a few words: the values of the comparison.

use super::{
    Topic,
    terms::{
        BothFlags, BringClock, Completion, DelayKinds, DrawRule, Hands, Hiding, IllegalClaimedBy,
        IllegalCost, IllegalWindow, KingBesideKing, KingCapture, LosingChances, MatingMaterial,
        OwnFlag, Passing, Promotion, SetUpWindow, StandardDelay, StandardTime, TdCalls, Terms,
        TimeLimits, Touch, Waiting, WrongKingCastling,
    },
};

impl Terms {
    /// The value on a topic; none where the book rules nothing, or where the topic has no value.
    #[must_use]
    pub fn value(&self, topic: Topic) -> Option<String> {
        let words = match topic {
            Topic::TimeControl => return time(self.time),
            Topic::Delay => return Some(delay(self.time.delay)),
            Topic::DelayKind => return kinds(self.time.kinds).map(str::to_owned),
            Topic::IllegalPly => return Some(cost(self.illegal.costs)),
            Topic::IllegalClaimLapses => return Some(window(self.illegal.window)),
            Topic::IllegalClaim => return Some(self.illegal_claim()),
            Topic::SetUp => return self.set_up_claims(),
            Topic::SubstituteClock => return substitute(self.losing_chances),
            Topic::LateArrival => {
                return self.late_forfeit_s.map(|late_s| format!("more than {late_s} s late"));
            }
            Topic::LosingChances => return Some(losing_chances(self.losing_chances)),
            Topic::BringClock => bring_clock(self.bring_clock)?,
            Topic::Completion => completion(self.completion),
            Topic::TouchMove => touch(self.touch)?,
            Topic::ClaimOrder if self.illegal.order_with_flag => {
                "the earlier claim; at once, the illegal move loses"
            }
            Topic::KingBesideKing => king_beside_king(self.king_beside_king)?,
            Topic::SwappedSetUp => self.swapped()?,
            Topic::Passing => match self.passing {
                Passing::AfterPress => "after the press",
                Passing::NoPartner => return None,
            },
            Topic::Hiding => match self.hiding {
                Hiding::EitherPlayers => "captures of either player",
                Hiding::Partners => "captures of the partner",
                Hiding::NoReserve => return None,
            },
            Topic::Waiting => match self.waiting {
                Waiting::OnMove => "whenever on move",
                Waiting::InBlockableCheck => "in a check that only a supplied piece can block",
                Waiting::NobodySupplies => return None,
            },
            Topic::FlagClaim => own_flag(self.flag.own_flag),
            Topic::MatingMaterial => material(self.material?),
            Topic::BothFlags => match self.both_flags {
                BothFlags::Draw => "draw, unless mate comes before they are noticed",
                BothFlags::DrawWhenClaimed => "draw, if a player says so before mate or stalemate",
                BothFlags::NotRuled => return None,
            },
            Topic::Stalemate if self.flag.stalemate_first => {
                "draw, even against a flag claimed at once"
            }
            Topic::ClockHand => hands(self.hands)?,
            Topic::TdCalls => match self.td_calls {
                TdCalls::Never => "never",
                TdCalls::ByAgreement => "if agreed before the game",
                TdCalls::Always => "whatever they see",
            },
            Topic::Promotion => promotion(self.promotion)?,
            _ => self.draw(topic)?,
        };
        Some(words.to_owned())
    }

    fn draw(&self, topic: Topic) -> Option<&'static str> {
        let is_on = |rule: &&DrawRule| rule.topic() == topic;
        let announced = match self.losing_chances {
            LosingChances::IfAnnounced { endings } => endings.iter().find(is_on),
            LosingChances::Never | LosingChances::WithoutDelay { .. } => None,
        };
        let always = self.draws.iter().find(is_on).map(|rule| draw(*rule));
        always.or(announced.map(|_| "draw, if such claims were announced"))
    }

    fn illegal_claim(&self) -> String {
        let claimed = match self.illegal.claimed_by {
            IllegalClaimedBy::StoppingAndSaying => "stop the clock and claim it aloud",
            IllegalClaimedBy::Stopping => "stop the clock",
            IllegalClaimedBy::Saying => "claim it aloud",
        };
        let king = match self.king_capture {
            KingCapture::Wins => "or take the king",
            KingCapture::WinsInCheck => "or take a king that is in check",
            KingCapture::NoClaim => "taking the king is no claim",
        };
        format!("{claimed}; {king}")
    }

    fn set_up_claims(&self) -> Option<String> {
        let exception = if self.set_up.long_clock_reducible {
            "; a clock set too long may be shortened later"
        } else {
            ""
        };
        let claimable = self.set_up.claimable;
        let until = match self.set_up.until {
            SetUpWindow::EachSideMoved(1) => "until each side has completed a move".to_owned(),
            SetUpWindow::EachSideMoved(moves) => {
                format!("until each side has completed {moves} moves")
            }
            SetUpWindow::WholeGame => "until the game is over".to_owned(),
        };
        claimable.then(|| format!("{until}{exception}"))
    }

    const fn swapped(&self) -> Option<&'static str> {
        match (self.set_up.castling, self.set_up.restart_by_td) {
            (WrongKingCastling::OtherWayRound, false) => {
                Some("stays; castling the other way round")
            }
            (WrongKingCastling::OtherWayRound, true) => {
                Some("stays unless a TD allows a restart; castling the other way round")
            }
            (WrongKingCastling::Lost, _) => Some("stays once it cannot be claimed; no castling"),
            (WrongKingCastling::NotRuled, _) => None,
        }
    }
}

fn time(time: StandardTime) -> Option<String> {
    match (time.base_s, time.limits) {
        (Some(base_s), _) => Some(format!("{base_s} s")),
        (None, TimeLimits::None) => None,
        (None, TimeLimits::Between { over_s, under_s }) => {
            Some(format!("over {over_s} s and under {under_s} s"))
        }
        (None, TimeLimits::AtMost { most_s }) => Some(format!("at most {most_s} s")),
    }
}

fn delay(delay: StandardDelay) -> String {
    match delay {
        StandardDelay::Announced => "as announced".to_owned(),
        StandardDelay::None => "none".to_owned(),
        StandardDelay::WherePossible { delay_s } => format!("{delay_s} s where possible"),
        StandardDelay::WithShorterBase { delay_s, shorter_s } => {
            format!("{delay_s} s, with {shorter_s} s less base time")
        }
    }
}

fn cost(cost: IllegalCost) -> String {
    match cost {
        IllegalCost::Game => "the game".to_owned(),
        IllegalCost::Reinstated { opponent_s } => {
            format!("position put back, {opponent_s} s to the opponent")
        }
        IllegalCost::ReinstatedThenGame { opponent_s } => {
            format!("position put back, {opponent_s} s to the opponent; the second time the game")
        }
    }
}

fn window(window: IllegalWindow) -> String {
    match window {
        IllegalWindow::AnswerPressed => "when the answer is pressed".to_owned(),
        IllegalWindow::AnswerReleased => "when the answer is released".to_owned(),
        IllegalWindow::LastMoves(moves) => format!("when its player has made {moves} more moves"),
        IllegalWindow::WholeGame => "when the game is over".to_owned(),
    }
}

fn substitute(losing_chances: LosingChances) -> Option<String> {
    match losing_chances {
        LosingChances::WithoutDelay { substitute_at_most_s, .. } => {
            Some(format!("half of the claimant's time, at most {substitute_at_most_s} s"))
        }
        LosingChances::Never | LosingChances::IfAnnounced { .. } => None,
    }
}

const fn kinds(kinds: DelayKinds) -> Option<&'static str> {
    match kinds {
        DelayKinds::Unsaid => None,
        DelayKinds::NoneThatAddsUp => Some("delay or Bronstein, none that adds up"),
    }
}

const fn bring_clock(bring_clock: BringClock) -> Option<&'static str> {
    Some(match bring_clock {
        BringClock::BothLoseGame => "each player; without any both lose the game",
        BringClock::BothLoseBothGames => "each player; without any both lose both games",
        BringClock::ByTeam => "each team; the team without one loses, or both",
        BringClock::ByPreference => "Black chooses, by preference; a TD may provide one",
        BringClock::BlackChooses => "Black chooses",
        BringClock::NotRuled => return None,
    })
}

const fn completion(completion: Completion) -> &'static str {
    match completion {
        Completion::Pressed => "pressed",
        Completion::ReleasedAndPressed => "released and pressed",
        Completion::Released => "released",
        Completion::ReleasedIfLegalElsePressed => "released; an illegal one when pressed",
    }
}

const fn touch(touch: Touch) -> Option<&'static str> {
    match touch {
        Touch::NotRuled => None,
        Touch::ReleasedStays => Some("what was released stays"),
        Touch::OnBoardOnly => Some("touched pieces on the board; a dropped one stays"),
        Touch::PenaltyAfterPress => Some("a penalty once another was moved and pressed"),
        Touch::MustMove => Some("a touched piece must be moved or taken"),
    }
}

const fn king_beside_king(meaning: KingBesideKing) -> Option<&'static str> {
    match meaning {
        KingBesideKing::Illegal => None,
        KingBesideKing::ClaimantLoses => Some("who does it and claims the unseen check loses"),
        KingBesideKing::Forfeits => Some("loses the game"),
    }
}

const fn own_flag(own_flag: OwnFlag) -> &'static str {
    match own_flag {
        OwnFlag::UpWhenStopped => "own flag up when the clock is stopped",
        OwnFlag::UpWhenStoppedOrWitnessed => "own flag up when the clock is stopped, or a witness",
        OwnFlag::UpWhenClaimed => "own flag up when claimed, before mate",
        OwnFlag::NotRuled => "claimed by a player or seen by an arbiter",
    }
}

const fn material(material: MatingMaterial) -> &'static str {
    match material {
        MatingMaterial::TwoMinors => "two minor pieces, pawn, rook or queen",
        MatingMaterial::TwoMinorsButKnights => {
            "two minor pieces but not two knights, pawn, rook or queen"
        }
        MatingMaterial::PossibleMate => "whatever mates by some series of legal moves",
    }
}

const fn draw(rule: DrawRule) -> &'static str {
    match rule {
        DrawRule::AgreementOfTeams => "both teams",
        DrawRule::AgreementOfPlayers => "both players",
        DrawRule::DeadPosition => "a position without a possible win, too",
        DrawRule::RepetitionCounted => "draw, counted aloud",
        DrawRule::RepetitionOnScoreSheet | DrawRule::FiftyMovesOnScoreSheet => {
            "draw, with a score sheet"
        }
        DrawRule::DirectorsDraw => "draw, if the TD declares it",
        DrawRule::FivefoldRepetition | DrawRule::SeventyFiveMoves => "draw, without a claim",
        DrawRule::IllegalPosition => "draw, if the next completed move leaves it",
        DrawRule::Stalemate
        | DrawRule::NoMatingMaterial
        | DrawRule::Repetition
        | DrawRule::FiftyMoves
        | DrawRule::IdenticalPieces
        | DrawRule::OppositeBishopsWithOnePawn
        | DrawRule::OppositeBishopsBlockaded
        | DrawRule::StoppedPawn
        | DrawRule::RookAndRookPawn => "draw",
    }
}

const fn hands(hands: Hands) -> Option<&'static str> {
    match hands {
        Hands::OneExceptCastling => Some("one, both for castling"),
        Hands::OneAlways => Some("one, for castling too"),
        Hands::NotRuled => None,
    }
}

fn losing_chances(losing_chances: LosingChances) -> String {
    match losing_chances {
        LosingChances::Never => "never".to_owned(),
        LosingChances::IfAnnounced { .. } => "if announced, in named endings".to_owned(),
        LosingChances::WithoutDelay { at_most_s, .. } => {
            format!("without delay, with at most {at_most_s} s left")
        }
    }
}

const fn promotion(promotion: Promotion) -> Option<&'static str> {
    match promotion {
        Promotion::PawnOnItsSide => Some("the pawn on its side"),
        Promotion::SparePiecePreferred => {
            Some("the pawn on its side; rather a spare piece upright")
        }
        Promotion::ClockRestarted => Some("pressed with the pawn: the clock is pressed back"),
        Promotion::ClockStopped => Some("left with the pawn: the clocks are stopped"),
        Promotion::Replaced => None,
        Promotion::IllegalBecomesQueen => Some("pressed with the pawn: illegal, and a queen"),
    }
}
