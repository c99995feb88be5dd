//! Brings a file of an older format up to date, step by step, each step in one transaction.

use annals_types::{Clock as _, SystemClock};

use crate::format::{self, FormatRecord};
use crate::{StorageError, Store, Transaction};

/// One step from the format before to format `to`.
pub(crate) struct Migration {
    pub(crate) to: u32,
    pub(crate) what: &'static str,
    pub(crate) run: fn(&mut Transaction<'_>) -> Result<(), StorageError>,
}

/// All steps, in order. Format 1 is the first.
pub(crate) const MIGRATIONS: &[Migration] = &[];

/// Runs the steps that a store still needs. A crash between two leaves it at the format reached.
pub(crate) fn migrate(
    store: &Store,
    mut record: FormatRecord,
    steps: &[Migration],
) -> Result<(), StorageError> {
    for step in steps
        .iter()
        .filter(|step| step.to > record.format)
        .collect::<Vec<_>>()
    {
        tracing::info!(
            from = record.format,
            to = step.to,
            what = step.what,
            "migrating the file"
        );
        record.format = step.to;
        record.migrations.push((step.to, SystemClock.now()));
        let sealed = record.seal();
        store.write::<_, StorageError>(|transaction| {
            (step.run)(transaction)?;
            transaction.put_meta(format::FORMAT_KEY, sealed.clone());
            Ok(())
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use annals_types::Timestamp;

    use super::*;
    use crate::{Batch, Engine as _, Keyspace, MemoryEngine, Reads as _};

    const OLD: Keyspace = Keyspace::new("test.old");
    const NEW: Keyspace = Keyspace::new("test.new");

    fn rename(transaction: &mut Transaction<'_>) -> Result<(), StorageError> {
        let stored = transaction.get(OLD, b"k")?.unwrap();
        transaction.put(NEW, b"k", 2, &stored.body)?;
        transaction.delete(OLD, b"k").map(|_| ())
    }

    fn refuse(_: &mut Transaction<'_>) -> Result<(), StorageError> {
        Err(StorageError::misuse("this step fails"))
    }

    /// An engine as an imaginary format 1 left it.
    fn old_engine(format: u32) -> MemoryEngine {
        let engine = MemoryEngine::new();
        let record = FormatRecord {
            format,
            created: Timestamp::from_millis(5),
            migrations: Vec::new(),
        };
        let mut batch = Batch::default();
        batch.put(format::META, format::FORMAT_KEY.to_vec(), record.seal());
        batch.put(OLD, b"k".to_vec(), crate::seal::seal(OLD, b"k", 1, b"body"));
        engine.apply(&batch).unwrap();
        engine
    }

    #[test]
    fn an_older_file_is_brought_up_to_date_once() {
        let steps = [
            Migration {
                to: 2,
                what: "rename",
                run: rename,
            },
            Migration {
                to: 3,
                what: "nothing",
                run: |_| Ok(()),
            },
        ];
        let store = Store::with_migrations(Box::new(old_engine(1)), &steps, 3).unwrap();
        let snapshot = store.snapshot().unwrap();
        assert_eq!(snapshot.get(OLD, b"k").unwrap(), None);
        assert_eq!(
            snapshot
                .get(NEW, b"k")
                .unwrap()
                .map(|s| (s.version, s.body)),
            Some((2, b"body".to_vec()))
        );
        let record = store.format_record(3).unwrap().unwrap();
        assert_eq!(record.created, Timestamp::from_millis(5));
        assert_eq!(
            (
                record.format,
                record.migrations.iter().map(|m| m.0).collect::<Vec<_>>()
            ),
            (3, vec![2, 3])
        );
        migrate(&store, record, &steps).unwrap();
        assert_eq!(store.format_record(3).unwrap().unwrap().migrations.len(), 2);
    }

    #[test]
    fn a_step_that_fails_leaves_the_format_before_it() {
        let steps = [
            Migration {
                to: 2,
                what: "rename",
                run: rename,
            },
            Migration {
                to: 3,
                what: "refuse",
                run: refuse,
            },
        ];
        let store = Store::with_migrations(Box::new(old_engine(1)), &steps[..1], 3).unwrap();
        let record = store.format_record(3).unwrap().unwrap();
        assert!(matches!(
            migrate(&store, record, &steps),
            Err(StorageError::Misuse { .. })
        ));
        assert_eq!(store.format_record(3).unwrap().unwrap().format, 2);
    }

    #[test]
    fn formats_out_of_reach_are_refused() {
        let newer = Store::with_engine(Box::new(old_engine(format::FORMAT + 1))).unwrap_err();
        assert!(
            matches!(
                newer,
                StorageError::TooNew {
                    found: 2,
                    supported: 1,
                    ..
                }
            ),
            "{newer}"
        );
        let older = Store::with_engine(Box::new(old_engine(0))).unwrap_err();
        assert!(
            matches!(
                older,
                StorageError::TooOld {
                    found: 0,
                    supported: 1,
                    ..
                }
            ),
            "{older}"
        );
    }
}
