//! Memories are shown at the beginning of a session and with a prompt.

use std::collections::{HashMap, HashSet};

use annals::blocking::{Memory, Namespace};
use annals::messages::Catalogue;
use annals::{
    Clock as _, ContextRequest, InjectedMemory, Injection, MemoryId, Role, StoredMemory,
    SystemClock,
};

use crate::projects::EnabledProject;
use crate::quote::{Line, block};
use crate::session::{ShownInSession, ShownMemory};
use crate::{Access, Call, Event, HookError, Hooks, Reply, USER_NAMESPACE, digest};

pub(crate) fn run(
    hooks: &Hooks,
    call: &Call,
    project: &EnabledProject,
    open: &mut dyn FnMut(Access) -> Result<Option<Memory>, HookError>,
) -> Result<Reply, HookError> {
    let before = hooks.shown(call)?;
    let begins_anew = call.event == Event::Start && call.begins_anew;
    let mut shown = before.clone();
    if begins_anew {
        shown.begin_anew(&before);
    }
    if call.event == Event::Start {
        hooks.forget_old_sessions();
    }
    let found = match open(Access::Show)? {
        Some(memory) => chosen(&memory, call, project, &shown)?,
        None => Chosen::default(),
    };
    let (text, count) = block(&found.introduction, &found.lines);
    let injections = injections(call, project, &found, count);
    let new = found.memories.into_iter().take(count);
    hooks.change_shown(call, |shown| {
        if begins_anew {
            shown.begin_anew(&before);
        }
        shown.host = call.host.name().to_owned();
        shown.session.clone_from(&call.session);
        shown.project.clone_from(&project.namespace);
        shown.extend(new);
        shown.put_into_prompt(injections);
    })?;
    Ok(if text.is_empty() {
        Reply::empty(call)
    } else {
        Reply::context(call, &text)
    })
}

/// The most memories that come with a prompt, of project and user together.
const PROMPT_LINES: usize = 3;

/// Memories that are shown, each with its line.
#[derive(Default)]
struct Chosen {
    introduction: String,
    lines: Vec<Line>,
    memories: Vec<ShownMemory>,
    /// Why each of them, by its id.
    why: HashMap<MemoryId, InjectedMemory>,
}

/// What was put into the prompt, for each namespace. The session is one of the project's: it is
/// named nowhere else.
fn injections(
    call: &Call,
    project: &EnabledProject,
    chosen: &Chosen,
    count: usize,
) -> Vec<(String, Injection)> {
    let at = SystemClock.now();
    let mut found: Vec<(String, Injection)> = Vec::new();
    for memory in chosen.memories.iter().take(count) {
        let Some(why) = chosen.why.get(&memory.id).cloned() else {
            continue;
        };
        match found
            .iter_mut()
            .find(|(namespace, _)| *namespace == memory.namespace)
        {
            Some((_, injection)) => injection.memories.push(why),
            None => {
                let is_of_project = memory.namespace == project.namespace;
                let injection = Injection {
                    at,
                    agent: Some(call.host.name().to_owned()),
                    session: is_of_project.then(|| call.session.clone()),
                    tokens: None,
                    left_out: 0,
                    memories: vec![why],
                };
                found.push((memory.namespace.clone(), injection));
            }
        }
    }
    found
}

fn chosen(
    memory: &Memory,
    call: &Call,
    project: &EnabledProject,
    shown: &ShownInSession,
) -> Result<Chosen, HookError> {
    let own = memory.namespace(&project.namespace)?;
    if own.session(call.session.as_str()).is_temporary()? {
        return Ok(Chosen::default());
    }
    let mut seen: HashSet<MemoryId> = shown.memories.iter().map(|memory| memory.id).collect();
    let mut chosen = Chosen::default();
    let mut found_in: Vec<Vec<(Line, ShownMemory)>> = Vec::new();
    for name in [project.namespace.as_str(), USER_NAMESPACE] {
        let namespace = memory.namespace(name)?;
        if !namespace.admin().exists()? || !namespace.admin().settings()?.surface.enabled {
            continue;
        }
        let found = match call.event {
            Event::Start => digest::of(&namespace, call)?,
            _ => fitting(&namespace, call)?,
        };
        let language = namespace.admin().language()?;
        let mut own = Vec::new();
        for (memory, why) in found {
            if is_at_hand(&memory, call, shown) || !seen.insert(memory.id) {
                continue;
            }
            let at = memory.body.event_time.unwrap_or(memory.stored_at);
            let text = namespace
                .admin()
                .redacted(memory.body.exchange().into_owned())?;
            let line = Line {
                source: source(&memory, &language),
                at,
                text,
            };
            chosen.why.insert(memory.id, why);
            own.push((
                line,
                ShownMemory {
                    namespace: name.to_owned(),
                    id: memory.id,
                    used: false,
                },
            ));
        }
        found_in.push(own);
    }
    let most = if call.event == Event::Start {
        usize::MAX
    } else {
        PROMPT_LINES
    };
    (chosen.lines, chosen.memories) = in_turns(found_in).into_iter().take(most).unzip();
    chosen.introduction = introduction(&own, call.event, &chosen.lines)?;
    Ok(chosen)
}

/// Who said a turn: the speaker, or the role in the language of the namespace, or else of the text;
/// of any other memory its kind.
fn source(memory: &StoredMemory, set: &str) -> String {
    let body = &memory.body;
    match &body.turn {
        Some(turn) => turn
            .speaker
            .as_ref()
            .map_or_else(|| role(turn.role, &body.text, set), ToString::to_string),
        None => body.kind.as_str().to_owned(),
    }
}

/// The word for a role.
fn role(role: Role, text: &str, set: &str) -> String {
    let word = role.as_str();
    let language = language_of(set, std::iter::once(text));
    let told = Catalogue::shared()
        .messages("", &language)
        .try_text(word, &[]);
    told.filter(|told| !told.eq_ignore_ascii_case(word))
        .unwrap_or_else(|| word.to_owned())
}

/// The language that a namespace was given, or else that of texts.
fn language_of<'a>(set: &str, texts: impl Iterator<Item = &'a str>) -> String {
    match set {
        "auto" => Catalogue::shared()
            .spoken(texts)
            .unwrap_or_else(|| "en".to_owned()),
        _ => set.to_owned(),
    }
}

/// The first of each list, then the second of each ...: where there is no room for all, each has
/// its share.
fn in_turns<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

/// The memories that fit the prompt, above the floor of the profile.
fn fitting(
    namespace: &Namespace,
    call: &Call,
) -> Result<Vec<(StoredMemory, InjectedMemory)>, HookError> {
    let Some(prompt) = call
        .prompt
        .as_deref()
        .filter(|prompt| !prompt.trim().is_empty())
    else {
        return Ok(Vec::new());
    };
    let request = ContextRequest::new(prompt)
        .session(call.session.as_str())
        .peek();
    let mut found = Vec::new();
    for why in namespace.context(request)?.injected {
        found.extend(namespace.get(why.id)?.map(|memory| (memory, why)));
    }
    Ok(found)
}

/// Whether a turn of the running session is before the model already.
fn is_at_hand(memory: &StoredMemory, call: &Call, shown: &ShownInSession) -> bool {
    let own = memory
        .body
        .turn
        .as_ref()
        .is_some_and(|turn| turn.session.as_str() == call.session);
    own && !shown.compacted
}

/// The heading of the memories, in the language of the namespace, or else their own.
fn introduction(namespace: &Namespace, event: Event, lines: &[Line]) -> Result<String, HookError> {
    let set = namespace.admin().language()?;
    let language = language_of(&set, lines.iter().map(|line| line.text.as_str()));
    let name = if event == Event::Start {
        "hook-digest"
    } else {
        "hook-recalled"
    };
    Ok(Catalogue::shared().messages("", &language).text(name, &[]))
}
