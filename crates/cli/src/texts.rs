//! The texts that people read, in the language of the run.
//!
//! The first word of the id of a text names its file: `recall-none` stands in `data/en/recall.ftl`
//! and `data/zh/recall.ftl`. Values of arguments, errors and screens are made where no value of the
//! run is at hand, so the language belongs to the thread, and [`speaking`] sets it for one run.

use std::cell::Cell;
use std::fmt::Display;

use annals::Wording;
use annals_messages::{Arg, TextFile};

/// A language of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
}

impl Language {
    /// The tag of the language, as namespaces have it.
    pub(crate) const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }
}

thread_local! {
    static LANGUAGE: Cell<Language> = const { Cell::new(Language::English) };
}

/// The texts of a group in both languages.
struct Group {
    name: &'static str,
    english: TextFile,
    chinese: TextFile,
}

macro_rules! groups {
    ($($name:literal),* $(,)?) => {
        [$(Group {
            name: $name,
            english: TextFile::new("en", include_str!(concat!("../data/en/", $name, ".ftl"))),
            chinese: TextFile::new("zh", include_str!(concat!("../data/zh/", $name, ".ftl"))),
        }),*]
    };
}

static GROUPS: [Group; 24] = groups![
    "chat",
    "common",
    "db",
    "demo",
    "doctor",
    "eval",
    "graph",
    "hook",
    "install",
    "jobs",
    "language",
    "memory",
    "model",
    "namespace",
    "profile",
    "queue",
    "recall",
    "review",
    "serve",
    "session",
    "table",
    "token",
    "transfer",
    "usage"
];

/// The help of commands in Chinese; in English it stands beside the arguments.
pub(crate) static HELP: TextFile = TextFile::new("zh", include_str!("../data/zh/help.ftl"));

/// The language of this run.
pub(crate) fn language() -> Language {
    LANGUAGE.get()
}

/// Does something in a language, and goes back to the one before.
pub(crate) fn speaking<T>(language: Language, work: impl FnOnce() -> T) -> T {
    struct Before(Language);
    impl Drop for Before {
        fn drop(&mut self) {
            LANGUAGE.set(self.0);
        }
    }
    let _before = Before(LANGUAGE.replace(language));
    work()
}

/// A text with its places filled; a text that no file has is its id. [`text!`] is the short form.
pub(crate) fn filled(id: &str, args: &[(&str, &dyn Display)]) -> String {
    found(id, args).unwrap_or_else(|| id.to_owned())
}

/// The same; `None` when the file does not have it.
pub(crate) fn found(id: &str, args: &[(&str, &dyn Display)]) -> Option<String> {
    let args: Vec<(&str, String)> = args
        .iter()
        .map(|(name, value)| (*name, marked(name, reason(name, value.to_string()))))
        .collect();
    let filled: Vec<(&str, Arg<'_>)> = args
        .iter()
        .map(|(name, value)| (*name, arg(value)))
        .collect();
    let name = id.split('-').next().unwrap_or(id);
    let group = GROUPS.iter().find(|group| group.name == name);
    let file = group.map(|group| match language() {
        Language::English => &group.english,
        Language::Chinese => &group.chinese,
    });
    let text = file.and_then(|file| file.text(id, &filled))?;
    let words = args.iter().map(|(_, value)| value.as_str());
    Some(closed_up(text, words))
}

/// Places that hold what somebody wrote, whatever it begins with.
const WRITTEN: [&str; 2] = ["source", "text"];

/// A quoted word in the marks of the language: code quotes in those of English.
fn marked(place: &str, value: String) -> String {
    if language() == Language::English || WRITTEN.contains(&place) {
        return value;
    }
    let inner = value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|word| !word.contains('"'));
    let marked = inner.map(|word| format!("“{word}”"));
    marked.unwrap_or(value)
}

/// A text without the blanks beside quoted words: Chinese marks bring their own space along.
fn closed_up<'a>(text: String, words: impl Iterator<Item = &'a str>) -> String {
    let quoted = words.filter(|word| word.starts_with('“') && word.ends_with('”'));
    quoted.fold(text, |text, word| {
        text.replace(&format!(" {word}"), word)
            .replace(&format!("{word} "), word)
    })
}

/// What an error says, with its quoted words in the marks of the language.
pub(crate) fn in_marks(wording: &Wording) -> Wording {
    let mut wording = wording.clone();
    for (place, value) in &mut wording.places {
        *value = marked(place, std::mem::take(value));
    }
    wording
}

/// The same of a whole sentence that was made of such words.
pub(crate) fn closed_up_of(text: String, wording: &Wording) -> String {
    closed_up(text, wording.places.values().map(String::as_str))
}

/// Places in which the reason of a library stands.
const REASONS: [&str; 7] = [
    "cause", "error", "failed", "message", "reason", "told", "why",
];

/// The value of a place; a reason in the language of the run, where somebody put it into that.
fn reason(place: &str, value: String) -> String {
    if REASONS.contains(&place) {
        in_words(value)
    } else {
        value
    }
}

/// What a library says about a model or a server, in the language of the run.
pub(crate) fn in_words(text: String) -> String {
    annals_messages::phrase(language().tag(), &text).unwrap_or(text)
}

/// A word of annals, such as the status `forgotten`, in the language of the run.
pub(crate) fn term(group: &str, word: &str) -> String {
    annals_messages::term(language().tag(), group, word).unwrap_or_else(|| word.to_owned())
}

/// What a library says, by its name below `group`; `None` where its own words are in the language
/// of the run.
pub(crate) fn said(group: &str, wording: &Wording) -> Option<String> {
    // A change of status names the one before and the one after; a merge why it was made.
    let worded = |name: &str, value: &str| match name {
        "from" | "to" => term("status", value),
        "reason" => term("reason", value),
        _ => value.to_owned(),
    };
    let places: Vec<(&str, String)> = wording
        .places
        .iter()
        .map(|(name, value)| (name.as_str(), worded(name, value)))
        .collect();
    let places: Vec<(&str, &dyn Display)> = places
        .iter()
        .map(|(name, value)| (*name, value as &dyn Display))
        .collect();
    found(&format!("{group}{}", wording.name), &places)
}

/// The Chinese help of a command, such as `help-graph-add`, or of a part of it, such as an
/// argument.
pub(crate) fn help(id: &str, part: Option<&str>) -> Option<String> {
    match part {
        Some(part) => HELP.part(id, part, &[]),
        None => HELP.text(id, &[]),
    }
}

/// A count is a number, by which a text chooses the form for one or many; anything else is put in
/// as it is.
fn arg(value: &str) -> Arg<'_> {
    let is_count = value.len() <= 15 && value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse::<i64>() {
        Ok(number) if is_count && (value == "0" || !value.starts_with('0')) => Arg::Number(number),
        _ => Arg::Text(value),
    }
}

/// A text of the program: `text!("recall-none")`, `text!("list-more", count = left)`.
macro_rules! text {
    ($id:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::texts::filled($id, &[$((stringify!($name), text!(@value $name $(, $value)?))),*])
    };
    (@value $name:ident) => { &$name as &dyn std::fmt::Display };
    (@value $name:ident, $value:expr) => { &$value as &dyn std::fmt::Display };
}
pub(crate) use text;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::{Path, PathBuf};

    use super::*;

    /// Texts that are looked for by a word of another crate, which stands for itself in English.
    const BY_WORD: [&str; 7] = [
        "doctor-place-",
        "install-step-",
        "jobs-count-",
        "memory-step-",
        "memory-what-",
        "review-question-",
        "transfer-left-",
    ];

    type Places = BTreeMap<String, BTreeSet<String>>;

    fn places(language: Language) -> Places {
        let file = |group: &Group| match language {
            Language::English => group.english.places().unwrap(),
            Language::Chinese => group.chinese.places().unwrap(),
        };
        let named = |group: &'static Group| {
            file(group).into_iter().inspect(move |(id, _)| {
                assert_eq!(
                    id.split('-').next(),
                    Some(group.name),
                    "{id} stands in another file"
                );
            })
        };
        GROUPS.iter().flat_map(named).collect()
    }

    #[test]
    fn english_and_chinese_have_the_same_texts_with_the_same_places() {
        let (english, chinese) = (places(Language::English), places(Language::Chinese));
        for (id, places) in &english {
            let found = chinese
                .get(id)
                .unwrap_or_else(|| panic!("{id} is not there in Chinese"));
            // A library speaks English: its words stand below a heading.
            let heading = id.starts_with("common-failed");
            assert!(
                found == places || (heading && found.is_empty()),
                "{id}: {found:?} {places:?}"
            );
        }
        for id in chinese
            .keys()
            .filter(|id| !BY_WORD.iter().any(|word| id.starts_with(word)))
        {
            assert!(english.contains_key(id), "{id} is not there in English");
        }
    }

    #[test]
    fn chinese_texts_are_chinese() {
        for id in places(Language::Chinese).keys() {
            let text = speaking(Language::Chinese, || filled(id, &[]));
            let words = text
                .split(|c: char| !c.is_ascii_alphabetic())
                .filter(|word| word.len() > 1);
            assert!(
                !text.is_ascii() || words.count() == 0 || PLAIN.contains(&id.as_str()),
                "{id}: {text}"
            );
        }
    }

    /// Names and forms that are the same in both languages.
    const PLAIN: [&str; 4] = [
        "doctor-name-onnx-runtime",
        "table-annals",
        "eval-recall",
        "install-backup",
    ];

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| {
                if path.is_dir() {
                    files(&path)
                } else {
                    vec![path]
                }
            })
            .collect()
    }

    /// The places that a call of `text!` fills; the text behind its id, up to the end of the call.
    fn filled_places(call: &str) -> BTreeSet<String> {
        let (mut depth, mut quoted, mut before) = (0_u32, false, ' ');
        let mut args = vec![String::new()];
        for c in call.chars() {
            match c {
                '"' if before != '\\' => quoted = !quoted,
                '(' | '[' | '{' if !quoted => depth += 1,
                ')' if !quoted && depth == 0 => break,
                ')' | ']' | '}' if !quoted => depth -= 1,
                ',' if !quoted && depth == 0 => {
                    args.push(String::new());
                    continue;
                }
                _ => {}
            }
            before = c;
            args.last_mut().unwrap().push(c);
        }
        let names = args
            .iter()
            .map(|arg| arg.split('=').next().unwrap_or_default().trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn every_text_that_is_said_is_there_and_every_other_one_is_looked_for_by_a_word() {
        let english = places(Language::English);
        let mut said = BTreeSet::new();
        for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
            let source = std::fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]\nmod ").next().unwrap();
            if path.ends_with("texts.rs") {
                continue;
            }
            for (at, _) in source.match_indices("text!(") {
                let call = source.get(at + "text!(".len()..).unwrap();
                let call = call
                    .trim_start()
                    .strip_prefix('"')
                    .unwrap_or_else(|| panic!("{}: {call}", path.display()));
                let (id, rest) = call.split_once('"').unwrap();
                let places = english
                    .get(id)
                    .unwrap_or_else(|| panic!("{}: {id}", path.display()));
                assert_eq!(filled_places(rest), *places, "{}: {id}", path.display());
                said.insert(id.to_owned());
            }
        }
        let dynamic = ["table-", "doctor-name-", "jobs-count-"];
        let unsaid = english.keys().filter(|id| !said.contains(*id));
        let unsaid: Vec<_> = unsaid
            .filter(|id| !dynamic.iter().any(|word| id.starts_with(word)))
            .collect();
        assert!(unsaid.is_empty(), "{unsaid:?}");
    }

    /// What libraries say beside their English words stands in Chinese, and nothing else does.
    #[test]
    fn every_wording_of_a_library_has_its_chinese() {
        let chinese = places(Language::Chinese);
        let causes = annals_messages::causes("zh").unwrap();
        let sources = [
            "types/src/error.rs",
            "engine/src/error_wording.rs",
            "transfer/src",
            "records/src/matcher.rs",
            "messages/src/error.rs",
        ];
        for (group, sources) in [
            ("cause-", &sources[..]),
            ("memory-what-", &["annals/src/handles/graph/origins.rs"]),
        ] {
            let mut said = BTreeSet::new();
            for source in sources {
                let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("..")
                    .join(source);
                let paths = if path.is_dir() {
                    files(&path)
                } else {
                    vec![path]
                };
                for path in paths
                    .into_iter()
                    .filter(|path| path.extension().is_some_and(|end| end == "rs"))
                {
                    let text = std::fs::read_to_string(&path).unwrap();
                    for (at, _) in text.match_indices("Wording::new(") {
                        let name = text.get(at + "Wording::new(".len()..).unwrap().trim_start();
                        let Some(name) = name.strip_prefix('"') else {
                            continue;
                        };
                        said.insert(format!("{group}{}", name.split('"').next().unwrap()));
                    }
                }
            }
            assert!(said.len() > 5, "{group}: {said:?}");
            let missing: Vec<_> = said
                .iter()
                .filter(|id| !chinese.contains_key(*id) && !causes.contains_key(*id))
                .collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    }

    /// The engine declares its refusals with their names.
    #[test]
    fn every_refusal_of_the_engine_has_its_chinese() {
        let causes = annals_messages::causes("zh").unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/refusal.rs");
        let source = std::fs::read_to_string(path).unwrap();
        let mut names = BTreeSet::new();
        for (at, _) in source.match_indices("Class::") {
            let mut quoted = source.get(at..).unwrap().splitn(3, '"');
            let (Some(class), Some(name)) = (quoted.next(), quoted.next()) else {
                continue;
            };
            if class
                .chars()
                .all(|c| c.is_alphanumeric() || ":(), \n".contains(c))
            {
                names.insert(format!("cause-refusal-{name}"));
            }
        }
        assert!(names.len() > 30, "{names:?}");
        let missing: Vec<_> = names
            .iter()
            .filter(|name| !causes.contains_key(*name))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_count_chooses_the_form_and_a_name_of_digits_stays_a_name() {
        assert_eq!(text!("common-memories", count = 1), "1 memory");
        assert_eq!(text!("common-memories", count = 2_u64), "2 memories");
        assert_eq!(text!("memory-forgotten", id = "007"), "forgotten 007");
        assert_eq!(
            text!("memory-forgotten", id = "12345678901234567890"),
            "forgotten 12345678901234567890"
        );
        assert_eq!(
            speaking(Language::Chinese, || text!("common-memories", count = 2)),
            "2 条记忆"
        );
        let word = format!("{:?}", "a");
        assert_eq!(
            speaking(Language::Chinese, || text!(
                "common-no-namespace",
                name = word
            )),
            "没有命名空间“a”"
        );
        assert_eq!(language(), Language::English);
    }
}
