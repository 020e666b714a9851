//! Hosts of a database: a primary with its standbys, which an address lists as libpq's addresses do.
//!
//! Each connection searches for the primary. After a failover the server of before may still answer as a primary; the one with the
//! later timeline is.

use std::{fmt, str::FromStr as _, time::Duration};

use futures::future::join_all;
use sqlx::{
    Connection as _, PgConnection, Row as _,
    postgres::{PgConnectOptions, PgSslMode},
};
use tokio::time::timeout;

/// Maximum number of hosts of an address.
const HOSTS_MAX: usize = 4;

/// Longest wait for one host of several: the others answer meanwhile.
const HOST_ANSWER_MAX: Duration = Duration::from_secs(2);

/// The hosts of a database, one at least.
pub(super) struct Hosts(Vec<PgConnectOptions>);

/// A connection to the primary, and the place of its host in the list.
pub(super) type Primary = (usize, PgConnection);

impl Hosts {
    /// The hosts that an address lists.
    ///
    /// # Errors
    ///
    /// The address cannot be read.
    pub(super) fn of(url: &str, password: Option<&str>) -> Result<Hosts, String> {
        let options = |address: String| {
            let options = PgConnectOptions::from_str(&address).map_err(|it| it.to_string())?;
            let options = options.application_name("twinboard");
            Ok(password.into_iter().fold(options, PgConnectOptions::password))
        };
        addresses(url)?.into_iter().map(options).collect::<Result<_, _>>().map(Hosts)
    }

    /// The only one, where there is one.
    pub(super) fn only(&self) -> Option<&PgConnectOptions> {
        if let [only] = &self.0[..] { Some(only) } else { None }
    }

    /// One of them.
    pub(super) fn at(&self, place: usize) -> &PgConnectOptions {
        &self.0[place.min(self.0.len() - 1)]
    }

    /// Whether one of them is on another machine, and it is open whether its connections are encrypted.
    pub(super) fn leaves_encryption_open(&self) -> bool {
        self.0.iter().any(|options| {
            let host = options.get_host();
            let is_here = options.get_socket().is_some()
                || host.starts_with('/')
                || host == "localhost"
                || host.parse().is_ok_and(|host: std::net::IpAddr| host.is_loopback());
            !is_here && matches!(options.get_ssl_mode(), PgSslMode::Prefer | PgSslMode::Allow)
        })
    }

    /// Connects to the primary among several.
    ///
    /// # Errors
    ///
    /// None answers as a primary; the words say what each one is.
    pub(super) async fn primary(&self) -> Result<Primary, String> {
        let asked = join_all(self.0.iter().map(|options| timeout(HOST_ANSWER_MAX, asked(options))));
        let (mut newest, mut others) = (None::<(String, usize, PgConnection)>, Vec::new());
        for (place, answer) in asked.await.into_iter().enumerate() {
            let name = shown(self.at(place));
            match answer {
                Ok(Ok((connection, Some(timeline)))) => {
                    if newest.as_ref().is_none_or(|(known, ..)| timeline > *known) {
                        newest = Some((timeline, place, connection));
                    }
                }
                Ok(Ok((_, None))) => others.push(format!("{name} is a standby")),
                Ok(Err(error)) => others.push(format!("{name}: {error}")),
                Err(_) => {
                    let waited_s = HOST_ANSWER_MAX.as_secs();
                    others.push(format!("{name} did not answer in {waited_s} s"));
                }
            }
        }
        newest.map(|(_, place, connection)| (place, connection)).ok_or_else(|| others.join("; "))
    }
}

impl fmt::Display for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let database = self.0.first().map(|one| one.get_database().unwrap_or(one.get_username()));
        let hosts: Vec<String> = self.0.iter().map(shown).collect();
        write!(f, "{} at {}", database.unwrap_or_default(), hosts.join(", "))
    }
}

fn shown(options: &PgConnectOptions) -> String {
    let host = options.get_socket().map_or(options.get_host().into(), |it| it.to_string_lossy());
    format!("{host}:{}", options.get_port())
}

/// Connects, and asks for the timeline of a primary.
async fn asked(options: &PgConnectOptions) -> Result<(PgConnection, Option<String>), sqlx::Error> {
    let mut connection = PgConnection::connect_with(options).await?;
    let timeline = "SELECT CASE WHEN pg_is_in_recovery() THEN NULL \
                    ELSE SUBSTR(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";
    let timeline = sqlx::query(timeline).fetch_one(&mut connection).await?.try_get(0)?;
    Ok((connection, timeline))
}

/// An address for each host that an address lists: `HOST:PORT,HOST:PORT`, or `host=FOLDER,FOLDER` and `port=PORT,PORT` behind the question mark.
fn addresses(url: &str) -> Result<Vec<String>, String> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (user, hosts) = authority
        .rsplit_once('@')
        .map_or(("", authority), |(user, hosts)| (&authority[..=user.len()], hosts));
    let parameters: Vec<&str> = query.split('&').filter(|it| !it.is_empty()).collect();
    let is_list =
        |parameter: &str| parameter.starts_with("host=") || parameter.starts_with("port=");
    let lists = parameters.iter().filter(|it| is_list(it)).chain([&hosts]);
    let count = lists.clone().map(|list| list.split(',').count()).max().unwrap_or(1);
    if count > HOSTS_MAX {
        return Err(format!("lists {count} hosts; {HOSTS_MAX} are the most"));
    }
    if lists.clone().any(|list| ![1, count].contains(&list.split(',').count())) {
        return Err(
            "lists hosts and ports of different numbers: give each host its port, or all the same"
                .to_owned(),
        );
    }
    let at = |list: &str, place: usize| -> String {
        let (name, values) = list
            .split_once('=')
            .map_or(("", list), |(name, values)| (&list[..=name.len()], values));
        let value = values.split(',').cycle().nth(place).unwrap_or_default();
        format!("{name}{value}")
    };
    let address = |place| {
        let parameters = parameters.iter().map(|parameter| match is_list(parameter) {
            true => at(parameter, place),
            false => (*parameter).to_owned(),
        });
        let query = parameters.collect::<Vec<_>>().join("&");
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{scheme}://{user}{}{path}{mark}{query}", at(hosts, place))
    };
    Ok((0..count).map(address).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_lists_hosts_as_libpq_does() {
        for (url, expected) in [
            ("postgres://me@db/event", "me@db/event"),
            (
                "postgres://me@a:5433,b/event?sslmode=disable",
                "me@a:5433/event?sslmode=disable me@b/event?sslmode=disable",
            ),
            (
                "postgres://me@localhost/event?host=/a,/b&port=1,2",
                "me@localhost/event?host=/a&port=1 me@localhost/event?host=/b&port=2",
            ),
            ("postgres:///event?host=/a,/b&port=7", "/event?host=/a&port=7 /event?host=/b&port=7"),
        ] {
            let expected: Vec<String> =
                expected.split(' ').map(|one| format!("postgres://{one}")).collect();
            assert_eq!(addresses(url).unwrap(), expected, "{url}");
        }
        for (url, words) in [
            ("postgres://me@a,b,c/event?port=1,2", "different numbers"),
            ("postgres://me@a,b,c,d,e/event", "lists 5 hosts"),
        ] {
            assert!(addresses(url).unwrap_err().contains(words), "{url}");
        }
    }
}
