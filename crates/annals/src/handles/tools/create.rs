//! `create_memory`: a memory as a small graph, staged until it is consolidated.

use annals_extraction::tools::CreateMemory;
use annals_graph::TIME_ATTRIBUTES;
use annals_language::time::normalise;
use annals_types::{Importance, Metadata, NewMemory, Status, Timestamp, Value};
use serde_json::json;

use crate::graph::{Claim, NewSubgraph};
use crate::handles::tools::Invocation;
use crate::{Error, ToolReply};

/// The parts of a call.
struct Parts {
    subject: String,
    topic: String,
    object: Option<String>,
    relation: Option<String>,
    attributes: Vec<(String, String)>,
}

impl Invocation<'_> {
    pub(super) fn create(&self, call: &CreateMemory) -> Result<ToolReply, Error> {
        let mut fields = Metadata::new();
        if let Some(conversation) = self.conversation.filter(|name| !name.is_empty()) {
            fields.insert("conversation_id".to_owned(), Value::from(conversation));
        }
        let (parts, moment) = self.parts(call, &mut fields);
        let parts = self.screened(parts)?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an importance is a single-precision number"
        )]
        let importance = call.importance as f32;
        let mut memory = NewMemory::builder(parts.text())
            .kind(call.memory_type.as_str())
            .status(Status::Staged)
            .importance(importance);
        if let Some(moment) = moment {
            memory = memory.event_time(moment);
        }
        for (name, value) in fields {
            memory = memory.metadata(name, value);
        }
        let importance = Importance::new("importance", importance)?;
        let mut subgraph =
            NewSubgraph::new(&parts.subject, &call.memory_type, &parts.topic).claim(Claim {
                importance,
                ..Claim::default()
            });
        if let Some(object) = &parts.object {
            subgraph = subgraph.object(object);
        }
        if let Some(relation) = &parts.relation {
            subgraph = subgraph.relation(relation);
        }
        for (name, value) in &parts.attributes {
            subgraph = subgraph.attribute(name, value);
        }
        let (id, _) = self
            .space
            .graph()
            .stage_subgraph::<NewMemory>(memory.build()?, &subgraph)?;
        let done = json!({ "memory_id": id, "status": Status::Staged, "message": self.messages.text("created", &[]) });
        Ok(ToolReply::done(done, &self.notes))
    }

    /// The parts with times made absolute, and when it was; what is known of the time becomes free
    /// fields.
    fn parts(&self, call: &CreateMemory, fields: &mut Metadata) -> (Parts, Option<Timestamp>) {
        let mut moment = None;
        let mut attributes = Vec::with_capacity(call.attributes.len());
        for (name, value) in &call.attributes {
            if !TIME_ATTRIBUTES.contains(&name.to_lowercase().as_str()) {
                attributes.push((name.clone(), value.clone()));
                continue;
            }
            let normal = normalise(
                value,
                &self.said,
                self.profile.settings.time.today_precision,
            );
            match normal.interval {
                Some(interval) => {
                    moment = Some(interval.start);
                    fields.insert(
                        "time_start".to_owned(),
                        Value::from(interval.start.to_string().as_str()),
                    );
                    fields.insert(
                        "time_end".to_owned(),
                        Value::from(interval.end.to_string().as_str()),
                    );
                }
                None => drop(fields.insert("time_unparsed".to_owned(), Value::Bool(true))),
            }
            attributes.insert(0, (name.clone(), normal.text));
        }
        let (subject, topic) = (call.subject.clone(), call.topic.clone());
        (
            Parts {
                subject,
                topic,
                object: call.object.clone(),
                relation: call.relation.clone(),
                attributes,
            },
            moment,
        )
    }

    /// The parts as the profile lets them be stored: they make up its text together.
    fn screened(&self, mut parts: Parts) -> Result<Parts, Error> {
        if let Some(screen) = self.space.engine.screen(self.space.entry()?)? {
            screen.through(|rewrite| {
                for text in parts.texts() {
                    if let Some(other) = rewrite(text) {
                        *text = other;
                    }
                }
            })?;
            screen.together(parts.told())?;
        }
        Ok(parts)
    }
}

impl Parts {
    fn texts(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.subject, &mut self.topic];
        texts.extend(&mut self.object);
        texts.extend(&mut self.relation);
        texts.extend(
            self.attributes
                .iter_mut()
                .flat_map(|(name, value)| [name, value]),
        );
        texts
    }

    /// The parts of its [`text`](Self::text), each with what stands before it there.
    fn told(&mut self) -> Vec<(&'static str, &mut String)> {
        let mut told = vec![("", &mut self.subject), (" ", &mut self.topic)];
        told.extend(self.object.as_mut().map(|object| (" ", object)));
        told.extend(
            self.attributes
                .iter_mut()
                .flat_map(|(name, value)| [("，", name), (" ", value)]),
        );
        told
    }

    /// The memory in words, as [`Subgraph::to_text`](crate::graph::Subgraph::to_text) puts it.
    fn text(&self) -> String {
        let mut text = format!("{} {}", self.subject, self.topic);
        if let Some(object) = &self.object {
            text.push(' ');
            text.push_str(object);
        }
        for (name, value) in &self.attributes {
            text.push_str(&format!("，{name} {value}"));
        }
        text
    }
}
