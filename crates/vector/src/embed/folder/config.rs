use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::ModelError;
use super::file;
use super::pooling::Pooling;

/// Tokens that a text is cut to when the model's files do not say: what all-MiniLM-L6-v2 was
/// trained with.
const DEFAULT_MAX_TOKENS: usize = 256;

/// The settings in the sentence-transformers files of a folder.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) pooling: Pooling,
    pub(super) query_prefix: String,
    pub(super) passage_prefix: String,
    pub(super) max_tokens: usize,
    /// No text may have more tokens, whatever a user sets; 0 when the files do not say.
    pub(super) most_tokens: usize,
    pub(super) dims: Option<usize>,
    pub(super) pad_id: u32,
    /// A layer after pooling that only the model's own graph can apply.
    pub(super) dense: Option<PathBuf>,
    /// The settings files that were read, relative to the folder.
    pub(super) files: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ModelConfig {
    hidden_size: Option<usize>,
    dim: Option<usize>,
    d_model: Option<usize>,
    max_position_embeddings: Option<usize>,
    pad_token_id: Option<u32>,
    model_type: String,
}

#[derive(Debug, Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PoolingConfig {
    word_embedding_dimension: Option<usize>,
    embedding_dimension: Option<usize>,
    pooling_mode: Option<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PromptConfig {
    prompts: BTreeMap<String, Option<String>>,
    default_prompt_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenizerConfig {
    // Often 1e30, so a float.
    model_max_length: Option<f64>,
}

pub(super) fn read(dir: &Path) -> Result<Declared, ModelError> {
    let mut files = Vec::new();
    let model: ModelConfig = optional(dir, "config.json", &mut files)?;
    let modules: Vec<Module> = optional(dir, "modules.json", &mut files)?;
    let sentence: SentenceConfig = optional(dir, "sentence_bert_config.json", &mut files)?;
    let prompts: PromptConfig = optional(dir, "config_sentence_transformers.json", &mut files)?;
    let tokenizer: TokenizerConfig = optional(dir, "tokenizer_config.json", &mut files)?;

    let pooling_file = pooling_file(dir, &modules)?;
    let pooling_config: Option<PoolingConfig> = file::read_json(&dir.join(&pooling_file))?;
    let pooling = match &pooling_config {
        Some(config) => pooling_of(config, &dir.join(&pooling_file))?,
        None => Pooling::Mean,
    };
    let pooled_dims = pooling_config
        .as_ref()
        .and_then(|c| c.word_embedding_dimension.or(c.embedding_dimension));
    if pooling_config.is_some() {
        files.push(pooling_file);
    }
    let most_tokens = most_tokens(&model, &tokenizer);
    let wanted = sentence
        .max_seq_length
        .filter(|&n| n >= 3)
        .unwrap_or(DEFAULT_MAX_TOKENS);
    Ok(Declared {
        pooling,
        query_prefix: prefix(&prompts, &["query", "search_query"]),
        passage_prefix: prefix(
            &prompts,
            &["passage", "document", "search_document", "corpus"],
        ),
        max_tokens: if most_tokens == 0 {
            wanted
        } else {
            wanted.min(most_tokens)
        },
        most_tokens,
        dims: pooled_dims
            .or(model.hidden_size)
            .or(model.dim)
            .or(model.d_model),
        pad_id: model.pad_token_id.unwrap_or(0),
        dense: modules
            .iter()
            .find(|m| kind(m) == "Dense")
            .map(|m| dir.join(&m.path)),
        files,
    })
}

fn optional<T: Default + serde::de::DeserializeOwned>(
    dir: &Path,
    name: &str,
    files: &mut Vec<String>,
) -> Result<T, ModelError> {
    let found = file::read_json(&dir.join(name))?;
    if found.is_some() {
        files.push(name.to_owned());
    }
    Ok(found.unwrap_or_default())
}

fn kind(module: &Module) -> &str {
    module.kind.rsplit('.').next().unwrap_or_default()
}

fn pooling_file(dir: &Path, modules: &[Module]) -> Result<String, ModelError> {
    let Some(module) = modules.iter().find(|m| kind(m) == "Pooling") else {
        return Ok("1_Pooling/config.json".to_owned());
    };
    let relative = format!("{}/config.json", module.path);
    if !file::is_inside(&relative) {
        return Err(ModelError::broken(
            &dir.join("modules.json"),
            format!("its pooling path {:?} leaves the folder", module.path),
            "take the model from a source that you trust",
        ));
    }
    Ok(relative)
}

fn pooling_of(config: &PoolingConfig, path: &Path) -> Result<Pooling, ModelError> {
    let flags = || {
        config
            .rest
            .iter()
            .filter_map(|(key, value)| Some((key.strip_prefix("pooling_mode_")?, value)))
    };
    let chosen: Vec<&str> = match &config.pooling_mode {
        Some(mode) => vec![mode],
        None => flags()
            .filter(|(_, value)| value.as_bool() == Some(true))
            .map(|(mode, _)| mode)
            .collect(),
    };
    let advice = "set pooling to mean, cls, last or max in annals.toml beside the model";
    let unsupported = |what: String| ModelError::Unsupported {
        path: path.to_path_buf(),
        what,
        advice: advice.to_owned(),
    };
    match chosen.as_slice() {
        [] if flags().next().is_none() => Ok(Pooling::Mean),
        [] => Err(ModelError::broken(
            path,
            "it turns no pooling mode on",
            advice,
        )),
        [one] => Pooling::parse(one).ok_or_else(|| unsupported(format!("the pooling mode {one}"))),
        several => Err(unsupported(format!(
            "several pooling modes at once ({})",
            several.join(", ")
        ))),
    }
}

/// The prompt of the first name that is there, else the default prompt.
fn prefix(config: &PromptConfig, names: &[&str]) -> String {
    let of = |name: &str| config.prompts.get(name).cloned().flatten();
    names
        .iter()
        .find_map(|name| of(name))
        .or_else(|| config.default_prompt_name.as_deref().and_then(of))
        .unwrap_or_default()
}

/// The most tokens that the position table bears. Models of the RoBERTa family count positions
/// from the padding id + 1.
fn most_tokens(model: &ModelConfig, tokenizer: &TokenizerConfig) -> usize {
    let shifted = ["roberta", "xlm-roberta", "camembert", "mpnet", "longformer"]
        .contains(&model.model_type.as_str());
    let skipped = if shifted {
        usize::try_from(model.pad_token_id.unwrap_or(1))
            .unwrap_or(1)
            .saturating_add(1)
    } else {
        0
    };
    let positions = model
        .max_position_embeddings
        .map(|n| n.saturating_sub(skipped))
        .filter(|&n| n >= 3);
    let stated = tokenizer
        .model_max_length
        .filter(|n| (3.0..1e6).contains(n));
    let stated = stated.and_then(|n| format!("{n:.0}").parse::<usize>().ok());
    match (positions, stated) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => a.or(b).unwrap_or(0),
    }
}
