//! TestLines between programs of a test, which are cut, or carry nothing for a while as a network that has lost its way.

use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    sync::watch,
    task::JoinHandle,
};

/// Bytes that are carried at once.
const CARRIED_MAX: usize = 16 * 1024;

/// State of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    Everything,
    /// Connections are closed, and new ones, too.
    NothingAndCloses,
    /// Connections stay, and what is sent arrives when the line is well again.
    NothingYet,
}

/// A line from a place of its own to a server.
pub(crate) struct TestLine {
    carries: watch::Sender<Carries>,
    task: JoinHandle<()>,
}

impl TestLine {
    /// A line to a port of this machine, and its own port.
    pub(crate) async fn to_port(port: u16) -> (TestLine, u16) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let (carries, state) = watch::channel(Carries::Everything);
        let task = tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                let state = state.clone();
                tokio::spawn(async move {
                    if let Ok(far) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
                        carry(near, far, state).await;
                    }
                });
            }
        });
        (TestLine { carries, task }, own)
    }

    /// A line from a socket that is made to another one.
    pub(crate) fn to_socket(own: &Path, to: PathBuf) -> TestLine {
        let listener = UnixListener::bind(own).unwrap();
        let (carries, state) = watch::channel(Carries::Everything);
        let task = tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                let (to, state) = (to.clone(), state.clone());
                tokio::spawn(async move {
                    if let Ok(far) = UnixStream::connect(to).await {
                        carry(near, far, state).await;
                    }
                });
            }
        });
        TestLine { carries, task }
    }

    pub(crate) fn set(&self, carries: Carries) {
        self.carries.send_replace(carries);
    }
}

impl Drop for TestLine {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn carry(
    near: impl AsyncRead + AsyncWrite,
    far: impl AsyncRead + AsyncWrite,
    mut state: watch::Receiver<Carries>,
) {
    let ((from_near, to_near), (from_far, to_far)) = (split(near), split(far));
    let mut cut = state.clone();
    tokio::select! {
        () = one_way(from_near, to_far, state.clone()) => {}
        () = one_way(from_far, to_near, state.clone()) => {}
        _ = cut.wait_for(|carries| *carries == Carries::NothingAndCloses) => {}
    }
    // What was on its way when a silent line ended is closed when the line is well.
    let _ = state.wait_for(|carries| *carries != Carries::NothingYet).await;
}

async fn one_way(from: impl AsyncRead, to: impl AsyncWrite, mut state: watch::Receiver<Carries>) {
    tokio::pin!(from, to);
    let mut bytes = vec![0; CARRIED_MAX];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        if state.wait_for(|carries| *carries != Carries::NothingYet).await.is_err()
            || to.write_all(&bytes[..count]).await.is_err()
        {
            return;
        }
    }
}
