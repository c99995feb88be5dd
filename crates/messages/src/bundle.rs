use std::fmt;
use std::sync::Arc;

use annals_types::profile::Wording;
use annals_types::{EpisodeTitles, ScratchpadTitles};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

/// A value that is put into a message.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Arg<'a> {
    /// A text, put in as it is.
    Text(&'a str),
    /// A number, which also chooses the form for one or many.
    Number(i64),
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Arg<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Arg<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Arg<'_> {
    fn from(number: u32) -> Self {
        Self::Number(i64::from(number))
    }
}

pub(crate) type Bundle = FluentBundle<Arc<FluentResource>>;

/// The messages of a design in a language.
pub struct Messages {
    language: String,
    /// Those of the language, then the English ones.
    bundles: Vec<Bundle>,
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages")
            .field("language", &self.language)
            .finish_non_exhaustive()
    }
}

/// One bundle of files; a message of a later file replaces one of an earlier.
pub(crate) fn bundle<'a>(
    language: &str,
    files: impl Iterator<Item = &'a Arc<FluentResource>>,
) -> Bundle {
    let tag: LanguageIdentifier = language.parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![tag]);
    // Marks around values that tell the direction of writing would reach the models.
    bundle.set_use_isolating(false);
    for file in files {
        bundle.add_resource_overriding(Arc::clone(file));
    }
    bundle
}

impl Messages {
    pub(crate) const fn new(language: String, bundles: Vec<Bundle>) -> Self {
        Self { language, bundles }
    }

    /// The tag of the language: `en`, `zh`.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    /// A message with its places filled. A message that no file has is its id.
    #[must_use]
    pub fn text(&self, id: &str, args: &[(&str, Arg<'_>)]) -> String {
        self.find(id, None, args).unwrap_or_else(|| id.to_owned())
    }

    /// A message with its places filled; `None` when no file has it.
    #[must_use]
    pub fn try_text(&self, id: &str, args: &[(&str, Arg<'_>)]) -> Option<String> {
        self.find(id, None, args)
    }

    /// A part of a message that has a name of its own.
    #[must_use]
    pub fn part(&self, id: &str, part: &str, args: &[(&str, Arg<'_>)]) -> Option<String> {
        self.find(id, Some(part), args)
    }

    /// A wording of a profile: the text itself, or the message that it names.
    #[must_use]
    pub fn wording(&self, wording: &Wording, args: &[(&str, Arg<'_>)]) -> String {
        match wording {
            Wording::Text(text) => text.clone(),
            Wording::Message { message } => self.text(message, args),
        }
    }

    fn find(&self, id: &str, part: Option<&str>, args: &[(&str, Arg<'_>)]) -> Option<String> {
        let mut given = FluentArgs::with_capacity(args.len());
        for (name, value) in args {
            match *value {
                Arg::Text(text) => given.set(*name, FluentValue::from(text)),
                Arg::Number(number) => given.set(*name, FluentValue::from(number)),
            }
        }
        self.bundles.iter().find_map(|bundle| {
            let message = bundle.get_message(id)?;
            let pattern = match part {
                Some(part) => message.get_attribute(part)?.value(),
                None => message.value()?,
            };
            // Places without a value stay as they are.
            let mut errors = Vec::new();
            Some(
                bundle
                    .format_pattern(pattern, Some(&given), &mut errors)
                    .into_owned(),
            )
        })
    }

    /// The titles of a scratchpad.
    #[must_use]
    pub fn scratchpad_titles(&self) -> ScratchpadTitles {
        let title = |id: &str| self.text(id, &[]);
        ScratchpadTitles {
            task: title("scratchpad-task"),
            projects: title("scratchpad-projects"),
            completed: title("scratchpad-completed"),
        }
    }

    /// The titles of an episode.
    #[must_use]
    pub fn episode_titles(&self) -> EpisodeTitles {
        let title = |id: &str| self.text(id, &[]);
        EpisodeTitles {
            episode: title("episode-title"),
            summary: title("episode-summary"),
            goal: title("episode-goal"),
            outcome: title("episode-outcome"),
            tools: title("episode-tools"),
            entities: title("episode-entities"),
        }
    }
}
