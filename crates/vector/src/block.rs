//! Some hundreds of rows with their codes: the unit that snapshots share and that is stored.

use annals_types::Row;

use crate::code::{Code, Shape, cosine, scale};
use crate::kernels::{Kernels, Line, Probe, prefetch};
use crate::top::Top;

/// A stored block of codes stays below this, so that with key, version and checksum it fits 128
/// KiB: redb rounds a large value up to a power of two of pages.
const CODE_BYTES: usize = (128 << 10) - 512;
/// The same for the neighbours of as many rows. A block of a graph made before degrees grew held
/// fewer: each graph says how many.
const LINK_BYTES: usize = (128 << 10) - 512;

/// Rows of a full block.
pub(crate) fn capacity(shape: Shape, degree: usize) -> usize {
    let by_codes = CODE_BYTES / (shape.dims() + size_of::<u32>());
    let by_links = LINK_BYTES / (degree.max(1) * size_of::<u32>());
    by_codes.min(by_links).clamp(1, 1024)
}

/// Rows in rising order, their scales and their codes, one after another. A scale of 0 marks a
/// removed row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    rows: Vec<u32>,
    scales: Vec<f32>,
    lines: Vec<Line>,
}

impl Block {
    pub(crate) fn with_room(shape: Shape, rows: usize) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
            scales: Vec::with_capacity(rows),
            lines: Vec::with_capacity(rows * shape.lines()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(crate) fn first(&self) -> Option<u32> {
        self.rows.first().copied()
    }

    pub(crate) fn last(&self) -> Option<u32> {
        self.rows.last().copied()
    }

    /// Rows that are not removed.
    pub(crate) fn live(&self) -> usize {
        self.scales.iter().filter(|s| **s > 0.0).count()
    }

    /// The place of a row, removed or not; else where it would be inserted.
    pub(crate) fn find(&self, row: Row) -> Result<usize, usize> {
        // Without gaps the place follows from the first row.
        let guess = self
            .rows
            .first()
            .and_then(|first| row.0.checked_sub(*first))
            .map(|gap| gap as usize);
        match guess {
            Some(at) if self.rows.get(at) == Some(&row.0) => Ok(at),
            _ => self.rows.binary_search(&row.0),
        }
    }

    #[inline]
    pub(crate) fn row(&self, at: usize) -> Option<u32> {
        self.rows.get(at).copied()
    }

    /// One over the length of the codes; 0 for a removed row and where there is none.
    #[inline]
    pub(crate) fn scale(&self, at: usize) -> f32 {
        self.scales.get(at).copied().unwrap_or(0.0)
    }

    #[inline]
    pub(crate) fn lines(&self, at: usize, stride: usize) -> &[Line] {
        self.lines
            .get(at * stride..(at + 1) * stride)
            .unwrap_or(&[])
    }

    #[inline]
    pub(crate) fn prefetch(&self, at: usize, stride: usize) {
        prefetch(self.lines(at, stride));
        prefetch(self.scales.get(at..=at).unwrap_or(&[]));
    }

    /// Makes room for one more row: doubling, but never beyond a full block.
    fn grow(&mut self, stride: usize, capacity: usize) {
        let len = self.rows.len();
        if len == self.rows.capacity() || self.lines.len() + stride > self.lines.capacity() {
            let more = len.max(4).min(capacity.saturating_sub(len).max(1));
            self.rows.reserve_exact(more);
            self.scales.reserve_exact(more);
            self.lines.reserve_exact(more * stride);
        }
    }

    /// Appends a row above all others. Lines beyond the stride are ignored, missing ones are zero.
    pub(crate) fn push(&mut self, row: u32, lines: &[Line], scale: f32, stride: usize) {
        self.rows.push(row);
        self.scales.push(scale);
        self.lines.extend(
            lines
                .iter()
                .copied()
                .chain(std::iter::repeat(Line::ZERO))
                .take(stride),
        );
    }

    /// Inserts a row at its place.
    pub(crate) fn insert(
        &mut self,
        at: usize,
        row: Row,
        code: &Code,
        stride: usize,
        capacity: usize,
    ) {
        self.grow(stride, capacity);
        self.rows.insert(at.min(self.rows.len()), row.0);
        self.scales.insert(at.min(self.scales.len()), code.scale);
        let start = (at * stride).min(self.lines.len());
        self.lines.splice(start..start, code.lines.iter().copied());
    }

    /// Zeroes a row in place: what stays is its number.
    pub(crate) fn erase(&mut self, at: usize, stride: usize) {
        if let Some(scale) = self.scales.get_mut(at) {
            *scale = 0.0;
        }
        if let Some(lines) = self.lines.get_mut(at * stride..(at + 1) * stride) {
            lines.fill(Line::ZERO);
        }
    }

    /// Takes a row out altogether: the following ones move up.
    pub(crate) fn take_out(&mut self, at: usize, stride: usize) {
        if at < self.rows.len() {
            self.rows.remove(at);
            self.scales.remove(at);
            self.lines.drain(at * stride..(at + 1) * stride);
        }
    }

    /// The rows from a place on, moved to a block of their own.
    pub(crate) fn split_off(&mut self, at: usize, stride: usize) -> Self {
        let at = at.min(self.rows.len());
        Self {
            rows: self.rows.split_off(at),
            scales: self.scales.split_off(at),
            lines: self.lines.split_off((at * stride).min(self.lines.len())),
        }
    }

    /// This block followed by another whose rows are all above.
    pub(crate) fn joined(&self, next: &Self) -> Self {
        let (mut rows, mut scales, mut lines) =
            (self.rows.clone(), self.scales.clone(), self.lines.clone());
        rows.extend_from_slice(&next.rows);
        scales.extend_from_slice(&next.scales);
        lines.extend_from_slice(&next.lines);
        Self {
            rows,
            scales,
            lines,
        }
    }

    /// Compares every row; those that pass the filter and are among the best enter `top`.
    pub(crate) fn scan(
        &self,
        seek: &Seek<'_>,
        dots: &mut Vec<i32>,
        filter: &impl Fn(Row) -> bool,
        top: &mut Top,
    ) {
        seek.kernels.dots(seek.probe, &self.lines, dots);
        for ((dot, scale), row) in dots.iter().zip(&self.scales).zip(&self.rows) {
            let score = cosine(*dot, seek.scale * scale);
            if *scale > 0.0 && top.admits(score, *row) && filter(Row(*row)) {
                top.push(score, *row);
            }
        }
    }

    /// Compares only the rows that pass the filter: better when few do.
    pub(crate) fn pick(&self, seek: &Seek<'_>, filter: &impl Fn(Row) -> bool, top: &mut Top) {
        for (at, row) in self.rows.iter().enumerate() {
            if self.scale(at) > 0.0 && filter(Row(*row)) {
                top.push(seek.score(self, at), *row);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u32>()
            + self.scales.capacity() * size_of::<f32>()
            + self.lines.capacity() * size_of::<Line>()
    }

    /// From rows and codes as they are stored: `dims` bytes a row.
    pub(crate) fn from_codes(shape: Shape, rows: Vec<u32>, codes: &[u8]) -> Self {
        let stride = shape.lines();
        let mut lines = Vec::with_capacity(rows.len() * stride);
        if shape.dims() == stride * crate::kernels::LINE {
            lines.extend(codes.as_chunks().0.iter().map(|line| Line(*line)));
        } else {
            for row in codes.chunks_exact(shape.dims()) {
                lines.extend(row.chunks(crate::kernels::LINE).map(Line::read));
            }
        }
        lines.resize(rows.len() * stride, Line::ZERO);
        let scales = lines.chunks_exact(stride).map(scale).collect();
        Self {
            rows,
            scales,
            lines,
        }
    }
}

/// A query at work: what a comparison needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seek<'a> {
    pub(crate) kernels: Kernels,
    pub(crate) probe: Probe<'a>,
    pub(crate) scale: f32,
    pub(crate) stride: usize,
}

impl Seek<'_> {
    /// The cosine with a row of a block; 0 when it is removed.
    #[inline]
    pub(crate) fn score(&self, block: &Block, at: usize) -> f32 {
        cosine(
            self.kernels.dot(self.probe, block.lines(at, self.stride)),
            self.scale * block.scale(at),
        )
    }
}
