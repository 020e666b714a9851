//! A hall that is set up from the box: an adjudicator that accepts hubs, and a hub without a configuration.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::{fs, path::Path};

use crate::program::{Program, free_port};

/// The directors' token.
pub(crate) const TOKEN: &str = "a token of the organiser's, long enough";

/// An adjudicator with its pages at this port, at which this book is played at tables 1 and 2.
pub(crate) fn serve(folder: &Path, http: u16, book: &str) -> Program {
    serve_tables(folder, http, book, 2)
}

/// The same at so many tables.
pub(crate) fn serve_tables(folder: &Path, http: u16, book: &str, tables: usize) -> Program {
    let tables: String =
        (1..=tables).map(|table| format!("[[table]]\nname = \"{table}\"\n")).collect();
    let token = folder.join("td-token");
    adjudicator::pki::secrets::write(&token, TOKEN).expect("a token's file");
    let text = format!(
        "[event]\nname = \"Set-up\"\nrulebook = {book:?}\n[http]\naddress = \"127.0.0.1:{http}\"\ntd_token_file = {token:?}\n\
         [broker]\naddress = \"127.0.0.1:{}\"\ntls_address = \"127.0.0.1:{}\"\n[hubs]\naccept = true\n{tables}",
        free_port(),
        free_port(),
    );
    fs::write(folder.join("serve.toml"), text).expect("a configuration");
    Program::configured(folder, "serve")
}

/// A hub as it comes out of its box, with the serial devices of a folder.
pub(crate) fn hub(folder: &Path, http: u16, devices: &Path) -> Program {
    let (state, config) = (folder.join("state"), folder.join("no-such.toml"));
    fs::create_dir_all(&state).expect("a folder");
    let (address, pattern) = (format!("127.0.0.1:{http}"), devices.join("*").display().to_string());
    let arguments = [
        ["hub", "--join"],
        ["--config", config.to_str().expect("Unicode")],
        ["--state", state.to_str().expect("Unicode")],
        ["--adjudicator", &address],
        ["--ports", &pattern],
    ];
    Program::twinboard(&arguments.concat(), &folder.join("hub.log"))
}

/// The code on the hub's console.
pub(crate) fn code(hub: &Program) -> String {
    hub.until_it_says("type its code: ");
    let log = hub.log();
    let (_, code) = log.rsplit_once("type its code: ").expect("a code");
    code.split_whitespace().next().expect("a code").to_owned()
}
