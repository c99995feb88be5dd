use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, LazyLock};

use fluent_bundle::FluentResource;
use parking_lot::{Mutex, RwLock};
use unic_langid::LanguageIdentifier;

use crate::bundle::{Messages, bundle};
use crate::places::{self, Places};
use crate::{BadMessages, spoken};

/// The language whose messages stand in for those that another one lacks.
pub const FALLBACK: &str = "en";

/// The message by which a file says the code that [whatlang](https://docs.rs/whatlang) has for its
/// language.
const DETECTED_AS: &str = "detected-as";

/// The files that come along.
const BUILTIN: &[(&str, &str)] = &[
    ("en", include_str!("../data/en/common.ftl")),
    ("en/agent", include_str!("../data/en/agent.ftl")),
    ("en/coding", include_str!("../data/en/coding.ftl")),
    ("en/companion", include_str!("../data/en/companion.ftl")),
    ("en/graph", include_str!("../data/en/graph.ftl")),
    ("en/markdown", include_str!("../data/en/markdown.ftl")),
    ("en/mcp", include_str!("../data/en/mcp.ftl")),
    ("en/studio", include_str!("../data/en/studio.ftl")),
    ("zh", include_str!("../data/zh/common.ftl")),
    ("zh/agent", include_str!("../data/zh/agent.ftl")),
    ("zh/coding", include_str!("../data/zh/coding.ftl")),
    ("zh/companion", include_str!("../data/zh/companion.ftl")),
    ("zh/graph", include_str!("../data/zh/graph.ftl")),
    ("zh/markdown", include_str!("../data/zh/markdown.ftl")),
    ("zh/mcp", include_str!("../data/zh/mcp.ftl")),
    ("zh/studio", include_str!("../data/zh/studio.ftl")),
];

/// The files of messages, by language and design. Files can be added while others read.
#[derive(Default)]
pub struct Catalogue {
    files: RwLock<Files>,
    /// The messages that were asked for, by design and language.
    made: Mutex<HashMap<(String, String), Arc<Messages>>>,
}

#[derive(Default, Clone)]
struct Files {
    /// Under `language` and `language/design`.
    by_name: BTreeMap<String, Arc<FluentResource>>,
    /// The codes by which languages are detected.
    codes: BTreeMap<String, whatlang::Lang>,
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalogue")
            .field("languages", &self.languages())
            .finish_non_exhaustive()
    }
}

impl Files {
    fn put(&mut self, name: &str, text: &str) {
        // Errors were found by a check before, and in the files that come along by a test.
        let file = match FluentResource::try_new(text.to_owned()) {
            Ok(file) | Err((file, _)) => Arc::new(file),
        };
        self.by_name.insert(name.to_owned(), Arc::clone(&file));
        if !name.contains('/') {
            let own = Messages::new(name.to_owned(), vec![bundle(name, std::iter::once(&file))]);
            match own
                .try_text(DETECTED_AS, &[])
                .and_then(|code| whatlang::Lang::from_code(code.trim()))
            {
                Some(code) => self.codes.insert(name.to_owned(), code),
                None => self.codes.remove(name),
            };
        }
    }
}

impl Catalogue {
    /// English and Chinese.
    #[must_use]
    pub fn builtin() -> Self {
        static READ: LazyLock<Files> = LazyLock::new(|| {
            let mut files = Files::default();
            BUILTIN
                .iter()
                .for_each(|(name, text)| files.put(name, text));
            files
        });
        Self {
            files: RwLock::new(READ.clone()),
            made: Mutex::default(),
        }
    }

    /// [The same](Self::builtin), one for the process.
    #[must_use]
    pub fn shared() -> Arc<Self> {
        static SHARED: LazyLock<Arc<Catalogue>> = LazyLock::new(|| Arc::new(Catalogue::builtin()));
        Arc::clone(&SHARED)
    }

    /// Adds a file: of a language, `de`, or of a language and a design, `de/companion`. It replaces
    /// a file of the same name.
    ///
    /// # Errors
    /// [`BadMessages`], naming the line or the message.
    pub fn add(&self, name: &str, text: &str) -> Result<(), BadMessages> {
        check(name, text)?;
        self.files.write().put(name, text);
        self.made.lock().clear();
        Ok(())
    }

    /// Takes a file away; one that comes along takes its place again.
    pub fn remove(&self, name: &str) {
        let mut files = self.files.write();
        match builtin_text(name) {
            Some(text) => files.put(name, text),
            None => {
                files.by_name.remove(name);
                files.codes.remove(name);
            }
        }
        self.made.lock().clear();
    }

    /// The tags of the languages that have messages.
    #[must_use]
    pub fn languages(&self) -> Vec<String> {
        self.files
            .read()
            .by_name
            .keys()
            .filter(|name| !name.contains('/'))
            .cloned()
            .collect()
    }

    /// Whether a language has messages.
    #[must_use]
    pub fn has(&self, language: &str) -> bool {
        self.files.read().by_name.contains_key(language)
    }

    /// The messages of a design in a language; those of a language that has none are English.
    #[must_use]
    pub fn messages(&self, design: &str, language: &str) -> Arc<Messages> {
        let key = (design.to_owned(), language.to_owned());
        let files = self.files.read();
        let mut made = self.made.lock();
        let messages = made.entry(key).or_insert_with(|| {
            let of = |language: &str| {
                let names = [language.to_owned(), format!("{language}/{design}")];
                bundle(
                    language,
                    names.iter().filter_map(|name| files.by_name.get(name)),
                )
            };
            let mut languages = vec![language];
            languages.extend((language != FALLBACK).then_some(FALLBACK));
            Arc::new(Messages::new(
                language.to_owned(),
                languages.into_iter().map(of).collect(),
            ))
        });
        Arc::clone(messages)
    }

    /// The language of texts, out of those with messages; `None` when they have no words of any.
    #[must_use]
    pub fn spoken<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
        spoken::of(texts.into_iter(), &self.files.read().codes).map(str::to_owned)
    }
}

/// The text of a file that comes along: `en`, `zh/companion`.
#[must_use]
pub fn builtin_text(name: &str) -> Option<&'static str> {
    BUILTIN
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// The names of the files that come along.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// Every message that annals says, with the places that it is given.
fn known() -> Places {
    let mut known = Places::new();
    for (name, text) in BUILTIN
        .iter()
        .filter(|(name, _)| name.split('/').next() == Some(FALLBACK))
    {
        if let Ok(places) = places::of(name, text) {
            for (id, places) in places {
                known.entry(id).or_default().extend(places);
            }
        }
    }
    known
}

/// Checks a file of messages before it is added.
///
/// # Errors
/// [`BadMessages`], naming the line or the message.
pub fn check(name: &str, text: &str) -> Result<(), BadMessages> {
    let mut parts = name.split('/');
    let language = parts.next().unwrap_or_default();
    let word = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
    };
    let known_design = parts.next().is_none_or(word) && parts.next().is_none();
    if !known_design || language.parse::<LanguageIdentifier>().is_err() {
        return Err(BadMessages::Name {
            name: name.to_owned(),
        });
    }
    let known = known();
    for (id, used) in places::of(name, text)? {
        let Some(allowed) = known.get(&id) else {
            if id == DETECTED_AS {
                continue;
            }
            return Err(BadMessages::Unknown {
                name: name.to_owned(),
                id,
            });
        };
        if let Some(place) = used.difference(allowed).next() {
            let allowed: BTreeSet<String> =
                allowed.iter().map(|place| format!("${place}")).collect();
            let allowed: Vec<String> = allowed.into_iter().collect();
            let allowed = if allowed.is_empty() {
                "none".to_owned()
            } else {
                allowed.join(", ")
            };
            return Err(BadMessages::Place {
                name: name.to_owned(),
                id,
                place: place.clone(),
                allowed,
            });
        }
    }
    Ok(())
}
