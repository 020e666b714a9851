//! The adjudicator's tasks, each of which goes on until shutdown. The end of a single task would go unnoticed while the others report that
//! all is well. So a task that ends by itself ends the adjudicator with a failure, and systemd starts it again: the log has everything.

use std::sync::{Arc, OnceLock};

use tokio::{runtime::Handle, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Failure: a task ended before shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the adjudicator's {0} ended by itself; see the log before this")]
pub struct TaskEnded(&'static str);

/// The running tasks, and the first that ended by itself.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    shutdown: CancellationToken,
    ended: Arc<OnceLock<TaskEnded>>,
    /// Runtime of the tasks.
    runtime: Handle,
}

impl Tasks {
    /// Tasks that end at this shutdown; one that ends before causes it.
    pub(crate) fn until(shutdown: CancellationToken) -> Tasks {
        Tasks { shutdown, ended: Arc::default(), runtime: Handle::current() }
    }

    /// The same on the threads of another runtime.
    pub(crate) fn on(&self, runtime: Handle) -> Tasks {
        Tasks { runtime, ..self.clone() }
    }

    /// Starts a task. `name` is its name in the log.
    pub(crate) fn spawn(
        &self,
        name: &'static str,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> JoinHandle<()> {
        let Tasks { shutdown, ended, runtime } = self.clone();
        let task = runtime.spawn(task);
        tokio::spawn(async move {
            let outcome = task.await;
            if let Err(error) = &outcome {
                tracing::error!(task = name, %error, "a task did not end well");
            }
            if !shutdown.is_cancelled() {
                tracing::error!(task = name, "a task ended by itself: the adjudicator stops");
                // The first task that ends is the reason.
                let _ = ended.set(TaskEnded(name));
                shutdown.cancel();
            }
        })
    }

    /// The task that caused the shutdown, if one did.
    ///
    /// # Errors
    ///
    /// There is one.
    pub(crate) fn outcome(&self) -> Result<(), TaskEnded> {
        self.ended.get().map_or(Ok(()), |&ended| Err(ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn task_that_panics_stops_the_others_and_is_named() {
        let shutdown = CancellationToken::new();
        let tasks = Tasks::until(shutdown.clone());
        let other = tasks.spawn("floor", shutdown.clone().cancelled_owned());
        tasks.spawn("ingest", async { panic!("planted") }).await.unwrap();
        other.await.unwrap();
        assert_eq!(tasks.outcome(), Err(TaskEnded("ingest")));
    }

    #[tokio::test]
    async fn tasks_that_end_at_shutdown_end_well() {
        let shutdown = CancellationToken::new();
        let tasks = Tasks::until(shutdown.clone());
        let task = tasks.spawn("floor", shutdown.clone().cancelled_owned());
        shutdown.cancel();
        task.await.unwrap();
        assert_eq!(tasks.outcome(), Ok(()));
    }
}
