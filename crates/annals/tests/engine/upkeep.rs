//! The results of the night: the report, attachments that have expired, memories that a person
//! should look at.

use crate::support::life::{World, day};
use annals::profile::JobStep;
use annals::{Attachment, MemoryId, Mode, NewMemory, NewTurn, Status};

fn fact(world: &World, kind: &str, (importance, confidence): (f32, f32), text: &str) -> MemoryId {
    world.remember(
        NewMemory::builder(text)
            .kind(kind)
            .importance(importance)
            .confidence(confidence)
            .build()
            .unwrap(),
    )
}

#[test]
fn the_night_ends_with_a_report() {
    // spec: S-71, S-72
    let mut world = World::new("studio");
    let strong = fact(&world, "preference", (0.9, 1.0), "用户喜欢深色主题");
    let weak = fact(&world, "fact", (0.25, 1.0), "用户的猫叫小满");
    let gone = fact(&world, "fact", (0.05, 1.0), "用户以前住在汉堡");
    for (text, at) in [("我喜欢用 Vue 3", 0.01), ("我现在更喜欢用 React", 0.02)] {
        world.at(at);
        let built = NewMemory::builder(text)
            .kind("goal")
            .metadata("subject", "我")
            .metadata("predicate", "框架");
        world.remember(built.build().unwrap());
    }
    world.memory().create_namespace("v", "studio").unwrap();
    // The hour is at night; a run that was missed is made up for at the next start.
    world.at(0.1);
    assert_eq!(world.maintain(), []);
    world.at(0.5);
    world.reopen();
    let reports = world.maintain();
    let steps: Vec<JobStep> = reports[0].steps.iter().map(|made| made.step).collect();
    assert_eq!(
        (&*reports[0].why, steps),
        (
            "hour",
            vec![JobStep::Rules, JobStep::Conflicts, JobStep::Report]
        )
    );
    assert_eq!([strong, weak, gone].map(|id| world.status(id)), {
        [
            Some(Status::Active),
            Some(Status::Active),
            Some(Status::Forgotten),
        ]
    });
    let report = &reports[0].steps[2].counts;
    let told = [
        ("memories", 5),
        ("of kind preference", 1),
        ("of kind fact", 2),
        ("of kind goal", 2),
        ("active", 1),
        ("weak", 1),
        ("forgotten", 1),
        ("forgotten per thousand", 200),
        ("contradictions", 0),
        ("duplicates", 0),
        ("in u", 5),
        ("in v", 0),
        ("kept", 4),
        ("namespaces above the target", 0),
    ];
    let told = told
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
    assert_eq!(
        *report, told,
        "two goals contradict each other, but that was settled when the second came"
    );
    let last = world.memory().jobs().list().unwrap()[0]
        .last
        .clone()
        .unwrap();
    assert_eq!((last.steps[2].counts.clone(), last.at), (told, day(0.5)));
    world.validate();
}

#[test]
fn attachments_go_when_they_have_expired() {
    // spec: A-69
    let mut world = World::new("agent");
    let attach = |text: &str, expires: Option<f64>, file: Option<&str>| {
        let turn = NewTurn::builder("s", text);
        let turn = expires.map_or(turn.clone(), |days| turn.expires_at(day(days)));
        let file = file.map(|uri| Attachment {
            uri: uri.to_owned(),
            media_type: None,
            caption: Some(text.to_owned()),
        });
        let turn = file.map_or(turn.clone(), |file| turn.attachment(file));
        world
            .space()
            .sessions()
            .append(vec![turn.build().unwrap()])
            .unwrap()[0]
    };
    let expired = attach(
        "a photo of the red bicycle",
        Some(0.2),
        Some("/photos/1.jpg"),
    );
    let later = attach("a photo of the cellar", Some(2.0), Some("/photos/2.jpg"));
    let ever = attach("a photo of the house", None, Some("/photos/3.jpg"));
    let word = attach("a word in passing", Some(0.2), None);
    world.at(1.2);
    world.reopen();
    let reports = world.force();
    let made = reports[0]
        .steps
        .iter()
        .find(|made| made.step == JobStep::Attachments)
        .unwrap();
    assert_eq!(made.counts, [("deleted".to_owned(), 1)].into());
    assert_eq!(world.space().get(expired).unwrap(), None);
    assert!(
        [later, ever, word]
            .iter()
            .all(|id| world.space().get(*id).unwrap().is_some())
    );
    assert!(
        !world
            .recall("red bicycle")
            .iter()
            .any(|text| text.contains("bicycle"))
    );
    // While the clock may be ahead, nothing goes.
    world.clock.set(day(400.0));
    world.force();
    assert!(world.space().get(later).unwrap().is_some());
    world.at(400.0);
    world.force();
    assert_eq!(world.space().get(later).unwrap(), None);
    world.validate();
}

#[test]
fn what_matters_and_is_not_sure_is_shown_to_a_person() {
    // part: S-121; there is no page
    let world = World::new("studio");
    let text = |n: u32| {
        format!(
            "记忆之{n}：{}",
            ["灯塔", "风琴", "雪橇", "酒窖", "羊皮纸"][n as usize]
        )
    };
    let with = |n: u32, importance: f32, confidence: f32| {
        fact(&world, "fact", (importance, confidence), &text(n))
    };
    let doubtful = with(0, 0.9, 0.59);
    with(1, 0.9, 0.6);
    with(2, 0.89, 0.1);
    let first = with(3, 0.95, 0.3);
    let found = |world: &World| -> Vec<MemoryId> {
        world
            .space()
            .reviews()
            .doubtful(10)
            .unwrap()
            .into_iter()
            .map(|memory| memory.id)
            .collect()
    };
    assert_eq!(found(&world), [first, doubtful]);
    let body = world.space().get(first).unwrap().unwrap().body;
    let confirmed = NewMemory::from_body(annals::Body {
        verified: true,
        ..body
    })
    .unwrap();
    world.space().update(first, confirmed).unwrap();
    assert_eq!(found(&world), [doubtful]);
    world.space().delete(doubtful, Mode::Commit).unwrap();
    assert_eq!(found(&world), []);
    assert_eq!(
        World::new("companion")
            .space()
            .reviews()
            .doubtful(10)
            .unwrap(),
        []
    );
}
