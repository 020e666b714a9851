//! How files come to a web host: by HTTP PUT, signed for a store with the interface of S3, or over SFTP.

use std::{path::PathBuf, time::Duration};

use axum::http::{Method, StatusCode, header};
use futures::{StreamExt as _, stream};
use rusty_s3::{Bucket, Credentials, S3Action as _, UrlStyle};

use super::{public_pages::escaped, sftp::Sftp};
use crate::{
    config::{MirrorSettings, S3},
    outlets::outbound::{Outbound, OutboundError},
    pki::secrets::{self, SecretError},
};

/// Requests that are under way at once: each waits for an answer over the internet.
const AT_ONCE: usize = 6;
/// Validity of a signature.
const SIGNED_FOR: Duration = Duration::from_secs(300);

/// A mirror cannot be used as it is configured.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The address or its token.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// The address has no bucket.
    #[error(
        "mirror.url {url:?} names no bucket: give the store's address and the bucket, as https://s3.eu-central-1.amazonaws.com/our-bucket"
    )]
    Bucket {
        /// The address.
        url: String,
    },
    /// A setting that belongs to another kind of host.
    #[error(
        "mirror {url:?}: key_file is for sftp:// addresses, token_file and mirror.s3 are for https:// addresses: leave out what does not belong"
    )]
    Mixed {
        /// The address.
        url: String,
    },
    /// The secret key cannot be read.
    #[error("mirror.s3.secret_file: {0}")]
    Secret(#[from] SecretError),
    /// The address of an SFTP server.
    #[error(
        "mirror.url {url:?} is no address of an SFTP server: give sftp://user@host/folder, with :port behind the host if it is not 22"
    )]
    Sftp {
        /// The address.
        url: String,
    },
}

/// Something to be done at the host.
#[derive(Debug)]
pub(super) struct Order {
    /// The file.
    pub(super) path: String,
    pub(super) what: OrderedChange,
}

#[derive(Debug)]
pub(super) enum OrderedChange {
    Put { media: String, body: Vec<u8> },
    Remove,
}

/// Why an order was not carried out.
#[derive(Debug)]
pub(super) enum Failure {
    /// The host refuses this file.
    Refused(String),
    /// The host asks for a pause.
    TooOften(String),
    /// The host does not answer.
    Away(String),
}

/// What is done with the result of each order. False ends the rest.
pub(super) type Results<'a> = &'a mut (dyn FnMut(&str, Result<(), Failure>) -> bool + Send);

/// A web host.
#[derive(Debug)]
pub(super) enum Host {
    /// Files are put over HTTP.
    Http(Outbound),
    /// The same, signed.
    S3(Outbound, Box<Signing>),
    /// Files are put by the system's SFTP program.
    Sftp(Sftp),
}

/// What signs requests to a store.
#[derive(Debug)]
pub(super) struct Signing {
    bucket: Bucket,
    credentials: Credentials,
    /// Begins every path; empty or with `/` at its end.
    prefix: String,
}

impl Host {
    /// `out`: a folder for files on their way.
    pub(super) fn new(of: &MirrorSettings, out: PathBuf) -> Result<Host, HostError> {
        let is_sftp = of.url.starts_with("sftp://");
        if is_sftp && (of.s3.is_some() || of.token_file.is_some())
            || !is_sftp && of.key_file.is_some()
        {
            return Err(HostError::Mixed { url: of.url.clone() });
        }
        if is_sftp {
            let sftp = Sftp::new(&of.url, of.key_file.as_deref(), out);
            return Ok(Host::Sftp(sftp.ok_or_else(|| HostError::Sftp { url: of.url.clone() })?));
        }
        let outbound = Outbound::new("mirror", &of.url, of.token_file.as_deref())?;
        Ok(match &of.s3 {
            Some(s3) => Host::S3(outbound, Box::new(Signing::new(&of.url, s3)?)),
            None => Host::Http(outbound),
        })
    }

    /// The host for people: path and query may hold a secret.
    pub(super) fn name(&self) -> &str {
        match self {
            Host::Http(outbound) | Host::S3(outbound, _) => outbound.host(),
            Host::Sftp(sftp) => sftp.host(),
        }
    }

    /// Carries orders out: contents before the documents that read them, and what is removed last.
    pub(super) async fn carry_out(&self, orders: Vec<Order>, results: Results<'_>) {
        let mut steps: [Vec<Order>; 3] = Default::default();
        for order in orders {
            let step = match &order.what {
                OrderedChange::Remove => 2,
                OrderedChange::Put { .. } => usize::from(order.path.ends_with(".html")),
            };
            steps[step].push(order);
        }
        for step in steps {
            let goes_on = match self {
                Host::Sftp(sftp) => sftp.carry_out(step, results).await,
                _ => self.over_http(step, results).await,
            };
            if !goes_on {
                return;
            }
        }
    }

    async fn over_http(&self, orders: Vec<Order>, results: Results<'_>) -> bool {
        let sent = stream::iter(orders).map(async |order| {
            let Order { path, what } = order;
            (self.request(&path, what).await, path)
        });
        let mut sent = std::pin::pin!(sent.buffer_unordered(AT_ONCE));
        while let Some((result, path)) = sent.next().await {
            if !results(&path, result) {
                return false;
            }
        }
        true
    }

    async fn request(&self, path: &str, what: OrderedChange) -> Result<(), Failure> {
        let (media, body) = match what {
            OrderedChange::Put { media, body } => (media, body),
            OrderedChange::Remove => {
                let removed = self.exchange(Method::DELETE, path, &[], Vec::new()).await;
                return match removed {
                    Ok(StatusCode::NOT_FOUND | StatusCode::GONE) => Ok(()),
                    // Not every host that takes files by PUT knows how to delete one: it is emptied.
                    Ok(StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED) => {
                        judged(self.exchange(Method::PUT, path, &[], Vec::new()).await)
                    }
                    other => judged(other),
                };
            }
        };
        let headers = [(header::CONTENT_TYPE.as_str(), media)];
        judged(self.exchange(Method::PUT, path, &headers, body).await)
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<StatusCode, String> {
        let sent = match self {
            Host::S3(outbound, signing) => {
                let url = signing.url(&method, path);
                outbound.send_to(&url, method, headers, body).await
            }
            Host::Http(outbound) => {
                // A name as a browser writes it.
                let path = escaped(path, b"-_.!~*'()/", '%');
                outbound.send(method, &path, headers, body).await
            }
            Host::Sftp(_) => return Err("no requests are sent over SFTP".to_owned()),
        };
        sent.map(|answer| answer.status)
    }
}

fn judged(answer: Result<StatusCode, String>) -> Result<(), Failure> {
    match answer {
        Ok(status) if status.is_success() => Ok(()),
        Ok(status) => Err(match status {
            StatusCode::TOO_MANY_REQUESTS => {
                Failure::TooOften(format!("{status}; it asks for a pause of a minute"))
            }
            StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::BAD_GATEWAY
            | StatusCode::GATEWAY_TIMEOUT => Failure::Away(format!("{status}; it is tried again")),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Failure::Refused(format!(
                "{status}; the token or key is not accepted: look at its rights and at its file, and restart"
            )),
            StatusCode::NOT_FOUND => {
                Failure::Refused(format!("{status}; there is no such address: look at mirror.url"))
            }
            _ => Failure::Refused(format!("{status}; it is tried again")),
        }),
        Err(reason) => Err(Failure::Away(format!("{reason}; it is tried again"))),
    }
}

impl Signing {
    fn new(url: &str, of: &S3) -> Result<Signing, HostError> {
        let wrong = || HostError::Bucket { url: url.to_owned() };
        let mut endpoint: url::Url = url.parse().map_err(|_| wrong())?;
        let path = endpoint.path().trim_matches('/').to_owned();
        let (name, prefix) = path.split_once('/').unwrap_or((&path, ""));
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        endpoint.set_path("");
        if name.is_empty() {
            return Err(wrong());
        }
        let bucket = Bucket::new(endpoint, UrlStyle::Path, name.to_owned(), of.region.clone());
        let secret = secrets::read(&of.secret_file)?;
        let credentials = Credentials::new(of.key_id.clone(), secret);
        Ok(Signing { bucket: bucket.map_err(|_| wrong())?, credentials, prefix })
    }

    fn url(&self, method: &Method, path: &str) -> String {
        let (key, by) = (format!("{}{path}", self.prefix), Some(&self.credentials));
        match *method {
            Method::DELETE => self.bucket.delete_object(by, &key).sign(SIGNED_FOR).into(),
            _ => self.bucket.put_object(by, &key).sign(SIGNED_FOR).into(),
        }
    }
}
