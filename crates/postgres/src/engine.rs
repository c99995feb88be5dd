use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use annals_storage::{
    Batch, Depth, Engine, EngineSnapshot, EngineStats, Keyspace, KeyspaceStats, StorageError,
};
use parking_lot::{Mutex, RwLock};

use crate::connection::{Connection, Server, failed};
use crate::key::Key;
use crate::lease::Lease;
use crate::pool::{Pool, Purpose};
use crate::snapshot::PostgresSnapshot;

/// How a database is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectOptions {
    /// How long the owner holds the lease without renewing it; 15 seconds by default. One that was
    /// killed is followed after that time.
    pub lease: Duration,
    /// How long an owner is waited for; not at all by default.
    pub wait: Duration,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(15),
            wait: Duration::ZERO,
        }
    }
}

impl ConnectOptions {
    /// Sets how long the owner holds the lease without renewing it.
    #[must_use]
    pub const fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets how long an owner is waited for.
    #[must_use]
    pub const fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}

/// The keyspaces in the tables of one PostgreSQL database.
pub struct PostgresEngine {
    pool: Arc<Pool>,
    /// None for an engine that only reads.
    lease: Option<Lease>,
    keyspaces: Arc<Keyspaces>,
    /// One batch at a time, as the store above has it; several stores may share an engine.
    applying: Mutex<()>,
}

/// The numbers of keyspaces by their names.
#[derive(Default)]
pub(crate) struct Keyspaces(RwLock<HashMap<String, i16>>);

impl Keyspaces {
    pub(crate) fn number(&self, keyspace: Keyspace) -> Option<i16> {
        self.0.read().get(keyspace.name()).copied()
    }
}

impl PostgresEngine {
    /// Connects to a database, such as `postgres://user:password@host/database`, makes the tables
    /// where they are missing, and becomes its owner. Calls block: not for a thread of an
    /// asynchronous runtime, and neither is the drop of the last handle.
    ///
    /// # Errors
    /// [`StorageError::Server`] for an address that is none, and when the server cannot be reached
    /// or refuses; [`StorageError::Leased`] while another process owns the database.
    pub fn connect(address: &str, options: &ConnectOptions) -> Result<Self, StorageError> {
        let server = Server::at(address, options.lease / 3)?;
        server.make_tables()?;
        let pool = Arc::new(Pool::new(server));
        let lease = Lease::take(&pool, options.lease, options.wait)?;
        Self::over(pool, Some(lease))
    }

    /// Connects to a database that is only read: nothing is made in it, and its owner goes on.
    ///
    /// # Errors
    /// [`StorageError::Server`] for an address that is none, when the server cannot be reached, and
    /// when it has no tables of annals.
    pub fn read(address: &str) -> Result<Self, StorageError> {
        let server = Server::at(address, ConnectOptions::default().lease / 3)?;
        Self::over(Arc::new(Pool::new(server)), None)
    }

    fn over(pool: Arc<Pool>, lease: Option<Lease>) -> Result<Self, StorageError> {
        let engine = Self {
            pool,
            lease,
            keyspaces: Arc::default(),
            applying: Mutex::new(()),
        };
        let known = engine.ask("select name, id from annals_keyspaces")?;
        engine
            .keyspaces
            .0
            .write()
            .extend(known.into_iter().map(|row| (row.get(0), row.get(1))));
        Ok(engine)
    }

    /// The lease, for whoever writes.
    fn lease(&self) -> Result<&Lease, StorageError> {
        let lease = self.lease.as_ref();
        lease.ok_or_else(|| StorageError::OpenedReadOnly {
            what: format!("write {}", self.pool.place()),
        })
    }

    fn ask(&self, question: &str) -> Result<Vec<postgres::Row>, StorageError> {
        self.with(Purpose::Read, |connection| {
            connection.client.query(question, &[])
        })
    }

    fn with<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut Connection) -> Result<T, postgres::Error>,
    ) -> Result<T, StorageError> {
        self.tried(purpose, work)?
            .map_err(|error| failed(format!("use {}", self.pool.place()), error))
    }

    /// What came of work on a connection; where that was lost the others are given up with it.
    fn tried<T>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&mut Connection) -> Result<T, postgres::Error>,
    ) -> Result<Result<T, postgres::Error>, StorageError> {
        let mut connection = self.pool.take(purpose)?;
        let done = connection.end().and_then(|()| work(&mut connection));
        match &done {
            Ok(_) => self.pool.put_back(connection),
            Err(error) => {
                self.pool.close_one();
                if error.as_db_error().is_none() {
                    self.pool.close_idle();
                }
            }
        }
        Ok(done)
    }

    /// The number of a keyspace, which is given one where it has none.
    fn number(&self, keyspace: Keyspace) -> Result<i16, StorageError> {
        if let Some(number) = self.keyspaces.number(keyspace) {
            return Ok(number);
        }
        const GIVE: &str =
            "insert into annals_keyspaces (name) values ($1) on conflict (name) do update
            set name = excluded.name returning id";
        let name = keyspace.name().to_owned();
        let number = self
            .with(Purpose::Write, |connection| {
                connection.client.query_one(GIVE, &[&name])
            })?
            .get(0);
        self.keyspaces.0.write().insert(name, number);
        Ok(number)
    }
}

/// The columns of some keys.
#[derive(Default)]
struct Columns {
    keyspaces: Vec<i16>,
    heads: Vec<Vec<u8>>,
    hashes: Vec<Vec<u8>>,
    tails: Vec<Vec<u8>>,
    values: Vec<Vec<u8>>,
}

impl Columns {
    fn push(&mut self, keyspace: i16, key: &[u8]) {
        let key = Key::new(key);
        self.keyspaces.push(keyspace);
        self.hashes.push(key.hash());
        self.heads.push(key.head);
        self.tails.push(key.tail);
    }
}

impl Engine for PostgresEngine {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        if let Some(lease) = &self.lease {
            lease.check()?;
        }
        Ok(Box::new(PostgresSnapshot::begin(
            Arc::clone(&self.pool),
            Arc::clone(&self.keyspaces),
        )?))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let _one_at_a_time = self.applying.lock();
        let lease = self.lease()?;
        lease.check()?;
        let (mut put, mut gone) = (Columns::default(), Columns::default());
        for (keyspace, changes) in batch.keyspaces() {
            let keyspace = self.number(keyspace)?;
            for (key, value) in changes {
                match value {
                    Some(value) => {
                        put.push(keyspace, key);
                        put.values.push(value.clone());
                    }
                    None => gone.push(keyspace, key),
                }
            }
        }
        let expected = batch.expected();
        let of = expected.map(|expected| {
            (
                self.keyspaces.number(expected.keyspace),
                Key::new(&expected.key),
            )
        });
        let (of_keyspace, of_key) =
            of.map_or((None, Key::new(&[])), |(keyspace, key)| (keyspace, key));
        let of_keyspace = of_keyspace.unwrap_or(0);
        let value = expected.and_then(|expected| expected.value.as_deref());
        let token = lease.token();
        let answer = self.tried(Purpose::Write, |connection| {
            let statement = connection.apply.clone();
            let parameters: [&(dyn postgres::types::ToSql + Sync); 14] = [
                &token,
                &expected.is_some(),
                &of_keyspace,
                &of_key.head,
                &of_key.hash(),
                &value,
                &gone.keyspaces,
                &gone.heads,
                &gone.hashes,
                &put.keyspaces,
                &put.heads,
                &put.hashes,
                &put.tails,
                &put.values,
            ];
            connection.client.query_one(&statement, &parameters)
        })?;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                if error.as_db_error().is_none() {
                    lease.unsettle();
                }
                return Err(failed(format!("write {}", self.pool.place()), error));
            }
        };
        match answer.get::<_, &str>(0) {
            "applied" => Ok(()),
            "overtaken" => Err(StorageError::Aborted { attempts: 1 }),
            _ => Err(lease.fence()),
        }
    }

    /// Rows are counted, and their bytes added up where that is asked: the server reads all of them
    /// for either.
    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        const COUNTS: &str = "select k.name, count(r.keyspace), null::int8 from annals_keyspaces k
            left join annals_rows r on r.keyspace = k.id group by k.name order by k.name";
        const BYTES: &str = "select k.name, count(r.keyspace),
            coalesce(sum(octet_length(r.head) + octet_length(r.tail) + octet_length(r.value)), 0)::int8
            from annals_keyspaces k left join annals_rows r on r.keyspace = k.id group by k.name order by k.name";
        let rows = self.ask(if depth == Depth::Bytes { BYTES } else { COUNTS })?;
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        let mut stats = EngineStats::default();
        stats.file_bytes = count(self.bytes_on_disk()?);
        for row in rows {
            let mut keyspace = KeyspaceStats::default();
            keyspace.name = row.get(0);
            keyspace.entries = count(row.get(1));
            keyspace.bytes = row.get::<_, Option<i64>>(2).map(count);
            stats.keyspaces.push(keyspace);
        }
        if depth == Depth::Bytes {
            stats.live_bytes = Some(
                stats
                    .keyspaces
                    .iter()
                    .filter_map(|keyspace| keyspace.bytes)
                    .sum(),
            );
        }
        Ok(stats)
    }

    /// Has the server take away what was deleted or replaced; snapshots keep what they show.
    fn compact(&self) -> Result<bool, StorageError> {
        self.lease()?.check()?;
        let before = self.bytes_on_disk()?;
        self.with(Purpose::Write, |connection| {
            connection
                .client
                .batch_execute("vacuum (analyze) annals_rows")
        })?;
        Ok(self.bytes_on_disk()? < before)
    }

    fn exclusive(&self) -> bool {
        self.lease.is_some()
    }

    /// Whether nobody else owns the database now.
    fn is_in_place(&self) -> Result<bool, StorageError> {
        Ok(!self.lease.as_ref().is_some_and(Lease::is_fenced))
    }

    fn is_settled(&self) -> bool {
        self.lease.as_ref().is_none_or(Lease::is_settled)
    }

    fn place(&self) -> String {
        self.pool.place().to_owned()
    }
}

impl PostgresEngine {
    fn bytes_on_disk(&self) -> Result<i64, StorageError> {
        let rows = self.ask("select pg_total_relation_size('annals_rows')")?;
        Ok(rows.first().map_or(0, |row| row.get(0)))
    }
}
