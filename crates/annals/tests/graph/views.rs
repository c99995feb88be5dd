//! The graph through snapshots and futures, and what should be one or cannot both hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use annals::blocking::{Memory, Namespace};
use annals::graph::{
    Assertion, ClashReason, Cut, EntityRef, Format, GraphExport, NewEntity, NewSubgraph, Tier,
    TripleQuery, Walk,
};
use annals::{Clock, ErrorKind, ManualClock, MemoryId, Mode, Timestamp};

fn memory() -> (Memory, ManualClock) {
    let clock = ManualClock::new("2026-03-01T12:00:00Z".parse().unwrap());
    (
        Memory::options()
            .clock(Arc::new(clock.clone()))
            .id_seed(1)
            .in_memory()
            .unwrap(),
        clock,
    )
}

fn said(triples: &[annals::graph::Triple]) -> Vec<String> {
    triples
        .iter()
        .map(|triple| format!("{} {} {}", triple.subject, triple.predicate, triple.object))
        .collect()
}

fn sound(memory: &Memory) {
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_snapshot_sees_the_graph_of_its_moment() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let before = user.snapshot().unwrap();
    let knows = |who: &str, whom: &str| Assertion::new(who, "knows", whom);
    let (first, _) = user
        .graph()
        .remember("Ada knows Bob.", &[knows("Ada", "Bob")])
        .unwrap();
    let (second, asserted) = user
        .graph()
        .remember("Bob knows Cleo.", &[knows("Bob", "Cleo")])
        .unwrap();
    user.graph().link(first, "causes", second).unwrap();
    let then = user.snapshot().unwrap();

    user.graph()
        .remember("Cleo knows Dan.", &[knows("Cleo", "Dan")])
        .unwrap();
    user.graph().unlink(first, "causes", second).unwrap();
    let (ada, bob) = (
        user.graph().entities("Ada").unwrap()[0].id,
        user.graph().entities("Bob").unwrap()[0].id,
    );
    user.graph().merges().merge(bob, ada, "one person").unwrap();
    user.forget(second).unwrap();

    assert_eq!(
        said(
            &then
                .graph()
                .triples(&TripleQuery::default())
                .unwrap()
                .triples
        ),
        ["Ada knows Bob", "Bob knows Cleo"]
    );
    assert_eq!(
        (
            then.graph().links(first).unwrap().len(),
            user.graph().links(first).unwrap().len()
        ),
        (1, 0)
    );
    assert_eq!(
        (
            then.graph().merges().list().unwrap().len(),
            user.graph().merges().list().unwrap().len()
        ),
        (0, 1)
    );
    assert_eq!(
        (
            then.graph().stats().unwrap().entities,
            user.graph().stats().unwrap().entities
        ),
        (3, 3)
    );
    assert!(
        then.graph()
            .explain_triple(asserted.triples[0])
            .unwrap()
            .triple
            .visible
    );
    assert!(
        !user
            .graph()
            .explain_triple(asserted.triples[0])
            .unwrap()
            .triple
            .visible
    );
    let way = then
        .graph()
        .paths("Ada", "Cleo", &Walk::default(), 5)
        .unwrap();
    assert_eq!(
        way.paths.iter().map(|path| said(path)).collect::<Vec<_>>(),
        [["Ada knows Bob", "Bob knows Cleo"]]
    );
    assert_eq!(
        user.graph()
            .paths("Ada", "Cleo", &Walk::default(), 5)
            .unwrap()
            .paths
            .len(),
        0,
        "what leads there sleeps"
    );
    assert_eq!(
        then.graph()
            .expand(&["Ada".into()], &Walk::default())
            .unwrap()
            .reached
            .len(),
        2
    );
    assert_eq!(
        then.graph()
            .neighbours("Bob", &Walk::default(), 9)
            .unwrap()
            .len(),
        2
    );
    assert_eq!(then.graph().merges().history(bob).unwrap(), []);
    assert_eq!(
        user.graph().merges().history(ada).unwrap()[0].reason,
        "one person"
    );

    // Before its first write a namespace has an empty graph.
    assert_eq!(before.graph().stats().unwrap(), Default::default());
    assert_eq!(
        before
            .graph()
            .triples(&TripleQuery::default())
            .unwrap()
            .triples,
        []
    );
    assert_eq!(
        before.graph().links(first).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    sound(&memory);
}

#[test]
fn futures_say_what_the_calls_say() {
    pollster::block_on(async {
        let (memory, _) = memory();
        let plain = memory.namespace("u").unwrap();
        let user = annals::Namespace::from(plain.clone());
        let told = Assertion::new(NewEntity::new("Ada").kind("person"), "lives in", "Berlin");
        let (first, asserted) = user
            .graph()
            .remember("Ada lives in Berlin.", vec![told])
            .await
            .unwrap();
        let second = user.remember("Berlin has a zoo.").await.unwrap();
        user.graph()
            .add_triples(second, vec![Assertion::new("Berlin", "has", "zoo")])
            .await
            .unwrap();
        user.graph().link(first, "related", second).await.unwrap();
        assert_eq!(
            user.graph().triples(TripleQuery::default()).await.unwrap(),
            plain.graph().triples(&TripleQuery::default()).unwrap()
        );
        assert_eq!(
            user.graph().links(first).await.unwrap(),
            plain.graph().links(first).unwrap()
        );
        let walk = Walk::default();
        assert_eq!(
            user.graph()
                .paths("Ada", "zoo", walk.clone(), 3)
                .await
                .unwrap()
                .paths[0]
                .len(),
            2
        );
        assert_eq!(
            user.graph()
                .expand(vec!["Ada".into()], walk.clone())
                .await
                .unwrap()
                .reached
                .len(),
            2
        );
        assert_eq!(
            user.graph()
                .explain_triple(asserted.triples[0])
                .await
                .unwrap()
                .evidence[0]
                .memory,
            first
        );
        let drawn = user
            .run(|user| {
                let mut drawn = Vec::new();
                user.graph()
                    .export(&GraphExport::new(Format::Dot), &mut drawn)
                    .map(|()| drawn)
            })
            .await
            .unwrap();
        assert!(String::from_utf8(drawn).unwrap().contains("Berlin"));
        let zoo = user.graph().entities("zoo").await.unwrap()[0].id;
        let berlin = user.graph().entities("Berlin").await.unwrap()[0].id;
        let merge = user.graph().merges().merge(zoo, berlin, "x").await.unwrap();
        let kept = user.snapshot().await.unwrap();
        user.graph().merges().undo(merge.id).await.unwrap();
        assert_eq!(
            (
                kept.graph().merges().list().await.unwrap().len(),
                user.graph().merges().list().await.unwrap().len()
            ),
            (1, 0)
        );
        assert!(user.graph().unlink(first, "related", second).await.unwrap());
        user.graph().delete_triples(asserted.triples).await.unwrap();
        assert_eq!(user.graph().stats().await.unwrap().triples, 1);
    });
}

/// A memory whose words and triples are stored as one: whatever is refused leaves neither.
#[test]
fn a_memory_and_what_it_says_are_stored_together_or_not_at_all() {
    // spec: C-89, C-94
    let (memory, clock) = memory();
    let user = memory.create_namespace("u", "companion").unwrap();
    let likes = |what: &str| Assertion::new("主人", "喜欢", what);
    let other = user.remember("今天下雨").unwrap();
    let bad = user
        .graph()
        .remember("主人喜欢", &[likes("拉面"), likes(" ")])
        .unwrap_err();
    assert!(bad.is_invalid(), "{bad}");
    assert_eq!(
        (
            user.admin().stats().unwrap().memories,
            user.graph().stats().unwrap().triples
        ),
        (1, 0)
    );
    assert!(user.get(other).unwrap().is_some());
    let (id, _) = user
        .graph()
        .remember("主人喜欢拉面", &[likes("拉面")])
        .unwrap();
    clock.advance_millis(1000);
    let of = |user: &Namespace| {
        said(
            &user
                .graph()
                .triples(&TripleQuery::default())
                .unwrap()
                .triples,
        )
    };
    assert_eq!(of(&user), ["主人 喜欢 拉面"]);
    assert_eq!(
        user.graph()
            .update(id, "主人喜欢寿司", &[likes("寿司")])
            .unwrap(),
        id
    );
    assert_eq!(of(&user), ["主人 喜欢 寿司"]);
    assert_eq!(user.get(id).unwrap().unwrap().body.text, "主人喜欢寿司");
    assert!(
        user.graph()
            .update(id, "主人喜欢", &[likes("")])
            .unwrap_err()
            .is_invalid()
    );
    assert_eq!(
        (of(&user).len(), user.get(id).unwrap().unwrap().revision),
        (1, 2)
    );
    sound(&memory);
}

#[test]
fn what_contradicts_a_memory_is_told_with_who_says_it() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let rain = |how: &str| vec![Assertion::new("我", how, "下雨")];
    let (old, _) = user.graph().remember("我喜欢下雨", &rain("喜欢")).unwrap();
    let (new, _) = user.graph().remember("我讨厌下雨", &rain("讨厌")).unwrap();
    let found = user.graph().clashes(new).unwrap();
    assert_eq!(
        (found.len(), found[0].reason, &found[0].memories),
        (1, ClashReason::Opposite, &vec![old])
    );
    assert_eq!(
        (
            found[0].triple.predicate.as_str(),
            found[0].other.predicate.as_str()
        ),
        ("讨厌", "喜欢")
    );
    user.forget(old).unwrap();
    assert_eq!(user.graph().clashes(new).unwrap(), []);
    let (not, _) = user
        .graph()
        .remember("我不讨厌下雨", &[rain("讨厌").remove(0).negated()])
        .unwrap();
    assert_eq!(
        user.graph().clashes(not).unwrap()[0].reason,
        ClashReason::Negation
    );
    assert!(
        user.graph()
            .clashes(MemoryId::from_bytes([9; 16]))
            .unwrap_err()
            .is_not_found()
    );
}

#[test]
fn what_should_be_one_is_found_and_nothing_is_merged_by_it() {
    let (memory, _) = memory();
    let graph = memory.create_namespace("g", "graph").unwrap();
    let store = |topic: &str| {
        let text = format!("我 {topic}");
        let memory = annals::NewMemory::builder(text)
            .kind("事实")
            .build()
            .unwrap();
        graph
            .graph()
            .remember_subgraph(memory, &NewSubgraph::new("我", "事实", topic))
            .unwrap()
            .0
    };
    let ids = [store("情绪"), store("情绪"), store("天气")];
    let found = graph.graph().merges().candidates(None, 100).unwrap();
    assert_eq!(
        (found.checked, found.candidates.len(), found.next),
        (4, 1, None)
    );
    let one = &found.candidates[0];
    assert_eq!(
        (one.source.name.as_str(), one.target.name.as_str(), one.tier),
        ("情绪", "情绪", Tier::Name)
    );
    assert!(one.target.id < one.source.id);
    assert_eq!(graph.graph().merges().list().unwrap(), []);
    graph
        .graph()
        .merges()
        .merge(one.source.id, one.target.id, "found")
        .unwrap();
    assert_eq!(
        graph
            .graph()
            .merges()
            .candidates(None, 100)
            .unwrap()
            .candidates,
        []
    );
    assert_eq!(
        graph
            .graph()
            .merges()
            .candidates(None, 2)
            .unwrap()
            .next
            .map(|id| id.0),
        Some(1)
    );
    assert_eq!(
        graph.graph().subgraph(ids[1]).unwrap().to_graph_text(),
        "[我]--事实--[情绪]"
    );
    sound(&memory);
}

/// A clock on which a millisecond passes with each look.
#[derive(Default)]
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn walks_end_where_their_limits_are() {
    let memory = Memory::options()
        .clock(Arc::new(Ticking::default()))
        .id_seed(1)
        .in_memory()
        .unwrap();
    let user = memory.namespace("u").unwrap();
    let chain: Vec<Assertion> = (0..30)
        .map(|n| Assertion::new(format!("n{n}"), "next", format!("n{}", n + 1)))
        .collect();
    let (id, _) = user.graph().remember("a chain", &chain).unwrap();
    let from: [EntityRef; 1] = ["n0".into()];
    let reach = |way: Walk| {
        let found = user.graph().expand(&from, &way).unwrap();
        (found.reached.len(), found.cut)
    };
    let deep = Walk {
        depth: 100,
        ..Walk::default()
    };
    assert_eq!(reach(deep.clone()), (30, None));
    assert_eq!(
        reach(Walk {
            depth: 3,
            ..deep.clone()
        }),
        (3, None)
    );
    assert_eq!(
        reach(Walk {
            nodes: 5,
            ..deep.clone()
        }),
        (5, Some(Cut::Nodes))
    );
    assert_eq!(
        reach(Walk {
            edges: 4,
            ..deep.clone()
        })
        .1,
        Some(Cut::Edges)
    );
    // Each look at the clock takes a millisecond.
    assert_eq!(
        reach(Walk {
            time: Some(Duration::from_secs(1)),
            ..deep.clone()
        }),
        (30, None)
    );
    assert_eq!(
        reach(Walk {
            time: Some(Duration::from_millis(2)),
            ..deep.clone()
        })
        .1,
        Some(Cut::Time)
    );
    assert_eq!(
        reach(Walk {
            predicates: Some(vec!["other".to_owned()]),
            ..deep
        }),
        (0, None)
    );
    user.delete(id, Mode::Commit).unwrap();
    sound(&memory);
}
