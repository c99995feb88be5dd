//! A connection with its prepared statements, and the tables that they work on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_storage::StorageError;
use postgres::config::{Host, TargetSessionAttrs};
use postgres::{Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The tables, and what applies a batch. A function sees, statement by statement, what was
/// committed before: the lease is locked first, and what the batch expects is read after that.
const SCHEMA: &str = "
create table if not exists annals_keyspaces (
    id smallint generated always as identity primary key,
    name text not null unique
);
create table if not exists annals_rows (
    keyspace smallint not null,
    head bytea not null,
    hash bytea not null,
    tail bytea not null,
    value bytea not null,
    primary key (keyspace, head, hash)
);
create table if not exists annals_lease (
    id boolean primary key default true check (id),
    token bigint not null,
    owner text not null,
    until timestamptz not null
);
create or replace function annals_apply_1(
    held bigint,
    checks boolean, of_keyspace smallint, of_head bytea, of_hash bytea, expected bytea,
    gone_keyspaces smallint[], gone_heads bytea[], gone_hashes bytea[],
    put_keyspaces smallint[], put_heads bytea[], put_hashes bytea[], put_tails bytea[], put_values bytea[]
) returns text language plpgsql as $$
begin
    perform 1 from annals_lease where token = held for update;
    if not found then
        return 'fenced';
    end if;
    if checks and (
        select value from annals_rows where keyspace = of_keyspace and head = of_head and hash = of_hash
    ) is distinct from expected then
        return 'overtaken';
    end if;
    delete from annals_rows r using unnest(gone_keyspaces, gone_heads, gone_hashes) as g(keyspace, head, hash)
        where r.keyspace = g.keyspace and r.head = g.head and r.hash = g.hash;
    insert into annals_rows (keyspace, head, hash, tail, value)
        select * from unnest(put_keyspaces, put_heads, put_hashes, put_tails, put_values)
        on conflict (keyspace, head, hash) do update set value = excluded.value;
    return 'applied';
end
$$;
";

/// Held while the tables are made, so that two that open at once do not make them twice.
const SCHEMA_LOCK: i64 = 0x0061_6e6e_616c_7300;

const GET: &str = "
select r.value
from unnest($1::smallint[], $2::bytea[], $3::bytea[]) with ordinality as k(keyspace, head, hash, number)
left join annals_rows r on r.keyspace = k.keyspace and r.head = k.head and r.hash = k.hash
order by k.number";

const APPLY: &str =
    "select annals_apply_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

fn range(direction: &str) -> String {
    format!(
        "select k.number::int4, r.head, r.tail, r.value
from unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[])
    with ordinality as k(keyspace, first_head, first_tail, end_head, end_tail, number),
lateral (
    select head, tail, value from annals_rows
    where keyspace = k.keyspace
        and head >= k.first_head and (head > k.first_head or tail >= k.first_tail)
        and head <= k.end_head and (head < k.end_head or tail < k.end_tail)
    order by head {direction}, tail {direction} limit $6
) r
order by k.number, r.head {direction}, r.tail {direction}"
    )
}

/// A database, and how it is reached.
#[derive(Clone)]
pub(crate) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
    place: Arc<str>,
}

impl Server {
    /// The database at an address. What a network does in silence is noticed within `patience`,
    /// unless the address says otherwise.
    pub(crate) fn at(address: &str, patience: Duration) -> Result<Self, StorageError> {
        let doing = || "read the address".to_owned();
        let mut config: Config = address.parse().map_err(|error| failed(doing(), error))?;
        let place = shown(&config);
        if place.contains('@') {
            let reason = "a password with @ in it is written with %40".to_owned();
            return Err(StorageError::Server {
                doing: doing(),
                reason,
            });
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(patience);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(patience);
        }
        config
            .keepalives_idle(PROBE_AFTER)
            .keepalives_interval(patience)
            .keepalives_retries(3);
        // A standby shows what was, and not what this owner has written.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        Ok(Self {
            config,
            tls: tls(&place)?,
            place: place.into(),
        })
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// A connection without prepared statements. TLS is used as `sslmode` of the address says.
    pub(crate) fn connect(&self) -> Result<Client, StorageError> {
        self.config
            .connect(self.tls.clone())
            .map_err(|error| failed(format!("connect to {}", self.place), error))
    }

    /// Makes the tables where they are missing.
    pub(crate) fn make_tables(&self) -> Result<(), StorageError> {
        let locked =
            format!("begin; select pg_advisory_xact_lock({SCHEMA_LOCK}); {SCHEMA} commit;");
        let made = self.connect()?.batch_execute(&locked);
        made.map_err(|error| failed(format!("make the tables in {}", self.place), error))
    }
}

/// After how long without a word a connection is probed.
const PROBE_AFTER: Duration = Duration::from_secs(30);

/// The address without what is secret.
fn shown(config: &Config) -> String {
    let hosts = config
        .get_hosts()
        .iter()
        .zip(config.get_ports().iter().chain(std::iter::repeat(&PORT)));
    let hosts = hosts.map(|(host, port)| match host {
        Host::Tcp(name) => format!("{name}:{port}"),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let hosts: Vec<String> = hosts.collect();
    let database = config
        .get_dbname()
        .or(config.get_user())
        .unwrap_or("postgres");
    format!("postgres://{}/{database}", hosts.join(","))
}

/// The port of a server whose address names none.
const PORT: u16 = 5432;

/// TLS with the certificates that the system trusts.
fn tls(place: &str) -> Result<MakeRustlsConnect, StorageError> {
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        tracing::warn!(%error, "a certificate of the system cannot be read");
    }
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| StorageError::Server {
        doing: format!("connect to {place}"),
        reason: error.to_string(),
    })?;
    Ok(MakeRustlsConnect::new(
        config.with_root_certificates(roots).with_no_client_auth(),
    ))
}

/// What keeps the server from walking a whole table where an index leads to the rows: a plan is
/// made once, also while the table is small and nothing is known of it.
const PLANS: &str = "set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; \
                     set enable_mergejoin = off";

pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) get: Statement,
    pub(crate) upwards: Statement,
    pub(crate) downwards: Statement,
    pub(crate) apply: Statement,
    /// Whether the transaction of a snapshot is still open on it.
    pub(crate) begun: bool,
    /// Since when nobody uses it.
    pub(crate) idle_since: Instant,
}

impl Connection {
    pub(crate) fn open(server: &Server) -> Result<Self, StorageError> {
        let doing = || format!("connect to {}", server.place());
        let mut client = server.connect()?;
        client
            .batch_execute(PLANS)
            .map_err(|error| failed(doing(), error))?;
        let mut prepared =
            |text: &str| client.prepare(text).map_err(|error| failed(doing(), error));
        let (get, apply) = (prepared(GET)?, prepared(APPLY)?);
        let (upwards, downwards) = (prepared(&range("asc"))?, prepared(&range("desc"))?);
        Ok(Self {
            client,
            get,
            upwards,
            downwards,
            apply,
            begun: false,
            idle_since: Instant::now(),
        })
    }

    /// Ends the transaction of the snapshot before.
    pub(crate) fn end(&mut self) -> Result<(), postgres::Error> {
        if std::mem::take(&mut self.begun) {
            self.client.batch_execute("rollback")?;
        }
        Ok(())
    }
}

/// The error of an operation that the server refused or that did not reach it.
pub(crate) fn failed(doing: String, error: postgres::Error) -> StorageError {
    let reason = match error.as_db_error() {
        Some(refusal) => refusal.message().to_owned(),
        None => with_causes(&error),
    };
    StorageError::Server { doing, reason }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
