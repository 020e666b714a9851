//! Inputs without sense: no panic, memory in bounds, and the same answers when they are replayed.

use proptest::prelude::*;
use rules::{
    Seat, Team,
    rulebook::{ClaimKind, Offence},
};

use super::*;
use crate::act::{
    Act, ActId, Choice, ClaimCall, Decision, MatchResult, PenaltyCall, Person, Remedy, Role,
    Ruling, What,
};

/// Squares, roles and ids from few values, so that inputs meet.
fn any_ply() -> impl Strategy<Value = Ply> {
    let squares = 0u32..64;
    (squares.clone(), squares, 0u8..6).prop_map(|(from, to, kind)| {
        let square = |index| rules::Square::new(index);
        let roles = [rules::Role::Pawn, rules::Role::Knight, rules::Role::Queen, rules::Role::King];
        match roles.get(usize::from(kind)) {
            Some(&role) => Ply::Drop { role, to: square(to) },
            None => Ply::Move { from: square(from), to: square(to), promotion: None },
        }
    })
}

fn any_seat() -> impl Strategy<Value = Seat> {
    proptest::sample::select(Seat::ALL.to_vec())
}

fn any_time() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..40_000_000, Just(u64::MAX), Just(u64::MAX - 1)]
}

fn any_report() -> impl Strategy<Value = PlyReport> {
    let times = (any_time(), proptest::option::of(any_time()), proptest::option::of(any_time()));
    let what =
        (any_seat(), any_ply(), proptest::option::of((any_ply(), -1.0f64..2.0)), any::<bool>());
    (0u32..24, 0u32..4, times, what, proptest::option::of(any::<i64>())).prop_map(
        |(id, revision, (t_us, released_us, touched_us), (seat, ply, other, legal), clock_ms)| {
            PlyReport {
                id,
                revision,
                board: seat.board,
                side: seat.color,
                t_us,
                released_us,
                touched_us,
                ply,
                p: 0.9,
                legal,
                alternatives: other.into_iter().map(|(ply, p)| Alternative { ply, p }).collect(),
                clock_ms,
            }
        },
    )
}

fn any_what() -> impl Strategy<Value = What> {
    let act = || (0u64..30).prop_map(ActId);
    let note = String::new;
    let decision =
        || proptest::sample::select(vec![Decision::Upheld, Decision::Denied, Decision::PlayOn]);
    let role =
        || proptest::sample::select(vec![Role::SectionChief, Role::FloorChief, Role::TeamOne]);
    let kind = proptest::sample::select(ClaimKind::ALL.to_vec());
    let offence = proptest::sample::select(Offence::ALL.to_vec());
    prop_oneof![
        (
            kind,
            any_seat(),
            proptest::option::of(0u32..24),
            proptest::option::of(any_time()),
            any::<bool>()
        )
            .prop_map(|(kind, by, against, stopped_us, witnessed)| What::Claim(
                ClaimCall { kind, by, against, stopped_us, witnessed }
            )),
        (act(), decision(), any::<bool>()).prop_map(move |(on, decision, draw)| What::Rule(
            Ruling { on, decision, remedy: draw.then_some(Remedy::Draw), note: note() }
        )),
        (act(), role()).prop_map(|(of, to)| What::Appeal { of, to }),
        (act(), decision()).prop_map(move |(appeal, decision)| What::Decide {
            appeal,
            decision,
            remedy: None,
            note: note()
        }),
        (offence, any_seat(), any::<u32>()).prop_map(move |(offence, whom, earlier)| {
            What::Penalise(PenaltyCall { offence, whom, earlier, penalty: None, note: note() })
        }),
        any::<bool>().prop_map(|won| {
            let winner = won.then_some(Team::One);
            What::EnterResult(MatchResult { winner, reason: ResultReason::Agreement })
        }),
        Just(What::Confirm),
        (0u32..24, any_ply()).prop_map(|(ply, said)| What::Correct { ply, said }),
        (0u32..24).prop_map(|ply| What::NotPlayed { ply }),
        (0u32..24).prop_map(|before| What::Reinstate { before }),
        any::<bool>().prop_map(|calls| What::Set(Choice::TdCalls(calls))),
        act().prop_map(What::Withdraw),
    ]
}

fn any_input() -> impl Strategy<Value = Input> {
    let role = proptest::sample::select(vec![
        Role::Director,
        Role::Director,
        Role::TeamOne,
        Role::TeamTwo,
        Role::SectionChief,
        Role::FloorChief,
    ]);
    let codes = [
        "touch-move",
        "illegal-move",
        "flag-fallen",
        "both-flags",
        "setup-wrong",
        "of a newer hub",
    ];
    let phases = vec![Phase::SetUp, Phase::Ready, Phase::Playing, Phase::Paused, Phase::Ended];
    prop_oneof![
        6 => any_report().prop_map(Input::Ply),
        1 => (0u32..24).prop_map(Input::PlyRetracted),
        2 => (0u32..8, 0u32..3, proptest::sample::select(codes.to_vec()), proptest::option::of(0u32..24)).prop_map(
            |(id, revision, code, ply)| Input::Anomaly(AnomalyReport { revision, ..anomaly(id, code, ply) })
        ),
        1 => (0u32..8).prop_map(Input::AnomalyRetracted),
        2 => (any_seat(), any::<i64>(), -5i64..5, any_time(), any::<bool>()).prop_map(
            |(seat, white_ms, black_ms, t_us, runs)| Input::Clock(ClockReading {
                board: seat.board,
                white_ms,
                black_ms,
                running: runs.then_some(seat.color),
                t_us
            })
        ),
        1 => proptest::sample::select(phases).prop_map(Input::Phase),
        5 => (0u64..40, role, any_time(), any_what()).prop_map(|(id, role, t_us, what)| Input::Act(Act {
            id: ActId(id),
            by: Person { id: "somebody".to_owned(), role },
            t_us,
            seen: u64::MAX,
            what
        })),
        1 => Just(Input::NextMatch),
        1 => Just(Input::Timeout),
    ]
}

fn outputs(book: BookId, inputs: &[(u64, Input)]) -> Vec<Output> {
    let mut referee = Referee::new(Conditions::new(book));
    let mut outputs = Vec::new();
    for (now_us, input) in inputs {
        referee.handle(*now_us, input.clone());
        outputs.extend(std::iter::from_fn(|| referee.poll_output()));
    }
    assert!(referee.timeline().plies().len() <= 24 && referee.ledger().len() <= 40);
    outputs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn inputs_without_sense_are_judged_without_panic_and_alike_when_replayed(
        book in proptest::sample::select(BookId::ALL.to_vec()),
        inputs in proptest::collection::vec((any_time(), any_input()), 0..80),
    ) {
        prop_assert_eq!(outputs(book, &inputs), outputs(book, &inputs));
    }
}

#[test]
fn what_is_kept_of_one_match_is_bounded() {
    let mut referee = Referee::new(Conditions::new(BookId::UsChessBughouse2018));
    for id in 0..=u32::try_from(MAX_ANOMALIES).expect("a small number") {
        referee.handle(0, Input::Anomaly(anomaly(id, "clock-hand", None)));
    }
    assert_eq!(referee.alerts().count(), MAX_ANOMALIES);
    let mut told = MatchUnderTest::new();
    for _ in 0..MAX_CLAIMS {
        let by = Seat { board: BoardId::A, color: Color::White };
        let kind = ClaimKind::Mate;
        told = told.act(What::Claim(ClaimCall {
            kind,
            by,
            against: None,
            stopped_us: None,
            witnessed: false,
        }));
    }
    told.drain();
    let by = Seat { board: BoardId::A, color: Color::White };
    let kind = ClaimKind::Mate;
    told = told.act(What::Claim(ClaimCall {
        kind,
        by,
        against: None,
        stopped_us: None,
        witnessed: false,
    }));
    assert!(told.drain().contains(&Output::Refused {
        act: ActId(MAX_CLAIMS as u64 + 1),
        why: Refusal::TooMany(MAX_CLAIMS)
    }));
}
