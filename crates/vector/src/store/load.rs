//! Loading a namespace's vectors: the graph in blocks, by several threads, and then the rows that
//! it lacks.

use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::{KeyRange, Reads, StorageError};
use annals_types::profile::VectorSettings;
use annals_types::{Commit, Row};

use crate::block::Block;
use crate::code::Shape;
use crate::error::VectorError;
use crate::graph::Graph;
use crate::index::Index;
use crate::store::generation::{Generation, Generations};
use crate::store::rows::read;
use crate::store::{CODES, GRAPH_CODES, GRAPH_LINKS, GRAPH_TWINS, LATE, Space, VERSION, last_part};

/// An index as it was loaded.
#[derive(Debug)]
pub struct Loaded {
    /// The index.
    pub index: Index,
    /// Why a stored graph was not used, although there is one: it should be built anew.
    pub rebuild: Option<Rebuild>,
    /// Whether an interrupted build left something that [`Space::clean`] should delete.
    pub leftovers: bool,
}

/// Why a stored graph cannot be used. The vectors themselves are not affected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rebuild {
    /// A newer program wrote it.
    #[error("the stored vector graph has version {version}, which this program does not know")]
    UnknownVersion {
        /// The version found.
        version: u8,
    },
    /// It is of a commit that this file has not reached, or for vectors of another length.
    #[error("the stored vector graph is not of this file's state: {detail}")]
    Stale {
        /// The mismatch.
        detail: String,
    },
    /// Blocks are missing or damaged.
    #[error("the stored vector graph is damaged: {detail}")]
    Damaged {
        /// The mismatch.
        detail: String,
    },
}

/// Why loading a graph stopped.
enum Stop {
    Rebuild(Rebuild),
    Error(VectorError),
}

impl From<StorageError> for Stop {
    fn from(error: StorageError) -> Self {
        if error.is_corruption() {
            damaged(&error.to_string())
        } else {
            Self::Error(error.into())
        }
    }
}

fn damaged(detail: &str) -> Stop {
    Stop::Rebuild(Rebuild::Damaged {
        detail: detail.to_owned(),
    })
}

type Part = (Vec<Arc<Block>>, Vec<Arc<[u32]>>);

impl Space {
    /// Loads all vectors of the space.
    ///
    /// # Errors
    /// When storage fails or vectors are damaged. A damaged graph is no error: see
    /// [`Loaded::rebuild`].
    pub fn load(
        self,
        reads: &(impl Reads + Sync + ?Sized),
        shape: Shape,
        settings: VectorSettings,
    ) -> Result<Loaded, VectorError> {
        let mut index = Index::new(shape, settings);
        let generations = match Generations::read(reads, self) {
            Ok(Ok(generations)) => generations,
            Ok(Err(version)) => {
                return self.without_graph(reads, index, Some(Rebuild::UnknownVersion { version }));
            }
            Err(VectorError::Storage(error)) if error.is_corruption() => {
                return self.without_graph(
                    reads,
                    index,
                    Some(Rebuild::Damaged {
                        detail: error.to_string(),
                    }),
                );
            }
            Err(error) => return Err(error),
        };
        let Some(current) = generations.current() else {
            return self.without_graph(reads, index, None).map(|l| Loaded {
                leftovers: !generations.list.is_empty(),
                ..l
            });
        };
        match self.load_graph(reads, current, shape) {
            Ok(graph) => index.adopt_loaded(graph),
            Err(Stop::Rebuild(reason)) => return self.without_graph(reads, index, Some(reason)),
            Err(Stop::Error(error)) => return Err(error),
        }
        if let Ok(first) = u32::try_from(current.rows_end) {
            self.load_rows(reads, &mut index, Row(first))?;
        }
        for row in self.marked(reads, LATE)? {
            if let Some(code) = self
                .get(reads, shape, row)?
                .filter(|_| !index.contains(row))
            {
                index.append(row, &code)?;
            }
        }
        Ok(Loaded {
            index,
            rebuild: None,
            leftovers: generations.list.len() > 1,
        })
    }

    fn without_graph(
        self,
        reads: &(impl Reads + ?Sized),
        mut index: Index,
        rebuild: Option<Rebuild>,
    ) -> Result<Loaded, VectorError> {
        self.load_rows(reads, &mut index, Row(0))?;
        Ok(Loaded {
            index,
            leftovers: rebuild.is_some(),
            rebuild,
        })
    }

    /// Puts all rows from one on into the tail.
    fn load_rows(
        self,
        reads: &(impl Reads + ?Sized),
        index: &mut Index,
        first: Row,
    ) -> Result<(), VectorError> {
        let shape = index.shape();
        let mut range = KeyRange::prefix(CODES, &self.prefix());
        range.start = self.row_key(first);
        let mut failed = None;
        reads.scan(&[range], &mut |_, key, version, body| {
            let result = match last_part(key) {
                Some(row) => {
                    read(shape, version, body).and_then(|code| index.append(Row(row), &code))
                }
                None => Err(VectorError::Damaged {
                    what: "vector",
                    detail: "its key is short".to_owned(),
                }),
            };
            failed = result.err();
            Ok(if failed.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        failed.map_or(Ok(()), Err)
    }

    fn load_graph(
        self,
        reads: &(impl Reads + Sync + ?Sized),
        own: &Generation,
        shape: Shape,
    ) -> Result<Graph, Stop> {
        let stale = |detail: String| Err(Stop::Rebuild(Rebuild::Stale { detail }));
        if own.commit() > reads.commit() {
            return stale(format!(
                "it reflects commit {}, the file is at {}",
                own.commit,
                reads.commit().0
            ));
        }
        if own.dims as usize != shape.dims() {
            return stale(format!(
                "it holds vectors of {} numbers, not {}",
                own.dims,
                shape.dims()
            ));
        }
        let blocks = u32::try_from(own.first_rows.len()).unwrap_or(u32::MAX);
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(8);
        let threads = u32::try_from(threads)
            .unwrap_or(1)
            .min(blocks.div_ceil(16))
            .max(1);
        let bound = |i: u32| {
            u32::try_from(u64::from(blocks) * u64::from(i) / u64::from(threads)).unwrap_or(blocks)
        };
        let parts: Vec<Result<Part, Stop>> = std::thread::scope(|scope| {
            let load = |i: u32| move || self.load_blocks(reads, own, shape, bound(i)..bound(i + 1));
            let others: Vec<_> = (1..threads).map(|i| scope.spawn(load(i))).collect();
            let mut parts = vec![load(0)()];
            parts.extend(others.into_iter().map(|t| {
                t.join()
                    .unwrap_or(Err(Stop::Error(VectorError::BuilderPanicked)))
            }));
            parts
        });
        let (mut codes, mut links) = (Vec::new(), Vec::new());
        for part in parts {
            let (c, l) = part?;
            codes.extend(c);
            links.extend(l);
        }
        let twins = self.load_twins(reads, own)?;
        let found: usize = codes.iter().map(|b| b.len()).sum();
        if found != own.nodes as usize {
            return Err(damaged(&format!(
                "{found} rows where {} were written",
                own.nodes
            )));
        }
        Ok(Graph::assemble(
            shape,
            own.capacity as usize,
            own.degree as usize,
            Commit(own.commit),
            codes,
            links,
            twins,
        ))
    }

    fn load_blocks(
        self,
        reads: &(impl Reads + ?Sized),
        own: &Generation,
        shape: Shape,
        range: std::ops::Range<u32>,
    ) -> Result<Part, Stop> {
        let (start, end) = (
            self.block_key(own.number, range.start),
            self.block_key(own.number, range.end),
        );
        let ranges = [
            KeyRange::between(GRAPH_CODES, &start, &end),
            KeyRange::between(GRAPH_LINKS, &start, &end),
        ];
        let mut parts: Part = (
            Vec::with_capacity(range.len()),
            Vec::with_capacity(range.len()),
        );
        let mut bad = None;
        reads.scan(&ranges, &mut |which, _, version, body| {
            match (version, which) {
                (VERSION, 0) => match decode(shape, body) {
                    Some(block) => parts.0.push(Arc::new(block)),
                    None => bad = Some("a block of codes with a wrong length"),
                },
                (VERSION, _) => parts.1.push(
                    body.as_chunks::<4>()
                        .0
                        .iter()
                        .map(|n| u32::from_le_bytes(*n))
                        .collect(),
                ),
                _ => bad = Some("a block of an unknown version"),
            }
            Ok(if bad.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        let whole = |at: usize, block: &Arc<Block>| {
            let full = at + 1 == own.first_rows.len() || block.len() == own.capacity as usize;
            let links = parts.1.get(at - range.start as usize).map(|l| l.len());
            full && block.first() == own.first_rows.get(at).copied()
                && links == Some(block.len() * own.degree as usize)
        };
        let fits = parts.0.len() == range.len()
            && (range.start as usize..)
                .zip(&parts.0)
                .all(|(at, block)| whole(at, block));
        match bad {
            Some(detail) => Err(damaged(detail)),
            None if !fits => Err(damaged("blocks are missing or do not fit the others")),
            None => Ok(parts),
        }
    }

    fn load_twins(
        self,
        reads: &(impl Reads + ?Sized),
        own: &Generation,
    ) -> Result<Vec<(u32, u32)>, Stop> {
        let (start, end) = (
            self.block_key(own.number, 0),
            self.block_key(own.number, own.twin_chunks),
        );
        let (mut pairs, mut chunks) = (Vec::new(), 0);
        reads.scan(
            &[KeyRange::between(GRAPH_TWINS, &start, &end)],
            &mut |_, _, version, body| {
                chunks += u32::from(version == VERSION);
                let numbers = body
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .map(|pair| u64::from_le_bytes(*pair));
                #[expect(clippy::cast_possible_truncation, reason = "the two halves of a pair")]
                pairs.extend(numbers.map(|pair| (pair as u32, (pair >> 32) as u32)));
                Ok(ControlFlow::Continue(()))
            },
        )?;
        if chunks == own.twin_chunks {
            Ok(pairs)
        } else {
            Err(damaged("pairs of equal vectors are missing"))
        }
    }
}

/// A block from its stored form.
pub(crate) fn decode(shape: Shape, body: &[u8]) -> Option<Block> {
    let (count, rest) = body.split_first_chunk::<4>()?;
    let count = u32::from_le_bytes(*count) as usize;
    let (rows, codes) = rest.split_at_checked(count.checked_mul(4)?)?;
    let rows = rows
        .as_chunks::<4>()
        .0
        .iter()
        .map(|row| u32::from_le_bytes(*row))
        .collect();
    (codes.len() == count * shape.dims()).then(|| Block::from_codes(shape, rows, codes))
}
