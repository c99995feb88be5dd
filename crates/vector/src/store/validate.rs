//! Checks the stored graph against the stored vectors.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::Row;

use crate::code::Shape;
use crate::error::VectorError;
use crate::store::generation::Generations;
use crate::store::{CODES, GRAPH_CODES, LATE, Space, VERSION, key, last_part, load};

/// A contradiction between the stored graph and the stored vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// A vector that is not what the embedder's shape says.
    #[error("row {}: the stored vector cannot be read: {detail}", row.0)]
    Unreadable {
        /// The row.
        row: Row,
        /// Why.
        detail: String,
    },
    /// The graph has codes of a row that has no vector: a deletion left a trace.
    #[error("row {}: the graph has codes of a vector that does not exist", row.0)]
    Trace {
        /// The row.
        row: Row,
    },
    /// The graph has other codes.
    #[error("row {}: the graph has other codes than the vector", row.0)]
    Different {
        /// The row.
        row: Row,
    },
    /// A vector that the graph should hold and does not.
    #[error("row {}: the graph lacks the vector", row.0)]
    Missing {
        /// The row.
        row: Row,
    },
    /// The graph cannot be read.
    #[error("the graph cannot be read: {detail}")]
    Graph {
        /// Why.
        detail: String,
    },
}

impl Space {
    /// Compares every generation of the stored graph with the stored vectors; an empty list means
    /// that all is well.
    ///
    /// # Errors
    /// When storage fails.
    pub fn validate(
        self,
        reads: &(impl Reads + ?Sized),
        shape: Shape,
    ) -> Result<Vec<Finding>, VectorError> {
        let mut findings = Vec::new();
        let generations = match Generations::read(reads, self)? {
            Ok(generations) => generations,
            Err(version) => {
                findings.push(Finding::Graph {
                    detail: format!("unknown version {version}"),
                });
                return Ok(findings);
            }
        };
        let mut rows = self.all_rows(reads, shape, &mut findings)?;
        let late = self.marked(reads, LATE)?;
        for own in &generations.list {
            let current = generations
                .current()
                .is_some_and(|c| c.number == own.number);
            let prefix = key(&[self.namespace.0, self.number, own.number]);
            reads.scan(
                &[KeyRange::prefix(GRAPH_CODES, &prefix)],
                &mut |_, _, version, body| {
                    match load::decode(shape, body).filter(|_| version == VERSION) {
                        None => findings.push(Finding::Graph {
                            detail: "a block of another form".to_owned(),
                        }),
                        Some(block) => compare(&block, shape, current, &mut rows, &mut findings),
                    }
                    Ok(ControlFlow::Continue(()))
                },
            )?;
        }
        if let Some(own) = generations.current() {
            let lacking = rows.iter().filter(|(row, _, seen)| {
                !seen && u64::from(*row) < own.rows_end && !late.contains(&Row(*row))
            });
            findings.extend(lacking.map(|(row, _, _)| Finding::Missing { row: Row(*row) }));
        }
        Ok(findings)
    }

    fn all_rows(
        self,
        reads: &(impl Reads + ?Sized),
        shape: Shape,
        findings: &mut Vec<Finding>,
    ) -> Result<Vec<(u32, u64, bool)>, VectorError> {
        let mut rows = Vec::new();
        reads.scan(
            &[KeyRange::prefix(CODES, &self.prefix())],
            &mut |_, key, version, body| {
                let row = last_part(key).unwrap_or(0);
                match shape.decode(body) {
                    Ok(code) if version == VERSION => rows.push((row, digest(&code.lines), false)),
                    Ok(_) => findings.push(Finding::Unreadable {
                        row: Row(row),
                        detail: format!("version {version}"),
                    }),
                    Err(error) => findings.push(Finding::Unreadable {
                        row: Row(row),
                        detail: error.to_string(),
                    }),
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        Ok(rows)
    }
}

fn compare(
    block: &crate::block::Block,
    shape: Shape,
    current: bool,
    rows: &mut [(u32, u64, bool)],
    findings: &mut Vec<Finding>,
) {
    for (at, row) in block
        .rows()
        .iter()
        .enumerate()
        .filter(|(at, _)| block.scale(*at) > 0.0)
    {
        let found = rows
            .binary_search_by_key(row, |r| r.0)
            .ok()
            .and_then(|i| rows.get_mut(i));
        match found {
            None => findings.push(Finding::Trace { row: Row(*row) }),
            Some((_, expected, _)) if *expected != digest(block.lines(at, shape.lines())) => {
                findings.push(Finding::Different { row: Row(*row) });
            }
            Some((_, _, seen)) => *seen |= current,
        }
    }
}

fn digest(lines: &[crate::kernels::Line]) -> u64 {
    crate::graph::hash(lines)
}
