//! Copies what one engine holds into another.

use std::ops::ControlFlow;

use crate::format::{FORMAT, FormatRecord, META};
use crate::reads::opened;
use crate::{Batch, Depth, Engine, EngineSnapshot, KeyRange, Keyspace, StorageError};

/// In the target until the copy is whole: of which state it is.
const COPY: Keyspace = Keyspace::new("storage.copy");
const SOURCE: &[u8] = b"source";

/// The most values and bytes of one commit of the target.
const BATCH_VALUES: usize = 2_048;
const BATCH_BYTES: usize = 8 << 20;

/// The values of one keyspace that are compared at once.
const COMPARED: usize = 256;

/// The result of [`copy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Copied {
    /// How many values the target holds and were compared.
    pub values: u64,
    /// How many of them an earlier copy that was cut off had brought.
    pub resumed: u64,
}

/// Fails for an engine that holds no database of this program.
///
/// # Errors
/// [`StorageError::NotADatabase`]; another one when the format is too new or too old, or it cannot
/// be read.
pub fn expect_database(engine: &dyn Engine) -> Result<(), StorageError> {
    record_of(engine, &*engine.snapshot()?).map(|_| ())
}

fn record_of(
    engine: &dyn Engine,
    snapshot: &dyn EngineSnapshot,
) -> Result<FormatRecord, StorageError> {
    let place = engine.place();
    let nothing = || StorageError::NotADatabase {
        path: place.clone().into(),
        detail: "it holds nothing yet".to_owned(),
    };
    FormatRecord::read(snapshot, &place, FORMAT)?.ok_or_else(nothing)
}

/// Copies everything that `from` holds into `to`, which is to be empty, and compares both. A copy
/// that was cut off goes on where it was, unless `from` has changed: then it begins anew. Until it
/// is whole the target is no database. `progress` is told how many values were copied so far.
///
/// # Errors
/// [`StorageError::NotADatabase`] when `from` holds none; [`StorageError::NotEmpty`] when `to`
/// holds something else than a copy that was cut off; [`StorageError::Corruption`] for a value that
/// is damaged, or that the target does not give back as it was; when either cannot be read or
/// written.
pub fn copy(
    from: &dyn Engine,
    to: &dyn Engine,
    progress: &mut dyn FnMut(u64),
) -> Result<Copied, StorageError> {
    if let Some(damage) = from.damage() {
        return Err(StorageError::corruption(
            format!("copy {}", from.place()),
            damage,
        ));
    }
    let source = from.snapshot()?;
    record_of(from, &*source)?;
    let own = rows_of(&*source, META)?;
    let is_whole = prepare(to, &state_of(&own))?;
    let keyspaces = filled(from, &[META, COPY])?;
    let mut copied = Copied::default();
    for keyspace in &keyspaces {
        let resumed = match is_whole {
            true => 0,
            false => copy_keyspace(&*source, to, *keyspace, &mut |values| {
                progress(copied.values + values)
            })?,
        };
        copied.resumed += resumed;
        copied.values += compare(&*source, &*to.snapshot()?, *keyspace, &to.place())?;
        progress(copied.values);
    }
    if let Some(other) = filled(to, &[META, COPY])?
        .iter()
        .find(|other| !keyspaces.contains(other))
    {
        let detail = format!("it holds {other}, which {} does not", from.place());
        return Err(StorageError::corruption(
            format!("compare {}", to.place()),
            detail,
        ));
    }
    // Whoever writes meanwhile writes to what is left behind.
    if !from.is_in_place()? || rows_of(&*from.snapshot()?, META)? != own {
        return Err(StorageError::SourceChanged {
            place: from.place(),
        });
    }
    copied.values += u64::try_from(own.len()).unwrap_or(0);
    if is_whole {
        return Ok(copied);
    }
    // With these the target is a database.
    let mut last = Batch::default();
    own.into_iter()
        .for_each(|(key, value)| last.put(META, key, value));
    last.delete(COPY, SOURCE.to_vec());
    to.apply(&last)?;
    Ok(copied)
}

type Rows = Vec<(Vec<u8>, Vec<u8>)>;

fn rows_of(snapshot: &dyn EngineSnapshot, keyspace: Keyspace) -> Result<Rows, StorageError> {
    let mut rows = Rows::new();
    snapshot.multi_range(&[KeyRange::prefix(keyspace, &[])], &mut |_, key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// What tells one state from every other: the store says of each who wrote last, and its number.
fn state_of(own: &Rows) -> Vec<u8> {
    let mut hash = xxhash_rust::xxh3::Xxh3Default::new();
    for part in own.iter().flat_map(|(key, value)| [key, value]) {
        hash.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.digest128().to_be_bytes().to_vec()
}

/// The keyspaces of an engine that hold anything, but for some.
fn filled(engine: &dyn Engine, but: &[Keyspace]) -> Result<Vec<Keyspace>, StorageError> {
    let counted = engine.stats(Depth::Counts)?.keyspaces;
    let filled = counted.iter().filter(|keyspace| keyspace.entries > 0);
    Ok(filled
        .map(|keyspace| Keyspace::interned(&keyspace.name))
        .filter(|name| !but.contains(name))
        .collect())
}

/// Makes the target ready for a copy of a state: as a copy of it left it, or empty. Answers whether
/// it is that state, as it is where the last answer of a copy was lost.
fn prepare(to: &dyn Engine, state: &[u8]) -> Result<bool, StorageError> {
    /// In the place of the state while what another copy left is taken away.
    const CLEARING: &[u8] = b"clearing";
    let snapshot = to.snapshot()?;
    let begun = snapshot.multi_get(&[(COPY, SOURCE)])?.pop().flatten();
    if begun.as_deref() == Some(state) {
        return Ok(false);
    }
    let mark = |state: &[u8]| {
        let mut mark = Batch::default();
        mark.put(COPY, SOURCE.to_vec(), state.to_vec());
        to.apply(&mark)
    };
    if begun.is_none() {
        if filled(to, &[])?.is_empty() {
            return mark(state).map(|()| false);
        }
        if state_of(&rows_of(&*snapshot, META)?) == state {
            return Ok(true);
        }
        return Err(StorageError::NotEmpty { place: to.place() });
    }
    mark(CLEARING)?;
    for keyspace in filled(to, &[COPY])? {
        clear(to, &*snapshot, keyspace)?;
    }
    mark(state).map(|()| false)
}

/// Takes away what a copy of another state has left in a keyspace.
fn clear(
    to: &dyn Engine,
    snapshot: &dyn EngineSnapshot,
    keyspace: Keyspace,
) -> Result<(), StorageError> {
    let mut batch = Batch::default();
    let mut count = 0;
    snapshot.multi_range(&[KeyRange::prefix(keyspace, &[])], &mut |_, key, _| {
        batch.delete(keyspace, key.to_vec());
        count += 1;
        if count == BATCH_VALUES {
            to.apply(&std::mem::take(&mut batch))?;
            count = 0;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if batch.is_empty() {
        Ok(())
    } else {
        to.apply(&batch)
    }
}

/// Copies what of a keyspace the target lacks; answers how many values it had.
fn copy_keyspace(
    source: &dyn EngineSnapshot,
    to: &dyn Engine,
    keyspace: Keyspace,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, StorageError> {
    let (mut last, mut resumed): (Option<Vec<u8>>, u64) = (None, 0);
    // Batches are cut in the order of the keys, so that all before the last one are there.
    to.snapshot()?
        .multi_range(&[KeyRange::prefix(keyspace, &[])], &mut |_, key, _| {
            last = Some(key.to_vec());
            resumed += 1;
            Ok(ControlFlow::Continue(()))
        })?;
    let start = last.map_or_else(Vec::new, |key| [key.as_slice(), &[0]].concat());
    let rest = KeyRange {
        keyspace,
        start,
        end: None,
        reverse: false,
    };
    let (mut batch, mut values, mut bytes, mut done) = (Batch::default(), 0, 0, resumed);
    source.multi_range(&[rest], &mut |_, key, value| {
        opened(keyspace, key, value)?;
        batch.put(keyspace, key.to_vec(), value.to_vec());
        values += 1;
        bytes += key.len() + value.len();
        done += 1;
        if values >= BATCH_VALUES || bytes >= BATCH_BYTES {
            to.apply(&std::mem::take(&mut batch))?;
            (values, bytes) = (0, 0);
            progress(done);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if !batch.is_empty() {
        to.apply(&batch)?;
    }
    Ok(resumed)
}

/// Compares a keyspace of both; answers how many values it has.
fn compare(
    source: &dyn EngineSnapshot,
    target: &dyn EngineSnapshot,
    keyspace: Keyspace,
    place: &str,
) -> Result<u64, StorageError> {
    let differs =
        |detail: String| StorageError::corruption(format!("compare {keyspace} of {place}"), detail);
    let mut rows: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut values: u64 = 0;
    let mut check = |rows: &mut Vec<(Vec<u8>, Vec<u8>)>| {
        let keys: Vec<(Keyspace, &[u8])> = rows
            .iter()
            .map(|(key, _)| (keyspace, key.as_slice()))
            .collect();
        let found = target.multi_get(&keys)?;
        if !found
            .iter()
            .zip(rows.iter())
            .all(|(found, (_, value))| found.as_deref() == Some(value.as_slice()))
        {
            return Err(differs("a value is not what was copied".to_owned()));
        }
        values += u64::try_from(rows.len()).unwrap_or(0);
        rows.clear();
        Ok(())
    };
    source.multi_range(&[KeyRange::prefix(keyspace, &[])], &mut |_, key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        if rows.len() == COMPARED {
            check(&mut rows)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    check(&mut rows)?;
    let mut held: u64 = 0;
    target.multi_range(&[KeyRange::prefix(keyspace, &[])], &mut |_, _, _| {
        held += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    if held == values {
        Ok(values)
    } else {
        Err(differs(format!("{held} values where {values} were copied")))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::conformance::Remote;
    use crate::{MemoryEngine, Reads as _, Store};

    const A: Keyspace = Keyspace::new("test.a");
    const B: Keyspace = Keyspace::new("test.b");

    fn written(values: u32) -> (Arc<MemoryEngine>, Store) {
        let engine = Arc::new(MemoryEngine::new());
        let store = Store::with_engine(Box::new(Arc::clone(&engine))).unwrap();
        let write = |tx: &mut crate::Transaction<'_>| {
            (0..values).try_for_each(|number| {
                tx.put(
                    if number % 3 == 0 { A } else { B },
                    &number.to_be_bytes(),
                    1,
                    &[7; 10],
                )
            })
        };
        store.write::<_, StorageError>(write).unwrap();
        (engine, store)
    }

    #[test]
    fn a_copy_is_a_database_with_the_same_commit() {
        let (from, store) = written(5000);
        let to = Arc::new(MemoryEngine::new());
        let copied = copy(&*from, &*to, &mut |_| {}).unwrap();
        assert!(copied.values > 5000 && copied.resumed == 0, "{copied:?}");
        let other = Store::with_engine(Box::new(Arc::clone(&to))).unwrap();
        assert_eq!(other.commit(), store.commit());
        assert!(other.validate().unwrap().is_sound());
        let again = Arc::new(MemoryEngine::new());
        assert_eq!(
            copy(&*to, &*again, &mut |_| {}).unwrap(),
            copied,
            "a copy is copied like any other"
        );
        let key = 4998_u32.to_be_bytes();
        assert_eq!(
            other
                .snapshot()
                .unwrap()
                .get(A, &key)
                .unwrap()
                .unwrap()
                .body,
            [7; 10]
        );
        let (other, _store) = written(10);
        let refused = copy(&*other, &*to, &mut |_| {}).unwrap_err();
        assert!(
            matches!(refused, StorageError::NotEmpty { .. }),
            "{refused}"
        );
        assert_eq!(
            copy(&*from, &*to, &mut |_| {}).unwrap(),
            copied,
            "it is that state already"
        );
    }

    #[test]
    fn a_copy_that_was_cut_off_goes_on_and_begins_anew_where_the_source_has_changed() {
        let (from, store) = written(9000);
        let to = Arc::new(MemoryEngine::new());
        // The third commit of the target is given up.
        let failing = Remote::new(Box::new(Arc::clone(&to)), 3);
        assert!(copy(&*from, &failing, &mut |_| {}).is_err());
        assert!(
            Store::with_engine(Box::new(Arc::clone(&to))).is_err(),
            "half a copy is no database"
        );
        let copied = copy(&*from, &*to, &mut |_| {}).unwrap();
        assert!(copied.resumed >= 2000, "{copied:?}");

        let to = Arc::new(MemoryEngine::new());
        let failing = Remote::new(Box::new(Arc::clone(&to)), 3);
        assert!(copy(&*from, &failing, &mut |_| {}).is_err());
        store
            .write::<_, StorageError>(|tx| tx.delete(A, &0_u32.to_be_bytes()))
            .unwrap();
        assert_eq!(copy(&*from, &*to, &mut |_| {}).unwrap().resumed, 0);
        let other = Store::with_engine(Box::new(to)).unwrap();
        assert_eq!(
            other
                .snapshot()
                .unwrap()
                .get(A, &0_u32.to_be_bytes())
                .unwrap(),
            None
        );
        assert!(other.validate().unwrap().is_sound());
    }
}
