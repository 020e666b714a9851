//! The pages, embedded in the program.
//!
//! One document serves every page address; its scripts and styles carry a hash in their name and may be
//! kept for ever, the document itself is asked for anew each time.

use axum::{
    extract::State,
    http::{HeaderValue, Method, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
};

use super::{CONTENT_SECURITY_POLICY, Desk, first_paint, problem};
use crate::page_files::{DOCUMENT, Dist, REPLAY, media_type};

/// Place of the match in a replay without one.
const NO_MATCH: &str = r#"id="match">null<"#;

/// What the document says where it knows nothing better.
const NOTHING_YET: &str = r#"<p class="note" role="status">Loading the round…</p>"#;

/// Where the pages are that other sites may show.
const EMBED: &str = "/embed/";

/// Folder whose files carry a hash in their name.
const HASHED: &str = "assets/";

const FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASK_ANEW: &str = "no-cache";

/// Said in place of the pages when the program was built without them.
const NOT_BUILT: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Twinboard</title>\
    <h1>The pages were not built</h1>\
    <p>This program was compiled before its pages. Build them, then the program again:</p>\
    <pre>cd adjudicator/web\nnpm ci\nnpm run build\ncd ../..\ncargo build</pre>\
    <p><code>cargo xtask demo</code> does all of it. The data are here all the same: \
    <a href=/api/v1/round>/api/v1/round</a>.";

/// A match's replay in one file. None: the program was built without its pages.
pub(super) fn replay(match_as_json: &str) -> Option<String> {
    let file = Dist::get(REPLAY)?;
    let text = std::str::from_utf8(&file.data).ok()?;
    // Inside a script nothing may look like its end.
    let data = match_as_json.replace('<', "\\u003c");
    Some(text.replacen(NO_MATCH, &format!(r#"id="match">{data}<"#), 1))
}

pub(super) async fn page(State(desk): State<Desk>, method: Method, uri: Uri) -> Response {
    let first = || first_paint::content(&desk.config.event.name, &desk.public.look(), uri.path());
    let mut response = found(&method, &uri, first);
    let sites = &desk.config.http.embed_sites;
    if uri.path().starts_with(EMBED)
        && let Ok(policy) = HeaderValue::from_str(&framed_by(sites))
    {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The policy of pages that these sites may show in a frame.
fn framed_by(sites: &[String]) -> String {
    let others: String = sites.iter().map(|site| format!(" {site}")).collect();
    format!("{CONTENT_SECURITY_POLICY}{others}")
}

/// Whether what is at this address is the same for ever: its name has a hash.
pub(crate) fn never_changes(path: &str) -> bool {
    path.trim_start_matches('/').starts_with(HASHED)
}

fn found(method: &Method, uri: &Uri, first: impl FnOnce() -> Option<String>) -> Response {
    if *method != Method::GET && *method != Method::HEAD {
        return problem(StatusCode::METHOD_NOT_ALLOWED, "there is nothing to change here");
    }
    let path = uri.path().trim_start_matches('/');
    match Dist::get(path).filter(|_| path != DOCUMENT && path != REPLAY) {
        Some(file) => asset(path, file.data.into_owned()),
        None if is_page(uri.path()) => document(first()),
        None => problem(StatusCode::NOT_FOUND, "there is no such address"),
    }
}

/// `/`, `/match/{id}`, `/match/{id}/replay`, `/match/{id}/sheet`, `/table/{table}`, `/standings`, `/pairings`, `/child`, `/at-table`, `/screen`, the directors' pages under `/td`, the stream's scenes under `/overlay`, what other sites show in a frame under `/embed`.
fn is_page(path: &str) -> bool {
    let mut parts = path.trim_matches('/').split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("" | "index.html"), None, None) => true,
        (Some("match" | "table"), Some(name), None) => !name.is_empty(),
        (Some("match"), Some(name), Some("replay" | "sheet")) => {
            !name.is_empty() && parts.next().is_none()
        }
        (Some("standings" | "pairings" | "child" | "at-table" | "screen"), None, None) => true,
        (Some("td" | "overlay" | "embed"), _, _) => true,
        _ => false,
    }
}

/// The document, with what it shows until its scripts have come.
fn document(first: Option<String>) -> Response {
    match Dist::get(DOCUMENT) {
        Some(file) => {
            let data = file.data.into_owned();
            let text = first.and_then(|first| {
                Some(std::str::from_utf8(&data).ok()?.replacen(NOTHING_YET, &first, 1))
            });
            asset(DOCUMENT, text.map_or(data, String::into_bytes))
        }
        None => (StatusCode::SERVICE_UNAVAILABLE, Html(NOT_BUILT)).into_response(),
    }
}

fn asset(path: &str, data: Vec<u8>) -> Response {
    let kind = media_type(path);
    let keep = if never_changes(path) { FOR_EVER } else { ASK_ANEW };
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, keep.to_owned())];
    (headers, data).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replay_holds_its_match_and_no_end_of_its_script() {
        let Some(file) = replay(r#"{"name":"</script><b>"}"#) else { return };
        assert!(file.contains(r#"id="match">{"name":"\u003c/script>\u003cb>"}<"#));
        assert!(!file.contains(NO_MATCH));
    }

    #[test]
    fn page_addresses_are_the_round_a_match_and_a_table() {
        for page in [
            "/",
            "/match/m-1",
            "/table/12",
            "/table/12/",
            "/standings",
            "/td",
            "/td/table/3",
            "/overlay/multi",
            "/match/m-1/replay",
            "/match/m-1/sheet",
            "/embed/table/3",
        ] {
            assert!(is_page(page), "{page}");
        }
        for other in
            ["/match", "/match/", "/match/a/b", "/admin", "/standings/x", "/api/v1/round", "/.env"]
        {
            assert!(!is_page(other), "{other}");
        }
    }

    #[test]
    fn the_document_has_a_place_for_its_first_content() {
        let Some(file) = Dist::get(DOCUMENT) else { return };
        assert!(std::str::from_utf8(&file.data).unwrap().contains(NOTHING_YET));
    }

    #[test]
    fn only_named_sites_may_show_a_frame() {
        assert_eq!(framed_by(&[]), CONTENT_SECURITY_POLICY);
        let policy = framed_by(&["https://club.example".to_owned()]);
        assert!(policy.ends_with("frame-ancestors 'self' https://club.example"), "{policy}");
    }

    #[test]
    fn a_program_without_pages_says_how_to_build_them() {
        let page = found(&Method::GET, &Uri::from_static("/"), || None);
        match Dist::get(DOCUMENT) {
            Some(_) => assert_eq!(page.status(), StatusCode::OK),
            None => assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE),
        }
        assert!(NOT_BUILT.contains("npm run build"));
    }
}
