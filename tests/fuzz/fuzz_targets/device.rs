//! Shell around a driver that receives any bytes, and the rules that every driver must obey. All drivers' targets share it.

use hub::drivers::{ConnectionState, Driver, DriverSettings, Output, Unit};
use proto::link::HubTime;
use readings::ReadingKind;

/// Time between two reads of the line.
const READ_US: u64 = 37_000;
/// Bytes that a driver may want to send at once: far less than a line carries in that time.
const SENT_MAX: usize = 4_096;

/// A driver of an admitted device, and time.
pub struct Shell {
    pub driver: Box<dyn Driver>,
    now: HubTime,
    heard: usize,
    complaints: usize,
}

impl Shell {
    pub fn new(settings: &DriverSettings, unit: Unit) -> Shell {
        let mut driver = settings.driver();
        let now = HubTime::from_micros(1_000_000);
        driver.opened(now);
        driver.admit(unit, ConnectionState::New { resume: None, kept: None });
        Shell { driver, now, heard: 0, complaints: 0 }
    }

    /// Advances the time and passes `bytes` to the driver.
    pub fn hear(&mut self, bytes: &[u8]) {
        self.now = self.now.plus_micros(READ_US);
        self.driver.receive(self.now, bytes);
        if self.driver.next_due() <= self.now {
            self.driver.poll(self.now);
        }
        let (mut out, mut sent) = ([0; 64], 0);
        loop {
            let length = self.driver.transmit(&mut out);
            assert!(length <= out.len());
            sent += length;
            assert!(sent <= SENT_MAX, "a driver that never stops talking");
            if length == 0 {
                break;
            }
        }
        while let Some(output) = self.driver.poll_output() {
            self.judge(output);
        }
    }

    fn judge(&mut self, output: Output) {
        match output {
            Output::Heard(_) => self.heard += 1,
            Output::Garbled(reason) | Output::Unusable(reason) | Output::Unknown(reason) => {
                assert!(!reason.is_empty());
                self.complaints += 1;
            }
            Output::Gone { unit, .. } => {
                let memory = self.driver.release(unit);
                self.driver.admit(unit, memory);
            }
            Output::Readings { readings, .. } => {
                assert!(!readings.is_empty());
                for (at, kind) in readings {
                    assert!(at <= self.now, "a reading of the future");
                    if let ReadingKind::Snapshot { squares: Some(squares), .. } = kind {
                        assert_eq!(squares.len(), 64);
                    }
                }
            }
            Output::Persist { text, .. } => assert!(!text.contains('\n') && text.len() < 65_536),
            Output::Timed { error_us, .. } => assert!(error_us > 0, "a clock without an error"),
            Output::Watermark { until, .. } => {
                assert!(until <= self.now, "heard until a time to come");
            }
            Output::Present(_)
            | Output::Doubtful { .. }
            | Output::Health { .. }
            | Output::Sensors { .. }
            | Output::Image { .. }
            | Output::Commanded { .. }
            | Output::Updated { .. } => {}
        }
    }

    /// Asserts that the driver understands `bytes`, after any earlier bytes.
    #[allow(dead_code, reason = "a bus understands only what it has asked for")]
    pub fn must_understand(&mut self, bytes: &[u8]) {
        let before = self.heard;
        self.hear(bytes);
        assert!(self.heard > before, "a good message after any bytes was not understood");
    }
}
