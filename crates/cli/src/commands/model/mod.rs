mod tools;

use std::path::{Path, PathBuf};

use annals::embed::folder::{self, ModelFolder};
use annals::embed::hub::{self, HubError, HubSettings};
use serde_json::json;

use crate::app::App;
use crate::embedder::key_from;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::table::Table;
use crate::texts::text;
use crate::{card, visible};

/// Arguments of `annals model`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals model pull sentence-transformers/all-MiniLM-L6-v2
  annals model import ./my-model --name mine
  annals recall \"where do I live?\" --embedder mine
  annals model tools graph > tools.json

HF_ENDPOINT names another hub, HF_TOKEN the token for private models. A pull that was
broken off goes on where it was.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Fetches a sentence-transformers model in ONNX form from a hub
    Pull {
        /// Organisation and name of the repository
        repo: String,
        /// The branch, tag or commit
        #[arg(long, value_name = "NAME", default_value = "main")]
        revision: String,
        /// The ONNX file to take when there are several
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
    },
    /// Copies a model folder to where models are kept
    Import {
        /// The folder, with model.onnx or onnx/model.onnx and tokenizer.json
        folder: PathBuf,
        /// The name to choose it by [default: the name of the folder]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Lists the models that are here
    List,
    /// Deletes a model
    Remove {
        /// Its name
        name: String,
    },
    /// Prints the tools that language models can call, as JSON schemas
    Tools(tools::Args),
    /// Does a call of a tool in a namespace and prints what the model is answered
    Call(tools::CallArgs),
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::Pull {
            repo,
            revision,
            file,
        } => {
            let settings = hub_settings(app, revision, file.as_deref())?;
            let model = pull(repo, &models(app)?, &settings, app)?;
            arrived(&model, app)
        }
        Action::Import { folder, name } => {
            let model = match name {
                Some(name) => folder::import_as(folder, &models(app)?, name)?,
                None => folder::import(folder, &models(app)?)?,
            };
            arrived(&model, app)
        }
        Action::List => list(&models(app)?, app),
        Action::Remove { name } => {
            folder::remove(&models(app)?, name)?;
            if app.json {
                app.answer_json(&json!({ "removed": name }))
            } else {
                app.say(&text!("model-removed", name))
            }
        }
        Action::Tools(args) => tools::run(args, app),
        Action::Call(args) => tools::call(args, app),
    }
}

/// The folder of the models.
fn models(app: &App<'_, '_>) -> Result<PathBuf, Failure> {
    let folder = app.settings.models.clone();
    folder.ok_or_else(|| Failure::usage(text!("model-no-folder")))
}

fn hub_settings(
    app: &App<'_, '_>,
    revision: &str,
    file: Option<&str>,
) -> Result<HubSettings, Failure> {
    let mut settings = HubSettings {
        revision: revision.to_owned(),
        ..HubSettings::default()
    };
    settings.model_file = file.map(str::to_owned);
    if let Some(endpoint) = app.world.var("HF_ENDPOINT") {
        settings.endpoint = endpoint.to_owned();
    }
    if app.world.var("HF_TOKEN").is_some() {
        settings.token = key_from("HF_TOKEN", app.world)?;
    }
    Ok(settings)
}

fn pull(
    repo: &str,
    models: &Path,
    settings: &HubSettings,
    app: &mut App<'_, '_>,
) -> Result<ModelFolder, Failure> {
    let bar = Progress::bytes(app, text!("common-pulling"), 1);
    Ok(hub::pull(repo, models, settings, &mut |step| {
        if let Some(total) = step.total {
            bar.set_total(total);
        }
        bar.set(step.done);
    })?)
}

fn arrived(model: &ModelFolder, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = model.name();
    if app.json {
        let fingerprint = model.fingerprint()?;
        return app.answer_json(
            &json!({ "name": name, "folder": model.dir(), "fingerprint": fingerprint }),
        );
    }
    app.say(&text!("model-is-in", name, dir = model.dir().display()))
}

fn list(models: &Path, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let installed = folder::installed(models)?;
    if app.json {
        let all: Vec<_> = installed
            .iter()
            .map(|model| match &model.facts {
                Ok(facts) => json!({
                    "name": model.name, "folder": model.path, "dims": facts.dims,
                    "bytes": facts.bytes,
                    "fingerprint": facts.fingerprint,
                }),
                Err(error) => json!({
                    "name": model.name, "folder": model.path, "error": error.to_string(),
                }),
            })
            .collect();
        return app.answer_json(&json!({ "models": all, "folder": models }));
    }
    if installed.is_empty() {
        return app.note(&text!("model-none", models = models.display()));
    }
    let mut table = Table::new(&["name", ">numbers", ">size", "~state"]);
    for model in &installed {
        let name = visible::line(&model.name).into_owned();
        table.row(match &model.facts {
            Ok(facts) => {
                let dims = facts.dims.map_or("?".to_owned(), |dims| dims.to_string());
                vec![name, dims, card::bytes(facts.bytes), text!("model-ready")]
            }
            Err(error) => {
                vec![
                    name,
                    "?".to_owned(),
                    "?".to_owned(),
                    visible::line(&error.to_string()).into_owned(),
                ]
            }
        });
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

impl From<HubError> for Failure {
    fn from(error: HubError) -> Self {
        let exit = match &error {
            HubError::BadRepo { .. } => Exit::Invalid,
            HubError::Denied { .. } | HubError::NoModel { .. } => Exit::NotFound,
            HubError::Folder(_) => Exit::Embedder,
            _ => Exit::Failed,
        };
        Self::new(exit, &error).caused_by(std::error::Error::source(&error))
    }
}
