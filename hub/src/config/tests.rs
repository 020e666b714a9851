//! Every problem of a configuration is named with its key, its value and a remedy.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use readings::SensorKind;
use rules::rulebook::BookId;
use rules::{BoardId, DelayKind, Game, TimeControl};

use super::*;

const GOOD: &str = r#"
[hub]
id = "hub-1"
journal = "hub-1.sqlite"
[broker]
host = "localhost"
[[table]]
name = "1"
rulebook = "us-chess-bughouse-2018"
base_s = 300
[[table.node]]
board = "A"
kind = "board"
node = "b1"
port = "/dev/ttyUSB0"
[[table.node]]
board = "A"
kind = "clock"
node = "c1"
port = "/dev/ttyUSB1"
"#;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("hub.toml"), text)
}

/// The message for `GOOD` with one text replaced.
fn complaint(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    parse(&GOOD.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn a_small_configuration_gets_its_defaults() {
    let config = parse(GOOD).unwrap();
    assert_eq!((config.broker.port, config.broker.shard.as_str()), (1883, "hall"));
    let table = &config.tables[0];
    assert_eq!((table.game, table.rulebook), (Game::Bughouse, BookId::UsChessBughouse2018));
    assert_eq!(Ok(&table.time), TimeControl::sudden_death(300, 0).as_ref());
    let boards: Vec<_> = table.boards().map(|(board, header)| (board, header.sensor)).collect();
    assert_eq!(boards, [(BoardId::A, SensorKind::Reed)]);
}

#[test]
fn a_label_is_part_of_what_people_call_a_node() {
    let labelled = GOOD.replace("node = \"b1\"", "node = \"b1\"\nlabel = \"12 A\"");
    let nodes = &parse(&labelled).unwrap().tables[0].nodes;
    assert_eq!((nodes[0].name(), nodes[1].name()), ("b1 \"12 A\"".to_owned(), "c1".to_owned()));
    for bad in ["", " 12", "two\\nlines", "a \\\"quoted\\\" one", &"x".repeat(33)] {
        let line = format!("node = \"b1\"\nlabel = \"{bad}\"");
        let said = complaint("node = \"b1\"", &line);
        assert!(said.contains("table[1].node[1].label") && said.contains("12 A"), "{said}");
    }
}

#[test]
fn a_journal_whose_disk_is_not_mounted_yet_is_tried_again_and_other_errors_are_not() {
    let later = GOOD.replace("hub-1.sqlite", "/nowhere/yet/hub-1.sqlite");
    assert!(parse(&later).unwrap_err().may_heal());
    assert!(!parse(&later.replace("base_s = 300", "base_s = -1")).unwrap_err().may_heal());
    assert!(!parse(&GOOD.replace("base_s = 300", "base_s = -1")).unwrap_err().may_heal());
}

#[test]
fn the_address_of_the_numbers_is_checked() {
    let with = |address: &str| {
        GOOD.replace("[broker]", &format!("metrics_address = {address:?}\n[broker]"))
    };
    let config = parse(&with("127.0.0.1:9465")).unwrap();
    assert_eq!(config.metrics_address, Some(([127, 0, 0, 1], 9465).into()));
    let said = parse(&with("9465")).unwrap_err().to_string();
    assert!(said.contains("hub.metrics_address = \"9465\": not an address with a port"), "{said}");
}

#[test]
fn the_example_names_nodes_as_nodes_name_themselves() {
    let example =
        include_str!("../../../deploy/hub.example.toml").replace("/var/lib/twinboard-hub/", "");
    for node in parse(&example).unwrap().tables.into_iter().flat_map(|table| table.nodes) {
        let (kind, number) = node.id.split_once('-').expect("a kind and a number");
        let is_number = number.len() == 8 && number.bytes().all(|it| it.is_ascii_hexdigit());
        assert!(["board", "clock"].contains(&kind) && is_number, "{}", node.id);
        let port = format!("/dev/serial/by-id/usb-Twinboard_{kind}_{number}-if00");
        assert_eq!(node.port.as_deref(), Some(Path::new(&port)));
    }
}

#[test]
fn the_example_in_deploy_is_valid_where_its_folder_exists() {
    let example =
        include_str!("../../../deploy/hub.example.toml").replace("/var/lib/twinboard-hub/", "");
    let config = parse(&example).unwrap();
    assert_eq!(config.tables[0].nodes.len(), 4);
    let chess = &config.tables[1];
    assert_eq!((chess.game, chess.boards().count()), (Game::Chess, 1));
    assert_eq!(chess.time.to_pgn_tag(), "40/5400:1800");
    assert!(config.left_out.is_empty());
}

/// `GOOD` as a chess table, with other lines in place of its time.
fn chess(time: &str) -> String {
    GOOD.replace("us-chess-bughouse-2018", "nc-scholastic")
        .replace("base_s = 300", &format!("game = \"chess\"\n{time}"))
}

#[test]
fn a_chess_table_has_board_a_alone_and_any_time_control() {
    for (lines, tag, delay) in [
        ("base_s = 180\nincrement_s = 2", "180+2", (0, DelayKind::Us)),
        ("base_s = 1800\ndelay_s = 5", "1800", (5, DelayKind::Us)),
        ("base_s = 0\nincrement_s = 3", "0+3", (0, DelayKind::Us)),
        (
            "periods = [{ base_s = 5400, moves = 40 }, { base_s = 1800 }]\ndelay_s = 5\ndelay = \"bronstein\"",
            "40/5400:1800",
            (5, DelayKind::Bronstein),
        ),
    ] {
        let table = parse(&chess(lines)).unwrap().tables.remove(0);
        assert_eq!((table.game, table.rulebook), (Game::Chess, BookId::NcScholastic));
        assert_eq!(table.time.to_pgn_tag(), tag);
        assert_eq!((table.time.delay_s(), table.time.delay()), delay);
    }
}

#[test]
fn a_bughouse_table_may_have_sensors_at_either_board_alone() {
    for board in ["A", "B"] {
        let text = GOOD.replace("board = \"A\"", &format!("board = \"{board}\""));
        let boards: Vec<_> = parse(&text).unwrap().tables[0].boards().map(|(id, _)| id).collect();
        assert_eq!(boards, [board.parse().unwrap()]);
    }
}

#[test]
fn the_time_of_a_table_is_what_its_rulebook_is_for() {
    let under = |book: &str, time: &str| parse(&chess(time).replace("nc-scholastic", book));
    for (book, time, fits) in [
        ("fide-blitz-2023", "base_s = 300\nincrement_s = 3", true),
        ("fide-blitz-2023", "base_s = 600", true),
        ("fide-blitz-2023", "base_s = 600\nincrement_s = 1", false),
        ("fide-rapid-2023", "base_s = 600", false),
        ("fide-rapid-supervised-2023", "base_s = 900\nincrement_s = 10", true),
        ("fide-rapid-2023", "base_s = 1800\nincrement_s = 30", false),
        ("nc-scholastic", "base_s = 5400\nincrement_s = 30", true),
    ] {
        match under(book, time) {
            Ok(_) => assert!(fits, "{book}, {time}"),
            Err(error) => {
                let text = error.to_string();
                assert!(!fits && text.contains("base_s") && text.contains(book), "{text}");
            }
        }
    }
}

#[test]
fn every_message_about_what_a_table_plays_names_key_value_and_remedy() {
    let about = |lines: &str| parse(&chess(lines)).unwrap_err().to_string();
    let second = "\n[[table.node]]\nboard = \"B\"\nkind = \"board\"\nnode = \"b2\"\n";
    let messages = [
        complaint("base_s = 300", "game = \"go\"\nbase_s = 300"),
        complaint("us-chess-bughouse-2018", "nc-blitz"),
        complaint("base_s = 300", "base_s = 300\ngame = \"chess\""),
        parse(&(chess("base_s = 300") + second)).unwrap_err().to_string(),
        about("base_s = 0"),
        about(""),
        about("base_s = 300\nperiods = [{ base_s = 300 }]"),
        about("periods = []"),
        about("periods = [{ base_s = 300 }, { base_s = 300 }]"),
        about("periods = [{ base_s = -1, moves = 0 }]"),
        about(&format!("periods = [{}]", "{ base_s = 60, moves = 1 }, ".repeat(9))),
        about("base_s = 300\nincrement_s = 2\ndelay_s = 2"),
        about("base_s = 300\nincrement_s = 3601"),
        about("base_s = 300\ndelay = \"bronstein\""),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

/// A second table with nodes of its own.
fn second_table() -> String {
    let (_, table) = GOOD.split_once("[[table]]").unwrap();
    let table = table.replace("name = \"1\"", "name = \"2\"");
    format!(
        "[[table]]{}",
        table.replace("b1", "b2").replace("c1", "c2").replace("ttyUSB", "ttyACM")
    )
}

#[test]
fn a_table_whose_book_does_not_fit_is_left_out_and_the_others_are_followed() {
    let wrong = second_table().replace("us-chess-bughouse-2018", "nc-blitz");
    let config = parse(&format!("{GOOD}{wrong}")).unwrap();
    assert_eq!(config.tables.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(), ["1"]);
    let [left_out] = &config.left_out[..] else { panic!("{:?}", config.left_out) };
    assert_eq!(left_out.table, "2");
    assert_eq!(left_out.problems[0].key, "table[2].rulebook");
}

#[test]
fn a_file_that_is_refused_for_its_wiring_names_what_its_tables_cannot_play_too() {
    let wrong = second_table().replace("us-chess-bughouse-2018", "nc-blitz").replace("c2", "b1");
    let message = parse(&format!("{GOOD}{wrong}")).unwrap_err().to_string();
    assert!(
        message.contains("table[2].rulebook") && message.contains("table[2].node[2]"),
        "{message}"
    );
}

#[test]
fn every_message_names_file_key_value_and_remedy() {
    let messages = [
        complaint("base_s = 300", "base_s = 0"),
        complaint("base_s = 300", "base_s = -5"),
        complaint("host = \"localhost\"", "host = \"mqtt://localhost\""),
        complaint("host = \"localhost\"", "host = \"localhost\"\nport = 70000"),
        complaint("host = \"localhost\"", "host = \"localhost\"\nusername = \"hub\""),
        complaint(
            "host = \"localhost\"",
            "host = \"h\"\nusername = \"u\"\npassword_file = \"/no/such\"",
        ),
        complaint("id = \"hub-1\"", "id = \"hub/1\""),
        complaint("us-chess-bughouse-2018", "us-chess-bughouse-2081"),
        complaint("journal = \"hub-1.sqlite\"", "journal = \"/no/such/folder/hub.sqlite\""),
        complaint("board = \"A\"", "board = \"C\""),
        complaint("node = \"c1\"", "node = \"b1\""),
        complaint("kind = \"clock\"", "kind = \"board\""),
        complaint("/dev/ttyUSB1", "/dev/ttyUSB0"),
        complaint(
            "[[table.node]]\nboard = \"A\"\nkind = \"clock\"",
            "[[table.node]]\nboard = \"B\"\nkind = \"clock\"",
        ),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn unknown_keys_and_wrong_types_are_shown_with_their_line() {
    let messages = [
        complaint("base_s = 300", "base_s = 300\nbase_seconds = 300"),
        complaint("base_s = 300", "base_s = \"five minutes\""),
        complaint("kind = \"clock\"", "kind = \"camera\""),
        complaint("[broker]", "[broker"),
        complaint("base_s = 300", "base_s = 300\ndelay = \"fischer\""),
    ];
    insta::assert_snapshot!(messages.join("\n----\n"));
}

#[test]
fn all_problems_of_a_file_are_reported_at_once() {
    let text = GOOD.replace("base_s = 300", "base_s = 0").replace("localhost", "a b");
    let message = parse(&text).unwrap_err().to_string();
    assert!(message.contains("broker.host") && message.contains("table[1].base_s"), "{message}");
}

/// The message for a table with these nodes.
fn complaint_about(nodes: &str) -> String {
    let (start, _) = GOOD.split_once("[[table.node]]").unwrap();
    parse(&format!("{start}{nodes}")).unwrap_err().to_string()
}

const DGT: &str = "[[table.node]]\nboard = \"A\"\nkind = \"board\"\ndriver = \"dgt\"\nclock = true\n\
                   node = \"dgt-24681\"\nport = \"/dev/ttyUSB0\"\n";

#[test]
fn a_board_of_another_maker_may_bring_its_clock_and_several_may_share_a_bus() {
    let (start, _) = GOOD.split_once("[[table.node]]").unwrap();
    let config = parse(&format!("{start}{DGT}")).unwrap();
    let table = &config.tables[0];
    let (_, header) = table.boards().next().unwrap();
    assert_eq!((header.sensor, header.clock_resolution_ms), (SensorKind::PieceId, Some(1_000)));
    assert!(table.nodes[0].has_clock());
    let on_bus = DGT.replace("\"dgt\"", "\"dgt-bus\"").replace("dgt-24681", "dgt-bus-300");
    let other = on_bus.replace("dgt-bus-300", "dgt-bus-5").replace("\"A\"", "\"B\"");
    assert_eq!(parse(&format!("{start}{on_bus}{other}")).unwrap().tables[0].nodes.len(), 2);
}

#[test]
fn every_message_about_a_driver_names_key_and_remedy() {
    let clock =
        "[[table.node]]\nboard = \"A\"\nkind = \"clock\"\nnode = \"c\"\nport = \"/dev/c\"\n";
    let messages = [
        complaint_about(&DGT.replace("dgt-24681", "24681")),
        complaint_about(&DGT.replace("\"dgt\"", "\"dgt-bus\"")),
        complaint_about(&DGT.replace("\"dgt\"", "\"sentio\"")),
        complaint_about(&DGT.replace("clock = true", "files = \"h-first\"\ncalibrate = true")),
        complaint_about(&DGT.replace("clock = true", "sensor = \"reed\"\ntrays = true")),
        complaint_about(&DGT.replace("\"board\"", "\"clock\"")),
        complaint_about(&format!("{DGT}{clock}")),
        complaint("node = \"c1\"", "node = \"c1\"\nreversed = true"),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn two_tables_of_one_name_are_refused() {
    let second = second_table().replace("name = \"2\"", "name = \"1\"");
    let message = parse(&format!("{GOOD}{second}")).unwrap_err().to_string();
    assert!(message.contains("table[2].name") && message.contains("table[1].name"), "{message}");
}

#[test]
fn the_password_is_read_from_its_file_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "secret words\n").unwrap();
    let set_mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
    set_mode(0o600);
    let login = format!("host = \"h\"\nusername = \"u\"\npassword_file = {file:?}");
    let config = parse(&GOOD.replace("host = \"localhost\"", &login)).unwrap();
    assert_eq!(config.broker.login, Some(("u".to_owned(), "secret words".to_owned())));
    assert!(!format!("{config:?}").contains("secret"));
    set_mode(0o640);
    let refused = parse(&GOOD.replace("host = \"localhost\"", &login)).unwrap_err().to_string();
    assert!(refused.contains("others can read it") && refused.contains("chmod 600"), "{refused}");
}

#[test]
fn a_call_button_has_a_pin_of_its_own_and_a_table_of_this_hub() {
    let with = |button: &str| {
        parse(&format!("{GOOD}[gpio]\nbuzzer = 23\n[[gpio.call_button]]\n{button}\n"))
    };
    let config = with("table = \"1\"\npin = 24").unwrap();
    assert_eq!(config.gpio.call_buttons[0].pin, 24);
    assert!(config.uses_pins());
    for (button, words) in [
        ("table = \"1\"\npin = 23", "gpio.call_button[1].pin"),
        ("table = \"99\"\npin = 24", "gpio.call_button[1].table"),
        ("table = \"1\"\npin = 28", "gpio.call_button[1].pin"),
    ] {
        let refused = with(button).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn the_direction_of_a_line_is_a_pin_or_its_own_rts() {
    let with = |direction: &str| {
        parse(&format!(
            "{GOOD}[gpio]\n[[gpio.rs485]]\nport = \"/dev/ttyUSB0\"\ndirection = {direction}\n"
        ))
    };
    let direction = |text: &str| with(text).unwrap().gpio.rs485[0].direction;
    assert_eq!((direction("18"), direction("\"rts\"")), (Some(18), None));
    let refused = with("\"dtr\"").unwrap_err().to_string();
    assert!(
        refused.contains("gpio.rs485[1].direction") && refused.contains("\"rts\""),
        "{refused}"
    );
}
