use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::{EngineReads, EngineSnapshot, KeyRange, Keyspace, StorageError, Visit};
use parking_lot::Mutex;

use crate::connection::{Connection, failed};
use crate::engine::Keyspaces;
use crate::key::Key;
use crate::pool::{Pool, Purpose};

/// The rows of each range that come with the first answer, and of one range with those after it.
const FIRST_ROWS: i64 = 128;
const MORE_ROWS: i64 = 512;

/// A transaction that only reads, on a connection of its own.
pub(crate) struct PostgresSnapshot {
    connection: Mutex<Option<Connection>>,
    pool: Arc<Pool>,
    keyspaces: Arc<Keyspaces>,
}

/// A row of a range: the number of the range, its key and its value.
type RangeRow = (usize, Vec<u8>, Vec<u8>);

/// A range as the statement takes it.
#[derive(Clone)]
struct Bounds {
    number: usize,
    keyspace: i16,
    first: Key,
    end: Key,
    reverse: bool,
}

impl PostgresSnapshot {
    pub(crate) fn begin(pool: Arc<Pool>, keyspaces: Arc<Keyspaces>) -> Result<Self, StorageError> {
        let mut connection = pool.take(Purpose::Read)?;
        if begin(&mut connection).is_err() {
            // Nothing was done yet: a new connection is tried, where an old one was lost.
            pool.close_one();
            pool.close_idle();
            connection = pool.take(Purpose::Read)?;
            if let Err(error) = begin(&mut connection) {
                pool.close_one();
                return Err(failed(format!("read {}", pool.place()), error));
            }
        }
        Ok(Self {
            connection: Mutex::new(Some(connection)),
            pool,
            keyspaces,
        })
    }

    fn with<T>(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<T, postgres::Error>,
    ) -> Result<T, StorageError> {
        let doing = || format!("read {}", self.pool.place());
        let mut held = self.connection.lock();
        let Some(connection) = held.as_mut() else {
            return Err(StorageError::Server {
                doing: doing(),
                reason: "the connection was lost".to_owned(),
            });
        };
        read(connection).map_err(|error| failed(doing(), error))
    }

    /// The first rows of some ranges of one direction.
    fn rows(&self, ranges: &[Bounds], most: i64) -> Result<Vec<RangeRow>, StorageError> {
        let Some(reverse) = ranges.first().map(|bounds| bounds.reverse) else {
            return Ok(Vec::new());
        };
        let keyspaces: Vec<i16> = ranges.iter().map(|bounds| bounds.keyspace).collect();
        let column =
            |part: &dyn Fn(&Bounds) -> Vec<u8>| ranges.iter().map(part).collect::<Vec<_>>();
        let (first_heads, first_tails) = (
            column(&|b| b.first.head.clone()),
            column(&|b| b.first.tail.clone()),
        );
        let (end_heads, end_tails) = (
            column(&|b| b.end.head.clone()),
            column(&|b| b.end.tail.clone()),
        );
        let rows = self.with(|connection| {
            let statement = if reverse {
                connection.downwards.clone()
            } else {
                connection.upwards.clone()
            };
            let parameters: [&(dyn postgres::types::ToSql + Sync); 6] = [
                &keyspaces,
                &first_heads,
                &first_tails,
                &end_heads,
                &end_tails,
                &most,
            ];
            connection.client.query(&statement, &parameters)
        })?;
        let read = |row: postgres::Row| {
            let place = usize::try_from(row.get::<_, i32>(0))
                .ok()
                .and_then(|place| place.checked_sub(1));
            let bounds =
                place
                    .and_then(|place| ranges.get(place))
                    .ok_or_else(|| StorageError::Server {
                        doing: format!("read {}", self.pool.place()),
                        reason: "it answered with a range that was not asked for".to_owned(),
                    })?;
            Ok((
                bounds.number,
                Key::joined(row.get(1), row.get(2)),
                row.get(3),
            ))
        };
        rows.into_iter().map(read).collect()
    }

    /// Walks what is left of a range behind a key.
    fn walk_on(
        &self,
        bounds: &Bounds,
        mut last: Vec<u8>,
        visit: &mut Visit<'_>,
    ) -> Result<(), StorageError> {
        loop {
            let mut rest = bounds.clone();
            if bounds.reverse {
                rest.end = Key::new(&last);
            } else {
                rest.first = Key::new(&[last.as_slice(), &[0]].concat());
            }
            let rows = self.rows(std::slice::from_ref(&rest), MORE_ROWS)?;
            let is_all = i64::try_from(rows.len()).is_ok_and(|count| count < MORE_ROWS);
            for (number, key, value) in rows {
                if visit(number, &key, &value)?.is_break() {
                    return Ok(());
                }
                last = key;
            }
            if is_all {
                return Ok(());
            }
        }
    }

    /// Walks ranges of one direction.
    fn walk(&self, ranges: &[Bounds], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        let mut rows = self.rows(ranges, FIRST_ROWS)?.into_iter().peekable();
        for bounds in ranges {
            let (mut count, mut last, mut goes_on) = (0, Vec::new(), true);
            while let Some((number, key, value)) =
                rows.next_if(|(number, ..)| *number == bounds.number)
            {
                if goes_on {
                    goes_on = visit(number, &key, &value)? == ControlFlow::Continue(());
                }
                count += 1;
                last = key;
            }
            if goes_on && count >= FIRST_ROWS {
                self.walk_on(bounds, last, visit)?;
            }
        }
        Ok(())
    }
}

impl EngineReads for PostgresSnapshot {
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        // A keyspace without a number has no rows, and no row has the number 0.
        let keyspaces: Vec<i16> = keys
            .iter()
            .map(|(keyspace, _)| self.keyspaces.number(*keyspace).unwrap_or(0))
            .collect();
        let keys: Vec<Key> = keys.iter().map(|(_, key)| Key::new(key)).collect();
        let heads: Vec<&[u8]> = keys.iter().map(|key| key.head.as_slice()).collect();
        let hashes: Vec<Vec<u8>> = keys.iter().map(Key::hash).collect();
        let rows = self.with(|connection| {
            let statement = connection.get.clone();
            connection
                .client
                .query(&statement, &[&keyspaces, &heads, &hashes])
        })?;
        Ok(rows.into_iter().map(|row| row.get(0)).collect())
    }

    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        let bounds = |(number, range): (usize, &KeyRange)| {
            let end = range.end.as_deref().map_or_else(Key::behind_all, Key::new);
            let keyspace = self.keyspaces.number(range.keyspace)?;
            Some(Bounds {
                number,
                keyspace,
                first: Key::new(&range.start),
                end,
                reverse: range.reverse,
            })
        };
        let ranges: Vec<Bounds> = ranges.iter().enumerate().filter_map(bounds).collect();
        for run in ranges.chunk_by(|a, b| a.reverse == b.reverse) {
            self.walk(run, visit)?;
        }
        Ok(())
    }
}

impl EngineSnapshot for PostgresSnapshot {}

impl Drop for PostgresSnapshot {
    /// Gives the connection back as it is: a drop sends nothing.
    fn drop(&mut self) {
        let Some(connection) = self.connection.get_mut().take() else {
            return;
        };
        if connection.client.is_closed() {
            self.pool.close_one();
        } else {
            self.pool.put_back(connection);
        }
    }
}

/// Begins a transaction that only reads. The state is that of its first statement.
fn begin(connection: &mut Connection) -> Result<(), postgres::Error> {
    const BEGIN: &str = "begin isolation level repeatable read read only; select 1";
    let again = format!("rollback; {BEGIN}");
    connection
        .client
        .batch_execute(if connection.begun { &again } else { BEGIN })?;
    connection.begun = true;
    Ok(())
}
