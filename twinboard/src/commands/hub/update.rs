//! `twinboard hub update`: the firmware of all nodes at this computer's ports, over their lines.
//!
//! The hub does not run meanwhile: it has the ports for itself. A node in play refuses.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use hub::HubClock;
use hub::drivers::LineSettings;
use hub::firmware::images;
use hub::ports::{Stream, open};
use hub::update::{NodeImages, NodeUpdater, UpdateFailure, UpdateOutcome};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::commands::doctor::{self, PortScan};
use crate::stdout;

const LINE: LineSettings = LineSettings { baud: 115_200, dtr: None, rts: None };
/// Longest that a write may take.
const WRITE_MAX: Duration = Duration::from_secs(2);
/// Interval of looking at the time, and of opening a lost port again.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Longest time for one node, seconds: a slow line with many repeats.
const NODE_MAX_S: u64 = 600;
const READ_BYTES: usize = 1_024;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the images; without it the one beside the program, or /usr/share/twinboard/firmware.
    #[arg(long, value_name = "FOLDER")]
    firmware: Option<PathBuf>,
    #[command(flatten)]
    sight: PortScan,
}

/// Updates every node; fails if one of them was not updated.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let images = Arc::new(images(arguments.firmware.as_deref())?);
    let ports = doctor::ports(&arguments.sight);
    if ports.is_empty() {
        bail!("no port is there: plug the nodes in, or name ports with --ports");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(update_all(ports, images))
}

async fn update_all(ports: Vec<PathBuf>, images: Arc<NodeImages>) -> Result<ExitCode> {
    let mut updates = JoinSet::new();
    let mut failed = 0;
    let count = ports.len();
    for port in ports {
        updates.spawn(update(port, Arc::clone(&images)));
    }
    while let Some(ended) = updates.join_next().await {
        let (text, is_done) = ended.context("an update ended early")?;
        stdout::print_line(format_args!("{text}"))?;
        failed += usize::from(!is_done);
    }
    if failed > 0 {
        eprintln!(
            "twinboard: {failed} of {count} ports have no updated node; what runs there is as before"
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Updates the node at a port. In words what became of it, and whether it runs the new firmware.
async fn update(port: PathBuf, images: Arc<NodeImages>) -> (String, bool) {
    let clock = HubClock::real();
    let mut updater = NodeUpdater::new(images, clock.now());
    let served = timeout(Duration::from_secs(NODE_MAX_S), serve(&port, &clock, &mut updater)).await;
    let shown = port.display();
    let name = updater.node_id().map(|id| format!("{id} at {shown}")).unwrap_or(shown.to_string());
    let firmware = updater.firmware().unwrap_or_default();
    match (served, updater.outcome()) {
        (Ok(Err(trouble)), None) => (format!("{name}: {trouble:#}"), false),
        (_, Some(UpdateOutcome::Updated)) => (format!("{name}: updated to {firmware}"), true),
        (_, Some(UpdateOutcome::Current)) => (format!("{name}: has {firmware} already"), true),
        (_, Some(UpdateOutcome::Failed(failure))) => (format!("{name}: {failure}"), false),
        (_, None) => (format!("{name}: {}", UpdateFailure::Line), false),
    }
}

/// Carries bytes between the port and the updater until that has ended. A node that restarts takes its port along.
async fn serve(port: &Path, clock: &HubClock, updater: &mut NodeUpdater) -> Result<()> {
    let mut stream = Some(open(port, LINE).context("the port")?);
    while updater.outcome().is_none() {
        updater.poll(clock.now());
        let Some(open_stream) = &mut stream else {
            sleep(LOOK_EVERY).await;
            stream = open(port, LINE).ok();
            if stream.is_some() {
                updater.reopened(clock.now());
            }
            continue;
        };
        if exchange(open_stream, clock, updater).await.is_err() {
            stream = None;
        }
    }
    Ok(())
}

/// Sends the next message, then receives the answers.
async fn exchange(stream: &mut Stream, clock: &HubClock, updater: &mut NodeUpdater) -> Result<()> {
    let mut buffer = [0; READ_BYTES];
    let length = updater.transmit(&mut buffer);
    if length > 0 {
        timeout(WRITE_MAX, stream.write_all(&buffer[..length])).await??;
    }
    let pause = clock.until(updater.next_due()).min(LOOK_EVERY);
    match timeout(pause, stream.read(&mut buffer)).await {
        Ok(Ok(0)) => bail!("unplugged"),
        Ok(read) => {
            let length = read?;
            updater.receive(clock.now(), buffer.get(..length).unwrap_or(&buffer));
        }
        Err(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proto::link::{
        ClockKind, Decoder, Encoder, Frame, Hello, ImageHeader, Message, NodeKind, NodeTime,
        PressKind, SCHEMA_HASH, UpdateReport, UpdateStage,
    };

    use hub::update::NodeImage;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_serial::SerialStream;

    use super::*;

    /// A node with the newest image, at the other end of a line.
    async fn answer(mut line: SerialStream) {
        let (mut decoder, mut buffer) = (Decoder::new(), [0; 512]);
        while let Ok(length @ 1..) = line.read(&mut buffer).await {
            let mut answers = Vec::new();
            decoder.push_all(&buffer[..length], |frame| {
                answers.push(match frame.unwrap().message {
                    Message::RequestHello => Message::Hello(Hello {
                        schema_hash: SCHEMA_HASH,
                        node_id: "clock-1".parse().unwrap(),
                        firmware: "1.2.3".try_into().unwrap(),
                        time: NodeTime::ZERO,
                        acknowledged: 0,
                        answers: 0,
                        kind: NodeKind::Clock(ClockKind {
                            press: PressKind::Lever,
                            hand_sensor: false,
                        }),
                    }),
                    Message::RequestUpdate => Message::UpdateReport(UpdateReport {
                        image: "pico-clock".try_into().unwrap(),
                        stage: UpdateStage::Idle,
                    }),
                    other => panic!("{other:?} is not to be asked"),
                });
            });
            for message in answers {
                let frame = Frame { boot_id: 7, sequence: 0, message };
                line.write_all(Encoder::new().encode(&frame).unwrap()).await.unwrap();
            }
        }
    }

    #[tokio::test]
    async fn a_node_with_the_newest_image_is_left_as_it_is() {
        let mut bytes = vec![0; 0x400];
        let header = ImageHeader::bytes("pico-clock", "1.2.3");
        bytes[0x200..0x200 + header.len()].copy_from_slice(&header);
        let image = NodeImage::of(bytes).unwrap();
        let images = NodeImages::from([("pico-clock".to_owned(), image)]);
        let (near, far) = SerialStream::pair().unwrap();
        let mut near = Stream::Serial(near);
        let clock = HubClock::real();
        let mut updater = NodeUpdater::new(Arc::new(images), clock.now());
        let node = tokio::spawn(answer(far));
        while updater.outcome().is_none() {
            updater.poll(clock.now());
            exchange(&mut near, &clock, &mut updater).await.unwrap();
        }
        assert_eq!(updater.outcome(), Some(&UpdateOutcome::Current));
        assert_eq!(updater.node_id().unwrap().as_str(), "clock-1");
        node.abort();
    }
}
