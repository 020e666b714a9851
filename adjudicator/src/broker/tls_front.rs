//! The encrypted listener for hubs: a certificate, then the hub's own name, then the broker.
//!
//! A hub shows a certificate of the hall's authority, which names its id, and it must be the hub's current one: an
//! older or revoked certificate is refused. Its CONNECT must have the client id of that hub. The gate writes the
//! hub's account into it, with a secret that only this process knows, and hands the connection over to the broker.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use bytes::BytesMut;
use proto::mqtt::{Segment, hub_client_id, hub_rehearsal_client_id};
use rumqttc::{Connect, ConnectReturnCode, Error, Packet};
use rustls::pki_types::CertificateDer;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tokio_util::sync::CancellationToken;

use super::{
    certificates::{Enrolled, ShutOut},
    log_throttle::ThrottledLines,
    tcp_front::relay,
};
use crate::{
    limits::HUBS_OF_ONE_ADDRESS_MAX,
    machine::{
        accept::{Guest, Reception},
        connection_limit::Guests,
    },
    pki::authority::About,
};

/// Longest time from the connection to the end of CONNECT.
const ENTRY_MAX: Duration = Duration::from_secs(10);
/// Largest CONNECT packet: names, and a will of a few fields.
const CONNECT_BYTES_MAX: usize = 16 * 1024;

/// The gate.
pub(super) struct Gate {
    pub(super) acceptor: TlsAcceptor,
    /// The certificates that hubs have now.
    pub(super) enrolled: Enrolled,
    /// The broker in this process.
    pub(super) broker: SocketAddr,
    /// Secret by which the broker recognises a connection that came through the gate.
    pub(super) secret: String,
    /// Limit of the log lines about refusals.
    pub(super) refused: ThrottledLines,
}

/// Reason of a refusal.
#[derive(Debug, thiserror::Error)]
enum ConnectionRefusal {
    #[error("it did not finish in {ENTRY_MAX:?}")]
    Slow,
    #[error("{0}")]
    Line(#[from] io::Error),
    #[error("its certificate cannot be read: {0}")]
    Certificate(String),
    #[error("{0}")]
    ShutOut(#[from] ShutOut),
    #[error("its first packet is no MQTT 3.1.1 CONNECT: {0}")]
    NoConnect(String),
    #[error("hub {hub} came with the client id {client_id:?}")]
    OtherName { hub: String, client_id: String },
}

impl Gate {
    /// Accepts hubs, up to the limit, until shutdown.
    pub(super) async fn run(self, listener: TcpListener, most: usize, shutdown: CancellationToken) {
        let guests = Guests::new(most, HUBS_OF_ONE_ADDRESS_MAX.min(most.div_ceil(2)));
        let mut reception = Reception::new(listener, guests, "hubs with certificates");
        let gate = Arc::new(self);
        while let Some(Guest { stream, address, place }) = reception.next(&shutdown).await {
            let (gate, shutdown) = (gate.clone(), shutdown.clone());
            tokio::spawn(async move {
                shutdown.run_until_cancelled(gate.serve(stream, address)).await;
                drop(place);
            });
        }
    }

    async fn serve(&self, stream: TcpStream, address: SocketAddr) {
        match timeout(ENTRY_MAX, self.enter(stream)).await.unwrap_or(Err(ConnectionRefusal::Slow)) {
            Ok((hub, broker)) => {
                let leaf = hub.get_ref().1.peer_certificates().and_then(<[_]>::first).cloned();
                tokio::select! {
                    // Silence needs no timeout here: the broker notices it by the keep-alive.
                    relayed = relay(hub, broker) => if let Err(error) = relayed {
                        tracing::debug!(%error, %address, "a hub's connection ended");
                    },
                    reason = self.enrolled.until_shut_out(leaf.as_ref()) => {
                        tracing::warn!(%address, %reason, "ended a hub's connection");
                    }
                }
            }
            Err(reason) => {
                if let Some(unsaid) = self.refused.is_due() {
                    tracing::warn!(%address, %reason, unsaid, "refused a hub's connection");
                }
            }
        }
    }

    async fn enter(
        &self,
        stream: TcpStream,
    ) -> Result<(TlsStream<TcpStream>, TcpStream), ConnectionRefusal> {
        stream.set_nodelay(true)?;
        let mut stream = self.acceptor.accept(stream).await?;
        let holder = self.holder(stream.get_ref().1.peer_certificates());
        let (mut connect, rest) = read_connect(&mut stream).await?;
        let hub = match holder.and_then(|hub| named(hub, &connect)) {
            Ok(hub) => hub,
            Err(reason) => {
                stream.write_all(&refusal(ConnectReturnCode::NotAuthorized)).await?;
                stream.shutdown().await?;
                return Err(reason);
            }
        };
        connect.set_credentials(hub.as_str(), self.secret.clone());
        let mut packet = BytesMut::new();
        connect
            .write(&mut packet)
            .map_err(|error| ConnectionRefusal::NoConnect(error.to_string()))?;
        packet.extend_from_slice(&rest);
        let mut broker = TcpStream::connect(self.broker).await?;
        broker.set_nodelay(true)?;
        broker.write_all(&packet).await?;
        Ok((stream, broker))
    }

    /// The hub that a certificate names; the verifier has checked that the authority issued it.
    fn holder(&self, chain: Option<&[CertificateDer<'_>]>) -> Result<Segment, ConnectionRefusal> {
        let none = || ConnectionRefusal::Certificate("it has none".to_owned());
        let leaf = chain.and_then(<[_]>::first).ok_or_else(none)?;
        let about = About::of(leaf).map_err(ConnectionRefusal::Certificate)?;
        let name = about.name;
        let hub: Segment = name
            .parse()
            .map_err(|_| ConnectionRefusal::Certificate(format!("it names {name:?}")))?;
        self.enrolled.check(&name, leaf)?;
        Ok(hub)
    }
}

/// The hub, if it connects with its own client id, or with that of its part in a rehearsal.
fn named(hub: Segment, connect: &Connect) -> Result<Segment, ConnectionRefusal> {
    let own = [hub_client_id(&hub), hub_rehearsal_client_id(&hub)];
    match own.contains(&connect.client_id) {
        true => Ok(hub),
        false => Err(ConnectionRefusal::OtherName {
            hub: hub.as_str().to_owned(),
            client_id: connect.client_id.clone(),
        }),
    }
}

/// Reads the first packet, which must be CONNECT, and the bytes behind it.
async fn read_connect(
    stream: &mut TlsStream<TcpStream>,
) -> Result<(Connect, BytesMut), ConnectionRefusal> {
    let mut bytes = BytesMut::with_capacity(1024);
    loop {
        match Packet::read(&mut bytes, CONNECT_BYTES_MAX) {
            Ok(Packet::Connect(connect)) => return Ok((connect, bytes)),
            Ok(_) | Err(Error::InvalidProtocol | Error::InvalidProtocolLevel(_)) => {
                let refused = refusal(ConnectReturnCode::RefusedProtocolVersion);
                stream.write_all(&refused).await?;
                return Err(ConnectionRefusal::NoConnect("another packet or version".to_owned()));
            }
            Err(Error::InsufficientBytes(_)) => {}
            Err(error) => return Err(ConnectionRefusal::NoConnect(error.to_string())),
        }
        if bytes.len() > CONNECT_BYTES_MAX || stream.read_buf(&mut bytes).await? == 0 {
            return Err(ConnectionRefusal::NoConnect("it ends before it is whole".to_owned()));
        }
    }
}

fn refusal(code: ConnectReturnCode) -> BytesMut {
    let mut packet = BytesMut::new();
    // A CONNACK of two bytes always fits.
    let _ = rumqttc::ConnAck::new(code, false).write(&mut packet);
    packet
}
