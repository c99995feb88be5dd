use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use annals_messages::{Arg, Catalogue, FALLBACK, Messages};
use serde_json::{Value, json};

use super::words;
use crate::json::{find, number};
use crate::reply::excerpt;
use annals_language::one_line;

/// The longest text of an argument, in bytes.
const MAX_ARGUMENT: usize = 16 << 10;
/// The most attributes of one call.
const MAX_ATTRIBUTES: usize = 64;

/// A call that cannot be done. Its text goes back to the model, which can then call again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BadCall {
    /// The argument that is wrong; the name of the tool when the call as a whole is.
    pub field: String,
    /// The fault, and the allowed values.
    pub message: String,
}

impl fmt::Display for BadCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl BadCall {
    pub(crate) fn new(field: &str, message: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            message: message.into(),
        }
    }

    /// The answer to the model: `{"success": false, "error": {"field": ..., "message": ...}}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        json!({"success": false, "error": {"field": self.field, "message": self.message}})
            .to_string()
    }
}

/// The most arguments of one call that are named because the tool does not have them.
const MAX_UNASKED: usize = 8;

/// The arguments of one call.
pub(super) struct Arguments<'a> {
    object: Value,
    /// The messages in which a model is told what is wrong.
    messages: &'a Messages,
    /// The names that were looked for: any other one means nothing.
    asked: RefCell<BTreeSet<String>>,
    /// Notes on values that were taken otherwise than they were written.
    pub(super) notes: Vec<String>,
}

impl<'a> Arguments<'a> {
    pub(super) fn read(tool: &str, text: &str, messages: &'a Messages) -> Result<Self, BadCall> {
        let object = if text.trim().is_empty() {
            Some(json!({}))
        } else {
            serde_json::from_str(text).ok().or_else(|| find(text))
        };
        match object {
            Some(object @ Value::Object(_)) => Ok(Self::of(object, messages)),
            _ => Err(BadCall::new(tool, messages.text("call-no-object", &[]))),
        }
    }

    fn of(object: Value, messages: &'a Messages) -> Self {
        Self {
            object,
            messages,
            asked: RefCell::default(),
            notes: Vec::new(),
        }
    }

    /// Notes on values that were taken otherwise than they were written, and on arguments that
    /// were not taken at all.
    pub(super) fn into_notes(mut self, tool: &str) -> Vec<String> {
        let asked = self.asked.into_inner();
        let given = self
            .object
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::keys);
        let unasked = given
            .filter(|name| !asked.contains(*name))
            .take(MAX_UNASKED);
        let messages = self.messages;
        self.notes.extend(unasked.map(|name| {
            let name = format!("{:?}", excerpt(name));
            messages.text(
                "call-not-asked",
                &[("name", Arg::from(&name)), ("tool", tool.into())],
            )
        }));
        self.notes
    }

    fn bad(&self, field: &str, message: &str) -> BadCall {
        BadCall::new(field, self.messages.text(message, &[]))
    }

    /// An argument that is missing.
    pub(super) fn missing(&self, field: &str) -> BadCall {
        self.bad(field, "call-missing")
    }

    fn get(&self, names: &[&str]) -> Option<&Value> {
        self.asked
            .borrow_mut()
            .extend(names.iter().map(|name| (*name).to_owned()));
        names
            .iter()
            .find_map(|name| self.object.get(*name))
            .filter(|value| !value.is_null())
    }

    /// A text that may be missing.
    pub(super) fn optional(&self, names: &[&'static str]) -> Result<Option<String>, BadCall> {
        let Some(value) = self.get(names) else {
            return Ok(None);
        };
        let field = names.first().copied().unwrap_or_default();
        let text = match value {
            Value::String(text) => one_line(text),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return Err(self.bad(field, "call-no-text")),
        };
        if text.len() > MAX_ARGUMENT {
            return Err(self.bad(field, "call-too-long"));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// A text that has to be there.
    pub(super) fn text(&self, names: &[&'static str]) -> Result<String, BadCall> {
        let field = names.first().copied().unwrap_or_default();
        self.optional(names)?.ok_or_else(|| self.missing(field))
    }

    /// The same with the name under which it was given.
    pub(super) fn named_text(
        &self,
        names: &[&'static str],
    ) -> Result<(&'static str, String), BadCall> {
        let text = self.text(names)?;
        let given = names
            .iter()
            .copied()
            .find(|name| self.get(&[name]).is_some());
        Ok((given.unwrap_or_default(), text))
    }

    /// One of some words. Others that mean one of them are given as pairs, and noted when `tell`
    /// says so.
    pub(super) fn word(
        &mut self,
        field: &'static str,
        words: &[&str],
        (others, tell): (&[(&str, &str)], bool),
    ) -> Result<String, BadCall> {
        let given = self.text(&[field])?;
        self.known(field, &given, words, (others, tell))
    }

    fn known(
        &mut self,
        field: &str,
        given: &str,
        words: &[&str],
        (others, tell): (&[(&str, &str)], bool),
    ) -> Result<String, BadCall> {
        if let Some(word) = words
            .iter()
            .find(|word| word.eq_ignore_ascii_case(given) || self.shows(word, given))
        {
            return Ok((*word).to_owned());
        }
        let meant = others
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(given))
            .map(|(_, word)| *word);
        let Some(word) = meant else {
            let allowed: Vec<String> = words
                .iter()
                .map(|word| words::shown_word(word, self.messages))
                .collect();
            let (given, allowed) = (excerpt(given), allowed.join(", "));
            let args = [
                ("given", Arg::from(&given)),
                ("allowed", Arg::from(&allowed)),
            ];
            return Err(BadCall::new(
                field,
                self.messages.text("call-unknown-word", &args),
            ));
        };
        if tell {
            self.note_taken(field, &format!("{given:?}"), &format!("{word:?}"));
        }
        Ok(word.to_owned())
    }

    /// Notes that something was taken as something else.
    fn note_taken(&mut self, field: &str, given: &str, taken: &str) {
        let args = [
            ("field", Arg::from(field)),
            ("given", given.into()),
            ("taken", taken.into()),
        ];
        self.notes.push(self.messages.text("call-taken-as", &args));
    }

    /// Whether a word was given as the messages, or the English ones, show it.
    fn shows(&self, word: &str, given: &str) -> bool {
        let english = Catalogue::shared().messages("", FALLBACK);
        let shown = [self.messages, &*english].map(|messages| words::shown_word(word, messages));
        shown
            .iter()
            .any(|shown| shown.to_lowercase() == given.to_lowercase())
    }

    /// A list of such words; a single one counts as a list.
    pub(super) fn words(
        &mut self,
        field: &'static str,
        words: &[&str],
        others: &[(&str, &str)],
    ) -> Result<Vec<String>, BadCall> {
        let given: Vec<String> = match self.get(&[field]) {
            None => return Ok(Vec::new()),
            Some(Value::String(word)) => vec![word.clone()],
            Some(Value::Array(items)) if items.iter().all(Value::is_string) => items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            Some(_) => return Err(self.bad(field, "call-no-list")),
        };
        given
            .iter()
            .map(|word| self.known(field, word, words, (others, false)))
            .collect()
    }

    /// A number, moved into its bounds with a note when it lies outside.
    pub(super) fn share(&mut self, field: &'static str) -> Result<Option<f64>, BadCall> {
        let Some(value) = self.get(&[field]) else {
            return Ok(None);
        };
        let Some(number) = number(value) else {
            return Err(self.bad(field, "call-no-share"));
        };
        let bounded = number.clamp(0.0, 1.0);
        if bounded != number {
            self.note_taken(field, &number.to_string(), &bounded.to_string());
        }
        Ok(Some(bounded))
    }

    /// A whole number, moved into its bounds with a note when it lies outside.
    pub(super) fn count(
        &mut self,
        field: &'static str,
        bounds: (u32, u32),
    ) -> Result<Option<u32>, BadCall> {
        let Some(value) = self.get(&[field]) else {
            return Ok(None);
        };
        let whole = number(value).filter(|number| number.fract() == 0.0);
        let Some(number) = whole else {
            return Err(self.bad(field, "call-no-whole"));
        };
        let bounded = number.clamp(f64::from(bounds.0), f64::from(bounds.1));
        if bounded != number {
            self.note_taken(field, &number.to_string(), &bounded.to_string());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it lies within bounds that are u32"
        )]
        let count = bounded as u32;
        Ok(Some(count))
    }

    /// A flag.
    pub(super) fn flag(&self, field: &'static str) -> Result<Option<bool>, BadCall> {
        match self.get(&[field]) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(word)) if word == "true" || word == "false" => {
                Ok(Some(word == "true"))
            }
            Some(_) => Err(self.bad(field, "call-no-flag")),
        }
    }

    /// Named texts. Numbers become texts, lists texts with commas.
    pub(super) fn map(&self, field: &'static str) -> Result<BTreeMap<String, String>, BadCall> {
        let bad = || Err(self.bad(field, "call-no-map"));
        let object = match self.get(&[field]) {
            None => return Ok(BTreeMap::new()),
            Some(Value::Object(object)) => object,
            Some(_) => return bad(),
        };
        let plain = |value: &Value| match value {
            Value::String(text) => Some(one_line(text)),
            Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
            _ => None,
        };
        let mut map = BTreeMap::new();
        for (name, value) in object {
            let text = match value {
                Value::Null => continue,
                Value::Array(items) => items
                    .iter()
                    .map(plain)
                    .collect::<Option<Vec<_>>>()
                    .map(|items| items.join(",")),
                other => plain(other),
            };
            let (name, Some(text)) = (one_line(name), text) else {
                return bad();
            };
            if text.len() > MAX_ARGUMENT || name.len() > 256 {
                return bad();
            }
            if !name.is_empty() && !text.is_empty() {
                map.insert(name, text);
            }
        }
        if map.len() > MAX_ATTRIBUTES {
            bad()
        } else {
            Ok(map)
        }
    }

    /// An object within the arguments.
    pub(super) fn inner(&self, field: &'static str) -> Result<Option<Self>, BadCall> {
        match self.get(&[field]) {
            None => Ok(None),
            Some(object @ Value::Object(_)) => Ok(Some(Self::of(object.clone(), self.messages))),
            Some(_) => Err(self.bad(field, "call-no-inner")),
        }
    }
}
