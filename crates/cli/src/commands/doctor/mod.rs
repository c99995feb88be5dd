mod better;
mod database;
mod hooks;
mod model;

use annals::embed::onnx::{Outcome, RuntimeReport, find_runtime};
use annals::llm::window::Tokenizer;
use serde_json::{Value, json};

use crate::app::{Access, App};
use crate::failure::{Exit, Failure, gap};
use crate::oddities;
use crate::settings::EmbedderSetting;
use crate::texts::{filled, found, text};
use crate::visible;
use crate::wrap;

/// Arguments of `annals doctor`: none of its own.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals doctor
  annals --db old.annals doctor --json

Reads every value of the database and checks every index against the others, which takes a
while for a large one. Ends with 0 when all is well, 6 when the database is damaged or the
list of projects beside it, 9 when the chosen embedder cannot be used, or the language model
as it is set, 4 when the tokenizer cannot be. The server of a language model is asked which
models it offers; no model is asked anything. `annals db verify` checks the database alone.

Settings come from flags, then from ANNALS_DB, ANNALS_NAMESPACE, ANNALS_EMBEDDER,
ANNALS_EMBEDDER_KEY, ANNALS_ONNXRUNTIME, ANNALS_MODELS, ANNALS_MIRRORS, ANNALS_SHARE and
ANNALS_CONFIG, then from the config file. ANNALS_LANG, or interface_language in the config
file, is the language of the program: en, zh or auto. ANNALS_LLM names a language model as
URL#MODEL, anthropic#MODEL, anthropic:URL#MODEL or replay:FILE; ANNALS_LLM_EXTRACT another one
that looks through conversations, such as a smaller one; ANNALS_LLM_KEY holds the key. [llm] and
[llm_extract] of the config file name them for good, with a key file, timeout, rate and prices.
ANNALS_LLM_RECORD names a file for what is asked and answered, ANNALS_TOKENIZER the model's
tokenizer.json, by which tokens are counted instead of estimated. TZ is the time zone in
which days begin and hours are meant.

Exit codes of every command:
  0 done       3 not found                 6 damaged, or not a database
  1 failed     4 invalid input             7 written by another version
  2 usage      5 database in use           8 cannot be written (rights, full disk)
                                           9 embedder or model not available")]
pub(crate) struct Args {}

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    state: State,
    says: String,
    advice: Option<String>,
    facts: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Well,
    /// Nothing is wrong, but something could be had.
    Open,
    Ill(Exit),
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Open => "note",
            Self::Ill(_) => "problem",
        }
    }
}

/// Looks at everything and says what it found; only then does it fail.
pub(crate) fn run(_args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mut findings = vec![
        settings(app),
        builtin_or_chosen(app),
        runtime(app),
        model::finding(app),
        tokens(app),
        database::database(app),
    ];
    findings.extend(projects(app));
    findings.extend(database::owner(app));
    findings.extend(database::vectors(app));
    findings.extend(better::better_embedder(app));
    findings.extend(database::queue(app));
    findings.extend(database::clock(app));
    findings.extend(hooks::hooks(app));
    if app.json {
        let all: Vec<Value> = findings.iter().map(as_json).collect();
        app.answer_json(&json!({ "version": env!("CARGO_PKG_VERSION"), "findings": all }))?;
    } else {
        let text: String = findings
            .iter()
            .map(|finding| as_text(finding, app))
            .collect();
        app.print(&format!("annals {}\n{text}", env!("CARGO_PKG_VERSION")))?;
    }
    let ill = findings.iter().find_map(|finding| match finding.state {
        State::Ill(exit) => Some(Failure::new(
            exit,
            text!("common-of", what = finding.name, said = finding.says),
        )),
        _ => None,
    });
    ill.map_or(Ok(()), Err)
}

fn as_json(finding: &Finding) -> Value {
    json!({
        "name": finding.name, "state": finding.state.word(), "says": finding.says,
        "advice": finding.advice,
        "facts": finding.facts,
    })
}

/// A place of libraries as a person reads it.
fn place(described: &str) -> String {
    let id = format!(
        "doctor-place-{}",
        described.to_lowercase().replace(' ', "-")
    );
    found(&id, &[]).unwrap_or_else(|| described.to_owned())
}

/// The name of a finding as a person reads it.
fn name(finding: &str) -> String {
    filled(
        &format!("doctor-name-{}", finding.to_lowercase().replace(' ', "-")),
        &[],
    )
}

fn as_text(finding: &Finding, app: &App<'_, '_>) -> String {
    let paint = app.paint;
    let word = match finding.state {
        State::Well => paint.good(&wrap::pad(&text!("doctor-ok"), 7)),
        State::Open => paint.dim(&wrap::pad(&text!("doctor-note"), 7)),
        State::Ill(_) => paint.error(&wrap::pad(&text!("doctor-problem"), 7)),
    };
    let mut out = String::new();
    for (number, line) in visible::block(&finding.says).lines().enumerate() {
        let (word, name) = if number == 0 {
            (word.as_str(), name(finding.name))
        } else {
            ("       ", String::new())
        };
        out.push_str(format!("{word}  {} {line}", wrap::pad(&name, 12)).trim_end());
        out.push('\n');
    }
    if let Some(advice) = &finding.advice {
        let label = text!("common-try");
        let advice = visible::line(advice);
        out.push_str(&format!(
            "{:22}{}{}{advice}\n",
            "",
            paint.dim(&label),
            gap(&label)
        ));
    }
    out
}

fn settings(app: &App<'_, '_>) -> Finding {
    let settings = &app.settings;
    let shown = |path: &Option<std::path::PathBuf>| {
        path.as_ref()
            .map_or(text!("doctor-none"), |p| p.display().to_string())
    };
    let says = text!(
        "doctor-settings",
        config = shown(&settings.config),
        namespace = settings.namespaces.join(", "),
        models = shown(&settings.models),
        zone = settings.zone
    );
    let facts = json!({
        "config": settings.config, "db": settings.db, "namespaces": settings.namespaces,
        "models": settings.models,
        "zone": settings.zone, "profile": settings.profile,
    });
    let idle = app.has_own_profile()
        && app.has_database().unwrap_or(false)
        && app
            .open_plain(Access::Existing)
            .is_ok_and(|memory| app.has_idle_profile(&memory).unwrap_or(false));
    let advice = match (idle, app.unknown_zone()) {
        (true, _) => Some(text!("common-profile-idle", path = app.config_path())),
        (false, Some(zone)) => Some(oddities::unknown_zone(zone)),
        (false, None) => None,
    };
    let state = if advice.is_some() {
        State::Open
    } else {
        State::Well
    };
    Finding {
        name: "settings",
        state,
        says,
        advice,
        facts,
    }
}

/// The list of the folders of projects, where it cannot be read.
fn projects(app: &App<'_, '_>) -> Option<Finding> {
    let failure = app.settings.place_failure.as_ref()?;
    Some(Finding {
        name: "projects",
        state: State::Ill(failure.exit),
        says: failure.message.clone(),
        advice: failure.advice.clone(),
        facts: json!({ "path": failure.file }),
    })
}

fn builtin_or_chosen(app: &App<'_, '_>) -> Finding {
    let chosen = match &app.settings.embedder {
        EmbedderSetting::Builtin => text!("doctor-builtin"),
        EmbedderSetting::Small => text!("doctor-small"),
        EmbedderSetting::Model(word) => word.clone(),
        EmbedderSetting::Http(http) => {
            text!(
                "doctor-model-at",
                model = http.model,
                base_url = http.base_url
            )
        }
    };
    let failed = |failure: Failure| Finding {
        name: "embedder",
        state: State::Ill(Exit::Embedder),
        says: format!("{chosen}: {}", failure.message),
        advice: failure
            .advice
            .or_else(|| Some(text!("doctor-embedder-advice"))),
        facts: json!({ "chosen": chosen }),
    };
    let memory = match app
        .options_without_model()
        .and_then(|options| Ok(options.in_memory()?))
    {
        Ok(memory) => memory,
        Err(failure) => return failed(failure),
    };
    match memory.stats() {
        Ok(stats) => Finding {
            name: "embedder",
            state: State::Well,
            says: text!(
                "doctor-embedder",
                chosen,
                embedder = stats.embedder,
                dims = stats.dims
            ),
            advice: None,
            facts: json!({ "chosen": chosen, "fingerprint": stats.embedder, "dims": stats.dims }),
        },
        Err(error) => failed(error.into()),
    }
}

fn runtime(app: &App<'_, '_>) -> Finding {
    let report = find_runtime(app.settings.onnxruntime.as_deref());
    let needed = matches!(app.settings.embedder, EmbedderSetting::Model(_));
    let attempts: Vec<Value> = report.attempts.iter().map(attempt).collect();
    let facts = json!({ "version": report.version, "attempts": attempts });
    match report.loaded() {
        Some(found) => {
            let version = report.version.clone().unwrap_or_default();
            let says = text!(
                "doctor-onnx",
                version,
                path = found.path.display(),
                describe = place(found.place.describe())
            );
            Finding {
                name: "ONNX Runtime",
                state: State::Well,
                says,
                advice: None,
                facts,
            }
        }
        None => {
            let needs = if needed {
                String::new()
            } else {
                text!("doctor-onnx-needs")
            };
            Finding {
                name: "ONNX Runtime",
                state: if needed {
                    State::Ill(Exit::Embedder)
                } else {
                    State::Open
                },
                says: text!("doctor-onnx-not-found", needs, tried = tried(&report)),
                advice: Some(text!("doctor-onnx-advice")),
                facts,
            }
        }
    }
}

/// How tokens are counted.
fn tokens(app: &App<'_, '_>) -> Finding {
    let facts = json!({ "tokenizer": app.settings.tokenizer });
    let finding = |state, says, advice| Finding {
        name: "tokens",
        state,
        says,
        advice,
        facts,
    };
    let Some(path) = &app.settings.tokenizer else {
        return finding(State::Well, text!("doctor-tokens-estimated"), None);
    };
    match Tokenizer::open(path) {
        Ok(tokenizer) => {
            let says = text!(
                "doctor-tokens-counted",
                path = path.display(),
                vocabulary = tokenizer.vocabulary()
            );
            finding(State::Well, says, None)
        }
        Err(error) => {
            let advice = &text!("doctor-tokens-advice");
            finding(
                State::Ill(Exit::Invalid),
                error.to_string(),
                Some(advice.to_owned()),
            )
        }
    }
}

fn attempt(attempt: &annals::embed::onnx::Attempt) -> Value {
    let failed = match &attempt.outcome {
        Outcome::Failed(reason) => Some(reason.as_str()),
        _ => None,
    };
    json!({ "place": attempt.place.describe(), "path": attempt.path, "failed": failed })
}

fn tried(report: &RuntimeReport) -> String {
    let lines: Vec<String> = report
        .attempts
        .iter()
        .map(|attempt| {
            text!(
                "doctor-onnx-tried",
                path = attempt.path.display(),
                describe = place(attempt.place.describe())
            )
        })
        .collect();
    lines.join("\n")
}
