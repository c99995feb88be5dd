use std::collections::BTreeSet;

use annals_language::names::{says_never, says_no};
use annals_language::time::{Said, expiry};
use annals_types::{MemoryId, Statement, Timestamp};
use serde_json::Value;

use super::Form;
use super::bounds::{PART, STATEMENTS, TEXT, is_ended};
use crate::json::{self, field, number, text};
use crate::reply::{MAX_OPERATIONS, excerpt, is_left_out, says, spoken};
use crate::{Aliases, Draft, Heard, Operation, Warning};
use annals_language::one_line;

/// The longest text of a candidate in bytes. A longer text is no fact but a copy of the
/// conversation.
const MAX_TEXT: usize = 4096;

/// The longest part of a triple in bytes.
const MAX_PART: usize = 256;

const CONTENT: &[&str] = &["content", "text", "memory", "fact", "内容"];
const KIND: &[&str] = &["type", "category", "kind", "memory_type", "类型"];
const LISTS: &[&str] = &[
    "memories",
    "candidates",
    "items",
    "results",
    "data",
    "list",
    "记忆",
];
const TRIPLES: &[&str] = &[
    "triples",
    "triplets",
    "relations",
    "statements",
    "results",
    "data",
    "三元组",
];
const SENSITIVE: &[&str] = &["sensitive", "is_sensitive"];

/// Reads a list of candidates, each an object with `content` and, as the form has them, `type` or
/// `category`, `importance`, `duration`, `subject`, `predicate`, `confidence`, `expires_at`,
/// `triples` (lists of subject, predicate and object), `contradicts` (one name or several),
/// `reinforces` (a memory that was said again). An element may instead be `{"reinforces": name}` or
/// `{"contradicts": name}` alone. Candidates that say that they are `sensitive` are left out.
///
/// An answer without JSON is not understood: that is not the same as an empty list.
#[must_use]
pub fn parse(answer: &str, form: &Form, shown: &Aliases) -> Heard {
    read(answer, (form, shown), None)
}

/// The same for a conversation at a moment, from which the times in `expires_at` count: "下周三", "in
/// two weeks". One that names a stretch of time lasts until its end.
#[must_use]
pub fn parse_said(answer: &str, form: &Form, shown: &Aliases, said: &Said) -> Heard {
    read(answer, (form, shown), Some(said))
}

fn read(answer: &str, (form, shown): (&Form, &Aliases), said: Option<&Said>) -> Heard {
    let mut reading = Reading {
        form,
        shown,
        said,
        heard: Heard::default(),
        decided: BTreeSet::new(),
    };
    let found = json::all(answer);
    if found.values.is_empty() {
        reading.warn(Warning::NotUnderstood(excerpt(answer)));
        return reading.heard;
    }
    found.values.iter().for_each(|value| reading.whole(value));
    found
        .broken
        .into_iter()
        .for_each(|broken| reading.warn(Warning::NotUnderstood(broken)));
    reading.heard
}

struct Reading<'a> {
    form: &'a Form,
    shown: &'a Aliases,
    said: Option<&'a Said>,
    heard: Heard,
    decided: BTreeSet<MemoryId>,
}

impl Reading<'_> {
    fn whole(&mut self, value: &Value) {
        let single = std::slice::from_ref(value);
        let items = match value {
            Value::Array(items) => items.as_slice(),
            object => match field(object, LISTS) {
                Some(Value::Array(items)) => items.as_slice(),
                Some(_) => return self.warn(Warning::NotUnderstood(excerpt(&object.to_string()))),
                None => single,
            },
        };
        for item in items {
            if self.heard.operations.len() >= MAX_OPERATIONS {
                let told = Warning::TooMuch(MAX_OPERATIONS);
                if !self.heard.warnings.contains(&told) {
                    self.warn(told);
                }
                return;
            }
            self.item(item);
        }
        // A list of which nothing is a candidate was no answer to the question; an empty one was.
        self.heard.understood |= items.is_empty();
    }

    fn item(&mut self, item: &Value) {
        // Beside a text it is a field like the others, and may be filled in with nothing.
        let reinforces = field(item, &["reinforces", "reinforce"]).filter(|named| !named.is_null());
        if let Some(named) = reinforces {
            self.heard.understood = true;
            for id in self.named(named) {
                self.once(id, Operation::Reinforce(id));
            }
        }
        let contradicts =
            field(item, &["contradicts", "contradict"]).filter(|named| !named.is_null());
        let Some(said) = text(item, CONTENT) else {
            match contradicts {
                Some(named) => {
                    self.heard.understood = true;
                    for id in self.named(named) {
                        self.once(id, Operation::Contradict(id));
                    }
                }
                None if reinforces.is_some() => {}
                None => self.warn(Warning::NotUnderstood(excerpt(&item.to_string()))),
            }
            return;
        };
        self.heard.understood = true;
        if field(item, SENSITIVE)
            .is_some_and(|flag| *flag == Value::Bool(true) || flag.as_str() == Some("true"))
        {
            return self.warn(Warning::Sensitive);
        }
        if !says(said) {
            return self.warn(Warning::Empty(excerpt(&item.to_string())));
        }
        if said.len() > MAX_TEXT || is_ended(said, TEXT) {
            return self.warn(Warning::NotUnderstood(excerpt(said)));
        }
        if let Some(mut draft) = self.draft(item, said) {
            let named = contradicts
                .map(|named| self.named(named))
                .unwrap_or_default();
            draft.contradicts = named
                .into_iter()
                .filter(|id| self.decided.insert(*id))
                .collect();
            self.heard.operations.push(Operation::Add(draft));
        }
    }

    fn draft(&mut self, item: &Value, said: &str) -> Option<Draft> {
        let kind = self.kind(item)?;
        let (importance, level) = self.importance(item);
        let confidence = field(item, &["confidence"])
            .and_then(number)
            .map(|share| share.clamp(0.0, 1.0));
        let owned = |names: &[&str]| {
            text(item, names)
                .filter(|text| text.len() <= MAX_TEXT && !is_ended(text, PART))
                .map(one_line)
        };
        Some(Draft {
            text: one_line(said),
            kind,
            importance,
            level,
            confidence,
            duration: self.duration(item),
            subject: owned(&["subject"]),
            predicate: owned(&["predicate"]),
            expires_at: text(item, &["expires_at", "expires", "due"])
                .and_then(|text| self.moment(text)),
            triples: field(item, &["triples"])
                .map(|list| self.triples(list))
                .unwrap_or_default(),
            contradicts: Vec::new(),
        })
    }

    /// The triples of a list; what looks like one and cannot be kept is warned of.
    fn triples(&mut self, list: &Value) -> Vec<Statement> {
        let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
        for item in items
            .iter()
            .filter(|item| is_triple(item) && statement(item).is_none())
        {
            self.warn(Warning::NotUnderstood(excerpt(&item.to_string())));
        }
        statements(items)
    }

    /// When something expires: a moment, or the end of the one time that the words name.
    fn moment(&self, words: &str) -> Option<Timestamp> {
        match self.said {
            Some(said) => expiry(words, said),
            None => words.parse().ok(),
        }
    }

    /// The kind; `None` when the candidate cannot be kept.
    #[expect(
        clippy::option_option,
        reason = "a candidate may be kept without a kind"
    )]
    fn kind(&mut self, item: &Value) -> Option<Option<String>> {
        let default = self.form.default_kind.clone();
        let Some(given) = text(item, KIND) else {
            return Some(default);
        };
        if let Some(known) = self
            .form
            .kinds
            .iter()
            .find(|known| known.eq_ignore_ascii_case(given))
        {
            return Some(Some(known.clone()));
        }
        if self.form.keep_kinds && given.len() <= annals_types::Kind::MAX_BYTES {
            return Some(Some(one_line(given)));
        }
        let taken = default.clone().unwrap_or_default();
        self.warn(Warning::Replaced {
            field: "kind",
            given: excerpt(given),
            taken,
        });
        default.map(Some)
    }

    fn importance(&mut self, item: &Value) -> (Option<f64>, Option<String>) {
        let Some(given) = field(item, &["importance", "importance_score", "score"])
            .filter(|given| !given.is_null())
        else {
            return (None, self.form.default_level.clone());
        };
        if self.form.levels.is_empty() {
            let Some(value) = number(given) else {
                self.replaced("importance", given, "");
                return (None, None);
            };
            let (min, max) = self.form.importance;
            let bounded = value.clamp(min, max);
            if bounded != value {
                self.replaced("importance", given, &bounded.to_string());
            }
            return (Some(bounded), None);
        }
        let word = given
            .as_str()
            .map(|word| word.trim().to_lowercase())
            .map(|word| match word.as_str() {
                "高" => "high".to_owned(),
                "中" => "medium".to_owned(),
                "低" => "low".to_owned(),
                _ => word,
            });
        let known = word.and_then(|word| {
            self.form
                .levels
                .iter()
                .find(|level| **level == word)
                .cloned()
        });
        if known.is_none() {
            let taken = self.form.default_level.clone().unwrap_or_default();
            self.replaced("importance", given, &taken);
        }
        (None, known.or_else(|| self.form.default_level.clone()))
    }

    /// How long it is kept. A rule of a single task is kept for a day, one of behaviour for good,
    /// when the answer says which it is.
    fn duration(&mut self, item: &Value) -> Option<String> {
        if self.form.durations.is_empty() {
            return None;
        }
        let known = |word: &str| {
            self.form
                .durations
                .iter()
                .find(|known| known.eq_ignore_ascii_case(word))
                .cloned()
        };
        if let Some(given) = text(item, &["duration"]) {
            let found = known(given);
            if found.is_none() {
                self.warn(Warning::Replaced {
                    field: "duration",
                    given: excerpt(given),
                    taken: String::new(),
                });
            }
            return found;
        }
        match text(item, &["rule_scope"])? {
            "behavior" | "behaviour" => known("permanent"),
            "task" => known("24h"),
            _ => None,
        }
    }

    fn named(&mut self, value: &Value) -> Vec<MemoryId> {
        let names: Vec<String> = match value {
            Value::String(name) => vec![name.clone()],
            Value::Number(number) => vec![number.to_string()],
            Value::Array(names) => names
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        };
        let mut found = Vec::new();
        for name in names
            .iter()
            .map(|name| name.trim_matches(['[', ']', ' ']))
            .filter(|name| !name.is_empty())
        {
            match self.shown.find(name) {
                Some(id) => found.push(id),
                None => self.warn(Warning::NotShown(excerpt(name))),
            }
        }
        found
    }

    fn once(&mut self, id: MemoryId, operation: Operation) {
        if self.decided.insert(id) {
            self.heard.operations.push(operation);
        } else {
            self.warn(Warning::Twice(
                self.shown.name(id).unwrap_or_default().to_owned(),
            ));
        }
    }

    fn replaced(&mut self, field: &'static str, given: &Value, taken: &str) {
        let given = given
            .as_str()
            .map_or_else(|| given.to_string(), str::to_owned);
        self.warn(Warning::Replaced {
            field,
            given: excerpt(&given),
            taken: taken.to_owned(),
        });
    }

    fn warn(&mut self, warning: Warning) {
        self.heard.warnings.push(warning);
    }
}

/// Reads what a memory says: a list of triples, or an object with it under `triples`, each triple
/// a list of subject, predicate and object or an object with these names and, where they are
/// known, `negation`, `condition` and `frequency`. An item that is no triple is left out, and so
/// is one that does not say clearly whether it is negated.
///
/// `None` for an answer without JSON or without a list, which is not the same as an empty one.
#[must_use]
pub fn parse_statements(answer: &str) -> Option<Vec<Statement>> {
    let mut values = json::all(answer).values;
    if values.is_empty() {
        values.push(serde_json::from_str(spoken(answer).trim()).ok()?);
    }
    let items: Vec<&Value> = values.iter().flat_map(triples_of).collect();
    // A list of which nothing looks like a triple was no answer to the question.
    (items.is_empty() || items.iter().any(|item| is_triple(item))).then(|| statements(items))
}

/// The parts of a value that may be triples.
fn triples_of(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items.as_slice(),
        object => match field(object, TRIPLES) {
            Some(Value::Array(items)) => items.as_slice(),
            Some(Value::Null) => &[],
            Some(Value::Object(none)) if none.is_empty() => &[],
            // One triple, as an object.
            _ => std::slice::from_ref(object),
        },
    }
}

/// The triples of a list: each a list of subject, predicate and object, or an object with these
/// names. Other items are left out.
fn statements<'a>(items: impl IntoIterator<Item = &'a Value>) -> Vec<Statement> {
    items
        .into_iter()
        .filter_map(statement)
        .take(STATEMENTS)
        .collect()
}

/// The three parts of a triple as they were written.
fn parts(value: &Value) -> Option<[&str; 3]> {
    let parts = match value {
        Value::Array(parts) => parts
            .iter()
            .map(Value::as_str)
            .collect::<Option<Vec<_>>>()?,
        object => ["subject", "predicate", "object"]
            .iter()
            .map(|name| text(object, &[name]))
            .collect::<Option<_>>()?,
    };
    parts.try_into().ok()
}

fn is_triple(value: &Value) -> bool {
    parts(value).is_some()
}

fn statement(value: &Value) -> Option<Statement> {
    let [subject, predicate, object] = parts(value)?;
    let whole = |text: &str| text.len() <= MAX_PART && !is_ended(text, PART);
    let part = |text: &str| {
        Some(text)
            .filter(|text| whole(text))
            .map(one_line)
            .filter(|text| !text.is_empty())
    };
    let told = |names: &[&str]| text(value, names).filter(|text| !is_left_out(text));
    let degree = told(&["degree", "frequency"]).and_then(part);
    // Without its condition it would say more than was said.
    let condition = told(&["condition"])
        .map(|text| part(text).ok_or(()))
        .transpose()
        .ok()?;
    let never = degree.as_deref().is_some_and(says_never);
    let negated = negated(field(value, &["negated", "negation"]))? || never;
    let predicate = part(predicate)?;
    // 不喜欢 that is negated says one no, not two: the predicate stays as it was written.
    let negated = negated && !says_no(&predicate);
    Some(Statement {
        subject: part(subject)?,
        predicate,
        object: part(object)?,
        negated,
        condition,
        degree: degree.filter(|_| !never),
    })
}

/// Whether a triple says that it is not so; `None` where that is not clear, since the contrary of
/// what was said is worse than nothing.
fn negated(said: Option<&Value>) -> Option<bool> {
    match said {
        None | Some(Value::Null) => Some(false),
        Some(Value::Bool(said)) => Some(*said),
        Some(Value::Number(said)) => match said.as_i64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        Some(Value::String(said)) => match said.trim().to_lowercase().as_str() {
            "true" | "yes" | "是" | "1" | "否定" | "不" | "not" => Some(true),
            "false" | "no" | "否" | "0" | "" | "肯定" => Some(false),
            other => is_left_out(other).then_some(false),
        },
        Some(_) => None,
    }
}
