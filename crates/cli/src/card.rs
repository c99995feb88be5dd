//! A memory as a person reads it.

use annals::blocking::Namespace;
use annals::{Importance, Interval, MemoryId, Status, Timestamp};
use serde::Serialize;

use crate::app::Record;
use crate::failure::Failure;
use crate::paint::Paint;
use crate::texts::{term, text};
use crate::{visible, wrap};

/// `2026-01-12 21:10`, UTC.
pub(crate) fn minute(moment: Timestamp) -> String {
    let text = moment.to_string();
    text.get(..16).unwrap_or(&text).replace('T', " ")
}

/// A stretch of time, UTC: `2026-01-12`, `2026-01-01 to 2026-01-31` where it is whole days, else
/// its ends.
pub(crate) fn stretch(time: &Interval) -> String {
    let (start, end) = (minute(time.start), minute(time.end));
    let whole = [&start, &end]
        .iter()
        .all(|moment| moment.ends_with("00:00"));
    let (first, last) = (time.start.date(), time.end.plus_millis(-1).date());
    match whole {
        true if first == last => first,
        true => text!("common-stretch", first, last),
        false => text!("common-stretch", first = start, last = end),
    }
}

/// When it happened, or when it was stored.
pub(crate) fn moment(memory: &Record) -> Timestamp {
    memory.body.event_time.unwrap_or(memory.stored_at)
}

/// The speaker, or the sort of a memory without one.
pub(crate) fn who(memory: &Record) -> String {
    match memory
        .body
        .turn
        .as_ref()
        .and_then(|turn| turn.speaker.as_ref())
    {
        Some(name) => visible::line(name.as_str()).into_owned(),
        None => sort(memory),
    }
}

/// A memory in JSON: as it is stored, and what that comes to now.
#[derive(Serialize)]
pub(crate) struct Stated<'a> {
    #[serde(flatten)]
    memory: &'a Record,
    /// Its status, or why it takes no part in answers whatever that is.
    state: &'static str,
}

impl<'a> Stated<'a> {
    pub(crate) fn at(memory: &'a Record, now: Timestamp) -> Self {
        Self {
            memory,
            state: state(memory, now),
        }
    }
}

/// Gives memories the importance that they have today, where their profile lets it change.
pub(crate) fn age<'m>(
    namespace: &Namespace,
    memories: impl IntoIterator<Item = &'m mut Record>,
) -> Result<(), Failure> {
    let mut memories: Vec<&mut Record> = memories.into_iter().collect();
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    let standings = namespace.lifecycle().standings(&ids)?;
    for (memory, standing) in memories.iter_mut().zip(standings) {
        if let Some(standing) = standing {
            memory.body.importance = importance(standing.importance)?;
        }
    }
    Ok(())
}

/// An importance as it is stored.
fn importance(exact: f64) -> Result<Importance, Failure> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an importance is a single-precision number"
    )]
    let stored = exact as f32;
    Ok(Importance::new("importance", stored).map_err(annals::Error::from)?)
}

/// The status of a memory, or why it takes no part in answers whatever that is.
pub(crate) fn state(memory: &Record, now: Timestamp) -> &'static str {
    if memory.superseded_by.is_some() {
        "superseded"
    } else if memory.body.expires_at.is_some_and(|end| end < now) {
        "expired"
    } else if memory.status == Status::Active
        && memory.body.valid_until.is_some_and(|until| until <= now)
    {
        "ended"
    } else {
        memory.status.as_str()
    }
}

/// A count as the engine counts.
pub(crate) fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A size as a person reads it.
pub(crate) fn bytes(count: u64) -> String {
    indicatif::BinaryBytes(count).to_string()
}

/// `semantic/fact`, or the layer alone when the kind says the same.
pub(crate) fn sort(memory: &Record) -> String {
    let (layer, kind) = (memory.body.layer.as_str(), memory.body.kind.as_str());
    if layer == kind {
        layer.to_owned()
    } else {
        format!("{layer}/{}", visible::line(kind))
    }
}

/// Pushes the text indented by `indent`, wrapped to the width.
pub(crate) fn push_text(
    out: &mut String,
    text: &str,
    indent: &str,
    first: &str,
    width: Option<usize>,
) {
    let room = width.map(|width| width.saturating_sub(indent.len()));
    for (number, line) in wrap::lines(&visible::block(text), room).iter().enumerate() {
        let start = if number == 0 { first } else { indent };
        out.push_str(format!("{start}{line}").trim_end());
        out.push('\n');
    }
}

/// Everything known about a memory, one line per fact, the text last.
pub(crate) fn full(memory: &Record, paint: Paint, width: Option<usize>) -> String {
    full_with(memory, &[], paint, width)
}

/// The label of memories from which another was derived.
pub(crate) fn derived_from() -> String {
    text!("common-derived-from")
}

/// The same with more facts; where these name its sources, they stand for what it says of them
/// itself.
pub(crate) fn full_with(
    memory: &Record,
    more: &[(String, String)],
    paint: Paint,
    width: Option<usize>,
) -> String {
    let mut out = format!("{}\n", paint.bold(&memory.id.to_string()));
    let mut fact = |name: &str, value: String| {
        out.push_str(&format!(
            "  {} {}\n",
            paint.dim(&wrap::pad(name, 13)),
            visible::line(&value)
        ));
    };
    let body = &memory.body;
    fact(&text!("common-what"), sort(memory));
    let status = if memory.superseded_by.is_some() {
        "superseded"
    } else {
        memory.status.as_str()
    };
    fact(&text!("common-status"), term("status", status));
    fact(&text!("common-stored"), minute(memory.stored_at));
    fact(&text!("common-revision"), memory.revision.to_string());
    turn_facts(memory, &mut fact);
    for (name, time) in [
        (text!("common-happened"), body.event_time),
        (text!("common-true-from"), body.valid_from),
        (text!("common-true-until-label"), body.valid_until),
        (text!("common-expires"), body.expires_at),
    ] {
        if let Some(time) = time {
            fact(&name, minute(time));
        }
    }
    for time in &memory.named_times {
        fact(&text!("common-names-time"), stretch(time));
    }
    if body.importance != Importance::DEFAULT {
        fact(
            &text!("common-importance"),
            body.importance.get().to_string(),
        );
    }
    for (name, value) in more {
        fact(name, value.clone());
    }
    if body.confidence.get() < 1.0 {
        fact(
            &text!("common-confidence"),
            body.confidence.get().to_string(),
        );
    }
    if body.verified {
        fact(&text!("common-verified"), text!("common-by-person"));
    }
    if let Some(source) = &body.source {
        fact(&text!("common-source"), source.to_string());
    }
    if !body.tags.is_empty() {
        fact(
            &text!("common-tags"),
            body.tags
                .iter()
                .map(|tag| tag.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        );
    }
    for (key, value) in &body.metadata {
        fact(key, serde_json::to_string(value).unwrap_or_default());
    }
    for (name, id) in [
        (text!("common-replaces"), memory.supersedes),
        (text!("common-replaced-by"), memory.superseded_by),
    ] {
        if let Some(id) = id {
            fact(&name, id.to_string());
        }
    }
    let derived = derived_from();
    for id in body
        .provenance
        .iter()
        .filter(|_| !more.iter().any(|(name, _)| *name == derived))
    {
        fact(&derived, id.to_string());
    }
    push_text(&mut out, &body.text, "  ", "  ", width);
    push_reply(&mut out, memory, paint, "  ", width);
    out
}

fn turn_facts(memory: &Record, fact: &mut impl FnMut(&str, String)) {
    let Some(turn) = &memory.body.turn else {
        return;
    };
    fact(
        &text!("common-session"),
        text!(
            "common-session-turn",
            session = turn.session,
            position = turn.position
        ),
    );
    if let Some(speaker) = &turn.speaker {
        fact(
            &text!("common-speaker"),
            format!("{speaker} ({})", term("role", turn.role.as_str())),
        );
    }
    for call in &turn.tool_calls {
        fact(
            &text!("common-tool-call"),
            format!("{} {}", call.name, call.arguments),
        );
    }
    for attachment in &turn.attachments {
        fact(&text!("common-attachment"), attachment.uri.clone());
    }
}

/// The reply of a turn, marked with an arrow.
pub(crate) fn push_reply(
    out: &mut String,
    memory: &Record,
    paint: Paint,
    indent: &str,
    width: Option<usize>,
) {
    let reply = memory
        .body
        .turn
        .as_ref()
        .and_then(|turn| turn.reply.as_deref());
    if let Some(reply) = reply {
        let first = format!("{indent}{} ", paint.dim("->"));
        push_text(out, reply, &format!("{indent}   "), &first, width);
    }
}

/// The words beside a hit: a status that is not active, until when it is true, the session, the
/// tags.
pub(crate) fn marks(memory: &Record) -> Vec<String> {
    let mut marks = Vec::new();
    if memory.status != Status::Active {
        marks.push(term("status", memory.status.as_str()));
    }
    marks.extend(
        memory
            .body
            .valid_until
            .map(|until| text!("common-true-until", until = minute(until))),
    );
    if let Some(turn) = &memory.body.turn {
        marks.push(visible::line(turn.session.as_str()).into_owned());
    }
    marks.extend(
        memory
            .body
            .tags
            .iter()
            .map(|tag| format!("#{}", visible::line(tag.as_str()))),
    );
    marks
}
