//! The directory of namespaces.

use std::collections::HashMap;
use std::ops::ControlFlow;

use annals_storage::table::{self, MultiGet, Value};
use annals_storage::{AnyTable, Reads, Transaction};
use annals_types::{NamespaceId, NamespaceName, Timestamp};
use serde::{Deserialize, Serialize};

use crate::tables::{DOOMED, HEADS, LAST_SPACE, NAMES, SPACES};
use crate::wire::{Broken, Put, Take};
use crate::{Head, RecordError};

/// The facts about a namespace that are known without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Namespace {
    /// Its number, never reused.
    pub id: NamespaceId,
    /// Its name.
    pub name: NamespaceName,
    /// When it was created.
    pub created_at: Timestamp,
    /// The name of its profile.
    pub profile: String,
    /// How often it got another profile, or its profile another text: what was read under another
    /// number is out of date.
    pub profile_version: u32,
    /// The language of its prompts and headings, where it is another than that of its profile.
    pub language: Option<String>,
    /// Whether it has been deleted and only its bytes are still there.
    pub doomed: bool,
}

impl Value for Namespace {
    type View<'a> = Self;

    const VERSION: u8 = 3;

    fn encode(view: &Self, put: &mut Put) {
        put.varint(u64::from(view.id.0));
        put.zigzag(view.created_at.as_millis());
        put.byte(u8::from(view.doomed));
        put.text(view.name.as_str());
        put.text(&view.profile);
        put.varint(u64::from(view.profile_version));
        put.text(view.language.as_deref().unwrap_or_default());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let record = Self {
            id: NamespaceId(take.varint32()?),
            created_at: Timestamp::from_millis(take.zigzag()?),
            doomed: match take.byte()? {
                0 => false,
                1 => true,
                _ => return Err(Broken("the state of a namespace is unknown")),
            },
            name: NamespaceName::new(take.text()?)
                .map_err(|_| Broken("the name of a namespace is not allowed"))?,
            profile: take.text()?.to_owned(),
            profile_version: take.varint32()?,
            language: Some(take.text()?.to_owned()).filter(|language| !language.is_empty()),
        };
        take.end()?;
        Ok(record)
    }
}

/// Creates a namespace under a free name.
///
/// # Errors
/// [`RecordError::NamespaceExists`]; [`RecordError::Full`] after 4 thousand million namespaces.
pub fn create(
    txn: &mut Transaction<'_>,
    name: &NamespaceName,
    profile: &str,
    now: Timestamp,
) -> Result<Namespace, RecordError> {
    let mut asked = MultiGet::default();
    let (known, last) = (asked.add(&NAMES, name.as_str()), asked.add(&LAST_SPACE, ()));
    let found = asked.read(txn)?;
    if found.get(&known)?.is_some() {
        return Err(RecordError::NamespaceExists { name: name.clone() });
    }
    let last = found.get(&last)?.unwrap_or(NamespaceId(0));
    let full = RecordError::Full {
        namespace: last,
        what: "namespace numbers",
    };
    // The largest number leads the marks of deleted namespaces.
    let id = NamespaceId(
        last.0
            .checked_add(1)
            .filter(|id| *id < u32::MAX)
            .ok_or(full)?,
    );
    let (name, profile) = (name.clone(), profile.to_owned());
    let record = Namespace {
        id,
        name,
        created_at: now,
        profile,
        profile_version: 0,
        language: None,
        doomed: false,
    };
    LAST_SPACE.put(txn, (), &id)?;
    SPACES.put(txn, id, &record)?;
    NAMES.put(txn, record.name.as_str(), &id)?;
    Ok(record)
}

/// The namespace of a name; `None` when there is none.
///
/// # Errors
/// When it cannot be read.
pub fn find(reads: &dyn Reads, name: &NamespaceName) -> Result<Option<Namespace>, RecordError> {
    match NAMES.get(reads, name.as_str())? {
        Some(id) => by_number(reads, id),
        None => Ok(None),
    }
}

/// The namespace of a number, doomed ones included; `None` when there is none (any more).
///
/// # Errors
/// When it cannot be read.
pub fn by_number(reads: &dyn Reads, id: NamespaceId) -> Result<Option<Namespace>, RecordError> {
    let possible = (1..u32::MAX).contains(&id.0);
    if possible {
        Ok(SPACES.get(reads, id)?)
    } else {
        Ok(None)
    }
}

/// The namespace of a number, one that was not deleted.
///
/// # Errors
/// [`RecordError::NamespaceGone`].
pub fn there(reads: &dyn Reads, id: NamespaceId) -> Result<Namespace, RecordError> {
    by_number(reads, id)?
        .filter(|found| !found.doomed)
        .ok_or(RecordError::NamespaceGone { namespace: id })
}

fn existing(reads: &dyn Reads, name: &NamespaceName) -> Result<Namespace, RecordError> {
    find(reads, name)?.ok_or_else(|| RecordError::NoNamespace { name: name.clone() })
}

/// Gives a namespace another name. Its number and all its data stay.
///
/// # Errors
/// [`RecordError::NoNamespace`], [`RecordError::NamespaceExists`].
pub fn rename(
    txn: &mut Transaction<'_>,
    from: &NamespaceName,
    to: &NamespaceName,
) -> Result<Namespace, RecordError> {
    let mut record = existing(txn, from)?;
    if from == to {
        return Ok(record);
    }
    if NAMES.contains(txn, to.as_str())? {
        return Err(RecordError::NamespaceExists { name: to.clone() });
    }
    record.name = to.clone();
    NAMES.delete(txn, from.as_str())?;
    NAMES.put(txn, to.as_str(), &record.id)?;
    SPACES.put(txn, record.id, &record)?;
    Ok(record)
}

/// Gives a namespace another profile, or takes note that its profile has another text.
///
/// # Errors
/// [`RecordError::NamespaceGone`].
pub fn set_profile(
    txn: &mut Transaction<'_>,
    id: NamespaceId,
    profile: &str,
) -> Result<Namespace, RecordError> {
    let mut record = there(txn, id)?;
    record.profile = profile.to_owned();
    record.profile_version = record.profile_version.wrapping_add(1);
    SPACES.put(txn, record.id, &record)?;
    Ok(record)
}

/// Gives a namespace a language of its own, or that of its profile again. Its profile counts as
/// changed.
///
/// # Errors
/// [`RecordError::NamespaceGone`].
pub fn set_language(
    txn: &mut Transaction<'_>,
    id: NamespaceId,
    language: Option<&str>,
) -> Result<Namespace, RecordError> {
    let mut record = there(txn, id)?;
    record.language = language.map(str::to_owned);
    record.profile_version = record.profile_version.wrapping_add(1);
    SPACES.put(txn, record.id, &record)?;
    Ok(record)
}

/// Deletes a namespace: its name is free and nothing can reach its data from this commit on.
///
/// The bytes go with [`purge_step`], called until it is done.
///
/// # Errors
/// [`RecordError::NamespaceGone`].
pub fn delete(txn: &mut Transaction<'_>, id: NamespaceId) -> Result<Namespace, RecordError> {
    let mut record = there(txn, id)?;
    record.doomed = true;
    NAMES.delete(txn, record.name.as_str())?;
    SPACES.put(txn, record.id, &record)?;
    DOOMED.put(txn, ((), record.id), &())?;
    Ok(record)
}

/// How far a purge has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purge {
    /// Keys removed by this step.
    pub removed: usize,
    /// Whether nothing of the namespace is left.
    pub done: bool,
}

/// Removes at most `limit` keys of a deleted namespace from the given tables, which must be those
/// of all layers ([`TABLES`](crate::TABLES) here); tables of another scope are passed over.
///
/// A namespace that is not deleted is left alone and reported as done.
///
/// # Errors
/// When the storage fails.
pub fn purge_step(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    tables: &[&dyn AnyTable],
    limit: usize,
) -> Result<Purge, RecordError> {
    if !by_number(txn, ns)?.is_some_and(|record| record.doomed) {
        return Ok(Purge {
            removed: 0,
            done: true,
        });
    }
    let removed = table::purge(txn, tables, ns, limit)?;
    if removed >= limit {
        return Ok(Purge {
            removed,
            done: false,
        });
    }
    SPACES.delete(txn, ns)?;
    DOOMED.delete(txn, ((), ns))?;
    Ok(Purge {
        removed,
        done: true,
    })
}

/// All namespaces that exist, by name, each with its counters.
///
/// # Errors
/// When they cannot be read.
pub fn list(reads: &dyn Reads) -> Result<Vec<(Namespace, Head)>, RecordError> {
    let heads = HEADS.rows(reads, HEADS.all(), usize::MAX)?;
    let mut heads: HashMap<NamespaceId, Head> = heads.into_iter().collect();
    let mut found = Vec::new();
    let spaces = SPACES
        .all()
        .from(NamespaceId(1))
        .until(NamespaceId(u32::MAX));
    SPACES.scan(reads, spaces, |id, record| {
        if !record.doomed {
            found.push((record, heads.remove(&id).unwrap_or_default()));
        }
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    found.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(found)
}

/// Namespaces that were deleted but still have bytes: what a purge has to go on with after a start.
///
/// # Errors
/// When they cannot be read.
pub fn doomed(reads: &dyn Reads) -> Result<Vec<NamespaceId>, RecordError> {
    let marks = DOOMED.rows(reads, DOOMED.within(((),)), usize::MAX)?;
    Ok(marks.into_iter().map(|(((), id), ())| id).collect())
}

/// At most `limit` names that come after `after` in byte order.
///
/// # Errors
/// When they cannot be read.
pub fn names(
    reads: &dyn Reads,
    after: Option<&NamespaceName>,
    limit: usize,
) -> Result<Vec<NamespaceName>, RecordError> {
    let all = NAMES.all();
    let range = if let Some(after) = after {
        all.after(after.as_str())
    } else {
        all
    };
    let mut found = Vec::new();
    NAMES.scan(reads, range, |name, _| {
        if found.len() >= limit {
            return Ok(ControlFlow::Break(()));
        }
        found.push(
            NamespaceName::new(name).map_err(|_| NAMES.damaged(name, "a name is not allowed"))?,
        );
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
