//! The profiles that come with annals, and reading profiles of one's own.
//!
//! A profile is data in TOML. Copy one (`annals profile show companion > mine.toml`), change it,
//! and store it in a file of memories under a name of its own.

use std::ops::Range;

use annals_types::Wording;
use annals_types::profile::{BadProfile, Profile};

use crate::Error;

mod memory_graph;

/// The profile of namespaces that were given none: it keeps every memory as it is.
pub const DEFAULT: &str = "default";

const BUILTIN: [(&str, &str); 6] = [
    ("companion", include_str!("../profiles/companion.toml")),
    ("studio", include_str!("../profiles/studio.toml")),
    ("agent", include_str!("../profiles/agent.toml")),
    ("graph", include_str!("../profiles/graph.toml")),
    ("markdown", include_str!("../profiles/markdown.toml")),
    ("coding", include_str!("../profiles/coding.toml")),
];

/// The names of the profiles that come with annals, beside [`DEFAULT`].
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The text of a profile that comes with annals.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static str> {
    BUILTIN
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// Reads a profile. Settings that it does not mention have the values of the default profile. A
/// `memory_graph.toml`, the settings file of the design behind the profile `graph` with its
/// sections `consolidation`, `retrieval` and `node_merger`, is read as that profile with its
/// values.
///
/// # Errors
/// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) naming line and key: an unknown key, a value
/// of the wrong kind, or one that is not allowed or contradicts another.
pub fn parse(text: &str) -> Result<Profile, Error> {
    let profile = read(text)?;
    profile.check().map_err(|bad| {
        let wording = bad.wording();
        Error::bad_profile(place(text, &bad), bad, wording)
    })?;
    Ok(profile)
}

fn read(text: &str) -> Result<Profile, Error> {
    if memory_graph::is(text) {
        memory_graph::read(text)
    } else {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_of(text, &span));
            let message = plainly(error.message());
            let wording = toml_wording(error.message());
            match error.span().and_then(|span| key_at(text, span.start)) {
                Some(key) => {
                    let bad = BadProfile::new(key, message).worded(wording);
                    let wording = bad.wording();
                    Error::bad_profile(line, bad, wording)
                }
                None => Error::bad_profile(line, message, wording),
            }
        })
    }
}

/// The settings of a profile that are allowed but odd.
#[must_use]
pub fn warnings(profile: &Profile) -> Vec<BadProfile> {
    profile.warnings()
}

/// The keys in the text of a profile that set nothing. Only a `memory_graph.toml` may have such;
/// in a profile they are an error.
#[must_use]
pub fn without_effect(text: &str) -> Vec<BadProfile> {
    memory_graph::unknown(text)
}

/// Writes a profile down, with every value.
///
/// # Errors
/// Never for a profile that passed its check.
pub fn render(profile: &Profile) -> Result<String, Error> {
    toml::to_string_pretty(profile)
        .map_err(|error| Error::internal(format!("a profile cannot be written: {error}")))
}

/// The line of the key that a check names, from 1; a key of a list element has the element's name
/// in its middle, or its number: `rules.low.value`, `mirrors.files.0.path`.
fn place(text: &str, bad: &BadProfile) -> Option<usize> {
    let document = toml::de::DeTable::parse(text).ok()?;
    let mut at = document.span();
    let mut table = document.get_ref();
    let mut list: Option<&toml::de::DeArray<'_>> = None;
    for part in bad.key.split('.') {
        let value = match list.take() {
            Some(elements) => {
                let named = elements
                    .iter()
                    .find(|element| is_named(element.get_ref(), part));
                let element = named.or_else(|| elements.get(part.parse::<usize>().ok()?))?;
                at = element.span();
                element
            }
            None => match table.iter().find(|(key, _)| key.get_ref() == part) {
                Some((key, value)) => {
                    at = key.span();
                    value
                }
                // The group is there, the key is not: its default is at odds with something else.
                None => break,
            },
        };
        match value.get_ref() {
            toml::de::DeValue::Table(inner) => {
                if list.is_none() && at.start == 0 {
                    at = value.span();
                }
                table = inner;
            }
            toml::de::DeValue::Array(elements) => list = Some(elements),
            _ => break,
        }
    }
    Some(line_of(text, &at))
}

/// What an error of the TOML reader says, apart from its words: it has the forms of serde.
#[doc(hidden)]
#[must_use]
pub fn toml_wording(message: &str) -> Wording {
    let quoted = |start: &str| -> Option<(&str, String)> {
        let (name, rest) = message.strip_prefix(start)?.split_once('`')?;
        let allowed = rest
            .split('`')
            .skip(1)
            .step_by(2)
            .collect::<Vec<_>>()
            .join(", ");
        Some((name, allowed))
    };
    if let Some((name, allowed)) = quoted("unknown field `") {
        return Wording::new(
            "toml-unknown-key",
            &[("name", &name), ("allowed", &allowed)],
        );
    }
    if let Some((name, allowed)) = quoted("unknown variant `") {
        return Wording::new(
            "toml-unknown-word",
            &[("name", &name), ("allowed", &allowed)],
        );
    }
    if let Some((name, _)) = quoted("missing field `") {
        return Wording::new("toml-missing-key", &[("name", &name)]);
    }
    if let Some((name, _)) = quoted("duplicate field `") {
        return Wording::new("toml-twice", &[("name", &name)]);
    }
    let wrong = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|start| message.strip_prefix(start));
    let kind = wrong
        .and_then(|wrong| Some(wrong.split_once(", expected ")?.1))
        .map(|expected| match expected {
            "f32" | "f64" => "toml-no-number",
            "a boolean" => "toml-no-boolean",
            "a string" => "toml-no-text",
            "a sequence" => "toml-no-list",
            "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => {
                "toml-no-whole-number"
            }
            _ => "toml-other-kind",
        });
    match kind {
        Some(name) => Wording::new(name, &[]),
        None => Wording::new("toml-no-toml", &[]),
    }
}

/// The message of the TOML reader, without the names of its own types.
fn plainly(message: &str) -> String {
    let types = [
        ("expected f64", "expected a number"),
        ("expected f32", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected i32", "expected a whole number"),
        ("expected i64", "expected a whole number"),
        ("unknown field", "unknown key"),
        ("missing field", "missing key"),
        ("duplicate field", "twice the key"),
        ("unknown variant", "unknown value"),
        ("invalid type:", "not allowed:"),
        ("invalid value:", "not allowed:"),
    ];
    let whole = ["u8", "u16", "u32", "u64", "usize"].map(|name| {
        (
            format!("expected {name}"),
            "expected a whole number from 0 on",
        )
    });
    let plain = types
        .iter()
        .fold(message.to_owned(), |message, (from, to)| {
            message.replace(from, to)
        });
    let plain = whole.iter().fold(plain, |message, (from, to)| {
        message.replace(from.as_str(), to)
    });
    plain.split('`').map(shortly).collect::<Vec<_>>().join("`")
}

/// A number of too many digits to be read by its power of ten; anything else as it is.
fn shortly(word: &str) -> String {
    let number = word
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && word.len() > 20);
    number.map_or_else(|| word.to_owned(), |number| format!("{number:e}"))
}

/// The key at a place of a profile, with dots, as a check would name it.
fn key_at(text: &str, at: usize) -> Option<String> {
    let document = toml::de::DeTable::parse(text).ok()?;
    let mut path = Vec::new();
    find_key(document.get_ref(), at, &mut path).then(|| path.join("."))
}

fn find_key(table: &toml::de::DeTable<'_>, at: usize, path: &mut Vec<String>) -> bool {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let found = match value.get_ref() {
            toml::de::DeValue::Table(inner) => find_key(inner, at, path),
            toml::de::DeValue::Array(elements) => {
                elements.iter().enumerate().any(|(place, element)| {
                    path.push(name_of(element.get_ref()).unwrap_or_else(|| place.to_string()));
                    let found = match element.get_ref() {
                        toml::de::DeValue::Table(inner) => find_key(inner, at, path),
                        _ => element.span().contains(&at),
                    };
                    if !found {
                        path.pop();
                    }
                    found
                })
            }
            _ => value.span().contains(&at),
        };
        if found || key.span().contains(&at) {
            return true;
        }
        path.pop();
    }
    false
}

/// The name of an element of a list.
fn name_of(value: &toml::de::DeValue<'_>) -> Option<String> {
    let toml::de::DeValue::Table(table) = value else {
        return None;
    };
    let named = table
        .iter()
        .find(|(key, _)| ["name", "id"].contains(&key.get_ref().as_ref()))?;
    match named.1.get_ref() {
        toml::de::DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}

fn is_named(value: &toml::de::DeValue<'_>, name: &str) -> bool {
    name_of(value).is_some_and(|known| known == name)
}

fn line_of(text: &str, span: &Range<usize>) -> usize {
    1 + text
        .as_bytes()
        .iter()
        .take(span.start)
        .filter(|byte| **byte == b'\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_that_come_along_can_be_read_and_written() {
        for name in builtin_names() {
            let profile =
                parse(builtin(name).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(warnings(&profile), [], "{name}");
            assert_ne!(profile, Profile::default(), "{name}");
            assert_eq!(
                parse(&render(&profile).unwrap()).unwrap(),
                profile,
                "{name}"
            );
        }
        assert_eq!(parse("").unwrap(), Profile::default());
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_key() {
        // spec: X-08
        let companion = builtin("companion").unwrap();
        let said = |from: &str, to: &str| {
            assert!(companion.contains(from), "{from}");
            parse(&companion.replacen(from, to, 1))
                .unwrap_err()
                .to_string()
        };
        let line = |part: &str| {
            1 + companion[..companion.find(part).unwrap()]
                .matches('\n')
                .count()
        };
        let cases = [
            (
                "keep_reset = 0.5 ",
                "keep_reset = 0.1 ",
                line("keep_reset"),
                "review.keep_reset",
            ),
            (
                "interval_hours = 24.0 # C-60",
                "interval_days = 1",
                line("interval_hours = 24.0 # C-60"),
                "interval_days",
            ),
            (
                "catch_up = false ",
                "catch_up = \"no\" ",
                line("catch_up"),
                "catch_up: ",
            ),
            (
                "keep_reset = 0.5 ",
                "keep_reset = \"0.5\" ",
                line("keep_reset"),
                "profile key review.keep_reset: ",
            ),
            (
                "keep_reset = 0.5 ",
                "keep_resetz = 0.5 ",
                line("keep_reset"),
                "profile key review.keep_resetz: ",
            ),
            (
                "factor = 0.85",
                "factor = \"much\"",
                line("classes.fact"),
                "decay.classes.fact.factor: ",
            ),
            (
                "value = 0.2",
                "value = -0.2",
                line("value = 0.2"),
                "rules.decay-review.value",
            ),
            (
                "factor = 0.85",
                "factor = 1.85",
                line("classes.fact"),
                "decay.classes.fact.factor",
            ),
        ];
        for (from, to, line, part) in cases {
            let message = said(from, to);
            assert!(
                message.starts_with(&format!("line {line}: ")),
                "{to}: {message}"
            );
            assert!(message.contains(part), "{to}: {message}");
        }
        let agent = builtin("agent").unwrap();
        let at = agent
            .lines()
            .position(|line| line.contains("ttl_days = 1.0"))
            .unwrap();
        let members = [
            (
                "[taxonomy]\nclasses = [\n  { id = \"a\" },\n  { id = \"b\", ttl_days = -1 },\n]\n".to_owned(),
                4,
                "taxonomy.classes.b.ttl_days",
            ),
            (
                "[[mirrors.files]]\npath = \"a.md\"\nformat = \"entries\"\n\
                 [[mirrors.files]]\nformat = \"entries\"\npath = \"../b\"\n"
                    .to_owned(),
                6,
                "mirrors.files.1.path",
            ),
            (agent.replacen("ttl_days = 1.0", "ttl_days = -1.0", 1), 1 + at, "ttl_days"),
            ("[recall.weights]\n\nrecency = -0.2\n".to_owned(), 3, "recall.weights.recency: -0.2 is not"),
            ("[recall]\ntop_k = -3\n".to_owned(), 2, "expected a whole number from 0 on"),
            ("[recall]\ntop_k = 1e40\n".to_owned(), 2, "floating point `1e40`"),
            ("[score]\nmax = 1e40\n".to_owned(), 2, "max 1e40 must"),
            (
                "[[jobs]]\nname = \"a\"\nsteps = [\"rules\"]\n[[jobs]]\nname = \"a\"\nsteps = [\"rules\"]\n".to_owned(),
                5,
                "jobs.1.name",
            ),
            ("[[jobs]]\nsteps = [\"rules\"]\nname = \"\"\n".to_owned(), 3, "jobs.0.name"),
        ];
        for (text, line, part) in members {
            let message = parse(&text).unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("line {line}: ")) && message.contains(part),
                "{message}"
            );
        }
        let message = parse("[recall.weights]\ntext = 0.9\n")
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("line 1: ") && message.contains("sum to"),
            "{message}"
        );
    }

    fn pieces() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::strategy::Strategy as _;
        let pieces = proptest::sample::select(vec![
            "[review]\n",
            "[decay.classes.fact]\n",
            "[[rules]]\n",
            "[recall.weights]\n",
            "[taxonomy]\n",
            "kinds = [",
            "{ id = ",
            "name = ",
            "keep_reset",
            "factor",
            " = ",
            "0.5",
            "\"0.5\"",
            "-1",
            "1e400",
            "nan",
            "true",
            "\"week\"",
            "\"\"",
            "[",
            "]",
            "{",
            "}",
            ",",
            "\n",
            "#",
            "memory_types = 3",
            "[consolidation]\n",
            "[retrieval]\n",
            "é",
            "\u{0}",
        ]);
        proptest::prop_oneof![
            3 => proptest::collection::vec(pieces, 0..16).prop_map(|pieces| pieces.concat()),
            1 => ".{0,80}",
        ]
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config {
            cases: 300,
            rng_seed: proptest::test_runner::RngSeed::Fixed(2026),
            ..Default::default()
        })]

        #[test]
        fn fuzz_any_profile_is_read_or_refused_with_a_reason(
            text in pieces(),
            cut in 0..4000_usize,
            line in 0..120_usize,
        ) {
            let whole = builtin("companion").unwrap();
            let half: String = whole.chars().take(cut).collect();
            let mut lines: Vec<&str> = whole.lines().collect();
            let at = line.min(lines.len());
            lines.insert(at, &text);
            for text in [text.clone(), half + &text, lines.join("\n")] {
                match parse(&text) {
                    Ok(profile) => proptest::prop_assert_eq!(parse(&render(&profile).unwrap()).unwrap(), profile),
                    Err(error) => proptest::prop_assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}
