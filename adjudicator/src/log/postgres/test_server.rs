//! A PostgreSQL server of a test's own: in a folder of its own, with no network, stopped with the test.
//!
//! Included by the crate's own tests and by those over the wire.

use std::{
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

/// Debian's folder of the programs of each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The user whom nothing belongs to: a server does not run as root.
const NOBODY: u32 = 65_534;
/// Longest start of a server.
const START_MAX: Duration = Duration::from_secs(60);

/// Name of a server's socket, as clients look for it.
pub(crate) const SOCKET: &str = ".s.PGSQL.5432";

/// A running server.
pub(crate) struct TestServer {
    pub(crate) folder: tempfile::TempDir,
    server: Option<Child>,
}

impl TestServer {
    fn in_a_folder() -> TestServer {
        let folder = tempfile::tempdir().unwrap();
        if folder.path().metadata().unwrap().uid() == 0 {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
            std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))
                .unwrap();
        }
        TestServer { folder, server: None }
    }

    /// Makes a server and starts it.
    pub(crate) async fn start() -> TestServer {
        let mut server = TestServer::in_a_folder();
        let mut made = server.program("initdb");
        let made = made
            .args(["--username=twinboard", "--auth=trust", "--encoding=UTF8", "--locale=C"])
            .args(["--no-sync", "--pgdata"])
            .arg(server.data())
            .output();
        held(made.expect("initdb runs"));
        server.go_on().await;
        server
    }

    /// Makes a standby of a server, for which each of its commits waits from now on.
    pub(crate) async fn standby_of(primary: &TestServer) -> TestServer {
        let mut server = TestServer::in_a_folder();
        let mut copied = server.program("pg_basebackup");
        copied.args(["--username=twinboard", "--checkpoint=fast", "--no-sync"]);
        copied.arg("--write-recovery-conf").arg("--host").arg(primary.folder.path());
        held(copied.arg("--pgdata").arg(server.data()).output().expect("pg_basebackup runs"));
        server.go_on().await;
        primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        primary.query("SELECT pg_reload_conf()").await;
        let began = Instant::now();
        let follows = "DO $$ BEGIN ASSERT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync'); END $$";
        while primary.try_query(follows).await.is_err() {
            assert!(began.elapsed() < START_MAX, "the standby does not follow");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        server
    }

    /// Socket of the server.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// Starts the server, and waits until it takes connections.
    pub(crate) async fn go_on(&mut self) {
        let mut program = self.program("postgres");
        program.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        program.args(["-c", "listen_addresses=", "-c", "max_wal_size=128MB"]);
        let (out, err) = (Stdio::null(), Stdio::null());
        self.server = Some(program.stdout(out).stderr(err).spawn().expect("postgres runs"));
        let began = Instant::now();
        while !self.socket().exists() || self.try_query("SELECT 1").await.is_err() {
            assert!(began.elapsed() < START_MAX, "the server did not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops the server at once, as a kill would; acknowledged commits are on its disk.
    pub(crate) fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            // SIGQUIT: at once, and without a shared memory that is left behind.
            let quit = Command::new("kill").arg("-QUIT").arg(server.id().to_string()).status();
            quit.expect("kill runs");
            server.wait().unwrap();
        }
    }

    /// Address of a schema, which is made.
    pub(crate) async fn address(&self, schema: &str) -> String {
        self.query(&format!("CREATE SCHEMA IF NOT EXISTS {schema}")).await;
        TestServer::address_at(&self.folder.path().display().to_string(), schema)
    }

    /// Address of a schema of the servers whose sockets are in these folders, divided by commas.
    pub(crate) fn address_at(folders: &str, schema: &str) -> String {
        format!(
            "postgres://twinboard@localhost/postgres?host={folders}&options[search_path]={schema}"
        )
    }

    /// Carries out statements; no result.
    pub(crate) async fn query(&self, statements: &str) {
        self.try_query(statements).await.unwrap_or_else(|error| panic!("{statements}: {error}"));
    }

    async fn try_query(&self, statements: &str) -> Result<(), sqlx::Error> {
        use sqlx::{Connection as _, Executor as _};
        let folder = self.folder.path().display();
        let url = format!("postgres://twinboard@localhost/postgres?host={folder}");
        let mut connection = sqlx::PgConnection::connect(&url).await?;
        connection.execute(sqlx::AssertSqlSafe(statements.to_owned())).await?;
        connection.close().await
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// One of the server's programs, as a user who is not root.
    fn program(&self, name: &str) -> Command {
        let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
        let in_debian = versions.map(|version| version.path().join("bin").join(name));
        let program = in_debian.filter(|path| path.is_file()).max().unwrap_or(name.into());
        let mut command = match self.folder.path().metadata().unwrap().uid() {
            NOBODY => {
                let mut command = Command::new("setpriv");
                let (user, group) = (format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"));
                command.args([user, group, "--clear-groups".to_owned()]).arg(program);
                command
            }
            _ => Command::new(program),
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn held(output: Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A disk in memory; unmounted when dropped.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// A small disk for the server, its tablespace `small`; none (and a printed line) where this process may not mount. Under CI that is a failure.
    pub(crate) async fn of(server: &TestServer) -> Option<SmallDisk> {
        let at = server.folder.path().join("small");
        std::fs::create_dir(&at).unwrap();
        let is_mounted = mount("size=1m", &at) && chown(&at, Some(NOBODY), Some(NOBODY)).is_ok();
        assert!(is_mounted || std::env::var_os("CI").is_none(), "cannot mount a small disk");
        if !is_mounted {
            println!("not run: mounting a small disk needs root");
            return None;
        }
        server.query(&format!("CREATE TABLESPACE small LOCATION '{}'", at.display())).await;
        Some(SmallDisk(at))
    }

    /// Gives it room.
    pub(crate) fn grow(&self) {
        assert!(mount("remount,size=32m", &self.0));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

fn mount(options: &str, at: &Path) -> bool {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at);
    mount.output().is_ok_and(|output| output.status.success())
}
