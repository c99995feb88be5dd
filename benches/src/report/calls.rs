//! The calls and tokens that a conversation costs under each design.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use annals::blocking::Memory;
use annals::llm::provider::{Provider, ProviderError, Reply, Request};
use annals::llm::window::estimate;
use annals::{Cancel, ManualClock, NewTurn, Options, Role};

use super::Outcome;

/// A minute, in milliseconds.
const MINUTE: i64 = 60_000;

/// Five rounds, each with its answer. In the first and the fourth there is something to remember.
const ROUNDS: [(&str, &[(&str, &str)]); 2] = [
    (
        "en",
        &[
            (
                "I moved to Berlin last week and started a new job at a bakery.",
                "Congratulations on both!",
            ),
            (
                "The weather has been grey all day.",
                "Hopefully it clears up soon.",
            ),
            ("What should I cook tonight?", "How about a vegetable soup?"),
            (
                "I do not eat meat, so soup sounds good.",
                "A vegetable soup it is, then.",
            ),
            ("Thanks, that helps.", "You are welcome."),
        ],
    ),
    (
        "zh",
        &[
            ("我上周搬到了柏林，在一家面包店开始了新工作。", "恭喜恭喜！"),
            ("今天一整天都是阴天。", "希望很快会放晴。"),
            ("今晚我该做什么菜？", "来一锅蔬菜汤怎么样？"),
            ("我不吃肉，喝汤挺好。", "那就蔬菜汤。"),
            ("谢谢，很有帮助。", "不客气。"),
        ],
    ),
];

/// Calls by purpose: how many, tokens of prompts with their schemas, tokens of answers.
type Bill = BTreeMap<String, (u64, usize, usize)>;

/// A model that finds one memory wherever "Berlin" or "meat" is said, and counts what it is sent.
#[derive(Default)]
struct Counting(Mutex<Bill>);

impl Provider for Counting {
    fn name(&self) -> String {
        "counting".to_owned()
    }

    fn chat(&self, request: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        let answer = answer(request);
        let sent: usize = request
            .messages
            .iter()
            .map(|message| estimate(&message.text))
            .sum();
        let schema = request
            .schema
            .as_ref()
            .map_or(0, |schema| estimate(&schema.text));
        let mut bill = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = bill.entry(request.purpose.clone()).or_default();
        *entry = (
            entry.0 + 1,
            entry.1 + sent + schema,
            entry.2 + estimate(&answer),
        );
        drop(bill);
        Ok(Reply::text(answer))
    }
}

/// The answer to a request, in the form that it asks for.
fn answer(request: &Request) -> String {
    let asked = request
        .messages
        .last()
        .map(|message| message.text.as_str())
        .unwrap_or_default();
    // The last round that the conversation shows decides.
    let news = [
        "I moved to Berlin",
        "I do not eat meat",
        "我上周搬到了柏林",
        "我不吃肉",
    ];
    let fact = news.iter().rfind(|news| asked.contains(**news));
    let triple = r#"{"subject": "user", "predicate": "does", "object": "it"}"#;
    match (request.purpose.as_str(), fact) {
        ("extract", None) if request.schema.is_none() => "[SKIP]".to_owned(),
        ("extract", Some(fact)) if request.schema.is_none() => format!("[ADD] {fact}\n{triple}"),
        ("extract", None) => r#"{"memories": []}"#.to_owned(),
        ("extract", Some(fact)) => {
            let kind = request
                .schema
                .as_ref()
                .map_or("", |schema| schema.text.as_str());
            let (field, kind) = match kind {
                text if text.contains("\"FACT\"") => ("type", "FACT"),
                text if text.contains("\"category\"") => ("category", "fact"),
                _ => ("type", "fact"),
            };
            let importance = if field == "category" {
                "\"high\""
            } else {
                "0.8"
            };
            format!(
                r#"{{"memories": [{{"content": "{fact}", "{field}": "{kind}", "importance": {importance}}}]}}"#
            )
        }
        ("triples", _) => format!(r#"{{"triples": [{triple}]}}"#),
        ("episode", _) => {
            r#"{"summary": "A talk.", "goal": "", "outcome": "", "entities": []}"#.to_owned()
        }
        ("review", _) => r#"{"reason": "of use", "verdict": "KEEP"}"#.to_owned(),
        ("same" | "contradicts" | "causality", _) => {
            r#"{"reason": "other things", "verdict": "no"}"#.to_owned()
        }
        _ => "A talk.".to_owned(),
    }
}

/// Five rounds under each design, with the end of the session and the jobs of the next day.
///
/// # Errors
/// When a conversation cannot be stored.
pub fn calls() -> Outcome {
    println!("design     language  calls  prompt tokens  answer tokens  calls by purpose");
    for design in ["companion", "studio", "agent", "graph", "markdown"] {
        for (language, rounds) in ROUNDS {
            let model = Arc::new(Counting::default());
            let clock = ManualClock::new(annals::Timestamp::from_millis(1_767_261_600_000));
            let options = Options::new()
                .clock(Arc::new(clock.clone()))
                .model(Arc::clone(&model) as Arc<dyn Provider>);
            converse(&options.in_memory()?, design, rounds, &clock)?;
            let bill = model.0.lock().unwrap_or_else(PoisonError::into_inner);
            let sum = bill.values().fold((0, 0, 0), |sum, one| {
                (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2)
            });
            let by_purpose: Vec<String> = bill
                .iter()
                .map(|(purpose, one)| format!("{purpose} {}", one.0))
                .collect();
            println!(
                "{design:10} {language:8} {:6} {:14} {:14}  {}",
                sum.0,
                sum.1,
                sum.2,
                if by_purpose.is_empty() {
                    "none".to_owned()
                } else {
                    by_purpose.join(", ")
                }
            );
        }
    }
    Ok(())
}

fn converse(
    memory: &Memory,
    design: &str,
    rounds: &[(&str, &str)],
    clock: &ManualClock,
) -> Outcome {
    let space = memory.create_namespace("user", design)?;
    for (said, reply) in rounds {
        for (role, text) in [(Role::User, said), (Role::Assistant, reply)] {
            let turn = NewTurn::builder("s", *text).role(role).build()?;
            space.sessions().append(vec![turn])?;
            clock.advance_millis(MINUTE);
        }
        space.queue().work_off()?;
    }
    space.session("s").end()?;
    space.queue().work_off()?;
    clock.advance_millis(24 * 60 * MINUTE);
    memory.maintain(false, annals::Mode::Commit)?;
    space.queue().work_off()?;
    Ok(())
}
