//! Which embedder a run works with.

use std::path::PathBuf;
use std::sync::Arc;

use annals::embed::SmallEmbedder;
use annals::embed::folder::ModelError;
use annals::embed::http::{ApiKey, KeySource};
use annals::embed::http::{HttpEmbedder, HttpSettings};
use annals::embed::onnx::{OnnxEmbedder, OnnxSettings};
use annals::{EmbedError, Embedder, Options};

use crate::config::Http;
use crate::failure::{Exit, Failure};
use crate::paths;
use crate::settings::{EmbedderSetting, Settings};
use crate::texts::text;
use crate::world::World;

/// Options with the embedder of the settings, which is opened where this process needs it.
pub(crate) fn chosen(
    options: Options,
    settings: &Settings,
    world: &World<'_>,
) -> Result<Options, Failure> {
    Ok(match &settings.embedder {
        EmbedderSetting::Builtin => options,
        EmbedderSetting::Small => options.embedder_from(EmbedderSetting::SMALL, || {
            Ok(Arc::new(SmallEmbedder::new()))
        }),
        EmbedderSetting::Model(word) => {
            let folder =
                std::path::absolute(model_folder(word, settings)?).map_err(Failure::from)?;
            let library = settings.onnxruntime.clone();
            options.embedder_from(format!("model {}", folder.display()), move || {
                let onnx = OnnxSettings {
                    library: library.clone(),
                    ..OnnxSettings::default()
                };
                opened(OnnxEmbedder::open(&folder, onnx))
            })
        }
        EmbedderSetting::Http(http) => {
            let name = format!("{} at {}", http.model, http.base_url);
            let settings = http_settings(http, world)?;
            options.embedder_from(name, move || opened(HttpEmbedder::open(settings.clone())))
        }
    })
}

fn opened<E, F>(embedder: Result<E, F>) -> Result<Arc<dyn Embedder>, EmbedError>
where
    E: Embedder + 'static,
    F: std::error::Error + Send + Sync + 'static,
{
    match embedder {
        Ok(embedder) => Ok(Arc::new(embedder)),
        Err(error) => Err(EmbedError::Unopened(Box::new(error))),
    }
}

/// A path, or the model of that name. A name is never looked for in the working directory: others
/// may fill that.
pub(crate) fn model_folder(word: &str, settings: &Settings) -> Result<PathBuf, Failure> {
    let named = match paths::is_path(word) {
        true => Some(PathBuf::from(word)),
        false => settings
            .models
            .as_ref()
            .map(|models| models.join(word.replace('/', "--"))),
    };
    named.filter(|path| path.is_dir()).ok_or_else(|| {
        Failure::new(
            Exit::Embedder,
            text!("common-embedder-unknown", word = format!("{word:?}")),
        )
        .advice(text!("common-embedder-models"))
    })
}

fn http_settings(http: &Http, world: &World<'_>) -> Result<HttpSettings, Failure> {
    let key = match (&http.key_env, &http.key_file) {
        (Some(variable), _) => key_from(variable, world)?,
        (None, Some(file)) => KeySource::File(file.clone()),
        (None, None) => KeySource::None,
    };
    Ok(HttpSettings {
        base: http.base_url.clone(),
        model: http.model.clone(),
        key,
        ..HttpSettings::default()
    })
}

/// A secret out of an environment variable.
pub(crate) fn key_from(variable: &str, world: &World<'_>) -> Result<KeySource, Failure> {
    let value = world.var(variable).ok_or_else(|| {
        Failure::new(Exit::Embedder, text!("common-key-missing", variable))
            .advice(text!("common-key-set", variable))
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
