use annals_records::{
    Columns, Head, Incoming, LabelClass, Moment, Order, RecordError, append_many, drop_columns,
    erase, export, find_rows, fold_columns, history, import, list, memories, namespace,
    prune_labels, session_turns, set_status, update, validate,
};
use annals_storage::Store;
use annals_types::{
    Filter, IdGenerator, MemoryId, NamespaceId, NamespaceName, NewMemory, Row, Status, Timestamp,
};

use crate::model::naive::Naive;
use crate::model::spec::{Op, named_times};

/// The namespace under test, with its columns kept up to date by deltas.
pub(crate) struct Real {
    store: Store,
    ns: NamespaceId,
    columns: Columns,
    ids: IdGenerator,
}

impl Real {
    pub(crate) fn new(store: Store) -> Self {
        let name = NamespaceName::new("model").unwrap();
        let now = Timestamp::from_millis(1_000_000);
        let create = store.write(|txn| namespace::create(txn, &name, "default", now));
        let ns = create.unwrap().0.id;
        Self {
            store,
            ns,
            columns: Columns::empty(ns),
            ids: IdGenerator::seeded(3),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_000_000)
    }

    pub(crate) fn reload(&mut self) {
        self.columns = Columns::load(&self.store.snapshot().unwrap(), self.ns).unwrap();
        assert!(!self.columns.blocks_damaged());
    }

    pub(crate) fn step(&mut self, op: &Op, naive: &mut Naive) {
        let known = naive.ids();
        let pick = |which: &u8| known.get(usize::from(*which) % known.len().max(1)).copied();
        match op {
            Op::Append(specs) => self.append(
                &specs.iter().map(|spec| spec.memory()).collect::<Vec<_>>(),
                naive,
            ),
            Op::Update {
                which,
                spec,
                new_id,
            } => {
                let Some(id) = pick(which) else { return };
                let new_id = new_id.then(|| self.ids.next(naive.now));
                self.update(id, &spec.memory(), new_id, naive);
            }
            Op::Status { which, status } => {
                let ids: Vec<MemoryId> = which.iter().filter_map(pick).collect();
                self.set_status(&ids, Status::from_byte(*status).unwrap(), naive);
            }
            Op::Erase { which } => {
                self.erase(&which.iter().filter_map(pick).collect::<Vec<_>>(), naive)
            }
            Op::Fold { rows, blocks } => {
                let (ns, rows, blocks) = (self.ns, *rows, *blocks);
                let fold = self.store.write(|txn| fold_columns(txn, ns, rows, blocks));
                assert!(fold.unwrap().0.blocks <= blocks);
            }
            Op::Reload => self.reload(),
            Op::Tick(millis) => naive.now = naive.now.plus_millis(*millis),
            Op::Prune => {
                let (ns, now, columns) = (self.ns, naive.now, self.columns.clone());
                let prune = |txn: &mut annals_storage::Transaction<'_>| {
                    prune_labels(txn, ns, now, &columns)
                };
                self.store
                    .write(prune)
                    .inspect(|(done, _)| self.columns.apply(&done.delta))
                    .unwrap();
                naive.prune();
            }
        }
    }

    fn append(&mut self, memories: &[NewMemory], naive: &mut Naive) {
        let ids: Vec<MemoryId> = memories.iter().map(|_| self.ids.next(naive.now)).collect();
        let incoming: Vec<Incoming<'_>> = ids
            .iter()
            .zip(memories)
            .map(|(id, m)| Incoming::new(*id, m))
            .collect();
        let (ns, now, columns) = (self.ns, naive.now, &mut self.columns);
        let write = self
            .store
            .write(|txn| append_many(txn, ns, now, &incoming, &named_times))
            .inspect(|(done, commit)| {
                assert_eq!(done.delta.commit(), *commit);
                columns.apply(&done.delta);
            });
        for ((id, memory), done) in ids.iter().zip(memories).zip(&write.unwrap().0.outcome) {
            let row = naive.append(*id, memory);
            assert_eq!((done.id, done.row, done.already), (*id, Row(row), false));
            assert_eq!(done.position, naive.rows[&row].place().map(|place| place.1));
        }
    }

    fn update(
        &mut self,
        id: MemoryId,
        memory: &NewMemory,
        new_id: Option<MemoryId>,
        naive: &mut Naive,
    ) {
        let (ns, now, columns) = (self.ns, naive.now, &mut self.columns);
        let write = self
            .store
            .write(|txn| update(txn, ns, now, id, memory, new_id, &named_times))
            .inspect(|(done, _)| columns.apply(&done.delta));
        match (write, naive.update(id, memory, new_id)) {
            (Ok((done, _)), Some(row)) => assert_eq!(done.outcome.row, Row(row)),
            (Err(RecordError::Superseded { id: named, .. }), None) => assert_eq!(named, id),
            (result, expected) => panic!("{result:?} where {expected:?} was expected"),
        }
    }

    fn set_status(&mut self, ids: &[MemoryId], status: Status, naive: &mut Naive) {
        let (ns, now, columns) = (self.ns, naive.now, &mut self.columns);
        let write = self
            .store
            .write(|txn| set_status(txn, ns, now, ids, status))
            .inspect(|(done, _)| columns.apply(&done.delta));
        assert_eq!(write.is_ok(), naive.set_status(ids, status), "{write:?}");
    }

    fn erase(&mut self, ids: &[MemoryId], naive: &mut Naive) {
        let (ns, now, columns) = (self.ns, naive.now, &mut self.columns);
        let write = self
            .store
            .write(|txn| erase(txn, ns, now, ids))
            .inspect(|(done, _)| columns.apply(&done.delta))
            .unwrap()
            .0;
        for done in write.outcome {
            let rows: Vec<u32> = done.rows.iter().map(|row| row.0).collect();
            assert_eq!(rows, naive.erase(done.id));
        }
    }

    pub(crate) fn compare(&self, naive: &Naive, filters: &[Filter]) {
        let snapshot = self.store.snapshot().unwrap();
        let report = validate(&snapshot, self.ns, Some(&self.columns)).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
        assert_eq!(self.columns.len(), naive.next_row);
        let rows: Vec<Row> = (0..naive.next_row).map(Row).collect();
        let expected: Vec<_> = rows
            .iter()
            .map(|r| naive.rows.contains_key(&r.0).then(|| naive.memory(r.0)))
            .collect();
        assert_eq!(
            memories(&snapshot, self.ns, &rows, Some(&self.columns)).unwrap(),
            expected
        );
        assert_eq!(memories(&snapshot, self.ns, &rows, None).unwrap(), expected);
        for id in naive.ids() {
            assert_eq!(history(&snapshot, self.ns, id).unwrap(), naive.history(id));
            assert_eq!(
                find_rows(&snapshot, self.ns, &[id]).unwrap(),
                [Some(Row(naive.current(id)))]
            );
        }
        let head = Head::read(&snapshot, self.ns).unwrap();
        for status in Status::ALL {
            let count = naive
                .rows
                .values()
                .filter(|row| row.death.is_none() && row.status() == *status)
                .count() as u32;
            assert_eq!(head.count(*status), count);
            assert_eq!(self.columns.count(Some(*status), None), count);
        }
        self.compare_sessions(naive);
        self.compare_times(naive);
        let moments = [
            None,
            Some(0),
            Some(1_000_030),
            Some(1_000_100),
            Some(naive.now.as_millis()),
        ];
        for filter in filters {
            for as_of in moments.map(|at| at.map(Timestamp::from_millis)) {
                self.compare_filter(naive, filter, as_of);
            }
        }
    }

    fn compare_sessions(&self, naive: &Naive) {
        let snapshot = self.store.snapshot().unwrap();
        for session in ["s0", "s1", "s2"] {
            let expected = naive.session(session);
            let stored = session_turns(&snapshot, self.ns, session, 0, 1000).unwrap();
            assert_eq!(
                stored.iter().map(|(_, row)| row.0).collect::<Vec<_>>(),
                expected
            );
            let Some(number) = self.columns.label_id(LabelClass::Session, session) else {
                continue;
            };
            let linked: Vec<u32> = self.columns.session_rows(number).map(|row| row.0).collect();
            assert_eq!(linked, expected);
            for (at, row) in expected.iter().enumerate() {
                let before = at.checked_sub(1).map(|at| Row(expected[at]));
                let after = expected.get(at + 1).copied().map(Row);
                assert_eq!(self.columns.neighbours(Row(*row)), (before, after));
            }
        }
    }

    fn compare_times(&self, naive: &Naive) {
        for (start, end) in [
            (1_000_000, 1_000_090),
            (1_000_040, 1_000_041),
            (0, 2_000_000),
            (5, 5),
        ] {
            let (start, end) = (Timestamp::from_millis(start), Timestamp::from_millis(end));
            let found = self.columns.latest_within(start, end, usize::MAX, |_| true);
            assert_eq!(
                found.iter().map(|row| row.0).collect::<Vec<_>>(),
                naive.within(start, end),
                "{start} to {end}"
            );
        }
    }

    fn compare_filter(&self, naive: &Naive, filter: &Filter, as_of: Option<Timestamp>) {
        let matcher = self.columns.matcher(
            filter,
            Moment {
                now: naive.now,
                as_of,
            },
        );
        let mut expected: Vec<(Timestamp, u32)> = Vec::new();
        for row in 0..naive.next_row {
            let wanted = naive.rows.contains_key(&row) && naive.matches(row, filter, as_of);
            assert_eq!(
                matcher.matches(Row(row)),
                wanted,
                "row {row}, {filter:?}, {as_of:?}"
            );
            assert_eq!(matcher.why_not(Row(row)).is_none(), wanted);
            if wanted {
                expected.push((naive.rows[&row].stored_at, row));
            }
        }
        expected.sort_unstable();
        for order in [Order::Oldest, Order::Newest] {
            let (mut found, mut after) = (Vec::new(), None);
            loop {
                let page = list(&matcher, order, after, 3);
                assert!(page.rows.len() <= 3);
                found.extend(page.rows.iter().map(|row| row.0));
                after = page.next.map(|next| next.to_string().parse().unwrap());
                if after.is_none() {
                    break;
                }
            }
            let expected = expected.iter().map(|(_, row)| *row);
            let ordered: Vec<u32> = if order == Order::Oldest {
                expected.collect()
            } else {
                expected.rev().collect()
            };
            assert_eq!(found, ordered);
        }
    }

    /// Everything goes to another namespace and comes back the same.
    pub(crate) fn compare_export(&mut self) {
        let snapshot = self.store.snapshot().unwrap();
        let (mut all, mut from) = (Vec::new(), Some(Row(0)));
        while let Some(start) = from {
            let (some, next) = export(&snapshot, self.ns, start, 3).unwrap();
            all.extend(some);
            from = next;
        }
        let name = NamespaceName::new("copy").unwrap();
        let now = Timestamp::from_millis(9_000_000);
        let create = self
            .store
            .write(|txn| namespace::create(txn, &name, "default", now));
        let copy = create.unwrap().0.id;
        let mut columns = Columns::empty(copy);
        for part in all.chunks(4) {
            let write = self
                .store
                .write(|txn| import(txn, copy, now, part, &named_times))
                .inspect(|(done, _)| columns.apply(&done.delta))
                .unwrap();
            assert!(write.0.outcome.iter().all(|done| !done.already));
        }
        let again = self
            .store
            .write(|txn| import(txn, copy, now, &all, &named_times))
            .unwrap()
            .0;
        assert!(again.outcome.iter().all(|done| done.already) && again.delta.is_empty());
        let snapshot = self.store.snapshot().unwrap();
        let (back, rest) = export(&snapshot, copy, Row(0), usize::MAX).unwrap();
        assert_eq!((&back, rest), (&all, None));
        let report = validate(&snapshot, copy, Some(&columns)).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
        let ns = self.ns;
        self.store
            .write(|txn| drop_columns(txn, ns, usize::MAX))
            .unwrap();
        self.reload();
    }
}
