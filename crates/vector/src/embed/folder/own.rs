use std::path::Path;

use serde::Deserialize;

use super::error::ModelError;
use super::file;

/// The name of the optional file in which a folder overrides what the model's own files say.
pub const OWN_FILE: &str = "annals.toml";

/// The content of `annals.toml` in a model folder; each key is optional, an unknown one is an
/// error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Own {
    /// The ONNX file, relative to the folder.
    pub(super) model: Option<String>,
    pub(super) pooling: Option<String>,
    pub(super) query_prefix: Option<String>,
    pub(super) passage_prefix: Option<String>,
    pub(super) max_tokens: Option<usize>,
    /// Keep only so many leading dimensions (for models trained that way), then normalise.
    pub(super) dims: Option<usize>,
    pub(super) calibration: Option<OwnCalibration>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnCalibration {
    pub(super) low: f32,
    pub(super) high: f32,
}

const ADVICE: &str = "known keys are model, pooling, query_prefix, passage_prefix, max_tokens, dims and \
                      calibration = { low, high }";

impl Own {
    pub(super) fn read(dir: &Path) -> Result<Self, ModelError> {
        let path = dir.join(OWN_FILE);
        let Some(text) = file::read_optional(&path)? else {
            return Ok(Self::default());
        };
        let own: Self = toml::from_str(&text).map_err(|error| {
            ModelError::unreadable(&path, error.message().to_owned(), ADVICE, error)
        })?;
        own.check(&path)?;
        Ok(own)
    }

    fn check(&self, path: &Path) -> Result<(), ModelError> {
        if self.max_tokens.is_some_and(|n| n < 3) {
            return Err(ModelError::broken(
                path,
                "max_tokens is below 3",
                "give at least 3 tokens",
            ));
        }
        if self.dims == Some(0) {
            return Err(ModelError::broken(
                path,
                "dims is 0",
                "give at least one dimension or leave dims out",
            ));
        }
        if let Some(c) = self.calibration
            && !((-1.0..=1.0).contains(&c.low) && (-1.0..=1.0).contains(&c.high) && c.low < c.high)
        {
            return Err(ModelError::broken(
                path,
                format!(
                    "calibration low {} and high {} are no range of cosines",
                    c.low, c.high
                ),
                "both lie between -1 and 1, low below high",
            ));
        }
        Ok(())
    }
}
