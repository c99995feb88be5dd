//! Which embedders' vectors a namespace holds.

use annals_storage::{Reads, Transaction, codec};
use annals_types::{Fingerprint, NamespaceId};
use serde::{Deserialize, Serialize};

use crate::code::Shape;
use crate::error::VectorError;
use crate::store::{SPACES, Space, VERSION, key};

/// One embedder's vectors in a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceInfo {
    /// Its number in the keys; never given twice in a namespace.
    pub number: u32,
    /// Whose vectors they are.
    pub fingerprint: Fingerprint,
    /// Numbers of a vector.
    pub dims: u32,
}

impl SpaceInfo {
    /// Where its vectors are stored.
    #[must_use]
    pub const fn space(&self, namespace: NamespaceId) -> Space {
        Space::new(namespace, self.number)
    }
}

/// All embedders' vectors in a namespace. One is active: recall searches it. Another one may be
/// there because a new embedder's vectors are still being made, or because an old one's are not
/// cleared yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spaces {
    active: Option<u32>,
    next: u32,
    list: Vec<SpaceInfo>,
}

impl Spaces {
    /// Those of a namespace.
    ///
    /// # Errors
    /// When storage fails, or a newer program wrote them.
    pub fn read(
        reads: &(impl Reads + ?Sized),
        namespace: NamespaceId,
    ) -> Result<Self, VectorError> {
        match reads.get(SPACES, &key(&[namespace.0]))? {
            None => Ok(Self::default()),
            Some(stored) if stored.version == VERSION => {
                Ok(codec::decode(&stored.body).map_err(annals_storage::StorageError::from)?)
            }
            Some(stored) => Err(VectorError::TooNew {
                what: "list of vector spaces",
                version: stored.version,
            }),
        }
    }

    /// Stores them.
    ///
    /// # Errors
    /// When storage fails.
    pub fn write(
        &self,
        tx: &mut Transaction<'_>,
        namespace: NamespaceId,
    ) -> Result<(), VectorError> {
        let body = codec::encode(self).map_err(annals_storage::StorageError::from)?;
        Ok(tx.put(SPACES, &key(&[namespace.0]), VERSION, &body)?)
    }

    /// The one that recall searches.
    #[must_use]
    pub fn active(&self) -> Option<&SpaceInfo> {
        self.list.iter().find(|s| Some(s.number) == self.active)
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[SpaceInfo] {
        &self.list
    }

    /// That of an embedder.
    #[must_use]
    pub fn of(&self, fingerprint: &Fingerprint) -> Option<&SpaceInfo> {
        self.list.iter().find(|s| s.fingerprint == *fingerprint)
    }

    /// That of an embedder, added when it is not there; the first one of a namespace becomes
    /// active.
    pub fn ensure(&mut self, fingerprint: &Fingerprint, shape: Shape) -> SpaceInfo {
        if let Some(known) = self.of(fingerprint) {
            return known.clone();
        }
        let dims = u32::try_from(shape.dims()).unwrap_or(u32::MAX);
        let info = SpaceInfo {
            number: self.next,
            fingerprint: fingerprint.clone(),
            dims,
        };
        self.next += 1;
        self.active.get_or_insert(info.number);
        self.list.push(info.clone());
        info
    }

    /// Makes one the only one: recall searches it from then on, and what the others held is to be
    /// cleared ([`Space::clear`]), also by a later process. Answers how many others there were;
    /// nothing changes when there is none of this number.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when storage fails.
    pub fn keep(
        tx: &mut Transaction<'_>,
        namespace: NamespaceId,
        number: u32,
    ) -> Result<usize, VectorError> {
        let mut spaces = Self::read(tx, namespace)?;
        let (kept, others): (Vec<_>, Vec<_>) = spaces
            .list
            .drain(..)
            .partition(|space| space.number == number);
        if kept.is_empty() {
            return Ok(0);
        }
        for other in &others {
            other.space(namespace).doom(tx)?;
        }
        (spaces.active, spaces.list) = (Some(number), kept);
        spaces.write(tx, namespace)?;
        Ok(others.len())
    }

    /// Whether a space is one of them.
    pub(super) fn has(&self, number: u32) -> bool {
        self.list.iter().any(|space| space.number == number)
    }
}
