//! Dot products of int8 codes and sums of their rows: the only place of this crate that may use
//! `unsafe`.
//!
//! Every implementation gives exactly the same numbers, so that an index built on one machine
//! answers alike on another.

#![expect(
    unsafe_code,
    reason = "vector instructions: intrinsics need raw loads and a checked CPU"
)]

#[cfg(target_arch = "aarch64")]
mod arm;
mod portable;
mod rows;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

pub(crate) use rows::add_rows;

/// How many codes a [`Line`] holds.
pub(crate) const LINE: usize = 64;

/// One cache line of codes, each an `i8` in two's complement. Rows are whole lines, the rest of the
/// last one zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [u8; LINE]);

impl Line {
    pub(crate) const ZERO: Self = Self([0; LINE]);

    /// Reads the first 64 bytes of a slice; what is missing is zero.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        match bytes.first_chunk::<LINE>() {
            Some(whole) => Self(*whole),
            None => {
                let mut line = Self::ZERO;
                for (to, from) in line.0.iter_mut().zip(bytes) {
                    *to = *from;
                }
                line
            }
        }
    }
}

/// One side of many dot products: its codes, and their sum, which the unsigned-by-signed
/// instructions need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Probe<'a> {
    lines: &'a [Line],
    /// 128 times the sum of the codes where the implementation needs it, else 0.
    bias: i32,
}

impl<'a> Probe<'a> {
    /// From lines and the bias that [`Kernels::probe`] computed for them.
    pub(crate) const fn with_bias(lines: &'a [Line], bias: i32) -> Self {
        Self { lines, bias }
    }

    pub(crate) const fn bias(&self) -> i32 {
        self.bias
    }
}

type Bias = fn(&[Line]) -> i32;
type Dot = fn(Probe<'_>, &[Line]) -> i32;
type Dots = fn(Probe<'_>, &[Line], &mut Vec<i32>);

/// The implementations that this CPU runs best.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernels {
    /// The chosen kernels: `avx512vnni`, `avx2`, `neon` or `portable`.
    pub(crate) name: &'static str,
    bias: Bias,
    dot: Dot,
    dots: Dots,
}

impl Kernels {
    /// Those of this CPU, found out once.
    pub(crate) fn detect() -> Self {
        static CHOSEN: OnceLock<Kernels> = OnceLock::new();
        *CHOSEN.get_or_init(|| Self::all().into_iter().next().unwrap_or(PORTABLE))
    }

    /// All that run on this CPU, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        all.extend(x86::available());
        #[cfg(target_arch = "aarch64")]
        all.extend(arm::available());
        all.push(PORTABLE);
        all
    }

    /// Prepares one side of many dot products by these kernels.
    #[inline]
    pub(crate) fn probe<'a>(&self, lines: &'a [Line]) -> Probe<'a> {
        Probe {
            lines,
            bias: (self.bias)(lines),
        }
    }

    /// The dot product of a probe and one row of as many lines.
    #[inline]
    pub(crate) fn dot(&self, probe: Probe<'_>, row: &[Line]) -> i32 {
        (self.dot)(probe, row)
    }

    /// The dot products of a probe and each of the rows that lie one after another; replaces the
    /// content of `out`.
    #[inline]
    pub(crate) fn dots(&self, probe: Probe<'_>, rows: &[Line], out: &mut Vec<i32>) {
        out.clear();
        (self.dots)(probe, rows, out);
    }
}

const PORTABLE: Kernels = Kernels {
    name: "portable",
    bias: no_bias,
    dot: portable::dot,
    dots: portable::dots,
};

/// For implementations that multiply signed by signed.
fn no_bias(_: &[Line]) -> i32 {
    0
}

/// Asks for a slice to be brought into the cache while other work goes on.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(slice);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[Line], b: &[Line]) -> i32 {
        let codes = |lines: &[Line]| {
            lines
                .iter()
                .flat_map(|l| l.0)
                .map(|b| i64::from(b as i8))
                .collect::<Vec<_>>()
        };
        i32::try_from(
            codes(a)
                .iter()
                .zip(codes(b))
                .map(|(x, y)| x * y)
                .sum::<i64>(),
        )
        .unwrap()
    }

    fn lines(bytes: &[u8]) -> Vec<Line> {
        bytes.chunks(LINE).map(Line::read).collect()
    }

    proptest! {
        #[test]
        fn every_kernel_equals_the_naive_sum(
            (dims, a, rows) in (1_usize..600).prop_flat_map(|dims| (
                Just(dims),
                prop::collection::vec(any::<u8>(), dims),
                prop::collection::vec(prop::collection::vec(any::<u8>(), dims), 0..12),
            )),
        ) {
            let a = lines(&a);
            prop_assert_eq!(a.len(), dims.div_ceil(LINE));
            let all: Vec<Line> = rows.iter().flat_map(|r| lines(r)).collect();
            let expected: Vec<i32> = rows.iter().map(|r| naive(&a, &lines(r))).collect();
            for kernels in Kernels::all() {
                let probe = kernels.probe(&a);
                let single: Vec<i32> = rows.iter().map(|r| kernels.dot(probe, &lines(r))).collect();
                prop_assert_eq!(&single, &expected, "{}", kernels.name);
                let mut out = vec![7];
                kernels.dots(probe, &all, &mut out);
                prop_assert_eq!(&out, &expected, "{}", kernels.name);
            }
        }
    }

    #[test]
    fn the_extremes_do_not_overflow() {
        for (x, y) in [(0x80_u8, 0x80_u8), (0x80, 0x7f), (0x7f, 0x7f), (0x81, 0x81)] {
            let (a, b) = (vec![Line([x; LINE]); 64], vec![Line([y; LINE]); 64]);
            for kernels in Kernels::all() {
                assert_eq!(
                    kernels.dot(kernels.probe(&a), &b),
                    naive(&a, &b),
                    "{}",
                    kernels.name
                );
            }
        }
    }

    #[test]
    fn a_chosen_kernel_exists_and_prefetch_touches_nothing() {
        assert!(
            Kernels::all()
                .iter()
                .any(|k| k.name == Kernels::detect().name)
        );
        let row = vec![Line([3; LINE]); 4];
        prefetch(&row);
        prefetch(&[1_u32, 2, 3]);
        assert_eq!(row, vec![Line([3; LINE]); 4]);
    }
}
