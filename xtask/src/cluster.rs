//! A whole cluster on this machine: PostgreSQL, NATS, Mosquitto, two owners and a front, with a hall that plays; and its chaos.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    pages,
    prerequisite::Prerequisite,
    workspace::{TEST, answers, build_program, cargo, command, execute, root, target},
};

/// Time for which the hall plays before the owner is killed.
const KILLED_AFTER: Duration = Duration::from_secs(30);
/// Interval between two requests for the page while there is no owner.
const ASK_EVERY: Duration = Duration::from_millis(100);
/// Longest start of a program.
const START_MAX: Duration = Duration::from_secs(60);
/// Longest takeover.
const TAKEOVER_MAX: Duration = Duration::from_secs(60);
/// Longest wait for an answer.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// The user whom nothing belongs to: PostgreSQL does not run as root.
const NOBODY: u32 = 65_534;
/// Debian's folder of the programs of each version of PostgreSQL.
const POSTGRESQL: &str = "/usr/lib/postgresql";
/// The test of chaos, and the environment variables with its seeds and with how many run side by side.
const CHAOS: &str = "whatever_is_killed_no_row_and_no_act_is_lost_or_comes_twice";
const SEEDS: &str = "TWINBOARD_CHAOS_SEEDS";
const JOBS: &str = "TWINBOARD_CHAOS_JOBS";
/// The test of histories of acts, and the environment variable with their number.
const HISTORIES_TEST: &str = "acts_of_three_phones_are_linearizable_whatever_is_cut_or_killed";
const HISTORIES: &str = "TWINBOARD_HISTORIES";

/// Runs the chaos of seeds, `A..B`, so many of them side by side; or so many histories of acts, `histories N`.
pub(crate) fn chaos(arguments: &[String]) -> Result<(), String> {
    require()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["histories", count] => campaign(HISTORIES_TEST, &[(HISTORIES, count)]),
        [seeds] => campaign(CHAOS, &[(SEEDS, seeds)]),
        [seeds, jobs] => campaign(CHAOS, &[(SEEDS, seeds), (JOBS, jobs)]),
        _ => Err(
            "give the seeds, such as 1..201, and how many run side by side; or `histories 20000`"
                .to_owned(),
        ),
    }
}

/// Runs a test of the cluster as long as its environment asks for.
fn campaign(name: &str, environment: &[(&str, &str)]) -> Result<(), String> {
    let mut test = command(&cargo());
    test.args(TEST).args(["--test", "over_the_wire", "--", "--ignored", "--nocapture", name]);
    test.current_dir(root());
    match test.envs(environment.iter().copied()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the test {name} ended with {status}")),
        Err(error) => Err(format!("cargo could not be started: {error}")),
    }
}

/// Starts a cluster, has a hall play before it, and kills the owner of the hall while it plays. `--debug` takes the quick build; other arguments are those of
/// `twinboard demo`.
pub(crate) fn demo(arguments: &[String]) -> Result<(), String> {
    require()?;
    let is_debug = arguments.iter().any(|argument| argument == "--debug");
    let arguments: Vec<&String> = arguments.iter().filter(|it| *it != "--debug").collect();
    pages::build()?;
    if is_debug {
        build_program()?;
    } else {
        execute("", &cargo(), &["build", "--locked", "--release", "--package", "twinboard"])?;
    }
    let program = target().join(if is_debug { "debug/twinboard" } else { "release/twinboard" });
    let mut site = Site::start(&program)?;
    let mut play = Command::new(&program);
    play.args(["demo", "--config"]).arg(site.folder.join("demo.toml")).args(arguments);
    let mut play = ClusterProgram::start(play, None)?;
    let began = Instant::now();
    while began.elapsed() < KILLED_AFTER {
        if play.has_ended() {
            return Err("the hall ended before an owner was killed".to_owned());
        }
        sleep(ASK_EVERY);
    }
    site.kill_owner()?;
    let ended = play.child.wait().map_err(|error| format!("the hall: {error}"))?;
    if ended.success() { Ok(()) } else { Err(format!("the hall ended with {ended}")) }
}

fn require() -> Result<(), String> {
    let needed = [Prerequisite::Mosquitto, Prerequisite::Nats, Prerequisite::Postgresql];
    match needed.into_iter().find_map(Prerequisite::missing) {
        Some(sentence) => Err(sentence.to_owned()),
        None => Ok(()),
    }
}

/// A program that is killed when this is dropped.
struct ClusterProgram {
    child: Child,
}

impl ClusterProgram {
    /// Starts it; what it writes goes to a file, or is shown.
    fn start(mut command: Command, log: Option<&Path>) -> Result<ClusterProgram, String> {
        let failed = |error: std::io::Error| format!("{command:?} could not be started: {error}");
        if let Some(log) = log {
            let file = fs::File::create(log).map_err(&failed)?;
            let error = file.try_clone().map_err(&failed)?;
            command.stdin(Stdio::null()).stdout(file).stderr(error);
        }
        let child = command.spawn();
        Ok(ClusterProgram { child: child.map_err(|error| format!("{command:?}: {error}"))? })
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for ClusterProgram {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// PostgreSQL, which is stopped as its service would be.
struct Database(ClusterProgram);

impl Drop for Database {
    fn drop(&mut self) {
        let id = self.0.child.id().to_string();
        // SIGINT: no shared memory is left behind.
        let _ = Command::new("kill").args(["-INT", &id]).status();
        let _ = self.0.child.wait();
    }
}

/// The cluster.
struct Site {
    folder: PathBuf,
    program: PathBuf,
    front_at: SocketAddr,
    owners: Vec<Option<ClusterProgram>>,
    _front: ClusterProgram,
    _brokers: [ClusterProgram; 2],
    _database: Database,
}

impl Site {
    fn start(program: &Path) -> Result<Site, String> {
        let folder = std::env::temp_dir().join(format!("twinboard-cluster-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let database = start_postgresql(&folder)?;
        let (nats, mqtt, front_at) = (free_port()?, free_port()?, free_port()?);
        let mut command_of_nats = command("nats-server");
        command_of_nats.args(["--addr", "127.0.0.1", "--port", &nats.port().to_string()]);
        let nats_running = ClusterProgram::start(command_of_nats, Some(&folder.join("nats.log")))?;
        let text = format!("listener {} 127.0.0.1\nallow_anonymous true\n", mqtt.port());
        write(&folder.join("mosquitto.conf"), &text)?;
        let mosquitto =
            if answers("mosquitto", &["-h"]) { "mosquitto" } else { "/usr/sbin/mosquitto" };
        let mut command_of_mosquitto = Command::new(mosquitto);
        command_of_mosquitto.arg("-c").arg(folder.join("mosquitto.conf"));
        let mosquitto =
            ClusterProgram::start(command_of_mosquitto, Some(&folder.join("mosquitto.log")))?;
        for at in [nats, mqtt] {
            until("a broker listens", || TcpStream::connect(at).is_ok())?;
        }
        write_configurations(&folder, nats, mqtt, front_at)?;
        let token = folder.join("td-token");
        write(&token, "the-token-of-a-demonstration")?;
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&token, private).map_err(|error| format!("the token: {error}"))?;
        let first = serve(program, &folder, "owner-a")?;
        let front = serve(program, &folder, "front")?;
        until("the front has an owner", || ask(front_at, "/api/v1/round").is_ok())?;
        let second = serve(program, &folder, "owner-b")?;
        println!("two owners, a front at http://{front_at}, logs in {}", folder.display());
        Ok(Site {
            program: program.to_owned(),
            folder,
            front_at,
            owners: vec![Some(first), Some(second)],
            _front: front,
            _brokers: [nats_running, mosquitto],
            _database: database,
        })
    }

    /// Kills the owner that has the hall, watches the page until the other one has it, and starts the killed one again.
    fn kill_owner(&mut self) -> Result<(), String> {
        let before = epoch(self.front_at)?.ok_or("the front has no owner")?;
        println!("\n── the hall's owner is killed now (SIGKILL); look at the page");
        self.owners[0] = None;
        let began = Instant::now();
        let (mut answers, mut longest) = (0, Duration::ZERO);
        loop {
            let asked = Instant::now();
            ask(self.front_at, "/api/v1/round")
                .map_err(|error| format!("the page stopped: {error}"))?;
            answers += 1;
            longest = longest.max(asked.elapsed());
            if epoch(self.front_at)?.is_some_and(|epoch| epoch > before) {
                break;
            }
            if began.elapsed() > TAKEOVER_MAX {
                return Err("the other owner did not take the hall".to_owned());
            }
            sleep(ASK_EVERY);
        }
        println!(
            "── the other owner has the hall after {:.1} s; meanwhile the page answered {answers} times, in {} ms at most\n",
            began.elapsed().as_secs_f64(),
            longest.as_millis()
        );
        self.owners[0] = Some(serve(&self.program, &self.folder, "owner-a")?);
        Ok(())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.owners.clear();
    }
}

fn serve(program: &Path, folder: &Path, name: &str) -> Result<ClusterProgram, String> {
    let mut command = Command::new(program);
    command.args(["serve", "--config"]).arg(folder.join(format!("{name}.toml")));
    ClusterProgram::start(command, Some(&folder.join(format!("{name}.log"))))
}

fn write_configurations(
    folder: &Path,
    nats: SocketAddr,
    mqtt: SocketAddr,
    front: SocketAddr,
) -> Result<(), String> {
    let database = folder.join("database").display().to_string();
    let hall = |address: &str| {
        format!(
            "[event]\nname = \"A cluster\"\n[http]\naddress = \"{address}\"\ntd_token_file = \"td-token\"\n\
             [store]\nurl = \"postgres://twinboard@localhost/postgres?host={database}\"\n\
             [broker]\nmode = \"external\"\naddress = \"{mqtt}\"\n"
        )
    };
    let cluster = format!("[cluster]\nevent = \"demo\"\nnats = [\"nats://{nats}\"]\n");
    let owned = |more: &str| format!("{cluster}[[cluster.hall]]\nconfig = \"hall.toml\"\n{more}");
    write(&folder.join("hall.toml"), &hall("127.0.0.1:0"))?;
    write(&folder.join("demo.toml"), &hall(&front.to_string()))?;
    write(&folder.join("owner-a.toml"), &owned(""))?;
    write(&folder.join("owner-b.toml"), &owned("standby = true\n"))?;
    let front = format!("[http]\naddress = \"{front}\"\n{cluster}role = \"front\"\n");
    write(&folder.join("front.toml"), &front)
}

/// Makes a server in the folder, and starts it.
fn start_postgresql(folder: &Path) -> Result<Database, String> {
    let home = folder.join("database");
    let failed = |error: std::io::Error| format!("{}: {error}", home.display());
    fs::create_dir(&home).map_err(failed)?;
    let is_root = home.metadata().map_err(failed)?.uid() == 0;
    if is_root {
        chown(&home, Some(NOBODY), Some(NOBODY)).map_err(failed)?;
    }
    let versions = fs::read_dir(POSTGRESQL).into_iter().flatten().flatten();
    let folders = versions.map(|version| version.path().join("bin"));
    let newest = folders.filter(|bin| bin.join("postgres").is_file()).max();
    let of_postgresql = |name: &str| {
        let program = newest.as_ref().map_or_else(|| name.into(), |bin| bin.join(name));
        let mut command = Command::new(if is_root { "setpriv".into() } else { program.clone() });
        if is_root {
            let user = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
            command.args(user).arg("--clear-groups").arg(program);
        }
        command.current_dir(&home);
        command
    };
    let data = home.join("data");
    let mut made = of_postgresql("initdb");
    made.args(["--username=twinboard", "--auth=trust", "--encoding=UTF8", "--locale=C"]);
    let made = made.arg("--pgdata").arg(&data).output().map_err(failed)?;
    if !made.status.success() {
        return Err(format!("initdb: {}", String::from_utf8_lossy(&made.stderr)));
    }
    let mut server = of_postgresql("postgres");
    server.arg("-D").arg(&data).arg("-k").arg(&home).args(["-c", "listen_addresses="]);
    let server = Database(ClusterProgram::start(server, Some(&folder.join("postgresql.log")))?);
    let socket = home.join(".s.PGSQL.5432");
    until("PostgreSQL listens", || std::os::unix::net::UnixStream::connect(&socket).is_ok())?;
    Ok(server)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn free_port() -> Result<SocketAddr, String> {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    taken.and_then(|it| it.local_addr()).map_err(|error| format!("no free port: {error}"))
}

fn until(what: &str, is_so: impl Fn() -> bool) -> Result<(), String> {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > START_MAX {
            return Err(format!("waited in vain until {what}"));
        }
        sleep(ASK_EVERY);
    }
    Ok(())
}

/// The epoch of the owner that a front has; each owner's is higher than the one before.
fn epoch(front_at: SocketAddr) -> Result<Option<u64>, String> {
    let health = ask(front_at, "/healthz")?;
    let (_, epoch) = health.split_once("\"epoch\":").ok_or("/healthz names no epoch")?;
    Ok(epoch.split([',', '}']).next().and_then(|epoch| epoch.trim().parse().ok()))
}

/// The body of an answer with status 200.
fn ask(at: SocketAddr, path: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{path}: {error}");
    let mut stream = TcpStream::connect(at).map_err(failed)?;
    stream.set_read_timeout(Some(ANSWER_MAX)).map_err(failed)?;
    let request = format!("GET {path} HTTP/1.0\r\nhost: {at}\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(failed)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    match head.split(' ').nth(1) {
        Some("200") => Ok(body.to_owned()),
        _ => Err(format!("{path}: {}", head.lines().next().unwrap_or("no answer"))),
    }
}
