//! The page: its files are part of the program, so that it needs no network and no second service.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_128;

use crate::problem::{Kind, Problem};

const HTML: &str = "text/html; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const TEXT: &str = "text/plain; charset=utf-8";

/// Only what this server sends runs, and it talks to this server alone: a memory that holds a
/// script stays a text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

struct File {
    name: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

macro_rules! files {
    ($($name:literal => $media_type:expr;)+) => {
        &[$(File { name: $name, media_type: $media_type, bytes: include_bytes!(concat!("../page/", $name)) },)+]
    };
}

static FILES: &[File] = files! {
    "index.html" => HTML;
    "api.js" => JS;
    "app.js" => JS;
    "card.js" => JS;
    "collection.js" => JS;
    "deeds.js" => JS;
    "diff.js" => JS;
    "events.js" => JS;
    "icon.svg" => SVG;
    "language.js" => JS;
    "layout.js" => JS;
    "life.js" => JS;
    "load.js" => JS;
    "memory.js" => JS;
    "net.js" => JS;
    "page.css" => CSS;
    "pieces.js" => JS;
    "plots.js" => JS;
    "route.js" => JS;
    "screens/ask.js" => JS;
    "screens/batch.js" => JS;
    "screens/chat.js" => JS;
    "screens/conversations.js" => JS;
    "screens/entry.js" => JS;
    "screens/facts.js" => JS;
    "screens/graph.js" => JS;
    "screens/hints.js" => JS;
    "screens/import.js" => JS;
    "screens/injected.js" => JS;
    "screens/memories.js" => JS;
    "screens/overview.js" => JS;
    "screens/review.js" => JS;
    "screens/settings.js" => JS;
    "screens/statistics.js" => JS;
    "screens/weights.js" => JS;
    "screens/work.js" => JS;
    "space.js" => JS;
    "texts/en.js" => JS;
    "texts/zh.js" => JS;
    "theme.js" => JS;
    "vendor/LICENSES.txt" => TEXT;
    "vendor/preact-htm.js" => JS;
};

/// Their tags, in the same order.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|file| format!("\"{:032x}\"", xxh3_128(file.bytes)))
        .collect()
});

/// Whether a path is the page or a part of it, which hold no memory and need no token.
pub(crate) fn is_page(path: &str) -> bool {
    path == "/" || path == "/settings/memories" || path.starts_with("/page/")
}

/// The page itself.
pub(crate) async fn index(headers: HeaderMap) -> Response {
    send("index.html", &headers)
}

/// A part of the page.
pub(crate) async fn part(Path(name): Path<String>, headers: HeaderMap) -> Response {
    send(&name, &headers)
}

fn send(name: &str, headers: &HeaderMap) -> Response {
    let found = FILES
        .iter()
        .zip(TAGS.iter())
        .find(|(file, _)| file.name == name);
    let Some((file, tag)) = found else {
        return Problem::of(Kind::NoRoute).into_response();
    };
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok());
    // A compressing layer makes strong tags weak.
    let is_known = known.is_some_and(|known| {
        known
            .split(',')
            .any(|one| one.trim().trim_start_matches("W/") == tag)
    });
    let (status, body) = if is_known {
        (StatusCode::NOT_MODIFIED, &[][..])
    } else {
        (StatusCode::OK, file.bytes)
    };
    let mut response = (status, body).into_response();
    let answered = response.headers_mut();
    answered.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(file.media_type),
    );
    answered.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    // Asked for each time, sent only when it has changed: no mix of two versions.
    answered.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        answered.insert(header::ETAG, tag);
    }
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{FILES, TAGS, send};
    use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

    fn names(folder: &Path, prefix: &str, all: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                names(&entry.path(), &format!("{name}/"), all);
            } else {
                all.insert(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_page_is_embedded() {
        let mut there = BTreeSet::new();
        names(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("page"),
            "",
            &mut there,
        );
        let embedded: BTreeSet<String> = FILES.iter().map(|file| file.name.to_owned()).collect();
        assert_eq!(embedded, there);
    }

    #[test]
    fn a_known_file_is_not_sent_again() {
        let mut headers = HeaderMap::new();
        assert_eq!(send("page.css", &headers).status(), StatusCode::OK);
        let place = FILES
            .iter()
            .position(|file| file.name == "page.css")
            .unwrap();
        headers.insert(
            header::IF_NONE_MATCH,
            HeaderValue::from_str(&format!("W/{}", TAGS[place])).unwrap(),
        );
        assert_eq!(
            send("page.css", &headers).status(),
            StatusCode::NOT_MODIFIED
        );
        assert_eq!(
            send("../src/page.rs", &headers).status(),
            StatusCode::NOT_FOUND
        );
    }
}
