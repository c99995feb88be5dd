//! Graph and life in exports: nothing is lost, nothing is stored twice, and what does not fit is
//! refused.

use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, NewEntity, NewSubgraph, TripleQuery, View};
use annals::{ImportOptions, ImportReport, ManualClock, MemoryId, Mode, NewMemory, OnBad};
use proptest::prelude::*;

const HOUR: i64 = 3_600_000;

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

fn export(namespace: &Namespace) -> String {
    let mut out = Vec::new();
    namespace.transfer().export(&mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

fn import(
    namespace: &Namespace,
    text: &str,
    options: &ImportOptions,
) -> Result<ImportReport, annals::Error> {
    namespace
        .transfer()
        .import(&mut text.as_bytes(), options, &mut |_| {})
}

fn sound(memory: &Memory) {
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}

fn triples(namespace: &Namespace, view: View) -> Vec<annals::graph::Triple> {
    let mut found = namespace
        .graph()
        .triples(&TripleQuery::default().view(view).limit(1000))
        .unwrap()
        .triples;
    // Pages go by the numbers of predicates, which an import gives anew.
    found.sort_by_key(|triple| triple.id);
    found
}

/// A namespace with something of everything, some hours old.
fn filled(profile: &str) -> (Memory, ManualClock, Vec<MemoryId>) {
    let (memory, clock) = memory();
    let user = memory.create_namespace("source", profile).unwrap();
    let kind = if profile == "graph" { "事实" } else { "fact" };
    let fact = |text: &str| {
        NewMemory::builder(text)
            .kind(kind)
            .importance(0.7)
            .build()
            .unwrap()
    };
    let ada = NewEntity::new("Ada")
        .kind("person")
        .alias("A. L.")
        .field("born", 1815);
    let (one, _) = user
        .graph()
        .remember(
            fact("Ada likes Bob."),
            &[Assertion::new(ada, "likes", "Bob")
                .degree("much")
                .condition("now")],
        )
        .unwrap();
    clock.advance_millis(HOUR);
    let (two, _) = user
        .graph()
        .remember(
            fact("Robert sings."),
            &[Assertion::new("Robert", "does", "sing")],
        )
        .unwrap();
    let (three, _) = user
        .graph()
        .remember_subgraph(
            fact("一段记忆"),
            &NewSubgraph::new("我", "事实", "记忆").object("它"),
        )
        .unwrap();
    let four = user
        .remember(
            NewMemory::builder("So it is.")
                .kind(kind)
                .derived_from(one)
                .build()
                .unwrap(),
        )
        .unwrap();
    user.graph().link(one, "导致", two).unwrap();
    user.graph().add_entity(&NewEntity::new("alone")).unwrap();
    let number = |name: &str| user.graph().entities(name).unwrap()[0].id;
    user.graph()
        .merges()
        .merge(number("Robert"), number("Bob"), "his full name")
        .unwrap();
    clock.advance_millis(HOUR);
    let two = user
        .graph()
        .update(
            two,
            fact("Robert dances."),
            &[Assertion::new("Robert", "does", "dance")],
        )
        .unwrap();
    user.touch(&[one, one, three]).unwrap();
    memory.maintain(true, Mode::Commit).unwrap();
    clock.advance_millis(30 * HOUR);
    memory.maintain(true, Mode::Commit).unwrap();
    user.forget(three).unwrap();
    (memory, clock, vec![one, two, three, four])
}

#[test]
fn a_graph_and_what_memories_are_worth_travel() {
    // spec: G-150
    for profile in ["default", "companion", "graph"] {
        let (memory, clock, ids) = filled(profile);
        let user = memory.namespace("source").unwrap();
        let text = export(&user);
        let at = annals::Clock::now(&clock);
        let target_clock = ManualClock::new(at);
        let target = Memory::options()
            .clock(Arc::new(target_clock.clone()))
            .id_seed(2)
            .in_memory()
            .unwrap();
        let copy = target.namespace("copy").unwrap();
        let report = import(
            &copy,
            &text,
            &ImportOptions {
                batch: 3,
                ..ImportOptions::default()
            },
        )
        .unwrap();
        assert_eq!((report.stored, report.bad.len()), (4, 0), "{profile}");
        sound(&target);
        assert_eq!(export(&copy), text, "{profile}");
        assert_eq!(copy.graph().stats().unwrap(), user.graph().stats().unwrap());
        assert_eq!(copy.admin().profile().unwrap(), profile);
        let again = import(&copy, &text, &ImportOptions::default()).unwrap();
        assert_eq!(
            (again.stored, again.graph_stored, again.bad.len()),
            (0, 0, 0)
        );
        assert_eq!(
            again.already_there + again.graph_already_there,
            text.lines().count() as u64
        );
        assert_eq!(export(&copy), text);

        for view in [
            View::NOW,
            View::NOW.with_dormant(),
            View::as_of("2026-03-01T12:30:00Z".parse().unwrap()),
        ] {
            assert_eq!(triples(&copy, view), triples(&user, view), "{profile}");
        }
        // Both live on alike: what they are worth, what wakes, what goes.
        for (memory, namespace, clock) in
            [(&memory, &user, &clock), (&target, &copy, &target_clock)]
        {
            clock.advance_millis(50 * HOUR);
            memory.maintain(true, Mode::Commit).unwrap();
            namespace.restore(ids[2]).unwrap();
            namespace
                .graph()
                .merges()
                .undo(namespace.graph().merges().list().unwrap()[0].id)
                .unwrap();
            namespace.delete(ids[0], Mode::Commit).unwrap();
            sound(memory);
        }
        let stand = |namespace: &Namespace| -> Vec<_> {
            let standings = namespace
                .lifecycle()
                .standings(&ids[1..])
                .unwrap()
                .into_iter();
            // When a rule looks at it next is no trait of it: each file reckons from where it is.
            standings
                .map(|standing| {
                    standing.map(|standing| annals::Standing {
                        due_at: None,
                        ..standing
                    })
                })
                .collect()
        };
        assert_eq!(stand(&copy), stand(&user), "{profile}");
        assert_eq!(copy.graph().stats().unwrap(), user.graph().stats().unwrap());
        assert_eq!(
            copy.get(ids[3]).unwrap(),
            None,
            "it went with its only source"
        );
    }
}

#[test]
fn an_import_that_stops_anywhere_goes_on_exactly_there() {
    let (memory, ..) = filled("graph");
    let text = export(&memory.namespace("source").unwrap());
    let lines: Vec<&str> = text.lines().collect();
    let source = Some("a file".to_owned());
    for stop in 1..lines.len() {
        let (target, _) = self::memory();
        let copy = target.namespace("copy").unwrap();
        let mut cut: Vec<&str> = lines[..stop].to_vec();
        cut.push("garbage");
        let options = ImportOptions {
            batch: 4,
            source: source.clone(),
            ..ImportOptions::default()
        };
        let error = import(&copy, &cut.join("\n"), &options).unwrap_err();
        assert_eq!(error.import_line(), Some(stop as u64 + 1));
        sound(&target);
        let done = copy.transfer().unfinished().unwrap()[0].lines_done;
        assert_eq!(done, stop as u64);
        import(
            &copy,
            &text,
            &ImportOptions {
                skip_lines: done,
                ..options
            },
        )
        .unwrap();
        sound(&target);
        assert_eq!(export(&copy), text, "stopped behind line {stop}");
    }
}

#[test]
fn an_import_that_ends_takes_nothing_from_one_that_goes_on() {
    let (memory, ..) = filled("graph");
    let text = export(&memory.namespace("source").unwrap());
    let first = |what: &str| text.lines().position(|line| line.contains(what)).unwrap();
    // Entities, and nothing yet that speaks of them.
    let stop = first("\"said\":[");
    assert!(first("\"entity\":{") < stop - 1, "{text}");
    let (target, _) = self::memory();
    let copy = target.namespace("copy").unwrap();
    let from = |source: &str| ImportOptions {
        batch: 4,
        source: Some(source.to_owned()),
        ..ImportOptions::default()
    };
    let lines = |count: usize| text.lines().take(count).collect::<Vec<_>>().join("\n");
    import(
        &copy,
        &format!("{}\ngarbage", lines(stop - 1)),
        &from("cut off"),
    )
    .unwrap_err();
    let other = import(&copy, &lines(stop), &from("other")).unwrap();
    assert_eq!(other.graph_stored, 1);
    sound(&target);
    let go_on = ImportOptions {
        skip_lines: stop as u64 - 1,
        ..from("cut off")
    };
    import(&copy, &text, &go_on).unwrap();
    sound(&target);
    assert_eq!(export(&copy), text);
}

#[test]
fn an_import_that_was_given_up_leaves_no_entity_that_nothing_speaks_of() {
    let (memory, ..) = filled("graph");
    let text = export(&memory.namespace("source").unwrap());
    let stop = text
        .lines()
        .position(|line| line.contains("\"said\":["))
        .unwrap();
    let (target, clock) = self::memory();
    let copy = target.namespace("copy").unwrap();
    let from = |source: &str| ImportOptions {
        batch: 4,
        source: Some(source.to_owned()),
        ..ImportOptions::default()
    };
    let lines = |count: usize| text.lines().take(count).collect::<Vec<_>>().join("\n");
    import(
        &copy,
        &format!("{}\ngarbage", lines(stop)),
        &from("cut off"),
    )
    .unwrap_err();
    let entities = copy.graph().stats().unwrap().entities;
    clock.advance_millis(31 * 24 * HOUR);
    import(&copy, &lines(1), &from("other")).unwrap();
    assert!(copy.graph().stats().unwrap().entities < entities);
    assert_eq!(copy.transfer().unfinished().unwrap(), []);
    sound(&target);
    import(&copy, &text, &from("again")).unwrap();
    sound(&target);
}

#[test]
fn lines_that_do_not_fit_are_refused_with_a_reason_and_kept_as_they_are() {
    let (memory, ..) = filled("graph");
    let text = export(&memory.namespace("source").unwrap());
    let collect = ImportOptions {
        on_bad: OnBad::Collect,
        ..ImportOptions::default()
    };
    // Each line left out or broken in turn: what can be stored is, and fits together.
    for (at, line) in text.lines().enumerate() {
        let (target, _) = self::memory();
        let copy = target.namespace("copy").unwrap();
        let broken = line.replacen(':', ":\u{1},", 1);
        let some: Vec<&str> = text
            .lines()
            .enumerate()
            .map(|(n, l)| if n == at { broken.as_str() } else { l })
            .collect();
        let report = import(&copy, &some.join("\n"), &collect).unwrap();
        assert!(!report.bad.is_empty());
        let bad = report
            .bad
            .iter()
            .find(|bad| bad.line == at as u64 + 1)
            .unwrap();
        assert_eq!(
            (bad.bytes.as_slice(), bad.reason.is_empty()),
            (broken.as_bytes(), false)
        );
        let seen =
            report.stored + report.already_there + report.graph_stored + report.graph_already_there;
        assert_eq!(seen + report.bad.len() as u64, text.lines().count() as u64);
        sound(&target);
    }
    // Numbers that mean something else here, and memories that are hidden here.
    let target = Memory::options().id_seed(9).in_memory().unwrap();
    let own = target.create_namespace("own", "graph").unwrap();
    own.graph()
        .remember(
            NewMemory::builder("x").kind("事实").build().unwrap(),
            &[Assertion::new("x", "y", "z")],
        )
        .unwrap();
    let report = import(&own, &text, &collect).unwrap();
    assert_eq!(report.stored, 4);
    assert!(
        report
            .bad
            .iter()
            .any(|bad| bad.reason.contains("taken by another one")),
        "{:?}",
        report.bad
    );
    sound(&target);
    let hidden = text.replace("\"forgotten\",\"time\"", "\"active\",\"time\"");
    let (target, _) = self::memory();
    let copy = target.namespace("copy").unwrap();
    import(&copy, &hidden, &collect).unwrap();
    sound(&target);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    /// For any history of a namespace: its export, imported elsewhere, is exported alike.
    #[test]
    fn what_is_exported_and_imported_is_exported_alike(
        steps in prop::collection::vec((0..9_u8, 0..6_usize, 0..6_usize), 1..25),
        batch in 1..7_usize,
    ) {
        let (memory, clock) = memory();
        let user = memory.namespace("u").unwrap();
        let mut ids: Vec<MemoryId> = Vec::new();
        let names = ["a", "b", "c", "d", "e", "f"];
        for (step, one, other) in steps {
            clock.advance_millis(1000);
            let pick = |n: usize| ids.get(n % ids.len().max(1)).copied();
            let said = [Assertion::new(names[one], "p", names[other])];
            // Impossible steps (two names that are one already, a memory linked to itself) are
            // left out.
            let _done = match (step, pick(one), pick(other)) {
                (0 | 1, ..) | (_, None, _) => {
                    user.graph().remember("some words", &said).map(|(id, _)| ids.push(id))
                }
                (2, Some(id), _) => user.graph().add_triples(id, &said).map(drop),
                (3, Some(id), _) => user.graph().update(id, "other words", &said).map(drop),
                (4, Some(id), _) => user.forget(id),
                (5, Some(id), _) => user.restore(id),
                (6, Some(id), Some(to)) => user.graph().link(id, "causes", to),
                (7, ..) => {
                    let number = |name: &str| user.graph().entities(name).unwrap().first().map(|entity| entity.id);
                    match (number(names[one]), number(names[other])) {
                        (Some(from), Some(to)) => user.graph().merges().merge(from, to, "one").map(drop),
                        _ => Ok(()),
                    }
                }
                (_, Some(id), _) => user.delete(id, Mode::Commit).map(|_| ids.retain(|kept| *kept != id)),
            };
        }
        let text = export(&user);
        let (target, _) = self::memory();
        let copy = target.namespace("u").unwrap();
        let options = ImportOptions { batch, ..ImportOptions::default() };
        let report = import(&copy, &text, &options).unwrap();
        prop_assert_eq!(report.stored + report.graph_stored, text.lines().count() as u64);
        prop_assert_eq!(export(&copy), text);
        let problems = target.validate().unwrap().problems;
        prop_assert!(problems.is_empty(), "{:?}", problems);
    }
}
