#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

//! Phrases that name a time, against a table written by hand, and what becomes of them in a graph.

use annals_language::Zone;
use annals_language::time::{
    Bound, DayPrecision, Grain, Lean, Said, asked, expiry, moment, named, normalise, phrases,
};
use annals_types::Timestamp;
use proptest::prelude::*;

const TABLE: &str = include_str!("data/time_phrases.tsv");

/// Rows of the list that the tables read wrongly.
const WRONG: usize = 2;

/// A local time of a zone, written `2026-03-18` or `2026-03-18T10:00`.
fn local(text: &str, zone: &str) -> Timestamp {
    let tz = jiff::tz::TimeZone::get(zone).unwrap();
    let civil = text.parse::<jiff::civil::DateTime>().unwrap();
    Timestamp::from_millis(tz.to_timestamp(civil).unwrap().as_millisecond())
}

fn said(at: &str, zone: &str) -> Said {
    Said::at(local(at, zone), Zone::named(zone).unwrap())
}

#[test]
fn what_a_text_names() {
    // A Wednesday.
    let scene = said("2026-03-18T10:00", "Asia/Shanghai");
    let span = |from: &str, to: &str| (local(from, "Asia/Shanghai"), local(to, "Asia/Shanghai"));
    let day = |day: &str| {
        let (start, _) = span(day, day);
        (start, start.plus_millis(86_400_000))
    };
    for (text, times) in [
        ("I went to the dentist yesterday", vec![day("2026-03-17")]),
        ("昨天小林去了电影院", vec![day("2026-03-17")]),
        (
            "In March 2023 we moved to Berlin",
            vec![span("2023-03-01", "2023-04-01")],
        ),
        (
            "2023年3月我们搬到了柏林",
            vec![span("2023-03-01", "2023-04-01")],
        ),
        (
            "I moved in 2019 and again in 2023",
            vec![
                span("2019-01-01", "2020-01-01"),
                span("2023-01-01", "2024-01-01"),
            ],
        ),
        (
            "I have lived here since 2019",
            vec![span("2019-01-01", "2020-01-01")],
        ),
        (
            "Yesterday I slept. Yes, yesterday.",
            vec![day("2026-03-17")],
        ),
        (
            "1 March 2020, 2 March 2020, 3 March 2020, 4 March 2020, 5 March 2020",
            vec![
                day("2020-03-01"),
                day("2020-03-02"),
                day("2020-03-03"),
                day("2020-03-04"),
            ],
        ),
        (
            "We meet tomorrow at 3 pm",
            vec![span("2026-03-19T15:00", "2026-03-19T15:01")],
        ),
        // Before or ahead, as the sentence says.
        ("I saw the doctor on Friday.", vec![day("2026-03-13")]),
        (
            "I liked it. I have to see the doctor on Friday.",
            vec![day("2026-03-20")],
        ),
        ("周五我见了重要的客户", vec![day("2026-03-13")]),
        ("我周五要去看牙医", vec![day("2026-03-20")]),
        (
            "I moved on Monday. I will call you.",
            vec![day("2026-03-16")],
        ),
        // No date, no time of its own, or one that is around the moment.
        ("I live in Berlin", vec![]),
        ("I eat lunch at noon", vec![]),
        ("I go to bed at midnight", vec![]),
        ("I work from 9:00 to 17:00", vec![]),
        ("我晚上十点睡觉", vec![]),
        ("我每天早上七点起床", vec![]),
        ("I run every Friday", vec![]),
        ("I usually run on Friday", vec![]),
        ("我通常周五跑步", vec![]),
        ("I have slept badly recently", vec![]),
        ("After 2019 I stopped", vec![]),
        ("I feel ill today", vec![]),
        ("这个月我很忙", vec![]),
    ] {
        let found: Vec<_> = named(text, &scene)
            .iter()
            .map(|time| (time.start, time.end))
            .collect();
        assert_eq!(found, times, "{text}");
    }
    // The same moment is another day elsewhere.
    let elsewhere = Said::at(scene.at, Zone::named("America/Los_Angeles").unwrap());
    assert_eq!(
        named("yesterday", &elsewhere)[0].start,
        local("2026-03-16", "America/Los_Angeles")
    );
    // The beginning of a long text is read.
    let long = format!("{}2019年", "字".repeat(2000));
    assert_eq!(named(&long, &scene), []);
}

#[test]
fn the_table() {
    let (mut scene, mut zone) = (said("2026-03-18T10:00", "UTC"), String::new());
    let (mut told, mut rows, mut wrong) = (false, 0, Vec::new());
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[0] == "@" {
            zone = cells[2].to_owned();
            let lean = if cells[3] == "future" {
                Lean::Future
            } else {
                Lean::Past
            };
            scene = Said {
                lean,
                ..said(cells[1], &zone)
            };
            told = cells[3] == "told";
            continue;
        }
        rows += 1;
        let bound = match cells.get(3) {
            None => Bound::Within,
            Some(&"since") => Bound::Since,
            Some(&"after") => Bound::After,
            Some(&"before") => Bound::Before,
            Some(&"until") => Bound::Until,
            Some(other) => panic!("{other}"),
        };
        let wanted: Vec<_> = (cells[1] != "-")
            .then(|| (local(cells[1], &zone), local(cells[2], &zone), bound))
            .into_iter()
            .collect();
        let found: Vec<_> = if told {
            named(cells[0], &scene)
                .iter()
                .map(|time| (time.start, time.end, Bound::Within))
                .collect()
        } else {
            phrases(cells[0], &scene)
                .iter()
                .map(|p| (p.interval.start, p.interval.end, p.bound))
                .collect()
        };
        if found != wanted {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(rows >= 700);
    assert_eq!(
        wrong.len(),
        WRONG,
        "{} of {rows} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn times_in_a_graph_are_made_absolute() {
    // part: G-36, G-37, G-38
    let scene = said("2025-11-05T10:00", "Asia/Shanghai");
    let normal = |words: &str| normalise(words, &scene, DayPrecision::Day).text;
    for (words, wanted) in [
        ("今天", "2025-11-05"),
        ("昨天", "2025-11-04"),
        ("昨晚", "2025-11-04 夜间"),
        ("今天早上8点", "2025-11-05 08:00"),
        ("2025-11-05", "2025-11-05"),
        ("2025年11月5日", "2025年11月5日"),
        ("2025-11-05 10:00", "2025-11-05 10:00"),
        ("现在", "2025-11-05 10:00"),
        ("刚才", "2025-11-05 10:00"),
        ("昨天下午", "2025-11-04 下午"),
        ("上周", "2025-10-27…2025-11-02"),
        ("上个月", "2025-10"),
        ("去年", "2024"),
        ("last night", "2025-11-04 night"),
        ("小时候", "小时候"),
        ("从前有座山", "从前有座山"),
    ] {
        assert_eq!(normal(words), wanted, "{words}");
    }
    let minute = |words: &str| normalise(words, &scene, DayPrecision::Minute).text;
    assert_eq!(minute("今天"), "2025-11-05 10:00");
    assert_eq!(minute("昨天"), "2025-11-04");
    let week = normalise("上周", &scene, DayPrecision::Day)
        .interval
        .unwrap();
    let zone = "Asia/Shanghai";
    assert_eq!(
        (week.start, week.end),
        (local("2025-10-27", zone), local("2025-11-03", zone))
    );
    assert_eq!(
        normalise("小时候", &scene, DayPrecision::Day).interval,
        None
    );
}

#[test]
fn a_plan_for_next_wednesday_ends_with_that_day() {
    // part: M-86
    let zone = "Asia/Shanghai";
    let found = phrases(
        "下周三有产品评审会议",
        &said("2026-02-20T09:00", zone).looking_ahead(),
    );
    assert_eq!(
        found[0].interval.end.plus_millis(-1000),
        local("2026-02-25T23:59:59", zone)
    );
}

#[test]
fn what_reaches_from_or_up_to_a_time() {
    let scene = said("2026-03-18T10:00", "UTC");
    let bound = |text: &str| phrases(text, &scene)[0].bound;
    for text in [
        "since 2019",
        "since last Friday",
        "自2019年以来",
        "从去年开始",
    ] {
        assert_eq!(bound(text), Bound::Since, "{text}");
    }
    for text in ["until Friday", "by Friday", "截至2019年"] {
        assert_eq!(bound(text), Bound::Until, "{text}");
    }
    for text in ["before March 2024", "2019年以前"] {
        assert_eq!(bound(text), Bound::Before, "{text}");
    }
    for text in [
        "the Sunday before 25 May 2023",
        "the weekend after 25 May 2023",
        "two weeks before 25 May 2023",
    ] {
        assert_eq!(
            phrases(text, &scene).last().unwrap().bound,
            Bound::Within,
            "{text}"
        );
    }
    assert_eq!(
        (bound("after March 2024"), bound("2019年以后")),
        (Bound::After, Bound::After)
    );
    assert_eq!(bound("in 2019"), Bound::Within);
}

#[test]
fn questions_name_absolute_times_before_others() {
    let scene = said("2026-03-18T10:00", "UTC");
    let found = asked("was it yesterday or on 2026-02-03?", &scene);
    assert_eq!(found.times.len(), 1);
    assert_eq!(found.times[0].start, local("2026-02-03", "UTC"));
    assert!(asked("what did we do recently?", &scene).times.is_empty());
    assert!(asked("上次聊游戏是什么时候", &scene).when);
}

#[test]
fn bounds_reach_on_until_now_and_back_to_the_first_year() {
    let scene = said("2026-03-18T10:00", "UTC");
    let [since] = asked("what did we talk about since 2025?", &scene)
        .times
        .try_into()
        .unwrap();
    assert_eq!(
        (since.start, since.end),
        (local("2025-01-01", "UTC"), scene.at.plus_millis(1))
    );
    let [until] = asked("what was it until March 2024?", &scene)
        .times
        .try_into()
        .unwrap();
    assert_eq!(
        (until.start.to_string().as_str(), until.end),
        ("0001-01-01T00:00:00Z", local("2024-04-01", "UTC"))
    );
    // Half of March, and none of two thousand years.
    assert_eq!(until.slack_millis, 31 * 43_200_000);
    let [since] = asked("where was I since 2015?", &scene)
        .times
        .try_into()
        .unwrap();
    assert_eq!(since.slack_millis, 31 * 86_400_000);
    for (text, first) in [
        ("where did I go after 2024?", "2025-01-01"),
        ("上周之后", "2026-03-16"),
    ] {
        let [after] = asked(text, &scene).times.try_into().unwrap();
        assert_eq!(
            (after.start, after.slack_millis),
            (local(first, "UTC"), 0),
            "{text}"
        );
        assert!(after.end > local("9999-01-01", "UTC"), "{text}");
    }
    for (text, end) in [
        ("where did I go before 2024?", "2024-01-01"),
        ("去年以前", "2025-01-01"),
        ("上周之前", "2026-03-09"),
    ] {
        let [before] = asked(text, &scene).times.try_into().unwrap();
        assert_eq!(
            (before.end, before.slack_millis),
            (local(end, "UTC"), 0),
            "{text}"
        );
    }
    let [ahead] = asked("从下周开始", &scene).times.try_into().unwrap();
    assert!(ahead.start == local("2026-03-23", "UTC") && ahead.end > local("9999-01-01", "UTC"));
    assert!(
        asked("what did we talk about before March?", &scene).bare
            && asked("10月之前我们聊了什么", &scene).bare
    );
}

#[test]
fn a_bound_on_a_clock_ends_with_its_day() {
    let scene = said("2026-11-21T10:00", "UTC");
    for (text, start, end) in [
        (
            "what did I paint after 3 pm on Monday?",
            "2026-11-16T15:01",
            "2026-11-17",
        ),
        (
            "what did I paint before noon yesterday?",
            "2026-11-20",
            "2026-11-20T12:00",
        ),
        ("until 15:30 on Monday", "2026-11-16", "2026-11-16T15:31"),
        ("before 9 am", "2026-11-21", "2026-11-21T09:00"),
        (
            "周一下午三点以后我画了什么",
            "2026-11-16T15:01",
            "2026-11-17",
        ),
        ("昨天中午以前", "2026-11-20", "2026-11-20T11:00"),
        // "Before" an evening goes back as far as "before" a day does, and "since" goes
        // on until now.
        ("before yesterday evening", "0001-01-01", "2026-11-20T18:00"),
        (
            "since 3 pm on Monday",
            "2026-11-16T15:00",
            "2026-11-21T10:00:00.001",
        ),
        ("before now", "0001-01-01", "2026-11-21T10:00"),
    ] {
        let [meant] = asked(text, &scene).times.try_into().unwrap();
        assert_eq!(
            (meant.start, meant.end),
            (local(start, "UTC"), local(end, "UTC")),
            "{text}"
        );
        assert!(
            meant.slack_millis == 0 || text.starts_with("since"),
            "{text}"
        );
    }
}

#[test]
fn a_bound_on_the_clock_of_a_date_reaches_through_all_time() {
    let scene = said("2026-11-21T10:00", "UTC");
    for text in [
        "before 2025-03-01 12:00",
        "2025年3月1日12点之前",
        "before noon on March 1, 2025",
    ] {
        let [meant] = asked(text, &scene).times.try_into().unwrap();
        assert!(
            meant.contains(local("2025-02-27", "UTC"))
                && !meant.contains(local("2025-03-01T13:00", "UTC")),
            "{text}"
        );
        assert_eq!(meant.slack_millis, 0, "{text}");
    }
    let [after] = asked("what about tea after 2025-03-01 12:00?", &scene)
        .times
        .try_into()
        .unwrap();
    assert!(
        after.contains(local("2025-06-01", "UTC"))
            && !after.contains(local("2025-03-01T09:00", "UTC"))
    );
    let [until] = asked("until 2025-03-01 12:00", &scene)
        .times
        .try_into()
        .unwrap();
    assert_eq!(
        (until.end, until.slack_millis),
        (local("2025-03-01T12:01", "UTC"), 0)
    );
}

#[test]
fn two_bounds_side_by_side_are_one_stretch() {
    let scene = said("2026-11-21T10:00", "UTC");
    for (text, start, end) in [
        ("tea after 2019 and before 2024", "2020-01-01", "2024-01-01"),
        ("tea before 2024 and after 2019", "2020-01-01", "2024-01-01"),
        ("tea since 2023 but before 2024", "2023-01-01", "2024-01-01"),
        (
            "tea not before 2023 and not after 2024",
            "2023-01-01",
            "2025-01-01",
        ),
        (
            "since March, but no later than May",
            "2026-03-01",
            "2026-06-01",
        ),
        ("2019年以后2024年以前喝的茶", "2020-01-01", "2024-01-01"),
        ("2019年以后，2024年之前", "2020-01-01", "2024-01-01"),
        ("2024年之前、2019年之后", "2020-01-01", "2024-01-01"),
        (
            "after 3 pm and before 5 pm today",
            "2026-11-21T15:01",
            "2026-11-21T17:00",
        ),
        (
            "after 2025-03-01 12:00 and before 2025-06-01 18:00",
            "2025-03-01T12:01",
            "2025-06-01T18:00",
        ),
    ] {
        let [meant] = asked(text, &scene)
            .times
            .try_into()
            .unwrap_or_else(|all| panic!("{text}: {all:?}"));
        assert_eq!(
            (meant.start, meant.end),
            (local(start, "UTC"), local(end, "UTC")),
            "{text}"
        );
        let excludes =
            text.contains("after 2019") || text.contains('后') || text.contains("before 2024");
        assert!(!excludes || meant.slack_millis == 0, "{text}");
    }
    for text in [
        "before 2019 and after 2024",
        "before 2019 or after 2024",
        "after 2019 I moved, before 2024 I was ill",
    ] {
        assert_eq!(asked(text, &scene).times.len(), 2, "{text}");
    }
    assert_eq!(
        moment("after 2019 and before 2024", &scene, true),
        Some(local("2024-01-01", "UTC"))
    );
}

#[test]
fn phrases_in_a_row_are_of_one_year() {
    let scene = said("2026-11-22T10:00", "UTC");
    for (text, wanted) in [
        ("between March and May 2025", &["2025-03-01 2025-06-01"][..]),
        ("from March to May last year", &["2025-03-01 2025-06-01"]),
        ("March 5 to April 15, 2025", &["2025-03-05 2025-04-16"]),
        ("March 2025 to May", &["2025-03-01 2025-06-01"]),
        ("from November to February 2026", &["2025-11-01 2026-03-01"]),
        ("2025年11月到2月", &["2025-11-01 2026-03-01"]),
        (
            "after March and before May 2025",
            &["2025-04-01 2025-05-01"],
        ),
        ("in 2025, in March", &["2025-03-01 2025-04-01"]),
        (
            "March and April 2025",
            &["2025-03-01 2025-04-01", "2025-04-01 2025-05-01"],
        ),
        (
            "in March and April last year",
            &["2025-03-01 2025-04-01", "2025-04-01 2025-05-01"],
        ),
        (
            "last year in March and April",
            &["2025-03-01 2025-04-01", "2025-04-01 2025-05-01"],
        ),
        (
            "on March 5 and April 15, 2025",
            &["2025-03-05 2025-03-06", "2025-04-15 2025-04-16"],
        ),
        (
            "in March, April, and May 2025",
            &[
                "2025-03-01 2025-04-01",
                "2025-04-01 2025-05-01",
                "2025-05-01 2025-06-01",
            ],
        ),
        (
            "2025年3月、4月",
            &["2025-03-01 2025-04-01", "2025-04-01 2025-05-01"],
        ),
        (
            "去年三月和四月",
            &["2025-03-01 2025-04-01", "2025-04-01 2025-05-01"],
        ),
        (
            "去年3月5号和4月15号",
            &["2025-03-05 2025-03-06", "2025-04-15 2025-04-16"],
        ),
        // Another year, or none that is said of both.
        (
            "in 2023 and in March",
            &["2023-01-01 2024-01-01", "2026-03-01 2026-04-01"],
        ),
        (
            "3月和去年4月",
            &["2026-03-01 2026-04-01", "2025-04-01 2025-05-01"],
        ),
        (
            "in March 2024, and we met yesterday",
            &["2024-03-01 2024-04-01"],
        ),
        ("in 2025 and may be later", &["2025-01-01 2026-01-01"]),
    ] {
        let found = asked(text, &scene).times;
        let day = |moment: Timestamp| {
            moment
                .to_string()
                .split('T')
                .next()
                .map(str::to_owned)
                .unwrap_or_default()
        };
        let found: Vec<String> = found
            .iter()
            .map(|time| format!("{} {}", day(time.start), day(time.end)))
            .collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn a_stretch_whose_end_is_before_its_start_is_none() {
    let scene = said("2026-03-18T10:00", "UTC");
    for text in [
        "from 2015 to 2010",
        "from last Monday to last Wednesday",
        "2015年到2010年",
    ] {
        let found = phrases(text, &scene);
        assert_eq!(found.len(), 2, "{text}: {found:?}");
    }
}

#[test]
fn a_question_with_a_no_still_asks_for_its_day() {
    let scene = said("2026-11-21T10:00", "UTC");
    for text in [
        "why not on Friday?",
        "was it not on Friday?",
        "不是周五吗？",
        "是不是周五？",
    ] {
        assert_eq!(phrases(text, &scene).len(), 1, "{text}");
    }
    for text in [
        "not on Friday",
        "what did I do but not on Friday?",
        "我做了什么，不是周五？",
        "除了周五还有呢？",
    ] {
        assert!(phrases(text, &scene).is_empty(), "{text}");
    }
}

#[test]
fn the_ends_of_a_search_are_those_that_words_mean() {
    let zone = "Asia/Shanghai";
    let scene = said("2026-03-18T10:00", zone);
    for (words, start, end) in [
        ("2024", None, None),
        ("in 2024", Some("2024-01-01"), Some("2025-01-01")),
        ("after 2024", Some("2025-01-01"), None),
        ("since 2024", Some("2024-01-01"), None),
        ("before 2024", None, Some("2024-01-01")),
        ("until 2024", None, Some("2025-01-01")),
        ("2024年以后", Some("2025-01-01"), None),
        ("recently", None, None),
        ("近期", None, None),
        (
            "2027-03-05 18:00+08:00",
            Some("2027-03-05T18:00"),
            Some("2027-03-05T18:00"),
        ),
        (
            "2027-03-05 18:00+00:00",
            Some("2027-03-06T02:00"),
            Some("2027-03-06T02:00"),
        ),
        (
            "2027-03-05T18:00:00Z",
            Some("2027-03-06T02:00"),
            Some("2027-03-06T02:00"),
        ),
    ] {
        let wanted = |text: Option<&str>| text.map(|text| local(text, zone));
        assert_eq!(
            (moment(words, &scene, false), moment(words, &scene, true)),
            (wanted(start), wanted(end)),
            "{words}"
        );
    }
    let scene = scene.looking_ahead();
    for (words, end) in [
        ("before Friday", Some("2026-03-20")),
        ("周五之前", Some("2026-03-20")),
        ("by Friday", Some("2026-03-21")),
        ("周五", Some("2026-03-21")),
        ("after Friday", None),
        ("from Friday on", None),
        ("recently", None),
        ("2027-03-05 18:00+00:00", Some("2027-03-06T02:00")),
    ] {
        assert_eq!(
            expiry(words, &scene),
            end.map(|text| local(text, zone)),
            "{words}"
        );
    }
}

#[test]
fn a_word_is_no_weekday_and_a_numeral_without_end_no_number() {
    let scene = said("2026-03-18T10:00", "UTC");
    for text in [
        "Who sat 2 rows behind me?",
        "they wed 3 years later and sat 4 exams",
        "一".repeat(40).as_str(),
    ] {
        assert!(
            !phrases(text, &scene)
                .iter()
                .any(|phrase| phrase.grain == Grain::Day),
            "{text}"
        );
    }
    for (text, day) in [
        ("Sat 14 March at noon", "2026-03-14"),
        ("on Sat, 3 pm", "2026-03-14"),
        ("Mon 3pm", "2026-03-16"),
    ] {
        assert_eq!(
            phrases(text, &scene)[0].interval.start.date(),
            day,
            "{text}"
        );
    }
}

#[test]
fn a_leap_day_may_be_years_away() {
    for text in ["2月29日", "on February 29"] {
        for (now, past, ahead) in [
            ("2026-03-18T10:00", "2024-02-29", "2028-02-29"),
            ("2028-03-01T00:00", "2028-02-29", "2032-02-29"),
        ] {
            let scene = said(now, "UTC");
            assert_eq!(
                phrases(text, &scene)[0].interval.start.date(),
                past,
                "{text} {now}"
            );
            assert_eq!(
                phrases(text, &scene.looking_ahead())[0]
                    .interval
                    .start
                    .date(),
                ahead,
                "{text} {now}"
            );
        }
    }
}

#[test]
fn a_quarter_before_one_is_after_noon() {
    let scene = said("2026-03-18T20:00", "UTC");
    assert_eq!(
        phrases("today at quarter to 1", &scene)[0].interval.start,
        local("2026-03-18T12:45", "UTC")
    );
    assert!(
        !phrases("24:30", &scene)
            .iter()
            .any(|phrase| phrase.grain == Grain::Minute)
    );
}

const WORDS: [&str; 62] = [
    "in", "march", "3", "2026", "-", "年", "月", "日", "三", "十", "前", "天", "周", "上", "ago",
    "last", "week", "of", ",", "个", "0", "99", "friday", "two", "days", "31", "february", "点",
    "半", "下午", "晚", "到", "to", "between", "and", "from", "next", "summer", "pm", ":", "30",
    "季度", "第", "百", "千", "零", "最近", "过去", "后", "小时", "hours", "half", "a", "the",
    "15", "th", "end", "year", "世纪", "年代", "9999", "号",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn fuzz_any_text_is_survived(text in ".*", millis in any::<i64>()) {
        let scene = Said::at(Timestamp::from_millis(millis), Zone::utc());
        for phrase in phrases(&text, &scene) {
            prop_assert!(phrase.interval.start < phrase.interval.end);
            prop_assert!(text.get(phrase.range).is_some());
        }
        let _ = normalise(&text, &scene, DayPrecision::Day);
    }

    #[test]
    fn fuzz_words_of_time_are_survived(
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..14),
        spaced in any::<bool>(),
        millis in -62_135_596_800_000_i64..253_402_127_999_999,
        future in any::<bool>(),
    ) {
        let text = words.join(if spaced { " " } else { "" });
        let lean = if future { Lean::Future } else { Lean::Past };
        let scene = Said { at: Timestamp::from_millis(millis), zone: Zone::named("Asia/Shanghai").unwrap(), lean };
        let mut end = 0;
        for phrase in phrases(&text, &scene) {
            prop_assert!(phrase.interval.start < phrase.interval.end);
            prop_assert!(phrase.range.start >= end);
            end = phrase.range.end;
        }
        let _ = (normalise(&text, &scene, DayPrecision::Minute), asked(&text, &scene), named(&text, &scene));
    }
}
