//! A snapshot with changes laid over it, read as one.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use crate::{Batch, EngineSnapshot, KeyRange, Keyspace, StorageError, Visit};

/// The changes of the group being formed, over those of the group being committed, over a snapshot.
pub(crate) struct Layers {
    pub(crate) base: Arc<dyn EngineSnapshot>,
    pub(crate) below: Option<Arc<Batch>>,
    pub(crate) batch: Batch,
}

type Change<'a> = (&'a [u8], Option<&'a [u8]>);
type Walk<'a> = Peekable<Box<dyn Iterator<Item = Change<'a>> + 'a>>;

impl Layers {
    fn changed(&self, keyspace: Keyspace, key: &[u8]) -> Option<Option<&[u8]>> {
        self.batch
            .get(keyspace, key)
            .or_else(|| self.below.as_ref()?.get(keyspace, key))
    }

    pub(crate) fn multi_get(
        &self,
        keys: &[(Keyspace, &[u8])],
    ) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        let changed: Vec<_> = keys
            .iter()
            .map(|&(ks, key)| self.changed(ks, key))
            .collect();
        let missing: Vec<_> = keys
            .iter()
            .zip(&changed)
            .filter(|(_, c)| c.is_none())
            .map(|(&k, _)| k)
            .collect();
        let mut read = if missing.is_empty() {
            Vec::new()
        } else {
            self.base.multi_get(&missing)?
        }
        .into_iter();
        Ok(changed
            .into_iter()
            .map(|change| match change {
                Some(value) => value.map(<[u8]>::to_vec),
                None => read.next().flatten(),
            })
            .collect())
    }

    pub(crate) fn scan(
        &self,
        ranges: &[KeyRange],
        visit: &mut Visit<'_>,
    ) -> Result<(), StorageError> {
        let touched = |ks| {
            self.batch.changes(ks).is_some()
                || self.below.as_ref().is_some_and(|b| b.changes(ks).is_some())
        };
        if !ranges.iter().any(|r| touched(r.keyspace)) {
            return self.base.multi_range(ranges, visit);
        }
        let mut merges: Vec<Merge<'_>> =
            ranges.iter().map(|range| Merge::new(self, range)).collect();
        let mut current = 0;
        self.base.multi_range(ranges, &mut |index, key, value| {
            while current < index {
                if let Some(merge) = merges.get_mut(current) {
                    merge.rest(current, visit)?;
                }
                current += 1;
            }
            match merges.get_mut(index) {
                Some(merge) => merge.meet(index, key, value, visit),
                None => Ok(ControlFlow::Break(())),
            }
        })?;
        for (index, merge) in merges.iter_mut().enumerate().skip(current) {
            merge.rest(index, visit)?;
        }
        Ok(())
    }
}

/// The changes inside one range, in its direction, to be merged with what the engine has there.
struct Merge<'a> {
    upper: Walk<'a>,
    lower: Walk<'a>,
    reverse: bool,
    ended: bool,
}

impl<'a> Merge<'a> {
    fn new(layers: &'a Layers, range: &'a KeyRange) -> Self {
        Self {
            upper: walk(Some(&layers.batch), range),
            lower: walk(layers.below.as_deref(), range),
            reverse: range.reverse,
            ended: false,
        }
    }

    fn order(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.reverse { b.cmp(a) } else { a.cmp(b) }
    }

    /// The next change, the upper layer hiding the lower one; only up to `limit` where there is
    /// one.
    fn next(&mut self, limit: Option<&[u8]>) -> Option<Change<'a>> {
        let upper = self.upper.peek().map(|c| c.0);
        let lower = self.lower.peek().map(|c| c.0);
        let first = match (upper, lower) {
            (Some(u), Some(l)) => Some(if self.order(u, l).is_le() { u } else { l }),
            (one, other) => one.or(other),
        }?;
        if limit.is_some_and(|limit| self.order(first, limit).is_gt()) {
            return None;
        }
        let hidden = (lower == Some(first)).then(|| self.lower.next()).flatten();
        if upper == Some(first) {
            self.upper.next()
        } else {
            hidden
        }
    }

    /// The engine has `key`: the changes before it come first, and a change of it replaces it.
    fn meet(
        &mut self,
        index: usize,
        key: &[u8],
        value: &[u8],
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, StorageError> {
        let mut replaced = false;
        while let Some((changed, new)) = self.next(Some(key)) {
            replaced = changed == key;
            if let Some(new) = new
                && visit(index, changed, new)?.is_break()
            {
                self.ended = true;
                return Ok(ControlFlow::Break(()));
            }
        }
        if !replaced && visit(index, key, value)?.is_break() {
            self.ended = true;
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The engine has nothing more in this range.
    fn rest(&mut self, index: usize, visit: &mut Visit<'_>) -> Result<(), StorageError> {
        while !self.ended
            && let Some((key, new)) = self.next(None)
        {
            if let Some(new) = new {
                self.ended = visit(index, key, new)?.is_break();
            }
        }
        Ok(())
    }
}

fn walk<'a>(batch: Option<&'a Batch>, range: &'a KeyRange) -> Walk<'a> {
    let start: &[u8] = &range.start;
    let empty = range.end.as_deref().is_some_and(|end| end <= start);
    let changes = batch
        .and_then(|b| b.changes(range.keyspace))
        .filter(|_| !empty);
    let Some(changes) = changes else {
        return (Box::new(std::iter::empty()) as Box<dyn Iterator<Item = Change<'a>> + 'a>)
            .peekable();
    };
    let end = range
        .end
        .as_deref()
        .map_or(Bound::Unbounded, Bound::Excluded);
    let inside = changes
        .range::<[u8], _>((Bound::Included(start), end))
        .map(|(k, v)| (k.as_slice(), v.as_deref()));
    let inside: Box<dyn Iterator<Item = Change<'a>> + 'a> = if range.reverse {
        Box::new(inside.rev())
    } else {
        Box::new(inside)
    };
    inside.peekable()
}
