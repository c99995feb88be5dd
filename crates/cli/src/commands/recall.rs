use annals::{Hit, MemoryId, Query, Timestamp, UnitScore, WhyNot};
use serde_json::{Value, json};

use crate::app::{Access, App};
use crate::explain::{self, View};
use crate::failure::Failure;
use crate::selection::Selection;

/// What `annals recall` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals recall \"where do I live now?\"
  annals recall \"what did we decide?\" --context \"About the database.\" --since 2026-01-01
  annals recall \"which editor?\" --explain --why-not 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals recall \"birthday\" -n user:42 -n team --top-k 3 --json")]
pub(crate) struct Args {
    /// The question, or the message that is to be answered
    question: String,
    /// The most hits [default: 10]
    #[arg(long, short = 'k', value_name = "NUMBER")]
    top_k: Option<u32>,
    /// The least score of a hit, 0 to 1 [default: 0]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    min_score: Option<f32>,
    /// How much likeness to better hits counts against a hit, 0 to 1 [default: 0]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    diversity: Option<f32>,
    /// A message before the question, oldest first; may be given several times
    #[arg(long, value_name = "TEXT")]
    context: Vec<String>,
    /// Answer from what was stored at this time
    #[arg(long, value_name = "TIME")]
    as_of: Option<Timestamp>,
    /// The moment of the question, from which "yesterday" counts [default: now]
    #[arg(long, value_name = "TIME")]
    asked_at: Option<Timestamp>,
    /// Say where each score comes from
    #[arg(long)]
    explain: bool,
    /// Say why this memory is not among the hits
    #[arg(long, value_name = "ID")]
    why_not: Option<MemoryId>,
    #[command(flatten)]
    selection: Selection,
}

/// Asks one namespace or several.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let query = query(args)?;
    let memory = app.open(Access::Existing)?;
    let names: Vec<&str> = app.settings.namespaces.iter().map(String::as_str).collect();
    let several = names.len() > 1;
    let (hits, why_not) = if several {
        if args.why_not.is_some() {
            return Err(Failure::usage("--why-not works on one namespace; give --namespace once"));
        }
        (memory.recall_across(&names, query)?, None)
    } else {
        let answer = memory.namespace(app.namespace_name()?)?.answer(query)?;
        (answer.hits, answer.why_not)
    };
    if app.json {
        return app.answer_json(&as_json(&hits, why_not.as_ref(), args.explain));
    }
    let view = View { paint: app.paint, width: app.width(), explain: args.explain, namespaces: several };
    if hits.is_empty() {
        app.note("no memory answers that; `annals list` shows what there is")?;
    }
    app.print(&explain::hits(&hits, view))?;
    match why_not {
        Some(reason) => app.print(&explain::why_not(&reason, app.paint)),
        None => Ok(()),
    }
}

fn query(args: &Args) -> Result<Query, Failure> {
    let unit = |field, value: Option<f32>| value.map(|value| UnitScore::new(field, value)).transpose();
    let query = Query {
        context: args.context.clone(),
        filter: args.selection.filter()?,
        top_k: args.top_k,
        min_score: unit("min-score", args.min_score)?,
        diversity: unit("diversity", args.diversity)?,
        as_of: args.as_of,
        asked_at: args.asked_at,
        why_not: args.why_not,
        ..Query::new(args.question.as_str())
    };
    query.check()?;
    Ok(query)
}

fn as_json(hits: &[Hit], why_not: Option<&WhyNot>, explain: bool) -> Value {
    let hits: Vec<Value> = hits
        .iter()
        .map(|hit| {
            let mut shown = json!({
                "namespace": hit.namespace, "id": hit.id, "score": hit.score, "text": hit.text, "memory": hit.memory,
            });
            if let (true, Value::Object(fields)) = (explain, &mut shown) {
                fields.insert("explanation".to_owned(), json!(hit.explanation));
            }
            shown
        })
        .collect();
    match why_not {
        Some(reason) => json!({ "hits": hits, "why_not": reason }),
        None => json!({ "hits": hits }),
    }
}
