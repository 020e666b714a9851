//! A story played to a referee.

use referee::{
    Alternative, AnomalyReport, ClockReading, Conditions, Input, Output, Phase, PlyId, PlyReport,
    Referee, Refusal,
    act::{
        Act, ActId, Choice, ClaimCall, Decision, MatchResult, PenaltyCall, Person, Remedy, Role,
        Ruling, What,
    },
};
use rules::{DelayKind, Match, PerMove, Seat, Supply, fen, rulebook::BookId};

use crate::event::{Event, Played};

/// Time between two events unless the story says otherwise, in microseconds.
const STEP_US: u64 = 1_000_000;

/// Time from the release of a piece to the press, and from its touch to its release, in microseconds.
const RELEASE_US: u64 = 200_000;

/// A table at which a story happens.
pub(crate) struct Table {
    pub(crate) referee: Referee,
    pub(crate) refused: Vec<Refusal>,
    t_us: u64,
    wait_us: u64,
    next_ply: PlyId,
    next_anomaly: u32,
    next_act: u64,
    /// A ply whose piece was let go and whose clock was not pressed.
    released: Option<PlyReport>,
    claim: Option<ActId>,
    ruling: Option<ActId>,
    appeal: Option<(ActId, Role)>,
    last: Option<ActId>,
}

/// Plays a story under a book.
///
/// # Errors
///
/// The event that is invalid, with the reason.
pub(crate) fn play(events: &[Event], book: BookId) -> Result<Table, String> {
    let mut table = Table {
        referee: Referee::new(conditions(events, book)?),
        refused: Vec::new(),
        t_us: 0,
        wait_us: STEP_US,
        next_ply: 1,
        next_anomaly: 1,
        next_act: 1,
        released: None,
        claim: None,
        ruling: None,
        appeal: None,
        last: None,
    };
    table.tell(Input::Phase(Phase::Playing));
    for event in events {
        table.happen(event)?;
    }
    table.put_down();
    Ok(table)
}

fn conditions(events: &[Event], book: BookId) -> Result<Conditions, String> {
    let mut conditions = Conditions::new(book);
    for event in events {
        match event {
            Event::HalfSensed => conditions.start = Match::initial().with_supply(Supply::Unseen),
            Event::Start { board, fen } => {
                let setup = fen::parse_board(fen).map_err(|error| error.to_string())?;
                *conditions.start.position_mut(*board) = setup.position;
                for color in rules::Color::ALL {
                    let seat = Seat { board: *board, color };
                    *conditions.start.reserve_mut(seat) = *setup.reserves.get(color);
                }
            }
            Event::Time { base_ms, delay_ms } => {
                (conditions.base_ms, conditions.delay_ms) = (*base_ms, *delay_ms);
            }
            Event::AgreedTdCalls => conditions.td_calls = true,
            Event::AnnouncedLosingChances => conditions.losing_chances = true,
            _ => {}
        }
    }
    Ok(conditions)
}

impl Table {
    fn tell(&mut self, input: Input) {
        self.referee.handle(self.t_us, input);
        while let Some(output) = self.referee.poll_output() {
            if let Output::Refused { why, .. } = output {
                self.refused.push(why);
            }
        }
    }

    fn act(&mut self, role: Role, what: What) -> ActId {
        let id = ActId(self.next_act);
        self.next_act += 1;
        let by = Person { id: role.to_string(), role };
        let seen = self.referee.version();
        self.tell(Input::Act(Act { id, by, t_us: self.t_us, seen, what }));
        self.last = Some(id);
        id
    }

    fn step(&mut self) {
        self.t_us += std::mem::replace(&mut self.wait_us, STEP_US);
    }

    /// The player presses, at last or because the opponent has moved.
    fn put_down(&mut self) {
        self.report_released(self.t_us);
    }

    /// The clocks are stopped, and the player has not pressed: the ply is dated after the stop.
    fn leave_unpressed(&mut self) {
        self.report_released(self.t_us + 1);
    }

    fn report_released(&mut self, t_us: u64) {
        if let Some(report) = self.released.take() {
            self.tell(Input::Ply(PlyReport { t_us, ..report }));
        }
    }

    fn happen(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Chess
            | Event::HalfSensed
            | Event::Start { .. }
            | Event::Time { .. }
            | Event::AgreedTdCalls
            | Event::AnnouncedLosingChances
            | Event::Show(_) => return Ok(()),
            Event::Wait { us } => {
                self.wait_us = *us;
                return Ok(());
            }
            _ => self.step(),
        }
        match event {
            Event::Ply(played) => self.play(played),
            Event::Press(_) => self.put_down(),
            Event::Revise { id, ply } => self.revise(*id, *ply)?,
            Event::Clock { board, white_ms, black_ms, stopped } => {
                let to_move = self.referee.boards().position(*board).turn();
                let running = (!stopped).then_some(to_move);
                let (board, t_us) = (*board, self.t_us);
                let (white_ms, black_ms) = (*white_ms, *black_ms);
                self.tell(Input::Clock(ClockReading { board, white_ms, black_ms, running, t_us }));
            }
            Event::Delay { board, delay_s } => {
                let delay = PerMove::new(0, *delay_s, DelayKind::Us).expect("a delay");
                self.tell(Input::PerMove(*board, delay));
            }
            Event::Stop => {
                self.tell(Input::Phase(Phase::Paused));
                self.leave_unpressed();
            }
            Event::Go => self.tell(Input::Phase(Phase::Playing)),
            Event::End => {
                self.tell(Input::Phase(Phase::Ended));
                self.leave_unpressed();
            }
            Event::Next => self.tell(Input::NextMatch),
            Event::Seen { code, board, side, confidence } => {
                let mut plies = self.referee.timeline().plies().iter().rev();
                let last =
                    plies.find(|ply| ply.report.board == *board && Some(ply.report.side) == *side);
                let ply = last.map(|ply| ply.report.id);
                let report = AnomalyReport {
                    id: self.next_anomaly,
                    revision: 0,
                    code: code.clone(),
                    board: *board,
                    side: *side,
                    t_us: self.t_us,
                    confidence: *confidence,
                    ply,
                    reason: None,
                    evidence: format!("The board showed {}.", code.replace('-', " ")),
                };
                self.next_anomaly += 1;
                self.tell(Input::Anomaly(report));
            }
            _ => return self.decide(event),
        }
        Ok(())
    }

    fn decide(&mut self, event: &Event) -> Result<(), String> {
        let missing = || "nothing of that kind has happened before".to_owned();
        match event {
            Event::Claim { kind, by, against, stopped_us, witnessed } => {
                let call = ClaimCall {
                    kind: *kind,
                    by: *by,
                    against: *against,
                    stopped_us: *stopped_us,
                    witnessed: *witnessed,
                };
                self.claim = Some(self.act(Role::Director, What::Claim(call)));
            }
            Event::Rule { decision, remedy, penalty } => {
                let on = self.claim.ok_or_else(missing)?;
                self.ruling = Some(self.rule(on, *decision, remedy.clone(), *penalty));
            }
            Event::Appeal(to) => {
                let of = self.ruling.ok_or_else(missing)?;
                let appeal = self.act(Role::TeamOne, What::Appeal { of, to: *to });
                self.appeal = Some((appeal, *to));
            }
            Event::Decide(decision) => {
                let (appeal, to) = self.appeal.ok_or_else(missing)?;
                let (decision, note) = (*decision, String::new());
                let what = What::Decide { appeal, decision, remedy: None, note };
                self.ruling = Some(self.act(to, what));
            }
            Event::Penalise { whom, offence, penalty, earlier } => {
                let note = String::new();
                let (offence, whom) = (*offence, *whom);
                let call =
                    PenaltyCall { offence, whom, earlier: *earlier, penalty: *penalty, note };
                self.act(Role::Director, What::Penalise(call));
            }
            Event::Result { winner, reason, by } => {
                let result = MatchResult { winner: *winner, reason: *reason };
                self.act(*by, What::EnterResult(result));
            }
            Event::Confirm(by) => {
                self.act(*by, What::Confirm);
            }
            Event::Correct { ply, said } => {
                self.act(Role::Director, What::Correct { ply: *ply, said: *said });
            }
            Event::Reinstate(before) => {
                self.act(Role::Director, What::Reinstate { before: *before });
            }
            Event::SetTdCalls(calls) => {
                self.act(Role::Director, What::Set(Choice::TdCalls(*calls)));
            }
            Event::Withdraw => {
                let last = self.last.ok_or_else(missing)?;
                self.act(Role::Director, What::Withdraw(last));
            }
            _ => return Err(format!("{event:?} is no act")),
        }
        Ok(())
    }

    fn rule(
        &mut self,
        on: ActId,
        decision: Decision,
        remedy: Option<Remedy>,
        penalty: Option<rules::rulebook::Penalty>,
    ) -> ActId {
        let claim = self.referee.claims().find(|claim| claim.id == on);
        let whom = claim.map(|claim| claim.by.opponent());
        let penalty = penalty.zip(whom).map(|(penalty, whom)| Remedy::Penalty { whom, penalty });
        let remedy = remedy.or(penalty);
        let note = String::new();
        self.act(Role::Director, What::Rule(Ruling { on, decision, remedy, note }))
    }

    fn play(&mut self, played: &Played) {
        self.put_down();
        let Played { seat, ply, pressed, p, other, legal } = played;
        let released_us = if *pressed { self.t_us.saturating_sub(RELEASE_US) } else { self.t_us };
        let report = PlyReport {
            id: self.next_ply,
            revision: 0,
            board: seat.board,
            side: seat.color,
            t_us: self.t_us,
            released_us: Some(released_us),
            touched_us: Some(released_us.saturating_sub(RELEASE_US)),
            ply: *ply,
            p: *p,
            legal: *legal,
            alternatives: other.iter().map(|&(ply, p)| Alternative { ply, p }).collect(),
            clock_ms: None,
        };
        self.next_ply += 1;
        if *pressed {
            self.tell(Input::Ply(report));
        } else {
            self.released = Some(report);
        }
    }

    fn revise(&mut self, id: PlyId, ply: Option<rules::Ply>) -> Result<(), String> {
        let Some(ply) = ply else {
            self.tell(Input::PlyRetracted(id));
            return Ok(());
        };
        let known =
            self.referee.timeline().ply(id).ok_or_else(|| format!("there is no ply {id}"))?;
        let report = known.report.clone();
        self.tell(Input::Ply(PlyReport { ply, revision: report.revision + 1, ..report }));
        Ok(())
    }
}
