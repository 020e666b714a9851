//! The direction of a half-duplex line, switched by the kernel: the line's driver lowers its pin (RTS) when the last bit is out, which a program
//! that gets the processor some milliseconds later cannot.

use std::io;
use std::path::Path;

use serial2::rs4xx::Rs485Config;
use serial2::{KeepSettings, SerialPort};

/// Has the kernel switch the direction of the line at `path` from now on. The setting stays with the device.
///
/// # Errors
///
/// When there is no such device, or its driver cannot.
pub(super) fn enable(path: &Path) -> io::Result<()> {
    let port = SerialPort::open(path, KeepSettings)?;
    let mut config = Rs485Config::new();
    config.set_full_duplex(false);
    port.set_rs4xx_mode(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_whose_driver_cannot_switch_says_so() {
        let pty = nix::pty::openpty(None, None).expect("a pseudo-terminal");
        let name = nix::unistd::ttyname(&pty.slave).expect("its name");
        assert!(enable(&name).is_err());
        assert!(enable(Path::new("/dev/no-such-line")).is_err());
    }
}
