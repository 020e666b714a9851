//! A director as the pages serve them: let in by a code and a PIN, a claim opened, upheld with a deliberate gesture, and kept
//! over a reload and a loss of the network, in a real browser at a simulated table.

mod support {
    pub(crate) mod chromium;
    pub(crate) mod patience;
    pub(crate) mod program;
}

use std::{panic::AssertUnwindSafe, panic::resume_unwind, path::Path, time::Duration};

use futures::FutureExt as _;
use support::{
    chromium::Driver,
    patience::{PATIENCE, within},
    program::Program,
};
use thirtyfour::{By, WebDriver};

/// From the start of the program to its address.
const START_MAX: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_director_is_let_in_opens_a_claim_and_rules_and_a_reload_loses_nothing() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adjudicator/web/dist/index.html");
    if !pages.is_file() {
        return not_run("build the pages (cargo xtask pages)");
    }
    let driver = match Driver::start() {
        Ok(driver) => driver,
        Err(missing) => return not_run(missing),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("demo");
    let out = out.to_str().expect("a path in Unicode");
    let arguments = ["demo", "--tables", "1", "--http", "127.0.0.1:0", "--out", out];
    let log = folder.path().join("demo.log");
    let demo = Program::twinboard(&arguments, &log);
    demo.until_it_says_within(START_MAX, "PIN ");
    let said = demo.log();
    let word = |start: &str| {
        said.split_whitespace().find(|word| word.starts_with(start) && word.contains("/td#"))
    };
    let address = word("http://").expect("the director's address").to_owned();
    let pin = said.split("PIN ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let pin = pin.expect("the PIN").to_owned();

    let browser = driver.open(&folder.path().join("profile")).await;
    let visit = AssertUnwindSafe(visit(&browser, &address, &pin)).catch_unwind().await;
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

async fn visit(browser: &WebDriver, address: &str, pin: &str) {
    let (round, _) = address.split_once("/td#").expect("an address of the directors' pages");
    browser.goto(address).await.expect("the page opens");
    within(PATIENCE, "the PIN", async || type_into(browser, "#pin", pin).await).await;
    press(browser, "Let this device in").await;
    within(PATIENCE, "the list", async || text(browser, ".td-bar h1").await).await;
    browser.goto(format!("{round}/td/table/1")).await.expect("the page opens");
    press(browser, "Open the claim").await;
    within(PATIENCE, "the claim", async || text(browser, "[data-testid=claim]").await).await;
    press(browser, "Uphold").await;
    press(browser, "Uphold?").await;
    let ledger = "[data-testid=ledger]";
    let ruled = within(PATIENCE, "the ruling in the ledger", async || {
        text(browser, ledger).await.and_then(|text| match text.contains("ruled upheld") {
            true => Ok(text),
            false => Err(text),
        })
    })
    .await;
    browser.refresh().await.expect("the page opens again");
    let again = within(PATIENCE, "the ledger", async || text(browser, ledger).await).await;
    assert_eq!(again, ruled);
    look_around_without_a_network(browser, &ruled).await;
}

/// What was heard last is on the pages in a dead spot of the hall, too; and the line comes back by itself.
async fn look_around_without_a_network(browser: &WebDriver, ruled: &str) {
    set_offline(browser, true).await;
    let list = browser.find(By::LinkText("List")).await.expect("the way to the list");
    list.click().await.expect("the list opens");
    let stale = "[data-testid=line][data-line=stale]";
    within(PATIENCE, "the list without a line", async || text(browser, stale).await).await;
    assert_eq!(text(browser, ".td-bar h1").await.as_deref(), Ok("Who needs me"));
    browser.back().await.expect("the way back");
    let kept = within(PATIENCE, "the ledger", async || text(browser, "[data-testid=ledger]").await);
    assert_eq!(kept.await, ruled);
    set_offline(browser, false).await;
    let live = "[data-testid=line][data-line=live]";
    within(PATIENCE, "the line", async || text(browser, live).await).await;
}

async fn set_offline(browser: &WebDriver, offline: bool) {
    let conditions = serde_json::json!({
        "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1
    });
    let cdp = browser.cdp();
    cdp.send_raw("Network.enable", serde_json::json!({})).await.expect("Chromium's network");
    cdp.send_raw("Network.emulateNetworkConditions", conditions).await.expect("its conditions");
}

async fn text(browser: &WebDriver, selector: &str) -> Result<String, String> {
    let found = browser.find(By::Css(selector)).await.map_err(|error| error.to_string())?;
    found.text().await.map_err(|error| error.to_string())
}

async fn type_into(browser: &WebDriver, selector: &str, keys: &str) -> Result<(), String> {
    let found = browser.find(By::Css(selector)).await.map_err(|error| error.to_string())?;
    found.send_keys(keys).await.map_err(|error| error.to_string())
}

async fn press(browser: &WebDriver, label: &str) {
    let path = format!("//button[starts-with(normalize-space(.), '{label}')]");
    within(PATIENCE, label, async || {
        let found = browser.find(By::XPath(&path)).await.map_err(|error| error.to_string())?;
        found.click().await.map_err(|error| error.to_string())
    })
    .await;
}
