//! The committed model is whole, and its vectors are those of the reference.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use annals_small_model::{DIMS, PIECES, SmallModel, VERSION};

const GOLDEN: &str = include_str!("golden.json");

struct Golden {
    pieces: Vec<u16>,
    vector: Vec<f32>,
}

/// What the reference in tools/embedder/export_small_model.py says, in float32: the texts are five
/// in English and Chinese, and random pieces of 1 to 300.
fn golden() -> Vec<Golden> {
    let rows: Vec<serde_json::Value> = serde_json::from_str(GOLDEN).unwrap();
    let field = |row: &serde_json::Value, name: &str| row[name].clone();
    let read = |row| Golden {
        pieces: serde_json::from_value(field(row, "ids")).unwrap(),
        vector: serde_json::from_value(field(row, "vector")).unwrap(),
    };
    rows.iter().map(read).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| f64::from(*x) * f64::from(*y))
        .sum()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Pieces of any number, beyond the vocabulary too.
fn any_pieces(seed: u32, count: usize) -> Vec<u16> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from(state >> 16).unwrap()
    };
    (0..count).map(|_| next()).collect()
}

fn bits(vector: [f32; DIMS]) -> [u32; DIMS] {
    vector.map(f32::to_bits)
}

#[test]
fn the_checksum_fits() {
    let model = SmallModel::new();
    assert!(model.verify());
    assert_eq!((VERSION, model.checksum()), (1, 2_423_469_898));
}

#[test]
fn all_instructions_give_the_vectors_of_the_reference() {
    let golden = golden();
    assert_eq!(golden.len(), 11);
    for model in SmallModel::variants() {
        for Golden { pieces, vector } in &golden {
            let got = model.embed(pieces);
            let near = cosine(&got, vector);
            assert!(
                near >= 0.999_99,
                "{}, {} pieces: {near}",
                model.instructions(),
                pieces.len()
            );
            assert!(dot(&got, &got) - 1.0 < 1e-5, "{} pieces", pieces.len());
        }
    }
}

#[test]
fn all_instructions_give_the_same_bits() {
    for count in (0..14).chain([33, 128, 129]) {
        let pieces = any_pieces(7, count);
        let expected = bits(SmallModel::new().embed(&pieces));
        for model in SmallModel::variants() {
            assert_eq!(
                bits(model.embed(&pieces)),
                expected,
                "{}, {count} pieces",
                model.instructions()
            );
        }
    }
}

#[test]
fn every_machine_gives_the_same_bits() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for bits in [1, 12, 140]
        .into_iter()
        .flat_map(|count| bits(SmallModel::new().embed(&any_pieces(7, count))))
    {
        hash = (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3);
    }
    assert_eq!(hash, 18_423_127_809_244_484_086);
}

#[test]
fn the_chosen_instructions_are_the_first_of_all() {
    let variants = SmallModel::variants();
    assert_eq!(
        variants[0].instructions(),
        SmallModel::default().instructions()
    );
    assert_eq!(variants[variants.len() - 1].instructions(), "portable");
}

#[test]
fn any_pieces_give_a_vector_of_length_one() {
    let model = SmallModel::new();
    for count in (0..40).chain([127, 128, 129, 255, 256, 257, 1000]) {
        let vector = model.embed(&any_pieces(u32::try_from(count).unwrap(), count));
        assert!(vector.iter().all(|x| x.is_finite()), "{count} pieces");
        assert!((dot(&vector, &vector) - 1.0).abs() < 1e-5, "{count} pieces");
    }
    for piece in [0, 1, PIECES - 1, PIECES, u16::MAX] {
        for count in [1, 2, 128, 300] {
            let vector = model.embed(&vec![piece; count]);
            assert!(
                (dot(&vector, &vector) - 1.0).abs() < 1e-5,
                "{count} of piece {piece}"
            );
        }
    }
}

#[test]
fn unknown_pieces_and_none_are_piece_zero() {
    let model = SmallModel::new();
    assert_eq!(bits(model.embed(&[])), bits(model.embed(&[0])));
    assert_eq!(
        bits(model.embed(&[5, PIECES, u16::MAX])),
        bits(model.embed(&[5, 0, 0]))
    );
    assert_ne!(bits(model.embed(&[PIECES - 1])), bits(model.embed(&[0])));
}

#[test]
fn order_and_context_matter() {
    let model = SmallModel::new();
    let (a, b) = (
        model.embed(&[443, 3092, 669]),
        model.embed(&[669, 3092, 443]),
    );
    assert!(cosine(&a, &b) < 0.999);
}
