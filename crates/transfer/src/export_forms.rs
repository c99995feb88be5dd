//! Exports in the forms of other programs: what is in use, without histories. Each can be imported
//! again, and then says the same.

use std::collections::BTreeMap;
use std::io::Write;

use annals_engine::{Error, ListQuery};
use annals_types::{Filter, Layer, Memory, Metadata, Role, Value};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::export::failed;
use crate::formats::knowledge_graph::{
    BEFORE_OBSERVATION, ENTITY, ENTITY_TYPE, OWN_TYPE, RELATION,
};
use crate::{ExportReport, TURN_ID, Transfers};

/// Memories read at a time.
const BATCH: usize = 500;

/// A form in which memories are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ExportForm {
    /// JSON lines: memories with a `text`, then turns with a `session` as well.
    Lines,
    /// A table with a header.
    Csv,
    /// The answer of `get_all` of mem0; turns are left out.
    Mem0,
    /// Lines of `{"id", "messages"}` in the form of OpenAI, a session each; memories are left out.
    Messages,
    /// The file of the reference memory server; turns are left out.
    KnowledgeGraph,
}

/// What stands in every form of a memory.
pub(crate) struct Shown<'m> {
    pub(crate) memory: &'m Memory,
    /// Its id where it came from, else its own.
    pub(crate) id: String,
    pub(crate) tags: Vec<&'m str>,
    /// Its free fields, without those that an import made.
    pub(crate) metadata: Metadata,
}

impl<'m> Shown<'m> {
    pub(crate) fn new(memory: &'m Memory) -> Self {
        let mut metadata = memory.body.metadata.clone();
        let own =
            [TURN_ID, "source_id"]
                .into_iter()
                .filter_map(|name| match metadata.remove(name) {
                    Some(Value::Text(id)) => Some(id),
                    _ => None,
                });
        let id = own.last().unwrap_or_else(|| memory.id.to_string());
        metadata.remove("origin");
        let tags = memory
            .body
            .tags
            .iter()
            .map(annals_types::Label::as_str)
            .collect();
        Self {
            memory,
            id,
            tags,
            metadata,
        }
    }

    pub(crate) fn text(&self) -> &'m str {
        &self.memory.body.text
    }

    pub(crate) fn is_turn(&self) -> bool {
        self.memory.body.turn.is_some()
    }

    pub(crate) fn session(&self) -> &'m str {
        self.memory
            .body
            .turn
            .as_ref()
            .map_or("", |turn| turn.session.as_str())
    }

    pub(crate) fn speaker(&self) -> Option<&'m str> {
        self.memory
            .body
            .turn
            .as_ref()?
            .speaker
            .as_ref()
            .map(annals_types::Label::as_str)
    }

    pub(crate) fn role(&self) -> Option<Role> {
        self.memory.body.turn.as_ref().map(|turn| turn.role)
    }

    fn time(&self) -> Option<String> {
        self.memory.body.event_time.map(|time| time.to_string())
    }

    fn line(&self) -> Map<String, serde_json::Value> {
        let body = &self.memory.body;
        let mut line = Map::new();
        let mut put = |name: &str, value: serde_json::Value| {
            let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !is_empty {
                line.insert(name.to_owned(), value);
            }
        };
        put("id", self.id.as_str().into());
        if let Some(turn) = &body.turn {
            put("session", turn.session.as_str().into());
            put("role", turn.role.as_str().into());
            put("speaker", json!(self.speaker()));
            put("reply", json!(turn.reply));
            put("tool_calls", json!(turn.tool_calls));
            put("attachments", json!(turn.attachments));
        } else {
            put("kind", body.kind.as_str().into());
        }
        put("text", self.text().into());
        put("time", json!(self.time()));
        put(
            "valid_from",
            json!(body.valid_from.filter(|_| !self.is_turn())),
        );
        put(
            "valid_until",
            json!(body.valid_until.filter(|_| !self.is_turn())),
        );
        put("tags", json!(self.tags));
        if !self.metadata.is_empty() {
            put("metadata", json!(self.metadata));
        }
        line
    }
}

impl Transfers<'_> {
    /// Writes what is in use in a form of another program, without histories, worth and triples.
    /// What the form has no place for is not counted in the report.
    ///
    /// # Errors
    /// When the file cannot be read or `out` not be written.
    pub fn export_as(&self, form: ExportForm, out: &mut dyn Write) -> Result<ExportReport, Error> {
        let mut out = Counted {
            out,
            report: ExportReport::default(),
        };
        match form {
            ExportForm::Lines => {
                for turns in [false, true] {
                    self.each_shown(turns, &mut |shown| out.line(&shown.line().into()))?;
                }
            }
            ExportForm::Csv => self.export_table(&mut out)?,
            ExportForm::Mem0 => {
                let mut results = Vec::new();
                self.each_shown(false, &mut |shown| {
                    results.push(json!({
                        "id": shown.id, "memory": shown.text(), "metadata": shown.metadata,
                        "created_at": shown.time().unwrap_or_else(|| shown.memory.stored_at.to_string()),
                        "updated_at": null, "categories": shown.tags,
                    }));
                    Ok(())
                })?;
                out.report.memories = u64::try_from(results.len()).unwrap_or(u64::MAX);
                let text = serde_json::to_vec(&json!({ "results": results })).unwrap_or_default();
                out.bytes(&text)?;
                out.bytes(b"\n")?;
            }
            ExportForm::Messages => self.export_messages(&mut out)?,
            ExportForm::KnowledgeGraph => self.export_knowledge_graph(&mut out)?,
        }
        out.out.flush().map_err(failed)?;
        Ok(out.report)
    }

    /// Gives all memories that are in use, oldest first: turns, or all others.
    pub(crate) fn each_shown(
        &self,
        turns: bool,
        take: &mut dyn FnMut(&Shown<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(namespace) = self.id()? else {
            return Ok(());
        };
        let engine = self.engine();
        let (view, snapshot) = (engine.view(namespace)?, engine.snapshot()?);
        let others = Layer::ALL
            .iter()
            .copied()
            .filter(|layer| *layer != Layer::Turn);
        let layers = if turns {
            vec![Layer::Turn]
        } else {
            others.collect()
        };
        let filter = Filter {
            layers,
            ..Filter::default()
        };
        let mut query = ListQuery {
            filter,
            limit: BATCH,
            newest_first: false,
            ..ListQuery::default()
        };
        loop {
            let page = engine.list(&view, &snapshot, &query)?;
            for memory in &page.memories {
                take(&Shown::new(memory))?;
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(()),
            }
        }
    }

    fn export_table(&self, out: &mut Counted<'_>) -> Result<(), Error> {
        let wrong = |error: csv::Error| failed(std::io::Error::other(error.to_string()));
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.write_record([
            "id", "session", "role", "speaker", "time", "kind", "tags", "text",
        ])
        .map_err(wrong)?;
        let mut count = 0;
        for turns in [false, true] {
            self.each_shown(turns, &mut |shown| {
                count += 1;
                let kind = if shown.is_turn() {
                    ""
                } else {
                    shown.memory.body.kind.as_str()
                };
                let role = shown.role().map_or("", Role::as_str);
                let (time, tags) = (shown.time().unwrap_or_default(), shown.tags.join(","));
                let speaker = shown.speaker().unwrap_or_default();
                let row = [
                    &shown.id,
                    shown.session(),
                    role,
                    speaker,
                    &time,
                    kind,
                    &tags,
                    shown.text(),
                ];
                rows.write_record(row).map_err(wrong)
            })?;
            let text = rows
                .into_inner()
                .map_err(|error| failed(std::io::Error::other(error.to_string())))?;
            out.bytes(&text)?;
            rows = csv::Writer::from_writer(Vec::new());
        }
        out.report.memories = count;
        Ok(())
    }

    fn export_messages(&self, out: &mut Counted<'_>) -> Result<(), Error> {
        let mut sessions: BTreeMap<String, Vec<serde_json::Value>> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        let mut count = 0;
        self.each_shown(true, &mut |shown| {
            count += 1;
            if !sessions.contains_key(shown.session()) {
                order.push(shown.session().to_owned());
            }
            sessions
                .entry(shown.session().to_owned())
                .or_default()
                .extend(messages(shown));
            Ok(())
        })?;
        for session in order {
            let messages = sessions.remove(&session).unwrap_or_default();
            out.line(&json!({ "id": session, "messages": messages }))?;
        }
        out.report.memories = count;
        Ok(())
    }

    fn export_knowledge_graph(&self, out: &mut Counted<'_>) -> Result<(), Error> {
        let mut entities: Vec<(String, String, Vec<String>)> = Vec::new();
        let mut relations = Vec::new();
        let mut count = 0;
        for (name, kind) in self.kept_entities()? {
            entities.push((name, kind, Vec::new()));
        }
        self.each_shown(false, &mut |shown| {
            count += 1;
            let field = |name: &str| match shown.metadata.get(name) {
                Some(Value::Text(text)) => Some(text.as_str()),
                _ => None,
            };
            let [from, kind, to] = RELATION.map(field);
            if let (Some(from), Some(kind), Some(to)) = (from, kind, to) {
                relations.push(
                    json!({ "type": "relation", "from": from, "to": to, "relationType": kind }),
                );
                return Ok(());
            }
            let own = field(ENTITY).unwrap_or(OWN_TYPE);
            let prefix = format!("{own}{BEFORE_OBSERVATION}");
            let words = shown
                .text()
                .strip_prefix(&prefix)
                .unwrap_or(shown.text())
                .to_owned();
            match entities.iter_mut().find(|(name, ..)| name == own) {
                Some((_, _, observed)) => observed.push(words),
                None => {
                    let kind = field(ENTITY_TYPE).unwrap_or(OWN_TYPE);
                    entities.push((own.to_owned(), kind.to_owned(), vec![words]));
                }
            }
            Ok(())
        })?;
        for (name, kind, observed) in entities {
            out.line(&json!({ "type": "entity", "name": name, "entityType": kind, "observations": observed }))?;
        }
        relations
            .iter()
            .try_for_each(|relation| out.line(relation))?;
        out.report.memories = count;
        Ok(())
    }

    /// Entities that stand by themselves, with what they are.
    fn kept_entities(&self) -> Result<Vec<(String, String)>, Error> {
        let Some(ns) = self.id()? else {
            return Ok(Vec::new());
        };
        let snapshot = self.engine().snapshot()?;
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let page = annals_graph::list_entities(&snapshot, ns, after, BATCH)?;
            let Some(last) = page.last() else {
                return Ok(found);
            };
            after = Some(last.id);
            let kept = page
                .iter()
                .filter(|entity| entity.kept && entity.merged_into.is_none());
            let kept =
                kept.map(|entity| (entity.name.clone(), entity.kind.clone().unwrap_or_default()));
            found.extend(kept);
        }
    }
}

/// A turn as messages: with the tools that were called for it, and its reply.
fn messages(shown: &Shown<'_>) -> Vec<serde_json::Value> {
    let Some(turn) = &shown.memory.body.turn else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (at, call) in turn.tool_calls.iter().enumerate() {
        let id = format!("{}-{at}", shown.id);
        let function = json!({ "name": call.name, "arguments": call.arguments });
        let called = json!([{ "id": id, "type": "function", "function": function }]);
        found.push(json!({ "role": "assistant", "content": null, "tool_calls": called }));
        if let Some(result) = &call.result {
            found.push(json!({ "role": "tool", "tool_call_id": id, "content": result }));
        }
    }
    let mut message = Map::new();
    message.insert("id".to_owned(), shown.id.as_str().into());
    message.insert("role".to_owned(), turn.role.as_str().into());
    if let Some(speaker) = shown.speaker() {
        message.insert("name".to_owned(), speaker.into());
    }
    message.insert("content".to_owned(), shown.text().into());
    if let Some(time) = shown.time() {
        message.insert("created_at".to_owned(), time.into());
    }
    found.push(message.into());
    found.extend(
        turn.reply
            .as_ref()
            .map(|reply| json!({ "role": "assistant", "content": reply })),
    );
    found
}

struct Counted<'a> {
    out: &'a mut dyn Write,
    report: ExportReport,
}

impl Counted<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.out.write_all(bytes).map_err(failed)?;
        self.report.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    fn line(&mut self, value: &serde_json::Value) -> Result<(), Error> {
        let mut text = value.to_string();
        text.push('\n');
        self.report.memories += 1;
        self.bytes(text.as_bytes())
    }
}
