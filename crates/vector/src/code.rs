//! From a vector of floats to int8 codes and back to cosines.

use crate::error::{MAX_DIMS, VectorError};
use crate::kernels::{Kernels, LINE, Line, Probe};
use crate::rotate::rotate;

/// The largest code; -128 is not used, so that codes are symmetric.
const TOP: f32 = 127.0;

/// Turns vectors of one length into [`Code`]s.
///
/// A vector is rotated by a fixed rotation, divided by its largest coordinate and rounded to
/// -127..=127. Only the direction is kept: a decoded vector has length 1, and cosines come from
/// integer dot products times the two vectors' scales.
///
/// Error: with `m` the largest rotated coordinate of the unit vector in `d` dimensions, the angle
/// between a vector and its code is at most `asin(m * sqrt(d) / 254)`. Rotated sentence embeddings
/// have `m` of about `3.3 / sqrt(d)`, which makes that 0.75 degrees at worst; the cosine of two of
/// them is off by 0.0006 in the root mean square (384 dimensions). Measured on 100,000 sentences
/// (all-MiniLM-L6-v2, 1,000 queries) such codes reach recall@10 0.996 against exact f32; without
/// the rotation 0.995, and 0.991 when the vectors went through a PCA to 256.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    dims: usize,
}

impl Shape {
    /// For vectors of `dims` numbers.
    ///
    /// # Errors
    /// [`VectorError::BadDims`] unless 1 to [`MAX_DIMS`].
    pub const fn new(dims: usize) -> Result<Self, VectorError> {
        if dims == 0 || dims > MAX_DIMS {
            Err(VectorError::BadDims { dims })
        } else {
            Ok(Self { dims })
        }
    }

    /// The numbers of a vector.
    #[must_use]
    pub const fn dims(self) -> usize {
        self.dims
    }

    /// Cache lines of a row of codes.
    pub(crate) const fn lines(self) -> usize {
        self.dims.div_ceil(LINE)
    }

    /// The code of a vector, whose length (its Euclidean norm) does not matter.
    ///
    /// # Errors
    /// [`VectorError::WrongLength`], [`VectorError::NotFinite`] or [`VectorError::Zero`].
    pub fn encode(self, vector: &[f32]) -> Result<Code, VectorError> {
        let unit = self.rotated(vector)?;
        let codes: Vec<u8> = unit.iter().map(|x| round(x * TOP)).collect();
        Ok(Code::of(&codes))
    }

    /// The rotated vector, divided by its largest coordinate.
    fn rotated(self, vector: &[f32]) -> Result<Vec<f32>, VectorError> {
        if vector.len() != self.dims {
            return Err(VectorError::WrongLength {
                got: vector.len(),
                expected: self.dims,
            });
        }
        if let Some(position) = vector.iter().position(|x| !x.is_finite()) {
            return Err(VectorError::NotFinite { position });
        }
        let largest = vector.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            return Err(VectorError::Zero);
        }
        // Divided first: rotating numbers near f32::MAX would overflow, near the smallest would
        // vanish.
        let mut rotated: Vec<f32> = vector.iter().map(|x| x / largest).collect();
        rotate(&mut rotated);
        let largest = rotated.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
        rotated.iter_mut().for_each(|x| *x /= largest);
        Ok(rotated)
    }

    /// The code from the bytes that [`Code::bytes`] gave.
    ///
    /// # Errors
    /// [`VectorError::WrongLength`], or [`VectorError::Zero`] for zeros, which no vector has as its
    /// code.
    pub fn decode(self, bytes: &[u8]) -> Result<Code, VectorError> {
        if bytes.len() != self.dims {
            return Err(VectorError::WrongLength {
                got: bytes.len(),
                expected: self.dims,
            });
        }
        let code = Code::of(bytes);
        if code.scale > 0.0 {
            Ok(code)
        } else {
            Err(VectorError::Zero)
        }
    }

    /// Prepares a vector for many comparisons: with 8 bits for finding candidates and 16 for their
    /// final cosines.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode).
    pub fn query(self, vector: &[f32]) -> Result<Query, VectorError> {
        let unit = self.rotated(vector)?;
        let wide: Vec<i16> = unit.iter().map(|x| round_wide(x * TOP * 256.0)).collect();
        let high: Vec<u8> = wide.iter().map(|x| halves(*x).0).collect();
        let low: Vec<u8> = wide.iter().map(|x| halves(*x).1).collect();
        let squares = wide.iter().map(|x| i64::from(*x) * i64::from(*x)).sum();
        Ok(Query::new(
            Code::of(&high),
            low.chunks(LINE).map(Line::read).collect(),
            inverse_root(squares),
        ))
    }
}

/// The signed bytes a and b with `256 a + b` = x; within ±32512 a is within ±127.
fn halves(x: i16) -> (u8, u8) {
    let [low, _] = x.to_le_bytes();
    let [_, high] = x.wrapping_sub(i16::from(low.cast_signed())).to_le_bytes();
    (high, low)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is within -32512..=32512, and `as` saturates"
)]
fn round_wide(x: f32) -> i16 {
    x.round_ties_even() as i16
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is within -127..=127, and `as` saturates"
)]
fn round(x: f32) -> u8 {
    (x.round_ties_even() as i8).cast_unsigned()
}

/// A quantised vector: one signed byte per dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    dims: usize,
    pub(crate) scale: f32,
    pub(crate) lines: Vec<Line>,
}

impl Code {
    fn of(codes: &[u8]) -> Self {
        let lines: Vec<Line> = codes.chunks(LINE).map(Line::read).collect();
        Self {
            dims: codes.len(),
            scale: scale(&lines),
            lines,
        }
    }

    /// The codes of a row of a block.
    pub(crate) fn of_row(dims: usize, scale: f32, lines: &[Line]) -> Self {
        Self {
            dims,
            scale,
            lines: lines.to_vec(),
        }
    }

    /// The codes, a byte in two's complement per dimension: what is stored.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.lines
            .as_slice()
            .iter()
            .flat_map(|line| line.0)
            .take(self.dims)
            .collect()
    }

    /// The number of dimensions.
    #[must_use]
    pub const fn dims(&self) -> usize {
        self.dims
    }
}

/// One over the length of a row of codes: what makes a dot product a cosine. 0 for a row of zeros,
/// which is a removed one.
///
/// Follows from the codes alone, exactly: the sum of squares is an integer below 2^27.
pub(crate) fn scale(row: &[Line]) -> f32 {
    let kernels = Kernels::detect();
    let squares = kernels.dot(kernels.probe(row), row);
    inverse_root(i64::from(squares))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "rounding to f32 is meant"
)]
fn inverse_root(squares: i64) -> f32 {
    if squares > 0 {
        (1.0 / (squares as f64).sqrt()) as f32
    } else {
        0.0
    }
}

/// A vector prepared for comparison with many rows.
///
/// It has 16 bits a coordinate, as two rows of int8 codes: the high half alone finds candidates,
/// both give the final cosines. (The low half halves the error that is left: recall@10 at 100,000
/// rises from 0.9956 to 0.9965 for all-MiniLM-L6-v2, from 0.989 to 0.991 for the static table.)
#[derive(Debug, Clone)]
pub struct Query {
    high: Code,
    high_bias: i32,
    low: Vec<Line>,
    low_bias: i32,
    scale: f32,
}

impl Query {
    fn new(high: Code, low: Vec<Line>, scale: f32) -> Self {
        let kernels = Kernels::detect();
        let (high_bias, low_bias) = (
            kernels.probe(&high.lines).bias(),
            kernels.probe(&low).bias(),
        );
        Self {
            high,
            high_bias,
            low,
            low_bias,
            scale,
        }
    }

    /// The high half, for finding candidates.
    pub(crate) fn probe(&self) -> Probe<'_> {
        Probe::with_bias(&self.high.lines, self.high_bias)
    }

    /// The scale of the high half alone.
    pub(crate) const fn probe_scale(&self) -> f32 {
        self.high.scale
    }

    /// The cosine with a row of codes of a certain scale.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "rounding to f32 is meant"
    )]
    pub(crate) fn cosine(&self, kernels: Kernels, row: &[Line], scale: f32) -> f32 {
        let high = i64::from(kernels.dot(self.probe(), row));
        let low = i64::from(kernels.dot(Probe::with_bias(&self.low, self.low_bias), row));
        let dot = (high * 256 + low) as f64;
        ((dot * f64::from(self.scale) * f64::from(scale)) as f32).clamp(-1.0, 1.0)
    }

    /// The number of dimensions.
    #[must_use]
    pub const fn dims(&self) -> usize {
        self.high.dims
    }
}

impl From<Code> for Query {
    /// A stored vector as a query.
    fn from(code: Code) -> Self {
        let low = vec![Line::ZERO; code.lines.len()];
        let scale = code.scale / 256.0;
        Self::new(code, low, scale)
    }
}

/// The cosine from an integer dot product and the scales of both sides.
pub(crate) fn cosine(dot: i32, scales: f32) -> f32 {
    // Below 2^27 in the product of two codes of up to 4096 dimensions: f32 rounds the last bits
    // away.
    #[expect(clippy::cast_precision_loss, reason = "rounding to f32 is meant")]
    let dot = dot as f32;
    (dot * scales).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn angle(a: &[f32], b: &[f32]) -> f64 {
        let dot = |a: &[f32], b: &[f32]| {
            a.iter()
                .zip(b)
                .map(|(x, y)| f64::from(*x) * f64::from(*y))
                .sum::<f64>()
        };
        (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt())
            .clamp(-1.0, 1.0)
            .acos()
    }

    fn vector(n: usize) -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-1.0_f32..1.0, n)
            .prop_filter("not all zero", |v| v.iter().any(|x| x.abs() > 1e-3))
    }

    proptest! {
        #[test]
        fn cosines_of_codes_are_within_the_documented_angle(
            (a, b) in (32_usize..500).prop_flat_map(|n| (vector(n), vector(n))),
        ) {
            let shape = Shape::new(a.len()).unwrap();
            let query = shape.query(&a).unwrap();
            let code = shape.encode(&b).unwrap();
            let cos = query.cosine(Kernels::detect(), &code.lines, code.scale);
            let bound = |v: &[f32]| {
                let mut r = v.to_vec();
                rotate(&mut r);
                let norm = r.iter().map(|x| x * x).sum::<f32>().sqrt();
                let largest = r.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
                f64::from(largest / norm) * (a.len() as f64).sqrt() / 254.0
            };
            let allowed = bound(&a).min(1.0).asin() + bound(&b).min(1.0).asin();
            prop_assert!((f64::from(cos).acos() - angle(&a, &b)).abs() <= allowed + 1e-3);
        }

        #[test]
        fn halves_make_the_whole(x in -32512_i16..=32512) {
            let (high, low) = halves(x);
            prop_assert_eq!(i32::from(high as i8) * 256 + i32::from(low as i8), i32::from(x));
            prop_assert!(high != 0x80);
        }

        #[test]
        fn a_stored_vector_is_its_own_best_match(v in vector(96)) {
            let code = Shape::new(96).unwrap().encode(&v).unwrap();
            let cos = Query::from(code.clone()).cosine(Kernels::detect(), &code.lines, code.scale);
            prop_assert!((cos - 1.0).abs() < 1e-5);
        }

        #[test]
        fn the_length_of_a_vector_does_not_matter(v in vector(96), power in -60_i32..60) {
            let shape = Shape::new(96).unwrap();
            let scaled: Vec<f32> = v.iter().map(|x| x * 2.0_f32.powi(power)).collect();
            prop_assert_eq!(shape.encode(&v).unwrap(), shape.encode(&scaled).unwrap());
        }

        #[test]
        fn bytes_decode_to_the_same_code(v in vector(70)) {
            let shape = Shape::new(70).unwrap();
            let code = shape.encode(&v).unwrap();
            prop_assert_eq!(code.bytes().len(), 70);
            prop_assert!(code.bytes().iter().all(|b| *b != 0x80));
            prop_assert_eq!(shape.decode(&code.bytes()).unwrap(), code);
        }
    }

    #[test]
    fn unusable_vectors_are_typed_errors() {
        let shape = Shape::new(3).unwrap();
        assert!(matches!(
            shape.encode(&[1.0, 2.0]),
            Err(VectorError::WrongLength {
                got: 2,
                expected: 3
            })
        ));
        assert!(matches!(
            shape.encode(&[1.0, f32::NAN, 0.0]),
            Err(VectorError::NotFinite { position: 1 })
        ));
        assert!(matches!(
            shape.encode(&[1.0, 0.0, f32::NEG_INFINITY]),
            Err(VectorError::NotFinite { position: 2 })
        ));
        assert!(matches!(
            shape.encode(&[0.0, -0.0, 0.0]),
            Err(VectorError::Zero)
        ));
        assert!(matches!(shape.decode(&[0, 0, 0]), Err(VectorError::Zero)));
        assert!(matches!(
            shape.decode(&[1]),
            Err(VectorError::WrongLength {
                got: 1,
                expected: 3
            })
        ));
        assert!(matches!(
            Shape::new(0),
            Err(VectorError::BadDims { dims: 0 })
        ));
        assert!(matches!(
            Shape::new(4097),
            Err(VectorError::BadDims { dims: 4097 })
        ));
    }

    #[test]
    fn huge_and_tiny_numbers_are_vectors_too() {
        let shape = Shape::new(4).unwrap();
        let code = shape
            .encode(&[f32::MAX, f32::MAX, -f32::MAX, f32::MAX])
            .unwrap();
        assert_eq!(code, shape.encode(&[1.0, 1.0, -1.0, 1.0]).unwrap());
        assert!(shape.encode(&[1e-40, 0.0, 0.0, 0.0]).is_ok());
    }
}
