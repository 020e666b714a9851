//! A hall set up as a new user would, from deploy/README.md alone: three machines with systemd and a network between them, the Debian
//! package on each, certificates, two hubs, a match at each, a copy of the database, and the copy put back: over the database of an
//! adjudicator that was killed, and on a fourth machine that takes the place of the first.
//!
//! Whatever is typed here stands in the guide, word by word: a command that the guide does not have fails, and so does one that does not
//! work. What the guide leaves to the reader, a table's nodes for example, is written into the files that it names.

mod guide;
mod machine;
mod units;

use std::{
    fs,
    io::{BufRead as _, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use crate::{
    dist,
    workspace::{build_program, root, target},
};
use guide::{EXAMPLES, GUIDE, Guide, install, log, until};
use machine::VenueMachine;

/// Folder of packages, below the target folder.
const RESULTS: &str = "venue";
const ADJUDICATOR: &str = "192.168.1.10";

/// Builds the package with the program as tests build it, and sets the hall up.
pub(crate) fn run() -> Result<(), String> {
    with_package(|guide, deb, folder| {
        walk(guide, deb, &target().join("debug/examples/venue"), folder)
    })
}

/// Builds the same package, and has systemd start what it installs, on one machine.
pub(crate) fn test_units() -> Result<(), String> {
    with_package(units::walk)
}

/// Builds the package and does something with it; the folder is where machines have their files.
fn with_package(
    work: impl FnOnce(&Guide, &Path, &Path) -> Result<(), String>,
) -> Result<(), String> {
    build_program()?;
    let program = target().join("debug/twinboard");
    let deb = dist::package_for_this_machine(&program, &target().join(RESULTS))?;
    let guide =
        fs::read_to_string(root().join(GUIDE)).map_err(|error| format!("{GUIDE}: {error}"))?;
    let folder = std::env::temp_dir().join(format!("twinboard-venue-{}", std::process::id()));
    let done = work(&Guide::new(&guide), &deb, &folder);
    // Its mounts ended with the machines.
    let _ = fs::remove_dir_all(&folder);
    done
}

fn walk(guide: &Guide, deb: &Path, nodes: &Path, folder: &Path) -> Result<(), String> {
    let [hall, one, two] = ["hall", "hub-1", "hub-2"].map(|name| VenueMachine::start(name, folder));
    let (hall, hubs) = (hall?, [one?, two?]);
    connect(&hall, &hubs)?;
    for hub in &hubs {
        // As the network's router, or mDNS, would answer.
        hub.run(&format!("echo '{ADJUDICATOR} adjudicator.local' >> /etc/hosts"))?;
    }
    for machine in [&hall, &hubs[0], &hubs[1]] {
        install(guide, machine, deb)?;
    }
    set_up_adjudicator(guide, &hall, &hubs)?;
    let mut played = Vec::new();
    for (index, hub) in hubs.iter().enumerate() {
        played.push(Boards::set_up(guide, hub, nodes, index)?);
    }
    guide.follow(&hall, "sudo twinboard enroll status")?;
    // While both play.
    until("both matches begun", || {
        let round = ask(&hubs[0], "/api/v1/round")?;
        Ok((round.matches("\"match\":\"hub-").count() == 2).then_some(()))
    })?;
    copy_database(guide, &hall)?;
    renew(guide, &hall, &hubs[0])?;
    for (boards, hub) in played.iter_mut().zip(&hubs) {
        boards.compare(hub)?;
    }
    let before = records(&hubs[0])?;
    let same = || {
        until("the records as they were, from the copy and from the hubs", || {
            Ok(records(&hubs[1]).ok().filter(|after| *after == before))
        })
    };
    restore(guide, &hall)?;
    same()?;
    let hall = replace(guide, hall, &hubs, deb, folder)?;
    same()?;
    look_into_journal(guide, &hubs[0])?;
    guide.follow(&hall, "sudo twinboard enroll revoke hub-1")?;
    until("a revoked hub that is refused", || {
        let log = hubs[0].run(
            "systemctl restart twinboard-hub; sleep 2; journalctl -u twinboard-hub --no-pager",
        )?;
        Ok(log.contains("NotAuthorized").then_some(()))
    })?;
    println!(
        "   a hall of two hubs, set up from {GUIDE}: matches, a copy, a restore, a revoked hub"
    );
    Ok(())
}

/// Puts cables between the hall's machine and its hubs.
fn connect(hall: &VenueMachine, hubs: &[VenueMachine; 2]) -> Result<(), String> {
    let addresses = ["192.168.1.11", "192.168.1.12"];
    hubs.iter().zip(addresses).try_for_each(|(hub, theirs)| hall.connect(ADJUDICATOR, hub, theirs))
}

/// From the Debian package.
fn set_up_adjudicator(
    guide: &Guide,
    hall: &VenueMachine,
    hubs: &[VenueMachine; 2],
) -> Result<(), String> {
    guide.hold("Copy `adjudicator.example.toml` to `/etc/twinboard/adjudicator.toml`; correct event and tables.")?;
    hall.run(&format!("cp {EXAMPLES}/adjudicator.example.toml /etc/twinboard/adjudicator.toml"))?;
    guide.follow(hall, "sudo twinboard token /etc/twinboard/td-token")?;
    guide.follow(hall, "sudo twinboard enroll adjudicator adjudicator.local 192.168.1.10")?;
    guide.hold("Set `tls.folder`, `broker.tls_address` and `http.tls_address`")?;
    let set = [
        ("^# tls_address = \"0.0.0.0:8443\"", "tls_address = \"0.0.0.0:8443\""),
        ("^# tls_address = \"0.0.0.0:8883\"", "tls_address = \"0.0.0.0:8883\""),
        ("^# \\[tls\\]", "[tls]"),
        ("^# folder = \"tls\"", "folder = \"tls\""),
    ];
    for (from, to) in set {
        hall.run(&format!("sed -i 's|{from}|{to}|' /etc/twinboard/adjudicator.toml && grep -qF '{to}' /etc/twinboard/adjudicator.toml"))?;
    }
    guide.follow(hall, "sudo twinboard enroll hub hub-1 hub-2")?;
    guide
        .follow(hall, "sudo systemctl enable --now twinboard-adjudicator")
        .map_err(|error| format!("{error}\n{}", log(hall, "twinboard-adjudicator")))?;
    guide.hold("take each to its hub as `/etc/twinboard/tls`, then delete it here")?;
    for hub in hubs {
        hall.carry(&format!("/srv/{}", hub.name), hub, "/etc/twinboard/tls")?;
        hall.run(&format!("rm -r /srv/{}", hub.name))?;
    }
    until("the pages over TLS", || {
        Ok(ask(&hubs[0], "/healthz").ok().filter(|said| said.contains("\"ok\"")))
    })
    .map_err(|error| format!("{error}\n{}", log(hall, "twinboard-adjudicator")))?;
    let shown = guide.follow_with(
        hall,
        "sudo twinboard invite NAME --config /etc/twinboard/adjudicator.toml",
        &[("NAME", "Ann")],
    )?;
    match shown.contains("PIN") {
        true => Ok(()),
        false => Err(format!("the invitation has no PIN:\n{shown}")),
    }
}

/// What an address of the pages answers to somebody at a hub, encrypted, who trusts the hall's authority.
fn ask(hub: &VenueMachine, path: &str) -> Result<String, String> {
    hub.run(&format!(
        "curl --silent --show-error --fail --max-time 10 --cacert /etc/twinboard/tls/authority.pem https://adjudicator.local:8443{path}"
    ))
}

fn records(hub: &VenueMachine) -> Result<String, String> {
    ask(hub, "/api/v1/event.bpgn")
}

/// A hub with the boards of one table, which play one match.
struct Boards {
    child: Child,
    /// The boards stay as long as this is open.
    _input: Option<ChildStdin>,
    said: Lines<BufReader<ChildStdout>>,
}

impl Boards {
    fn set_up(
        guide: &Guide,
        hub: &VenueMachine,
        nodes: &Path,
        index: usize,
    ) -> Result<Boards, String> {
        hub.take(nodes, "/srv/nodes")?;
        let mut child = hub
            .command(&format!("exec /srv/nodes /dev/serial --plies 12 --game {index}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the boards cannot be started: {error}"))?;
        let input = child.stdin.take();
        let said = BufReader::new(child.stdout.take().ok_or("the boards print nothing")?).lines();
        let mut boards = Boards { child, _input: input, said };
        let (nodes, base_s) = boards.nodes()?;
        // As udev does for real ones (60-twinboard.rules).
        hub.run("chgrp dialout /dev/pts/* && chmod 660 /dev/pts/*")?;
        guide.hold(
            "Copy `hub.example.toml` to `/etc/twinboard/hub.toml`; correct id, broker, tables.",
        )?;
        guide.hold("and `tls_folder` in the section `[broker]`")?;
        let table = index + 1;
        let tables = format!(
            "[[table]]\nname = \"{table}\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = {base_s}\n{nodes}"
        );
        hub.run(&format!(
            "sed '/^\\[\\[table\\]\\]/,$d' {EXAMPLES}/hub.example.toml |
             sed 's|^id = .*|id = \"{name}\"|; s|^# port = 1883|port = 8883|; s|^# tls_folder = |tls_folder = |; s|/hub-1.sqlite|/{name}.sqlite|' \
             > /etc/twinboard/hub.toml && cat >> /etc/twinboard/hub.toml <<'END'\n{tables}END",
            name = hub.name
        ))?;
        guide
            .follow(hub, "sudo systemctl enable --now twinboard-hub")
            .map_err(|error| format!("{error}\n{}", log(hub, "twinboard-hub")))?;
        Ok(boards)
    }

    /// The tables' nodes as lines of a hub's configuration, and the time of a player.
    fn nodes(&mut self) -> Result<(String, String), String> {
        let mut text = String::new();
        let mut base_s = String::new();
        loop {
            let line = self.line()?;
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["node", _, board, kind, id, port] => {
                    text += &format!(
                        "[[table.node]]\nboard = \"{board}\"\nkind = \"{kind}\"\nnode = \"{id}\"\nport = \"{port}\"\n"
                    );
                }
                ["base", seconds] => base_s = seconds.to_owned(),
                _ => return Ok((text, base_s)),
            }
        }
    }

    fn line(&mut self) -> Result<String, String> {
        let line = self.said.next().ok_or("the boards have ended")?;
        line.map_err(|error| format!("the boards' output cannot be read: {error}"))
    }

    /// Waits for the end of the match; the pages must show what happened.
    fn compare(&mut self, hub: &VenueMachine) -> Result<(), String> {
        let mut happened = [String::new(), String::new()];
        loop {
            let line = self.line()?;
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["ply", _, board, uci] => happened[usize::from(board == "B")] += &format!("{uci} "),
                _ => break,
            }
        }
        let shown = until("the match as it happened", || {
            let list = ask(hub, "/api/v1/matches")?;
            let id = list.split('"').find(|word| word.starts_with(&format!("{}-", hub.name)));
            let Some(id) = id else { return Ok(None) };
            let csv = ask(hub, &format!("/api/v1/matches/{id}.csv"))?;
            Ok((plies(&csv) == happened).then_some(()))
        });
        let _ = happened;
        shown.map_err(|error| format!("{error}\n{}", log(hub, "twinboard-hub")))
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        // It ends with its machine at the latest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The plies of a record in CSV, those of each board in a row.
fn plies(csv: &str) -> [String; 2] {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let column = |name: &str| head.iter().position(|known| *known == name).unwrap_or(usize::MAX);
    let (board, uci) = (column("board"), column("uci"));
    let mut plies = [String::new(), String::new()];
    for line in lines {
        if let (Some(board), Some(uci)) = (line.get(board), line.get(uci)) {
            plies[usize::from(*board == "B")] += &format!("{uci} ");
        }
    }
    plies
}

/// Restarts the adjudicator during play with another certificate and another key; hubs and pages are online again.
fn renew(guide: &Guide, hall: &VenueMachine, hub: &VenueMachine) -> Result<(), String> {
    guide.follow(hall, "sudo twinboard enroll adjudicator adjudicator.local 192.168.1.10")?;
    guide.follow(hall, "sudo systemctl restart twinboard-adjudicator")?;
    until("the pages with a renewed certificate", || Ok(ask(hub, "/healthz").ok())).map(drop)
}

fn copy_database(guide: &Guide, hall: &VenueMachine) -> Result<(), String> {
    guide
        .follow(
            hall,
            "sudo -u twinboard twinboard backup --config /etc/twinboard/adjudicator.toml /var/lib/twinboard/friday.sqlite",
        )
        .map(drop)
}

/// Puts the copy in the place of the database of an adjudicator that was killed: what it committed last is in its log.
fn restore(guide: &Guide, hall: &VenueMachine) -> Result<(), String> {
    hall.run("systemctl kill --signal=KILL twinboard-adjudicator")?;
    guide.follow(hall, "sudo systemctl stop twinboard-adjudicator")?;
    guide.follow(
        hall,
        "sudo twinboard restore --config /etc/twinboard/adjudicator.toml /var/lib/twinboard/friday.sqlite",
    )?;
    guide.hold("then start it again")?;
    hall.run("systemctl start twinboard-adjudicator")?;
    let open = hall.run("find /var/lib/twinboard -name '*.sqlite*' -perm /077")?;
    if open.is_empty() { Ok(()) } else { Err(format!("others can read {open}")) }
}

/// Replaces the hall's machine, which is lost, by another one.
fn replace(
    guide: &Guide,
    hall: VenueMachine,
    hubs: &[VenueMachine; 2],
    deb: &Path,
    folder: &Path,
) -> Result<VenueMachine, String> {
    let other = VenueMachine::start("spare", folder)?;
    install(guide, &other, deb)?;
    guide.hold("take `/etc/twinboard` to it, give it the address that the certificate has")?;
    hall.carry("/etc/twinboard", &other, "/etc/")?;
    hall.carry("/var/lib/twinboard/friday.sqlite", &other, "/srv/")?;
    drop(hall);
    for hub in hubs {
        // A cable goes with its machine, not at once.
        until("the old cable to be removed", || Ok(hub.run("! ip link show to-hall").ok()))?;
    }
    connect(&other, hubs)?;
    guide.follow_with(
        &other,
        "sudo twinboard restore --config /etc/twinboard/adjudicator.toml /media/stick/friday.sqlite",
        &[("/media/stick", "/srv")],
    )?;
    guide
        .follow(&other, "sudo systemctl enable --now twinboard-adjudicator")
        .map_err(|error| format!("{error}\n{}", log(&other, "twinboard-adjudicator")))?;
    Ok(other)
}

fn look_into_journal(guide: &Guide, hub: &VenueMachine) -> Result<(), String> {
    let list =
        guide.follow(hub, "sudo twinboard journal /var/lib/twinboard-hub/hub-1.sqlite list")?;
    if !list.contains("hub-1-") {
        return Err(format!("the journal lists no match:\n{list}"));
    }
    let (journal, copy) = ("/var/lib/twinboard-hub/hub-1.sqlite", "/srv/hub-1.sqlite");
    guide.follow(hub, &format!("sudo twinboard backup --journal {journal} {copy}"))?;
    guide.follow(hub, "sudo systemctl stop twinboard-hub")?;
    guide.follow(hub, &format!("sudo twinboard restore --journal {journal} {copy}"))?;
    hub.run("systemctl start twinboard-hub")
        .map(drop)
        .map_err(|error| format!("{error}\n{}", log(hub, "twinboard-hub")))
}
