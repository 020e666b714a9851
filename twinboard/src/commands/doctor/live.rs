//! The live view: keys, news and drawing in one loop, for `watch` and for the guided check. The terminal is given back as it was
//! however the loop ends: by a key, by a signal, by an error or by a panic.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use hub::drivers::Output;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use readings::ReadingKind;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::devices::{Devices, ExpectedNode, Key};
use super::examination::{Examination, Step, Word};
use super::line::PortEvent;
use super::probe::ProbeReport;
use super::screen::{DoctorScreen, draw};
use super::zero::{ZeroResult, ZeroTest};

/// Interval of drawing the screen.
const DRAW_EVERY: Duration = Duration::from_millis(100);
/// Duration of a device's blinking, seconds.
pub(super) const BLINK_S: u8 = 10;

/// The screen, and the person's choice.
pub(super) struct Live {
    pub(super) devices: Devices,
    /// Devices that are shown: all, or those a person named.
    wanted: Vec<String>,
    shown: Option<Key>,
    /// Progress of each device's check at the last view.
    seen: BTreeMap<Key, (Step, (usize, usize))>,
    /// The check of each device, if this is a check.
    checks: Option<BTreeMap<Key, Examination>>,
    /// Command, as a person typed it.
    doing: &'static str,
    /// The zero test, if this is the test of a table with two clocks.
    zero: Option<ZeroTest>,
}

/// Command of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyCommand {
    Quit,
    Next,
    Blink,
    Reset,
    Say(Word),
}

impl Live {
    /// Shows devices as they are.
    pub(super) fn watching(devices: Devices, wanted: Vec<String>) -> Live {
        Live::new("watch", devices, wanted, None)
    }

    /// Guides through the check of devices.
    pub(super) fn checking(devices: Devices, wanted: Vec<String>) -> Live {
        Live::new("check", devices, wanted, Some(BTreeMap::new()))
    }

    /// Guides through the test of a table, whose nodes have answered.
    pub(super) fn testing_table(devices: Devices, wanted: Vec<String>) -> Live {
        let mut live = Live::new("table", devices, wanted, Some(BTreeMap::new()));
        let keys = live.keys();
        let is_clock = |key: &Key| live.devices.picture(*key).is_some_and(|it| it.device.clock);
        let clocks: Vec<Key> = keys.iter().copied().filter(is_clock).collect();
        live.zero = <[Key; 2]>::try_from(clocks).ok().map(ZeroTest::new);
        // What was heard before this view began is not heard again.
        for key in keys {
            live.follow(key);
        }
        live
    }

    fn new(
        doing: &'static str,
        devices: Devices,
        wanted: Vec<String>,
        checks: Option<BTreeMap<Key, Examination>>,
    ) -> Live {
        Live { devices, wanted, shown: None, seen: BTreeMap::new(), checks, doing, zero: None }
    }

    /// Result of the zero test, with the names of the two clocks.
    pub(super) fn zero_test(&self) -> Option<(ZeroResult, [String; 2])> {
        let zero = self.zero.as_ref()?;
        Some((zero.result(), zero.clocks().map(|key| self.devices.name(key))))
    }

    /// The devices that were to be shown, with how far their checks are.
    pub(super) fn examined(&self) -> Vec<(Key, Option<&Examination>)> {
        let check = |key| self.checks.as_ref().and_then(|checks| checks.get(&key));
        self.keys().into_iter().map(|key| (key, check(key))).collect()
    }

    /// Runs until a person or a signal ends it.
    pub(super) fn run(
        &mut self,
        news: &mut mpsc::Receiver<PortEvent>,
        stop: &CancellationToken,
    ) -> Result<()> {
        let mut terminal = ratatui::try_init()
            .context("the terminal cannot be used: run it in a terminal, or with --seconds")?;
        let outcome = self.go_round(&mut terminal, news, stop);
        ratatui::try_restore().context("the terminal cannot be given back: type `reset`")?;
        outcome
    }

    fn go_round(
        &mut self,
        terminal: &mut DefaultTerminal,
        news: &mut mpsc::Receiver<PortEvent>,
        stop: &CancellationToken,
    ) -> Result<()> {
        while !stop.is_cancelled() {
            while let Ok(news) = news.try_recv() {
                self.take(news);
            }
            terminal.draw(|frame| draw(frame, &self.screen())).context("cannot draw")?;
            if event::poll(DRAW_EVERY).context("the terminal cannot be read")? {
                // A resized terminal is drawn again above.
                let Event::Key(key) = event::read().context("the terminal cannot be read")? else {
                    continue;
                };
                match command(key) {
                    Some(KeyCommand::Quit) => return Ok(()),
                    Some(command) => self.obey(command),
                    None => {}
                }
            }
        }
        Ok(())
    }

    pub(super) fn take(&mut self, news: PortEvent) {
        if let Some(zero) = &mut self.zero
            && let ProbeReport::Said(Output::Readings { unit, readings, .. }) = &news.what
        {
            let presses =
                readings.iter().filter(|(_, kind)| matches!(kind, ReadingKind::Press { .. }));
            presses.for_each(|(at, _)| zero.take((news.port, *unit), *at));
        }
        if let Some(key) = self.devices.take(news).filter(|key| self.keys().contains(key)) {
            self.follow(key);
        }
    }

    /// Goes on with the check of a device as far as its readings allow.
    fn follow(&mut self, key: Key) {
        self.shown.get_or_insert(key);
        let Some(checks) = &mut self.checks else { return };
        let Some(picture) = self.devices.picture_mut(key) else { return };
        let check = checks.entry(key).or_insert_with(|| Examination::new(picture));
        let before = (check.step(), check.progress(picture));
        check.look(picture);
        // The view follows the hand, not what chatters by itself.
        let seen = self.seen.entry(key).or_insert(before);
        let now = (check.step(), check.progress(picture));
        let changed = *seen != now;
        *seen = now;
        match now.0 {
            // It wavers with every chattering switch.
            Step::SetUp => {}
            Step::Done if changed => self.show_unfinished(),
            _ if changed => self.shown = Some(key),
            _ => {}
        }
    }

    fn obey(&mut self, command: KeyCommand) {
        let keys = self.keys();
        match command {
            KeyCommand::Quit => {}
            KeyCommand::Next => {
                let at = self.shown.and_then(|shown| keys.iter().position(|&key| key == shown));
                self.shown = keys.get(at.map_or(0, |at| (at + 1) % keys.len())).copied();
            }
            KeyCommand::Blink => {
                if let Some(shown) = self.shown {
                    self.devices.blink(shown, BLINK_S);
                }
            }
            KeyCommand::Reset => {
                if self.checks.is_none()
                    && let Some(picture) =
                        self.shown.and_then(|shown| self.devices.picture_mut(shown))
                {
                    picture.begin();
                }
            }
            KeyCommand::Say(word) => {
                let Some(shown) = self.shown else { return };
                let Some(picture) = self.devices.picture(shown) else { return };
                let check = self.checks.as_mut().and_then(|checks| checks.get_mut(&shown));
                let Some(check) = check else { return };
                let before = check.step();
                check.take_word(picture, word);
                // A key is no hand that the view follows.
                self.seen.insert(shown, (check.step(), check.progress(picture)));
                match (before, check.step()) {
                    (_, Step::Done) => self.show_unfinished(),
                    // What is on the displays of one clock is asked of the next one too.
                    (Step::Displays, step) if step != before => {
                        self.show_where(|step| step == Step::Displays)
                    }
                    _ => {}
                }
            }
        }
    }

    /// The next device whose check is not done, if there is one.
    fn show_unfinished(&mut self) {
        self.show_where(|step| step != Step::Done);
    }

    fn show_where(&mut self, is_wanted: impl Fn(Step) -> bool) {
        let Some(checks) = &self.checks else { return };
        let open = checks.iter().find(|(_, check)| is_wanted(check.step()));
        if let Some((&key, _)) = open {
            self.shown = Some(key);
        }
    }

    fn keys(&self) -> Vec<Key> {
        if self.wanted.is_empty() {
            return self.devices.keys();
        }
        self.wanted.iter().filter_map(|wanted| self.devices.find(wanted)).collect()
    }

    fn screen(&self) -> DoctorScreen<'_> {
        let keys = self.keys();
        let doing = self.doing;
        let together = self.zero.as_ref().filter(|it| !it.is_done()).map(ZeroTest::prompt);
        let now = self.devices.now();
        let Some(key) = self.shown else {
            let (port, trouble) = self.nothing_yet();
            let name = self.wanted.join(" ");
            let number = (0, 0);
            return DoctorScreen {
                doing,
                now,
                name,
                place: None,
                port,
                number,
                picture: None,
                examination: None,
                together: None,
                trouble,
            };
        };
        let port = &self.devices.ports[key.0];
        let picture = self.devices.picture(key);
        let place = picture
            .and_then(|picture| self.devices.given(picture))
            .as_ref()
            .map(ExpectedNode::words);
        DoctorScreen {
            doing,
            now,
            name: self.devices.name(key),
            place,
            port: port.path.display().to_string(),
            number: (
                keys.iter().position(|&other| other == key).map_or(1, |at| at + 1),
                keys.len(),
            ),
            picture,
            examination: self.checks.as_ref().and_then(|checks| checks.get(&key)),
            together,
            trouble: port.trouble.clone().or_else(|| port.unknown.clone()),
        }
    }

    /// Screen before any device has introduced itself.
    fn nothing_yet(&self) -> (String, Option<String>) {
        let troubles: Vec<String> = self
            .devices
            .ports
            .iter()
            .filter_map(|port| Some(format!("{}: {}", port.path.display(), port.trouble.as_ref()?)))
            .collect();
        let trouble = (!troubles.is_empty()).then(|| troubles.join("\n"));
        (format!("{} ports", self.devices.ports.len()), trouble)
    }
}

/// Command of a key.
fn command(key: KeyEvent) -> Option<KeyCommand> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(KeyCommand::Quit);
    }
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => Some(KeyCommand::Quit),
        KeyCode::Tab | KeyCode::Right => Some(KeyCommand::Next),
        KeyCode::Char('b') => Some(KeyCommand::Blink),
        KeyCode::Char('r') => Some(KeyCommand::Reset),
        KeyCode::Char('y') => Some(KeyCommand::Say(Word::Yes)),
        KeyCode::Char('n') => Some(KeyCommand::Say(Word::Nothing)),
        KeyCode::Char('s') => Some(KeyCommand::Say(Word::Skip)),
        KeyCode::Char('S') => Some(KeyCommand::Say(Word::SkipStep)),
        _ => None,
    }
}
