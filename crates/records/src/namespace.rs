//! The directory of namespaces.

use std::collections::HashMap;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{NamespaceId, NamespaceName, Timestamp};
use serde::{Deserialize, Serialize};

use crate::keyspaces::{HEADS, NAMES, SPACES};
use crate::value::{self, Value};
use crate::wire::{Broken, Put, Take};
use crate::{Head, RecordError, key};

/// Holds the number that the last namespace got; itself never one.
const COUNTER: NamespaceId = NamespaceId(0);
/// Prefix of the marks of deleted namespaces, so that a start need not walk all of them; itself never a namespace.
const DOOMED: NamespaceId = NamespaceId(u32::MAX);

fn doomed_key(ns: NamespaceId) -> [u8; 8] {
    key::row(DOOMED, annals_types::Row(ns.0))
}

/// What is known of a namespace without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// Its number, never reused.
    pub id: NamespaceId,
    /// Its name.
    pub name: NamespaceName,
    /// When it was created.
    pub created_at: Timestamp,
    /// The name of its profile.
    pub profile: String,
    /// How often it got another profile, or its profile another text: what was read under another number is out of date.
    pub profile_version: u32,
    /// Whether it has been deleted and only its bytes are still there.
    pub doomed: bool,
}

impl Value for Namespace {
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(self.name.as_str().len() + self.profile.len() + 16);
        put.varint(u64::from(self.id.0));
        put.zigzag(self.created_at.as_millis());
        put.byte(u8::from(self.doomed));
        put.text(self.name.as_str());
        put.text(&self.profile);
        put.varint(u64::from(self.profile_version));
        put.finish()
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
            name: NamespaceName::new(take.text()?).map_err(|_| Broken("the name of a namespace is not allowed"))?,
            profile: take.text()?.to_owned(),
            profile_version: take.varint32()?,
        };
        take.end()?;
        Ok(record)
    }
}

impl Value for NamespaceId {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        body.try_into().map(|bytes| Self(u32::from_le_bytes(bytes))).map_err(|_| Broken("a number has not 4 bytes"))
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
    let counter = key::space(COUNTER);
    let found = txn.multi_get(&[(NAMES, name.as_str().as_bytes()), (SPACES, &counter)])?;
    let mut found = found.into_iter();
    if found.next().flatten().is_some() {
        return Err(RecordError::NamespaceExists { name: name.clone() });
    }
    let last = value::opened(SPACES, &counter, found.next().flatten().as_ref())?.unwrap_or(COUNTER);
    let full = RecordError::Full { namespace: last, what: "namespace numbers" };
    let id = NamespaceId(last.0.checked_add(1).filter(|id| *id < DOOMED.0).ok_or(full)?);
    let (name, profile) = (name.clone(), profile.to_owned());
    let record = Namespace { id, name, created_at: now, profile, profile_version: 0, doomed: false };
    value::put(txn, SPACES, &counter, &id)?;
    value::put(txn, SPACES, &key::space(id), &record)?;
    value::put(txn, NAMES, record.name.as_str().as_bytes(), &id)?;
    Ok(record)
}

/// The namespace of a name; `None` when there is none.
///
/// # Errors
/// When it cannot be read.
pub fn find(reads: &dyn Reads, name: &NamespaceName) -> Result<Option<Namespace>, RecordError> {
    match value::get::<NamespaceId>(reads, NAMES, name.as_str().as_bytes())? {
        Some(id) => by_number(reads, id),
        None => Ok(None),
    }
}

/// The namespace of a number, doomed ones included; `None` when there is none (any more).
///
/// # Errors
/// When it cannot be read.
pub fn by_number(reads: &dyn Reads, id: NamespaceId) -> Result<Option<Namespace>, RecordError> {
    if id == COUNTER || id == DOOMED { Ok(None) } else { value::get(reads, SPACES, &key::space(id)) }
}

/// The namespace of a number, one that was not deleted.
///
/// # Errors
/// [`RecordError::NamespaceGone`].
pub fn there(reads: &dyn Reads, id: NamespaceId) -> Result<Namespace, RecordError> {
    by_number(reads, id)?.filter(|found| !found.doomed).ok_or(RecordError::NamespaceGone { namespace: id })
}

fn existing(reads: &dyn Reads, name: &NamespaceName) -> Result<Namespace, RecordError> {
    find(reads, name)?.ok_or_else(|| RecordError::NoNamespace { name: name.clone() })
}

/// Gives a namespace another name. Its number and all its data stay.
///
/// # Errors
/// [`RecordError::NoNamespace`], [`RecordError::NamespaceExists`].
pub fn rename(txn: &mut Transaction<'_>, from: &NamespaceName, to: &NamespaceName) -> Result<Namespace, RecordError> {
    let mut record = existing(txn, from)?;
    if from == to {
        return Ok(record);
    }
    if txn.get(NAMES, to.as_str().as_bytes())?.is_some() {
        return Err(RecordError::NamespaceExists { name: to.clone() });
    }
    record.name = to.clone();
    txn.delete(NAMES, from.as_str().as_bytes())?;
    value::put(txn, NAMES, to.as_str().as_bytes(), &record.id)?;
    value::put(txn, SPACES, &key::space(record.id), &record)?;
    Ok(record)
}

/// Gives a namespace another profile, or takes note that its profile has another text.
///
/// # Errors
/// [`RecordError::NamespaceGone`].
pub fn set_profile(txn: &mut Transaction<'_>, id: NamespaceId, profile: &str) -> Result<Namespace, RecordError> {
    let mut record = there(txn, id)?;
    record.profile = profile.to_owned();
    record.profile_version = record.profile_version.wrapping_add(1);
    value::put(txn, SPACES, &key::space(record.id), &record)?;
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
    txn.delete(NAMES, record.name.as_str().as_bytes())?;
    value::put(txn, SPACES, &key::space(record.id), &record)?;
    txn.put(SPACES, &doomed_key(record.id), Namespace::VERSION, &[])?;
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

/// Removes at most `limit` keys of a deleted namespace from the given keyspaces, which must be all those of all layers
/// whose keys begin with the namespace number ([`NAMESPACE_KEYSPACES`](crate::keyspaces::NAMESPACE_KEYSPACES) here).
///
/// A namespace that is not deleted is left alone and reported as done.
///
/// # Errors
/// When the storage fails.
pub fn purge_step(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    keyspaces: &[Keyspace],
    limit: usize,
) -> Result<Purge, RecordError> {
    if !by_number(txn, ns)?.is_some_and(|record| record.doomed) {
        return Ok(Purge { removed: 0, done: true });
    }
    let mut removed = 0;
    for keyspace in keyspaces {
        removed += txn.delete_range(&KeyRange::prefix(*keyspace, &ns.prefix()), limit - removed)?;
        if removed >= limit {
            return Ok(Purge { removed, done: false });
        }
    }
    txn.delete(SPACES, &key::space(ns))?;
    txn.delete(SPACES, &doomed_key(ns))?;
    Ok(Purge { removed, done: true })
}

/// All namespaces that exist, by name, each with its counters.
///
/// # Errors
/// When they cannot be read.
pub fn list(reads: &dyn Reads) -> Result<Vec<(Namespace, Head)>, RecordError> {
    let mut heads: HashMap<NamespaceId, Head> = HashMap::new();
    let range = KeyRange { keyspace: HEADS, start: Vec::new(), end: None, reverse: false };
    value::scan(reads, &[range], &mut |_, key, version, body| {
        if let Ok(number) = key.try_into() {
            let head = value::decode(HEADS, key, version, body)?;
            heads.insert(NamespaceId(u32::from_be_bytes(number)), head);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let mut found = Vec::new();
    let spaces = KeyRange::between(SPACES, &key::space(NamespaceId(1)), &key::space(DOOMED));
    value::scan(reads, &[spaces], &mut |_, key, version, body| {
        let record: Namespace = value::decode(SPACES, key, version, body)?;
        if !record.doomed {
            let head = heads.remove(&record.id).unwrap_or_default();
            found.push((record, head));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    found.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(found)
}

/// Namespaces that were deleted but still have bytes: what a purge has to go on with after a start.
///
/// # Errors
/// When they cannot be read.
pub fn doomed(reads: &dyn Reads) -> Result<Vec<NamespaceId>, RecordError> {
    let mut found = Vec::new();
    let marks = KeyRange::prefix(SPACES, &DOOMED.prefix());
    value::scan(reads, &[marks], &mut |_, key, _, _| {
        found.extend(key::tail_u32(key).map(NamespaceId));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
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
    let mut start = after.map(|name| name.as_str().as_bytes().to_vec()).unwrap_or_default();
    if after.is_some() {
        start.push(0);
    }
    let mut found = Vec::new();
    let range = KeyRange { keyspace: NAMES, start, end: None, reverse: false };
    value::scan(reads, &[range], &mut |_, key, _, _| {
        if found.len() >= limit {
            return Ok(ControlFlow::Break(()));
        }
        let name = std::str::from_utf8(key).ok().and_then(|name| NamespaceName::new(name).ok());
        found.push(name.ok_or_else(|| RecordError::damaged(NAMES, key, Broken("a name is not allowed")))?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
