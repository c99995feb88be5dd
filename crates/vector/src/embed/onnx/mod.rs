//! Sentence embedding models in ONNX form, run by an ONNX Runtime library that is loaded when it is
//! first needed.

mod batch;
mod copies;
mod graph;
mod places;
mod pool;
mod runtime;
mod session;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tiny;
mod tokens;

use std::fmt;
use std::path::{Path, PathBuf};

use annals_types::{Calibration, EmbedError, Embedder, Fingerprint, Purpose};

use super::folder::{Cause, ModelError, ModelFolder};
use super::unit::unit;
use copies::Copies;
use session::Model;
use tokens::Tokens;

pub use places::Place;
pub use runtime::{Attempt, Outcome, RuntimeError, RuntimeReport, find_runtime};

/// How models are run. The defaults suit a laptop that does other work as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnnxSettings {
    /// The ONNX Runtime library; without it the usual places are searched. Only the first use in a
    /// process counts.
    pub library: Option<PathBuf>,
    /// Threads that work at a time; by default as many as the machine has, at most 4.
    pub threads: usize,
    /// How often the model is loaded, at most once per thread: more copies embed many texts faster
    /// and take more memory. By default one per thread for models up to 200 MB and a single one for
    /// larger models. All but the first are loaded when many texts come at once.
    pub copies: Option<usize>,
    /// A batch holds at most so many tokens, padding included (2048 by default).
    pub batch_tokens: usize,
    /// A batch holds at most so many texts (32 by default). Models whose int8 arithmetic depends on
    /// the batch (`quantize_dynamic`) get each text alone, so that equal texts have equal vectors.
    pub batch_texts: usize,
}

impl Default for OnnxSettings {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
        Self {
            library: None,
            threads,
            copies: None,
            batch_tokens: 2048,
            batch_texts: 32,
        }
    }
}

/// An embedder that runs the ONNX model of a [`ModelFolder`].
///
/// Calls from several threads share the loaded copies, batch by batch: a query waits for one batch
/// of an import at most.
pub struct OnnxEmbedder {
    folder: ModelFolder,
    settings: OnnxSettings,
    tokenizer: tokens::Tokenizer,
    copies: Copies,
    batch_texts: usize,
    fingerprint: Fingerprint,
    dims: usize,
}

impl fmt::Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxEmbedder")
            .field("folder", &self.folder)
            .field("settings", &self.settings)
            .field("fingerprint", &self.fingerprint)
            .field("dims", &self.dims)
            .finish_non_exhaustive()
    }
}

impl OnnxEmbedder {
    /// Opens the model folder `dir`, loads ONNX Runtime if this process has not yet, and loads the
    /// model.
    ///
    /// # Errors
    /// [`ModelError`]: the file of the folder that is missing or broken, or [`ModelError::Runtime`]
    /// with everything that was tried to find ONNX Runtime.
    pub fn open(dir: impl AsRef<Path>, settings: OnnxSettings) -> Result<Self, ModelError> {
        Self::with_folder(ModelFolder::open(dir)?, settings)
    }

    /// As [`open`](Self::open), with a folder that is already open.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn with_folder(folder: ModelFolder, settings: OnnxSettings) -> Result<Self, ModelError> {
        let tokenizer = tokens::Tokenizer::open(&folder)?;
        let (mut copies, mut model) = Copies::open(&folder, &settings)?;
        let fingerprint = folder.fingerprint()?;
        let dims = probe(&folder, &tokenizer, &mut model)?;
        copies.keep(model);
        let batch_texts = if graph::quantises_by_batch(&folder.model_path()) {
            1
        } else {
            settings.batch_texts
        };
        Ok(Self {
            folder,
            settings,
            tokenizer,
            copies,
            batch_texts,
            fingerprint,
            dims,
        })
    }

    /// The folder that the model came from.
    #[must_use]
    pub fn folder(&self) -> &ModelFolder {
        &self.folder
    }

    fn name(&self) -> String {
        format!("the model {}", self.folder.name())
    }

    fn tokenize(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Tokens>, EmbedError> {
        let prefix = match purpose {
            Purpose::Query => self.folder.query_prefix(),
            Purpose::Passage => self.folder.passage_prefix(),
        };
        let encoded: Result<_, Cause> = texts
            .iter()
            .map(|text| self.tokenizer.encode(prefix, text))
            .collect();
        encoded.map_err(|source| self.failed(texts.len(), source))
    }

    fn checked(&self, answer: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        unit(answer, self.folder.cut_dims()).map_err(|got| self.bad_answer(got))
    }

    fn bad_answer(&self, got: String) -> EmbedError {
        let expected = format!("a vector of {} finite numbers, not all zero,", self.dims);
        EmbedError::BadAnswer {
            what: self.name(),
            expected,
            got,
        }
    }

    fn failed(&self, texts: usize, source: Cause) -> EmbedError {
        EmbedError::Failed {
            what: self.name(),
            texts,
            source,
        }
    }
}

impl Embedder for OnnxEmbedder {
    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint.clone()
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn calibration(&self) -> Option<Calibration> {
        self.folder.calibration()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens = self.tokenize(texts, purpose)?;
        let lengths: Vec<usize> = tokens.iter().map(Tokens::len).collect();
        let plan = batch::plan(&lengths, self.settings.batch_tokens, self.batch_texts);
        let batches: Vec<Vec<&Tokens>> = plan
            .iter()
            .map(|rows| rows.iter().filter_map(|&row| tokens.get(row)).collect())
            .collect();
        let answers = self
            .copies
            .run(&batches)
            .map_err(|source| self.failed(texts.len(), source))?;
        let mut vectors = vec![Vec::new(); texts.len()];
        for (&row, answer) in plan.iter().flatten().zip(answers) {
            if let Some(place) = vectors.get_mut(row) {
                *place = self.checked(answer)?;
            }
        }
        match vectors.iter().find(|vector| vector.len() != self.dims) {
            Some(short) => Err(self.bad_answer(format!("{} numbers", short.len()))),
            None => Ok(vectors),
        }
    }
}

/// Embeds one word, so that a model that cannot work here says so when it is opened; gives the
/// dimensions.
fn probe(
    folder: &ModelFolder,
    tokenizer: &tokens::Tokenizer,
    model: &mut Model,
) -> Result<usize, ModelError> {
    let path = folder.model_path();
    let advice = "check that tokenizer.json belongs to this model and that the export is a sentence embedding model";
    let vector = tokenizer
        .encode("", "annals")
        .and_then(|tokens| model.run(&[&tokens]))
        .map_err(|source| {
            ModelError::unreadable(
                &path,
                format!("a trial run failed: {source}"),
                advice,
                source,
            )
        })?
        .pop()
        .unwrap_or_default();
    unit(vector, folder.cut_dims())
        .map(|vector| vector.len())
        .map_err(|got| ModelError::broken(&path, format!("a trial run answered {got}"), advice))
}
