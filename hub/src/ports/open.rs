//! Opening a serial port, and saying what is wrong when it cannot be opened.

use std::io;
use std::path::Path;

use tokio_serial::{ErrorKind, SerialPort as _, SerialPortBuilderExt as _, SerialStream};
use tracing::debug;

use crate::drivers::LineSettings;

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
    /// It is something else.
    #[error("this is no serial port ({0}): correct the port in the configuration")]
    NoPort(tokio_serial::Error),
    /// The system says so.
    #[error("cannot be opened ({0}): check the cable; the hub tries again by itself")]
    Other(tokio_serial::Error),
}

/// Opens a port for this process alone. Only within a tokio runtime.
///
/// # Errors
///
/// When it is not there, taken, forbidden or no serial port.
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
