use crate::DIMS;
use crate::attention::Heads;
use crate::file::{INNER, Layer, Matrix, POSITIONS, Weights};
use crate::kernels::Kernels;
use crate::math::{exp, float, half, normalize, sum_of_products};
use crate::packed::Packed;

/// The gate's number is kept in this range on either side before its exponential is taken.
const GATE_LIMIT: f32 = 8.0;
/// A vector that is shorter than this is not stretched to the length 1.
const SHORTEST: f32 = 1e-9;

/// One forward pass: the weights, the kernels, and the memory that its steps share.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    weights: &'a Weights,
    kernels: Kernels,
    packed: Packed,
    heads: Heads,
    /// A row of 256 numbers for each token.
    tokens: Vec<f32>,
    /// Rows of 256 numbers that are added to the tokens, or that attention made.
    update: Vec<f32>,
    /// Rows of 768 or 1,024 numbers.
    wide: Vec<f32>,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(weights: &'a Weights, kernels: Kernels) -> Self {
        let packed = Packed::new(kernels.largest_block);
        let (tokens, update, wide) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            weights,
            kernels,
            packed,
            heads: Heads::new(),
            tokens,
            update,
            wide,
        }
    }

    /// The vector of a text: of each 128 pieces one of length 1, their mean by length, brought to
    /// the length 1.
    pub(crate) fn embed(&mut self, pieces: &[u16]) -> [f32; DIMS] {
        let pieces = if pieces.is_empty() { &[0] } else { pieces };
        let mut sum = [0.0; DIMS];
        for part in pieces.chunks(POSITIONS) {
            let weight = part.len() as f32;
            for (sum, x) in sum.iter_mut().zip(unit(self.embed_part(part))) {
                *sum += x * weight;
            }
        }
        unit(sum)
    }

    /// At most 128 pieces.
    fn embed_part(&mut self, pieces: &[u16]) -> [f32; DIMS] {
        self.read_words(pieces);
        let count = pieces.len();
        self.update.clear();
        self.update.resize(count * DIMS, 0.0);
        self.wide.clear();
        self.wide.resize(count * INNER, 0.0);
        let weights = self.weights;
        for layer in &weights.layers {
            self.apply_layer(layer, count);
        }
        let pooled = self.pool();
        (self.kernels.pack)(&pooled, DIMS, &mut self.packed);
        let mut vector = [0.0; DIMS];
        (self.kernels.multiply)(&self.packed, &weights.out, &mut vector);
        vector
    }

    /// Word and position of each piece, added and normalized.
    fn read_words(&mut self, pieces: &[u16]) {
        self.tokens.clear();
        let weights = self.weights;
        for (piece, position) in pieces.iter().zip(weights.positions()) {
            let mut row = position.map(half);
            if let Some((codes, scales)) = weights.word(*piece) {
                let groups = codes
                    .as_chunks::<16>()
                    .0
                    .iter()
                    .zip(row.as_chunks_mut::<32>().0);
                for ((codes, row), scale) in groups.zip(scales) {
                    let scale = half(*scale);
                    for (code, [low, high]) in codes.iter().zip(row.as_chunks_mut::<2>().0) {
                        *low += (f32::from(code & 15) - 7.5) * scale;
                        *high += (f32::from(code >> 4) - 7.5) * scale;
                    }
                }
            }
            normalize(&mut row, &weights.normalization);
            self.tokens.extend(row);
        }
    }

    fn apply_layer(&mut self, layer: &Layer, count: usize) {
        let kernels = self.kernels;
        let qkv = self.wide.split_at_mut(count * layer.qkv.outputs()).0;
        (kernels.pack)(&self.tokens, DIMS, &mut self.packed);
        (kernels.multiply)(&self.packed, &layer.qkv, qkv);
        (kernels.attend)(qkv, &mut self.heads, &mut self.update);
        (kernels.pack)(&self.update, DIMS, &mut self.packed);
        self.multiply_into_update(&layer.attention_out);
        (kernels.add_and_normalize)(&mut self.tokens, &self.update, &layer.attention_norm);

        (kernels.pack)(&self.tokens, DIMS, &mut self.packed);
        (kernels.multiply)(&self.packed, &layer.up, &mut self.wide);
        (kernels.gelu)(&mut self.wide);
        (kernels.pack)(&self.wide, INNER, &mut self.packed);
        self.multiply_into_update(&layer.down);
        (kernels.add_and_normalize)(&mut self.tokens, &self.update, &layer.inner_norm);
    }

    fn multiply_into_update(&mut self, matrix: &Matrix) {
        (self.kernels.multiply)(&self.packed, matrix, &mut self.update);
    }

    /// The mean of the tokens, each weighed by the exponential of its gate.
    fn pool(&self) -> [f32; DIMS] {
        let mut gate = [0.0; DIMS];
        for (weight, bytes) in gate.iter_mut().zip(self.weights.gate) {
            *weight = float(*bytes);
        }
        let mut sum = [0.0; DIMS];
        let mut total = 0.0;
        for row in self.tokens.as_chunks::<DIMS>().0 {
            let open = sum_of_products(row, &gate) + self.weights.gate_bias;
            let share = exp(open.clamp(-GATE_LIMIT, GATE_LIMIT));
            total += share;
            for (sum, x) in sum.iter_mut().zip(row) {
                *sum += x * share;
            }
        }
        sum.map(|x| x / total)
    }
}

/// Brings a vector to the length 1.
fn unit(vector: [f32; DIMS]) -> [f32; DIMS] {
    let length = sum_of_products(&vector, &vector).sqrt().max(SHORTEST);
    vector.map(|x| x / length)
}
