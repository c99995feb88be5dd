//! Fetches models from a hub with the URL layout of Hugging Face.

mod checksum;
mod client;
mod download;
mod error;
mod family;
mod listing;
#[cfg(test)]
mod tests;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::folder::{self, MODEL_FILES, ModelFolder, OWN_FILE};
use annals_net::Pause;
use client::Client;
use download::Download;
use listing::{Item, Listing};

pub use annals_net::{ApiKey, KeySource, NetError};
pub use error::HubError;

/// The hub that is asked when nothing else is set.
pub const DEFAULT_ENDPOINT: &str = "https://huggingface.co";

/// The file in an installed folder that notes where the model came from.
const SOURCE_FILE: &str = ".source.json";

/// Where and how models are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubSettings {
    /// The address of the hub.
    pub endpoint: String,
    /// The token for private models (none by default).
    pub token: KeySource,
    /// The branch, tag or commit (`main`).
    pub revision: String,
    /// The ONNX file to take, e.g. `onnx/model_quint8_avx2.onnx`; by default the first of the usual
    /// ones that is there.
    pub model_file: Option<String>,
    /// Further attempts per file after a broken connection or a busy server (3). Each goes on where
    /// the last broke off.
    pub retries: u32,
    /// About the wait before the second attempt; it doubles each time (500 ms).
    pub first_wait: Duration,
    /// The longest wait, and the longest `Retry-After` that is obeyed (60 s).
    pub longest_wait: Duration,
    /// How long a connection may be silent (60 s).
    pub silence: Duration,
    /// A PEM file of certificates to trust instead of Mozilla's; `SSL_CERT_FILE` does the same.
    pub certificates: Option<PathBuf>,
}

impl Default for HubSettings {
    fn default() -> Self {
        Self {
            endpoint: DEFAULT_ENDPOINT.to_owned(),
            token: KeySource::None,
            revision: "main".to_owned(),
            model_file: None,
            retries: 3,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            silence: Duration::from_secs(60),
            certificates: None,
        }
    }
}

impl HubSettings {
    /// The defaults with the endpoint of `HF_ENDPOINT` and the token of `HF_TOKEN`, where these are
    /// set.
    #[must_use]
    pub fn from_environment() -> Self {
        let set = |name: &str| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        };
        let mut settings = Self::default();
        if let Some(endpoint) = set("HF_ENDPOINT") {
            settings.endpoint = endpoint;
        }
        if set("HF_TOKEN").is_some() {
            settings.token = KeySource::Variable("HF_TOKEN".to_owned());
        }
        settings
    }
}

/// How far a pull has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The file that is being fetched.
    pub file: &'a str,
    /// Bytes of all files that are there, those of earlier pulls included.
    pub done: u64,
    /// Bytes of all files, where the hub said.
    pub total: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct Source {
    repo: String,
    commit: String,
    model: String,
}

/// Fetches the model `repo` (`organisation/name`) into the folder `organisation--name` below
/// `dest_root`.
///
/// Only the ONNX file, the tokenizer and the settings files are fetched. Each is checked against
/// the size and the hash that the hub states. The folder appears when everything is complete; what
/// a broken pull has fetched is kept aside, and the next pull goes on from there. A model that is
/// already there in this revision is not fetched again.
///
/// # Errors
/// [`HubError`].
pub fn pull(
    repo: &str,
    dest_root: impl AsRef<Path>,
    settings: &HubSettings,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ModelFolder, HubError> {
    pull_with(
        repo,
        dest_root.as_ref(),
        settings,
        progress,
        Box::new(std::thread::sleep),
    )
}

fn pull_with(
    repo: &str,
    root: &Path,
    settings: &HubSettings,
    progress: &mut dyn FnMut(Progress<'_>),
    pause: Pause,
) -> Result<ModelFolder, HubError> {
    let name = local_name(repo)?;
    listing::check_revision(repo, &settings.revision)?;
    let client = Client::new(settings, pause)?;
    fs::create_dir_all(root).map_err(|error| HubError::io("create", root, error))?;
    let _lock = lock(repo, &root.join(format!(".lock-{name}")))?;

    let listing = Listing::fetch(&client, repo, &settings.revision)?;
    let plan = listing.plan(repo, settings.model_file.as_deref())?;
    let source = Source {
        repo: repo.to_owned(),
        commit: listing.commit.clone(),
        model: plan.model.clone(),
    };
    let dest = root.join(&name);
    if read_source(&dest).as_ref() == Some(&source)
        && let Ok(there) = ModelFolder::open(&dest)
        && plan.items.iter().all(|item| item.has_its_size(&dest))
    {
        return Ok(there);
    }
    let part = root.join(format!(".partial-{name}"));
    if read_source(&part).as_ref() != Some(&source) {
        remove(&part)?;
    }
    prepare(&part, &source)?;
    fetch_all(&client, &source, &plan.items, &part, progress)?;
    if let Some(text) = own_file(repo, &plan.model, &part) {
        write(&part.join(OWN_FILE), text.as_bytes())?;
    }
    ModelFolder::open(&part)?;
    folder::publish(&part, &dest)?;
    Ok(ModelFolder::open(&dest)?)
}

/// The name of the folder that a repository is installed in.
///
/// # Errors
/// [`HubError::BadRepo`] when that is no name of a repository.
pub fn local_name(repo: &str) -> Result<String, HubError> {
    let bad = |reason| HubError::BadRepo {
        repo: repo.to_owned(),
        reason,
    };
    let parts: Vec<&str> = repo.split('/').collect();
    if parts.len() > 2 {
        return Err(bad("it is organisation/name"));
    }
    for part in &parts {
        if part.len() > 96 || part.contains("..") || folder::valid_name(part).is_err() {
            return Err(bad(
                "organisation and name have 1 to 96 ASCII letters, digits, dots, hyphens and underscores",
            ));
        }
    }
    Ok(parts.join("--"))
}

fn fetch_all(
    client: &Client,
    source: &Source,
    items: &[Item],
    part: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), HubError> {
    let total = items.iter().map(|item| item.size).sum::<Option<u64>>();
    let mut before = 0;
    for item in items {
        let mut tell = |here: u64| {
            progress(Progress {
                file: &item.path,
                done: before + here,
                total,
            })
        };
        before += Download {
            client,
            source,
            item,
            part,
        }
        .run(&mut tell)?;
    }
    Ok(())
}

/// The content of `annals.toml` for a model from this repository, if it needs one.
fn own_file(repo: &str, model: &str, part: &Path) -> Option<String> {
    let mut text = String::new();
    if MODEL_FILES.iter().find(|name| part.join(name).is_file()) != Some(&model) {
        text.push_str(&format!("model = '{model}'\n"));
    }
    let has_prompts = fs::read_to_string(part.join("config_sentence_transformers.json"))
        .is_ok_and(|text| text.contains("\"query\""));
    if let (false, Some(lines)) = (has_prompts, family::settings(repo)) {
        text.push_str(&lines);
    }
    (!text.is_empty()).then_some(text)
}

fn lock(repo: &str, path: &Path) -> Result<File, HubError> {
    let file = File::create(path).map_err(|error| HubError::io("create", path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(HubError::Busy {
            repo: repo.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(HubError::io("lock", path, error)),
    }
}

fn read_source(folder: &Path) -> Option<Source> {
    serde_json::from_slice(&fs::read(folder.join(SOURCE_FILE)).ok()?).ok()
}

fn prepare(part: &Path, source: &Source) -> Result<(), HubError> {
    fs::create_dir_all(part).map_err(|error| HubError::io("create", part, error))?;
    let text = serde_json::to_vec(source).unwrap_or_default();
    write(&part.join(SOURCE_FILE), &text)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), HubError> {
    fs::write(path, bytes).map_err(|error| HubError::io("write", path, error))
}

fn remove(folder: &Path) -> Result<(), HubError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(HubError::io("remove", folder, error))
        }
        _ => Ok(()),
    }
}
