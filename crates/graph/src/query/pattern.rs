//! Triples by any of their three positions.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, prefix_end};
use annals_types::NamespaceId;

use crate::key::{self, Edge, IN, Key, OUT, Parts};
use crate::keyspaces::{HEADS, NODES, PREDICATES};
use crate::label::{LabelClass, label_numbers};
use crate::query::fan::{self, Group};
use crate::query::{Cursor, Triple, View};
use crate::record::{Arc, Flags, Head};
use crate::{EntityId, GraphError, LabelId, TripleId, survivors, value};

/// What is asked for: each position given must be as given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct Pattern<'a> {
    /// The subject.
    pub subject: Option<EntityId>,
    /// The predicate.
    pub predicate: Option<&'a str>,
    /// The object.
    pub object: Option<EntityId>,
    /// Whether it is negated.
    pub negated: Option<bool>,
}

impl<'a> Pattern<'a> {
    /// Every triple.
    pub const ALL: Pattern<'static> = Pattern { subject: None, predicate: None, object: None, negated: None };

    /// With this subject.
    pub const fn subject(mut self, subject: EntityId) -> Self {
        self.subject = Some(subject);
        self
    }

    /// With this predicate.
    pub const fn predicate(mut self, predicate: &'a str) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// With this object.
    pub const fn object(mut self, object: EntityId) -> Self {
        self.object = Some(object);
        self
    }
}

/// Some of the triples that a pattern asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The triples: by predicate, other end, qualifier where an end was given, else by predicate and age.
    pub triples: Vec<Triple>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Cursor>,
}

/// Where the triples of a pattern are.
enum Plan {
    Edges(Vec<u8>),
    Arcs(Vec<u8>),
    Between(EntityId, EntityId),
}

/// At most `limit` triples that fit a pattern, from a cursor on. Without a view of the past two or three rounds of reads.
///
/// # Errors
/// [`GraphError::NoEntity`]; [`GraphError::BadCursor`] for a cursor of another pattern.
pub fn pattern(
    reads: &dyn Reads,
    ns: NamespaceId,
    pattern: Pattern<'_>,
    view: View,
    cursor: Option<&Cursor>,
    limit: usize,
) -> Result<Page, GraphError> {
    let mut page = Page::default();
    let Some(plan) = plan(reads, ns, pattern)? else { return Ok(page) };
    let mut next = cursor.cloned();
    while page.triples.len() < limit {
        let want = limit - page.triples.len();
        let (groups, end) = match &plan {
            Plan::Edges(prefix) => edges(reads, prefix, next.as_ref(), want)?,
            Plan::Arcs(prefix) => arcs(reads, ns, prefix, next.as_ref(), want)?,
            Plan::Between(subject, object) => between(reads, ns, (*subject, *object), next.as_ref(), want)?,
        };
        let seen = fan::seen(reads, ns, &view, &groups)?;
        let fits = |triple: &Triple| pattern.negated.is_none_or(|negated| triple.negated == negated);
        page.triples.extend(seen.into_iter().flatten().filter(fits));
        match end {
            Some(cursor) => next = Some(cursor),
            None => return Ok(page),
        }
    }
    page.next = next;
    Ok(page)
}

fn plan(reads: &dyn Reads, ns: NamespaceId, pattern: Pattern<'_>) -> Result<Option<Plan>, GraphError> {
    let asked: Vec<EntityId> = pattern.subject.into_iter().chain(pattern.object).collect();
    let mut roots = survivors(reads, ns, &asked)?.into_iter();
    let mut root = |id: Option<EntityId>| match id {
        Some(entity) => roots.next().flatten().ok_or(GraphError::NoEntity { entity }).map(Some),
        None => Ok(None),
    };
    let (subject, object) = (root(pattern.subject)?, root(pattern.object)?);
    let predicate = match pattern.predicate {
        Some(text) => match label_numbers(reads, ns, LabelClass::Predicate, &[text])?.pop().flatten() {
            Some(number) => Some(number),
            None => return Ok(None),
        },
        None => None,
    };
    let toward = |key: Key, predicate: Option<LabelId>| match predicate {
        Some(predicate) => key.number(predicate.0),
        None => key,
    };
    Ok(Some(match (subject, predicate, object) {
        (Some(s), Some(p), Some(o)) => Plan::Edges(key::edges(ns, s, OUT).number(p.0).number(o.0).bytes()),
        (Some(s), None, Some(o)) => Plan::Between(s, o),
        (Some(s), p, None) => Plan::Edges(toward(key::edges(ns, s, OUT), p).bytes()),
        (None, p, Some(o)) => Plan::Edges(toward(key::edges(ns, o, IN), p).bytes()),
        (None, p, None) => Plan::Arcs(toward(Key::new(ns), p).bytes()),
    }))
}

/// The keys of a prefix behind a cursor.
fn range(keyspace: Keyspace, prefix: &[u8], cursor: Option<&Cursor>) -> Result<Option<KeyRange>, GraphError> {
    let whole = KeyRange::prefix(keyspace, prefix);
    let Some(Cursor(last)) = cursor else { return Ok(Some(whole)) };
    if !last.starts_with(prefix) {
        return Err(GraphError::BadCursor);
    }
    Ok(prefix_end(last).map(|start| KeyRange { start, ..whole }))
}

type Found = (Vec<Group>, Option<Cursor>);

fn edges(reads: &dyn Reads, prefix: &[u8], cursor: Option<&Cursor>, want: usize) -> Result<Found, GraphError> {
    let Some(range) = range(NODES, prefix, cursor)? else { return Ok((Vec::new(), None)) };
    let (found, left_out) = fan::groups(reads, &[range], want, usize::MAX)?;
    let groups: Vec<Group> = found.into_iter().map(|(_, group)| group).collect();
    let next = groups.last().filter(|_| left_out).map(|group| Cursor(group_key(prefix, &group.edge)));
    Ok((groups, next))
}

/// The key of a group, in the namespace of `prefix`.
fn group_key(prefix: &[u8], edge: &Edge) -> Vec<u8> {
    let ns = prefix.first_chunk::<4>().map_or(NamespaceId(0), |bytes| NamespaceId(u32::from_be_bytes(*bytes)));
    edge.group(ns).bytes()
}

/// Triples by predicate. Where entities were merged each group is read again by its ends, so that it is told once.
fn arcs(
    reads: &dyn Reads,
    ns: NamespaceId,
    prefix: &[u8],
    cursor: Option<&Cursor>,
    want: usize,
) -> Result<Found, GraphError> {
    let Some(range) = range(PREDICATES, prefix, cursor)? else { return Ok((Vec::new(), None)) };
    let mut found: Vec<Group> = Vec::new();
    let (mut last, mut left_out) = (None, false);
    value::scan(reads, &[range], &mut |_, key, version, body| {
        if found.len() == want {
            left_out = true;
            return Ok(ControlFlow::Break(()));
        }
        last = Some(Cursor(key.to_vec()));
        let arc: Arc = value::decode(PREDICATES, key, version, body)?;
        let mut parts = Parts::behind_namespace(key);
        let (Some(predicate), Some(triple)) = (parts.number(), parts.number()) else {
            return Err(GraphError::damaged(PREDICATES, key, "the key is short"));
        };
        if !arc.flags.has(Flags::SHADOW) {
            let (predicate, triple) = (LabelId(predicate), TripleId(triple));
            let (entity, other, qualifier) = (arc.subject, arc.object, arc.qualifier);
            let edge = Edge { entity, tag: OUT, predicate, other, qualifier, triple };
            found.push(Group { edge, triples: vec![(triple, arc.flags.has(Flags::VISIBLE))] });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let head: Head = value::get(reads, HEADS, &ns.prefix())?.unwrap_or_default();
    if head.merges > 0 {
        found = first_of_groups(reads, ns, found)?;
    }
    Ok((found, last.filter(|_| left_out)))
}

/// The whole groups of those triples that are the oldest of theirs.
fn first_of_groups(reads: &dyn Reads, ns: NamespaceId, found: Vec<Group>) -> Result<Vec<Group>, GraphError> {
    let ranges: Vec<KeyRange> = found.iter().map(|group| group.edge.group(ns).range(NODES)).collect();
    let (whole, _) = fan::groups(reads, &ranges, usize::MAX, usize::MAX)?;
    let first = |(range, group): (usize, Group)| {
        let triple = found.get(range)?.edge.triple;
        (group.edge.triple == triple).then_some(group)
    };
    Ok(whole.into_iter().filter_map(first).collect())
}

/// Triples between two entities, by any predicate: both ends' predicates are walked side by side, each jumping to where the other is.
fn between(
    reads: &dyn Reads,
    ns: NamespaceId,
    (subject, object): (EntityId, EntityId),
    cursor: Option<&Cursor>,
    want: usize,
) -> Result<Found, GraphError> {
    let (out, back) = (key::edges(ns, subject, OUT), key::edges(ns, object, IN));
    let mut groups = Vec::new();
    let mut at = 0;
    let mut behind = cursor;
    if let Some(Cursor(last)) = cursor {
        let mut parts = Parts::behind_namespace(last);
        let place = (parts.number(), parts.byte(), parts.number(), parts.number());
        let (Some(entity), Some(OUT), Some(predicate), Some(other)) = place else { return Err(GraphError::BadCursor) };
        if !last.starts_with(&ns.prefix()) || (entity, other) != (subject.0, object.0) {
            return Err(GraphError::BadCursor);
        }
        at = predicate;
    }
    loop {
        let Some(predicate) = common(reads, &out, &back, at)? else { return Ok((groups, None)) };
        let prefix = out.clone().number(predicate).number(object.0).bytes();
        let (found, next) = edges(reads, &prefix, behind.filter(|Cursor(last)| last.starts_with(&prefix)), want)?;
        groups.extend(found);
        if next.is_some() {
            return Ok((groups, next));
        }
        behind = None;
        let Some(next) = predicate.checked_add(1) else { return Ok((groups, None)) };
        at = next;
        if groups.len() >= want {
            // Everything with this predicate was told; the page after begins behind all of it.
            return Ok((groups, Some(Cursor(prefix_last(&prefix)))));
        }
    }
}

/// A key behind all groups of a prefix of (entity, direction, predicate, other end).
fn prefix_last(prefix: &[u8]) -> Vec<u8> {
    prefix.iter().copied().chain([u8::MAX; 4]).collect()
}

/// The first predicate from `at` on that both ends have.
fn common(reads: &dyn Reads, out: &Key, back: &Key, mut at: u32) -> Result<Option<u32>, GraphError> {
    loop {
        let mut first = [None, None];
        let ranges: Vec<KeyRange> = [out, back]
            .into_iter()
            .map(|side| KeyRange { start: side.clone().number(at).bytes(), ..side.clone().range(NODES) })
            .collect();
        value::scan(reads, &ranges, &mut |range, key, _, _| {
            let edge = Edge::parse(key).ok_or_else(|| GraphError::damaged(NODES, key, "this is no edge"))?;
            if let Some(first) = first.get_mut(range) {
                *first = Some(edge.predicate.0);
            }
            Ok(ControlFlow::Break(()))
        })?;
        match first {
            [Some(one), Some(other)] if one == other => return Ok(Some(one)),
            [Some(one), Some(other)] => at = one.max(other),
            _ => return Ok(None),
        }
    }
}
