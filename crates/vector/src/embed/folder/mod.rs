//! Model folders in the form that sentence-transformers writes: what is in them and what they ask
//! for.

mod config;
mod error;
pub(crate) mod file;
mod import;
mod installed;
mod own;
mod pooling;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use annals_types::{Calibration, Fingerprint};
use xxhash_rust::xxh3::Xxh3;

pub use error::{Cause, ModelError};
pub use import::{import, import_as};
#[cfg(feature = "hub")]
pub(crate) use import::{publish, valid_name};
pub use installed::{Facts, Installed, installed, remove};
pub use own::OWN_FILE;
pub use pooling::Pooling;

/// Where the ONNX file of a folder is looked for, in this order, when `annals.toml` does not name
/// it.
pub const MODEL_FILES: [&str; 4] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
];

/// Settings files that a folder may have besides the model and `tokenizer.json`.
pub const SETTINGS_FILES: [&str; 7] = [
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
];

/// Endings of the file in which large models keep their weights beside the graph.
pub const DATA_ENDINGS: [&str; 2] = ["_data", ".data"];

const SOURCE_ADVICE: &str =
    "copy it from the model, or fetch the model again with `annals model pull`";

/// A folder with a sentence embedding model, opened and checked.
///
/// The folder holds `model.onnx` (or one of [`MODEL_FILES`]), `tokenizer.json`, and optionally the
/// settings files of sentence-transformers and `annals.toml`, which has the last word.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    dir: PathBuf,
    model: String,
    data: Vec<String>,
    settings: Vec<String>,
    pooling: Pooling,
    pooling_is_own: bool,
    query_prefix: String,
    passage_prefix: String,
    max_tokens: usize,
    declared_dims: Option<usize>,
    cut_dims: Option<usize>,
    calibration: Option<Calibration>,
    pad_id: u32,
    dense: Option<PathBuf>,
}

impl ModelFolder {
    /// Opens the model in `dir` and reads its settings; the model itself is not loaded.
    ///
    /// # Errors
    /// [`ModelError`] names the file that is missing, broken or asks for something that is not
    /// supported.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, ModelError> {
        let dir = dir.as_ref();
        if !dir.is_dir() {
            let advice =
                "give the folder of a model with model.onnx and tokenizer.json in it".to_owned();
            return Err(ModelError::Missing {
                path: dir.to_path_buf(),
                advice,
            });
        }
        let own = own::Own::read(dir)?;
        let declared = config::read(dir)?;
        let model = model_file(dir, own.model.as_deref())?;
        check_tokenizer(&dir.join("tokenizer.json"))?;
        let own_pooling = own
            .pooling
            .as_deref()
            .map(|name| own_pooling(dir, name))
            .transpose()?;
        let max_tokens = max_tokens(dir, own.max_tokens, &declared)?;
        let mut settings = declared.files;
        for name in ["special_tokens_map.json", OWN_FILE] {
            if dir.join(name).is_file() {
                settings.push(name.to_owned());
            }
        }
        Ok(Self {
            data: data_files(dir, &model),
            dir: dir.to_path_buf(),
            model,
            settings,
            pooling: own_pooling.unwrap_or(declared.pooling),
            pooling_is_own: own_pooling.is_some(),
            query_prefix: own.query_prefix.unwrap_or(declared.query_prefix),
            passage_prefix: own.passage_prefix.unwrap_or(declared.passage_prefix),
            max_tokens,
            declared_dims: declared.dims,
            cut_dims: own.dims,
            calibration: own.calibration.map(|c| Calibration::uniform(c.low, c.high)),
            pad_id: declared.pad_id,
            dense: declared.dense,
        })
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The last part of the folder's path.
    #[must_use]
    pub fn name(&self) -> String {
        self.dir
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// The ONNX file.
    #[must_use]
    pub fn model_path(&self) -> PathBuf {
        self.dir.join(&self.model)
    }

    /// The tokenizer file.
    #[must_use]
    pub fn tokenizer_path(&self) -> PathBuf {
        self.dir.join("tokenizer.json")
    }

    /// Every file that the model consists of, relative to the folder, with `/` between the parts.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let mut files = vec![self.model.clone(), "tokenizer.json".to_owned()];
        files.extend(self.data.iter().cloned());
        files.extend(self.settings.iter().cloned());
        files
    }

    /// How token states become one vector.
    #[must_use]
    pub fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// The text written before each query.
    #[must_use]
    pub fn query_prefix(&self) -> &str {
        &self.query_prefix
    }

    /// The text written before each passage.
    #[must_use]
    pub fn passage_prefix(&self) -> &str {
        &self.passage_prefix
    }

    /// Texts are cut to this many tokens, special tokens included.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// The length of its vectors, as far as the settings files say; the model itself has the last
    /// word.
    #[must_use]
    pub fn dims(&self) -> Option<usize> {
        match (self.cut_dims, self.declared_dims) {
            (Some(cut), Some(declared)) => Some(cut.min(declared)),
            (cut, declared) => cut.or(declared),
        }
    }

    /// How its cosines become scores.
    #[must_use]
    pub const fn calibration(&self) -> Option<Calibration> {
        self.calibration
    }

    /// Names the vector space: `onnx:`, the pooling and an XXH3-128 over everything that changes
    /// vectors (model, weights, tokenizer, pooling, prefixes, token limit, kept dimensions), not
    /// over the folder's name.
    ///
    /// Reads the whole model, some 30 ms for 90 MB that the system has cached.
    ///
    /// # Errors
    /// [`ModelError::Io`] when a file cannot be read.
    pub fn fingerprint(&self) -> Result<Fingerprint, ModelError> {
        let mut hash = Xxh3::new();
        file::hash_file(&mut hash, &self.model_path())?;
        for data in &self.data {
            file::hash_file(&mut hash, &self.dir.join(data))?;
        }
        file::hash_file(&mut hash, &self.tokenizer_path())?;
        file::hash_text(&mut hash, self.pooling.name());
        file::hash_text(&mut hash, &self.query_prefix);
        file::hash_text(&mut hash, &self.passage_prefix);
        file::hash_text(
            &mut hash,
            &format!(
                "{} {:?} {}",
                self.max_tokens, self.cut_dims, self.pooling_is_own
            ),
        );
        Ok(Fingerprint(format!(
            "onnx:{}:{:032x}",
            self.pooling.name(),
            hash.digest128()
        )))
    }

    /// The bytes of all its files together.
    ///
    /// # Errors
    /// [`ModelError::Io`] when a file has gone.
    pub fn bytes(&self) -> Result<u64, ModelError> {
        let mut sum = 0;
        for name in self.files() {
            let path = self.dir.join(name);
            sum += path
                .metadata()
                .map_err(|error| ModelError::io("read", &path, error))?
                .len();
        }
        Ok(sum)
    }

    /// Whether `annals.toml` fixed the pooling, so that a pooled output of the model is passed
    /// over.
    #[must_use]
    pub fn pooling_is_own(&self) -> bool {
        self.pooling_is_own
    }

    /// How many leading dimensions are kept, when `annals.toml` says so.
    #[must_use]
    pub fn cut_dims(&self) -> Option<usize> {
        self.cut_dims
    }

    /// The token id that fills shorter texts of a batch.
    #[must_use]
    pub fn pad_id(&self) -> u32 {
        self.pad_id
    }

    /// The folder of a dense layer after pooling, if the model has one; only the model's own graph
    /// can apply it.
    #[must_use]
    pub fn dense(&self) -> Option<&Path> {
        self.dense.as_deref()
    }
}

fn model_file(dir: &Path, own: Option<&str>) -> Result<String, ModelError> {
    let own_path = dir.join(OWN_FILE);
    if let Some(name) = own {
        if !file::is_inside(name) {
            return Err(ModelError::broken(
                &own_path,
                format!("model {name:?} leaves the folder"),
                "name a file in it",
            ));
        }
        if !dir.join(name).is_file() {
            let advice = format!("it is what {} names as the model", own_path.display());
            return Err(ModelError::Missing {
                path: dir.join(name),
                advice,
            });
        }
        return check_model(dir, name);
    }
    let Some(name) = MODEL_FILES.iter().find(|name| dir.join(name).is_file()) else {
        let advice = format!(
            "a model is one of {}; export it with `optimum-cli export onnx`, or name the file as model in {OWN_FILE}",
            MODEL_FILES.join(", ")
        );
        return Err(ModelError::Missing {
            path: dir.join("model.onnx"),
            advice,
        });
    };
    check_model(dir, name)
}

fn check_model(dir: &Path, name: &str) -> Result<String, ModelError> {
    let path = dir.join(name);
    let length = path
        .metadata()
        .map_err(|error| ModelError::io("read", &path, error))?
        .len();
    if length == 0 {
        return Err(ModelError::broken(
            &path,
            "the file is empty",
            SOURCE_ADVICE,
        ));
    }
    // A checkout of a model without Git LFS has this text where the model should be.
    if length < 1024
        && std::fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"version https://git-lfs"))
    {
        return Err(ModelError::broken(
            &path,
            "it is a Git LFS pointer and not the model",
            "run `git lfs pull` in the model folder, or fetch the model with `annals model pull`",
        ));
    }
    Ok(name.to_owned())
}

fn check_tokenizer(path: &Path) -> Result<(), ModelError> {
    match path.metadata() {
        Ok(meta) if meta.is_file() && meta.len() > 0 => Ok(()),
        Ok(meta) if meta.is_file() => {
            Err(ModelError::broken(path, "the file is empty", SOURCE_ADVICE))
        }
        _ => Err(ModelError::Missing {
            path: path.to_path_buf(),
            advice: format!(
                "{SOURCE_ADVICE}; models with only vocab.txt need to be saved with a fast tokenizer"
            ),
        }),
    }
}

fn data_files(dir: &Path, model: &str) -> Vec<String> {
    let mut names: Vec<String> = DATA_ENDINGS
        .iter()
        .map(|ending| format!("{model}{ending}"))
        .collect();
    names.retain(|name| dir.join(name).is_file());
    names
}

fn own_pooling(dir: &Path, name: &str) -> Result<Pooling, ModelError> {
    Pooling::parse(name).ok_or_else(|| {
        ModelError::broken(
            &dir.join(OWN_FILE),
            format!("unknown pooling {name:?}"),
            "use mean, cls, last or max",
        )
    })
}

fn max_tokens(
    dir: &Path,
    own: Option<usize>,
    declared: &config::Declared,
) -> Result<usize, ModelError> {
    match own {
        Some(n) if declared.most_tokens != 0 && n > declared.most_tokens => {
            Err(ModelError::broken(
                &dir.join(OWN_FILE),
                format!(
                    "max_tokens is {n}, and the model takes at most {}",
                    declared.most_tokens
                ),
                "lower max_tokens",
            ))
        }
        Some(n) => Ok(n),
        None => Ok(declared.max_tokens),
    }
}
