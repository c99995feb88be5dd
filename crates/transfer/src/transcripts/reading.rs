//! The part of a transcript that was read so far.

use std::collections::{HashMap, HashSet};

use annals_types::{Label, Role};
use serde_json::Value;

use super::TranscriptFormat;
use super::own_words::{answered_words, own_words};
use crate::messages::LeftOut;
use crate::turn::ConversationTurn;
use crate::written;

/// The longest id that is kept; longer ones are none.
const ID_BYTES: usize = 256;

pub(super) struct Reading {
    format: TranscriptFormat,
    session: Option<String>,
    /// The number of the line that is read, counted from 1.
    pub(super) line: u64,
    turns: Vec<Turn>,
    /// The turns that have ids, by these: an entry that comes again replaces the one before.
    places: HashMap<String, usize>,
    left_out: LeftOut,
    /// Whether an entry was of this format.
    pub(super) recognised: bool,
    /// Whether a line was not blank.
    pub(super) said_something: bool,
    /// Whether the whole transcript is that of a subagent.
    pub(super) is_of_subagent: bool,
}

struct Turn {
    said: ConversationTurn,
    /// The host repeats what the user typed, and puts other texts beside it: such turns count only
    /// where nothing tells what was typed.
    second_hand: bool,
    /// The host notes the words before the model is shown them, and mostly again then: such a turn
    /// counts where no other one of the user has the same words.
    noted: bool,
    gone: bool,
}

impl Turn {
    /// Whether it is what the user typed, and not what the host repeats of it.
    fn is_typed(&self) -> bool {
        self.said.role == Some(Role::User) && !self.second_hand
    }
}

/// The speaker of a text, and how it is known.
pub(super) struct Said<'a> {
    pub(super) role: Role,
    pub(super) id: Option<&'a str>,
    pub(super) time: Option<&'a Value>,
    pub(super) second_hand: bool,
    pub(super) noted: bool,
}

impl<'a> Said<'a> {
    pub(super) const fn by(role: Role, id: Option<&'a str>, time: Option<&'a Value>) -> Self {
        Self {
            role,
            id,
            time,
            second_hand: false,
            noted: false,
        }
    }
}

impl Reading {
    pub(super) fn new(format: TranscriptFormat, line: u64) -> Self {
        Self {
            format,
            session: None,
            line,
            turns: Vec::new(),
            places: HashMap::new(),
            left_out: LeftOut::new(),
            recognised: false,
            said_something: false,
            is_of_subagent: false,
        }
    }

    /// Takes note of an entry that becomes no turn.
    pub(super) fn leave(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    /// The name of the session; the first one that is allowed counts.
    pub(super) fn session(&mut self, name: Option<&str>) {
        if self.session.is_none() {
            self.session = name
                .filter(|name| Label::new("session", *name).is_ok())
                .map(str::to_owned);
        }
    }

    /// Takes the parts of a message as a turn, each without what the host put into it.
    pub(super) fn say<P: AsRef<str>>(&mut self, said: &Said<'_>, parts: &[P]) {
        let clean = if said.role == Role::User {
            own_words
        } else {
            answered_words
        };
        let parts: Vec<String> = parts
            .iter()
            .map(|part| clean(part.as_ref()))
            .filter(|part| !part.is_empty())
            .collect();
        let text = parts.join("\n");
        if text.is_empty() {
            return self.leave("messages without a text of their own");
        }
        let mut turn = ConversationTurn::said("", text);
        let id = said.id.filter(|id| !id.is_empty() && id.len() <= ID_BYTES);
        let id = id.map_or_else(|| format!("line-{}", self.line), str::to_owned);
        turn.role = Some(said.role);
        turn.time = said.time.and_then(written::moment);
        let trust = if said.role == Role::User {
            "user"
        } else {
            "assistant"
        };
        turn.metadata
            .insert("origin".to_owned(), self.format.name().into());
        turn.metadata.insert("trust".to_owned(), trust.into());
        turn.id = Some(id.clone());
        let turn = Turn {
            said: turn,
            second_hand: said.second_hand,
            noted: said.noted,
            gone: false,
        };
        let place = *self.places.entry(id).or_insert(self.turns.len());
        match self.turns.get_mut(place) {
            Some(before) => *before = turn,
            None => self.turns.push(turn),
        }
    }

    /// Takes back the turn of an id and all behind it.
    pub(super) fn rewind(&mut self, id: &str) {
        let Some(place) = self.places.get(id).copied() else {
            return;
        };
        for turn in self.turns.iter_mut().skip(place) {
            turn.gone = true;
        }
    }

    /// Takes back the last rounds, each with the user's words that began it.
    pub(super) fn take_back(&mut self, rounds: u64) {
        let second_hand = !self.turns.iter().any(Turn::is_typed);
        let begins = |turn: &Turn| {
            !turn.gone && turn.said.role == Some(Role::User) && turn.second_hand == second_hand
        };
        let starts: Vec<usize> = self
            .turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| begins(turn))
            .map(|(place, _)| place)
            .collect();
        let kept = starts
            .len()
            .saturating_sub(usize::try_from(rounds).unwrap_or(usize::MAX));
        let Some(mut first) = starts.get(kept).copied() else {
            return;
        };
        // The host's own copy of these words may stand before them.
        while first > 0
            && self
                .turns
                .get(first - 1)
                .is_some_and(|turn| turn.second_hand && !second_hand)
        {
            first -= 1;
        }
        for turn in self.turns.iter_mut().skip(first) {
            turn.gone = true;
        }
    }

    /// The session, its turns, and what was left out.
    pub(super) fn end(mut self, session: &str) -> (String, Vec<ConversationTurn>, LeftOut) {
        let session = self.session.take().unwrap_or_else(|| session.to_owned());
        if self.is_of_subagent {
            for _ in &self.turns {
                *self.left_out.entry(SUBAGENT).or_default() += 1;
            }
            return (session, Vec::new(), self.left_out);
        }
        let has_typed = self.turns.iter().any(Turn::is_typed);
        let shown = self
            .turns
            .iter()
            .filter(|turn| turn.is_typed() && !turn.noted);
        let shown: HashSet<String> = shown.map(|turn| turn.said.text.clone()).collect();
        let again = |turn: &Turn| turn.noted && shown.contains(&turn.said.text);
        self.turns
            .retain(|turn| !(turn.gone || turn.second_hand && has_typed || again(turn)));
        let mut turns: Vec<ConversationTurn> =
            self.turns.into_iter().map(|turn| turn.said).collect();
        turns
            .iter_mut()
            .for_each(|turn| turn.session.clone_from(&session));
        (session, turns, self.left_out)
    }
}

pub(super) const SUBAGENT: &str = "entries of subagents";
pub(super) const PROGRAM: &str = "entries of the program";
pub(super) const TOOLS: &str = "calls of tools and their results";
pub(super) const THOUGHTS: &str = "thoughts";
pub(super) const SUMMARIES: &str = "summaries of what was said before";
pub(super) const UNKNOWN: &str = "entries of unknown types";

/// A field that is a text.
pub(super) fn text<'v>(entry: &'v Value, field: &str) -> Option<&'v str> {
    entry.get(field)?.as_str()
}

/// A field that is `true`.
pub(super) fn flag(entry: &Value, field: &str) -> bool {
    entry.get(field).is_some_and(|value| value == true)
}

/// The texts of a message: a text, or parts, of which those of these types count. Takes note of the
/// other parts.
pub(super) fn texts<'v>(
    content: Option<&'v Value>,
    types: &[&str],
    reading: &mut Reading,
) -> Vec<&'v str> {
    let parts = match content {
        Some(Value::String(text)) => return vec![text],
        Some(Value::Array(parts)) => parts.as_slice(),
        Some(part) => std::slice::from_ref(part),
        None => &[],
    };
    let mut found: Vec<&str> = Vec::new();
    for part in parts {
        let kind = text(part, "type");
        match part.as_str().or_else(|| text(part, "text")) {
            _ if flag(part, "thought") => reading.leave(THOUGHTS),
            Some(text) if kind.is_none_or(|kind| types.contains(&kind)) => found.push(text),
            _ => reading.leave(sort(part, kind.unwrap_or_default())),
        }
    }
    found
}

/// The sort of a part that is no text.
fn sort(part: &Value, kind: &str) -> &'static str {
    let is = |words: &[&str]| {
        words
            .iter()
            .any(|word| kind.contains(word) || part.get(*word).is_some())
    };
    if is(&["tool", "functionCall", "functionResponse", "function_call"]) {
        TOOLS
    } else if is(&["thinking", "reasoning", "thought"]) {
        THOUGHTS
    } else {
        "parts that are no text"
    }
}
