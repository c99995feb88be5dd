//! The same graph as plain sets, without any index.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::Support;

use crate::model::spec::{End, Said};

#[derive(Debug, Clone)]
pub(crate) struct NaiveEntity {
    pub(crate) name: String,
    pub(crate) kept: bool,
    pub(crate) hollow: bool,
    pub(crate) redirect: Option<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NaiveTriple {
    pub(crate) subject: u32,
    pub(crate) predicate: String,
    pub(crate) object: u32,
    pub(crate) negated: bool,
    pub(crate) condition: Option<String>,
}

/// Ends, predicate, negation and condition.
type Says = (u32, String, u32, bool, Option<String>);

/// Ends, predicate, negation and condition after all merges, with the triples that say so.
pub(crate) type Told = (u32, String, u32, bool, Option<String>, Vec<u32>);

#[derive(Debug, Clone, Default)]
pub(crate) struct Naive {
    pub(crate) now: i64,
    pub(crate) unify: bool,
    pub(crate) keeps_history: bool,
    pub(crate) entities: BTreeMap<u32, NaiveEntity>,
    pub(crate) triples: BTreeMap<u32, NaiveTriple>,
    pub(crate) evidence: BTreeMap<(u32, u32), i64>,
    pub(crate) rows: BTreeMap<u32, Vec<(i64, Support)>>,
    pub(crate) links: BTreeSet<(u32, String, u32)>,
    pub(crate) sources: BTreeSet<(u32, u32)>,
    pub(crate) merges: BTreeMap<u32, (u32, u32, u32)>,
    next_entity: u32,
    next_triple: u32,
    next_merge: u32,
}

pub(crate) fn name(number: u8) -> String {
    format!("n{number}")
}

pub(crate) fn relation(number: u8) -> &'static str {
    ["causes", "related", "caused_by", "关于"][usize::from(number)]
}

impl Naive {
    pub(crate) fn new(unify: bool, keeps_history: bool) -> Self {
        Self {
            unify,
            keeps_history,
            ..Self::default()
        }
    }

    pub(crate) fn root(&self, mut id: u32) -> u32 {
        while let Some((into, _)) = self.entities[&id].redirect {
            id = into;
        }
        id
    }

    fn own(&self, id: u32) -> usize {
        self.triples
            .values()
            .filter(|t| t.subject == id || t.object == id)
            .count()
    }

    fn children(&self, id: u32) -> Vec<u32> {
        let into = |entity: &NaiveEntity| entity.redirect.is_some_and(|(into, _)| into == id);
        self.entities
            .iter()
            .filter(|(_, entity)| into(entity))
            .map(|(id, _)| *id)
            .collect()
    }

    fn tree(&self, id: u32) -> BTreeSet<u32> {
        let mut tree = BTreeSet::from([id]);
        for child in self.children(id) {
            tree.extend(self.tree(child));
        }
        tree
    }

    fn state(&self, row: u32) -> Option<Support> {
        self.rows
            .get(&row)
            .and_then(|states| states.last())
            .map(|(_, state)| *state)
    }

    pub(crate) fn awake(&self, row: u32) -> bool {
        self.state(row).is_some_and(Support::supports)
    }

    fn supports_at(&self, row: u32, as_of: Option<i64>) -> bool {
        match as_of {
            None => self.awake(row),
            Some(moment) => {
                let last = self.rows[&row]
                    .iter()
                    .rev()
                    .find(|(time, _)| *time <= moment);
                last.is_some_and(|(_, state)| state.supports())
            }
        }
    }

    pub(crate) fn visible(&self, triple: u32, as_of: Option<i64>) -> bool {
        let said = self
            .evidence
            .iter()
            .filter(|((other, _), _)| *other == triple);
        said.filter(|(_, born)| as_of.is_none_or(|moment| **born <= moment))
            .any(|((_, row), _)| self.supports_at(*row, as_of))
    }

    /// The triples that a view sees, in order of ends, predicate and so on.
    pub(crate) fn told(&self, as_of: Option<i64>, dormant: bool) -> Vec<Told> {
        let mut groups: BTreeMap<Says, Vec<u32>> = BTreeMap::new();
        for (id, t) in &self.triples {
            let (s, o) = (self.root(t.subject), self.root(t.object));
            if s == o && t.subject != t.object {
                continue;
            }
            groups
                .entry((s, t.predicate.clone(), o, t.negated, t.condition.clone()))
                .or_default()
                .push(*id);
        }
        let mut told = Vec::new();
        for ((s, p, o, negated, condition), ids) in groups {
            let seen: Vec<u32> = ids
                .iter()
                .copied()
                .filter(|id| self.visible(*id, as_of))
                .collect();
            let ids = if seen.is_empty() && dormant {
                ids
            } else {
                seen
            };
            if !ids.is_empty() {
                told.push((s, p, o, negated, condition, ids));
            }
        }
        told
    }

    pub(crate) fn find(&self, name: &str) -> BTreeSet<u32> {
        let holds = |entity: &NaiveEntity| !entity.hollow && entity.name == name;
        self.entities
            .iter()
            .filter(|(_, entity)| holds(entity))
            .map(|(id, _)| self.root(*id))
            .collect()
    }

    fn new_entity(&mut self, name: String) -> u32 {
        let id = self.next_entity;
        self.next_entity += 1;
        self.entities.insert(
            id,
            NaiveEntity {
                name,
                kept: false,
                hollow: false,
                redirect: None,
            },
        );
        id
    }

    pub(crate) fn keep(&mut self, name: &str) -> u32 {
        let found = if self.unify {
            self.find(name).first().copied()
        } else {
            None
        };
        let id = found.unwrap_or_else(|| self.new_entity(name.to_owned()));
        self.entities.get_mut(&id).unwrap().kept = true;
        id
    }

    pub(crate) fn introduce(&mut self, row: u32, state: Support) {
        self.rows
            .entry(row)
            .or_insert_with(|| vec![(self.now, state)]);
    }

    /// The triples said, or the entity that does not exist.
    pub(crate) fn assert(&mut self, rows: &[u32], said: &[Said]) -> Result<Vec<u32>, u32> {
        let mut ends: BTreeMap<String, u32> = BTreeMap::new();
        for end in said.iter().flat_map(|said| [&said.subject, &said.object]) {
            match end {
                End::Known(id) if !self.entities.contains_key(&u32::from(*id)) => {
                    return Err(u32::from(*id));
                }
                End::Known(_) => {}
                End::Name(number) => drop(ends.insert(name(*number), 0)),
            }
        }
        for row in rows {
            self.introduce(*row, Support::Active);
        }
        let known: Vec<(String, Option<u32>)> = ends
            .keys()
            .map(|name| {
                (
                    name.clone(),
                    if self.unify {
                        self.find(name).first().copied()
                    } else {
                        None
                    },
                )
            })
            .collect();
        for (name, found) in known {
            let id = found.unwrap_or_else(|| self.new_entity(name.clone()));
            ends.insert(name, id);
        }
        let resolve = |naive: &Self, end: &End| match end {
            End::Known(id) => naive.root(u32::from(*id)),
            End::Name(number) => ends[&name(*number)],
        };
        let mut ids = Vec::new();
        for said in said {
            let triple = NaiveTriple {
                subject: resolve(self, &said.subject),
                predicate: format!("p{}", said.predicate),
                object: resolve(self, &said.object),
                negated: said.negated,
                condition: said.condition.map(|number| format!("c{number}")),
            };
            let found = self
                .triples
                .iter()
                .find(|(_, other)| **other == triple)
                .map(|(id, _)| *id);
            ids.push(found.unwrap_or_else(|| {
                self.triples.insert(self.next_triple, triple);
                self.next_triple += 1;
                self.next_triple - 1
            }));
        }
        for row in rows {
            for id in &ids {
                self.evidence.entry((*id, *row)).or_insert(self.now);
            }
        }
        Ok(ids)
    }

    /// The rows whose state changed.
    pub(crate) fn status(&mut self, rows: &[u32], state: Support) -> Vec<u32> {
        let mut changed: Vec<u32> = rows
            .iter()
            .copied()
            .filter(|row| self.state(*row).is_some_and(|before| before != state))
            .collect();
        changed.sort_unstable();
        changed.dedup();
        for row in &changed {
            self.rows.get_mut(row).unwrap().push((self.now, state));
        }
        changed
    }

    pub(crate) fn said_by(&self, row: u32) -> BTreeSet<u32> {
        self.evidence
            .keys()
            .filter(|(_, other)| *other == row)
            .map(|(id, _)| *id)
            .collect()
    }

    /// Rows that go, those that go for want of sources, those that become stale and those that
    /// stand alone.
    pub(crate) fn closure(&self, rows: &[u32]) -> [BTreeSet<u32>; 4] {
        let asked: BTreeSet<u32> = rows.iter().copied().collect();
        let mut going = asked.clone();
        let mut alone = BTreeSet::new();
        loop {
            let touched: BTreeSet<u32> = self
                .sources
                .iter()
                .filter(|(_, source)| going.contains(source))
                .map(|(d, _)| *d)
                .collect();
            let left: Vec<u32> = touched
                .into_iter()
                .filter(|row| !going.contains(row))
                .collect();
            let orphan = |row: &u32| {
                self.sources
                    .iter()
                    .filter(|(d, _)| d == row)
                    .all(|(_, s)| going.contains(s))
            };
            let (orphans, stale): (Vec<u32>, Vec<u32>) = left.into_iter().partition(orphan);
            let (stand, fall): (Vec<u32>, Vec<u32>) =
                orphans.into_iter().partition(|row| stands_alone(*row));
            alone.extend(stand);
            if fall.is_empty() {
                let derived = going.difference(&asked).copied().collect();
                return [going, derived, stale.into_iter().collect(), alone];
            }
            going.extend(fall);
        }
    }

    pub(crate) fn erase(&mut self, going: &BTreeSet<u32>) {
        self.evidence.retain(|(_, row), _| !going.contains(row));
        self.rows.retain(|row, _| !going.contains(row));
        self.links
            .retain(|(from, _, to)| !going.contains(from) && !going.contains(to));
        self.sources
            .retain(|(derived, source)| !going.contains(derived) && !going.contains(source));
    }

    pub(crate) fn carry(&mut self, old: u32, new: u32, said: Option<&[Said]>) -> Result<(), u32> {
        let state = self.state(old).unwrap_or(Support::Active);
        if let Some(said) = said {
            let mut dry = self.clone();
            dry.introduce(new, state);
            dry.assert(&[new], said)?;
        }
        self.introduce(old, state);
        self.introduce(new, state);
        match said {
            Some(said) => drop(self.assert(&[new], said)?),
            None => {
                for id in self.said_by(old) {
                    self.evidence.entry((id, new)).or_insert(self.now);
                }
            }
        }
        let swap = |row: u32| if row == old { new } else { row };
        let touching: Vec<_> = self
            .links
            .iter()
            .filter(|(from, _, to)| *from == old || *to == old)
            .cloned()
            .collect();
        for (from, relation, to) in touching {
            if from != new && to != new {
                self.links.insert((swap(from), relation.clone(), swap(to)));
            }
            if !self.keeps_history {
                self.links.remove(&(from, relation, to));
            }
        }
        if !self.keeps_history {
            self.evidence.retain(|(_, row), _| *row != old);
        }
        self.status(&[old], Support::Superseded);
        Ok(())
    }

    pub(crate) fn merge(&mut self, source: u32, target: u32) -> Option<u32> {
        let (source, target) = (self.root(source), self.root(target));
        if source == target {
            return None;
        }
        let id = self.next_merge;
        self.next_merge += 1;
        self.entities.get_mut(&source).unwrap().redirect = Some((target, id));
        self.merges.insert(id, (source, target, self.next_triple));
        Some(id)
    }

    /// The triples said since, which stay with the survivor.
    pub(crate) fn undo(&mut self, merge: u32) -> Vec<u32> {
        let (source, target, next) = self.merges.remove(&merge).unwrap();
        let (tree, root) = (self.tree(source), self.root(target));
        let staying = self.triples.iter().filter(|(id, t)| {
            let (s, o) = (self.root(t.subject), self.root(t.object));
            let hidden = s == o && t.subject != t.object;
            **id >= next
                && !hidden
                && (s == root || o == root)
                && !tree.contains(&t.subject)
                && !tree.contains(&t.object)
        });
        let staying = staying.map(|(id, _)| *id).collect();
        self.entities.get_mut(&source).unwrap().redirect = None;
        staying
    }

    pub(crate) fn delete_entity(&mut self, id: u32) {
        let tree = self.tree(id);
        for id in &tree {
            self.entities.get_mut(id).unwrap().kept = false;
        }
        let spoken = |t: &NaiveTriple| tree.contains(&t.subject) || tree.contains(&t.object);
        let gone: BTreeSet<u32> = self
            .triples
            .iter()
            .filter(|(_, t)| spoken(t))
            .map(|(id, _)| *id)
            .collect();
        self.evidence.retain(|(id, _), _| !gone.contains(id));
    }

    /// Removes triples without evidence, and entities of which nothing speaks.
    pub(crate) fn settle(&mut self) {
        let said: BTreeSet<u32> = self.evidence.keys().map(|(id, _)| *id).collect();
        self.triples.retain(|id, _| said.contains(id));
        loop {
            let idle = |(id, entity): (&u32, &NaiveEntity)| {
                (!entity.kept && self.own(*id) == 0 && self.children(*id).is_empty()).then_some(*id)
            };
            let dead: Vec<u32> = self.entities.iter().filter_map(idle).collect();
            if dead.is_empty() {
                break;
            }
            for id in dead {
                if let Some((_, merge)) = self.entities.remove(&id).unwrap().redirect {
                    self.merges.remove(&merge);
                }
            }
        }
        for id in self.entities.keys().copied().collect::<Vec<_>>() {
            let hollow = !self.entities[&id].kept && self.own(id) == 0;
            let name = if hollow {
                self.child_name(id)
            } else {
                self.entities[&id].name.clone()
            };
            let entity = self.entities.get_mut(&id).unwrap();
            (entity.hollow, entity.name) = (hollow, name);
        }
    }

    fn child_name(&self, id: u32) -> String {
        let first = self.children(id)[0];
        let entity = &self.entities[&first];
        if !entity.kept && self.own(first) == 0 {
            self.child_name(first)
        } else {
            entity.name.clone()
        }
    }

    /// Steps from some entities, both ways, over what is visible now.
    pub(crate) fn distances(&self, seed: u32) -> BTreeMap<u32, u32> {
        let told = self.told(None, false);
        let mut distances = BTreeMap::from([(self.root(seed), 0)]);
        for step in 1.. {
            let near: Vec<u32> = distances
                .iter()
                .filter(|(_, d)| **d == step - 1)
                .map(|(id, _)| *id)
                .collect();
            if near.is_empty() {
                return distances;
            }
            for (s, _, o, ..) in &told {
                for (from, to) in [(s, o), (o, s)] {
                    if near.contains(from) && !distances.contains_key(to) {
                        distances.insert(*to, step);
                    }
                }
            }
        }
        distances
    }

    /// Steps from a memory over links and shared entities.
    pub(crate) fn memory_distances(&self, seed: u32) -> BTreeMap<u32, u32> {
        let speaks: BTreeMap<u32, BTreeSet<u32>> = self
            .rows
            .keys()
            .map(|row| {
                let ends = self.said_by(*row).into_iter().flat_map(|id| {
                    let t = &self.triples[&id];
                    [self.root(t.subject), self.root(t.object)]
                });
                (*row, ends.collect())
            })
            .collect();
        let tied = |a: u32, b: u32| {
            let linked = self
                .links
                .iter()
                .any(|(from, _, to)| (*from, *to) == (a, b) || (*from, *to) == (b, a));
            linked || self.meet(&speaks, a, b)
        };
        let mut distances = BTreeMap::from([(seed, 0)]);
        for step in 1.. {
            let near: Vec<u32> = distances
                .iter()
                .filter(|(_, d)| **d == step - 1)
                .map(|(id, _)| *id)
                .collect();
            if near.is_empty() {
                return distances;
            }
            for from in near.into_iter().filter(|row| self.awake(*row)) {
                for to in self.rows.keys().copied().filter(|row| self.awake(*row)) {
                    if !distances.contains_key(&to) && tied(from, to) {
                        distances.insert(to, step);
                    }
                }
            }
        }
        distances
    }

    /// Whether `b` says something, not hidden by a merge, of an entity that `a` speaks of.
    fn meet(&self, speaks: &BTreeMap<u32, BTreeSet<u32>>, a: u32, b: u32) -> bool {
        let Some(spoken) = speaks.get(&a) else {
            return false;
        };
        self.said_by(b).into_iter().any(|id| {
            let t = &self.triples[&id];
            let (s, o) = (self.root(t.subject), self.root(t.object));
            !(s == o && t.subject != t.object) && (spoken.contains(&s) || spoken.contains(&o))
        })
    }
}

/// Memories that a person verified, in this model.
pub(crate) fn stands_alone(row: u32) -> bool {
    row.is_multiple_of(5)
}
