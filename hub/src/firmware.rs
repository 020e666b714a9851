//! Images of the nodes' firmware, as the program was installed with them, and the task that updates all nodes with them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hub_core::hub::HubInput;
use hub_core::update::{ImageError, NodeImage, NodeImages};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::SharedHub;
use crate::troubles::Troubles;

/// Folder of images, where a package puts it.
const INSTALLED: &str = "/usr/share/twinboard/firmware";
/// Folder of images beside the program, as in an unpacked tarball.
const BESIDE: &str = "firmware";
/// Size of the largest file that is read, bytes.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Interval at which the progress is published.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// Reason why there are no images.
#[derive(Debug, Error)]
pub enum ImagesError {
    /// The folder, or a file in it, cannot be read.
    #[error("cannot read {0}: {1}; install the release again, or name the folder of its images")]
    Unreadable(PathBuf, io::Error),
    /// A file is no image.
    #[error("cannot use {0}: {1}")]
    NoImage(PathBuf, ImageError),
    /// A file is too large.
    #[error("{0} has {1} bytes: no image is larger than {FILE_BYTES_MAX}")]
    TooLarge(PathBuf, u64),
    /// No images.
    #[error("there are no images in {0}: name another folder")]
    None(PathBuf),
}

/// The images of the folder that is named, or of the one beside the program, or of the package's.
///
/// # Errors
/// If there are none, or one of them cannot be used.
pub fn images(named: Option<&Path>) -> Result<NodeImages, ImagesError> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join(BESIDE));
    let usual = beside.filter(|folder| folder.is_dir()).unwrap_or_else(|| INSTALLED.into());
    let folder = named.map_or(usual, Path::to_owned);
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |error| ImagesError::Unreadable(path, error)
    };
    let entries = fs::read_dir(&folder).map_err(unreadable(&folder))?;
    let mut images = NodeImages::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|ending| ending != "uf2") {
            continue;
        }
        let bytes = fs::metadata(&path).map_err(unreadable(&path))?.len();
        if bytes > FILE_BYTES_MAX {
            return Err(ImagesError::TooLarge(path, bytes));
        }
        let bytes = fs::read(&path).map_err(unreadable(&path))?;
        let image = NodeImage::read(&bytes).map_err(|error| ImagesError::NoImage(path, error))?;
        images.insert(image.header.name.to_string(), image);
    }
    match images.is_empty() {
        true => Err(ImagesError::None(folder)),
        false => Ok(images),
    }
}

/// Updates all nodes at each request that is new, and publishes the progress and the end.
pub(crate) async fn update_on_request(
    hub: SharedHub,
    mut requests: mpsc::Receiver<u64>,
    troubles: Troubles,
    shutdown: CancellationToken,
) {
    let mut loaded: Option<Arc<NodeImages>> = None;
    let mut progress = interval(PROGRESS_EVERY);
    progress.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            request = requests.recv() => {
                // The uplink has ended: the hub stops.
                let Some(request) = request else { return shutdown.cancelled().await };
                match load(&mut loaded).await {
                    Ok(images) => hub.handle(HubInput::UpdateNodes { request, images }),
                    Err(words) => {
                        warn!("nodes are not updated: {words}");
                        troubles.tell_of_nodes(vec![format!("no node was updated: {words}")], Some(request));
                    }
                }
            }
            _ = progress.tick() => {
                let now = hub.clock().now();
                if let Some(report) = hub.with(|core| core.poll_update(now)) {
                    info!(request = report.request, ended = report.is_ended, "update of nodes: {:?}", report.words);
                    troubles.tell_of_nodes(report.words, report.is_ended.then_some(report.request));
                }
            }
        }
    }
}

/// The images, read once.
async fn load(loaded: &mut Option<Arc<NodeImages>>) -> Result<Arc<NodeImages>, String> {
    if let Some(images) = loaded {
        return Ok(Arc::clone(images));
    }
    let read = tokio::task::spawn_blocking(|| images(None)).await;
    let images = read.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    Ok(Arc::clone(loaded.insert(Arc::new(images))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_images_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let refused = images(Some(folder.path())).unwrap_err().to_string();
        assert!(refused.contains("there are no images in"), "{refused}");
        fs::write(folder.path().join("pico-clock.uf2"), [0; 100]).unwrap();
        let refused = images(Some(folder.path())).unwrap_err().to_string();
        assert!(refused.contains("copy the file again"), "{refused}");
        let missing = images(Some(&folder.path().join("nothing"))).unwrap_err().to_string();
        assert!(missing.contains("install the release again"), "{missing}");
    }
}
