use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use annals_types::{EmbedError, Embedder, Purpose};
use serde::Deserialize;
use tempfile::TempDir;

use super::tiny::{FLOAT, FLOAT16, INT32, INT64, Tiny};
use super::{ModelError, OnnxEmbedder, OnnxSettings, find_runtime};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Says what a test needs and does not find; an error where everything has to be there.
#[allow(clippy::print_stderr, reason = "a test that cannot run says so")]
fn missing(what: &str) {
    assert!(
        env::var_os("ANNALS_REQUIRE_SHARED").is_none_or(|value| value != "1"),
        "{what} is required here"
    );
    eprintln!("skipped: {what}");
}

/// Settings that find ONNX Runtime where `cargo xtask setup` puts it, too.
fn settings() -> Option<OnnxSettings> {
    let targets = [
        env::var_os("CARGO_TARGET_DIR").map(PathBuf::from),
        Some(workspace().join("target")),
    ];
    let put = targets
        .into_iter()
        .flatten()
        .map(|target| target.join("onnxruntime"))
        .find(|folder| folder.is_dir());
    let library = if env::var_os("ORT_DYLIB_PATH").is_some() {
        None
    } else {
        put
    };
    let report = find_runtime(library.as_deref());
    if report.loaded().is_none() {
        missing(&format!(
            "ONNX Runtime (run `cargo xtask setup`): {:?}",
            report.attempts
        ));
        return None;
    }
    assert!(
        report
            .version
            .is_some_and(|version| version.starts_with("1."))
    );
    Some(OnnxSettings {
        library,
        threads: 2,
        ..OnnxSettings::default()
    })
}

fn shared() -> Option<PathBuf> {
    let dir = env::var_os("ANNALS_SHARED")
        .map_or_else(|| workspace().join("../shared"), PathBuf::from)
        .join("models");
    if !dir.join("golden.json").is_file() {
        missing(&format!(
            "{} (set ANNALS_SHARED)",
            dir.join("golden.json").display()
        ));
        return None;
    }
    Some(dir)
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[derive(Deserialize)]
struct Golden {
    texts: Vec<String>,
    fp32: Vec<Vec<f32>>,
    int8: Vec<Vec<f32>>,
}

#[test]
fn minilm_gives_the_golden_vectors() {
    let (Some(settings), Some(shared)) = (settings(), shared()) else {
        return;
    };
    let golden: Golden =
        serde_json::from_slice(&fs::read(shared.join("golden.json")).unwrap()).unwrap();
    let embedder = OnnxEmbedder::open(shared.join("minilm-int8"), settings).unwrap();
    assert_eq!(
        (embedder.dims(), embedder.folder().max_tokens()),
        (384, 256)
    );
    let texts: Vec<&str> = golden.texts.iter().map(String::as_str).collect();
    let batched = embedder.embed(&texts, Purpose::Passage).unwrap();
    for (i, text) in texts.iter().enumerate() {
        let alone = embedder.embed(&[text], Purpose::Query).unwrap().remove(0);
        assert!((cosine(&alone, &alone) - 1.0).abs() < 1e-5);
        // The instructions of the processor change what int8 gives by a little.
        let (own, full) = (
            cosine(&alone, &golden.int8[i]),
            cosine(&alone, &golden.fp32[i]),
        );
        assert!(own > 0.999, "text {i}: {own} to the int8 vector");
        assert!(full > 0.97, "text {i}: {full} to the fp32 vector");
        assert_eq!(
            alone, batched[i],
            "text {i}: a vector does not depend on the company"
        );
    }
}

#[test]
fn minilm_puts_what_belongs_together_together() {
    let (Some(settings), Some(shared)) = (settings(), shared()) else {
        return;
    };
    let embedder = OnnxEmbedder::open(shared.join("minilm-int8"), settings).unwrap();
    let texts = [
        "Where do I live?",
        "I moved to Berlin in March.",
        "The soup needs more salt.",
    ];
    let vectors = embedder.embed(&texts, Purpose::Passage).unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]) + 0.1);
    assert!(embedder.embed(&[], Purpose::Query).unwrap().is_empty());
}

#[test]
fn a_huge_text_costs_no_more_than_a_long_one() {
    let (Some(settings), Some(shared)) = (settings(), shared()) else {
        return;
    };
    let embedder = OnnxEmbedder::open(shared.join("minilm-int8"), settings).unwrap();
    let huge = "the quick brown fox 跳过 懒狗 ".repeat(30_000);
    let long: String = huge.chars().take(4_000).collect();
    let vectors = embedder.embed(&[&huge], Purpose::Passage).unwrap();
    assert!(
        cosine(
            &vectors[0],
            &embedder.embed(&[&long], Purpose::Passage).unwrap()[0]
        ) > 0.9999
    );
}

fn tiny(tiny: &Tiny, files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    tiny.write(dir.path());
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn embed(dir: &TempDir, settings: &OnnxSettings, texts: &[&str]) -> Vec<Vec<f32>> {
    OnnxEmbedder::open(dir.path(), settings.clone())
        .unwrap()
        .embed(texts, Purpose::Query)
        .unwrap()
}

#[test]
fn every_pooling_works_beside_padding() {
    let Some(settings) = settings() else { return };
    // one = (1, 0), two = (0, 2), three = (-3, 0); the second text is padded.
    for (pooling, expected) in [
        ("mean", [[-0.164_399, 0.986_394], [0.0, 1.0]]),
        ("cls", [[1.0, 0.0], [0.0, 1.0]]),
        ("last", [[0.0, 1.0], [0.0, 1.0]]),
        ("max", [[0.447_213_6, 0.894_427_2], [0.0, 1.0]]),
    ] {
        let dir = tiny(
            &Tiny::default(),
            &[("annals.toml", &format!("pooling = '{pooling}'"))],
        );
        let got = embed(&dir, &settings, &["one two one three two two", "two"]);
        for (got, expected) in got.iter().zip(expected) {
            assert!(
                (cosine(got, &expected) - 1.0).abs() < 1e-6,
                "{pooling}: {got:?} instead of {expected:?}"
            );
        }
    }
}

#[test]
fn forms_of_inputs_and_outputs() {
    let Some(settings) = settings() else { return };
    let types: &[(&str, u64)] = &[
        ("input_ids", INT64),
        ("token_type_ids", INT64),
        ("attention_mask", INT64),
    ];
    let narrow: &[(&str, u64)] = &[
        ("position_ids", INT32),
        ("input_ids", INT32),
        ("attention_mask", INT32),
    ];
    for (inputs, output, pooled) in [
        (types, ("last_hidden_state", FLOAT), false),
        (narrow, ("token_embeddings", FLOAT16), false),
        (types, ("sentence_embedding", FLOAT), true),
        (narrow, ("anything", FLOAT16), true),
        (types, ("anything", FLOAT), false),
    ] {
        let model = Tiny {
            inputs,
            output,
            pooled,
            ..Tiny::default()
        };
        let dir = tiny(&model, &[("annals.toml", "pooling = 'cls'")]);
        let got = embed(&dir, &settings, &["one two", "three"]);
        assert_eq!(got, [[1.0, 0.0], [-1.0, 0.0]], "{inputs:?} {output:?}");
    }
}

#[test]
fn prefixes_and_limits_are_applied() {
    let Some(settings) = settings() else { return };
    let toml = "pooling = 'cls'\nquery_prefix = 'one '\npassage_prefix = 'three '";
    let embedder = OnnxEmbedder::open(
        tiny(&Tiny::default(), &[("annals.toml", toml)]).path(),
        settings.clone(),
    )
    .unwrap();
    assert_eq!(
        embedder.embed(&["two"], Purpose::Query).unwrap(),
        [[1.0, 0.0]]
    );
    assert_eq!(
        embedder.embed(&["two"], Purpose::Passage).unwrap(),
        [[-1.0, 0.0]]
    );
    let mut model = Tiny::default();
    model.table[1] = [1.0, 1.0];
    let cut = tiny(
        &model,
        &[("annals.toml", "pooling = 'last'\nmax_tokens = 3\ndims = 1")],
    );
    assert_eq!(embed(&cut, &settings, &["two one three one one"]), [[-1.0]]);
}

#[test]
fn small_batches_give_what_one_batch_gives() {
    let Some(settings) = settings() else { return };
    let dir = tiny(&Tiny::default(), &[]);
    let texts: Vec<String> = (0..50)
        .map(|i| ["one", "two three", "two", "one one two"][i % 4].repeat(1 + i % 3))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let whole = OnnxSettings {
        batch_tokens: 10_000,
        batch_texts: 100,
        ..settings.clone()
    };
    let expected = embed(&dir, &whole, &texts);
    for copies in [None, Some(1), Some(9)] {
        let small = OnnxSettings {
            batch_tokens: 4,
            batch_texts: 3,
            threads: 3,
            copies,
            ..settings.clone()
        };
        assert_eq!(expected, embed(&dir, &small, &texts));
    }
}

#[test]
fn useless_vectors_are_refused() {
    let Some(settings) = settings() else { return };
    for (state, word) in [
        ([f32::NAN, 1.0], "NaN"),
        ([0.0, 0.0], "zeros"),
        ([f32::INFINITY, 0.0], "inf"),
    ] {
        let mut model = Tiny::default();
        model.table[2] = state;
        let embedder = OnnxEmbedder::open(tiny(&model, &[]).path(), settings.clone()).unwrap();
        let error = embedder.embed(&["two", "one"], Purpose::Query).unwrap_err();
        assert_eq!(
            embedder.embed(&["two"], Purpose::Query).unwrap(),
            [[0.0, 1.0]]
        );
        assert!(matches!(error, EmbedError::BadAnswer { .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn models_that_cannot_work_say_why_when_opened() {
    let Some(settings) = settings() else { return };
    let complaint = |dir: &TempDir| OnnxEmbedder::open(dir.path(), settings.clone()).unwrap_err();
    let images = Tiny {
        inputs: &[("input_ids", INT64), ("pixel_values", INT64)],
        ..Tiny::default()
    };
    let error = complaint(&tiny(&images, &[]));
    assert!(
        matches!(error, ModelError::Unsupported { .. })
            && error.to_string().contains("pixel_values"),
        "{error}"
    );

    let error = complaint(&tiny(
        &Tiny::default(),
        &[("model.onnx", "no graph at all")],
    ));
    assert!(
        matches!(error, ModelError::Broken { .. }) && error.to_string().contains("model.onnx"),
        "{error}"
    );
    let error = complaint(&tiny(&Tiny::default(), &[("tokenizer.json", "{}")]));
    assert!(
        matches!(error, ModelError::Broken { .. }) && error.to_string().contains("tokenizer.json"),
        "{error}"
    );

    // The tokenizer of a larger model gives ids that this table does not have.
    let short = Tiny {
        table: vec![[1.0, 1.0]],
        ..Tiny::default()
    };
    let error = complaint(&tiny(&short, &[]));
    assert!(error.to_string().contains("trial run"), "{error}");

    let modules = r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#;
    let error = complaint(&tiny(&Tiny::default(), &[("modules.json", modules)]));
    assert!(error.to_string().contains("dense layer"), "{error}");
    let pooled = Tiny {
        pooled: true,
        output: ("sentence_embedding", FLOAT),
        ..Tiny::default()
    };
    assert!(
        OnnxEmbedder::open(
            tiny(&pooled, &[("modules.json", modules)]).path(),
            settings.clone()
        )
        .is_ok()
    );
}

#[test]
fn threads_share_one_embedder() {
    let Some(settings) = settings() else { return };
    let dir = tiny(&Tiny::default(), &[]);
    let embedder = OnnxEmbedder::open(dir.path(), settings).unwrap();
    let expected = embedder
        .embed(&["one two", "three"], Purpose::Query)
        .unwrap();
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    embedder
                        .embed(&["one two", "three"], Purpose::Query)
                        .unwrap()
                })
            })
            .collect();
        for handle in handles {
            assert_eq!(handle.join().unwrap(), expected);
        }
    });
}
