//! A NATS server of a test's own, without JetStream: nothing that is published is kept.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Longest start.
const START_MAX: Duration = Duration::from_secs(20);

/// A running server.
pub struct Nats {
    port: u16,
    /// Arguments and environment beside the address.
    configured: (Vec<String>, Vec<(String, String)>),
    running: Option<Child>,
}

impl Nats {
    /// Starts it at a free port of this machine.
    pub fn start() -> Nats {
        Nats::with(&[], &[])
    }

    /// Starts three that are one cluster. Clients know those alone that they were given.
    pub fn three() -> Vec<Nats> {
        let routes: Vec<String> =
            free_ports::<3>().map(|port| format!("nats://127.0.0.1:{port}")).to_vec();
        let all = routes.join(",");
        let of = |route: &String| {
            let name = ["--cluster_name", "test", "--no_advertise", "--cluster", route];
            Nats::with(&[&name[..], &["--routes", &all]].concat(), &[])
        };
        routes.iter().map(of).collect()
    }

    /// Starts it with further arguments and an environment.
    pub fn with(arguments: &[&str], environment: &[(&str, &str)]) -> Nats {
        let arguments = arguments.iter().map(|&it| it.to_owned()).collect();
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let configured = (arguments, environment.iter().map(owned).collect());
        let [port] = free_ports();
        let mut nats = Nats { port, configured, running: None };
        nats.go_on();
        nats
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address.
    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts it at its port, and waits until it listens.
    pub fn go_on(&mut self) {
        let mut command = Command::new("nats-server");
        command.args(["--addr", "127.0.0.1", "--port", &self.port.to_string()]);
        let (arguments, environment) = &self.configured;
        command.args(arguments).envs(environment.iter().map(|(name, value)| (name, value)));
        let (out, err) = (Stdio::null(), Stdio::null());
        let running = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn();
        self.running = Some(running.expect("nats-server of tests/requirements.txt runs"));
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let began = Instant::now();
        while TcpStream::connect(at).is_err() {
            assert!(began.elapsed() < START_MAX, "nats-server did not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill().unwrap();
            running.wait().unwrap();
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Ports that are free now.
fn free_ports<const COUNT: usize>() -> [u16; COUNT] {
    let taken: [TcpListener; COUNT] =
        std::array::from_fn(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
    taken.map(|listener| listener.local_addr().unwrap().port())
}
