//! Dedup and conflict, as decisions; reviews before a scripted judge; the queue in the words of the
//! designs.

use crate::world;

use std::sync::Mutex;

use annals_lifecycle::conflict::{Claim, Rival, Settlement, needs_judge, resolve};
use annals_lifecycle::dedup::{Candidate, Dedup, dedup};
use annals_lifecycle::review::{
    Decider, Verdict, claim_reviews, decide, hear, postpone, request_again, reviews,
};
use annals_lifecycle::task::{
    Queued, TaskState, claim, claim_one, enqueue, fail, finish, retry, tasks,
};
use annals_lifecycle::{Lane, LifecycleError};
use annals_storage::Store;
use annals_types::profile::{
    ConflictSettings, ConflictStrategy, DedupSettings, MaybeCheck, ReviewKind,
};
use annals_types::{
    IdGenerator, Judge, JudgeError, Judgement, MemoryId, NamespaceId, Reasoned, ReviewCase, Row,
    Shown, Timestamp,
};
use world::town::Town;
use world::{day, near, profile};

fn like(row: u32, similarity: f64) -> Candidate {
    Candidate {
        row: Row(row),
        similarity,
        same_text: false,
        same_kind: true,
        same_triple_key: false,
        contrast: false,
    }
}

#[test]
fn studio_merges_what_is_like_enough() {
    // part: S-36
    let set = profile("studio").dedup;
    let same_key = Candidate {
        same_triple_key: true,
        ..like(1, 0.85)
    };
    let decided =
        [like(1, 0.95), same_key, like(1, 0.85), like(1, 0.5)].map(|one| dedup(&set, &[one]));
    assert_eq!(
        decided,
        [
            Dedup::Same(Row(1)),
            Dedup::Same(Row(1)),
            Dedup::New,
            Dedup::New
        ]
    );
    assert_eq!(
        dedup(
            &set,
            &[Candidate {
                same_kind: false,
                ..like(1, 0.99)
            }]
        ),
        Dedup::New
    );
    assert_eq!(dedup(&set, &[like(1, 0.92)]), Dedup::Same(Row(1)));
    assert_eq!(dedup(&set, &[]), Dedup::New);
}

#[test]
fn equal_texts_are_one_memory() {
    for name in ["companion", "markdown"] {
        let set = profile(name).dedup;
        let same = Candidate {
            same_text: true,
            ..like(4, 0.2)
        };
        assert_eq!(
            dedup(&set, &[like(1, 0.5), same]),
            Dedup::Same(Row(4)),
            "{name}"
        );
        assert_eq!(dedup(&set, &[like(1, 0.5)]), Dedup::New);
    }
    assert_eq!(
        dedup(&profile("markdown").dedup, &[like(1, 0.92)]),
        Dedup::Same(Row(1))
    );
    assert_eq!(
        dedup(&profile("companion").dedup, &[like(1, 0.99)]),
        Dedup::New
    );
    assert_eq!(
        dedup(&profile("agent").dedup, &[like(2, 0.97)]),
        Dedup::Same(Row(2))
    );
}

#[test]
fn only_the_nearest_are_looked_at_and_of_them_the_best_is_taken() {
    let set = DedupSettings {
        candidates: 5,
        ..profile("studio").dedup
    };
    let same_key = |row, similarity| Candidate {
        same_triple_key: true,
        ..like(row, similarity)
    };
    assert_eq!(
        dedup(&set, &[same_key(1, 0.86), same_key(2, 0.9)]),
        Dedup::Same(Row(2))
    );
    // The sixth would pass.
    let mut crowd: Vec<Candidate> = (0..5).map(|row| like(row, 0.91)).collect();
    crowd.push(same_key(5, 0.9));
    assert_eq!(dedup(&set, &crowd), Dedup::New);
    assert_eq!(dedup(&set, &crowd[4..]), Dedup::Same(Row(5)));
}

#[test]
fn what_names_other_figures_is_another() {
    let apart = |similarity| Candidate {
        contrast: true,
        same_triple_key: true,
        ..like(1, similarity)
    };
    for name in ["studio", "agent", "markdown"] {
        let set = profile(name).dedup;
        assert_eq!(dedup(&set, &[apart(0.99)]), Dedup::New, "{name}");
        // The next one may still be it.
        assert_eq!(
            dedup(&set, &[apart(0.99), like(2, 0.96)]),
            Dedup::Same(Row(2)),
            "{name}"
        );
        let ignoring = DedupSettings {
            ignore_contrast: true,
            ..set
        };
        assert_eq!(
            dedup(&ignoring, &[apart(0.99)]),
            Dedup::Same(Row(1)),
            "{name}"
        );
    }
    let asking = DedupSettings {
        maybe_check: MaybeCheck::Judge,
        ..profile("studio").dedup
    };
    assert_eq!(dedup(&asking, &[apart(0.99)]), Dedup::Ask(Row(1)));
    // A judge is not asked where another one is surely the same, be it a little less alike.
    assert_eq!(
        dedup(&asking, &[apart(0.99), like(2, 0.98)]),
        Dedup::Same(Row(2))
    );
}

fn claim_of(row: u32, from: f64) -> Claim {
    Claim {
        row: Row(row),
        valid_from: day(from),
        valid_until: None,
    }
}

fn rival(row: u32, from: f64) -> Rival {
    Rival {
        claim: claim_of(row, from),
        same_kind: true,
        same_triple_key: true,
        similarity: 0.8,
        judged: None,
    }
}

#[test]
fn studio_closes_what_is_superseded() {
    // part: S-58, S-59, S-60, S-61
    let set = profile("studio").conflict;
    let (vue, react) = (rival(1, 1.0), claim_of(2, 30.0));
    let closed = Settlement::Close {
        row: Row(1),
        until: day(30.0),
    };
    let superseded = Settlement::Supersede {
        newer: Row(2),
        older: Row(1),
    };
    assert_eq!(resolve(&set, &react, &[vue]), [closed, superseded]);
    let other_topic = Rival {
        same_triple_key: false,
        similarity: 0.4,
        ..vue
    };
    assert_eq!(resolve(&set, &react, &[other_topic]), []);
    assert_eq!(
        resolve(
            &set,
            &react,
            &[Rival {
                same_kind: false,
                ..vue
            }]
        ),
        []
    );
}

#[test]
fn studio_supersedes_several_and_files_late_ones_as_closed() {
    // part: S-62, S-63
    let mut set = profile("studio").conflict;
    let two = resolve(&set, &claim_of(3, 30.0), &[rival(1, 1.0), rival(2, 10.0)]);
    let older: Vec<Row> = two
        .iter()
        .filter_map(|one| match one {
            Settlement::Supersede {
                newer: Row(3),
                older,
            } => Some(*older),
            _ => None,
        })
        .collect();
    assert_eq!(older, [Row(1), Row(2)]);
    let late = resolve(&set, &claim_of(9, 1.0), &[rival(1, 30.0)]);
    assert_eq!(
        late[0],
        Settlement::Close {
            row: Row(9),
            until: day(30.0)
        }
    );
    assert_eq!(
        late[1],
        Settlement::Supersede {
            newer: Row(1),
            older: Row(9)
        }
    );
    // Between two that are newer, it ends with the earlier.
    let between = resolve(&set, &claim_of(9, 1.0), &[rival(1, 30.0), rival(2, 20.0)]);
    assert!(between.contains(&Settlement::Close {
        row: Row(9),
        until: day(20.0)
    }));
    let judged = Rival {
        same_triple_key: false,
        similarity: 0.75,
        ..rival(1, 1.0)
    };
    assert!(!needs_judge(&set, &judged));
    set.ask_judge = true;
    assert!(
        needs_judge(&set, &judged)
            && !needs_judge(
                &set,
                &Rival {
                    similarity: 0.74,
                    ..judged
                }
            )
    );
    assert_eq!(
        resolve(
            &set,
            &claim_of(2, 30.0),
            &[Rival {
                judged: Some(true),
                ..judged
            }]
        )
        .len(),
        2
    );
    assert_eq!(
        resolve(
            &set,
            &claim_of(2, 30.0),
            &[Rival {
                judged: Some(false),
                ..judged
            }]
        ),
        []
    );
}

#[test]
fn the_other_profiles_settle_in_their_own_ways() {
    // part: M-80
    let settled = |name: &str| {
        resolve(
            &profile(name).conflict,
            &claim_of(2, 30.0),
            &[rival(1, 1.0)],
        )
    };
    assert_eq!(
        settled("agent"),
        [Settlement::Replace {
            row: Row(1),
            by: Row(2)
        }]
    );
    let link = Settlement::Link {
        newer: Row(2),
        older: Row(1),
    };
    assert_eq!(
        settled("graph"),
        [
            Settlement::Close {
                row: Row(1),
                until: day(30.0)
            },
            link
        ]
    );
    assert_eq!(
        settled("markdown"),
        [Settlement::Penalize {
            row: Row(1),
            factor: 0.5
        }]
    );
    assert_eq!(settled("companion"), []);
}

/// A judge that reads from a script and remembers what it was shown.
struct Script {
    lines: Mutex<Vec<Result<Judgement, ()>>>,
    shown: Mutex<Vec<(u32, Vec<MemoryId>)>>,
}

impl Script {
    fn new(lines: Vec<Result<Judgement, ()>>) -> Self {
        Self {
            lines: Mutex::new(lines),
            shown: Mutex::default(),
        }
    }
}

impl Judge for Script {
    fn review(&self, case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        self.shown.lock().unwrap().push((
            case.round,
            case.related.iter().map(|shown| shown.id).collect(),
        ));
        let mut lines = self.lines.lock().unwrap();
        let line = if lines.is_empty() {
            Ok(Judgement::Search("x".into()))
        } else {
            lines.remove(0)
        };
        line.map(Reasoned::from)
            .map_err(|()| JudgeError::Unavailable {
                what: "the judge".into(),
                reason: "HTTP 500".into(),
                wait: None,
            })
    }
}

fn shown(count: usize) -> Vec<Shown> {
    let ids = IdGenerator::seeded(5);
    let make = |at: usize| Shown {
        id: ids.next(day(0.0)),
        text: format!("memory {at}"),
        time: day(0.0),
        retention: 1.0,
    };
    (0..count).map(make).collect()
}

#[test]
fn a_judge_has_three_rounds_and_its_searches_are_made() {
    // part: C-72, C-73, C-74
    let all = shown(12);
    let (memory, related) = (&all[0], all[..10].to_vec());
    let judge = Script::new(Vec::new());
    let hearing = hear(
        &judge,
        (ReviewKind::Decay, memory),
        related.clone(),
        (5, 3),
        &mut |_| Vec::new(),
    )
    .unwrap();
    assert_eq!((hearing.verdict, hearing.rounds), (None, 3));
    let first = judge.shown.lock().unwrap()[0].clone();
    assert_eq!(first, (1, all[1..6].iter().map(|shown| shown.id).collect()));
    let judge = Script::new(vec![
        Ok(Judgement::Search("生日".into())),
        Ok(Judgement::Keep),
    ]);
    let mut asked = Vec::new();
    let hits = vec![all[11].clone(), memory.clone(), all[1].clone()];
    let hearing = hear(
        &judge,
        (ReviewKind::Promote, memory),
        related,
        (5, 3),
        &mut |words| {
            asked.push(words.to_owned());
            hits.clone()
        },
    );
    let hearing = hearing.unwrap();
    assert_eq!(
        (hearing.verdict, hearing.rounds, hearing.searches),
        (Some(Verdict::Keep), 2, vec!["生日".to_owned()])
    );
    assert_eq!(asked, ["生日"]);
    let second = judge.shown.lock().unwrap()[1].1.clone();
    assert_eq!(
        second,
        all[1..6]
            .iter()
            .chain([&all[11]])
            .map(|shown| shown.id)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_review_without_a_verdict_waits_and_nothing_is_deleted() {
    // part: C-81
    let mut town = Town::new(&profile("companion"));
    let row = town.fact("fact", 0.22, day(0.0));
    assert_eq!(town.rules(day(5.0)), ["decay-review"]);
    let (policy, passes) = (town.policy.clone(), town.passes.clone());
    let regime = annals_lifecycle::Regime {
        policy: &policy,
        passes: &passes,
        lane: town.lane,
    };
    let pending = |town: &Town| {
        reviews(
            &town.store.snapshot().unwrap(),
            town.ns,
            town.lane,
            None,
            10,
        )
        .unwrap()
    };
    for (attempt, at) in [5.0, 6.0, 7.0].into_iter().enumerate() {
        let claimed = town
            .store
            .write(|txn| claim_reviews(txn, &regime, day(at), 10))
            .unwrap()
            .0;
        assert_eq!(claimed.len(), 1, "attempt {attempt}");
        let judge = Script::new(vec![Err(())]);
        let memory = &shown(1)[0];
        let error = hear(
            &judge,
            (claimed[0].kind, memory),
            Vec::new(),
            (5, 3),
            &mut |_| Vec::new(),
        )
        .unwrap_err();
        town.store
            .write(|txn| postpone(txn, &regime, &claimed[0], day(at), &error.to_string()))
            .unwrap();
        assert_eq!(
            town.store
                .write(|txn| claim_reviews(txn, &regime, day(at + 0.99), 10))
                .unwrap()
                .0,
            []
        );
    }
    let waiting = pending(&town);
    assert_eq!(
        (waiting.len(), waiting[0].row, waiting[0].task.attempts),
        (1, row, 3)
    );
    assert!(waiting[0].task.error.contains("HTTP 500"));
    assert!(town.state(row).is_some());
    // A memory that goes takes its review with it.
    town.store
        .write(|txn| annals_lifecycle::erase(txn, town.ns, town.lane, &[row]))
        .unwrap();
    assert_eq!(pending(&town), []);
}

#[test]
fn after_a_verdict_that_was_taken_back_a_judge_waits_and_a_person_need_not() {
    let mut town = Town::new(&profile("companion"));
    let row = town.fact("fact", 0.5, day(0.0));
    let (policy, passes) = (town.policy.clone(), town.passes.clone());
    let regime = annals_lifecycle::Regime {
        policy: &policy,
        passes: &passes,
        lane: town.lane,
    };
    let again = |at: f64| {
        town.store
            .write(|txn| {
                request_again(
                    txn,
                    town.ns,
                    &regime,
                    (row, ReviewKind::Decay),
                    0.5,
                    day(at),
                )
            })
            .unwrap();
        reviews(
            &town.store.snapshot().unwrap(),
            town.ns,
            town.lane,
            None,
            10,
        )
        .unwrap()
    };
    let pending = again(5.0);
    assert_eq!(
        (pending.len(), pending[0].row, pending[0].score),
        (1, row, 0.5)
    );
    // 24 hours of the profile; asking once more neither doubles it nor puts it off.
    assert_eq!(pending[0].task.state, TaskState::Waiting(day(6.0)));
    assert_eq!(again(5.5)[0].task.state, TaskState::Waiting(day(6.0)));
    let claimed = |at: f64| {
        town.store
            .write(|txn| claim_reviews(txn, &regime, day(at), 10))
            .unwrap()
            .0
            .len()
    };
    assert_eq!((claimed(5.99), claimed(6.0), claimed(6.0)), (0, 1, 0));
    // A person decides whether a judge has it or not.
    let decided = |txn: &mut annals_storage::Transaction<'_>| {
        decide(
            txn,
            town.ns,
            &regime,
            (row, ReviewKind::Decay),
            (Verdict::Keep, Decider::Person),
            day(6.1),
        )
    };
    town.store.write(decided).unwrap();
    assert_eq!(
        reviews(
            &town.store.snapshot().unwrap(),
            town.ns,
            town.lane,
            None,
            10
        )
        .unwrap(),
        []
    );
}

#[test]
fn one_task_is_begun_by_its_number_when_it_may_be() {
    let store = Store::in_memory();
    let (place, other, queue) = (
        (NamespaceId(1), Lane(2)),
        (NamespaceId(2), Lane(2)),
        profile("agent").queue,
    );
    for (place, from) in [(other, 0.0), (place, 0.0), (place, 2.0)] {
        let unique = from.to_string();
        store
            .write(|txn| {
                enqueue(
                    txn,
                    place.0,
                    place.1,
                    unique.as_bytes(),
                    b"",
                    day(0.0),
                    day(from),
                )
            })
            .unwrap();
    }
    let one = |ns: NamespaceId, number: u64, at: f64| {
        store
            .write(|txn| claim_one(txn, ns, number, &queue, day(at)))
            .unwrap()
            .0
    };
    let begun = one(place.0, 1, 1.0).unwrap();
    assert_eq!(
        (begun.namespace, begun.number, begun.attempts),
        (place.0, 1, 1)
    );
    assert_eq!(one(place.0, 1, 1.0), None, "somebody has it");
    assert_eq!(one(place.0, 2, 1.0), None, "it may not be begun yet");
    assert_eq!(one(place.0, 3, 1.0), None, "there is none");
    // Another namespace's waits as it did, before it or not.
    let waiting = tasks(&store.snapshot().unwrap(), other.0, 0, 10).unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].attempts, waiting[0].state),
        (1, 0, TaskState::Waiting(day(0.0)))
    );
    assert_eq!(one(place.0, 2, 2.0).map(|task| task.number), Some(2));
    // A lease that ended counts as an attempt; the last one makes it dead.
    let mut now = 3.0;
    while let Some(task) = one(place.0, 1, now) {
        assert!(task.attempts <= queue.attempts, "{task:?}");
        now += 1.0;
    }
    let left = tasks(&store.snapshot().unwrap(), place.0, 0, 10).unwrap();
    assert_eq!(
        (left[0].number, left[0].state, left[0].attempts),
        (1, TaskState::Dead, queue.attempts)
    );
}

#[test]
fn a_task_that_is_worked_on_is_not_tried_again() {
    let store = Store::in_memory();
    let (place, queue) = ((NamespaceId(1), Lane(2)), profile("agent").queue);
    store
        .write(|txn| enqueue(txn, place.0, place.1, b"k", b"", day(0.0), day(0.0)))
        .unwrap();
    let take = |at: f64| {
        store
            .write(|txn| claim(txn, place.1, &queue, day(at), 1))
            .unwrap()
            .0
            .remove(0)
    };
    let again = |at: f64| store.write(|txn| retry(txn, place.0, 1, day(at)));
    let first = take(0.0);
    let error = again(0.0).unwrap_err();
    assert!(
        matches!(error, LifecycleError::Claimed { task: 1, .. }),
        "{error}"
    );
    // Its lease has ended: a second one is begun for the first time, too.
    again(1.0).unwrap();
    let second = take(1.0);
    assert_eq!((first.attempts, second.attempts), (1, 1));
    let lost = |done: Result<_, LifecycleError>| {
        matches!(done, Err(LifecycleError::ClaimLost { task: 1 }))
    };
    assert!(lost(
        store
            .write(|txn| fail(txn, &first, &queue, day(1.0), day(1.0), "late").map(drop))
            .map(drop)
    ));
    assert!(lost(store.write(|txn| finish(txn, &first)).map(drop)));
    store.write(|txn| finish(txn, &second)).unwrap();
}

#[test]
fn a_failed_task_is_tried_five_times_and_then_set_aside() {
    // part
    let store = Store::in_memory();
    let (place, queue) = ((NamespaceId(1), Lane(2)), profile("agent").queue);
    let add = |at: f64| {
        store
            .write(|txn| enqueue(txn, place.0, place.1, b"s1/4", b"turn", day(at), day(at)))
            .unwrap()
            .0
    };
    assert_eq!((add(0.0), add(0.1)), (Queued::New(1), Queued::Already(1)));
    let (mut now, mut waits) = (day(0.0), Vec::new());
    loop {
        let claimed = store
            .write(|txn| claim(txn, place.1, &queue, now, 10))
            .unwrap()
            .0;
        let state = store
            .write(|txn| fail(txn, &claimed[0], &queue, now, now, "HTTP 500"))
            .unwrap()
            .0;
        let TaskState::Waiting(next) = state else {
            break;
        };
        waits.push(next.millis_since(now) / 60_000);
        assert_eq!(
            store
                .write(|txn| claim(txn, place.1, &queue, next.plus_millis(-1), 10))
                .unwrap()
                .0,
            []
        );
        now = next;
    }
    assert_eq!(waits, [1, 5, 30, 120]);
    // A task that asked for a longer wait gets it.
    let other = store
        .write(|txn| enqueue(txn, NamespaceId(9), Lane(9), b"s", b"", now, now))
        .unwrap()
        .0;
    assert_eq!(other, Queued::New(1));
    let claimed = store
        .write(|txn| claim(txn, Lane(9), &queue, now, 10))
        .unwrap()
        .0;
    let hour = now.plus_millis(3_600_000);
    let state = store
        .write(|txn| fail(txn, &claimed[0], &queue, now, hour, "HTTP 429"))
        .unwrap()
        .0;
    assert_eq!(state, TaskState::Waiting(hour));
    let dead = tasks(&store.snapshot().unwrap(), place.0, 0, 10).unwrap();
    assert_eq!(
        (dead[0].state, dead[0].attempts, dead[0].error.as_str()),
        (TaskState::Dead, 5, "HTTP 500")
    );
    assert_eq!(add(1.0), Queued::Already(1));
}

#[test]
fn results_are_written_once_even_when_two_work_on_one_task() {
    let store = Store::in_memory();
    let (place, queue) = ((NamespaceId(1), Lane(2)), profile("agent").queue);
    store
        .write(|txn| enqueue(txn, place.0, place.1, b"k", b"", day(0.0), day(0.0)))
        .unwrap();
    let take = |at: f64| {
        store
            .write(|txn| claim(txn, place.1, &queue, day(at), 1))
            .unwrap()
            .0
    };
    let slow = take(0.0).remove(0);
    assert_eq!(take(0.01), []);
    let quick = take(1.0).remove(0);
    assert!(matches!(
        store.write(|txn| finish(txn, &slow)),
        Err(LifecycleError::ClaimLost { task: 1 })
    ));
    store.write(|txn| finish(txn, &quick)).unwrap();
    assert!(store.write(|txn| finish(txn, &quick)).is_err());
    assert_eq!(take(9.0), []);
}
