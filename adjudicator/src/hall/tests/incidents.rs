//! Tests of the list's items for one incident.

use proto::mqtt::CALL_BUTTON;
use proto::mqtt::message::AnomalyReported;

use super::*;
use crate::config::alerts::{Treatment, Treatments};

fn finding(anomaly_id: u32, code: &str) -> AnomalyReported {
    AnomalyReported {
        match_id: "m1".to_owned(),
        anomaly_id,
        code: code.to_owned(),
        board: Board::A as i32,
        side: Some(Side::Black as i32),
        t_us: 2_000_000,
        confidence: 0.9,
        ply_id: Some(2),
        evidence: format!("The {code} was seen."),
        ..AnomalyReported::default()
    }
}

#[test]
fn two_findings_about_one_ply_are_one_item_and_a_silent_one_stands_apart() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.sets_up("1", "m1");
    day.plays("1", "m1", &["e2e4", "h8h5"]);
    for (id, code) in [(1, "clock-hand"), (2, "out-of-turn")] {
        day.row("1", Event::AnomalyReported(finding(id, code)));
    }
    let needs = day.needs();
    let about: Vec<&Need> = needs.iter().filter(|need| need.ply == Some(2)).collect();
    let [silent, evidence] = about[..] else { panic!("{about:#?}") };
    assert!(silent.silent && !evidence.silent);
    for code in ["clock-hand", "out-of-turn"] {
        assert!(evidence.detail.contains(&format!("The {code} was seen.")), "{evidence:?}");
        assert!(!silent.detail.contains(code));
    }
}

#[test]
fn a_kind_of_finding_is_shown_as_the_event_has_chosen() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.pairs(1, &[(1, 2)]);
    day.sets_up("1", "m1");
    day.plays("1", "m1", &["e2e4", "h8h5"]);
    day.row("1", Event::AnomalyReported(finding(1, "clock-hand")));
    let shown = |event: Treatment, section: Option<Treatment>| {
        let kinds = |it| Treatments::from([("clock-hand".to_owned(), it)]);
        let sections = section.map(|it| ("Open".to_owned(), kinds(it)));
        let td = Td {
            alerts: kinds(event),
            section_alerts: sections.into_iter().collect(),
            ..Td::default()
        };
        let needs = needs(&day.hall, State::default(), &td, 1.0, day.now_ms);
        needs.iter().any(|need| need.id.contains("clock-hand"))
    };
    use Treatment::{Alert, List, Log, Off};
    assert!(shown(Alert, None) && shown(List, None));
    assert!(!shown(Log, None) && !shown(Off, None));
    assert!(shown(Off, Some(List)) && !shown(List, Some(Log)));
}

#[test]
fn directors_choose_what_becomes_of_a_kind_of_finding() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.pairs(1, &[(1, 2)]);
    day.sets_up("1", "m1");
    day.plays("1", "m1", &["e2e4", "h8h5"]);
    day.row("1", Event::AnomalyReported(finding(1, "clock-hand")));
    let treat = |section: Option<&str>, finding: &str, treatment| ActDeed::Treat {
        section: section.map(str::to_owned),
        finding: finding.to_owned(),
        treatment,
    };
    let is_shown = |day: &Day| day.needs().iter().any(|need| need.id.contains("clock-hand"));
    for (section, treatment, shown) in [
        (None, Some(Treatment::Log), false),
        (Some("Open"), Some(Treatment::List), true),
        (None, None, true),
        (Some("Open"), Some(Treatment::Off), false),
    ] {
        day.done(treat(section, "clock-hand", treatment));
        assert_eq!(is_shown(&day), shown, "{section:?} {treatment:?}");
    }
    let name = "Under 9".to_owned();
    day.done(ActDeed::Event {
        deeds: vec![Deed::SectionRenamed { section: "Open".to_owned(), name }],
    });
    assert!(!is_shown(&day), "a section's choices go with its name");
    day.done(treat(Some("Under 9"), "clock-hand", None));
    assert!(is_shown(&day));
    for (section, finding) in [(None, "mate-by-magic"), (Some("Open"), "clock-hand")] {
        let answer = day.act(treat(section, finding, Some(Treatment::Off)));
        assert!(matches!(answer, Answer::Refused { .. }), "{answer:?}");
    }
    let listed = day.hall.done_lines().into_iter().filter(|line| line.kind == "findings");
    assert_eq!(listed.count(), 5);
}

#[test]
fn a_mate_is_one_item() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.pairs(1, &[(1, 2)]);
    day.sets_up("1", "m1");
    day.plays("1", "m1", &MATE);
    day.ends("1", "m1");
    let needs = day.needs();
    let of_match = needs.iter().filter(|need| need.match_id.is_some());
    let whats: Vec<_> = of_match.map(|need| need.what.as_str()).collect();
    assert_eq!(whats, ["Result to confirm"]);
}

#[test]
fn nodes_are_updated_when_no_match_is_played_and_hubs_are_asked_until_they_report() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.sets_up("1", "m1");
    day.plays("1", "m1", &["e2e4"]);
    let Answer::Refused { reason, .. } = day.act(ActDeed::UpdateNodes {}) else {
        panic!("refused in play")
    };
    assert!(reason.contains("matches are played at a table (1)"), "{reason}");
    assert!(day.asked().is_empty());
    day.plays("1", "m1", &MATE[1..]);
    day.ends("1", "m1");
    day.done(ActDeed::UpdateNodes {});
    let asked = day.asked();
    let [(hub, request)] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(hub, "north");
    let waits = |day: &Day| day.hall.notices(1.0).iter().any(|notice| notice.id == "update:north");
    assert!(waits(&day));
    let failed = "node clock-1 was not updated: its flash chip does not keep what is written: replace the Pico";
    day.hub_reports(*request, &[failed]);
    assert!(day.asked().is_empty() && !waits(&day));
    let notices = day.hall.notices(1.0);
    assert!(
        notices.iter().any(|notice| notice.words == format!("hub north: {failed}")),
        "{notices:?}"
    );
    // A hub that was restarted knows of no update.
    day.hub_reports(0, &[]);
    assert!(day.asked().is_empty() && !waits(&day));
    let lines = day.hall.done_lines();
    assert!(lines.iter().any(|line| line.text == "the firmware of all nodes is updated"));
}

#[test]
fn a_button_at_the_table_calls_a_director_until_somebody_comes() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.pairs(1, &[(1, 2)]);
    day.sets_up("1", "m1");
    let calls = |day: &Day| day.needs().iter().filter(|it| it.what == "Director called").count();
    day.node("1", CALL_BUTTON, NodeState::Connected);
    assert_eq!(calls(&day), 0, "it is there");
    for _ in 0..2 {
        day.node("1", CALL_BUTTON, NodeState::Faulty);
        day.node("1", CALL_BUTTON, NodeState::Connected);
        assert_eq!(calls(&day), 1);
    }
    assert!(day.needs().iter().all(|need| !need.what.contains("ensor")), "a button is no sensor");
    day.done(ActDeed::CallEnded { table: "1".to_owned() });
    assert_eq!(calls(&day), 0);
    day.node("1", CALL_BUTTON, NodeState::Lost);
    assert_eq!(calls(&day), 0, "a lost button calls nobody");
}
