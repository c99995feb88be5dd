use std::path::{Path, PathBuf};

use annals::profile::Profile;

use crate::clones::{Clones, Place};
use crate::config::{Config, EmbedderConfig, Http, Share};
use crate::failure::Failure;
use crate::llm::LlmConfig;
use crate::shared::Shared;
use crate::texts::text;
use crate::world::World;
use crate::{folders, interface, paths};

/// Where a run works that names no namespace and is in no repository: what is true of the user
/// everywhere.
pub(crate) const DEFAULT_NAMESPACE: &str = annals_mcp::USER_NAMESPACE;

/// The profile of a namespace for which none was named.
pub(crate) const DEFAULT_PROFILE: &str = "default";

/// The settings of this run: a flag counts more than an environment variable, that more than the
/// config file, that more than the default.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The config file that was read.
    pub(crate) config: Option<PathBuf>,
    pub(crate) db: PathBuf,
    /// Never empty; for a project its own namespace and the user's.
    pub(crate) namespaces: Vec<String>,
    /// What chose them.
    pub(crate) scope: Scope,
    pub(crate) embedder: EmbedderSetting,
    pub(crate) onnxruntime: Option<PathBuf>,
    /// The tokenizer of the language model; without one tokens are estimated.
    pub(crate) tokenizer: Option<PathBuf>,
    /// Where pulled models are kept.
    pub(crate) models: Option<PathBuf>,
    /// The folder in which jobs keep mirrored files.
    pub(crate) mirrors: Option<String>,
    /// The language model; flags and variables count more.
    pub(crate) llm: Option<LlmConfig>,
    /// Another one that looks through conversations.
    pub(crate) llm_extract: Option<LlmConfig>,
    /// The zone of profiles that name none.
    pub(crate) zone: String,
    /// The project that the working directory says it is, and a folder that is one, where its
    /// memory is kept apart.
    pub(crate) apart: Option<(String, PathBuf)>,
    /// Why it is not known which project the working directory is: the list of known folders cannot
    /// be read. The namespace is then that of the folder alone.
    pub(crate) place_failure: Option<Failure>,
    /// Whether the config file names the zone.
    pub(crate) names_zone: bool,
    /// How the database is shared with other processes.
    pub(crate) share: Share,
    /// Whether the database may belong to another user.
    pub(crate) allow_foreign: bool,
    pub(crate) profile: Profile,
}

/// What chose the namespaces of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The person, by `--namespace`, `--global`, a variable or the config file.
    Named,
    /// The repository around the working directory.
    Project,
    /// Nothing: what is true of the user everywhere.
    User,
}

/// Which embedder is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EmbedderSetting {
    Builtin,
    /// The small transformer that comes along.
    Small,
    /// A folder, or the name of a model that was pulled or imported.
    Model(String),
    Http(Http),
}

impl EmbedderSetting {
    /// The word for [`Small`](Self::Small), which also names it to other processes.
    pub(crate) const SMALL: &str = "small";
}

impl Settings {
    pub(crate) fn resolve(shared: &Shared, world: &World<'_>) -> Result<Self, Failure> {
        interface::check(world)?;
        let (config_path, config) = read_config(shared, world)?;
        let data = folders::data(world);
        let db = shared
            .db
            .clone()
            .or_else(|| world.var_os("ANNALS_DB").map(PathBuf::from))
            .or(config.db)
            .or_else(|| data.as_ref().map(|data| data.join("agent.annals")));
        let Some(db) = db else {
            return Err(
                Failure::usage(text!("common-no-home")).advice(text!("common-name-a-database"))
            );
        };
        let mut namespaces = shared.namespace.clone();
        if namespaces.is_empty() && !shared.global {
            let outside = world
                .var("ANNALS_NAMESPACE")
                .map(str::to_owned)
                .or(config.namespace);
            namespaces.extend(outside);
        }
        if namespaces.is_empty() && shared.global {
            namespaces.push(DEFAULT_NAMESPACE.to_owned());
        }
        let mut apart = None;
        let mut place_failure = None;
        let repository = world
            .folder
            .as_deref()
            .filter(|folder| annals_mcp::git_root(folder).is_some());
        let scope = match repository {
            _ if !namespaces.is_empty() => Scope::Named,
            Some(folder) => {
                let place = Clones::of(&db).place(folder).unwrap_or_else(|failure| {
                    place_failure = Some(failure);
                    Place::of_folder(folder)
                });
                apart = place.apart;
                namespaces = vec![place.name, DEFAULT_NAMESPACE.to_owned()];
                Scope::Project
            }
            None => {
                namespaces.push(DEFAULT_NAMESPACE.to_owned());
                Scope::User
            }
        };
        let word = shared
            .embedder
            .clone()
            .or_else(|| world.var("ANNALS_EMBEDDER").map(str::to_owned));
        let embedder = match (word, config.embedder) {
            (Some(word), _) | (None, Some(EmbedderConfig::Word(word))) => {
                embedder_word(word, world)?
            }
            (None, Some(EmbedderConfig::Http(http))) => EmbedderSetting::Http(http),
            (None, None) => EmbedderSetting::Builtin,
        };
        let path = |name: &str| {
            world
                .var_os(name)
                .map(|value| paths::absolute(Path::new(value)))
        };
        let onnxruntime = path("ANNALS_ONNXRUNTIME").or(config.onnxruntime);
        let tokenizer = path("ANNALS_TOKENIZER").or(config.tokenizer);
        let models = path("ANNALS_MODELS").or_else(|| data.map(|data| data.join("models")));
        let mirrors = world
            .var("ANNALS_MIRRORS")
            .map(paths::absolute_setting)
            .or(config.mirrors);
        let allow_foreign = match world.var("ANNALS_ALLOW_FOREIGN") {
            None => config.allow_foreign.unwrap_or(false),
            Some("1") => true,
            Some("0") => false,
            Some(word) => {
                return Err(Failure::invalid(text!(
                    "common-foreign-bad",
                    word = format!("{word:?}")
                ))
                .advice(text!("common-foreign-words")));
            }
        };
        let names_zone = config.zone.is_some();
        let zone = config
            .zone
            .or_else(|| world.zone.clone())
            .unwrap_or_else(|| "UTC".to_owned());
        let share = match world.var("ANNALS_SHARE") {
            None => config.share.unwrap_or(Share::Auto),
            Some(word) => Share::of_word(word).ok_or_else(|| {
                Failure::invalid(text!("common-share-bad", word = format!("{word:?}")))
                    .advice(text!("common-share-words"))
            })?,
        };
        Ok(Self {
            config: config_path,
            db,
            namespaces,
            scope,
            embedder,
            onnxruntime,
            tokenizer,
            models,
            mirrors,
            llm: config.llm,
            llm_extract: config.llm_extract,
            zone,
            names_zone,
            apart,
            place_failure,
            share,
            allow_foreign,
            profile: config.profile,
        })
    }
}

fn read_config(shared: &Shared, world: &World<'_>) -> Result<(Option<PathBuf>, Config), Failure> {
    let named = shared
        .config
        .clone()
        .or_else(|| world.var_os("ANNALS_CONFIG").map(PathBuf::from));
    if let Some(path) = named {
        return Config::read(&path).map(|config| (Some(path), config));
    }
    let Some(path) = folders::config(world).map(|folder| folder.join("config.toml")) else {
        return Ok((None, Config::default()));
    };
    // Settings that cannot be looked for are not taken for none.
    match path.try_exists() {
        Ok(true) => Config::read(&path).map(|config| (Some(path), config)),
        Ok(false) => Ok((None, Config::default())),
        Err(cause) => Err(Failure::file(&text!("common-read"), &path, &cause)),
    }
}

/// `builtin`, `small`, a folder or model name, or `<base URL>#<model>`.
fn embedder_word(word: String, world: &World<'_>) -> Result<EmbedderSetting, Failure> {
    if word == "builtin" {
        return Ok(EmbedderSetting::Builtin);
    }
    if word == EmbedderSetting::SMALL {
        return Ok(EmbedderSetting::Small);
    }
    if !word.starts_with("http://") && !word.starts_with("https://") {
        return Ok(EmbedderSetting::Model(word));
    }
    match word.split_once('#').filter(|(_, model)| !model.is_empty()) {
        Some((base_url, model)) => Ok(EmbedderSetting::Http(Http {
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            key_env: world
                .var("ANNALS_EMBEDDER_KEY")
                .map(|_| "ANNALS_EMBEDDER_KEY".to_owned()),
            key_file: None,
        })),
        None => Err(Failure::invalid(text!(
            "common-embedder-no-model",
            word = format!("{word:?}")
        ))
        .advice(text!("common-embedder-words"))),
    }
}
