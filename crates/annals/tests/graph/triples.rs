//! Triples, links and what was derived, through the facade: what becomes of them with their
//! memories.

use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::graph::{
    Assertion, Claim, ClaimEdit, EntityId, EntityRef, Format, GraphExport, Support, TripleId,
    TripleQuery, View, Walk,
};
use annals::{ErrorKind, ManualClock, MemoryId, Mode, NewMemory, Receipt};

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

fn likes(what: &str) -> Assertion {
    Assertion::new("主人", "喜欢", what)
}

/// The visible triples in words.
fn said(namespace: &Namespace) -> Vec<String> {
    said_in(namespace, View::NOW)
}

fn said_in(namespace: &Namespace, view: View) -> Vec<String> {
    let page = namespace
        .graph()
        .triples(&TripleQuery::default().view(view))
        .unwrap();
    assert_eq!(page.next, None);
    let mut words: Vec<String> = page
        .triples
        .iter()
        .map(|t| {
            format!(
                "{} {}{} {}",
                t.subject,
                if t.negated { "不" } else { "" },
                t.predicate,
                t.object
            )
        })
        .collect();
    words.sort();
    words
}

fn sound(memory: &Memory) {
    let report = memory.validate().unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

#[test]
fn a_triple_has_its_fields_and_counts_its_evidence() {
    // spec: C-86, C-87, C-90, C-91
    let (memory, _) = memory();
    let user = memory.create_namespace("u", "companion").unwrap();
    let first = user.remember("主人很喜欢拉面").unwrap();
    let second = user.remember("主人喜欢拉面，不喜欢香菜").unwrap();
    let asserted = user
        .graph()
        .add_triples(first, &[likes("拉面").degree("很")])
        .unwrap();
    let line = &user.graph().lines().unwrap()[0];
    assert_eq!(
        (
            line.subject.as_str(),
            line.predicate.as_str(),
            line.object.as_str()
        ),
        ("主人", "喜欢", "拉面")
    );
    assert_eq!(
        (line.metadata.negation, line.metadata.frequency.as_deref()),
        (false, Some("很"))
    );
    assert_eq!(
        (&line.metadata.condition, &line.source_memory_ids),
        (&None, &vec![first.to_string()])
    );

    let again = user
        .graph()
        .add_triples(second, &[likes("拉面"), likes("香菜").negated()])
        .unwrap();
    assert_eq!(again.triples[0], asserted.triples[0]);
    assert_eq!(said(&user), ["主人 不喜欢 香菜", "主人 喜欢 拉面"]);
    let told = user.graph().explain_triple(asserted.triples[0]).unwrap();
    assert_eq!(told.triple.degree.as_deref(), Some("很"));
    let page = user
        .graph()
        .triples(&TripleQuery::default())
        .unwrap()
        .triples;
    let degrees: Vec<_> = page
        .iter()
        .map(|triple| (triple.object.as_str(), triple.degree.as_deref()))
        .collect();
    assert_eq!(degrees, [("拉面", Some("很")), ("香菜", None)]);
    // However it is reached, it is said with its degree.
    let [way, walk] = ["拉面", "主人"].map(EntityRef::from);
    let paths = user
        .graph()
        .paths(walk.clone(), way, &Walk::default(), 1)
        .unwrap()
        .paths;
    let beside = user
        .graph()
        .neighbours(walk.clone(), &Walk::default(), 1)
        .unwrap();
    let around = user
        .graph()
        .expand(&[walk], &Walk::default())
        .unwrap()
        .reached;
    for triple in [&paths[0][0], &beside[0].triple, &around[0].triple] {
        assert_eq!(triple.to_string(), "主人 喜欢 拉面 (很)");
    }
    assert_eq!(
        user.graph().subgraph(first).unwrap().to_graph_text(),
        "[主人]--喜欢 (很)--[拉面]"
    );
    assert_eq!(
        user.designs().graph().record(first).unwrap().memory.edges[0]
            .degree
            .as_deref(),
        Some("很")
    );
    assert!(
        user.graph()
            .explain(first)
            .unwrap()
            .iter()
            .any(|step| step.what == "[主人]--喜欢 (很)--[拉面]")
    );
    assert_eq!(
        told.evidence.iter().map(|e| e.memory).collect::<Vec<_>>(),
        [first, second]
    );
    // "喜欢" beside "不喜欢" of the same thing are two.
    user.graph()
        .add_triples(second, &[likes("拉面").negated()])
        .unwrap();
    assert_eq!(user.graph().stats().unwrap().triples, 3);
    sound(&memory);
}

#[test]
fn what_is_not_said_again_of_a_triple_stays() {
    let (memory, clock) = memory();
    let user = memory.namespace("u").unwrap();
    let said = user.remember("主人常吃拉面").unwrap();
    let until = clock_now(&clock).plus_millis(86_400_000);
    let claim = Claim {
        importance: annals::Importance::new("importance", 0.9).unwrap(),
        degree: Some("常".to_owned()),
        valid_until: Some(until),
        ..Claim::default()
    };
    let id = user
        .graph()
        .add_triples(said, &[likes("拉面").claim(claim.clone())])
        .unwrap()
        .triples[0];
    let told = |user: &Namespace| {
        user.graph().explain_triple(id).unwrap().evidence[0]
            .claim
            .clone()
    };
    user.graph().add_triples(said, &[likes("拉面")]).unwrap();
    assert_eq!(told(&user), claim);
    let half = annals::UnitScore::new("confidence", 0.5).unwrap();
    let more = ClaimEdit {
        confidence: Some(half),
        ..ClaimEdit::default()
    };
    user.graph()
        .add_triples(said, &[likes("拉面").edit(more)])
        .unwrap();
    assert_eq!(
        told(&user),
        Claim {
            confidence: half,
            ..claim
        }
    );
    // A whole claim takes the place of all of it.
    user.graph()
        .add_triples(said, &[likes("拉面").claim(Claim::default())])
        .unwrap();
    assert_eq!(told(&user), Claim::default());
    sound(&memory);
}

#[test]
fn a_triple_is_there_while_a_memory_says_so() {
    // spec: C-93
    let (memory, clock) = memory();
    let user = memory.create_namespace("u", "companion").unwrap();
    let first = user.remember("主人喜欢拉面").unwrap();
    let second = user.remember("主人又吃了拉面").unwrap();
    let id = user
        .graph()
        .add_triples(first, &[likes("拉面")])
        .unwrap()
        .triples[0];
    user.graph().add_triples(second, &[likes("拉面")]).unwrap();
    let seen = |what: &str| {
        sound(&memory);
        clock.advance_millis(1000);
        assert_eq!(
            !said(&user).is_empty(),
            user.graph().explain_triple(id).unwrap().triple.visible,
            "{what}"
        );
        !said(&user).is_empty()
    };
    user.forget(first).unwrap();
    assert!(seen("one of two is forgotten"));
    user.archive(second).unwrap();
    assert!(seen("one forgotten, one archived"));
    user.forget(second).unwrap();
    assert!(!seen("both are forgotten"));
    assert_eq!(said_in(&user, View::NOW.with_dormant()), ["主人 喜欢 拉面"]);
    user.restore(first).unwrap();
    assert!(seen("one came back"));
    user.delete(first, Mode::Commit).unwrap();
    assert!(!seen("the other one still sleeps"));
    assert_eq!(
        user.graph().explain_triple(id).unwrap().evidence[0].state,
        Support::Forgotten
    );
    user.restore(second).unwrap();
    assert!(seen("its last memory woke"));
    let receipt = user.delete(second, Mode::Commit).unwrap();
    assert_eq!((receipt.triples, receipt.entities), (1, 2));
    assert_eq!(user.graph().stats().unwrap(), Default::default());
    assert_eq!(
        user.graph().explain_triple(id).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    sound(&memory);
}

#[test]
fn what_is_known_of_a_memory_counts_from_its_first_triple_on() {
    let (memory, clock) = memory();
    let user = memory.namespace("u").unwrap();
    let hidden = user.remember("主人喜欢茶").unwrap();
    user.forget(hidden).unwrap();
    user.graph().add_triples(hidden, &[likes("茶")]).unwrap();
    assert!(
        said(&user).is_empty(),
        "a forgotten memory says nothing aloud"
    );
    let asked = clock_now(&clock);
    clock.advance_millis(1000);
    user.restore(hidden).unwrap();
    assert_eq!(said(&user), ["主人 喜欢 茶"]);
    assert!(said_in(&user, View::as_of(asked)).is_empty());
    // A new text is in use, whatever the old one was.
    user.forget(hidden).unwrap();
    user.update(hidden, "主人最喜欢茶").unwrap();
    assert_eq!(said(&user), ["主人 喜欢 茶"]);
    sound(&memory);
    let next = user.lifecycle().supersede(hidden, "主人喜欢绿茶").unwrap();
    let refused = user
        .graph()
        .add_triples(hidden, &[likes("咖啡")])
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    let told = user.graph().explain_triple(TripleId(0)).unwrap();
    assert!(told.evidence.iter().any(|e| e.memory == next && e.supports));
    sound(&memory);
}

fn clock_now(clock: &ManualClock) -> annals::Timestamp {
    annals::Clock::now(clock)
}

/// A receipt without what a dry run cannot know or does not show.
fn told(receipt: &Receipt) -> (Vec<MemoryId>, usize, Vec<MemoryId>, [u64; 5]) {
    let ids = receipt.memories.iter().map(|entry| entry.id).collect();
    let counts = [
        receipt.rows,
        receipt.triples,
        receipt.sleeping_triples,
        receipt.entities,
        receipt.links,
    ];
    (ids, receipt.asked, receipt.stale.clone(), counts)
}

#[test]
fn what_was_derived_goes_with_its_last_source() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let turns: Vec<MemoryId> = ["我搬到柏林了", "柏林的冬天很冷", "我在柏林上班"]
        .iter()
        .map(|text| user.remember(*text).unwrap())
        .collect();
    let fact = |text: &str, sources: &[MemoryId]| {
        let built = sources
            .iter()
            .fold(NewMemory::builder(text), |fact, id| fact.derived_from(*id));
        user.remember(built.build().unwrap()).unwrap()
    };
    let both = fact("主人住在柏林", &turns[..2]);
    let one = fact("柏林冬天冷", &turns[1..2]);
    let edited = fact("主人怕冷", &turns[1..2]);
    user.update(edited, "主人非常怕冷").unwrap();
    user.graph()
        .add_triples(one, &[Assertion::new("柏林", "冬天", "冷")])
        .unwrap();
    user.graph()
        .add_triples(both, &[Assertion::new("主人", "住在", "柏林")])
        .unwrap();
    user.graph().link(turns[1], "causes", both).unwrap();
    assert_eq!(user.graph().derivations(both).unwrap().0, turns[..2]);

    let dry = user.delete(turns[1], Mode::DryRun).unwrap();
    assert_eq!(
        user.graph().stats().unwrap().triples,
        2,
        "a dry run changes nothing"
    );
    let done = user.delete(turns[1], Mode::Commit).unwrap();
    assert_eq!(told(&dry), told(&done));
    assert_eq!(
        told(&done),
        (vec![turns[1], one], 1, vec![both], [2, 1, 0, 1, 1])
    );
    assert_eq!(
        (&dry.gone_triples, &dry.gone_entities),
        (&done.gone_triples, &done.gone_entities)
    );
    assert!(user.get(one).unwrap().is_none() && user.get(both).unwrap().is_some());
    assert!(
        user.get(edited).unwrap().is_some(),
        "what a person changed stands on its own"
    );
    assert_eq!(user.graph().links(both).unwrap(), []);
    sound(&memory);

    let done = user.delete(turns[0], Mode::Commit).unwrap();
    assert_eq!(
        told(&done),
        (vec![turns[0], both], 1, vec![], [2, 1, 0, 2, 0])
    );
    assert_eq!(said(&user), Vec::<String>::new());
    sound(&memory);
}

#[test]
fn a_dry_run_lists_what_goes_and_what_falls_asleep() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let [hidden, last] = ["主人喜欢拉面", "主人很喜欢茶"].map(|text| user.remember(text).unwrap());
    let both = user
        .graph()
        .add_triples(hidden, &[likes("拉面")])
        .unwrap()
        .triples;
    let [tea, _] = user
        .graph()
        .add_triples(last, &[likes("茶").degree("很"), likes("拉面")])
        .unwrap()
        .triples[..]
    else {
        panic!("two triples")
    };
    let cup = user.graph().entities("茶").unwrap()[0].id;
    user.forget(hidden).unwrap();

    let dry = user.delete(last, Mode::DryRun).unwrap();
    let words = dry.words.as_ref().unwrap();
    let told = |triples: &[annals::graph::Triple]| {
        triples.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(told(&words.gone_triples), ["主人 喜欢 茶 (很)"]);
    assert_eq!(told(&words.asleep_triples), ["主人 喜欢 拉面"]);
    assert_eq!(words.gone_entities, [(cup, "茶".to_owned())]);
    let done = user.delete(last, Mode::Commit).unwrap();
    assert_eq!(
        done.words, None,
        "a receipt repeats nothing of what is gone"
    );
    for receipt in [dry, done] {
        assert_eq!(
            (receipt.gone_triples, receipt.asleep_triples),
            (vec![tea], both.clone())
        );
        assert_eq!(receipt.gone_entities, [cup]);
    }
    sound(&memory);
}

#[test]
fn a_dry_run_names_the_memories_whose_earlier_texts_go() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let source = user.remember("我搬到柏林了").unwrap();
    let fact = |text: &str| {
        NewMemory::builder(text)
            .derived_from(source)
            .build()
            .unwrap()
    };
    let edited = user.remember(fact("主人住在柏林")).unwrap();
    user.update(edited, "主人住在汉堡").unwrap();
    for mode in [Mode::DryRun, Mode::Commit] {
        assert_eq!(user.delete(source, mode).unwrap().shortened, [edited]);
    }
    assert_eq!(user.history(edited).unwrap().len(), 1);
}

#[test]
fn wrong_ids_are_refused_whole() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let other = memory.namespace("other").unwrap();
    let foreign = other.remember("somebody else's").unwrap();
    assert!(
        user.graph()
            .add_triples(foreign, &[likes("茶")])
            .unwrap_err()
            .is_not_found()
    );
    let own = user.remember("主人喜欢茶").unwrap();
    let refused = user
        .graph()
        .add_triples(foreign, &[likes("茶")])
        .unwrap_err();
    assert!(
        refused.is_not_found() && refused.to_string().contains(&foreign.to_string()),
        "{refused}"
    );
    let bad = [likes("茶"), Assertion::new("主人", "", "茶")];
    assert_eq!(
        user.graph().add_triples(own, &bad).unwrap_err().kind(),
        ErrorKind::Invalid
    );
    let unknown = [likes("茶"), Assertion::new(EntityId(77), "喜欢", "茶")];
    assert!(
        user.graph()
            .add_triples(own, &unknown)
            .unwrap_err()
            .is_not_found()
    );
    let refused = user.graph().link(own, "causes", foreign).unwrap_err();
    assert!(
        refused.is_not_found() && refused.to_string().contains(&foreign.to_string()),
        "{refused}"
    );
    assert!(
        user.graph()
            .link(own, "causes", own)
            .unwrap_err()
            .is_invalid()
    );
    let refused = user
        .graph()
        .link(own, "adores", user.remember("x").unwrap())
        .unwrap_err();
    assert!(
        refused.is_invalid() && refused.to_string().contains("导致"),
        "{refused}"
    );
    assert!(
        user.graph()
            .delete_triples(&[TripleId(0)])
            .unwrap_err()
            .is_not_found()
    );
    assert!(
        user.graph()
            .triples(&TripleQuery::default().subject(EntityId(5)))
            .unwrap_err()
            .is_not_found()
    );
    assert_eq!(user.graph().stats().unwrap(), Default::default());
    sound(&memory);
}

#[test]
fn links_are_told_by_their_memories() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let (rain, late) = (
        user.remember("it rained").unwrap(),
        user.remember("I was late").unwrap(),
    );
    user.graph().link(late, "caused_by", rain).unwrap();
    let links = user.graph().links(rain).unwrap();
    assert_eq!(links, user.graph().links(late).unwrap());
    assert_eq!(
        (links[0].from, links[0].relation.as_str(), links[0].to),
        (rain, "causes", late)
    );
    user.forget(late).unwrap();
    assert!(!user.graph().links(rain).unwrap()[0].visible);
    user.restore(late).unwrap();
    user.update(rain, "it rained a lot").unwrap();
    assert_eq!(user.graph().links(late).unwrap()[0].from, rain);
    assert!(user.graph().unlink(late, "caused_by", rain).unwrap());
    assert!(!user.graph().unlink(rain, "causes", late).unwrap());
    assert_eq!(user.graph().links(rain).unwrap(), []);
    sound(&memory);
}

#[test]
fn merged_entities_are_one_until_it_is_undone() {
    // spec: G-131
    let (memory, _) = memory();
    let user = memory.create_namespace("u", "graph").unwrap();
    let id = user
        .remember(
            NewMemory::builder("Ada, also called A. Lovelace, lives in Berlin and likes ramen")
                .kind("事实")
                .build()
                .unwrap(),
        )
        .unwrap();
    let made = user
        .graph()
        .add_triples(
            id,
            &[
                Assertion::new("Ada", "lives in", "Berlin"),
                Assertion::new("A. Lovelace", "likes", "ramen"),
            ],
        )
        .unwrap();
    let (ada, lovelace) = (made.ends[0].0, made.ends[1].0);
    let merge = user
        .graph()
        .merges()
        .merge(lovelace, ada, "the same person")
        .unwrap();
    let about = |name: &str| {
        user.graph()
            .triples(&TripleQuery::default().subject(name))
            .unwrap()
            .triples
            .len()
    };
    assert_eq!((about("Ada"), about("A. Lovelace")), (2, 2));
    let way = Walk {
        depth: 2,
        ..Walk::default()
    };
    assert_eq!(
        user.graph()
            .paths("Berlin", "ramen", &way, 5)
            .unwrap()
            .paths[0]
            .len(),
        2
    );
    assert_eq!(
        user.graph()
            .expand(&[EntityRef::from("Berlin")], &way)
            .unwrap()
            .reached
            .len(),
        2
    );
    user.graph().merges().undo(merge.id).unwrap();
    assert_eq!((about("Ada"), about("A. Lovelace")), (1, 1));
    assert_eq!(
        user.graph()
            .paths("Berlin", "ramen", &way, 5)
            .unwrap()
            .paths,
        Vec::<Vec<_>>::new()
    );
    assert!(
        user.graph()
            .merges()
            .undo(merge.id)
            .unwrap_err()
            .is_not_found()
    );
    let beside = user
        .graph()
        .neighbours("Ada", &Walk::default(), 10)
        .unwrap();
    assert_eq!(
        (
            beside.len(),
            beside[0].entity.name.as_str(),
            beside[0].outgoing
        ),
        (1, "Berlin", true)
    );
    sound(&memory);
}

#[test]
fn pages_join_to_the_whole() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let id = user.remember("many things").unwrap();
    let things: Vec<Assertion> = (0..7)
        .map(|n| Assertion::new("Ada", "has", format!("thing {n}")))
        .collect();
    user.graph().add_triples(id, &things).unwrap();
    let whole = user
        .graph()
        .triples(&TripleQuery::default().subject("ada"))
        .unwrap();
    assert_eq!(whole.triples.len(), 7);
    let (mut joined, mut after) = (Vec::new(), None);
    loop {
        let query = TripleQuery {
            after,
            ..TripleQuery::default().subject("ADA").limit(3)
        };
        let page = user.graph().triples(&query).unwrap();
        assert!(page.triples.len() <= 3);
        joined.extend(page.triples);
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    assert_eq!(joined, whole.triples);
    let wrong = TripleQuery {
        after: Some("elsewhere".to_owned()),
        ..TripleQuery::default()
    };
    assert!(user.graph().triples(&wrong).unwrap_err().is_invalid());
}

#[test]
fn the_graph_is_drawn_with_the_ids_of_memories() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let id = user.remember("主人喜欢茶").unwrap();
    user.graph().add_triples(id, &[likes("茶")]).unwrap();
    for format in [
        Format::Dot,
        Format::GraphMl,
        Format::Json,
        Format::NTriples,
        Format::Triples,
    ] {
        let mut out = Vec::new();
        user.graph()
            .export(&GraphExport::new(format), &mut out)
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains('茶') || text.contains("\\u8336"), "{text}");
    }
    let only = GraphExport {
        memories: Some(vec![
            "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e".parse().unwrap(),
        ]),
        ..GraphExport::new(Format::Json)
    };
    assert!(
        user.graph()
            .export(&only, &mut Vec::new())
            .unwrap_err()
            .is_not_found()
    );
    // A memory whose text was replaced is one node; what was forgotten is none.
    let edited = user
        .graph()
        .update(id, "主人爱喝茶", &[likes("茶")])
        .unwrap();
    let gone = user.remember("主人喜欢酒").unwrap();
    user.graph().add_triples(gone, &[likes("酒")]).unwrap();
    user.forget(gone).unwrap();
    let drawn = |what: &GraphExport| {
        let mut out = Vec::new();
        user.graph().export(what, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let dot = drawn(&GraphExport::new(Format::Dot));
    assert_eq!(
        (
            dot.matches("shape=box").count(),
            dot.matches(&gone.to_string()).count()
        ),
        (1, 0),
        "{dot}"
    );
    assert!(dot.contains(&edited.to_string()), "{dot}");
    let lines = |what: GraphExport| drawn(&what).lines().count();
    let triples = GraphExport::new(Format::Triples);
    assert_eq!(lines(triples.clone()), 1);
    assert_eq!(
        lines(GraphExport {
            memories: Some(vec![gone]),
            dormant: true,
            ..triples.clone()
        }),
        1
    );
    assert_eq!(
        lines(GraphExport {
            dormant: true,
            ..triples
        }),
        2
    );
}
