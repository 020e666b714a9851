//! Hubs, the nodes that they see, and their places: a hall is set up from the box, by simulated hands.

use std::collections::BTreeMap;

use event::{Deed, SectionKind, SectionTerms};
use prost::Message as _;
use proto::mqtt::message::{Board, HubState, SeenNode};
use rules::{BoardId, rulebook::BookId};

use crate::{
    config::Config,
    hall::{
        Hall, HubNodes,
        acts::{ActDeed, Actor, Answer, PersonAct, PlacedTable, Source},
        event::staff::{DeviceId, Rank},
    },
    log::input::{Input, InputKind},
};

/// Simulated hubs with their nodes, a hall, and the hands that set it up.
struct Box25 {
    hall: Hall,
    inputs: u64,
    now_ms: u64,
    hubs: BTreeMap<String, HubState>,
    touches: u64,
}

impl Box25 {
    /// A hall with `tables` tables and a section, and no hub.
    fn new(tables: u32) -> Box25 {
        let hall = Hall::new(&Config::default());
        let mut it =
            Box25 { hall, inputs: 0, now_ms: 1_800_000_000_000, hubs: BTreeMap::new(), touches: 0 };
        it.input(InputKind::LinkUp, None, Vec::new());
        let terms = SectionTerms::usual(SectionKind::Teams, BookId::UsChessBughouse2018, 5);
        let tables = (1..=tables).map(|table| table.to_string()).collect();
        let deeds = vec![
            Deed::TablesListed { tables },
            Deed::SectionOpened { section: "Open".to_owned(), terms },
        ];
        it.act(ActDeed::Event { deeds }).unwrap();
        it
    }

    fn input(&mut self, kind: InputKind, hub: Option<&str>, payload: Vec<u8>) {
        self.inputs += 1;
        self.now_ms += 100;
        let (id, received_ms, hub) = (self.inputs, self.now_ms, hub.map(str::to_owned));
        let input = Input { id, received_ms, kind, hub, match_id: None, payload };
        crate::owner::decode::apply(&mut self.hall, &input);
    }

    fn act(&mut self, deed: ActDeed) -> Result<(), String> {
        let source = Source::fresh(DeviceId(0));
        let by = Actor { person: "Ann".to_owned(), rank: Rank::Chief };
        let act = PersonAct { source: source.clone(), by, deed };
        self.input(InputKind::Act, None, serde_json::to_vec(&act).unwrap());
        match self.hall.answers().of(&source) {
            Some(Answer::Taken { .. }) => Ok(()),
            Some(Answer::Refused { reason, .. }) => Err(reason),
            None => panic!("no answer"),
        }
    }

    /// A hub reports itself.
    fn report(&mut self, hub: &str) {
        let state = self.hubs[hub].encode_to_vec();
        self.input(InputKind::HubState, Some(hub), state);
    }

    /// A hub is switched on with two boards and two clocks.
    fn plug_in(&mut self, hub: &str, number: u32) {
        let nodes = [("clock", 1), ("board", 2), ("board", 3), ("clock", 4)];
        let nodes = nodes.map(|(kind, port)| SeenNode {
            node_id: format!("{kind}-{number:04}{port}"),
            sensor: if kind == "board" { "reed".to_owned() } else { String::new() },
            present: true,
            port: format!("usb{port}"),
            ..SeenNode::default()
        });
        let state = HubState {
            hub_id: hub.to_owned(),
            boot_id: 7,
            online: true,
            nodes: nodes.into(),
            ..HubState::default()
        };
        self.hubs.insert(hub.to_owned(), state);
        self.report(hub);
    }

    /// Carries a message out as its hub would.
    fn deliver(&mut self) {
        let asked: Vec<(String, u64, Vec<PlacedTable>)> = self
            .hall
            .hubs_to_place(self.now_ms)
            .into_iter()
            .map(|(hub, request, tables)| (hub.to_owned(), request, tables.to_vec()))
            .collect();
        for (hub, request, tables) in asked {
            let state = self.hubs.get_mut(&hub).unwrap();
            state.tables = tables.iter().map(|table| table.table.clone()).collect();
            for node in &mut state.nodes {
                let place = tables.iter().find_map(|table| {
                    let placed = table.nodes.iter().find(|it| it.node == node.node_id)?;
                    Some((table.table.clone(), placed.board))
                });
                (node.table, node.board) = match place {
                    Some((table, BoardId::A)) => (table, Board::A.into()),
                    Some((table, BoardId::B)) => (table, Board::B.into()),
                    None => (String::new(), Board::Unspecified.into()),
                };
            }
            state.placing_ended = request;
            self.report(&hub);
        }
    }

    /// The chief touches *Place* at a hub, after `corrections` of the guess: each is one touch.
    fn place_as_guessed(
        &mut self,
        hub: &str,
        corrections: &[(&str, BoardId)],
    ) -> Result<(), String> {
        let guess = self.hall.guess(hub);
        let mut nodes = guess.nodes;
        for (node, board) in corrections {
            self.touches += 1;
            nodes.iter_mut().filter(|(id, _)| id == node).for_each(|it| it.1 = *board);
        }
        self.touches += 1;
        let table = guess.table.ok_or("no free table")?;
        self.place(hub, &table, &nodes)
    }

    fn place(&mut self, hub: &str, table: &str, nodes: &[(String, BoardId)]) -> Result<(), String> {
        let tables = self.hall.placing(hub, table, nodes, None)?;
        self.act(ActDeed::PlaceNodes { hub: hub.to_owned(), tables })?;
        self.deliver();
        Ok(())
    }

    fn of(&self, hub: &str) -> HubNodes<'_> {
        self.hall.hub_nodes().find(|it| it.hub == hub).unwrap()
    }

    fn notices(&self) -> Vec<String> {
        self.hall.notices(1.0).into_iter().map(|notice| notice.words).collect()
    }
}

#[test]
fn twenty_five_tables_are_ready_with_at_most_six_touches_a_hub() {
    let mut it = Box25::new(25);
    let mut most = 0;
    for number in 1..=25 {
        let hub = format!("hub-{:08x}", 0x9e37_79b1_u32.wrapping_mul(number));
        let before = it.touches;
        // The field for the code, and *Accept*.
        it.touches += 2;
        it.act(ActDeed::AcceptHub { hub: hub.clone() }).unwrap();
        it.plug_in(&hub, number);
        // At every fifth table boards and clocks are plugged in the wrong way round: *Exchange A and B* is one touch.
        match number % 5 {
            0 => {
                it.touches += 2;
                let guess = it.hall.guess(&hub);
                let other = |board| if board == BoardId::A { BoardId::B } else { BoardId::A };
                let nodes: Vec<_> =
                    guess.nodes.into_iter().map(|(id, board)| (id, other(board))).collect();
                it.place(&hub, &guess.table.unwrap(), &nodes).unwrap();
            }
            _ => it.place_as_guessed(&hub, &[]).unwrap(),
        }
        most = most.max(it.touches - before);
        let about = it.of(&hub);
        assert!(!about.is_waited_for && about.refused.is_empty());
        let places: Vec<_> = about.nodes.iter().map(|node| node.place.clone().unwrap()).collect();
        assert!(places.iter().all(|(table, _)| *table == number.to_string()), "{places:?}");
        assert_eq!(places.iter().filter(|(_, board)| *board == BoardId::A).count(), 2);
    }
    assert!(most <= 6, "{most} touches");
    assert!(it.hall.free_tables().is_empty() && it.notices().is_empty(), "{:?}", it.notices());
    assert!(
        it.hall.tables().iter().all(|table| table.owner.hub().is_some()),
        "every table has its hub"
    );
}

#[test]
fn two_swapped_hubs_are_noticed_and_named_until_they_are_put_right() {
    let mut it = Box25::new(5);
    for (hub, number) in [("hub-a", 1), ("hub-b", 2), ("hub-c", 3)] {
        it.plug_in(hub, number);
        it.place_as_guessed(hub, &[]).unwrap();
    }
    assert!(it.hall.swaps().is_empty());
    // Each hub is carried to the other's table: it sees the other's nodes, and misses its own.
    let at = |here: &str, there: &str| {
        let strange =
            it.hubs[there].nodes.iter().filter(|node| node.present).cloned().collect::<Vec<_>>();
        let mut state = it.hubs[here].clone();
        state.nodes.iter_mut().for_each(|node| node.present = false);
        let found =
            strange.into_iter().map(|node| SeenNode { table: String::new(), board: 0, ..node });
        state.nodes.extend(found);
        state
    };
    let (a, b) = (at("hub-a", "hub-b"), at("hub-b", "hub-a"));
    it.hubs.insert("hub-a".to_owned(), a);
    it.report("hub-a");
    let before = it.hall.swaps();
    assert!(before.is_empty(), "hub-b still has its nodes: {before:?}");
    it.hubs.insert("hub-b".to_owned(), b);
    it.report("hub-b");
    let swaps = it.hall.swaps();
    let [(_, words)] = swaps.as_slice() else { panic!("{swaps:?}") };
    assert!(words.contains("hubs hub-a and hub-b have been swapped"), "{words}");
    assert!(
        words.contains("hub-a is at table 2") && words.contains("exchange the two hubs"),
        "{words}"
    );
    assert!(it.notices().contains(words));
    // The chief leaves the hubs where they are and places the nodes again: the places of the absent ones end.
    for hub in ["hub-a", "hub-b"] {
        let old = it.of(hub).nodes.iter().find_map(|node| node.place.clone()).unwrap().0;
        it.place(hub, &old, &[]).unwrap();
        it.hubs.get_mut(hub).unwrap().nodes.retain(|node| node.present);
        it.report(hub);
    }
    assert!(it.hall.swaps().is_empty());
    let nodes = it.hall.guess("hub-a").nodes;
    it.place("hub-a", "2", &nodes).unwrap();
    assert_eq!(it.hall.tables().named("2").unwrap().owner.hub(), Some("hub-a"));
}

#[test]
fn one_node_at_another_hub_is_named_with_what_to_do() {
    let mut it = Box25::new(3);
    for (hub, number) in [("hub-a", 1), ("hub-b", 2)] {
        it.plug_in(hub, number);
        it.place_as_guessed(hub, &[]).unwrap();
    }
    let mut moved = it.hubs["hub-a"].nodes[0].clone();
    it.hubs.get_mut("hub-a").unwrap().nodes[0].present = false;
    it.report("hub-a");
    assert!(it.hall.swaps().is_empty(), "a node that is unplugged is no swap");
    (moved.table, moved.board) = (String::new(), 0);
    it.hubs.get_mut("hub-b").unwrap().nodes.push(moved.clone());
    it.report("hub-b");
    let swaps = it.hall.swaps();
    let [(_, words)] = swaps.as_slice() else { panic!("{swaps:?}") };
    assert!(
        words.contains(&moved.node_id)
            && words.contains("at hub hub-b")
            && words.contains("table 1"),
        "{words}"
    );
    it.hubs.get_mut("hub-b").unwrap().online = false;
    it.report("hub-b");
    assert!(it.hall.swaps().is_empty(), "a hub that is off is nowhere");
}

#[test]
fn wrong_places_are_refused_with_the_reason() {
    let mut it = Box25::new(3);
    it.plug_in("hub-a", 1);
    let ids: Vec<String> = it.of("hub-a").nodes.iter().map(|node| node.id.clone()).collect();
    let at = |index: usize, board| (ids[index].clone(), board);
    let two_clocks = [at(0, BoardId::A), at(1, BoardId::A), at(3, BoardId::A)];
    for (hub, nodes, words) in [
        ("hub-z", &two_clocks[..1], "there is no hub"),
        ("hub-a", &two_clocks[..], "both clocks of board A"),
        ("hub-a", &[("clock-9".to_owned(), BoardId::A)][..], "does not see node clock-9"),
    ] {
        let refused = it.hall.placing(hub, "1", nodes, None).unwrap_err();
        assert!(refused.contains(words), "{words}: {refused}");
    }
    it.hubs.get_mut("hub-a").unwrap().nodes[1].by_file = true;
    it.report("hub-a");
    let refused = it.hall.placing("hub-a", "1", &two_clocks[1..2], None).unwrap_err();
    assert!(refused.contains("in the configuration of hub hub-a"), "{refused}");
    let terms = SectionTerms::usual(SectionKind::Players, BookId::UsChessBlitz2020, 5);
    let other = Deed::SectionOpened { section: "Blitz".to_owned(), terms };
    it.act(ActDeed::Event { deeds: vec![other] }).unwrap();
    let refused = it.hall.placing("hub-a", "1", &two_clocks[2..], None).unwrap_err();
    assert!(refused.contains("different terms"), "{refused}");
    let chosen = it.hall.placing("hub-a", "1", &two_clocks[2..], Some("Blitz")).unwrap();
    assert_eq!(chosen[0].rulebook, "us-chess-blitz-2020");
    let mut bare = Box25::new(1);
    bare.hall = Hall::new(&Config::default());
    bare.plug_in("hub-a", 1);
    let refused = bare.hall.placing("hub-a", "1", &two_clocks[2..], None).unwrap_err();
    assert!(refused.contains("game and rulebook of table"), "{refused}");
}

#[test]
fn a_hub_that_is_off_or_silent_is_waited_for_and_its_refusal_is_a_notice() {
    let mut it = Box25::new(2);
    it.plug_in("hub-a", 1);
    let nodes = it.hall.guess("hub-a").nodes;
    let tables = it.hall.placing("hub-a", "1", &nodes, None).unwrap();
    it.act(ActDeed::PlaceNodes { hub: "hub-a".to_owned(), tables }).unwrap();
    assert_eq!(it.hall.guess("hub-a").table.as_deref(), Some("2"), "table 1 is given away");
    assert!(
        it.notices()
            .iter()
            .any(|words| words.contains("has not reported that its nodes are placed"))
    );
    it.hubs.get_mut("hub-a").unwrap().online = false;
    it.report("hub-a");
    assert!(it.hall.hubs_to_place(it.now_ms).is_empty());
    let state = it.hubs.get_mut("hub-a").unwrap();
    state.online = true;
    it.report("hub-a");
    let (_, request, _) = it.hall.hubs_to_place(it.now_ms)[0];
    let state = it.hubs.get_mut("hub-a").unwrap();
    (state.placing_ended, state.placing_refused) =
        (request, "a match is played at table 1".to_owned());
    it.report("hub-a");
    assert!(it.hall.hubs_to_place(it.now_ms).is_empty());
    assert!(it.notices().iter().any(|words| words == "hub hub-a: a match is played at table 1"));
}
