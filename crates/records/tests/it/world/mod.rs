//! A store with one namespace and its columns, for tests of behaviour.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test uses a part of it"
)]

use annals_records::{Columns, RecordError, Written, append, erase, namespace, set_status, update};
use annals_storage::{Snapshot, Store, Transaction};
use annals_types::{
    IdGenerator, MemoryId, NamespaceId, NamespaceName, NewMemory, NewTurn, Row, Status, Timestamp,
};

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + millis)
}

pub struct World {
    pub store: Store,
    pub ns: NamespaceId,
    pub columns: Columns,
    pub ids: IdGenerator,
    pub now: Timestamp,
}

pub fn space(store: &Store, name: &str) -> NamespaceId {
    let name = NamespaceName::new(name).unwrap();
    store
        .write(|txn| namespace::create(txn, &name, "default", at(0)))
        .unwrap()
        .0
        .id
}

impl World {
    pub fn new() -> Self {
        Self::over(Store::in_memory())
    }

    pub fn over(store: Store) -> Self {
        let ns = space(&store, "user:42");
        Self {
            columns: Columns::empty(ns),
            ns,
            store,
            ids: IdGenerator::seeded(5),
            now: at(0),
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        self.store.snapshot().unwrap()
    }

    pub fn write<T: Send>(
        &mut self,
        mut job: impl FnMut(
            &mut Transaction<'_>,
            NamespaceId,
            Timestamp,
        ) -> Result<Written<T>, RecordError>
        + Send,
    ) -> Result<T, RecordError> {
        let (ns, now, columns) = (self.ns, self.now, &mut self.columns);
        let write = self
            .store
            .write(|txn| job(txn, ns, now))
            .inspect(|(done, _)| columns.apply(&done.delta));
        write.map(|(done, _)| done.outcome)
    }

    pub fn add(&mut self, memory: impl Into<NewMemory>) -> (MemoryId, Row) {
        let (id, memory) = (self.ids.next(self.now), memory.into());
        let done = self
            .write(|txn, ns, now| append(txn, ns, now, id, &memory))
            .unwrap();
        (id, done.row)
    }

    pub fn text(&mut self, text: &str) -> (MemoryId, Row) {
        self.add(NewMemory::try_from(text).unwrap())
    }

    pub fn turn(&mut self, session: &str, text: &str) -> (MemoryId, Row) {
        self.add(
            NewTurn::builder(session, text)
                .speaker("Ada")
                .build()
                .unwrap(),
        )
    }

    pub fn update(
        &mut self,
        id: MemoryId,
        text: &str,
        new_id: Option<MemoryId>,
    ) -> Result<Row, RecordError> {
        let memory = NewMemory::try_from(text).unwrap();
        self.write(|txn, ns, now| update(txn, ns, now, id, &memory, new_id, &|_, _| Vec::new()))
            .map(|done| done.row)
    }

    pub fn status(&mut self, id: MemoryId, status: Status) -> Result<(), RecordError> {
        self.write(|txn, ns, now| set_status(txn, ns, now, &[id], status))
            .map(drop)
    }

    pub fn erase(&mut self, ids: &[MemoryId]) -> Result<Vec<annals_records::Erased>, RecordError> {
        self.write(|txn, ns, now| erase(txn, ns, now, ids))
    }

    pub fn check(&self) {
        let report =
            annals_records::validate(&self.snapshot(), self.ns, Some(&self.columns)).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
    }
}
