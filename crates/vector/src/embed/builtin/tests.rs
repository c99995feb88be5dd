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
    vector
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .fold(0x811c_9dc5, |h, b| {
            (h ^ u32::from(b)).wrapping_mul(0x0100_0193)
        })
}

/// First numbers and sum over all bits: the same on every platform, or stored vectors would be of
/// two kinds.
#[rustfmt::skip]
const GOLDEN: &[(&str, [f32; 3], u32)] = &[
    ("", [-0.020_539_278, -0.080_690_03, -0.035_210_192], 0x21ba_6547),
    ("I moved to Berlin in March 2023.", [-0.084_748_8, 0.051_725_388, -0.151_605_76], 0xeb7f_769b),
    ("where do I live now?", [-0.147_158_92, 0.161_004_22, -0.082_925_7], 0x9729_b54f),
    ("我喜欢喝绿茶，也喜欢拉面。", [-0.387_784_3, -0.063_719_966, -0.302_823_72], 0xd437_2201),
    ("proxy-env v1.2 用于 Docker 构建", [-0.117_195_43, 0.166_699_19, 0.238_034_26], 0xfacf_8128),
    ("🙂", [0.009_542_835, 0.037_489_71, 0.016_359_147], 0x4c6b_bd93),
];

#[test]
fn vectors_are_the_golden_ones_bit_for_bit() {
    for (text, first, all) in GOLDEN {
        let got = vector(text);
        assert_eq!(
            (&got[..3], sum(&got)),
            (&first[..], *all),
            "{text:?}: {:#010x}",
            sum(&got)
        );
    }
}

/// The numpy reference in tools/embedder adds the same rows.
#[test]
fn vectors_are_those_of_the_reference() {
    for line in include_str!("../unigram/golden/texts.tsv").lines() {
        let mut cells = line.split('\t');
        let (text, numbers) = (cells.next().unwrap(), cells.nth(1).unwrap());
        let got = vector(text);
        for (x, golden) in got.iter().zip(numbers.split(' ')) {
            assert!(
                (x - golden.parse::<f32>().unwrap()).abs() < 2e-6,
                "{text}: {x} {golden}"
            );
        }
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
        assert!(
            got.len() == 256 && (length(&got) - 1.0).abs() < 1e-5,
            "{start}: {}",
            length(&got)
        );
    }
}

#[test]
fn a_text_without_signal_is_unlike_any_other() {
    for empty in ["", "  \n", "\u{301}\u{fe0f}"] {
        assert_eq!(vector(empty), vector(""), "{empty:?}");
        for text in ["where do I live?", "我喜欢喝茶", "🙂", "zxqj", ".", "Ωμέγα"] {
            assert!(cosine(empty, text) < 0.1, "{text}: {}", cosine(empty, text));
        }
    }
}

#[test]
fn meaning_counts_and_form_does_not() {
    assert!(
        cosine("my flight to Lisbon", "booking an airplane ticket")
            > cosine("my flight to Lisbon", "peeling potatoes")
    );
    assert!(
        cosine("他每天早上喝绿茶", "我最爱喝的是绿茶")
            > cosine("他每天早上喝绿茶", "火车票已经卖完了") + 0.2
    );
    assert!(
        cosine("the Xylofrabs project", "who leads Xylofrabs?")
            > cosine("the Xylofrabs project", "who leads Quondelbert?")
    );
    for (a, b) in [
        ("Crème brûlée", "creme brulee"),
        ("tea\tand\n\nmilk", "milk and tea"),
        ("ＡＢ c", "AB　c"),
    ] {
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
    assert!(
        passages
            .iter()
            .all(|vector| vector.len() == embedder.dims())
    );
    assert!(embedder.embed(&[], Purpose::Query).unwrap().is_empty());
    assert!(embedder.calibration().is_some());
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
