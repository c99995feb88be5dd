use std::sync::Arc;

use annals_types::profile::{
    AnswerForm, ExtractTrigger, InitialScore, KindSettings, OverLimit, Profile, ReviewKind, ShownBy,
};
use annals_types::{
    Causality, ExtractWindow, Extracted, Extractor, Judge, JudgeError, Judgement, Memory, MemoryId,
    NewTurn, ReviewCase, Role, Shown, Status, Summarizer, Timestamp,
};

use super::Analyst;
use crate::provider::{Replay, Reply, Speaker};
use crate::window::estimate;

pub(super) fn turn(number: u8, role: Role, text: &str) -> Memory {
    let new = NewTurn::builder("s", text)
        .role(role)
        .time(Timestamp::from_millis(1_771_545_600_000))
        .build()
        .unwrap();
    Memory {
        id: MemoryId::from_bytes([number; 16]),
        body: annals_types::NewMemory::from(new).into_body(),
        revision: 1,
        stored_at: Timestamp::from_millis(0),
        named_times: Vec::new(),
        status: Status::Active,
        superseded_by: None,
        supersedes: None,
    }
}

pub(super) fn shown(number: u8, text: &str, retention: f64) -> Shown {
    Shown {
        id: MemoryId::from_bytes([number; 16]),
        text: text.into(),
        time: Timestamp::from_millis(0),
        retention,
    }
}

fn companion() -> Profile {
    let mut profile = Profile::default();
    profile.extract.answer = AnswerForm::Commands;
    profile.extract.triggers = vec![ExtractTrigger::Round];
    profile.extract.window_messages = 2;
    profile.extract.source = "background_ai".into();
    (profile.extract.user_label, profile.extract.assistant_label) = ("主人".into(), "小祥".into());
    profile.review.promoted_class = Some("core".into());
    profile
}

fn markdown() -> Profile {
    let mut profile = Profile::default();
    profile.extract.answer = AnswerForm::Json;
    (profile.extract.max_tokens, profile.extract.over_limit) = (8000, OverLimit::Summarize);
    (
        profile.extract.shown,
        profile.extract.shown_by,
        profile.extract.shown_min,
    ) = (50, ShownBy::Worth, 0.2);
    profile.taxonomy.kinds = vec![KindSettings {
        id: "fact".into(),
        ..Default::default()
    }];
    profile.taxonomy.default_kind = Some("fact".into());
    profile.score.initial = InitialScore::Level;
    profile.score.by_level = [("high".to_owned(), 0.8)].into();
    profile
}

fn analyst(replay: &Arc<Replay>, profile: &Profile) -> Analyst {
    Analyst::new(
        Arc::clone(replay) as Arc<dyn crate::provider::Provider>,
        profile,
    )
}

fn round() -> [Memory; 2] {
    [
        turn(1, Role::User, "不对，我住上海"),
        turn(2, Role::Assistant, "记住了"),
    ]
}

#[test]
fn the_monitor_sees_the_round_and_the_memories_by_their_names() {
    // part: C-23, C-26
    let replay = Arc::new(
        Replay::default().reply("extract", "[UPDATE:mem_1] 主人住在上海\n[ADD] 主人喜欢拉面"),
    );
    let (turns, known) = (round(), [shown(7, "主人住在北京", 1.0)]);
    let found = analyst(&replay, &companion())
        .extract(&ExtractWindow {
            turns: &turns,
            known: &known,
        })
        .unwrap();
    let asked = replay.asked();
    let prompt = &asked[0].messages[1].text;
    let lines: Vec<&str> = prompt
        .lines()
        .filter(|line| line.contains("主人") || line.contains("小祥"))
        .collect();
    assert_eq!(
        lines,
        [
            "主人: 不对，我住上海",
            "小祥: 记住了",
            "[mem_1] 主人住在北京"
        ]
    );
    let [Extracted::Update(id, new), Extracted::Add(added)] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((*id, new.text()), (known[0].id, "主人住在上海"));
    let body = added.body();
    assert_eq!((body.text.as_str(), body.verified), ("主人喜欢拉面", false));
    assert_eq!(
        body.source.as_ref().map(annals_types::Label::as_str),
        Some("background_ai")
    );
    assert_eq!(body.provenance, [turns[0].id, turns[1].id]);
}

#[test]
fn labels_are_settings() {
    // part: C-24
    let mut profile = companion();
    (profile.extract.user_label, profile.extract.assistant_label) = ("用户".into(), "助手".into());
    let replay = Arc::new(Replay::default().reply("extract", "[SKIP]"));
    let found = analyst(&replay, &profile)
        .extract(&ExtractWindow {
            turns: &round(),
            known: &[],
        })
        .unwrap();
    let said: String = replay.asked()[0]
        .messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert!(found.is_empty() && said.contains("用户: 不对，我住上海\n助手: 记住了"));
    assert!(!said.contains("小祥") && !said.contains("主人"));
}

#[test]
fn a_model_that_fails_or_babbles_finds_nothing_and_is_asked_again_later() {
    // part: C-38
    let replay = Arc::new(
        Replay::default()
            .failure("extract", "HTTP 500")
            .reply("extract", "我觉得都不用改。"),
    );
    let (turns, analyst) = (round(), analyst(&replay, &companion()));
    let window = ExtractWindow {
        turns: &turns,
        known: &[],
    };
    assert!(matches!(
        analyst.extract(&window),
        Err(JudgeError::Unavailable { .. })
    ));
    assert!(matches!(
        analyst.extract(&window),
        Err(JudgeError::BadAnswer { .. })
    ));
}

#[test]
fn only_the_best_active_memories_are_shown() {
    // part: M-45, M-53
    let replay = Arc::new(Replay::default().reply("extract", "[]"));
    let mut known: Vec<Shown> = (0..80)
        .map(|n| shown(n, &format!("活跃{n}"), 0.2 + f64::from(n) / 100.0))
        .collect();
    known.extend((80..90).map(|n| shown(n, "已归档", 0.19)));
    let turns = [turn(1, Role::User, "我们用 pytest")];
    analyst(&replay, &markdown())
        .extract(&ExtractWindow {
            turns: &turns,
            known: &known,
        })
        .unwrap();
    let asked = replay.asked();
    let lines: Vec<&str> = asked[0].messages[1]
        .text
        .lines()
        .filter(|line| line.starts_with('['))
        .collect();
    assert_eq!(lines.len(), 50);
    assert!(
        lines[0].ends_with("] 活跃79") && lines[49].ends_with("] 活跃30"),
        "{} {}",
        lines[0],
        lines[49]
    );
    assert!(lines[0].starts_with("[4f4f4f] "), "{}", lines[0]);
}

#[test]
fn a_long_dialogue_is_summarized_first() {
    // part: M-47, M-43
    let words = |count: usize| vec!["word"; count].join(" ");
    let calls = |count: usize| {
        let replay = Arc::new(
            Replay::default()
                .reply("summarize", "摘要")
                .reply("extract", "[]"),
        );
        let turns = [turn(1, Role::User, &words(count))];
        analyst(&replay, &markdown())
            .extract(&ExtractWindow {
                turns: &turns,
                known: &[],
            })
            .unwrap();
        let asked = replay.asked();
        let last = asked.last().unwrap().messages[1].text.clone();
        (
            asked
                .iter()
                .map(|request| request.purpose.clone())
                .collect::<Vec<_>>(),
            last.contains("摘要"),
        )
    };
    assert_eq!(calls(8000), (vec!["extract".to_owned()], false));
    assert_eq!(
        calls(8001),
        (vec!["summarize".to_owned(), "extract".to_owned()], true)
    );
}

#[test]
fn a_window_without_words_of_the_user_costs_no_call() {
    let replay = Arc::new(Replay::default());
    let found = analyst(&replay, &markdown())
        .extract(&ExtractWindow {
            turns: &[],
            known: &[],
        })
        .unwrap();
    assert_eq!((found.len(), replay.asked().len()), (0, 0));
}

#[test]
fn reviews_are_asked_round_by_round() {
    let replay = Arc::new(
        Replay::default()
            .reply("review", "[SEARCH:生日]")
            .reply("review", "长期事实。\n[PROMOTE]"),
    );
    let memory = shown(1, "主人生日是5月3日", 2.5);
    let case = |round, last| ReviewCase {
        kind: ReviewKind::Promote,
        memory: &memory,
        related: &[],
        round,
        last,
    };
    let judge = analyst(&replay, &companion());
    assert_eq!(
        judge.review(&case(1, false)).unwrap().answer,
        Judgement::Search("生日".into())
    );
    assert_eq!(
        judge.review(&case(2, true)).unwrap().answer,
        Judgement::Promote
    );
    let asked = replay.asked();
    assert!(
        asked[0].messages[0].text.contains("什么是核心记忆")
            && asked[1].messages[1].text.contains("最后一轮")
    );
}

#[test]
fn a_judgement_that_cannot_be_read_is_asked_for_once_more() {
    let unread = "[DELETE]\n理由：已经过时。";
    let replay = Arc::new(Replay::default());
    let (judge, memory) = (
        analyst(&replay, &companion()),
        shown(1, "主人下周三面试", 0.19),
    );
    let case = |last| ReviewCase {
        kind: ReviewKind::Decay,
        memory: &memory,
        related: &[],
        round: 1,
        last,
    };
    for (answers, last, wanted) in [
        (vec![unread, "[DELETE]"], false, Judgement::Delete),
        (vec![unread, "不确定"], false, Judgement::Undecided),
        (vec![unread, unread], true, Judgement::Undecided),
        (vec!["", ""], true, Judgement::Undecided),
        (vec!["[SEARCH:面试]"], true, Judgement::Undecided),
        (vec!["[PROMOTE]"], false, Judgement::Undecided),
        (
            vec![
                "Decision: [DELETE]",
                r#"{"reason": "It is over.", "verdict": "KEEP"}"#,
            ],
            false,
            Judgement::Keep,
        ),
        (
            vec![
                "保留更好，[DELETE]。",
                r#"{"reason": "", "verdict": "UNSURE"}"#,
            ],
            false,
            Judgement::Undecided,
        ),
    ] {
        answers
            .iter()
            .for_each(|answer| replay.push("review", Ok(Reply::text(*answer))));
        let before = replay.asked().len();
        assert_eq!(
            judge.review(&case(last)).unwrap().answer,
            wanted,
            "{answers:?}"
        );
        assert_eq!(
            (replay.asked().len() - before, replay.left()),
            (answers.len(), 0),
            "{answers:?}"
        );
    }
    let asked = replay.asked();
    let [said, repair] = &asked[1].messages[2..] else {
        panic!("{asked:?}")
    };
    assert_eq!(
        (said.speaker, said.text.as_str()),
        (Speaker::Assistant, unread)
    );
    assert!(
        repair.text.ends_with("KEEP\nDELETE\nSEARCH")
            && repair.text.starts_with("从上面的回答读不出"),
        "{}",
        repair.text
    );
    let words = |at: usize| asked[at].schema.as_ref().unwrap().text.clone();
    assert!(
        words(0).contains(r#"["KEEP","DELETE","SEARCH"]"#)
            && words(1).contains(r#""SEARCH","UNSURE"]"#),
        "{}",
        words(1)
    );
    assert!(
        words(5).contains(r#"["KEEP","DELETE","UNSURE"]"#),
        "the last round searches no more: {}",
        words(5)
    );
    let empty = &asked[7].messages;
    assert!(
        empty
            .iter()
            .all(|message| message.speaker != Speaker::Assistant && !message.text.is_empty())
    );
}

#[test]
fn a_yes_that_cannot_be_read_is_asked_for_once_more() {
    let unread = "两条说的是同一次旅行，所以是同一件事。";
    let replay = Arc::new(Replay::default().reply("same", unread).reply("same", "是"));
    let judge = analyst(&replay, &companion());
    let (first, second) = (shown(1, "去了京都", 1.0), shown(2, "京都之行", 1.0));
    let same = judge.same(&first, &second).unwrap();
    assert_eq!((same.answer, same.reason.as_str()), (true, unread));
    assert!(replay.asked()[1].messages[2].text.ends_with("\n是\n否"));
    assert!(replay.asked().iter().all(|asked| asked.schema.is_some()));
    for answer in ["也许", "不确定"] {
        replay.push("same", Ok(Reply::text(answer)));
    }
    assert!(matches!(
        judge.same(&first, &second),
        Err(JudgeError::BadAnswer { .. })
    ));
    replay.push("same", Ok(Reply::text("也许")));
    replay.push("same", Err("HTTP 500".to_owned()));
    assert!(matches!(
        judge.same(&first, &second),
        Err(JudgeError::Unavailable { .. })
    ));
}

#[test]
fn causes_are_asked_for_with_their_direction() {
    // part: G-100
    let replay = Arc::new(
        Replay::default()
            .reply("causality", "B")
            .reply("causality", "是"),
    );
    let (first, second) = (shown(1, "心情不好", 0.5), shown(2, "没睡好", 0.5));
    let mut profile = Profile::default();
    profile.graph.discovery.ask_direction = true;
    assert_eq!(
        analyst(&replay, &profile)
            .causality(&first, &second)
            .unwrap()
            .answer,
        Causality::SecondCauses
    );
    profile.graph.discovery.ask_direction = false;
    assert_eq!(
        analyst(&replay, &profile)
            .causality(&first, &second)
            .unwrap()
            .answer,
        Causality::FirstCauses
    );
    let asked = &replay.asked()[1];
    assert!((asked.temperature - 0.1).abs() < 1e-6);
    let text = &asked.messages[0].text;
    assert!(
        asked.schema.is_none() && replay.asked()[0].schema.is_some(),
        "the word alone is what the design asks for"
    );
    for part in [
        "记忆A: 心情不好",
        "记忆B: 没睡好",
        "仅回答\"是\"或\"否\"，不要解释。",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn episodes_say_what_was_wanted_and_what_came_of_it() {
    let answer = r#"```json
{"summary":"重启了 Nginx","goal":"修复 502","outcome":"成功","entities":["Nginx"]}
```"#;
    let replay = Arc::new(
        Replay::default()
            .reply("episode", answer)
            .reply("episode", "聊了面试"),
    );
    let summarizer = analyst(&replay, &Profile::default());
    let turns = round();
    let episode = summarizer.episode(&turns).unwrap();
    assert_eq!(
        (
            episode.goal.as_str(),
            episode.outcome.as_str(),
            &episode.entities[..]
        ),
        ("修复 502", "成功", &["Nginx".to_owned()][..])
    );
    assert_eq!(summarizer.episode(&turns).unwrap().summary, "聊了面试");
}

#[test]
fn what_is_condensed_is_cut_to_its_tokens() {
    let replay = Arc::new(
        Replay::default()
            .reply("condense", "明天有雨")
            .reply("condense", "（无）"),
    );
    let mut profile = companion();
    (
        profile.condense.max_tokens,
        profile.condense.result_tokens,
        profile.condense.results_tokens,
    ) = (50, 20, 62);
    let analyst = analyst(&replay, &profile);
    let tool = |number, text: &str| turn(number, Role::Tool, text);
    let long = format!("first {} last", "word ".repeat(500));
    let turns = [
        turn(1, Role::User, &long),
        turn(2, Role::User, "明天呢？"),
        tool(
            3,
            "the oldest of all of them, of which nothing is shown any more",
        ),
        tool(4, &long),
        tool(5, &long),
        tool(6, &long),
    ];
    assert_eq!(
        analyst.condense(&turns).unwrap().as_deref(),
        Some("明天有雨")
    );
    let asked = replay.asked();
    let prompt = &asked[0].messages[1].text;
    let results: Vec<&str> = prompt
        .lines()
        .filter(|line| line.starts_with("[tool]"))
        .collect();
    assert_eq!(results.len(), 3, "the newest that fit: {prompt}");
    for result in &results {
        assert!(
            result.contains("first") && result.contains('…') && result.ends_with("last"),
            "{result}"
        );
        assert!(estimate(result) <= 25, "{result}");
    }
    let said: Vec<&str> = prompt
        .lines()
        .filter(|line| line.starts_with("主人: "))
        .collect();
    assert_eq!(
        said,
        ["主人: 明天呢？"],
        "what is older does not fit beside it"
    );
    assert_eq!(
        analyst.condense(&turns[1..]).unwrap(),
        None,
        "that nothing is of use is nothing to be told"
    );
}

#[test]
fn known_memories_are_cut_as_the_profile_says() {
    let replay = Arc::new(
        Replay::default()
            .reply("extract", "[]")
            .reply("extract", "[]"),
    );
    let mut profile = markdown();
    let turns = [turn(9, Role::User, "一句话")];
    let known: Vec<Shown> = (1..=3).map(|n| shown(n, &"字".repeat(80), 0.9)).collect();
    let listed = |profile: &Profile| -> Vec<usize> {
        analyst(&replay, profile)
            .extract(&ExtractWindow {
                turns: &turns,
                known: &known,
            })
            .unwrap();
        let asked = replay.asked();
        let lines = asked.last().unwrap().messages[1].text.lines();
        lines
            .filter(|line| line.starts_with('['))
            .map(|line| line.matches('字').count())
            .collect()
    };
    (profile.extract.shown_chars, profile.extract.shown_tokens) = (40, 120);
    assert_eq!(listed(&profile), [40, 40], "fifty tokens and a name each");
    (profile.extract.shown_chars, profile.extract.shown_tokens) = (0, 0);
    assert_eq!(listed(&profile), [80, 80, 80]);
}

#[test]
fn a_message_that_is_much_too_long_is_summed_up_in_parts() {
    let text: String = (0..5500)
        .map(|n| format!("Sentence number {n:04} of a very long report. "))
        .collect();
    let turns = [turn(1, Role::User, &text)];
    let parts = |replay: &Replay| -> Vec<String> {
        let asked = replay
            .asked()
            .into_iter()
            .filter(|request| request.purpose == "summarize");
        asked
            .map(|request| request.messages[1].text.clone())
            .collect()
    };
    let whole = |parts: &[String]| {
        assert!(
            parts.len() > 4 && parts.iter().all(|part| estimate(part) <= 8100),
            "{}",
            parts.len()
        );
        let told = |n: usize| {
            parts
                .iter()
                .filter(|part| part.contains(&format!("Sentence number {n:04} of a very")))
                .count()
        };
        assert!(
            (0..5500).all(|n| told(n) == 1),
            "each sentence is in one part, whole"
        );
    };
    let scripted = || {
        let answers = (0..20).fold(Replay::default(), |replay, _| {
            replay.reply("summarize", "a part")
        });
        Arc::new(answers.reply("extract", "[]"))
    };
    let replay = scripted();
    analyst(&replay, &markdown())
        .extract(&ExtractWindow {
            turns: &turns,
            known: &[],
        })
        .unwrap();
    whole(&parts(&replay));
    let replay = scripted();
    let summary = analyst(&replay, &companion()).summarize(&turns).unwrap();
    whole(&parts(&replay));
    assert_eq!(summary.lines().count(), parts(&replay).len());
}
