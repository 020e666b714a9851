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
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::io::{Interest, unix::AsyncFd};

use crate::SimError;

/// Bytes moved at once.
const CHUNK_BYTES: usize = 512;

/// A node's end of a serial line.
pub(super) struct Line {
    /// Where the hub finds the device.
    path: PathBuf,
    /// The open pseudoterminal; none while unplugged.
    device: Option<Device>,
    noise: Noise,
    /// Bytes that the line has not taken yet; at most one chunk, and what noise adds to it.
    pending: Vec<u8>,
}

struct Device {
    master: AsyncFd<OwnedFd>,
    slave_path: PathBuf,
    /// Held open while nobody else has it open.
    held: Option<OwnedFd>,
}

impl Line {
    /// Plugs in a device at `path`, a link that is replaced if it is there.
    pub(super) fn new(path: PathBuf, noise_seed: u64) -> Result<Line, SimError> {
        let noise = Noise { rate: 0.0, rng: ChaCha8Rng::seed_from_u64(noise_seed) };
        let mut line = Line { path, device: None, noise, pending: Vec::new() };
        line.plug_in()?;
        Ok(line)
    }

    /// Where the hub finds the device.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a new device and points the link at it. Nothing happens while one is plugged in.
    pub(super) fn plug_in(&mut self) -> Result<(), SimError> {
        if self.device.is_none() {
            let device = Device::open().and_then(|device| {
                relink(&device.slave_path, &self.path)?;
                Ok(device)
            });
            let failed = |source| SimError::Device { path: self.path.clone(), source };
            self.device = Some(device.map_err(failed)?);
        }
        Ok(())
    }

    /// Pulls the plug: the device is gone, and what it had not sent.
    pub(super) fn unplug(&mut self) {
        self.device = None;
        self.pending.clear();
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "link of an unplugged device stays");
        }
    }

    /// From now on this share of all bytes is lost, doubled or garbled.
    pub(super) fn set_noise(&mut self, rate: f64) {
        self.noise.rate = rate.clamp(0.0, 1.0);
    }

    /// Waits until the hub may have said something, or the line takes bytes again.
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

    /// What the hub has said since it was last asked.
    pub(super) fn receive(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let Some(device) = &mut self.device else { return Ok(()) };
        let mut chunk = [0; CHUNK_BYTES];
        loop {
            match device.master.try_io(Interest::READABLE, |fd| Ok(read(fd, &mut chunk)?)) {
                Ok(0) => return Ok(()),
                Ok(length) => {
                    device.held = None;
                    take(&self.noise.garble(&chunk[..length]));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // Whoever had the device open has closed it.
                Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) => {
                    self.pending.clear();
                    return self.reopen();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Holds the device again. Its master is registered anew, because that it was once closed would
    /// stick to the old registration.
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
                self.pending = self.noise.garble(&chunk[..length]);
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
        if self.device.is_some() {
            self.unplug();
        }
    }
}

impl Device {
    fn open() -> io::Result<Device> {
        let pty = openpty(None, None)?;
        make_raw(&pty.slave)?;
        let slave_path = ttyname(&pty.slave)?;
        let flags = OFlag::from_bits_truncate(fcntl(&pty.master, FcntlArg::F_GETFL)?);
        fcntl(&pty.master, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        Ok(Device { master: register(pty.master)?, slave_path, held: Some(pty.slave) })
    }

    fn reopened(self) -> io::Result<Device> {
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
        Ok(Device { master, slave_path: self.slave_path, held })
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

/// What a bad cable does to bytes.
struct Noise {
    rate: f64,
    rng: ChaCha8Rng,
}

impl Noise {
    fn garble(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.rate == 0.0 {
            return bytes.to_vec();
        }
        let mut garbled = Vec::with_capacity(bytes.len() + 1);
        for &byte in bytes {
            if !self.rng.random_bool(self.rate) {
                garbled.push(byte);
                continue;
            }
            match self.rng.random_range(0..3) {
                0 => {}
                1 => garbled.extend([byte, byte]),
                _ => garbled.push(byte ^ (1 << self.rng.random_range(0..8))),
            }
        }
        garbled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(rate: f64) -> Noise {
        Noise { rate, rng: ChaCha8Rng::seed_from_u64(4) }
    }

    #[test]
    fn a_quiet_line_changes_nothing_and_a_noisy_one_about_its_share() {
        let bytes: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        assert_eq!(noise(0.0).garble(&bytes), bytes);
        let garbled = noise(0.01).garble(&bytes);
        assert_ne!(garbled, bytes);
        assert!(garbled.len().abs_diff(bytes.len()) < 100, "lost and doubled about as often");
        assert_eq!(noise(0.01).garble(&bytes), garbled, "the same seed garbles the same");
    }
}
