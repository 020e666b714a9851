//! An image on a bench: what is wired to it, and what happens when.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proto::link::{Encoder, Frame};

use crate::seen::Seen;

/// Environment variable with the folder of the images, as `cargo xtask images` leaves them.
const IMAGES: &str = "TWINBOARD_IMAGES";

/// A script for the emulator. Its acts are to be given in order of time.
#[derive(Clone, Debug)]
pub struct Bench {
    image: &'static str,
    script: String,
}

impl Bench {
    /// A Pico with this image and the flash chip of this number; nothing is wired to it.
    #[must_use]
    pub fn new(image: &'static str, number: u32) -> Self {
        Self { image, script: format!("number {number}\n") }
    }

    fn line(mut self, line: &str) -> Self {
        self.script += line;
        self.script.push('\n');
        self
    }

    /// Begins with the flash that a run has saved, and not with the image.
    #[must_use]
    pub fn flash(self, file: &Path) -> Self {
        self.line(&format!("flash {}", file.display()))
    }

    /// Saves the flash at the end of the run.
    #[must_use]
    pub fn save(self, file: &Path) -> Self {
        self.line(&format!("save {}", file.display()))
    }

    /// Switches at these rows and columns.
    #[must_use]
    pub fn matrix(self, rows: &[u8], columns: &[u8]) -> Self {
        self.line(&format!("matrix {} / {}", list(rows), list(columns)))
    }

    /// Switches at so many shift registers.
    #[must_use]
    pub fn chain(self, load: u8, clock: u8, data: u8, chips: u8) -> Self {
        self.line(&format!("chain {load} {clock} {data} {chips}"))
    }

    /// Sensors behind multiplexers.
    #[must_use]
    pub fn multiplexers(self, select: &[u8], enable: &[u8]) -> Self {
        self.line(&format!("multiplexers {} / {}", list(select), list(enable)))
    }

    /// A display on the two-wire bus.
    #[must_use]
    pub fn display(self, address: u8) -> Self {
        self.line(&format!("display {address}"))
    }

    /// Holds the two-wire bus low.
    #[must_use]
    pub fn stuck_bus(self) -> Self {
        self.line("stuck")
    }

    /// Joins a pin to ground.
    #[must_use]
    pub fn ground(self, gpio: u8) -> Self {
        self.line(&format!("ground {gpio}"))
    }

    /// Wants to see a pin change.
    #[must_use]
    pub fn watch(self, gpio: u8) -> Self {
        self.line(&format!("watch {gpio}"))
    }

    /// At this time a switch is closed (1) or opened (0), or a sensor reads this level.
    #[must_use]
    pub fn set(self, at_us: u64, number: usize, value: u32) -> Self {
        self.line(&format!("{at_us} set {number} {value}"))
    }

    /// At this time what is wired to a pin itself closes, so that the pin is low, or opens.
    #[must_use]
    pub fn contact(self, at_us: u64, gpio: u8, closed: bool) -> Self {
        self.line(&format!("{at_us} pin {gpio} {}", u8::from(!closed)))
    }

    /// At this time a frame is sent to the node.
    ///
    /// # Panics
    /// If the frame cannot be written, which those of hubs can.
    #[must_use]
    pub fn send(self, at_us: u64, frame: &Frame) -> Self {
        let mut encoder = Encoder::new();
        let bytes = encoder.encode(frame).expect("the frames of hubs can be written");
        let bytes: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.line(&format!("{at_us} bytes {bytes}"))
    }

    /// Runs to this time.
    ///
    /// # Errors
    /// If the emulator or the image is not there, or what the emulator complains about.
    pub fn run(self, end_us: u64) -> Result<Seen, String> {
        let bench = self.line(&format!("{end_us} end"));
        let folder = images_folder()?;
        let emulator = Path::new(env!("CARGO_MANIFEST_DIR")).join("emulator/run.mjs");
        let mut node = Command::new("node")
            .arg(emulator)
            .arg(folder.join(bench.image).with_extension("uf2"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("node cannot be started: {error}"))?;
        let mut script = node.stdin.take().ok_or("node has no input")?;
        script.write_all(bench.script.as_bytes()).map_err(|error| error.to_string())?;
        drop(script);
        let output = node.wait_with_output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("the emulator of {} ended with {}", bench.image, output.status));
        }
        Seen::parse(&String::from_utf8_lossy(&output.stdout))
    }
}

/// The folder of the images.
///
/// # Errors
/// If nobody has named it.
pub fn images_folder() -> Result<PathBuf, String> {
    let folder = std::env::var_os(IMAGES).map(PathBuf::from);
    folder.ok_or_else(|| format!("{IMAGES} does not name the images' folder"))
}

fn list(gpios: &[u8]) -> String {
    gpios.iter().map(|gpio| format!("{gpio} ")).collect()
}
