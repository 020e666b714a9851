//! A machine of its own within this one: the system's files, none of whose changes reach this one, a network of its own, and systemd.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longest wait for a system to have started.
const STARTED_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Script of a machine's first process. Everything is mounted in a space of its own and ends with it.
const BOOT: &str = r#"
set -e
root=$1/root
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
mkdir "$root/sys/fs/cgroup/systemd"
mount -t cgroup -o none,name=systemd,xattr cgroup "$root/sys/fs/cgroup/systemd" ||
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
# A node of its own: systemd gives its console another owner and mode, which this machine's /dev/null would share.
mknod -m 0666 "$root/dev/console" c 1 3
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts devpts "$root/dev/pts" -o newinstance,ptmxmode=0666
ln -s pts/ptmx "$root/dev/ptmx"
mkdir -p "$root/usr/local/bin"
printf '%s\n' '#!/bin/sh' 'if [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi' 'exec "$@"' > "$root/usr/local/bin/sudo"
chmod 0755 "$root/usr/local/bin/sudo"
# As outside of containers: what systemd mounts for a unit is to be seen there.
mount --make-rshared "$root"
hostname "$2"
ip link set lo up
exec env -i container=docker PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$root" /usr/lib/systemd/systemd --unit=basic.target
"#;

/// A running machine; dropping it ends everything in it.
pub(super) struct VenueMachine {
    pub(super) name: &'static str,
    folder: PathBuf,
    child: Child,
    /// Its first process, as this machine counts.
    first: u32,
}

impl VenueMachine {
    /// Starts one; `folder` is where its files are mounted, seen by itself alone.
    pub(super) fn start(name: &'static str, folder: &Path) -> Result<VenueMachine, String> {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let child = Command::new("unshare")
            .args(["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child"])
            .args(["bash", "-c", BOOT, "bash"])
            .arg(&folder)
            .arg(name)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`unshare` could not be started: {error}"))?;
        let mut machine = VenueMachine { name, folder, child, first: 0 };
        machine.first = machine.until("to have a first process", VenueMachine::first_process)?;
        machine.until("to have started", |machine| {
            let said = machine.output("systemctl is-system-running").ok()?;
            let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
            matches!(said.as_str(), "running" | "degraded").then_some(())
        })?;
        Ok(machine)
    }

    fn first_process(&self) -> Option<u32> {
        let id = self.child.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    }

    fn until<T>(&self, what: &str, look: impl Fn(&VenueMachine) -> Option<T>) -> Result<T, String> {
        let deadline = Instant::now() + STARTED_MAX;
        loop {
            if let Some(found) = look(self) {
                return Ok(found);
            }
            if Instant::now() > deadline {
                return Err(format!("waited in vain for machine {} {what}", self.name));
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// A command in it, not yet started.
    pub(super) fn command(&self, script: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--net", "--pid", "--uts", "--ipc", "--root", "--wdns=/srv"]);
        command.args(["--target", &self.first.to_string()]);
        command.args(["env", "-i", "HOME=/root", "LANG=C.UTF-8"]);
        command.arg("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.args(["bash", "-c", script]);
        command.stdin(Stdio::null());
        command
    }

    fn output(&self, script: &str) -> Result<Output, String> {
        self.command(script)
            .output()
            .map_err(|error| format!("`nsenter` could not be started: {error}"))
    }

    /// Runs a command to its end; returns its output.
    pub(super) fn run(&self, script: &str) -> Result<String, String> {
        let output = self.output(script)?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok(said);
        }
        let complained = String::from_utf8_lossy(&output.stderr);
        Err(format!("at {}: `{script}` failed:\n{said}{complained}", self.name))
    }

    /// Copies a file of this machine, or a folder, into it.
    pub(super) fn take(&self, from: &Path, to: &str) -> Result<(), String> {
        let into = format!("/proc/{}/root{to}", self.first);
        copy(&from.display().to_string(), &into)
    }

    /// Copies a file or a folder from it into another machine, as with a stick.
    pub(super) fn carry(&self, from: &str, other: &VenueMachine, to: &str) -> Result<(), String> {
        let source = format!("/proc/{}/root{from}", self.first);
        copy(&source, &format!("/proc/{}/root{to}", other.first))
    }

    /// Puts a cable between this machine and another: an address for each end.
    pub(super) fn connect(
        &self,
        address: &str,
        other: &VenueMachine,
        theirs: &str,
    ) -> Result<(), String> {
        let (here, there) = (format!("to-{}", other.name), "to-hall".to_owned());
        call(
            "ip",
            &[
                "link",
                "add",
                &here,
                "type",
                "veth",
                "peer",
                "name",
                &there,
                "netns",
                &other.first.to_string(),
            ],
        )?;
        call("ip", &["link", "set", &here, "netns", &self.first.to_string()])?;
        let up = |machine: &VenueMachine, link: &str, address: &str, peer: &str| {
            machine.run(&format!(
                "ip address add {address} peer {peer} dev {link} && ip link set {link} up"
            ))
        };
        up(self, &here, address, theirs)?;
        up(other, &there, theirs, address).map(drop)
    }
}

impl Drop for VenueMachine {
    fn drop(&mut self) {
        // The first process of a space takes all others with it.
        if self.first != 0 {
            let _ = call("kill", &["-KILL", &self.first.to_string()]);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir(&self.folder);
    }
}

fn copy(from: &str, to: &str) -> Result<(), String> {
    call("cp", &["--recursive", "--preserve=mode", from, to])
}

fn call(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("`{program}` could not be started: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "`{program} {}` failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
