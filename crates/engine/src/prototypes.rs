//! Examples of what people say, as each embedder sees them.
//!
//! The vectors of an embedder that costs something are kept in the file: a process that answers
//! one question cannot embed two hundred texts first.

use std::collections::BTreeMap;
use std::sync::Arc;

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

/// The examples by embedder; `None` where one could not embed them.
pub(crate) type PrototypesCache = Mutex<BTreeMap<Fingerprint, Option<Arc<Prototypes>>>>;

impl Engine {
    /// The examples in the space of an embedder: from the file, else embedded at first use; `None`
    /// where the embedder fails.
    pub(crate) fn prototypes(&self, embedder: &dyn Embedder) -> Option<Arc<Prototypes>> {
        let fingerprint = embedder.fingerprint();
        if let Some(known) = self.prototypes.lock().get(&fingerprint) {
            return known.clone();
        }
        let made = self.made_prototypes(embedder);
        if let Err(error) = &made {
            tracing::warn!(%error, "nothing tells chatter from what says something");
        }
        let made = made.ok().map(Arc::new);
        self.prototypes.lock().insert(fingerprint, made.clone());
        made
    }

    fn made_prototypes(&self, embedder: &dyn Embedder) -> Result<Prototypes, Error> {
        let kept = PROTOTYPES.get(&self.snapshot()?, &*embedder.fingerprint().0)?;
        let vectors = match kept.filter(|kept| kept.examples == hash_examples()) {
            Some(kept) => kept.vectors,
            None => embed_examples(embedder)?,
        };
        Ok(Prototypes::new(Shape::new(embedder.dims())?, vectors, calibration(embedder))?)
    }

    /// Keeps the vectors of the embedder of new memories in the file, unless they cost nothing or
    /// stand there.
    pub(crate) fn keep_prototypes(&self) -> Result<(), Error> {
        let fingerprint = &*self.fingerprint.0;
        if self.fingerprint == BuiltinEmbedder::new().fingerprint() {
            return Ok(());
        }
        let kept = PROTOTYPES.get(&self.snapshot()?, fingerprint)?;
        if kept.is_some_and(|kept| kept.examples == hash_examples()) {
            return Ok(());
        }
        let kept = KeptPrototypes { examples: hash_examples(), vectors: embed_examples(&*self.embedder)? };
        self.store.write_derived(|txn| Ok::<_, Error>(PROTOTYPES.put(txn, fingerprint, &kept)?))?;
        Ok(())
    }
}

fn embed_examples(embedder: &dyn Embedder) -> Result<Vec<Vec<f32>>, Error> {
    let texts: Vec<&str> = Prototypes::texts().collect();
    Ok(embedder.embed(&texts, Purpose::Passage)?)
}

/// A number that changes with the examples (FNV-1a, 64 bits).
fn hash_examples() -> u64 {
    let bytes = Prototypes::texts().flat_map(|text| text.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
