use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{HubError, HubSettings, ModelFolder, Progress, local_name, pull, pull_with};
use annals_net::server::{Reply, Request, Server};
use annals_net::{ApiKey, KeySource};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const REPO: &str = "org/tiny-model";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn model() -> Vec<u8> {
    (0..100_000_u32).flat_map(u32::to_le_bytes).collect()
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (".gitattributes", b"*.onnx lfs".to_vec()),
        ("config.json", br#"{"hidden_size": 12}"#.to_vec()),
        ("onnx/model.onnx", model()),
        ("onnx/model_q4.onnx", b"another variant".to_vec()),
        ("pytorch_model.bin", b"not needed".to_vec()),
        ("tokenizer.json", b"{}".to_vec()),
    ]
}

/// The list of files as the hub gives it: large files with SHA-256, small ones with their Git hash.
fn listing(files: &[(&str, Vec<u8>)]) -> Value {
    let siblings: Vec<Value> = files
        .iter()
        .map(|(name, bytes)| {
            let blob = [format!("blob {}\0", bytes.len()).as_bytes(), bytes].concat();
            let id = hex(digest(&SHA1_FOR_LEGACY_USE_ONLY, &blob).as_ref());
            let mut file = json!({ "rfilename": name, "size": bytes.len(), "blobId": id });
            if name.ends_with(".onnx") {
                let sha = hex(digest(&SHA256, bytes).as_ref());
                file["lfs"] = json!({ "sha256": sha, "size": bytes.len(), "pointerSize": 130 });
            }
            file
        })
        .collect();
    json!({ "id": REPO, "sha": COMMIT, "siblings": siblings })
}

/// Answers as the hub does; `odd` may answer first.
fn hub(mut odd: impl FnMut(&Request) -> Option<Reply> + Send + 'static) -> Server {
    Server::start(move |request| odd(request).or_else(|| Some(answer(request, &files()))))
}

fn answer(request: &Request, files: &[(&str, Vec<u8>)]) -> Reply {
    if request.path == format!("/api/models/{REPO}/revision/main?blobs=true") {
        return Reply::new(200, listing(files).to_string());
    }
    let prefix = format!("/{REPO}/resolve/{COMMIT}/");
    let file = request
        .path
        .strip_prefix(&prefix)
        .and_then(|name| files.iter().find(|(known, _)| *known == name));
    let Some((_, bytes)) = file else {
        return Reply::new(404, "Entry not found");
    };
    let from = request
        .header("range")
        .and_then(|text| text.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    match from {
        None => Reply::new(200, bytes.clone()),
        Some(from) if from >= bytes.len() => Reply::new(416, ""),
        Some(from) => Reply::new(206, &bytes[from..]).with(
            "content-range",
            format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len()),
        ),
    }
}

fn is_model(request: &Request) -> bool {
    request.path.ends_with("/onnx/model.onnx")
}

fn settings(server: &Server) -> HubSettings {
    HubSettings {
        endpoint: server.base.clone(),
        silence: Duration::from_secs(20),
        ..HubSettings::default()
    }
}

fn quietly(root: &TempDir, settings: &HubSettings) -> Result<ModelFolder, HubError> {
    pull_with(REPO, root.path(), settings, &mut |_| {}, Box::new(|_| {}))
}

fn place(root: &TempDir) -> PathBuf {
    root.path().join("org--tiny-model")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_needed_is_fetched_once() {
    let (server, root) = (hub(|_| None), tempfile::tempdir().unwrap());
    let mut seen: Vec<(String, u64, Option<u64>)> = Vec::new();
    let mut note = |p: Progress<'_>| seen.push((p.file.to_owned(), p.done, p.total));
    let folder = pull(REPO, root.path(), &settings(&server), &mut note).unwrap();
    assert_eq!(
        (folder.dir(), folder.dims()),
        (place(&root).as_path(), Some(12))
    );
    assert_eq!(fs::read(folder.model_path()).unwrap(), model());
    assert_eq!(
        names(&place(&root)),
        [".source.json", "config.json", "onnx", "tokenizer.json"]
    );
    assert_eq!(names(&place(&root).join("onnx")), ["model.onnx"]);
    let total = model().len() as u64 + 19 + 2;
    assert_eq!(
        seen.last().unwrap(),
        &("onnx/model.onnx".to_owned(), total, Some(total))
    );
    assert!(seen.is_sorted_by_key(|(_, done, _)| *done));
    assert_eq!(server.requests().len(), 4);
    // The second time only the list is asked for.
    quietly(&root, &settings(&server)).unwrap();
    assert_eq!(server.requests().len(), 5);
    assert_eq!(
        names(root.path()),
        [".lock-org--tiny-model", "org--tiny-model"]
    );
}

#[test]
fn a_cut_connection_is_taken_up_where_it_broke() {
    let mut cuts = vec![300_000, 50_000].into_iter();
    let server = hub(move |request| {
        let cut = cuts.len() > 0 && is_model(request);
        cut.then(|| answer(request, &files()).cut(cuts.next().unwrap()))
    });
    let root = tempfile::tempdir().unwrap();
    quietly(&root, &settings(&server)).unwrap();
    assert_eq!(
        fs::read(place(&root).join("onnx/model.onnx")).unwrap(),
        model()
    );
    let ranges: Vec<Option<String>> = server
        .requests()
        .iter()
        .filter(|r| is_model(r))
        .map(|r| r.header("range").map(str::to_owned))
        .collect();
    assert_eq!(
        ranges,
        [
            None,
            Some("bytes=300000-".to_owned()),
            Some("bytes=350000-".to_owned())
        ]
    );
}

#[test]
fn the_next_pull_goes_on_from_what_is_there() {
    let server = hub(|request| {
        let whole = is_model(request) && request.header("range").is_none();
        whole.then(|| answer(request, &files()).cut(123_456))
    });
    let root = tempfile::tempdir().unwrap();
    let impatient = HubSettings {
        retries: 0,
        ..settings(&server)
    };
    let error = quietly(&root, &impatient).unwrap_err();
    assert!(
        matches!(error, HubError::BrokenOff { done: 123_456, .. }),
        "{error:?}"
    );
    assert!(!place(&root).exists());
    quietly(&root, &impatient).unwrap();
    assert_eq!(
        fs::read(place(&root).join("onnx/model.onnx")).unwrap(),
        model()
    );
    let requests = server.requests();
    assert_eq!(
        requests.last().unwrap().header("range"),
        Some("bytes=123456-")
    );
    // The small files were whole and are not fetched again.
    assert_eq!(
        requests
            .iter()
            .filter(|r| r.path.ends_with("tokenizer.json"))
            .count(),
        1
    );
}

#[test]
fn servers_without_ranges_start_again() {
    let mut first = true;
    let server = hub(move |request| {
        is_model(request).then(|| {
            let whole = Reply::new(200, model());
            if std::mem::take(&mut first) {
                whole.cut(1000)
            } else {
                whole
            }
        })
    });
    let root = tempfile::tempdir().unwrap();
    quietly(&root, &settings(&server)).unwrap();
    assert_eq!(
        fs::read(place(&root).join("onnx/model.onnx")).unwrap(),
        model()
    );
}

#[test]
fn a_range_that_was_not_asked_for_is_not_believed() {
    let mut count = 0;
    let server = hub(move |request| {
        count += u32::from(is_model(request));
        match count {
            1 if is_model(request) => Some(answer(request, &files()).cut(1000)),
            2 => Some(
                Reply::new(206, &model()[500..]).with("content-range", "bytes 500-399999/400000"),
            ),
            _ => None,
        }
    });
    let root = tempfile::tempdir().unwrap();
    quietly(&root, &settings(&server)).unwrap();
    assert_eq!(
        fs::read(place(&root).join("onnx/model.onnx")).unwrap(),
        model()
    );
}

/// Pulls from a server that sends something else in place of one file.
fn forged(name: &'static str, bytes: &[u8]) -> (HubError, usize) {
    let bytes = bytes.to_vec();
    let server = hub(move |request| {
        request
            .path
            .ends_with(name)
            .then(|| Reply::new(200, bytes.clone()))
    });
    let root = tempfile::tempdir().unwrap();
    let impatient = HubSettings {
        retries: 1,
        ..settings(&server)
    };
    let error = quietly(&root, &impatient).unwrap_err();
    assert!(!place(&root).exists());
    let part = root
        .path()
        .join(".partial-org--tiny-model")
        .join(format!("{name}.part"));
    let kept = fs::metadata(part).map_or(0, |meta| usize::try_from(meta.len()).unwrap());
    (error, kept)
}

#[test]
fn what_was_not_announced_is_thrown_away() {
    let mut flipped = model();
    flipped[77] ^= 1;
    let (error, kept) = forged("onnx/model.onnx", &flipped);
    assert!(
        matches!(&error, HubError::Corrupt { got, .. } if got.starts_with("SHA-256")),
        "{error:?}"
    );
    assert_eq!(kept, 0);
    let (error, kept) = forged("tokenizer.json", b"[]");
    assert!(
        matches!(&error, HubError::Corrupt { got, .. } if got.starts_with("Git hash")),
        "{error:?}"
    );
    assert_eq!(kept, 0);
    let (error, kept) = forged("tokenizer.json", b"{} and much more");
    assert!(
        matches!(&error, HubError::Corrupt { got, .. } if got.contains("more than 2 bytes")),
        "{error:?}"
    );
    assert_eq!(kept, 0);
    let (error, kept) = forged("tokenizer.json", b"{");
    assert!(
        matches!(error, HubError::BrokenOff { done: 1, .. }),
        "{error:?}"
    );
    assert_eq!(kept, 1);
}

#[test]
fn a_redirect_is_followed_without_the_token() {
    let storage = Server::start(|request| {
        Some(answer(
            &Request {
                path: format!("/{REPO}/resolve/{COMMIT}/onnx/model.onnx"),
                ..request.clone()
            },
            &files(),
        ))
    });
    let elsewhere = storage.base.replace("127.0.0.1", "localhost");
    let server = hub(move |request| {
        is_model(request)
            .then(|| Reply::new(302, "").with("location", format!("{elsewhere}/blob?signature=1")))
    });
    let root = tempfile::tempdir().unwrap();
    let token = KeySource::Given(ApiKey::new("hf_secret").unwrap());
    quietly(
        &root,
        &HubSettings {
            token,
            ..settings(&server)
        },
    )
    .unwrap();
    assert_eq!(
        fs::read(place(&root).join("onnx/model.onnx")).unwrap(),
        model()
    );
    assert!(
        server
            .requests()
            .iter()
            .all(|r| r.header("authorization") == Some("Bearer hf_secret"))
    );
    let requests = storage.requests();
    assert_eq!(
        (requests.len(), requests[0].header("authorization")),
        (1, None)
    );
}

#[test]
fn what_the_hub_refuses_is_told_with_advice() {
    for (status, tries) in [(401, 1), (403, 1), (404, 1), (400, 1), (503, 3)] {
        let server = Server::start(move |_| Some(Reply::new(status, "no")));
        let root = tempfile::tempdir().unwrap();
        let token = KeySource::Given(ApiKey::new("hf_secret").unwrap());
        let error = quietly(
            &root,
            &HubSettings {
                retries: 2,
                token,
                ..settings(&server)
            },
        )
        .unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(
            text.contains(&status.to_string()) && text.contains(REPO) && !text.contains("secret"),
            "{text}"
        );
        assert_eq!(
            matches!(error, HubError::Denied { .. }),
            (401..=404).contains(&status),
            "{text}"
        );
        assert_eq!(server.requests().len(), tries);
    }
    let root = tempfile::tempdir().unwrap();
    let gone = HubSettings {
        endpoint: Server::start(|_| None).base.clone(),
        ..HubSettings::default()
    };
    assert!(matches!(
        quietly(&root, &gone),
        Err(HubError::Unreachable { .. })
    ));
    let none = HubSettings {
        endpoint: "huggingface.co".to_owned(),
        ..HubSettings::default()
    };
    assert!(matches!(quietly(&root, &none), Err(HubError::Net(_))));
}

/// Pulls from a server with another list of files.
fn listed(body: String, settings_for: impl Fn(&Server) -> HubSettings) -> HubError {
    let server = Server::start(move |request| {
        assert!(
            request.path.starts_with("/api/"),
            "nothing but the list is asked for: {}",
            request.path
        );
        Some(Reply::new(200, body.clone()))
    });
    let root = tempfile::tempdir().unwrap();
    let error = quietly(&root, &settings_for(&server)).unwrap_err();
    assert!(!place(&root).exists());
    error
}

#[test]
fn repositories_without_a_model_say_what_they_lack() {
    let error = listed(listing(&[("README.md", vec![])]).to_string(), settings);
    assert!(
        matches!(error, HubError::NoModel { .. }) && error.to_string().contains("optimum-cli"),
        "{error}"
    );
    let error = listed(
        listing(&[("onnx/model_q4.onnx", vec![])]).to_string(),
        settings,
    );
    assert!(error.to_string().contains("onnx/model_q4.onnx"), "{error}");
    let error = listed(listing(&[("model.onnx", vec![1])]).to_string(), settings);
    assert!(error.to_string().contains("no tokenizer.json"), "{error}");
    for wanted in ["../../etc/passwd", "/etc/passwd", "absent.onnx", "a\\b"] {
        let choose = |server: &Server| HubSettings {
            model_file: Some(wanted.to_owned()),
            ..settings(server)
        };
        let error = listed(listing(&files()).to_string(), choose);
        assert!(
            matches!(&error, HubError::NoModel { missing, .. } if missing == wanted),
            "{error:?}"
        );
    }
}

#[test]
fn lists_that_are_none_or_mean_harm_are_refused() {
    for evil in ["../evil", "/etc/passwd", "onnx/../../x", "a\\..\\b"] {
        let error = listed(
            listing(&[("model.onnx", vec![1]), (evil, vec![])]).to_string(),
            settings,
        );
        assert!(
            matches!(&error, HubError::BadListing { reason, .. } if reason.contains("leaves")),
            "{error:?}"
        );
    }
    for body in [
        "",
        "<html>",
        "[]",
        r#"{"siblings": 3}"#,
        r#"{"sha": "../x", "siblings": []}"#,
    ] {
        let error = listed(body.to_owned(), settings);
        assert!(
            matches!(error, HubError::BadListing { .. }),
            "{body}: {error:?}"
        );
    }
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    assert_eq!(local_name("org/name-v1.5").unwrap(), "org--name-v1.5");
    assert_eq!(local_name("bert").unwrap(), "bert");
    for bad in [
        "",
        "/",
        "org/",
        "/name",
        "../x",
        "org/..",
        "a/b/c",
        "org/na me",
        "org\\x",
        "o?g/x",
        "org/a..b",
        ".a/b",
    ] {
        assert!(
            matches!(local_name(bad), Err(HubError::BadRepo { .. })),
            "{bad}"
        );
    }
    let server = Server::start(|_| Some(Reply::new(500, "")));
    let root = tempfile::tempdir().unwrap();
    for revision in ["", "../x", "a b", "main?x=1"] {
        let settings = HubSettings {
            revision: revision.to_owned(),
            ..settings(&server)
        };
        assert!(
            matches!(quietly(&root, &settings), Err(HubError::BadRepo { .. })),
            "{revision}"
        );
    }
    assert!(server.requests().is_empty());
}

#[test]
fn another_variant_replaces_the_model() {
    let (server, root) = (hub(|_| None), tempfile::tempdir().unwrap());
    quietly(&root, &settings(&server)).unwrap();
    let choice = HubSettings {
        model_file: Some("onnx/model_q4.onnx".to_owned()),
        ..settings(&server)
    };
    let folder = quietly(&root, &choice).unwrap();
    assert_eq!(fs::read(folder.model_path()).unwrap(), b"another variant");
    assert_eq!(names(&place(&root).join("onnx")), ["model_q4.onnx"]);
    assert_eq!(
        names(root.path()),
        [".lock-org--tiny-model", "org--tiny-model"]
    );
}

#[test]
fn two_pulls_of_one_model_do_not_meet() {
    let root = Arc::new(tempfile::tempdir().unwrap());
    let (inside, result) = (Arc::clone(&root), Arc::new(Mutex::new(None)));
    let (seen, once) = (Arc::clone(&result), Mutex::new(false));
    let server = hub(move |request| {
        if is_model(request) && !std::mem::replace(&mut *once.lock().unwrap(), true) {
            let other = HubSettings {
                endpoint: "http://127.0.0.1:1".to_owned(),
                ..HubSettings::default()
            };
            *seen.lock().unwrap() = Some(quietly(&inside, &other).unwrap_err());
        }
        None
    });
    quietly(&root, &settings(&server)).unwrap();
    assert!(matches!(
        result.lock().unwrap().as_ref().unwrap(),
        HubError::Busy { .. }
    ));
}
