//! How much the offline extractor finds in an annotated conversation set, and a sample of it to be judged by hand.
//!
//! `cargo run --release -p annals-extraction --example measure_offline -- SET.json [SAMPLE]`
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::collections::{BTreeMap, HashSet};
use std::error::Error;

use annals_extraction::Zone;
use annals_extraction::offline::claims;
use annals_extraction::time::Said;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("which set?")?;
    let sample = args.next().map_or(Ok(0), |n| n.parse::<usize>())?;
    let set: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let (mut turns, mut found) = (0, Vec::new());
    let (mut evidence, mut covered) = (HashSet::new(), HashSet::new());
    for conversation in list(&set, "conversations") {
        let name = text(conversation, "id");
        for question in list(conversation, "questions") {
            evidence.extend(list(question, "evidence").iter().filter_map(Value::as_str).map(|id| (name, id)));
        }
        for turn in list(conversation, "turns") {
            turns += 1;
            let said = Said::at(text(turn, "time").parse()?, Zone::utc()).looking_ahead();
            for claim in claims(text(turn, "text"), &said) {
                covered.insert((name, text(turn, "id")));
                found.push(claim);
            }
        }
    }
    let mut topics: BTreeMap<&str, u32> = BTreeMap::new();
    found.iter().for_each(|claim| *topics.entry(claim.topic.as_str()).or_default() += 1);
    let held = evidence.intersection(&covered).count();
    println!("{turns} turns, {} claims in {} turns: {topics:?}", found.len(), covered.len());
    println!("{held} of {} turns that answer a question hold a claim", evidence.len());
    // Every so many, so that all conversations are in the sample.
    let step = (found.len() / sample.max(1)).max(1);
    for claim in found.iter().step_by(step).take(sample) {
        println!("{}\t{}", claim.topic.as_str(), claim.text);
    }
    Ok(())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
