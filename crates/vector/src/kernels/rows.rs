//! Sums of rows of codes, each with a scale of its own.

/// Adds rows to a sum, each code multiplied by the scale of its row.
///
/// Each number of the sum takes the rows in their order and is rounded after each product and each
/// sum, so that every implementation gives the same bits.
pub(crate) fn add_rows<const N: usize>(sum: &mut [f32; N], rows: &[(&[u8; N], f32)]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        unsafe { add_rows_avx2(sum, rows) };
        return;
    }
    add_rows_portable(sum, rows);
}

/// The portable loop, compiled for wider registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_rows_avx2<const N: usize>(sum: &mut [f32; N], rows: &[(&[u8; N], f32)]) {
    add_rows_portable(sum, rows);
}

/// Columns that stay in registers while all rows are added.
const COLUMNS: usize = 64;

#[inline(always)]
fn add_rows_portable<const N: usize>(sum: &mut [f32; N], rows: &[(&[u8; N], f32)]) {
    for (at, part) in sum.as_chunks_mut::<COLUMNS>().0.iter_mut().enumerate() {
        let mut columns = *part;
        for (row, scale) in rows {
            let Some(codes) = row.as_chunks::<COLUMNS>().0.get(at) else {
                continue;
            };
            for (column, code) in columns.iter_mut().zip(codes) {
                *column += f32::from(code.cast_signed()) * scale;
            }
        }
        *part = columns;
    }
}

#[cfg(test)]
mod tests {
    use super::{add_rows, add_rows_portable};

    #[test]
    fn every_implementation_gives_the_same_bits() {
        let row =
            |seed: usize| std::array::from_fn(|i| u8::try_from((i * 7 + seed * 13) % 256).unwrap());
        let rows: Vec<[u8; 256]> = (0..9).map(row).collect();
        let scaled: Vec<_> = rows
            .iter()
            .zip([0.001, 0.3, 1.7, 1e-5, 0.02, 2.5, 0.7, 0.1, 0.9])
            .collect();
        let (mut fast, mut portable) = ([0.25; 256], [0.25; 256]);
        add_rows(&mut fast, &scaled);
        add_rows_portable(&mut portable, &scaled);
        assert_eq!(fast.map(f32::to_bits), portable.map(f32::to_bits));
        let expected = scaled.iter().fold(0.25, |sum, (row, scale)| {
            sum + f32::from(row[5] as i8) * scale
        });
        assert!((fast[5] - expected).abs() < 1e-4, "{} {expected}", fast[5]);
    }
}
