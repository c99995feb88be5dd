/// Rows of numbers rounded to 15 bits, in the order in which the kernels read them.
///
/// A code pair is two codes of a row in one `i32`, the first one in its low half. Rows are taken in
/// blocks, as equal as can be and never longer than the kernels like; in a block lie the first
/// pairs of all rows, then the second ones.
#[derive(Debug)]
pub(crate) struct Packed {
    pairs: Vec<i32>,
    scales: Vec<f32>,
    inputs: usize,
    largest_block: usize,
}

/// Some rows of [`Packed`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    /// For every two inputs, the pair of each row.
    pub(crate) pairs: &'a [i32],
    /// What a code of 1 stands for in each row.
    pub(crate) scales: &'a [f32],
}

impl Packed {
    /// For kernels that take up to `largest_block` rows at once.
    pub(crate) fn new(largest_block: usize) -> Self {
        Self {
            pairs: Vec::new(),
            scales: Vec::new(),
            inputs: 2,
            largest_block: largest_block.max(1),
        }
    }

    /// Makes room for rows of a length; what was there is lost.
    pub(crate) fn resize(&mut self, rows: usize, inputs: usize) {
        self.inputs = inputs.max(2);
        self.pairs.resize(rows * (self.inputs / 2), 0);
        self.scales.resize(rows, 0.0);
    }

    /// The blocks one after another, to be filled.
    #[inline(always)]
    pub(crate) fn blocks_mut(&mut self) -> impl Iterator<Item = (&mut [i32], &mut [f32])> {
        let width = self.inputs / 2;
        let (mut pairs, mut scales) = (self.pairs.as_mut_slice(), self.scales.as_mut_slice());
        block_sizes(scales.len(), self.largest_block).filter_map(move |size| {
            Some((
                pairs.split_off_mut(..size * width)?,
                scales.split_off_mut(..size)?,
            ))
        })
    }

    /// The blocks one after another.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let width = self.inputs / 2;
        let (mut pairs, mut scales) = (self.pairs.as_slice(), self.scales.as_slice());
        block_sizes(scales.len(), self.largest_block).filter_map(move |size| {
            Some(Block {
                pairs: pairs.split_off(..size * width)?,
                scales: scales.split_off(..size)?,
            })
        })
    }
}

/// The sizes of the blocks of some rows.
#[inline(always)]
fn block_sizes(rows: usize, largest: usize) -> impl Iterator<Item = usize> {
    let count = rows.div_ceil(largest);
    (0..count).map(move |at| rows / count + usize::from(at < rows % count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_of_nearly_one_size_and_cover_all_rows() {
        for rows in 0..100 {
            let sizes: Vec<usize> = block_sizes(rows, 12).collect();
            assert_eq!(sizes.iter().sum::<usize>(), rows);
            assert!(
                sizes.iter().all(|&size| size <= 12 && size + 1 >= sizes[0]),
                "{sizes:?}"
            );
        }
    }
}
