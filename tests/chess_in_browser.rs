//! A game of chess as a visitor sees it: the demonstration plays it at simulated sensors, and the page in a real browser
//! shows one board, its moves as they are made, and at the end the position and the result.

mod support {
    pub(crate) mod chromium;
    pub(crate) mod patience;
    pub(crate) mod program;
}

use std::{panic::AssertUnwindSafe, panic::resume_unwind, path::Path, time::Duration};

use futures::FutureExt as _;
use rules::{fen, pgn};
use serde::Deserialize;
use support::{
    chromium::Driver,
    patience::{PATIENCE, eventually, within},
    program::Program,
};
use thirtyfour::WebDriver;

/// Ends with a mate, after a castling and an exchange.
const GAME: &str = "[Event \"short\"]\n[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:03:01.0]} e5 \
    {[%clk 0:03:01.0]} 2. Nf3 {[%clk 0:03:02.0]} Nc6 {[%clk 0:03:02.0]} 3. Bc4 {[%clk 0:03:03.0]} \
    d6 {[%clk 0:03:03.0]} 4. O-O {[%clk 0:03:04.0]} Bg4 {[%clk 0:03:04.0]} 5. Nc3 \
    {[%clk 0:03:05.0]} Nd4 {[%clk 0:03:05.0]} 6. Nxe5 {[%clk 0:03:06.0]} Bxd1 {[%clk 0:03:06.0]} \
    7. Bxf7+ {[%clk 0:03:07.0]} Ke7 {[%clk 0:03:07.0]} 8. Nd5# {[%clk 0:03:08.0]} 1-0\n";
/// From the start of the program to its address.
const START_MAX: Duration = Duration::from_secs(20);
/// Longest play.
const PLAY_MAX: Duration = Duration::from_secs(90);

/// Script that reads all contents of a table's page at once.
const SHOWN: &str = r#"
    const boards = [...document.querySelectorAll('.match [data-board]')];
    return {
      boards: boards.map((board) => [board.dataset.board, board.dataset.fen]),
      reserves: document.querySelectorAll('.match .reserve').length,
      moves: [...document.querySelectorAll('[data-ply]')].map((move) => move.dataset.uci),
      result: document.querySelector('[data-testid=result]')?.textContent ?? '',
    };
"#;

#[derive(Clone, Debug, Deserialize)]
struct Shown {
    boards: Vec<(String, String)>,
    reserves: usize,
    moves: Vec<String>,
    result: String,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visitor_sees_a_game_of_chess_from_its_first_moves_to_mate() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adjudicator/web/dist/index.html");
    if !pages.is_file() {
        return not_run("build the pages (cargo xtask pages)");
    }
    let driver = match Driver::start() {
        Ok(driver) => driver,
        Err(missing) => return not_run(missing),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (games, out) = (folder.path().join("game.pgn"), folder.path().join("demo"));
    std::fs::write(&games, GAME).expect("room for the game");
    let text = |path: &Path| path.to_str().expect("a path in Unicode").to_owned();
    let (games, out) = (text(&games), text(&out));
    let arguments = [
        ["--tables", "1"],
        ["--matches", "1"],
        ["--games", &games],
        ["--speed", "4"],
        ["--players", "ideal"],
        ["--http", "127.0.0.1:0"],
        ["--out", &out],
    ];
    let log = folder.path().join("demo.log");
    let demo = Program::twinboard(&[&["demo"][..], &arguments.concat()].concat(), &log);
    demo.until_it_says_within(START_MAX, "Ctrl-C ends");
    let first = demo.lines(|line| line.contains("http://"));
    let address = first.iter().flat_map(|line| line.split_whitespace());
    let address = address.clone().find(|word| word.starts_with("http://")).expect("an address");

    let browser = driver.open(&folder.path().join("profile")).await;
    let visit = AssertUnwindSafe(visit(&browser, address)).catch_unwind().await;
    browser.quit().await.expect("Chromium stops");
    if let Err(panic) = visit {
        eprintln!("what the demonstration said:\n{}", demo.log());
        resume_unwind(panic);
    }
}

/// Under CI a test that cannot run has failed: one that silently stops running proves nothing.
fn not_run(remedy: &str) {
    assert!(std::env::var_os("CI").is_none(), "cannot run: {remedy}");
    println!("not run: {remedy}");
}

async fn visit(browser: &WebDriver, address: &str) {
    let (game, error) = pgn::read(GAME.as_bytes()).remove(0);
    assert_eq!(error, None);
    let played: Vec<String> = game.plies.iter().map(|ply| ply.ply.to_string()).collect();
    let page = format!("{}/table/1", address.trim_end_matches('/'));
    browser.goto(page).await.expect("the page opens");

    let early = within(PATIENCE, "some moves, not all", async || {
        let has_some = |shown: &Shown| (1..played.len()).contains(&shown.moves.len());
        shown_when(browser, has_some).await
    })
    .await;
    assert!(played.starts_with(&early.moves), "{early:?}");
    let [(board, _)] = &early.boards[..] else { panic!("one board alone: {early:?}") };
    assert_eq!((board.as_str(), early.reserves), ("A", 0), "chess has no reserves");

    let last = within(PLAY_MAX, "the mate", async || {
        shown_when(browser, |shown| shown.moves.len() == played.len()).await
    })
    .await;
    assert_eq!(last.moves, played);
    let end = eventually("the result and the last position", async || {
        shown_when(browser, |shown| shown.result.starts_with("White wins: mate")).await
    })
    .await;
    let position = game.final_position().expect("a legal game");
    let squares = |text: &str| text.split([' ', '[']).next().unwrap_or_default().replace('~', "");
    assert_eq!(squares(&end.boards[0].1), squares(&fen::format_chess(&position)));
}

async fn shown_when(browser: &WebDriver, holds: impl Fn(&Shown) -> bool) -> Result<Shown, String> {
    let answer = browser.execute(SHOWN, vec![]).await.map_err(|error| error.to_string())?;
    let shown: Shown = answer.convert().map_err(|error| error.to_string())?;
    if holds(&shown) { Ok(shown) } else { Err(format!("{shown:?}")) }
}
