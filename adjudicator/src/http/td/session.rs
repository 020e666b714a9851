//! Who asks: a paired device with both of its secrets, or a program with the token of the configuration.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use subtle::ConstantTimeEq as _;

use super::super::{Desk, Problem};
use crate::{
    hall::{
        acts::Actor,
        event::staff::{DeviceId, Rank, Scope},
    },
    time::run_ms,
};

/// The cookie of a device: its number, a dot, its secret.
pub(super) const COOKIE: &str = "twinboard-td";

/// The header with the key that the device's pages keep. No other site can send it.
const KEY: HeaderName = HeaderName::from_static("x-twinboard-key");

/// What browsers say of where a request comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What the holder of the configuration's token is called in ledgers.
const TOKEN_HOLDER: &str = "token";

/// Somebody who may be here.
#[derive(Clone, Debug)]
pub(super) struct Session {
    /// The device; 0 for the token.
    pub(super) device: DeviceId,
    /// Who and in which capacity.
    pub(super) actor: Actor,
    /// What is theirs.
    pub(super) scope: Scope,
    /// Until when it lasts, Unix milliseconds.
    pub(super) until_ms: u64,
}

/// Whose request it is.
///
/// # Errors
///
/// The refusal to answer with.
pub(super) fn of(desk: &Desk, headers: &HeaderMap) -> Result<Session, Problem> {
    if let Some(given) = headers.get(header::AUTHORIZATION) {
        return by_token(desk, given);
    }
    let Some((device, secret)) = cookie(headers) else { return Err(refusal(desk)) };
    let key = headers.get(KEY).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // The hall is released before the refusal asks for it again.
    let known =
        desk.floor.hall().staff().device(run_ms(), device, secret, key).map(|known| Session {
            device,
            actor: Actor { person: known.person.clone(), rank: known.rank },
            scope: known.scope.clone(),
            until_ms: known.until_ms,
        });
    known.ok_or_else(|| refusal(desk))
}

fn by_token(desk: &Desk, given: &HeaderValue) -> Result<Session, Problem> {
    let Some(token) = &desk.td_token else { return Err(refusal(desk)) };
    let given = given.as_bytes().strip_prefix(b"Bearer ").unwrap_or_default();
    if !bool::from(given.ct_eq(token.as_bytes())) {
        return Err(refusal(desk));
    }
    let actor = Actor { person: TOKEN_HOLDER.to_owned(), rank: Rank::Chief };
    let scope = Scope::default();
    Ok(Session { device: DeviceId::default(), actor, scope, until_ms: u64::MAX })
}

fn cookie(headers: &HeaderMap) -> Option<(DeviceId, &str)> {
    let sent = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|cookies| cookies.split(';')).filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == COOKIE).then_some(value)
    });
    let (device, secret) = pairs.next()?.split_once('.')?;
    Some((DeviceId(device.parse().ok()?), secret))
}

/// The refusal of a request that nobody known makes.
fn refusal(desk: &Desk) -> Problem {
    if desk.td_token.is_none() && desk.floor.hall().staff().devices().next().is_none() {
        let reason = "no token is configured for tournament directors (http.td_token_file)";
        return Problem::new(StatusCode::FORBIDDEN, reason);
    }
    let reason =
        "this needs a paired device, or the tournament directors' token as Authorization: Bearer";
    Problem::new(StatusCode::UNAUTHORIZED, reason)
}

/// Refuses what another site's page sends in the name of somebody who is here.
///
/// # Errors
///
/// The refusal to answer with.
pub(super) fn same_site(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_foreign_fetch =
        text(FETCH_SITE).is_some_and(|site| site != "same-origin" && site != "none");
    let host = text(header::HOST);
    let is_foreign_origin = text(header::ORIGIN).is_some_and(|origin| {
        let of_origin = origin.split_once("://").map(|(_, host)| host);
        of_origin.is_none() || of_origin != host
    });
    match is_foreign_fetch || is_foreign_origin {
        true => Err(Problem::new(StatusCode::FORBIDDEN, "this was sent by a page of another site")),
        false => Ok(()),
    }
}

/// As [`of`], for what changes something.
///
/// # Errors
///
/// The refusal to answer with.
pub(super) fn to_change(desk: &Desk, headers: &HeaderMap) -> Result<Session, Problem> {
    same_site(headers)?;
    of(desk, headers)
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread, time::Duration};

    use tokio::sync::watch;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::{
        config::Config,
        front::audience::Audience,
        log::{
            Store,
            input::{Input, InputKind},
        },
        machine::{
            broadcast_notices::BroadcastNotices, clock_steps::ClockSteps, disk::Disk, open_files,
        },
        owner::{
            commit::Commits,
            follower::{Arrival, Stage},
        },
        pki::notices::CertificateNotices,
        views::needs::{Since, machine::Machine},
    };

    /// Inputs that are applied beside the requests, and threads that make them.
    const INPUTS: u64 = 100_000;
    const REQUESTERS: usize = 3;
    /// Longest wait for inputs that take a second.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// The state of a web server without a directors' token.
    async fn desk(folder: &std::path::Path) -> Desk {
        let mut config = Config::default();
        config.store.path = folder.join("event.sqlite");
        let (config, shutdown) = (Arc::new(config), CancellationToken::new());
        let floor = Stage::new(&config);
        let store = Arc::new(Store::open(&config.store.path).await.unwrap());
        let appended = Arc::new(watch::Sender::new(0));
        let commits = Arc::new(Commits::new(store.clone(), floor.clone(), appended));
        let machine = Machine {
            disk: Disk::watch(None, 0, shutdown.clone()).0,
            clock: ClockSteps::watch(shutdown.clone()).0,
            certificates: CertificateNotices::of_events(12),
            broadcasts: BroadcastNotices::default(),
            since: Since::default(),
            log: store.clone(),
        };
        let shares = open_files::raise_limit(&config.limits, 1);
        let (public, log) = (Audience::of_stage(&floor), (store, commits, machine));
        Desk::new(config, public, floor, log, None, shares, shutdown)
    }

    #[tokio::test]
    async fn requests_of_an_unknown_device_never_stop_the_hall() {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk(folder.path()).await;
        let (finished, watching) = std::sync::mpsc::channel();
        for _ in 0..REQUESTERS {
            let (desk, unknown) = (desk.clone(), headers(&[("cookie", "twinboard-td=1.x")]));
            thread::spawn(move || {
                while desk.floor.hall().last_input() < INPUTS {
                    assert!(of(&desk, &unknown).is_err());
                }
            });
        }
        thread::spawn(move || {
            for id in 1..=INPUTS {
                let kind = if id % 2 == 0 { InputKind::LinkUp } else { InputKind::LinkDown };
                let (hub, match_id, payload) = (None, None, Vec::new());
                let input = Input { id, received_ms: id, kind, hub, match_id, payload };
                desk.floor.apply_for_a_while(&[input], Arrival::Now);
            }
            let _ = finished.send(());
        });
        assert_eq!(watching.recv_timeout(PATIENCE), Ok(()), "the hall stands still");
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let of = |&(name, value): &(&str, &str)| {
            (HeaderName::try_from(name).unwrap(), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(of).collect()
    }

    #[test]
    fn a_page_of_another_site_changes_nothing() {
        for foreign in [
            &[("host", "hall:8080"), ("origin", "http://evil.example")][..],
            &[("host", "hall:8080"), ("origin", "null")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
        ] {
            assert!(same_site(&headers(foreign)).is_err(), "{foreign:?}");
        }
        for own in [
            &[("host", "hall:8080"), ("origin", "http://hall:8080")][..],
            &[("host", "hall:8080"), ("sec-fetch-site", "same-origin")],
            &[],
        ] {
            assert!(same_site(&headers(own)).is_ok(), "{own:?}");
        }
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let sent = headers(&[("cookie", "a=b; twinboard-td=7.secret; c=d")]);
        assert_eq!(cookie(&sent), Some((DeviceId(7), "secret")));
        for other in ["twinboard-td=secret", "twinboard-td=x.secret", "b=7.secret"] {
            assert_eq!(cookie(&headers(&[("cookie", other)])), None, "{other}");
        }
    }
}
