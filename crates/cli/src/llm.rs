use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals::Options;
use annals::llm::provider::http::{HttpProvider, HttpSettings, Protocol};
use annals::llm::provider::{Provider, Recorder, Replay};

use crate::embedder::key_from;
use crate::failure::{Exit, Failure};
use crate::world::World;

/// The variable that names the language model.
const MODEL: &str = "ANNALS_LLM";
/// The variable that names another one that looks through conversations.
const EXTRACTOR: &str = "ANNALS_LLM_EXTRACT";
/// The variable that holds its key.
const KEY: &str = "ANNALS_LLM_KEY";
/// The variable that names a file to which what is asked and answered is written.
const RECORD: &str = "ANNALS_LLM_RECORD";
/// Where Anthropic's models are asked.
const ANTHROPIC: &str = "https://api.anthropic.com/v1";

/// The word for the rules that look through conversations without a model.
const OFFLINE: &str = "offline";

/// Who looks through conversations.
#[derive(Clone)]
pub(crate) enum Reader {
    /// The rules that need no model.
    Offline,
    /// A language model, or a transcript of one.
    Model(Arc<dyn Provider>),
}

/// Who looks through conversations: whom a word names, or else $ANNALS_LLM_EXTRACT, or else $ANNALS_LLM; `None` when nothing names anybody.
pub(crate) fn load_reader(word: Option<&str>, world: &World<'_>) -> Result<Option<Reader>, Failure> {
    let Some(word) = word.or_else(|| world.var(EXTRACTOR)).or_else(|| world.var(MODEL)) else { return Ok(None) };
    if word == OFFLINE {
        return Ok(Some(Reader::Offline));
    }
    Ok(load(Some(word), world)?.map(Reader::Model))
}

/// The language model that a word names, or else the environment; `None` when neither names one.
pub(crate) fn load(word: Option<&str>, world: &World<'_>) -> Result<Option<Arc<dyn Provider>>, Failure> {
    let Some(word) = word.or_else(|| world.var(MODEL)).filter(|word| *word != OFFLINE) else { return Ok(None) };
    let provider: Box<dyn Provider> = match word.strip_prefix("replay:") {
        Some(file) => Box::new(replay(Path::new(file))?),
        None => Box::new(HttpProvider::open(settings(word, world)?).map_err(|error| unusable(&error.to_string()))?),
    };
    let Some(file) = world.var_os(RECORD).map(PathBuf::from) else { return Ok(Some(Arc::from(provider))) };
    let out = std::fs::OpenOptions::new().create(true).append(true).open(&file);
    let out = out.map_err(|cause| Failure::file("write the transcript", &file, &cause))?;
    Ok(Some(Arc::new(Recorder::new(provider, Box::new(out)))))
}

fn replay(file: &Path) -> Result<Replay, Failure> {
    let text = std::fs::read_to_string(file).map_err(|cause| Failure::file("read", file, &cause))?;
    let name = file.file_name().map_or_else(|| "-".into(), |name| name.to_string_lossy());
    let replay = Replay::read(&text).map_err(|error| unusable(&error.to_string()))?;
    Ok(replay.named(format!("replay:{name}")))
}

/// `<base URL>#<model>` or `anthropic#<model>`.
fn settings(word: &str, world: &World<'_>) -> Result<HttpSettings, Failure> {
    let Some((base, model)) = word.split_once('#').filter(|(_, model)| !model.is_empty()) else {
        return Err(Failure::invalid(format!("the language model {word:?} names no model")).advice(
            "write it as URL#MODEL, for example http://localhost:11434/v1#qwen2.5, as anthropic#MODEL, as replay:FILE, or as offline",
        ));
    };
    let (protocol, base) = match base {
        "anthropic" => (Protocol::Anthropic, ANTHROPIC),
        url if url.contains("anthropic.com") => (Protocol::Anthropic, url),
        url => (Protocol::OpenAi, url),
    };
    let mut settings =
        HttpSettings { protocol, base: base.to_owned(), model: model.to_owned(), ..HttpSettings::default() };
    if world.var(KEY).is_some() {
        settings.key = key_from(KEY, world)?;
    }
    Ok(settings)
}

/// Counts tokens with the tokenizer of a model.
pub(crate) fn counted_by(path: &Path, options: Options) -> Result<Options, Failure> {
    options.tokenizer(path).map_err(|error| {
        Failure::from(error)
            .advice("$ANNALS_TOKENIZER or `tokenizer` in the config file names it; without one tokens are estimated")
            .at(path, None)
    })
}

fn unusable(reason: &str) -> Failure {
    Failure::new(Exit::Embedder, format!("the language model cannot be used: {reason}"))
        .advice("$ANNALS_LLM names it as URL#MODEL, anthropic#MODEL or replay:FILE; $ANNALS_LLM_KEY holds its key")
}
