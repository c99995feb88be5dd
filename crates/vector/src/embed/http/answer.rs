use serde::Deserialize;

use crate::embed::unit::unit;

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// The vectors of an answer in the order of the texts, each of length 1.
///
/// Items are placed by `index`; when no item has one, they count as given in order.
///
/// # Errors
/// A description of the answer when it is something else.
pub(super) fn vectors(
    bytes: &[u8],
    texts: usize,
    dims: Option<usize>,
) -> Result<Vec<Vec<f32>>, String> {
    let EmbeddingsResponse { data } = serde_json::from_slice(bytes)
        .map_err(|error| format!("{} ({error})", excerpt(bytes, "something else")))?;
    if data.len() != texts {
        return Err(format!("{} vectors", data.len()));
    }
    let dims = dims
        .or_else(|| data.first().map(|item| item.embedding.len()))
        .unwrap_or(0);
    let numbered = data.iter().any(|item| item.index.is_some());
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (position, item) in data.into_iter().enumerate() {
        let index = if numbered {
            item.index.ok_or("a vector without an index")?
        } else {
            position
        };
        let place = vectors
            .get_mut(index)
            .ok_or_else(|| format!("a vector with the index {index}"))?;
        if place.is_some() {
            return Err(format!("two vectors with the index {index}"));
        }
        if item.embedding.len() != dims {
            return Err(format!(
                "a vector of {} numbers with the index {index}",
                item.embedding.len()
            ));
        }
        *place = Some(
            unit(item.embedding, None).map_err(|what| format!("{what} with the index {index}"))?,
        );
    }
    vectors
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| "a vector missing".to_owned())
}

/// The beginning of what a server wrote, on one line.
pub(super) fn excerpt(bytes: &[u8], otherwise: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    let line = line.join(" ");
    if line.is_empty() {
        return otherwise.to_owned();
    }
    let short: String = line.chars().take(300).collect();
    if short.len() < line.len() {
        format!("{short} ...")
    } else {
        short
    }
}
