/// Brings a vector to length 1, or returns false when it has none.
///
/// The squares are added in eight lanes of a fixed order: fast, and the same bits everywhere.
pub(super) fn to_unit_length<const N: usize>(vector: &mut [f32; N]) -> bool {
    let mut lanes = [0.0_f32; 8];
    for chunk in vector.as_chunks::<8>().0 {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += x * x;
        }
    }
    let length = lanes.iter().sum::<f32>().sqrt();
    if length < 1e-4 {
        return false;
    }
    for x in vector {
        *x /= length;
    }
    true
}

/// Keeps the first `cut` numbers of a vector and brings it to Euclidean length 1.
///
/// # Errors
/// A description of the vector when it holds a number that is not finite or only zeros.
#[cfg(any(feature = "onnx", feature = "http"))]
pub(super) fn unit(mut vector: Vec<f32>, cut: Option<usize>) -> Result<Vec<f32>, String> {
    if let Some(cut) = cut {
        if cut > vector.len() {
            return Err(format!(
                "{} numbers, fewer than the {cut} that are kept",
                vector.len()
            ));
        }
        vector.truncate(cut);
    }
    if let Some(bad) = vector.iter().find(|x| !x.is_finite()) {
        return Err(format!("a vector with {bad} in it"));
    }
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let length = square.sqrt();
    if length < 1e-12 {
        return Err("a vector of zeros".to_owned());
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the result lies between -1 and 1"
    )]
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Ok(vector)
}

#[cfg(all(test, any(feature = "onnx", feature = "http")))]
mod tests {
    use super::unit;

    #[test]
    fn vectors_get_length_one() {
        // The last one has squares that overflow f32.
        for (vector, cut) in [
            (vec![3.0, 4.0], None),
            (vec![3.0, 4.0, 100.0], Some(2)),
            (vec![3e30, 4e30], None),
        ] {
            let got = unit(vector, cut).unwrap();
            assert!(
                (got[0] - 0.6).abs() < 1e-6 && (got[1] - 0.8).abs() < 1e-6 && got.len() == 2,
                "{got:?}"
            );
        }
    }

    #[test]
    fn useless_vectors_say_what_they_are() {
        assert!(unit(vec![1.0, f32::NAN], None).unwrap_err().contains("NaN"));
        assert!(unit(vec![f32::INFINITY], None).unwrap_err().contains("inf"));
        assert!(unit(vec![0.0; 4], None).unwrap_err().contains("zeros"));
        assert!(unit(vec![], None).unwrap_err().contains("zeros"));
        assert!(unit(vec![1.0], Some(2)).unwrap_err().contains("fewer"));
    }
}
