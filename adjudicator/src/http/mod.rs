//! The web server: pages, JSON, live events and records for everybody; alerts for tournament directors.
//!
//! Everything public comes from the public stage through [`views`](crate::views), so that delay, silence and names
//! are decided behind this module and not in it. No page asks any other host for anything, and the
//! headers forbid it.

mod at_table;
mod compressed;
mod event;
mod fair_queue;
mod feed;
mod first_paint;
mod forwarded;
mod hubs;
mod json_body;
mod large_bodies;
mod link;
pub(crate) mod listeners;
mod live;
pub(crate) mod metrics;
mod notices;
mod pages;
mod refusals;
mod screens;
mod server;
mod tagged;
mod td;

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Extension, Json, Router,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use compressed::CompressedFiles;
use fair_queue::Lane;
use forwarded::Proxies;
use json_body::JsonBody;
use serde::Deserialize;
use serde_json::json;
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower_http::{set_header::SetResponseHeaderLayer, trace::TraceLayer};

pub(crate) use compressed::reads_gzip;
pub(crate) use live::event_stream;
pub(crate) use pages::never_changes;
pub(crate) use server::Peer;

use crate::{
    config::Config,
    error::ListenError,
    front::audience::Audience,
    hall::Game,
    limits::{DIRECTORS_STREAMS_OF_ONE_ADDRESS_MAX, STREAMS_OF_ONE_ADDRESS_MAX},
    log::Store,
    machine::{
        connection_limit::{Guests, KnownAddresses},
        open_files::Shares,
    },
    owner::{commit::Commits, follower::Stage},
    pki::joining::Joining,
    time::now_ms,
    views::{
        MatchLine, MatchView,
        halls::{HallLine, HallSummary, HallsView, connected},
        needs::machine::Machine,
        records::{Format, KeptRecords, Which},
    },
};

/// Nothing but our own files; the pieces are pictures within the style sheet.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'self'";

/// Connections that the system keeps until they are accepted: all pages of a hall come back at once after a restart. Systems allow fewer.
const BACKLOG: u32 = 16_384;

/// What the public part of this says of itself.
const OPENAPI: &str = include_str!("openapi.json");

/// What every handler needs.
#[derive(Clone)]
pub(crate) struct Desk {
    /// The configuration.
    pub(crate) config: Arc<Config>,
    /// Who asks here, and sees the hall so much later.
    pub(crate) public: Arc<Audience>,
    /// What tournament directors see.
    pub(crate) floor: Arc<Stage>,
    /// The log.
    pub(crate) store: Arc<Store>,
    /// The machine on which this runs.
    pub(crate) machine: Machine,
    /// The tournament directors' token, if there is one.
    pub(crate) td_token: Option<Arc<str>>,
    /// The way of people's acts into the log.
    pub(crate) commits: Arc<Commits>,
    pin_tries: Arc<td::PinTries>,
    presence: Arc<td::Presence>,
    /// Prepared events for directors' streams.
    prepared: Arc<td::Prepared>,
    readiness: Arc<td::Readiness>,
    screens: Arc<screens::AskingScreens>,
    /// New hubs; none: they may not ask.
    joining: Option<Arc<Joining>>,
    /// Places for event streams, of everybody and of directors.
    streams: Guests,
    directors_streams: Guests,
    /// Where directors came from.
    directors: KnownAddresses,
    /// For what tells the whole event, and for what is short.
    lanes: [Lane; 2],
    /// The files of organisers, which are read one at a time.
    files: Lane,
    /// Records of matches that are over.
    records: Arc<KeptRecords>,
    shares: Shares,
    shutdown: CancellationToken,
}

impl Desk {
    /// The same surroundings for another audience.
    pub(crate) fn with(&self, public: Arc<Audience>) -> Desk {
        Desk { public, ..self.clone() }
    }

    /// The hall for an overview over several.
    pub(crate) fn summary(&self) -> HallSummary {
        let needs = td::list(self, &self.floor.hall());
        HallSummary::of(&self.config.event.name, &self.public.look(), &needs)
    }

    /// The same surroundings where new hubs may ask.
    pub(crate) fn accepting(self, joining: Option<Joining>) -> Desk {
        Desk { joining: joining.map(Arc::new), ..self }
    }

    /// The handlers' surroundings. The log comes with the way into it.
    pub(crate) fn new(
        config: Arc<Config>,
        public: Arc<Audience>,
        floor: Arc<Stage>,
        (store, commits, machine): (Arc<Store>, Arc<Commits>, Machine),
        td_token: Option<Arc<str>>,
        shares: Shares,
        shutdown: CancellationToken,
    ) -> Desk {
        let streams = Guests::new(shares.streams, STREAMS_OF_ONE_ADDRESS_MAX);
        let directors_streams =
            Guests::new(shares.directors_streams, DIRECTORS_STREAMS_OF_ONE_ADDRESS_MAX);
        let (pin_tries, presence, prepared) = (Arc::default(), Arc::default(), Arc::default());
        Desk {
            config,
            public,
            floor,
            store,
            machine,
            td_token,
            commits,
            pin_tries,
            presence,
            prepared,
            readiness: Arc::default(),
            screens: Arc::default(),
            joining: None,
            streams,
            directors_streams,
            directors: KnownAddresses::default(),
            lanes: [Lane::of_records(), Lane::of_pages()],
            files: Lane::of_records(),
            records: Arc::default(),
            shares,
            shutdown,
        }
    }
}

/// Takes the address, so that a taken one is known before anything is served.
pub(crate) async fn listen(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    };
    let listening = socket.and_then(|socket| {
        // As every server does on Unix: what is left of the connections of a run before keeps no address.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    });
    listening.map_err(|source| ListenError { address, source })
}

/// Marks a request that came encrypted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encrypted;

/// Serves until shutdown; streams are ended then, everything else is finished.
pub(crate) async fn serve(listener: TcpListener, encryption: Option<TlsAcceptor>, desk: Desk) {
    let (shutdown, directors) = (desk.shutdown.clone(), desk.directors.clone());
    let (shares, config) = (desk.shares, desk.config.clone());
    serve_router(listener, encryption, router(desk), (&config, shares, directors), shutdown).await;
}

/// Serves the pages of a router.
pub(crate) async fn serve_router(
    listener: TcpListener,
    encryption: Option<TlsAcceptor>,
    router: Router,
    (config, shares, directors): (&Config, Shares, KnownAddresses),
    shutdown: CancellationToken,
) {
    let limits = server::ConnectionCosts::of_hall("pages", shares.pages);
    let proxies = Proxies::new(&config.http.trusted_proxies);
    let router = match encryption {
        Some(_) => router.layer(Extension(Encrypted)),
        None => router,
    };
    let doorkeeper = server::Doorkeeper { proxies, directors };
    server::serve(listener, encryption, router, limits, doorkeeper, shutdown).await;
}

/// Serves what no browser asks for within the limits of pages, at most so many connections. `whom`: who asks, in the plural.
pub(crate) async fn serve_beside(
    listener: TcpListener,
    router: Router,
    whom: &'static str,
    connections: usize,
    shutdown: CancellationToken,
) {
    let limits = server::ConnectionCosts::of_hall(whom, connections);
    let doorkeeper = server::Doorkeeper::default();
    server::serve(listener, None, router, limits, doorkeeper, shutdown).await;
}

pub(crate) fn router(desk: Desk) -> Router {
    let of_lane = |router: Router<Desk>, lane: &Lane| {
        router.layer(middleware::from_fn_with_state(lane.clone(), fair_queue::through))
    };
    let tagged = |router: Router<Desk>, lane: &Lane| {
        of_lane(router.layer(middleware::from_fn(tagged::tag)), lane)
    };
    let [of_records, of_pages] = &desk.lanes;
    let records = tagged(records_of_the_event(), of_records);
    let pages = Router::new()
        .route("/api/v1/matches", get(matches))
        .route("/api/v1/matches/{name}", get(one_match))
        .merge(event::routes())
        .merge(feed::routes())
        .route("/api/v1/halls", get(halls))
        .route("/api/v1/openapi.json", get(openapi));
    let tagged = tagged(pages, of_pages).merge(records);
    let api = Router::new()
        .route("/api/v1/round", get(round))
        .route("/api/v1/live", get(live::live))
        .merge(of_lane(notices::routes(), of_pages))
        .merge(at_table::routes())
        .merge(screens::routes())
        .merge(hubs::routes())
        .merge(tagged)
        .merge(td::routes(&desk))
        .route(
            "/api/{*rest}",
            get(async || problem(StatusCode::NOT_FOUND, "there is no such address")),
        )
        .route("/healthz", get(health))
        .layer(middleware::from_fn(refusals::as_json))
        .layer(header_layer(header::CACHE_CONTROL, "no-store"));
    api.fallback(pages::page)
        .with_state(desk)
        .layer(header_layer(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
        .layer(header_layer(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header_layer(header::REFERRER_POLICY, "no-referrer"))
        .layer(header_layer(
            HeaderName::from_static("permissions-policy"),
            "camera=(), microphone=(), geolocation=()",
        ))
        .layer(header_layer(HeaderName::from_static("cross-origin-opener-policy"), "same-origin"))
        .layer(middleware::from_fn_with_state(CompressedFiles::default(), compressed::compress))
        .layer(TraceLayer::new_for_http())
}

fn header_layer(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// A refusal that says why.
pub(crate) fn problem(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({ "error": reason }))).into_response()
}

/// The same as an error.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    reason: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, reason: impl Into<String>) -> Problem {
        Problem { status, reason: reason.into() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = problem(self.status, &self.reason);
        if self.status == StatusCode::UNAUTHORIZED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// The overview of an event of one hall; of several a front gives it.
async fn halls(State(desk): State<Desk>) -> Response {
    let (hall, summary) = (desk.config.broker.shard.clone(), desk.summary());
    Json(HallsView { halls: vec![HallLine { hall, owner: connected(true), age_s: 0, summary }] })
        .into_response()
}

async fn round(State(desk): State<Desk>) -> Response {
    let json = desk.public.round(&desk.config, now_ms());
    ([(header::CONTENT_TYPE, "application/json")], json).into_response()
}

async fn matches(State(desk): State<Desk>) -> Response {
    let sight = desk.public.look();
    let lines: Vec<MatchLine> =
        sight.games().iter().map(|shown| MatchLine::of(shown.hall, shown.game)).collect();
    Json(json!({ "matches": lines })).into_response()
}

/// `{id}` is a match as pages show it; `{id}.replay.html` plays it without a server; `{id}.bpgn`, `{id}.portable.pgn` and so on are its records.
async fn one_match(State(desk): State<Desk>, Path(name): Path<String>) -> Response {
    let sight = desk.public.look();
    let view = |shown| {
        let plies = desk.records.plies(shown).to_string();
        MatchView::with_plies(&desk.config, sight.cursor(), shown, now_ms(), plies)
    };
    if let Some(shown) = name.strip_suffix(".replay.html").and_then(|id| sight.game(id)) {
        let view = view(shown);
        return over(shown.game, view.now_ms, replay(&view, &shown.game.id));
    }
    let record = Format::ALL.into_iter().find_map(|format| {
        let id = name.strip_suffix(format.name())?.strip_suffix('.')?;
        Some((id, format))
    });
    let id = record.map_or(name.as_str(), |(id, _)| id);
    let Some(shown) = sight.game(id) else {
        return problem(
            StatusCode::NOT_FOUND,
            "there is no match of this id; /api/v1/matches lists them",
        );
    };
    if let Some((_, format)) = record {
        let text = desk.records.one(&desk.config, shown, format);
        return download(id, format, text);
    }
    let view = view(shown);
    over(shown.game, view.now_ms, Json(view).into_response())
}

/// Says of an answer about a match that is over that its own time changes nothing.
fn over(game: &Game, now_ms: u64, mut answer: Response) -> Response {
    if game.referee().is_over() {
        answer.extensions_mut().insert(tagged::TimeApart(format!("\"now_ms\":{now_ms}")));
    }
    answer
}

/// A replay that needs no server: to be kept, not to be opened here.
fn replay(view: &MatchView, id: &str) -> Response {
    let file = serde_json::to_string(view).ok().and_then(|json| pages::replay(&json));
    let Some(file) = file else {
        return problem(StatusCode::NOT_FOUND, "this program was built without its pages");
    };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.replay.html\"")),
    ];
    (headers, file).into_response()
}

/// `/api/v1/event.bpgn` and so on: the records of all matches, or of those that the query names; `/api/v1/event.zip` has them in
/// every format.
fn records_of_the_event() -> Router<Desk> {
    let archive = get(async |State(desk): State<Desk>, which| event_archive(&desk, which));
    let router = Router::new().route("/api/v1/event.zip", archive);
    Format::ALL.into_iter().fold(router, |router, format| {
        let path = format!("/api/v1/event.{format}");
        router.route(
            &path,
            get(
                async move |State(desk): State<Desk>,
                            which: Result<Query<RecordsQuery>, QueryRejection>| {
                    event(&desk, format, which)
                },
            ),
        )
    })
}

/// Which matches' records.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordsQuery {
    section: Option<String>,
    table: Option<String>,
    team: Option<String>,
    round: Option<u8>,
    /// Of caches, see [`tagged`].
    #[serde(rename = "v")]
    _version: Option<String>,
}

impl RecordsQuery {
    fn which(self) -> Which {
        let RecordsQuery { section, table, team, round, .. } = self;
        Which { section, table, team, round, confirmed: false }
    }
}

fn event_archive(desk: &Desk, which: Result<Query<RecordsQuery>, QueryRejection>) -> Response {
    let which = match which {
        Ok(Query(wanted)) => wanted.which(),
        Err(error) => return problem(error.status(), &error.body_text()),
    };
    let sight = desk.public.look();
    match desk.records.archive(&desk.config, &sight.games(), &which) {
        Ok(bytes) => {
            let headers = [
                (header::CONTENT_TYPE, "application/zip"),
                (header::CONTENT_DISPOSITION, "attachment; filename=\"event.zip\""),
            ];
            (headers, bytes).into_response()
        }
        Err(error) => problem(StatusCode::PAYLOAD_TOO_LARGE, &error.to_string()),
    }
}

fn event(
    desk: &Desk,
    format: Format,
    which: Result<Query<RecordsQuery>, QueryRejection>,
) -> Response {
    let which = match which {
        Ok(Query(wanted)) => wanted.which(),
        Err(error) => return problem(error.status(), &error.body_text()),
    };
    let sight = desk.public.look();
    let text = desk.records.all(&desk.config, &sight.games(), &which, format);
    download("event", format, text)
}

fn download(name: &str, format: Format, record: String) -> Response {
    // Ids hold no character that could end the quoted name: the wire refuses them.
    let disposition = format!("inline; filename=\"{name}.{format}\"");
    let headers = [
        (header::CONTENT_TYPE, format.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    (headers, record).into_response()
}

/// Well while the log can be read. Whether the broker is there is said, but is not this program's health:
/// restarting it would not bring the broker back. Everybody may ask: no number here grows with what happens in the hall, which would be
/// told without its delay. Such numbers are in the metrics.
async fn health(State(desk): State<Desk>) -> Response {
    let log = desk.store.last_id().await;
    let is_linked = desk.floor.hall().is_linked();
    let is_low = desk.machine.disk.room().trouble.is_some();
    let status = if log.is_ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "status": if log.is_ok() { "ok" } else { "the database cannot be read" },
        "broker": if is_linked { "connected" } else { "not connected" },
        "disk": if is_low { "nearly full" } else { "has room" },
    });
    (status, Json(body)).into_response()
}
