//! Reading and writing records of chess: what people's files hold, and what is wrong with some.

use proptest::prelude::*;
use rules::{
    BoardId, Color, Match, Ply, Position, TimeControl,
    pgn::{self, GameResult, Item, PgnGame, PgnPly, PgnReason},
};

fn one(text: &str) -> (PgnGame, Option<pgn::PgnError>) {
    let mut games = pgn::read(text.as_bytes());
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0)
}

fn sound(text: &str) -> PgnGame {
    let (game, error) = one(text);
    assert_eq!(error, None);
    game
}

fn uci(game: &PgnGame) -> String {
    game.plies.iter().map(|ply| ply.ply.to_string()).collect::<Vec<_>>().join(" ")
}

/// The only error of a text, as people read it.
fn complaint(text: &str) -> (PgnGame, String) {
    let (game, error) = one(text);
    (game, error.expect("an error").to_string())
}

#[test]
fn moves_are_read_with_numbers_in_every_form() {
    for text in [
        "1. e4 e5 2. Nf3 Nc6 *",
        "1.e4 e5 2.Nf3 Nc6 *",
        "1. e4 1... e5 2. Nf3 2... Nc6 *",
        "1.e4 1...e5 2.Nf3 2...Nc6 *",
        "1 e4 e5 2 Nf3 Nc6 *",
        "e4 e5 Nf3 Nc6 *",
        "1. e4! e5?! $1 2. Nf3$14 Nc6 !? *",
        "1. e4 (1. d4 d5 (1... Nf6)) e5 2. Nf3 Nc6 *",
        "1. e2e4 e7-e5 2. Ng1f3 Nb8-c6 *",
        "\u{feff}[Event \"x\"]\r\n\r\n1. e4 e5\r\n2. Nf3 Nc6\r\n*\r\n",
    ] {
        assert_eq!(uci(&sound(text)), "e2e4 e7e5 g1f3 b8c6", "{text}");
    }
}

#[test]
fn castling_promotion_and_capture_in_passing_are_read() {
    let text = "1. e4 a6 2. e5 d5 3. exd6 e.p. Nf6 4. dxc7 Nbd7 5. cxd8=Q+ Kxd8 6. Nf3 b6 7. Be2 Bb7 \
                8. 0-0 *";
    let game = sound(text);
    assert!(uci(&game).starts_with("e2e4 a7a6 e4e5 d7d5 e5d6 "));
    assert!(uci(&game).ends_with("e1g1"));
    assert!(uci(&game).contains("c7d8q"));
}

#[test]
fn clock_times_are_read_from_comments_and_other_words_are_kept() {
    let text = "1. e4 {[%clk 0:02:58.9]} e5 { book [%eval 0.1] [%clk 1:00:00] move } {again} \
                2. Nf3 ; to the end of the line\n Nc6 {[%clk nonsense]} 1/2-1/2";
    let game = sound(text);
    let clocks: Vec<Option<i64>> = game.plies.iter().map(|ply| ply.clock_ms).collect();
    assert_eq!(clocks, [Some(178_900), Some(3_600_000), None, None]);
    let comments: Vec<Option<&str>> = game.plies.iter().map(|ply| ply.comment.as_deref()).collect();
    assert_eq!(comments, [None, Some("book move again"), Some("to the end of the line"), None]);
    assert_eq!(game.result, GameResult::Draw);
    let twice = sound("1. e4 {[%clk 0:01:00]} {[%clk soon]} *");
    assert_eq!(twice.plies[0].clock_ms, Some(60_000));
}

#[test]
fn results_are_read_as_they_stand() {
    for (text, result) in [
        ("1. e4 1-0", GameResult::White),
        ("1. e4 0-1", GameResult::Black),
        ("1. e4 1/2-1/2", GameResult::Draw),
        ("1. e4 *", GameResult::Unknown),
    ] {
        assert_eq!(sound(text).result, result, "{text}");
        assert!(pgn::write(&sound(text)).contains(&format!("[Result \"{result}\"]")));
    }
}

#[test]
fn results_with_blanks_around_the_dash_end_their_game() {
    for (text, result) in [
        ("1. e4 e5 1/2 - 1/2", GameResult::Draw),
        ("1. e4 e5 1 - 0", GameResult::White),
        ("1. e4 e5 ½ – ½", GameResult::Draw),
    ] {
        assert_eq!(sound(text).result, result, "{text}");
    }
}

#[test]
fn a_result_tag_that_contradicts_the_moves_is_named() {
    for (tag, moves, result) in [
        ("0-1", "1-0", GameResult::White),
        ("0-1", "*", GameResult::Black),
        ("1-0", "1/2-1/2", GameResult::Draw),
    ] {
        let game = sound(&format!("[Result \"{tag}\"]\n\n1. e4 {moves}\n"));
        assert_eq!(game.result, result);
        assert!(game.warnings[0].to_string().contains(moves), "{:?}", game.warnings);
    }
    assert_eq!(sound("[Result \"*\"]\n\n1. e4 1-0\n").warnings, []);
}

#[test]
fn figurines_nested_braces_and_reserved_brackets_are_read() {
    let game = sound("1. e4 {a {b} c} e5 2. ♘f3 ♞c6 <x y> 3. ♗b5± 1-0");
    assert_eq!(uci(&game), "e2e4 e7e5 g1f3 b8c6 f1b5");
    assert_eq!(game.plies[0].comment.as_deref(), Some("a {b} c"));
    let promoted = sound("[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=♕ *");
    assert_eq!(uci(&promoted), "a7a8q");
    let left_open = sound("1. e4 {a {b} e5 {c} 1-0");
    assert_eq!(left_open.plies.len(), 2, "the comment ends where the next one begins");
}

#[test]
fn game_begins_from_the_position_of_its_fen_tag() {
    let text = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 5 40\"]\n\n40... Kd7 41. e4 *";
    let game = sound(text);
    assert_eq!(uci(&game), "e8d7 e2e4");
    let written = pgn::write(&game);
    assert!(written.contains("[SetUp \"1\"]"), "{written}");
    assert!(written.contains("\n40... Kd7 41. e4 *"), "{written}");
    assert_eq!(pgn::read(written.as_bytes())[0].0.final_position(), game.final_position());
    assert_eq!(game.start_match().expect("a FEN").game(), rules::Game::Chess);
}

#[test]
fn illegal_move_ends_a_game_with_its_number_line_and_word() {
    let (game, message) =
        complaint("[Event \"x\"]\n\n1. e4 e5\n2. Ke2 Ke7\n3. Ke3 Ke6\n4. Kd5 1-0");
    assert_eq!(game.plies.len(), 6);
    for words in ["game 1", "line 6", "after 6 plies", "4.", "Kd5"] {
        assert!(message.contains(words), "{message}");
    }
    let (game, message) = complaint("1. f3 e5 2. a3 Qh4+ 3. a4 1-0");
    assert_eq!(uci(&game), "f2f3 e7e5 a2a3 d8h4");
    assert!(message.contains("3. a4 is illegal: it leaves the own king in check"), "{message}");
}

#[test]
fn drop_is_no_move_of_chess() {
    let (game, message) = complaint("1. e4 d5 2. exd5 Qxd5 3. P@e4 1-0");
    assert_eq!(game.plies.len(), 4);
    assert!(message.contains("no piece may be dropped in chess"), "{message}");
}

#[test]
fn game_cut_off_gives_what_could_be_read() {
    let (game, message) = complaint("[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb");
    assert_eq!(uci(&game), "e2e4 e7e5 g1f3 b8c6");
    assert!(message.contains("line 3") && message.contains("\"Bb\""), "{message}");
    let (game, message) = complaint("1. e4 e5 2. Nf3 {[%clk 0:02:5");
    assert_eq!(game.plies.len(), 3);
    assert!(message.contains("never closes"), "{message}");
    let (game, message) = complaint("1. e4 e5\n2. Nf3\n");
    assert_eq!(game.plies.len(), 3);
    assert!(message.contains("without a result") && message.contains("line 2"), "{message}");
    let (game, message) = complaint("[Event \"x\"]\n[White \"cut");
    assert!(message.contains("without a result"), "{message}");
    assert!(game.warnings[0].to_string().contains("is no tag"), "{:?}", game.warnings);
}

#[test]
fn damaged_game_does_not_hide_the_ones_after_it() {
    let text = "[Event \"1\"]\n\n1. e5 1-0\n\n[Event \"2\"]\n\n1. e4 {never closed\n\n\
                [Event \"3\"]\n\n1. d4 d5 0-1\n";
    let games = pgn::read(text.as_bytes());
    let errors: Vec<bool> = games.iter().map(|(_, error)| error.is_some()).collect();
    assert_eq!(errors, [true, true, false]);
    assert_eq!(games[1].1.as_ref().map(|error| error.game), Some(2));
    assert_eq!(uci(&games[2].0), "d2d4 d7d5");
}

#[test]
fn moves_after_a_result_are_a_game_of_their_own() {
    let games = pgn::read(b"[Event \"x\"]\n\n1. e4 e5 1-0 1. d4 d5 0-1 1. c4 * {the end}");
    let moves: Vec<String> = games.iter().map(|(game, _)| uci(game)).collect();
    assert_eq!(moves, ["e2e4 e7e5", "d2d4 d7d5", "c2c4"]);
    let tags: Vec<usize> = games.iter().map(|(game, _)| game.tags.len()).collect();
    assert_eq!(tags, [1, 0, 0]);
    assert!(games.iter().all(|(_, error)| error.is_none()), "{games:?}");
}

#[test]
fn file_without_a_game_says_what_was_expected() {
    for text in ["", "\n\n", "{only a remark}"] {
        let (_, message) = complaint(text);
        assert!(message.contains("there is no game in it"), "{text}: {message}");
    }
    let (_, message) = complaint("<html>not found</html>");
    assert!(message.contains("<html>"), "{message}");
}

#[test]
fn other_variants_and_wrong_positions_are_named() {
    let (_, message) = complaint("[Event \"x\"]\n[Variant \"Bughouse\"]\n\n1. e4 *");
    assert!(message.contains("\"Bughouse\""), "{message}");
    let (_, message) = complaint("[FEN \"4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1\"]\n\n1. Ke2 *");
    assert!(message.contains("FEN") && message.contains("reserve"), "{message}");
    assert!(sound("[Variant \"Standard\"]\n\n1. e4 *").plies.len() == 1);
}

#[test]
fn game_without_end_is_stopped() {
    let round = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(pgn::PLIES_MAX / 4 + 1);
    let (game, error) = one(&format!("{round} *"));
    assert_eq!(game.plies.len(), pgn::PLIES_MAX);
    assert_eq!(error.expect("an error").reason, PgnReason::Plies);
    let tags = "[A \"x\"]\n[B \"x\"]\n";
    let many: String = (0..=pgn::TAGS_MAX).map(|at| format!("[T{at} \"x\"]\n")).collect();
    assert_eq!(one(&format!("{many}\n1. e4 *")).1.expect("an error").reason, PgnReason::Tags);
    assert_eq!(sound(&format!("{tags}\n1. e4 *")).tags.len(), 2);
}

#[test]
fn overlong_comment_is_cut() {
    let game = sound(&format!("1. e4 {{{}}} {{more}} e5 *", "é".repeat(pgn::COMMENT_MAX + 1)));
    let comment = game.plies[0].comment.as_deref().expect("a comment");
    assert_eq!(comment, "é".repeat(pgn::COMMENT_MAX));
    assert_eq!(game.plies.len(), 2);
}

#[test]
fn tags_and_comments_are_escaped() {
    let mut game = sound("1. e4 e5 *");
    game.tags.push(("White".to_owned(), "Anna \"Quick\" \\ O'Neil\n[Black \"x\"]".to_owned()));
    game.plies[0].comment = Some("braces { and } and\n[Event \"x\"]\n% lines".to_owned());
    game.plies[1].comment = Some("[%clk 0:00:01]".to_owned());
    let again = sound(&pgn::write(&game));
    assert_eq!(again.tag("White"), Some("Anna \"Quick\" \\ O'Neil [Black \"x\"]"));
    assert_eq!(again.plies[0].comment.as_deref(), Some("braces ( and ) and [Event \"x\"] % lines"));
    assert_eq!(again.plies[1].clock_ms, None);
    assert_eq!(uci(&again), "e2e4 e7e5");
}

#[test]
fn written_game_has_numbers_clock_times_and_wrapped_lines() {
    let mut game = sound("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *");
    game.plies[1].clock_ms = Some(178_960);
    game.plies[2].clock_ms = Some(-5);
    let written = pgn::write(&game);
    assert!(
        written
            .contains("1. e4 e5 {[%clk 0:02:58.9]} 2. Nf3 {[%clk 0:00:00.0]} 2... Nc6 3. Bb5 a6 *"),
        "{written}"
    );
    assert!(written.lines().all(|line| line.chars().count() <= 80), "{written}");
}

#[test]
fn every_ply_of_black_that_follows_another_one_has_its_number() {
    let item = |number, color, san: &str| Item {
        number,
        color,
        san: san.to_owned(),
        clock_ms: None,
        comments: Vec::new(),
    };
    let items =
        [item(1, Color::White, "e4"), item(1, Color::Black, "e5"), item(2, Color::Black, "d5")];
    let written = pgn::write_items(&[], &items, GameResult::Unknown);
    assert_eq!(written, "\n1. e4 e5 2... d5 *\n\n");
}

#[test]
fn illegal_ply_that_stood_and_all_after_it_are_written_as_a_comment() {
    let mut game = sound("1. e4 e5 1-0");
    for text in ["e4e6", "d7e6"] {
        let ply: Ply = text.parse().expect("a ply");
        game.plies.push(PgnPly { ply, clock_ms: None, comment: None });
    }
    let written = pgn::write(&game);
    assert!(written.contains("{illegal, and played on: 2. e4e6 2... dxe6} 1-0"), "{written}");
    let again = sound(&written);
    assert_eq!(uci(&again), "e2e4 e7e5");
    assert_eq!(again.result, GameResult::White);
}

#[test]
fn time_control_is_read_from_its_tag() {
    let game = sound("[TimeControl \"180+1\"]\n\n1. e4 *");
    assert_eq!(game.time_control(), TimeControl::fischer(180, 1).map(Some));
    assert_eq!(sound("1. e4 *").time_control(), Ok(None));
    assert!(sound("[TimeControl \"soon\"]\n\n1. e4 *").time_control().is_err());
}

/// A game of legal plies chosen by these numbers, with clock times and comments.
fn made(choices: &[(u16, Option<u32>, Option<String>)]) -> PgnGame {
    let mut now = Match::chess();
    let mut game = PgnGame::default();
    let mut plies = Vec::new();
    for (choice, clock, comment) in choices {
        now.legal_plies(BoardId::A, &mut plies);
        if plies.is_empty() {
            break;
        }
        let ply = plies[usize::from(*choice) % plies.len()];
        now.play(BoardId::A, ply);
        let clock_ms = clock.map(|tenths| i64::from(tenths % 1_000_000) * 100);
        game.plies.push(PgnPly { ply, clock_ms, comment: comment.clone() });
    }
    game
}

proptest! {
    #[test]
    fn every_game_that_can_be_played_reads_back(
        choices in prop::collection::vec(
            (any::<u16>(), any::<Option<u32>>(), prop::option::of("[a-zA-Z0-9,.]{1,12}")),
            0..200,
        ),
        event in "[ -~]{0,30}",
    ) {
        let mut game = made(&choices);
        game.tags.push(("Event".to_owned(), event));
        game.tags.push((pgn::RESULT_TAG.to_owned(), game.result.to_string()));
        let again = pgn::read(pgn::write(&game).as_bytes());
        prop_assert_eq!(again, vec![(game, None)]);
    }

    #[test]
    fn any_comment_leaves_moves_and_clock_times_alone(
        choices in prop::collection::vec(
            (any::<u16>(), any::<Option<u32>>(), prop::option::of("[ -~\\n]{0,200}")),
            1..12,
        ),
    ) {
        let game = made(&choices);
        let again = pgn::read(pgn::write(&game).as_bytes());
        prop_assert_eq!(again.len(), 1);
        let (again, error) = &again[0];
        prop_assert_eq!(error, &None);
        let bare = |game: &PgnGame| -> Vec<(Ply, Option<i64>)> {
            game.plies.iter().map(|ply| (ply.ply, ply.clock_ms)).collect()
        };
        prop_assert_eq!(bare(again), bare(&game));
    }

    #[test]
    fn no_text_stops_the_reader(
        text in "(\\[[A-Z][a-z]* \"[a-z]*\"\\]\n|[0-9]{1,2}\\.+ ?|[NBRQK]?[a-h][1-8] |O-O |[{}();%$*\\[\\]]|1-0 |\n|[ -~])*",
    ) {
        for (game, error) in pgn::read(text.as_bytes()) {
            if game.start().is_err() {
                continue;
            }
            let written = pgn::write(&game);
            let again = pgn::read(written.as_bytes());
            prop_assert_eq!(again.len(), 1, "{}", written);
            prop_assert_eq!(&again[0].1, &None, "{}", written);
            prop_assert_eq!(uci(&again[0].0), uci(&game));
            if let Some(error) = error {
                prop_assert!(error.line <= text.lines().count().max(1));
            }
        }
    }
}

#[test]
fn initial_position_is_where_a_game_without_tags_begins() {
    assert_eq!(PgnGame::default().start(), Ok(Position::initial()));
}

#[test]
fn castling_rights_named_by_the_rooks_files_are_read() {
    let start = |rights| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w {rights} - 0 1");
    let usual = rules::fen::parse_board(&start("KQkq")).expect("the usual letters");
    assert_eq!(rules::fen::parse_board(&start("HAha")).expect("the rooks' files"), usual);
    let one = rules::fen::parse_board(&start("Ah")).expect("one each").position.castling_rights();
    let queen_side = rules::CastlingSide::QueenSide;
    assert!(one.has(Color::White, queen_side) && one.any(Color::Black));
    let inner = rules::fen::parse_board(&start("GBgb")).expect_err("rooks that stand inside");
    assert!(inner.to_string().contains("HAha"), "{inner}");
}

#[test]
fn drops_are_read_from_files_of_crazyhouse_alone() {
    // As FICS writes it: the game is named in `Event` only, times are those of each move.
    let fics = b"[Event \"FICS rated crazyhouse game\"]\n[Result \"*\"]\n\n\
        1. e4 {[%emt 0.0]} d5 {[%emt 0.1]} 2. exd5 {[%emt 1.2]} Qxd5 {[%emt 0.4]} 3. P@e4 {[%emt 0.9]} *";
    let (game, error) = pgn::read_crazyhouse(fics).remove(0);
    assert_eq!((game.plies.len(), error), (5, None));
    assert_eq!(game.plies[4].ply.to_string(), "P@e4");
    let as_chess = pgn::read(fics).remove(0);
    assert_eq!((as_chess.0.plies.len(), as_chess.1.is_some()), (4, true));
    // As Lichess writes it.
    let lichess = b"[Variant \"Crazyhouse\"]\n[Result \"*\"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@e4 *";
    assert_eq!(pgn::read_crazyhouse(lichess)[0].1, None);
    assert!(pgn::read(lichess)[0].1.is_some());
    // What stands on an occupied square is no drop in either.
    let onto = b"1. e4 d5 2. exd5 Qxd5 3. P@d5 *";
    assert!(pgn::read_crazyhouse(onto)[0].1.is_some());
}
