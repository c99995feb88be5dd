//! A connection with its prepared statements, and the tables that they work on.

use std::sync::Arc;

use annals_storage::StorageError;
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

const APPLY: &str = "select annals_apply_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

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

pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) get: Statement,
    pub(crate) upwards: Statement,
    pub(crate) downwards: Statement,
    pub(crate) apply: Statement,
}

impl Connection {
    pub(crate) fn open(config: &Config, place: &str) -> Result<Self, StorageError> {
        let doing = || format!("connect to {place}");
        let mut client = connect(config, place)?;
        let mut prepared = |text: &str| client.prepare(text).map_err(|error| failed(doing(), error));
        let (get, apply) = (prepared(GET)?, prepared(APPLY)?);
        let (upwards, downwards) = (prepared(&range("asc"))?, prepared(&range("desc"))?);
        Ok(Self { client, get, upwards, downwards, apply })
    }
}

/// Makes the tables where they are missing.
pub(crate) fn make_tables(config: &Config, place: &str) -> Result<(), StorageError> {
    let doing = || format!("make the tables in {place}");
    let mut client = connect(config, place)?;
    let locked = format!("begin; select pg_advisory_xact_lock({SCHEMA_LOCK}); {SCHEMA} commit;");
    client.batch_execute(&locked).map_err(|error| failed(doing(), error))
}

/// A connection without prepared statements. TLS is used as `sslmode` of the address says, with the
/// certificates that the system trusts.
pub(crate) fn connect(config: &Config, place: &str) -> Result<Client, StorageError> {
    let doing = || format!("connect to {place}");
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StorageError::Server { doing: doing(), reason: error.to_string() })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.connect(MakeRustlsConnect::new(tls)).map_err(|error| failed(doing(), error))
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
