//! A director's phone and the hands at a board, through the real programs. Simulated nodes execute the page's orders, and the page
//! shows the nodes' readings. The adjudicator finds an illegal ply without a claim. The director rules on it with four touches, its
//! position is reinstated square by square, and play goes on from there. Then the clock stops answering: the page reports it, and no
//! program waits for ever. At another table two players claim at once, and the page shows whose claim comes first.
//!
//! The nodes run in this process, because their hands answer what the director decides; hub and adjudicator are the programs.

mod support {
    pub(crate) mod chromium;
    pub(crate) mod patience;
    pub(crate) mod phone;
    pub(crate) mod program;
    pub(crate) mod set_up;
}
#[path = "in_browser/set_up.rs"]
mod set_up;
use support::program;

use std::{
    panic::{AssertUnwindSafe, resume_unwind},
    path::Path,
    time::Duration,
};

use futures::FutureExt as _;
use proto::link::Side;
use rules::{Color, Square};
use serde_json::{Value, json};
use sim::real_time::{Fault, Touch, Workbench, WorkbenchNode};
use support::{
    chromium::Driver,
    patience::eventually,
    phone::Phone,
    program::{Program, free_port},
};

/// Rulebooks of chess, because they have illegal plies taken back and rule the order of claims; directors may call neither.
const SCHOLASTIC: &str = "nc-scholastic";
const BLITZ: &str = "us-chess-blitz-2020";
const BASE_S: u32 = 300;
const BOARD: &str = "board-a";
const CLOCK: &str = "clock-a";
const TOKEN: &str = "a token of the organiser's, long enough";
/// From a piece lifted to the piece put down, from there to the press, and from there to the opponent's hand.
const HAND: Duration = Duration::from_millis(250);
/// Touches that an alert may cost until it is ruled on.
const TOUCHES_MAX: u64 = 4;

/// Programs, nodes and hands of one table.
struct Venue {
    folder: tempfile::TempDir,
    http: String,
    bench: Workbench,
    hub: Program,
    adjudicator: Program,
    client: reqwest::Client,
}

impl Venue {
    fn open(book: &str) -> Venue {
        let folder = tempfile::tempdir().expect("a folder");
        let (http_port, broker_port) = (free_port(), free_port());
        let token = folder.path().join("td-token");
        adjudicator::pki::secrets::write(&token, TOKEN).expect("a token's file");
        let serve = format!(
            "[event]\nname = \"At the board\"\n[http]\naddress = \"127.0.0.1:{http_port}\"\ntd_token_file = {token:?}\n\
             [broker]\naddress = \"127.0.0.1:{broker_port}\"\n"
        );
        std::fs::write(folder.path().join("serve.toml"), serve).expect("a configuration");
        let nodes = vec![
            WorkbenchNode::Board { name: BOARD.to_owned(), trays: false, faults: Vec::new() },
            WorkbenchNode::Clock { name: CLOCK.to_owned() },
        ];
        let bench = Workbench::start(folder.path(), nodes, 1).expect("a bench");
        let hub = format!(
            "[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"127.0.0.1\"\nport = {broker_port}\n\
             [[table]]\nname = \"1\"\ngame = \"chess\"\nrulebook = \"{book}\"\nbase_s = {BASE_S}\n\
             [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"{BOARD}\"\nport = {:?}\n\
             [[table.node]]\nboard = \"A\"\nkind = \"clock\"\nnode = \"{CLOCK}\"\nport = {:?}\n",
            folder.path().join("hub.sqlite"),
            bench.ports()[0],
            bench.ports()[1],
        );
        std::fs::write(folder.path().join("hub.toml"), hub).expect("a configuration");
        let (adjudicator, hub) = (
            Program::configured(folder.path(), "serve"),
            Program::configured(folder.path(), "hub"),
        );
        let http = format!("http://127.0.0.1:{http_port}");
        Venue { folder, http, bench, hub, adjudicator, client: reqwest::Client::new() }
    }

    async fn get(&self, path: &str) -> Result<Value, String> {
        let request = self.client.get(format!("{}{path}", self.http)).bearer_auth(TOKEN);
        let answer = request.send().await.map_err(|error| error.to_string())?;
        answer.json().await.map_err(|error| error.to_string())
    }

    /// Returns the result of `wanted` on an answer, once it is `Some`.
    async fn until<T>(&self, path: &str, what: &str, wanted: impl Fn(&Value) -> Option<T>) -> T {
        eventually(what, async || {
            let answer = self.get(path).await?;
            wanted(&answer).ok_or_else(|| answer.to_string())
        })
        .await
    }

    /// A phone with the chief's rights.
    async fn phone(&self, driver: &Driver) -> Phone {
        chiefs_phone(driver, self.folder.path(), &self.http).await
    }

    async fn square(&self, square: Square, occupied: bool) {
        let touch = Touch::Square(square, occupied);
        self.bench.touch(BOARD, touch).await.expect("a hand at the board");
        tokio::time::sleep(HAND).await;
    }

    async fn at_the_clock(&self, touch: Touch) {
        self.bench.touch(CLOCK, touch).await.expect("a hand at the clock");
        tokio::time::sleep(2 * HAND).await;
    }

    /// Waits until a match is set up, and presses Black's side; the match.
    async fn begin(&self) -> String {
        let match_id = self
            .until("/api/v1/round", "a match that is set up", |round| {
                round["tables"][0]["match"].as_str().map(str::to_owned)
            })
            .await;
        self.at_the_clock(Touch::Lever(Side::Black)).await;
        match_id
    }

    /// Checks that the hub's journal contains the delay, for replays of the match.
    fn knows_of_the_delay(&self, match_id: &str) {
        let journal = self.folder.path().join("hub.sqlite");
        let said = std::process::Command::new(env!("CARGO_BIN_EXE_twinboard"))
            .arg("journal")
            .arg(journal)
            .args(["facts", match_id])
            .output()
            .expect("the program");
        let facts = String::from_utf8_lossy(&said.stdout);
        let of_delay = facts.lines().find(|line| line.contains("\"per_move\""));
        let of_delay: Value = serde_json::from_str(of_delay.expect("a fact")).expect("JSON");
        assert_eq!(of_delay["per_move"], json!({ "delay_s": 99, "delay": "us" }));
    }

    async fn record(&self, match_id: &str) -> String {
        let url = format!("{}/api/v1/matches/{match_id}.pgn", self.http);
        let answer = self.client.get(url).send().await.expect("an answer");
        answer.text().await.expect("a record")
    }

    /// Plays plies without captures, `e2e4`; `first` is the side that begins.
    async fn play(&self, plies: &[&str], first: Color) {
        let mut side = first;
        for ply in plies {
            let square = |at: &str| at.parse::<Square>().expect("a square");
            self.square(square(&ply[..2]), false).await;
            self.square(square(&ply[2..]), true).await;
            let by = if side == Color::White { Side::White } else { Side::Black };
            self.at_the_clock(Touch::Lever(by)).await;
            side = side.other();
        }
    }

    fn logs(&self) -> String {
        format!("── hub\n{}\n── adjudicator\n{}", self.hub.log(), self.adjudicator.log())
    }
}

/// A phone with the chief's rights.
async fn chiefs_phone(driver: &Driver, folder: &Path, http: &str) -> Phone {
    let wish = json!({ "person": "Ann", "rank": "chief", "scope": {} });
    let url = format!("{http}/api/v1/td/invitations");
    let client = reqwest::Client::new();
    let invitation = eventually("an invitation", async || {
        let request = client.post(&url).bearer_auth(TOKEN).json(&wish);
        let answer = request.send().await.map_err(|error| error.to_string())?;
        answer.json::<Value>().await.map_err(|error| error.to_string())
    })
    .await;
    let word = |name: &str| invitation[name].as_str().expect("a word").to_owned();
    Phone::let_in(driver, &folder.join("profile"), http, &word("path"), &word("pin")).await
}

/// Chromium's driver; `None` (and a printed line) where this cannot run.
fn browser() -> Option<Driver> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adjudicator/web/dist/index.html");
    if !pages.is_file() {
        not_run("build the pages (cargo xtask pages)");
        return None;
    }
    Driver::start().map_err(not_run).ok()
}

/// Under CI a test that cannot run has failed: one that silently stops running proves nothing.
fn not_run(remedy: &str) {
    assert!(std::env::var_os("CI").is_none(), "cannot run: {remedy}");
    println!("not run: {remedy}");
}

/// Runs `visit` at a table of this book, with a director's phone.
async fn at_a_table(book: &str, visit: impl AsyncFnOnce(&mut Venue, &Phone)) {
    let Some(driver) = browser() else { return };
    let mut venue = Venue::open(book);
    let phone = venue.phone(&driver).await;
    let done = AssertUnwindSafe(visit(&mut venue, &phone)).catch_unwind().await;
    phone.show("the page as it was left").await;
    phone.quit().await;
    if let Err(panic) = done {
        let orders = venue.get("/api/v1/td/tables/1").await.map(|shown| shown["orders"].clone());
        eprintln!("{}\n── orders\n{orders:?}", venue.logs());
        resume_unwind(panic);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn position_is_put_up_again_by_hands_and_a_silent_clock_is_told_of() {
    at_a_table(SCHOLASTIC, async |venue: &mut Venue, phone: &Phone| {
        let match_id = venue.begin().await;
        // White's knight goes where no knight goes, and Black answers.
        let plies = ["e2e4", "e7e5", "g1f3", "b8c6", "f3a5", "d7d6"];
        venue.play(&plies, Color::White).await;
        rule_in_four_touches(phone).await;
        put_the_position_up(venue, phone, &match_id).await;
        change_the_delay(phone).await;
        go_on(venue, phone, &match_id).await;
        venue.knows_of_the_delay(&match_id);
        see_the_clock_wait(venue, phone, &match_id).await;
        silence_the_clock(venue, phone).await;
        take_back_what_no_hub_took(venue, phone, &match_id).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_claims_the_page_says_which_comes_first() {
    at_a_table(BLITZ, async |venue: &mut Venue, phone: &Phone| {
        let match_id = venue.begin().await;
        venue.play(&["e2e4", "e7e5", "g1g3"], Color::White).await;
        phone.see(".need[data-silent=true]", "A completed ply that the rules do not allow").await;
        phone.tap(".need[data-silent=true] a.need-words").await;
        let_blacks_flag_fall(venue, phone, &match_id).await;
        // Black claims that White's last ply was illegal; White claims at the same time that Black's flag fell.
        phone.press("Open the claim").await;
        phone.see("[data-testid=claim]", "Black claims: The opponent").await;
        phone.choose("[data-testid=open-claim] option[value=white-a]").await;
        phone.choose("[data-testid=open-claim] option[value=flag-fall]").await;
        phone.see("[data-testid=considered]", "Black claimed White's illegal ply first").await;
        phone.press("Open the claim").await;
        phone.see("[data-testid=claim][data-points=upheld]", "1 of 2, in the order").await;
        let second = "[data-testid=claim][data-points=denied]";
        phone.see(second, "2 of 2, in the order in which they were opened: White claims").await;
        phone.see(second, "Black claimed White's illegal ply first or at once").await;
        phone.show("two claims").await;
        phone.press("Uphold").await;
        phone.press("Uphold?").await;
        phone.see("[data-testid=ledger]", "ruled upheld").await;
        phone.press("Deny").await;
        phone.press("Deny?").await;
        phone.see("[data-testid=ledger]", "ruled denied").await;
        let record = venue.record(&match_id).await;
        assert!(record.contains("[Result \"0-1\"]"), "{record}");
    })
    .await;
}

/// The clock is stopped, Black gets a second, and the clock goes on until a hand stops it.
async fn let_blacks_flag_fall(venue: &Venue, phone: &Phone, match_id: &str) {
    let done = "[data-testid=orders] > li[data-state=done]";
    phone.open_clock().await;
    phone.press("Stop").await;
    phone.see(done, "clock A: stop").await;
    phone.choose(".one-clock option[value=black]").await;
    phone.write(".one-clock input", "0:01").await;
    phone.press("Set to 0:01").await;
    phone.press("Set to 0:01?").await;
    phone.see(done, "Black −").await;
    phone.press("Go on").await;
    phone.see(done, "clock A: go on").await;
    let path = format!("/api/v1/td/matches/{match_id}");
    venue
        .until(&path, "Black's flag down", |shown| {
            let mut alerts = shown["alerts"].as_array()?.iter();
            alerts.any(|alert| alert["code"] == "flag-fallen").then_some(())
        })
        .await;
    venue.at_the_clock(Touch::Stop).await;
}

/// From the silent alert on the list to the ruling.
async fn rule_in_four_touches(phone: &Phone) {
    phone.see(".need[data-silent=true]", "A completed ply that the rules do not allow").await;
    let before = phone.touches().await;
    phone.tap(".need[data-silent=true] a.need-words").await;
    phone.press("Open the claim").await;
    phone.see("[data-testid=claim]", "In time; the rule points to upheld").await;
    phone.press("Uphold").await;
    phone.press("Uphold?").await;
    phone.see("[data-testid=ledger]", "ruled upheld").await;
    let touches = phone.touches().await - before;
    assert_eq!(touches, TOUCHES_MAX, "from a silent alert; from a claim it is one less");
}

/// The clock is stopped, and hands follow the page's steps.
async fn put_the_position_up(venue: &Venue, phone: &Phone, match_id: &str) {
    phone.open_clock().await;
    phone.press("Stop").await;
    phone.see("[data-testid=orders] > li[data-state=done]", "clock A: stop").await;
    let waiting = "[data-testid=put-up][data-state=waiting]";
    phone.see(waiting, "White knight: a5 to f3").await;
    phone.see(waiting, "2 of 2 to be done").await;
    phone.show("position to be put up").await;
    venue.square(Square::A5, false).await;
    venue.square(Square::F3, true).await;
    phone.see(&format!("{waiting} li[data-step=done]"), "White knight").await;
    phone.see(waiting, "1 of 2 to be done").await;
    venue.square(Square::D6, false).await;
    venue.square(Square::D7, true).await;
    let stands = "[data-testid=put-up][data-state=stands]";
    phone.see(stands, "Play is followed from here. Start the clock.").await;
    // The clock has the time that the ruling gives.
    let path = format!("/api/v1/td/matches/{match_id}");
    let blacks =
        |shown: &Value| shown["shown"]["table"]["boards"]["A"]["clock"]["black_ms"].as_i64();
    let before_ms = venue.until(&path, "Black's time", blacks).await;
    phone.press("As ruled: clock A: Black +2:00").await;
    phone.press("As ruled: clock A: Black +2:00?").await;
    phone.see("[data-testid=orders] > li[data-state=done]", "Black +2:00").await;
    let has_more = |shown: &Value| (blacks(shown)? == before_ms + 120_000).then_some(());
    venue.until(&path, "two minutes more", has_more).await;
}

/// Orders a delay while the clock is paused; it is longer than the rest of this test.
async fn change_the_delay(phone: &Phone) {
    phone.choose(".delay option[value='us']").await;
    phone.choose(".delay option[value='99']").await;
    phone.show("another delay").await;
    phone.press("Order 99 s delay").await;
    phone.press("Order 99 s delay?").await;
    phone.see("[data-testid=orders] > li[data-state=done]", "clock A: 99 s delay").await;
    phone
        .see("[data-testid=orders] > li[data-state=taken]", "followed with the clock's delay")
        .await;
    phone.see(".one-clock summary", "99 s delay").await;
}

/// White's time waits for the delay: it equals the time at the start of White's ply, and no alert accuses a player.
async fn see_the_clock_wait(venue: &Venue, phone: &Phone, match_id: &str) {
    let path = format!("/api/v1/td/matches/{match_id}");
    let whites = |shown: &Value, running: &Value| {
        let clock = &shown["shown"]["table"]["boards"]["A"]["clock"];
        (clock["running"] == *running).then(|| clock["white_ms"].as_i64()).flatten()
    };
    let runs = Value::from("white");
    let began_ms = venue.until(&path, "White's ply", |shown| whites(shown, &runs)).await;
    phone.press("Stop").await;
    let left_ms =
        venue.until(&path, "a clock that stands", |shown| whites(shown, &Value::Null)).await;
    assert_eq!(left_ms, began_ms, "the delay is not over");
    let shown = venue.get(&path).await.expect("the match");
    let accused =
        |alert: &Value| alert["code"].as_str().is_some_and(|code| code.starts_with("clock-"));
    assert!(!shown["alerts"].as_array().expect("alerts").iter().any(accused), "{shown}");
    phone.press("Go on").await;
    venue.until(&path, "White's time again", |shown| whites(shown, &runs)).await;
}

/// The tracker goes on from the position; the record and the ledger say what was taken back.
async fn go_on(venue: &Venue, phone: &Phone, match_id: &str) {
    phone.press("Go on").await;
    phone.see("[data-testid=orders] > li[data-state=done]", "clock A: go on").await;
    venue.play(&["f3d4", "g8f6"], Color::White).await;
    let path = format!("/api/v1/matches/{match_id}");
    let plies = venue
        .until(&path, "eight plies", |shown| {
            let plies = shown["plies"].as_array()?.clone();
            (plies.len() == 8).then_some(plies)
        })
        .await;
    let told: Vec<(&str, bool)> = plies
        .iter()
        .map(|ply| (ply["uci"].as_str().expect("a ply"), ply["undone"] == true))
        .collect();
    let stands = ["e2e4", "e7e5", "g1f3", "b8c6"].map(|uci| (uci, false));
    let undone = ["f3a5", "d7d6"].map(|uci| (uci, true));
    let after = ["f3d4", "g8f6"].map(|uci| (uci, false));
    assert_eq!(told, [&stands[..], &undone, &after].concat());
    let pgn = venue.record(match_id).await;
    assert!(pgn.contains("taken back: 3. Nf3a5, 3... d6"), "{pgn}");
    assert!(pgn.contains("3. Nd4") && pgn.contains("Nf6"), "{pgn}");
    phone.see("[data-testid=ledger]", "ruled upheld: the position before ply 5 (").await;
}

/// A clock that sends its times and receives nothing: the page asks for a check of the clock, and the list does until a hand has
/// operated it.
async fn silence_the_clock(venue: &Venue, phone: &Phone) {
    venue.bench.inflict(CLOCK, Fault::Deaf).await.expect("a deaf clock");
    phone.press("Stop").await;
    phone.see("[data-testid=orders] > li[data-state=unknown]", "the clock has not answered").await;
    phone.see("[data-testid=orders] > li[data-state=unknown]", "look at the clock").await;
    phone.show("a clock that does not answer").await;
    phone.follow("Open items").await;
    phone.see(".need[data-urgency=clock]", "Not done: clock A: stop").await;
    phone.tap(".need[data-urgency=clock] a.need-words").await;
    venue.at_the_clock(Touch::Stop).await;
    phone.see("[data-testid=orders] > li[data-state=shown]", "done by hand").await;
}

/// An order that no hub has taken can be taken back, and is not done when the hub comes back.
async fn take_back_what_no_hub_took(venue: &mut Venue, phone: &Phone, match_id: &str) {
    venue.hub.kill();
    phone.open_clock().await;
    phone.press("Go on").await;
    phone.see("[data-testid=orders] > li[data-state=sent]", "on its way").await;
    phone.press("Take back").await;
    phone.see("[data-testid=orders] > li[data-state=withdrawn]", "taken back").await;
    venue.hub = Program::configured(venue.folder.path(), "hub");
    let path = format!("/api/v1/td/matches/{match_id}");
    venue
        .until("/api/v1/round", "the hub again", |round| {
            (round["tables"][0]["sensors"] != "lost").then_some(())
        })
        .await;
    let shown = venue.get(&path).await.expect("the match");
    let last = shown["orders"].as_array().and_then(|orders| orders.last());
    assert_eq!(last.expect("an order")["state"], "withdrawn");
}
