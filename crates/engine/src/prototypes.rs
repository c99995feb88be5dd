//! Examples of what people say, as each embedder sees them.
//!
//! The vectors of an embedder that costs something are kept in the file: a process that answers
//! one question cannot embed two hundred texts first.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_recall::Prototypes;
use annals_storage::Table;
use annals_storage::table::{Coded, Text};
use annals_types::{Embedder, Fingerprint, Purpose};
use annals_vector::Shape;
use annals_vector::embed::BuiltinEmbedder;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::recall::calibration;
use crate::{Engine, Error};

/// The vectors of [`Prototypes::texts`] by the fingerprints of embedders.
pub(crate) const PROTOTYPES: Table<Text, Coded<KeptPrototypes>> = Table::new("annals.prototypes");

/// Vectors of examples, as a file keeps them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptPrototypes {
    /// The hash of the examples; vectors of other ones are passed over.
    pub(crate) examples: u64,
    pub(crate) vectors: Vec<Vec<f32>>,
}

/// The examples of embedders that were used.
#[derive(Default)]
pub(crate) struct PrototypesCache {
    made: Mutex<BTreeMap<Fingerprint, Arc<Prototypes>>>,
    /// Whether those of the embedder of new memories stand in the file.
    kept: AtomicBool,
}

impl Engine {
    /// The examples in the space of an embedder, from the file; the built-in one embeds them at
    /// first use. `None` where none are kept yet: no question waits until an embedder has made
    /// them.
    pub(crate) fn prototypes(&self, embedder: &dyn Embedder) -> Option<Arc<Prototypes>> {
        let fingerprint = embedder.fingerprint();
        if let Some(known) = self.prototypes.made.lock().get(&fingerprint) {
            return Some(Arc::clone(known));
        }
        match self.load_prototypes(embedder) {
            Ok(loaded) => {
                let loaded = Arc::new(loaded?);
                self.prototypes
                    .made
                    .lock()
                    .insert(fingerprint, Arc::clone(&loaded));
                Some(loaded)
            }
            Err(error) => {
                tracing::warn!(%error, "nothing tells chatter from what says something");
                None
            }
        }
    }

    fn load_prototypes(&self, embedder: &dyn Embedder) -> Result<Option<Prototypes>, Error> {
        let kept = PROTOTYPES.get(&self.snapshot()?, &*embedder.fingerprint().0)?;
        let vectors = match kept.filter(|kept| kept.examples == hash_examples()) {
            Some(kept) => kept.vectors,
            None if is_builtin(&embedder.fingerprint()) => embed_examples(embedder)?,
            None => return Ok(None),
        };
        Ok(Some(Prototypes::new(
            Shape::new(embedder.dims())?,
            vectors,
            calibration(embedder),
        )?))
    }

    /// Keeps the vectors of the embedder of new memories in the file, unless they cost nothing or
    /// stand there. A failure is no failure of the write that it comes with: the next one tries
    /// again.
    pub(crate) fn keep_prototypes(&self) {
        if let Err(error) = self.keep_prototypes_once() {
            self.prototypes.kept.store(false, Ordering::Relaxed);
            tracing::warn!(%error, "the examples of what people say are embedded later");
        }
    }

    fn keep_prototypes_once(&self) -> Result<(), Error> {
        let fingerprint = &*self.fingerprint.0;
        if self.prototypes.kept.swap(true, Ordering::Relaxed) || is_builtin(&self.fingerprint) {
            return Ok(());
        }
        let kept = PROTOTYPES.get(&self.snapshot()?, fingerprint)?;
        if kept.is_some_and(|kept| kept.examples == hash_examples()) {
            return Ok(());
        }
        let kept = KeptPrototypes {
            examples: hash_examples(),
            vectors: embed_examples(&*self.embedder)?,
        };
        self.store
            .write_derived(|txn| Ok::<_, Error>(PROTOTYPES.put(txn, fingerprint, &kept)?))?;
        Ok(())
    }
}

/// Whether an embedder is the built-in one, which embeds the examples in a millisecond.
pub(crate) fn is_builtin(embedder: &Fingerprint) -> bool {
    *embedder == BuiltinEmbedder::new().fingerprint()
}

fn embed_examples(embedder: &dyn Embedder) -> Result<Vec<Vec<f32>>, Error> {
    let texts: Vec<&str> = Prototypes::texts().collect();
    Ok(embedder.embed(&texts, Purpose::Passage)?)
}

/// A number that changes with the examples (FNV-1a, 64 bits).
fn hash_examples() -> u64 {
    let bytes = Prototypes::texts().flat_map(|text| text.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
