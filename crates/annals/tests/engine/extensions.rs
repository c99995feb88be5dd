//! Extensions are told of every change, whichever way it came.

use std::sync::{Arc, Mutex};

use annals::blocking::Memory;
use annals::extension::{
    AnyTable, Deletion, Extension, Mark, Revised, StatusSet, Stored, Table, WriteCx,
};
use annals::graph::{Assertion, EntityId};
use annals::{
    Clock, Error, ImportOptions, ManualClock, MemoryId, Mode, NamespaceId, NewMemory, Options,
};

const SEEN: Table<(NamespaceId, MemoryId), Mark> = Table::new("test.seen");
const TAKEN: Table<(NamespaceId, MemoryId), Mark> = Table::new("annals.stale");

/// Notes what it is told.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Diary {
    fn note(&self, line: String) -> Result<(), Error> {
        self.0.lock().unwrap().push(line);
        Ok(())
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Extension for Diary {
    fn name(&self) -> &str {
        "diary"
    }

    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[&SEEN]
    }

    fn appended(&self, cx: &mut WriteCx<'_, '_>, stored: &[Stored<'_>]) -> Result<(), Error> {
        for one in stored {
            SEEN.put(cx.txn, (cx.ns, one.id), &())?;
            self.note(format!(
                "stored {} {:?} {}",
                one.body.text, one.status, one.imported
            ))?;
        }
        Ok(())
    }

    fn revised(&self, _cx: &mut WriteCx<'_, '_>, revised: &Revised<'_>) -> Result<(), Error> {
        self.note(format!(
            "revised {} to {}",
            revised.before.body.text, revised.body.text
        ))
    }

    fn status_changed(
        &self,
        _cx: &mut WriteCx<'_, '_>,
        changed: &[StatusSet],
    ) -> Result<(), Error> {
        changed
            .iter()
            .try_for_each(|set| self.note(format!("{:?} to {:?}", set.from, set.to)))
    }

    fn erased(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        for id in deletion.ids() {
            SEEN.delete(cx.txn, (cx.ns, id))?;
            self.note("erased".to_owned())?;
        }
        Ok(())
    }

    fn entities_gone(&self, _cx: &mut WriteCx<'_, '_>, gone: &[EntityId]) -> Result<(), Error> {
        self.note(format!("{} entities gone", gone.len()))
    }
}

fn open(diary: &Arc<Diary>) -> Memory {
    Options::new()
        .extension(Arc::clone(diary) as Arc<dyn Extension>)
        .in_memory()
        .unwrap()
}

#[test]
fn every_way_of_a_change_is_told() {
    let diary = Arc::new(Diary::default());
    let memory = open(&diary);
    let user = memory.namespace("u").unwrap();
    let id = user.remember("likes tea").unwrap();
    assert_eq!(diary.take(), ["stored likes tea Active false"]);
    user.update(id, "likes coffee").unwrap();
    assert_eq!(diary.take(), ["revised likes tea to likes coffee"]);
    user.forget(id).unwrap();
    user.restore(id).unwrap();
    assert_eq!(diary.take(), ["Active to Forgotten", "Forgotten to Active"]);
    let said = Assertion::new("Ada", "likes", "coffee");
    user.graph().add_triples(id, &[said]).unwrap();
    assert_eq!(diary.take(), [""; 0]);
    let ada = user.graph().entities("Ada").unwrap()[0].id;
    user.graph().delete_entity(ada).unwrap();
    assert_eq!(diary.take(), ["2 entities gone"]);

    let mut lines = Vec::new();
    user.transfer().export(&mut lines, &mut |_| ()).unwrap();
    let other = Arc::new(Diary::default());
    let brought = open(&other);
    let input = &mut lines.as_slice();
    brought
        .namespace("u")
        .unwrap()
        .transfer()
        .import(input, &ImportOptions::default(), &mut |_| ())
        .unwrap();
    assert_eq!(other.take(), ["stored likes coffee Active true"]);

    user.delete(id, Mode::Commit).unwrap();
    assert_eq!(diary.take(), ["erased"]);
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn a_rule_that_hides_memories_is_told() {
    let (diary, clock) = (
        Arc::new(Diary::default()),
        Arc::new(ManualClock::new(annals::Timestamp::from_millis(0))),
    );
    let options = Options::new().clock(Arc::clone(&clock) as Arc<dyn Clock>);
    let memory = options
        .extension(Arc::clone(&diary) as Arc<dyn Extension>)
        .in_memory()
        .unwrap();
    let user = memory.create_namespace("u", "markdown").unwrap();
    user.remember(
        NewMemory::builder("a passing thought")
            .importance(0.1)
            .build()
            .unwrap(),
    )
    .unwrap();
    diary.take();
    clock.advance_millis(400 * 86_400_000);
    memory.maintain(true, Mode::Commit).unwrap();
    let told = diary.take();
    assert!(
        told.iter()
            .any(|line| line.starts_with("Active to ") || line == "erased"),
        "{told:?}"
    );
}

/// Wants a keyspace of annals.
struct Greedy;

impl Extension for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[&TAKEN]
    }
}

#[test]
fn a_keyspace_has_one_owner() {
    let error = Options::new()
        .extension(Arc::new(Greedy))
        .in_memory()
        .unwrap_err();
    assert!(
        error.is_invalid() && error.to_string().contains("annals.stale"),
        "{error}"
    );
    let two = Options::new()
        .extension(Arc::new(Diary::default()))
        .extension(Arc::new(Diary::default()));
    assert!(
        two.in_memory()
            .unwrap_err()
            .to_string()
            .contains("two extensions are named")
    );
}
