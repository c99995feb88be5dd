//! The graph through snapshots and futures, and what should be one or cannot both hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use annals::blocking::{Memory, Namespace};
use annals::graph::{
    Assertion, ClashReason, Cut, EntityRef, Format, GraphExport, NewEntity, NewSubgraph, Tier, TripleQuery, Walk,
};
use annals::{Clock, ErrorKind, ManualClock, MemoryId, Mode, Timestamp};

fn memory() -> (Memory, ManualClock) {
    let clock = ManualClock::new("2026-03-01T12:00:00Z".parse().unwrap());
    (Memory::options().clock(Arc::new(clock.clone())).id_seed(1).in_memory().unwrap(), clock)
}

fn said(triples: &[annals::graph::Triple]) -> Vec<String> {
    triples.iter().map(|triple| format!("{} {} {}", triple.subject, triple.predicate, triple.object)).collect()
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
    let (first, _) = user.remember_saying("Ada knows Bob.", &[knows("Ada", "Bob")]).unwrap();
    let (second, asserted) = user.remember_saying("Bob knows Cleo.", &[knows("Bob", "Cleo")]).unwrap();
    user.link(first, "causes", second).unwrap();
    let then = user.snapshot().unwrap();

    user.remember_saying("Cleo knows Dan.", &[knows("Cleo", "Dan")]).unwrap();
    user.unlink(first, "causes", second).unwrap();
    let (ada, bob) = (user.entities("Ada").unwrap()[0].id, user.entities("Bob").unwrap()[0].id);
    user.merge_entities(bob, ada, "one person").unwrap();
    user.forget(second).unwrap();

    assert_eq!(said(&then.triples(&TripleQuery::default()).unwrap().triples), ["Ada knows Bob", "Bob knows Cleo"]);
    assert_eq!((then.links(first).unwrap().len(), user.links(first).unwrap().len()), (1, 0));
    assert_eq!((then.merges().unwrap().len(), user.merges().unwrap().len()), (0, 1));
    assert_eq!((then.graph_stats().unwrap().entities, user.graph_stats().unwrap().entities), (3, 3));
    assert!(then.explain_triple(asserted.triples[0]).unwrap().triple.visible);
    assert!(!user.explain_triple(asserted.triples[0]).unwrap().triple.visible);
    let way = then.paths("Ada", "Cleo", &Walk::default(), 5).unwrap();
    assert_eq!(way.paths.iter().map(|path| said(path)).collect::<Vec<_>>(), [["Ada knows Bob", "Bob knows Cleo"]]);
    assert_eq!(user.paths("Ada", "Cleo", &Walk::default(), 5).unwrap().paths.len(), 0, "what leads there sleeps");
    assert_eq!(then.expand(&["Ada".into()], &Walk::default()).unwrap().reached.len(), 2);
    assert_eq!(then.neighbours("Bob", &Walk::default(), 9).unwrap().len(), 2);
    assert_eq!(then.merge_history(bob).unwrap(), []);
    assert_eq!(user.merge_history(ada).unwrap()[0].reason, "one person");

    // Before its first write a namespace has an empty graph.
    assert_eq!(before.graph_stats().unwrap(), Default::default());
    assert_eq!(before.triples(&TripleQuery::default()).unwrap().triples, []);
    assert_eq!(before.links(first).unwrap_err().kind(), ErrorKind::NotFound);
    sound(&memory);
}

#[test]
fn futures_say_what_the_calls_say() {
    pollster::block_on(async {
        let (memory, _) = memory();
        let memory = annals::Memory::from(memory);
        let user = memory.namespace("u").unwrap();
        let told = Assertion::new(NewEntity::new("Ada").kind("person"), "lives in", "Berlin");
        let (first, asserted) = user.remember_saying("Ada lives in Berlin.", vec![told]).await.unwrap();
        let second = user.remember("Berlin has a zoo.").await.unwrap();
        user.add_triples(second, vec![Assertion::new("Berlin", "has", "zoo")]).await.unwrap();
        user.link(first, "related", second).await.unwrap();
        let plain = user.blocking();
        assert_eq!(
            user.triples(TripleQuery::default()).await.unwrap(),
            plain.triples(&TripleQuery::default()).unwrap()
        );
        assert_eq!(user.links(first).await.unwrap(), plain.links(first).unwrap());
        let walk = Walk::default();
        assert_eq!(user.paths("Ada", "zoo", walk.clone(), 3).await.unwrap().paths[0].len(), 2);
        assert_eq!(user.expand(vec!["Ada".into()], walk.clone()).await.unwrap().reached.len(), 2);
        assert_eq!(user.explain_triple(asserted.triples[0]).await.unwrap().evidence[0].memory, first);
        let drawn = user.export_graph(GraphExport::new(Format::Dot), Vec::new()).await.unwrap();
        assert!(String::from_utf8(drawn).unwrap().contains("Berlin"));
        let zoo = user.entities("zoo").await.unwrap()[0].id;
        let berlin = user.entities("Berlin").await.unwrap()[0].id;
        let merge = user.merge_entities(zoo, berlin, "x").await.unwrap();
        let kept = user.snapshot().await.unwrap();
        user.undo_merge(merge.id).await.unwrap();
        assert_eq!((kept.merges().await.unwrap().len(), user.merges().await.unwrap().len()), (1, 0));
        assert!(user.unlink(first, "related", second).await.unwrap());
        user.delete_triples(asserted.triples).await.unwrap();
        assert_eq!(user.graph_stats().await.unwrap().triples, 1);
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
    let bad = user.remember_saying("主人喜欢", &[likes("拉面"), likes(" ")]).unwrap_err();
    assert!(bad.is_invalid(), "{bad}");
    assert_eq!((user.stats().unwrap().memories, user.graph_stats().unwrap().triples), (1, 0));
    assert!(user.get(other).unwrap().is_some());
    let (id, _) = user.remember_saying("主人喜欢拉面", &[likes("拉面")]).unwrap();
    clock.advance_millis(1000);
    let of = |user: &Namespace| said(&user.triples(&TripleQuery::default()).unwrap().triples);
    assert_eq!(of(&user), ["主人 喜欢 拉面"]);
    assert_eq!(user.update_saying(id, "主人喜欢寿司", &[likes("寿司")]).unwrap(), id);
    assert_eq!(of(&user), ["主人 喜欢 寿司"]);
    assert_eq!(user.get(id).unwrap().unwrap().body.text, "主人喜欢寿司");
    assert!(user.update_saying(id, "主人喜欢", &[likes("")]).unwrap_err().is_invalid());
    assert_eq!((of(&user).len(), user.get(id).unwrap().unwrap().revision), (1, 2));
    sound(&memory);
}

#[test]
fn what_contradicts_a_memory_is_told_with_who_says_it() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let rain = |how: &str| vec![Assertion::new("我", how, "下雨")];
    let (old, _) = user.remember_saying("我喜欢下雨", &rain("喜欢")).unwrap();
    let (new, _) = user.remember_saying("我讨厌下雨", &rain("讨厌")).unwrap();
    let found = user.clashes(new).unwrap();
    assert_eq!((found.len(), found[0].reason, &found[0].memories), (1, ClashReason::Opposite, &vec![old]));
    assert_eq!((found[0].triple.predicate.as_str(), found[0].other.predicate.as_str()), ("讨厌", "喜欢"));
    user.forget(old).unwrap();
    assert_eq!(user.clashes(new).unwrap(), []);
    let (not, _) = user.remember_saying("我不讨厌下雨", &[rain("讨厌").remove(0).negated()]).unwrap();
    assert_eq!(user.clashes(not).unwrap()[0].reason, ClashReason::Negation);
    assert!(user.clashes(MemoryId::from_bytes([9; 16])).unwrap_err().is_not_found());
}

#[test]
fn what_should_be_one_is_found_and_nothing_is_merged_by_it() {
    let (memory, _) = memory();
    let graph = memory.create_namespace("g", "graph").unwrap();
    let store = |topic: &str| {
        let text = format!("我 {topic}");
        let memory = annals::NewMemory::builder(text).kind("事实").build().unwrap();
        graph.remember_subgraph(memory, &NewSubgraph::new("我", "事实", topic)).unwrap().0
    };
    let ids = [store("情绪"), store("情绪"), store("天气")];
    let found = graph.merge_candidates(None, 100).unwrap();
    assert_eq!((found.checked, found.candidates.len(), found.next), (4, 1, None));
    let one = &found.candidates[0];
    assert_eq!((one.source.name.as_str(), one.target.name.as_str(), one.tier), ("情绪", "情绪", Tier::Name));
    assert!(one.target.id < one.source.id);
    assert_eq!(graph.merges().unwrap(), []);
    graph.merge_entities(one.source.id, one.target.id, "found").unwrap();
    assert_eq!(graph.merge_candidates(None, 100).unwrap().candidates, []);
    assert_eq!(graph.merge_candidates(None, 2).unwrap().next.map(|id| id.0), Some(1));
    assert_eq!(graph.subgraph(ids[1]).unwrap().to_graph_text(), "[我]--事实--[情绪]");
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
    let memory = Memory::options().clock(Arc::new(Ticking::default())).id_seed(1).in_memory().unwrap();
    let user = memory.namespace("u").unwrap();
    let chain: Vec<Assertion> =
        (0..30).map(|n| Assertion::new(format!("n{n}"), "next", format!("n{}", n + 1))).collect();
    let (id, _) = user.remember_saying("a chain", &chain).unwrap();
    let from: [EntityRef; 1] = ["n0".into()];
    let reach = |way: Walk| {
        let found = user.expand(&from, &way).unwrap();
        (found.reached.len(), found.cut)
    };
    let deep = Walk { depth: 100, ..Walk::default() };
    assert_eq!(reach(deep.clone()), (30, None));
    assert_eq!(reach(Walk { depth: 3, ..deep.clone() }), (3, None));
    assert_eq!(reach(Walk { nodes: 5, ..deep.clone() }), (5, Some(Cut::Nodes)));
    assert_eq!(reach(Walk { edges: 4, ..deep.clone() }).1, Some(Cut::Edges));
    // Each look at the clock takes a millisecond.
    assert_eq!(reach(Walk { time: Some(Duration::from_secs(1)), ..deep.clone() }), (30, None));
    assert_eq!(reach(Walk { time: Some(Duration::from_millis(2)), ..deep.clone() }).1, Some(Cut::Time));
    assert_eq!(reach(Walk { predicates: Some(vec!["other".to_owned()]), ..deep }), (0, None));
    user.delete(id, Mode::Commit).unwrap();
    sound(&memory);
}
