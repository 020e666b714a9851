//! Lets the crate compile before the pages were built: an empty folder is embedded, and the server
//! says how to build them.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=web/dist");
    if let Err(error) = std::fs::create_dir_all("web/dist") {
        println!("cargo:warning=cannot make adjudicator/web/dist: {error}");
    }
}
