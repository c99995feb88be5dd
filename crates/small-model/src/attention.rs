//! Attention of all tokens of a part to one another, in plain Rust; compiled for every set of
//! vector instructions as `math` is, with the same bits.

use crate::file::{HEAD_DIMS, HEADS, POSITIONS};
use crate::math::{exp, largest, sum};

/// Keys that are looked at together.
const KEYS: usize = 16;
/// Queries that are worked on together.
const QUERIES: usize = 4;
/// 1 / sqrt(32): scores are dot products of 32 numbers.
const SCORE_UNIT: f32 = 0.176_776_7;
/// Keys beyond the text: the exponential of such a score is lost beside that of the best, which is
/// 1.
const NO_KEY: f32 = -1e30;

/// The keys and values of one head, in the order in which they are read.
#[derive(Debug)]
pub(crate) struct Heads {
    /// In panels of 16 keys: for each number of a key, that of each key.
    keys: Vec<[f32; KEYS]>,
    /// The first 16 numbers of every value.
    first: Vec<[f32; KEYS]>,
    /// The other 16.
    second: Vec<[f32; KEYS]>,
}

type Head = [f32; HEAD_DIMS];
type Scores = [[f32; POSITIONS]; QUERIES];

impl Heads {
    pub(crate) fn new() -> Self {
        Self {
            keys: Vec::new(),
            first: Vec::new(),
            second: Vec::new(),
        }
    }

    #[inline(always)]
    fn gather(&mut self, tokens: &[[Head; 3 * HEADS]], head: usize) {
        let panels = tokens.len().div_ceil(KEYS);
        self.keys.clear();
        self.keys.resize(panels * HEAD_DIMS, [0.0; KEYS]);
        self.first.clear();
        self.second.clear();
        for (tokens, panel) in tokens
            .chunks(KEYS)
            .zip(self.keys.chunks_exact_mut(HEAD_DIMS))
        {
            for (lane, token) in tokens.iter().enumerate() {
                let mut parts = token.iter().skip(head).step_by(HEADS).skip(1);
                let (Some(key), Some(value)) = (parts.next(), parts.next()) else {
                    continue;
                };
                for (slots, x) in panel.iter_mut().zip(key) {
                    if let Some(slot) = slots.get_mut(lane) {
                        *slot = *x;
                    }
                }
                let ([first, second], _) = value.as_chunks::<KEYS>() else {
                    continue;
                };
                self.first.push(*first);
                self.second.push(*second);
            }
        }
    }
}

/// For each token, the values of all tokens weighed by softmax of the dot products of its query
/// with their keys.
///
/// `qkv` holds a row of 8 queries, 8 keys and 8 values of 32 numbers for each of at most 128
/// tokens; `out` takes a row of 8 times 32 numbers.
#[inline(always)]
pub(crate) fn attend(qkv: &[f32], heads: &mut Heads, out: &mut [f32]) {
    let tokens = qkv
        .as_chunks::<HEAD_DIMS>()
        .0
        .as_chunks::<{ 3 * HEADS }>()
        .0;
    let out = out
        .as_chunks_mut::<HEAD_DIMS>()
        .0
        .as_chunks_mut::<HEADS>()
        .0;
    for head in 0..HEADS {
        heads.gather(tokens, head);
        for (tokens_now, out) in tokens.chunks(QUERIES).zip(out.chunks_mut(QUERIES)) {
            let mut queries = [[0.0; HEAD_DIMS]; QUERIES];
            for (query, token) in queries.iter_mut().zip(tokens_now) {
                let Some(part) = token.get(head) else {
                    continue;
                };
                for (slot, x) in query.iter_mut().zip(part) {
                    *slot = x * SCORE_UNIT;
                }
            }
            let context = attend_once(&queries, heads, tokens.len());
            for (token, context) in out.iter_mut().zip(context) {
                if let Some(part) = token.get_mut(head) {
                    *part = context;
                }
            }
        }
    }
}

/// Four queries against all keys of a head.
#[inline(always)]
fn attend_once(queries: &[Head; QUERIES], heads: &Heads, tokens: usize) -> [Head; QUERIES] {
    let mut scores: Scores = [[NO_KEY; POSITIONS]; QUERIES];
    let mut at = 0;
    let [q0, q1, q2, q3] = queries;
    for panel in heads.keys.chunks_exact(HEAD_DIMS) {
        let products = products([q0, q1, q2, q3], panel);
        let keys = tokens.saturating_sub(at).min(KEYS);
        for (scores, products) in scores.iter_mut().zip(&products) {
            for (score, product) in scores.iter_mut().skip(at).take(keys).zip(products) {
                *score = *product;
            }
        }
        at += KEYS;
    }
    let mut factors = [0.0; QUERIES];
    for (scores, factor) in scores.iter_mut().zip(&mut factors) {
        *factor = softmax(scores.as_chunks_mut().0.split_at_mut(at / KEYS).0);
    }
    let [s0, s1, s2, s3] = &scores;
    let mut context = [[0.0; HEAD_DIMS]; QUERIES];
    for (half, values) in [&heads.first, &heads.second].into_iter().enumerate() {
        // There are fewer values than scores, which ends the sums.
        let products = products([s0, s1, s2, s3], values);
        for ((context, products), factor) in context.iter_mut().zip(&products).zip(&factors) {
            for (x, product) in context.iter_mut().skip(half * KEYS).zip(products) {
                *x = product * factor;
            }
        }
    }
    context
}

/// Puts the exponentials in the place of scores; what they must be multiplied with to have the sum
/// 1.
#[inline(always)]
fn softmax(scores: &mut [[f32; KEYS]]) -> f32 {
    let top = largest(scores);
    for score in scores.as_flattened_mut() {
        *score = exp(*score - top);
    }
    1.0 / sum(scores.as_flattened())
}

/// For each row of `a`, the sum of the rows of `b`, each multiplied with a number of that row.
#[inline(always)]
fn products(a: [&[f32]; QUERIES], b: &[[f32; KEYS]]) -> [[f32; KEYS]; QUERIES] {
    let mut sums = [[0.0; KEYS]; QUERIES];
    let [a0, a1, a2, a3] = a;
    for ((((row, x0), x1), x2), x3) in b.iter().zip(a0).zip(a1).zip(a2).zip(a3) {
        for (sums, x) in sums.iter_mut().zip([x0, x1, x2, x3]) {
            for (sum, y) in sums.iter_mut().zip(row) {
                *sum += x * y;
            }
        }
    }
    sums
}
