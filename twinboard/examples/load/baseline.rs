//! Baseline of the machine: a message of QoS 1 to Mosquitto and back, and a synced write.

use std::{
    fs::File,
    io::Write as _,
    path::Path,
    time::{Duration, Instant},
};

use rumqttc::{AsyncClient, Event, Incoming, MqttOptions, NetworkOptions, PublishOptions};
use tokio::sync::mpsc;

use crate::Outcome;

/// Longest wait for the broker.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client and a file.
pub(crate) struct Baseline {
    client: AsyncClient,
    acks: mpsc::UnboundedReceiver<()>,
    file: File,
}

impl Baseline {
    pub(crate) async fn start(port: u16, folder: &Path) -> Outcome<Baseline> {
        let options = MqttOptions::new("baseline", ("127.0.0.1", port));
        let (client, mut event_loop) = AsyncClient::builder(options).capacity(10).build();
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        event_loop.set_network_options(network);
        let (sender, acks) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok(event) = event_loop.poll().await {
                if matches!(event, Event::Incoming(Incoming::PubAck(_))) {
                    let _ = sender.send(());
                }
            }
        });
        Ok(Baseline { client, acks, file: File::create(folder.join("baseline"))? })
    }

    /// One message of so many bytes to the broker and its PUBACK, then a page of the file to the disk.
    pub(crate) async fn measure(&mut self, bytes: usize) -> Outcome<Duration> {
        let begun = Instant::now();
        self.client.publish("baseline", vec![0; bytes], PublishOptions::at_least_once()).await?;
        tokio::time::timeout(PATIENCE, self.acks.recv()).await?.ok_or("the broker is gone")?;
        self.file.write_all(&[0; 4096])?;
        self.file.sync_data()?;
        Ok(begun.elapsed())
    }
}
