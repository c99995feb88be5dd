use tokenizers::{TruncationParams, tokenizer::PostProcessor};

use crate::embed::folder::{Cause, ModelError, ModelFolder};

/// A text is cut to this many bytes per allowed token before it is tokenised: words are shorter,
/// and a text of a megabyte must not cost a second for 256 tokens.
const BYTES_PER_TOKEN: usize = 64;

/// The tokens of one text, cut to the model's limit, special tokens included.
pub(super) struct Tokens {
    pub(super) ids: Vec<u32>,
    pub(super) types: Vec<u32>,
}

impl Tokens {
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

pub(super) struct Tokenizer {
    inner: tokenizers::Tokenizer,
    max_bytes: usize,
}

impl Tokenizer {
    pub(super) fn open(folder: &ModelFolder) -> Result<Self, ModelError> {
        let path = folder.tokenizer_path();
        let advice = "copy tokenizer.json from the model again";
        let mut inner = tokenizers::Tokenizer::from_file(&path).map_err(|error| {
            ModelError::unreadable(
                &path,
                format!("it is no tokenizer ({error})"),
                advice,
                error,
            )
        })?;
        let max_tokens = folder.max_tokens();
        let added = inner
            .get_post_processor()
            .map_or(0, |processor| processor.added_tokens(false));
        if added >= max_tokens {
            return Err(ModelError::broken(
                &path,
                format!("it adds {added} special tokens, and a text may have {max_tokens} in all"),
                "raise max_tokens in annals.toml",
            ));
        }
        inner
            .with_padding(None)
            .with_truncation(Some(TruncationParams {
                max_length: max_tokens,
                ..TruncationParams::default()
            }))
            .map_err(|error| {
                ModelError::unreadable(
                    &path,
                    format!("it cannot truncate ({error})"),
                    advice,
                    error,
                )
            })?;
        Ok(Self {
            inner,
            max_bytes: max_tokens.saturating_mul(BYTES_PER_TOKEN),
        })
    }

    pub(super) fn encode(&self, prefix: &str, text: &str) -> Result<Tokens, Cause> {
        let text = text
            .get(..text.floor_char_boundary(self.max_bytes))
            .unwrap_or(text);
        let encoding = if prefix.is_empty() {
            self.inner.encode_fast(text, true)?
        } else {
            self.inner.encode_fast(format!("{prefix}{text}"), true)?
        };
        Ok(Tokens {
            ids: encoding.get_ids().to_vec(),
            types: encoding.get_type_ids().to_vec(),
        })
    }
}
