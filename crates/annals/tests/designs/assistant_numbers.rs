//! Every number of the agent's and the markdown profile, in the eighteen groups of policy data,
//! beside the number of their designs.

use std::collections::BTreeMap;

/// Every number of a profile under its path; members of lists are named by what names them.
fn numbers(profile: &str) -> BTreeMap<String, f64> {
    let text = annals::profiles::builtin(profile).unwrap();
    let mut found = BTreeMap::new();
    walk("", &toml::Value::Table(text.parse().unwrap()), &mut found);
    found
}

fn walk(path: &str, value: &toml::Value, found: &mut BTreeMap<String, f64>) {
    match value {
        toml::Value::Integer(number) => drop(found.insert(path.to_owned(), *number as f64)),
        toml::Value::Float(number) => drop(found.insert(path.to_owned(), *number)),
        toml::Value::Table(table) => {
            for (key, value) in table {
                let dot = if path.is_empty() { "" } else { "." };
                walk(&format!("{path}{dot}{key}"), value, found);
            }
        }
        toml::Value::Array(members) => {
            for (at, member) in members.iter().enumerate() {
                let name = ["id", "name", "path", "kind"]
                    .iter()
                    .find_map(|key| member.get(key)?.as_str());
                let name = name.map_or_else(|| at.to_string(), str::to_owned);
                walk(&format!("{path}[{name}]"), member, found);
            }
        }
        _ => {}
    }
}

#[track_caller]
fn compare(profile: &str, groups: &[(&str, &[(&str, f64)])]) {
    let wanted: BTreeMap<String, f64> = groups
        .iter()
        .flat_map(|(_, numbers)| *numbers)
        .map(|(path, number)| ((*path).to_owned(), *number))
        .collect();
    let found = numbers(profile);
    let paths = |map: &BTreeMap<String, f64>| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        paths(&found),
        paths(&wanted),
        "a number of {profile} is compared with nothing, or is not there"
    );
    for (path, number) in &wanted {
        assert!(
            (found[path] - number).abs() < 1e-6,
            "{profile}: {path} is {}, not {number}",
            found[path]
        );
    }
}

#[test]
fn every_number_of_the_agent_is_that_of_its_design() {
    compare(
        "agent",
        &[
            (
                "2 classes: 1, 3 and 30 days; 7d, 24h and session",
                &[
                    ("taxonomy.classes[TRANSIENT].ttl_days", 1.0),
                    ("taxonomy.classes[SHORT_TERM].ttl_days", 3.0),
                    ("taxonomy.classes[LONG_TERM].ttl_days", 30.0),
                    ("taxonomy.durations[7d].days", 7.0),
                    ("taxonomy.durations[24h].days", 1.0),
                    ("taxonomy.durations[session].days", 1.0),
                ],
            ),
            (
                "3 score: 0 to 1, else 0.5",
                &[
                    ("score.min", 0.0),
                    ("score.max", 1.0),
                    ("score.fallback", 0.5),
                ],
            ),
            (
                "4 decay: a day",
                &[
                    ("decay.classes.TRANSIENT.lambda", 0.20),
                    ("decay.classes.SHORT_TERM.lambda", 0.10),
                    ("decay.classes.LONG_TERM.lambda", 0.02),
                ],
            ),
            (
                "5 rules: below 0.3 to TRANSIENT, SHORT_TERM deleted; below 0.1 deleted",
                &[
                    ("rules[delete].value", 0.1),
                    ("rules[delete-short-term].value", 0.3),
                    ("rules[demote].value", 0.3),
                    ("rules[demote].ttl_days", 1.0),
                ],
            ),
            (
                "8 extract: one turn, 30 characters, five a session",
                &[
                    ("extract.window_messages", 2.0),
                    ("extract.max_tokens", 8000.0),
                    ("extract.min_chars", 30.0),
                    ("extract.max_per_session", 5.0),
                    ("extract.confidence", 0.8),
                ],
            ),
            (
                "9 queue: five attempts",
                &[
                    ("queue.attempts", 5.0),
                    ("queue.backoff_minutes[0]", 1.0),
                    ("queue.backoff_minutes[1]", 5.0),
                    ("queue.backoff_minutes[2]", 30.0),
                    ("queue.backoff_minutes[3]", 120.0),
                    ("queue.backoff_minutes[4]", 720.0),
                ],
            ),
            ("10 dedup", &[("dedup.sure_above", 0.92)]),
            (
                "12 recall: 30 of each channel, 0.45 / 0.25 / 0.15 / 0.10 / 0.05, exp(-days / 30), ten",
                &[
                    ("recall.top_k", 10.0),
                    ("recall.text_candidates", 30.0),
                    ("recall.vector_candidates", 30.0),
                    ("recall.neighbour_seeds", 0.0),
                    ("recall.window_weight", 0.0),
                    ("recall.importance_full", 1.0),
                    (
                        "recall.recency_half_life_days",
                        30.0 * std::f64::consts::LN_2,
                    ),
                    ("recall.weights.dense", 0.45),
                    ("recall.weights.text", 0.25),
                    ("recall.weights.importance", 0.15),
                    ("recall.weights.recency", 0.10),
                    ("recall.weights.confidence", 0.05),
                    ("recall.weights.graph", 0.0),
                    ("recall.weights.window", 0.0),
                    ("recall.weights.context", 0.0),
                    ("recall.weights.speaker", 0.0),
                    ("recall.weights.time", 0.0),
                    ("recall.weights.asks_time", 0.0),
                    ("recall.weights.usage", 0.0),
                    ("recall.weights.validity", 0.0),
                    ("recall.expand.candidates", 30.0),
                    ("recall.expand.seeds", 0.0),
                ],
            ),
            (
                "13 inject",
                &[
                    ("inject.max_tokens", 1500.0),
                    ("inject.parts[core].max_chars", 4000.0),
                    ("inject.min_answered", 0.0),
                    ("inject.near_best", 0.0),
                ],
            ),
            (
                "14 window: 40, of which 10 stay",
                &[("window.messages", 40.0), ("window.keep", 10.0)],
            ),
            (
                "16 mirrors",
                &[
                    ("mirrors.files[identity/MEMORY.md].max_chars", 4000.0),
                    ("mirrors.files[identity/USER.md].max_chars", 4000.0),
                ],
            ),
            (
                "17 jobs: ten minutes after a failure",
                &[("jobs[nightly].retry_seconds[0]", 600.0)],
            ),
            (
                "beside the groups, the scratchpad: five, 0.6 or 0.3",
                &[
                    ("scratchpad.keep", 5.0),
                    ("scratchpad.same_cosine", 0.6),
                    ("scratchpad.same_words", 0.3),
                ],
            ),
        ],
    );
    // Words of groups 1, 2, 6, 11, 14, 15 and 17 that say as much as numbers.
    let text = annals::profiles::builtin("agent").unwrap();
    for word in [
        "default_kind = \"FACT\"",
        "unknown_kind = \"reject\"",
        "signal = \"returned\"",
        "form = \"count_only\"",
        "when = \"daily\"",
        "strategy = \"update_in_place\"",
        "overflow = \"condense\"",
        "trigger = \"session_end\"",
        "daily_at = \"03:00\"",
        "{ id = \"PERMANENT\", exempt = true, undeletable = true }",
    ] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn every_number_of_markdown_is_that_of_its_design() {
    let kinds = [
        "preference",
        "fact",
        "experience",
        "workflow",
        "decision",
        "skill_usage",
        "todo",
    ];
    let decay: Vec<(String, f64)> = kinds
        .iter()
        .flat_map(|kind| {
            [
                (format!("decay.classes.{kind}.factor"), 0.99),
                (format!("decay.classes.{kind}.grace_days"), 7.0),
            ]
        })
        .collect();
    let decay: Vec<(&str, f64)> = decay
        .iter()
        .map(|(path, number)| (path.as_str(), *number))
        .collect();
    compare(
        "markdown",
        &[
            (
                "3 score: 0 to 1; high, medium, low",
                &[
                    ("score.min", 0.0),
                    ("score.max", 1.0),
                    ("score.by_level.high", 0.8),
                    ("score.by_level.medium", 0.6),
                    ("score.by_level.low", 0.4),
                    ("score.fallback", 0.6),
                ],
            ),
            ("4 decay: 0.99 a day after seven", &decay),
            (
                "5 rules: below 0.2 archived, below 0.05 deleted, back from 0.2 on; an expired todo at most 0.19",
                &[
                    ("rules[todo-expired].factor", 1.0),
                    ("rules[todo-expired].cap", 0.19),
                    ("rules[delete].value", 0.05),
                    ("rules[archive].value", 0.2),
                    ("rules[revive].value", 0.2),
                ],
            ),
            (
                "6 reinforce: a fifth of what is missing, once a session",
                &[
                    ("reinforce.amount", 0.2),
                    ("reinforce.cap_per_session", 1.0),
                ],
            ),
            (
                "8 extract: 8000 tokens, 40 characters, the 50 best from 0.2 on",
                &[
                    ("extract.max_tokens", 8000.0),
                    ("extract.min_chars", 40.0),
                    ("extract.idle_minutes", 30.0),
                    ("extract.shown", 50.0),
                    ("extract.shown_min", 0.2),
                ],
            ),
            ("9 queue: until it works", &[("queue.attempts", 0.0)]),
            ("10 dedup", &[("dedup.sure_above", 0.92)]),
            ("11 conflict", &[("conflict.penalty", 0.5)]),
            ("12 recall", &[("recall.top_k", 5.0)]),
            (
                "13 inject: 20 from 0.5 on",
                &[
                    ("inject.parts[memories].min_score", 0.5),
                    ("inject.parts[memories].limit", 20.0),
                    ("inject.min_answered", 0.0),
                    ("inject.near_best", 0.0),
                ],
            ),
            (
                "14 window: 10 rounds, the older half goes",
                &[("window.messages", 20.0), ("window.batch", 10.0)],
            ),
            ("17 jobs: daily", &[("jobs[daily].interval_hours", 24.0)]),
        ],
    );
    let profile = annals::profiles::parse(annals::profiles::builtin("markdown").unwrap()).unwrap();
    assert_eq!(
        profile
            .taxonomy
            .kinds
            .iter()
            .map(|kind| kind.id.as_str())
            .collect::<Vec<_>>(),
        kinds
    );
    let text = annals::profiles::builtin("markdown").unwrap();
    for word in [
        "default_kind = \"fact\"",
        "signal = \"used\"",
        "form = \"toward_one\"",
        "over_limit = \"summarize\"",
        "triggers = [\"session_end\", \"compress\", \"heartbeat\", \"idle\"]",
        "strategy = \"penalty\"",
        "overflow = \"extract\"",
        "direction = \"both\"",
        "backup = true",
        "heading = { message = \"heading-memories\" }",
    ] {
        assert!(text.contains(word), "{word}");
    }
}
