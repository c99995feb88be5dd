//! The in-memory state of one open namespace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_lifecycle::{Passes, Worth};
use annals_recall::{NamedSpeakers, Nodes, Sources, Speakers};
use annals_records::{Columns, Delta, LabelClass};
use annals_storage::Snapshot;
use annals_text::Forward;
use annals_text::store::{Published, Removed};
use annals_types::{Embedder, Fingerprint, NamespaceId, Row};
use annals_vector::store::Space;
use annals_vector::{Code, Graph};

use crate::Error;
use crate::compiled::CompiledProfile;
use crate::load::NO_SPACE;
use crate::nodes::NodeCache;

/// Columns, text index and vector index of one namespace, all at the same commit. Cheap to clone.
#[derive(Clone)]
pub struct View {
    pub namespace: NamespaceId,
    pub columns: Columns,
    pub text: annals_text::Index,
    pub vectors: annals_vector::Index,
    /// The embedder whose vectors are comparable with those of the index.
    pub embedder: Arc<dyn Embedder>,
    pub(crate) space: Space,
    /// The embedder whose vectors the memories have, where it is not available: the index then
    /// holds only vectors of memories stored since.
    pub foreign: Option<Fingerprint>,
    pub(crate) speakers: Arc<Speakers>,
    /// The worth of each memory.
    pub worth: Worth,
    pub profile: Arc<CompiledProfile>,
    named: usize,
    /// Whether triples or links were seen, by whichever state of the view.
    graph: Arc<AtomicBool>,
    /// The embeddings of its entities, for whichever state of the view.
    pub(crate) nodes: Arc<NodeCache>,
}

/// A part of the changes of one transaction in a namespace.
#[derive(Default)]
pub struct Change {
    pub(crate) records: Option<Delta>,
    pub(crate) life: Vec<annals_lifecycle::Delta>,
    /// The passes of the decaying job, after it made one.
    pub(crate) passes: Option<Arc<Passes>>,
    pub(crate) forwards: Vec<(Row, Arc<Forward>)>,
    pub(crate) codes: Vec<(Row, Code)>,
    /// The space that the codes belong to.
    pub(crate) space: Option<Space>,
    pub(crate) removed: Option<Removed>,
    pub(crate) gone: Vec<Row>,
    pub(crate) text: Option<Published>,
    pub(crate) graph: Option<Arc<Graph>>,
    /// Memories were stored whose vectors are still to be made.
    pub(crate) late: bool,
    /// Derived data of this namespace were dropped or its vectors switched: it must be loaded
    /// again.
    pub(crate) reload: bool,
}

/// The changes of one transaction in a namespace, to be applied in memory once it is durable.
#[derive(Default)]
pub struct Changes {
    /// The parts, in the order in which they are applied.
    parts: Vec<Change>,
    /// An entity got an embedding, or lost one.
    pub(crate) nodes: bool,
    /// Background work was queued, or came to an end.
    pub(crate) queued: bool,
}

impl From<Change> for Changes {
    fn from(part: Change) -> Self {
        Self::of(vec![part])
    }
}

impl Changes {
    pub(crate) const fn of(parts: Vec<Change>) -> Self {
        Self {
            parts,
            nodes: false,
            queued: false,
        }
    }

    /// Whether memories were stored whose vectors are still to be made.
    pub(crate) fn is_late(&self) -> bool {
        self.parts.iter().any(|part| part.late)
    }

    /// Whether memories were deleted.
    pub(crate) fn has_deletions(&self) -> bool {
        self.parts.iter().any(|part| !part.gone.is_empty())
    }

    /// Whether the namespace must be loaded again.
    pub(crate) fn reloads(&self) -> bool {
        self.parts.iter().any(|part| part.reload)
    }

    /// The rows that were stored.
    pub(crate) fn stored(&self) -> impl Iterator<Item = Row> {
        self.parts
            .iter()
            .flat_map(|part| part.forwards.iter().map(|(row, _)| *row))
    }
}

impl View {
    pub(crate) fn new(
        columns: Columns,
        text: annals_text::Index,
        vectors: annals_vector::Index,
        embedder: Arc<dyn Embedder>,
        space: Space,
        worth: Worth,
        profile: Arc<CompiledProfile>,
    ) -> Self {
        let speakers = Arc::default();
        let mut view = Self {
            namespace: space.namespace(),
            columns,
            text,
            vectors,
            embedder,
            space,
            foreign: None,
            speakers,
            worth,
            profile,
            named: 0,
            graph: Arc::default(),
            nodes: Arc::default(),
        };
        view.learn_speakers();
        view
    }

    /// Takes a change over. An error leaves the view unusable.
    pub(crate) fn apply(&mut self, changes: &Changes) -> Result<(), Error> {
        changes
            .parts
            .iter()
            .try_for_each(|part| self.apply_part(part))
    }

    fn apply_part(&mut self, change: &Change) -> Result<(), Error> {
        if let Some(delta) = &change.records {
            self.columns.apply(delta);
            self.learn_speakers();
        }
        for delta in &change.life {
            self.worth.apply(delta);
        }
        if let Some(passes) = &change.passes {
            self.worth.set_passes(Arc::clone(passes));
        }
        for (row, forward) in &change.forwards {
            self.text.append(*row, Arc::clone(forward));
        }
        // The first memory of a namespace makes the space that is searched from then on. A row
        // that a job copies has no text beside it.
        if self.space == Space::new(self.namespace, NO_SPACE) && !change.forwards.is_empty() {
            self.space = change.space.unwrap_or(self.space);
        }
        for (row, code) in change
            .codes
            .iter()
            .filter(|_| change.space == Some(self.space))
        {
            self.vectors.append(*row, code)?;
        }
        if let Some(removed) = &change.removed {
            self.text.apply_removed(removed)?;
        }
        for row in &change.gone {
            self.vectors.remove(*row);
        }
        if let Some(published) = &change.text {
            self.text.apply_published(published);
        }
        if let Some(graph) = &change.graph {
            self.vectors.adopt(Graph::clone(graph));
        }
        Ok(())
    }

    fn learn_speakers(&mut self) {
        let count = self.columns.label_count(LabelClass::Speaker);
        if count == self.named {
            return;
        }
        self.named = count;
        let names = self
            .columns
            .labels(LabelClass::Speaker)
            .map(|(number, name)| (number.0, name));
        self.speakers = Arc::new(Speakers::new(names));
    }

    pub(crate) fn sources<'a>(
        &'a self,
        reads: &'a Snapshot,
        speakers: &'a NamedSpeakers,
    ) -> Result<Sources<'a>, Error> {
        Ok(Sources {
            reads,
            columns: &self.columns,
            text: &self.text,
            vectors: &self.vectors,
            speakers,
            worth: &self.worth,
            graph: self.has_graph(reads)?,
            nodes: None,
            prototypes: None,
            found: None,
        })
    }

    /// The embeddings of the namespace's entities, where the profile searches them.
    pub(crate) fn nodes(&self, reads: &Snapshot) -> Result<Option<Arc<Nodes>>, Error> {
        if self.profile.settings.recall.node_candidates == 0 || !self.has_graph(reads)? {
            return Ok(None);
        }
        let space = (self.vectors.shape(), &self.embedder.fingerprint());
        Ok(Some(self.nodes.get(reads, self.namespace, space)?).filter(|nodes| !nodes.is_empty()))
    }

    /// Whether the namespace has triples or links. Read until there are some.
    fn has_graph(&self, reads: &Snapshot) -> Result<bool, Error> {
        if self.graph.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let stats = annals_graph::stats(reads, self.namespace)?;
        let found = stats.triples > 0 || stats.links > 0;
        self.graph.store(found, Ordering::Relaxed);
        Ok(found)
    }

    pub fn memory_bytes(&self) -> u64 {
        let bytes = self.columns.memory_bytes()
            + self.text.memory()
            + self.vectors.bytes()
            + self.worth.memory_bytes();
        let bytes = bytes + self.nodes.bytes();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}
