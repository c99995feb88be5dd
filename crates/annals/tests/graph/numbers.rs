//! Every number of the profile `graph` beside the list of what its design says, and the settings
//! file of that design.

use std::collections::BTreeMap;

use annals::blocking::Memory;
use annals::profile::{ConflictStrategy, DedupMoment, DedupUnit, JobStep, RecallMode, Signal};
use annals::profiles;
use toml::Value;

/// The numbers of the policy groups: group, key, number.
const NUMBERS: [(&str, &str, f64); 64] = [
    ("score", "score.min", 0.0),
    ("score", "score.max", 1.0),
    ("score", "score.fallback", 0.5),
    ("decay", "decay.access_bonus", 1.0),
    ("decay", "decay.classes.事件.lambda", 0.05),
    ("decay", "decay.classes.事实.lambda", 0.01),
    ("decay", "decay.classes.关系.lambda", 0.005),
    ("decay", "decay.classes.观点.lambda", 0.03),
    ("rules", "rules.archive.value", 0.1),
    ("rules", "rules.archive.for_days", 30.0),
    ("rules", "rules.archive.score_below", 0.8),
    ("recall", "recall.top_k", 10.0),
    ("recall", "recall.text_candidates", 50.0),
    ("recall", "recall.vector_candidates", 50.0),
    ("recall", "recall.node_candidates", 50.0),
    ("recall", "recall.neighbour_seeds", 0.0),
    ("recall", "recall.window_weight", 0.0),
    ("recall", "recall.importance_full", 1.0),
    ("recall", "recall.use_full_count", 100.0),
    ("recall", "recall.weights.dense", 0.4),
    ("recall", "recall.weights.graph", 0.2),
    ("recall", "recall.weights.importance", 0.2),
    ("recall", "recall.weights.recency", 0.2),
    ("recall", "recall.weights.usage", 0.0),
    ("recall", "recall.weights.text", 0.0),
    ("recall", "recall.weights.window", 0.0),
    ("recall", "recall.weights.context", 0.0),
    ("recall", "recall.weights.speaker", 0.0),
    ("recall", "recall.weights.time", 0.0),
    ("recall", "recall.weights.asks_time", 0.0),
    ("recall", "recall.weights.validity", 0.0),
    ("recall", "inject.min_answered", 0.0),
    ("recall", "inject.near_best", 0.0),
    ("recall", "recall.expand.depth", 1.0),
    ("recall", "recall.expand.seeds", 10.0),
    ("recall", "recall.expand.direct", 1.0),
    ("recall", "recall.expand.min_similarity", 0.7),
    ("recall", "recall.expand.enough", 0.0),
    ("recall", "recall.expand.enough_score", 0.5),
    ("recall", "graph.expand.max_depth", 2.0),
    ("recall", "graph.expand.max_degree", 100.0),
    ("recall", "graph.resolve.min_score", 0.6),
    ("recall", "graph.resolve.margin", 0.05),
    ("recall", "graph.resolve.candidates", 3.0),
    ("dedup", "graph.merge.direct_above", 0.95),
    ("dedup", "graph.merge.context_above", 0.85),
    ("dedup", "graph.merge.context_similarity", 0.6),
    ("dedup", "graph.merge.candidates", 5.0),
    ("dedup", "graph.merge.embed_batch", 50.0),
    ("dedup", "graph.merge.adaptive_error", 0.1),
    ("dedup", "graph.merge.adaptive_least", 0.8),
    ("dedup", "graph.merge.adaptive_most", 0.97),
    ("dedup", "graph.merge.adaptive_days", 7.0),
    ("score", "graph.discovery.cause_weight", 0.5),
    ("score", "graph.discovery.shared_weight", 0.4),
    ("conflict", "conflict.rank_penalty", 0.5),
    ("queue", "queue.attempts", 0.0),
    ("queue", "queue.backoff_minutes.0", 10.0),
    ("jobs", "jobs.consolidation.interval_hours", 6.0),
    ("jobs", "jobs.consolidation.retry_seconds.0", 600.0),
    ("jobs", "jobs.consolidation.batch", 100.0),
    ("jobs", "jobs.consolidation.max_batches", 10.0),
    ("jobs", "jobs.daily.interval_hours", 24.0),
    ("jobs", "jobs.daily.retry_seconds.0", 600.0),
];

/// Numbers of the discovery of relations and of merges by names alone, which the groups leave to
/// the consolidator.
const DISCOVERY: [(&str, f64); 4] = [
    ("graph.merge.blind_above", 0.9999),
    ("graph.discovery.within_seconds", 3600.0),
    ("graph.discovery.min_similarity", 0.3),
    ("graph.discovery.cause_confidence", 0.7),
];

/// Every number below a value; a list element is called by its name, or its place.
fn numbers(value: &Value, path: &str, found: &mut BTreeMap<String, f64>) {
    let below = |part: &str| {
        if path.is_empty() {
            part.to_owned()
        } else {
            format!("{path}.{part}")
        }
    };
    match value {
        Value::Integer(number) => drop(found.insert(path.to_owned(), *number as f64)),
        Value::Float(number) => drop(found.insert(path.to_owned(), *number)),
        Value::Table(table) => table
            .iter()
            .for_each(|(key, value)| numbers(value, &below(key), found)),
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                let name = value
                    .get("name")
                    .or_else(|| value.get("id"))
                    .and_then(Value::as_str);
                numbers(
                    value,
                    &below(&name.map_or_else(|| place.to_string(), str::to_owned)),
                    found,
                );
            }
        }
        _ => {}
    }
}

#[test]
fn every_number_is_the_one_of_the_design() {
    let text = profiles::builtin("graph").unwrap();
    let mut found = BTreeMap::new();
    numbers(&Value::Table(toml::from_str(text).unwrap()), "", &mut found);
    let expected = NUMBERS
        .iter()
        .map(|(_, key, number)| (*key, *number))
        .chain(DISCOVERY);
    let expected: BTreeMap<String, f64> = expected
        .map(|(key, number)| (key.to_owned(), number))
        .collect();
    assert_eq!(found, expected);
    // The groups without a number: words alone.
    let profile = profiles::parse(text).unwrap();
    let kinds: Vec<&str> = profile
        .taxonomy
        .kinds
        .iter()
        .map(|kind| kind.id.as_str())
        .collect();
    assert_eq!(kinds, ["事件", "事实", "关系", "观点"]);
    assert_eq!(profile.reinforce.signal, Signal::Returned);
    assert_eq!(
        (profile.dedup.unit, profile.dedup.when),
        (DedupUnit::Node, DedupMoment::Consolidation)
    );
    assert_eq!(profile.conflict.strategy, ConflictStrategy::Mark);
    assert_eq!(
        (profile.recall.expand.mode, profile.inject.parts.len()),
        (RecallMode::Auto, 0)
    );
    assert_eq!(
        (profile.extract.triggers.len(), profile.mirrors.files.len()),
        (0, 0)
    );
}

const SETTINGS: &str = r#"
[consolidation]
interval_hours = 12
batch_size = 40
enable_auto_discovery = false
enable_conflict_detection = false

[retrieval]
default_mode = "deep"
max_expand_depth = 1
vector_weight = 0.5
graph_distance_weight = 0.3
importance_weight = 0.1
recency_weight = 0.1

[node_merger]
similarity_threshold = 0.9
context_match_required = false
merge_batch_size = 7
"#;

#[test]
fn the_settings_file_of_the_design_sets_thirteen_values() {
    let read = |text: &str| profiles::parse(text).unwrap();
    let profile = read(SETTINGS);
    let job = profile
        .jobs
        .iter()
        .find(|job| job.steps.contains(&JobStep::Consolidate))
        .unwrap();
    assert_eq!((job.interval_hours, job.batch), (Some(12.0), 40));
    assert_eq!(
        (profile.graph.discovery.enabled, profile.conflict.strategy),
        (false, ConflictStrategy::None)
    );
    assert_eq!(
        (profile.recall.expand.mode, profile.graph.expand.max_depth),
        (RecallMode::Deep, 1)
    );
    let weights = &profile.recall.weights;
    assert_eq!(
        (
            weights.dense,
            weights.graph,
            weights.importance,
            weights.recency
        ),
        (0.5, 0.3, 0.1, 0.1)
    );
    let merge = &profile.graph.merge;
    assert_eq!(
        (
            merge.context_above,
            merge.context_required,
            merge.embed_batch
        ),
        (0.9, false, 7)
    );

    let memory = Memory::options().in_memory().unwrap();
    let text = format!("{SETTINGS}max_tokens = 5\n\n[retrieving]\nmode = \"auto\"\n");
    let warnings = memory.profiles().store("mine", &text).unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("node_merger.max_tokens") && warnings[1].contains("retrieving.mode"),
        "{warnings:?}"
    );
    assert_eq!(memory.profiles().text("mine").unwrap(), text);
    memory.create_namespace("u", "mine").unwrap();
    let wrong = |from: &str, to: &str| {
        profiles::parse(&SETTINGS.replacen(from, to, 1))
            .unwrap_err()
            .to_string()
    };
    for (from, to, line, part) in [
        ("\"deep\"", "\"slow\"", 9, "fast, deep, auto"),
        ("= 40", "= -1", 4, "whole number"),
        ("= false\nenable", "= 0\nenable", 5, "true or false"),
    ] {
        let message = wrong(from, to);
        assert!(
            message.starts_with(&format!("line {line}: ")) && message.contains(part),
            "{message}"
        );
    }
    assert!(wrong("0.3", "0.9").contains("sum to"));
}

/// The file as the design prints it, comments aside.
const PRINTED: &str = r#"
[consolidation]
interval_hours = 6              # hours
batch_size = 100
enable_auto_discovery = true
enable_conflict_detection = true

[retrieval]
default_mode = "auto"           # auto/fast/deep
max_expand_depth = 2
vector_weight = 0.4
graph_distance_weight = 0.2
importance_weight = 0.2
recency_weight = 0.2

[node_merger]
similarity_threshold = 0.85
context_match_required = true
merge_batch_size = 50
"#;

#[test]
fn the_printed_settings_are_those_of_the_profile() {
    // spec: G-142
    assert_eq!(
        profiles::parse(PRINTED).unwrap(),
        profiles::parse(profiles::builtin("graph").unwrap()).unwrap()
    );
    let memory = Memory::options().in_memory().unwrap();
    assert_eq!(memory.profiles().store("mine", PRINTED).unwrap(), [""; 0]);
    // Each of the thirteen is read, not merely the default: changed, it changes the profile.
    let mut changed = 0;
    for line in PRINTED.lines().filter(|line| line.contains('=')) {
        let (key, value) = line.split_once('=').unwrap();
        let other = match value.split('#').next().unwrap().trim() {
            "true" => "false",
            "\"auto\"" => "\"deep\"",
            "0.85" => "0.9",
            "0.4" | "0.2" => continue,
            _ => "1",
        };
        let text = PRINTED.replacen(line, &format!("{key}= {other}"), 1);
        assert_ne!(
            profiles::parse(&text).unwrap(),
            profiles::parse(PRINTED).unwrap(),
            "{key}"
        );
        changed += 1;
    }
    let weights = PRINTED
        .replace("vector_weight = 0.4", "vector_weight = 0.1")
        .replace("= 0.2", "= 0.3");
    let weights = profiles::parse(&weights).unwrap().recall.weights;
    assert_eq!(
        (
            weights.dense,
            weights.graph,
            weights.importance,
            weights.recency
        ),
        (0.1, 0.3, 0.3, 0.3)
    );
    assert_eq!(changed + 4, 13);
    let odd = memory
        .profiles()
        .store(
            "mine",
            &PRINTED.replace("batch_size = 100", "batch_sise = 100"),
        )
        .unwrap();
    assert_eq!(odd.len(), 1);
    assert!(odd[0].contains("consolidation.batch_sise"), "{odd:?}");
}
