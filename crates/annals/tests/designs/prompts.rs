//! The reads of a prompt of the agent design.

use std::sync::Arc;

use annals::{ContextRequest, ManualClock, Mode, NewMemory, Options};

use crate::support::life::day;
use crate::support::reads::Counted;

#[test]
fn a_prompt_reads_the_scratchpad_and_the_core_alone() {
    // spec: A-94
    let (store, folder, clock) = (
        Counted::default(),
        tempfile::tempdir().unwrap(),
        ManualClock::new(day(0.0)),
    );
    let options = Options::new().clock(Arc::new(clock.clone())).id_seed(1);
    let options = options.mirrors(format!("{}/{{name}}", folder.path().display()));
    let memory = options.open_on(Box::new(store.clone())).unwrap();
    let space = memory.create_namespace("u", "agent").unwrap();
    let fact = |text: String| {
        NewMemory::builder(text)
            .kind("FACT")
            .metadata("class", "SHORT_TERM")
            .build()
            .unwrap()
    };
    space
        .bulk()
        .remember(
            (0..300)
                .map(|n| fact(format!("the cat did trick {n}")))
                .collect(),
        )
        .unwrap();
    let rule = NewMemory::builder("用户禁止删除生产数据")
        .kind("RULE")
        .metadata("class", "PERMANENT")
        .importance(1.0);
    space.remember(rule.build().unwrap()).unwrap();
    space.designs().agent().focus("修复登录 bug").unwrap();
    clock.set(day(1.0));
    memory.maintain(true, Mode::Commit).unwrap();
    memory.wait_idle().unwrap();
    store.take();
    let context = space
        .context(ContextRequest::from("which trick did the cat do?"))
        .unwrap();
    let read = store.take();
    assert!(
        context.text.contains("修复登录 bug") && context.text.contains("用户禁止删除生产数据"),
        "{}",
        context.text
    );
    assert!(!context.text.contains("trick"), "{}", context.text);
    assert!(read.contains_key("records.scratchpads"), "{read:?}");
    assert_eq!(read.get("records.rows"), None, "{read:?}");
    for index in [
        "text.",
        "vectors.",
        "graph.",
        "records.ids",
        "records.columns",
    ] {
        assert!(
            read.keys().all(|keyspace| !keyspace.starts_with(index)),
            "{read:?}"
        );
    }
    // The same store counts the reads of a recall.
    space.recall("which trick did the cat do?").unwrap();
    assert!(
        store
            .take()
            .get("records.rows")
            .is_some_and(|read| *read > 0)
    );
}
