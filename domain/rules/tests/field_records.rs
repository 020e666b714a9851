//! Records as clubs, servers and people write them: what is odd about them costs no game and turns no result round.

use proptest::prelude::*;
use rules::{
    Seat, Team,
    bpgn::{self, BpgnGame, EndReason},
    pgn::{self, PgnGame},
};

const NAMES: &str = "[WhiteA \"ida\"]\n[BlackA \"leo\"]\n[WhiteB \"mia\"]\n[BlackB \"tom\"]\n";
const WHITE_A: Seat = Seat::ALL[0];
const BLACK_A: Seat = Seat::ALL[1];
const WHITE_B: Seat = Seat::ALL[2];

fn uci(game: &PgnGame) -> String {
    game.plies.iter().map(|ply| ply.ply.to_string()).collect::<Vec<_>>().join(" ")
}

/// Every game of a text, none of which may be lost.
fn sound(text: &str) -> Vec<PgnGame> {
    let read = |(game, error): (PgnGame, Option<pgn::PgnError>)| {
        assert_eq!(error, None, "{text}");
        game
    };
    pgn::read(text.as_bytes()).into_iter().map(read).collect()
}

fn match_of(text: &str) -> BpgnGame {
    let mut games = bpgn::read(text.as_bytes());
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn ended(movetext: &str) -> (Option<Seat>, EndReason, Option<Team>) {
    let game = match_of(&format!("{NAMES}\n1A. e4 1a. e5 {movetext}\n"));
    let ending = game.ending.unwrap_or_else(|| panic!("no ending in {movetext}"));
    (ending.loser, ending.reason, game.result.winner())
}

#[test]
fn player_who_won_is_not_the_loser() {
    for words in [
        "ida won on time",
        "ida wins on time",
        "Ida has won on time",
        "WA wins on time",
        "leo forfeits on time",
        "leo ran out of time",
        "leo's flag fell",
        "leo loses on time",
        "leo lost on time",
        "leo was flagged",
    ] {
        let found = ended(&format!("{{{words}}} 1-0"));
        assert_eq!(found, (Some(BLACK_A), EndReason::ForfeitsOnTime, Some(Team::One)), "{words}");
    }
    for words in [
        "ida won by checkmate",
        "ida checkmates leo",
        "ida checkmated leo",
        "leo checkmated",
        "leo was checkmated by ida",
        "leo is checkmated",
        "BA checkmated",
    ] {
        let found = ended(&format!("{{{words}}} 1-0"));
        assert_eq!(found, (Some(BLACK_A), EndReason::Checkmated, Some(Team::One)), "{words}");
    }
    let found = ended("{ida won by resignation} 1-0");
    assert_eq!(found, (Some(BLACK_A), EndReason::Resigns, Some(Team::One)));
    let found = ended("{tom wins by checkmate} 1-0");
    assert_eq!(found, (Some(WHITE_B), EndReason::Checkmated, Some(Team::One)));
}

#[test]
fn ending_that_contradicts_the_written_result_names_no_loser() {
    for text in ["{ida won by checkmate} 0-1", "{leo resigns} 0-1", "{ida checkmated} 1-0"] {
        let (loser, _, winner) = ended(text);
        let written = if text.ends_with("0-1") { Team::Two } else { Team::One };
        assert_eq!((loser, winner), (None, Some(written)), "{text}");
    }
    // At board B files disagree about whose a result is, so either way round is no contradiction.
    for text in ["{mia won on time} 1-0", "{mia won on time} 0-1"] {
        assert_eq!(ended(text).2, Some(Team::Two), "{text}");
    }
}

#[test]
fn partners_win_names_no_loser_and_turns_no_result_round() {
    let game = match_of(&format!("{NAMES}\n1A. e4 1a. e5 {{leo's partner won}} 0-1\n"));
    assert_eq!(game.ending.expect("an ending").loser, None);
    assert_eq!(game.result.winner(), Some(Team::Two));
}

#[test]
fn longer_one_of_two_names_is_meant() {
    let text = "[WhiteA \"Sam\"]\n[BlackA \"Sam Lee\"]\n\n1A. e4 {Sam Lee resigns} 1-0\n";
    assert_eq!(match_of(text).ending.expect("an ending").loser, Some(BLACK_A));
    let text = "[WhiteA \"Sam\"]\n[BlackA \"Sam Lee\"]\n\n1A. e4 {Sam resigns} 0-1\n";
    assert_eq!(match_of(text).ending.expect("an ending").loser, Some(WHITE_A));
}

#[test]
fn several_tags_on_a_line_are_several_tags() {
    let text = "[WhiteA \"ida\"][WhiteAElo \"1100\"]\n[BlackA \"leo\"] [BlackAElo \"1050\"]\n\
                [Event \"says \"hi\" [twice]\"][Site \"a \\\"b\\\" c\"]\n\n1A. e4 {leo resigns} 1-0\n";
    let game = match_of(text);
    for (name, value) in [
        ("WhiteA", "ida"),
        ("WhiteAElo", "1100"),
        ("BlackA", "leo"),
        ("BlackAElo", "1050"),
        ("Event", "says \"hi\" [twice]"),
        ("Site", "a \"b\" c"),
    ] {
        assert_eq!(game.tag(name), Some(value));
    }
    assert_eq!(game.ending.expect("an ending").loser, Some(BLACK_A));
}

#[test]
fn game_on_one_line_with_its_tags_is_read() {
    let line = "[Event \"a\"] [Result \"1-0\"] 1. e4 e5 1-0";
    for text in [line.to_owned(), line.replace("1. e4", "1. e4\n"), format!("{line} {line}")] {
        for game in sound(&text) {
            assert_eq!(
                (uci(&game).as_str(), game.tag("Event")),
                ("e2e4 e7e5", Some("a")),
                "{text}"
            );
        }
    }
    assert_eq!(sound(&format!("{line} {line}")).len(), 2);
}

#[test]
fn nothing_inside_a_comment_is_anything_but_comment() {
    for inside in [
        "60\n% of the points",
        "see\n[Event \"other\"]\nhere",
        "\n\n[White \"x\"]\n\n",
        "; not to the end (nor this",
        "1-0",
    ] {
        let games = sound(&format!("[Event \"x\"]\n\n1. e4 e5 {{ {inside} }} 2. Nf3 Nc6 1-0\n"));
        assert_eq!(games.len(), 1, "{inside}");
        assert_eq!(uci(&games[0]), "e2e4 e7e5 g1f3 b8c6", "{inside}");
    }
}

#[test]
fn comment_that_never_closes_hides_no_game_after_it() {
    let text = "[Event \"1\"]\n\n1. e4 {never closed\n\n[Event \"2\"]\n\n1. d4 {closed} d5 0-1\n";
    let games = pgn::read(text.as_bytes());
    let errors: Vec<bool> = games.iter().map(|(_, error)| error.is_some()).collect();
    assert_eq!(errors, [true, false]);
    assert_eq!(uci(&games[1].0), "d2d4 d7d5");
}

#[test]
fn header_that_is_no_tag_costs_no_game() {
    for odd in [
        "[BlackType: \"program\"]",
        "[White-Clock \"0:03:00\"]",
        "[Site ?]",
        "[Site]",
        "[Annotator \"no end]",
        "[FEN \"\"]",
        "[Variant \"\"]",
        "[FEN \"?\"]",
        "[TimeControl \"G/5 d3\"]",
    ] {
        for text in [
            format!("[Event \"x\"]\n{odd}\n[Result \"0-1\"]\n\n1. f4 e5 2. g4 Qh4# 0-1\n"),
            format!("{odd}\n[Result \"0-1\"]\n\n1. f4 e5 2. g4 Qh4# 0-1\n"),
            format!("[Event \"x\"]\n[Result \"0-1\"]\n{odd}\n\n1. f4 e5 2. g4 Qh4# 0-1\n"),
        ] {
            let games = sound(&text);
            assert_eq!(games.len(), 1, "{text}");
            assert_eq!(uci(&games[0]), "f2f4 e7e5 g2g4 d8h4", "{text}");
            assert_eq!(games[0].tag("Result"), Some("0-1"), "{text}");
        }
    }
    let text = format!("{NAMES}[Type: \"x\"]\n\n1A. e4 {{leo resigns}} 1-0\n");
    assert_eq!(match_of(&text).tag("WhiteA"), Some("ida"));
}

#[test]
fn position_or_variant_that_cannot_be_read_stops_a_game() {
    for odd in
        ["[FEN 8/8/8 w]", "[FEN \"8/8/8 w - - 0 1\"]", "[Variant \"Atomic\"]", "[Variant Atomic]"]
    {
        let games = pgn::read(format!("[Event \"x\"]\n{odd}\n\n1. e4 *\n").as_bytes());
        assert!(games[0].1.is_some(), "{odd}");
    }
}

#[test]
fn tag_that_comes_twice_does_not_cut_the_game() {
    let games = sound(
        "[Event \"x\"]\n[Annotator \"A\"]\n[Result \"1-0\"]\n\n[Annotator \"B\"]\n\n1. e4 e5 1-0\n\n\
         [Event \"y\"]\n[Event \"z\"]\n\n1. d4 1-0\n",
    );
    let found: Vec<_> = games.iter().map(|it| (it.tag("Event"), uci(it))).collect();
    assert_eq!(found, [(Some("x"), "e2e4 e7e5".to_owned()), (Some("y"), "d2d4".to_owned())]);
    let headers = "[Event \"1\"]\n[Result \"1-0\"]\n\n[Event \"2\"]\n[Result \"0-1\"]\n";
    let games = sound(headers);
    let results: Vec<_> = games.iter().map(|game| game.result.to_string()).collect();
    assert_eq!(results, ["1-0", "0-1"]);
}

#[test]
fn results_of_the_field_are_results() {
    let moves = "1. e4 e5 2. Nf3 Nc6";
    for (text, result, plies) in [
        (format!("[Result \"0-0\"]\n\n{moves} 0-0"), "0-0", 4),
        (format!("[Result \"0-0\"]\n\n{moves} 3. Bc4 Bc5 4. c3 Nf6 0-0"), "0-0", 8),
        ("[Result \"0-0\"]\n\n0-0".to_owned(), "0-0", 0),
        (format!("[Result \"0-0\"]\n\n{moves} *"), "0-0", 4),
        (format!("{moves} 3. Bc4 Bc5 4. c3 Nf6 0-0"), "0-0", 8),
        (format!("{moves} 3. Bc4 Bc5 4. 0-0 *"), "*", 7),
        (format!("[Result \"1-0\"]\n\n{moves} 3. Bc4 Bc5 4. c3 Nf6 5. d3 0-0"), "1-0", 10),
        (format!("[Result \"1-0\"]\n\n{moves} 3. Bc4 Bc5 4. 0-0"), "1-0", 7),
        (format!("{moves} 1–0"), "1-0", 4),
        (format!("{moves} 0—1"), "0-1", 4),
        (format!("{moves} ½–½"), "1/2-1/2", 4),
        (format!("{moves} ½"), "1/2-1/2", 4),
        (format!("{moves} +/-"), "1-0", 4),
        (format!("[Result \"-/+\"]\n\n{moves} -/+"), "0-1", 4),
        (format!("[Result \"0-1\"]\n\n{moves}"), "0-1", 4),
        (format!("[Result \"0-1\"]\n\n{moves} +/-"), "0-1", 4),
    ] {
        let games = sound(&text);
        assert_eq!(games.len(), 1, "{text}");
        assert_eq!(games[0].result.to_string(), result, "{text}");
        assert_eq!(games[0].plies.len(), plies, "{text}");
        let again = sound(&pgn::write(&games[0]));
        assert_eq!((uci(&again[0]), again[0].result), (uci(&games[0]), games[0].result), "{text}");
    }
    for (text, winner) in [("1–0", Some(Team::One)), ("0-0", None), ("½", None)] {
        let game = match_of(&format!("{NAMES}\n1A. e4 1a. e5 {text}\n"));
        assert_eq!((game.plies.len(), game.result.winner()), (2, winner), "{text}");
    }
    let game = match_of(&format!("{NAMES}[Result \"0-1\"]\n\n1A. e4 1a. e5\n"));
    assert_eq!(game.result.winner(), Some(Team::Two));
}

#[test]
fn marker_alone_is_a_result_and_nothing_odd() {
    for result in ["*", "1-0", "1/2-1/2"] {
        let game = sound(&format!("[Result \"{result}\"]\n\n{result}\n")).remove(0);
        assert_eq!((game.result.to_string().as_str(), game.warnings), (result, vec![]), "{result}");
    }
}

#[test]
fn signs_between_moves_are_no_moves() {
    let text = "1. e4 e5 2. Nf3 N Nc6 3. Bb5 ± a6 4. Ba4 += Nf6 5. O-O +/- Be7 \
                6. Re1 ∞ b5± 7. Bb3 !! d6⩲ 8. c3 D = 1-0";
    assert_eq!(sound(text)[0].plies.len(), 15);
    let game = match_of(&format!("{NAMES}\n1A. e4 !? 1a. e5 ± 2A. Nf3!? += {{leo resigns}} 1-0\n"));
    assert_eq!(game.plies.len(), 3);
}

#[test]
fn null_move_is_named() {
    for null in ["--", "Z0"] {
        let games = pgn::read(format!("1. e4 e5 2. Nf3 {null} 3. Nc3 *").as_bytes());
        let message = games[0].1.as_ref().expect("an error").to_string();
        assert!(message.contains("null move") && message.contains("2..."), "{message}");
    }
}

#[test]
fn files_in_utf_16_are_read_as_those_in_utf_8() {
    let text = "[White \"Zoë\"]\n\n1. e4 e5 1-0\n";
    let units = || text.encode_utf16();
    let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    for bytes in [
        [b"\xff\xfe".to_vec(), little.clone()].concat(),
        [b"\xfe\xff".to_vec(), big.clone()].concat(),
        little,
        big,
    ] {
        let games = pgn::read(&bytes);
        assert_eq!(games, pgn::read(text.as_bytes()));
    }
    let dos = "[White \"Zo\u{eb}\"]\n\n1. e4 {good \u{2013} or not} e5 1-0\n";
    let bytes: Vec<u8> = dos
        .chars()
        .map(
            |letter| if letter == '\u{2013}' { 0x96 } else { u8::try_from(letter as u32).unwrap() },
        )
        .collect();
    assert_eq!(pgn::read(&bytes)[0].0.plies[0].comment.as_deref(), Some("good – or not"));
}

#[test]
fn prose_above_the_first_game_is_no_game() {
    let games =
        sound("Games of round 1, typed by the club. Thanks!\n\n[Event \"x\"]\n\n1. e4 1-0\n");
    assert_eq!(games.len(), 1);
    assert_eq!(uci(&games[0]), "e2e4");
}

#[test]
fn clock_times_are_never_broken_over_two_lines() {
    let moves =
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O *";
    for length in 1..80 {
        let mut game = sound(moves).remove(0);
        game.plies[0].comment = Some("x".repeat(length));
        for ply in &mut game.plies {
            ply.clock_ms = Some(178_900);
        }
        let written = pgn::write(&game);
        assert_eq!(written.matches("{[%clk 0:02:58.9]}").count(), game.plies.len(), "{written}");
    }
}

/// Text that people and programs put between the moves of a game; none of it is a move.
fn oddity() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9%;()\\[\" .\n-]{0,20}".prop_map(|text| format!("{{{text}}}")),
        Just("$1".to_owned()),
        Just("!?".to_owned()),
        Just("±".to_owned()),
        Just("+=".to_owned()),
        Just("N".to_owned()),
        Just("\n% a line of a program\n".to_owned()),
        Just("; to the end\n".to_owned()),
        Just("(1. a3 {or} 1. h3)".to_owned()),
        Just("\n\n".to_owned()),
        Just("\r\n".to_owned()),
    ]
}

/// Text among the tags that is no tag, or none that matters.
fn odd_tag() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("[BlackType: \"program\"]".to_owned()),
        Just("[Site ?]".to_owned()),
        Just("[FEN \"\"]".to_owned()),
        Just("[Annotator \"A\"][Annotator \"B\"]".to_owned()),
        Just("\n".to_owned()),
        "[a-z \\[\\]]{0,12}".prop_map(|text| format!("[Remark \"{text}\"]")),
    ]
}

proptest! {
    #[test]
    fn sound_game_reads_the_same_whatever_odd_stands_between(
        oddities in prop::collection::vec(prop::option::of(oddity()), 13),
        tags in prop::collection::vec(odd_tag(), 0..5),
        marker in prop::sample::select(vec!["1-0", "1–0", "+/-", ""]),
    ) {
        let words = ["1.", "e4", "e5", "2.", "Nf3", "Nc6", "3.", "Bb5", "a6", "4.", "O-O", "Nf6"];
        let mut text = "[Event \"x\"]\n".to_owned();
        for tag in &tags {
            text += &format!("{tag}\n");
        }
        text += "[Result \"1-0\"]\n\n";
        for (word, odd) in words.iter().zip(&oddities) {
            text += word;
            text += " ";
            if let Some(odd) = odd {
                text += &format!("{odd} ");
            }
        }
        text += marker;
        let games = pgn::read(text.as_bytes());
        prop_assert_eq!(games.len(), 1, "{}", text);
        let (game, error) = &games[0];
        prop_assert_eq!(error, &None, "{}", text);
        prop_assert_eq!(uci(game), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 g8f6");
        prop_assert_eq!(game.result.to_string(), "1-0");
    }
}
