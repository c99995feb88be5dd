use std::collections::BTreeMap;
use std::sync::Arc;

use annals::blocking::Memory;
use annals::{Conversation, Explanation, Hit, ManualClock, Query, Question};
use serde::Serialize;

use crate::app::{Access, App};
use crate::conversation::{fill, sample, turn_id};
use crate::explain::{self, View};
use crate::failure::{Exit, Failure, gap};
use crate::range::within;
use crate::texts::text;

/// Arguments of `annals demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals demo
  annals demo --all -k 1
  annals --db demo.annals demo

Nothing is kept: the conversation is imported into memory, unless --db names a file to keep it in.")]
pub(crate) struct Args {
    /// The hits shown for each question
    #[arg(
        long, short = 'k', value_name = "NUMBER", default_value_t = 3,
        value_parser = within::<u32>(1..=20)
    )]
    top_k: u32,
    /// Ask every question of the sample, not only the eight best to look at
    #[arg(long)]
    all: bool,
}

/// Changes of mind, both languages, names, versions and paths.
const SHOWN: [&str; 8] = ["q03", "q17", "q05", "q15", "q01", "q23", "q22", "q06"];

/// Imports the sample and asks questions about it.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let sample = sample()?;
    let conversation = sample
        .conversations
        .first()
        .ok_or_else(|| Failure::new(Exit::Failed, text!("demo-no-conversation")))?;
    // The questions are asked on the evening after the last turn, whatever day it is today.
    let clock = ManualClock::new(conversation.end());
    app.world.clock = Arc::new(clock);
    let memory = if app.keeps {
        app.open(Access::Create)?
    } else {
        app.options()?.in_memory()?
    };
    import(conversation, &memory, app)?;
    let mut answers = Vec::new();
    for question in shown(conversation, args.all) {
        let before = (app.world.stopwatch)();
        let hits = ask(conversation, question, args.top_k, &memory)?;
        let millis = (app.world.stopwatch)().saturating_sub(before).as_secs_f64() * 1000.0;
        if app.json {
            let hits = hits.into_iter().map(HitView::from).collect();
            answers.push(QuestionView {
                question: &question.q,
                evidence: &question.evidence,
                hits,
            });
        } else {
            show(question, &hits, millis, app)?;
        }
    }
    if app.json {
        return app.answer_json(&DemoView { questions: answers });
    }
    app.print(&format!(
        "\n{}{}{}\n  annals remember \"...\"\n  annals recall \"...\" --explain\n",
        app.paint.bold(&text!("demo-was")),
        gap(&text!("demo-was")),
        text!("demo-own")
    ))
}

fn import(
    conversation: &Conversation,
    memory: &Memory,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let turns = fill(memory, conversation)?;
    let (from, until) = (conversation.start().date(), conversation.end().date());
    let head = text!("demo-turns", turns, from, until);
    if app.json {
        Ok(())
    } else {
        app.say(&app.paint.bold(&head))
    }
}

fn shown(conversation: &Conversation, all: bool) -> Vec<&Question> {
    let questions = conversation.questions.iter();
    if all {
        return questions.collect();
    }
    SHOWN
        .iter()
        .filter_map(|id| questions.clone().find(|question| question.id == *id))
        .collect()
}

fn ask(
    conversation: &Conversation,
    question: &Question,
    top_k: u32,
    memory: &Memory,
) -> Result<Vec<Hit>, Failure> {
    let query = Query::new(question.q.as_str())
        .top_k(top_k)
        .asked_at(conversation.asked_at(question));
    Ok(memory.namespace(&conversation.id)?.recall(query)?)
}

fn show(
    question: &Question,
    hits: &[Hit],
    millis: f64,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let floors = BTreeMap::new();
    let newer = hits
        .iter()
        .map(|hit| (hit.id, explain::beginning(&hit.text)))
        .collect();
    let view = View {
        paint: app.paint,
        width: app.width(),
        explained: 1,
        namespaces: false,
        floors: &floors,
        newer: &newer,
    };
    let took = app.paint.dim(&format!("({millis:.1} ms)"));
    app.say(&format!(
        "\n{} {took}",
        app.paint.bold(&format!("? {}", question.q))
    ))?;
    app.print(&explain::hits(hits, view))
}

#[derive(Serialize)]
struct DemoView<'a> {
    questions: Vec<QuestionView<'a>>,
}

/// A question and its hits in JSON.
#[derive(Serialize)]
struct QuestionView<'a> {
    question: &'a str,
    evidence: &'a [String],
    hits: Vec<HitView>,
}

#[derive(Serialize)]
struct HitView {
    turn: String,
    score: f32,
    text: String,
    explanation: Explanation,
}

impl From<Hit> for HitView {
    fn from(hit: Hit) -> Self {
        Self {
            turn: turn_id(hit.id, &hit.memory),
            score: hit.score,
            text: hit.text,
            explanation: hit.explanation,
        }
    }
}
