use std::sync::Arc;

use annals_messages::{Arg, Messages};
use annals_types::profile::{ExtractSettings, Wording};

use crate::context::unmarked;

/// The messages in which a model is spoken to, and the names of user and assistant in them.
#[derive(Debug, Clone)]
pub struct Voice {
    messages: Arc<Messages>,
    user: String,
    assistant: String,
}

impl Voice {
    /// The voice of a profile in the language of `messages`.
    #[must_use]
    pub fn new(messages: Arc<Messages>, settings: &ExtractSettings) -> Self {
        let user = messages.wording(&settings.user_label, &[]);
        let assistant = messages.wording(&settings.assistant_label, &[]);
        Self {
            messages,
            user,
            assistant,
        }
    }

    /// The name of the user.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The name of the assistant.
    #[must_use]
    pub fn assistant(&self) -> &str {
        &self.assistant
    }

    /// A message with its places filled, `user` and `assistant` among them. Values are data: marks
    /// in them that a chat template or the text around would act on are broken up.
    #[must_use]
    pub fn say(&self, id: &str, values: &[(&str, &str)]) -> String {
        self.with(values, |args| self.messages.text(id, args))
    }

    /// A wording of a profile. Words of its own have the places `{user}` and `{assistant}`.
    #[must_use]
    pub fn wording(&self, wording: &Wording) -> String {
        match wording {
            Wording::Text(text) => text
                .replace("{user}", &self.user)
                .replace("{assistant}", &self.assistant),
            Wording::Message { message } => self.say(message, &[]),
        }
    }

    /// A part of a message that has a name of its own.
    #[cfg(test)]
    pub(crate) fn part(&self, id: &str, part: &str) -> Option<String> {
        self.with(&[], |args| self.messages.part(id, part, args))
    }

    fn with<T>(&self, values: &[(&str, &str)], format: impl FnOnce(&[(&str, Arg<'_>)]) -> T) -> T {
        let names = [
            ("user", self.user.as_str()),
            ("assistant", self.assistant.as_str()),
        ];
        let clean: Vec<(&str, String)> = names
            .iter()
            .chain(values)
            .map(|(name, value)| (*name, unmarked(value)))
            .collect();
        let args: Vec<(&str, Arg<'_>)> = clean
            .iter()
            .map(|(name, value)| (*name, Arg::Text(value)))
            .collect();
        format(&args)
    }
}
