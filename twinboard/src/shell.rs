//! The asynchronous commands' shell: a runtime, and signals that ask for a graceful end.

use std::future::Future;

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Runs `main` until it ends. SIGINT and SIGTERM cancel the token it is given; a second one ends the
/// program at once.
pub(crate) fn run<F, Main, T>(main: Main) -> Result<T>
where
    Main: FnOnce(CancellationToken) -> F,
    F: Future<Output = Result<T>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the program's threads")?;
    runtime.block_on(async {
        let shutdown = CancellationToken::new();
        tokio::spawn(listen(shutdown.clone()));
        main(shutdown).await
    })
}

async fn listen(shutdown: CancellationToken) {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        tracing::warn!("signals cannot be caught here: stop the program with SIGKILL");
        return;
    };
    let exit_codes = [130, 143];
    for pass in 0..2 {
        let code = tokio::select! {
            _ = interrupt.recv() => exit_codes[0],
            _ = terminate.recv() => exit_codes[1],
        };
        if pass == 0 {
            shutdown.cancel();
        } else {
            std::process::exit(code);
        }
    }
}
