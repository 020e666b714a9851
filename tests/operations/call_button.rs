//! A button on the hub's pins, from the pin's level to the stream of a director's page: a hub on simulated pins, and the real adjudicator.

use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use hub::{
    Config, HubClock,
    gpio::{Bank, GpioError, Input, OnChange, Output},
};
use reqwest::Client;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    from_the_box::TOKEN,
    program::{PATIENCE, Program, free_port},
};

/// The button's pin.
const PIN: u8 = 24;
/// Presses, the quickest of which counts: other tests run at the same time.
const PRESSES: usize = 3;
const CALL_MAX: Duration = Duration::from_secs(1);
/// Longer than the hub waits for a contact to settle.
const HELD: Duration = Duration::from_millis(100);

/// The only pin that is wired.
#[derive(Clone, Default)]
struct Button {
    is_low: Arc<AtomicBool>,
    on_change: Arc<Mutex<Option<OnChange>>>,
}

impl Button {
    /// Waits until the hub uses the pin.
    async fn wired(&self) {
        let begun = Instant::now();
        while self.on_change.lock().expect("no panic").is_none() {
            assert!(begun.elapsed() < PATIENCE, "the hub does not use its pins");
            tokio::time::sleep(HELD).await;
        }
    }

    fn put(&self, is_high: bool) {
        self.is_low.store(!is_high, Ordering::SeqCst);
        self.on_change.lock().expect("no panic").as_mut().expect("a hub")(is_high);
    }
}

impl Input for Button {
    fn is_high(&self) -> bool {
        !self.is_low.load(Ordering::SeqCst)
    }
}

impl Bank for Button {
    fn output(&mut self, pin: u8) -> Result<Output, GpioError> {
        Err(GpioError::Pin { pin, why: "only the button is wired".to_owned() })
    }

    fn input(&mut self, pin: u8, on_change: OnChange) -> Result<Box<dyn Input>, GpioError> {
        assert_eq!(pin, PIN);
        *self.on_change.lock().expect("no panic") = Some(on_change);
        Ok(Box::new(self.clone()))
    }
}

fn configured(folder: &Path, mqtt: u16) -> Config {
    let text = format!(
        "[hub]\nid = \"north\"\njournal = {:?}\nports = []\n[broker]\nhost = \"127.0.0.1\"\nport = {mqtt}\n\
         [[gpio.call_button]]\ntable = \"1\"\npin = {PIN}\n\
         [[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
         [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-1\"\n",
        folder.join("hub.sqlite"),
    );
    Config::parse(Path::new("hub.toml"), &text).expect("a configuration")
}

/// A director's stream.
struct Stream {
    answer: reqwest::Response,
    read: String,
}

impl Stream {
    /// Reads until the list of what needs a director has a call, or has none, and returns the call's id.
    async fn until_called(&mut self, is_called: bool) -> Option<String> {
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let needs = event.split_once("data: ").map_or("", |(_, data)| data);
                let needs: Value = serde_json::from_str(needs).unwrap_or_default();
                self.read = rest.to_owned();
                let Some(needs) = needs["needs"].as_array() else { continue };
                let ids = needs.iter().filter_map(|it| it["id"].as_str());
                let call = ids.into_iter().find(|it| it.starts_with("call:1:"));
                if call.is_some() == is_called {
                    return call.map(str::to_owned);
                }
            }
            let part = tokio::time::timeout(PATIENCE, self.answer.chunk()).await.expect("in time");
            let part = part.expect("a stream").expect("no end");
            self.read.push_str(&String::from_utf8_lossy(&part));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_is_pressed_is_a_call_on_a_directors_page_within_a_second() {
    let folder = tempfile::tempdir().expect("a folder");
    let (http, mqtt) = (free_port(), free_port());
    let token = folder.path().join("td-token");
    adjudicator::pki::secrets::write(&token, TOKEN).expect("a token's file");
    let text = format!(
        "[http]\naddress = \"127.0.0.1:{http}\"\ntd_token_file = {token:?}\n[broker]\naddress = \"127.0.0.1:{mqtt}\"\n\
         [store]\npath = {:?}\n",
        folder.path().join("event.sqlite"),
    );
    fs::write(folder.path().join("serve.toml"), text).expect("a configuration");
    let server = Program::configured(folder.path(), "serve");
    server.until_it_says(&format!("127.0.0.1:{http}"));
    let (button, stop) = (Button::default(), CancellationToken::new());
    let pins: Box<dyn Bank> = Box::new(button.clone());
    let config = configured(folder.path(), mqtt);
    let hub = tokio::spawn(hub::run_with_pins(config, HubClock::real(), Ok(pins), stop.clone()));
    button.wired().await;
    let client = Client::new();
    let address = |path: &str| format!("http://127.0.0.1:{http}/api/v1/td/{path}");
    let stream = client.get(address("live")).bearer_auth(TOKEN).send();
    let mut stream = Stream { answer: stream.await.expect("an answer"), read: String::new() };
    let mut quickest = Duration::MAX;
    for _ in 0..PRESSES {
        let pressed = Instant::now();
        button.put(false);
        let call = stream.until_called(true).await;
        quickest = quickest.min(pressed.elapsed());
        button.put(true);
        tokio::time::sleep(HELD).await;
        let ended = json!({ "deed": { "of": "dismiss", "item": call } });
        let ended = client.post(address("acts")).bearer_auth(TOKEN).json(&ended).send().await;
        assert!(ended.expect("an answer").status().is_success());
        stream.until_called(false).await;
    }
    println!("from the pin to the page: {quickest:?}");
    assert!(quickest <= CALL_MAX, "{quickest:?}");
    stop.cancel();
    hub.await.expect("no panic").expect("a hub that ends");
}
