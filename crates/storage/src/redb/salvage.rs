//! Saves what can be read of a damaged file into a new one.

use std::path::Path;
use std::sync::Arc;

use redb::StorageBackend;

use super::btree::{HEADER, Header};
use super::entry::{self, ALIGNMENT, Named};
use super::failure::Context;
use super::file::{self, Backing, OpenFile};
use super::head::{self, LOG_START, PAGES_START};
use super::lock::{self, LockedFile};
use super::open;
use super::pages::Gauge;
use super::survey::{Found, Survey, mend};
use crate::format::{self, FORMAT_KEY, META};
use crate::{Batch, FORMAT, Keyspace, Lost, Options, Salvage, StorageError, seal};
use annals_types::{Clock as _, Commit, SystemClock};

/// Bytes that are put into the new file at once.
const PORTION: usize = 4 << 20;

/// The longest entry of the log in which a single flipped bit is looked for.
const LONGEST_MENDED: usize = 16 << 10;

/// The commit of a file that does not know it any more: above any that it can have had.
const UNKNOWN_COMMIT: Commit = Commit(1 << 48);

/// Saves whatever can be read of the file `source` into the new file `target`, and tells what
/// cannot. `source` is only read, and nobody may write it meanwhile.
///
/// Pages that still lead to others are followed, single values are known by their seals, and a
/// single bit that flipped in a page or in an entry of the log is put right. So values are saved as
/// they were or not at all; whether they still fit together is for the layers above to see.
///
/// # Errors
/// When `source` is in use, or is no database at all; when `target` exists or cannot be written.
/// What could not be saved is in the answer and no error.
pub fn salvage(source: &Path, target: &Path, options: &Options) -> Result<Salvage, StorageError> {
    let context = Context::new("read", source);
    let locked = LockedFile::open(source, &options.clone().read_only(true).foreign(true))?;
    let disk = open::file_disk(locked.descriptor().map_err(|e| context.io(e))?, context)?;
    if !head::resembles(&*disk).map_err(|e| context.io(e))? {
        return Err(context.not_a_database("it has neither a head nor pages of one"));
    }
    let writing = Context::new("write", target);
    let fresh = LockedFile::create_new(target).map_err(|e| writing.io(e))?;
    let saved = open::file_disk(fresh.try_clone().map_err(|e| writing.io(e))?, writing)
        .and_then(|into| fill(&*disk, into, options.cache_bytes, writing))
        .and_then(|saved| fresh.sync_all().map(|()| saved).map_err(|e| writing.io(e)));
    match saved {
        Ok(saved) => {
            lock::sync_folder(target);
            Ok(saved)
        }
        Err(error) => {
            if let Err(left) = lock::remove_if_there(target) {
                tracing::warn!(path = %target.display(), error = %left, "could not remove the unfinished file");
            }
            Err(error)
        }
    }
}

fn fill(
    from: &dyn StorageBackend,
    into: Arc<dyn StorageBackend>,
    cache_bytes: usize,
    context: Context<'_>,
) -> Result<Salvage, StorageError> {
    let fresh = open::build(
        Arc::clone(&into),
        Backing::Disk,
        (&Gauge::default(), cache_bytes),
        context,
    )?;
    // Where the pages are is the same in every file of this program.
    let mut header = vec![0; HEADER];
    into.read(PAGES_START, &mut header)
        .map_err(|e| context.io(e))?;
    let usual = Header::read(&header).map(|header| header.geometry);
    let mut saved = Salvage::default();
    let mut generation = None;
    let mut portion = Portion {
        file: &fresh,
        context,
        batch: Batch::default(),
        bytes: 0,
    };
    let mut visit = |found: Found<'_>| {
        match found {
            Found::Value {
                keyspace,
                key,
                value,
            } => {
                saved.values += 1;
                portion.put(keyspace, key.to_vec(), Some(value.to_vec()))?;
            }
            Found::Generation(found) => generation = Some(found),
            Found::Mended => saved.mended += 1,
            Found::Lost(lost) => saved.lose(lost),
        }
        Ok(())
    };
    Survey::of(from, &mut visit).mending().walk(usual)?;
    for (keyspace, changes) in read_log(from, generation, &mut saved, context)? {
        for (key, value) in changes {
            portion.put(&keyspace, key, value)?;
        }
        portion.write()?;
    }
    portion.write()?;
    complete(&fresh, &mut saved, context)?;
    fresh.close();
    Ok(saved)
}

/// Values on their way into the new file.
struct Portion<'a> {
    file: &'a OpenFile,
    context: Context<'a>,
    batch: Batch,
    bytes: usize,
}

impl Portion<'_> {
    fn put(
        &mut self,
        keyspace: &str,
        key: Vec<u8>,
        value: Option<Vec<u8>>,
    ) -> Result<(), StorageError> {
        self.bytes += key.len() + value.as_ref().map_or(0, Vec::len);
        self.batch.set(Keyspace::interned(keyspace), key, value);
        if self.bytes >= PORTION {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> Result<(), StorageError> {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        let transaction = self.file.begin_write(self.context)?;
        for (keyspace, changes) in batch.keyspaces() {
            file::change(&transaction, keyspace.name(), changes, self.context)?;
        }
        self.file.settle(transaction, self.context)
    }
}

/// The records without which a file is none.
fn complete(
    file: &OpenFile,
    saved: &mut Salvage,
    context: Context<'_>,
) -> Result<(), StorageError> {
    let mut batch = Batch::default();
    // A file that was never written to has no commit.
    let commit = if saved.values > 0 {
        format::commit_record(UNKNOWN_COMMIT)
    } else {
        None
    };
    let records = [
        (
            FORMAT_KEY,
            Some(
                format::FormatRecord {
                    format: FORMAT,
                    created: SystemClock.now(),
                    migrations: Vec::new(),
                }
                .seal(),
            ),
        ),
        (format::COMMIT, commit),
    ];
    let transaction = file.begin_write(context)?;
    {
        let open = transaction
            .open_table(super::table(META.name()))
            .map_err(|e| context.any(e))?;
        for (key, record) in records {
            let found = redb::ReadableTable::get(&open, key).map_err(|e| context.any(e))?;
            if let (None, Some(record)) = (found, record) {
                batch.put(META, key.to_vec(), record);
            }
        }
    }
    for (keyspace, changes) in batch.keyspaces() {
        file::change(&transaction, keyspace.name(), changes, context)?;
    }
    file.settle(transaction, context)
}

/// The changes that the log holds, in their order.
fn read_log(
    disk: &dyn StorageBackend,
    generation: Option<u64>,
    saved: &mut Salvage,
    context: Context<'_>,
) -> Result<Vec<Named>, StorageError> {
    let there = disk
        .len()
        .map_err(|e| context.io(e))?
        .min(PAGES_START)
        .saturating_sub(LOG_START);
    let mut log = vec![0; usize::try_from(there).unwrap_or(0)];
    if let Err(error) = disk.read(LOG_START, &mut log) {
        saved.lose(Lost::of_log(format!("the log cannot be read: {error}")));
        return Ok(Vec::new());
    }
    // A file that was never settled, or whose pages no longer say, has the generation that the log
    // begins with.
    let begins = || log.first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    let Some(generation) =
        generation.or_else(|| begins().filter(|found| entry::find(&log, *found).is_some()))
    else {
        return Ok(Vec::new());
    };
    let mut changes = Vec::new();
    let (mut at, mut number) = (0, 0);
    while let Some(rest) = log.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((found, body)) =
            entry::find(rest, generation).filter(|(found, _)| *found == number)
        {
            take_entry(body, &mut changes, saved);
            (at, number) = (
                at + (entry::HEADER + body.len()).next_multiple_of(ALIGNMENT),
                found + 1,
            );
            continue;
        }
        let next = (at..log.len()).step_by(ALIGNMENT).find_map(|place| {
            let (found, _) = entry::find(log.get(place..)?, generation)?;
            (found > number).then_some((place, found))
        });
        let end = next.map_or(log.len(), |(place, _)| place);
        let mut damaged = log
            .get(at..end.min(at + LONGEST_MENDED))
            .unwrap_or_default()
            .to_vec();
        let of_this =
            |bytes: &[u8]| entry::find(bytes, generation).is_some_and(|(found, _)| found == number);
        if entry::resembles(&damaged, generation, number)
            && mend(&mut damaged, of_this).is_some()
            && let Some((_, body)) = entry::find(&damaged, generation)
        {
            take_entry(body, &mut changes, saved);
            saved.mended += 1;
            (at, number) = (
                at + (entry::HEADER + body.len()).next_multiple_of(ALIGNMENT),
                number + 1,
            );
            continue;
        }
        // The last entry may be one that a crash cut off: then nobody was told that it is kept.
        let Some((place, found)) = next else { break };
        saved.lose(Lost::of_log(format!(
            "{} commits of the log are damaged",
            found - number
        )));
        changes.extend(
            entry::decode_part(log.get(at + entry::HEADER..end).unwrap_or_default())
                .into_iter()
                .map(sealed),
        );
        (at, number) = (place, found);
    }
    Ok(changes)
}

/// Takes the changes of an entry that is whole. One that cannot be read all the same is told.
fn take_entry(body: &[u8], changes: &mut Vec<Named>, saved: &mut Salvage) {
    match entry::decode(body) {
        Some(found) => changes.extend(found),
        None => saved.lose(Lost::of_log(
            "a commit of the log cannot be read".to_owned(),
        )),
    }
}

/// Of the changes of a damaged entry the values that are whole. A key that is removed has nothing
/// that proves it.
fn sealed((keyspace, changes): Named) -> Named {
    let name = Keyspace::interned(&keyspace);
    let is_whole = |key: &Vec<u8>, value: &Option<Vec<u8>>| {
        value
            .as_deref()
            .is_some_and(|value| seal::open(name, key, value).is_ok())
    };
    (
        keyspace,
        changes
            .into_iter()
            .filter(|(key, value)| is_whole(key, value))
            .collect(),
    )
}

impl Lost {
    fn of_log(reason: String) -> Self {
        Self {
            keyspace: String::new(),
            after: Vec::new(),
            up_to: None,
            reason,
        }
    }
}
