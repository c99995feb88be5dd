//! Values that are stored as JSON.

use std::fmt;
use std::marker::PhantomData;

use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put};
use annals_types::{MemoryId, Metadata, Rewrite, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The stored form of a `T` as JSON.
pub struct Json<T, const VERSION: u8 = 1>(PhantomData<fn() -> T>);

impl<T, const VERSION: u8> fmt::Debug for Json<T, VERSION> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Json")
    }
}

impl<T: Serialize + DeserializeOwned + 'static, const VERSION: u8> Value for Json<T, VERSION> {
    type View<'a> = T;

    const VERSION: u8 = VERSION;

    fn encode(view: &T, put: &mut Put) {
        match serde_json::to_vec(view) {
            Ok(json) => put.raw(&json),
            Err(error) => put.refuse::<T>(&error),
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<T, Broken> {
        serde_json::from_slice(body).map_err(|_| Broken("its JSON does not fit its structure"))
    }
}

/// Goes through all texts of a JSON value, each also beside the names of its fields. Ids and
/// moments stay.
pub fn rewrite_json(value: &mut serde_json::Value, rewrite: Rewrite<'_>) {
    let keeps = |text: &str| text.parse::<MemoryId>().is_ok() || text.parse::<Timestamp>().is_ok();
    // A value is offered alone, and behind the name of its field.
    let is_kept = |text: &str| {
        keeps(text)
            || text
                .rsplit_once(": ")
                .is_some_and(|(_, value)| keeps(value))
    };
    let mut rewrite = |text: &str| if is_kept(text) { None } else { rewrite(text) };
    let fields = serde_json::from_value::<Metadata>(serde_json::json!({ "": value.clone() }));
    let Ok(mut fields) = fields else { return };
    annals_types::rewrite_fields(&mut fields, &mut rewrite);
    if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(fields) {
        *value = fields
            .into_iter()
            .next()
            .map(|(_, value)| value)
            .unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_masked_by_their_names_and_ids_stay() {
        let id = "01010101-0101-0101-0101-010101010101";
        let mut value = serde_json::json!({ "id": id, "at": "2026-01-01T00:00:00Z", "login": [{ "password": "hunter2" }] });
        let mut mask = |text: &str| {
            let hit =
                text.starts_with("password: ") || text.contains("2026") || text.contains("0101");
            hit.then(|| "[masked]".to_owned())
        };
        rewrite_json(&mut value, &mut mask);
        let wanted = serde_json::json!({ "id": id, "at": "2026-01-01T00:00:00Z", "login": [{ "password": "[masked]" }] });
        assert_eq!(value, wanted);
    }
}
