use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals::llm::provider::Provider;
use annals::llm::quality::{Labelled, Marks};
use annals::profiles;
use serde_json::{Value, json};

use crate::app::App;
use crate::eval::{By, Extraction};
use crate::failure::Failure;
use crate::source;
use crate::table::Table;
use crate::texts::text;

/// The labelled talks that come along.
const OWN: &str = include_str!("../../../data/eval/extraction.json");

/// Arguments of `annals eval extraction`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals eval extraction --llm http://localhost:11434/v1#qwen2.5 --missed
  annals eval extraction mine.json --labels --embedder ./all-MiniLM-L6-v2

The file holds {\"name\", \"talks\": [{\"id\", \"turns\": [{\"role\", \"text\", \"time\"}], \"facts\":
[{\"id\", \"text\", \"kinds\": [names], \"says\": [[words]], \"not\": [words], \"details\": [texts]}],
\"again\": [{\"id\", \"text\"}]}], \"apart\": [[id, id]], \"questions\": [{\"q\", \"facts\": [ids]}]}.
A memory says a fact when it holds one word of each group of `says` and none of `not`;
without `says`, all `details`. The talks are held one after the other in a namespace of
their own, in memory, and looked through by the extractor.")]
pub(super) struct Args {
    /// The labelled talks [default: those that come along]
    labelled: Option<PathBuf>,
    /// URL#MODEL, anthropic#MODEL, or replay:FILE [default: $ANNALS_LLM]
    #[arg(long, value_name = "MODEL")]
    llm: Option<String>,
    /// Store what the labels say, to measure the store without an extractor
    #[arg(long, conflicts_with = "llm")]
    labels: bool,
    /// The profile
    #[arg(long, default_value = "studio")]
    profile: String,
    /// List the facts that were not found, what was found that is no fact of the file, and
    /// questions answered badly
    #[arg(long)]
    missed: bool,
}

/// Measures and prints.
pub(super) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let set = read(args.labelled.as_deref(), app)?;
    app.llm.clone_from(&args.llm);
    app.reader.clone_from(&args.llm);
    let by = if args.labels {
        By::Labels
    } else {
        By::Model(model(args, app)?)
    };
    app.needs_model = !args.labels;
    let text = profiles::builtin(&args.profile).ok_or_else(|| {
        let names: Vec<&str> = profiles::builtin_names().collect();
        Failure::usage(text!(
            "eval-no-profile",
            profile = format!("{:?}", args.profile),
            names = names.join(", ")
        ))
    })?;
    let measured = Extraction::run(&set, &by, (&args.profile, &profiles::parse(text)?), app)?;
    if app.json {
        return app.answer_json(&as_json(args, &set, &by, &measured));
    }
    let text = as_text(args, &set, &by, &measured, app);
    app.print(&text)?;
    if measured.failed > 0 {
        let windows = text!("common-windows", count = measured.failed);
        app.note(&text!("eval-not-looked", windows))?;
    }
    Ok(())
}

/// The model that is measured.
fn model(args: &Args, app: &App<'_, '_>) -> Result<Arc<dyn Provider>, Failure> {
    let named = app.reader()?.ok_or_else(|| {
        Failure::usage(text!("eval-no-model")).advice(text!("eval-no-model-advice"))
    })?;
    let read = args
        .labelled
        .iter()
        .fold(app.in_use(), |in_use, path| in_use.and_input(path));
    named.choice.open_recorded((&*app.world, &read))
}

fn read(path: Option<&Path>, app: &mut App<'_, '_>) -> Result<Labelled, Failure> {
    let Some(path) = path else {
        return parsed(OWN.as_bytes(), Path::new(&text!("eval-own-talks")));
    };
    let bytes = source::all(path, app.world)?;
    parsed(&bytes, path)
}

fn parsed(bytes: &[u8], path: &Path) -> Result<Labelled, Failure> {
    Labelled::parse(bytes).map_err(|error| {
        Failure::invalid(text!("eval-unusable", path = path.display(), error))
            .advice(text!("eval-extraction-form"))
            .at(path, None)
    })
}

/// The five qualities, the first and the last of them in several numbers.
fn rows(marks: &Marks) -> [(&'static str, String, Option<f64>); 8] {
    [
        ("accuracy", text!("eval-extraction-accuracy"), marks.f1()),
        (
            "precision",
            text!("eval-extraction-precision"),
            marks.precision,
        ),
        ("recall", text!("eval-extraction-recall"), marks.recall),
        (
            "detail_retention",
            text!("eval-detail-retention"),
            marks.details,
        ),
        (
            "type_classification",
            text!("eval-type-classification"),
            marks.kinds,
        ),
        ("deduplication", text!("eval-deduplication"), marks.dedup),
        (
            "retrieval_precision@3",
            text!("eval-retrieval-precision"),
            marks.precision_3,
        ),
        (
            "retrieval_ndcg@3",
            text!("eval-retrieval-ndcg"),
            marks.ndcg_3,
        ),
    ]
}

/// The facts that no found memory says, the found memories that say none, and the questions whose
/// first answers are not all right.
fn missed<'a>(set: &'a Labelled, measured: &'a Extraction) -> [Vec<&'a str>; 3] {
    let found = &measured.made.found;
    let unsaid = set
        .facts()
        .filter(|fact| !found.iter().any(|memory| fact.is_said_by(&memory.text)));
    let beside = found
        .iter()
        .filter(|memory| !set.facts().any(|fact| fact.is_said_by(&memory.text)));
    let asked = set.questions.iter().zip(&measured.made.answers);
    let wrong = asked.filter(|(question, answers)| set.answer(question, answers).0 < 1.0);
    [
        unsaid.map(|fact| fact.text.as_str()).collect(),
        beside.map(|memory| memory.text.as_str()).collect(),
        wrong.map(|(question, _)| question.q.as_str()).collect(),
    ]
}

fn as_json(args: &Args, set: &Labelled, by: &By, measured: &Extraction) -> Value {
    let mut fields = serde_json::Map::new();
    for (name, _, value) in rows(&measured.marks) {
        fields.insert(name.to_owned(), json!(value));
    }
    let (talks, profile) = (set.talks.len(), &args.profile);
    for (name, value) in [
        ("facts", json!(measured.marks.facts)),
        ("found", json!(measured.marks.found)),
        ("stored", json!(measured.made.stored.len())),
        ("deduplication_cases", json!(measured.marks.dedup_cases)),
        ("questions", json!(set.questions.len())),
        ("talks", json!(talks)),
        ("dataset", json!(set.name)),
        ("extractor", json!(by.name())),
        ("profile", json!(profile)),
        ("embedder", json!(measured.embedder)),
        ("windows_failed", json!(measured.failed)),
    ] {
        fields.insert(name.to_owned(), value);
    }
    if args.missed {
        for (name, lines) in ["missed", "beside", "unanswered"]
            .into_iter()
            .zip(missed(set, measured))
        {
            fields.insert(name.to_owned(), json!(lines));
        }
    }
    Value::Object(fields)
}

fn as_text(
    args: &Args,
    set: &Labelled,
    by: &By,
    measured: &Extraction,
    app: &App<'_, '_>,
) -> String {
    let mut table = Table::new(&["measure", ">value"]);
    for (_, name, value) in rows(&measured.marks) {
        table.row(vec![
            name,
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}")),
        ]);
    }
    let marks = &measured.marks;
    let mut text = text!(
        "eval-extraction",
        name = app.paint.bold(&crate::visible::line(&set.name)),
        facts = marks.facts,
        talks = set.talks.len(),
        found = marks.found,
        by = by.name(),
        stored = measured.made.stored.len(),
        decisions = marks.dedup_cases,
        questions = set.questions.len(),
        profile = args.profile,
        embedder = measured.embedder,
        table = table.render(app.paint, app.width())
    );
    if args.missed {
        let headings = [
            text!("eval-missed"),
            text!("eval-beside"),
            text!("eval-unanswered"),
        ];
        for (heading, lines) in headings.into_iter().zip(missed(set, measured)) {
            text.push_str(&format!("{}\n", app.paint.dim(&heading)));
            lines
                .iter()
                .for_each(|line| text.push_str(&format!("  {}\n", crate::visible::line(line))));
        }
    }
    text
}
