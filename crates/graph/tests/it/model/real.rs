use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{
    Assertion, EntityEdit, EntityId, Family, GraphError, LabelClass, Link, MemoryWalk, MergeId,
    NewEntity, NewLink, Pattern, Provenance, Scope, Support, Term, Triple, TripleId, View, Walk,
    Yield, add_entity, assert_evidence, carry, delete_entity, delete_triples, derive, edit_entity,
    erase, expand, expand_memories, find_entities, label_numbers, label_texts, link, links, merge,
    paths, pattern, plan_erase, plan_status, prune_labels, relation, status_changed, undo_merge,
    unlink, validate,
};
use annals_storage::{Reads, Snapshot, Store, Transaction};
use annals_types::profile::{GraphSettings, Unify};
use annals_types::{NamespaceId, Row, Timestamp};

use crate::model::naive::{self, Naive, Told, stands_alone};
use crate::model::spec::{End, Op, Said};

const NS: NamespaceId = NamespaceId(5);

/// Facts that the facade would know.
struct Verified;

impl Provenance for Verified {
    fn stand_alone(&self, _reads: &dyn Reads, rows: &[Row]) -> Result<Vec<bool>, GraphError> {
        Ok(rows.iter().map(|row| stands_alone(row.0)).collect())
    }

    fn families(&self, reads: &dyn Reads, rows: &[Row]) -> Result<Vec<Family>, GraphError> {
        ().families(reads, rows)
    }
}

pub(crate) struct Real {
    store: Option<Store>,
    open: Box<dyn Fn() -> Option<Store>>,
    settings: GraphSettings,
}

fn rows(rows: &[u8]) -> (Vec<u32>, Vec<Row>) {
    (
        rows.iter().map(|row| u32::from(*row)).collect(),
        rows.iter().map(|row| Row(u32::from(*row))).collect(),
    )
}

fn numbers(rows: &[Row]) -> BTreeSet<u32> {
    rows.iter().map(|row| row.0).collect()
}

fn ids(triples: &[TripleId]) -> BTreeSet<u32> {
    triples.iter().map(|id| id.0).collect()
}

fn assertion(said: &Said) -> Assertion {
    let term = |end: &End| match end {
        End::Name(number) => Term::from(naive::name(*number)),
        End::Known(id) => Term::Entity(EntityId(u32::from(*id))),
    };
    let mut made = Assertion::new(
        term(&said.subject),
        format!("p{}", said.predicate),
        term(&said.object),
    );
    if said.negated {
        made = made.negated();
    }
    match said.condition {
        Some(number) => made.condition(format!("c{number}")),
        None => made,
    }
}

/// An entity that is there, if any is.
fn picked(naive: &Naive, which: u8) -> Option<u32> {
    let known: Vec<u32> = naive.entities.keys().copied().collect();
    known.get(usize::from(which) % known.len().max(1)).copied()
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

impl Real {
    pub(crate) fn new(naive: &Naive, open: Box<dyn Fn() -> Option<Store>>) -> Self {
        let unify = if naive.unify {
            Unify::Insert
        } else {
            Unify::Never
        };
        let settings = GraphSettings {
            unify,
            update_keeps_history: naive.keeps_history,
            ..GraphSettings::default()
        };
        Self {
            store: Some(open().unwrap_or_else(Store::in_memory)),
            open,
            settings,
        }
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    fn write<T: Send>(
        &self,
        naive: &Naive,
        job: impl Fn(&mut Transaction<'_>, Scope<'_>) -> Result<T, GraphError> + Send + Sync,
    ) -> Result<T, GraphError> {
        let scope = Scope {
            ns: NS,
            now: at(naive.now),
            settings: &self.settings,
        };
        self.store()
            .write(|txn| job(txn, scope))
            .map(|(done, _)| done)
    }

    pub(crate) fn step(&mut self, op: &Op, naive: &mut Naive) {
        match op {
            Op::Assert { rows, said } => self.assert(rows, said, naive),
            Op::Status { rows, state } => self.status(rows, *state, naive),
            Op::Erase { rows } => self.erase(rows, naive),
            Op::Carry { old, new, said } => {
                self.carry(u32::from(*old), u32::from(*new), said.as_deref(), naive)
            }
            Op::DeleteTriple { which } => self.delete_triple(u32::from(*which) % 12, naive),
            Op::Link { from, relation, to } => {
                self.link(u32::from(*from), *relation, u32::from(*to), naive)
            }
            Op::Unlink { which } => self.unlink(usize::from(*which), naive),
            Op::Derive { derived, sources } => self.derive(u32::from(*derived), sources, naive),
            Op::Merge { source, target } => self.merge(*source, *target, naive),
            Op::Undo { which } => self.undo(usize::from(*which), naive),
            Op::Keep { name } => {
                let name = naive::name(*name);
                let made = self.write(naive, |txn, scope| {
                    add_entity(txn, scope, &NewEntity::new(name.as_str()))
                });
                assert_eq!(made.unwrap().0, naive.keep(&name));
            }
            Op::DeleteEntity { which } => {
                let Some(id) = picked(naive, *which) else {
                    return;
                };
                self.write(naive, |txn, _| delete_entity(txn, NS, EntityId(id)))
                    .unwrap();
                naive.delete_entity(id);
            }
            Op::Rename { which, name } => {
                let Some(id) = picked(naive, *which) else {
                    return;
                };
                let name = naive::name(*name);
                let edit = EntityEdit {
                    name: Some(name.clone()),
                    ..EntityEdit::default()
                };
                self.write(naive, |txn, scope| {
                    edit_entity(txn, scope, EntityId(id), &edit)
                })
                .unwrap();
                naive.entities.get_mut(&id).unwrap().name = name;
            }
            Op::Prune => drop(self.write(naive, |txn, _| prune_labels(txn, NS)).unwrap()),
            Op::Tick => naive.now += 10,
            Op::Reopen => {
                let old = self.store.take();
                let store = {
                    let keep = old.clone();
                    drop(old);
                    drop(keep);
                    (self.open)()
                };
                // A store in memory has nowhere to come back from.
                assert!(store.is_some());
                self.store = store;
            }
        }
        naive.settle();
    }

    fn assert(&mut self, rows_said: &[u8], said: &[Said], naive: &mut Naive) {
        let (plain, rows) = rows(rows_said);
        let made: Vec<Assertion> = said.iter().map(assertion).collect();
        let supporters: Vec<_> = rows.into_iter().map(Into::into).collect();
        let done = self.write(naive, |txn, scope| {
            assert_evidence(txn, scope, &supporters, &made)
        });
        match (done, naive.assert(&plain, said)) {
            (Ok(done), Ok(expected)) => {
                assert_eq!(
                    done.triples.iter().map(|id| id.0).collect::<Vec<_>>(),
                    expected
                );
            }
            (Err(GraphError::NoEntity { entity }), Err(_)) => {
                assert!(!naive.entities.contains_key(&entity.0), "{entity}");
            }
            (done, expected) => panic!("{done:?} where {expected:?} was expected"),
        }
    }

    fn status(&mut self, which: &[u8], state: Support, naive: &mut Naive) {
        let (plain, rows) = rows(which);
        let before: Vec<u32> = naive
            .triples
            .keys()
            .copied()
            .filter(|id| naive.visible(*id, None))
            .collect();
        let awake: Vec<_> = naive
            .links
            .iter()
            .filter(|(a, _, b)| naive.awake(*a) && naive.awake(*b))
            .cloned()
            .collect();
        let planned = plan_status(&self.snapshot(), NS, at(naive.now), &rows, state).unwrap();
        let done = self
            .write(naive, |txn, scope| {
                status_changed(txn, NS, scope.now, &rows, state)
            })
            .unwrap();
        assert_eq!(planned, done);
        assert_eq!(
            done.rows.iter().map(|row| row.0).collect::<Vec<_>>(),
            naive.status(&plain, state)
        );
        let after: Vec<u32> = naive
            .triples
            .keys()
            .copied()
            .filter(|id| naive.visible(*id, None))
            .collect();
        let gone = |a: &[u32], b: &[u32]| {
            a.iter()
                .copied()
                .filter(|id| !b.contains(id))
                .collect::<BTreeSet<u32>>()
        };
        assert_eq!(
            (ids(&done.effects.slept), ids(&done.effects.woken)),
            (gone(&before, &after), gone(&after, &before))
        );
        let still: Vec<_> = naive
            .links
            .iter()
            .filter(|(a, _, b)| naive.awake(*a) && naive.awake(*b))
            .cloned()
            .collect();
        assert_eq!(
            done.links_slept.len(),
            awake.iter().filter(|link| !still.contains(link)).count()
        );
        assert_eq!(
            done.links_woken.len(),
            still.iter().filter(|link| !awake.contains(link)).count()
        );
    }

    fn erase(&mut self, which: &[u8], naive: &mut Naive) {
        let (plain, rows) = rows(which);
        let planned = plan_erase(&self.snapshot(), NS, &rows, &Verified)
            .unwrap()
            .erasure;
        let done = self
            .write(naive, |txn, _| erase(txn, NS, &rows, &Verified))
            .unwrap();
        assert_eq!(planned, done);
        let [going, derived, stale, alone] = naive.closure(&plain);
        let before = naive.clone();
        naive.erase(&going);
        naive.settle();
        assert_eq!(numbers(&done.rows), going);
        assert_eq!(numbers(&done.derived), derived);
        assert_eq!(numbers(&done.stale), stale);
        assert_eq!(numbers(&done.detached), alone);
        assert_eq!(done.links.len(), before.links.len() - naive.links.len());
        assert_eq!(
            done.evidence.len(),
            before.evidence.len() - naive.evidence.len()
        );
        let lost = |id: &u32| !naive.triples.contains_key(id);
        assert_eq!(
            ids(&done.effects.gone),
            before.triples.keys().copied().filter(lost).collect()
        );
        let slept = naive
            .triples
            .keys()
            .copied()
            .filter(|id| before.visible(*id, None) && !naive.visible(*id, None));
        assert_eq!(ids(&done.effects.slept), slept.collect());
        let entities = before
            .entities
            .keys()
            .copied()
            .filter(|id| !naive.entities.contains_key(id));
        let gone: BTreeSet<u32> = done.effects.gone_entities.iter().map(|id| id.0).collect();
        assert_eq!(gone, entities.collect());
    }

    fn carry(&mut self, old: u32, new: u32, said: Option<&[Said]>, naive: &mut Naive) {
        let made: Option<Vec<Assertion>> = said.map(|said| said.iter().map(assertion).collect());
        let done = self.write(naive, |txn, scope| {
            let yields = made.as_ref().map_or(Yield::Same, |made| Yield::These(made));
            carry(txn, scope, Row(old), Row(new), yields)
        });
        if old == new {
            assert!(matches!(done, Err(GraphError::SelfTie { row }) if row == Row(old)));
            return;
        }
        let derived: BTreeSet<u32> = naive
            .sources
            .iter()
            .filter(|(_, s)| *s == old)
            .map(|(d, _)| *d)
            .collect();
        match (done, naive.carry(old, new, said)) {
            (Ok(done), Ok(())) => assert_eq!(numbers(&done.stale), derived),
            (Err(GraphError::NoEntity { .. }), Err(_)) => {}
            (done, expected) => panic!("{done:?} where {expected:?} was expected"),
        }
    }

    fn delete_triple(&mut self, id: u32, naive: &mut Naive) {
        let done = self.write(naive, |txn, _| delete_triples(txn, NS, &[TripleId(id)]));
        match done {
            Ok(done) => {
                assert_eq!(ids(&done.gone), BTreeSet::from([id]));
                naive.evidence.retain(|(other, _), _| *other != id);
            }
            Err(GraphError::NoTriple { triple }) => {
                assert_eq!((triple.0, naive.triples.contains_key(&id)), (id, false));
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn link(&mut self, from: u32, name: u8, to: u32, naive: &mut Naive) {
        let new = NewLink::new(Row(from), naive::relation(name), Row(to));
        match self.write(naive, |txn, scope| link(txn, scope, &new)) {
            Ok(done) => {
                assert_eq!(
                    done.relation,
                    relation(&self.settings, naive::relation(name)).unwrap()
                );
                let new = (done.link.from.0, done.relation.name.clone(), done.link.to.0);
                let expected = if naive::relation(name) == "caused_by" {
                    (to, from)
                } else {
                    (from, to)
                };
                assert_eq!((new.0, new.2), expected);
                assert_eq!(done.existed, !naive.links.insert(new));
            }
            Err(GraphError::NoRow { row }) => assert!(!naive.rows.contains_key(&row.0)),
            Err(GraphError::SelfTie { .. }) => assert_eq!(from, to),
            Err(error) => panic!("{error}"),
        }
    }

    fn unlink(&mut self, which: usize, naive: &mut Naive) {
        let Some(old) = naive
            .links
            .iter()
            .nth(which % naive.links.len().max(1))
            .cloned()
        else {
            return;
        };
        let number = label_numbers(&self.snapshot(), NS, LabelClass::Relation, &[&old.1]).unwrap()
            [0]
        .unwrap();
        let link = Link {
            from: Row(old.0),
            relation: number,
            to: Row(old.2),
        };
        assert!(self.write(naive, |txn, _| unlink(txn, NS, link)).unwrap());
        assert!(!self.write(naive, |txn, _| unlink(txn, NS, link)).unwrap());
        naive.links.remove(&old);
    }

    fn derive(&mut self, derived: u32, sources: &[u8], naive: &mut Naive) {
        let (plain, rows) = rows(sources);
        match self.write(naive, |txn, _| derive(txn, NS, Row(derived), &rows)) {
            Ok(()) => naive
                .sources
                .extend(plain.into_iter().map(|source| (derived, source))),
            Err(GraphError::NoRow { row }) => assert!(!naive.rows.contains_key(&row.0)),
            Err(GraphError::SelfTie { .. }) => assert!(plain.contains(&derived)),
            Err(error) => panic!("{error}"),
        }
    }

    fn merge(&mut self, source: u8, target: u8, naive: &mut Naive) {
        let (Some(source), Some(target)) = (picked(naive, source), picked(naive, target)) else {
            return;
        };
        let done = self.write(naive, |txn, scope| {
            merge(
                txn,
                scope,
                EntityId(source),
                EntityId(target),
                Some(0.9),
                "test",
            )
        });
        match (done, naive.merge(source, target)) {
            (Ok(done), Some(id)) => assert_eq!(done.id, MergeId(id)),
            (Err(GraphError::SameEntity { .. }), None) => {}
            (done, expected) => panic!("{done:?} where {expected:?} was expected"),
        }
    }

    fn undo(&mut self, which: usize, naive: &mut Naive) {
        let known: Vec<u32> = naive.merges.keys().copied().collect();
        let Some(id) = known.get(which % known.len().max(1)).copied() else {
            let refused = self.write(naive, |txn, _| undo_merge(txn, NS, MergeId(77)));
            assert!(matches!(
                refused,
                Err(GraphError::NoMerge { merge: MergeId(77) })
            ));
            return;
        };
        let done = self
            .write(naive, |txn, _| undo_merge(txn, NS, MergeId(id)))
            .unwrap();
        assert_eq!(ids(&done.staying), naive.undo(id).into_iter().collect());
    }

    fn snapshot(&self) -> Snapshot {
        self.store().snapshot().unwrap()
    }

    fn told(&self, reads: &Snapshot, triples: Vec<Triple>) -> Vec<Told> {
        let text = |class, label| {
            label_texts(reads, NS, class, &[label])
                .unwrap()
                .remove(0)
                .unwrap()
        };
        let mut told: Vec<Told> = triples
            .into_iter()
            .map(|triple| {
                let mut ids: Vec<u32> = std::iter::once(triple.id)
                    .chain(triple.same)
                    .map(|id| id.0)
                    .collect();
                assert!(ids.is_sorted());
                ids.dedup();
                let condition = triple
                    .condition
                    .map(|label| text(LabelClass::Condition, label));
                let predicate = text(LabelClass::Predicate, triple.predicate);
                (
                    triple.subject.0,
                    predicate,
                    triple.object.0,
                    triple.negated,
                    condition,
                    ids,
                )
            })
            .collect();
        told.sort();
        told
    }

    /// Everything that can be asked is as the model says.
    pub(crate) fn compare(&self, naive: &Naive) {
        let reads = self.snapshot();
        let report = validate(&reads, NS).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
        let moments = [
            None,
            Some(naive.now),
            Some(naive.now - 15),
            Some(naive.now - 40),
        ];
        for as_of in moments {
            for dormant in [false, true] {
                let view = View {
                    as_of: as_of.map(at),
                    dormant,
                    ..View::NOW
                };
                let expected = naive.told(as_of, dormant);
                self.patterns(&reads, view, &expected, naive);
            }
        }
        for number in 0..7 {
            let found = find_entities(&reads, NS, &naive::name(number)).unwrap();
            let found: BTreeSet<u32> = found.iter().map(|entity| entity.id.0).collect();
            assert_eq!(found, naive.find(&naive::name(number)));
        }
        self.links(&reads, naive);
        self.walks(&reads, naive);
    }

    /// Each of the eight patterns, over what is there.
    fn patterns(&self, reads: &Snapshot, view: View, expected: &[Told], naive: &Naive) {
        let ask = |asked: Pattern<'_>| {
            let whole = pattern(reads, NS, asked, view, None, usize::MAX)
                .unwrap()
                .triples;
            let (mut paged, mut cursor) = (Vec::new(), None);
            loop {
                let page = pattern(reads, NS, asked, view, cursor.as_ref(), 2).unwrap();
                paged.extend(page.triples);
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(paged, whole);
            self.told(reads, whole)
        };
        assert_eq!(ask(Pattern::ALL), expected);
        let some = expected.iter().step_by(expected.len() / 3 + 1);
        for (s, p, o, ..) in some {
            let (subject, object) = (EntityId(*s), EntityId(*o));
            let fit = |keep: &dyn Fn(&Told) -> bool| {
                expected
                    .iter()
                    .filter(|t| keep(t))
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(ask(Pattern::ALL.subject(subject)), fit(&|t| t.0 == *s));
            assert_eq!(ask(Pattern::ALL.predicate(p)), fit(&|t| t.1 == *p));
            assert_eq!(ask(Pattern::ALL.object(object)), fit(&|t| t.2 == *o));
            assert_eq!(
                ask(Pattern::ALL.subject(subject).predicate(p)),
                fit(&|t| t.0 == *s && t.1 == *p)
            );
            assert_eq!(
                ask(Pattern::ALL.predicate(p).object(object)),
                fit(&|t| t.1 == *p && t.2 == *o)
            );
            assert_eq!(
                ask(Pattern::ALL.subject(subject).object(object)),
                fit(&|t| t.0 == *s && t.2 == *o)
            );
            let all = Pattern::ALL.subject(subject).predicate(p).object(object);
            assert_eq!(ask(all), fit(&|t| t.0 == *s && t.1 == *p && t.2 == *o));
            let negated = Pattern {
                negated: Some(true),
                ..Pattern::ALL
            };
            assert_eq!(ask(negated), fit(&|t| t.3));
        }
        // An entity that was merged asks for what it became.
        if let Some(id) = naive.entities.keys().find(|id| naive.root(**id) != **id) {
            let root = naive.root(*id);
            let fit: Vec<Told> = expected.iter().filter(|t| t.0 == root).cloned().collect();
            assert_eq!(ask(Pattern::ALL.subject(EntityId(*id))), fit);
        }
    }

    fn links(&self, reads: &Snapshot, naive: &Naive) {
        let mut found = BTreeMap::new();
        for row in naive.rows.keys() {
            for view in links(reads, NS, Row(*row)).unwrap() {
                let (from, to) = (view.link.from.0, view.link.to.0);
                assert_eq!(view.visible, naive.awake(from) && naive.awake(to));
                *found.entry((from, view.relation, to)).or_insert(0) += 1;
            }
        }
        assert!(found.values().all(|ends| *ends == 2));
        assert_eq!(found.into_keys().collect::<BTreeSet<_>>(), naive.links);
    }

    fn walks(&self, reads: &Snapshot, naive: &Naive) {
        if let Some(seed) = naive.entities.keys().next() {
            let expected = naive.distances(*seed);
            let found = expand(reads, NS, &[EntityId(*seed)], Walk::depth(20)).unwrap();
            assert_eq!(found.cut, None);
            let mut reached: BTreeMap<u32, u32> = found
                .reached
                .iter()
                .map(|reached| (reached.entity.0, reached.distance))
                .collect();
            assert_eq!(reached.len(), found.reached.len());
            reached.insert(naive.root(*seed), 0);
            assert_eq!(reached, expected);
            for id in naive.entities.keys() {
                let ways = paths(
                    reads,
                    NS,
                    &[EntityId(*seed)],
                    &[EntityId(*id)],
                    Walk::depth(20),
                    50,
                )
                .unwrap()
                .paths;
                let lengths: BTreeSet<usize> = ways.iter().map(|path| path.steps.len()).collect();
                let length = expected
                    .get(&naive.root(*id))
                    .map(|length| *length as usize);
                assert_eq!(lengths, length.into_iter().collect(), "from {seed} to {id}");
                for path in &ways {
                    assert!(path.steps.windows(2).all(|pair| pair[0].to == pair[1].from));
                }
            }
        }
        if let Some(seed) = naive.rows.keys().next() {
            let found = expand_memories(
                reads,
                NS,
                &[Row(*seed)],
                MemoryWalk::new(20, &self.settings),
            )
            .unwrap();
            let mut reached: BTreeMap<u32, u32> = found
                .reached
                .iter()
                .map(|node| (node.row.0, node.distance))
                .collect();
            reached.insert(*seed, 0);
            assert_eq!(reached, naive.memory_distances(*seed));
        }
    }
}
