//! A store with one namespace, for tests of behaviour.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test uses a part of it"
)]

use annals_graph::{
    Asserted, Assertion, Carried, Cursor, EntityId, Erasure, GraphError, LabelClass, Pattern,
    Scope, StatusChanged, Support, Triple, View, Yield, assert_evidence, carry, entities, erase,
    find_entities, pattern, status_changed,
};
use annals_storage::{Snapshot, Store, Transaction};
use annals_types::profile::GraphSettings;
use annals_types::{NamespaceId, Row, Timestamp};

pub const NS: NamespaceId = NamespaceId(3);

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + millis)
}

pub struct World {
    pub store: Store,
    pub settings: GraphSettings,
    pub now: Timestamp,
}

impl World {
    pub fn new() -> Self {
        Self::over(Store::in_memory())
    }

    pub fn over(store: Store) -> Self {
        Self {
            store,
            settings: GraphSettings::default(),
            now: at(0),
        }
    }

    pub fn tick(&mut self) -> Timestamp {
        self.now = self.now.plus_millis(10);
        self.now
    }

    pub fn snapshot(&self) -> Snapshot {
        self.store.snapshot().unwrap()
    }

    pub fn write<T: Send>(
        &self,
        job: impl Fn(&mut Transaction<'_>, Scope<'_>) -> Result<T, GraphError> + Send + Sync,
    ) -> Result<T, GraphError> {
        let scope = Scope {
            ns: NS,
            now: self.now,
            settings: &self.settings,
        };
        self.store
            .write(|txn| job(txn, scope))
            .map(|(done, _)| done)
    }

    pub fn says(&self, row: u32, assertions: &[Assertion]) -> Asserted {
        self.write(|txn, scope| assert_evidence(txn, scope, &[Row(row).into()], assertions))
            .unwrap()
    }

    pub fn say(&self, row: u32, subject: &str, predicate: &str, object: &str) -> Asserted {
        self.says(row, &[Assertion::new(subject, predicate, object)])
    }

    pub fn state(&self, row: u32, state: Support) -> StatusChanged {
        self.write(|txn, scope| status_changed(txn, NS, scope.now, &[Row(row)], state))
            .unwrap()
    }

    pub fn erase(&self, rows: &[u32]) -> Erasure {
        let rows: Vec<Row> = rows.iter().copied().map(Row).collect();
        self.write(|txn, _| erase(txn, NS, &rows, &())).unwrap()
    }

    pub fn update(&self, old: u32, new: u32, assertions: &[Assertion]) -> Carried {
        self.write(|txn, scope| carry(txn, scope, Row(old), Row(new), Yield::These(assertions)))
            .unwrap()
    }

    pub fn entity(&self, name: &str) -> EntityId {
        let found = find_entities(&self.snapshot(), NS, name).unwrap();
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        found[0].id
    }

    pub fn all(&self, view: View) -> Vec<Triple> {
        self.ask(Pattern::ALL, view)
    }

    /// All triples of a pattern, gathered in pages of two and compared with one large page.
    pub fn ask(&self, asked: Pattern<'_>, view: View) -> Vec<Triple> {
        let reads = self.snapshot();
        let whole = pattern(&reads, NS, asked, view, None, usize::MAX).unwrap();
        assert_eq!(whole.next, None);
        let (mut paged, mut cursor): (Vec<Triple>, Option<Cursor>) = (Vec::new(), None);
        loop {
            let page = pattern(&reads, NS, asked, view, cursor.as_ref(), 2).unwrap();
            assert!(page.triples.len() <= 2);
            paged.extend(page.triples);
            cursor = page.next.map(|next| next.to_string().parse().unwrap());
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(paged, whole.triples);
        whole.triples
    }

    /// Triples as texts, sorted.
    pub fn told(&self, view: View) -> Vec<String> {
        let reads = self.snapshot();
        let mut told: Vec<String> = self
            .all(view)
            .iter()
            .map(|triple| {
                let ends = entities(&reads, NS, &[triple.subject, triple.object]).unwrap();
                let names: Vec<&str> = ends
                    .iter()
                    .map(|end| end.as_ref().unwrap().name.as_str())
                    .collect();
                let predicate = annals_graph::label_texts(
                    &reads,
                    NS,
                    LabelClass::Predicate,
                    &[triple.predicate],
                );
                let negation = if triple.negated { "not " } else { "" };
                format!(
                    "{} {negation}{} {}",
                    names[0],
                    predicate.unwrap()[0].as_ref().unwrap(),
                    names[1]
                )
            })
            .collect();
        told.sort();
        told
    }
}
