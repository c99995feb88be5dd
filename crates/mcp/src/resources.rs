//! Attachments of a conversation: lasting memories, MEMORY.md, statistics.

use std::collections::BTreeMap;

use annals::blocking::Namespace;
use annals::messages::Messages;
use annals::profile::PartSource;
use annals::{ContextRequest, Filter, Layer, ListQuery, StoredMemory};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde_json::json;

use crate::project::read_regular;
use crate::reply::Refusal;
use crate::shown;
use crate::store::Store;

/// The last part of the addresses, and the messages that name and describe them.
const KINDS: [(&str, &str, &str); 3] = [
    ("core", "mcp-core", "text/markdown"),
    ("MEMORY.md", "mcp-memory-file", "text/markdown"),
    ("stats", "mcp-stats", "application/json"),
];
/// The characters that an address holds as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// The most memories of a file that is made here.
const MOST: usize = 200;
/// The most characters of a text in it.
const LONGEST_LINE: usize = 500;
/// The most characters of a resource.
const LONGEST: usize = 100_000;

/// All resources of all namespaces that are reached.
pub(crate) fn list(store: &Store) -> Result<Vec<Resource>, Refusal> {
    let messages = store.messages(&[])?;
    let mut listed = Vec::new();
    for namespace in store.reach.names() {
        let shown = shown::line(namespace, 100).0;
        for (last, message, mime) in KINDS {
            let title = messages.text(message, &[("namespace", (&shown).into())]);
            let mut resource = Resource::new(address(namespace, last), last)
                .with_title(title)
                .with_mime_type(mime);
            resource.description = messages.part(message, "description", &[]);
            listed.push(resource);
        }
    }
    Ok(listed)
}

fn address(namespace: &str, last: &str) -> String {
    format!("annals://{}/{last}", utf8_percent_encode(namespace, PLAIN))
}

/// The content of an address; `None` where there is nothing.
pub(crate) fn read(store: &Store, uri: &str) -> Result<Option<ReadResourceResult>, Refusal> {
    let Some((name, last)) = uri
        .strip_prefix("annals://")
        .and_then(|rest| rest.split_once('/'))
    else {
        return Ok(None);
    };
    let Ok(name) = percent_decode_str(name).decode_utf8() else {
        return Ok(None);
    };
    let known = store.reach.names().find(|known| *known == name);
    let (Some(name), Some((_, _, mime))) = (known, KINDS.iter().find(|(known, ..)| *known == last))
    else {
        return Ok(None);
    };
    let messages = store.messages(&[])?;
    store.admit(&messages)?;
    let space = store.memory.namespace(name)?;
    let text = match last {
        "stats" => stats(&space)?,
        "core" => core(&space, &messages)?,
        _ => memory_file(&space, &messages)?,
    };
    let text: String = shown::part(&text, 0, LONGEST).0;
    Ok(Some(ReadResourceResult::new(vec![
        ResourceContents::text(text, uri).with_mime_type(*mime),
    ])))
}

/// Lasting memories, which hold whatever is being asked: the parts of a prompt that no message
/// calls for, or memories of the lasting layers, or else those that matter most.
pub(crate) fn core(space: &Namespace, messages: &Messages) -> Result<String, Refusal> {
    let lasting = lasting(space)?;
    Ok(if lasting.is_empty() {
        messages.text("empty-list", &[])
    } else {
        lasting
    })
}

/// The same; empty where there are none.
pub(crate) fn lasting(space: &Namespace) -> Result<String, Refusal> {
    let parts = space.admin().settings()?.inject.parts;
    let lasting = |source| {
        matches!(
            source,
            PartSource::Memories | PartSource::Core | PartSource::File
        )
    };
    if parts.iter().any(|part| !part.off && lasting(part.source)) {
        let context = space.context(ContextRequest::default().peek())?;
        if !context.text.is_empty() {
            return Ok(shown::block(&context.text));
        }
    }
    let layers = Filter {
        layers: vec![Layer::Core, Layer::System],
        ..Filter::default()
    };
    let mut memories = page(space, layers)?.0;
    if memories.is_empty() {
        let layers = vec![Layer::Semantic];
        memories = page(
            space,
            Filter {
                layers,
                ..Filter::default()
            },
        )?
        .0;
        memories.sort_by(|a, b| b.body.importance.get().total_cmp(&a.body.importance.get()));
        memories.truncate(20);
    }
    Ok(memories.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// The file that mirrors the memories, or where there is none the same made here.
fn memory_file(space: &Namespace, messages: &Messages) -> Result<String, Refusal> {
    const NAME: &str = "MEMORY.md";
    let mirrored = space
        .admin()
        .settings()?
        .mirrors
        .files
        .iter()
        .any(|file| file.path == NAME);
    if mirrored
        && let Some(folder) = space.files().home()?
        && let Some(text) = read_regular(&folder.join(NAME))
    {
        return Ok(shown::block(&text));
    }
    let (memories, total) = page(
        space,
        Filter {
            layers: remembered(),
            ..Filter::default()
        },
    )?;
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for memory in &memories {
        sections
            .entry(shown::line(memory.body.kind.as_str(), 60).0)
            .or_default()
            .push(line(memory));
    }
    let name = shown::line(space.name(), 100).0;
    let mut text = format!(
        "# {}\n",
        messages.text("mcp-memory-title", &[("namespace", (&name).into())])
    );
    for (kind, lines) in sections {
        text.push_str(&format!("\n## {kind}\n\n{}\n", lines.join("\n")));
    }
    let rest = total.saturating_sub(u64::try_from(memories.len()).unwrap_or(u64::MAX));
    if rest > 0 {
        let count = rest.to_string();
        text.push_str(&format!(
            "\n{}\n",
            messages.text("mcp-memory-rest", &[("count", (&count).into())])
        ));
    }
    Ok(text)
}

/// Every layer but turns of conversations and notes of a running task.
fn remembered() -> Vec<Layer> {
    vec![Layer::Semantic, Layer::Episodic, Layer::Core, Layer::System]
}

fn stats(space: &Namespace) -> Result<String, Refusal> {
    let value = match space.admin().exists()? {
        true => json!(space.admin().stats()?),
        false => json!({ "name": space.name(), "memories": 0 }),
    };
    Ok(serde_json::to_string_pretty(&value).unwrap_or_default())
}

/// The newest memories that fit, and how many fit in all.
fn page(space: &Namespace, filter: Filter) -> Result<(Vec<StoredMemory>, u64), Refusal> {
    let page = space.list(&ListQuery {
        filter,
        limit: MOST,
        newest_first: true,
        ..ListQuery::default()
    })?;
    Ok((page.memories, page.total))
}

fn line(memory: &StoredMemory) -> String {
    format!("- {}", shown::line(&memory.body.text, LONGEST_LINE).0)
}
