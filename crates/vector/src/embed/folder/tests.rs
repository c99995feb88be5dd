use std::fs;
use std::path::Path;

use annals_types::{Calibration, EmbedError};
use tempfile::TempDir;

use super::{ModelError, ModelFolder, Pooling, import, import_as, installed, remove};

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn model() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "model.onnx", "graph");
    write(dir.path(), "tokenizer.json", "{}");
    dir
}

#[test]
fn a_bare_folder_has_the_defaults() {
    let dir = model();
    let folder = ModelFolder::open(dir.path()).unwrap();
    assert_eq!(folder.pooling(), Pooling::Mean);
    assert_eq!((folder.query_prefix(), folder.passage_prefix()), ("", ""));
    assert_eq!(folder.max_tokens(), 256);
    assert_eq!(folder.dims(), None);
    assert_eq!(folder.files(), ["model.onnx", "tokenizer.json"]);
    assert_eq!(folder.bytes().unwrap(), 7);
}

#[test]
fn the_files_of_sentence_transformers_are_followed() {
    let dir = model();
    write(
        dir.path(),
        "config.json",
        r#"{"hidden_size": 768, "max_position_embeddings": 514, "model_type": "roberta"}"#,
    );
    write(
        dir.path(),
        "modules.json",
        r#"[{"path": "", "type": "sentence_transformers.models.Transformer"},
            {"path": "pool", "type": "sentence_transformers.models.Pooling"}]"#,
    );
    write(
        dir.path(),
        "pool/config.json",
        r#"{"word_embedding_dimension": 768, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
    );
    write(
        dir.path(),
        "sentence_bert_config.json",
        r#"{"max_seq_length": 900, "do_lower_case": false}"#,
    );
    write(
        dir.path(),
        "config_sentence_transformers.json",
        r#"{"prompts": {"query": "query: ", "document": "passage: "}, "default_prompt_name": null}"#,
    );
    let folder = ModelFolder::open(dir.path()).unwrap();
    assert_eq!(folder.pooling(), Pooling::Cls);
    assert_eq!(
        (folder.query_prefix(), folder.passage_prefix()),
        ("query: ", "passage: ")
    );
    // RoBERTa positions begin at 2.
    assert_eq!(folder.max_tokens(), 512);
    assert_eq!(folder.dims(), Some(768));
    assert!(folder.files().contains(&"pool/config.json".to_owned()));
}

#[test]
fn our_own_file_has_the_last_word() {
    let dir = model();
    write(dir.path(), "small.onnx", "other graph");
    write(dir.path(), "small.onnx_data", "weights");
    write(
        dir.path(),
        "config.json",
        r#"{"hidden_size": 384, "max_position_embeddings": 512}"#,
    );
    write(
        dir.path(),
        "annals.toml",
        "model = 'small.onnx'\npooling = 'last'\nquery_prefix = 'q '\nmax_tokens = 300\ndims = 128\n\
         calibration = { low = 0.5, high = 0.9 }",
    );
    let folder = ModelFolder::open(dir.path()).unwrap();
    assert!(folder.model_path().ends_with("small.onnx"));
    assert_eq!(folder.pooling(), Pooling::Last);
    assert_eq!(
        (folder.query_prefix(), folder.max_tokens(), folder.dims()),
        ("q ", 300, Some(128))
    );
    assert_eq!(folder.calibration(), Some(Calibration::uniform(0.5, 0.9)));
    assert!(folder.files().contains(&"small.onnx_data".to_owned()));
}

#[test]
fn the_usual_places_are_tried_in_order() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "tokenizer.json", "{}");
    for name in [
        "onnx/model_quantized.onnx",
        "model_quantized.onnx",
        "onnx/model.onnx",
        "model.onnx",
    ] {
        write(dir.path(), name, name);
        assert_eq!(ModelFolder::open(dir.path()).unwrap().files()[0], name);
    }
}

/// Opens a folder in which one file is replaced (or removed) and gives the message.
fn complaint(name: &str, content: Option<&str>) -> String {
    let dir = model();
    match content {
        Some(text) => write(dir.path(), name, text),
        None => fs::remove_file(dir.path().join(name)).unwrap(),
    }
    let error = ModelFolder::open(dir.path()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(&dir.path().join(name).display().to_string()),
        "{text} names {name}"
    );
    assert!(matches!(
        EmbedError::from(error),
        EmbedError::Unavailable { .. }
    ));
    text
}

#[test]
fn each_wrong_file_has_its_own_error() {
    assert!(complaint("model.onnx", None).contains("is missing"));
    assert!(complaint("model.onnx", Some("")).contains("empty"));
    assert!(
        complaint(
            "model.onnx",
            Some("version https://git-lfs.github.com/spec/v1\n")
        )
        .contains("git lfs pull")
    );
    assert!(complaint("tokenizer.json", None).contains("is missing"));
    assert!(complaint("tokenizer.json", Some("")).contains("empty"));
    assert!(complaint("config.json", Some("{")).contains("EOF"));
    assert!(complaint("modules.json", Some("[{}]")).contains("type"));
    let leaving = r#"[{"path": "../up", "type": "a.Pooling"}]"#;
    assert!(complaint("modules.json", Some(leaving)).contains("leaves the folder"));
    let none = r#"{"pooling_mode_mean_tokens": false}"#;
    assert!(complaint("1_Pooling/config.json", Some(none)).contains("no pooling mode"));
    let two = r#"{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}"#;
    assert!(complaint("1_Pooling/config.json", Some(two)).contains("several pooling modes"));
    let odd = r#"{"pooling_mode_weightedmean_tokens": true}"#;
    assert!(complaint("1_Pooling/config.json", Some(odd)).contains("weightedmean"));
    assert!(complaint("annals.toml", Some("poolin = 'mean'")).contains("poolin"));
    assert!(complaint("annals.toml", Some("pooling = 'median'")).contains("median"));
    assert!(
        complaint("annals.toml", Some("model = '../other.onnx'")).contains("leaves the folder")
    );
    assert!(complaint("annals.toml", Some("max_tokens = 2")).contains("below 3"));
    assert!(complaint("annals.toml", Some("dims = 0")).contains("dims"));
    assert!(
        complaint(
            "annals.toml",
            Some("calibration = { low = 0.9, high = 0.1 }")
        )
        .contains("calibration")
    );
}

#[test]
fn a_token_limit_beyond_the_model_is_refused() {
    let dir = model();
    write(
        dir.path(),
        "config.json",
        r#"{"max_position_embeddings": 512}"#,
    );
    write(dir.path(), "annals.toml", "max_tokens = 1000");
    let error = ModelFolder::open(dir.path()).unwrap_err();
    assert!(error.to_string().contains("at most 512"), "{error}");
}

#[test]
fn the_fingerprint_follows_what_changes_vectors_and_not_the_name() {
    let (one, two) = (model(), model());
    let print = |dir: &TempDir| {
        ModelFolder::open(dir.path())
            .unwrap()
            .fingerprint()
            .unwrap()
    };
    let plain = print(&one);
    assert_eq!(plain, print(&two));
    assert!(plain.0.starts_with("onnx:mean:"), "{plain}");
    write(one.path(), "special_tokens_map.json", "{}");
    assert_eq!(plain, print(&one));
    let mut seen = vec![plain];
    for (name, text) in [
        ("annals.toml", "pooling = 'mean'"),
        ("annals.toml", "query_prefix = 'a'"),
        ("annals.toml", "passage_prefix = 'a'"),
        ("annals.toml", "max_tokens = 100"),
        ("annals.toml", "dims = 2"),
        ("tokenizer.json", "{ }"),
        ("model.onnx", "grapg"),
        ("model.onnx_data", "w"),
    ] {
        write(two.path(), name, text);
        let print = print(&two);
        assert!(!seen.contains(&print), "{name} {text}");
        seen.push(print);
    }
}

#[test]
fn import_copies_what_the_model_needs_and_nothing_else() {
    let (source, root) = (model(), tempfile::tempdir().unwrap());
    write(
        source.path(),
        "1_Pooling/config.json",
        r#"{"word_embedding_dimension": 8, "pooling_mode_lasttoken": true}"#,
    );
    write(
        source.path(),
        "pytorch_model.bin",
        "weights in another form",
    );
    let copy = import_as(source.path(), root.path(), "tiny").unwrap();
    assert_eq!(
        (copy.pooling(), copy.name().as_str()),
        (Pooling::Last, "tiny")
    );
    assert!(!root.path().join("tiny/pytorch_model.bin").exists());
    import_as(source.path(), root.path(), "tiny").unwrap();

    write(source.path(), "model.onnx", "changed");
    assert!(matches!(
        import_as(source.path(), root.path(), "tiny"),
        Err(ModelError::Exists { .. })
    ));
    for bad in ["", "..", ".x", "a/b", "a\\b", "nul", "COM1.x", "x.", "ä"] {
        assert!(
            matches!(
                import_as(source.path(), root.path(), bad),
                Err(ModelError::BadName { .. })
            ),
            "{bad}"
        );
    }
    let names: Vec<_> = fs::read_dir(root.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names, ["tiny"]);
}

#[test]
fn a_failed_import_leaves_nothing() {
    let (source, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(matches!(
        import(source.path().join("none"), root.path()),
        Err(ModelError::Missing { .. })
    ));
    write(source.path(), "model.onnx", "graph");
    assert!(import_as(source.path(), root.path(), "half").is_err());
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn the_listing_shows_sound_and_broken_models() {
    let (source, root) = (model(), tempfile::tempdir().unwrap());
    assert!(
        installed(root.path().join("nothing yet"))
            .unwrap()
            .is_empty()
    );
    write(source.path(), "config.json", r#"{"hidden_size": 12}"#);
    let copy = import_as(source.path(), root.path(), "b").unwrap();
    write(root.path(), "a/tokenizer.json", "{}");
    write(root.path(), ".partial-c/tokenizer.json", "{}");
    write(root.path(), "note.txt", "no model");
    let list = installed(root.path()).unwrap();
    assert_eq!(
        list.iter()
            .map(|model| model.name.as_str())
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert!(matches!(list[0].facts, Err(ModelError::Missing { .. })));
    let facts = list[1].facts.as_ref().unwrap();
    assert_eq!((facts.dims, facts.bytes), (Some(12), 7 + 19));
    assert_eq!(facts.fingerprint, copy.fingerprint().unwrap());
    remove(root.path(), "b").unwrap();
    assert!(matches!(
        remove(root.path(), "b"),
        Err(ModelError::Missing { .. })
    ));
    assert!(remove(root.path(), "../b").is_err());
    assert_eq!(installed(root.path()).unwrap().len(), 1);
}
