//! The threads on which everybody is served: apart from those on which rows are received and applied, so that ten thousand viewers wait for one
//! another and no hub waits for them.

use std::{io, thread};

use tokio::runtime::{Builder, Handle, Runtime};

/// Threads of the fronts. Their work goes on in the background when this is dropped, and ends with the shutdown that it waits for.
#[derive(Debug)]
pub(crate) struct FrontRuntime(Option<Runtime>);

impl FrontRuntime {
    /// A runtime with as many threads as there are processors.
    ///
    /// # Errors
    ///
    /// The system gives no more threads.
    pub(crate) fn start() -> io::Result<FrontRuntime> {
        let threads = thread::available_parallelism().map_or(1, Into::into);
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads).thread_name("front").enable_all().build()?;
        Ok(FrontRuntime(Some(runtime)))
    }

    /// Handle for the tasks of the fronts.
    pub(crate) fn handle(&self) -> Handle {
        self.0.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }
}

impl Drop for FrontRuntime {
    fn drop(&mut self) {
        // A runtime may not be waited for on a thread of another one.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
