//! Values that are stored as JSON.

use std::fmt;
use std::marker::PhantomData;

use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The stored form of a `T` as JSON.
pub(crate) struct Json<T, const VERSION: u8 = 1>(PhantomData<fn() -> T>);

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
