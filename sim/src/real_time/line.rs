//! A serial line to a simulated node: a pseudoterminal behind a link that keeps its name.
//!
//! A hub opens the link's path as it would open `/dev/serial/by-id/…`. While nobody has the device
//! open we hold it open ourselves, because a pseudoterminal forgets its settings with its last
//! reader; we let go as soon as a hub speaks, because a hub claims the device for itself, and the
//! claim of one that was killed would otherwise outlive it.

use std::{
    fs, io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use nix::{
    errno::Errno,
    fcntl::{FcntlArg, OFlag, fcntl},
    pty::openpty,
    sys::{
        stat::Mode,
        termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr},
    },
    unistd::{read, ttyname, write},
};
use tokio::io::{Interest, unix::AsyncFd};

use crate::SimError;

/// Bytes moved at once.
const CHUNK_BYTES: usize = 512;

/// A node's end of a serial line.
pub(super) struct Line {
    /// Path under which the hub finds the device.
    path: PathBuf,
    /// The open pseudoterminal; none while unplugged.
    device: Option<Pseudoterminal>,
    /// Bytes that the line has not accepted yet; at most one chunk.
    pending: Vec<u8>,
}

struct Pseudoterminal {
    master: AsyncFd<OwnedFd>,
    slave_path: PathBuf,
    /// Held open while nobody else has it open.
    held: Option<OwnedFd>,
}

impl Line {
    /// Plugs in a device at `path`, a link that is replaced if it exists.
    pub(super) fn new(path: PathBuf) -> Result<Line, SimError> {
        let mut line = Line { path, device: None, pending: Vec::new() };
        line.plug_in()?;
        Ok(line)
    }

    /// Path under which the hub finds the device.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a new device and points the link at it. Nothing happens while one is plugged in.
    pub(super) fn plug_in(&mut self) -> Result<(), SimError> {
        if self.device.is_none() {
            let device = Pseudoterminal::open().and_then(|device| {
                relink(&device.slave_path, &self.path)?;
                Ok(device)
            });
            let failed = |source| SimError::Device { path: self.path.clone(), source };
            self.device = Some(device.map_err(failed)?);
        }
        Ok(())
    }

    /// Plugs a device in at another place, where none is; from now on the line is there.
    pub(super) fn plug_in_at(&mut self, path: PathBuf) -> Result<(), SimError> {
        self.path = path;
        self.plug_in()
    }

    /// Pulls the plug: the device and its unsent bytes are lost. Nothing happens while none is plugged in.
    pub(super) fn unplug(&mut self) {
        if self.device.take().is_none() {
            return;
        }
        self.pending.clear();
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "link of an unplugged device stays");
        }
    }

    /// Waits until the hub may have sent bytes, or the line accepts bytes again.
    pub(super) async fn ready(&self) {
        let Some(device) = &self.device else { return std::future::pending().await };
        let interest = match self.pending.is_empty() {
            true => Interest::READABLE,
            false => Interest::READABLE | Interest::WRITABLE,
        };
        if let Err(error) = device.master.ready(interest).await {
            tracing::warn!(path = %self.path.display(), %error, "line cannot be waited for");
            std::future::pending().await
        }
    }

    /// Receives the hub's bytes since the last call.
    pub(super) fn receive(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let Some(device) = &mut self.device else { return Ok(()) };
        let mut chunk = [0; CHUNK_BYTES];
        loop {
            match device.master.try_io(Interest::READABLE, |fd| Ok(read(fd, &mut chunk)?)) {
                Ok(0) => return Ok(()),
                Ok(length) => {
                    device.held = None;
                    take(&chunk[..length]);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // The other end has closed the device.
                Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) => {
                    self.pending.clear();
                    return self.reopen();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Holds the device again. Its master is registered again, because the old registration keeps the state of a closed device.
    fn reopen(&mut self) -> io::Result<()> {
        if let Some(device) = self.device.take() {
            self.device = Some(device.reopened()?);
        }
        Ok(())
    }

    /// Moves bytes from `source` to the line until either has no more.
    pub(super) fn send(&mut self, mut source: impl FnMut(&mut [u8]) -> usize) -> io::Result<()> {
        let Some(device) = &self.device else { return Ok(()) };
        loop {
            if self.pending.is_empty() {
                let mut chunk = [0; CHUNK_BYTES];
                let length = source(&mut chunk);
                if length == 0 {
                    return Ok(());
                }
                self.pending = chunk[..length].to_vec();
            }
            let written =
                device.master.try_io(Interest::WRITABLE, |fd| Ok(write(fd, &self.pending)?));
            match written {
                Ok(length) => drop(self.pending.drain(..length)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.unplug();
    }
}

impl Pseudoterminal {
    fn open() -> io::Result<Pseudoterminal> {
        let pty = openpty(None, None)?;
        make_raw(&pty.slave)?;
        let slave_path = ttyname(&pty.slave)?;
        let flags = OFlag::from_bits_truncate(fcntl(&pty.master, FcntlArg::F_GETFL)?);
        fcntl(&pty.master, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        Ok(Pseudoterminal { master: register(pty.master)?, slave_path, held: Some(pty.slave) })
    }

    fn reopened(self) -> io::Result<Pseudoterminal> {
        let master = register(self.master.into_inner())?;
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let held = match nix::fcntl::open(&self.slave_path, flags, Mode::empty()) {
            Ok(slave) => {
                make_raw(&slave)?;
                Some(slave)
            }
            // A hub was quicker and has claimed it.
            Err(Errno::EBUSY) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Pseudoterminal { master, slave_path: self.slave_path, held })
    }
}

#[allow(
    deprecated,
    reason = "sound for an OwnedFd, which stays the same open descriptor; what is to replace it is \
              unsafe, which this workspace forbids"
)]
fn register(master: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(master, Interest::READABLE | Interest::WRITABLE)
}

/// No echo, no line editing: bytes as they are.
fn make_raw(terminal: &OwnedFd) -> io::Result<()> {
    let mut settings = tcgetattr(terminal)?;
    cfmakeraw(&mut settings);
    Ok(tcsetattr(terminal, SetArg::TCSANOW, &settings)?)
}

/// Points a link at a device. Something else than a link in its place is left alone.
fn relink(device: &Path, link: &Path) -> io::Result<()> {
    match fs::symlink_metadata(link) {
        Ok(found) if found.file_type().is_symlink() => fs::remove_file(link)?,
        Ok(_) => {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a file is in its place"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    std::os::unix::fs::symlink(device, link)
}
