//! A second index: the hierarchical navigable small world of `hnsw_rs` (Malkov and Yashunin, 2016).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use annals_types::Row;
use hnsw_rs::prelude::{Distance, Hnsw};

use crate::{Hit, MAX_DIMS, VectorError, VectorIndex};

/// How the graph of an [`HnswIndex`] is built and searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HnswSettings {
    /// Neighbours of a node on every layer but the lowest, which has twice as many. Default 24.
    pub neighbours: u8,
    /// Candidates kept while a row is inserted. Default 200.
    pub build_candidates: usize,
    /// Candidates kept during a search. Default 256.
    pub search_candidates: usize,
    /// The rows for which room is made at the beginning. Default 10,000.
    pub expected_rows: usize,
}

impl Default for HnswSettings {
    fn default() -> Self {
        Self {
            neighbours: 24,
            build_candidates: 200,
            search_candidates: 256,
            expected_rows: 10_000,
        }
    }
}

/// Layers of a graph; `hnsw_rs` allows no more.
const LAYERS: usize = 16;

/// Vectors in a graph of `hnsw_rs`, as single-precision numbers: four times the memory of
/// [`Index`](crate::Index), built row by row, never frozen or stored.
///
/// `hnsw_rs` deletes nothing: a removed row stays in the graph and is passed over by searches. It
/// is meant for comparisons, and for programs that have such a graph already.
pub struct HnswIndex {
    dims: usize,
    settings: HnswSettings,
    graph: Hnsw<'static, f32, Cosine>,
    /// The row of each number in the graph; `None` for a removed one.
    rows: Vec<Option<Row>>,
    numbers: BTreeMap<Row, usize>,
}

impl std::fmt::Debug for HnswIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HnswIndex")
            .field("dims", &self.dims)
            .field("settings", &self.settings)
            .field("rows", &self.numbers.len())
            .finish_non_exhaustive()
    }
}

/// One minus the cosine of two vectors of length 1.
#[derive(Debug, Clone, Copy, Default)]
struct Cosine;

impl Distance<f32> for Cosine {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        // A graph has no place for the negative distances that rounding would leave.
        (1.0 - dot(a, b)).max(0.0)
    }
}

/// The numbers that are added up side by side.
const LANES: usize = 16;

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a
        .remainder()
        .iter()
        .zip(b.remainder())
        .map(|(a, b)| a * b)
        .sum();
    let mut sums = [0.0; LANES];
    for (a, b) in a.zip(b) {
        sums.iter_mut()
            .zip(a.iter().zip(b))
            .for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f32>() + rest
}

impl HnswIndex {
    /// An empty index of vectors of `dims` numbers.
    ///
    /// # Errors
    /// [`VectorError::BadDims`].
    pub fn new(dims: usize, settings: HnswSettings) -> Result<Self, VectorError> {
        if dims == 0 || dims > MAX_DIMS {
            return Err(VectorError::BadDims { dims });
        }
        let HnswSettings {
            neighbours,
            build_candidates,
            expected_rows,
            ..
        } = settings;
        let graph = Hnsw::new(
            usize::from(neighbours),
            expected_rows,
            LAYERS,
            build_candidates,
            Cosine,
        );
        Ok(Self {
            dims,
            settings,
            graph,
            rows: Vec::new(),
            numbers: BTreeMap::new(),
        })
    }

    /// The vector with length 1.
    fn unit(&self, vector: &[f32]) -> Result<Vec<f32>, VectorError> {
        if vector.len() != self.dims {
            return Err(VectorError::WrongLength {
                got: vector.len(),
                expected: self.dims,
            });
        }
        if let Some(position) = vector.iter().position(|x| !x.is_finite()) {
            return Err(VectorError::NotFinite { position });
        }
        // Divided by the largest number first, the squares stay finite.
        let most = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        if most <= 0.0 {
            return Err(VectorError::Zero);
        }
        let scaled: Vec<f32> = vector.iter().map(|x| x / most).collect();
        let length = dot(&scaled, &scaled).sqrt();
        Ok(scaled.into_iter().map(|x| x / length).collect())
    }

    fn row(&self, number: usize) -> Option<Row> {
        self.rows.get(number).copied().flatten()
    }

    /// The hits among all rows, compared one by one: where a filter leaves the graph's search too
    /// few.
    fn scan(&self, unit: &[f32], filter: &dyn Fn(Row) -> bool) -> Vec<Hit> {
        let points = self.graph.get_point_indexation().into_iter();
        let hit = |number: usize, vector: &[f32]| {
            let row = self.row(number).filter(|row| filter(*row))?;
            Some(Hit {
                row,
                cosine: dot(unit, vector),
            })
        };
        points
            .filter_map(|point| hit(point.get_origin_id(), point.get_v()))
            .collect()
    }
}

impl VectorIndex for HnswIndex {
    fn insert(&mut self, row: Row, vector: &[f32]) -> Result<(), VectorError> {
        let unit = self.unit(vector)?;
        if self.numbers.contains_key(&row) {
            return Err(VectorError::RowTaken { row });
        }
        let number = self.rows.len();
        self.graph.insert((&unit, number));
        self.rows.push(Some(row));
        self.numbers.insert(row, number);
        Ok(())
    }

    fn remove(&mut self, row: Row) -> bool {
        let Some(number) = self.numbers.remove(&row) else {
            return false;
        };
        if let Some(place) = self.rows.get_mut(number) {
            *place = None;
        }
        true
    }

    fn rows(&self) -> usize {
        self.numbers.len()
    }

    fn nearest(
        &self,
        vector: &[f32],
        k: usize,
        filter: &dyn Fn(Row) -> bool,
    ) -> Result<Vec<Hit>, VectorError> {
        let unit = self.unit(vector)?;
        if k == 0 {
            return Ok(Vec::new());
        }
        let keep = |number: &usize| self.row(*number).is_some_and(filter);
        let width = self.settings.search_candidates.max(k);
        let found = self.graph.search_filter(&unit, k, width, Some(&keep));
        let hit = |found: hnsw_rs::prelude::Neighbour| {
            Some(Hit {
                row: self.row(found.d_id)?,
                cosine: 1.0 - found.distance,
            })
        };
        let mut hits: Vec<Hit> = found.into_iter().filter_map(hit).collect();
        if hits.len() < k.min(self.numbers.len()) {
            hits = self.scan(&unit, filter);
        }
        hits.sort_by(best_first);
        hits.truncate(k);
        Ok(hits)
    }
}

/// Best first, of equal ones the lower row first.
fn best_first(a: &Hit, b: &Hit) -> Ordering {
    b.cosine.total_cmp(&a.cosine).then(a.row.cmp(&b.row))
}
