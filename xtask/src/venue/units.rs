//! Units of the package, started by systemd on a machine of its own: as their users, under their restrictions, with every line
//! of the examples in use.

use std::path::Path;

use super::{
    guide::{EXAMPLES, Guide, install, log, until},
    machine::VenueMachine,
};

/// Path of the adjudicator's configuration.
const ADJUDICATOR: &str = "/etc/twinboard/adjudicator.toml";
const HUB: &str = "/etc/twinboard/hub.toml";
/// Keys that an embedded broker has no use for, and an external one.
const EXTERNAL_ONLY: [&str; 3] = ["authority_file", "username", "password_file"];
const EMBEDDED_ONLY: [&str; 2] = ["tls_address = \"0.0.0.0:8883\"", "credentials_file"];
/// First lines of the sections that need another store or other machines.
const ELSEWHERE: [&str; 2] = ["# [mirror.s3]", "# [cluster]"];

/// Installs the package and starts what it has.
pub(super) fn walk(guide: &Guide, deb: &Path, folder: &Path) -> Result<(), String> {
    let machine = VenueMachine::start("hall", folder)?;
    machine.run("echo '127.0.0.1 adjudicator.local ntfy.example' >> /etc/hosts")?;
    install(guide, &machine, deb)?;
    make_secrets(guide, &machine)?;
    let example = alone(&read(&machine, &format!("{EXAMPLES}/adjudicator.example.toml"))?);
    write(&machine, ADJUDICATOR, &every_line(&example, &EXTERNAL_ONLY))?;
    start(&machine, "twinboard-adjudicator", "twinboard")?;
    machine.run("test -f /var/lib/twinboard/twinboard.sqlite && test -d /var/lib/twinboard/pgn")?;
    machine.run("curl --silent --fail http://127.0.0.1:9464/metrics | grep -q twinboard_")?;
    let hub = read(&machine, &format!("{EXAMPLES}/hub.example.toml"))?;
    // The hub's own lines and where it finds the broker; what a table has is given in alternatives.
    let (own, tables) = hub.split_once("[[table]]").ok_or("the hub's example has no table")?;
    for without in [&["username", "password_file"][..], &["tls_folder"]] {
        let text = format!("{}\n[[table]]{tables}", hubs_lines(own, without));
        write(&machine, HUB, &text)?;
        start(&machine, "twinboard-hub", "")?;
        machine.run("test -f /var/lib/twinboard-hub/hub-1.sqlite")?;
        until("a hub that is connected", || {
            let said = log(&machine, "twinboard-hub");
            Ok(said.contains("connected to the broker").then_some(()))
        })
        .map_err(|error| format!("{error}\n{}", log(&machine, "twinboard-hub")))?;
        machine
            .run("systemctl stop twinboard-hub && journalctl --rotate --vacuum-time=1s --quiet")?;
    }
    renew(&machine)?;
    machine.run("systemctl stop twinboard-adjudicator")?;
    let external = every_line(&example, &EMBEDDED_ONLY);
    write(&machine, ADJUDICATOR, &external.replace("mode = \"embedded\"", "mode = \"external\""))?;
    start(&machine, "twinboard-adjudicator", "twinboard")
}

/// Makes the guide's secrets, and those that are obtained elsewhere.
fn make_secrets(guide: &Guide, machine: &VenueMachine) -> Result<(), String> {
    guide.follow(machine, "sudo twinboard token /etc/twinboard/td-token")?;
    guide.follow(machine, "sudo twinboard enroll adjudicator adjudicator.local 192.168.1.10")?;
    guide.follow(machine, "sudo twinboard enroll hub hub-1 hub-2")?;
    guide.follow(machine, "sudo twinboard account hub-1 hub-2")?;
    machine.run(
        "cd /etc/twinboard && mv /srv/hub-1.password hub.password && cp /srv/hub-1/hub.* tls/ &&
         cp tls/server.pem site.pem && cp tls/server.key site.key && cp tls/authority.pem broker-authority.pem &&
         twinboard token ntfy-token && twinboard token broker-password &&
         twinboard token lichess-token && twinboard token mirror-token && twinboard token families-token",
    )
    .map(drop)
}

/// The example of an adjudicator without the sections that need another store or other machines.
fn alone(example: &str) -> String {
    let mut is_kept = true;
    let kept = example.lines().filter(|line| {
        is_kept = !ELSEWHERE.contains(line) && (is_kept || line.is_empty());
        is_kept
    });
    kept.map(|line| format!("{line}\n")).collect()
}

/// An example with its commented lines in use, but for those that begin with one of `without`.
fn every_line(example: &str, without: &[&str]) -> String {
    let used = example.lines().filter_map(|line| {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let is_setting =
            bare.starts_with('[') || bare.split_once(" = ").is_some_and(|(key, _)| is_key(key));
        (is_setting && !without.iter().any(|key| bare.starts_with(key)))
            .then(|| format!("{bare}\n"))
    });
    used.collect()
}

/// The same of what a hub's example says before its first table; the line to RS-485 is one of its pins and stays away.
fn hubs_lines(own: &str, without: &[&str]) -> String {
    let (own, _) = own.split_once("# [[gpio.rs485]]").unwrap_or((own, ""));
    // A port of its own is for a broker at another one.
    every_line(own, &[without, &["port ="]].concat())
}

fn is_key(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Starts a unit, and looks at who runs and what it may do; `user` is empty for one that systemd invents.
fn start(machine: &VenueMachine, unit: &str, user: &str) -> Result<(), String> {
    println!("   {}: {unit}", machine.name);
    let complain = |error| format!("{error}\n{}", log(machine, unit));
    machine.run(&format!("systemctl restart {unit}")).map_err(complain)?;
    let id = machine.run(&format!("systemctl show --property=MainPID --value {unit}"))?;
    let about = machine.run(&format!("cat /proc/{}/status", id.trim())).map_err(complain)?;
    let field = |name: &str| {
        let line = about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.unwrap_or_default().split_whitespace().next().unwrap_or_default().to_owned()
    };
    let owner = machine.run(&format!("stat --format=%U /proc/{}", id.trim()))?;
    let is_its = if user.is_empty() { field("Uid") != "0" } else { owner.trim() == user };
    if !is_its {
        return Err(format!("{unit} runs as {:?}", owner.trim()));
    }
    let bound = [("NoNewPrivs", "1"), ("Seccomp", "2"), ("CapBnd", "0000000000000000")];
    for (name, value) in bound {
        if field(name) != value {
            return Err(format!("{unit}: {name} is {:?} and not {value}", field(name)));
        }
    }
    let limit =
        machine.run(&format!("systemctl show --property=StartLimitIntervalUSec --value {unit}"))?;
    match limit.trim() {
        "0" => Ok(()),
        limit => Err(format!("systemd gives {unit} up: StartLimitIntervalSec is {limit}")),
    }
}

/// Checks that a certificate with another key is used after a restart, and that no client is refused meanwhile.
fn renew(machine: &VenueMachine) -> Result<(), String> {
    let shown = || {
        machine.run(
            "curl --silent --show-error --fail --max-time 10 --cacert /etc/twinboard/tls/authority.pem \
             --output /dev/null --write-out '%{certs}' https://adjudicator.local:8443/healthz",
        )
    };
    let first = until("the pages over TLS", || Ok(shown().ok()))?;
    let said = machine.run("twinboard enroll adjudicator adjudicator.local 192.168.1.10")?;
    if !said.contains("systemctl restart twinboard-adjudicator") {
        return Err(format!("`enroll` does not say what to do about a new key but\n{said}"));
    }
    machine.run("cd /etc/twinboard && cp tls/server.pem site.pem && cp tls/server.key site.key")?;
    if shown()? != first {
        return Err("a new certificate is shown before its key is handed over".to_owned());
    }
    machine.run("systemctl restart twinboard-adjudicator")?;
    let renewed = until("the pages over TLS", || Ok(shown().ok()))?;
    match renewed != first {
        true => Ok(()),
        false => Err("a new certificate is not shown after a restart".to_owned()),
    }
}

fn read(machine: &VenueMachine, file: &str) -> Result<String, String> {
    machine.run(&format!("cat {file}"))
}

fn write(machine: &VenueMachine, file: &str, text: &str) -> Result<(), String> {
    machine.run(&format!("cat > {file} <<'END'\n{text}\nEND")).map(drop)
}
