//! Turns that come more than once, by one file or by several.

use annals::blocking::{Memory, Namespace};
use annals::{Conversations, Filter, ImportFormat, ImportOptions, ImportReport, Mode, NewTurn};
use serde_json::json;

/// A namespace, with the database that holds it.
struct World {
    memory: Memory,
    space: Namespace,
}

impl World {
    fn new() -> Self {
        let memory = Memory::options().in_memory().unwrap();
        Self {
            space: memory.namespace("u").unwrap(),
            memory,
        }
    }

    fn import(&self, lines: &str, options: ImportOptions) -> ImportReport {
        let options = ImportOptions {
            format: ImportFormat::Turns,
            ..options
        };
        let report = self
            .space
            .transfer()
            .import(&mut lines.as_bytes(), &options, &mut |_| {})
            .unwrap();
        assert_eq!(
            self.memory.validate().unwrap().problems,
            Vec::<String>::new()
        );
        report
    }

    /// Stored, there already, deleted since, differing.
    fn bring(&self, texts: &[&str]) -> (u64, u64, u64, u64) {
        told(&self.import(&bare(texts), ImportOptions::default()))
    }

    fn texts(&self) -> Vec<String> {
        self.space
            .session("s")
            .memories(0, 5_000)
            .unwrap()
            .into_iter()
            .map(|turn| turn.body.text)
            .collect()
    }

    fn delete(&self, text: &str) {
        let turns = self.space.session("s").memories(0, 5_000).unwrap();
        let turn = turns.iter().find(|turn| turn.body.text == text).unwrap();
        self.space.delete(turn.id, Mode::Commit).unwrap();
    }
}

fn told(report: &ImportReport) -> (u64, u64, u64, u64) {
    (
        report.stored,
        report.already_there,
        report.deleted,
        report.differing,
    )
}

fn bare(texts: &[&str]) -> String {
    texts
        .iter()
        .map(|text| format!("{}\n", json!({"session": "s", "text": text})))
        .collect()
}

fn talk(turns: usize) -> Vec<String> {
    (0..turns)
        .map(|n| {
            if n % 2 == 0 {
                format!("question {n}")
            } else {
                format!("answer {n}")
            }
        })
        .collect()
}

fn words(talk: &[String]) -> Vec<&str> {
    talk.iter().map(String::as_str).collect()
}

#[test]
fn a_message_that_comes_alone_is_never_lost() {
    let world = World::new();
    let said = [
        "shall I book it?",
        "yes",
        "done. anything else?",
        "yes",
        "shall I book it?",
        "yes",
        "yes",
    ];
    for text in said {
        assert_eq!(world.bring(&[text]), (1, 0, 0, 0), "{text}");
    }
    assert_eq!(world.texts(), said);
    // Two of them, from the middle of what was said.
    assert_eq!(world.bring(&["yes", "done. anything else?"]), (2, 0, 0, 0));
    let document = |text: &str| {
        let read = json!({"id": "c", "turns": [{"session": "d", "text": text}]}).to_string();
        let read = Conversations::parse(read.as_bytes()).unwrap();
        world
            .space
            .transfer()
            .import_conversation(
                &read.conversations[0],
                &ImportOptions::default(),
                &mut |_| {},
            )
            .unwrap()
            .stored
    };
    assert_eq!(said.map(document), [1; 7]);
}

#[test]
fn a_turn_at_the_end_of_a_batch_is_compared_with_those_behind_it() {
    let world = World::new();
    assert_eq!(world.bring(&["hello", "yes", "no", "bye"]).0, 4);
    let other = format!("{}\n", json!({"session": "t", "text": "x"}));
    let file = other + &bare(&["yes", "maybe", "never"]);
    for batch in [2, 500] {
        let report = world.import(
            &file,
            ImportOptions {
                batch,
                ..ImportOptions::default()
            },
        );
        let expected = if batch == 2 {
            (4, 0, 0, 0)
        } else {
            (0, 4, 0, 0)
        };
        assert_eq!(
            told(&report),
            expected,
            "the last three are what came last, then"
        );
    }
}

#[test]
fn a_file_that_begins_with_what_came_last_goes_on_from_there() {
    let world = World::new();
    assert_eq!(world.bring(&["one", "two", "three", "four"]).0, 4);
    assert_eq!(world.bring(&["three", "four", "five"]), (1, 2, 0, 0));
    assert_eq!(
        world.bring(&["one", "two", "three", "four", "five", "six"]),
        (1, 5, 0, 0)
    );
    assert_eq!(
        world.texts(),
        ["one", "two", "three", "four", "five", "six"]
    );
}

#[test]
fn what_was_deleted_stays_away_unless_it_is_asked_back() {
    let named = |id: &str, text: &str| json!({"session": "s", "id": id, "time": "2026-01-01T10:00:00", "text": text});
    let timed = |text: &str| json!({"session": "s", "time": "2026-01-01T10:00:00", "text": text});
    let untimed = |text: &str| json!({"session": "s", "text": text});
    let texts = ["hello", "my test is positive", "I see", "bye"];
    let files = [
        texts
            .map(|text| named(text, text))
            .map(|line| format!("{line}\n"))
            .concat(),
        texts.map(timed).map(|line| format!("{line}\n")).concat(),
        texts.map(untimed).map(|line| format!("{line}\n")).concat(),
    ];
    for file in files {
        let world = World::new();
        assert_eq!(
            told(&world.import(&file, ImportOptions::default())),
            (4, 0, 0, 0)
        );
        world.delete("my test is positive");
        assert_eq!(
            told(&world.import(&file, ImportOptions::default())),
            (0, 3, 1, 0),
            "{file}"
        );
        let grown = file.clone()
            + &format!(
                "{}\n",
                json!({"session": "s", "text": "one more", "id": "more"})
            );
        assert_eq!(
            told(&world.import(&grown, ImportOptions::default())),
            (1, 3, 1, 0),
            "{file}"
        );
        // The whole session.
        let all = Filter {
            sessions: vec![annals::Label::new("session", "s").unwrap()],
            ..Filter::default()
        };
        world.space.bulk().delete_where(&all, Mode::Commit).unwrap();
        assert_eq!(
            told(&world.import(&grown, ImportOptions::default())),
            (0, 0, 5, 0),
            "{file}"
        );
        let back = || ImportOptions {
            bring_back: true,
            ..ImportOptions::default()
        };
        assert_eq!(told(&world.import(&grown, back())), (5, 0, 0, 0), "{file}");
        assert_eq!(told(&world.import(&grown, back())), (0, 5, 0, 0), "{file}");
        assert_eq!(world.texts().len(), 5);
        // No word of it is kept, and the numbers go with the namespace.
        world.memory.delete_namespace("u", Mode::Commit).unwrap();
        assert_eq!(
            told(&world.import(&file, ImportOptions::default())),
            (4, 0, 0, 0),
            "{file}"
        );
    }
}

#[test]
fn what_came_another_way_stays_away_as_well() {
    let world = World::new();
    assert_eq!(world.bring(&["hello", "hi"]).0, 2);
    let turn = |text: &str| NewTurn::builder("s", text).build().unwrap();
    world
        .space
        .sessions()
        .append(vec![turn("my test is positive"), turn("I see")])
        .unwrap();
    world.delete("my test is positive");
    assert_eq!(
        world.bring(&["hello", "hi", "my test is positive", "I see", "bye"]),
        (1, 3, 1, 0)
    );
}

#[test]
fn what_was_deleted_before_anything_came_fits_anywhere_in_its_gap() {
    let world = World::new();
    let texts = talk(12);
    let turns = texts
        .iter()
        .map(|text| NewTurn::builder("s", text.as_str()).build().unwrap());
    world.space.sessions().append(turns.collect()).unwrap();
    texts[2..9].iter().for_each(|text| world.delete(text));
    assert_eq!(world.bring(&words(&texts)), (0, 5, 7, 0));
    // Those that come back take their places out of the gap, the others stay away.
    let back = |texts: &[&str]| {
        told(&world.import(
            &bare(texts),
            ImportOptions {
                bring_back: true,
                ..ImportOptions::default()
            },
        ))
    };
    assert_eq!(back(&words(&texts[..5])), (3, 2, 0, 0));
    assert_eq!(world.bring(&words(&texts)), (0, 8, 4, 0));
    assert_eq!(back(&words(&texts)), (4, 8, 0, 0));
    assert_eq!(world.bring(&words(&texts)), (0, 12, 0, 0));
}

/// Positions in an export are whatever somebody wrote there: nothing is counted through up to them.
#[test]
fn far_positions_cost_nothing_and_the_session_goes_on() {
    let source = World::new();
    let turns =
        ["one", "two", "three", "four"].map(|text| NewTurn::builder("s", text).build().unwrap());
    source.space.sessions().append(turns.to_vec()).unwrap();
    let mut export = Vec::new();
    source
        .space
        .transfer()
        .export(&mut export, &mut |_| {})
        .unwrap();
    let mut export = String::from_utf8(export).unwrap();
    for (here, far) in [(1, 10_000_000), (2, 1_000_000_000), (3, u32::MAX)] {
        let (here, far) = (
            format!("\"position\":{here}"),
            format!("\"position\":{far}"),
        );
        assert!(export.contains(&here), "{export}");
        export = export.replace(&here, &far);
    }
    let world = World::new();
    let bring = |world: &World, export: &str| {
        let report = world
            .space
            .transfer()
            .import(
                &mut export.as_bytes(),
                &ImportOptions::default(),
                &mut |_| {},
            )
            .unwrap();
        assert_eq!(
            world.memory.validate().unwrap().problems,
            Vec::<String>::new()
        );
        report.stored
    };
    assert_eq!((bring(&world, &export), bring(&world, &export)), (4, 0));
    assert_eq!(world.bring(&["five", "six"]), (2, 0, 0, 0));
    world.delete("five");
    assert_eq!(world.bring(&["five", "six", "seven"]), (1, 1, 1, 0));
    assert_eq!(
        world.texts(),
        ["one", "two", "three", "four", "six", "seven"]
    );
    let mut again = Vec::new();
    world
        .space
        .transfer()
        .export(&mut again, &mut |_| {})
        .unwrap();
    let other = World::new();
    assert_eq!(bring(&other, std::str::from_utf8(&again).unwrap()), 6);
    assert_eq!(other.texts(), world.texts());
}

#[test]
fn one_changed_message_is_one_message() {
    let first = talk(40);
    for at in [0, 3, 38, 39] {
        let world = World::new();
        assert_eq!(world.bring(&words(&first)).0, 40);
        let mut file = first.clone();
        file[at] = "given anew".to_owned();
        let changed = u64::from(at != 39);
        assert_eq!(
            world.bring(&words(&file)),
            (1, 39, 0, changed),
            "message {at} is another"
        );
        assert_eq!(
            world.bring(&words(&file)),
            (0, 40, 0, 0),
            "message {at} is known"
        );
        assert_eq!(
            world.bring(&words(&first)),
            (0, 40, 0, 0),
            "the file as it was"
        );
        file.push("more".to_owned());
        assert_eq!(world.bring(&words(&file)).0, 1, "the file goes on");
        assert_eq!(world.texts().len(), 42);
    }
    // Some that came between, and some that are left out.
    let world = World::new();
    assert_eq!(world.bring(&words(&first)).0, 40);
    let mut file = first.clone();
    file.splice(10..10, ["between", "them"].map(str::to_owned));
    assert_eq!(world.bring(&words(&file)), (2, 40, 0, 2));
    file.drain(20..23);
    assert_eq!(world.bring(&words(&file)), (0, 39, 0, 0));
}

#[test]
fn another_talk_that_begins_alike_is_new() {
    let world = World::new();
    assert_eq!(
        world.bring(&["hi", "hello", "what is the time?", "noon"]).0,
        4
    );
    assert_eq!(
        world.bring(&["hi", "hello", "tell me a joke", "no", "why?", "I know none"]),
        (6, 0, 0, 0)
    );
    assert_eq!(world.texts().len(), 10);
}

#[test]
fn a_long_file_that_two_bring_is_brought_once() {
    let lines: Vec<String> = talk(60);
    let turns: Vec<_> = lines
        .iter()
        .map(|text| json!({"session": "s", "text": text}))
        .collect();
    let read =
        Conversations::parse(json!({"id": "c", "turns": turns}).to_string().as_bytes()).unwrap();
    let (world, together) = (World::new(), std::sync::Barrier::new(4));
    let options = ImportOptions {
        batch: 1,
        ..ImportOptions::default()
    };
    let bring = || {
        together.wait();
        world
            .space
            .transfer()
            .import_conversation(&read.conversations[0], &options, &mut |_| {})
            .unwrap()
            .stored
    };
    let stored: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(bring)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!((stored, world.texts()), (60, lines));
}

#[test]
fn a_known_id_with_other_words_is_stored_and_said_to_differ() {
    let line =
        |id: usize, text: &str| format!("{}\n", json!({"session": "s", "id": id, "text": text}));
    let day = |texts: &[&str]| {
        texts
            .iter()
            .enumerate()
            .map(|(at, text)| line(at + 1, text))
            .collect::<String>()
    };
    let (monday, tuesday) = (
        day(&["plan my trip", "where to?", "Oslo"]),
        day(&["my pressure is high", "since when?"]),
    );
    let world = World::new();
    let bring = |file: &str| told(&world.import(file, ImportOptions::default()));
    assert_eq!(bring(&monday), (3, 0, 0, 0));
    assert_eq!(bring(&tuesday), (2, 0, 0, 2));
    assert_eq!(
        (bring(&monday), bring(&tuesday)),
        ((0, 3, 0, 0), (0, 2, 0, 0))
    );
    assert_eq!(world.texts().len(), 5);
    // A deleted turn stays away, whatever is written under its id by now.
    world.delete("Oslo");
    assert_eq!(bring(&line(3, "Oslo, in May")), (0, 0, 1, 0));
    let back = ImportOptions {
        bring_back: true,
        ..ImportOptions::default()
    };
    assert_eq!(
        told(&world.import(&line(3, "Oslo, in May"), back)),
        (1, 0, 0, 0)
    );
    // Of a file by itself nothing differs, however often it names an id.
    let (world, same) = (
        World::new(),
        day(&["a", "b", "c"]).replace("\"id\":2", "\"id\":1"),
    );
    let batch = || ImportOptions {
        batch: 1,
        ..ImportOptions::default()
    };
    assert_eq!(told(&world.import(&same, batch())), (3, 0, 0, 0));
    assert_eq!(told(&world.import(&same, batch())), (0, 3, 0, 0));
}

#[test]
fn a_turn_that_gets_an_id_later_is_known_by_its_time() {
    let file = |ids: bool| {
        let line = |n: usize| {
            let mut line = json!({"session": "s", "time": format!("2026-01-01T10:00:{n:02}"), "text": format!("t{}", n / 2)});
            if ids {
                line["id"] = format!("m{n}").into();
            }
            format!("{line}\n")
        };
        (0..5).map(line).collect::<String>()
    };
    let world = World::new();
    assert_eq!(
        told(&world.import(&file(false), ImportOptions::default())),
        (5, 0, 0, 0)
    );
    world.delete("t2");
    assert_eq!(
        told(&world.import(&file(true), ImportOptions::default())),
        (0, 4, 1, 0)
    );
    // Another id at the same time is another message.
    let world = World::new();
    assert_eq!(
        told(&world.import(&file(true), ImportOptions::default())),
        (5, 0, 0, 0)
    );
    assert_eq!(
        told(&world.import(&file(true).replace("\"m", "\"n"), ImportOptions::default())),
        (5, 0, 0, 0)
    );
    assert_eq!(
        told(&world.import(&file(false), ImportOptions::default())),
        (0, 5, 0, 0)
    );
}

#[test]
fn sessions_that_are_written_in_turn_are_known_where_a_later_part_begins() {
    let file = |turns: std::ops::Range<usize>| {
        let line = |(turn, session)| {
            format!(
                "{}\n",
                json!({"session": format!("s{session}"), "text": format!("turn {turn} of {session}")})
            )
        };
        turns
            .flat_map(|turn| (0..40).map(move |session| (turn, session)))
            .map(line)
            .collect::<String>()
    };
    let world = World::new();
    assert_eq!(
        told(&world.import(&file(0..100), ImportOptions::default())),
        (4_000, 0, 0, 0)
    );
    assert_eq!(
        told(&world.import(&file(40..105), ImportOptions::default())),
        (200, 2_400, 0, 0)
    );
}

#[test]
fn parts_of_a_talk_are_known_again_wherever_they_stand() {
    let (all, world) = (talk(60), World::new());
    for part in [0..20, 15..40, 38..60] {
        world.bring(&words(&all[part]));
    }
    assert_eq!(world.texts(), all);
    for part in [0..20, 15..40, 38..60, 5..30] {
        assert_eq!(
            world.bring(&words(&all[part.clone()])),
            (0, part.len() as u64, 0, 0),
            "{part:?}"
        );
    }
    // A turn is told to have been deleted in the part that it was in, and a changed one comes last.
    world.delete("question 20");
    let mut part = all[15..40].to_vec();
    part[10] = "answered anew".to_owned();
    assert_eq!(world.bring(&words(&part)), (1, 23, 1, 1));
    assert_eq!(world.bring(&words(&part)), (0, 24, 1, 0));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(11), ..proptest::prelude::ProptestConfig::default()
    })]

    /// For any history of a session, a file of its own words is brought once; then the words that
    /// it has grown by.
    #[test]
    fn a_file_that_comes_again_brings_what_is_new(
        before in proptest::collection::vec(proptest::collection::vec(0_usize..6, 1..9), 0..4),
        length in 2_usize..30, more in 0_usize..5, changed in 0_usize..30,
    ) {
        const WORDS: [&str; 6] = ["yes", "no", "why?", "because", "go on", "stop"];
        let world = World::new();
        for earlier in &before {
            world.bring(&earlier.iter().map(|word| WORDS[*word]).collect::<Vec<_>>());
        }
        let mut file = talk(length);
        proptest::prop_assert_eq!(world.bring(&words(&file)).0, length as u64);
        proptest::prop_assert_eq!(world.bring(&words(&file)), (0, length as u64, 0, 0));
        file.extend((0..more).map(|number| format!("more {number}")));
        proptest::prop_assert_eq!(world.bring(&words(&file)).0, more as u64);
        let whole = file.len() as u64;
        file[changed % length] = "given anew".to_owned();
        world.bring(&words(&file));
        proptest::prop_assert_eq!(world.bring(&words(&file)), (0, whole, 0, 0));
    }

    /// For any history of a session, each word of a file is in it as often as in the file; and for
    /// a session without a history the same file brings nothing more.
    #[test]
    fn a_file_is_brought_whole_and_once(
        before in proptest::collection::vec(proptest::collection::vec(0_usize..6, 1..9), 0..4),
        file in proptest::collection::vec(0_usize..6, 2..14),
    ) {
        const WORDS: [&str; 6] = ["yes", "no", "why?", "because", "go on", "stop"];
        let said = |file: &[usize]| file.iter().map(|word| WORDS[*word]).collect::<Vec<_>>();
        let world = World::new();
        for earlier in &before {
            world.bring(&said(earlier));
        }
        let (stored, there, gone, _) = world.bring(&said(&file));
        proptest::prop_assert_eq!(stored + there, file.len() as u64);
        let texts = world.texts();
        for word in WORDS {
            let here = texts.iter().filter(|text| *text == word).count();
            let wanted = said(&file).iter().filter(|text| **text == word).count();
            proptest::prop_assert!(here >= wanted, "{}: {} of {}", word, here, wanted);
        }
        proptest::prop_assert_eq!(gone, 0);
        if before.is_empty() {
            proptest::prop_assert_eq!(world.bring(&said(&file)), (0, file.len() as u64, 0, 0));
        }
    }
}
