use std::path::Path;

use serde::Deserialize;

use super::HubError;
use super::checksum::Checksum;
use super::client::{Client, Trouble, escape};
use crate::embed::folder::file::is_inside;
use crate::embed::folder::{DATA_ENDINGS, MODEL_FILES, SETTINGS_FILES};

/// No list of files is longer.
const MAX_LISTING_BYTES: u64 = 64 << 20;

/// The files of a repository at one commit.
pub(super) struct Listing {
    pub(super) commit: String,
    files: Vec<Item>,
}

/// A file of a repository.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) path: String,
    pub(super) size: Option<u64>,
    pub(super) checksum: Option<Checksum>,
}

/// The files to fetch of a repository.
pub(super) struct Plan {
    pub(super) model: String,
    pub(super) items: Vec<Item>,
}

#[derive(Deserialize)]
struct ListingResponse {
    sha: Option<String>,
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    blob_id: Option<String>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    sha256: Option<String>,
    size: Option<u64>,
}

impl Item {
    pub(super) fn has_its_size(&self, folder: &Path) -> bool {
        folder
            .join(&self.path)
            .metadata()
            .is_ok_and(|meta| self.size.is_none_or(|size| size == meta.len()))
    }
}

impl Listing {
    pub(super) fn fetch(client: &Client, repo: &str, revision: &str) -> Result<Self, HubError> {
        let url = client.url(&format!(
            "api/models/{repo}/revision/{}?blobs=true",
            escape(revision, false)
        ));
        let bytes = client.patiently(|| {
            let response = client.get(&url, 0)?;
            let read = response.bytes(MAX_LISTING_BYTES);
            read.map_err(|error| {
                Trouble::passing(HubError::Unreachable {
                    url: url.clone(),
                    reason: error.to_string(),
                })
            })
        })?;
        let bad = |reason: String| HubError::BadListing {
            url: url.clone(),
            reason,
        };
        let answer: ListingResponse =
            serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        // Git knows no such path, so a list that has one was made to do harm.
        if let Some(evil) = answer
            .siblings
            .iter()
            .find(|file| !is_inside(&file.rfilename) && leaves(&file.rfilename))
        {
            return Err(bad(format!(
                "the file name {:?} leaves the folder",
                evil.rfilename
            )));
        }
        let commit = answer.sha.unwrap_or_else(|| revision.to_owned());
        if commit.is_empty()
            || (commit != revision && !commit.chars().all(|c| c.is_ascii_hexdigit()))
        {
            return Err(bad(format!("the commit {commit:?} is none")));
        }
        Ok(Self {
            commit,
            files: answer.siblings.into_iter().map(Sibling::item).collect(),
        })
    }

    /// The model file (`wanted` or the first usual one that is there), its weights, tokenizer and
    /// settings.
    pub(super) fn plan(&self, repo: &str, wanted: Option<&str>) -> Result<Plan, HubError> {
        let has = |name: &str| self.files.iter().find(|item| item.path == name).cloned();
        let missing = |missing: &str, advice: String| HubError::NoModel {
            repo: repo.to_owned(),
            missing: missing.to_owned(),
            advice,
        };
        let others = || {
            let names: Vec<&str> = self
                .files
                .iter()
                .map(|item| item.path.as_str())
                .filter(|name| name.ends_with(".onnx"))
                .collect();
            if names.is_empty() {
                "export it with `optimum-cli export onnx` and import the folder, or choose a model with ONNX files"
                    .to_owned()
            } else {
                format!("choose one of its files: {}", names.join(", "))
            }
        };
        let model = match wanted {
            Some(name) if !is_inside(name) || name.contains(['\'', '%']) => {
                return Err(missing(
                    name,
                    "that is no path of a file in a repository".to_owned(),
                ));
            }
            Some(name) => has(name).ok_or_else(|| missing(name, others()))?,
            None => MODEL_FILES
                .iter()
                .find_map(|name| has(name))
                .ok_or_else(|| missing("ONNX model", others()))?,
        };
        let tokenizer = has("tokenizer.json").ok_or_else(|| {
            missing(
                "tokenizer.json",
                "choose a model that was saved with a fast tokenizer".to_owned(),
            )
        })?;
        let data = DATA_ENDINGS
            .iter()
            .filter_map(|ending| has(&format!("{}{ending}", model.path)));
        let settings = SETTINGS_FILES.iter().filter_map(|name| has(name));
        // Small files first: what is wrong with them is known before the model is fetched.
        let mut items: Vec<Item> = settings.chain([tokenizer]).chain(data).collect();
        items.push(model.clone());
        Ok(Plan {
            model: model.path,
            items,
        })
    }
}

impl Sibling {
    fn item(self) -> Item {
        let (sha256, lfs_size) = self.lfs.map_or((None, None), |lfs| (lfs.sha256, lfs.size));
        let checksum = match sha256 {
            Some(sha) => Some(Checksum::Sha256(sha.to_ascii_lowercase())),
            None if lfs_size.is_none() => self
                .blob_id
                .filter(|id| id.len() == 40)
                .map(|id| Checksum::Git(id.to_ascii_lowercase())),
            None => None,
        };
        Item {
            path: self.rfilename,
            size: lfs_size.or(self.size),
            checksum,
        }
    }
}

fn leaves(path: &str) -> bool {
    path.starts_with('/') || path.split(['/', '\\']).any(|part| part == "..")
}

pub(super) fn check_revision(repo: &str, revision: &str) -> Result<(), HubError> {
    let fits = !revision.is_empty()
        && revision.len() <= 200
        && !revision.contains("..")
        && revision
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let reason = "its revision has letters, digits, dots, hyphens, underscores and slashes";
    if fits {
        Ok(())
    } else {
        Err(HubError::BadRepo {
            repo: format!("{repo}@{revision}"),
            reason,
        })
    }
}
