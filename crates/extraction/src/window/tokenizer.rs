use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::estimate;
use annals_types::Count;

/// The tokenizer of a language model: the file `tokenizer.json` that comes with most models. It
/// counts tokens as the model does, where [`estimate`] is a guess. Tokens that a model adds at the
/// beginning and the end of texts are not counted.
#[derive(Clone)]
pub struct Tokenizer {
    inner: Arc<tokenizers::Tokenizer>,
    path: PathBuf,
}

/// Why a file is no tokenizer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// The file is missing or cannot be read.
    #[error("cannot read the tokenizer {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file holds something else, or is damaged.
    #[error("{} is no tokenizer ({reason}); copy tokenizer.json from the model again", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizer")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Tokenizer {
    /// Reads a `tokenizer.json` in the form of Hugging Face.
    ///
    /// # Errors
    /// [`TokenizerError`], which names the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TokenizerError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| TokenizerError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let broken = |reason: String| TokenizerError::Broken {
            path: path.to_owned(),
            reason,
        };
        let mut inner = tokenizers::Tokenizer::from_bytes(&bytes)
            .map_err(|error| broken(crate::reply::excerpt(&error.to_string())))?;
        // The file may say how texts are cut for the model: a count needs all of it.
        inner.with_padding(None);
        inner
            .with_truncation(None)
            .map_err(|error| broken(error.to_string()))?;
        inner
            .encode_fast("a", false)
            .map_err(|error| broken(error.to_string()))?;
        Ok(Self {
            inner: Arc::new(inner),
            path: path.to_owned(),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many different tokens there are.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.inner.get_vocab_size(true)
    }

    /// How many tokens a text has; [estimated](estimate) for one that the tokenizer cannot take
    /// apart.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        self.inner.encode_fast(text, false).map_or_else(
            |error| {
                tracing::warn!(%error, path = %self.path.display(), "the tokenizer cannot take a text apart");
                estimate(text)
            },
            |tokens| tokens.len(),
        )
    }

    /// The count as a function, as [`Analyst::count_tokens`](crate::Analyst::count_tokens) takes
    /// it.
    #[must_use]
    pub fn counting(self) -> Count {
        Arc::new(move |text| self.count(text))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    /// A tokenizer of words, which cuts texts to two tokens and adds one of its own.
    const WORDS: &str = r#"{"version":"1.0",
        "truncation":{"direction":"Right","max_length":2,"strategy":"LongestFirst","stride":0},
        "padding":{"strategy":{"Fixed":9},"direction":"Right","pad_to_multiple_of":null,
            "pad_id":0,"pad_type_id":0,"pad_token":"?"},
        "added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"Whitespace"},
        "post_processor":{"type":"TemplateProcessing",
            "single":[{"SpecialToken":{"id":"?","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],
            "pair":[{"Sequence":{"id":"A","type_id":0}},{"Sequence":{"id":"B","type_id":0}}],
            "special_tokens":{"?":{"id":"?","ids":[0],"tokens":["?"]}}},
        "decoder":null,"model":{"type":"WordLevel","vocab":{"?":0,"tea":1},"unk_token":"?"}}"#;

    fn file(text: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokenizer.json");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn the_tokens_of_the_whole_text_are_counted_and_nothing_else() {
        let (_folder, path) = file(WORDS.as_bytes());
        let tokenizer = Tokenizer::open(&path).unwrap();
        assert_eq!(
            (tokenizer.vocabulary(), tokenizer.path()),
            (2, path.as_path())
        );
        for (text, tokens) in [("", 0), ("tea", 1), ("green tea for two of us", 6)] {
            assert_eq!(tokenizer.count(text), tokens, "{text}");
        }
        assert_eq!(tokenizer.counting()("green tea, please"), 4);
    }

    #[test]
    fn what_is_missing_or_damaged_is_named() {
        let (folder, path) = file(WORDS.as_bytes());
        let missing = folder.path().join("nowhere.json");
        let error = Tokenizer::open(&missing).unwrap_err();
        assert!(matches!(&error, TokenizerError::Unreadable { path, .. } if *path == missing));
        assert!(error.to_string().contains("nowhere.json") && error.source().is_some());
        let no_unknown = WORDS.replace(r#""unk_token":"?""#, r#""unk_token":"!""#);
        for damaged in [
            "",
            "{}",
            "tea",
            &WORDS[..WORDS.len() / 2],
            r#"{"model":{"type":"BPE"}}"#,
            &no_unknown,
        ] {
            std::fs::write(&path, damaged).unwrap();
            let error = Tokenizer::open(&path).unwrap_err();
            assert!(matches!(error, TokenizerError::Broken { .. }), "{damaged}");
            assert!(
                error.to_string().contains("tokenizer.json is no tokenizer"),
                "{error}"
            );
        }
        std::fs::write(&path, [0xFF, 0xFE, 0x00]).unwrap();
        assert!(matches!(
            Tokenizer::open(&path),
            Err(TokenizerError::Broken { .. })
        ));
    }
}
