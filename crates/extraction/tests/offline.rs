#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

//! Facts without a model: what is found, what is left alone, and in what form it comes.

use annals_extraction::Zone;
use annals_extraction::offline::{Offline, Topic, claims};
use annals_extraction::time::Said;
use annals_types::profile::{PrivacyAction, PrivacySettings};
use annals_types::{
    ExtractWindow, Extracted, Extractor, Memory, MemoryId, NewMemory, NewTurn, Role, Shown, Status, Timestamp,
};
use proptest::prelude::*;

fn said() -> Said {
    Said::at("2026-03-18T10:00:00Z".parse().unwrap(), Zone::utc()).looking_ahead()
}

fn topics(text: &str) -> Vec<Topic> {
    claims(text, &said()).into_iter().map(|claim| claim.topic).collect()
}

#[test]
fn what_people_say_of_themselves() {
    for (text, topic) in [
        ("My name is Caroline.", Topic::Name),
        ("In March 2025 I moved to Munich.", Topic::Place),
        ("Next Sunday I'm going to run a race", Topic::Plan),
        ("My birthday is March 3rd!", Topic::Birthday),
        ("I live in Berlin now.", Topic::Place),
        ("Oh, and I grew up in Sweden.", Topic::Place),
        ("I work at a robotics startup.", Topic::Work),
        ("I'm a software engineer.", Topic::Work),
        ("I love hiking.", Topic::Preference),
        ("My favorite book is Dune.", Topic::Preference),
        ("My dog's name is Rex", Topic::Family),
        ("I'm allergic to peanuts.", Topic::Health),
        ("I'm going to run a race next Sunday!", Topic::Plan),
        ("我叫李雷。", Topic::Name),
        ("我的生日是5月3日", Topic::Birthday),
        ("我住在上海", Topic::Place),
        ("我是四川人", Topic::Place),
        ("我在一家银行工作", Topic::Work),
        ("我是一名程序员", Topic::Work),
        ("我最喜欢拉面", Topic::Preference),
        ("我不喜欢香菜", Topic::Preference),
        ("我养了一只猫", Topic::Family),
        ("我对花生过敏", Topic::Health),
        ("我明天要面试", Topic::Plan),
        ("下周三我要去北京", Topic::Plan),
        ("We use ROS 2 Humble and the Nav2 stack.", Topic::Project),
        ("Our backend runs on PostgreSQL 16.", Topic::Project),
        ("I usually use Vim.", Topic::Preference),
        ("Nav2 does not support four-wheel steering.", Topic::Lesson),
        ("The last migration failed because we forgot the timeout.", Topic::Lesson),
        ("项目用 Nuxt 4 + SQLite", Topic::Project),
        ("我在开发 MJ Studio", Topic::Project),
        ("服务部署在阿里云上", Topic::Project),
        ("我常用 TypeScript 严格模式", Topic::Preference),
        ("Docker 需要使用 proxy-env", Topic::Lesson),
        ("SQLite 不支持某些复杂查询", Topic::Lesson),
        ("遇到了 Docker 网络问题", Topic::Lesson),
        ("上次用这个方案失败了", Topic::Lesson),
        ("Kafka does not support messages of 10 MB.", Topic::Lesson),
        ("I also can't stand cilantro.", Topic::Preference),
        ("I don't really like mushrooms.", Topic::Preference),
        ("Never use emojis when you talk to me.", Topic::Preference),
        ("Please keep your answers short.", Topic::Preference),
        ("I want to learn Italian this year.", Topic::Plan),
        ("I'm going to run a race next Sunday, wish me luck!", Topic::Plan),
        ("My mother's birthday is on May 3rd.", Topic::Family),
        ("My brother Tom has a bike.", Topic::Family),
        ("My younger sister lives in Oslo.", Topic::Family),
        ("I have two kids.", Topic::Family),
        ("We have a dog named Rex.", Topic::Family),
        ("I run 3 km every morning.", Topic::Habit),
        ("My knees hurt when I run.", Topic::Health),
        ("I'm lactose intolerant.", Topic::Health),
        ("Using floats for money cost us a week last time.", Topic::Lesson),
        ("We will switch to NUMERIC(12,2) in release 2.4.", Topic::Project),
        ("今年我打算考 PMP 证书", Topic::Plan),
        ("代码评审我偏好小的提交", Topic::Preference),
        ("以后回答请简短一点", Topic::Preference),
        ("我每天早上跑3公里", Topic::Habit),
        ("咖啡喝多了我会失眠", Topic::Health),
        ("上次直接改线上配置，结果服务挂了两个小时。", Topic::Lesson),
        ("以后改配置一定要先灰度", Topic::Lesson),
        ("Redis 的 KEYS 命令不要在生产环境用", Topic::Lesson),
        ("我们后来改成 SCAN 了", Topic::Project),
    ] {
        assert_eq!(topics(text), [topic], "{text}");
    }
}

#[test]
fn one_sentence_says_several_things() {
    let said =
        |text: &str| claims(text, &said()).into_iter().map(|claim| (claim.topic, claim.text)).collect::<Vec<_>>();
    let of = |topic: Topic, text: &str| (topic, text.to_owned());
    assert_eq!(
        said("Hi! I'm Caroline, I just moved to Graz for a job."),
        [of(Topic::Name, "I'm Caroline"), of(Topic::Place, "I just moved to Graz for a job")]
    );
    assert_eq!(
        said("I love hiking, but I hate running."),
        [of(Topic::Preference, "I love hiking"), of(Topic::Preference, "I hate running")]
    );
    // A clause without a subject goes on with that of the one before it.
    assert_eq!(
        said("我喜欢喝龙井茶，不喜欢喝咖啡。"),
        [of(Topic::Preference, "我喜欢喝龙井茶"), of(Topic::Preference, "我不喜欢喝咖啡")]
    );
    assert_eq!(
        said("我叫李雷，在杭州做后端开发。"),
        [of(Topic::Name, "我叫李雷"), of(Topic::Work, "我在杭州做后端开发")]
    );
    // Unless it may go on with what the one before it is about.
    for (text, alone) in [
        ("我讨厌我的邻居，喜欢半夜唱歌。", "我讨厌我的邻居"),
        ("我讨厌我的邻居，不喜欢打扫。", "我讨厌我的邻居"),
        ("我喜欢李健，住在北京，是清华毕业的。", "我喜欢李健"),
        ("我喜欢李健，也喜欢唱歌。", "我喜欢李健"),
        ("我喜欢小林，在阿里做开发。", "我喜欢小林"),
        ("我最讨厌楼上那家人，每天晚上吵架。", "我最讨厌楼上那家人"),
        ("我喜欢喝茶，住在北京。", "我喜欢喝茶"),
    ] {
        assert_eq!(said(text), [of(Topic::Preference, alone)], "{text}");
    }
    assert_eq!(said("我养了一只猫，叫团子。"), [of(Topic::Family, "我养了一只猫，叫团子")]);
}

#[test]
fn what_is_not_liked_is_of_who_says_so() {
    for (text, wanted) in [
        ("我喜欢夏天，不喜欢冬天。", &["我喜欢夏天", "我不喜欢冬天"][..]),
        ("我喜欢龙井茶，不喜欢咖啡。", &["我喜欢龙井茶", "我不喜欢咖啡"]),
        ("我喜欢方便面，不喜欢米饭。", &["我喜欢方便面", "我不喜欢米饭"]),
        ("我喜欢小狗，也喜欢小猫。", &["我喜欢小狗"]),
        ("我喜欢在家做饭，不喜欢下馆子。", &["我喜欢在家做饭", "我不喜欢下馆子"]),
        ("我喜欢韩剧，不喜欢日剧。", &["我喜欢韩剧", "我不喜欢日剧"]),
        ("我喜欢 Python，不喜欢 Java。", &["我喜欢 Python", "我不喜欢 Java"]),
        ("我喜欢马拉松，但不喜欢游泳。", &["我喜欢马拉松"]),
        ("我喜欢阿黄，也喜欢晒太阳。", &["我喜欢阿黄"]),
        ("我不喜欢李健，不喜欢唱歌。", &["我不喜欢李健"]),
        ("小说我最喜欢科幻的", &["小说我最喜欢科幻的"]),
        ("科幻小说我最喜欢三体", &["科幻小说我最喜欢三体"]),
        ("妈妈说我喜欢哭", &[]),
    ] {
        let found: Vec<String> = claims(text, &said()).into_iter().map(|claim| claim.text).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn what_is_not_eaten_for_the_moment_is_left_alone() {
    for (text, topic) in [
        ("I am allergic to peanuts and yet I love them", Some(Topic::Health)),
        ("I'm allergic to shellfish, as I learnt today", Some(Topic::Health)),
        ("I have asthma, it was bad this morning", Some(Topic::Health)),
        ("I can't eat gluten yet my wife bakes bread", Some(Topic::Health)),
        ("I can't drink milk today or ever", Some(Topic::Health)),
        ("I cannot eat yeast", Some(Topic::Health)),
        ("I can't eat meat tonight", None),
        ("I can't eat bread today because the oven broke", None),
        ("I don't drink wine right now, thanks", None),
        ("I don't eat meat yet", None),
    ] {
        let found = topics(text);
        assert_eq!(found.first().copied(), topic, "{text}: {found:?}");
    }
}

#[test]
fn what_is_left_alone() {
    for text in [
        "Do you live in Berlin?",
        "If I live in Berlin, I will be happy.",
        "I wish I love hiking.",
        "She said \"I live in Berlin\".",
        "I love it!",
        "I like how you think.",
        "I'm a bit tired.",
        "I'm a good cook of words",
        "Call me later",
        "I'm going to miss you",
        "I moved to the next step",
        "我叫什么名字？",
        "你喜欢我吗",
        "我喜欢你",
        "我是好人",
        "如果我住在上海就好了",
        "我要吃饭",
        "他说“我住在上海”",
        "我在努力工作",
        "We use it every day",
        "I'm building up courage",
        "She does not support my plans",
        "I usually use the stairs",
        "我在做饭",
        "我们用心去感受",
        "他不支持我的决定",
        "遇到了一些问题",
        "上次很开心",
        "I'm Caroline, remember?",
        "I'm German",
        "My dog is sick",
        "I have a cat allergy test tomorrow?",
        "I have two meetings",
        "Never mind the answer",
        "Please answer this question in German",
        "I think about it every day",
        "My back hurts",
        "I want to sleep",
        "My flat is a mess",
        "我妈妈很好，喜欢喝茶",
        "我每天都很想你",
        "以后我一定要好好学习",
        "以后再说",
        "小时候我喜欢画画",
        "David does not support my decision",
        "David不支持我换工作",
        "We use Chinese at home",
        "I'm building IKEA furniture",
        "I always use Mondays to rest",
        "我们用WeChat聊天吧",
        "iPhone坏了需要使用备用机",
        "The last bus failed because it rained",
        "we use Docker but no longer",
        "老师以为我喜欢数学",
        "妈妈希望我明天要面试",
        "I can't eat right now",
        "I don't eat breakfast today",
        "Hi! I'm Late.",
        "I want to sleep tomorrow",
        "My house is in flames since 2020",
        "My dad Trump supporter",
        "",
    ] {
        assert!(topics(text).is_empty(), "{text}: {:?}", claims(text, &said()));
    }
}

#[test]
fn a_time_in_front_stays_with_what_it_dates() {
    for (text, clauses) in [
        ("In March 2025, I moved to Munich.", &["In March 2025, I moved to Munich"][..]),
        (
            "Last week I started working at Bosch, and I live in Ulm",
            &["Last week I started working at Bosch", "I live in Ulm"],
        ),
        ("I went there yesterday, I live in Ulm", &["I live in Ulm"]),
        // Not what somebody eats at a time.
        ("Tonight I don't eat meat", &[]),
    ] {
        let found: Vec<String> = claims(text, &said()).into_iter().map(|claim| claim.text).collect();
        assert_eq!(found, clauses, "{text}");
    }
}

fn turn(text: &str, role: Role) -> Memory {
    let turn = NewTurn::builder("s", text).speaker("Li").role(role).build().unwrap();
    let body = NewMemory::from(turn).into_body();
    let stored_at: Timestamp = "2026-03-18T10:00:00Z".parse().unwrap();
    serde_json::from_value(serde_json::json!({
        "id": MemoryId::from_bytes([9; 16]),
        "status": Status::Active,
        "stored_at": stored_at,
        "revision": 1,
        "layer": body.layer, "kind": body.kind, "text": body.text, "turn": body.turn,
    }))
    .unwrap()
}

fn shown(n: u8, text: &str) -> Shown {
    Shown { id: MemoryId::from_bytes([n; 16]), text: text.to_owned(), time: Timestamp::default(), retention: 1.0 }
}

#[test]
fn findings_are_unverified_and_name_their_turn() {
    let turns = [turn("不对，我住在上海", Role::User), turn("我住在北京", Role::Assistant)];
    let known = [shown(1, "Li: 我住在北京"), shown(2, "Li: 我喜欢拉面")];
    let extractor = Offline::new(Zone::utc()).kind(Topic::Place, "core");
    let found = extractor.extract(&ExtractWindow { turns: &turns, known: &known }).unwrap();
    let [Extracted::Contradicted { id: wrong, by }, Extracted::Add(memory)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!((*wrong, *by), (known[0].id, Some(turns[0].id)));
    let body = memory.body();
    assert_eq!((body.text.as_str(), body.kind.as_str()), ("Li: 我住在上海", "core"));
    assert_eq!(body.provenance, [turns[0].id]);
    assert!(!body.verified && body.source.as_ref().unwrap().as_str() == "offline");
    let again = extractor.extract(&ExtractWindow { turns: &turns, known: &[shown(3, "Li: 我住在上海")] }).unwrap();
    assert_eq!(again, [Extracted::Used(MemoryId::from_bytes([3; 16]))]);
}

#[test]
fn what_is_put_right_at_once_is_found_once() {
    let said = |text: &str| turn(text, Role::User);
    let texts = |turns: &[Memory]| -> Vec<String> {
        let found = Offline::new(Zone::utc()).extract(&ExtractWindow { turns, known: &[] }).unwrap();
        let text = |one: &Extracted| match one {
            Extracted::Add(memory) => memory.text().to_owned(),
            other => panic!("{other:?}"),
        };
        found.iter().map(text).collect()
    };
    assert_eq!(texts(&[said("I live in Berlin."), said("Actually, I live in Munich.")]), ["Li: I live in Munich"]);
    assert_eq!(texts(&[said("我叫小林"), said("不对，我叫小琳")]), ["Li: 我叫小琳"]);
    // What is not said to be wrong stays, and so does what is said in another form.
    assert_eq!(texts(&[said("I live in Berlin."), said("I live in Munich.")]).len(), 2);
    assert_eq!(texts(&[said("I grew up in Sweden."), said("Actually, I live in Munich.")]).len(), 2);
}

#[test]
fn where_a_profile_has_no_way_of_its_own_a_correction_takes_the_place_of_what_was_wrong() {
    let mut profile = annals_types::profile::Profile::default();
    profile.conflict.strategy = annals_types::profile::ConflictStrategy::Commands;
    let turns = [turn("Actually, I live in Munich.", Role::User)];
    let known = [shown(1, "Li: I grew up in Sweden"), shown(2, "Li: I live in Berlin")];
    let found = Offline::of(&profile).unwrap().extract(&ExtractWindow { turns: &turns, known: &known }).unwrap();
    let [Extracted::Contradicted { id: other, .. }, Extracted::Update(wrong, memory)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!((*other, *wrong, memory.text()), (known[0].id, known[1].id, "Li: I live in Munich"));
}

#[test]
fn what_is_no_longer_so_ends_what_is_known() {
    let turns = |text: &str| [turn(text, Role::User)];
    let known = [shown(1, "Li: I live in Munich now"), shown(2, "Li: 我每天喝咖啡"), shown(3, "Li: I live in Munster")];
    let found = |extractor: &Offline, text: &str| {
        extractor.extract(&ExtractWindow { turns: &turns(text), known: &known }).unwrap()
    };
    let plain = Offline::new(Zone::utc());
    let ended = |place: usize| Extracted::Contradicted { id: known[place].id, by: Some(turns("Hello")[0].id) };
    assert_eq!(found(&plain, "By the way, I do not live in Munich any more."), [ended(0)]);
    assert_eq!(found(&plain, "我已经不喝咖啡了。"), [ended(1)]);
    for other in ["I do not live in Munich.", "If I no longer live in Munich, fine.", "I no longer live in Bonn."] {
        assert_eq!(found(&plain, other), [], "{other}");
    }
    let mut profile = annals_types::profile::Profile::default();
    profile.conflict.strategy = annals_types::profile::ConflictStrategy::Commands;
    let found = found(&Offline::of(&profile).unwrap(), "I no longer live in Munich");
    let [Extracted::Update(over, memory)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((*over, memory.text()), (known[0].id, "Li: I no longer live in Munich"));
    let likes = [shown(1, "Li: I like mushrooms")];
    let turns = [turn("I don't like mushrooms any more.", Role::User)];
    let found = Offline::of(&profile).unwrap().extract(&ExtractWindow { turns: &turns, known: &likes }).unwrap();
    assert!(matches!(found.as_slice(), [Extracted::Update(id, _)] if *id == likes[0].id), "{found:?}");
    // What was told later is not ended by what was said before.
    let later = [Shown { time: "2026-03-19T10:00:00Z".parse().unwrap(), ..likes[0].clone() }];
    let found = Offline::of(&profile).unwrap().extract(&ExtractWindow { turns: &turns, known: &later }).unwrap();
    assert!(matches!(found.as_slice(), [Extracted::Add(_)]), "{found:?}");
    // Within a window nothing of it is stored.
    let both = [turn("I work at Bosch.", Role::User), turn("I no longer work at Bosch.", Role::User)];
    assert_eq!(plain.extract(&ExtractWindow { turns: &both, known: &[] }).unwrap(), []);
}

#[test]
fn secrets_are_not_made_facts() {
    let settings = PrivacySettings { email: PrivacyAction::Mask, ..PrivacySettings::default() };
    let turns = [turn("My favorite address is a@example.com. I love hiking.", Role::User)];
    let found = Offline::default().privacy(settings).extract(&ExtractWindow { turns: &turns, known: &[] }).unwrap();
    assert_eq!(found.len(), 1);
    assert!(matches!(&found[0], Extracted::Add(memory) if memory.text() == "Li: I love hiking"));
}

proptest! {
    #[test]
    fn fuzz_any_text_is_survived(text in ".{0,80}|(我|I |love|住在|叫|不对|，|,|\\.|。|“|\"|actually|明天|要|my |favorite |Berlin| |é|İ){0,20}") {
        for claim in claims(&text, &said()) {
            prop_assert!(!claim.text.trim().is_empty());
        }
    }
}

#[test]
fn profiles_name_the_kinds_of_topics() {
    assert_eq!(Topic::ALL.map(Topic::as_str), annals_types::profile::TOPICS);
    let mut profile = annals_types::profile::Profile::default();
    profile.extract.topics = [("preference".to_owned(), "taste".to_owned())].into();
    profile.time.zone = "Asia/Shanghai".to_owned();
    let turns = [turn("I love hiking. I live in Berlin.", Role::User)];
    let found = Offline::of(&profile).unwrap().extract(&ExtractWindow { turns: &turns, known: &[] }).unwrap();
    let kinds: Vec<String> = found
        .iter()
        .map(|one| match one {
            Extracted::Add(memory) => memory.body().kind.as_str().to_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["taste", "fact"]);
}
