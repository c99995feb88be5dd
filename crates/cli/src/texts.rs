//! The texts that people read, in the language of the run.
//!
//! The first word of the id of a text names its file: `recall-none` stands in `data/en/recall.ftl` and
//! `data/zh/recall.ftl`. Values of arguments, errors and screens are made where no value of the run is at
//! hand, so the language belongs to the thread, and [`speaking`] sets it for one run.

use std::cell::Cell;
use std::fmt::Display;

use annals_messages::{Arg, TextFile};

/// A language of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
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

static GROUPS: [Group; 23] = groups![
    "chat", "common", "db", "demo", "doctor", "eval", "graph", "hook", "install", "jobs", "language", "memory",
    "model", "namespace", "profile", "queue", "recall", "review", "serve", "session", "table", "transfer", "usage"
];

/// The help of commands in Chinese; in English it stands beside the arguments.
static HELP: TextFile = TextFile::new("zh", include_str!("../data/zh/help.ftl"));

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
    let args: Vec<(&str, String)> = args.iter().map(|(name, value)| (*name, value.to_string())).collect();
    let args: Vec<(&str, Arg<'_>)> = args.iter().map(|(name, value)| (*name, arg(value))).collect();
    let name = id.split('-').next().unwrap_or(id);
    let group = GROUPS.iter().find(|group| group.name == name);
    let file = group.map(|group| match language() {
        Language::English => &group.english,
        Language::Chinese => &group.chinese,
    });
    file.and_then(|file| file.text(id, &args))
}

/// The Chinese help of a command, such as `help-graph-add`, or of a part of it, such as an argument.
pub(crate) fn help(id: &str, part: Option<&str>) -> Option<String> {
    match part {
        Some(part) => HELP.part(id, part, &[]),
        None => HELP.text(id, &[]),
    }
}

/// A count is a number, by which a text chooses the form for one or many; anything else is put in as it is.
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
