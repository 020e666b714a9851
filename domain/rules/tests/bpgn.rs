//! Records as they are found, whole and damaged.

use rules::{
    BoardId, Color, Role, Seat, Team,
    bpgn::{self, BpgnError, BpgnGame, BpgnReason, EndReason, Ending, MatchResult},
};

const TAGS: &str =
    "[Event \"club\"]\n[WhiteA \"Ann\"]\n[BlackA \"Bob\"]\n[WhiteB \"Cid\"]\n[BlackB \"Dee\"]\n\n";

fn read_one(text: &str) -> Result<BpgnGame, BpgnError> {
    let mut games = bpgn::read(text.as_bytes());
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0)
}

fn game(movetext: &str) -> BpgnGame {
    read_one(&format!("{TAGS}{movetext}\n")).unwrap_or_else(|error| panic!("{error}"))
}

fn error(movetext: &str) -> BpgnError {
    read_one(&format!("{TAGS}{movetext}\n")).expect_err("this record is wrong")
}

/// Asserts that a written game reads back; writing adds a result tag.
fn assert_reads_back(mut game: BpgnGame) {
    let written = bpgn::write(&game);
    game.set_tag("Result", &game.result.to_string());
    assert_eq!(read_one(&written), Ok(game));
}

fn uci(game: &BpgnGame) -> String {
    game.plies.iter().map(|ply| ply.ply.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn drops_are_read_with_and_without_the_pawns_letter() {
    for drop in ["P@e6", "@e6", "p@e6"] {
        let text = format!("1A. e4 1B. e4 1a. d5 2A. exd5 1b. e5 2B. f4 2b. {drop} *");
        assert!(uci(&game(&text)).ends_with("P@e6"), "{drop}");
    }
}

#[test]
fn clock_times_are_read_in_several_conventions_and_may_be_missing() {
    let game =
        game("1A. e4{118.3} 1a. e5 {1:58.25} 2A.Nf3{[%clk 0:01:57]}2a. Nc6 3A. Bb5{117,5} *");
    let clocks: Vec<Option<i64>> = game.plies.iter().map(|ply| ply.clock_ms).collect();
    assert_eq!(clocks, [Some(118_300), Some(118_250), Some(117_000), None, Some(117_500)]);
}

#[test]
fn comments_stay_with_their_ply_and_are_not_endings() {
    let game = game("{C:first round} 1A. e4{118.3}{C:he resigns soon} {C:30.5} 1a. e5{why not} *");
    assert_eq!(game.plies[0].comment.as_deref(), Some("he resigns soon 30.5"));
    assert_eq!(game.plies[0].clock_ms, Some(118_300));
    assert_eq!(game.plies[1].comment.as_deref(), Some("why not"));
    assert_eq!(game.ending, None);
}

#[test]
fn result_is_derived_from_who_the_ending_names() {
    for (ending, loser, reason) in [
        ("{Ann checkmated} 0-1", Seat::ALL[0], EndReason::Checkmated),
        ("{bob resigns} 1-0", Seat::ALL[1], EndReason::Resigns),
        // The deciding board's White lost here, so the file says 0-1; team 1 won all the same.
        ("{Cid forfeits on time} 0-1", Seat::ALL[2], EndReason::ForfeitsOnTime),
        ("{BB checkmated} 1-0", Seat::ALL[3], EndReason::Checkmated),
        ("1-0 {Dee forfeits}", Seat::ALL[3], EndReason::Forfeits),
    ] {
        let game = game(&format!("1A. e4 {ending}"));
        assert_eq!(game.result, MatchResult::lost_by(loser.team()), "{ending}");
        let found = game.ending.expect("an ending");
        assert_eq!((found.loser, found.reason), (Some(loser), reason), "{ending}");
    }
    assert_eq!(game("1A. e4 {Game drawn by mutual agreement} 1/2-1/2").result, MatchResult::Draw);
    assert_eq!(
        game("1A. e4 {Game drawn because both players ran out of time} *").result,
        MatchResult::Draw
    );
    assert_eq!(game("1A. e4 1-0").result.winner(), Some(Team::One));
}

#[test]
fn player_with_an_ambiguous_name_is_not_guessed() {
    let text = "[WhiteA \"Sam\"]\n[BlackA \"Sam\"]\n\n1A. e4 {Sam resigns} 0-1\n";
    let game = read_one(text).expect("a readable record");
    assert_eq!(game.ending.expect("an ending").loser, None);
    assert_eq!(game.result, MatchResult::TeamTwo);
}

#[test]
fn latin_1_and_carriage_returns_and_byte_order_marks_are_read() {
    let mut bytes = b"\xef\xbb\xbf[WhiteA \"J\xfcrgen\"]\r\n\r\n1A. e4{10.0}\r\n1a. e5{9}\r\n{J\xfcrgen resigns} 0-1\r\n".to_vec();
    let games = bpgn::read(&bytes);
    let game = games[0].as_ref().expect("a readable record");
    assert_eq!(game.tag("WhiteA"), Some("Jürgen"));
    assert_eq!(game.ending.as_ref().and_then(|it| it.loser), Some(Seat::ALL[0]));
    bytes.retain(|&byte| byte != b'\n');
    assert_eq!(&bpgn::read(&bytes), &games);
    let utf8 = "[WhiteA \"Jürgen\"]\n\n1A. e4{10.0} 1a. e5{9} {Jürgen resigns} 0-1";
    assert_eq!(bpgn::read(utf8.as_bytes()), games);
}

#[test]
fn illegal_ply_is_an_error_that_names_it_and_keeps_what_came_before() {
    let error = error("1A. e4{10} 1a. e5\n2A. Nf3 2a. N@e6 *");
    assert_eq!((error.game, error.line, error.plies), (1, 8, 3));
    assert_eq!(uci(&error.readable), "e2e4 e7e5 g1f3");
    let text = error.to_string();
    for part in ["game 1", "line 8", "2a. N@e6", "not in the reserve", "{C:illegal}"] {
        assert!(text.contains(part), "{part:?} is missing in {text:?}");
    }
}

#[test]
fn impossible_and_out_of_turn_plies_are_errors() {
    assert!(matches!(error("1A. e4 1a. Qh4 *").reason, BpgnReason::San { .. }));
    assert!(error("1A. e4 2A. d4 *").to_string().contains("the other side's turn"));
    assert!(matches!(error("1A. e4 1a. *").reason, BpgnReason::NumberWithoutPly(_)));
    assert!(matches!(error("1A. e4 e5 *").reason, BpgnReason::Token(_)));
    assert!(matches!(error("1A. e4 1a. zz9 *").reason, BpgnReason::San { .. }));
    assert!(matches!(error("1A. e4 * 1a. e5").reason, BpgnReason::Token(_)));
}

#[test]
fn illegal_plies_that_stood_are_marked_and_read_back() {
    let text = "1A. e4 1a. f6 2A. Qh5+ 2a. a6{C:illegal king-left-in-check} 3A. Qxe8 {C:illegal} 3b. e5{C:illegal out-of-turn} 4A. e4e6{C:illegal}{C:oh} *";
    let game = game(text);
    assert_eq!(uci(&game), "e2e4 f7f6 d1h5 a7a6 h5e8 e7e5 e4e6");
    assert_eq!(game.plies[6].comment.as_deref(), Some("oh"));
    assert_reads_back(game);
}

#[test]
fn file_cut_in_the_middle_gives_the_readable_part_and_an_error() {
    let whole = format!("{TAGS}1A. e4{{10.0}} 1a. e5{{C:a long remark}} 2A. Nf3 *\n");
    let first = format!("{TAGS}1A. d4 *\n\n");
    let start = whole.find("1A.").expect("there are plies");
    for cut in start + 1..whole.len() - 2 {
        let games = bpgn::read(format!("{first}{}", &whole[..cut]).as_bytes());
        assert_eq!(games.len(), 2);
        assert!(games[0].is_ok());
        let error = games[1].as_ref().expect_err("this game has no end");
        assert_eq!(error.game, 2);
        assert!(uci(&error.readable).len() <= "e2e4 e7e5 g1f3".len());
        assert!("e2e4 e7e5 g1f3".starts_with(&uci(&error.readable)), "cut at {cut}");
    }
}

#[test]
fn damaged_game_does_not_hide_the_games_after_it() {
    for damage in ["1A. e4 {never closed", "1A. e4 1a. Qa1 *", "1A. e4 * garbage", ""] {
        let text = format!("{TAGS}{damage}\n\n{TAGS}1A. d4 {{Ann resigns}} 0-1\n");
        let games = bpgn::read(text.as_bytes());
        assert_eq!(games.len(), 2, "{damage:?}: {games:?}");
        assert!(games[0].is_err(), "{damage:?}");
        assert_eq!(games[1].as_ref().map(uci), Ok("d2d4".to_owned()), "{damage:?}");
    }
    let text =
        format!("{TAGS}1A. e4 *\n\n[Event \"broken\n[Site \"x\"]\n\n1A. c4 *\n\n{TAGS}1A. d4 *\n");
    let games = bpgn::read(text.as_bytes());
    // A tag is a remark: what is broken in it costs no game.
    let found: Vec<_> =
        games.iter().flatten().map(|game| (uci(game), game.warnings.len())).collect();
    let expected = [("e2e4", 0), ("c2c4", 1), ("d2d4", 0)];
    assert_eq!(found, expected.map(|(plies, warnings)| (plies.to_owned(), warnings)));
}

#[test]
fn text_that_is_no_record_says_so() {
    for text in ["", "\n\n", "hello world", "\u{0}\u{1}", "[%clk 1]"] {
        let error = read_one(text).expect_err("no record");
        assert!(
            matches!(error.reason, BpgnReason::NoGame | BpgnReason::Tag(_)),
            "{text:?}: {error}"
        );
    }
    let remarks = format!("{{a collection}}\n\n{TAGS}1A. e4 *\n");
    assert!(bpgn::read(remarks.as_bytes())[0].is_ok());
}

#[test]
fn set_up_with_swapped_king_and_queen_is_read_from_the_fen_tag() {
    let text = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR[] w KQkq - 0 1 | \
                rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Nq] w KQkq - 0 1\"]\n\n\
                1A. Nc3 1a. e5 2A. b3 2a. d6 3A. Bb2 3a. a6 4A. O-O 1B. N@e5 *\n";
    let game = read_one(text).expect("a readable record");
    assert_eq!(game.plies[6].ply.to_string(), "d1b1");
    let end = game.final_match().expect("a FEN");
    let reserve = end.reserve(Seat { board: BoardId::B, color: Color::Black });
    assert_eq!(reserve.count(Role::Queen), 1);
    assert_reads_back(game);
    let error = read_one("[FEN \"8/8/8 w - - 0 1\"]\n\n1A. e4 *\n").expect_err("half a FEN");
    assert!(matches!(error.reason, BpgnReason::Fen(_)));
}

#[test]
fn written_record_is_wrapped_and_worded_for_people() {
    let mut game = game("1A. e4{300.0} 1B. d4{299.95} 1a. e5{C:quick} *");
    game.ending = Some(Ending::lost(Seat::ALL[1], EndReason::ForfeitsOnTime, &game));
    game.result = MatchResult::TeamOne;
    insta::assert_snapshot!(bpgn::write(&game));
}
