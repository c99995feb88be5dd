//! Which language model is meant, and where its key is read from.

use serde_json::{Value, json};

use super::{Finding, State};
use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::llm::{Choice, KeyFrom, Named, Table};
use crate::texts::text;

const NAME: &str = "model";

/// The language model, and another one that extracts memories from conversations. The server is
/// asked which models it offers, no model anything.
pub(super) fn finding(app: &App<'_, '_>) -> Finding {
    told(app).unwrap_or_else(|failure| Finding {
        name: NAME,
        state: State::Ill(failure.exit),
        says: failure.message,
        advice: failure.advice,
        facts: Value::Null,
    })
}

fn told(app: &App<'_, '_>) -> Result<Finding, Failure> {
    let (model, reader) = (app.model()?, app.reader()?);
    let (mut says, mut worst) = (Vec::new(), Server::Well);
    for (named, before) in [(&model, ""), (&reader, &text!("doctor-reader"))] {
        let Some(named) = named
            .as_ref()
            .filter(|named| before.is_empty() || model.as_ref() != Some(*named))
        else {
            continue;
        };
        // Wrong settings and unreadable keys are reported now, not in the middle of a conversation.
        named.choice.open(app.world)?;
        says.push(format!("{before}{}", described(named, app)));
        let answered = Server::asked(&named.choice, app);
        says.extend(answered.says());
        worst = worst.max(answered);
    }
    let advice = &text!("doctor-model-advice");
    let (state, advice) = match says.is_empty() {
        true => (State::Open, Some(advice.to_owned())),
        false => worst.judged(),
    };
    if says.is_empty() {
        says.push(text!("doctor-model-none").to_owned());
    }
    let [model, reader] = [model, reader].map(|named| named.map(|named| facts(&named, app)));
    let facts = json!({ "model": model, "reader": reader });
    Ok(Finding {
        name: NAME,
        state,
        says: says.join("\n"),
        advice,
        facts,
    })
}

/// The outcome of asking a server for its models, from good to bad.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Server {
    /// It offers the model, or there is no server.
    Well,
    /// It answers, and does not say what it offers.
    Silent(String),
    /// It offers others.
    Without(String),
    /// It cannot be reached, or refuses.
    Away(String),
}

impl Server {
    fn asked(choice: &Choice, app: &App<'_, '_>) -> Self {
        let Choice::Asked(table) = choice else {
            return Self::Well;
        };
        match table.models(app.world) {
            Ok(Some(offered)) if offered.contains(&table.model) => Self::Well,
            Ok(Some(offered)) => Self::Without(text!(
                "doctor-model-not-listed",
                model = table.model,
                offered = listed(&offered)
            )),
            Ok(None) => Self::Silent(text!("doctor-model-no-list", address = table.address())),
            Err(failure) => Self::Away(failure.message),
        }
    }

    fn says(&self) -> Option<String> {
        match self {
            Self::Well => None,
            Self::Silent(says) | Self::Without(says) | Self::Away(says) => Some(says.clone()),
        }
    }

    fn judged(&self) -> (State, Option<String>) {
        match self {
            Self::Well => (State::Well, None),
            Self::Silent(_) => (State::Open, Some(text!("doctor-model-address"))),
            Self::Without(_) => (State::Open, Some(text!("doctor-model-name"))),
            Self::Away(_) => (State::Ill(Exit::Embedder), None),
        }
    }
}

/// Some models that a server offers.
fn listed(offered: &[String]) -> String {
    const SHOWN: usize = 5;
    let names: Vec<&str> = offered.iter().take(SHOWN).map(String::as_str).collect();
    match names.is_empty() {
        true => text!("doctor-model-none-listed"),
        false if offered.len() > SHOWN => {
            text!(
                "doctor-model-lists-some",
                count = offered.len(),
                names = names.join(", ")
            )
        }
        false => text!("doctor-model-lists", names = names.join(", ")),
    }
}

fn described(named: &Named, app: &App<'_, '_>) -> String {
    let what = match &named.choice {
        Choice::Replay(file) => text!("doctor-transcript", file = file.display()),
        Choice::Asked(table) => asked(table, app),
    };
    text!("doctor-by", what, by = named.by)
}

fn asked(table: &Table, app: &App<'_, '_>) -> String {
    let key = match table.key_from(app.world) {
        KeyFrom::Nowhere => text!("doctor-no-key"),
        KeyFrom::Variable(variable) => text!("doctor-key-variable", variable),
        KeyFrom::File(file) => text!("doctor-key-file", file = file.display()),
    };
    let mut text = text!(
        "doctor-model",
        model = table.model,
        address = table.address(),
        protocol = table.protocol.as_str(),
        key
    );
    if let Some(calls) = table.calls_per_minute {
        text.push_str(&text!("doctor-calls", calls));
    }
    if let Some(tokens) = table.tokens_per_minute {
        text.push_str(&text!("doctor-tokens", tokens));
    }
    if table.price_input > 0.0 || table.price_output > 0.0 {
        text.push_str(&text!(
            "doctor-price",
            price_input = table.price_input,
            price_output = table.price_output
        ));
    }
    text
}

fn facts(named: &Named, app: &App<'_, '_>) -> Value {
    let what = match &named.choice {
        Choice::Replay(file) => json!({ "transcript": file }),
        Choice::Asked(table) => {
            let key = match table.key_from(app.world) {
                KeyFrom::Nowhere => Value::Null,
                KeyFrom::Variable(variable) => json!({ "variable": variable }),
                KeyFrom::File(file) => json!({ "file": file }),
            };
            json!({
                "model": table.model, "address": table.address(), "protocol": table.protocol,
                "key": key,
                "timeout_seconds": table.timeout_seconds, "attempts": table.attempts,
                "calls_per_minute": table.calls_per_minute,
                "tokens_per_minute": table.tokens_per_minute,
                "price_input": table.price_input, "price_output": table.price_output,
            })
        }
    };
    json!({ "by": named.by, "is": what })
}
