//! Which language models a run asks, and who looks through conversations.

mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals::Options;
use annals::llm::provider::{Provider, Recorder, Replay};
use annals_private::OpenOwn;

use crate::failure::{Exit, Failure};
use crate::settings::Settings;
use crate::target::InUse;
use crate::texts::text;
use crate::world::World;
pub(crate) use table::{KeyFrom, LlmConfig, Table};

/// The variable that names the language model.
const MODEL: &str = "ANNALS_LLM";
/// The variable that names another one that looks through conversations.
const EXTRACTOR: &str = "ANNALS_LLM_EXTRACT";
/// The variable that holds its key.
const KEY: &str = "ANNALS_LLM_KEY";
/// The variable that names a file to which what is asked and answered is written.
const RECORD: &str = "ANNALS_LLM_RECORD";

/// A language model, or what stands in for one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Choice {
    /// A transcript of one.
    Replay(PathBuf),
    /// One behind an address.
    Asked(Table),
}

/// A choice, and where it was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub(crate) choice: Choice,
    pub(crate) by: String,
}

/// The language model of a run: what the command names, or else $ANNALS_LLM, or else `llm` of the
/// config file.
pub(crate) fn model(
    flag: Option<&str>,
    settings: &Settings,
    world: &World<'_>,
) -> Result<Option<Named>, Failure> {
    named(
        [(flag, "--llm"), (world.var(MODEL), "$ANNALS_LLM")],
        (settings.llm.as_ref(), &text!("common-llm-config")),
    )
}

/// The model that extracts memories from conversations: of the command, or else
/// $ANNALS_LLM_EXTRACT, or else `llm_extract` of the config file, or else the language model of the
/// run.
pub(crate) fn reader(
    (flag, model_flag): (Option<&str>, Option<&str>),
    settings: &Settings,
    world: &World<'_>,
) -> Result<Option<Named>, Failure> {
    let words = [
        (flag, "--llm"),
        (world.var(EXTRACTOR), "$ANNALS_LLM_EXTRACT"),
    ];
    match named(
        words,
        (
            settings.llm_extract.as_ref(),
            &text!("common-llm-extract-config"),
        ),
    )? {
        Some(named) => Ok(Some(named)),
        None => model(model_flag, settings, world),
    }
}

/// The first of the words, or else the config file's.
fn named(
    words: [(Option<&str>, &str); 2],
    (config, file): (Option<&LlmConfig>, &str),
) -> Result<Option<Named>, Failure> {
    if let Some((word, by)) = words.into_iter().find_map(|(word, by)| Some((word?, by))) {
        return Ok(Some(Named {
            choice: Choice::of_word(word)?,
            by: by.to_owned(),
        }));
    }
    let choice = match config {
        Some(LlmConfig::Word(word)) => Choice::of_word(word)?,
        Some(LlmConfig::Table(table)) => Choice::Asked(table.clone()),
        None => return Ok(None),
    };
    Ok(Some(Named {
        choice,
        by: file.to_owned(),
    }))
}

impl Choice {
    fn of_word(word: &str) -> Result<Self, Failure> {
        if let Some(file) = word.strip_prefix("replay:") {
            return Ok(Self::Replay(PathBuf::from(file)));
        }
        Table::of_word(word).map(Self::Asked).ok_or_else(|| {
            Failure::invalid(text!("common-llm-no-model", word = format!("{word:?}")))
                .advice(text!("common-llm-words"))
        })
    }

    /// The model, ready to be asked.
    pub(crate) fn open(&self, world: &World<'_>) -> Result<Arc<dyn Provider>, Failure> {
        Ok(match self {
            Self::Replay(file) => Arc::new(replay(file)?),
            Self::Asked(table) => table.open(world)?,
        })
    }

    /// The same, and what is asked and answered is written down where the world wants that.
    pub(crate) fn open_recorded(
        &self,
        (world, in_use): (&World<'_>, &InUse),
    ) -> Result<Arc<dyn Provider>, Failure> {
        let provider = self.open(world)?;
        let Some(file) = world.var_os(RECORD).map(PathBuf::from) else {
            return Ok(provider);
        };
        match self {
            Self::Replay(transcript) => in_use.clone().and_input(transcript).spare(&file)?,
            _ => in_use.spare(&file)?,
        }
        let out = OpenOwn::new().append().open(&file);
        let out =
            out.map_err(|cause| Failure::file(&text!("common-write-transcript"), &file, &cause))?;
        Ok(Arc::new(Recorder::new(provider, Box::new(out))))
    }
}

/// Refuses to write what is asked and answered into a file that a run reads.
pub(crate) fn spare_input(path: &Path, world: &World<'_>) -> Result<(), Failure> {
    let Some(file) = world.var_os(RECORD) else {
        return Ok(());
    };
    InUse::none().and_input(path).spare(Path::new(file))
}

/// Options with these models.
pub(crate) fn added(
    options: Options,
    (model, reader): &(Option<Named>, Option<Named>),
    apart: (&World<'_>, &InUse),
) -> Result<Options, Failure> {
    let mut options = options;
    if let Some(model) = model {
        options = options.model(model.choice.open_recorded(apart)?);
    }
    let reader = reader.as_ref().map(|named| &named.choice);
    let Some(reader) =
        reader.filter(|reader| model.as_ref().is_none_or(|model| model.choice != **reader))
    else {
        return Ok(options);
    };
    Ok(options.extraction_model(reader.open_recorded(apart)?))
}

fn replay(file: &Path) -> Result<Replay, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|cause| Failure::file(&text!("common-read"), file, &cause))?;
    let name = file
        .file_name()
        .map_or_else(|| "-".into(), |name| name.to_string_lossy());
    let replay = Replay::read(&text).map_err(|error| unusable(&error.to_string()))?;
    Ok(replay.named(format!("replay:{name}")))
}

/// Counts tokens with the tokenizer of a model.
pub(crate) fn counted_by(path: &Path, options: Options) -> Result<Options, Failure> {
    options.tokenizer(path).map_err(|error| {
        Failure::from(error)
            .advice(text!("doctor-tokens-advice"))
            .at(path, None)
    })
}

fn unusable(reason: &str) -> Failure {
    Failure::new(Exit::Embedder, text!("common-llm-unusable", reason))
        .advice(text!("common-llm-unusable-advice"))
}
