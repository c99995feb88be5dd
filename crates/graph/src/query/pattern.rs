//! Triples by any of their three positions.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads, prefix_end};
use annals_types::NamespaceId;

use crate::label::{LabelClass, label_numbers};
use crate::query::fan::{self, Group};
use crate::query::{Cursor, Triple, View};
use crate::record::Flags;
use crate::tables::{ARCS, EDGES, Edge, HEADS, Side};
use crate::{EntityId, GraphError, LabelId, survivors};

/// A pattern of triples: each position given must be as given.
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
    pub const ALL: Pattern<'static> = Pattern {
        subject: None,
        predicate: None,
        object: None,
        negated: None,
    };

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
    /// The triples: by predicate, other end, qualifier where an end was given, else by predicate
    /// and age.
    pub triples: Vec<Triple>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Cursor>,
}

/// Where the triples of a pattern are.
enum Plan {
    Edges(KeyRange),
    Arcs(KeyRange),
    Between(EntityId, EntityId),
}

/// At most `limit` triples that fit a pattern, from a cursor on. Without a view of the past two or
/// three rounds of reads.
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
    let Some(plan) = plan(reads, ns, pattern)? else {
        return Ok(page);
    };
    let mut next = cursor.cloned();
    while page.triples.len() < limit {
        let want = limit - page.triples.len();
        let (groups, end) = match &plan {
            Plan::Edges(range) => edges(reads, ns, range, next.as_ref(), want)?,
            Plan::Arcs(range) => arcs(reads, ns, range, next.as_ref(), want)?,
            Plan::Between(subject, object) => {
                between(reads, ns, (*subject, *object), next.as_ref(), want)?
            }
        };
        let seen = fan::seen(reads, ns, &view, &groups)?;
        let fits = |triple: &Triple| {
            pattern
                .negated
                .is_none_or(|negated| triple.negated == negated)
        };
        page.triples.extend(seen.into_iter().flatten().filter(fits));
        match end {
            Some(cursor) => next = Some(cursor),
            None => return Ok(page),
        }
    }
    page.next = next;
    Ok(page)
}

fn plan(
    reads: &dyn Reads,
    ns: NamespaceId,
    pattern: Pattern<'_>,
) -> Result<Option<Plan>, GraphError> {
    let asked: Vec<EntityId> = pattern.subject.into_iter().chain(pattern.object).collect();
    let mut roots = survivors(reads, ns, &asked)?.into_iter();
    let mut root = |id: Option<EntityId>| match id {
        Some(entity) => roots
            .next()
            .flatten()
            .ok_or(GraphError::NoEntity { entity })
            .map(Some),
        None => Ok(None),
    };
    let (subject, object) = (root(pattern.subject)?, root(pattern.object)?);
    let predicate = match pattern.predicate {
        Some(text) => match label_numbers(reads, ns, LabelClass::Predicate, &[text])?
            .pop()
            .flatten()
        {
            Some(number) => Some(number),
            None => return Ok(None),
        },
        None => None,
    };
    let toward = |entity: EntityId, side: Side| match predicate {
        Some(predicate) => EDGES.within((ns, entity, side, predicate)).into(),
        None => EDGES.within((ns, entity, side)).into(),
    };
    Ok(Some(match (subject, predicate, object) {
        (Some(s), Some(p), Some(o)) => Plan::Edges(EDGES.within((ns, s, Side::Out, p, o)).into()),
        (Some(s), None, Some(o)) => Plan::Between(s, o),
        (Some(s), _, None) => Plan::Edges(toward(s, Side::Out)),
        (None, _, Some(o)) => Plan::Edges(toward(o, Side::In)),
        (None, Some(p), None) => Plan::Arcs(ARCS.within((ns, p)).into()),
        (None, None, None) => Plan::Arcs(ARCS.within(ns).into()),
    }))
}

/// The keys of a range behind a cursor. The range is that of a prefix, with which it begins.
fn behind(whole: &KeyRange, cursor: Option<&Cursor>) -> Result<Option<KeyRange>, GraphError> {
    let Some(Cursor(last)) = cursor else {
        return Ok(Some(whole.clone()));
    };
    if !last.starts_with(&whole.start) {
        return Err(GraphError::BadCursor);
    }
    Ok(prefix_end(last).map(|start| KeyRange {
        start,
        ..whole.clone()
    }))
}

/// The bytes that all keys of a group begin with.
fn group_start(ns: NamespaceId, edge: &Edge) -> Vec<u8> {
    KeyRange::from(EDGES.within(edge.group(ns))).start
}

type GroupPage = (Vec<Group>, Option<Cursor>);

fn edges(
    reads: &dyn Reads,
    ns: NamespaceId,
    whole: &KeyRange,
    cursor: Option<&Cursor>,
    want: usize,
) -> Result<GroupPage, GraphError> {
    let Some(range) = behind(whole, cursor)? else {
        return Ok((Vec::new(), None));
    };
    let (found, left_out) = fan::groups(reads, &[range], want, usize::MAX)?;
    let groups: Vec<Group> = found.into_iter().map(|(_, group)| group).collect();
    let next = groups
        .last()
        .filter(|_| left_out)
        .map(|group| Cursor(group_start(ns, &group.edge)));
    Ok((groups, next))
}

/// Triples by predicate. Where entities were merged each group is read again by its ends, so that
/// it is told once.
fn arcs(
    reads: &dyn Reads,
    ns: NamespaceId,
    whole: &KeyRange,
    cursor: Option<&Cursor>,
    want: usize,
) -> Result<GroupPage, GraphError> {
    let Some(range) = behind(whole, cursor)? else {
        return Ok((Vec::new(), None));
    };
    let mut found: Vec<Group> = Vec::new();
    let (mut last, mut left_out) = (None, false);
    ARCS.scan_many(reads, &[range], |_, key, arc| {
        if found.len() == want {
            left_out = true;
            return Ok(ControlFlow::Break(()));
        }
        last = Some(Cursor(ARCS.key(key).to_vec()));
        let (_, predicate, triple) = key;
        if !arc.flags.has(Flags::SHADOW) {
            let (entity, other, qualifier) = (arc.subject, arc.object, arc.qualifier);
            let edge = Edge {
                entity,
                side: Side::Out,
                predicate,
                other,
                qualifier,
                triple,
            };
            found.push(Group {
                edge,
                triples: vec![(triple, arc.flags.has(Flags::VISIBLE))],
            });
        }
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    let head = HEADS.get(reads, ns)?.unwrap_or_default();
    if head.merges > 0 {
        found = first_of_groups(reads, ns, found)?;
    }
    Ok((found, last.filter(|_| left_out)))
}

/// The whole groups of those triples that are the oldest of theirs.
fn first_of_groups(
    reads: &dyn Reads,
    ns: NamespaceId,
    found: Vec<Group>,
) -> Result<Vec<Group>, GraphError> {
    let ranges: Vec<KeyRange> = found
        .iter()
        .map(|group| EDGES.within(group.edge.group(ns)).into())
        .collect();
    let (whole, _) = fan::groups(reads, &ranges, usize::MAX, usize::MAX)?;
    let first = |(range, group): (usize, Group)| {
        let triple = found.get(range)?.edge.triple;
        (group.edge.triple == triple).then_some(group)
    };
    Ok(whole.into_iter().filter_map(first).collect())
}

/// Triples between two entities, by any predicate: both ends' predicates are walked side by side,
/// each jumping to where the other is.
fn between(
    reads: &dyn Reads,
    ns: NamespaceId,
    (subject, object): (EntityId, EntityId),
    cursor: Option<&Cursor>,
    want: usize,
) -> Result<GroupPage, GraphError> {
    let mut groups = Vec::new();
    let mut at = LabelId(0);
    let mut resumed = cursor;
    if let Some(Cursor(last)) = cursor {
        // A cursor ends before the triple.
        let whole = [last, [0; 4].as_slice()].concat();
        let edge = EDGES
            .parse(&whole)
            .filter(|key| (key.0, key.1, key.4) == (ns, subject, object));
        at = edge
            .filter(|key| key.2 == Side::Out)
            .ok_or(GraphError::BadCursor)?
            .3;
    }
    loop {
        let Some(predicate) = common(reads, ns, (subject, object), at)? else {
            return Ok((groups, None));
        };
        let whole = KeyRange::from(EDGES.within((ns, subject, Side::Out, predicate, object)));
        let within = resumed.filter(|Cursor(last)| last.starts_with(&whole.start));
        let (found, next) = edges(reads, ns, &whole, within, want)?;
        groups.extend(found);
        if next.is_some() {
            return Ok((groups, next));
        }
        resumed = None;
        let Some(next) = predicate.0.checked_add(1) else {
            return Ok((groups, None));
        };
        at = LabelId(next);
        if groups.len() >= want {
            // Everything with this predicate was told; the page after begins behind all of it.
            return Ok((groups, Some(Cursor(prefix_last(&whole.start)))));
        }
    }
}

/// A key behind all groups of a prefix of (entity, direction, predicate, other end).
fn prefix_last(prefix: &[u8]) -> Vec<u8> {
    prefix.iter().copied().chain([u8::MAX; 4]).collect()
}

/// The first predicate from `at` on that both ends have.
fn common(
    reads: &dyn Reads,
    ns: NamespaceId,
    (subject, object): (EntityId, EntityId),
    mut at: LabelId,
) -> Result<Option<LabelId>, GraphError> {
    loop {
        let mut first = [None, None];
        let from = |entity: EntityId, side: Side| {
            KeyRange::from(
                EDGES
                    .within((ns, entity, side))
                    .from((ns, entity, side, at)),
            )
        };
        let ranges = [from(subject, Side::Out), from(object, Side::In)];
        EDGES.scan_many(reads, &ranges, |range, key, _| {
            if let Some(first) = first.get_mut(range) {
                *first = Some(Edge::of(key).predicate);
            }
            Ok::<_, GraphError>(ControlFlow::Break(()))
        })?;
        match first {
            [Some(one), Some(other)] if one == other => return Ok(Some(one)),
            [Some(one), Some(other)] => at = one.max(other),
            _ => return Ok(None),
        }
    }
}
