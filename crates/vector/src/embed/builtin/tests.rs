use super::BuiltinEmbedder;
use annals_types::{Embedder, Purpose};
use proptest::prelude::{any, proptest};

fn vector(text: &str) -> Vec<f32> {
    BuiltinEmbedder::new().vector(text)
}

fn cosine(a: &str, b: &str) -> f32 {
    vector(a).iter().zip(vector(b)).map(|(x, y)| x * y).sum()
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// FNV-1a over the bits of all numbers.
fn sum(vector: &[f32]) -> u32 {
    vector.iter().flat_map(|x| x.to_le_bytes()).fold(0x811c_9dc5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// First numbers and sum over all bits: the same on every platform, or stored vectors would be of two kinds.
#[rustfmt::skip]
const GOLDEN: &[(&str, [f32; 3], u32)] = &[
    ("", [-0.043_750_45, 0.019_444_644, 0.024_305_806], 0x82ce_66de),
    ("I moved to Berlin in March 2023.", [0.023_022_944, -0.004_538_704, -0.008_418_565], 0x85b9_ef45),
    ("where do I live now?", [0.080_758_85, 0.095_254_02, 0.033_131_834], 0x78f4_9051),
    ("我喜欢喝绿茶，也喜欢拉面。", [-0.018_314_391, -0.009_389_024, -0.009_909_674_5], 0x2ec5_7ca8),
    ("proxy-env v1.2 用于 Docker 构建", [0.070_080_98, 0.007_155_736, -0.138_815_2], 0x8fa0_a412),
    ("🙂", [0.006_947_186, -0.003_087_638, -0.003_859_547_7], 0xee7b_1568),
];

#[test]
fn vectors_are_the_golden_ones_bit_for_bit() {
    for (text, first, all) in GOLDEN {
        let got = vector(text);
        assert_eq!((&got[..3], sum(&got)), (&first[..], *all), "{text:?}: {:#010x}", sum(&got));
    }
}

#[test]
fn every_text_has_a_vector_of_length_one() {
    let million = "a million words and 一百万字 ".repeat(34_000);
    let scripts = "שלום नमस्ते สวัสดี привет ラーメン 안녕 🙂👍🏽 \u{202e}right to left";
    for text in [
        "",
        " ",
        "\u{7}",
        "�",
        "?!",
        "🙂",
        "犇",
        "zxqj",
        scripts,
        &million,
        &"x".repeat(1 << 20),
        &"茶".repeat(300_000),
    ] {
        let got = vector(text);
        let start: String = text.chars().take(20).collect();
        assert!(got.len() == 256 && (length(&got) - 1.0).abs() < 1e-5, "{start}: {}", length(&got));
    }
}

#[test]
fn a_text_without_signal_is_unlike_any_other() {
    for empty in ["", "  \n", "\u{0}\u{7}\u{200b}"] {
        assert_eq!(vector(empty), vector(""), "{empty:?}");
        for text in ["where do I live?", "我喜欢喝茶", "🙂", "zxqj", ".", "Ωμέγα"] {
            assert!(cosine(empty, text) < 0.1, "{text}: {}", cosine(empty, text));
        }
    }
}

#[test]
fn meaning_counts_and_form_does_not() {
    assert!(
        cosine("my flight to Lisbon", "booking an airplane ticket") > cosine("my flight to Lisbon", "peeling potatoes")
    );
    assert!(cosine("他每天早上喝绿茶", "我最爱喝的是绿茶") > cosine("他每天早上喝绿茶", "火车票已经卖完了") + 0.2);
    assert!(
        cosine("the Xylofrabs project", "who leads Xylofrabs?")
            > cosine("the Xylofrabs project", "who leads Quondelbert?")
    );
    for (a, b) in [("Crème brûlée", "creme brulee"), ("tea\tand\n\nmilk", "milk and tea"), ("ＡＢ\u{7}c", "ＡＢc")]
    {
        assert!(cosine(a, b) > 0.9999, "{a} {b} {}", cosine(a, b));
    }
}

#[test]
fn queries_and_passages_are_embedded_alike_and_in_order() {
    let embedder = BuiltinEmbedder::new();
    let texts = ["tea", "", "绿茶", "a much longer text about tea"];
    let passages = embedder.embed(&texts, Purpose::Passage).unwrap();
    assert_eq!(passages, embedder.embed(&texts, Purpose::Query).unwrap());
    assert_eq!(passages, texts.map(vector));
    assert!(passages.iter().all(|vector| vector.len() == embedder.dims()));
    assert!(embedder.embed(&[], Purpose::Query).unwrap().is_empty());
    assert!(embedder.calibration().low < embedder.calibration().high);
}

proptest! {
    #[test]
    fn any_text_has_a_finite_vector(text in any::<String>()) {
        let got = vector(&text);
        assert!(got.iter().all(|x| x.is_finite()) && (length(&got) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn texts_of_a_script_that_the_table_only_spells_are_no_more_alike_than_others() {
    for (a, b) in [
        ("У меня аллергия на орехи", "Мой сын учится в школе"),
        ("저는 서울에 살아요", "그는 부산에서 일해요"),
        ("أمي تعيش في القاهرة", "أبي يعمل في المستشفى"),
        ("Η μητέρα μου ζει στην Αθήνα", "Ο σκύλος τρέχει στον κήπο"),
        ("אני גר בתל אביב", "הכלב שלי אוהב מים"),
        ("Москва", "Собака"),
        ("엄마", "서울"),
        ("μητέρα", "πατέρας"),
    ] {
        assert!(cosine(a, b) < 0.6, "{a} | {b}: {}", cosine(a, b));
    }
    assert!(cosine("У меня аллергия на орехи", "аллергия на орехи у сына") > 0.5);
}
