//! Which embedder a run works with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals::Embedder;
use annals::embed::folder::ModelError;
use annals::embed::http::{ApiKey, KeySource};
use annals::embed::http::{HttpEmbedder, HttpError, HttpSettings};
use annals::embed::onnx::{OnnxEmbedder, OnnxSettings};

use crate::config::Http;
use crate::failure::{Exit, Failure};
use crate::settings::{EmbedderSetting, Settings};
use crate::texts::text;
use crate::world::World;

/// The embedder of the settings; `None` for the built-in one.
pub(crate) fn load(settings: &Settings, world: &World<'_>) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    match &settings.embedder {
        EmbedderSetting::Builtin => Ok(None),
        EmbedderSetting::Model(word) => {
            let onnx = OnnxSettings { library: settings.onnxruntime.clone(), ..OnnxSettings::default() };
            let embedder = OnnxEmbedder::open(model_folder(word, settings)?, onnx)?;
            Ok(Some(Arc::new(embedder)))
        }
        EmbedderSetting::Http(http) => Ok(Some(Arc::new(HttpEmbedder::open(http_settings(http, world)?)?))),
    }
}

/// A path that exists, or else the model of that name.
pub(crate) fn model_folder(word: &str, settings: &Settings) -> Result<PathBuf, Failure> {
    let path = Path::new(word);
    if path.exists() {
        return Ok(path.to_owned());
    }
    let named = settings.models.as_ref().map(|models| models.join(word.replace('/', "--")));
    named.filter(|path| path.is_dir()).ok_or_else(|| {
        Failure::new(Exit::Embedder, text!("common-embedder-unknown", word = format!("{word:?}")))
            .advice(text!("common-embedder-models"))
    })
}

fn http_settings(http: &Http, world: &World<'_>) -> Result<HttpSettings, Failure> {
    let key = match (&http.key_env, &http.key_file) {
        (Some(variable), _) => key_from(variable, world)?,
        (None, Some(file)) => KeySource::File(file.clone()),
        (None, None) => KeySource::None,
    };
    Ok(HttpSettings { base: http.base_url.clone(), model: http.model.clone(), key, ..HttpSettings::default() })
}

/// A secret out of an environment variable.
pub(crate) fn key_from(variable: &str, world: &World<'_>) -> Result<KeySource, Failure> {
    let value = world.var(variable).ok_or_else(|| {
        Failure::new(Exit::Embedder, text!("common-key-missing", variable)).advice(text!("common-key-set", variable))
    })?;
    ApiKey::new(value)
        .map(KeySource::Given)
        .map_err(|error| Failure::new(Exit::Embedder, text!("common-key-bad", variable, error)))
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self::new(Exit::Embedder, &error).caused_by(std::error::Error::source(&error))
    }
}

impl From<HttpError> for Failure {
    fn from(error: HttpError) -> Self {
        Self::new(Exit::Embedder, &error).caused_by(std::error::Error::source(&error))
    }
}
