//! Files of the pages, embedded in the program: the server answers with them, and mirrors get them.

use rust_embed::RustEmbed;

/// Built files of `web`, by their paths.
#[derive(RustEmbed)]
#[folder = "web/dist"]
pub(crate) struct Dist;

/// The one document of all page addresses.
pub(crate) const DOCUMENT: &str = "index.html";

/// A replay without a match.
pub(crate) const REPLAY: &str = "replay.html";

/// The scripts, styles and pictures that pages read: path, media type and content.
pub(crate) fn assets() -> impl Iterator<Item = (String, String, Vec<u8>)> {
    Dist::iter().filter(|path| path != DOCUMENT && path != REPLAY).filter_map(|path| {
        let data = Dist::get(&path)?.data.into_owned();
        Some((path.to_string(), media_type(&path), data))
    })
}

/// Beginnings of the names of files that directors' pages alone read.
const OF_DIRECTORS: [&str; 3] = ["assets/TdPages-", "assets/es.td-", "assets/td-"];

/// Those of the files that pages for everybody read.
pub(crate) fn public_assets() -> impl Iterator<Item = (String, String, Vec<u8>)> {
    let is_public = |path: &str| !OF_DIRECTORS.iter().any(|of| path.starts_with(of));
    assets().filter(move |(path, ..)| is_public(path))
}

/// The document without any content. None: the program was built without its pages.
pub(crate) fn empty_document() -> Option<String> {
    String::from_utf8(Dist::get(DOCUMENT)?.data.into_owned()).ok()
}

/// Media type of a file, by its name.
pub(crate) fn media_type(path: &str) -> String {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    match kind.type_() {
        mime_guess::mime::TEXT => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    }
}
