//! Opening a serial port, and saying what is wrong when it cannot be opened.

use std::io;
use std::path::Path;

use tokio_serial::{ErrorKind, SerialPortBuilderExt as _, SerialStream};

/// Speed of the line. USB nodes ignore it; those on a UART are built for it.
const BAUD: u32 = 115_200;

/// Why a port cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    #[error("nothing is plugged in: plug the node in, or correct the port in the configuration")]
    Absent,
    #[error(
        "the port is taken by another program: close that program; the hub tries again by itself"
    )]
    Taken,
    #[error(
        "the hub may not open the port: add its user to the group that owns the device (dialout)"
    )]
    Forbidden,
    #[error("this is no serial port ({0}): correct the port in the configuration")]
    NoPort(tokio_serial::Error),
    #[error("cannot be opened ({0}): check the cable; the hub tries again by itself")]
    Other(tokio_serial::Error),
}

/// Opens a port for this process alone.
pub(super) fn open(path: &Path) -> Result<SerialStream, OpenError> {
    let name = path.to_string_lossy();
    tokio_serial::new(name, BAUD).open_native_async().map_err(|error| explain(path, error))
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
