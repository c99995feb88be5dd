//! A frozen row of each table.

use std::fmt::Debug;

use crate::table::{Key, RawRow, Value};
use crate::{AnyTable, Table, hex};

/// Checks one or more rows of each table of a list against bytes that are written down.
///
/// A row that differs says that files which exist would be misread: the table needs a new version,
/// and a reader of the old one.
#[derive(Debug)]
#[must_use = "end() looks whether a table has no sample"]
pub struct Samples<'t> {
    left: Vec<&'t dyn AnyTable>,
}

impl Debug for dyn AnyTable + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.keyspace().name())
    }
}

impl<'t> Samples<'t> {
    /// Of the typed ones among these tables.
    pub fn of(tables: &[&'t dyn AnyTable]) -> Self {
        Self {
            left: tables
                .iter()
                .copied()
                .filter(|table| table.is_typed())
                .collect(),
        }
    }

    /// Checks that a row has these bytes, in hexadecimal, and is read back from them. Panics where
    /// it is not.
    pub fn row<K: Key, V: Value>(
        &mut self,
        table: &Table<K, V>,
        of: K::Of<'_>,
        view: &V::View<'_>,
        frozen: (&str, &str),
    ) where
        for<'a> K::Of<'a>: Debug,
    {
        let key = table.key(of);
        let versioned = table
            .encode(view)
            .unwrap_or_else(|error| panic!("{table}: {error}"));
        let Some((version, body)) = versioned.split_first() else {
            panic!("{table}: no version")
        };
        assert_eq!(
            (&*hex(&key), &*hex(body)),
            frozen,
            "{table}: version {version}"
        );
        let read = table.parse(&key);
        assert_eq!(
            format!("{read:?}"),
            format!("{:?}", Some(of)),
            "{table}: the key"
        );
        let row = RawRow {
            keyspace: table.keyspace(),
            key: &key,
            version: *version,
            body,
        };
        let (_, again) = table
            .read(&row)
            .unwrap_or_else(|error| panic!("{error}"))
            .unwrap_or_else(|| panic!("{table}"));
        let again = table
            .encode(&again)
            .unwrap_or_else(|error| panic!("{table}: {error}"));
        assert_eq!(
            hex(&again),
            hex(&versioned),
            "{table}: what is read is written again"
        );
        let newer = RawRow {
            version: version + 1,
            ..row
        };
        assert!(
            table.read(&newer).is_err(),
            "{table}: reads a version that it does not know"
        );
        let fits = |listed: &&dyn AnyTable| {
            listed.keyspace() != table.keyspace() || listed.check(&key, *version, body).is_none()
        };
        self.left.retain(fits);
    }

    /// Panics when a table had no sample.
    pub fn end(self) {
        assert!(
            self.left.is_empty(),
            "tables without a frozen sample: {:?}",
            self.left
        );
    }
}
