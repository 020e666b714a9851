//! Opening a serial port or a HID device, and saying what is wrong when it cannot be opened.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::libc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio_serial::{ErrorKind, SerialPort as _, SerialPortBuilderExt as _, SerialStream};
use tracing::debug;

use hub_core::drivers::{LineSettings, Transport};

/// Beginnings of the names of devices with a line behind them on which bytes follow each other: USB adapters, and the UARTs of
/// a Raspberry Pi and of PCs. Nodes with USB of their own (`ttyACM`) and pseudo-terminals (`pts`) are not among them.
const WIRED: [&str; 3] = ["ttyUSB", "ttyAMA", "ttyS"];

/// Beginning of the names of HID devices: what is read or written at once there is one report.
const HID: &str = "hidraw";
/// Beginning of the descriptor of a HID interface whose reports mean what its vendor likes (usage page 0xFF00). Boards have a keyboard's, too.
const VENDOR_PAGE: [u8; 3] = [0x06, 0x00, 0xFF];

/// Why a port cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such device.
    #[error("nothing is plugged in: plug the node in, or correct the port in the configuration")]
    Absent,
    /// Another program has it.
    #[error(
        "the port is taken by another program: close that program; the hub tries again by itself"
    )]
    Taken,
    /// This user may not open it.
    #[error(
        "the hub may not open the port: add its user to the group that owns the device (dialout)"
    )]
    Forbidden,
    /// The path is no serial port.
    #[error("this is no serial port ({0}): correct the port in the configuration")]
    NoPort(tokio_serial::Error),
    /// The device is a keyboard, a mouse or the like.
    #[error(
        "this HID device is a keyboard or the like: name the other hidraw device of the same board"
    )]
    OtherInterface,
    /// The system says so.
    #[error("cannot be opened ({0}): check the cable; the hub tries again by itself")]
    Other(tokio_serial::Error),
}

/// An open line.
#[derive(Debug)]
pub enum Stream {
    /// A serial port.
    Serial(SerialStream),
    /// A HID device.
    Hid(Receiver, Sender),
}

impl Stream {
    /// Reads what has arrived: bytes of a serial line, or one report.
    ///
    /// # Errors
    ///
    /// The device is unplugged, or the system refuses.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Serial(stream) => stream.read(buffer).await,
            Stream::Hid(reports, _) => reports.read(buffer).await,
        }
    }

    /// Writes all bytes, to a HID device as one report.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Serial(stream) => stream.write_all(bytes).await,
            Stream::Hid(_, device) => match device.write(bytes).await? {
                length if length == bytes.len() => Ok(()),
                _ => Err(io::ErrorKind::WriteZero.into()),
            },
        }
    }
}

/// Opens a port for this process alone. Only within a tokio runtime.
///
/// # Errors
///
/// When it is not there, taken, forbidden or no serial port.
pub fn open(path: &Path, line: LineSettings) -> Result<Stream, OpenError> {
    if is_hid(path) {
        return open_hid(path);
    }
    let name = path.to_string_lossy();
    let opened = tokio_serial::new(name, line.baud).open_native_async();
    let mut stream = opened.map_err(|error| explain(path, error))?;
    // A line without such wires (a pseudo-terminal, some adapters) works without them.
    let dtr = line.dtr.map(|level| stream.write_data_terminal_ready(level));
    let rts = line.rts.map(|level| stream.write_request_to_send(level));
    for error in [dtr, rts].into_iter().flatten().filter_map(Result::err) {
        debug!("port {}: DTR or RTS cannot be set: {error}", path.display());
    }
    Ok(Stream::Serial(stream))
}

/// Whether a path names a HID device.
fn is_hid(path: &Path) -> bool {
    let device = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_named =
        |path: &Path| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(HID));
    is_named(path) || is_named(&device)
}

fn open_hid(path: &Path) -> Result<Stream, OpenError> {
    let device = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let about = Path::new("/sys/class/hidraw").join(device.file_name().unwrap_or_default());
    if let Ok(descriptor) = fs::read(about.join("device/report_descriptor"))
        && !descriptor.starts_with(&VENDOR_PAGE)
    {
        return Err(OpenError::OtherInterface);
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    // Not pipes, but polled, read and written like them.
    let opened = options.open(path).and_then(|file| {
        let writing = Sender::from_file_unchecked(file.try_clone()?)?;
        Ok(Stream::Hid(Receiver::from_file_unchecked(file)?, writing))
    });
    opened.map_err(|error| explain(path, error.into()))
}

/// Kind of line of the device at the end of `path`.
pub(super) fn transport(path: &Path) -> Transport {
    let device = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = device.file_name().unwrap_or_default().to_string_lossy();
    let is_wired = WIRED.iter().any(|begin| name.starts_with(begin));
    if is_wired { Transport::Uart } else { Transport::Packets }
}

fn explain(path: &Path, error: tokio_serial::Error) -> OpenError {
    if !path.exists() {
        return OpenError::Absent;
    }
    match error.kind {
        ErrorKind::Io(io::ErrorKind::NotFound) => OpenError::Absent,
        ErrorKind::Io(io::ErrorKind::PermissionDenied) => OpenError::Forbidden,
        ErrorKind::Io(io::ErrorKind::ResourceBusy) | ErrorKind::NoDevice => OpenError::Taken,
        _ if error.description.to_lowercase().contains("busy") => OpenError::Taken,
        _ if path.is_file() || path.is_dir() => OpenError::NoPort(error),
        _ => OpenError::Other(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    #[tokio::test]
    async fn a_hid_device_is_read_and_written_report_by_report() {
        let pty = nix::pty::openpty(None, None).expect("a pseudo-terminal");
        let mut raw = nix::sys::termios::tcgetattr(&pty.slave).expect("its settings");
        nix::sys::termios::cfmakeraw(&mut raw);
        nix::sys::termios::tcsetattr(&pty.slave, nix::sys::termios::SetArg::TCSANOW, &raw)
            .expect("to be set");
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("hidraw7");
        let name = nix::unistd::ttyname(&pty.slave).expect("its name");
        std::os::unix::fs::symlink(name, &link).expect("a link");
        let line = LineSettings { baud: 9_600, dtr: None, rts: None };
        let mut stream = open(&link, line).expect("to be opened");
        assert!(matches!(stream, Stream::Hid(..)));
        let mut device = fs::File::from(pty.master);
        stream.write_all(&[0x21, 1, 0]).await.expect("a report written");
        let mut report = [0; 8];
        assert_eq!(device.read(&mut report).expect("it to arrive"), 3);
        device.write_all(&[1, 2, 3]).expect("a report sent");
        assert_eq!(stream.read(&mut report).await.expect("a report read"), 3);
        let absent = open(&folder.path().join("hidraw8"), line).expect_err("nothing there");
        assert!(matches!(absent, OpenError::Absent), "{absent}");
    }

    #[test]
    fn adapters_and_uarts_carry_bytes_one_by_one_and_usb_nodes_in_packets() {
        let folder = tempfile::tempdir().unwrap();
        for (name, expected) in [
            ("ttyUSB0", Transport::Uart),
            ("ttyAMA10", Transport::Uart),
            ("ttyS0", Transport::Uart),
            ("ttyACM3", Transport::Packets),
            ("7", Transport::Packets),
        ] {
            let device = folder.path().join(name);
            std::fs::write(&device, "").unwrap();
            let link = folder.path().join(format!("by-id-{name}"));
            std::os::unix::fs::symlink(&device, &link).unwrap();
            assert_eq!(transport(&device), expected, "{name}");
            assert_eq!(transport(&link), expected, "{name} behind a link");
        }
        assert_eq!(transport(Path::new("/nowhere/ttyUSB0")), Transport::Uart);
    }
}
