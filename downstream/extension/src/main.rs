//! Keeps how far each document was read, in a table of its own that follows the memories.

use std::sync::Arc;

use annals::blocking::Memory;
use annals::extension::{AnyTable, Deletion, Extension, Reads, Revised, Table, WriteCx};
use annals::{Error, ImportOptions, MemoryId, Mode, NamespaceId, Options};

/// How many characters of a document were read.
const READ: Table<(NamespaceId, MemoryId), u64> = Table::new("reading.positions");

struct Reading;

impl Extension for Reading {
    fn name(&self) -> &str {
        "reading"
    }

    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[&READ]
    }

    /// A shorter text was read to its end at most.
    fn revised(&self, cx: &mut WriteCx<'_, '_>, revised: &Revised<'_>) -> Result<(), Error> {
        let Some(read) = READ.get(cx.txn, (cx.ns, revised.before.id))? else { return Ok(()) };
        READ.delete(cx.txn, (cx.ns, revised.before.id))?;
        let length = revised.body.text.chars().count() as u64;
        Ok(READ.put(cx.txn, (cx.ns, revised.id), &read.min(length))?)
    }

    fn erased(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        for id in deletion.ids() {
            READ.delete(cx.txn, (cx.ns, id))?;
        }
        Ok(())
    }

    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let rows = READ.rows(reads, READ.within(ns), usize::MAX)?;
        Ok(rows.iter().map(|((_, id), read)| format!("{read} characters of {id} were read")).collect())
    }

    fn export(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        sink: &mut dyn FnMut(serde_json::Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let rows = READ.rows(reads, READ.within(ns), usize::MAX)?;
        rows.into_iter().try_for_each(|((_, id), read)| sink(serde_json::json!({ "id": id, "read": read })))
    }

    fn import(&self, cx: &mut WriteCx<'_, '_>, row: &serde_json::Value) -> Result<bool, Error> {
        let id = row["id"].as_str().and_then(|id| id.parse().ok());
        let (Some(id), Some(read)) = (id, row["read"].as_u64()) else { return Ok(false) };
        READ.put(cx.txn, (cx.ns, id), &read)?;
        Ok(true)
    }
}

fn read(memory: &Memory, id: MemoryId) -> Result<Option<u64>, Error> {
    Ok(memory.namespace("user")?.admin().tables().read(|reads, ns| Ok(READ.get(reads, (ns, id))?))?.flatten())
}

fn main() -> Result<(), Error> {
    let open = || Options::new().extension(Arc::new(Reading)).in_memory();
    let memory = open()?;
    let user = memory.namespace("user")?;
    let (letter, note) = (user.remember("A long letter from Berlin.")?, user.remember("A note.")?);
    for id in [letter, note] {
        user.admin().tables().write(|cx| Ok(READ.put(cx.txn, (cx.ns, id), &20)?))?;
    }
    user.update(letter, "A short letter.")?;
    assert_eq!(read(&memory, letter)?, Some(15), "a revision shortens it");
    user.delete(note, Mode::Commit)?;
    assert_eq!(read(&memory, note)?, None, "a deletion takes it along");
    memory.rename_namespace("user", "reader")?;
    memory.rename_namespace("reader", "user")?;
    assert_eq!(memory.validate()?.problems.len(), 1, "validation asks it");

    let mut lines = Vec::new();
    user.transfer().export(&mut lines, &mut |_| ())?;
    let other = open()?;
    other.namespace("user")?.transfer().import(&mut lines.as_slice(), &ImportOptions::default(), &mut |_| ())?;
    assert_eq!(read(&other, letter)?, Some(15), "it travels");

    memory.delete_namespace("user", Mode::Commit)?;
    assert_eq!(read(&memory, letter)?, None, "it goes with its namespace");
    Ok(())
}
