//! Storing a graph: announced before it is built, written in slices, put in use by one small
//! transaction.

use std::sync::Arc;

use annals_storage::{KeyRange, Reads, Store, Transaction};
use annals_types::{Commit, Row};

use crate::block::Block;
use crate::error::VectorError;
use crate::graph::Graph;
use crate::store::generation::{Generation, Generations, State};
use crate::store::{
    GONE, GRAPH_CODES, GRAPH_LINKS, GRAPH_TWINS, LATE, Space, Spaces, VERSION, key, last_part, rows,
};

/// Blocks of one write: about 6 MB, so that other writers wait for some milliseconds at most.
const SLICE: usize = 24;
/// Pairs of twins in one value: 64 KiB.
const TWINS: usize = 8000;
/// Keys that one write deletes.
const SWEEP: usize = 64;

/// Says in a transaction whether what a graph is built for is still there: nothing is written any
/// more once it is not.
pub type There = Arc<dyn Fn(&dyn Reads) -> Result<bool, VectorError> + Send + Sync>;

/// An announced build: between [`Space::begin_build`] and [`Space::publish`].
#[must_use = "a build that is not published stays announced until the next one"]
pub struct Build {
    space: Space,
    generation: u32,
    commit: Commit,
    there: There,
}

impl std::fmt::Debug for Build {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            space,
            generation,
            commit,
            ..
        } = self;
        f.debug_struct("Build")
            .field("space", space)
            .field("generation", generation)
            .field("commit", commit)
            .finish()
    }
}

impl Build {
    /// The commit of the announcement. The graph must be built from a snapshot at this commit or
    /// later.
    #[must_use]
    pub const fn commit(&self) -> Commit {
        self.commit
    }

    /// The generations of its space with its own still pending among them, in a transaction that
    /// goes on with it.
    fn pending(&self, tx: &Transaction<'_>) -> Result<Generations, VectorError> {
        if !(self.there)(tx)? {
            return Err(VectorError::BuildReplaced);
        }
        let mut generations = Generations::known(tx, self.space)?;
        match generations.find(self.generation) {
            Some(_) => Ok(generations),
            None => Err(VectorError::BuildReplaced),
        }
    }
}

impl Space {
    /// Announces a build, so that rows deleted from now on do not come back with it. Deletes what
    /// an interrupted one left. Only one build of a space may be under way. `there` is asked in
    /// each transaction that writes for the build.
    ///
    /// # Errors
    /// [`VectorError::BuildReplaced`] for a space that is not in the list of its namespace any
    /// more, and when `there` says no; or when storage fails.
    pub fn begin_build(self, store: &Store, there: There) -> Result<Build, VectorError> {
        self.clean(store)?;
        let announce = |tx: &mut Transaction<'_>| {
            // A space that was taken out meanwhile is cleared, or has been: nothing may be put
            // there any more.
            if !there(&*tx)? || !Spaces::read(tx, self.namespace)?.has(self.number) {
                return Err(VectorError::BuildReplaced);
            }
            let mut generations = Generations::known(tx, self)?;
            let number = generations.next;
            generations.next += 1;
            generations.list.push(Generation::pending(number));
            generations.write(tx, self)?;
            Ok::<_, VectorError>(number)
        };
        let (generation, commit) = store.write(announce)?;
        Ok(Build {
            space: self,
            generation,
            commit,
            there,
        })
    }

    /// Stores a graph and puts it in use. `applied` runs when that is durable, in the order of
    /// commits: the place to let the index in memory adopt the graph.
    ///
    /// # Errors
    /// [`VectorError::BuildReplaced`] when the space was cleared or built anew since, or what it
    /// is built for is gone; or when storage fails. The blocks written are then deleted by the
    /// next [`begin_build`](Self::begin_build).
    pub fn publish(
        build: Build,
        store: &Store,
        graph: &Graph,
        applied: impl FnOnce(Commit) + Clone + Send + 'static,
    ) -> Result<Commit, VectorError> {
        let Build {
            space, generation, ..
        } = build;
        let build = &build;
        let twins: Vec<&[(u32, u32)]> = graph.twins().chunks(TWINS).collect();
        let describe = |tx: &mut Transaction<'_>| {
            let mut generations = build.pending(tx)?;
            generations
                .find(generation)
                .into_iter()
                .for_each(|own| own.describe(graph, twins.len()));
            generations.write(tx, space)
        };
        store.write(describe)?;
        let blocks = graph.nodes().blocks();
        for start in (0..blocks.len()).step_by(SLICE) {
            let end = blocks.len().min(start + SLICE);
            store.write(|tx| space.write_slice(tx, build, graph, start..end))?;
        }
        store.write(|tx| space.write_twins(tx, build, &twins))?;
        let ((), commit) = store.write_then(|tx| {
            Ok::<_, VectorError>((space.switch(tx, build, graph)?, applied.clone()))
        })?;
        space.clean(store)?;
        Ok(commit)
    }

    fn write_slice(
        self,
        tx: &mut Transaction<'_>,
        build: &Build,
        graph: &Graph,
        range: std::ops::Range<usize>,
    ) -> Result<(), VectorError> {
        build.pending(tx)?;
        let gone = self.gone(tx)?;
        let dims = graph.nodes().shape.dims();
        for at in range {
            let key = self.block_key(build.generation, u32::try_from(at).unwrap_or(u32::MAX));
            let Some(block) = graph.nodes().blocks().get(at) else {
                continue;
            };
            let mut body = encode(block, dims, graph.nodes().shape.lines());
            for row in &gone {
                rows::erase(&mut body, u32::try_from(dims).unwrap_or(0), *row);
            }
            tx.put(GRAPH_CODES, &key, VERSION, &body)?;
            if let Some(links) = graph.link_blocks().get(at) {
                let body: Vec<u8> = links.iter().flat_map(|n| n.to_le_bytes()).collect();
                tx.put(GRAPH_LINKS, &key, VERSION, &body)?;
            }
        }
        Ok(())
    }

    fn write_twins(
        self,
        tx: &mut Transaction<'_>,
        build: &Build,
        twins: &[&[(u32, u32)]],
    ) -> Result<(), VectorError> {
        build.pending(tx)?;
        for (at, pairs) in (0_u32..).zip(twins) {
            let body: Vec<u8> = pairs
                .iter()
                .flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()])
                .flatten()
                .collect();
            tx.put(
                GRAPH_TWINS,
                &self.block_key(build.generation, at),
                VERSION,
                &body,
            )?;
        }
        Ok(())
    }

    /// Rows deleted since the build was announced.
    fn gone(self, reads: &(impl Reads + ?Sized)) -> Result<Vec<Row>, VectorError> {
        self.marked(reads, GONE)
    }

    pub(super) fn marked(
        self,
        reads: &(impl Reads + ?Sized),
        keyspace: annals_storage::Keyspace,
    ) -> Result<Vec<Row>, VectorError> {
        let (mut rows, mut newer) = (Vec::new(), None);
        reads.scan(
            &[KeyRange::prefix(keyspace, &self.prefix())],
            &mut |_, key, version, _| {
                newer = newer.or(Some(version).filter(|version| *version != VERSION));
                rows.extend(last_part(key).map(Row));
                Ok(std::ops::ControlFlow::Continue(()))
            },
        )?;
        match newer {
            Some(version) => Err(VectorError::TooNew {
                what: "vector",
                version,
            }),
            None => Ok(rows),
        }
    }

    /// The moment from which the new graph counts.
    fn switch(
        self,
        tx: &mut Transaction<'_>,
        build: &Build,
        graph: &Graph,
    ) -> Result<(), VectorError> {
        let mut generations = build.pending(tx)?;
        for one in &mut generations.list {
            one.state = if one.number == build.generation {
                State::Current
            } else {
                State::Old
            };
        }
        for row in self.gone(tx)? {
            tx.delete(GONE, &self.row_key(row))?;
        }
        for row in self.marked(tx, LATE)? {
            if graph.nodes().find(row).is_some() {
                tx.delete(LATE, &self.row_key(row))?;
            }
        }
        generations.write(tx, self)
    }

    /// Deletes generations that are not in use: old ones, and what an interrupted build left. Not
    /// while a build is under way.
    ///
    /// # Errors
    /// When storage fails.
    pub fn clean(self, store: &Store) -> Result<(), VectorError> {
        loop {
            let (rest, _) = store.write(|tx| self.sweep(tx))?;
            if !rest {
                return Ok(());
            }
        }
    }

    /// Deletes some keys of generations that are not in use; answers whether there are more.
    fn sweep(self, tx: &mut Transaction<'_>) -> Result<bool, VectorError> {
        let mut generations = Generations::known(tx, self)?;
        let Some(unused) = generations
            .list
            .iter()
            .find(|g| g.state != State::Current)
            .map(|g| g.number)
        else {
            return Ok(false);
        };
        let prefix = key(&[self.namespace.0, self.number, unused]);
        let mut deleted = 0;
        for keyspace in [GRAPH_CODES, GRAPH_LINKS, GRAPH_TWINS] {
            deleted += tx.delete_range(&KeyRange::prefix(keyspace, &prefix), SWEEP - deleted)?;
        }
        if deleted < SWEEP {
            generations.list.retain(|g| g.number != unused);
            generations.write(tx, self)?;
        }
        if !generations.list.iter().any(|g| g.state == State::Pending) {
            tx.delete_range(&KeyRange::prefix(GONE, &self.prefix()), usize::MAX)?;
        }
        Ok(generations.list.iter().any(|g| g.state != State::Current))
    }
}

/// Number of rows, rows, codes.
fn encode(block: &Block, dims: usize, stride: usize) -> Vec<u8> {
    let count = u32::try_from(block.len()).unwrap_or(u32::MAX);
    let mut body = Vec::with_capacity(4 + block.len() * (4 + dims));
    body.extend_from_slice(&count.to_le_bytes());
    body.extend(block.rows().iter().flat_map(|row| row.to_le_bytes()));
    for at in 0..block.len() {
        let start = body.len();
        for line in block.lines(at, stride) {
            body.extend_from_slice(&line.0);
        }
        body.resize(start + dims, 0);
    }
    body
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use annals_types::profile::VectorSettings;
    use annals_types::{Fingerprint, NamespaceId};

    use super::*;
    use crate::Shape;

    #[test]
    fn no_slice_comes_into_a_space_that_was_cleared() {
        let (store, shape) = (Store::in_memory(), Shape::new(4).unwrap());
        let space = Space::new(NamespaceId(1), 0);
        let put = |tx: &mut Transaction<'_>| {
            let mut spaces = Spaces::default();
            spaces.ensure(&Fingerprint("embedder".to_owned()), shape);
            spaces.write(tx, NamespaceId(1))?;
            (1..9_u8).try_for_each(|n| {
                space.put(
                    tx,
                    Row(n.into()),
                    &shape.encode(&[f32::from(n), 1.0, 0.5, 0.0])?,
                )
            })
        };
        store.write::<(), VectorError>(put).unwrap();
        let build = space.begin_build(&store, Arc::new(|_| Ok(true))).unwrap();
        let loaded = space
            .load(&store.snapshot().unwrap(), shape, VectorSettings::default())
            .unwrap();
        let graph = loaded
            .index
            .build(build.commit(), &mut |_, _| ControlFlow::Continue(()))
            .unwrap();
        store
            .write(|tx| crate::store::delete_namespace(tx, NamespaceId(1), usize::MAX))
            .unwrap();
        let slice = store
            .write(|tx| space.write_slice(tx, &build, &graph, 0..1))
            .unwrap_err();
        let twins = store
            .write(|tx| space.write_twins(tx, &build, &[]))
            .unwrap_err();
        let switch = store
            .write(|tx| space.switch(tx, &build, &graph))
            .unwrap_err();
        for error in [slice, twins, switch] {
            assert!(matches!(error, VectorError::BuildReplaced), "{error}");
        }
    }
}
