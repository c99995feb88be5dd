//! Export and import.

use std::sync::{Arc, LazyLock};

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, Format, GraphExport};
use annals::{
    ImportFormat, ImportOptions, ManualClock, NewMemory, NewTurn, OnBad, Status, Timestamp,
};

use crate::support::reads::Counted;

fn memory() -> (Memory, ManualClock) {
    let clock = ManualClock::new(Timestamp::from_millis(1_772_000_000_000));
    (
        Memory::options()
            .clock(Arc::new(clock.clone()))
            .id_seed(7)
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
) -> Result<annals::ImportReport, annals::Error> {
    namespace
        .transfer()
        .import(&mut text.as_bytes(), options, &mut |_| {})
}

fn filled() -> (Memory, Namespace) {
    let (memory, clock) = memory();
    let user = memory.namespace("source").unwrap();
    let fact = NewMemory::builder("I drink coffee.")
        .tag("taste")
        .metadata("n", 3)
        .metadata("x", 0.5)
        .build()
        .unwrap();
    let id = user.remember(fact).unwrap();
    for text in ["first turn", "second turn \u{1f600}\n\"quoted\"", "第三轮"] {
        user.sessions()
            .append(vec![
                NewTurn::builder("s", text)
                    .speaker("Ann")
                    .reply("ok")
                    .build()
                    .unwrap(),
            ])
            .unwrap();
    }
    clock.advance_millis(5000);
    user.update(id, "I drink tea.").unwrap();
    let other = user.lifecycle().supersede(id, "I drink water.").unwrap();
    clock.advance_millis(5000);
    user.archive(other).unwrap();
    (memory, user)
}

#[test]
fn a_round_trip_loses_nothing() {
    let (_keep, user) = filled();
    let first = export(&user);
    // Five memories; the graph knows three texts that were replaced or replaced one.
    assert_eq!(first.lines().count(), 8);
    let (target, _) = memory();
    let copy = target.namespace("copy").unwrap();
    let report = import(
        &copy,
        &first,
        &ImportOptions {
            batch: 2,
            ..ImportOptions::default()
        },
    )
    .unwrap();
    assert_eq!(
        (
            report.stored,
            report.already_there,
            report.graph_stored,
            report.lines_done
        ),
        (5, 0, 3, 8)
    );
    assert_eq!(export(&copy), first);
    assert_eq!(copy.admin().validate().unwrap(), Vec::<String>::new());
    let again = import(&copy, &first, &ImportOptions::default()).unwrap();
    assert_eq!((again.stored, again.already_there), (0, 5));
    assert_eq!(export(&copy), first);
    let hits = copy.recall(
        annals::Query::new("what do I drink?").filter(annals::Filter {
            statuses: vec![Status::Archived],
            ..annals::Filter::default()
        }),
    );
    assert_eq!(hits.unwrap()[0].text, "I drink water.");
}

#[test]
fn what_was_of_use_after_it_was_replaced_keeps_its_life() {
    let (_keep, user) = filled();
    let old = user.remember("I live in Rome.").unwrap();
    user.lifecycle().supersede(old, "I live in Oslo.").unwrap();
    user.touch(&[old]).unwrap();
    let first = export(&user);
    assert!(
        first
            .lines()
            .any(|line| line.contains(&old.to_string()) && line.contains("\"used\":1")),
        "{first}"
    );
    let (target, _) = memory();
    let copy = target.namespace("copy").unwrap();
    import(&copy, &first, &ImportOptions::default()).unwrap();
    assert_eq!(export(&copy), first);
    assert_eq!(
        (
            user.admin().validate().unwrap(),
            copy.admin().validate().unwrap()
        ),
        (Vec::new(), Vec::new())
    );
}

#[test]
fn lives_that_a_profile_does_not_give_are_kept_by_a_round_trip() {
    let (memory, clock) = memory();
    let user = memory.create_namespace("source", "studio").unwrap();
    let tea = user.remember("I drink tea.").unwrap();
    let old = user.remember("I live in Rome.").unwrap();
    user.touch(&[tea, old]).unwrap();
    clock.advance_millis(5000);
    user.lifecycle().supersede(old, "I live in Oslo.").unwrap();
    user.admin().set_profile("default").unwrap();
    let first = export(&user);
    assert_eq!(first.matches("\"life\":{").count(), 2, "{first}");
    let (target, clock) = self::memory();
    clock.advance_millis(5000);
    let copy = target.namespace("copy").unwrap();
    import(&copy, &first, &ImportOptions::default()).unwrap();
    assert_eq!(export(&copy), first);
    assert_eq!(copy.admin().validate().unwrap(), Vec::<String>::new());
    // A profile that has lives goes on with them.
    let standing = |space: &Namespace| {
        space.admin().set_profile("studio").unwrap();
        space
            .lifecycle()
            .standings(&[tea])
            .unwrap()
            .remove(0)
            .map(|standing| (standing.used, standing.score.to_bits()))
    };
    let was = standing(&user);
    assert_eq!((standing(&copy), was.is_some()), (was, true));
    assert_eq!(copy.admin().validate().unwrap(), Vec::<String>::new());
}

#[test]
fn an_import_says_where_it_stopped_and_goes_on_from_there() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let good = |n: usize| format!("{{\"session\":\"s\",\"text\":\"line {n}\"}}\n");
    let mut text: String = (1..=5).map(good).collect();
    text.push_str("{\"session\":\"s\",\"text\":\"\"}\n");
    text.push_str("not json\n\n");
    text.extend((9..=10).map(good));
    let options = ImportOptions {
        format: ImportFormat::Turns,
        batch: 2,
        ..ImportOptions::default()
    };
    let error = import(&user, &text, &options).unwrap_err();
    assert_eq!(error.import_line(), Some(6));
    assert!(error.to_string().contains("text is empty"), "{error}");
    assert_eq!(user.admin().stats().unwrap().memories, 5);
    let options = ImportOptions {
        skip_lines: 5,
        on_bad: OnBad::Collect,
        ..options
    };
    let report = import(&user, &text, &options).unwrap();
    assert_eq!(
        report.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(),
        [6, 7]
    );
    assert_eq!((report.stored, report.lines_done), (2, 10));
    assert_eq!(report.bad[1].bytes, b"not json");
    let order: Vec<String> = user
        .session("s")
        .memories(0, 10)
        .unwrap()
        .into_iter()
        .map(|m| m.body.text)
        .collect();
    assert_eq!(
        order,
        [
            "line 1", "line 2", "line 3", "line 4", "line 5", "line 9", "line 10"
        ]
    );
}

#[test]
fn invalid_utf8_and_foreign_fields_are_bad_lines() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let options = ImportOptions {
        format: ImportFormat::Turns,
        on_bad: OnBad::Collect,
        ..ImportOptions::default()
    };
    let input: &[u8] =
        b"{\"session\":\"s\",\"text\":\"\xff\"}\n{\"session\":\"s\",\"text\":\"x\",\"colour\":1}\n";
    let report = user
        .transfer()
        .import(&mut &*input, &options, &mut |_| {})
        .unwrap();
    assert_eq!(report.stored, 0);
    assert_eq!(
        report.bad[0].bytes, b"{\"session\":\"s\",\"text\":\"\xff\"}",
        "not a byte is lost"
    );
    assert!(
        report.bad[0].reason.contains("UTF-8") && report.bad[1].reason.contains("colour"),
        "{:?}",
        report.bad
    );
}

#[test]
fn a_memory_that_is_not_allowed_is_a_bad_line() {
    let text = export(&filled().1).replace("\"第三轮\"", "\" \"");
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let error = import(&user, &text, &ImportOptions::default()).unwrap_err();
    assert_eq!(error.import_line(), Some(4));
    assert!(
        error.is_invalid() && error.to_string().contains("text is empty"),
        "{error}"
    );
    let options = ImportOptions {
        on_bad: OnBad::Collect,
        ..ImportOptions::default()
    };
    let report = import(&user, &text, &options).unwrap();
    assert_eq!(
        (report.stored, report.already_there, report.bad[0].line),
        (1, 3, 4)
    );
}

fn turns(count: usize) -> String {
    (1..=count)
        .map(|n| format!("{{\"session\":\"s\",\"text\":\"line {n}\"}}\n"))
        .collect()
}

fn order(user: &Namespace) -> Vec<String> {
    user.session("s")
        .memories(0, 1000)
        .unwrap()
        .into_iter()
        .map(|m| m.body.text)
        .collect()
}

/// A program that dies right after a batch is durable, before it could note anything, stores
/// nothing twice.
#[test]
fn an_import_that_dies_after_a_commit_goes_on_exactly_there() {
    let (memory, _) = memory();
    let (user, other) = (
        memory.namespace("u").unwrap(),
        memory.namespace("other").unwrap(),
    );
    let text = turns(10);
    let options = ImportOptions {
        format: ImportFormat::Turns,
        batch: 3,
        source: Some("chat.ndjson".to_owned()),
        ..ImportOptions::default()
    };
    for done in [3, 6, 9] {
        let position = user
            .transfer()
            .unfinished()
            .unwrap()
            .first()
            .map_or(0, |position| position.lines_done);
        let resumed = ImportOptions {
            skip_lines: position,
            ..options.clone()
        };
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            user.transfer()
                .import(&mut text.as_bytes(), &resumed, &mut |_| {
                    std::panic::resume_unwind(Box::new("dies"))
                })
        }));
        assert!(died.is_err());
        let positions = user.transfer().unfinished().unwrap();
        assert_eq!(positions.len(), 1);
        assert_eq!(
            (positions[0].source.as_str(), positions[0].lines_done),
            ("chat.ndjson", done)
        );
    }
    assert_eq!(other.transfer().unfinished().unwrap(), []);
    let report = import(
        &user,
        &text,
        &ImportOptions {
            skip_lines: 9,
            ..options.clone()
        },
    )
    .unwrap();
    assert_eq!((report.stored, report.lines_done), (1, 10));
    assert_eq!(
        user.transfer().unfinished().unwrap(),
        [],
        "an import that ended leaves nothing"
    );
    assert_eq!(
        order(&user),
        (1..=10).map(|n| format!("line {n}")).collect::<Vec<_>>()
    );
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());

    let unnamed = ImportOptions {
        source: Some(String::new()),
        ..options
    };
    assert!(import(&user, &text, &unnamed).unwrap_err().is_invalid());
}

#[test]
fn positions_of_imports_go_with_their_namespace() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let source = Some("x".to_owned());
    let options = ImportOptions {
        format: ImportFormat::Turns,
        source,
        batch: 2,
        ..ImportOptions::default()
    };
    let error = import(&user, &format!("{}garbage\n", turns(3)), &options).unwrap_err();
    assert_eq!(
        (
            error.import_line(),
            user.transfer().unfinished().unwrap()[0].lines_done
        ),
        (Some(4), 3)
    );
    let exported = ImportOptions {
        format: ImportFormat::Export,
        source: Some("y".to_owned()),
        ..options
    };
    let text = format!("{}garbage\n", export(&user));
    assert_eq!(
        import(&user, &text, &exported).unwrap_err().import_line(),
        Some(4)
    );
    let found: Vec<_> = user
        .transfer()
        .unfinished()
        .unwrap()
        .into_iter()
        .map(|p| (p.source, p.lines_done))
        .collect();
    assert_eq!(found, [("x".to_owned(), 3), ("y".to_owned(), 3)]);
    memory.delete_namespace("u", annals::Mode::Commit).unwrap();
    user.remember("new").unwrap();
    assert_eq!(user.transfer().unfinished().unwrap(), []);
}

#[test]
fn an_import_that_nobody_goes_on_with_is_forgotten() {
    let (memory, clock) = memory();
    let user = memory.namespace("u").unwrap();
    let from = |source: &str| {
        let source = Some(source.to_owned());
        ImportOptions {
            format: ImportFormat::Turns,
            source,
            batch: 2,
            ..ImportOptions::default()
        }
    };
    let left = || -> Vec<String> {
        user.transfer()
            .unfinished()
            .unwrap()
            .into_iter()
            .map(|position| position.source)
            .collect()
    };
    let broken =
        |session: &str| format!("{{\"session\":\"{session}\",\"text\":\"so\"}}\ngarbage\n");
    import(&user, &broken("one"), &from("cut off")).unwrap_err();
    clock.advance_millis(29 * 86_400_000);
    import(&user, &broken("two"), &from("later")).unwrap_err();
    import(&user, &turns(4), &from("whole")).unwrap();
    assert_eq!(left(), ["cut off", "later"]);
    clock.advance_millis(2 * 86_400_000);
    import(&user, &turns(5), &from("whole")).unwrap();
    assert_eq!(left(), ["later"]);
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
}

static EXPORTED: LazyLock<Vec<u8>> = LazyLock::new(|| export(&filled().1).into_bytes());

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..proptest::prelude::ProptestConfig::default()
    })]

    #[test]
    fn fuzz_any_bytes_are_survived(
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400),
        turns in proptest::bool::ANY,
    ) {
        let (memory, _) = memory();
        let user = memory.namespace("u").unwrap();
        let format = if turns { ImportFormat::Turns } else { ImportFormat::Export };
        let options = ImportOptions { format, on_bad: OnBad::Collect, ..ImportOptions::default() };
        let report = user.transfer().import(&mut bytes.as_slice(), &options, &mut |_| {}).unwrap();
        proptest::prop_assert_eq!(report.stored, 0);
    }

    /// Lines that are almost right: whatever is stored of them fits together.
    #[test]
    fn fuzz_broken_lines_are_survived(
        changes in proptest::collection::vec((0..1_000_000_usize, proptest::num::u8::ANY, proptest::bool::ANY), 1..4),
    ) {
        let mut bytes = EXPORTED.clone();
        for (at, byte, swap) in changes {
            let at = at % bytes.len();
            if swap {
                bytes[at] = byte;
            } else {
                bytes.remove(at);
            }
        }
        let (memory, _) = memory();
        let user = memory.namespace("u").unwrap();
        let options = ImportOptions { on_bad: OnBad::Collect, batch: 2, ..ImportOptions::default() };
        let report = user.transfer().import(&mut bytes.as_slice(), &options, &mut |_| {}).unwrap();
        let problems = user.admin().validate().unwrap();
        proptest::prop_assert!(problems.is_empty(), "{:?}", problems);
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        let graph = report.graph_stored + report.graph_already_there;
        let seen = report.stored + report.already_there + graph + report.bad.len() as u64;
        proptest::prop_assert_eq!(seen, lines as u64);
        let memories = export(&user).lines().filter(|line| line.contains("\"revisions\"")).count();
        proptest::prop_assert_eq!(memories as u64, report.stored);
    }
}

#[test]
fn a_graph_whose_memories_cannot_be_read_is_not_exported_under_made_up_names() {
    let store = Counted::default();
    let memory = Memory::options().open_on(Box::new(store.clone())).unwrap();
    let user = memory.namespace("u").unwrap();
    let id = user.remember("Ann lives in Oslo.").unwrap();
    user.graph()
        .add_triples(id, &[Assertion::new("Ann", "lives in", "Oslo")])
        .unwrap();
    let written = || {
        let mut out = Vec::new();
        user.graph()
            .export(&GraphExport::new(Format::Json), &mut out)
            .map(|()| String::from_utf8(out).unwrap())
    };
    assert!(written().unwrap().contains(&id.to_string()));
    store.unreadable(Some("records.rows"));
    assert!(written().unwrap_err().is_io());
    assert!(user.graph().lines().unwrap_err().is_io());
    store.unreadable(None);
    assert_eq!(written().unwrap(), written().unwrap());
}
