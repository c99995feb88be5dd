//! Texts to what the layers store of them; outside any transaction.

use std::sync::Arc;

use annals_text::{Analyzer, Forward};
use annals_types::{Body, Label, NewMemory, Purpose};
use annals_vector::Code;

use crate::Engine;
use crate::Error;

/// A memory with everything that is derived from its text.
#[derive(Clone)]
pub struct Prepared {
    pub memory: NewMemory,
    pub forward: Arc<Forward>,
    /// Its vector; without one the worker makes it later.
    pub code: Option<Code>,
}

/// The text of a memory as it is searched: with the captions of its attachments.
pub(crate) fn searched_text(body: &Body) -> std::borrow::Cow<'_, str> {
    let captions = body
        .turn
        .iter()
        .flat_map(|turn| &turn.attachments)
        .filter_map(|a| a.caption.as_deref());
    let captions: Vec<&str> = captions.collect();
    if captions.is_empty() {
        return body.text.as_str().into();
    }
    format!("{}\n{}", body.text, captions.join("\n")).into()
}

pub(crate) fn reply(body: &Body) -> Option<&str> {
    body.turn.as_ref().and_then(|turn| turn.reply.as_deref())
}

/// The words of a memory: those of its text, and its tags. Tags with a prefix, such as that of a
/// group, are told by filters.
pub(crate) fn forward(body: &Body) -> Forward {
    let text = searched_text(body);
    let tags: Vec<&str> = body
        .tags
        .iter()
        .map(Label::as_str)
        .filter(|tag| !tag.contains(':'))
        .collect();
    if tags.is_empty() {
        return Analyzer::new().forward(&text, reply(body));
    }
    Analyzer::new().forward(&format!("{text}\n{}", tags.join("\n")), reply(body))
}

impl Engine {
    /// Analyses and embeds memories in one batch.
    pub fn prepare(&self, memories: Vec<NewMemory>) -> Result<Vec<Prepared>, Error> {
        let bodies: Vec<&Body> = memories.iter().map(NewMemory::body).collect();
        let codes = self.codes(&bodies)?;
        let forwards: Vec<Forward> = bodies.iter().map(|body| forward(body)).collect();
        let parts = memories.into_iter().zip(forwards).zip(codes);
        Ok(parts
            .map(|((memory, forward), code)| Prepared {
                memory,
                forward: Arc::new(forward),
                code: Some(code),
            })
            .collect())
    }

    /// Analyses memories whose vectors the worker makes once they are stored.
    pub fn prepare_late(memories: Vec<NewMemory>) -> Vec<Prepared> {
        let prepared = |memory: NewMemory| {
            let forward = Arc::new(forward(memory.body()));
            Prepared {
                memory,
                forward,
                code: None,
            }
        };
        memories.into_iter().map(prepared).collect()
    }

    /// The vectors of texts that are to be stored.
    pub fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let vectors = self.embedder.embed(texts, Purpose::Passage)?;
        self.keep_measurement()?;
        self.keep_prototypes();
        Ok(vectors)
    }

    /// The vector of each body: that of its text, plus the profile's share of that of its reply.
    pub(crate) fn codes(&self, bodies: &[&Body]) -> Result<Vec<Code>, Error> {
        let texts: Vec<_> = bodies.iter().map(|body| searched_text(body)).collect();
        let mut asked: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        asked.extend(bodies.iter().filter_map(|body| reply(body)));
        let mut vectors = self.embed_passages(&asked)?;
        if vectors.len() != asked.len() {
            return Err(Error::internal(format!(
                "the embedder made {} vectors of {} texts",
                vectors.len(),
                asked.len()
            )));
        }
        let replies = vectors.split_off(bodies.len());
        let with_reply = vectors
            .iter_mut()
            .zip(bodies)
            .filter(|(_, body)| reply(body).is_some());
        // One for the whole file, so that vectors are comparable whatever profile a namespace has
        // next.
        let weight = self.profiles.default().settings.recall.reply_vector_weight;
        for ((vector, _), reply) in with_reply.zip(&replies) {
            vector
                .iter_mut()
                .zip(reply)
                .for_each(|(x, y)| *x += weight * y);
        }
        vectors
            .iter()
            .map(|vector| Ok(self.shape.encode(vector)?))
            .collect()
    }
}
