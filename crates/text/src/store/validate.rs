//! Compares what is derived with the forward lists.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::{NamespaceId, Row};

use super::layout::{BODY_VERSION, FORWARD, SEGMENT, chunk_key, forward_key, lengths_key, row_of};
use super::manifest::Manifest;
use super::{open, read_forward};
use crate::error::{Damage, TextError};
use crate::forward::{Forward, Lengths};
use crate::segment::{Chunk, Header, LENGTHS_PER_VALUE, SegmentId, decode_lengths, decode_list};
use crate::term::Term;

/// Something that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A forward list is damaged.
    Forward {
        /// Its row.
        row: u32,
    },
    /// A posting that the forward lists ask for is missing, or its count is another.
    Missing {
        /// The segment.
        segment: u32,
        /// The row.
        row: u32,
        /// The term.
        term: Term,
    },
    /// A posting that no forward list asks for.
    Surplus {
        /// The segment.
        segment: u32,
        /// The row.
        row: u32,
        /// The term.
        term: Term,
    },
    /// A stored length is not that of the forward list.
    Length {
        /// The segment.
        segment: u32,
        /// The row.
        row: u32,
    },
    /// Documents or total length of a segment are wrong.
    Statistics {
        /// The segment.
        segment: u32,
    },
    /// A row below the folded rows is in no segment.
    Unfolded {
        /// The row.
        row: u32,
    },
    /// Manifest, header, chunk or lengths cannot be read.
    Unreadable {
        /// The segment, where it is one.
        segment: Option<u32>,
        /// Why.
        reason: String,
    },
}

/// The result of [`validate`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Forward lists read.
    pub documents: u64,
    /// Segments read.
    pub segments: u64,
    /// Forward lists of another analyser version.
    pub stale: u64,
    /// All differences.
    pub count: u64,
    /// The first hundred of them.
    pub differences: Vec<Difference>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.count == 0
    }

    fn note(&mut self, difference: Difference) {
        const SHOWN: usize = 100;
        self.count += 1;
        if self.differences.len() < SHOWN {
            self.differences.push(difference);
        }
    }
}

/// Reads everything of a namespace and compares forward lists, segments and statistics. Uses
/// memory for one segment at a time.
///
/// # Errors
/// When storage cannot be read at all; damage is reported, not returned.
pub fn validate(reads: &impl Reads, namespace: NamespaceId) -> Result<Report, TextError> {
    let mut report = Report::default();
    let manifest = match Manifest::read(reads, namespace) {
        Ok(manifest) => manifest,
        Err(error) => {
            report.note(unreadable(None, error)?);
            Manifest::default()
        }
    };
    let headers = match open::headers(reads, namespace, &manifest) {
        Ok(headers) => headers,
        Err(error) => {
            report.note(unreadable(None, error)?);
            Vec::new()
        }
    };
    let mut next = 0;
    for (id, header) in manifest.segments.iter().zip(&headers) {
        for (row, _) in forwards(reads, namespace, next..header.first, &mut report)? {
            report.note(Difference::Unfolded { row });
        }
        let rows = forwards(reads, namespace, header.first..header.end(), &mut report)?;
        report.segments += 1;
        if let Err(error) = compare(reads, namespace, *id, header, &rows, &mut report) {
            report.note(unreadable(Some(*id), error)?);
        }
        next = header.end();
    }
    for (row, _) in forwards(reads, namespace, next..u32::MAX, &mut report)? {
        if row < manifest.folded && !headers.is_empty() {
            report.note(Difference::Unfolded { row });
        }
    }
    Ok(report)
}

/// Damage as a difference; other errors as they are.
fn unreadable(segment: Option<u32>, error: TextError) -> Result<Difference, TextError> {
    match error {
        TextError::Storage(error) if !error.is_corruption() => Err(TextError::Storage(error)),
        error => Ok(Difference::Unreadable {
            segment,
            reason: error.to_string(),
        }),
    }
}

fn forwards(
    reads: &impl Reads,
    namespace: NamespaceId,
    rows: std::ops::Range<u32>,
    report: &mut Report,
) -> Result<Vec<(u32, Forward)>, TextError> {
    let key = |row: u32| forward_key(namespace, Row(row));
    let range = KeyRange::between(FORWARD, &key(rows.start), &key(rows.end));
    let mut out = Vec::new();
    reads.scan(&[range], &mut |_, key, version, body| {
        let Some(row) = row_of(key) else {
            return Ok(ControlFlow::Continue(()));
        };
        match read_forward(row, version, body) {
            Ok(Some(forward)) => out.push((row.0, forward)),
            Ok(None) => report.stale += 1,
            Err(_) => report.note(Difference::Forward { row: row.0 }),
        }
        Ok(ControlFlow::Continue(()))
    })?;
    report.documents += out.len() as u64;
    Ok(out)
}

fn compare(
    reads: &impl Reads,
    namespace: NamespaceId,
    id: SegmentId,
    header: &Header,
    rows: &[(u32, Forward)],
    report: &mut Report,
) -> Result<(), TextError> {
    let total: u64 = rows
        .iter()
        .map(|(_, f)| u64::from(f.lengths().total()))
        .sum();
    if header.documents as usize != rows.len() || header.total_length != total {
        report.note(Difference::Statistics { segment: id });
    }
    compare_lengths(reads, namespace, id, header, rows, report)?;
    let mut expected: Vec<(Term, u32, u32)> = rows
        .iter()
        .flat_map(|(row, f)| {
            f.entries()
                .iter()
                .map(move |(term, counts)| (*term, *row, counts.total()))
        })
        .collect();
    expected.sort_unstable();
    let mut expected = expected.into_iter().peekable();
    let mut list = Vec::new();
    for number in (0..).take(header.directory.len()) {
        let bytes = value(reads, &chunk_key(namespace, id, number))?;
        for entry in Chunk::new(&bytes)?.entries() {
            let (term, bytes) = entry?;
            list.clear();
            decode_list(bytes, &mut list)?;
            for posting in &list {
                let found = (
                    term,
                    posting.row.saturating_add(header.first),
                    posting.count,
                );
                while let Some((term, row, _)) =
                    expected.next_if(|e| (e.0, e.1) < (found.0, found.1))
                {
                    report.note(Difference::Missing {
                        segment: id,
                        row,
                        term,
                    });
                }
                match expected.next_if(|e| (e.0, e.1) == (found.0, found.1)) {
                    Some(same) if same == found => {}
                    Some(_) => report.note(Difference::Missing {
                        segment: id,
                        row: found.1,
                        term,
                    }),
                    None => report.note(Difference::Surplus {
                        segment: id,
                        row: found.1,
                        term,
                    }),
                }
            }
        }
    }
    for (term, row, _) in expected {
        report.note(Difference::Missing {
            segment: id,
            row,
            term,
        });
    }
    Ok(())
}

fn compare_lengths(
    reads: &impl Reads,
    namespace: NamespaceId,
    id: SegmentId,
    header: &Header,
    rows: &[(u32, Forward)],
    report: &mut Report,
) -> Result<(), TextError> {
    let count = header.rows as usize;
    let mut stored = Vec::with_capacity(count);
    for number in (0..).take(count.div_ceil(LENGTHS_PER_VALUE)) {
        let part = LENGTHS_PER_VALUE.min(count - stored.len());
        decode_lengths(
            &value(reads, &lengths_key(namespace, id, number))?,
            part,
            &mut stored,
        )?;
    }
    let mut expected = vec![Lengths::ABSENT; count];
    for (row, forward) in rows {
        if let Some(length) = expected.get_mut((row - header.first) as usize) {
            *length = forward.lengths().total();
        }
    }
    for (row, _) in (header.first..)
        .zip(stored.iter().zip(&expected))
        .filter(|(_, (a, b))| a != b)
    {
        report.note(Difference::Length { segment: id, row });
    }
    Ok(())
}

fn value(reads: &impl Reads, key: &[u8]) -> Result<Vec<u8>, TextError> {
    match reads.get(SEGMENT, key)? {
        Some(value) if value.version == BODY_VERSION => Ok(value.body),
        Some(_) => Err(Damage::Version.into()),
        None => Err(Damage::Missing.into()),
    }
}
