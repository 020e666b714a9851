//! Opening a serial port, and saying what is wrong when it cannot be opened.

use std::io;
use std::path::Path;

use tokio_serial::{ErrorKind, SerialPort as _, SerialPortBuilderExt as _, SerialStream};
use tracing::debug;

use hub_core::drivers::{LineSettings, Transport};

/// Beginnings of the names of devices with a line behind them on which bytes follow each other: USB adapters, and the UARTs of
/// a Raspberry Pi and of PCs. Nodes with USB of their own (`ttyACM`) and pseudo-terminals (`pts`) are not among them.
const WIRED: [&str; 3] = ["ttyUSB", "ttyAMA", "ttyS"];

/// Reason why a port cannot be opened.
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
    /// The system refuses for another reason.
    #[error("cannot be opened ({0}): check the cable; the hub tries again by itself")]
    Other(tokio_serial::Error),
}

/// Opens a port for this process alone. Only within a tokio runtime.
///
/// # Errors
///
/// It is missing, in use, forbidden or no serial port.
pub fn open(path: &Path, line: LineSettings) -> Result<SerialStream, OpenError> {
    let name = path.to_string_lossy();
    let opened = tokio_serial::new(name, line.baud).open_native_async();
    let mut stream = opened.map_err(|error| explain(path, error))?;
    // A line without such wires (a pseudo-terminal, some adapters) works without them.
    let dtr = line.dtr.map(|level| stream.write_data_terminal_ready(level));
    let rts = line.rts.map(|level| stream.write_request_to_send(level));
    for error in [dtr, rts].into_iter().flatten().filter_map(Result::err) {
        debug!("port {}: DTR or RTS cannot be set: {error}", path.display());
    }
    Ok(stream)
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
    use super::*;

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
