use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use fluent_bundle::FluentResource;

use crate::bundle::{Arg, Messages, bundle};
use crate::{BadMessages, places};

/// A file of texts in one language that comes with a program. It is parsed when one of its texts is
/// first asked for.
pub struct TextFile {
    language: &'static str,
    source: &'static str,
    messages: OnceLock<Messages>,
}

impl fmt::Debug for TextFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextFile")
            .field("language", &self.language)
            .finish_non_exhaustive()
    }
}

impl TextFile {
    /// The file of a language, such as `zh`, in the Fluent format.
    #[must_use]
    pub const fn new(language: &'static str, source: &'static str) -> Self {
        Self {
            language,
            source,
            messages: OnceLock::new(),
        }
    }

    /// A text with its places filled; `None` when the file does not have it.
    #[must_use]
    pub fn text(&self, id: &str, args: &[(&str, Arg<'_>)]) -> Option<String> {
        self.messages().try_text(id, args)
    }

    /// A part of a text that has a name of its own.
    #[must_use]
    pub fn part(&self, id: &str, part: &str, args: &[(&str, Arg<'_>)]) -> Option<String> {
        self.messages().part(id, part, args)
    }

    fn messages(&self) -> &Messages {
        self.messages.get_or_init(|| {
            let file = match FluentResource::try_new(self.source.to_owned()) {
                // A test of the program finds errors, by [`Self::places`].
                Ok(file) | Err((file, _)) => Arc::new(file),
            };
            Messages::new(
                self.language.to_owned(),
                vec![bundle(self.language, std::iter::once(&file))],
            )
        })
    }

    /// The texts of the file, each with the places that it names.
    ///
    /// # Errors
    /// [`BadMessages`], naming the line that cannot be read.
    pub fn places(&self) -> Result<BTreeMap<String, BTreeSet<String>>, BadMessages> {
        places::of(self.language, self.source)
    }
}
