//! The requirements of the designs on memories, each under the profile of its design, shown
//! through the facade.

use std::collections::HashSet;
use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::{
    Attachment, Calibration, EmbedError, Embedder, Filter, Fingerprint, Kind, Layer, ListQuery,
    ManualClock, MemoryId, Mode, NewMemory, NewTurn, Operation, Purpose, Query, Status, TimeRange,
    Timestamp, UnitScore,
};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn memory() -> (Memory, ManualClock) {
    let clock = ManualClock::new(at("2026-03-01T12:00:00Z"));
    (
        Memory::options()
            .clock(Arc::new(clock.clone()))
            .id_seed(1)
            .in_memory()
            .unwrap(),
        clock,
    )
}

/// The namespace `u` under a profile.
fn under(profile: &str) -> (Namespace, ManualClock) {
    let (memory, clock) = memory();
    (memory.create_namespace("u", profile).unwrap(), clock)
}

/// A question that every answer is good enough for.
fn open(question: &str) -> Query {
    Query::new(question).min_score(UnitScore::new("least", 0.0).unwrap())
}

fn texts(namespace: &Namespace, question: impl Into<Query>) -> Vec<String> {
    namespace
        .recall(question)
        .unwrap()
        .into_iter()
        .map(|hit| hit.text)
        .collect()
}

fn export(namespace: &Namespace) -> Vec<u8> {
    let mut out = Vec::new();
    namespace.transfer().export(&mut out, &mut |_| {}).unwrap();
    out
}

#[test]
fn asking_changes_nothing() {
    // spec: C-02
    let (user, clock) = under("companion");
    for (n, text) in [
        "主人喜欢拉面",
        "主人昨天吃了拉面",
        "拉面店在车站旁边",
        "主人养了一只猫",
    ]
    .iter()
    .enumerate()
    {
        let fact = NewMemory::builder(*text).importance(1.0 + n as f32 * 0.3);
        user.remember(fact.build().unwrap()).unwrap();
    }
    let importance = |user: &Namespace| -> Vec<u32> {
        let page = user.list(&ListQuery::default()).unwrap();
        page.memories
            .iter()
            .map(|memory| memory.body.importance.get().to_bits())
            .collect()
    };
    let before = (
        importance(&user),
        export(&user),
        user.admin().events(0, 100).unwrap(),
    );
    for _ in 0..20 {
        assert!(texts(&user, "拉面")[0].contains("拉面"));
        clock.advance_millis(HOUR);
    }
    assert_eq!(
        (
            importance(&user),
            export(&user),
            user.admin().events(0, 100).unwrap()
        ),
        before
    );
}

#[test]
fn a_core_memory_is_among_the_first_three() {
    // spec: C-39
    let (user, _) = under("companion");
    let core = NewMemory::builder("主人生日是5月3日")
        .kind("core")
        .build()
        .unwrap();
    user.remember(core).unwrap();
    for n in 0..30 {
        user.remember(format!("第{n}天主人去了公园，那里有很多花"))
            .unwrap();
    }
    let first: Vec<String> = texts(&user, Query::new("你知道我生日吗").top_k(3));
    assert!(
        first.iter().any(|text| text == "主人生日是5月3日"),
        "{first:?}"
    );
}

#[test]
fn the_best_n_come_best_first() {
    // spec: C-100
    let (user, _) = under("companion");
    for what in [
        "汤", "店", "碗", "面汤", "味道", "老板", "照片", "菜单", "价格", "配料",
    ] {
        user.remember(format!("主人说过拉面的{what}怎么样"))
            .unwrap();
    }
    let hits = user.recall("拉面").unwrap();
    assert_eq!(hits.len(), 3, "as many as by default");
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let all = user.recall(Query::new("拉面").top_k(10)).unwrap();
    assert_eq!(
        all.iter().map(|hit| hit.id).take(3).collect::<Vec<_>>(),
        hits.iter().map(|hit| hit.id).collect::<Vec<_>>()
    );
    assert_eq!(all.len(), 10);
}

#[test]
fn a_new_text_keeps_the_id_and_is_found_by_its_own_words() {
    // spec: C-124
    let (user, _) = under("companion");
    let id = user.remember("主人在银行上班").unwrap();
    user.remember("主人的朋友在银行旁边开店").unwrap();
    assert_eq!(user.update(id, "主人在学校教书").unwrap(), id);
    assert_eq!(user.recall("学校教书").unwrap()[0].id, id);
    assert_ne!(user.recall("银行上班").unwrap()[0].id, id);
}

#[test]
fn ids_are_never_given_twice() {
    // part: C-47; only prompts show ids with the prefix `mem_`
    let (user, clock) = under("companion");
    let mut seen: HashSet<MemoryId> = HashSet::new();
    for round in 0..100 {
        let batch: Vec<NewMemory> = (0..100)
            .map(|n| format!("{round} {n}").try_into().unwrap())
            .collect();
        let ids = user.bulk().remember(batch).unwrap();
        user.bulk().delete(&ids, Mode::Commit).unwrap();
        assert!(ids.iter().all(|id| user.get(*id).unwrap().is_none()));
        seen.extend(ids);
        // A clock that stands still or goes back is no reason to repeat one.
        clock.advance_millis([0, 5, -3][round % 3]);
    }
    assert_eq!(seen.len(), 10_000);
    assert_eq!(user.admin().stats().unwrap().memories, 0);
}

#[test]
fn users_share_nothing_and_their_assistants_everything() {
    // spec: S-05, X-09, A-95, S-140
    for (profile, kind) in [("studio", "fact"), ("agent", "FACT")] {
        let (memory, _) = memory();
        let [one, two] =
            ["user:1", "user:2"].map(|name| memory.create_namespace(name, profile).unwrap());
        let by = |assistant: &str, text: &str| {
            let built = NewMemory::builder(text)
                .kind(kind)
                .metadata("assistant", assistant)
                .tag("secret");
            built.build().unwrap()
        };
        let id = one
            .remember(by("assistant X", "The colour of the safe is heliotrope."))
            .unwrap();
        // Assistant Y opens the same namespace by its name.
        let from_y = memory.namespace("user:1").unwrap();
        assert_eq!(
            from_y.recall("colour of the safe").unwrap()[0].id,
            id,
            "{profile}"
        );

        assert!(two.recall(open("colour of the safe")).unwrap().is_empty());
        two.remember(by("assistant X", "The safe is in the cellar."))
            .unwrap();
        assert_eq!(
            texts(&two, open("heliotrope colour of the safe")),
            ["The safe is in the cellar."]
        );
        assert_eq!(two.list(&ListQuery::default()).unwrap().total, 1);
        assert_eq!(two.get(id).unwrap(), None);
        assert!(two.history(id).unwrap().is_empty());
        for refused in [
            two.forget(id),
            two.touch(&[id]).map(drop),
            two.delete(id, Mode::Commit).map(drop),
            two.update(id, "x").map(drop),
        ] {
            assert!(refused.unwrap_err().is_not_found());
        }
        assert!(
            two.admin()
                .events(0, 100)
                .unwrap()
                .iter()
                .all(|event| event.id != Some(id))
        );
        assert!(
            !String::from_utf8(export(&two))
                .unwrap()
                .contains("heliotrope")
        );
        let across = memory
            .recall_across(&["user:2"], open("heliotrope"))
            .unwrap();
        assert!(
            across
                .iter()
                .all(|hit| hit.namespace == "user:2" && !hit.text.contains("heliotrope"))
        );
        // The same words weigh as if the other user did not exist.
        let score = |memory: &Memory| {
            memory
                .namespace("user:2")
                .unwrap()
                .recall(open("safe"))
                .unwrap()[0]
                .score
        };
        let (alone, _) = self::memory();
        let only = alone.create_namespace("user:2", profile).unwrap();
        only.remember(by("assistant X", "The safe is in the cellar."))
            .unwrap();
        assert_eq!(score(&memory).to_bits(), score(&alone).to_bits());
    }
}

#[test]
fn forgotten_memories_stay_and_come_back() {
    // spec: S-46, S-73, S-74, S-76
    let (user, _) = under("studio");
    let id = user.remember("I work with Vue 3.").unwrap();
    user.remember("I have a dog.").unwrap();
    let count = |user: &Namespace| user.admin().stats().unwrap().memories;
    user.forget(id).unwrap();
    assert!(!texts(&user, "I work with Vue 3.").contains(&"I work with Vue 3.".to_owned()));
    assert_eq!(count(&user), 2);
    let forgotten = Filter {
        statuses: vec![Status::Forgotten],
        ..Filter::default()
    };
    let page = user
        .list(&ListQuery {
            filter: forgotten,
            ..ListQuery::default()
        })
        .unwrap();
    assert_eq!(
        page.memories
            .iter()
            .map(|memory| memory.id)
            .collect::<Vec<_>>(),
        [id]
    );
    let exported = String::from_utf8(export(&user)).unwrap();
    assert!(
        exported
            .lines()
            .any(|line| line.contains("Vue 3") && line.contains("\"status\":\"forgotten\""))
    );
    user.restore(id).unwrap();
    assert_eq!(user.get(id).unwrap().unwrap().status, Status::Active);
    assert_eq!(user.recall("I work with Vue 3.").unwrap()[0].id, id);
}

#[test]
fn only_what_is_valid_now_goes_into_a_prompt() {
    // spec: S-45
    let (user, clock) = under("studio");
    let now = annals::Clock::now(&clock);
    let texts = ["用户住在柏林", "项目使用 Nuxt 4", "用户养了一只猫"];
    let ends = [
        Some(now.plus_millis(-1000)),
        Some(now.plus_millis(1000)),
        None,
    ];
    let shown = [false, true, true];
    for ((text, end), shown) in texts.iter().zip(ends).zip(shown) {
        let fact = NewMemory::builder(*text)
            .kind("fact")
            .valid_from(now.plus_millis(-DAY));
        let fact = end
            .map_or(fact.clone(), |end| fact.valid_until(end))
            .build()
            .unwrap();
        let id = user.remember(fact).unwrap();
        assert_eq!(
            user.context(*text).unwrap().ids.contains(&id),
            shown,
            "{text}"
        );
    }
    clock.advance_millis(1001);
    assert!(!user.context(texts[1]).unwrap().text.contains(texts[1]));
}

#[test]
fn what_replaced_what_can_be_walked() {
    // spec: S-20
    let (user, clock) = under("studio");
    let vue = user.remember("I like Vue.").unwrap();
    clock.advance_millis(30 * DAY);
    let react = user.lifecycle().supersede(vue, "I like React.").unwrap();
    clock.advance_millis(30 * DAY);
    let svelte = user.lifecycle().supersede(react, "I like Svelte.").unwrap();
    let mut chain = Vec::new();
    let mut place = svelte;
    while let Some(before) = user.get(place).unwrap().unwrap().supersedes {
        chain.push(before);
        place = before;
    }
    assert_eq!(chain, [react, vue]);
    let history = user.history(svelte).unwrap();
    let told: Vec<&str> = history
        .iter()
        .rev()
        .skip(1)
        .map(|each| each.memory.body.text.as_str())
        .collect();
    assert_eq!(told, ["I like React.", "I like Vue."]);
}

#[test]
fn an_old_favourite_is_found_with_its_interval() {
    // part: S-51; what is valid stands before what was asked for
    let (user, clock) = under("studio");
    let now = annals::Clock::now(&clock);
    let (start, change) = (now.plus_millis(-200 * DAY), now.plus_millis(-30 * DAY));
    let of = |text: &str, at, from| {
        let built = NewMemory::builder(text)
            .kind("preference")
            .event_time(at)
            .valid_from(from);
        built
            .metadata("subject", "我")
            .metadata("predicate", "框架")
            .build()
            .unwrap()
    };
    let vue = user
        .remember(of("我喜欢的框架是 Vue", now.plus_millis(-150 * DAY), start))
        .unwrap();
    let react = user
        .remember(of("我现在更喜欢的框架是 React", change, change))
        .unwrap();
    let hits = user.recall(open("你5个月前喜欢什么框架")).unwrap();
    let body = &hits.iter().find(|hit| hit.id == vue).unwrap().memory.body;
    assert_eq!(
        (body.valid_from, body.valid_until),
        (Some(start), Some(change))
    );
    assert_eq!(user.context("我喜欢的框架").unwrap().ids, [react]);
}

#[test]
fn what_was_said_before_tells_what_is_meant() {
    // spec: S-43
    let (user, _) = under("studio");
    let lesson = "Docker 拉取镜像失败时需要设置代理 proxy-env";
    user.remember(NewMemory::builder(lesson).kind("lesson").build().unwrap())
        .unwrap();
    for n in 0..20 {
        user.remember(format!(
            "第一个方案编号{n}，第二个方案编号{}，都好好办",
            n + 1
        ))
        .unwrap();
    }
    let message = || open("好的按第一个方案办").top_k(3);
    let enriched = message().context("Docker 拉取镜像要走代理吗？第一个方案是设置 proxy-env 代理");
    assert!(texts(&user, enriched).contains(&lesson.to_owned()));
    assert!(!texts(&user, message()).contains(&lesson.to_owned()));
}

#[test]
fn an_episode_shows_when_it_was() {
    // part: C-20; of two alike the figures of their dates decide which comes first
    let (user, clock) = under("companion");
    let now = annals::Clock::now(&clock);
    for (days, what) in [(5, "游戏"), (2, "游戏"), (1, "面试")] {
        let time = now.plus_millis(-days * DAY);
        let text = format!(
            "[{}] 聊了{what}",
            time.to_string().replace('T', " ").get(..16).unwrap()
        );
        let episode = NewMemory::builder(text)
            .layer(Layer::Episodic)
            .kind("episode")
            .event_time(time);
        user.remember(episode.build().unwrap()).unwrap();
    }
    let hits = texts(&user, "上次聊游戏是什么时候");
    assert!(hits[..2].iter().all(|hit| hit.contains("游戏")), "{hits:?}");
    assert!(
        hits[..2]
            .iter()
            .any(|hit| hit.starts_with("[2026-02-27 12:00]")),
        "{hits:?}"
    );
}

#[test]
fn lists_are_filtered_and_paged() {
    // spec: S-97
    let (user, clock) = under("studio");
    let mut lessons = Vec::new();
    for n in 0..120 {
        let kind = if n % 2 == 0 { "lesson" } else { "goal" };
        let id = user
            .remember(
                NewMemory::builder(format!("memory {n}"))
                    .kind(kind)
                    .build()
                    .unwrap(),
            )
            .unwrap();
        match n {
            // Stored before the time asked for, forgotten, or stored at its end.
            0 | 2 | 118 => {}
            10 => user.forget(id).unwrap(),
            n if n % 2 == 0 => lessons.push(id),
            _ => {}
        }
        clock.advance_millis(HOUR);
    }
    let start = at("2026-03-01T12:00:00Z");
    let filter = Filter {
        kinds: vec![Kind::new("lesson").unwrap()],
        statuses: vec![Status::Active],
        time: TimeRange::new(
            Some(start.plus_millis(4 * HOUR)),
            Some(start.plus_millis(118 * HOUR)),
        )
        .unwrap(),
        ..Filter::default()
    };
    let query = ListQuery {
        filter,
        limit: 20,
        newest_first: false,
        ..ListQuery::default()
    };
    let first = user.list(&query).unwrap();
    let second = user
        .list(&ListQuery {
            after: first.next,
            ..query
        })
        .unwrap();
    assert_eq!(
        second
            .memories
            .iter()
            .map(|memory| memory.id)
            .collect::<Vec<_>>(),
        lessons[20..40]
    );
    assert_eq!((first.total, second.total), (56, 56));
}

#[test]
fn events_are_in_order_and_can_be_followed_from_anywhere() {
    // spec: S-79, S-103
    let (user, _) = under("studio");
    let ids: Vec<MemoryId> = ["a", "b", "c"]
        .map(|text| user.remember(text).unwrap())
        .to_vec();
    let last_seen = user.admin().events(0, 100).unwrap().last().unwrap().seq;
    user.bulk().forget(&ids).unwrap();
    user.restore(ids[1]).unwrap();
    user.update(ids[1], "b2").unwrap();
    user.delete(ids[0], Mode::Commit).unwrap();
    let missed = user.admin().events(last_seen + 1, 100).unwrap();
    let told: Vec<_> = missed
        .iter()
        .map(|event| (event.operation, event.id, event.status))
        .collect();
    let changed = |id, status| (Operation::StatusChanged, Some(id), Some(status));
    assert_eq!(
        told,
        [
            changed(ids[0], Status::Forgotten),
            changed(ids[1], Status::Forgotten),
            changed(ids[2], Status::Forgotten),
            changed(ids[1], Status::Active),
            (Operation::Updated, Some(ids[1]), None),
            (Operation::Erased, Some(ids[0]), None),
        ]
    );
    assert!(
        missed
            .iter()
            .zip(last_seen + 1..)
            .all(|(event, seq)| event.seq == seq)
    );
    assert_eq!(
        missed[..3]
            .iter()
            .map(|event| event.commit)
            .collect::<HashSet<_>>()
            .len(),
        1,
        "one transaction"
    );
    assert!(
        missed
            .windows(2)
            .all(|pair| pair[0].commit <= pair[1].commit)
    );
    assert_eq!(user.admin().events(last_seen + 4, 2).unwrap(), missed[3..5]);
    // A write that is refused tells nothing.
    assert!(user.bulk().forget(&[ids[1], ids[0]]).is_err());
    assert_eq!(
        user.admin().events(0, 100).unwrap().len() as u64,
        last_seen + 7
    );
}

#[test]
fn a_memory_is_found_by_its_words_at_once() {
    // spec: A-01, A-13
    let (user, _) = under("agent");
    for n in 0..20 {
        user.remember(format!("用户第{n}次提到文件和目录以外的事情"))
            .unwrap();
        let wanted = format!("marker{n}");
        user.remember(format!("A note with {wanted} in it."))
            .unwrap();
        let hits = user.recall(wanted.as_str()).unwrap();
        assert!(hits[0].text.contains(&wanted) && !hits[0].explanation.matched.is_empty());
    }
    user.remember("用户的代码目录在 D:\\code").unwrap();
    assert_eq!(
        user.recall("代码目录").unwrap()[0].text,
        "用户的代码目录在 D:\\code"
    );
}

#[test]
fn attachments_are_found_by_their_description() {
    // spec: A-08
    let (user, clock) = under("agent");
    let attachment = Attachment {
        uri: "D:\\photos\\birthday.jpg".to_owned(),
        media_type: Some("image/jpeg".to_owned()),
        caption: Some("Grandmother blows out the candles".to_owned()),
    };
    let turn = NewTurn::builder("s", "Look at this.")
        .attachment(attachment.clone())
        .build()
        .unwrap();
    let mut body = NewMemory::from(turn).into_body();
    let expires = annals::Clock::now(&clock).plus_millis(DAY);
    body.expires_at = Some(expires);
    user.remember(NewMemory::from_body(body).unwrap()).unwrap();
    user.sessions()
        .append(vec![
            NewTurn::builder("s", "The weather is fine.")
                .build()
                .unwrap(),
        ])
        .unwrap();
    let hits = user.recall("candles of grandmother").unwrap();
    assert_eq!(hits[0].text, "Look at this.");
    assert_eq!(
        hits[0].memory.body.turn.as_ref().unwrap().attachments,
        [attachment]
    );
    assert_eq!(hits[0].memory.body.expires_at, Some(expires));
    clock.advance_millis(2 * DAY);
    assert!(
        texts(&user, "candles of grandmother")
            .iter()
            .all(|text| text != "Look at this.")
    );
}

#[test]
fn eight_threads_write_while_others_ask() {
    // spec: G-126
    let (user, _) = under("graph");
    let create = &|thread: usize, n: usize| {
        let call = format!(
            r#"{{"subject":"我","memory_type":"事件","topic":"thread{thread}","object":"note{n} ends"}}"#
        );
        assert!(
            user.tools()
                .call("create_memory", &call)
                .unwrap()
                .is_success()
        );
    };
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|thread| scope.spawn(move || (0..500).for_each(|n| create(thread, n))))
            .collect();
        for reader in 0..2 {
            let (user, done) = (user.clone(), &done);
            scope.spawn(move || {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    for hit in user.recall(format!("thread{reader} note7")).unwrap() {
                        assert!(
                            hit.text.contains("thread") && hit.text.ends_with("ends"),
                            "{}",
                            hit.text
                        );
                        assert_eq!(user.get(hit.id).unwrap().unwrap().body.text, hit.text);
                    }
                }
            });
        }
        writers
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(user.admin().stats().unwrap().memories, 4000);
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
}

/// Vectors of 384 numbers that depend on nothing but the text.
struct Wide;

impl Embedder for Wide {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("wide".to_owned())
    }

    fn dims(&self) -> usize {
        384
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.0, 1.0))
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let mut state = text.bytes().fold(7_u64, |state, byte| {
                state.wrapping_mul(31).wrapping_add(u64::from(byte))
            });
            let number = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1 << 24) as f32 - 0.5
            };
            std::iter::repeat_with(number).take(384).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// A hundred characters of a memory, with words of its own.
fn hundred(n: usize) -> String {
    let words = (0..12).map(|at| {
        format!(
            "{}{}",
            ["ka", "lo", "mi", "ru", "te"][(n + at * n) % 5],
            (n * 7 + at * at) % 997
        )
    });
    format!("{n:05} {}", words.collect::<Vec<_>>().join(" "))
        .chars()
        .take(100)
        .collect()
}

fn size(path: &std::path::Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

#[test]
fn a_thousand_memories_take_little_room() {
    // spec: S-127
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("1000.annals");
    let memory = Memory::open(&path).unwrap();
    let user = memory.create_namespace("u", "studio").unwrap();
    for n in 0..1000 {
        user.remember(NewMemory::builder(hundred(n)).kind("fact").build().unwrap())
            .unwrap();
    }
    memory.wait_idle().unwrap();
    assert_eq!(user.admin().stats().unwrap().memories, 1000);
    drop((user, memory));
    assert!(size(&path) <= 10_000_000, "{}", size(&path));
}

#[test]
fn ten_thousand_memories_with_wide_vectors_take_little_room() {
    // spec: G-137
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("10000.annals");
    let memory = Memory::options()
        .embedder(Arc::new(Wide))
        .open(&path)
        .unwrap();
    let user = memory.create_namespace("u", "graph").unwrap();
    let event = |n: usize| NewMemory::builder(hundred(n)).kind("事件").build().unwrap();
    for first in (0..10_000).step_by(500) {
        user.bulk()
            .remember((first..first + 500).map(event).collect())
            .unwrap();
    }
    memory.wait_idle().unwrap();
    drop((user, memory));
    assert!(size(&path) / 10_000 < 10_240, "{}", size(&path));
}
