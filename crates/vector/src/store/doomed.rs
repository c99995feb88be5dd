//! Spaces that were taken out of the list: what they held is cleared bit by bit, over as many
//! lives of the program as it takes.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::NamespaceId;

use crate::error::VectorError;
use crate::store::{DOOMED, OF_A_SPACE, Space, Spaces, VERSION, key};

impl Space {
    /// Notes that what the space holds is to be cleared.
    pub(super) fn doom(self, tx: &mut Transaction<'_>) -> Result<(), VectorError> {
        Ok(tx.put(DOOMED, &self.prefix(), VERSION, &[])?)
    }

    /// The space of a key, whatever follows.
    fn of(key: &[u8]) -> Option<Self> {
        let (namespace, rest) = key.split_first_chunk::<4>()?;
        let number = rest.first_chunk::<4>()?;
        Some(Self::new(
            NamespaceId(u32::from_be_bytes(*namespace)),
            u32::from_be_bytes(*number),
        ))
    }
}

fn noted(reads: &(impl Reads + ?Sized), prefix: &[u8]) -> Result<Vec<Space>, VectorError> {
    let (mut spaces, mut newer) = (Vec::new(), None);
    reads.scan(
        &[KeyRange::prefix(DOOMED, prefix)],
        &mut |_, key, version, _| {
            newer = newer.or(Some(version).filter(|version| *version != VERSION));
            spaces.extend(Space::of(key));
            Ok(ControlFlow::Continue(()))
        },
    )?;
    match newer {
        Some(version) => Err(VectorError::TooNew {
            what: "note of vectors to be cleared",
            version,
        }),
        None => Ok(spaces),
    }
}

/// The spaces of a namespace that are to be cleared ([`Space::clear`]).
///
/// # Errors
/// When storage fails, or a newer program wrote it.
pub fn doomed(
    reads: &(impl Reads + ?Sized),
    namespace: NamespaceId,
) -> Result<Vec<Space>, VectorError> {
    noted(reads, &key(&[namespace.0]))
}

/// The namespaces with spaces that are to be cleared.
///
/// # Errors
/// As [`doomed`].
pub fn clearing(reads: &(impl Reads + ?Sized)) -> Result<BTreeSet<NamespaceId>, VectorError> {
    Ok(noted(reads, &[])?
        .into_iter()
        .map(|space| space.namespace)
        .collect())
}

/// Every space that may hold something of a namespace: those of the list, and those that are to be
/// cleared. A deletion concerns all.
///
/// # Errors
/// As [`Spaces::read`] and [`doomed`].
pub fn held(
    reads: &(impl Reads + ?Sized),
    namespace: NamespaceId,
) -> Result<Vec<Space>, VectorError> {
    let mut spaces: Vec<Space> = Spaces::read(reads, namespace)?
        .all()
        .iter()
        .map(|s| s.space(namespace))
        .collect();
    spaces.extend(doomed(reads, namespace)?);
    Ok(spaces)
}

/// Spaces that hold something, and are neither in the list nor to be cleared: nothing would ever
/// delete that.
///
/// # Errors
/// As [`held`].
pub fn strays(
    reads: &(impl Reads + ?Sized),
    namespace: NamespaceId,
) -> Result<Vec<Space>, VectorError> {
    let known = held(reads, namespace)?;
    let mut numbers = BTreeSet::new();
    for keyspace in OF_A_SPACE {
        numbers.extend(numbers_in(reads, namespace, keyspace)?);
    }
    let spaces = numbers
        .into_iter()
        .map(|number| Space::new(namespace, number));
    Ok(spaces.filter(|space| !known.contains(space)).collect())
}

/// The numbers of spaces that have keys in a keyspace: one look for each, however many keys it has.
fn numbers_in(
    reads: &(impl Reads + ?Sized),
    namespace: NamespaceId,
    keyspace: Keyspace,
) -> Result<Vec<u32>, VectorError> {
    let (mut numbers, mut from) = (Vec::new(), Some(0));
    while let Some(first) = from.take() {
        let mut range = KeyRange::prefix(keyspace, &key(&[namespace.0]));
        range.start = key(&[namespace.0, first]);
        reads.scan(&[range], &mut |_, key, _, _| {
            if let Some(space) = Space::of(key) {
                numbers.push(space.number);
                from = space.number.checked_add(1);
            }
            Ok(ControlFlow::Break(()))
        })?;
    }
    Ok(numbers)
}
