use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::{KeyRange, Keyspace, Reads};
use annals_types::{NamespaceId, Row};

use super::layout::{BODY_VERSION, FORWARD, SEGMENT, forward_key, header_key, row_of};
use super::manifest::Manifest;
use super::read_forward;
use crate::error::{Damage, TextError};
use crate::index::{ChunkCache, Index};
use crate::segment::{Header, Segment};
use crate::settings::Settings;

/// An opened index, and what is left to do about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The index. It is right in any case; with lost segments it was read from all forward lists.
    pub index: Index,
    /// Whether stored segments are damaged or of another analyser version: call
    /// [`drop_derived`](super::drop_derived), then fold.
    pub lost: bool,
    /// Rows whose forward list another analyser version wrote. They are not searched until
    /// [`put`](super::put) has stored a new list for each and the index was opened again.
    pub stale: Vec<Row>,
}

/// Opens the full-text index of a namespace: reads the manifest, the headers of its segments and
/// the forward lists of rows in none of them, in three rounds.
///
/// # Errors
/// [`TextError::DamagedForward`] for a damaged primary list, or what storage says. Damage of
/// derived data is no error, see [`Opened::lost`].
pub fn open(
    reads: &impl Reads,
    namespace: NamespaceId,
    settings: Settings,
    cache: Arc<ChunkCache>,
) -> Result<Opened, TextError> {
    let mut index = Index::new(namespace, settings, cache);
    let (stored, lost) = match stored(reads, namespace) {
        Ok(stored) => (stored, false),
        Err(error) if is_derived_damage(&error) => {
            tracing::warn!(
                namespace = namespace.0,
                %error,
                "inverted lists are unusable; reading forward lists instead"
            );
            ((Manifest::default(), Vec::new()), true)
        }
        Err(error) => return Err(error),
    };
    let (manifest, segments) = stored;
    index.commit = manifest.commit;
    index.deleted = manifest.deleted;
    index.stored = segments;
    index.folded = manifest.folded;
    let mut stale = Vec::new();
    let end = annals_storage::prefix_end(&namespace.prefix());
    let start = forward_key(namespace, Row(manifest.folded)).to_vec();
    let range = KeyRange {
        keyspace: FORWARD,
        start,
        end,
        reverse: false,
    };
    let mut failed = None;
    reads.scan(&[range], &mut |_, key, version, body| {
        let Some(row) = row_of(key) else {
            return Ok(ControlFlow::Continue(()));
        };
        match read_forward(row, version, body) {
            Ok(Some(forward)) => {
                index.append(row, Arc::new(forward));
            }
            Ok(None) => stale.push(row),
            Err(error) => {
                failed = Some(error);
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    match failed {
        Some(error) => Err(error),
        None => {
            index.waiting = !stale.is_empty();
            Ok(Opened { index, lost, stale })
        }
    }
}

fn is_derived_damage(error: &TextError) -> bool {
    match error {
        TextError::DamagedSegment { .. } => true,
        TextError::Storage(error) => error.is_corruption(),
        _ => false,
    }
}

/// The manifest and the segments it lists, with only their headers read.
fn stored(
    reads: &impl Reads,
    namespace: NamespaceId,
) -> Result<(Manifest, Vec<Arc<Segment>>), TextError> {
    let manifest = Manifest::read(reads, namespace)?;
    let headers = headers(reads, namespace, &manifest)?;
    let ids = manifest.segments.iter();
    let segments: Vec<_> = ids
        .zip(headers)
        .map(|(id, header)| Arc::new(Segment::stored(*id, header)))
        .collect();
    if segments
        .last()
        .is_some_and(|s| s.header.end() > manifest.folded)
    {
        return Err(Damage::Range.into());
    }
    Ok((manifest, segments))
}

/// The headers of all segments of a manifest.
pub(super) fn headers(
    reads: &impl Reads,
    namespace: NamespaceId,
    manifest: &Manifest,
) -> Result<Vec<Header>, TextError> {
    if manifest.segments.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<_> = manifest
        .segments
        .iter()
        .map(|id| header_key(namespace, *id))
        .collect();
    let keys: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (SEGMENT, &key[..])).collect();
    let headers: Vec<Header> = reads
        .multi_get(&keys)?
        .into_iter()
        .map(|value| match value {
            Some(value) if value.version == BODY_VERSION => Ok(Header::decode(&value.body)?),
            Some(_) => Err(Damage::Version.into()),
            None => Err(TextError::from(Damage::Missing)),
        })
        .collect::<Result<_, _>>()?;
    if headers.is_sorted_by(|a, b| a.end() <= b.first) {
        Ok(headers)
    } else {
        Err(Damage::Order.into())
    }
}
