//! A bughouse table from the box to ready on the chief's phone, with at most six touches.

use sim::real_time::{Workbench, WorkbenchNode};

use super::{
    browser, chiefs_phone,
    support::{
        program::free_port,
        set_up::{code, hub, serve},
    },
};

/// Touches for a hub with its nodes.
const TOUCHES_MAX: u64 = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_with_four_nodes_is_ready_after_six_touches_at_most() {
    let Some(driver) = browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (at, devices) = (folder.path(), folder.path().join("dev"));
    std::fs::create_dir(&devices).expect("a folder");
    let board = |name: &str| WorkbenchNode::Board {
        name: name.to_owned(),
        trays: true,
        faults: Vec::new(),
    };
    let clock = |name: &str| WorkbenchNode::Clock { name: name.to_owned() };
    let nodes = vec![board("board-1"), board("board-2"), clock("clock-1"), clock("clock-2")];
    let _bench = Workbench::start(&devices, nodes, 1).expect("a bench");
    let http = free_port();
    let _adjudicator = serve(at, http, "us-chess-bughouse-2018");
    let hub = hub(at, http, &devices);
    let phone = chiefs_phone(&driver, at, &format!("http://127.0.0.1:{http}")).await;
    phone.follow("Hubs").await;
    phone.see("[data-testid=asking]", "asks (").await;
    phone.show("hubs-asking").await;

    let before = phone.touches().await;
    phone.tap(".hub-code input").await;
    phone.write(".hub-code input", &code(&hub)).await;
    phone.press("Accept").await;
    phone.see("[role=status]", "is accepted").await;
    phone.see(".hub-line form", "clock-2").await;
    phone.show_wide("hubs-nodes").await;
    // The boards stand the other way round than they are plugged in.
    phone.press("Exchange A and B").await;
    phone.press("Place at table 1").await;
    phone.see("[data-table=\"1\"]", "A: board-2, A: clock-2, B: board-1, B: clock-1").await;
    let touches = phone.touches().await - before;
    phone.show_wide("hubs-placed").await;
    assert!(touches <= TOUCHES_MAX, "{touches} touches");
    phone.see(".hub-line .need-when", "Online").await;
    phone.quit().await;
    assert!(hub.log().contains("other tables"), "{}", hub.log());
}
