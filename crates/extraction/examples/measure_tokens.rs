//! How far the estimate of tokens is from a tokenizer: on the turns of evaluation sets, and on any
//! other file as one text.
//!
//! ```text
//! cargo run -p annals-extraction --features tokenizer --example measure_tokens -- TOKENIZER.json FILE...
//! ```

#![allow(clippy::print_stdout, reason = "a report")]

use std::error::Error;

use annals_extraction::window::{Tokenizer, estimate};
use serde_json::Value;

/// Tokens of the windows whose worst share is told, the budget of known memories.
const WINDOW: usize = 3000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let tokenizer = Tokenizer::open(args.next().ok_or("name a tokenizer.json and files")?)?;
    println!(
        "{:<32} {:>8} {:>9} {:>9} {:>6} {:>7} {:>13}",
        "file", "texts", "tokens", "estimate", "share", "too few", "worst window"
    );
    for path in args {
        let file = std::fs::read_to_string(&path)?;
        let texts = texts(&file);
        let counts: Vec<(usize, usize)> = texts
            .iter()
            .map(|text| (tokenizer.count(text), estimate(text)))
            .collect();
        let tokens: usize = counts.iter().map(|(tokens, _)| tokens).sum();
        let estimated: usize = counts.iter().map(|(_, estimated)| estimated).sum();
        let few = counts
            .iter()
            .filter(|(tokens, estimated)| estimated < tokens)
            .count();
        println!(
            "{:<32} {:>8} {tokens:>9} {estimated:>9} {:>6.2} {:>6.1}% {:>13.2}",
            path.rsplit('/').next().unwrap_or(&path),
            texts.len(),
            share(estimated, tokens),
            100.0 * share(few, texts.len()),
            worst(&counts)
        );
    }
    Ok(())
}

/// The turns and replies of an evaluation set; any other file is one text.
fn texts(file: &str) -> Vec<String> {
    let set: Option<Value> = serde_json::from_str(file).ok();
    let conversations = set
        .as_ref()
        .and_then(|set| set.get("conversations")?.as_array());
    let Some(conversations) = conversations else {
        return vec![file.to_owned()];
    };
    let turns = conversations
        .iter()
        .filter_map(|conversation| conversation.get("turns")?.as_array())
        .flatten();
    let texts = turns
        .flat_map(|turn| [turn.get("text"), turn.get("reply")])
        .flatten()
        .filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// The least share of estimate and tokens in any window that the estimate calls full.
fn worst(counts: &[(usize, usize)]) -> f64 {
    let (mut worst, mut tokens, mut estimated) = (f64::INFINITY, 0, 0);
    for (more, guessed) in counts {
        (tokens, estimated) = (tokens + more, estimated + guessed);
        if estimated >= WINDOW {
            worst = worst.min(share(estimated, tokens));
            (tokens, estimated) = (0, 0);
        }
    }
    worst
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole.max(1))
}
