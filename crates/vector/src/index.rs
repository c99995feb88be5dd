//! The vectors of one namespace and one embedder, in memory: a graph over most rows and a tail of
//! new ones.

use std::ops::ControlFlow;
use std::sync::Arc;

use annals_types::profile::VectorSettings;
use annals_types::{Commit, Row};

use crate::block::{Block, Seek, capacity};
use crate::code::{Code, Query, Shape, cosine};
use crate::error::VectorError;
use crate::graph::{Graph, Progress, Recipe};
use crate::kernels::Kernels;
use crate::pack::pack;
use crate::plan::Plan;
use crate::tail::Tail;
use crate::top::Top;

/// A row that a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The row.
    pub row: Row,
    /// The cosine with the query, -1 to 1.
    pub cosine: f32,
}

/// An index of vectors by row: what the two kinds of this crate have in common, and what the tests
/// of one suite hold both to.
pub trait VectorIndex {
    /// Gives a row its vector, whose length does not matter.
    ///
    /// # Errors
    /// [`VectorError::RowTaken`], [`VectorError::WrongLength`], [`VectorError::NotFinite`] or
    /// [`VectorError::Zero`].
    fn insert(&mut self, row: Row, vector: &[f32]) -> Result<(), VectorError>;

    /// Removes the vector of a row; answers whether it had one.
    fn remove(&mut self, row: Row) -> bool;

    /// How many rows have a vector.
    fn rows(&self) -> usize;

    /// The `k` rows with the highest cosine among those for which `filter` holds, best first, of
    /// equal ones the lower row first. Which rows these are may be approximate; there are never
    /// fewer than `k` while enough rows pass the filter.
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert) that the vector causes.
    fn nearest(
        &self,
        vector: &[f32],
        k: usize,
        filter: &dyn Fn(Row) -> bool,
    ) -> Result<Vec<Hit>, VectorError>;
}

impl VectorIndex for Index {
    fn insert(&mut self, row: Row, vector: &[f32]) -> Result<(), VectorError> {
        self.append(row, &self.shape.encode(vector)?)
    }

    fn remove(&mut self, row: Row) -> bool {
        Self::remove(self, row)
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn nearest(
        &self,
        vector: &[f32],
        k: usize,
        filter: &dyn Fn(Row) -> bool,
    ) -> Result<Vec<Hit>, VectorError> {
        Ok(self.search(&self.shape.query(vector)?, k, None, filter))
    }
}

/// The vectors of one namespace: cheap to clone (a clone is a snapshot that shares everything),
/// searched by any number of threads, changed by one.
///
/// Small ones are compared row by row. Large ones have a [`Graph`] over the rows of some commit and
/// compare only the newer rows, the tail, one by one.
#[derive(Debug, Clone)]
pub struct Index {
    shape: Shape,
    settings: Arc<VectorSettings>,
    graph: Option<Arc<Graph>>,
    tail: Tail,
    removals: Removals,
}

/// Rows removed lately: what a graph from an earlier snapshot has too much. Only the newest are
/// kept.
#[derive(Debug, Clone, Default)]
struct Removals {
    count: u64,
    newest: Arc<Vec<Row>>,
}

/// How many removed rows are kept by name; after more, adopting a graph looks every row up.
const REMEMBERED: usize = 4096;

impl Removals {
    fn add(&mut self, row: Row) {
        let newest = Arc::make_mut(&mut self.newest);
        if newest.len() >= 2 * REMEMBERED {
            newest.drain(..REMEMBERED);
        }
        newest.push(row);
        self.count += 1;
    }

    /// Those after the first `count`, where they are still known.
    fn since(&self, count: u64) -> Option<&[Row]> {
        let back = usize::try_from(self.count.checked_sub(count)?).ok()?;
        self.newest.get(self.newest.len().checked_sub(back)?..)
    }
}

impl Index {
    /// An empty index.
    #[must_use]
    pub fn new(shape: Shape, settings: VectorSettings) -> Self {
        let tail = Tail::new(shape, capacity(shape, degree(&settings)));
        Self {
            shape,
            settings: Arc::new(settings),
            graph: None,
            tail,
            removals: Removals::default(),
        }
    }

    /// The shape of its vectors.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Its thresholds.
    #[must_use]
    pub fn settings(&self) -> &VectorSettings {
        &self.settings
    }

    /// Rows with a vector.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tail.len() + self.graph.as_ref().map_or(0, |g| g.len())
    }

    /// Whether no row has a vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows that are outside the graph and compared one by one.
    #[must_use]
    pub const fn outside(&self) -> usize {
        self.tail.len()
    }

    /// The graph, when there is one.
    #[must_use]
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_deref()
    }

    /// Memory in bytes; what snapshots share counts in each.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.tail.bytes() + self.graph.as_ref().map_or(0, |g| g.bytes())
    }

    /// Gives a row its vector. Rows above all others are the cheap case; any order works.
    ///
    /// # Errors
    /// [`VectorError::RowTaken`], or [`VectorError::WrongLength`].
    pub fn append(&mut self, row: Row, code: &Code) -> Result<(), VectorError> {
        if code.dims() != self.shape.dims() {
            return Err(VectorError::WrongLength {
                got: code.dims(),
                expected: self.shape.dims(),
            });
        }
        if self
            .graph
            .as_ref()
            .and_then(|g| g.nodes().place(row))
            .is_some_and(|(b, at)| b.scale(at) > 0.0)
        {
            return Err(VectorError::RowTaken { row });
        }
        self.tail.insert(row, code)
    }

    /// Removes the vector of a row; answers whether it had one.
    pub fn remove(&mut self, row: Row) -> bool {
        let in_graph = self
            .graph
            .as_ref()
            .and_then(|g| g.nodes().place(row))
            .is_some_and(|(b, at)| b.scale(at) > 0.0);
        let removed = match self.graph.as_mut().filter(|_| in_graph) {
            Some(graph) => Arc::make_mut(graph).erase(row),
            None => self.tail.remove(row),
        };
        if removed {
            self.removals.add(row);
        }
        removed
    }

    /// Whether a row has a vector.
    #[must_use]
    pub fn contains(&self, row: Row) -> bool {
        self.place(row).is_some()
    }

    /// Where the codes of a row are.
    fn place(&self, row: Row) -> Option<(&Block, usize)> {
        let in_graph = || self.graph.as_ref().and_then(|g| g.nodes().place(row));
        self.tail
            .find(row)
            .or_else(in_graph)
            .filter(|(block, at)| block.scale(*at) > 0.0)
    }

    /// The cosine of a row with a query; `None` for a row without a vector.
    #[must_use]
    pub fn similarity(&self, row: Row, query: &Query) -> Option<f32> {
        let (block, at) = self.place(row)?;
        Some(query.cosine(
            Kernels::detect(),
            block.lines(at, self.shape.lines()),
            block.scale(at),
        ))
    }

    /// The cosine of two rows; `None` when one of them has no vector.
    #[must_use]
    pub fn between(&self, a: Row, b: Row) -> Option<f32> {
        let ((left, at), (right, to)) = (self.place(a)?, self.place(b)?);
        let (kernels, stride) = (Kernels::detect(), self.shape.lines());
        let dot = kernels.dot(
            kernels.probe(left.lines(at, stride)),
            right.lines(to, stride),
        );
        Some(cosine(dot, left.scale(at) * right.scale(to)))
    }

    /// The vector of a row as a query; `None` for a row without one.
    #[must_use]
    pub fn query_of(&self, row: Row) -> Option<Query> {
        let (block, at) = self.place(row)?;
        let lines = block.lines(at, self.shape.lines());
        Some(Code::of_row(self.shape.dims(), block.scale(at), lines).into())
    }

    fn seek<'a>(&self, query: &'a Query) -> Seek<'a> {
        Seek {
            kernels: Kernels::detect(),
            probe: query.probe(),
            scale: query.probe_scale(),
            stride: self.shape.lines(),
        }
    }

    /// The `k` rows with the highest cosine among those for which `filter` holds, best first, of
    /// equal ones the lower row first. With a graph the result is approximate, but never shorter
    /// than `k` while enough rows pass the filter.
    ///
    /// `width` is the number of candidates kept in the graph; `None` takes the settings'. It grows
    /// by itself when the filter lets few rows pass. The filter may be asked more than once about
    /// a row and must answer alike.
    #[must_use]
    pub fn search(
        &self,
        query: &Query,
        k: usize,
        width: Option<usize>,
        filter: impl Fn(Row) -> bool,
    ) -> Vec<Hit> {
        if query.dims() != self.shape.dims() || k == 0 {
            return Vec::new();
        }
        let seek = self.seek(query);
        let mut top = Top::new(generous(k));
        if let Some(graph) = &self.graph {
            let width = width
                .unwrap_or(self.settings.search_candidates as usize)
                .max(generous(k));
            self.search_graph(graph, &seek, width, &filter, &mut top);
        }
        self.tail.scan(&seek, false, &filter, &mut top);
        self.refine(top, query, k)
    }

    /// The best k of the candidates by their final cosines.
    fn refine(&self, candidates: Top, query: &Query, k: usize) -> Vec<Hit> {
        let mut top = Top::new(k);
        for (row, _) in candidates.into_sorted() {
            if let Some(cosine) = self.similarity(Row(row), query) {
                top.push(cosine, row);
            }
        }
        top.into_sorted()
            .into_iter()
            .map(|(row, cosine)| Hit {
                row: Row(row),
                cosine,
            })
            .collect()
    }

    fn search_graph(
        &self,
        graph: &Graph,
        seek: &Seek<'_>,
        width: usize,
        filter: &impl Fn(Row) -> bool,
        top: &mut Top,
    ) {
        let plan = Plan::choose(graph, width, filter);
        if let Plan::Walk(width) = plan {
            graph.search(seek, width, filter, top);
            if top.is_full() || top.len() == graph.len() {
                return;
            }
            top.clear();
        }
        graph.scan(seek, plan == Plan::Pick, filter, top);
    }

    /// The same without a graph's approximation: every row is compared.
    #[must_use]
    pub fn search_exact(&self, query: &Query, k: usize, filter: impl Fn(Row) -> bool) -> Vec<Hit> {
        if query.dims() != self.shape.dims() || k == 0 {
            return Vec::new();
        }
        let seek = self.seek(query);
        let mut top = Top::new(generous(k));
        if let Some(graph) = &self.graph {
            graph.scan(&seek, false, &filter, &mut top);
        }
        self.tail.scan(&seek, false, &filter, &mut top);
        self.refine(top, query, k)
    }

    /// Whether a graph should be built (or built anew) by the settings' thresholds.
    #[must_use]
    pub fn wants_build(&self) -> bool {
        let many = self.len() > self.settings.exact_up_to_rows as usize;
        let spoiled = self
            .graph
            .as_ref()
            .is_some_and(|g| g.removed() > g.len() / 4);
        let limit = match self.settings.tail_up_to_rows as usize {
            0 => 0,
            // A larger graph may have a longer tail: storing it anew costs more than comparing some
            // rows.
            rows => rows.max(self.graph.as_ref().map_or(0, |g| g.len() / TAIL_SHARE)),
        };
        many && (self.tail.len() > limit || spoiled)
    }

    /// Builds a graph over all rows of this snapshot, which reflects `commit`; where there is a
    /// graph already, only the rows outside it are inserted. Takes long: meant for a background
    /// thread; the result goes to [`adopt`](Self::adopt) of the then current index.
    ///
    /// # Errors
    /// [`VectorError::Cancelled`] when `progress` breaks; [`VectorError::TooManyRows`].
    pub fn build(&self, commit: Commit, progress: &mut Progress<'_>) -> Result<Graph, VectorError> {
        let recipe = Recipe {
            degree: degree(&self.settings),
            width: self.settings.build_candidates as usize,
            threads: self.settings.build_threads as usize,
            ..Recipe::default()
        };
        self.build_with(commit, recipe, progress)
    }

    /// The same with another recipe than the settings'.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn build_with(
        &self,
        commit: Commit,
        recipe: Recipe,
        progress: &mut Progress<'_>,
    ) -> Result<Graph, VectorError> {
        let capacity = capacity(self.shape, recipe.degree);
        let mut sources: Vec<Arc<Block>> = self
            .graph
            .as_ref()
            .map_or(Vec::new(), |g| g.nodes().blocks().to_vec());
        sources.extend_from_slice(self.tail.blocks());
        let blocks = pack(self.shape, capacity, &sources);
        drop(sources);
        let graph = Graph::build(self.shape, blocks, commit, recipe, self.graph(), progress)?;
        Ok(graph.with_removals(self.removals.count))
    }

    /// Builds and adopts at once: for tests, tools and imports that nothing else waits for.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn fold(&mut self, commit: Commit) -> Result<(), VectorError> {
        let graph = self.build(commit, &mut |_, _| ControlFlow::Continue(()))?;
        self.adopt(graph);
        Ok(())
    }

    /// Puts a graph in place that comes from disk, where deletions have been carried out.
    pub(crate) fn adopt_loaded(&mut self, graph: Graph) {
        self.graph = Some(Arc::new(graph));
    }

    /// Puts a graph in place that was built from an earlier snapshot of this index: rows removed
    /// since are removed from it, rows added since stay in the tail.
    pub fn adopt(&mut self, mut graph: Graph) {
        let gone: Vec<Row> = match self.removals.since(graph.removals()) {
            Some(newest) => newest.to_vec(),
            None => graph.rows().filter(|row| !self.contains(*row)).collect(),
        };
        for row in gone {
            graph.erase(row);
        }
        let mut rows = graph.nodes().rows().peekable();
        self.tail.drop_rows(|row| {
            while rows.next_if(|other| *other < row).is_some() {}
            rows.peek() == Some(&row)
        });
        drop(rows);
        self.graph = Some(Arc::new(graph));
    }
}

/// The part of a graph's rows that its tail may have, whatever the settings.
const TAIL_SHARE: usize = 8;

fn degree(settings: &VectorSettings) -> usize {
    (settings.degree as usize).clamp(4, 256)
}

/// Candidates by 8 bits of the query among which the best k by 16 bits are.
const fn generous(k: usize) -> usize {
    k.saturating_add(k / 4).saturating_add(16)
}
