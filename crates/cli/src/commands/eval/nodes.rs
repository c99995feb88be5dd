use std::path::{Path, PathBuf};

use serde_json::json;

use crate::app::App;
use crate::eval::{Pairs, Verdicts, judge};
use crate::failure::Failure;
use crate::source;
use crate::table::Table;
use crate::texts::text;

/// The pairs that come along.
const OWN: &str = include_str!("../../../data/eval/nodes.json");

/// Arguments of `annals eval nodes`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals eval nodes
  annals eval nodes --embedder ./all-MiniLM-L6-v2 --wrong
  annals eval nodes pairs.json --json

The file holds {\"name\", \"pairs\": [{\"one\", \"other\", \"same\": true or false, \"kind\",
\"around\": [[names], [names]]}]}: two entities, whether they are one, and what each is
spoken of with. Each pair is asked about alone.")]
pub(super) struct Args {
    /// The labelled pairs [default: those that come along]
    pairs: Option<PathBuf>,
    /// The profile whose thresholds count
    #[arg(long, default_value = "graph")]
    profile: String,
    /// List the pairs that were judged wrongly
    #[arg(long)]
    wrong: bool,
}

/// Measures and prints.
pub(super) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let set = match &args.pairs {
        Some(path) => parsed(&source::all(path, app.world)?, path)?,
        None => parsed(OWN.as_bytes(), Path::new(&text!("eval-own-pairs")))?,
    };
    let verdicts = judge(&set, &args.profile, app)?;
    if app.json {
        let wrong = verdicts
            .wrong
            .iter()
            .map(|(pair, similarity)| json!({ "pair": pair, "similarity": similarity }));
        let wrong: Vec<_> = if args.wrong {
            wrong.collect()
        } else {
            Vec::new()
        };
        return app.answer_json(&json!({
            "dataset": set.name, "pairs": verdicts.pairs, "accuracy": verdicts.accuracy,
            "precision": verdicts.precision, "recall": verdicts.recall, "profile": args.profile,
            "embedder": verdicts.embedder, "wrong": wrong,
        }));
    }
    let text = as_text(args, &set, &verdicts, app);
    app.print(&text)
}

fn parsed(bytes: &[u8], path: &Path) -> Result<Pairs, Failure> {
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::invalid(text!("eval-unusable", path = path.display(), error))
            .advice(text!("eval-nodes-form"))
            .at(path, u64::try_from(error.line()).ok())
    })
}

fn as_text(args: &Args, set: &Pairs, verdicts: &Verdicts, app: &App<'_, '_>) -> String {
    let mut table = Table::new(&["measure", ">value"]);
    let shown =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    for (name, value) in [
        (text!("eval-accuracy"), Some(verdicts.accuracy)),
        (text!("eval-precision-one"), verdicts.precision),
        (text!("eval-recall-one"), verdicts.recall),
    ] {
        table.row(vec![name.to_owned(), shown(value)]);
    }
    let name = app.paint.bold(&crate::visible::line(&set.name));
    let head = text!(
        "eval-pairs",
        name,
        pairs = verdicts.pairs,
        profile = args.profile,
        embedder = verdicts.embedder
    );
    let mut text = format!("{head}\n{}", table.render(app.paint, app.width()));
    if args.wrong {
        for (pair, similarity) in &verdicts.wrong {
            let names = format!("{} | {}", pair.one, pair.other);
            let said = similarity.map_or_else(
                || text!("eval-said-two"),
                |s| text!("eval-said-one", similarity = format!("{s:.3}")),
            );
            text.push_str(&format!("  {}: {said}\n", crate::visible::line(&names)));
        }
    }
    text
}
