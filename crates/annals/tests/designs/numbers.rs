//! Profiles are data: every number of two of them stands here beside the number of the design, and
//! changing one value of each group of any of them changes its behaviour.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::support::life::World;
use annals::graph::{Assertion, NewEntity};
use annals::llm::provider::Replay;
use annals::profile::Signal;
use annals::{
    Layer, ListQuery, MemoryId, Mode, NewMemory, NewMemoryBuilder, NewTurn, Query, Role, Status,
    UnitScore, profiles,
};
use toml::{Table, Value};

/// All numbers of a profile by their keys; parts of a list by their names.
fn numbers(name: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    let table: Table = profiles::builtin(name).unwrap().parse().unwrap();
    collect("", &Value::Table(table), &mut found);
    found
}

fn collect(key: &str, value: &Value, found: &mut BTreeMap<String, f64>) {
    let below = |part: &str| {
        if key.is_empty() {
            part.to_owned()
        } else {
            format!("{key}.{part}")
        }
    };
    match value {
        Value::Integer(number) => drop(found.insert(key.to_owned(), *number as f64)),
        Value::Float(number) => drop(found.insert(key.to_owned(), *number)),
        Value::Table(fields) => fields
            .iter()
            .for_each(|(part, value)| collect(&below(part), value, found)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let named = ["name", "id"]
                    .iter()
                    .find_map(|part| item.get(part)?.as_str().map(str::to_owned));
                collect(
                    &below(&named.unwrap_or_else(|| at.to_string())),
                    item,
                    found,
                );
            }
        }
        _ => {}
    }
}

/// A table of keys and numbers, one a line; what follows a `#` is said for the reader.
fn table(text: &str) -> BTreeMap<String, f64> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap().trim())
        .filter(|line| !line.is_empty());
    let pair = |line: &str| {
        let (key, number) = line.split_once(" = ").unwrap();
        (key.to_owned(), number.parse().unwrap())
    };
    lines.map(pair).collect()
}

#[test]
fn every_number_of_the_companion_is_that_of_the_design() {
    let wanted = "
        # 3 score: from 0 without an end (the scale needs one, far away)
        score.min = 0
        score.max = 1000
        score.by_kind.system = 3.0
        score.by_kind.core = 3.0
        score.by_kind.fact = 1.0
        score.by_kind.episode = 1.0
        score.fallback = 1.0
        # 4 decay
        decay.min_pass_interval_hours = 24
        decay.protect_score = 3.0
        decay.classes.fact.factor = 0.85
        decay.classes.fact.grace_days = 5
        decay.classes.episode.factor = 0.6
        decay.classes.episode.grace_days = 3
        # 5 rules
        rules.episode-too-old.value = 7
        rules.decay-review.value = 0.2
        rules.promotion-review.value = 2.5
        # 6 reinforce
        reinforce.amount = 0.3
        reinforce.cooldown_seconds = 7200
        reinforce.cap_per_day = 1.0
        # 7 review
        review.max_rounds = 3
        review.related = 5
        review.keep_reset = 0.5
        review.retry_hours = 24
        review.rearm_rise = 0.3
        review.rearm_days = 7
        review.delete_after_days = 0
        review.decisions = 10000
        review.reason_chars = 500
        # 8 extract: one round is two messages
        extract.every_rounds = 1
        extract.window_messages = 2
        extract.max_tokens = 8000
        inject.min_answered = 0
        inject.near_best = 0
        extract.shown = 10
        extract.delete_after_days = 7
        # 9 queue: never given up
        queue.attempts = 0
        # 12 recall
        recall.top_k = 3
        recall.vector_candidates = 10
        recall.text_candidates = 10
        recall.neighbour_seeds = 0
        recall.window_weight = 0
        recall.importance_full = 3
        recall.weights.dense = 0.6
        recall.weights.graph = 0.3
        recall.weights.importance = 0.1
        recall.weights.text = 0
        recall.weights.window = 0
        recall.weights.context = 0
        recall.weights.speaker = 0
        recall.weights.time = 0
        recall.weights.asks_time = 0
        recall.weights.recency = 0
        recall.weights.usage = 0
        recall.weights.validity = 0
        recall.expand.depth = 2
        recall.expand.seeds = 0
        # 13 inject
        inject.min_score = 0
        inject.parts.core.limit = 50
        # 14 window
        window.messages = 30
        window.batch = 20
        window.close_rounds = 2
        # 17 jobs
        jobs.decay.interval_hours = 24
        jobs.decay.retry_seconds.0 = 600
        # what tools brought
        condense.wait_ms = 300
    ";
    assert_eq!(numbers("companion"), table(wanted));
}

#[test]
fn every_number_of_the_studio_is_that_of_the_design() {
    let wanted = "
        # 2 classes
        taxonomy.score_class.at_least = 0.95
        taxonomy.sources.user.confidence = 1.0
        taxonomy.sources.extraction.confidence = 0.8
        # 3 score
        score.min = 0
        score.max = 1
        score.by_kind.preference = 0.9
        score.by_kind.fact = 0.8
        score.by_kind.lesson = 0.85
        score.by_kind.goal = 0.7
        score.by_kind.context = 0.4
        score.fallback = 0.8
        score.restored_share = 0.5
        # 4 decay
        decay.access_bonus = 1
        decay.classes.working.lambda = 0.01
        decay.classes.temporary.lambda = 0.198042
        # 5 rules
        rules.forget.value = 0.1
        rules.weaken.value = 0.3
        rules.weaken.every_hours = 24
        rules.weaken.factor = 0.9
        rules.weaken.floor = 0.05
        rules.active.value = 0.7
        # 7 review: a person's queue
        review.doubt_importance = 0.9
        review.doubt_confidence = 0.6
        # 8 extract
        extract.every_rounds = 5
        extract.window_messages = 10
        extract.max_tokens = 4000
        inject.min_answered = 0
        inject.near_best = 0
        extract.confidence = 0.8
        # 10 dedup
        dedup.sure_above = 0.92
        dedup.maybe_above = 0.8
        # 11 conflict
        conflict.min_similarity = 0.75
        # 12 recall
        recall.top_k = 3
        recall.min_score = 0.7
        recall.min_scores.builtin = 0.3
        recall.min_scores.small = 0.3
        recall.context_messages = 3
        recall.neighbour_seeds = 0
        recall.window_weight = 0
        recall.weights.dense = 0.6
        recall.weights.text = 0.25
        recall.weights.graph = 0.15
        recall.weights.window = 0
        recall.weights.context = 0
        recall.weights.speaker = 0
        recall.weights.time = 0
        recall.weights.asks_time = 0
        recall.weights.importance = 0
        recall.weights.recency = 0
        recall.weights.usage = 0
        recall.weights.validity = 0.3
        recall.expand.depth = 2
        recall.expand.seeds = 0
        # 14 window
        window.messages = 10
        # 17 jobs
        jobs.nightly.retry_seconds.0 = 600
        # 18 surface
        surface.undo_minutes = 10
        maintenance.most_kept = 500
    ";
    assert_eq!(numbers("studio"), table(wanted));
    let nightly = profiles::parse(profiles::builtin("studio").unwrap())
        .unwrap()
        .jobs
        .remove(0);
    assert_eq!(nightly.daily_at.as_deref(), Some("03:00"));
}

const PROFILES: [&str; 5] = ["companion", "studio", "agent", "graph", "markdown"];

/// A kind that a profile has a word for.
fn kind(profile: &str) -> &'static str {
    match profile {
        "agent" => "FACT",
        "graph" => "事实",
        _ => "fact",
    }
}

/// The class of such a memory.
fn class(profile: &str) -> &'static str {
    match profile {
        "studio" => "working",
        "agent" => "LONG_TERM",
        other => kind(other),
    }
}

/// Sets the value at a path; parts of lists are named, `+` is a new one at the end.
fn set(table: &mut Table, path: &str, value: impl Into<Value>) {
    let (first, rest) = path
        .split_once('/')
        .map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(rest) = rest else {
        table.insert(first.to_owned(), value.into());
        return;
    };
    match table
        .entry(first.to_owned())
        .or_insert_with(|| Value::Table(Table::new()))
    {
        Value::Table(inner) => set(inner, rest, value),
        Value::Array(items) => {
            let (name, rest) = rest.split_once('/').unwrap();
            let named = |item: &Value| {
                ["name", "id"]
                    .iter()
                    .any(|key| item.get(key).and_then(Value::as_str) == Some(name))
            };
            let item = items.iter_mut().find(|item| named(item)).unwrap();
            set(item.as_table_mut().unwrap(), rest, value);
        }
        other => panic!("{first} is {other}"),
    }
}

fn push(table: &mut Table, path: &str, item: &str) {
    let (group, list) = path.split_once('/').unwrap();
    let inner = table
        .entry(group.to_owned())
        .or_insert_with(|| Value::Table(Table::new()))
        .as_table_mut()
        .unwrap();
    let items = inner
        .entry(list.to_owned())
        .or_insert_with(|| Value::Array(Vec::new()))
        .as_array_mut()
        .unwrap();
    items.push(Value::Table(item.parse().unwrap()));
}

/// A namespace under a profile with one value changed, or none.
struct Case {
    profile: &'static str,
    world: World,
}

impl Case {
    fn new(
        profile: &'static str,
        model: Option<&Arc<Replay>>,
        change: Option<&dyn Fn(&mut Table)>,
    ) -> Self {
        let model = model.cloned();
        let world = World::with(profile, move |options| match &model {
            Some(model) => {
                options.model(Arc::clone(model) as Arc<dyn annals::llm::provider::Provider>)
            }
            None => options,
        });
        if let Some(change) = change {
            let mut table: Table = profiles::builtin(profile).unwrap().parse().unwrap();
            change(&mut table);
            world
                .memory()
                .profiles()
                .store("own", &toml::to_string(&table).unwrap())
                .unwrap();
            world.space().admin().set_profile("own").unwrap();
        }
        Self { profile, world }
    }

    fn builder(&self, text: &str) -> NewMemoryBuilder {
        NewMemory::builder(text).kind(kind(self.profile))
    }

    fn fact(&self, text: &str) -> MemoryId {
        self.world.remember(self.builder(text).build().unwrap())
    }

    /// The state of a memory.
    fn state(&self, id: MemoryId) -> String {
        let standing = self
            .world
            .space()
            .lifecycle()
            .standings(&[id])
            .unwrap()
            .remove(0);
        let worth =
            standing.map(|standing| format!("{:.4} {}", standing.retention, standing.class));
        format!("{:?} {worth:?}", self.world.status(id))
    }

    fn count(&self) -> u64 {
        self.world
            .space()
            .list(&ListQuery::default())
            .unwrap()
            .total
    }

    fn turns(&self, count: usize) -> Vec<MemoryId> {
        let turn = |number: usize| {
            let role = if number.is_multiple_of(2) {
                Role::User
            } else {
                Role::Assistant
            };
            NewTurn::builder(
                "s",
                format!("{number} {}", "一二三四五六七八九十".repeat(5)),
            )
            .role(role)
            .build()
            .unwrap()
        };
        self.world
            .space()
            .sessions()
            .append((0..count).map(turn).collect())
            .unwrap()
    }
}

type Change = Box<dyn Fn(&mut Table)>;
type Observe = fn(&Case) -> String;

fn to(path: &'static str, value: impl Into<Value> + Clone + 'static) -> Change {
    Box::new(move |table| set(table, path, value.clone()))
}

fn by_profile(profile: &str, changes: [Change; 5]) -> Change {
    let at = PROFILES.iter().position(|known| *known == profile).unwrap();
    changes.into_iter().nth(at).unwrap()
}

/// The groups of the policy: for each its name, a change of one value, and what shows it.
fn groups(profile: &'static str) -> Vec<(&'static str, Change, Observe)> {
    let class_of = class(profile);
    let classes: Change = match profile {
        "studio" | "agent" => {
            Box::new(move |t| set(t, &format!("taxonomy/classes/{class_of}/ttl_days"), 1.0))
        }
        _ => Box::new(move |t| {
            push(
                t,
                "taxonomy/classes",
                &format!("id = \"{class_of}\"\nttl_days = 1.0"),
            )
        }),
    };
    let rate = if matches!(profile, "companion" | "markdown") {
        "factor"
    } else {
        "lambda"
    };
    let list = |text: &str| text.parse::<Table>().unwrap().remove("list").unwrap();
    let part = list("list = [{ name = \"x\", source = \"text\", text = \"hello\" }]");
    let files = list("list = [{ path = \"OTHER.md\", format = \"entries\" }]");
    let jobs = list("list = [{ name = \"probe\", interval_hours = 1.0, steps = [\"rules\"] }]");
    vec![
        (
            "taxonomy",
            Box::new(|t| push(t, "taxonomy/kinds", "id = \"probe\"")),
            |case| {
                let probe = NewMemory::builder("x").kind("probe").build().unwrap();
                let stored = case.world.space().remember(probe);
                stored.map_or("refused".into(), |id| {
                    case.world
                        .space()
                        .get(id)
                        .unwrap()
                        .unwrap()
                        .body
                        .kind
                        .as_str()
                        .into()
                })
            },
        ),
        ("classes", classes, |case| {
            let id = case.fact("x");
            format!("{:?}", case.world.standing(id).expires_at)
        }),
        (
            "score",
            by_profile(
                profile,
                [
                    to("score/by_kind/fact", 1.5),
                    to("score/by_kind/fact", 0.6),
                    to("score/fallback", 0.55),
                    to("score/fallback", 0.55),
                    to("score/fallback", 0.55),
                ],
            ),
            |case| format!("{:.4}", case.world.score(case.fact("x"))),
        ),
        (
            "decay",
            Box::new(move |t| set(t, &format!("decay/classes/{class_of}/{rate}"), 0.5)),
            |case| {
                let id = case.fact("x");
                case.world.at(10.0);
                case.world.force();
                case.state(id)
            },
        ),
        (
            "rules",
            by_profile(
                profile,
                [
                    to("rules/episode-too-old/value", 1.0),
                    to("rules/forget/value", 0.3),
                    to("rules/delete/value", 0.29),
                    to("rules/archive/value", 0.4),
                    to("rules/delete/value", 0.19),
                ],
            ),
            |case| {
                let (kind, days) = match case.profile {
                    "companion" => ("episode", [1.0, 2.0]),
                    "studio" => ("fact", [50.0, 100.0]),
                    "agent" => ("FACT", [1.0, 29.0]),
                    "graph" => ("事实", [25.0, 60.0]),
                    _ => ("fact", [60.0, 125.0]),
                };
                let id = case.world.kind(kind, "x");
                for day in days {
                    case.world.at(day);
                    case.world.force();
                }
                case.state(id)
            },
        ),
        (
            "reinforce",
            by_profile(
                profile,
                [
                    to("reinforce/amount", 0.5),
                    to("reinforce/touch_clock", false),
                    to("reinforce/touch_clock", false),
                    to("reinforce/touch_clock", true),
                    to("reinforce/amount", 0.5),
                ],
            ),
            |case| {
                let id = case.fact("x");
                case.world.at(1.0);
                for signal in [Signal::Used, Signal::Injected, Signal::Returned] {
                    case.world
                        .space()
                        .lifecycle()
                        .signal(&[id], signal)
                        .unwrap();
                }
                let standing = case.world.standing(id);
                format!("{:.4} {:?}", standing.score, standing.last_access)
            },
        ),
        (
            "review",
            Box::new(|t| {
                set(t, "review/doubt_importance", 0.1);
                set(t, "review/doubt_confidence", 0.6);
            }),
            |case| {
                case.world.remember(
                    case.builder("x")
                        .importance(0.5)
                        .confidence(0.3)
                        .build()
                        .unwrap(),
                );
                case.world
                    .space()
                    .reviews()
                    .doubtful(10)
                    .unwrap()
                    .len()
                    .to_string()
            },
        ),
        (
            "extract",
            by_profile(
                profile,
                [
                    to("extract/every_rounds", 2),
                    to("extract/every_rounds", 1),
                    to("extract/min_chars", 300),
                    to("extract/answer", "json"),
                    to("extract/triggers", vec!["round"]),
                ],
            ),
            |case| {
                case.turns(2);
                format!(
                    "{} {}",
                    case.world.space().queue().list(10).unwrap().len(),
                    case.world.space().session("s").extract().unwrap()
                )
            },
        ),
        ("queue", to("queue/backoff_minutes", vec![7.0]), |case| {
            let turns = case.turns(2);
            let summary = case.builder("x").layer(Layer::Episodic);
            case.world.remember(
                turns
                    .iter()
                    .fold(summary, |memory, turn| memory.derived_from(*turn))
                    .build()
                    .unwrap(),
            );
            case.world.space().delete(turns[0], Mode::Commit).unwrap();
            case.world.space().queue().work_off().unwrap();
            let tasks = case.world.space().queue().list(10).unwrap();
            format!(
                "{:?}",
                tasks
                    .iter()
                    .find(|task| task.kind == "derive")
                    .unwrap()
                    .next
            )
        }),
        (
            "dedup",
            by_profile(
                profile,
                [
                    to("dedup/exact_text", false),
                    to("dedup/sure_above", 0.8),
                    to("dedup/exact_text", false),
                    to("dedup/when", "never"),
                    to("dedup/exact_text", false),
                ],
            ),
            |case| {
                if case.profile == "graph" {
                    // Nodes are what it compares: two topics of one name.
                    for text in ["小满吃了拉面", "小满又吃了拉面"] {
                        let id = case
                            .world
                            .remember(case.builder(text).status(Status::Staged).build().unwrap());
                        let topic = NewEntity::new("拉面").kind("主题");
                        case.world
                            .space()
                            .graph()
                            .add_triples(id, &[Assertion::new("小满", "吃", topic)])
                            .unwrap();
                    }
                    case.world.force();
                    return case
                        .world
                        .space()
                        .graph()
                        .entities("拉面")
                        .unwrap()
                        .len()
                        .to_string();
                }
                for text in ["小满住在柏林", "小满住在柏林", "柏林是小满的家"] {
                    case.fact(text);
                }
                case.count().to_string()
            },
        ),
        (
            "conflict",
            by_profile(
                profile,
                [
                    to("conflict/strategy", "close_interval"),
                    to("conflict/strategy", "commands"),
                    to("conflict/strategy", "commands"),
                    to("conflict/strategy", "close_interval"),
                    to("conflict/strategy", "close_interval"),
                ],
            ),
            |case| {
                let of = |text: &str| {
                    case.builder(text)
                        .metadata("subject", "我")
                        .metadata("predicate", "住处")
                };
                let first = case.world.remember(of("我住在柏林").build().unwrap());
                case.world.at(1.0);
                case.world.remember(of("我搬到了汉堡去住").build().unwrap());
                let first = case.world.space().get(first).unwrap();
                format!(
                    "{} {:?}",
                    case.count(),
                    first.map(|first| first.body.valid_until)
                )
            },
        ),
        ("recall", to("recall/top_k", 1), |case| {
            for text in [
                "小满的书架是木头的",
                "一本关于小满的传记",
                "她在图书馆里读书",
                "The book is on the shelf",
            ] {
                case.fact(text);
            }
            let question = Query::new("小满的书").min_score(UnitScore::new("s", 0.0).unwrap());
            case.world.recall(question).len().to_string()
        }),
        (
            "inject",
            Box::new(move |t| set(t, "inject/parts", part.clone())),
            |case| case.world.space().context("x").unwrap().text,
        ),
        (
            "window",
            by_profile(
                profile,
                [
                    to("window/overflow", "drop"),
                    to("window/messages", 4),
                    to("window/overflow", "drop"),
                    to("window/messages", 4),
                    to("window/messages", 12),
                ],
            ),
            |case| {
                let talk = case.world.space().session("s").working().unwrap();
                for number in 0..33 {
                    talk.round(&format!("问{number}"), "答").unwrap();
                }
                talk.messages().len().to_string()
            },
        ),
        (
            "episodes",
            to(
                "episodes/trigger",
                if profile == "agent" {
                    "never"
                } else {
                    "session_end"
                },
            ),
            |case| {
                case.turns(4);
                let end = case.world.space().session("s").end().unwrap();
                (end.put_off.is_some() || end.episode.is_some()).to_string()
            },
        ),
        (
            "mirrors",
            Box::new(move |t| set(t, "mirrors/files", files.clone())),
            |case| {
                case.fact("x");
                let folder = tempfile::tempdir().unwrap();
                drop(case.world.space().files().sync(folder.path()));
                let mut names: Vec<String> = std::fs::read_dir(folder.path())
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect();
                names.sort();
                names.join(" ")
            },
        ),
        (
            "jobs",
            Box::new(move |t| set(t, "jobs", jobs.clone())),
            |case| {
                case.world.maintain();
                case.world.at(2.0);
                let ran = case.world.maintain().into_iter().map(|report| report.job);
                ran.collect::<Vec<_>>().join(" ")
            },
        ),
        ("surface", to("surface/undo_minutes", 0.0), |case| {
            let id = case.fact("x");
            case.world.space().undo(id).is_ok().to_string()
        }),
    ]
}

#[test]
fn one_changed_value_of_each_group_changes_what_a_profile_does() {
    // spec: X-07
    let mut idle = Vec::new();
    for profile in PROFILES {
        let groups = groups(profile);
        assert_eq!(groups.len(), 18);
        for (group, change, observe) in groups {
            // Models answer nothing here, so that tasks wait in the queue.
            let silent = Arc::new(Replay::default());
            let model = (group == "queue").then_some(&silent);
            let before = observe(&Case::new(profile, model, None));
            let after = observe(&Case::new(profile, model, Some(&*change)));
            if before == after {
                idle.push(format!("{profile}, {group}: {before}"));
            }
        }
    }
    assert_eq!(idle, [""; 0]);
}
