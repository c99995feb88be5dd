//! Changes to the text of a configuration.

use crate::target::{Format, Target};
use crate::value::Value;
use crate::{Command, Error, Problem, System, json, toml};

/// The byte order mark that some editors on Windows put in front.
const MARK: char = '\u{feff}';

/// The wanted content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Wanted {
    pub(crate) server: Option<Value>,
    /// The handlers by event.
    pub(crate) hooks: Vec<(String, Value)>,
    /// Whether handlers that do not stand there are added; otherwise only those that do are brought
    /// up to date.
    pub(crate) adds_hooks: bool,
}

impl Wanted {
    /// The entries that a command needs in a file.
    ///
    /// # Errors
    ///
    /// [`Error::Unquotable`] where a hook cannot say what it runs.
    pub(crate) fn new(
        target: &Target,
        command: &Command,
        system: System,
        adds_hooks: bool,
    ) -> Result<Self, Error> {
        let mut hooks = Vec::new();
        for event in target.hooks.map(|hooks| hooks.events).unwrap_or_default() {
            let Some(of_client) = target.hooks else {
                continue;
            };
            match of_client.handler(event, command, system) {
                Ok(handler) => hooks.push((event.name.to_owned(), handler)),
                // A server needs no quoting: only who wants hooks is told.
                Err(_) if !adds_hooks => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self {
            server: target.servers.map(|servers| command.server(servers)),
            hooks,
            adds_hooks,
        })
    }
}

/// The entries of annals in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Found {
    pub(crate) server: Presence,
    /// Elements of the lists of events, by event.
    pub(crate) hooks: Vec<(String, Value)>,
}

/// The entry under the name of annals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Presence {
    #[default]
    Absent,
    Own(Value),
    /// It starts another program.
    Foreign,
}

impl Found {
    pub(crate) fn is_nothing(&self) -> bool {
        !matches!(self.server, Presence::Own(_)) && self.hooks.is_empty()
    }
}

/// What an entry of annals sets beside what annals writes into it; switches are no harm.
pub(crate) fn foreign_members(found: &Found, target: &Target, wanted: &Wanted) -> Option<Problem> {
    let (Presence::Own(entry), Some(servers), Some(own)) =
        (&found.server, target.servers, &wanted.server)
    else {
        return None;
    };
    let is_foreign = |(name, value): &&(String, Value)| {
        own.get(name).is_none() && name != "type" && !matches!(value, Value::Bool(_))
    };
    let names: Vec<&str> = entry
        .members()
        .iter()
        .filter(is_foreign)
        .map(|(name, _)| name.as_str())
        .collect();
    let key = format!("{}.{}", servers.key, crate::command::NAME);
    (!names.is_empty()).then(|| Problem::Foreign {
        key,
        members: names.join(", "),
    })
}

/// The entries of annals in a text.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read.
pub(crate) fn find(text: &str, target: &Target) -> Result<Found, Problem> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    match target.format {
        Format::Json => json::find(text, target),
        Format::Toml => toml::find(text, target),
    }
}

/// The text with what is wanted in it. It is the same text where all of that stands there.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read, or cannot be changed without touching the rest.
pub(crate) fn install(text: &str, target: &Target, wanted: &Wanted) -> Result<String, Problem> {
    marked(text, |text| {
        let after = match target.format {
            Format::Json => json::install(text, target, wanted)?,
            Format::Toml => toml::install(text, target, wanted)?,
        };
        check(text, &after, target)?;
        let found = find(&after, target)?;
        let server = wanted.server.is_none() || matches!(found.server, Presence::Own(_));
        let hooks = !wanted.adds_hooks
            || wanted
                .hooks
                .iter()
                .all(|(event, _)| found.hooks.iter().any(|(standing, _)| standing == event));
        if server && hooks {
            Ok(Some(after))
        } else {
            Err(Problem::Entangled)
        }
    })
    .map(Option::unwrap_or_default)
}

/// The text without what is of annals; nothing where everything was. `before` is the text from the
/// time before annals, where it is known: where nothing else has changed since, that is the answer.
///
/// # Errors
///
/// A [`Problem`] where the text cannot be read, or cannot be changed without touching the rest.
pub(crate) fn remove(
    text: &str,
    target: &Target,
    before: Option<&str>,
) -> Result<Option<String>, Problem> {
    let found = find(text, target)?;
    if found.is_nothing() {
        return Ok(Some(text.to_owned()));
    }
    let before = before.filter(|before| find(before, target).is_ok_and(|found| found.is_nothing()));
    if let Some(before) = before
        && again(before, target, &found).is_ok_and(|again| again == text)
    {
        return Ok(Some(before.to_owned()));
    }
    let before = before.map(|before| before.strip_prefix(MARK).unwrap_or(before));
    let before = before.and_then(|before| value(before, target).ok().flatten());
    marked(text, |text| {
        let after = match target.format {
            Format::Json => json::remove(text, target, before.as_ref())?,
            Format::Toml => toml::remove(text, target, before.as_ref())?,
        };
        check(text, after.as_deref().unwrap_or_default(), target)?;
        Ok(after)
    })
}

/// A text with what was found in another.
fn again(text: &str, target: &Target, found: &Found) -> Result<String, Problem> {
    marked(text, |text| {
        Ok(Some(match target.format {
            Format::Json => json::put(text, target, found)?,
            Format::Toml => toml::put(text, target, found)?,
        }))
    })
    .map(Option::unwrap_or_default)
}

/// Changes a text behind its byte order mark.
fn marked(
    text: &str,
    change: impl FnOnce(&str) -> Result<Option<String>, Problem>,
) -> Result<Option<String>, Problem> {
    match text.strip_prefix(MARK) {
        Some(rest) => Ok(change(rest)?.map(|after| format!("{MARK}{after}"))),
        None => change(text),
    }
}

fn value(text: &str, target: &Target) -> Result<Option<Value>, Problem> {
    match target.format {
        Format::Json => json::value(text),
        Format::Toml => toml::value(text).map(Some),
    }
}

/// Makes sure that two texts say the same but for what is of annals.
fn check(before: &str, after: &str, target: &Target) -> Result<(), Problem> {
    let others = |text| {
        Ok(value(text, target)?
            .map(|value| others(value, target))
            .filter(|value| !value.is_empty()))
    };
    if others(before)? == others(after)? {
        Ok(())
    } else {
        Err(Problem::Entangled)
    }
}

/// A configuration without what is of annals and without the containers that were made for it.
fn others(mut value: Value, target: &Target) -> Value {
    if let Some(servers) = target.servers {
        if let Some(entries) = value.get_mut(servers.key) {
            entries.take(crate::command::NAME);
        }
        value.take_empty(servers.key);
    }
    if let Some(hooks) = target.hooks {
        if let Some(events) = value.get_mut("hooks") {
            for event in hooks.events {
                if let Some(Value::List(elements)) = events.get_mut(event.name) {
                    elements.retain_mut(|element| hooks.keeps_others(event.name, element));
                }
                events.take_empty(event.name);
            }
        }
        value.take_empty("hooks");
        if hooks.versioned {
            value.take("version");
        }
    }
    value
}
