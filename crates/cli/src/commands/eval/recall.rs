use std::io::Write;
use std::path::{Path, PathBuf};

use annals::profile::RecallMode;
use annals::{Conversations, Feature, profiles};
use serde_json::{Value, json};

use crate::app::App;
use crate::conversation::{note_unknown, parse};
use crate::eval::{Lines, Report, Run, Setting, Thresholds};
use crate::failure::Failure;
use crate::source;
use crate::table::Table;
use crate::texts::text;

/// Arguments of `annals eval recall`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals eval recall locomo-dev.json --results ranked.ndjson
  annals eval recall set.json --embedder ./all-MiniLM-L6-v2 --distractors 100000
  annals eval recall set.json --distractors 100000 --thresholds-max --agree-with ranked.ndjson
  annals eval recall set.json --profile studio --facts --jobs

The file holds {\"conversations\": [{\"id\", \"turns\": [{\"id\", \"session\", \"speaker\", \"time\",
\"text\", \"reply\"}], \"questions\": [{\"id\", \"q\", \"evidence\": [turn ids], \"asked_at\"}]}]}. Each
conversation becomes a namespace of a temporary file; the clock stands at `asked_at`. A
question without evidence is one that nothing answers: it is left out of recall, and counts
in the AUC, how often the best score of a question with an answer is above that of one
without.")]
pub(crate) struct Args {
    /// The data set
    dataset: PathBuf,
    /// Write the ranking of each question to this file, one JSON line each
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Write every candidate with its features to this file, one JSON line per question
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// Turns about nothing that are added to each namespace
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    distractors: usize,
    /// The seed of the turns about nothing
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Store with each turn that its speaker mentions the names in it, so that the graph has
    /// something to say
    #[arg(long)]
    triples: bool,
    /// Under this profile: one that comes along, or a file of one [default: that of namespaces that
    /// are given none]
    #[arg(long, value_name = "PROFILE",
        conflicts_with_all = ["thresholds_zero", "thresholds_max", "without"])]
    profile: Option<String>,
    /// Keep what each turn says as a memory that ages, stored when it was said, in place of the
    /// turn, which never does
    #[arg(long, conflicts_with = "triples")]
    facts: bool,
    /// Let the jobs of the profile run as the days of a conversation pass
    #[arg(long, requires = "facts")]
    jobs: bool,
    /// Sizes from which indexes are used are all 0
    #[arg(long, conflicts_with = "thresholds_max")]
    thresholds_zero: bool,
    /// Sizes from which indexes are used are never reached
    #[arg(long)]
    thresholds_max: bool,
    /// Rank without this feature, such as speaker; may be given several times
    #[arg(long, value_name = "FEATURE", value_parser = feature)]
    without: Vec<Feature>,
    /// Say what share of the first ten is the same as in this file of results
    #[arg(long, value_name = "FILE")]
    agree_with: Option<PathBuf>,
    /// Add the figures with their date to this file, one JSON line for each run
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

fn feature(word: &str) -> Result<Feature, String> {
    let all = Feature::ALL;
    all.into_iter()
        .find(|feature| feature.as_str() == word)
        .ok_or_else(|| text!("eval-features", names = all.map(Feature::as_str).join(", ")))
}

/// Measures and prints.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let path = &args.dataset;
    let bytes = source::all(path, app.world)?;
    let mut dataset = parse(&bytes, path)?;
    note_unknown(&dataset, app)?;
    for conversation in &mut dataset.conversations {
        for silent in conversation.drop_silent() {
            app.note(&text!(
                "eval-silent-turn",
                id = format!("{:?}", conversation.id),
                turn = format!("{silent:?}")
            ))?;
        }
    }
    if dataset
        .conversations
        .iter()
        .all(|conversation| conversation.questions.is_empty())
    {
        return Err(
            Failure::invalid(text!("eval-no-questions", path = path.display())).at(path, None),
        );
    }
    let other = args
        .agree_with
        .as_ref()
        .map(|path| crate::eval::Rankings::read(path, app.world))
        .transpose()?;
    let read = args
        .agree_with
        .iter()
        .fold(app.in_use().and_input(path), |in_use, path| {
            in_use.and_input(path)
        });
    args.log.iter().try_for_each(|path| read.spare(path))?;
    let mut results = Lines::begin(args.results.as_deref(), args.force, &read)?;
    let mut candidates = Lines::begin(args.candidates.as_deref(), args.force, &read)?;
    let thresholds = match (args.thresholds_zero, args.thresholds_max) {
        (true, _) => Thresholds::Zero,
        (_, true) => Thresholds::Max,
        _ => Thresholds::Default,
    };
    thresholds.apply(&mut app.settings.profile);
    for feature in &args.without {
        crate::eval::leave_out(*feature, &mut app.settings.profile.recall.weights)?;
        if *feature == Feature::Graph {
            app.settings.profile.recall.expand.mode = RecallMode::Fast;
        }
    }
    let profile = args
        .profile
        .as_deref()
        .map(|named| under(named, app))
        .transpose()?;
    if let Some(text) = &profile {
        // What a reply weighs in the vector of a turn is one number for the whole file.
        let weight = profiles::parse(text)?.recall.reply_vector_weight;
        app.settings.profile.recall.reply_vector_weight = weight;
    }
    let setting = Setting {
        distractors: args.distractors,
        seed: args.seed,
        triples: args.triples,
        profile,
        facts: args.facts,
        jobs: args.jobs,
    };
    let mut run = Run::begin(setting, app)?;
    for conversation in &dataset.conversations {
        run.conversation(conversation, &mut results, &mut candidates, app)?;
    }
    let report = run.finish();
    results.finish()?;
    candidates.finish()?;
    let agreement = other.map(|other| other.agreement(&report.rankings));
    if let Some(path) = &args.log {
        note_down(path, as_json(&dataset, &report, agreement), app)?;
    }
    if app.json {
        return app.answer_json(&as_json(&dataset, &report, agreement));
    }
    let text = as_text(&dataset, &report, agreement, app);
    app.print(&text)
}

/// A profile that comes along, or that of a file.
fn under(named: &str, app: &mut App<'_, '_>) -> Result<String, Failure> {
    if let Some(text) = profiles::builtin(named) {
        return Ok(text.to_owned());
    }
    let path = Path::new(named);
    if path.extension().is_none_or(|end| end != "toml") {
        let names: Vec<&str> = profiles::builtin_names().collect();
        return Err(Failure::usage(text!(
            "eval-no-profile-or-file",
            named = format!("{named:?}"),
            names = names.join(", ")
        )));
    }
    String::from_utf8(source::all(path, app.world)?)
        .map_err(|_| Failure::invalid(text!("eval-not-utf8", path = path.display())).at(path, None))
}

/// Adds a line to a file of results.
fn note_down(path: &Path, mut figures: Value, app: &App<'_, '_>) -> Result<(), Failure> {
    if let Value::Object(fields) = &mut figures {
        fields.insert("date".to_owned(), json!(app.world.clock.now()));
    }
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    let written = file.and_then(|mut file| writeln!(file, "{figures}"));
    written.map_err(|cause| Failure::file(&text!("eval-write-figures"), path, &cause))
}

fn as_json(dataset: &Conversations, report: &Report, agreement: Option<f64>) -> Value {
    let mut fields = serde_json::Map::new();
    for (name, value) in report.quality.named() {
        fields.insert(name.to_owned(), json!(value));
    }
    fields.insert("latency_ms".to_owned(), report.latencies.json());
    fields.insert(
        "import_per_second".to_owned(),
        json!(report.import_per_second()),
    );
    fields.insert("index_seconds".to_owned(), json!(report.index_seconds));
    fields.insert("questions".to_owned(), json!(report.questions));
    fields.insert(
        "unanswerable".to_owned(),
        json!(report.answerability.unanswerable()),
    );
    fields.insert("auc".to_owned(), json!(report.answerability.auc()));
    fields.insert("turns".to_owned(), json!(report.turns));
    fields.insert("dataset".to_owned(), json!(dataset.name));
    fields.insert("embedder".to_owned(), json!(report.embedder));
    if let Some(share) = agreement {
        fields.insert("agreement@10".to_owned(), json!(share));
    }
    Value::Object(fields)
}

fn as_text(
    dataset: &Conversations,
    report: &Report,
    agreement: Option<f64>,
    app: &App<'_, '_>,
) -> String {
    let mut table = Table::new(&["measure", ">value"]);
    let mut row = |name: &str, value: String| table.row(vec![name.to_owned(), value]);
    for (name, value) in report.quality.named() {
        row(name, format!("{value:.4}"));
    }
    if let Some(auc) = report.answerability.auc() {
        let unanswerable = report.answerability.unanswerable();
        row(&text!("eval-auc", unanswerable), format!("{auc:.4}"));
    }
    for (name, share) in [
        (text!("eval-latency-50"), 0.5),
        (text!("eval-latency-95"), 0.95),
        (text!("eval-latency-99"), 0.99),
    ] {
        row(
            &name,
            text!(
                "eval-millis",
                millis = format!("{:.3}", report.latencies.percentile(share))
            ),
        );
    }
    row(
        &text!("eval-import"),
        text!(
            "eval-turns-per-second",
            turns = format!("{:.0}", report.import_per_second())
        ),
    );
    row(
        &text!("eval-indexes"),
        text!(
            "eval-seconds",
            seconds = format!("{:.1}", report.index_seconds)
        ),
    );
    if let Some(share) = agreement {
        row(&text!("eval-agreement"), format!("{share:.4}"));
    }
    text!(
        "eval-recall",
        name = app.paint.bold(&crate::visible::line(&dataset.name)),
        questions = report.questions,
        turns = report.turns,
        embedder = report.embedder,
        table = table.render(app.paint, app.width())
    )
}
