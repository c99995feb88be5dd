use std::collections::BTreeSet;

use annals_types::profile::LanguageSettings;

use crate::places;
use crate::{Arg, BadMessages, Catalogue, Localizer, TextFile, builtin_names, builtin_text};

#[test]
fn english_and_chinese_say_the_same_messages_with_the_same_places() {
    let designs: BTreeSet<&str> = builtin_names()
        .map(|name| name.split_once('/').map_or("", |(_, design)| design))
        .collect();
    assert_eq!(designs.len(), 8);
    let english_common = places::of("en", builtin_text("en").unwrap()).unwrap();
    for design in designs {
        let file = |language: &str| {
            if design.is_empty() {
                language.to_owned()
            } else {
                format!("{language}/{design}")
            }
        };
        let of =
            |language| places::of(&file(language), builtin_text(&file(language)).unwrap()).unwrap();
        let (english, chinese) = (of("en"), of("zh"));
        let all: BTreeSet<&String> = english.keys().chain(chinese.keys()).collect();
        for id in all {
            let in_english = english.get(id).or_else(|| english_common.get(id));
            assert!(
                in_english.is_some()
                    && (chinese.contains_key(id) || english_common.contains_key(id)),
                "{design}: {id}"
            );
            if let (Some(english), Some(chinese)) = (english.get(id), chinese.get(id)) {
                assert_eq!(english, chinese, "{design}: {id}");
            }
        }
    }
}

#[test]
fn every_message_that_comes_along_is_whole() {
    let catalogue = Catalogue::builtin();
    for name in builtin_names() {
        let (language, design) = name.split_once('/').unwrap_or((name, ""));
        let messages = catalogue.messages(design, language);
        for (id, used) in places::of(name, builtin_text(name).unwrap()).unwrap() {
            let args: Vec<(&str, Arg<'_>)> = used
                .iter()
                .map(|place| (place.as_str(), Arg::Text("·")))
                .collect();
            let text = match id.split_once('.') {
                Some((id, part)) => messages.part(id, part, &args),
                None => messages.try_text(&id, &args),
            };
            let Some(text) = text else {
                assert!(id.starts_with("tool-"), "{name}: {id} has no words");
                continue;
            };
            assert!(
                !text.contains("{$") && !text.contains("{-") && !text.trim().is_empty(),
                "{name}: {id}: {text}"
            );
        }
    }
}

#[test]
fn the_language_of_texts_is_that_of_most_of_their_words() {
    let catalogue = Catalogue::builtin();
    let cases = [
        ("I like green tea", Some("en")),
        ("我喜欢喝绿茶", Some("zh")),
        ("我在用 PostgreSQL 和 Kubernetes", Some("zh")),
        ("帮我看看 cargo build --release 为什么这么慢", Some("zh")),
        ("My friend 王小明 lives in Berlin now", Some("en")),
        ("ok", Some("en")),
        ("好", Some("zh")),
        ("42 + 1 = 43 ✓", None),
        ("", None),
    ];
    for (text, language) in cases {
        assert_eq!(catalogue.spoken([text]).as_deref(), language, "{text}");
    }
    catalogue.add("de", "detected-as = deu\n").unwrap();
    let spoken = |text: &str| catalogue.spoken([text]).unwrap();
    assert_eq!(
        spoken("Ich wohne seit drei Jahren in Berlin und mag die Stadt sehr"),
        "de"
    );
    assert_eq!(
        spoken("I have lived in Berlin for three years and like the city a lot"),
        "en"
    );
    assert_eq!(spoken("我在柏林住了三年"), "zh");
}

#[test]
fn files_that_cannot_be_used_are_refused_with_the_reason() {
    let refused = |name: &str, text: &str| Catalogue::builtin().add(name, text).unwrap_err();
    assert!(matches!(
        refused("", "user = x\n"),
        BadMessages::Name { .. }
    ));
    assert!(matches!(
        refused("de/a/b", "user = x\n"),
        BadMessages::Name { .. }
    ));
    assert!(matches!(
        refused("de/../x", "user = x\n"),
        BadMessages::Name { .. }
    ));
    assert!(matches!(
        refused("de", "user = x\n\nassistant = { \n"),
        BadMessages::Syntax { line: 3 | 4, .. }
    ));
    assert!(matches!(
        refused("de", "usr = x\n"),
        BadMessages::Unknown { .. }
    ));
    let place = refused("de", "review-round = Runde { $runde }\n").to_string();
    assert!(
        place.contains("$runde") && place.contains("$round"),
        "{place}"
    );
}

#[test]
fn a_language_that_is_fixed_does_not_follow_the_texts() {
    let settings = |code: &str| LanguageSettings {
        code: code.to_owned(),
        messages: "companion".to_owned(),
    };
    let catalogue = Catalogue::builtin();
    catalogue
        .add("zh/companion", "heading-recalled = 我记得\n")
        .unwrap();
    assert_eq!(
        catalogue
            .messages("companion", "zh")
            .text("heading-recalled", &[]),
        "我记得"
    );
    catalogue.remove("zh/companion");
    assert_eq!(
        catalogue
            .messages("companion", "zh")
            .text("heading-recalled", &[]),
        "[你记得的事情]"
    );
    let heading = |code: &str, text: &str| {
        Localizer::new(Catalogue::shared(), settings(code))
            .of([text])
            .text("heading-recalled", &[])
    };
    assert_eq!(heading("auto", "我喜欢喝茶"), "[你记得的事情]");
    assert_eq!(heading("auto", "I like tea"), "[What you remember]");
    assert_eq!(heading("auto", ""), "[What you remember]");
    assert_eq!(heading("zh", "I like tea"), "[你记得的事情]");
    assert_eq!(heading("fr", "我喜欢喝茶"), "[What you remember]");
}

#[test]
fn a_file_of_a_program_says_its_own_texts_and_no_others() {
    let file = TextFile::new(
        "en",
        "kept = { $count ->\n    [one] { $count } memory\n   *[other] { $count } memories\n }\n",
    );
    let kept = |count| file.text("kept", &[("count", Arg::Number(count))]);
    assert_eq!(kept(1).as_deref(), Some("1 memory"));
    assert_eq!(kept(2).as_deref(), Some("2 memories"));
    assert_eq!(file.text("user", &[]), None);
    assert_eq!(file.places().unwrap()["kept"].len(), 1);
    assert!(matches!(
        TextFile::new("en", "kept = { \n").places(),
        Err(BadMessages::Syntax { .. })
    ));
}
